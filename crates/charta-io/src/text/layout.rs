//! How a text table is laid out: what separates fields, whether there is a header, which columns
//! hold words. Found from its first rows.

use csv::ByteRecord;

use super::number::number;
use crate::columns::{Column, ColumnKind};
use crate::error::{Error, Result};
use crate::options::ReadOptions;

/// Bytes looked at, and rows at most.
pub(crate) const SAMPLE_BYTES: u64 = 1 << 20;
const SAMPLE_ROWS: usize = 500;

/// The layout of a text table.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) delimiter: u8,
    pub(crate) header: bool,
    pub(crate) decimal_comma: bool,
    pub(crate) columns: Vec<Column>,
    /// Which columns hold at least one word: a label column with one is a column of words.
    pub(crate) some_words: Vec<bool>,
    /// True if the header leaves out the name of the first column, as R writes it.
    pub(crate) row_names: bool,
    pub(crate) notes: Vec<String>,
}

/// Finds the layout from the first bytes of a file.
pub(crate) fn detect(file: &str, sample: &[u8], options: &ReadOptions) -> Result<Layout> {
    let sample = text_only(file, sample, options)?;
    let delimiter = match options.delimiter {
        Some(delimiter) => delimiter,
        None => detect_delimiter(file, sample),
    };
    let mut rows = records(sample, delimiter, SAMPLE_ROWS);
    let Some(first) = rows.first().cloned() else {
        return Err(Error::empty(file));
    };
    // The sample may end inside its last row.
    if rows.len() > 2 && sample.len() as u64 >= SAMPLE_BYTES {
        rows.pop();
    }
    check_comment(file, sample, &rows)?;
    let body = Body {
        rows: &rows[1..],
        decimal_comma: delimiter != b',' && uses_decimal_comma(&rows),
        options,
    };
    let (header, numbered) = match options.header {
        Some(given) => (given, false),
        None => body.has_header(&first),
    };
    if header && rows.len() == 1 {
        return Err(Error::HeaderOnly { file: file.into() });
    }
    let rows = if header { &rows[1..] } else { &rows };
    let mut layout = Body { rows, ..body }.layout(&first, delimiter, header);
    if numbered {
        layout
            .notes
            .push("the first line numbers the columns and is taken as the header".into());
    }
    Ok(layout)
}

/// Fails for a first line that is a comment: it begins with `#`, and has not as many fields as the lines below.
fn check_comment(file: &str, sample: &[u8], rows: &[ByteRecord]) -> Result<()> {
    let fields = usual_length(&rows[1..]);
    if !sample.trim_ascii_start().starts_with(b"#")
        || fields < 2
        || rows[0].len() == fields
        || rows[0].len() + 1 == fields
    {
        return Ok(());
    }
    Err(Error::content(
        file,
        "the first line begins with `#` and is no header: comment lines are not skipped, so remove them, for example with \
         `grep -v '^#'`",
    ))
}

/// A cell's text, without spaces and quotes around it; bytes that are not UTF-8 are read as Latin-1.
pub(crate) fn words(cell: &[u8]) -> String {
    let cell = cell.trim_ascii();
    let cell = match cell {
        [b'"', inner @ .., b'"'] => inner,
        _ => cell,
    };
    match std::str::from_utf8(cell) {
        Ok(text) => text.into(),
        Err(_) => cell.iter().map(|&byte| char::from(byte)).collect(),
    }
}

fn text_only<'a>(file: &str, sample: &'a [u8], options: &ReadOptions) -> Result<&'a [u8]> {
    if sample.starts_with(&[0xff, 0xfe]) || sample.starts_with(&[0xfe, 0xff]) {
        return Err(Error::content(file, "the text is UTF-16; save it as UTF-8"));
    }
    let is_space = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b'\x0c');
    let strange = sample.iter().position(|&byte| {
        byte.is_ascii_control() && !is_space(byte) && options.delimiter != Some(byte)
    });
    if let Some(place) = strange {
        let byte = sample[place];
        return Err(Error::content(
            file,
            format!(
                "not a text table: a control character (0x{byte:02x}) at offset {place}, text was expected"
            ),
        ));
    }
    Ok(sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample))
}

