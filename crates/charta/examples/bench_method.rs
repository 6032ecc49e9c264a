//! Times a method of the registry on a `.npy` file, for `cargo xtask bench`. Prints one line of JSON.
//!
//! Usage: bench_method METHOD PARAMETERS FILE REPETITIONS [LABELS] [--embedding FILE]
//!
//! PARAMETERS is JSON; LABELS a `.npy` file of one whole number a row; the last embedding is written to the file
//! named last, if one is.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use charta::methods::find;
use charta::model::Figure;
use charta::params::Json;
use charta::pipeline::Fitted;
use charta::registry::Entry;
use charta::{Data, Labels, Run};
use charta_io::{Output, ReadOptions, Table, read, write};
use serde_json::json;

type Failure = Box<dyn std::error::Error>;

/// Figures with more numbers than this are left out of the record.
const LONGEST: usize = 2000;

fn main() -> Result<(), Failure> {
    let mut words: Vec<String> = std::env::args().collect();
    let target = match words.iter().position(|word| word == "--embedding") {
        Some(place) => words.split_off(place).into_iter().nth(1),
        None => None,
    };
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
    let (record, fitted) = measure(entry, &parameters, &data, repetitions.parse()?)?;
    if let (Some(target), Some(fitted)) = (target, fitted) {
        save(&fitted, &data, target.as_ref())?;
    }
    writeln!(std::io::stdout(), "{record}")?;
    Ok(())
}

fn save(fitted: &Fitted, data: &Data<'_>, path: &Path) -> Result<(), Failure> {
    let placed = match fitted.model().embedding() {
        Some(embedding) => embedding.to_owned(),
        None => fitted.transform(&Run::new(), data)?,
    };
    let output = Output {
        names: fitted.component_names(),
        values: placed.view(),
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
    // From here on the high-water mark is the fit's, not the reader's.
    std::fs::write("/proc/self/clear_refs", "5")?;
    let baseline = memory("VmRSS")?;
    let (mut wall, mut cpu, mut figures, mut last) = (Vec::new(), Vec::new(), Json::Null, None);
    for _ in 0..repetitions {
        // Two models at once would be counted as the fit's memory.
        drop(last.take());
        let (clock, processor) = (Instant::now(), processor_seconds()?);
        let fitted = Fitted::fit(entry, parameters, &Run::new(), data, None)?;
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
    });
    Ok((record, last))
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

/// A line of the process's own status, in bytes.
fn memory(name: &str) -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find(|line| line.starts_with(name))
        .ok_or("no such line in the status")?;
    let kilobytes: u64 = line
        .split_whitespace()
        .nth(1)
        .ok_or("an empty line in the status")?
        .parse()?;
    Ok(kilobytes * 1024)
}

/// Processor time of all threads so far.
fn processor_seconds() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/schedstat")?;
    let own: f64 = stat.split_whitespace().next().ok_or("no times")?.parse()?;
    let mut total = 0.0;
    for task in std::fs::read_dir("/proc/self/task")? {
        let path = task?.path().join("schedstat");
        if let Ok(text) = std::fs::read_to_string(path) {
            total += text
                .split_whitespace()
                .next()
                .ok_or("no times")?
                .parse::<f64>()?;
        }
    }
    Ok(total.max(own) / 1e9)
}
