//! Features: dense or sparse, in single or double precision, borrowed or owned.

use ndarray::{Array2, ArrayView2, Axis, Slice};
use num_traits::Float;
use rayon::prelude::*;

use super::sparse::{SparseRows, SparseView};
use crate::error::Result;

/// How precise the numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floating point.
    Single,
    /// 64-bit floating point.
    Double,
}

impl Precision {
    /// Bytes of one number.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }
}

/// A table of numbers that somebody else owns.
#[derive(Clone, Debug)]
pub enum Features<'a> {
    /// Dense, single precision.
    F32(ArrayView2<'a, f32>),
    /// Dense, double precision.
    F64(ArrayView2<'a, f64>),
    /// Sparse rows, single precision.
    SparseF32(SparseView<'a, f32>),
    /// Sparse rows, double precision.
    SparseF64(SparseView<'a, f64>),
}

/// Runs `$body` with `$x` bound to the dense view or the sparse view, whatever its precision.
macro_rules! for_features {
    ($features:expr, dense $x:ident => $dense:expr, sparse $s:ident => $sparse:expr) => {
        match $features {
            $crate::data::Features::F32($x) => $dense,
            $crate::data::Features::F64($x) => $dense,
            $crate::data::Features::SparseF32($s) => $sparse,
            $crate::data::Features::SparseF64($s) => $sparse,
        }
    };
}
pub(crate) use for_features;

impl<'a> Features<'a> {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        for_features!(self, dense x => x.nrows(), sparse s => s.n_rows())
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        for_features!(self, dense x => x.ncols(), sparse s => s.n_columns())
    }

    /// Precision of the numbers.
    pub fn precision(&self) -> Precision {
        match self {
            Self::F32(_) | Self::SparseF32(_) => Precision::Single,
            Self::F64(_) | Self::SparseF64(_) => Precision::Double,
        }
    }

    /// True for sparse rows.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Self::SparseF32(_) | Self::SparseF64(_))
    }

    /// Number of stored values.
    pub fn n_stored(&self) -> usize {
        for_features!(self, dense x => x.len(), sparse s => s.values().len())
    }

    /// The same features, borrowed once more.
    pub fn reborrow(&self) -> Features<'_> {
        match self {
            Self::F32(x) => Features::F32(x.view()),
            Self::F64(x) => Features::F64(x.view()),
            Self::SparseF32(s) => Features::SparseF32(s.clone()),
            Self::SparseF64(s) => Features::SparseF64(s.clone()),
        }
    }

    /// Rows `start` to `end` − 1, without copying.
    pub fn rows(&self, start: usize, end: usize) -> Features<'_> {
        let slice = Slice::from(start..end);
        match self {
            Self::F32(x) => Features::F32(x.slice_axis(Axis(0), slice)),
            Self::F64(x) => Features::F64(x.slice_axis(Axis(0), slice)),
            Self::SparseF32(s) => Features::SparseF32(s.rows(start, end)),
            Self::SparseF64(s) => Features::SparseF64(s.rows(start, end)),
        }
    }

    /// A copy with its own storage, in the same precision.
    pub(crate) fn to_features(&self) -> OwnedFeatures {
        match self {
            Self::F32(x) => OwnedFeatures::F32(x.as_standard_layout().into_owned()),
            Self::F64(x) => OwnedFeatures::F64(x.as_standard_layout().into_owned()),
            Self::SparseF32(s) => OwnedFeatures::SparseF32(s.to_rows()),
            Self::SparseF64(s) => OwnedFeatures::SparseF64(s.to_rows()),
        }
    }

    /// A copy of the same kind and precision as `other`: for a few rows that are compared with those.
    pub(crate) fn to_kind_of(&self, other: &Features<'_>) -> Result<OwnedFeatures> {
        let dense = self.dense_rows(0, self.n_rows());
        Ok(match other {
            Features::F32(_) => OwnedFeatures::F32(dense.mapv(|value| value as f32)),
            Features::F64(_) => OwnedFeatures::F64(dense),
            Features::SparseF32(_) => {
                let narrow = dense.mapv(|value| value as f32);
                OwnedFeatures::SparseF32(sparse_rows(&narrow)?)
            }
            Features::SparseF64(_) => OwnedFeatures::SparseF64(sparse_rows(&dense)?),
        })
    }

    /// True if both are of the same kind and precision.
    pub(crate) fn is_kind_of(&self, other: &Features<'_>) -> bool {
        std::mem::discriminant(&self.reborrow()) == std::mem::discriminant(&other.reborrow())
    }

    /// The value at a row and column.
    pub fn value(&self, row: usize, column: usize) -> f64 {
        match self {
            Self::F32(x) => f64::from(x[[row, column]]),
            Self::F64(x) => x[[row, column]],
            Self::SparseF32(s) => f64::from(s.value(row, column)),
            Self::SparseF64(s) => s.value(row, column),
        }
    }

    /// Copies row `row` into `target`, which has one entry for each column.
    pub fn copy_row(&self, row: usize, target: &mut [f64]) {
        match self {
            Self::F32(x) => {
                for (to, &value) in target.iter_mut().zip(x.row(row)) {
                    *to = f64::from(value);
                }
            }
            Self::F64(x) => {
                for (to, &value) in target.iter_mut().zip(x.row(row)) {
                    *to = value;
                }
            }
            Self::SparseF32(s) => copy_sparse_row(s, row, target),
            Self::SparseF64(s) => copy_sparse_row(s, row, target),
        }
    }

    /// Rows `start` to `end` − 1 as a dense block in double precision.
    pub fn dense_rows(&self, start: usize, end: usize) -> Array2<f64> {
        let mut block = Array2::zeros((end - start, self.n_columns()));
        for (offset, mut row) in block.rows_mut().into_iter().enumerate() {
            let target = row.as_slice_mut().expect("a new array is in row order");
            self.copy_row(start + offset, target);
        }
        block
    }

    /// A copy of some columns, in the order given, in the same precision.
    pub fn select_columns(&self, columns: &[usize]) -> Result<OwnedFeatures> {
        Ok(match self {
            Self::F32(x) => OwnedFeatures::F32(x.select(Axis(1), columns)),
            Self::F64(x) => OwnedFeatures::F64(x.select(Axis(1), columns)),
            Self::SparseF32(s) => OwnedFeatures::SparseF32(s.select_columns(columns)?),
            Self::SparseF64(s) => OwnedFeatures::SparseF64(s.select_columns(columns)?),
        })
    }

    /// A copy of some rows, in the order given, in the same precision.
    pub fn select_rows(&self, rows: &[usize]) -> Result<OwnedFeatures> {
        Ok(match self {
            Self::F32(x) => OwnedFeatures::F32(x.select(Axis(0), rows)),
            Self::F64(x) => OwnedFeatures::F64(x.select(Axis(0), rows)),
            Self::SparseF32(s) => OwnedFeatures::SparseF32(s.select_rows(rows)?),
            Self::SparseF64(s) => OwnedFeatures::SparseF64(s.select_rows(rows)?),
        })
    }

    /// Where the first value that is not finite stands, and how many there are.
    pub(crate) fn find_not_finite(&self) -> Option<NotFinite> {
        match self {
            Self::F32(x) => scan_dense(x),
            Self::F64(x) => scan_dense(x),
            Self::SparseF32(s) => scan_sparse(s),
            Self::SparseF64(s) => scan_sparse(s),
        }
    }
}

