//! Eigenpairs turned into coordinates.

pub mod distributions;
pub mod independent;
pub mod class_scatter;
pub mod discriminant;
pub mod canonical;
pub mod latent;
pub mod factors;
pub mod missing;
pub mod principal;
pub mod sparse;
pub mod trim;
pub mod whitening;
