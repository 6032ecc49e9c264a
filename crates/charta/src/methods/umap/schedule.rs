//! The order in which edges are updated, so that any number of threads gives the same bits.
//!
//! Rows are stored in slots along the Morton curve through their initial coordinates, and slots are cut into blocks. A job holds the edges within a block,
//! or those between two blocks; jobs that have no block in common make up a phase, and run in parallel. So threads synchronize a few dozen times in an
//! epoch, and what a job touches stays in the cache of its core.
//!
//! Within a job edges go in rounds: in a round no two share a row, so that sixteen can move both of their ends at once. They take, one after the
//! other, the first round in which both of their rows are still free. What finds no place in the first rounds, at rows with very many neighbours,
//! comes last.
//!
//! An edge of weight w is sampled with the frequency w / w_max: a random initial phase advances by the weight in every epoch, and
//! the edge is due when the phase passes a whole number.

use std::ops::Range;

use ndarray::Array2;
use rayon::prelude::*;

use super::fuzzy_graph::FuzzyGraph;
use crate::morton::spatial_order;
use crate::random::{permutation, stream};

/// Rounds of a job, at most: as many as there are bits to remember a row's.
const ROUNDS: usize = 128;
/// The round of edges that found none: they may share rows with each other.
pub(super) const NO_ROUND: u32 = ROUNDS as u32;
/// The weight of an edge that is due in every epoch.
pub(super) const WHOLE: f32 = 65_536.0;
/// There are about this many blocks, unless they would be too small or too large.
const BLOCKS: usize = 16;
/// Slots of a block, at least and at most.
const MIN_BLOCK: usize = 256;
const MAX_BLOCK: usize = 4096;
/// More slots in a block rather than more blocks than this.
const MOST_BLOCKS: usize = 512;
/// No phase has more than this part of all edges: otherwise rows would follow their neighbours within the block first, and the others
/// later, which distorts the embedding.
const PARTS: usize = 16;
/// Streams of the orders in which edges take their rounds come after those of the layout.
const ORDERS: u64 = 1 << 32;

/// An edge, its weight and when it is due.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Edge {
    /// The slots of its two rows.
    pub(super) slots: [u32; 2],
    /// Its weight, of 65,536.
    pub(super) weight: u32,
    /// Its initial phase in the lower 16 bits, its round in the upper ones.
    phase_and_round: u32,
}

impl Edge {
    fn new(slots: [u32; 2], weight: f32, seed: u64) -> Self {
        let drawn = mix(seed ^ mix((u64::from(slots[0]) << 32) | u64::from(slots[1])));
        // Which end is the head is random too.
        let slots = match drawn >> 63 {
            0 => slots,
            _ => [slots[1], slots[0]],
        };
        Self {
            slots,
            weight: weight.round().clamp(0.0, WHOLE) as u32,
            phase_and_round: (drawn & 0xffff) as u32,
        }
    }

    /// Whether it is due.
    #[inline(always)]
    pub(super) fn is_due(&self, epoch: u32) -> bool {
        let phase = self
            .phase_and_round
            .wrapping_add(epoch.wrapping_mul(self.weight))
            & 0xffff;
        phase + self.weight >= 0x1_0000
    }

    /// Its round within the job.
    #[inline(always)]
    pub(super) fn round(&self) -> u32 {
        self.phase_and_round >> 16
    }
}

/// The order in which rows are stored during the optimization.
pub(super) struct Slots {
    /// The row of each slot.
    pub(super) row_of: Vec<u32>,
    /// The slot of each row.
    pub(super) slot_of: Vec<u32>,
}

impl Slots {
    /// Slots in Morton order: rows with nearby coordinates get nearby slots.
    pub(super) fn along(coordinates: &Array2<f64>) -> Self {
        let coordinate = |row: usize, axis: usize| {
            let value = coordinates.get((row, axis)).copied().unwrap_or(0.0);
            value as f32
        };
        let pairs: Vec<[f32; 2]> = (0..coordinates.nrows())
            .map(|row| [coordinate(row, 0), coordinate(row, 1)])
            .collect();
        let (row_of, _) = spatial_order(&pairs);
        let mut slot_of = vec![0; row_of.len()];
        for (slot, &row) in row_of.iter().enumerate() {
            slot_of[row as usize] = slot as u32;
        }
        Self { row_of, slot_of }
    }
}

