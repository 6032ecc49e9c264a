//! Times a method of the registry on a `.npy` file, for `cargo xtask bench`. Prints one line of JSON.
//!
//! Usage: bench_method METHOD PARAMETERS FILE REPETITIONS [LABELS] [--new FILE --placed FILE] [--embedding FILE]
//!
//! PARAMETERS is JSON; LABELS a `.npy` file of one whole number a row; the last embedding is written to the file
//! named last, if one is. The last model places the rows of the file after `--new`, and their places are written to that after `--placed`.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use charta::methods::find;
use charta::model::Figure;
use charta::params::Json;
use charta::pipeline::Fitted;
use charta::registry::Entry;
use charta::{Data, Event, Labels, Observer, Run};
use charta_bench::{Failure, memory, processor_seconds};
use charta_io::{Output, ReadOptions, Table, read, write};
use ndarray::ArrayView2;
use serde_json::json;

/// Figures with more numbers than this are left out of the record.
const LONGEST: usize = 2000;

fn main() -> Result<(), Failure> {
    let mut words: Vec<String> = std::env::args().collect();
    let [target, placed, new] = ["--embedding", "--placed", "--new"].map(|flag| {
        let place = words.iter().position(|word| word == flag)?;
        words.drain(place..words.len().min(place + 2)).nth(1)
    });
    let [_, method, parameters, file, repetitions, rest @ ..] = words.as_slice() else {
        return Err("usage: bench_method METHOD PARAMETERS FILE REPETITIONS [LABELS]".into());
    };
    let entry = find(method)?;
    let parameters: Json = serde_json::from_str(parameters)?;
    let table = read(file, &ReadOptions::default())?;
    let mut data = table.data()?;
    if let Some(labels) = rest.first() {
        data = data.with_labels(numbers(&read(labels, &ReadOptions::default())?)?)?;
    }
    let (mut record, fitted) = measure(entry, &parameters, &data, repetitions.parse()?)?;
    if let (Some(new), Some(fitted)) = (new, &fitted) {
        let table = read(&new, &ReadOptions::default())?;
        let clock = Instant::now();
        let places = fitted.transform(&Run::new(), &table.data()?)?;
        record["transform"] = json!(clock.elapsed().as_secs_f64());
        if let Some(placed) = placed {
            save(fitted, places.view(), placed.as_ref())?;
        }
    }
    if let (Some(target), Some(fitted)) = (target, &fitted) {
        match fitted.model().embedding() {
            Some(embedding) => save(fitted, embedding, target.as_ref())?,
            None => save(
                fitted,
                fitted.transform(&Run::new(), &data)?.view(),
                target.as_ref(),
            )?,
        }
    }
    writeln!(std::io::stdout(), "{record}")?;
    Ok(())
}

fn save(fitted: &Fitted, places: ArrayView2<'_, f64>, path: &Path) -> Result<(), Failure> {
    let output = Output {
        names: fitted.component_names(),
        values: places,
        single: false,
        row_names: None,
        id_title: None,
        predicted: None,
        labels: None,
    };
    Ok(write(path, &output)?)
}

fn numbers(table: &Table) -> Result<Labels<'static>, Failure> {
    let data = table.data()?;
    let features = data.features("labels")?;
    let values: Vec<f64> = (0..features.n_rows())
        .map(|row| features.value(row, 0))
        .collect();
    Ok(Labels::numbers(values))
}

fn measure(
    entry: &'static Entry,
    parameters: &Json,
    data: &Data<'_>,
    repetitions: usize,
) -> Result<(Json, Option<Fitted>), Failure> {
    let method = entry.parse(parameters)?;
    // From here on the high-water mark is the fit's, not the reader's.
    std::fs::write("/proc/self/clear_refs", "5")?;
    let baseline = memory("VmRSS")?;
    let (mut wall, mut cpu, mut figures, mut last) = (Vec::new(), Vec::new(), Json::Null, None);
    let (begun, mut stages) = (Stages::default(), Json::Null);
    for _ in 0..repetitions {
        // Two models at once would be counted as the fit's memory.
        drop(last.take());
        begun.0.lock().map_err(|_| "a lost lock")?.clear();
        let (clock, processor) = (Instant::now(), processor_seconds()?);
        let fitted = Fitted::fit(method.as_ref(), &Run::new().observer(&begun), data, None)?;
        let end = Instant::now();
        stages = begun.seconds(end)?;
        wall.push(clock.elapsed().as_secs_f64());
        cpu.push(processor_seconds()? - processor);
        figures = short_figures(&fitted);
        last = Some(fitted);
    }
    let record = json!({
        "wall": wall,
        "cpu": cpu,
        "peak_rss": memory("VmHWM")?,
        "baseline_rss": baseline,
        "figures": figures,
        "stages": stages,
    });
    Ok((record, last))
}

/// When the stages of a fit began.
#[derive(Default)]
struct Stages(Mutex<Vec<(String, Instant)>>);

impl Observer for Stages {
    fn event(&self, event: Event<'_>) -> ControlFlow<()> {
        if let (Event::Stage { name }, Ok(mut begun)) = (event, self.0.lock()) {
            begun.push((name.into(), Instant::now()));
        }
        ControlFlow::Continue(())
    }
}

impl Stages {
    /// Names and seconds, in order.
    fn seconds(&self, end: Instant) -> Result<Json, Failure> {
        let begun = self.0.lock().map_err(|_| "a lost lock")?;
        let ends = begun.iter().skip(1).map(|stage| stage.1).chain([end]);
        Ok((begun.iter().zip(ends))
            .map(|((name, start), end)| json!([name, (end - *start).as_secs_f64()]))
            .collect())
    }
}

fn short_figures(fitted: &Fitted) -> Json {
    let diagnostics = fitted.diagnostics();
    let short = diagnostics.iter().filter(|(_, figure)| match figure {
        Figure::Vector(values) => values.len() <= LONGEST,
        Figure::Words(words) => words.len() <= LONGEST,
        Figure::Matrix(_) => false,
        _ => true,
    });
    short
        .map(|(name, figure)| (name.to_string(), figure.to_json()))
        .collect::<serde_json::Map<String, Json>>()
        .into()
}
