//! Scaling of distances: maps whose true coordinates are known, weights, gaps, orders, new rows.

mod classical;
mod europe;
mod sammon;
mod smacof;

use charta::Run;
use charta::quality::procrustes;
use charta::random::{normal, stream};
use ndarray::{Array2, ArrayView2};

fn cloud(n_rows: usize, n_columns: usize, seed: u64) -> Array2<f64> {
    let mut draw = stream(seed, 0);
    Array2::from_shape_simple_fn((n_rows, n_columns), || normal(&mut draw))
}

fn between(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((a.nrows(), b.nrows()), |(i, j)| {
        let apart = &a.row(i) - &b.row(j);
        apart.dot(&apart).sqrt()
    })
}

fn distances(x: &Array2<f64>) -> Array2<f64> {
    between(x, x)
}

/// What is left after one map is laid over another, as a fraction of its size.
fn unlike(map: ArrayView2<'_, f64>, truth: &Array2<f64>) -> f64 {
    procrustes::align(&map, &truth.view()).unwrap().disparity
}

fn threads(count: usize) -> Run<'static> {
    Run::new().threads(count).unwrap()
}
