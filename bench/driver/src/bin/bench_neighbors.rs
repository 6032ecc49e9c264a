//! Times the search for neighbours on a `.npy` file, for `cargo xtask bench`. Prints one line of JSON.
//!
//! Usage: bench_neighbors FILE K SEARCH RECALL REPETITIONS THREADS
//!
//! SEARCH is `auto`, `exact`, `tree` or `approximate`; RECALL the share of true neighbours an approximate search
//! must find; THREADS 0 for all cores. The record has the neighbours of 2,000 rows, spread evenly.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::time::Instant;

use charta::neighbors::{Found, Search, nearest};
use charta::params::{Json, Parameters};
use charta::{Data, Run};
use charta_bench::{Failure, memory, processor_seconds};
use charta_io::{ReadOptions, read};
use serde_json::json;

/// Rows whose neighbours are in the record.
const SHOWN: usize = 2000;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().collect();
    let [_, file, count, algorithm, recall, repetitions, threads] = words.as_slice() else {
        return Err("usage: bench_neighbors FILE K SEARCH RECALL REPETITIONS THREADS".into());
    };
    let mut search = Search::default();
    search.set("search", &json!(algorithm))?;
    search.set("recall", &json!(recall.parse::<f64>()?))?;
    let threads = match threads.parse()? {
        0 => std::thread::available_parallelism()?.get(),
        threads => threads,
    };
    let table = read(file, &ReadOptions::default())?;
    let run = Run::new().threads(threads)?;
    let record = measure(
        &run,
        &table.data()?,
        &search,
        count.parse()?,
        repetitions.parse()?,
    )?;
    writeln!(std::io::stdout(), "{record}")?;
    Ok(())
}

fn measure(
    run: &Run<'_>,
    data: &Data<'_>,
    search: &Search,
    count: usize,
    repetitions: usize,
) -> Result<Json, Failure> {
    // From here on the high-water mark is the search's, not the reader's.
    std::fs::write("/proc/self/clear_refs", "5")?;
    let baseline = memory("VmRSS")?;
    let (mut wall, mut cpu, mut last) = (Vec::new(), Vec::new(), None);
    for _ in 0..repetitions {
        let (clock, processor) = (Instant::now(), processor_seconds()?);
        let found = run.install(|| nearest(run, data, search, count))?;
        wall.push(clock.elapsed().as_secs_f64());
        cpu.push(processor_seconds()? - processor);
        last = Some(found);
    }
    let found = last.ok_or("no repetitions")?;
    let rows = shown(data.n_rows());
    let lists: Vec<&[u32]> = rows.iter().map(|&row| found.neighbors.row(row).0).collect();
    Ok(json!({
        "wall": wall,
        "cpu": cpu,
        "peak_rss": memory("VmHWM")?,
        "baseline_rss": baseline,
        "algorithm": found.algorithm,
        "recall": found.recall,
        "checksum": checksum(&found),
        "rows": rows,
        "neighbors": lists,
    }))
}

/// Rows spread evenly.
fn shown(n_rows: usize) -> Vec<usize> {
    let count = SHOWN.min(n_rows);
    (0..count).map(|index| index * n_rows / count).collect()
}

/// A number that differs if any bit of any place or distance does.
fn checksum(found: &Found) -> String {
    let mut hasher = DefaultHasher::new();
    found.neighbors.indices().hash(&mut hasher);
    for distance in found.neighbors.distances() {
        distance.to_bits().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}
