//! Eigenvalues and eigenvectors of a square matrix.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::check;
use crate::error::{Error, Result, message};
use crate::linalg::general_eigen::general;
use crate::linalg::{eigen, svd};

/// Differences across the diagonal that are no more than rounding, in units of it and of the largest entry.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The eigenvalues λ and eigenvectors v of a square matrix A: A v = λ v. Those of a symmetric matrix are real, and its
/// vectors orthogonal; others may be complex, in conjugate pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigen {
    /// Real parts of the eigenvalues, the largest first; of equal ones that with the larger imaginary part.
    pub real: Array1<f64>,
    /// Imaginary parts.
    pub imaginary: Array1<f64>,
    /// Real parts of the eigenvectors, one a column, each of length 1, its entry of largest size real and positive.
    pub vectors_real: Array2<f64>,
    /// Imaginary parts.
    pub vectors_imaginary: Array2<f64>,
    /// The matrix is symmetric, but for rounding.
    pub symmetric: bool,
    /// The largest length of A v − λ v.
    pub residual: f64,
    /// Condition number of the matrix of eigenvectors: 1 for orthogonal ones. Where it is about 1e8 or more, the matrix has
    /// fewer independent eigenvectors than rows, or nearly so (it is defective), and they are known to few digits.
    pub vectors_condition: f64,
}

impl Eigen {
    /// All eigenpairs.
    ///
    /// ```
    /// use charta::linear::Eigen;
    /// let rotation = ndarray::array![[0.0, -1.0], [1.0, 0.0]];
    /// let eigen = Eigen::of(&rotation.view())?;
    /// assert!(!eigen.is_real() && (eigen.imaginary[0] - 1.0).abs() < 1e-12);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn of(matrix: &ArrayView2<'_, f64>) -> Result<Self> {
        check(matrix)?;
        let (n_rows, n_columns) = matrix.dim();
        if n_rows != n_columns {
            return Err(Error::shape(
                message!("a matrix with eigenvectors"),
                message!("as many {:rows} as {:columns}"),
                message!("{n_rows} × {n_columns}"),
            ));
        }
        let mut found = if is_symmetric(matrix) {
            Self::of_symmetric(matrix)?
        } else {
            Self::of_general(matrix)?
        };
        found.residual = found.residual_of(matrix);
        Ok(found)
    }

    /// Number of eigenvalues.
    pub fn len(&self) -> usize {
        self.real.len()
    }

    /// False: a matrix has a row at least.
    pub fn is_empty(&self) -> bool {
        self.real.is_empty()
    }

    /// True if all eigenvalues are real.
    pub fn is_real(&self) -> bool {
        self.imaginary.iter().all(|&part| part == 0.0)
    }

    /// The product of the eigenvalues: the determinant.
    pub fn determinant(&self) -> f64 {
        let mut product = (1.0, 0.0);
        for (&re, &im) in self.real.iter().zip(&self.imaginary) {
            product = (
                product.0 * re - product.1 * im,
                product.0 * im + product.1 * re,
            );
        }
        product.0
    }

    fn of_symmetric(matrix: &ArrayView2<'_, f64>) -> Result<Self> {
        let even = (matrix.to_owned() / 2.0) + &(matrix.t().to_owned() / 2.0);
        let pairs = eigen::symmetric(&even.view())?;
        let size = pairs.values.len();
        Ok(Self {
            real: pairs.values,
            imaginary: Array1::zeros(size),
            vectors_real: pairs.vectors.reversed_axes(),
            vectors_imaginary: Array2::zeros((size, size)),
            symmetric: true,
            residual: 0.0,
            vectors_condition: 1.0,
        })
    }

    fn of_general(matrix: &ArrayView2<'_, f64>) -> Result<Self> {
        let found = general(matrix)?;
        let mut order: Vec<usize> = (0..found.real.len()).collect();
        order.sort_by(|&a, &b| {
            (found.real[b].total_cmp(&found.real[a]))
                .then(found.imaginary[b].total_cmp(&found.imaginary[a]))
        });
        let mut sorted = Self {
            real: order.iter().map(|&i| found.real[i]).collect(),
            imaginary: order.iter().map(|&i| found.imaginary[i]).collect(),
            vectors_real: found.vectors_real.select(Axis(1), &order),
            vectors_imaginary: found.vectors_imaginary.select(Axis(1), &order),
            symmetric: false,
            residual: 0.0,
            vectors_condition: f64::INFINITY,
        };
        sorted.vectors_condition = sorted.condition()?;
        Ok(sorted)
    }

    /// The ratio of the largest to the smallest singular value of the vectors. As a real matrix [[Re, −Im], [Im, Re]] they
    /// have the same, each twice.
    fn condition(&self) -> Result<f64> {
        let (re, im) = (&self.vectors_real, &self.vectors_imaginary);
        let size = self.len();
        let wide = if self.is_real() {
            re.clone()
        } else {
            Array2::from_shape_fn((2 * size, 2 * size), |(i, j)| match (i < size, j < size) {
                (true, true) => re[[i, j]],
                (true, false) => -im[[i, j - size]],
                (false, true) => im[[i - size, j]],
                (false, false) => re[[i - size, j - size]],
            })
        };
        let values = svd::thin(&wide.view())?.values;
        Ok(values[0] / values[values.len() - 1])
    }

    fn residual_of(&self, matrix: &ArrayView2<'_, f64>) -> f64 {
        let (re, im) = (&self.vectors_real, &self.vectors_imaginary);
        let (a, b) = (matrix.dot(re), matrix.dot(im));
        let length = |j: usize| {
            let squares = (0..self.len()).map(|i| {
                let (x, y) = (re[[i, j]], im[[i, j]]);
                let (l, m) = (self.real[j], self.imaginary[j]);
                (a[[i, j]] - l * x + m * y).powi(2) + (b[[i, j]] - l * y - m * x).powi(2)
            });
            squares.sum::<f64>().sqrt()
        };
        (0..self.len()).map(length).fold(0.0, f64::max)
    }
}

