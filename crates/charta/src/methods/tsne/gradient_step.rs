//! One step of gradient descent: attraction by affinities, repulsion by all rows, gains and momentum.
//!
//! Every row sums its own attraction over sixteen lanes in the order of its entries, from the coordinates before the step, and writes its own
//! new coordinates. So the result does not depend on the number of threads.
//!
//! The gradient of row i is Σ_j p_ij (y_i − y_j) / (1 + s/α), with the exaggeration, less the repulsion divided by Z: the paper's without its
//! factor 4, as the learning rates of openTSNE have it. Gains follow Jacobs, "Increased rates of convergence through learning rate
//! adaptation", 1988.

use rayon::prelude::*;

use super::Affinities;
use crate::linalg::wide::{self, Loop, step};

/// Numbers side by side.
const LANES: usize = 16;
/// Groups of sixteen rows that are gathered before they are used.
const AHEAD: usize = 4;
/// Rows that one job moves.
const BLOCK: usize = 1024;
/// What a gain grows by while a coordinate keeps its direction.
const GAIN_GROWTH: f32 = 0.2;
/// Factor of a gain when the direction changes.
const GAIN_DECAY: f32 = 0.8;
/// And what is added to it then.
const GAIN_OFFSET: f32 = 0.01;

/// The parameters of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Factor of the affinities.
    pub(super) exaggeration: f32,
    /// Factor of the repulsion: 1 / Z.
    pub(super) repulsion: f32,
    pub(super) learning_rate: f32,
    pub(super) momentum: f32,
    /// Steps are clipped to this length.
    pub(super) max_step: f32,
    /// 1 / α.
    pub(super) inverse: f32,
    /// Whether the mean of the rows is moved to the origin.
    pub(super) centred: bool,
}

/// Coordinates, with the state of gradient descent with momentum and gains.
#[derive(Debug)]
pub(super) struct MomentumState<const D: usize> {
    pub(super) coordinates: Vec<[f32; D]>,
    next: Vec<[f32; D]>,
    updates: Vec<[f32; D]>,
    gains: Vec<[f32; D]>,
    pub(super) forces: Vec<[f32; D]>,
}

impl<const D: usize> MomentumState<D> {
    /// The state before the first step.
    pub(super) fn new(coordinates: Vec<[f32; D]>) -> Self {
        let n = coordinates.len();
        Self {
            next: vec![[0.0; D]; n],
            updates: vec![[0.0; D]; n],
            gains: vec![[1.0; D]; n],
            forces: vec![[0.0; D]; n],
            coordinates,
        }
    }

    /// Moves all rows once, and their mean to the origin where that is wanted; false if a coordinate is no longer finite.
    pub(super) fn advance(&mut self, affinities: &Affinities, step: Step) -> bool {
        let coordinates = &self.coordinates;
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
                    coordinates,
                    forces,
                    step,
                    moving: [next, updates, gains],
                })
            })
            .collect();
        let n = self.coordinates.len() as f64;
        let mut mean = [0.0; D];
        for sum in &sums {
            for axis in 0..D {
                mean[axis] += sum[axis] / n;
            }
        }
        let mean = mean.map(|value| value as f32);
        std::mem::swap(&mut self.coordinates, &mut self.next);
        let finite = mean.iter().all(|value| value.is_finite());
        if !step.centred {
            return finite;
        }
        self.coordinates
            .par_chunks_mut(BLOCK)
            .for_each(|coordinates| {
                for point in coordinates {
                    for axis in 0..D {
                        point[axis] -= mean[axis];
                    }
                }
            });
        finite
    }

    /// Puts the rows into another order: row i is row `order[i]` of these.
    pub(super) fn reorder(&mut self, order: &[u32]) {
        for rows in [&mut self.coordinates, &mut self.updates, &mut self.gains] {
            *rows = order.iter().map(|&row| rows[row as usize]).collect();
        }
    }
}

struct Pass<'a, const D: usize> {
    first: usize,
    affinities: &'a Affinities,
    coordinates: &'a [[f32; D]],
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
            let point = &self.coordinates[row];
            let (columns, values) = self.affinities.row(row);
            let pull =
                attraction::<D, FUSED>(columns, values, self.coordinates, point, self.step.inverse);
            let mut gradient = [0f32; D];
            for axis in 0..D {
                gradient[axis] =
                    self.step.exaggeration * pull[axis] - self.step.repulsion * force[axis];
            }
            let update = moved(
                &gradient,
                &mut updates[offset],
                &mut gains[offset],
                &self.step,
            );
            for axis in 0..D {
                next[offset][axis] = point[axis] + update[axis];
                sum[axis] += f64::from(next[offset][axis]);
            }
        }
        sum
    }
}

