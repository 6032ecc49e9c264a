//! The k nearest training rows of a held-out row after a change of the set of features.
//!
//! For every held-out row the training rows that are nearest by the current set are listed in order. A feature more makes
//! no distance smaller, so a walk along the list ends as soon as the current distance exceeds that of the k-th found; only
//! where the list is too short are all rows compared. With a feature fewer the same holds for the current distance less
//! the most that the feature can have added.

use std::cmp::Ordering;

use ndarray::{Array2, Axis};

use crate::linalg::Real;
use crate::linalg::wide::{self, Loop, step};

use super::k_nearest::SplitColumns;
use super::scorer::Change;

/// Rows listed, at least.
const MIN_LISTED: usize = 64;

/// Rows listed for each neighbour, at least.
const LISTED_PER_NEIGHBOR: usize = 8;

/// One of this many rows is sampled to find the distance within which rows are listed.
const SAMPLE_STEP: usize = 8;

/// Distances that are compared with the k-th smallest at once.
const LANES: usize = 32;

/// A change of the set, prepared for one split.
pub(super) struct Query<'a, T> {
    columns: &'a [usize],
    /// 1 for a feature more, −1 for one fewer, 0 for none.
    sign: T,
    /// The range of each column at the training rows: its smallest and its largest value.
    ranges: Vec<(T, T)>,
}

impl<'a, T: Real> Query<'a, T> {
    pub(super) fn new(columns: &'a [usize], change: Change, train: &Array2<T>) -> Self {
        let sign = match change {
            Change::Keep => 0.0,
            Change::Add(_) => 1.0,
            Change::Remove(_) => -1.0,
        };
        let ranges = columns.iter().map(|&column| {
            let line = train.index_axis(Axis(0), column);
            let start = (line[0], line[0]);
            line.iter().fold(start, |(least, most), &value| {
                (
                    if value < least { value } else { least },
                    if value > most { value } else { most },
                )
            })
        });
        Self {
            columns,
            sign: T::of(sign),
            ranges: ranges.collect(),
        }
    }

    /// The most that the columns can have added to a squared distance.
    fn max_added(&self, test: &Array2<T>, index: usize) -> T {
        let squares = self
            .columns
            .iter()
            .zip(&self.ranges)
            .map(|(&column, &(least, most))| {
                let value = test[[column, index]];
                let (below, above) = (value - least, most - value);
                let difference = if below > above { below } else { above };
                difference * difference
            });
        let sum = squares.fold(T::of(0.0), |sum, square| sum + square);
        // More than any rounding of the sums it is compared with.
        sum + sum * T::of(8.0) * T::epsilon()
    }
}

/// Finds nearest neighbours, with memory that is used again.
pub(super) struct NeighborSearch<T> {
    /// The nearest rows by the set's distances, in order; no row outside is nearer than the last.
    list: Vec<(T, u32)>,
    sample: Vec<T>,
    squares: Vec<T>,
    best: Neighbors<T>,
}

impl<T: Real> NeighborSearch<T> {
    pub(super) fn new(n_neighbors: usize) -> Self {
        Self {
            list: Vec::new(),
            sample: Vec::new(),
            squares: Vec::new(),
            best: Neighbors {
                distances: vec![T::of(0.0); n_neighbors],
                rows: vec![0; n_neighbors],
            },
        }
    }

    /// Starts with another held-out row: lists the nearest by the current distances, unless the set is empty.
    pub(super) fn start(&mut self, distances: &[T], any: bool) {
        self.list.clear();
        if !any {
            return;
        }
        let limit = self.limit(distances);
        for (row, &distance) in distances.iter().enumerate() {
            if distance <= limit {
                self.list.push((distance, row as u32));
            }
        }
        self.list.sort_unstable_by(|a, b| {
            let order = a.0.partial_cmp(&b.0);
            order.unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1))
        });
    }

    /// A distance within which about as many rows lie as are to be listed.
    fn limit(&mut self, distances: &[T]) -> T {
        let wanted = MIN_LISTED.max(LISTED_PER_NEIGHBOR * self.best.rows.len());
        if distances.len() <= 2 * wanted {
            return T::infinity();
        }
        self.sample.clear();
        self.sample.extend(distances.iter().step_by(SAMPLE_STEP));
        let index = (wanted / SAMPLE_STEP + SAMPLE_STEP / 2).min(self.sample.len() - 1);
        let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(Ordering::Equal);
        *self.sample.select_nth_unstable_by(index, order).1
    }

    /// The nearest rows after a change, in ascending order of distance; of those equally far the first.
    pub(super) fn find(
        &mut self,
        distances: &[T],
        query: &Query<'_, T>,
        rows: &SplitColumns<T>,
        index: usize,
    ) -> &[u32] {
        let zero = T::of(0.0);
        let max_decrease = if query.sign < zero {
            query.max_added(&rows.test, index)
        } else {
            zero
        };
        let (values, value, squared) = if let [column] = *query.columns {
            (rows.train_column(column), rows.test[[column, index]], false)
        } else {
            // The squared differences of several columns are summed first.
            self.squares.clear();
            self.squares.resize(distances.len(), zero);
            sum_squares(query.columns, rows, index, &mut self.squares);
            (self.squares.as_slice(), zero, true)
        };
        wide::run(Scan {
            distances,
            values,
            value,
            squared,
            sign: query.sign,
            max_decrease,
            list: &self.list,
            best: &mut self.best,
        });
        &self.best.rows
    }
}

