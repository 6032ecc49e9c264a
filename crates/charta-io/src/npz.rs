//! NPZ: a zip of NumPy arrays, of which one holds the rows and others may hold labels and names.

use std::io::Read;

use charta::data::Precision;
use zip::ZipArchive;

use crate::block::{BlockSource, LabelColumn};
use crate::collect::collect;
use crate::describe::Shape;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::input::{Input, ReadSeek};
use crate::npy::header::Header;
use crate::npy::{NpyTable, read_labels};
use crate::options::{LabelKind, ReadOptions};
use crate::sparse::{self, check_size, refuse_choices};
use crate::suggest::nearest;
use crate::table::Table;
use crate::wording::{count, plain};

/// Names that the array of rows, of labels, of the rows' names and of the columns' names often have.
const ROWS: [&str; 6] = ["X", "x", "data", "features", "images", "arr_0"];
const LABELS: [&str; 6] = ["y", "labels", "label", "target", "targets", "t"];
const IDS: [&str; 3] = ["ids", "row_names", "names"];
const COLUMNS: [&str; 4] = ["columns", "column_names", "feature_names", "genes"];

/// Names that an array of the classes' names often has, where labels are numbers from 0.
const CLASSES: [&str; 6] = [
    "label_names",
    "target_names",
    "class_names",
    "classes",
    "labels",
    "names",
];

/// An archive with the headers of its arrays.
pub(crate) struct Archive {
    input: Input,
    zip: ZipArchive<Box<dyn ReadSeek>>,
    /// Each array's name without `.npy`, and its header.
    arrays: Vec<(String, Header)>,
}

impl Archive {
    pub(crate) fn open(input: Input) -> Result<Self> {
        let mut zip = ZipArchive::new(input.open_seekable()?)
            .map_err(|error| damaged(&input.name, &error))?;
        let mut arrays = Vec::new();
        for index in 0..zip.len() {
            let mut entry = zip
                .by_index(index)
                .map_err(|error| damaged(&input.name, &error))?;
            let name = match entry.name() {
                Ok(name) => name.into_owned(),
                Err(error) => return Err(damaged(&input.name, &error)),
            };
            if let Some(array) = name.strip_suffix(".npy") {
                let place = format!("{}:{array}", input.name);
                // Arrays of objects and the like are passed over unless they are requested.
                if let Ok(header) = Header::read(&place, &mut entry) {
                    arrays.push((array.to_string(), header));
                }
            }
        }
        if arrays.is_empty() {
            return Err(Error::content(
                &input.name,
                "there are no NumPy arrays of numbers in this archive",
            ));
        }
        Ok(Self { input, zip, arrays })
    }

    fn header(&self, name: &str) -> Option<&Header> {
        self.arrays
            .iter()
            .find(|(array, _)| array == name)
            .map(|(_, header)| header)
    }

    fn has(&self, name: &str) -> bool {
        self.header(name).is_some()
    }

    fn bytes(&mut self, name: &str) -> Result<Vec<u8>> {
        let file = &self.input.name;
        let mut entry = self
            .zip
            .by_name(&format!("{name}.npy"))
            .map_err(|error| damaged(file, &error))?;
        let mut bytes = Vec::with_capacity(usize::try_from(entry.size()).unwrap_or(0).min(1 << 30));
        entry
            .read_to_end(&mut bytes)
            .map_err(|error| damaged(file, &error))?;
        Ok(bytes)
    }

    /// The array of rows: the one requested, one of a usual name, or the only one of two dimensions.
    pub(crate) fn rows(&self, asked: Option<&str>) -> Result<String> {
        if let Some(name) = asked {
            let name = name.trim_end_matches(".npy");
            return if self.has(name) {
                Ok(name.into())
            } else {
                Err(self.unknown(name))
            };
        }
        let is_rows = |header: &Header| header.shape.len() >= 2 && !header.element.is_text();
        let usual = ROWS
            .iter()
            .find(|name| self.header(name).is_some_and(is_rows));
        if let Some(name) = usual {
            return Ok(name.to_string());
        }
        let mut tables = self.arrays.iter().filter(|(_, header)| is_rows(header));
        match (tables.next(), tables.next(), self.arrays.as_slice()) {
            (Some((name, _)), None, _) => Ok(name.clone()),
            (None, None, [(name, header)]) if !header.element.is_text() => Ok(name.clone()),
            _ => Err(Error::Column {
                file: self.input.name.clone(),
                problem: format!(
                    "choose one of the arrays {}, as in --array {} or {}:{}",
                    self.list(),
                    plain(&self.arrays[0].0),
                    self.input.name,
                    plain(&self.arrays[0].0)
                ),
                suggestions: Vec::new(),
            }),
        }
    }

    fn unknown(&self, name: &str) -> Error {
        let names = self.arrays.iter().map(|(array, _)| array.as_str());
        Error::Column {
            file: self.input.name.clone(),
            problem: format!("no array is named {name:?}, there are {}", self.list()),
            suggestions: nearest(name, names, 2)
                .into_iter()
                .map(String::from)
                .collect(),
        }
    }

