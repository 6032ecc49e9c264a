//! k nearest neighbours as a scorer, updated by squared distances: a column more or fewer adds or subtracts one squared
//! difference.

use ndarray::{Array2, Axis};

use crate::error::{Error, Result, message};
use crate::linalg::Real;
use crate::linalg::wide::{self, Loop, step};
use crate::parallel::{map_blocks, try_for_each};
use crate::run::Run;

use super::cross_validation::Split;
use super::measure::Tally;
use super::neighbor_search::NeighborSearch;
use super::problem::{Columns, Problem, Target, at_rows};
use super::scorer::{Change, Evaluator};

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
    Ok(match &problem.columns {
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
    problem: &'p Problem,
    columns: &'p Array2<T>,
    n_neighbors: usize,
    set: Vec<usize>,
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
        let splits = problem.splits.iter();
        let n_pairs = splits
            .clone()
            .map(|split| split.test.len() * split.train.len());
        let bytes = n_pairs.sum::<usize>() as u64 * size_of::<T>() as u64;
        let zeros =
            |split: &Split| Array2::from_elem((split.test.len(), split.train.len()), T::of(0.0));
        let distances = if bytes <= max_stored {
            splits.map(zeros).collect()
        } else {
            Vec::new()
        };
        Self {
            problem,
            columns,
            n_neighbors,
            set: Vec::new(),
            distances,
        }
    }

    /// The score on one split after each change.
    fn split_scores(
        &self,
        run: &Run<'_>,
        split: usize,
        changes: &[Change<'_>],
    ) -> Result<Vec<f64>> {
        let rows = SplitColumns::of(self.columns, &self.problem.splits[split]);
        let ranges = rows.ranges();
        let mut tallies = vec![self.problem.tally(split); changes.len()];
        let parts = map_blocks(run, rows.test.ncols(), ROWS_PER_JOB, |block| {
            let mut tallies = tallies.clone();
            let mut search = NeighborSearch::new(&rows, &ranges, self.n_neighbors);
            let mut sums = vec![T::of(0.0); rows.train.ncols()];
            let mut votes = vec![0; self.problem.target.n_classes()];
            for index in block {
                let distances = match self.distances.get(split) {
                    Some(stored) => stored.row(index).to_slice().expect("standard layout"),
                    None => {
                        sums.fill(T::of(0.0));
                        rows.add_squares(&self.set, index, &mut sums);
                        &sums
                    }
                };
                if !self.set.is_empty() {
                    search.start(distances);
                }
                for (&change, tally) in changes.iter().zip(&mut tallies) {
                    let nearest = search.find(distances, index, change);
                    self.add_prediction(tally, split, index, nearest, &mut votes);
                }
            }
            tallies
        })?;
        for part in &parts {
            let pairs = tallies.iter_mut().zip(part);
            pairs.for_each(|(tally, part)| tally.merge(part));
        }
        let scored = tallies.iter().zip(changes);
        Ok(scored
            .map(|(tally, change)| {
                if change.empties(&self.set) {
                    self.problem.baseline(split)
                } else {
                    tally.score()
                }
            })
            .collect())
    }

    /// Adds the prediction of the nearest training rows of a held-out row: their vote or their mean.
    fn add_prediction(
        &self,
        tally: &mut Tally<'_>,
        split: usize,
        index: usize,
        nearest: &[(T, u32)],
        votes: &mut [u32],
    ) {
        let Split { train, test, .. } = &self.problem.splits[split];
        let neighbors = nearest.iter().map(|&(_, index)| train[index as usize]);
        match &self.problem.target {
            Target::Classes { of_row, .. } => {
                votes.fill(0);
                neighbors.for_each(|row| votes[of_row[row] as usize] += 1);
                tally.add_votes(test[index], votes, nearest.len());
            }
            Target::Numbers(values) => {
                let mean = neighbors.map(|row| values[row]).sum::<f64>() / nearest.len() as f64;
                tally.add_residual(values[test[index]] - mean);
            }
        }
    }
}

impl<T: Real> Evaluator for KNearest<'_, T> {
    // One split after the other, because each needs a copy of its columns.
    fn scores(&self, run: &Run<'_>, changes: &[Change<'_>]) -> Result<Array2<f64>> {
        let n_splits = self.problem.splits.len();
        let mut scores = Array2::zeros((changes.len(), n_splits));
        for split in 0..n_splits {
            let of_split = self.split_scores(run, split, changes)?;
            scores.column_mut(split).assign(&ndarray::aview1(&of_split));
        }
        Ok(scores)
    }

    /// A removal sums the distances anew, so that they do not depend on how the set came about.
    fn apply(&mut self, run: &Run<'_>, change: Change<'_>) -> Result<()> {
        let after = change.after(&self.set);
        let added = if change.add { change.columns } else { &after };
        for (split, stored) in self.problem.splits.iter().zip(&mut self.distances) {
            if !change.add {
                stored.fill(T::of(0.0));
            }
            let rows = SplitColumns::of(self.columns, split);
            let jobs = stored.axis_chunks_iter_mut(Axis(0), ROWS_PER_JOB);
            try_for_each(run, jobs, |job, mut lines| {
                for (offset, mut line) in lines.rows_mut().into_iter().enumerate() {
                    let line = line.as_slice_mut().expect("standard layout");
                    rows.add_squares(added, job * ROWS_PER_JOB + offset, line);
                }
                Ok(())
            })?;
        }
        self.set = after;
        Ok(())
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
            train: at_rows(&columns.view(), &split.train),
            test: at_rows(&columns.view(), &split.test),
        }
    }

    /// A column at the training rows.
    pub(super) fn train_column(&self, column: usize) -> &[T] {
        let line = self.train.row(column).to_slice();
        line.expect("standard layout")
    }

    /// The smallest and the largest value of each column at the training rows.
    fn ranges(&self) -> Vec<(T, T)> {
        let columns = (0..self.train.nrows()).map(|column| self.train_column(column));
        columns
            .map(|values| {
                let (mut least, mut most) = (values[0], values[0]);
                for &value in values {
                    least = if value < least { value } else { least };
                    most = if value > most { value } else { most };
                }
                (least, most)
            })
            .collect()
    }

    /// Adds the squared differences of some columns to the distances of a held-out row.
    fn add_squares(&self, columns: &[usize], index: usize, distances: &mut [T]) {
        for &column in columns {
            wide::run(AddSquares {
                distances,
                column: self.train_column(column),
                value: self.test[[column, index]],
            });
        }
    }
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
    use super::super::tests::{class_target, problem, sample};
    use super::*;
    use crate::methods::sequential_selection::Measure;

    #[test]
    fn distances_are_stored_while_they_fit() {
        assert_eq!(stored_bytes(100, 0.2, 5, 8), 100 * 100 * 8 * 4 / 5);
        assert_eq!(stored_bytes(1_000_000, 0.2, 5, 8), 0);
    }

    #[test]
    fn stored_and_summed_distances_give_the_same_scores() {
        let (x, classes) = sample(90, 7);
        let problem = problem(&x, class_target(&classes), Measure::LogLoss);
        let Columns::F64(columns) = &problem.columns else {
            panic!("double precision expected");
        };
        let run = Run::new();
        let mut stored = KNearest::new(&problem, columns, 5, u64::MAX);
        let mut summed = KNearest::new(&problem, columns, 5, 0);
        let change = |feature: usize, add| Change {
            columns: &problem.features[feature],
            add,
        };
        for (feature, add) in [(2, true), (0, true), (6, true), (0, false)] {
            stored.apply(&run, change(feature, add)).unwrap();
            summed.apply(&run, change(feature, add)).unwrap();
            let changes = [Change::NONE, change(1, true), change(2, false)];
            assert_eq!(
                stored.scores(&run, &changes).unwrap(),
                summed.scores(&run, &changes).unwrap()
            );
        }
    }
}
