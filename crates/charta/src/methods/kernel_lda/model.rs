//! The model of discriminant axes in the space of a kernel: places rows, and tells their class.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

use crate::data::{Classes, Data};
use crate::error::Result;
use crate::linalg::product::product;
use crate::model::predict::{DECIDED_AT_ONCE, Mark, Predict, Prediction, decided, normalise};
use crate::model::{Diagnostics, KernelMap, Model, Transform, arrays};
use crate::parallel::blocks;
use crate::run::Run;

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelLdaParts {
    /// The map to coordinates in which the covariance within classes, with the ridge, is the identity.
    pub map: KernelMap,
    /// The classes' names.
    pub classes: Vec<String>,
    /// Training rows of each class.
    pub counts: Vec<usize>,
    /// Prior probability of each class.
    #[serde(with = "arrays::vector")]
    pub priors: Array1<f64>,
    /// The classes' means among the coordinates, one a row.
    #[serde(with = "arrays::matrix")]
    pub places: Array2<f64>,
    /// Variance between classes over variance within, ridge included, along all axes that there are.
    #[serde(with = "arrays::vector")]
    pub all_ratios: Array1<f64>,
    /// What was added to the variance within classes in every direction.
    pub ridge: f64,
    /// Rows without a class.
    pub n_left_out: usize,
}

/// A fitted kernel discriminant analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelLdaModel {
    parts: KernelLdaParts,
    accuracy: f64,
}

impl KernelLdaModel {
    /// A model from its parts, with the share of the training rows that it classifies rightly.
    pub fn new(run: &Run<'_>, parts: KernelLdaParts, classes: &Classes) -> Result<Self> {
        let mut model = Self {
            parts,
            accuracy: 0.0,
        };
        let embedding = &model.parts.map.parts().embedding;
        let mut right = 0;
        for rows in blocks(embedding.nrows(), DECIDED_AT_ONCE) {
            run.check()?;
            let given = &classes.of_row[rows.clone()];
            let decisions = model.decisions(&embedding.slice(s![rows, ..]));
            let told = decided(&decisions.view()).unwrap_or_default();
            let pairs = given.iter().zip(&told);
            right += pairs
                .filter(|(class, told)| **class == Some(**told))
                .count();
        }
        model.accuracy = right as f64 / classes.n_labelled().max(1) as f64;
        Ok(model)
    }

    /// What the model is made of.
    pub fn parts(&self) -> &KernelLdaParts {
        &self.parts
    }

    /// The share of the training rows that the model classifies rightly.
    pub fn training_accuracy(&self) -> f64 {
        self.accuracy
    }

    /// The decision value of each class at coordinates: z·m − ½ ‖m‖² + log p.
    fn decisions(&self, placed: &ArrayView2<'_, f64>) -> Array2<f64> {
        let places = &self.parts.places;
        let constants: Array1<f64> = places
            .rows()
            .into_iter()
            .zip(&self.parts.priors)
            .map(|(place, prior)| prior.ln() - 0.5 * place.dot(&place))
            .collect();
        product(placed, &places.t()) + &constants
    }
}

impl Transform for KernelLdaModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        self.parts.map.transform_in(run, data)
    }
}

impl Predict for KernelLdaModel {
    fn predict_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Prediction> {
        let decisions = self.decisions(&self.transform_in(run, data)?.view());
        let of_row = decided(&decisions.view()).ok_or_else(|| data.bad_values(None))?;
        let mut probabilities = decisions.clone();
        for mut row in probabilities.axis_iter_mut(Axis(0)) {
            normalise(&mut row);
        }
        Ok(Prediction::Classes {
            names: self.parts.classes.clone(),
            of_row,
            probabilities,
            decisions,
        })
    }
}

impl Model for KernelLdaModel {
    fn n_components(&self) -> usize {
        self.parts.map.n_components()
    }

    fn n_columns(&self) -> usize {
        self.parts.map.n_columns()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.parts.map.embedding()
    }

    fn diagnostics(&self) -> Diagnostics {
        let parts = &self.parts;
        let counts = parts.counts.iter().map(|&count| count as f64).collect();
        let mut report = parts
            .map
            .diagnostics()
            .count("n_classes", parts.classes.len())
            .per_component("separation", parts.map.eigenvalues())
            .number("training_accuracy", self.accuracy)
            .number("ridge", parts.ridge);
        if parts.n_left_out > 0 {
            report = report.count("n_left_out", parts.n_left_out);
        }
        report
            .words("classes", &parts.classes)
            .vector("counts", &counts)
            .vector("priors", &parts.priors)
            .vector("all_separations", &parts.all_ratios)
            .matrix("class_means", &parts.places)
    }

    fn marks(&self) -> Vec<Mark> {
        let pairs = self.parts.classes.iter().zip(self.parts.places.rows());
        pairs
            .map(|(name, place)| Mark {
                name: name.clone(),
                place: place.to_vec(),
            })
            .collect()
    }

    fn as_predict(&self) -> Option<&dyn Predict> {
        Some(self)
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("kd")
    }
}
