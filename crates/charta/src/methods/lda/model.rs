//! What discriminant analysis reports beyond centre and axes: classes, separations, and the classifier.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate};
use serde::{Deserialize, Serialize};

use crate::data::loaded::{check_dim, check_length};
use crate::data::{Classes, Data};
use crate::error::Result;
use crate::linalg::product::product;
use crate::model::linear::{Linear, Report, encode};
use crate::model::predict::{Mark, Predict, Prediction, decided, n_correct, normalize};
use crate::model::{Diagnostics, Model, Transform, arrays};
use crate::run::Run;

/// What is known besides the centre and the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LdaReport {
    /// The classes' names.
    pub classes: Vec<String>,
    /// Training rows of each class.
    pub counts: Vec<usize>,
    /// Prior probability of each class.
    #[serde(with = "arrays::vector")]
    pub priors: Array1<f64>,
    /// Mean of each class, one a row.
    #[serde(with = "arrays::matrix")]
    pub means: Array2<f64>,
    /// The discriminant axes that are not among the components: those left out, or with `orthogonal` all of them.
    #[serde(with = "arrays::matrix")]
    pub further_discriminants: Array2<f64>,
    /// Fisher's ratio of the variance between classes to that within, along each discriminant axis.
    #[serde(with = "arrays::vector")]
    pub eigenvalues: Array1<f64>,
    /// The components are orthogonal, not uncorrelated within classes.
    pub orthogonal: bool,
    /// Fisher's ratio along each component.
    #[serde(with = "arrays::vector")]
    pub ratios: Array1<f64>,
    /// Variance of each column within classes.
    #[serde(with = "arrays::vector")]
    pub variances: Array1<f64>,
    /// Covariance within classes, where it is small.
    #[serde(with = "arrays::optional_matrix")]
    pub covariance: Option<Array2<f64>>,
    /// How much each class's covariance was shrunk, if at all.
    #[serde(with = "arrays::optional_vector")]
    pub shrinkage: Option<Array1<f64>>,
    /// The rank of the scatter within classes.
    pub rank: usize,
    /// The solver.
    pub solver: String,
    /// Rows without a class.
    pub n_left_out: usize,
    /// The proportion of the training rows that the model classifies correctly.
    pub accuracy: Option<f64>,
    /// All discriminant axes, uncorrelated and of variance 1 within classes, one a row.
    #[serde(skip)]
    pub discriminants: Array2<f64>,
    /// The classes' means along all discriminant axes, one a row.
    #[serde(skip)]
    pub class_coordinates: Array2<f64>,
}

/// A fitted discriminant analysis. Its components are the axes of the coordinates, one a row; its mean is the centre of
/// the classes.
pub type LdaModel = Linear<LdaReport>;

impl Report for LdaReport {
    const PREFIX: Option<&'static str> = Some("ld");

    fn validate(&self, components: &Array2<f64>) -> Result<()> {
        let (n_axes, n_columns) = components.dim();
        let n_classes = self.classes.len();
        let n_further = self.further_discriminants.nrows();
        let n_discriminants = if self.orthogonal {
            n_further
        } else {
            n_axes + n_further
        };
        check_length("the classes' counts", self.counts.len(), n_classes)?;
        check_length("the priors", self.priors.len(), n_classes)?;
        check_dim(
            "the classes' means",
            self.means.dim(),
            (n_classes, n_columns),
        )?;
        check_dim(
            "the further discriminants",
            self.further_discriminants.dim(),
            (n_further, n_columns),
        )?;
        check_length("the eigenvalues", self.eigenvalues.len(), n_discriminants)?;
        check_length("the ratios", self.ratios.len(), n_axes)?;
        check_length("the variances", self.variances.len(), n_columns)?;
        if let Some(shrinkage) = &self.shrinkage {
            check_length("the shrinkage", shrinkage.len(), n_classes)?;
        }
        if let Some(covariance) = &self.covariance {
            check_dim("the covariance", covariance.dim(), (n_columns, n_columns))?;
        }
        Ok(())
    }

    fn derive(&mut self, mean: &Array1<f64>, components: &Array2<f64>) -> Result<()> {
        self.discriminants = if self.orthogonal {
            self.further_discriminants.clone()
        } else {
            concatenate![Axis(0), *components, self.further_discriminants]
        };
        let apart = &self.means - mean;
        self.class_coordinates = product(&apart.view(), &self.discriminants.t());
        Ok(())
    }

