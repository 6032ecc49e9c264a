//! Whitening, after which the Mahalanobis distance and the standardized Euclidean distance are Euclidean.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

use crate::data::loaded::{check_at_least, check_finite, check_length};
use crate::data::{Data, Features, OwnedFeatures, Precision, arrays};
use crate::error::{Error, Result, Warning, message};
use crate::linalg::Real;
use crate::linalg::eigen::symmetric;
use crate::linalg::moments::Moments;
use crate::metric::Metric;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows that one job maps.
const BLOCK: usize = 256;

/// Rows less their mean, turned to the eigenvectors of the covariance C and divided by the square roots of its
/// eigenvalues: (a − b)ᵀ C⁻¹ (a − b) is then the squared Euclidean distance. Directions without variance have no
/// inverse; they are left out, as by the pseudo-inverse, and a warning says how many remain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Whitening {
    #[serde(with = "arrays::vector")]
    center: Array1<f64>,
    /// A column for each direction kept.
    #[serde(with = "arrays::matrix")]
    map: Array2<f64>,
}

impl Whitening {
    /// The map by the covariance given with the data, or else by that of its rows (divided by n − 1): by its diagonal alone for the
    /// standardized Euclidean distance.
    pub(crate) fn of(run: &Run<'_>, data: &Data<'_>, metric: Metric) -> Result<Self> {
        let needed = |covariance: Array2<f64>| match metric {
            Metric::Seuclidean => Array2::from_diag(&covariance.diag()),
            _ => covariance,
        };
        let features = data.features("the Mahalanobis distance")?;
        if let Some(covariance) = data.covariance() {
            let size = covariance.nrows() as f64;
            return Self::by(
                run,
                &needed(covariance.to_owned()).view(),
                Array1::zeros(covariance.nrows()),
                size * f64::EPSILON,
            );
        }
        if features.n_rows() < 2 {
            return Err(Error::too_few_rows(
                message!("the covariance of the Mahalanobis distance"),
                2,
                features.n_rows(),
            ));
        }
        let moments = Moments::of(run, features)?;
        if !moments.is_finite() {
            return Err(data.bad_values(None));
        }
        let size = features.n_columns().max(features.n_rows()) as f64;
        let rounding = moments.rounding().max(size * f64::EPSILON);
        let covariance = needed(moments.scatter() / (moments.count() - 1) as f64);
        Self::by(run, &covariance.view(), moments.mean().clone(), rounding)
    }

    fn by(
        run: &Run<'_>,
        covariance: &ArrayView2<'_, f64>,
        center: Array1<f64>,
        rounding: f64,
    ) -> Result<Self> {
        let size = covariance.nrows();
        let eigen = symmetric(covariance)?;
        let least = rounding * eigen.values[0].max(0.0);
        if eigen.values[size - 1] < -least.max(f64::MIN_POSITIVE) {
            return Err(Error::degenerate(message!(
                "the covariance of the Mahalanobis distance has the eigenvalue {:e}: it must have \
                 none below 0",
                eigen.values[size - 1]
            )));
        }
        let rank = eigen.values.iter().filter(|value| **value > least).count();
        if rank == 0 {
            return Err(Error::degenerate(message!(
                "the covariance of the Mahalanobis distance is zero: the {:rows} do not vary"
            )));
        }
        if rank < size {
            run.warn(Warning::Singular {
                what: message!("the covariance of the Mahalanobis distance"),
                size,
                rank,
                remedy: message!("the directions without variance are left out"),
            })?;
        }
        let map = Array2::from_shape_fn((size, rank), |(column, direction)| {
            eigen.vectors[[direction, column]] / eigen.values[direction].sqrt()
        });
        Ok(Self { center, map })
    }

    /// Fails if a stored whitening does not fit to this many columns, or is there without being needed, or the other way.
    pub(crate) fn validate_stored(
        stored: Option<&Self>,
        is_needed: bool,
        n_columns: usize,
    ) -> Result<()> {
        check_length(
            "the whitening of the reference rows",
            usize::from(stored.is_some()),
            usize::from(is_needed),
        )?;
        stored.map_or(Ok(()), |whitening| whitening.validate(n_columns))
    }

