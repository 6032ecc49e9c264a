//! Rows without negative values, divided by one number so that no square leaves its range, and read in
//! one pass for both products of an alternating step.

use std::ops::Range;

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use crate::data::features::for_features;
use crate::data::{Features, Precision, SparseView};
use crate::error::Result;
use crate::linalg::Real;
use crate::linalg::product::{add_product, product_into};
use crate::linalg::tall_skinny::Narrow;
use crate::parallel::blocks;
use crate::run::Run;

/// Rows that stay in the cache between the two products.
const BLOCK: usize = 64;
/// Rows that one job reads.
const JOB: usize = 1024;
/// Partial sums that wait for their turn at once.
pub(crate) const WAVE: usize = 16;

/// The matrix X / scale.
#[derive(Clone, Debug)]
pub struct Scaled<'a> {
    features: Features<'a>,
    scale: f64,
}

/// The sums of one pass over all rows.
#[derive(Clone, Debug)]
pub struct Sums {
    /// XᵀW, a row for each column of X.
    pub products: Array2<f64>,
    /// WᵀW.
    pub gram: Array2<f64>,
    /// The sum of what the updates returned.
    pub update_total: f64,
}

impl<'a> Scaled<'a> {
    /// The features divided by `scale`.
    pub fn new(features: &'a Features<'_>, scale: f64) -> Self {
        Self {
            features: features.reborrow(),
            scale,
        }
    }

    /// The power of four next to the largest value: exact to divide by, also by its root. It keeps away from
    /// the ends of the range, where its inverse would be infinite.
    pub fn scale_of(largest: f64, precision: Precision) -> f64 {
        let most = match precision {
            Precision::Single => 50,
            Precision::Double => 500,
        };
        if largest <= 0.0 {
            return 1.0;
        }
        let power = (largest.log2() / 2.0).floor() as i32;
        4.0_f64.powi(power.clamp(-most, most))
    }

    /// The features as they are.
    pub fn features(&self) -> &Features<'a> {
        &self.features
    }

    /// What they are divided by.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.features.n_rows()
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.features.n_columns()
    }

    /// This matrix times `right` for the rows of a range, in the features' precision.
    pub fn times(&self, rows: Range<usize>, right: &ArrayView2<'_, f64>) -> Array2<f64> {
        let part = self.features.rows(rows.start, rows.end);
        let mut result = Array2::zeros((rows.len(), right.ncols()));
        for_features!(
            &part,
            dense x => {
                let narrow = prepared(right, self.scale);
                for (mut target, rows) in chunks(result.view_mut()).zip(blocks(x.nrows(), BLOCK)) {
                    target.zip_mut_with(&narrow.images(x, rows), |to, from| *to = from.wide());
                }
            },
            sparse s => sparse_times(s, self.scale, right, result.view_mut())
        );
        result
    }

    /// One alternating step: `update` improves a block of `weights` (its second argument), given that block's
    /// product with `right` (its first), and returns a number; the sums are those of the improved weights.
    pub fn pass(
        &self,
        run: &Run<'_>,
        right: &ArrayView2<'_, f64>,
        weights: &mut Array2<f64>,
        update: impl Fn(&ArrayView2<'_, f64>, ArrayViewMut2<'_, f64>) -> f64 + Sync,
    ) -> Result<Sums> {
        for_features!(
            &self.features,
            dense x => {
                let narrow = prepared(right, self.scale);
                sum_jobs(run, right.nrows(), right.ncols(), weights, |rows, part| {
                    dense_job(&x.slice(s![rows, ..]), &narrow, self.scale, part, &update)
                })
            },
            sparse x => sum_jobs(run, right.nrows(), right.ncols(), weights, |rows, part| {
                sparse_job(&x.rows(rows.start, rows.end), right, self.scale, part, &update)
            })
        )
    }

    /// The sum of squares of all entries.
    pub fn sum_of_squares(&self) -> f64 {
        let squares: Vec<f64> = blocks(self.n_rows(), JOB)
            .into_par_iter()
            .map(|rows| {
                let part = self.features.rows(rows.start, rows.end);
                for_features!(
                    &part,
                    dense x => x.rows().into_iter().map(|row| sum_of_squares(&row, self.scale)).sum::<f64>(),
                    sparse s => sum_of_squares(&ArrayView1::from(s.values()), self.scale)
                )
            })
            .collect();
        squares.iter().sum()
    }

    /// ‖X − W Hᵀ‖² of this matrix. Dense rows are compared entry by entry; for sparse rows the square is
    /// multiplied out.
    pub fn squared_error(
        &self,
        run: &Run<'_>,
        weights: &ArrayView2<'_, f64>,
        columns: &ArrayView2<'_, f64>,
    ) -> Result<f64> {
        let parts: Vec<f64> = blocks(self.n_rows(), JOB)
            .into_par_iter()
            .map(|rows| {
                run.check()?;
                let part = weights.slice(s![rows.clone(), ..]);
                if self.features.is_sparse() {
                    return Ok((&part * &self.times(rows, columns)).sum());
                }
                let square = |(block, part): (Range<usize>, ArrayView2<'_, f64>)| {
                    let start = rows.start + block.start;
                    let mut rest = self.features.dense_rows(start, start + block.len());
                    rest *= -self.scale.recip();
                    add_product(rest.view_mut(), &part, &columns.t());
                    rest.rows()
                        .into_iter()
                        .map(|row| sum_of_squares(&row, 1.0))
                        .sum::<f64>()
                };
                let parts = part.axis_chunks_iter(Axis(0), BLOCK);
                Ok(blocks(rows.len(), BLOCK)
                    .into_iter()
                    .zip(parts)
                    .map(square)
                    .sum())
            })
            .collect::<Result<_>>()?;
        let sum: f64 = parts.iter().sum();
        if !self.features.is_sparse() {
            return Ok(sum);
        }
        let both = (&gram(weights) * &gram(columns)).sum();
        Ok((self.sum_of_squares() - 2.0 * sum + both).max(0.0))
    }
}

