//! Linear algebra: the only place that names the crate below.
//!
//! The rest of the library speaks `ndarray`. Eigenvectors and singular vectors come back sorted,
//! largest first, with their signs fixed, and the same bits for any number of threads: work is cut
//! into fixed blocks, and the crate's parallelism never follows the pool's size.

pub mod block_krylov;
mod bridge;
pub(crate) mod centred;
pub mod cholesky;
pub mod eigen;
mod exponential;
pub mod generalized;
pub(crate) mod inner_product_join;
pub mod moments;
pub mod operator;
pub mod orthogonal;
pub mod partial_eigen;
pub mod procrustes;
pub mod product;
mod real;
pub mod rotation;
mod scatter;
mod scatter_kernel;
mod shift_invert;
pub mod shrinkage;
pub mod signs;
pub mod small;
pub mod smallest;
pub mod solve;
mod sparse;
mod sparse_cholesky;
pub mod svd;
pub mod symmetric_sparse;
pub mod tall_skinny;
pub mod wide;

pub use exponential::Exponential;
pub use real::Real;
