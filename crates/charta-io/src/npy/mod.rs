//! NumPy arrays: any number type, either byte order, either memory order.

pub(crate) mod element;
pub(crate) mod header;

use std::io::{Read, SeekFrom};

use self::header::Header;
use crate::block::{Block, BlockSource, Heading, LabelColumn, Lines, Values, read_first_labels};
use crate::columns::{Column, ColumnKind, Plan, plan};
use crate::error::{Error, Result};
use crate::input::{Input, ReadSeek, seek_to};
use crate::options::ReadOptions;
use crate::table::ImageShape;

/// Numbers decoded at a time.
const BLOCK_VALUES: usize = 1 << 19;

/// An array, read block by block.
pub(crate) struct NpyTable {
    input: Input,
    reader: Box<dyn ReadSeek>,
    header: Header,
    heading: Heading,
    plan: Plan,
    /// True if every column is a feature, so that rows are taken as they are.
    whole: bool,
    /// Labels and names that came from elsewhere, one a row.
    labels: Option<LabelColumn>,
    ids: Option<Vec<String>>,
    next: usize,
}

impl NpyTable {
    pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Self> {
        let header = Header::read(&input.name, &mut input.open()?)?;
        Self::with_header(input, header, options)
    }

    /// Opens an array whose header is known: other formats store numbers in the same way.
    pub(crate) fn with_header(input: Input, header: Header, options: &ReadOptions) -> Result<Self> {
        let mut reader = input.open_seekable()?;
        if header.element.is_text() {
            return Err(Error::content(
                &input.name,
                "the array holds text, numbers were expected",
            ));
        }
        let n_columns = check_size(&input, &header, &mut *reader)?;
        let columns = vec![
            Column {
                name: None,
                kind: ColumnKind::Number
            };
            n_columns
        ];
        let plan = plan(&input.name, &columns, options)?;
        let whole = plan.features.iter().copied().eq(0..n_columns);
        let precision = options.precision.unwrap_or(header.element.precision());
        let mut heading = Heading::new(&input.name, plan.features.len(), precision);
        heading.n_rows = Some(header.n_rows());
        heading.view_widths = plan.view_widths(&columns);
        heading.label_title = plan.label.map(|_| "label".into());
        heading.id_title = plan.id.map(|_| "id".into());
        heading.image = if whole {
            image_shape(&header.shape)
        } else {
            None
        };
        Ok(Self {
            input,
            reader,
            header,
            heading,
            plan,
            whole,
            labels: None,
            ids: None,
            next: 0,
        })
    }

    /// Adds labels from another array or file; their number must be right.
    pub(crate) fn set_labels(&mut self, title: &str, labels: LabelColumn) {
        self.heading.label_title = Some(title.into());
        self.labels = Some(labels);
    }

    /// Adds names of the rows; their number must be right.
    pub(crate) fn set_ids(&mut self, title: &str, ids: Vec<String>) {
        self.heading.id_title = Some(title.into());
        self.ids = Some(ids);
    }

    /// Adds names of the columns, if there are as many.
    pub(crate) fn set_column_names(&mut self, names: Vec<String>) {
        if self.whole && names.len() == self.heading.n_columns {
            self.heading.column_names = Some(names);
        }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.header.n_rows()
    }

    fn n_stored_columns(&self) -> usize {
        self.header.n_columns().unwrap_or(1)
    }

    /// Rows `self.next` to `end` − 1, all columns.
    fn read_rows(&mut self, end: usize) -> Result<Values> {
        let columns = self.n_stored_columns();
        let rows = end - self.next;
        let mut values = Values::new(self.heading.precision, rows * columns);
        if !self.header.fortran || columns == 1 {
            let start = (self.next * columns) as u64;
            self.read_run(start, rows * columns, &mut values)?;
            return Ok(values);
        }
        let mut by_column = Values::new(self.heading.precision, rows * columns);
        for column in 0..columns {
            let start = self.fortran_column(column) as u64 * self.header.n_rows() as u64;
            self.read_run(start + self.next as u64, rows, &mut by_column)?;
        }
        transpose(&by_column, rows, columns, &mut values);
        Ok(values)
    }

    /// Adds `count` elements from element number `start`.
    fn read_run(&mut self, start: u64, count: usize, values: &mut Values) -> Result<()> {
        let size = self.header.element.size;
        let mut bytes = vec![0; count * size];
        seek_to(&mut *self.reader, self.header.offset + start * size as u64)
            .and_then(|()| self.reader.read_exact(&mut bytes))
            .map_err(|error| self.input.read_error(&error))?;
        self.header.element.decode(&bytes, values);
        Ok(())
    }

    /// Where a column of the flattened array stands when the first index varies fastest.
    fn fortran_column(&self, column: usize) -> usize {
        let sizes = &self.header.shape[1..];
        let (mut rest, mut place) = (column, 0);
        for (axis, &size) in sizes.iter().enumerate().rev() {
            let stride: usize = sizes[..axis].iter().product();
            place += (rest % size) * stride;
            rest /= size;
        }
        place
    }

