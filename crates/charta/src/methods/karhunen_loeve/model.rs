//! What the Karhunen–Loève expansion reports beyond centre and axes: variances within and between classes.

use std::borrow::Cow;

use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

use crate::data::loaded::{check_dim, check_length};
use crate::error::Result;
use crate::linalg::product::product;
use crate::model::linear::{AxisScaling, Decode, Linear, Report};
use crate::model::{Diagnostics, InverseTransform, Mark, Model, arrays};

/// What is known besides the centre and the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KarhunenLoeveReport {
    /// The classes' names.
    pub classes: Vec<String>,
    /// Training rows of each class.
    pub counts: Vec<usize>,
    /// What the covariance of each class is weighted with.
    #[serde(with = "arrays::vector")]
    pub priors: Array1<f64>,
    /// Mean of each class, one a row.
    #[serde(with = "arrays::matrix")]
    pub means: Array2<f64>,
    /// Averaged variance within classes along each axis; 0 beyond the rank.
    #[serde(with = "arrays::vector")]
    pub variances: Array1<f64>,
    /// The same along all axes.
    #[serde(with = "arrays::vector")]
    pub spectrum: Array1<f64>,
    /// Averaged variance within classes in all directions.
    pub total_variance: f64,
    /// Divide coordinates by their standard deviation within classes.
    pub whiten: bool,
    /// The rule that chose the number of components.
    pub rule: String,
    /// Rows without a class.
    pub n_left_out: usize,
}

/// A fitted Karhunen–Loève expansion. Its components are orthonormal axes, one a row; its mean averages the classes'
/// means with the priors.
pub type KarhunenLoeveModel = Linear<KarhunenLoeveReport>;

impl KarhunenLoeveReport {
    fn scaling(&self) -> AxisScaling<'_> {
        AxisScaling {
            variances: &self.variances,
            whiten: self.whiten,
        }
    }
}

impl Report for KarhunenLoeveReport {
    const PREFIX: Option<&'static str> = Some("kl");

    fn validate(&self, components: &Array2<f64>) -> Result<()> {
        let n_classes = self.classes.len();
        check_length("the classes' counts", self.counts.len(), n_classes)?;
        check_length("the priors", self.priors.len(), n_classes)?;
        let expected = (n_classes, components.ncols());
        check_dim("the classes' means", self.means.dim(), expected)?;
        check_length("the variances", self.variances.len(), components.nrows())
    }

    fn encoder(&self, components: &Array2<f64>) -> Result<Option<Array2<f64>>> {
        let scaling = self.scaling();
        Ok((!scaling.is_identity()).then(|| scaling.encoder(components)))
    }

    fn diagnostics(model: &KarhunenLoeveModel) -> Diagnostics {
        let report = model.report();
        let counts: Array1<f64> = report.counts.iter().map(|&count| count as f64).collect();
        let mut figures = Diagnostics::new()
            .count("n_components", model.n_components())
            .text("rule", report.rule.clone())
            .count("n_rows", counts.sum() as usize)
            .count("n_columns", model.n_columns())
            .count("n_classes", report.classes.len())
            .per_component("explained_variance", &report.variances)
            .per_component(
                "explained_variance_ratio",
                &model.explained_variance_ratio(),
            )
            .number("total_variance", report.total_variance)
            .per_component("between_variance", &model.between_variance());
        if report.n_left_out > 0 {
            figures = figures.count("n_rows_left_out", report.n_left_out);
        }
        figures
            .words("classes", &report.classes)
            .vector("counts", &counts)
            .vector("priors", &report.priors)
            .vector("spectrum", &report.spectrum)
            .vector("mean", model.mean())
            .matrix("class_means", &report.means)
            .matrix("components", model.components())
            .matrix("loadings", &model.loadings())
    }

    fn feature_loadings(model: &KarhunenLoeveModel) -> Array2<f64> {
        model.loadings()
    }

    fn marks(model: &KarhunenLoeveModel) -> Vec<Mark> {
        model.marks_at(&model.report().classes, &model.report().means)
    }

    fn as_inverse(model: &KarhunenLoeveModel) -> Option<&dyn InverseTransform> {
        Some(model)
    }
}

impl Decode for KarhunenLoeveReport {
    fn decoder(model: &KarhunenLoeveModel) -> Cow<'_, Array2<f64>> {
        let scaling = model.report().scaling();
        if scaling.is_identity() {
            Cow::Borrowed(model.components())
        } else {
            Cow::Owned(scaling.decoder(model.components()))
        }
    }
}

impl KarhunenLoeveModel {
    /// Averaged variance within classes along each axis.
    pub fn explained_variance(&self) -> &Array1<f64> {
        &self.report().variances
    }

    /// Its proportion of the averaged variance in all directions.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        let total = self.report().total_variance;
        self.report().variances.mapv(|variance| variance / total)
    }

    /// Variance of the classes' means along each axis, weighted with the priors.
    pub fn between_variance(&self) -> Array1<f64> {
        let apart = &self.report().means - self.mean();
        let along = product(&apart.view(), &self.components().t());
        self.report().priors.dot(&along.mapv(|value| value * value))
    }

    /// Axes times standard deviations within classes.
    pub fn loadings(&self) -> Array2<f64> {
        let deviations = self.report().variances.mapv(f64::sqrt);
        self.components() * &deviations.insert_axis(Axis(1))
    }
}
