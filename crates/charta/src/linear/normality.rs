//! Mardia's tests of multivariate normality, of all rows and of each class.
//!
//! With z the rows of n, centred and whitened by their covariance with divisor n, and d its rank: skewness
//! b₁ = Σᵢⱼ (zᵢᵀzⱼ)³ / n², kurtosis b₂ = Σᵢ ‖zᵢ‖⁴ / n. Of normal rows n b₁ / 6 is about χ² with d(d+1)(d+2)/6 degrees of
//! freedom, multiplied by Mardia's factor (1974) so that its mean is exact for any n; b₂ is about normal, here with the mean and
//! variance that it has for any n. An invertible linear map changes neither.

use ndarray::{Array2, Axis};

use super::check_memory;
use super::tails::{chi_square_tail, normal_tails};
use crate::data::{Classes, Data, Features};
use crate::error::{Result, Warning, message};
use crate::linalg::eigen::symmetric;
use crate::linalg::product::product;
use crate::parallel::blocks;
use crate::run::Run;

/// Inner products of this many rows with all others at once.
const BLOCK: usize = 256;
/// Below this p-value a class is said not to be normal, divided by the number of classes.
const LEVEL: f64 = 0.01;

/// Mardia's skewness and kurtosis of some rows, and how likely values so far from those of normal rows are.
#[derive(Clone, Debug, PartialEq)]
pub struct Mardia {
    /// Number of rows.
    pub n_rows: usize,
    /// Rank of the covariance: directions in which the rows vary.
    pub rank: usize,
    /// b₁: 0 for a normal distribution.
    pub skewness: f64,
    /// n b₁ / 6 with the factor for its mean: about χ².
    pub skewness_statistic: f64,
    /// Degrees of freedom of it.
    pub skewness_degrees: usize,
    /// Probability of a skewness at least so large, of normal rows.
    pub skewness_p: f64,
    /// b₂: d(d + 2) for a normal distribution.
    pub kurtosis: f64,
    /// The kurtosis, about its mean and divided by its deviation.
    pub kurtosis_statistic: f64,
    /// Probability of a kurtosis at least so far from its mean, of normal rows.
    pub kurtosis_p: f64,
}

impl Mardia {
    /// The smaller p-value of both, doubled because there are two tests.
    pub fn p_value(&self) -> f64 {
        (2.0 * self.skewness_p.min(self.kurtosis_p)).min(1.0)
    }

    /// The tests of rows of finite numbers; `None` for too few rows: more than the rank plus one are needed.
    fn of(run: &Run<'_>, rows: &Features<'_>) -> Result<Option<Self>> {
        let n_rows = rows.n_rows();
        if n_rows < 4 {
            return Ok(None);
        }
        let white = whitened(rows)?;
        let rank = white.ncols();
        if rank == 0 || n_rows < rank + 2 {
            return Ok(None);
        }
        let (n, d) = (n_rows as f64, rank as f64);
        let skewness = skewness(run, &white)?;
        let kurtosis = white
            .rows()
            .into_iter()
            .map(|row| row.dot(&row).powi(2))
            .sum::<f64>()
            / n;
        let skewness_degrees = rank * (rank + 1) * (rank + 2) / 6;
        let factor = (d + 1.0) * (n + 1.0) * (n + 3.0) / (n * ((n + 1.0) * (d + 1.0) - 6.0));
        let skewness_statistic = factor * n * skewness / 6.0;
        let mean = d * (d + 2.0) * (n - 1.0) / (n + 1.0);
        let variance = 8.0 * d * (d + 2.0) * (n - 3.0) * (n - d - 1.0) * (n - d + 1.0)
            / ((n + 1.0).powi(2) * (n + 3.0) * (n + 5.0));
        let kurtosis_statistic = (kurtosis - mean) / variance.sqrt();
        Ok(Some(Self {
            n_rows,
            rank,
            skewness,
            skewness_statistic,
            skewness_degrees,
            skewness_p: chi_square_tail(skewness_statistic, skewness_degrees as f64),
            kurtosis,
            kurtosis_statistic,
            kurtosis_p: normal_tails(kurtosis_statistic),
        }))
    }
}

/// The tests of all rows, and of each class.
#[derive(Clone, Debug, PartialEq)]
pub struct Normality {
    /// All rows together; `None` if they are too few.
    pub all: Option<Mardia>,
    /// Each class by its name, where the rows have classes; `None` for one with too few rows.
    pub classes: Vec<(String, Option<Mardia>)>,
    /// The p-value below which a class is said not to be normal: 0.01 by the number of classes.
    pub level: f64,
}

