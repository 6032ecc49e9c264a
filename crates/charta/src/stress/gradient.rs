//! The stress of a layout, its gradient and its second derivatives, in one pass over all pairs of rows.
//!
//! For every row i, with the target distances δ, the weights w and the layout's distances d, the pass sums over j
//! w (δ − d)², w d², and the forces w (1 − δ/d) (xᵢ − xⱼ): half the gradient of the stress. No matrix is formed. A row is summed tile by tile
//! in eight lanes, which are added in order, so that neither threads nor the width of the registers change a bit.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::error::Result;
use crate::linalg::wide::{self, Loop, step};
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows that one job sums.
const ROWS: usize = 16;
/// Pairs handled at once.
const TILE: usize = 64;
/// Sums kept side by side.
const LANES: usize = 8;
/// Why a row is one slice.
const ROW_ORDER: &str = "distances, weights and columns are in row order";

/// How much each pair of rows counts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PairWeights<'a> {
    /// All the same.
    Equal,
    /// As given.
    Given(&'a Array2<f64>),
    /// One over the target distance, which counts as this much at least.
    Inverse(f64),
    /// One over the square of the target distance, which counts as this much at least.
    InverseSquare(f64),
}

/// Distances that a layout should have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    /// The distances, 0 where the weight is; in the standard layout, as the weights.
    pub(crate) distances: &'a Array2<f64>,
    /// What each counts.
    pub(crate) weighting: PairWeights<'a>,
    /// Whether second derivatives are summed too.
    pub(crate) curved: bool,
}

/// A layout, its stress and the derivatives there.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) layout: Array2<f64>,
    /// Σ w (δ − d)² over pairs.
    pub(crate) value: f64,
    /// Σ w d² over pairs.
    pub(crate) squares: f64,
    /// Half the gradient.
    pub(crate) forces: Array2<f64>,
    /// Half the second derivative by each number of the layout, if requested.
    pub(crate) curvature: Option<Array2<f64>>,
    /// Σⱼ w (δ − d)² of each row.
    pub(crate) per_row: Array1<f64>,
}

impl Target<'_> {
    /// The stress of a layout.
    pub(crate) fn stress(&self, run: &Run<'_>, layout: Array2<f64>) -> Result<State> {
        let (n_rows, width) = layout.dim();
        let columns = layout.t().as_standard_layout().into_owned();
        let numbers = self.numbers(width);
        let parts = map_blocks(run, n_rows, ROWS, |rows| {
            let mut sums = vec![0.0; rows.len() * numbers];
            wide::run(Rows {
                target_distances: self,
                columns: columns.view(),
                rows,
                sums: &mut sums,
            });
            sums
        })?;
        let lines = || parts.iter().flat_map(|part| part.chunks_exact(numbers));
        let table = |from: usize| {
            let picked: Vec<f64> = lines()
                .flat_map(|line| line[from..from + width].iter().copied())
                .collect();
            Array2::from_shape_fn((n_rows, width), |(row, column)| {
                picked[row * width + column]
            })
        };
        let forces = table(2);
        let curvature = self.curved.then(|| table(2 + width));
        Ok(State {
            layout,
            value: 0.5 * lines().map(|line| line[0]).sum::<f64>(),
            squares: 0.5 * lines().map(|line| line[1]).sum::<f64>(),
            forces,
            curvature,
            per_row: lines().map(|line| line[0]).collect(),
        })
    }

    /// Numbers summed for a row.
    fn numbers(&self, width: usize) -> usize {
        2 + width * if self.curved { 2 } else { 1 }
    }
}

/// Some rows pairs all.
struct Rows<'a, 'b> {
    target_distances: &'a Target<'b>,
    columns: ArrayView2<'a, f64>,
    rows: Range<usize>,
    sums: &'a mut [f64],
}

