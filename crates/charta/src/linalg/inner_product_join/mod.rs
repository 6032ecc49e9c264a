//! Which of many rows score above a threshold with some others: the inner loop of the search for neighbours.
//!
//! A score is a product ⟨q, c⟩ plus a number that belongs to c, as in ⟨q, c⟩ − |c|²/2, which is largest for
//! the row nearest to q. Reference rows are packed in [`Panels`], query rows in a [`Group`]; the scores of a
//! panel and a group stay in registers, are compared there, and only those above a threshold come out.
//!
//! Every score is one chain of fused multiply–adds in the columns' order, so that it does not depend on what
//! else is in the panel or the group, and AVX2 and AVX-512 give the same bits.

pub(crate) mod distance;
#[cfg(test)]
mod tests;
mod tile;

use std::ops::Range;

use super::scatter_kernel::Level;
use crate::parallel::for_each;
pub(crate) use tile::{Quad, Score, Sum};
use tile::{Survivors, Tile};

/// Rows of a group at most.
pub(crate) const GROUP: usize = 12;

/// Panels that are worth a job of their own when rows are packed.
const PANELS_A_JOB: usize = 4;

/// Columns that are packed together.
const COLUMNS: usize = 16;

/// What a reference row adds to its scores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own<S> {
    /// What its scores start at: −|c|²/2 when the nearest are sought, 0 for the largest product.
    pub(crate) start: S,
    /// What takes its place when the row is the query and the other one the reference: the same,
    /// but for [`Quad`]s, whose products are less by 128 times the sum of the query row.
    pub(crate) turn: S,
}

impl<S: Sum> Own<S> {
    /// For rows whose products do not depend on which row is the query.
    pub(crate) fn even(start: S) -> Self {
        Self { start, turn: start }
    }
}

/// Reference rows in panels of [`Score::WIDTH`]: column after column, the panel's rows side by side.
#[derive(Debug)]
pub(crate) struct Panels<T: Score> {
    numbers: Vec<T>,
    /// Where the first panel begins, so that it begins with a line of the cache.
    offset: usize,
    own: Vec<Own<T::Sum>>,
    n_columns: usize,
    n_rows: usize,
}

impl<T: Score> Panels<T> {
    /// Room for rows, without any.
    pub(crate) fn new() -> Self {
        Self {
            numbers: Vec::new(),
            offset: 0,
            own: Vec::new(),
            n_columns: 0,
            n_rows: 0,
        }
    }

    /// Bytes of this many packed rows.
    pub(crate) fn bytes(n_rows: usize, n_columns: usize) -> usize {
        let n_rows = n_rows.next_multiple_of(T::WIDTH);
        n_rows * (n_columns * size_of::<T>() + size_of::<Own<T::Sum>>()) + 64
    }

    /// Packs rows in place of those before, in parallel if there are many. `write` writes the row with a
    /// number, and says what the row adds to its scores.
    pub(crate) fn pack(
        &mut self,
        n_rows: usize,
        n_columns: usize,
        write: impl Fn(usize, &mut [T]) -> Own<T::Sum> + Sync,
    ) {
        let (numbers, own) = self.room(n_rows, n_columns);
        let job = PANELS_A_JOB * T::WIDTH;
        let parts = numbers
            .chunks_mut((job * n_columns).max(1))
            .zip(own.chunks_mut(job));
        for_each(parts, |index, (panels, own)| {
            fill(panels, own, index * job..n_rows, &write);
        });
    }

    /// The same on this thread alone.
    pub(crate) fn pack_here(
        &mut self,
        n_rows: usize,
        n_columns: usize,
        write: impl Fn(usize, &mut [T]) -> Own<T::Sum>,
    ) {
        let (numbers, own) = self.room(n_rows, n_columns);
        fill(numbers, own, 0..n_rows, &write);
    }

