//! All scores: of the reference rows with each other, each pair once, or of other rows with them.

use std::ops::Range;
use std::sync::Mutex;

use super::buffers::Buffers;
use super::rows::{Rows, Sums};
use crate::error::Result;
use crate::linalg::inner_product_join::{
    Both, GROUP, Group, Pairs, Panels, Score, Sum, back_thresholds, scan, scan_both,
};
use crate::parallel::{blocks, try_for_each, try_map};
use crate::run::Run;

/// Groups that are packed together, so that they stay in the cache while panels pass by.
const GROUPS: usize = 8;

/// Rows of a block: as many as make packing cheap beside the products, but enough blocks for many threads.
pub(super) fn block_rows(n_rows: usize) -> usize {
    (n_rows / 32)
        .next_multiple_of(GROUPS * GROUP)
        .clamp(192, 4032)
}

/// Memory of one job.
struct Space<T: Score> {
    panels: Panels<T>,
    band: Band<T>,
}

/// Some query rows, packed in groups.
struct Band<T: Score> {
    groups: Vec<Group<T>>,
    numbers: Vec<T>,
    turns: Vec<[T::Sum; GROUP]>,
}

impl<T: Score> Band<T> {
    fn new() -> Self {
        Self {
            groups: (0..GROUPS).map(|_| Group::new()).collect(),
            numbers: Vec::new(),
            turns: vec![[T::Sum::LEAST; GROUP]; GROUPS],
        }
    }

    /// Packs rows, at most [`GROUPS`] times [`GROUP`], and says how many groups they make.
    fn pack(&mut self, rows: &impl Rows<Number = T>, query: &[u32]) -> usize {
        let n_columns = rows.n_columns();
        self.numbers.resize(GROUP * n_columns, T::ZERO);
        let parts = query.chunks(GROUP).zip(&mut self.groups);
        for ((query, group), turns) in parts.zip(&mut self.turns) {
            for ((&row, target), turn) in (query.iter())
                .zip(self.numbers.chunks_mut(n_columns.max(1)))
                .zip(turns)
            {
                *turn = rows.query(row as usize, target);
            }
            group.gather(
                n_columns,
                self.numbers.chunks(n_columns.max(1)).take(query.len()),
            );
        }
        query.len().div_ceil(GROUP)
    }
}

const NOT_HELD: &str = "no job works while it holds the lock";

/// Spaces that jobs use one after the other.
struct Spaces<T: Score>(Mutex<Vec<Space<T>>>);

impl<T: Score> Spaces<T> {
    fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    fn with<R>(&self, work: impl FnOnce(&mut Space<T>) -> R) -> R {
        let kept = self.0.lock().expect(NOT_HELD).pop();
        let mut space = kept.unwrap_or_else(|| Space {
            panels: Panels::new(),
            band: Band::new(),
        });
        let result = work(&mut space);
        self.0.lock().expect(NOT_HELD).push(space);
        result
    }
}

/// The thresholds of a group's rows.
fn of_group<S: Sum>(buffers: &Buffers<S>, first: usize, count: usize) -> [S; GROUP] {
    let mut thresholds = [S::MOST; GROUP];
    for (row, threshold) in thresholds.iter_mut().enumerate().take(count) {
        *threshold = buffers.threshold(first + row);
    }
    thresholds
}

/// Candidates of all reference rows among themselves, block by block.
pub(super) fn join<R: Rows>(
    run: &Run<'_>,
    rows: &R,
    n_rows: usize,
    keep: usize,
) -> Result<Vec<Buffers<Sums<R>>>> {
    let blocks = blocks(n_rows, block_rows(n_rows));
    let rounds = rounds(blocks.len());
    let total = rounds.len() as u64 + 1;
    let spaces = Spaces::new();
    let mut buffers: Vec<Buffers<Sums<R>>> = try_map(run, blocks.len(), |block| {
        let block = &blocks[block];
        let mut own = Buffers::new(block.len(), keep);
        spaces.with(|space| within(rows, block, &mut own, space));
        Ok(own)
    })?;
    for (done, round) in rounds.into_iter().enumerate() {
        run.progress(done as u64 + 1, total)?;
        let mut free: Vec<Option<Buffers<Sums<R>>>> = buffers.into_iter().map(Some).collect();
        let mut pairs = Vec::new();
        for (a, b) in round {
            if let (Some(own), Some(its)) = (free[a].take(), free[b].take()) {
                pairs.push((a, b, own, its));
            }
        }
        try_for_each(run, &mut pairs, |_, (a, b, own, its)| {
            let sides = [(&blocks[*a], own), (&blocks[*b], its)];
            spaces.with(|space| between(rows, sides, space));
            Ok(())
        })?;
        for (a, b, own, its) in pairs {
            (free[a], free[b]) = (Some(own), Some(its));
        }
        buffers = free.into_iter().flatten().collect();
    }
    run.progress(total, total)?;
    Ok(buffers)
}

/// All pairs of blocks in rounds, in each of which a block has at most one partner: one block stays where it
/// is, the others go round it.
fn rounds(count: usize) -> Vec<Vec<(usize, usize)>> {
    let even = count.next_multiple_of(2).max(2);
    let turning = even - 1;
    let round = |turn: usize| {
        let others = (1..even / 2).map(|k| ((turn + k) % turning, (turn + turning - k) % turning));
        let pairs = std::iter::once((turn, turning)).chain(others);
        let ordered = pairs.map(|(a, b)| (a.min(b), a.max(b)));
        ordered.filter(|&(_, b)| b < count).collect()
    };
    (0..turning).map(round).collect()
}

