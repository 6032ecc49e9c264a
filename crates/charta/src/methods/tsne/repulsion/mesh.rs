//! A potential on the nodes of a grid in the plane: charges in, their convolution with the kernel out.
//!
//! Rows act on nodes, and nodes on points, through cubic B-splines. Along an axis those multiply a wave of angle t per node by
//! b(t) = (2 + cos t) / 3, on the way in and on the way out, which the Fourier transform of the kernel's samples is divided by. The
//! plane is padded to twice its size, so that no row acts around the edge.
//!
//! Unser, "Splines: a perfect fit for signal and image processing", 1999; Hockney and Eastwood, "Computer simulation using particles",
//! 1988.

use std::f64::consts::TAU;
use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;
use realfft::num_complex::Complex;
use realfft::{ComplexToReal, FftError, FftNum, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftPlanner};

use crate::error::{Error, Result, message};
use crate::linalg::Real;

/// Columns that are transformed together.
const TILE: usize = 16;
/// Nodes beyond twice the grid: what dividing by b² reaches around the edge has died away there.
const MARGIN: usize = 12;
/// Rows of nodes beyond the grid, so that bands of rows at its end are whole.
const SPARE: usize = 24;

/// The two precisions, for transforms.
pub(super) trait Number: Real + FftNum {}

impl Number for f32 {}
impl Number for f64 {}

/// The smallest even number with no prime factor above 5 that is enough for this many nodes.
pub(super) fn padded(n_nodes: usize) -> usize {
    let smooth = |size: &usize| {
        let mut rest = *size;
        for factor in [2, 3, 5] {
            while rest.is_multiple_of(factor) {
                rest /= factor;
            }
        }
        rest == 1
    };
    let least = (2 * n_nodes + MARGIN).next_multiple_of(2);
    let sizes = (least..).step_by(2);
    sizes.into_iter().find(smooth).unwrap_or(least)
}

/// The nodes, and what it takes to convolve them.
pub(super) struct Mesh<T: Number> {
    /// Padded lengths of a row and of a column.
    sizes: [usize; 2],
    /// Rows of nodes that can be other than zero.
    n_rows: usize,
    /// Numbers of a row's transform.
    width: usize,
    /// As many as fill its tiles.
    filled: usize,
    /// The nodes: first charges, then the potential.
    pub(super) nodes: Vec<T>,
    spectrum: Vec<Complex<T>>,
    tiles: Vec<Complex<T>>,
    /// The kernel's transform, for half of each column: the other half mirrors it.
    influence: Vec<T>,
    forward: Arc<dyn RealToComplex<T>>,
    backward: Arc<dyn ComplexToReal<T>>,
    down: Arc<dyn Fft<T>>,
    up: Arc<dyn Fft<T>>,
}

impl<T: Number> fmt::Debug for Mesh<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mesh")
            .field("sizes", &self.sizes)
            .finish_non_exhaustive()
    }
}

impl<T: Number> Mesh<T> {
    /// A mesh whose rows and columns are padded to these sizes; `kernel` takes the squared distance in nodes.
    pub(super) fn new(sizes: [usize; 2], kernel: impl Fn(f64) -> f64 + Sync) -> Result<Self> {
        let n_rows = (sizes[1] - MARGIN) / 2;
        let width = sizes[0] / 2 + 1;
        let filled = width.next_multiple_of(TILE);
        let zero = Complex::new(T::of(0.0), T::of(0.0));
        let (mut real, mut whole) = (RealFftPlanner::new(), FftPlanner::new());
        Ok(Self {
            sizes,
            n_rows,
            width,
            filled,
            nodes: vec![T::of(0.0); (n_rows + SPARE) * sizes[0]],
            spectrum: vec![zero; n_rows * filled],
            tiles: vec![zero; n_rows * filled],
            influence: influence(sizes, filled, kernel)?,
            forward: real.plan_fft_forward(sizes[0]),
            backward: real.plan_fft_inverse(sizes[0]),
            down: whole.plan_fft_forward(sizes[1]),
            up: whole.plan_fft_inverse(sizes[1]),
        })
    }

    /// Padded lengths of a row and of a column.
    pub(super) fn sizes(&self) -> [usize; 2] {
        self.sizes
    }

    /// Turns the charges on the nodes into their potential.
    pub(super) fn convolve(&mut self) -> Result<()> {
        self.rows_forward().map_err(broken)?;
        self.columns();
        self.rows_backward().map_err(broken)
    }

    fn rows_forward(&mut self) -> std::result::Result<(), FftError> {
        let forward = &self.forward;
        self.nodes
            .par_chunks_mut(self.sizes[0])
            .zip(self.spectrum.par_chunks_mut(self.filled))
            .try_for_each_init(
                || forward.make_scratch_vec(),
                |scratch, (row, spectrum)| {
                    let target = &mut spectrum[..self.width];
                    forward.process_with_scratch(row, target, scratch)
                },
            )
    }

