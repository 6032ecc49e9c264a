//! Eigenvalues and eigenvectors of dense square matrices that need not be symmetric.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, evd_real, evd_scratch};
use faer::{Auto, Mat, Spec};
use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::bridge::{matrix, parallelism};
use crate::error::{Error, Result, message};

/// Eigenvalues, in no order, with vectors of length 1 in the columns. Complex ones come in conjugate pairs.
#[derive(Clone, Debug)]
pub(crate) struct GeneralEigen {
    /// Real parts of the eigenvalues.
    pub real: Array1<f64>,
    /// Imaginary parts.
    pub imaginary: Array1<f64>,
    /// Real parts of the vectors.
    pub vectors_real: Array2<f64>,
    /// Imaginary parts.
    pub vectors_imaginary: Array2<f64>,
}

/// All eigenpairs of a square matrix of finite numbers.
pub(crate) fn general(x: &ArrayView2<'_, f64>) -> Result<GeneralEigen> {
    let size = x.nrows();
    // Scaled to 1, no square can overflow.
    let largest = x.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let scaled = x.mapv(|value| value / unit);
    let par = parallelism(size);
    let params: Spec<_, f64> = Spec::new(<_ as Auto<f64>>::auto());
    let request = evd_scratch::<f64>(
        size,
        ComputeEigenvectors::No,
        ComputeEigenvectors::Yes,
        par,
        params,
    );
    let mut memory = MemBuffer::new(request);
    let mut real = faer::diag::Diag::<f64>::zeros(size);
    let mut imaginary = faer::diag::Diag::<f64>::zeros(size);
    let mut basis = Mat::zeros(size, size);
    evd_real(
        matrix(&scaled.view()).as_ref(),
        real.as_mut(),
        imaginary.as_mut(),
        None,
        Some(basis.as_mut()),
        par,
        MemStack::new(&mut memory),
        params,
    )
    .map_err(|_| Error::NotConverged {
        what: message!("the eigenvalue computation"),
        reached: message!("it reached its limit of iterations"),
    })?;
    let mut found = GeneralEigen {
        real: Array1::from_shape_fn(size, |i| unit * real.column_vector()[i]),
        imaginary: Array1::from_shape_fn(size, |i| unit * imaginary.column_vector()[i]),
        vectors_real: Array2::from_shape_fn((size, size), |(i, j)| basis[(i, j)]),
        vectors_imaginary: Array2::zeros((size, size)),
    };
    found.unpack_pairs();
    found.scale_vectors();
    Ok(found)
}

impl GeneralEigen {
    /// A pair of conjugate vectors is stored in two columns, as the real and the imaginary part of the first.
    fn unpack_pairs(&mut self) {
        let mut column = 0;
        while column + 1 < self.real.len() {
            if self.imaginary[column] == 0.0 {
                column += 1;
                continue;
            }
            let part = self.vectors_real.column(column + 1).to_owned();
            let shared = self.vectors_real.column(column).to_owned();
            self.vectors_real.column_mut(column + 1).assign(&shared);
            self.vectors_imaginary.column_mut(column).assign(&part);
            self.vectors_imaginary
                .column_mut(column + 1)
                .assign(&-&part);
            column += 2;
        }
    }

    /// Makes every vector of length 1, its entry of largest size real and positive.
    fn scale_vectors(&mut self) {
        let columns = self.vectors_real.axis_iter_mut(Axis(1));
        for (mut re, mut im) in columns.zip(self.vectors_imaginary.axis_iter_mut(Axis(1))) {
            let mut largest = (0.0, 1.0, 0.0);
            let mut squares = 0.0;
            for (&a, &b) in re.iter().zip(&im) {
                let square = a * a + b * b;
                squares += square;
                if square > largest.0 {
                    largest = (square, a, b);
                }
            }
            let turn = largest.0.sqrt() * f64::sqrt(squares);
            if turn == 0.0 {
                continue;
            }
            // Multiplied by the conjugate of the largest entry, divided by its size and the length.
            let (c, s) = (largest.1 / turn, -largest.2 / turn);
            for (a, b) in re.iter_mut().zip(im.iter_mut()) {
                (*a, *b) = (*a * c - *b * s, *a * s + *b * c);
            }
        }
    }
}
