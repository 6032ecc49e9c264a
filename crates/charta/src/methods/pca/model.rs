//! What PCA reports beyond mean and axes: variances, reconstruction errors, the likelihood of the probabilistic model.

use std::borrow::Cow;
use std::f64::consts::PI;

use ndarray::{Array1, Array2, ArrayView1, Axis, s};
use serde::{Deserialize, Serialize};

use super::missing::Gaussian;
use crate::data::loaded::{check_dim, check_length};
use crate::data::{Data, Features};
use crate::error::{Error, Result, message};
use crate::linalg::operator::Rows;
use crate::model::linear::{AxisScaling, Decode, Linear, Report};
use crate::model::sampling::Factors;
use crate::model::{
    Diagnostics, InverseTransform, LogLikelihood, Model, RowErrors, Sample, Transform, arrays,
};
use crate::parallel::blocks;
use crate::run::Run;

/// Rows whose missing values or reconstructions are computed at a time.
const ROWS_AT_ONCE: usize = 1024;

/// What is known besides the mean of the rows and the principal axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PcaReport {
    /// What each column is multiplied by after centring, for the PCA of the correlation matrix.
    #[serde(with = "arrays::optional_vector")]
    pub factors: Option<Array1<f64>>,
    /// Variance along each axis; 0 beyond the rank.
    #[serde(with = "arrays::vector")]
    pub variances: Array1<f64>,
    /// Variances along all axes, where the solver finds them.
    #[serde(with = "arrays::optional_vector")]
    pub spectrum: Option<Array1<f64>>,
    /// Variance in all directions.
    pub total_variance: f64,
    /// Rows it was fitted on.
    pub n_rows: usize,
    /// The sum of their weights, if they had any.
    #[serde(default)]
    pub weight: Option<f64>,
    /// What sums of squares were divided by.
    pub divisor: f64,
    /// Divide coordinates by their standard deviation.
    pub whiten: bool,
    /// Fills missing values of new rows, in the scaled units of the axes, about the mean.
    pub filler: Option<Gaussian>,
    /// The solver.
    pub solver: String,
    /// The rule that chose the number of components.
    pub rule: String,
    /// The largest residual of an axis, for the iterative solver.
    pub residual: Option<f64>,
    /// Values that were missing in the training rows.
    pub n_missing: usize,
    /// Training rows left out of the fit, by their indices.
    #[serde(default)]
    pub rows_left_out: Vec<u32>,
}

/// A fitted PCA. Its components are the principal axes: orthonormal, one a row.
pub type PcaModel = Linear<PcaReport>;

impl PcaReport {
    /// As how many rows those of the fit count.
    fn size(&self) -> f64 {
        self.weight.unwrap_or(self.n_rows as f64)
    }

    fn scaling(&self) -> AxisScaling<'_> {
        AxisScaling {
            variances: &self.variances,
            whiten: self.whiten,
        }
    }
}

impl Report for PcaReport {
    const PREFIX: Option<&'static str> = Some("pc");

    fn validate(&self, components: &Array2<f64>) -> Result<()> {
        let (n_axes, n_columns) = components.dim();
        if n_axes > n_columns {
            return Err(Error::shape(
                message!("principal axes"),
                format!("at most {n_columns}"),
                n_axes,
            ));
        }
        check_length("the variances", self.variances.len(), n_axes)?;
        if let Some(factors) = &self.factors {
            check_length("the columns' factors", factors.len(), n_columns)?;
        }
        if let Some(filler) = &self.filler {
            let n_loadings = filler.loadings.ncols();
            check_length("the mean of missing values", filler.mean.len(), n_columns)?;
            check_dim(
                "the loadings of missing values",
                filler.loadings.dim(),
                (n_columns, n_loadings),
            )?;
        }
        Ok(())
    }

    fn encoder(&self, components: &Array2<f64>) -> Result<Option<Array2<f64>>> {
        if self.factors.is_none() && self.scaling().is_identity() {
            return Ok(None);
        }
        let mut encoder = self.scaling().encoder(components);
        if let Some(factors) = &self.factors {
            encoder *= factors;
        }
        Ok(Some(encoder))
    }

    /// With `missing = em`, missing values are first replaced by their expectation.
    fn transform_in(model: &PcaModel, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let Some(filler) = &model.report().filler else {
            let hint = message!("a model fitted with {missing=em} fills in missing values");
            return model.encode(run, data, Some(hint));
        };
        let features = data.new_rows("this model", model.n_columns())?;
        let mut result = Array2::zeros((features.n_rows(), model.n_components()));
        for rows in blocks(features.n_rows(), ROWS_AT_ONCE) {
            let filled = model.filled(filler, &features.rows(rows.start, rows.end))?;
            let mut part = Data::from(&filled);
            if let Some(names) = data.column_names() {
                part = part.with_column_names(names)?;
            }
            let coordinates = model
                .encode(run, &part, None)
                .map_err(|error| error.further_on(rows.start))?;
            result.slice_mut(s![rows, ..]).assign(&coordinates);
        }
        Ok(result)
    }

