//! The best matching units: for every row the nearest unit and the one after it.
//!
//! A block of rows meets all units in one matrix product in the rows' precision: the unit with the largest ⟨x, w⟩ − |w|²/2 is nearest.
//! Sparse rows are multiplied by what they store. Among units that are equally near, the first is the best. Distances to the best
//! unit are then measured by differences.

use std::ops::Range;

use ndarray::{Array2, ArrayView1};

use super::Grid;
use super::Space;
use crate::data::{Features, SparseView};
use crate::error::{Error, Result};
use crate::linalg::inner_product_join::distance::Measure;
use crate::linalg::product::add_product;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Scores of one job, about.
const SCORES: usize = 1 << 17;
/// Rows of one job, at least.
const MIN_ROWS: usize = 32;
/// And at most.
const MAX_ROWS: usize = 512;
/// Why a row is one slice.
const ROW_ORDER: &str = "blocks of rows, scores and units are in row order";

/// Which units the rows fall to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Matching {
    /// The nearest unit of every row.
    pub best: Vec<u32>,
    /// The next to nearest; the same if there is only one unit.
    pub second: Vec<u32>,
    /// The squared distance of every row to its nearest unit, in the space of units.
    pub apart: Vec<f64>,
}

/// Rows that one job compares with this many units.
pub(super) fn rows_at_once(n_units: usize) -> usize {
    (SCORES / n_units.max(1)).clamp(MIN_ROWS, MAX_ROWS)
}

impl Matching {
    /// The best matching units of all rows; `units` are in the space, one a row.
    pub(super) fn of(
        run: &Run<'_>,
        space: &Space,
        features: &Features<'_>,
        units: &Array2<f64>,
    ) -> Result<Self> {
        match features {
            Features::F32(_) => {
                let matcher = Matcher::<f32>::new(units);
                matcher.all(run, features, |rows| matcher.dense(space, features, rows))
            }
            Features::F64(_) => {
                let matcher = Matcher::<f64>::new(units);
                matcher.all(run, features, |rows| matcher.dense(space, features, rows))
            }
            Features::SparseF32(stored) => {
                let matcher = Matcher::<f64>::turned(units);
                matcher.all(run, features, |rows| matcher.sparse(space, stored, rows))
            }
            Features::SparseF64(stored) => {
                let matcher = Matcher::<f64>::turned(units);
                matcher.all(run, features, |rows| matcher.sparse(space, stored, rows))
            }
        }
    }

    /// Number of rows.
    pub(super) fn n_rows(&self) -> usize {
        self.best.len()
    }

    /// The mean distance from rows to their best units, in the unit of the features.
    pub(super) fn quantization_error(&self, space: &Space) -> f64 {
        let sum: f64 = self.apart.iter().map(|apart| apart.sqrt()).sum();
        sum / self.n_rows().max(1) as f64 / space.factor()
    }

    /// The fraction of rows whose two best units are no neighbours.
    pub(super) fn topographic_error(&self, grid: &Grid) -> f64 {
        let pairs = self.best.iter().zip(&self.second);
        let torn = pairs.filter(|(best, second)| {
            best != second && !grid.are_neighbors(**best as usize, **second as usize)
        });
        torn.count() as f64 / self.n_rows().max(1) as f64
    }

    /// Rows that fall to every unit.
    pub(super) fn hits(&self, n_units: usize) -> Vec<usize> {
        let mut hits = vec![0; n_units];
        for &unit in &self.best {
            hits[unit as usize] += 1;
        }
        hits
    }

    /// The grid coordinates of the best units, a row each.
    pub(super) fn coordinates(&self, grid: &Grid) -> Array2<f64> {
        let mut places = Array2::zeros((self.n_rows(), 2));
        for (mut to, &unit) in places.rows_mut().into_iter().zip(&self.best) {
            let (x, y) = grid.coordinates(unit as usize);
            (to[0], to[1]) = (x, y);
        }
        places
    }
}

/// Units, prepared for products with many rows.
struct Matcher<T> {
    /// One a row for dense rows, one a column for sparse ones.
    units: Array2<T>,
    /// −|w|²/2 of every unit.
    starts: Vec<T>,
}

impl<T: Measure> Matcher<T> {
    fn new(units: &Array2<f64>) -> Self {
        let units = units.mapv(T::of);
        let starts = units.rows().into_iter().map(|unit| {
            let squares: f64 = unit.iter().map(|value| value.wide() * value.wide()).sum();
            T::of(-0.5 * squares)
        });
        Self {
            starts: starts.collect(),
            units,
        }
    }

