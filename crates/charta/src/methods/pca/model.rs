//! The model of principal axes: encode, decode, reconstruction, likelihood.

use std::f64::consts::PI;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

use super::missing::Gaussian;
use crate::data::{Data, Features};
use crate::error::{Error, Result};
use crate::linalg::operator::Rows;
use crate::message;
use crate::model::linear::LinearMap;
use crate::model::{
    Diagnostics, InverseTransform, LogLikelihood, Model, RowErrors, Transform, arrays,
};
use crate::parallel::blocks;
use crate::run::Run;

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PcaParts {
    /// Mean of the training rows.
    #[serde(with = "arrays::vector")]
    pub mean: Array1<f64>,
    /// What each column is multiplied by after centring, for axes of the correlation.
    #[serde(with = "arrays::optional_vector")]
    pub factors: Option<Array1<f64>>,
    /// Orthonormal axes, one a row.
    #[serde(with = "arrays::matrix")]
    pub axes: Array2<f64>,
    /// Variance along each axis; 0 beyond the rank.
    #[serde(with = "arrays::vector")]
    pub variances: Array1<f64>,
    /// Variances along all axes, where they were found.
    #[serde(with = "arrays::optional_vector")]
    pub spectrum: Option<Array1<f64>>,
    /// Variance in all directions.
    pub total_variance: f64,
    /// Rows it was fitted on.
    pub n_rows: usize,
    /// What sums of squares were divided by.
    pub divisor: f64,
    /// Divide coordinates by their standard deviation.
    pub whiten: bool,
    /// Fills missing values of new rows, in the scaled units of the axes, about the mean.
    pub filler: Option<Gaussian>,
    /// The route that was taken.
    pub solver: String,
    /// The rule that chose the number of components.
    pub rule: String,
    /// How far the worst axis is from an exact one, for the iterative route.
    pub residual: Option<f64>,
    /// Values that were missing in the training rows.
    pub n_missing: usize,
    /// Training rows left out of the fit.
    pub n_left_out: usize,
}

/// A fitted PCA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PcaModel {
    parts: PcaParts,
    map: LinearMap,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl PcaModel {
    /// A model from its parts. The embedding is not there until [`PcaModel::embed`].
    pub fn new(parts: PcaParts) -> Self {
        let mut encoder = parts.axes.clone();
        let mut decoder = parts.axes.clone();
        for (i, &variance) in parts.variances.iter().enumerate() {
            // Beyond the rank an axis is arbitrary: its coordinate is 0, not rounding.
            let (to, from) = match (variance > 0.0, parts.whiten) {
                (false, _) => (0.0, 0.0),
                (true, false) => (1.0, 1.0),
                (true, true) => (variance.sqrt().recip(), variance.sqrt()),
            };
            encoder.row_mut(i).mapv_inplace(|entry| entry * to);
            decoder.row_mut(i).mapv_inplace(|entry| entry * from);
        }
        if let Some(factors) = &parts.factors {
            encoder *= factors;
            decoder /= factors;
        }
        let map = LinearMap {
            offset: parts.mean.clone(),
            encoder,
            decoder: Some(decoder),
        };
        Self {
            parts,
            map,
            embedding: None,
        }
    }

    /// Adds the coordinates of the training rows.
    pub fn embed(mut self, run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        self.embedding = Some(self.transform_in(run, data)?);
        Ok(self)
    }

    /// What the model is made of.
    pub fn parts(&self) -> &PcaParts {
        &self.parts
    }

    /// Principal axes, one a row: orthonormal.
    pub fn components(&self) -> &Array2<f64> {
        &self.parts.axes
    }

    /// Mean of the training rows.
    pub fn mean(&self) -> &Array1<f64> {
        &self.parts.mean
    }

    /// Variance along each axis.
    pub fn explained_variance(&self) -> &Array1<f64> {
        &self.parts.variances
    }

    /// Share of the total variance along each axis.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        let total = self.parts.total_variance;
        self.parts
            .variances
            .mapv(|variance| if total > 0.0 { variance / total } else { 0.0 })
    }

    /// Singular values of the centred (and scaled) training rows.
    pub fn singular_values(&self) -> Array1<f64> {
        self.parts
            .variances
            .mapv(|variance| (variance * self.parts.divisor).sqrt())
    }

    /// Correlations between columns and coordinates, for standardised columns; otherwise axes times
    /// standard deviations.
    pub fn loadings(&self) -> Array2<f64> {
        let deviations = self.parts.variances.mapv(f64::sqrt);
        &self.parts.axes * &deviations.insert_axis(Axis(1))
    }

    /// Mean variance along the axes left out: σ² of the probabilistic model, at its maximum likelihood.
    pub fn noise_variance(&self) -> f64 {
        let left = self.map.n_columns() - self.map.n_components();
        if left == 0 {
            return 0.0;
        }
        (self.parts.total_variance - self.parts.variances.sum()).max(0.0) / left as f64
    }

    /// Covariance of the probabilistic model, in the units of the (scaled) columns.
    pub fn covariance(&self) -> Array2<f64> {
        let noise = self.noise_variance();
        let weights = self
            .parts
            .variances
            .mapv(|variance| (variance - noise).max(0.0))
            .insert_axis(Axis(1));
        let mut covariance = self.parts.axes.t().dot(&(&self.parts.axes * &weights));
        covariance.diag_mut().mapv_inplace(|entry| entry + noise);
        covariance
    }

    /// The squared error of each row when it is encoded and decoded again.
    pub fn reconstruction_errors(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        let mut errors = Vec::with_capacity(features.n_rows());
        for rows in blocks(features.n_rows(), 1024) {
            let block = Data::new(features.rows(rows.start, rows.end));
            let back = self
                .map
                .decode(run, &self.transform_in(run, &block)?.view())?;
            let apart = features.dense_rows(rows.start, rows.end) - back;
            errors.extend(apart.rows().into_iter().map(|row| row.dot(&row)));
        }
        Ok(Array1::from_vec(errors))
    }

    /// The log-likelihood of each row under the probabilistic model.
    pub fn score_samples(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        let likelihood = Likelihood::of(self)?;
        let rows = Rows::new(features, &self.parts.mean).scaled(self.parts.factors.as_ref());
        let scores = rows.times_wide(run, &self.parts.axes.t())?;
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
        let share = self.parts.divisor / self.parts.n_rows as f64;
        let kept = self.map.n_components() as f64;
        let rest = self.parts.total_variance - self.parts.variances.sum();
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
        let factors = self.parts.factors.as_ref().unwrap_or(&ones);
        let mut rows = features.dense_rows(0, features.n_rows());
        for mut row in rows.rows_mut() {
            if row.iter().any(|value| value.is_nan()) {
                let scaled = (&row - &self.parts.mean) * factors;
                row.assign(&(filler.fill(scaled.view())? / factors + &self.parts.mean));
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
        let n_columns = model.n_columns();
        let noise = model.noise_variance();
        let left = n_columns - model.n_components();
        let flat = model
            .parts
            .variances
            .iter()
            .any(|&variance| variance <= 0.0);
        if flat || (left > 0 && noise <= model.parts.total_variance * f64::EPSILON) {
            return Err(Error::degenerate(message!(
                "the likelihood is not defined: the data does not vary in every direction, and \
                 there is no noise left; keep fewer components"
            )));
        }
        let kept: f64 = model.parts.variances.iter().map(|v| v.ln()).sum();
        let rest = if left > 0 {
            left as f64 * noise.ln()
        } else {
            0.0
        };
        Ok(Self {
            constant: -0.5 * (n_columns as f64 * (2.0 * PI).ln() + kept + rest),
            variances: model.parts.variances.clone(),
            noise,
        })
    }

    fn of_row(&self, score: ndarray::ArrayView1<'_, f64>, squared_length: f64) -> f64 {
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

impl Transform for PcaModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let Some(filler) = &self.parts.filler else {
            let hint = message!("a model fitted with {missing=em} fills in missing values");
            return self.map.encode(run, data, Some(hint));
        };
        let features = data.new_rows("this model", self.n_columns())?;
        let mut result = Array2::zeros((features.n_rows(), self.n_components()));
        for rows in blocks(features.n_rows(), 1024) {
            let filled = self.filled(filler, &features.rows(rows.start, rows.end))?;
            let mut part = Data::from(&filled);
            if let Some(names) = data.column_names() {
                part = part.with_column_names(names)?;
            }
            let placed = self
                .map
                .encode(run, &part, None)
                .map_err(|error| error.further_on(rows.start))?;
            result.slice_mut(s![rows, ..]).assign(&placed);
        }
        Ok(result)
    }
}

impl InverseTransform for PcaModel {
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        self.map.decode(run, embedding)
    }
}

