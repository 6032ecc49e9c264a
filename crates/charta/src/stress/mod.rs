//! Stress of an embedding: its value and gradient, gradient descent on it, initialization, and out-of-sample placement.
//! Metric MDS and Sammon's mapping are made of these.

pub(crate) mod dissimilarities;
pub(crate) mod gradient;
pub(crate) mod gradient_descent;
pub(crate) mod initialization;
mod model;
pub(crate) mod out_of_sample;

pub(crate) use model::StressRule;
pub use model::{StressModel, StressReport};

use crate::error::{Because, Error, Result};

/// Fails unless there are more rows than components wanted.
pub(crate) fn check_components(n_components: usize, n_rows: usize) -> Result<()> {
    if n_components < n_rows {
        return Ok(());
    }
    Err(Error::at_most(
        "n_components",
        n_rows - 1,
        Because::Rows(n_rows),
        n_components,
    ))
}
