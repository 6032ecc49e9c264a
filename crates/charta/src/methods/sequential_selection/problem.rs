//! What a set of features is to predict: the candidate columns, the target, and the splits and the measure that score it.

use ndarray::{Array2, ArrayView1, ArrayView2};

use crate::data::{Classes, Features, Labels, SparseView};
use crate::error::{Error, Result, message};
use crate::linalg::Real;
use crate::parallel;
use crate::params::Choice;

use super::cross_validation::Split;
use super::measure::{Measure, Tally};

/// Candidate features and all that their choice depends on, at the rows that have a label.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) columns: Columns,
    /// The power of two that all columns were multiplied with.
    pub(super) scale: f64,
    /// The columns of each candidate feature.
    pub(super) features: Vec<Vec<usize>>,
    pub(super) target: Target,
    pub(super) measure: Measure,
    pub(super) splits: Vec<Split>,
}

impl Problem {
    pub(super) fn n_columns(&self) -> usize {
        match &self.columns {
            Columns::F32(x) => x.nrows(),
            Columns::F64(x) => x.nrows(),
        }
    }

    /// Values of a column at some rows, in double precision.
    pub(super) fn values(&self, column: usize, rows: &[usize]) -> Vec<f64> {
        let rows = rows.iter();
        match &self.columns {
            Columns::F32(x) => rows.map(|&row| f64::from(x[[column, row]])).collect(),
            Columns::F64(x) => rows.map(|&row| x[[column, row]]).collect(),
        }
    }

    /// An empty tally for the predictions of a split.
    pub(super) fn tally(&self, split: usize) -> Tally<'_> {
        Tally::new(self.measure, &self.target, &self.splits[split])
    }

    /// The score of the classes predicted for the held-out rows of a split. `write` writes the scores of all classes for
    /// the row of an index: logarithms of probabilities up to a common constant.
    pub(super) fn class_score(&self, split: usize, write: impl Fn(usize, &mut [f64])) -> f64 {
        let mut tally = self.tally(split);
        let mut scores = vec![0.0; self.target.n_classes()];
        for (index, &row) in self.splits[split].test.iter().enumerate() {
            write(index, &mut scores);
            tally.add_class_scores(row, &scores);
        }
        tally.score()
    }

    /// The score without any feature: of the class frequencies, or of the mean, of the training rows.
    pub(super) fn baseline(&self, split: usize) -> f64 {
        let Split {
            train,
            test,
            train_counts,
            ..
        } = &self.splits[split];
        match &self.target {
            Target::Classes { .. } => {
                let scores: Vec<f64> = train_counts.iter().map(|count| count.ln()).collect();
                self.class_score(split, |_, to| to.copy_from_slice(&scores))
            }
            Target::Numbers(values) => {
                let mean = train.iter().map(|&row| values[row]).sum::<f64>() / train.len() as f64;
                let mut tally = self.tally(split);
                for &row in test {
                    tally.add_residual(values[row] - mean);
                }
                tally.score()
            }
        }
    }
}

/// Columns in their own precision, one on each line.
#[derive(Debug)]
pub(super) enum Columns {
    F32(Array2<f32>),
    F64(Array2<f64>),
}

impl Columns {
    /// The columns at some rows, and the power of two that they were multiplied with.
    pub(super) fn of(data: &Features<'_>, rows: &[usize]) -> (Self, f64) {
        match data {
            Features::F32(x) => scaled(at_rows(&x.t(), rows), Self::F32),
            Features::F64(x) => scaled(at_rows(&x.t(), rows), Self::F64),
            Features::SparseF32(x) => scaled(dense(x, rows), Self::F32),
            Features::SparseF64(x) => scaled(dense(x, rows), Self::F64),
        }
    }
}

/// The values at some rows of columns that are lines of a table.
pub(super) fn at_rows<T: Real>(columns: &ArrayView2<'_, T>, rows: &[usize]) -> Array2<T> {
    let mut part = Array2::from_elem((columns.nrows(), rows.len()), T::of(0.0));
    let lines = part.rows_mut().into_iter().zip(columns.rows());
    parallel::for_each(lines, |_, (mut line, column)| {
        for (value, &row) in line.iter_mut().zip(rows) {
            *value = column[row];
        }
    });
    part
}

