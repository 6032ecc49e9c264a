//! The factor model: scores, way back, covariance, likelihood.

use std::f64::consts::PI;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::operator::Rows;
use crate::model::linear::LinearMap;
use crate::model::{
    Diagnostics, InverseTransform, LogLikelihood, Mapped, Model, Transform, arrays,
};
use crate::run::Run;

/// What the model is made of. Loadings and noise are in the units of the columns, or in standard
/// deviations where there are factors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactorAnalysisParts {
    /// Mean of the training rows.
    #[serde(with = "arrays::vector")]
    pub mean: Array1<f64>,
    /// What each column is multiplied by after centring, for factors of the correlations.
    #[serde(with = "arrays::optional_vector")]
    pub factors: Option<Array1<f64>>,
    /// Loadings before any rotation, a row for each factor: Λ Ψ⁻¹ Λᵀ is diagonal.
    #[serde(with = "arrays::matrix")]
    pub plain: Array2<f64>,
    /// That diagonal plus 1.
    #[serde(with = "arrays::vector")]
    pub eigenvalues: Array1<f64>,
    /// Noise variance of every column; 0 for those without variance, which are left out.
    #[serde(with = "arrays::vector")]
    pub noise: Array1<f64>,
    /// Loadings, a row for each factor.
    #[serde(with = "arrays::matrix")]
    pub loadings: Array2<f64>,
    /// Tᵀ · plain = loadings, for this T.
    #[serde(with = "arrays::matrix")]
    pub rotation: Array2<f64>,
    /// Correlations between the factors.
    #[serde(with = "arrays::matrix")]
    pub correlations: Array2<f64>,
    /// The rotation's name.
    pub rotation_name: String,
    /// The route that was taken.
    pub solver: String,
    /// Rows it was fitted on.
    pub n_rows: usize,
    /// Mean log-likelihood of a training row, at the start and after every iteration.
    #[serde(with = "arrays::vector")]
    pub trace: Array1<f64>,
    /// Whether the iterations met their tolerance.
    pub converged: bool,
}

