//! Which values a parameter takes, how they are written, and the error when one is wrong.

use serde_json::{Value as Json, json};

use super::is_word;
use crate::error::{Library, Rule, describe, number};

/// Bounds of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// At least this.
    pub min: Option<f64>,
    /// At most this.
    pub max: Option<f64>,
    /// More than this.
    pub above: Option<f64>,
    /// Less than this.
    pub below: Option<f64>,
}

impl Range {
    /// True if `value` is within all bounds.
    pub fn contains(&self, value: f64) -> bool {
        value.is_finite()
            && self.min.is_none_or(|min| value >= min)
            && self.max.is_none_or(|max| value <= max)
            && self.above.is_none_or(|above| value > above)
            && self.below.is_none_or(|below| value < below)
    }

    /// The bounds in words: "at least 1 and below 5". Empty without bounds.
    pub(crate) fn describe(&self) -> String {
        let bounds = [
            self.min.map(|bound| format!("at least {}", number(bound))),
            self.above.map(|bound| format!("above {}", number(bound))),
            self.max.map(|bound| format!("at most {}", number(bound))),
            self.below.map(|bound| format!("below {}", number(bound))),
        ];
        bounds
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" and ")
    }

    /// The bounds as a message shows them.
    pub(crate) fn limits(&self) -> Vec<String> {
        [self.min, self.above, self.max, self.below]
            .into_iter()
            .flatten()
            .map(number)
            .collect()
    }

    fn to_json(self) -> Json {
        json!({"min": self.min, "max": self.max, "above": self.above, "below": self.below})
    }
}

/// One of the forms a choice can take.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// This word.
    Word(&'static str),
    /// A whole number within a range.
    Whole(Range),
    /// A number within a range.
    Number(Range),
    /// Several numbers, each within a range.
    Numbers(Range),
}

/// One of the values or kinds of values a choice can take.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// How it is written.
    pub form: Form,
    /// What it means.
    pub doc: &'static str,
}

/// Which values a parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Yes or no.
    Boolean,
    /// Any text.
    Text,
    /// A whole number, not negative.
    Whole(Range),
    /// A finite number.
    Number(Range),
    /// One of several words, or numbers.
    Choice(Vec<Alternative>),
    /// Nothing, or a value.
    Optional(Box<Kind>),
    /// Several values.
    List(Box<Kind>),
}

impl Kind {
    /// The kind with bounds on its numbers.
    pub fn within(self, range: Range) -> Self {
        if range == Range::default() {
            return self;
        }
        match self {
            Self::Whole(_) => Self::Whole(range),
            Self::Number(_) => Self::Number(range),
            Self::Optional(inner) => Self::Optional(Box::new(inner.within(range))),
            Self::List(inner) => Self::List(Box::new(inner.within(range))),
            other => other,
        }
    }

    /// The same without a word that a choice has.
    #[doc(hidden)]
    pub fn without(self, word: &str) -> Self {
        match self {
            Self::Choice(mut alternatives) => {
                alternatives.retain(
                    |alternative| !matches!(alternative.form, Form::Word(own) if own == word),
                );
                Self::Choice(alternatives)
            }
            Self::Optional(inner) => Self::Optional(Box::new(inner.without(word))),
            other => other,
        }
    }

    /// The values in words: "a whole number of at least 1".
    pub fn describe(&self) -> String {
        describe(self, &Library)
    }

    /// The rule that `value` breaks.
    pub(super) fn check(&self, value: &Json) -> Result<(), Rule> {
        let wrong = || Err(Rule::Kind(self.clone()));
        match self {
            Self::Boolean if value.is_boolean() => Ok(()),
            Self::Text if value.is_string() => Ok(()),
            Self::Whole(range) if value.is_u64() => check_range(range, value),
            Self::Number(range) if value.is_number() => check_range(range, value),
            Self::Choice(alternatives) if alternatives.iter().any(|a| fits(&a.form, value)) => {
                Ok(())
            }
            Self::Optional(_) if value.is_null() => Ok(()),
            Self::Optional(inner) => inner.check(value).map_err(|rule| match rule {
                Rule::Within { range, .. } => Rule::Within {
                    range,
                    or_none: true,
                },
                _ => Rule::Kind(self.clone()),
            }),
            Self::List(inner) => match value.as_array() {
                Some(values) => values.iter().try_for_each(|value| inner.check(value)),
                None => wrong(),
            },
            _ => wrong(),
        }
    }

