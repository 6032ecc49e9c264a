//! A NumPy array out. The number of rows is filled in at the end.

use std::io::{Seek, SeekFrom, Write};

use ndarray::ArrayView2;

use super::{Rows, Schema, Sink, TableWriter};
use crate::error::{Error, Result};
use crate::npy::header::header_bytes;

/// Writes rows behind a header of fixed length.
pub(super) struct NpyWriter {
    sink: Sink,
    file: String,
    single: bool,
    n_rows: usize,
    n_columns: usize,
}

impl NpyWriter {
    pub(super) fn new(sink: Sink, file: String, schema: &Schema) -> Result<Self> {
        let mut writer = Self {
            sink,
            file,
            single: schema.single,
            n_rows: 0,
            n_columns: schema.names.len(),
        };
        writer.header()?;
        Ok(writer)
    }

    fn header(&mut self) -> Result<()> {
        let bytes = header_bytes(description(self.single), &[self.n_rows, self.n_columns]);
        self.sink
            .write_all(&bytes)
            .map_err(|error| Error::io(&self.file, "cannot write", &error))
    }
}

impl TableWriter for NpyWriter {
    fn push(&mut self, rows: &Rows<'_>) -> Result<()> {
        self.n_rows += rows.values.nrows();
        write_values(&mut self.sink, rows.values, self.single)
            .map_err(|error| Error::io(&self.file, "cannot write", &error))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        if let Sink::File(file) = &mut self.sink {
            file.seek(SeekFrom::Start(0))
                .map_err(|error| Error::io(&self.file, "cannot write", &error))?;
        }
        self.header()?;
        self.sink.finish()
    }
}

pub(super) fn description(single: bool) -> &'static str {
    if single { "<f4" } else { "<f8" }
}

/// Writes numbers row by row, least significant byte first.
pub(super) fn write_values(
    to: &mut dyn Write,
    values: ArrayView2<'_, f64>,
    single: bool,
) -> std::io::Result<()> {
    let mut bytes = Vec::with_capacity(8 * values.ncols());
    for row in values.rows() {
        bytes.clear();
        for &value in row {
            if single {
                bytes.extend_from_slice(&(value as f32).to_le_bytes());
            } else {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
        }
        to.write_all(&bytes)?;
    }
    Ok(())
}
