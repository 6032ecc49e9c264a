//! The k nearest rows to learn from after a change of the set of features.

use std::cmp::Ordering;

use ndarray::{Array2, Axis};

use crate::linalg::Real;
use crate::linalg::wide::{self, Loop, step};

use super::Change;
use super::k_nearest::Fold;

/// Rows in the list of the nearest, and as a multiple of the neighbours wanted.
const LISTED: usize = 64;
const LISTED_FOR_EACH: usize = 8;

/// Distances that are compared with the k-th best at once.
const LANES: usize = 32;

/// A change of the set, prepared for one split.
pub(super) struct Task<'a, T> {
    columns: &'a [usize],
    /// 1 for a feature more, −1 for one fewer, 0 for none.
    sign: T,
    /// The smallest and the largest value of each column.
    ends: Vec<(T, T)>,
}

impl<'a, T: Real> Task<'a, T> {
    pub(super) fn of(columns: &'a [usize], change: Change, train: &Array2<T>) -> Self {
        let sign = match change {
            Change::Keep => 0.0,
            Change::Add(_) => 1.0,
            Change::Remove(_) => -1.0,
        };
        let ends = columns.iter().map(|&column| {
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
            ends: ends.collect(),
        }
    }

    /// The most that the columns can have added to a squared distance.
    fn most(&self, test: &Array2<T>, place: usize) -> T {
        let squares = self
            .columns
            .iter()
            .zip(&self.ends)
            .map(|(&column, &(least, most))| {
                let value = test[[column, place]];
                let (below, above) = (value - least, most - value);
                let apart = if below > above { below } else { above };
                apart * apart
            });
        let sum = squares.fold(T::of(0.0), |sum, square| sum + square);
        // More than any rounding of the sums it is compared with.
        sum + sum * T::of(8.0) * T::epsilon()
    }
}

/// Of how many rows one is looked at to tell which are near enough for the list.
const SAMPLED: usize = 8;

/// Finds nearest rows, with space that is used again.
pub(super) struct Nearest<T> {
    /// The nearest rows by the set's distances, in order; no row outside is nearer than the last.
    list: Vec<(T, u32)>,
    sample: Vec<T>,
    squares: Vec<T>,
    best: Best<T>,
}

impl<T: Real> Nearest<T> {
    pub(super) fn new(n_neighbors: usize) -> Self {
        Self {
            list: Vec::new(),
            sample: Vec::new(),
            squares: Vec::new(),
            best: Best {
                values: vec![T::of(0.0); n_neighbors],
                rows: vec![0; n_neighbors],
            },
        }
    }

    /// Lists the rows nearest by the set's distances, if it has any.
    pub(super) fn prepare(&mut self, distances: &[T], any: bool) {
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
        let wanted = LISTED.max(LISTED_FOR_EACH * self.best.rows.len());
        if distances.len() <= 2 * wanted {
            return T::infinity();
        }
        self.sample.clear();
        self.sample.extend(distances.iter().step_by(SAMPLED));
        let place = (wanted / SAMPLED + SAMPLED / 2).min(self.sample.len() - 1);
        let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(Ordering::Equal);
        *self.sample.select_nth_unstable_by(place, order).1
    }