    /// Reads a value as written on a command line. What makes no sense comes back as text, for the
    /// check to name.
    pub fn parse(&self, text: &str) -> Json {
        let trimmed = text.trim();
        match self {
            Self::Boolean => match trimmed.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Json::Bool(true),
                "false" | "no" | "off" | "0" => Json::Bool(false),
                _ => Json::from(text),
            },
            Self::Text => Json::from(text),
            Self::Choice(alternatives) if trimmed.contains(',') && takes_several(alternatives) => {
                Json::Array(
                    trimmed
                        .split(',')
                        .map(str::trim)
                        .map(parse_number)
                        .collect(),
                )
            }
            Self::Whole(_) | Self::Number(_) | Self::Choice(_) => parse_number(trimmed),
            Self::Optional(_) if matches!(trimmed, "none" | "None" | "null") => Json::Null,
            Self::Optional(inner) => inner.parse(text),
            Self::List(inner) => Json::Array(
                text.split(',')
                    .filter(|part| !part.trim().is_empty())
                    .map(|part| inner.parse(part))
                    .collect(),
            ),
        }
    }

    /// The kind as JSON, for fronts in other languages.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Boolean => json!({"type": "boolean"}),
            Self::Text => json!({"type": "text"}),
            Self::Whole(range) => json!({"type": "whole", "range": range.to_json()}),
            Self::Number(range) => json!({"type": "number", "range": range.to_json()}),
            Self::Choice(alternatives) => {
                let alternatives: Vec<Json> = alternatives.iter().map(alternative_json).collect();
                json!({"type": "choice", "alternatives": alternatives})
            }
            Self::Optional(inner) => json!({"type": "optional", "of": inner.to_json()}),
            Self::List(inner) => json!({"type": "list", "of": inner.to_json()}),
        }
    }
}

fn alternative_json(alternative: &Alternative) -> Json {
    match &alternative.form {
        Form::Word(word) => json!({"type": "word", "word": word, "doc": alternative.doc}),
        Form::Whole(range) => {
            json!({"type": "whole", "range": range.to_json(), "doc": alternative.doc})
        }
        Form::Number(range) => {
            json!({"type": "number", "range": range.to_json(), "doc": alternative.doc})
        }
        Form::Numbers(range) => {
            json!({"type": "numbers", "range": range.to_json(), "doc": alternative.doc})
        }
    }
}

fn takes_several(alternatives: &[Alternative]) -> bool {
    alternatives
        .iter()
        .any(|alternative| matches!(alternative.form, Form::Numbers(_)))
}

fn parse_number(text: &str) -> Json {
    if let Ok(whole) = text.parse::<u64>() {
        return Json::from(whole);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Json::from(number),
        _ => Json::from(text),
    }
}

fn check_range(range: &Range, value: &Json) -> Result<(), Rule> {
    if value.as_f64().is_some_and(|value| range.contains(value)) {
        Ok(())
    } else {
        Err(Rule::Within {
            range: *range,
            or_none: false,
        })
    }
}

fn fits(form: &Form, value: &Json) -> bool {
    match form {
        Form::Word(word) => is_word(value, word),
        Form::Whole(range) => value.as_u64().is_some_and(|v| range.contains(v as f64)),
        Form::Number(range) => value.as_f64().is_some_and(|v| range.contains(v)),
        Form::Numbers(range) => value.as_array().is_some_and(|values| {
            values
                .iter()
                .all(|value| value.as_f64().is_some_and(|v| range.contains(v)))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_by_kind() {
        let whole = Kind::Whole(Range::default());
        assert_eq!(whole.parse("7"), json!(7));
        assert_eq!(whole.parse("seven"), json!("seven"));
        assert_eq!(Kind::Number(Range::default()).parse("1e-3"), json!(1e-3));
        assert_eq!(Kind::Boolean.parse("yes"), json!(true));
        assert_eq!(
            Kind::Optional(Box::new(whole.clone())).parse("none"),
            Json::Null
        );
        assert_eq!(
            Kind::List(Box::new(whole)).parse("1,2, 3"),
            json!([1, 2, 3])
        );
    }

    #[test]
    fn whole_numbers_say_that_they_are_not_negative() {
        let least = |range| Kind::Whole(range).describe();
        assert_eq!(least(Range::default()), "a whole number of at least 0");
        let one = Range {
            min: Some(1.0),
            ..Range::default()
        };
        assert_eq!(least(one), "a whole number of at least 1");
        let small = Range {
            above: Some(1e-9),
            ..Range::default()
        };
        assert_eq!(Kind::Number(small).describe(), "a number above 1e-9");
    }

    #[test]
    fn infinite_and_negative_numbers_are_refused_where_they_make_no_sense() {
        let number = Kind::Number(Range::default());
        assert!(number.check(&number.parse("inf")).is_err());
        assert!(number.check(&number.parse("-3")).is_ok());
        let whole = Kind::Whole(Range::default());
        assert_eq!(
            whole.check(&whole.parse("-3")).unwrap_err(),
            Rule::Kind(whole)
        );
    }
}
