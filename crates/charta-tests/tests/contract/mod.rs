//! The contract: every method of the registry passes every check. What a method takes and offers says its `Info`, which is checked
//! too.

mod forged;
mod inputs;
mod parameters;
mod results;
mod runs;

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use charta::data::{Batches, Neighbors, Precision, RowBatches, Scaler, Scaling, SparseRows};
use charta::method::{Capability, Input, LabelUse, Shape};
use charta::methods::{METHODS, find};
use charta::model::Figure;
use charta::params::{Form, Kind, Range};
use charta::pipeline::Fitted;
use charta::registry::Entry;
use charta::{Data, Error, Event, Features, Labels, Result, Run, Warning};
use ndarray::{Array2, ArrayView2, Axis, ShapeBuilder};
use serde_json::{Value as Json, json};

fn sample(n_rows: usize, n_columns: usize) -> Array2<f64> {
    let mut stream = charta::random::stream(11, 0);
    Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
        let group = (i % 3) as f64 * 4.0;
        group * ((j % 3) as f64 - 1.0)
            + (1.0 + j as f64 / 4.0) * charta::random::normal(&mut stream)
    })
}

fn labels(n_rows: usize) -> Labels<'static> {
    let words: Vec<String> = (0..n_rows).map(|i| format!("group {}", i % 3)).collect();
    Labels::from_words(&words)
}

/// A sample that the method takes: one that wants no negative values gets none.
fn sample_for(entry: &Entry, n_rows: usize, n_columns: usize) -> Array2<f64> {
    suited(entry, &sample(n_rows, n_columns))
}

fn suited(entry: &Entry, x: &Array2<f64>) -> Array2<f64> {
    if entry.info.takes(Input::Nonnegative) {
        x.mapv(f64::abs)
    } else {
        x.clone()
    }
}

/// Data with labels, and with its columns in two views for a method that wants them.
fn labelled<'a>(entry: &Entry, features: impl Into<Features<'a>>) -> Data<'a> {
    let data = viewed(entry, features);
    let n_rows = data.n_rows();
    data.with_labels(labels(n_rows)).unwrap()
}

fn viewed<'a>(entry: &Entry, features: impl Into<Features<'a>>) -> Data<'a> {
    let data = Data::new(features);
    let n_columns = data.n_columns();
    if !entry.info.takes(Input::Views) || n_columns < 2 {
        return data;
    }
    let left = n_columns / 2;
    data.with_view_widths(&[left, n_columns - left]).unwrap()
}

fn fit(entry: &'static Entry, run: &Run<'_>, data: &Data<'_>) -> Result<Fitted> {
    entry
        .parse(&json!({}))
        .and_then(|method| Fitted::fit(method.as_ref(), run, data, None))
}

fn bits(x: ArrayView2<'_, f64>) -> Vec<u64> {
    x.iter().map(|value| value.to_bits()).collect()
}

fn largest(x: ArrayView2<'_, f64>) -> f64 {
    x.iter()
        .fold(0.0, |largest, value| largest.max(value.abs()))
}

/// Runs a check for every method and names the one that fails.
fn for_each(check: impl Fn(&'static Entry)) {
    assert!(!METHODS.is_empty());
    for entry in METHODS {
        eprintln!("method {}", entry.info.name);
        check(entry);
    }
}

fn sparse(x: &Array2<f64>) -> SparseRows<f64> {
    let entries = x
        .indexed_iter()
        .filter(|((i, j), _)| (i * 7 + j) % 3 == 0)
        .map(|((i, j), value)| (i, j, *value))
        .collect();
    SparseRows::from_entries(x.nrows(), x.ncols(), entries).unwrap()
}

fn dense(rows: &SparseRows<f64>) -> Array2<f64> {
    let features = Features::from(rows.view());
    features.dense_rows(0, features.n_rows())
}

/// The same map; or, where there are several minima, one whose stress or loss is within a hundredth. Minima of the divergence are many
/// more: one within a twentieth.
fn alike(what: &str, ours: &Fitted, other: &Fitted, tolerance: f64) {
    if !ours.entry().info.many_minima {
        let (a, b) = (ours.model().embedding(), other.model().embedding());
        return near(what, a.unwrap(), b.unwrap(), tolerance);
    }
    let reached = |fitted: &Fitted| {
        let report = fitted.diagnostics();
        let figures = [
            ("stress", 0.01),
            ("loss", 0.01),
            ("quantization_error", 0.01),
            ("inertia", 0.01),
            ("kl_divergence", 0.05),
        ];
        let named = |(name, share): &(&str, f64)| Some((report.value(name)?, *share));
        figures.iter().find_map(named).unwrap()
    };
    let ((a, share), (b, _)) = (reached(ours), reached(other));
    assert!((a - b).abs() <= share * b, "{what}: {a} for {b}");
}

fn near(what: &str, a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>, tolerance: f64) {
    assert_eq!(a.dim(), b.dim(), "{what}");
    let apart = (&a - &b).iter().fold(0.0_f64, |most, d| most.max(d.abs()));
    let share = apart / largest(b).max(f64::MIN_POSITIVE);
    assert!(share <= tolerance, "{what}: off by {share:.1e}");
}
