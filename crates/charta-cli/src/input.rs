//! How the data is read: the options of the call, and reading that Ctrl-C can stop.

use charta::Data;
use charta::alignment::Alignment;
use charta::data::Precision;
use charta::params::Parameters;
use charta_io::{ImageShape, Kind, LabelKind, ReadOptions, Table};
use clap::ArgMatches;

use crate::failure::{Failure, Outcome};
use crate::progress::Progress;
use crate::signals;

/// What to read, and how.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// A path, `-`, or a data set; of several, all.
    pub(crate) source: String,
    /// The same one by one: several are views of the same rows.
    pub(crate) sources: Vec<String>,
    /// How to read it.
    pub(crate) options: ReadOptions,
    /// A file of weights of the distances.
    pub(crate) weights: Option<String>,
    /// A file, or two, of neighbours found elsewhere.
    pub(crate) neighbors: Option<String>,
    /// A file of coordinates from which the optimization starts.
    pub(crate) initial: Option<String>,
    /// Files of earlier maps.
    pub(crate) align_to: Option<String>,
    /// How strongly rows are pulled towards them.
    pub(crate) alignment: Alignment,
}

impl Input {
    /// Reads the input options of a call.
    pub(crate) fn new(given: &ArgMatches) -> Outcome<Self> {
        let sources = texts(given, "data");
        let mut options = ReadOptions {
            label: text(given, "label"),
            id: text(given, "id"),
            columns: texts(given, "columns"),
            views: texts(given, "view"),
            array: text(given, "array"),
            color: switch(given, "color"),
            ..ReadOptions::default()
        };
        options.label_kind = match text(given, "label-kind").as_deref() {
            Some("classes") => LabelKind::Classes,
            Some("numbers") => LabelKind::Numbers,
            _ => LabelKind::Detect,
        };
        options.header = match (switch(given, "header"), switch(given, "no-header")) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        options.precision = text(given, "precision").map(|name| match name.as_str() {
            "f32" => Precision::Single,
            _ => Precision::Double,
        });
        options.delimiter = text(given, "delimiter")
            .as_deref()
            .map(delimiter)
            .transpose()?;
        options.image_size = text(given, "image-size")
            .as_deref()
            .map(image_size)
            .transpose()?;
        if let Some(words) = text(given, "missing-words") {
            options.missing = words
                .split(',')
                .map(|word| word.trim().to_string())
                .collect();
        }
        options.kind = kind(given);
        if let Some(columns) = text(given, "edges") {
            options.edges = columns.split(',').map(String::from).collect();
        }
        let input = Self {
            source: sources.join(" + "),
            sources,
            options,
            weights: text(given, "weights"),
            neighbors: text(given, "neighbors"),
            initial: None,
            align_to: text(given, "align-to"),
            alignment: alignment(given),
        };
        input.check_sources()?;
        Ok(input)
    }

    /// Several sources are a view each: nothing else can be said about their columns.
    fn check_sources(&self) -> Outcome {
        if self.sources.len() < 2 {
            return Ok(());
        }
        for (flag, given) in [
            ("--view", &self.options.views),
            ("--columns", &self.options.columns),
        ] {
            if !given.is_empty() {
                return Err(Failure::Usage(format!(
                    "of several files each is a view with all its columns: `{flag}` chooses from one file only"
                )));
            }
        }
        if self.sources.iter().filter(|source| *source == "-").count() > 1 {
            return Err(Failure::usage("standard input can be read only once"));
        }
        Ok(())
    }

    /// True if a source can be read only once.
    pub(crate) fn is_standard_input(&self) -> bool {
        self.sources.iter().any(|source| source == "-")
    }

    /// True if the columns are divided into views.
    pub(crate) fn has_views(&self) -> bool {
        self.sources.len() > 1 || !self.options.views.is_empty()
    }

    /// Everything that must not be overwritten, with a model if there is one.
    pub(crate) fn files<'a>(&'a self, model: Option<&'a str>) -> Vec<&'a str> {
        let sources = self
            .sources
            .iter()
            .chain(&self.weights)
            .chain(&self.initial);
        let several = self.neighbors.iter().chain(&self.align_to);
        let neighbors = several.flat_map(|names| names.split(','));
        let named = sources.map(String::as_str).chain(neighbors);
        named.chain(model).collect()
    }

    /// Reads everything, prints the notes, and stops when asked to.
    pub(crate) fn read(&self, progress: &Progress) -> Outcome<Table> {
        self.read_with(progress, |_| ())
    }

    /// The same, with a change to what each source gave before they become one.
    pub(crate) fn read_with(
        &self,
        progress: &Progress,
        change: impl FnOnce(&mut [Table]),
    ) -> Outcome<Table> {
        progress.stage("reading");
        let mut tables = self.read_tables()?;
        for table in &tables {
            for note in &table.notes {
                progress.note(&format!("{}: {note}", table.name));
            }
        }
        change(&mut tables);
        let mut table = self.join(tables)?;
        self.tell_image_size(&mut table)?;
        Ok(table)
    }

    /// Gives the distances the weights that were requested. A method that takes none is spared those of a list of pairs.
    pub(crate) fn weigh(&self, table: &mut Table, takes: bool, progress: &Progress) -> Outcome {
        if !takes && table.pair_weights.take().is_some() {
            progress
                .note("this method takes no weights of distances: those of the list are not used");
        }
        let Some(source) = &self.weights else {
            return Ok(());
        };
        if table.pair_weights.is_some() {
            return Err(Failure::usage(
                "the list of pairs has weights already: `--weights` gives them twice",
            ));
        }
        let weights = charta_io::read_weights(source, table.n_rows(), &ReadOptions::default())?;
        table.pair_weights = Some(weights);
        Ok(())
    }

