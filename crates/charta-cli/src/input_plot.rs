//! A picture of the input itself: two or three of its columns, with the axes of a linear model, the neighbour graph, and contour
//! lines of a coordinate.

use charta::pipeline::{FeatureLine, FeatureLines, Fitted};
use charta_io::{Content, Table};
use charta_plot::{Contour, Format, Grid, Scatter, Space, Stroke, StrokeLook};
use ndarray::ArrayView1;

use crate::failure::{Failure, Outcome};
use crate::format::counted;
use crate::output::Outputs;
use crate::picture::{Points, classes, color_of, titles};
use crate::result::Finished;
use crate::session::Session;
use crate::word_list;

/// Levels of contour lines, about.
const LEVELS: usize = 11;

/// The columns that are drawn, before they are scaled.
#[derive(Clone, Debug)]
pub(crate) struct InputColumns {
    /// Which, two or three.
    places: Vec<usize>,
    titles: Vec<String>,
    /// Their values; the third is 0 where there are two.
    values: Vec<[f64; 3]>,
}

impl InputColumns {
    /// The columns that the call chooses, or all of a table of two or three.
    pub(crate) fn of(table: &Table, outputs: &Outputs) -> Outcome<Option<Self>> {
        if outputs.input_plot.is_none() {
            return Ok(None);
        }
        let Content::Features(features) = &table.content else {
            return Err(Failure::usage(
                "`--input-plot` draws columns, and was given distances or a kernel",
            ));
        };
        let (view, names) = (features.view(), table.column_names.as_deref());
        let n_columns = view.n_columns();
        if outputs.contours.is_some() && n_columns != 2 {
            return Err(Failure::Usage(format!(
                "`--contours` draws a coordinate over the plane of two input columns, and there are {n_columns}: `--columns` chooses two"
            )));
        }
        let places = match &outputs.input_axes {
            None if (2..=3).contains(&n_columns) => (0..n_columns).collect(),
            None => {
                return Err(Failure::Usage(format!(
                    "`--input-plot` draws two or three columns, and there {} {n_columns}: `--input-axes NAME,NAME` chooses them",
                    if n_columns == 1 { "is" } else { "are" }
                )));
            }
            Some(list) => chosen(list, names, n_columns)?,
        };
        let title = |place: &usize| match names {
            Some(names) => names[*place].clone(),
            None => format!("x{place}"),
        };
        let value = |row: usize, axis: usize| {
            places
                .get(axis)
                .map_or(0.0, |&place| view.value(row, place))
        };
        Ok(Some(Self {
            titles: places.iter().map(title).collect(),
            values: (0..view.n_rows())
                .map(|row| [0, 1, 2].map(|axis| value(row, axis)))
                .collect(),
            places,
        }))
    }
}

fn chosen(list: &str, names: Option<&[String]>, n_columns: usize) -> Outcome<Vec<usize>> {
    let places = word_list::places(list, |word| word_list::place(names, n_columns, word));
    let places = places.map_err(|unknown| {
        Failure::Usage(format!(
            "`--input-axes`: there is no column {unknown:?}: give names, or numbers from 0 to {}",
            n_columns.saturating_sub(1)
        ))
    })?;
    let distinct = (1..places.len()).all(|place| !places[..place].contains(&places[place]));
    if !(2..=3).contains(&places.len()) || !distinct {
        return Err(Failure::Usage(format!(
            "`--input-axes` takes two or three different columns, got {list:?}"
        )));
    }
    Ok(places)
}

