//! FastICA: fixed-point iteration for the rotation of whitened rows to maximally non-Gaussian coordinates.
//!
//! With white rows z and a contrast's derivative g, a row w of the rotation is replaced by
//! E[g(wᵀz) z] − E[g′(wᵀz)] w, and the rows are made orthonormal again, until they converge.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::error::Result;
use crate::linalg::Exponential;
use crate::linalg::eigen::symmetric;
use crate::linalg::product::product_into;
use crate::linalg::wide;
use crate::parallel::{blocks, map_blocks};
use crate::params::Choice;
use crate::random::{normal, stream};
use crate::run::Run;

/// Rows that are handled at a time: few enough to stay in the cache.
pub(super) const BLOCK: usize = 256;
/// Jobs that the rows are shared out to.
const JOBS: usize = 32;
/// The least fraction of the largest eigenvalue that rows may keep in a direction and still count as independent.
const LEAST: f64 = 1e-24;

/// Whether the rows of the rotation are found together or one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Algorithm {
    /// All sources together, with symmetric orthogonalization.
    Parallel,
    /// One source after the other, each orthogonal to the previous ones.
    Deflation,
}

/// What is measured as distance from the normal distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Contrast {
    /// log cosh: for general use.
    Logcosh,
    /// −exp(−u²/2): for sources with very heavy tails, or outliers.
    Exp,
    /// u⁴ (kurtosis): for sources with light tails and without outliers.
    Cube,
}

/// How the rotation is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// Together or one after the other.
    pub algorithm: Algorithm,
    /// The contrast.
    pub contrast: Contrast,
    /// Steepness of log cosh, from 1 to 2.
    pub alpha: f64,
    /// The rotation has converged when no row's direction cosine with its predecessor is farther from 1.
    pub tolerance: f64,
    /// Steps at most: of the whole rotation, or of each row.
    pub max_iterations: usize,
    /// Seed of the initialization.
    pub seed: u64,
}

/// A rotation and how it was reached.
#[derive(Clone, Debug)]
pub(super) struct Rotation {
    /// Orthonormal rows, one for each source.
    pub rows: Array2<f64>,
    /// Steps taken; of the row that took most, where they come one after the other.
    pub n_iterations: usize,
    /// The change of the last step, of the row that changed most.
    pub change: f64,
}

impl Search {
    /// The rotation of white rows with `count` sources, from the rows given or from random ones.
    pub(super) fn rotation<T: Exponential>(
        &self,
        run: &Run<'_>,
        white: &ArrayView2<'_, T>,
        count: usize,
        initial: Option<ArrayView2<'_, f64>>,
    ) -> Result<Rotation> {
        let mut draw = stream(self.seed, 0);
        let start = match initial {
            Some(given) => given.to_owned(),
            None => Array2::from_shape_simple_fn((count, white.ncols()), || normal(&mut draw)),
        };
        match self.algorithm {
            Algorithm::Parallel => self.parallel(run, white, start),
            Algorithm::Deflation => self.deflation(run, white, start),
        }
    }

    fn parallel<T: Exponential>(
        &self,
        run: &Run<'_>,
        white: &ArrayView2<'_, T>,
        start: Array2<f64>,
    ) -> Result<Rotation> {
        let first = Array2::from_shape_fn(start.dim(), |(i, j)| f64::from(u8::from(i == j)));
        let mut rows = decorrelated(&start, &first)?;
        let mut change = f64::INFINITY;
        let mut n_iterations = 0;
        while n_iterations < self.max_iterations && change >= self.tolerance {
            let next = decorrelated(&self.step(run, white, &rows)?, &rows)?;
            change = (&next * &rows)
                .sum_axis(Axis(1))
                .fold(0.0, |most, cosine| most.max((cosine.abs() - 1.0).abs()));
            rows = next;
            n_iterations += 1;
            run.iterate(n_iterations as u64, None, None)?;
        }
        Ok(Rotation {
            rows,
            n_iterations,
            change,
        })
    }

