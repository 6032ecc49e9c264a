//! How much of every row the coordinates lose: a column of the table, two figures of the report.

use charta::method::{Capability, Info};
use charta::pipeline::Fitted;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde_json::{Value as Json, json};

use crate::failure::{Failure, Outcome};
use crate::format::number;

/// The column's name.
pub(crate) const COLUMN: &str = "reconstruction_error";

/// The errors of some rows in two figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RowErrorFigures {
    n_rows: usize,
    sum: f64,
    largest: f64,
    /// The row with the largest, counted from 0.
    row: usize,
}

impl RowErrorFigures {
    /// The figures of rows that are all there.
    pub(crate) fn of(errors: &Array1<f64>) -> Self {
        let mut figures = Self::default();
        figures.add(errors);
        figures
    }

    /// Takes in further rows.
    pub(crate) fn add(&mut self, errors: &Array1<f64>) {
        for &error in errors {
            if error > self.largest {
                (self.largest, self.row) = (error, self.n_rows);
            }
            self.sum += error;
            self.n_rows += 1;
        }
    }

    fn mean(&self) -> f64 {
        self.sum / self.n_rows.max(1) as f64
    }

    /// The figures in a line.
    pub(crate) fn in_words(&self) -> String {
        format!(
            "Reconstruction error of the rows: mean {}, largest {} (row {}, counted from 0)\n",
            number(self.mean()),
            number(self.largest),
            self.row
        )
    }

    /// The figures as JSON.
    pub(crate) fn to_json(self) -> Json {
        json!({"mean": self.mean(), "largest": self.largest, "row": self.row})
    }
}

/// Fails if errors are requested of a method that has none.
pub(crate) fn check(info: &Info, wanted: bool) -> Outcome {
    if !wanted || info.offers(Capability::RowErrors) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "`{}` has no reconstruction errors: `--errors` has nothing to write",
        info.name
    )))
}

/// Names of the columns with that of the errors, if there are errors.
pub(crate) fn names(fitted: &Fitted, with_errors: bool) -> Vec<String> {
    let mut names = fitted.component_names();
    names.extend(with_errors.then(|| COLUMN.to_string()));
    names
}

/// Coordinates with the errors as a last column.
pub(crate) fn beside(
    coordinates: &ArrayView2<'_, f64>,
    errors: Option<&Array1<f64>>,
) -> Option<Array2<f64>> {
    let errors = errors?.view().insert_axis(Axis(1));
    ndarray::concatenate(Axis(1), &[coordinates.view(), errors]).ok()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn figures_of_parts_are_those_of_the_whole() {
        let whole = RowErrorFigures::of(&array![1.0, 4.0, 1.0]);
        let mut parts = RowErrorFigures::of(&array![1.0]);
        parts.add(&array![4.0, 1.0]);
        assert_eq!(parts, whole);
        assert_eq!(
            whole.to_json(),
            json!({"mean": 2.0, "largest": 4.0, "row": 1})
        );
        assert!(whole.in_words().contains("largest 4.000 (row 1"));
        let beside = beside(&array![[5.0], [6.0]].view(), Some(&array![1.0, 2.0]));
        assert_eq!(beside, Some(array![[5.0, 1.0], [6.0, 2.0]]));
    }
}
