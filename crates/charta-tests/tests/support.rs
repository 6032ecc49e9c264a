//! What tests share: stored references, data, and comparisons that say where they fail.

use std::path::{Path, PathBuf};

use charta::data::OwnedFeatures;
use charta_io::{Content, ReadOptions, Table, read};
use ndarray::{Array1, Array2, ArrayView2};
use serde_json::Value as Json;

/// A stored reference.
pub(crate) fn golden(name: &str) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// Built-in data.
pub(crate) fn built_in(name: &str) -> Table {
    read(name, &ReadOptions::default()).unwrap()
}

/// The features of built-in data, dense and in double precision.
pub(crate) fn dense(name: &str) -> Array2<f64> {
    let x = match built_in(name).content {
        Content::Features(OwnedFeatures::F64(x)) => x,
        Content::Features(OwnedFeatures::F32(x)) => x.mapv(f64::from),
        other => panic!("{name}: {other:?}"),
    };
    if name == "diabetes" {
        unit_columns(x)
    } else {
        x
    }
}

/// Centred columns of length 1: how scikit-learn hands out the diabetes data.
fn unit_columns(mut x: Array2<f64>) -> Array2<f64> {
    for mut column in x.columns_mut() {
        let mean = column.sum() / column.len() as f64;
        column -= mean;
        let length = column.dot(&column).sqrt();
        column /= length;
    }
    x
}

/// Fails if a reference was made of other data.
pub(crate) fn check_same_data(x: &Array2<f64>, reference: &Json) {
    let data = &reference["data"];
    assert_eq!(x.nrows() as f64, number(&data["n_rows"]));
    let squares: f64 = x.iter().map(|v| v * v).sum();
    close(
        "squares of the data",
        squares,
        number(&data["sum_of_squares"]),
        1e-9,
    );
    let apart = (x.sum() - number(&data["sum"])).abs();
    assert!(
        apart <= 1e-9 * squares.sqrt(),
        "sum of the data: off by {apart}"
    );
}

/// Signs that make our axes, one a row, those of the reference.
pub(crate) fn signs(ours: &Array2<f64>, theirs: &Array2<f64>) -> Array1<f64> {
    ours.rows()
        .into_iter()
        .zip(theirs.rows())
        .map(|(a, b)| a.dot(&b).signum())
        .collect()
}

/// Our columns with the signs of theirs.
pub(crate) fn turned(ours: &ArrayView2<'_, f64>, theirs: &Array2<f64>) -> Array2<f64> {
    let mut turned = ours.to_owned();
    for (mut a, b) in turned.columns_mut().into_iter().zip(theirs.columns()) {
        let sign = a.dot(&b).signum();
        a *= sign;
    }
    turned
}

/// Data that the project does not carry. Tests that need it are ignored, so that a run without it counts them; `cargo xtask test` includes them where
/// the folder is there.
pub(crate) fn outside_data(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    assert!(path.exists(), "{} is not there", path.display());
    path
}

pub(crate) fn number(json: &Json) -> f64 {
    json.as_f64()
        .unwrap_or_else(|| panic!("not a number: {json}"))
}

pub(crate) fn vector(json: &Json) -> Array1<f64> {
    json.as_array()
        .unwrap_or_else(|| panic!("not a list: {json}"))
        .iter()
        .map(number)
        .collect()
}

pub(crate) fn indices(json: &Json) -> Vec<usize> {
    vector(json).iter().map(|&value| value as usize).collect()
}

pub(crate) fn matrix(json: &Json) -> Array2<f64> {
    let rows: Vec<Array1<f64>> = json.as_array().unwrap().iter().map(vector).collect();
    let n_columns = rows.first().map_or(0, Array1::len);
    Array2::from_shape_fn((rows.len(), n_columns), |(i, j)| rows[i][j])
}

/// Numbers agree to a fraction of the reference.
pub(crate) fn close(what: &str, ours: f64, theirs: f64, tolerance: f64) {
    let error = (ours - theirs).abs() / theirs.abs().max(f64::MIN_POSITIVE);
    assert!(
        error <= tolerance,
        "{what}: {ours} against {theirs}, off by {error:.1e}"
    );
}

/// Vectors agree, each entry to a fraction of itself.
pub(crate) fn close_each(what: &str, ours: &Array1<f64>, theirs: &Array1<f64>, tolerance: f64) {
    assert_eq!(ours.len(), theirs.len(), "{what}: length");
    for (place, (a, b)) in ours.iter().zip(theirs).enumerate() {
        close(&format!("{what}[{place}]"), *a, *b, tolerance);
    }
}

/// Matrices agree to a fraction of the reference's largest entry.
pub(crate) fn close_whole(
    what: &str,
    ours: &ArrayView2<'_, f64>,
    theirs: &ArrayView2<'_, f64>,
    tolerance: f64,
) {
    assert_eq!(ours.dim(), theirs.dim(), "{what}: shape");
    let scale = theirs
        .iter()
        .fold(0.0_f64, |largest, v| largest.max(v.abs()));
    for ((place, a), b) in ours.indexed_iter().zip(theirs) {
        let error = (a - b).abs() / scale;
        assert!(
            error <= tolerance,
            "{what}{place:?}: {a} against {b}, off by {error:.1e}"
        );
    }
}
