//! Rows near each other in cells: k-means on the projected rows, and their panels.

use ndarray::{Array2, ArrayView2, Axis, s};

use super::bytes::{self, Steps, written};
use super::projection::{Projected, strided};
use crate::error::Result;
use crate::linalg::inner_product_join::distance::Measure;
use crate::linalg::inner_product_join::{Own, Panels, Quad, Score, Sum};
use crate::linalg::product::product_into;
use crate::parallel::{blocks, for_each, map_blocks};
use crate::random::{permutation, stream};
use crate::run::Run;

/// Rows a cell from which its centre is found.
const SAMPLE: usize = 32;
/// Rounds of Lloyd's iteration.
const ROUNDS: usize = 4;
/// Rows whose cells one job finds.
const BLOCK: usize = 256;
/// The row of an index that only fills up a panel.
pub(super) const NONE: u32 = u32::MAX;

/// Centres of cells, and half their squared lengths.
#[derive(Debug)]
pub(super) struct Centres {
    pub(super) rows: Array2<f32>,
    halves: Vec<f32>,
}

impl Centres {
    fn new(rows: Array2<f32>) -> Self {
        let halves = rows.rows().into_iter();
        let halves = halves.map(|row| {
            let row = row.to_vec();
            (f32::product_wide(&row, &row) / 2.0) as f32
        });
        Self {
            halves: halves.collect(),
            rows,
        }
    }

    /// Centres of `count` cells by k-means on a sample.
    pub(super) fn train(
        run: &Run<'_>,
        rows: &ArrayView2<'_, f32>,
        count: usize,
        seed: u64,
    ) -> Result<Self> {
        let sample = rows.select(Axis(0), &strided(rows.nrows(), SAMPLE * count));
        let count = count.min(sample.nrows());
        let order = permutation(&mut stream(seed, 1), sample.nrows());
        let mut centres = Self::new(sample.select(Axis(0), &order[..count]));
        for _ in 0..ROUNDS {
            let (homes, scores) = centres.homes(run, &sample.view())?;
            centres = centres.moved(&sample, &homes, &scores);
        }
        Ok(centres)
    }

    /// Number of cells.
    pub(super) fn count(&self) -> usize {
        self.halves.len()
    }

    /// The scores ⟨y, m⟩ − |m|²/2 of rows with all centres: largest for the nearest.
    pub(super) fn scores(&self, rows: &ArrayView2<'_, f32>) -> Array2<f32> {
        let mut scores = Array2::zeros((rows.nrows(), self.count()));
        product_into(scores.view_mut(), rows, &self.rows.t());
        for mut row in scores.rows_mut() {
            for (score, half) in row.iter_mut().zip(&self.halves) {
                *score -= half;
            }
        }
        scores
    }

    /// All cells in an order in which those near each other mostly stand together: in cells themselves.
    fn in_order(&self, run: &Run<'_>, seed: u64) -> Result<Vec<u32>> {
        let count = (self.count() as f64).sqrt() as usize;
        let groups = Self::train(run, &self.rows.view(), count.max(1), seed)?;
        let (homes, _) = groups.homes(run, &self.rows.view())?;
        Ok(Members::of(&homes, groups.count()).rows)
    }

    /// Some of the centres.
    pub(super) fn some(&self, cells: &[u32]) -> Self {
        let numbers: Vec<usize> = cells.iter().map(|&cell| cell as usize).collect();
        Self {
            rows: self.rows.select(Axis(0), &numbers),
            halves: numbers.iter().map(|&cell| self.halves[cell]).collect(),
        }
    }

    /// The `count` cells nearest to one, by their numbers.
    pub(super) fn near(&self, cell: usize, count: usize) -> Vec<u32> {
        let scores = self.scores(&self.rows.slice(s![cell..=cell, ..]));
        let mut cells: Vec<u32> = (0..scores.len() as u32).collect();
        let score = |cell: u32| scores[[0, cell as usize]];
        if count < cells.len() {
            cells.select_nth_unstable_by(count, |&a, &b| {
                score(b).total_cmp(&score(a)).then(a.cmp(&b))
            });
            cells.truncate(count);
        }
        cells.sort_unstable();
        cells
    }

