//! Non-negative matrix factorization (NMF): rows as sums of a few non-negative components with non-negative weights.
//!
//! # Idea
//! Without negative values nothing can cancel, so that components are parts that rows have in common: strokes of digits, topics of texts, spectra of
//! substances. Non-negative weights can be interpreted as amounts.
//!
//! # Steps
//! 1. `methods::nmf::initialization`: initialization from singular vectors (NNDSVD).
//! 2. `methods::nmf::coordinate_descent`, `methods::nmf::kl_updates`:
//!    weights and components in turn. One pass over the rows gives both products of an iteration.
//! 3. `methods::nmf::nonnegative_least_squares`: the exact weights of the rows for the final components.
//!
//! # Objective
//! ½ ‖X − W H‖² or Σ x log(x/y) − x + y with y = (W H), plus, with d columns and n rows,
//! d α_W (r Σ W + ½ (1 − r) Σ W²) + n α_H (r Σ H + ½ (1 − r) Σ H²), over W, H ≥ 0.
//!
//! # Cost
//! 4 n d k per iteration, in the precision of the data; n k numbers of memory. Sparse rows cost their stored values.
//!
//! # Choosing parameters
//! The result depends on `n_components` as a whole: the components of a fit with three are not the first three of ten. Compare
//! `relative_error`. `kullback_leibler` suits counts. `alpha_w` with `l1_ratio = 1` makes weights sparse. The
//! problem has many local optima: `init = random` with several seeds shows how stable the components are.
//!
//! # New points
//! The optimal weights for the fixed components: a convex problem, solved to rounding, by the same routine that gives the embedding. The inverse transform is
//! W H.
//!
//! # Differences
//! scikit-learn stops coordinate descent by its projected gradient, compared with that of the initialization, which a bad initialization makes easy and a good
//! one hard; here the decrease of the error decides. scikit-learn fills zeros of the initialization by default, which for coordinate descent is worse than
//! keeping them, and sweeps once in an update: with
//! `sweeps = 1` the iterations are the same. The weights returned are optimal for the components returned. Components are sorted by their size ‖w‖ ‖h‖;
//! without penalties, which fix the scale, ‖w‖ and ‖h‖ are about equal.
//!
//! # References
//! Lee and Seung, "Learning the parts of objects by non-negative matrix factorization", 1999; Gillis and Glineur,
//! "Accelerated multiplicative updates and hierarchical ALS algorithms for nonnegative matrix factorization", 2012;
//! Boutsidis and Gallopoulos, "SVD based initialization", 2008; Kim and Park, "Fast nonnegative matrix
//! factorization: an active-set-like method and comparisons", 2011.
//!
//! # Example
//! ```
//! use charta::{Fit, InverseTransform, Model, Transform, methods::nmf::Nmf};
//! use ndarray::array;
//! let baskets = array![[2.0, 1.0, 0.0, 0.0], [4.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 3.0], [2.0, 1.0, 1.0, 3.0]];
//! let model = Nmf::default().fit(&baskets)?;
//! let back = model.inverse_transform(&model.embedding().unwrap())?;
//! assert!((back - &baskets).iter().all(|apart| apart.abs() < 1e-3));
//! assert!(model.components().iter().all(|&part| part >= 0.0));
//! let weights = model.transform(&array![[0.0, 0.0, 2.0, 6.0]])?;
//! assert!(weights.iter().filter(|&&weight| weight > 1e-3).count() == 1);
//! # Ok::<(), charta::Error>(())
//! ```

mod coordinate_descent;
pub(crate) mod initialization;
mod kl_updates;
mod kl_weights;
mod model;
mod nonnegative_least_squares;
pub(crate) mod rows;

pub use initialization::Initialization;
pub use model::{Loss, NmfModel};

use ndarray::Array1;

use crate::data::{Data, Extent};
use crate::error::{Error, Result, Warning, check_count, counted, message};
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};

use self::coordinate_descent::{Factorization, Pair, Settings};
use self::initialization::InitialFactors;
use self::nonnegative_least_squares::Penalty;
use self::rows::Scaled;

