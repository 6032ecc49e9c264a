//! Out-of-sample placement: gradient descent for each new row while the training embedding is fixed.
//!
//! The gradient is that of t-SNE with the repulsion of the training rows alone, divided by the potential of the new row instead of Z, so that new rows
//! do not depend on each other. The numbers are those of openTSNE's `transform`.
//!
//! Poličar, Stražar and Zupan, "Embedding to reference t-SNE space addresses batch effects in single-cell classification", 2023.

use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::Gradient;
use super::optimize::for_dimension;
use super::optimize::in_single_precision;
use super::perplexity::Scratch;
use super::repulsion::{Kernel, Repulsion};
use crate::data::Neighbors;
use crate::error::Result;
use crate::run::Run;

/// Training rows to which a new row has affinities.
pub(super) const N_NEIGHBORS: usize = 25;
/// The perplexity of these affinities.
pub(super) const PERPLEXITY: f64 = 5.0;
/// Steps that a new row takes.
const N_STEPS: usize = 250;
/// Exaggeration: the factor of its affinities.
const EXAGGERATION: f64 = 1.5;
const LEARNING_RATE: f64 = 0.1;
const MOMENTUM: f64 = 0.8;
/// Gradients are clipped to this length.
const GRADIENT_CLIP: f64 = 0.25;
/// New rows that one job embeds.
const BLOCK: usize = 64;
/// A distance that is this fraction of the furthest neighbour's is none.
const SAME: f64 = 1e-9;

/// A fixed training embedding, for out-of-sample placement.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutOfSample<'a> {
    /// Coordinates of the training rows.
    pub embedding: ArrayView2<'a, f64>,
    /// How repulsion is computed, resolved.
    pub gradient: Gradient,
    /// θ of Barnes–Hut.
    pub theta: f64,
    /// Degrees of freedom α.
    pub degrees_of_freedom: f64,
}

impl OutOfSample<'_> {
    /// Coordinates of new rows by their neighbours among the training rows. A row that equals a training row gets its coordinates.
    pub(super) fn embed(&self, run: &Run<'_>, found: &Neighbors) -> Result<Array2<f64>> {
        for_dimension!(self.embedding.ncols(), embed::<D>(self, run, found))
    }
}

fn embed<const D: usize>(
    placement: &OutOfSample<'_>,
    run: &Run<'_>,
    found: &Neighbors,
) -> Result<Array2<f64>> {
    let kernel = Kernel {
        n_components: placement.embedding.ncols(),
        degrees_of_freedom: placement.degrees_of_freedom,
        theta: placement.theta,
    };
    let mut repulsion = Repulsion::<D>::for_new_rows(placement.gradient, kernel);
    repulsion.set_rows(&in_single_precision(&placement.embedding))?;
    let width = placement.embedding.ncols();
    let mut coordinates = Array2::zeros((found.n_rows(), width));
    coordinates
        .axis_chunks_iter_mut(Axis(0), BLOCK)
        .into_par_iter()
        .enumerate()
        .try_for_each(|(block, mut rows)| {
            run.check()?;
            let mut scratch = Scratch::default();
            for (offset, mut target) in rows.rows_mut().into_iter().enumerate() {
                let list = found.row(block * BLOCK + offset);
                let new_row = NewRow::<D>::new(placement, list.0, list.1, &mut scratch);
                let end = match list.1 {
                    [first, .., last] if first <= &(SAME * last) => new_row.neighbors[0].1,
                    [first] if *first == 0.0 => new_row.neighbors[0].1,
                    _ => new_row.optimize(&repulsion, placement.degrees_of_freedom),
                };
                for (value, embed) in target.iter_mut().zip(end) {
                    *value = embed;
                }
            }
            Ok(())
        })?;
    Ok(coordinates)
}

/// A new row during its optimization.
struct NewRow<const D: usize> {
    /// Affinities to training rows and their coordinates, nearest first.
    neighbors: Vec<(f64, [f64; D])>,
}

impl<const D: usize> NewRow<D> {
    fn new(
        placement: &OutOfSample<'_>,
        rows: &[u32],
        distances: &[f64],
        scratch: &mut Scratch,
    ) -> Self {
        let most = (distances.len() as f64 / 3.0).max(1.0);
        let shares = scratch.conditional_affinities(distances, &[PERPLEXITY.min(most)]);
        let spot = |row: u32| {
            let embed = placement.embedding.row(row as usize);
            std::array::from_fn(|axis| embed.get(axis).copied().unwrap_or(0.0))
        };
        let neighbors = rows.iter().zip(shares);
        Self {
            neighbors: neighbors.map(|(&row, &share)| (share, spot(row))).collect(),
        }
    }

    /// The median of the training rows' coordinates, axis by axis.
    fn median(&self) -> [f64; D] {
        std::array::from_fn(|axis| {
            let mut values: Vec<f64> = self
                .neighbors
                .iter()
                .map(|neighbor| neighbor.1[axis])
                .collect();
            values.sort_by(f64::total_cmp);
            let half = values.len() / 2;
            match values.len() {
                0 => 0.0,
                odd if odd % 2 == 1 => values[half],
                _ => 0.5 * (values[half - 1] + values[half]),
            }
        })
    }

    fn optimize(&self, repulsion: &Repulsion<D>, degrees_of_freedom: f64) -> [f64; D] {
        let mut embed = self.median();
        let (mut update, mut gains) = ([0.0; D], [1.0; D]);
        for _ in 0..N_STEPS {
            let gradient = self.gradient(&embed, repulsion, degrees_of_freedom);
            for axis in 0..D {
                let kept = sign(update[axis]) != sign(gradient[axis]);
                gains[axis] = if kept {
                    gains[axis] + 0.2
                } else {
                    gains[axis] * 0.8 + 0.01
                };
                update[axis] =
                    MOMENTUM * update[axis] - LEARNING_RATE * gains[axis] * gradient[axis];
                embed[axis] += update[axis];
            }
        }
        embed
    }

    fn gradient(
        &self,
        embed: &[f64; D],
        repulsion: &Repulsion<D>,
        degrees_of_freedom: f64,
    ) -> [f64; D] {
        let (potential, push) = repulsion.at(&embed.map(|value| value as f32));
        let over = potential.max(f64::MIN_POSITIVE).recip();
        let mut gradient = push.map(|value| -value * over);
        for (share, other) in &self.neighbors {
            let apart: [f64; D] = std::array::from_fn(|axis| embed[axis] - other[axis]);
            let squares: f64 = apart.iter().map(|side| side * side).sum();
            let weight = EXAGGERATION * share / (1.0 + squares / degrees_of_freedom);
            for axis in 0..D {
                gradient[axis] += weight * apart[axis];
            }
        }
        let length = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        if length > GRADIENT_CLIP {
            gradient = gradient.map(|value| value * GRADIENT_CLIP / length);
        }
        gradient
    }
}

fn sign(value: f64) -> i8 {
    i8::from(value > 0.0) - i8::from(value < 0.0)
}
