//! What can go wrong, and what is merely doubtful.
//!
//! Every mistake a user can make ends in an [`Error`] that says what is wrong, the limit, and what
//! was given. A result that exists but deserves a second look comes with a [`Warning`].

mod warning;

use std::fmt;

pub use warning::Warning;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call could not be carried out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has a value outside its range, or a combination that makes no sense.
    #[error("`{name}` {requirement}, got {given}")]
    Parameter {
        /// The parameter's name.
        name: String,
        /// What it must be: "must be at least 1".
        requirement: String,
        /// The value given, as the user would write it.
        given: String,
    },

    /// A parameter that the method does not have.
    #[error("`{method}` has no parameter `{name}`{}", did_you_mean(.nearest))]
    UnknownParameter {
        /// The method asked.
        method: String,
        /// The name given.
        name: String,
        /// The parameter whose name is closest.
        nearest: Option<String>,
    },

    /// A method that the registry does not have.
    #[error("there is no method `{name}`{}", did_you_mean(.nearest))]
    UnknownMethod {
        /// The name given.
        name: String,
        /// The method whose name is closest.
        nearest: Option<String>,
    },

    /// The data has no rows or no columns.
    #[error("the data is empty: {} and {}", counted(*.rows, "row"), counted(*.columns, "column"))]
    Empty {
        /// Rows given.
        rows: usize,
        /// Columns given.
        columns: usize,
    },

    /// Fewer rows than the method needs.
    #[error("{what} needs at least {}, the data has {given}", counted(*.needed, "row"))]
    TooFewRows {
        /// Who needs them.
        what: String,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        given: usize,
    },

    /// A value that is not a finite number.
    #[error(
        "the value at row {row}, column {column} is {value}: {count} of the values are not finite{}",
        .hint.map(|hint| format!("; {hint}")).unwrap_or_default()
    )]
    NotFinite {
        /// Row of the first one, counted from 0.
        row: usize,
        /// Column of the first one, counted from 0, with its name where known.
        column: String,
        /// The value, as text: `NaN`, `inf`, `-inf`.
        value: String,
        /// How many there are in all.
        count: usize,
        /// What the user can do about it.
        hint: Option<&'static str>,
    },

    /// A negative value, where the method takes none.
    #[error("{what} needs values of 0 or more; the value at row {row}, column {column} is {value}")]
    Negative {
        /// The method or model.
        what: String,
        /// Row of the first one, counted from 0.
        row: usize,
        /// Its column, counted from 0, with its name where known.
        column: String,
        /// The value, as text.
        value: String,
    },

    /// Two sizes that must agree do not.
    #[error("{what}: expected {expected}, got {given}")]
    Shape {
        /// What was compared.
        what: String,
        /// The size wanted.
        expected: String,
        /// The size found.
        given: String,
    },

    /// The method needs labels and the data has none.
    #[error("`{method}` learns from labels, and the data has none")]
    LabelsMissing {
        /// The method asked.
        method: String,
    },

    /// The method compares several views of the same rows and the data has one.
    #[error(
        "`{method}` compares views of the same rows, and the data has only one: say which columns belong to which view"
    )]
    ViewsMissing {
        /// The method asked.
        method: String,
    },

    /// Labels that are not what the method needs.
    #[error("the labels do not fit: {problem}")]
    Labels {
        /// What is wrong with them.
        problem: String,
    },

    /// A kind of input, or an operation, that this method or model does not offer.
    #[error("{what} {problem}")]
    Unsupported {
        /// The method or model.
        what: String,
        /// What it does not do.
        problem: String,
    },

    /// The data makes the question meaningless, such as the variance of constant data.
    #[error("{problem}")]
    Degenerate {
        /// What is wrong with the data, and what would help.
        problem: String,
    },

    /// The graph of neighbours is not in one piece, and it was asked to be.
    #[error(
        "the graph of neighbours falls into {n_parts} parts{}: take more neighbours or a larger radius, or \
         set `disconnected` to `join` or `largest`",
        sizes_of(.sizes)
    )]
    Disconnected {
        /// How many parts there are.
        n_parts: usize,
        /// Rows in each, largest first.
        sizes: Vec<usize>,
    },

    /// A numerical method stopped short of its goal and nothing useful came out.
    #[error("{what} did not converge: {reached}")]
    NotConverged {
        /// Which computation.
        what: String,
        /// How far it came.
        reached: String,
    },

    /// The run would need more memory than it may use.
    #[error(
        "this run would need about {} of memory and may use {}: {advice}",
        bytes(*.needed),
        bytes(*.limit)
    )]
    Memory {
        /// Bytes predicted at the peak.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
        /// What to do instead.
        advice: String,
    },

    /// The observer asked to stop.
    #[error("cancelled")]
    Cancelled,

    /// Bytes that are not a model of this program, or a damaged one.
    #[error("not a readable charta model: {problem}")]
    ModelFile {
        /// What is wrong with it.
        problem: String,
    },

    /// A source of batches failed.
    #[error("{0}")]
    Source(String),
}

