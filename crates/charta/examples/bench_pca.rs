//! Times PCA of a `.npy` file, for `cargo xtask bench pca`. Prints one line of JSON.
//!
//! Usage: bench_pca FILE COMPONENTS REPETITIONS [SOLVER]

use std::io::Write;
use std::time::Instant;

use charta::dimension::Components;
use charta::methods::pca::Pca;
use charta::params::{Json, Parameters};
use charta::{Data, Fit, Run};
use charta_io::{ReadOptions, read};
use serde_json::json;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().collect();
    let [_, file, components, repetitions, rest @ ..] = words.as_slice() else {
        return Err("usage: bench_pca FILE COMPONENTS REPETITIONS [SOLVER]".into());
    };
    let mut pca = Pca {
        n_components: Components::Count(components.parse()?),
        ..Pca::default()
    };
    if let Some(solver) = rest.first() {
        pca.set("solver", &Json::from(solver.as_str()))?;
    }
    let table = read(file, &ReadOptions::default())?;
    let data = table.data()?;
    let record = measure(&pca, &data, repetitions.parse()?)?;
    writeln!(std::io::stdout(), "{record}")?;
    Ok(())
}

fn measure(pca: &Pca, data: &Data<'_>, repetitions: usize) -> Result<Json, Failure> {
    // From here on the high-water mark is the fit's, not the reader's.
    std::fs::write("/proc/self/clear_refs", "5")?;
    let baseline = memory("VmRSS")?;
    let (mut wall, mut cpu, mut variances) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..repetitions {
        let (clock, processor) = (Instant::now(), processor_seconds()?);
        let model = pca.fit_with(&Run::new(), data)?;
        wall.push(clock.elapsed().as_secs_f64());
        cpu.push(processor_seconds()? - processor);
        variances = model.explained_variance().to_vec();
    }
    Ok(json!({
        "wall": wall,
        "cpu": cpu,
        "peak_rss": memory("VmHWM")?,
        "baseline_rss": baseline,
        "explained_variance": variances,
    }))
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
