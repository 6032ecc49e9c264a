//! Minimising by iteration: factors that are not negative, maps of distances.

pub mod isotonic;
pub(crate) mod l_bfgs;
