//! Coordinates out: one row per input row, in the input's order, beside its name and label.
//!
//! [`create`] takes blocks of rows one after the other; [`write()`] takes everything at once. A file
//! appears under its name when it is finished, and not at all when it is not.

#[cfg(feature = "parquet")]
mod arrow;
mod npy;
mod npz;
mod text;

use std::io::{self, Write};
use std::path::Path;

use charta::Labels;
use charta::error::Message;
use charta::error::message;
use ndarray::ArrayView2;

use crate::atomic::AtomicFile;
use crate::error::{Error, Result, shown};
use crate::source;
use crate::wording::quoted;

/// A format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputFormat {
    /// Fields between commas.
    Csv,
    /// Fields between tabs.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// An Arrow IPC file.
    Arrow,
    /// A NumPy array: the coordinates alone.
    Npy,
    /// NumPy arrays: `X`, and `labels`, `ids` and `columns` where there are any.
    Npz,
}

impl OutputFormat {
    /// The format that a name announces; `-` is CSV on standard output.
    pub fn of_path(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Csv);
        }
        let extension = path
            .extension()
            .map(|end| end.to_string_lossy().to_lowercase());
        Ok(match extension.as_deref() {
            Some("csv") => Self::Csv,
            Some("tsv" | "tab") => Self::Tsv,
            Some("parquet" | "pq") => Self::Parquet,
            Some("arrow" | "feather" | "ipc") => Self::Arrow,
            Some("npy") => Self::Npy,
            Some("npz") => Self::Npz,
            _ => {
                return Err(Error::unsupported(
                    shown(path),
                    "the name must end in .csv, .tsv, .parquet, .arrow, .npy or .npz",
                ));
            }
        })
    }

    /// True if names and labels are written too.
    pub fn carries_names(self) -> bool {
        self != Self::Npy
    }

    /// True if a column of labels has a type that every label must fit.
    fn types_labels(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow | Self::Npz)
    }
}

/// What the label column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelType {
    /// Words.
    Text,
    /// Whole numbers.
    Whole,
    /// Numbers.
    Number,
}

impl LabelType {
    /// What fits these labels best: classes with whole numbers for names are whole numbers again.
    pub fn of(labels: &Labels<'_>) -> Self {
        match labels {
            Labels::Numbers(_) => Self::Number,
            Labels::Classes { names, .. } => {
                // `007` must stay as it is.
                let whole = |name: &String| {
                    name.parse::<i64>()
                        .is_ok_and(|number| number.to_string() == *name)
                };
                if !names.is_empty() && names.iter().all(whole) {
                    Self::Whole
                } else {
                    Self::Text
                }
            }
        }
    }
}

impl LabelType {
    /// A class that would be lost in a column of this type.
    fn refuses<'a>(self, labels: &'a Labels<'_>) -> Option<&'a str> {
        let Labels::Classes { names, .. } = labels else {
            return None;
        };
        let is_lost = |name: &&String| match self {
            Self::Text => false,
            Self::Whole => name.parse::<i64>().is_err(),
            Self::Number => name.parse::<f64>().is_err(),
        };
        names.iter().find(is_lost).map(String::as_str)
    }
}

/// The columns of an output.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// The coordinates' names: "pc1", "pc2".
    pub names: Vec<String>,
    /// Write 32-bit numbers.
    pub single: bool,
    /// Title of the column of row names, if there is one. It comes first.
    pub id_title: Option<String>,
    /// Title and type of the column of predicted labels, if there is one. It comes before the coordinates.
    pub predicted: Option<(String, LabelType)>,
    /// Title and type of the label column, if there is one. It comes last.
    pub label: Option<(String, LabelType)>,
}

/// Some rows of an output.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    /// The coordinates.
    pub values: ArrayView2<'a, f64>,
    /// The rows' names, if the schema has them.
    pub row_names: Option<&'a [String]>,
    /// The predicted labels, if the schema has them.
    pub predicted: Option<&'a Labels<'a>>,
    /// The labels, if the schema has them.
    pub labels: Option<&'a Labels<'a>>,
}

