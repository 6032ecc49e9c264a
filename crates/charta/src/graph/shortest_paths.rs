//! Shortest paths along a graph: Dijkstra's algorithm from many rows in parallel.
//!
//! Rows are renumbered breadth first, so that neighbours lie near each other in memory. The queue is a heap
//! with four children a node that holds one word an entry: the distance, rounded to single precision, above
//! the row. Rounding may let a row go before its distance is final; it then comes again, so that the
//! distances themselves are exact sums in double precision.

use ndarray::{Array2, ArrayViewMut1, Axis, s};

use super::Graph;
use super::together::{LANES, Together};
use crate::error::Result;
use crate::linalg::Real;
use crate::parallel::{blocks, try_for_each};
use crate::run::Run;

/// Rows that one job starts from.
const SOURCES: usize = 16;
/// Times that a long search reports its progress.
const REPORTS: usize = 20;

/// A graph prepared for the search of paths.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The rows in the order of their new numbers.
    rows: Vec<u32>,
    /// The new number of each row.
    number: Vec<u32>,
    starts: Vec<u32>,
    edges: Vec<(u32, f64)>,
    /// Brings lengths into the range of single precision.
    scale: f64,
}

impl Paths {
    /// Prepares a graph.
    pub fn of(graph: &Graph) -> Self {
        let rows = breadth_first(graph);
        let mut number = vec![0; rows.len()];
        for (index, &row) in rows.iter().enumerate() {
            number[row as usize] = index as u32;
        }
        let mut starts = vec![0];
        let mut edges = Vec::with_capacity(graph.targets.len());
        for &row in &rows {
            let (targets, lengths) = graph.row(row as usize);
            let ends = targets.iter().map(|&target| number[target as usize]);
            edges.extend(ends.zip(lengths.iter().copied()));
            starts.push(edges.len() as u32);
        }
        let longest = graph.lengths.iter().copied().fold(0.0, f64::max);
        Self {
            rows,
            number,
            starts,
            edges,
            scale: longest.max(f64::MIN_POSITIVE).recip(),
        }
    }

    /// Number of rows.
    pub(crate) fn n_rows(&self) -> usize {
        self.number.len()
    }

    /// The edges of a row, by new numbers.
    #[inline]
    pub(super) fn edges_of(&self, row: usize) -> &[(u32, f64)] {
        &self.edges[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// The lengths of the shortest paths between every two rows, each passed through `write`. A row that
    /// cannot be reached is infinitely far.
    pub(crate) fn between_all<T: Real>(
        &self,
        run: &Run<'_>,
        write: impl Fn(f64) -> T + Sync,
    ) -> Result<Array2<T>> {
        let mut lengths = Array2::from_elem((self.n_rows(), self.n_rows()), T::of(0.0));
        let mut targets: Vec<Option<&mut [T]>> = (lengths.rows_mut().into_iter())
            .map(ArrayViewMut1::into_slice)
            .collect();
        // Rows of successive numbers lie close together in the graph.
        let mut targets: Vec<&mut [T]> = (self.rows.iter())
            .filter_map(|&row| targets[row as usize].take())
            .collect();
        let wave = self.n_rows().div_ceil(REPORTS).next_multiple_of(8 * LANES);
        for rows in blocks(self.n_rows(), wave) {
            let parts = targets[rows.clone()].chunks_mut(2 * LANES);
            try_for_each(run, parts, |index, targets| {
                let first = rows.start + index * 2 * LANES;
                self.write_together(first, targets, &write);
                Ok(())
            })?;
            run.progress(rows.end as u64, self.n_rows() as u64)?;
        }
        Ok(lengths)
    }

    /// The lengths from rows of successive new numbers.
    fn write_together<T: Real>(
        &self,
        first: usize,
        targets: &mut [&mut [T]],
        write: &impl Fn(f64) -> T,
    ) {
        let mut search = Together::new(self);
        for (group, targets) in targets.chunks_mut(LANES).enumerate() {
            let start = first + group * LANES;
            let sources: Vec<u32> = (start as u32..(start + targets.len()) as u32).collect();
            search.start(&sources);
            for (index, &number) in self.number.iter().enumerate() {
                let line = &search.lengths[number as usize];
                for (target, &length) in targets.iter_mut().zip(line) {
                    target[index] = write(length);
                }
            }
        }
    }

    /// The lengths of the shortest paths from each of some rows to all rows, one source a row, each passed
    /// through `write`. A row that cannot be reached is infinitely far.
    pub fn from_rows<T: Real>(
        &self,
        run: &Run<'_>,
        sources: &[u32],
        write: impl Fn(f64) -> T + Sync,
    ) -> Result<Array2<T>> {
        let mut lengths = Array2::from_elem((sources.len(), self.n_rows()), T::of(0.0));
        let wave = sources
            .len()
            .div_ceil(REPORTS)
            .next_multiple_of(4 * SOURCES);
        for rows in blocks(sources.len(), wave) {
            let mut target = lengths.slice_mut(s![rows.clone(), ..]);
            let parts = target
                .axis_chunks_iter_mut(Axis(0), SOURCES)
                .zip(sources[rows.clone()].chunks(SOURCES));
            try_for_each(run, parts, |_, (mut target, sources)| {
                let mut search = self.search();
                for (mut target, &source) in target.rows_mut().into_iter().zip(sources) {
                    search.start([(source, 0.0)]);
                    for (to, &number) in target.iter_mut().zip(&self.number) {
                        *to = write(search.lengths[number as usize]);
                    }
                }
                Ok(())
            })?;
            run.progress(rows.end as u64, sources.len() as u64)?;
        }
        Ok(lengths)
    }

    /// A search, whose memory can be used again and again.
    pub(crate) fn search(&self) -> Shortest<'_> {
        Shortest {
            paths: self,
            lengths: vec![f64::INFINITY; self.n_rows()],
            heap: Heap::default(),
        }
    }
}

/// The rows in the order in which a walk meets them, the nearest in edges first.
fn breadth_first(graph: &Graph) -> Vec<u32> {
    let n_rows = graph.n_rows();
    let mut met = vec![false; n_rows];
    let mut order = Vec::with_capacity(n_rows);
    for first in 0..n_rows {
        if met[first] {
            continue;
        }
        met[first] = true;
        let mut at = order.len();
        order.push(first as u32);
        while at < order.len() {
            for &target in graph.row(order[at] as usize).0 {
                if !met[target as usize] {
                    met[target as usize] = true;
                    order.push(target);
                }
            }
            at += 1;
        }
    }
    order
}

/// One search for shortest paths.
#[derive(Clone, Debug)]
pub(crate) struct Shortest<'a> {
    paths: &'a Paths,
    lengths: Vec<f64>,
    heap: Heap,
}

