//! Times the quality measures of an embedding, for `bench/quality.py`. Prints one line of JSON.
//!
//! Usage: bench_quality DATA EMBEDDING NEIGHBORS SAMPLE, all arrays `.npy`; SAMPLE 0 takes all rows

use std::io::Write;
use std::time::Instant;

use charta::quality::{self, Options, Sample};
use charta::{Data, Run};
use charta_io::{ReadOptions, read};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let [_, data, embedding, neighbors, sample] = words.as_slice() else {
        return Err("usage: bench_quality DATA EMBEDDING NEIGHBORS SAMPLE".into());
    };
    let (table, map) = (
        read(data, &ReadOptions::default())?,
        read(embedding, &ReadOptions::default())?,
    );
    let (data, map) = (table.data()?, map.data()?);
    let map = map.features("embedding")?.dense_rows(0, data.n_rows());
    let n_neighbors: usize = neighbors.parse()?;
    let sample = match sample.parse()? {
        0 => Sample::All,
        count => Sample::Count(count),
    };
    let record = time(&data, &map, n_neighbors, sample)?;
    writeln!(std::io::stdout(), "{record}")?;
    Ok(())
}

fn time(
    data: &Data<'_>,
    map: &ndarray::Array2<f64>,
    n_neighbors: usize,
    sample: Sample,
) -> charta::Result<serde_json::Value> {
    let run = Run::new();
    let mut both = None;
    if sample == Sample::All {
        let start = Instant::now();
        let scores = quality::trustworthiness_and_continuity(&run, data, &map.view(), n_neighbors)?;
        both = Some((scores, start.elapsed().as_secs_f64()));
    }
    let start = Instant::now();
    let options = Options {
        n_neighbors: vec![n_neighbors],
        sample,
        ..Options::default()
    };
    let report = quality::measure(&run, data, &map.view(), &options)?;
    let found = &report.agreements[0];
    Ok(json!({
        "both": both.map(|((trustworthiness, continuity), seconds)| json!({
            "trustworthiness": trustworthiness, "continuity": continuity, "seconds": seconds,
        })),
        "all": {
            "trustworthiness": found.trustworthiness.value,
            "error": found.trustworthiness.error,
            "seconds": start.elapsed().as_secs_f64(),
        },
    }))
}
