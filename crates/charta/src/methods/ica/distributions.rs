//! Distributions of the sources: moments and negentropy.

use ndarray::{Array1, Array2, ArrayView2, s};

use super::fast_ica::{BLOCK, job_size};
use crate::error::Result;
use crate::linalg::Exponential;
use crate::linalg::product::product_into;
use crate::parallel::{blocks, map_blocks};
use crate::run::Run;

/// How each source is distributed.
#[derive(Clone, Debug)]
pub(super) struct Distributions {
    /// Standard deviation, with divisor n.
    pub deviations: Array1<f64>,
    /// Third standardized moment: 0 for a symmetric source.
    pub skewness: Array1<f64>,
    /// Fourth standardized moment less 3: 0 for a normal source.
    pub kurtosis: Array1<f64>,
    /// (E log cosh − that of the normal distribution)²: 0 for a normal source.
    pub negentropy: Array1<f64>,
}

/// E log cosh of the standard normal distribution.
const NORMAL_LOG_COSH: f64 = 0.374_567_207_491_438;

impl Distributions {
    /// The distribution of the coordinates of white rows along the rows of a rotation.
    pub(super) fn of<T: Exponential>(
        run: &Run<'_>,
        white: &ArrayView2<'_, T>,
        rotation: &Array2<f64>,
    ) -> Result<Self> {
        let turned = rotation.t().mapv(T::of);
        // Squares are of differences from the mean: without, a mean far from 0 would drown the variance.
        let middle = rotation.dot(&column_means(run, white)?);
        let raw = means(run, white, &turned, &|values, sums| {
            add_moments(values, &middle, sums);
        })?;
        let rest = raw.row(0);
        let deviations = (&raw.row(1) - &(&rest * &rest)).mapv(|variance| variance.max(0.0).sqrt());
        let standard = Standard {
            means: (&middle + &rest).to_vec(),
            factors: deviations
                .iter()
                .map(|&size| inverse_or_zero(size))
                .collect(),
        };
        let rest = means(run, white, &turned, &|values, sums| {
            standard.add(values, sums);
        })?;
        let excess = |mean: f64| mean - std::f64::consts::LN_2 - NORMAL_LOG_COSH;
        Ok(Self {
            skewness: rest.row(0).to_owned(),
            kurtosis: rest.row(1).mapv(|fourth| fourth - 3.0),
            negentropy: rest.row(2).mapv(|mean| excess(mean).powi(2)),
            deviations,
        })
    }
}

