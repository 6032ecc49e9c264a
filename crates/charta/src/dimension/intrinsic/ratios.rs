//! TwoNN: the ratio of the distances to the second and the first neighbour.

use ndarray::Array1;

use super::{Found, all_the_same};
use crate::data::Neighbors;
use crate::error::{Error, Result, message};

/// Rows around a row, and itself, whose ratios estimate its local dimension.
const AROUND: usize = 20;
/// Logarithms of ratios below this are ties: the two distances differ by rounding only.
const TIE: f64 = 1e-9;
/// Rows drawn at random have few ties; with more than this fraction the estimate would be of the rounding.
const MOST_TIES: f64 = 0.2;

/// In a space of d dimensions, the ratio μ of the distances to the second and the first neighbour has the
/// distribution 1 − μ^(−d) (Facco et al. 2017). The slope through the origin of −log(1 − F) against log μ is d; the
/// fraction `discard` of the largest ratios is left out. At a row it is the number of ratios around it by the sum of
/// their logarithms, which is the likeliest. Of rows at the same point only the first counts: every ratio would be 1
/// where all rows come twice.
pub fn two_nn(table: &Neighbors, discard: f64) -> Result<Found> {
    let logarithms: Vec<Option<f64>> = (0..table.n_rows()).map(|row| ratio(table, row)).collect();
    let mut sorted: Vec<f64> = logarithms.iter().flatten().copied().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    let n_ties = sorted.partition_point(|&logarithm| logarithm < TIE);
    if n_ties as f64 > MOST_TIES * n as f64 {
        return Err(Error::degenerate(message!(
            "the first two neighbours of {n_ties} of {n} {:rows} are equally far: they lie on a regular grid or curve, and the ratio \
             of both distances says nothing"
        )));
    }
    let kept = ((n as f64 * (1.0 - discard)) as usize).min(n.saturating_sub(1));
    let (mut xy, mut xx) = (0.0, 0.0);
    for (before, x) in sorted[..kept].iter().enumerate() {
        // The last of all would be at infinity: it is never kept.
        let y = -(1.0 - (before + 1) as f64 / n as f64).ln();
        xy += x * y;
        xx += x * x;
    }
    if xx <= 0.0 {
        return Err(all_the_same());
    }
    Ok((xy / xx, Some(around(table, &logarithms))))
}

/// log μ of a row, if it is the first at its point and has two such neighbours at a distance.
fn ratio(table: &Neighbors, row: usize) -> Option<f64> {
    if !is_first(table, row) {
        return None;
    }
    let (indices, distances) = table.row(row);
    let mut others = indices
        .iter()
        .zip(distances)
        .filter(|(index, distance)| **distance > 0.0 && is_first(table, **index as usize));
    let (first, second) = (others.next()?.1, others.next()?.1);
    Some((second / first).ln())
}

/// True if no row before it lies at the same point. Neighbours at the same distance stand in the order of the rows.
fn is_first(table: &Neighbors, row: usize) -> bool {
    let (indices, distances) = table.row(row);
    let before = indices.first().is_some_and(|&index| (index as usize) < row);
    !(before && distances.first() == Some(&0.0))
}

fn around(table: &Neighbors, logarithms: &[Option<f64>]) -> Array1<f64> {
    let at = |row: usize| {
        let near = table
            .row(row)
            .0
            .iter()
            .take(AROUND)
            .map(|&index| index as usize);
        let known: Vec<f64> = near
            .chain([row])
            .filter_map(|index| logarithms[index])
            .collect();
        let sum: f64 = known.iter().sum();
        if sum > 0.0 {
            known.len() as f64 / sum
        } else {
            f64::NAN
        }
    };
    (0..table.n_rows()).map(at).collect()
}
