//! Eigenvalues and eigenvectors of dense symmetric matrices.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Auto, Mat, Spec};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut2};

use super::bridge::{matrix, parallelism};
use crate::error::{Error, Result, message};

/// Entries whose squares, summed over a matrix, may overflow.
const LARGEST: f64 = 1e150;

/// Eigenvalues, largest first, with their vectors.
#[derive(Clone, Debug)]
pub(crate) struct Eigen {
    /// Eigenvalues, largest first.
    pub values: Array1<f64>,
    /// Eigenvectors, one a row, in the order of the values; signs fixed.
    pub vectors: Array2<f64>,
}

/// All eigenpairs of a symmetric matrix, of which the lower triangle is read.
pub(crate) fn symmetric(matrix_: &ArrayView2<'_, f64>) -> Result<Eigen> {
    symmetric_largest(matrix_, matrix_.nrows())
}

/// The `count` largest eigenpairs of a symmetric matrix, of which the lower triangle is read.
pub(crate) fn symmetric_largest(matrix_: &ArrayView2<'_, f64>, count: usize) -> Result<Eigen> {
    let size = matrix_.nrows();
    let (values, vectors) = decompose(matrix_, true)?;
    let kept = count.min(size);
    let mut result = Eigen {
        values: Array1::from_shape_fn(kept, |i| values[size - 1 - i]),
        vectors: Array2::from_shape_fn((kept, size), |(i, j)| vectors[(j, size - 1 - i)]),
    };
    fix_signs(result.vectors.view_mut());
    Ok(result)
}

/// All eigenvalues of a symmetric matrix, largest first.
pub(crate) fn symmetric_values(matrix_: &ArrayView2<'_, f64>) -> Result<Array1<f64>> {
    let size = matrix_.nrows();
    let (values, _) = decompose(matrix_, false)?;
    Ok(Array1::from_shape_fn(size, |i| values[size - 1 - i]))
}

/// Ascending eigenvalues and, if requested, vectors in columns.
fn decompose(matrix_: &ArrayView2<'_, f64>, vectors: bool) -> Result<(Vec<f64>, Mat<f64>)> {
    let size = matrix_.nrows();
    if matrix_.iter().any(|value| value.is_infinite()) {
        return Err(Error::too_large());
    }
    if matrix_.iter().any(|value| value.is_nan()) {
        return Err(Error::NotConverged {
            what: message!("the eigenvalue computation"),
            reached: message!("its matrix holds values that are not finite"),
        });
    }
    let par = parallelism(size);
    let params: Spec<_, f64> = Spec::new(<_ as Auto<f64>>::auto());
    let wanted = if vectors {
        ComputeEigenvectors::Yes
    } else {
        ComputeEigenvectors::No
    };
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<f64>(size, wanted, par, params));
    let mut values = faer::diag::Diag::<f64>::zeros(size);
    let mut basis = Mat::zeros(
        if vectors { size } else { 0 },
        if vectors { size } else { 0 },
    );
    self_adjoint_evd(
        matrix(matrix_).as_ref(),
        values.as_mut(),
        vectors.then(|| basis.as_mut()),
        par,
        MemStack::new(&mut memory),
        params,
    )
    .map_err(|_| {
        // Norms of such matrices overflow within the computation.
        if matrix_.iter().any(|value| value.abs() > LARGEST) {
            return Error::too_large();
        }
        Error::NotConverged {
            what: message!("the eigenvalue computation"),
            reached: message!("it reached its limit of iterations"),
        }
    })?;
    let values = (0..size).map(|i| values.column_vector()[i]).collect();
    Ok((values, basis))
}

/// The entry of largest size, the first of equal ones; 0 if there is none.
pub(crate) fn largest(values: ArrayView1<'_, f64>) -> f64 {
    values.iter().fold(0.0_f64, |most, &value| {
        if value.abs() > most.abs() {
            value
        } else {
            most
        }
    })
}

/// Makes the entry of largest size in every row positive, so that a vector's sign is not chance.
pub(crate) fn fix_signs(mut vectors: ArrayViewMut2<'_, f64>) {
    for mut vector in vectors.rows_mut() {
        if largest(vector.view()) < 0.0 {
            vector.mapv_inplace(|entry| -entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;

    #[test]
    fn values_fall_and_vectors_satisfy_the_equation() {
        let size = 200;
        let a = Array2::from_shape_fn((size, size), |(i, j)| {
            1.0 / (1.0 + (i as f64 - j as f64).abs()) + f64::from(u8::from(i == j))
        });
        let eigen = symmetric(&a.view()).unwrap();
        assert!(eigen.values.windows(2).into_iter().all(|w| w[0] >= w[1]));
        let left = eigen.vectors.dot(&a);
        for i in 0..size {
            for j in 0..size {
                let want = eigen.values[i] * eigen.vectors[[i, j]];
                assert!((left[[i, j]] - want).abs() < 1e-12);
            }
        }
        let only = symmetric_values(&a.view()).unwrap();
        assert!((&only - &eigen.values).iter().all(|d| d.abs() < 1e-12));
    }

    #[test]
    fn signs_are_fixed_by_the_largest_entry() {
        let a = array![[2.0, 1.0], [1.0, 3.0]];
        let eigen = symmetric(&a.view()).unwrap();
        assert!(eigen.vectors[[0, 1]] > 0.0 && eigen.vectors[[1, 0]] > 0.0);
    }

    #[test]
    fn values_that_are_not_finite_are_an_error() {
        let a = array![[f64::NAN, 1.0], [1.0, 3.0]];
        assert!(symmetric(&a.view()).is_err());
    }
}
