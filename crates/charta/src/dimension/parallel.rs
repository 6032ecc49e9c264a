//! Horn's parallel analysis: keep components with more variance than those of random data.
//!
//! Random data of the same shape, with independent normal columns of the observed variances, also has
//! a largest eigenvalue. Components are kept while their eigenvalue is above a quantile of the
//! eigenvalues of the same rank among many random data sets (Horn 1965; the quantile after Glorfeld
//! 1995). The random scatter matrices are drawn directly from the Wishart distribution (Bartlett's
//! decomposition), so that the cost does not grow with the number of rows. It grows with the cube of the smaller side, while the
//! eigenvalues vary less from one random data set to the next: of large tables [`ParallelAnalysis::repetitions_for`] takes
//! fewer. Beyond a side of 400, [`ParallelAnalysis::compare`] finds only the leading random eigenvalues, by block Krylov iteration, in rounds of
//! more and more until the first component is not kept.

use ndarray::{Array1, Array2};
use rand_distr::{ChiSquared, Distribution};

use crate::error::{Error, Result, message};
use crate::linalg::block_krylov::{Effort, Symmetric, largest};
use crate::linalg::eigen;
use crate::linalg::product::product;
use crate::parallel::{blocks, try_map};
use crate::random::{Stream, normal, stream};
use crate::run::Run;

/// Random data sets between two reports of progress.
const WAVE: usize = 16;

/// Random data sets for tables whose smaller side is at most [`SMALL`].
const REPETITIONS: usize = 200;
/// The fewest for any table.
const FEWEST_REPETITIONS: usize = 20;
/// The side beyond which the number falls, so that the time stays about the same.
const SMALL: usize = 400;

/// Leading eigenvalues of the first round where not all are computed.
const FIRST_LEADING: usize = 16;
/// How many times as many each further round takes.
const MORE_LEADING: usize = 3;
/// All eigenvalues are computed if more than this fraction of them is needed.
const MOST_LEADING: f64 = 0.2;
/// Leading eigenvalues are exact to this fraction of the largest: less than they vary from one random data set to the next.
const LEADING_TOLERANCE: f64 = 1e-3;
/// Products with a block of vectors for them, at most.
const MAX_PRODUCTS: usize = 60;

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
            repetitions: REPETITIONS,
            quantile: 0.95,
            correlation: false,
            seed: 0,
        }
    }
}

/// The quantiles of random eigenvalues.
#[derive(Clone, Debug, PartialEq)]
pub struct Thresholds {
    /// By rank, largest first.
    pub values: Vec<f64>,
    /// Their Monte Carlo standard errors.
    pub errors: Vec<f64>,
}

/// The components that vary more than those of random data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// How many of the first are above their thresholds.
    pub n_above: usize,
    /// The threshold of the next one, and its Monte Carlo standard error; none if all are above.
    pub next: Option<(f64, f64)>,
}

impl Comparison {
    fn of(observed: &[f64], thresholds: &Thresholds) -> Self {
        let n_above = ParallelAnalysis::count(observed, &thresholds.values);
        let next = (n_above < observed.len())
            .then(|| thresholds.values.get(n_above).copied())
            .flatten();
        Self {
            n_above,
            next: next.map(|threshold| (threshold, thresholds.errors[n_above])),
        }
    }
}

impl ParallelAnalysis {
    /// Compares the observed eigenvalues, largest first, with those of `n_rows` rows of independent columns with these variances. Of large
    /// tables only as many random eigenvalues are computed as the answer needs.
    pub fn compare(
        &self,
        run: &Run<'_>,
        n_rows: usize,
        variances: &Array1<f64>,
        observed: &[f64],
    ) -> Result<Comparison> {
        let size = variances.len().min(n_rows.saturating_sub(1));
        let mut leading = FIRST_LEADING;
        while size > SMALL && leading as f64 <= MOST_LEADING * size as f64 {
            let thresholds = self.leading_thresholds(run, n_rows, variances, leading)?;
            let found = Comparison::of(&observed[..leading.min(observed.len())], &thresholds);
            if found.n_above < leading {
                return Ok(found);
            }
            leading *= MORE_LEADING;
        }
        let thresholds = self.thresholds_with_errors(run, n_rows, variances)?;
        Ok(Comparison::of(observed, &thresholds))
    }

    /// The thresholds of the first `leading` ranks.
    fn leading_thresholds(
        &self,
        run: &Run<'_>,
        n_rows: usize,
        variances: &Array1<f64>,
        leading: usize,
    ) -> Result<Thresholds> {
        let deviations = deviations(variances);
        let leading = leading.min(deviations.len());
        let mut drawn = Vec::with_capacity(self.repetitions);
        for index in 0..self.repetitions {
            run.check()?;
            let mut stream = stream(self.seed, index as u64);
            let factor = self.scaled_factor(&mut stream, n_rows - 1, &deviations)?;
            let effort = Effort {
                tolerance: LEADING_TOLERANCE,
                max_products: MAX_PRODUCTS,
                seed: self.seed,
            };
            // The products of the factor are parallel within; nobody is told of each of them.
            let found = largest(&Run::new(), &Scatter(factor), leading, &effort)?;
            drawn.push(found.eigen.values);
            run.progress(index as u64 + 1, self.repetitions as u64)?;
        }
        Ok(self.quantiles(&drawn, leading))
    }

