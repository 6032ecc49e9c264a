//! Out-of-sample placement: stochastic gradient descent for a new row while the training embedding is fixed.
//!
//! The steps are those of the optimization, at a quarter of its learning rate. The negative samples depend on the number of the step alone,
//! so that they are the same for every new row.

use ndarray::{Array2, ArrayViewMut1};
use serde::{Deserialize, Serialize};

use super::Umap;
use super::curve::Curve;
use super::schedule::mix;
use crate::data::loaded::{check_not_negative, check_parameter};
use crate::error::Result;

/// The initial learning rate, as a fraction of that of the optimization.
const RATE_SHARE: f64 = 0.25;
/// Added to squared distances in the repulsion, which would be infinite at distance 0.
const REPULSION_OFFSET: f64 = 1e-3;
/// Gradients are clipped to this, as in umap-learn.
const GRADIENT_CLIP: f64 = 4.0;
/// By this much the phase of the edges moves on in an epoch: the golden ratio.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Out-of-sample placement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutOfSample {
    /// Similarity by distance in the embedding.
    pub curve: Curve,
    /// Epochs.
    pub n_epochs: usize,
    /// Negative samples per positive edge.
    pub n_negative: usize,
    /// Weight of the repulsion.
    pub repulsion: f64,
    /// The initial learning rate of the optimization.
    pub learning_rate: f64,
    /// Seed of the negative samples.
    pub seed: u64,
}

impl OutOfSample {
    /// Fails if a number that was loaded is not one that the parameters of a fit allow.
    pub(super) fn validate(&self) -> Result<()> {
        let Self {
            curve: Curve { a, b },
            n_epochs,
            n_negative,
            repulsion,
            learning_rate,
            seed: _,
        } = self;
        check_not_negative("the curve's parameters", [a, b])?;
        check_parameter::<Umap>("n_epochs", n_epochs)?;
        check_parameter::<Umap>("negative_sample_rate", n_negative)?;
        check_parameter::<Umap>("repulsion_strength", repulsion)?;
        check_parameter::<Umap>("learning_rate", learning_rate)
    }

    /// Writes the coordinates of a new row, given its memberships to training rows, into `target`.
    pub fn embed(
        &self,
        embedding: &Array2<f64>,
        memberships: &[(usize, f64)],
        mut target: ArrayViewMut1<'_, f64>,
    ) {
        let strongest = (memberships.iter()).fold(0.0_f64, |most, edge| most.max(edge.1));
        let total: f64 = memberships.iter().map(|edge| edge.1).sum();
        target.fill(0.0);
        for &(row, weight) in memberships {
            target.scaled_add(weight / total, &embedding.row(row));
        }
        let least = strongest / self.n_epochs.max(1) as f64;
        let edges: Vec<(usize, f64)> = (memberships.iter().filter(|edge| edge.1 >= least))
            .map(|&(row, weight)| (row, weight / strongest))
            .collect();
        for epoch in 0..self.n_epochs {
            let left = 1.0 - epoch as f64 / self.n_epochs as f64;
            let rate = RATE_SHARE * self.learning_rate * left;
            let phase = (epoch as f64 * GOLDEN).fract();
            let (mut sum, mut number) = (1.0 - phase, 0);
            for &(row, weight) in &edges {
                let before = sum;
                sum += weight;
                if sum.floor() > before.floor() {
                    let key = self.seed ^ mix(((epoch as u64) << 32) | number);
                    self.attract(embedding, row, rate, &mut target);
                    self.repel(embedding, key, rate, &mut target);
                    number += 1;
                }
            }
        }
    }

    /// One step towards a row.
    fn attract(
        &self,
        embedding: &Array2<f64>,
        row: usize,
        rate: f64,
        target: &mut ArrayViewMut1<'_, f64>,
    ) {
        let Curve { a, b } = self.curve;
        let squared = squared_distance(target, embedding, row);
        if squared > 0.0 {
            let power = squared.powf(b);
            let slope = 2.0 * a * b * power / (squared * (1.0 + a * power));
            let share = (rate * slope).min(1.0);
            for (own, other) in target.iter_mut().zip(embedding.row(row)) {
                *own -= (share * (*own - other)).clamp(-GRADIENT_CLIP * rate, GRADIENT_CLIP * rate);
            }
        }
    }

    /// Steps away from the negative samples of a key.
    fn repel(
        &self,
        embedding: &Array2<f64>,
        key: u64,
        rate: f64,
        target: &mut ArrayViewMut1<'_, f64>,
    ) {
        let Curve { a, b } = self.curve;
        for draw in 0..self.n_negative as u64 {
            let drawn = mix(key.wrapping_add(draw)) >> 32;
            let row = ((drawn * embedding.nrows() as u64) >> 32) as usize;
            let squared = squared_distance(target, embedding, row);
            let below = (squared + REPULSION_OFFSET) * (1.0 + a * squared.powf(b));
            let slope = 2.0 * b * self.repulsion / below;
            for (own, other) in target.iter_mut().zip(embedding.row(row)) {
                *own += rate * (slope * (*own - other)).clamp(-GRADIENT_CLIP, GRADIENT_CLIP);
            }
        }
    }
}

fn squared_distance(target: &ArrayViewMut1<'_, f64>, embedding: &Array2<f64>, row: usize) -> f64 {
    let pairs = target.iter().zip(embedding.row(row));
    pairs.map(|(x, y)| (x - y) * (x - y)).sum()
}
