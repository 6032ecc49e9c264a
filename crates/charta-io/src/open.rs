//! From a source's name to its rows.

use std::path::Path;

use ndarray::Array2;

use crate::block::BlockSource;
use crate::collect::{as_kind, collect};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::input::Input;
use crate::npy::NpyTable;
use crate::options::{Kind, ReadOptions};
use crate::pairs::from_condensed;
use crate::parts::Parts;
use crate::source::{Source, find};
use crate::table::{Content, Table};
use crate::text::TextTable;
use crate::{builtin, generated, idx, matrix_market, npz};

/// Reads a whole source: the name of a data set (`iris`, `swiss-roll:5000,noise=0.1,seed=3`), a path
/// (`data.csv`, `data.npz:X`, a folder of images or of parts of a table, a pattern such as `part-*.parquet`), or `-` for standard
/// input.
pub fn read(source: &str, options: &ReadOptions) -> Result<Table> {
    let table = match find(source, options)? {
        Source::Stored(set, changes) => builtin::read(set.name, &changes, options)?,
        Source::Generated(set, parameters) => generated::make(set.name, &parameters, options)?,
        Source::Images(path) => collect(images(&path, options)?, options)?,
        Source::Parts(paths) => collect(Box::new(Parts::open(source, paths, options)?), options)?,
        Source::Bytes {
            input,
            format,
            array,
        } => match format {
            Format::Npz => npz::read(input, array.as_deref(), options)?,
            Format::MatrixMarket => matrix_market::read(input, options)?,
            _ => collect(rows(input, format, options)?, options)?,
        },
    };
    as_kind(table, options.kind)
}

/// Reads weights of pairs of rows: a square, or the pairs above its diagonal in one line.
pub fn read_weights(source: &str, n_rows: usize, options: &ReadOptions) -> Result<Array2<f64>> {
    let options = ReadOptions {
        kind: Kind::Features,
        ..options.clone()
    };
    let table = read(source, &options)?;
    let Content::Features(features) = &table.content else {
        return Err(Error::content(
            &table.name,
            "weights of pairs were expected",
        ));
    };
    let view = features.view();
    let size = (view.n_rows(), view.n_columns());
    let weights = match size.0.min(size.1) {
        1 if size != (1, 1) || n_rows == 2 => from_condensed(&table.name, features)?,
        _ => view.dense_rows(0, size.0),
    };
    if weights.dim() == (n_rows, n_rows) {
        return Ok(weights);
    }
    Err(Error::content(
        &table.name,
        format!(
            "weights of {} × {} pairs, where the data has {n_rows} rows",
            weights.nrows(),
            weights.ncols()
        ),
    ))
}

/// The rows of a format that gives them one after the other.
pub(crate) fn rows(
    input: Input,
    format: Format,
    options: &ReadOptions,
) -> Result<Box<dyn BlockSource>> {
    match format {
        Format::Text => Ok(Box::new(TextTable::open(input, options)?)),
        Format::Npy => Ok(Box::new(NpyTable::open(input, options)?)),
        Format::Idx => Ok(Box::new(idx::open(input, options)?)),
        #[cfg(feature = "parquet")]
        Format::Parquet => crate::arrow::open_parquet(input, options),
        #[cfg(feature = "parquet")]
        Format::Arrow => crate::arrow::open_ipc(input, options),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet | Format::Arrow => Err(Error::unsupported(
            input.name,
            "this build was made without Parquet and Arrow",
        )),
        Format::Npz | Format::MatrixMarket | Format::Images => Err(Error::unsupported(
            input.name,
            format!(
                "{} cannot be read in batches; CSV, Parquet, Arrow, NPY, IDX and images can, NPZ and MatrixMarket cannot",
                format.title()
            ),
        )),
    }
}

/// The images of a folder, a list or a file.
#[cfg(feature = "images")]
pub(crate) fn images(path: &Path, options: &ReadOptions) -> Result<Box<dyn BlockSource>> {
    Ok(Box::new(crate::images::Images::open(path, options)?))
}

/// The images of a folder, a list or a file.
#[cfg(not(feature = "images"))]
pub(crate) fn images(path: &Path, _: &ReadOptions) -> Result<Box<dyn BlockSource>> {
    Err(Error::unsupported(
        path.display(),
        "this build was made without images",
    ))
}
