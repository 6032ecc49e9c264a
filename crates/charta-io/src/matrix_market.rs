//! MatrixMarket: sparse (coordinate) and dense (array) matrices as text.

use std::io::{BufRead, BufReader};

use charta::data::{OwnedFeatures, Precision};
use ndarray::Array2;

use crate::error::{Error, Result};
use crate::input::Input;
use crate::options::ReadOptions;
use crate::sparse::{self, check_size, refuse_choices};
use crate::table::Table;
use crate::text::number::number;
use crate::wording::{count, quoted};

/// What the first line and the line of sizes say.
#[derive(Clone, Debug)]
pub(crate) struct Banner {
    sparse: bool,
    /// Entries without values, which are 1.
    pattern: bool,
    symmetry: Symmetry,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Entries to come; for dense matrices the numbers.
    pub(crate) entries: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

impl Banner {
    /// Stored values after symmetric ones have been written out, at most.
    pub(crate) fn stored(&self) -> Option<usize> {
        let twice = if self.symmetry == Symmetry::General {
            1
        } else {
            2
        };
        self.sparse.then_some(self.entries.saturating_mul(twice))
    }
}

/// The lines of a file with their numbers.
struct Lines {
    input: Input,
    reader: Box<dyn BufRead>,
    line: usize,
    text: String,
}

impl Lines {
    fn open(input: Input) -> Result<Self> {
        let reader = Box::new(BufReader::with_capacity(1 << 16, input.open()?));
        Ok(Self {
            input,
            reader,
            line: 0,
            text: String::new(),
        })
    }

    /// The next line that is neither blank nor a comment; `None` at the end.
    fn next(&mut self) -> Result<Option<&str>> {
        loop {
            self.text.clear();
            let read = self.reader.read_line(&mut self.text);
            let read = read.map_err(|error| self.input.read_error(&error))?;
            if read == 0 {
                return Ok(None);
            }
            self.line += 1;
            let comment = self.line > 1 && self.text.starts_with('%');
            if !comment && !self.text.trim().is_empty() {
                return Ok(Some(self.text.trim()));
            }
        }
    }

    fn wrong(&self, problem: impl Into<String>) -> Error {
        Error::content(format!("{}, line {}", self.input.name, self.line), problem)
    }
}

/// Reads the whole matrix.
pub(crate) fn read(input: Input, options: &ReadOptions) -> Result<Table> {
    refuse_choices(&input.name, "a MatrixMarket file", options)?;
    let name = input.name.clone();
    let mut lines = Lines::open(input)?;
    let banner = banner(&mut lines)?;
    if banner.rows == 0 || banner.columns == 0 {
        return Err(lines.wrong(format!("a matrix of {} × {}", banner.rows, banner.columns)));
    }
    let features: OwnedFeatures = if banner.sparse {
        let entries = coordinates(&mut lines, &banner)?;
        sparse::features(
            &name,
            banner.rows,
            banner.columns,
            entries,
            options.precision,
        )?
    } else {
        let matrix = dense(&mut lines, &banner)?;
        match options.precision {
            Some(Precision::Single) => matrix.mapv(|value| value as f32).into(),
            _ => matrix.into(),
        }
    };
    Ok(Table::new(name, features))
}

/// Reads the head of a file only.
pub(crate) fn read_banner(input: Input) -> Result<Banner> {
    banner(&mut Lines::open(input)?)
}

fn banner(lines: &mut Lines) -> Result<Banner> {
    let (sparse, pattern, symmetry) = kind(lines)?;
    let (rows, columns, entries) = sizes(lines, sparse)?;
    if symmetry != Symmetry::General && rows != columns {
        return Err(lines.wrong(format!("a symmetric matrix of {rows} × {columns}")));
    }
    if sparse {
        check_size(&lines.input.name, rows, columns)?;
    }
    Ok(Banner {
        sparse,
        pattern,
        symmetry,
        rows,
        columns,
        entries,
    })
}

/// What the first line says: whether the matrix is sparse, whether it has no values, its symmetry.
fn kind(lines: &mut Lines) -> Result<(bool, bool, Symmetry)> {
    let first = lines.next()?.unwrap_or_default().to_lowercase();
    let words: Vec<&str> = first.split_whitespace().collect();
    let ["%%matrixmarket", "matrix", format, field, symmetry] = words[..] else {
        return Err(lines.wrong(
            "the first line must read `%%MatrixMarket matrix coordinate real general` or the like",
        ));
    };
    let unknown = |lines: &Lines, what: &str, word: &str, known: &str| {
        lines.wrong(format!("{what} {}, {known} was expected", quoted(word)))
    };
    let sparse = match format {
        "coordinate" => true,
        "array" => false,
        _ => return Err(unknown(lines, "format", format, "coordinate or array")),
    };
    if !["real", "double", "integer", "pattern"].contains(&field) {
        return Err(unknown(lines, "values", field, "real, integer or pattern"));
    }
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::Skew,
        _ => return Err(unknown(lines, "symmetry", symmetry, "general or symmetric")),
    };
    Ok((sparse, field == "pattern", symmetry))
}

