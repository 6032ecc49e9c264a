//! New rows in a map that stands still: each goes where its own affinities and the map's repulsion balance.
//!
//! Its gradient is that of the map with the sum over the map's rows alone, divided by its own potential instead of Z, so that new rows
//! know nothing of each other. The numbers are those of openTSNE's `transform`.
//!
//! Poličar, Stražar and Zupan, "Embedding to reference t-SNE space addresses batch effects in single-cell classification", 2023.

use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::Gradient;
use super::optimize::for_dimension;
use super::optimize::narrowed;
use super::perplexity::Scratch;
use super::repulsion::{Kernel, Repulsion};
use crate::data::Neighbors;
use crate::error::Result;
use crate::run::Run;

/// Known rows that a new one is tied to.
pub const N_NEIGHBORS: usize = 25;
/// The perplexity of these ties.
pub const PERPLEXITY: f64 = 5.0;
/// Steps that a new row takes.
const STEPS: usize = 250;
/// What its affinities are multiplied by.
const EXAGGERATION: f64 = 1.5;
const LEARNING_RATE: f64 = 0.1;
const MOMENTUM: f64 = 0.8;
/// The longest gradient that counts.
const STEEPEST: f64 = 0.25;
/// New rows that one job places.
const BLOCK: usize = 64;
/// A distance that is this share of the furthest neighbour's is none.
const SAME: f64 = 1e-9;

/// A map that stands still.
#[derive(Clone, Copy, Debug)]
pub struct Still<'a> {
    /// Coordinates of the known rows.
    pub embedding: ArrayView2<'a, f64>,
    /// How repulsion is computed, resolved.
    pub gradient: Gradient,
    /// How coarse a tree is.
    pub theta: f64,
    /// Degrees of freedom α.
    pub freedom: f64,
}

impl Still<'_> {
    /// Places of new rows by their neighbours among the known ones. A row that equals a known one gets its place.
    pub fn place(&self, run: &Run<'_>, found: &Neighbors) -> Result<Array2<f64>> {
        for_dimension!(self.embedding.ncols(), place::<D>(self, run, found))
    }
}

fn place<const D: usize>(
    still: &Still<'_>,
    run: &Run<'_>,
    found: &Neighbors,
) -> Result<Array2<f64>> {
    let kernel = Kernel {
        freedom: still.freedom,
        theta: still.theta,
    };
    let mut repulsion = Repulsion::<D>::for_new_rows(still.gradient, kernel);
    repulsion.settle(&narrowed(&still.embedding))?;
    let width = still.embedding.ncols();
    let mut places = Array2::zeros((found.n_rows(), width));
    places
        .axis_chunks_iter_mut(Axis(0), BLOCK)
        .into_par_iter()
        .enumerate()
        .try_for_each(|(block, mut rows)| {
            run.check()?;
            let mut scratch = Scratch::default();
            for (offset, mut target) in rows.rows_mut().into_iter().enumerate() {
                let list = found.row(block * BLOCK + offset);
                let walker = Walker::<D>::new(still, list, &mut scratch);
                let end = match list.1 {
                    [first, .., last] if first <= &(SAME * last) => walker.ties[0].1,
                    [first] if *first == 0.0 => walker.ties[0].1,
                    _ => walker.walk(&repulsion, still.freedom),
                };
                for (value, place) in target.iter_mut().zip(end) {
                    *value = place;
                }
            }
            Ok(())
        })?;
    Ok(places)
}

/// A new row on its way.
struct Walker<const D: usize> {
    /// Affinities to known rows, and where those are; nearest first.
    ties: Vec<(f64, [f64; D])>,
}

impl<const D: usize> Walker<D> {
    fn new(still: &Still<'_>, (rows, distances): (&[u32], &[f64]), scratch: &mut Scratch) -> Self {
        let most = (distances.len() as f64 / 3.0).max(1.0);
        let shares = scratch.shares(distances, &[PERPLEXITY.min(most)]);
        let spot = |row: u32| {
            let place = still.embedding.row(row as usize);
            std::array::from_fn(|axis| place.get(axis).copied().unwrap_or(0.0))
        };
        let ties = rows.iter().zip(shares);
        Self {
            ties: ties.map(|(&row, &share)| (share, spot(row))).collect(),
        }
    }

    /// The median of the known rows' places, coordinate by coordinate.
    fn median(&self) -> [f64; D] {
        std::array::from_fn(|axis| {
            let mut values: Vec<f64> = self.ties.iter().map(|tie| tie.1[axis]).collect();
            values.sort_by(f64::total_cmp);
            let half = values.len() / 2;
            match values.len() {
                0 => 0.0,
                odd if odd % 2 == 1 => values[half],
                _ => 0.5 * (values[half - 1] + values[half]),
            }
        })
    }

    fn walk(&self, repulsion: &Repulsion<D>, freedom: f64) -> [f64; D] {
        let mut place = self.median();
        let (mut update, mut gains) = ([0.0; D], [1.0; D]);
        for _ in 0..STEPS {
            let gradient = self.gradient(&place, repulsion, freedom);
            for axis in 0..D {
                let kept = sign(update[axis]) != sign(gradient[axis]);
                gains[axis] = if kept {
                    gains[axis] + 0.2
                } else {
                    gains[axis] * 0.8 + 0.01
                };
                update[axis] =
                    MOMENTUM * update[axis] - LEARNING_RATE * gains[axis] * gradient[axis];
                place[axis] += update[axis];
            }
        }
        place
    }

    fn gradient(&self, place: &[f64; D], repulsion: &Repulsion<D>, freedom: f64) -> [f64; D] {
        let (potential, push) = repulsion.at(&place.map(|value| value as f32));
        let over = potential.max(f64::MIN_POSITIVE).recip();
        let mut gradient = push.map(|value| -value * over);
        for (share, other) in &self.ties {
            let apart: [f64; D] = std::array::from_fn(|axis| place[axis] - other[axis]);
            let squares: f64 = apart.iter().map(|side| side * side).sum();
            let weight = EXAGGERATION * share / (1.0 + squares / freedom);
            for axis in 0..D {
                gradient[axis] += weight * apart[axis];
            }
        }
        let length = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        if length > STEEPEST {
            gradient = gradient.map(|value| value * STEEPEST / length);
        }
        gradient
    }
}

fn sign(value: f64) -> i8 {
    i8::from(value > 0.0) - i8::from(value < 0.0)
}
