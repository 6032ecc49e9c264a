//! `charta linear angles`: curvature by the angle sums of triangles.

use charta::dimension::{AngleOptions, AngleSums, Curvature};
use charta::graph::Neighborhood;
use clap::ArgMatches;
use ndarray::Array2;
use serde_json::json;

use super::{Files, Written};
use crate::failure::{Failure, Outcome};
use crate::fit::{scale_features, scaling};
use crate::format::{count, number};
use crate::input::{Input, data_of, text};
use crate::result::Facts;
use crate::session::{Session, seed, whole};

/// Carries out the command.
pub(super) fn run(given: &ArgMatches) -> Outcome {
    let options = options(given)?;
    let input = Input::new(given)?;
    let files = Files {
        given,
        inputs: input.files(None).into_iter().map(String::from).collect(),
        tables: vec![("output", "triangles")],
        html: false,
    };
    files.check()?;
    let session = Session::new(given)?;
    let mut table = input.read(&session.progress)?;
    let facts = Facts::of(&input.source, &table);
    scale_features(scaling(given), &session, &mut table)?;
    let found = AngleSums::of(&session.run(), &data_of(&table)?, &options)
        .map_err(|error| Failure::of_data(error, &table))?;
    files.write("output", || triangles(&found))?;
    let verdict = match found.verdict() {
        Curvature::Positive => "positive",
        Curvature::Negative => "negative",
        _ => "flat",
    };
    let json = json!({
        "data": facts.to_json(),
        "n_triangles": found.triangles.len(),
        "n_failed": found.n_failed,
        "mean": found.mean,
        "standard_deviation": found.deviation,
        "standard_error": found.standard_error,
        "quartiles": found.quartiles,
        "curvature": found.curvature,
        "verdict": verdict,
        "neighbors": found.algorithm,
    });
    files.conclude(&session, || in_words(&found, &facts), json)
}

fn options(given: &ArgMatches) -> Outcome<AngleOptions> {
    let default = AngleOptions::default();
    let count = |name: &str, otherwise: usize| match text(given, name) {
        Some(word) => whole(name, &word),
        None => Ok(otherwise),
    };
    let triangle_size = match text(given, "triangle-size") {
        None => default.triangle_size,
        Some(word) => word.parse().map_err(|_| {
            Failure::Usage(format!(
                "`--triangle-size` must be a number above 0 and at most 1, got {word}"
            ))
        })?,
    };
    Ok(AngleOptions {
        n_triangles: count("n-triangles", default.n_triangles)?,
        dimension: count("dimension", default.dimension)?,
        triangle_size,
        seed: seed(given)?,
        neighborhood: Neighborhood::nearest(count(
            "n-neighbors",
            default.neighborhood.n_neighbors,
        )?),
    })
}

fn in_words(found: &AngleSums, facts: &Facts) -> String {
    let [low, median, high] = found.quartiles.map(number);
    let verdict = match found.verdict() {
        Curvature::Positive => "more than 180°: positive curvature, as on a sphere",
        Curvature::Negative => "less than 180°: negative curvature, as on a saddle",
        _ => "180° within the error: flat, as a plane or a rolled sheet",
    };
    let failed = match found.n_failed {
        0 => String::new(),
        failed => format!("; {} more could not be measured", count(failed)),
    };
    format!(
        "{}\n\nAngle sum: {}° ± {}° (mean of {} triangles and its standard error{failed})\n  {verdict}\n\n  standard deviation  {}°\n  \
         quartiles           {low}°, {median}°, {high}°\n  curvature           {} (excess by area, in 1 / length²)\n",
        facts.sentence(),
        number(found.mean),
        number(found.standard_error),
        count(found.triangles.len()),
        number(found.deviation),
        number(found.curvature)
    )
}

/// A row for each triangle.
fn triangles(found: &AngleSums) -> Written {
    let names = [
        "corner1",
        "corner2",
        "corner3",
        "side1",
        "side2",
        "side3",
        "angle1",
        "angle2",
        "angle3",
        "angle_sum",
    ];
    let mut values = Array2::zeros((found.triangles.len(), names.len()));
    for (triangle, mut row) in found.triangles.iter().zip(values.rows_mut()) {
        let corners = triangle.corners.map(|corner| corner as f64);
        let numbers = corners
            .iter()
            .chain(&triangle.sides)
            .chain(&triangle.angles);
        for (target, &value) in row.iter_mut().zip(numbers) {
            *target = value;
        }
        row[9] = triangle.angle_sum();
    }
    Written {
        names: names.map(String::from).to_vec(),
        values,
        row_names: None,
        title: "",
    }
}
