//! Exact repulsion: all pairs of rows.

use rayon::prelude::*;

use super::Kernel;
use crate::linalg::wide::{self, Loop, step};

/// Numbers side by side.
const LANES: usize = 16;
/// Rows that one job handles.
const BLOCK: usize = 64;
/// Groups of rows that are summed in single precision before the sum is widened.
const RUN: usize = 64;

/// Rows in groups, one axis after the other.
#[derive(Debug)]
pub(in crate::methods::tsne) struct Exact<const D: usize> {
    kernel: Kernel,
    /// Groups of rows; those beyond the last row have weight 0.
    groups: Vec<([[f32; LANES]; D], [f32; LANES])>,
}

impl<const D: usize> Exact<D> {
    pub(super) fn new(kernel: Kernel) -> Self {
        Self {
            kernel,
            groups: Vec::new(),
        }
    }

    pub(super) fn set_rows(&mut self, coordinates: &[[f32; D]]) {
        self.groups.clear();
        self.groups.extend(coordinates.chunks(LANES).map(|rows| {
            let mut group = ([[0.0; LANES]; D], [0.0; LANES]);
            for (lane, row) in rows.iter().enumerate() {
                for (axis, point) in row.iter().enumerate() {
                    group.0[axis][lane] = *point;
                }
                group.1[lane] = 1.0;
            }
            group
        }));
    }

    pub(super) fn at(&self, point: &[f32; D]) -> (f64, [f64; D]) {
        wide::run(Sum {
            groups: &self.groups,
            point: *point,
            degrees_of_freedom: self.kernel.degrees_of_freedom as f32,
            n_components: self.kernel.n_components,
        })
    }

    pub(super) fn forces(&self, coordinates: &[[f32; D]], forces: &mut [[f32; D]]) -> f64 {
        let parts: Vec<f64> = coordinates
            .par_chunks(BLOCK)
            .zip(forces.par_chunks_mut(BLOCK))
            .map(|(coordinates, forces)| {
                let mut sum = 0.0;
                for (point, force) in coordinates.iter().zip(forces) {
                    let (potential, push) = self.at(point);
                    // A row does not repel itself.
                    sum += potential - 1.0;
                    *force = push.map(|value| value as f32);
                }
                sum
            })
            .collect();
        parts.iter().sum()
    }
}

/// The potential at a point, and the force there.
struct Sum<'a, const D: usize> {
    groups: &'a [([[f32; LANES]; D], [f32; LANES])],
    point: [f32; D],
    degrees_of_freedom: f32,
    n_components: usize,
}

impl<const D: usize> Loop for Sum<'_, D> {
    type Output = (f64, [f64; D]);

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> (f64, [f64; D]) {
        // Up to 3 coordinates the number is known to the compiler; further ones of `D` are 0 and are left out.
        let n_axes = if D > 3 { self.n_components.min(D) } else { D };
        let inverse = 1.0 / self.degrees_of_freedom;
        let plain = self.degrees_of_freedom == 1.0;
        let (mut potential, mut push) = (0.0, [0.0; D]);
        for groups in self.groups.chunks(RUN) {
            let mut sums = [0f32; LANES];
            let mut pushes = [[0f32; LANES]; D];
            for (group, weights) in groups {
                let mut apart = [[0f32; LANES]; D];
                let mut squares = [0f32; LANES];
                for axis in 0..n_axes {
                    for lane in 0..LANES {
                        apart[axis][lane] = self.point[axis] - group[axis][lane];
                        let side = apart[axis][lane];
                        squares[lane] = step::<f32, FUSED>(side, side, squares[lane]);
                    }
                }
                let mut near = [0f32; LANES];
                let mut kernel = [0f32; LANES];
                for lane in 0..LANES {
                    near[lane] = 1.0 / step::<f32, FUSED>(squares[lane], inverse, 1.0);
                    kernel[lane] = weights[lane] * near[lane];
                }
                if !plain {
                    for lane in 0..LANES {
                        kernel[lane] = weights[lane] * near[lane].powf(self.degrees_of_freedom);
                    }
                }
                for lane in 0..LANES {
                    sums[lane] += kernel[lane];
                    near[lane] *= kernel[lane];
                }
                for axis in 0..n_axes {
                    for lane in 0..LANES {
                        let whole = pushes[axis][lane];
                        pushes[axis][lane] =
                            step::<f32, FUSED>(near[lane], apart[axis][lane], whole);
                    }
                }
            }
            potential += total(&sums);
            for axis in 0..n_axes {
                push[axis] += total(&pushes[axis]);
            }
        }
        (potential, push)
    }
}

#[inline(always)]
fn total(lanes: &[f32; LANES]) -> f64 {
    lanes.iter().map(|&value| f64::from(value)).sum()
}