impl Normality {
    /// Tests the rows. With classes, the run is warned of those that are not normal: linear and quadratic discriminant analysis
    /// assume that each class is.
    ///
    /// ```
    /// use charta::linear::Normality;
    /// use charta::{Data, Run};
    /// let x = ndarray::Array2::from_shape_fn((60, 2), |(i, j)| (i as f64 * (j + 1) as f64).sin());
    /// let found = Normality::of(&Run::new(), &Data::from(&x))?;
    /// assert!(found.all.unwrap().kurtosis < 8.0);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn of(run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        let features = data.features("a test of normality")?;
        data.check_finite()?;
        let (n, d) = (features.n_rows() as u64, features.n_columns() as u64);
        let table = n.saturating_mul(d).saturating_mul(2);
        let matrix = d.saturating_mul(d).saturating_mul(4);
        let block = n.saturating_mul(BLOCK as u64);
        let values = table.saturating_add(matrix).saturating_add(block);
        check_memory(
            run,
            values.saturating_mul(8),
            message!("test some of the {:rows} or {:columns}"),
        )?;
        run.install(|| {
            run.stage("normality")?;
            let classes = match data.labels() {
                Some(labels) => Some(Classes::of(labels, "a test of each class")?),
                None => None,
            };
            let mut of_classes = Vec::new();
            for (class, rows) in classes.iter().flat_map(|c| c.names.iter().zip(c.rows())) {
                let own = features.select_rows(&rows)?;
                of_classes.push((class.clone(), Mardia::of(run, &own.view())?));
            }
            let found = Self {
                all: Mardia::of(run, features)?,
                level: LEVEL / of_classes.len().max(1) as f64,
                classes: of_classes,
            };
            found.warn(run)?;
            Ok(found)
        })
    }

    /// The classes that are not normal, by the level of the tests.
    pub fn rejected(&self) -> Vec<&str> {
        let classes = self.classes.iter();
        classes
            .filter(|(_, test)| {
                test.as_ref()
                    .is_some_and(|test| test.p_value() < self.level)
            })
            .map(|(name, _)| name.as_str())
            .collect()
    }

    fn warn(&self, run: &Run<'_>) -> Result<()> {
        let rejected = self.rejected();
        if rejected.is_empty() {
            return Ok(());
        }
        let (count, of, names) = (rejected.len(), self.classes.len(), rejected.join(", "));
        let level = self.level;
        run.warn(Warning::doubtful(
            message!("the assumption of discriminant analysis"),
            message!(
                "{count} of {of} classes are not normally distributed (p below {level:.1e}): {names}. The axes of linear \
                 discriminant analysis are then still those of largest separation, but its class probabilities and the best \
                 boundary are not what the normal distribution promises; compare with k-NN, or transform skewed {:columns}, \
                 by logarithms for example"
            ),
        ))
    }
}

/// The rows, centred and of unit covariance with divisor n, in the directions in which they vary.
fn whitened(rows: &Features<'_>) -> Result<Array2<f64>> {
    let n_rows = rows.n_rows();
    let mut centred = rows.dense_rows(0, n_rows);
    // Each column in units of its largest deviation: squares stay in range, and no column is lost against a wide one.
    let means = &centred.sum_axis(Axis(0)) / n_rows as f64;
    centred -= &means;
    for mut column in centred.columns_mut() {
        let size = column
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        if size > 0.0 {
            column /= size;
        }
    }
    let mean = &centred.sum_axis(Axis(0)) / n_rows as f64;
    centred -= &mean;
    let covariance = product(&centred.t(), &centred.view()) / n_rows as f64;
    let pairs = symmetric(&covariance.view())?;
    let largest = pairs.values.first().copied().unwrap_or(0.0);
    let least = largest * n_rows.max(centred.ncols()) as f64 * f64::EPSILON;
    let rank = pairs.values.iter().filter(|&&value| value > least).count();
    let mut axes = pairs.vectors.slice(ndarray::s![..rank, ..]).to_owned();
    for (mut axis, value) in axes.axis_iter_mut(Axis(0)).zip(&pairs.values) {
        axis /= value.sqrt();
    }
    Ok(product(&centred.view(), &axes.t()))
}

