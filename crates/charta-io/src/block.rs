//! What every row-wise reader hands over: a heading, then blocks of rows.
//!
//! [`crate::collect`] puts the blocks together to a table; [`crate::batches`] cuts them to batches.

use charta::Labels;
use charta::data::{Features, OwnedFeatures, Precision};
use ndarray::{Array2, ArrayView2};

use crate::error::Result;
use crate::table::ImageShape;

/// Row-major numbers in one of the two precisions.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Values {
    pub(crate) fn new(precision: Precision, capacity: usize) -> Self {
        match precision {
            Precision::Single => Self::Single(Vec::with_capacity(capacity)),
            Precision::Double => Self::Double(Vec::with_capacity(capacity)),
        }
    }

    /// Adds the numbers of `other` from `start` to `end` − 1, converted if need be.
    pub(crate) fn append(&mut self, other: &Values, start: usize, end: usize) {
        match (self, other) {
            (Self::Single(to), Self::Single(from)) => to.extend_from_slice(&from[start..end]),
            (Self::Double(to), Self::Double(from)) => to.extend_from_slice(&from[start..end]),
            (Self::Single(to), Self::Double(from)) => {
                to.extend(from[start..end].iter().map(|&value| value as f32));
            }
            (Self::Double(to), Self::Single(from)) => {
                to.extend(from[start..end].iter().map(|&value| f64::from(value)));
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        match self {
            Self::Single(values) => values.clear(),
            Self::Double(values) => values.clear(),
        }
    }

    pub(crate) fn count_missing(&self) -> usize {
        match self {
            Self::Single(values) => values.iter().filter(|value| value.is_nan()).count(),
            Self::Double(values) => values.iter().filter(|value| value.is_nan()).count(),
        }
    }

    /// The numbers as a table; `None` if they do not fill it exactly.
    pub(crate) fn into_features(self, rows: usize, columns: usize) -> Option<OwnedFeatures> {
        match self {
            Self::Single(values) => Array2::from_shape_vec((rows, columns), values)
                .ok()
                .map(OwnedFeatures::F32),
            Self::Double(values) => Array2::from_shape_vec((rows, columns), values)
                .ok()
                .map(OwnedFeatures::F64),
        }
    }

    /// The numbers as a borrowed table; `None` if they do not fill it exactly.
    pub(crate) fn view(&self, rows: usize, columns: usize) -> Option<Features<'_>> {
        match self {
            Self::Single(values) => ArrayView2::from_shape((rows, columns), values)
                .ok()
                .map(Features::F32),
            Self::Double(values) => ArrayView2::from_shape((rows, columns), values)
                .ok()
                .map(Features::F64),
        }
    }
}

/// The labels of some rows before it is decided what they are.
#[derive(Clone, Debug)]
pub(crate) enum LabelColumn {
    /// Words; empty where missing.
    Words(Vec<String>),
    /// Numbers; NaN where missing.
    Numbers(Vec<f64>),
}

impl LabelColumn {
    pub(crate) fn append(&mut self, other: &LabelColumn, start: usize, end: usize) {
        match (self, other) {
            (Self::Words(to), Self::Words(from)) => to.extend_from_slice(&from[start..end]),
            (Self::Numbers(to), Self::Numbers(from)) => to.extend_from_slice(&from[start..end]),
            // One reader always gives one kind.
            (Self::Words(_), Self::Numbers(_)) | (Self::Numbers(_), Self::Words(_)) => {}
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Numbers(values) => values.len(),
        }
    }

    /// The cells as words.
    pub(crate) fn into_words(self) -> Vec<String> {
        match self {
            Self::Words(words) => words,
            Self::Numbers(values) => values.into_iter().map(word).collect(),
        }
    }

    /// An empty column of the same kind.
    pub(crate) fn like(&self) -> Self {
        match self {
            Self::Words(_) => Self::Words(Vec::new()),
            Self::Numbers(_) => Self::Numbers(Vec::new()),
        }
    }
}

/// Some rows.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) rows: usize,
    pub(crate) values: Values,
    pub(crate) labels: Option<LabelColumn>,
    pub(crate) ids: Option<Vec<String>>,
}

