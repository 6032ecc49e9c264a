//! What factor analysis reports beyond mean and loadings: noise, rotation, covariance, likelihood.

use std::borrow::Cow;
use std::f64::consts::PI;

use ndarray::{Array1, Array2, ArrayView1, Axis};
use serde::{Deserialize, Serialize};

use crate::data::Data;
use crate::data::loaded::{check_dim, check_length};
use crate::error::{Error, Result};
use crate::linalg::operator::Rows;
use crate::model::sampling::Factors;
use crate::model::{
    Decode, Diagnostics, InverseTransform, Linear, LogLikelihood, Model, Report, Sample, arrays,
};
use crate::run::Run;

/// What is known besides the mean and the loadings. Loadings and noise are in the units of the columns, or in standard
/// deviations with `standardize`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactorAnalysisReport {
    /// What each column is multiplied by after centring, for factors of the correlations.
    #[serde(with = "arrays::optional_vector")]
    pub scale: Option<Array1<f64>>,
    /// Loadings before any rotation, a row for each factor: Λ Ψ⁻¹ Λᵀ is diagonal.
    #[serde(with = "arrays::matrix")]
    pub unrotated: Array2<f64>,
    /// That diagonal plus 1.
    #[serde(with = "arrays::vector")]
    pub eigenvalues: Array1<f64>,
    /// Noise variance of every column; 0 for those without variance, which are left out.
    #[serde(with = "arrays::vector")]
    pub noise: Array1<f64>,
    /// The matrix T with Tᵀ · unrotated = loadings.
    #[serde(with = "arrays::matrix")]
    pub rotation: Array2<f64>,
    /// Correlations between the factors.
    #[serde(with = "arrays::matrix")]
    pub correlations: Array2<f64>,
    /// The rotation's name.
    pub rotation_name: String,
    /// The solver.
    pub solver: String,
    /// Rows it was fitted on.
    pub n_rows: usize,
    /// Mean log-likelihood of a training row, initially and after every iteration.
    #[serde(with = "arrays::vector")]
    pub trace: Array1<f64>,
    /// Whether the iterations met their tolerance.
    pub converged: bool,
}

/// A fitted factor analysis. Its components are the loadings, a row for each factor.
pub type FactorAnalysisModel = Linear<FactorAnalysisReport>;

impl Report for FactorAnalysisReport {
    const PREFIX: Option<&'static str> = Some("factor");

    fn validate(&self, components: &Array2<f64>) -> Result<()> {
        let (count, n_columns) = components.dim();
        if let Some(scale) = &self.scale {
            check_length("the columns' scale", scale.len(), n_columns)?;
        }
        check_dim(
            "the unrotated loadings",
            self.unrotated.dim(),
            components.dim(),
        )?;
        check_length("the eigenvalues", self.eigenvalues.len(), count)?;
        check_length("the noise variances", self.noise.len(), n_columns)?;
        check_dim("the rotation", self.rotation.dim(), (count, count))?;
        check_dim(
            "the factors' correlations",
            self.correlations.dim(),
            (count, count),
        )
    }

    /// E[z | x] = diag(1/t) Λ Ψ⁻¹ (x − m) for the unrotated factors, and T⁻¹ of that for the others, where T⁻¹ = Φ Tᵀ
    /// because Φ = (TᵀT)⁻¹.
    fn encoder(&self, _components: &Array2<f64>) -> Result<Option<Array2<f64>>> {
        let sizes = self.eigenvalues.mapv(f64::recip).insert_axis(Axis(1));
        let unrotated = &self.unrotated * &inverse_or_zero(&self.noise) * &sizes;
        let mut encoder = self.correlations.dot(&self.rotation.t()).dot(&unrotated);
        if let Some(scale) = &self.scale {
            encoder *= scale;
        }
        Ok(Some(encoder))
    }

    fn diagnostics(model: &FactorAnalysisModel) -> Diagnostics {
        let report = model.report();
        let explained = model.explained_variance();
        let total = explained.sum() + report.noise.sum();
        let shares = explained.mapv(|variance| if total > 0.0 { variance / total } else { 0.0 });
        Diagnostics::new()
            .count("n_components", model.n_components())
            .text("solver", report.solver.clone())
            .text("rotation", report.rotation_name.clone())
            .count("n_rows", report.n_rows)
            .count("n_columns", model.n_columns())
            .count("n_iterations", report.trace.len().saturating_sub(1))
            .text("converged", if report.converged { "yes" } else { "no" })
            .number("log_likelihood", model.log_likelihood())
            .vector("log_likelihood_trace", &report.trace)
            .number("total_variance", total)
            .per_component("explained_variance", &explained)
            .per_component("explained_variance_ratio", &shares)
            .vector("communalities", &model.communalities())
            .vector("noise_variance", &report.noise)
            .vector("mean", model.mean())
            .matrix("loadings", model.loadings())
            .matrix("rotation_matrix", &report.rotation)
            .matrix("factor_correlations", &report.correlations)
    }

