//! Sammon's mapping: preserves distances, with errors relative to each distance, so that small distances count as much as large ones.
//!
//! # Idea
//! The stress of plain scaling is a sum of squared errors, which large distances dominate. Sammon divides every squared error by the distance that it
//! belongs to, so that the structure within groups counts beside that between them.
//!
//! # Steps
//! 1. [`metric::Comparison`](crate::metric::Comparison): distances of features, unless distances are given.
//! 2. `spectral::classical_scaling`: initialization by classical MDS; or random coordinates.
//! 3. `methods::sammon::optimize`: diagonal Newton steps or L-BFGS, which never raise the stress.
//! 4. [`stress::model::StressModel`](crate::stress::StressModel): out-of-sample placement.
//!
//! # Objective
//! E = (1/Σδ) Σ (δ − d)²/δ over pairs, with given distances δ and the map's distances d; with `weighting = relative` E = (1/N) Σ (δ − d)²/δ²
//! over the N pairs, the mean of the squared relative errors (Alpaydin 2014, equation 6.43, without the factor 1/N). Sammon's step divides the slope by the size
//! of the second derivative, number by number, times a "magic factor": x ← x − α E'/|E''|. A step that raises E is halved until it
//! does not, so that the embedding is never worse than the initialization. The default corrects the direction by L-BFGS.
//!
//! # Cost
//! n² time a step; n² numbers for the distances, once more for the classical initialization.
//!
//! # Choosing parameters
//! The defaults need no tuning. `magic_factor` is the length of the first step, 0.3 to 0.4 by Sammon's advice; later ones have an adaptive length. `steps =
//! newton` takes Sammon's steps alone and needs several times as many.
//!
//! # New points
//! The coordinates of a new row minimize its stress with the training rows, whose coordinates are fixed: Newton's method from the nearest row and from a mean
//! of the five nearest. A row at distance 0 from a training row is initialized there alone, with the weight of the smallest distance.
//!
//! # Differences
//! R's `MASS::sammon` refuses rows at distance 0 from each other; here such a pair, or one nearer than 1e-8 of the mean
//! distance, gets the weight of the smallest distance above that, and a warning.
//! `MASS::sammon` shortens and lengthens one step for all, and stops at an absolute change of E of 1e-4 in ten steps; here the descent goes on until a step
//! would gain less than `tolerance`. scikit-learn has no such method.
//!
//! # References
//! Sammon, "A nonlinear mapping for data structure analysis", 1969. Venables and Ripley, "Modern applied statistics with S", 2002,
//! section 11.1.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::sammon::Sammon};
//! let ball = charta::data::synthetic::sphere(80, 0.0, 0)?;
//! let model = Sammon::default().fit(&ball.features)?;
//! let figures = model.diagnostics();
//! assert!(figures.value("stress") < figures.value("initial_stress"));
//! # Ok::<(), charta::Error>(())
//! ```

mod optimize;

use ndarray::{Array1, Array2};

use self::optimize::SammonMap;
pub use self::optimize::{Steps, Weighting};
use crate::data::Data;
use crate::error::{Result, Warning, check_rows, counted, message};
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::metric::{Comparison, ReferenceRows};
use crate::params::Parameters;
use crate::run::Run;
use crate::stress::dissimilarities::Dissimilarities;
use crate::stress::gradient_descent::End;
pub use crate::stress::initialization::Initialization;
use crate::stress::{self, StressRule};
pub use crate::stress::{StressModel, StressReport};

