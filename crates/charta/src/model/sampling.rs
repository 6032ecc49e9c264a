//! Rows drawn from the distribution that a model assumes.

use ndarray::{Array1, Array2};

use crate::error::{Error, Result, message};
use crate::parallel::map_rows;
use crate::random::{normal, stream};
use crate::run::Run;

/// Rows that one job draws.
const BLOCK: usize = 256;

/// Draws rows from the model's distribution.
pub trait Sample: Send + Sync {
    /// This many independent rows; row i is the same for every number of rows.
    fn sample_in(&self, run: &Run<'_>, n_rows: usize, seed: u64) -> Result<Array2<f64>>;

    /// This many independent rows, on all cores.
    fn sample(&self, n_rows: usize, seed: u64) -> Result<Array2<f64>>
    where
        Self: Sized,
    {
        self.sample_in(&Run::new(), n_rows, seed)
    }
}

/// A normal distribution by its factors: x = m + (Λᵀ z + ε) / s, with z normal of unit covariance and ε of independent columns.
#[derive(Clone, Debug)]
pub(crate) struct Factors<'a> {
    /// m.
    pub mean: &'a Array1<f64>,
    /// Λ, a row for each factor.
    pub loadings: Array2<f64>,
    /// The variance of each column of ε.
    pub noise: Array1<f64>,
    /// s: what each column was multiplied by before the fit.
    pub scale: Option<&'a Array1<f64>>,
}

impl Factors<'_> {
    /// Rows of the distribution, each from its own stream of random numbers.
    pub(crate) fn sample(&self, run: &Run<'_>, n_rows: usize, seed: u64) -> Result<Array2<f64>> {
        let n_columns = self.mean.len();
        let needed = (n_rows as u64)
            .saturating_mul(n_columns as u64)
            .saturating_mul(2 * 8);
        if let Some(limit) = run.memory().filter(|&limit| needed > limit) {
            return Err(Error::Memory {
                needed,
                limit,
                advice: message!(
                    "draw fewer {:rows} at a time, each part with another {seed:parameter}"
                ),
            });
        }
        let deviations = self.noise.mapv(|variance| variance.max(0.0).sqrt());
        map_rows(run, (n_rows, n_columns), BLOCK, |row, mut target| {
            let mut stream = stream(seed, row as u64);
            target.fill(0.0);
            for loading in self.loadings.rows() {
                target.scaled_add(normal(&mut stream), &loading);
            }
            for (value, deviation) in target.iter_mut().zip(&deviations) {
                *value += deviation * normal(&mut stream);
            }
            if let Some(scale) = self.scale {
                target /= scale;
            }
            target += self.mean;
        })
    }
}
