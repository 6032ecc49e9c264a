//! Groups of rows: k-means, and spectral clustering on a graph of neighbours.

mod k_means;
mod points;
mod seeding;

pub use k_means::{Clusters, KMeans};
