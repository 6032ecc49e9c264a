//! Products of centred and scaled sparse rows, which are never made dense: what the offset does to every
//! entry is added once at the end.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::real::Real;
use crate::data::SparseView;
use crate::error::Result;
use crate::parallel::try_for_each;
use crate::run::Run;

/// Rows that one job handles.
const BLOCK: usize = 128;

/// Entries are (x − offset) · factor.
#[derive(Clone, Copy)]
pub(super) struct Scale<'a> {
    pub(super) offset: &'a Array1<f64>,
    pub(super) factors: Option<&'a Array1<f64>>,
}

impl Scale<'_> {
    fn factor(&self, column: usize) -> f64 {
        self.factors.map_or(1.0, |factors| factors[column])
    }

    /// The entry of every column where nothing is stored.
    fn of_zero(&self) -> Array1<f64> {
        Array1::from_shape_fn(self.offset.len(), |j| -self.offset[j] * self.factor(j))
    }
}

/// Rows less `offset`, times `right`.
pub(super) fn times<T: Real>(
    run: &Run<'_>,
    rows: &SparseView<'_, T>,
    offset: &Array1<f64>,
    right: &Array2<f64>,
) -> Result<Array2<f64>> {
    let constant = offset.dot(right);
    let mut result = Array2::zeros((rows.n_rows(), right.ncols()));
    try_for_each(
        run,
        result.axis_chunks_iter_mut(Axis(0), BLOCK),
        |block, mut targets| {
            for (i, mut target) in targets.rows_mut().into_iter().enumerate() {
                target -= &constant;
                for (column, value) in rows.row(block * BLOCK + i) {
                    target.scaled_add(value.wide(), &right.row(column));
                }
            }
            Ok(())
        },
    )?;
    Ok(result)
}

/// Rows transposed, times `right`.
pub(super) fn transposed_times<T: Real>(
    run: &Run<'_>,
    rows: &SparseView<'_, T>,
    scale: Scale<'_>,
    right: &ArrayView2<'_, f64>,
) -> Result<Array2<f64>> {
    let mut result = Array2::zeros((rows.n_columns(), right.ncols()));
    for row in 0..rows.n_rows() {
        if row % BLOCK == 0 {
            run.check()?;
        }
        for (column, value) in rows.row(row) {
            let share = value.wide() * scale.factor(column);
            result.row_mut(column).scaled_add(share, &right.row(row));
        }
    }
    let sums = right.sum_axis(Axis(0));
    for (mut target, &entry) in result.rows_mut().into_iter().zip(&scale.of_zero()) {
        target.scaled_add(entry, &sums);
    }
    Ok(result)
}

/// Inner products between every two rows.
pub(super) fn inner_products<T: Real>(
    run: &Run<'_>,
    rows: &SparseView<'_, T>,
    scale: Scale<'_>,
) -> Result<Array2<f64>> {
    let n_rows = rows.n_rows();
    let zero = scale.of_zero();
    let with_zero: Vec<f64> = (0..n_rows)
        .map(|row| {
            rows.row(row)
                .map(|(j, value)| value.wide() * scale.factor(j) * zero[j])
                .sum()
        })
        .collect();
    let zero_length = zero.dot(&zero);
    let mut result = Array2::zeros((n_rows, n_rows));
    try_for_each(
        run,
        result.axis_chunks_iter_mut(Axis(0), BLOCK),
        |block, mut targets| {
            let mut spread = vec![0.0; rows.n_columns()];
            for (i, mut target) in targets.rows_mut().into_iter().enumerate() {
                let row = block * BLOCK + i;
                for (j, value) in rows.row(row) {
                    spread[j] += value.wide() * scale.factor(j).powi(2);
                }
                for (other, value) in target.iter_mut().enumerate() {
                    let shared: f64 = rows.row(other).map(|(j, v)| v.wide() * spread[j]).sum();
                    *value = shared + with_zero[row] + with_zero[other] + zero_length;
                }
                rows.row(row).for_each(|(j, _)| spread[j] = 0.0);
            }
            Ok(())
        },
    )?;
    Ok(result)
}

/// The squared length of every row.
pub(super) fn squared_lengths<T: Real>(rows: &SparseView<'_, T>, scale: Scale<'_>) -> Array1<f64> {
    let zero = scale.of_zero();
    let zero_length = zero.dot(&zero);
    (0..rows.n_rows())
        .map(|row| {
            let change: f64 = rows
                .row(row)
                .map(|(j, value)| {
                    let entry = zero[j] + value.wide() * scale.factor(j);
                    entry * entry - zero[j] * zero[j]
                })
                .sum();
            (zero_length + change).max(0.0)
        })
        .collect()
}
