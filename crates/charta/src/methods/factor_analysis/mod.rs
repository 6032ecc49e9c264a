//! Factor analysis: latent factors that explain the correlations, with a separate noise variance for each column.
//!
//! # Idea
//! What columns share comes from k factors; what is left in each column is its own noise. PCA looks for
//! the directions of largest variance and takes noise for signal where a column is noisy; factor
//! analysis explains the correlations and leaves each column its noise, whatever its size.
//!
//! # Steps
//! 1. `linalg::moments`: mean and correlations of the columns, in one pass.
//! 2. `methods::factor_analysis::likelihood`: noise variances of the largest likelihood.
//! 3. `linalg::rotation`: rotation of the loadings.
//! 4. [`methods::factor_analysis::FactorAnalysisModel`](crate::methods::factor_analysis::FactorAnalysisModel): scores, covariance, likelihood.
//!
//! # Objective
//! x = m + Λᵀ z + e with z ~ N(0, I) and e ~ N(0, diag ψ), so that x ~ N(m, Λᵀ Λ + Ψ). Λ and ψ maximize
//! the likelihood of the rows. For given ψ the best Λ is known from the k largest eigenpairs of
//! Ψ^-½ S Ψ^-½, with S = Σ (x − m)(x − m)ᵀ / n; with it put in, ψ = diag(S − Λᵀ Λ) is a step of
//! expectation–maximization. After a few of these, Newton steps in log ψ follow (below 192 columns with the
//! curvature itself, otherwise with a quasi-Newton approximation of it), accepted only if the likelihood increases. The iteration ends when two steps in a row
//! predict and gain no more than `tolerance` of mean log-likelihood.
//!
//! # Cost
//! With n rows, d columns, k factors: `exact` n d² once, then a few d² (k + 8) in each of some tens of
//! iterations, and about 6 d² numbers. `randomized` reads the rows instead, a few passes of
//! n d (k + 8) for each iteration, and about 30 d (k + 8) numbers. `auto` takes `exact` up to 4,096 columns,
//! whether or not there are as many rows: its matrix then takes 134 MB at most.
//!
//! # Choosing parameters
//! The fit does not depend on the columns' units. `standardize` gives loadings that are correlations,
//! and makes rotations weight columns equally. `rotation` makes loadings easier to interpret: `varimax` is
//! customary, `promax` lets factors correlate. A noise variance at `noise_floor` (a Heywood case, with a warning) means that a factor has become one column:
//! use fewer factors.
//!
//! # New points
//! z = E[z | x] = (I + Λ Ψ⁻¹ Λᵀ)⁻¹ Λ Ψ⁻¹ (x − m), rotated as the loadings are; the inverse transform is
//! m + Λᵀ z.
//!
//! # Differences
//! From scikit-learn 1.9: noise variances are initialized by the residuals of regression on the other columns (as in R's `factanal`), not at 1, so that it
//! does not depend on units, and runs on to the maximum; tolerances are of the mean log-likelihood;
//! the noise floor is a fraction of the column's variance (R has 0.005), not 1e-12; columns without variance are left
//! out of the likelihood; rotations are iterated to convergence, and rotated factors are sorted by the
//! variance they explain; the sign of each factor makes its largest loading positive.
//!
//! # References
//! Jöreskog, "Some contributions to maximum likelihood factor analysis", 1967. Barber, "Bayesian
//! reasoning and machine learning", 21.1, 2012. Nocedal, "Updating quasi-Newton matrices with limited storage", 1980.
//! Kaiser, "The varimax criterion for analytic rotation in factor analysis", 1958. Hendrickson and
//! White, "Promax: a quick method for rotation to oblique simple structure", 1964.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::factor_analysis::FactorAnalysis};
//! let data = charta::data::synthetic::swiss_roll(300, 0.0, 0)?;
//! let model = FactorAnalysis { n_components: 1, ..Default::default() }.fit(&data)?;
//! assert_eq!(model.embedding().unwrap().dim(), (300, 1));
//! assert_eq!(model.noise_variance().len(), 3);
//! # Ok::<(), charta::Error>(())
//! ```

mod likelihood;
mod model;

use self::likelihood::{Likelihood, Solution, Source, Stop, maximize};
pub use likelihood::NoiseStart;
pub use model::{FactorAnalysisModel, FactorAnalysisReport};

use ndarray::{Array1, Array2, s};

