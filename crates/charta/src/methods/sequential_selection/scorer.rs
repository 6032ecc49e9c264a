//! What judges a set of features: a scorer, and its state while the set grows and shrinks.

use std::fmt::Debug;

use ndarray::Array2;
use rayon::prelude::*;

use crate::error::Result;
use crate::run::Run;

use super::Problem;

/// A step from one set of features to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// None: the set as it is.
    Keep,
    /// One more feature.
    Add(usize),
    /// One fewer.
    Remove(usize),
}

/// A set of features that changes one by one, and what each change would be worth.
pub trait Evaluator: Send + Sync {
    /// The measure of the set after each of the changes, a row for each change and a column for each split. The set
    /// stays as it is.
    fn changed(&self, run: &Run<'_>, changes: &[Change]) -> Result<Array2<f64>>;

    /// Changes the set, which is empty at first.
    fn apply(&mut self, run: &Run<'_>, change: Change) -> Result<()>;
}

/// Learns from some rows and columns, and tells how well it does on others.
///
/// What is asked for is the [measure](Problem::measure) of the problem. A scorer that has one of its own gives that, as
/// an error or a gain alike.
pub trait Scorer: Debug + Send + Sync {
    /// What it is called in the report.
    fn name(&self) -> String;

    /// Learns from the rows of a split and the columns given, and measures how well the held-out rows are predicted.
    /// Without columns: how good a guess is that knows nothing but the target.
    fn score(
        &self,
        run: &Run<'_>,
        problem: &Problem,
        split: usize,
        columns: &[usize],
    ) -> Result<f64>;

    /// A set of features, none at first, that learns from what it knows of a smaller or larger set; `None` if there is no
    /// way to, and everything is learned anew for every set.
    fn incremental<'p>(
        &'p self,
        _run: &Run<'_>,
        _problem: &'p Problem,
    ) -> Result<Option<Box<dyn Evaluator + 'p>>> {
        Ok(None)
    }
}

/// The empty set, as a scorer judges it.
pub(super) fn start<'p>(
    run: &Run<'_>,
    scorer: &'p dyn Scorer,
    problem: &'p Problem,
) -> Result<Box<dyn Evaluator + 'p>> {
    run.check()?;
    let own = scorer.incremental(run, problem)?;
    Ok(own.unwrap_or_else(|| {
        Box::new(Anew {
            scorer,
            problem,
            members: Vec::new(),
        })
    }))
}

/// Learns anew for every set.
struct Anew<'p> {
    scorer: &'p dyn Scorer,
    problem: &'p Problem,
    /// The features of the set, in the order in which they came.
    members: Vec<usize>,
}

impl Evaluator for Anew<'_> {
    fn changed(&self, run: &Run<'_>, changes: &[Change]) -> Result<Array2<f64>> {
        each(run, self.problem, changes, |change, split| {
            let mut members = self.members.clone();
            change_members(&mut members, change);
            let columns = columns_of(self.problem, &members);
            self.scorer.score(run, self.problem, split, &columns)
        })
    }

    fn apply(&mut self, _run: &Run<'_>, change: Change) -> Result<()> {
        change_members(&mut self.members, change);
        Ok(())
    }
}

/// A value for every change and split, in parallel over both.
pub(super) fn each(
    run: &Run<'_>,
    problem: &Problem,
    changes: &[Change],
    value: impl Fn(Change, usize) -> Result<f64> + Sync,
) -> Result<Array2<f64>> {
    let n_splits = problem.splits().len();
    let jobs: Vec<(Change, usize)> = changes
        .iter()
        .flat_map(|&change| (0..n_splits).map(move |split| (change, split)))
        .collect();
    let values: Vec<f64> = jobs
        .into_par_iter()
        .map(|(change, split)| {
            run.check()?;
            value(change, split)
        })
        .collect::<Result<_>>()?;
    let mut table = Array2::zeros((changes.len(), n_splits));
    table
        .iter_mut()
        .zip(values)
        .for_each(|(to, from)| *to = from);
    Ok(table)
}

/// Makes a change in a list of features.
pub(super) fn change_members(members: &mut Vec<usize>, change: Change) {
    match change {
        Change::Keep => {}
        Change::Add(unit) => members.push(unit),
        Change::Remove(unit) => members.retain(|&member| member != unit),
    }
}

/// True if nothing is left after a change. What remains of the last feature would be rounding.
pub(super) fn empties(members: &[usize], change: Change) -> bool {
    match change {
        Change::Keep => members.is_empty(),
        Change::Add(_) => false,
        Change::Remove(unit) => members.iter().all(|&member| member == unit),
    }
}

/// The columns of some features, in their order.
pub(super) fn columns_of(problem: &Problem, units: &[usize]) -> Vec<usize> {
    units
        .iter()
        .flat_map(|&unit| problem.unit(unit).iter().copied())
        .collect()
}

/// The columns of a change.
pub(super) fn columns_changed(problem: &Problem, change: Change) -> &[usize] {
    match change {
        Change::Keep => &[],
        Change::Add(unit) | Change::Remove(unit) => problem.unit(unit),
    }
}
