//! A matrix of a call: from a file, or written in the call itself; and matrices as people read them.

use std::path::Path;

use charta_io::{Content, Table};
use clap::ArgMatches;
use ndarray::Array2;
use serde_json::{Value as Json, json};

use super::{column_names, row_names, unnamed};
use crate::error_wording::Origin;
use crate::failure::{Failure, Outcome};
use crate::format::{Side, counted, number, table};
use crate::input::Input;
use crate::output::{Detail, detail};
use crate::result::short_name;
use crate::session::Session;

/// Rows and columns of a matrix that are shown.
const MOST_ROWS: usize = 12;
const MOST_COLUMNS: usize = 8;
/// Numbers of a matrix that a brief JSON report has.
const MOST_IN_JSON: usize = 10_000;

/// A matrix with the names of its rows and columns.
pub(super) struct Matrix {
    pub(super) values: Array2<f64>,
    pub(super) rows: Vec<String>,
    pub(super) columns: Vec<String>,
    /// What it is called.
    pub(super) name: String,
    /// Where it stands, for messages.
    pub(super) origin: Origin,
    /// The label column, if there is one.
    pub(super) label: Option<(String, charta::Labels<'static>)>,
    /// Files it was read from.
    pub(super) files: Vec<String>,
}

impl Matrix {
    /// The matrix of the call, as it is written there or from a file.
    pub(super) fn read(given: &ArgMatches, session: &Session) -> Outcome<Self> {
        let input = Input::new(given)?;
        match Self::written(&input.source)? {
            Some(matrix) => Ok(matrix),
            None => Self::of(&input, session),
        }
    }

    /// A matrix as it is written in a call: `3 5; 2 1`. `None` for the name of a file.
    pub(super) fn written(text: &str) -> Outcome<Option<Self>> {
        let bare = text.trim();
        let bare = bare
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .unwrap_or(bare);
        let is_number = |word: &str| word.parse::<f64>().is_ok();
        let lines: Vec<Vec<&str>> = bare
            .split(';')
            .map(|line| {
                line.split(|c: char| c == ',' || c.is_whitespace())
                    .filter(|word| !word.is_empty())
                    .collect()
            })
            .filter(|line: &Vec<&str>| !line.is_empty())
            .collect();
        let is_list = bare.contains(';') || lines.iter().flatten().all(|word| is_number(word));
        if lines.is_empty() || !is_list || Path::new(text).exists() {
            return Ok(None);
        }
        let wrong = lines.iter().flatten().find(|word| !is_number(word));
        if let Some(word) = wrong {
            return Err(Failure::Usage(format!(
                "{text:?}: {word:?} is not a number; a matrix is written as rows between semicolons: \"3 5; 2 1\""
            )));
        }
        let width = lines[0].len();
        if let Some(place) = lines.iter().position(|line| line.len() != width) {
            return Err(Failure::Usage(format!(
                "{text:?}: row {} has {}, and the first has {width}; rows are separated by semicolons: \"3 5; 2 1\"",
                place + 1,
                counted(lines[place].len(), "number")
            )));
        }
        let entry = |(i, j): (usize, usize)| lines[i][j].parse().unwrap_or(f64::NAN);
        let values = Array2::from_shape_fn((lines.len(), width), entry);
        Ok(Some(Self {
            rows: (0..values.nrows()).map(|row| row.to_string()).collect(),
            columns: unnamed(width),
            values,
            name: "the matrix".into(),
            origin: Origin::default(),
            label: None,
            files: Vec::new(),
        }))
    }

    /// A matrix from a file.
    pub(super) fn of(input: &Input, session: &Session) -> Outcome<Self> {
        let table = input.read(&session.progress)?;
        Self::of_table(input, &table)
    }

    fn of_table(input: &Input, table: &Table) -> Outcome<Self> {
        let Content::Features(features) = &table.content else {
            return Err(Failure::usage("a matrix of numbers is needed"));
        };
        let view = features.view();
        Ok(Self {
            values: view.dense_rows(0, view.n_rows()),
            rows: row_names(table),
            columns: column_names(table),
            name: short_name(&table.name),
            origin: Origin::from(table),
            label: table.labels.clone(),
            files: input.files(None).into_iter().map(String::from).collect(),
        })
    }

    /// Its name and size.
    pub(super) fn sentence(&self) -> String {
        let (rows, columns) = self.values.dim();
        format!(
            "{}: {} × {}",
            self.name,
            counted(rows, "row"),
            counted(columns, "column")
        )
    }

    pub(super) fn to_json(&self) -> Json {
        json!({
            "name": self.name,
            "n_rows": self.values.nrows(),
            "n_columns": self.values.ncols(),
        })
    }

    /// An error of the library about this matrix.
    pub(super) fn failed(&self, error: charta::Error) -> Failure {
        Failure::of_data(error, self.origin.clone())
    }
}

/// A matrix with titles, as lines; of a large one the first rows and columns.
pub(super) fn shown(values: &Array2<f64>, rows: &[String], columns: &[String]) -> String {
    let (n_rows, n_columns) = values.dim();
    let (height, width) = (n_rows.min(MOST_ROWS), n_columns.min(MOST_COLUMNS));
    let mut lines = vec![
        std::iter::once(String::new())
            .chain(columns[..width].iter().cloned())
            .collect::<Vec<_>>(),
    ];
    for (row, name) in rows.iter().enumerate().take(height) {
        let cells = (0..width).map(|column| number(values[[row, column]]));
        lines.push(std::iter::once(name.clone()).chain(cells).collect());
    }
    let sides: Vec<Side> = std::iter::once(Side::Left)
        .chain(std::iter::repeat_n(Side::Right, width))
        .collect();
    let mut text = table(2, &sides, &lines);
    if (height, width) != (n_rows, n_columns) {
        text.push_str(&format!(
            "  … the first of {} and {}: `-o FILE` writes all\n",
            counted(n_rows, "row"),
            counted(n_columns, "column")
        ));
    }
    text
}

/// A matrix as JSON, row by row; none for a large one unless a full report is requested.
pub(super) fn nested(given: &ArgMatches, values: &Array2<f64>) -> Json {
    if values.len() > MOST_IN_JSON && detail(given) != Some(Detail::Full) {
        return Json::Null;
    }
    values
        .rows()
        .into_iter()
        .map(|row| row.to_vec())
        .collect::<Vec<_>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Option<Array2<f64>> {
        Matrix::written(text).unwrap().map(|matrix| matrix.values)
    }

    #[test]
    fn matrices_are_read_as_they_are_written() {
        let expected = ndarray::array![[3.0, 5.0], [-2.0, 1e-3]];
        for text in ["3 5; -2 1e-3", "[3,5;-2,0.001]", "3, 5;\t-2  0.001;"] {
            assert_eq!(written(text).unwrap(), expected, "{text}");
        }
        assert_eq!(written("1 2 3").unwrap().dim(), (1, 3));
        assert_eq!(written("iris"), None);
        assert_eq!(written("table.csv"), None);
        assert!(Matrix::written("1 2; 3").is_err());
        assert!(Matrix::written("1 2; 3 x").is_err());
    }
}
