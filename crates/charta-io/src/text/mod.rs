//! Text tables: CSV, TSV and their kin.
//!
//! The first megabyte determines the layout ([`layout`]). Then the text is cut into pieces of whole
//! records ([`records`]), which all cores parse at once.

pub(crate) mod layout;
pub(crate) mod number;
pub(crate) mod records;

use charta::data::Precision;
use csv::ByteRecord;
use rayon::prelude::*;

use self::layout::{Layout, SAMPLE_BYTES, is_blank, words};
use self::number::number;
use self::records::{Piece, Records, count_lines};
use crate::block::{Block, BlockSource, Heading, LabelColumn, Lines, Values};
use crate::columns::{Plan, carried_title, plan, title};
use crate::error::{Error, Result};
use crate::input::Input;
use crate::options::{LabelKind, ReadOptions};
use crate::wording::shortened;

/// Text of one piece of work.
const PIECE_BYTES: usize = 1 << 20;

/// A text table, read block by block.
pub(crate) struct TextTable {
    input: Input,
    records: Records,
    parser: Parser,
    heading: Heading,
    before_first: bool,
}

/// Everything a thread needs to parse a piece.
struct Parser {
    file: String,
    layout: Layout,
    plan: Plan,
    options: ReadOptions,
    /// Numbers that stand for a missing value, such as −999.
    missing_numbers: Vec<f64>,
    labels: LabelCells,
}

/// How the cells of the label column are taken.
#[derive(Clone, Copy, PartialEq)]
enum LabelCells {
    Words,
    /// Numbers, until a word comes: then all are words.
    NumbersIfTheyCan,
    /// Numbers; a word is an error.
    Numbers,
}

impl LabelCells {
    fn of(layout: &Layout, plan: &Plan, kind: LabelKind) -> Self {
        let some_words = plan.label.is_some_and(|at| layout.some_words[at]);
        match kind {
            _ if plan.pairs => Self::Words,
            LabelKind::Classes => Self::Words,
            LabelKind::Numbers if !plan.label_guessed => Self::Numbers,
            _ if some_words => Self::Words,
            _ => Self::NumbersIfTheyCan,
        }
    }
}

/// A reader of records for text in memory.
fn reader(text: &[u8], delimiter: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text)
}

impl TextTable {
    pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Self> {
        let sample = input.peek(SAMPLE_BYTES)?;
        let layout = layout::detect(&input.name, &sample, options)?;
        let mut options = options.clone();
        if layout.row_names && options.id.is_none() {
            options.id = Some("0".into());
        }
        let plan = plan(&input.name, &layout.columns, &options)?;
        let precision = options.precision.unwrap_or(Precision::Double);
        let heading = heading(&input.name, &layout, &plan, precision);
        let missing_numbers = options
            .missing
            .iter()
            .filter_map(|word| word.parse().ok())
            .collect();
        let file = input.name.clone();
        Ok(Self {
            records: Records::open(&input, layout.delimiter)?,
            parser: Parser {
                file,
                labels: LabelCells::of(&layout, &plan, options.label_kind),
                layout,
                plan,
                options,
                missing_numbers,
            },
            input,
            heading,
            before_first: true,
        })
    }

    /// Number of rows: counted, or for large files estimated from the first megabyte. The second
    /// value is true if counted.
    pub(crate) fn count_rows(&self) -> Result<(usize, bool)> {
        const COUNTED_BYTES: u64 = 1 << 30;
        let header = u64::from(self.parser.layout.header);
        if self.input.stored_bytes() <= COUNTED_BYTES {
            let mut records = Records::open(&self.input, self.parser.layout.delimiter)?;
            let mut rows = 0;
            loop {
                let pieces = records.next_pieces(rayon::current_num_threads(), PIECE_BYTES)?;
                if pieces.is_empty() {
                    return Ok(((rows - header.min(rows)) as usize, true));
                }
                let parser = &self.parser;
                rows += pieces
                    .par_iter()
                    .map(|piece| parser.count(piece))
                    .sum::<u64>();
            }
        }
        let sample = self.input.peek(SAMPLE_BYTES)?;
        let bytes_per_row = sample.len() as f64 / count_lines(&sample).max(1) as f64;
        // Text of numbers shrinks to about a third.
        let size =
            self.input.stored_bytes() as f64 * if self.input.is_compressed() { 3.0 } else { 1.0 };
        Ok(((size / bytes_per_row) as usize, false))
    }
}

impl BlockSource for TextTable {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
    }

    fn next_block(&mut self) -> Result<Option<Block>> {
        let pieces = self
            .records
            .next_pieces(rayon::current_num_threads(), PIECE_BYTES)?;
        if pieces.is_empty() {
            return Ok(None);
        }
        let skip_header = self.before_first && self.parser.layout.header;
        self.before_first = false;
        let parser = &self.parser;
        let parsed: Vec<Result<Block>> = pieces
            .par_iter()
            .enumerate()
            .map(|(index, piece)| parser.parse(piece, skip_header && index == 0))
            .collect();
        let mut blocks = parsed.into_iter();
        let Some(first) = blocks.next() else {
            return Ok(None);
        };
        let mut all = first?;
        for block in blocks {
            let block = block?;
            all.append(&block, 0, block.rows, self.heading.n_columns);
        }
        Ok(Some(all))
    }

    fn expect_number_labels(&mut self) {
        if self.parser.labels == LabelCells::NumbersIfTheyCan {
            self.parser.labels = LabelCells::Numbers;
        }
    }

    fn rewind(&mut self) -> Result<()> {
        self.records = Records::open(&self.input, self.parser.layout.delimiter)?;
        self.before_first = true;
        Ok(())
    }
}

