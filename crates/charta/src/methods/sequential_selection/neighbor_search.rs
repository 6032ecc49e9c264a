//! The k nearest training rows of a held-out row after a change of the set of columns.
//!
//! For every held-out row the training rows that are nearest by the current set are listed in order. A column more makes
//! no distance smaller, so a walk along the list ends as soon as the current distance exceeds that of the k-th found; only
//! where the list is too short are all rows compared. With columns fewer the same holds for the current distance less
//! the most that they can have added.

use std::cmp::Ordering;

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

/// In place of a row where none was found yet.
const NO_ROW: u32 = u32::MAX;

/// Finds nearest neighbours, with memory that is used again.
pub(super) struct NeighborSearch<'a, T> {
    rows: &'a SplitColumns<T>,
    /// The smallest and the largest value of each column at the training rows.
    ranges: &'a [(T, T)],
    /// The nearest rows by the set's distances, in order; no row outside is nearer than the last.
    list: Vec<(T, u32)>,
    sample: Vec<T>,
    squares: Vec<T>,
    /// The nearest rows found, in order of distance and row.
    nearest: Vec<(T, u32)>,
}

impl<'a, T: Real> NeighborSearch<'a, T> {
    pub(super) fn new(rows: &'a SplitColumns<T>, ranges: &'a [(T, T)], n_neighbors: usize) -> Self {
        Self {
            rows,
            ranges,
            list: Vec::new(),
            sample: Vec::new(),
            squares: Vec::new(),
            nearest: vec![(T::infinity(), NO_ROW); n_neighbors],
        }
    }

    /// Lists the nearest rows by the current distances of another held-out row. Without it all rows are compared.
    pub(super) fn start(&mut self, distances: &[T]) {
        let limit = self.limit(distances);
        self.list.clear();
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
        let wanted = MIN_LISTED.max(LISTED_PER_NEIGHBOR * self.nearest.len());
        if distances.len() <= 2 * wanted {
            return T::infinity();
        }
        self.sample.clear();
        self.sample.extend(distances.iter().step_by(SAMPLE_STEP));
        let index = (wanted / SAMPLE_STEP + SAMPLE_STEP / 2).min(self.sample.len() - 1);
        let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(Ordering::Equal);
        *self.sample.select_nth_unstable_by(index, order).1
    }

    /// The most that some columns can have added to a squared distance of a held-out row.
    fn max_added(&self, columns: &[usize], index: usize) -> T {
        let mut sum = T::of(0.0);
        for &column in columns {
            let value = self.rows.test[[column, index]];
            let (least, most) = self.ranges[column];
            let (below, above) = (value - least, most - value);
            let difference = if below > above { below } else { above };
            sum += difference * difference;
        }
        // More than any rounding of the sums it is compared with.
        sum + sum * T::of(8.0) * T::epsilon()
    }

    /// The rows nearest to held-out row `index` after a change, in ascending order of distance; of those equally far the
    /// first.
    pub(super) fn find(
        &mut self,
        distances: &[T],
        index: usize,
        change: Change<'_>,
    ) -> &[(T, u32)] {
        let rows = self.rows;
        let (sign, max_decrease) = if change.add {
            (T::of(1.0), T::of(0.0))
        } else {
            (T::of(-1.0), self.max_added(change.columns, index))
        };
        let (values, value, squared) = if let [column] = *change.columns {
            (rows.train_column(column), rows.test[[column, index]], false)
        } else {
            // The squared differences of several columns are summed first.
            self.squares.clear();
            self.squares.resize(distances.len(), T::of(0.0));
            for &column in change.columns {
                let value = rows.test[[column, index]];
                for (sum, &other) in self.squares.iter_mut().zip(rows.train_column(column)) {
                    let difference = other - value;
                    *sum += difference * difference;
                }
            }
            (self.squares.as_slice(), T::of(0.0), true)
        };
        wide::run(Scan {
            distances,
            values,
            value,
            squared,
            sign,
            max_decrease,
            list: &self.list,
            nearest: &mut self.nearest,
        });
        &self.nearest
    }
}

struct Scan<'a, T> {
    distances: &'a [T],
    /// The column that changes; or, if `squared`, the squared differences themselves.
    values: &'a [T],
    value: T,
    squared: bool,
    /// 1 for columns more, −1 for columns fewer.
    sign: T,
    /// The most by which a distance can decrease.
    max_decrease: T,
    list: &'a [(T, u32)],
    nearest: &'a mut [(T, u32)],
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

    /// The farthest of the nearest found so far.
    #[inline(always)]
    fn farthest(&self) -> (T, u32) {
        self.nearest[self.nearest.len() - 1]
    }

    /// Inserts a row that is before the farthest.
    #[inline(always)]
    fn offer(&mut self, row: (T, u32)) {
        if !is_before(row, self.farthest()) {
            return;
        }
        let mut index = self.nearest.len() - 1;
        while index > 0 && is_before(row, self.nearest[index - 1]) {
            self.nearest[index] = self.nearest[index - 1];
            index -= 1;
        }
        self.nearest[index] = row;
    }

    /// Goes along the list; true if no row outside it can be among the nearest.
    #[inline(always)]
    fn scan_list<const FUSED: bool>(&mut self) -> bool {
        for &(distance, row) in self.list {
            if distance - self.max_decrease > self.farthest().0 {
                return true;
            }
            let new = self.changed::<FUSED>(distance, self.values[row as usize]);
            self.offer((new, row));
        }
        self.list.len() == self.distances.len()
    }

    /// Compares all rows with those that `nearest` starts with.
    #[inline(always)]
    fn scan_all<const FUSED: bool>(&mut self) {
        let n_rows = self.distances.len();
        for start in (0..n_rows).step_by(LANES) {
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
            let (farthest, row) = self.farthest();
            // Rows come in order: one as far as the farthest comes too late, unless that is no row yet.
            if least < farthest || (least == farthest && row == NO_ROW) {
                for (lane, &value) in new[..end - start].iter().enumerate() {
                    self.offer((value, (start + lane) as u32));
                }
            }
        }
    }
}

/// True if a row is nearer than another, or as near and before it.
#[inline(always)]
fn is_before<T: Real>(row: (T, u32), other: (T, u32)) -> bool {
    row.0 < other.0 || (row.0 == other.0 && row.1 < other.1)
}

impl<T: Real> Loop for Scan<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(mut self) {
        self.nearest.fill((T::infinity(), NO_ROW));
        if self.scan_list::<FUSED>() {
            return;
        }
        // Rows farther than the farthest found are not among the nearest.
        let (farthest, _) = self.farthest();
        self.nearest.fill((farthest, NO_ROW));
        self.scan_all::<FUSED>();
    }
}
