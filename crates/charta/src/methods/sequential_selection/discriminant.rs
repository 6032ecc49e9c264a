//! Linear discriminant analysis as a scorer. The squared distances of held-out rows from the classes' means, whitened
//! by the scatter within classes, change by one square with every feature.

use ndarray::{Array2, ArrayView1};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::message;
use crate::run::Run;

use super::Problem;
use super::Target;
use super::linear::REMOVALS;
use super::scorer::{change_members, columns_changed, columns_of, each, empties};
use super::sweep::{Held, Pivot, Sweep};
use super::tables::{About, Tables};
use super::{Change, Evaluator, Scorer};

/// Predicts the class whose mean is nearest by the scatter that the classes share, with the classes' shares as priors.
///
/// Columns that are combinations of those taken in before, within the classes, have no say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearDiscriminant;

impl Scorer for LinearDiscriminant {
    fn name(&self) -> String {
        "linear discriminant analysis".into()
    }

    fn score(
        &self,
        run: &Run<'_>,
        problem: &Problem,
        split: usize,
        columns: &[usize],
    ) -> Result<f64> {
        check(problem, "linear discriminant analysis")?;
        let mut fold = Fold::of(run, problem, split)?;
        fold.change(columns, true);
        Ok(fold.value(problem, split, Change::Keep))
    }

    fn incremental<'p>(
        &'p self,
        run: &Run<'_>,
        problem: &'p Problem,
    ) -> Result<Option<Box<dyn Evaluator + 'p>>> {
        check(problem, "linear discriminant analysis")?;
        let mut state = State {
            problem,
            folds: Vec::new(),
            members: Vec::new(),
            n_removed: 0,
        };
        state.restart(run)?;
        Ok(Some(Box::new(state)))
    }
}

/// Fails if there are no classes.
pub(super) fn check(problem: &Problem, what: &str) -> Result<()> {
    match problem.target() {
        Target::Classes { .. } => Ok(()),
        Target::Numbers(_) => Err(Error::Labels {
            problem: message!("{what} predicts classes, and the labels are numbers"),
        }),
    }
}

/// The logarithms of the classes' shares among the rows to learn from.
pub(super) fn log_shares(problem: &Problem, split: usize) -> Vec<f64> {
    let train = &problem.splits()[split].train;
    let mut counts = vec![0.0_f64; problem.target().n_classes()];
    for &row in train {
        counts[problem.target().class(row)] += 1.0;
    }
    let total = train.len() as f64;
    counts
        .into_iter()
        .map(|count| (count / total).ln())
        .collect()
}

struct State<'p> {
    problem: &'p Problem,
    folds: Vec<Fold>,
    members: Vec<usize>,
    n_removed: usize,
}

impl State<'_> {
    fn restart(&mut self, run: &Run<'_>) -> Result<()> {
        let columns = columns_of(self.problem, &self.members);
        self.n_removed = 0;
        self.folds = (0..self.problem.splits().len())
            .map(|split| {
                let mut fold = Fold::of(run, self.problem, split)?;
                fold.change(&columns, true);
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
            fold.change(columns, adding);
            Ok(())
        })
    }
}

/// One split. The rows beside the scatter are the held-out ones and the classes' means.
struct Fold {
    sweep: Sweep,
    /// Squared distances of the held-out rows from the means, a line for each row.
    apart: Array2<f64>,
    log_shares: Vec<f64>,
    /// Rows to learn from: what the scatter is divided by.
    n_train: f64,
}

impl Fold {
    fn of(run: &Run<'_>, problem: &Problem, split: usize) -> Result<Self> {
        let rows = &problem.splits()[split];
        let tables = Tables::of(run, problem, rows, About::Classes)?;
        let held = Held::Rows(tables.held_and_means());
        let log_shares = log_shares(problem, split);
        Ok(Self {
            apart: Array2::zeros((rows.test.len(), log_shares.len())),
            n_train: rows.train.len() as f64,
            sweep: Sweep::new(tables.scatter, held),
            log_shares,
        })
    }

    fn change(&mut self, columns: &[usize], adding: bool) {
        let Self { sweep, apart, .. } = self;
        sweep.change(columns, adding, &mut |pivot: Pivot<'_>| {
            if let Some(line) = pivot.line {
                add_squares(apart, &line, pivot.scatter);
            }
        });
    }

    /// The measure after a change.
    fn value(&self, problem: &Problem, split: usize, change: Change) -> f64 {
        let columns = columns_changed(problem, change);
        let adding = matches!(change, Change::Add(_));
        match self.sweep.single(columns, adding) {
            _ if change == Change::Keep => self.judge(problem, split, &self.apart, None),
            Ok(column) => {
                let Held::Rows(rows) = self.sweep.held() else {
                    return f64::NAN;
                };
                let further = column.map(|f| (rows.row(f), self.sweep.between(f, f)));
                self.judge(problem, split, &self.apart, further)
            }
            Err(()) => {
                let (mut part, places) = self.sweep.part(columns, None);
                let mut apart = self.apart.clone();
                part.change(&places, adding, &mut |pivot: Pivot<'_>| {
                    if let Some(line) = pivot.line {
                        add_squares(&mut apart, &line, pivot.scatter);
                    }
                });
                self.judge(problem, split, &apart, None)
            }
        }
    }

    /// The measure by these distances, and the squares that one further column adds to them.
    fn judge(
        &self,
        problem: &Problem,
        split: usize,
        apart: &Array2<f64>,
        further: Option<(ArrayView1<'_, f64>, f64)>,
    ) -> f64 {
        let rows = &problem.splits()[split].test;
        let mut sums = vec![0.0; problem.width()];
        let mut scores = vec![0.0; self.log_shares.len()];
        let half = -0.5 * self.n_train;
        for (place, &row) in rows.iter().enumerate() {
            for (class, score) in scores.iter_mut().enumerate() {
                let mut distance = apart[[place, class]];
                if let Some((line, scatter)) = &further {
                    let difference = line[place] - line[rows.len() + class];
                    distance += difference * difference / scatter;
                }
                *score = self.log_shares[class] + half * distance;
            }
            problem.add_scores(row, &scores, &mut sums);
        }
        problem.value(split, &sums)
    }
}

/// Adds the squares of what a sweep brings to the distances; they are negative if the column leaves.
fn add_squares(apart: &mut Array2<f64>, line: &ArrayView1<'_, f64>, scatter: f64) {
    let n_rows = apart.nrows();
    for ((place, class), distance) in apart.indexed_iter_mut() {
        let difference = line[place] - line[n_rows + class];
        *distance += difference * difference / scatter;
    }
}