impl Shortest<'_> {
    /// Finds the shortest paths from a point that is so far from each of some rows.
    pub(crate) fn start(&mut self, seeds: impl IntoIterator<Item = (u32, f64)>) {
        let paths = self.paths;
        let number = |row: u32| paths.number[row as usize];
        self.start_at(seeds.into_iter().map(|(row, length)| (number(row), length)));
    }

    /// The same with new numbers.
    pub(super) fn start_at(&mut self, seeds: impl IntoIterator<Item = (u32, f64)>) {
        self.lengths.fill(f64::INFINITY);
        for (row, length) in seeds {
            self.offer(row, length);
        }
        while let Some(entry) = self.heap.pop() {
            let row = entry as u32 as usize;
            let length = self.lengths[row];
            // An entry from before the row got nearer.
            if self.key(length) != (entry >> 32) as u32 {
                continue;
            }
            for &(target, edge) in self.paths.edges_of(row) {
                self.offer(target, length + edge);
            }
        }
    }

    /// How far a row is from where the search started.
    pub(crate) fn length(&self, row: u32) -> f64 {
        self.lengths[self.paths.number[row as usize] as usize]
    }

    /// The rows in the order of their lengths, by new numbers in the lower half of each word.
    pub(super) fn order(&self, order: &mut Vec<u64>) {
        order.clear();
        let keys = self
            .lengths
            .iter()
            .map(|&length| u64::from(self.key(length)));
        order.extend(keys.zip(0u64..).map(|(key, row)| (key << 32) | row));
        order.sort_unstable();
    }

    fn key(&self, length: f64) -> u32 {
        // The bits of numbers that are not negative are in the numbers' order.
        ((length * self.paths.scale) as f32).to_bits()
    }

    #[inline]
    fn offer(&mut self, row: u32, length: f64) {
        let known = &mut self.lengths[row as usize];
        if length < *known {
            *known = length;
            let key = self.key(length);
            self.heap.push((u64::from(key) << 32) | u64::from(row));
        }
    }
}

/// A heap with four children a node, the smallest on top.
#[derive(Clone, Debug, Default)]
struct Heap {
    entries: Vec<u64>,
}

impl Heap {
    #[inline]
    fn push(&mut self, entry: u64) {
        let mut at = self.entries.len();
        self.entries.push(entry);
        while at > 0 {
            let above = (at - 1) / 4;
            if self.entries[above] <= entry {
                break;
            }
            self.entries[at] = self.entries[above];
            at = above;
        }
        self.entries[at] = entry;
    }

