//! Projection of rows to few dimensions, from which distances are estimated.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};

use super::points::Points;
use crate::error::Result;
use crate::linalg::inner_product_join::distance::Measure;
use crate::linalg::orthogonal::orthonormal_columns;
use crate::linalg::product::{product, product_into};
use crate::parallel::{map_blocks, try_for_each};
use crate::random::{normal, stream};
use crate::run::Run;

/// Rows from which the axes are found.
const SAMPLE: usize = 4096;
/// Rounds of subspace iteration.
const ROUNDS: usize = 2;
/// How far the parts of two rows that the axes miss are taken to point the same way.
const ALPHA: f64 = 0.4;
/// Rows that one job projects: so few that their shifted copy stays in the cache.
const BLOCK: usize = 128;

/// Rows shifted and scaled, in single precision: numbers near 1, whatever the data's unit.
#[derive(Debug)]
pub(super) struct Frame {
    mean: Vec<f64>,
    scale: f64,
}

impl Frame {
    /// The mean of strided rows, and a power of two that brings their lengths near 1.
    pub(super) fn of<T: Measure>(points: &Points<'_, T>) -> Self {
        let rows = strided(points.n_rows(), SAMPLE);
        let mut space = vec![T::of(0.0); points.n_columns()];
        let mut mean = vec![0.0; points.n_columns()];
        let share = 1.0 / rows.len() as f64;
        for &row in &rows {
            let row = points.read(row, &mut space);
            (mean.iter_mut().zip(row)).for_each(|(mean, &value)| *mean += value.wide() * share);
        }
        let mut spread = 0.0;
        for &row in &rows {
            let row = points.read(row, &mut space);
            let apart = mean.iter().zip(row).map(|(m, &x)| (x.wide() - m).powi(2));
            spread += apart.sum::<f64>() * share;
        }
        let scale = if spread.is_finite() && spread > 0.0 {
            (-0.5 * spread.log2()).round().exp2()
        } else {
            1.0
        };
        Self { mean, scale }
    }

    /// A row in this frame; `space` is room for a row of the data.
    pub(super) fn write<T: Measure>(
        &self,
        points: &Points<'_, T>,
        row: usize,
        space: &mut [T],
        target: &mut [f32],
    ) {
        let row = points.read(row, space);
        for ((to, &from), mean) in target.iter_mut().zip(row).zip(&self.mean) {
            *to = ((from.wide() - mean) * self.scale) as f32;
        }
    }

    /// A squared distance of the data, in this frame.
    pub(super) fn squared(&self, squared: f64) -> f64 {
        squared * self.scale * self.scale
    }

    /// Some rows in this frame.
    fn block<T: Measure>(&self, points: &Points<'_, T>, rows: &[usize]) -> Array2<f32> {
        let mut block = Array2::zeros((rows.len(), points.n_columns()));
        let mut space = vec![T::of(0.0); points.n_columns()];
        for (mut target, &row) in block.rows_mut().into_iter().zip(rows) {
            let target = target.as_slice_mut().expect("a new array is in row order");
            self.write(points, row, &mut space, target);
        }
        block
    }
}

/// This many rows, as far apart as possible; all if there are not more.
pub(super) fn strided(n_rows: usize, count: usize) -> Vec<usize> {
    let count = count.min(n_rows);
    (0..count).map(|i| i * n_rows / count).collect()
}

/// Rows in few columns, and what each adds to its guessed squared distances: for columns y and additions e,
/// the guess is |y_a − y_b|² + 2 e_a + 2 e_b.
#[derive(Debug)]
pub(super) struct Projected {
    pub(super) rows: Array2<f32>,
    pub(super) additions: Vec<f32>,
}

impl Projected {
    /// The squared length of a row, what the axes miss included.
    pub(super) fn squared_length(&self, row: usize) -> f64 {
        let seen: f64 = (self.rows.row(row).iter())
            .map(|&y| f64::from(y).powi(2))
            .sum();
        seen + 2.0 * f64::from(self.additions[row])
    }

    /// Projects on `width` columns: the leading axes, and the length of what they miss; or the rows as they
    /// are if they are not wider. `None` if the numbers do not fit into single precision.
    pub(super) fn of<T: Measure>(
        run: &Run<'_>,
        points: &Points<'_, T>,
        frame: &Frame,
        width: usize,
        seed: u64,
    ) -> Result<Option<Self>> {
        let axes = (width < points.n_columns()).then(|| axes(frame, points, width - 1, seed));
        let width = width.min(points.n_columns());
        let mut rows = Array2::<f32>::zeros((points.n_rows(), width));
        let mut additions = vec![0.0; points.n_rows()];
        let targets = rows.axis_chunks_iter_mut(Axis(0), BLOCK);
        let parts = targets.zip(additions.chunks_mut(BLOCK));
        try_for_each(run, parts, |block, (mut target, additions)| {
            let numbers: Vec<usize> = (block * BLOCK..).take(additions.len()).collect();
            let plain = frame.block(points, &numbers);
            match &axes {
                Some(axes) => project(target, &plain, &axes.view(), additions),
                None => target.assign(&plain),
            }
            Ok(())
        })?;
        let finite = additions.iter().all(|value| value.is_finite())
            && map_blocks(run, rows.nrows(), BLOCK, |block| {
                let block = rows.slice(s![block, ..]);
                block.iter().all(|value| value.abs() < 1e15)
            })?
            .into_iter()
            .all(|fits| fits);
        Ok(finite.then_some(Self { rows, additions }))
    }
}

/// The images of a block, the length of what is missed as last column, and the additions.
fn project(
    mut target: ArrayViewMut2<'_, f32>,
    plain: &Array2<f32>,
    axes: &ArrayView2<'_, f32>,
    additions: &mut [f32],
) {
    let last = axes.ncols();
    product_into(target.slice_mut(s![.., ..last]), &plain.view(), axes);
    let rows = target.rows_mut().into_iter().zip(plain.rows());
    for ((mut image, row), addition) in rows.zip(additions) {
        let row = row.to_slice().expect("blocks are in row order");
        let image = image.as_slice_mut().expect("images are in row order");
        let all = f32::product_wide(row, row);
        let seen = f32::product_wide(&image[..last], &image[..last]);
        let missed = (all - seen).max(0.0);
        image[last] = (ALPHA * missed).sqrt() as f32;
        *addition = ((1.0 - ALPHA) / 2.0 * missed) as f32;
    }
}

/// An orthonormal basis near the leading axes of strided rows, one axis a column.
fn axes<T: Measure>(frame: &Frame, points: &Points<'_, T>, count: usize, seed: u64) -> Array2<f32> {
    let sample = frame.block(points, &strided(points.n_rows(), SAMPLE));
    let mut draw = stream(seed, 0);
    let mut basis =
        Array2::from_shape_simple_fn((points.n_columns(), count), || normal(&mut draw) as f32);
    for _ in 0..ROUNDS {
        let images = product(&sample.view(), &basis.view());
        let turned = product(&sample.t(), &images.view());
        let orthonormal = orthonormal_columns(&turned.mapv(f64::from).view());
        basis = orthonormal.mapv(|value| value as f32);
    }
    basis
}