    /// Room for all panels, with rows that score below everything.
    fn room(&mut self, n_rows: usize, n_columns: usize) -> (&mut [T], &mut [Own<T::Sum>]) {
        (self.n_rows, self.n_columns) = (n_rows, n_columns);
        let size = n_rows.next_multiple_of(T::WIDTH) * n_columns;
        let line = 64 / size_of::<T>();
        self.numbers.resize(size + line, T::ZERO);
        self.offset = self.numbers.as_ptr().align_offset(64).min(line);
        let padding = Own {
            start: T::Sum::LEAST,
            turn: T::Sum::MOST,
        };
        self.own.clear();
        self.own.resize(n_rows.next_multiple_of(T::WIDTH), padding);
        (&mut self.numbers[self.offset..][..size], &mut self.own)
    }

    /// Number of panels.
    pub(crate) fn n_panels(&self) -> usize {
        self.n_rows.div_ceil(T::WIDTH)
    }

    /// What the rows of a panel add to their scores, those that fill it up included.
    fn own(&self, panel: usize) -> &[Own<T::Sum>] {
        &self.own[panel * T::WIDTH..][..T::WIDTH]
    }

    fn panel(&self, panel: usize) -> &[T] {
        let size = T::WIDTH * self.n_columns;
        &self.numbers[self.offset + panel * size..][..size]
    }
}

/// Writes some rows into their panels, and zeros where there are none.
fn fill<T: Score>(
    panels: &mut [T],
    own: &mut [Own<T::Sum>],
    rows: Range<usize>,
    write: &impl Fn(usize, &mut [T]) -> Own<T::Sum>,
) {
    let n_columns = panels.len() / own.len().max(1);
    let mut space = vec![T::ZERO; T::WIDTH * n_columns];
    let panels = panels.chunks_mut((T::WIDTH * n_columns).max(1));
    let firsts = rows.clone().step_by(T::WIDTH);
    for ((own, first), panel) in own.chunks_mut(T::WIDTH).zip(firsts).zip(panels) {
        for (lane, own) in own.iter_mut().enumerate() {
            let target = &mut space[lane * n_columns..][..n_columns];
            if first + lane < rows.end {
                *own = write(first + lane, target);
            } else {
                target.fill(T::ZERO);
            }
        }
        interleave(space.chunks(n_columns.max(1)), panel, T::WIDTH);
    }
}

/// Writes rows side by side, column after column, `width` numbers a column.
fn interleave<'a, T: Score>(
    rows: impl Iterator<Item = &'a [T]> + Clone,
    target: &mut [T],
    width: usize,
) {
    // A few columns at a time, so that what is written stays in the nearest cache.
    let size = COLUMNS * width;
    let whole = target.len() / size;
    for (part, target) in target.chunks_mut(size).enumerate() {
        for (lane, row) in rows.clone().enumerate().take(width) {
            let row = &row[part * COLUMNS..];
            if part < whole
                && let Some(numbers) = row.first_chunk::<COLUMNS>()
            {
                let target = &mut target[..size];
                for (column, &number) in numbers.iter().enumerate() {
                    target[column * width + lane] = number;
                }
            } else {
                for (to, &from) in target[lane..].iter_mut().step_by(width).zip(row) {
                    *to = from;
                }
            }
        }
    }
}

/// Up to [`GROUP`] query rows: column after column, the rows side by side, filled up to 4, 8 or 12.
#[derive(Debug)]
pub(crate) struct Group<T> {
    numbers: Vec<T>,
    width: usize,
    n_rows: usize,
    n_columns: usize,
}

impl<T: Score> Group<T> {
    /// Room for rows, without any.
    pub(crate) fn new() -> Self {
        Self {
            numbers: Vec::new(),
            width: 4,
            n_rows: 0,
            n_columns: 0,
        }
    }

    /// Takes up to [`GROUP`] rows of this many columns in place of those before.
    pub(crate) fn gather<'a>(
        &mut self,
        n_columns: usize,
        rows: impl ExactSizeIterator<Item = &'a [T]> + Clone,
    ) {
        self.n_rows = rows.len().min(GROUP);
        self.n_columns = n_columns;
        self.width = self.n_rows.next_multiple_of(4).max(4);
        self.numbers.clear();
        self.numbers.resize(self.width * n_columns, T::ZERO);
        interleave(rows.take(GROUP), &mut self.numbers, self.width);
    }

    /// Number of rows.
    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }
}

