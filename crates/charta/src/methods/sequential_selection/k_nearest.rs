//! The k nearest rows as a scorer. The squared distances of the set are kept; a feature more or fewer adds or takes
//! away one squared difference.
//!
//! For every held-out row the rows to learn from that are nearest by the set's distances are listed in order. A feature
//! more makes no distance smaller, so that a walk along the list ends as soon as the set's own distance exceeds that of
//! the k-th found; only where the list is too short are all rows looked at. With a feature fewer the same holds for the
//! distance less the most that the feature can have added.

use ndarray::{Array2, Axis};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::linalg::Real;
use crate::linalg::wide::{self, Loop, step};
use crate::message;
use crate::parallel::map_blocks;
use crate::run::Run;

use super::Split;
use super::Target;
use super::nearest_rows::{Nearest, Task};
use super::scorer::{change_members, columns_changed, columns_of};
use super::{CandidateColumns as Columns, Problem};
use super::{Change, Evaluator, Scorer};

/// Held-out rows that one job looks at.
const ROWS_PER_JOB: usize = 16;

/// Bytes of kept distances; where they would take more, they are summed anew in every step.
const MOST_KEPT: u64 = 1 << 30;

/// Predicts by the vote, or the mean, of the nearest rows. Of rows equally far the first counts; of classes with equal
/// votes, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KNearest {
    /// How many rows decide.
    pub n_neighbors: usize,
}

impl Scorer for KNearest {
    fn name(&self) -> String {
        format!("{} nearest rows", self.n_neighbors)
    }

    fn score(
        &self,
        run: &Run<'_>,
        problem: &Problem,
        split: usize,
        columns: &[usize],
    ) -> Result<f64> {
        self.check(problem)?;
        let values = match problem.columns() {
            Columns::F32(x) => State::new(*self, problem, x, columns.to_vec()).one(run, split)?,
            Columns::F64(x) => State::new(*self, problem, x, columns.to_vec()).one(run, split)?,
        };
        Ok(values[0])
    }

    fn incremental<'p>(
        &'p self,
        run: &Run<'_>,
        problem: &'p Problem,
    ) -> Result<Option<Box<dyn Evaluator + 'p>>> {
        run.check()?;
        self.check(problem)?;
        Ok(Some(match problem.columns() {
            Columns::F32(x) => Box::new(State::new(*self, problem, x, Vec::new()).keeping()),
            Columns::F64(x) => Box::new(State::new(*self, problem, x, Vec::new()).keeping()),
        }))
    }
}

impl KNearest {
    fn check(&self, problem: &Problem) -> Result<()> {
        let sizes = problem.splits().iter().map(|split| split.train.len());
        let least = sizes.min().unwrap_or(0);
        if self.n_neighbors > least {
            return Err(Error::at_most(
                "n_neighbors",
                least,
                message!("a split leaves {least:rows} to learn from"),
                self.n_neighbors,
            ));
        }
        Ok(())
    }
}

/// Squared distances of all held-out rows, a line for each, one split after the other.
struct State<'p, T> {
    scorer: KNearest,
    problem: &'p Problem,
    columns: &'p Array2<T>,
    members: Vec<usize>,
    /// The columns of the set, in the order in which they came.
    chosen: Vec<usize>,
    /// Empty if they are not kept.
    distances: Vec<Array2<T>>,
}

impl<'p, T: Real> State<'p, T> {
    fn new(
        scorer: KNearest,
        problem: &'p Problem,
        columns: &'p Array2<T>,
        chosen: Vec<usize>,
    ) -> Self {
        Self {
            scorer,
            problem,
            columns,
            members: Vec::new(),
            chosen,
            distances: Vec::new(),
        }
    }

    /// Keeps distances, if they do not take too much memory.
    fn keeping(mut self) -> Self {
        let sizes = self.problem.splits().iter();
        let sizes: Vec<(usize, usize)> = sizes
            .map(|split| (split.test.len(), split.train.len()))
            .collect();
        let bytes: u64 = sizes
            .iter()
            .map(|&(test, train)| (test as u64) * (train as u64) * size_of::<T>() as u64)
            .sum();
        if bytes <= MOST_KEPT {
            let zeros = |size| Array2::from_elem(size, T::of(0.0));
            self.distances = sizes.into_iter().map(zeros).collect();
        }
        self
    }

