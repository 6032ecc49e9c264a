//! Neighbours of sparse rows by an inverted index: the rows with a value in each column.
//!
//! A distance that is a sum over the columns is what the two rows have alone, less something for every column in which
//! both have a value. The lists find those columns without a look at the others. Rounding of that difference is allowed
//! for: every row that could be among the nearest is measured once more, column by column, so that the result is exact.

use super::lists::{Collector, Lists, NeighborQuery};
use super::task::Task;
use crate::data::{Features, Neighbors, SparseRows, SparseView};
use crate::error::Result;
use crate::linalg::Real;
use crate::metric::{Metric, Numbers, Scale, Term, largest, merged};
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows whose neighbours one job finds.
const ROWS: usize = 32;

/// The fraction of the cells below which lists are shorter than rows.
const DENSITY: f64 = 0.1;

/// The fraction of the rows' own sums that rounding may take.
const ROUNDING: f64 = 1e-11;

pub(super) fn takes(task: &Task<'_>) -> bool {
    let cells = task.known.n_rows() as f64 * task.known.n_columns() as f64;
    task.known.is_sparse()
        && Term::of(task.metric).is_some()
        && (task.known.n_stored() as f64) < DENSITY * cells
}

pub(super) fn find(run: &Run<'_>, task: &Task<'_>) -> Result<Neighbors> {
    match (task.rows(), &task.known) {
        (Features::SparseF32(rows), Features::SparseF32(known)) => {
            by_lists(run, task, &rows, known)
        }
        (Features::SparseF64(rows), Features::SparseF64(known)) => {
            by_lists(run, task, &rows, known)
        }
        _ => Err(task.of_two_kinds()),
    }
}

fn by_lists<T: Real>(
    run: &Run<'_>,
    task: &Task<'_>,
    rows: &SparseView<'_, T>,
    known: &SparseView<'_, T>,
) -> Result<Neighbors> {
    let Some(term) = Term::of(task.metric) else {
        return Err(task.of_two_kinds());
    };
    let most = largest(&task.rows()).max(largest(&task.known));
    let scale = match task.metric {
        Metric::Cosine => Scale::ONE,
        _ => Scale::of::<T>(most, 2),
    };
    let known = prepared(known, task.metric, scale);
    let rows = if task.is_itself() {
        None
    } else {
        Some(prepared(rows, task.metric, scale))
    };
    let known = known.view();
    let search = Postings {
        task,
        term,
        numbers: Numbers {
            metric: task.metric,
            scale,
            n_columns: known.n_columns(),
        },
        lists: Columns::of(&known),
        alone: alone(term, &known),
        rows: rows
            .as_ref()
            .map_or_else(|| known.clone(), SparseRows::view),
        known,
    };
    let parts = map_blocks(run, search.rows.n_rows(), ROWS, |rows| {
        let mut sums = vec![0.0; search.known.n_rows()];
        let mut lists = Lists::new(search.task.wanted);
        for row in rows {
            run.check()?;
            lists.push(
                search
                    .nearest(row, &mut sums)?
                    .finish(|number| search.numbers.distance(number))?,
            );
        }
        Ok(lists)
    })?;
    let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(Lists::join(search.known.n_rows(), parts))
}

/// The rows with rising columns and without zeros, at the scale or at length 1.
fn prepared<T: Real>(rows: &SparseView<'_, T>, metric: Metric, scale: Scale) -> SparseRows<T> {
    let mut own = rows.sorted();
    if metric == Metric::Cosine {
        own.map_rows(|row| {
            let largest = row
                .iter()
                .fold(0.0, |most: f64, v| most.max(v.wide().abs()));
            let squares = row.iter().map(|v| (v.wide() / largest).powi(2));
            let length = squares.sum::<f64>().sqrt();
            row.iter_mut()
                .for_each(|v| *v = T::of(v.wide() / largest / length));
        });
    } else if scale != Scale::ONE {
        own.map_rows(|row| {
            row.iter_mut()
                .for_each(|v| *v = T::of(v.wide() * scale.factor()));
        });
    }
    own
}

/// What each row adds by itself.
fn alone<T: Real>(term: Term, rows: &SparseView<'_, T>) -> Vec<f64> {
    let of = |row| {
        rows.row_parts(row)
            .1
            .iter()
            .map(|v| term.between(v.wide(), 0.0))
            .sum()
    };
    (0..rows.n_rows()).map(of).collect()
}

