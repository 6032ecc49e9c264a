//! The model of a selection: which columns were chosen, and the path that led to them.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::{Found, Measure, Path, Step};
use crate::data::Data;
use crate::error::Result;
use crate::model::picture::{Content, Curve, Curves, Picture};
use crate::model::{Diagnostics, InverseTransform, Model, Transform, arrays, check_embedding};
use crate::parallel::map_rows;
use crate::run::Run;

/// Rows that one job places.
const ROWS_PER_JOB: usize = 512;

/// What a selection hands over to its model.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectionParts {
    /// What the columns are called, if they have names.
    pub column_names: Option<Vec<String>>,
    /// The columns' means.
    pub means: Array1<f64>,
    /// The columns of each feature.
    pub units: Vec<Vec<usize>>,
    /// The search.
    pub path: Path,
    /// What was made small.
    pub measure: Measure,
    /// What judged.
    pub scorer: String,
    /// How the set changed.
    pub direction: String,
    /// How many splits there were.
    pub n_splits: usize,
    /// Rows learned from or held out: those with a label.
    pub n_rows: usize,
    /// Rows without one.
    pub n_left_out: usize,
}

/// Columns that were chosen. It places a row by their values alone; the way back has the mean for all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelectionModel {
    columns: Vec<usize>,
    column_names: Option<Vec<String>>,
    #[serde(with = "arrays::vector")]
    means: Array1<f64>,
    unit_names: Vec<String>,
    units: Vec<Vec<usize>>,
    steps: Vec<Step>,
    by_size: Vec<Found>,
    chosen: Found,
    n_judged: usize,
    measure: Measure,
    scorer: String,
    direction: String,
    n_splits: usize,
    n_rows: usize,
    n_left_out: usize,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl SelectionModel {
    /// A model that has not placed any rows yet.
    pub fn new(parts: SelectionParts) -> Self {
        let names = parts.column_names.as_deref();
        let chosen = &parts.path.chosen;
        let mut columns: Vec<usize> = chosen
            .units
            .iter()
            .flat_map(|&unit| parts.units[unit].iter().copied())
            .collect();
        columns.sort_unstable();
        Self {
            columns,
            unit_names: parts
                .units
                .iter()
                .map(|unit| unit_name(names, unit))
                .collect(),
            column_names: parts.column_names,
            means: parts.means,
            units: parts.units,
            chosen: parts.path.chosen,
            steps: parts.path.steps,
            by_size: parts.path.by_size,
            n_judged: parts.path.n_judged,
            measure: parts.measure,
            scorer: parts.scorer,
            direction: parts.direction,
            n_splits: parts.n_splits,
            n_rows: parts.n_rows,
            n_left_out: parts.n_left_out,
            embedding: None,
        }
    }

    /// Adds the coordinates of the training rows.
    pub fn embed(mut self, run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        self.embedding = Some(self.transform_in(run, data)?);
        Ok(self)
    }

    /// The columns chosen, in ascending order.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The names of the features chosen: of columns, or of groups of columns that enter together.
    pub fn names(&self) -> Vec<String> {
        self.titles(&self.chosen.units)
    }

    /// What a feature is called.
    pub fn unit_name(&self, unit: usize) -> &str {
        &self.unit_names[unit]
    }

    /// The steps of the search.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The best set of each size that was looked at.
    pub fn by_size(&self) -> &[Found] {
        &self.by_size
    }

    /// The set chosen.
    pub fn chosen(&self) -> &Found {
        &self.chosen
    }

    /// What was made small.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    fn titles(&self, units: &[usize]) -> Vec<String> {
        units
            .iter()
            .map(|&unit| self.unit_names[unit].clone())
            .collect()
    }

    /// The error of the best set of each size, with its spread over the splits.
    fn errors_by_size(&self) -> Picture {
        let first = self.by_size.first().map_or(1, |found| found.units.len());
        let last = self.by_size.last().map_or(1, |found| found.units.len());
        let of_size = |size: usize| self.by_size.iter().find(|found| found.units.len() == size);
        let numbers = |of: fn(&Found) -> f64| {
            // Sizes that the path leaps over are gaps.
            let sizes = (first..=last).map(|size| of_size(size).map_or(f64::NAN, of));
            sizes.collect::<Vec<f64>>()
        };
        Picture {
            name: "errors",
            title: "error against the number of features".into(),
            note: format!("{}, {}", self.scorer, self.direction),
            content: Content::Curves(Curves {
                axes: ["features".into(), self.measure.title().into()],
                first,
                lines: vec![Curve {
                    name: "mean and standard deviation over the splits".into(),
                    values: numbers(|found| found.error),
                    spread: numbers(|found| found.spread),
                }],
                chosen: Some(self.chosen.units.len()),
                logarithmic: false,
            }),
        }
    }

    fn with_path(&self, report: Diagnostics) -> Diagnostics {
        let numbers = |of: fn(&Step) -> f64| self.steps.iter().map(of).collect::<Array1<f64>>();
        let words: Vec<String> = self
            .steps
            .iter()
            .map(|step| {
                let sign = if step.added { '+' } else { '−' };
                format!("{sign}{}", self.unit_names[step.unit])
            })
            .collect();
        report
            .words("path", &words)
            .vector("path_size", &numbers(|step| step.size as f64))
            .vector("path_error_before", &numbers(|step| step.before))
            .vector("path_error", &numbers(|step| step.after))
            .vector("path_spread", &numbers(|step| step.spread))
    }
}

