//! `charta plot`: draws coordinates that are there already, without a fit.

use charta::alignment::Alignment;
use std::path::{Path, PathBuf};

use charta::Labels;
use charta_io::{Content, Table};
use charta_plot::{Format, Pairs, Scatter, Space, strips};
use clap::ArgMatches;

use crate::color::{self, Colors};
use crate::failure::{Failure, Outcome};
use crate::input::{Input, switch, text};
use crate::picture::{FEW_NAMES, USUAL_PAIRS, classes, color_of};
use crate::result::Facts;
use crate::session::Session;
use crate::style::{self, Style};
use crate::{console, output, row_errors};

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let mut input = Input::new(given)?;
    let path = text(given, "output").map(PathBuf::from).ok_or_else(|| {
        Failure::usage(
            "where does the picture go? Add `-o FILE` with a name that ends in .png, .svg or .html",
        )
    })?;
    let format = Format::from_path(&path)?;
    let style = Style::new(given)?;
    let pairs = switch(given, "pairs");
    if pairs {
        check_pairs(&path, given, &style)?;
    }
    let beside = text(given, "table");
    let files: Vec<&str> = input.files(beside.as_deref());
    output::check_file(&path, &files)?;
    let session = Session::new(given)?;
    let mut table = input.read(&session.progress)?;
    let chooses_colors = beside.is_some() || text(given, "color-by").is_some();
    if let (Some(label), false, false) = (
        written_label(&table, text(given, "axes").as_deref()),
        chooses_colors,
        input.is_standard_input(),
    ) {
        session.progress.note(&format!(
            "column {label:?} follows the coordinates and is taken as the label; `--color-by` chooses another"
        ));
        input.options.label = Some(label);
        table = input.read(&session.progress)?;
    }
    let axes = axes(&table, text(given, "axes").as_deref(), pairs)?;
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

/// The label among the columns of numbers, where these are coordinates as a fit writes them: numbered columns of one name from 1
/// on, and a single one after them. Columns that the call draws are no label.
fn written_label(table: &Table, axes: Option<&str>) -> Option<String> {
    let (Content::Features(_), Some(names), None) =
        (&table.content, &table.column_names, &table.labels)
    else {
        return None;
    };
    let (label, coordinates) = names.split_last()?;
    let stem = coordinates.first()?.strip_suffix('1')?;
    let is_numbered = |(place, name): (usize, &String)| *name == format!("{stem}{}", place + 1);
    let known = !stem.is_empty() && coordinates.iter().enumerate().all(is_numbered);
    let goes_on = *label == format!("{stem}{}", names.len());
    let is_drawn = axes.is_some_and(|axes| {
        let number = names.len().to_string();
        axes.split(',')
            .map(str::trim)
            .any(|word| word == label || word == number)
    });
    (known && !goes_on && !is_drawn && label != row_errors::COLUMN).then(|| label.clone())
}

/// Fails for options that a matrix of scatter plots cannot follow.
fn check_pairs(path: &Path, given: &ArgMatches, style: &Style) -> Outcome {
    output::check_pairs_picture(path)?;
    for (is_given, flag) in [
        (switch(given, "label-points"), "label-points"),
        (style.class_names, "class-names"),
    ] {
        if is_given {
            return Err(output::no_names_in_pairs(flag));
        }
    }
    Ok(())
}

/// A column that is drawn.
struct Axis {
    name: String,
    values: Vec<f64>,
}

/// The columns that are drawn: those requested, or the first two, of a matrix the first four.
fn axes(table: &Table, wanted: Option<&str>, pairs: bool) -> Outcome<Vec<Axis>> {
    let Content::Features(features) = &table.content else {
        return Err(Failure::usage(
            "`charta plot` draws coordinates, and was given distances or a kernel",
        ));
    };
    let n_columns = features.view().n_columns();
    let usual = if pairs { USUAL_PAIRS } else { 2 };
    let places: Vec<usize> = match wanted {
        None => (0..n_columns.min(usual)).collect(),
        Some(wanted) => {
            let parts: Vec<&str> = wanted.split(',').map(str::trim).collect();
            let places: Outcome<Vec<usize>> = (parts.iter())
                .map(|part| place(table, part, n_columns))
                .collect();
            check_number(parts.len(), wanted, pairs)?;
            places?
        }
    };
    if pairs && places.len() < 2 {
        return Err(Failure::Usage(format!(
            "`--pairs` needs two columns of numbers at least, and there {} {n_columns}",
            if n_columns == 1 { "is" } else { "are" }
        )));
    }
    let distinct = (1..places.len()).all(|place| !places[..place].contains(&places[place]));
    if places.len() > 2 && !distinct {
        return Err(Failure::Usage(format!(
            "`--axes` takes different columns, got {}",
            wanted.unwrap_or_default()
        )));
    }
    let axis = |place: usize| Axis {
        name: match &table.column_names {
            Some(names) => names[place].clone(),
            None => format!("coordinate {}", place + 1),
        },
        values: color::values(features, place),
    };
    Ok(places.into_iter().map(axis).collect())
}

/// Fails if so many columns cannot be drawn.
fn check_number(n: usize, wanted: &str, pairs: bool) -> Outcome {
    let most = Pairs::MOST;
    if pairs && !(2..=most).contains(&n) {
        return Err(Failure::Usage(format!(
            "`--axes` with `--pairs` takes 2 to {most} columns, such as 1,2,3,4; got {wanted}"
        )));
    }
    if !pairs && n > 3 {
        return Err(Failure::Usage(format!(
            "`--axes` takes one to three columns, such as 1,3 or umap1,umap2, and up to {most} with `--pairs`; got {wanted}"
        )));
    }
    Ok(())
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
        neighbors: None,
        initial: None,
        align_to: None,
        alignment: Alignment::default(),
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
    let label_points = switch(given, "label-points") || named.is_some_and(few);
    let equal_axes = !switch(given, "free-axes");
    if switch(given, "pairs") {
        let columns: Vec<Vec<f64>> = axes.iter().map(|axis| axis.values.clone()).collect();
        let picture = Pairs {
            names: axes.iter().map(|axis| axis.name.clone()).collect(),
            title: facts.name.clone(),
            subtitle: facts.size(),
            color,
            ..Pairs::new(&columns)
        };
        return Ok(style.apply_to_pairs(picture).draw(format)?);
    }
    let finish = |scatter: Scatter<'_>| {
        let picture = style.apply(Scatter {
            title: facts.name.clone(),
            color,
            row_names: table.row_names.as_deref(),
            label_points,
            equal_axes: scatter.equal_axes && equal_axes,
            ..scatter
        });
        Ok(picture.draw(format)?)
    };
    match axes {
        [x, y, z, ..] => {
            let points: Vec<[f64; 3]> = (0..table.n_rows())
                .map(|row| [x, y, z].map(|axis| axis.values[row]))
                .collect();
            let picture = Space {
                title: facts.name.clone(),
                subtitle: facts.size(),
                axes: [x, y, z].map(|axis| axis.name.clone()),
                color,
                row_names: table.row_names.as_deref(),
                label_points,
                equal_axes,
                ..Space::new(&points)
            };
            Ok(style.apply_to_space(picture).draw(format)?)
        }
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
        [only] => {
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
