//! Distances by a formula of their own, one pair of rows after the other: relative differences, distances on the sphere and between
//! distributions, and those of rows that say yes or no in each column.
//!
//! Of two rows that say yes or no (zero is no), let `both` be the number of columns with yes in both, `first` and `second` those with yes in
//! one only, and d that of all columns. The names are those of scipy and umap-learn.

use super::Metric;
use crate::data::{Data, Features};
use crate::error::{Error, Result, message};
use crate::special::ln_beta;

/// Counts at least this large are counts for the Dirichlet likelihood.
const COUNT: f64 = 0.9;

/// Whether the distance is one of these.
pub(super) fn has(metric: Metric) -> bool {
    metric.is_binary()
        || matches!(
            metric,
            Metric::Canberra
                | Metric::Braycurtis
                | Metric::Haversine
                | Metric::Hellinger
                | Metric::LlDirichlet
        )
}

/// Fails if rows are not such that the distance is defined between them.
pub(super) fn check(metric: Metric, rows: &Features<'_>) -> Result<()> {
    match metric {
        Metric::Haversine if rows.n_columns() != 2 => Err(Error::not(
            "metric",
            message!(
                "haversine distances need 2 {:columns}, latitude and longitude in radians, and {:data} has {n:columns}",
                n = rows.n_columns()
            ),
            metric,
        )),
        Metric::Hellinger | Metric::LlDirichlet => {
            let name = if metric == Metric::Hellinger {
                "the Hellinger distance"
            } else {
                "the Dirichlet distance"
            };
            Data::from(rows.reborrow())
                .extent_without_negatives(name)
                .map(|_| ())
        }
        _ => Ok(()),
    }
}

/// The distance between two rows.
pub(super) fn between(metric: Metric, a: &[f64], b: &[f64]) -> f64 {
    match metric {
        Metric::Canberra => canberra(a, b),
        Metric::Braycurtis => bray_curtis(a, b),
        Metric::Haversine => haversine(a, b),
        Metric::Hellinger => hellinger(a, b),
        Metric::LlDirichlet => ll_dirichlet(a, b),
        _ => Counts::of(a, b).distance(metric),
    }
}

fn canberra(a: &[f64], b: &[f64]) -> f64 {
    let terms = a.iter().zip(b).filter(|(x, y)| x != y);
    // Halves, so that the sum of two huge sizes does not overflow.
    terms
        .map(|(x, y)| (x / 2.0 - y / 2.0).abs() / (x.abs() / 2.0 + y.abs() / 2.0))
        .sum()
}

fn bray_curtis(a: &[f64], b: &[f64]) -> f64 {
    let unit = largest(a).max(largest(b)).max(f64::MIN_POSITIVE);
    let pairs = || a.iter().zip(b).map(|(x, y)| (x / unit, y / unit));
    let apart: f64 = pairs().map(|(x, y)| (x - y).abs()).sum();
    let whole: f64 = pairs().map(|(x, y)| (x + y).abs()).sum();
    match (apart, whole) {
        (0.0, _) => 0.0,
        // All values are each other's negatives: as far apart as two rows can be.
        (_, 0.0) => f64::MAX.sqrt(),
        _ => apart / whole,
    }
}

fn largest(row: &[f64]) -> f64 {
    row.iter()
        .fold(0.0, |most: f64, value| most.max(value.abs()))
}

fn haversine(a: &[f64], b: &[f64]) -> f64 {
    let (Some(&[latitude, longitude]), Some(&[other, along])) =
        (a.first_chunk::<2>(), b.first_chunk::<2>())
    else {
        return 0.0;
    };
    let half = |x: f64, y: f64| (0.5 * (x - y)).sin().powi(2);
    let square = half(latitude, other) + latitude.cos() * other.cos() * half(longitude, along);
    2.0 * square.clamp(0.0, 1.0).sqrt().asin()
}

/// √(½ Σ (√p − √q)²) of rows that sum to 1: the same as √(1 − Σ √(p q)), and exact for rows that are nearly alike.
fn hellinger(a: &[f64], b: &[f64]) -> f64 {
    let (unit, other) = (largest(a), largest(b));
    if unit == 0.0 || other == 0.0 {
        return f64::from(u8::from(unit != other));
    }
    let sum = |row: &[f64], unit: f64| row.iter().map(|value| value / unit).sum::<f64>();
    let (whole_a, whole_b) = (sum(a, unit), sum(b, other));
    let roots = a
        .iter()
        .zip(b)
        .map(|(x, y)| (x / unit / whole_a).sqrt() - (y / other / whole_b).sqrt());
    (0.5 * roots.map(|root| root * root).sum::<f64>()).sqrt()
}

