//! Least squares, ridge regression and linear discriminant analysis as scorers, updated by the sweep operator.
//!
//! Regression sweeps the scatter about the mean; the target is a further column, and what the sweeps leave of it at the
//! held-out rows is the residual. LDA sweeps the scatter within classes; the squared Mahalanobis distance of a held-out
//! row from a class mean changes by one square with every sweep.

use ndarray::{Array2, ArrayView1, Axis, s};
use rayon::prelude::*;

use crate::error::Result;
use crate::linalg::product::product;
use crate::parallel::blocks;
use crate::run::Run;

use super::measure::Measure;
use super::problem::Problem;
use super::scorer::{Change, FeatureSet, SplitModel};
use super::sweep::{Held, Sweep, Update};
use super::target::Target;

/// Removals after which a model is fitted anew, so that rounding errors do not accumulate.
const REFIT_AFTER: usize = 64;

/// Rows whose products are summed at a time.
const BLOCK: usize = 1024;

/// A linear model of one split: of numbers by regression, of classes by LDA. Columns that are combinations of those
/// added before have no weight.
pub(super) struct LinearModel {
    split: usize,
    /// Weight of the squared coefficients: 0 for least squares.
    penalty: f64,
    sweep: Sweep,
    response: Response,
    n_removed: usize,
}

enum Response {
    /// The target is the last column, multiplied with `factor`.
    Numbers {
        target: usize,
        factor: f64,
    },
    Classes {
        log_priors: Vec<f64>,
        n_train: f64,
    },
}

impl LinearModel {
    /// The model of no feature.
    pub(super) fn new(
        run: &Run<'_>,
        problem: &Problem,
        split: usize,
        penalty: f64,
    ) -> Result<Self> {
        let tables = Tables::new(run, problem, split)?;
        let (sweep, response) = match &problem.target {
            Target::Numbers(_) => tables.regression(problem, penalty),
            Target::Classes { .. } => tables.discriminant(problem, split),
        };
        Ok(Self {
            split,
            penalty,
            sweep,
            response,
            n_removed: 0,
        })
    }

    /// The summed loss of the residuals of the target, after one further sweep if a column is given.
    fn loss(&self, problem: &Problem, sweep: &Sweep, swept: Option<usize>) -> f64 {
        let mut tally = problem.tally(self.split);
        match (&self.response, sweep.held()) {
            (Response::Numbers { factor, .. }, Held::Moments(moments)) => {
                let target = moments.nrows() - 1;
                let squares = match swept {
                    None => moments[[target, target]],
                    Some(column) => {
                        let coefficient = sweep.coefficient(column, target);
                        let across = coefficient * moments[[column, column]]
                            - 2.0 * moments[[column, target]];
                        moments[[target, target]] + coefficient * across
                    }
                };
                tally.add_squared_errors(squares.max(0.0) / (factor * factor));
            }
            (Response::Numbers { factor, .. }, Held::Rows(rows)) => {
                let target = rows.nrows() - 1;
                let residuals = rows.row(target);
                match swept {
                    None => residuals
                        .iter()
                        .for_each(|residual| tally.add_residual(residual / factor)),
                    Some(column) => {
                        let coefficient = sweep.coefficient(column, target);
                        for (residual, x) in residuals.iter().zip(rows.row(column)) {
                            tally.add_residual((residual - coefficient * x) / factor);
                        }
                    }
                }
            }
            (
                Response::Classes {
                    log_priors,
                    n_train,
                },
                Held::Classes { rows, distances },
            ) => {
                let further = swept.map(|column| (rows.row(column), sweep.pivot(column)));
                let held_out = &problem.splits[self.split].test;
                let mut scores = vec![0.0; log_priors.len()];
                for (index, &row) in held_out.iter().enumerate() {
                    for (class, score) in scores.iter_mut().enumerate() {
                        let mut distance = distances[[index, class]];
                        if let Some((line, pivot)) = &further {
                            distance +=
                                squared_difference(line, index, held_out.len() + class, *pivot);
                        }
                        *score = log_priors[class] + -0.5 * n_train * distance;
                    }
                    tally.add_class_scores(row, &scores);
                }
            }
            _ => unreachable!("regression holds rows or moments, LDA rows and distances"),
        }
        tally.score()
    }
}

