//! Horn's parallel analysis: keep what varies more than chance would.
//!
//! Random data of the same shape, with independent normal columns of the observed variances, also has
//! a largest eigenvalue. Components are kept while their eigenvalue is above a quantile of the
//! eigenvalues of the same rank among many random data sets (Horn 1965; the quantile after Glorfeld
//! 1995). The random scatter matrices are drawn directly from the Wishart distribution (Bartlett's
//! decomposition), so that the cost does not grow with the number of rows.

use ndarray::{Array1, Array2};
use rand_distr::{ChiSquared, Distribution};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::linalg::eigen;
use crate::linalg::product::product;
use crate::message;
use crate::parallel::blocks;
use crate::random::{Stream, normal, stream};
use crate::run::Run;

/// Random data sets between two reports of progress.
const WAVE: usize = 16;

/// How the analysis is done.
#[derive(Clone, Copy, Debug)]
pub struct ParallelAnalysis {
    /// Random data sets drawn.
    pub repetitions: usize,
    /// The quantile that an eigenvalue must be above.
    pub quantile: f64,
    /// Compare correlations instead of covariances.
    pub correlation: bool,
    /// Seed of the random data.
    pub seed: u64,
}

impl Default for ParallelAnalysis {
    fn default() -> Self {
        Self {
            repetitions: 200,
            quantile: 0.95,
            correlation: false,
            seed: 0,
        }
    }
}

impl ParallelAnalysis {
    /// The quantiles of the random eigenvalues, by rank, for `n_rows` rows of independent columns
    /// with these variances. Constant columns are left out.
    pub fn thresholds(
        &self,
        run: &Run<'_>,
        n_rows: usize,
        variances: &Array1<f64>,
    ) -> Result<Vec<f64>> {
        if n_rows < 2 {
            return Err(Error::too_few_rows(
                message!("parallel analysis"),
                2,
                n_rows,
            ));
        }
        let deviations: Vec<f64> = variances
            .iter()
            .filter(|&&variance| variance > 0.0)
            .map(|variance| variance.sqrt())
            .collect();
        let mut drawn: Vec<Array1<f64>> = Vec::with_capacity(self.repetitions);
        for wave in blocks(self.repetitions, WAVE) {
            let part: Vec<Array1<f64>> = wave
                .into_par_iter()
                .map(|index| {
                    run.check()?;
                    let mut stream = stream(self.seed, index as u64);
                    self.eigenvalues(&mut stream, n_rows - 1, &deviations)
                })
                .collect::<Result<_>>()?;
            drawn.extend(part);
            run.progress(drawn.len() as u64, self.repetitions as u64)?;
        }
        Ok((0..deviations.len())
            .map(|rank| {
                quantile(
                    drawn.iter().map(|values| values[rank]).collect(),
                    self.quantile,
                )
            })
            .collect())
    }

    /// How many leading variances are above their thresholds.
    pub fn count(variances: &[f64], thresholds: &[f64]) -> usize {
        variances
            .iter()
            .zip(thresholds)
            .take_while(|(variance, threshold)| variance > threshold)
            .count()
    }

    /// Eigenvalues of one random covariance or correlation matrix with `degrees` degrees of freedom.
    fn eigenvalues(
        &self,
        stream: &mut Stream,
        degrees: usize,
        deviations: &[f64],
    ) -> Result<Array1<f64>> {
        let mut matrix = random_scatter(stream, degrees, deviations.len())?;
        let scale: Vec<f64> = if self.correlation {
            matrix
                .diag()
                .iter()
                .map(|entry| entry.sqrt().recip())
                .collect()
        } else {
            let divisor = (degrees as f64).sqrt();
            deviations
                .iter()
                .map(|deviation| deviation / divisor)
                .collect()
        };
        for ((i, j), entry) in matrix.indexed_iter_mut() {
            *entry *= scale[i] * scale[j];
        }
        eigen::symmetric_values(&matrix.view())
    }
}

/// A random scatter matrix of standard normal columns: T Tᵀ with T lower triangular, normal below the
/// diagonal and chi-distributed on it. With fewer degrees of freedom than columns, T ends early.
fn random_scatter(stream: &mut Stream, degrees: usize, size: usize) -> Result<Array2<f64>> {
    let width = degrees.min(size);
    let mut factor = Array2::zeros((size, width));
    for i in 0..size {
        for j in 0..i.min(width) {
            factor[[i, j]] = normal(stream);
        }
        if i < width {
            let chi = ChiSquared::new((degrees - i) as f64)
                .map_err(|error| Error::degenerate(message!("parallel analysis: {error}")))?;
            factor[[i, i]] = chi.sample(stream).sqrt();
        }
    }
    Ok(product(&factor.view(), &factor.t()))
}

/// The quantile with linear interpolation between the two nearest values.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = share * (values.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(values.len() - 1);
    values[below] + (values[above] - values[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_scatter_has_the_mean_of_its_distribution() {
        let (degrees, size) = (12, 4);
        let mut sum = Array2::<f64>::zeros((size, size));
        for index in 0..4000 {
            sum += &random_scatter(&mut stream(9, index), degrees, size).unwrap();
        }
        let mean = sum / 4000.0;
        let expected = Array2::<f64>::eye(size) * degrees as f64;
        assert!((mean - expected).iter().all(|d| d.abs() < 0.35));
    }

    #[test]
    fn fewer_rows_than_columns_give_as_many_eigenvalues_as_there_is_rank() {
        let analysis = ParallelAnalysis {
            repetitions: 20,
            ..ParallelAnalysis::default()
        };
        let variances = Array1::ones(10);
        let thresholds = analysis.thresholds(&Run::new(), 5, &variances).unwrap();
        assert!(thresholds[3] > 0.1 && thresholds[4] < 1e-12);
    }

    #[test]
    fn the_count_stops_at_the_first_that_is_not_above() {
        assert_eq!(
            ParallelAnalysis::count(&[5.0, 1.0, 3.0], &[2.0, 2.0, 2.0]),
            1
        );
        assert_eq!(ParallelAnalysis::count(&[1.0], &[2.0]), 0);
    }

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(vec![3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!(quantile(vec![0.0, 10.0], 0.95), 9.5);
    }
}