impl Parser {
    fn parse(&self, piece: &Piece<'_>, skip_first: bool) -> Result<Block> {
        let mut reader = reader(piece.bytes, self.layout.delimiter);
        let mut record = ByteRecord::new();
        let mut values = Vec::with_capacity(self.expected_values(piece));
        let mut labels = self.plan.label.map(|at| (at, self.no_labels()));
        let mut ids = self.plan.id.map(|_| Vec::new());
        let mut lines = Lines::default();
        let (mut rows, mut skip) = (0, skip_first);
        while self.read(&mut reader, &mut record, piece)? {
            if is_blank(&record, self.layout.delimiter) && self.layout.columns.len() > 1 {
                continue;
            }
            if std::mem::take(&mut skip) {
                continue;
            }
            let line = line_of(&record, piece);
            self.check_length(&record, line)?;
            for &column in &self.plan.features {
                values.push(self.number(&record, column, line)?);
            }
            if let Some((column, labels)) = &mut labels {
                self.push_label(&record, *column, line, labels)?;
            }
            if let (Some(column), Some(ids)) = (self.plan.id, &mut ids) {
                ids.push(words(&record[column]));
            }
            lines.push(rows, line);
            rows += 1;
        }
        Ok(Block {
            rows,
            values: Values::Double(values),
            labels: labels.map(|(_, labels)| labels),
            ids,
            lines,
        })
    }

    fn no_labels(&self) -> LabelColumn {
        match self.labels {
            LabelCells::Words => LabelColumn::Words(Vec::new()),
            _ => LabelColumn::Numbers(Vec::new()),
        }
    }

    fn push_label(
        &self,
        record: &ByteRecord,
        column: usize,
        line: u64,
        labels: &mut LabelColumn,
    ) -> Result<()> {
        let cell = &record[column];
        if self.labels == LabelCells::Words {
            labels.push_word(self.word(cell));
            return Ok(());
        }
        match self.value(cell) {
            Some(value) => labels.push_number(value),
            None if self.labels == LabelCells::NumbersIfTheyCan => labels.push_word(words(cell)),
            None => return Err(self.not_a_number(column, line, cell)),
        }
        Ok(())
    }

    fn read(
        &self,
        reader: &mut csv::Reader<&[u8]>,
        record: &mut ByteRecord,
        piece: &Piece<'_>,
    ) -> Result<bool> {
        reader.read_byte_record(record).map_err(|error| {
            Error::content(&self.file, format!("near line {}: {error}", piece.line))
        })
    }

    /// A guess that spares most of the copying while the values grow: two bytes a cell.
    fn expected_values(&self, piece: &Piece<'_>) -> usize {
        piece.bytes.len() / 4
    }

    fn count(&self, piece: &Piece<'_>) -> u64 {
        if !piece.bytes.contains(&b'"') {
            let lines = piece.bytes.split(|&byte| byte == b'\n');
            return lines.filter(|line| !line.trim_ascii().is_empty()).count() as u64;
        }
        let mut reader = reader(piece.bytes, self.layout.delimiter);
        let mut record = ByteRecord::new();
        let mut rows = 0;
        while reader.read_byte_record(&mut record).unwrap_or(false) {
            rows += 1;
        }
        rows
    }

    fn check_length(&self, record: &ByteRecord, line: u64) -> Result<()> {
        let expected = self.layout.columns.len();
        if record.len() == expected {
            return Ok(());
        }
        let reference = if self.layout.header {
            "the header"
        } else {
            "the first line"
        };
        Err(Error::Fields {
            file: self.file.clone(),
            line,
            found: record.len(),
            expected,
            reference: reference.into(),
        })
    }

    fn number(&self, record: &ByteRecord, column: usize, line: u64) -> Result<f64> {
        let cell = &record[column];
        self.value(cell)
            .ok_or_else(|| self.not_a_number(column, line, cell))
    }

    /// The number in a cell, NaN where it is missing; `None` for a word.
    fn value(&self, cell: &[u8]) -> Option<f64> {
        match number(cell, self.layout.decimal_comma) {
            Some(value) if self.missing_numbers.contains(&value) => Some(f64::NAN),
            Some(value) => Some(value),
            None => self.is_missing(cell).then_some(f64::NAN),
        }
    }

    fn word(&self, cell: &[u8]) -> String {
        if self.is_missing(cell) {
            String::new()
        } else {
            words(cell)
        }
    }

    fn is_missing(&self, cell: &[u8]) -> bool {
        std::str::from_utf8(cell.trim_ascii()).is_ok_and(|cell| self.options.is_missing(cell))
    }

    fn not_a_number(&self, column: usize, line: u64, cell: &[u8]) -> Error {
        let is_label = self.plan.label == Some(column);
        Error::Cell {
            file: self.file.clone(),
            line,
            column: title(&self.layout.columns, column),
            found: shortened(&words(cell)),
            expected: if is_label {
                "a number: use --label-kind classes to read the labels as classes"
            } else {
                "a number"
            },
        }
    }
}

fn heading(name: &str, layout: &Layout, plan: &Plan, precision: Precision) -> Heading {
    let columns = &layout.columns;
    let mut heading = Heading::new(name, plan.n_columns(columns), precision);
    heading.column_names = plan.names(columns);
    heading.view_widths = plan.view_widths(columns);
    heading.label_title = plan.label.map(|at| carried_title(columns, at, "label"));
    heading.label_guessed = plan.label_guessed;
    heading.id_title = plan.id.map(|at| carried_title(columns, at, "id"));
    heading.pairs = plan.pairs;
    heading.notes = layout.notes.iter().chain(&plan.notes).cloned().collect();
    heading
}

fn line_of(record: &ByteRecord, piece: &Piece<'_>) -> u64 {
    piece.line + record.position().map_or(1, csv::Position::line) - 1
}

#[cfg(test)]
mod tests;
