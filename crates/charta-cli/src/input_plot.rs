//! A picture of the input itself: two or three of its columns, with the axes of a linear model, the neighbour graph, and contour
//! lines of a coordinate.

use charta::Data;
use charta::data::Scaling;
use charta::method;
use charta::pipeline::Fitted;
use charta_io::{Content, Table};
use charta_plot::{Contour, Format, Grid, Scatter, Space, Stroke, StrokeLook};
use ndarray::{Array1, Array2, ArrayView1};

use crate::failure::{Failure, Outcome};
use crate::format::counted;
use crate::output::Outputs;
use crate::picture::{Points, classes, color_of, titles};
use crate::result::Finished;
use crate::session::Session;
use crate::{format, word_list};

/// Axes that are drawn at most.
const MOST_AXES: usize = 3;
/// Standard deviations that an axis reaches to both sides of the mean.
const REACH: f64 = 2.0;
/// Rows whose perpendiculars are drawn at most.
const MOST_FEET: usize = 5000;
/// Points of the grid on which contour lines are found, across and up.
const GRID: [usize; 2] = [96, 72];
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

/// Lines in the space of the features, in the units of the input.
#[derive(Default)]
struct FeatureLines {
    lines: Vec<FeatureLine>,
    notes: Vec<String>,
}

/// A line through the features.
struct FeatureLine {
    name: String,
    /// A row for each place.
    places: Array2<f64>,
    look: StrokeLook,
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
    let lines = axes(&finished.fitted, table);
    let mut notes = vec![finished.facts.size()];
    if columns.places.len() < table.n_columns() {
        notes.push(format!("{} of the columns", columns.places.len()));
    }
    notes.extend(lines.notes.iter().cloned());
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
        strokes.extend(lines.lines.iter().map(|line| line.stroke([x, y, z])));
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
    strokes.extend(lines.lines.iter().map(|line| line.stroke(plane)));
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
    let ranges = if fitted.entry().info.takes(method::Input::Nonnegative) {
        shown.map(|[low, high]| [low.max(0.0), high])
    } else {
        shown
    };
    let at = |axis: usize, number: usize| {
        let ([low, high], share) = (ranges[axis], number as f64 / (GRID[axis] - 1) as f64);
        low * (1.0 - share) + high * share
    };
    let rows = Array2::from_shape_fn((GRID[0] * GRID[1], 2), |(index, column)| {
        if column == plane[0] {
            at(0, index % GRID[0])
        } else {
            at(1, index / GRID[0])
        }
    });
    let coordinates = fitted
        .transform(&session.run(), &Data::from(&rows))
        .map_err(|error| Failure::of_data(error, "the plane of `--contours`"))?;
    let values = coordinates.column(number - 1).to_vec();
    let grid = Grid {
        ranges,
        n_columns: GRID[0],
        values: &values,
    };
    Ok(grid.contours(LEVELS))
}

impl FeatureLine {
    /// The line as it is seen along some of the features.
    fn stroke<const N: usize>(&self, columns: [usize; N]) -> Stroke<N> {
        let seen = |place: ArrayView1<'_, f64>| columns.map(|column| place[column]);
        Stroke {
            name: self.name.clone(),
            places: self.places.rows().into_iter().map(seen).collect(),
            look: self.look,
        }
    }
}

/// The axes of a model through the mean of the rows; with a single coordinate of two columns, the line that it runs along, and
/// the foot of each row on it.
fn axes(fitted: &Fitted, table: &Table) -> FeatureLines {
    let mut found = FeatureLines::default();
    let (Some(axes), Content::Features(features)) = (fitted.model().axes(), &table.content) else {
        return found;
    };
    let view = features.view();
    let by_length = |scaler: &charta::data::Scaler| scaler.kind() == Scaling::UnitNorm;
    // Axes of views lie in different spaces.
    let has_views = fitted.model().as_views().is_some();
    if has_views || axes.ncols() != view.n_columns() || fitted.scaler().is_some_and(by_length) {
        return found;
    }
    let rows: Vec<Array1<f64>> = (0..view.n_rows())
        .map(|row| Array1::from_shape_fn(view.n_columns(), |column| view.value(row, column)))
        .filter(|row| row.iter().all(|value| value.is_finite()))
        .collect();
    let n = rows.len() as f64;
    let mean = rows
        .iter()
        .fold(Array1::zeros(view.n_columns()), |sum: Array1<f64>, row| {
            sum + row
        })
        / n;
    let unscaled = |places: Array2<f64>| match fitted.scaler() {
        Some(scaler) => scaler.undo(places),
        None => places,
    };
    let names = fitted.component_names();
    let is_line = fitted.model().n_components() == 1 && view.n_columns() == 2;
    for (axis, name) in axes.rows().into_iter().zip(names).take(MOST_AXES) {
        let length = axis.dot(&axis).sqrt();
        if !(length > 0.0 && length.is_finite()) || rows.is_empty() {
            continue;
        }
        let direction = axis.to_owned() / length;
        let along: Vec<f64> = rows
            .iter()
            .map(|row| direction.dot(&(row - &mean)))
            .collect();
        let at = |distance: f64| &mean + &(&direction * distance);
        let two = |from: &Array1<f64>, to: &Array1<f64>| {
            let both = [from.view(), to.view()];
            unscaled(ndarray::stack(ndarray::Axis(0), &both).expect("both have all features"))
        };
        if is_line {
            let ends = along.iter().fold([0.0f64; 2], |[low, high], value| {
                [low.min(*value), high.max(*value)]
            });
            let feet = rows.iter().zip(&along).take(MOST_FEET);
            found.lines.extend(feet.map(|(row, distance)| FeatureLine {
                name: String::new(),
                places: two(row, &at(*distance)),
                look: StrokeLook::Perpendicular,
            }));
            let [low, high] = ends.map(|end| 1.08 * end);
            found.lines.push(FeatureLine {
                name,
                places: two(&at(low), &at(high)),
                look: StrokeLook::Axis,
            });
            found
                .notes
                .push("line through the mean, with the feet of the perpendiculars".into());
        } else {
            let variance = along.iter().map(|value| value * value).sum::<f64>() / n;
            let reach = REACH * variance.sqrt();
            found.lines.push(FeatureLine {
                name,
                places: two(&at(-reach), &at(reach)),
                look: StrokeLook::Axis,
            });
        }
    }
    if !is_line && !found.lines.is_empty() {
        let reach = format::number(REACH).replace(".000", "");
        found
            .notes
            .push(format!("axes: mean ± {reach} standard deviations"));
    }
    found
}
