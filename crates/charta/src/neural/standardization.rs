//! Standardization of the inputs of a network.

use ndarray::{Array1, Array2, ArrayViewMut2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::columns::Columns;
use crate::data::loaded::{check_finite, check_length, check_not_negative};
use crate::data::{Features, arrays};
use crate::error::Result;
use crate::linalg::Real;
use crate::linalg::wide::{self, Loop};

/// Rows that one job prepares.
const BLOCK: usize = 64;

/// x becomes (x − centre) · factor, column by column. Columns that were constant when it was learned have factor 0: no weight
/// was ever learned for them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standardization {
    #[serde(with = "arrays::vector")]
    center: Array1<f64>,
    #[serde(with = "arrays::vector")]
    factors: Array1<f64>,
}

impl Standardization {
    /// Nothing is changed.
    pub fn none(n_columns: usize) -> Self {
        Self {
            center: Array1::zeros(n_columns),
            factors: Array1::ones(n_columns),
        }
    }

    /// Every column has mean 0 and variance 1.
    pub fn by_column(features: &Features<'_>) -> Self {
        let columns = Columns::of(features);
        let deviations = columns.deviations(0.0);
        Self::dividing(&columns, |column| deviations[column])
    }

    /// Every column has mean 0, and all are divided by the same number, the root of their mean variance: the distances
    /// between rows change in nothing but their unit.
    pub fn together(features: &Features<'_>) -> Self {
        let columns = Columns::of(features);
        let deviations = columns.deviations(0.0);
        // Scaled by the largest, so that no square overflows.
        let largest = deviations.fold(0.0, |most: f64, &value| most.max(value));
        let squares = deviations.mapv(|value| (value / largest).powi(2));
        let varying = deviations.iter().filter(|value| **value > 0.0).count();
        let size = largest * (squares.sum() / varying.max(1) as f64).sqrt();
        Self::dividing(&columns, |_| size)
    }

    fn dividing(columns: &Columns, size: impl Fn(usize) -> f64) -> Self {
        let factor = |column: usize| {
            let factor = size(column).recip();
            let flat = columns.is_constant(column) || !factor.is_finite();
            if flat { 0.0 } else { factor }
        };
        Self {
            center: columns.means.clone(),
            factors: (0..columns.means.len()).map(factor).collect(),
        }
    }

    /// Fails if what was loaded does not fit together.
    pub(crate) fn validate(&self) -> Result<()> {
        let Self { center, factors } = self;
        check_length("the factors of the inputs", factors.len(), center.len())?;
        check_finite("the centre of the inputs", center)?;
        check_not_negative("the factors of the inputs", factors)
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.center.len()
    }

    /// What is subtracted from each column.
    pub fn center(&self) -> &Array1<f64> {
        &self.center
    }

    /// What each column is multiplied with.
    pub fn factors(&self) -> &Array1<f64> {
        &self.factors
    }

    /// Some rows of `features`, ready to enter; sparse ones with all their zeros.
    pub fn fill<T: Real>(
        &self,
        features: &Features<'_>,
        rows: &[usize],
        mut target: ArrayViewMut2<'_, T>,
    ) {
        target
            .axis_chunks_iter_mut(Axis(0), BLOCK)
            .into_par_iter()
            .zip(rows.par_chunks(BLOCK))
            .for_each(|(mut target, rows)| {
                let mut line = Vec::new();
                for (mut target, &row) in target.rows_mut().into_iter().zip(rows) {
                    let target = target.as_slice_mut().expect("batches are in row order");
                    match whole_row(features, row) {
                        Some(Row::Single(values)) => self.prepare(values, target),
                        Some(Row::Double(values)) => self.prepare(values, target),
                        None => {
                            line.resize(features.n_columns(), 0.0);
                            features.copy_row(row, &mut line);
                            self.prepare(&line, target);
                        }
                    }
                }
            });
    }

    fn prepare<S: Real, T: Real>(&self, values: &[S], target: &mut [T]) {
        if let (Some(center), Some(factors)) = (self.center.as_slice(), self.factors.as_slice()) {
            wide::run(Prepare {
                values,
                center,
                factors,
                target,
            });
        }
    }

    /// What left the network, as features again: columns that were constant get their value.
    pub fn lead_back(&self, outputs: &mut Array2<f64>) {
        for mut row in outputs.rows_mut() {
            let scale = self.center.iter().zip(&self.factors);
            for (value, (center, factor)) in row.iter_mut().zip(scale) {
                *value = if *factor > 0.0 {
                    *value / factor + center
                } else {
                    *center
                };
            }
        }
    }
}

/// A row whose numbers lie side by side.
enum Row<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

fn whole_row<'a>(features: &'a Features<'_>, row: usize) -> Option<Row<'a>> {
    let at = row..row + 1;
    match features {
        Features::F32(x) => x.slice_axis(Axis(0), at.into()).to_slice().map(Row::Single),
        Features::F64(x) => x.slice_axis(Axis(0), at.into()).to_slice().map(Row::Double),
        _ => None,
    }
}

struct Prepare<'a, S, T> {
    values: &'a [S],
    center: &'a [f64],
    factors: &'a [f64],
    target: &'a mut [T],
}

impl<S: Real, T: Real> Loop for Prepare<'_, S, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let scale = self.center.iter().zip(self.factors);
        for ((to, value), (center, factor)) in self.target.iter_mut().zip(self.values).zip(scale) {
            *to = T::of((value.wide() - center) * factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::data::SparseRows;

    #[test]
    fn columns_have_mean_zero_and_one_scale_and_constant_ones_vanish() {
        let x = array![[1.0, 5.0, 0.0], [3.0, 5.0, 40.0], [5.0, 5.0, 80.0]];
        let features = Features::from(&x);
        let mut own = Array2::<f64>::zeros((2, 3));
        let by_column = Standardization::by_column(&features);
        by_column.fill(&features, &[2, 0], own.view_mut());
        let deviation = (8.0_f64 / 3.0).sqrt();
        assert!((own[[0, 0]] - 2.0 / deviation).abs() < 1e-12);
        assert!((own[[0, 0]] - own[[0, 2]]).abs() < 1e-12);
        assert_eq!(own.column(1).to_vec(), [0.0, 0.0]);
        let together = Standardization::together(&features);
        together.fill(&features, &[2, 0], own.view_mut());
        assert!((own[[0, 2]] / own[[0, 0]] - 20.0).abs() < 1e-12);
        let squares: f64 = own.iter().map(|value| value * value).sum();
        assert!((squares / 3.0 - 2.0).abs() < 1e-12);
    }

    #[test]
    fn sparse_rows_and_huge_values_are_prepared_alike() {
        let x = array![[0.0, 5e170], [3e170, 0.0], [0.0, 0.0]];
        let entries = vec![(0, 1, 5e170), (1, 0, 3e170)];
        let rows = SparseRows::from_entries(3, 2, entries).unwrap();
        let ready = |features: Features<'_>| {
            let mut own = Array2::<f32>::zeros((3, 2));
            let together = Standardization::none(2);
            together.fill(&features, &[0, 1, 2], own.view_mut());
            own
        };
        assert_eq!(
            ready(Features::from(&x)),
            ready(Features::from(rows.view()))
        );
    }
}