    fn deflation<T: Exponential>(
        &self,
        run: &Run<'_>,
        white: &ArrayView2<'_, T>,
        start: Array2<f64>,
    ) -> Result<Rotation> {
        let count = start.nrows();
        let mut found = Rotation {
            rows: start,
            n_iterations: 0,
            change: 0.0,
        };
        for index in 0..count {
            let (before, rest) = found.rows.view_mut().split_at(Axis(0), index);
            let mut row = rest.slice(s![..1, ..]).to_owned();
            make_orthogonal(&mut row, &before.view());
            let mut change = f64::INFINITY;
            let mut n_iterations = 0;
            while n_iterations < self.max_iterations && change >= self.tolerance {
                let mut next = self.step(run, white, &row)?;
                if !make_orthogonal(&mut next, &before.view()) {
                    next.assign(&row);
                }
                change = ((&next * &row).sum().abs() - 1.0).abs();
                row = next;
                n_iterations += 1;
                run.iterate(n_iterations as u64, None, None)?;
            }
            found.rows.row_mut(index).assign(&row.row(0));
            found.n_iterations = found.n_iterations.max(n_iterations);
            found.change = found.change.max(change);
            run.progress(index as u64 + 1, count as u64)?;
        }
        Ok(found)
    }

    /// E[g(Wz) zᵀ] − diag(E[g′(Wz)]) W.
    fn step<T: Exponential>(
        &self,
        run: &Run<'_>,
        white: &ArrayView2<'_, T>,
        rows: &Array2<f64>,
    ) -> Result<Array2<f64>> {
        let n_rows = white.nrows();
        let turned = rows.t().mapv(T::of);
        let parts = map_blocks(run, n_rows, job_size(n_rows), |job| {
            self.sums(white, &turned, job)
        })?;
        let mut sums = Array2::<f64>::zeros(rows.dim());
        let mut slopes = Array1::<f64>::zeros(rows.nrows());
        for (part, slope) in parts {
            sums += &part;
            slopes += &slope;
        }
        Ok((sums - rows * &slopes.insert_axis(Axis(1))) / n_rows as f64)
    }

    /// Σ g(Wz) zᵀ and Σ g′(Wz) over the rows of a job.
    fn sums<T: Exponential>(
        &self,
        white: &ArrayView2<'_, T>,
        turned: &Array2<T>,
        job: Range<usize>,
    ) -> (Array2<f64>, Array1<f64>) {
        let (n_white, count) = turned.dim();
        let mut products = Array2::<f64>::zeros((count, n_white));
        let mut slopes = Array1::<f64>::zeros(count);
        let mut part = Array2::from_elem((count, n_white), T::of(0.0));
        let mut values = vec![T::of(0.0); BLOCK * count];
        let mut derivatives = vec![T::of(0.0); BLOCK * count];
        for block in blocks(job.len(), BLOCK) {
            let rows = white.slice(s![job.start + block.start..job.start + block.end, ..]);
            let values = &mut values[..block.len() * count];
            let derivatives = &mut derivatives[..block.len() * count];
            if let Ok(target) = ndarray::ArrayViewMut2::from_shape((block.len(), count), values) {
                product_into(target, &rows, &turned.view());
            }
            wide::run(Derivatives {
                search: self,
                values,
                derivatives,
            });
            if let Ok(images) = ArrayView2::from_shape((block.len(), count), &*values) {
                product_into(part.view_mut(), &images.t(), &rows);
            }
            products.zip_mut_with(&part, |sum, &extra| *sum += extra.wide());
            add_columns(&mut slopes, derivatives);
        }
        (products, slopes)
    }

    /// Replaces each value by g of it, and stores g′ of it.
    #[inline(always)]
    fn differentiate<T: Exponential>(&self, values: &mut [T], derivatives: &mut [T]) {
        let one = T::of(1.0);
        let pairs = values.iter_mut().zip(derivatives);
        match self.contrast {
            Contrast::Logcosh => {
                let alpha = T::of(self.alpha);
                pairs.for_each(|(value, derivative)| {
                    *value = (alpha * *value).smooth_tanh();
                    *derivative = alpha * (one - *value * *value);
                });
            }
            Contrast::Exp => pairs.for_each(|(value, derivative)| {
                let square = *value * *value;
                let bell = (T::of(0.5) * square).decay();
                *value *= bell;
                *derivative = (one - square) * bell;
            }),
            Contrast::Cube => pairs.for_each(|(value, derivative)| {
                let square = *value * *value;
                *value *= square;
                *derivative = T::of(3.0) * square;
            }),
        }
    }
}

/// The contrast's derivatives of many values: with AVX-512 in a tenth of the time (70,000 × 20, by samples).
struct Derivatives<'a, T> {
    search: &'a Search,
    values: &'a mut [T],
    derivatives: &'a mut [T],
}

impl<T: Exponential> wide::Loop for Derivatives<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        self.search.differentiate(self.values, self.derivatives);
    }
}

/// The rows of one job: so that there are [`JOBS`] of them, each of whole blocks.
pub(super) fn job_size(n_rows: usize) -> usize {
    n_rows.div_ceil(JOBS).next_multiple_of(BLOCK)
}

