//! How good predictions of held-out rows are.

use crate::error::{Error, Result};
use crate::message;
use crate::params::Choice;

use super::Target;

/// Probabilities below this count as this: the logarithm of nothing has no end.
const LEAST_PROBABILITY: f64 = f64::EPSILON;

/// How the error of predictions is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Measure {
    /// Accuracy for classes, R² for numbers.
    Auto,
    /// The share of rows whose class is right.
    Accuracy,
    /// The same for each class by itself, averaged over the classes.
    BalancedAccuracy,
    /// Minus the logarithm of the probability of the right class, averaged.
    LogLoss,
    /// One minus the squared errors' share of those of the mean.
    RSquared,
    /// The mean of the squared errors.
    MeanSquaredError,
    /// The mean of the errors' sizes.
    MeanAbsoluteError,
}

impl Measure {
    /// The measure meant, for this target.
    pub fn resolve(self, target: &Target) -> Result<Self> {
        let (usual, words) = match target {
            Target::Classes { .. } => (Self::Accuracy, "classes"),
            Target::Numbers(_) => (Self::RSquared, "numbers"),
        };
        match self {
            Self::Auto => Ok(usual),
            _ if self.is_for_classes() != usual.is_for_classes() => {
                let values: &[&'static str] = match usual {
                    Self::Accuracy => &["accuracy", "balanced_accuracy", "log_loss"],
                    _ => &["r_squared", "mean_squared_error", "mean_absolute_error"],
                };
                Err(Error::one_of(
                    "measure",
                    values,
                    message!("the labels are {words}"),
                    self,
                ))
            }
            _ => Ok(self),
        }
    }

    fn is_for_classes(self) -> bool {
        matches!(
            self,
            Self::Accuracy | Self::BalancedAccuracy | Self::LogLoss
        )
    }

    /// True if more is better.
    pub fn is_gain(self) -> bool {
        matches!(
            self,
            Self::Auto | Self::Accuracy | Self::BalancedAccuracy | Self::RSquared
        )
    }

    /// What is made small: the measure itself, or what it lacks to 1.
    pub fn error(self, value: f64) -> f64 {
        if self.is_gain() { 1.0 - value } else { value }
    }

    /// What is made small, in words.
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

/// What is known of the held-out rows of a split without any prediction.
#[derive(Clone, Debug)]
pub(super) struct Truth {
    n_rows: f64,
    /// Rows of each class.
    counts: Vec<f64>,
    /// Squared differences from the mean of numbers.
    spread: f64,
}

impl Truth {
    pub(super) fn of(target: &Target, rows: &[usize]) -> Self {
        let n_rows = rows.len() as f64;
        match target {
            Target::Classes { of_row, names } => {
                let mut counts = vec![0.0; names.len()];
                for &row in rows {
                    counts[of_row[row] as usize] += 1.0;
                }
                Self {
                    n_rows,
                    counts,
                    spread: 0.0,
                }
            }
            Target::Numbers(values) => {
                let mean = rows.iter().map(|&row| values[row]).sum::<f64>() / n_rows;
                let apart = rows.iter().map(|&row| values[row] - mean);
                Self {
                    n_rows,
                    counts: Vec::new(),
                    spread: apart.map(|d| d * d).sum(),
                }
            }
        }
    }

    /// How many numbers are summed over the rows.
    pub(super) fn width(&self, measure: Measure) -> usize {
        match measure {
            Measure::Accuracy | Measure::BalancedAccuracy => self.counts.len(),
            _ => 1,
        }
    }

