//! Blocks put together to a table.

use std::collections::HashSet;

use charta::data::OwnedFeatures;
use ndarray::Array2;

use crate::block::{Block, BlockSource, Heading, LabelColumn, Values, decide_labels};
use crate::error::{Error, Result};
use crate::options::{Kind, ReadOptions};
use crate::table::{Content, Table};

/// Reads a source to its end.
pub(crate) fn collect(mut source: Box<dyn BlockSource>, options: &ReadOptions) -> Result<Table> {
    let heading = source.heading().clone();
    let capacity = heading
        .n_rows
        .unwrap_or(0)
        .saturating_mul(heading.n_columns);
    let precision = options.precision.unwrap_or(heading.precision);
    let mut all = Block::of_values(0, Values::new(precision, capacity));
    while let Some(block) = source.next_block()? {
        all.append(&block, 0, block.rows, heading.n_columns);
    }
    // A reader may learn something on the way that is worth a note.
    let notes = source.heading().notes.clone();
    let mut heading = Heading { notes, ..heading };
    if heading.label_guessed {
        names_instead_of_labels(&mut all, &mut heading);
    }
    finish(all, heading, options)
}

/// A column of words that are all different names the rows; as a label it would make every row a
/// class of its own.
fn names_instead_of_labels(all: &mut Block, heading: &mut Heading) {
    const ENOUGH_ROWS: usize = 10;
    let Some(LabelColumn::Words(words)) = &all.labels else {
        return;
    };
    let different: HashSet<&str> = words.iter().map(String::as_str).collect();
    if all.ids.is_some() || words.len() < ENOUGH_ROWS || different.len() < words.len() {
        return;
    }
    all.ids = all.labels.take().map(LabelColumn::into_words);
    heading.id_title = heading.label_title.take();
    for note in &mut heading.notes {
        *note = note.replace(
            "holds text and is taken as the label",
            "holds text, all different, and names the rows",
        );
    }
}

fn finish(all: Block, heading: Heading, options: &ReadOptions) -> Result<Table> {
    let n_missing = all.values.count_missing();
    let Some(features) = all.values.into_features(all.rows, heading.n_columns) else {
        return Err(Error::content(
            heading.name,
            "the rows do not all have the same length",
        ));
    };
    let mut table = Table::new(heading.name, features);
    table.column_names = heading.column_names;
    table.row_names = all.ids;
    table.id_title = heading.id_title;
    table.image = heading.image;
    table.n_missing = n_missing;
    table.notes = heading.notes;
    table.labels = all
        .labels
        .zip(heading.label_title)
        .map(|(column, title)| (title, decide_labels(column, options.label_kind)));
    as_kind(table, options.kind)
}

/// Turns square features into the distances or the kernel that they are.
pub(crate) fn as_kind(mut table: Table, kind: Kind) -> Result<Table> {
    let Content::Features(features) = table.content else {
        return Ok(table);
    };
    if kind == Kind::Features {
        table.content = Content::Features(features);
        return Ok(table);
    }
    let view = features.view();
    if view.n_rows() != view.n_columns() {
        let what = if kind == Kind::Kernel {
            "a kernel"
        } else {
            "distances"
        };
        return Err(Error::content(
            &table.name,
            format!(
                "{} rows and {} columns, where {what} need as many rows as columns",
                view.n_rows(),
                view.n_columns()
            ),
        ));
    }
    let matrix: Array2<f64> = match features {
        OwnedFeatures::F64(matrix) => matrix,
        other => other.view().dense_rows(0, other.view().n_rows()),
    };
    if table.row_names.is_none() {
        table.row_names.clone_from(&table.column_names);
    }
    table.content = match kind {
        Kind::Kernel => Content::Kernel(matrix),
        _ => Content::Distances(matrix),
    };
    Ok(table)
}
