//! Truncated singular value decomposition (SVD): the best low-rank approximation without centring, for sparse data and word counts (LSA).
//!
//! # Idea
//! A table X is a sum of simple tables, each a column times a row. The singular value decomposition finds
//! them in the order of their size; the first k make the closest table of rank k. It is PCA without
//! centring, so zeros stay zeros and sparse rows stay sparse: for counts of words this is latent semantic
//! analysis.
//!
//! # Steps
//! 1. `linalg::moments`: XᵀX in one pass, where there are enough rows.
//! 2. `spectral::principal`: right singular vectors, by the solver that
//!    fits the shape.
//! 3. [`model::Linear`](crate::model::Linear): z = V x, inverse transform x ≈ Vᵀ z.
//!
//! # Objective
//! X = U Σ V with orthonormal rows of Uᵀ and V and σ₁ ≥ σ₂ ≥ … ≥ 0. Among all tables of rank k,
//! U_k Σ_k V_k has the least Σ (x_ij − y_ij)² (Eckart and Young). The coordinates are X V_kᵀ = U_k Σ_k.
//!
//! # Cost
//! With n rows, d columns, k components: `covariance` n d² + d³ time and about 4 d² numbers besides the
//! data; `dual` d n² + n³ and 4 n²; `svd` 2 n d² + d³; `randomized` a few passes of n d (k + 8), or of
//! the stored values of sparse rows. The data is never copied as a whole.
//!
//! # Choosing parameters
//! `n_components` is a number. For text, 100 or more; for a picture, 2, of which the first often shows only the size of the rows: PCA or scaling the rows to
//! unit length first helps. `solver` is
//! chosen by shape; `svd` is for singular values so small that squaring them would lose them.
//!
//! # New points
//! z = V x. The inverse transform is Vᵀ z.
//!
//! # Differences
//! From scikit-learn 1.9: solvers iterate to a tolerance or are direct, its `randomized` does five passes
//! whatever they reach; the sign makes the entry of largest size in each row of V positive; singular
//! values beyond the rank are zero, with a warning.
//!
//! # References
//! Eckart and Young, "The approximation of one matrix by another of lower rank", 1936. Deerwester et al.,
//! "Indexing by latent semantic analysis", 1990. Halko, Martinsson and Tropp, "Finding structure with
//! randomness", 2011.
//!
//! # Example
//! ```
//! use charta::{Fit, InverseTransform, Model, methods::truncated_svd::TruncatedSvd};
//! use ndarray::array;
//! let counts = array![[2.0, 0.0, 1.0], [4.0, 0.0, 2.0], [0.0, 3.0, 0.0]];
//! let svd = TruncatedSvd { n_components: 2, ..TruncatedSvd::default() };
//! let model = svd.fit(&counts)?;
//! let back = model.inverse_transform(&model.embedding().unwrap())?;
//! assert!((back - counts).iter().all(|d| d.abs() < 1e-12));
//! # Ok::<(), charta::Error>(())
//! ```

use ndarray::{Array1, Array2, Axis, s};
use serde::{Deserialize, Serialize};

use crate::data::columns::Columns;
use crate::data::loaded::check_length;
use crate::data::{Batches, Data, Features};
use crate::error::{Error, Result, Warning, check_count, message};
use crate::linalg::block_krylov::Effort;
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::model::{
    Decode, Diagnostics, InverseTransform, Linear, Model, Report, Transform, arrays,
};
use crate::params::Parameters;
use crate::run::Run;
pub use crate::spectral::principal::Solver;
use crate::spectral::principal::{self, Axes};

/// Parameters of the truncated singular value decomposition.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct TruncatedSvd {
    /// Number of singular vectors to keep. More keep more of the data; 100 to 300 for latent semantic analysis of text, 2 for
    /// a picture.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Solver. `auto` chooses by shape; `svd` keeps very small singular values exact, `randomized` is the fastest for a few
    /// components of large or sparse data.
    #[param(default = Solver::Auto)]
    pub solver: Solver,
    /// Convergence tolerance of `randomized`: residuals relative to the largest squared singular value. Smaller values take
    /// more iterations; usually 1e-4 to 1e-9.
    #[param(default = 1e-7, above = 0.0, below = 1.0)]
    pub tolerance: f64,
    /// Maximum number of iterations of `randomized`; raise it after a warning that the fit did not converge.
    #[param(default = 1000, min = 1)]
    pub max_iterations: usize,
    /// Seed of the random initialization of `randomized`.
    #[param(default = 0)]
    pub seed: u64,
}

