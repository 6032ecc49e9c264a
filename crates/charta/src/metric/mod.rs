//! Distances between rows.
//!
//! | metric | distance between rows a and b of d columns |
//! |---|---|
//! | Euclidean | √ Σ (a − b)² |
//! | Manhattan | Σ \|a − b\| |
//! | Chebyshev | max \|a − b\| |
//! | Minkowski | (Σ \|a − b\|^p)^(1/p), p a number from 1 on; where p would be infinite it is Chebyshev |
//! | cosine | 1 − a·b / (‖a‖ ‖b‖) |
//! | correlation | the cosine distance of the rows less their means |
//! | Hamming | number of columns with a ≠ b, divided by d |
//! | Jaccard | columns where one is zero and the other not, divided by those where not both are; 0 if all are zero |
//! | Mahalanobis | √ (a − b)ᵀ C⁻¹ (a − b), C the covariance: see `Whitening` |
//! | standardized Euclidean | √ Σ (a − b)² / v, v the variance of the column |
//! | Canberra | Σ \|a − b\| / (\|a\| + \|b\|) |
//! | Bray–Curtis | Σ \|a − b\| / Σ \|a + b\| |
//! | haversine | angle between two places on the sphere, by latitude and longitude in radians |
//! | Hellinger | √ (1 − Σ √(a b)), rows of at least 0 divided by their sums |
//! | Dirichlet | likelihood ratio of counts: see `formulas` |
//! | yes or no | matching, Dice, Kulsinski, Rogers–Tanimoto, Sokal–Michener, Sokal–Sneath, Russell–Rao, Yule: see `formulas` |
//! | tangent | Euclidean after small deformations of two images: see `Tangents` |
//! | inner product | −a·b: no distance, for search only |
//!
//! A row of zeros has no direction, nor has a constant row a correlation: they are at distance 0 from each other and at
//! 1 from all other rows. Cosine and correlation distances are found as half the squared distance between rows of
//! length 1, which is the same number and keeps its digits where it is small: duplicates are at distance 0.
//!
//! Blocks of rows are compared by a `Measure`, in the precision of the features.

mod among;
mod between;
mod comparison;
mod dense;
mod filled;
mod formulas;
mod matrix;
mod merge;
mod numbers;
mod pairs;
mod products;
mod scale;
mod tangent;
mod whitening;

use std::ops::Range;

pub(crate) use among::Among;
pub(crate) use between::Between;
pub(crate) use between::no_distance;
pub use comparison::Comparison;
pub(crate) use comparison::{Visit, measured};
pub(crate) use dense::{
    Cubes, Dense, Differing, Form, Largest, Op, Overlap, Products, Sizes, Squares, Table,
};
pub(crate) use matrix::{ReferenceRows, check_function};
pub(crate) use merge::{Term, merged};
pub(crate) use numbers::Numbers;
pub(crate) use pairs::Pairs;
pub(crate) use products::{FEW_COLUMNS, PANEL, Panel, largest_square, row_in_the_middle, squared};
pub(crate) use scale::{Scale, largest};
pub(crate) use tangent::Tangents;
pub(crate) use whitening::Whitening;

use crate::error::Result;
use crate::params::Choice;

/// A distance between rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Metric {
    /// Euclidean distance, √Σ (a − b)².
    Euclidean,
    /// Manhattan (city block) distance, Σ |a − b|.
    Manhattan,
    /// Chebyshev distance, max |a − b|.
    Chebyshev,
    /// Minkowski distance, (Σ |a − b|^p)^(1/p) with p = `power`.
    Minkowski,
    /// Cosine distance, 1 − cosine of the angle between rows.
    Cosine,
    /// Correlation distance, 1 − Pearson correlation between rows.
    Correlation,
    /// Hamming distance, the fraction of columns that differ.
    Hamming,
    /// Jaccard distance: of the columns that are nonzero in at least one row, the fraction that is zero in the other.
    Jaccard,
    /// Mahalanobis distance, √((a − b)ᵀ Σ⁻¹ (a − b)) with the covariance Σ of the data.
    Mahalanobis,
    /// Standardized Euclidean distance, √Σ (a − b)² / v with the variance v of each column.
    Seuclidean,
    /// Canberra distance, Σ |a − b| / (|a| + |b|).
    Canberra,
    /// Bray–Curtis distance, Σ |a − b| / Σ |a + b|.
    Braycurtis,
    /// Haversine distance, the angle between places on a sphere: two columns, latitude and longitude in radians.
    Haversine,
    /// Hellinger distance between distributions, √(1 − Σ √(a b)) of rows that are at least 0 and divided by their sums.
    Hellinger,
    /// Dirichlet distance between counts: how likely they are of the same distribution.
    LlDirichlet,
    /// Matching distance: the fraction of columns that are zero in one row only.
    Matching,
    /// Dice distance between rows of yes (nonzero) and no.
    Dice,
    /// Kulsinski distance between rows of yes and no.
    Kulsinski,
    /// Rogers–Tanimoto distance between rows of yes and no.
    Rogerstanimoto,
    /// Sokal–Michener distance between rows of yes and no, equal to Rogers–Tanimoto.
    Sokalmichener,
    /// Sokal–Sneath distance between rows of yes and no.
    Sokalsneath,
    /// Russell–Rao distance between rows of yes and no.
    Russellrao,
    /// Yule distance between rows of yes and no.
    Yule,
    /// Tangent distance between images: Euclidean distance after the small shifts, rotations and scalings that bring them closest (Simard et al. 1993).
    Tangent,
    /// Minus the inner product: not a distance, for neighbour search only.
    InnerProduct,
}

