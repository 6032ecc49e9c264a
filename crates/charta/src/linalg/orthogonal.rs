//! Orthonormal columns, and the triangular factor of a tall matrix read in blocks.

use faer::Accum;
use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::matmul::matmul;
use faer::linalg::qr::no_pivoting::factor::{
    qr_in_place, qr_in_place_scratch, recommended_block_size,
};
use faer::{Auto, Conj, Mat, Spec};
use ndarray::{Array2, ArrayView2};

use super::bridge::{copy, matrix, parallelism};

/// An orthonormal basis of the columns' span: the thin Q of the QR decomposition.
pub(crate) fn orthonormal_columns(columns: &ArrayView2<'_, f64>) -> Array2<f64> {
    let (n_rows, n_columns) = columns.dim();
    let size = n_rows.min(n_columns);
    let mut factors = matrix(columns);
    let par = parallelism(size);
    let mut householder = factor(&mut factors, par);
    let mut basis = Mat::identity(n_rows, size);
    let request = apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(
        n_rows,
        householder.nrows(),
        size,
    );
    let mut memory = MemBuffer::new(request);
    apply_block_householder_sequence_on_the_left_in_place_with_conj(
        factors.as_ref().subcols(0, size),
        householder.as_mut().as_ref(),
        Conj::No,
        basis.as_mut(),
        par,
        MemStack::new(&mut memory),
    );
    copy(basis.as_ref())
}

/// Factors in place and returns the Householder coefficients.
fn factor(factors: &mut Mat<f64>, par: Par) -> Mat<f64> {
    let (n_rows, n_columns) = (factors.nrows(), factors.ncols());
    let size = n_rows.min(n_columns);
    let block = recommended_block_size::<f64>(n_rows, n_columns);
    let mut householder = Mat::zeros(block, size);
    let params: Spec<_, f64> = Spec::new(<_ as Auto<f64>>::auto());
    let request = qr_in_place_scratch::<f64>(n_rows, n_columns, block, par, params);
    let mut memory = MemBuffer::new(request);
    qr_in_place(
        factors.as_mut(),
        householder.as_mut(),
        par,
        MemStack::new(&mut memory),
        params,
    );
    householder
}

/// The upper triangular R of a tall matrix that arrives in blocks of rows, so that RᵀR = XᵀX
/// without ever forming XᵀX, which would square the condition number.
#[derive(Debug)]
pub(crate) struct TallFactor {
    triangle: Mat<f64>,
    n_columns: usize,
}

impl TallFactor {
    /// Starts with no rows.
    pub(crate) fn new(n_columns: usize) -> Self {
        Self {
            triangle: Mat::zeros(0, n_columns),
            n_columns,
        }
    }

    /// Takes in further rows.
    pub(crate) fn add(&mut self, rows: &ArrayView2<'_, f64>) {
        let above = self.triangle.nrows();
        let mut stacked = Mat::from_fn(above + rows.nrows(), self.n_columns, |i, j| {
            if i < above {
                self.triangle[(i, j)]
            } else {
                rows[[i - above, j]]
            }
        });
        factor(&mut stacked, parallelism(self.n_columns));
        let kept = stacked.nrows().min(self.n_columns);
        self.triangle = Mat::from_fn(kept, self.n_columns, |i, j| {
            if i <= j { stacked[(i, j)] } else { 0.0 }
        });
    }

    /// R, with as many rows as the smaller of rows and columns seen.
    pub(crate) fn triangle(&self) -> Array2<f64> {
        copy(self.triangle.as_ref())
    }
}

/// Takes the part of `columns` that lies in the span of the orthonormal columns of `basis` out of
/// them, twice, for what rounding leaves.
pub(crate) fn remove_span(columns: &mut Array2<f64>, basis: &ArrayView2<'_, f64>) {
    let against = matrix(basis);
    let mut rest = matrix(&columns.view());
    let par = parallelism(basis.ncols());
    for _ in 0..2 {
        let mut shares = Mat::zeros(basis.ncols(), rest.ncols());
        matmul(
            shares.as_mut(),
            Accum::Replace,
            against.transpose(),
            rest.as_ref(),
            1.0,
            par,
        );
        matmul(
            rest.as_mut(),
            Accum::Add,
            against.as_ref(),
            shares.as_ref(),
            -1.0,
            par,
        );
    }
    *columns = copy(rest.as_ref());
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, s};

    use super::*;

    fn wavy(n_rows: usize, n_columns: usize) -> Array2<f64> {
        Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
            ((i * 7 + j * 13) as f64).sin() + (i as f64 / 9.0 * (j + 1) as f64).cos()
        })
    }

    #[test]
    fn columns_become_orthonormal_and_keep_their_span() {
        let x = wavy(60, 7);
        let q = orthonormal_columns(&x.view());
        let unit = q.t().dot(&q);
        assert!(
            (unit - Array2::<f64>::eye(7))
                .iter()
                .all(|d| d.abs() < 1e-13)
        );
        let rest = &x - &q.dot(&q.t().dot(&x));
        assert!(rest.iter().all(|d| d.abs() < 1e-12));
    }

    #[test]
    fn the_triangle_does_not_depend_on_how_rows_arrive() {
        let x = wavy(50, 6);
        let mut tall = TallFactor::new(6);
        for start in (0..50).step_by(4) {
            tall.add(&x.slice(s![start..(start + 4).min(50), ..]));
        }
        let r = tall.triangle();
        let difference = r.t().dot(&r) - x.t().dot(&x);
        assert!(difference.iter().all(|d| d.abs() < 1e-11));
    }

    #[test]
    fn removing_a_span_leaves_nothing_of_it() {
        let basis = orthonormal_columns(&wavy(40, 5).view());
        let mut columns = wavy(40, 9).slice(s![.., 5..]).to_owned();
        remove_span(&mut columns, &basis.view());
        assert!(basis.t().dot(&columns).iter().all(|d| d.abs() < 1e-14));
    }
}
