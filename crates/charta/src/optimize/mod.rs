//! Minimising by iteration: factors that are not negative.

pub mod amounts;
pub mod divergence;
pub mod factorize;
pub mod nndsvd;
pub mod quadratic;
pub mod scaled;
