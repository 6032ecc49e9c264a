//! Sentences with typed pieces. What each front has its own word for, such as a parameter or a row, stays data until
//! the sentence is rendered.

use std::borrow::Cow;
use std::fmt::{Display, LowerExp};

use serde_json::Value as Json;

use super::Vocabulary;
use crate::params::Value;

/// A sentence, or a part of one. Made by [`message!`](crate::error::message!).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    pieces: Vec<Piece>,
}

/// A piece of a [`Message`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Piece {
    /// Words that are the same in every front.
    Text(Cow<'static, str>),
    /// The front's word for a thing that tables and arrays call differently.
    Word(Noun),
    /// This many of them.
    Count(usize, Noun),
    /// One row.
    Row(Row),
    /// One column.
    Column(Column),
    /// The name of a parameter.
    Parameter(Cow<'static, str>),
    /// A parameter with a value.
    Setting(Cow<'static, str>, Json),
    /// A value that a parameter takes.
    Value(Json),
    /// A method by its name in the registry.
    Method(String),
    /// A way to give data.
    Input(Input),
}

/// What tables and arrays call differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noun {
    /// A row, or a sample.
    Row,
    /// Several of them.
    Rows,
    /// A column, or a feature.
    Column,
    /// Several of them.
    Columns,
    /// The data that a method is fitted to.
    Data,
}

/// A row by its number, counted from 0, and its name where it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
}

impl Row {
    /// A row with the name that `names` has for it.
    pub fn new(index: usize, names: Option<&[String]>) -> Self {
        Self {
            index,
            name: names.and_then(|names| names.get(index)).cloned(),
        }
    }
}

impl From<usize> for Row {
    fn from(index: usize) -> Self {
        Self { index, name: None }
    }
}

/// A column by its number, counted from 0, and its name where it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its number among the columns used.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
}

impl Column {
    /// A column with the name that `names` has for it.
    pub fn new(index: usize, names: Option<&[String]>) -> Self {
        Self {
            index,
            name: names.and_then(|names| names.get(index)).cloned(),
        }
    }
}

/// Ways to give data besides features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// Distances of new rows to the rows of a model.
    DistancesTo,
    /// Kernels of new rows with the rows of a model.
    KernelTo,
    /// Affinities of new rows to the rows of a model.
    AffinitiesTo,
    /// Kernels of new rows with themselves.
    OwnKernel,
    /// Rows in batches.
    Batches,
    /// The function that measures distances.
    DistanceFunction,
    /// The function that is the kernel.
    KernelFunction,
    /// Features scaled to the range from 0 to 1.
    Scaled,
    /// Labels that are names of classes, also if they look like numbers.
    ClassNames,
}

impl Message {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The pieces in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The sentence in the words of a front.
    pub fn render(&self, words: &dyn Vocabulary) -> String {
        self.pieces
            .iter()
            .map(|piece| piece.render(words))
            .collect()
    }

    /// Gives rows without a name those of `names`.
    pub(super) fn name_rows(&mut self, names: &[String]) {
        for piece in &mut self.pieces {
            if let Piece::Row(row) = piece
                && row.name.is_none()
            {
                row.name = names.get(row.index).cloned();
            }
        }
    }

    fn push(mut self, piece: Piece) -> Self {
        self.pieces.push(piece);
        self
    }

    /// Adds words that are the same in every front.
    pub fn text(self, text: &'static str) -> Self {
        self.push(Piece::Text(text.into()))
    }

    /// Adds a name or a number that is part of the data, not of a front's words.
    pub fn owned_text(self, text: impl Into<String>) -> Self {
        self.push(Piece::Text(text.into().into()))
    }

    /// Adds a value, or another message.
    pub fn with(mut self, argument: &dyn MessageArgument) -> Self {
        self.pieces.extend(argument.pieces());
        self
    }

    /// Adds the word for a row.
    pub fn row_word(self) -> Self {
        self.push(Piece::Word(Noun::Row))
    }

    /// Adds the word for rows.
    pub fn rows_word(self) -> Self {
        self.push(Piece::Word(Noun::Rows))
    }

    /// Adds the word for a column.
    pub fn column_word(self) -> Self {
        self.push(Piece::Word(Noun::Column))
    }

    /// Adds the word for columns.
    pub fn columns_word(self) -> Self {
        self.push(Piece::Word(Noun::Columns))
    }

    /// Adds the word for the data.
    pub fn data_word(self) -> Self {
        self.push(Piece::Word(Noun::Data))
    }

    /// Adds a number of rows.
    pub fn rows(self, count: usize) -> Self {
        self.push(Piece::Count(count, Noun::Row))
    }

    /// Adds a number of columns.
    pub fn columns(self, count: usize) -> Self {
        self.push(Piece::Count(count, Noun::Column))
    }

    /// Adds a row by its number.
    pub fn row(self, row: impl Into<Row>) -> Self {
        self.push(Piece::Row(row.into()))
    }

    /// Adds rows by their numbers, with commas between them.
    pub fn row_list(mut self, rows: impl IntoIterator<Item = usize>) -> Self {
        for (place, row) in rows.into_iter().enumerate() {
            if place > 0 {
                self = self.text(", ");
            }
            self = self.row(row);
        }
        self
    }

    /// Adds a column.
    pub fn column(self, column: impl Into<Column>) -> Self {
        self.push(Piece::Column(column.into()))
    }

    /// Adds the name of a parameter.
    pub fn parameter(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.push(Piece::Parameter(name.into()))
    }

    /// Adds a parameter with a value.
    pub fn setting(self, name: impl Into<Cow<'static, str>>, value: Json) -> Self {
        self.push(Piece::Setting(name.into(), value))
    }

