//! The numbers that rise with a distance and are cheaper to find: squares instead of roots, sums instead of fractions.

use super::{Metric, Scale};

/// What numbers stand for: sums over columns, of values at a scale.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub(crate) metric: Metric,
    pub(crate) scale: Scale,
    pub(crate) n_columns: usize,
}

impl Numbers {
    /// The distance that a number stands for. The power of a Minkowski distance is 3 here.
    pub(crate) fn distance(&self, number: f64) -> f64 {
        let undo = |distance: f64| self.scale.undo(distance);
        match self.metric {
            Metric::Cosine | Metric::Correlation => 0.5 * number,
            Metric::Hamming => number / self.n_columns as f64,
            Metric::Jaccard => number,
            Metric::InnerProduct => undo(undo(number)),
            Metric::Manhattan | Metric::Chebyshev => undo(number),
            Metric::Minkowski => undo(number.cbrt()),
            Metric::Euclidean => undo(number.sqrt()),
            other => unreachable!("{other:?} is no sum over columns"),
        }
    }

    /// A number that no distance up to this one exceeds.
    pub(crate) fn bound(&self, distance: f64) -> f64 {
        let scaled = distance * self.scale.factor();
        let number = match self.metric {
            Metric::Cosine | Metric::Correlation => 2.0 * distance,
            Metric::Hamming => distance * self.n_columns as f64,
            Metric::Jaccard => distance,
            Metric::InnerProduct => scaled * self.scale.factor(),
            Metric::Manhattan | Metric::Chebyshev => scaled,
            Metric::Minkowski => scaled.powi(3),
            Metric::Euclidean => scaled * scaled.abs(),
            other => unreachable!("{other:?} is no sum over columns"),
        };
        // Rounding must not lose a row at the very border: distances are compared once more.
        number + 1e-6 * number.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_above_all_numbers_up_to_its_distance() {
        for metric in [
            Metric::Euclidean,
            Metric::Cosine,
            Metric::Minkowski,
            Metric::InnerProduct,
        ] {
            let numbers = Numbers {
                metric,
                scale: Scale::of::<f64>(1e300, 2),
                n_columns: 3,
            };
            for number in [1e-3, 0.5, 7.0] {
                let distance = numbers.distance(number);
                assert!(numbers.bound(distance) >= number);
                assert!(numbers.bound(distance) < 1.001 * number);
            }
        }
    }
}
