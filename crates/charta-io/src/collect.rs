//! Blocks put together to a table.

use charta::Labels;
use charta::data::{Features, OwnedFeatures};
use ndarray::Array2;

use crate::block::{Block, BlockSource, Heading, Values};
use crate::error::{Error, Result};
use crate::labels::{LabelRole, not_a_number};
use crate::options::{Kind, LabelKind, ReadOptions};
use crate::pairs::{Pairs, from_condensed, mend};
use crate::table::{Content, Table};
use crate::wording::count;

/// Reads a source to its end.
pub(crate) fn collect(source: Box<dyn BlockSource>, options: &ReadOptions) -> Result<Table> {
    let (mut all, mut heading) = gathered(source, options)?;
    if heading.pairs {
        return Pairs::of(all, &heading)?.table(heading);
    }
    let labels = take_labels(&mut all, &mut heading, options)?;
    finish(all, heading, labels)
}

/// How many rows a list of pairs names.
pub(crate) fn count_rows_of_pairs(
    source: Box<dyn BlockSource>,
    options: &ReadOptions,
) -> Result<usize> {
    let (all, heading) = gathered(source, options)?;
    Ok(Pairs::of(all, &heading)?.n_rows())
}

/// All blocks as one.
fn gathered(mut source: Box<dyn BlockSource>, options: &ReadOptions) -> Result<(Block, Heading)> {
    let heading = source.heading().clone();
    let capacity = heading
        .n_rows
        .unwrap_or(0)
        .saturating_mul(heading.n_columns);
    let precision = options.precision.unwrap_or(heading.precision);
    let mut all = Block::of_values(0, Values::with_room(precision, capacity));
    while let Some(block) = source.next_block()? {
        all.append(&block, 0, block.rows, heading.n_columns);
    }
    // A reader may learn something on the way that is worth a note.
    let notes = source.heading().notes.clone();
    Ok((all, Heading { notes, ..heading }))
}

/// The labels of all rows. Words that come late make classes of what began as numbers, unless
/// numbers were requested.
fn take_labels(
    all: &mut Block,
    heading: &mut Heading,
    options: &ReadOptions,
) -> Result<Option<Labels<'static>>> {
    let Some(column) = &all.labels else {
        return Ok(None);
    };
    let role = LabelRole::decide(column, heading, options.label_kind);
    let late_words = role == LabelRole::Numbers && column.numbers().is_err();
    let role = match options.label_kind {
        LabelKind::Detect if late_words => LabelRole::Classes,
        _ => role,
    };
    role.announce(heading);
    role.take(all).map_err(|word| not_a_number(heading, &word))
}

fn finish(all: Block, heading: Heading, labels: Option<Labels<'static>>) -> Result<Table> {
    let n_missing = all.values.count_missing();
    let Some(features) = all.values.into_features(all.rows, heading.n_columns) else {
        return Err(Error::content(
            heading.name,
            "the rows do not all have the same length",
        ));
    };
    let mut table = Table::new(heading.name, features);
    table.column_names = heading.column_names;
    table.view_widths = heading.view_widths;
    table.row_names = all.ids;
    table.lines = all.lines;
    table.id_title = heading.id_title;
    table.image = heading.image;
    table.n_missing = n_missing;
    table.notes = heading.notes;
    table.labels = heading.label_title.zip(labels);
    Ok(table)
}

/// Turns square features into the distances or the kernel that they are.
pub(crate) fn as_kind(mut table: Table, kind: Kind) -> Result<Table> {
    let Content::Features(features) = table.content else {
        return Ok(table);
    };
    if kind == Kind::Features {
        if looks_like_distances(&features.view()) {
            table.notes.push(
                "a symmetric matrix with 0 on the diagonal: if these are distances, use `--distances`"
                    .into(),
            );
        }
        table.content = Content::Features(features);
        return Ok(table);
    }
    let view = features.view();
    let (n_rows, n_columns) = (view.n_rows(), view.n_columns());
    if kind == Kind::Distances && n_rows.min(n_columns) == 1 {
        table.content = Content::Distances(from_condensed(&table.name, &features)?);
        (table.row_names, table.column_names) = (None, None);
        return Ok(table);
    }
    if n_rows != n_columns {
        let what = if kind == Kind::Kernel {
            "a kernel"
        } else {
            "distances"
        };
        return Err(Error::content(
            &table.name,
            format!(
                "{} and {}, where {what} need as many rows as columns{}",
                count(n_rows, "row"),
                count(n_columns, "column"),
                match (kind, n_columns) {
                    (Kind::Distances, 3 | 4) =>
                        " (a list of pairs has columns named from, to and distance, or names them with --edges)",
                    _ => "",
                }
            ),
        ));
    }
    let mut matrix: Array2<f64> = match features {
        OwnedFeatures::F64(matrix) => matrix,
        other => other.view().dense_rows(0, other.view().n_rows()),
    };
    if table.row_names.is_none() {
        table.row_names.clone_from(&table.column_names);
    }
    if kind == Kind::Distances && table.n_missing > 0 {
        table.notes.extend(mend(&mut matrix));
        table.n_missing = matrix.iter().filter(|value| value.is_nan()).count() / 2;
    }
    table.content = match kind {
        Kind::Kernel => Content::Kernel(matrix),
        _ => Content::Distances(matrix),
    };
    Ok(table)
}

/// True for small dense tables that are square, symmetric and zero on the diagonal only.
fn looks_like_distances(features: &Features<'_>) -> bool {
    let size = features.n_rows();
    if size < 3 || size != features.n_columns() || size > 5000 || features.is_sparse() {
        return false;
    }
    (0..size).all(|row| {
        features.value(row, row) == 0.0
            && (0..row).all(|other| {
                let value = features.value(row, other);
                value > 0.0 && value == features.value(other, row)
            })
    })
}
