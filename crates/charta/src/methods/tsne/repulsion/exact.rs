//! Repulsion of all pairs.

use rayon::prelude::*;

use crate::linalg::wide::{self, Loop, step};

/// Numbers side by side.
const LANES: usize = 16;
/// Rows that one job handles.
const BLOCK: usize = 64;
/// Groups of rows that are summed in single precision before the sum is widened.
const RUN: usize = 64;

/// Rows standing still, coordinate by coordinate.
#[derive(Debug)]
pub(in crate::methods::tsne) struct Exact<const D: usize> {
    freedom: f64,
    /// Groups of places; those beyond the last row have weight 0.
    groups: Vec<([[f32; LANES]; D], [f32; LANES])>,
}

impl<const D: usize> Exact<D> {
    pub(super) fn new(freedom: f64) -> Self {
        Self {
            freedom,
            groups: Vec::new(),
        }
    }

    pub(super) fn settle(&mut self, places: &[[f32; D]]) {
        self.groups.clear();
        self.groups.extend(places.chunks(LANES).map(|rows| {
            let mut group = ([[0.0; LANES]; D], [0.0; LANES]);
            for (lane, row) in rows.iter().enumerate() {
                for (axis, place) in row.iter().enumerate() {
                    group.0[axis][lane] = *place;
                }
                group.1[lane] = 1.0;
            }
            group
        }));
    }

    pub(super) fn at(&self, place: &[f32; D]) -> (f64, [f64; D]) {
        wide::run(Sum {
            groups: &self.groups,
            place: *place,
            freedom: self.freedom as f32,
        })
    }

    pub(super) fn forces(&self, places: &[[f32; D]], forces: &mut [[f32; D]]) -> f64 {
        let parts: Vec<f64> = places
            .par_chunks(BLOCK)
            .zip(forces.par_chunks_mut(BLOCK))
            .map(|(places, forces)| {
                let mut sum = 0.0;
                for (place, force) in places.iter().zip(forces) {
                    let (potential, push) = self.at(place);
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

/// The potential at a place, and the push there.
struct Sum<'a, const D: usize> {
    groups: &'a [([[f32; LANES]; D], [f32; LANES])],
    place: [f32; D],
    freedom: f32,
}

impl<const D: usize> Loop for Sum<'_, D> {
    type Output = (f64, [f64; D]);

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> (f64, [f64; D]) {
        let inverse = 1.0 / self.freedom;
        let plain = self.freedom == 1.0;
        let (mut potential, mut push) = (0.0, [0.0; D]);
        for groups in self.groups.chunks(RUN) {
            let mut sums = [0f32; LANES];
            let mut pushes = [[0f32; LANES]; D];
            for (group, weights) in groups {
                let mut apart = [[0f32; LANES]; D];
                let mut squares = [0f32; LANES];
                for axis in 0..D {
                    for lane in 0..LANES {
                        apart[axis][lane] = self.place[axis] - group[axis][lane];
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
                        kernel[lane] = weights[lane] * near[lane].powf(self.freedom);
                    }
                }
                for lane in 0..LANES {
                    sums[lane] += kernel[lane];
                    near[lane] *= kernel[lane];
                }
                for axis in 0..D {
                    for lane in 0..LANES {
                        let whole = pushes[axis][lane];
                        pushes[axis][lane] =
                            step::<f32, FUSED>(near[lane], apart[axis][lane], whole);
                    }
                }
            }
            potential += total(&sums);
            for axis in 0..D {
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