/// A fitted factor analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactorAnalysisModel {
    parts: FactorAnalysisParts,
    map: LinearMap,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl FactorAnalysisModel {
    /// A model from its parts. The embedding is not there until [`FactorAnalysisModel::embed`].
    pub fn new(parts: FactorAnalysisParts) -> Self {
        // E[z | x] = diag(1/t) Λ Ψ⁻¹ (x − m) for the plain factors, and T⁻¹ of that for the others,
        // where T⁻¹ = Φ Tᵀ because Φ = (TᵀT)⁻¹.
        let sizes = parts.eigenvalues.mapv(f64::recip).insert_axis(Axis(1));
        let plain = &parts.plain * &inverse_or_zero(&parts.noise) * &sizes;
        let mut encoder = parts.correlations.dot(&parts.rotation.t()).dot(&plain);
        let mut decoder = parts.loadings.clone();
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
    pub fn parts(&self) -> &FactorAnalysisParts {
        &self.parts
    }

    /// Loadings, a row for each factor.
    pub fn loadings(&self) -> &Array2<f64> {
        &self.parts.loadings
    }

    /// Noise variance of every column.
    pub fn noise_variance(&self) -> &Array1<f64> {
        &self.parts.noise
    }

    /// The share of each column's variance that the factors explain; 0 for constant columns.
    pub fn communalities(&self) -> Array1<f64> {
        let columns = self.parts.plain.columns().into_iter();
        let shares = columns.zip(&self.parts.noise).map(|(column, &noise)| {
            let explained = column.dot(&column);
            let total = explained + noise;
            if total > 0.0 { explained / total } else { 0.0 }
        });
        shares.collect()
    }

    /// The variance that each factor explains in all columns: its sum of squared loadings. Factors that
    /// correlate share what they explain together, so that the sum is that of all.
    pub fn explained_variance(&self) -> Array1<f64> {
        let products = self.parts.loadings.dot(&self.parts.loadings.t());
        self.parts.correlations.dot(&products).diag().to_owned()
    }

    /// The mean log-likelihood of the training rows.
    pub fn log_likelihood(&self) -> f64 {
        self.parts.trace.last().copied().unwrap_or(f64::NAN)
    }

    /// Covariance of the model: Λᵀ Λ + Ψ.
    pub fn covariance(&self) -> Array2<f64> {
        let mut covariance = self.parts.plain.t().dot(&self.parts.plain);
        covariance
            .diag_mut()
            .zip_mut_with(&self.parts.noise, |entry, noise| *entry += noise);
        covariance
    }

    /// The inverse of the covariance, over the columns that vary; 0 for the others.
    pub fn precision(&self) -> Array2<f64> {
        let inverse = inverse_or_zero(&self.parts.noise);
        let roots = self.parts.eigenvalues.mapv(|value| value.sqrt().recip());
        let scaled = &self.parts.plain * &inverse * &roots.insert_axis(Axis(1));
        let mut precision = -scaled.t().dot(&scaled);
        precision
            .diag_mut()
            .zip_mut_with(&inverse, |entry, inverse| *entry += inverse);
        precision
    }

    /// The log-likelihood of each row, over the columns that vary, in scaled units where columns are.
    pub fn score_samples(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        let noise = &self.parts.noise;
        let whitening = inverse_or_zero(noise).mapv(f64::sqrt);
        let right = &self.parts.plain * &whitening;
        let factors = match &self.parts.factors {
            Some(factors) => &whitening * factors,
            None => whitening,
        };
        let rows = Rows::new(features, &self.parts.mean).scaled(Some(&factors));
        let inside = rows.times_wide(run, &right.t())?;
        let lengths = rows.squared_lengths(run)?;
        let constant = self.constant();
        let values: Array1<f64> = inside
            .rows()
            .into_iter()
            .zip(&lengths)
            .map(|(row, length)| constant - 0.5 * (length - self.explained(row)))
            .collect();
        if values.iter().all(|value| value.is_finite()) {
            return Ok(values);
        }
        Err(data.bad_values(None))
    }

    /// The mean log-likelihood of rows.
    pub fn score(&self, run: &Run<'_>, data: &Data<'_>) -> Result<f64> {
        let values = self.score_samples(run, data)?;
        if values.is_empty() {
            return Err(Error::Empty {
                rows: 0,
                columns: self.n_columns(),
            });
        }
        Ok(values.sum() / values.len() as f64)
    }

    /// What the factors take off the squared length of a whitened row.
    fn explained(&self, row: ArrayView1<'_, f64>) -> f64 {
        let pairs = row.iter().zip(&self.parts.eigenvalues);
        pairs.map(|(entry, value)| entry * entry / value).sum()
    }

    /// The logarithm of the density at the mean.
    fn constant(&self) -> f64 {
        let varying = self.parts.noise.iter().filter(|noise| **noise > 0.0);
        let columns: f64 = varying.map(|noise| (2.0 * PI * noise).ln()).sum();
        let factors: f64 = self.parts.eigenvalues.iter().map(|value| value.ln()).sum();
        -0.5 * (columns + factors)
    }
}

fn inverse_or_zero(values: &Array1<f64>) -> Array1<f64> {
    values.mapv(|value| if value > 0.0 { value.recip() } else { 0.0 })
}

impl Mapped for FactorAnalysisModel {
    fn map(&self) -> &LinearMap {
        &self.map
    }
}

impl LogLikelihood for FactorAnalysisModel {
    fn log_likelihoods_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        self.score_samples(run, data)
    }
}

impl Model for FactorAnalysisModel {
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
        let explained = self.explained_variance();
        let total = explained.sum() + parts.noise.sum();
        let shares = explained.mapv(|variance| if total > 0.0 { variance / total } else { 0.0 });
        Diagnostics::new()
            .count("n_components", self.n_components())
            .text("solver", parts.solver.clone())
            .text("rotation", parts.rotation_name.clone())
            .count("n_rows", parts.n_rows)
            .count("n_columns", self.n_columns())
            .count("n_iterations", parts.trace.len().saturating_sub(1))
            .text("converged", if parts.converged { "yes" } else { "no" })
            .number("log_likelihood", self.log_likelihood())
            .vector("log_likelihood_trace", &parts.trace)
            .number("total_variance", total)
            .per_component("explained_variance", &explained)
            .per_component("explained_variance_ratio", &shares)
            .vector("communalities", &self.communalities())
            .vector("noise_variance", &parts.noise)
            .vector("mean", &parts.mean)
            .matrix("loadings", &parts.loadings)
            .matrix("rotation_matrix", &parts.rotation)
            .matrix("factor_correlations", &parts.correlations)
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn as_log_likelihood(&self) -> Option<&dyn LogLikelihood> {
        Some(self)
    }

    fn axes(&self) -> Option<Array2<f64>> {
        Some(self.parts.loadings.clone())
    }

    fn feature_loadings(&self) -> Option<Array2<f64>> {
        Some(self.parts.loadings.clone())
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("factor")
    }
}
