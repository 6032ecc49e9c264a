//! Principal component analysis: the orthogonal directions in which the data varies most.
//!
//! # Idea
//! Rows are points in a space with an axis for each column. PCA turns that space so that the first
//! new axis lies along the largest variance, the second along the largest that is left, and so on.
//! Keeping the first k coordinates loses as little of the squared distances as any linear map can.
//!
//! # Steps
//! 1. [`linalg::moments`](crate::linalg::moments): mean and scatter of the rows, in one pass.
//! 2. [`spectral::principal`](crate::spectral::principal): axes, by the route that fits the shape.
//! 3. [`dimension`](crate::dimension): how many to keep.
//! 4. [`methods::pca::PcaModel`](crate::methods::pca::PcaModel): encode, decode, likelihood.
//!
//! # Objective
//! W maximises tr(Wᵀ S W) under Wᵀ W = I, where S = Σ (x − m)(x − m)ᵀ / (n − 1); its columns are the
//! eigenvectors of S with the largest eigenvalues λ. z = Wᵀ(x − m), x ≈ m + W z, and the mean squared
//! error of that is the sum of the other eigenvalues. With `standardize`, columns are first divided
//! by their standard deviation, and S is the correlation matrix.
//!
//! # Cost
//! With n rows, d columns, k components: `covariance` n d² + d³ time and about 4 d² numbers besides
//! the data; `dual` d n² + n³ and 4 n²; `svd` 2 n d² + d³, with blocks of 4 d rows; `randomized` a
//! few passes of n d (k + 8) and 12 d (k + 8) numbers. The data is never copied as a whole, except for
//! the rows kept by `trim` and, in double precision, the rows with missing values. From batches, memory
//! does not grow with n.
//!
//! # Choosing parameters
//! `n_components` can be a number, a proportion of the variance, or a rule: `elbow` reads the scree
//! graph, `parallel` keeps what random data would not show, `mle` asks for the largest evidence.
//! `standardize` when columns have different units. `trim` when a few rows are far from all others.
//! `solver` is chosen by shape; `svd` is for variances so small that squaring them would lose them.
//!
//! # New points
//! z = Wᵀ(x − m), divided by √λ with `whiten`. With `missing = em`, missing values of new rows are
//! first replaced by their expectation under the model. The way back is m + W z.
//!
//! # Differences
//! From scikit-learn 1.9: the sign of each axis makes its entry of largest size positive, for every
//! solver; `randomized` iterates to a tolerance instead of a fixed number of times; the noise
//! variance divides by d − k, the maximum likelihood value, also where n < d (its `covariance_eigh`
//! does too, its other solvers do not); `mle` leaves out directions without variance; components
//! beyond the rank have the coordinate 0; `standardize` uses the divisor of the variances, so that
//! the variances of all components add up to the number of columns.
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
pub mod missing;
mod model;
mod selection;
pub mod trim;

pub use model::{PcaModel, PcaParts};
pub use selection::{Fitted, Keep};

use ndarray::Array1;

use crate::data::columns::Columns;
use crate::data::{Batches, Data, Features};
use crate::dimension::Components;
use crate::error::{Error, Message, Result, Warning};
use crate::linalg::krylov::Effort;
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::message;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};

use self::missing::{Gaussian, Stop};
use crate::params::{Choice, Parameters};
use crate::run::Run;
use crate::spectral::principal::{self, Axes, Solver};

/// What to do about missing values (NaN).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Missing {
    /// Refuse them.
    Error,
    /// Estimate them by expectation–maximisation under the probabilistic model.
    Em,
}

