//! The size of a source, found without reading all of it where the format allows it.

use std::path::PathBuf;

use charta::data::Precision;

use crate::block::BlockSource;
use crate::collect::count_rows_of_pairs;
use crate::error::Result;
use crate::format::Format;
use crate::input::Input;
use crate::matrix_market::{self, Banner};
use crate::npz::Archive;
use crate::open::{self, images};
use crate::options::{Kind, ReadOptions};
use crate::pairs::{no_rows_for, rows_of_pairs};
use crate::parts::Parts;
use crate::source::{Source, find};
use crate::text::TextTable;
use crate::{builtin, generated};

/// What a source holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Rows.
    pub rows: usize,
    /// Columns used as features.
    pub columns: usize,
    /// Precision in which they will be held.
    pub precision: Precision,
    /// Stored values, when the rows are sparse.
    pub stored: Option<usize>,
    /// False if the number of rows is an estimate.
    pub exact: bool,
    /// The format, in words: "a text table", "a data set".
    pub format: &'static str,
}

impl Shape {
    /// Bytes that the features take in memory.
    pub fn bytes(&self) -> u64 {
        let size = self.precision.bytes();
        match self.stored {
            // A value and a column number each, and a start a row.
            Some(stored) => {
                let entries = (stored as u64).saturating_mul(size + 4);
                entries.saturating_add((self.rows as u64).saturating_add(1).saturating_mul(8))
            }
            None => (self.rows as u64)
                .saturating_mul(self.columns as u64)
                .saturating_mul(size),
        }
    }
}

/// The size of a source. Headers have it for Parquet, Arrow, NPY, NPZ, IDX and MatrixMarket;
/// images are counted; text tables up to a gigabyte are counted, larger ones estimated.
pub fn describe(source: &str, options: &ReadOptions) -> Result<Shape> {
    match find(source, options)? {
        Source::Stored(set, changes) if options.chooses() || !changes.is_none() => {
            let table = builtin::read(set.name, &changes, options)?;
            Ok(data_set(table.n_rows(), table.n_columns(), options))
        }
        Source::Stored(set, _) => Ok(data_set(set.rows, set.columns, options)),
        Source::Generated(set, parameters) => {
            let columns = match set.name {
                name if options.chooses() => generated::n_columns(name, &parameters, options)?,
                name => parameters.columns_of(name).unwrap_or(set.columns),
            };
            Ok(data_set(parameters.n, columns, options))
        }
        Source::Images(path) => Ok(of_rows(&*images(&path, options)?, Format::Images)),
        Source::Parts(paths) => parts(source, paths, options),
        Source::Bytes {
            input,
            format,
            array,
        } => {
            let described = file(input, format, array.as_deref(), options)?;
            as_distances(source, described, options)
        }
    }
}

/// The matrix that becomes of pairs in one line, or of a list of pairs.
fn as_distances(source: &str, described: Shape, options: &ReadOptions) -> Result<Shape> {
    if options.kind != Kind::Distances {
        return Ok(described);
    }
    let square = |rows: usize| Shape {
        rows,
        columns: rows,
        precision: Precision::Double,
        ..described.clone()
    };
    if described.rows != described.columns
        && let Source::Bytes { input, format, .. } = find(source, options)?
        && matches!(format, Format::Text | Format::Parquet | Format::Arrow)
    {
        let rows = open::rows(input, format, options)?;
        if rows.heading().pairs {
            return Ok(Shape {
                exact: true,
                ..square(count_rows_of_pairs(rows, options)?)
            });
        }
    }
    if described.rows.min(described.columns) == 1 {
        let length = described.rows.max(described.columns);
        return match rows_of_pairs(length) {
            Some(rows) => Ok(square(rows)),
            None if described.exact => Err(no_rows_for(source, length)),
            None => Ok(square((2.0 * length as f64).sqrt() as usize + 1)),
        };
    }
    Ok(described)
}

/// The size of a table of several files: rows are counted in each.
fn parts(source: &str, paths: Vec<PathBuf>, options: &ReadOptions) -> Result<Shape> {
    let all = Parts::open(source, paths, options)?;
    let mut shape = of_rows(&all, all.format());
    if shape.exact {
        return Ok(shape);
    }
    shape.exact = true;
    for path in all.paths() {
        let part = file(Input::file(path)?, all.format(), None, options)?;
        shape.rows += part.rows;
        shape.exact &= part.exact;
    }
    Ok(shape)
}

fn file(input: Input, format: Format, array: Option<&str>, options: &ReadOptions) -> Result<Shape> {
    match format {
        Format::Text => {
            let table = TextTable::open(input, options)?;
            let (rows, exact) = table.count_rows()?;
            Ok(Shape {
                rows,
                exact,
                ..of_rows(&table, format)
            })
        }
        Format::Npz => Archive::open(input)?.describe(array, options),
        Format::MatrixMarket => Ok(matrix(&matrix_market::read_banner(input)?, options)),
        #[cfg(feature = "parquet")]
        Format::Arrow => {
            let rows = crate::arrow::count_rows(&input)?;
            let source = open::rows(input, format, options)?;
            Ok(Shape {
                rows,
                exact: true,
                ..of_rows(&*source, format)
            })
        }
        _ => Ok(of_rows(&*open::rows(input, format, options)?, format)),
    }
}

fn matrix(banner: &Banner, options: &ReadOptions) -> Shape {
    Shape {
        rows: banner.rows,
        columns: banner.columns,
        precision: options.precision.unwrap_or(Precision::Double),
        stored: banner.stored(),
        exact: true,
        format: Format::MatrixMarket.title(),
    }
}

fn data_set(rows: usize, columns: usize, options: &ReadOptions) -> Shape {
    Shape {
        rows,
        columns,
        precision: options.precision.unwrap_or(Precision::Double),
        stored: None,
        exact: true,
        format: "a data set",
    }
}

fn of_rows(source: &dyn BlockSource, format: Format) -> Shape {
    let heading = source.heading();
    Shape {
        rows: heading.n_rows.unwrap_or(0),
        columns: heading.n_columns,
        precision: heading.precision,
        stored: None,
        exact: heading.n_rows.is_some(),
        format: format.title(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_beyond_all_bounds_do_not_overflow() {
        let shape = Shape {
            rows: usize::MAX,
            columns: usize::MAX,
            precision: Precision::Double,
            stored: Some(usize::MAX),
            exact: true,
            format: "a test",
        };
        assert_eq!(shape.bytes(), u64::MAX);
        let dense = Shape {
            stored: None,
            ..shape
        };
        assert_eq!(dense.bytes(), u64::MAX);
    }
}
