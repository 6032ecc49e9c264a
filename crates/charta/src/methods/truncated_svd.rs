//! Truncated singular value decomposition: the best approximation of the table by a few directions
//! through the origin.
//!
//! # Idea
//! A table X is a sum of simple tables, each a column times a row. The singular value decomposition finds
//! them in the order of their size; the first k make the closest table of rank k. It is PCA without
//! centring, so zeros stay zeros and sparse rows stay sparse: for counts of words this is latent semantic
//! analysis.
//!
//! # Steps
//! 1. [`linalg::moments`](crate::linalg::moments): XᵀX in one pass, where there are enough rows.
//! 2. [`spectral::principal`](crate::spectral::principal): right singular vectors, by the route that fits
//!    the shape.
//! 3. [`model::LinearMap`](crate::model::LinearMap): z = V x, back x ≈ Vᵀ z.
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
//! `n_components` is a number. For text, 100 or more; for a picture, 2, of which the first often tells
//! the size of the rows and little else: PCA or scaling the rows to unit length first helps. `solver` is
//! chosen by shape; `svd` is for singular values so small that squaring them would lose them.
//!
//! # New points
//! z = V x. The way back is Vᵀ z.
//!
//! # Differences
//! From scikit-learn 1.9: solvers iterate to a tolerance or are direct, its `randomized` does five passes
//! whatever they reach; the sign makes the entry of largest size in each row of V positive; singular
//! values beyond the rank are zero and said to be.
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

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

use crate::data::columns::Columns;
use crate::data::{Batches, Data, Features};
use crate::error::{Error, Result, Warning, check_count};
use crate::linalg::krylov::Effort;
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::message;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::model::{Diagnostics, InverseTransform, LinearMap, Mapped, Model, arrays};
use crate::params::Parameters;
use crate::run::Run;
use crate::spectral::principal::{self, Axes, Solver};

/// Parameters of the truncated singular value decomposition.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct TruncatedSvd {
    /// How many singular vectors to keep.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// The route to the singular vectors.
    #[param(default = Solver::Auto)]
    pub solver: Solver,
    /// When `randomized` stops: residuals as a share of the largest squared singular value.
    #[param(default = 1e-7, above = 0.0, below = 1.0)]
    pub tolerance: f64,
    /// Passes at most, for `randomized`.
    #[param(default = 1000, min = 1)]
    pub max_iterations: usize,
    /// Seed of the start of `randomized`.
    #[param(default = 0)]
    pub seed: u64,
}

