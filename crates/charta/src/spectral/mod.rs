//! Embeddings from eigenpairs.

pub(crate) mod bottom;
pub(crate) mod class_scatter;
pub(crate) mod classical_scaling;
pub(crate) mod eigenmaps;
pub(crate) mod linearized;
pub(crate) mod principal;
pub(crate) mod squares;
pub(crate) mod weighted_graph;
