//! How far two rows are from each other.

use crate::params::Choice;

/// A distance between rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Metric {
    /// The straight line.
    Euclidean,
    /// The sum of the differences.
    Manhattan,
    /// The largest difference.
    Chebyshev,
    /// The `power`-th root of the sum of the differences to that power.
    Minkowski,
    /// 1 less the cosine of the angle between rows.
    Cosine,
    /// 1 less the correlation between rows.
    Correlation,
    /// The share of columns that differ.
    Hamming,
    /// Of the columns that are not zero in either row, the share that is zero in one.
    Jaccard,
    /// The straight line after scaling by the inverse covariance.
    Mahalanobis,
    /// Between images: the straight line after the small shifts, turns and stretches that bring them closest.
    Tangent,
    /// Less the inner product of the rows: not a distance, for search only.
    InnerProduct,
}

impl Metric {
    /// The distance between two rows, for those that need nothing but the rows.
    pub fn between(self, a: &[f64], b: &[f64], power: f64) -> f64 {
        let pairs = || a.iter().zip(b);
        match self {
            Self::Manhattan => pairs().map(|(x, y)| (x - y).abs()).sum(),
            Self::Chebyshev => pairs().fold(0.0, |most: f64, (x, y)| most.max((x - y).abs())),
            Self::Minkowski => {
                let sum: f64 = pairs().map(|(x, y)| (x - y).abs().powf(power)).sum();
                sum.powf(1.0 / power)
            }
            _ => pairs().map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt(),
        }
    }
}
