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
//! 4. [`model::Principal`](crate::model::Principal): encode, decode, likelihood.
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
//! few passes of n d (k + 8) and 12 d (k + 8) numbers. The data is never copied as a whole, except
//! for the rows kept by `trim`. From batches, memory does not grow with n.
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

use ndarray::Array1;

use crate::data::columns::Columns;
use crate::data::{Batches, Data, Features};
use crate::dimension::{Components, Fitted, Keep};
use crate::error::{Error, Result, Warning};
use crate::linalg::krylov::Effort;
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::method::{Family, Info, Method, Plan, Shape};
use crate::model::Principal;
use crate::params::{Choice, Parameters};
use crate::run::Run;
use crate::spectral::missing::{self, Stop};
use crate::spectral::principal::{self, Axes, Solver};
use crate::spectral::trim;

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

const HINT: &str = "`missing = em` estimates missing values";

impl Method for Pca {
    const INFO: Info = Info {
        name: "pca",
        title: "Principal component analysis",
        summary: "The orthogonal directions in which the data varies most",
        family: Family::Linear,
        reference: "Pearson 1901; Hotelling 1933",
        sparse: true,
        streams: true,
        inverse: true,
        ..Info::DEFAULT
    };

    type Model = Principal;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Principal> {
        let features = data.features(Self::INFO.name)?;
        let keep = self.keep();
        keep.check(features.n_rows(), features.n_columns())?;
        if self.missing == Missing::Em && data.not_finite(None).is_some() {
            return self.fit_missing(run, data, features);
        }
        if self.trim > 0.0 {
            return self.fit_trimmed(run, data, features);
        }
        let (axes, fitted) = self.axes(run, data, features)?;
        let model = keep.model(run, axes, fitted)?;
        run.stage("projection")?;
        model.embed(run, data)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows as u64, shape.n_columns as u64);
        let wanted = self.keep().wanted();
        let k = wanted.unwrap_or(shape.n_rows.min(shape.n_columns)) as u64;
        let solver = self.solver.resolve(shape.n_rows, shape.n_columns, wanted);
        let mut plan = Plan::new(format!("principal axes, solver `{solver}`"));
        plan = match solver {
            Solver::Dual => plan.needs("inner products and eigenvectors", n * n, 5 * 8),
            Solver::Randomized => plan.needs("Krylov basis", n.min(d) * (k + 8), 14 * 8),
            Solver::Svd => plan.needs("rows in blocks", 5 * d.min(n) * d, 3 * 8).needs(
                "triangular factor and vectors",
                d.min(n).pow(2),
                5 * 8,
            ),
            _ => plan.needs("scatter and eigenvectors", d * d, 5 * 8).needs(
                "rows in blocks",
                1024 * d,
                shape.precision.bytes(),
            ),
        };
        if self.trim > 0.0 {
            plan = plan.needs(
                "copy of the rows kept",
                shape.n_stored as u64,
                shape.precision.bytes(),
            );
        }
        Ok(plan.needs("embedding", n * k, 8).advice(
            "use `solver = randomized` with a small number of components, or fit from batches",
        ))
    }

    fn fit_batches_in(&self, run: &Run<'_>, batches: &mut dyn Batches) -> Result<Principal> {
        self.check_streaming()?;
        run.stage("moments")?;
        let mut moments = Moments::new(batches.n_columns());
        let total = batches.n_rows().unwrap_or(0) as u64;
        while let Some(batch) = batches.next_batch()? {
            let features = batch.features(Self::INFO.name)?;
            // Progress is told over all batches, not within each.
            let part = run.install(|| Moments::of(&Run::new(), features))?;
            if !part.is_finite() {
                return Err(batch.bad_values(Some(HINT)));
            }
            moments.merge(&part);
            run.progress(moments.count() as u64, total.max(moments.count() as u64))?;
        }
        let keep = self.keep();
        keep.check(moments.count(), moments.mean().len())?;
        run.install(|| {
            let (axes, fitted) = self.of_moments(run, moments)?;
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
            fill_missing: self.missing == Missing::Em,
            seed: self.seed,
        }
    }

    fn check_streaming(&self) -> Result<()> {
        let problem = if self.trim > 0.0 {
            Some("`trim`")
        } else if self.missing == Missing::Em {
            Some("`missing = em`")
        } else if !matches!(self.solver, Solver::Auto | Solver::Covariance) {
            Some("a solver other than `covariance`")
        } else {
            None
        };
        match problem {
            Some(what) => Err(Error::unsupported(
                format!("`pca` with {what}"),
                "needs all rows at once: it cannot be fitted from batches",
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
                return Err(data.bad_values(Some(HINT)));
            }
            return self.of_moments(run, moments);
        }
        if let Some(error) = data.not_finite(Some(HINT)) {
            return Err(error);
        }
        let columns = Columns::of(features);
        let fitted = self.fitted(run, columns.means, columns.spreads, n_rows, solver)?;
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
                "solver",
                format!(
                    "must find all variances to choose `n_components` by `{}`",
                    self.n_components
                ),
                self.solver,
            ));
        };
        let effort = Effort {
            tolerance: self.tolerance,
            max_products: self.max_iterations,
            seed: self.seed,
        };
        principal::randomized(run, rows, wanted, &effort)
    }

    fn of_moments(&self, run: &Run<'_>, moments: Moments) -> Result<(Axes, Fitted)> {
        let fitted = self.fitted(
            run,
            moments.mean().clone(),
            moments.spreads(),
            moments.count(),
            Solver::Covariance,
        )?;
        let mut scatter = moments.into_scatter();
        if let Some(factors) = &fitted.factors {
            for ((i, j), entry) in scatter.indexed_iter_mut() {
                *entry *= factors[i] * factors[j];
            }
        }
        run.stage("eigenvectors")?;
        let axes = principal::from_scatter(&scatter.view(), self.keep().wanted())?;
        Ok((axes, fitted))
    }

    fn fitted(
        &self,
        run: &Run<'_>,
        mean: Array1<f64>,
        spreads: Array1<f64>,
        n_rows: usize,
        solver: Solver,
    ) -> Result<Fitted> {
        let mut fitted = Fitted {
            factors: None,
            mean,
            spreads,
            n_rows,
            solver: solver.to_string(),
            n_missing: 0,
            n_left_out: 0,
        };
        if self.standardize {
            fitted.factors = Some(self.factors(run, &fitted)?);
        }
        Ok(fitted)
    }

    /// One over the standard deviations; constant columns stay as they are.
    fn factors(&self, run: &Run<'_>, fitted: &Fitted) -> Result<Array1<f64>> {
        let divisor = self.keep().divisor(fitted.n_rows);
        let constant: Vec<usize> = (0..fitted.mean.len())
            .filter(|&j| is_constant(fitted.spreads[j], fitted.mean[j], fitted.n_rows))
            .collect();
        if let Some(first) = constant.first() {
            run.warn(Warning::ConstantColumns {
                count: constant.len(),
                first: first.to_string(),
            })?;
        }
        Ok(Array1::from_shape_fn(fitted.mean.len(), |j| {
            if constant.binary_search(&j).is_ok() {
                1.0
            } else {
                (fitted.spreads[j] / divisor).sqrt().recip()
            }
        }))
    }

    fn fit_missing(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
    ) -> Result<Principal> {
        if self.trim > 0.0 {
            return Err(Error::parameter(
                "trim",
                "must be 0 where values are missing",
                self.trim,
            ));
        }
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
        run.stage("moments")?;
        let estimate = missing::estimate(run, data, features, n_axes, &stop)?;
        run.warn(Warning::MissingFilled {
            count: estimate.n_missing,
            rows: count_incomplete(features),
        })?;
        let (axes, mut fitted) = self.of_moments(run, estimate.moments)?;
        fitted.n_missing = estimate.n_missing;
        fitted.solver = format!("covariance, {} rounds of em", estimate.n_rounds);
        self.keep().model(run, axes, fitted)?.embed(run, data)
    }

    fn fit_trimmed(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
    ) -> Result<Principal> {
        if let Some(error) = data.not_finite(Some(HINT)) {
            return Err(error);
        }
        run.stage("finding far rows")?;
        let columns = Columns::of(features);
        let scale = columns.deviations(1.0).mapv(|deviation| {
            if deviation > 0.0 {
                deviation.recip()
            } else {
                1.0
            }
        });
        let factors = self.standardize.then_some(&scale);
        let kept = trim::kept_rows(run, features, factors, self.trim)?;
        let selected = trim::select(features, &kept)?;
        let inner = Data::from(&selected);
        let (axes, mut fitted) = self.axes(run, &inner, &selected.view())?;
        fitted.n_left_out = features.n_rows() - kept.len();
        let model = self.keep().model(run, axes, fitted)?;
        model.embed(run, data)
    }
}

/// True if a column's spread is no more than the rounding of its values.
fn is_constant(spread: f64, mean: f64, n_rows: usize) -> bool {
    spread <= n_rows as f64 * (mean * 4.0 * f64::EPSILON).powi(2)
}

fn count_incomplete(features: &Features<'_>) -> usize {
    let mut row = vec![0.0; features.n_columns()];
    (0..features.n_rows())
        .filter(|&i| {
            features.copy_row(i, &mut row);
            row.iter().any(|value| value.is_nan())
        })
        .count()
}
