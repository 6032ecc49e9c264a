//! The words of a front for what errors and warnings are made of.

use serde_json::Value as Json;

use super::{Column, Error, Input, Noun, Row};
use crate::params::show;

/// How a front words messages for its users: the names of its parameters, how values are written, what a row is called and
/// where it stands. The library's own words are the defaults.
pub trait Vocabulary {
    /// A parameter: `` `n_neighbors` ``.
    fn parameter(&self, name: &str) -> String {
        format!("`{name}`")
    }

    /// A parameter with a value: `` `solver = exact` ``.
    fn setting(&self, name: &str, value: &Json) -> String {
        format!("`{name} = {}`", show(value))
    }

    /// A value that a parameter takes: `` `auto` ``, 3, true.
    fn value(&self, value: &Json) -> String {
        match value {
            Json::String(word) => format!("`{word}`"),
            other => show(other),
        }
    }

    /// The value that was given for a parameter, as the user wrote it.
    fn given(&self, _parameter: &str, value: &Json) -> String {
        show(value)
    }

    /// Values that this front takes for a parameter besides those of the library.
    fn further_values(&self, _parameter: &str) -> Vec<String> {
        Vec::new()
    }

    /// A method: `` `umap` ``.
    fn method(&self, name: &str) -> String {
        format!("`{name}`")
    }

    /// The word for a row, a column, the data.
    fn noun(&self, noun: Noun) -> &'static str {
        match noun {
            Noun::Row => "row",
            Noun::Rows => "rows",
            Noun::Column => "column",
            Noun::Columns => "columns",
            Noun::Data => "the data",
        }
    }

    /// A row: `row 3 ("Berlin")`.
    fn row(&self, row: &Row) -> String {
        let noun = self.noun(Noun::Row);
        match &row.name {
            Some(name) => format!("{noun} {} ({name:?})", row.index),
            None => format!("{noun} {}", row.index),
        }
    }

    /// A column: `column 3 ("weight")`.
    fn column(&self, column: &Column) -> String {
        let noun = self.noun(Noun::Column);
        match &column.name {
            Some(name) => format!("{noun} {} ({name:?})", column.index),
            None => format!("{noun} {}", column.index),
        }
    }

    /// A value by its row and column.
    fn place(&self, row: usize, column: &Column) -> String {
        format!("{}, {}", self.row(&row.into()), self.column(column))
    }

    /// How a kind of data is given.
    fn input(&self, input: Input) -> String {
        match input {
            Input::DistancesTo => "`Data::distances_to`",
            Input::KernelTo => "`Data::kernel_to`",
            Input::AffinitiesTo => "`Data::affinities_to`",
            Input::OwnKernel => "`Data::with_own_kernel`",
            Input::Batches => "`Fit::fit_batches`",
            Input::DistanceFunction => "`Data::with_distance`",
            Input::KernelFunction => "`Data::with_kernel`",
            Input::Scaled => "`Scaling::MinMax`",
            Input::ClassNames => "`Labels::from_words`",
        }
        .into()
    }

    /// Words that the message of an error opens with, for users who search for them.
    fn opening(&self, _error: &Error) -> Option<String> {
        None
    }

    /// What the front's user can do about an error, where the error does not say it itself.
    fn advice(&self, _error: &Error) -> Option<String> {
        None
    }
}

/// The words of the library, as [`Display`](std::fmt::Display) uses them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Library;

impl Vocabulary for Library {}
