//! Candidates: for each row those that score best among the rows of the cells it looks into.

use ndarray::{Array2, ArrayView2};

use super::cells::{Cells, NONE, Packed, Packing};
use crate::linalg::inner_product_join::distance::Measure;
use crate::linalg::inner_product_join::{GROUP, Group, Panels, Quad, Score, scan};

/// Keys beyond twice those that count before the rest is cut off.
const SPARE: usize = 16;

/// How much work is put into a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Effort {
    /// A row looks into the cells whose score is at most so much below that of the best.
    pub(super) margin: f32,
    /// But at most into this many.
    pub(super) n_cells: usize,
    /// And only into those so many that are nearest to its own.
    pub(super) n_near: usize,
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

/// Numbers that rows are packed in, and scores as real numbers.
trait Number: Score {
    fn real(score: Self::Sum) -> f32;

    fn bound(threshold: f32) -> Self::Sum;
}

impl Number for f32 {
    fn real(score: f32) -> f32 {
        score
    }

    fn bound(threshold: f32) -> f32 {
        threshold
    }
}

impl Number for Quad {
    fn real(score: i32) -> f32 {
        score as f32
    }

    fn bound(threshold: f32) -> i32 {
        threshold as i32
    }
}

/// Takes rows into a group that looks into a cell, and says what their scores there are too high by.
trait Gather<T>: FnMut(&mut Group<T>, u32, &[u32]) -> [f32; GROUP] {}
impl<T, F: FnMut(&mut Group<T>, u32, &[u32]) -> [f32; GROUP]> Gather<T> for F {}

/// In centred cells, −|q − c|²/2 = ⟨q − m, c − m⟩ − |c − m|²/2 − |q − m|²/2 with the centre m; only the last part belongs to the guest.
fn centred<'a>(cells: &'a Cells, own: &'a [f32], width: usize) -> impl Gather<f32> + 'a {
    let mut space = vec![0.0; GROUP * width];
    move |group: &mut Group<f32>, cell: u32, visitors: &[u32]| {
        let mut offsets = [0.0; GROUP];
        let centre = cells.centres.rows.row(cell as usize);
        for (lane, (target, &local)) in space.chunks_mut(width).zip(visitors).enumerate() {
            let row = &own[local as usize * width..][..width];
            for ((to, y), m) in target.iter_mut().zip(row).zip(centre) {
                *to = y - m;
            }
            offsets[lane] = (f32::product_wide(target, target) / 2.0) as f32;
        }
        group.gather(width, space.chunks(width).take(visitors.len()));
        offsets
    }
}

/// Elsewhere rows go as they are.
fn plain<T: Score>(own: &[T], width: usize) -> impl Gather<T> {
    move |group: &mut Group<T>, _: u32, visitors: &[u32]| {
        let rows = (visitors.iter()).map(|&local| &own[local as usize * width..][..width]);
        group.gather(width, rows);
        [0.0; GROUP]
    }
}

/// The candidates of rows that are near each other: if not all cells are looked into, of one cell.
pub(super) fn candidates(
    cells: &Cells,
    projected: &ArrayView2<'_, f32>,
    rows: &[u32],
    effort: Effort,
) -> Lists {
    let numbers: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
    let own = projected.select(ndarray::Axis(0), &numbers);
    let job = Job {
        cells,
        rows,
        visits: visits(cells, rows, &own, effort),
        n_candidates: effort.n_candidates,
    };
    let own = own.as_slice().expect("selected rows are in row order");
    let width = projected.ncols();
    match (&cells.packed, cells.packing) {
        (Packed::Reals(panels), Packing::Centred) => job.lists(panels, centred(cells, own, width)),
        (Packed::Reals(panels), _) => job.lists(panels, plain(own, width)),
        (Packed::Bytes(panels, steps), _) => {
            job.lists(panels, plain(&steps.query(own), steps.n_quads()))
        }
    }
}