impl Loop for Rows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let width = self.columns.nrows();
        let numbers = self.target_distances.numbers(width);
        let mut lanes = vec![[0.0; LANES]; numbers];
        let mut own = vec![0.0; width];
        for (row, sums) in self.rows.clone().zip(self.sums.chunks_exact_mut(numbers)) {
            lanes.fill([0.0; LANES]);
            for (own, column) in own.iter_mut().zip(self.columns.rows()) {
                *own = column[row];
            }
            let line = self.target_distances.distances.index_axis(Axis(0), row);
            let targets = line.to_slice().expect(ROW_ORDER);
            let pairs = RowPairs {
                row,
                own: &own,
                columns: self.columns.as_slice().expect(ROW_ORDER),
                targets,
                weights: self.target_distances.of_row(row),
                curved: self.target_distances.curved,
            };
            let whole = targets.len() / TILE * TILE;
            for start in (0..whole).step_by(TILE) {
                pairs.tile::<FUSED>(start, TILE, &mut lanes);
            }
            pairs.tile::<FUSED>(whole, targets.len() - whole, &mut lanes);
            for (sum, lanes) in sums.iter_mut().zip(&lanes) {
                *sum = lanes.iter().sum();
            }
        }
    }
}

/// The weights of a row's pairs.
#[derive(Clone, Copy)]
enum RowWeights<'a> {
    Equal,
    Given(&'a [f64]),
    Inverse(f64),
    InverseSquare(f64),
}

impl Target<'_> {
    #[inline(always)]
    fn of_row(&self, row: usize) -> RowWeights<'_> {
        match self.weighting {
            PairWeights::Equal => RowWeights::Equal,
            PairWeights::Given(matrix) => {
                let line = matrix.index_axis(Axis(0), row);
                RowWeights::Given(line.to_slice().expect(ROW_ORDER))
            }
            PairWeights::Inverse(least) => RowWeights::Inverse(least),
            PairWeights::InverseSquare(least) => RowWeights::InverseSquare(least),
        }
    }
}

/// One row pairs all.
struct RowPairs<'a> {
    row: usize,
    own: &'a [f64],
    /// The layout, a column after the other.
    columns: &'a [f64],
    targets: &'a [f64],
    weights: RowWeights<'a>,
    curved: bool,
}

impl RowPairs<'_> {
    /// What the pairs from `start` on count: a row with itself nothing, or it would bend the stress.
    #[inline(always)]
    fn tile_weights(&self, start: usize, targets: &[f64]) -> [f64; TILE] {
        let mut weights = [1.0; TILE];
        match self.weights {
            RowWeights::Equal => {}
            RowWeights::Given(line) => {
                weights[..targets.len()].copy_from_slice(&line[start..start + targets.len()]);
            }
            RowWeights::Inverse(least) => {
                for (weight, &target) in weights.iter_mut().zip(targets) {
                    *weight = 1.0 / if target > least { target } else { least };
                }
            }
            RowWeights::InverseSquare(least) => {
                for (weight, &target) in weights.iter_mut().zip(targets) {
                    let target = if target > least { target } else { least };
                    *weight = 1.0 / (target * target);
                }
            }
        }
        if let Some(own) = (self.row.checked_sub(start)).and_then(|place| weights.get_mut(place)) {
            *own = 0.0;
        }
        weights
    }

    /// Adds `count` pairs from `start` on: the stress, the squares, the forces, then the curvature of every column.
    #[inline(always)]
    fn tile<const FUSED: bool>(&self, start: usize, count: usize, lanes: &mut [[f64; LANES]]) {
        let total = self.targets.len();
        let width = self.own.len();
        let targets = &self.targets[start..start + count];
        let others = |column: usize| &self.columns[column * total + start..][..count];
        let weights = self.tile_weights(start, targets);
        let mut squares = [0.0; TILE];
        for (column, &own) in self.own.iter().enumerate() {
            for (square, &other) in squares.iter_mut().zip(others(column)) {
                let apart = own - other;
                *square = step::<f64, FUSED>(apart, apart, *square);
            }
        }
        let mut misfits = [0.0; TILE];
        let mut sizes = [0.0; TILE];
        let mut pulls = [0.0; TILE];
        let mut turns = [0.0; TILE];
        for place in 0..count {
            let (square, target, weight) = (squares[place], targets[place], weights[place]);
            let distance = square.sqrt();
            let inverse = if distance > 0.0 { 1.0 / distance } else { 0.0 };
            let misfit = target - distance;
            let ratio = weight * target * inverse;
            misfits[place] = weight * misfit * misfit;
            sizes[place] = weight * square;
            pulls[place] = weight - ratio;
            turns[place] = ratio * inverse * inverse;
        }
        add(&misfits[..count], &mut lanes[0]);
        add(&sizes[..count], &mut lanes[1]);
        for (column, &own) in self.own.iter().enumerate() {
            let others = others(column);
            let force = &mut lanes[2 + column];
            for (pulls, others) in pulls[..count].chunks(LANES).zip(others.chunks(LANES)) {
                for ((lane, pull), other) in force.iter_mut().zip(pulls).zip(others) {
                    *lane = step::<f64, FUSED>(*pull, own - other, *lane);
                }
            }
        }
        if !self.curved {
            return;
        }
        for (column, &own) in self.own.iter().enumerate() {
            for (place, &other) in others(column).iter().enumerate() {
                let apart = own - other;
                misfits[place] = step::<f64, FUSED>(turns[place] * apart, apart, pulls[place]);
            }
            add(&misfits[..count], &mut lanes[2 + width + column]);
        }
    }
}

