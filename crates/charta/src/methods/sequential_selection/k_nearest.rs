//! k nearest neighbours as a scorer, updated by squared distances: a feature more or fewer adds or subtracts one squared
//! difference.

use ndarray::{Array1, Array2, Axis};
use rayon::prelude::*;

use crate::error::{Error, Result, message};
use crate::linalg::Real;
use crate::linalg::wide::{self, Loop, step};
use crate::parallel::map_blocks;
use crate::run::Run;

use super::candidates::Columns;
use super::cross_validation::Split;
use super::measure::Tally;
use super::neighbor_search::{NeighborSearch, Query};
use super::problem::Problem;
use super::scorer::{Change, Evaluator, FeatureSet};
use super::target::Target;

/// Held-out rows of one job.
const ROWS_PER_JOB: usize = 16;

/// Bytes of stored distances at most; where they would take more, they are summed anew in every step.
const MAX_STORED: u64 = 1 << 30;

/// The scorer of the empty set. Of equally distant neighbours the first row counts, of tied classes the first.
pub(super) fn evaluator<'p>(
    problem: &'p Problem,
    n_neighbors: usize,
) -> Result<Box<dyn Evaluator + 'p>> {
    let n_train = problem.splits.iter().map(|split| split.train.len());
    let most = n_train.min().unwrap_or(0);
    if n_neighbors > most {
        return Err(Error::at_most(
            "n_neighbors",
            most,
            message!("the smallest split has {most:rows} to train on"),
            n_neighbors,
        ));
    }
    Ok(match problem.candidates.columns() {
        Columns::F32(x) => Box::new(KNearest::new(problem, x, n_neighbors, MAX_STORED)),
        Columns::F64(x) => Box::new(KNearest::new(problem, x, n_neighbors, MAX_STORED)),
    })
}

/// Bytes of the distances stored for this many rows of `bytes` per number, of which each split holds out a fraction.
pub(super) fn stored_bytes(n_rows: usize, share: f64, n_splits: usize, bytes: u64) -> u64 {
    let pairs = (n_rows as f64).powi(2) * share * (1.0 - share) * n_splits as f64;
    let needed = (pairs.min(1e18) as u64).saturating_mul(bytes);
    if needed <= MAX_STORED { needed } else { 0 }
}

struct KNearest<'p, T> {
    n_neighbors: usize,
    columns: &'p Array2<T>,
    set: FeatureSet<'p>,
    /// For each split the squared distances of its held-out rows, one a line, from its training rows. Empty if they
    /// would take too much memory.
    distances: Vec<Array2<T>>,
}

impl<'p, T: Real> KNearest<'p, T> {
    fn new(
        problem: &'p Problem,
        columns: &'p Array2<T>,
        n_neighbors: usize,
        max_stored: u64,
    ) -> Self {
        let pairs = |split: &Split| split.test.len() as u64 * split.train.len() as u64;
        let n_pairs: u64 = problem.splits.iter().map(pairs).sum();
        let zeros =
            |split: &Split| Array2::from_elem((split.test.len(), split.train.len()), T::of(0.0));
        let stored = n_pairs * size_of::<T>() as u64 <= max_stored;
        Self {
            n_neighbors,
            columns,
            set: FeatureSet::empty(problem),
            distances: if stored {
                problem.splits.iter().map(zeros).collect()
            } else {
                Vec::new()
            },
        }
    }

    /// The score on one split after each change.
    fn split_scores(&self, run: &Run<'_>, split: usize, changes: &[Change]) -> Result<Vec<f64>> {
        let problem = self.set.problem;
        let rows = SplitColumns::of(self.columns, &problem.splits[split]);
        let columns = self.set.columns();
        let queries: Vec<Query<'_, T>> = changes
            .iter()
            .map(|&change| Query::new(self.set.changed_columns(change), change, &rows.train))
            .collect();
        let empty: Vec<Tally<'_>> = changes.iter().map(|_| problem.tally(split)).collect();
        let parts = map_blocks(run, rows.test.ncols(), ROWS_PER_JOB, |block| {
            let mut tallies = empty.clone();
            let mut search = NeighborSearch::new(self.n_neighbors);
            let mut sums = vec![T::of(0.0); rows.train.ncols()];
            let mut votes = vec![0; problem.target.n_classes()];
            for index in block {
                let distances = match self.distances.get(split) {
                    Some(stored) => stored.row(index).to_slice().expect("standard layout"),
                    None => {
                        sums.fill(T::of(0.0));
                        columns
                            .iter()
                            .for_each(|&column| rows.add_squares(column, index, &mut sums));
                        &sums
                    }
                };
                search.start(distances, !columns.is_empty());
                for (query, tally) in queries.iter().zip(&mut tallies) {
                    let found = search.find(distances, query, &rows, index);
                    add_prediction(tally, problem, split, index, found, &mut votes);
                }
            }
            tallies
        })?;
        let mut tallies = empty;
        for part in &parts {
            tallies
                .iter_mut()
                .zip(part)
                .for_each(|(tally, part)| tally.merge(part));
        }
        let scores = tallies.iter().zip(changes).map(|(tally, &change)| {
            if self.set.is_empty_after(change) {
                problem.baseline(split)
            } else {
                tally.score()
            }
        });
        Ok(scores.collect())
    }
}

