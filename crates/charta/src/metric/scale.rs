//! Values brought into a range whose powers are numbers, and rows brought to length 1.

use ndarray::{ArrayView2, s};

use crate::data::Features;
use crate::data::features::for_features;
use crate::linalg::Real;
use crate::parallel::map;

/// Rows that one job looks at.
const BLOCK: usize = 256;

/// A power of two that all values are multiplied with, so that it costs no digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    factor: f64,
}

impl Scale {
    /// No change.
    pub(crate) const ONE: Self = Self { factor: 1.0 };

    /// The scale at which sums of so high a `power` of differences stay in the range of the precision. Most data
    /// needs none.
    pub(crate) fn of<T: Real>(largest: f64, power: i32) -> Self {
        // 256 powers of a difference of twice the size are summed at once.
        let most = (T::max_value().wide().log2() as i32 - 10) / power - 1;
        if largest == 0.0 {
            return Self::ONE;
        }
        let size = largest.log2().ceil() as i32;
        let factor = if size > most {
            2.0_f64.powi(most - size)
        } else if size < -most {
            2.0_f64.powi(-size.max(-1000))
        } else {
            1.0
        };
        Self { factor }
    }

    /// What values are multiplied with.
    pub(crate) fn factor(self) -> f64 {
        self.factor
    }

    /// What was measured of scaled values, as it is for the values.
    pub(crate) fn undo(self, distance: f64) -> f64 {
        distance / self.factor
    }
}

/// The largest absolute value.
pub(crate) fn largest(features: &Features<'_>) -> f64 {
    for_features!(features, dense x => largest_dense(x), sparse rows => {
        rows.values().iter().fold(0.0, |most, value| value.wide().abs().max(most))
    })
}

fn largest_dense<T: Real>(x: &ArrayView2<'_, T>) -> f64 {
    let parts = map(x.nrows().div_ceil(BLOCK), |block| {
        let rows = x.slice(s![block * BLOCK..((block + 1) * BLOCK).min(x.nrows()), ..]);
        let zero = T::of(0.0);
        let most = rows.iter().fold(zero, |most, value| {
            let size = num_traits::Float::abs(*value);
            if size > most { size } else { most }
        });
        most.wide()
    });
    parts.into_iter().fold(0.0, f64::max)
}

/// Brings a row to length 1, less its mean first if `centred`. False, and zeros, if it has no direction.
pub(crate) fn to_unit(row: &mut [f64], centred: bool) -> bool {
    let largest = row.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let first = row.first().copied().unwrap_or(0.0);
    if largest == 0.0 || (centred && row.iter().all(|value| *value == first)) {
        row.fill(0.0);
        return false;
    }
    row.iter_mut().for_each(|value| *value /= largest);
    if centred {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        row.iter_mut().for_each(|value| *value -= mean);
    }
    let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
    row.iter_mut().for_each(|value| *value /= length);
    true
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;

    #[test]
    fn only_extreme_values_are_scaled_and_by_powers_of_two() {
        let usual = array![[1e-3_f32, 1e9]];
        let of = |x: &Array2<f32>| Scale::of::<f32>(largest(&Features::from(x)), 2).factor();
        assert_eq!(of(&usual), 1.0);
        let large = of(&array![[1e30_f32]]);
        assert!(large < 1.0 && large.log2().fract() == 0.0);
        assert!(of(&array![[1e-30_f32]]) > 1e25);
        assert_eq!(of(&array![[0.0_f32]]), 1.0);
        let scale = Scale::of::<f64>(1e300, 2);
        assert!((1e300 * scale.factor()).powi(2).is_finite());
        assert_eq!(scale.undo(1e300 * scale.factor()), 1e300);
    }

    #[test]
    fn units_have_length_one_or_no_direction() {
        let mut row = [3e200, 4e200];
        assert!(to_unit(&mut row, false));
        assert!((row[0] - 0.6).abs() < 1e-15 && (row[1] - 0.8).abs() < 1e-15);
        let mut flat = [0.1, 0.1, 0.1];
        assert!(!to_unit(&mut flat, true));
        assert_eq!(flat, [0.0; 3]);
    }
}
