//! From a source's name to its rows.

use crate::block::BlockSource;
use crate::builtin;
use crate::collect::{as_kind, collect};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::generated;
use crate::input::Input;
use crate::npy::NpyTable;
use crate::options::ReadOptions;
use crate::source::{Source, find};
use crate::table::Table;
use crate::text::TextTable;

/// Reads a whole source: the name of a data set (`iris`, `swiss-roll:5000,noise=0.1,seed=3`), a path
/// (`data.csv`, `data.npz:X`, a folder of images), or `-` for standard input.
pub fn read(source: &str, options: &ReadOptions) -> Result<Table> {
    let table = match find(source, options)? {
        Source::Stored(set) => builtin::read(set.name, options)?,
        Source::Generated(set, parameters) => generated::make(set.name, &parameters, options)?,
        Source::Bytes { input, format, .. } => collect(rows(input, format, options)?, options)?,
        Source::Images(path) => {
            return Err(Error::unsupported(path.display(), "images are not read yet"));
        }
    };
    as_kind(table, options.kind)
}

/// The rows of a format that gives them one after the other.
pub(crate) fn rows(input: Input, format: Format, options: &ReadOptions) -> Result<Box<dyn BlockSource>> {
    Ok(match format {
        Format::Text => Box::new(TextTable::open(input, options)?),
        Format::Npy => Box::new(NpyTable::open(input, options)?),
        other => return Err(Error::unsupported(input.name, format!("{} is not read yet", other.title()))),
    })
}