    fn diagnostics(model: &LdaModel) -> Diagnostics {
        let report = model.report();
        let counts: Array1<f64> = report.counts.iter().map(|&count| count as f64).collect();
        let mut figures = Diagnostics::new()
            .count("n_components", model.n_components())
            .text("solver", report.solver.clone())
            .count("n_rows", counts.sum() as usize)
            .count("n_columns", model.n_columns())
            .count("n_classes", report.classes.len())
            .per_component("separation", &report.ratios);
        // Along orthogonal axes the variance between classes overlaps: proportions would not add up.
        if !report.orthogonal {
            let shares = model.explained_variance_ratio();
            figures = figures.per_component("explained_variance_ratio", &shares);
        }
        if let Some(accuracy) = report.accuracy {
            figures = figures.number("training_accuracy", accuracy);
        }
        if report.n_left_out > 0 {
            figures = figures.count("n_rows_left_out", report.n_left_out);
        }
        if let Some(shrinkage) = &report.shrinkage {
            figures = figures.vector("shrinkage", shrinkage);
        }
        figures = figures
            .words("classes", &report.classes)
            .vector("counts", &counts)
            .vector("priors", &report.priors)
            .vector("all_separations", &report.eigenvalues)
            .count("rank_within", report.rank)
            .vector("centre", model.mean())
            .vector("variance_within", &report.variances);
        if let Some(covariance) = &report.covariance {
            figures = figures.matrix("covariance_within", covariance);
        }
        figures
            .matrix("class_means", &report.means)
            .matrix("components", model.components())
            .matrix("loadings", &model.loadings())
    }

    fn axes(model: &LdaModel) -> Array2<f64> {
        model.loadings()
    }

    fn feature_loadings(model: &LdaModel) -> Array2<f64> {
        model.loadings()
    }

    fn marks(model: &LdaModel) -> Vec<Mark> {
        model.marks_at(&model.report().classes, &model.report().means)
    }

    fn as_predict(model: &LdaModel) -> Option<&dyn Predict> {
        Some(model)
    }
}

impl LdaModel {
    /// Adds the coordinates of the training rows, and how many of them the model classifies correctly.
    pub(super) fn embed_classes(
        self,
        run: &Run<'_>,
        data: &Data<'_>,
        classes: &Classes,
    ) -> Result<Self> {
        let embedding = self.transform_in(run, data)?;
        let decisions = |along: &ArrayView2<'_, f64>| self.decisions(along);
        let correct = if self.components() == self.report().discriminants {
            n_correct(run, &embedding, &classes.of_row, decisions)?
        } else {
            let along = self.along_discriminants(run, data)?;
            n_correct(run, &along, &classes.of_row, decisions)?
        };
        let correct = correct.ok_or_else(|| data.bad_values(None))?;
        let mut model = self.with_embedding(embedding);
        model.report_mut().accuracy = Some(correct as f64 / classes.n_labelled() as f64);
        Ok(model)
    }

    /// The proportion of the training rows that the model classifies correctly.
    pub fn training_accuracy(&self) -> Option<f64> {
        self.report().accuracy
    }

    /// Fisher's ratio along each component, as a proportion of its sum over all discriminant axes.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        let total = self.report().eigenvalues.sum();
        self.report().ratios.mapv(|ratio| ratio / total)
    }

    /// The axes in units of the columns' deviations within classes: the standardized coefficients.
    pub fn loadings(&self) -> Array2<f64> {
        self.components() * &self.report().variances.mapv(f64::sqrt)
    }

    /// The linear discriminant functions: weights of the columns, a row for each class, and constants,
    /// so that a row's decisions are `weights · x + constants`.
    pub fn decision_functions(&self) -> (Array2<f64>, Array1<f64>) {
        let report = self.report();
        let weights = product(
            &report.class_coordinates.view(),
            &report.discriminants.view(),
        );
        let constants = self.constants() - weights.dot(self.mean());
        (weights, constants)
    }

    /// Coordinates of rows along all discriminant axes.
    fn along_discriminants(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        encode(run, data, self.mean(), &self.report().discriminants, None)
    }

    /// −½ ‖μ‖² + log p of each class.
    fn constants(&self) -> Array1<f64> {
        self.report()
            .class_coordinates
            .rows()
            .into_iter()
            .zip(&self.report().priors)
            .map(|(mean, prior)| prior.ln() - 0.5 * mean.dot(&mean))
            .collect()
    }

    /// The decision value of each class at coordinates along all discriminant axes.
    fn decisions(&self, along: &ArrayView2<'_, f64>) -> Array2<f64> {
        product(along, &self.report().class_coordinates.t()) + &self.constants()
    }
}

impl Predict for LdaModel {
    fn predict_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Prediction> {
        let along = self.along_discriminants(run, data)?;
        let decisions = self.decisions(&along.view());
        let of_row = decided(&decisions.view()).ok_or_else(|| data.bad_values(None))?;
        let mut probabilities = decisions.clone();
        for mut row in probabilities.axis_iter_mut(Axis(0)) {
            normalize(&mut row);
        }
        Ok(Prediction::Classes {
            names: self.report().classes.clone(),
            of_row,
            probabilities,
            decisions,
        })
    }
}