/// The line of sizes: rows, columns, and how many entries or numbers follow.
fn sizes(lines: &mut Lines, sparse: bool) -> Result<(usize, usize, usize)> {
    let sizes: Option<Vec<usize>> = lines
        .next()?
        .unwrap_or_default()
        .split_whitespace()
        .map(|word| word.parse().ok())
        .collect();
    match (sparse, sizes.as_deref()) {
        (true, Some(&[rows, columns, entries])) => Ok((rows, columns, entries)),
        (false, Some(&[rows, columns])) => Ok((rows, columns, rows.saturating_mul(columns))),
        _ => Err(lines.wrong("the sizes of the matrix were expected")),
    }
}

fn coordinates(lines: &mut Lines, banner: &Banner) -> Result<Vec<(usize, usize, f64)>> {
    // The count may be wrong, so it is not trusted with all the memory there is.
    let mut entries = Vec::with_capacity(banner.entries.min(1 << 24));
    for done in 0..banner.entries {
        let Some(text) = lines.next()? else {
            return Err(Error::content(
                &lines.input.name,
                format!(
                    "the file ends too early, after {done} of the {} entries announced",
                    banner.entries
                ),
            ));
        };
        let Some((row, column, value)) = entry(text, banner.pattern) else {
            let expected = if banner.pattern {
                "a row and a column"
            } else {
                "a row, a column and a number"
            };
            let problem = format!("{}, where {expected} were expected", quoted(text));
            return Err(lines.wrong(problem));
        };
        if row == 0 || row > banner.rows || column == 0 || column > banner.columns {
            return Err(lines.wrong(format!(
                "entry ({row}, {column}) is outside the matrix of {} × {}, whose rows and columns count from 1",
                banner.rows, banner.columns
            )));
        }
        let (row, column) = (row - 1, column - 1);
        entries.push((row, column, value));
        match banner.symmetry {
            Symmetry::Symmetric if row != column => entries.push((column, row, value)),
            Symmetry::Skew if row != column => entries.push((column, row, -value)),
            _ => {}
        }
    }
    if lines.next()?.is_some() {
        return Err(lines.wrong(format!(
            "more entries than the {} announced",
            banner.entries
        )));
    }
    Ok(entries)
}

fn entry(text: &str, pattern: bool) -> Option<(usize, usize, f64)> {
    let mut words = text.split_ascii_whitespace();
    let row = words.next()?.parse().ok()?;
    let column = words.next()?.parse().ok()?;
    let value = if pattern {
        1.0
    } else {
        number(words.next()?.as_bytes(), false)?
    };
    words.next().is_none().then_some((row, column, value))
}

