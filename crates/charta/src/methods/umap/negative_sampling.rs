//! Negative sampling: the random rows that repel the head of an edge.
//!
//! Samples are read from a copy of the coordinates in random order, which is refreshed at least once an epoch: sixteen neighbouring rows of it are sixteen random rows, read at
//! once. With many rows, reads at random positions leave the cache of a core, and each waits for memory. Then a window of the copy is used, another one as
//! the edges of an epoch pass: as random a choice, and it stays in the cache.

use std::sync::atomic::AtomicU32;

use rayon::prelude::*;

use super::edge_forces::Lane;
use super::optimize::{LANES, read};
use crate::random::{permutation, stream};

/// With more rows than these, windows are used.
const MAX_WHOLE: usize = 131_072;
/// Rows of a window, at most.
const WINDOW: usize = 32_768;

/// A range of the rows in random order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    pub(super) start: usize,
    pub(super) n_rows: usize,
}

impl Window {
    /// The window after `done` of an epoch's `n_edges` edges: windows go round once in an epoch, and begin anywhere. With few rows it holds all.
    pub(super) fn of(n_rows: usize, done: usize, n_edges: usize, key: u64) -> Self {
        let n_windows = if n_rows > MAX_WHOLE {
            n_rows.div_ceil(WINDOW)
        } else {
            1
        };
        let turn = done as u64 * n_windows as u64 / n_edges.max(1) as u64;
        let turn = (turn.wrapping_add(key >> 32) % n_windows as u64) as usize;
        let start = turn * n_rows / n_windows;
        Self {
            start,
            n_rows: (turn + 1) * n_rows / n_windows - start,
        }
    }
}

/// The copy of the coordinates from which negative samples are drawn.
pub(super) struct NegativeSamples {
    n_rows: usize,
    width: usize,
    /// One axis after the other, with the first sixteen rows once more at the end.
    coordinates: Vec<f32>,
    /// The slots of the rows.
    rows: Vec<u32>,
}

impl NegativeSamples {
    /// The rows in random order, with the coordinates as they are.
    pub(super) fn new(coordinates: &[AtomicU32], n_rows: usize, width: usize, seed: u64) -> Self {
        let order = permutation(&mut stream(seed, 2), n_rows);
        let rows = (0..n_rows + LANES).map(|spot| order[spot % n_rows] as u32);
        let mut samples = Self {
            n_rows,
            width,
            coordinates: vec![0.0; width * (n_rows + LANES)],
            rows: rows.collect(),
        };
        samples.refresh(coordinates);
        samples
    }

    /// Copies the current coordinates (algorithm 5 of the paper always uses the current ones).
    pub(super) fn refresh(&mut self, coordinates: &[AtomicU32]) {
        let stride = self.n_rows + LANES;
        let (rows, width) = (&self.rows, self.width);
        for (c, column) in self.coordinates.chunks_mut(stride).enumerate() {
            let parts = column.par_chunks_mut(8192).zip(rows.par_chunks(8192));
            parts.for_each(|(column, rows)| {
                for (value, &row) in column.iter_mut().zip(rows) {
                    *value = read(&coordinates[row as usize * width + c]);
                }
            });
        }
    }

    /// Draws sixteen rows of a window by a random number: their coordinates are written, their slots returned.
    #[inline(always)]
    pub(super) fn draw(&self, window: Window, random: u64, coordinates: &mut [Lane]) -> &[u32] {
        let stride = self.n_rows + LANES;
        let spot = window.start + (((random >> 32) * window.n_rows as u64) >> 32) as usize;
        for (c, lane) in coordinates.iter_mut().enumerate() {
            let from = c * stride + spot;
            lane.copy_from_slice(&self.coordinates[from..from + LANES]);
        }
        &self.rows[spot..spot + LANES]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_drawn_from_all() {
        let all = |n_rows| Window { start: 0, n_rows };
        assert_eq!(Window::of(3, 5, 10, 1 << 40), all(3));
        assert_eq!(Window::of(MAX_WHOLE, 5, 10, u64::MAX), all(MAX_WHOLE));
    }

    #[test]
    fn windows_of_many_rows_come_once_in_an_epoch_and_cover_all() {
        let (n_rows, n_edges) = (1_000_003, 6_200);
        for key in [0, 7 << 33, u64::MAX] {
            let mut seen: Vec<_> = (0..n_edges)
                .map(|done| Window::of(n_rows, done, n_edges, key))
                .collect();
            seen.dedup();
            assert!(seen.iter().all(|window| window.n_rows <= WINDOW));
            seen.sort_by_key(|window| window.start);
            let ends = seen.iter().map(|window| window.start + window.n_rows);
            assert!(seen[0].start == 0 && ends.clone().next_back() == Some(n_rows));
            let next = seen.iter().skip(1).map(|window| window.start);
            assert!(next.zip(ends).all(|(start, end)| start == end));
        }
    }
}
