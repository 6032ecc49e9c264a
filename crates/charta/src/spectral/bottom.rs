//! Coordinates from the bottom of a spectrum: the smallest eigenvectors of a matrix to which constants mean nothing.

use ndarray::{Array1, Array2};

use crate::error::Result;
use crate::linalg::smallest::{SmallestOptions, smallest};
use crate::linalg::symmetric_sparse::SparseSymmetric;
use crate::run::Run;

/// Coordinates, and how good they are.
#[derive(Clone, Debug)]
pub struct Bottom {
    /// A row for each row of the matrix, a column of length 1 for each coordinate, orthogonal to each other and to
    /// the constant.
    pub coordinates: Array2<f64>,
    /// Their eigenvalues, smallest first.
    pub eigenvalues: Array1<f64>,
    /// The largest residual ‖M v − λ v‖ as a share of the size of M.
    pub residual: f64,
    /// How they were found.
    pub route: String,
}

/// The `count` smallest eigenvectors beside the constant.
pub fn bottom(run: &Run<'_>, matrix: &SparseSymmetric, count: usize, seed: u64) -> Result<Bottom> {
    let constant = Array2::ones((1, matrix.n()));
    let options = SmallestOptions {
        known_null: Some(&constant),
        seed,
        ..SmallestOptions::default()
    };
    let found =
        smallest(run, matrix, count, &options)?.checked(run, "the eigenvector computation")?;
    let residual = found.residual();
    Ok(Bottom {
        coordinates: found.eigen.vectors.t().as_standard_layout().into_owned(),
        // Rounding may leave less than nothing of an eigenvalue that cannot be negative.
        eigenvalues: found.eigen.values.mapv(|value| value.max(0.0)),
        residual,
        route: found.route.to_string(),
    })
}