/// The edges of a graph, each once, in jobs and phases.
pub(super) struct Schedule {
    edges: Vec<Edge>,
    /// The jobs of each phase, as ranges of edges.
    phases: Vec<Vec<Range<usize>>>,
}

impl Schedule {
    /// The schedule of a graph.
    pub(super) fn of(graph: &FuzzyGraph, slots: &Slots, seed: u64) -> Self {
        let n_rows = graph.n_rows();
        let size = (n_rows / BLOCKS).clamp(MIN_BLOCK, MAX_BLOCK);
        let size = size.max(n_rows.div_ceil(MOST_BLOCKS));
        let plan = Plan {
            graph,
            slots,
            size,
            unit: WHOLE / graph.largest().max(f32::MIN_POSITIVE),
            seed,
        };
        let n_blocks = n_rows.div_ceil(size);
        let counts: Vec<Vec<usize>> = (0..n_blocks)
            .into_par_iter()
            .map(|block| plan.counts(block, n_blocks))
            .collect();
        let mut edges = vec![Edge::default(); counts.iter().flatten().sum()];
        let mut parts = Vec::with_capacity(n_blocks);
        let mut left = edges.as_mut_slice();
        for (block, counts) in counts.iter().enumerate() {
            let (part, rest) = left.split_at_mut(counts.iter().sum());
            parts.push((block, counts, part));
            left = rest;
        }
        parts
            .into_par_iter()
            .for_each(|(block, counts, part)| plan.fill(block, counts, part));
        let phases = in_turns(&in_phases(&counts), edges.len().div_ceil(PARTS).max(1));
        Self { edges, phases }
    }

    /// The number of edges.
    pub(super) fn n_edges(&self) -> usize {
        self.edges.len()
    }

    /// The phases in order, each with its jobs.
    pub(super) fn phases(&self) -> impl Iterator<Item = &[Range<usize>]> {
        self.phases.iter().map(Vec::as_slice)
    }

    /// The edges of a job.
    pub(super) fn edges(&self, job: &Range<usize>) -> &[Edge] {
        &self.edges[job.clone()]
    }
}

/// The graph and how it is cut into jobs.
struct Plan<'a> {
    graph: &'a FuzzyGraph,
    slots: &'a Slots,
    /// Slots of a block.
    size: usize,
    unit: f32,
    seed: u64,
}

impl Plan<'_> {
    /// Does `work` with the edges from the slots of a block to later slots.
    fn each(&self, block: usize, mut work: impl FnMut([u32; 2], f32)) {
        let n_rows = self.graph.n_rows();
        for slot in block * self.size..((block + 1) * self.size).min(n_rows) {
            let (neighbors, weights) = self.graph.row(self.slots.row_of[slot] as usize);
            for (&neighbor, &weight) in neighbors.iter().zip(weights) {
                let other = self.slots.slot_of[neighbor as usize];
                if other as usize > slot {
                    work([slot as u32, other], weight);
                }
            }
        }
    }

    /// How many edges a block shares with itself and each later one.
    fn counts(&self, block: usize, n_blocks: usize) -> Vec<usize> {
        let mut counts = vec![0; n_blocks - block];
        self.each(block, |[_, other], _| {
            counts[other as usize / self.size - block] += 1;
        });
        counts
    }

    /// Writes the jobs of a block, one after the other.
    fn fill(&self, block: usize, counts: &[usize], edges: &mut [Edge]) {
        let mut next: Vec<usize> = counts
            .iter()
            .scan(0, |end, count| {
                *end += count;
                Some(*end - count)
            })
            .collect();
        self.each(block, |slots, weight| {
            let next = &mut next[slots[1] as usize / self.size - block];
            edges[*next] = Edge::new(slots, weight * self.unit, self.seed);
            *next += 1;
        });
        let mut rounds = Rounds::new(self.size);
        let mut left = edges;
        for (index, &count) in counts.iter().enumerate() {
            let (job, rest) = left.split_at_mut(count);
            let other = block + index;
            let key = ORDERS + (block * MOST_BLOCKS + other) as u64;
            let order = permutation(&mut stream(self.seed, key), job.len());
            rounds.arrange(job, [block * self.size, other * self.size], order);
            left = rest;
        }
    }
}

