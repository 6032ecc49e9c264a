//! Errors and warnings.
//!
//! Every mistake a user can make ends in an [`Error`] that says what is wrong, the limit, and what
//! was given. A result that exists but deserves a second look comes with a [`Warning`].

#[doc(hidden)]
pub mod examples;
mod message;
mod rule;
mod vocabulary;
mod warning;
mod wording;

use std::fmt;

use serde_json::Value as Json;

#[doc(hidden)]
pub use message::literal;
pub use message::{Column, Given, Input, Message, MessageArgument, Noun, Piece, Row};
pub use rule::{Because, Limit, Rule, describe};
pub use vocabulary::{Library, Vocabulary};
pub use warning::{StepUnit, Warning};

pub(crate) use message::{number, subject};

pub use charta_macros::message;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call could not be carried out. [`Error::render`] words it for the users of a front;
/// [`Display`](fmt::Display) uses the library's own words.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has a value outside its range, or a combination that makes no sense.
    Parameter {
        /// The parameter's name.
        name: String,
        /// What it must be.
        rule: Box<Rule>,
        /// The value given.
        given: Json,
    },

    /// A parameter that the method does not have.
    UnknownParameter {
        /// The method, where there is one.
        method: Option<String>,
        /// The name given.
        name: String,
        /// The parameter whose name is closest.
        nearest: Option<String>,
    },

    /// A method that the registry does not have.
    UnknownMethod {
        /// The name given.
        name: String,
        /// The method whose name is closest.
        nearest: Option<String>,
    },

    /// The data has no rows or no columns.
    Empty {
        /// Rows given.
        rows: usize,
        /// Columns given.
        columns: usize,
    },

    /// Fewer rows than the method needs.
    TooFewRows {
        /// Who needs them.
        what: Message,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        given: usize,
    },

    /// A value that is not a finite number.
    NotFinite {
        /// Row of the first one, counted from 0.
        row: usize,
        /// Its column.
        column: Column,
        /// The value, as text: `NaN`, `inf`, `-inf`.
        value: String,
        /// How many there are in all.
        count: usize,
        /// What the user can do about it.
        hint: Option<Message>,
    },

    /// A negative value, where the method takes none.
    Negative {
        /// The method or model.
        what: Message,
        /// Row of the first one, counted from 0.
        row: usize,
        /// Its column.
        column: Column,
        /// The value, as text.
        value: String,
    },

    /// Two sizes that must agree do not, or a value is not what it must be.
    Shape {
        /// What was compared.
        what: Message,
        /// The size needed.
        expected: Message,
        /// The size found.
        given: Message,
    },

    /// The method needs labels and the data has none.
    LabelsMissing {
        /// The method.
        method: String,
    },

    /// The method compares several views of the same rows and the data has one.
    ViewsMissing {
        /// The method.
        method: String,
    },

    /// Labels that are not what the method needs.
    Labels {
        /// What is wrong with them.
        problem: Message,
    },

    /// A kind of input, or an operation, that this method or model does not offer.
    Unsupported {
        /// The method or model.
        what: Message,
        /// What it does not do.
        problem: Message,
    },

    /// The data makes the question meaningless, such as the variance of constant data.
    Degenerate {
        /// What is wrong with the data, and what would help.
        problem: Message,
    },

    /// The neighbour graph is not connected, and it was required to be.
    Disconnected {
        /// How many connected components there are.
        n_connected_components: usize,
        /// Rows in each, largest first.
        sizes: Vec<usize>,
    },

    /// A numerical method stopped short of its goal and nothing useful came out.
    NotConverged {
        /// Which computation.
        what: Message,
        /// How far it came, and what would help.
        reached: Message,
    },

    /// The run would need more memory than it may use.
    Memory {
        /// Bytes predicted at the peak.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
        /// What to do instead.
        advice: Message,
    },

    /// The run was cancelled by the observer.
    Cancelled,

    /// Bytes that are not a model of this program, or a damaged one.
    ModelFile {
        /// What is wrong with it.
        problem: String,
    },

    /// The system started no threads.
    Threads {
        /// How many were to be started.
        count: usize,
        /// The message of the system.
        problem: String,
    },

    /// A function of the caller failed: a scorer, a distance, a kernel.
    Function {
        /// The message of the function.
        problem: String,
    },

    /// A source of batches failed.
    Source(String),
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&Library))
    }
}

impl Error {
    /// A parameter that is not what it must be.
    pub fn parameter(name: impl Into<String>, rule: impl Into<Rule>, given: impl Given) -> Self {
        Self::Parameter {
            name: name.into(),
            rule: Box::new(rule.into()),
            given: given.given(),
        }
    }

