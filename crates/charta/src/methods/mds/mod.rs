//! Metric and non-metric multidimensional scaling (MDS): an embedding that preserves given distances, or their order, by minimizing stress.
//!
//! # Idea
//! Given distances between rows, find coordinates with these distances. Where they cannot be preserved exactly, the sum of squared errors, the stress, is
//! minimized; distances can have weights, and some may be missing. Non-metric scaling preserves only the order of the distances.
//!
//! # Steps
//! 1. [`metric::Comparison`](crate::metric::Comparison): distances of features, unless distances are given.
//! 2. `spectral::classical_scaling`: initialization by classical MDS; or random coordinates.
//! 3. `methods::mds::smacof`: SMACOF majorization, or L-BFGS with it as preconditioner; non-metric scaling alternates with
//!    `optimize::isotonic` regression.
//! 4. [`stress::model::StressModel`](crate::stress::StressModel): out-of-sample placement.
//!
//! # Objective
//! Raw stress σ(X) = Σ w (δ − d(X))² over pairs, with given distances δ, weights w (0 for missing distances) and the map's
//! distances d. Since d(X) ≥ ⟨xᵢ − xⱼ, yᵢ − yⱼ⟩ / d(Y) for any map Y, σ lies below a quadratic function that touches it at Y and is lowest
//! at the Guttman transform G(Y) = V⁺ B(Y) Y, where V is the Laplacian of w and B(Y) that of w δ / d(Y). So Y → G(Y) never raises
//! the stress, whatever the weights: majorization. G(Y) = Y − ½ V⁺ ∇σ(Y), so that the same numbers feed a quasi-Newton step, which is taken when it
//! lowers the stress more. Non-metric scaling puts disparities in the place of δ: the isotonic regression of d on δ, with a
//! weighted mean square of 1; the stress falls in both halves of a step. `normalized_stress` is Kruskal's stress 1, √(σ / Σ w d²).
//!
//! # Cost
//! n² time a step and n² numbers for the distances, once more for the classical initialization. With weights or missing distances also n³/3 once, 2 n² k a
//! step, and 3 n² numbers; missing distances need up to 6 n² more for the classical initialization. Non-metric: n² log n once, whatever the number of
//! initializations (with `ties = primary` also a sorting of the ties each step), 2 n² numbers more, and up to 4 n² for each initialization that runs at the
//! same time: four at most.
//!
//! # Choosing parameters
//! The classical initialization is good and deterministic; `n_starts` adds random ones, because the stress has several minima. `nonmetric = true` suits
//! ratings and ranks. `ties = primary` lets equal distances differ on the map, which suits coarse scales such as marks from 1 to 5.
//! A normalized stress of 0.2 is poor, 0.1 fair and 0.05 good by Kruskal's rule, for few rows; `stress_per_row` names the rows that do
//! not fit. `steps = majorization` is slower and follows the literature step by step.
//!
//! # New points
//! The coordinates of a new row minimize the stress of its distances to the training rows, whose coordinates are fixed: Newton's method, or majorization where
//! it fails, from the nearest row and from a mean of the five nearest. A row at distance 0 from a training row is initialized there alone. The disparities of
//! non-metric scaling are interpolated; with `ties = primary`, equal distances get their mean, so that training rows with many ties are reproduced less
//! exactly. Distances of new rows may be missing too, and weighted.
//!
//! # Differences
//! scikit-learn's `MDS` has random initialization by default, calls metric scaling `metric_mds = True`, takes no weights, reads 0 as a missing
//! distance in non-metric scaling, keeps ties equal, and has no out-of-sample placement. With `steps = majorization` and the same initialization the
//! iterations here are the same as there, and so is the stopping rule; the default optimizer stops when a plain step would gain less than `tolerance`.
//! The reported non-metric stress is that of the disparities which suit the final map, not of those one step before.
//!
//! # References
//! Kruskal, "Nonmetric multidimensional scaling: a numerical method", 1964. De Leeuw, "Applications of convex analysis to
//! multidimensional scaling", 1977. De Leeuw and Mair, "Multidimensional scaling using majorization: SMACOF in R", 2009. Borg and Groenen, "Modern
//! multidimensional scaling", 2005.
//!
//! # Example
//! ```
//! use charta::{Data, Fit, Model, methods::mds::Mds};
//! use ndarray::array;
//! // The corners of a square of side 3, one of whose diagonals is missing.
//! let (d, unknown) = (18_f64.sqrt(), f64::NAN);
//! let distances = array![[0.0, 3.0, d, 3.0], [3.0, 0.0, 3.0, unknown], [d, 3.0, 0.0, 3.0], [3.0, unknown, 3.0, 0.0]];
//! let model = Mds::default().fit(Data::some_distances(distances.view())?)?;
//! let map = model.embedding().unwrap();
//! let side = (&map.row(0) - &map.row(1)).mapv(|v| v * v).sum().sqrt();
//! assert!((side - 3.0).abs() < 1e-3);
//! # Ok::<(), charta::Error>(())
//! ```

mod disparities;
pub(crate) mod smacof;

use self::smacof::{AT_ONCE, Kept, Smacof};
use crate::data::Data;
use crate::error::{Result, Warning, check_rows, message};
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::metric::{Comparison, ReferenceRows};
pub use crate::optimize::isotonic::Ties;
use crate::params::Parameters;
use crate::run::Run;
use crate::stress::dissimilarities::Dissimilarities;
use crate::stress::gradient_descent::End;
pub use crate::stress::initialization::Initialization;
use crate::stress::initialization::random;
use crate::stress::{self, StressRule};
pub use crate::stress::{StressModel, StressReport};
pub use smacof::Steps;