    /// Reads what is given beside the rows: neighbours found elsewhere, and initial coordinates.
    pub(crate) fn read_beside(&self, table: &mut Table) -> Outcome {
        if let Some(source) = &self.neighbors {
            table.neighbors = Some(charta_io::read_neighbors(source, table.n_rows())?);
        }
        if let Some(source) = &self.initial {
            table.initial_embedding = Some(charta_io::read_coordinates(source, table.n_rows())?);
        }
        if let Some(sources) = &self.align_to {
            self.alignment.check()?;
            let names = table.row_names.as_deref();
            let anchors = charta_io::read_anchors(sources, names, &self.alignment)?;
            table.anchors = Some(anchors);
        }
        Ok(())
    }

    /// Rows of a table are images if the user says so.
    fn tell_image_size(&self, table: &mut Table) -> Outcome {
        let (Some((height, width)), None) = (self.options.image_size, table.image) else {
            return Ok(());
        };
        let shapes = [1, 3].map(|channels| ImageShape {
            height,
            width,
            channels,
        });
        let n_columns = table.n_columns();
        table.image = shapes.into_iter().find(|shape| shape.len() == n_columns);
        if table.image.is_some() {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "images of {width}x{height} pixels have {} columns, or {} in colour, and {} has {n_columns}",
            shapes[0].len(),
            shapes[1].len(),
            table.name
        )))
    }

    fn read_tables(&self) -> Outcome<Vec<Table>> {
        let Self {
            sources, options, ..
        } = self.clone();
        Ok(signals::stoppable(move || match sources.as_slice() {
            [only] => Ok(vec![charta_io::read(only, &options)?]),
            several => charta_io::read_each(several, &options),
        })??)
    }

    fn join(&self, mut tables: Vec<Table>) -> Outcome<Table> {
        match (tables.pop(), tables.is_empty()) {
            (Some(only), true) => Ok(only),
            (last, _) => {
                tables.extend(last);
                Ok(charta_io::side_by_side(&self.sources, tables)?)
            }
        }
    }

    /// Reads the source once more for another column as the label.
    pub(crate) fn read_labels(
        &self,
        column: &str,
    ) -> Outcome<Option<(String, charta::Labels<'static>)>> {
        if self.is_standard_input() {
            return Err(Failure::usage(
                "standard input can be read only once: take the column for the colours with `--label`",
            ));
        }
        let mut again = self.clone();
        again.options.label = Some(column.into());
        Ok(again.join(again.read_tables()?)?.labels)
    }
}

/// What a table holds, for the library. What is wrong with distances is reported with the file's name.
pub(crate) fn data_of(table: &Table) -> Outcome<Data<'_>> {
    table.data().map_err(|error| Failure::of_data(error, table))
}

/// How strongly rows are pulled towards earlier maps.
fn alignment(given: &ArgMatches) -> Alignment {
    let defaults = Alignment::default();
    let number = given.try_get_one::<f64>("alignment-regularization");
    let count = given.try_get_one::<usize>("alignment-window-size");
    Alignment {
        alignment_regularization: number
            .ok()
            .flatten()
            .copied()
            .unwrap_or(defaults.alignment_regularization),
        alignment_window_size: count
            .ok()
            .flatten()
            .copied()
            .unwrap_or(defaults.alignment_window_size),
    }
}

/// The text of an option that not every command has.
pub(crate) fn text(given: &ArgMatches, name: &str) -> Option<String> {
    given.try_get_one::<String>(name).ok().flatten().cloned()
}

/// The texts of an option that can be given several times.
pub(crate) fn texts(given: &ArgMatches, name: &str) -> Vec<String> {
    let texts = given.try_get_many::<String>(name).ok().flatten();
    texts.into_iter().flatten().cloned().collect()
}

/// A switch that not every command has.
pub(crate) fn switch(given: &ArgMatches, name: &str) -> bool {
    given
        .try_get_one::<bool>(name)
        .ok()
        .flatten()
        .copied()
        .unwrap_or(false)
}

fn kind(given: &ArgMatches) -> Kind {
    if switch(given, "distances") || text(given, "edges").is_some() {
        Kind::Distances
    } else if switch(given, "kernel-matrix") {
        Kind::Kernel
    } else {
        Kind::Features
    }
}

fn delimiter(text: &str) -> Outcome<u8> {
    match (text, text.as_bytes()) {
        ("tab" | "\\t", _) => Ok(b'\t'),
        ("comma", _) => Ok(b','),
        ("semicolon", _) => Ok(b';'),
        ("space", _) => Ok(b' '),
        (_, [byte]) if byte.is_ascii() => Ok(*byte),
        _ => Err(Failure::Usage(format!(
            "`--delimiter` must be one character or `tab`, got {text}"
        ))),
    }
}

/// Width × height as typed, height and width as read.
fn image_size(text: &str) -> Outcome<(usize, usize)> {
    let wrong = || {
        Failure::Usage(format!(
            "`--image-size` must be a width and a height such as 64x48, got {text}"
        ))
    };
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
    match (height.trim().parse(), width.trim().parse()) {
        (Ok(height), Ok(width)) if height > 0 && width > 0 => Ok((height, width)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_delimiters_are_read_or_refused() {
        assert_eq!(image_size("64x48").unwrap(), (48, 64));
        assert!(image_size("64").is_err());
        assert!(image_size("0x3").is_err());
        assert_eq!(delimiter("tab").unwrap(), b'\t');
        assert_eq!(delimiter(";").unwrap(), b';');
        assert!(delimiter("ab").is_err());
    }
}