    fn list(&self) -> String {
        let describe = |(name, header): &(String, Header)| {
            let sizes: Vec<String> = header.shape.iter().map(ToString::to_string).collect();
            format!("{} ({})", plain(name), sizes.join(" × "))
        };
        self.arrays
            .iter()
            .map(describe)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// A one-dimensional array of `length` elements of a usual name.
    fn beside(
        &mut self,
        usual: &[&str],
        length: usize,
        not: &str,
    ) -> Result<Option<(String, LabelColumn)>> {
        let fits = |header: &Header| header.shape == [length] || header.shape == [length, 1];
        let found = usual
            .iter()
            .find(|&&name| name != not && self.header(name).is_some_and(fits));
        let Some(name) = found else {
            return Ok(None);
        };
        Ok(self.column(name)?.map(|column| (name.to_string(), column)))
    }

    /// Labels by the names of their classes, if they are whole numbers from 0 and the archive has a name for each. `label` is the
    /// labels' own array.
    fn named(&mut self, labels: LabelColumn, label: &str) -> Result<LabelColumn> {
        let LabelColumn::Numbers(numbers) = &labels else {
            return Ok(labels);
        };
        let is_known = |number: &f64| number.is_nan() || (number.fract() == 0.0 && *number >= 0.0);
        let last = numbers.iter().copied().fold(-1.0, f64::max);
        if last < 0.0 || !numbers.iter().all(is_known) {
            return Ok(labels);
        }
        let n_rows = numbers.len();
        let found = CLASSES.iter().find(|&&name| {
            name != label
                && self.header(name).is_some_and(|header| {
                    let [length] = header.shape[..] else {
                        return false;
                    };
                    // As many names as rows are names of the rows.
                    header.element.is_text() && (length as f64) > last && length != n_rows
                })
        });
        let Some(name) = found else {
            return Ok(labels);
        };
        let Some(LabelColumn::Words(names)) = self.column(name)? else {
            return Ok(labels);
        };
        let word = |number: &f64| {
            if number.is_nan() {
                String::new()
            } else {
                names[*number as usize].clone()
            }
        };
        Ok(LabelColumn::Words(numbers.iter().map(word).collect()))
    }

    fn column(&mut self, name: &str) -> Result<Option<LabelColumn>> {
        let place = format!("{}:{name}", self.input.name);
        read_labels(&place, &self.bytes(name)?)
    }

    /// An array requested by name as labels or ids.
    fn asked(&mut self, name: &str, length: usize) -> Result<LabelColumn> {
        let place = format!("{}:{name}", self.input.name);
        match self.column(name)? {
            Some(column) if column.len() == length => Ok(column),
            Some(column) => Err(Error::content(
                place,
                format!(
                    "{}, where the rows are {length}",
                    count(column.len(), "element")
                ),
            )),
            None => Err(Error::content(place, "one dimension was expected")),
        }
    }

    /// True for what SciPy's `save_npz` writes.
    fn is_sparse(&self) -> bool {
        ["indptr", "indices", "data", "shape"]
            .iter()
            .all(|name| self.has(name))
    }

    /// The size and precision of the rows, from the headers alone; sparse arrays are read.
    pub(crate) fn describe(&mut self, array: Option<&str>, options: &ReadOptions) -> Result<Shape> {
        let sparse = array.is_none() && self.is_sparse();
        let name = if sparse {
            "data".into()
        } else {
            self.rows(array)?
        };
        let Some(header) = self.header(&name).cloned() else {
            return Err(self.unknown(&name));
        };
        let own = if sparse {
            Precision::Double
        } else {
            header.element.precision()
        };
        let mut shape = Shape {
            rows: header.n_rows(),
            columns: header.n_columns().unwrap_or(0),
            precision: options.precision.unwrap_or(own),
            stored: None,
            exact: true,
            format: Format::Npz.title(),
        };
        if sparse {
            shape.stored = Some(header.n_rows());
            (shape.rows, shape.columns, _) = self.sparse_shape()?;
        }
        Ok(shape)
    }

    /// Rows, columns, and whether the stored lines are columns.
    fn sparse_shape(&mut self) -> Result<(usize, usize, bool)> {
        let shape = self.indices("shape")?;
        let by_column = match self.column("format")? {
            Some(LabelColumn::Words(words)) => words.first().is_some_and(|word| word == "csc"),
            _ => false,
        };
        let [rows, columns] = shape[..] else {
            return Err(Error::content(
                &self.input.name,
                "the sparse matrix has no readable shape",
            ));
        };
        check_size(&self.input.name, rows, columns)?;
        Ok((rows, columns, by_column))
    }

    fn numbers(&mut self, name: &str) -> Result<Vec<f64>> {
        match self.column(name)? {
            Some(LabelColumn::Numbers(numbers)) => Ok(numbers),
            _ => Err(Error::content(
                &self.input.name,
                format!("array {name:?} does not hold numbers"),
            )),
        }
    }

    /// An array of whole numbers from 0 on.
    fn indices(&mut self, name: &str) -> Result<Vec<usize>> {
        let is_index = |number: f64| number.fract() == 0.0 && number >= 0.0;
        let numbers = self.numbers(name)?;
        match numbers.iter().position(|&number| !is_index(number)) {
            None => Ok(numbers.into_iter().map(|number| number as usize).collect()),
            Some(place) => Err(Error::content(
                format!("{}:{name}", self.input.name),
                format!(
                    "element {place} is {}, a whole number from 0 on was expected",
                    numbers[place]
                ),
            )),
        }
    }

    fn read_sparse(&mut self, options: &ReadOptions) -> Result<Table> {
        let file = self.input.name.clone();
        refuse_choices(&file, "a sparse matrix", options)?;
        let (rows, columns, by_column) = self.sparse_shape()?;
        let lines = Lines {
            starts: self.indices("indptr")?,
            indices: self.indices("indices")?,
            values: self.numbers("data")?,
        };
        let (n_lines, width) = if by_column {
            (columns, rows)
        } else {
            (rows, columns)
        };
        lines
            .check(n_lines, width)
            .map_err(|problem| Error::content(&file, problem))?;
        let entries = lines.entries(by_column);
        let features = sparse::features(&file, rows, columns, entries, options.precision)?;
        Ok(Table::new(file, features))
    }
}

/// A sparse matrix as SciPy stores it: line by line, which are rows or columns.
struct Lines {
    /// Where each line begins, and where the last ends.
    starts: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
}

impl Lines {
    /// Fails if the three arrays do not fit together and the shape.
    fn check(&self, n_lines: usize, width: usize) -> Result<(), String> {
        let (stored, ends) = (self.values.len(), self.starts.last().copied());
        if self.starts.len() != n_lines + 1 {
            return Err(format!(
                "`indptr` has {}, where the shape needs {}",
                count(self.starts.len(), "element"),
                n_lines + 1
            ));
        }
        if self.indices.len() != stored {
            return Err(format!(
                "`indices` has {}, where `data` has {stored}",
                count(self.indices.len(), "element")
            ));
        }
        if !self.starts.is_sorted() || self.starts[0] != 0 || ends > Some(stored) {
            return Err(format!("`indptr` does not rise from 0 to at most {stored}"));
        }
        match self.indices.iter().find(|&&index| index >= width) {
            Some(index) => Err(format!(
                "`indices` holds {index}, where the shape allows only numbers below {width}"
            )),
            None => Ok(()),
        }
    }

