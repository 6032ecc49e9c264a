//! Solutions of small linear problems, taken from faer and not from the library under test.

use faer::{Mat, Side};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};

/// Eigenpairs: a value each, and a row of `vectors`.
pub(crate) struct Eigen {
    pub(crate) values: Array1<f64>,
    pub(crate) vectors: Array2<f64>,
}

/// All eigenpairs of a symmetric matrix, largest first.
pub(crate) fn symmetric(matrix: &ArrayView2<'_, f64>) -> Eigen {
    let size = matrix.nrows();
    let found = to_faer(matrix).self_adjoint_eigen(Side::Lower).unwrap();
    let (values, vectors) = (found.S().column_vector(), found.U());
    Eigen {
        values: Array1::from_shape_fn(size, |i| values[size - 1 - i]),
        vectors: Array2::from_shape_fn((size, size), |(i, j)| vectors[(j, size - 1 - i)]),
    }
}

/// The `count` smallest eigenpairs of A x = λ B x with a positive definite B, smallest first, xᵀ B x = 1.
pub(crate) fn smallest_generalized(
    a: &ArrayView2<'_, f64>,
    b: &ArrayView2<'_, f64>,
    count: usize,
) -> Eigen {
    let right = symmetric(b);
    let inverse_root =
        right.vectors.t().to_owned() * right.values.mapv(|value| value.sqrt().recip());
    let whitened = inverse_root.t().dot(a).dot(&inverse_root);
    let found = symmetric(&(-whitened).view());
    Eigen {
        values: found.values.slice(s![..count]).mapv(|value| -value),
        vectors: found.vectors.slice(s![..count, ..]).dot(&inverse_root.t()),
    }
}

/// The Moore–Penrose inverse.
pub(crate) fn pseudo_inverse(matrix: &ArrayView2<'_, f64>) -> Array2<f64> {
    let parts = to_faer(matrix).thin_svd().unwrap();
    let (left, values, right) = (parts.U(), parts.S().column_vector(), parts.V());
    let rounding = values[0] * f64::EPSILON * matrix.nrows().max(matrix.ncols()) as f64;
    let kept: Vec<usize> = (0..values.nrows())
        .filter(|&i| values[i] > rounding)
        .collect();
    Array2::from_shape_fn((matrix.ncols(), matrix.nrows()), |(i, j)| {
        kept.iter()
            .map(|&k| right[(i, k)] / values[k] * left[(j, k)])
            .sum()
    })
}

/// The shortest x that minimizes ‖a x − b‖.
pub(crate) fn least_squares(a: &ArrayView2<'_, f64>, b: &ArrayView2<'_, f64>) -> Array2<f64> {
    pseudo_inverse(a).dot(b)
}

/// An orthonormal basis of the columns, one after the other.
pub(crate) fn orthonormal_columns(columns: &Array2<f64>) -> Array2<f64> {
    let mut basis = columns.clone();
    for column in 0..basis.ncols() {
        let (before, mut rest) = basis.view_mut().split_at(Axis(1), column);
        let mut own = rest.column_mut(0);
        for _ in 0..2 {
            for other in before.columns() {
                let share = other.dot(&own);
                own.scaled_add(-share, &other);
            }
        }
        let length = own.dot(&own).sqrt();
        own /= length;
    }
    basis
}

fn to_faer(matrix: &ArrayView2<'_, f64>) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[[i, j]])
}
