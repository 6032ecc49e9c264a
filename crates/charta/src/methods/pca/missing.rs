//! Missing values: expectation–maximization for the probabilistic model of PCA.
//!
//! The rows are taken as drawn from N(μ, C) with C = W Wᵀ + σ² I and k columns in W. The E-step fills
//! each missing value with its expectation given the row's other values, and adds what it cannot know,
//! its conditional covariance, to the scatter. The M-step has a closed form: the principal axes of
//! that scatter. Rows without missing values enter the scatter once, before the loop.
//!
//! Tipping and Bishop, "Probabilistic principal component analysis", 1999; Ilin and Raiko,
//! "Practical approaches to principal component analysis in the presence of missing values", 2010.

use ndarray::{Array1, Array2, ArrayView1, Axis, s};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::columns::Columns;
use crate::data::{Data, Features};
use crate::error::{Error, Result, Warning, message};
use crate::linalg::eigen;
use crate::linalg::moments::Moments;
use crate::linalg::solve;
use crate::model::arrays;
use crate::parallel::blocks;
use crate::run::Run;
use crate::spectral::principal::Axes;

/// Noise at least, as a fraction of the mean variance.
const LEAST_NOISE: f64 = 1e-9;
/// Rows whose missing values are estimated at once.
const ROWS_AT_ONCE: usize = 64;

/// The model that explains missing values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gaussian {
    /// μ.
    #[serde(with = "arrays::vector")]
    pub mean: Array1<f64>,
    /// W: a row for each column of the data.
    #[serde(with = "arrays::matrix")]
    pub loadings: Array2<f64>,
    /// σ².
    pub noise: f64,
}

/// A row completed: its expectation, and the covariance of what was missing.
struct Completed {
    row: Array1<f64>,
    missing: Vec<usize>,
    covariance: Array2<f64>,
}

impl Gaussian {
    /// The model from moments that may include expected ones, with `n_axes` axes.
    pub fn of(moments: &Moments, n_axes: usize) -> Result<Self> {
        let covariance = moments.scatter() / moments.count() as f64;
        let size = covariance.nrows();
        let n_axes = n_axes.min(size);
        let eigen = eigen::symmetric(&covariance.view())?;
        let total: f64 = eigen.values.sum();
        let rest = eigen.values.slice(s![n_axes..]).sum() / (size - n_axes).max(1) as f64;
        // Without any noise the observed values may leave the missing ones undetermined.
        let noise = rest.max(total / size as f64 * LEAST_NOISE);
        let mut loadings = eigen.vectors.slice(s![..n_axes, ..]).t().to_owned();
        for (mut column, &value) in loadings.axis_iter_mut(Axis(1)).zip(&eigen.values) {
            column *= (value - noise).max(0.0).sqrt();
        }
        Ok(Self {
            mean: moments.mean().clone(),
            loadings,
            noise,
        })
    }

    /// The model of axes found without missing values, about the mean.
    pub fn of_axes(axes: &Axes, n_rows: usize) -> Self {
        let (count, size) = axes.vectors.dim();
        let variances = axes.scatters.mapv(|scatter| scatter / n_rows as f64);
        let total = axes.total / n_rows as f64;
        let rest = (total - variances.sum()).max(0.0) / (size - count).max(1) as f64;
        let noise = rest.max(total / size as f64 * LEAST_NOISE);
        let mut loadings = axes.vectors.t().to_owned();
        for (mut column, &variance) in loadings.axis_iter_mut(Axis(1)).zip(&variances) {
            column *= (variance - noise).max(0.0).sqrt();
        }
        Self {
            mean: Array1::zeros(size),
            loadings,
            noise,
        }
    }

    /// Fills a row's missing values with their expectations.
    pub fn fill(&self, row: ArrayView1<'_, f64>) -> Result<Array1<f64>> {
        Ok(self.complete(row)?.row)
    }

    fn complete(&self, row: ArrayView1<'_, f64>) -> Result<Completed> {
        let missing: Vec<usize> = (0..row.len()).filter(|&j| row[j].is_nan()).collect();
        let seen: Vec<usize> = (0..row.len()).filter(|&j| !row[j].is_nan()).collect();
        let seen_loadings = self.loadings.select(Axis(0), &seen);
        let missing_loadings = self.loadings.select(Axis(0), &missing);
        let mut inner = seen_loadings.t().dot(&seen_loadings);
        inner.diag_mut().mapv_inplace(|entry| entry + self.noise);
        let apart = Array1::from_iter(seen.iter().map(|&j| row[j] - self.mean[j]));
        let shares = seen_loadings.t().dot(&apart).insert_axis(Axis(1));
        // One solve for the scores and for the uncertainty: M⁻¹ [W_oᵀ(x_o − μ_o), W_mᵀ].
        let right = ndarray::concatenate(Axis(1), &[shares.view(), missing_loadings.t()]).map_err(
            |_| {
                Error::shape(
                    message!("a {:row}'s loadings"),
                    inner.nrows(),
                    shares.nrows(),
                )
            },
        )?;
        let solved = solve::positive_definite(&inner.view(), &right.view())?;
        let scores = solved.column(0);
        let mut covariance = missing_loadings.dot(&solved.slice(s![.., 1..])) * self.noise;
        covariance
            .diag_mut()
            .mapv_inplace(|entry| entry + self.noise);
        let expected = missing_loadings.dot(&scores);
        let mut row = row.to_owned();
        for (&j, value) in missing.iter().zip(&expected) {
            row[j] = self.mean[j] + value;
        }
        Ok(Completed {
            row,
            missing,
            covariance,
        })
    }
}

