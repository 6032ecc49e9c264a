//! The dictionary of the Nyström method: rows that represent all others in the feature space of a kernel.

use ndarray::{Array2, Axis};

use super::{KernelMatrix, KernelRows, KernelSpec};
use crate::data::Data;
use crate::error::Result;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::eigen;
use crate::params::Choice;
use crate::random::{permutation, stream, uniform};
use crate::run::Run;

/// Bytes of the largest kernel matrix that `auto` makes.
const LARGEST_MATRIX: u64 = 1 << 30;
/// Landmarks beyond that.
const DEFAULT_ROWS: usize = 2000;
/// Rows by which leverage is estimated, at most.
const PILOT: usize = 512;
/// Rows for every centre of k-means, at most.
const ROWS_PER_CENTRE: usize = 20;

/// Number of landmarks of the Nyström approximation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Dictionary {
    /// All rows (exact) while the kernel matrix takes at most 1 GiB, otherwise 2,000 landmarks. Kernel PCA takes all rows of a given kernel matrix.
    Auto,
    /// All rows: exact.
    All,
    /// This number of landmarks.
    #[choice(min = 1)]
    Count(usize),
}

impl Dictionary {
    /// All of a kernel matrix that is there already, unless a number is given.
    pub(crate) fn of_matrix(self, given: bool) -> Self {
        match self {
            Self::Auto if given => Self::All,
            other => other,
        }
    }

    /// Landmarks for this many rows, whose kernels take this many bytes each; `None` if all are taken, exactly.
    pub(crate) fn count(self, n_rows: usize, bytes: u64) -> Option<usize> {
        let matrix = (n_rows as u64).saturating_mul(n_rows as u64);
        match self {
            Self::All => None,
            Self::Auto if matrix.saturating_mul(bytes) <= LARGEST_MATRIX => None,
            Self::Auto => Some(DEFAULT_ROWS.min(n_rows)),
            Self::Count(count) => Some(count.min(n_rows)),
        }
    }
}

/// Choice of the landmarks of the Nyström approximation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum DictionaryChoice {
    /// Uniformly at random.
    Random,
    /// Centres of k-means in place of rows.
    KMeans,
    /// At random, with probabilities proportional to approximate ridge leverage scores.
    Leverage,
}

impl DictionaryChoice {
    /// Rows of a sample from which this many are made: for k-means 20 for each, because a dictionary needs no better centres.
    pub(crate) fn n_sampled(self, count: usize) -> usize {
        match self {
            Self::KMeans => count.saturating_mul(ROWS_PER_CENTRE),
            _ => 0,
        }
    }
}

/// This many rows at random, in ascending order.
pub(crate) fn random_rows(n_rows: usize, count: usize, seed: u64) -> Vec<u32> {
    let mut order = permutation(&mut stream(seed, 2), n_rows);
    order.truncate(count);
    order.sort_unstable();
    order.into_iter().map(|row| row as u32).collect()
}

/// This many rows, drawn without putting back, with chances by their approximate ridge leverage.
///
/// The score of a row is k(x, x) − k(x, S) (K + ρ)⁻¹ k(S, x) for up to 512 rows S at random, K the kernels between them:
/// what the others leave of it. ρ is such that S has about as many degrees of freedom as rows are requested, at most half as many as S has rows.
/// Musco and Musco, "Recursive sampling for the Nyström method", 2017, with a single level.
pub(crate) fn leverage_rows(
    run: &Run<'_>,
    data: &Data<'_>,
    spec: KernelSpec,
    count: usize,
    seed: u64,
) -> Result<Vec<u32>> {
    let pilot = random_rows(data.n_rows(), PILOT, seed.wrapping_add(1));
    let pilot = KernelRows::of_rows(data, &pilot, spec)?;
    let mut among = KernelMatrix::of(run, &pilot, data)?.wide();
    let values = eigen::symmetric_values(&among.view())?;
    let ridge = ridge(
        &values.to_vec(),
        count.min(pilot.n_rows().div_ceil(2)) as f64,
    );
    among.diag_mut().iter_mut().for_each(|own| *own += ridge);
    let Some(factor) = Cholesky::of(&among.view()) else {
        // An indefinite kernel has no leverage.
        return Ok(random_rows(data.n_rows(), count, seed));
    };
    let own = pilot.own(run, data)?;
    let explained = pilot.map(run, data, |_, kernels| explained(&factor, &kernels))?;
    let mut draw = stream(seed, 4);
    let mut keys: Vec<(f64, u32)> = explained
        .into_iter()
        .flatten()
        .zip(&own)
        .enumerate()
        .map(|(row, (explained, own))| {
            let score = (own - explained).max(f64::EPSILON * own.abs());
            // The first arrivals of Poisson processes with these rates.
            let key = -(1.0 - uniform(&mut draw)).ln() / score.max(f64::MIN_POSITIVE);
            (key, row as u32)
        })
        .collect();
    keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut rows: Vec<u32> = keys.into_iter().take(count).map(|key| key.1).collect();
    rows.sort_unstable();
    Ok(rows)
}

fn explained(factor: &Cholesky, kernels: &Array2<f64>) -> Vec<f64> {
    let half = factor.solve_lower(&kernels.t());
    half.axis_iter(Axis(1))
        .map(|column| column.dot(&column))
        .collect()
}

/// The ρ with Σ σ / (σ + ρ) = `degrees_of_freedom`, by halving.
fn ridge(values: &[f64], degrees_of_freedom: f64) -> f64 {
    let most = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let left = |ridge: f64| {
        values
            .iter()
            .map(|&v| v.max(0.0) / (v.max(0.0) + ridge))
            .sum::<f64>()
    };
    let (mut low, mut high) = (1e-9 * most, most * values.len() as f64);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if left(middle) > degrees_of_freedom {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    #[test]
    fn rows_far_from_the_others_have_leverage() {
        // 600 rows at one point but for rounding, and one far away.
        let x = Array2::from_shape_fn((601, 2), |(i, j)| {
            if i == 77 {
                9.0
            } else {
                1e-4 * ((i * 2 + j) as f64).sin()
            }
        });
        let data = Data::from(&x);
        let spec = Kernel::default().with_gamma(0.5);
        let rows = leverage_rows(&Run::new(), &data, spec, 5, 3).unwrap();
        assert_eq!(rows.len(), 5);
        assert!(rows.contains(&77) && rows.is_sorted());
    }

    #[test]
    fn the_ridge_leaves_the_degrees_of_freedom_wanted() {
        let values = [5.0, 2.0, 1.0, 0.5, 0.0];
        let found = ridge(&values, 2.0);
        let left: f64 = values.iter().map(|v| v / (v + found)).sum();
        assert!((left - 2.0).abs() < 1e-9);
    }

    #[test]
    fn auto_is_exact_while_the_matrix_is_small() {
        assert_eq!(Dictionary::Auto.count(11_000, 8), None);
        assert_eq!(Dictionary::Auto.count(12_000, 8), Some(2000));
        assert_eq!(Dictionary::Auto.count(16_000, 4), None);
        assert_eq!(Dictionary::Count(50).count(20, 4), Some(20));
        assert_eq!(Dictionary::All.count(1 << 40, 8), None);
        let given = |dictionary: Dictionary| dictionary.of_matrix(true).count(12_000, 8);
        assert_eq!(given(Dictionary::Auto), None);
        assert_eq!(given(Dictionary::Count(9)), Some(9));
    }
}