/// Sums over the rows of a block, three for each column: adds to them.
type Adding<'a, T> = &'a (dyn Fn(&ArrayView2<'_, T>, &mut Array2<f64>) + Sync);

/// The inverse; 0 where there is none, so that a source that does not vary has the moments of zeros.
fn inverse_or_zero(deviation: f64) -> f64 {
    let inverse = deviation.recip();
    if inverse.is_finite() { inverse } else { 0.0 }
}

/// The means of the columns.
fn column_means<T: Exponential>(run: &Run<'_>, white: &ArrayView2<'_, T>) -> Result<Array1<f64>> {
    let parts = map_blocks(run, white.nrows(), job_size(white.nrows()), |job| {
        let mut sums = Array1::<f64>::zeros(white.ncols());
        for row in white.slice(s![job, ..]).rows() {
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value.wide();
            }
        }
        sums
    })?;
    let mut sums = Array1::<f64>::zeros(white.ncols());
    for part in parts {
        sums += &part;
    }
    Ok(sums / white.nrows() as f64)
}

/// Adds differences from the middle and their squares.
fn add_moments<T: Exponential>(
    values: &ArrayView2<'_, T>,
    middle: &Array1<f64>,
    sums: &mut Array2<f64>,
) {
    for row in values.rows() {
        for (column, value) in row.iter().enumerate() {
            let value = value.wide() - middle[column];
            sums[[0, column]] += value;
            sums[[1, column]] += value * value;
        }
    }
}

/// What makes coordinates standard: mean 0, variance 1.
struct Standard {
    means: Vec<f64>,
    factors: Vec<f64>,
}

impl Standard {
    /// Adds third powers, fourth powers, and log cosh + ln 2 = |z| + ln(1 + e^-2|z|). Factors are multiplied
    /// over the block, whose product cannot overflow, so that there is one logarithm a column.
    fn add<T: Exponential>(&self, values: &ArrayView2<'_, T>, sums: &mut Array2<f64>) {
        let count = self.means.len();
        let mut parts = [vec![0.0; count], vec![0.0; count], vec![0.0; count]];
        let mut grown = vec![1.0; count];
        let [third, fourth, sizes] = &mut parts;
        for row in values.rows() {
            for (column, value) in row.iter().enumerate() {
                let z = (value.wide() - self.means[column]) * self.factors[column];
                third[column] += z * z * z;
                fourth[column] += (z * z) * (z * z);
                sizes[column] += z.abs();
                grown[column] *= 1.0 + (2.0 * z.abs()).decay();
            }
        }
        for (size, product) in sizes.iter_mut().zip(&grown) {
            *size += product.ln();
        }
        for (mut sum, part) in sums.rows_mut().into_iter().zip(&parts) {
            for (sum, extra) in sum.iter_mut().zip(part) {
                *sum += extra;
            }
        }
    }
}

/// The means over all rows of what `add` sums for every source.
fn means<T: Exponential>(
    run: &Run<'_>,
    white: &ArrayView2<'_, T>,
    turned: &Array2<T>,
    add: Adding<'_, T>,
) -> Result<Array2<f64>> {
    let parts = map_blocks(run, white.nrows(), job_size(white.nrows()), |job| {
        let mut sums = Array2::<f64>::zeros((3, turned.ncols()));
        for block in blocks(job.len(), BLOCK) {
            let rows = white.slice(s![job.start + block.start..job.start + block.end, ..]);
            let mut values = Array2::from_elem((block.len(), turned.ncols()), T::of(0.0));
            product_into(values.view_mut(), &rows, &turned.view());
            add(&values.view(), &mut sums);
        }
        sums
    })?;
    let mut sums = Array2::<f64>::zeros((3, turned.ncols()));
    for part in parts {
        sums += &part;
    }
    Ok(sums / white.nrows() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{stream, uniform};

    /// Flat coordinates with variance 1.
    fn flat(n_rows: usize, count: usize) -> Array2<f64> {
        let mut draw = stream(5, 0);
        let half = 3.0_f64.sqrt();
        Array2::from_shape_simple_fn((n_rows, count), || half * (2.0 * uniform(&mut draw) - 1.0))
    }

    #[test]
    fn distributions_are_those_of_the_flat_one() {
        let white = flat(50_000, 2);
        let run = Run::new();
        let shape = Distributions::of(&run, &white.view(), &Array2::eye(2)).unwrap();
        let first = white.column(0);
        let (middle, deviation) = (first.sum() / 50_000.0, first.std(0.0));
        let log_cosh = |z: f64| ((z - middle) / deviation).cosh().ln();
        let mean = first.mapv(log_cosh).sum() / 50_000.0;
        assert!((shape.deviations[0] - 1.0).abs() < 0.01);
        assert!(shape.skewness[0].abs() < 0.03);
        assert!((shape.kurtosis[0] + 1.2).abs() < 0.02);
        let about = (mean - NORMAL_LOG_COSH).powi(2);
        assert!((shape.negentropy[0] / about - 1.0).abs() < 1e-9);
        let far = white.mapv(|z| z + 1e8);
        let same = Distributions::of(&run, &far.view(), &Array2::eye(2)).unwrap();
        assert!((same.deviations[0] / deviation - 1.0).abs() < 1e-6);
        assert!((same.kurtosis[0] - shape.kurtosis[0]).abs() < 1e-6);
        let flat = Array2::from_elem((300, 2), 0.1);
        let none = Distributions::of(&run, &flat.view(), &Array2::eye(2)).unwrap();
        let figures = [none.skewness, none.kurtosis, none.negentropy];
        assert!(figures.iter().flatten().all(|figure| figure.is_finite()));
        let moved = white.mapv(|z| 4.0 * z);
        let same = Distributions::of(&run, &moved.view(), &Array2::eye(2)).unwrap();
        assert!((same.negentropy[1] - shape.negentropy[1]).abs() < 1e-12);
    }
}
