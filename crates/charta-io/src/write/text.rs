//! CSV and TSV out.

use std::io::Write;

use super::{LabelType, Rows, Schema, Sink, TableWriter};
use crate::error::{Error, Result};

/// Writes text, a line a row. Numbers are the shortest that read back as the same.
pub(super) struct TextWriter {
    writer: csv::Writer<Sink>,
    file: String,
    single: bool,
    has_id: bool,
    label: Option<LabelType>,
}

impl TextWriter {
    pub(super) fn new(sink: Sink, file: String, schema: &Schema, delimiter: u8) -> Result<Self> {
        let mut writer = csv::WriterBuilder::new()
            .delimiter(delimiter)
            .from_writer(sink);
        let header: Vec<&str> = schema
            .id_title
            .iter()
            .chain(schema.predicted.iter().map(|(title, _)| title))
            .chain(&schema.names)
            .chain(schema.label.iter().map(|(title, _)| title))
            .map(String::as_str)
            .collect();
        writer
            .write_record(header)
            .map_err(|error| failed(&file, error))?;
        Ok(Self {
            writer,
            file,
            single: schema.single,
            has_id: schema.id_title.is_some(),
            label: schema.label.as_ref().map(|&(_, label)| label),
        })
    }

    fn field(&mut self, field: &[u8]) -> Result<()> {
        self.writer
            .write_field(field)
            .map_err(|error| failed(&self.file, error))
    }

    fn number(&mut self, value: f64, text: &mut Vec<u8>) -> Result<()> {
        text.clear();
        if !value.is_nan() {
            // Writing to memory does not fail.
            let _ = match (self.single, has_many_zeros(value)) {
                (true, false) => write!(text, "{}", value as f32),
                (true, true) => write!(text, "{:e}", value as f32),
                (false, false) => write!(text, "{value}"),
                (false, true) => write!(text, "{value:e}"),
            };
        }
        self.field(text)
    }
}

impl TableWriter for TextWriter {
    fn push(&mut self, rows: &Rows<'_>) -> Result<()> {
        let mut text = Vec::new();
        for (row, values) in rows.values.rows().into_iter().enumerate() {
            if let (true, Some(names)) = (self.has_id, rows.row_names) {
                self.field(names[row].as_bytes())?;
            }
            if let Some(predicted) = rows.predicted {
                self.field(predicted.text(row).as_bytes())?;
            }
            for &value in values {
                self.number(value, &mut text)?;
            }
            if let (Some(_), Some(labels)) = (self.label, rows.labels) {
                self.field(labels.text(row).as_bytes())?;
            }
            let ended = self.writer.write_record(None::<&[u8]>);
            ended.map_err(|error| failed(&self.file, error))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let sink = self
            .writer
            .into_inner()
            .map_err(|error| Error::io(&self.file, "cannot write", &error.into_error()))?;
        sink.finish()
    }
}

/// True for numbers that are shorter with an exponent: probabilities of 1e-40.
fn has_many_zeros(value: f64) -> bool {
    value != 0.0 && value.is_finite() && !(1e-6..1e16).contains(&value.abs())
}

fn failed(file: &str, error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => Error::io(file, "cannot write", &error),
        other => Error::content(file, format!("cannot write: {other:?}")),
    }
}
