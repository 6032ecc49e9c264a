//! Logistic regression with an L2 penalty as a scorer. It has no update in closed form: every set is fitted by L-BFGS
//! from the solution of the set that it differs from by one feature.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1, Axis, aview1};

use crate::error::Result;
use crate::optimize::l_bfgs::{LBfgs, Objective};
use crate::run::Run;

use super::problem::Problem;
use super::scorer::{Change, SplitModel};

/// L-BFGS ends when the gradient of the mean loss is within this.
const GRADIENT_TOLERANCE: f64 = 1e-9;

/// The least logarithm of a class frequency that the intercepts start from: a class without rows has none.
const MIN_LOG_PRIOR: f64 = -30.0;

/// Logistic regression on the training rows of one split. Columns are centred and scaled so that the loss is about
/// equally curved in all of them.
pub(super) struct LogisticModel<'p> {
    problem: &'p Problem,
    split: usize,
    /// The training rows, a column on each line.
    train: Array2<f64>,
    /// The held-out rows in the same way.
    held_out: Array2<f64>,
    /// The penalty on half of each column's squared coefficient: the inverse of scikit-learn's `C`, in units of the
    /// scaled columns.
    penalties: Vec<f64>,
    /// The class of each training row.
    classes: Vec<usize>,
    /// The coefficients of the current set: a line for each column, 0 outside the set, and the intercepts last. One
    /// linear function for two classes, else one for each class.
    weights: Array2<f64>,
}

impl<'p> LogisticModel<'p> {
    /// The model of no column: intercepts alone.
    pub(super) fn new(problem: &'p Problem, split: usize, penalty: f64) -> Self {
        let rows = &problem.splits[split];
        let n_columns = problem.n_columns();
        let n_train = rows.train.len() as f64;
        let mut train = Array2::zeros((n_columns, rows.train.len()));
        let mut held_out = Array2::zeros((n_columns, rows.test.len()));
        let mut penalties = vec![1.0; n_columns];
        for (column, column_penalty) in penalties.iter_mut().enumerate() {
            let values = problem.values(column, &rows.train);
            let origin = values[0];
            let mean = values.iter().map(|v| v - origin).sum::<f64>() / n_train;
            let squares = values.iter().map(|v| (v - origin - mean).powi(2));
            let deviation = (squares.sum::<f64>() / n_train).sqrt();
            if deviation <= 0.0 {
                continue;
            }
            let per_deviation = penalty * (problem.scale / deviation).powi(2).min(1e300);
            let shrink = (1.0 + 4.0 * per_deviation / n_train).sqrt();
            *column_penalty = per_deviation / (shrink * shrink);
            for (table, rows) in [(&mut train, &rows.train), (&mut held_out, &rows.test)] {
                let values = Array1::from(problem.values(column, rows));
                let scaled = values.mapv(|v| (v - origin - mean) / (deviation * shrink));
                table.row_mut(column).assign(&scaled);
            }
        }
        let classes = rows.train.iter().map(|&row| problem.target.class(row));
        Self {
            problem,
            split,
            train,
            held_out,
            penalties,
            classes: classes.collect(),
            weights: intercepts(n_columns, &rows.log_priors()),
        }
    }

    /// The coefficients of some columns and the intercepts, from those of the current set.
    fn fitted(&self, columns: &[usize]) -> Result<Array2<f64>> {
        let start = self.weights.select(Axis(0), &self.lines(columns));
        let options = LBfgs {
            memory: 10,
            max_iterations: 1000,
            gradient_tolerance: GRADIENT_TOLERANCE * self.classes.len() as f64,
        };
        let mut loss = Loss {
            model: self,
            columns,
        };
        let found = options.minimize(&mut loss, start.iter().copied().collect())?;
        Ok(Array2::from_shape_vec(start.dim(), found).expect("as many as at the start"))
    }

    /// The lines of the weights of some columns, and that of the intercepts.
    fn lines(&self, columns: &[usize]) -> Vec<usize> {
        [columns, &[self.train.nrows()]].concat()
    }
}

