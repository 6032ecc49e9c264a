//! The linear version of a graph's eigenproblem: axes a along which y = X a has the smallest quotient
//! yᵀ A y / yᵀ B y, for rows X about an offset.
//!
//! With at least as many rows as columns the two forms Xᵀ A X and Xᵀ B X are formed block by block. With fewer, the
//! rows are first turned into their principal components, of which there are no more than rows: no matrix of
//! columns by columns is formed.

use ndarray::{Array1, Array2, Axis, s};

use super::principal::{Axes, constant_data, dual, from_scatter};
use crate::data::Features;
use crate::error::{Error, Result, Warning};
use crate::linalg::generalized::{Generalized, smallest_generalized};
use crate::linalg::operator::Rows;
use crate::linalg::product::product;
use crate::linalg::symmetric_sparse::SparseSymmetric;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows that one job sums.
const BLOCK: usize = 512;

/// Both matrices of a generalized eigenproblem left · a = λ right · a.
pub(crate) struct Forms {
    /// What the axes make small.
    pub left: Array2<f64>,
    /// What is 1 along them.
    pub right: Array2<f64>,
}

/// Which axes are sought.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a> {
    /// Subtracted from every row.
    pub offset: &'a Array1<f64>,
    /// Standard deviation of every column: where it is no more than the rounding of an offset, rows do not vary.
    pub deviations: &'a Array1<f64>,
    /// The fraction of the variance that principal components keep beforehand; 1 keeps all that vary.
    pub variance: f64,
    /// Number of axes.
    pub count: usize,
}

/// Axes of the smallest quotients.
#[derive(Clone, Debug)]
pub(crate) struct Linearized {
    /// The quotients, smallest first; 0 beyond the rank.
    pub values: Array1<f64>,
    /// The axes, one a row, with aᵀ Xᵀ B X a = 1; zero beyond the rank.
    pub axes: Array2<f64>,
    /// Directions among which they were sought.
    pub rank: usize,
}

impl Options<'_> {
    /// 0 for columns that are constant but for the rounding of their mean, 1 for the others; `None` if there are no
    /// such columns. Scaled to its own size, what rounding leaves of them would be a direction like any other.
    fn varying(&self, n_rows: usize) -> Option<Array1<f64>> {
        let rounding = n_rows as f64 * f64::EPSILON;
        let columns = self.deviations.iter().zip(self.offset);
        let factors: Array1<f64> = columns
            .map(|(deviation, offset)| f64::from(u8::from(*deviation >= rounding * offset.abs())))
            .collect();
        factors
            .iter()
            .any(|&factor| factor == 0.0)
            .then_some(factors)
    }
}