    /// Down the columns, times the kernel, and up again, a tile of columns at a time.
    fn columns(&mut self) {
        let (length, n_rows, filled) = (self.sizes[1], self.n_rows, self.filled);
        let half = length / 2 + 1;
        let (down, up) = (&self.down, &self.up);
        let (spectrum, influence) = (&self.spectrum, &self.influence);
        let zero = Complex::new(T::of(0.0), T::of(0.0));
        self.tiles
            .par_chunks_mut(n_rows * TILE)
            .enumerate()
            .for_each_init(
                || {
                    let scratch = down
                        .get_inplace_scratch_len()
                        .max(up.get_inplace_scratch_len());
                    (vec![zero; length * TILE], vec![zero; scratch])
                },
                |(columns, scratch), (tile, target)| {
                    for lane in 0..TILE {
                        columns[lane * length + n_rows..(lane + 1) * length].fill(zero);
                    }
                    for row in 0..n_rows {
                        let start = row * filled + tile * TILE;
                        for (lane, value) in spectrum[start..start + TILE].iter().enumerate() {
                            columns[lane * length + row] = *value;
                        }
                    }
                    down.process_with_scratch(columns, scratch);
                    for lane in 0..TILE {
                        let first = (tile * TILE + lane) * half;
                        let kernel = &influence[first..first + half];
                        let column = &mut columns[lane * length..(lane + 1) * length];
                        let (start, end) = column.split_at_mut(half);
                        for (value, factor) in start.iter_mut().zip(kernel) {
                            *value = value.scale(*factor);
                        }
                        for (value, factor) in end.iter_mut().rev().zip(&kernel[1..]) {
                            *value = value.scale(*factor);
                        }
                    }
                    up.process_with_scratch(columns, scratch);
                    for (row, target) in target.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
                        for (lane, value) in target.iter_mut().enumerate() {
                            *value = columns[lane * length + row];
                        }
                    }
                },
            );
    }

    fn rows_backward(&mut self) -> std::result::Result<(), FftError> {
        let (backward, tiles) = (&self.backward, &self.tiles);
        let (n_rows, width, filled) = (self.n_rows, self.width, self.filled);
        let zero = Complex::new(T::of(0.0), T::of(0.0));
        self.nodes
            .par_chunks_mut(self.sizes[0])
            .take(n_rows)
            .enumerate()
            .try_for_each_init(
                || (vec![zero; filled], backward.make_scratch_vec()),
                |(line, scratch), (row, target)| {
                    for (tile, part) in line.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
                        let start = (tile * n_rows + row) * TILE;
                        part.copy_from_slice(&tiles[start..start + TILE]);
                    }
                    // Real by symmetry; what rounding left there is refused.
                    line[0].im = T::of(0.0);
                    line[width - 1].im = T::of(0.0);
                    backward.process_with_scratch(&mut line[..width], target, scratch)
                },
            )
    }
}

/// The transform of the kernel's samples, divided by the splines' and by what the transforms multiply by. It is real and even.
fn influence<T: Number>(
    [across, down]: [usize; 2],
    filled: usize,
    kernel: impl Fn(f64) -> f64 + Sync,
) -> Result<Vec<T>> {
    let (width, half) = (across / 2 + 1, down / 2 + 1);
    let mut planner = RealFftPlanner::<f64>::new();
    let (along, upright) = (
        planner.plan_fft_forward(across),
        planner.plan_fft_forward(down),
    );
    let away = |index: usize, size: usize| index.min(size - index) as f64;
    let spline = |index: usize, size: usize| {
        let waves = (2.0 + (TAU * index as f64 / size as f64).cos()) / 3.0;
        waves * waves
    };
    // Rows of the samples, which mirror each other, so that half of them will do.
    let rows: Vec<Vec<f64>> = (0..half)
        .into_par_iter()
        .map(|row| {
            let mut samples: Vec<f64> = (0..across)
                .map(|column| kernel(away(column, across).powi(2) + (row as f64).powi(2)))
                .collect();
            let mut waves = along.make_output_vec();
            along.process(&mut samples, &mut waves).map_err(broken)?;
            Ok(waves.iter().map(|wave| wave.re).collect())
        })
        .collect::<Result<_>>()?;
    let mut result = vec![T::of(0.0); filled * half];
    result
        .par_chunks_mut(half)
        .take(width)
        .enumerate()
        .try_for_each(|(column, target)| {
            let mut samples: Vec<f64> = (0..down)
                .map(|row| rows[row.min(down - row)][column])
                .collect();
            let mut waves = upright.make_output_vec();
            upright.process(&mut samples, &mut waves).map_err(broken)?;
            let scale = spline(column, across) * across as f64 * down as f64;
            for (row, (target, wave)) in target.iter_mut().zip(&waves).enumerate() {
                *target = T::of(wave.re / (scale * spline(row, down)));
            }
            Ok(())
        })?;
    Ok(result)
}

/// Lengths that do not agree: a mistake of this module.
fn broken(error: FftError) -> Error {
    Error::NotConverged {
        what: message!("the Fourier transform of the grid"),
        reached: message!("{}", error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_even_and_have_small_factors() {
        assert_eq!(padded(48), 108);
        assert_eq!(padded(600), 1250);
        for n_nodes in 20..3000 {
            let size = padded(n_nodes);
            assert!(size >= 2 * n_nodes + MARGIN && size.is_multiple_of(2));
            assert!(size < 3 * n_nodes + 40);
        }
    }
}