    fn diagnostics(model: &PcaModel) -> Diagnostics {
        let report = model.report();
        let share = report.divisor / report.size();
        let lost = (report.total_variance - report.variances.sum()).max(0.0);
        let mut figures = Diagnostics::new()
            .count("n_components", model.n_components())
            .text("rule", report.rule.clone())
            .text("solver", report.solver.clone())
            .count("n_rows", report.n_rows)
            .count("n_columns", model.n_columns())
            .per_component("explained_variance", &report.variances)
            .per_component(
                "explained_variance_ratio",
                &model.explained_variance_ratio(),
            )
            .per_component("singular_values", &model.singular_values())
            .number("total_variance", report.total_variance)
            .number("noise_variance", model.noise_variance())
            .number("reconstruction_error", lost * share);
        if let Some(score) = model.training_score() {
            figures = figures.number("log_likelihood", score);
        }
        if let Some(residual) = report.residual {
            figures = figures.number("residual", residual);
        }
        if report.n_missing > 0 {
            figures = figures.count("n_missing", report.n_missing);
        }
        if !report.rows_left_out.is_empty() {
            let rows = report.rows_left_out.iter().map(|&row| f64::from(row));
            figures = figures
                .count("n_rows_left_out", report.rows_left_out.len())
                .vector("rows_left_out", &rows.collect());
        }
        if let Some(spectrum) = &report.spectrum {
            figures = figures.vector("spectrum", spectrum);
        }
        figures
            .vector("mean", model.mean())
            .matrix("components", model.components())
            .matrix("loadings", &model.loadings())
    }

    fn feature_loadings(model: &PcaModel) -> Array2<f64> {
        model.loadings()
    }

    fn as_inverse(model: &PcaModel) -> Option<&dyn InverseTransform> {
        Some(model)
    }

    fn as_row_errors(model: &PcaModel) -> Option<&dyn RowErrors> {
        Some(model)
    }

    fn as_log_likelihood(model: &PcaModel) -> Option<&dyn LogLikelihood> {
        Some(model)
    }

    fn as_sample(model: &PcaModel) -> Option<&dyn Sample> {
        Some(model)
    }
}

impl Decode for PcaReport {
    fn decoder(model: &PcaModel) -> Cow<'_, Array2<f64>> {
        let report = model.report();
        if report.factors.is_none() && report.scaling().is_identity() {
            return Cow::Borrowed(model.components());
        }
        let mut decoder = report.scaling().decoder(model.components());
        if let Some(factors) = &report.factors {
            decoder /= factors;
        }
        Cow::Owned(decoder)
    }
}

impl PcaModel {
    /// Variance along each axis.
    pub fn explained_variance(&self) -> &Array1<f64> {
        &self.report().variances
    }

    /// Proportion of the total variance along each axis.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        let total = self.report().total_variance;
        self.report()
            .variances
            .mapv(|variance| if total > 0.0 { variance / total } else { 0.0 })
    }

    /// Singular values of the centred (and scaled) training rows.
    pub fn singular_values(&self) -> Array1<f64> {
        let report = self.report();
        report
            .variances
            .mapv(|variance| (variance * report.divisor).sqrt())
    }

    /// Correlations between columns and coordinates, for standardized columns; otherwise axes times
    /// standard deviations.
    pub fn loadings(&self) -> Array2<f64> {
        let report = self.report();
        // Standardized columns have variance 1 with divisor n.
        let scale = match report.factors {
            Some(_) => report.divisor / report.size(),
            None => 1.0,
        };
        let deviations = (&report.variances * scale).mapv(f64::sqrt);
        self.components() * &deviations.insert_axis(Axis(1))
    }

    /// Mean variance along the axes left out: σ² of the probabilistic model, at its maximum likelihood.
    pub fn noise_variance(&self) -> f64 {
        let left = self.n_columns() - self.n_components();
        if left == 0 {
            return 0.0;
        }
        let report = self.report();
        (report.total_variance - report.variances.sum()).max(0.0) / left as f64
    }

    /// What the variance along each axis is more than noise.
    fn signal(&self, noise: f64) -> Array1<f64> {
        let variances = &self.report().variances;
        variances.mapv(|variance| (variance - noise).max(0.0))
    }

    /// Covariance of the probabilistic model, in the units of the (scaled) columns.
    pub fn covariance(&self) -> Array2<f64> {
        let noise = self.noise_variance();
        let weights = self.signal(noise).insert_axis(Axis(1));
        let axes = self.components();
        let mut covariance = axes.t().dot(&(axes * &weights));
        covariance.diag_mut().mapv_inplace(|entry| entry + noise);
        covariance
    }

    /// The log-likelihood of each row under the probabilistic model.
    pub fn score_samples(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        let likelihood = Likelihood::of(self)?;
        let rows = Rows::new(features, self.mean()).scaled(self.report().factors.as_ref());
        let scores = rows.times_wide(run, &self.components().t())?;
        let lengths = rows.squared_lengths(run)?;
        let values: Array1<f64> = scores
            .rows()
            .into_iter()
            .zip(&lengths)
            .map(|(score, &length)| likelihood.of_row(score, length))
            .collect();
        if values.iter().all(|value| value.is_finite()) {
            return Ok(values);
        }
        Err(data.bad_values(None))
    }

    /// The mean log-likelihood of rows under the probabilistic model, in scaled units where columns are.
    pub fn score(&self, run: &Run<'_>, data: &Data<'_>) -> Result<f64> {
        let values = self.score_samples(run, data)?;
        Ok(values.sum() / values.len() as f64)
    }

    /// The mean log-likelihood of the training rows, from their variances alone.
    fn training_score(&self) -> Option<f64> {
        let likelihood = Likelihood::of(self).ok()?;
        let report = self.report();
        let share = report.divisor / report.size();
        let kept = self.n_components() as f64;
        let rest = report.total_variance - report.variances.sum();
        let outside = if likelihood.noise > 0.0 {
            rest / likelihood.noise
        } else {
            0.0
        };
        Some(likelihood.constant - 0.5 * share * (kept + outside))
    }

    /// Rows with their missing values filled in.
    fn filled(&self, filler: &Gaussian, features: &Features<'_>) -> Result<Array2<f64>> {
        let ones = Array1::ones(self.n_columns());
        let factors = self.report().factors.as_ref().unwrap_or(&ones);
        let mut rows = features.dense_rows(0, features.n_rows());
        for mut row in rows.rows_mut() {
            if row.iter().any(|value| value.is_nan()) {
                let scaled = (&row - self.mean()) * factors;
                row.assign(&(filler.fill(scaled.view())? / factors + self.mean()));
            }
        }
        Ok(rows)
    }
}