impl Error {
    /// A parameter out of its range: `requirement` reads "must be …".
    pub fn parameter(
        name: impl Into<String>,
        requirement: impl Into<String>,
        given: impl fmt::Display,
    ) -> Self {
        Self::Parameter {
            name: name.into(),
            requirement: requirement.into(),
            given: given.to_string(),
        }
    }

    /// Two sizes that disagree.
    pub fn shape(
        what: impl Into<String>,
        expected: impl fmt::Display,
        given: impl fmt::Display,
    ) -> Self {
        Self::Shape {
            what: what.into(),
            expected: expected.to_string(),
            given: given.to_string(),
        }
    }

    /// Values whose products leave the range of numbers.
    pub fn too_large() -> Self {
        Self::Degenerate {
            problem: "the values are too large to be multiplied with each other: rescale them"
                .into(),
        }
    }

    /// Something this method or model does not do.
    pub fn unsupported(what: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Unsupported {
            what: what.into(),
            problem: problem.into(),
        }
    }

    /// The same error with its row counted from `rows` further on: for a part of the data.
    pub fn further_on(self, rows: usize) -> Self {
        match self {
            Self::NotFinite {
                row,
                column,
                value,
                count,
                hint,
            } => Self::NotFinite {
                row: row + rows,
                column,
                value,
                count,
                hint,
            },
            Self::Negative {
                what,
                row,
                column,
                value,
            } => Self::Negative {
                what,
                row: row + rows,
                column,
                value,
            },
            other => other,
        }
    }

    /// True when the user's call was wrong, rather than the data or the run.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Parameter { .. } | Self::UnknownParameter { .. } | Self::UnknownMethod { .. }
        )
    }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    }
}

/// The sizes of the largest parts: ` of 90, 7, 3 rows`.
fn sizes_of(sizes: &[usize]) -> String {
    const NAMED: usize = 5;
    let named: Vec<String> = sizes.iter().take(NAMED).map(usize::to_string).collect();
    let more = if sizes.len() > NAMED { ", …" } else { "" };
    format!(" of {}{more} rows", named.join(", "))
}

/// A count with its word: `1 row`, `2 rows`.
pub fn counted(count: usize, word: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {word}{ending}")
}

/// Fails if there are fewer rows than `what` needs.
pub fn check_rows(what: &str, needed: usize, given: usize) -> Result<()> {
    if given >= needed {
        return Ok(());
    }
    Err(Error::TooFewRows {
        what: what.into(),
        needed,
        given,
    })
}

/// Fails if more components are wanted than a table of this size has.
pub fn check_count(count: usize, n_rows: usize, n_columns: usize) -> Result<()> {
    let most = n_rows.min(n_columns);
    if count <= most {
        return Ok(());
    }
    let (rows, columns) = (counted(n_rows, "row"), counted(n_columns, "column"));
    Err(Error::parameter(
        "n_components",
        format!("must be at most {most}, because the data has {rows} and {columns}"),
        count,
    ))
}

/// A number of bytes as people write it: `1.5 GiB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{count} B")
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_the_limit_was_and_what_was_given() {
        let error = Error::parameter("n_components", "must be at least 1", 0);
        assert_eq!(
            error.to_string(),
            "`n_components` must be at least 1, got 0"
        );
        let error = Error::UnknownMethod {
            name: "pcaa".into(),
            nearest: Some("pca".into()),
        };
        assert_eq!(
            error.to_string(),
            "there is no method `pcaa`; did you mean `pca`?"
        );
    }

    #[test]
    fn more_components_than_rows_or_columns_are_refused() {
        assert!(check_count(4, 4, 9).is_ok());
        assert_eq!(
            check_count(2, 9, 1).unwrap_err().to_string(),
            "`n_components` must be at most 1, because the data has 9 rows and 1 column, got 2"
        );
    }

    #[test]
    fn bytes_are_written_in_binary_units() {
        assert_eq!(bytes(12), "12 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(3 << 30), "3.0 GiB");
    }
}
