//! PaCMAP against pacmap 0.9, on held-out rows, and at the edges of what it can do.

mod edges;
mod reference;
mod sources;

use charta::data::OwnedFeatures;
use charta::methods::pacmap::Pacmap;
use charta::methods::pacmap::PacmapModel;
use charta::neighbors::Search;
use charta::{Fit, Model};
use charta_io::{Content, ReadOptions, read};
use ndarray::Array2;

/// Digits in double precision, and their classes.
fn digits() -> (Array2<f64>, Vec<u32>) {
    let table = read("digits", &ReadOptions::default()).unwrap();
    let labels = table.labels.as_ref().unwrap().1.reborrow();
    let classes = (0..labels.len())
        .map(|row| labels.text(row).parse().unwrap())
        .collect();
    let rows = match table.content {
        Content::Features(OwnedFeatures::F64(x)) => x,
        Content::Features(OwnedFeatures::F32(x)) => x.mapv(f64::from),
        other => panic!("{other:?}"),
    };
    (rows, classes)
}

fn seeded(seed: u64) -> Pacmap {
    Pacmap {
        search: Search {
            seed,
            ..Search::default()
        },
        ..Pacmap::default()
    }
}

fn sample(n_rows: usize, n_columns: usize) -> Array2<f64> {
    let mut stream = charta::random::stream(7, 0);
    Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
        let group = (i % 3) as f64 * 4.0 * ((j % 3) as f64 - 1.0);
        group + charta::random::normal(&mut stream)
    })
}

fn bits(model: &PacmapModel) -> Vec<u64> {
    let map = model.embedding().unwrap();
    map.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn the_bits_are_the_same_for_1_2_and_7_threads_at_odd_sizes() {
    for (n_rows, n_columns) in [(17, 3), (701, 5), (1537, 130)] {
        let x = sample(n_rows, n_columns);
        let outcome = |threads| {
            let run = charta::Run::new().threads(threads).unwrap();
            bits(&Pacmap::default().fit_with(&run, &x).unwrap())
        };
        let one = outcome(1);
        assert!(one == outcome(2) && one == outcome(7), "{n_rows} rows");
    }
}