impl Metric {
    /// The distance between two rows, for those that need nothing but the rows. Values whose squares would leave
    /// the range of numbers are measured all the same. Mahalanobis, standardized
    /// Euclidean and tangent distances need more, and are taken for the straight line.
    ///
    /// ```
    /// use charta::metric::Metric;
    /// let (a, b) = ([0.0, 3.0, 1.0], [4.0, 0.0, 1.0]);
    /// assert_eq!(Metric::Euclidean.between(&a, &b, 2.0), 5.0);
    /// assert_eq!(Metric::Manhattan.between(&a, &b, 2.0), 7.0);
    /// assert_eq!(Metric::Hamming.between(&a, &b, 2.0), 2.0 / 3.0);
    /// ```
    pub fn between(self, a: &[f64], b: &[f64], power: f64) -> f64 {
        let pairs = || a.iter().zip(b);
        match self {
            Self::Manhattan => pairs().map(|(x, y)| (x - y).abs()).sum(),
            Self::Chebyshev => pairs().fold(0.0, |most: f64, (x, y)| most.max((x - y).abs())),
            Self::Minkowski => minkowski(a, b, power),
            Self::Cosine => half_square(&unit(a, false), &unit(b, false)),
            Self::Correlation => half_square(&unit(a, true), &unit(b, true)),
            Self::Hamming => pairs().filter(|(x, y)| x != y).count() as f64 / a.len() as f64,
            Self::Jaccard => {
                let one = pairs()
                    .filter(|(x, y)| (**x != 0.0) != (**y != 0.0))
                    .count();
                let any = pairs().filter(|(x, y)| **x != 0.0 || **y != 0.0).count();
                one as f64 / any.max(1) as f64
            }
            Self::InnerProduct => -pairs().map(|(x, y)| x * y).sum::<f64>(),
            Self::Euclidean | Self::Mahalanobis | Self::Seuclidean | Self::Tangent => {
                minkowski(a, b, 2.0)
            }
            Self::Canberra
            | Self::Braycurtis
            | Self::Haversine
            | Self::Hellinger
            | Self::LlDirichlet
            | Self::Matching
            | Self::Dice
            | Self::Kulsinski
            | Self::Rogerstanimoto
            | Self::Sokalmichener
            | Self::Sokalsneath
            | Self::Russellrao
            | Self::Yule => formulas::between(self, a, b),
        }
    }

    /// Whether rows are compared by what they say in each column, yes or no.
    pub(crate) fn is_binary(self) -> bool {
        matches!(
            self,
            Self::Matching
                | Self::Dice
                | Self::Kulsinski
                | Self::Rogerstanimoto
                | Self::Sokalmichener
                | Self::Sokalsneath
                | Self::Russellrao
                | Self::Yule
        )
    }

    /// Whether it is the Euclidean distance after a [`Whitening`].
    pub(crate) fn is_whitened(self) -> bool {
        matches!(self, Self::Mahalanobis | Self::Seuclidean)
    }

    /// The metric that this is for a power: Minkowski distances with the powers 1, 2 and infinity have names.
    pub(crate) fn named(self, power: f64) -> Self {
        match self {
            Self::Minkowski if power == 1.0 => Self::Manhattan,
            Self::Minkowski if power == 2.0 => Self::Euclidean,
            Self::Minkowski if power.is_infinite() => Self::Chebyshev,
            other => other,
        }
    }
}