impl<T: Real> Evaluator for KNearest<'_, T> {
    // One split after the other, because each needs a copy of its columns.
    fn scores(&self, run: &Run<'_>, changes: &[Change]) -> Result<Array2<f64>> {
        let n_splits = self.set.problem.splits.len();
        let mut scores = Array2::zeros((changes.len(), n_splits));
        for split in 0..n_splits {
            let of_split = self.split_scores(run, split, changes)?;
            scores.column_mut(split).assign(&Array1::from(of_split));
        }
        Ok(scores)
    }

    /// A removal sums the distances anew, so that they do not depend on how the set came about.
    fn apply(&mut self, run: &Run<'_>, change: Change) -> Result<()> {
        let added = match change {
            Change::Remove(_) => {
                self.distances
                    .iter_mut()
                    .for_each(|stored| stored.fill(T::of(0.0)));
                self.set.columns_after(change)
            }
            _ => self.set.changed_columns(change).to_vec(),
        };
        self.set.apply(change);
        for (split, stored) in self.set.problem.splits.iter().zip(&mut self.distances) {
            let rows = SplitColumns::of(self.columns, split);
            stored
                .axis_chunks_iter_mut(Axis(0), ROWS_PER_JOB)
                .into_par_iter()
                .enumerate()
                .try_for_each(|(job, mut lines)| {
                    run.check()?;
                    for (offset, mut line) in lines.rows_mut().into_iter().enumerate() {
                        let line = line.as_slice_mut().expect("standard layout");
                        for &column in &added {
                            rows.add_squares(column, job * ROWS_PER_JOB + offset, line);
                        }
                    }
                    Ok(())
                })?;
        }
        Ok(())
    }
}

/// Adds the prediction of the neighbours found for a held-out row: their vote or their mean.
fn add_prediction(
    tally: &mut Tally<'_>,
    problem: &Problem,
    split: usize,
    index: usize,
    found: &[u32],
    votes: &mut [u32],
) {
    let Split { train, test } = &problem.splits[split];
    let neighbors = found.iter().map(|&index| train[index as usize]);
    match &problem.target {
        Target::Classes { of_row, .. } => {
            votes.fill(0);
            neighbors.for_each(|row| votes[of_row[row] as usize] += 1);
            tally.add_votes(test[index], votes, found.len());
        }
        Target::Numbers(values) => {
            let mean = neighbors.map(|row| values[row]).sum::<f64>() / found.len() as f64;
            tally.add_residual(values[test[index]] - mean);
        }
    }
}

/// The columns of a split, one on each line, at its training rows and at its held-out rows.
pub(super) struct SplitColumns<T> {
    pub(super) train: Array2<T>,
    pub(super) test: Array2<T>,
}

impl<T: Real> SplitColumns<T> {
    fn of(columns: &Array2<T>, split: &Split) -> Self {
        Self {
            train: at_rows(columns, &split.train),
            test: at_rows(columns, &split.test),
        }
    }

    /// A column at the training rows.
    pub(super) fn train_column(&self, column: usize) -> &[T] {
        let line = self.train.row(column).to_slice();
        line.expect("standard layout")
    }

    /// Adds the squared differences of one column to the distances of a held-out row.
    fn add_squares(&self, column: usize, index: usize, distances: &mut [T]) {
        wide::run(AddSquares {
            distances,
            column: self.train_column(column),
            value: self.test[[column, index]],
        });
    }
}

fn at_rows<T: Real>(columns: &Array2<T>, rows: &[usize]) -> Array2<T> {
    let mut part = Array2::from_elem((columns.nrows(), rows.len()), T::of(0.0));
    part.axis_iter_mut(Axis(0))
        .into_par_iter()
        .zip(columns.axis_iter(Axis(0)))
        .for_each(|(mut to, from)| {
            for (target, &row) in to.iter_mut().zip(rows) {
                *target = from[row];
            }
        });
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
            let difference = other - self.value;
            *distance = step::<T, FUSED>(difference, difference, *distance);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{class_target, problem_of, sample};
    use super::*;
    use crate::data::Features;
    use crate::methods::sequential_selection::Measure;

    #[test]
    fn distances_are_stored_while_they_fit() {
        assert_eq!(stored_bytes(100, 0.2, 5, 8), 100 * 100 * 8 * 4 / 5);
        assert_eq!(stored_bytes(1_000_000, 0.2, 5, 8), 0);
    }

    #[test]
    fn stored_and_summed_distances_give_the_same_scores() {
        let (x, classes) = sample(90, 7);
        let target = class_target(&classes);
        let problem = problem_of(Features::from(&x), target, Measure::LogLoss, None);
        let Columns::F64(columns) = problem.candidates.columns() else {
            panic!("double precision expected");
        };
        let run = Run::new();
        let mut stored = KNearest::new(&problem, columns, 5, u64::MAX);
        let mut summed = KNearest::new(&problem, columns, 5, 0);
        for change in [
            Change::Add(2),
            Change::Add(0),
            Change::Add(6),
            Change::Remove(0),
        ] {
            stored.apply(&run, change).unwrap();
            summed.apply(&run, change).unwrap();
            let changes = [Change::Keep, Change::Add(1), Change::Remove(2)];
            assert_eq!(
                stored.scores(&run, &changes).unwrap(),
                summed.scores(&run, &changes).unwrap()
            );
        }
    }
}