    /// A parameter that is too small.
    pub fn at_least(name: impl Into<String>, limit: impl Into<Limit>, given: impl Given) -> Self {
        let (limit, because) = (limit.into(), None);
        Self::parameter(name, Rule::AtLeast { limit, because }, given)
    }

    /// A parameter that is too large for the data.
    pub(crate) fn at_most(
        name: impl Into<String>,
        limit: impl Into<Limit>,
        because: impl Into<Because>,
        given: impl Given,
    ) -> Self {
        let (limit, because) = (limit.into(), Some(because.into()));
        Self::parameter(name, Rule::AtMost { limit, because }, given)
    }

    /// A parameter whose value cannot be combined with others, or with the data: it must be one of `values`.
    pub(crate) fn one_of(
        name: impl Into<String>,
        values: &[&'static str],
        because: impl Into<Because>,
        given: impl Given,
    ) -> Self {
        let values = values.iter().map(|&value| literal(value)).collect();
        let because = Some(because.into());
        Self::parameter(name, Rule::OneOf { values, because }, given)
    }

    /// A parameter whose value cannot be combined with others, or with the data.
    pub(crate) fn not(
        name: impl Into<String>,
        because: impl Into<Because>,
        given: impl Given,
    ) -> Self {
        let (value, because) = (given.given(), because.into());
        Self::parameter(name, Rule::Not { value, because }, given)
    }

    /// Two sizes that disagree.
    pub fn shape(
        what: Message,
        expected: impl MessageArgument,
        given: impl MessageArgument,
    ) -> Self {
        Self::Shape {
            what,
            expected: Message::new().with(&expected),
            given: Message::new().with(&given),
        }
    }

    /// Fewer rows than `what` needs.
    pub(crate) fn too_few_rows(what: Message, needed: usize, given: usize) -> Self {
        Self::TooFewRows {
            what,
            needed,
            given,
        }
    }

    /// Values whose products overflow.
    pub(crate) fn too_large() -> Self {
        Self::degenerate(message!(
            "the values are too large: their squares overflow; rescale them (features with {Scaled:input})"
        ))
    }

    /// Data that makes the question meaningless.
    pub fn degenerate(problem: Message) -> Self {
        Self::Degenerate { problem }
    }

    /// Something this method or model does not do.
    pub fn unsupported(what: Message, problem: Message) -> Self {
        Self::Unsupported { what, problem }
    }

    /// The same error with its row counted from `rows` further on: for a part of the data.
    pub fn further_on(mut self, rows: usize) -> Self {
        if let Self::NotFinite { row, .. } | Self::Negative { row, .. } = &mut self {
            *row += rows;
        }
        self
    }

    /// The same error with the names of the rows that it mentions.
    pub fn with_row_names(mut self, names: &[String]) -> Self {
        if let Self::Shape { what: message, .. }
        | Self::Degenerate { problem: message }
        | Self::Labels { problem: message } = &mut self
        {
            message.name_rows(names);
        }
        self
    }

    /// True when the user's call was wrong, rather than the data or the run.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Parameter { .. } | Self::UnknownParameter { .. } | Self::UnknownMethod { .. }
        )
    }
}

/// A count with its word: `1 edge`, `2 edges`.
pub fn counted(count: usize, word: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {word}{ending}")
}

/// Fails if there are fewer rows than `what` needs.
pub(crate) fn check_rows(what: Message, needed: usize, given: usize) -> Result<()> {
    if given >= needed {
        return Ok(());
    }
    Err(Error::too_few_rows(what, needed, given))
}

/// Fails if more components are requested than a table of this size has.
pub(crate) fn check_count(count: usize, n_rows: usize, n_columns: usize) -> Result<()> {
    let most = n_rows.min(n_columns);
    if count <= most {
        return Ok(());
    }
    let because = Because::Size {
        rows: n_rows,
        columns: n_columns,
    };
    Err(Error::at_most("n_components", most, because, count))
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
        let error = Error::at_least("n_components", 1, 0_usize);
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
    fn every_error_and_warning_names_the_parameter_the_limit_and_the_value() {
        for error in examples::errors() {
            let text = error.to_string();
            if let Error::Parameter { name, rule, given } = &error {
                for part in rule
                    .limits()
                    .iter()
                    .chain([name, &crate::params::show(given)])
                {
                    assert!(text.contains(part.as_str()), "{part:?} is not in {text:?}");
                }
            }
            let foreign = examples::foreign(&text, &["sample", "samples", "X", "True", "None"]);
            assert_eq!(foreign, None, "{text}");
        }
        for warning in examples::warnings() {
            let text = warning.to_string();
            assert!(text.len() > 20 && !text.contains("--"), "{text}");
        }
    }

    #[test]
    fn bytes_are_written_in_binary_units() {
        assert_eq!(bytes(12), "12 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(3 << 30), "3.0 GiB");
    }
}