/// Parameters of principal component analysis.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Pca {
    /// How many components to keep: a number, a proportion of the variance, or a rule.
    #[param(default = Components::Count(2))]
    pub n_components: Components,
    /// The route to the axes.
    #[param(default = Solver::Auto)]
    pub solver: Solver,
    /// Divide each column by its standard deviation: PCA of the correlations.
    #[param(default = false)]
    pub standardize: bool,
    /// Divide each coordinate by its standard deviation, so that all have variance 1.
    #[param(default = false)]
    pub whiten: bool,
    /// Divide by n instead of n − 1 in variances.
    #[param(default = false)]
    pub population: bool,
    /// What to do about missing values.
    #[param(default = Missing::Error)]
    pub missing: Missing,
    /// Proportion of the rows, those farthest from the middle, that is left out of the fit.
    #[param(default = 0.0, min = 0.0, max = 0.5)]
    pub trim: f64,
    /// When iterations stop: for `randomized`, residuals as a share of the largest eigenvalue; for
    /// missing values, their largest change in standard deviations.
    #[param(default = 1e-7, above = 0.0, below = 1.0)]
    pub tolerance: f64,
    /// Iterations at most, for `randomized` and for missing values.
    #[param(default = 1000, min = 1)]
    pub max_iterations: usize,
    /// Random data sets drawn for the rule `parallel`.
    #[param(default = 200, min = 10)]
    pub repetitions: usize,
    /// Seed of everything random.
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
        summary: "The orthogonal directions in which the data varies most",
        family: Family::Linear,
        reference: "Pearson 1901; Hotelling 1933",
        takes: &[Input::Sparse],
        offers: &[
            Capability::Streams,
            Capability::Inverse,
            Capability::RowErrors,
            Capability::Likelihood,
            Capability::Axes,
            Capability::Loadings,
            Capability::Spectrum,
        ],
        ..Info::DEFAULT
    };

    type Model = PcaModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<PcaModel> {
        let features = data.features(Self::INFO.name)?;
        let keep = self.keep();
        keep.check(features.n_rows(), features.n_columns())?;
        if self.missing == Missing::Em && data.not_finite(None).is_some() {
            return self.fit_missing(run, data, features);
        }
        if self.trim > 0.0 {
            return self.fit_trimmed(run, data, features);
        }
        let (axes, mut fitted) = self.axes(run, data, features)?;
        if self.missing == Missing::Em {
            fitted.filler = Some(Gaussian::of_axes(&axes, fitted.n_rows));
        }
        let model = keep.model(run, axes, fitted)?;
        run.stage("projection")?;
        model.embed(run, data)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let smaller = n.min(d);
        let wanted = self.keep().wanted();
        let k = wanted.unwrap_or(smaller);
        let solver = self.solver.resolve(n, d, wanted);
        let mut plan = Plan::new(format!("principal axes, solver `{solver}`"));
        plan = match solver {
            Solver::Dual => plan
                .needs("inner products and eigenvectors", (n, n), 5 * 8)
                .needs("columns in blocks", (n, 1024.min(d)), 8),
            Solver::Randomized => {
                plan.needs("Krylov basis", (smaller, k.saturating_add(8)), 14 * 8)
            }
            Solver::Svd => plan
                .needs(
                    "rows in blocks",
                    (smaller.saturating_mul(5).max(512), smaller),
                    3 * 8,
                )
                .needs("triangular factor and vectors", (smaller, smaller), 5 * 8),
            _ => plan.needs("scatter and eigenvectors", (d, d), 5 * 8).needs(
                "rows in blocks",
                (256, d),
                shape.precision.bytes(),
            ),
        };
        if solver != Solver::Covariance && !shape.sparse {
            plan = plan.needs("rows in double precision", (1024.min(n), d), 2 * 8);
        }
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
        run.stage("moments")?;
        let names = batches.column_names().map(<[String]>::to_vec);
        let moments = Moments::of_batches(run, batches, Self::INFO.name)?;
        let keep = self.keep();
        keep.check(moments.count(), moments.mean().len())?;
        run.install(|| {
            let (axes, fitted) = keep.from_moments(run, moments, names.as_deref())?;
            keep.model(run, axes, fitted)
        })
    }
}

