//! Sums of products of all pairs of columns, about a shift: the heavy part of the moments.
//!
//! Rows are packed in chunks, shifted, panel by panel; each tile of the result belongs to one job, and
//! takes the chunks in order. Chunks of small whole numbers, such as images and counts, are packed as
//! 16-bit integers where the processor multiplies those twice as fast: their sums are exact.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use std::cmp::Ordering;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Slice};
use num_traits::Zero;

use super::scatter_kernel::{Kernel, LEFT, Level, PACK, PANEL, Packed, Whole};
use crate::error::Result;
use crate::parallel::{blocks, for_each};
use crate::run::Run;

/// Rows whose products are summed in the input's precision, or as integers.
const CHUNK: usize = 256;

/// Sums about a shift.
pub(super) struct Sums {
    /// What was subtracted from each column.
    pub(super) shift: Array1<f64>,
    /// Sums of the shifted columns.
    pub(super) columns: Array1<f64>,
    /// Sums of products of shifted columns, both triangles.
    pub(super) products: Array2<f64>,
    /// Some products were summed in single precision.
    pub(super) single: bool,
}

/// Sums about the mean of the first rows.
pub(super) fn about_first_mean<T: Kernel>(run: &Run<'_>, x: &ArrayView2<'_, T>) -> Result<Sums> {
    let (n_rows, n_columns) = x.dim();
    let level = Level::detect();
    let first = x.slice_axis(Axis(0), Slice::from(..n_rows.min(CHUNK)));
    let mut whole = Whole::detect().filter(|_| first.iter().all(|value| value.whole().is_some()));
    let shift = mean(&first, whole.is_some());
    let scale = scale(&first, &shift);
    let layout = Layout::of(n_columns);
    let mut tiles = layout.tiles();
    let n_packs = CHUNK.min(n_rows).div_ceil(PACK);
    let mut numbers: Vec<T> = Vec::new();
    let mut integers = vec![
        0_i16;
        if whole.is_some() {
            n_packs * layout.stride
        } else {
            0
        }
    ];
    for block in blocks(n_rows, CHUNK) {
        let end = block.end;
        let rows = x.slice_axis(Axis(0), Slice::from(block));
        // Once a chunk is not of whole numbers, the others are not tried.
        whole =
            whole.filter(|_| layout.pack(&rows, &mut integers, |r, p| pack_whole(r, &shift, p)));
        if let Some(kernel) = whole {
            let packed = layout.packed(&integers, rows.nrows());
            layout.add(&mut tiles, |left, right, sums| {
                kernel.accumulate(packed, left, right, sums);
            });
        } else {
            numbers.resize(n_packs * layout.stride, T::of(0.0));
            layout.pack(&rows, &mut numbers, |r, p| {
                pack_numbers(r, &shift, scale, p)
            });
            let packed = layout.packed(&numbers, rows.nrows());
            layout.add(&mut tiles, |left, right, sums| {
                T::accumulate(level, packed, left, right, sums);
            });
        }
        run.progress(end as u64, n_rows as u64)?;
    }
    let (mut columns, mut products) = layout.assemble(&tiles);
    if scale != T::of(1.0) {
        // The ones were scaled as well.
        columns /= scale.wide() * scale.wide();
        products /= scale.wide() * scale.wide();
    }
    Ok(Sums {
        shift: shift.mapv(T::wide),
        columns,
        products,
        single: whole.is_none() && T::epsilon().wide() > f64::EPSILON,
    })
}

/// A power of two that brings values to a size whose squares the precision can hold; 1 for most.
fn scale<T: Kernel>(rows: &ArrayView2<'_, T>, shift: &Array1<T>) -> T {
    let mut largest = 0.0_f64;
    for row in rows.rows() {
        for (value, shift) in row.iter().zip(shift) {
            let size = (value.wide() - shift.wide()).abs();
            if size.is_finite() {
                largest = largest.max(size);
            }
        }
    }
    let exact = T::epsilon().wide() <= f64::EPSILON;
    if exact || largest == 0.0 || (1e-9..1e9).contains(&largest) {
        return T::of(1.0);
    }
    T::of((-largest.log2().round()).clamp(-100.0, 100.0).exp2())
}

/// The columns' means in the input's precision, rounded to whole numbers if requested: summed as differences
/// from the first row, so that those of constant columns are exact. A mean that is not finite would
/// spread to every row; the sums show it all the same.
fn mean<T: Kernel>(rows: &ArrayView2<'_, T>, whole: bool) -> Array1<T> {
    let first = rows.row(0).mapv(T::wide);
    let mut sums = Array1::<f64>::zeros(rows.ncols());
    for row in rows.rows() {
        for ((sum, &value), &first) in sums.iter_mut().zip(row).zip(&first) {
            *sum += value.wide() - first;
        }
    }
    let means = first + sums / rows.nrows() as f64;
    means.mapv(|mean| {
        let mean = if whole { mean.round() } else { mean };
        T::of(if mean.is_finite() { mean } else { 0.0 })
    })
}

