//! Gaussian naive Bayes as a scorer: every feature adds the logarithm of its own density.

use ndarray::{Array2, Array3};

use crate::error::Result;
use crate::run::Run;

use super::problem::Problem;
use super::scorer::{Change, FeatureSet, SplitModel};

/// The fraction of the largest variance of any column that is added to all variances, as in scikit-learn (which takes the
/// largest among the columns of the current set).
const SMOOTHING: f64 = 1e-9;

/// Variances are at least this, of columns with a range of about 1.
const MIN_VARIANCE: f64 = 1e-100;

/// The class-conditional densities of one split: columns are normal and independent within classes.
pub(super) struct NaiveBayesModel {
    split: usize,
    /// The held-out rows, a column on each line.
    held_out: Array2<f64>,
    /// For each column and class: the mean, −1 / (2 variance), and the logarithm of the normalization.
    normals: Array3<f64>,
    /// Log-densities of the held-out rows under each class by the columns of the set.
    log_densities: Array2<f64>,
    log_priors: Vec<f64>,
}

impl NaiveBayesModel {
    /// The model of no feature.
    pub(super) fn new(problem: &Problem, split: usize) -> Self {
        let rows = &problem.splits[split];
        let n_columns = problem.candidates.n_columns();
        let n_classes = problem.target.n_classes();
        let mut held_out = Array2::zeros((n_columns, rows.test.len()));
        let mut normals = Array3::zeros((n_columns, n_classes, 3));
        let mut largest_variance = 0.0_f64;
        for column in 0..n_columns {
            let mut values = problem.candidates.values(column, &rows.train);
            let origin = values[0];
            values.iter_mut().for_each(|value| *value -= origin);
            largest_variance = largest_variance.max(mean_and_variance(&values).1);
            for class in 0..n_classes {
                let of_class = values.iter().zip(&rows.train);
                let of_class = of_class.filter(|(_, row)| problem.target.class(**row) == class);
                let of_class: Vec<f64> = of_class.map(|(&value, _)| value).collect();
                let (mean, variance) = mean_and_variance(&of_class);
                normals[[column, class, 0]] = mean;
                normals[[column, class, 1]] = variance;
            }
            let new = problem.candidates.values(column, &rows.test).into_iter();
            let line = held_out.row_mut(column);
            line.into_iter()
                .zip(new)
                .for_each(|(to, value)| *to = value - origin);
        }
        for mut normal in normals.rows_mut() {
            let variance = (normal[1] + SMOOTHING * largest_variance).max(MIN_VARIANCE);
            normal[1] = -0.5 / variance;
            normal[2] = -0.5 * (std::f64::consts::TAU * variance).ln();
        }
        Self {
            split,
            log_densities: Array2::zeros((rows.test.len(), n_classes)),
            held_out,
            normals,
            log_priors: problem.log_priors(split),
        }
    }

    fn log_density(&self, column: usize, index: usize, class: usize) -> f64 {
        let difference = self.held_out[[column, index]] - self.normals[[column, class, 0]];
        self.normals[[column, class, 1]] * difference * difference
            + self.normals[[column, class, 2]]
    }
}

impl SplitModel for NaiveBayesModel {
    fn score(&self, set: &FeatureSet<'_>, change: Change) -> Result<f64> {
        let columns = set.changed_columns(change);
        let sign = if change.adds() { 1.0 } else { -1.0 };
        let mut tally = set.problem.tally(self.split);
        let mut scores = vec![0.0; self.log_priors.len()];
        for (index, &row) in set.problem.splits[self.split].test.iter().enumerate() {
            for (class, score) in scores.iter_mut().enumerate() {
                let changed = columns.iter();
                let changed = changed.map(|&column| self.log_density(column, index, class));
                let current = self.log_densities[[index, class]];
                *score = self.log_priors[class] + current + sign * changed.sum::<f64>();
            }
            tally.add_class_scores(row, &scores);
        }
        Ok(tally.score())
    }

    /// A removal sums the densities anew, so that they do not depend on how the set came about.
    fn apply(&mut self, _run: &Run<'_>, set: &FeatureSet<'_>, change: Change) -> Result<()> {
        let mut log_densities = std::mem::take(&mut self.log_densities);
        let added = match change {
            Change::Remove(_) => {
                log_densities.fill(0.0);
                set.columns_after(change)
            }
            _ => set.changed_columns(change).to_vec(),
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
