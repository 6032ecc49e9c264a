//! The kernels between all rows, as a matrix that is centred without being copied.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::{Array1, Array2, ArrayView2, Axis, CowArray, Ix2, s};

use super::KernelRows;
use super::rows::Pairing;
use super::tiles::{BLOCK, symmetric};
use crate::data::{Data, Source};
use crate::error::Result;
use crate::linalg::block_krylov::Symmetric;
use crate::linalg::centred::{centred_columns, centred_product, row_sums};
use crate::linalg::tall_skinny::Narrow;
use crate::parallel::{blocks, map_blocks, try_for_each};
use crate::run::Run;

/// Rows that one job multiplies.
const LINES: usize = 64;
/// Columns that are widened, or symmetrized, at once.
const TILE: usize = 1024;
/// Lines in single precision are filled up to a multiple of this: 512 bits, which products read at once.
const LANES: usize = 16;

/// Kernels between all rows, in the precision of the features; borrowed if they were given.
#[derive(Clone, Debug)]
pub(crate) enum KernelMatrix<'a> {
    /// Single precision, each line filled up with zeros to whole vectors of the processor.
    Single(Array2<f32>),
    /// Double precision.
    Double(Array2<f64>),
    /// As it was given.
    Given(ArrayView2<'a, f64>),
    /// As it was given, not exactly symmetric: the mean with its transpose is used.
    Asymmetric(ArrayView2<'a, f64>),
}

impl<'a> KernelMatrix<'a> {
    /// The kernels between the reference rows, which are all or some of those of `data`.
    pub(crate) fn of(run: &Run<'_>, rows: &KernelRows, data: &Data<'a>) -> Result<Self> {
        let size = rows.n_rows();
        if let Source::Kernel(matrix) = data.source()
            && size == data.n_rows()
        {
            return Ok(if is_symmetric(run, matrix)? {
                Self::Given(*matrix)
            } else {
                Self::Asymmetric(*matrix)
            });
        }
        rows.among(data, |pairing| match pairing {
            Pairing::Single(tiles) => {
                let width = size.next_multiple_of(LANES);
                Ok(Self::Single(symmetric(run, tiles, (size, width))?))
            }
            Pairing::Double(tiles) => Ok(Self::Double(symmetric(run, tiles, (size, size))?)),
            other => Ok(Self::Double(symmetrized(run, other, size)?)),
        })
    }

    /// Number of rows, and of columns.
    pub(crate) fn n_rows(&self) -> usize {
        match self {
            Self::Single(x) => x.nrows(),
            Self::Double(x) => x.nrows(),
            Self::Given(x) | Self::Asymmetric(x) => x.nrows(),
        }
    }

    /// A part of the matrix in double precision.
    pub(crate) fn block(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
    ) -> CowArray<'_, f64, Ix2> {
        let index = s![rows.clone(), columns.clone()];
        match self {
            Self::Single(x) => x.slice(index).mapv(f64::from).into(),
            Self::Double(x) => x.slice(index).into(),
            Self::Given(x) => x.slice(index).into(),
            Self::Asymmetric(x) => {
                let back = x.slice(s![columns, rows]);
                let mut part = x.slice(index).to_owned();
                part.zip_mut_with(&back.t(), |value, back| *value = 0.5 * (*value + back));
                part.into()
            }
        }
    }

    /// The matrix in double precision.
    pub(crate) fn wide(&self) -> Array2<f64> {
        self.block(0..self.n_rows(), 0..self.n_rows()).into_owned()
    }

    /// The kernels of the rows with themselves.
    pub(crate) fn diagonal(&self) -> Array1<f64> {
        match self {
            Self::Single(x) => x.diag().mapv(f64::from),
            Self::Double(x) => x.diag().to_owned(),
            Self::Given(x) | Self::Asymmetric(x) => x.diag().to_owned(),
        }
    }

    /// The kernels between some of the rows.
    pub(crate) fn among(&self, indices: &[usize]) -> Array2<f64> {
        Array2::from_shape_fn((indices.len(), indices.len()), |(i, j)| {
            let index = [indices[i], indices[j]];
            match self {
                Self::Single(x) => f64::from(x[index]),
                Self::Double(x) => x[index],
                Self::Given(x) => x[index],
                Self::Asymmetric(x) => 0.5 * (x[index] + x[[indices[j], indices[i]]]),
            }
        })
    }

    /// The mean of each row.
    pub(crate) fn row_means(&self, run: &Run<'_>) -> Result<Array1<f64>> {
        let size = self.n_rows();
        let parts = map_blocks(run, size, LINES, |rows| {
            if let Self::Single(x) = self {
                let lines = rows.map(|row| x.row(row));
                return lines.map(|line| wide_sum(line.iter().copied())).collect();
            }
            row_sums(rows, &self.tiles(), |rows, columns| {
                self.block(rows, columns)
            })
        })?;
        let sums: Array1<f64> = parts.into_iter().flatten().collect();
        Ok(sums / size.max(1) as f64)
    }

    fn tiles(&self) -> Vec<Range<usize>> {
        match self {
            Self::Single(_) | Self::Asymmetric(_) => blocks(self.n_rows(), TILE),
            _ => blocks(self.n_rows(), self.n_rows()),
        }
    }
}