/// Hands every score of the group's rows with rows of some panels to `sink`, as (row of the group, index of
/// the reference row, score), if it is above the group's row's threshold; `sink` answers with the row's new
/// threshold. Panels come in order, and in a panel the group's rows, and in a row the indices.
pub(crate) fn scan<T: Score>(
    panels: &Panels<T>,
    range: Range<usize>,
    group: &Group<T>,
    thresholds: &mut [T::Sum; GROUP],
    mut sink: impl FnMut(usize, usize, T::Sum) -> T::Sum,
) {
    let mut found = Survivors::new();
    let level = Level::detect();
    for panel in range {
        let own = panels.own(panel);
        let tile = Tile {
            panel: panels.panel(panel),
            own,
            group: &group.numbers,
            width: group.width,
            thresholds,
            back: None,
        };
        T::tile(level, &tile, &mut found);
        found.each(group.n_rows, |row, lane, score| {
            if score > thresholds[row] {
                thresholds[row] = sink(row, panel * T::WIDTH + lane, score);
            }
        });
    }
}

/// What a scan in both directions leads to.
pub(crate) trait Pairs<S> {
    /// A reference row scored above the threshold of a row of the group: (row of the group, index of the reference
    /// row, score). The answer is the row's new threshold.
    fn ahead(&mut self, row: usize, place: usize, score: S) -> S;

    /// A row of the group scored above the threshold of a reference row; the answer is the reference row's.
    fn back(&mut self, place: usize, row: usize, score: S) -> S;
}

/// The side of a scan in both directions that the group's rows take as reference rows.
#[derive(Debug)]
pub(crate) struct Both<'a, S> {
    /// What the group's rows add to a product.
    pub(crate) turns: &'a [S; GROUP],
    /// For every index of the panels, padding included: its threshold plus what the row there adds to a
    /// product (its [`Own::turn`]); see [`back_thresholds`].
    pub(crate) thresholds: &'a mut [S],
}

/// Thresholds of all reference rows, in the form of [`Both`].
pub(crate) fn back_thresholds<T: Score>(
    panels: &Panels<T>,
    thresholds: impl Iterator<Item = T::Sum>,
) -> Vec<T::Sum> {
    let mut back = vec![T::Sum::MOST; panels.own.len()];
    for (to, (threshold, own)) in back.iter_mut().zip(thresholds.zip(&panels.own)) {
        *to = threshold.plus(own.turn);
    }
    back
}

/// As [`scan`], but a pair's product serves both rows.
pub(crate) fn scan_both<T: Score>(
    panels: &Panels<T>,
    range: Range<usize>,
    group: &Group<T>,
    thresholds: &mut [T::Sum; GROUP],
    both: &mut Both<'_, T::Sum>,
    pairs: &mut impl Pairs<T::Sum>,
) {
    let mut found = Survivors::new();
    let level = Level::detect();
    for panel in range {
        let own = panels.own(panel);
        let back = &mut both.thresholds[panel * T::WIDTH..][..T::WIDTH];
        let tile = Tile {
            panel: panels.panel(panel),
            own,
            group: &group.numbers,
            width: group.width,
            thresholds,
            back: Some((both.turns, back)),
        };
        T::tile(level, &tile, &mut found);
        found.each(group.n_rows, |row, lane, score| {
            let (place, turn) = (panel * T::WIDTH + lane, both.turns[row]);
            if score > thresholds[row] {
                thresholds[row] = pairs.ahead(row, place, score);
            }
            if score > back[lane].less(turn) {
                let score = score.less(own[lane].turn).plus(turn);
                back[lane] = pairs.back(place, row, score).plus(own[lane].turn);
            }
        });
    }
}
