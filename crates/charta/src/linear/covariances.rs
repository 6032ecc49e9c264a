//! Scatter, covariance and correlation matrices, of all rows and within and between classes.

use ndarray::{Array1, Array2, Axis};

use super::check_memory;
use crate::data::{Classes, Data};
use crate::error::{Result, check_rows, message};
use crate::linalg::moments::{GroupMoments, Moments};
use crate::run::Run;

/// The scatter matrix S = Σ (x − m)(x − m)ᵀ of some rows, from which covariance and correlation follow; with labels also that
/// within and that between the classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Covariances {
    /// Number of rows.
    pub n_rows: usize,
    /// m: the mean of each column.
    pub mean: Array1<f64>,
    /// The scatter matrix of all rows.
    pub scatter: Array2<f64>,
    /// Its parts, where the rows have classes.
    pub classes: Option<ClassScatters>,
}

/// The scatter within and between classes. With a class for every row their sum is the scatter of all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassScatters {
    /// The classes' names.
    pub names: Vec<String>,
    /// Rows of each class.
    pub counts: Vec<usize>,
    /// The mean of each class, one a row.
    pub means: Array2<f64>,
    /// S_W = Σ over classes of Σ (x − m_c)(x − m_c)ᵀ.
    pub within: Array2<f64>,
    /// S_B = Σ over classes of n_c (m_c − m)(m_c − m)ᵀ, m the mean of all rows with a class.
    pub between: Array2<f64>,
}

impl Covariances {
    /// The matrices of the rows. Labels, if there are any, must be classes.
    ///
    /// ```
    /// use charta::linear::Covariances;
    /// use charta::{Data, Run};
    /// let x = ndarray::array![[1.0, 2.0], [3.0, 2.0], [5.0, 8.0]];
    /// let found = Covariances::of(&Run::new(), &Data::from(&x))?;
    /// assert_eq!(found.covariance(&found.scatter, false)[[0, 1]], 6.0);
    /// assert_eq!(found.covariance(&found.scatter, true)[[0, 0]], 8.0 / 3.0);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn of(run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        let features = data.features("covariances")?;
        check_rows(message!("a covariance"), 2, features.n_rows())?;
        data.check_finite()?;
        let size = features.n_columns() as u64;
        let copies = if data.labels().is_some() { 6 } else { 3 };
        check_memory(
            run,
            size.saturating_mul(size).saturating_mul(8 * copies),
            message!("choose some of the {:columns}"),
        )?;
        run.install(|| {
            run.stage("scatter")?;
            let moments = Moments::of(run, features)?;
            if !moments.is_finite() {
                return Err(data.bad_values(None));
            }
            let classes = match data.labels() {
                Some(labels) => Some(ClassScatters::of(
                    run,
                    data,
                    &Classes::of(labels, "the scatter within classes")?,
                )?),
                None => None,
            };
            Ok(Self {
                n_rows: features.n_rows(),
                mean: moments.mean().clone(),
                scatter: moments.scatter().clone(),
                classes,
            })
        })
    }

    /// A scatter matrix as a covariance: divided by n − 1, or by n for the covariance of a whole population. That within and that
    /// between classes are divided by the same, so that they add up to the whole.
    pub fn covariance(&self, scatter: &Array2<f64>, population: bool) -> Array2<f64> {
        let n = self.n_rows as f64;
        scatter / if population { n } else { n - 1.0 }
    }

    /// A scatter matrix as correlations: divided by the roots of its diagonal. Those of a column that does not vary are not numbers.
    pub fn correlation(scatter: &Array2<f64>) -> Array2<f64> {
        let lengths = scatter.diag().mapv(f64::sqrt);
        Array2::from_shape_fn(scatter.dim(), |(i, j)| {
            if lengths[i] == 0.0 || lengths[j] == 0.0 {
                f64::NAN
            } else if i == j {
                1.0
            } else {
                (scatter[[i, j]] / lengths[i] / lengths[j]).clamp(-1.0, 1.0)
            }
        })
    }
}

impl ClassScatters {
    fn of(run: &Run<'_>, data: &Data<'_>, classes: &Classes) -> Result<Self> {
        classes.warn(run)?;
        let features = data.features("covariances")?;
        let mut moments = GroupMoments::weighted(Array1::ones(classes.len()), features.n_columns());
        moments.add(run, features, &classes.of_row)?;
        if !moments.is_finite() {
            return Err(data.bad_values(None));
        }
        let shares = Array1::from(classes.shares());
        let middle = shares.dot(moments.means());
        let mut apart = moments.means() - &middle;
        for (mut row, &count) in apart.axis_iter_mut(Axis(0)).zip(&classes.counts) {
            row *= (count as f64).sqrt();
        }
        Ok(Self {
            names: classes.names.clone(),
            counts: classes.counts.clone(),
            means: moments.means().clone(),
            within: moments.within().clone(),
            between: apart.t().dot(&apart),
        })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::data::Labels;

    fn rows() -> Array2<f64> {
        Array2::from_shape_fn((30, 4), |(i, j)| ((i * (j + 2)) as f64).sin() + j as f64)
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let x = rows();
        let words: Vec<String> = (0..30).map(|i| format!("c{}", i % 3)).collect();
        let data = Data::from(&x)
            .with_labels(Labels::from_words(&words))
            .unwrap();
        let found = Covariances::of(&Run::new(), &data).unwrap();
        let classes = found.classes.as_ref().unwrap();
        let sum = &classes.within + &classes.between;
        assert!((&sum - &found.scatter).iter().all(|d| d.abs() < 1e-11));
        assert_eq!(classes.counts, [10, 10, 10]);
        let first = x.select(Axis(0), &(0..30).step_by(3).collect::<Vec<_>>());
        let mean = first.mean_axis(Axis(0)).unwrap();
        assert!(
            (&mean - &classes.means.row(0))
                .iter()
                .all(|d| d.abs() < 1e-13)
        );
    }

    #[test]
    fn correlations_are_those_of_scaled_columns_and_constant_columns_have_none() {
        let x = rows();
        let found = Covariances::of(&Run::new(), &Data::from(&x)).unwrap();
        let scaled = &x * &array![1.0, 50.0, 0.01, 3.0];
        let other = Covariances::of(&Run::new(), &Data::from(&scaled)).unwrap();
        let difference =
            Covariances::correlation(&found.scatter) - Covariances::correlation(&other.scatter);
        assert!(difference.iter().all(|d| d.abs() < 1e-12));
        let flat = array![[1.0, 2.0], [1.0, 3.0], [1.0, 5.0]];
        let flat = Covariances::of(&Run::new(), &Data::from(&flat)).unwrap();
        let correlation = Covariances::correlation(&flat.scatter);
        assert!(correlation[[0, 1]].is_nan() && correlation[[1, 1]] == 1.0);
    }

    #[test]
    fn one_row_or_too_little_memory_is_refused() {
        let one = array![[1.0, 2.0]];
        assert!(Covariances::of(&Run::new(), &Data::from(&one)).is_err());
        let x = rows();
        let small = Run::new().memory_limit(100);
        let error = Covariances::of(&small, &Data::from(&x)).unwrap_err();
        assert!(matches!(error, crate::Error::Memory { .. }), "{error}");
    }
}
