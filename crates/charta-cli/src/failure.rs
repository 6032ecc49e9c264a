//! Why a call ended early, and the exit code that says so.

use std::io;

use charta::method::LabelUse;

use crate::{signals, views};

/// Why a call ended without doing what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The call was wrong: exit code 2.
    Usage(String),
    /// The run failed: exit code 1.
    Run(String),
    /// A signal stopped it, and nothing was written: 130 for Ctrl-C, as shells count an interrupt.
    Cancelled,
    /// A signal ended a layout early, and it was written as far as it came: the same exit codes.
    Partial,
    /// Whoever read the output has seen enough. Nothing is wrong.
    ClosedPipe,
    /// The call was wrong, and the user has been told.
    Shown,
}

/// What a command comes to.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// The process's exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Shown => 2,
            Self::Run(_) => 1,
            Self::Cancelled | Self::Partial => signals::exit_code(),
            Self::ClosedPipe => 0,
        }
    }

    /// The line to show, if any.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::Usage(text) | Self::Run(text) => Some(format!("error: {text}")),
            Self::Cancelled => Some("cancelled: nothing was written".into()),
            Self::Partial => {
                Some("interrupted: the outputs hold the layout as far as it came".into())
            }
            Self::ClosedPipe | Self::Shown => None,
        }
    }

    /// The failure with its text changed.
    pub(crate) fn map(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Usage(text) => Self::Usage(change(text)),
            Self::Run(text) => Self::Run(change(text)),
            other => other,
        }
    }

    /// The call was wrong.
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// The library refused this data.
    pub(crate) fn of_data(error: charta::Error, name: &str) -> Self {
        if let charta::Error::Negative {
            what,
            row,
            column,
            value,
        } = &error
        {
            return Self::Run(format!(
                "{name}: row {row} (counted from 0), column {column}: found {value}, and {what} needs values of 0 or more"
            ));
        }
        let charta::Error::NotFinite {
            row,
            column,
            value,
            count,
            hint,
        } = &error
        else {
            let failure = Self::from(error);
            return match failure {
                Self::Run(text) => Self::Run(format!("{name}: {text}")),
                other => other,
            };
        };
        let found = if value == "NaN" {
            "no value (NaN)"
        } else {
            value.as_str()
        };
        let others = match count - 1 {
            0 => String::new(),
            others => format!(", and {others} more like it"),
        };
        let hint = match (hint, value.as_str()) {
            (Some(hint), _) => (*hint).into(),
            (None, "NaN") => missing_advice(),
            (None, _) => "correct it, or leave out its row or column".into(),
        };
        Self::Run(format!(
            "{name}: row {row} (counted from 0), column {column}: found {found} where a finite number \
             was expected{others}; {hint}"
        ))
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
        match &error {
            charta::Error::Cancelled => Self::Cancelled,
            charta::Error::LabelsMissing { method } => {
                let predicts = charta::methods::find(method)
                    .is_ok_and(|entry| entry.info.labels == LabelUse::Target);
                let or_view = match predicts {
                    true => {
                        ", or give what is to be predicted as a second view: `--view LIST` twice, or two files"
                    }
                    false => "",
                };
                Self::Usage(format!(
                    "{error}; name their column with `--label COLUMN`{or_view}"
                ))
            }
            charta::Error::ViewsMissing { .. } => {
                Self::Usage(format!("{error}; {}", views::ADVICE))
            }
            // A method asked for what it does not do: another call is needed, not other data.
            charta::Error::Unsupported { .. } => Self::Usage(error.to_string()),
            _ if error.is_usage() => Self::Usage(error.to_string()),
            _ => Self::Run(error.to_string()),
        }
    }
}

impl From<charta_io::Error> for Failure {
    fn from(error: charta_io::Error) -> Self {
        match &error {
            charta_io::Error::Io { file, problem, .. }
                if matches!(file.as_str(), "-" | "standard output")
                    && problem.to_lowercase().contains("broken pipe") =>
            {
                Self::ClosedPipe
            }
            charta_io::Error::Data { file, source }
                if !matches!(source, charta::Error::Cancelled) =>
            {
                Self::from(source.clone()).map(|text| format!("{file}: {text}"))
            }
            _ if error.is_usage() => Self::Usage(error.to_string()),
            _ => Self::Run(error.to_string()),
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

/// What to do about missing values.
fn missing_advice() -> String {
    let takes_missing = |entry: &&charta::registry::Entry| {
        let specs = entry.specs();
        specs.iter().any(|spec| spec.name == "missing")
    };
    let methods: Vec<String> = charta::methods::METHODS
        .iter()
        .filter(takes_missing)
        .map(|entry| format!("`{}`", entry.info.name.replace('_', "-")))
        .collect();
    let or_method = match methods.is_empty() {
        true => String::new(),
        false => format!(
            ", or use a method that can estimate missing values: {} with `--missing`",
            methods.join(", ")
        ),
    };
    format!(
        "fill in such values, leave out their rows, or their columns with `--columns '!NAME'`{or_method}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_tell_a_wrong_call_from_a_failed_run() {
        let wrong = Failure::from(charta::Error::parameter("trim", "must be at most 0.5", 2));
        assert_eq!(wrong.code(), 2);
        let failed = Failure::from(charta::Error::Degenerate {
            problem: "constant".into(),
        });
        assert_eq!(failed.code(), 1);
        assert_eq!(Failure::from(charta::Error::Cancelled).code(), 130);
    }
}
