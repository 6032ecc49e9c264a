//! Eigenpairs turned into coordinates.

pub mod distributions;
pub mod independent;
pub mod missing;
pub mod principal;
pub mod trim;
pub mod whitening;
