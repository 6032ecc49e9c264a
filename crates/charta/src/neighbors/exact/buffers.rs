//! The best candidates of some rows while they are found.

use std::cmp::Ordering;

use crate::linalg::inner_product_join::Sum;

/// For every row of a block, candidates in no order: those with the highest scores are among them.
#[derive(Debug)]
pub(super) struct Buffers<S> {
    entries: Vec<(S, u32)>,
    lengths: Vec<u32>,
    thresholds: Vec<S>,
    keep: usize,
    capacity: usize,
}

/// The highest score first, then the first index.
fn order<S: Sum>(a: &(S, u32), b: &(S, u32)) -> Ordering {
    let scores = b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal);
    scores.then(a.1.cmp(&b.1))
}

impl<S: Sum> Buffers<S> {
    /// Room for `keep` candidates a row and some more, so that they are seldom sorted out.
    pub(super) fn new(n_rows: usize, keep: usize) -> Self {
        let capacity = Self::capacity(keep);
        Self {
            entries: vec![(S::LEAST, 0); n_rows * capacity],
            lengths: vec![0; n_rows],
            thresholds: vec![S::LEAST; n_rows],
            keep,
            capacity,
        }
    }

    fn capacity(keep: usize) -> usize {
        keep + keep / 2 + 32
    }

    /// Bytes of a row.
    pub(super) fn bytes(keep: usize) -> usize {
        Self::capacity(keep) * size_of::<(S, u32)>() + size_of::<S>() + 4
    }

    /// Adds a candidate of a row; the row's threshold from now on.
    #[inline]
    pub(super) fn push(&mut self, row: usize, index: u32, score: S) -> S {
        let length = self.lengths[row] as usize;
        self.entries[row * self.capacity + length] = (score, index);
        self.lengths[row] += 1;
        if length + 1 == self.capacity {
            self.cut(row);
        }
        self.thresholds[row]
    }

    fn cut(&mut self, row: usize) {
        let entries = &mut self.entries[row * self.capacity..][..self.capacity];
        let (_, last, _) = entries.select_nth_unstable_by(self.keep - 1, order);
        self.thresholds[row] = last.0;
        self.lengths[row] = self.keep as u32;
    }

    /// Writes the best candidates of a row; all other rows score at most the answer.
    pub(super) fn best(&self, row: usize, target: &mut Vec<(S, u32)>) -> S {
        target.clear();
        target.extend(&self.entries[row * self.capacity..][..self.lengths[row] as usize]);
        if target.len() <= self.keep {
            return self.thresholds[row];
        }
        let (_, last, _) = target.select_nth_unstable_by(self.keep - 1, order);
        let threshold = last.0;
        target.truncate(self.keep);
        threshold
    }

    /// The score that rows must exceed.
    pub(super) fn threshold(&self, row: usize) -> S {
        self.thresholds[row]
    }

    /// The thresholds of all rows.
    pub(super) fn thresholds(&self) -> impl Iterator<Item = S> + '_ {
        self.thresholds.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_stay_and_the_threshold_is_the_worst_of_them() {
        let mut buffers = Buffers::<i32>::new(2, 3);
        for index in 0..1000_u32 {
            let score = ((index * 7919) % 1000) as i32;
            if score > buffers.threshold(1) {
                buffers.push(1, index, score);
            }
        }
        let mut best = Vec::new();
        assert_eq!(buffers.best(1, &mut best), 997);
        best.sort_unstable_by_key(|entry| -entry.0);
        assert_eq!(
            best.iter().map(|entry| entry.0).collect::<Vec<_>>(),
            [999, 998, 997]
        );
        assert!(buffers.threshold(1) <= 997 && buffers.threshold(1) > 800);
        assert_eq!(buffers.best(0, &mut best), i32::LEAST);
        assert!(best.is_empty());
    }
}
