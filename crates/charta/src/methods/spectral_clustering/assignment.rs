//! Clusters from eigenvectors without k-means: the rotation of the eigenvectors that is nearest to an indicator of clusters, by
//! alternation or by one pivoted QR factorization.

use ndarray::{Array1, Array2, Axis, s};

use crate::error::Result;
use crate::linalg::product::product;
use crate::linalg::svd::thin;
use crate::params::Choice;
use crate::random::{below, stream};

/// Rounds of the alternation, at most.
const MAX_ROUNDS: usize = 100;

/// Assignment of rows to clusters in the space of the eigenvectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Assignment {
    /// k-means.
    KMeans,
    /// The rotation nearest to an indicator of clusters, by alternation (Yu and Shi 2003).
    Discretize,
    /// The rotation by a pivoted QR factorization, without iterations or random numbers (Damle, Minden and Ying 2019).
    ClusterQr,
}

/// The cluster of every row, and the rounds that it took.
pub(super) fn discretize(vectors: &Array2<f64>, seed: u64) -> Result<(Vec<u32>, usize)> {
    let vectors = unit_rows(vectors);
    let count = vectors.ncols();
    let mut rotation = far_apart(&vectors, seed);
    let (mut labels, mut best) = (Vec::new(), f64::NEG_INFINITY);
    for round in 1..=MAX_ROUNDS {
        labels = largest(&product(&vectors.view(), &rotation.view()), |value| value);
        let mut sums = Array2::zeros((count, count));
        for (row, &label) in vectors.rows().into_iter().zip(&labels) {
            let mut sum = sums.row_mut(label as usize);
            sum += &row;
        }
        // sums = U S Vᵀ: the rotation V Uᵀ fits these clusters best, by the sum of S.
        let found = thin(&sums.view())?;
        let fit = found.values.sum();
        if fit - best <= f64::EPSILON * count as f64 * fit.abs() {
            return Ok((labels, round));
        }
        best = fit;
        rotation = product(&found.right.t(), &found.left.view());
    }
    Ok((labels, MAX_ROUNDS))
}

/// The cluster of every row.
pub(super) fn cluster_qr(vectors: &Array2<f64>) -> Result<Vec<u32>> {
    let pivots = pivots(vectors);
    let chosen = vectors.select(Axis(0), &pivots);
    // The orthogonal matrix nearest to the transposed rows that were chosen.
    let found = thin(&chosen.t())?;
    let rotation = product(&found.left.t(), &found.right.view());
    Ok(largest(
        &product(&vectors.view(), &rotation.view()),
        f64::abs,
    ))
}

/// The first rows that a QR factorization of the transposed rows with pivoting takes: each is the furthest from the span of those before.
fn pivots(vectors: &Array2<f64>) -> Vec<usize> {
    let mut rest = vectors.clone();
    let mut pivots = Vec::with_capacity(vectors.ncols());
    for _ in 0..vectors.ncols().min(vectors.nrows()) {
        let sizes = rest.rows().into_iter().map(|row| row.dot(&row));
        let (pivot, size) = first_largest(sizes);
        pivots.push(pivot);
        if size > 0.0 {
            let direction: Array1<f64> = &rest.row(pivot) / size.sqrt();
            for mut row in rest.rows_mut() {
                let along = row.dot(&direction);
                row.scaled_add(-along, &direction);
            }
        }
        // Not again, also if all that is left is 0.
        rest.row_mut(pivot).fill(0.0);
    }
    pivots
}

/// Rows that are as orthogonal to each other as there are, as columns: a first guess of the rotation.
fn far_apart(vectors: &Array2<f64>, seed: u64) -> Array2<f64> {
    let (n_rows, count) = vectors.dim();
    let mut rotation = Array2::zeros((count, count));
    let first = below(&mut stream(seed, 0), n_rows);
    rotation.column_mut(0).assign(&vectors.row(first));
    let mut along = Array1::<f64>::zeros(n_rows);
    for column in 1..count {
        let last = rotation.slice(s![.., column - 1]);
        along += &vectors.dot(&last).mapv(f64::abs);
        let (furthest, _) = first_largest(along.iter().map(|&sum| -sum));
        rotation.column_mut(column).assign(&vectors.row(furthest));
    }
    rotation
}

fn unit_rows(vectors: &Array2<f64>) -> Array2<f64> {
    let mut rows = vectors.clone();
    for mut row in rows.rows_mut() {
        let length = row.dot(&row).sqrt();
        if length > 0.0 {
            row /= length;
        }
    }
    rows
}

/// The column with the largest size of each row, of equal ones the first.
fn largest(rows: &Array2<f64>, size: impl Fn(f64) -> f64) -> Vec<u32> {
    (rows.rows().into_iter())
        .map(|row| first_largest(row.iter().map(|&value| size(value))).0 as u32)
        .collect()
}

fn first_largest(values: impl Iterator<Item = f64>) -> (usize, f64) {
    values
        .enumerate()
        .fold((0, f64::NEG_INFINITY), |best, entry| {
            if entry.1 > best.1 { entry } else { best }
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::adjusted_rand;
    use crate::random::normal;

    /// Indicators of three clusters, turned and with noise.
    fn turned() -> (Array2<f64>, Vec<u32>) {
        let truth: Vec<u32> = (0..90).map(|row| (row * 7 % 90 / 30) as u32).collect();
        let mut noise = stream(3, 1);
        let rows = Array2::from_shape_fn((90, 3), |(row, column)| {
            f64::from(truth[row] as usize == column) + 0.05 * normal(&mut noise)
        });
        let turn = crate::linalg::orthogonal::orthonormal_columns(
            &Array2::from_shape_fn((3, 3), |_| normal(&mut noise)).view(),
        );
        (rows.dot(&turn), truth)
    }

    #[test]
    fn both_assignments_find_turned_indicators() {
        let (rows, truth) = turned();
        for seed in 0..5 {
            let (labels, rounds) = discretize(&rows, seed).unwrap();
            assert_eq!(adjusted_rand(&labels, &truth).unwrap(), 1.0);
            assert!(rounds < 20);
        }
        assert_eq!(
            adjusted_rand(&cluster_qr(&rows).unwrap(), &truth).unwrap(),
            1.0
        );
    }

    #[test]
    fn pivots_are_rows_far_from_the_span_of_those_before() {
        let rows = ndarray::array![[1.0, 0.1], [3.0, 0.0], [2.9, 0.1], [0.0, 1.0]];
        assert_eq!(pivots(&rows), [1, 3]);
    }
}
