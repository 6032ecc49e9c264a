//! What the colours of a plot mean: the labels, or a column chosen for it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use charta::Labels;
use charta_io::{Content, Table};

use crate::failure::Outcome;
use crate::input::Input;

/// Above this many different whole numbers, colours are a scale and not classes.
const MOST_CLASSES: usize = 50;

/// The title and values to colour by.
pub(crate) type Colours = Option<(String, Labels<'static>)>;

/// Finds the colours of a table that has not been scaled yet.
pub(crate) fn find(wanted: Option<&str>, table: &Table, input: &Input) -> Outcome<Colours> {
    let Some(column) = wanted else {
        return Ok(table.labels.clone());
    };
    match &table.labels {
        Some((title, _)) if title == column => Ok(table.labels.clone()),
        _ => match feature(table, column) {
            Some(values) => Ok(Some((column.into(), of_numbers(values)))),
            // A column that is not among the features: text, or left out.
            None => input.read_labels(column),
        },
    }
}

fn feature(table: &Table, column: &str) -> Option<Vec<f64>> {
    let Content::Features(features) = &table.content else {
        return None;
    };
    let place = table
        .column_names
        .as_ref()?
        .iter()
        .position(|name| name == column)?;
    let view = features.view();
    Some(
        (0..view.n_rows())
            .map(|row| view.value(row, place))
            .collect(),
    )
}

/// Few different whole numbers are classes.
pub(crate) fn of_numbers(values: Vec<f64>) -> Labels<'static> {
    let mut different = BTreeSet::new();
    for value in values.iter().filter(|value| !value.is_nan()) {
        if value.fract() != 0.0 || value.abs() > 1e15 {
            return Labels::Numbers(Cow::Owned(values));
        }
        different.insert(*value as i64);
        if different.len() > MOST_CLASSES {
            return Labels::Numbers(Cow::Owned(values));
        }
    }
    if different.len() == values.len() {
        return Labels::Numbers(Cow::Owned(values));
    }
    let words: Vec<String> = values
        .iter()
        .map(|value| {
            if value.is_nan() {
                String::new()
            } else {
                value.to_string()
            }
        })
        .collect();
    Labels::from_words(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_whole_numbers_are_classes() {
        assert!(matches!(
            of_numbers(vec![1.0, 2.0, 1.0, f64::NAN]),
            Labels::Classes { .. }
        ));
        assert!(matches!(
            of_numbers(vec![1.0, 2.5, 1.0]),
            Labels::Numbers(_)
        ));
        assert!(matches!(
            of_numbers(vec![1.0, 2.0, 3.0]),
            Labels::Numbers(_)
        ));
    }
}
