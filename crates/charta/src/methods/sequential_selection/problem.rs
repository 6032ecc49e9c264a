//! The cross-validation that scores sets of features: candidate features, target, splits and measure.

use crate::error::{Error, Result, message};

use super::candidates::Candidates;
use super::cross_validation::{Split, check_splits};
use super::measure::{HeldOut, Measure, Tally};
use super::target::Target;

/// Candidate features and all that their choice depends on.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) candidates: Candidates,
    pub(super) target: Target,
    pub(super) measure: Measure,
    pub(super) splits: Vec<Split>,
    held_out: Vec<HeldOut>,
}

impl Problem {
    pub(super) fn new(
        candidates: Candidates,
        target: Target,
        measure: Measure,
        splits: Vec<Split>,
    ) -> Result<Self> {
        let measure = measure.resolve(&target)?;
        check_splits(&splits, target.len())?;
        if let Target::Classes { of_row, .. } = &target {
            check_classes(&splits, of_row)?;
        }
        let held_out = splits
            .iter()
            .map(|split| HeldOut::of(&target, &split.test))
            .collect();
        Ok(Self {
            candidates,
            target,
            measure,
            splits,
            held_out,
        })
    }

    /// Number of candidate features.
    pub(super) fn n_features(&self) -> usize {
        self.candidates.n_features()
    }

    /// The columns of a feature.
    pub(super) fn columns_of(&self, feature: usize) -> &[usize] {
        self.candidates.columns_of(feature)
    }

    /// True if one score is better than another. NaN is never better.
    pub(super) fn is_better(&self, score: f64, other: f64) -> bool {
        let better = if self.measure.larger_is_better() {
            score > other
        } else {
            score < other
        };
        better || (!score.is_nan() && other.is_nan())
    }

    /// An empty tally for the predictions of a split.
    pub(super) fn tally(&self, split: usize) -> Tally<'_> {
        Tally::new(self.measure, &self.target, &self.held_out[split])
    }

    /// The score without any feature: of the class frequencies, or of the mean, of the training rows.
    pub(super) fn baseline(&self, split: usize) -> f64 {
        let Split { train, test } = &self.splits[split];
        let mut tally = self.tally(split);
        match &self.target {
            Target::Classes { .. } => {
                let counts = self.class_counts(split);
                let scores: Vec<f64> = counts.iter().map(|count| count.ln()).collect();
                for &row in test {
                    tally.add_class_scores(row, &scores);
                }
            }
            Target::Numbers(values) => {
                let mean = train.iter().map(|&row| values[row]).sum::<f64>() / train.len() as f64;
                for &row in test {
                    tally.add_residual(values[row] - mean);
                }
            }
        }
        tally.score()
    }

    /// The logarithms of the class frequencies among the training rows.
    pub(super) fn log_priors(&self, split: usize) -> Vec<f64> {
        let total = self.splits[split].train.len() as f64;
        let counts = self.class_counts(split).into_iter();
        counts.map(|count| (count / total).ln()).collect()
    }

    /// Training rows of each class.
    fn class_counts(&self, split: usize) -> Vec<f64> {
        let mut counts = vec![0.0; self.target.n_classes()];
        for &row in &self.splits[split].train {
            counts[self.target.class(row)] += 1.0;
        }
        counts
    }
}

/// Fails if the training rows of a split have a single class.
fn check_classes(splits: &[Split], of_row: &[u32]) -> Result<()> {
    for (number, split) in splits.iter().enumerate() {
        let first = of_row[split.train[0]];
        if split.train.iter().all(|&row| of_row[row] == first) {
            return Err(Error::degenerate(message!(
                "the training {:rows} of split {number} are of a single class: hold out fewer {:rows}, shuffled and \
                 stratified"
            )));
        }
    }
    Ok(())
}
