//! What partial least squares reports beyond mean and rotations: loadings, explained variances, predictions.

use std::borrow::Cow;

use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use crate::data::Data;
use crate::data::loaded::{check_dim, check_length};
use crate::error::{Error, Result, message};
use crate::linalg::operator::Rows;
use crate::linalg::product::product;
use crate::model::linear::{Decode, Linear, Report};
use crate::model::predict::{decided, n_correct};
use crate::model::{Diagnostics, InverseTransform, Model, Predict, Prediction, Transform, arrays};
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
    pub(crate) fn names(&self) -> &[String] {
        match self {
            Self::Classes(names) | Self::Numbers(names) => names,
        }
    }
}

/// What is known besides the mean and the rotations. Weights, loadings and rotations are those of centred and scaled
/// columns, a row for each component: scikit-learn's, transposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlsReport {
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
    /// Proportion of the features' variance that each score explains.
    #[serde(with = "arrays::vector")]
    pub explained: Array1<f64>,
    /// Proportion of the target's variance that each score explains.
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
    /// The proportion of the training rows that the model classifies correctly, for classes.
    pub accuracy: Option<f64>,
}

/// A fitted partial least squares model. Its components are the rotations: directions in the centred and scaled features
/// along which the scores lie, one a row.
pub type PlsModel = Linear<PlsReport>;

impl Report for PlsReport {
    fn validate(&self, components: &Array2<f64>) -> Result<()> {
        let (count, n_columns) = components.dim();
        let n_targets = self.target.names().len();
        if n_targets == 0 {
            return Err(Error::shape(message!("targets"), "at least 1", 0));
        }
        check_length("the scale", self.scale.len(), n_columns)?;
        check_length("the target's mean", self.target_mean.len(), n_targets)?;
        check_length("the target's scale", self.target_scale.len(), n_targets)?;
        check_length("the R² of the targets", self.r_squared.len(), n_targets)?;
        check_dim("the weights", self.weights.dim(), components.dim())?;
        check_dim("the loadings", self.loadings.dim(), components.dim())?;
        let expected = (count, n_targets);
        check_dim("the target's weights", self.target_weights.dim(), expected)?;
        check_dim(
            "the target's loadings",
            self.target_loadings.dim(),
            expected,
        )?;
        check_dim(
            "the target's rotations",
            self.target_rotations.dim(),
            expected,
        )?;
        check_length("the scores' variances", self.variances.len(), count)?;
        check_length("the explained variances", self.explained.len(), count)?;
        check_length(
            "the explained variances of the target",
            self.target_explained.len(),
            count,
        )
    }

    fn encoder(&self, components: &Array2<f64>) -> Result<Option<Array2<f64>>> {
        Ok(Some(components / &self.scale))
    }

    fn diagnostics(model: &PlsModel) -> Diagnostics {
        let report = model.report();
        let mut figures = Diagnostics::new()
            .count("n_components", model.n_components())
            .count("rank", report.rank)
            .count("n_rows", report.n_rows)
            .count("n_columns", model.n_columns())
            .count("n_targets", report.target_mean.len())
            .words("targets", report.target.names())
            .number(
                "r_squared",
                report
                    .r_squared
                    .mean()
                    .expect("there is at least one target"),
            )
            .vector("r_squared_of_targets", &report.r_squared);
        if let Some(accuracy) = report.accuracy {
            figures = figures.number("accuracy", accuracy);
        }
        if report.n_left_out > 0 {
            figures = figures.count("n_rows_left_out", report.n_left_out);
        }
        figures
            .per_component("score_variance", &report.variances)
            .per_component("explained_variance_ratio", &report.explained)
            .per_component("target_explained_variance_ratio", &report.target_explained)
            .vector("mean", model.mean())
            .vector("intercept", &report.target_mean)
            .matrix("coefficients", &model.coefficients())
            .matrix("weights", &report.weights)
            .matrix("loadings", &report.loadings)
            .matrix("rotations", model.components())
            .matrix("target_weights", &report.target_weights)
            .matrix("target_loadings", &report.target_loadings)
            .matrix("target_rotations", &report.target_rotations)
    }

    fn axes(model: &PlsModel) -> Array2<f64> {
        model.report().weights.clone()
    }

    fn feature_loadings(model: &PlsModel) -> Array2<f64> {
        let sizes = model.report().variances.mapv(f64::sqrt);
        &model.report().loadings * &sizes.insert_axis(Axis(1))
    }

    fn as_inverse(model: &PlsModel) -> Option<&dyn InverseTransform> {
        Some(model)
    }

    fn as_predict(model: &PlsModel) -> Option<&dyn Predict> {
        Some(model)
    }
}

impl Decode for PlsReport {
    fn decoder(model: &PlsModel) -> Cow<'_, Array2<f64>> {
        Cow::Owned(&model.report().loadings * &model.report().scale)
    }
}

impl PlsModel {
    /// Adds the scores of the training rows, and for classes the proportion of them that is classified correctly.
    pub(super) fn embed_classes(
        self,
        run: &Run<'_>,
        data: &Data<'_>,
        classes: Option<&[Option<u32>]>,
    ) -> Result<Self> {
        let scores = self.transform_in(run, data)?;
        let accuracy = match classes {
            Some(of_row) => {
                let responses = |scores: &ArrayView2<'_, f64>| self.responses(scores);
                let correct = n_correct(run, &scores, of_row, responses)?
                    .ok_or_else(|| data.bad_values(None))?;
                let labelled = of_row.iter().flatten().count();
                Some(correct as f64 / labelled.max(1) as f64)
            }
            None => None,
        };
        let mut model = self.with_embedding(scores);
        model.report_mut().accuracy = accuracy;
        Ok(model)
    }

    /// The regression coefficients in the columns' own units: a row for each target.
    pub fn coefficients(&self) -> Array2<f64> {
        let outward = &self.report().target_loadings * &self.report().target_scale;
        product(&outward.t(), &self.encoder().view())
    }

    /// The prediction for the mean of the training rows: the mean of the target.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.report().target_mean
    }

    /// The predictions at scores.
    fn responses(&self, scores: &ArrayView2<'_, f64>) -> Array2<f64> {
        let outward = &self.report().target_loadings * &self.report().target_scale;
        product(scores, &outward.view()) + &self.report().target_mean
    }

    /// Scores of rows of the target by themselves: its scaled columns times its rotations.
    pub fn transform_target(&self, run: &Run<'_>, target: &Data<'_>) -> Result<Array2<f64>> {
        self.target_times(run, target, &self.report().target_rotations)
    }

    /// Scores of rows whose features and target are both known: in the deflated target, as they are
    /// found when fitting.
    pub fn target_scores(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        target: &Data<'_>,
    ) -> Result<Array2<f64>> {
        if self.report().canonical {
            return self.transform_target(run, target);
        }
        let weights = &self.report().target_weights;
        let along = self.target_times(run, target, weights)?;
        let mut earlier = self.report().target_loadings.dot(&weights.t());
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
        let report = self.report();
        let features = target.new_rows("the target", report.target_mean.len())?;
        let factors = report.target_scale.mapv(f64::recip);
        let rows = Rows::new(features, &report.target_mean).scaled(Some(&factors));
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

impl Predict for PlsModel {
    fn predict_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Prediction> {
        let responses = self.responses(&self.transform_in(run, data)?.view());
        let of_row = decided(&responses.view()).ok_or_else(|| data.bad_values(None))?;
        Ok(match &self.report().target {
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
