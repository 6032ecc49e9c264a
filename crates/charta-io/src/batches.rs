//! Rows in batches, so that memory does not grow with the file.

use charta::data::{Batches, OwnedFeatures};
use charta::{Data, Labels};

use crate::block::{Block, BlockSource, Heading, LabelColumn, Values, decide_labels};
use crate::builtin;
use crate::error::{Error, Result};
use crate::generated;
use crate::open::{images, rows};
use crate::options::{Kind, LabelKind, ReadOptions};
use crate::source::{Source, find};
use crate::table::{Content, Table};

/// Batches of rows with the labels and names that belong to them.
///
/// [`Batches::next_batch`] lends a batch; what this trait gives then speaks of that batch.
pub trait TableBatches: Batches {
    /// Starts again with the first row.
    fn rewind(&mut self) -> Result<()>;

    /// The label column's title, if there is one.
    fn label_title(&self) -> Option<&str>;

    /// The id column's title, if there is one.
    fn id_title(&self) -> Option<&str>;

    /// The labels of the current batch. Classes are numbered anew in each batch; their names tell.
    fn labels(&self) -> Option<&Labels<'static>>;

    /// The rows' names of the current batch.
    fn row_names(&self) -> Option<&[String]>;

    /// Missing values so far.
    fn n_missing(&self) -> usize;

    /// Precision of the batches.
    fn precision(&self) -> charta::data::Precision;

    /// What was decided without being asked.
    fn notes(&self) -> &[String];
}

/// Opens a source to be read in batches of `rows_per_batch` rows; the last may be shorter.
///
/// Memory stays flat for CSV, Parquet, Arrow, NPY, IDX and images. Standard input, NPZ and
/// MatrixMarket cannot be read in parts.
pub fn open_batches(
    source: &str,
    options: &ReadOptions,
    rows_per_batch: usize,
) -> Result<Box<dyn TableBatches>> {
    if rows_per_batch == 0 {
        return Err(Error::option("rows_per_batch", "must be at least 1", 0));
    }
    if options.kind != Kind::Features {
        return Err(Error::unsupported(
            source,
            "distances and kernels cannot be read in batches",
        ));
    }
    if source == "-" {
        return Err(Error::unsupported(
            "standard input",
            "it can be read only once, and batches may need several passes: save it to a file first",
        ));
    }
    let blocks = match find(source, options)? {
        Source::Stored(set) => TableBlocks::boxed(builtin::read(set.name, options)?)?,
        Source::Generated(set, parameters) => {
            TableBlocks::boxed(generated::make(set.name, &parameters, options)?)?
        }
        Source::Bytes { input, format, .. } => rows(input, format, options)?,
        Source::Images(path) => images(&path, options)?,
    };
    Ok(Box::new(Batcher::new(blocks, options, rows_per_batch)))
}

/// Cuts the blocks of a reader to batches of equal size.
struct Batcher {
    source: Box<dyn BlockSource>,
    label_kind: LabelKind,
    rows_per_batch: usize,
    /// Rows read and not yet handed out, from `used` on.
    pending: Option<Block>,
    used: usize,
    current: Block,
    labels: Option<Labels<'static>>,
    n_missing: usize,
}

impl Batcher {
    fn new(source: Box<dyn BlockSource>, options: &ReadOptions, rows_per_batch: usize) -> Self {
        let precision = source.heading().precision;
        Self {
            source,
            label_kind: options.label_kind,
            rows_per_batch,
            pending: None,
            used: 0,
            current: Block::of_values(0, Values::new(precision, 0)),
            labels: None,
            n_missing: 0,
        }
    }

    /// Fills `current`; false at the end.
    fn fill(&mut self) -> Result<bool> {
        let n_columns = self.source.heading().n_columns;
        self.current.clear();
        while self.current.rows < self.rows_per_batch {
            let Some(block) = &self.pending else {
                match self.source.next_block()? {
                    Some(block) => self.pending = Some(block),
                    None => break,
                }
                self.used = 0;
                continue;
            };
            let wanted = self.rows_per_batch - self.current.rows;
            let end = block.rows.min(self.used + wanted);
            self.current.append(block, self.used, end, n_columns);
            self.used = end;
            if self.used == block.rows {
                self.pending = None;
            }
        }
        self.n_missing += self.current.values.count_missing();
        self.labels = self
            .current
            .labels
            .take()
            .map(|column| batch_labels(column, self.label_kind));
        Ok(self.current.rows > 0)
    }
}

