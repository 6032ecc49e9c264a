//! Linear algebra: the only place that names the crate below.
//!
//! The rest of the library speaks `ndarray`. Eigenvectors and singular vectors come back sorted,
//! largest first, with their signs fixed, and the same bits for any number of threads: work is cut
//! into fixed blocks, and the crate's parallelism never follows the pool's size.

mod bridge;
pub mod cholesky;
pub mod eigen;
mod engine;
mod exponential;
pub mod generalized;
mod kernel;
pub mod krylov;
pub mod leading;
pub mod moments;
pub mod narrow;
pub mod operator;
pub mod orthogonal;
pub mod procrustes;
pub mod product;
mod real;
pub mod rotation;
mod scatter;
pub(crate) mod scores;
mod search;
pub mod shrinkage;
pub mod signs;
pub mod small;
pub mod smallest;
pub mod solve;
mod sparse;
mod sparse_cholesky;
pub mod svd;
pub mod symmetric_sparse;
pub mod wide;

pub use exponential::Exponential;
pub use real::Real;
