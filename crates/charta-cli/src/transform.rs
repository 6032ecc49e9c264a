//! `charta transform`: the coordinates of new rows by a saved model.

use charta::error::bytes;
use charta::method;
use charta::pipeline::Fitted;
use charta::{Data, Run};
use charta_io::{Content, Kind, Table};
use clap::ArgMatches;
use ndarray::{Array1, Array2};

use crate::failure::{Failure, Outcome};
use crate::fit::{without_coordinates, write_rest};
use crate::input::{Input, switch, text};
use crate::model_file::{self, Saved};
use crate::output::{self, Outputs};
use crate::picture::{self, Planes, Points};
use crate::plan::Size;
use crate::result::{Facts, Finished};
use crate::row_errors::{self, RowErrorFigures};
use crate::session::{Session, whole};
use crate::streaming::Pass;
use crate::{clusters, report, views};

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let model_path = text(given, "model").unwrap_or_default();
    let mut input = Input::new(given)?;
    // They need not be square, as those between all rows are.
    input.options.kind = Kind::Features;
    let outputs = Outputs::new(given)?;
    outputs.check(&input.files(Some(&model_path)))?;
    let session = Session::new(given)?;
    let batch_rows = text(given, "batch-rows")
        .map(|rows| whole("batch-rows", &rows))
        .transpose()?;
    let saved = model_file::read(&model_path)?;
    row_errors::check(&saved.fitted.entry().info, outputs.errors)?;
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
        transform_batches(saved, &pass, &session)
    } else {
        let needs = Needs {
            n_numbers: saved.fitted.model().n_components(),
            advice: "`--streaming` works in batches",
        };
        guard(&saved.fitted, size, &session, &needs)?;
        let to_training_rows = match (switch(given, "distances"), switch(given, "kernel-matrix")) {
            (true, _) => Some(ToTrainingRows::Distances),
            (_, true) => Some(ToTrainingRows::Kernel),
            _ => None,
        };
        let rows = NewRows {
            input: &input,
            to_training_rows,
        };
        transform_whole(saved, &rows, &outputs, &session)
    };
    report::conclude(finished?, &outputs, &session, report::show_transformed)
}

/// What a pass over new rows keeps of each, and what to do where that is too much.
pub(crate) struct Needs {
    /// Numbers.
    pub(crate) n_numbers: usize,
    pub(crate) advice: &'static str,
}

/// Stops before reading what would not fit.
pub(crate) fn guard(
    fitted: &Fitted,
    size: Option<Size>,
    session: &Session,
    needs: &Needs,
) -> Outcome {
    let (Some(size), Some(limit)) = (size, session.limit.bytes) else {
        return Ok(());
    };
    let kept = size.shape.n_rows as u64 * needs.n_numbers as u64 * 8;
    // A scaled copy stands beside the rows.
    let copies = if fitted.scaler().is_some() { 2 } else { 1 };
    let needed = size
        .shape
        .bytes()
        .saturating_mul(copies)
        .saturating_add(kept);
    if needed <= limit {
        return Ok(());
    }
    Err(Failure::Run(format!(
        "transforming these rows at once would need about {} of memory and may use {} ({}): {}",
        bytes(needed),
        bytes(limit),
        session.limit.reason,
        needs.advice
    )))
}

/// What describes new rows by those that the model was fitted to.
#[derive(Clone, Copy)]
enum ToTrainingRows {
    Distances,
    Kernel,
}

/// The rows to transform.
struct NewRows<'a> {
    input: &'a Input,
    /// They are compared with the rows that the model was fitted to.
    to_training_rows: Option<ToTrainingRows>,
}

/// Coordinates, and what they lose if requested.
struct Transformed {
    coordinates: Array2<f64>,
    errors: Option<Array1<f64>>,
}