/// One square of the lower triangle: panel `left` against panel `right`.
struct Tile {
    left: usize,
    right: usize,
    sums: Vec<f64>,
}

/// How columns are laid out in panels, with a column of ones behind them: its products are the
/// columns' sums.
struct Layout {
    n_columns: usize,
    n_panels: usize,
    /// Numbers of one pack.
    stride: usize,
}

impl Layout {
    fn of(n_columns: usize) -> Self {
        let n_panels = (n_columns + 1).div_ceil(PANEL);
        Self {
            n_columns,
            n_panels,
            stride: n_panels * PACK * PANEL,
        }
    }

    fn tiles(&self) -> Vec<Tile> {
        (0..self.n_panels)
            .flat_map(|left| (0..=left).map(move |right| (left, right)))
            .map(|(left, right)| Tile {
                left,
                right,
                sums: vec![0.0; PANEL * PANEL],
            })
            .collect()
    }

    fn packed<'a, E>(&self, numbers: &'a [E], n_rows: usize) -> Packed<'a, E> {
        Packed {
            numbers,
            stride: self.stride,
            n_packs: n_rows.div_ceil(PACK),
        }
    }

    /// Packs rows; `pack_rows` fills one pack and returns whether its numbers fit.
    fn pack<T: Kernel, E: Copy + Zero + Send + Sync>(
        &self,
        rows: &ArrayView2<'_, T>,
        numbers: &mut [E],
        pack_rows: impl Fn(&ArrayView2<'_, T>, &mut [E]) -> bool + Sync,
    ) -> bool {
        let packs = numbers.chunks_mut(self.stride);
        let parts = packs.zip(rows.axis_chunks_iter(Axis(0), PACK));
        let all_fit = AtomicBool::new(true);
        for_each(parts, |_, (pack, rows)| {
            if rows.nrows() < PACK {
                pack.fill(E::zero());
            }
            if !pack_rows(&rows, pack) {
                all_fit.store(false, Relaxed);
            }
        });
        all_fit.into_inner()
    }

    /// Adds the products of a chunk to all tiles.
    fn add(&self, tiles: &mut [Tile], accumulate: impl Fn(usize, usize, &mut [f64]) + Sync) {
        let per_job = (tiles.len() / 32).max(1);
        let panel = PACK * PANEL;
        for_each(tiles.chunks_mut(per_job), |_, tiles| {
            for tile in tiles {
                for (group, sums) in tile.sums.chunks_mut(LEFT * PANEL).enumerate() {
                    let column = tile.left * PANEL + group * LEFT;
                    if column <= self.n_columns {
                        let left = tile.left * panel + group * LEFT;
                        accumulate(left, tile.right * panel, sums);
                    }
                }
            }
        });
    }

    /// The columns' sums, and the sums of products with both triangles filled.
    fn assemble(&self, tiles: &[Tile]) -> (Array1<f64>, Array2<f64>) {
        let mut columns = Array1::zeros(self.n_columns);
        let mut products = Array2::zeros((self.n_columns, self.n_columns));
        for tile in tiles {
            for (index, &sum) in tile.sums.iter().enumerate() {
                let row = tile.left * PANEL + index / PANEL;
                let column = tile.right * PANEL + index % PANEL;
                if column > row || column >= self.n_columns {
                    continue;
                }
                if row < self.n_columns {
                    products[[row, column]] = sum;
                    products[[column, row]] = sum;
                } else if row == self.n_columns {
                    columns[column] = sum;
                }
            }
        }
        (columns, products)
    }
}

/// A shifted value; the one behind the columns; nothing beyond.
fn shifted<T: Kernel>(row: &ArrayView1<'_, T>, shift: &Array1<T>, column: usize) -> T {
    match column.cmp(&row.len()) {
        Ordering::Less => row[column] - shift[column],
        Ordering::Equal => T::of(1.0),
        Ordering::Greater => T::of(0.0),
    }
}

/// Rows one after the other in each panel.
fn pack_numbers<T: Kernel>(
    rows: &ArrayView2<'_, T>,
    shift: &Array1<T>,
    scale: T,
    pack: &mut [T],
) -> bool {
    for (index, row) in rows.rows().into_iter().enumerate() {
        let plain = row.as_slice().zip(shift.as_slice());
        for (panel, start) in pack.chunks_mut(PACK * PANEL).zip((0..).step_by(PANEL)) {
            let target = &mut panel[index * PANEL..(index + 1) * PANEL];
            match plain {
                Some((row, shift)) if start + PANEL <= row.len() => {
                    let (row, shift) = (&row[start..start + PANEL], &shift[start..start + PANEL]);
                    for ((to, &from), &shift) in target.iter_mut().zip(row).zip(shift) {
                        *to = (from - shift) * scale;
                    }
                }
                _ => {
                    for (to, column) in target.iter_mut().zip(start..) {
                        *to = shifted(&row, shift, column) * scale;
                    }
                }
            }
        }
    }
    true
}