/// The density of the probabilistic model, prepared.
struct Likelihood {
    constant: f64,
    variances: Array1<f64>,
    noise: f64,
}

impl Likelihood {
    fn of(model: &PcaModel) -> Result<Self> {
        let report = model.report();
        let n_columns = model.n_columns();
        let noise = model.noise_variance();
        let left = n_columns - model.n_components();
        let flat = report.variances.iter().any(|&variance| variance <= 0.0);
        if flat || (left > 0 && noise <= report.total_variance * f64::EPSILON) {
            return Err(Error::degenerate(message!(
                "the likelihood is not defined: {:data} does not vary in every direction, and \
                 there is no noise left; keep fewer components"
            )));
        }
        let kept: f64 = report.variances.iter().map(|v| v.ln()).sum();
        let rest = if left > 0 {
            left as f64 * noise.ln()
        } else {
            0.0
        };
        Ok(Self {
            constant: -0.5 * (n_columns as f64 * (2.0 * PI).ln() + kept + rest),
            variances: report.variances.clone(),
            noise,
        })
    }

    fn of_row(&self, score: ArrayView1<'_, f64>, squared_length: f64) -> f64 {
        let mut inside = 0.0;
        let mut outside = squared_length;
        for (coordinate, variance) in score.iter().zip(&self.variances) {
            inside += coordinate * coordinate / variance;
            outside -= coordinate * coordinate;
        }
        if self.noise > 0.0 {
            inside += outside.max(0.0) / self.noise;
        }
        self.constant - 0.5 * inside
    }
}

impl RowErrors for PcaModel {
    /// The squared distance to the plane of the axes, in scaled units where columns are scaled. Missing values are filled in
    /// first, by a model that can.
    fn row_errors_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        let n_rows = features.n_rows();
        let mut errors = Vec::with_capacity(n_rows);
        for rows in blocks(n_rows, ROWS_AT_ONCE) {
            let part = features.rows(rows.start, rows.end);
            let whole = match &self.report().filler {
                Some(filler) => self.filled(filler, &part)?,
                None => part.dense_rows(0, part.n_rows()),
            };
            let coordinates = self
                .transform_in(run, &Data::new(part))
                .map_err(|error| error.further_on(rows.start))?;
            let mut apart = whole - self.inverse_transform_in(run, &coordinates.view())?;
            if let Some(factors) = &self.report().factors {
                apart *= factors;
            }
            errors.extend(apart.rows().into_iter().map(|row| row.dot(&row)));
            run.progress(errors.len() as u64, n_rows as u64)?;
        }
        Ok(Array1::from_vec(errors))
    }
}

impl LogLikelihood for PcaModel {
    fn log_likelihoods_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        self.score_samples(run, data)
    }
}

impl Sample for PcaModel {
    /// Rows of probabilistic PCA: x = m + Aᵀ z + ε, A the axes times the deviations that are more than noise.
    fn sample_in(&self, run: &Run<'_>, n_rows: usize, seed: u64) -> Result<Array2<f64>> {
        let noise = self.noise_variance();
        let deviations = self.signal(noise).mapv(f64::sqrt).insert_axis(Axis(1));
        let factors = Factors {
            mean: self.mean(),
            loadings: self.components() * &deviations,
            noise: Array1::from_elem(self.n_columns(), noise),
            scale: self.report().factors.as_ref(),
        };
        factors.sample(run, n_rows, seed)
    }
}
