//! Parquet and Arrow out.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use charta::Labels;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::{LabelType, Rows, Schema, Sink, TableWriter};
use crate::error::{Error, Result};

/// Rows that a Parquet file keeps together, so that memory does not grow with the file.
const ROWS_TOGETHER: usize = 1 << 17;

/// Turns rows into record batches and hands them to the format's own writer.
pub(super) struct BatchWriter {
    writer: Inner,
    schema: SchemaRef,
    columns: Schema,
    file: String,
}

enum Inner {
    Parquet(ArrowWriter<Sink>),
    Arrow(FileWriter<Sink>),
}

impl BatchWriter {
    pub(super) fn parquet(sink: Sink, file: String, columns: &Schema) -> Result<Self> {
        let schema = arrow_schema(columns);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(ROWS_TOGETHER))
            .build();
        let writer = ArrowWriter::try_new(sink, schema.clone(), Some(properties))
            .map_err(|error| failed(&file, &error))?;
        Ok(Self {
            writer: Inner::Parquet(writer),
            schema,
            columns: columns.clone(),
            file,
        })
    }

    pub(super) fn arrow(sink: Sink, file: String, columns: &Schema) -> Result<Self> {
        let schema = arrow_schema(columns);
        let writer = FileWriter::try_new(sink, &schema).map_err(|error| failed(&file, &error))?;
        Ok(Self {
            writer: Inner::Arrow(writer),
            schema,
            columns: columns.clone(),
            file,
        })
    }

    fn batch(&self, rows: &Rows<'_>) -> Result<RecordBatch, ArrowError> {
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        if let (Some(_), Some(names)) = (&self.columns.id_title, rows.row_names) {
            arrays.push(Arc::new(StringArray::from_iter_values(names)));
        }
        if let (Some((_, kind)), Some(predicted)) = (&self.columns.predicted, rows.predicted) {
            arrays.push(label_array(*kind, predicted));
        }
        for column in rows.values.columns() {
            arrays.push(if self.columns.single {
                Arc::new(Float32Array::from_iter_values(
                    column.iter().map(|&x| x as f32),
                ))
            } else {
                Arc::new(Float64Array::from_iter_values(column.iter().copied()))
            });
        }
        if let (Some((_, kind)), Some(labels)) = (&self.columns.label, rows.labels) {
            arrays.push(label_array(*kind, labels));
        }
        RecordBatch::try_new(self.schema.clone(), arrays)
    }
}

impl TableWriter for BatchWriter {
    fn push(&mut self, rows: &Rows<'_>) -> Result<()> {
        if rows.values.nrows() == 0 {
            return Ok(());
        }
        let batch = self
            .batch(rows)
            .map_err(|error| failed(&self.file, &error))?;
        match &mut self.writer {
            Inner::Parquet(writer) => writer
                .write(&batch)
                .map_err(|error| failed(&self.file, &error)),
            Inner::Arrow(writer) => writer
                .write(&batch)
                .map_err(|error| failed(&self.file, &error)),
        }
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let file = self.file;
        let sink = match self.writer {
            Inner::Parquet(writer) => writer.into_inner().map_err(|error| failed(&file, &error))?,
            Inner::Arrow(writer) => writer.into_inner().map_err(|error| failed(&file, &error))?,
        };
        sink.finish()
    }
}

fn arrow_schema(columns: &Schema) -> SchemaRef {
    let number = if columns.single {
        DataType::Float32
    } else {
        DataType::Float64
    };
    let mut fields: Vec<Field> = Vec::with_capacity(columns.names.len() + 2);
    fields.extend(
        columns
            .id_title
            .iter()
            .map(|title| Field::new(title, DataType::Utf8, false)),
    );
    let labels = |(title, kind): &(String, LabelType)| {
        let kind = match kind {
            LabelType::Text => DataType::Utf8,
            LabelType::Whole => DataType::Int64,
            LabelType::Number => DataType::Float64,
        };
        Field::new(title, kind, true)
    };
    fields.extend(columns.predicted.iter().map(labels));
    fields.extend(
        columns
            .names
            .iter()
            .map(|name| Field::new(name, number.clone(), false)),
    );
    fields.extend(columns.label.iter().map(labels));
    Arc::new(arrow_schema::Schema::new(fields))
}

fn label_array(kind: LabelType, labels: &Labels<'_>) -> ArrayRef {
    let texts = (0..labels.len()).map(|row| labels.text(row));
    match kind {
        LabelType::Text => Arc::new(StringArray::from_iter(
            texts.map(|text| Some(text).filter(|text| !text.is_empty())),
        )),
        LabelType::Whole => Arc::new(Int64Array::from_iter(
            texts.map(|text| text.parse::<i64>().ok()),
        )),
        LabelType::Number => Arc::new(Float64Array::from_iter(
            texts.map(|text| text.parse::<f64>().ok()),
        )),
    }
}

/// The error of a writer; where the system refused, in the words that all formats have for it.
fn failed(file: &str, error: &(dyn std::error::Error + 'static)) -> Error {
    let mut cause = Some(error);
    while let Some(inner) = cause {
        if let Some(system) = inner.downcast_ref::<std::io::Error>() {
            return Error::io(file, "cannot write", system);
        }
        cause = inner.source();
    }
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    Error::Io {
        file: file.into(),
        action: "cannot write",
        problem: line.into(),
        closed: false,
    }
}