/// Two rows at a time, interleaved, as 16-bit integers. False if a value is not a small whole number.
fn pack_whole<T: Kernel>(rows: &ArrayView2<'_, T>, shift: &Array1<T>, pack: &mut [i16]) -> bool {
    let mut fits = true;
    for index in (0..rows.nrows()).step_by(2) {
        let first = rows.row(index);
        let second = (index + 1 < rows.nrows()).then(|| rows.row(index + 1));
        for (panel, start) in pack.chunks_mut(PACK * PANEL).zip((0..).step_by(PANEL)) {
            let target = &mut panel[index * PANEL..(index + 2) * PANEL];
            let plain = first
                .as_slice()
                .zip(second.as_ref().and_then(|row| row.as_slice()))
                .zip(shift.as_slice());
            match plain {
                Some(((first, second), shift)) if start + PANEL <= first.len() => {
                    let columns = start..start + PANEL;
                    let (first, second) = (&first[columns.clone()], &second[columns.clone()]);
                    fits &= T::pack_pair(first, second, &shift[columns], target);
                }
                _ => {
                    for (pair, column) in target.chunks_mut(2).zip(start..) {
                        let a = shifted(&first, shift, column).whole();
                        let b = match &second {
                            Some(second) => shifted(second, shift, column).whole(),
                            None => Some(0),
                        };
                        fits &= a.is_some() && b.is_some();
                        pair[0] = a.unwrap_or(0);
                        pair[1] = b.unwrap_or(0);
                    }
                }
            }
        }
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below, stream};

    /// Whole numbers, with `corrupted` rows that are not.
    fn counts(n_rows: usize, n_columns: usize, corrupted: &[usize]) -> Array2<f64> {
        let mut numbers = stream(2, 0);
        let mut x = Array2::from_shape_fn((n_rows, n_columns), |(_, j)| {
            below(&mut numbers, 3 + 5 * j) as f64 - j as f64
        });
        for &row in corrupted {
            x[[row, n_columns / 2]] += 0.25;
        }
        x
    }

    fn check<T: Kernel>(x: &Array2<f64>) {
        let sums = about_first_mean(&Run::new(), &x.mapv(T::of).view()).unwrap();
        let moved = x - &sums.shift;
        let want = moved.t().dot(&moved);
        assert_eq!(sums.products, want);
        assert_eq!(sums.columns, moved.sum_axis(Axis(0)));
    }

    #[test]
    fn whole_numbers_give_exact_sums_for_any_shape() {
        for (n_rows, n_columns) in [(1, 1), (2, 3), (31, 31), (33, 32), (257, 33), (700, 70)] {
            let x = counts(n_rows, n_columns, &[]);
            check::<f32>(&x);
            check::<f64>(&x);
        }
    }

    #[test]
    fn a_row_of_other_numbers_changes_the_way_but_not_the_sums() {
        for corrupted in [0, 255, 256, 600] {
            // Quarters are exact in both precisions, so that the sums are too.
            let mut x = counts(700, 40, &[corrupted]);
            x.row_mut(1).mapv_inplace(|value| value.min(3.0));
            let exact = about_first_mean(&Run::new(), &x.view()).unwrap();
            let moved = &x - &exact.shift;
            let want = moved.t().dot(&moved);
            assert!((&exact.products - &want).iter().all(|d| d.abs() < 1e-6));
        }
    }

    #[test]
    fn numbers_too_large_for_the_short_way_take_the_other() {
        let x = counts(300, 5, &[]) * 1000.0;
        let sums = about_first_mean(&Run::new(), &x.view()).unwrap();
        let moved = &x - &sums.shift;
        let want = moved.t().dot(&moved);
        let scale = want[[4, 4]];
        assert!(
            (&sums.products - &want)
                .iter()
                .all(|d| d.abs() < 1e-12 * scale)
        );
    }

    #[test]
    fn single_precision_holds_squares_of_any_size() {
        let x = counts(300, 6, &[0]);
        let want = about_first_mean(&Run::new(), &x.view()).unwrap();
        for size in [1e-30, 1e-12, 1e12, 1e30] {
            let small = x.mapv(|value| (value * size) as f32);
            let sums = about_first_mean(&Run::new(), &small.view()).unwrap();
            let ratio = sums.products[[5, 5]] / (size * size) / want.products[[5, 5]];
            assert!((ratio - 1.0).abs() < 1e-5, "{size}: {ratio}");
            let ratio =
                (sums.shift[5] + sums.columns[5] / 300.0) / (size * x.column(5).sum() / 300.0);
            assert!((ratio - 1.0).abs() < 1e-5, "{size}: {ratio}");
        }
    }
}
