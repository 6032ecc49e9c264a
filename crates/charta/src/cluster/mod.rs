//! Groups of rows: k-means, and spectral clustering on a graph of neighbours.

mod agreement;
mod k_means;
mod points;
mod seeding;
mod spectral;

pub use agreement::adjusted_rand;
pub use k_means::{Clusters, KMeans};
pub use spectral::{SpectralClustering, SpectralClusters};
