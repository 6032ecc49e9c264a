//! Euclidean distances between blocks of rows by products: ‖a − b‖² = ‖a‖² + ‖b‖² − 2 a·b.
//!
//! A row of the data is subtracted from all first: that keeps far-away data precise, and whole numbers whole, so that
//! equal distances stay equal. Where the three terms cancel, the pair is computed anew from its differences, so that
//! equal rows are at distance 0.

use ndarray::{Array2, ArrayView1, ArrayViewMut2};

use crate::data::Features;
use crate::error::Result;
use crate::linalg::Real;
use crate::linalg::product::product_into;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Columns up to which differences are cheaper than products.
pub(crate) const FEW_COLUMNS: usize = 8;
/// Rows that one product takes in at a time.
pub(crate) const PANEL: usize = 256;
/// Rows looked at for one in the middle.
const CANDIDATES: usize = 256;

/// Some rows less a centre, with their squared lengths.
pub(crate) struct Panel<T> {
    rows: Array2<T>,
    lengths: Vec<f64>,
}

impl<T: Real> Panel<T> {
    /// Takes rows of the features, in the precision of the products.
    pub(crate) fn of(
        features: &Features<'_>,
        centre: &[f64],
        rows: impl ExactSizeIterator<Item = usize>,
    ) -> Self {
        let mut panel = Array2::from_elem((rows.len(), centre.len()), T::of(0.0));
        let mut lengths = Vec::with_capacity(rows.len());
        let mut values = vec![0.0; centre.len()];
        for (mut line, row) in panel.rows_mut().into_iter().zip(rows) {
            features.copy_row(row, &mut values);
            let mut length = 0.0;
            for ((to, value), centre) in line.iter_mut().zip(&values).zip(centre) {
                *to = T::of(value - centre);
                length += to.wide() * to.wide();
            }
            lengths.push(length);
        }
        Self {
            rows: panel,
            lengths,
        }
    }

    /// Writes the squared distances to all rows of `others`, a row for each row of this panel.
    pub(crate) fn squares(&self, others: &Self, mut target: ArrayViewMut2<'_, f64>) {
        let mut products = Array2::from_elem(target.dim(), T::of(0.0));
        product_into(products.view_mut(), &self.rows.view(), &others.rows.t());
        let least = cancelled::<T>();
        for (line, mut target) in target.rows_mut().into_iter().enumerate() {
            let products = products.row(line);
            let length = self.lengths[line];
            for (column, value) in target.iter_mut().enumerate() {
                let both = length + others.lengths[column];
                *value = both - 2.0 * products[column].wide();
                if *value < least * both {
                    *value = apart(&self.rows.row(line), &others.rows.row(column));
                }
            }
        }
    }
}

/// The fraction of the squared lengths below which a squared distance is computed anew: its digits are lost.
fn cancelled<T: Real>() -> f64 {
    // 1e-6 in double precision; single precision has fewer digits to lose.
    if T::epsilon().wide() < 1e-10 {
        1e-6
    } else {
        0.03
    }
}

fn apart<T: Real>(a: &ArrayView1<'_, T>, b: &ArrayView1<'_, T>) -> f64 {
    let differences = a.iter().zip(b).map(|(x, y)| x.wide() - y.wide());
    differences.map(|difference| difference * difference).sum()
}

/// The sum of squared differences.
pub(crate) fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// Of some rows spread over the data, the one nearest to their mean.
pub(crate) fn row_in_the_middle(
    features: &Features<'_>,
    rows: impl ExactSizeIterator<Item = usize>,
) -> Vec<f64> {
    let step = rows.len().div_ceil(CANDIDATES).max(1);
    let mut candidates = Vec::new();
    for row in rows.step_by(step) {
        let mut values = vec![0.0; features.n_columns()];
        features.copy_row(row, &mut values);
        candidates.push(values);
    }
    let mut mean = vec![0.0; features.n_columns()];
    for values in &candidates {
        for (sum, value) in mean.iter_mut().zip(values) {
            *sum += value / candidates.len() as f64;
        }
    }
    let nearest = |a: &Vec<f64>, b: &Vec<f64>| squared(a, &mean).total_cmp(&squared(b, &mean));
    candidates
        .iter()
        .min_by(|a, b| nearest(a, b))
        .map_or(mean.clone(), Clone::clone)
}

/// The largest squared length of the rows less the centre; infinite or NaN where it overflows.
pub(crate) fn largest_square(
    run: &Run<'_>,
    features: &Features<'_>,
    centre: &[f64],
    rows: &[usize],
) -> Result<f64> {
    let parts = map_blocks(run, rows.len(), PANEL, |range| {
        let mut values = vec![0.0; features.n_columns()];
        rows[range].iter().fold(0.0, |most: f64, &row| {
            features.copy_row(row, &mut values);
            let length = squared(&values, centre);
            if length > most || length.is_nan() {
                length
            } else {
                most
            }
        })
    })?;
    let larger = |a: f64, b: f64| if b > a || b.is_nan() { b } else { a };
    Ok(parts.into_iter().fold(0.0, larger))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{normal, stream};

    #[test]
    fn products_give_the_distances_of_the_definition_in_both_precisions() {
        let mut draw = stream(4, 0);
        let mut x = Array2::from_shape_simple_fn((40, 30), || 1e4 + normal(&mut draw));
        let copy = x.row(3).to_owned();
        x.row_mut(9).assign(&copy);
        x[[9, 1]] += 1e-3;
        let narrow = x.mapv(|value| value as f32);
        let wide = narrow.mapv(f64::from);
        check::<f64>(&Features::from(&x), &x, 1e-8);
        check::<f32>(&Features::from(&narrow), &wide, 1e-5);
    }

    fn check<T: Real>(features: &Features<'_>, x: &Array2<f64>, tolerance: f64) {
        let centre = row_in_the_middle(features, 0..40);
        let own = Panel::<T>::of(features, &centre, 0..10);
        let others = Panel::<T>::of(features, &centre, 0..40);
        let mut squares = Array2::zeros((10, 40));
        own.squares(&others, squares.view_mut());
        for ((row, other), got) in squares.indexed_iter() {
            let want: f64 = (&x.row(row) - &x.row(other)).mapv(|d| d * d).sum();
            assert!((got - want).abs() <= tolerance * want, "{got} {want}");
        }
    }
}
