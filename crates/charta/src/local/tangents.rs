//! The directions in which the neighbours of a row vary most.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Patch, dot};
use crate::error::{Result, Warning, counted, message};
use crate::run::Run;

/// Directions whose variance is this fraction of the largest are none.
const LEAST: f64 = 1e-12;

impl Patch {
    /// Finds the directions in which the neighbours vary, about their mean or about the row itself: eigenvectors of
    /// the inner products, a number for each neighbour. Returns how many of the `count` requested there are.
    pub(super) fn directions(&mut self, count: usize, about_mean: bool) -> usize {
        if self.width > 0 && self.width < self.size {
            self.by_columns(count, about_mean)
        } else {
            self.by_neighbors(count, about_mean)
        }
    }

    /// From the scatter of the columns, which are fewer than neighbours.
    fn by_columns(&mut self, count: usize, about_mean: bool) -> usize {
        let (size, width) = (self.size, self.width);
        if about_mean {
            self.centre_rows();
        }
        self.small.clear();
        self.small.resize(width * width, 0.0);
        for row in self.rows.chunks_exact(width) {
            for i in 0..width {
                for j in 0..width {
                    self.small[i * width + j] += row[i] * row[j];
                }
            }
        }
        let (values, axes) = self.eigen.decompose(&mut self.small, width);
        let found = n_above(values).min(count);
        self.values.clear();
        self.values
            .extend(values.iter().map(|value| value.max(0.0)));
        self.vectors.clear();
        for axis in axes.chunks_exact(width).take(found) {
            let start = self.vectors.len();
            self.vectors
                .extend(self.rows.chunks_exact(width).map(|row| dot(row, axis)));
            let (before, vector) = self.vectors.split_at_mut(start);
            make_orthonormal(vector, before, size);
        }
        found
    }

    fn centre_rows(&mut self) {
        let (size, width) = (self.size, self.width);
        self.further.clear();
        self.further.resize(width, 0.0);
        for row in self.rows.chunks_exact(width) {
            for (sum, entry) in self.further.iter_mut().zip(row) {
                *sum += entry;
            }
        }
        for row in self.rows.chunks_exact_mut(width) {
            for (entry, sum) in row.iter_mut().zip(&self.further) {
                *entry -= sum / size as f64;
            }
        }
        self.has_gram = false;
    }

    /// From the inner products.
    fn by_neighbors(&mut self, count: usize, about_mean: bool) -> usize {
        let size = self.size;
        self.gram();
        self.small.clear();
        self.small.extend_from_slice(&self.gram);
        if about_mean {
            centre_twice(&mut self.small, size);
        }
        let (values, vectors) = self.eigen.decompose(&mut self.small, size);
        let found = n_above(values).min(count);
        self.values.clear();
        self.values
            .extend(values.iter().map(|value| value.max(0.0)));
        self.vectors.clear();
        self.vectors.extend_from_slice(&vectors[..found * size]);
        found
    }

    /// Writes the lower triangle of I − [1/√k, U][1/√k, U]ᵀ, with U the tangent's directions: the part of any function
    /// on the neighbours that is not linear along the tangent. Returns how many directions there were.
    pub(crate) fn tangent_block(&mut self, n_components: usize, block: &mut [f64]) -> usize {
        let size = self.size;
        let found = self.directions(n_components, true);
        let even = 1.0 / size as f64;
        let mut index = 0;
        for a in 0..size {
            for b in 0..=a {
                let shared: f64 = self.vectors.chunks_exact(size).map(|u| u[a] * u[b]).sum();
                block[index] = f64::from(u8::from(a == b)) - even - shared;
                index += 1;
            }
        }
        found
    }

    /// The weights, which add up to 1, with which the neighbours' coordinates give those of the row, if both are
    /// linear along the tangent: the neighbours' mean, and the way from it along the tangent.
    pub(crate) fn tangent_weights(&mut self, n_components: usize) -> &[f64] {
        let size = self.size;
        self.gram();
        // (x_j − mean) · (x − mean), from inner products about x.
        let means: Vec<f64> = self
            .gram
            .chunks_exact(size)
            .map(|row| row.iter().sum::<f64>() / size as f64)
            .collect();
        let mean = means.iter().sum::<f64>() / size as f64;
        let found = self.directions(n_components, true);
        self.weights.clear();
        self.weights.resize(size, 1.0 / size as f64);
        for (vector, value) in self
            .vectors
            .chunks_exact(size)
            .zip(&self.values)
            .take(found)
        {
            let along: f64 = vector
                .iter()
                .zip(&means)
                .map(|(u, own)| u * (mean - own))
                .sum();
            for (weight, u) in self.weights.iter_mut().zip(vector) {
                *weight += u * along / value;
            }
        }
        &self.weights
    }
}

/// Counts neighbourhoods that vary in fewer directions than requested.
#[derive(Debug)]
pub(crate) struct Flat {
    wanted: usize,
    count: AtomicUsize,
}

impl Flat {
    /// None counted yet.
    pub(crate) fn new(wanted: usize) -> Self {
        Self {
            wanted,
            count: AtomicUsize::new(0),
        }
    }

    /// A neighbourhood varies in this many directions.
    pub(crate) fn count(&self, found: usize) {
        if found < self.wanted {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Warns if there were any.
    pub(crate) fn warn(&self, run: &Run<'_>) -> Result<()> {
        let count = self.count.load(Ordering::Relaxed);
        if count == 0 {
            return Ok(());
        }
        run.warn(Warning::doubtful(
            message!("tangents"),
            message!(
                "in {} of {:rows} the neighbours span fewer than {}, because they are duplicates \
                 or lie on a line; use more neighbours, or fewer components",
                counted(count, "neighbourhood"),
                counted(self.wanted, "direction")
            ),
        ))
    }
}

/// How many of some falling values are more than rounding.
fn n_above(values: &[f64]) -> usize {
    let largest = values.first().copied().unwrap_or(0.0);
    values
        .iter()
        .take_while(|&&value| value > LEAST * largest)
        .count()
}

/// Takes earlier vectors out of one and gives it the length 1.
pub(super) fn make_orthonormal(vector: &mut [f64], before: &[f64], size: usize) {
    for other in before.chunks_exact(size) {
        let share = dot(vector, other);
        for (entry, its) in vector.iter_mut().zip(other) {
            *entry -= share * its;
        }
    }
    let length = dot(vector, vector).sqrt();
    vector.iter_mut().for_each(|entry| *entry /= length);
}

fn centre_twice(gram: &mut [f64], size: usize) {
    let means: Vec<f64> = gram
        .chunks_exact(size)
        .map(|row| row.iter().sum::<f64>() / size as f64)
        .collect();
    let mean = means.iter().sum::<f64>() / size as f64;
    for a in 0..size {
        for b in 0..size {
            gram[a * size + b] -= means[a] + means[b] - mean;
        }
    }
}
