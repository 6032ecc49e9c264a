//! The report of linear versions of a graph's eigenproblem: locality preserving projections and neighbourhood preserving
//! embedding.

use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

use super::{Diagnostics, GraphReport, Linear, Model, Report, arrays};
use crate::data::loaded::check_length;
use crate::error::Result;

/// What is known besides the mean and the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearizedReport {
    /// The generalized eigenvalue of each axis, which it makes small.
    #[serde(with = "arrays::vector")]
    pub eigenvalues: Array1<f64>,
    /// Standard deviation of every column.
    #[serde(with = "arrays::vector")]
    pub deviations: Array1<f64>,
    /// Dimension of the space in which the axes were sought.
    pub rank: usize,
    /// How neighbours were weighted, in words.
    pub weights: String,
    /// The bandwidth of heat kernel weights, where there is one.
    pub bandwidth: Option<f64>,
    /// How the graph came about.
    pub graph: GraphReport,
}

/// A linear map that preserves neighbours.
pub type LinearizedModel = Linear<LinearizedReport>;

impl LinearizedModel {
    /// The generalized eigenvalue of each axis.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.report().eigenvalues
    }
}

impl Report for LinearizedReport {
    fn validate(&self, components: &Array2<f64>) -> Result<()> {
        check_length(
            "the eigenvalues",
            self.eigenvalues.len(),
            components.nrows(),
        )?;
        check_length("the deviations", self.deviations.len(), components.ncols())
    }

    fn diagnostics(model: &Linear<Self>) -> Diagnostics {
        let report = model.report();
        let mut figures = Diagnostics::new()
            .count("n_components", model.n_components())
            .count("n_columns", model.n_columns())
            .per_component("eigenvalues", &report.eigenvalues)
            .count("rank", report.rank)
            .text("weights", report.weights.clone());
        if let Some(bandwidth) = report.bandwidth {
            figures = figures.number("bandwidth", bandwidth);
        }
        (report.graph.add(figures))
            .vector("mean", model.mean())
            .matrix("components", model.components())
    }

    /// How far one standard deviation of each column moves each coordinate.
    fn feature_loadings(model: &Linear<Self>) -> Array2<f64> {
        model.components() * &model.report().deviations
    }
}