    /// Default number of random data sets for a table of this size: 200 up to 400 rows or
    /// columns, whichever are fewer, and down to 20 for larger ones.
    pub fn repetitions_for(n_rows: usize, n_columns: usize) -> usize {
        let size = n_rows.min(n_columns).max(1);
        let affordable = REPETITIONS as f64 * (SMALL as f64 / size as f64).powi(3);
        (affordable as usize).clamp(FEWEST_REPETITIONS, REPETITIONS)
    }

    /// The quantiles of the random eigenvalues, by rank, for `n_rows` rows of independent columns
    /// with these variances. Constant columns are left out.
    pub fn thresholds(
        &self,
        run: &Run<'_>,
        n_rows: usize,
        variances: &Array1<f64>,
    ) -> Result<Vec<f64>> {
        Ok(self.thresholds_with_errors(run, n_rows, variances)?.values)
    }

    /// The same with their Monte Carlo standard errors, which are read off the order statistics next to each quantile.
    pub fn thresholds_with_errors(
        &self,
        run: &Run<'_>,
        n_rows: usize,
        variances: &Array1<f64>,
    ) -> Result<Thresholds> {
        if n_rows < 2 {
            return Err(Error::too_few_rows(
                message!("parallel analysis"),
                2,
                n_rows,
            ));
        }
        let deviations = deviations(variances);
        let mut drawn: Vec<Array1<f64>> = Vec::with_capacity(self.repetitions);
        for wave in blocks(self.repetitions, WAVE) {
            let part = try_map(run, wave.len(), |place| {
                let mut stream = stream(self.seed, (wave.start + place) as u64);
                self.eigenvalues(&mut stream, n_rows - 1, &deviations)
            })?;
            drawn.extend(part);
            run.progress(drawn.len() as u64, self.repetitions as u64)?;
        }
        Ok(self.quantiles(&drawn, deviations.len()))
    }

    /// The quantile of each of the first ranks.
    fn quantiles(&self, drawn: &[Array1<f64>], n_ranks: usize) -> Thresholds {
        let apart = (self.quantile * (1.0 - self.quantile) / self.repetitions as f64).sqrt();
        let mut thresholds = Thresholds {
            values: Vec::with_capacity(n_ranks),
            errors: Vec::with_capacity(n_ranks),
        };
        for rank in 0..n_ranks {
            let mut values: Vec<f64> = drawn.iter().map(|values| values[rank]).collect();
            values.sort_by(f64::total_cmp);
            let above = quantile(&values, (self.quantile + apart).min(1.0));
            let below = quantile(&values, (self.quantile - apart).max(0.0));
            thresholds.values.push(quantile(&values, self.quantile));
            thresholds.errors.push((above - below) / 2.0);
        }
        thresholds
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
        let size = deviations.len();
        if degrees < size {
            return self.eigenvalues_of_few_rows(stream, degrees, deviations);
        }
        let factor = random_factor(stream, degrees, size)?;
        let mut matrix = product(&factor.view(), &factor.t());
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

    /// The same where there are fewer degrees of freedom than columns: T Tᵀ and Tᵀ T have the same eigenvalues but for zeros.
    fn eigenvalues_of_few_rows(
        &self,
        stream: &mut Stream,
        degrees: usize,
        deviations: &[f64],
    ) -> Result<Array1<f64>> {
        let factor = self.scaled_factor(stream, degrees, deviations)?;
        let matrix = product(&factor.t(), &factor.view());
        let mut values = eigen::symmetric_values(&matrix.view())?.to_vec();
        values.resize(deviations.len(), 0.0);
        Ok(values.into())
    }
}

/// The standard deviations of the columns that vary.
fn deviations(variances: &Array1<f64>) -> Vec<f64> {
    let varying = variances.iter().filter(|&&variance| variance > 0.0);
    varying.map(|variance| variance.sqrt()).collect()
}

impl ParallelAnalysis {
    /// A factor F of one random covariance or correlation matrix F Fᵀ.
    fn scaled_factor(
        &self,
        stream: &mut Stream,
        degrees: usize,
        deviations: &[f64],
    ) -> Result<Array2<f64>> {
        let mut factor = random_factor(stream, degrees, deviations.len())?;
        let divisor = (degrees as f64).sqrt();
        for (mut row, deviation) in factor.rows_mut().into_iter().zip(deviations) {
            let scale = if self.correlation {
                row.dot(&row).sqrt().recip()
            } else {
                deviation / divisor
            };
            row *= scale;
        }
        Ok(factor)
    }
}

/// FᵀF of a factor F, known by its products: it has the eigenvalues of F Fᵀ but for zeros, and is the smaller.
struct Scatter(Array2<f64>);

impl Symmetric for Scatter {
    fn size(&self) -> usize {
        self.0.ncols()
    }

