//! Shrinkage of the classes' covariances: (1 − a) S + a T, with T diagonal, which is regular where S
//! is not.
//!
//! With a number for `a`, T is (trace S / d) I. With `auto`, the columns of each class are divided by
//! their deviation within it, `a` is what Ledoit and Wolf (2004) found to be best for that, T is the
//! multiple of the identity there, and the result is scaled back: T = μ diag S.

use ndarray::{Array1, Array2};

use super::moments::Moments;
use super::operator::Rows;
use crate::data::columns::Columns;
use crate::data::{Classes, Features};
use crate::error::Result;
use crate::params::Choice;
use crate::run::Run;

/// Shrinkage of the classes' covariances.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Shrinkage {
    /// No shrinkage.
    None,
    /// The Ledoit–Wolf estimate, for each class.
    Auto,
    /// This shrinkage intensity for all classes.
    #[choice(min = 0.0, max = 1.0)]
    Share(f64),
}

/// How much each class is shrunk, and what that adds to the weighted average of the covariances.
#[derive(Clone, Debug)]
pub(crate) struct Shrunk {
    /// The intensity `a` of each class.
    pub intensities: Array1<f64>,
    /// Σ w a T over the classes: a diagonal.
    pub added: Array1<f64>,
}

/// Mean and sum of squared deviations of every column, class by class.
#[derive(Clone, Debug)]
pub(crate) struct ClassColumns {
    /// A row for each class.
    pub means: Array2<f64>,
    /// A row for each class.
    pub spreads: Array2<f64>,
}

impl ClassColumns {
    /// Looks at the rows of each class.
    pub(crate) fn of(run: &Run<'_>, features: &Features<'_>, classes: &Classes) -> Result<Self> {
        let shape = (classes.len(), features.n_columns());
        let mut result = Self {
            means: Array2::zeros(shape),
            spreads: Array2::zeros(shape),
        };
        for (class, rows) in classes.rows().iter().enumerate() {
            run.check()?;
            let columns = Columns::of(&features.select_rows(rows)?.view());
            result.means.row_mut(class).assign(&columns.means);
            result.spreads.row_mut(class).assign(&columns.spreads);
        }
        Ok(result)
    }
}

impl Shrinkage {
    /// What shrinking does to the average of the classes' covariances (divisor n) with `weights`.
    pub(crate) fn of(
        self,
        run: &Run<'_>,
        features: &Features<'_>,
        classes: &Classes,
        weights: &Array1<f64>,
    ) -> Result<Shrunk> {
        let n_columns = features.n_columns();
        let mut shrunk = Shrunk {
            intensities: Array1::zeros(classes.len()),
            added: Array1::zeros(n_columns),
        };
        if matches!(self, Self::None) {
            return Ok(shrunk);
        }
        run.stage("shrinkage")?;
        for (class, rows) in classes.rows().iter().enumerate() {
            let selected = features.select_rows(rows)?;
            let features = selected.view();
            let columns = Columns::of(&features);
            let variances = &columns.spreads / rows.len() as f64;
            let (intensity, target) = match self {
                Self::Share(share) => {
                    let mean = variances.sum() / n_columns as f64;
                    (share, Array1::from_elem(n_columns, mean))
                }
                _ => automatic(run, &features, &columns, &variances)?,
            };
            shrunk.intensities[class] = intensity;
            shrunk.added.scaled_add(weights[class] * intensity, &target);
            run.progress(class as u64 + 1, classes.len() as u64)?;
        }
        Ok(shrunk)
    }
}

/// Ledoit and Wolf's intensity for standardized columns, and the diagonal it shrinks towards in the
/// columns' own units. A constant column counts as standardized.
fn automatic(
    run: &Run<'_>,
    features: &Features<'_>,
    columns: &Columns,
    variances: &Array1<f64>,
) -> Result<(f64, Array1<f64>)> {
    let deviations = variances.mapv(|variance| if variance > 0.0 { variance.sqrt() } else { 1.0 });
    let factors = deviations.mapv(f64::recip);
    let sums = Sums::of(run, features, &columns.means, &factors)?;
    let mean = sums.squares / (sums.n_rows * sums.n_columns);
    Ok((
        sums.intensity(),
        deviations.mapv(|deviation| mean * deviation * deviation),
    ))
}

