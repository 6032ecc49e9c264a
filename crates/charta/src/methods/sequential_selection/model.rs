//! The model of a selection: the columns chosen and the search path that led to them.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::features::feature_name;
use super::search::best_subset;
use super::{Measure, Step, Subset};
use crate::data::Data;
use crate::data::loaded::{
    check_at_least, check_at_most, check_finite, check_indices, check_length,
};
use crate::error::Result;
use crate::model::picture::{Content, Curve, Curves, Picture};
use crate::model::{Diagnostics, InverseTransform, Model, Transform, arrays, check_embedding};
use crate::parallel::map_rows;
use crate::run::Run;

/// Rows of one job.
const ROWS_PER_JOB: usize = 512;

/// The columns chosen: the coordinates of a row are their values. The inverse transform has the training mean in all
/// others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelectionModel {
    /// The columns chosen, in ascending order.
    pub(super) columns: Vec<usize>,
    pub(super) column_names: Option<Vec<String>>,
    /// The means of all columns.
    #[serde(with = "arrays::vector")]
    pub(super) means: Array1<f64>,
    pub(super) feature_names: Vec<String>,
    /// The columns of each candidate feature.
    pub(super) features: Vec<Vec<usize>>,
    pub(super) steps: Vec<Step>,
    pub(super) by_size: Vec<Subset>,
    pub(super) chosen: Subset,
    pub(super) n_evaluated: usize,
    pub(super) measure: Measure,
    pub(super) scorer: String,
    pub(super) direction: String,
    pub(super) n_splits: usize,
    /// Rows with a label.
    pub(super) n_rows: usize,
    /// Rows without one.
    pub(super) n_left_out: usize,
    #[serde(skip)]
    pub(super) embedding: Option<Array2<f64>>,
}

impl SelectionModel {
    /// The columns chosen, in ascending order.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The names of the features chosen: of columns, or of groups of columns that are added together.
    pub fn names(&self) -> Vec<String> {
        self.names_of(&self.chosen.features)
    }

    /// The steps of the search; none for an exhaustive search.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The best set of each size that was evaluated.
    pub fn by_size(&self) -> &[Subset] {
        &self.by_size
    }

    /// The set chosen.
    pub fn chosen(&self) -> &Subset {
        &self.chosen
    }

    /// The set with the lowest error of all that were evaluated, the smallest of several.
    pub fn best(&self) -> &Subset {
        best_subset(&self.by_size).unwrap_or(&self.chosen)
    }

    /// The measure whose error was minimized.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    fn names_of(&self, features: &[usize]) -> Vec<String> {
        features
            .iter()
            .map(|&feature| self.feature_names[feature].clone())
            .collect()
    }

    /// The error of the best set of each size, with its standard deviation over the splits.
    fn errors_by_size(&self) -> Picture {
        let sizes = self.by_size.iter().map(|subset| subset.features.len());
        let first = sizes.clone().min().unwrap_or(1);
        let last = sizes.max().unwrap_or(1);
        let mut errors = vec![f64::NAN; last - first + 1];
        let mut spread = errors.clone();
        // Sizes without a set are gaps.
        for subset in &self.by_size {
            let index = subset.features.len() - first;
            errors[index] = subset.error;
            spread[index] = subset.standard_deviation;
        }
        Picture {
            name: "errors",
            title: "error against the number of features".into(),
            note: format!("{}, {}", self.scorer, self.direction),
            content: Content::Curves(Curves {
                axes: ["features".into(), self.measure.title().into()],
                first,
                lines: vec![Curve {
                    name: "mean and standard deviation over the splits".into(),
                    values: errors,
                    spread,
                }],
                chosen: Some(self.chosen.features.len()),
                logarithmic: false,
            }),
        }
    }
}

impl Transform for SelectionModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        data.check_finite()?;
        let size = (data.n_rows(), self.columns.len());
        map_rows(run, size, ROWS_PER_JOB, |row, mut target| {
            for (value, &column) in target.iter_mut().zip(&self.columns) {
                *value = features.value(row, column);
            }
        })
    }
}

