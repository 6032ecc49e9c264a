//! Eigenpairs turned into coordinates.

pub mod factors;
pub mod missing;
pub mod principal;
pub mod sparse;
pub mod trim;
