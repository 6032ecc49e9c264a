//! Labels as classes: what supervised methods learn from.

use super::Labels;
use crate::error::{Error, Result, Warning, counted, message};
use crate::run::Run;

/// Rows that a class has on average at least, where classes are given as numbers.
const ROWS_PER_CLASS: usize = 5;

/// A class for every row that has one, every class with at least one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    /// The classes' names, in the labels' order.
    pub names: Vec<String>,
    /// The class of each row as an index into `names`; `None` where it is missing.
    pub of_row: Vec<Option<u32>>,
    /// Rows of each class.
    pub counts: Vec<usize>,
}

impl Classes {
    /// The classes of labels. Numbers are classes if all of them are whole and come back often enough not
    /// to be a measured quantity. At least two are needed.
    pub fn of(labels: &Labels<'_>, method: &str) -> Result<Self> {
        let classes = match labels {
            Labels::Classes { names, of_row } => Self::used(names, of_row),
            Labels::Numbers(values) => Self::of_numbers(values, method)?,
        };
        if classes.names.len() < 2 {
            return Err(Error::Labels {
                problem: message!(
                    "{method:method} needs at least 2 classes, and the {:rows} have {}",
                    counted(classes.names.len(), "class").replace("classs", "classes")
                ),
            });
        }
        Ok(classes)
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Rows with a class.
    pub(crate) fn n_labelled(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Rows without one.
    pub fn n_missing(&self) -> usize {
        self.of_row.len() - self.n_labelled()
    }

    /// Warns of rows without a class, and of classes with a single row.
    pub(crate) fn warn(&self, run: &Run<'_>) -> Result<()> {
        if self.n_missing() > 0 {
            run.warn(Warning::RowsLeftOut {
                count: self.n_missing(),
                reason: message!("they have no class"),
            })?;
        }
        if let Some(first) = self.counts.iter().position(|&count| count == 1) {
            run.warn(Warning::SingleRowClasses {
                count: self.counts.iter().filter(|&&count| count == 1).count(),
                first: self.names[first].clone(),
            })?;
        }
        Ok(())
    }

    /// The rows of each class, in order.
    pub fn rows(&self) -> Vec<Vec<usize>> {
        let mut rows: Vec<Vec<usize>> =
            self.counts.iter().map(|&n| Vec::with_capacity(n)).collect();
        for (row, class) in self.of_row.iter().enumerate() {
            if let Some(class) = class {
                rows[*class as usize].push(row);
            }
        }
        rows
    }

    /// The fraction of each class among the rows that have one.
    pub fn shares(&self) -> Vec<f64> {
        let total = self.n_labelled() as f64;
        self.counts
            .iter()
            .map(|&count| count as f64 / total)
            .collect()
    }

    /// Leaves out classes that no row has.
    fn used(names: &[String], of_row: &[Option<u32>]) -> Self {
        let mut counts = vec![0; names.len()];
        for class in of_row.iter().flatten() {
            counts[*class as usize] += 1;
        }
        let mut indices = vec![None; names.len()];
        let mut kept = Vec::new();
        for (class, &count) in counts.iter().enumerate() {
            if count > 0 {
                indices[class] = Some(kept.len() as u32);
                kept.push(names[class].clone());
            }
        }
        counts.retain(|&count| count > 0);
        Self {
            names: kept,
            of_row: of_row
                .iter()
                .map(|class| class.and_then(|class| indices[class as usize]))
                .collect(),
            counts,
        }
    }

    fn of_numbers(values: &[f64], method: &str) -> Result<Self> {
        if let Some(value) = values.iter().find(|v| !v.is_nan() && v.fract() != 0.0) {
            return Err(Error::Labels {
                problem: message!(
                    "{method:method} learns from classes, and the labels are numbers such as {value}; if they are names of classes, \
                     give them as such ({ClassNames:input})"
                ),
            });
        }
        let words: Vec<String> = values
            .iter()
            .map(|value| {
                if value.is_nan() {
                    String::new()
                } else {
                    whole_number(*value)
                }
            })
            .collect();
        let Labels::Classes { names, of_row } = Labels::from_words(&words) else {
            return Err(Error::Labels {
                problem: message!("words became numbers"),
            });
        };
        let classes = Self::used(&names, &of_row);
        if classes.len() > 2 && classes.len() * ROWS_PER_CLASS > classes.n_labelled() {
            return Err(Error::Labels {
                problem: message!(
                    "{method:method} learns from classes, and the labels are {} different numbers in {} \
                     {:rows}, which looks like a measured quantity; if they are names of classes, give them \
                     as such ({ClassNames:input})",
                    classes.len(),
                    classes.n_labelled()
                ),
            });
        }
        Ok(classes)
    }
}

/// The shortest text of a whole number, the same for 0 and −0: digits where they are all known, else with
/// a power of ten.
fn whole_number(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if value.abs() <= 1e15 {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_of_either_sign_are_one_class_and_large_numbers_have_short_names() {
        let labels = Labels::numbers(vec![0.0, -0.0, -3.0, 1e300, 1e15, 0.0, -0.0, -3.0]);
        let mut many = Vec::new();
        for _ in 0..5 {
            let Labels::Numbers(values) = &labels else {
                panic!("numbers expected");
            };
            many.extend(values.iter().copied());
        }
        let classes = Classes::of(&Labels::numbers(many), "lda").unwrap();
        assert_eq!(classes.names, ["-3", "0", "1000000000000000", "1e300"]);
        assert_eq!(classes.counts, [10, 20, 5, 5]);
    }

    #[test]
    fn classes_without_rows_and_rows_without_class_are_left_out() {
        let labels = Labels::Classes {
            names: vec!["a".to_string(), "b".to_string(), "c".to_string()].into(),
            of_row: vec![Some(2), None, Some(0), Some(2)].into(),
        };
        let classes = Classes::of(&labels, "lda").unwrap();
        assert_eq!(classes.names, ["a", "c"]);
        assert_eq!(classes.of_row, [Some(1), None, Some(0), Some(1)]);
        assert_eq!(classes.counts, [1, 2]);
        assert_eq!(classes.rows(), [vec![2], vec![0, 3]]);
        assert_eq!((classes.n_labelled(), classes.n_missing()), (3, 1));
    }

    #[test]
    fn whole_numbers_are_classes_and_others_are_not() {
        let labels = Labels::numbers(vec![10.0, 2.0, f64::NAN, 10.0]);
        let classes = Classes::of(&labels, "lda").unwrap();
        assert_eq!(classes.names, ["2", "10"]);
        let many = Labels::numbers((0..40).map(|i| f64::from(i / 4)).collect::<Vec<_>>());
        let error = Classes::of(&many, "lda").unwrap_err();
        assert!(
            error
                .to_string()
                .contains("10 different numbers in 40 rows"),
            "{error}"
        );
        let error = Classes::of(&Labels::numbers(vec![0.5, 1.0]), "lda").unwrap_err();
        assert!(error.to_string().contains("numbers such as 0.5"), "{error}");
    }

    #[test]
    fn one_class_is_not_enough() {
        let error = Classes::of(&Labels::from_words(&["a", "a", ""]), "lda").unwrap_err();
        assert!(
            error.to_string().ends_with("the rows have 1 class"),
            "{error}"
        );
        let none = Classes::of(&Labels::from_words(&["", ""]), "lda").unwrap_err();
        assert!(
            none.to_string().ends_with("the rows have 0 classes"),
            "{none}"
        );
    }
}
