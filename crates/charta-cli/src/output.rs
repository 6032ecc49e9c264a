//! Where results go: checked before the run, written after it, whole or not at all.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use charta::Labels;
use charta::data::Precision;
use charta_io::{LabelType, Rows, Schema};
use clap::ArgMatches;
use ndarray::{ArrayView2, s};

use crate::failure::{Failure, Outcome};
use crate::input::{switch, text};
use crate::signals;

/// Rows written before the next look whether to stop.
const BLOCK: usize = 65_536;

/// How much a JSON report tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Detail {
    /// Without large tables.
    Brief,
    /// Everything.
    Full,
}

/// What the call wants written.
#[derive(Clone, Debug)]
pub(crate) struct Outputs {
    pub(crate) table: Option<PathBuf>,
    /// What the table holds.
    pub(crate) content: &'static str,
    pub(crate) plot: Option<PathBuf>,
    pub(crate) scree_plot: Option<PathBuf>,
    pub(crate) components_plot: Option<PathBuf>,
    pub(crate) model: Option<PathBuf>,
    pub(crate) json: Option<Detail>,
    pub(crate) color_by: Option<String>,
    pub(crate) label_points: bool,
}

impl Outputs {
    /// Reads the output options of a call.
    pub(crate) fn new(given: &ArgMatches) -> Self {
        let path = |name: &str| text(given, name).map(PathBuf::from);
        Self {
            table: path("output"),
            content: "coordinates",
            plot: path("plot"),
            scree_plot: path("scree-plot"),
            components_plot: path("components-plot"),
            model: path("save"),
            json: detail(given),
            color_by: text(given, "color-by"),
            label_points: switch(given, "label-points"),
        }
    }

    /// Fails for every reason that is known before the run: formats, folders, names taken twice,
    /// inputs that would be overwritten.
    pub(crate) fn check(&self, inputs: &[&str]) -> Outcome {
        if self.json.is_some() && self.to_standard_output() {
            return Err(Failure::usage(
                "`--json` and `-o -` both want standard output: write the coordinates to a file",
            ));
        }
        for (path, html) in [
            (&self.plot, true),
            (&self.scree_plot, false),
            (&self.components_plot, false),
        ] {
            if let Some(path) = path {
                check_picture(path, html)?;
            }
        }
        if let Some(path) = &self.table {
            check_table(path, inputs)?;
        }
        for (_, path) in self.files() {
            check_file(path, inputs)?;
        }
        self.check_twice()
    }

    fn check_twice(&self) -> Outcome {
        let files = self.files();
        for (place, (_, path)) in files.iter().enumerate() {
            if files[..place].iter().any(|(_, other)| other == path) {
                return Err(Failure::Usage(format!(
                    "{}: two outputs have this name; choose another for one of them",
                    path.display()
                )));
            }
        }
        Ok(())
    }

    /// The files wanted, with what each is.
    pub(crate) fn files(&self) -> Vec<(&'static str, &Path)> {
        let table = self.table.as_ref().filter(|_| !self.to_standard_output());
        let wanted = [
            (self.content, table),
            ("plot", self.plot.as_ref()),
            ("scree plot", self.scree_plot.as_ref()),
            ("components plot", self.components_plot.as_ref()),
            ("model", self.model.as_ref()),
        ];
        wanted
            .into_iter()
            .filter_map(|(what, path)| Some((what, path?.as_path())))
            .collect()
    }

    /// True if the table itself goes to standard output.
    pub(crate) fn to_standard_output(&self) -> bool {
        self.table.as_deref() == Some(Path::new("-"))
    }

    /// True if nothing at all is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.json.is_none() && self.table.is_none() && self.files().is_empty()
    }
}

/// How much of a JSON report is wanted, if one is.
pub(crate) fn detail(given: &ArgMatches) -> Option<Detail> {
    text(given, "json").map(|word| {
        if word == "full" {
            Detail::Full
        } else {
            Detail::Brief
        }
    })
}

/// Fails if a table of this name cannot be written, or is an input.
pub(crate) fn check_table(path: &Path, inputs: &[&str]) -> Outcome {
    charta_io::check_output(path, inputs).map_err(|error| Failure::Usage(error.to_string()))
}

/// Fails if a picture of this name cannot be drawn.
pub(crate) fn check_picture(path: &Path, html: bool) -> Outcome {
    let format = charta_plot::Format::from_path(path)?;
    if !html && format == charta_plot::Format::Html {
        return Err(Failure::Usage(format!(
            "{}: this picture is drawn as .png or .svg",
            path.display()
        )));
    }
    Ok(())
}

/// Fails if a file of this name cannot be written, or is an input.
pub(crate) fn check_file(path: &Path, inputs: &[&str]) -> Outcome {
    charta_io::check_not_input(path, inputs)?;
    // Begins the file and forgets it: nothing is left behind.
    let begun = charta_io::AtomicFile::create(path).map(drop);
    begun.map_err(|error| Failure::Usage(error.to_string()))
}

/// A table to write.
pub(crate) struct Table<'a> {
    names: Vec<String>,
    values: ArrayView2<'a, f64>,
    single: bool,
    row_names: Option<&'a [String]>,
    id_title: Option<&'a str>,
    labels: Option<(&'a str, &'a Labels<'a>)>,
}

impl<'a> Table<'a> {
    /// Numbers beside the names and labels of the rows they belong to, in the precision these were
    /// read in.
    pub(crate) fn beside(
        read: &'a charta_io::Table,
        names: Vec<String>,
        values: ArrayView2<'a, f64>,
    ) -> Self {
        Self {
            names,
            values,
            single: read.precision() == Precision::Single,
            row_names: read.row_names.as_deref(),
            id_title: read.id_title.as_deref(),
            labels: read
                .labels
                .as_ref()
                .map(|(title, labels)| (title.as_str(), labels)),
        }
    }

    /// Writes the table, and leaves nothing behind if it is stopped on the way.
    pub(crate) fn write(&self, path: &Path) -> Outcome {
        let schema = Schema {
            names: self.names.clone(),
            single: self.single,
            id_title: self
                .row_names
                .map(|_| self.id_title.unwrap_or("id").to_string()),
            label: self
                .labels
                .map(|(title, labels)| (title.to_string(), LabelType::of(labels))),
        };
        let mut writer = charta_io::create(path, schema)?;
        let n_rows = self.values.nrows();
        for start in (0..n_rows).step_by(BLOCK) {
            signals::check()?;
            let end = (start + BLOCK).min(n_rows);
            let labels = self.labels.map(|(_, labels)| slice(labels, start, end));
            writer.push(&Rows {
                values: self.values.slice(s![start..end, ..]),
                row_names: self.row_names.map(|names| &names[start..end]),
                labels: labels.as_ref(),
            })?;
        }
        Ok(writer.finish()?)
    }
}

/// The labels of some rows.
fn slice<'a>(labels: &'a Labels<'_>, start: usize, end: usize) -> Labels<'a> {
    match labels {
        Labels::Classes { names, of_row } => Labels::Classes {
            names: Cow::Borrowed(names.as_ref()),
            of_row: Cow::Borrowed(&of_row[start..end]),
        },
        Labels::Numbers(values) => Labels::Numbers(Cow::Borrowed(&values[start..end])),
    }
}
