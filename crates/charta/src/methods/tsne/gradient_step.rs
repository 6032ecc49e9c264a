//! One step of the descent: rows are drawn to those they are tied to, pushed by all, and move.
//!
//! Every row sums its own attraction over sixteen lanes in the order of its entries, from places that stand still, and writes its own
//! new place.
//!
//! The gradient of row i is Σ_j p_ij (y_i − y_j) / (1 + s/α), with the exaggeration, less the push divided by Z: the paper's without its
//! factor 4, as the learning rates of openTSNE have it. Gains follow Jacobs, "Increased rates of convergence through learning rate
//! adaptation", 1988.

use rayon::prelude::*;

use super::Affinities;
use crate::linalg::wide::{self, Loop, step};

/// Numbers side by side.
const LANES: usize = 16;
/// Lanes' worth of places that are fetched before they are used.
const AHEAD: usize = 4;
/// Rows that one job moves.
const BLOCK: usize = 1024;
/// What a gain grows by while a coordinate keeps its direction.
const GROWTH: f32 = 0.2;
/// What it shrinks to when the direction turns, and what is added then.
const SHRINKING: (f32, f32) = (0.8, 0.01);

/// The numbers of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// What affinities are multiplied by.
    pub(super) exaggeration: f32,
    /// What pushes are multiplied by: 1 / Z.
    pub(super) repulsion: f32,
    pub(super) learning_rate: f32,
    pub(super) momentum: f32,
    /// The furthest that a row moves.
    pub(super) longest: f32,
    /// 1 / α.
    pub(super) inverse: f32,
}

/// Rows in motion.
#[derive(Debug)]
pub(super) struct Motion<const D: usize> {
    pub(super) places: Vec<[f32; D]>,
    next: Vec<[f32; D]>,
    updates: Vec<[f32; D]>,
    gains: Vec<[f32; D]>,
    pub(super) forces: Vec<[f32; D]>,
}

impl<const D: usize> Motion<D> {
    /// Rows at rest.
    pub(super) fn new(places: Vec<[f32; D]>) -> Self {
        let n = places.len();
        Self {
            next: vec![[0.0; D]; n],
            updates: vec![[0.0; D]; n],
            gains: vec![[1.0; D]; n],
            forces: vec![[0.0; D]; n],
            places,
        }
    }

    /// Moves all rows once, and their mean to the origin; false if a place is no number any more.
    pub(super) fn advance(&mut self, affinities: &Affinities, step: Step) -> bool {
        let places = &self.places;
        let sums: Vec<[f64; D]> = self
            .next
            .par_chunks_mut(BLOCK)
            .zip(self.updates.par_chunks_mut(BLOCK))
            .zip(self.gains.par_chunks_mut(BLOCK))
            .zip(self.forces.par_chunks(BLOCK))
            .enumerate()
            .map(|(block, (((next, updates), gains), forces))| {
                wide::run(Pass {
                    first: block * BLOCK,
                    affinities,
                    places,
                    forces,
                    step,
                    moving: [next, updates, gains],
                })
            })
            .collect();
        let n = self.places.len() as f64;
        let mut mean = [0.0; D];
        for sum in &sums {
            for axis in 0..D {
                mean[axis] += sum[axis] / n;
            }
        }
        let mean = mean.map(|value| value as f32);
        std::mem::swap(&mut self.places, &mut self.next);
        self.places.par_chunks_mut(BLOCK).for_each(|places| {
            for place in places {
                for axis in 0..D {
                    place[axis] -= mean[axis];
                }
            }
        });
        mean.iter().all(|value| value.is_finite())
    }

    /// Puts the rows into another order: row i is row `order[i]` of these.
    pub(super) fn reorder(&mut self, order: &[u32]) {
        for rows in [&mut self.places, &mut self.updates, &mut self.gains] {
            *rows = order.iter().map(|&row| rows[row as usize]).collect();
        }
    }
}

struct Pass<'a, const D: usize> {
    first: usize,
    affinities: &'a Affinities,
    places: &'a [[f32; D]],
    forces: &'a [[f32; D]],
    step: Step,
    moving: [&'a mut [[f32; D]]; 3],
}

