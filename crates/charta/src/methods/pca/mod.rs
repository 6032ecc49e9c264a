//! Principal component analysis (PCA): the orthogonal directions of largest variance.
//!
//! # Idea
//! Rows are points in a space with an axis for each column. PCA rotates that space so that the first new axis has the largest variance, the second the largest
//! that remains, and so on.
//! Keeping the first k coordinates loses as little of the squared distances as any linear map can.
//!
//! # Steps
//! 1. `linalg::moments`: mean and scatter of the rows, in one pass.
//! 2. `spectral::principal`: axes, by the solver that fits the shape.
//! 3. [`dimension`](crate::dimension): how many to keep.
//! 4. [`methods::pca::PcaModel`](crate::methods::pca::PcaModel): transform, inverse transform, likelihood.
//!
//! # Objective
//! W maximizes tr(Wᵀ S W) under Wᵀ W = I, where S = Σ (x − m)(x − m)ᵀ / (n − 1); its columns are the
//! eigenvectors of S with the largest eigenvalues λ. z = Wᵀ(x − m), x ≈ m + W z, and the mean squared
//! error of that is the sum of the other eigenvalues. With `standardize`, columns are first divided
//! by their standard deviation with divisor n, and S is n / (n − 1) times the correlation matrix, or that matrix with
//! `population`.
//!
//! # Cost
//! With n rows, d columns, k components: `covariance` n d² + d³ time and about 4 d² numbers besides
//! the data; `dual` d n² + n³ and 4 n²; `svd` 2 n d² + d³, with blocks of 4 d rows; `randomized` a
//! few passes of n d (k + 8) and 12 d (k + 8) numbers. The data is never copied as a whole, except for
//! the rows kept by `trim` and, in double precision, the rows with missing values. From batches, memory
//! does not grow with n.
//!
//! # Choosing parameters
//! `n_components` can be a number, a proportion of the variance, or a rule: `elbow` finds the elbow of the scree
//! plot, `parallel` keeps components with more variance than random data, `mle` maximizes the Bayesian evidence.
//! Rows may have weights: one of weight 2 counts as two rows, in the mean and in the variances.
//! `standardize` when columns have different units. `trim` when a few rows are far from all others.
//! `solver` is chosen by shape; `svd` is for variances so small that squaring them would lose them.
//!
//! # New points
//! z = Wᵀ(x − m), divided by √λ with `whiten`. With `missing = em`, missing values of new rows are
//! first replaced by their expectation under the model. The inverse transform is m + W z.
//!
//! # Differences
//! From scikit-learn 1.9: the sign of each axis makes its entry of largest size positive, for every
//! solver; `randomized` iterates to a tolerance instead of a fixed number of times; the noise
//! variance divides by d − k, the maximum likelihood value, also where n < d (its `covariance_eigh`
//! does too, its other solvers do not); `mle` leaves out directions without variance; components
//! beyond the rank have the coordinate 0. `standardize` gives what its StandardScaler and PCA give.
//!
//! # References
//! Pearson, "On lines and planes of closest fit to systems of points in space", 1901. Hotelling,
//! "Analysis of a complex of statistical variables into principal components", 1933. Tipping and
//! Bishop, "Probabilistic principal component analysis", 1999. Horn, "A rationale and test for the
//! number of factors in factor analysis", 1965. Minka, "Automatic choice of dimensionality for PCA",
//! 2000.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::pca::Pca, dimension::Components};
//! let data = charta::data::synthetic::swiss_roll(300, 0.0, 0)?;
//! let pca = Pca { n_components: Components::Count(2), ..Pca::default() };
//! let model = pca.fit(&data)?;
//! assert_eq!(model.embedding().unwrap().dim(), (300, 2));
//! assert!(model.explained_variance_ratio().sum() > 0.6);
//! # Ok::<(), charta::Error>(())
//! ```

pub mod incremental;
mod missing;
mod model;
mod selection;
mod trim;
mod weights;

pub use model::{PcaModel, PcaReport};

use ndarray::{Array1, Axis};

use self::missing::{Gaussian, Stop};
use self::selection::Found;
use crate::data::columns::Columns;
use crate::data::{Batches, Data, Features};
use crate::dimension::Components;
use crate::error::{Error, Message, Result, Warning, message};
use crate::linalg::block_krylov::Effort;
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::linear::Covariances;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape, Step, Steps};
use crate::params::{Choice, Parameters};
use crate::run::Run;
pub use crate::spectral::principal::Solver;
use crate::spectral::principal::{self, Axes};