/// Σ p (y − y_j) / (1 + s/α) over the entries of a row.
#[inline(always)]
fn attraction<const D: usize, const FUSED: bool>(
    columns: &[u32],
    values: &[f32],
    coordinates: &[[f32; D]],
    own: &[f32; D],
    inverse: f32,
) -> [f32; D] {
    let mut sums = [[0f32; LANES]; D];
    let mut others = [[0f32; D]; AHEAD * LANES];
    let (columns, last_columns) = columns.as_chunks::<LANES>();
    let (values, last_values) = values.as_chunks::<LANES>();
    for (columns, values) in columns.chunks(AHEAD).zip(values.chunks(AHEAD)) {
        for (other, &column) in others.iter_mut().zip(columns.as_flattened()) {
            *other = coordinates[column as usize];
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
            add_attractions::<D, FUSED>(&apart, values, inverse, &mut sums);
        }
    }
    if !last_columns.is_empty() {
        let mut apart = [[0f32; LANES]; D];
        let mut weights = [0f32; LANES];
        for (lane, (&column, &value)) in last_columns.iter().zip(last_values).enumerate() {
            let other = &coordinates[column as usize];
            for axis in 0..D {
                apart[axis][lane] = own[axis] - other[axis];
            }
            weights[lane] = value;
        }
        add_attractions::<D, FUSED>(&apart, &weights, inverse, &mut sums);
    }
    sums.map(lane_sum)
}

#[inline(always)]
fn add_attractions<const D: usize, const FUSED: bool>(
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
fn lane_sum(mut lanes: [f32; LANES]) -> f32 {
    for width in [8, 4, 2, 1] {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
    }
    lanes[0]
}

/// The step of a row, by its gains and its momentum.
#[inline(always)]
fn moved<const D: usize>(
    gradient: &[f32; D],
    update: &mut [f32; D],
    gains: &mut [f32; D],
    step: &Step,
) -> [f32; D] {
    let mut length = 0f32;
    for axis in 0..D {
        let turned = sign(update[axis]) == sign(gradient[axis]);
        gains[axis] = if turned {
            gains[axis] * GAIN_DECAY + GAIN_OFFSET
        } else {
            gains[axis] + GAIN_GROWTH
        };
        update[axis] =
            step.momentum * update[axis] - step.learning_rate * gains[axis] * gradient[axis];
        length += update[axis] * update[axis];
    }
    let length = length.sqrt();
    if length > step.max_step {
        for value in update.iter_mut() {
            *value *= step.max_step / length;
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
        let coordinates =
            ndarray::Array2::from_shape_fn((n, 20), |(i, j)| ((i + j + 1) % n) as i64);
        let lengths = ndarray::Array2::from_shape_fn((n, 20), |(i, j)| {
            1.0 + j as f64 * 0.1 + (i % 5) as f64 * 0.03
        });
        let table = Neighbors::from_table(&coordinates.view(), &lengths.view()).unwrap();
        Affinities::of_perplexities(&Run::new(), table, &[7.0]).unwrap()
    }

    fn gradient<const D: usize>(degrees_of_freedom: f64) {
        let (n, run) = (83, Run::new());
        let affinities = ring(n);
        let mut draw = stream(1, D as u64);
        let coordinates: Vec<[f32; D]> = (0..n)
            .map(|_| std::array::from_fn(|_| 2.0 * normal(&mut draw) as f32))
            .collect();
        let kernel = Kernel {
            n_components: D,
            degrees_of_freedom,
            theta: 0.5,
        };
        let loss = |coordinates: &[[f32; D]]| {
            divergence(&run, &affinities, coordinates, Gradient::Exact, kernel)
                .unwrap()
                .value
        };
        let mut state = MomentumState::new(coordinates.clone());
        let mut repulsion = Repulsion::new(Gradient::Exact, kernel);
        let sum = repulsion.forces(&run, &state.coordinates, &mut state.forces);
        let step = Step {
            exaggeration: 1.0,
            repulsion: (1.0 / sum.unwrap()) as f32,
            learning_rate: 100.0,
            momentum: 0.0,
            max_step: 1e9,
            inverse: (1.0 / degrees_of_freedom) as f32,
            centred: true,
        };
        assert!(state.advance(&affinities, step));
        let mean: [f64; D] = std::array::from_fn(|axis| {
            let sum: f64 = coordinates.iter().map(|point| f64::from(point[axis])).sum();
            sum / n as f64
        });
        for row in [0, 7, 40, 82] {
            for axis in 0..D {
                let shift = 0.02f32;
                let mut moved = coordinates.clone();
                moved[row][axis] += shift;
                let above = loss(&moved);
                moved[row][axis] = coordinates[row][axis] - shift;
                let slope = (above - loss(&moved)) / (2.0 * f64::from(shift));
                // The first step has gains of 1.2, and the factor 4 is left out.
                let change =
                    f64::from(state.coordinates[row][axis] - coordinates[row][axis]) + mean[axis];
                let got = -4.0 * change / (1.2 * 100.0);
                assert!(
                    (got - slope).abs() < 2e-3 * slope.abs() + 2e-6,
                    "{D}, {degrees_of_freedom}: {got} for {slope}"
                );
            }
        }
    }

    #[test]
    fn the_step_is_along_the_slope_of_the_divergence() {
        for degrees_of_freedom in [1.0, 0.5, 3.0] {
            gradient::<1>(degrees_of_freedom);
            gradient::<2>(degrees_of_freedom);
            gradient::<3>(degrees_of_freedom);
            gradient::<8>(degrees_of_freedom);
        }
    }
}