use crate::data::columns::Columns;
use crate::data::{Batches, Data, Features};
use crate::error::{Column, Error, Result, Warning, check_count, check_rows, counted, message};
use crate::linalg::moments::Moments;
pub use crate::linalg::rotation::Rotation;
use crate::linalg::rotation::{Rotated, rotate};
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};

use crate::params::{Choice, Parameters};
use crate::run::Run;
use crate::spectral::principal::constant_data;

/// The solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Solver {
    /// `exact` up to 4,096 columns, `randomized` beyond.
    Auto,
    /// Eigenvectors of the correlation matrix.
    Exact,
    /// Block Krylov iteration on the rows from a random initialization, without that matrix.
    Randomized,
}

/// Columns up to which `auto` forms the correlations.
const MOST_COLUMNS: usize = 4096;

impl Solver {
    fn resolve(self, n_columns: usize) -> Self {
        match self {
            Self::Auto if n_columns <= MOST_COLUMNS => Self::Exact,
            Self::Auto => Self::Randomized,
            chosen => chosen,
        }
    }
}

/// Parameters of factor analysis.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct FactorAnalysis {
    /// Number of factors. More explain more of the correlations; a warning about a Heywood case means too many.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Solver: `exact` forms the correlation matrix, `randomized` reads the rows instead, for very many columns.
    #[param(default = Solver::Auto)]
    pub solver: Solver,
    /// Rotation of the factors for interpretation: `varimax` and `quartimax` keep them uncorrelated, `promax` does not.
    #[param(default = Rotation::None)]
    pub rotation: Rotation,
    /// Kaiser normalization: rotate as if the loadings of every column had length 1, so that columns with small communality
    /// count as much as others.
    #[param(default = false)]
    pub kaiser: bool,
    /// Power to which promax raises the loadings. Larger values let factors correlate more; usually 2 to 4.
    #[param(default = 4.0, above = 1.0, max = 20.0)]
    pub power: f64,
    /// Divide each column by its standard deviation (with divisor n), so that loadings are correlations. For columns in different units.
    #[param(default = false)]
    pub standardize: bool,
    /// Initialization of the noise variances: residual variances of the regression on the other columns, or a proportion of the variance.
    #[param(default = NoiseStart::Regression)]
    pub noise_start: NoiseStart,
    /// Lower bound of a noise variance as a proportion of its column's variance. Larger values prevent Heywood cases; usually
    /// 1e-4 to 0.01.
    #[param(default = 1e-4, min = 1e-12, max = 0.1)]
    pub noise_floor: f64,
    /// Convergence tolerance: iterations end when two in a row gain no more than this mean log-likelihood. Smaller values are more exact
    /// and slower; usually 1e-6 to 1e-10.
    #[param(default = 1e-9, min = 0.0, below = 1.0)]
    pub tolerance: f64,
    /// Maximum number of iterations; raise it after a warning that the fit did not converge.
    #[param(default = 1000, min = 1)]
    pub max_iterations: usize,
    /// Seed of the random numbers. The same seed gives the same result; another shows how much depends on chance.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for FactorAnalysis {
    const INFO: Info = Info {
        name: "factor_analysis",
        title: "Factor analysis",
        summary: "Factor analysis: latent factors that explain the correlations, with a separate noise variance for each column",
        family: Family::Linear,
        reference: "Jöreskog 1967",
        takes: &[Input::Sparse],
        offers: &[
            Capability::Streams,
            Capability::Inverse,
            Capability::Likelihood,
            Capability::Samples,
            Capability::Axes,
            Capability::Loadings,
            Capability::Spectrum,
        ],
        ..Info::DEFAULT
    };

    type Model = FactorAnalysisModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<FactorAnalysisModel> {
        let features = data.features(Self::INFO.name)?;
        self.check_size(features.n_rows(), features.n_columns())?;
        run.stage("covariance")?;
        let names = data.column_names();
        let model = match self.solver.resolve(features.n_columns()) {
            Solver::Randomized => self.fit_rows(run, data, features)?,
            _ => {
                let moments = Moments::of(run, features)?;
                if !moments.is_finite() {
                    return Err(data.bad_values(None));
                }
                self.fit_moments(run, moments, names)?
            }
        };
        run.stage("projection")?;
        model.embed(run, data)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let solver = self.solver.resolve(d);
        let plan = Plan::new(format!(
            "factors of the largest likelihood, solver `{solver}`"
        ));
        let width = self.n_components.saturating_add(8);
        let plan = match solver {
            Solver::Randomized => plan
                .needs("Krylov basis and partial sums", (d, width), 34 * 8)
                .needs("rows in double precision", (1024.min(n), d), 2 * 8),
            _ => self.needs_matrix(plan, shape),
        };
        Ok(plan
            .needs(
                "mean and loadings",
                (self.n_components.saturating_add(4), d),
                5 * 8,
            )
            .needs("embedding", (n, self.n_components), 8)
            .advice(message!("use {solver=randomized} or fewer {:columns}"))
            .or_batches())
    }

    fn plan_batches(&self, batch: &Shape) -> Result<Plan> {
        self.check_streaming()?;
        let plan = Plan::new("factors of the largest likelihood, of merged moments");
        Ok(self
            .needs_matrix(plan, batch)
            .needs("moments of a batch", (batch.n_columns, batch.n_columns), 8)
            .advice(message!("use fewer {:columns}")))
    }

    fn fit_batches_in(
        &self,
        run: &Run<'_>,
        batches: &mut dyn Batches,
    ) -> Result<FactorAnalysisModel> {
        self.check_streaming()?;
        run.stage("covariance")?;
        let names = batches.column_names().map(<[String]>::to_vec);
        let moments = Moments::of_batches(run, batches, Self::INFO.name)?;
        self.check_size(moments.count(), moments.mean().len())?;
        run.install(|| self.fit_moments(run, moments, names.as_deref()))
    }
}