/// What to do about missing values (NaN).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Missing {
    /// Report an error.
    Error,
    /// Estimate them by expectation–maximization under the probabilistic model.
    Em,
}

/// Parameters of principal component analysis.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Pca {
    /// Number of components to keep: a count, a proportion of the variance between 0 and 1, or a rule (`elbow`,
    /// `parallel`, `mle`). More components keep more variance; 2 or 3 for a picture, 0.9 to 0.99 before another method.
    #[param(default = Components::Count(2))]
    pub n_components: Components,
    /// Solver of the eigenproblem. `auto` chooses by shape; `svd` keeps very small variances exact, `randomized` is the
    /// fastest for a few components of large data.
    #[param(default = Solver::Auto)]
    pub solver: Solver,
    /// Divide each column by its standard deviation first: PCA of the correlation matrix. For columns in different units. The divisor is n,
    /// so the coordinates are those of data scaled to z-scores; loadings are correlations, and the inverse transform returns to the units of the columns.
    #[param(default = false)]
    pub standardize: bool,
    /// Divide each coordinate by its standard deviation, so that all components have variance 1. Useful before methods
    /// that compare distances; it also amplifies noise in the last components.
    #[param(default = false)]
    pub whiten: bool,
    /// Divide by n instead of n − 1 in variances: maximum likelihood instead of unbiased estimates.
    #[param(default = false)]
    pub population: bool,
    /// Missing values (NaN): report an error, or estimate them by expectation–maximization (`em`).
    #[param(default = Missing::Error)]
    pub missing: Missing,
    /// Proportion of the rows, those farthest from the centre, that is left out of the fit. Larger values resist more outliers; usually 0
    /// to 0.1.
    #[param(default = 0.0, min = 0.0, max = 0.5)]
    pub trim: f64,
    /// Convergence tolerance: of `randomized`, the residuals relative to the largest eigenvalue; of missing values, their
    /// largest change in standard deviations. Smaller values take more iterations; usually 1e-4 to 1e-9.
    #[param(default = 1e-7, above = 0.0, below = 1.0)]
    pub tolerance: f64,
    /// Maximum number of iterations of `randomized` and of the estimate of missing values; raise it after a warning that the fit did not
    /// converge.
    #[param(default = 1000, min = 1)]
    pub max_iterations: usize,
    /// Number of random data sets for the rule `parallel`. More make its thresholds less random; usually 100 to 1000.
    #[param(default = 200, min = 10)]
    pub repetitions: usize,
    /// Seed of the random numbers. The same seed gives the same result; another shows how much depends on chance.
    #[param(default = 0)]
    pub seed: u64,
}

/// What to do about missing values.
fn hint() -> Message {
    message!("{missing=em} estimates missing values")
}

impl Method for Pca {
    const INFO: Info = Info {
        name: "pca",
        title: "Principal component analysis",
        summary: "PCA: the orthogonal directions of largest variance",
        family: Family::Linear,
        reference: "Pearson 1901; Hotelling 1933",
        takes: &[Input::Sparse, Input::RowWeights],
        offers: &[
            Capability::Streams,
            Capability::Inverse,
            Capability::RowErrors,
            Capability::Likelihood,
            Capability::Samples,
            Capability::Axes,
            Capability::Loadings,
            Capability::Spectrum,
            Capability::Steps,
        ],
        ..Info::DEFAULT
    };

    type Model = PcaModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<PcaModel> {
        let features = data.features(Self::INFO.name)?;
        self.check_size(features.n_rows(), features.n_columns())?;
        if let Some(weights) = data.row_weights() {
            return self.fit_weighted(run, data, features, &weights);
        }
        if self.missing == Missing::Em && data.not_finite(None).is_some() {
            return self.fit_missing(run, data, features);
        }
        if self.trim > 0.0 {
            return self.fit_trimmed(run, data, features);
        }
        let found = self.principal_axes(run, data, features)?;
        let filler = (self.missing == Missing::Em)
            .then(|| Gaussian::of_axes(&found.axes, found.standardization.n_rows));
        let mut model = self.model(run, found)?;
        model.report_mut().filler = filler;
        run.stage("projection")?;
        model.embed(run, data)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let solver = self.solver.resolve(n, d, self.fixed_count());
        let k = self.fixed_count().unwrap_or(n.min(d));
        let mut plan = Plan::new(format!("principal axes, solver `{solver}`"))
            .needs_principal_axes(shape, solver, k);
        if self.trim > 0.0 {
            plan = plan.needs(
                "copy of the rows kept",
                (shape.n_stored, 1),
                shape.precision.bytes(),
            );
        }
        if self.missing == Missing::Em {
            plan = plan
                .needs("rows with missing values, at most", (n, d), 3 * 8)
                .needs("their covariance", (d, d), 68 * 8);
        }
        Ok(plan
            .needs("mean and axes", (k.saturating_add(4), d), 3 * 8)
            .needs("embedding", (n, k), 8)
            .advice(message!(
                "use {solver=randomized} with a small number of components"
            ))
            .or_batches())
    }

