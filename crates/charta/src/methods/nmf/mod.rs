//! Non-negative matrix factorization (NMF): rows as sums of a few non-negative components with non-negative weights.
//!
//! # Idea
//! Without negative values nothing can cancel, so that components are parts that rows have in common: strokes of digits, topics of texts, spectra of
//! substances. Non-negative weights can be interpreted as amounts.
//!
//! # Steps
//! 1. `methods::nmf::initialization`: initialization from singular vectors (NNDSVD).
//! 2. `methods::nmf::coordinate_descent`, `methods::nmf::kl_updates`, `methods::nmf::beta_updates`:
//!    weights and components in turn. One pass over the rows gives both products of an iteration.
//! 3. `methods::nmf::nonnegative_least_squares`: the exact weights of the rows for the final components.
//!
//! # Objective
//! ½ ‖X − W H‖², Σ x log(x/y) − x + y with y = (W H), or another β-divergence, plus, with d columns and n rows,
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
//! The optimal weights for the fixed components: a convex problem, solved to rounding, by the same routine that gives the embedding; for a β-divergence other than
//! `frobenius` and `kullback_leibler` by multiplicative updates, each row from equal weights. The inverse transform is W H.
//!
//! # Differences
//! scikit-learn stops coordinate descent by its projected gradient, compared with that of the initialization, which a bad initialization makes easy and a good
//! one hard; here the decrease of the error decides. scikit-learn fills zeros of the initialization by default, which for coordinate descent is worse than
//! keeping them, and sweeps once in an update: with
//! `sweeps = 1` the iterations are the same. The weights returned are optimal for the components returned. Components are sorted by their size ‖w‖ ‖h‖;
//! without penalties, which fix the scale, ‖w‖ and ‖h‖ are about equal. With initial factors of the caller's the components keep their order.
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

mod beta_updates;
mod coordinate_descent;
pub(crate) mod initialization;
mod kl_updates;
mod kl_weights;
mod model;
mod nonnegative_least_squares;
pub(crate) mod rows;

pub use initialization::Initialization;
pub use model::{Loss, NmfModel};

use ndarray::{Array1, ArrayView2};

use crate::data::{Data, Extent, Features};
use crate::error::{Error, Message, Result, Warning, check_count, counted, message};
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};

use self::beta_updates::Divergence;
use self::coordinate_descent::{Factorization, Pair, Settings, Update};
use self::initialization::InitialFactors;
use self::nonnegative_least_squares::Penalty;
use self::rows::Scaled;

use crate::params::{Choice, Parameters};
use crate::run::Run;

