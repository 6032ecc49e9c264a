//! The model of discriminant axes: places rows, and tells their class.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

use crate::data::{Classes, Data};
use crate::error::Result;
use crate::linalg::product::product;
use crate::model::linear::LinearMap;
use crate::model::predict::{DECIDED_AT_ONCE, Mark, Predict, Prediction, decided, normalise};
use crate::model::{Diagnostics, Mapped, Model, Transform, arrays};
use crate::parallel::blocks;
use crate::run::Run;

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LdaParts {
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
    /// The middle: what is subtracted from every row.
    #[serde(with = "arrays::vector")]
    pub centre: Array1<f64>,
    /// All discriminant axes, uncorrelated and of variance 1 within classes, one a row.
    #[serde(with = "arrays::matrix")]
    pub discriminants: Array2<f64>,
    /// Variance between classes over variance within, along each of them.
    #[serde(with = "arrays::vector")]
    pub eigenvalues: Array1<f64>,
    /// The axes of the coordinates, one a row.
    #[serde(with = "arrays::matrix")]
    pub axes: Array2<f64>,
    /// The axes are orthogonal, not uncorrelated within classes.
    pub orthogonal: bool,
    /// Variance between classes over variance within, along each axis.
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
    /// The route that was taken.
    pub solver: String,
    /// Rows without a class.
    pub n_left_out: usize,
}

/// A fitted discriminant analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LdaModel {
    parts: LdaParts,
    map: LinearMap,
    judge: LinearMap,
    /// The classes' means along all discriminant axes.
    #[serde(with = "arrays::matrix")]
    places: Array2<f64>,
    accuracy: Option<f64>,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl LdaModel {
    /// A model from its parts. The embedding is not there until [`LdaModel::embed`].
    pub fn new(parts: LdaParts) -> Self {
        let map_of = |axes: &Array2<f64>| LinearMap {
            offset: parts.centre.clone(),
            encoder: axes.clone(),
            decoder: None,
        };
        let map = map_of(&parts.axes);
        let judge = map_of(&parts.discriminants);
        let apart = &parts.means - &parts.centre;
        Self {
            places: product(&apart.view(), &judge.encoder.t()),
            map,
            judge,
            parts,
            accuracy: None,
            embedding: None,
        }
    }

    /// Adds the coordinates of the training rows, and how many of them the model would classify
    /// rightly.
    pub fn embed(mut self, run: &Run<'_>, data: &Data<'_>, classes: &Classes) -> Result<Self> {
        let embedding = self.transform_in(run, data)?;
        let right = if self.map.encoder == self.judge.encoder {
            self.n_right(run, &embedding, classes)?
        } else {
            self.n_right(run, &self.judge.encode(run, data, None)?, classes)?
        };
        let right = right.ok_or_else(|| data.bad_values(None))?;
        self.accuracy = Some(right as f64 / classes.n_labelled() as f64);
        self.embedding = Some(embedding);
        Ok(self)
    }

    /// What the model is made of.
    pub fn parts(&self) -> &LdaParts {
        &self.parts
    }

    /// The axes of the coordinates, one a row.
    pub fn components(&self) -> &Array2<f64> {
        &self.parts.axes
    }

    /// The share of the training rows that the model classifies rightly; `None` before
    /// [`LdaModel::embed`].
    pub fn training_accuracy(&self) -> Option<f64> {
        self.accuracy
    }

    /// Variance between classes over variance within, along each axis, as a share of its sum over all
    /// discriminant axes.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        let total = self.parts.eigenvalues.sum();
        self.parts.ratios.mapv(|ratio| ratio / total)
    }

    /// The axes in units of the columns' deviations within classes: the standardised coefficients.
    pub fn loadings(&self) -> Array2<f64> {
        &self.parts.axes * &self.parts.variances.mapv(f64::sqrt)
    }

    /// The linear discriminant functions: weights of the columns, a row for each class, and constants,
    /// so that a row's decisions are `weights · x + constants`.
    pub fn decision_functions(&self) -> (Array2<f64>, Array1<f64>) {
        let weights = product(&self.places.view(), &self.judge.encoder.view());
        let constants = self.constants() - weights.dot(&self.parts.centre);
        (weights, constants)
    }

    /// −½ ‖m‖² + log p of each class.
    fn constants(&self) -> Array1<f64> {
        self.places
            .rows()
            .into_iter()
            .zip(&self.parts.priors)
            .map(|(place, prior)| prior.ln() - 0.5 * place.dot(&place))
            .collect()
    }

    /// The decision value of each class at coordinates along all discriminant axes.
    fn decisions(&self, judged: &ArrayView2<'_, f64>) -> Array2<f64> {
        product(judged, &self.places.t()) + &self.constants()
    }

    /// The rows classified rightly, decided in blocks: there may be as many classes as rows.
    fn n_right(
        &self,
        run: &Run<'_>,
        judged: &Array2<f64>,
        classes: &Classes,
    ) -> Result<Option<usize>> {
        let mut right = 0;
        for rows in blocks(judged.nrows(), DECIDED_AT_ONCE) {
            run.check()?;
            let given = &classes.of_row[rows.clone()];
            let decisions = self.decisions(&judged.slice(s![rows, ..]));
            let Some(told) = decided(&decisions.view()) else {
                return Ok(None);
            };
            let pairs = given.iter().zip(&told);
            right += pairs
                .filter(|(class, told)| **class == Some(**told))
                .count();
        }
        Ok(Some(right))
    }
}

