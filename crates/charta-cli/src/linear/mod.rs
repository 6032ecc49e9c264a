//! `charta linear`: what linear algebra says of matrices and of data.

mod angles;
mod decompositions;
mod least_squares;
mod line;
mod matrix;
mod normality;
mod second_moments;

use std::path::{Path, PathBuf};

use charta_io::Table;
use clap::ArgMatches;
use ndarray::Array2;
use serde_json::Value as Json;

use crate::cli::linear as commands;
use crate::failure::{Failure, Outcome};
use crate::format::seconds;
use crate::input::text;
use crate::output::{check_file, check_picture, check_table, detail};
use crate::session::Session;
use crate::{console, summary};

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    match given.subcommand() {
        Some((commands::EIGEN, given)) => decompositions::eigen(given),
        Some((commands::SVD, given)) => decompositions::svd(given),
        Some((commands::PSEUDO_INVERSE, given)) => decompositions::pseudo_inverse(given),
        Some((commands::LEAST_SQUARES, given)) => least_squares::run(given),
        Some((commands::LINE, given)) => line::run(given),
        Some((commands::ANGLES, given)) => angles::run(given),
        Some((commands::NORMALITY, given)) => normality::run(given),
        Some((name, given)) => second_moments::run(name, given),
        None => Err(Failure::usage(
            "a command is needed: see `charta linear --help`",
        )),
    }
}

/// A table that is written.
struct Written {
    names: Vec<String>,
    values: Array2<f64>,
    row_names: Option<Vec<String>>,
    /// What the row names are.
    title: &'static str,
}

impl Written {
    /// Numbers with a name for every row and column.
    fn named(
        names: Vec<String>,
        values: Array2<f64>,
        title: &'static str,
        row_names: Vec<String>,
    ) -> Self {
        Self {
            names,
            values,
            row_names: Some(row_names),
            title,
        }
    }

    fn to(&self, path: &Path) -> Outcome {
        crate::signals::check()?;
        let output = charta_io::Output {
            names: self.names.clone(),
            values: self.values.view(),
            single: false,
            row_names: self.row_names.as_deref(),
            id_title: Some(self.title),
            predicted: None,
            labels: None,
        };
        Ok(charta_io::write(path, &output)?)
    }
}

/// The files that a call names, by their flags.
struct Files<'a> {
    given: &'a ArgMatches,
    inputs: Vec<String>,
    /// Tables, each with what it holds.
    tables: Vec<(&'static str, &'static str)>,
    /// True if the picture may be a page.
    html: bool,
}

impl Files<'_> {
    fn path(&self, flag: &str) -> Option<PathBuf> {
        text(self.given, flag).map(PathBuf::from)
    }

    /// Fails for every reason that is known before the run.
    fn check(&self) -> Outcome {
        let inputs: Vec<&str> = self.inputs.iter().map(String::as_str).collect();
        let mut taken: Vec<(&str, PathBuf)> = Vec::new();
        for (flag, _) in self.tables.iter().chain(&[("plot", "plot")]) {
            let Some(path) = self.path(flag) else {
                continue;
            };
            if *flag == "plot" {
                check_picture(&path, self.html)?;
                check_file(&path, &inputs)?;
            } else {
                check_table(&path, &inputs)?;
            }
            if let Some((other, _)) = taken.iter().find(|(_, other)| *other == path) {
                return Err(Failure::Usage(format!(
                    "{}: `--{other}` and `--{flag}` have this name; choose another for one of them",
                    path.display()
                )));
            }
            taken.push((flag, path));
        }
        let to_standard_output = taken.iter().any(|(_, path)| path == Path::new("-"));
        if detail(self.given).is_some() && to_standard_output {
            return Err(Failure::usage(
                "`--json` and a table on standard output both use it: write the table to a file",
            ));
        }
        Ok(())
    }

    /// Writes the picture, if one is requested.
    fn draw(&self, draw: impl FnOnce(charta_plot::Format) -> Outcome<Vec<u8>>) -> Outcome {
        let Some(path) = self.path("plot") else {
            return Ok(());
        };
        let bytes = draw(charta_plot::Format::from_path(&path)?)?;
        Ok(charta_io::write_atomically(&path, &bytes)?)
    }

    /// Writes a table, if it is requested.
    fn write(&self, flag: &str, table: impl FnOnce() -> Written) -> Outcome {
        match self.path(flag) {
            Some(path) => table().to(&path),
            None => Ok(()),
        }
    }

    /// Prints the answer, in words or as JSON, with the files written.
    fn conclude(&self, session: &Session, words: impl FnOnce() -> String, json: Json) -> Outcome {
        session.progress.finish();
        let named: Vec<(&'static str, PathBuf)> = self
            .tables
            .iter()
            .copied()
            .chain([("plot", "plot")])
            .filter_map(|(flag, what)| Some((what, self.path(flag)?)))
            .collect();
        if detail(self.given).is_some() {
            let mut json = json;
            json["warnings"] = session.progress.warnings().into();
            json["seconds"] = session.progress.seconds().into();
            let files = named.iter().map(|(_, path)| path.display().to_string());
            json["files"] = files.collect::<Vec<_>>().into();
            return console::print_json(&json);
        }
        if session.quiet || named.iter().any(|(_, path)| path == Path::new("-")) {
            return Ok(());
        }
        let files = named.iter().map(|(what, path)| (*what, path.as_path()));
        console::print(&format!(
            "{}\n{}\n{}",
            words(),
            seconds(session.progress.seconds()),
            summary::wrote(files)
        ))
    }
}

/// Names of columns that have none: their numbers, counted from 0.
fn unnamed(count: usize) -> Vec<String> {
    (0..count).map(|place| format!("x{place}")).collect()
}

/// Names of a table's columns: its own, or their numbers.
fn column_names(table: &Table) -> Vec<String> {
    match &table.column_names {
        Some(names) => names.clone(),
        None => unnamed(table.n_columns()),
    }
}

/// Names of a table's rows: its own, or their numbers, counted from 0.
fn row_names(table: &Table) -> Vec<String> {
    match &table.row_names {
        Some(names) => names.clone(),
        None => (0..table.n_rows()).map(|row| row.to_string()).collect(),
    }
}

/// A stem with the numbers from 1.
fn numbered(stem: &str, count: usize) -> Vec<String> {
    (1..=count)
        .map(|number| format!("{stem}{number}"))
        .collect()
}

/// Numbers between commas.
fn numbers(flag: &str, text: &str) -> Outcome<Vec<f64>> {
    let parts = text.split(',').map(|word| word.trim().parse::<f64>());
    parts.collect::<Result<_, _>>().map_err(|_| {
        Failure::Usage(format!(
            "`--{flag}` takes numbers between commas, such as 1,0.3; got {text:?}"
        ))
    })
}