use crate::params::{Choice, Parameters};
use crate::run::Run;

/// The algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Solver {
    /// Coordinate descent for `frobenius`, multiplicative updates for `kullback_leibler`.
    Auto,
    /// Coordinate descent on each factor in turn.
    CoordinateDescent,
    /// Multiplicative updates of each factor in turn.
    Multiplicative,
}

/// Parameters of non-negative matrix factorization.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Nmf {
    /// Number of components (parts). More components reconstruct the rows better, fewer are easier to interpret; usually 2 to 50.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Loss function between the rows and their reconstruction: `frobenius` for general data, `kullback_leibler` for counts.
    #[param(default = Loss::Frobenius)]
    pub loss: Loss,
    /// Algorithm that minimizes the loss.
    #[param(default = Solver::Auto)]
    pub solver: Solver,
    /// Initialization of the weights and components, on which the local minimum depends. Those by SVD give the same result every time,
    /// `random` another for each seed.
    #[param(default = Initialization::Auto)]
    pub init: Initialization,
    /// Convergence tolerance: iterations end when the error decreases by less than this fraction of the initial error, in one iteration of coordinate descent (averaged over ten) or in ten multiplicative ones. Smaller values are more exact and slower; usually 1e-6 to 1e-3.
    #[param(default = 1e-4, min = 0.0, below = 1.0)]
    pub tolerance: f64,
    /// Maximum number of iterations; raise it after a warning that the fit did not converge. Usually 100 to 2000.
    #[param(default = 200, min = 1)]
    pub max_iterations: usize,
    /// Maximum number of coordinate descent sweeps in each update. More sweeps make an iteration slower and fewer iterations necessary; usually 1 to 5.
    #[param(default = 2, min = 1)]
    pub sweeps: usize,
    /// Regularization of the weights, multiplied by the number of columns. Larger values shrink the weights, and make them sparse with `l1_ratio`; usually 0 to 0.1.
    #[param(default = 0.0, min = 0.0)]
    pub alpha_w: f64,
    /// Regularization of the components, multiplied by the number of rows; `none` takes that of the weights. Larger values shrink the components; usually 0 to 0.1.
    #[param(default = None, min = 0.0)]
    pub alpha_h: Option<f64>,
    /// Fraction of the L1 penalty in the regularization: 0 for L2 alone, 1 for L1 alone, which gives sparse factors.
    #[param(default = 0.0, min = 0.0, max = 1.0)]
    pub l1_ratio: f64,
    /// Seed of the random initialization.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for Nmf {
    const INFO: Info = Info {
        name: "nmf",
        title: "Non-negative matrix factorization",
        summary: "Non-negative matrix factorization: rows as sums of a few non-negative components with non-negative weights",
        family: Family::Linear,
        reference: "Lee and Seung 1999",
        takes: &[Input::Sparse, Input::Nonnegative],
        offers: &[Capability::Inverse, Capability::Axes, Capability::Loadings],
        ..Info::DEFAULT
    };

    type Model = NmfModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<NmfModel> {
        let features = data.features(Self::INFO.name)?;
        self.check_shape(features.n_rows(), features.n_columns())?;
        let solver = self.resolved_solver()?;
        run.stage("initialization")?;
        let extent = data.extent_without_negatives(Self::INFO.name)?;
        let scale = Scaled::scale_of(extent.greatest, features.precision());
        let rows = Scaled::new(features, scale);
        let (start, factors) = self.begin(run, &rows, extent)?;
        let settings = self.settings(&rows);
        run.stage("factors")?;
        let mut factors = match solver {
            Solver::Multiplicative => kl_updates::alternate(run, &rows, factors, &settings)?,
            _ => coordinate_descent::alternate(run, &rows, factors, &settings)?,
        };
        self.warn_if_not_converged(run, &factors)?;
        self.balance(&mut factors);
        let unit = match self.loss {
            Loss::Frobenius => scale * scale,
            Loss::KullbackLeibler => scale,
        };
        run.stage("weights")?;
        let model = NmfModel {
            scaled_components: factors
                .columns
                .reversed_axes()
                .as_standard_layout()
                .into_owned(),
            root: scale.sqrt(),
            loss: self.loss,
            lasso: settings.on_weights.lasso,
            ridge: settings.on_weights.ridge,
            n_rows: rows.n_rows(),
            solver: solver.to_string(),
            start: start.to_string(),
            losses: Array1::from_vec(factors.losses) * unit,
            n_iterations: factors.stop.n_iterations,
            last_fall: factors.stop.last_fall,
            converged: factors.stop.converged,
            quality: None,
            embedding: None,
        }
        .embed(run, data)?;
        self.warn_if_unused(run, &model, extent)?;
        Ok(model)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d, k) = (shape.n_rows, shape.n_columns, self.n_components);
        let solver = self.resolved_solver()?;
        let smaller = n.min(d);
        let mut plan = Plan::new(format!("alternating updates, solver `{solver}`"));
        if self.init != Initialization::Random {
            // A dense problem of the smaller side, or a Krylov basis where that is large.
            let width = smaller.min(2500.max(14 * k.saturating_add(8)));
            plan = plan
                .needs(
                    "singular vectors of the initialization",
                    (smaller, width),
                    5 * 8,
                )
                .needs("rows in blocks", (1024.min(n), d), 2 * 8);
        }
        Ok(plan
            .needs("weights and embedding", (n, k), 4 * 8)
            .needs(
                "components and partial sums",
                (d.saturating_add(k), k),
                24 * 8,
            )
            .needs("rows in double precision", (1024.min(n), d), 4 * 8)
            .advice(message!("use fewer components, or {init=random}")))
    }
}

