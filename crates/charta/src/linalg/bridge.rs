//! Views of `ndarray` arrays as the crate's matrices, and back, without copying.

use faer::{Mat, MatMut, MatRef, Par};
use ndarray::{Array2, ArrayView2, ArrayViewMut2};

/// Lends an array as a matrix.
pub(super) fn lend<'a, T>(array: &'a ArrayView2<'_, T>) -> MatRef<'a, T> {
    let strides = array.strides();
    // SAFETY: pointer, shape and strides come from a live view, and the result borrows it.
    unsafe {
        MatRef::from_raw_parts(
            array.as_ptr(),
            array.nrows(),
            array.ncols(),
            strides[0],
            strides[1],
        )
    }
}

/// Lends an array as a matrix that can be written.
pub(super) fn lend_mut<'a, T>(array: &'a mut ArrayViewMut2<'_, T>) -> MatMut<'a, T> {
    let (n_rows, n_columns) = array.dim();
    let (down, across) = (array.strides()[0], array.strides()[1]);
    // SAFETY: as above, and the view is borrowed exclusively.
    unsafe { MatMut::from_raw_parts_mut(array.as_mut_ptr(), n_rows, n_columns, down, across) }
}

/// Copies a matrix into an array.
pub(super) fn copy(matrix: MatRef<'_, f64>) -> Array2<f64> {
    Array2::from_shape_fn((matrix.nrows(), matrix.ncols()), |(i, j)| matrix[(i, j)])
}

/// Copies an array into a matrix.
pub(super) fn matrix(array: &ArrayView2<'_, f64>) -> Mat<f64> {
    Mat::from_fn(array.nrows(), array.ncols(), |i, j| array[[i, j]])
}

/// The parallelism of a factorization: it depends on the problem's size alone, because some
/// factorizations give other last bits when it changes.
pub(super) fn parallelism(size: usize) -> Par {
    if size < 192 { Par::Seq } else { Par::rayon(4) }
}
