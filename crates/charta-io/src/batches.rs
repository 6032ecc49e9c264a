//! Rows in batches, so that memory does not grow with the file.

use charta::data::{Batches, OwnedFeatures};
use charta::{Data, Labels};

use crate::block::{Block, BlockSource, Heading, LabelColumn, Values};
use crate::builtin;
use crate::error::{Error, Result};
use crate::generated;
use crate::input::STANDARD;
use crate::labels::{FIRST_ROWS, LabelRole, not_a_number};
use crate::open::{images, rows};
use crate::options::{Kind, LabelKind, ReadOptions};
use crate::parts::Parts;
use crate::source::{Source, find, is_read_once};
use crate::table::{Content, ImageShape, Table};
use crate::write::LabelType;

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

    /// What the label column is in an output, as the first rows show it.
    fn label_type(&self) -> Option<LabelType>;

    /// The images' shape, when every row is an image.
    fn image(&self) -> Option<ImageShape>;

    /// The labels of the current batch: of the same kind in every batch, and as if the source were
    /// read whole, except that a word after many numbers is an error here. Classes are numbered anew in each batch; their names identify them.
    fn labels(&self) -> Option<&Labels<'static>>;

    /// The rows' names of the current batch.
    fn row_names(&self) -> Option<&[String]>;

    /// Missing values so far.
    fn n_missing(&self) -> usize;

    /// Precision of the batches.
    fn precision(&self) -> charta::data::Precision;

    /// What was decided automatically.
    fn notes(&self) -> &[String];
}

/// Opens a source to be read in batches of `rows_per_batch` rows; the last may be shorter.
///
/// Memory stays flat for CSV, Parquet, Arrow, NPY, IDX and images. Standard input, NPZ and
/// MatrixMarket cannot be read in parts. What the labels are is decided from the first 10,000 rows,
/// as in [`read`](crate::read).
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
    if is_read_once(source) {
        let name = if source == "-" { STANDARD } else { source };
        return Err(Error::unsupported(
            name,
            "it can be read only once, and batches may need several passes: save it to a file first",
        ));
    }
    let (blocks, kind) = match find(source, options)? {
        Source::Stored(set, changes) => in_memory(builtin::read(set.name, &changes, options)?)?,
        Source::Generated(set, parameters) => {
            in_memory(generated::make(set.name, &parameters, options)?)?
        }
        Source::Bytes { input, format, .. } => (rows(input, format, options)?, options.label_kind),
        Source::Images(path) => (images(&path, options)?, options.label_kind),
        Source::Parts(paths) => {
            let parts: Box<dyn BlockSource> = Box::new(Parts::open(source, paths, options)?);
            (parts, options.label_kind)
        }
    };
    Ok(Box::new(Batcher::new(blocks, kind, rows_per_batch)?))
}

/// The blocks of a table, whose labels are decided already.
fn in_memory(table: Table) -> Result<(Box<dyn BlockSource>, LabelKind)> {
    let kind = match &table.labels {
        Some((_, Labels::Numbers(_))) => LabelKind::Numbers,
        _ => LabelKind::Classes,
    };
    Ok((TableBlocks::boxed(table)?, kind))
}

/// Decides what the labels are and says so in the source's heading; `None` if there are none.
fn decide_labels(
    source: &mut dyn BlockSource,
    kind: LabelKind,
) -> Result<Option<(LabelRole, Option<LabelType>)>> {
    if source.heading().label_title.is_none() {
        return Ok(None);
    }
    let Some(first) = source.first_labels(FIRST_ROWS)? else {
        return Ok(None);
    };
    let role = LabelRole::decide(&first, source.heading(), kind);
    if role == LabelRole::Numbers {
        source.expect_number_labels();
    }
    role.announce(source.heading_mut());
    let mut sample = Block::of_values(0, Values::new(source.heading().precision, 0));
    sample.labels = Some(first);
    let labels = role.take(&mut sample);
    let labels = labels.map_err(|word| not_a_number(source.heading(), &word))?;
    Ok(Some((role, labels.as_ref().map(LabelType::of))))
}

/// Cuts the blocks of a reader to batches of equal size.
struct Batcher {
    source: Box<dyn BlockSource>,
    role: Option<LabelRole>,
    label_type: Option<LabelType>,
    rows_per_batch: usize,
    /// Rows read and not yet handed out, from `used` on.
    pending: Option<Block>,
    used: usize,
    current: Block,
    labels: Option<Labels<'static>>,
    n_missing: usize,
}

impl Batcher {
    fn new(
        mut source: Box<dyn BlockSource>,
        kind: LabelKind,
        rows_per_batch: usize,
    ) -> Result<Self> {
        let precision = source.heading().precision;
        let decided = decide_labels(&mut *source, kind)?;
        Ok(Self {
            source,
            role: decided.map(|(role, _)| role),
            label_type: decided.and_then(|(_, label_type)| label_type),
            rows_per_batch,
            pending: None,
            used: 0,
            current: Block::of_values(0, Values::new(precision, 0)),
            labels: None,
            n_missing: 0,
        })
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
        let labels = self
            .role
            .map(|role| role.take(&mut self.current))
            .transpose();
        self.labels = labels
            .map_err(|word| not_a_number(self.source.heading(), &word))?
            .flatten();
        Ok(self.current.rows > 0)
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

    fn label_type(&self) -> Option<LabelType> {
        self.label_type
    }

    fn image(&self) -> Option<ImageShape> {
        self.source.heading().image
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
        heading.id_title = table.id_title;
        let mut block = Block::of_values(rows, values);
        block.ids = table.row_names;
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

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
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
