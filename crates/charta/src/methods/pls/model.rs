//! The model of latent components that predict a target: scores, responses, classes, the way back.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

use crate::data::Data;
use crate::error::Result;
use crate::linalg::operator::Rows;
use crate::linalg::product::product;
use crate::model::predict::{DECIDED_AT_ONCE, decided};
use crate::model::{
    Diagnostics, InverseTransform, LinearMap, Mapped, Model, Predict, Prediction, Transform, arrays,
};
use crate::parallel::blocks;
use crate::run::Run;

/// What is predicted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Target {
    /// A response between 0 and 1 for each of these classes.
    Classes(Vec<String>),
    /// These numbers.
    Numbers(Vec<String>),
}

impl Target {
    /// The names of the classes or numbers.
    pub fn names(&self) -> &[String] {
        match self {
            Self::Classes(names) | Self::Numbers(names) => names,
        }
    }
}

/// What the model is made of. Weights, loadings and rotations are those of centred and scaled columns, a
/// row for each component, as scikit-learn's are transposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlsParts {
    /// Mean of the features.
    #[serde(with = "arrays::vector")]
    pub mean: Array1<f64>,
    /// What each centred feature is divided by.
    #[serde(with = "arrays::vector")]
    pub scale: Array1<f64>,
    /// Mean of the target.
    #[serde(with = "arrays::vector")]
    pub target_mean: Array1<f64>,
    /// What each centred target is divided by.
    #[serde(with = "arrays::vector")]
    pub target_scale: Array1<f64>,
    /// Directions in the deflated features.
    #[serde(with = "arrays::matrix")]
    pub weights: Array2<f64>,
    /// What each score adds to the features.
    #[serde(with = "arrays::matrix")]
    pub loadings: Array2<f64>,
    /// Directions in the features themselves.
    #[serde(with = "arrays::matrix")]
    pub rotations: Array2<f64>,
    /// Directions in the deflated target.
    #[serde(with = "arrays::matrix")]
    pub target_weights: Array2<f64>,
    /// What each score adds to the target.
    #[serde(with = "arrays::matrix")]
    pub target_loadings: Array2<f64>,
    /// Directions in the target itself.
    #[serde(with = "arrays::matrix")]
    pub target_rotations: Array2<f64>,
    /// Variance of each score.
    #[serde(with = "arrays::vector")]
    pub variances: Array1<f64>,
    /// Share of the features' variance that each score explains.
    #[serde(with = "arrays::vector")]
    pub explained: Array1<f64>,
    /// Share of the target's variance that each score explains.
    #[serde(with = "arrays::vector")]
    pub target_explained: Array1<f64>,
    /// R² of each target on the training rows; 0 for one that does not vary.
    #[serde(with = "arrays::vector")]
    pub r_squared: Array1<f64>,
    /// What is predicted.
    pub target: Target,
    /// The target is deflated by its own scores, not by those of the features.
    pub canonical: bool,
    /// Components that carry something.
    pub rank: usize,
    /// Rows it was fitted on.
    pub n_rows: usize,
    /// Rows left out because their label is missing.
    pub n_left_out: usize,
}

/// A fitted partial least squares model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlsModel {
    parts: PlsParts,
    map: LinearMap,
    accuracy: Option<f64>,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl PlsModel {
    /// A model from its parts. The embedding is not there until [`PlsModel::embed`].
    pub fn new(parts: PlsParts) -> Self {
        let map = LinearMap {
            offset: parts.mean.clone(),
            encoder: &parts.rotations / &parts.scale,
            decoder: Some(&parts.loadings * &parts.scale),
        };
        Self {
            parts,
            map,
            accuracy: None,
            embedding: None,
        }
    }

    /// Adds the scores of the training rows, and for classes the share of them that is told right.
    pub fn embed(
        mut self,
        run: &Run<'_>,
        data: &Data<'_>,
        classes: Option<&[Option<u32>]>,
    ) -> Result<Self> {
        let scores = self.transform_in(run, data)?;
        if let Some(of_row) = classes {
            let accuracy = self.share_right(run, &scores, of_row)?;
            self.accuracy = Some(accuracy.ok_or_else(|| data.bad_values(None))?);
        }
        self.embedding = Some(scores);
        Ok(self)
    }

    /// The share of the rows with a class that is told right, in blocks: there may be as many classes as
    /// rows. `None` if a response is not finite.
    fn share_right(
        &self,
        run: &Run<'_>,
        scores: &Array2<f64>,
        of_row: &[Option<u32>],
    ) -> Result<Option<f64>> {
        let mut right = 0;
        for rows in blocks(scores.nrows(), DECIDED_AT_ONCE) {
            run.check()?;
            let responses = self.responses(&scores.slice(s![rows.clone(), ..]));
            let Some(told) = decided(&responses.view()) else {
                return Ok(None);
            };
            let pairs = of_row[rows].iter().zip(&told);
            right += pairs
                .filter(|(class, told)| **class == Some(**told))
                .count();
        }
        let labelled = of_row.iter().flatten().count();
        Ok(Some(right as f64 / labelled.max(1) as f64))
    }

    /// Says how many rows were left out of the fit.
    pub fn left_out(mut self, n_rows: usize) -> Self {
        self.parts.n_left_out = n_rows;
        self
    }

    /// What the model is made of.
    pub fn parts(&self) -> &PlsParts {
        &self.parts
    }

    /// The regression coefficients in the columns' own units: a row for each target.
    pub fn coefficients(&self) -> Array2<f64> {
        let outward = &self.parts.target_loadings * &self.parts.target_scale;
        product(&outward.t(), &self.map.encoder.view())
    }

    /// The prediction for the mean of the training rows: the mean of the target.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.parts.target_mean
    }

    /// The predictions at scores.
    fn responses(&self, scores: &ArrayView2<'_, f64>) -> Array2<f64> {
        let outward = &self.parts.target_loadings * &self.parts.target_scale;
        product(scores, &outward.view()) + &self.parts.target_mean
    }

    /// Scores of rows of the target by themselves: its scaled columns times its rotations.
    pub fn transform_target(&self, run: &Run<'_>, target: &Data<'_>) -> Result<Array2<f64>> {
        self.target_times(run, target, &self.parts.target_rotations)
    }

    /// Scores of rows whose features and target are both known: in the deflated target, as they are
    /// found when fitting.
    pub fn target_scores(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        target: &Data<'_>,
    ) -> Result<Array2<f64>> {
        if self.parts.canonical {
            return self.transform_target(run, target);
        }
        let weights = &self.parts.target_weights;
        let along = self.target_times(run, target, weights)?;
        let mut earlier = self.parts.target_loadings.dot(&weights.t());
        for ((one, other), entry) in earlier.indexed_iter_mut() {
            if one >= other {
                *entry = 0.0;
            }
        }
        let squares = weights.rows().into_iter().map(|row| row.dot(&row));
        let inverse: Array1<f64> = squares.map(inverse_or_zero).collect();
        let explained = product(&self.transform_in(run, data)?.view(), &earlier.view());
        Ok((along - explained) * &inverse)
    }

    fn target_times(
        &self,
        run: &Run<'_>,
        target: &Data<'_>,
        directions: &Array2<f64>,
    ) -> Result<Array2<f64>> {
        let parts = &self.parts;
        let features = target.new_rows("the target", parts.target_mean.len())?;
        let factors = parts.target_scale.mapv(f64::recip);
        let rows = Rows::new(features, &parts.target_mean).scaled(Some(&factors));
        let scores = rows.times(run, &directions.t())?;
        if scores.iter().all(|value| value.is_finite()) {
            return Ok(scores);
        }
        Err(target.bad_values(None))
    }
}

