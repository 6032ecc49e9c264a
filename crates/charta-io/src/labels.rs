//! What a column of labels is: classes, numbers, or after all the rows' names.
//!
//! The first rows decide, so that a table read whole and the same table in batches agree.

use std::collections::HashSet;

use charta::Labels;

use crate::block::{Block, Heading, LabelColumn};
use crate::error::{Error, Result};
use crate::options::LabelKind;
use crate::wording::quoted;

/// Rows that are looked at.
pub(crate) const FIRST_ROWS: usize = 10_000;

/// What a column of labels is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelRole {
    /// No labels at all: words that are all different name the rows. As a label they would make
    /// every row a class of its own.
    Names,
    Classes,
    Numbers,
}

impl LabelRole {
    /// Decides from the first rows, of which more than [`FIRST_ROWS`] are not looked at.
    pub(crate) fn decide(column: &LabelColumn, heading: &Heading, kind: LabelKind) -> Self {
        match kind {
            LabelKind::Classes => return Self::Classes,
            LabelKind::Numbers if !heading.label_guessed => return Self::Numbers,
            LabelKind::Numbers | LabelKind::Detect => {}
        }
        let first = column.first(FIRST_ROWS);
        let may_be_names = heading.label_guessed && heading.id_title.is_none();
        match &first {
            LabelColumn::Words(words) if may_be_names && all_different(words) => Self::Names,
            column => match column.numbers() {
                Ok(numbers) if !look_like_classes(&numbers) => Self::Numbers,
                _ => Self::Classes,
            },
        }
    }

    /// Writes into the heading what was decided.
    pub(crate) fn announce(self, heading: &mut Heading) {
        if self != Self::Names {
            return;
        }
        heading.id_title = heading.label_title.take();
        for note in &mut heading.notes {
            *note = note.replace(
                "holds text and is taken as the label",
                "holds text, all different, and names the rows",
            );
        }
    }

    /// Takes the labels out of a block, or makes them its names. Fails with a word where numbers
    /// were decided on.
    pub(crate) fn take(self, block: &mut Block) -> Result<Option<Labels<'static>>, String> {
        let Some(column) = block.labels.take() else {
            return Ok(None);
        };
        Ok(match self {
            Self::Names => {
                block.ids = Some(column.into_words());
                None
            }
            Self::Classes => Some(Labels::from_words(&column.into_words())),
            Self::Numbers => Some(Labels::numbers(column.numbers()?.into_owned())),
        })
    }
}

/// The error for a word among labels that are numbers.
pub(crate) fn not_a_number(heading: &Heading, word: &str) -> Error {
    let title = heading.label_title.as_deref().unwrap_or("label");
    Error::content(
        &heading.name,
        format!(
            "the labels {} are numbers, and {} is not: use --label-kind classes to read them as classes",
            quoted(title),
            quoted(word)
        ),
    )
}

/// True for enough words to decide, none of which occurs twice.
fn all_different(words: &[String]) -> bool {
    const ENOUGH_ROWS: usize = 10;
    let different: HashSet<&str> = words.iter().map(String::as_str).collect();
    words.len() >= ENOUGH_ROWS && different.len() == words.len()
}

fn look_like_classes(values: &[f64]) -> bool {
    let limit = (values.len() as f64).sqrt().max(50.0) as usize;
    let mut different = HashSet::new();
    for value in values.iter().filter(|value| !value.is_nan()) {
        if value.fract() != 0.0 {
            return false;
        }
        different.insert(value.to_bits());
        if different.len() > limit {
            return false;
        }
    }
    different.len() < values.len()
}

#[cfg(test)]
mod tests {
    use charta::data::Precision;

    use super::*;

    fn role(column: &LabelColumn, guessed: bool) -> LabelRole {
        let mut heading = Heading::new("t", 1, Precision::Double);
        heading.label_guessed = guessed;
        LabelRole::decide(column, &heading, LabelKind::Detect)
    }

    fn of_numbers(values: &[f64]) -> LabelRole {
        role(&LabelColumn::Numbers(values.to_vec()), false)
    }

    #[test]
    fn repeated_whole_numbers_are_classes_and_others_are_not() {
        assert_eq!(of_numbers(&[1.0, 2.0, 1.0, f64::NAN]), LabelRole::Classes);
        assert_eq!(of_numbers(&[1.0, 2.5, 1.0]), LabelRole::Numbers);
        assert_eq!(of_numbers(&[2001.0, 2002.0, 2003.0]), LabelRole::Numbers);
        let many: Vec<f64> = (0..200).map(|i| f64::from(i / 2)).collect();
        assert_eq!(of_numbers(&many), LabelRole::Numbers);
        let hundred: Vec<f64> = (0..10_000).map(|i| f64::from(i % 100)).collect();
        assert_eq!(of_numbers(&hundred), LabelRole::Classes);
    }

    #[test]
    fn a_kind_that_is_given_is_obeyed() {
        let heading = Heading::new("t", 1, Precision::Double);
        let numbers = LabelColumn::Numbers(vec![1.0, 1.0]);
        let decide = |kind| LabelRole::decide(&numbers, &heading, kind);
        assert_eq!(decide(LabelKind::Classes), LabelRole::Classes);
        assert_eq!(decide(LabelKind::Numbers), LabelRole::Numbers);
    }

    #[test]
    fn words_that_are_numbers_follow_the_same_rule_and_different_ones_are_names() {
        let words =
            |words: &[&str]| LabelColumn::Words(words.iter().map(ToString::to_string).collect());
        assert_eq!(role(&words(&["0.5", "", "1"]), false), LabelRole::Numbers);
        assert_eq!(role(&words(&["2", "1", "2"]), false), LabelRole::Classes);
        let letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        assert_eq!(role(&words(&letters), true), LabelRole::Names);
        assert_eq!(role(&words(&letters), false), LabelRole::Classes);
        assert_eq!(role(&words(&letters[1..]), true), LabelRole::Classes);
    }

    #[test]
    fn only_the_first_rows_decide() {
        let mut values: Vec<f64> = (0..FIRST_ROWS).map(|i| (i % 3) as f64).collect();
        values.push(0.5);
        assert_eq!(of_numbers(&values), LabelRole::Classes);
    }
}