impl<const D: usize> Loop for Pass<'_, D> {
    type Output = [f64; D];

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> [f64; D] {
        let mut sum = [0.0; D];
        let [next, updates, gains] = self.moving;
        for (offset, force) in self.forces.iter().enumerate() {
            let row = self.first + offset;
            let place = &self.places[row];
            let pull = drawn::<D, FUSED>(
                self.affinities.row(row),
                self.places,
                place,
                self.step.inverse,
            );
            let mut gradient = [0f32; D];
            for axis in 0..D {
                gradient[axis] =
                    self.step.exaggeration * pull[axis] - self.step.repulsion * force[axis];
            }
            let moving = (&mut updates[offset], &mut gains[offset]);
            let update = moved(&gradient, moving, &self.step);
            for axis in 0..D {
                next[offset][axis] = place[axis] + update[axis];
                sum[axis] += f64::from(next[offset][axis]);
            }
        }
        sum
    }
}

/// Σ p (y − y_j) / (1 + s/α) over the entries of a row.
#[inline(always)]
fn drawn<const D: usize, const FUSED: bool>(
    (columns, values): (&[u32], &[f32]),
    places: &[[f32; D]],
    own: &[f32; D],
    inverse: f32,
) -> [f32; D] {
    let mut sums = [[0f32; LANES]; D];
    let mut others = [[0f32; D]; AHEAD * LANES];
    let (columns, last_columns) = columns.as_chunks::<LANES>();
    let (values, last_values) = values.as_chunks::<LANES>();
    for (columns, values) in columns.chunks(AHEAD).zip(values.chunks(AHEAD)) {
        for (other, &column) in others.iter_mut().zip(columns.as_flattened()) {
            *other = places[column as usize];
        }
        // Through memory: one load a row, and vectors of them afterwards, where the compiler would move every number by itself. What is
        // written here must have arrived when it is read: hence several lanes' worth ahead.
        let others = std::hint::black_box(&others);
        for (others, values) in others.as_chunks::<LANES>().0.iter().zip(values) {
            let mut apart = [[0f32; LANES]; D];
            for axis in 0..D {
                for lane in 0..LANES {
                    apart[axis][lane] = own[axis] - others[lane][axis];
                }
            }
            pull::<D, FUSED>(&apart, values, inverse, &mut sums);
        }
    }
    if !last_columns.is_empty() {
        let mut apart = [[0f32; LANES]; D];
        let mut weights = [0f32; LANES];
        for (lane, (&column, &value)) in last_columns.iter().zip(last_values).enumerate() {
            let other = &places[column as usize];
            for axis in 0..D {
                apart[axis][lane] = own[axis] - other[axis];
            }
            weights[lane] = value;
        }
        pull::<D, FUSED>(&apart, &weights, inverse, &mut sums);
    }
    sums.map(folded)
}

#[inline(always)]
fn pull<const D: usize, const FUSED: bool>(
    apart: &[[f32; LANES]; D],
    values: &[f32; LANES],
    inverse: f32,
    sums: &mut [[f32; LANES]; D],
) {
    let mut squares = [0f32; LANES];
    for side in apart {
        for lane in 0..LANES {
            squares[lane] = step::<f32, FUSED>(side[lane], side[lane], squares[lane]);
        }
    }
    let mut weights = [0f32; LANES];
    for lane in 0..LANES {
        weights[lane] = values[lane] / step::<f32, FUSED>(squares[lane], inverse, 1.0);
    }
    for (sum, side) in sums.iter_mut().zip(apart) {
        for lane in 0..LANES {
            sum[lane] = step::<f32, FUSED>(weights[lane], side[lane], sum[lane]);
        }
    }
}

/// The sum of all lanes, by halves.
#[inline(always)]
fn folded(mut lanes: [f32; LANES]) -> f32 {
    for width in [8, 4, 2, 1] {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
    }
    lanes[0]
}