    /// The measure of the set on one split.
    fn one(&self, run: &Run<'_>, split: usize) -> Result<Vec<f64>> {
        self.of_split(run, split, &[Change::Keep])
    }

    /// The measure of one split after each change.
    fn of_split(&self, run: &Run<'_>, split: usize, changes: &[Change]) -> Result<Vec<f64>> {
        let width = self.problem.width();
        let fold = Fold::of(self.columns, &self.problem.splits()[split]);
        let tasks: Vec<Task<'_, T>> = changes
            .iter()
            .map(|&change| Task::of(columns_changed(self.problem, change), change, &fold.train))
            .collect();
        let n_test = fold.test.ncols();
        let parts = map_blocks(run, n_test, ROWS_PER_JOB, |rows| {
            let mut sums = Array2::zeros((changes.len(), width));
            let mut nearest = Nearest::new(self.scorer.n_neighbors);
            let mut space = vec![T::of(0.0); fold.train.ncols()];
            let mut ballot = Ballot::new(self.problem);
            for place in rows {
                let distances = self.distances_of(split, &fold, place, &mut space);
                nearest.prepare(distances, !self.chosen.is_empty());
                for (task, mut sums) in tasks.iter().zip(sums.rows_mut()) {
                    let found = nearest.find(distances, task, &fold, place);
                    if let Some(sums) = sums.as_slice_mut() {
                        ballot.count(&self.problem.splits()[split], place, found, sums);
                    }
                }
            }
            sums
        })?;
        let mut sums = Array2::<f64>::zeros((changes.len(), width));
        for part in &parts {
            sums += part;
        }
        let lines = sums.axis_iter(Axis(0)).zip(changes);
        Ok(lines
            .map(|(sums, &change)| {
                if self.would_be_empty(change) {
                    self.problem.knowing_nothing(split)
                } else {
                    self.problem.value(split, &sums.to_vec())
                }
            })
            .collect())
    }

    fn would_be_empty(&self, change: Change) -> bool {
        match change {
            Change::Add(_) => false,
            Change::Keep => self.chosen.is_empty(),
            Change::Remove(_) => columns_changed(self.problem, change).len() == self.chosen.len(),
        }
    }

    /// The squared distances of a held-out row by the set's columns.
    fn distances_of<'a>(
        &'a self,
        split: usize,
        fold: &Fold<T>,
        place: usize,
        space: &'a mut [T],
    ) -> &'a [T] {
        if let Some(kept) = self.distances.get(split)
            && let Some(line) = kept.row(place).to_slice()
        {
            return line;
        }
        space.fill(T::of(0.0));
        for &column in &self.chosen {
            fold.add_squares(column, place, space);
        }
        space
    }
}

impl<T: Real> Evaluator for State<'_, T> {
    fn changed(&self, run: &Run<'_>, changes: &[Change]) -> Result<Array2<f64>> {
        let n_splits = self.problem.splits().len();
        let mut values = Array2::zeros((changes.len(), n_splits));
        for split in 0..n_splits {
            let column = self.of_split(run, split, changes)?;
            let places = values.column_mut(split);
            places
                .into_iter()
                .zip(column)
                .for_each(|(to, from)| *to = from);
        }
        Ok(values)
    }

    /// Distances are sums in the order of the set's columns, however it came about.
    fn apply(&mut self, run: &Run<'_>, change: Change) -> Result<()> {
        change_members(&mut self.members, change);
        self.chosen = columns_of(self.problem, &self.members);
        let further: Vec<usize> = match change {
            Change::Keep => return Ok(()),
            Change::Add(unit) => self.problem.unit(unit).to_vec(),
            Change::Remove(_) => {
                self.distances
                    .iter_mut()
                    .for_each(|kept| kept.fill(T::of(0.0)));
                self.chosen.clone()
            }
        };
        for (split, kept) in self.problem.splits().iter().zip(&mut self.distances) {
            let fold = Fold::of(self.columns, split);
            let lines = kept.ncols();
            let Some(numbers) = kept.as_slice_mut() else {
                continue;
            };
            numbers
                .par_chunks_mut(lines.max(1) * ROWS_PER_JOB)
                .enumerate()
                .try_for_each(|(block, part)| {
                    run.check()?;
                    for (offset, line) in part.chunks_mut(lines.max(1)).enumerate() {
                        for &column in &further {
                            fold.add_squares(column, block * ROWS_PER_JOB + offset, line);
                        }
                    }
                    Ok(())
                })?;
        }
        Ok(())
    }
}

