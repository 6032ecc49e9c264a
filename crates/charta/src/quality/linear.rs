//! How many rows a linear classifier of the coordinates puts into their classes.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::error::Result;
use crate::linalg::solve;

/// What is added to the mean variance within classes in every direction, as a fraction of it.
const RIDGE: f64 = 1e-9;

/// The number of new rows that linear discriminant analysis of the known ones classifies correctly: normal classes with one
/// covariance, weighted by their sizes. Rows without a class or coordinates are left out.
pub(crate) fn n_right_linearly(
    known: &ArrayView2<'_, f64>,
    known_classes: &[Option<u32>],
    new: &ArrayView2<'_, f64>,
    new_classes: &[Option<u32>],
) -> Result<f64> {
    let (known, known_classes) = labelled(known, known_classes);
    let (new, new_classes) = labelled(new, new_classes);
    let n_classes = known_classes.iter().max().map_or(0, |&most| most + 1);
    if new_classes.is_empty() || n_classes == 0 {
        return Ok(0.0);
    }
    let discriminants = Discriminants::of(known, &known_classes, n_classes)?;
    let scores = new.dot(&discriminants.weights) + &discriminants.offsets;
    let is_right = |(scores, class): (ndarray::ArrayView1<'_, f64>, &usize)| {
        let best = (1..n_classes).fold(0, |best, other| {
            if scores[other] > scores[best] {
                other
            } else {
                best
            }
        });
        best == *class
    };
    let n_right = scores
        .rows()
        .into_iter()
        .zip(&new_classes)
        .filter(|pair| is_right(*pair))
        .count();
    Ok(n_right as f64)
}

/// Linear functions of the coordinates, one for each class: the largest one decides.
struct Discriminants {
    /// A column for each class.
    weights: Array2<f64>,
    offsets: Array1<f64>,
}

impl Discriminants {
    fn of(mut known: Array2<f64>, classes: &[usize], n_classes: usize) -> Result<Self> {
        let (n, width) = known.dim();
        let mut means = Array2::<f64>::zeros((n_classes, width));
        let mut counts = Array1::<f64>::zeros(n_classes);
        for (row, &class) in known.rows().into_iter().zip(classes) {
            let mut mean = means.row_mut(class);
            mean += &row;
            counts[class] += 1.0;
        }
        for (mut mean, &count) in means.rows_mut().into_iter().zip(&counts) {
            mean /= count.max(1.0);
        }
        for (mut row, &class) in known.rows_mut().into_iter().zip(classes) {
            row -= &means.row(class);
        }
        let mut within = known.t().dot(&known) / n as f64;
        let mean_variance = within.diag().sum() / width as f64;
        let ridge = if mean_variance > 0.0 {
            RIDGE * mean_variance
        } else {
            1.0
        };
        within.diag_mut().mapv_inplace(|variance| variance + ridge);
        let weights = solve::positive_definite(&within.view(), &means.t())?;
        let lengths = (&means.t() * &weights).sum_axis(Axis(0));
        // A class without known rows is never chosen.
        let offsets = counts.mapv(|count| (count / n as f64).ln()) - lengths / 2.0;
        Ok(Self { weights, offsets })
    }
}

/// The rows that have a class and coordinates, with their classes.
fn labelled(
    coordinates: &ArrayView2<'_, f64>,
    classes: &[Option<u32>],
) -> (Array2<f64>, Vec<usize>) {
    let is_usable = |row: &usize| coordinates.row(*row).iter().all(|value| value.is_finite());
    let rows: Vec<usize> = (0..classes.len())
        .filter(|row| classes[*row].is_some())
        .filter(is_usable)
        .collect();
    let kept = rows.iter().filter_map(|&row| classes[row]);
    let kept = kept.map(|class| class as usize).collect();
    (coordinates.select(Axis(0), &rows), kept)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_plane_between_the_classes_decides() {
        let known = array![[0.0, 0.0], [0.0, 2.0], [3.0, 0.0], [3.0, 2.0]];
        let classes = [Some(0), Some(0), Some(1), Some(1)];
        let new = array![[1.0, 9.0], [2.0, -9.0], [1.4, 0.0], [0.0, 0.0]];
        let right = |of_new: [Option<u32>; 4]| {
            n_right_linearly(&known.view(), &classes, &new.view(), &of_new).unwrap()
        };
        assert_eq!(right([Some(0), Some(1), Some(0), None]), 3.0);
        assert_eq!(right([Some(1), Some(1), Some(0), Some(1)]), 2.0);
        assert_eq!(right([None; 4]), 0.0);
    }

    #[test]
    fn a_ring_around_a_point_is_not_separated() {
        let known = array![
            [1.0, 0.0],
            [-1.0, 0.0],
            [0.0, 1.0],
            [0.0, -1.0],
            [0.0, 0.0],
            [0.0, 0.0]
        ];
        let classes = [0, 0, 0, 0, 1, 1].map(Some);
        let found = n_right_linearly(&known.view(), &classes, &known.view(), &classes).unwrap();
        assert_eq!(found, 4.0);
    }
}
