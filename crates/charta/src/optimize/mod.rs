//! Minimising by iteration: factors that are not negative, maps of distances.

pub mod amounts;
pub mod descent;
mod disparities;
pub mod dissimilarities;
pub mod divergence;
pub mod factorize;
pub mod isotonic;
pub mod nndsvd;
pub mod pair_stress;
pub mod placing;
pub mod quadratic;
pub mod sammon;
pub mod scaled;
pub mod smacof;
pub mod start;
mod stress;
