//! The quality of a map in words, as columns and as pictures.

use std::path::Path;

use charta::quality::{self, Agreement, Estimate, Options, Report};
use charta::{Labels, data::Classes};
use charta_io::Table;
use charta_plot::{Curve, Format, Line, Scatter};
use ndarray::{Array2, ArrayView2, Axis};

use crate::failure::Outcome;
use crate::session::Session;
use crate::wording::{Side, count, counted, number, table};

/// Parameters as they are typed here.
pub(crate) fn flags(text: &str) -> String {
    text.replace("`n_neighbors`", "`--n-neighbors`")
}

/// The labels, if they are classes; else it is told why they are not used.
pub(crate) fn classes<'a>(table: &'a Table, session: &Session) -> Option<Labels<'a>> {
    let (title, labels) = table.labels.as_ref()?;
    match Classes::of(labels, "quality") {
        Ok(_) => Some(labels.reborrow()),
        Err(_) => {
            session.progress.note(&format!(
                "{title:?} holds no classes: it is not used to judge neighbourhoods"
            ));
            None
        }
    }
}

/// Measures the map that a fit made. What cannot be measured is told, and the fit stands.
pub(crate) fn of_fit(
    session: &Session,
    table: &Table,
    embedding: &ArrayView2<'_, f64>,
) -> Outcome<Option<Report>> {
    let options = Options {
        labels: classes(table, session),
        ..Options::default()
    };
    match quality::measure(&session.run(), &table.data()?, embedding, &options) {
        Ok(report) => Ok(Some(report)),
        Err(charta::Error::Cancelled) => Err(charta::Error::Cancelled.into()),
        Err(error) => {
            session
                .progress
                .note(&format!("the quality of the map was not measured: {error}"));
            Ok(None)
        }
    }
}

/// How many rows were measured.
pub(crate) fn extent(report: &Report) -> String {
    let measured = count(report.n_measured());
    let mut text = if report.is_sample() {
        format!(
            "{measured} of {} measured against all others",
            counted(report.n_rows, "row")
        )
    } else {
        format!("{} measured", counted(report.n_measured(), "row"))
    };
    if report.n_missing > 0 {
        text.push_str(&format!(
            ", {} without a place left out",
            counted(report.n_missing, "row")
        ));
    }
    text
}

/// All figures.
pub(crate) fn in_words(report: &Report) -> String {
    let mut text = neighborhoods(report);
    text.push('\n');
    text.push_str(&overall(report));
    if report.is_sample() {
        text.push_str("± is the standard error of measuring some of the rows.\n");
    }
    text
}

/// A number with its error, if it has one.
fn shown(estimate: Estimate) -> String {
    if estimate.error > 0.0 {
        format!("{} ± {:.1e}", number(estimate.value), estimate.error)
    } else {
        number(estimate.value)
    }
}

fn neighborhoods(report: &Report) -> String {
    let has_classes = report.agreements.iter().any(|of| of.classes.is_some());
    let mut heading = vec![
        "neighbours",
        "trustworthiness",
        "continuity",
        "shared (Q_NX)",
        "R_NX",
    ];
    if has_classes {
        heading.extend(["same class (data)", "class told (data)"]);
    }
    let mut rows = vec![heading.iter().map(ToString::to_string).collect::<Vec<_>>()];
    rows.extend(report.agreements.iter().map(line));
    let sides: Vec<Side> = (0..heading.len())
        .map(|column| if column == 0 { Side::Left } else { Side::Right })
        .collect();
    table(2, &sides, &rows)
}

fn line(of: &Agreement) -> Vec<String> {
    let mut cells = vec![
        count(of.n_neighbors),
        shown(of.trustworthiness),
        shown(of.continuity),
        shown(of.q_nx),
        number(of.r_nx),
    ];
    if let Some(classes) = &of.classes {
        let pair =
            |map: Estimate, data: Estimate| format!("{} ({})", shown(map), number(data.value));
        cells.push(pair(classes.hit, classes.data_hit));
        cells.push(pair(classes.accuracy, classes.data_accuracy));
    }
    cells
}

