//! Sparse principal component analysis: principal components with few nonzero loadings (L1 penalty).
//!
//! # Idea
//! Every principal axis mixes all columns, which makes it hard to interpret. A penalty on the sizes of the
//! entries sets most of them to exactly zero, at the price of a little variance.
//!
//! # Steps
//! 1. `linalg::moments`: mean and scatter of the rows, in one pass.
//! 2. `spectral::principal`: principal axes, for the initialization.
//! 3. `methods::sparse_pca::solver`: sparse axes and their scores in turn.
//! 4. [`methods::sparse_pca::SparsePcaModel`](crate::methods::sparse_pca::SparsePcaModel): coordinates by ridge regression.
//!
//! # Objective
//! ½‖X − U V‖² + α‖V‖₁ over V (a sparse axis in each row) and U with columns no longer than 1, where X
//! holds the rows less their mean. U and V in turn make it fall until a round gains less than
//! `tolerance` of it. Axes are divided by their lengths at the end.
//!
//! # Cost
//! With n rows, d columns, k components: n d² once, then d² k + d k² in each round, whatever n is: U is kept
//! as X M, and every step needs the scatter XᵀX only. With fewer rows than columns, or more than 2,500 of
//! both and few components, the rows are multiplied instead, 2 n d k in each round. The
//! rows are never copied to another precision as a whole.
//!
//! # Choosing parameters
//! `alpha` is in units of the columns' lengths (the roots of their sums of squares): from the length of the
//! longest column on, all is zero, and a tenth of it is a first try. Columns should be standardized
//! where they have different units. `ridge_alpha` only matters where axes are almost the same.
//!
//! # New points
//! z = (V Vᵀ + ridge I)⁻¹ V (x − m) with axes of length 1: sparse axes are not orthogonal. The inverse transform is
//! m + Vᵀ z.
//!
//! # Differences
//! From scikit-learn 1.9: the initialization has scores of length 1, which saves the first iterations; the lasso is
//! solved by coordinate descent to rounding; an axis that the penalty has removed is initialized again by the column least explained, instead of a random one;
//! a penalty that leaves nothing is an error. The explained
//! variances are the adjusted ones of Zou, Hastie and Tibshirani: with X Vᵀ = Q R, those of R's diagonal
//! squared over n − 1, which count what each axis adds to those before it.
//!
//! # References
//! Zou, Hastie and Tibshirani, "Sparse principal component analysis", 2006. Jenatton, Obozinski and Bach,
//! "Structured sparse principal component analysis", 2010. Mairal, Bach, Ponce and Sapiro, "Online
//! dictionary learning for sparse coding", 2009.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::sparse_pca::SparsePca};
//! let data = charta::data::synthetic::swiss_roll(300, 0.0, 0)?;
//! let model = SparsePca { alpha: 20.0, ..Default::default() }.fit(&data)?;
//! assert_eq!(model.embedding().unwrap().dim(), (300, 2));
//! assert!(model.n_nonzero().sum() < 6.0);
//! # Ok::<(), charta::Error>(())
//! ```

mod model;
mod solver;

pub use model::{SparsePcaModel, SparsePcaReport};

use ndarray::{Array1, Array2, Axis};

use crate::data::columns::Columns;
use crate::data::{Batches, Data, Features};
use crate::error::{Error, Result, Warning, check_count, check_rows, counted, message};
use crate::linalg::block_krylov::Effort;
use crate::linalg::eigen::fix_signs;
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};

use self::solver::{Goal, Source, alternate};
use crate::params::Parameters;
use crate::run::Run;
use crate::spectral::principal::{self, Solver, constant_data};