impl Block {
    pub(crate) fn of_values(rows: usize, values: Values) -> Self {
        Self {
            rows,
            values,
            labels: None,
            ids: None,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        self.values.clear();
        self.labels = None;
        self.ids = None;
    }

    /// Adds rows `start` to `end` − 1 of `other`.
    pub(crate) fn append(&mut self, other: &Block, start: usize, end: usize, n_columns: usize) {
        self.rows += end - start;
        self.values
            .append(&other.values, start * n_columns, end * n_columns);
        if let Some(from) = &other.labels {
            self.labels
                .get_or_insert_with(|| from.like())
                .append(from, start, end);
        }
        if let Some(from) = &other.ids {
            self.ids
                .get_or_insert_default()
                .extend_from_slice(&from[start..end]);
        }
    }
}

/// What is known before the first row is read.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    pub(crate) name: String,
    pub(crate) n_columns: usize,
    pub(crate) n_rows: Option<usize>,
    pub(crate) precision: Precision,
    pub(crate) column_names: Option<Vec<String>>,
    pub(crate) label_title: Option<String>,
    /// True if the label column was not asked for.
    pub(crate) label_guessed: bool,
    pub(crate) id_title: Option<String>,
    pub(crate) image: Option<ImageShape>,
    pub(crate) notes: Vec<String>,
}

impl Heading {
    pub(crate) fn new(name: impl Into<String>, n_columns: usize, precision: Precision) -> Self {
        Self {
            name: name.into(),
            n_columns,
            n_rows: None,
            precision,
            column_names: None,
            label_title: None,
            label_guessed: false,
            id_title: None,
            image: None,
            notes: Vec::new(),
        }
    }
}

/// A reader that gives its rows block by block, as often as asked.
pub(crate) trait BlockSource {
    fn heading(&self) -> &Heading;

    /// The next rows; `None` at the end.
    fn next_block(&mut self) -> Result<Option<Block>>;

    /// Starts again with the first row.
    fn rewind(&mut self) -> Result<()>;
}

/// Labels for a batch or a whole table, by the rule of [`crate::LabelKind`].
pub(crate) fn decide_labels(column: LabelColumn, kind: crate::LabelKind) -> Labels<'static> {
    use crate::LabelKind::{Classes, Detect, Numbers};
    let numbers = match column {
        LabelColumn::Numbers(values) => values,
        LabelColumn::Words(words) => match (kind, parse_all(&words)) {
            (Detect | Numbers, Some(values)) => values,
            _ => return Labels::from_words(&words),
        },
    };
    if kind == Classes || (kind == Detect && look_like_classes(&numbers)) {
        let words: Vec<String> = numbers.into_iter().map(word).collect();
        return Labels::from_words(&words);
    }
    Labels::numbers(numbers)
}

fn parse_all(words: &[String]) -> Option<Vec<f64>> {
    words
        .iter()
        .map(|word| {
            if word.is_empty() {
                Some(f64::NAN)
            } else {
                word.parse().ok()
            }
        })
        .collect()
}

fn word(value: f64) -> String {
    if value.is_nan() {
        String::new()
    } else {
        value.to_string()
    }
}

fn look_like_classes(values: &[f64]) -> bool {
    let limit = (values.len() as f64).sqrt().max(50.0) as usize;
    let mut different = std::collections::HashSet::new();
    for value in values.iter().filter(|value| !value.is_nan()) {
        if value.fract() != 0.0 {
            return false;
        }
        different.insert(value.to_bits());
        if different.len() > limit {
            return false;
        }
    }
    different.len() < values.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LabelKind;

    fn is_classes(values: &[f64], kind: LabelKind) -> bool {
        matches!(
            decide_labels(LabelColumn::Numbers(values.to_vec()), kind),
            Labels::Classes { .. }
        )
    }

    #[test]
    fn repeated_whole_numbers_are_classes_and_others_are_not() {
        assert!(is_classes(&[1.0, 2.0, 1.0, f64::NAN], LabelKind::Detect));
        assert!(!is_classes(&[1.0, 2.5, 1.0], LabelKind::Detect));
        assert!(!is_classes(&[2001.0, 2002.0, 2003.0], LabelKind::Detect));
        let many: Vec<f64> = (0..200).map(|i| f64::from(i / 2)).collect();
        assert!(!is_classes(&many, LabelKind::Detect));
        assert!(is_classes(&many, LabelKind::Classes));
        assert!(!is_classes(&[1.0, 1.0], LabelKind::Numbers));
    }

    #[test]
    fn words_that_are_numbers_follow_the_same_rule() {
        let words = vec!["0.5".to_string(), String::new(), "1".to_string()];
        let labels = decide_labels(LabelColumn::Words(words), LabelKind::Detect);
        assert!(matches!(&labels, Labels::Numbers(values) if values[1].is_nan()));
    }
}
