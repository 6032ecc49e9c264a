//! Candidates: for each row those that score best among the rows of the cells it looks into.

use ndarray::{Array2, ArrayView2};

use super::cells::{Cells, NONE};
use crate::linalg::scores::distance::Measure;
use crate::linalg::scores::{GROUP, Group, scan};

/// Keys beyond twice those that count before the rest is cut off.
const SPARE: usize = 16;

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
    let rising = if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    };
    u64::from(!rising) << 32 | u64::from(row)
}

/// The score in a key.
pub(super) fn score_of(key: u64) -> f32 {
    let rising = !((key >> 32) as u32);
    f32::from_bits(if rising >> 31 == 1 {
        rising & !(1 << 31)
    } else {
        !rising
    })
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
            keys: Vec::with_capacity(2 * count + SPARE),
            count,
            threshold: f32::NEG_INFINITY,
        }
    }

    fn take(&mut self, score: f32, row: u32) {
        self.keys.push(key(score, row));
        if self.keys.len() >= 2 * self.count + SPARE {
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

/// Rows in a cell that they look into.
struct Guests {
    group: Group<f32>,
    /// What their scores there are too high by.
    offsets: [f32; GROUP],
    space: Vec<f32>,
    width: usize,
}

impl Guests {
    fn new(width: usize) -> Self {
        Self {
            group: Group::new(),
            offsets: [0.0; GROUP],
            space: vec![0.0; GROUP * width],
            width,
        }
    }

    /// Takes rows of `own`. In centred cells, −|q − c|²/2 = ⟨q − m, c − m⟩ − |c − m|²/2 − |q − m|²/2 with
    /// the centre m; only the last part belongs to the guest.
    fn gather(&mut self, cells: &Cells, cell: usize, visitors: &[u32], own: &[f32]) {
        let width = self.width;
        let rows = (visitors.iter()).map(|&local| &own[local as usize * width..][..width]);
        if !cells.centred {
            self.group.gather(width, rows);
            return;
        }
        for (lane, (target, row)) in self.space.chunks_mut(width).zip(rows).enumerate() {
            for ((to, y), m) in target.iter_mut().zip(row).zip(cells.centres.rows.row(cell)) {
                *to = y - m;
            }
            self.offsets[lane] = (f32::product_wide(target, target) / 2.0) as f32;
        }
        self.group
            .gather(width, self.space.chunks(width).take(visitors.len()));
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
    let own = own.as_slice().unwrap_or(&[]);
    let width = projected.ncols();
    let mut guests = Guests::new(width);
    for (cell, visitors) in visits {
        for visitors in visitors.chunks(GROUP) {
            guests.gather(cells, cell as usize, visitors, own);
            let offsets = guests.offsets;
            let mut thresholds = [f32::INFINITY; GROUP];
            for (lane, &local) in visitors.iter().enumerate() {
                thresholds[lane] = best[local as usize].threshold + offsets[lane];
            }
            let range = cells.range(cell as usize);
            let sink = |lane: usize, slot: usize, score: f32| {
                let local = visitors[lane] as usize;
                let (best, row) = (&mut best[local], cells.slots[slot]);
                if row != rows[local] && row != NONE {
                    best.take(score - offsets[lane], row);
                }
                best.threshold + offsets[lane]
            };
            scan(&cells.panels, range, &guests.group, &mut thresholds, sink);
        }
    }
    best.into_iter().map(Best::sorted).collect()
}

/// The cells that rows look into, with those rows: cells with the most rows first, so that thresholds rise
/// early.
fn visits(cells: &Cells, own: &Array2<f32>, effort: Effort) -> Vec<(u32, Vec<u32>)> {
    let scores = cells.centres.scores(&own.view());
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut keys = Vec::new();
    for (local, scores) in scores.rows().into_iter().enumerate() {
        choose(cells, scores.to_slice().unwrap_or(&[]), effort, &mut keys);
        pairs.extend(keys.iter().map(|&key| (row_of(key), local as u32)));
    }
    pairs.sort_unstable();
    let mut visits: Vec<(u32, Vec<u32>)> = pairs
        .chunk_by(|a, b| a.0 == b.0)
        .map(|group| (group[0].0, group.iter().map(|pair| pair.1).collect()))
        .collect();
    visits.sort_by_key(|(cell, visitors)| (usize::MAX - visitors.len(), *cell));
    visits
}

/// The cells that a row looks into, as keys: enough for all its candidates.
fn choose(cells: &Cells, scores: &[f32], effort: Effort, chosen: &mut Vec<u64>) {
    let most = (scores.iter()).fold(f32::NEG_INFINITY, |most, &score| most.max(score));
    let least = most - effort.margin;
    let keys = (scores.iter().zip(0..)).map(|(&score, cell)| key(score, cell));
    chosen.clear();
    chosen.extend(keys.clone().filter(|&key| score_of(key) >= least));
    if chosen.len() > effort.n_cells {
        chosen.select_nth_unstable(effort.n_cells - 1);
        chosen.truncate(effort.n_cells);
    }
    let size = |key: u64| cells.size(row_of(key) as usize);
    let mut n_rows: usize = chosen.iter().map(|&key| size(key)).sum();
    if n_rows <= effort.n_candidates && chosen.len() < scores.len() {
        let mut all: Vec<u64> = keys.collect();
        all.sort_unstable();
        for key in all.into_iter().skip(chosen.len()) {
            if n_rows > effort.n_candidates {
                break;
            }
            n_rows += size(key);
            chosen.push(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_scores_and_give_them_back() {
        let scores = [
            f32::INFINITY,
            3.5,
            1e-20,
            0.0,
            -1e-20,
            -2.0,
            f32::NEG_INFINITY,
        ];
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
