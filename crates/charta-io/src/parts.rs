//! Several files as one table: the parts of a folder, or of a pattern such as `data/part-*.parquet`.
//!
//! The parts follow each other in the natural order of their names, `part-2` before `part-10`. The first one decides what the columns are;
//! all others must have the same.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use charta::data::Precision;

use crate::block::{Block, BlockSource, Heading, LabelColumn, Lines, read_first_labels};
use crate::error::{Error, Result, shown};
use crate::format::Format;
use crate::glob::glob;
use crate::input::Input;
use crate::open::rows;
use crate::options::ReadOptions;
use crate::wording::{count, quoted};

/// A table of several files, read block by block.
pub(crate) struct Parts {
    paths: Vec<PathBuf>,
    format: Format,
    options: ReadOptions,
    heading: Heading,
    /// The part that is being read, and how many were opened.
    current: Option<Box<dyn BlockSource>>,
    n_opened: usize,
    number_labels: bool,
}

/// The parts of a table that a folder holds, or to which a pattern in the last place of a path fits; none if there are none.
pub(crate) fn paths(name: &str) -> Vec<PathBuf> {
    let path = Path::new(name);
    let (folder, pattern) = if path.is_dir() {
        (path, "*".into())
    } else {
        let pattern = path.file_name().unwrap_or_default().to_string_lossy();
        if !pattern.contains(['*', '?']) {
            return Vec::new();
        }
        (path.parent().unwrap_or(Path::new("")), pattern)
    };
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| is_part(path, &pattern))
        .collect();
    found.sort_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
    // Messages name the files as the caller did.
    let strip = |path: PathBuf| {
        path.strip_prefix("./")
            .map(Path::to_path_buf)
            .unwrap_or(path)
    };
    found.into_iter().map(strip).collect()
}

/// Files that stand beside parts and are none: marks of success, checksums, hidden files.
fn is_part(path: &Path, pattern: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    glob(pattern, &name)
        && !name.starts_with(['.', '_'])
        && path.is_file()
        && Format::of_name(path).is_some_and(is_of_rows)
}

/// True for formats whose files can follow each other.
fn is_of_rows(format: Format) -> bool {
    matches!(
        format,
        Format::Text | Format::Parquet | Format::Arrow | Format::Npy
    )
}

/// Numbers within names by their value.
fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (of_a, of_b) = (digits(a), digits(b));
        if of_a > 0 && of_b > 0 {
            let (x, y) = (
                a[..of_a].trim_start_matches('0'),
                b[..of_b].trim_start_matches('0'),
            );
            let order = x.len().cmp(&y.len()).then(x.cmp(y));
            if order != Ordering::Equal {
                return order;
            }
            (a, b) = (&a[of_a..], &b[of_b..]);
            continue;
        }
        let (mut of_a, mut of_b) = (a.chars(), b.chars());
        match (of_a.next(), of_b.next()) {
            (Some(x), Some(y)) if x == y => (a, b) = (of_a.as_str(), of_b.as_str()),
            (x, y) => return x.cmp(&y),
        }
    }
}

impl Parts {
    /// Looks at every part, so that one that disagrees is named before anything is read.
    pub(crate) fn open(name: &str, paths: Vec<PathBuf>, options: &ReadOptions) -> Result<Self> {
        let mut parts: Option<Self> = None;
        let (mut n_rows, mut precision) = (Some(0), Precision::Single);
        let mut used = Vec::with_capacity(paths.len());
        for path in paths {
            let input = Input::file(&path)?;
            let format = format_of(&input, options)?;
            let source = match &parts {
                None => first(input, format, options)?,
                Some(parts) => parts.further(input, format)?,
            };
            // A part without rows, as writers leave them behind.
            let Some(source) = source else { continue };
            let heading = source.heading();
            n_rows = n_rows.zip(heading.n_rows).map(|(sum, rows)| sum + rows);
            if heading.precision == Precision::Double {
                precision = Precision::Double;
            }
            used.push(path);
            parts.get_or_insert_with(|| Self {
                paths: Vec::new(),
                format,
                options: options.clone(),
                heading: Heading {
                    name: name.into(),
                    ..heading.clone()
                },
                current: None,
                n_opened: 0,
                number_labels: false,
            });
        }
        let mut parts = parts.ok_or_else(|| Error::empty(name))?;
        let note = match used.len() {
            1 => format!("{name} is {}", shown(&used[0])),
            n => format!(
                "{name}: {} as one table, {} to {}",
                count(n, "file"),
                shown(&used[0]),
                shown(&used[n - 1])
            ),
        };
        parts.heading.notes.insert(0, note);
        (parts.heading.n_rows, parts.heading.precision) = (n_rows, precision);
        parts.paths = used;
        Ok(parts)
    }