/// Parameters of sparse principal component analysis.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct SparsePca {
    /// Number of components. More reconstruct the rows better, fewer are easier to interpret; usually 2 to 20.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// L1 penalty on the entries of the axes. Larger values leave fewer of them nonzero; a tenth of the length of the longest centred
    /// column is a first try.
    #[param(default = 1.0, min = 0.0)]
    pub alpha: f64,
    /// Ridge penalty of the regression that gives coordinates. Larger values shrink coordinates of nearly parallel axes;
    /// usually 0 to 0.1.
    #[param(default = 0.01, min = 0.0)]
    pub ridge_alpha: f64,
    /// Convergence tolerance: iterations end when the objective decreases by less than this proportion. Smaller values are more exact and
    /// slower; usually 1e-4 to 1e-8.
    #[param(default = 1e-8, min = 0.0, below = 1.0)]
    pub tolerance: f64,
    /// Maximum number of iterations; raise it after a warning that the fit did not converge.
    #[param(default = 1000, min = 1)]
    pub max_iterations: usize,
    /// Seed of the random initialization, which is used where there are many rows and columns.
    #[param(default = 0)]
    pub seed: u64,
}

/// Residuals of the randomized initialization.
const INITIAL_TOLERANCE: f64 = 1e-7;
/// Iterations of the randomized initialization.
const INITIAL_ITERATIONS: usize = 1000;

impl Method for SparsePca {
    const INFO: Info = Info {
        name: "sparse_pca",
        title: "Sparse PCA",
        summary: "Sparse PCA: principal components with few nonzero loadings (L1 penalty)",
        family: Family::Linear,
        reference: "Zou, Hastie and Tibshirani 2006; Jenatton, Obozinski and Bach 2010",
        takes: &[Input::Sparse],
        offers: &[
            Capability::Streams,
            Capability::Inverse,
            Capability::Axes,
            Capability::Loadings,
            Capability::Spectrum,
        ],
        ..Info::DEFAULT
    };

    type Model = SparsePcaModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<SparsePcaModel> {
        let features = data.features(Self::INFO.name)?;
        let (n_rows, n_columns) = (features.n_rows(), features.n_columns());
        self.check_size(n_rows, n_columns)?;
        run.stage("covariance")?;
        let model = match self.solver(n_rows, n_columns) {
            Solver::Covariance => {
                let moments = Moments::of(run, features)?;
                if !moments.is_finite() {
                    return Err(data.bad_values(None));
                }
                self.fit_moments(run, &moments)?
            }
            solver => self.fit_rows(run, data, features, solver)?,
        };
        run.stage("projection")?;
        model.embed(run, data)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d, k) = (shape.n_rows, shape.n_columns, self.n_components);
        let solver = self.solver(n, d);
        let plan = Plan::new(format!("sparse axes, from principal axes by `{solver}`"));
        let plan = match solver {
            Solver::Covariance => self.needs_scatter(plan, shape),
            Solver::Dual => plan.needs("inner products and eigenvectors", (n, n), 5 * 8),
            _ => plan.needs("Krylov basis", (n.min(d), k.saturating_add(8)), 14 * 8),
        };
        let plan = match solver {
            Solver::Covariance => plan,
            _ => plan
                .needs("scores", (n, k), 6 * 8)
                .needs("partial sums", (d, k), 16 * 8)
                .needs("rows in double precision", (1024.min(n), d), 2 * 8),
        };
        Ok(plan
            .needs("axes", (d, k), 12 * 8)
            .needs("embedding", (n, k), 8)
            .advice(message!("use fewer {:columns}"))
            .or_batches())
    }

    fn plan_batches(&self, batch: &Shape) -> Result<Plan> {
        let d = batch.n_columns;
        Ok(self
            .needs_scatter(Plan::new("sparse axes of merged moments"), batch)
            .needs("moments of a batch", (d, d), 8)
            .needs("axes", (d, self.n_components), 12 * 8)
            .advice(message!("use fewer {:columns}")))
    }

    fn fit_batches_in(&self, run: &Run<'_>, batches: &mut dyn Batches) -> Result<SparsePcaModel> {
        run.stage("covariance")?;
        let moments = Moments::of_batches(run, batches, Self::INFO.name)?;
        self.check_size(moments.count(), moments.mean().len())?;
        run.install(|| self.fit_moments(run, &moments))
    }
}

/// What is known before the axes.
struct Known {
    mean: Array1<f64>,
    n_rows: usize,
    solver: Solver,
}

impl SparsePca {
    /// The solver of the initialization; it also decides whether rows or their scatter are multiplied after it.
    fn solver(&self, n_rows: usize, n_columns: usize) -> Solver {
        Solver::Auto.resolve(n_rows, n_columns, Some(self.n_components))
    }

