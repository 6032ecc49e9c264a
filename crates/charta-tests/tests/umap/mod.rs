//! UMAP: its graph and quality against umap-learn's, and what it does with difficult data.

mod further;
mod graph;
mod quality;
mod robust;
mod targets;

use charta::data::OwnedFeatures;
use charta::methods::umap::Umap;
use charta_io::{Content, ReadOptions, read};
use ndarray::{Array2, ArrayView2, s};
use serde_json::Value as Json;

/// The stored reference.
pub(crate) fn golden() -> Json {
    crate::support::golden("umap_digits.json")
}

/// Digits and their classes.
pub(crate) fn digits() -> (Array2<f64>, Vec<u32>) {
    let table = read("digits", &ReadOptions::default()).unwrap();
    let classes = {
        let data = table.data().unwrap();
        let labels = data.labels().unwrap();
        (0..data.n_rows())
            .map(|row| labels.text(row).parse::<f64>().unwrap() as u32)
            .collect()
    };
    match table.content {
        Content::Features(OwnedFeatures::F64(x)) => (x, classes),
        Content::Features(OwnedFeatures::F32(x)) => (x.mapv(f64::from), classes),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn first_rows(x: &Array2<f64>, count: usize) -> Array2<f64> {
    x.slice(s![..count, ..]).to_owned()
}

pub(crate) fn numbers(json: &Json) -> Vec<f64> {
    let values = json.as_array().unwrap().iter();
    values.map(|value| value.as_f64().unwrap()).collect()
}

/// UMAP from a seed.
pub(crate) fn seeded(seed: u64) -> Umap {
    let mut method = Umap::default();
    method.search.seed = seed;
    method
}

pub(crate) fn bits(x: ArrayView2<'_, f64>) -> Vec<u64> {
    x.iter().map(|value| value.to_bits()).collect()
}

/// How far the furthest row is from the middle, in units of the median.
pub(crate) fn furthest(x: ArrayView2<'_, f64>) -> f64 {
    let middle = x.mean_axis(ndarray::Axis(0)).unwrap();
    let mut lengths: Vec<f64> = (x.rows().into_iter())
        .map(|row| (&row - &middle).mapv(|v| v * v).sum().sqrt())
        .collect();
    lengths.sort_by(f64::total_cmp);
    lengths[lengths.len() - 1] / lengths[lengths.len() / 2]
}
