//! Stress of a map of distances: its value and gradient, gradient descent on it, initialization, and out-of-sample placement.
//! Metric MDS and Sammon's mapping are made of these.

pub mod dissimilarities;
pub(crate) mod gradient;
pub mod gradient_descent;
pub mod initialization;
mod model;
pub mod out_of_sample;

pub use model::{StressModel, StressReport, StressRule};