/// Σᵢⱼ (zᵢᵀzⱼ)³ / n²: over all pairs, or, where that is less work, as the sum of the squared third moments.
fn skewness(run: &Run<'_>, white: &Array2<f64>) -> Result<f64> {
    let (n_rows, rank) = white.dim();
    let n = n_rows as f64;
    let mut sum = 0.0;
    if rank * rank <= n_rows {
        for column in white.columns() {
            run.check()?;
            let weighted = white * &column.insert_axis(Axis(1));
            let moments = product(&white.t(), &weighted.view());
            sum += moments.iter().map(|moment| moment * moment).sum::<f64>();
        }
    } else {
        for rows in blocks(n_rows, BLOCK) {
            run.check()?;
            let block = white.slice(ndarray::s![rows, ..]);
            let inner = product(&block, &white.t());
            sum += inner.iter().map(|value| value.powi(3)).sum::<f64>();
        }
    }
    Ok(sum / (n * n))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::data::Labels;
    use crate::random::{normal, stream, uniform};

    fn normals(n_rows: usize, n_columns: usize, seed: u64) -> Array2<f64> {
        let mut stream = stream(seed, 0);
        Array2::from_shape_fn((n_rows, n_columns), |_| normal(&mut stream))
    }

    fn test(x: &Array2<f64>) -> Mardia {
        Normality::of(&Run::new(), &Data::from(x))
            .unwrap()
            .all
            .unwrap()
    }

    #[test]
    fn p_values_of_normal_rows_are_spread_evenly() {
        let p: Vec<(f64, f64)> = (0..200)
            .map(|seed| {
                let found = test(&normals(80, 3, seed));
                (found.skewness_p, found.kurtosis_p)
            })
            .collect();
        let below = |limit: f64, which: fn(&(f64, f64)) -> f64| {
            p.iter().filter(|p| which(p) < limit).count() as f64 / 200.0
        };
        for limit in [0.1, 0.3, 0.5] {
            let far = 4.0 * (limit * (1.0 - limit) / 200.0_f64).sqrt();
            assert!(
                (below(limit, |p| p.0) - limit).abs() < far,
                "skewness {limit}"
            );
            assert!(
                (below(limit, |p| p.1) - limit).abs() < far + 0.03,
                "kurtosis {limit}"
            );
        }
    }

    #[test]
    fn skewed_rows_and_short_tails_are_found_out() {
        let skewed = normals(300, 2, 1).mapv(f64::exp);
        assert!(test(&skewed).skewness_p < 1e-10);
        let mut stream = stream(4, 0);
        let even = Array2::from_shape_fn((500, 2), |_| uniform(&mut stream));
        let found = test(&even);
        assert!(found.kurtosis_p < 1e-6 && found.kurtosis_statistic < 0.0);
    }

    #[test]
    fn both_ways_to_the_skewness_agree_and_a_linear_map_changes_nothing() {
        let x = normals(40, 6, 9).mapv(|value| value + 0.3 * value * value);
        let found = test(&x);
        let (few, many) = (normals(36, 6, 2), normals(37, 6, 2));
        // By pairs, written out.
        for x in [&few, &many] {
            let white = whitened(&Features::from(x)).unwrap();
            let inner = white.dot(&white.t());
            let n = x.nrows() as f64;
            let sum = inner.mapv(|value| value.powi(3)).sum() / (n * n);
            assert!((test(x).skewness - sum).abs() < 1e-10);
        }
        let map = Array2::from_shape_fn((6, 6), |(i, j)| {
            100.0 * ((3 * i + 5 * j * j) as f64).sin() + if i == j { 300.0 } else { 0.0 }
        });
        let other = test(&(x.dot(&map) + 7.0));
        assert!((found.skewness - other.skewness).abs() < 1e-8);
        assert!((found.kurtosis - other.kurtosis).abs() < 1e-8);
        assert_eq!(found.rank, other.rank);
    }

    #[test]
    fn columns_that_repeat_others_are_not_counted_and_few_rows_are_not_tested() {
        let x = normals(50, 2, 3);
        let doubled = ndarray::concatenate![Axis(1), x, x.mapv(|value| 2.0 * value)];
        let (found, other) = (test(&x), test(&doubled));
        assert_eq!(other.rank, 2);
        assert!((found.skewness - other.skewness).abs() < 1e-9);
        let few = array![[1.0, 2.0], [2.0, 1.0], [5.0, 5.0]];
        assert_eq!(
            Normality::of(&Run::new(), &Data::from(&few)).unwrap().all,
            None
        );
        let same: Array2<f64> = Array2::ones((9, 2));
        assert_eq!(
            Normality::of(&Run::new(), &Data::from(&same)).unwrap().all,
            None
        );
    }

    #[test]
    fn classes_are_tested_each_by_itself() {
        let mut x = normals(400, 2, 5);
        for row in 200..400 {
            x[[row, 0]] = x[[row, 0]].exp() + 20.0;
        }
        let words: Vec<&str> = (0..400)
            .map(|row| if row < 200 { "a" } else { "b" })
            .collect();
        let data = Data::from(&x)
            .with_labels(Labels::from_words(&words))
            .unwrap();
        let found = Normality::of(&Run::new(), &data).unwrap();
        assert_eq!(found.rejected(), ["b"]);
        assert!(found.all.unwrap().p_value() < 1e-6);
    }
}