/// AᵀA.
pub fn gram(a: &ArrayView2<'_, f64>) -> Array2<f64> {
    let mut result = Array2::zeros((a.ncols(), a.ncols()));
    product_into(result.view_mut(), &a.t(), a);
    result
}

/// In eight sums side by side.
fn sum_of_squares<T: Real>(values: &ArrayView1<'_, T>, scale: f64) -> f64 {
    let shrink = scale.recip();
    let values = values.as_standard_layout();
    let (whole, rest) = values
        .as_slice()
        .expect("its layout is the standard one")
        .as_chunks::<8>();
    let square = |value: T| (value.wide() * shrink).powi(2);
    let mut sums = [0.0; 8];
    for values in whole {
        for (sum, &value) in sums.iter_mut().zip(values) {
            *sum += square(value);
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|&value| square(value)).sum::<f64>()
}

fn prepared<T: Real>(right: &ArrayView2<'_, f64>, scale: f64) -> Narrow<T> {
    let shrink = scale.recip();
    Narrow::new(right.mapv(|value| T::of(value * shrink)))
}

fn chunks(rows: ArrayViewMut2<'_, f64>) -> impl Iterator<Item = ArrayViewMut2<'_, f64>> {
    let n_rows = rows.nrows();
    let mut rest = Some(rows);
    blocks(n_rows, BLOCK).into_iter().filter_map(move |block| {
        let (first, after) = rest.take()?.split_at(Axis(0), block.len());
        rest = Some(after);
        Some(first)
    })
}

/// Runs `job` on fixed ranges of rows with their weights, and adds up what comes back, in order.
fn sum_jobs(
    run: &Run<'_>,
    n_columns: usize,
    n_components: usize,
    weights: &mut Array2<f64>,
    job: impl Fn(Range<usize>, ArrayViewMut2<'_, f64>) -> (Array2<f64>, f64) + Sync,
) -> Result<Sums> {
    let mut sum = Array2::zeros((n_components, n_columns));
    let mut square = Array2::zeros((n_components, n_components));
    let mut update_total = 0.0;
    let mut start = 0;
    for mut wave in weights.axis_chunks_iter_mut(Axis(0), JOB * WAVE) {
        run.check()?;
        let parts: Vec<_> = wave
            .axis_chunks_iter_mut(Axis(0), JOB)
            .into_par_iter()
            .enumerate()
            .map(|(index, mut part)| {
                let first = start + index * JOB;
                let (products, update_total) = job(first..first + part.nrows(), part.view_mut());
                (products, update_total, gram(&part.view()))
            })
            .collect();
        for (products, part, gram) in parts {
            sum += &products;
            square += &gram;
            update_total += part;
        }
        start += JOB * WAVE;
    }
    Ok(Sums {
        products: sum.t().as_standard_layout().into_owned(),
        gram: square,
        update_total,
    })
}

fn dense_job<T: Real>(
    x: &ArrayView2<'_, T>,
    narrow: &Narrow<T>,
    scale: f64,
    weights: ArrayViewMut2<'_, f64>,
    update: &(impl Fn(&ArrayView2<'_, f64>, ArrayViewMut2<'_, f64>) -> f64 + Sync),
) -> (Array2<f64>, f64) {
    let mut sums = narrow.sums();
    let mut update_total = 0.0;
    for (rows, mut part) in blocks(x.nrows(), BLOCK).into_iter().zip(chunks(weights)) {
        let products = narrow.images(x, rows.clone()).mapv(Real::wide);
        update_total += update(&products.view(), part.view_mut());
        narrow.add(&mut sums, (x, rows), &part.view(), scale.recip());
    }
    (narrow.finish(&sums), update_total)
}

fn sparse_times<T: Real>(
    x: &SparseView<'_, T>,
    scale: f64,
    right: &ArrayView2<'_, f64>,
    mut result: ArrayViewMut2<'_, f64>,
) {
    for (row, mut target) in result.rows_mut().into_iter().enumerate() {
        for (column, value) in x.row(row) {
            target.scaled_add(value.wide() / scale, &right.row(column));
        }
    }
}

fn sparse_job<T: Real>(
    x: &SparseView<'_, T>,
    right: &ArrayView2<'_, f64>,
    scale: f64,
    mut weights: ArrayViewMut2<'_, f64>,
    update: &(impl Fn(&ArrayView2<'_, f64>, ArrayViewMut2<'_, f64>) -> f64 + Sync),
) -> (Array2<f64>, f64) {
    let mut products = Array2::zeros(weights.dim());
    sparse_times(x, scale, right, products.view_mut());
    let update_total = update(&products.view(), weights.view_mut());
    let mut sums = Array2::zeros(right.dim());
    for (row, weights) in weights.rows().into_iter().enumerate() {
        for (column, value) in x.row(row) {
            sums.row_mut(column)
                .scaled_add(value.wide() / scale, &weights);
        }
    }
    (sums.reversed_axes(), update_total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::SparseRows;

    #[test]
    fn a_pass_gives_the_products_of_the_formed_matrix_for_every_kind_of_rows() {
        let x = Array2::from_shape_fn((2500, 7), |(i, j)| ((i * j) % 5) as f64);
        let single = x.mapv(|value| value as f32);
        let entries = x.indexed_iter().map(|((i, j), v)| (i, j, *v)).collect();
        let sparse = SparseRows::from_entries(2500, 7, entries).unwrap();
        let right = Array2::from_shape_fn((7, 3), |(i, j)| (i + 2 * j) as f64 / 8.0);
        let formed = &x / 16.0;
        for features in [
            Features::from(&x),
            Features::from(&single),
            Features::from(sparse.view()),
        ] {
            let scaled = Scaled::new(&features, 16.0);
            let mut weights = Array2::ones((2500, 3));
            let sums = scaled
                .pass(&Run::new(), &right.view(), &mut weights, |p, mut w| {
                    w.assign(p);
                    p.sum()
                })
                .unwrap();
            let want = formed.dot(&right);
            let near = |a: &Array2<f64>, b: &Array2<f64>| {
                assert!((a - b).iter().all(|d| d.abs() < 1e-5 * b.sum()), "{a} {b}");
            };
            near(&weights, &want);
            near(&sums.products, &formed.t().dot(&want));
            near(&sums.gram, &want.t().dot(&want));
            near(&scaled.times(0..2500, &right.view()), &want);
            assert!((sums.update_total - want.sum()).abs() < 1e-3);
            let rest = &formed - &want.dot(&right.t());
            let error = scaled.squared_error(&Run::new(), &want.view(), &right.view());
            let exact: f64 = rest.iter().map(|value| value * value).sum();
            assert!((error.unwrap() - exact).abs() < 1e-9 * exact);
        }
    }

    #[test]
    fn scales_are_powers_of_four_within_range() {
        assert_eq!(Scaled::scale_of(255.0, Precision::Single), 64.0);
        assert_eq!(Scaled::scale_of(0.0, Precision::Single), 1.0);
        let least = Scaled::scale_of(f64::MIN_POSITIVE, Precision::Double);
        assert!(least.recip().is_finite());
        assert!(Scaled::scale_of(f64::MAX, Precision::Double) > 1e300);
    }
}
