//! Who moves when: rows in groups of sixteen that move together, groups in blocks that take turns, and which edges of a row are due
//! in an epoch.
//!
//! An edge of weight w is due with the frequency w / w_max. The weights of a row's edges are laid end to end; a mark that moves on by
//! the golden ratio in every epoch, and the marks at whole distances from it, show which are due. So every edge has its frequency
//! exactly, every row about the same number of steps in all epochs, and nothing has to be remembered.

use super::fuzzy::FuzzyGraph;
use crate::random::{permutation, stream};

/// Rows that move together.
pub(super) const LANES: usize = 16;
/// Rows among which those with about as many steps are put together.
const SORTED: usize = 1024;
/// Blocks that take turns in an epoch.
const BLOCKS: usize = 32;
/// The weight of an edge that is due in every epoch.
const WHOLE: f32 = 65_536.0;
/// What the mark moves on by: 65,536 divided by the golden ratio.
const GOLDEN: u32 = 40_503;
/// A place without a row.
pub(super) const NOBODY: u32 = u32::MAX;

/// The order of moves. A row's place in it is called its slot.
pub(super) struct Schedule {
    /// The row in each slot, or nobody.
    pub(super) row_of: Vec<u32>,
    /// The slot of each row.
    pub(super) slot_of: Vec<u32>,
    /// Groups at which each block begins, and the last ends.
    pub(super) blocks: Vec<usize>,
    /// Where the edges of each slot begin.
    starts: Vec<usize>,
    /// The slots that edges lead to.
    targets: Vec<u32>,
    /// Weights of a slot's edges, summed up to each.
    sums: Vec<u32>,
    /// The first mark of each slot.
    marks: Vec<u32>,
    /// Edges of a slot that are due at once, at most.
    most_due: usize,
}

impl Schedule {
    pub(super) fn new(graph: &FuzzyGraph, seed: u64) -> Self {
        let n = graph.n_rows();
        let (row_of, blocks) = arrange(graph, seed);
        let mut slot_of = vec![0; n];
        for (slot, &row) in row_of.iter().enumerate() {
            if row != NOBODY {
                slot_of[row as usize] = slot as u32;
            }
        }
        let mut schedule = Self {
            starts: Vec::with_capacity(row_of.len() + 1),
            targets: Vec::with_capacity(2 * graph.n_edges()),
            sums: Vec::with_capacity(2 * graph.n_edges()),
            marks: Vec::with_capacity(row_of.len()),
            most_due: 0,
            row_of,
            slot_of,
            blocks,
        };
        schedule.add_edges(graph, seed);
        schedule
    }

    fn add_edges(&mut self, graph: &FuzzyGraph, seed: u64) {
        let unit = WHOLE / graph.largest().max(f32::MIN_POSITIVE);
        self.starts.push(0);
        for &row in &self.row_of {
            if row != NOBODY {
                let (places, weights) = graph.row(row as usize);
                let (mut sum, mut total) = (0u32, 0u64);
                for (&place, &weight) in places.iter().zip(weights) {
                    let whole = (weight * unit).round().clamp(0.0, WHOLE) as u32;
                    // Only the last sixteen bits count, and those survive.
                    sum = sum.wrapping_add(whole);
                    total += u64::from(whole);
                    self.targets.push(self.slot_of[place as usize]);
                    self.sums.push(sum);
                }
                self.most_due = self.most_due.max((total >> 16) as usize + 2);
            }
            self.marks.push((mix(seed ^ u64::from(row)) >> 48) as u32);
            self.starts.push(self.targets.len());
        }
    }

    pub(super) fn n_slots(&self) -> usize {
        self.row_of.len()
    }

    /// Room for the edges that are due.
    pub(super) fn room(&self) -> Vec<[u32; LANES]> {
        vec![[0; LANES]; self.most_due + 1]
    }

    /// Puts the edges of a group that are due into `due`, a column for each row, and says how many each has.
    pub(super) fn due(&self, group: usize, epoch: u32, due: &mut [[u32; LANES]]) -> [usize; LANES] {
        let mut counts = [0; LANES];
        for (lane, count) in counts.iter_mut().enumerate() {
            let slot = group * LANES + lane;
            let mark = (self.marks[slot].wrapping_add(epoch.wrapping_mul(GOLDEN))) & 0xffff;
            let range = self.starts[slot]..self.starts[slot + 1];
            let mut before = 0u32.wrapping_sub(mark) >> 16;
            for (&sum, &target) in self.sums[range.clone()].iter().zip(&self.targets[range]) {
                let reached = sum.wrapping_sub(mark) >> 16;
                due[*count][lane] = target;
                *count += usize::from(reached != before);
                before = reached;
            }
        }
        counts
    }
}

/// The row of each slot, and where the blocks of groups begin.
fn arrange(graph: &FuzzyGraph, seed: u64) -> (Vec<u32>, Vec<usize>) {
    let n = graph.n_rows();
    let mut rows: Vec<u32> = permutation(&mut stream(seed, 1), n)
        .into_iter()
        .map(|row| row as u32)
        .collect();
    let degrees = graph.degrees();
    for part in rows.chunks_mut(SORTED) {
        part.sort_by(|&a, &b| {
            let by_degree = degrees[b as usize].total_cmp(&degrees[a as usize]);
            by_degree.then(a.cmp(&b))
        });
    }
    let n_groups = n.div_ceil(LANES);
    rows.resize(n_groups * LANES, NOBODY);
    let n_blocks = BLOCKS.min(n_groups);
    let mut row_of = Vec::with_capacity(rows.len());
    let mut blocks = vec![0];
    for block in 0..n_blocks {
        for group in (block..n_groups).step_by(n_blocks) {
            row_of.extend_from_slice(&rows[group * LANES..(group + 1) * LANES]);
        }
        blocks.push(row_of.len() / LANES);
    }
    (row_of, blocks)
}

/// A number that looks random, from any number: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
#[inline(always)]
pub(crate) fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_is_due_as_often_as_its_weight_says() {
        let n = 75;
        let rows: Vec<Vec<(u32, f32)>> = (0..n)
            .map(|i| {
                let mut row: Vec<(u32, f32)> = [1, 3]
                    .iter()
                    .flat_map(|&step| [(i + step) % n, (i + n - step) % n])
                    .map(|j: u32| (j, 0.2 + 0.8 * ((i + j) % 5) as f32 / 4.0))
                    .collect();
                row.sort_by_key(|entry| entry.0);
                row
            })
            .collect();
        let graph = FuzzyGraph::from_rows(rows);
        let schedule = Schedule::new(&graph, 3);
        assert_eq!(schedule.n_slots(), 80);
        assert_eq!(schedule.blocks.last(), Some(&5));
        let epochs = 1000;
        let mut due = schedule.room();
        let mut seen = std::collections::HashMap::new();
        for epoch in 0..epochs {
            for group in 0..5 {
                let counts = schedule.due(group, epoch, &mut due);
                for (lane, &count) in counts.iter().enumerate() {
                    let row = schedule.row_of[group * LANES + lane];
                    for entry in &due[..count] {
                        let other = schedule.row_of[entry[lane] as usize];
                        *seen.entry((row, other)).or_insert(0) += 1;
                    }
                }
            }
        }
        for row in 0..n as usize {
            let (places, weights) = graph.row(row);
            for (place, weight) in places.iter().zip(weights) {
                let times = seen[&(row as u32, *place)];
                let want = weight * epochs as f32;
                assert!((times as f32 - want).abs() < 4.0, "{times} {want}");
            }
        }
    }
}
