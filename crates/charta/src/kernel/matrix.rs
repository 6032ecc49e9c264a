//! The kernels between all rows, as a matrix that is centred without being copied.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, CowArray, Ix2, s};

use super::KernelRows;
use super::rows::Pairing;
use super::tiles::{BLOCK, symmetric};
use crate::data::{Data, Source};
use crate::error::Result;
use crate::linalg::krylov::Symmetric;
use crate::linalg::product::{add_product, product_into};
use crate::parallel::{blocks, map_blocks};
use crate::run::Run;

/// Rows that one job multiplies.
const LINES: usize = 64;
/// Columns that are widened at once.
const TILE: usize = 1024;

/// Kernels between all rows, in the precision of the features; borrowed if they were given.
#[derive(Clone, Debug)]
pub enum KernelMatrix<'a> {
    /// Single precision.
    Single(Array2<f32>),
    /// Double precision.
    Double(Array2<f64>),
    /// As it was given.
    Given(ArrayView2<'a, f64>),
}

impl<'a> KernelMatrix<'a> {
    /// The kernels between the rows known, which are all or some of those of `data`.
    pub fn of(run: &Run<'_>, rows: &KernelRows, data: &Data<'a>) -> Result<Self> {
        let size = rows.n_rows();
        if let Source::Kernel(matrix) = data.source()
            && size == data.n_rows()
        {
            return Ok(Self::Given(matrix.clone()));
        }
        rows.among(data, |pairing| match pairing {
            Pairing::Single(tiles) => Ok(Self::Single(symmetric(run, tiles, size)?)),
            Pairing::Double(tiles) => Ok(Self::Double(symmetric(run, tiles, size)?)),
            other => {
                let parts = map_blocks(run, size, BLOCK, |lines| other.block(lines, size))?;
                let mut matrix = Array2::zeros((size, size));
                let targets = matrix.axis_chunks_iter_mut(Axis(0), BLOCK);
                for (mut target, part) in targets.zip(parts) {
                    target.assign(&part?.wide());
                }
                Ok(Self::Double((&matrix + &matrix.t()) * 0.5))
            }
        })
    }

    /// Number of rows, and of columns.
    pub fn n_rows(&self) -> usize {
        match self {
            Self::Single(x) => x.nrows(),
            Self::Double(x) => x.nrows(),
            Self::Given(x) => x.nrows(),
        }
    }

    /// A part of the matrix in double precision.
    pub fn block(&self, rows: Range<usize>, columns: Range<usize>) -> CowArray<'_, f64, Ix2> {
        let place = s![rows, columns];
        match self {
            Self::Single(x) => x.slice(place).mapv(f64::from).into(),
            Self::Double(x) => x.slice(place).into(),
            Self::Given(x) => x.slice(place).into(),
        }
    }

    /// The matrix in double precision.
    pub fn wide(&self) -> Array2<f64> {
        self.block(0..self.n_rows(), 0..self.n_rows()).into_owned()
    }

    /// The kernels of the rows with themselves.
    pub fn diagonal(&self) -> Array1<f64> {
        match self {
            Self::Single(x) => x.diag().mapv(f64::from),
            Self::Double(x) => x.diag().to_owned(),
            Self::Given(x) => x.diag().to_owned(),
        }
    }

    /// The kernels between some of the rows.
    pub fn among(&self, places: &[usize]) -> Array2<f64> {
        Array2::from_shape_fn((places.len(), places.len()), |(i, j)| {
            let place = [places[i], places[j]];
            match self {
                Self::Single(x) => f64::from(x[place]),
                Self::Double(x) => x[place],
                Self::Given(x) => x[place],
            }
        })
    }

    /// The mean of each row.
    pub fn row_means(&self, run: &Run<'_>) -> Result<Array1<f64>> {
        let size = self.n_rows();
        let parts = map_blocks(run, size, LINES, |rows| {
            let mut sums = vec![0.0; rows.len()];
            for columns in self.tiles() {
                let block = self.block(rows.clone(), columns);
                for (sum, line) in sums.iter_mut().zip(block.rows()) {
                    *sum += line.sum();
                }
            }
            sums
        })?;
        let sums: Array1<f64> = parts.into_iter().flatten().collect();
        Ok(sums / size.max(1) as f64)
    }

    fn tiles(&self) -> Vec<Range<usize>> {
        match self {
            Self::Single(_) => blocks(self.n_rows(), TILE),
            _ => blocks(self.n_rows(), self.n_rows()),
        }
    }
}

/// The matrix J K J with J = I − 1/n, which is never formed.
#[derive(Clone, Copy, Debug)]
pub struct Centred<'a, 'b>(pub &'a KernelMatrix<'b>);

impl Symmetric for Centred<'_, '_> {
    fn size(&self) -> usize {
        self.0.n_rows()
    }

    fn times(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        let matrix = self.0;
        let right = centred(right);
        let mut result = Array2::zeros((matrix.n_rows(), right.ncols()));
        let parts = map_blocks(run, matrix.n_rows(), LINES, |rows| {
            let mut part = Array2::zeros((rows.len(), right.ncols()));
            let tiles = matrix.tiles();
            if let [columns] = tiles.as_slice() {
                let block = matrix.block(rows, columns.clone());
                product_into(part.view_mut(), &block.view(), &right.view());
                return part;
            }
            for columns in tiles {
                let block = matrix.block(rows.clone(), columns.clone());
                let right = right.slice(s![columns, ..]);
                add_product(part.view_mut(), &block.view(), &right);
            }
            part
        })?;
        for (mut target, part) in result.axis_chunks_iter_mut(Axis(0), LINES).zip(parts) {
            target.assign(&part);
        }
        Ok(centred(&result))
    }
}

/// Less the mean of each column.
fn centred(x: &Array2<f64>) -> Array2<f64> {
    match x.mean_axis(Axis(0)) {
        Some(mean) => x - &mean,
        None => x.clone(),
    }
}