/// Parameters of multidimensional scaling.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Mds {
    /// Number of dimensions of the embedding. More lower the stress; usually 2 or 3.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Non-metric MDS, which preserves only the order of the distances: for ratings and ranks. Without, metric MDS preserves the distances themselves.
    #[param(default = false)]
    pub nonmetric: bool,
    /// Ties in non-metric MDS: whether equal distances must stay equal in the embedding (`secondary`) or may differ (`primary`), which suits coarse ratings.
    #[param(default = Ties::Secondary)]
    pub ties: Ties,
    /// Initialization of the embedding: `classical` (classical MDS) is near a good minimum, `random` may end in another.
    #[param(default = Initialization::Classical)]
    pub init: Initialization,
    /// Number of initializations; the result with the lowest stress is kept. More avoid poor local minima and cost time; all but the first are random. Usually 1 to 20.
    #[param(default = 1, min = 1)]
    pub n_starts: usize,
    /// Optimizer: `quasi_newton` (L-BFGS) converges in fewer iterations, `majorization` is SMACOF.
    #[param(default = Steps::QuasiNewton)]
    pub steps: Steps,
    /// Maximum number of iterations, for each initialization; raise it after a warning that the fit did not converge.
    #[param(default = 500, min = 1)]
    pub max_iterations: usize,
    /// Convergence tolerance: stop when an iteration lowers the stress by no more than this fraction of the sum of squared distances in the
    /// embedding. Larger values stop earlier; usually 1e-12 to 1e-6.
    #[param(default = 1e-11, min = 0.0, below = 1.0)]
    pub tolerance: f64,
    /// Distances between rows, unless they are given.
    #[param(flatten, default = Comparison::default())]
    pub comparison: Comparison,
    /// Seed of random initialization.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for Mds {
    const INFO: Info = Info {
        name: "mds",
        title: "Multidimensional scaling",
        summary: "Preserves distances (metric) or their order (non-metric), by minimizing stress",
        family: Family::Distance,
        reference: "Kruskal 1964; de Leeuw 1977",
        takes: &[
            Input::Sparse,
            Input::Distances,
            Input::MissingDistances,
            Input::PairWeights,
            Input::InitialEmbedding,
        ],
        offers: &[Capability::Interruptible],
        many_minima: true,
        transform_error: 1e-3,
        ..Info::DEFAULT
    };

    type Model = StressModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<StressModel> {
        self.check_sizes(data.n_rows())?;
        run.stage("distances")?;
        let distances = self.comparison.between(run, data)?;
        let known = Dissimilarities::new(distances, data.pair_weights().map(|w| w.view()))?;
        run.stage("initialization")?;
        let first = match data.initial_embedding_of(self.n_components)? {
            Some(given) => given.to_owned(),
            None => (self.init).coordinates(run, &known, self.n_components, self.seed)?,
        };
        run.stage("stress")?;
        let begin = |number: usize| {
            Ok(match number {
                0 => first.clone(),
                _ => random(&known, self.n_components, self.seed, number as u64),
            })
        };
        let (scaling, stress_of_starts, best_start) =
            self.smacof().best(run, &known, self.n_starts, begin)?;
        if self.tolerance > 0.0 || scaling.end == End::Interrupted {
            (scaling.end).warn(run, scaling.n_iterations, self.max_iterations)?;
        }
        if !scaling.stress.is_finite() {
            run.warn(Warning::doubtful(
                message!("the raw stress"),
                message!("it overflows and is left out; the normalized stress has no unit"),
            ))?;
        }
        let report = StressReport {
            stress: scaling.stress,
            normalized_stress: Some(scaling.normalized_stress),
            start_stress: scaling.stresses.first().copied().unwrap_or(scaling.stress),
            stress_per_row: scaling.stress_per_row,
            stress_of_starts,
            best_start,
            n_iterations: scaling.n_iterations,
            converged: scaling.converged,
            interrupted: scaling.end == End::Interrupted,
            n_missing: data.n_missing_distances(),
        };
        let rule = match scaling.curve {
            Some(curve) => StressRule::Order(curve),
            None => StressRule::Distances,
        };
        let rows = ReferenceRows::new(run, data, &self.comparison)?;
        Ok(StressModel::new(rows, rule, scaling.layout, report))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let n = shape.n_rows;
        self.check_sizes(n)?;
        let at_once = self.n_starts.min(AT_ONCE) as u64;
        let mut plan = Plan::new(if self.nonmetric {
            "non-metric MDS of all distances (SMACOF)"
        } else {
            "metric MDS of all distances (SMACOF)"
        })
        .needs("distances", (n, n), 8)
        .needs("initialization", (n, n), 2 * 8)
        .needs_rows("training rows", shape)
        .needs("L-BFGS history", (n, self.n_components), at_once * 40 * 8);
        if self.nonmetric {
            plan = plan.needs("order of the distances", (n, n), 2 * 8).needs(
                "disparities",
                (n, n),
                at_once * 4 * 8,
            );
        }
        if !shape.features {
            plan = plan
                .needs("weights and their Laplacian", (n, n), 3 * 8)
                .needs("shortest paths for missing distances", (n, n), 6 * 8);
        }
        Ok(plan.advice(message!(
            "use fewer {:rows}, or a method that needs no distances between all of them"
        )))
    }
}

impl Mds {
    fn check_sizes(&self, n_rows: usize) -> Result<()> {
        check_rows(message!("multidimensional scaling"), 2, n_rows)?;
        stress::check_components(self.n_components, n_rows)
    }

    fn smacof(&self) -> Smacof {
        Smacof {
            kept: if self.nonmetric {
                Kept::Order(self.ties)
            } else {
                Kept::Distances
            },
            steps: self.steps,
            max_iterations: self.max_iterations,
            tolerance: self.tolerance,
        }
    }
}