    /// Adds a word that a parameter takes.
    pub fn word(self, word: &str) -> Self {
        self.push(Piece::Value(Json::from(word)))
    }

    /// Adds a value that a parameter takes.
    pub fn value(self, value: Json) -> Self {
        self.push(Piece::Value(value))
    }

    /// Adds a method.
    pub fn method(self, name: impl Into<String>) -> Self {
        self.push(Piece::Method(name.into()))
    }

    /// Adds a way to give data.
    pub fn input(self, input: Input) -> Self {
        self.push(Piece::Input(input))
    }
}

impl Piece {
    fn render(&self, words: &dyn Vocabulary) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::Word(noun) => words.noun(*noun).into(),
            Self::Count(count, noun) => count_of(*count, *noun, words),
            Self::Row(row) => words.row(row),
            Self::Column(column) => words.column(column),
            Self::Parameter(name) => words.parameter(name),
            Self::Setting(name, value) => words.setting(name, value),
            Self::Value(value) => words.value(value),
            Self::Method(name) => words.method(name),
            Self::Input(input) => words.input(*input),
        }
    }
}

/// A count with the front's word: `1 row`, `2 samples`.
pub(super) fn count_of(count: usize, noun: Noun, words: &dyn Vocabulary) -> String {
    let noun = match (count, noun) {
        (1, Noun::Row | Noun::Rows) => Noun::Row,
        (_, Noun::Row | Noun::Rows) => Noun::Rows,
        (1, Noun::Column | Noun::Columns) => Noun::Column,
        (_, Noun::Column | Noun::Columns) => Noun::Columns,
        (_, Noun::Data) => Noun::Data,
    };
    format!("{count} {}", words.noun(noun))
}

impl From<usize> for Column {
    fn from(index: usize) -> Self {
        Self { index, name: None }
    }
}

/// Who reports or needs something: a method by its name in the registry, or something else in words.
pub(crate) fn subject(name: &str) -> Message {
    if name.contains(' ') {
        Message::new().owned_text(name)
    } else {
        Message::new().method(name)
    }
}

/// What can fill a hole of a [`Message`]: anything that is shown the same in every front, and other messages.
pub trait MessageArgument {
    /// Its pieces.
    fn pieces(&self) -> Vec<Piece>;
}

macro_rules! shown_as_it_is {
    ($($type:ty),*) => {$(
        impl MessageArgument for $type {
            fn pieces(&self) -> Vec<Piece> {
                vec![Piece::Text(self.to_string().into())]
            }
        }
    )*};
}
shown_as_it_is!(str, String, char, u8, u32, u64, usize, i32, i64);

impl MessageArgument for f64 {
    fn pieces(&self) -> Vec<Piece> {
        vec![Piece::Text(number(*self).into())]
    }
}

impl MessageArgument for f32 {
    fn pieces(&self) -> Vec<Piece> {
        vec![Piece::Text(number(*self).into())]
    }
}

impl<T: MessageArgument + ?Sized> MessageArgument for &T {
    fn pieces(&self) -> Vec<Piece> {
        (**self).pieces()
    }
}

/// A number in a sentence: with an exponent where it would otherwise have many zeros.
pub(crate) fn number<T: Display + LowerExp + Copy + Into<f64>>(value: T) -> String {
    let size: f64 = value.into().abs();
    if size.is_finite() && size != 0.0 && !(1e-5..1e15).contains(&size) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

impl MessageArgument for Message {
    fn pieces(&self) -> Vec<Piece> {
        self.pieces.clone()
    }
}

impl MessageArgument for Piece {
    fn pieces(&self) -> Vec<Piece> {
        vec![self.clone()]
    }
}

/// The value of a parameter as it was given.
pub trait Given {
    /// The value.
    fn given(&self) -> Json;
}

impl<T: Value> Given for T {
    fn given(&self) -> Json {
        self.to_json()
    }
}

impl Given for &str {
    fn given(&self) -> Json {
        Json::from(*self)
    }
}

impl Given for Json {
    fn given(&self) -> Json {
        self.clone()
    }
}

impl Given for &Json {
    fn given(&self) -> Json {
        (*self).clone()
    }
}

/// The value that a literal in a message stands for: `true`, `3`, or a word.
#[doc(hidden)]
pub fn literal(text: &str) -> Json {
    match text {
        "true" => Json::Bool(true),
        "false" => Json::Bool(false),
        _ => match (text.parse::<u64>(), text.parse::<f64>()) {
            (Ok(whole), _) => Json::from(whole),
            (_, Ok(number)) => Json::from(number),
            _ => Json::from(text),
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::error::{Library, message};

    #[test]
    fn numbers_with_many_zeros_have_an_exponent() {
        for (value, text) in [
            (0.0, "0"),
            (-2.5, "-2.5"),
            (0.000_01, "0.00001"),
            (-0.000_002_5, "-2.5e-6"),
            (123_456_789.0, "123456789"),
            (1e15, "1e15"),
            (-1.5e300, "-1.5e300"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(message!("{value}").render(&Library), text);
        }
        let (small, whole) = (1e-30_f32, 10_000_000_000_000_000_u64);
        assert_eq!(
            message!("{small} {whole}").render(&Library),
            "1e-30 10000000000000000"
        );
    }

    #[test]
    fn pieces_are_worded_when_the_sentence_is_rendered() {
        let (n, alpha, change) = (1, 0.5, 0.000_123);
        let inner = message!("take {alpha:setting}");
        let argument = message!(
            "{n:rows} of {} moved by {change:.1e}: {inner}, or {solver=exact} with {'auto'} and \
             {gamma:parameter}",
            "iris"
        );
        assert_eq!(
            argument.render(&Library),
            "1 row of iris moved by 1.2e-4: take `alpha = 0.5`, or `solver = exact` with `auto` and `gamma`"
        );
    }
}