    fn times(&self, _run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        let across = product(&self.0.view(), &right.view());
        Ok(product(&self.0.t(), &across.view()))
    }
}

/// A factor T of a random scatter matrix T Tᵀ of standard normal columns: lower triangular, normal below the
/// diagonal and chi-distributed on it. With fewer degrees of freedom than columns, it ends early.
fn random_factor(stream: &mut Stream, degrees: usize, size: usize) -> Result<Array2<f64>> {
    let width = degrees.min(size);
    let mut factor = Array2::zeros((size, width));
    for i in 0..size {
        for j in 0..i.min(width) {
            factor[[i, j]] = normal(stream);
        }
        if i < width {
            let chi = ChiSquared::new((degrees - i) as f64).map_err(|error| {
                Error::degenerate(message!("parallel analysis: {}", error.to_string()))
            })?;
            factor[[i, i]] = chi.sample(stream).sqrt();
        }
    }
    Ok(factor)
}

/// The quantile of sorted values, with linear interpolation between the two nearest.
fn quantile(values: &[f64], share: f64) -> f64 {
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
            let factor = random_factor(&mut stream(9, index), degrees, size).unwrap();
            sum += &factor.dot(&factor.t());
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
        for correlation in [false, true] {
            let analysis = ParallelAnalysis {
                correlation,
                ..analysis
            };
            let thresholds = analysis.thresholds(&Run::new(), 5, &variances).unwrap();
            assert!(thresholds[3] > 0.1 && thresholds[4] < 1e-12);
            // The larger of both products has the same eigenvalues.
            let small = analysis
                .eigenvalues(&mut stream(3, 0), 4, &[1.0; 10])
                .unwrap();
            let factor = random_factor(&mut stream(3, 0), 4, 10).unwrap();
            let mut large = factor.dot(&factor.t());
            let scale = if correlation {
                large.diag().mapv(|entry| entry.sqrt().recip())
            } else {
                Array1::from_elem(10, 0.5)
            };
            for ((i, j), entry) in large.indexed_iter_mut() {
                *entry *= scale[i] * scale[j];
            }
            let large = eigen::symmetric_values(&large.view()).unwrap();
            assert!((small - large).iter().all(|d| d.abs() < 1e-12));
        }
    }

    #[test]
    fn leading_eigenvalues_give_the_answer_of_all() {
        let (n_rows, n_columns) = (900, 450);
        let analysis = ParallelAnalysis {
            repetitions: 4,
            ..ParallelAnalysis::default()
        };
        let variances = Array1::from_shape_fn(n_columns, |j| 1.0 + (j % 7) as f64 / 7.0);
        for correlation in [false, true] {
            let analysis = ParallelAnalysis {
                correlation,
                ..analysis
            };
            let run = Run::new();
            let all = analysis
                .thresholds_with_errors(&run, n_rows, &variances)
                .unwrap();
            // Twenty components stand out: more than the first round has.
            let observed: Vec<f64> = (all.values.iter().enumerate())
                .map(|(rank, value)| {
                    if rank < 20 {
                        value * 1.05
                    } else {
                        value * 0.98
                    }
                })
                .collect();
            let found = analysis
                .compare(&run, n_rows, &variances, &observed)
                .unwrap();
            assert_eq!(found.n_above, 20);
            let (threshold, _) = found.next.unwrap();
            assert!((threshold / all.values[20] - 1.0).abs() < 2e-3);
        }
    }

    #[test]
    fn large_tables_take_fewer_random_data_sets_and_errors_are_those_of_repeating() {
        assert_eq!(ParallelAnalysis::repetitions_for(150, 4), 200);
        assert_eq!(ParallelAnalysis::repetitions_for(1797, 400), 200);
        assert_eq!(ParallelAnalysis::repetitions_for(2638, 2000), 20);
        let variances = Array1::ones(6);
        let of_seed = |seed| {
            let analysis = ParallelAnalysis {
                seed,
                ..ParallelAnalysis::default()
            };
            analysis
                .thresholds_with_errors(&Run::new(), 60, &variances)
                .unwrap()
        };
        let runs: Vec<Thresholds> = (0..40).map(of_seed).collect();
        let first: Array1<f64> = runs.iter().map(|run| run.values[0]).collect();
        let stated = runs.iter().map(|run| run.errors[0]).sum::<f64>() / 40.0;
        let found = first.std(1.0);
        assert!((0.6..1.7).contains(&(stated / found)), "{stated} {found}");
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
        assert_eq!(quantile(&[1.0, 2.0, 3.0], 0.5), 2.0);
        assert_eq!(quantile(&[0.0, 10.0], 0.95), 9.5);
    }
}
