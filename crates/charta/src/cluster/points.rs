//! Rows about their mean, block by block, in their own precision: what k-means measures distances between.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use crate::data::Features;
use crate::error::{Error, Result};
use crate::linalg::Real;
use crate::linalg::operator::{Rows, shifted};
use crate::linalg::product::product_into;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows that one job compares with the centres.
pub(super) const BLOCK: usize = 512;

/// A type that blocks of features can be had in.
pub(super) trait Stored: Real {
    /// Some rows less `offset`.
    fn block(features: &Features<'_>, rows: Range<usize>, offset: &Array1<f64>) -> Array2<Self>;
}

impl Stored for f32 {
    fn block(features: &Features<'_>, rows: Range<usize>, offset: &Array1<f64>) -> Array2<f32> {
        match features.rows(rows.start, rows.end) {
            Features::F32(x) => shifted(&x, &offset.mapv(f32::of)),
            other => f64::block(&other, 0..rows.len(), offset).mapv(f32::of),
        }
    }
}

impl Stored for f64 {
    fn block(features: &Features<'_>, rows: Range<usize>, offset: &Array1<f64>) -> Array2<f64> {
        Rows::new(features, offset).block(rows)
    }
}

/// The rows of some features, less their mean.
pub(super) struct Points<'a, T> {
    features: Features<'a>,
    /// The mean of every column.
    pub(super) mean: Array1<f64>,
    /// The average over columns of their variances (divisor n).
    pub(super) variance: f64,
    /// Squared length of every row about the mean.
    pub(super) lengths: Vec<T>,
    /// How much each row counts; nothing if all count the same.
    weights: Option<Array1<f64>>,
    /// What one row counts if all count the same.
    unit: f64,
}

impl<'a, T: Stored> Points<'a, T> {
    /// Rows that count by their weights, if there are any.
    pub(super) fn new(
        run: &Run<'_>,
        features: &'a Features<'_>,
        weights: Option<ArrayView1<'_, f64>>,
    ) -> Result<Self> {
        let (n_rows, n_columns) = (features.n_rows(), features.n_columns());
        // Rows of the same weight count alike: everything is computed as without weights.
        let unit = weights.map_or(1.0, |all| all[0]);
        let weights = weights.filter(|all| all.iter().any(|&weight| weight != unit));
        let sums = map_blocks(run, n_rows, BLOCK, |rows| {
            let block = features.dense_rows(rows.start, rows.end);
            match weights {
                Some(weights) => weights.slice(s![rows]).dot(&block),
                None => block.sum_axis(Axis(0)),
            }
        })?;
        let mut mean = Array1::zeros(n_columns);
        for sum in &sums {
            mean += sum;
        }
        mean /= weights.map_or(n_rows as f64, |all| all.sum());
        let mut points = Self::about(run, features, mean)?;
        points.unit = unit;
        if let Some(weights) = weights {
            let squares = points.lengths.iter().zip(&weights);
            let spread: f64 = squares.map(|(length, weight)| weight * length.wide()).sum();
            points.variance = spread / (weights.sum() * n_columns as f64);
            points.weights = Some(weights.to_owned());
        }
        Ok(points)
    }

    /// The same about a mean known before.
    pub(super) fn about(
        run: &Run<'_>,
        features: &'a Features<'_>,
        mean: Array1<f64>,
    ) -> Result<Self> {
        let parts = map_blocks(run, features.n_rows(), BLOCK, |rows| {
            squared_lengths(&T::block(features, rows, &mean).view())
        })?;
        let lengths: Vec<T> = parts.concat();
        let total: f64 = lengths.iter().map(|length| length.wide()).sum();
        if !total.is_finite() {
            return Err(Error::too_large());
        }
        Ok(Self {
            variance: total / (features.n_rows() * features.n_columns()).max(1) as f64,
            features: features.reborrow(),
            mean,
            lengths,
            weights: None,
            unit: 1.0,
        })
    }

    /// How much a row counts.
    pub(super) fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(self.unit, |all| all[row])
    }

    /// The weights of the rows, if they differ.
    pub(super) fn weights(&self) -> Option<&Array1<f64>> {
        self.weights.as_ref()
    }

    pub(super) fn n_rows(&self) -> usize {
        self.features.n_rows()
    }

    /// Some rows about the mean.
    pub(super) fn block(&self, rows: Range<usize>) -> Array2<T> {
        T::block(&self.features, rows, &self.mean)
    }

    /// One row about the mean.
    pub(super) fn row(&self, row: usize) -> Array1<T> {
        self.block(row..row + 1).row(0).to_owned()
    }
}

/// The squared length of every row.
pub(super) fn squared_lengths<T: Real>(rows: &ArrayView2<'_, T>) -> Vec<T> {
    rows.rows()
        .into_iter()
        .map(|row| T::of(row.iter().map(|value| value.wide() * value.wide()).sum()))
        .collect()
}

/// Centres whose distances to rows are computed, with their squared norms.
pub(super) struct Centers<T> {
    pub(super) rows: Array2<T>,
    pub(super) lengths: Vec<T>,
}

impl<T: Real> Centers<T> {
    pub(super) fn new(rows: Array2<T>) -> Self {
        let lengths = squared_lengths(&rows.view());
        Self { rows, lengths }
    }

    /// Squared distances from every row of a block to every point. What is no more than rounding of the
    /// lengths it is the difference of is 0.
    pub(super) fn distances(&self, block: &Array2<T>, lengths: &[T]) -> Array2<T> {
        let mut table = Array2::from_elem((block.nrows(), self.rows.nrows()), T::of(0.0));
        product_into(table.view_mut(), &block.view(), &self.rows.t());
        let rounding = T::of(4.0) * <T as num_traits::Float>::epsilon();
        for (mut row, &length) in table.rows_mut().into_iter().zip(lengths) {
            for (entry, &other) in row.iter_mut().zip(&self.lengths) {
                let both = length + other;
                let apart = both - T::of(2.0) * *entry;
                *entry = if apart > rounding * both {
                    apart
                } else {
                    T::of(0.0)
                };
            }
        }
        table
    }
}

/// Centres in double precision, for rows of any precision.
pub(super) fn centers_of<T: Real>(centers: &Array2<f64>) -> Centers<T> {
    Centers::new(centers.mapv(T::of))
}
