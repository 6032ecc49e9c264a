//! New rows in a map that is held still.
//!
//! The steps are those of the layout, at a quarter of their size; the rows that a new one is driven away from are drawn by the number of the
//! step alone, so that they are the same for every new row.

use ndarray::{Array2, ArrayViewMut1};
use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::schedule::mix;

/// The first step, as a share of that of the layout.
const QUIETER: f64 = 0.25;
/// Added to squared distances, so that rows at the same place do not fly apart.
const SOFT: f64 = 1e-3;
/// The largest slope along a coordinate.
const STEEPEST: f64 = 4.0;
/// What the mark that shows which ties are due moves on by: the golden ratio.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// How new rows are moved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Still {
    /// Similarity by distance in the map.
    pub curve: Curve,
    /// Epochs.
    pub n_epochs: usize,
    /// Rows drawn at random for every step to a neighbour.
    pub n_negative: usize,
    /// Weight of the repulsion.
    pub repulsion: f64,
    /// The size of the layout's first steps.
    pub learning_rate: f64,
    /// Seed of what is drawn.
    pub seed: u64,
}

impl Still {
    /// Puts the place of a row that is tied to rows of a map, each with a weight, into `target`.
    pub fn place(
        &self,
        map: &Array2<f64>,
        ties: &[(usize, f64)],
        mut target: ArrayViewMut1<'_, f64>,
    ) {
        let strongest = ties.iter().fold(0.0_f64, |most, tie| most.max(tie.1));
        let total: f64 = ties.iter().map(|tie| tie.1).sum();
        target.fill(0.0);
        for &(row, weight) in ties {
            target.scaled_add(weight / total, &map.row(row));
        }
        let least = strongest / self.n_epochs.max(1) as f64;
        let kept: Vec<(usize, f64)> = (ties.iter().filter(|tie| tie.1 >= least))
            .map(|&(row, weight)| (row, weight / strongest))
            .collect();
        for epoch in 0..self.n_epochs {
            let left = 1.0 - epoch as f64 / self.n_epochs as f64;
            let rate = QUIETER * self.learning_rate * left;
            let mark = (epoch as f64 * GOLDEN).fract();
            let (mut sum, mut number) = (1.0 - mark, 0);
            for &(row, weight) in &kept {
                let before = sum;
                sum += weight;
                if sum.floor() > before.floor() {
                    self.step(map, row, (rate, epoch, number), &mut target);
                    number += 1;
                }
            }
        }
    }

    /// One step towards a row, and away from others.
    fn step(
        &self,
        map: &Array2<f64>,
        row: usize,
        (rate, epoch, number): (f64, usize, usize),
        place: &mut ArrayViewMut1<'_, f64>,
    ) {
        let Curve { a, b } = self.curve;
        let squared = apart(place, map, row);
        if squared > 0.0 {
            let power = squared.powf(b);
            let slope = 2.0 * a * b * power / (squared * (1.0 + a * power));
            let share = (rate * slope).min(1.0);
            for (own, other) in place.iter_mut().zip(map.row(row)) {
                *own -= (share * (*own - other)).clamp(-STEEPEST * rate, STEEPEST * rate);
            }
        }
        let key = self.seed ^ mix(((epoch as u64) << 32) | number as u64);
        for draw in 0..self.n_negative as u64 {
            let drawn = mix(key.wrapping_add(draw)) >> 32;
            let other = ((drawn * map.nrows() as u64) >> 32) as usize;
            let squared = apart(place, map, other);
            let slope = 2.0 * b * self.repulsion / ((squared + SOFT) * (1.0 + a * squared.powf(b)));
            for (own, other) in place.iter_mut().zip(map.row(other)) {
                *own += rate * (slope * (*own - other)).clamp(-STEEPEST, STEEPEST);
            }
        }
    }
}

fn apart(place: &ArrayViewMut1<'_, f64>, map: &Array2<f64>, row: usize) -> f64 {
    let pairs = place.iter().zip(map.row(row));
    pairs.map(|(x, y)| (x - y) * (x - y)).sum()
}