/// Gives the edges of jobs their rounds.
struct Rounds {
    size: usize,
    /// The rounds that each slot of the two blocks has taken.
    taken: Vec<u128>,
    sorted: Vec<Edge>,
}

impl Rounds {
    fn new(size: usize) -> Self {
        Self {
            size,
            taken: vec![0; 2 * size],
            sorted: Vec::new(),
        }
    }

    /// Gives the edges of a job their rounds, in a random order, and sorts them by these; `starts` are the first slots of its blocks.
    fn arrange(&mut self, edges: &mut [Edge], starts: [usize; 2], order: Vec<usize>) {
        let size = self.size;
        let local = |slot: u32| match slot as usize {
            slot if slot < starts[0] + size => slot - starts[0],
            slot => size + slot - starts[1],
        };
        let mut ends = [0; ROUNDS + 2];
        for index in order {
            let [a, b] = edges[index].slots.map(local);
            let round = (self.taken[a] | self.taken[b]).trailing_ones();
            if (round as usize) < ROUNDS {
                self.taken[a] |= 1 << round;
                self.taken[b] |= 1 << round;
            }
            edges[index].phase_and_round |= round << 16;
            ends[round as usize + 1] += 1;
        }
        for round in 0..=ROUNDS {
            ends[round + 1] += ends[round];
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(edges);
        for edge in &self.sorted {
            let next = &mut ends[edge.round() as usize];
            edges[*next] = *edge;
            *next += 1;
            for slot in edge.slots {
                self.taken[local(slot)] = 0;
            }
        }
    }
}

/// Jobs that have no block in common, phase by phase: first those within blocks, then those between two, the largest first.
fn in_phases(counts: &[Vec<usize>]) -> Vec<Vec<Range<usize>>> {
    let mut jobs = Vec::new();
    let mut start = 0;
    for (block, counts) in counts.iter().enumerate() {
        for (index, &count) in counts.iter().enumerate() {
            if count > 0 {
                jobs.push((block, block + index, start..start + count));
            }
            start += count;
        }
    }
    let (within, mut between): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|(a, b, _)| a == b);
    between.sort_by_key(|(_, _, edges)| std::cmp::Reverse(edges.len()));
    let mut phases = vec![Vec::new()];
    phases[0].extend(within.into_iter().map(|(_, _, edges)| edges));
    // Whether a block takes part in a phase.
    let mut busy: Vec<Vec<bool>> = vec![vec![true; counts.len()]];
    for (a, b, edges) in between {
        let free = busy.iter().position(|busy| !busy[a] && !busy[b]);
        let phase = free.unwrap_or_else(|| {
            busy.push(vec![false; counts.len()]);
            phases.push(Vec::new());
            busy.len() - 1
        });
        busy[phase][a] = true;
        busy[phase][b] = true;
        phases[phase].push(edges);
    }
    phases.retain(|jobs| !jobs.is_empty());
    phases
}