/// A table whose lines, one for each column, are computed in parallel.
pub(super) fn table(
    n_columns: usize,
    width: usize,
    line: impl Fn(usize) -> Vec<f64> + Sync,
) -> Array2<f64> {
    let lines = parallel::map(n_columns, line);
    Array2::from_shape_vec((n_columns, width), lines.concat()).expect("lines of one width")
}

/// A dense copy of some sparse rows, a column on each line.
fn dense<T: Real>(x: &SparseView<'_, T>, rows: &[usize]) -> Array2<T> {
    let mut columns = Array2::from_elem((x.n_columns(), rows.len()), T::of(0.0));
    for (index, &row) in rows.iter().enumerate() {
        for (column, value) in x.row(row) {
            columns[[column, index]] += value;
        }
    }
    columns
}

/// Multiplies with the power of two that brings the widest column to a range of about 1, if it is extreme: squares then
/// neither underflow nor overflow, and no digit changes.
fn scaled<T: Real>(mut columns: Array2<T>, wrap: fn(Array2<T>) -> Columns) -> (Columns, f64) {
    let width = |line: ArrayView1<'_, T>| {
        let values = || line.iter().map(|v| v.wide());
        let greatest = values().fold(f64::NEG_INFINITY, f64::max);
        let least = values().fold(f64::INFINITY, f64::min);
        // Half of the range, which does not overflow.
        greatest / 2.0 - least / 2.0
    };
    let widest = columns.rows().into_iter().map(width).fold(0.0, f64::max);
    let usual = (1e-9..=1e9).contains(&widest);
    if usual || widest <= 0.0 || !widest.is_finite() {
        return (wrap(columns), 1.0);
    }
    let scale = power_of_two(widest);
    columns.mapv_inplace(|value| T::of(value.wide() * scale));
    (wrap(columns), scale)
}

/// The power of two that brings a positive number to about 1.
pub(super) fn power_of_two(number: f64) -> f64 {
    (-number.log2().round()).clamp(-1000.0, 1000.0).exp2()
}

/// Whether labels are classes or numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Kind {
    /// Classes if they are text or whole numbers that repeat often; numbers otherwise.
    Auto,
    /// Classes: classification.
    Classes,
    /// Numbers: regression.
    Numbers,
}

/// What is predicted, for every row that has a label.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target {
    /// The class of each row, below `n_classes`.
    Classes { of_row: Vec<u32>, n_classes: usize },
    /// A number for each row.
    Numbers(Vec<f64>),
}

impl Target {
    /// The target and the rows that have a label.
    pub(super) fn of(labels: &Labels<'_>, kind: Kind, method: &str) -> Result<(Self, Vec<usize>)> {
        match (labels, kind) {
            (Labels::Classes { .. }, Kind::Numbers) => Err(Error::Labels {
                problem: message!(
                    "{method:method} is to predict numbers, and the labels are classes: choose a scorer \
                     for classes"
                ),
            }),
            (Labels::Numbers(values), Kind::Numbers) => Self::numbers(values),
            (Labels::Numbers(values), Kind::Auto) => match Classes::of(labels, method) {
                Ok(classes) => Ok(Self::classes(&classes)),
                Err(_) => Self::numbers(values),
            },
            _ => Ok(Self::classes(&Classes::of(labels, method)?)),
        }
    }

    fn classes(classes: &Classes) -> (Self, Vec<usize>) {
        let n_classes = classes.len();
        let labelled = classes.of_row.iter().enumerate();
        let (rows, of_row) = labelled
            .filter_map(|(row, class)| class.map(|class| (row, class)))
            .unzip();
        (Self::Classes { of_row, n_classes }, rows)
    }

    fn numbers(values: &[f64]) -> Result<(Self, Vec<usize>)> {
        let labelled = values.iter().copied().enumerate();
        let (rows, kept): (Vec<usize>, Vec<f64>) =
            labelled.filter(|(_, value)| !value.is_nan()).unzip();
        let least = kept.iter().copied().fold(f64::INFINITY, f64::min);
        let most = kept.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let problem = if kept.is_empty() {
            message!("no {:row} has one")
        } else if most - least <= 0.0 {
            message!("all are {most}, so there is nothing to predict")
        } else if !((most - least).powi(2) * kept.len() as f64).is_finite() {
            message!(
                "they range from {least:e} to {most:e}, so the squares of their differences \
                 overflow: rescale them"
            )
        } else {
            return Ok((Self::Numbers(kept), rows));
        };
        Err(Error::Labels { problem })
    }