/// A value that is not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NotFinite {
    /// Its row.
    pub(crate) row: usize,
    /// Its column.
    pub(crate) column: usize,
    /// Its value.
    pub(crate) value: f64,
    /// How many there are in the whole table.
    pub(crate) count: usize,
}

/// What is not zero of dense rows.
fn sparse_rows<T: Float>(x: &Array2<T>) -> Result<SparseRows<T>> {
    let stored = x.indexed_iter().filter(|(_, value)| **value != T::zero());
    let entries = stored.map(|((i, j), value)| (i, j, *value)).collect();
    SparseRows::from_entries(x.nrows(), x.ncols(), entries)
}

/// A number of either precision, in double precision.
pub(super) fn wide<T: Float>(value: T) -> f64 {
    value
        .to_f64()
        .expect("f32 and f64 are floating-point numbers")
}

fn copy_sparse_row<T: Float>(rows: &SparseView<'_, T>, row: usize, target: &mut [f64]) {
    target.fill(0.0);
    for (column, value) in rows.row(row) {
        target[column] += wide(value);
    }
}

fn scan_dense<T: Float + Send + Sync>(x: &ArrayView2<'_, T>) -> Option<NotFinite> {
    const BLOCK: usize = 256;
    let starts: Vec<usize> = (0..x.nrows()).step_by(BLOCK).collect();
    let found: Vec<Option<NotFinite>> = starts
        .par_iter()
        .map(|&start| {
            let end = (start + BLOCK).min(x.nrows());
            let block = x.slice_axis(Axis(0), Slice::from(start..end));
            // The sum of finite numbers may overflow, so a bad sum only means that the values must be checked one by one.
            let sum = block.iter().fold(T::zero(), |sum, &v| sum + v * T::zero());
            if sum == T::zero() {
                return None;
            }
            first_not_finite(
                block
                    .indexed_iter()
                    .map(|((i, j), &v)| (start + i, j, wide(v))),
            )
        })
        .collect();
    merge(found)
}

