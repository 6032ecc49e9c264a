//! Gaussian naive Bayes as a scorer: every column adds the logarithm of its own density.

use ndarray::{Array2, Array3};

use crate::error::Result;
use crate::run::Run;

use super::problem::{Problem, table};
use super::scorer::{Change, SplitModel};

/// The fraction of the largest variance of any column that is added to all variances, as in scikit-learn (which takes the
/// largest among the columns of the current set).
const SMOOTHING: f64 = 1e-9;

/// Variances are at least this, of columns with a range of about 1.
const MIN_VARIANCE: f64 = 1e-100;

/// The class-conditional densities of one split: columns are normal and independent within classes.
pub(super) struct NaiveBayesModel<'p> {
    problem: &'p Problem,
    split: usize,
    /// The held-out rows less the first training row, a column on each line.
    held_out: Array2<f64>,
    /// For each column and class: the mean, −1 / (2 variance), and the logarithm of the normalization.
    normals: Array3<f64>,
    /// Log-densities of the held-out rows under each class by the columns of the set.
    log_densities: Array2<f64>,
    log_priors: Vec<f64>,
}

impl<'p> NaiveBayesModel<'p> {
    /// The model of no column.
    pub(super) fn new(problem: &'p Problem, split: usize) -> Self {
        let rows = &problem.splits[split];
        let (n_columns, n_classes) = (problem.n_columns(), problem.target.n_classes());
        let differences = |column: usize, of: &[usize]| -> Vec<f64> {
            let first = problem.values(column, &rows.train[..1])[0];
            let values = problem.values(column, of).into_iter();
            values.map(|value| value - first).collect()
        };
        let mut normals = Array3::zeros((n_columns, n_classes, 3));
        let mut largest_variance = 0.0_f64;
        for column in 0..n_columns {
            let values = differences(column, &rows.train);
            largest_variance = largest_variance.max(mean_and_variance(&values).1);
            let mut of_class = vec![Vec::new(); n_classes];
            for (&value, &row) in values.iter().zip(&rows.train) {
                of_class[problem.target.class(row)].push(value);
            }
            for (class, values) in of_class.iter().enumerate() {
                let (mean, variance) = mean_and_variance(values);
                normals[[column, class, 0]] = mean;
                normals[[column, class, 1]] = variance;
            }
        }
        for mut normal in normals.rows_mut() {
            let variance = (normal[1] + SMOOTHING * largest_variance).max(MIN_VARIANCE);
            normal[1] = -0.5 / variance;
            normal[2] = -0.5 * (std::f64::consts::TAU * variance).ln();
        }
        Self {
            problem,
            split,
            held_out: table(n_columns, rows.test.len(), |column| {
                differences(column, &rows.test)
            }),
            normals,
            log_densities: Array2::zeros((rows.test.len(), n_classes)),
            log_priors: rows.log_priors(),
        }
    }

    fn log_density(&self, column: usize, index: usize, class: usize) -> f64 {
        let difference = self.held_out[[column, index]] - self.normals[[column, class, 0]];
        self.normals[[column, class, 1]] * difference * difference
            + self.normals[[column, class, 2]]
    }
}

impl SplitModel for NaiveBayesModel<'_> {
    fn score(&self, _set: &[usize], change: Change<'_>) -> Result<f64> {
        let sign = if change.add { 1.0 } else { -1.0 };
        Ok(self.problem.class_score(self.split, |index, scores| {
            for (class, score) in scores.iter_mut().enumerate() {
                let columns = change.columns.iter();
                let changed = columns.map(|&column| self.log_density(column, index, class));
                let current = self.log_densities[[index, class]];
                *score = self.log_priors[class] + current + sign * changed.sum::<f64>();
            }
        }))
    }

    /// A removal sums the densities anew, so that they do not depend on how the set came about.
    fn apply(&mut self, _run: &Run<'_>, set: &[usize], change: Change<'_>) -> Result<()> {
        let mut log_densities = std::mem::take(&mut self.log_densities);
        let added = if change.add {
            change.columns.to_vec()
        } else {
            log_densities.fill(0.0);
            change.after(set)
        };
        for ((index, class), sum) in log_densities.indexed_iter_mut() {
            for &column in &added {
                *sum += self.log_density(column, index, class);
            }
        }
        self.log_densities = log_densities;
        Ok(())
    }
}

/// The mean and the variance of some values; 0 for none.
fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (mean, squares.sum::<f64>() / count)
}
