//! How well predictions fit the held-out rows.

use crate::error::{Error, Result, message};
use crate::params::Choice;

use super::cross_validation::Split;
use super::problem::Target;

/// Probabilities are clipped to at least this, so that the log loss is finite.
const MIN_PROBABILITY: f64 = f64::EPSILON;

/// The measure of the predictions for held-out rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Measure {
    /// Accuracy for classes, R² for numbers.
    Auto,
    /// The fraction of rows whose class is predicted correctly.
    Accuracy,
    /// The accuracy within each class, averaged over the classes: for classes of different sizes.
    BalancedAccuracy,
    /// The mean of minus the logarithm of the predicted probability of the true class.
    LogLoss,
    /// The coefficient of determination, R².
    RSquared,
    /// The mean squared error.
    MeanSquaredError,
    /// The mean absolute error: less sensitive to outliers.
    MeanAbsoluteError,
}

impl Measure {
    /// The measure for this target: `Auto` resolved, one of the wrong kind refused.
    pub(super) fn resolve(self, target: &Target) -> Result<Self> {
        let (kind, usual, allowed) = match target {
            Target::Classes { .. } => (
                "classes",
                Self::Accuracy,
                ["accuracy", "balanced_accuracy", "log_loss"],
            ),
            Target::Numbers(_) => (
                "numbers",
                Self::RSquared,
                ["r_squared", "mean_squared_error", "mean_absolute_error"],
            ),
        };
        if self == Self::Auto {
            return Ok(usual);
        }
        if !allowed.contains(&self.to_string().as_str()) {
            let because = message!("the labels are {kind}");
            return Err(Error::one_of("measure", &allowed, because, self));
        }
        Ok(self)
    }

    /// True for accuracies and R².
    pub(super) fn larger_is_better(self) -> bool {
        !matches!(
            self,
            Self::LogLoss | Self::MeanSquaredError | Self::MeanAbsoluteError
        )
    }

    /// True if one score is better than another. NaN is never better.
    pub(super) fn is_better(self, score: f64, other: f64) -> bool {
        let better = if self.larger_is_better() {
            score > other
        } else {
            score < other
        };
        better || (!score.is_nan() && other.is_nan())
    }

    /// The error that is minimized: the measure itself, or 1 minus it.
    pub(super) fn error(self, value: f64) -> f64 {
        if self.larger_is_better() {
            1.0 - value
        } else {
            value
        }
    }

    /// The name of the error that is minimized.
    pub fn title(self) -> &'static str {
        match self {
            Self::Auto => "error",
            Self::Accuracy => "1 − accuracy",
            Self::BalancedAccuracy => "1 − balanced accuracy",
            Self::LogLoss => "log loss",
            Self::RSquared => "1 − R²",
            Self::MeanSquaredError => "mean squared error",
            Self::MeanAbsoluteError => "mean absolute error",
        }
    }
}

/// A running count of what the predictions for the held-out rows of one split are worth.
#[derive(Clone, Debug)]
pub(super) struct Tally<'p> {
    measure: Measure,
    target: &'p Target,
    split: &'p Split,
    /// Correct predictions of each class for accuracies, else a single sum of losses.
    sums: Vec<f64>,
}

impl<'p> Tally<'p> {
    pub(super) fn new(measure: Measure, target: &'p Target, split: &'p Split) -> Self {
        let width = match measure {
            Measure::Accuracy | Measure::BalancedAccuracy => target.n_classes(),
            _ => 1,
        };
        Self {
            measure,
            target,
            split,
            sums: vec![0.0; width],
        }
    }

    /// Adds the prediction of a row's class by scores: logarithms of probabilities up to a common constant.
    pub(super) fn add_class_scores(&mut self, row: usize, scores: &[f64]) {
        let class = self.target.class(row);
        if self.measure == Measure::LogLoss {
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = scores.iter().map(|score| (score - most).exp()).sum();
            let probability = (scores[class] - most).exp() / total;
            self.sums[0] -= probability.max(MIN_PROBABILITY).ln();
        } else if first_largest(scores) == class {
            self.sums[class] += 1.0;
        }
    }

