//! `charta transform`: new rows placed by a saved model.

use charta::error::bytes;
use charta::pipeline::Fitted;
use charta::{Data, Run};
use charta_io::{Content, Kind, Table};
use clap::ArgMatches;
use ndarray::Array2;

use crate::failure::{Failure, Outcome};
use crate::fit::{without_place, write_rest};
use crate::input::{Input, switch, text};
use crate::model_file::{self, Saved};
use crate::output::{self, Outputs};
use crate::picture::{self, Planes, Points};
use crate::plan::Size;
use crate::result::{Facts, Finished, short_name};
use crate::session::{Session, whole};
use crate::streaming::Pass;
use crate::{cli, color, report, views};

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let model_path = text(given, "model").unwrap_or_default();
    let mut input = Input::new(given)?;
    // They need not be square, as those between all rows are.
    input.options.kind = Kind::Features;
    let outputs = Outputs::new(given);
    outputs.check(&input.files(Some(&model_path)))?;
    let session = Session::new(given)?;
    let batch_rows = text(given, "batch-rows")
        .map(|rows| whole("batch-rows", &rows))
        .transpose()?;
    let saved = model_file::read(&model_path)?;
    let specs = saved.fitted.entry().specs();
    let size = Size::of(&input, &session.progress)?;
    let finished = if switch(given, "streaming") {
        views::check_streaming(&input)?;
        let rows = batch_rows
            .or(size.map(|size| size.batch_rows(&session.limit)))
            .unwrap_or(4096);
        let n_rows = size.filter(|size| size.exact).map(|size| size.shape.n_rows);
        let pass = Pass {
            input: &input,
            outputs: &outputs,
            batch_rows: rows,
            n_rows,
        };
        place_batches(saved, &pass, &session)
    } else {
        let advice = "`--streaming` places them in batches";
        guard(&saved.fitted, size, &session, advice)?;
        let rows = NewRows {
            input: &input,
            distances: switch(given, "distances"),
            kernel: switch(given, "kernel-matrix"),
        };
        place_whole(saved, &rows, &outputs, &session)
    };
    let finished = finished.map_err(|failure| failure.map(|text| cli::in_flags(&text, &specs)))?;
    session.progress.finish();
    let written = finished.written(&outputs);
    report::show_placed(&finished, &written, &session)?;
    finished.check()
}

/// Stops before reading what would not fit.
pub(crate) fn guard(
    fitted: &Fitted,
    size: Option<Size>,
    session: &Session,
    advice: &str,
) -> Outcome {
    let (Some(size), Some(limit)) = (size, session.limit.bytes) else {
        return Ok(());
    };
    let coordinates = size.shape.n_rows as u64 * fitted.model().n_components() as u64 * 8;
    // A scaled copy stands beside the rows.
    let copies = if fitted.scaler().is_some() { 2 } else { 1 };
    let needed = size
        .shape
        .bytes()
        .saturating_mul(copies)
        .saturating_add(coordinates);
    if needed <= limit {
        return Ok(());
    }
    Err(Failure::Run(format!(
        "placing these rows at once would need about {} of memory and may use {} ({}): {advice}",
        bytes(needed),
        bytes(limit),
        session.limit.reason
    )))
}

/// The rows to be placed.
struct NewRows<'a> {
    input: &'a Input,
    /// They are distances to the rows that the model was fitted to.
    distances: bool,
    /// They are a kernel between them and those rows.
    kernel: bool,
}

impl NewRows<'_> {
    fn place(&self, fitted: &Fitted, table: &Table, run: &Run<'_>) -> Outcome<Array2<f64>> {
        let name = short_name(&table.name);
        let failed = |error| Failure::of_data(error, &name);
        match &table.content {
            Content::Features(features) if self.distances => {
                let lengths = features.view().dense_rows(0, table.n_rows());
                let data = match fitted.entry().info.missing_distances {
                    true => Data::some_distances_to(lengths.view()),
                    false => Data::distances_to(lengths.view()),
                };
                fitted
                    .transform(run, &data.map_err(failed)?)
                    .map_err(failed)
            }
            Content::Features(features) if self.kernel => {
                let products = features.view().dense_rows(0, table.n_rows());
                let data = Data::kernel_to(products.view()).map_err(failed)?;
                fitted.transform(run, &data).map_err(failed)
            }
            _ => fitted.transform(run, &table.data()?).map_err(failed),
        }
    }
}

fn place_whole(
    saved: Saved,
    rows: &NewRows<'_>,
    outputs: &Outputs,
    session: &Session,
) -> Outcome<Finished> {
    let input = rows.input;
    let table = views::read_like(&saved.fitted, input, &session.progress)?;
    let facts = Facts::of(&input.source, &table);
    session.progress.stage("placing rows");
    let run = session.run();
    let placed = rows.place(&saved.fitted, &table, &run)?;
    let mut finished = Finished {
        fitted: saved.fitted,
        facts,
        streaming: false,
        not_drawn: Vec::new(),
        quality: None,
        n_without_place: without_place(&placed.view()),
    };
    let mut points = Points::default();
    if outputs.draws_points() {
        session.progress.stage("drawing");
        points.extend(&placed.view(), Planes::of(finished.fitted.model()));
        points.colours = color::find(outputs.color_by.as_deref(), &table, input)?;
        points.name_rows(table.row_names.clone(), outputs, session);
    }
    let drawn = picture::draw_all(outputs, &finished, &points, None)?;
    session.progress.stage("writing");
    if let Some(path) = &outputs.table {
        let names = finished.fitted.component_names();
        output::write_table(path, &table, names, placed.view())?;
    }
    write_rest(&finished.fitted, outputs, &drawn.pictures)?;
    finished.not_drawn = drawn.impossible;
    Ok(finished)
}

fn place_batches(saved: Saved, pass: &Pass<'_>, session: &Session) -> Outcome<Finished> {
    let mut facts = pass.facts()?;
    let points = pass.place(&saved.fitted, session, &mut facts)?;
    let mut finished = Finished {
        fitted: saved.fitted,
        facts,
        streaming: true,
        not_drawn: Vec::new(),
        quality: None,
        n_without_place: 0,
    };
    let drawn = picture::draw_all(pass.outputs, &finished, &points, None)?;
    write_rest(&finished.fitted, pass.outputs, &drawn.pictures)?;
    finished.not_drawn = drawn.impossible;
    Ok(finished)
}
