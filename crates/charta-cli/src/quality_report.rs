//! The quality of an embedding in words, as columns and as pictures.

use std::ops::ControlFlow;
use std::path::Path;

use charta::error::Warning;
use charta::pipeline::Fitted;
use charta::quality::{self, Agreement, Distances, Estimate, Options, Report};
use charta::run::{Event, Observer};
use charta::{Labels, data::Classes};
use charta_io::Table;
use charta_plot::{Curve, Format, Line, Scatter};
use ndarray::{Array2, ArrayView2, Axis};

use crate::error_wording::Words;
use crate::failure::Outcome;
use crate::format::{Side, count, counted, number, table};
use crate::progress::Progress;
use crate::session::Session;
use crate::signals;

/// Correlations of distances below which a note says what they compare.
const UNLIKE: f64 = 0.9;
/// Coordinates whose lengths differ by less than this fraction have no scale of their own.
const SAME_LENGTH: f64 = 1e-6;

/// What was measured of a map.
pub(crate) struct Quality {
    pub(crate) report: Report,
    /// False if all coordinates have the same length: the map says nothing about the size of distances.
    has_scale: bool,
    pub(crate) n_coordinates: usize,
}

impl Quality {
    pub(crate) fn new(report: Report, embedding: &ArrayView2<'_, f64>) -> Self {
        Self {
            report,
            has_scale: has_scale(embedding),
            n_coordinates: embedding.ncols(),
        }
    }

    /// All figures.
    pub(crate) fn in_words(&self) -> String {
        let report = &self.report;
        let mut text = format!("distances in the data: {}\n", metric(report));
        text.push_str(&neighborhoods(report));
        text.push('\n');
        text.push_str(&overall(report, self.has_scale));
        if report.is_sample() {
            text.push_str("± is the standard error of measuring some of the rows.\n");
        }
        if report.distances.pearson.value < UNLIKE {
            text.push_str(
                "Correlation, residual variance and stress compare distances as they are: an embedding that\n\
                 unrolls a curved manifold must differ from them.\n",
            );
        }
        text
    }
}

/// How distances in the data were measured.
fn metric(report: &Report) -> String {
    match report.power {
        Some(power) => format!("{}, power {power}", report.metric),
        None => report.metric.clone(),
    }
}

/// False if the coordinates vary all alike, as vectors of unit length do.
fn has_scale(embedding: &ArrayView2<'_, f64>) -> bool {
    let lengths: Vec<f64> = embedding
        .columns()
        .into_iter()
        .map(|column| {
            let known: Vec<f64> = column.iter().copied().filter(|x| x.is_finite()).collect();
            let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
            known.iter().map(|x| (x - mean).powi(2)).sum()
        })
        .collect();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let is_long = |length: &f64| longest - length <= SAME_LENGTH * longest;
    match lengths.as_slice() {
        [length] => (length - 1.0).abs() > SAME_LENGTH,
        lengths => !lengths.iter().all(is_long),
    }
}

/// The labels, if they are classes; else a note says why they are not used.
pub(crate) fn classes<'a>(table: &'a Table, session: &Session) -> Option<Labels<'a>> {
    let (title, labels) = table.labels.as_ref()?;
    match Classes::of(labels, "quality") {
        Ok(_) => Some(labels.reborrow()),
        Err(_) => {
            session.progress.note(&format!(
                "{title:?} holds no classes: it is not used to evaluate neighbourhoods"
            ));
            None
        }
    }
}

/// Progress without the warning that rows are left out: the fit has warned already.
struct ProgressObserver<'a>(&'a Progress);

impl Observer for ProgressObserver<'_> {
    fn event(&self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Warning(Warning::RowsLeftOut { .. }) => ControlFlow::Continue(()),
            event => self.0.event(event),
        }
    }

    fn wants_stop(&self) -> bool {
        self.0.wants_stop()
    }
}

/// Measures the embedding of a fit, by the metric of the fit. What cannot be measured is noted, and the fit stands.
pub(crate) fn of_fit(
    session: &Session,
    table: &Table,
    fitted: &Fitted,
    embedding: &ArrayView2<'_, f64>,
) -> Outcome<Option<Quality>> {
    if signals::ending() {
        let reason = "the quality was not measured: the layout was interrupted";
        session.progress.note(reason);
        return Ok(None);
    }
    let options = Options {
        labels: classes(table, session),
        ..Options::of_fit(fitted.parameters())?
    };
    let watch = ProgressObserver(&session.progress);
    let run = session.run().observer(&watch);
    match quality::measure(&run, &table.data()?, embedding, &options) {
        Ok(report) => Ok(Some(Quality::new(report, embedding))),
        Err(charta::Error::Cancelled) => Err(charta::Error::Cancelled.into()),
        Err(error) => {
            let problem = Words::plain(|words| error.render(words));
            session.progress.note(&format!(
                "the quality of the embedding was not measured: {problem}"
            ));
            Ok(None)
        }
    }
}

/// How many rows were measured.
pub(crate) fn measured(report: &Report) -> String {
    if report.is_sample() {
        format!(
            "{} of {} measured against all others",
            count(report.n_measured()),
            counted(report.n_rows, "row")
        )
    } else {
        format!("{} measured", counted(report.n_measured(), "row"))
    }
}

/// How many rows were measured, and how many could not be.
pub(crate) fn extent(report: &Report) -> String {
    let mut text = measured(report);
    if report.n_missing > 0 {
        text.push_str(&format!(
            ", {} without coordinates left out",
            counted(report.n_missing, "row")
        ));
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
        heading.extend(["neighbourhood hit (data)", "k-NN accuracy (data)"]);
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

fn overall(report: &Report, has_scale: bool) -> String {
    let (curves, distances) = (&report.co_ranking, &report.distances);
    let mut rows = vec![
        [
            "area under R_NX".to_string(),
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
    ];
    rows.extend(stresses(distances, has_scale));
    if let Some(known) = &report.known {
        let note = format!(
            "of {} after Procrustes superposition on the known coordinates",
            counted(known.n_rows, "row")
        );
        rows.push(["Procrustes disparity".into(), number(known.disparity), note]);
    }
    let rows: Vec<Vec<String>> = rows.into_iter().map(Vec::from).collect();
    table(2, &[Side::Left, Side::Left, Side::Left], &rows)
}

/// The stress; of a map without a scale at its best one only.
fn stresses(distances: &Distances, has_scale: bool) -> Vec<[String; 3]> {
    let line = |name: &str, stress: Estimate, note: &str| [name.into(), shown(stress), note.into()];
    if !has_scale {
        let note = "at the best scale: the embedding has none of its own";
        return vec![line("stress-1", distances.scaled_stress_1, note)];
    }
    vec![
        line("stress-1", distances.stress_1, "as the embedding is"),
        line("", distances.scaled_stress_1, "at the best scale"),
        line("raw stress", distances.raw_stress, ""),
        line("Sammon stress", distances.sammon_stress, ""),
    ]
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
    let lines = [Line::new("R_NX", &values)];
    let picture = Curve {
        title: format!("Neighbourhood preservation: {title}"),
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
        axes: [
            "distance in the data".into(),
            "distance in the embedding".into(),
        ],
        equal_axes: false,
        ..Scatter::new(&points)
    };
    Ok(picture.draw(Format::from_path(path)?)?)
}
