//! Parquet files.

use std::fs::File;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::ChunkReader;
use bytes::Bytes;

use super::{ArrowFile, ArrowTable, RecordBatches, guarded};
use crate::block::BlockSource;
use crate::error::{Error, Result};
use crate::input::Input;
use crate::options::ReadOptions;

struct ParquetFile {
    input: Input,
    store: Store,
    metadata: ArrowReaderMetadata,
}

/// A file is read where it lies; what is compressed or came through a pipe is in memory.
enum Store {
    File,
    Bytes(Bytes),
}

/// Opens a Parquet file.
pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Box<dyn BlockSource>> {
    let store = match input.path() {
        Some(_) if !input.is_compressed() => Store::File,
        _ => Store::Bytes(input.read_all()?.into()),
    };
    let name = input.name.as_str();
    let load = ArrowReaderOptions::new;
    let metadata = match &store {
        Store::File => {
            let file = file(&input)?;
            guarded(name, "Parquet", || ArrowReaderMetadata::load(&file, load()))?
        }
        Store::Bytes(bytes) => {
            guarded(name, "Parquet", || ArrowReaderMetadata::load(bytes, load()))?
        }
    };
    let schema = metadata.schema().clone();
    let source = ParquetFile {
        input: input.clone(),
        store,
        metadata,
    };
    Ok(Box::new(ArrowTable::open(
        Box::new(source),
        &input,
        &schema,
        options,
    )?))
}

impl ArrowFile for ParquetFile {
    fn batches(&self, projection: &[usize], rows: usize) -> Result<RecordBatches> {
        let name = self.input.name.as_str();
        let batches = match &self.store {
            Store::File => {
                let file = file(&self.input)?;
                guarded(name, "Parquet", || self.build(file, projection, rows))?
            }
            Store::Bytes(bytes) => guarded(name, "Parquet", || {
                self.build(bytes.clone(), projection, rows)
            })?,
        };
        Ok(Box::new(batches))
    }

    fn n_rows(&self) -> Option<usize> {
        usize::try_from(self.metadata.metadata().file_metadata().num_rows()).ok()
    }

    fn format(&self) -> &'static str {
        "Parquet"
    }
}

impl ParquetFile {
    fn build<T: ChunkReader + 'static>(
        &self,
        from: T,
        projection: &[usize],
        rows: usize,
    ) -> Result<ParquetRecordBatchReader, ParquetError> {
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(from, self.metadata.clone());
        let mask = ProjectionMask::roots(builder.parquet_schema(), projection.iter().copied());
        builder.with_projection(mask).with_batch_size(rows).build()
    }
}

fn file(input: &Input) -> Result<File> {
    let path = input.path().unwrap_or(std::path::Path::new(""));
    File::open(path).map_err(|error| Error::io(&input.name, "cannot read", &error))
}
