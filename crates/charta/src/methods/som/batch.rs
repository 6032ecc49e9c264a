//! One epoch of batch training: every unit moves to the mean of all rows, weighted by how near their own unit is on the grid.
//!
//! w = Σ h(u, v) s_v / Σ h(u, v) n_v over all units v, with the sum s and the count n of the rows that fall to them: rows are added up once,
//! and what is weighted are the sums (Kohonen, "Essentials of the self-organizing map", 2013).

use ndarray::{Array1, Array2, ArrayView1, Axis, s};
use rayon::prelude::*;

use super::Matching;
use super::Space;
use super::neighborhood::Weights;
use crate::data::Features;
use crate::error::Result;
use crate::linalg::product::product_into;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Units whose rows one job adds up.
const SUMMED: usize = 16;
/// Units that one job moves.
pub(super) const MOVED: usize = 128;
/// A unit that all rows together reach with less weight than this stays where it is.
const LEAST: f64 = 1e-200;

/// Moves all units once.
pub(super) fn step(
    run: &Run<'_>,
    space: &Space,
    features: &Features<'_>,
    matching: &Matching,
    weights: &Weights,
    units: &mut Array2<f64>,
) -> Result<()> {
    let members = Members::of(matching, units.nrows());
    let sums = members.sums(run, space, features)?;
    let counts: Array1<f64> = (0..units.nrows())
        .map(|unit| members.of_unit(unit).len() as f64)
        .collect();
    let moved = map_blocks(run, units.nrows(), MOVED, |block| {
        let mut shares = Array2::zeros((block.len(), units.nrows()));
        for (unit, mut shares) in block.clone().zip(shares.rows_mut()) {
            weights.each(unit, |other, weight| shares[other] = weight);
        }
        let mut moved = Array2::zeros((block.len(), units.ncols()));
        product_into(moved.view_mut(), &shares.view(), &sums.view());
        for ((unit, mut moved), shares) in block.zip(moved.rows_mut()).zip(shares.rows()) {
            let total = product(shares, &counts);
            if total > LEAST {
                moved /= total;
            } else {
                moved.assign(&units.row(unit));
            }
        }
        moved
    })?;
    let mut first = 0;
    for block in moved {
        let end = first + block.nrows();
        units.slice_mut(s![first..end, ..]).assign(&block);
        first = end;
    }
    Ok(())
}

fn product(shares: ArrayView1<'_, f64>, counts: &Array1<f64>) -> f64 {
    let pairs = shares.into_iter().zip(counts);
    pairs.map(|(share, count)| share * count).sum()
}

/// The rows of every unit, in order.
struct Members {
    rows: Vec<u32>,
    starts: Vec<usize>,
}

impl Members {
    fn of(matching: &Matching, n_units: usize) -> Self {
        let mut starts = vec![0; n_units + 1];
        for &unit in &matching.best {
            starts[unit as usize + 1] += 1;
        }
        for unit in 0..n_units {
            starts[unit + 1] += starts[unit];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; matching.n_rows()];
        for (row, &unit) in matching.best.iter().enumerate() {
            rows[next[unit as usize]] = row as u32;
            next[unit as usize] += 1;
        }
        Self { rows, starts }
    }

    fn of_unit(&self, unit: usize) -> &[u32] {
        &self.rows[self.starts[unit]..self.starts[unit + 1]]
    }

    /// The sum of the rows of every unit.
    fn sums(&self, run: &Run<'_>, space: &Space, features: &Features<'_>) -> Result<Array2<f64>> {
        let mut sums = Array2::zeros((self.starts.len() - 1, features.n_columns()));
        sums.axis_chunks_iter_mut(Axis(0), SUMMED)
            .into_par_iter()
            .enumerate()
            .try_for_each(|(block, mut sums)| {
                run.check()?;
                for (place, mut sum) in sums.rows_mut().into_iter().enumerate() {
                    let sum = sum.as_slice_mut().expect("a new array is in row order");
                    space.sum_into(features, self.of_unit(block * SUMMED + place), sum);
                }
                Ok(())
            })?;
        Ok(sums)
    }
}
