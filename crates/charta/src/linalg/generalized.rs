//! A x = λ B x for small dense symmetric A and positive semidefinite B.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::eigen::{fix_signs, symmetric};
use super::product::product;
use crate::error::{Error, Result, message};

/// The smallest eigenpairs of A x = λ B x.
#[derive(Clone, Debug)]
pub(crate) struct Generalized {
    /// Eigenvalues, smallest first.
    pub values: Array1<f64>,
    /// Eigenvectors, one a row, xᵀ B x = 1, signs fixed.
    pub vectors: Array2<f64>,
    /// The rank of B. Below its size, the vectors lie in B's range.
    pub rank: usize,
}

/// The `count` smallest eigenpairs, fewer if the rank of B is less. Lower triangles are read. Directions in which B
/// is nothing but rounding are left out: there the quotient means nothing.
///
/// B is brought to a unit diagonal first, so that the units of the columns do not decide what counts as nothing.
pub(crate) fn smallest_generalized(
    a: &ArrayView2<'_, f64>,
    b: &ArrayView2<'_, f64>,
    count: usize,
) -> Result<Generalized> {
    if a.dim() != b.dim() || a.nrows() != a.ncols() {
        return Err(Error::shape(
            message!("the right side of an eigenproblem"),
            message!("{} × {}", a.nrows(), a.nrows()),
            message!("{} × {}", b.nrows(), b.ncols()),
        ));
    }
    let factors = b.diag().mapv(|value| {
        if value > 0.0 {
            value.sqrt().recip()
        } else {
            0.0
        }
    });
    let down = factors.view().insert_axis(Axis(1));
    let size = b.nrows();
    let scaled = Array2::from_shape_fn((size, size), |(i, j)| {
        b[[i.max(j), i.min(j)]] * factors[i] * factors[j]
    });
    let whole = symmetric(&scaled.view())?;
    let least = whole.values.first().copied().unwrap_or(0.0).max(0.0) * size as f64 * f64::EPSILON;
    let rank = whole
        .values
        .iter()
        .take_while(|&&value| value > least)
        .count();
    if rank == 0 {
        return Err(Error::degenerate(message!(
            "the right side of an eigenproblem is zero: the {:rows} do not vary"
        )));
    }
    // One whitened direction a row: w B wᵀ = 1.
    let sizes = whole.values.slice(s![..rank]).mapv(f64::sqrt);
    let directions = &whole.vectors.slice(s![..rank, ..]) / &sizes.insert_axis(Axis(1)) * down.t();
    let left = Array2::from_shape_fn((size, size), |(i, j)| a[[i.max(j), i.min(j)]]);
    let inside = product(
        &product(&directions.view(), &left.view()).view(),
        &directions.t(),
    );
    let found = symmetric(&inside.view())?;
    let kept = count.min(rank);
    let order = found.vectors.slice(s![rank - kept.., ..]);
    let mut vectors = product(&order.slice(s![..;-1, ..]), &directions.view());
    fix_signs(vectors.view_mut());
    Ok(Generalized {
        values: found
            .values
            .slice(s![rank - kept..])
            .slice(s![..;-1])
            .to_owned(),
        vectors,
        rank,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gram(size: usize, rank: usize, salt: f64) -> Array2<f64> {
        let x = Array2::from_shape_fn((rank, size), |(i, j)| {
            (((i + 1) * (i + 3) * (j + 2)) as f64 * salt).sin() * 10.0_f64.powi((j % 4) as i32)
        });
        x.t().dot(&x)
    }

    #[test]
    fn pairs_satisfy_the_equation_and_rise() {
        let (a, b) = (gram(9, 30, 0.7), gram(9, 30, 1.3));
        let found = smallest_generalized(&a.view(), &b.view(), 4).unwrap();
        assert_eq!(found.rank, 9);
        assert!(found.values.windows(2).into_iter().all(|w| w[0] <= w[1]));
        for (x, value) in found.vectors.rows().into_iter().zip(&found.values) {
            let (left, right) = (a.dot(&x), b.dot(&x));
            assert!((x.dot(&right) - 1.0).abs() < 1e-9);
            let rest = (&left - &(&right * *value)).mapv(f64::abs).sum();
            assert!(rest < 1e-9 * left.mapv(f64::abs).sum().max(1.0), "{rest:e}");
        }
    }

    #[test]
    fn a_singular_right_side_leaves_its_range() {
        let (a, b) = (gram(6, 20, 0.7), gram(6, 3, 1.3));
        let found = smallest_generalized(&a.view(), &b.view(), 6).unwrap();
        assert_eq!((found.rank, found.values.len()), (3, 3));
        for x in found.vectors.rows() {
            assert!((x.dot(&b.dot(&x)) - 1.0).abs() < 1e-8);
        }
        let none = Array2::zeros((6, 6));
        assert!(smallest_generalized(&a.view(), &none.view(), 2).is_err());
    }
}
