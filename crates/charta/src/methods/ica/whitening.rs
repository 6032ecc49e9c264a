//! Whitening by PCA: uncorrelated coordinates with variance 1.

use ndarray::{Array1, Array2, Axis, s};

use crate::data::columns::Columns;
use crate::data::{Data, Features, OwnedFeatures};
use crate::error::{Error, Result, check_count, message};
use crate::linalg::block_krylov::Effort;
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::run::Run;
use crate::spectral::principal;
use crate::spectral::principal::{Axes, Solver, constant_data};

/// How exact the axes are that are found by iteration.
const EFFORT: Effort = Effort {
    tolerance: 1e-9,
    max_products: 1000,
    seed: 0,
};

/// White coordinates z = forward · (x − mean), and their inverse x ≈ mean + backᵀ · z.
#[derive(Clone, Debug)]
pub(super) struct Whitening {
    /// Mean of the rows.
    pub mean: Array1<f64>,
    /// A row for each white coordinate: a principal axis over the standard deviation along it.
    pub forward: Array2<f64>,
    /// The same axes, times their standard deviations.
    pub back: Array2<f64>,
    /// Variance of the rows in all directions.
    pub total_variance: f64,
    /// The route by which the axes were found.
    pub solver: Solver,
}

impl Whitening {
    /// Along the `count` axes of largest variance, or as many as there are. Variances divide by n.
    pub(super) fn fit(run: &Run<'_>, data: &Data<'_>, method: &str, count: usize) -> Result<Self> {
        let features = data.features(method)?;
        check(features, method, count)?;
        let n_rows = features.n_rows();
        let solver = Solver::Auto.resolve(n_rows, features.n_columns(), Some(count));
        run.stage("covariance")?;
        let (mean, axes) = if solver == Solver::Covariance {
            let moments = Moments::of(run, features)?;
            if !moments.is_finite() {
                return Err(data.bad_values(None));
            }
            run.stage("eigenvectors")?;
            let axes = principal::from_moments(&moments, Some(count))?;
            (moments.mean().clone(), axes)
        } else {
            data.check_finite()?;
            let mean = Columns::of(features).means;
            let axes = other_axes(run, &Rows::new(features, &mean), solver, count)?;
            (mean, axes)
        };
        Self::of_axes(mean, &axes, n_rows, solver)
    }

    fn of_axes(mean: Array1<f64>, axes: &Axes, n_rows: usize, solver: Solver) -> Result<Self> {
        let rank = axes.rank();
        if axes.total <= 0.0 || rank == 0 {
            return Err(constant_data());
        }
        let kept = axes.vectors.slice(s![..rank, ..]);
        let deviations = axes
            .scatters
            .slice(s![..rank])
            .mapv(|scatter| (scatter / n_rows as f64).sqrt())
            .insert_axis(Axis(1));
        Ok(Self {
            mean,
            forward: &kept / &deviations,
            back: &kept * &deviations,
            total_variance: axes.total / n_rows as f64,
            solver,
        })
    }

    /// The white coordinates of rows, in the rows' precision.
    pub(super) fn apply(&self, run: &Run<'_>, features: &Features<'_>) -> Result<OwnedFeatures> {
        Rows::new(features, &self.mean).times_kept(run, &self.forward.t())
    }
}

fn other_axes(run: &Run<'_>, rows: &Rows<'_>, solver: Solver, count: usize) -> Result<Axes> {
    run.stage("axes")?;
    let axes = match solver {
        Solver::Dual => principal::dual(run, rows, Some(count))?,
        _ => principal::randomized(run, rows, count, &EFFORT)?,
    };
    if axes.total.is_finite() {
        return Ok(axes);
    }
    Err(Error::too_large())
}

/// Fails if there are too few rows, or fewer possible axes than requested.
fn check(features: &Features<'_>, method: &str, count: usize) -> Result<()> {
    let (n_rows, n_columns) = (features.n_rows(), features.n_columns());
    if n_rows < 2 {
        return Err(Error::too_few_rows(message!("{method:method}"), 2, n_rows));
    }
    check_count(count, n_rows, n_columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_white_and_lead_back_for_both_shapes() {
        for (n_rows, n_columns) in [(400, 6), (6, 40)] {
            let x = Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
                ((i * 13 + j * 7) as f64).sin() * (1 + j) as f64 + 3.0
            });
            let run = Run::new();
            let whitening = Whitening::fit(&run, &Data::from(&x), "test", 5).unwrap();
            let OwnedFeatures::F64(z) = whitening.apply(&run, &Features::from(&x)).unwrap() else {
                panic!("double precision expected");
            };
            let covariance = z.t().dot(&z) / n_rows as f64;
            let apart = covariance - Array2::<f64>::eye(z.ncols());
            assert!(apart.iter().all(|d| d.abs() < 1e-9), "{apart}");
            if n_columns == 40 {
                let back = z.dot(&whitening.back) + &whitening.mean;
                assert!((back - &x).iter().all(|d| d.abs() < 1e-9));
            }
        }
    }
}
