//! Maximum likelihood: how fast the number of neighbours grows with the distance.

use ndarray::Array1;

use super::{Found, all_the_same, positive};
use crate::data::Neighbors;
use crate::error::Result;

/// How the estimates of maximum likelihood are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Likelihood {
    /// The smallest neighbourhood.
    pub first: usize,
    /// The largest.
    pub last: usize,
    /// Average the rows' inverses, as the likelihood of all rows together asks (MacKay and Ghahramani 2005),
    /// instead of the estimates themselves (Levina and Bickel 2005).
    pub corrected: bool,
}

/// The dimension at each row, (k − 1) / Σ log(r_k / r_j) over its k nearest neighbours, averaged over the sizes;
/// and of all rows. Neighbours at distance 0 are passed over; a row with fewer than two others has no estimate.
pub fn maximum_likelihood(table: &Neighbors, likelihood: &Likelihood) -> Result<Found> {
    let sizes = likelihood.first..=likelihood.last;
    let n_sizes = (likelihood.last + 1 - likelihood.first) as f64;
    let mut each = Array1::from_elem(table.n_rows(), 0.0);
    let mut overall = 0.0;
    for size in sizes {
        let (mut sum, mut count) = (0.0, 0.0);
        for row in 0..table.n_rows() {
            let estimate = at_row(positive(table, row, size));
            each[row] += estimate.unwrap_or(f64::NAN) / n_sizes;
            if let Some(estimate) = estimate {
                count += 1.0;
                sum += if likelihood.corrected {
                    estimate.recip()
                } else {
                    estimate
                };
            }
        }
        if count == 0.0 {
            return Err(all_the_same());
        }
        let mean = sum / count;
        overall += if likelihood.corrected {
            mean.recip()
        } else {
            mean
        } / n_sizes;
    }
    Ok((overall, Some(each)))
}

/// The estimate from a row's sorted distances; `None` if they are all the same.
fn at_row(distances: &[f64]) -> Option<f64> {
    let (&farthest, _) = distances.split_last()?;
    let sum: f64 = distances
        .iter()
        .map(|distance| (farthest / distance).ln())
        .sum();
    (sum > 0.0).then(|| (distances.len() - 1) as f64 / sum)
}
