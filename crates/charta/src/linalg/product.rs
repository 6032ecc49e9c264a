//! Matrix products.

use faer::linalg::matmul::matmul;
use faer::{Accum, Par};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};

use super::bridge::{lend, lend_mut};
use super::real::Real;
use crate::parallel::for_each;

/// Rows of the result that one job computes.
const ROWS_PER_JOB: usize = 256;

/// `a · b`, in one thread.
pub(crate) fn product_into<T: Real>(
    mut target: ArrayViewMut2<'_, T>,
    a: &ArrayView2<'_, T>,
    b: &ArrayView2<'_, T>,
) {
    matmul(
        lend_mut(&mut target),
        Accum::Replace,
        lend(a),
        lend(b),
        T::of(1.0),
        Par::Seq,
    );
}

/// `target + a · b` into `target`, in one thread.
pub(crate) fn add_product<T: Real>(
    mut target: ArrayViewMut2<'_, T>,
    a: &ArrayView2<'_, T>,
    b: &ArrayView2<'_, T>,
) {
    matmul(
        lend_mut(&mut target),
        Accum::Add,
        lend(a),
        lend(b),
        T::of(1.0),
        Par::Seq,
    );
}

/// `a · b`, in parallel over fixed blocks of rows.
pub(crate) fn product<T: Real>(a: &ArrayView2<'_, T>, b: &ArrayView2<'_, T>) -> Array2<T> {
    let mut result = Array2::from_elem((a.nrows(), b.ncols()), T::of(0.0));
    if result.is_empty() {
        return result;
    }
    let targets = result.axis_chunks_iter_mut(Axis(0), ROWS_PER_JOB);
    let parts = targets.zip(a.axis_chunks_iter(Axis(0), ROWS_PER_JOB));
    for_each(parts, |_, (target, rows)| product_into(target, &rows, b));
    result
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn products_agree_with_the_definition_for_any_layout() {
        let a = Array2::from_shape_fn((700, 5), |(i, j)| (i as f64).sin() + j as f64);
        let b = Array2::from_shape_fn((4, 5), |(i, j)| (i * 5 + j) as f64 / 7.0);
        let got = product(&a.view(), &b.t());
        for (i, j) in [(0, 0), (699, 3), (300, 2)] {
            let want: f64 = (0..5).map(|k| a[[i, k]] * b[[j, k]]).sum();
            assert!((got[[i, j]] - want).abs() < 1e-12 * want.abs().max(1.0));
        }
    }

    #[test]
    fn empty_products_are_empty_or_zero() {
        let a = Array2::<f32>::zeros((3, 0));
        let b = Array2::<f32>::zeros((0, 2));
        assert_eq!(product(&a.view(), &b.view()), Array2::<f32>::zeros((3, 2)));
    }
}