/// The Minkowski distance, measured in units of the largest difference, so that no power leaves the range.
pub(crate) fn minkowski(a: &[f64], b: &[f64], power: f64) -> f64 {
    let largest = Metric::Chebyshev.between(a, b, power);
    if largest == 0.0 || power.is_infinite() || !largest.is_finite() {
        return largest;
    }
    let pairs = a.iter().zip(b);
    let sum: f64 = if power == 2.0 {
        pairs.map(|(x, y)| ((x - y) / largest).powi(2)).sum()
    } else {
        pairs
            .map(|(x, y)| ((x - y).abs() / largest).powf(power))
            .sum()
    };
    largest * sum.powf(1.0 / power)
}

/// The row at length 1, less its mean first if `centred`; nothing if it has no direction.
fn unit(row: &[f64], centred: bool) -> Option<Vec<f64>> {
    let mut own = row.to_vec();
    scale::to_unit(&mut own, centred).then_some(own)
}

fn half_square(a: &Option<Vec<f64>>, b: &Option<Vec<f64>>) -> f64 {
    match (a, b) {
        (Some(a), Some(b)) => 0.5 * a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>(),
        (None, None) => 0.0,
        _ => 1.0,
    }
}

/// Measures blocks of rows against each other.
pub(crate) trait Measure: Sync {
    /// Rows looked up, ready to be compared.
    type Queries;
    /// Rows they are compared with.
    type Known;

    /// Makes some of the rows looked up ready.
    fn queries(&self, rows: Range<usize>) -> Self::Queries;

    /// Makes some of the reference rows ready.
    fn known(&self, rows: Range<usize>) -> Self::Known;

    /// Writes a line for every query: to each reference row a number that rises with the distance.
    fn fill(&self, queries: &Self::Queries, known: &Self::Known, target: &mut [f64]) -> Result<()>;

    /// The distance that such a number stands for.
    fn distance(&self, number: f64) -> f64;

    /// A number that no distance up to this one exceeds.
    fn bound(&self, distance: f64) -> f64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_formulas() {
        let (a, b) = ([1.0, 0.0, 2.0, 5.0], [4.0, 0.0, 2.5, 0.0]);
        let between = |metric: Metric, power| metric.between(&a, &b, power);
        let close = |x: f64, y: f64| assert!((x - y).abs() < 1e-14, "{x} for {y}");
        close(between(Metric::Euclidean, 2.0), 34.25_f64.sqrt());
        close(between(Metric::Manhattan, 2.0), 8.5);
        close(between(Metric::Chebyshev, 2.0), 5.0);
        close(between(Metric::Minkowski, 3.0), 152.125_f64.cbrt());
        close(between(Metric::Minkowski, f64::INFINITY), 5.0);
        let cosine = 9.0 / (30.0_f64 * 22.25).sqrt();
        close(between(Metric::Cosine, 2.0), 1.0 - cosine);
        close(between(Metric::Hamming, 2.0), 0.75);
        close(between(Metric::Jaccard, 2.0), 1.0 / 3.0);
        close(between(Metric::InnerProduct, 2.0), -9.0);
    }

    #[test]
    fn rows_without_direction_are_apart_from_all_others_and_huge_ones_are_measured() {
        let (zero, one) = ([0.0, 0.0], [1.0, 0.0]);
        assert_eq!(Metric::Cosine.between(&zero, &one, 2.0), 1.0);
        assert_eq!(Metric::Cosine.between(&zero, &zero, 2.0), 0.0);
        let (flat, slope) = ([0.1, 0.1, 0.1], [1.0, 2.0, 3.0]);
        assert_eq!(Metric::Correlation.between(&flat, &slope, 2.0), 1.0);
        let far = Metric::Euclidean.between(&[3e300, 0.0], &[0.0, 4e300], 2.0);
        assert!((far / 5e300 - 1.0).abs() < 1e-15);
        let near = Metric::Minkowski.between(&[3e-200, 0.0], &[0.0, 0.0], 50.0);
        assert!((near / 3e-200 - 1.0).abs() < 1e-15);
        assert!(Metric::Cosine.between(&[1e200, 0.0], &[0.0, 1e-200], 2.0) - 1.0 < 1e-15);
    }
}