impl Nmf {
    fn check_shape(&self, n_rows: usize, n_columns: usize) -> Result<()> {
        check_count(self.n_components, n_rows, n_columns)
    }

    fn resolved_solver(&self) -> Result<Solver> {
        let (fitting, name) = match self.loss {
            Loss::Frobenius => (Solver::CoordinateDescent, "coordinate_descent"),
            Loss::KullbackLeibler => (Solver::Multiplicative, "multiplicative"),
        };
        if self.solver == Solver::Auto || self.solver == fitting {
            return Ok(fitting);
        }
        Err(Error::one_of(
            "solver",
            &["auto", name],
            message!("{loss:setting} needs that solver", loss = self.loss),
            self.solver,
        ))
    }

    fn begin(
        &self,
        run: &Run<'_>,
        rows: &Scaled<'_>,
        extent: Extent,
    ) -> Result<(Initialization, Pair)> {
        let start = match (self.init, self.loss) {
            (Initialization::Auto, Loss::Frobenius) => Initialization::Nndsvd,
            (Initialization::Auto, Loss::KullbackLeibler) => Initialization::Nndsvda,
            (chosen, _) => chosen,
        };
        let initial = InitialFactors {
            start,
            n_components: self.n_components,
            mean: extent.mean,
            seed: self.seed,
        };
        let (factors, rank) = initial.factors(run, rows)?;
        if rank <= 2 && rank < self.n_components {
            run.warn(Warning::RankDeficient {
                requested: self.n_components,
                rank,
            })?;
        }
        Ok((start, factors))
    }

    /// Penalties in the units of the scaled problem: the loss is divided by the square of the scale, or by the
    /// scale, and each factor by its root.
    fn settings(&self, rows: &Scaled<'_>) -> Settings {
        let (scale, root) = (rows.scale(), rows.scale().sqrt());
        let (on_sum, on_squares) = match self.loss {
            Loss::Frobenius => (root / scale / scale, scale.recip()),
            Loss::KullbackLeibler => (root.recip(), 1.0),
        };
        let penalty = |alpha: f64, count: usize| Penalty {
            lasso: (alpha * self.l1_ratio * count as f64 * on_sum).min(1e100),
            ridge: (alpha * (1.0 - self.l1_ratio) * count as f64 * on_squares).min(1e100),
        };
        Settings {
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            sweeps: self.sweeps,
            on_weights: penalty(self.alpha_w, rows.n_columns()),
            on_parts: penalty(self.alpha_h.unwrap_or(self.alpha_w), rows.n_rows()),
        }
    }