fn inverse_or_zero(value: f64) -> f64 {
    if value > 0.0 { value.recip() } else { 0.0 }
}

/// Responses below 0 count as 0, and each row is divided by its sum.
fn shares(responses: &Array2<f64>) -> Array2<f64> {
    let mut shares = responses.mapv(|response| response.max(0.0));
    for mut row in shares.rows_mut() {
        let largest = row.iter().copied().fold(0.0, f64::max);
        if largest > 0.0 {
            // Divided by the largest first: the sum of finite responses may be infinite.
            row /= largest;
            row /= row.sum();
        } else {
            row.fill(1.0 / responses.ncols() as f64);
        }
    }
    shares
}

impl Mapped for PlsModel {
    fn map(&self) -> &LinearMap {
        &self.map
    }
}

impl Predict for PlsModel {
    fn predict_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Prediction> {
        let responses = self.responses(&self.transform_in(run, data)?.view());
        let of_row = decided(&responses.view()).ok_or_else(|| data.bad_values(None))?;
        Ok(match &self.parts.target {
            Target::Numbers(names) => Prediction::Numbers {
                names: names.clone(),
                values: responses,
            },
            Target::Classes(names) => Prediction::Classes {
                names: names.clone(),
                of_row,
                probabilities: shares(&responses),
                decisions: responses,
            },
        })
    }
}

impl Model for PlsModel {
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
            .count("rank", parts.rank)
            .count("n_rows", parts.n_rows)
            .count("n_columns", self.n_columns())
            .count("n_targets", parts.target_mean.len())
            .words("targets", parts.target.names())
            .number("r_squared", parts.r_squared.mean().unwrap_or(0.0))
            .vector("r_squared_of_targets", &parts.r_squared);
        if let Some(accuracy) = self.accuracy {
            report = report.number("accuracy", accuracy);
        }
        if parts.n_left_out > 0 {
            report = report.count("n_left_out", parts.n_left_out);
        }
        report
            .per_component("score_variance", &parts.variances)
            .per_component("explained_variance_ratio", &parts.explained)
            .per_component("target_explained_variance_ratio", &parts.target_explained)
            .vector("mean", &parts.mean)
            .vector("intercept", &parts.target_mean)
            .matrix("coefficients", &self.coefficients())
            .matrix("weights", &parts.weights)
            .matrix("loadings", &parts.loadings)
            .matrix("rotations", &parts.rotations)
            .matrix("target_weights", &parts.target_weights)
            .matrix("target_loadings", &parts.target_loadings)
            .matrix("target_rotations", &parts.target_rotations)
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn as_predict(&self) -> Option<&dyn Predict> {
        Some(self)
    }

    fn axes(&self) -> Option<Array2<f64>> {
        Some(self.parts.weights.clone())
    }

    fn feature_loadings(&self) -> Option<Array2<f64>> {
        let sizes = self.parts.variances.mapv(f64::sqrt);
        Some(&self.parts.loadings * &sizes.insert_axis(Axis(1)))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn responses_become_shares_that_add_up_to_one() {
        let responses = array![[1.2, -0.2, 0.0], [0.25, 0.25, 0.5], [-1.0, -2.0, -3.0]];
        let shares = shares(&responses);
        assert_eq!(shares.row(0), array![1.0, 0.0, 0.0]);
        assert_eq!(shares.row(1), responses.row(1));
        assert_eq!(decided(&responses.view()), Some(vec![0, 2, 0]));
        assert_eq!(decided(&array![[1.0, f64::NAN]].view()), None);
        let large = super::shares(&array![[1.5e308, 1.5e308]]);
        assert_eq!(large, array![[0.5, 0.5]]);
        assert!(
            shares
                .sum_axis(Axis(1))
                .iter()
                .all(|s| (s - 1.0).abs() < 1e-15)
        );
    }
}