fn scan_sparse<T: Float>(rows: &SparseView<'_, T>) -> Option<NotFinite> {
    first_not_finite((0..rows.n_rows()).flat_map(|row| {
        rows.row(row)
            .map(move |(column, value)| (row, column, wide(value)))
    }))
}

fn first_not_finite(values: impl Iterator<Item = (usize, usize, f64)>) -> Option<NotFinite> {
    let mut first: Option<NotFinite> = None;
    for (row, column, value) in values.filter(|(_, _, value)| !value.is_finite()) {
        match &mut first {
            Some(found) => found.count += 1,
            None => {
                first = Some(NotFinite {
                    row,
                    column,
                    value,
                    count: 1,
                });
            }
        }
    }
    first
}

fn merge(found: Vec<Option<NotFinite>>) -> Option<NotFinite> {
    found.into_iter().flatten().reduce(|first, next| NotFinite {
        count: first.count + next.count,
        ..first
    })
}

/// A table of numbers with its owner.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnedFeatures {
    /// Dense, single precision.
    F32(Array2<f32>),
    /// Dense, double precision.
    F64(Array2<f64>),
    /// Sparse rows, single precision.
    SparseF32(SparseRows<f32>),
    /// Sparse rows, double precision.
    SparseF64(SparseRows<f64>),
}

impl OwnedFeatures {
    /// Lends the features.
    pub fn view(&self) -> Features<'_> {
        match self {
            Self::F32(x) => Features::F32(x.view()),
            Self::F64(x) => Features::F64(x.view()),
            Self::SparseF32(s) => Features::SparseF32(s.view()),
            Self::SparseF64(s) => Features::SparseF64(s.view()),
        }
    }
}

macro_rules! from_views {
    ($($real:ty, $dense:ident, $sparse:ident);*) => {$(
        impl<'a> From<ArrayView2<'a, $real>> for Features<'a> {
            fn from(array: ArrayView2<'a, $real>) -> Self {
                Self::$dense(array)
            }
        }
        impl<'a> From<&'a Array2<$real>> for Features<'a> {
            fn from(array: &'a Array2<$real>) -> Self {
                Self::$dense(array.view())
            }
        }
        impl<'a> From<SparseView<'a, $real>> for Features<'a> {
            fn from(rows: SparseView<'a, $real>) -> Self {
                Self::$sparse(rows)
            }
        }
        impl From<Array2<$real>> for OwnedFeatures {
            fn from(array: Array2<$real>) -> Self {
                Self::$dense(array)
            }
        }
        impl From<SparseRows<$real>> for OwnedFeatures {
            fn from(rows: SparseRows<$real>) -> Self {
                Self::$sparse(rows)
            }
        }
    )*};
}
from_views!(f32, F32, SparseF32; f64, F64, SparseF64);

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn scanning_counts_over_blocks_and_reports_the_first() {
        let mut x = Array2::<f32>::zeros((1000, 3));
        assert_eq!(Features::from(&x).find_not_finite(), None);
        x[[900, 2]] = f32::NAN;
        x[[300, 1]] = f32::NEG_INFINITY;
        let found = Features::from(&x).find_not_finite().unwrap();
        assert_eq!((found.row, found.column, found.count), (300, 1, 2));
    }

    #[test]
    fn huge_finite_values_are_finite() {
        let x = Array2::<f64>::from_elem((300, 2), f64::MAX);
        assert_eq!(Features::from(&x).find_not_finite(), None);
    }

    #[test]
    fn rows_are_views_of_the_same_numbers() {
        let x = Array2::from_shape_fn((10, 2), |(i, j)| (i * 2 + j) as f64);
        let features = Features::from(&x);
        let part = features.rows(3, 5);
        assert_eq!(part.n_rows(), 2);
        assert_eq!(part.value(1, 1), 9.0);
    }
}