/// Labels of one batch. Numbers stay numbers unless classes were asked for: one batch cannot tell
/// whether all of them repeat.
fn batch_labels(column: LabelColumn, kind: LabelKind) -> Labels<'static> {
    match (column, kind) {
        (LabelColumn::Words(words), _) => Labels::from_words(&words),
        (LabelColumn::Numbers(values), LabelKind::Detect) => Labels::numbers(values),
        (numbers, kind) => decide_labels(numbers, kind),
    }
}

impl Batches for Batcher {
    fn n_columns(&self) -> usize {
        self.source.heading().n_columns
    }

    fn n_rows(&self) -> Option<usize> {
        self.source.heading().n_rows
    }

    fn column_names(&self) -> Option<&[String]> {
        self.source.heading().column_names.as_deref()
    }

    fn next_batch(&mut self) -> charta::Result<Option<Data<'_>>> {
        if !self.fill()? {
            return Ok(None);
        }
        let heading = self.source.heading();
        let Some(features) = self
            .current
            .values
            .view(self.current.rows, heading.n_columns)
        else {
            let problem = "the rows do not all have the same length";
            return Err(Error::content(&heading.name, problem).into());
        };
        let mut data = Data::new(features);
        if let Some(labels) = &self.labels {
            data = data.with_labels(labels.reborrow())?;
        }
        if let Some(names) = &self.current.ids {
            data = data.with_row_names(names.as_slice())?;
        }
        if let Some(names) = &heading.column_names {
            data = data.with_column_names(names.as_slice())?;
        }
        Ok(Some(data))
    }
}

impl TableBatches for Batcher {
    fn rewind(&mut self) -> Result<()> {
        self.pending = None;
        self.current.clear();
        self.labels = None;
        self.n_missing = 0;
        self.source.rewind()
    }

    fn label_title(&self) -> Option<&str> {
        self.source.heading().label_title.as_deref()
    }

    fn id_title(&self) -> Option<&str> {
        self.source.heading().id_title.as_deref()
    }

    fn labels(&self) -> Option<&Labels<'static>> {
        self.labels.as_ref()
    }

    fn row_names(&self) -> Option<&[String]> {
        self.current.ids.as_deref()
    }

    fn n_missing(&self) -> usize {
        self.n_missing
    }

    fn precision(&self) -> charta::data::Precision {
        self.source.heading().precision
    }

    fn notes(&self) -> &[String] {
        &self.source.heading().notes
    }
}

/// A table that is in memory already, as one block.
struct TableBlocks {
    heading: Heading,
    block: Block,
    given: bool,
}

impl TableBlocks {
    fn boxed(table: Table) -> Result<Box<dyn BlockSource>> {
        let rows = table.n_rows();
        let mut heading = Heading::new(&table.name, table.n_columns(), table.precision());
        let values = match table.content {
            Content::Features(OwnedFeatures::F32(x)) => Values::Single(x.into_iter().collect()),
            Content::Features(OwnedFeatures::F64(x)) => Values::Double(x.into_iter().collect()),
            _ => {
                return Err(Error::unsupported(
                    table.name,
                    "it cannot be read in batches",
                ));
            }
        };
        heading.n_rows = Some(rows);
        heading.column_names = table.column_names;
        heading.image = table.image;
        heading.notes = table.notes;
        let mut block = Block::of_values(rows, values);
        if let Some((title, labels)) = table.labels {
            heading.label_title = Some(title);
            block.labels = Some(match labels {
                Labels::Numbers(values) => LabelColumn::Numbers(values.into_owned()),
                classes => LabelColumn::Words((0..rows).map(|row| classes.text(row)).collect()),
            });
        }
        Ok(Box::new(Self {
            heading,
            block,
            given: false,
        }))
    }
}

impl BlockSource for TableBlocks {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn next_block(&mut self) -> Result<Option<Block>> {
        let first = !std::mem::replace(&mut self.given, true);
        Ok(first.then(|| self.block.clone()))
    }

    fn rewind(&mut self) -> Result<()> {
        self.given = false;
        Ok(())
    }
}
