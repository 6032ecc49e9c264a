//! Minimising by iteration: factors that are not negative, the stress of a map.

pub mod amounts;
pub mod divergence;
pub mod factorize;
pub mod nndsvd;
pub mod pair_stress;
pub mod quadratic;
pub mod scaled;
