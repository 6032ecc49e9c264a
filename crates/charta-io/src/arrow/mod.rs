//! Parquet and Arrow IPC: columns of a schema to rows of numbers.
//!
//! Only the chosen columns are decoded, and only some rows at a time.

mod decode;
mod ipc;
mod parquet;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use arrow_array::{Array, RecordBatch};
use arrow_schema::{ArrowError, Schema};
use charta::data::Precision;

pub(crate) use self::ipc::{count_rows, open as open_ipc};
pub(crate) use self::parquet::open as open_parquet;
use crate::block::{Block, BlockSource, Heading, LabelColumn, Lines, Values};
use crate::columns::{Column, ColumnKind, Plan, carried_title, plan, title};
use crate::error::{Error, Result};
use crate::input::Input;
use crate::options::{LabelKind, ReadOptions};
use crate::wording::count;

/// Numbers held at a time.
const BLOCK_VALUES: usize = 1 << 19;

/// Record batches one after the other.
type RecordBatches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// What the two formats differ in.
trait ArrowFile {
    /// Opens the file anew, with these columns, in batches of about this many rows.
    fn batches(&self, projection: &[usize], rows: usize) -> Result<RecordBatches>;

    /// Rows in all, where the file says so.
    fn n_rows(&self) -> Option<usize>;

    /// What the format is called.
    fn format(&self) -> &'static str;
}

/// A file of record batches, read block by block.
struct ArrowTable {
    file: Box<dyn ArrowFile>,
    name: String,
    columns: Vec<Column>,
    plan: Plan,
    heading: Heading,
    /// The columns read, in the file's order.
    projection: Vec<usize>,
    label_words: bool,
    batches: RecordBatches,
    /// A batch of the file and how many of its rows are done.
    pending: Option<(RecordBatch, usize)>,
    rows_done: usize,
}

impl ArrowTable {
    fn open(
        file: Box<dyn ArrowFile>,
        input: &Input,
        schema: &Schema,
        options: &ReadOptions,
    ) -> Result<Self> {
        let mut columns: Vec<Column> = schema
            .fields()
            .iter()
            .map(|field| Column {
                name: Some(field.name().clone()),
                kind: decode::kind_of(field.data_type()),
            })
            .collect();
        let name = input.name.clone();
        let plan = plan(&name, &columns, options)?;
        measure_lists(&*file, &name, &mut columns, &plan)?;
        let heading = heading(&name, schema, &columns, &plan, options);
        let used: BTreeSet<usize> = plan
            .features
            .iter()
            .copied()
            .chain(plan.label)
            .chain(plan.id)
            .collect();
        let projection: Vec<usize> = used.into_iter().collect();
        let rows = rows_at_once(heading.n_columns);
        let label_words = options.label_kind == LabelKind::Classes
            || plan.pairs
            || plan
                .label
                .is_some_and(|at| columns[at].kind == ColumnKind::Text);
        let mut table = Self {
            batches: file.batches(&projection, rows)?,
            file,
            name,
            columns,
            plan,
            heading,
            projection,
            label_words,
            pending: None,
            rows_done: 0,
        };
        table.heading.n_rows = table.file.n_rows();
        Ok(table)
    }

    fn column<'a>(&self, batch: &'a RecordBatch, index: usize) -> &'a dyn Array {
        let place = self
            .projection
            .iter()
            .position(|&read| read == index)
            .unwrap_or(0);
        batch.column(place).as_ref()
    }

    fn decode(&self, batch: &RecordBatch) -> Result<Block> {
        let rows = batch.num_rows();
        let width = self.heading.n_columns;
        let mut values = vec![f64::NAN; rows * width];
        let mut at = 0;
        for &index in &self.plan.features {
            let array = self.column(batch, index);
            at += match self.columns[index].kind {
                ColumnKind::Vector(length) => {
                    self.spread(array, index, length, &mut values, at)?;
                    length
                }
                _ => {
                    let column = decode::numbers(array);
                    for (row, value) in column.into_iter().enumerate() {
                        values[row * width + at] = value;
                    }
                    1
                }
            };
        }
        let labels = self.plan.label.map(|index| {
            let array = self.column(batch, index);
            if self.label_words {
                LabelColumn::Words(decode::words(array))
            } else {
                LabelColumn::Numbers(decode::numbers(array))
            }
        });
        let ids = self
            .plan
            .id
            .map(|index| decode::words(self.column(batch, index)));
        Ok(Block {
            rows,
            values: Values::Double(values),
            labels,
            ids,
            lines: Lines::default(),
        })
    }

    /// Writes lists of equal length side by side, from column `at` on.
    fn spread(
        &self,
        array: &dyn Array,
        index: usize,
        length: usize,
        values: &mut [f64],
        at: usize,
    ) -> Result<()> {
        let Some(lists) = decode::lists(array) else {
            return Ok(());
        };
        for (row, bound) in lists.bounds.iter().enumerate() {
            let Some((start, end)) = *bound else {
                continue;
            };
            if end - start != length {
                return Err(Error::content(
                    &self.name,
                    format!(
                        "row {}, column {}: a list of {} where the first row has {length}",
                        self.rows_done + row,
                        title(&self.columns, index),
                        count(end - start, "number")
                    ),
                ));
            }
            let target = row * self.heading.n_columns + at;
            values[target..target + length].copy_from_slice(&lists.values[start..end]);
        }
        Ok(())
    }

    /// The next rows of the file, as many as fit a block.
    fn next_rows(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some((batch, done)) = &mut self.pending {
                let length = rows_at_once(self.heading.n_columns).min(batch.num_rows() - *done);
                if length > 0 {
                    let part = batch.slice(*done, length);
                    *done += length;
                    return Ok(Some(part));
                }
            }
            let batches = &mut self.batches;
            let format = self.file.format();
            let Some(batch) = guarded(&self.name, format, || batches.next().transpose())? else {
                return Ok(None);
            };
            self.pending = Some((batch, 0));
        }
    }
}

