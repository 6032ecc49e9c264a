//! Count, mean, spread and range of every column, over the values that are there.

use ndarray::{Array1, Array2, ArrayView1};
use num_traits::Float;
use rayon::prelude::*;

use super::features::wide;
use super::{Data, Features, SparseView};
use crate::error::{Result, Warning};
use crate::parallel::blocks;
use crate::run::Run;

const BLOCK: usize = 512;

/// What is known of each column. Missing values (NaN) are left out.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Values present.
    pub counts: Array1<f64>,
    /// Their mean; NaN for a column without values.
    pub means: Array1<f64>,
    /// Sum of their squared deviations from the mean.
    pub spreads: Array1<f64>,
    /// The smallest.
    pub least: Array1<f64>,
    /// The largest.
    pub greatest: Array1<f64>,
}

impl Columns {
    /// Looks at all rows, in blocks whose results are merged in order.
    pub fn of(features: &Features<'_>) -> Self {
        match features {
            Features::SparseF32(rows) => Self::of_sparse(rows),
            Features::SparseF64(rows) => Self::of_sparse(rows),
            _ => Self::of_dense(features),
        }
    }

    fn of_dense(features: &Features<'_>) -> Self {
        let parts: Vec<Self> = blocks(features.n_rows(), BLOCK)
            .into_par_iter()
            .map(|rows| Self::of_block(&features.dense_rows(rows.start, rows.end)))
            .collect();
        let mut whole = Self::empty(features.n_columns());
        for part in &parts {
            whole.merge(part);
        }
        whole
    }

    /// Looks at what is stored; the rest are zeros.
    fn of_sparse<T: Float>(rows: &SparseView<'_, T>) -> Self {
        let n_rows = rows.n_rows() as f64;
        let mut columns = Self::empty(rows.n_columns());
        let stored = || {
            (0..rows.n_rows())
                .flat_map(|row| rows.row(row))
                .map(|(column, value)| (column, wide(value)))
                .filter(|(_, value)| !value.is_nan())
        };
        for (j, value) in stored() {
            columns.counts[j] += 1.0;
            columns.means[j] += value;
            columns.least[j] = columns.least[j].min(value);
            columns.greatest[j] = columns.greatest[j].max(value);
        }
        let zeros = columns.counts.mapv(|count| n_rows - count);
        for j in 0..rows.n_columns() {
            if zeros[j] > 0.0 {
                columns.least[j] = columns.least[j].min(0.0);
                columns.greatest[j] = columns.greatest[j].max(0.0);
            }
            columns.means[j] /= n_rows;
            if columns.least[j] == columns.greatest[j] {
                columns.means[j] = columns.least[j];
            }
            columns.spreads[j] = zeros[j] * columns.means[j].powi(2);
            columns.counts[j] = n_rows;
        }
        for (j, value) in stored() {
            columns.spreads[j] += (value - columns.means[j]).powi(2);
        }
        columns
    }

    fn empty(n_columns: usize) -> Self {
        Self {
            counts: Array1::zeros(n_columns),
            means: Array1::zeros(n_columns),
            spreads: Array1::zeros(n_columns),
            least: Array1::from_elem(n_columns, f64::INFINITY),
            greatest: Array1::from_elem(n_columns, f64::NEG_INFINITY),
        }
    }

    /// The columns' standard deviations, for a divisor of n − `correction`.
    pub fn deviations(&self, correction: f64) -> Array1<f64> {
        (&self.spreads / &self.counts.mapv(|n| (n - correction).max(1.0))).mapv(f64::sqrt)
    }

    /// True for a column whose values do not differ beyond rounding.
    pub(crate) fn is_constant(&self, column: usize) -> bool {
        self.least[column] == self.greatest[column] || self.counts[column] == 0.0
    }

