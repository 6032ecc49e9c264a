//! Clustering: k-means, and spectral clustering on a neighbour graph.

mod agreement;
mod k_means;
mod points;
mod seeding;
mod spectral;

pub use agreement::adjusted_rand;
pub use k_means::{Clusters, KMeans};
pub use spectral::{SpectralClustering, SpectralClusters};
