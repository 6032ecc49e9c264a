//! Initialization of non-negative factors: non-negative double SVD (NNDSVD), or random.
//!
//! Boutsidis and Gallopoulos, "SVD based initialization: a head start for nonnegative matrix factorization", 2008.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::coordinate_descent::Pair;
use super::rows::Scaled;
use crate::error::Result;
use crate::linalg::block_krylov::Effort;
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::linalg::partial_eigen::leading;
use crate::params::Choice;
use crate::random::{normal, stream};
use crate::run::Run;
use crate::spectral::principal::{self, Solver};

/// Initialization of the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Initialization {
    /// `nndsvd` for coordinate descent, `nndsvda` for multiplicative updates, which cannot change zeros.
    Auto,
    /// Non-negative double SVD (Boutsidis and Gallopoulos 2008).
    Nndsvd,
    /// NNDSVD with zeros replaced by the mean of the data.
    Nndsvda,
    /// NNDSVD with zeros replaced by small random numbers, about a hundredth of the mean.
    Nndsvdar,
    /// Absolute values of normal random numbers, at the scale of the data.
    Random,
}

/// Entries below this, in the data's own unit, count as zero.
const NOTHING: f64 = 1e-6;

/// Settings of the initialization.
#[derive(Clone, Copy, Debug)]
pub struct InitialFactors {
    /// The initialization.
    pub start: Initialization,
    /// Number of components.
    pub n_components: usize,
    /// Mean of the data, unscaled.
    pub mean: f64,
    /// Seed of everything random.
    pub seed: u64,
}

impl InitialFactors {
    /// The first (weights, columns) for the scaled rows, and the rank where singular values show it to be less
    /// than the number of components.
    pub fn factors(&self, run: &Run<'_>, rows: &Scaled<'_>) -> Result<(Pair, usize)> {
        let count = self.n_components;
        let root = rows.scale().sqrt();
        let size = (self.mean / rows.scale() / count as f64).sqrt();
        if self.start == Initialization::Random {
            let mut weights = self.draws(rows.n_rows(), 0);
            let mut columns = self.draws(rows.n_columns(), 1);
            weights *= size;
            columns *= size;
            return Ok(((weights, columns), count));
        }
        let (mut weights, mut columns, rank) = halves(run, rows, count, self.seed)?;
        if rank > 2 && rank < count {
            // More components than singular values: they are initialized small, and grow where that helps.
            let (extra, wide) = (
                self.draws(rows.n_rows(), 4),
                self.draws(rows.n_columns(), 5),
            );
            for t in rank..count {
                weights
                    .column_mut(t)
                    .scaled_add(0.01 * size, &extra.column(t));
                columns
                    .column_mut(t)
                    .scaled_add(0.01 * size, &wide.column(t));
            }
        }
        let fill = self.mean / root;
        for (table, index) in [(&mut weights, 2), (&mut columns, 3)] {
            match self.start {
                Initialization::Nndsvda => fill_zeros(table, None, fill),
                Initialization::Nndsvdar => {
                    let draws = self.draws(table.nrows(), index);
                    fill_zeros(table, Some(&draws), fill / 100.0);
                }
                _ => {}
            }
        }
        Ok(((weights, columns), rank))
    }

    /// Sizes of normal numbers.
    fn draws(&self, n_rows: usize, index: u64) -> Array2<f64> {
        let mut stream = stream(self.seed, index);
        Array2::from_shape_fn((n_rows, self.n_components), |_| normal(&mut stream).abs())
    }
}

fn fill_zeros(table: &mut Array2<f64>, draws: Option<&Array2<f64>>, size: f64) {
    for (place, entry) in table.indexed_iter_mut() {
        if *entry == 0.0 {
            *entry = size * draws.map_or(1.0, |draws| draws[place]);
        }
    }
}

