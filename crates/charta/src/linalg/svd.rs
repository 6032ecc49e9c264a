//! Singular values and vectors of dense matrices.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Auto, Mat, Spec};
use ndarray::{Array1, Array2, ArrayView2};

use super::bridge::{matrix, parallelism};
use crate::error::{Error, Message, Result, message};

/// A matrix as `Uᵀ · diag(values) · V`, with singular vectors in the rows of `left` and `right`.
#[derive(Clone, Debug)]
pub(crate) struct Svd {
    /// Left singular vectors, one a row.
    pub left: Array2<f64>,
    /// Singular values, largest first.
    pub values: Array1<f64>,
    /// Right singular vectors, one a row; the entry of largest size in each is positive.
    pub right: Array2<f64>,
}

/// The thin singular value decomposition.
pub(crate) fn thin(x: &ArrayView2<'_, f64>) -> Result<Svd> {
    if x.iter().any(|value| value.is_infinite()) {
        return Err(Error::too_large());
    }
    if x.iter().any(|value| value.is_nan()) {
        return Err(not_converged(message!(
            "its matrix holds values that are not finite"
        )));
    }
    let (n_rows, n_columns) = x.dim();
    let size = n_rows.min(n_columns);
    let par = parallelism(size);
    let params: Spec<_, f64> = Spec::new(<_ as Auto<f64>>::auto());
    let thin = ComputeSvdVectors::Thin;
    let request = svd_scratch::<f64>(n_rows, n_columns, thin, thin, par, params);
    let mut memory = MemBuffer::new(request);
    let mut values = faer::diag::Diag::<f64>::zeros(size);
    let mut left = Mat::zeros(n_rows, size);
    let mut right = Mat::zeros(n_columns, size);
    svd(
        matrix(x).as_ref(),
        values.as_mut(),
        Some(left.as_mut()),
        Some(right.as_mut()),
        par,
        MemStack::new(&mut memory),
        params,
    )
    .map_err(|_| not_converged(message!("it reached its limit of iterations")))?;
    let signs: Vec<f64> = (0..size).map(|i| sign_of_largest(&right, i)).collect();
    Ok(Svd {
        left: Array2::from_shape_fn((size, n_rows), |(i, j)| signs[i] * left[(j, i)]),
        values: Array1::from_shape_fn(size, |i| values.column_vector()[i]),
        right: Array2::from_shape_fn((size, n_columns), |(i, j)| signs[i] * right[(j, i)]),
    })
}

fn sign_of_largest(vectors: &Mat<f64>, column: usize) -> f64 {
    let mut largest = 0.0_f64;
    for row in 0..vectors.nrows() {
        if vectors[(row, column)].abs() > largest.abs() {
            largest = vectors[(row, column)];
        }
    }
    if largest < 0.0 { -1.0 } else { 1.0 }
}

fn not_converged(reached: Message) -> Error {
    Error::NotConverged {
        what: message!("the singular value decomposition"),
        reached,
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn the_parts_multiply_back_to_the_matrix() {
        for (n_rows, n_columns) in [(30, 8), (8, 30)] {
            let x = Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
                ((3 * i + 5 * j) as f64).sin() + (i * j) as f64 / 50.0
            });
            let parts = thin(&x.view()).unwrap();
            let scaled = Array2::from_diag(&parts.values).dot(&parts.right);
            let back = parts.left.t().dot(&scaled);
            assert!((back - &x).iter().all(|d| d.abs() < 1e-12));
            assert!(parts.values.windows(2).into_iter().all(|w| w[0] >= w[1]));
        }
    }
}
