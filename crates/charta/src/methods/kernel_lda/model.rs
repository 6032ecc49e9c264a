//! The model of kernel discriminant analysis: coordinates of rows and predicted classes.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

use crate::data::loaded::{
    check_at_least, check_dim, check_finite, check_length, check_not_negative,
};
use crate::data::{Classes, Data};
use crate::error::{Error, Result};
use crate::linalg::product::product;
use crate::model::predict::{DECIDED_AT_ONCE, Mark, Predict, Prediction, decided, normalize};
use crate::model::{Diagnostics, KernelMap, Model, Transform, arrays};
use crate::parallel::blocks;
use crate::run::Run;

/// A fitted kernel discriminant analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelLdaModel {
    /// The map to coordinates in which the covariance within classes, with the ridge, is the identity.
    pub(super) map: KernelMap,
    /// The classes' names.
    pub(super) classes: Vec<String>,
    /// Training rows of each class.
    pub(super) counts: Vec<usize>,
    /// Prior probability of each class.
    #[serde(with = "arrays::vector")]
    pub(super) priors: Array1<f64>,
    /// The classes' mean coordinates, one a row.
    #[serde(with = "arrays::matrix")]
    pub(super) class_means: Array2<f64>,
    /// Variance between classes over variance within, ridge included, along all axes that there are.
    #[serde(with = "arrays::vector")]
    pub(super) all_ratios: Array1<f64>,
    /// What was added to the variance within classes in every direction.
    pub(super) ridge: f64,
    /// Rows without a class.
    pub(super) n_left_out: usize,
    /// The fraction of the training rows that are classified correctly.
    pub(super) accuracy: f64,
}

impl KernelLdaModel {
    /// The fraction of the training rows that are classified correctly.
    pub(super) fn accuracy_of(&self, run: &Run<'_>, classes: &Classes) -> Result<f64> {
        let embedding = &self.map.embedding;
        let mut n_correct = 0;
        for rows in blocks(embedding.nrows(), DECIDED_AT_ONCE) {
            run.check()?;
            let given = &classes.of_row[rows.clone()];
            let decisions = self.decisions(&embedding.slice(s![rows, ..]));
            let predicted = decided(&decisions.view()).ok_or_else(Error::too_large)?;
            let pairs = given.iter().zip(&predicted);
            n_correct += pairs
                .filter(|(class, predicted)| **class == Some(**predicted))
                .count();
        }
        Ok(n_correct as f64 / classes.n_labelled().max(1) as f64)
    }

    /// The map to coordinates.
    pub fn map(&self) -> &KernelMap {
        &self.map
    }

    /// The prior probability of each class.
    pub fn priors(&self) -> &Array1<f64> {
        &self.priors
    }

    /// What was added to the variance within classes in every direction.
    pub fn ridge(&self) -> f64 {
        self.ridge
    }

    /// The fraction of the training rows that are classified correctly.
    pub fn training_accuracy(&self) -> f64 {
        self.accuracy
    }

    /// The decision value of each class at coordinates: z·m − ½ ‖m‖² + log p.
    fn decisions(&self, coordinates: &ArrayView2<'_, f64>) -> Array2<f64> {
        let means = &self.class_means;
        let constants: Array1<f64> = means
            .rows()
            .into_iter()
            .zip(&self.priors)
            .map(|(mean, prior)| prior.ln() - 0.5 * mean.dot(&mean))
            .collect();
        product(coordinates, &means.t()) + &constants
    }
}

impl Transform for KernelLdaModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        self.map.transform_in(run, data)
    }
}

impl Predict for KernelLdaModel {
    fn predict_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Prediction> {
        let decisions = self.decisions(&self.transform_in(run, data)?.view());
        let of_row = decided(&decisions.view()).ok_or_else(|| data.bad_values(None))?;
        let mut probabilities = decisions.clone();
        for mut row in probabilities.axis_iter_mut(Axis(0)) {
            normalize(&mut row);
        }
        Ok(Prediction::Classes {
            names: self.classes.clone(),
            of_row,
            probabilities,
            decisions,
        })
    }
}

impl Model for KernelLdaModel {
    fn n_components(&self) -> usize {
        self.map.n_components()
    }

    fn n_columns(&self) -> usize {
        self.map.n_columns()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.map.embedding()
    }

    fn diagnostics(&self) -> Diagnostics {
        let counts = self.counts.iter().map(|&count| count as f64).collect();
        let mut report = self
            .map
            .diagnostics()
            .count("n_classes", self.classes.len())
            .per_component("separation", self.map.eigenvalues())
            .number("training_accuracy", self.accuracy)
            .number("ridge", self.ridge);
        if self.n_left_out > 0 {
            report = report.count("n_rows_left_out", self.n_left_out);
        }
        report
            .words("classes", &self.classes)
            .vector("counts", &counts)
            .vector("priors", &self.priors)
            .vector("all_separations", &self.all_ratios)
            .matrix("class_means", &self.class_means)
    }

    fn marks(&self) -> Vec<Mark> {
        let pairs = self.classes.iter().zip(self.class_means.rows());
        pairs
            .map(|(name, place)| Mark {
                name: name.clone(),
                place: place.to_vec(),
            })
            .collect()
    }

    fn validate(&self) -> Result<()> {
        let Self {
            map,
            classes,
            counts,
            priors,
            class_means,
            all_ratios: _,
            ridge: _,
            n_left_out: _,
            accuracy: _,
        } = self;
        map.validate()?;
        let (n_classes, n_components) = (classes.len(), map.n_components());
        check_at_least("the classes", n_classes, 1)?;
        check_length("the classes' counts", counts.len(), n_classes)?;
        check_length("the priors", priors.len(), n_classes)?;
        check_not_negative("the priors", priors)?;
        let expected = (n_classes, n_components);
        check_dim("the classes' means", class_means.dim(), expected)?;
        check_finite("the classes' means", class_means)
    }

    fn as_predict(&self) -> Option<&dyn Predict> {
        Some(self)
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("kd")
    }
}
