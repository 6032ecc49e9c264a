//! Iterative minimization used by several methods: L-BFGS, Adam and isotonic regression; anchors of a layout.

pub(crate) mod adam;
pub(crate) mod anchored;
pub(crate) mod isotonic;
pub(crate) mod l_bfgs;