    fn entries(&self, by_column: bool) -> Vec<(usize, usize, f64)> {
        let mut entries = Vec::with_capacity(self.values.len());
        for (line, bounds) in self.starts.windows(2).enumerate() {
            for at in bounds[0]..bounds[1] {
                let (index, value) = (self.indices[at], self.values[at]);
                entries.push(if by_column {
                    (index, line, value)
                } else {
                    (line, index, value)
                });
            }
        }
        entries
    }
}

/// Reads the array of rows with its labels and names.
pub(crate) fn read(input: Input, array: Option<&str>, options: &ReadOptions) -> Result<Table> {
    let mut archive = Archive::open(input)?;
    if array.is_none() && archive.is_sparse() {
        return archive.read_sparse(options);
    }
    let name = archive.rows(array)?;
    let mut options = options.clone();
    // Labels and ids may be arrays of the archive; otherwise they are columns of the rows.
    let is_array = |asked: &mut Option<String>| asked.take_if(|asked| archive.has(asked));
    let (label, id) = (is_array(&mut options.label), is_array(&mut options.id));
    let place = format!("{}:{name}", archive.input.name);
    let mut table = NpyTable::open(Input::bytes(place, archive.bytes(&name)?), &options)?;
    let (n_rows, n_columns) = (table.n_rows(), table.heading().n_columns);
    let labels = match (label, &options.label) {
        (Some(title), _) => Some((title.clone(), archive.asked(&title, n_rows)?)),
        (None, None) => archive.beside(&LABELS, n_rows, &name)?,
        _ => None,
    };
    if let Some((title, labels)) = labels {
        let labels = if options.label_kind == LabelKind::Numbers {
            labels
        } else {
            archive.named(labels, &title)?
        };
        table.set_labels(&title, labels);
    }
    let ids = match (id, &options.id) {
        (Some(title), _) => Some((title.clone(), archive.asked(&title, n_rows)?)),
        (None, None) => archive.beside(&IDS, n_rows, &name)?,
        _ => None,
    };
    if let Some((title, ids)) = ids {
        table.set_ids(&title, ids.into_words());
    }
    if let Some((_, LabelColumn::Words(names))) = archive.beside(&COLUMNS, n_columns, &name)? {
        table.set_column_names(names);
    }
    let mut table = collect(Box::new(table), &options)?;
    table.name.clone_from(&archive.input.name);
    Ok(table)
}

fn damaged(file: &str, error: &dyn std::fmt::Display) -> Error {
    Error::content(
        file,
        format!("the archive is damaged or ends too early ({error})"),
    )
}

#[cfg(test)]
mod tests;
