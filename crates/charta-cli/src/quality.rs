//! `charta quality`: how well an embedding preserves its data.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use charta::neighbors::Search;
use charta::params::{Json, Parameters, Value};
use charta::pipeline::Fitted;
use charta::quality::{self, Options, Report, Sample};
use charta_io::{Content, Kind, ReadOptions, Table};
use clap::ArgMatches;
use ndarray::{Array2, Axis};
use serde_json::json;

use crate::error_wording::Typed;
use crate::failure::{Failure, Outcome};
use crate::fit::{scale_features, scaling};
use crate::format::{counted, seconds};
use crate::input::{Input, data_of, text};
use crate::output::{check_file, check_picture, check_table, detail, write_table};
use crate::quality_report::{self, Quality};
use crate::result::{Facts, short_name};
use crate::session::{Session, seed, whole};
use crate::{console, format, model_file, report, signals, summary};

/// How a saved model begins.
const MODEL: &[u8] = b"CHARTA";

/// What the call requests.
struct Request {
    input: Input,
    embedding: String,
    known: Option<String>,
    table: Option<PathBuf>,
    plot: Option<PathBuf>,
    shepard: Option<PathBuf>,
    n_neighbors: Vec<usize>,
    sample: Sample,
    seed: u64,
}

impl Request {
    fn new(given: &ArgMatches) -> Outcome<Self> {
        let path = |name: &str| text(given, name).map(PathBuf::from);
        let request = Self {
            input: Input::new(given)?,
            embedding: text(given, "embedding").unwrap_or_default(),
            known: text(given, "known"),
            table: path("output"),
            plot: path("plot"),
            shepard: path("shepard-plot"),
            n_neighbors: neighborhoods(given)?,
            sample: sample(given)?,
            seed: seed(given)?,
        };
        request.check()?;
        Ok(request)
    }

    fn check(&self) -> Outcome {
        let sources = [
            Some(&self.input.source),
            Some(&self.embedding),
            self.known.as_ref(),
        ];
        if sources
            .iter()
            .flatten()
            .filter(|source| *source == &"-")
            .count()
            > 1
        {
            return Err(Failure::usage("standard input can be read only once"));
        }
        let mut inputs = self.input.files(Some(&self.embedding));
        inputs.extend(self.known.as_deref());
        if let Some(path) = &self.table {
            check_table(path, &inputs)?;
        }
        for path in [&self.plot, &self.shepard].into_iter().flatten() {
            check_picture(path, false)?;
            check_file(path, &inputs)?;
        }
        Ok(())
    }

    fn files(&self) -> Vec<(&'static str, &Path)> {
        let wanted = [
            ("figures of the rows", &self.table),
            ("plot", &self.plot),
            ("Shepard diagram", &self.shepard),
        ];
        let files = wanted.into_iter();
        files
            .filter_map(|(what, path)| Some((what, path.as_deref()?)))
            .collect()
    }
}

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let request = Request::new(given)?;
    let session = Session::new(given)?;
    let mut table = request.input.read(&session.progress)?;
    let facts = Facts::of(&request.input.source, &table);
    let (embedding, search) = if is_model(&request.embedding) {
        let fitted = model_file::read(&request.embedding)?.fitted;
        let search = search(given, Options::of_fit(fitted.parameters())?.search)?;
        let embedding = of_model(&fitted, &table, &session)
            .map_err(|error| Failure::of_data(error, &facts.name))?;
        scale_like(&fitted, &mut table)?;
        (embedding, search)
    } else {
        let search = search(given, Search::default())?;
        scale_features(scaling(given), &session, &mut table)?;
        (of_table(given, &request, &table, &session)?, search)
    };
    let known = request.known.as_ref().map(|source| {
        coordinates(
            source,
            text(given, "known-columns"),
            &table,
            "the file of known coordinates",
        )
    });
    let known = known.transpose()?.map(|(known, _)| known);
    let options = Options {
        n_neighbors: request.n_neighbors.clone(),
        sample: request.sample,
        seed: request.seed,
        search,
        labels: quality_report::classes(&table, &session),
        known: known.as_ref().map(|known| known.view()),
    };
    let found = quality::measure(
        &session.run(),
        &data_of(&table)?,
        &embedding.view(),
        &options,
    )
    .map_err(|error| Failure::of_data(error, &table))?;
    let found = Quality::new(found, &embedding.view());
    write(&request, &table, &found.report, &facts, &session)?;
    session.progress.finish();
    show(given, &request, &session, &found, &facts)
}

