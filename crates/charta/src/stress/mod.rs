//! Stress of an embedding: its value and gradient, gradient descent on it, initialization, and out-of-sample placement.
//! Metric MDS and Sammon's mapping are made of these.

pub(crate) mod dissimilarities;
pub(crate) mod gradient;
pub(crate) mod gradient_descent;
pub(crate) mod initialization;
mod model;
pub(crate) mod out_of_sample;

pub(crate) use model::StressRule;
pub use model::{StressModel, StressReport};