    /// The nearest rows after a change, in ascending order of distance; of those equally far the first.
    pub(super) fn find(
        &mut self,
        distances: &[T],
        task: &Task<'_, T>,
        fold: &Fold<T>,
        place: usize,
    ) -> &[u32] {
        let zero = T::of(0.0);
        let slack = if task.sign < zero {
            task.most(&fold.test, place)
        } else {
            zero
        };
        let only = match task.columns {
            [column] => fold
                .train
                .row(*column)
                .to_slice()
                .map(|line| (line, fold.test[[*column, place]])),
            _ => None,
        };
        let (others, value) = match only {
            Some(one) => one,
            None => {
                // The squared differences of several columns are summed first.
                self.squares.clear();
                self.squares.resize(distances.len(), zero);
                sum_squares(task.columns, fold, place, &mut self.squares);
                (self.squares.as_slice(), zero)
            }
        };
        wide::run(Search {
            distances,
            others,
            value,
            squared: only.is_none(),
            sign: task.sign,
            slack,
            list: &self.list,
            best: &mut self.best,
        });
        &self.best.rows
    }
}

fn sum_squares<T: Real>(columns: &[usize], fold: &Fold<T>, place: usize, squares: &mut [T]) {
    for &column in columns {
        let value = fold.test[[column, place]];
        for (sum, &other) in squares.iter_mut().zip(fold.train.row(column)) {
            let apart = other - value;
            *sum += apart * apart;
        }
    }
}

/// The best so far, nearest first.
struct Best<T> {
    values: Vec<T>,
    rows: Vec<u32>,
}

/// Stands where no row was found yet.
const NONE: u32 = u32::MAX;

impl<T: Real> Best<T> {
    #[inline(always)]
    fn clear(&mut self, limit: T) {
        self.values.fill(limit);
        self.rows.fill(NONE);
    }

    #[inline(always)]
    fn last(&self) -> (T, u32) {
        let end = self.rows.len() - 1;
        (self.values[end], self.rows[end])
    }

    /// Puts in a row that is nearer than the last, or as near and before it.
    #[inline(always)]
    fn offer(&mut self, value: T, row: u32) {
        let (worst, last) = self.last();
        if value > worst || (value == worst && row >= last) {
            return;
        }
        let mut place = self.rows.len() - 1;
        while place > 0
            && (self.values[place - 1] > value
                || (self.values[place - 1] == value && self.rows[place - 1] > row))
        {
            self.values[place] = self.values[place - 1];
            self.rows[place] = self.rows[place - 1];
            place -= 1;
        }
        self.values[place] = value;
        self.rows[place] = row;
    }
}

struct Search<'a, T> {
    distances: &'a [T],
    /// The column that changes; or, if `squared`, the squared differences themselves.
    others: &'a [T],
    value: T,
    squared: bool,
    sign: T,
    /// The most by which a distance can become smaller.
    slack: T,
    list: &'a [(T, u32)],
    best: &'a mut Best<T>,
}

impl<T: Real> Search<'_, T> {
    #[inline(always)]
    fn changed<const FUSED: bool>(&self, distance: T, other: T) -> T {
        let new = if self.squared {
            step::<T, FUSED>(self.sign, other, distance)
        } else {
            let apart = other - self.value;
            step::<T, FUSED>(self.sign * apart, apart, distance)
        };
        // A difference of rounded sums may fall below 0.
        if new < T::of(0.0) { T::of(0.0) } else { new }
    }

    /// Goes along the list; true if no other row can be among the nearest.
    #[inline(always)]
    fn walk<const FUSED: bool>(&mut self) -> bool {
        let list = self.list;
        for &(distance, row) in list {
            let (worst, _) = self.best.last();
            if distance - self.slack > worst {
                return true;
            }
            let new = self.changed::<FUSED>(distance, self.others[row as usize]);
            self.best.offer(new, row);
        }
        self.list.len() == self.distances.len()
    }

    /// Looks at all rows; those farther than the limit that `best` was cleared with are of no interest.
    #[inline(always)]
    fn scan<const FUSED: bool>(&mut self) {
        let n_rows = self.distances.len();
        let mut start = 0;
        while start < n_rows {
            let end = (start + LANES).min(n_rows);
            let mut new = [T::infinity(); LANES];
            let (distances, others) = (&self.distances[start..end], &self.others[start..end]);
            for ((new, &distance), &other) in new.iter_mut().zip(distances).zip(others) {
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

impl<T: Real> Loop for Search<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(mut self) {
        self.best.clear(T::infinity());
        if self.walk::<FUSED>() {
            return;
        }
        let (worst, _) = self.best.last();
        self.best.clear(worst);
        self.scan::<FUSED>();
    }
}
