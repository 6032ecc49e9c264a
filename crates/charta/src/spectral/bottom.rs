//! Coordinates from the smallest eigenvectors of a matrix whose null space contains the constant vector.

use ndarray::{Array1, Array2, ArrayView1};

use crate::error::{Result, Warning, counted, message};
use crate::linalg::smallest::{SmallestOptions, smallest};
use crate::linalg::symmetric_sparse::SparseSymmetric;
use crate::run::Run;

/// Eigenvalues that are a smaller fraction of the matrix's size are 0 but for rounding.
const NOTHING: f64 = 1e-12;
/// The fraction of a coordinate's squared length that is looked for on few rows.
const MOST: f64 = 0.9;
/// The fraction of the rows that are few. A coordinate that runs evenly through all of them has that much on half of them.
const FEW: f64 = 0.1;

/// Coordinates, and how good they are.
#[derive(Clone, Debug)]
pub(crate) struct Bottom {
    /// A row for each row of the matrix, a column of length 1 for each coordinate, orthogonal to each other and to
    /// the constant.
    pub coordinates: Array2<f64>,
    /// Their eigenvalues, smallest first.
    pub eigenvalues: Array1<f64>,
    /// The largest residual ‖M v − λ v‖ as a fraction of the size of M.
    pub residual: f64,
    /// How they were found.
    pub route: String,
}

/// The `count` smallest eigenvectors beside the constant.
pub(crate) fn bottom(
    run: &Run<'_>,
    matrix: &SparseSymmetric,
    count: usize,
    seed: u64,
) -> Result<Bottom> {
    let constant = Array2::ones((1, matrix.n()));
    let options = SmallestOptions {
        known_null: Some(&constant),
        seed,
        ..SmallestOptions::default()
    };
    let found = smallest(run, matrix, count, &options)?
        .checked(run, message!("the eigenvector computation"))?;
    let residual = found.residual();
    let values = found.eigen.values.iter();
    let vectors = found.eigen.vectors.rows();
    let nothing = NOTHING * matrix.bound();
    let held: Vec<usize> = values
        .zip(vectors)
        .filter(|(value, _)| **value <= nothing)
        .map(|(_, vector)| n_holding(&vector))
        .collect();
    warn_degenerate(run, &held, matrix.n())?;
    Ok(Bottom {
        coordinates: found.eigen.vectors.t().as_standard_layout().into_owned(),
        // Rounding may leave less than nothing of an eigenvalue that cannot be negative.
        eigenvalues: found.eigen.values.mapv(|value| value.max(0.0)),
        residual,
        route: found.route.to_string(),
    })
}

/// The smallest number of rows on which most of a coordinate lies.
fn n_holding(vector: &ArrayView1<'_, f64>) -> usize {
    let mut squares: Vec<f64> = vector.iter().map(|value| value * value).collect();
    squares.sort_by(|a, b| b.total_cmp(a));
    let wanted = MOST * squares.iter().sum::<f64>();
    let mut sum = 0.0;
    let enough = squares.iter().position(|square| {
        sum += square;
        sum >= wanted
    });
    enough.map_or(squares.len(), |index| index + 1)
}

/// Warns of coordinates that only separate a few rows from all others. `held` are the numbers of rows that hold
/// the coordinates whose eigenvalue is 0 but for rounding. A flat surface has such eigenvalues too, but its coordinates run
/// through all rows: where few rows hold one, they can move freely against the rest.
fn warn_degenerate(run: &Run<'_>, held: &[usize], n_rows: usize) -> Result<()> {
    let limit = ((FEW * n_rows as f64) as usize).max(2);
    let few: Vec<usize> = held.iter().copied().filter(|&n| n <= limit).collect();
    let Some(&most) = few.iter().max() else {
        return Ok(());
    };
    run.warn(Warning::doubtful(
        message!("the map"),
        message!(
            "{} on at most {most} of the {n_rows:rows}, with an eigenvalue of 0: these {:rows} \
             are so weakly connected to the others that the others are nearly one point; use \
             more neighbours, a larger radius or fewer components",
            match few.len() {
                1 => "1 coordinate lies almost wholly".into(),
                count => format!("{} lie almost wholly", counted(count, "coordinate")),
            }
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_hold_a_spike_and_many_a_slope() {
        let spike = Array1::from_shape_fn(200, |i| f64::from(u8::from(i == 7)) - 0.005);
        assert_eq!(n_holding(&spike.view()), 1);
        let slope = Array1::from_shape_fn(200, |i| i as f64 - 99.5);
        // The squares beyond t of a slope from -1 to 1 are 1 - t³ of all.
        let wanted = 200.0 * (1.0 - 0.1_f64.cbrt());
        assert!((n_holding(&slope.view()) as f64 - wanted).abs() < 3.0);
    }
}