fn is_symmetric(matrix: &ArrayView2<'_, f64>) -> bool {
    let largest = matrix
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let entries = matrix.indexed_iter();
    let mut differences = entries.map(|((i, j), value)| (value - matrix[[j, i]]).abs());
    differences.all(|difference| difference <= ROUNDING * largest)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::random::{normal, stream};

    #[test]
    fn the_two_examples_of_the_lecture() {
        let eigen = Eigen::of(&array![[3.0, 5.0], [2.0, 1.0]].view()).unwrap();
        let root = 11.0_f64.sqrt();
        assert!((eigen.real[0] - (2.0 + root)).abs() < 1e-13);
        assert!((eigen.real[1] - (2.0 - root)).abs() < 1e-13);
        let close = |a: f64, b: f64| (a - b).abs() < 5e-3;
        assert!(close(eigen.vectors_real[[0, 0]], 0.91) && close(eigen.vectors_real[[1, 0]], 0.42));
        assert!(
            close(eigen.vectors_real[[0, 1]], 0.76) && close(eigen.vectors_real[[1, 1]], -0.65)
        );
        assert!(!eigen.symmetric && eigen.is_real());
        let symmetric = Eigen::of(&array![[3.0, 4.0], [4.0, 3.0]].view()).unwrap();
        assert!(symmetric.symmetric && symmetric.vectors_condition == 1.0);
        assert!((symmetric.real[0] - 7.0).abs() < 1e-13);
        assert!((symmetric.real[1] + 1.0).abs() < 1e-13);
        assert!((symmetric.determinant() + 7.0).abs() < 1e-12);
    }

    #[test]
    fn complex_pairs_satisfy_the_equation_and_are_conjugate() {
        for size in [3, 8, 41, 210] {
            let mut stream = stream(size as u64, 0);
            let a = Array2::from_shape_fn((size, size), |_| normal(&mut stream));
            let eigen = Eigen::of(&a.view()).unwrap();
            assert!(eigen.residual < 1e-11, "{size}: {}", eigen.residual);
            assert!(eigen.is_real() || eigen.imaginary.sum().abs() < 1e-9);
            assert!((eigen.real.sum() - a.diag().sum()).abs() < 1e-10);
            let real = eigen.real.windows(2).into_iter().all(|w| w[0] >= w[1]);
            assert!(real, "not sorted");
            for j in 0..size {
                let squares = eigen.vectors_real.column(j).mapv(|x| x * x).sum()
                    + eigen.vectors_imaginary.column(j).mapv(|x| x * x).sum();
                assert!((squares - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_defective_matrix_is_seen_by_its_vectors() {
        let eigen = Eigen::of(&array![[2.0, 1.0], [0.0, 2.0]].view()).unwrap();
        assert!(eigen.vectors_condition > 1e8, "{}", eigen.vectors_condition);
    }

    #[test]
    fn large_entries_do_not_overflow_and_rounding_is_symmetric() {
        let eigen = Eigen::of(&array![[3e200, 5e200], [2e200, 1e200]].view()).unwrap();
        assert!((eigen.real[0] / 1e200 - 5.316_624_79).abs() < 1e-7);
        let nearly = array![[1.0, 0.1 + 0.2], [0.3, 2.0]];
        assert!(Eigen::of(&nearly.view()).unwrap().symmetric);
    }

    #[test]
    fn what_has_no_eigenvectors_is_refused() {
        let error = Eigen::of(&array![[1.0, 2.0, 3.0]].view()).unwrap_err();
        assert!(error.to_string().contains("1 × 3"), "{error}");
        assert!(Eigen::of(&array![[f64::NAN]].view()).is_err());
        assert!(Eigen::of(&Array2::zeros((0, 0)).view()).is_err());
    }
}