    fn warn_if_not_converged(&self, run: &Run<'_>, factors: &Factorization) -> Result<()> {
        if factors.stop.converged {
            return Ok(());
        }
        run.warn(Warning::NotConverged {
            what: message!("the factorization"),
            reached: message!(
                "after {} the error decreased by {:.1e} of its initial value in the last {}; at most \
                 {:.1e} in ten was required: increase {max_iterations:parameter} or \
                 {tolerance:parameter}",
                counted(factors.stop.n_iterations, "iteration"),
                factors.stop.last_fall,
                factors.stop.n_compared,
                factors.stop.least_fall
            ),
        })
    }

    fn warn_if_unused(&self, run: &Run<'_>, model: &NmfModel, extent: Extent) -> Result<()> {
        let (n_unused, parts) = (model.n_unused(), counted(self.n_components, "part"));
        if n_unused == 0 || self.is_free() || extent.greatest <= 0.0 {
            return Ok(());
        }
        run.warn(Warning::doubtful(
            message!("{n_unused} of {parts}"),
            message!(
                "they are zero, because the penalties {alpha_w:setting} and {alpha_h:setting} are \
                 too large: use smaller ones",
                alpha_w = self.alpha_w,
                alpha_h = self.alpha_h.unwrap_or(self.alpha_w)
            ),
        ))
    }

    fn is_free(&self) -> bool {
        self.alpha_w == 0.0 && self.alpha_h.unwrap_or(0.0) == 0.0
    }

    /// Without penalties, makes weights and components of equal length.
    fn balance(&self, factors: &mut Factorization) {
        if !self.is_free() {
            return;
        }
        let Factorization {
            weights, columns, ..
        } = factors;
        for (mut part, weight) in columns.columns_mut().into_iter().zip(weights.columns()) {
            let (of_weight, of_part) = (weight.dot(&weight).sqrt(), part.dot(&part).sqrt());
            if of_weight * of_part > 0.0 {
                part *= (of_weight / of_part).sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Mutex;

    use ndarray::Array2;

    use super::*;
    use crate::model::Model;
    use crate::random::{stream, uniform};
    use crate::run::Event;

    fn fitted(method: &Nmf) -> (NmfModel, Vec<String>) {
        let mut stream = stream(6, 0);
        let x = Array2::from_shape_fn((50, 12), |_| (4.0 * uniform(&mut stream) - 1.0).max(0.0));
        let warnings = Mutex::new(Vec::new());
        let listen = |event: Event<'_>| {
            if let Event::Warning(warning) = event {
                warnings.lock().unwrap().push(warning.to_string());
            }
            ControlFlow::Continue(())
        };
        let run = Run::new().observer(&listen);
        let model = method.fit_in(&run, &Data::from(&x)).unwrap();
        (model, warnings.into_inner().unwrap())
    }

    #[test]
    fn penalties_that_remove_parts_are_said() {
        let method = Nmf {
            alpha_w: 100.0,
            l1_ratio: 1.0,
            ..Nmf::default()
        };
        let (model, warnings) = fitted(&method);
        let embedding = model.embedding().unwrap();
        assert!(embedding.iter().all(|&weight| weight == 0.0));
        let expected = "2 of 2 parts: they are zero, because the penalties `alpha_w = 100.0` and";
        assert!(
            warnings
                .iter()
                .any(|warnings| warnings.starts_with(expected)),
            "{warnings:?}"
        );
    }

    #[test]
    fn parts_come_in_the_order_of_their_sizes_at_the_end() {
        for seed in 0..8 {
            let method = Nmf {
                n_components: 6,
                init: Initialization::Random,
                max_iterations: 2,
                seed,
                ..Nmf::default()
            };
            let (model, warnings) = fitted(&method);
            let figures = model.diagnostics();
            let sizes = figures.values("component_sizes").unwrap();
            assert!(sizes.windows(2).into_iter().all(|pair| pair[0] >= pair[1]));
            assert!(
                warnings[0].contains("after 2 iterations")
                    && warnings[0].contains("in the last 2;")
            );
        }
    }
}