    /// With units side by side, so that a column meets all of them at once.
    fn turned(units: &Array2<f64>) -> Self {
        let upright = Self::new(units);
        Self {
            units: upright.units.t().as_standard_layout().into_owned(),
            starts: upright.starts,
        }
    }

    fn all(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        part: impl Fn(Range<usize>) -> Matching + Sync,
    ) -> Result<Matching> {
        let n_rows = features.n_rows();
        let parts = map_blocks(run, n_rows, rows_at_once(self.starts.len()), part)?;
        let mut whole = Matching {
            best: Vec::with_capacity(n_rows),
            second: Vec::with_capacity(n_rows),
            apart: Vec::with_capacity(n_rows),
        };
        for part in parts {
            whole.best.extend(part.best);
            whole.second.extend(part.second);
            whole.apart.extend(part.apart);
        }
        if whole.apart.iter().all(|apart| apart.is_finite()) {
            Ok(whole)
        } else {
            Err(Error::too_large())
        }
    }

    fn dense(&self, space: &Space, features: &Features<'_>, rows: Range<usize>) -> Matching {
        let block = space.block::<T>(features, rows);
        let mut scores = self.first_scores(block.nrows());
        add_product(scores.view_mut(), &block.view(), &self.units.t());
        let mut part = Matching::default();
        for (row, scores) in block.rows().into_iter().zip(scores.rows()) {
            let (row, scores) = (
                row.as_slice().expect(ROW_ORDER),
                scores.as_slice().expect(ROW_ORDER),
            );
            let (best, second, _) = two_best(scores);
            let unit = self.units.row(best);
            let unit = unit.as_slice().expect(ROW_ORDER);
            part.push(best, second, T::squared_distance_wide(row, unit));
        }
        part
    }

    fn first_scores(&self, n_rows: usize) -> Array2<T> {
        let mut scores = Array2::from_elem((n_rows, self.starts.len()), T::of(0.0));
        for mut line in scores.rows_mut() {
            line.assign(&ArrayView1::from(&self.starts));
        }
        scores
    }
}

impl Matcher<f64> {
    fn sparse<N: Measure>(
        &self,
        space: &Space,
        stored: &SparseView<'_, N>,
        rows: Range<usize>,
    ) -> Matching {
        // What the middle takes from every score; nothing for a model of sparse rows.
        let middle = space.middle() * space.factor();
        let (shift, length) = (middle.dot(&self.units), middle.dot(&middle));
        let mut part = Matching::default();
        let mut scores = vec![0.0; self.starts.len()];
        for row in rows {
            for ((to, start), shift) in scores.iter_mut().zip(&self.starts).zip(&shift) {
                *to = start - shift;
            }
            let mut squares = length;
            for (column, value) in stored.row(row) {
                let value = value.wide() * space.factor();
                squares += value * (value - 2.0 * middle[column]);
                for (to, unit) in scores.iter_mut().zip(&self.units.row(column)) {
                    *to += value * unit;
                }
            }
            let (best, second, score) = two_best(&scores);
            part.push(best, second, (squares - 2.0 * score).max(0.0));
        }
        part
    }
}

impl Matching {
    fn push(&mut self, best: usize, second: usize, apart: f64) {
        self.best.push(best as u32);
        self.second.push(second as u32);
        self.apart.push(apart);
    }
}

/// The indices of the two largest numbers, the first of equal ones, and the largest.
fn two_best<T: Measure>(scores: &[T]) -> (usize, usize, T) {
    let least = T::neg_infinity();
    let (mut best, mut second) = ((0, least), (usize::MAX, least));
    for (place, &score) in scores.iter().enumerate() {
        if score > second.1 {
            if score > best.1 {
                second = if best.1 > least { best } else { second };
                best = (place, score);
            } else {
                second = (place, score);
            }
        }
    }
    let next = match second.0 {
        usize::MAX => best.0,
        place => place,
    };
    (best.0, next, best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_largest_are_found_and_the_first_of_equals_wins() {
        assert_eq!(two_best(&[1.0, 3.0, 2.0]), (1, 2, 3.0));
        assert_eq!(two_best(&[2.0, 2.0, 2.0]), (0, 1, 2.0));
        assert_eq!(two_best(&[5.0, 1.0, 4.0, 5.0]), (0, 3, 5.0));
        assert_eq!(two_best(&[7.0]), (0, 0, 7.0));
        assert_eq!(two_best(&[-1.0, -3.0, -2.0]), (0, 2, -1.0));
    }
}
