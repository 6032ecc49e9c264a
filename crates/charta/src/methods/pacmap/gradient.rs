//! Loss and gradient of PaCMAP over near, mid-near and further pairs.
//!
//! Every row holds the list of all its pairs, whichever row chose them, and sums up its own gradient in the order of the list:
//! each pair is looked at twice, and no two threads write to the same row. With d the squared distance of two rows in the embedding the losses
//! are (1 + d) / (11 + d) for near pairs, (1 + d) / (10001 + d) for mid-near and 1 / (2 + d) for further ones; each has a
//! gradient a (yᵢ − yⱼ) / (c + d)² with constants a and c of its own.
//!
//! Wang, Huang, Rudin and Shaposhnik, "Understanding how dimension reduction tools work", 2021, section 4.

use ndarray::{Array2, ArrayView2};

use super::optimize::Weights;
use super::pairs::Pairs;
use crate::error::{Error, Result, message};
use crate::linalg::wide::{self, Loop, total};
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows that one job handles.
pub(super) const BLOCK: usize = 512;
/// PairLists whose forces are computed side by side.
const LANES: usize = 16;

/// The pairs of every row: near first, then further, then mid-near, which the last phase leaves out.
#[derive(Clone, Debug)]
pub(super) struct PairLists {
    /// Three starts a row, and the end.
    starts: Vec<usize>,
    /// The other row of each pair, and so many more that the last can be read with all lanes.
    rows: Vec<u32>,
}

impl PairLists {
    /// The lists of near, mid-near and further pairs of the same rows.
    pub(super) fn of(near: &Pairs, mid_near: &Pairs, further: &Pairs) -> Self {
        let kinds = [near, further, mid_near];
        let n_rows = near.n_rows();
        let mut starts = vec![0; 3 * n_rows + 1];
        for_each(kinds, |kind, a, b| {
            starts[3 * a + kind + 1] += 1;
            starts[3 * b + kind + 1] += 1;
        });
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[3 * n_rows] + LANES];
        for_each(kinds, |kind, a, b| {
            for (from, to) in [(a, b), (b, a)] {
                let slot = &mut next[3 * from + kind];
                rows[*slot] = to as u32;
                *slot += 1;
            }
        });
        Self { starts, rows }
    }

    /// Number of rows.
    pub(super) fn n_rows(&self) -> usize {
        self.starts.len() / 3
    }

    /// The rows that a row has near pairs with, whichever of both chose the other.
    pub(super) fn near(&self, row: usize) -> &[u32] {
        &self.rows[self.starts[3 * row]..self.starts[3 * row + 1]]
    }

    /// Where the pairs of a row begin, and where each kind ends.
    #[inline(always)]
    fn bounds(&self, row: usize) -> [usize; 4] {
        let bounds = &self.starts[3 * row..3 * row + 4];
        [bounds[0], bounds[1], bounds[2], bounds[3]]
    }

    /// The loss of a layout.
    pub(super) fn loss(
        &self,
        run: &Run<'_>,
        layout: &Coordinates,
        weights: Weights,
    ) -> Result<f64> {
        let parts = map_blocks(run, self.n_rows(), BLOCK, |rows| {
            let mut sum = 0.0;
            for row in rows {
                let [start, near, further, mid_near] = self.bounds(row);
                let apart = |other: &u32| 1.0 + layout.squared(row, *other as usize);
                let attracted = |pairs: &[u32], constant: f64| -> f64 {
                    pairs.iter().map(apart).map(|d| d / (constant + d)).sum()
                };
                let repelled: f64 = (self.rows[near..further].iter())
                    .map(|other| 1.0 / (1.0 + apart(other)))
                    .sum();
                sum += weights.near * attracted(&self.rows[start..near], 10.0)
                    + weights.mid_near * attracted(&self.rows[further..mid_near], 10_000.0)
                    + weights.further * repelled;
            }
            sum
        })?;
        // Every pair was counted from both ends.
        Ok(parts.iter().sum::<f64>() / 2.0)
    }

    /// The gradient of the loss, row after row.
    #[cfg(test)]
    pub(super) fn gradient(&self, layout: &Coordinates, weights: Weights) -> Vec<f32> {
        use rayon::prelude::*;

        let mut gradient = vec![0.0; layout.values.len()];
        let forces = Forces::new(self, layout, weights);
        gradient
            .par_chunks_mut(BLOCK * layout.width)
            .enumerate()
            .for_each(|(block, target)| forces.sum(block * BLOCK, target));
        gradient
    }
}

fn for_each(kinds: [&Pairs; 3], mut meet: impl FnMut(usize, usize, usize)) {
    for (kind, pairs) in kinds.into_iter().enumerate() {
        for row in 0..pairs.n_rows() {
            for &other in pairs.row(row) {
                meet(kind, row, other as usize);
            }
        }
    }
}

