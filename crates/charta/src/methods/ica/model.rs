//! What independent component analysis reports beyond mean and unmixing matrix: the mixing matrix, and how far each source is
//! from normal.

use std::borrow::Cow;

use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use crate::data::loaded::{check_dim, check_length};
use crate::error::Result;
use crate::model::{Decode, Diagnostics, InverseTransform, Linear, Model, Report, arrays};

/// What is known besides the mean and the unmixing matrix. Sources beyond the rank of the data are zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IcaReport {
    /// What each source adds to the features, a row for each source: the mixing matrix, transposed.
    #[serde(with = "arrays::matrix")]
    pub patterns: Array2<f64>,
    /// The whitening matrix, where the rows were whitened.
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
    /// Iterations taken.
    pub n_iterations: usize,
    /// The last iteration's change.
    pub change: f64,
    /// The change at which the iteration was to stop.
    pub tolerance: f64,
    /// The solver of the whitening.
    pub solver: String,
}

/// A fitted independent component analysis. Its components are the unmixing matrix: sources = components · (x − mean).
pub type IcaModel = Linear<IcaReport>;

impl Report for IcaReport {
    const PREFIX: Option<&'static str> = Some("ic");

    fn validate(&self, components: &Array2<f64>) -> Result<()> {
        check_dim("the mixing matrix", self.patterns.dim(), components.dim())?;
        let count = components.nrows();
        check_length("the deviations", self.deviations.len(), count)?;
        check_length("the skewness", self.skewness.len(), count)?;
        check_length("the kurtosis", self.kurtosis.len(), count)?;
        check_length("the negentropy", self.negentropy.len(), count)?;
        if let Some(whitening) = &self.whitening {
            check_length(
                "the columns of the whitening matrix",
                whitening.ncols(),
                components.ncols(),
            )?;
        }
        Ok(())
    }

    fn diagnostics(model: &IcaModel) -> Diagnostics {
        let report = model.report();
        let mut figures = Diagnostics::new()
            .count("n_components", model.n_components())
            .count("n_rows", report.n_rows)
            .count("n_columns", model.n_columns())
            .text("whitening_solver", report.solver.clone())
            .count("n_iterations", report.n_iterations)
            .number("last_change", report.change)
            .number("tolerance", report.tolerance)
            .text("converged", if model.converged() { "yes" } else { "no" })
            .per_component("negentropy", &report.negentropy)
            .per_component("kurtosis", &report.kurtosis)
            .per_component("skewness", &report.skewness)
            .per_component("standard_deviation", &report.deviations)
            .per_component("variance_added", &model.variances());
        if let Some(total) = report.total_variance {
            figures = figures.number("total_variance", total);
        }
        if let Some(whitening) = &report.whitening {
            figures = figures.matrix("whitening", whitening);
        }
        figures
            .vector("mean", model.mean())
            .matrix("components", model.components())
            .matrix("mixing", &model.mixing().to_owned())
    }

    /// The patterns, which are what a source looks like in the features; the rows of the unmixing matrix also
    /// hold what cancels the other sources, and are not to be read as pictures.
    fn axes(model: &IcaModel) -> Array2<f64> {
        model.report().patterns.clone()
    }

    /// Covariances of features with sources of variance 1, a row for each source.
    fn feature_loadings(model: &IcaModel) -> Array2<f64> {
        let report = model.report();
        &report.patterns * &report.deviations.view().insert_axis(Axis(1))
    }

    fn as_inverse(model: &IcaModel) -> Option<&dyn InverseTransform> {
        Some(model)
    }
}

impl Decode for IcaReport {
    fn decoder(model: &IcaModel) -> Cow<'_, Array2<f64>> {
        Cow::Borrowed(&model.report().patterns)
    }
}

impl IcaModel {
    /// The mixing matrix, a column for each source: x ≈ mean + mixing · sources.
    pub fn mixing(&self) -> ArrayView2<'_, f64> {
        self.report().patterns.t()
    }

    /// True if the last iteration changed less than the tolerance.
    pub fn converged(&self) -> bool {
        self.report().change < self.report().tolerance
    }

    /// The variance that each source adds to the features: its pattern's squared length, times its own variance.
    pub fn variances(&self) -> Array1<f64> {
        IcaReport::feature_loadings(self)
            .rows()
            .into_iter()
            .map(|pattern| pattern.dot(&pattern))
            .collect()
    }
}