impl Pca {
    fn keep(&self) -> Keep {
        Keep {
            components: self.n_components,
            repetitions: self.repetitions,
            population: self.population,
            whiten: self.whiten,
            standardize: self.standardize,
            seed: self.seed,
        }
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

    /// Axes of all rows, by the route chosen.
    fn axes(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
    ) -> Result<(Axes, Fitted)> {
        let (n_rows, n_columns) = (features.n_rows(), features.n_columns());
        let wanted = self.keep().wanted();
        let solver = self.solver.resolve(n_rows, n_columns, wanted);
        run.stage("moments")?;
        if solver == Solver::Covariance {
            let moments = Moments::of(run, features)?;
            if !moments.is_finite() {
                return Err(data.bad_values(Some(hint())));
            }
            return self.keep().from_moments(run, moments, data.column_names());
        }
        if let Some(error) = data.not_finite(Some(hint())) {
            return Err(error);
        }
        let columns = Columns::of(features);
        let known = (columns.means, columns.spreads);
        let mut fitted = self
            .keep()
            .fitted(run, known, n_rows, data.column_names())?;
        fitted.solver = solver.to_string();
        let rows = Rows::new(features, &fitted.mean).scaled(fitted.factors.as_ref());
        run.stage("axes")?;
        let axes = match solver {
            Solver::Dual => principal::dual(run, &rows, wanted)?,
            Solver::Svd => principal::by_svd(run, &rows, wanted)?,
            _ => self.randomized(run, &rows, wanted)?,
        };
        Ok((axes, fitted))
    }

    fn randomized(&self, run: &Run<'_>, rows: &Rows<'_>, wanted: Option<usize>) -> Result<Axes> {
        let Some(wanted) = wanted else {
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
        principal::randomized(run, rows, wanted, &effort)
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
        run.stage("moments")?;
        let columns = missing::check_columns(data, features)?;
        let most = features.n_rows().min(features.n_columns());
        // A rule needs all variances, so that the model may use all axes but one.
        let n_axes = self
            .keep()
            .wanted()
            .unwrap_or(most.saturating_sub(1).max(1));
        let stop = Stop {
            tolerance: self.tolerance,
            max_rounds: self.max_iterations,
        };
        let known = (columns.means.clone(), columns.spreads.clone());
        let mut fitted = self
            .keep()
            .fitted(run, known, features.n_rows(), data.column_names())?;
        let ones = Array1::ones(features.n_columns());
        let factors = fitted.factors.clone().unwrap_or(ones);
        let estimate = missing::estimate(run, features, (&columns.means, &factors), n_axes, &stop)?;
        run.warn(Warning::MissingFilled {
            count: estimate.n_missing,
            rows: estimate.n_incomplete,
        })?;
        run.stage("eigenvectors")?;
        let axes = principal::from_moments(&estimate.moments, self.keep().wanted())?;
        // Estimated about the mean of what is there; the model's mean is the expected one.
        let moved = estimate.moments.mean();
        fitted.mean = &columns.means + &(moved / &factors);
        fitted.n_missing = estimate.n_missing;
        fitted.solver = format!("covariance, {} rounds of em", estimate.n_rounds);
        fitted.filler = Some(Gaussian {
            mean: Array1::zeros(features.n_columns()),
            ..estimate.gaussian
        });
        self.keep().model(run, axes, fitted)?.embed(run, data)
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
        run.stage("finding far rows")?;
        let deviations = Columns::of(features).deviations(1.0);
        let scale = deviations.mapv(|size| if size > 0.0 { size.recip() } else { 1.0 });
        let factors = self.standardize.then_some(&scale);
        let kept = trim::kept_rows(run, features, factors, self.trim)?;
        let n_left_out = features.n_rows() - kept.len();
        self.keep().check(kept.len(), features.n_columns())?;
        if n_left_out > 0 {
            run.warn(Warning::RowsLeftOut {
                count: n_left_out,
                reason: message!("they are the farthest from the centre"),
            })?;
        }
        let selected = features.select_rows(&kept)?;
        let mut inner = Data::from(&selected);
        if let Some(names) = data.column_names() {
            inner = inner.with_column_names(names)?;
        }
        let (axes, mut fitted) = self.axes(run, &inner, &selected.view())?;
        fitted.n_left_out = n_left_out;
        let model = self.keep().model(run, axes, fitted)?;
        model.embed(run, data)
    }
}
