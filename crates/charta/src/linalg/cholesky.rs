//! The Cholesky factor of a symmetric positive definite matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Auto, Mat, Par, Spec};
use ndarray::{Array2, ArrayView2};

use super::bridge::{copy, matrix, parallelism};
use crate::random::{normal, stream};

/// Rounds of inverse iteration: each makes the estimate better by the ratio of the two smallest
/// eigenvalues, and only its order of magnitude is needed.
const ROUNDS: usize = 8;

/// The lower triangular L with L Lᵀ = A.
#[derive(Debug)]
pub(crate) struct Cholesky {
    factor: Mat<f64>,
}

impl Cholesky {
    /// The factor of a symmetric matrix, of which the lower triangle is read; `None` if it is not
    /// positive definite.
    pub(crate) fn of(a: &ArrayView2<'_, f64>) -> Option<Self> {
        let size = a.nrows();
        let par = parallelism(size);
        let params: Spec<_, f64> = Spec::new(<_ as Auto<f64>>::auto());
        let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(size, par, params));
        let mut factor = matrix(a);
        cholesky_in_place(
            factor.as_mut(),
            LltRegularization::default(),
            par,
            MemStack::new(&mut memory),
            params,
        )
        .ok()?;
        let proper = (0..size).all(|i| factor[(i, i)].is_finite() && factor[(i, i)] > 0.0);
        proper.then_some(Self { factor })
    }

    /// L⁻¹ b.
    pub(crate) fn solve_lower(&self, b: &ArrayView2<'_, f64>) -> Array2<f64> {
        let mut solution = matrix(b);
        let factor = self.factor.as_ref();
        solve_lower_triangular_in_place(factor, solution.as_mut(), Par::Seq);
        copy(solution.as_ref())
    }

    /// L⁻ᵀ b.
    pub(crate) fn solve_upper(&self, b: &ArrayView2<'_, f64>) -> Array2<f64> {
        let mut solution = matrix(b);
        let factor = self.factor.as_ref().transpose();
        solve_upper_triangular_in_place(factor, solution.as_mut(), Par::Seq);
        copy(solution.as_ref())
    }

    /// An estimate of the smallest eigenvalue of A, never below it.
    pub(crate) fn smallest_eigenvalue(&self) -> f64 {
        let size = self.factor.nrows();
        let mut numbers = stream(0, 0);
        let mut vector = Array2::from_shape_fn((size, 1), |_| normal(&mut numbers));
        let mut smallest = f64::INFINITY;
        for _ in 0..ROUNDS {
            let length = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
            if !length.is_finite() || length <= 0.0 {
                return 0.0;
            }
            vector /= length;
            let image = self.solve_upper(&self.solve_lower(&vector.view()).view());
            let length = image.iter().map(|v| v * v).sum::<f64>().sqrt();
            smallest = smallest.min(length.recip());
            vector = image;
        }
        smallest
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;
    use crate::linalg::eigen::symmetric_values;

    #[test]
    fn solving_both_ways_inverts_the_matrix() {
        let a = array![[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]];
        let factor = Cholesky::of(&a.view()).unwrap();
        let unit = Array2::eye(3);
        let inverse = factor.solve_upper(&factor.solve_lower(&unit.view()).view());
        assert!((a.dot(&inverse) - unit).iter().all(|d| d.abs() < 1e-15));
        assert!(Cholesky::of(&array![[1.0, 2.0], [2.0, 1.0]].view()).is_none());
        assert!(Cholesky::of(&array![[1.0, 0.0], [0.0, 0.0]].view()).is_none());
    }

    #[test]
    fn the_smallest_eigenvalue_is_estimated_from_above() {
        for nearness in [1e-2, 1e-6, 1e-10] {
            let mut a = Array2::from_shape_fn((40, 40), |(i, j)| {
                (-0.5 * (i as f64 - j as f64).abs()).exp()
            });
            // The last column almost the one before it.
            for i in 0..40 {
                a[[i, 39]] = a[[i, 38]];
            }
            for j in 0..40 {
                a[[39, j]] = a[[38, j]];
            }
            a[[39, 39]] += nearness;
            let smallest = symmetric_values(&a.view()).unwrap()[39];
            let estimate = Cholesky::of(&a.view()).unwrap().smallest_eigenvalue();
            assert!(
                estimate > 0.99 * smallest && estimate < 1.2 * smallest,
                "{estimate:e} for {smallest:e}"
            );
        }
    }
}