/// The sum of numbers in single precision, in eight chains side by side.
fn wide_sum(numbers: impl Iterator<Item = f32>) -> f64 {
    let mut sums = [0.0; 8];
    for (index, number) in numbers.enumerate() {
        sums[index % 8] += f64::from(number);
    }
    sums.iter().sum()
}

/// Whether a matrix is symmetric, to the last bit.
fn is_symmetric(run: &Run<'_>, matrix: &ArrayView2<'_, f64>) -> Result<bool> {
    let same = map_blocks(run, matrix.nrows(), LINES, |rows| {
        blocks(rows.end, LINES).into_iter().all(|columns| {
            let there = matrix.slice(s![rows.clone(), columns.clone()]);
            there == matrix.slice(s![columns, rows.clone()]).t()
        })
    })?;
    Ok(same.into_iter().all(|same| same))
}

/// The kernels of a function, or of some rows of a matrix: the mean with the transpose.
fn symmetrized(run: &Run<'_>, pairing: &Pairing<'_>, size: usize) -> Result<Array2<f64>> {
    let mut matrix = Array2::zeros((size, size));
    try_for_each(
        run,
        matrix.axis_chunks_iter_mut(Axis(0), BLOCK),
        |index, mut lines| {
            let rows = index * BLOCK..index * BLOCK + lines.nrows();
            lines.assign(&pairing.block(rows, size)?.wide());
            Ok(())
        },
    )?;
    for row in 0..size {
        for column in 0..row {
            let mean = 0.5 * (matrix[[row, column]] + matrix[[column, row]]);
            matrix[[row, column]] = mean;
            matrix[[column, row]] = mean;
        }
    }
    Ok(matrix)
}

/// The matrix J K J with J = I − 1/n, which is never formed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Centred<'a, 'b>(pub &'a KernelMatrix<'b>);

impl Symmetric for Centred<'_, '_> {
    fn size(&self) -> usize {
        self.0.n_rows()
    }

    fn times(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        let matrix = self.0;
        let tiles = matrix.tiles();
        centred_product(run, matrix.n_rows(), &tiles, right, |rows, columns| {
            matrix.block(rows, columns)
        })
    }
}

/// The matrix J K J of kernels in single precision, with products in single precision too: a third of the time, for vectors that
/// need not be exact yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoughlyCentred<'a>(pub &'a Array2<f32>);

impl Symmetric for RoughlyCentred<'_> {
    fn size(&self) -> usize {
        self.0.nrows()
    }

    fn times(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        let mut filled = Array2::zeros((self.0.ncols(), right.ncols()));
        filled
            .slice_mut(s![..self.size(), ..])
            .zip_mut_with(&centred_columns(right), |to, from| *to = *from as f32);
        let narrow = Narrow::new(filled);
        let mut result = Array2::zeros((self.size(), right.ncols()));
        let parts = map_blocks(run, self.size(), LINES, |rows| {
            narrow.images(&self.0.view(), rows)
        })?;
        for (mut target, part) in result.axis_chunks_iter_mut(Axis(0), LINES).zip(parts) {
            target.assign(&part.mapv(f64::from));
        }
        Ok(centred_columns(&result))
    }
}

/// The same matrix for a start that is nearly exact: the first product is in double precision, the others are not. What
/// follows the start are corrections, small enough for seven digits.
#[derive(Debug)]
pub(crate) struct Refined<'a, 'b> {
    first: Centred<'a, 'b>,
    others: RoughlyCentred<'a>,
    started: AtomicBool,
}

impl<'a, 'b> Refined<'a, 'b> {
    /// Gets ready; `None` for kernels in double precision.
    pub(crate) fn new(matrix: &'a KernelMatrix<'b>) -> Option<Self> {
        let KernelMatrix::Single(numbers) = matrix else {
            return None;
        };
        Some(Self {
            first: Centred(matrix),
            others: RoughlyCentred(numbers),
            started: AtomicBool::new(false),
        })
    }
}

impl Symmetric for Refined<'_, '_> {
    fn size(&self) -> usize {
        self.first.size()
    }

    fn times(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        if self.started.swap(true, Ordering::Relaxed) {
            self.others.times(run, right)
        } else {
            self.first.times(run, right)
        }
    }
}