impl InverseTransform for SelectionModel {
    /// The chosen columns as they are, all others at their mean.
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        check_embedding(run, embedding, self)?;
        let size = (embedding.nrows(), self.n_columns());
        map_rows(run, size, ROWS_PER_JOB, |row, mut target| {
            target.assign(&self.means);
            for (&column, value) in self.columns.iter().zip(embedding.row(row)) {
                target[column] = *value;
            }
        })
    }
}

impl Model for SelectionModel {
    fn n_components(&self) -> usize {
        self.columns.len()
    }

    fn n_columns(&self) -> usize {
        self.means.len()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let columns = self.columns.iter().map(|&column| column as f64).collect();
        let steps = |of: fn(&Step) -> f64| self.steps.iter().map(of).collect();
        let path = self.steps.iter().map(|step| {
            let sign = if step.added { '+' } else { '−' };
            format!("{sign}{}", self.feature_names[step.feature])
        });
        let sizes = |of: fn(&Subset) -> f64| self.by_size.iter().map(of).collect();
        let subsets = self.by_size.iter();
        let subsets = subsets.map(|subset| self.names_of(&subset.features).join(" + "));
        Diagnostics::new()
            .count("n_components", self.n_components())
            .words("selected", &self.names())
            .vector("selected_columns", &columns)
            .text("measure", self.measure.title())
            .number("error", self.chosen.error)
            .number("error_std", self.chosen.standard_deviation)
            .count("best_n_features", self.best().features.len())
            .number("best_error", self.best().error)
            .vector("split_errors", &self.chosen.errors.clone().into())
            .text("scorer", self.scorer.clone())
            .text("direction", self.direction.clone())
            .count("n_features", self.features.len())
            .count("n_splits", self.n_splits)
            .count("n_sets_evaluated", self.n_evaluated)
            .count("n_rows", self.n_rows)
            .count("n_rows_left_out", self.n_left_out)
            .words("path", &path.collect::<Vec<_>>())
            .vector("path_size", &steps(|step| step.size as f64))
            .vector("path_error_before", &steps(|step| step.before))
            .vector("path_error", &steps(|step| step.after))
            .vector("path_error_std", &steps(|step| step.standard_deviation))
            .vector("sizes", &sizes(|subset| subset.features.len() as f64))
            .vector("size_error", &sizes(|subset| subset.error))
            .vector("size_error_std", &sizes(|subset| subset.standard_deviation))
            .words("size_subset", &subsets.collect::<Vec<_>>())
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn validate(&self) -> Result<()> {
        let Self {
            columns,
            column_names,
            means,
            feature_names,
            features,
            steps,
            by_size,
            chosen,
            n_evaluated: _,
            measure: _,
            scorer: _,
            direction: _,
            n_splits: _,
            n_rows: _,
            n_left_out: _,
            embedding: _,
        } = self;
        let (n_columns, n_features) = (means.len(), features.len());
        check_finite("the means", means)?;
        check_at_least("the columns chosen", columns.len(), 1)?;
        check_indices("the columns chosen", columns, n_columns)?;
        if let Some(names) = column_names {
            check_length("the names of columns", names.len(), n_columns)?;
        }
        check_length("the names of features", feature_names.len(), n_features)?;
        check_indices("the features", features.iter().flatten(), n_columns)?;
        let stepped = steps.iter().map(|step| &step.feature);
        check_indices("the steps", stepped, n_features)?;
        for subset in by_size.iter().chain([chosen]) {
            check_indices("the subsets", &subset.features, n_features)?;
            check_at_most(
                "the features of a subset",
                subset.features.len(),
                n_features,
            )?;
        }
        Ok(())
    }

    fn pictures(&self) -> Vec<Picture> {
        vec![self.errors_by_size()]
    }

    fn component_names(&self) -> Option<Vec<String>> {
        let names = self.column_names.as_deref();
        Some(
            self.columns
                .iter()
                .map(|&column| feature_name(names, &[column]))
                .collect(),
        )
    }
}