/// A fitted truncated singular value decomposition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TruncatedSvdModel {
    map: LinearMap,
    #[serde(with = "arrays::vector")]
    singular_values: Array1<f64>,
    #[serde(with = "arrays::vector")]
    explained_variance: Array1<f64>,
    total_variance: f64,
    sum_of_squares: f64,
    n_rows: usize,
    solver: String,
    residual: Option<f64>,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl Method for TruncatedSvd {
    const INFO: Info = Info {
        name: "truncated_svd",
        title: "Truncated SVD",
        summary: "The closest table of low rank, without centring: for sparse rows and counts of words",
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
            run.stage("moments")?;
            let moments = Moments::of(run, features)?;
            if !moments.is_finite() {
                return Err(data.bad_values(None));
            }
            self.by_moments(run, moments)?
        } else {
            self.by_rows(run, data, features)?
        };
        run.stage("projection")?;
        let embedding = model.map.encode(run, data, None)?;
        if solver != Solver::Covariance {
            model.explained_variance = embedding.var_axis(Axis(0), 0.0);
        }
        model.embedding = Some(embedding);
        Ok(model)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let smaller = n.min(d);
        let k = self.n_components;
        let solver = self.resolve(n, d);
        let plan = Plan::new(format!("singular vectors, solver `{solver}`"));
        let plan = match solver {
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
            _ => plan
                .needs("products of columns and eigenvectors", (d, d), 5 * 8)
                .needs("rows in blocks", (256, d), shape.precision.bytes()),
        };
        Ok(plan
            .needs("rows in double precision", (1024.min(n), d), 2 * 8)
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
        run.stage("moments")?;
        let moments = Moments::of_batches(run, batches, Self::INFO.name)?;
        check_count(self.n_components, moments.count(), moments.mean().len())?;
        run.install(|| self.by_moments(run, moments))
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

    fn by_moments(&self, run: &Run<'_>, moments: Moments) -> Result<TruncatedSvdModel> {
        let n = moments.count() as f64;
        let total_variance = moments.spreads().sum() / n;
        run.stage("eigenvectors")?;
        let centred = moments.scatter().clone();
        let n_rows = moments.count();
        let axes = principal::from_moments(&moments.about_zero(), Some(self.n_components))?;
        let variances = axes
            .vectors
            .rows()
            .into_iter()
            .map(|axis| centred.dot(&axis).dot(&axis).max(0.0) / n)
            .collect();
        let mut model = self.model(run, axes, n_rows, total_variance)?;
        model.solver = Solver::Covariance.to_string();
        model.explained_variance = variances;
        Ok(model)
    }

    fn by_rows(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
    ) -> Result<TruncatedSvdModel> {
        run.stage("columns")?;
        if let Some(error) = data.not_finite(None) {
            return Err(error);
        }
        let (n_rows, n_columns) = (features.n_rows(), features.n_columns());
        let total_variance = Columns::of(features).spreads.sum() / n_rows as f64;
        let solver = self.resolve(n_rows, n_columns);
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
        let mut model = self.model(run, axes, n_rows, total_variance)?;
        model.solver = solver.to_string();
        Ok(model)
    }

    fn model(
        &self,
        run: &Run<'_>,
        axes: Axes,
        n_rows: usize,
        total_variance: f64,
    ) -> Result<TruncatedSvdModel> {
        if !axes.total.is_finite() || axes.total <= 0.0 {
            return Err(Error::degenerate(message!(
                "there is nothing to decompose: all values are zero, or their squares underflow or \
                 overflow"
            )));
        }
        let rank = axes.rank();
        let count = self.n_components.min(axes.vectors.nrows());
        if count > rank {
            run.warn(Warning::RankDeficient { asked: count, rank })?;
        }
        let mut vectors = axes.vectors.slice(s![..count, ..]).to_owned();
        let mut squares = axes.scatters.slice(s![..count]).to_owned();
        vectors.slice_mut(s![rank.min(count).., ..]).fill(0.0);
        squares.slice_mut(s![rank.min(count)..]).fill(0.0);
        Ok(TruncatedSvdModel {
            map: LinearMap {
                offset: Array1::zeros(vectors.ncols()),
                decoder: Some(vectors.clone()),
                encoder: vectors,
            },
            singular_values: squares.mapv(f64::sqrt),
            explained_variance: Array1::zeros(count),
            total_variance,
            sum_of_squares: axes.total,
            n_rows,
            solver: String::new(),
            residual: axes.residual,
            embedding: None,
        })
    }
}

impl TruncatedSvdModel {
    /// The largest singular values, largest first.
    pub fn singular_values(&self) -> &Array1<f64> {
        &self.singular_values
    }

    /// The right singular vectors, one a row.
    pub fn components(&self) -> &Array2<f64> {
        &self.map.encoder
    }

    /// The variance of each coordinate, with 1/n.
    pub fn explained_variance(&self) -> &Array1<f64> {
        &self.explained_variance
    }

    /// The variance of each coordinate as a share of all columns' variance.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        if self.total_variance > 0.0 {
            &self.explained_variance / self.total_variance
        } else {
            Array1::zeros(self.explained_variance.len())
        }
    }
}

impl Mapped for TruncatedSvdModel {
    fn map(&self) -> &LinearMap {
        &self.map
    }
}

impl Model for TruncatedSvdModel {
    fn n_components(&self) -> usize {
        self.map.n_components()
    }

    fn n_columns(&self) -> usize {
        self.map.n_columns()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let kept = self.singular_values.mapv(|value| value * value).sum();
        let lost = (self.sum_of_squares - kept).max(0.0);
        let mut report = Diagnostics::new()
            .count("n_components", self.n_components())
            .text("solver", self.solver.clone())
            .count("n_rows", self.n_rows)
            .count("n_columns", self.n_columns())
            .per_component("singular_values", &self.singular_values)
            .per_component("explained_variance", &self.explained_variance)
            .per_component("explained_variance_ratio", &self.explained_variance_ratio())
            .number("total_variance", self.total_variance)
            .number("reconstruction_error", lost / self.n_rows as f64);
        if let Some(residual) = self.residual {
            report = report.number("residual", residual);
        }
        report.matrix("components", &self.map.encoder)
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn axes(&self) -> Option<Array2<f64>> {
        Some(self.map.encoder.clone())
    }

    fn feature_loadings(&self) -> Option<Array2<f64>> {
        let sizes = &self.singular_values / (self.n_rows as f64).sqrt();
        Some(&self.map.encoder * &sizes.insert_axis(Axis(1)))
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("svd")
    }
}