/// The columns of a split, rows to learn from and rows held out.
pub(super) struct Fold<T> {
    pub(super) train: Array2<T>,
    pub(super) test: Array2<T>,
}

impl<T: Real> Fold<T> {
    fn of(columns: &Array2<T>, split: &Split) -> Self {
        Self {
            train: gathered(columns, &split.train),
            test: gathered(columns, &split.test),
        }
    }

    /// Adds the squared differences of one column to the distances of a held-out row.
    fn add_squares(&self, column: usize, place: usize, distances: &mut [T]) {
        if let Some(column_values) = self.train.row(column).to_slice() {
            wide::run(AddSquares {
                distances,
                column: column_values,
                value: self.test[[column, place]],
            });
        }
    }
}

fn gathered<T: Real>(columns: &Array2<T>, rows: &[usize]) -> Array2<T> {
    let mut part = Array2::from_elem((columns.nrows(), rows.len()), T::of(0.0));
    if let Some(numbers) = part.as_slice_mut() {
        numbers
            .par_chunks_mut(rows.len().max(1))
            .zip(columns.axis_iter(Axis(0)).into_par_iter())
            .for_each(|(to, from)| {
                for (place, &row) in to.iter_mut().zip(rows) {
                    *place = from[row];
                }
            });
    }
    part
}

struct AddSquares<'a, T> {
    distances: &'a mut [T],
    column: &'a [T],
    value: T,
}

impl<T: Real> Loop for AddSquares<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for (distance, &other) in self.distances.iter_mut().zip(self.column) {
            let apart = other - self.value;
            *distance = step::<T, FUSED>(apart, apart, *distance);
        }
    }
}

/// The votes of the nearest rows.
struct Ballot<'p> {
    problem: &'p Problem,
    votes: Vec<u32>,
}

impl<'p> Ballot<'p> {
    fn new(problem: &'p Problem) -> Self {
        Self {
            problem,
            votes: vec![0; problem.target().n_classes()],
        }
    }

    /// Adds what the prediction for a held-out row is worth.
    fn count(&mut self, split: &Split, place: usize, found: &[u32], sums: &mut [f64]) {
        let row = split.test[place];
        match self.problem.target() {
            Target::Classes { of_row, .. } => {
                self.votes.fill(0);
                for &other in found {
                    self.votes[of_row[split.train[other as usize]] as usize] += 1;
                }
                self.problem
                    .add_votes(row, (&self.votes, found.len()), sums);
            }
            Target::Numbers(values) => {
                let total: f64 = found.iter().map(|&o| values[split.train[o as usize]]).sum();
                let mean = total / found.len() as f64;
                self.problem.add_difference(values[row] - mean, sums);
            }
        }
    }
}

/// Bytes that are kept of distances between so many rows in so many splits of this share held out.
pub fn kept_bytes(n_rows: usize, share: f64, n_splits: usize, bytes: u64) -> u64 {
    let pairs = (n_rows as f64).powi(2) * share * (1.0 - share) * n_splits as f64;
    let wanted = (pairs.min(1e18) as u64).saturating_mul(bytes);
    if wanted <= MOST_KEPT { wanted } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_kept_while_they_fit() {
        assert_eq!(kept_bytes(100, 0.2, 5, 8), 100 * 100 * 8 * 4 / 5);
        assert_eq!(kept_bytes(1_000_000, 0.2, 5, 8), 0);
    }
}
