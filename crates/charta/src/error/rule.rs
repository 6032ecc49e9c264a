//! Rules for the values of parameters.

use serde_json::Value as Json;

use super::message::{count_of, number};
use super::{Message, Noun, Vocabulary};
use crate::params::{Alternative, Form, Kind, Range};

/// Rules for the values of parameters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Rule {
    /// A value of this kind.
    Kind(Kind),
    /// A number within these bounds, or `none` where that is allowed.
    Within {
        /// The bounds.
        range: Range,
        /// True if it may be none.
        or_none: bool,
    },
    /// At least this.
    AtLeast {
        /// The least.
        limit: Limit,
        /// Why.
        because: Option<Because>,
    },
    /// At most this.
    AtMost {
        /// The most.
        limit: Limit,
        /// Why.
        because: Option<Because>,
    },
    /// More than this.
    Above {
        /// The bound.
        limit: Limit,
        /// Why.
        because: Option<Because>,
    },
    /// Less than this.
    Below {
        /// The bound.
        limit: Limit,
        /// Why.
        because: Option<Because>,
    },
    /// From one number to another.
    Between {
        /// The least.
        least: Limit,
        /// The most.
        most: Limit,
        /// Why.
        because: Option<Because>,
    },
    /// One of these values.
    OneOf {
        /// The values.
        values: Vec<Json>,
        /// Why.
        because: Option<Because>,
    },
    /// Any value but this one.
    Not {
        /// The value.
        value: Json,
        /// Why.
        because: Because,
    },
    /// Anything else: what follows "must".
    Must(Message),
}

/// A bound: a number, or the value of another parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Limit {
    /// This number.
    Number(f64),
    /// Another parameter, and the value it has.
    Parameter(&'static str, f64),
}

/// Why a parameter is bounded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Because {
    /// The data has this many rows.
    Rows(usize),
    /// The data has this many columns.
    Columns(usize),
    /// The data has this many rows and columns.
    Size {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// There are this many classes.
    Classes(usize),
    /// There are this many landmarks.
    Landmarks(usize),
    /// A matrix has this rank.
    Rank(usize),
    /// Another reason: what follows "because".
    Reason(Message),
}

impl Rule {
    /// The rule in a front's words: "must be at least 1".
    pub fn render(&self, parameter: &str, words: &dyn Vocabulary) -> String {
        let further = words.further_values(parameter);
        let also = if further.is_empty() {
            String::new()
        } else {
            format!(" (also {})", further.join(", "))
        };
        format!("must {}{also}", self.requirement(words))
    }

    fn requirement(&self, words: &dyn Vocabulary) -> String {
        let bounded = |bound: &str, limit: &Limit, because: &Option<Because>| {
            format!(
                "be {bound} {}{}",
                limit.render(words),
                reason(because, words)
            )
        };
        match self {
            Self::Kind(kind) => format!("be {}", describe(kind, words)),
            Self::Within { range, or_none } => {
                let none = words.given("", &Json::Null);
                let none = if *or_none {
                    format!(", or {none}")
                } else {
                    String::new()
                };
                format!("be {}{none}", range.describe())
            }
            Self::AtLeast { limit, because } => bounded("at least", limit, because),
            Self::AtMost { limit, because } => bounded("at most", limit, because),
            Self::Above { limit, because } => bounded("above", limit, because),
            Self::Below { limit, because } => bounded("below", limit, because),
            Self::Between {
                least,
                most,
                because,
            } => format!(
                "be from {} to {}{}",
                least.render(words),
                most.render(words),
                reason(because, words)
            ),
            Self::OneOf { values, because } => {
                let values = values.iter().map(|value| words.value(value)).collect();
                format!("be {}{}", either(values), reason(because, words))
            }
            Self::Not { value, because } => format!(
                "not be {}, because {}",
                words.value(value),
                because.render(words)
            ),
            Self::Must(message) => message.render(words),
        }
    }