    /// The cell of every row, and its score there.
    pub(super) fn homes(
        &self,
        run: &Run<'_>,
        rows: &ArrayView2<'_, f32>,
    ) -> Result<(Vec<u32>, Vec<f32>)> {
        let parts = map_blocks(run, rows.nrows(), BLOCK, |range| {
            let scores = self.scores(&rows.slice(s![range, ..]));
            let best = scores.rows().into_iter().map(|row| {
                let most = row.iter().fold(f32::NEG_INFINITY, |most, &s| most.max(s));
                let index = row.iter().position(|&score| score == most);
                let index = index.expect("scores of finite rows are numbers");
                (index as u32, most)
            });
            best.collect::<Vec<_>>()
        })?;
        Ok(parts.into_iter().flatten().unzip())
    }

    /// Every centre moved to the mean of its rows. A cell without rows begins anew at the row that is
    /// farthest from its centre and not yet taken.
    fn moved(&self, sample: &Array2<f32>, homes: &[u32], scores: &[f32]) -> Self {
        let members = Members::of(homes, self.count());
        let mut rows = Array2::zeros(self.rows.dim());
        for_each(rows.axis_iter_mut(Axis(0)), |cell, mut target| {
            let members = members.of_cell(cell);
            let mut sums = vec![0.0; sample.ncols()];
            for &row in members {
                for (sum, &value) in sums.iter_mut().zip(sample.row(row as usize)) {
                    *sum += f64::from(value);
                }
            }
            let share = 1.0 / members.len().max(1) as f64;
            (target.iter_mut().zip(sums)).for_each(|(to, sum)| *to = (sum * share) as f32);
        });
        let empty: Vec<usize> = (0..self.count())
            .filter(|&cell| members.of_cell(cell).is_empty())
            .collect();
        if !empty.is_empty() {
            let mut far: Vec<(f32, usize)> = (sample.rows().into_iter().zip(scores).enumerate())
                .map(|(row, (y, score))| (y.dot(&y) / 2.0 - score, row))
                .collect();
            far.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for (cell, (_, row)) in empty.into_iter().zip(far) {
                rows.row_mut(cell).assign(&sample.row(row));
            }
        }
        Self::new(rows)
    }
}

/// Rows by cell, in order.
#[derive(Debug)]
struct Members {
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Members {
    fn of(homes: &[u32], n_cells: usize) -> Self {
        let mut starts = vec![0; n_cells + 1];
        for &home in homes {
            starts[home as usize + 1] += 1;
        }
        for cell in 0..n_cells {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; homes.len()];
        for (row, &home) in homes.iter().enumerate() {
            rows[next[home as usize]] = row as u32;
            next[home as usize] += 1;
        }
        Self { starts, rows }
    }

    fn of_cell(&self, cell: usize) -> &[u32] {
        &self.rows[self.starts[cell]..self.starts[cell + 1]]
    }
}

/// What the rows in the panels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// The projected rows.
    Reals,
    /// The projected rows less the centre of their cell.
    Centred,
    /// Bytes.
    Bytes,
}

/// The panels of all cells.
#[derive(Debug)]
pub(super) enum Packed {
    Reals(Panels<f32>),
    Bytes(Panels<Quad>, Steps),
}

/// All rows in cells, each cell in panels of its own.
#[derive(Debug)]
pub(super) struct Cells {
    pub(super) centres: Centres,
    /// The cell of every row.
    pub(super) homes: Vec<u32>,
    members: Members,
    /// All cells, those near each other mostly together.
    order: Vec<u32>,
    /// Where the panels of a cell begin, and where those of the last end.
    first_panels: Vec<usize>,
    /// The row at every index of the panels.
    pub(super) slots: Vec<u32>,
    pub(super) packed: Packed,
    pub(super) packing: Packing,
}

