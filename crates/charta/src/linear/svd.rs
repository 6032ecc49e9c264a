//! The singular value decomposition of a matrix.

use ndarray::{Array1, Array2, ArrayView2, s};

use super::check;
use crate::error::{Because, Error, Result, message};
use crate::linalg::svd;

/// A matrix X of n rows and d columns as U diag(σ) Vᵀ: the sum of σᵢ uᵢ vᵢᵀ, matrices of rank 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Svd {
    /// U: left singular vectors, one a column, as many as the smaller of n and d.
    pub left: Array2<f64>,
    /// σ: singular values, the largest first.
    pub values: Array1<f64>,
    /// V: right singular vectors, one a column; the entry of largest size in each is positive.
    pub right: Array2<f64>,
}

impl Svd {
    /// The thin decomposition.
    ///
    /// ```
    /// use charta::linear::Svd;
    /// let x = ndarray::array![[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]];
    /// let svd = Svd::of(&x.view())?;
    /// assert_eq!(svd.rank(), 2);
    /// assert!((svd.condition_number() - 1.5).abs() < 1e-12);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn of(matrix: &ArrayView2<'_, f64>) -> Result<Self> {
        check(matrix)?;
        let parts = svd::thin(matrix)?;
        Ok(Self {
            left: parts.left.reversed_axes(),
            values: parts.values,
            right: parts.right.reversed_axes(),
        })
    }

    /// Singular values that are more than rounding.
    pub fn rank(&self) -> usize {
        let longer_side = self.left.nrows().max(self.right.nrows());
        rank(&self.values, longer_side)
    }

    /// The ratio of the largest to the smallest singular value; infinite for a matrix that is not of full rank.
    pub fn condition_number(&self) -> f64 {
        condition_number(&self.values, self.rank())
    }

    /// The sum of the first `rank` matrices σᵢ uᵢ vᵢᵀ: of all matrices of this rank, the closest to X.
    pub fn approximation(&self, rank: usize) -> Result<Array2<f64>> {
        if rank == 0 {
            return Err(Error::at_least("rank", 1, rank));
        }
        if rank > self.values.len() {
            let because = Because::from(message!("the matrix has so many singular values"));
            return Err(Error::at_most("rank", self.values.len(), because, rank));
        }
        let scaled = &self.left.slice(s![.., ..rank]) * &self.values.slice(s![..rank]);
        Ok(scaled.dot(&self.right.slice(s![.., ..rank]).t()))
    }

    /// The proportion of the squares of all entries that is in each term.
    pub fn proportions(&self) -> Array1<f64> {
        let largest = self.values.first().copied().unwrap_or(0.0);
        if largest == 0.0 {
            return Array1::zeros(self.values.len());
        }
        let squares = self.values.mapv(|value| (value / largest).powi(2));
        let total = squares.sum();
        squares / total
    }
}

/// How many of the singular values are more than rounding.
pub(super) fn rank(values: &Array1<f64>, longer_side: usize) -> usize {
    let largest = values.first().copied().unwrap_or(0.0);
    let least = largest * longer_side as f64 * f64::EPSILON;
    values.iter().filter(|&&value| value > least).count()
}

/// The ratio of the largest to the smallest of the singular values, of which `rank` are more than rounding.
pub(super) fn condition_number(values: &Array1<f64>, rank: usize) -> f64 {
    match (values.first(), values.last()) {
        (Some(first), Some(last)) if rank == values.len() => first / last,
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn terms_add_up_and_the_error_is_what_is_left() {
        let x = Array2::from_shape_fn((9, 5), |(i, j)| ((3 * i + 7 * j) as f64).sin());
        let svd = Svd::of(&x.view()).unwrap();
        let all = svd.approximation(5).unwrap();
        assert!((&all - &x).iter().all(|d| d.abs() < 1e-13));
        let two = svd.approximation(2).unwrap();
        let error = (&two - &x).mapv(|d| d * d).sum();
        let left = svd.values.slice(s![2..]).mapv(|v| v * v).sum();
        assert!((error - left).abs() < 1e-12);
        assert!((svd.proportions().sum() - 1.0).abs() < 1e-14);
        assert!(svd.approximation(0).is_err() && svd.approximation(6).is_err());
    }

    #[test]
    fn a_deficient_matrix_has_a_lower_rank_and_an_infinite_condition() {
        let svd = Svd::of(&array![[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]].view()).unwrap();
        assert_eq!(svd.rank(), 1);
        assert_eq!(svd.condition_number(), f64::INFINITY);
        let none = Svd::of(&Array2::zeros((2, 2)).view()).unwrap();
        assert_eq!((none.rank(), none.proportions().sum()), (0, 0.0));
    }
}
