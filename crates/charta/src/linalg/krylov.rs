//! The few largest eigenpairs of a large symmetric operator: block Krylov with a random start.
//!
//! Each round multiplies a whole block of vectors, because a pass over the data costs more than the
//! arithmetic in it. All blocks stay in the basis (kept orthonormal by repeated projection), the
//! Rayleigh–Ritz pairs of the basis are the estimates, and their true residuals decide when to
//! stop. A basis that grows too large restarts from its best vectors.
//!
//! Musco and Musco, "Randomized block Krylov methods for stronger and faster approximate singular
//! value decomposition", 2015; Zhou and Saad, "Block Krylov–Schur method", 2008.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, Axis, ShapeBuilder, concatenate, s};

use super::eigen::{self, Eigen, fix_signs};
use super::orthogonal::{orthonormal_columns, remove_span};
use super::product::product;
use crate::error::Result;
use crate::random::{normal, stream};
use crate::run::Run;

/// A symmetric matrix known by its products.
pub trait Symmetric: Sync {
    /// Rows, and columns.
    fn size(&self) -> usize;

    /// The matrix times `right`.
    fn times(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>>;
}

/// How hard to try.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Residuals must fall to this share of the largest eigenvalue.
    pub tolerance: f64,
    /// Products with a block of vectors, at most.
    pub max_products: usize,
    /// Seed of the random start.
    pub seed: u64,
}

/// The eigenpairs found, and how good they are.
#[derive(Clone, Debug)]
pub struct Found {
    /// The pairs.
    pub eigen: Eigen,
    /// The largest residual ‖A v − λ v‖, as a share of the largest eigenvalue.
    pub residual: f64,
    /// Products with a block of vectors that it took.
    pub n_products: usize,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// Vectors beyond those wanted in each block: they speed up the last ones wanted.
const EXTRA: usize = 8;
/// The basis restarts at so many blocks.
const MAX_BLOCKS: usize = 6;

/// The `count` largest eigenpairs of `operator`.
pub fn largest(
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
pub fn largest_from(
    run: &Run<'_>,
    operator: &dyn Symmetric,
    count: usize,
    start: Array2<f64>,
    effort: &Effort,
) -> Result<(Found, Array2<f64>)> {
    let size = operator.size();
    let width = start.ncols();
    let count = count.min(width);
    let mut space = Space::new(size, width);
    let mut block = start;
    let mut n_products = 0;
    loop {
        let images = operator.times(run, &block)?;
        n_products += 1;
        run.progress(n_products as u64, effort.max_products as u64)?;
        space.grow(&block, &images);
        let pairs = space.projected()?;
        let last = space.width() >= size || n_products >= effort.max_products;
        if last || space.converged(&pairs, count, effort.tolerance) {
            let next = product(&space.basis(), &pairs.vectors.slice(s![..width, ..]).t());
            return Ok((space.finish(&pairs, count, (n_products, effort)), next));
        }
        // The next directions must be clear of the whole basis, also of what a restart drops:
        // otherwise the new space would not be a Krylov space of the vectors kept.
        block = space.next_block(images, width);
        if space.width() >= MAX_BLOCKS * width {
            space.restart(width)?;
            block = space.widen(block, width, effort.seed.wrapping_add(n_products as u64));
        }
    }
}

/// A random start for `count` eigenpairs: a few columns more than that, orthonormal.
pub fn random_start(size: usize, count: usize, seed: u64) -> Array2<f64> {
    let width = (count + EXTRA).min(size);
    let mut stream = stream(seed, 0);
    let block = Array2::from_shape_fn((size, width), |_| normal(&mut stream));
    orthonormal_columns(&block.view())
}

/// An orthonormal basis with its images under the operator.
struct Space {
    /// Column by column, with room for more.
    basis: Array2<f64>,
    images: Array2<f64>,
    /// Columns in use.
    used: usize,
    /// What the operator is in the basis.
    small: Array2<f64>,
}

impl Space {
    fn new(size: usize, width: usize) -> Self {
        let room = (size, (MAX_BLOCKS + 1) * width);
        Self {
            basis: Array2::zeros(room.f()),
            images: Array2::zeros(room.f()),
            used: 0,
            small: Array2::zeros((0, 0)),
        }
    }

    fn width(&self) -> usize {
        self.used
    }

    fn basis(&self) -> ArrayView2<'_, f64> {
        self.basis.slice(s![.., ..self.used])
    }

    fn images(&self) -> ArrayView2<'_, f64> {
        self.images.slice(s![.., ..self.used])
    }

