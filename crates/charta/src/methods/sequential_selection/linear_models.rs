//! Least squares, ridge regression and linear discriminant analysis as scorers, updated by the sweep operator.
//!
//! Regression sweeps the scatter about the mean; the target is a further column, and what the sweeps leave of it at the
//! held-out rows is the residual. LDA sweeps the scatter within classes; the squared Mahalanobis distance of a held-out
//! row from a class mean changes by one square with every sweep.

use ndarray::Array2;

use crate::error::Result;
use crate::linalg::product::product;
use crate::parallel::{self, blocks};
use crate::run::Run;

use super::measure::Measure;
use super::problem::{Problem, Target, power_of_two, table};
use super::scorer::{Change, SplitModel};
use super::sweep::{HeldOut, Sweep, Update};

/// Removals after which a model is fitted anew, so that rounding errors do not accumulate.
const REFIT_AFTER: usize = 64;

/// Rows whose products are summed at a time.
const BLOCK: usize = 1024;

/// A linear model of one split: of numbers by regression, of classes by LDA. Columns that are combinations of those
/// added before have no weight.
pub(super) struct LinearModel<'p> {
    problem: &'p Problem,
    split: usize,
    /// Weight of the squared coefficients: 0 for least squares.
    penalty: f64,
    sweep: Sweep,
    /// What the last column was multiplied with, which in regression is the target.
    target_factor: f64,
    n_removed: usize,
}

impl<'p> LinearModel<'p> {
    /// The model of no column.
    pub(super) fn new(
        run: &Run<'_>,
        problem: &'p Problem,
        split: usize,
        penalty: f64,
    ) -> Result<Self> {
        let rows = &problem.splits[split];
        let columns = CentredColumns::new(problem, &rows.train);
        let mut scatter = columns.scatter(run, &rows.train)?;
        if penalty > 0.0 {
            for column in 0..problem.n_columns() {
                let factor = columns.columns[column].factor * problem.scale;
                scatter[[column, column]] += (penalty * factor * factor).min(1e300);
            }
        }
        let held_out = columns.held_out(&rows.test);
        // Squared errors follow from inner products, which are smaller than the rows if there are more rows than columns.
        let by_products = problem.target.n_classes() == 0
            && problem.measure != Measure::MeanAbsoluteError
            && rows.test.len() >= problem.n_columns();
        let held_out = if by_products {
            HeldOut::Products(product(&held_out.view(), &held_out.t()))
        } else {
            HeldOut::Rows {
                rows: held_out,
                distances: Array2::zeros((rows.test.len(), problem.target.n_classes())),
            }
        };
        Ok(Self {
            problem,
            split,
            penalty,
            sweep: Sweep::new(scatter, held_out),
            target_factor: columns.columns.last().map_or(1.0, |last| last.factor),
            n_removed: 0,
        })
    }

    /// The score after one further sweep of `sweep`, if a column is given.
    fn score_of(&self, sweep: &Sweep, swept: Option<usize>) -> f64 {
        let factor = self.target_factor;
        match (&sweep.held_out, &self.problem.target) {
            (HeldOut::Products(products), _) => {
                let target = products.nrows() - 1;
                let mut squares = products[[target, target]];
                if let Some(column) = swept {
                    let coefficient = sweep.coefficient(column, target);
                    let across =
                        coefficient * products[[column, column]] - 2.0 * products[[column, target]];
                    squares += coefficient * across;
                }
                let mut tally = self.problem.tally(self.split);
                tally.add_squared_errors(squares.max(0.0) / (factor * factor));
                tally.score()
            }
            (HeldOut::Rows { rows, .. }, Target::Numbers(_)) => {
                let target = rows.nrows() - 1;
                let coefficient = swept.map_or(0.0, |column| sweep.coefficient(column, target));
                let column = rows.row(swept.unwrap_or(target));
                let mut tally = self.problem.tally(self.split);
                for (residual, x) in rows.row(target).iter().zip(column) {
                    tally.add_residual((residual - coefficient * x) / factor);
                }
                tally.score()
            }
            (HeldOut::Rows { rows, distances }, Target::Classes { .. }) => {
                let split = &self.problem.splits[self.split];
                let log_priors = split.log_priors();
                let weight = -0.5 * split.train.len() as f64;
                let further = swept.map(|column| {
                    let line = rows.row(column).to_slice().expect("standard layout");
                    (line.split_at(split.test.len()), sweep.pivot(column))
                });
                self.problem.class_score(self.split, |index, scores| {
                    for (score, distance) in scores.iter_mut().zip(distances.row(index)) {
                        *score = *distance;
                    }
                    if let Some(((held_out, means), pivot)) = further {
                        for (score, mean) in scores.iter_mut().zip(means) {
                            let difference = held_out[index] - mean;
                            *score += difference * difference / pivot;
                        }
                    }
                    for (score, prior) in scores.iter_mut().zip(&log_priors) {
                        *score = prior + weight * *score;
                    }
                })
            }
        }
    }
}

