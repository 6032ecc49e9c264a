//! How a source is to be read.

use charta::data::Precision;

use crate::format::Format;

/// What the numbers of a square table mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A row per thing, a column per feature.
    #[default]
    Features,
    /// Distances between every two rows.
    Distances,
    /// A kernel between every two rows.
    Kernel,
}

/// What a chosen label column is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelKind {
    /// Words are classes. Numbers are classes if in the first 10,000 rows they are all whole, at
    /// least one repeats, and there are at most 50 different ones (or the square root of the number
    /// of these rows, if that is more).
    #[default]
    Detect,
    /// Every different word or number is a class.
    Classes,
    /// A number for every row.
    Numbers,
}

/// How a source is to be read. The default detects everything.
///
/// ```
/// use charta_io::ReadOptions;
/// let options = ReadOptions { label: Some("species".into()), ..ReadOptions::default() };
/// ```
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The column that holds the labels: a name, or a number counted from 0 (−1 is the last).
    pub label: Option<String>,
    /// What the labels are.
    pub label_kind: LabelKind,
    /// The column that names the rows: a name or a number.
    pub id: Option<String>,
    /// The columns used as features: names, numbers counted from 0, ranges `3-10`, patterns `a_*`,
    /// and, to leave out, any of these after a `!`. Empty: all that are neither label nor id.
    pub columns: Vec<String>,
    /// The columns of each of several views of the same rows, each chosen as in `columns`. The features then
    /// stand in the order of the views. Not together with `columns`.
    pub views: Vec<String>,
    /// Which array of an NPZ file.
    pub array: Option<String>,
    /// What separates the fields of a text table; detected if not given.
    pub delimiter: Option<u8>,
    /// Whether a text table begins with a line of names; detected if not given.
    pub header: Option<bool>,
    /// Words that stand for a missing value, whatever their case. An empty cell always does.
    pub missing: Vec<String>,
    /// What the numbers mean.
    pub kind: Kind,
    /// For a list of pairs: the columns of the two rows, of their distance and, if there is a fourth, of its weight.
    /// Found by their names if not given.
    pub edges: Vec<String>,
    /// Height and width to which images are resized; those of the first image if not given.
    pub image_size: Option<(usize, usize)>,
    /// Keep the three colours of images instead of their grey value.
    pub color: bool,
    /// Precision to store; what fits the source if not given.
    pub precision: Option<Precision>,
    /// The format, where the name does not show it.
    pub format: Option<Format>,
    /// Rows of a generated data set.
    pub n: Option<usize>,
    /// Noise of a generated data set.
    pub noise: Option<f64>,
    /// Seed of a generated data set.
    pub seed: Option<u64>,
}

/// Words that stand for a missing value unless others are given.
pub const MISSING_WORDS: [&str; 10] = [
    "NA", "N/A", "#N/A", "NaN", "-NaN", "null", "None", "?", "-", ".",
];

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            label: None,
            label_kind: LabelKind::Detect,
            id: None,
            columns: Vec::new(),
            views: Vec::new(),
            array: None,
            delimiter: None,
            header: None,
            missing: MISSING_WORDS.iter().map(ToString::to_string).collect(),
            kind: Kind::Features,
            edges: Vec::new(),
            image_size: None,
            color: false,
            precision: None,
            format: None,
            n: None,
            noise: None,
            seed: None,
        }
    }
}

impl ReadOptions {
    /// True if any column is chosen to be something.
    pub(crate) fn chooses(&self) -> bool {
        self.label.is_some()
            || self.id.is_some()
            || !self.columns.is_empty()
            || !self.views.is_empty()
    }

    /// True if this cell, without the spaces around it, stands for a missing value.
    pub(crate) fn is_missing(&self, cell: &str) -> bool {
        cell.is_empty()
            || self
                .missing
                .iter()
                .any(|word| word.eq_ignore_ascii_case(cell))
    }
}