impl SplitModel for LinearModel {
    fn score(&self, set: &FeatureSet<'_>, change: Change) -> Result<f64> {
        let problem = set.problem;
        let columns = set.changed_columns(change);
        Ok(match self.sweep.update(columns, change.adds()) {
            Update::None => self.loss(problem, &self.sweep, None),
            Update::Sweep(column) => self.loss(problem, &self.sweep, Some(column)),
            Update::Several => {
                let target = match self.response {
                    Response::Numbers { target, .. } => Some(target),
                    Response::Classes { .. } => None,
                };
                let mut part = self.sweep.restricted_to(columns, target);
                let indices: Vec<usize> = (0..columns.len()).collect();
                part.change(&indices, change.adds());
                self.loss(problem, &part, None)
            }
        })
    }

    fn apply(&mut self, run: &Run<'_>, set: &FeatureSet<'_>, change: Change) -> Result<()> {
        if matches!(change, Change::Remove(_)) {
            self.n_removed += 1;
            if self.n_removed >= REFIT_AFTER || set.is_empty_after(change) {
                *self = Self::new(run, set.problem, self.split, self.penalty)?;
                self.sweep.change(&set.columns_after(change), true);
                return Ok(());
            }
        }
        self.sweep
            .change(set.changed_columns(change), change.adds());
        Ok(())
    }
}

/// The squared difference of a swept column between two rows, in units of its scatter.
pub(super) fn squared_difference(
    line: &ArrayView1<'_, f64>,
    row: usize,
    other: usize,
    pivot: f64,
) -> f64 {
    let difference = line[row] - line[other];
    difference * difference / pivot
}

/// What the models of one split start from. Columns are centred and multiplied with powers of two.
struct Tables {
    /// Inner products of the training rows about their mean, or about the means of their classes.
    scatter: Array2<f64>,
    /// The held-out rows, a column on each line.
    held_out: Array2<f64>,
    /// The class means in the same way; a single line of zeros for numbers.
    means: Array2<f64>,
    /// What each column was multiplied with.
    factors: Vec<f64>,
}

impl Tables {
    fn new(run: &Run<'_>, problem: &Problem, split: usize) -> Result<Self> {
        let split = &problem.splits[split];
        let n_columns = problem.candidates.n_columns();
        let (width, n_groups) = match &problem.target {
            Target::Numbers(_) => (n_columns + 1, 1),
            Target::Classes { names, .. } => (n_columns, names.len()),
        };
        let values = |column: usize, rows: &[usize]| match &problem.target {
            Target::Numbers(numbers) if column == n_columns => {
                rows.iter().map(|&row| numbers[row]).collect()
            }
            _ => problem.candidates.values(column, rows),
        };
        let group = |row: usize| match &problem.target {
            Target::Numbers(_) => 0,
            Target::Classes { of_row, .. } => of_row[row] as usize,
        };
        let centred: Vec<Centred> = (0..width)
            .into_par_iter()
            .map(|column| Centred::of(&values(column, &split.train), &split.train, n_groups, group))
            .collect();
        let mut scatter = Array2::zeros((width, width));
        for rows in blocks(split.train.len(), BLOCK) {
            run.check()?;
            let rows = &split.train[rows];
            let block = table(&centred, rows.len(), |column, centred| {
                let values = values(column, rows).into_iter().zip(rows);
                values
                    .map(|(value, &row)| centred.about_group(value, group(row)))
                    .collect()
            });
            scatter += &product(&block.view(), &block.t());
        }
        let held_out = table(&centred, split.test.len(), |column, centred| {
            let values = values(column, &split.test).into_iter();
            values.map(|value| centred.about_mean(value)).collect()
        });
        let means = table(&centred, n_groups, |_, centred| {
            let means = centred.group_means.iter();
            means.map(|mean| mean - centred.mean).collect()
        });
        Ok(Self {
            scatter,
            held_out,
            means,
            factors: centred.iter().map(|column| column.factor).collect(),
        })
    }

