//! The model of sparse axes: coordinates by ridge regression, and the way back.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use crate::data::Data;
use crate::error::Result;
use crate::linalg::solve;
use crate::model::linear::LinearMap;
use crate::model::{Diagnostics, InverseTransform, Mapped, Model, Transform, arrays};
use crate::run::Run;

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SparsePcaParts {
    /// Mean of the training rows.
    #[serde(with = "arrays::vector")]
    pub mean: Array1<f64>,
    /// Sparse axes of length 1, one a row; zero where the penalty has removed one.
    #[serde(with = "arrays::matrix")]
    pub axes: Array2<f64>,
    /// The penalty of the ridge regression that gives coordinates.
    pub ridge: f64,
    /// Variance of the rows along each axis beyond what those before it explain.
    #[serde(with = "arrays::vector")]
    pub adjusted_variances: Array1<f64>,
    /// Variance in all directions.
    pub total_variance: f64,
    /// The objective after every round.
    #[serde(with = "arrays::vector")]
    pub trace: Array1<f64>,
    /// Whether the rounds met their tolerance.
    pub converged: bool,
    /// The route that was taken.
    pub solver: String,
    /// Rows it was fitted on.
    pub n_rows: usize,
}

/// A fitted sparse PCA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SparsePcaModel {
    parts: SparsePcaParts,
    map: LinearMap,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl SparsePcaModel {
    /// A model from its parts. The embedding is not there until [`SparsePcaModel::embed`].
    pub fn new(parts: SparsePcaParts) -> Result<Self> {
        let axes = &parts.axes;
        let encoder = if parts.ridge > 0.0 {
            let mut gram = axes.dot(&axes.t());
            gram.diag_mut().mapv_inplace(|entry| entry + parts.ridge);
            solve::positive_definite(&gram.view(), &axes.view())?
        } else {
            solve::pseudo_inverse(&axes.t())?
        };
        let map = LinearMap {
            offset: parts.mean.clone(),
            encoder,
            decoder: Some(parts.axes.clone()),
        };
        Ok(Self {
            parts,
            map,
            embedding: None,
        })
    }

    /// Adds the coordinates of the training rows.
    pub fn embed(mut self, run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        self.embedding = Some(self.transform_in(run, data)?);
        Ok(self)
    }

    /// What the model is made of.
    pub fn parts(&self) -> &SparsePcaParts {
        &self.parts
    }

    /// Sparse axes, one a row.
    pub fn components(&self) -> &Array2<f64> {
        &self.parts.axes
    }

    /// The objective at the end.
    pub fn objective(&self) -> f64 {
        self.parts.trace.last().copied().unwrap_or(f64::NAN)
    }

    /// Entries of each axis that are not zero.
    pub fn n_nonzero(&self) -> Array1<f64> {
        let count = |axis: ndarray::ArrayView1<'_, f64>| axis.iter().filter(|v| **v != 0.0).count();
        let axes = self.parts.axes.rows().into_iter();
        axes.map(|axis| count(axis) as f64).collect()
    }

    /// Adjusted variances as shares of the total.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        let total = self.parts.total_variance;
        let share = |variance| if total > 0.0 { variance / total } else { 0.0 };
        self.parts.adjusted_variances.mapv(share)
    }
}

impl Mapped for SparsePcaModel {
    fn map(&self) -> &LinearMap {
        &self.map
    }
}

impl Model for SparsePcaModel {
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
        let nonzero = self.n_nonzero();
        let zeros = 1.0 - nonzero.sum() / parts.axes.len() as f64;
        Diagnostics::new()
            .count("n_components", self.n_components())
            .text("solver", parts.solver.clone())
            .count("n_rows", parts.n_rows)
            .count("n_columns", self.n_columns())
            .count("n_iterations", parts.trace.len().saturating_sub(1))
            .text("converged", if parts.converged { "yes" } else { "no" })
            .number("objective", self.objective())
            .vector("objective_trace", &parts.trace)
            .per_component("n_nonzero", &nonzero)
            .number("share_of_zeros", zeros)
            .per_component("explained_variance", &parts.adjusted_variances)
            .per_component("explained_variance_ratio", &self.explained_variance_ratio())
            .number("total_variance", parts.total_variance)
            .vector("mean", &parts.mean)
            .matrix("components", &parts.axes)
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn axes(&self) -> Option<Array2<f64>> {
        Some(self.parts.axes.clone())
    }

    fn feature_loadings(&self) -> Option<Array2<f64>> {
        Some(self.parts.axes.clone())
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("spc")
    }
}
