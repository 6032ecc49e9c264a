//! The words of the command line for what errors and warnings are made of: flags, files and lines.

use charta::Error;
use charta::data::Scaling;
use charta::error::{Column, Input, Row, Vocabulary};
use charta::method::LabelUse;
use charta::params::{Json, is_word, show};
use charta_io::{Lines, Table};

use crate::cli::{command_name, flag};
use crate::fit::scaling_name;
use crate::views;

/// What was read, to say where something stands in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// Its name in sentences.
    pub(crate) name: Option<String>,
    lines: Lines,
    row_names: Option<Vec<String>>,
    /// How the values that an error names were scaled.
    scaling: Option<Scaling>,
}

impl Origin {
    /// The same, scaled before the library saw it.
    pub(crate) fn scaled(self, scaling: Scaling) -> Self {
        Self {
            scaling: Some(scaling),
            ..self
        }
    }
}

impl From<&str> for Origin {
    fn from(name: &str) -> Self {
        Self {
            name: Some(name.into()),
            ..Self::default()
        }
    }
}

impl From<&String> for Origin {
    fn from(name: &String) -> Self {
        name.as_str().into()
    }
}

impl From<&Table> for Origin {
    fn from(table: &Table) -> Self {
        Self {
            name: Some(crate::result::short_name(&table.name)),
            lines: table.lines.clone(),
            row_names: table.row_names.clone(),
            scaling: None,
        }
    }
}

/// A parameter as the user typed it.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) name: String,
    pub(crate) text: String,
    /// What it was read as.
    pub(crate) value: Json,
}

/// How the command line words messages for its users.
pub(crate) struct Words<'a> {
    pub(crate) origin: &'a Origin,
    pub(crate) typed: &'a [Typed],
}

impl Words<'_> {
    /// The words where nothing is known of a call.
    pub(crate) fn plain<T>(work: impl FnOnce(&Words<'_>) -> T) -> T {
        work(&Words {
            origin: &Origin::default(),
            typed: &[],
        })
    }
}

impl Vocabulary for Words<'_> {
    fn parameter(&self, name: &str) -> String {
        format!("`{}`", flag(name))
    }

    fn setting(&self, name: &str, value: &Json) -> String {
        format!("`{} {}`", flag(name), show(value))
    }

    fn given(&self, parameter: &str, value: &Json) -> String {
        let typed = self
            .typed
            .iter()
            .find(|typed| typed.name == parameter && typed.value == *value);
        match typed {
            Some(typed) if typed.text.trim().is_empty() => "nothing".into(),
            Some(typed) => typed.text.clone(),
            None => show(value),
        }
    }

    fn method(&self, name: &str) -> String {
        format!("`{}`", command_name(name))
    }

    fn row(&self, row: &Row) -> String {
        let names = self.origin.row_names.as_ref();
        let known = names.and_then(|names| names.get(row.index));
        let (line, name) = (
            self.origin.lines.of_row(row.index),
            row.name.as_ref().or(known),
        );
        match (line, name) {
            (Some(line), Some(name)) => format!("line {line} ({name:?})"),
            (Some(line), None) => format!("line {line}"),
            (None, Some(name)) => format!("row {} ({name:?})", row.index),
            (None, None) => format!("row {} (counted from 0)", row.index),
        }
    }

    fn column(&self, column: &Column) -> String {
        match &column.name {
            Some(name) => format!("column {name:?}"),
            None => format!("column {} (counted from 0)", column.index),
        }
    }

    fn input(&self, input: Input) -> String {
        match input {
            Input::DistancesTo => "`--distances`",
            Input::KernelTo => "`--kernel-matrix`",
            Input::Batches => "`--streaming`",
            Input::Scaled => "`--scale min-max`",
            Input::ClassNames => "`--label-kind classes`",
            _ => "which only the library takes, not the command line",
        }
        .into()
    }

    fn advice(&self, error: &Error) -> Option<String> {
        match error {
            Error::NotFinite {
                hint: None, value, ..
            } if value == "NaN" => Some(missing_advice()),
            Error::NotFinite { hint: None, .. } => {
                Some("correct it, or leave out its row or column".into())
            }
            Error::LabelsMissing { method } => {
                let predicts = charta::methods::find(method)
                    .is_ok_and(|entry| entry.info.labels == LabelUse::Target);
                let or_view = if predicts {
                    ", or give what is to be predicted as a second view: `--view LIST` twice, or two files"
                } else {
                    ""
                };
                Some(format!("name their column with `--label COLUMN`{or_view}"))
            }
            Error::ViewsMissing { .. } => Some(views::ADVICE.into()),
            Error::Negative { .. } => match self.origin.scaling? {
                scaling @ (Scaling::Center | Scaling::ZScore) => Some(format!(
                    "`--scale {}` makes values negative: `--scale min-max` does not",
                    scaling_name(scaling)
                )),
                _ => None,
            },
            Error::Parameter { name, given, .. } if is_word(given, "precomputed") => {
                match name.as_str() {
                    "metric" => Some("`--distances` reads a matrix of distances".into()),
                    "kernel" => Some("`--kernel-matrix` reads a kernel matrix".into()),
                    _ => None,
                }
            }
            _ => None,
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
        .map(|entry| format!("`{}`", command_name(entry.info.name)))
        .collect();
    let or_method = if methods.is_empty() {
        String::new()
    } else {
        format!(
            ", or use a method that can estimate missing values: {} with `--missing`",
            methods.join(", ")
        )
    };
    format!(
        "fill in such values, leave out their rows, or their columns with `--columns '!NAME'`{or_method}"
    )
}

#[cfg(test)]
mod tests {
    use charta::error::examples;

    use super::*;

    /// What only users of the library or of Python know.
    const FOREIGN: [&str; 12] = [
        "sample",
        "samples",
        "X",
        "True",
        "None",
        "`n_components`",
        "`n_neighbors`",
        "`gamma`",
        "`kernel_pca`",
        "`Data::distances_to`",
        "`disconnected",
        "`learning_rate`",
    ];

    #[test]
    fn every_error_and_warning_is_worded_with_flags() {
        Words::plain(|words| {
            for error in examples::errors() {
                let text = error.render(words);
                assert_eq!(examples::foreign(&text, &FOREIGN), None, "{text}");
                if let Error::Parameter { given, rule, .. } = &error {
                    assert!(text.contains("`--n-components`"), "{text}");
                    for part in rule.limits().iter().chain([&show(given)]) {
                        assert!(text.contains(part.as_str()), "{part:?} is not in {text:?}");
                    }
                }
            }
            for warning in examples::warnings() {
                let text = warning.render(words);
                assert_eq!(examples::foreign(&text, &FOREIGN), None, "{text}");
            }
        });
    }

    #[test]
    fn places_are_lines_and_names_of_columns() {
        let origin = Origin {
            row_names: Some(vec!["Berlin".into(), "Rome".into()]),
            ..Origin::from("cities.csv")
        };
        let words = Words {
            origin: &origin,
            typed: &[],
        };
        let column = Column {
            index: 3,
            name: Some("area".into()),
        };
        assert_eq!(words.place(1, &column), "row 1 (\"Rome\"), column \"area\"");
        assert_eq!(words.row(&2.into()), "row 2 (counted from 0)");
    }
}
