//! Labels: a class or a number for every row, or neither where it is missing.

use std::borrow::Cow;

use crate::error::{Error, Result, message};

/// What is known of each row besides its features.
#[derive(Clone, Debug, PartialEq)]
pub enum Labels<'a> {
    /// A class for every row.
    Classes {
        /// The classes' names.
        names: Cow<'a, [String]>,
        /// The class of each row as an index into `names`; `None` where it is missing.
        of_row: Cow<'a, [Option<u32>]>,
    },
    /// A number for every row; NaN where it is missing.
    Numbers(Cow<'a, [f64]>),
}

impl<'a> Labels<'a> {
    /// Numbers as labels.
    pub fn numbers(values: impl Into<Cow<'a, [f64]>>) -> Self {
        Self::Numbers(values.into())
    }

    /// Classes from words. Names are sorted; an empty word is a missing label. Words that are all
    /// whole numbers sort as numbers.
    pub fn from_words<W: AsRef<str>>(words: &[W]) -> Labels<'static> {
        let mut names: Vec<String> = words
            .iter()
            .map(|word| word.as_ref().to_string())
            .filter(|word| !word.is_empty())
            .collect();
        names.sort();
        names.dedup();
        if names.iter().all(|name| name.parse::<i64>().is_ok()) {
            names.sort_by_key(|name| name.parse::<i64>().unwrap_or(0));
        }
        let indices: std::collections::HashMap<&str, u32> = names
            .iter()
            .enumerate()
            .map(|(index, name)| (name.as_str(), index as u32))
            .collect();
        let of_row = words
            .iter()
            .map(|word| indices.get(word.as_ref()).copied())
            .collect();
        Labels::Classes {
            names: Cow::Owned(names.clone()),
            of_row: Cow::Owned(of_row),
        }
    }

    /// Number of rows labelled.
    pub fn len(&self) -> usize {
        match self {
            Self::Classes { of_row, .. } => of_row.len(),
            Self::Numbers(values) => values.len(),
        }
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows whose label is missing.
    pub fn n_missing(&self) -> usize {
        match self {
            Self::Classes { of_row, .. } => of_row.iter().filter(|class| class.is_none()).count(),
            Self::Numbers(values) => values.iter().filter(|value| value.is_nan()).count(),
        }
    }

    /// The same labels with their own storage.
    pub fn into_owned(self) -> Labels<'static> {
        match self {
            Self::Classes { names, of_row } => Labels::Classes {
                names: Cow::Owned(names.into_owned()),
                of_row: Cow::Owned(of_row.into_owned()),
            },
            Self::Numbers(values) => Labels::Numbers(Cow::Owned(values.into_owned())),
        }
    }

    /// The same labels, borrowed.
    pub fn reborrow(&self) -> Labels<'_> {
        match self {
            Self::Classes { names, of_row } => Labels::Classes {
                names: Cow::Borrowed(names),
                of_row: Cow::Borrowed(of_row),
            },
            Self::Numbers(values) => Labels::Numbers(Cow::Borrowed(values)),
        }
    }

    /// The label of a row as text; empty where it is missing.
    pub fn text(&self, row: usize) -> String {
        match self {
            Self::Classes { names, of_row } => {
                of_row[row].map_or(String::new(), |class| names[class as usize].clone())
            }
            Self::Numbers(values) if values[row].is_nan() => String::new(),
            Self::Numbers(values) => values[row].to_string(),
        }
    }

    pub(super) fn check(&self, n_rows: usize) -> Result<()> {
        if self.len() != n_rows {
            return Err(Error::shape(
                message!("number of labels"),
                n_rows,
                self.len(),
            ));
        }
        match self {
            Self::Classes { names, of_row } => {
                let beyond = of_row
                    .iter()
                    .flatten()
                    .find(|&&class| class as usize >= names.len());
                match beyond {
                    Some(class) => Err(Error::Labels {
                        problem: message!("class {class} of {} classes", names.len()),
                    }),
                    None => Ok(()),
                }
            }
            Self::Numbers(values) => match values.iter().position(|value| value.is_infinite()) {
                Some(row) => Err(Error::Labels {
                    problem: message!("the label of {row:row} is infinite"),
                }),
                None => Ok(()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_sorted_classes_and_empty_ones_are_missing() {
        let labels = Labels::from_words(&["b", "", "a", "b"]);
        let Labels::Classes { names, of_row } = &labels else {
            panic!("classes expected");
        };
        assert_eq!(names.as_ref(), ["a", "b"]);
        assert_eq!(of_row.as_ref(), [Some(1), None, Some(0), Some(1)]);
        assert_eq!(labels.n_missing(), 1);
        assert_eq!(labels.text(0), "b");
    }

    #[test]
    fn numbers_written_as_words_sort_as_numbers() {
        let labels = Labels::from_words(&["10", "9", "1"]);
        let Labels::Classes { names, .. } = labels else {
            panic!("classes expected");
        };
        assert_eq!(names.as_ref(), ["1", "9", "10"]);
    }
}
