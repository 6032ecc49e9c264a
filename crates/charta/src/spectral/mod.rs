//! Eigenpairs turned into coordinates.

pub mod missing;
pub mod principal;
pub mod trim;
