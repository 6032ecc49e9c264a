//! Eigenpairs turned into coordinates.

pub mod bottom;
pub mod canonical;
pub mod class_scatter;
pub mod classical_scaling;
pub mod diffusion;
pub mod discriminant;
pub mod distributions;
pub mod eigenmaps;
pub mod factors;
pub mod independent;
pub mod kernel_components;
pub mod kernel_discriminant;
pub mod latent;
pub mod linearized;
pub mod missing;
pub mod principal;
pub mod sparse;
pub mod squares;
pub mod trim;
pub mod whitening;