/// How far a row moves, by its gains and its momentum.
#[inline(always)]
fn moved<const D: usize>(
    gradient: &[f32; D],
    (update, gains): (&mut [f32; D], &mut [f32; D]),
    step: &Step,
) -> [f32; D] {
    let mut length = 0f32;
    for axis in 0..D {
        let turned = sign(update[axis]) == sign(gradient[axis]);
        gains[axis] = if turned {
            gains[axis] * SHRINKING.0 + SHRINKING.1
        } else {
            gains[axis] + GROWTH
        };
        update[axis] =
            step.momentum * update[axis] - step.learning_rate * gains[axis] * gradient[axis];
        length += update[axis] * update[axis];
    }
    let length = length.sqrt();
    if length > step.longest {
        for value in update.iter_mut() {
            *value *= step.longest / length;
        }
    }
    *update
}

#[inline(always)]
fn sign(value: f32) -> i8 {
    i8::from(value > 0.0) - i8::from(value < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Neighbors;
    use crate::methods::tsne::Gradient;
    use crate::methods::tsne::divergence::divergence;
    use crate::methods::tsne::repulsion::{Kernel, Repulsion};
    use crate::random::{normal, stream};
    use crate::run::Run;

    fn ring(n: usize) -> Affinities {
        let places = ndarray::Array2::from_shape_fn((n, 20), |(i, j)| ((i + j + 1) % n) as i64);
        let lengths = ndarray::Array2::from_shape_fn((n, 20), |(i, j)| {
            1.0 + j as f64 * 0.1 + (i % 5) as f64 * 0.03
        });
        let table = Neighbors::from_table(&places.view(), &lengths.view()).unwrap();
        Affinities::of_perplexities(&Run::new(), table, &[7.0]).unwrap()
    }

    fn gradient<const D: usize>(freedom: f64) {
        let (n, run) = (83, Run::new());
        let affinities = ring(n);
        let mut draw = stream(1, D as u64);
        let places: Vec<[f32; D]> = (0..n)
            .map(|_| std::array::from_fn(|_| 2.0 * normal(&mut draw) as f32))
            .collect();
        let kernel = Kernel {
            freedom,
            theta: 0.5,
        };
        let loss = |places: &[[f32; D]]| {
            divergence(&run, &affinities, places, (Gradient::Exact, kernel))
                .unwrap()
                .value
        };
        let mut motion = Motion::new(places.clone());
        let mut repulsion = Repulsion::new(Gradient::Exact, kernel);
        let sum = repulsion.forces(&run, &motion.places, &mut motion.forces);
        let step = Step {
            exaggeration: 1.0,
            repulsion: (1.0 / sum.unwrap()) as f32,
            learning_rate: 100.0,
            momentum: 0.0,
            longest: 1e9,
            inverse: (1.0 / freedom) as f32,
        };
        assert!(motion.advance(&affinities, step));
        let mean: [f64; D] = std::array::from_fn(|axis| {
            let sum: f64 = places.iter().map(|place| f64::from(place[axis])).sum();
            sum / n as f64
        });
        for row in [0, 7, 40, 82] {
            for axis in 0..D {
                let shift = 0.02f32;
                let mut moved = places.clone();
                moved[row][axis] += shift;
                let above = loss(&moved);
                moved[row][axis] = places[row][axis] - shift;
                let slope = (above - loss(&moved)) / (2.0 * f64::from(shift));
                // The first step has gains of 1.2, and the factor 4 is left out.
                let change = f64::from(motion.places[row][axis] - places[row][axis]) + mean[axis];
                let got = -4.0 * change / (1.2 * 100.0);
                assert!(
                    (got - slope).abs() < 2e-3 * slope.abs() + 2e-6,
                    "{D}, {freedom}: {got} for {slope}"
                );
            }
        }
    }

    #[test]
    fn the_step_is_along_the_slope_of_the_divergence() {
        for freedom in [1.0, 0.5, 3.0] {
            gradient::<1>(freedom);
            gradient::<2>(freedom);
            gradient::<3>(freedom);
            gradient::<8>(freedom);
        }
    }
}
