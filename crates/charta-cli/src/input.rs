//! How the data is read: the options of the call, and reading that Ctrl-C can stop.

use charta::data::Precision;
use charta_io::{Kind, LabelKind, ReadOptions, Table};
use clap::ArgMatches;

use crate::failure::{Failure, Outcome};
use crate::progress::Progress;
use crate::signals;

/// What to read, and how.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// A path, `-`, or a data set.
    pub(crate) source: String,
    /// How to read it.
    pub(crate) options: ReadOptions,
}

impl Input {
    /// Reads the input options of a call.
    pub(crate) fn new(given: &ArgMatches) -> Outcome<Self> {
        let source = text(given, "data").unwrap_or_default();
        let columns = given.try_get_many::<String>("columns");
        let mut options = ReadOptions {
            label: text(given, "label"),
            id: text(given, "id"),
            columns: columns
                .ok()
                .flatten()
                .into_iter()
                .flatten()
                .cloned()
                .collect(),
            array: text(given, "array"),
            colour: switch(given, "colour"),
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
        Ok(Self { source, options })
    }

    /// True if the source can be read only once.
    pub(crate) fn is_standard_input(&self) -> bool {
        self.source == "-"
    }

    /// Reads everything, tells what was decided on the way, and stops when asked to.
    pub(crate) fn read(&self, progress: &Progress) -> Outcome<Table> {
        progress.stage("reading");
        let table = self.read_quietly()?;
        for note in &table.notes {
            progress.note(&format!("{}: {note}", table.name));
        }
        Ok(table)
    }

    fn read_quietly(&self) -> Outcome<Table> {
        let Self { source, options } = self.clone();
        Ok(signals::stoppable(move || {
            charta_io::read(&source, &options)
        })??)
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
        Ok(again.read_quietly()?.labels)
    }
}

/// The text of an option that not every command has.
pub(crate) fn text(given: &ArgMatches, name: &str) -> Option<String> {
    given.try_get_one::<String>(name).ok().flatten().cloned()
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
    if switch(given, "distances") {
        Kind::Distances
    } else if switch(given, "kernel") {
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