fn write(
    request: &Request,
    table: &Table,
    found: &Report,
    facts: &Facts,
    session: &Session,
) -> Outcome {
    if request.files().is_empty() && request.table.is_none() {
        return Ok(());
    }
    session.progress.stage("writing");
    signals::check()?;
    let title = format!("{} in {}", facts.name, short_name(&request.embedding));
    if let Some(path) = &request.plot {
        let bytes = quality_report::draw_curve(found, &title, path)?;
        charta_io::write_atomically(path, &bytes)?;
    }
    if let Some(path) = &request.shepard {
        let bytes = quality_report::draw_shepard(found, &title, path)?;
        charta_io::write_atomically(path, &bytes)?;
    }
    if let Some(path) = &request.table {
        let (names, values) = quality_report::columns(found);
        write_table(path, table, names, values.view())?;
    }
    Ok(())
}

fn show(
    given: &ArgMatches,
    request: &Request,
    session: &Session,
    found: &Quality,
    facts: &Facts,
) -> Outcome {
    let (name, n_coordinates) = (short_name(&request.embedding), found.n_coordinates);
    if let Some(detail) = detail(given) {
        let files: Vec<Json> = request
            .files()
            .iter()
            .map(|(what, path)| json!({"what": what, "path": path.display().to_string()}))
            .collect();
        return console::print_json(&json!({
            "data": facts.to_json(),
            "embedding": {"source": request.embedding, "n_coordinates": n_coordinates},
            "quality": report::diagnostics(&found.report.diagnostics(), detail),
            "warnings": session.progress.warnings(),
            "notes": session.progress.notes(),
            "seconds": session.progress.seconds(),
            "files": files,
        }));
    }
    let to_standard_output = request.table.as_deref() == Some(std::path::Path::new("-"));
    if session.quiet || to_standard_output {
        return Ok(());
    }
    let mut text = format!(
        "{}\n{name}: {}, {}\n\n{}{}\n",
        facts.sentence(),
        counted(n_coordinates, "coordinate"),
        quality_report::extent(&found.report),
        found.in_words(),
        seconds(session.progress.seconds())
    );
    text.push_str(&summary::wrote(request.files()));
    console::print(&text)
}

/// True for a file that `--save` wrote.
fn is_model(source: &str) -> bool {
    first_bytes(source).starts_with(MODEL)
}

/// The coordinates that a model gave the rows of its fit, or gives other rows.
fn of_model(fitted: &Fitted, table: &Table, session: &Session) -> charta::Result<Array2<f64>> {
    match fitted.model().embedding() {
        Some(embedding) if embedding.nrows() == table.n_rows() => Ok(embedding.to_owned()),
        _ => fitted.transform(&session.run(), &table.data()?),
    }
}

/// Scales the features as the fit did.
fn scale_like(fitted: &Fitted, table: &mut Table) -> Outcome {
    if let (Some(scaler), Content::Features(features)) = (fitted.scaler(), &mut table.content) {
        scaler.apply(features)?;
    }
    Ok(())
}

/// The coordinates of a table; what may be columns of the data among them is noted.
fn of_table(
    given: &ArgMatches,
    request: &Request,
    table: &Table,
    session: &Session,
) -> Outcome<Array2<f64>> {
    let columns = text(given, "embedding-columns");
    let chosen = columns.is_some();
    let (embedding, shared) = coordinates(&request.embedding, columns, table, "the embedding")?;
    if !chosen && !shared.is_empty() {
        session.progress.note(&format!(
            "{}: columns of the data are among the coordinates: {}; `--embedding-columns` chooses others",
            short_name(&request.embedding),
            format::in_short(&shared)
        ));
    }
    Ok(embedding)
}