/// What is known besides the right singular vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TruncatedSvdReport {
    /// The largest singular values, largest first.
    #[serde(with = "arrays::vector")]
    pub singular_values: Array1<f64>,
    /// The variance of each coordinate, with 1/n.
    #[serde(with = "arrays::vector")]
    pub explained_variance: Array1<f64>,
    /// The variance of all columns, with 1/n.
    pub total_variance: f64,
    /// The sum of the squares of all values.
    pub sum_of_squares: f64,
    /// Rows it was fitted on.
    pub n_rows: usize,
    /// The solver.
    pub solver: String,
    /// The largest residual of a singular vector, for the iterative solver.
    pub residual: Option<f64>,
}

/// A fitted truncated singular value decomposition. Its components are the right singular vectors, one a row; its mean is
/// zero.
pub type TruncatedSvdModel = Linear<TruncatedSvdReport>;

impl Method for TruncatedSvd {
    const INFO: Info = Info {
        name: "truncated_svd",
        title: "Truncated SVD",
        summary: "Truncated SVD: the best low-rank approximation without centring, for sparse data and word counts (LSA)",
        family: Family::Linear,
        reference: "Eckart and Young 1936; Deerwester et al. 1990",
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

    type Model = TruncatedSvdModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<TruncatedSvdModel> {
        let features = data.features(Self::INFO.name)?;
        check_count(self.n_components, features.n_rows(), features.n_columns())?;
        let solver = self.resolve(features.n_rows(), features.n_columns());
        let mut model = if solver == Solver::Covariance {
            run.stage("covariance")?;
            let moments = Moments::of(run, features)?;
            if !moments.is_finite() {
                return Err(data.bad_values(None));
            }
            self.fit_moments(run, moments)?
        } else {
            self.fit_rows(run, data, features, solver)?
        };
        run.stage("projection")?;
        let embedding = model.transform_in(run, data)?;
        if solver != Solver::Covariance {
            model.report_mut().explained_variance = embedding.var_axis(Axis(0), 0.0);
        }
        Ok(model.with_embedding(embedding))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d, k) = (shape.n_rows, shape.n_columns, self.n_components);
        let solver = self.resolve(n, d);
        Ok(Plan::new(format!("singular vectors, solver `{solver}`"))
            .needs_principal_axes(shape, solver, k)
            .needs("singular vectors", (k.saturating_add(4), d), 3 * 8)
            .needs("embedding", (n, k), 8)
            .advice(message!("use {solver=randomized} with few components"))
            .or_batches())
    }

    fn plan_batches(&self, batch: &Shape) -> Result<Plan> {
        self.check_streaming()?;
        let d = batch.n_columns;
        Ok(Plan::new("singular vectors of merged products")
            .needs("products of columns and eigenvectors", (d, d), 6 * 8)
            .needs("rows in blocks", (256, d), batch.precision.bytes())
            .advice(message!("use fewer {:columns}")))
    }

    fn fit_batches_in(
        &self,
        run: &Run<'_>,
        batches: &mut dyn Batches,
    ) -> Result<TruncatedSvdModel> {
        self.check_streaming()?;
        run.stage("covariance")?;
        let moments = Moments::of_batches(run, batches, Self::INFO.name)?;
        check_count(self.n_components, moments.count(), moments.mean().len())?;
        run.install(|| self.fit_moments(run, moments))
    }
}

impl TruncatedSvd {
    fn resolve(&self, n_rows: usize, n_columns: usize) -> Solver {
        self.solver
            .resolve(n_rows, n_columns, Some(self.n_components))
    }

    fn check_streaming(&self) -> Result<()> {
        if matches!(self.solver, Solver::Auto | Solver::Covariance) {
            return Ok(());
        }
        Err(Error::unsupported(
            message!("{'truncated_svd':method} with a solver other than {'covariance'}"),
            message!("needs all {:rows} at once: it cannot be fitted from batches"),
        ))
    }

    fn fit_moments(&self, run: &Run<'_>, moments: Moments) -> Result<TruncatedSvdModel> {
        let n = moments.count() as f64;
        let total_variance = moments.spreads().sum() / n;
        run.stage("eigenvectors")?;
        let centred = moments.scatter().clone();
        let n_rows = moments.count();
        let axes = principal::from_moments(&moments.about_zero(), Some(self.n_components))?;
        let explained_variance = axes
            .vectors
            .rows()
            .into_iter()
            .map(|axis| centred.dot(&axis).dot(&axis).max(0.0) / n)
            .collect();
        let mut model = self.model(run, axes, n_rows, total_variance, Solver::Covariance)?;
        model.report_mut().explained_variance = explained_variance;
        Ok(model)
    }

