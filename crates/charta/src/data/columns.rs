//! Count, mean, spread and range of every column, over the values that are there.

use ndarray::{Array1, Array2};
use rayon::prelude::*;

use super::Features;
use crate::parallel::blocks;

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
        let parts: Vec<Self> = blocks(features.n_rows(), BLOCK)
            .into_par_iter()
            .map(|rows| Self::of_block(&features.dense_rows(rows.start, rows.end)))
            .collect();
        let mut whole = Self::of_block(&Array2::zeros((0, features.n_columns())));
        for part in &parts {
            whole.merge(part);
        }
        whole
    }

    /// The columns' standard deviations, for a divisor of n − `correction`.
    pub fn deviations(&self, correction: f64) -> Array1<f64> {
        (&self.spreads / &self.counts.mapv(|n| (n - correction).max(1.0))).mapv(f64::sqrt)
    }

    /// True for a column whose values do not differ beyond rounding.
    pub fn is_constant(&self, column: usize) -> bool {
        self.least[column] == self.greatest[column] || self.counts[column] == 0.0
    }

    fn of_block(block: &Array2<f64>) -> Self {
        let n_columns = block.ncols();
        let mut columns = Self {
            counts: Array1::zeros(n_columns),
            means: Array1::zeros(n_columns),
            spreads: Array1::zeros(n_columns),
            least: Array1::from_elem(n_columns, f64::INFINITY),
            greatest: Array1::from_elem(n_columns, f64::NEG_INFINITY),
        };
        for row in block.rows() {
            for (j, &value) in row.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
                columns.counts[j] += 1.0;
                columns.means[j] += value;
                columns.least[j] = columns.least[j].min(value);
                columns.greatest[j] = columns.greatest[j].max(value);
            }
        }
        columns.means /= &columns.counts;
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

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

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
}
