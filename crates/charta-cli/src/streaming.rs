//! Rows in batches: fitted in one pass, transformed and written in another. Memory stays flat.

use std::path::Path;

use charta::data::Precision;
use charta::error::message;
use charta::method::Capability;
use charta::pipeline::Fitted;
use charta::{Labels, Run};
use charta_io::{LabelType, Rows, Schema, TableWriter};
use ndarray::{Array1, Array2, ArrayView2};

use crate::failure::{Failure, Outcome};
use crate::fit::{Request, write_rest};
use crate::input::Input;
use crate::output::Outputs;
use crate::picture::{self, Planes, Points};
use crate::read_ahead::{Batch, ReadAhead};
use crate::result::{Facts, Finished, Relation, short_name};
use crate::row_errors::{self, RowErrorFigures};
use crate::session::Session;
use crate::{clusters, color, diagrams};

/// Fits from batches, then transforms the rows for the outputs that need them.
pub(crate) fn fit(
    request: &Request,
    session: &Session,
    batch_rows: usize,
    n_rows: Option<usize>,
) -> Outcome<Finished> {
    let outputs = &request.outputs;
    let run = session.run();
    let mut batches = open(request, session, batch_rows, n_rows)?;
    let facts = facts(&request.input, &batches, n_rows.unwrap_or(0));
    diagrams::check_images(outputs, &facts)?;
    if outputs.images_plot.is_some() {
        return Err(Failure::usage(
            "`--images-plot` needs the rows in memory and cannot go with `--streaming`",
        ));
    }
    let fitted = Fitted::fit_batches(request.method.as_ref(), &run, &mut batches)
        .map_err(|error| Failure::of_data(for_batches(error), &request.input.source))?;
    let counted = fitted
        .diagnostics()
        .value("n_rows")
        .map(|count| count as usize);
    let facts = Facts {
        n_rows: counted.unwrap_or(facts.n_rows),
        n_missing: batches.n_missing(),
        ..facts
    };
    let mut finished = Finished {
        streaming: true,
        errors: outputs.errors.then(RowErrorFigures::default),
        ..Finished::new(fitted, facts)
    };
    let mut points = Points::default();
    if outputs.table.is_some() || outputs.draws_points() || outputs.errors {
        let pass = Pass {
            input: &request.input,
            outputs,
            batch_rows,
            n_rows: counted.or(n_rows),
        };
        points = pass.transform(
            &finished.fitted,
            session,
            &mut finished.facts,
            &mut finished.errors,
        )?;
    }
    let drawn = picture::draw_all(outputs, &finished, &points, None)?;
    write_rest(&finished.fitted, outputs, &drawn.pictures)?;
    finished.not_drawn = drawn.impossible;
    Ok(finished)
}

/// Opens the source, and prints the notes.
fn open(
    request: &Request,
    session: &Session,
    batch_rows: usize,
    n_rows: Option<usize>,
) -> Outcome<ReadAhead> {
    session.progress.stage("reading");
    let source = &request.input.source;
    let batches = ReadAhead::open(&request.input, batch_rows, n_rows)?;
    for note in &batches.heading().notes {
        session.progress.note(&format!("{source}: {note}"));
    }
    Ok(batches)
}

/// Missing values are estimated from all rows at once only: no hint at what would be refused.
fn for_batches(mut error: charta::Error) -> charta::Error {
    if let charta::Error::NotFinite { hint, .. } = &mut error {
        *hint = Some(message!(
            "fill in such values, or leave out their {:rows} or {:columns} first"
        ));
    }
    error
}

fn facts(input: &Input, batches: &ReadAhead, n_rows: usize) -> Facts {
    let heading = batches.heading();
    Facts {
        source: input.source.clone(),
        name: short_name(&input.source),
        n_rows,
        n_columns: heading.n_columns,
        precision: heading.precision,
        label: heading.label_title.clone().map(|title| (title, None)),
        n_missing: batches.n_missing(),
        relation: Relation::Columns,
        image: heading.image,
    }
}

