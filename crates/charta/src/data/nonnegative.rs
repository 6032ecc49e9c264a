//! Features that must not be negative: checked and measured in one pass.

use ndarray::{ArrayView1, ArrayView2, Axis};
use num_traits::Float;
use rayon::prelude::*;

use super::features::{for_features, wide};
use super::{Data, Features, Precision, SparseView};
use crate::error::{Error, Result, message, number, subject};

const BLOCK: usize = 512;
/// Sums that run side by side, so that the processor can do them at once.
const LANES: usize = 16;

/// The size of values that are not negative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Extent {
    /// The largest value.
    pub greatest: f64,
    /// The mean of all values.
    pub mean: f64,
    bad: bool,
}

impl Extent {
    fn merge(self, other: Self) -> Self {
        Self {
            greatest: self.greatest.max(other.greatest),
            mean: self.mean + other.mean,
            bad: self.bad || other.bad,
        }
    }
}

impl Data<'_> {
    /// The size of features that are not negative; the error names the first value that is, or that is not
    /// finite.
    pub(crate) fn extent_without_negatives(&self, method: &str) -> Result<Extent> {
        let features = self.features(method)?;
        let extent = for_features!(features, dense x => of_dense(x), sparse s => of_sparse(s));
        if !extent.bad {
            return Ok(extent);
        }
        if let Some(error) = self.not_finite(None) {
            return Err(error);
        }
        Err(self.first_negative(method, features))
    }

    fn first_negative(&self, method: &str, features: &Features<'_>) -> Error {
        let mut line = vec![0.0; features.n_columns()];
        for row in 0..features.n_rows() {
            features.copy_row(row, &mut line);
            if let Some(column) = line.iter().position(|&value| value < 0.0) {
                return Error::Negative {
                    what: subject(method),
                    row,
                    column: self.column(column),
                    value: match features.precision() {
                        Precision::Single => number(line[column] as f32),
                        Precision::Double => number(line[column]),
                    },
                };
            }
        }
        Error::degenerate(message!(
            "{} needs values of 0 or more, but a stored value of the sparse {:rows} is negative",
            subject(method)
        ))
    }
}

fn of_dense<T: Float + Send + Sync>(x: &ArrayView2<'_, T>) -> Extent {
    // Fractions of the mean are added, because a sum might overflow.
    let share = (x.len() as f64).recip();
    let parts: Vec<Extent> = x
        .axis_chunks_iter(Axis(0), BLOCK)
        .into_par_iter()
        .map(|block| {
            let rows = block.rows().into_iter().map(|row| of_row(row, share));
            rows.fold(Extent::default(), Extent::merge)
        })
        .collect();
    parts.into_iter().fold(Extent::default(), Extent::merge)
}

fn of_row<T: Float>(row: ArrayView1<'_, T>, share: f64) -> Extent {
    let Some(values) = row.as_slice() else {
        return of_values(row.iter().copied(), share);
    };
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut greatest = [T::zero(); LANES];
    let mut good = [true; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            let value = chunk[lane];
            good[lane] &= value >= T::zero() && value < T::infinity();
            greatest[lane] = if value > greatest[lane] {
                value
            } else {
                greatest[lane]
            };
        }
    }
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            sums[lane] += wide(chunk[lane]) * share;
        }
    }
    let first = Extent {
        greatest: of_values(greatest.iter().copied(), 0.0).greatest,
        mean: sums.iter().sum(),
        bad: good.contains(&false),
    };
    first.merge(of_values(rest.iter().copied(), share))
}

fn of_sparse<T: Float>(rows: &SparseView<'_, T>) -> Extent {
    let share = (rows.n_rows() as f64 * rows.n_columns() as f64).recip();
    of_values(rows.values().iter().copied(), share)
}

fn of_values<T: Float>(values: impl Iterator<Item = T>, share: f64) -> Extent {
    let mut extent = Extent::default();
    for value in values {
        let value = wide(value);
        extent.bad |= !(0.0..f64::INFINITY).contains(&value);
        extent.greatest = extent.greatest.max(value);
        extent.mean += value * share;
    }
    extent
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn the_largest_and_the_mean_are_found_and_a_negative_value_is_named() {
        let mut x = Array2::from_shape_fn((700, 37), |(i, j)| (i * j) as f32);
        let extent = Data::from(&x).extent_without_negatives("nmf").unwrap();
        assert_eq!(extent.greatest, 699.0 * 36.0);
        assert!((extent.mean / (349.5 * 18.0) - 1.0).abs() < 1e-12);
        x[[3, 5]] = -1.2;
        let error = Data::from(&x).extent_without_negatives("nmf").unwrap_err();
        assert_eq!(
            error.to_string(),
            "row 3, column 5: found -1.2, but `nmf` needs values of 0 or more"
        );
        x[[600, 36]] = f32::NAN;
        let error = Data::from(&x).extent_without_negatives("nmf").unwrap_err();
        assert!(
            matches!(error, Error::NotFinite { row: 600, .. }),
            "{error}"
        );
    }

    #[test]
    fn the_largest_values_do_not_overflow() {
        let x = Array2::from_elem((30, 20), f64::MAX);
        let extent = Data::from(&x).extent_without_negatives("nmf").unwrap();
        assert!(extent.mean.is_finite() && extent.greatest == f64::MAX);
    }
}
