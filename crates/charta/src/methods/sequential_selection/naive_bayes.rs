//! Gaussian naive Bayes as a scorer: every feature adds its own logarithm of a density.

use ndarray::{Array2, Array3};
use rayon::prelude::*;

use crate::error::Result;
use crate::run::Run;

use super::Problem;
use super::discriminant::{check, log_shares};
use super::scorer::{change_members, columns_changed, columns_of, each, empties};
use super::{Change, Evaluator, Scorer};

/// The share of the largest variance of a column that is added to all variances.
const SMOOTHING: f64 = 1e-9;

/// Variances are at least this, of columns that are about 1 wide.
const LEAST_VARIANCE: f64 = 1e-100;

/// Predicts the class under which the row is most probable, if columns were normal and independent within classes.
///
/// 1e−9 of the largest variance of any column is added to every variance; scikit-learn takes the largest among the
/// columns of the set at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NaiveBayes;

impl Scorer for NaiveBayes {
    fn name(&self) -> String {
        "Gaussian naive Bayes".into()
    }

    fn score(
        &self,
        run: &Run<'_>,
        problem: &Problem,
        split: usize,
        columns: &[usize],
    ) -> Result<f64> {
        run.check()?;
        check(problem, "naive Bayes")?;
        let mut fold = Fold::of(problem, split);
        fold.add(columns);
        Ok(fold.value(problem, split, (&[], 0.0)))
    }

    fn incremental<'p>(
        &'p self,
        run: &Run<'_>,
        problem: &'p Problem,
    ) -> Result<Option<Box<dyn Evaluator + 'p>>> {
        run.check()?;
        check(problem, "naive Bayes")?;
        let splits = 0..problem.splits().len();
        Ok(Some(Box::new(State {
            problem,
            folds: splits
                .into_par_iter()
                .map(|split| Fold::of(problem, split))
                .collect(),
            members: Vec::new(),
        })))
    }
}

struct State<'p> {
    problem: &'p Problem,
    folds: Vec<Fold>,
    members: Vec<usize>,
}

impl Evaluator for State<'_> {
    fn changed(&self, run: &Run<'_>, changes: &[Change]) -> Result<Array2<f64>> {
        each(run, self.problem, changes, |change, split| {
            if empties(&self.members, change) {
                return Ok(self.problem.knowing_nothing(split));
            }
            let columns = columns_changed(self.problem, change);
            let sign = if matches!(change, Change::Remove(_)) {
                -1.0
            } else {
                1.0
            };
            Ok(self.folds[split].value(self.problem, split, (columns, sign)))
        })
    }

    fn apply(&mut self, run: &Run<'_>, change: Change) -> Result<()> {
        run.check()?;
        change_members(&mut self.members, change);
        let columns = match change {
            Change::Remove(_) => {
                self.folds.iter_mut().for_each(Fold::clear);
                columns_of(self.problem, &self.members)
            }
            _ => columns_changed(self.problem, change).to_vec(),
        };
        self.folds
            .par_iter_mut()
            .for_each(|fold| fold.add(&columns));
        Ok(())
    }
}

/// One split.
struct Fold {
    /// The held-out rows, a column on each line.
    held: Array2<f64>,
    /// For each column and class: the mean, minus half the inverse variance, and the density's constant.
    normals: Array3<f64>,
    /// Logarithms of the density of the held-out rows under each class, by the set's columns.
    logs: Array2<f64>,
    log_shares: Vec<f64>,
}

impl Fold {
    fn of(problem: &Problem, split: usize) -> Self {
        let rows = &problem.splits()[split];
        let n_columns = problem.columns().dim().0;
        let n_classes = problem.target().n_classes();
        let mut held = Array2::zeros((n_columns, rows.test.len()));
        let mut normals = Array3::zeros((n_columns, n_classes, 3));
        let mut widest = 0.0_f64;
        for column in 0..n_columns {
            let values = problem.columns().values(column, &rows.train);
            let origin = values[0];
            let apart = |v: f64| v - origin;
            let mean = values.iter().map(|&v| apart(v)).sum::<f64>() / values.len() as f64;
            let squares = values.iter().map(|&v| (apart(v) - mean).powi(2));
            widest = widest.max(squares.sum::<f64>() / values.len() as f64);
            for class in 0..n_classes {
                let own = values.iter().zip(&rows.train);
                let own = own.filter(|(_, row)| problem.target().class(**row) == class);
                let own: Vec<f64> = own.map(|(&value, _)| apart(value)).collect();
                let count = own.len().max(1) as f64;
                let mean = own.iter().sum::<f64>() / count;
                let variance = own.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
                normals[[column, class, 0]] = mean;
                normals[[column, class, 1]] = variance;
            }
            let new = problem.columns().values(column, &rows.test).into_iter();
            let line = held.row_mut(column);
            line.into_iter()
                .zip(new)
                .for_each(|(to, value)| *to = apart(value));
        }
        for mut normal in normals.rows_mut() {
            let variance = (normal[1] + SMOOTHING * widest).max(LEAST_VARIANCE);
            normal[1] = -0.5 / variance;
            normal[2] = -0.5 * (std::f64::consts::TAU * variance).ln();
        }
        let log_shares = log_shares(problem, split);
        Self {
            logs: Array2::zeros((rows.test.len(), n_classes)),
            held,
            normals,
            log_shares,
        }
    }

    fn clear(&mut self) {
        self.logs.fill(0.0);
    }

    fn add(&mut self, columns: &[usize]) {
        for ((place, class), log) in self.logs.indexed_iter_mut() {
            for &column in columns {
                *log += density(&self.held, &self.normals, (column, place, class));
            }
        }
    }

    /// The measure with some columns more, or fewer by the sign.
    fn value(&self, problem: &Problem, split: usize, (columns, sign): (&[usize], f64)) -> f64 {
        let mut sums = vec![0.0; problem.width()];
        let mut scores = vec![0.0; self.log_shares.len()];
        for (place, &row) in problem.splits()[split].test.iter().enumerate() {
            for (class, score) in scores.iter_mut().enumerate() {
                let further = columns
                    .iter()
                    .map(|&column| density(&self.held, &self.normals, (column, place, class)));
                let further: f64 = further.sum();
                *score = self.log_shares[class] + self.logs[[place, class]] + sign * further;
            }
            problem.add_scores(row, &scores, &mut sums);
        }
        problem.value(split, &sums)
    }
}

/// The logarithm of a normal density.
fn density(
    held: &Array2<f64>,
    normals: &Array3<f64>,
    (column, place, class): (usize, usize, usize),
) -> f64 {
    let apart = held[[column, place]] - normals[[column, class, 0]];
    normals[[column, class, 1]] * apart * apart + normals[[column, class, 2]]
}
