//! Eigenpairs turned into coordinates.

pub mod canonical;
pub mod latent;
pub mod missing;
pub mod principal;
pub mod trim;
