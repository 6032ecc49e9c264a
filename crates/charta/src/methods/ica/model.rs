//! The model of independent sources: unmixing, mixing, and how far each source is from normal.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use crate::data::Data;
use crate::error::Result;
use crate::model::linear::LinearMap;
use crate::model::{Diagnostics, InverseTransform, Mapped, Model, Transform, arrays};
use crate::run::Run;

/// What the model is made of. Sources beyond the rank of the data are zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IcaParts {
    /// Subtracted from every row.
    #[serde(with = "arrays::vector")]
    pub mean: Array1<f64>,
    /// Unmixing: a row for each source, a column for each feature.
    #[serde(with = "arrays::matrix")]
    pub components: Array2<f64>,
    /// What each source adds to the features, a row for each source: the mixing matrix, transposed.
    #[serde(with = "arrays::matrix")]
    pub patterns: Array2<f64>,
    /// What made the rows white, where they were not so already.
    #[serde(with = "arrays::optional_matrix")]
    pub whitening: Option<Array2<f64>>,
    /// Standard deviation of each source over the training rows.
    #[serde(with = "arrays::vector")]
    pub deviations: Array1<f64>,
    /// Skewness of each source.
    #[serde(with = "arrays::vector")]
    pub skewness: Array1<f64>,
    /// Excess kurtosis of each source.
    #[serde(with = "arrays::vector")]
    pub kurtosis: Array1<f64>,
    /// How far each source is from normal: the squared difference of its E log cosh.
    #[serde(with = "arrays::vector")]
    pub negentropy: Array1<f64>,
    /// Rows it was fitted on.
    pub n_rows: usize,
    /// Variance of the training rows in all directions, where it was found.
    pub total_variance: Option<f64>,
    /// Steps taken.
    pub n_iterations: usize,
    /// The last step's change.
    pub change: f64,
    /// The change at which the iteration was to stop.
    pub tolerance: f64,
    /// The route to the whitening.
    pub solver: String,
}

/// A fitted independent component analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IcaModel {
    parts: IcaParts,
    map: LinearMap,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl IcaModel {
    /// A model from its parts. The embedding is not there until [`IcaModel::embed`].
    pub fn new(parts: IcaParts) -> Self {
        let map = LinearMap {
            offset: parts.mean.clone(),
            encoder: parts.components.clone(),
            decoder: Some(parts.patterns.clone()),
        };
        Self {
            parts,
            map,
            embedding: None,
        }
    }

    /// Adds the sources of the training rows.
    pub fn embed(mut self, run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        self.embedding = Some(self.transform_in(run, data)?);
        Ok(self)
    }

    /// What the model is made of.
    pub fn parts(&self) -> &IcaParts {
        &self.parts
    }

    /// The unmixing matrix: sources = components · (x − mean).
    pub fn components(&self) -> &Array2<f64> {
        &self.parts.components
    }

    /// The mixing matrix, a column for each source: x ≈ mean + mixing · sources.
    pub fn mixing(&self) -> ArrayView2<'_, f64> {
        self.parts.patterns.t()
    }

    /// Mean of the training rows.
    pub fn mean(&self) -> &Array1<f64> {
        &self.parts.mean
    }

    /// True if the last step changed less than the tolerance.
    pub fn converged(&self) -> bool {
        self.parts.change < self.parts.tolerance
    }

    /// The variance that each source adds to the features: its pattern's squared length, times its own variance.
    pub fn variances(&self) -> Array1<f64> {
        self.loadings()
            .rows()
            .into_iter()
            .map(|pattern| pattern.dot(&pattern))
            .collect()
    }

    /// Covariances of features with sources of variance 1, a row for each source.
    fn loadings(&self) -> Array2<f64> {
        &self.parts.patterns * &self.parts.deviations.view().insert_axis(Axis(1))
    }
}

impl Mapped for IcaModel {
    fn map(&self) -> &LinearMap {
        &self.map
    }
}

impl Model for IcaModel {
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
        let mut report = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", parts.n_rows)
            .count("n_columns", self.n_columns())
            .text("whitened_by", parts.solver.clone())
            .count("n_iterations", parts.n_iterations)
            .number("last_change", parts.change)
            .number("tolerance", parts.tolerance)
            .text("converged", if self.converged() { "yes" } else { "no" })
            .per_component("negentropy", &parts.negentropy)
            .per_component("kurtosis", &parts.kurtosis)
            .per_component("skewness", &parts.skewness)
            .per_component("standard_deviation", &parts.deviations)
            .per_component("variance_added", &self.variances());
        if let Some(total) = parts.total_variance {
            report = report.number("total_variance", total);
        }
        if let Some(whitening) = &parts.whitening {
            report = report.matrix("whitening", whitening);
        }
        report
            .vector("mean", &parts.mean)
            .matrix("components", &parts.components)
            .matrix("mixing", &self.mixing().to_owned())
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    /// The patterns, which are what a source looks like in the features; the rows of the unmixing matrix also
    /// hold what cancels the other sources, and are not to be read as pictures.
    fn axes(&self) -> Option<Array2<f64>> {
        Some(self.parts.patterns.clone())
    }

    fn feature_loadings(&self) -> Option<Array2<f64>> {
        Some(self.loadings())
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("ic")
    }
}