#[inline(always)]
fn add(values: &[f64], lanes: &mut [f64; LANES]) {
    for values in values.chunks(LANES) {
        for (lane, value) in lanes.iter_mut().zip(values) {
            *lane += value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{normal, stream, uniform};

    fn cloud(n_rows: usize, n_columns: usize, seed: u64) -> Array2<f64> {
        let mut draw = stream(seed, 0);
        Array2::from_shape_simple_fn((n_rows, n_columns), || normal(&mut draw))
    }

    fn between(x: &Array2<f64>) -> Array2<f64> {
        Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| {
            let apart = &x.row(i) - &x.row(j);
            apart.dot(&apart).sqrt()
        })
    }

    fn weights(n_rows: usize) -> Array2<f64> {
        let mut draw = stream(4, 0);
        let half = Array2::from_shape_simple_fn((n_rows, n_rows), || uniform(&mut draw));
        &half + &half.t()
    }

    /// The stress by its definition.
    fn defined(target_distances: &Target<'_>, layout: &Array2<f64>) -> f64 {
        let apart = between(layout);
        let mut sum = 0.0;
        for i in 0..layout.nrows() {
            for j in 0..i {
                let target = target_distances.distances[[i, j]];
                let weight = match target_distances.weighting {
                    PairWeights::Equal => 1.0,
                    PairWeights::Given(matrix) => matrix[[i, j]],
                    PairWeights::Inverse(least) => 1.0 / target.max(least),
                    PairWeights::InverseSquare(least) => 1.0 / target.max(least).powi(2),
                };
                sum += weight * (target - apart[[i, j]]).powi(2);
            }
        }
        sum
    }

    #[test]
    fn value_slope_and_curvature_are_those_of_the_definition() {
        for (n_rows, width) in [(5, 2), (64, 1), (131, 3)] {
            let distances = between(&cloud(n_rows, 6, 1));
            let given = weights(n_rows);
            for weighting in [
                PairWeights::Equal,
                PairWeights::Given(&given),
                PairWeights::Inverse(2.5),
                PairWeights::InverseSquare(2.5),
            ] {
                let target_distances = Target {
                    distances: &distances,
                    weighting,
                    curved: true,
                };
                let layout = cloud(n_rows, width, 9);
                let state = target_distances
                    .stress(&Run::new(), layout.clone())
                    .unwrap();
                let want = defined(&target_distances, &layout);
                assert!((state.value - want).abs() < 1e-12 * want);
                assert!((state.per_row.sum() * 0.5 - want).abs() < 1e-12 * want);
                let moved = |by: f64| {
                    let mut layout = layout.clone();
                    layout[[3, width - 1]] += by;
                    defined(&target_distances, &layout)
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                let force = state.forces[[3, width - 1]];
                assert!((2.0 * force - slope).abs() < 1e-5 * want, "{force} {slope}");
                let bend = (moved(1e-3) + moved(-1e-3) - 2.0 * want) / 1e-6;
                let curvature = state.curvature.unwrap()[[3, width - 1]];
                assert!((2.0 * curvature - bend).abs() < 1e-2 * bend.abs().max(1.0));
            }
        }
    }
}
