//! The few largest eigenpairs of a large symmetric operator: block Krylov with a random initialization. [`super::smallest`] builds the
//! same space of the inverse of a sparse matrix.
//!
//! Each round multiplies a whole block of vectors, because a pass over the data costs more than the
//! arithmetic in it. All blocks stay in the basis (kept orthonormal by repeated projection), the
//! Rayleigh–Ritz pairs of the basis are the estimates, and their true residuals decide when to
//! stop. A basis that grows too large restarts from its best vectors.
//!
//! Musco and Musco, "Randomized block Krylov methods for stronger and faster approximate singular
//! value decomposition", 2015; Zhou and Saad, "Block Krylov–Schur method", 2008.

mod space;

use std::ops::Range;

use ndarray::{Array2, s};

use super::eigen::{Eigen, fix_signs};
use super::orthogonal::orthonormal_columns;
use super::product::product;
use crate::error::Result;
use crate::random::{normal, stream};
use crate::run::Run;

pub(super) use space::{Space, beside};

/// A symmetric matrix known by its products.
pub(crate) trait Symmetric: Sync {
    /// Rows, and columns.
    fn size(&self) -> usize;

    /// The matrix times `right`.
    fn times(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>>;
}

/// How hard to try.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Residuals must fall to this fraction of the largest eigenvalue.
    pub tolerance: f64,
    /// Products with a block of vectors, at most.
    pub max_products: usize,
    /// Seed of the random initialization.
    pub seed: u64,
}

/// The eigenpairs found, and how good they are.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The pairs.
    pub eigen: Eigen,
    /// The largest residual ‖A v − λ v‖, as a fraction of the largest eigenvalue.
    pub residual: f64,
    /// Products with a block of vectors that it took.
    pub n_products: usize,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// Vectors beyond those requested in each block: they speed up the last ones requested.
const EXTRA: usize = 8;
/// The basis restarts at this many blocks.
const MAX_BLOCKS: usize = 6;

/// The `count` largest eigenpairs of `operator`.
pub(crate) fn largest(
    run: &Run<'_>,
    operator: &dyn Symmetric,
    count: usize,
    effort: &Effort,
) -> Result<Found> {
    let start = random_start(operator.size(), count, effort.seed);
    Ok(largest_from(run, operator, count, start, effort)?.0)
}

/// The `count` largest eigenpairs of `operator`, from a start with orthonormal columns, at least as
/// many as pairs; and the best start for an operator nearby.
pub(crate) fn largest_from(
    run: &Run<'_>,
    operator: &dyn Symmetric,
    count: usize,
    start: Array2<f64>,
    effort: &Effort,
) -> Result<(Found, Array2<f64>)> {
    let size = operator.size();
    let width = start.ncols();
    let count = count.min(width);
    let mut space = Space::new(size, (MAX_BLOCKS + 1) * width);
    let none = Array2::zeros((size, 0));
    let mut block = start;
    let mut n_products = 0;
    loop {
        let images = operator.times(run, &block)?;
        n_products += 1;
        run.progress(n_products as u64, effort.max_products as u64)?;
        space.grow(&block, &images, None);
        let pairs = space.pairs()?;
        let last = space.width() >= size || n_products >= effort.max_products;
        if last || converged(&space, &pairs, count, effort.tolerance) {
            let next = product(&space.basis(), &pairs.vectors.slice(s![..width, ..]).t());
            let found = finish(&space, &pairs, count, n_products, effort.tolerance);
            return Ok((found, next));
        }
        // The next directions must be clear of the whole basis, also of what a restart drops:
        // otherwise the new space would not be a Krylov space of the vectors kept.
        let room = size - space.width();
        block = space.next_block(images, width.min(room), &none.view());
        if space.width() >= MAX_BLOCKS * width {
            space.restart(&pairs, width);
            block = space.widen(block, width, effort.seed.wrapping_add(n_products as u64));
        }
    }
}

/// A random initialization for `count` eigenpairs: a few columns more than that, orthonormal.
pub(crate) fn random_start(size: usize, count: usize, seed: u64) -> Array2<f64> {
    let width = (count + EXTRA).min(size);
    let mut stream = stream(seed, 0);
    let block = Array2::from_shape_fn((size, width), |_| normal(&mut stream));
    orthonormal_columns(&block.view())
}

/// Whether the first `count` pairs are good enough. The last of them, the slowest, answers most often.
fn converged(space: &Space, pairs: &Eigen, count: usize, tolerance: f64) -> bool {
    residual(space, pairs, count - 1..count) <= tolerance
        && residual(space, pairs, 0..count) <= tolerance
}