    fn steps_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Steps> {
        let features = data.features(Self::INFO.name)?;
        self.check_size(features.n_rows(), features.n_columns())?;
        if data.row_weights().is_some() {
            return Err(Error::unsupported(
                message!("the covariance of {'pca':method} as a step"),
                message!("is that of {:rows} without weights: leave them out"),
            ));
        }
        if self.trim > 0.0 {
            let because = message!("the covariance is given of all {:rows}");
            return Err(Error::one_of("trim", &["0"], because, self.trim));
        }
        let found = Covariances::of(run, &Data::new(features.reborrow()))?;
        let (formula, matrix) = if self.standardize {
            let deviations = (&found.scatter.diag() / found.n_rows as f64).mapv(f64::sqrt);
            let inverse = deviations.mapv(|size| if size > 0.0 { size.recip() } else { 0.0 });
            let scaled = &found.scatter * &inverse * inverse.view().insert_axis(Axis(1));
            (
                "the covariance of the columns divided by their standard deviations (divisor n), whose largest eigenvectors are the axes",
                scaled,
            )
        } else {
            (
                "Σ (x − m)(x − m)ᵀ by the divisor, whose largest eigenvectors are the axes",
                found.scatter.clone(),
            )
        };
        let matrix = found.covariance(&matrix, self.population);
        Ok(Steps::of_all(vec![Step::new(
            "covariance",
            formula,
            matrix,
        )]))
    }

    fn plan_batches(&self, batch: &Shape) -> Result<Plan> {
        self.check_streaming()?;
        let d = batch.n_columns;
        Ok(Plan::new("principal axes of merged moments")
            .needs("scatter and eigenvectors", (d, d), 6 * 8)
            .needs("rows in blocks", (256, d), batch.precision.bytes())
            .advice(message!("use fewer {:columns}")))
    }

    fn fit_batches_in(&self, run: &Run<'_>, batches: &mut dyn Batches) -> Result<PcaModel> {
        self.check_streaming()?;
        run.stage("covariance")?;
        let names = batches.column_names().map(<[String]>::to_vec);
        let moments = Moments::of_batches(run, batches, Self::INFO.name)?;
        run.install(|| self.fit_moments(run, moments, names.as_deref()))
    }
}

impl Pca {
    /// The model of rows of which the moments are known.
    fn fit_moments(
        &self,
        run: &Run<'_>,
        moments: Moments,
        names: Option<&[String]>,
    ) -> Result<PcaModel> {
        self.check_size(moments.count(), moments.mean().len())?;
        let found = self.axes_of_moments(run, moments, names)?;
        self.model(run, found)
    }

    fn check_streaming(&self) -> Result<()> {
        let problem = if self.trim > 0.0 {
            Some(message!("{trim:parameter}"))
        } else if self.missing == Missing::Em {
            Some(message!("{missing=em}"))
        } else if !matches!(self.solver, Solver::Auto | Solver::Covariance) {
            Some(message!("a solver other than {'covariance'}"))
        } else {
            None
        };
        match problem {
            Some(what) => Err(Error::unsupported(
                message!("{'pca':method} with {what}"),
                message!("needs all {:rows} at once: it cannot be fitted from batches"),
            )),
            None => Ok(()),
        }
    }

    /// Principal axes of all rows, centred and with `standardize` scaled.
    fn principal_axes(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
    ) -> Result<Found> {
        let (n_rows, n_columns) = (features.n_rows(), features.n_columns());
        let count = self.fixed_count();
        let solver = self.solver.resolve(n_rows, n_columns, count);
        run.stage("covariance")?;
        if solver == Solver::Covariance {
            let moments = Moments::of(run, features)?;
            if !moments.is_finite() {
                return Err(data.bad_values(Some(hint())));
            }
            return self.axes_of_moments(run, moments, data.column_names());
        }
        if let Some(error) = data.not_finite(Some(hint())) {
            return Err(error);
        }
        let Columns { means, spreads, .. } = Columns::of(features);
        let standardization =
            self.standardization(run, means, spreads, n_rows as f64, data.column_names())?;
        let rows =
            Rows::new(features, &standardization.mean).scaled(standardization.factors.as_ref());
        run.stage("axes")?;
        let axes = match solver {
            Solver::Dual => principal::dual(run, &rows, count)?,
            Solver::Svd => principal::by_svd(run, &rows, count)?,
            _ => self.randomized(run, &rows, count)?,
        };
        Ok(Found {
            standardization,
            axes,
            solver: solver.to_string(),
        })
    }

