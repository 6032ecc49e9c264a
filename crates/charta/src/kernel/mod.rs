//! Kernels: inner products of rows in a feature space that is never computed.
//!
//! | kernel | of rows a and b | γ if `auto` |
//! |---|---|---|
//! | linear | a·b | – |
//! | polynomial | (γ a·b + c)^degree | 1 / columns |
//! | rbf | exp(−γ ‖a − b‖²) | 1 / median of ‖a − b‖² |
//! | laplacian | exp(−γ Σ \|a − b\|) | 1 / median of Σ \|a − b\| |
//! | sigmoid | tanh(γ a·b + c) | 1 / columns |
//! | cosine | a·b / (‖a‖ ‖b‖), 0 if a row is zero | – |
//!
//! c is `coef0`. Names and formulas are those of scikit-learn. [`Kernel`] holds the parameters, [`KernelSpec`] is the
//! kernel with its γ found, `KernelRows` are rows kept to be compared with new ones, and `KernelMatrix` is the
//! matrix of all rows, which is centred without being copied.
//!
//! Products are taken block by block in the precision of the features. A squared distance is
//! ‖a‖² + ‖b‖² − 2 a·b, with a point in the middle of the rows subtracted from all; where the three terms cancel it is
//! computed anew from the differences, so that the rbf kernel of equal rows is 1.

pub(crate) mod components;

mod dictionary;
mod matrix;
mod parameters;
mod preimage;
mod rows;
mod spec;
mod tiles;
mod width;

#[cfg(test)]
mod tests;

pub use dictionary::{Dictionary, DictionaryChoice};
pub(crate) use dictionary::{leverage_rows, random_rows};
pub(crate) use matrix::{Centred, KernelMatrix, Refined, RoughlyCentred};
pub use parameters::{Gamma, Kernel, KernelKind};
pub(crate) use preimage::Preimage;
pub(crate) use preimage::{FixedPoint, PreimageProblem, ridge};
pub use preimage::{PreimageOptions, PreimageRule};
pub(crate) use rows::KernelRows;
pub use spec::KernelSpec;
pub(crate) use width::median_gamma;
