//! Feature selection from end to end: the choices of scikit-learn and mlxtend, bad inputs, groups, the same bits.

mod inputs;
mod peers;

use charta::data::OwnedFeatures;
use charta::methods::sequential_selection::SequentialSelection;
use charta::{Data, Labels};
use charta_io::{Content, ReadOptions, Table, read};
use ndarray::Array2;

/// Built-in data: its features and, for every row, its label.
fn built_in(name: &str) -> (Array2<f64>, Table) {
    let table = read(&name.replace('_', "-"), &ReadOptions::default()).unwrap();
    let x = match &table.content {
        Content::Features(OwnedFeatures::F64(x)) => x.clone(),
        Content::Features(OwnedFeatures::F32(x)) => x.mapv(f64::from),
        other => panic!("{name}: {other:?}"),
    };
    (x, table)
}

/// Rows of three classes: columns 0 and 2 tell them apart, the others are noise.
fn sample(n_rows: usize, n_columns: usize) -> (Array2<f64>, Labels<'static>) {
    let mut numbers = charta::random::stream(5, 1);
    let x = Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
        let apart = match j {
            0 => 2.5 * ((i % 3) as f64 - 1.0),
            2 => 2.5 * f64::from(u8::from(i % 3 == 1)),
            _ => 0.0,
        };
        apart + charta::random::normal(&mut numbers)
    });
    let words: Vec<String> = (0..n_rows).map(|i| format!("group {}", i % 3)).collect();
    (x, Labels::from_words(&words))
}

fn labelled<'a>(x: &'a Array2<f64>, labels: &Labels<'a>) -> Data<'a> {
    Data::from(x).with_labels(labels.clone()).unwrap()
}

fn method() -> SequentialSelection {
    SequentialSelection::default()
}