    /// The measure from what was summed.
    pub(super) fn value(&self, measure: Measure, sums: &[f64]) -> f64 {
        match measure {
            Measure::Accuracy => sums.iter().sum::<f64>() / self.n_rows,
            Measure::BalancedAccuracy => {
                let present = sums.iter().zip(&self.counts).filter(|(_, n)| **n > 0.0);
                let recalls: Vec<f64> = present.map(|(right, n)| right / n).collect();
                recalls.iter().sum::<f64>() / recalls.len() as f64
            }
            Measure::RSquared | Measure::Auto if self.spread > 0.0 => 1.0 - sums[0] / self.spread,
            Measure::RSquared | Measure::Auto => f64::from(u8::from(sums[0] <= 0.0)),
            Measure::LogLoss | Measure::MeanSquaredError | Measure::MeanAbsoluteError => {
                sums[0] / self.n_rows
            }
        }
    }
}

/// Adds what a guess of a class with these scores, logarithms of probabilities but for a common summand, is worth.
pub(super) fn add_scores(measure: Measure, class: usize, scores: &[f64], sums: &mut [f64]) {
    if measure == Measure::LogLoss {
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = scores.iter().map(|score| (score - most).exp()).sum();
        let probability = (scores[class] - most).exp() / total;
        sums[0] -= probability.max(LEAST_PROBABILITY).ln();
    } else {
        add_class(class, first_largest(scores), sums);
    }
}

/// Adds what a vote of neighbours is worth.
pub(super) fn add_votes(
    measure: Measure,
    class: usize,
    (votes, n_votes): (&[u32], usize),
    sums: &mut [f64],
) {
    if measure == Measure::LogLoss {
        let probability = f64::from(votes[class]) / n_votes as f64;
        let most = 1.0 - LEAST_PROBABILITY;
        sums[0] -= probability.clamp(LEAST_PROBABILITY, most).ln();
    } else {
        add_class(class, first_largest(votes), sums);
    }
}

/// Adds what a guess of a number that is off by so much is worth.
pub(super) fn add_difference(measure: Measure, difference: f64, sums: &mut [f64]) {
    sums[0] += match measure {
        Measure::MeanAbsoluteError => difference.abs(),
        _ => difference * difference,
    };
}

fn add_class(class: usize, guess: usize, sums: &mut [f64]) {
    if class == guess {
        sums[class] += 1.0;
    }
}

/// The place of the largest number; the first of several.
fn first_largest<T: PartialOrd>(values: &[T]) -> usize {
    let mut best = 0;
    for place in 1..values.len() {
        if values[place] > values[best] {
            best = place;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes() -> Target {
        Target::Classes {
            of_row: vec![0, 0, 0, 1],
            names: vec!["a".into(), "b".into()],
        }
    }

    #[test]
    fn accuracy_counts_rows_and_its_balanced_form_classes() {
        let truth = Truth::of(&classes(), &[0, 1, 2, 3]);
        assert_eq!(truth.value(Measure::Accuracy, &[3.0, 0.0]), 0.75);
        assert_eq!(truth.value(Measure::BalancedAccuracy, &[3.0, 0.0]), 0.5);
        assert_eq!(Measure::Accuracy.error(0.75), 0.25);
    }

    #[test]
    fn log_loss_is_that_of_the_probability() {
        let mut sums = [0.0];
        add_scores(Measure::LogLoss, 1, &[2.0, 2.0 + 3.0_f64.ln()], &mut sums);
        assert!((sums[0] + 0.75_f64.ln()).abs() < 1e-12);
        let mut sums = [0.0];
        add_votes(Measure::LogLoss, 0, (&[1, 3], 4), &mut sums);
        assert!((sums[0] - 4.0_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn r_squared_compares_with_the_mean() {
        let target = Target::Numbers(vec![1.0, 3.0, 5.0]);
        let truth = Truth::of(&target, &[0, 1, 2]);
        assert_eq!(truth.value(Measure::RSquared, &[2.0]), 0.75);
        let constant = Truth::of(&Target::Numbers(vec![2.0, 2.0]), &[0, 1]);
        assert_eq!(constant.value(Measure::RSquared, &[0.0]), 1.0);
        assert_eq!(constant.value(Measure::RSquared, &[0.1]), 0.0);
    }

    #[test]
    fn ties_of_votes_go_to_the_first_class() {
        let mut sums = [0.0, 0.0];
        add_votes(Measure::Accuracy, 0, (&[2, 2], 4), &mut sums);
        assert_eq!(sums, [1.0, 0.0]);
    }

    #[test]
    fn a_measure_must_fit_the_labels() {
        let error = Measure::RSquared.resolve(&classes()).unwrap_err();
        assert!(error.to_string().contains("must be for classes"), "{error}");
        assert_eq!(
            Measure::Auto.resolve(&classes()).unwrap(),
            Measure::Accuracy
        );
    }
}