/// A whole output.
#[derive(Clone, Debug)]
pub struct Output<'a> {
    /// The coordinates' names: "pc1", "pc2".
    pub names: Vec<String>,
    /// The coordinates.
    pub values: ArrayView2<'a, f64>,
    /// Write 32-bit numbers.
    pub single: bool,
    /// The rows' names, if there are any.
    pub row_names: Option<&'a [String]>,
    /// Title of the rows' names; "id" if not given.
    pub id_title: Option<&'a str>,
    /// Title and predicted labels, if there are any.
    pub predicted: Option<(&'a str, &'a Labels<'a>)>,
    /// Title and labels, if there are any.
    pub labels: Option<(&'a str, &'a Labels<'a>)>,
}

/// Takes rows and makes a file of them.
pub trait TableWriter {
    /// Adds rows.
    fn push(&mut self, rows: &Rows<'_>) -> Result<()>;

    /// Writes what is left and gives the file its name. Without this call nothing is left behind.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Begins a file whose format is given by its name; `-` is CSV on standard output.
pub fn create(path: &Path, schema: Schema) -> Result<Box<dyn TableWriter>> {
    let format = OutputFormat::of_path(path)?;
    let file = shown(path);
    let sink = Sink::create(path)?;
    let writer: Box<dyn TableWriter> = match format {
        OutputFormat::Csv => Box::new(text::TextWriter::new(sink, file.clone(), &schema, b',')?),
        OutputFormat::Tsv => Box::new(text::TextWriter::new(sink, file.clone(), &schema, b'\t')?),
        OutputFormat::Npy => Box::new(npy::NpyWriter::new(sink, file.clone(), &schema)?),
        #[cfg(feature = "parquet")]
        OutputFormat::Parquet => {
            Box::new(arrow::BatchWriter::parquet(sink, file.clone(), &schema)?)
        }
        #[cfg(feature = "parquet")]
        OutputFormat::Arrow => Box::new(arrow::BatchWriter::arrow(sink, file.clone(), &schema)?),
        #[cfg(not(feature = "parquet"))]
        OutputFormat::Parquet | OutputFormat::Arrow => return Err(without_parquet(path)),
        OutputFormat::Npz => Box::new(npz::NpzWriter::new(sink, file.clone(), &schema)),
    };
    Ok(Box::new(Checked {
        writer,
        format,
        file,
        schema,
    }))
}

/// Writes a whole output.
pub fn write(path: &Path, output: &Output<'_>) -> Result<()> {
    let typed = |(title, labels): (&str, &Labels<'_>)| (title.to_string(), LabelType::of(labels));
    let schema = Schema {
        names: output.names.clone(),
        single: output.single,
        id_title: output
            .row_names
            .map(|_| output.id_title.unwrap_or("id").to_string()),
        predicted: output.predicted.map(typed),
        label: output.labels.map(typed),
    };
    let mut writer = create(path, schema)?;
    writer.push(&Rows {
        values: output.values,
        row_names: output.row_names,
        predicted: output.predicted.map(|(_, labels)| labels),
        labels: output.labels.map(|(_, labels)| labels),
    })?;
    writer.finish()
}

/// Fails if `output` cannot be written for a reason that is known beforehand: its format, its folder,
/// or that it is one of the inputs. Made for the time before a long run.
pub fn check_output(output: &Path, inputs: &[&str]) -> Result<()> {
    let format = OutputFormat::of_path(output)?;
    if cfg!(not(feature = "parquet"))
        && matches!(format, OutputFormat::Parquet | OutputFormat::Arrow)
    {
        return Err(without_parquet(output));
    }
    check_not_input(output, inputs)?;
    if output == Path::new("-") {
        return Ok(());
    }
    // Tries what the run will do in the end; nothing is left behind.
    AtomicFile::create(output).map(drop)
}

/// Fails if `output` is the same file as one of the inputs, by whatever name, or a file that an input
/// reads: an image of its folder or list, the labels of an IDX file.
pub fn check_not_input(output: &Path, inputs: &[&str]) -> Result<()> {
    let Ok(target) = output.canonicalize() else {
        return Ok(());
    };
    let is_target = |input: &Path| input.canonicalize().is_ok_and(|input| input == target);
    for input in inputs {
        let archive = input
            .rsplit_once(':')
            .map(|(archive, _)| Path::new(archive));
        if is_target(Path::new(input)) || archive.is_some_and(is_target) {
            return Err(Error::SameFile {
                file: shown(output),
            });
        }
        if source::reads(Path::new(input), &target) {
            return Err(Error::PartOfInput {
                file: shown(output),
                input: input.to_string(),
            });
        }
    }
    Ok(())
}

fn without_parquet(path: &Path) -> Error {
    Error::unsupported(shown(path), "this build was made without Parquet and Arrow")
}

/// Where the bytes go.
pub(crate) enum Sink {
    File(AtomicFile),
    Standard(io::BufWriter<io::Stdout>),
}

impl Sink {
    fn create(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Standard(io::BufWriter::new(io::stdout())));
        }
        AtomicFile::create(path).map(Self::File)
    }

    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Self::File(file) => file.commit(),
            Self::Standard(mut output) => output
                .flush()
                .map_err(|error| Error::io("standard output", "cannot write", &error)),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Standard(output) => output.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Standard(output) => output.flush(),
        }
    }
}

/// Checks that what is pushed fits the schema, once for all formats.
struct Checked {
    writer: Box<dyn TableWriter>,
    format: OutputFormat,
    file: String,
    schema: Schema,
}

impl TableWriter for Checked {
    fn push(&mut self, rows: &Rows<'_>) -> Result<()> {
        let fail = |what: Message, expected: usize, found: usize| {
            Err(Error::data(
                &self.file,
                charta::Error::shape(what, expected, found),
            ))
        };
        if rows.values.ncols() != self.schema.names.len() {
            return fail(
                message!("{:columns} to write"),
                self.schema.names.len(),
                rows.values.ncols(),
            );
        }
        let n_rows = rows.values.nrows();
        let names = rows.row_names.map_or(0, <[String]>::len);
        if self.schema.id_title.is_some() && names != n_rows {
            return fail(message!("{:row} names to write"), n_rows, names);
        }
        let predicted = rows.predicted.map_or(0, Labels::len);
        if self.schema.predicted.is_some() && predicted != n_rows {
            return fail(message!("predicted labels to write"), n_rows, predicted);
        }
        let labels = rows.labels.map_or(0, Labels::len);
        if self.schema.label.is_some() && labels != n_rows {
            return fail(message!("labels to write"), n_rows, labels);
        }
        if let (Some((title, kind)), Some(labels)) = (&self.schema.label, rows.labels)
            && self.format.types_labels()
            && let Some(word) = kind.refuses(labels)
        {
            let problem = format!(
                "the labels {} were numbers so far, and {} is not: write CSV, which takes both",
                quoted(title),
                quoted(word)
            );
            return Err(Error::content(&self.file, problem));
        }
        self.writer.push(rows)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.writer.finish()
    }
}
