//! A method's command: read, scale, fit, write.

use charta::data::{Scaler, Scaling};
use charta::method::{self, Capability, LabelUse};
use charta::params::{Json, Value};
use charta::pipeline::Fitted;
use charta::registry::{AnyMethod, Entry};
use charta_io::{Content, Table};
use clap::ArgMatches;
use ndarray::{Array1, ArrayView1, ArrayView2};
use serde_json::json;

use crate::error_wording::Origin;
use crate::failure::{Failure, Outcome};
use crate::format::counted;
use crate::input::{Input, data_of, switch, text};
use crate::output::{self, Outputs};
use crate::picture::{self, Planes, Points};
use crate::plan::{Forecast, Size};
use crate::result::{Facts, Finished};
use crate::row_errors::{self, RowErrorFigures};
use crate::session::{Session, whole};
use crate::{
    cli, clusters, console, diagrams, input_plot, neighbor_graph, quality_report, report, steps,
    streaming, views,
};

/// Everything a call of a method requests.
pub(crate) struct Request {
    pub(crate) entry: &'static Entry,
    pub(crate) method: Box<dyn AnyMethod>,
    pub(crate) input: Input,
    pub(crate) outputs: Outputs,
    scaling: Scaling,
    streaming: bool,
    batch_rows: Option<usize>,
    plan_only: bool,
}

/// How the rows are taken.
enum FitMode {
    Whole,
    Batches { rows: usize, n_rows: Option<usize> },
}

impl Request {
    fn new(entry: &'static Entry, given: &ArgMatches) -> Outcome<Self> {
        let batch_rows = text(given, "batch-rows");
        let mut parameters = cli::parameters(entry, given);
        let initial = cli::take_coordinates(entry, &mut parameters);
        Ok(Self {
            entry,
            method: entry.parse(&parameters)?,
            input: Input {
                initial,
                ..Input::new(given)?
            },
            outputs: Outputs::new(given)?,
            scaling: scaling(given),
            streaming: switch(given, "streaming"),
            batch_rows: batch_rows
                .map(|rows| whole("batch-rows", &rows))
                .transpose()?,
            plan_only: switch(given, "plan"),
        })
    }

    fn check(&self) -> Outcome {
        if self.streaming && self.scaling != Scaling::None {
            return Err(Failure::usage(
                "`--scale` learns from all rows at once and cannot go with `--streaming`",
            ));
        }
        views::check(&self.entry.info, &self.input)?;
        if self.streaming {
            views::check_streaming(&self.input)?;
        }
        diagrams::check(&self.entry.info, &self.outputs)?;
        self.check_planes()?;
        self.check_whole()?;
        self.check_quality()?;
        row_errors::check(&self.entry.info, self.outputs.errors)?;
        steps::check(&self.entry.info, &self.outputs)?;
        self.outputs.check(&self.input.files(None))
    }

    /// Fails if a single coordinate is requested, and a picture that needs two.
    fn check_planes(&self) -> Outcome {
        let parameters = self.method.to_json();
        let wanted = [
            (self.outputs.biplot.is_some(), "--biplot"),
            (self.outputs.images_plot.is_some(), "--images-plot"),
            (self.outputs.pairs && !self.takes_views(), "--pairs"),
        ];
        let first = wanted.into_iter().find(|(is_wanted, _)| *is_wanted);
        match (first, parameters["n_components"].as_u64()) {
            (Some((_, flag)), Some(1)) => Err(picture::needs_two(flag)),
            _ => Ok(()),
        }
    }

