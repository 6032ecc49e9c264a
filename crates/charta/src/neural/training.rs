//! Training parameters of networks: epochs, mini-batches, learning rate and its schedule, weight decay.

use std::ops::Range;

use crate::params::{Choice, Parameters};
use crate::random::{permutation, stream};

/// Random streams of orders come after those of initial weights.
const ORDERS: u64 = 1 << 32;

/// Schedule of the learning rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Schedule {
    /// Cosine annealing from the initial rate to 0 (Loshchilov and Hutter 2017).
    Cosine,
    /// Constant.
    Constant,
}

/// Training of a network by Adam.
#[derive(Clone, Debug, PartialEq, Parameters)]
#[param(title = "Training")]
pub struct Training {
    /// Number of epochs: passes over all rows. More epochs fit more closely; usually 20 to 500.
    #[param(default = 100, min = 1)]
    pub n_epochs: usize,
    /// Rows per mini-batch; with fewer rows, all of them. Smaller batches take more, noisier steps; usually 32 to 512.
    #[param(default = 256, min = 2)]
    pub batch_size: usize,
    /// Initial learning rate of Adam. Larger values learn faster and may diverge; usually 1e-4 to 1e-2.
    #[param(default = 1e-3, above = 0.0)]
    pub learning_rate: f64,
    /// Schedule of the learning rate. `cosine` ends with small steps, which converge more closely.
    #[param(default = Schedule::Cosine)]
    pub schedule: Schedule,
    /// Decoupled weight decay (AdamW). Larger values give smoother functions and less overfitting; usually 0 to 0.1.
    #[param(default = 0.0, min = 0.0)]
    pub weight_decay: f64,
    /// Seed of the initial weights and of the order of rows.
    #[param(default = 0)]
    pub seed: u64,
}

impl Training {
    /// The order of the rows in an epoch.
    pub(crate) fn order(&self, epoch: usize, n_rows: usize) -> Vec<usize> {
        permutation(&mut stream(self.seed, ORDERS + epoch as u64), n_rows)
    }

    /// The batches of an order: as few as possible, none larger than `batch_size`, their sizes at most 1 apart.
    pub(crate) fn batches(&self, n_rows: usize) -> Vec<Range<usize>> {
        let count = n_rows.div_ceil(self.batch_size.max(1));
        let bound = |index: usize| (index as u128 * n_rows as u128 / count as u128) as usize;
        (0..count)
            .map(|index| bound(index)..bound(index + 1))
            .collect()
    }

    /// Rows of the largest batch.
    pub(crate) fn most_rows(&self, n_rows: usize) -> usize {
        let sizes = self.batches(n_rows).into_iter().map(|batch| batch.len());
        sizes.max().unwrap_or(0)
    }

    /// Steps in all.
    pub(crate) fn n_steps(&self, n_rows: usize) -> usize {
        self.n_epochs
            .saturating_mul(n_rows.div_ceil(self.batch_size.max(1)))
    }

    /// The length of step `step` of `n_steps`, counted from 0.
    pub(crate) fn rate(&self, step: usize, n_steps: usize) -> f64 {
        match self.schedule {
            Schedule::Constant => self.learning_rate,
            Schedule::Cosine => {
                let share = step as f64 / n_steps.max(1) as f64;
                self.learning_rate * 0.5 * (1.0 + (std::f64::consts::PI * share).cos())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_cover_all_rows_and_are_alike_in_size() {
        let training = Training {
            batch_size: 256,
            ..Training::default()
        };
        for n_rows in [1, 2, 255, 256, 257, 1797, 5000] {
            let batches = training.batches(n_rows);
            assert_eq!(batches.len(), n_rows.div_ceil(256));
            assert_eq!(batches[0].start, 0);
            assert_eq!(batches.last().unwrap().end, n_rows);
            let most = training.most_rows(n_rows);
            assert!(most <= 256);
            for (batch, next) in batches.iter().zip(batches.iter().skip(1)) {
                assert_eq!(batch.end, next.start);
            }
            assert!(batches.iter().all(|batch| batch.len() + 1 >= most));
        }
        assert!(training.batches(0).is_empty());
    }

    #[test]
    fn orders_differ_between_epochs_and_repeat() {
        let training = Training::default();
        assert_eq!(training.order(3, 50), training.order(3, 50));
        assert_ne!(training.order(3, 50), training.order(4, 50));
    }

    #[test]
    fn the_rate_falls_to_nothing() {
        let training = Training::default();
        assert_eq!(training.rate(0, 100), 1e-3);
        assert!((training.rate(50, 100) - 5e-4).abs() < 1e-12);
        assert!(training.rate(99, 100) < 1e-6);
    }
}