/// The rows of a block with each other, each pair twice.
fn within<R: Rows>(
    rows: &R,
    block: &Range<usize>,
    own: &mut Buffers<Sums<R>>,
    space: &mut Space<R::Number>,
) {
    let Space { panels, band } = space;
    panels.pack_here(block.len(), rows.n_columns(), |row, target| {
        rows.known(block.start + row, target)
    });
    let indices: Vec<u32> = block.clone().map(|row| row as u32).collect();
    ask(rows, &indices, panels, &indices, own, band, true);
}

/// Query rows among packed ones, which are the reference rows at `indices`.
fn ask<R: Rows>(
    rows: &R,
    query: &[u32],
    panels: &Panels<R::Number>,
    indices: &[u32],
    own: &mut Buffers<Sums<R>>,
    band: &mut Band<R::Number>,
    itself: bool,
) {
    for (index, query) in query.chunks(GROUPS * GROUP).enumerate() {
        let n_groups = band.pack(rows, query);
        for panel in 0..panels.n_panels() {
            for (number, group) in band.groups[..n_groups].iter().enumerate() {
                let query = &query[number * GROUP..];
                let top = index * GROUPS * GROUP + number * GROUP;
                let mut thresholds = of_group(own, top, group.n_rows());
                let pushed = |row: usize, place: usize, score| {
                    let place = indices[place];
                    if itself && query[row] == place {
                        return own.threshold(top + row);
                    }
                    own.push(top + row, place, score)
                };
                scan(panels, panel..panel + 1, group, &mut thresholds, pushed);
            }
        }
    }
}

/// Where the scores of two blocks go.
struct Ends<'a, S> {
    own: &'a mut Buffers<S>,
    its: &'a mut Buffers<S>,
    /// The first row of the group, in its block and among all.
    top: (usize, usize),
    /// The first reference row.
    first: usize,
}

impl<S: Sum> Pairs<S> for Ends<'_, S> {
    fn ahead(&mut self, row: usize, place: usize, score: S) -> S {
        let known = (self.first + place) as u32;
        self.own.push(self.top.0 + row, known, score)
    }

    fn back(&mut self, place: usize, row: usize, score: S) -> S {
        self.its.push(place, (self.top.1 + row) as u32, score)
    }
}

/// The rows of two blocks with each other, each pair once.
fn between<R: Rows>(
    rows: &R,
    [(query, own), (known, its)]: [(&Range<usize>, &mut Buffers<Sums<R>>); 2],
    space: &mut Space<R::Number>,
) {
    let Space { panels, band } = space;
    panels.pack_here(known.len(), rows.n_columns(), |row, target| {
        rows.known(known.start + row, target)
    });
    let mut back = back_thresholds(panels, its.thresholds());
    let indices: Vec<u32> = query.clone().map(|row| row as u32).collect();
    for (index, queries) in indices.chunks(GROUPS * GROUP).enumerate() {
        let n_groups = band.pack(rows, queries);
        for panel in 0..panels.n_panels() {
            for (number, group) in band.groups[..n_groups].iter().enumerate() {
                let top = index * GROUPS * GROUP + number * GROUP;
                let mut thresholds = of_group(own, top, group.n_rows());
                let mut both = Both {
                    turns: &band.turns[number],
                    thresholds: &mut back,
                };
                let mut ends = Ends {
                    own,
                    its,
                    top: (top, query.start + top),
                    first: known.start,
                };
                let range = panel..panel + 1;
                scan_both(panels, range, group, &mut thresholds, &mut both, &mut ends);
            }
        }
    }
}

/// Candidates of some rows among the reference rows at `known`; `itself` if the rows are reference rows.
pub(super) fn look_up<R: Rows>(
    run: &Run<'_>,
    rows: &R,
    known: &[u32],
    query: &[u32],
    itself: bool,
    keep: usize,
) -> Result<Vec<Buffers<Sums<R>>>> {
    let size = look_up_rows(query.len());
    let mut jobs: Vec<(&[u32], Buffers<Sums<R>>)> = (query.chunks(size))
        .map(|query| (query, Buffers::new(query.len(), keep)))
        .collect();
    let spaces = Spaces::<R::Number>::new();
    let mut panels = Panels::new();
    let chunks = known.chunks(block_rows(usize::MAX));
    let total = chunks.len() as u64;
    for (done, chunk) in chunks.enumerate() {
        panels.pack(chunk.len(), rows.n_columns(), |row, target| {
            rows.known(chunk[row] as usize, target)
        });
        try_for_each(run, &mut jobs, |_, (query, own)| {
            spaces.with(|space| ask(rows, query, &panels, chunk, own, &mut space.band, itself));
            Ok(())
        })?;
        run.progress(done as u64 + 1, total)?;
    }
    Ok(jobs.into_iter().map(|job| job.1).collect())
}

/// Rows of one buffer of [`look_up`]: a few at a time if there are few, for the sake of other threads.
pub(super) fn look_up_rows(n_queries: usize) -> usize {
    (n_queries / 16)
        .next_multiple_of(GROUP)
        .clamp(GROUP, GROUPS * GROUP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_blocks_meets_once_and_never_two_at_a_time() {
        for count in 0..12 {
            let mut met = Vec::new();
            for round in rounds(count) {
                let mut seen = vec![false; count];
                for (a, b) in round {
                    assert!(a < b && !seen[a] && !seen[b]);
                    (seen[a], seen[b]) = (true, true);
                    met.push((a, b));
                }
            }
            met.sort_unstable();
            let all: Vec<_> = (0..count)
                .flat_map(|b| (0..b).map(move |a| (a, b)))
                .collect();
            assert_eq!(met.len(), all.len());
            met.dedup();
            assert_eq!(met.len(), all.len());
        }
    }
}