    fn randomized(&self, run: &Run<'_>, rows: &Rows<'_>, count: Option<usize>) -> Result<Axes> {
        let Some(count) = count else {
            return Err(Error::parameter(
                "n_components",
                message!(
                    "be a whole number with {solver=randomized}, which computes a few components only"
                ),
                self.n_components,
            ));
        };
        let effort = Effort {
            tolerance: self.tolerance,
            max_products: self.max_iterations,
            seed: self.seed,
        };
        principal::randomized(run, rows, count, &effort)
    }

    fn fit_missing(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
    ) -> Result<PcaModel> {
        if self.trim > 0.0 {
            return Err(Error::one_of(
                "trim",
                &["0"],
                message!("values are missing"),
                self.trim,
            ));
        }
        run.stage("covariance")?;
        let columns = missing::check_columns(data, features)?;
        // A rule needs all variances, so that the model may use all axes but one.
        let most = features.n_rows().min(features.n_columns());
        let n_axes = self.fixed_count().unwrap_or((most - 1).max(1));
        let mut standardization = self.standardization(
            run,
            columns.means.clone(),
            columns.spreads,
            features.n_rows() as f64,
            data.column_names(),
        )?;
        let ones = Array1::ones(features.n_columns());
        let factors = standardization.factors.clone().unwrap_or(ones);
        let stop = Stop {
            tolerance: self.tolerance,
            max_rounds: self.max_iterations,
        };
        let estimate = missing::estimate(run, features, &columns.means, &factors, n_axes, &stop)?;
        run.warn(Warning::MissingFilled {
            count: estimate.n_missing,
            rows: estimate.n_incomplete,
        })?;
        run.stage("eigenvectors")?;
        // Estimated about the mean of what is there; the model's mean is the expected one.
        standardization.mean = &columns.means + &(estimate.moments.mean() / &factors);
        let mut model = self.model(
            run,
            Found {
                standardization,
                axes: principal::from_moments(&estimate.moments, self.fixed_count())?,
                solver: format!("covariance, {} rounds of em", estimate.n_rounds),
            },
        )?;
        let report = model.report_mut();
        report.n_missing = estimate.n_missing;
        report.filler = Some(Gaussian {
            mean: Array1::zeros(features.n_columns()),
            ..estimate.gaussian
        });
        model.embed(run, data)
    }

    fn fit_trimmed(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
    ) -> Result<PcaModel> {
        if let Some(error) = data.not_finite(Some(hint())) {
            return Err(error);
        }
        run.stage("outlying rows")?;
        let deviations = Columns::of(features).deviations(0.0);
        let scale = deviations.mapv(|size| if size > 0.0 { size.recip() } else { 1.0 });
        let factors = self.standardize.then_some(&scale);
        let kept = trim::kept_rows(run, features, factors, self.trim)?;
        let rows_left_out = others(&kept, features.n_rows());
        self.check_size(kept.len(), features.n_columns())?;
        if !rows_left_out.is_empty() {
            run.warn(Warning::RowsLeftOut {
                count: rows_left_out.len(),
                reason: message!(
                    "they are the farthest from the centre; their coordinates are computed all the same"
                ),
            })?;
        }
        let selected = features.select_rows(&kept)?;
        let mut inner = Data::from(&selected);
        if let Some(names) = data.column_names() {
            inner = inner.with_column_names(names)?;
        }
        let found = self.principal_axes(run, &inner, &selected.view())?;
        let mut model = self.model(run, found)?;
        model.report_mut().rows_left_out = rows_left_out;
        model.embed(run, data)
    }
}

/// The rows that are not among those kept, which are in order.
fn others(kept: &[usize], n_rows: usize) -> Vec<u32> {
    let mut kept = kept.iter().copied().peekable();
    let is_other = |row: &usize| kept.next_if_eq(row).is_none();
    (0..n_rows).filter(is_other).map(|row| row as u32).collect()
}
