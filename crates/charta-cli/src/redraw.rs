//! `charta plot`: draws coordinates that are there already, without a fit.

use std::path::PathBuf;

use charta::Labels;
use charta_io::{Content, Table};
use charta_plot::{Format, Scatter, strips};
use clap::ArgMatches;

use crate::color::{self, Colors};
use crate::failure::{Failure, Outcome};
use crate::input::{Input, switch, text};
use crate::picture::{FEW_NAMES, classes, color_of};
use crate::result::Facts;
use crate::session::Session;
use crate::style::{self, Style};
use crate::{console, output};

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let input = Input::new(given)?;
    let path = text(given, "output").map(PathBuf::from).ok_or_else(|| {
        Failure::usage(
            "where does the picture go? Add `-o FILE` with a name that ends in .png, .svg or .html",
        )
    })?;
    let format = Format::from_path(&path)?;
    let style = Style::new(given)?;
    let beside = text(given, "table");
    let files: Vec<&str> = input.files(beside.as_deref());
    output::check_file(&path, &files)?;
    let session = Session::new(given)?;
    let table = input.read(&session.progress)?;
    let axes = axes(&table, text(given, "axes").as_deref())?;
    let colors = match (&beside, text(given, "color-by")) {
        (Some(source), wanted) => {
            colors_beside(source, wanted.as_deref(), &table, &input, &session)?
        }
        (None, wanted) => color::find(wanted.as_deref(), &table, &input)?,
    };
    session.progress.stage("drawing");
    let bytes = draw(&table, &axes, &colors, given, &style, format)?;
    if format == Format::Png {
        let class_names = match &colors {
            Some((_, Labels::Classes { names, .. })) => names.as_ref(),
            _ => &[],
        };
        let row_names = table.row_names.as_deref().unwrap_or_default();
        let texts = class_names.iter().chain(row_names).map(String::as_str);
        let titles = text(given, "title");
        if let Some(note) = style::missing_characters(texts.chain(titles.as_deref())) {
            session.progress.note(&note);
        }
    }
    charta_io::write_atomically(&path, &bytes)?;
    session.progress.finish();
    if session.quiet {
        return Ok(());
    }
    console::print(&format!("wrote {}\n", path.display()))
}

/// A column that is drawn.
struct Axis {
    name: String,
    values: Vec<f64>,
}

/// The columns that are drawn: those requested, or the first two.
fn axes(table: &Table, wanted: Option<&str>) -> Outcome<Vec<Axis>> {
    let Content::Features(features) = &table.content else {
        return Err(Failure::usage(
            "`charta plot` draws coordinates, and was given distances or a kernel",
        ));
    };
    let n_columns = features.view().n_columns();
    let places = match wanted {
        None => (0..n_columns.min(2)).collect(),
        Some(wanted) => {
            let parts: Vec<&str> = wanted.split(',').map(str::trim).collect();
            if !(1..=2).contains(&parts.len()) {
                return Err(Failure::Usage(format!(
                    "`--axes` takes one or two columns, such as 1,3 or umap1,umap2; got {wanted}"
                )));
            }
            parts
                .into_iter()
                .map(|part| place(table, part, n_columns))
                .collect::<Outcome<Vec<usize>>>()?
        }
    };
    let axis = |place: usize| Axis {
        name: match &table.column_names {
            Some(names) => names[place].clone(),
            None => format!("coordinate {}", place + 1),
        },
        values: color::values(features, place),
    };
    Ok(places.into_iter().map(axis).collect())
}

/// A column of numbers by its name, or by its number among them, counted from 1.
fn place(table: &Table, wanted: &str, n_columns: usize) -> Outcome<usize> {
    if let Some(place) = color::place(table.column_names.as_deref(), wanted) {
        return Ok(place);
    }
    match wanted.parse::<usize>() {
        Ok(number) if (1..=n_columns).contains(&number) => Ok(number - 1),
        Ok(_) => Err(Failure::Usage(format!(
            "`--axes` counts the columns of numbers from 1 to {n_columns}, got {wanted}"
        ))),
        Err(_) => {
            let names = table.column_names.as_deref().unwrap_or_default();
            let known = if names.is_empty() {
                "the columns have no names: choose by number from 1".to_owned()
            } else {
                let shown: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
                let more = if names.len() > 8 { ", …" } else { "" };
                format!("the columns of numbers are {}{more}", shown.join(", "))
            };
            Err(Failure::Usage(format!(
                "`--axes`: no column of numbers is named {wanted:?}; {known}"
            )))
        }
    }
}

/// The colours from another table of the same rows: a column of it, or its label.
fn colors_beside(
    source: &str,
    wanted: Option<&str>,
    coordinates: &Table,
    input: &Input,
    session: &Session,
) -> Outcome<Colors> {
    let other = Input {
        source: source.to_owned(),
        sources: vec![source.to_owned()],
        options: charta_io::ReadOptions {
            label: None,
            delimiter: None,
            header: None,
            columns: Vec::new(),
            array: None,
            id: None,
            ..input.options.clone()
        },
        weights: None,
    };
    let table = other.read(&session.progress)?;
    if table.n_rows() != coordinates.n_rows() {
        return Err(Failure::Usage(format!(
            "{source} has {} rows and the coordinates have {}: both must have the same rows, in the same order",
            table.n_rows(),
            coordinates.n_rows()
        )));
    }
    color::find(wanted, &table, &other)
}

fn draw(
    table: &Table,
    axes: &[Axis],
    colors: &Colors,
    given: &ArgMatches,
    style: &Style,
    format: Format,
) -> Outcome<Vec<u8>> {
    let facts = Facts::of("", table);
    let of_row = classes(colors.as_ref());
    let color = color_of(colors.as_ref(), &of_row);
    let few = |names: &Vec<String>| names.len() <= FEW_NAMES;
    let named = table.row_names.as_ref();
    let finish = |scatter: Scatter<'_>| {
        let picture = style.apply(Scatter {
            title: facts.name.clone(),
            color,
            row_names: table.row_names.as_deref(),
            label_points: switch(given, "label-points") || named.is_some_and(few),
            equal_axes: scatter.equal_axes && !switch(given, "free-axes"),
            ..scatter
        });
        Ok(picture.draw(format)?)
    };
    match axes {
        [across, up] => {
            let points: Vec<[f64; 2]> = across
                .values
                .iter()
                .zip(&up.values)
                .map(|(across, up)| [*across, *up])
                .collect();
            finish(Scatter {
                axes: [across.name.clone(), up.name.clone()],
                subtitle: facts.size(),
                ..Scatter::new(&points)
            })
        }
        [only, ..] => {
            let strips = strips(&only.values, &color);
            finish(Scatter {
                axes: [only.name.clone(), String::new()],
                subtitle: format!("{} · spread up and down shows density only", facts.size()),
                marks: &strips.means,
                equal_axes: false,
                levels: &strips.levels,
                ..Scatter::new(&strips.points)
            })
        }
        [] => Err(Failure::usage("there is no column of numbers to draw")),
    }
}