    /// Rows.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Classes { of_row, .. } => of_row.len(),
            Self::Numbers(values) => values.len(),
        }
    }

    /// Number of classes; 0 for numbers.
    pub(super) fn n_classes(&self) -> usize {
        match self {
            Self::Classes { n_classes, .. } => *n_classes,
            Self::Numbers(_) => 0,
        }
    }

    /// The class of a row; 0 for numbers.
    pub(super) fn class(&self, row: usize) -> usize {
        match self {
            Self::Classes { of_row, .. } => of_row[row] as usize,
            Self::Numbers(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::data::SparseRows;

    fn columns(features: Features<'_>, rows: &[usize]) -> (Array2<f64>, f64) {
        match Columns::of(&features, rows) {
            (Columns::F32(x), scale) => (x.mapv(f64::from), scale),
            (Columns::F64(x), scale) => (x, scale),
        }
    }

    #[test]
    fn columns_are_transposed_and_scaled_by_a_power_of_two() {
        let x = Array2::from_shape_fn((150, 70), |(i, j)| (i * 70 + j) as f64);
        let rows: Vec<usize> = (0..150).filter(|row| row % 7 != 3).collect();
        let (lines, scale) = columns(Features::from(&x), &rows);
        assert_eq!(scale, 1.0);
        assert_eq!(lines.dim(), (70, rows.len()));
        assert_eq!(lines[[69, 100]], x[[rows[100], 69]]);
        let huge = array![[1e200, 2.0], [3e200, 5.0]];
        let (lines, scale) = columns(Features::from(&huge), &[0, 1]);
        assert!(lines[[0, 1]].abs() < 10.0 && lines[[0, 0]] / scale == 1e200);
        let single = array![[1e-30_f32, 0.0], [3e-30, 5e-31]];
        let (lines, _) = columns(Features::from(&single), &[0, 1]);
        assert!((lines[[0, 1]].powi(2) as f32) > 1e-3);
    }

    #[test]
    fn sparse_rows_become_dense_columns() {
        let rows = SparseRows::from_entries(2, 3, vec![(0, 1, 2.0), (1, 2, 3.0)]).unwrap();
        let (lines, _) = columns(Features::from(rows.view()), &[1, 0]);
        assert_eq!(lines, array![[0.0, 0.0], [0.0, 2.0], [3.0, 0.0]]);
    }

    #[test]
    fn rows_without_a_label_are_left_out() {
        let labels = Labels::from_words(&["b", "", "a", "b"]);
        let (target, rows) = Target::of(&labels, Kind::Auto, "x").unwrap();
        assert_eq!(rows, [0, 2, 3]);
        assert_eq!((target.len(), target.n_classes()), (3, 2));
        let labels = Labels::numbers(vec![0.5, f64::NAN, 2.5]);
        let (target, rows) = Target::of(&labels, Kind::Auto, "x").unwrap();
        assert_eq!(target, Target::Numbers(vec![0.5, 2.5]));
        assert_eq!(rows, [0, 2]);
    }

    #[test]
    fn whole_numbers_are_classes_unless_asked_otherwise() {
        let labels = Labels::numbers(vec![0.0, 1.0, 1.0, 0.0]);
        let (target, _) = Target::of(&labels, Kind::Auto, "x").unwrap();
        assert_eq!(target.n_classes(), 2);
        let (target, _) = Target::of(&labels, Kind::Numbers, "x").unwrap();
        assert_eq!(target.n_classes(), 0);
        let words = Labels::from_words(&["a", "b"]);
        assert!(Target::of(&words, Kind::Numbers, "x").is_err());
    }

    #[test]
    fn numbers_that_say_nothing_are_refused() {
        for values in [
            vec![f64::NAN, f64::NAN],
            vec![0.5, 0.5],
            vec![-1e300, 1e300],
        ] {
            let labels = Labels::numbers(values);
            assert!(Target::of(&labels, Kind::Numbers, "x").is_err());
        }
    }
}