    fn feature_loadings(model: &FactorAnalysisModel) -> Array2<f64> {
        model.loadings().clone()
    }

    fn as_inverse(model: &FactorAnalysisModel) -> Option<&dyn InverseTransform> {
        Some(model)
    }

    fn as_log_likelihood(model: &FactorAnalysisModel) -> Option<&dyn LogLikelihood> {
        Some(model)
    }

    fn as_sample(model: &FactorAnalysisModel) -> Option<&dyn Sample> {
        Some(model)
    }
}

impl Decode for FactorAnalysisReport {
    fn decoder(model: &FactorAnalysisModel) -> Cow<'_, Array2<f64>> {
        match &model.report().scale {
            Some(scale) => Cow::Owned(model.loadings() / scale),
            None => Cow::Borrowed(model.loadings()),
        }
    }
}

impl FactorAnalysisModel {
    /// Loadings, a row for each factor.
    pub fn loadings(&self) -> &Array2<f64> {
        self.components()
    }

    /// Noise variance of every column.
    pub fn noise_variance(&self) -> &Array1<f64> {
        &self.report().noise
    }

    /// The fraction of each column's variance that the factors explain; 0 for constant columns.
    pub fn communalities(&self) -> Array1<f64> {
        let columns = self.report().unrotated.columns().into_iter();
        let shares = columns.zip(&self.report().noise).map(|(column, &noise)| {
            let explained = column.dot(&column);
            let total = explained + noise;
            if total > 0.0 { explained / total } else { 0.0 }
        });
        shares.collect()
    }

    /// The variance that each factor explains in all columns: its sum of squared loadings. Factors that
    /// correlate share what they explain together, so that the sum is that of all.
    pub fn explained_variance(&self) -> Array1<f64> {
        let products = self.loadings().dot(&self.loadings().t());
        self.report().correlations.dot(&products).diag().to_owned()
    }

    /// The mean log-likelihood of the training rows.
    pub fn log_likelihood(&self) -> f64 {
        self.report().trace.last().copied().unwrap_or(f64::NAN)
    }

    /// Covariance of the model: Λᵀ Λ + Ψ.
    pub fn covariance(&self) -> Array2<f64> {
        let mut covariance = self.report().unrotated.t().dot(&self.report().unrotated);
        covariance
            .diag_mut()
            .zip_mut_with(&self.report().noise, |entry, noise| *entry += noise);
        covariance
    }

    /// The inverse of the covariance, over the columns that vary; 0 for the others.
    pub fn precision(&self) -> Array2<f64> {
        let inverse = inverse_or_zero(&self.report().noise);
        let roots = self.report().eigenvalues.mapv(|value| value.sqrt().recip());
        let scaled = &self.report().unrotated * &inverse * &roots.insert_axis(Axis(1));
        let mut precision = -scaled.t().dot(&scaled);
        precision
            .diag_mut()
            .zip_mut_with(&inverse, |entry, inverse| *entry += inverse);
        precision
    }

    /// The log-likelihood of each row, over the columns that vary, in scaled units where columns are.
    pub fn score_samples(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        let noise = &self.report().noise;
        let whitening = inverse_or_zero(noise).mapv(f64::sqrt);
        let right = &self.report().unrotated * &whitening;
        let factors = match &self.report().scale {
            Some(scale) => &whitening * scale,
            None => whitening,
        };
        let rows = Rows::new(features, self.mean()).scaled(Some(&factors));
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
        let pairs = row.iter().zip(&self.report().eigenvalues);
        pairs.map(|(entry, value)| entry * entry / value).sum()
    }

    /// The logarithm of the density at the mean.
    fn constant(&self) -> f64 {
        let varying = self.report().noise.iter().filter(|noise| **noise > 0.0);
        let columns: f64 = varying.map(|noise| (2.0 * PI * noise).ln()).sum();
        let factors: f64 = self
            .report()
            .eigenvalues
            .iter()
            .map(|value| value.ln())
            .sum();
        -0.5 * (columns + factors)
    }
}

fn inverse_or_zero(values: &Array1<f64>) -> Array1<f64> {
    values.mapv(|value| if value > 0.0 { value.recip() } else { 0.0 })
}

impl LogLikelihood for FactorAnalysisModel {
    fn log_likelihoods_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        self.score_samples(run, data)
    }
}

impl Sample for FactorAnalysisModel {
    /// x = m + Λᵀ z + ε: factors z of unit covariance are stretched and rotated by the loadings, and each column gets its own
    /// noise. The loadings before any rotation give the same distribution.
    fn sample_in(&self, run: &Run<'_>, n_rows: usize, seed: u64) -> Result<Array2<f64>> {
        let report = self.report();
        let factors = Factors {
            mean: self.mean(),
            loadings: report.unrotated.clone(),
            noise: report.noise.clone(),
            scale: report.scale.as_ref(),
        };
        factors.sample(run, n_rows, seed)
    }
}
