//! The range of rows from which negative samples are drawn.
//!
//! Negative samples are read at random positions. With many rows these leave the cache of a core, and every read waits for memory. A window of the rows in random order
//! is as random a choice, and stays in the cache.

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
