//! Candidates: for each row those that score best among the rows of the cells it looks into.

use ndarray::{Array2, ArrayView2};

use super::cells::{Cells, NONE};
use crate::linalg::scores::{GROUP, Group, scan};

/// How much work is put into a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Effort {
    /// A row looks into the cells whose score is at most so much below that of the best.
    pub(super) margin: f32,
    /// But at most into so many.
    pub(super) n_cells: usize,
    /// Candidates that are kept.
    pub(super) n_candidates: usize,
}

/// The candidates of some rows, best first, each as a key: see [`key`].
pub(super) type Lists = Vec<Vec<u64>>;

/// A number that is smaller for better scores, then for smaller rows.
pub(super) fn key(score: f32, row: u32) -> u64 {
    let bits = score.to_bits();
    let rising = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(!rising) << 32 | u64::from(row)
}

/// The score in a key.
pub(super) fn score_of(key: u64) -> f32 {
    let rising = !((key >> 32) as u32);
    f32::from_bits(if rising >> 31 == 1 { rising & !(1 << 31) } else { !rising })
}

/// The row in a key.
pub(super) fn row_of(key: u64) -> u32 {
    key as u32
}

/// Keys of which the best few count.
struct Best {
    keys: Vec<u64>,
    count: usize,
    threshold: f32,
}

impl Best {
    fn new(count: usize) -> Self {
        Self {
            keys: Vec::with_capacity(2 * count + 48),
            count,
            threshold: f32::NEG_INFINITY,
        }
    }

    fn take(&mut self, score: f32, row: u32) {
        self.keys.push(key(score, row));
        if self.keys.len() >= 2 * self.count + 48 {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.keys.len() > self.count {
            let (_, &mut last, _) = self.keys.select_nth_unstable(self.count - 1);
            self.keys.truncate(self.count);
            self.threshold = score_of(last);
        }
    }

    fn sorted(mut self) -> Vec<u64> {
        self.cut();
        self.keys.sort_unstable();
        self.keys
    }
}

/// The candidates of rows that are near each other.
pub(super) fn candidates(
    cells: &Cells,
    projected: &ArrayView2<'_, f32>,
    rows: &[u32],
    effort: Effort,
) -> Lists {
    let numbers: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
    let own = projected.select(ndarray::Axis(0), &numbers);
    let visits = visits(cells, &own, effort);
    let mut best: Vec<Best> = (rows.iter())
        .map(|_| Best::new(effort.n_candidates))
        .collect();
    let mut group = Group::new();
    let own = own.as_slice().unwrap_or(&[]);
    let width = projected.ncols();
    for (cell, visitors) in visits {
        for visitors in visitors.chunks(GROUP) {
            let values = visitors
                .iter()
                .map(|&local| &own[local as usize * width..][..width]);
            group.gather(width, values);
            let mut thresholds = [f32::INFINITY; GROUP];
            for (threshold, &local) in thresholds.iter_mut().zip(visitors) {
                *threshold = best[local as usize].threshold;
            }
            scan(
                &cells.panels,
                cells.range(cell as usize),
                &group,
                &mut thresholds,
                |lane, slot, score| {
                    let local = visitors[lane] as usize;
                    let (best, row) = (&mut best[local], cells.slots[slot]);
                    if row != rows[local] && row != NONE {
                        best.take(score, row);
                    }
                    best.threshold
                },
            );
        }
    }
    best.into_iter().map(Best::sorted).collect()
}

/// The cells that rows look into, with those rows: cells with the most rows first, so that thresholds rise
/// early.
fn visits(cells: &Cells, own: &Array2<f32>, effort: Effort) -> Vec<(u32, Vec<u32>)> {
    let scores = cells.centres.scores(&own.view());
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut space = Vec::new();
    for (local, scores) in scores.rows().into_iter().enumerate() {
        let scores = scores.to_slice().unwrap_or(&[]);
        chosen(cells, scores, effort, &mut space);
        pairs.extend(space.iter().map(|&(_, cell)| (cell, local as u32)));
    }
    pairs.sort_unstable();
    let mut visits: Vec<(u32, Vec<u32>)> = pairs
        .chunk_by(|a, b| a.0 == b.0)
        .map(|group| (group[0].0, group.iter().map(|pair| pair.1).collect()))
        .collect();
    visits.sort_by_key(|(cell, visitors)| (usize::MAX - visitors.len(), *cell));
    visits
}

/// The cells that a row looks into, with their scores: enough for all its candidates.
fn chosen(cells: &Cells, scores: &[f32], effort: Effort, chosen: &mut Vec<(f32, u32)>) {
    let most = scores.iter().fold(f32::NEG_INFINITY, |most, &s| most.max(s));
    let least = most - effort.margin;
    chosen.clear();
    for (cell, &score) in scores.iter().enumerate() {
        if score >= least {
            chosen.push((score, cell as u32));
        }
    }
    if chosen.len() > effort.n_cells {
        chosen.select_nth_unstable_by(effort.n_cells - 1, better);
        chosen.truncate(effort.n_cells);
    }
    let size = |cell: u32| cells.size(cell as usize);
    let mut n_rows: usize = chosen.iter().map(|&(_, cell)| size(cell)).sum();
    if n_rows <= effort.n_candidates && chosen.len() < scores.len() {
        let mut all: Vec<(f32, u32)> = scores.iter().copied().zip(0..).collect();
        all.sort_unstable_by(better);
        for entry in all.into_iter().skip(chosen.len()) {
            if n_rows > effort.n_candidates {
                break;
            }
            n_rows += size(entry.1);
            chosen.push(entry);
        }
    }
}

fn better(a: &(f32, u32), b: &(f32, u32)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_scores_and_give_them_back() {
        let scores = [f32::INFINITY, 3.5, 1e-20, 0.0, -1e-20, -2.0, f32::NEG_INFINITY];
        for pair in scores.windows(2) {
            assert!(key(pair[0], 9) < key(pair[1], 3));
        }
        for score in scores {
            assert!(key(score, 3) < key(score, 9));
            assert_eq!(score_of(key(score, 7)), score);
            assert_eq!(row_of(key(score, 7)), 7);
        }
    }
}