/// What is known of the columns before the fit.
struct Known<'a> {
    mean: Array1<f64>,
    /// Standard deviations, with divisor n; 0 for columns that do not vary.
    deviations: Array1<f64>,
    n_rows: usize,
    names: Option<&'a [String]>,
}

impl Known<'_> {
    fn varies(&self) -> Vec<bool> {
        self.deviations.iter().map(|&size| size > 0.0).collect()
    }

    /// What makes centred columns have length 1; 0 for those that do not vary.
    fn units(&self) -> Array1<f64> {
        let root = (self.n_rows as f64).sqrt();
        self.deviations.mapv(|size| {
            if size == 0.0 {
                0.0
            } else {
                (size * root).recip()
            }
        })
    }
}

impl FactorAnalysis {
    fn check_size(&self, n_rows: usize, n_columns: usize) -> Result<()> {
        check_rows(message!("factor analysis"), 2, n_rows)?;
        check_count(self.n_components, n_rows, n_columns)
    }

    fn check_streaming(&self) -> Result<()> {
        match self.solver {
            Solver::Randomized => Err(Error::unsupported(
                message!("{'factor_analysis':method} with {solver=randomized}"),
                message!("needs all {:rows} at once: it cannot be fitted from batches"),
            )),
            _ => Ok(()),
        }
    }

    fn needs_matrix(&self, plan: Plan, shape: &Shape) -> Plan {
        let d = shape.n_columns;
        plan.needs("correlations and eigenvectors", (d, d), 6 * 8)
            .needs(
                "Krylov basis",
                (d, self.n_components.saturating_add(8)),
                16 * 8,
            )
            .needs("rows in blocks", (256, d), shape.precision.bytes())
    }