/// The symmetric relative log likelihood that one row was rolled with the other's die, of rows that are counts.
fn ll_dirichlet(a: &[f64], b: &[f64]) -> f64 {
    let (n_a, n_b): (f64, f64) = (a.iter().sum(), b.iter().sum());
    if n_a == 0.0 || n_b == 0.0 {
        return f64::from(u8::from(n_a != n_b));
    }
    let own = |row: &[f64]| -> f64 {
        let counts = row.iter().filter(|&&count| count > COUNT);
        counts.map(|&count| ln_beta(count, count)).sum()
    };
    let shared = a.iter().zip(b).filter(|(x, y)| *x * *y > COUNT);
    let together: f64 = shared.map(|(&x, &y)| ln_beta(x, y)).sum();
    let whole = ln_beta(n_a, n_b);
    let part = |n: f64, own: f64| (together - whole - (own - ln_beta(n, n))) / n;
    (part(n_b, own(b)) + part(n_a, own(a))).max(0.0).sqrt()
}

/// Columns of two rows that say yes or no, by what they say.
struct Counts {
    both: f64,
    first: f64,
    second: f64,
    all: f64,
}

impl Counts {
    fn of(a: &[f64], b: &[f64]) -> Self {
        let count = |wanted: [bool; 2]| {
            let pairs = a.iter().zip(b).map(|(x, y)| [*x != 0.0, *y != 0.0]);
            pairs.filter(|pair| *pair == wanted).count() as f64
        };
        Self {
            both: count([true, true]),
            first: count([true, false]),
            second: count([false, true]),
            all: a.len() as f64,
        }
    }

    fn distance(&self, metric: Metric) -> f64 {
        let Self {
            both,
            first,
            second,
            all,
        } = *self;
        let differ = first + second;
        let neither = all - both - differ;
        if differ == 0.0 {
            return 0.0;
        }
        match metric {
            Metric::Matching => differ / all,
            Metric::Dice => differ / (2.0 * both + differ),
            Metric::Kulsinski => (differ - both + all) / (differ + all),
            Metric::Rogerstanimoto | Metric::Sokalmichener => 2.0 * differ / (all + differ),
            Metric::Sokalsneath => differ / (0.5 * both + differ),
            Metric::Russellrao => (all - both) / all,
            Metric::Yule if first == 0.0 || second == 0.0 => 0.0,
            Metric::Yule => 2.0 * first * second / (both * neither + first * second),
            other => unreachable!("{other:?} does not compare yes and no"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_formulas() {
        // Both, first only, second only, neither: 2, 1, 1, 2.
        let (a, b) = (
            [1.0, 3.0, 2.0, 0.0, 0.0, 0.0],
            [2.0, 1.0, 0.0, 5.0, 0.0, 0.0],
        );
        for (metric, expected) in [
            (Metric::Matching, 2.0 / 6.0),
            (Metric::Dice, 2.0 / 6.0),
            (Metric::Kulsinski, 6.0 / 8.0),
            (Metric::Rogerstanimoto, 4.0 / 8.0),
            (Metric::Sokalmichener, 4.0 / 8.0),
            (Metric::Sokalsneath, 2.0 / 3.0),
            (Metric::Russellrao, 4.0 / 6.0),
            (Metric::Yule, 2.0 / 5.0),
            (Metric::Canberra, 1.0 / 3.0 + 2.0 / 4.0 + 2.0),
            (Metric::Braycurtis, (1.0 + 2.0 + 2.0 + 5.0) / 14.0),
        ] {
            let found = metric.between(&a, &b, 2.0);
            assert!((found - expected).abs() < 1e-14, "{metric:?}: {found}");
            assert_eq!(metric.between(&b, &a, 2.0), found);
            assert_eq!(metric.between(&a, &a, 2.0), 0.0);
        }
    }

    #[test]
    fn distances_on_the_sphere_and_between_distributions() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let found = Metric::Haversine.between(&[0.0, 0.0], &[quarter, 1.0], 2.0);
        assert!((found - quarter).abs() < 1e-14);
        let hellinger = |a: [f64; 2], b: [f64; 2]| Metric::Hellinger.between(&a, &b, 2.0);
        assert!((hellinger([1.0, 0.0], [0.0, 7.0]) - 1.0).abs() < 1e-14);
        assert_eq!(hellinger([1.0, 3.0], [2.0, 6.0]), 0.0);
        assert_eq!(hellinger([0.0, 0.0], [2.0, 6.0]), 1.0);
        let rolls = |a: [f64; 3], b: [f64; 3]| Metric::LlDirichlet.between(&a, &b, 2.0);
        assert_eq!(rolls([3.0, 1.0, 2.0], [3.0, 1.0, 2.0]), 0.0);
        assert!(rolls([3.0, 1.0, 2.0], [0.0, 5.0, 2.0]) > rolls([3.0, 1.0, 2.0], [3.0, 2.0, 2.0]));
    }

    #[test]
    fn rows_for_which_a_distance_is_not_defined_are_refused() {
        let x = ndarray::array![[1.0, -2.0, 1.0]];
        for metric in [Metric::Haversine, Metric::Hellinger, Metric::LlDirichlet] {
            assert!(check(metric, &Features::from(&x)).is_err(), "{metric:?}");
        }
        assert!(check(Metric::Canberra, &Features::from(&x)).is_ok());
    }
}
