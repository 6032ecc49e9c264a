//! Linear systems: positive definite by Cholesky, any by the singular value decomposition.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::cholesky::Cholesky;
use super::svd;
use crate::error::{Error, Result, message};

/// Solves `a · x = b` for a symmetric positive definite `a`, of which the lower triangle is read.
pub(crate) fn positive_definite(
    a: &ArrayView2<'_, f64>,
    b: &ArrayView2<'_, f64>,
) -> Result<Array2<f64>> {
    let size = a.nrows();
    if a.ncols() != size || b.nrows() != size {
        return Err(Error::shape(
            message!("a linear system"),
            message!("{size} × {size} and {size:rows}"),
            message!("{:?} and {} {:rows}", a.dim(), b.nrows()),
        ));
    }
    let factor = Cholesky::of(a).ok_or_else(|| {
        Error::degenerate(message!("a matrix that must be positive definite is not"))
    })?;
    Ok(factor.solve_upper(&factor.solve_lower(b).view()))
}

/// The shortest `x` that minimizes `‖a · x − b‖`, through the singular value decomposition.
pub(crate) fn least_squares(
    a: &ArrayView2<'_, f64>,
    b: &ArrayView2<'_, f64>,
) -> Result<Array2<f64>> {
    if a.nrows() != b.nrows() {
        return Err(Error::shape(
            message!("{:rows} of the right-hand side"),
            a.nrows(),
            b.nrows(),
        ));
    }
    let parts = svd::thin(a)?;
    let inverse = inverse_values(&parts.values, a.nrows().max(a.ncols()));
    let mut shares = parts.left.dot(b);
    for (mut row, &factor) in shares.axis_iter_mut(Axis(0)).zip(&inverse) {
        row *= factor;
    }
    Ok(parts.right.t().dot(&shares))
}

/// The Moore–Penrose inverse.
pub(crate) fn pseudo_inverse(a: &ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    let parts = svd::thin(a)?;
    let inverse = inverse_values(&parts.values, a.nrows().max(a.ncols()));
    let scaled = Array2::from_diag(&inverse).dot(&parts.left);
    Ok(parts.right.t().dot(&scaled))
}

/// Inverses of the singular values that are above rounding, zero for the others.
fn inverse_values(values: &Array1<f64>, longer_side: usize) -> Array1<f64> {
    let largest = values.first().copied().unwrap_or(0.0);
    let least = largest * longer_side as f64 * f64::EPSILON;
    values.mapv(|value| if value > least { 1.0 / value } else { 0.0 })
}

/// The pseudo-inverse of a symmetric matrix that is positive but along the constant vector, where it is 0. `None` if it is 0, or
/// as good as, in other directions too.
pub(crate) fn inverse_beside_constant(a: &ArrayView2<'_, f64>) -> Option<Array2<f64>> {
    let size = a.nrows();
    let n = size as f64;
    // In the constant direction any positive number will do; that of the others' mean costs no digits.
    let scale = a.diag().sum() / n;
    if scale <= 0.0 || !scale.is_finite() {
        return None;
    }
    let factor = Cholesky::of(&(a + scale / n).view())?;
    let solved = factor.solve_upper(&factor.solve_lower(&Array2::eye(size).view()).view());
    let inverse = (&solved + &solved.t()) / 2.0 - (scale * n).recip();
    inverse
        .iter()
        .all(|value| value.is_finite())
        .then_some(inverse)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn positive_definite_systems_are_solved_and_others_refused() {
        let a = array![[4.0, 1.0], [1.0, 3.0]];
        let x = positive_definite(&a.view(), &array![[1.0], [2.0]].view()).unwrap();
        assert!(
            (a.dot(&x) - array![[1.0], [2.0]])
                .iter()
                .all(|d| d.abs() < 1e-15)
        );
        let bad = array![[1.0, 2.0], [2.0, 1.0]];
        assert!(positive_definite(&bad.view(), &array![[1.0], [2.0]].view()).is_err());
    }

    #[test]
    fn least_squares_of_a_deficient_matrix_is_the_shortest() {
        let a = array![[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]];
        let b = array![[2.0], [4.0], [6.0]];
        let result = least_squares(&a.view(), &b.view()).unwrap();
        assert!(result.iter().all(|x| (x - 1.0).abs() < 1e-14));
    }

    #[test]
    fn the_pseudo_inverse_has_its_defining_property() {
        let a = array![[1.0, 2.0, 0.5], [0.0, 1.0, 3.0]];
        let inverse = pseudo_inverse(&a.view()).unwrap();
        let back = a.dot(&inverse).dot(&a);
        assert!((back - a).iter().all(|d| d.abs() < 1e-13));
    }

    #[test]
    fn a_laplacian_is_inverted_beside_the_constant() {
        let laplacian = array![[1.0, -1.0, 0.0], [-1.0, 3.0, -2.0], [0.0, -2.0, 2.0]];
        let inverse = inverse_beside_constant(&laplacian.view()).unwrap();
        let expected = pseudo_inverse(&laplacian.view()).unwrap();
        assert!((&inverse - &expected).iter().all(|d| d.abs() < 1e-14));
        let apart = array![[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
        assert!(inverse_beside_constant(&apart.view()).is_none());
    }
}
