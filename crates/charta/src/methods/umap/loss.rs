//! The loss that negative sampling minimizes in expectation.
//!
//! Negative samples are drawn in proportion to the weights of a row, so that the sum is not the cross-entropy of all pairs but
//! Σᵢⱼ wᵢⱼ (−ln qᵢⱼ) + m/n Σᵢⱼ Wᵢ (−ln (1 − qᵢⱼ)) with Wᵢ = Σⱼ wᵢⱼ and m rows drawn for each step. Damrich and Hamprecht, "On UMAP's
//! true loss function", 2021.

use ndarray::Array2;

use super::curve::Curve;
use super::fuzzy_graph::FuzzyGraph;
use crate::error::Result;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows that one job handles.
const BLOCK: usize = 16;
/// Pairs of which the repulsion is measured, at most.
const PAIRS: usize = 1 << 24;
/// Added to squared distances, as in the steps.
const SOFT: f64 = 1e-3;

/// The loss per row; the repulsion by a sample of rows if there are many.
pub(super) fn loss(
    run: &Run<'_>,
    graph: &FuzzyGraph,
    layout: &Array2<f64>,
    curve: &Curve,
    n_negative: f64,
) -> Result<f64> {
    let n = layout.nrows();
    let unit = 1.0 / f64::from(graph.largest()).max(f64::MIN_POSITIVE);
    let every = (n * n).div_ceil(PAIRS).max(1);
    let squared = |a: usize, b: usize| -> f64 {
        let pairs = layout.row(a).into_iter().zip(layout.row(b));
        pairs.map(|(x, y)| (x - y) * (x - y)).sum()
    };
    let sums = map_blocks(run, n.div_ceil(every), BLOCK, |rows| {
        let mut sum = 0.0;
        for row in rows.map(|number| number * every) {
            let (neighbors, weights) = graph.row(row);
            let mut total = 0.0;
            for (&neighbor, &weight) in neighbors.iter().zip(weights) {
                let weight = f64::from(weight) * unit;
                let away = curve.a * squared(row, neighbor as usize).powf(curve.b);
                sum += weight * away.ln_1p();
                total += weight;
            }
            let mut repelled = 0.0;
            for other in (0..n).filter(|&other| other != row) {
                let away = curve.a * (squared(row, other) + SOFT).powf(curve.b);
                repelled += (1.0 / away).ln_1p();
            }
            sum += n_negative * total / n as f64 * repelled;
        }
        sum
    })?;
    Ok(sums.iter().sum::<f64>() / n.div_ceil(every) as f64)
}
