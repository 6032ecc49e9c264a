//! The sentence of each error. What a front has its own word for, such as a parameter or a row, comes from its [`Vocabulary`].

use serde_json::Value as Json;

use super::message::count_of;
use super::{Error, Noun, Rule, Vocabulary, bytes, counted, message};
use crate::params::{Form, Kind, nearest};

/// Characters of a given value that a message shows: of a long list the beginning says enough.
const SHOWN: usize = 100;

/// The beginning of a value that is too long to be shown.
fn shortened(value: String) -> String {
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", &value[..end]),
        None => value,
    }
}

impl Error {
    /// The error in the words of a front.
    pub fn render(&self, words: &dyn Vocabulary) -> String {
        let mut text = words.opening(self).unwrap_or_default();
        text.push_str(&self.sentence(words));
        if let Some(advice) = words.advice(self) {
            text.push_str("; ");
            text.push_str(&advice);
        }
        text
    }

    fn sentence(&self, words: &dyn Vocabulary) -> String {
        let data = words.noun(Noun::Data);
        let rows = |count: usize| count_of(count, Noun::Row, words);
        match self {
            Self::Parameter { name, rule, .. } if let Rule::Not { value, because } = &**rule => {
                let (name, value) = (words.parameter(name), words.value(value));
                format!("{name} cannot be {value}, because {}", because.render(words))
            }
            Self::Parameter { name, rule, given } => format!(
                "{} {}, got {}{}",
                words.parameter(name),
                rule.render(name, words),
                shortened(words.given(name, given)),
                did_you_mean(nearest_value(rule, given).map(|word| words.value(&word)))
            ),
            Self::UnknownParameter {
                method,
                name,
                nearest,
            } => {
                let parameter = words.parameter(name);
                let nearest = nearest.as_ref().map(|name| words.parameter(name));
                let problem = match method {
                    Some(method) => {
                        format!("{} has no parameter {parameter}", words.method(method))
                    }
                    None => format!("there is no parameter {parameter}"),
                };
                problem + &did_you_mean(nearest)
            }
            Self::UnknownMethod { name, nearest } => {
                let nearest = nearest.as_ref().map(|name| words.method(name));
                format!("there is no method {}", words.method(name)) + &did_you_mean(nearest)
            }
            Self::Empty {
                rows: n_rows,
                columns,
            } => format!(
                "{data} is empty: {} and {}",
                rows(*n_rows),
                count_of(*columns, Noun::Column, words)
            ),
            Self::TooFewRows {
                what,
                needed,
                given,
            } => format!(
                "{} needs at least {}, but {data} has {}",
                what.render(words),
                rows(*needed),
                rows(*given)
            ),
            Self::NotFinite {
                row,
                column,
                value,
                count,
                hint,
            } => {
                let found = if value == "NaN" {
                    "no value (NaN)"
                } else {
                    value
                };
                let others = match count.saturating_sub(1) {
                    0 => String::new(),
                    others => format!(", and {others} more like it"),
                };
                let hint = hint
                    .as_ref()
                    .map(|hint| format!("; {}", hint.render(words)));
                format!(
                    "{}: found {found} where a finite number was expected{others}{}",
                    words.place(*row, column),
                    hint.unwrap_or_default()
                )
            }
            Self::Negative {
                what,
                row,
                column,
                value,
            } => format!(
                "{}: found {value}, but {} needs values of 0 or more",
                words.place(*row, column),
                what.render(words)
            ),
            Self::Shape {
                what,
                expected,
                given,
            } => format!(
                "{}: expected {}, got {}",
                what.render(words),
                expected.render(words),
                given.render(words)
            ),
            Self::LabelsMissing { method } => {
                format!(
                    "{} learns from labels, and {data} has none",
                    words.method(method)
                )
            }
            Self::ViewsMissing { method } => format!(
                "{} compares views of the same {}, and {data} has only one: assign {} to each view",
                words.method(method),
                words.noun(Noun::Rows),
                words.noun(Noun::Columns)
            ),
            Self::Labels { problem } => {
                format!("the labels do not fit: {}", problem.render(words))
            }
            Self::Unsupported { what, problem } => {
                format!("{} {}", what.render(words), problem.render(words))
            }
            Self::Degenerate { problem } => problem.render(words),
            Self::Disconnected { n_connected_components, sizes } => message!(
                "the neighbour graph has {n_connected_components} connected components, of {} {:rows}: increase \
                 the number of neighbours or the radius, or set {disconnected:parameter} to {'join'} \
                 or {'largest'}",
                sizes_of(sizes)
            )
            .render(words),
            Self::NotConverged { what, reached } => {
                format!(
                    "{} did not converge: {}",
                    what.render(words),
                    reached.render(words)
                )
            }
            Self::Memory {
                needed,
                limit,
                advice,
            } => format!(
                "this run would need about {} of memory and may use {}: {}",
                bytes(*needed),
                bytes(*limit),
                advice.render(words)
            ),
            Self::Cancelled => "cancelled".into(),
            Self::ModelFile { problem } => format!("not a readable charta model: {problem}"),
            Self::Threads { count, problem } => {
                format!("cannot start {}: {problem}", counted(*count, "thread"))
            }
            Self::Function { problem } | Self::Source(problem) => problem.clone(),
        }
    }
}

fn did_you_mean(nearest: Option<String>) -> String {
    match nearest {
        Some(name) => format!("; did you mean {name}?"),
        None => String::new(),
    }
}

/// The word that was probably meant, where a rule lists words and another was given.
fn nearest_value(rule: &Rule, given: &Json) -> Option<Json> {
    let words: Vec<&str> = match rule {
        Rule::Kind(kind) => words_of(kind),
        Rule::OneOf { values, .. } => values.iter().filter_map(Json::as_str).collect(),
        _ => return None,
    };
    nearest(&given.as_str()?.replace('-', "_"), words).map(Json::from)
}

fn words_of(kind: &Kind) -> Vec<&'static str> {
    match kind {
        Kind::Choice(alternatives) => alternatives
            .iter()
            .filter_map(|alternative| match alternative.form {
                Form::Word(word) => Some(word),
                _ => None,
            })
            .collect(),
        Kind::Optional(inner) | Kind::List(inner) => words_of(inner),
        _ => Vec::new(),
    }
}

/// The sizes of the largest connected components: `90, 7, 3`.
fn sizes_of(sizes: &[usize]) -> String {
    const NAMED: usize = 5;
    let named: Vec<String> = sizes.iter().take(NAMED).map(usize::to_string).collect();
    let more = if sizes.len() > NAMED { ", …" } else { "" };
    format!("{}{more}", named.join(", "))
}