    /// Fails if a picture is requested that the method or the rows in batches cannot give.
    fn check_whole(&self) -> Outcome {
        let n_components = self.method.to_json()["n_components"].as_u64();
        neighbor_graph::check(&self.entry.info, &self.outputs, n_components)?;
        let of_coordinates = [
            (self.outputs.axes.is_some(), "--axes"),
            (self.outputs.pairs, "--pairs"),
        ];
        let flag = of_coordinates.into_iter().find(|(is_wanted, _)| *is_wanted);
        if let (Some((_, flag)), true) = (flag, self.entry.info.first_picture) {
            return Err(Failure::Usage(format!(
                "the plot of `{}` shows no coordinates that `{flag}` could choose",
                cli::command_name(self.entry.info.name)
            )));
        }
        let one_view = !self.takes_views();
        if let (Some(axes), Some(count), true) = (&self.outputs.axes, n_components, one_view) {
            picture::check_axes(axes, count as usize)?;
        }
        let needs_all = [
            (self.outputs.input_plot.is_some(), "--input-plot"),
            (self.outputs.graph, "--graph"),
            (self.outputs.path.is_some(), "--path"),
            (self.outputs.steps.is_some(), "--steps"),
        ];
        match needs_all.into_iter().find(|(wanted, _)| *wanted) {
            Some((_, flag)) if self.streaming => Err(Failure::Usage(format!(
                "`{flag}` needs all rows at once and cannot go with `--streaming`"
            ))),
            _ => Ok(()),
        }
    }

    /// Whether the method has coordinates for each of several views.
    fn takes_views(&self) -> bool {
        self.entry.info.takes(method::Input::Views)
    }

    /// Fails if the map cannot be compared with its data.
    fn check_quality(&self) -> Outcome {
        match (
            self.outputs.quality,
            self.entry.info.takes(method::Input::Views),
            self.streaming,
        ) {
            (true, true, _) => Err(Failure::usage(
                "`--quality` compares a map with one table, and this method maps several views",
            )),
            (true, _, true) => Err(Failure::usage(
                "`--quality` compares all rows with each other and cannot go with `--streaming`",
            )),
            _ => Ok(()),
        }
    }

    fn can_stream(&self) -> bool {
        self.entry.info.offers(Capability::Streams)
            && self.scaling == Scaling::None
            && !self.outputs.quality
            && self.outputs.input_plot.is_none()
            && self.outputs.path.is_none()
            && self.outputs.steps.is_none()
            && !self.outputs.graph
            && !self.input.is_standard_input()
            && !self.input.has_views()
    }
}

/// Carries out a method's command.
pub(crate) fn run(entry: &'static Entry, given: &ArgMatches) -> Outcome {
    let request = Request::new(entry, given)?;
    request.check()?;
    let session = Session::new(given)?;
    let size = Size::of(&request.input, &session.progress)?;
    if request.plan_only {
        return show_plan(&request, &session, size);
    }
    let finished = match choose(&request, &session, size)? {
        FitMode::Whole => fit_whole(&request, &session)?,
        FitMode::Batches { rows, n_rows } => streaming::fit(&request, &session, rows, n_rows)?,
    };
    report::conclude(finished, &request.outputs, &session, report::show_fit)
}

/// All rows at once if they fit, batches if they do not or if the user requests them.
fn choose(request: &Request, session: &Session, size: Option<Size>) -> Outcome<FitMode> {
    let Some(size) = size else {
        let rows = request.batch_rows.unwrap_or(4096);
        return Ok(if request.streaming {
            FitMode::Batches { rows, n_rows: None }
        } else {
            FitMode::Whole
        });
    };
    let rows = request
        .batch_rows
        .unwrap_or_else(|| size.batch_rows(&session.limit));
    let batches = FitMode::Batches {
        rows,
        n_rows: size.exact.then_some(size.shape.n_rows),
    };
    let in_batches = || Forecast::streaming(request.method.as_ref(), size, rows);
    if request.streaming {
        let forecast = in_batches()?;
        let fits = forecast.fits(&session.limit);
        return if fits {
            Ok(batches)
        } else {
            Err(forecast.refusal(&session.limit, None))
        };
    }
    let forecast = match whole_forecast(request, session, size, rows) {
        // A number of rows that is a guess proves nothing.
        Err(_) if !size.exact || size.shape.n_rows == 0 => return Ok(FitMode::Whole),
        forecast => forecast?,
    };
    if forecast.fits(&session.limit) {
        return Ok(FitMode::Whole);
    }
    if !request.can_stream() {
        return Err(forecast.refusal(&session.limit, None));
    }
    // With some parameters, a method that streams needs all rows after all.
    let Ok(smaller) = in_batches() else {
        return Err(forecast.refusal(&session.limit, None));
    };
    if !smaller.fits(&session.limit) {
        return Err(forecast.refusal(&session.limit, Some(&smaller)));
    }
    session.progress.note(&format!(
        "all rows at once would need about {} of memory: working in batches of {}",
        charta::error::bytes(forecast.needed()),
        counted(rows, "row")
    ));
    Ok(batches)
}

