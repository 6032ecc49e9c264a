//! Eigenpairs turned into coordinates.

pub mod bottom;
pub mod class_scatter;
pub mod classical_scaling;
pub mod eigenmaps;
pub mod linearized;
pub mod principal;
pub mod squares;
