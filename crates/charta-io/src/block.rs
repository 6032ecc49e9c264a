//! What every row-wise reader hands over: a heading, then blocks of rows.
//!
//! [`crate::collect`] puts the blocks together to a table; [`crate::batches`] cuts them to batches.

use std::borrow::Cow;

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

    /// The same for a capacity that a file announces: if there is no such memory, it grows as needed.
    pub(crate) fn with_room(precision: Precision, capacity: usize) -> Self {
        let mut values = Self::new(precision, 0);
        // Without the room reading is slower, and fails where the file really is that large.
        let _ = match &mut values {
            Self::Single(values) => values.try_reserve_exact(capacity),
            Self::Double(values) => values.try_reserve_exact(capacity),
        };
        values
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
        if matches!(other, Self::Words(_)) {
            self.turn_to_words();
        }
        match (self, other) {
            (Self::Words(to), Self::Words(from)) => to.extend_from_slice(&from[start..end]),
            (Self::Words(to), Self::Numbers(from)) => {
                to.extend(from[start..end].iter().copied().map(word));
            }
            (Self::Numbers(to), Self::Numbers(from)) => to.extend_from_slice(&from[start..end]),
            // These have just become words.
            (Self::Numbers(_), Self::Words(_)) => {}
        }
    }

    /// Makes words of numbers, before the first word comes.
    fn turn_to_words(&mut self) {
        if let Self::Numbers(values) = self {
            *self = Self::Words(values.iter().copied().map(word).collect());
        }
    }

    pub(crate) fn push_number(&mut self, value: f64) {
        match self {
            Self::Words(words) => words.push(word(value)),
            Self::Numbers(values) => values.push(value),
        }
    }

    pub(crate) fn push_word(&mut self, cell: String) {
        self.turn_to_words();
        if let Self::Words(words) = self {
            words.push(cell);
        }
    }

    /// The numbers that the cells are, or the first word that is none. Empty words are missing.
    pub(crate) fn numbers(&self) -> Result<Cow<'_, [f64]>, &str> {
        let words = match self {
            Self::Numbers(values) => return Ok(Cow::Borrowed(values)),
            Self::Words(words) => words,
        };
        let mut numbers = Vec::with_capacity(words.len());
        for word in words {
            numbers.push(match word.as_str() {
                "" => f64::NAN,
                word => word.parse().map_err(|_| word)?,
            });
        }
        Ok(Cow::Owned(numbers))
    }

    /// The first cells, `count` at most.
    pub(crate) fn first(&self, count: usize) -> Self {
        let mut first = self.like();
        first.append(self, 0, self.len().min(count));
        first
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
    /// The lines on which the rows stand, in a text table.
    pub(crate) lines: Lines,
}

/// The lines of a text file on which rows stand, counted from 1. Rows on consecutive lines take no memory of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// A row and its line, wherever the line is not the one below that of the row before.
    runs: Vec<(usize, u64)>,
}

impl Lines {
    /// The line of a row, if the rows come from lines.
    pub fn of_row(&self, row: usize) -> Option<u64> {
        let after = self.runs.partition_point(|&(first, _)| first <= row);
        let (first, line) = self.runs[..after].last()?;
        Some(line + (row - first) as u64)
    }

    pub(crate) fn push(&mut self, row: usize, line: u64) {
        if row == 0 || self.of_row(row) != Some(line) {
            self.runs.push((row, line));
        }
    }

    /// Adds the lines of rows `start` to `end` − 1 of `other` to those of `before` rows.
    fn append(&mut self, other: &Lines, before: usize, start: usize, end: usize) {
        let inner = other.runs.iter().map(|&(row, _)| row);
        for row in std::iter::once(start).chain(inner.filter(|&row| row > start && row < end)) {
            if let Some(line) = other.of_row(row) {
                self.push(before + row - start, line);
            }
        }
    }
}

impl Block {
    pub(crate) fn of_values(rows: usize, values: Values) -> Self {
        Self {
            rows,
            values,
            labels: None,
            ids: None,
            lines: Lines::default(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        self.lines = Lines::default();
        self.values.clear();
        self.labels = None;
        self.ids = None;
    }

    /// Adds rows `start` to `end` − 1 of `other`.
    pub(crate) fn append(&mut self, other: &Block, start: usize, end: usize, n_columns: usize) {
        self.lines.append(&other.lines, self.rows, start, end);
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
    /// Columns of each view; empty if no views were requested.
    pub(crate) view_widths: Vec<usize>,
    pub(crate) label_title: Option<String>,
    /// True if the label column was not requested.
    pub(crate) label_guessed: bool,
    pub(crate) id_title: Option<String>,
    pub(crate) image: Option<ImageShape>,
    /// The rows are pairs: id and label name two rows, the numbers are their distance and perhaps its weight.
    pub(crate) pairs: bool,
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
            view_widths: Vec::new(),
            label_title: None,
            label_guessed: false,
            id_title: None,
            image: None,
            pairs: false,
            notes: Vec::new(),
        }
    }
}

/// A reader that gives its rows block by block, as often as asked.
pub(crate) trait BlockSource {
    fn heading(&self) -> &Heading;

    fn heading_mut(&mut self) -> &mut Heading;

    /// The next rows; `None` at the end.
    fn next_block(&mut self) -> Result<Option<Block>>;

    /// Starts again with the first row.
    fn rewind(&mut self) -> Result<()>;

    /// The labels of the first `count` rows, before any row is read.
    fn first_labels(&mut self, count: usize) -> Result<Option<LabelColumn>> {
        read_first_labels(self, count)
    }

    /// Says that the labels are numbers, so that a word among them is an error with a place.
    fn expect_number_labels(&mut self) {}
}

/// The first labels of a source that has them only with its rows.
pub(crate) fn read_first_labels(
    source: &mut (impl BlockSource + ?Sized),
    count: usize,
) -> Result<Option<LabelColumn>> {
    let mut first: Option<LabelColumn> = None;
    while let Some(block) = source.next_block()? {
        let Some(labels) = block.labels else {
            break;
        };
        let all = first.get_or_insert_with(|| labels.like());
        all.append(&labels, 0, block.rows);
        if all.len() >= count {
            break;
        }
    }
    source.rewind()?;
    // Blocks are cut differently on other machines: what follows must not count.
    Ok(first.map(|labels| labels.first(count)))
}

fn word(value: f64) -> String {
    if value.is_nan() {
        String::new()
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_join_to_words() {
        let numbers = || LabelColumn::Numbers(vec![1.0, f64::NAN, 2.5]);
        let words = || LabelColumn::Words(vec!["w".into()]);
        let mut column = numbers();
        column.append(&words(), 0, 1);
        column.append(&numbers(), 1, 3);
        assert_eq!(column.into_words(), ["1", "", "2.5", "w", "", "2.5"]);
    }
}