fn records(sample: &[u8], delimiter: u8, limit: usize) -> Vec<ByteRecord> {
    super::reader(sample, delimiter)
        .into_byte_records()
        .map_while(std::result::Result::ok)
        .filter(|record| !is_blank(record, delimiter))
        .take(limit)
        .collect()
}

/// True for a line of spaces only.
pub(crate) fn is_blank(record: &ByteRecord, delimiter: u8) -> bool {
    (record.len() <= 1 || delimiter == b' ')
        && record.iter().all(|cell| cell.trim_ascii().is_empty())
}

/// The delimiter that cuts most rows to the same number of fields, most of them numbers.
fn detect_delimiter(file: &str, sample: &[u8]) -> u8 {
    const CANDIDATES: [u8; 5] = [b',', b'\t', b';', b'|', b' '];
    let named = match file.to_lowercase().trim_end_matches(".gz").rsplit_once('.') {
        Some((_, "tsv" | "tab")) => Some(b'\t'),
        _ => None,
    };
    let mut best = (0.0, b',');
    for delimiter in CANDIDATES {
        let score = score(&records(sample, delimiter, 50), delimiter);
        let score = if named == Some(delimiter) {
            10.0 * score
        } else {
            score
        };
        if score > best.0 {
            best = (score, delimiter);
        }
    }
    if best.0 == 0.0 {
        named.unwrap_or(b',')
    } else {
        best.1
    }
}

fn score(rows: &[ByteRecord], delimiter: u8) -> f64 {
    let usual = usual_length(rows);
    if usual < 2 {
        return 0.0;
    }
    let regular = rows.iter().filter(|row| row.len() == usual).count() as f64 / rows.len() as f64;
    let numbers: usize = rows
        .iter()
        .map(|row| {
            row.iter()
                .filter(|cell| is_number(cell, delimiter != b','))
                .count()
        })
        .sum();
    let cells: usize = rows.iter().map(ByteRecord::len).sum();
    // Words alone still count a little, and so does every further field.
    let filled = numbers as f64 / cells as f64 + 0.02 + 0.001 * (usual as f64).ln();
    regular * regular * filled
}

fn is_number(cell: &[u8], comma_allowed: bool) -> bool {
    number(cell, false).is_some() || (comma_allowed && number(cell, true).is_some())
}

fn usual_length(rows: &[ByteRecord]) -> usize {
    let mut counts = std::collections::BTreeMap::new();
    for row in rows {
        *counts.entry(row.len()).or_insert(0) += 1;
    }
    counts
        .into_iter()
        .max_by_key(|&(_, count)| count)
        .map_or(0, |(length, _)| length)
}

/// True if cells such as `1,5` occur and cells such as `1.5` do not.
fn uses_decimal_comma(rows: &[ByteRecord]) -> bool {
    let mut commas = 0;
    for cell in rows.iter().flat_map(ByteRecord::iter) {
        if cell.contains(&b'.') && number(cell, false).is_some() {
            return false;
        }
        commas += usize::from(cell.contains(&b',') && number(cell, true).is_some());
    }
    commas > 0
}

/// The rows below the first line.
#[derive(Clone, Copy)]
struct Body<'a> {
    rows: &'a [ByteRecord],
    decimal_comma: bool,
    options: &'a ReadOptions,
}