impl RowErrors for PcaModel {
    /// The squared distance to the plane of the axes, in scaled units where columns are scaled. Missing values are filled in
    /// first, by a model that can.
    fn row_errors_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        let n_rows = features.n_rows();
        let mut errors = Vec::with_capacity(n_rows);
        for rows in blocks(n_rows, 1024) {
            let part = features.rows(rows.start, rows.end);
            let whole = match &self.parts.filler {
                Some(filler) => self.filled(filler, &part)?,
                None => part.dense_rows(0, part.n_rows()),
            };
            let placed = self
                .transform_in(run, &Data::new(part))
                .map_err(|error| error.further_on(rows.start))?;
            let mut apart = whole - self.map.decode(run, &placed.view())?;
            if let Some(factors) = &self.parts.factors {
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

impl Model for PcaModel {
    fn n_components(&self) -> usize {
        self.map.n_components()
    }

    fn n_columns(&self) -> usize {
        self.map.n_columns()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let parts = &self.parts;
        let share = parts.divisor / parts.n_rows as f64;
        let lost = (parts.total_variance - parts.variances.sum()).max(0.0);
        let mut report = Diagnostics::new()
            .count("n_components", self.n_components())
            .text("rule", parts.rule.clone())
            .text("solver", parts.solver.clone())
            .count("n_rows", parts.n_rows)
            .count("n_columns", self.n_columns())
            .per_component("explained_variance", &parts.variances)
            .per_component("explained_variance_ratio", &self.explained_variance_ratio())
            .per_component("singular_values", &self.singular_values())
            .number("total_variance", parts.total_variance)
            .number("noise_variance", self.noise_variance())
            .number("reconstruction_error", lost * share);
        if let Some(score) = self.training_score() {
            report = report.number("log_likelihood", score);
        }
        if let Some(residual) = parts.residual {
            report = report.number("residual", residual);
        }
        if parts.n_missing > 0 {
            report = report.count("n_missing", parts.n_missing);
        }
        if parts.n_left_out > 0 {
            report = report.count("n_left_out", parts.n_left_out);
        }
        if let Some(spectrum) = &parts.spectrum {
            report = report.vector("spectrum", spectrum);
        }
        report
            .vector("mean", &parts.mean)
            .matrix("components", &parts.axes)
            .matrix("loadings", &self.loadings())
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn as_row_errors(&self) -> Option<&dyn RowErrors> {
        Some(self)
    }

    fn as_log_likelihood(&self) -> Option<&dyn LogLikelihood> {
        Some(self)
    }

    fn axes(&self) -> Option<Array2<f64>> {
        Some(self.parts.axes.clone())
    }

    fn feature_loadings(&self) -> Option<Array2<f64>> {
        Some(self.loadings())
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("pc")
    }
}