impl BlockSource for ArrowTable {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
    }

    fn next_block(&mut self) -> Result<Option<Block>> {
        let Some(batch) = self.next_rows()? else {
            if self.rows_done == 0 {
                return Err(Error::content(&self.name, "there are columns, and no rows"));
            }
            return Ok(None);
        };
        let block = self.decode(&batch)?;
        self.rows_done += block.rows;
        Ok(Some(block))
    }

    fn rewind(&mut self) -> Result<()> {
        self.batches = self
            .file
            .batches(&self.projection, rows_at_once(self.heading.n_columns))?;
        self.pending = None;
        self.rows_done = 0;
        Ok(())
    }
}

fn rows_at_once(n_columns: usize) -> usize {
    (BLOCK_VALUES / n_columns.max(1)).clamp(64, 1 << 16)
}

fn heading(
    name: &str,
    schema: &Schema,
    columns: &[Column],
    plan: &Plan,
    options: &ReadOptions,
) -> Heading {
    let single = plan
        .features
        .iter()
        .all(|&index| decode::precision_of(schema.field(index).data_type()) == Precision::Single);
    let own = if single {
        Precision::Single
    } else {
        Precision::Double
    };
    let n_columns = plan.n_columns(columns);
    let mut heading = Heading::new(name, n_columns, options.precision.unwrap_or(own));
    heading.column_names = plan.names(columns);
    heading.view_widths = plan.view_widths(columns);
    heading.label_title = plan.label.map(|at| carried_title(columns, at, "label"));
    heading.label_guessed = plan.label_guessed;
    heading.id_title = plan.id.map(|at| carried_title(columns, at, "id"));
    heading.pairs = plan.pairs;
    heading.notes.clone_from(&plan.notes);
    heading
}

/// Lists whose length the schema does not state are as long as the first that is not null.
fn measure_lists(
    file: &dyn ArrowFile,
    name: &str,
    columns: &mut [Column],
    plan: &Plan,
) -> Result<()> {
    for &index in &plan.features {
        if columns[index].kind != ColumnKind::Vector(0) {
            continue;
        }
        let mut length = None;
        let mut batches = file.batches(&[index], 64)?;
        while let Some(batch) = guarded(name, file.format(), || batches.next().transpose())? {
            let lists = decode::lists(batch.column(0).as_ref());
            let first = lists.and_then(|lists| lists.bounds.into_iter().flatten().next());
            if let Some((start, end)) = first {
                length = Some(end - start);
                break;
            }
        }
        match length {
            Some(length) if length > 0 => columns[index].kind = ColumnKind::Vector(length),
            _ => {
                let problem = format!("column {} holds only empty lists", title(columns, index));
                return Err(Error::content(name, problem));
            }
        }
    }
    Ok(())
}

/// Runs a call into the format's reader, which may panic over a damaged file; that is an error here.
fn guarded<T, E: std::fmt::Display>(
    file: &str,
    format: &str,
    call: impl FnOnce() -> Result<T, E>,
) -> Result<T> {
    match without_panic_message(call) {
        Ok(result) => result.map_err(|error| damaged(file, format, &error)),
        Err(_) => Err(damaged(file, format, &"its reader gave up")),
    }
}

thread_local! {
    /// True while this thread is in a reader whose panics are caught.
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Catches a panic, without its message on standard error. Panics of other threads are reported as before.
fn without_panic_message<T>(call: impl FnOnce() -> T) -> std::thread::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !SILENT.get() {
                report(info);
            }
        }));
    });
    let before = SILENT.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    SILENT.set(before);
    result
}

/// What a reader says of a broken file, on one line.
fn damaged(file: &str, format: &str, error: &dyn std::fmt::Display) -> Error {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    Error::content(
        file,
        format!("the {format} data is damaged or ends too early ({line})"),
    )
}

#[cfg(test)]
mod tests;