    /// The numbers and words that bound the parameter, as the message shows them.
    pub fn limits(&self) -> Vec<String> {
        match self {
            Self::AtLeast { limit, .. }
            | Self::AtMost { limit, .. }
            | Self::Above { limit, .. }
            | Self::Below { limit, .. } => vec![number(limit.number())],
            Self::Between { least, most, .. } => {
                vec![number(least.number()), number(most.number())]
            }
            Self::Within { range, .. } => range.limits(),
            Self::Kind(Kind::Whole(range) | Kind::Number(range)) => range.limits(),
            _ => Vec::new(),
        }
    }
}

fn reason(because: &Option<Because>, words: &dyn Vocabulary) -> String {
    match because {
        Some(because) => format!(", because {}", because.render(words)),
        None => String::new(),
    }
}

impl Because {
    pub(super) fn render(&self, words: &dyn Vocabulary) -> String {
        let data = words.noun(Noun::Data);
        match self {
            Self::Rows(count) => format!("{data} has {}", count_of(*count, Noun::Row, words)),
            Self::Columns(count) => format!("{data} has {}", count_of(*count, Noun::Column, words)),
            Self::Size { rows, columns } => format!(
                "{data} has {} and {}",
                count_of(*rows, Noun::Row, words),
                count_of(*columns, Noun::Column, words)
            ),
            Self::Classes(1) => "there is 1 class".into(),
            Self::Classes(count) => format!("there are {count} classes"),
            Self::Landmarks(1) => "there is 1 landmark".into(),
            Self::Landmarks(count) => format!("there are {count} landmarks"),
            Self::Rank(rank) => format!("the rank is {rank}"),
            Self::Reason(message) => message.render(words),
        }
    }
}

impl From<Message> for Because {
    fn from(message: Message) -> Self {
        Self::Reason(message)
    }
}

impl From<Message> for Rule {
    fn from(message: Message) -> Self {
        Self::Must(message)
    }
}

impl Limit {
    fn number(&self) -> f64 {
        match self {
            Self::Number(number) | Self::Parameter(_, number) => *number,
        }
    }

    fn render(&self, words: &dyn Vocabulary) -> String {
        match self {
            Self::Number(limit) => number(*limit),
            Self::Parameter(name, limit) => {
                format!("{}, which is {}", words.parameter(name), number(*limit))
            }
        }
    }
}

impl From<f64> for Limit {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Limit {
    fn from(number: usize) -> Self {
        Self::Number(number as f64)
    }
}

/// The values that a kind takes, in a front's words: "a whole number of at least 1".
pub fn describe(kind: &Kind, words: &dyn Vocabulary) -> String {
    match kind {
        Kind::Boolean => {
            let [yes, no] = [true, false].map(|value| words.value(&Json::Bool(value)));
            format!("{yes} or {no}")
        }
        Kind::Text => "text".into(),
        Kind::Whole(range) => bounded("a whole number", " of ", &not_negative(range)),
        Kind::Number(range) => bounded("a number", " ", range),
        Kind::Choice(alternatives) => either(
            alternatives
                .iter()
                .map(|alternative| describe_form(alternative, words))
                .collect(),
        ),
        Kind::Optional(inner) => format!(
            "{} or {}",
            describe(inner, words),
            words.given("", &Json::Null)
        ),
        Kind::List(inner) => format!("a list, each {}", describe(inner, words)),
    }
}

fn describe_form(alternative: &Alternative, words: &dyn Vocabulary) -> String {
    match &alternative.form {
        Form::Word(word) => words.value(&Json::from(*word)),
        Form::Whole(range) => bounded("a whole number", " of ", &not_negative(range)),
        Form::Number(range) => bounded("a number", " ", range),
        Form::Numbers(range) => bounded("numbers with commas between them", ", each ", range),
    }
}

/// The bounds of a whole number, which is never below 0.
fn not_negative(range: &Range) -> Range {
    let has_least = range.min.is_some() || range.above.is_some();
    Range {
        min: if has_least { range.min } else { Some(0.0) },
        ..*range
    }
}

fn bounded(what: &str, joint: &str, range: &Range) -> String {
    let bounds = range.describe();
    if bounds.is_empty() {
        what.into()
    } else {
        format!("{what}{joint}{bounds}")
    }
}

fn either(values: Vec<String>) -> String {
    match values.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => values.concat(),
    }
}
