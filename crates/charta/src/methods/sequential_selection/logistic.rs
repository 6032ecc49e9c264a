//! Logistic regression as a scorer. There is no update in closed form: every set is learned from the solution of the
//! set that it differs from by one feature.

use ndarray::{Array2, s};
use rayon::prelude::*;

use crate::error::Result;
use crate::run::Run;

use super::Problem;
use super::descent::{Objective, minimize};
use super::discriminant::{check, log_shares};
use super::scorer::{change_members, columns_changed, columns_of, each};
use super::{Change, Evaluator, Scorer};

/// Predicts classes by a linear function for each, with a penalty on the squared coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogisticRegression {
    /// The weight of half the squared coefficients, against the summed loss: the inverse of scikit-learn's `C`.
    pub penalty: f64,
}

impl Scorer for LogisticRegression {
    fn name(&self) -> String {
        format!("logistic regression, penalty {}", self.penalty)
    }

    fn score(
        &self,
        run: &Run<'_>,
        problem: &Problem,
        split: usize,
        columns: &[usize],
    ) -> Result<f64> {
        run.check()?;
        check(problem, "logistic regression")?;
        let fold = Fold::of(problem, split, self.penalty);
        let weights = fold.learn(columns, &fold.start(problem, split));
        Ok(fold.value(problem, split, columns, &weights))
    }

    fn incremental<'p>(
        &'p self,
        run: &Run<'_>,
        problem: &'p Problem,
    ) -> Result<Option<Box<dyn Evaluator + 'p>>> {
        run.check()?;
        check(problem, "logistic regression")?;
        let folds: Vec<Fold> = (0..problem.splits().len())
            .into_par_iter()
            .map(|split| Fold::of(problem, split, self.penalty))
            .collect();
        let starts = folds.iter().enumerate();
        Ok(Some(Box::new(State {
            weights: starts
                .map(|(split, fold)| fold.start(problem, split))
                .collect(),
            problem,
            folds,
            members: Vec::new(),
        })))
    }
}

struct State<'p> {
    problem: &'p Problem,
    folds: Vec<Fold>,
    /// Of each split, the weights of the set.
    weights: Vec<Array2<f64>>,
    members: Vec<usize>,
}

impl State<'_> {
    fn columns_after(&self, change: Change) -> Vec<usize> {
        let mut members = self.members.clone();
        change_members(&mut members, change);
        columns_of(self.problem, &members)
    }

    /// Weights to start from after a change: those of the set, and 0 for columns that come.
    fn start_after(&self, split: usize, change: Change) -> Array2<f64> {
        let mut weights = self.weights[split].clone();
        if matches!(change, Change::Remove(_)) {
            for &column in columns_changed(self.problem, change) {
                weights.row_mut(column).fill(0.0);
            }
        }
        weights
    }
}

impl Evaluator for State<'_> {
    fn changed(&self, run: &Run<'_>, changes: &[Change]) -> Result<Array2<f64>> {
        each(run, self.problem, changes, |change, split| {
            let columns = self.columns_after(change);
            let fold = &self.folds[split];
            let weights = fold.learn(&columns, &self.start_after(split, change));
            Ok(fold.value(self.problem, split, &columns, &weights))
        })
    }

    fn apply(&mut self, run: &Run<'_>, change: Change) -> Result<()> {
        run.check()?;
        let columns = self.columns_after(change);
        let splits = (0..self.folds.len()).into_par_iter();
        self.weights = splits
            .map(|split| self.folds[split].learn(&columns, &self.start_after(split, change)))
            .collect();
        change_members(&mut self.members, change);
        Ok(())
    }
}

/// One split: columns with mean 0, scaled so that all bend the loss about equally.
struct Fold {
    train: Array2<f64>,
    held: Array2<f64>,
    /// The weight of each column's squared coefficient.
    penalties: Vec<f64>,
    classes: Vec<usize>,
    /// Linear functions: one for two classes, else one for each.
    n_functions: usize,
    n_classes: usize,
}

impl Fold {
    fn of(problem: &Problem, split: usize, penalty: f64) -> Self {
        let rows = &problem.splits()[split];
        let n_columns = problem.columns().dim().0;
        let mut train = Array2::zeros((n_columns, rows.train.len()));
        let mut held = Array2::zeros((n_columns, rows.test.len()));
        let mut penalties = vec![1.0; n_columns];
        let count = rows.train.len() as f64;
        for (column, its_penalty) in penalties.iter_mut().enumerate() {
            let values = problem.columns().values(column, &rows.train);
            let origin = values[0];
            let mean = values.iter().map(|v| v - origin).sum::<f64>() / count;
            let squares = values.iter().map(|v| (v - origin - mean).powi(2));
            let deviation = (squares.sum::<f64>() / count).sqrt();
            if deviation <= 0.0 {
                continue;
            }
            let per_deviation = penalty * (problem.scale() / deviation).powi(2).min(1e300);
            let shrink = (1.0 + 4.0 * per_deviation / count).sqrt();
            *its_penalty = per_deviation / (shrink * shrink);
            let place = |v: f64| (v - origin - mean) / (deviation * shrink);
            let line = train.row_mut(column);
            line.into_iter()
                .zip(&values)
                .for_each(|(to, &v)| *to = place(v));
            let new = problem.columns().values(column, &rows.test);
            let line = held.row_mut(column);
            line.into_iter().zip(new).for_each(|(to, v)| *to = place(v));
        }
        let n_classes = problem.target().n_classes();
        Self {
            train,
            held,
            penalties,
            classes: rows
                .train
                .iter()
                .map(|&row| problem.target().class(row))
                .collect(),
            n_functions: if n_classes == 2 { 1 } else { n_classes },
            n_classes,
        }
    }