/// Dense matrices are stored column by column; symmetric ones from the diagonal down.
fn dense(lines: &mut Lines, banner: &Banner) -> Result<Array2<f64>> {
    if banner.pattern {
        return Err(lines.wrong("a dense matrix cannot be a pattern"));
    }
    let mut values: Vec<(usize, usize, f64)> = Vec::new();
    for column in 0..banner.columns {
        let first = match banner.symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric => column,
            Symmetry::Skew => column + 1,
        };
        for row in first..banner.rows {
            let Some(text) = lines.next()? else {
                return Err(Error::content(
                    &lines.input.name,
                    format!(
                        "the file ends too early, after {}",
                        count(values.len(), "number")
                    ),
                ));
            };
            let Some(value) = number(text.as_bytes(), false) else {
                let problem = format!("{} is not a number", quoted(text));
                return Err(lines.wrong(problem));
            };
            values.push((row, column, value));
        }
    }
    let mut matrix = Array2::zeros((banner.rows, banner.columns));
    for (row, column, value) in values {
        matrix[[row, column]] = value;
        match banner.symmetry {
            Symmetry::Symmetric => matrix[[column, row]] = value,
            Symmetry::Skew => matrix[[column, row]] = -value,
            Symmetry::General => {}
        }
    }
    Ok(matrix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Content;

    fn parse(text: &str) -> Result<Table> {
        read(
            Input::bytes("m.mtx", text.as_bytes().to_vec()),
            &ReadOptions::default(),
        )
    }

    fn values(text: &str) -> Vec<Vec<f64>> {
        let table = parse(text).unwrap();
        let Content::Features(features) = &table.content else {
            panic!("features expected")
        };
        let block = features.view().dense_rows(0, table.n_rows());
        block.rows().into_iter().map(|row| row.to_vec()).collect()
    }

    #[test]
    fn sparse_matrices_of_every_kind_are_read() {
        let general = "%%MatrixMarket matrix coordinate real general\n% made by hand\n\n2 3 2\n1 3 2.5\n2 1 -1e1\n";
        assert_eq!(values(general), [[0.0, 0.0, 2.5], [-10.0, 0.0, 0.0]]);
        let symmetric = "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 4\n2 1 3\n";
        assert_eq!(values(symmetric), [[4.0, 3.0], [3.0, 0.0]]);
        let pattern = "%%matrixmarket MATRIX coordinate pattern general\n2 2 1\n2 2\n";
        assert_eq!(values(pattern), [[0.0, 0.0], [0.0, 1.0]]);
        let skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n";
        assert_eq!(values(skew), [[0.0, -3.0], [3.0, 0.0]]);
        let table = parse(general).unwrap();
        assert!(matches!(
            table.content,
            Content::Features(OwnedFeatures::SparseF64(_))
        ));
    }

    #[test]
    fn dense_matrices_are_stored_column_by_column() {
        let general = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n";
        assert_eq!(values(general), [[1.0, 3.0], [2.0, 4.0]]);
        let symmetric = "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n";
        assert_eq!(values(symmetric), [[1.0, 2.0], [2.0, 3.0]]);
    }

    #[test]
    fn mistakes_are_named_by_line() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        let head = "%%MatrixMarket matrix coordinate real general\n";
        assert_eq!(
            message(&format!("{head}2 2 2\n1 1 1\n")),
            "m.mtx: the file ends too early, after 1 of the 2 entries announced"
        );
        assert!(
            message(&format!("{head}2 2 1\n3 1 1\n"))
                .starts_with("m.mtx, line 3: entry (3, 1) is outside")
        );
        assert!(message(&format!("{head}2 2 1\n1 1 x\n")).contains("line 3: \"1 1 x\", where"));
        assert!(
            message(&format!("{head}2 2 1\n1 1 1\n2 2 2\n"))
                .contains("line 4: more entries than the 1 announced")
        );
        assert!(message(&format!("{head}2 x 1\n")).contains("line 2: the sizes"));
        assert!(
            message("%%MatrixMarket matrix coordinate complex general\n").contains("\"complex\"")
        );
        assert!(message("1,2\n").contains("line 1: the first line must read"));
    }

    #[test]
    fn sizes_that_no_memory_holds_are_refused_at_the_header() {
        let head = "%%MatrixMarket matrix coordinate real symmetric\n";
        let size = u32::MAX as usize + 1;
        let message = parse(&format!("{head}{size} {size} 3\n1 1 1\n"));
        assert_eq!(
            message.unwrap_err().to_string(),
            "m.mtx: 4294967296 rows, where a sparse matrix has at most 2^32 − 1 = 4294967295"
        );
        let head = "%%MatrixMarket matrix coordinate real general\n";
        let wide = format!("{head}3 1000000000000 3\n1 1 1\n1 2 1\n1 3 1\n");
        let error = parse(&wide).unwrap_err().to_string();
        assert!(error.contains("1000000000000 columns, where"), "{error}");
        let input = Input::bytes("m.mtx", wide.into_bytes());
        assert!(read_banner(input).is_err());
    }

    #[test]
    fn a_count_of_entries_beyond_all_bounds_does_not_overflow() {
        let head = "%%MatrixMarket matrix coordinate real symmetric\n";
        let text = format!("{head}2 2 {}\n", usize::MAX);
        let banner = read_banner(Input::bytes("m.mtx", text.into_bytes())).unwrap();
        assert_eq!(banner.stored(), Some(usize::MAX));
    }
}