/// Rows and the cells that they look into.
struct Job<'a> {
    cells: &'a Cells,
    rows: &'a [u32],
    visits: Vec<(u32, Vec<u32>)>,
    n_candidates: usize,
}

impl Job<'_> {
    fn lists<T: Number>(&self, panels: &Panels<T>, mut gather: impl Gather<T>) -> Lists {
        let (cells, rows) = (self.cells, self.rows);
        let mut best: Vec<Best> = (rows.iter())
            .map(|_| Best::new(self.n_candidates))
            .collect();
        let mut group = Group::new();
        for (cell, visitors) in &self.visits {
            for visitors in visitors.chunks(GROUP) {
                let offsets = gather(&mut group, *cell, visitors);
                let mut thresholds = [T::bound(f32::INFINITY); GROUP];
                for (lane, &local) in visitors.iter().enumerate() {
                    thresholds[lane] = T::bound(best[local as usize].threshold + offsets[lane]);
                }
                let range = cells.range(*cell as usize);
                let sink = |lane: usize, slot: usize, score: T::Sum| {
                    let local = visitors[lane] as usize;
                    let (best, row) = (&mut best[local], cells.slots[slot]);
                    if row != rows[local] && row != NONE {
                        best.take(T::real(score) - offsets[lane], row);
                    }
                    T::bound(best.threshold + offsets[lane])
                };
                scan(panels, range, &group, &mut thresholds, sink);
            }
        }
        best.into_iter().map(Best::sorted).collect()
    }
}

/// The cells that rows look into, with those rows: cells with the most rows first, so that thresholds rise
/// early.
fn visits(cells: &Cells, rows: &[u32], own: &Array2<f32>, effort: Effort) -> Vec<(u32, Vec<u32>)> {
    let home = rows.first().map(|&row| cells.homes[row as usize] as usize);
    let near = home.and_then(|home| near(cells, home, effort));
    let (scores, numbers) = match near {
        Some(near) => (cells.centres.some(&near).scores(&own.view()), near),
        None => {
            let all = (0..cells.centres.count() as u32).collect();
            (cells.centres.scores(&own.view()), all)
        }
    };
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut keys = Vec::new();
    for (local, scores) in scores.rows().into_iter().enumerate() {
        let scores = scores.to_slice().expect("scores are in row order");
        choose(cells, scores, &numbers, effort, &mut keys);
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

/// The cells that the rows of one cell may look into; `None` if these are all, or the others are needed for enough candidates.
fn near(cells: &Cells, home: usize, effort: Effort) -> Option<Vec<u32>> {
    if effort.n_near >= cells.centres.count() {
        return None;
    }
    let near = cells.centres.near(home, effort.n_near);
    let n_rows: usize = near.iter().map(|&cell| cells.size(cell as usize)).sum();
    (n_rows > effort.n_candidates).then_some(near)
}

/// The cells that a row looks into, as keys: enough for all its candidates. They come with their scores.
fn choose(cells: &Cells, scores: &[f32], numbers: &[u32], effort: Effort, chosen: &mut Vec<u64>) {
    let most = (scores.iter()).fold(f32::NEG_INFINITY, |most, &score| most.max(score));
    let least = most - effort.margin;
    let numbered = scores.iter().zip(numbers.iter().copied());
    let keys = numbered.clone().filter(|entry| *entry.0 >= least);
    chosen.clear();
    chosen.extend(keys.map(|(&score, cell)| key(score, cell)));
    if chosen.len() > effort.n_cells {
        chosen.select_nth_unstable(effort.n_cells - 1);
        chosen.truncate(effort.n_cells);
    }
    let size = |key: u64| cells.size(row_of(key) as usize);
    let mut n_rows: usize = chosen.iter().map(|&key| size(key)).sum();
    if n_rows <= effort.n_candidates && chosen.len() < scores.len() {
        let mut all: Vec<u64> = numbered.map(|(&score, cell)| key(score, cell)).collect();
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
