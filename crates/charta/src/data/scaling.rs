//! Scaling of columns or rows: learned on the training rows, kept for new ones.

use ndarray::{Array1, Array2, ArrayViewMut2, Axis};
use num_traits::{Float, NumCast};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::columns::Columns;
use super::features::wide;
use super::{Features, OwnedFeatures};
use crate::error::{Error, Result, message};
use crate::params::Choice;

/// Scaling of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Scaling {
    /// No scaling.
    None,
    /// Subtract each column's mean.
    Center,
    /// Standardize: subtract each column's mean and divide by its standard deviation (with divisor n).
    ZScore,
    /// Scale each column's range to [0, 1].
    MinMax,
    /// Divide each row by its Euclidean length.
    UnitNorm,
}

/// A scaling with what it learned: x becomes (x − offset) · factor, column by column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaler {
    kind: Scaling,
    offset: Vec<f64>,
    factor: Vec<f64>,
}

impl Scaler {
    /// True if it scales exactly this many columns.
    pub(crate) fn fits(&self, n_columns: usize) -> bool {
        self.offset.len() == n_columns && self.factor.len() == n_columns
    }

    /// Learns the scaling from the training rows. Constant columns are only shifted.
    pub fn fit(kind: Scaling, features: &Features<'_>) -> Result<Self> {
        let shifts = matches!(kind, Scaling::Center | Scaling::ZScore | Scaling::MinMax);
        if shifts && features.is_sparse() {
            return Err(Error::unsupported(
                message!("scaling {kind:value}"),
                message!("would fill sparse {:rows}: use {'unit_norm'}, or make them dense first"),
            ));
        }
        let n_columns = features.n_columns();
        let (offset, factor) = match kind {
            Scaling::None | Scaling::UnitNorm => {
                (Array1::zeros(n_columns), Array1::ones(n_columns))
            }
            _ => learn(kind, &Columns::of(features)),
        };
        Ok(Self {
            kind,
            offset: offset.to_vec(),
            factor: factor.to_vec(),
        })
    }

    /// Which scaling it is.
    pub fn kind(&self) -> Scaling {
        self.kind
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.offset.len()
    }

    /// The scaling of the first columns alone.
    pub(crate) fn first_columns(mut self, n_columns: usize) -> Self {
        self.offset.truncate(n_columns);
        self.factor.truncate(n_columns);
        self
    }

    /// Scales features in place.
    pub fn apply(&self, features: &mut OwnedFeatures) -> Result<()> {
        let n_columns = features.view().n_columns();
        if n_columns != self.offset.len() {
            return Err(Error::shape(
                message!("{:columns} to scale"),
                self.offset.len(),
                n_columns,
            ));
        }
        match features {
            OwnedFeatures::F32(x) => self.scale(x.view_mut()),
            OwnedFeatures::F64(x) => self.scale(x.view_mut()),
            OwnedFeatures::SparseF32(s) => s.scale_rows(|row| self.row_factor(row)),
            OwnedFeatures::SparseF64(s) => s.scale_rows(|row| self.row_factor(row)),
        }
        Ok(())
    }

    /// A scaled copy, in the same precision.
    pub fn scaled(&self, features: &Features<'_>) -> Result<OwnedFeatures> {
        let mut copy = match features {
            Features::F32(x) => OwnedFeatures::F32(x.to_owned()),
            Features::F64(x) => OwnedFeatures::F64(x.to_owned()),
            Features::SparseF32(s) => OwnedFeatures::SparseF32(s.to_rows()),
            Features::SparseF64(s) => OwnedFeatures::SparseF64(s.to_rows()),
        };
        self.apply(&mut copy)?;
        Ok(copy)
    }

    /// Undoes the scaling of features reconstructed from an embedding. Lengths of rows are not known any
    /// more, so `unit_norm` stays as it is.
    pub fn undo(&self, mut features: Array2<f64>) -> Array2<f64> {
        for mut row in features.rows_mut() {
            for ((value, offset), factor) in row.iter_mut().zip(&self.offset).zip(&self.factor) {
                *value = *value / factor + offset;
            }
        }
        features
    }