/// The coordinates of all rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Coordinates {
    pub(super) width: usize,
    pub(super) values: Vec<f32>,
}

impl Coordinates {
    /// Coordinates in single precision.
    pub(super) fn new(coordinates: &ArrayView2<'_, f64>) -> Self {
        Self {
            width: coordinates.ncols(),
            values: coordinates.iter().map(|&value| value as f32).collect(),
        }
    }

    /// The coordinates in double precision; fails if one of them overflowed.
    pub(super) fn to_f64(&self) -> Result<Array2<f64>> {
        let rows = self.values.len() / self.width.max(1);
        if self.values.iter().any(|value| !value.is_finite()) {
            return Err(Error::degenerate(message!(
                "coordinates became infinite: try a smaller {learning_rate:parameter}"
            )));
        }
        let wide = self.values.iter().map(|&value| f64::from(value)).collect();
        Array2::from_shape_vec((rows, self.width), wide).map_err(|error| {
            Error::shape(
                message!("the map"),
                message!("{:rows} of the same length"),
                error.to_string(),
            )
        })
    }

    fn squared(&self, a: usize, b: usize) -> f64 {
        let row = |row: usize| &self.values[row * self.width..(row + 1) * self.width];
        (row(a).iter().zip(row(b)))
            .map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2))
            .sum()
    }
}

/// The gradient a (yᵢ − yⱼ) / (c + d)² of a kind of pairs.
#[derive(Clone, Copy)]
struct Force {
    strength: f32,
    constant: f32,
}

/// The parameters of the gradient.
#[derive(Clone, Copy)]
pub(super) struct Forces<'a> {
    pairs: &'a PairLists,
    layout: &'a Coordinates,
    /// Of near, further and mid-near pairs.
    kinds: [Force; 3],
    /// Kinds that have a weight: the first two, or all.
    n_kinds: usize,
}

impl<'a> Forces<'a> {
    pub(super) fn new(pairs: &'a PairLists, layout: &'a Coordinates, weights: Weights) -> Self {
        let force = |strength: f64, constant: f32| Force {
            strength: strength as f32,
            constant,
        };
        Self {
            pairs,
            layout,
            kinds: [
                force(20.0 * weights.near, 11.0),
                force(-2.0 * weights.further, 2.0),
                force(20_000.0 * weights.mid_near, 10_001.0),
            ],
            n_kinds: if weights.mid_near == 0.0 { 2 } else { 3 },
        }
    }

    /// About the slope of all near pairs of a row while they are close: what the weights of anchors are relative to.
    pub(super) fn attraction(&self) -> f32 {
        let Force { strength, constant } = self.kinds[0];
        let n_rows = self.pairs.n_rows().max(1);
        let n_near: usize = (0..n_rows).map(|row| self.pairs.near(row).len()).sum();
        strength / (constant * constant) * n_near as f32 / n_rows as f32
    }

    /// Writes the gradient at the rows from `first` on.
    pub(super) fn sum(self, first: usize, target: &mut [f32]) {
        match self.layout.width {
            1 => wide::run(Sum::<1>(self, first, target)),
            2 => wide::run(Sum::<2>(self, first, target)),
            3 => wide::run(Sum::<3>(self, first, target)),
            _ => self.sum_any(first, target),
        }
    }

    /// The same for any number of coordinates, pair by pair.
    fn sum_any(self, first: usize, target: &mut [f32]) {
        let width = self.layout.width;
        for (index, target) in target.chunks_exact_mut(width).enumerate() {
            let row = first + index;
            let bounds = self.pairs.bounds(row);
            let own = &self.layout.values[row * width..(row + 1) * width];
            target.fill(0.0);
            for (kind, force) in self.kinds[..self.n_kinds].iter().enumerate() {
                for &row in &self.pairs.rows[bounds[kind]..bounds[kind + 1]] {
                    let start = row as usize * width;
                    let other = &self.layout.values[start..start + width];
                    let squared: f32 = own.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum();
                    let reach = force.constant + squared;
                    let pull = force.strength / (reach * reach);
                    for ((target, a), b) in target.iter_mut().zip(own).zip(other) {
                        *target += pull * (a - b);
                    }
                }
            }
        }
    }

