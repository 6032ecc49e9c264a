//! Neighbours by every way, against distances computed here from the formulas.

mod algorithms;
mod given;
mod new_rows;

use charta::data::{Neighbors, SparseRows};
use charta::metric::Metric;
use charta::neighbors::{self, Algorithm, Found, Reference, Search};
use charta::random::{below, normal, stream};
use charta::{Data, Error, Run};
use ndarray::{Array2, ArrayView2, array};

const METRICS: [Metric; 10] = [
    Metric::Euclidean,
    Metric::Manhattan,
    Metric::Chebyshev,
    Metric::Minkowski,
    Metric::Cosine,
    Metric::Correlation,
    Metric::Hamming,
    Metric::Jaccard,
    Metric::Mahalanobis,
    Metric::InnerProduct,
];

fn search(metric: Metric) -> Search {
    Search {
        metric,
        power: 3.0,
        ..Search::default()
    }
}

fn normals(n_rows: usize, n_columns: usize, seed: u64) -> Array2<f64> {
    let mut numbers = stream(seed, 0);
    Array2::from_shape_fn((n_rows, n_columns), |_| normal(&mut numbers))
}

/// Small whole numbers, many of them zero: ties everywhere.
fn counts(n_rows: usize, n_columns: usize, seed: u64) -> Array2<f64> {
    let mut numbers = stream(seed, 0);
    Array2::from_shape_fn((n_rows, n_columns), |_| {
        [0.0, 0.0, 0.0, 1.0, 2.0, -1.0][below(&mut numbers, 6)]
    })
}

/// The distance between two rows straight from its definition.
fn by_formula(metric: Metric, a: &[f64], b: &[f64], inverse: &ArrayView2<'_, f64>) -> f64 {
    let n = a.len() as f64;
    let mean = |x: &[f64]| x.iter().sum::<f64>() / n;
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let cosine = |x: &[f64], y: &[f64]| {
        let (xx, yy) = (dot(x, x), dot(y, y));
        match (xx < 1e-20, yy < 1e-20) {
            (true, true) => 0.0,
            (false, false) => 1.0 - dot(x, y) / (xx * yy).sqrt(),
            _ => 1.0,
        }
    };
    let apart: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    let pairs = || a.iter().zip(b);
    match metric {
        Metric::Euclidean => dot(&apart, &apart).sqrt(),
        Metric::Manhattan => apart.iter().map(|v| v.abs()).sum(),
        Metric::Chebyshev => apart.iter().map(|v| v.abs()).fold(0.0, f64::max),
        Metric::Minkowski => apart.iter().map(|v| v.abs().powi(3)).sum::<f64>().cbrt(),
        Metric::Cosine => cosine(a, b),
        Metric::Correlation => {
            let centred = |x: &[f64]| x.iter().map(|v| v - mean(x)).collect::<Vec<_>>();
            cosine(&centred(a), &centred(b))
        }
        Metric::Hamming => pairs().filter(|(x, y)| x != y).count() as f64 / n,
        Metric::Jaccard => {
            let differ = pairs().filter(|(x, y)| (**x != 0.0) ^ (**y != 0.0)).count() as f64;
            let any = pairs().filter(|(x, y)| **x != 0.0 || **y != 0.0).count() as f64;
            if any == 0.0 { 0.0 } else { differ / any }
        }
        Metric::Mahalanobis => {
            let image: Vec<f64> = inverse
                .rows()
                .into_iter()
                .map(|r| dot(&r.to_vec(), &apart))
                .collect();
            dot(&image, &apart).max(0.0).sqrt()
        }
        Metric::InnerProduct => -dot(a, b),
        Metric::Tangent => panic!("has tests of its own"),
    }
}

fn inverse_covariance(x: &Array2<f64>) -> Array2<f64> {
    let centred = x - &x.mean_axis(ndarray::Axis(0)).unwrap();
    let covariance = centred.t().dot(&centred) / (x.nrows() - 1) as f64;
    crate::linear_algebra::pseudo_inverse(&covariance.view())
}

/// All distances of `rows` to `known`, by the formula.
fn all_by_formula(metric: Metric, rows: &Array2<f64>, known: &Array2<f64>) -> Array2<f64> {
    let inverse = match metric {
        Metric::Mahalanobis => inverse_covariance(known),
        _ => Array2::zeros((0, 0)),
    };
    Array2::from_shape_fn((rows.nrows(), known.nrows()), |(i, j)| {
        by_formula(
            metric,
            &rows.row(i).to_vec(),
            &known.row(j).to_vec(),
            &inverse.view(),
        )
    })
}

/// Fails unless the table holds the nearest by these distances, nearest first, up to rounding.
fn check(what: &str, table: &Neighbors, all: &Array2<f64>, count: usize, itself: bool, error: f64) {
    assert_eq!(table.n_rows(), all.nrows(), "{what}");
    for (row, line) in all.rows().into_iter().enumerate() {
        let (places, distances) = table.row(row);
        let mut right: Vec<f64> = (line.iter().enumerate())
            .filter(|(other, _)| !itself || *other != row)
            .map(|(_, distance)| *distance)
            .collect();
        right.sort_by(f64::total_cmp);
        assert_eq!(places.len(), count, "{what}, row {row}");
        for ((&place, &distance), right) in places.iter().zip(distances).zip(right) {
            let place = place as usize;
            assert!(
                !itself || place != row,
                "{what}: row {row} is its own neighbour"
            );
            let allowed = error * (1.0 + right.abs());
            assert!(
                (distance - right).abs() <= allowed,
                "{what}, row {row}: {distance} for {right}"
            );
            assert!(
                (line[place] - distance).abs() <= allowed,
                "{what}, row {row}, place {place}"
            );
        }
        let distinct: std::collections::HashSet<_> = places.iter().collect();
        assert_eq!(
            distinct.len(),
            count,
            "{what}, row {row}: a neighbour twice"
        );
    }
}

fn nearest<'a>(data: impl Into<Data<'a>>, search: &Search, count: usize) -> Found {
    neighbors::nearest(&Run::new(), &data.into(), search, count).unwrap()
}

fn sparse(x: &Array2<f64>) -> SparseRows<f64> {
    let entries = x
        .indexed_iter()
        .filter(|(_, value)| **value != 0.0)
        .map(|((i, j), value)| (i, j, *value))
        .collect();
    SparseRows::from_entries(x.nrows(), x.ncols(), entries).unwrap()
}