    fn fit_rows(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        solver: Solver,
    ) -> Result<TruncatedSvdModel> {
        run.stage("columns")?;
        if let Some(error) = data.not_finite(None) {
            return Err(error);
        }
        let (n_rows, n_columns) = (features.n_rows(), features.n_columns());
        let total_variance = Columns::of(features).spreads.sum() / n_rows as f64;
        let origin = Array1::zeros(n_columns);
        let rows = Rows::new(features, &origin);
        run.stage("axes")?;
        let wanted = Some(self.n_components);
        let axes = match solver {
            Solver::Dual => principal::dual(run, &rows, wanted)?,
            Solver::Svd => principal::by_svd(run, &rows, wanted)?,
            _ => {
                let effort = Effort {
                    tolerance: self.tolerance,
                    max_products: self.max_iterations,
                    seed: self.seed,
                };
                principal::randomized(run, &rows, self.n_components, &effort)?
            }
        };
        self.model(run, axes, n_rows, total_variance, solver)
    }

    fn model(
        &self,
        run: &Run<'_>,
        axes: Axes,
        n_rows: usize,
        total_variance: f64,
        solver: Solver,
    ) -> Result<TruncatedSvdModel> {
        if !axes.total.is_finite() || axes.total <= 0.0 {
            return Err(Error::degenerate(message!(
                "there is nothing to decompose: all values are zero, or their squares underflow or \
                 overflow; rescale such values ({Scaled:input})"
            )));
        }
        let rank = axes.rank();
        let count = self.n_components.min(axes.vectors.nrows());
        if count > rank {
            run.warn(Warning::RankDeficient {
                requested: count,
                rank,
            })?;
        }
        let mut vectors = axes.vectors.slice(s![..count, ..]).to_owned();
        let mut squares = axes.scatters.slice(s![..count]).to_owned();
        vectors.slice_mut(s![rank.min(count).., ..]).fill(0.0);
        squares.slice_mut(s![rank.min(count)..]).fill(0.0);
        let report = TruncatedSvdReport {
            singular_values: squares.mapv(f64::sqrt),
            explained_variance: Array1::zeros(count),
            total_variance,
            sum_of_squares: axes.total,
            n_rows,
            solver: solver.to_string(),
            residual: axes.residual,
        };
        TruncatedSvdModel::new(Array1::zeros(vectors.ncols()), vectors, report)
    }
}

impl TruncatedSvdModel {
    /// The largest singular values, largest first.
    pub fn singular_values(&self) -> &Array1<f64> {
        &self.report().singular_values
    }

    /// The variance of each coordinate, with 1/n.
    pub fn explained_variance(&self) -> &Array1<f64> {
        &self.report().explained_variance
    }

    /// The variance of each coordinate as a proportion of all columns' variance.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        let report = self.report();
        if report.total_variance > 0.0 {
            &report.explained_variance / report.total_variance
        } else {
            Array1::zeros(report.explained_variance.len())
        }
    }
}

impl Report for TruncatedSvdReport {
    const PREFIX: Option<&'static str> = Some("svd");

    fn validate(&self, components: &Array2<f64>) -> Result<()> {
        let count = components.nrows();
        check_length("the singular values", self.singular_values.len(), count)?;
        check_length("the variances", self.explained_variance.len(), count)
    }

    fn diagnostics(model: &TruncatedSvdModel) -> Diagnostics {
        let report = model.report();
        let kept = report.singular_values.mapv(|value| value * value).sum();
        let lost = (report.sum_of_squares - kept).max(0.0);
        let mut figures = Diagnostics::new()
            .count("n_components", model.n_components())
            .text("solver", report.solver.clone())
            .count("n_rows", report.n_rows)
            .count("n_columns", model.n_columns())
            .per_component("singular_values", &report.singular_values)
            .per_component("explained_variance", &report.explained_variance)
            .per_component(
                "explained_variance_ratio",
                &model.explained_variance_ratio(),
            )
            .number("total_variance", report.total_variance)
            .number("reconstruction_error", lost / report.n_rows as f64);
        if let Some(residual) = report.residual {
            figures = figures.number("residual", residual);
        }
        figures.matrix("components", model.components())
    }

    /// How far each column moves along each singular vector, in root mean square.
    fn feature_loadings(model: &TruncatedSvdModel) -> Array2<f64> {
        let sizes = model.singular_values() / (model.report().n_rows as f64).sqrt();
        model.components() * &sizes.insert_axis(Axis(1))
    }

    fn as_inverse(model: &TruncatedSvdModel) -> Option<&dyn InverseTransform> {
        Some(model)
    }
}

impl Decode for TruncatedSvdReport {}
