//! Barnes–Hut repulsion: a cell of the tree that is small as seen from a row counts as one body.
//!
//! Rows are sorted along Morton's curve, so that every cell is a range of them, and the tree follows from the positions alone. A
//! distant cell acts by its number of rows, its centre, and how far its rows spread: k(s) is corrected by half the variance times the
//! Laplacian of k, without which Z comes out too small by a hundredth.
//!
//! Barnes and Hut, "A hierarchical O(N log N) force-calculation algorithm", 1986; van der Maaten, "Accelerating t-SNE using tree-based
//! algorithms", 2014.

use rayon::prelude::*;

use super::Kernel;
use crate::morton::{bits, spatial_order};

/// Rows that one job handles.
const BLOCK: usize = 256;
/// Rows that a cell is not cut for.
const LEAF: usize = 8;

/// A cell: a range of the sorted rows.
#[derive(Clone, Copy, Debug)]
struct Cell<const D: usize> {
    start: u32,
    end: u32,
    /// The next cell that is not within this one.
    next: u32,
    leaf: bool,
    centre: [f32; D],
    /// Mean squared distance from the centre along an axis.
    variance: f32,
    /// Squared length of the longest side of the box around its rows.
    side: f32,
}

/// A tree over fixed rows.
#[derive(Debug)]
pub(in crate::methods::tsne) struct Tree<const D: usize> {
    kernel: Kernel,
    order: Vec<u32>,
    codes: Vec<u64>,
    coordinates: Vec<[f32; D]>,
    cells: Vec<Cell<D>>,
    sorted: Vec<[f32; D]>,
}

impl<const D: usize> Tree<D> {
    pub(super) fn new(kernel: Kernel) -> Self {
        Self {
            kernel,
            order: Vec::new(),
            codes: Vec::new(),
            coordinates: Vec::new(),
            cells: Vec::new(),
            sorted: Vec::new(),
        }
    }

    pub(super) fn set_rows(&mut self, coordinates: &[[f32; D]]) {
        (self.order, self.codes) = spatial_order(coordinates);
        self.coordinates.clear();
        self.coordinates
            .extend(self.order.iter().map(|&row| coordinates[row as usize]));
        self.cells.clear();
        if !coordinates.is_empty() {
            self.build(0, coordinates.len(), bits::<D>());
        }
    }

    /// Adds the cell of a range of rows, and those within it; `level` bits of each axis are left to tell them apart.
    fn build(&mut self, start: usize, end: usize, level: u32) {
        let rows = &self.coordinates[start..end];
        let count = rows.len() as f64;
        let (mut low, mut high) = ([f32::INFINITY; D], [f32::NEG_INFINITY; D]);
        let mut sums = [0.0; D];
        for row in rows {
            for axis in 0..D {
                low[axis] = low[axis].min(row[axis]);
                high[axis] = high[axis].max(row[axis]);
                sums[axis] += f64::from(row[axis]);
            }
        }
        let centre = sums.map(|sum| sum / count);
        let mut squares = 0.0;
        for row in rows {
            for axis in 0..D {
                squares += (f64::from(row[axis]) - centre[axis]).powi(2);
            }
        }
        let side = (0..D).fold(0.0f32, |most, axis| most.max(high[axis] - low[axis]));
        let at = self.cells.len();
        let leaf = rows.len() <= LEAF || level == 0;
        self.cells.push(Cell {
            start: start as u32,
            end: end as u32,
            next: 0,
            leaf,
            centre: centre.map(|value| value as f32),
            variance: (squares / (count * D as f64)) as f32,
            side: side * side,
        });
        if !leaf {
            let shift = (level - 1) * D as u32;
            let mut from = start;
            while from < end {
                let branch = self.codes[from] >> shift;
                let same = |code: &u64| (code >> shift) == branch;
                let to = from + self.codes[from..end].partition_point(same);
                self.build(from, to, level - 1);
                from = to;
            }
        }
        self.cells[at].next = self.cells.len() as u32;
    }