    fn check_size(&self, n_rows: usize, n_columns: usize) -> Result<()> {
        check_rows(message!("finding sparse axes"), 2, n_rows)?;
        check_count(self.n_components, n_rows, n_columns)
    }

    fn needs_scatter(&self, plan: Plan, shape: &Shape) -> Plan {
        let d = shape.n_columns;
        plan.needs("scatter and eigenvectors", (d, d), 6 * 8).needs(
            "rows in blocks",
            (256, d),
            shape.precision.bytes(),
        )
    }

    fn fit_moments(&self, run: &Run<'_>, moments: &Moments) -> Result<SparsePcaModel> {
        run.stage("initialization")?;
        let axes = principal::from_moments(moments, Some(self.n_components))?;
        let known = Known {
            mean: moments.mean().clone(),
            n_rows: moments.count(),
            solver: Solver::Covariance,
        };
        let source = Source::Scatter(moments.scatter().clone());
        self.model(run, &source, &axes.vectors, known)
    }

    fn fit_rows(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        solver: Solver,
    ) -> Result<SparsePcaModel> {
        if let Some(error) = data.not_finite(None) {
            return Err(error);
        }
        let mean = Columns::of(features).means;
        let rows = Rows::new(features, &mean);
        run.stage("initialization")?;
        let axes = if solver == Solver::Dual {
            principal::dual(run, &rows, Some(self.n_components))?
        } else {
            let effort = Effort {
                tolerance: INITIAL_TOLERANCE,
                max_products: INITIAL_ITERATIONS,
                seed: self.seed,
            };
            principal::randomized(run, &rows, self.n_components, &effort)?
        };
        let known = Known {
            mean: mean.clone(),
            n_rows: features.n_rows(),
            solver,
        };
        self.model(run, &Source::Rows(rows), &axes.vectors, known)
    }

    fn model(
        &self,
        run: &Run<'_>,
        source: &Source<'_>,
        initial: &Array2<f64>,
        known: Known,
    ) -> Result<SparsePcaModel> {
        let spreads = source.spreads(run)?;
        self.check_penalty(&spreads)?;
        run.stage("sparse axes")?;
        let goal = Goal {
            penalty: self.alpha,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
        };
        let found = alternate(run, source, initial, &goal)?;
        let mut axes = found.axes;
        let n_zero = to_unit_length(&mut axes);
        fix_signs(axes.view_mut());
        self.warn(run, &found.trace, found.converged, n_zero)?;
        let divisor = (known.n_rows - 1) as f64;
        let along = source.scatter_along(run, &axes)? / divisor;
        let report = SparsePcaReport {
            adjusted_variances: adjusted(&along),
            total_variance: spreads.sum() / divisor,
            ridge: self.ridge_alpha,
            trace: Array1::from_vec(found.trace),
            converged: found.converged,
            solver: known.solver.to_string(),
            n_rows: known.n_rows,
        };
        SparsePcaModel::new(known.mean, axes, report)
    }

    /// Fails where the penalty leaves nothing: no score of length 1 pulls at a column more than its own
    /// length.
    fn check_penalty(&self, spreads: &Array1<f64>) -> Result<()> {
        let longest = spreads
            .iter()
            .fold(0.0_f64, |most, &spread| most.max(spread));
        if longest <= 0.0 {
            return Err(constant_data());
        }
        let longest = longest.sqrt();
        if self.alpha < longest {
            return Ok(());
        }
        Err(Error::parameter(
            "alpha",
            message!(
                "be below {longest:.3e}, the largest norm of a centred {:column}: above it all \
                 components are zero"
            ),
            self.alpha,
        ))
    }

