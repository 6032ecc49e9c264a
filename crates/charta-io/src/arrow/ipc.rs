//! Arrow IPC: files, which Feather version 2 is too, and streams.

use std::io::{BufReader, Read};

use arrow_ipc::reader::{FileReader, StreamReader, read_footer_length};
use arrow_ipc::root_as_footer;
use arrow_schema::SchemaRef;

use super::{ArrowFile, ArrowTable, RecordBatches, damaged, guarded};
use crate::block::BlockSource;
use crate::error::Result;
use crate::input::{Input, seek_to};
use crate::options::ReadOptions;

struct IpcFile {
    input: Input,
    stream: bool,
}

/// Opens an Arrow file or stream.
pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Box<dyn BlockSource>> {
    let file = IpcFile::new(input.clone())?;
    let (schema, _) = file.reader(None)?;
    Ok(Box::new(ArrowTable::open(
        Box::new(file),
        &input,
        &schema,
        options,
    )?))
}

/// Counts the rows; the format does not say how many there are.
pub(crate) fn count_rows(input: &Input) -> Result<usize> {
    let file = IpcFile::new(input.clone())?;
    let (_, mut batches) = file.reader(Some(vec![0]))?;
    let mut rows = 0;
    while let Some(batch) = guarded(&input.name, "Arrow", || batches.next().transpose())? {
        rows += batch.num_rows();
    }
    Ok(rows)
}

impl IpcFile {
    fn new(input: Input) -> Result<Self> {
        let stream = !input.peek(6)?.starts_with(b"ARROW1");
        if !stream && !input.is_compressed() {
            check_blocks(&input)?;
        }
        Ok(Self { input, stream })
    }

    fn reader(&self, projection: Option<Vec<usize>>) -> Result<(SchemaRef, RecordBatches)> {
        let name = self.input.name.as_str();
        if self.stream {
            let from = BufReader::new(self.input.open()?);
            let reader = guarded(name, "Arrow", || StreamReader::try_new(from, projection))?;
            return Ok((reader.schema(), Box::new(reader)));
        }
        let from = BufReader::new(self.input.open_seekable()?);
        let reader = guarded(name, "Arrow", || FileReader::try_new(from, projection))?;
        Ok((reader.schema(), Box::new(reader)))
    }
}

impl ArrowFile for IpcFile {
    fn batches(&self, projection: &[usize], _rows: usize) -> Result<RecordBatches> {
        Ok(self.reader(Some(projection.to_vec()))?.1)
    }

    fn n_rows(&self) -> Option<usize> {
        None
    }

    fn format(&self) -> &'static str {
        "Arrow"
    }
}

/// Fails if the footer places a block outside the file: the reader would set aside as much memory as
/// a damaged footer asks for.
fn check_blocks(input: &Input) -> Result<()> {
    const TAIL: u64 = 10;
    let size = input.stored_bytes();
    let outside = || damaged(&input.name, "Arrow", &"its footer points outside the file");
    let mut reader = input.open_seekable()?;
    let mut tail = [0; TAIL as usize];
    let start = size.checked_sub(TAIL).ok_or_else(outside)?;
    seek_to(&mut *reader, start)
        .and_then(|()| reader.read_exact(&mut tail))
        .map_err(|error| input.read_error(&error))?;
    let length = guarded(&input.name, "Arrow", || read_footer_length(tail))?;
    let start = start.checked_sub(length as u64).ok_or_else(outside)?;
    let mut bytes = vec![0; length];
    seek_to(&mut *reader, start)
        .and_then(|()| reader.read_exact(&mut bytes))
        .map_err(|error| input.read_error(&error))?;
    let footer = guarded(&input.name, "Arrow", || root_as_footer(&bytes))?;
    let blocks = footer
        .dictionaries()
        .into_iter()
        .chain(footer.recordBatches())
        .flatten();
    for block in blocks {
        let ends = [
            block.offset(),
            block.metaDataLength().into(),
            block.bodyLength(),
        ]
        .into_iter()
        .try_fold(0u64, |sum, part| sum.checked_add(u64::try_from(part).ok()?));
        if ends.is_none_or(|end| end > size) {
            return Err(outside());
        }
    }
    Ok(())
}