/// A pass over the rows that transforms them with a model.
pub(crate) struct Pass<'a> {
    pub(crate) input: &'a Input,
    pub(crate) outputs: &'a Outputs,
    pub(crate) batch_rows: usize,
    pub(crate) n_rows: Option<usize>,
}

impl Pass<'_> {
    /// Facts of the source, as far as they are known before its rows.
    pub(crate) fn facts(&self) -> Outcome<Facts> {
        let batches = ReadAhead::open(self.input, self.batch_rows, self.n_rows)?;
        Ok(facts(self.input, &batches, self.n_rows.unwrap_or(0)))
    }

    /// Transforms all rows: writes the table, and keeps what the plot needs. The errors are filled in where there is room for
    /// them.
    pub(crate) fn transform(
        &self,
        fitted: &Fitted,
        session: &Session,
        facts: &mut Facts,
        figures: &mut Option<RowErrorFigures>,
    ) -> Outcome<Points> {
        session.progress.stage("transform");
        let run = session.run();
        let mut batches = ReadAhead::open(self.input, self.batch_rows, self.n_rows)?;
        let mut writer = None;
        let mut gathered = self.gather(&batches, fitted)?;
        let carries_names = match &self.outputs.table {
            Some(path) => charta_io::OutputFormat::of_path(path)?.carries_names(),
            None => false,
        };
        let mut done = 0;
        while batches.advance()? {
            let transformed = transform_batch(&batches, fitted, &run)
                .map_err(|error| Failure::of_data(error.further_on(done), &facts.name))?;
            let errors = match figures {
                Some(figures) => {
                    let errors = errors_of_batch(&batches, fitted, &run)
                        .map_err(|error| Failure::of_data(error.further_on(done), &facts.name))?;
                    figures.add(&errors);
                    Some(errors)
                }
                None => None,
            };
            if let Some(path) = &self.outputs.table {
                let wider = row_errors::beside(&transformed.view(), errors.as_ref());
                let names = row_errors::names(fitted, errors.is_some());
                let rows = wider.as_ref().unwrap_or(&transformed);
                let clusters = clusters_of_batch(&batches, fitted, &run)
                    .map_err(|error| Failure::of_data(error.further_on(done), &facts.name))?;
                let clusters = clusters.filter(|_| carries_names);
                push(&mut writer, path, rows, &batches, names, clusters.as_ref())?;
            }
            if let (Some(batch), true) = (batches.current(), self.outputs.draws_points()) {
                gathered.add(&transformed.view(), batch);
            }
            done += transformed.nrows();
            run.progress(done as u64, self.n_rows.unwrap_or(done).max(done) as u64)?;
        }
        facts.n_rows = done;
        facts.n_missing = batches.n_missing();
        let mut points = self.points(gathered, &batches)?;
        if self.outputs.draws_points() {
            let names = points.row_names.take();
            points.name_rows(names, self.outputs, session);
        }
        if let Some(writer) = writer {
            session.progress.stage("writing");
            writer.finish()?;
        }
        Ok(points)
    }

    fn points(&self, gathered: Gathered, batches: &ReadAhead) -> Outcome<Points> {
        let mut points = gathered.points;
        let title = batches.heading().label_title.clone();
        let colors = match (&self.outputs.color_by, title) {
            (Some(column), _) if gathered.feature.is_some() => {
                Some((column.clone(), Labels::numbers(gathered.numbers)))
            }
            (Some(column), title)
                if self.outputs.draws_points() && title.as_ref() != Some(column) =>
            {
                self.input.read_labels(column)?
            }
            (_, Some(title)) => match (gathered.words.is_empty(), gathered.numbers.is_empty()) {
                (false, _) => Some((title, Labels::from_words(&gathered.words))),
                (_, false) => Some((title, Labels::numbers(gathered.numbers))),
                _ => None,
            },
            _ => None,
        };
        points.colors = color::in_natural_order(colors);
        Ok(points)
    }

    fn gather(&self, batches: &ReadAhead, fitted: &Fitted) -> Outcome<Gathered> {
        let names = batches.heading().column_names.as_deref();
        let column = self.outputs.color_by.as_deref();
        Ok(Gathered {
            feature: column.and_then(|column| color::place(names, column)),
            planes: Planes::of(fitted.model(), self.outputs)?,
            ..Gathered::default()
        })
    }
}