fn sum_squares<T: Real>(
    columns: &[usize],
    rows: &SplitColumns<T>,
    index: usize,
    squares: &mut [T],
) {
    for &column in columns {
        let value = rows.test[[column, index]];
        for (sum, &other) in squares.iter_mut().zip(rows.train.row(column)) {
            let difference = other - value;
            *sum += difference * difference;
        }
    }
}

/// The nearest found so far, in ascending order of distance.
struct Neighbors<T> {
    distances: Vec<T>,
    rows: Vec<u32>,
}

/// In place of a row where none was found yet.
const NONE: u32 = u32::MAX;

impl<T: Real> Neighbors<T> {
    #[inline(always)]
    fn clear(&mut self, limit: T) {
        self.distances.fill(limit);
        self.rows.fill(NONE);
    }

    #[inline(always)]
    fn last(&self) -> (T, u32) {
        let end = self.rows.len() - 1;
        (self.distances[end], self.rows[end])
    }

    /// Inserts a row that is nearer than the last, or as near and before it.
    #[inline(always)]
    fn offer(&mut self, value: T, row: u32) {
        let (worst, last) = self.last();
        if value > worst || (value == worst && row >= last) {
            return;
        }
        let mut index = self.rows.len() - 1;
        while index > 0
            && (self.distances[index - 1] > value
                || (self.distances[index - 1] == value && self.rows[index - 1] > row))
        {
            self.distances[index] = self.distances[index - 1];
            self.rows[index] = self.rows[index - 1];
            index -= 1;
        }
        self.distances[index] = value;
        self.rows[index] = row;
    }
}

struct Scan<'a, T> {
    distances: &'a [T],
    /// The column that changes; or, if `squared`, the squared differences themselves.
    values: &'a [T],
    value: T,
    squared: bool,
    sign: T,
    /// The most by which a distance can decrease.
    max_decrease: T,
    list: &'a [(T, u32)],
    best: &'a mut Neighbors<T>,
}

impl<T: Real> Scan<'_, T> {
    #[inline(always)]
    fn changed<const FUSED: bool>(&self, distance: T, other: T) -> T {
        let new = if self.squared {
            step::<T, FUSED>(self.sign, other, distance)
        } else {
            let difference = other - self.value;
            step::<T, FUSED>(self.sign * difference, difference, distance)
        };
        // A difference of rounded sums may fall below 0.
        if new < T::of(0.0) { T::of(0.0) } else { new }
    }

    /// Goes along the list; true if no row outside it can be among the nearest.
    #[inline(always)]
    fn scan_list<const FUSED: bool>(&mut self) -> bool {
        let list = self.list;
        for &(distance, row) in list {
            let (worst, _) = self.best.last();
            if distance - self.max_decrease > worst {
                return true;
            }
            let new = self.changed::<FUSED>(distance, self.values[row as usize]);
            self.best.offer(new, row);
        }
        self.list.len() == self.distances.len()
    }

    /// Compares all rows; those farther than the limit that `best` was cleared with are not among the nearest.
    #[inline(always)]
    fn scan_all<const FUSED: bool>(&mut self) {
        let n_rows = self.distances.len();
        let mut start = 0;
        while start < n_rows {
            let end = (start + LANES).min(n_rows);
            let mut new = [T::infinity(); LANES];
            let (distances, values) = (&self.distances[start..end], &self.values[start..end]);
            for ((new, &distance), &other) in new.iter_mut().zip(distances).zip(values) {
                *new = self.changed::<FUSED>(distance, other);
            }
            let mut least = new[0];
            for &value in &new {
                least = if value < least { value } else { least };
            }
            let (worst, last) = self.best.last();
            // Rows come in order: one that is as far as the last found comes too late, unless nothing was found yet.
            if least < worst || (least == worst && last == NONE) {
                for (lane, &value) in new[..end - start].iter().enumerate() {
                    self.best.offer(value, (start + lane) as u32);
                }
            }
            start = end;
        }
    }
}

impl<T: Real> Loop for Scan<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(mut self) {
        self.best.clear(T::infinity());
        if self.scan_list::<FUSED>() {
            return;
        }
        let (worst, _) = self.best.last();
        self.best.clear(worst);
        self.scan_all::<FUSED>();
    }
}