    fn warn(&self, run: &Run<'_>, trace: &[f64], converged: bool, n_zero: usize) -> Result<()> {
        if !converged {
            let rounds = counted(self.max_iterations, "round");
            // The last entry is not that of a round.
            let reached = match trace {
                [.., before, last, _] => message!(
                    "after {rounds} the last one decreased the objective by {:.1e} of itself; at most \
                     {:.1e} was required",
                    (before - last) / last,
                    self.tolerance
                ),
                _ => message!("it stopped after {rounds}, and two are needed to compare"),
            };
            run.warn(Warning::NotConverged {
                what: message!("sparse PCA"),
                reached,
            })?;
        }
        if n_zero == 0 {
            return Ok(());
        }
        run.warn(Warning::doubtful(
            message!("{n_zero} of {}", counted(self.n_components, "component")),
            message!(
                "they are zero, because the penalty {alpha:setting} is too large: use a smaller \
                 one, or fewer components",
                alpha = self.alpha
            ),
        ))
    }
}

/// Divides axes by their lengths; the number of those that are zero.
fn to_unit_length(axes: &mut Array2<f64>) -> usize {
    let mut n_zero = 0;
    for mut axis in axes.axis_iter_mut(Axis(0)) {
        let length = axis.dot(&axis).sqrt();
        if length > 0.0 {
            axis /= length;
        } else {
            n_zero += 1;
        }
    }
    n_zero
}

/// What each score adds to the variance of those before it: the squared diagonal of the triangular
/// factor of their covariance.
fn adjusted(covariance: &Array2<f64>) -> Array1<f64> {
    let size = covariance.nrows();
    let mut lower = Array2::<f64>::zeros((size, size));
    let mut added = Array1::zeros(size);
    for i in 0..size {
        for j in 0..i {
            let shared: f64 = (0..j).map(|m| lower[[i, m]] * lower[[j, m]]).sum();
            if added[j] > 0.0 {
                lower[[i, j]] = (covariance[[i, j]] - shared) / lower[[j, j]];
            }
        }
        let row = lower.row(i);
        let left = covariance[[i, i]] - row.dot(&row);
        // Below rounding it adds nothing.
        if left > 1e-12 * covariance[[i, i]] {
            added[i] = left;
            lower[[i, i]] = left.sqrt();
        }
    }
    added
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Mutex;

    use ndarray::array;

    use super::*;
    use crate::random::{normal, stream};
    use crate::run::Event;

    fn fitted(method: &SparsePca, x: &Array2<f64>) -> (SparsePcaModel, Vec<String>) {
        let warnings = Mutex::new(Vec::new());
        let listen = |event: Event<'_>| {
            if let Event::Warning(warning) = event {
                warnings.lock().unwrap().push(warning.to_string());
            }
            ControlFlow::Continue(())
        };
        let run = Run::new().observer(&listen);
        let model = method.fit_in(&run, &Data::from(x)).unwrap();
        (model, warnings.into_inner().unwrap())
    }

    #[test]
    fn a_single_round_is_said_not_to_have_converged() {
        let mut stream = stream(4, 0);
        let x = Array2::from_shape_fn((40, 6), |_| normal(&mut stream));
        for max_iterations in [1, 2] {
            let method = SparsePca {
                max_iterations,
                ..SparsePca::default()
            };
            let (_, warnings) = fitted(&method, &x);
            assert!(warnings.len() == 1 && warnings[0].contains("did not converge"));
        }
    }

    #[test]
    fn components_that_the_penalty_removes_are_counted() {
        let mut stream = stream(5, 0);
        let x = Array2::from_shape_fn((90, 60), |(_, j)| {
            normal(&mut stream) * if j < 20 { 1.0 } else { 0.01 }
        });
        let method = SparsePca {
            n_components: 40,
            ..SparsePca::default()
        };
        let (model, warnings) = fitted(&method, &x);
        let n_zero = model.n_nonzero().iter().filter(|&&n| n == 0.0).count();
        assert!((1..40).contains(&n_zero), "{n_zero}");
        let expected =
            format!("{n_zero} of 40 components: they are zero, because the penalty `alpha = 1.0`");
        assert!(
            warnings
                .iter()
                .any(|warnings| warnings.starts_with(&expected)),
            "{warnings:?}"
        );
    }

    #[test]
    fn adjusted_variances_count_what_is_new() {
        let same = array![[4.0, 2.0, 4.0], [2.0, 2.0, 2.0], [4.0, 2.0, 4.0]];
        assert_eq!(adjusted(&same), array![4.0, 1.0, 0.0]);
    }
}
