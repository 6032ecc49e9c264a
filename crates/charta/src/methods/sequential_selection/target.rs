//! The target of the prediction: a class or a number for every row with a label.

use crate::data::{Classes, Labels};
use crate::error::{Error, Result, message};
use crate::params::Choice;

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
    /// A class of each row.
    Classes {
        /// The class of each row, as an index into `names`.
        of_row: Vec<u32>,
        /// The classes' names.
        names: Vec<String>,
    },
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
                Ok(classes) => Ok(Self::classes(classes)),
                Err(_) => Self::numbers(values),
            },
            _ => Classes::of(labels, method).map(Self::classes),
        }
    }

    fn classes(classes: Classes) -> (Self, Vec<usize>) {
        let labelled = classes.of_row.iter().enumerate();
        let (rows, of_row) = labelled
            .filter_map(|(row, class)| class.map(|class| (row, class)))
            .unzip();
        let names = classes.names;
        (Self::Classes { of_row, names }, rows)
    }

    fn numbers(values: &[f64]) -> Result<(Self, Vec<usize>)> {
        let present = values.iter().copied().enumerate();
        let (rows, kept): (Vec<usize>, Vec<f64>) =
            present.filter(|(_, value)| !value.is_nan()).unzip();
        let least = kept.iter().copied().fold(f64::INFINITY, f64::min);
        let most = kept.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let problem = if kept.is_empty() {
            Some(message!("no {:row} has one"))
        } else if most - least <= 0.0 {
            Some(message!("all are {most}, so there is nothing to predict"))
        } else if !((most - least).powi(2) * kept.len() as f64).is_finite() {
            Some(message!(
                "they range from {least:e} to {most:e}, so the squares of their differences \
                 overflow: rescale them"
            ))
        } else {
            None
        };
        match problem {
            Some(problem) => Err(Error::Labels { problem }),
            None => Ok((Self::Numbers(kept), rows)),
        }
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
            Self::Classes { names, .. } => names.len(),
            Self::Numbers(_) => 0,
        }
    }

    /// The class of a row.
    pub(super) fn class(&self, row: usize) -> usize {
        match self {
            Self::Classes { of_row, .. } => of_row[row] as usize,
            Self::Numbers(_) => unreachable!("only classifiers ask for the class of a row"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