/// The outcome of the iteration.
#[derive(Clone, Debug)]
pub(super) struct Estimate {
    /// Expected moments of all rows.
    pub moments: Moments,
    /// The model behind them.
    pub gaussian: Gaussian,
    /// How many values were missing.
    pub n_missing: usize,
    /// How many rows they were in.
    pub n_incomplete: usize,
    /// Rounds taken.
    pub n_rounds: usize,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    /// Largest change of a filled value in a round, in standard deviations of its column.
    pub tolerance: f64,
    /// Rounds at most.
    pub max_rounds: usize,
}

/// Estimates the moments of data with missing values (NaN), under a model with `n_axes` axes of the
/// columns multiplied by `factors`. The outcome is in those units, about `offset`.
pub(super) fn estimate(
    run: &Run<'_>,
    features: &Features<'_>,
    offset: &Array1<f64>,
    factors: &Array1<f64>,
    n_axes: usize,
    stop: &Stop,
) -> Result<Estimate> {
    let (complete, incomplete) = split(features);
    let mut gaps = features
        .select_rows(&incomplete)?
        .view()
        .dense_rows(0, incomplete.len());
    for mut row in gaps.rows_mut() {
        row -= offset;
        row *= factors;
    }
    let n_missing = gaps.iter().filter(|value| value.is_nan()).count();
    let fixed =
        Moments::of(run, &features.select_rows(&complete)?.view())?.rescaled(offset, factors);
    let deviations = Columns::of(features).deviations(0.0) * factors;

    // The offset is the mean of what is there.
    let mut filled = gaps.mapv(|value| if value.is_nan() { 0.0 } else { value });
    let mut moments = with_rows(run, &fixed, &filled)?;
    run.stage("filling missing values")?;
    let mut n_rounds = 0;
    for round in 1..=stop.max_rounds {
        n_rounds = round;
        let gaussian = Gaussian::of(&moments, n_axes)?;
        let (next, extra) = expect(run, &gaussian, &gaps)?;
        let change = largest_change(&filled, &next, &deviations);
        filled = next;
        moments = with_rows(run, &fixed, &filled)?;
        moments.add_scatter(&extra.view());
        run.progress(round as u64, stop.max_rounds as u64)?;
        run.iterate(round as u64, Some(change), None)?;
        if change <= stop.tolerance {
            break;
        }
        if round == stop.max_rounds {
            run.warn(Warning::NotConverged {
                what: message!("the estimate of the missing values"),
                reached: message!(
                    "in iteration {round} a value still changed by {change:.1e} standard deviations, above the tolerance of {:.1e}",
                    stop.tolerance
                ),
            })?;
        }
    }
    Ok(Estimate {
        gaussian: Gaussian::of(&moments, n_axes)?,
        moments,
        n_missing,
        n_incomplete: incomplete.len(),
        n_rounds,
    })
}

/// What is known of the columns. Every one must have a value, and none may be infinite.
pub(super) fn check_columns(data: &Data<'_>, features: &Features<'_>) -> Result<Columns> {
    let columns = Columns::of(features);
    for j in 0..features.n_columns() {
        if columns.counts[j] == 0.0 {
            return Err(Error::degenerate(message!(
                "{column:column} has no values at all: leave it out",
                column = data.column(j)
            )));
        }
        if columns.least[j].is_infinite() || columns.greatest[j].is_infinite() {
            return Err(Error::degenerate(message!(
                "{column:column} holds infinite values, which cannot be estimated",
                column = data.column(j)
            )));
        }
    }
    Ok(columns)
}

/// Rows without, and rows with missing values.
fn split(features: &Features<'_>) -> (Vec<usize>, Vec<usize>) {
    let mut row = vec![0.0; features.n_columns()];
    (0..features.n_rows()).partition(|&i| {
        features.copy_row(i, &mut row);
        row.iter().all(|value| !value.is_nan())
    })
}

fn with_rows(run: &Run<'_>, fixed: &Moments, rows: &Array2<f64>) -> Result<Moments> {
    run.check()?;
    let mut moments = fixed.clone();
    // A run of its own: progress within a round would fall back at the next.
    moments.add(&Run::new(), &Features::from(rows))?;
    Ok(moments)
}

/// Filled rows, and the covariance of all that was filled: block by block, because the covariances of
/// single rows would take more memory than the data.
fn expect(
    run: &Run<'_>,
    gaussian: &Gaussian,
    gaps: &Array2<f64>,
) -> Result<(Array2<f64>, Array2<f64>)> {
    let mut filled = Array2::zeros(gaps.dim());
    let mut extra = Array2::zeros((gaps.ncols(), gaps.ncols()));
    for rows in blocks(gaps.nrows(), ROWS_AT_ONCE) {
        run.check()?;
        let completed: Vec<Completed> = rows
            .clone()
            .into_par_iter()
            .map(|i| gaussian.complete(gaps.row(i)))
            .collect::<Result<_>>()?;
        for (i, done) in rows.zip(&completed) {
            filled.row_mut(i).assign(&done.row);
            for (a, &i) in done.missing.iter().enumerate() {
                for (b, &j) in done.missing.iter().enumerate() {
                    extra[[i, j]] += done.covariance[[a, b]];
                }
            }
        }
    }
    Ok((filled, extra))
}

fn largest_change(before: &Array2<f64>, after: &Array2<f64>, deviations: &Array1<f64>) -> f64 {
    let mut largest = 0.0_f64;
    for (old, new) in before.rows().into_iter().zip(after.rows()) {
        for ((a, b), deviation) in old.iter().zip(new).zip(deviations) {
            if *deviation > 0.0 {
                largest = largest.max((a - b).abs() / deviation);
            }
        }
    }
    largest
}
