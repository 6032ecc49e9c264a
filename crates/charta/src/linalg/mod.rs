//! Linear algebra: the only place that names the crate below.
//!
//! The rest of the library uses `ndarray`. Eigenvectors and singular vectors come back sorted,
//! largest first, with their signs fixed, and the same bits for any number of threads: work is cut
//! into fixed blocks, and the crate's parallelism never follows the pool's size.

pub(crate) mod block_krylov;
mod bridge;
pub(crate) mod centred;
pub(crate) mod cholesky;
pub(crate) mod eigen;
mod exponential;
pub(crate) mod general_eigen;
pub(crate) mod generalized;
pub(crate) mod inner_product_join;
pub(crate) mod moments;
pub(crate) mod operator;
pub(crate) mod orthogonal;
pub(crate) mod partial_eigen;
pub mod procrustes;
pub(crate) mod product;
mod real;
pub(crate) mod rotation;
mod scatter;
mod scatter_kernel;
mod shift_invert;
pub(crate) mod shrinkage;
pub(crate) mod signs;
pub(crate) mod small;
pub(crate) mod smallest;
pub(crate) mod solve;
mod sparse;
mod sparse_cholesky;
pub(crate) mod svd;
pub(crate) mod symmetric_sparse;
pub(crate) mod tall_skinny;
pub(crate) mod wide;

pub(crate) use exponential::Exponential;
pub(crate) use real::Real;