    /// The forces on a row with `D` coordinates, sixteen pairs at a time.
    #[inline(always)]
    fn on_row<const D: usize>(&self, coordinates: &[[f32; D]], row: usize) -> [f32; D] {
        let bounds = self.pairs.bounds(row);
        let (start, end) = (bounds[0], bounds[self.n_kinds]);
        let [near, further] = [bounds[1] - start, bounds[2] - start];
        let own = coordinates[row];
        let mut sums = [[0.0; LANES]; D];
        for from in (start..end).step_by(LANES) {
            let pairs: &[u32; LANES] = match self.pairs.rows[from..].first_chunk() {
                Some(pairs) => pairs,
                None => continue,
            };
            let mut apart = [[0.0; LANES]; D];
            for lane in 0..LANES {
                let other = coordinates[pairs[lane] as usize];
                for axis in 0..D {
                    apart[axis][lane] = own[axis] - other[axis];
                }
            }
            let (done, left) = ((from - start) as u32, (end - start) as u32);
            for lane in 0..LANES {
                let index = done + lane as u32;
                let kind = if index < near as u32 {
                    self.kinds[0]
                } else if index < further as u32 {
                    self.kinds[1]
                } else {
                    self.kinds[2]
                };
                let strength = if index < left { kind.strength } else { 0.0 };
                let mut reach = kind.constant;
                for axis in &apart {
                    reach += axis[lane] * axis[lane];
                }
                let pull = strength / (reach * reach);
                for axis in 0..D {
                    sums[axis][lane] += pull * apart[axis][lane];
                }
            }
        }
        sums.map(total)
    }
}

/// The forces on some rows, from one on.
struct Sum<'a, 'b, const D: usize>(Forces<'a>, usize, &'b mut [f32]);

impl<const D: usize> Loop for Sum<'_, '_, D> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self(forces, first, target) = self;
        let (coordinates, _) = forces.layout.values.as_chunks::<D>();
        let (rows, _) = target.as_chunks_mut::<D>();
        for (index, target) in rows.iter_mut().enumerate() {
            *target = forces.on_row(coordinates, first + index);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::methods::pacmap::optimize::Phases;
    use crate::random::{below, normal, stream};

    fn drawn(n_rows: usize, count: usize, seed: u64) -> Pairs {
        let mut draw = stream(seed, 0);
        Pairs::from_lists((0..n_rows).map(|row| {
            let mut other = || below(&mut draw, n_rows) as u32;
            (0..count)
                .map(|_| other())
                .filter(|&other| other as usize != row)
                .collect()
        }))
    }

    pub(in crate::methods::pacmap) fn pairs(n_rows: usize) -> PairLists {
        PairLists::of(
            &drawn(n_rows, 10, 1),
            &drawn(n_rows, 5, 2),
            &drawn(n_rows, 20, 3),
        )
    }

    pub(in crate::methods::pacmap) fn scattered(n_rows: usize, width: usize) -> Array2<f64> {
        let mut draw = stream(5, 0);
        Array2::from_shape_simple_fn((n_rows, width), || 4.0 * normal(&mut draw))
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let run = Run::new();
        let pairs = pairs(37);
        for width in [1, 2, 3, 5] {
            let points = scattered(37, width);
            let map = Coordinates::new(&points.view());
            for step in [0, 50, 150, 300] {
                let weights = Phases {
                    first: 100,
                    second: 100,
                    third: 250,
                }
                .weights(step);
                let gradient = pairs.gradient(&map, weights);
                let largest = gradient.iter().fold(0.0_f32, |most, g| most.max(g.abs()));
                for at in [0, 7, 36 * width] {
                    let moved = |by: f32| {
                        let mut map = map.clone();
                        map.values[at] += by;
                        let moved = f64::from(map.values[at]);
                        (moved, pairs.loss(&run, &map, weights).unwrap())
                    };
                    let (up, down) = (moved(1e-2), moved(-1e-2));
                    let slope = (up.1 - down.1) / (up.0 - down.0);
                    let off = (slope - f64::from(gradient[at])).abs();
                    assert!(off < 2e-4 * f64::from(largest), "{width}, {step}: {off}");
                }
            }
        }
    }

    #[test]
    fn sixteen_lanes_give_what_one_pair_after_the_other_does() {
        let pairs = pairs(101);
        for width in [1, 2, 3] {
            let map = Coordinates::new(&scattered(101, width).view());
            let weights = Weights {
                near: 2.0,
                mid_near: 400.0,
                further: 1.0,
            };
            let wide = pairs.gradient(&map, weights);
            let mut plain = vec![0.0; wide.len()];
            Forces::new(&pairs, &map, weights).sum_any(0, &mut plain);
            for (a, b) in wide.iter().zip(&plain) {
                assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()), "{a} for {b}");
            }
        }
    }

    #[test]
    fn a_map_that_leaves_the_numbers_is_an_error() {
        let map = Coordinates {
            width: 1,
            values: vec![f32::INFINITY],
        };
        assert!(
            map.to_f64()
                .unwrap_err()
                .to_string()
                .contains("learning_rate")
        );
    }
}
