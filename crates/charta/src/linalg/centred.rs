//! Products with a centred matrix J A J, where J = I − 1/n, without forming it.

use std::ops::Range;

use ndarray::{Array2, Axis, CowArray, Ix2, s};

use crate::error::Result;
use crate::linalg::product::{add_product, product_into};
use crate::parallel::{map_blocks, stack_rows};
use crate::run::Run;

/// J A J itself, of a symmetric matrix A.
pub(crate) fn doubly_centred(mut matrix: Array2<f64>) -> Array2<f64> {
    let n = matrix.nrows().max(1) as f64;
    let means = &matrix.sum_axis(Axis(1)) / n;
    let mean = means.sum() / n;
    for (mut row, &own) in matrix.rows_mut().into_iter().zip(&means) {
        for (entry, &other) in row.iter_mut().zip(&means) {
            *entry += mean - own - other;
        }
    }
    matrix
}

/// Rows that one job multiplies.
const ROWS: usize = 64;

/// J A J times `right` for a matrix A of `size` rows, of which `block` gives a part in double precision. `tiles` are the ranges of
/// columns that are read at once.
pub(crate) fn centred_product<'a>(
    run: &Run<'_>,
    size: usize,
    tiles: &[Range<usize>],
    right: &Array2<f64>,
    block: impl Fn(Range<usize>, Range<usize>) -> CowArray<'a, f64, Ix2> + Sync,
) -> Result<Array2<f64>> {
    let right = centred_columns(right);
    let parts = map_blocks(run, size, ROWS, |rows| {
        let mut part = Array2::zeros((rows.len(), right.ncols()));
        if let [columns] = tiles {
            let block = block(rows, columns.clone());
            product_into(part.view_mut(), &block.view(), &right.view());
            return part;
        }
        for columns in tiles {
            let block = block(rows.clone(), columns.clone());
            let right = right.slice(s![columns.clone(), ..]);
            add_product(part.view_mut(), &block.view(), &right);
        }
        part
    })?;
    Ok(centred_columns(&stack_rows(&parts, right.ncols())))
}

/// The sums of some rows of a matrix of which `block` gives a part, tile by tile.
pub(crate) fn row_sums<'a>(
    rows: Range<usize>,
    tiles: &[Range<usize>],
    block: impl Fn(Range<usize>, Range<usize>) -> CowArray<'a, f64, Ix2>,
) -> Vec<f64> {
    let mut sums = vec![0.0; rows.len()];
    for columns in tiles {
        let block = block(rows.clone(), columns.clone());
        for (sum, line) in sums.iter_mut().zip(block.rows()) {
            *sum += line.sum();
        }
    }
    sums
}

/// J x: each column less its mean.
pub(crate) fn centred_columns(x: &Array2<f64>) -> Array2<f64> {
    match x.mean_axis(Axis(0)) {
        Some(mean) => x - &mean,
        None => x.clone(),
    }
}