impl NewRows<'_> {
    fn transform(
        &self,
        fitted: &Fitted,
        table: &Table,
        options: &TransformOptions<'_>,
    ) -> Outcome<Transformed> {
        let failed = |error| Failure::of_data(error, table);
        let transformed = match (&table.content, self.to_training_rows) {
            (Content::Features(features), Some(to_training_rows)) => {
                let numbers = features.view().dense_rows(0, table.n_rows());
                let data = match to_training_rows {
                    ToTrainingRows::Distances
                        if fitted.entry().info.takes(method::Input::MissingDistances) =>
                    {
                        Data::some_distances_to(numbers.view())
                    }
                    ToTrainingRows::Distances => Data::distances_to(numbers.view()),
                    ToTrainingRows::Kernel => Data::kernel_to(numbers.view()),
                };
                let mut data = data.map_err(failed)?;
                if let Some(names) = &table.column_names {
                    data = data.with_column_names(names.as_slice()).map_err(failed)?;
                }
                options.transform(fitted, &data)
            }
            _ => options.transform(fitted, &table.data()?),
        };
        transformed.map_err(failed)
    }
}

/// How rows are transformed.
struct TransformOptions<'a> {
    run: &'a Run<'a>,
    errors: bool,
}

impl TransformOptions<'_> {
    fn transform(&self, fitted: &Fitted, data: &Data<'_>) -> charta::Result<Transformed> {
        let coordinates = fitted.transform(self.run, data)?;
        let errors = if self.errors {
            Some(fitted.row_errors(self.run, data)?)
        } else {
            None
        };
        Ok(Transformed {
            coordinates,
            errors,
        })
    }
}

fn transform_whole(
    saved: Saved,
    rows: &NewRows<'_>,
    outputs: &Outputs,
    session: &Session,
) -> Outcome<Finished> {
    let input = rows.input;
    let table = views::read_like(&saved.fitted, input, &session.progress)?;
    let facts = Facts::of(&input.source, &table);
    session.progress.stage("transform");
    let run = session.run();
    let options = TransformOptions {
        run: &run,
        errors: outputs.errors,
    };
    let Transformed {
        coordinates: transformed,
        errors,
    } = rows.transform(&saved.fitted, &table, &options)?;
    let mut finished = Finished {
        n_without_coordinates: without_coordinates(&transformed.view()),
        errors: errors.as_ref().map(RowErrorFigures::of),
        ..Finished::new(saved.fitted, facts)
    };
    let mut points = Points::of(
        &table,
        input,
        &finished.fitted.entry().info,
        outputs,
        session,
    )?;
    // Rows known by their distances to those of the fit are transformed, not predicted.
    let clusters = match rows.to_training_rows {
        None => clusters::of_new(&finished.fitted, &table, session)?,
        Some(_) => None,
    };
    points.colors = clusters::or_colors(points.colors, clusters.as_ref());
    if outputs.draws_points() {
        session.progress.stage("drawing");
        points.extend(
            &transformed.view(),
            &Planes::of(finished.fitted.model(), outputs)?,
        );
    }
    let drawn = picture::draw_all(outputs, &finished, &points, None)?;
    session.progress.stage("writing");
    if let Some(path) = &outputs.table {
        let names = row_errors::names(&finished.fitted, errors.is_some());
        let wider = row_errors::beside(&transformed.view(), errors.as_ref());
        let found = clusters::for_file(path, clusters.as_ref(), session)?;
        let values = wider.unwrap_or(transformed);
        output::write_with_classes(path, &table, names, values.view(), found)?;
    }
    write_rest(&finished.fitted, outputs, &drawn.pictures)?;
    finished.not_drawn = drawn.impossible;
    Ok(finished)
}

fn transform_batches(saved: Saved, pass: &Pass<'_>, session: &Session) -> Outcome<Finished> {
    let mut facts = pass.facts()?;
    let mut errors = pass.outputs.errors.then(RowErrorFigures::default);
    let points = pass.transform(&saved.fitted, session, &mut facts, &mut errors)?;
    let mut finished = Finished {
        streaming: true,
        errors,
        ..Finished::new(saved.fitted, facts)
    };
    let drawn = picture::draw_all(pass.outputs, &finished, &points, None)?;
    write_rest(&finished.fitted, pass.outputs, &drawn.pictures)?;
    finished.not_drawn = drawn.impossible;
    Ok(finished)
}