    #[inline]
    fn pop(&mut self) -> Option<u64> {
        let last = self.entries.pop()?;
        let entries = self.entries.as_mut_slice();
        let Some(&top) = entries.first() else {
            return Some(last);
        };
        let mut at = 0;
        loop {
            let first = 4 * at + 1;
            let children = &entries[first.min(entries.len())..(first + 4).min(entries.len())];
            let Some((index, &smallest)) = children.iter().enumerate().min_by_key(|child| child.1)
            else {
                break;
            };
            if smallest >= last {
                break;
            }
            entries[at] = smallest;
            at = first + index;
        }
        entries[at] = last;
        Some(top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below, stream, uniform};

    fn example(n_rows: usize, scale: f64) -> Graph {
        let mut stream = stream(5, 0);
        let edges: Vec<_> = (0..4 * n_rows)
            .map(|_| {
                let ends = (below(&mut stream, n_rows), below(&mut stream, n_rows));
                let length = (4.0 * uniform(&mut stream)).floor() / 3.0;
                (ends.0 as u32, ends.1 as u32, length * scale)
            })
            .collect();
        Graph::from_edges(n_rows, &edges)
    }

    /// Floyd and Warshall's algorithm.
    fn all_pairs(graph: &Graph) -> Array2<f64> {
        let n_rows = graph.n_rows();
        let mut lengths = Array2::from_elem((n_rows, n_rows), f64::INFINITY);
        lengths.diag_mut().fill(0.0);
        for (a, b, length) in graph.edges() {
            lengths[[a as usize, b as usize]] = length;
            lengths[[b as usize, a as usize]] = length;
        }
        for via in 0..n_rows {
            for a in 0..n_rows {
                for b in 0..n_rows {
                    let length = lengths[[a, via]] + lengths[[via, b]];
                    lengths[[a, b]] = lengths[[a, b]].min(length);
                }
            }
        }
        lengths
    }

    #[test]
    fn paths_are_those_of_floyd_and_warshall_with_lengths_zero_and_at_any_scale() {
        for scale in [1.0, 1e-200, 1e200] {
            let graph = example(90, scale);
            let rows: Vec<u32> = (0..90).collect();
            let ours = Paths::of(&graph)
                .from_rows(&Run::new(), &rows, |length| length)
                .unwrap();
            let want = all_pairs(&graph);
            for (a, b) in ours.iter().zip(&want) {
                assert!(a == b || (a - b).abs() <= 1e-12 * b, "{a} against {b}");
            }
        }
    }

    #[test]
    fn searching_together_gives_the_bits_of_single_searches_also_in_parts_and_along_a_chain() {
        let chain: Vec<_> = (0..299u32)
            .map(|row| ((row * 7) % 300, (row * 7 + 7) % 300, 0.1))
            .collect();
        let parts: Vec<_> = (0..150u32).map(|row| (row, row + 150, 0.3)).collect();
        for graph in [
            example(300, 1.0),
            Graph::from_edges(300, &chain),
            Graph::from_edges(300, &parts),
            Graph::from_edges(1, &[]),
        ] {
            let paths = Paths::of(&graph);
            let rows: Vec<u32> = (0..graph.n_rows() as u32).collect();
            let run = Run::new();
            let one_by_one = paths.from_rows(&run, &rows, |length| length).unwrap();
            let together = paths.between_all(&run, |length| length).unwrap();
            assert_eq!(together, one_by_one);
        }
    }

    #[test]
    fn rows_out_of_reach_are_infinitely_far() {
        let graph = Graph::from_edges(3, &[(0, 1, 0.0)]);
        let lengths = Paths::of(&graph)
            .from_rows(&Run::new(), &[1], |length| length as f32)
            .unwrap();
        assert_eq!(
            lengths.row(0).to_vec(),
            [0.0, 0.0, f32::INFINITY],
            "duplicates are at distance 0"
        );
    }

    #[test]
    fn a_new_place_reaches_every_row_by_its_best_entry() {
        let graph = example(60, 1.0);
        let want = all_pairs(&graph);
        let paths = Paths::of(&graph);
        let mut search = paths.search();
        let seeds = [(3, 0.5), (40, 0.1), (7, 0.9)];
        search.start(seeds);
        for row in 0..60 {
            let best = seeds
                .iter()
                .map(|&(seed, length)| length + want[[seed as usize, row as usize]])
                .fold(f64::INFINITY, f64::min);
            assert!((search.length(row) - best).abs() < 1e-12);
        }
    }
}
