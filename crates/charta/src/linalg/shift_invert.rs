//! Operators whose largest eigenvectors are the smallest of a sparse matrix: its inverse, and polynomials of it.

use ndarray::{Array1, Array2, Axis};

use super::block_krylov::Symmetric;
use super::smallest::{Problem, Route};
use super::sparse_cholesky::Factor;
use super::symmetric_sparse::SparseSymmetric;
use crate::error::Result;
use crate::run::Run;

/// The degree of the polynomials.
const DEGREE: usize = 24;

/// Images of vectors under an operator, and vectors x from which the images come, where these differ.
type Images = (Array2<f64>, Option<Array2<f64>>);

/// A symmetric operator whose largest eigenvectors are the smallest of the problem.
pub(super) enum Engine<'a> {
    Inverse(Inverse<'a>),
    Filter(Filter),
}

impl Engine<'_> {
    pub(super) fn route(&self) -> Route {
        match self {
            Self::Inverse(_) => Route::Inverse,
            Self::Filter(_) => Route::Filter,
        }
    }

    /// Images of y under the operator, and vectors x from which the images come.
    pub(super) fn apply(&self, run: &Run<'_>, y: &Array2<f64>) -> Result<Images> {
        match self {
            Self::Inverse(inverse) => inverse.apply(run, y),
            Self::Filter(filter) => Ok((filter.apply(run, y)?, None)),
        }
    }
}

/// √D (A + shift · D)⁻¹ √D.
pub(super) struct Inverse<'a> {
    factor: Factor<'a>,
    root: Option<Array1<f64>>,
}

impl<'a> Inverse<'a> {
    pub(super) fn new(factor: Factor<'a>, problem: &Problem<'_>) -> Self {
        Self {
            factor,
            root: problem.root.clone(),
        }
    }

    fn apply(&self, run: &Run<'_>, y: &Array2<f64>) -> Result<Images> {
        match &self.root {
            None => Ok((self.factor.solve(run, y)?, None)),
            Some(root) => {
                let root = root.view().insert_axis(Axis(1));
                let x = self.factor.solve(run, &(y * &root))?;
                Ok((&x * &root, Some(x)))
            }
        }
    }
}

/// The Chebyshev polynomial that is small from `cut` to `bound` and large below.
pub(super) struct Filter {
    pub(super) matrix: SparseSymmetric,
    pub(super) bound: f64,
    pub(super) cut: f64,
}

impl Filter {
    pub(super) fn new(matrix: SparseSymmetric, bound: f64) -> Self {
        Self {
            matrix,
            bound,
            cut: bound / 16.0,
        }
    }

    /// T((centre − A) / half) by its recurrence, each step divided by the value at 0 to stay in range.
    fn apply(&self, run: &Run<'_>, y: &Array2<f64>) -> Result<Array2<f64>> {
        let (centre, half) = ((self.bound + self.cut) / 2.0, (self.bound - self.cut) / 2.0);
        let mut before = y.clone();
        let at_zero = half / centre;
        let mut ratio = at_zero;
        let mut now = (y * centre - self.matrix.times(run, y)?) * (ratio / half);
        for _ in 1..DEGREE {
            let next_ratio = 1.0 / (2.0 / at_zero - ratio);
            let image = &now * centre - self.matrix.times(run, &now)?;
            let next = image * (2.0 * next_ratio / half) - before * (ratio * next_ratio);
            before = now;
            now = next;
            ratio = next_ratio;
        }
        Ok(now)
    }
}