    fn choose(&self, values: Values, rows: usize) -> Block {
        if self.whole {
            return Block::of_values(rows, values);
        }
        let width = self.n_stored_columns();
        let mut chosen = Values::new(self.heading.precision, rows * self.plan.features.len());
        for row in 0..rows {
            for &column in &self.plan.features {
                chosen.append(&values, row * width + column, row * width + column + 1);
            }
        }
        let column = |at: usize| -> Vec<f64> {
            let mut out = Values::Double(Vec::with_capacity(rows));
            for row in 0..rows {
                out.append(&values, row * width + at, row * width + at + 1);
            }
            match out {
                Values::Double(numbers) => numbers,
                Values::Single(_) => Vec::new(),
            }
        };
        Block {
            rows,
            values: chosen,
            labels: self.plan.label.map(|at| LabelColumn::Numbers(column(at))),
            ids: self
                .plan
                .id
                .map(|at| column(at).iter().map(ToString::to_string).collect()),
            lines: Lines::default(),
        }
    }
}

impl BlockSource for NpyTable {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
    }

    fn next_block(&mut self) -> Result<Option<Block>> {
        let rows_at_once = (BLOCK_VALUES / self.n_stored_columns()).max(1);
        let end = (self.next + rows_at_once).min(self.header.n_rows());
        if self.next >= end {
            return Ok(None);
        }
        let start = self.next;
        let values = self.read_rows(end)?;
        self.next = end;
        let mut block = self.choose(values, end - start);
        if let Some(labels) = &self.labels {
            let mut part = labels.like();
            part.append(labels, start, end);
            block.labels = Some(part);
        }
        if let Some(ids) = &self.ids {
            block.ids = Some(ids[start..end].to_vec());
        }
        Ok(Some(block))
    }

    fn rewind(&mut self) -> Result<()> {
        self.next = 0;
        Ok(())
    }

    fn first_labels(&mut self, count: usize) -> Result<Option<LabelColumn>> {
        match &self.labels {
            Some(labels) => Ok(Some(labels.first(count))),
            None => read_first_labels(self, count),
        }
    }
}

/// The labels that a one-dimensional array holds; `None` if it has more dimensions.
pub(crate) fn read_labels(file: &str, bytes: &[u8]) -> Result<Option<LabelColumn>> {
    let mut rest = bytes;
    let header = Header::read(file, &mut rest)?;
    if header.shape.iter().filter(|&&size| size != 1).count() > 1 {
        return Ok(None);
    }
    if header.n_bytes() != Some(rest.len() as u64) {
        return Err(Error::content(file, "the array ends too early"));
    }
    if header.element.size == 0 {
        return words_without_letters(file, &header).map(Some);
    }
    if header.element.is_text() {
        return Ok(Some(LabelColumn::Words(header.element.words(rest))));
    }
    let mut values = Vec::with_capacity(header.n_rows());
    values.extend(
        rest.chunks_exact(header.element.size)
            .map(|chunk| header.element.number(chunk)),
    );
    Ok(Some(LabelColumn::Numbers(values)))
}

/// `<U0` is what NumPy makes of empty words: all of them are missing, and none takes a byte.
fn words_without_letters(file: &str, header: &Header) -> Result<LabelColumn> {
    // No byte of the file vouches for their number.
    const MOST: usize = 1 << 24;
    let n_words: usize = header.shape.iter().product();
    if n_words > MOST {
        let problem = format!("{n_words} words without a letter, where {MOST} are the most");
        return Err(Error::content(file, problem));
    }
    Ok(LabelColumn::Words(vec![String::new(); n_words]))
}

/// Fails if the file does not hold what its header promises; gives the numbers in a row.
fn check_size(input: &Input, header: &Header, reader: &mut dyn ReadSeek) -> Result<usize> {
    let too_large = || {
        Error::content(
            &input.name,
            format!("an array of shape {:?} is too large", header.shape),
        )
    };
    let n_columns = header.n_columns().ok_or_else(too_large)?;
    let expected = header.n_bytes().ok_or_else(too_large)?;
    if header.n_rows() == 0 || n_columns == 0 {
        return Err(Error::content(
            &input.name,
            format!("the array is empty: its shape is {:?}", header.shape),
        ));
    }
    let end = reader.seek(SeekFrom::End(0));
    let found = end.map_err(|error| input.read_error(&error))?;
    let found = found.saturating_sub(header.offset);
    if found < expected {
        return Err(Error::content(
            &input.name,
            format!(
                "the file ends too early: {expected} bytes of numbers were expected, {found} are there"
            ),
        ));
    }
    Ok(n_columns)
}

/// Arrays of three dimensions are grey images, of four with one or three channels images too.
pub(crate) fn image_shape(shape: &[usize]) -> Option<ImageShape> {
    match *shape {
        [_, height, width] => Some(ImageShape {
            height,
            width,
            channels: 1,
        }),
        [_, height, width, channels @ (1 | 3)] => Some(ImageShape {
            height,
            width,
            channels,
        }),
        _ => None,
    }
}

fn transpose(by_column: &Values, rows: usize, columns: usize, values: &mut Values) {
    fn copy<T: Copy>(from: &[T], rows: usize, columns: usize, to: &mut Vec<T>) {
        for row in 0..rows {
            to.extend((0..columns).map(|column| from[column * rows + row]));
        }
    }
    match (by_column, values) {
        (Values::Single(from), Values::Single(to)) => copy(from, rows, columns, to),
        (Values::Double(from), Values::Double(to)) => copy(from, rows, columns, to),
        // Both were made with the same precision.
        _ => {}
    }
}

#[cfg(test)]
mod tests;
