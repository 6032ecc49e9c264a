//! Why a call ended early, and the exit code that says so.

use std::io;

use crate::error_wording::{Origin, Typed, Words};
use crate::signals;

/// Why a call ended without a result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The call was wrong: exit code 2.
    Usage(String),
    /// The run failed: exit code 1.
    Run(String),
    /// The library refused. It is worded when it is shown, with all that is known by then of the call.
    Refused(Box<Refusal>),
    /// A signal stopped it, and nothing was written: 130 for Ctrl-C, as shells count an interrupt.
    Cancelled,
    /// A signal ended a fit early, and it was written unfinished: the same exit codes.
    Partial,
    /// Whoever read the output has seen enough. Nothing is wrong.
    ClosedPipe,
    /// The call was wrong, and the message has been printed.
    Shown,
}

/// An error of the library, and where it comes from.
#[derive(Debug)]
pub(crate) struct Refusal {
    error: charta::Error,
    /// What was read.
    origin: Origin,
    /// True if the message begins with the file also where the call was wrong.
    named: bool,
    /// The parameters as the user typed them.
    typed: Vec<Typed>,
}

impl Refusal {
    fn is_usage(&self) -> bool {
        use charta::Error::{LabelsMissing, Unsupported, ViewsMissing};
        // The method does not support the request: another call is needed, not other data.
        let other_call = matches!(
            self.error,
            LabelsMissing { .. } | ViewsMissing { .. } | Unsupported { .. }
        );
        other_call || self.error.is_usage()
    }

    fn text(&self) -> String {
        let text = self.error.render(&Words {
            origin: &self.origin,
            typed: &self.typed,
        });
        match &self.origin.name {
            Some(name) if self.named || !self.is_usage() => format!("{name}: {text}"),
            _ => text,
        }
    }
}

/// What a command comes to.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// The process's exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Shown => 2,
            Self::Run(_) => 1,
            Self::Refused(refusal) => {
                if refusal.is_usage() {
                    2
                } else {
                    1
                }
            }
            Self::Cancelled | Self::Partial => signals::exit_code(),
            Self::ClosedPipe => 0,
        }
    }

    /// The line to show, if any.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::Usage(text) | Self::Run(text) => Some(format!("error: {text}")),
            Self::Refused(refusal) => Some(format!("error: {}", refusal.text())),
            Self::Cancelled => Some(signals::cancelled().into()),
            Self::Partial => Some("interrupted: the outputs hold the unfinished embedding".into()),
            Self::ClosedPipe | Self::Shown => None,
        }
    }

    /// The failure with the parameters as the user typed them.
    pub(crate) fn typed(mut self, typed: Vec<Typed>) -> Self {
        if let Self::Refused(refusal) = &mut self {
            refusal.typed = typed;
        }
        self
    }

    /// The call was wrong.
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// The library refused this data.
    pub(crate) fn of_data(error: charta::Error, origin: impl Into<Origin>) -> Self {
        Self::refused(error, origin.into(), false)
    }

    fn refused(error: charta::Error, origin: Origin, named: bool) -> Self {
        match error {
            charta::Error::Cancelled => Self::Cancelled,
            error => Self::Refused(Box::new(Refusal {
                error,
                origin,
                named,
                typed: Vec::new(),
            })),
        }
    }

    /// Standard output could not be written.
    pub(crate) fn of_standard_output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Run(format!("standard output: cannot write: {error}")),
        }
    }
}

impl From<charta::Error> for Failure {
    fn from(error: charta::Error) -> Self {
        Self::refused(error, Origin::default(), false)
    }
}

impl From<charta_io::Error> for Failure {
    fn from(error: charta_io::Error) -> Self {
        match error {
            charta_io::Error::Io {
                file, closed: true, ..
            } if matches!(file.as_str(), "-" | "standard output") => Self::ClosedPipe,
            charta_io::Error::Data { file, source } => {
                Self::refused(source, file.as_str().into(), true)
            }
            error if error.is_usage() => Self::Usage(error.to_string()),
            error => Self::Run(error.to_string()),
        }
    }
}

impl From<charta_plot::Error> for Failure {
    fn from(error: charta_plot::Error) -> Self {
        use charta_plot::Error::{UnknownFormat, UnsupportedFormat};
        match &error {
            UnknownFormat { .. } | UnsupportedFormat { .. } => Self::Usage(error.to_string()),
            _ => Self::Run(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use charta::error::message;

    use super::*;

    #[test]
    fn codes_tell_a_wrong_call_from_a_failed_run() {
        let wrong = Failure::from(charta::Error::at_least("trim", 0.0, -2.0));
        assert_eq!(wrong.code(), 2);
        let failed = Failure::from(charta::Error::degenerate(message!("constant")));
        assert_eq!(failed.code(), 1);
        assert_eq!(Failure::from(charta::Error::Cancelled).code(), 130);
    }
}