/// The forecast for all rows at once; it advises batches only where these would fit.
fn whole_forecast(
    request: &Request,
    session: &Session,
    size: Size,
    batch_rows: usize,
) -> Outcome<Forecast> {
    let forecast = Forecast::whole(request.method.as_ref(), size)?;
    let in_batches = Forecast::streaming(request.method.as_ref(), size, batch_rows);
    Ok(match in_batches {
        Ok(batches) if batches.fits(&session.limit) => forecast,
        _ => forecast.without_batches(),
    })
}

fn show_plan(request: &Request, session: &Session, size: Option<Size>) -> Outcome {
    let is_refused = |size: Size| Forecast::whole(request.method.as_ref(), size).is_err();
    let size = match size {
        // A number of rows that is a guess proves nothing.
        Some(size) if size.exact || request.streaming || !is_refused(size) => size,
        _ => size_by_reading(request, session)?,
    };
    session.progress.finish();
    let rows = request
        .batch_rows
        .unwrap_or_else(|| size.batch_rows(&session.limit));
    let forecast = if request.streaming {
        Forecast::streaming(request.method.as_ref(), size, rows)?
    } else {
        whole_forecast(request, session, size, rows)?
    };
    if request.outputs.json.is_some() {
        return console::print_json(&json!({
            "method": request.entry.info.name,
            "parameters": request.method.to_json(),
            "source": request.input.source,
            "plan": forecast.to_json(&session.limit),
        }));
    }
    console::print(&forecast.text(&request.input.source, &session.limit))
}

/// The size of a source that must be read to know it.
fn size_by_reading(request: &Request, session: &Session) -> Outcome<Size> {
    let table = request.input.read(&session.progress)?;
    let shape = charta::method::Shape::of(&data_of(&table)?);
    Ok(Size {
        shape,
        exact: true,
        format: "read to the end",
        several: request.input.sources.len() > 1,
    })
}

fn fit_whole(request: &Request, session: &Session) -> Outcome<Finished> {
    let outputs = &request.outputs;
    let mut table = request.input.read(&session.progress)?;
    let takes = request.entry.info.takes(method::Input::PairWeights);
    request.input.weigh(&mut table, takes, &session.progress)?;
    request.input.read_beside(&mut table)?;
    let facts = Facts::of(&request.input.source, &table);
    diagrams::check_images(outputs, &facts)?;
    let mut points = Points::of(
        &table,
        &request.input,
        &request.entry.info,
        outputs,
        session,
    )?;
    points.input = input_plot::InputColumns::of(&table, outputs)?;
    neighbor_graph::path_ends(outputs, &table)?;
    let scaler = scale(request, session, &mut table)?;
    let run = session.run();
    let fitted = Fitted::fit(request.method.as_ref(), &run, &data_of(&table)?, scaler)
        .map_err(|error| Failure::of_data(error, Origin::from(&table).scaled(request.scaling)))?;
    let mut finished = Finished {
        row_names: table.row_names.clone(),
        ..Finished::new(fitted, facts)
    };
    write(&mut finished, &table, points, &request.outputs, session)?;
    Ok(finished)
}

fn scale(request: &Request, session: &Session, table: &mut Table) -> Outcome<Option<Scaler>> {
    if let (LabelUse::Target, [first, _, ..], Content::Features(features)) = (
        request.entry.info.labels,
        table.view_widths.as_slice(),
        &mut table.content,
    ) && request.scaling != Scaling::None
    {
        session.progress.stage("scaling");
        return views::scale_first(request.scaling, features, *first).map(Some);
    }
    scale_features(request.scaling, session, table)
}

/// The scaling that the call requests.
pub(crate) fn scaling(given: &ArgMatches) -> Scaling {
    text(given, "scale")
        .and_then(|word| Scaling::from_json(&Json::from(word)))
        .unwrap_or(Scaling::None)
}

/// A scaling as it is typed: `z-score`.
pub(crate) fn scaling_name(scaling: Scaling) -> String {
    cli::command_name(&scaling.to_string())
}

