//! Initialization of the centres: k-means++.
//!
//! Each further centre is a row drawn with a probability proportional to its squared distance from the
//! nearest centre so far, times its weight. Several are drawn, and the one that lowers the sum of those distances most is
//! kept, as scikit-learn does.
//!
//! Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", 2007.

use ndarray::{Array1, Array2};

use super::points::{BLOCK, Centers, Points, Stored};
use crate::error::Result;
use crate::parallel::map_blocks;
use crate::random::{Stream, below, permutation, uniform};
use crate::run::Run;

/// Initial centres, about the points' mean.
pub(super) fn first_centers<T: Stored>(
    run: &Run<'_>,
    points: &Points<'_, T>,
    n_clusters: usize,
    draw: &mut Stream,
) -> Result<Array2<f64>> {
    let n_trials = 2 + (n_clusters as f64).ln() as usize;
    let mut chosen = match points.weights() {
        Some(weights) => drawn(weights.iter().copied(), 1, draw),
        None => vec![below(draw, points.n_rows())],
    };
    let mut nearest = vec![T::infinity(); points.n_rows()];
    nearest = closer(run, points, &chosen, &nearest)?.remove(0).1;
    while chosen.len() < n_clusters {
        let apart = nearest.iter().map(|apart| apart.wide());
        let candidates = match points.weights() {
            Some(weights) => drawn(apart.zip(weights).map(|(a, w)| a * w), n_trials, draw),
            None => drawn(apart, n_trials, draw),
        };
        let outcomes = closer(run, points, &candidates, &nearest)?;
        let mut best = 0;
        for (index, outcome) in outcomes.iter().enumerate() {
            if outcome.0 < outcomes[best].0 {
                best = index;
            }
        }
        chosen.push(candidates[best]);
        nearest = outcomes.into_iter().nth(best).map_or(nearest, |it| it.1);
    }
    Ok(rows_of(points, &chosen))
}

/// Rows drawn without replacement, about the points' mean.
pub(super) fn random_centers<T: Stored>(
    points: &Points<'_, T>,
    n_clusters: usize,
    draw: &mut Stream,
) -> Array2<f64> {
    let mut order = match points.weights() {
        Some(weights) => weighted_order(weights, draw),
        None => permutation(draw, points.n_rows()),
    };
    order.truncate(n_clusters);
    rows_of(points, &order)
}

/// A random order in which the next row is drawn with a probability proportional to its weight: waiting times that are
/// exponential with the weights as rates, sorted. Rows of weight 0 come last.
fn weighted_order(weights: &Array1<f64>, draw: &mut Stream) -> Vec<usize> {
    let waits: Vec<f64> = (weights.iter())
        .map(|weight| -(1.0 - uniform(draw)).ln() / weight)
        .map(|wait| if wait.is_nan() { f64::INFINITY } else { wait })
        .collect();
    let mut order: Vec<usize> = (0..waits.len()).collect();
    order.sort_by(|&a, &b| waits[a].total_cmp(&waits[b]).then(a.cmp(&b)));
    order
}

fn rows_of<T: Stored>(points: &Points<'_, T>, chosen: &[usize]) -> Array2<f64> {
    let mut centers = Array2::zeros((chosen.len(), points.mean.len()));
    for (mut center, &row) in centers.rows_mut().into_iter().zip(chosen) {
        center.assign(&points.row(row).mapv(T::wide));
    }
    centers
}

/// Rows drawn in proportion to `weights`; evenly if all are 0.
fn drawn(weights: impl Iterator<Item = f64>, count: usize, draw: &mut Stream) -> Vec<usize> {
    let mut sums = Vec::new();
    let mut total = 0.0;
    for weight in weights {
        total += weight;
        sums.push(total);
    }
    (0..count)
        .map(|_| {
            if total <= 0.0 {
                return below(draw, sums.len());
            }
            let mark = uniform(draw) * total;
            // The first row whose sum is above the mark: never one of weight 0.
            let index = sums.partition_point(|&sum| sum <= mark);
            index.min(sums.len() - 1)
        })
        .collect()
}

/// For every candidate: the squared distances to the nearest centre if it were one, and their weighted sum before them.
fn closer<T: Stored>(
    run: &Run<'_>,
    points: &Points<'_, T>,
    candidates: &[usize],
    nearest: &[T],
) -> Result<Vec<(f64, Vec<T>)>> {
    let mut rows = Array2::from_elem((candidates.len(), points.mean.len()), T::of(0.0));
    for (mut target, &row) in rows.rows_mut().into_iter().zip(candidates) {
        target.assign(&points.row(row));
    }
    let centers = Centers::new(rows);
    let parts = map_blocks(run, points.n_rows(), BLOCK, |rows| {
        let block = points.block(rows.clone());
        let mut table = centers.distances(&block, &points.lengths[rows.clone()]);
        for (mut row, &known) in table.rows_mut().into_iter().zip(&nearest[rows]) {
            row.mapv_inplace(|apart| if apart < known { apart } else { known });
        }
        table
    })?;
    let outcome = |index: usize| {
        let mut all = Vec::with_capacity(points.n_rows());
        for table in &parts {
            all.extend(table.column(index).iter().copied());
        }
        let sum: f64 = match points.weights() {
            Some(weights) => all.iter().zip(weights).map(|(a, w)| a.wide() * w).sum(),
            None => all.iter().map(|apart| apart.wide()).sum(),
        };
        (sum, all)
    };
    Ok((0..candidates.len()).map(outcome).collect())
}