/// Coordinates from a file beside the data, row for row; by the rows' names where both have names. What is the data's
/// label or names the rows there is no coordinate here, unless the columns are listed one by one. With them come the names
/// that features of the data have too.
pub(crate) fn coordinates(
    source: &str,
    columns: Option<String>,
    data: &Table,
    what: &str,
) -> Outcome<(Array2<f64>, Vec<String>)> {
    check_kind(source)?;
    let label = data.labels.as_ref().map(|(title, _)| title.clone());
    let mut choices = [
        (label.clone(), data.id_title.clone()),
        (label, None),
        (None, data.id_title.clone()),
        (None, None),
    ];
    if columns
        .as_ref()
        .is_some_and(|list| !list.contains(['!', '*']))
    {
        // Whoever lists the label among the coordinates means it as one.
        choices.rotate_left(2);
    }
    let options = |(label, id): (Option<String>, Option<String>)| ReadOptions {
        label,
        id,
        kind: Kind::Features,
        columns: columns.iter().cloned().collect(),
        ..ReadOptions::default()
    };
    let fitting = choices.into_iter().map(options).find(|options| {
        !charta_io::is_read_once(source) && charta_io::describe(source, options).is_ok()
    });
    let options = fitting.unwrap_or_else(|| ReadOptions {
        columns: columns.iter().cloned().collect(),
        ..ReadOptions::default()
    });
    let from = source.to_string();
    let table = signals::stoppable(move || charta_io::read(&from, &options))??;
    let Content::Features(features) = &table.content else {
        return Err(Failure::Usage(format!(
            "{source}: coordinates were expected, not distances"
        )));
    };
    if table.n_rows() != data.n_rows() {
        return Err(Failure::Run(format!(
            "{} has {}, and {what} {source} has {}: they must be the same rows",
            data.name,
            counted(data.n_rows(), "row"),
            counted(table.n_rows(), "row")
        )));
    }
    let own = table.column_names.as_deref().unwrap_or_default();
    let others = data.column_names.as_deref().unwrap_or_default();
    let shared = own.iter().filter(|name| others.contains(name)).cloned();
    let shared: Vec<String> = shared.collect();
    let values = features.view().dense_rows(0, table.n_rows());
    let values = match (&data.row_names, &table.row_names) {
        (Some(wanted), Some(found)) if wanted != found => {
            values.select(Axis(0), &matched(wanted, found, what)?)
        }
        _ => values,
    };
    Ok((values, shared))
}

/// Fails if a file is of a kind that this program writes too, but holds no coordinates.
fn check_kind(source: &str) -> Outcome {
    const KINDS: [(&[u8], &str); 5] = [
        (MODEL, "a saved model"),
        (b"\x89PNG", "a picture"),
        (b"\xff\xd8\xff", "a picture"),
        (b"<svg", "a picture"),
        (b"<!DOCTYPE html", "a web page"),
    ];
    let first = first_bytes(source);
    if let Some((_, kind)) = KINDS.iter().find(|(start, _)| first.starts_with(start)) {
        return Err(Failure::Usage(format!(
            "{source} is {kind}: a table of coordinates was expected, as `-o` writes it"
        )));
    }
    Ok(())
}

/// The first bytes of a file; none of standard input, or of what cannot be read: reading it says why.
fn first_bytes(source: &str) -> Vec<u8> {
    let mut first = Vec::new();
    if !charta_io::is_read_once(source)
        && let Ok(file) = File::open(source)
        && file.take(16).read_to_end(&mut first).is_err()
    {
        first.clear();
    }
    first
}

/// Where each row of the data is found, by name.
fn matched(wanted: &[String], found: &[String], what: &str) -> Outcome<Vec<usize>> {
    let places: HashMap<&str, usize> = found
        .iter()
        .enumerate()
        .map(|(place, name)| (name.as_str(), place))
        .collect();
    if places.len() < found.len() {
        return Err(Failure::Run(format!(
            "rows of {what} have the same name: they cannot be matched with those of the data"
        )));
    }
    wanted
        .iter()
        .map(|name| {
            places
                .get(name.as_str())
                .copied()
                .ok_or_else(|| Failure::Run(format!("the data's row {name:?} is not in {what}")))
        })
        .collect()
}

fn neighborhoods(given: &ArgMatches) -> Outcome<Vec<usize>> {
    let Some(text) = text(given, "n-neighbors") else {
        return Ok(Vec::new());
    };
    let mut counts: Vec<usize> = Vec::new();
    for word in text.split(',') {
        let count = whole("n-neighbors", word.trim())?;
        if !counts.contains(&count) {
            counts.push(count);
        }
    }
    Ok(counts)
}

fn sample(given: &ArgMatches) -> Outcome<Sample> {
    let Some(word) = text(given, "sample") else {
        return Ok(Sample::Auto);
    };
    Sample::from_json(&Sample::kind().parse(&word))
        .filter(|sample| !matches!(sample, Sample::Count(0 | 1)))
        .ok_or_else(|| {
            Failure::Usage(format!(
                "`--sample` must be auto, all or a whole number of at least 2, got {word}"
            ))
        })
}

/// The distances that the call requests, and where it does not say, those of `search`.
pub(crate) fn search(given: &ArgMatches, mut search: Search) -> Outcome<Search> {
    for spec in Search::specs() {
        if let Some(word) = text(given, spec.name) {
            let value = spec.kind.parse(&word);
            search.set(spec.name, &value).map_err(|error| {
                Failure::from(error).typed(vec![Typed {
                    name: spec.name.into(),
                    text: word,
                    value,
                }])
            })?;
        }
    }
    Ok(search)
}