    /// Fails if what was loaded does not fit together, or to rows of this many columns.
    fn validate(&self, n_columns: usize) -> Result<()> {
        let Self { center, map } = self;
        check_length("the centre of the whitening", center.len(), n_columns)?;
        check_length("the rows of the whitening", map.nrows(), n_columns)?;
        check_at_least("the directions of the whitening", map.ncols(), 1)?;
        check_finite("the centre of the whitening", center)?;
        check_finite("the whitening", map)
    }

    /// The rows after the map, in their precision.
    pub(crate) fn apply(&self, run: &Run<'_>, features: &Features<'_>) -> Result<OwnedFeatures> {
        Ok(match features.precision() {
            Precision::Single => OwnedFeatures::F32(self.mapped(run, features)?),
            Precision::Double => OwnedFeatures::F64(self.mapped(run, features)?),
        })
    }

    /// One row after the map.
    pub(crate) fn row(&self, row: &ArrayView1<'_, f64>) -> Vec<f64> {
        (row - &self.center).dot(&self.map).to_vec()
    }

    fn mapped<T: Real>(&self, run: &Run<'_>, features: &Features<'_>) -> Result<Array2<T>> {
        let parts = map_blocks(run, features.n_rows(), BLOCK, |rows| {
            let block = features.dense_rows(rows.start, rows.end) - &self.center;
            block.dot(&self.map).mapv(T::of).into_raw_vec_and_offset().0
        })?;
        let shape = (features.n_rows(), self.map.ncols());
        Array2::from_shape_vec(shape, parts.concat()).map_err(|error| {
            Error::shape(
                message!("whitened {:rows}"),
                message!("{shape:?}"),
                error.to_string(),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_straight_line_after_the_map_is_the_mahalanobis_distance() {
        let x = array![[1.0, 2.0], [3.0, 1.0], [0.0, 5.0], [2.5, 2.0], [4.0, 4.0]];
        let covariance = array![[2.0, 0.6], [0.6, 1.0]];
        let data = Data::from(&x).with_covariance(covariance.view()).unwrap();
        let whitening = Whitening::of(&Run::new(), &data, Metric::Mahalanobis).unwrap();
        let mapped = whitening
            .apply(&Run::new(), data.features("").unwrap())
            .unwrap();
        let mapped = mapped.view().dense_rows(0, 5);
        let determinant: f64 = 2.0 - 0.36;
        let (u, v) = (x[[0, 0]] - x[[2, 0]], x[[0, 1]] - x[[2, 1]]);
        let want = ((u * u - 2.0 * 0.6 * u * v + 2.0 * v * v) / determinant).sqrt();
        let (a, b) = (mapped.row(0).to_vec(), mapped.row(2).to_vec());
        let got = Metric::Euclidean.between(&a, &b, 2.0);
        assert!((got - want).abs() < 1e-14, "{got} for {want}");
    }

    #[test]
    fn directions_without_variance_are_left_out_and_said() {
        let x = array![[1.0, 2.0, 7.0], [2.0, 4.0, 7.0], [3.0, 6.0, 7.0]];
        let warnings = std::sync::Mutex::new(Vec::new());
        let observer = |event: crate::run::Event<'_>| {
            if let crate::run::Event::Warning(warning) = event {
                warnings.lock().unwrap().push(warning.to_string());
            }
            std::ops::ControlFlow::Continue(())
        };
        let run = Run::new().observer(&observer);
        let whitening = Whitening::of(&run, &Data::from(&x), Metric::Mahalanobis).unwrap();
        assert_eq!(whitening.map.dim(), (3, 1));
        assert_eq!(warnings.lock().unwrap().len(), 1);
        let constant = array![[1.0, 2.0], [1.0, 2.0]];
        assert!(Whitening::of(&run, &Data::from(&constant), Metric::Mahalanobis).is_err());
    }
}
