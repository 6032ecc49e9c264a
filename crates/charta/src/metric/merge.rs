//! Distances between sparse rows whose columns rise: both are read once, side by side.

use super::Metric;
use crate::linalg::Real;

/// What one column adds to the distance of two sparse rows: 0 if both values are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Term {
    /// Squared differences.
    Squares,
    /// Absolute differences.
    Sizes,
    /// Whether values differ.
    Differing,
    /// Whether one value is zero and the other not.
    OneOnly,
    /// Less the product.
    Products,
}

impl Term {
    /// The term of a metric that is such a sum. Cosine distances are squares between rows of length 1.
    pub(crate) fn of(metric: Metric) -> Option<Self> {
        Some(match metric {
            Metric::Euclidean | Metric::Cosine => Self::Squares,
            Metric::Manhattan => Self::Sizes,
            Metric::Hamming => Self::Differing,
            Metric::Jaccard => Self::OneOnly,
            Metric::InnerProduct => Self::Products,
            _ => return None,
        })
    }

    /// The term of two values.
    #[inline(always)]
    pub(crate) fn between(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Squares => (a - b) * (a - b),
            Self::Sizes => (a - b).abs(),
            Self::Differing => f64::from(u8::from(a != b)),
            Self::OneOnly => f64::from(u8::from((a != 0.0) != (b != 0.0))),
            Self::Products => -a * b,
        }
    }

    /// By how much the terms of the two values alone, each against a zero, exceed their term together.
    #[inline(always)]
    pub(crate) fn shared(self, a: f64, b: f64) -> f64 {
        self.between(a, 0.0) + self.between(0.0, b) - self.between(a, b)
    }
}

/// A sparse row: columns that rise, and their values.
pub(crate) type Row<'a, T> = (&'a [u32], &'a [T]);

/// The sum of the terms over all columns of two rows.
pub(crate) fn merged<T: Real>(term: Term, a: Row<'_, T>, b: Row<'_, T>) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < a.0.len() && j < b.0.len() {
        let (left, right) = (a.0[i], b.0[j]);
        let x = if left <= right { a.1[i].wide() } else { 0.0 };
        let y = if right <= left { b.1[j].wide() } else { 0.0 };
        sum += term.between(x, y);
        i += usize::from(left <= right);
        j += usize::from(right <= left);
    }
    let rest_a = a.1[i..].iter().map(|x| term.between(x.wide(), 0.0));
    let rest_b = b.1[j..].iter().map(|y| term.between(0.0, y.wide()));
    sum + rest_a.sum::<f64>() + rest_b.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_is_the_sum_over_all_columns() {
        let a: Row<'_, f64> = (&[0, 3, 4], &[1.0, -2.0, 5.0]);
        let b: Row<'_, f64> = (&[1, 3, 4, 6], &[2.0, 1.0, 5.0, 3.0]);
        assert_eq!(merged(Term::Squares, a, b), 1.0 + 4.0 + 9.0 + 9.0);
        assert_eq!(merged(Term::Sizes, b, a), 1.0 + 2.0 + 3.0 + 3.0);
        assert_eq!(merged(Term::Differing, a, b), 4.0);
        assert_eq!(merged(Term::OneOnly, a, b), 3.0);
        assert_eq!(merged(Term::Products, a, b), -23.0);
        assert_eq!(Term::Squares.shared(3.0, 2.0), 12.0);
    }
}
