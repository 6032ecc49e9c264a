//! The linear algebra around the methods: eigenvectors, singular values, the pseudo-inverse, least squares, covariance
//! and scatter matrices, lines through data, tests of normality.
//!
//! ```
//! use charta::linear::Eigen;
//! let eigen = Eigen::of(&ndarray::array![[3.0, 5.0], [2.0, 1.0]].view())?;
//! assert!((eigen.real[0] - 5.3166).abs() < 1e-4 && (eigen.real[1] + 1.3166).abs() < 1e-4);
//! assert!((eigen.vectors_real[[0, 0]] - 0.9073).abs() < 1e-4);
//! # Ok::<(), charta::Error>(())
//! ```

mod covariances;
mod eigen;
mod least_squares;
mod line;
mod normality;
mod svd;
mod tails;

pub use covariances::{ClassScatters, Covariances};
pub use eigen::Eigen;
pub use least_squares::{LeastSquares, pseudo_inverse};
pub use line::{Line, LineFit};
pub use normality::{Mardia, Normality};
pub use svd::Svd;

use ndarray::ArrayView2;

use crate::data::Data;
use crate::error::{Error, Message, Result};
use crate::run::Run;

/// Fails for a matrix without rows or columns, or with a value that is not a finite number.
fn check(matrix: &ArrayView2<'_, f64>) -> Result<()> {
    let (rows, columns) = matrix.dim();
    if rows == 0 || columns == 0 {
        return Err(Error::Empty { rows, columns });
    }
    Data::new(matrix.view()).check_finite()
}

/// Fails if a run may not use this many bytes.
fn check_memory(run: &Run<'_>, needed: u64, advice: Message) -> Result<()> {
    match run.memory() {
        Some(limit) if needed > limit => Err(Error::Memory {
            needed,
            limit,
            advice,
        }),
        _ => Ok(()),
    }
}
