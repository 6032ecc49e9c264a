//! Leaving out the rows farthest from the middle, which would otherwise turn the axes.

use ndarray::Array1;
use rayon::prelude::*;

use crate::data::Features;
use crate::error::Result;
use crate::linalg::operator::Rows;
use crate::parallel::blocks;
use crate::run::Run;

/// Rounds of finding the farthest rows about a new centre; few are needed.
const MAX_ROUNDS: usize = 20;

/// The rows to keep, in order: all but the fraction `share` farthest from the centre of those kept. The
/// first centre is the median of every column; each next one is the mean of the rows kept, until
/// they stay the same.
pub(super) fn kept_rows(
    run: &Run<'_>,
    features: &Features<'_>,
    factors: Option<&Array1<f64>>,
    share: f64,
) -> Result<Vec<usize>> {
    let n_rows = features.n_rows();
    let n_dropped = ((n_rows as f64 * share).floor() as usize).min(n_rows.saturating_sub(2));
    let mut centre = medians(run, features)?;
    let mut kept: Vec<usize> = (0..n_rows).collect();
    for _ in 0..MAX_ROUNDS {
        let rows = Rows::new(features, &centre).scaled(factors);
        let distances = rows.squared_lengths(run)?;
        let mut order: Vec<usize> = (0..n_rows).collect();
        order.sort_by(|&a, &b| distances[a].total_cmp(&distances[b]).then(a.cmp(&b)));
        order.truncate(n_rows - n_dropped);
        order.sort_unstable();
        if order == kept {
            break;
        }
        kept = order;
        centre = mean_of(features, &kept);
    }
    Ok(kept)
}

fn medians(run: &Run<'_>, features: &Features<'_>) -> Result<Array1<f64>> {
    let n_rows = features.n_rows();
    // A few columns at a time, so that only they are held in double precision.
    let mut medians = Vec::with_capacity(features.n_columns());
    for columns in blocks(features.n_columns(), 16) {
        run.check()?;
        let part: Vec<f64> = columns
            .into_par_iter()
            .map(|column| {
                let mut values: Vec<f64> = (0..n_rows).map(|i| features.value(i, column)).collect();
                let middle = n_rows / 2;
                *values.select_nth_unstable_by(middle, f64::total_cmp).1
            })
            .collect();
        medians.extend(part);
    }
    Ok(Array1::from_vec(medians))
}

fn mean_of(features: &Features<'_>, rows: &[usize]) -> Array1<f64> {
    let mut row = vec![0.0; features.n_columns()];
    let mut sum = Array1::<f64>::zeros(features.n_columns());
    for &index in rows {
        features.copy_row(index, &mut row);
        for (sum, value) in sum.iter_mut().zip(&row) {
            *sum += value;
        }
    }
    sum / rows.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn the_far_rows_are_the_ones_left_out() {
        let mut x = Array2::from_shape_fn((100, 3), |(i, j)| ((i * 3 + j) as f64).sin());
        for row in [7, 50, 93] {
            x.row_mut(row).fill(1000.0 + row as f64);
        }
        let features = Features::from(&x);
        let kept = kept_rows(&Run::new(), &features, None, 0.03).unwrap();
        assert_eq!(kept.len(), 97);
        assert!([7, 50, 93].iter().all(|row| !kept.contains(row)));
        let selected = features.select_rows(&kept).unwrap();
        assert_eq!(selected.view().n_rows(), 97);
        assert_eq!(selected.view().value(7, 1), x[[8, 1]]);
    }
}