    /// The files that have rows.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The format of all parts.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// A part after the first; none if it has no rows.
    fn further(&self, input: Input, format: Format) -> Result<Option<Box<dyn BlockSource>>> {
        if format != self.format {
            return Err(Error::content(
                &input.name,
                format!(
                    "this is {}, where the parts before it are each {}",
                    format.title(),
                    self.format.title()
                ),
            ));
        }
        let name = input.name.clone();
        // What a column of words is for the first part it is for all, whatever stands in them.
        let decided = ReadOptions {
            columns: self.heading.column_names.clone().unwrap_or_default(),
            label: self.heading.label_title.clone(),
            id: self.heading.id_title.clone(),
            ..self.options.clone()
        };
        // What is a label or an id is settled by the first part; that other columns differ is for the caller to know.
        let attempts = [
            Some(&self.options),
            self.heading.column_names.is_some().then_some(&decided),
        ];
        let mut problem = None;
        for options in attempts.into_iter().flatten() {
            let found = match first(input.clone(), format, options) {
                Ok(None) => return Ok(None),
                Ok(Some(source)) => match self.differs(source.heading()) {
                    None => return Ok(Some(source)),
                    Some(Difference::Roles(difference)) => Error::content(&name, difference),
                    Some(Difference::Columns(difference)) => {
                        return Err(Error::content(&name, difference));
                    }
                },
                Err(error @ Error::Column { .. }) => error,
                Err(error) => return Err(error),
            };
            problem.get_or_insert(found);
        }
        Err(problem.expect("there is a first attempt"))
    }

    /// What is different in another part's columns.
    fn differs(&self, other: &Heading) -> Option<Difference> {
        let own = &self.heading;
        if other.n_columns != own.n_columns && other.column_names.is_none() {
            return Some(Difference::Columns(format!(
                "{} of numbers, where the parts before it have {}",
                count(other.n_columns, "column"),
                own.n_columns
            )));
        }
        if let (Some(names), Some(others)) = (&own.column_names, &other.column_names)
            && names != others
        {
            let of = |names: &[String], others: &[String]| {
                names
                    .iter()
                    .find(|name| !others.contains(name))
                    .map(|name| quoted(name))
            };
            let roles = [&own.label_title, &own.id_title];
            let is_role = |name: &String| roles.contains(&&Some(name.clone()));
            let further: Vec<&String> =
                others.iter().filter(|name| !names.contains(name)).collect();
            let said = match (of(names, others), of(others, names)) {
                (Some(name), _) => {
                    format!("it has no column {name} of numbers, which the parts before it have")
                }
                (None, Some(name)) => {
                    format!("its column {name} is not among the numbers of the parts before it")
                }
                (None, None) => {
                    "its columns are in another order than those of the parts before it".into()
                }
            };
            return Some(if further.into_iter().any(is_role) {
                Difference::Roles(said)
            } else {
                Difference::Columns(said)
            });
        }
        let titles = |heading: &Heading| {
            (
                heading.label_title.clone(),
                heading.id_title.clone(),
                heading.column_names.is_some(),
                heading.pairs,
            )
        };
        (titles(own) != titles(other)).then(|| {
            Difference::Roles("its label or id column is not that of the parts before it: name them with --label and --id".into())
        })
    }

    fn open_next(&mut self) -> Result<bool> {
        let Some(path) = self.paths.get(self.n_opened) else {
            return Ok(false);
        };
        let input = Input::file(path)?;
        let mut source = if self.n_opened == 0 {
            first(input, self.format, &self.options)?
        } else {
            self.further(input, self.format)?
        };
        if self.number_labels
            && let Some(source) = &mut source
        {
            source.expect_number_labels();
        }
        self.n_opened += 1;
        self.current = source;
        Ok(true)
    }
}

/// How the columns of a part differ from those of the first, in words.
enum Difference {
    /// In what is a label or an id.
    Roles(String),
    /// In what is a number.
    Columns(String),
}

fn format_of(input: &Input, options: &ReadOptions) -> Result<Format> {
    let start = input.peek(16)?;
    let by_name = input.path().and_then(Format::of_name);
    let found = options.format.or(Format::of_bytes(&start)).or(by_name);
    Ok(found.unwrap_or(Format::Text))
}

/// A part with these options; none if it has no rows.
fn first(
    input: Input,
    format: Format,
    options: &ReadOptions,
) -> Result<Option<Box<dyn BlockSource>>> {
    if input.peek(1)?.is_empty() {
        return Ok(None);
    }
    match rows(input, format, options) {
        Ok(source) => Ok(Some(source)),
        Err(Error::Empty { .. } | Error::HeaderOnly { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl BlockSource for Parts {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
    }

    fn next_block(&mut self) -> Result<Option<Block>> {
        loop {
            if let Some(source) = &mut self.current
                && let Some(block) = source.next_block()?
            {
                // Lines of several files say nothing without their names.
                return Ok(Some(Block {
                    lines: Lines::default(),
                    ..block
                }));
            }
            if !self.open_next()? {
                return Ok(None);
            }
        }
    }

    fn rewind(&mut self) -> Result<()> {
        (self.current, self.n_opened) = (None, 0);
        Ok(())
    }

    fn first_labels(&mut self, count: usize) -> Result<Option<LabelColumn>> {
        read_first_labels(self, count)
    }

    fn expect_number_labels(&mut self) {
        self.number_labels = true;
        if let Some(source) = &mut self.current {
            source.expect_number_labels();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_natural_order() {
        let mut names = vec![
            "part-10.csv",
            "part-2.csv",
            "part-02b.csv",
            "a.csv",
            "part-1.csv",
        ];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(
            names,
            [
                "a.csv",
                "part-1.csv",
                "part-2.csv",
                "part-02b.csv",
                "part-10.csv"
            ]
        );
    }
}
