//! What can be wrong with a file: which file, where in it, what was found, what was expected.

use std::fmt;
use std::path::Path;

use crate::wording::count;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a source could not be read or a result could not be written. Each is one clear line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such file and no such data set.
    #[error("{source_name}: no such file or data set{}", did_you_mean(.suggestions))]
    NotFound {
        /// What was requested.
        source_name: String,
        /// Files beside it and data sets with similar names.
        suggestions: Vec<String>,
    },

    /// The operating system reported an error.
    #[error("{file}: {action}: {problem}")]
    Io {
        /// The file.
        file: String,
        /// What was tried: "cannot read".
        action: &'static str,
        /// The message of the system.
        problem: String,
        /// True if whoever read the output has closed it.
        closed: bool,
    },

    /// A cell that is not what its column holds. Columns count from 0, as they do in the options.
    #[error("{file}, line {line}, column {column}: {found:?} is not {expected}")]
    Cell {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// The column's number, with its name where it has one.
        column: String,
        /// What stands there.
        found: String,
        /// What was expected: "a number".
        expected: &'static str,
    },

    /// A row with more or fewer fields than the others.
    #[error("{file}, line {line}: {} where {reference} has {expected}", count(*.found, "field"))]
    Fields {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// Fields in this row.
        found: usize,
        /// Fields expected.
        expected: usize,
        /// Where the expectation comes from: "the header", "line 1".
        reference: String,
    },

    /// A column requested that is not there, or that is there twice.
    #[error("{file}: {problem}{}", did_you_mean(.suggestions))]
    Column {
        /// The file.
        file: String,
        /// What is wrong with the choice.
        problem: String,
        /// Columns with similar names.
        suggestions: Vec<String>,
    },

    /// The file is not a good file of its format.
    #[error("{file}: {problem}")]
    Content {
        /// The file.
        file: String,
        /// What was found and what was expected.
        problem: String,
    },

    /// An option whose value makes no sense, whatever the file.
    #[error("`{name}` {requirement}, got {given}")]
    Option {
        /// The option.
        name: String,
        /// What it must be: "must be at least 1".
        requirement: String,
        /// The value given.
        given: String,
    },

    /// Something that this format or this build does not do.
    #[error("{file}: {problem}")]
    Unsupported {
        /// The file.
        file: String,
        /// What is not done, and what to do instead.
        problem: String,
    },

    /// There is nothing in it.
    #[error("{}", nothing_in(.file))]
    Empty {
        /// The file, or "standard input".
        file: String,
    },

    /// A text table without rows.
    #[error("{file}: there is a header, and no row below it")]
    HeaderOnly {
        /// The file.
        file: String,
    },

    /// The output would replace the input.
    #[error("{file}: this is the input, which is never overwritten; choose another name")]
    SameFile {
        /// The output given.
        file: String,
    },

    /// The output would replace one of several files that the input consists of.
    #[error(
        "{file}: the input {input} reads this file, which is never overwritten; choose another name"
    )]
    PartOfInput {
        /// The output given.
        file: String,
        /// The input that reads it.
        input: String,
    },

    /// The library refused what was read.
    #[error("{file}: {source}")]
    Data {
        /// The file.
        file: String,
        /// The message of the library.
        source: charta::Error,
    },
}

impl Error {
    /// True when the call was wrong, rather than the file.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::NotFound { .. } | Self::Column { .. } | Self::Option { .. } => true,
            Self::SameFile { .. } | Self::PartOfInput { .. } | Self::Unsupported { .. } => true,
            Self::Data { source, .. } => source.is_usage(),
            _ => false,
        }
    }

    pub(crate) fn io(
        file: impl fmt::Display,
        action: &'static str,
        error: &std::io::Error,
    ) -> Self {
        Self::Io {
            file: file.to_string(),
            action,
            problem: io_problem(error),
            closed: error.kind() == std::io::ErrorKind::BrokenPipe,
        }
    }

    pub(crate) fn empty(file: &str) -> Self {
        Self::Empty { file: file.into() }
    }

    pub(crate) fn content(file: impl fmt::Display, problem: impl Into<String>) -> Self {
        Self::Content {
            file: file.to_string(),
            problem: problem.into(),
        }
    }

    pub(crate) fn unsupported(file: impl fmt::Display, problem: impl Into<String>) -> Self {
        Self::Unsupported {
            file: file.to_string(),
            problem: problem.into(),
        }
    }

    pub(crate) fn option(
        name: impl Into<String>,
        requirement: impl Into<String>,
        given: impl fmt::Display,
    ) -> Self {
        Self::Option {
            name: name.into(),
            requirement: requirement.into(),
            given: given.to_string(),
        }
    }

    pub(crate) fn data(file: impl fmt::Display, source: charta::Error) -> Self {
        Self::Data {
            file: file.to_string(),
            source,
        }
    }
}

/// Batches reach the library through its own error type.
impl From<Error> for charta::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Data { source, .. } => source,
            other => charta::Error::Source(other.to_string()),
        }
    }
}

fn nothing_in(file: &str) -> String {
    match file {
        crate::input::STANDARD => format!("{file} is empty"),
        _ => format!("{file}: the file is empty"),
    }
}

/// A path as it is shown in messages.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The message of the system, in words that fit a line: without "(os error 2)".
fn io_problem(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::NotFound => "no such file or folder".into(),
        ErrorKind::StorageFull => "no space left on the disk".into(),
        ErrorKind::UnexpectedEof => "the file ends too early".into(),
        _ => {
            let text = error.to_string();
            match text.find(" (os error") {
                Some(end) => text[..end].to_string(),
                None => text,
            }
        }
    }
}

fn did_you_mean(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        [only] => format!("; did you mean {only:?}?"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|name| format!("{name:?}")).collect();
            format!("; did you mean {} or {last:?}?", first.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_read_as_a_question() {
        let error = Error::NotFound {
            source_name: "iri".into(),
            suggestions: vec!["iris".into(), "iris.csv".into()],
        };
        assert_eq!(
            error.to_string(),
            "iri: no such file or data set; did you mean \"iris\" or \"iris.csv\"?"
        );
        assert!(error.is_usage());
    }

    #[test]
    fn system_errors_lose_their_numbers() {
        let error = std::io::Error::from_raw_os_error(21);
        assert!(!io_problem(&error).contains("os error"));
    }
}