    /// The weights of no column: constants alone, which stand in the last line.
    fn start(&self, problem: &Problem, split: usize) -> Array2<f64> {
        let mut weights = Array2::zeros((self.train.nrows() + 1, self.n_functions));
        let shares = log_shares(problem, split);
        // A class that no row has would never be far enough below the others.
        let bounded = |share: f64| share.max(-30.0);
        let mut constants = weights.row_mut(self.train.nrows());
        if self.n_functions == 1 {
            constants[0] = bounded(shares[1]) - bounded(shares[0]);
        } else {
            let mean = shares.iter().map(|&s| bounded(s)).sum::<f64>() / shares.len() as f64;
            constants
                .iter_mut()
                .zip(&shares)
                .for_each(|(to, &share)| *to = bounded(share) - mean);
        }
        weights
    }

    /// The best weights of some columns, all others 0.
    fn learn(&self, columns: &[usize], start: &Array2<f64>) -> Array2<f64> {
        let constant = self.train.nrows();
        let lines: Vec<usize> = columns.iter().copied().chain([constant]).collect();
        let start: Vec<f64> = lines
            .iter()
            .flat_map(|&line| start.row(line).to_vec())
            .collect();
        let loss = Loss {
            fold: self,
            columns,
        };
        let found = minimize(&loss, start, 1e-9 * self.classes.len() as f64);
        let mut weights = Array2::zeros((constant + 1, self.n_functions));
        for (place, &line) in lines.iter().enumerate() {
            let from = place * self.n_functions;
            weights
                .row_mut(line)
                .iter_mut()
                .zip(&found[from..])
                .for_each(|(to, from)| *to = *from);
        }
        weights
    }

    fn value(
        &self,
        problem: &Problem,
        split: usize,
        columns: &[usize],
        weights: &Array2<f64>,
    ) -> f64 {
        let mut sums = vec![0.0; problem.width()];
        let mut scores = vec![0.0; self.n_classes];
        let functions = scores_of(&self.held, columns, |place| {
            let line = columns.get(place).copied().unwrap_or(self.train.nrows());
            weights.row(line).to_vec()
        });
        for (place, &row) in problem.splits()[split].test.iter().enumerate() {
            let own = functions.column(place);
            if self.n_functions == 1 {
                scores[1] = own[0];
            } else {
                scores
                    .iter_mut()
                    .zip(own)
                    .for_each(|(to, from)| *to = *from);
            }
            problem.add_scores(row, &scores, &mut sums);
        }
        problem.value(split, &sums)
    }
}

/// The linear functions at every row, a line for each function.
fn scores_of(
    rows: &Array2<f64>,
    columns: &[usize],
    weights: impl Fn(usize) -> Vec<f64>,
) -> Array2<f64> {
    let constants = weights(columns.len());
    let mut scores = Array2::zeros((constants.len(), rows.ncols()));
    for (mut line, constant) in scores.rows_mut().into_iter().zip(constants) {
        line.fill(constant);
    }
    for (place, &column) in columns.iter().enumerate() {
        for (mut line, weight) in scores.rows_mut().into_iter().zip(weights(place)) {
            line.scaled_add(weight, &rows.row(column));
        }
    }
    scores
}

/// The penalised loss as a function of the weights, a column's after the other, then the constants.
struct Loss<'a> {
    fold: &'a Fold,
    columns: &'a [usize],
}

impl Objective for Loss<'_> {
    fn at(&self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let (fold, width) = (self.fold, self.fold.n_functions);
        let mut scores = scores_of(&fold.train, self.columns, |place| {
            weights[place * width..(place + 1) * width].to_vec()
        });
        let mut total = 0.0;
        for (row, &class) in fold.classes.iter().enumerate() {
            let own = scores.slice_mut(s![.., row]);
            total += if width == 1 {
                binary(own, class)
            } else {
                softmax(own, class)
            };
        }
        for (place, &column) in self.columns.iter().enumerate() {
            for function in 0..width {
                let (at, penalty) = (place * width + function, fold.penalties[column]);
                total += 0.5 * penalty * weights[at] * weights[at];
                gradient[at] =
                    fold.train.row(column).dot(&scores.row(function)) + penalty * weights[at];
            }
        }
        for function in 0..width {
            gradient[self.columns.len() * width + function] = scores.row(function).sum();
        }
        total
    }
}

/// The loss of a row of two classes; its derivative takes the score's place.
fn binary(mut score: ndarray::ArrayViewMut1<'_, f64>, class: usize) -> f64 {
    let t = score[0];
    let sign = if class == 1 { 1.0 } else { -1.0 };
    let margin = sign * t;
    // log(1 + e^−m), without overflow.
    let loss = if margin > 0.0 {
        (-margin).exp().ln_1p()
    } else {
        -margin + margin.exp().ln_1p()
    };
    score[0] = -sign / (1.0 + margin.exp());
    loss
}

/// The loss of a row of several classes; the derivatives take the scores' place.
fn softmax(mut scores: ndarray::ArrayViewMut1<'_, f64>, class: usize) -> f64 {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let own = scores[class] - most;
    let mut total = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - most).exp();
        total += *score;
    }
    scores.iter_mut().for_each(|score| *score /= total);
    scores[class] -= 1.0;
    total.ln() - own
}