/// Scales the features in their own place: no second copy is needed.
pub(crate) fn scale_features(
    scaling: Scaling,
    session: &Session,
    table: &mut Table,
) -> Outcome<Option<Scaler>> {
    if scaling == Scaling::None {
        return Ok(None);
    }
    let Content::Features(features) = &mut table.content else {
        return Err(Failure::usage(
            "`--scale` needs features, and was given distances or a kernel",
        ));
    };
    session.progress.stage("scaling");
    let scaler = Scaler::fit(scaling, &features.view())?;
    scaler.apply(features)?;
    Ok(Some(scaler))
}

/// Draws and writes what is requested.
pub(crate) fn write(
    finished: &mut Finished,
    table: &Table,
    mut points: Points,
    outputs: &Outputs,
    session: &Session,
) -> Outcome {
    let wants_rows = outputs.table.is_some() || outputs.quality || outputs.path.is_some();
    let run = session.run();
    let clusters = clusters::of_fit(&finished.fitted);
    points.colors = clusters::or_colors(points.colors, clusters.as_ref());
    let errors = errors_of(finished, table, outputs, session)?;
    steps::write(&finished.fitted, table, outputs, session)?;
    if outputs.files().is_empty() && !wants_rows {
        return Ok(());
    }
    let placed;
    let embedding = match finished.fitted.model().embedding() {
        Some(embedding) => embedding,
        None => {
            session.progress.stage("transform");
            placed = finished.fitted.model().transform_in(&run, &table.data()?)?;
            placed.view()
        }
    };
    finished.n_without_coordinates = without_coordinates(&embedding);
    if outputs.quality {
        finished.quality = quality_report::of_fit(session, table, &finished.fitted, &embedding)?;
    }
    if outputs.draws_points() {
        session.progress.stage("drawing");
        points.extend(&embedding, &Planes::of(finished.fitted.model(), outputs)?);
    }
    points.graph = neighbor_graph::find(&finished.fitted, table, &embedding, outputs, session)?;
    finished.path = points.graph.path.clone();
    let mut drawn = picture::draw_all(outputs, finished, &points, Some(table))?;
    drawn.add(&outputs.input_plot, &|format| {
        input_plot::draw(finished, table, &points, outputs, session, format)
    })?;
    session.progress.stage("writing");
    if let Some(path) = &outputs.table {
        let names = row_errors::names(&finished.fitted, errors.is_some());
        let wider = row_errors::beside(&embedding, errors.as_ref());
        let values = wider.as_ref().map_or(embedding, |wider| wider.view());
        let found = clusters::for_file(path, clusters.as_ref(), session)?;
        output::write_with_classes(path, table, names, values, found)?;
    }
    finished.not_drawn = drawn.impossible;
    write_rest(&finished.fitted, outputs, &drawn.pictures)
}

/// Reconstruction error of every row, if requested: the table is scaled already.
fn errors_of(
    finished: &mut Finished,
    table: &Table,
    outputs: &Outputs,
    session: &Session,
) -> Outcome<Option<Array1<f64>>> {
    let model = finished.fitted.model();
    let (true, Some(teller)) = (outputs.errors, model.as_row_errors()) else {
        return Ok(None);
    };
    session.progress.stage("reconstruction errors");
    let errors = teller.row_errors_in(&session.run(), &table.data()?)?;
    finished.errors = Some(RowErrorFigures::of(&errors));
    Ok(Some(errors))
}

/// Rows with a coordinate that is not a number: those that a graph fallen apart left out.
pub(crate) fn without_coordinates(embedding: &ArrayView2<'_, f64>) -> usize {
    let is_without = |row: &ArrayView1<'_, f64>| row.iter().any(|value| value.is_nan());
    embedding.rows().into_iter().filter(is_without).count()
}

/// Writes the pictures and the model. The table may be written already: there is no stopping here, so
/// that a run that was stopped has written nothing.
pub(crate) fn write_rest(
    fitted: &Fitted,
    outputs: &Outputs,
    pictures: &[picture::Picture<'_>],
) -> Outcome {
    for (path, bytes) in pictures {
        charta_io::write_atomically(path, bytes)?;
    }
    if let Some(path) = &outputs.model {
        charta_io::write_atomically(path, &fitted.to_bytes()?)?;
    }
    Ok(())
}