/// The largest residual of some pairs, as a fraction of the largest eigenvalue.
fn residual(space: &Space, pairs: &Eigen, some: Range<usize>) -> f64 {
    let coordinates = pairs.vectors.slice(s![some.clone(), ..]);
    let vectors = product(&space.basis(), &coordinates.t());
    let images = product(&space.images(), &coordinates.t());
    let rest = images - vectors * pairs.values.slice(s![some]);
    let scale = pairs.values.first().map_or(0.0, |value| value.abs());
    let columns = rest.columns().into_iter();
    let worst = columns
        .map(|column| column.dot(&column).sqrt())
        .fold(0.0, f64::max);
    if scale > 0.0 { worst / scale } else { 0.0 }
}

fn finish(space: &Space, pairs: &Eigen, count: usize, n_products: usize, tolerance: f64) -> Found {
    let residual = residual(space, pairs, 0..count);
    let vectors = product(&space.basis(), &pairs.vectors.slice(s![..count, ..]).t());
    let mut vectors = vectors.t().as_standard_layout().into_owned();
    fix_signs(vectors.view_mut());
    Found {
        eigen: Eigen {
            values: pairs.values.slice(s![..count]).to_owned(),
            vectors,
        },
        residual,
        n_products,
        converged: space.width() >= space.size() || residual <= tolerance,
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array1;

    use super::*;
    use crate::linalg::eigen;

    struct Dense(Array2<f64>);

    impl Symmetric for Dense {
        fn size(&self) -> usize {
            self.0.nrows()
        }

        fn times(&self, _: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
            Ok(self.0.dot(right))
        }
    }

    fn effort() -> Effort {
        Effort {
            tolerance: 1e-10,
            max_products: 200,
            seed: 1,
        }
    }

    fn example(size: usize) -> Dense {
        Dense(Array2::from_shape_fn((size, size), |(i, j)| {
            (-(i as f64 - j as f64).powi(2) / 50.0).exp()
                + f64::from(u8::from(i == j)) * i as f64 / 99.0
        }))
    }

    #[test]
    fn the_largest_pairs_equal_those_of_the_dense_solver() {
        let operator = example(300);
        let dense = eigen::symmetric_largest(&operator.0.view(), 5).unwrap();
        let found = largest(&Run::new(), &operator, 5, &effort()).unwrap();
        assert!(found.converged, "{}", found.residual);
        for i in 0..5 {
            assert!((found.eigen.values[i] - dense.values[i]).abs() < 1e-9);
            let same = found.eigen.vectors.row(i).dot(&dense.vectors.row(i));
            assert!((same.abs() - 1.0).abs() < 1e-9, "{i}: {same}");
        }
    }

    #[test]
    fn every_size_about_a_restart_works() {
        // A spectrum so flat that the space is filled before it converges.
        for count in [2, 9] {
            let width = count + EXTRA;
            for size in (MAX_BLOCKS - 1) * width..=(MAX_BLOCKS + 1) * width {
                let operator = Dense(Array2::from_diag(&Array1::from_shape_fn(size, |i| {
                    1.0 + i as f64 / (1000 * size) as f64
                })));
                let effort = Effort {
                    seed: u64::MAX,
                    ..effort()
                };
                let found = largest(&Run::new(), &operator, count, &effort).unwrap();
                let largest = 1.0 + (size - 1) as f64 / (1000 * size) as f64;
                assert!((found.eigen.values[0] - largest).abs() < 1e-5, "{size}");
            }
        }
    }

    #[test]
    fn operators_of_low_rank_and_small_size_are_exact() {
        let u = Array2::from_shape_fn((40, 2), |(i, j)| ((i + 1) as f64 * (j + 1) as f64).sin());
        let operator = Dense(u.dot(&u.t()));
        let found = largest(&Run::new(), &operator, 6, &effort()).unwrap();
        assert!(found.converged);
        assert!(found.eigen.values.iter().skip(2).all(|v| v.abs() < 1e-12));
        let found = largest(&Run::new(), &Dense(Array2::eye(3)), 9, &effort()).unwrap();
        assert_eq!(found.eigen.values.len(), 3);
    }

    #[test]
    fn stopping_early_is_reported() {
        let short = Effort {
            max_products: 1,
            ..effort()
        };
        let found = largest(&Run::new(), &example(300), 5, &short).unwrap();
        assert!(!found.converged && found.residual > 1e-6);
    }
}