/// The column's name; of several the beginning that they share, or all of them.
fn unit_name(names: Option<&[String]>, unit: &[usize]) -> String {
    let name = |column: usize| match names {
        Some(names) => names[column].clone(),
        None => format!("column_{column}"),
    };
    let all: Vec<String> = unit.iter().map(|&column| name(column)).collect();
    match all.as_slice() {
        [one] => one.clone(),
        _ => match shared_beginning(&all) {
            "" => all.join("+"),
            _ if names.is_none() => all.join("+"),
            stem => stem.into(),
        },
    }
}

/// What all words begin with, up to its last letter or digit.
fn shared_beginning(words: &[String]) -> &str {
    let Some(first) = words.first() else {
        return "";
    };
    let mut end = first.len();
    for word in words {
        let same = first.char_indices().zip(word.chars());
        let same = same.take_while(|((_, a), b)| a == b);
        let last = same
            .last()
            .map_or(0, |((place, letter), _)| place + letter.len_utf8());
        end = end.min(last);
    }
    first[..end].trim_end_matches(|letter: char| !letter.is_alphanumeric())
}

impl Transform for SelectionModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        data.check_finite()?;
        let size = (data.n_rows(), self.columns.len());
        map_rows(run, size, ROWS_PER_JOB, |row, mut target| {
            for (place, &column) in target.iter_mut().zip(&self.columns) {
                *place = features.value(row, column);
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
        check_embedding(embedding, self.n_components())?;
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
        let columns: Array1<f64> = self.columns.iter().map(|&column| column as f64).collect();
        let sets = &self.by_size;
        let sizes: Array1<f64> = sets.iter().map(|found| found.units.len() as f64).collect();
        let subsets: Vec<String> = sets
            .iter()
            .map(|found| self.titles(&found.units).join(" + "))
            .collect();
        let report = Diagnostics::new()
            .count("n_components", self.n_components())
            .words("selected", &self.names())
            .vector("selected_columns", &columns)
            .text("measure", self.measure.title())
            .number("error", self.chosen.error)
            .number("error_spread", self.chosen.spread)
            .vector(
                "split_errors",
                &self.chosen.errors.iter().copied().collect(),
            )
            .text("scorer", self.scorer.clone())
            .text("direction", self.direction.clone())
            .count("n_features", self.units.len())
            .count("n_splits", self.n_splits)
            .count("n_sets_judged", self.n_judged)
            .count("n_rows", self.n_rows)
            .count("n_rows_left_out", self.n_left_out);
        self.with_path(report)
            .vector("sizes", &sizes)
            .vector(
                "size_error",
                &sets.iter().map(|found| found.error).collect(),
            )
            .vector(
                "size_spread",
                &sets.iter().map(|found| found.spread).collect(),
            )
            .words("size_subset", &subsets)
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn pictures(&self) -> Vec<Picture> {
        vec![self.errors_by_size()]
    }

    fn component_names(&self) -> Option<Vec<String>> {
        let names = self.column_names.as_deref();
        Some(
            self.columns
                .iter()
                .map(|&column| unit_name(names, &[column]))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_named_by_their_columns() {
        let names: Vec<String> = ["size", "colour=red", "colour=blue", "x"]
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(unit_name(Some(&names), &[0]), "size");
        assert_eq!(unit_name(Some(&names), &[1]), "colour=red");
        assert_eq!(unit_name(Some(&names), &[1, 2]), "colour");
        assert_eq!(unit_name(Some(&names), &[0, 3]), "size+x");
        assert_eq!(unit_name(None, &[3]), "column_3");
        assert_eq!(unit_name(None, &[3, 5]), "column_3+column_5");
    }
}
