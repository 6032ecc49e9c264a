//! Rows as units see them: about a middle, on one scale, block by block in their own precision.
//!
//! A middle keeps large values that are common to all rows from drowning what differs. The scale is a power of two, so that it changes
//! no digit; with it, squares of very large or very small values do not overflow. The middle of sparse rows is 0: what
//! is not stored costs nothing.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use crate::data::columns::Columns;
use crate::data::loaded::{check_at_least, check_finite, check_positive};
use crate::data::{Data, Features, SparseView, arrays};
use crate::error::{Error, Result};
use crate::linalg::Real;

/// The largest power of two of a scale, and of its inverse.
const MOST_EXPONENT: i32 = 1000;

/// What rows are measured from, and by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Space {
    #[serde(with = "arrays::vector")]
    middle: Array1<f64>,
    /// What values about the middle are multiplied with.
    factor: f64,
}

impl Space {
    /// For rows like these; fails if they cannot be distinguished without overflow.
    pub(super) fn of(data: &Data<'_>, features: &Features<'_>) -> Result<Self> {
        data.check_finite()?;
        let columns = Columns::of(features);
        let middle = if features.is_sparse() {
            Array1::zeros(features.n_columns())
        } else {
            columns.means.clone()
        };
        let mut most = 0.0_f64;
        for ((least, greatest), middle) in columns.least.iter().zip(&columns.greatest).zip(&middle)
        {
            most = most.max(greatest - middle).max(middle - least);
            if !(greatest - least).is_finite() || !middle.is_finite() {
                return Err(Error::too_large());
            }
        }
        if !most.is_finite() {
            return Err(Error::too_large());
        }
        let exponent = if most > 0.0 { most.log2().round() } else { 0.0 };
        let exponent = (exponent as i32).clamp(-MOST_EXPONENT, MOST_EXPONENT);
        Ok(Self {
            middle,
            factor: 2.0_f64.powi(-exponent),
        })
    }

    /// Fails if what was loaded is no space.
    pub(super) fn validate(&self) -> Result<()> {
        let Self { middle, factor } = self;
        check_at_least("the middle of the rows", middle.len(), 1)?;
        check_finite("the middle of the rows", middle)?;
        check_positive("the scale of the rows", [factor])
    }

    /// What rows are measured from.
    pub(super) fn middle(&self) -> &Array1<f64> {
        &self.middle
    }

    /// What values about the middle are multiplied with.
    pub(super) fn factor(&self) -> f64 {
        self.factor
    }

    /// Number of columns.
    pub(super) fn n_columns(&self) -> usize {
        self.middle.len()
    }

    /// The features of something in this space.
    pub(super) fn features_of(&self, inside: &ArrayView2<'_, f64>) -> Array2<f64> {
        let mut outside = inside.mapv(|value| value / self.factor);
        outside += &self.middle;
        outside
    }

    /// Writes row `row` of dense features into `target`.
    fn write<T: Real, N: Real>(&self, x: &ArrayView2<'_, N>, row: usize, target: &mut [T]) {
        let values = x.row(row);
        match values.as_slice() {
            Some(values) => self.write_values(values.iter(), target),
            None => self.write_values(values.iter(), target),
        }
    }

    #[inline(always)]
    fn write_values<'v, T: Real, N: Real>(
        &self,
        values: impl Iterator<Item = &'v N>,
        target: &mut [T],
    ) {
        for ((to, value), middle) in target.iter_mut().zip(values).zip(&self.middle) {
            *to = T::of((value.wide() - middle) * self.factor);
        }
    }

    fn write_sparse<T: Real, N: Real>(&self, rows: &SparseView<'_, N>, row: usize, to: &mut [T]) {
        for (to, middle) in to.iter_mut().zip(&self.middle) {
            *to = T::of(-middle * self.factor);
        }
        for (column, value) in rows.row(row) {
            to[column] += T::of(value.wide() * self.factor);
        }
    }

    /// Writes one row into `target`, which has an entry for every column.
    pub(super) fn row<T: Real>(&self, features: &Features<'_>, row: usize, target: &mut [T]) {
        match features {
            Features::F32(x) => self.write(x, row, target),
            Features::F64(x) => self.write(x, row, target),
            Features::SparseF32(rows) => self.write_sparse(rows, row, target),
            Features::SparseF64(rows) => self.write_sparse(rows, row, target),
        }
    }

    /// Some rows, one after the other.
    pub(super) fn block<T: Real>(&self, features: &Features<'_>, rows: Range<usize>) -> Array2<T> {
        let mut block = Array2::from_elem((rows.len(), self.n_columns()), T::of(0.0));
        for (row, mut target) in rows.zip(block.rows_mut()) {
            let target = target.as_slice_mut().expect("a new array is in row order");
            self.row(features, row, target);
        }
        block
    }

    /// Adds some rows up, in double precision and in their order.
    pub(super) fn sum_into(&self, features: &Features<'_>, rows: &[u32], target: &mut [f64]) {
        target.fill(0.0);
        for &row in rows {
            let row = row as usize;
            match features {
                Features::F32(x) => self.add(x, row, target),
                Features::F64(x) => self.add(x, row, target),
                Features::SparseF32(s) => add_sparse(s, row, target),
                Features::SparseF64(s) => add_sparse(s, row, target),
            }
        }
        if features.is_sparse() {
            for (to, middle) in target.iter_mut().zip(&self.middle) {
                *to -= middle * rows.len() as f64;
            }
        }
        for to in target {
            *to *= self.factor;
        }
    }

    fn add<N: Real>(&self, x: &ArrayView2<'_, N>, row: usize, target: &mut [f64]) {
        let values = x.row(row);
        match values.as_slice() {
            Some(values) => self.add_values(values.iter(), target),
            None => self.add_values(values.iter(), target),
        }
    }

    #[inline(always)]
    fn add_values<'v, N: Real>(&self, values: impl Iterator<Item = &'v N>, target: &mut [f64]) {
        for ((to, value), middle) in target.iter_mut().zip(values).zip(&self.middle) {
            *to += value.wide() - middle;
        }
    }
}

fn add_sparse<N: Real>(rows: &SparseView<'_, N>, row: usize, target: &mut [f64]) {
    for (column, value) in rows.row(row) {
        target[column] += value.wide();
    }
}