    fn regression(mut self, problem: &Problem, penalty: f64) -> (Sweep, Response) {
        let target = self.factors.len() - 1;
        for (column, factor) in self.factors.iter().enumerate().take(target) {
            let factor = factor * problem.candidates.scale();
            self.scatter[[column, column]] += (penalty * factor * factor).min(1e300);
        }
        // Squared errors follow from inner products, which are smaller than the rows if there are more rows than columns.
        let by_rows =
            problem.measure == Measure::MeanAbsoluteError || self.held_out.ncols() < target;
        let held = if by_rows {
            Held::Rows(self.held_out)
        } else {
            Held::Moments(product(&self.held_out.view(), &self.held_out.t()))
        };
        let factor = self.factors[target];
        (
            Sweep::new(self.scatter, held),
            Response::Numbers { target, factor },
        )
    }

    fn discriminant(self, problem: &Problem, split: usize) -> (Sweep, Response) {
        let (width, n_held_out) = self.held_out.dim();
        let n_classes = self.means.ncols();
        let mut rows = Array2::zeros((width, n_held_out + n_classes));
        rows.slice_mut(s![.., ..n_held_out]).assign(&self.held_out);
        rows.slice_mut(s![.., n_held_out..]).assign(&self.means);
        let distances = Array2::zeros((n_held_out, n_classes));
        let response = Response::Classes {
            log_priors: problem.log_priors(split),
            n_train: problem.splits[split].train.len() as f64,
        };
        (
            Sweep::new(self.scatter, Held::Classes { rows, distances }),
            response,
        )
    }
}

/// How a column is centred and scaled.
struct Centred {
    /// Its first value, subtracted before all else.
    origin: f64,
    factor: f64,
    mean: f64,
    group_means: Vec<f64>,
}

impl Centred {
    fn of(values: &[f64], rows: &[usize], n_groups: usize, group: impl Fn(usize) -> usize) -> Self {
        let origin = values[0];
        let widest = values
            .iter()
            .fold(0.0_f64, |most, v| most.max((v - origin).abs()));
        let factor = if widest > 0.0 {
            (-widest.log2().round()).clamp(-1000.0, 1000.0).exp2()
        } else {
            1.0
        };
        let mut sums = vec![0.0; n_groups];
        let mut counts = vec![0.0_f64; n_groups];
        for (value, &row) in values.iter().zip(rows) {
            sums[group(row)] += (value - origin) * factor;
            counts[group(row)] += 1.0;
        }
        let total: f64 = sums.iter().sum();
        Self {
            origin,
            factor,
            mean: total / values.len() as f64,
            group_means: sums
                .iter()
                .zip(counts)
                .map(|(sum, count)| sum / count.max(1.0))
                .collect(),
        }
    }

    fn about_group(&self, value: f64, group: usize) -> f64 {
        (value - self.origin) * self.factor - self.group_means[group]
    }

    fn about_mean(&self, value: f64) -> f64 {
        (value - self.origin) * self.factor - self.mean
    }
}

/// A table with a line for each column.
fn table(
    columns: &[Centred],
    width: usize,
    values: impl Fn(usize, &Centred) -> Vec<f64> + Sync,
) -> Array2<f64> {
    let mut table = Array2::zeros((columns.len(), width));
    table
        .axis_iter_mut(Axis(0))
        .into_par_iter()
        .zip(columns)
        .enumerate()
        .for_each(|(column, (mut line, centred))| {
            let values = values(column, centred);
            line.iter_mut()
                .zip(values)
                .for_each(|(to, from)| *to = from);
        });
    table
}
