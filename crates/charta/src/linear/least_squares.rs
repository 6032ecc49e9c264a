//! The pseudo-inverse, and least squares by it: w = X⁺ y.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::check;
use super::svd::{condition_number, rank};
use crate::error::{Error, Result, message};
use crate::linalg::{solve, svd};

/// The Moore–Penrose inverse X⁺ = V diag(1/σ) Uᵀ over the singular values that are more than rounding: the matrix that gives
/// the shortest of all least-squares solutions.
///
/// ```
/// use charta::linear::pseudo_inverse;
/// let x = ndarray::array![[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]];
/// let inverse = pseudo_inverse(&x.view())?;
/// assert_eq!(inverse.dim(), (2, 3));
/// assert!((inverse[[1, 1]] - 0.5).abs() < 1e-15);
/// # Ok::<(), charta::Error>(())
/// ```
pub fn pseudo_inverse(matrix: &ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    check(matrix)?;
    solve::pseudo_inverse(matrix)
}

/// The weights w that minimize ‖X w − y‖², the shortest if there are several, for each column y of the targets.
#[derive(Clone, Debug, PartialEq)]
pub struct LeastSquares {
    /// A row for each column of X, a column for each target.
    pub weights: Array2<f64>,
    /// What is added for each target, if it was requested.
    pub intercepts: Option<Array1<f64>>,
    /// y − X w, a column for each target.
    pub residuals: Array2<f64>,
    /// The sum of the squared residuals of each target.
    pub residual_squares: Array1<f64>,
    /// R² of each target: the fraction explained of its sum of squares, about its mean with an intercept, about 0 without. Not a
    /// number for a target that does not vary.
    pub r_squared: Array1<f64>,
    /// Singular values of X, about the columns' means with an intercept.
    pub singular_values: Array1<f64>,
    /// Singular values that are more than rounding.
    pub rank: usize,
    /// The ratio of the largest to the smallest singular value; infinite below full rank.
    pub condition_number: f64,
}

impl LeastSquares {
    /// Solves by the singular value decomposition of X. With an intercept a column of ones stands beside X, which is not counted in
    /// the length of the solution.
    pub fn of(
        x: &ArrayView2<'_, f64>,
        targets: &ArrayView2<'_, f64>,
        intercept: bool,
    ) -> Result<Self> {
        check(x)?;
        check(targets)?;
        if x.nrows() != targets.nrows() {
            return Err(Error::shape(
                message!("{:rows} of the target"),
                x.nrows(),
                targets.nrows(),
            ));
        }
        let means = |values: &ArrayView2<'_, f64>| {
            values.sum_axis(Axis(0)) / values.nrows() as f64 * f64::from(u8::from(intercept))
        };
        let (x_means, y_means) = (means(x), means(targets));
        let (centred, wanted) = (x - &x_means, targets - &y_means);
        let parts = svd::thin(&centred.view())?;
        let rank = rank(&parts.values, x.nrows().max(x.ncols()));
        let mut shares = parts.left.dot(&wanted);
        for (index, mut row) in shares.axis_iter_mut(Axis(0)).enumerate() {
            row *= if index < rank {
                parts.values[index].recip()
            } else {
                0.0
            };
        }
        let weights = parts.right.t().dot(&shares);
        let residuals = &wanted - &centred.dot(&weights);
        let squares = |values: &Array2<f64>| values.mapv(|value| value * value).sum_axis(Axis(0));
        let residual_squares = squares(&residuals);
        Ok(Self {
            r_squared: 1.0 - &residual_squares / &squares(&wanted),
            intercepts: intercept.then(|| &y_means - &x_means.dot(&weights)),
            weights,
            residuals,
            residual_squares,
            rank,
            condition_number: condition_number(&parts.values, rank),
            singular_values: parts.values,
        })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn residuals_are_orthogonal_to_the_columns() {
        let x = Array2::from_shape_fn((20, 3), |(i, j)| ((i * (j + 2)) as f64).cos());
        let y = Array2::from_shape_fn((20, 2), |(i, j)| {
            (i as f64 - 3.0 * j as f64).sqrt().max(0.1)
        });
        let y = y.mapv(|v| if v.is_finite() { v } else { 0.5 });
        for intercept in [false, true] {
            let found = LeastSquares::of(&x.view(), &y.view(), intercept).unwrap();
            assert!(x.t().dot(&found.residuals).iter().all(|d| d.abs() < 1e-12));
            let sums = found.residuals.sum_axis(Axis(0));
            assert_eq!(sums.iter().all(|d| d.abs() < 1e-12), intercept);
            assert_eq!(found.intercepts.is_some(), intercept);
            assert_eq!(found.rank, 3);
        }
    }

    #[test]
    fn by_the_pseudo_inverse_it_is_the_same_also_below_full_rank() {
        let x = array![[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]];
        let y = array![[2.0], [4.5], [6.0]];
        let found = LeastSquares::of(&x.view(), &y.view(), false).unwrap();
        let by_inverse = pseudo_inverse(&x.view()).unwrap().dot(&y);
        assert!(
            (&found.weights - &by_inverse)
                .iter()
                .all(|d| d.abs() < 1e-14)
        );
        assert_eq!((found.rank, found.condition_number), (1, f64::INFINITY));
        let error = LeastSquares::of(&x.view(), &array![[1.0]].view(), false).unwrap_err();
        assert!(error.to_string().contains("expected 3, got 1"), "{error}");
    }

    #[test]
    fn a_straight_line_is_found_with_its_intercept() {
        let x = array![[0.0], [1.0], [2.0], [5.0]];
        let y = x.mapv(|value: f64| 3.0 * value - 7.0);
        let found = LeastSquares::of(&x.view(), &y.view(), true).unwrap();
        assert!((found.weights[[0, 0]] - 3.0).abs() < 1e-14);
        assert!((found.intercepts.unwrap()[0] + 7.0).abs() < 1e-13);
        assert!((found.r_squared[0] - 1.0).abs() < 1e-14);
    }
}