impl SplitModel for LogisticModel<'_> {
    fn score(&self, set: &[usize], change: Change<'_>) -> Result<f64> {
        let columns = change.after(set);
        let weights = self.fitted(&columns)?;
        let functions = linear_functions(&self.held_out, &columns, &weights.view());
        // Of two classes the first has score 0.
        let first = self.problem.target.n_classes() - functions.nrows();
        Ok(self.problem.class_score(self.split, |index, scores| {
            for (score, function) in scores[first..].iter_mut().zip(functions.column(index)) {
                *score = *function;
            }
        }))
    }

    fn apply(&mut self, _run: &Run<'_>, set: &[usize], change: Change<'_>) -> Result<()> {
        let columns = change.after(set);
        let weights = self.fitted(&columns)?;
        self.weights.fill(0.0);
        for (line, weights) in self.lines(&columns).into_iter().zip(weights.rows()) {
            self.weights.row_mut(line).assign(&weights);
        }
        Ok(())
    }
}

/// Weights of no column: intercepts that predict the class frequencies.
fn intercepts(n_columns: usize, log_priors: &[f64]) -> Array2<f64> {
    let bounded: Vec<f64> = log_priors.iter().map(|p| p.max(MIN_LOG_PRIOR)).collect();
    let intercepts: Vec<f64> = if let [first, second] = bounded[..] {
        vec![second - first]
    } else {
        let mean = bounded.iter().sum::<f64>() / bounded.len() as f64;
        bounded.iter().map(|prior| prior - mean).collect()
    };
    let mut weights = Array2::zeros((n_columns + 1, intercepts.len()));
    weights.row_mut(n_columns).assign(&aview1(&intercepts));
    weights
}

/// The linear functions at every row, a line for each. `weights` has a line for each of the columns and the intercepts.
fn linear_functions(
    rows: &Array2<f64>,
    columns: &[usize],
    weights: &ArrayView2<'_, f64>,
) -> Array2<f64> {
    let mut functions = Array2::zeros((weights.ncols(), rows.ncols()));
    for (function, mut line) in functions.rows_mut().into_iter().enumerate() {
        line.fill(weights[[columns.len(), function]]);
        for (index, &column) in columns.iter().enumerate() {
            line.scaled_add(weights[[index, function]], &rows.row(column));
        }
    }
    functions
}

/// The penalized log loss as a function of the coefficients: those of each column in turn, then the intercepts.
struct Loss<'a> {
    model: &'a LogisticModel<'a>,
    columns: &'a [usize],
}

impl Objective for Loss<'_> {
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let model = self.model;
        let n_functions = model.weights.ncols();
        let weights = ArrayView2::from_shape((self.columns.len() + 1, n_functions), x);
        let weights = weights.expect("one weight per line and function");
        let mut functions = linear_functions(&model.train, self.columns, &weights);
        let mut total = 0.0;
        for (row, &class) in model.classes.iter().enumerate() {
            let of_row = functions.column_mut(row);
            total += if n_functions == 1 {
                binary_loss(of_row, class)
            } else {
                softmax_loss(of_row, class)
            };
        }
        let derivatives = functions;
        for (index, &column) in self.columns.iter().enumerate() {
            let penalty = model.penalties[column];
            for function in 0..n_functions {
                let at = index * n_functions + function;
                total += 0.5 * penalty * x[at] * x[at];
                let data = model.train.row(column).dot(&derivatives.row(function));
                gradient[at] = data + penalty * x[at];
            }
        }
        for function in 0..n_functions {
            gradient[self.columns.len() * n_functions + function] = derivatives.row(function).sum();
        }
        Ok(total)
    }
}

/// The loss of a row of two classes; its derivative replaces the function value.
fn binary_loss(mut function: ArrayViewMut1<'_, f64>, class: usize) -> f64 {
    let sign = if class == 1 { 1.0 } else { -1.0 };
    let margin = sign * function[0];
    function[0] = -sign / (1.0 + margin.exp());
    // log(1 + e^−m), without overflow.
    if margin > 0.0 {
        (-margin).exp().ln_1p()
    } else {
        -margin + margin.exp().ln_1p()
    }
}

/// The loss of a row of several classes; the derivatives replace the function values.
fn softmax_loss(mut functions: ArrayViewMut1<'_, f64>, class: usize) -> f64 {
    let most = functions.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let own = functions[class] - most;
    let mut total = 0.0;
    for function in functions.iter_mut() {
        *function = (*function - most).exp();
        total += *function;
    }
    functions.iter_mut().for_each(|function| *function /= total);
    functions[class] -= 1.0;
    total.ln() - own
}
