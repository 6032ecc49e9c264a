//! Shortest paths from several rows at once, for rows that lie close together.
//!
//! The paths of such rows reach the others in nearly the same order. One Dijkstra search gives that order;
//! then rows are brought up to date in it, from all their edges and for all sources in one go, until no row
//! has a neighbour that changed. Shortest lengths are the only numbers that no edge can lower, and rounding
//! keeps the order of sums: so these are, to the last bit, the lengths that single searches find.

use super::shortest_paths::{Paths, Shortest};

/// Sources in one go.
pub(super) const LANES: usize = 16;

pub(super) struct Together<'a> {
    paths: &'a Paths,
    /// The lengths to each row, by the rows' new numbers.
    pub(super) lengths: Vec<[f64; LANES]>,
    /// Rows with a neighbour that changed since they were looked at.
    waiting: Vec<bool>,
    order: Vec<u64>,
    guide: Shortest<'a>,
}

impl<'a> Together<'a> {
    pub(super) fn new(paths: &'a Paths) -> Self {
        Self {
            paths,
            lengths: vec![[f64::INFINITY; LANES]; paths.n_rows()],
            waiting: vec![false; paths.n_rows()],
            order: Vec::with_capacity(paths.n_rows()),
            guide: paths.search(),
        }
    }

    /// Finds the lengths from up to this many sources, given by their new numbers.
    pub(super) fn start(&mut self, sources: &[u32]) {
        let middle = sources[sources.len() / 2];
        self.guide.start_at([(middle, 0.0)]);
        self.guide.order(&mut self.order);
        self.lengths.fill([f64::INFINITY; LANES]);
        self.waiting.fill(false);
        for (lane, &source) in sources.iter().enumerate() {
            self.lengths[source as usize][lane] = 0.0;
        }
        for &source in sources {
            self.wake(source as usize);
        }
        while self.sweep() {}
    }

    /// Brings every waiting row up to date; false if there was none.
    fn sweep(&mut self) -> bool {
        let mut any = false;
        for index in 0..self.order.len() {
            let row = self.order[index] as u32 as usize;
            if self.waiting[row] {
                any = true;
                self.waiting[row] = false;
                if self.update(row) {
                    self.wake(row);
                }
            }
        }
        any
    }

    fn update(&mut self, row: usize) -> bool {
        let before = self.lengths[row];
        let mut best = before;
        for &(target, edge) in self.paths.edges_of(row) {
            let there = &self.lengths[target as usize];
            for (best, there) in best.iter_mut().zip(there) {
                let length = there + edge;
                *best = if length < *best { length } else { *best };
            }
        }
        self.lengths[row] = best;
        // Without a way out early, so that all sources are compared in one go.
        let pairs = best.iter().zip(&before);
        pairs.fold(false, |changed, (best, before)| changed | (best < before))
    }

    fn wake(&mut self, row: usize) {
        for &(target, _) in self.paths.edges_of(row) {
            self.waiting[target as usize] = true;
        }
    }
}
