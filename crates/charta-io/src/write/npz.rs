//! NumPy arrays in a zip out: the coordinates with their names and labels.

use std::io::{Cursor, Write};

use charta::Labels;
use ndarray::Axis;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::npy::{description, write_values};
use super::{LabelType, Rows, Schema, Sink, TableWriter};
use crate::error::{Error, Result};
use crate::npy::header::header_bytes;

/// Keeps the rows until the end: an array's header, which says how many there are, comes first.
pub(super) struct NpzWriter {
    sink: Sink,
    file: String,
    schema: Schema,
    values: Vec<u8>,
    n_rows: usize,
    ids: Vec<String>,
    predicted: Vec<String>,
    labels: Vec<String>,
}

impl NpzWriter {
    pub(super) fn new(sink: Sink, file: String, schema: &Schema) -> Self {
        Self {
            sink,
            file,
            schema: schema.clone(),
            values: Vec::new(),
            n_rows: 0,
            ids: Vec::new(),
            predicted: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// Every array of the file with its name.
    fn arrays(&mut self) -> Vec<(&'static str, Vec<u8>)> {
        let shape = [self.n_rows, self.schema.names.len()];
        let mut x = header_bytes(description(self.schema.single), &shape);
        x.append(&mut self.values);
        let mut arrays = vec![("X", x), ("columns", text_array(&self.schema.names))];
        if self.schema.id_title.is_some() {
            arrays.push(("ids", text_array(&self.ids)));
        }
        if let Some((_, kind)) = self.schema.predicted {
            arrays.push(("predicted", label_array(&self.predicted, kind)));
        }
        if let Some((_, kind)) = self.schema.label {
            arrays.push(("labels", label_array(&self.labels, kind)));
        }
        arrays
    }
}

impl TableWriter for NpzWriter {
    fn push(&mut self, rows: &Rows<'_>) -> Result<()> {
        self.n_rows += rows.values.len_of(Axis(0));
        write_values(&mut self.values, rows.values, self.schema.single)
            .map_err(|error| Error::io(&self.file, "cannot write", &error))?;
        if let Some(names) = rows.row_names {
            self.ids.extend_from_slice(names);
        }
        let texts = |labels: &Labels<'_>| -> Vec<String> {
            (0..labels.len()).map(|row| labels.text(row)).collect()
        };
        if let Some(predicted) = rows.predicted {
            self.predicted.extend(texts(predicted));
        }
        if let Some(labels) = rows.labels {
            self.labels.extend(texts(labels));
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let arrays = self.arrays();
        let Self { mut sink, file, .. } = *self;
        let failed = |error: std::io::Error| Error::io(&file, "cannot write", &error);
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in arrays {
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Deflated)
                .large_file(bytes.len() > u32::MAX as usize);
            archive
                .start_file(format!("{name}.npy"), options)
                .map_err(|error| failed(error.into()))?;
            archive.write_all(&bytes).map_err(failed)?;
        }
        let bytes = archive
            .finish()
            .map_err(|error| failed(error.into()))?
            .into_inner();
        sink.write_all(&bytes).map_err(failed)?;
        sink.finish()
    }
}

/// An array of words, each as long as the longest.
fn text_array(words: &[String]) -> Vec<u8> {
    let longest = words
        .iter()
        .map(|word| word.chars().count())
        .max()
        .unwrap_or(0)
        .max(1);
    let mut bytes = header_bytes(&format!("<U{longest}"), &[words.len()]);
    for word in words {
        let letters = word
            .chars()
            .map(u32::from)
            .chain(std::iter::repeat(0))
            .take(longest);
        letters.for_each(|code| bytes.extend_from_slice(&code.to_le_bytes()));
    }
    bytes
}

/// Labels in the type that fits them; whole numbers with gaps become floating point.
fn label_array(labels: &[String], kind: LabelType) -> Vec<u8> {
    let whole: Option<Vec<i64>> = labels.iter().map(|label| label.parse().ok()).collect();
    match (kind, whole) {
        (LabelType::Text, _) => text_array(labels),
        (LabelType::Whole, Some(numbers)) => {
            let mut bytes = header_bytes("<i8", &[labels.len()]);
            numbers
                .iter()
                .for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
            bytes
        }
        _ => {
            let mut bytes = header_bytes("<f8", &[labels.len()]);
            for label in labels {
                let number: f64 = label.parse().unwrap_or(f64::NAN);
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            bytes
        }
    }
}