    /// Means and deviations; columns that do not vary are named.
    fn known<'a>(
        &self,
        run: &Run<'_>,
        mean: Array1<f64>,
        spreads: &Array1<f64>,
        n_rows: usize,
        names: Option<&'a [String]>,
    ) -> Result<Known<'a>> {
        let n = n_rows as f64;
        // Merged batches leave a constant column a spread of the rounding of its mean.
        let rounding = mean.mapv(|mean| n * (8.0 * f64::EPSILON * mean).powi(2));
        let mut deviations = spreads.mapv(|spread| (spread / n).sqrt());
        let mut constant = Vec::new();
        for j in (0..spreads.len()).filter(|&j| spreads[j] <= rounding[j]) {
            deviations[j] = 0.0;
            constant.push(j);
        }
        if constant.len() == spreads.len() {
            return Err(constant_data());
        }
        if let Some(&first) = constant.first() {
            run.warn(Warning::ConstantColumns {
                count: constant.len(),
                first: Column::new(first, names),
            })?;
        }
        Ok(Known {
            mean,
            deviations,
            n_rows,
            names,
        })
    }

    fn fit_moments(
        &self,
        run: &Run<'_>,
        mut moments: Moments,
        names: Option<&[String]>,
    ) -> Result<FactorAnalysisModel> {
        let mean = moments.mean().clone();
        let known = self.known(run, mean, &moments.spreads(), moments.count(), names)?;
        moments.scale_scatter(&known.units());
        let source = Source::Matrix(moments.scatter().clone());
        drop(moments);
        self.model(run, source, &known, Solver::Exact)
    }

    fn fit_rows(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
    ) -> Result<FactorAnalysisModel> {
        if let Some(error) = data.not_finite(None) {
            return Err(error);
        }
        let columns = Columns::of(features);
        let (n_rows, names) = (features.n_rows(), data.column_names());
        let known = self.known(run, columns.means, &columns.spreads, n_rows, names)?;
        let source = Source::Rows {
            features: features.reborrow(),
            mean: &known.mean,
            units: known.units(),
        };
        self.model(run, source, &known, Solver::Randomized)
    }

    fn model(
        &self,
        run: &Run<'_>,
        source: Source<'_>,
        known: &Known<'_>,
        solver: Solver,
    ) -> Result<FactorAnalysisModel> {
        run.stage("factors")?;
        let (varies, k) = (known.varies(), self.n_components);
        let mut likelihood = Likelihood::new(source, varies, k, self.noise_floor, self.seed);
        let stop = Stop {
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
        };
        let solution = maximize(run, &mut likelihood, self.noise_start, &stop)?;
        self.warn(run, &solution, known)?;
        let deviations = &known.deviations;
        let varying = deviations.iter().filter(|&&size| size > 0.0);
        let (sizes, shift) = if self.standardize {
            (deviations.mapv(|size| f64::from(u8::from(size > 0.0))), 0.0)
        } else {
            (deviations.clone(), varying.map(|size| size.ln()).sum())
        };
        let ones = deviations.mapv(|size| if size > 0.0 { size.recip() } else { 1.0 });
        let rank = solution.point.rank();
        let unrotated = solution.point.loadings * &sizes;
        let rotated = self.rotated(&unrotated, rank)?;
        let report = FactorAnalysisReport {
            scale: self.standardize.then_some(ones),
            noise: solution.point.log_noise.mapv(f64::exp) * &sizes * &sizes,
            eigenvalues: solution.point.eigenvalues,
            unrotated,
            rotation: rotated.matrix,
            correlations: rotated.correlations,
            rotation_name: self.rotation.to_string(),
            solver: solver.to_string(),
            n_rows: known.n_rows,
            trace: solution.trace.iter().map(|value| value - shift).collect(),
            converged: solution.converged,
        };
        FactorAnalysisModel::new(known.mean.clone(), rotated.loadings, report)
    }

    fn warn(&self, run: &Run<'_>, solution: &Solution, known: &Known<'_>) -> Result<()> {
        if !solution.converged {
            run.warn(Warning::NotConverged {
                what: message!("factor analysis"),
                reached: message!(
                    "after {} the last one gained {:.1e} of mean log-likelihood; two consecutive \
                     ones that gain at most {:.1e} were required",
                    counted(self.max_iterations, "iteration"),
                    solution.last_gain,
                    self.tolerance
                ),
            })?;
        }
        if let Some(&first) = solution.at_floor.first() {
            run.warn(Warning::doubtful(
                message!("Heywood case"),
                message!(
                    "the factors explain {n:columns} entirely (the first is {first:column}), so \
                     the noise variance is set to {:.0e} of the variance; use fewer factors",
                    self.noise_floor,
                    n = solution.at_floor.len(),
                    first = Column::new(first, known.names)
                ),
            ))?;
        }
        let rank = solution.point.rank();
        if rank < self.n_components {
            run.warn(Warning::RankDeficient {
                requested: self.n_components,
                rank,
            })?;
        }
        Ok(())
    }

    /// Rotated loadings. Factors beyond the rank are zero and stay out of the rotation.
    fn rotated(&self, unrotated: &Array2<f64>, rank: usize) -> Result<Rotated> {
        let real = unrotated.slice(s![..rank, ..]);
        let rotated = rotate(&real, self.rotation, self.kaiser, self.power)?;
        Ok(match self.rotation {
            Rotation::None => rotated.with_fixed_signs(),
            _ => rotated.sorted().with_fixed_signs(),
        }
        .padded(unrotated.nrows()))
    }
}