    fn grow(&mut self, block: &Array2<f64>, images: &Array2<f64>) {
        let known = self.used;
        self.used += block.ncols();
        let added = s![.., known..self.used];
        self.basis.slice_mut(added).assign(block);
        self.images.slice_mut(added).assign(images);
        let beside = product(&self.basis().t(), &images.view());
        let mut small = Array2::zeros((self.used, self.used));
        small.slice_mut(s![..known, ..known]).assign(&self.small);
        small.slice_mut(s![.., known..]).assign(&beside);
        let corner = beside.slice(s![known.., ..]);
        let corner = (&corner + &corner.t()) * 0.5;
        small.slice_mut(s![known.., known..]).assign(&corner);
        let above = beside.slice(s![..known, ..]);
        small.slice_mut(s![known.., ..known]).assign(&above.t());
        self.small = small;
    }

    fn projected(&self) -> Result<Eigen> {
        eigen::symmetric(&self.small.view())
    }

    /// Whether the first `count` pairs are good enough. The last of them, the slowest, answers most often.
    fn converged(&self, pairs: &Eigen, count: usize, tolerance: f64) -> bool {
        self.residual(pairs, count - 1..count) <= tolerance
            && self.residual(pairs, 0..count) <= tolerance
    }

    /// The largest residual of some pairs, as a share of the largest eigenvalue.
    fn residual(&self, pairs: &Eigen, some: Range<usize>) -> f64 {
        let coordinates = pairs.vectors.slice(s![some.clone(), ..]);
        let vectors = product(&self.basis(), &coordinates.t());
        let images = product(&self.images(), &coordinates.t());
        let rest = images - vectors * pairs.values.slice(s![some]);
        let scale = pairs.values.first().map_or(0.0, |value| value.abs());
        let columns = rest.columns().into_iter();
        let worst = columns
            .map(|column| column.dot(&column).sqrt())
            .fold(0.0, f64::max);
        if scale > 0.0 { worst / scale } else { 0.0 }
    }

    /// Keeps the `width` best vectors only. Their images need no new product.
    fn restart(&mut self, width: usize) -> Result<()> {
        let pairs = self.projected()?;
        let coordinates = pairs.vectors.slice(s![..width, ..]);
        let basis = product(&self.basis(), &coordinates.t());
        let images = product(&self.images(), &coordinates.t());
        self.used = 0;
        self.small = Array2::zeros((0, 0));
        self.grow(&basis, &images);
        Ok(())
    }

    /// The next directions: the newest images, less what the basis already holds. Projecting once
    /// more after the first orthonormalisation keeps directions that were almost nothing clean.
    fn next_block(&self, mut images: Array2<f64>, width: usize) -> Array2<f64> {
        let room = self.basis.nrows() - self.used;
        let kept = width.min(room).min(images.ncols());
        if kept < images.ncols() {
            images = images.slice(s![.., ..kept]).to_owned();
        }
        for _ in 0..2 {
            remove_span(&mut images, &self.basis());
            images = orthonormal_columns(&images.view());
        }
        images
    }

    /// A block that had too little room gets random directions beside it, now that there is more.
    fn widen(&self, block: Array2<f64>, width: usize, seed: u64) -> Array2<f64> {
        let size = self.basis.nrows();
        let missing = width.min(size - self.used).saturating_sub(block.ncols());
        if missing == 0 {
            return block;
        }
        let mut stream = stream(seed, 1);
        let mut added = Array2::from_shape_fn((size, missing), |_| normal(&mut stream));
        let known = beside(&self.basis(), &block);
        for _ in 0..2 {
            remove_span(&mut added, &known.view());
            added = orthonormal_columns(&added.view());
        }
        beside(&block.view(), &added)
    }

    fn finish(&self, pairs: &Eigen, count: usize, (n_products, effort): (usize, &Effort)) -> Found {
        let residual = self.residual(pairs, 0..count);
        let vectors = product(&self.basis(), &pairs.vectors.slice(s![..count, ..]).t());
        let mut vectors = vectors.t().as_standard_layout().into_owned();
        fix_signs(vectors.view_mut());
        Found {
            eigen: Eigen {
                values: pairs.values.slice(s![..count]).to_owned(),
                vectors,
            },
            residual,
            n_products,
            converged: self.used >= self.basis.nrows() || residual <= effort.tolerance,
        }
    }
}

fn beside(left: &ArrayView2<'_, f64>, right: &Array2<f64>) -> Array2<f64> {
    // Both have as many rows as the operator, so that joining them cannot fail.
    concatenate(Axis(1), &[left.view(), right.view()]).unwrap_or_else(|_| left.to_owned())
}

#[cfg(test)]
mod tests {
    use ndarray::Array1;

    use super::*;

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