/// The algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Solver {
    /// Coordinate descent for `frobenius`, multiplicative updates for other losses.
    Auto,
    /// Coordinate descent on each factor in turn, for `frobenius`.
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
    /// Loss function between the rows and their reconstruction: `frobenius` for general data, `kullback_leibler` for counts, `itakura_saito` for powers
    /// of sounds, which have no zeros; or the β of a β-divergence, of which these are 2, 1 and 0. A smaller β compares small values by ratios.
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
    /// Maximum number of iterations; raise it after a warning that the fit did not converge. Usually 100 to 2000. With 0, the initial components are kept
    /// and only the weights are found.
    #[param(default = 200)]
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
        takes: &[
            Input::Sparse,
            Input::Nonnegative,
            Input::InitialEmbedding,
            Input::InitialComponents,
        ],
        offers: &[Capability::Inverse, Capability::Axes, Capability::Loadings],
        ..Info::DEFAULT
    };

    type Model = NmfModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<NmfModel> {
        let features = data.features(Self::INFO.name)?;
        let solver = self.resolved_solver()?;
        let given = Given::of(self, data, features)?;
        if !given.is_whole() {
            self.check_shape(features.n_rows(), features.n_columns())?;
        }
        run.stage("initialization")?;
        let extent = data.extent_without_negatives(Self::INFO.name)?;
        let scale = Scaled::scale_of(extent.greatest, features.precision());
        let rows = Scaled::new(features, scale);
        let beta = self.loss.beta();
        if beta <= 0.0 && beta_updates::has_zeros(&rows) {
            return Err(Error::not(
                "loss",
                message!(
                    "{:data} has zeros, from which such a divergence is infinite: use a β above 0"
                ),
                self.loss,
            ));
        }
        let (start, factors) = self.begin(run, &rows, extent, &given)?;
        let settings = self.settings(&rows, solver);
        run.stage("factors")?;
        let mut factors = match (solver, beta) {
            (Solver::Multiplicative, 1.0) => kl_updates::alternate(run, &rows, factors, &settings)?,
            (Solver::Multiplicative, beta) if beta != 2.0 => {
                Divergence::new(beta).alternate(run, &rows, factors, &settings)?
            }
            _ => coordinate_descent::alternate(run, &rows, factors, &settings)?,
        };
        if self.max_iterations > 0 {
            self.warn_if_not_converged(run, &factors)?;
            self.balance(&mut factors);
        }
        let unit = scale.powf(beta);
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
            start,
            ordered: !given.is_any(),
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
        self.check_shape(n, d)?;
        let smaller = n.min(d);
        let mut plan = Plan::new(format!("alternating updates, solver `{solver}`"));
        if self.initialization(n, d) != Initialization::Random {
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
    /// Initializations by singular vectors give no more components than there are rows or columns.
    fn check_shape(&self, n_rows: usize, n_columns: usize) -> Result<()> {
        match self.initialization(n_rows, n_columns) {
            Initialization::Random => Ok(()),
            _ => check_count(self.n_components, n_rows, n_columns),
        }
    }

    /// The initialization for rows and columns of this number.
    fn initialization(&self, n_rows: usize, n_columns: usize) -> Initialization {
        match self.init {
            Initialization::Auto if self.n_components > n_rows.min(n_columns) => {
                Initialization::Random
            }
            Initialization::Auto if self.is_multiplicative() => Initialization::Nndsvda,
            Initialization::Auto => Initialization::Nndsvd,
            chosen => chosen,
        }
    }

    fn is_multiplicative(&self) -> bool {
        self.solver == Solver::Multiplicative || self.loss.beta() != 2.0
    }

    fn resolved_solver(&self) -> Result<Solver> {
        if self.solver == Solver::CoordinateDescent && self.loss.beta() != 2.0 {
            return Err(Error::one_of(
                "solver",
                &["auto", "multiplicative"],
                message!("{loss:setting} needs that solver", loss = self.loss),
                self.solver,
            ));
        }
        Ok(if self.is_multiplicative() {
            Solver::Multiplicative
        } else {
            Solver::CoordinateDescent
        })
    }

    /// The first factors, and how they were found.
    fn begin(
        &self,
        run: &Run<'_>,
        rows: &Scaled<'_>,
        extent: Extent,
        given: &Given<'_>,
    ) -> Result<(String, Pair)> {
        let root = rows.scale().sqrt();
        if let (Some(weights), Some(components)) = (given.weights, given.components) {
            let columns = components.t().as_standard_layout().into_owned() / root;
            return Ok(("given".into(), (weights.to_owned() / root, columns)));
        }
        let start = self.initialization(rows.n_rows(), rows.n_columns());
        let initial = InitialFactors {
            start,
            n_components: self.n_components,
            mean: extent.mean,
            seed: self.seed,
        };
        let (mut factors, rank) = initial.factors(run, rows)?;
        if rank <= 2 && rank < self.n_components {
            run.warn(Warning::RankDeficient {
                requested: self.n_components,
                rank,
            })?;
        }
        let mut start = start.to_string();
        if let Some(weights) = given.weights {
            factors.0 = weights.to_owned() / root;
            start = format!("weights given, components by {start}");
        }
        if let Some(components) = given.components {
            factors.1 = components.t().as_standard_layout().into_owned() / root;
            start = format!("components given, weights by {start}");
        }
        Ok((start, factors))
    }

    /// Penalties in the units of the scaled problem: a loss of β is divided by that power of the scale, and each factor by the root of the scale.
    fn settings(&self, rows: &Scaled<'_>, solver: Solver) -> Settings {
        let (scale, root) = (rows.scale(), rows.scale().sqrt());
        let (on_sum, on_squares) = match self.loss.beta() {
            2.0 => (root / scale / scale, scale.recip()),
            1.0 => (root.recip(), 1.0),
            beta => (scale.powf(0.5 - beta), scale.powf(1.0 - beta)),
        };
        let penalty = |alpha: f64, count: usize| Penalty {
            lasso: (alpha * self.l1_ratio * count as f64 * on_sum).min(1e100),
            ridge: (alpha * (1.0 - self.l1_ratio) * count as f64 * on_squares).min(1e100),
        };
        Settings {
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            update: match solver {
                Solver::Multiplicative => Update::Multiplicative,
                _ => Update::Sweeps(self.sweeps),
            },
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

/// Factors that the caller gives to begin with.
struct Given<'a> {
    weights: Option<ArrayView2<'a, f64>>,
    components: Option<ArrayView2<'a, f64>>,
}

impl<'a> Given<'a> {
    fn of(method: &Nmf, data: &'a Data<'_>, features: &Features<'_>) -> Result<Self> {
        let k = method.n_components;
        let given = Self {
            weights: data.initial_embedding_of(k)?,
            components: data.initial_components_of(k, features.n_columns())?,
        };
        let named = [
            (message!("the initial weights"), given.weights),
            (message!("the initial components"), given.components),
        ];
        for (name, factor) in named {
            if let Some(factor) = factor {
                check_factor(name, &factor)?;
            }
        }
        if method.max_iterations == 0 && given.components.is_none() {
            return Err(Error::parameter(
                "max_iterations",
                message!("be at least 1 where no initial components are given"),
                method.max_iterations,
            ));
        }
        Ok(given)
    }

    fn is_any(&self) -> bool {
        self.weights.is_some() || self.components.is_some()
    }

    fn is_whole(&self) -> bool {
        self.weights.is_some() && self.components.is_some()
    }
}

/// Fails for a factor with negative values, or with zeros alone, which no update changes.
fn check_factor(name: Message, factor: &ArrayView2<'_, f64>) -> Result<()> {
    if let Some(((row, column), value)) = factor.indexed_iter().find(|(_, value)| **value < 0.0) {
        return Err(Error::shape(
            name,
            message!("numbers of at least 0"),
            message!("{value} at {row}, {column}"),
        ));
    }
    if factor.iter().all(|&value| value == 0.0) {
        return Err(Error::shape(
            name,
            message!("some numbers above 0"),
            message!("zeros alone"),
        ));
    }
    Ok(())
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
    fn given_factors_take_the_place_of_the_initialization() {
        let mut stream = stream(6, 0);
        let mut draw = |n, m| Array2::from_shape_fn((n, m), |_| uniform(&mut stream));
        let (x, w, h) = (draw(20, 6), draw(20, 3), draw(3, 6));
        let start = Data::from(&x)
            .with_initial_embedding(w.view())
            .unwrap()
            .with_initial_components(h.view())
            .unwrap();
        let fit = |max_iterations, data: &Data<'_>| {
            let method = Nmf {
                n_components: 3,
                max_iterations,
                init: Initialization::Random,
                ..Nmf::default()
            };
            method.fit_in(&Run::new(), data)
        };
        let model = fit(500, &start).unwrap();
        let other = fit(500, &Data::from(&x)).unwrap();
        assert_eq!(model.start, "given");
        assert!(
            (model.reconstruction_error().unwrap() / other.reconstruction_error().unwrap() - 1.0)
                .abs()
                < 0.2
        );
        // Without iterations the components are those given, and the weights are the best for them.
        let kept = fit(0, &start).unwrap();
        assert!((kept.components() - &h).iter().all(|d| d.abs() < 1e-12));
        assert!(fit(0, &Data::from(&x)).is_err());
        let wrong = -&h;
        let wrong = Data::from(&x)
            .with_initial_components(wrong.view())
            .unwrap();
        assert!(fit(9, &wrong).is_err());
        let nothing = Array2::zeros((20, 3));
        let nothing = Data::from(&x)
            .with_initial_embedding(nothing.view())
            .unwrap();
        assert!(fit(9, &nothing).is_err());
    }

    #[test]
    fn there_may_be_more_parts_than_columns() {
        let mut stream = stream(6, 0);
        let x = Array2::from_shape_fn((9, 4), |_| uniform(&mut stream));
        for solver in [Solver::CoordinateDescent, Solver::Multiplicative] {
            let method = Nmf {
                n_components: 7,
                max_iterations: 2000,
                solver,
                ..Nmf::default()
            };
            let model = method.fit_in(&Run::new(), &Data::from(&x)).unwrap();
            assert!(model.reconstruction_error().unwrap() < 0.05);
            let svd = Nmf {
                init: Initialization::Nndsvd,
                ..method
            };
            assert!(svd.fit_in(&Run::new(), &Data::from(&x)).is_err());
        }
    }

    #[test]
    fn divergences_with_ratios_need_values_above_zero() {
        let x = Array2::from_shape_fn((9, 4), |(i, j)| (1 + i * j) as f64);
        let saito = Nmf {
            loss: Loss::ItakuraSaito,
            ..Nmf::default()
        };
        let model = saito.fit_in(&Run::new(), &Data::from(&x)).unwrap();
        assert!(model.reconstruction_error().unwrap() < 1.0);
        let zeros = &x - 1.0;
        assert!(saito.fit_in(&Run::new(), &Data::from(&zeros)).is_err());
        let half = Nmf {
            loss: Loss::Beta(0.5),
            ..saito
        };
        assert!(half.fit_in(&Run::new(), &Data::from(&zeros)).is_ok());
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
