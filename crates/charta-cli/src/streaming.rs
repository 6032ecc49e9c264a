//! Rows in batches: fitted in one pass, placed and written in another. Memory stays flat.

use std::path::Path;

use charta::data::Precision;
use charta::pipeline::Fitted;
use charta::{Labels, Run};
use charta_io::{LabelType, Rows, Schema, TableWriter};
use ndarray::{Array2, ArrayView2};

use crate::color;
use crate::failure::{Failure, Outcome};
use crate::fit::{Request, write_rest};
use crate::input::Input;
use crate::output::Outputs;
use crate::picture::{self, Points};
use crate::read_ahead::{Batch, ReadAhead};
use crate::result::{Facts, Finished};
use crate::session::Session;

/// Fits from batches, then places the rows for whatever output wants them.
pub(crate) fn fit(
    request: &Request,
    session: &Session,
    batch_rows: usize,
    n_rows: Option<usize>,
) -> Outcome<Finished> {
    let outputs = &request.outputs;
    if outputs.components_plot.is_some() {
        return Err(Failure::usage(
            "`--components-plot` needs all rows at once: leave out `--streaming`",
        ));
    }
    let run = session.run();
    session.progress.stage("reading");
    let mut batches = ReadAhead::open(&request.input, batch_rows, n_rows)?;
    for note in &batches.heading().notes {
        session
            .progress
            .note(&format!("{}: {note}", request.input.source));
    }
    let fitted = Fitted::fit_batches(request.entry, &request.parameters, &run, &mut batches)
        .map_err(|error| Failure::of_data(error, &request.input.source))?;
    let counted = fitted
        .diagnostics()
        .value("n_rows")
        .map(|count| count as usize);
    let mut finished = Finished {
        facts: facts(&request.input, &batches, counted.or(n_rows).unwrap_or(0)),
        fitted,
        streaming: true,
    };
    let mut points = Points::default();
    if outputs.table.is_some() || outputs.plot.is_some() {
        let pass = Pass {
            input: &request.input,
            outputs,
            batch_rows,
            n_rows: counted.or(n_rows),
        };
        points = pass.place(&finished.fitted, session, &mut finished.facts)?;
    }
    let pictures = picture::draw_all(outputs, &finished, &points)?;
    write_rest(&finished.fitted, outputs, &pictures)?;
    Ok(finished)
}

fn facts(input: &Input, batches: &ReadAhead, n_rows: usize) -> Facts {
    let heading = batches.heading();
    let name = Path::new(&input.source).file_name();
    Facts {
        source: input.source.clone(),
        name: name.map_or(input.source.clone(), |name| {
            name.to_string_lossy().into_owned()
        }),
        n_rows,
        n_columns: heading.n_columns,
        precision: heading.precision,
        label: heading.label_title.clone().map(|title| (title, None)),
        n_missing: batches.n_missing(),
        image: None,
    }
}

/// A pass over the rows that places them with a model.
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

    /// Places all rows: writes the table, and keeps what the plot needs.
    pub(crate) fn place(
        &self,
        fitted: &Fitted,
        session: &Session,
        facts: &mut Facts,
    ) -> Outcome<Points> {
        session.progress.stage("placing rows");
        let run = session.run();
        let mut batches = ReadAhead::open(self.input, self.batch_rows, self.n_rows)?;
        let mut writer = None;
        let mut gathered = Gathered::default();
        let mut done = 0;
        while batches.advance()? {
            let placed = place_batch(&batches, fitted, &run, &facts.name)?;
            if let Some(path) = &self.outputs.table {
                push(&mut writer, path, &placed, &batches, fitted)?;
            }
            if let (Some(batch), Some(_)) = (batches.current(), &self.outputs.plot) {
                gathered.add(&placed.view(), batch);
            }
            done += placed.nrows();
            run.progress(done as u64, self.n_rows.unwrap_or(done).max(done) as u64)?;
        }
        facts.n_rows = done;
        facts.n_missing = batches.n_missing();
        let points = self.points(gathered, &batches)?;
        if let Some(writer) = writer {
            session.progress.stage("writing");
            writer.finish()?;
        }
        Ok(points)
    }

    fn points(&self, gathered: Gathered, batches: &ReadAhead) -> Outcome<Points> {
        let mut points = gathered.points;
        let title = batches.heading().label_title.clone();
        points.colours = match (&self.outputs.color_by, title) {
            (Some(column), title)
                if self.outputs.plot.is_some() && title.as_ref() != Some(column) =>
            {
                self.input.read_labels(column)?
            }
            (_, Some(title)) => match (gathered.words.is_empty(), gathered.numbers.is_empty()) {
                (false, _) => Some((title, Labels::from_words(&gathered.words))),
                (_, false) => Some((title, color::of_numbers(gathered.numbers))),
                _ => None,
            },
            _ => None,
        };
        Ok(points)
    }
}

fn place_batch(
    batches: &ReadAhead,
    fitted: &Fitted,
    run: &Run<'_>,
    name: &str,
) -> Outcome<Array2<f64>> {
    let Some(data) = batches.data()? else {
        return Err(Failure::Run(format!("{name}: reading ended early")));
    };
    fitted
        .transform(run, &data)
        .map_err(|error| Failure::of_data(error, name))
}

/// Adds the rows of a batch to the file, which begins with the first one.
fn push(
    writer: &mut Option<Box<dyn TableWriter>>,
    path: &Path,
    placed: &Array2<f64>,
    batches: &ReadAhead,
    fitted: &Fitted,
) -> Outcome {
    let Some(batch) = batches.current() else {
        return Ok(());
    };
    let writer = match writer {
        Some(writer) => writer,
        None => writer.insert(charta_io::create(path, schema(batches, batch, fitted))?),
    };
    writer.push(&Rows {
        values: placed.view(),
        row_names: batch.row_names.as_deref(),
        labels: batch.labels.as_ref(),
    })?;
    Ok(())
}

/// The columns of the output. Classes stay words: a later batch may have others.
fn schema(batches: &ReadAhead, batch: &Batch, fitted: &Fitted) -> Schema {
    let heading = batches.heading();
    let label_type = match &batch.labels {
        Some(Labels::Numbers(_)) => Some(LabelType::Number),
        Some(Labels::Classes { .. }) => Some(LabelType::Text),
        None => None,
    };
    let title = heading
        .label_title
        .clone()
        .unwrap_or_else(|| "label".into());
    Schema {
        names: fitted.component_names(),
        single: heading.precision == Precision::Single,
        id_title: batch
            .row_names
            .as_ref()
            .map(|_| heading.id_title.clone().unwrap_or_else(|| "id".into())),
        label: label_type.map(|label_type| (title, label_type)),
    }
}

/// What a plot needs of all rows.
#[derive(Default)]
struct Gathered {
    points: Points,
    words: Vec<String>,
    numbers: Vec<f64>,
}

impl Gathered {
    fn add(&mut self, placed: &ArrayView2<'_, f64>, batch: &Batch) {
        self.points.extend(placed);
        if let Some(names) = &batch.row_names {
            self.points
                .row_names
                .get_or_insert_default()
                .extend_from_slice(names);
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