impl Cells {
    /// Sorts the projected rows into cells.
    pub(super) fn of(
        run: &Run<'_>,
        projected: &Projected,
        n_cells: usize,
        packing: Packing,
        seed: u64,
    ) -> Result<Self> {
        let rows = projected.rows.view();
        let centres = Centres::train(run, &rows, n_cells, seed)?;
        let homes = match packing {
            Packing::Bytes => bytes::homes(run, &rows, &centres.rows.view())?,
            _ => centres.homes(run, &rows)?.0,
        };
        let order = centres.in_order(run, seed)?;
        let members = Members::of(&homes, centres.count());
        let (mut first_panels, mut slots) = (vec![0], Vec::with_capacity(homes.len()));
        for cell in 0..centres.count() {
            slots.extend_from_slice(members.of_cell(cell));
            slots.resize(slots.len().next_multiple_of(f32::WIDTH), NONE);
            first_panels.push(slots.len() / f32::WIDTH);
        }
        let mut cells = Self {
            centres,
            homes,
            members,
            order,
            first_panels,
            slots,
            packed: Packed::Reals(Panels::new()),
            packing,
        };
        cells.pack(projected, packing);
        Ok(cells)
    }

    /// Packs the rows, in place of what was packed before.
    pub(super) fn pack(&mut self, projected: &Projected, packing: Packing) {
        self.packing = packing;
        // The room of the panels before is free before that of the next is taken.
        self.packed = Packed::Reals(Panels::new());
        self.packed = match packing {
            Packing::Reals | Packing::Centred => Packed::Reals(self.reals(projected)),
            Packing::Bytes => {
                let steps = Steps::of(&projected.rows.view());
                Packed::Bytes(self.bytes(projected, &steps), steps)
            }
        };
    }

    fn reals(&self, projected: &Projected) -> Panels<f32> {
        let mut panels = Panels::new();
        let width = projected.rows.ncols();
        panels.pack(self.slots.len(), width, |slot, target| {
            let row = match self.slots[slot] {
                NONE => return empty_panel(target, 0.0),
                row => row as usize,
            };
            (target.iter_mut().zip(projected.rows.row(row))).for_each(|(to, &y)| *to = y);
            if self.packing == Packing::Centred {
                let centre = self.centres.rows.row(self.homes[row] as usize);
                (target.iter_mut().zip(centre)).for_each(|(to, m)| *to -= m);
            }
            let half = (f32::product_wide(target, target) / 2.0) as f32;
            Own::even(-(half + projected.additions[row]))
        });
        panels
    }

    fn bytes(&self, projected: &Projected, steps: &Steps) -> Panels<Quad> {
        let mut panels = Panels::new();
        let write = |slot: usize, target: &mut [Quad]| match self.slots[slot] {
            NONE => empty_panel(target, Quad::ZERO),
            row => written(steps, projected, row as usize, target),
        };
        panels.pack(self.slots.len(), steps.n_quads(), write);
        panels
    }

    /// Number of rows in a cell.
    pub(super) fn size(&self, cell: usize) -> usize {
        self.members.of_cell(cell).len()
    }

    /// The panels of a cell.
    pub(super) fn range(&self, cell: usize) -> std::ops::Range<usize> {
        self.first_panels[cell]..self.first_panels[cell + 1]
    }

    /// Rows that belong together, at most `most` at a time: what one job does. Jobs that read the same rows mostly follow each other.
    pub(super) fn jobs(&self, most: usize) -> Vec<&[u32]> {
        let cells = self.order.iter();
        cells
            .map(|&cell| self.members.of_cell(cell as usize))
            .flat_map(|rows| {
                // Parts of equal size, so that none is left with a few rows.
                let size = rows.len().div_ceil(rows.len().div_ceil(most).max(1));
                blocks(rows.len(), size)
                    .into_iter()
                    .map(move |part| &rows[part])
            })
            .collect()
    }
}

/// Fills up a panel.
fn empty_panel<T: Score>(target: &mut [T], zero: T) -> Own<T::Sum> {
    target.fill(zero);
    Own {
        start: T::Sum::LEAST,
        turn: T::Sum::MOST,
    }
}