/// The heavier half of each singular pair, and how many pairs there are.
fn halves(
    run: &Run<'_>,
    rows: &Scaled<'_>,
    count: usize,
    seed: u64,
) -> Result<(Array2<f64>, Array2<f64>, usize)> {
    let (left, values, right) = leading_pairs(run, rows, count, seed)?;
    let least = NOTHING / rows.scale().sqrt().max(1.0);
    let mut weights = Array2::zeros((rows.n_rows(), count));
    let mut columns = Array2::zeros((rows.n_columns(), count));
    for (t, &value) in values.iter().enumerate().filter(|(_, value)| **value > 0.0) {
        let (tall, wide) = (left.column(t), right.column(t));
        let (sign, mass) = heavier(tall, wide, t == 0);
        let size = (value * mass).sqrt();
        let lengths = (half_length(tall, sign), half_length(wide, sign));
        let half = |entry: f64, length: f64| {
            let entry = size * (sign * entry).max(0.0) / length;
            if entry < least { 0.0 } else { entry }
        };
        weights
            .column_mut(t)
            .assign(&tall.mapv(|entry| half(entry, lengths.0)));
        columns
            .column_mut(t)
            .assign(&wide.mapv(|entry| half(entry, lengths.1)));
    }
    let rank = values.iter().filter(|value| **value > 0.0).count();
    Ok((weights, columns, rank))
}

/// The sign of the half whose outer product is larger, and its size. The first pair has one sign only, up to
/// rounding.
fn heavier(tall: ArrayView1<'_, f64>, wide: ArrayView1<'_, f64>, first: bool) -> (f64, f64) {
    let mass = |sign| half_length(tall, sign) * half_length(wide, sign);
    let (up, down) = (mass(1.0), mass(-1.0));
    let sign = if down > up { -1.0 } else { 1.0 };
    (sign, if first { 1.0 } else { up.max(down) })
}

fn half_length(vector: ArrayView1<'_, f64>, sign: f64) -> f64 {
    let square = vector.fold(0.0, |sum, &entry| sum + (sign * entry).max(0.0).powi(2));
    square.sqrt()
}

/// Singular pairs: left vectors, values and right vectors, vectors in columns. A value that is no more than
/// rounding is 0.
fn leading_pairs(
    run: &Run<'_>,
    rows: &Scaled<'_>,
    count: usize,
    seed: u64,
) -> Result<(Array2<f64>, Array1<f64>, Array2<f64>)> {
    let features = rows.features();
    let zero = Array1::zeros(rows.n_columns());
    let shrink = Array1::from_elem(rows.n_columns(), rows.scale().recip());
    let operator = Rows::new(features, &zero).scaled(Some(&shrink));
    let right = right_vectors(run, rows, &operator, count, seed)?;
    let mut left = operator.times(run, &right.view())?;
    let mut values = Array1::zeros(count);
    let mut least = 0.0;
    for (t, mut column) in left.axis_iter_mut(Axis(1)).enumerate() {
        let length = column.dot(&column).sqrt();
        if t == 0 {
            least = length * f64::from(f32::EPSILON);
        }
        if length > least {
            values[t] = length;
            column /= length;
        }
    }
    Ok((left, values, right))
}

fn right_vectors(
    run: &Run<'_>,
    rows: &Scaled<'_>,
    operator: &Rows<'_>,
    count: usize,
    seed: u64,
) -> Result<Array2<f64>> {
    let (n_rows, n_columns) = (rows.n_rows(), rows.n_columns());
    let axes = match Solver::Auto.resolve(n_rows, n_columns, Some(count)) {
        Solver::Randomized => {
            let effort = Effort {
                tolerance: 1e-4,
                max_products: 30,
                seed,
            };
            principal::randomized(run, operator, count, &effort)?
        }
        Solver::Dual => principal::dual(run, operator, Some(count))?,
        _ if (1e-60..1e60).contains(&rows.scale()) => {
            let scatter = Moments::of(run, rows.features())?
                .about_zero()
                .scatter()
                .clone();
            let vectors = leading(&scatter.view(), count)?.0.vectors;
            return Ok(vectors.reversed_axes());
        }
        _ => principal::by_svd(run, operator, Some(count))?,
    };
    Ok(axes.vectors.reversed_axes())
}
