//! Linear regression, plain or with a penalty, as a scorer. What a change of one feature does to the squared errors of
//! the held-out rows is told from their swept inner products, without a pass over them.

use ndarray::Array2;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::message;
use crate::run::Run;

use super::Measure;
use super::Problem;
use super::Target;
use super::scorer::{change_members, columns_changed, columns_of, each, empties};
use super::sweep::{Held, Sweep};
use super::tables::{About, Tables};
use super::{Change, Evaluator, Scorer};

/// Changes that take a feature out before everything is computed anew, so that rounding does not add up.
pub(super) const REMOVALS: usize = 64;

/// Predicts a number by a linear function with a constant.
///
/// Columns that are combinations of those taken in before have no weight. scikit-learn takes the shortest solution
/// instead, which differs on new rows only where columns are combinations of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearRegression {
    /// The weight of the squared coefficients: 0 for least squares.
    pub penalty: f64,
}

impl Scorer for LinearRegression {
    fn name(&self) -> String {
        if self.penalty > 0.0 {
            format!("ridge regression, penalty {}", self.penalty)
        } else {
            "linear regression".into()
        }
    }

    fn score(
        &self,
        run: &Run<'_>,
        problem: &Problem,
        split: usize,
        columns: &[usize],
    ) -> Result<f64> {
        check(problem)?;
        let mut fold = Fold::of(run, problem, split, self.penalty)?;
        fold.sweep.change(columns, true, &mut |_| ());
        Ok(fold.value(problem, split, Change::Keep))
    }

    fn incremental<'p>(
        &'p self,
        run: &Run<'_>,
        problem: &'p Problem,
    ) -> Result<Option<Box<dyn Evaluator + 'p>>> {
        check(problem)?;
        let mut state = State {
            penalty: self.penalty,
            problem,
            folds: Vec::new(),
            members: Vec::new(),
            n_removed: 0,
        };
        state.restart(run)?;
        Ok(Some(Box::new(state)))
    }
}

fn check(problem: &Problem) -> Result<()> {
    match problem.target() {
        Target::Numbers(_) => Ok(()),
        Target::Classes { .. } => Err(Error::Labels {
            problem: message!("linear regression predicts numbers, and the labels are classes"),
        }),
    }
}

struct State<'p> {
    penalty: f64,
    problem: &'p Problem,
    folds: Vec<Fold>,
    members: Vec<usize>,
    n_removed: usize,
}

impl State<'_> {
    /// Everything anew, for the set as it is.
    fn restart(&mut self, run: &Run<'_>) -> Result<()> {
        let columns = columns_of(self.problem, &self.members);
        self.n_removed = 0;
        self.folds = (0..self.problem.splits().len())
            .map(|split| {
                let mut fold = Fold::of(run, self.problem, split, self.penalty)?;
                fold.sweep.change(&columns, true, &mut |_| ());
                Ok(fold)
            })
            .collect::<Result<_>>()?;
        Ok(())
    }
}

impl Evaluator for State<'_> {
    fn changed(&self, run: &Run<'_>, changes: &[Change]) -> Result<Array2<f64>> {
        each(run, self.problem, changes, |change, split| {
            if empties(&self.members, change) {
                return Ok(self.problem.knowing_nothing(split));
            }
            Ok(self.folds[split].value(self.problem, split, change))
        })
    }

    fn apply(&mut self, run: &Run<'_>, change: Change) -> Result<()> {
        change_members(&mut self.members, change);
        if matches!(change, Change::Remove(_)) {
            self.n_removed += 1;
            if self.n_removed >= REMOVALS || self.members.is_empty() {
                return self.restart(run);
            }
        }
        let columns = columns_changed(self.problem, change);
        let adding = matches!(change, Change::Add(_));
        self.folds.par_iter_mut().try_for_each(|fold| {
            run.check()?;
            fold.sweep.change(columns, adding, &mut |_| ());
            Ok(())
        })
    }
}

/// One split. The last column is the target.
struct Fold {
    sweep: Sweep,
    target: usize,
    /// What the target was multiplied with.
    factor: f64,
}

impl Fold {
    fn of(run: &Run<'_>, problem: &Problem, split: usize, penalty: f64) -> Result<Self> {
        let tables = Tables::of(run, problem, &problem.splits()[split], About::All)?;
        let target = tables.factors.len() - 1;
        let mut scatter = tables.scatter;
        for (column, factor) in tables.factors.iter().enumerate().take(target) {
            let factor = factor * problem.scale();
            scatter[[column, column]] += (penalty * factor * factor).min(1e300);
        }
        let by_rows =
            problem.measure() == Measure::MeanAbsoluteError || tables.held.ncols() < target;
        let held = if by_rows {
            Held::Rows(tables.held)
        } else {
            Held::Moments(crate::linalg::product::product(
                &tables.held.view(),
                &tables.held.t(),
            ))
        };
        Ok(Self {
            sweep: Sweep::new(scatter, held),
            target,
            factor: tables.factors[target],
        })
    }

    /// The measure after a change.
    fn value(&self, problem: &Problem, split: usize, change: Change) -> f64 {
        let columns = columns_changed(problem, change);
        let adding = matches!(change, Change::Add(_));
        let sum = match self.sweep.single(columns, adding) {
            _ if change == Change::Keep => self.loss(problem, &self.sweep, (self.target, None)),
            Ok(column) => self.loss(problem, &self.sweep, (self.target, column)),
            Err(()) => {
                let (mut part, places) = self.sweep.part(columns, Some(self.target));
                part.change(&places, adding, &mut |_| ());
                self.loss(problem, &part, (part.n_columns() - 1, None))
            }
        };
        problem.value(split, &[sum])
    }

    /// The summed loss of what is left of the target, after one further sweep if a column is given.
    fn loss(
        &self,
        problem: &Problem,
        sweep: &Sweep,
        (target, column): (usize, Option<usize>),
    ) -> f64 {
        let share = column.map(|f| (f, sweep.between(f, target) / sweep.between(f, f)));
        let mut sums = [0.0];
        match sweep.held() {
            Held::Moments(moments) => {
                let squares = match share {
                    None => moments[[target, target]],
                    Some((f, share)) => {
                        let across = share * moments[[f, f]] - 2.0 * moments[[f, target]];
                        moments[[target, target]] + share * across
                    }
                };
                sums[0] = squares.max(0.0) / (self.factor * self.factor);
            }
            Held::Rows(rows) => {
                let own = rows.row(target);
                match share {
                    None => own.iter().for_each(|left| {
                        problem.add_difference(left / self.factor, &mut sums);
                    }),
                    Some((f, share)) => own.iter().zip(rows.row(f)).for_each(|(left, x)| {
                        problem.add_difference((left - share * x) / self.factor, &mut sums);
                    }),
                }
            }
        }
        sums[0]
    }
}