    fn scale<T: Float + Send + Sync>(&self, mut x: ArrayViewMut2<'_, T>) {
        let cast = |value: &f64| <T as NumCast>::from(*value).unwrap_or_else(T::nan);
        let offset: Vec<T> = self.offset.iter().map(cast).collect();
        let factor: Vec<T> = self.factor.iter().map(cast).collect();
        x.axis_iter_mut(Axis(0))
            .into_par_iter()
            .for_each(|mut row| {
                if self.kind == Scaling::UnitNorm {
                    let by = self.row_factor(&row.to_vec());
                    row.mapv_inplace(|value| value * by);
                    return;
                }
                for ((value, &offset), &factor) in row.iter_mut().zip(&offset).zip(&factor) {
                    *value = (*value - offset) * factor;
                }
            });
    }

    fn row_factor<T: Float>(&self, row: &[T]) -> T {
        if self.kind != Scaling::UnitNorm {
            return T::one();
        }
        // In double precision, so that large and tiny values keep their length.
        let squares: f64 = row.iter().map(|value| wide(*value).powi(2)).sum();
        if squares == 0.0 {
            return T::one();
        }
        <T as NumCast>::from(1.0 / squares.sqrt()).unwrap_or_else(T::nan)
    }
}

fn learn(kind: Scaling, columns: &Columns) -> (Array1<f64>, Array1<f64>) {
    let safe = |column: usize, size: f64| {
        if columns.is_constant(column) || size == 0.0 || !size.is_finite() {
            1.0
        } else {
            1.0 / size
        }
    };
    let means = columns
        .means
        .mapv(|mean| if mean.is_nan() { 0.0 } else { mean });
    let n_columns = means.len();
    match kind {
        Scaling::MinMax => (
            columns
                .least
                .mapv(|least| if least.is_finite() { least } else { 0.0 }),
            Array1::from_shape_fn(n_columns, |j| {
                safe(j, columns.greatest[j] - columns.least[j])
            }),
        ),
        Scaling::ZScore => {
            let deviations = columns.deviations(0.0);
            (
                means,
                Array1::from_shape_fn(n_columns, |j| safe(j, deviations[j])),
            )
        }
        _ => (means, Array1::ones(n_columns)),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;

    fn scaled(kind: Scaling) -> Array2<f64> {
        let x = array![[1.0, 10.0, 5.0], [2.0, 30.0, 5.0], [3.0, 20.0, 5.0]];
        let features = Features::from(&x);
        let scaler = Scaler::fit(kind, &features).unwrap();
        let OwnedFeatures::F64(result) = scaler.scaled(&features).unwrap() else {
            panic!("precision changed");
        };
        if kind != Scaling::UnitNorm {
            let back = scaler.undo(result.clone());
            assert!((back - x).iter().all(|d| d.abs() < 1e-12));
        }
        result
    }

    #[test]
    fn each_scaling_does_what_it_says() {
        assert_eq!(scaled(Scaling::Center).column(0).to_vec(), [-1.0, 0.0, 1.0]);
        assert_eq!(scaled(Scaling::MinMax).column(1).to_vec(), [0.0, 1.0, 0.5]);
        let z = scaled(Scaling::ZScore);
        assert!((z.column(0).dot(&z.column(0)) / 3.0 - 1.0).abs() < 1e-12);
        assert_eq!(z.column(2).to_vec(), [0.0, 0.0, 0.0]);
        let unit = scaled(Scaling::UnitNorm);
        assert!((unit.row(1).dot(&unit.row(1)) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn single_precision_stays_single() {
        let x = array![[1.0_f32, 2.0], [3.0, 6.0]];
        let features = Features::from(&x);
        let scaler = Scaler::fit(Scaling::ZScore, &features).unwrap();
        assert!(matches!(
            scaler.scaled(&features).unwrap(),
            OwnedFeatures::F32(_)
        ));
    }
}