/// The picture; the table is scaled already.
pub(crate) fn draw(
    finished: &Finished,
    table: &Table,
    points: &Points,
    outputs: &Outputs,
    session: &Session,
    format: Format,
) -> Outcome<Vec<u8>> {
    let Some(columns) = &points.input else {
        return Err(Failure::usage("`--input-plot` needs all rows at once"));
    };
    let lines = match &table.content {
        Content::Features(features) => finished.fitted.feature_lines(&features.view()),
        _ => FeatureLines::default(),
    };
    let mut notes = vec![finished.facts.size()];
    if columns.places.len() < table.n_columns() {
        notes.push(format!("{} of the columns", columns.places.len()));
    }
    notes.extend(lines.note.iter().cloned());
    notes.extend(points.graph.notes(false));
    let (classes, title) = (
        classes(points.colors.as_ref()),
        format!(
            "Input of {}: {}",
            finished.fitted.entry().info.title,
            finished.facts.name
        ),
    );
    let color = color_of(points.colors.as_ref(), &classes);
    let row_names = points.row_names.as_deref();
    let label_points = points.is_labelled(outputs);
    let style = &outputs.style;
    if let &[x, y, z] = columns.places.as_slice() {
        let mut strokes = points.graph.strokes(&columns.values);
        strokes.extend(lines.lines.iter().map(|line| stroke(line, [x, y, z])));
        let picture = Space {
            title,
            subtitle: notes.join(" · "),
            axes: [0, 1, 2].map(|axis| columns.titles[axis].clone()),
            color,
            row_names,
            label_points,
            edges: &points.graph.edges,
            strokes: &strokes,
            ..Space::new(&columns.values)
        };
        return Ok(style.apply_to_space(picture).draw(format)?);
    }
    let flat: Vec<[f64; 2]> = columns.values.iter().map(|&[x, y, _]| [x, y]).collect();
    let mut strokes = points.graph.strokes(&flat);
    let plane = [columns.places[0], columns.places[1]];
    strokes.extend(lines.lines.iter().map(|line| stroke(line, plane)));
    if let Some(number) = outputs.contours {
        notes.push(format!(
            "contour lines of {}",
            coordinate(&finished.fitted, number)?
        ));
    }
    let mut picture = style.apply(Scatter {
        title,
        subtitle: notes.join(" · "),
        axes: [0, 1].map(|axis| columns.titles[axis].clone()),
        color,
        row_names,
        label_points,
        edges: &points.graph.edges,
        strokes: &strokes,
        ..Scatter::new(&flat)
    });
    let contours;
    if let Some(number) = outputs.contours {
        contours = contour_lines(&finished.fitted, picture.shown()?, plane, number, session)?;
        picture.contours = &contours;
    }
    Ok(picture.draw(format)?)
}

/// The title of a coordinate, counted from 1.
fn coordinate(fitted: &Fitted, number: usize) -> Outcome<String> {
    let titles = titles(fitted);
    match number.checked_sub(1).and_then(|place| titles.get(place)) {
        Some(title) => Ok(title.clone()),
        None => Err(Failure::Usage(format!(
            "`--contours {number}`: the model has {}, counted from 1",
            counted(titles.len(), "coordinate")
        ))),
    }
}

/// Contour lines of a coordinate of new rows all over the plane.
fn contour_lines(
    fitted: &Fitted,
    shown: [[f64; 2]; 2],
    plane: [usize; 2],
    number: usize,
    session: &Session,
) -> Outcome<Vec<Contour>> {
    session.progress.stage("contour lines");
    let over = fitted
        .over_plane(&session.run(), shown, plane, number - 1)
        .map_err(|error| Failure::of_data(error, "the plane of `--contours`"))?;
    let grid = Grid {
        ranges: over.ranges,
        n_columns: over.n_columns,
        values: &over.values,
    };
    Ok(grid.contours(LEVELS))
}

/// A line as it is seen along some of the features.
fn stroke<const N: usize>(line: &FeatureLine, columns: [usize; N]) -> Stroke<N> {
    let seen = |place: ArrayView1<'_, f64>| columns.map(|column| place[column]);
    Stroke {
        name: line.name.clone(),
        places: line.places.rows().into_iter().map(seen).collect(),
        look: if line.is_perpendicular {
            StrokeLook::Perpendicular
        } else {
            StrokeLook::Axis
        },
    }
}
