//! What a deck of slides consists of, and how its numbers are compared.

use serde_json::{Value as Json, json};

use crate::format::number;

use super::{deck1, deck2, deck3, deck4, deck5};

/// All decks, in the order of their numbers.
pub(super) const DECKS: [&Deck; 5] = [
    &deck1::DECK,
    &deck2::DECK,
    &deck3::DECK,
    &deck4::DECK,
    &deck5::DECK,
];

/// The slides of one lecture.
pub(super) struct Deck {
    /// Counted from 1.
    pub(super) number: usize,
    pub(super) title: &'static str,
    /// Who gave the lecture, or whose book it follows.
    pub(super) author: &'static str,
    pub(super) items: &'static [Item],
}

/// A figure, an example or a statement of a slide, and how charta reproduces it.
pub(super) struct Item {
    /// The name of the slide.
    pub(super) slide: &'static str,
    pub(super) title: &'static str,
    /// What is shown, and what to see in it.
    pub(super) text: &'static str,
    /// Small files that the commands read: name and content.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// Calls of the command line without the program's name; `> FILE` at the end stores standard output.
    pub(super) commands: &'static [&'static str],
    /// The same in Python.
    pub(super) python: &'static str,
    /// The same in Rust.
    pub(super) rust: &'static str,
    /// Pictures that the commands write: file and caption.
    pub(super) figures: &'static [(&'static str, &'static str)],
    pub(super) numbers: &'static [Number],
    /// What differs from the slide, and why.
    pub(super) departures: &'static str,
}

/// A number or a word of a slide, and where charta's stands.
pub(super) struct Number {
    pub(super) what: &'static str,
    /// As the slide prints it.
    pub(super) slide: &'static str,
    /// `K:/pointer` into the JSON that command K prints, `K:text` for all that it prints, `FILE.json:/pointer` into
    /// a JSON file, `FILE:ROW:COLUMN` in a CSV file.
    pub(super) from: &'static str,
    pub(super) expect: Expect,
}

/// When a value agrees with the slide's.
pub(super) enum Expect {
    /// The value, and by how much it may differ.
    Near(f64, f64),
    AtLeast(f64),
    AtMost(f64),
    /// A word that the text has.
    Contains(&'static str),
}

impl Expect {
    /// Whether a value agrees.
    pub(super) fn agrees(&self, found: &Json) -> bool {
        let found_number = found.as_f64();
        match self {
            Self::Near(value, tolerance) => {
                found_number.is_some_and(|found| (found - value).abs() <= *tolerance)
            }
            Self::AtLeast(least) => found_number.is_some_and(|found| found >= *least),
            Self::AtMost(most) => found_number.is_some_and(|found| found <= *most),
            Self::Contains(word) => match found {
                Json::String(text) => text.contains(word),
                other => other.to_string().contains(word),
            },
        }
    }

    /// The condition in words.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Near(value, tolerance) if *tolerance > 0.0 => {
                format!("{} ± {}", short(*value), short(*tolerance))
            }
            Self::Near(value, _) => short(*value),
            Self::AtLeast(least) => format!("at least {}", short(*least)),
            Self::AtMost(most) => format!("at most {}", short(*most)),
            Self::Contains(word) => format!("“{word}”"),
        }
    }
}

/// A whole number as it is, another with four digits.
fn short(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e7 {
        format!("{value}")
    } else {
        number(value)
    }
}

impl Item {
    pub(super) fn to_json(&self) -> Json {
        json!({
            "slide": self.slide,
            "title": self.title,
            "text": self.text,
            "commands": self.commands,
            "python": self.python,
            "rust": self.rust,
            "figures": self.figures.iter().map(|(file, _)| file).collect::<Vec<_>>(),
            "departures": self.departures,
        })
    }
}
