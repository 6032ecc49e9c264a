//! Numbers that come from all rows or from a sample of them, with their standard errors.

use crate::params::Choice;
use crate::random::{permutation, stream};

/// Rows up to which all are measured by default.
const ALL_UP_TO: usize = 10_000;
/// Rows measured of more than that.
const SAMPLED: usize = 2_000;

/// Number of rows whose neighbourhoods are evaluated. Each is compared with all other rows, so that a sample gives unbiased estimates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum Sample {
    /// All rows up to 10,000; beyond, a random sample of 2,000.
    #[default]
    Auto,
    /// All rows.
    All,
    /// A random sample of this number of rows.
    #[choice(min = 2)]
    Count(usize),
}

impl Sample {
    /// The indices measured of `count`, in order.
    pub(super) fn draw(self, count: usize, seed: u64) -> Vec<usize> {
        let wanted = match self {
            Self::Auto if count <= ALL_UP_TO => count,
            Self::Auto => SAMPLED,
            Self::All => count,
            Self::Count(wanted) => wanted.min(count),
        };
        if wanted >= count {
            return (0..count).collect();
        }
        let mut indices = permutation(&mut stream(seed, 0), count);
        indices.truncate(wanted);
        indices.sort_unstable();
        indices
    }
}

/// A number, and how far it may be from what all rows would give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Its standard error from sampling rows: 0 if all rows that the number is about were measured, which are those
    /// with a class for agreement of classes.
    pub error: f64,
}

impl Estimate {
    /// The mean of `values`, which were drawn from `population` without putting back.
    pub(super) fn mean(values: &[f64], population: usize) -> Self {
        let n = values.len() as f64;
        let value = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - value) * (v - value)).sum();
        let variance = squares / (n - 1.0).max(1.0) / n;
        Self {
            value,
            error: (variance * left_over(values.len(), population)).sqrt(),
        }
    }

    /// A number with the values it has when each row is left out in turn (the jackknife).
    pub(super) fn jackknife(value: f64, without: &[f64], population: usize) -> Self {
        let n = without.len() as f64;
        let mean = without.iter().sum::<f64>() / n;
        let squares: f64 = without.iter().map(|v| (v - mean) * (v - mean)).sum();
        let variance = squares * (n - 1.0) / n;
        Self {
            value,
            error: (variance * left_over(without.len(), population)).sqrt(),
        }
    }
}

/// The fraction of rows that were not measured: what reduces the error of a sample that is nearly everything.
fn left_over(measured: usize, population: usize) -> f64 {
    1.0 - measured as f64 / population as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_sorted_without_repetition_and_repeat_with_the_seed() {
        let drawn = Sample::Count(50).draw(200, 3);
        assert_eq!(drawn.len(), 50);
        assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(drawn, Sample::Count(50).draw(200, 3));
        assert_ne!(drawn, Sample::Count(50).draw(200, 4));
        assert_eq!(Sample::Auto.draw(10_000, 0).len(), 10_000);
        assert_eq!(Sample::Auto.draw(10_001, 0).len(), 2_000);
        assert_eq!(Sample::Count(9).draw(4, 0), [0, 1, 2, 3]);
    }

    #[test]
    fn the_jackknife_of_a_mean_is_its_standard_error() {
        let values = [1.0, 4.0, 2.5, 7.0, 3.0];
        let total: f64 = values.iter().sum();
        let without: Vec<f64> = values.iter().map(|v| (total - v) / 4.0).collect();
        let mean = Estimate::mean(&values, 50);
        let jackknife = Estimate::jackknife(mean.value, &without, 50);
        assert!((mean.error - jackknife.error).abs() < 1e-12);
        assert!((mean.error - (5.0_f64 / 5.0 * 0.9).sqrt()).abs() < 1e-12);
        assert_eq!(Estimate::mean(&values, 5).error, 0.0);
    }
}
