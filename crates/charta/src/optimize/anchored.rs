//! Rows that are pulled towards given coordinates while a layout is optimized: a quadratic term w/2 |y − t|² for each row with anchor t.
//!
//! A step of gradient descent is followed by the exact step of this term alone, y + (1 − exp(−w r)) (t − y) for the rate r: forward–backward
//! splitting, which no weight makes unstable.

use ndarray::Array2;
use rayon::prelude::*;

use crate::data::Data;
use crate::error::{Error, Result, message};
use crate::parallel::map_blocks;
use crate::random::{normal, stream};
use crate::run::Run;

/// Rows that one job places.
const BLOCK: usize = 1024;
/// Sweeps in which rows without an anchor go to the mean of their neighbours.
const SWEEPS: usize = 30;
/// Standard deviation of the noise that separates rows placed alike, as a fraction of that of the anchors.
const JITTER: f64 = 1e-3;

/// Anchors of the rows of a layout.
#[derive(Clone, Debug)]
pub(crate) struct Anchored {
    targets: Array2<f64>,
    weights: Vec<f32>,
}

impl Anchored {
    /// Those of the data, if there are any, for so many components.
    pub(crate) fn of(data: &Data<'_>, n_components: usize) -> Result<Option<Self>> {
        let given = data.anchors_of(n_components)?;
        Ok(given.map(|given| Self {
            targets: given.coordinates.as_standard_layout().into_owned(),
            weights: given.weights.iter().map(|&weight| weight as f32).collect(),
        }))
    }

    /// Where a row is pulled to.
    fn target(&self, row: usize) -> &[f64] {
        let width = self.targets.ncols();
        let all = self.targets.as_slice().unwrap_or(&[]);
        &all[row * width..(row + 1) * width]
    }

    /// Moves one row by a step of this rate.
    #[inline]
    pub(crate) fn pull(&self, row: usize, rate: f32, point: &mut [f32]) {
        let weight = self.weights[row];
        if weight > 0.0 {
            let share = -(-weight * rate).exp_m1();
            for (value, &target) in point.iter_mut().zip(self.target(row)) {
                *value += share * (target as f32 - *value);
            }
        }
    }

    /// Adds the gradient of the term to that of some rows, from `first` on.
    pub(crate) fn add_gradient(
        &self,
        first: usize,
        strength: f32,
        points: &[f32],
        gradient: &mut [f32],
    ) {
        let width = self.targets.ncols();
        let rows = points
            .chunks_exact(width)
            .zip(gradient.chunks_exact_mut(width));
        for (offset, (point, gradient)) in rows.enumerate() {
            let row = first + offset;
            let factor = strength * self.weights[row];
            if factor > 0.0 {
                let target = self.target(row);
                for ((gradient, &value), &target) in gradient.iter_mut().zip(point).zip(target) {
                    *gradient += factor * (value - target as f32);
                }
            }
        }
    }

    /// Initial coordinates: rows with an anchor start at it, each other row at the mean of its neighbours, which is found sweep by sweep.
    /// Rows that no path leads to from an anchor are spread at random over the map.
    pub(crate) fn initial<'n>(
        &self,
        run: &Run<'_>,
        seed: u64,
        neighbors: impl Fn(usize) -> &'n [u32] + Sync,
    ) -> Result<Array2<f64>> {
        let (n_rows, width) = self.targets.dim();
        let known: Vec<usize> = (0..n_rows).filter(|&row| self.weights[row] > 0.0).collect();
        if known.is_empty() {
            return Err(Error::degenerate(message!(
                "no {:row} has an anchor: give at least one {:row} a weight above 0"
            )));
        }
        let mut mean = vec![0.0; width];
        for &row in &known {
            for (mean, &value) in mean.iter_mut().zip(self.target(row)) {
                *mean += value / known.len() as f64;
            }
        }
        let squares = known.iter().map(|&row| {
            let pairs = self.target(row).iter().zip(&mean);
            pairs
                .map(|(value, mean)| (value - mean).powi(2))
                .sum::<f64>()
        });
        let deviation = (squares.sum::<f64>() / (known.len() * width) as f64).sqrt();
        let mut placed: Vec<bool> = self.weights.iter().map(|&weight| weight > 0.0).collect();
        let mut coordinates = self.targets.clone();
        for _ in 0..SWEEPS {
            let moved = map_blocks(run, n_rows, BLOCK, |rows| {
                let mut found = Vec::new();
                for row in rows.filter(|&row| self.weights[row] == 0.0) {
                    let near = neighbors(row).iter().map(|&other| other as usize);
                    let near: Vec<usize> = near.filter(|&other| placed[other]).collect();
                    if near.is_empty() {
                        continue;
                    }
                    let share = 1.0 / near.len() as f64;
                    let mut point = vec![0.0; width];
                    for &other in &near {
                        for (point, value) in point.iter_mut().zip(coordinates.row(other)) {
                            *point += share * value;
                        }
                    }
                    found.push((row, point));
                }
                found
            })?;
            for (row, point) in moved.into_iter().flatten() {
                placed[row] = true;
                for (value, point) in coordinates.row_mut(row).iter_mut().zip(point) {
                    *value = point;
                }
            }
        }
        let mut draw = stream(seed, 8);
        for (row, mut point) in coordinates.rows_mut().into_iter().enumerate() {
            for (value, mean) in point.iter_mut().zip(&mean) {
                let noise = deviation * normal(&mut draw);
                *value = if placed[row] {
                    *value + JITTER * noise
                } else {
                    mean + noise
                };
            }
        }
        Ok(coordinates)
    }

    /// Moves all rows by a step of this rate: row `row_of(rank)` has the coordinates at `rank`.
    pub(crate) fn pull_all<const D: usize>(
        &self,
        rate: f32,
        points: &mut [[f32; D]],
        row_of: impl Fn(usize) -> usize + Sync,
    ) {
        let blocks = points.par_chunks_mut(BLOCK).enumerate();
        blocks.for_each(|(block, points)| {
            for (offset, point) in points.iter_mut().enumerate() {
                self.pull(row_of(block * BLOCK + offset), rate, point);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    fn chain() -> Anchored {
        Anchored {
            targets: array![[0.0], [f64::NAN], [f64::NAN], [3.0], [f64::NAN]],
            weights: vec![1.0, 0.0, 0.0, 1.0, 0.0],
        }
    }

    #[test]
    fn rows_without_an_anchor_start_between_their_neighbours() {
        let near: [&[u32]; 5] = [&[1], &[0, 2], &[1, 3], &[2], &[]];
        let found = chain().initial(&Run::new(), 1, |row| near[row]).unwrap();
        for (row, expected) in [0.0, 1.0, 2.0, 3.0].into_iter().enumerate() {
            assert!((found[[row, 0]] - expected).abs() < 0.02, "{found}");
        }
        assert!(found[[4, 0]].is_finite());
        let free = Anchored {
            weights: vec![0.0; 5],
            ..chain()
        };
        assert!(free.initial(&Run::new(), 1, |row| near[row]).is_err());
    }

    #[test]
    fn no_weight_moves_a_row_beyond_its_anchor() {
        let mut points = [[1.0f32], [1.0], [1.0], [1.0], [1.0]];
        chain().pull_all(1e9, &mut points, |rank| rank);
        assert_eq!(points, [[0.0], [1.0], [1.0], [3.0], [1.0]]);
        let mut gradient = [0.0; 5];
        chain().add_gradient(0, 2.0, points.as_flattened(), &mut gradient);
        assert_eq!(gradient, [0.0; 5]);
    }
}
