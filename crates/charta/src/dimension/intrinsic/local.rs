//! Local PCA: principal variances of each row's neighbours.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::all_the_same;
use crate::data::{Features, Neighbors};
use crate::error::Result;
use crate::linalg::eigen::symmetric_values;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows of one job.
const BLOCK: usize = 64;
/// The fraction of the largest variance from which a direction counts.
const COUNTS: f64 = 0.05;

/// The number of directions whose variance is above a twentieth of the largest (Fukunaga and Olsen 1971).
pub fn fukunaga_olsen(variances: &[f64]) -> usize {
    let largest = variances
        .iter()
        .fold(0.0, |most: f64, &variance| most.max(variance));
    variances
        .iter()
        .filter(|&&variance| variance > COUNTS * largest)
        .count()
}

/// The square of the sum of variances by the sum of their squares: how many directions there would be if all
/// varied alike. 0 if nothing varies.
pub fn participation_ratio(variances: &[f64]) -> f64 {
    let sum: f64 = variances.iter().sum();
    let squares: f64 = variances.iter().map(|variance| variance * variance).sum();
    if squares > 0.0 {
        sum * sum / squares
    } else {
        0.0
    }
}

/// The number of directions that a row's nearest `count` neighbours vary in, by [`fukunaga_olsen`]: of each row,
/// and their mean. A row whose neighbours are all the same has none (NaN).
pub fn local_principal(
    run: &Run<'_>,
    features: &Features<'_>,
    table: &Neighbors,
    count: usize,
) -> Result<(Array1<f64>, f64)> {
    let parts = map_blocks(run, table.n_rows(), BLOCK, |rows| {
        rows.map(|row| {
            let indices = table.row(row).0;
            let near = neighborhood(features, &indices[..count.min(indices.len())]);
            Ok(match fukunaga_olsen(&variances(near)?) {
                0 => f64::NAN,
                dimension => dimension as f64,
            })
        })
        .collect::<Result<Vec<f64>>>()
    })?;
    let each: Vec<f64> = parts.into_iter().collect::<Result<Vec<_>>>()?.concat();
    let defined: Vec<f64> = each
        .iter()
        .copied()
        .filter(|dimension| !dimension.is_nan())
        .collect();
    if defined.is_empty() {
        return Err(all_the_same());
    }
    let mean = defined.iter().sum::<f64>() / defined.len() as f64;
    Ok((Array1::from(each), mean))
}

/// Some rows less their mean.
fn neighborhood(features: &Features<'_>, indices: &[u32]) -> Array2<f64> {
    let mut near = Array2::zeros((indices.len(), features.n_columns()));
    for (mut line, &index) in near.rows_mut().into_iter().zip(indices) {
        let line = line.as_slice_mut().expect("a new array is in row order");
        features.copy_row(index as usize, line);
    }
    if let Some(mean) = near.mean_axis(Axis(0)) {
        near -= &mean;
    }
    near
}

/// The principal variances of centred rows, up to a factor: from the smaller of the two products.
fn variances(rows: Array2<f64>) -> Result<Vec<f64>> {
    let product = if rows.nrows() < rows.ncols() {
        rows.dot(&rows.t())
    } else {
        rows.t().dot(&rows)
    };
    let values = symmetric_values(&product.view())?;
    let trace: f64 = product.diag().sum();
    let rounding = |value: ArrayView1<'_, f64>| {
        value.mapv(|value| if value > 1e-14 * trace { value } else { 0.0 })
    };
    Ok(rounding(values.view()).to_vec())
}