fn overall(report: &Report) -> String {
    let (curves, distances) = (&report.co_ranking, &report.distances);
    let mut rows = vec![
        [
            "area below R_NX".to_string(),
            shown(curves.area),
            "0 chance, 1 perfect; K on a logarithmic axis".into(),
        ],
        [
            "local quality".into(),
            number(curves.q_local),
            format!("mean Q_NX up to K = {}", count(curves.k_max)),
        ],
        [
            "global quality".into(),
            number(curves.q_global),
            "mean Q_NX beyond".into(),
        ],
        [
            "correlation of distances".into(),
            shown(distances.pearson),
            "Pearson".into(),
        ],
        [
            String::new(),
            shown(distances.spearman),
            format!("Spearman, {}", counted(distances.n_pairs, "pair")),
        ],
        [
            "residual variance".into(),
            shown(distances.residual_variance),
            "1 − Pearson²".into(),
        ],
        [
            "stress-1".into(),
            shown(distances.stress_1),
            "as the map is".into(),
        ],
        [
            String::new(),
            shown(distances.scaled_stress_1),
            "at its best scale".into(),
        ],
        [
            "raw stress".into(),
            shown(distances.raw_stress),
            String::new(),
        ],
        [
            "Sammon stress".into(),
            shown(distances.sammon_stress),
            String::new(),
        ],
    ];
    if let Some(known) = &report.known {
        let note = format!(
            "share left of {} laid over what is known",
            counted(known.n_rows, "row")
        );
        rows.push(["Procrustes disparity".into(), number(known.disparity), note]);
    }
    let rows: Vec<Vec<String>> = rows.into_iter().map(Vec::from).collect();
    table(2, &[Side::Left, Side::Left, Side::Left], &rows)
}

/// A column for each figure that rows have: empty where a row was not measured.
pub(crate) fn columns(report: &Report) -> (Vec<String>, Array2<f64>) {
    let columns = report.point_columns();
    let mut values = Array2::zeros((report.n_rows, columns.len()));
    let mut names = Vec::new();
    for (mut target, (name, column)) in values.axis_iter_mut(Axis(1)).zip(columns) {
        target.assign(&column);
        names.push(name);
    }
    (names, values)
}

/// R_NX over the size of neighbourhoods.
pub(crate) fn draw_curve(report: &Report, title: &str, path: &Path) -> Outcome<Vec<u8>> {
    let values = report.co_ranking.r_nx.to_vec();
    let lines = [Line {
        name: "R_NX".into(),
        values: &values,
    }];
    let picture = Curve {
        title: format!("Neighbourhoods kept: {title}"),
        subtitle: format!(
            "area {} · {}",
            shown(report.co_ranking.area),
            extent(report)
        ),
        axes: ["neighbours K".into(), "R_NX: 0 chance, 1 perfect".into()],
        logarithmic_steps: true,
        ..Curve::new(&lines)
    };
    Ok(picture.draw(Format::from_path(path)?)?)
}

/// Distances before and after.
pub(crate) fn draw_shepard(report: &Report, title: &str, path: &Path) -> Outcome<Vec<u8>> {
    let points: Vec<[f64; 2]> = report
        .shepard
        .rows()
        .into_iter()
        .map(|pair| [pair[0], pair[1]])
        .collect();
    let distances = &report.distances;
    let picture = Scatter {
        title: format!("Shepard diagram: {title}"),
        subtitle: format!(
            "{} · Pearson {}, Spearman {}",
            counted(points.len(), "pair"),
            number(distances.pearson.value),
            number(distances.spearman.value)
        ),
        axes: ["distance in the data".into(), "distance in the map".into()],
        equal_axes: false,
        ..Scatter::new(&points)
    };
    Ok(picture.draw(Format::from_path(path)?)?)
}
