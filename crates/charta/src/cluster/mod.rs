//! Clustering: k-means, the eigengap, and the agreement of two clusterings.

mod agreement;
mod eigengap;
mod k_means;
mod points;
mod seeding;

pub use agreement::adjusted_rand;
pub(crate) use eigengap::eigengap;
pub use k_means::{Clusters, Initialization, KMeansOptions};