    /// Means are summed as differences from the first value, so that those of a constant column, and
    /// its spread of zero, are exact.
    fn of_block(block: &Array2<f64>) -> Self {
        let mut columns = Self::empty(block.ncols());
        let mut first = Array1::<f64>::from_elem(block.ncols(), f64::NAN);
        for row in block.rows() {
            for (j, &value) in row.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
                if first[j].is_nan() {
                    first[j] = value;
                }
                columns.counts[j] += 1.0;
                columns.means[j] += value - first[j];
                columns.least[j] = columns.least[j].min(value);
                columns.greatest[j] = columns.greatest[j].max(value);
            }
        }
        columns.means = first + &columns.means / &columns.counts;
        for row in block.rows() {
            for (j, &value) in row.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
                columns.spreads[j] += (value - columns.means[j]).powi(2);
            }
        }
        columns
    }

    fn merge(&mut self, other: &Self) {
        for j in 0..self.counts.len() {
            let (ours, theirs) = (self.counts[j], other.counts[j]);
            if theirs == 0.0 {
                continue;
            }
            let total = ours + theirs;
            let mean = if ours == 0.0 { 0.0 } else { self.means[j] };
            let apart = other.means[j] - mean;
            self.spreads[j] += other.spreads[j] + apart * apart * (ours * theirs / total);
            self.means[j] = mean + apart * (theirs / total);
            self.counts[j] = total;
            self.least[j] = self.least[j].min(other.least[j]);
            self.greatest[j] = self.greatest[j].max(other.greatest[j]);
        }
    }
}

/// Warns of constant columns, by the name or number of the first.
pub(crate) fn warn_constant(
    run: &Run<'_>,
    data: &Data<'_>,
    spreads: &ArrayView1<'_, f64>,
) -> Result<()> {
    let constant: Vec<usize> = (0..spreads.len()).filter(|&j| spreads[j] == 0.0).collect();
    match constant.first() {
        Some(&first) => run.warn(Warning::ConstantColumns {
            count: constant.len(),
            first: data.column(first),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::data::SparseRows;

    #[test]
    fn columns_are_measured_over_blocks_without_the_missing_values() {
        let mut x = Array2::from_shape_fn((1500, 2), |(i, j)| (i % 7) as f64 + 10.0 * j as f64);
        x[[3, 0]] = f64::NAN;
        x[[800, 0]] = f64::NAN;
        let columns = Columns::of(&Features::from(&x));
        assert_eq!(columns.counts[0], 1498.0);
        let there: Vec<f64> = x
            .column(0)
            .iter()
            .copied()
            .filter(|v| !v.is_nan())
            .collect();
        let mean = there.iter().sum::<f64>() / 1498.0;
        let spread: f64 = there.iter().map(|v| (v - mean).powi(2)).sum();
        assert!((columns.means[0] - mean).abs() < 1e-12);
        assert!((columns.spreads[0] - spread).abs() < 1e-9);
        assert_eq!((columns.least[1], columns.greatest[1]), (10.0, 16.0));
    }

    #[test]
    fn constant_columns_have_no_spread_at_all() {
        for constant in [0.3, 0.7, 3.3, 1e-3, 1234.567, 1e17] {
            let x =
                Array2::from_shape_fn(
                    (1331, 2),
                    |(i, j)| {
                        if j == 0 { constant } else { (i % 5) as f64 }
                    },
                );
            let entries = x.indexed_iter().map(|((i, j), v)| (i, j, *v)).collect();
            let sparse = SparseRows::from_entries(1331, 2, entries).unwrap();
            for features in [Features::from(&x), Features::from(sparse.view())] {
                let columns = Columns::of(&features);
                assert_eq!(columns.spreads[0], 0.0, "{constant}");
                assert_eq!(columns.means[0], constant);
                let spread: f64 = x
                    .column(1)
                    .iter()
                    .map(|v| (v - columns.means[1]).powi(2))
                    .sum();
                assert!((columns.spreads[1] - spread).abs() < 1e-8);
            }
        }
    }
}
