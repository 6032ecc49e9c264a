//! `charta linear line`: a line of one's choice through the data, beside the best.

use charta::linear::{Line, LineFit};
use charta_plot::{Scatter, Stroke, StrokeLook};
use clap::ArgMatches;
use serde_json::{Value as Json, json};

use super::matrix::nested;
use super::{Files, Written, column_names, numbers, row_names};
use crate::color;
use crate::failure::{Failure, Outcome};
use crate::format::{Side, number, percent, table};
use crate::input::{Input, data_of, text};
use crate::picture::{classes, color_of};
use crate::result::Facts;
use crate::session::Session;

/// Feet that are drawn at most.
const MOST_FEET: usize = 2000;
/// How far a line reaches beyond the outermost foot.
const BEYOND: f64 = 0.08;

/// Carries out the command.
pub(super) fn run(given: &ArgMatches) -> Outcome {
    let input = Input::new(given)?;
    let files = Files {
        given,
        inputs: input.files(None).into_iter().map(String::from).collect(),
        tables: vec![("output", "feet of the perpendiculars")],
        html: true,
    };
    files.check()?;
    let direction = numbers("direction", &text(given, "direction").unwrap_or_default())?;
    let through = text(given, "through")
        .map(|point| numbers("through", &point))
        .transpose()?;
    let session = Session::new(given)?;
    let read = input.read(&session.progress)?;
    let facts = Facts::of(&input.source, &read);
    if text(given, "plot").is_some() && facts.n_columns != 2 {
        return Err(Failure::Usage(format!(
            "`--plot` shows two columns, and {} has {}: choose two with `--columns`",
            facts.name, facts.n_columns
        )));
    }
    let found = LineFit::of(
        &session.run(),
        &data_of(&read)?,
        &direction,
        through.as_deref(),
    )
    .map_err(|error| Failure::of_data(error, &read))?;
    let columns = column_names(&read);
    files.draw(|format| {
        let points: Vec<[f64; 2]> = points(&read)?;
        let colors = color::find(None, &read, &input)?;
        let of_row = classes(colors.as_ref());
        let strokes = strokes(&found, &points);
        let picture = Scatter {
            title: format!("{}: a chosen line and the best", facts.name),
            subtitle: format!(
                "squared error {} chosen (blue), {} best (dark)",
                number(found.chosen.error),
                number(found.best.error)
            ),
            axes: [columns[0].clone(), columns[1].clone()],
            color: color_of(colors.as_ref(), &of_row),
            strokes: &strokes,
            ..Scatter::new(&points)
        };
        Ok(picture.draw(format)?)
    })?;
    let feet = found.chosen.feet();
    files.write("output", || {
        Written::named(columns.clone(), feet.clone(), "row", row_names(&read))
    })?;
    let json = json!({
        "data": facts.to_json(),
        "columns": columns,
        "chosen": line_json(&found.chosen),
        "best": line_json(&found.best),
        "total": found.total,
        "ratio": found.chosen.error / found.best.error,
        "angle": found.angle(),
        "feet": nested(given, &feet),
    });
    files.conclude(&session, || in_words(&found, &facts, &columns), json)
}

fn line_json(line: &Line) -> Json {
    json!({
        "through": line.through.to_vec(),
        "direction": line.direction.to_vec(),
        "error": line.error,
    })
}

fn in_words(found: &LineFit, facts: &Facts, columns: &[String]) -> String {
    let vector = |values: &ndarray::Array1<f64>| {
        let few: Vec<String> = values.iter().take(6).map(|&value| number(value)).collect();
        let more = if values.len() > 6 { ", …" } else { "" };
        format!("({}{more})", few.join(", "))
    };
    let row = |name: &str, line: &Line| {
        vec![
            name.to_owned(),
            number(line.error),
            percent(1.0 - line.error / found.total),
            vector(&line.direction),
            vector(&line.through),
        ]
    };
    let heading = ["line", "squared error", "explained", "direction", "through"];
    let mut rows = vec![heading.map(String::from).to_vec()];
    rows.push(row("chosen", &found.chosen));
    rows.push(row("best", &found.best));
    let sides = [Side::Left, Side::Right, Side::Right, Side::Left, Side::Left];
    format!(
        "{}\n\n{}\nThe chosen line misses {} times what the best does; between them are {}°. Columns: {}\n",
        facts.sentence(),
        table(2, &sides, &rows),
        number(found.chosen.error / found.best.error),
        number(found.angle()),
        crate::format::in_short(columns)
    )
}

fn points(read: &charta_io::Table) -> Outcome<Vec<[f64; 2]>> {
    let charta_io::Content::Features(features) = &read.content else {
        return Err(Failure::usage("a line needs features"));
    };
    let view = features.view();
    let rows = 0..view.n_rows();
    Ok(rows
        .map(|row| [view.value(row, 0), view.value(row, 1)])
        .collect())
}

/// Both lines, and the perpendiculars onto the chosen one.
fn strokes(found: &LineFit, points: &[[f64; 2]]) -> Vec<Stroke> {
    let feet = found.chosen.feet();
    let perpendiculars = points.iter().zip(feet.rows()).take(MOST_FEET);
    let mut strokes: Vec<Stroke> = perpendiculars
        .map(|(point, foot)| Stroke {
            name: String::new(),
            places: vec![*point, [foot[0], foot[1]]],
            look: StrokeLook::Perpendicular,
        })
        .collect();
    let whole = |name: &str, line: &Line, look| {
        let ends = line
            .positions
            .iter()
            .fold([0.0_f64; 2], |[low, high], &position| {
                [low.min(position), high.max(position)]
            });
        let [low, high] = ends.map(|end| (1.0 + BEYOND) * end);
        let at =
            |position: f64| [0, 1].map(|axis| line.through[axis] + position * line.direction[axis]);
        Stroke {
            name: name.into(),
            places: vec![at(low), at(high)],
            look,
        }
    };
    strokes.push(whole("best", &found.best, StrokeLook::Axis));
    strokes.push(whole("chosen", &found.chosen, StrokeLook::Vector));
    strokes
}