impl Mapped for LdaModel {
    fn map(&self) -> &LinearMap {
        &self.map
    }
}

impl Predict for LdaModel {
    fn predict_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Prediction> {
        let judged = self.judge.encode(run, data, None)?;
        let decisions = self.decisions(&judged.view());
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

impl Model for LdaModel {
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
        let counts = parts.counts.iter().map(|&count| count as f64).collect();
        let mut report = Diagnostics::new()
            .count("n_components", self.n_components())
            .text("solver", parts.solver.clone())
            .count("n_rows", parts.counts.iter().sum())
            .count("n_columns", self.n_columns())
            .count("n_classes", parts.classes.len())
            .per_component("separation", &parts.ratios);
        // Along orthogonal axes the variance between classes overlaps: shares would not add up.
        if !parts.orthogonal {
            let shares = self.explained_variance_ratio();
            report = report.per_component("explained_variance_ratio", &shares);
        }
        if let Some(accuracy) = self.accuracy {
            report = report.number("training_accuracy", accuracy);
        }
        if parts.n_left_out > 0 {
            report = report.count("n_left_out", parts.n_left_out);
        }
        if let Some(shrinkage) = &parts.shrinkage {
            report = report.vector("shrinkage", shrinkage);
        }
        report = report
            .words("classes", &parts.classes)
            .vector("counts", &counts)
            .vector("priors", &parts.priors)
            .vector("all_separations", &parts.eigenvalues)
            .count("rank_within", parts.rank)
            .vector("centre", &parts.centre)
            .vector("variance_within", &parts.variances);
        if let Some(covariance) = &parts.covariance {
            report = report.matrix("covariance_within", covariance);
        }
        report
            .matrix("class_means", &parts.means)
            .matrix("components", &parts.axes)
            .matrix("loadings", &self.loadings())
    }

    fn axes(&self) -> Option<Array2<f64>> {
        Some(self.loadings())
    }

    fn feature_loadings(&self) -> Option<Array2<f64>> {
        Some(self.loadings())
    }

    fn marks(&self) -> Vec<Mark> {
        let apart = &self.parts.means - &self.parts.centre;
        let places = product(&apart.view(), &self.map.encoder.t());
        self.parts
            .classes
            .iter()
            .zip(places.rows())
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
        Some("ld")
    }
}