/// Phases cut into parts of no more than `most` edges, the parts of all phases interleaved.
fn in_turns(phases: &[Vec<Range<usize>>], most: usize) -> Vec<Vec<Range<usize>>> {
    let mut parts = Vec::new();
    for jobs in phases {
        let total: usize = jobs.iter().map(ExactSizeIterator::len).sum();
        let n_parts = total.div_ceil(most);
        let cut = |job: &Range<usize>, part: usize| job.start + job.len() * part / n_parts;
        for part in 0..n_parts {
            let pieces = jobs.iter().map(|job| cut(job, part)..cut(job, part + 1));
            let pieces: Vec<_> = pieces.filter(|piece| !piece.is_empty()).collect();
            parts.push(((part as f64 + 0.5) / n_parts as f64, pieces));
        }
    }
    parts.sort_by(|a, b| a.0.total_cmp(&b.0));
    parts.into_iter().map(|(_, jobs)| jobs).collect()
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

    /// A ring with chords of many weights, and row 0 connected to all.
    fn example() -> FuzzyGraph {
        let n = 301u32;
        let mut rows = vec![Vec::new(); n as usize];
        for i in 0..n {
            for j in 0..i {
                let apart = (i - j).min(n - i + j);
                if apart == 1 || apart == 7 || j == 0 {
                    let weight = 0.01 + 0.99 * ((i * 7 + j) % 50) as f32 / 49.0;
                    rows[i as usize].push((j, weight));
                    rows[j as usize].push((i, weight));
                }
            }
        }
        for row in &mut rows {
            row.sort_by_key(|entry| entry.0);
        }
        FuzzyGraph::from_rows(rows)
    }

    /// Points around a circle, in a mixed order.
    fn slots(n: usize) -> Slots {
        Slots::along(&Array2::from_shape_fn((n, 2), |(row, axis)| {
            let angle = (row * 7 % n) as f64 / n as f64 * std::f64::consts::TAU;
            [angle.cos(), angle.sin()][axis]
        }))
    }

    fn schedule() -> Schedule {
        Schedule::of(&example(), &slots(301), 1)
    }

    #[test]
    fn no_two_jobs_of_a_phase_share_a_row_and_no_edge_is_lost() {
        let schedule = schedule();
        let most = example().n_edges().div_ceil(PARTS);
        let mut all = Vec::new();
        for jobs in schedule.phases() {
            let mut seen = std::collections::HashMap::new();
            for (number, job) in jobs.iter().enumerate() {
                for slot in schedule.edges(job).iter().flat_map(|edge| edge.slots) {
                    assert_eq!(*seen.entry(slot).or_insert(number), number);
                }
                all.extend(job.clone());
            }
            // Cuts of every job are rounded.
            assert!(jobs.iter().map(ExactSizeIterator::len).sum::<usize>() <= most + jobs.len());
        }
        all.sort_unstable();
        assert!(all.into_iter().eq(0..example().n_edges()));
        assert!(schedule.phases().any(|jobs| jobs.len() > 1));
    }

    #[test]
    fn no_two_edges_of_a_round_share_a_row() {
        let schedule = schedule();
        let mut without = 0;
        for job in schedule.phases().flatten() {
            let edges = schedule.edges(job);
            assert!(edges.is_sorted_by_key(Edge::round));
            for round in edges.chunk_by(|a, b| a.round() == b.round()) {
                if round[0].round() == NO_ROUND {
                    without += round.len();
                    continue;
                }
                let mut seen = std::collections::HashSet::new();
                assert!(
                    round
                        .iter()
                        .flat_map(|edge| edge.slots)
                        .all(|slot| seen.insert(slot))
                );
            }
        }
        // The row connected to all others has more neighbours than there are rounds, in one of its jobs.
        assert!(without > 0);
    }

    #[test]
    fn edges_join_the_rows_of_the_graph() {
        let (graph, slots, schedule) = (example(), slots(301), schedule());
        let unit = WHOLE / graph.largest();
        for edge in schedule
            .phases()
            .flatten()
            .flat_map(|job| schedule.edges(job))
        {
            let [a, b] = edge.slots.map(|slot| slots.row_of[slot as usize]);
            let (indices, weights) = graph.row(a as usize);
            let index = indices.iter().position(|&index| index == b).unwrap();
            assert_eq!(edge.weight, (weights[index] * unit).round() as u32);
        }
    }

    #[test]
    fn every_edge_is_due_as_often_as_its_weight_says() {
        let schedule = schedule();
        for edge in schedule
            .phases()
            .flatten()
            .flat_map(|job| schedule.edges(job))
        {
            let times = (0..1000).filter(|&epoch| edge.is_due(epoch)).count() as f64;
            let want = 1000.0 * f64::from(edge.weight) / f64::from(WHOLE);
            assert!((times - want).abs() <= 1.0, "{times} {want}");
        }
    }
}