/// Parameters of Sammon's mapping.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Sammon {
    /// Number of dimensions of the embedding. More lower the stress; usually 2 or 3.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Weights of the pairs: `sammon` (1/δ), or `relative` (1/δ²), which keeps small distances better at the cost of large ones.
    #[param(default = Weighting::Sammon)]
    pub weighting: Weighting,
    /// Initialization of the embedding: `classical` (classical MDS) is near a good minimum, `random` may end in another.
    #[param(default = Initialization::Classical)]
    pub init: Initialization,
    /// Optimizer: `quasi_newton` (L-BFGS) converges in fewer iterations, `newton` takes Sammon's own diagonal Newton steps.
    #[param(default = Steps::QuasiNewton)]
    pub steps: Steps,
    /// Sammon's magic factor: length of the first step as a fraction of a Newton step. Smaller values are safer and slower; usually 0.3 to 0.4.
    #[param(default = 0.3, above = 0.0, max = 1.0)]
    pub magic_factor: f64,
    /// Maximum number of iterations; raise it after a warning that the fit did not converge.
    #[param(default = 500, min = 1)]
    pub max_iterations: usize,
    /// Convergence tolerance: stop when an iteration lowers the stress by no more than this fraction of the weighted sum of squared
    /// distances in the embedding. Larger values stop earlier; usually 1e-12 to 1e-6.
    #[param(default = 1e-11, min = 0.0, below = 1.0)]
    pub tolerance: f64,
    /// Distances between rows, unless they are given.
    #[param(flatten, default = Comparison::default())]
    pub comparison: Comparison,
    /// Seed of random initialization.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for Sammon {
    const INFO: Info = Info {
        name: "sammon",
        title: "Sammon's mapping",
        summary: "Preserves distances, small ones as faithfully as large ones, by minimizing Sammon's stress",
        family: Family::Distance,
        reference: "Sammon 1969",
        takes: &[Input::Sparse, Input::Distances],
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
        let known = Dissimilarities::new(distances, None)?;
        run.stage("initialization")?;
        let first = (self.init).coordinates(run, &known, self.n_components, self.seed)?;
        run.stage("stress")?;
        let map = self.mapped(run, &known, first)?;
        let report = StressReport {
            stress: map.stress,
            normalized_stress: None,
            start_stress: map.start_stress,
            stress_per_row: map.stress_per_row,
            stress_of_starts: Array1::from_elem(1, map.stress),
            best_start: 0,
            n_iterations: map.n_iterations,
            converged: map.converged,
            interrupted: map.end == End::Interrupted,
            n_missing: 0,
        };
        let rows = ReferenceRows::new(run, data, &self.comparison)?;
        let rule = match self.weighting {
            Weighting::Sammon => StressRule::Sammon(map.least),
            Weighting::Relative => StressRule::Relative(map.least),
        };
        Ok(StressModel::new(rows, rule, map.layout, report))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let n = shape.n_rows;
        self.check_sizes(n)?;
        Ok(Plan::new("descent of Sammon's stress of all distances")
            .needs("distances", (n, n), 8)
            .needs("initialization", (n, n), 2 * 8)
            .needs_rows("training rows", shape)
            .needs("L-BFGS history", (n, self.n_components), 48 * 8)
            .advice(message!(
                "use fewer {:rows}, or a method that needs no distances between all of them"
            )))
    }
}

impl Sammon {
    fn check_sizes(&self, n_rows: usize) -> Result<()> {
        check_rows(message!("Sammon's mapping"), 2, n_rows)?;
        stress::check_components(self.n_components, n_rows)
    }

    fn mapped(
        &self,
        run: &Run<'_>,
        known: &Dissimilarities,
        first: Array2<f64>,
    ) -> Result<SammonMap> {
        let descent = optimize::Sammon {
            weighting: self.weighting,
            steps: self.steps,
            magic_factor: self.magic_factor,
            max_iterations: self.max_iterations,
            tolerance: self.tolerance,
        };
        let map = descent.from(run, known, first)?;
        if map.n_coincident > 0 {
            run.warn(Warning::doubtful(
                message!(
                    "{} of {:rows} at distance 0, or nearly",
                    counted(map.n_coincident, "pair")
                ),
                message!(
                    "Sammon's weight would be infinite; each gets the weight of the smallest distance above 0"
                ),
            ))?;
        }
        if self.tolerance > 0.0 || map.end == End::Interrupted {
            (map.end).warn(run, map.n_iterations, self.max_iterations)?;
        }
        Ok(map)
    }
}