    pub(super) fn forces(&mut self, forces: &mut [[f32; D]]) -> f64 {
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.resize(self.coordinates.len(), [0.0; D]);
        let parts: Vec<f64> = sorted
            .par_chunks_mut(BLOCK)
            .enumerate()
            .map(|(block, targets)| {
                let mut sum = 0.0;
                for (offset, target) in targets.iter_mut().enumerate() {
                    let row = block * BLOCK + offset;
                    let (potential, push) = self.at(&self.coordinates[row], Some(row as u32));
                    sum += potential;
                    *target = push.map(|value| value as f32);
                }
                sum
            })
            .collect();
        for (&row, push) in self.order.iter().zip(&sorted) {
            forces[row as usize] = *push;
        }
        self.sorted = sorted;
        parts.iter().sum()
    }

    /// The potential at a point and the force there, without that of the sorted row `own`.
    pub(super) fn at(&self, point: &[f32; D], own: Option<u32>) -> (f64, [f64; D]) {
        let theta = (self.kernel.theta * self.kernel.theta) as f32;
        let mut found = (0.0, [0.0; D]);
        let mut at = 0;
        while let Some(cell) = self.cells.get(at) {
            let within = own.is_some_and(|row| (cell.start..cell.end).contains(&row));
            let (apart, squares) = difference(point, &cell.centre);
            let whole = !within && cell.side < theta * squares;
            // Rows with the same code are at one point.
            let lump = cell.leaf && cell.end - cell.start > LEAF as u32;
            if whole || lump {
                let count = cell.end - cell.start - u32::from(within);
                self.add_cell(cell, f64::from(count), &apart, squares, &mut found);
                at = cell.next as usize;
            } else if cell.leaf {
                for row in cell.start..cell.end {
                    if Some(row) != own {
                        self.add_row(point, &self.coordinates[row as usize], &mut found);
                    }
                }
                at = cell.next as usize;
            } else {
                at += 1;
            }
        }
        found
    }

    #[inline(always)]
    fn add_row(&self, point: &[f32; D], row: &[f32; D], found: &mut (f64, [f64; D])) {
        let (apart, squares) = difference(point, row);
        let (near, kernel) = self.values(squares);
        found.0 += f64::from(kernel);
        for (sum, side) in found.1.iter_mut().zip(apart) {
            *sum += f64::from(near * kernel * side);
        }
    }

    /// k + ½ v Δk and minus its derivative by s, where v is the variance along an axis: k′ = −k q, k″ = (α+1)/α k q²,
    /// k‴ = −(α+1)(α+2)/α² k q³ with q = 1/(1 + s/α).
    #[inline(always)]
    fn add_cell(
        &self,
        cell: &Cell<D>,
        count: f64,
        apart: &[f32; D],
        squares: f32,
        found: &mut (f64, [f64; D]),
    ) {
        let (near, kernel) = self.values(squares);
        let alpha = self.kernel.degrees_of_freedom as f32;
        let second = (alpha + 1.0) / alpha * near;
        let third = (alpha + 2.0) / alpha * near * second;
        let axes = D as f32;
        let half = 0.5 * cell.variance;
        let potential = 1.0 + half * near * (4.0 * squares * second - 2.0 * axes);
        let push = 1.0 - half * ((2.0 * axes + 4.0) * second - 4.0 * squares * third);
        found.0 += count * f64::from(kernel * potential);
        let push = count * f64::from(kernel * near * push);
        for (sum, &side) in found.1.iter_mut().zip(apart) {
            *sum += push * f64::from(side);
        }
    }

    /// 1 / (1 + s/α), and its power α.
    #[inline(always)]
    fn values(&self, squares: f32) -> (f32, f32) {
        let alpha = self.kernel.degrees_of_freedom as f32;
        let near = 1.0 / (1.0 + squares / alpha);
        let kernel = if alpha == 1.0 { near } else { near.powf(alpha) };
        (near, kernel)
    }
}

#[inline(always)]
fn difference<const D: usize>(a: &[f32; D], b: &[f32; D]) -> ([f32; D], f32) {
    let apart: [f32; D] = std::array::from_fn(|axis| a[axis] - b[axis]);
    (apart, apart.iter().map(|side| side * side).sum())
}