/// Sums over centred and scaled rows x that Ledoit and Wolf's formula reads.
struct Sums {
    n_rows: f64,
    n_columns: f64,
    /// Σ ‖x‖².
    squares: f64,
    /// Σ ‖x‖⁴.
    fourths: f64,
    /// ‖Σ x xᵀ‖².
    products: f64,
}

impl Sums {
    fn of(
        run: &Run<'_>,
        features: &Features<'_>,
        means: &Array1<f64>,
        factors: &Array1<f64>,
    ) -> Result<Self> {
        let rows = Rows::new(features, means).scaled(Some(factors));
        let lengths = rows.squared_lengths(run)?;
        // The same sum of squares for the products of columns and those of rows.
        let products = if rows.n_rows() < rows.n_columns() {
            rows.inner_products(&Run::new())?
        } else {
            let mut moments = Moments::of(&Run::new(), features)?;
            moments.scale_scatter(factors);
            moments.scatter().clone()
        };
        Ok(Self {
            n_rows: rows.n_rows() as f64,
            n_columns: rows.n_columns() as f64,
            squares: lengths.sum(),
            fourths: lengths.iter().map(|length| length * length).sum(),
            products: products.iter().map(|product| product * product).sum(),
        })
    }

    /// min(b², d²) / d² of the paper: the error of the sample covariance over its distance from the
    /// identity's multiple.
    fn intensity(&self) -> f64 {
        let trace = self.squares / self.n_rows;
        let covariance = self.products / (self.n_rows * self.n_rows);
        let apart = (covariance - trace * trace / self.n_columns) / self.n_columns;
        let error = (self.fourths / self.n_rows - covariance) / (self.n_rows * self.n_columns);
        if error <= 0.0 || apart <= 0.0 {
            0.0
        } else {
            (error / apart).min(1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::data::Labels;

    #[test]
    fn intensity_follows_the_paper_for_rows_worked_by_hand() {
        // Rows ±(2, 0), ±(0, 1): S = diag(2, ½) with divisor 4, so m = 1.25, d² = ((0.75)² + (0.75)²) / 2
        // = 0.5625. b² = (1/4²) Σ ‖x xᵀ − S‖² / 2: for ±(2, 0) x xᵀ − S = diag(2, −½), squared 4.25; for
        // ±(0, 1) diag(−2, ½), squared 4.25; together 17, so b² = 17 / 32 = 0.53125.
        let x = array![[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
        let run = Run::new();
        let features = Features::from(&x);
        let sums = Sums::of(&run, &features, &array![0.0, 0.0], &array![1.0, 1.0]).unwrap();
        assert!((sums.intensity() - 0.53125 / 0.5625).abs() < 1e-15);
    }

    #[test]
    fn wide_and_tall_sums_agree() {
        let x = Array2::from_shape_fn((7, 5), |(i, j)| ((i * 5 + j) as f64 * 1.7).sin());
        let run = Run::new();
        let (means, factors) = (Array1::zeros(5), Array1::from_elem(5, 2.0));
        let centred = &x - &x.mean_axis(ndarray::Axis(0)).unwrap();
        let features = Features::from(&centred);
        let tall = Sums::of(&run, &features, &means, &factors).unwrap();
        let rows = Rows::new(&features, &means).scaled(Some(&factors));
        let products = rows.inner_products(&run).unwrap();
        let wide: f64 = products.iter().map(|v| v * v).sum();
        assert!((tall.products - wide).abs() < 1e-10 * wide);
    }

    #[test]
    fn a_share_moves_the_covariance_towards_its_mean_variance() {
        let x = array![[1.0, 0.0], [3.0, 0.0], [0.0, 2.0], [0.0, 8.0]];
        let labels = Labels::from_words(&["a", "a", "b", "b"]);
        let classes = Classes::of(&labels, "lda").unwrap();
        let weights = array![0.25, 0.75];
        // Variances (1, 0) and (0, 9): mean variances ½ and 4½.
        let shrunk = Shrinkage::Share(0.1)
            .of(&Run::new(), &Features::from(&x), &classes, &weights)
            .unwrap();
        let want = 0.1 * (0.25 * 0.5 + 0.75 * 4.5);
        assert!(shrunk.added.iter().all(|v| (v - want).abs() < 1e-15));
        let none = Shrinkage::None
            .of(&Run::new(), &Features::from(&x), &classes, &weights)
            .unwrap();
        assert_eq!(none.added.sum(), 0.0);
    }
}
