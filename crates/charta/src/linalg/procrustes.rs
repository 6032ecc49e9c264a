//! Procrustes superposition: the translation, rotation, reflection and scale that align one set of points with another.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::svd;
use crate::error::{Error, Result, message};

/// How one configuration was aligned with another (Procrustes).
#[derive(Clone, Debug)]
pub struct Procrustes {
    /// The moved points, aligned with the target.
    pub aligned: Array2<f64>,
    /// The turn (and flip) applied, from the right, to centred points.
    pub rotation: Array2<f64>,
    /// The stretch applied.
    pub scale: f64,
    /// Sum of squared distances left, as a fraction of the target's own spread: 0 is a perfect fit.
    pub disparity: f64,
}

/// Lays `points` over `target` (same shape) by shift, rotation, reflection and scale.
pub fn align(points: &ArrayView2<'_, f64>, target: &ArrayView2<'_, f64>) -> Result<Procrustes> {
    if points.dim() != target.dim() {
        return Err(Error::shape(
            message!("points to align"),
            message!("{:?}", target.dim()),
            message!("{:?}", points.dim()),
        ));
    }
    let (moved, _) = centred(points)?;
    let (fixed, centre) = centred(target)?;
    let spread = |x: &Array2<f64>| x.iter().map(|v| v * v).sum::<f64>();
    let (from, to) = (spread(&moved), spread(&fixed));
    if from == 0.0 || to == 0.0 {
        return Err(Error::degenerate(message!(
            "all points are the same: there is nothing to align"
        )));
    }
    let parts = svd::thin(&moved.t().dot(&fixed).view())?;
    let rotation = parts.left.t().dot(&parts.right);
    let scale = parts.values.sum() / from;
    let turned = moved.dot(&rotation) * scale;
    let disparity = (&turned - &fixed).iter().map(|d| d * d).sum::<f64>() / to;
    Ok(Procrustes {
        aligned: turned + &centre,
        rotation,
        scale,
        disparity,
    })
}

fn centred(points: &ArrayView2<'_, f64>) -> Result<(Array2<f64>, Array1<f64>)> {
    let centre = points.mean_axis(Axis(0)).ok_or(Error::Empty {
        rows: points.nrows(),
        columns: points.ncols(),
    })?;
    Ok((points - &centre, centre))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_turned_stretched_shifted_copy_is_laid_over_exactly() {
        let target = array![[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [3.0, 1.0]];
        let (s, c) = 0.7_f64.sin_cos();
        let turned = target.dot(&array![[c, -s], [s, c]]) * 2.5 + &array![4.0, -1.0];
        let result = align(&turned.view(), &target.view()).unwrap();
        assert!(result.disparity < 1e-28);
        assert!((result.aligned - target).iter().all(|d| d.abs() < 1e-13));
        assert!((result.scale - 0.4).abs() < 1e-13);
    }

    #[test]
    fn equal_points_cannot_be_aligned() {
        let same = array![[1.0, 1.0], [1.0, 1.0]];
        assert!(align(&same.view(), &same.view()).is_err());
    }
}