/// Adds the sums of a table's columns, each summed in the table's precision over few rows.
fn add_columns<T: Exponential>(sums: &mut Array1<f64>, table: &[T]) {
    let mut part = vec![T::of(0.0); sums.len()];
    for row in table.chunks_exact(sums.len()) {
        for (sum, &value) in part.iter_mut().zip(row) {
            *sum += value;
        }
    }
    for (sum, value) in sums.iter_mut().zip(part) {
        *sum += value.wide();
    }
}

/// (W Wᵀ)^-½ W: the orthonormal rows nearest to W. Rows that do not span enough directions are mixed with
/// the orthonormal rows that they come from.
fn decorrelated(rows: &Array2<f64>, before: &Array2<f64>) -> Result<Array2<f64>> {
    for candidate in [rows, &(rows + before), before] {
        let eigen = symmetric(&candidate.dot(&candidate.t()).view())?;
        let largest = eigen.values[0];
        let least = eigen.values[eigen.values.len() - 1];
        if largest > 0.0 && least > largest * LEAST {
            let scales = eigen.values.mapv(|value| value.sqrt().recip());
            let scaled = &eigen.vectors * &scales.insert_axis(Axis(1));
            return Ok(eigen.vectors.t().dot(&scaled).dot(candidate));
        }
    }
    Ok(before.clone())
}

/// Makes a row orthogonal to orthonormal ones, twice for what rounding leaves, and 1 long; false if nothing
/// is left of it.
fn make_orthogonal(row: &mut Array2<f64>, before: &ArrayView2<'_, f64>) -> bool {
    let length = row.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    for _ in 0..2 {
        let shares = row.dot(&before.t());
        *row -= &shares.dot(before);
    }
    let left = row.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    *row /= left.max(f64::MIN_POSITIVE);
    left > length * LEAST.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::methods::ica::whitening::Whitening;
    use crate::random::uniform;

    /// Flat sources and what makes their sample white, which it is not by itself.
    fn flat(n_rows: usize, count: usize) -> (Array2<f64>, Whitening) {
        let mut draw = stream(5, 0);
        let half = 3.0_f64.sqrt();
        let sources = Array2::from_shape_simple_fn((n_rows, count), || {
            half * (2.0 * uniform(&mut draw) - 1.0)
        });
        let data = Data::from(&sources);
        let whitening = Whitening::fit(&Run::new(), &data, "test", count).unwrap();
        (
            (&sources - &whitening.mean).dot(&whitening.forward.t()),
            whitening,
        )
    }

    fn search(algorithm: Algorithm, contrast: Contrast) -> Search {
        Search {
            algorithm,
            contrast,
            alpha: 1.0,
            tolerance: 1e-8,
            max_iterations: 200,
            seed: 1,
        }
    }

    #[test]
    fn white_sources_are_found_as_they_are_by_every_contrast() {
        let (white, whitening) = flat(20_000, 3);
        let single = white.mapv(|value| value as f32);
        let run = Run::new();
        for algorithm in [Algorithm::Parallel, Algorithm::Deflation] {
            for contrast in [Contrast::Logcosh, Contrast::Exp, Contrast::Cube] {
                let search = search(algorithm, contrast);
                let found = search.rotation(&run, &white.view(), 3, None).unwrap();
                assert!(found.change < 1e-8 && found.n_iterations < 200);
                let unit = found.rows.dot(&found.rows.t()) - Array2::<f64>::eye(3);
                assert!(unit.iter().all(|d| d.abs() < 1e-12));
                for row in found.rows.dot(&whitening.forward).rows() {
                    let largest = row.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
                    assert!(
                        (largest - 1.0).abs() < 0.01,
                        "{algorithm} {contrast}: {row}"
                    );
                }
                let other = search.rotation(&run, &single.view(), 3, None).unwrap();
                let apart = &other.rows - &found.rows;
                assert!(apart.iter().all(|d| d.abs() < 1e-4), "{apart}");
                let given = Some(found.rows.view());
                let again = search.rotation(&run, &white.view(), 3, given).unwrap();
                assert!(again.n_iterations <= 2, "{}", again.n_iterations);
            }
        }
    }

    #[test]
    fn rows_that_vanish_fall_back_on_those_before() {
        let before = Array2::<f64>::eye(2);
        let nothing = Array2::zeros((2, 2));
        assert_eq!(decorrelated(&nothing, &before).unwrap(), before);
        let opposite = -&before;
        let turned = decorrelated(&opposite, &before).unwrap();
        assert!((turned + &before).iter().all(|d| d.abs() < 1e-15));
    }
}