/// For every column the rows that have a value in it.
struct Columns<T> {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<T>,
}

impl<T: Real> Columns<T> {
    fn of(known: &SparseView<'_, T>) -> Self {
        let mut starts = vec![0; known.n_columns() + 1];
        let count = (0..known.n_rows()).map(|row| known.row_parts(row).0);
        count
            .flatten()
            .for_each(|&column| starts[column as usize + 1] += 1);
        for column in 0..known.n_columns() {
            starts[column + 1] += starts[column];
        }
        let total = starts[known.n_columns()];
        let mut next = starts.clone();
        let (mut rows, mut values) = (vec![0; total], vec![T::of(0.0); total]);
        for row in 0..known.n_rows() {
            for (column, value) in known.row(row) {
                rows[next[column]] = row as u32;
                values[next[column]] = value;
                next[column] += 1;
            }
        }
        Self {
            starts,
            rows,
            values,
        }
    }

    fn list(&self, column: usize) -> impl Iterator<Item = (usize, T)> {
        let range = self.starts[column]..self.starts[column + 1];
        let rows = self.rows[range.clone()].iter();
        rows.zip(&self.values[range])
            .map(|(row, value)| (*row as usize, *value))
    }
}

struct Postings<'a, 'b, T> {
    task: &'a Task<'b>,
    term: Term,
    numbers: Numbers,
    lists: Columns<T>,
    alone: Vec<f64>,
    rows: SparseView<'a, T>,
    known: SparseView<'a, T>,
}

impl<T: Real> Postings<'_, '_, T> {
    /// The rows requested for a row; `sums` has an entry for each reference row.
    fn nearest(&self, row: usize, sums: &mut [f64]) -> Result<Collector> {
        sums.fill(0.0);
        for (column, value) in self.rows.row(row) {
            let value = value.wide();
            for (other, its) in self.lists.list(column) {
                sums[other] += self.term.shared(value, its.wide());
            }
        }
        let own = self.rows.row_parts(row);
        let mine: f64 = own.1.iter().map(|v| self.term.between(v.wide(), 0.0)).sum();
        // The terms of inner products alone are 0; the products themselves say how large they are.
        let slack = |other: usize, sum: f64| ROUNDING * (mine + self.alone[other] + sum.abs());
        for (other, sum) in sums.iter_mut().enumerate() {
            let shared = *sum;
            let total = self.settled(mine + self.alone[other] - shared, row, other);
            *sum = total - slack(other, shared);
        }
        if self.task.is_itself() {
            sums[row] = f64::NAN;
        }
        let mut first = Collector::new(self.task.wanted, |radius| self.numbers.bound(radius));
        // What the lists say is too low by twice the slack at most.
        let limit = match self.task.wanted {
            NeighborQuery::Within(radius) | NeighborQuery::Closer([_, radius]) => {
                self.numbers.bound(radius)
            }
            NeighborQuery::Nearest(count) => {
                let mut highest: Vec<f64> = (sums.iter().enumerate())
                    .filter(|(_, low)| !low.is_nan())
                    .map(|(other, low)| {
                        low + 4.0 * ROUNDING * (mine + self.alone[other] + low.abs())
                    })
                    .collect();
                let index = count.min(highest.len()).saturating_sub(1);
                if highest.is_empty() {
                    f64::INFINITY
                } else {
                    *highest.select_nth_unstable_by(index, f64::total_cmp).1
                }
            }
        };
        for (other, &low) in sums.iter().enumerate() {
            if low <= limit {
                let total = merged(self.term, own, self.known.row_parts(other));
                first.offer(self.settled(total, row, other), other as u32);
            }
        }
        Ok(first)
    }

    /// The sum as a number that rises with the distance.
    fn settled(&self, total: f64, row: usize, other: usize) -> f64 {
        let (mine, its) = (
            self.rows.row_parts(row).0.len(),
            self.known.row_parts(other).0.len(),
        );
        match self.task.metric {
            // Of rows without a direction: twice the distance, as for two rows of length 1.
            Metric::Cosine if mine == 0 && its == 0 => 0.0,
            Metric::Cosine if mine == 0 || its == 0 => 2.0,
            Metric::Jaccard => {
                let any = 0.5 * (mine as f64 + its as f64 + total);
                total / any.max(1.0)
            }
            _ => total,
        }
    }
}