impl SplitModel for LinearModel<'_> {
    fn score(&self, _set: &[usize], change: Change<'_>) -> Result<f64> {
        Ok(match self.sweep.update(change) {
            Update::None => self.score_of(&self.sweep, None),
            Update::Sweep(column) => self.score_of(&self.sweep, Some(column)),
            Update::Several => {
                let is_regression = matches!(self.problem.target, Target::Numbers(_));
                let target = is_regression.then_some(self.problem.n_columns());
                let mut part = self.sweep.restricted_to(change.columns, target);
                let columns: Vec<usize> = (0..change.columns.len()).collect();
                part.change(&columns, change.add);
                self.score_of(&part, None)
            }
        })
    }

    fn apply(&mut self, run: &Run<'_>, set: &[usize], change: Change<'_>) -> Result<()> {
        self.n_removed += usize::from(!change.add);
        if self.n_removed >= REFIT_AFTER || change.empties(set) {
            *self = Self::new(run, self.problem, self.split, self.penalty)?;
            self.sweep.change(&change.after(set), true);
        } else {
            self.sweep.change(change.columns, change.add);
        }
        Ok(())
    }
}

/// The columns of a split, centred and scaled. In regression the target is a further column, and all rows are of one
/// class.
struct CentredColumns<'p> {
    problem: &'p Problem,
    columns: Vec<Centred>,
}

impl<'p> CentredColumns<'p> {
    /// Centres by the training rows.
    fn new(problem: &'p Problem, train: &[usize]) -> Self {
        let (n_columns, n_classes) = match problem.target {
            Target::Numbers(_) => (problem.n_columns() + 1, 1),
            Target::Classes { n_classes, .. } => (problem.n_columns(), n_classes),
        };
        let classes: Vec<usize> = train.iter().map(|&row| problem.target.class(row)).collect();
        let columns = parallel::map(n_columns, |column| {
            Centred::of(&values(problem, column, train), &classes, n_classes)
        });
        Self { problem, columns }
    }

    /// Inner products of the training rows about their mean, or about the means of their classes.
    fn scatter(&self, run: &Run<'_>, train: &[usize]) -> Result<Array2<f64>> {
        let n_columns = self.columns.len();
        let mut scatter = Array2::zeros((n_columns, n_columns));
        for block in blocks(train.len(), BLOCK) {
            run.check()?;
            let rows = &train[block];
            let centred = table(n_columns, rows.len(), |column| {
                let values = values(self.problem, column, rows).into_iter().zip(rows);
                let class = |row| self.problem.target.class(row);
                values
                    .map(|(value, &row)| self.columns[column].about_class(value, class(row)))
                    .collect()
            });
            scatter += &product(&centred.view(), &centred.t());
        }
        Ok(scatter)
    }

    /// The held-out rows about the mean, a column on each line, and after them the means of the classes.
    fn held_out(&self, rows: &[usize]) -> Array2<f64> {
        let n_means = self.problem.target.n_classes();
        table(self.columns.len(), rows.len() + n_means, |column| {
            let centred = &self.columns[column];
            let values = values(self.problem, column, rows).into_iter();
            let means = centred.class_means[..n_means].iter();
            values
                .map(|value| centred.about_mean(value))
                .chain(means.map(|mean| mean - centred.mean))
                .collect()
        })
    }
}

/// Values of a column, or of the target after the last, at some rows.
fn values(problem: &Problem, column: usize, rows: &[usize]) -> Vec<f64> {
    match &problem.target {
        Target::Numbers(numbers) if column == problem.n_columns() => {
            rows.iter().map(|&row| numbers[row]).collect()
        }
        _ => problem.values(column, rows),
    }
}

/// How a column is centred and scaled.
struct Centred {
    /// Its first value, subtracted before all else.
    origin: f64,
    /// A power of two.
    factor: f64,
    mean: f64,
    class_means: Vec<f64>,
}

impl Centred {
    fn of(values: &[f64], classes: &[usize], n_classes: usize) -> Self {
        let origin = values[0];
        let widest = values
            .iter()
            .fold(0.0_f64, |most, value| most.max((value - origin).abs()));
        let factor = if widest > 0.0 {
            power_of_two(widest)
        } else {
            1.0
        };
        let mut sums = vec![0.0; n_classes];
        let mut counts = vec![0.0_f64; n_classes];
        for (value, &class) in values.iter().zip(classes) {
            sums[class] += (value - origin) * factor;
            counts[class] += 1.0;
        }
        let means = sums.iter().zip(counts);
        Self {
            origin,
            factor,
            mean: sums.iter().sum::<f64>() / values.len() as f64,
            class_means: means.map(|(sum, count)| sum / count.max(1.0)).collect(),
        }
    }

    fn about_class(&self, value: f64, class: usize) -> f64 {
        (value - self.origin) * self.factor - self.class_means[class]
    }

    fn about_mean(&self, value: f64) -> f64 {
        (value - self.origin) * self.factor - self.mean
    }
}