fn transform_batch(
    batches: &ReadAhead,
    fitted: &Fitted,
    run: &Run<'_>,
) -> charta::Result<Array2<f64>> {
    match batches.data()? {
        Some(data) => fitted.transform(run, &data),
        None => Err(charta::Error::Source("reading ended early".into())),
    }
}

fn errors_of_batch(
    batches: &ReadAhead,
    fitted: &Fitted,
    run: &Run<'_>,
) -> charta::Result<Array1<f64>> {
    match batches.data()? {
        Some(data) => fitted.row_errors(run, &data),
        None => Err(charta::Error::Source("reading ended early".into())),
    }
}

fn clusters_of_batch(
    batches: &ReadAhead,
    fitted: &Fitted,
    run: &Run<'_>,
) -> charta::Result<Option<Labels<'static>>> {
    if !fitted.entry().info.offers(Capability::Clusters) {
        return Ok(None);
    }
    match batches.data()? {
        Some(data) => Ok(clusters::of_prediction(fitted.predict(run, &data)?)),
        None => Err(charta::Error::Source("reading ended early".into())),
    }
}

/// Adds the rows of a batch to the file, which begins with the first one.
fn push(
    writer: &mut Option<Box<dyn TableWriter>>,
    path: &Path,
    transformed: &Array2<f64>,
    batches: &ReadAhead,
    names: Vec<String>,
    clusters: Option<&Labels<'static>>,
) -> Outcome {
    let Some(batch) = batches.current() else {
        return Ok(());
    };
    let writer = match writer {
        Some(writer) => writer,
        None => {
            let schema = Schema {
                predicted: clusters.map(|labels| (clusters::COLUMN.into(), LabelType::of(labels))),
                ..schema(batches, batch, names)
            };
            writer.insert(charta_io::create(path, schema)?)
        }
    };
    writer.push(&Rows {
        values: transformed.view(),
        row_names: batch.row_names.as_deref(),
        predicted: clusters,
        labels: batch.labels.as_ref(),
    })?;
    Ok(())
}

/// The columns of the output.
fn schema(batches: &ReadAhead, batch: &Batch, names: Vec<String>) -> Schema {
    let heading = batches.heading();
    let title = heading
        .label_title
        .clone()
        .unwrap_or_else(|| "label".into());
    Schema {
        names,
        single: heading.precision == Precision::Single,
        id_title: batch
            .row_names
            .as_ref()
            .map(|_| heading.id_title.clone().unwrap_or_else(|| "id".into())),
        predicted: None,
        label: heading.label_type.map(|label_type| (title, label_type)),
    }
}

/// What a plot needs of all rows.
#[derive(Default)]
struct Gathered {
    points: Points,
    planes: Planes,
    /// The feature to colour by, if it is not the label.
    feature: Option<usize>,
    words: Vec<String>,
    numbers: Vec<f64>,
}

impl Gathered {
    fn add(&mut self, transformed: &ArrayView2<'_, f64>, batch: &Batch) {
        self.points.extend(transformed, &self.planes);
        if let Some(names) = &batch.row_names {
            self.points
                .row_names
                .get_or_insert_default()
                .extend_from_slice(names);
        }
        if let Some(place) = self.feature {
            self.numbers.extend(color::values(&batch.features, place));
            return;
        }
        match &batch.labels {
            Some(Labels::Numbers(values)) => self.numbers.extend_from_slice(values),
            Some(classes) => self
                .words
                .extend((0..classes.len()).map(|row| classes.text(row))),
            None => {}
        }
    }
}
