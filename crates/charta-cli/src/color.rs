//! What the colours of a plot mean: the labels, or a column chosen for it.

use charta::Labels;
use charta::data::OwnedFeatures;
use charta_io::{Content, Table};

use crate::class_order;
use crate::failure::Outcome;
use crate::input::Input;

/// The title and values to colour by.
pub(crate) type Colors = Option<(String, Labels<'static>)>;

/// Finds the colours of a table that has not been scaled yet; classes are in natural order.
pub(crate) fn find(wanted: Option<&str>, table: &Table, input: &Input) -> Outcome<Colors> {
    Ok(in_natural_order(values_of(wanted, table, input)?))
}

/// The same colours with classes in [natural order](class_order::compare), as a legend lists them.
pub(crate) fn in_natural_order(colors: Colors) -> Colors {
    colors.map(|(title, labels)| (title, class_order::sorted(labels)))
}

fn values_of(wanted: Option<&str>, table: &Table, input: &Input) -> Outcome<Colors> {
    let Some(column) = wanted else {
        return Ok(table.labels.clone());
    };
    match &table.labels {
        Some((title, _)) if title == column => Ok(table.labels.clone()),
        _ => match feature(table, column) {
            Some(values) => Ok(Some((column.into(), Labels::numbers(values)))),
            // A column that is not among the features: text, or left out.
            None => input.read_labels(column),
        },
    }
}

fn feature(table: &Table, column: &str) -> Option<Vec<f64>> {
    let Content::Features(features) = &table.content else {
        return None;
    };
    let place = place(table.column_names.as_deref(), column)?;
    Some(values(features, place))
}

/// Where a column is among the features, if it is one of them.
pub(crate) fn place(names: Option<&[String]>, column: &str) -> Option<usize> {
    names?.iter().position(|name| name == column)
}

/// The values of a feature.
pub(crate) fn values(features: &OwnedFeatures, place: usize) -> Vec<f64> {
    let view = features.view();
    (0..view.n_rows())
        .map(|row| view.value(row, place))
        .collect()
}