/// The axes of the smallest quotients of `forms`.
pub(crate) fn linearized(
    run: &Run<'_>,
    features: &Features<'_>,
    options: Options<'_>,
    forms: impl Fn(&Rows<'_>) -> Result<Forms>,
) -> Result<Linearized> {
    let varying = options.varying(features.n_rows());
    let rows = Rows::new(features, options.offset).scaled(varying.as_ref());
    if features.n_rows() <= features.n_columns() {
        let basis = kept(&dual(run, &rows, None)?, options.variance)?;
        let inside = rows.times_wide(run, &basis.t())?;
        let (inside, nothing) = (Features::from(&inside), Array1::zeros(basis.nrows()));
        let found = solved(&forms(&Rows::new(&inside, &nothing))?, options.count)?;
        return finished(
            run,
            product(&found.vectors.view(), &basis.view()),
            found,
            options.count,
        );
    }
    let Forms { left, right } = forms(&rows)?;
    if options.variance >= 1.0 {
        let found = solved(&Forms { left, right }, options.count)?;
        return finished(run, found.vectors.clone(), found, options.count);
    }
    let scatter = weighted(run, &rows, &vec![1.0; rows.n_rows()])?;
    let basis = kept(&from_scatter(&rows, &scatter)?, options.variance)?;
    let among =
        |form: Array2<f64>| product(&product(&basis.view(), &form.view()).view(), &basis.t());
    let forms = Forms {
        left: among(left),
        right: among(right),
    };
    let found = solved(&forms, options.count)?;
    finished(
        run,
        product(&found.vectors.view(), &basis.view()),
        found,
        options.count,
    )
}

/// The axes that together keep the fraction of the variance, and in which rows vary at all.
fn kept(axes: &Axes, share: f64) -> Result<Array2<f64>> {
    let rank = axes.rank();
    if rank == 0 {
        return Err(constant_data());
    }
    let mut count = 0;
    let mut explained = 0.0;
    while count < rank && (share >= 1.0 || explained < share * axes.total) {
        explained += axes.scatters[count];
        count += 1;
    }
    Ok(axes.vectors.slice(s![..count, ..]).to_owned())
}

fn solved(Forms { left, right }: &Forms, count: usize) -> Result<Generalized> {
    if left.iter().chain(right).any(|value| !value.is_finite()) {
        return Err(Error::too_large());
    }
    if right.diag().iter().all(|&value| value <= 0.0) {
        return Err(constant_data());
    }
    smallest_generalized(&left.view(), &right.view(), count)
}

fn finished(
    run: &Run<'_>,
    found_axes: Array2<f64>,
    found: Generalized,
    count: usize,
) -> Result<Linearized> {
    let real = found_axes.nrows();
    if real < count {
        run.warn(Warning::RankDeficient {
            requested: count,
            rank: real,
        })?;
    }
    let mut axes = Array2::zeros((count, found_axes.ncols()));
    axes.slice_mut(s![..real, ..]).assign(&found_axes);
    crate::linalg::eigen::fix_signs(axes.view_mut());
    let mut values = Array1::zeros(count);
    values.slice_mut(s![..real]).assign(&found.values);
    Ok(Linearized {
        values: values.mapv(|value: f64| value.max(0.0)),
        axes,
        rank: found.rank,
    })
}

/// Xᵀ M X for a sparse symmetric M.
pub(crate) fn quadratic(
    run: &Run<'_>,
    rows: &Rows<'_>,
    matrix: &SparseSymmetric,
) -> Result<Array2<f64>> {
    let width = rows.n_columns();
    let sum = rows.sum_blocks(run, (width, width), |range| {
        let mut images = Array2::zeros((range.len(), width));
        for (row, mut image) in range.clone().zip(images.rows_mut()) {
            let (indices, weights) = matrix.row(row);
            let image = image.as_slice_mut().expect("a new array is in row order");
            rows.combination(indices, weights, image);
        }
        (rows.block(range), images)
    })?;
    Ok((&sum + &sum.t()) * 0.5)
}

/// Xᵀ D X for a diagonal D.
pub(crate) fn weighted(run: &Run<'_>, rows: &Rows<'_>, weights: &[f64]) -> Result<Array2<f64>> {
    let width = rows.n_columns();
    rows.sum_blocks(run, (width, width), |range| {
        let block = rows.block(range.clone());
        let factors = Array1::from(weights[range].to_vec()).insert_axis(Axis(1));
        let scaled = &block * &factors;
        (block, scaled)
    })
}

/// The mean of every column, weighted where weights are given, and its standard deviation about that mean
/// (divisor n).
pub(crate) fn columns(
    run: &Run<'_>,
    features: &Features<'_>,
    weights: Option<&[f64]>,
) -> Result<(Array1<f64>, Array1<f64>)> {
    let (n_rows, width) = (features.n_rows(), features.n_columns());
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    let total: f64 = (0..n_rows).map(weight).sum();
    let summed = |power: i32, middle: &Array1<f64>| -> Result<Array1<f64>> {
        let parts = map_blocks(run, n_rows, BLOCK, |range| {
            let block = features.dense_rows(range.start, range.end);
            let mut sum = Array1::<f64>::zeros(width);
            for (row, values) in range.zip(block.rows()) {
                let factor = if power == 1 { weight(row) } else { 1.0 };
                ndarray::Zip::from(&mut sum)
                    .and(values)
                    .and(middle)
                    .for_each(|sum, value, middle| *sum += factor * (value - middle).powi(power));
            }
            sum
        })?;
        Ok(parts
            .iter()
            .fold(Array1::zeros(width), |sum, part| sum + part))
    };
    let mean = summed(1, &Array1::zeros(width))? / total.max(f64::MIN_POSITIVE);
    let deviations = (summed(2, &mean)? / n_rows as f64).mapv(f64::sqrt);
    Ok((mean, deviations))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n: usize, d: usize) -> Array2<f64> {
        Array2::from_shape_fn((n, d), |(i, j)| {
            ((i * d + j) as f64 * 0.7).sin() + (i % (j + 2)) as f64
        })
    }

    fn ring(n: usize) -> SparseSymmetric {
        SparseSymmetric::from_rows(&Run::new(), n, |row, list| {
            list.push((row as u32, 2.0));
            list.push((((row + 1) % n) as u32, -1.0));
            list.push((((row + n - 1) % n) as u32, -1.0));
        })
        .unwrap()
    }

    #[test]
    fn forms_agree_with_dense_products() {
        let x = rows(1100, 5);
        let features = Features::from(&x);
        let weights: Vec<f64> = (0..1100).map(|i| (i % 7) as f64).collect();
        let run = Run::new();
        let (mean, deviations) = columns(&run, &features, Some(&weights)).unwrap();
        let d = Array1::from(weights.clone());
        let want = d.dot(&x) / d.sum();
        assert!((&mean - &want).iter().all(|gap| gap.abs() < 1e-12));
        assert!(
            (deviations[2].powi(2) - (&x.column(2) - mean[2]).mapv(|v| v * v).sum() / 1100.0).abs()
                < 1e-12
        );
        let centred = &x - &mean;
        let both = Rows::new(&features, &mean);
        let matrix = ring(1100);
        let got = quadratic(&run, &both, &matrix).unwrap();
        let want = centred.t().dot(&matrix.dense()).dot(&centred);
        assert!((got - want).iter().all(|gap| gap.abs() < 1e-9));
        let got = weighted(&run, &both, &weights).unwrap();
        let want = (&centred.t() * &d).dot(&centred);
        assert!((got - want).iter().all(|gap| gap.abs() < 1e-8));
    }

    #[test]
    fn tall_and_wide_rows_satisfy_the_equation() {
        let run = Run::new();
        for (n, d) in [(60, 4), (9, 30)] {
            let x = rows(n, d);
            let features = Features::from(&x);
            let (mean, deviations) = columns(&run, &features, None).unwrap();
            let matrix = ring(n);
            let options = Options {
                offset: &mean,
                deviations: &deviations,
                variance: 1.0,
                count: 2,
            };
            let found = linearized(&run, &features, options, |rows| {
                Ok(Forms {
                    left: quadratic(&run, rows, &matrix)?,
                    right: weighted(&run, rows, &vec![2.0; n])?,
                })
            })
            .unwrap();
            let y = (&x - &mean).dot(&found.axes.t());
            for (k, &value) in found.values.iter().enumerate() {
                let y = y.column(k);
                assert!((2.0 * y.dot(&y) - 1.0).abs() < 1e-8);
                assert!((y.dot(&matrix.dense().dot(&y)) - value).abs() < 1e-8, "{n}");
            }
            assert_eq!(found.rank, d.min(n - 1));
        }
    }

    #[test]
    fn a_share_of_the_variance_leaves_fewer_directions() {
        let x = rows(60, 6);
        let features = Features::from(&x);
        let run = Run::new();
        let (mean, deviations) = columns(&run, &features, None).unwrap();
        let matrix = ring(60);
        let fit = |variance| {
            let options = Options {
                offset: &mean,
                deviations: &deviations,
                variance,
                count: 1,
            };
            linearized(&run, &features, options, |rows| {
                Ok(Forms {
                    left: quadratic(&run, rows, &matrix)?,
                    right: weighted(&run, rows, &[1.0; 60])?,
                })
            })
            .unwrap()
        };
        assert_eq!(fit(1.0).rank, 6);
        assert!(fit(0.8).rank < 6);
        assert!(fit(0.8).values[0] >= fit(1.0).values[0]);
    }

    #[test]
    fn a_constant_column_is_no_direction_however_its_mean_is_rounded() {
        let run = Run::new();
        let matrix = ring(70);
        for (width, others) in [(3, 0.1), (90, 0.1), (3, 1e8 / 3.0), (90, 1e8 / 3.0)] {
            let mut x = rows(70, width);
            x.column_mut(1).fill(others);
            let features = Features::from(&x);
            let (mean, deviations) = columns(&run, &features, None).unwrap();
            for variance in [1.0, 0.99] {
                let options = Options {
                    offset: &mean,
                    deviations: &deviations,
                    variance,
                    count: 2,
                };
                let found = linearized(&run, &features, options, |rows| {
                    Ok(Forms {
                        left: quadratic(&run, rows, &matrix)?,
                        right: weighted(&run, rows, &[2.0; 70])?,
                    })
                })
                .unwrap();
                let size = found
                    .axes
                    .iter()
                    .fold(0.0, |most: f64, entry| most.max(entry.abs()));
                assert!(size < 10.0, "{width}: {size:e}");
                let left = found
                    .axes
                    .column(1)
                    .iter()
                    .fold(0.0, |most: f64, entry| most.max(entry.abs()));
                assert!(left <= 1e-12 * size, "{width}: {left:e}");
                assert!(found.rank <= (width - 1).min(69), "{width}: {}", found.rank);
            }
        }
    }

    #[test]
    fn without_an_offset_the_share_is_of_the_squares_about_the_origin() {
        let run = Run::new();
        let n = 40;
        // Nearly all of the squares is along the mean, of which nothing is left about it.
        let mut x = rows(n, 3);
        x.column_mut(2).mapv_inplace(|value| 1000.0 + 0.01 * value);
        let features = Features::from(&x);
        let nothing = Array1::zeros(3);
        let matrix = ring(n);
        let options = Options {
            offset: &nothing,
            deviations: &columns(&run, &features, None).unwrap().1,
            variance: 0.99,
            count: 1,
        };
        let found = linearized(&run, &features, options, |rows| {
            Ok(Forms {
                left: quadratic(&run, rows, &matrix)?,
                right: weighted(&run, rows, &vec![1.0; n])?,
            })
        })
        .unwrap();
        assert_eq!(found.rank, 1);
        let axis = found.axes.row(0);
        assert!(
            axis[2].abs() > 100.0 * axis[0].abs().max(axis[1].abs()),
            "{axis}"
        );
    }
}