    /// Adds the prediction of a row's class by the votes of its neighbours.
    pub(super) fn add_votes(&mut self, row: usize, votes: &[u32], n_votes: usize) {
        let class = self.target.class(row);
        if self.measure == Measure::LogLoss {
            let probability = f64::from(votes[class]) / n_votes as f64;
            let clipped = probability.clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY);
            self.sums[0] -= clipped.ln();
        } else if first_largest(votes) == class {
            self.sums[class] += 1.0;
        }
    }

    /// Adds the prediction of a number by its residual.
    pub(super) fn add_residual(&mut self, residual: f64) {
        self.sums[0] += match self.measure {
            Measure::MeanAbsoluteError => residual.abs(),
            _ => residual * residual,
        };
    }

    /// Adds the squared errors of several predictions.
    pub(super) fn add_squared_errors(&mut self, squares: f64) {
        self.sums[0] += squares;
    }

    /// Adds what was counted for other rows of the same split.
    pub(super) fn merge(&mut self, other: &Self) {
        for (sum, other) in self.sums.iter_mut().zip(&other.sums) {
            *sum += other;
        }
    }

    /// The measure of all predictions added.
    pub(super) fn score(&self) -> f64 {
        let n_rows = self.split.test.len() as f64;
        let total_squares = self.split.test_squares;
        match self.measure {
            Measure::Accuracy => self.sums.iter().sum::<f64>() / n_rows,
            Measure::BalancedAccuracy => {
                let classes = self.sums.iter().zip(&self.split.test_counts);
                let present = classes.filter(|(_, count)| **count > 0.0);
                let recalls: Vec<f64> = present.map(|(correct, count)| correct / count).collect();
                recalls.iter().sum::<f64>() / recalls.len() as f64
            }
            Measure::LogLoss | Measure::MeanSquaredError | Measure::MeanAbsoluteError => {
                self.sums[0] / n_rows
            }
            Measure::RSquared | Measure::Auto if total_squares > 0.0 => {
                1.0 - self.sums[0] / total_squares
            }
            // Of held-out numbers that are all the same.
            Measure::RSquared | Measure::Auto => f64::from(u8::from(self.sums[0] <= 0.0)),
        }
    }
}

/// The index of the largest number; the first of several.
fn first_largest<T: PartialOrd>(values: &[T]) -> usize {
    let mut best = 0;
    for index in 1..values.len() {
        if values[index] > values[best] {
            best = index;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::tests::class_target;
    use super::*;

    fn classes() -> Target {
        class_target(&[0, 0, 0, 1])
    }

    fn score(measure: Measure, target: &Target, add: impl Fn(&mut Tally<'_>)) -> f64 {
        let rows: Vec<usize> = (0..target.len()).collect();
        let split = Split::new(0, rows.clone(), rows, target).unwrap();
        let mut tally = Tally::new(measure, target, &split);
        add(&mut tally);
        tally.score()
    }

    #[test]
    fn accuracy_counts_rows_and_its_balanced_form_classes() {
        let all_first = |tally: &mut Tally<'_>| {
            (0..4).for_each(|row| tally.add_class_scores(row, &[1.0, 0.0]));
        };
        assert_eq!(score(Measure::Accuracy, &classes(), all_first), 0.75);
        assert_eq!(score(Measure::BalancedAccuracy, &classes(), all_first), 0.5);
        assert_eq!(Measure::Accuracy.error(0.75), 0.25);
    }

    #[test]
    fn log_loss_is_that_of_the_probability() {
        let by_scores = score(Measure::LogLoss, &classes(), |tally| {
            tally.add_class_scores(3, &[2.0, 2.0 + 3.0_f64.ln()]);
        });
        assert!((4.0 * by_scores + 0.75_f64.ln()).abs() < 1e-12);
        let by_votes = score(Measure::LogLoss, &classes(), |tally| {
            tally.add_votes(0, &[1, 3], 4);
        });
        assert!((4.0 * by_votes - 4.0_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn r_squared_compares_with_the_mean() {
        let r_squared = |values: &[f64], residuals: &[f64]| {
            let target = Target::Numbers(values.to_vec());
            score(Measure::RSquared, &target, |tally| {
                residuals.iter().for_each(|&r| tally.add_residual(r));
            })
        };
        assert_eq!(r_squared(&[1.0, 3.0, 5.0], &[1.0, 1.0]), 0.75);
        assert_eq!(r_squared(&[2.0, 2.0], &[0.0]), 1.0);
        assert_eq!(r_squared(&[2.0, 2.0], &[0.1]), 0.0);
    }

    #[test]
    fn ties_of_votes_go_to_the_first_class() {
        let accuracy = score(Measure::Accuracy, &classes(), |tally| {
            tally.add_votes(0, &[2, 2], 4);
        });
        assert_eq!(accuracy, 0.25);
    }

    #[test]
    fn a_measure_must_fit_the_labels() {
        let error = Measure::RSquared.resolve(&classes()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`measure` must be `accuracy`, `balanced_accuracy` or `log_loss`, because the labels are classes, got r_squared"
        );
        let usual = Measure::Auto.resolve(&classes()).unwrap();
        assert_eq!(usual, Measure::Accuracy);
    }
}