impl Body<'_> {
    fn usual_fields(&self) -> usize {
        usual_length(self.rows)
    }

    fn is_missing(&self, cell: &[u8]) -> bool {
        std::str::from_utf8(cell.trim_ascii()).is_ok_and(|cell| self.options.is_missing(cell))
    }

    /// Counts the numbers and the words of a column.
    fn numbers_and_words(&self, column: usize) -> (usize, usize) {
        let mut counts = (0, 0);
        for cell in self.rows.iter().filter_map(|row| row.get(column)) {
            if number(cell, self.decimal_comma).is_some() {
                counts.0 += 1;
            } else if !self.is_missing(cell) {
                counts.1 += 1;
            }
        }
        counts
    }

    /// Whether `first` names the columns, and whether it does so by numbering them.
    fn has_header(&self, first: &ByteRecord) -> (bool, bool) {
        if self.rows.is_empty() {
            // One line: names if it has no numbers.
            let all_words = first
                .iter()
                .all(|cell| number(cell, self.decimal_comma).is_none());
            return (all_words, false);
        }
        let shift = self.usual_fields().saturating_sub(first.len()).min(1);
        let is_word =
            |cell: &[u8]| number(cell, self.decimal_comma).is_none() && !self.is_missing(cell);
        let named = (0..first.len())
            .filter(|&index| is_word(&first[index]))
            .any(|index| {
                let (numbers, words) = self.numbers_and_words(index + shift);
                numbers > words
            });
        let any_numbers = (0..self.usual_fields()).any(|index| {
            let (numbers, words) = self.numbers_and_words(index);
            numbers > words
        });
        let only_words = !any_numbers && first.iter().all(is_word);
        let numbered = self.counts_up(first);
        (named || only_words || numbered, numbered)
    }

    /// `0,1,2,…` or `1,2,3,…` above rows that do not count up: what tables without names get.
    fn counts_up(&self, first: &ByteRecord) -> bool {
        let counts = |row: &ByteRecord| {
            let start = row.get(0).and_then(|cell| number(cell, false));
            row.len() >= 4
                && start.is_some_and(|start| start == 0.0 || start == 1.0)
                && row.iter().enumerate().all(|(place, cell)| {
                    number(cell, false) == start.map(|start| start + place as f64)
                })
        };
        counts(first) && !self.rows.iter().any(counts)
    }

    /// The layout of these rows below `first`, if that is a header.
    fn layout(&self, first: &ByteRecord, delimiter: u8, header: bool) -> Layout {
        let mut layout = Layout {
            delimiter,
            header,
            decimal_comma: self.decimal_comma,
            columns: self.columns(first.len()),
            some_words: Vec::new(),
            row_names: false,
            notes: Vec::new(),
        };
        if header {
            self.name_columns(&mut layout, first);
        }
        self.mark_empty(&mut layout);
        layout.some_words = (0..layout.columns.len())
            .map(|index| self.numbers_and_words(index).1 > 0)
            .collect();
        layout
    }

    fn columns(&self, n_fields: usize) -> Vec<Column> {
        (0..n_fields)
            .map(|index| {
                let (numbers, words) = self.numbers_and_words(index);
                let kind = if words > numbers {
                    ColumnKind::Text
                } else {
                    ColumnKind::Number
                };
                Column { name: None, kind }
            })
            .collect()
    }

    /// Rows may have one field more than the header: row names in front, as R writes them, or
    /// nothing behind a last delimiter.
    fn name_columns(&self, layout: &mut Layout, first: &ByteRecord) {
        let mut names: Vec<String> = first.iter().map(words).collect();
        if self.usual_fields() == names.len() + 1 {
            if self.is_empty_column(names.len()) {
                names.push(String::new());
            } else {
                names.insert(0, String::new());
                layout.row_names = true;
            }
            layout.columns = self.columns(names.len());
        }
        for (column, name) in layout.columns.iter_mut().zip(names) {
            column.name = Some(name);
        }
    }

    fn mark_empty(&self, layout: &mut Layout) {
        let last = layout.columns.len() - 1;
        let unnamed = layout.columns[last]
            .name
            .as_deref()
            .is_none_or(str::is_empty);
        if last > 0 && unnamed && self.is_empty_column(last) {
            layout.columns[last].kind = ColumnKind::Empty;
        }
    }

    fn is_empty_column(&self, index: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(index));
        cells.all(|cell| cell.trim_ascii().is_empty())
    }
}

#[cfg(test)]
mod tests;
