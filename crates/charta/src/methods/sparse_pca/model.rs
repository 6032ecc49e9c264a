//! What sparse PCA reports beyond mean and axes; coordinates are found by ridge regression on the axes.

use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};

use crate::data::loaded::{check_finite, check_length};
use crate::error::Result;
use crate::linalg::solve;
use crate::model::{Decode, Diagnostics, InverseTransform, Linear, Model, Report, arrays};

/// What is known besides the mean and the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SparsePcaReport {
    /// The penalty of the ridge regression that gives coordinates.
    pub ridge: f64,
    /// Variance of the rows along each axis beyond what those before it explain.
    #[serde(with = "arrays::vector")]
    pub adjusted_variances: Array1<f64>,
    /// Variance in all directions.
    pub total_variance: f64,
    /// The objective after every iteration.
    #[serde(with = "arrays::vector")]
    pub trace: Array1<f64>,
    /// Whether the iterations met their tolerance.
    pub converged: bool,
    /// The solver of the initial axes.
    pub solver: String,
    /// Rows it was fitted on.
    pub n_rows: usize,
}

/// A fitted sparse PCA. Its components are sparse axes of length 1, one a row; zero where the penalty has removed one.
pub type SparsePcaModel = Linear<SparsePcaReport>;

impl Report for SparsePcaReport {
    const PREFIX: Option<&'static str> = Some("spc");

    fn validate(&self, components: &Array2<f64>) -> Result<()> {
        let count = components.nrows();
        check_length("the variances", self.adjusted_variances.len(), count)?;
        check_finite("the ridge penalty", [&self.ridge])
    }

    fn encoder(&self, components: &Array2<f64>) -> Result<Option<Array2<f64>>> {
        if self.ridge <= 0.0 {
            return solve::pseudo_inverse(&components.t()).map(Some);
        }
        let mut gram = components.dot(&components.t());
        gram.diag_mut().mapv_inplace(|entry| entry + self.ridge);
        solve::positive_definite(&gram.view(), &components.view()).map(Some)
    }

    fn diagnostics(model: &SparsePcaModel) -> Diagnostics {
        let report = model.report();
        let nonzero = model.n_nonzero();
        let zeros = 1.0 - nonzero.sum() / model.components().len() as f64;
        Diagnostics::new()
            .count("n_components", model.n_components())
            .text("solver", report.solver.clone())
            .count("n_rows", report.n_rows)
            .count("n_columns", model.n_columns())
            .count("n_iterations", report.trace.len().saturating_sub(1))
            .text("converged", if report.converged { "yes" } else { "no" })
            .number("objective", model.objective())
            .vector("objective_trace", &report.trace)
            .per_component("n_nonzero", &nonzero)
            .number("fraction_of_zeros", zeros)
            .per_component("explained_variance", &report.adjusted_variances)
            .per_component(
                "explained_variance_ratio",
                &model.explained_variance_ratio(),
            )
            .number("total_variance", report.total_variance)
            .vector("mean", model.mean())
            .matrix("components", model.components())
    }

    fn feature_loadings(model: &SparsePcaModel) -> Array2<f64> {
        model.components().clone()
    }

    fn as_inverse(model: &SparsePcaModel) -> Option<&dyn InverseTransform> {
        Some(model)
    }
}

impl Decode for SparsePcaReport {}

impl SparsePcaModel {
    /// The objective at the end.
    pub fn objective(&self) -> f64 {
        self.report().trace.last().copied().unwrap_or(f64::NAN)
    }

    /// Entries of each axis that are not zero.
    pub fn n_nonzero(&self) -> Array1<f64> {
        let count = |axis: ArrayView1<'_, f64>| axis.iter().filter(|v| **v != 0.0).count();
        let axes = self.components().rows().into_iter();
        axes.map(|axis| count(axis) as f64).collect()
    }

    /// Adjusted variances as proportions of the total.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        let total = self.report().total_variance;
        let share = |variance| if total > 0.0 { variance / total } else { 0.0 };
        self.report().adjusted_variances.mapv(share)
    }
}
