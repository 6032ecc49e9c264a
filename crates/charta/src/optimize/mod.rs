//! Iterative minimization used by several methods: L-BFGS, Adam and isotonic regression.

pub(crate) mod adam;
pub(crate) mod isotonic;
pub(crate) mod l_bfgs;
