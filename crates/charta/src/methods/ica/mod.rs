//! Independent component analysis (FastICA): statistically independent, non-Gaussian sources from their mixtures.
//!
//! # Idea
//! If the columns are mixtures of independent sources, a mixture is closer to the normal distribution than its sources. So the sources are found by rotating
//! whitened data until every coordinate is as non-Gaussian as possible: voices in microphones, artefacts in recordings, strokes in images.
//!
//! # Steps
//! 1. `methods::ica::whitening`: principal axes, each coordinate with variance 1.
//! 2. `methods::ica::fast_ica`: FastICA's fixed point on the white rows.
//! 3. Order by falling negentropy, signs by the largest entry of each pattern.
//! 4. [`methods::ica::IcaModel`](crate::methods::ica::IcaModel): unmixing and mixing.
//!
//! # Objective
//! With z = K(x − m) white, the rotation W maximizes Σ (E G(wᵢᵀz) − E G(ν))², ν standard normal, where G is
//! log cosh(α y)/α, −exp(−y²/2) or y⁴/4. One step is wᵢ ← E[g(wᵢᵀz) z] − E[g′(wᵢᵀz)] wᵢ with g = G′, then
//! W ← (W Wᵀ)^-½ W. Sources are s = W K (x − m), and x ≈ m + A s with A = (W K)⁺.
//!
//! # Cost
//! n d² + d³ time for the whitening (d n² where n < d), then 4 n k² and n k values of g for each step. Memory:
//! about 5 d² numbers, and the n × k white rows, held once in the data's precision; with `whitening = none` the
//! data itself is read. Sums over more than a few hundred rows are in double precision.
//!
//! # Choosing parameters
//! `n_components` is the number of principal components that are rotated: the others are discarded before. `contrast = exp` where there are outliers or very
//! heavy tails, `cube` for flat, bounded sources.
//! `parallel` treats all sources equally; `deflation` finds the clearest first, and its errors accumulate. Another `seed` changes the initialization: if the
//! sources change, the data has no clear ones.
//!
//! # New points
//! s = components · (x − mean); the inverse transform is mean + mixing · s.
//!
//! # Differences
//! From scikit-learn 1.9: sources are ordered, the least normal first, and the entry of largest size in each
//! column of `mixing` is positive (there, both are random); with `whitening = none` there may be fewer sources than columns, and fewer rows than columns or
//! constant columns are allowed; `whitening` of the report
//! gives variance 1 for `unit_variance`. As there, `arbitrary_variance` means sources of variance 1/n, and the
//! tolerance bounds |1 − |cos|| between one step and the next. Drawn as images are the columns of `mixing`,
//! not the unmixing rows: a pattern shows what a source looks like, a filter also what cancels the others
//! (Haufe and others 2014).
//!
//! # References
//! Hyvärinen and Oja, "Independent component analysis: algorithms and applications", 2000. Hyvärinen, "Fast and robust
//! fixed-point algorithms for independent component analysis", 1999. Haufe and others, "On the interpretation of weight
//! vectors of linear models in multivariate neuroimaging", 2014.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::ica::Ica};
//! let mixed = charta::data::synthetic::signals(2000, 0.2, 0)?;
//! let model = Ica { n_components: 3, ..Ica::default() }.fit(&mixed)?;
//! assert_eq!(model.mixing().dim(), (3, 3));
//! // A square wave, a sawtooth and a sine are all flatter than normal noise.
//! assert!(model.report().kurtosis.iter().all(|&kurtosis| kurtosis < -0.5));
//! # Ok::<(), charta::Error>(())
//! ```

mod distributions;
mod fast_ica;
mod model;
mod whitening;

pub use fast_ica::{Algorithm, Contrast};
pub use model::{IcaModel, IcaReport};

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::data::{Data, Features, OwnedFeatures};
use crate::error::{Because, Error, Result, Warning, message};
use crate::linalg::Exponential;
use crate::linalg::eigen::largest;
use crate::linalg::moments::Moments;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};

use self::distributions::Distributions;
use self::fast_ica::{Rotation, Search};
use self::whitening::Whitening;
use crate::params::{Choice, Parameters};
use crate::run::Run;
use crate::spectral::principal::Solver;

/// How far means may be from 0, and covariances from the identity, in rows given as white.
const WHITE: f64 = 0.1;

/// Whitening before the search, and the variance of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Prepare {
    /// Whiten; sources have variance 1.
    UnitVariance,
    /// Whiten; sources have variance 1/n, as the left singular vectors.
    ArbitraryVariance,
    /// No whitening: the rows are already white and centred.
    None,
}

/// Parameters of independent component analysis.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Ica {
    /// Number of sources, which is also the number of principal components that the whitening keeps. Fewer discard more of the variance as
    /// noise; usually 2 to 50.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Estimate all sources together (`parallel`), or one after the other (`deflation`), where errors of the first carry over to the later
    /// ones.
    #[param(default = Algorithm::Parallel)]
    pub algorithm: Algorithm,
    /// Contrast function that measures non-Gaussianity: `logcosh` for general use, `exp` for heavy tails and outliers, `cube`
    /// (kurtosis) for bounded sources.
    #[param(default = Contrast::Logcosh)]
    pub contrast: Contrast,
    /// Steepness α of the contrast `logcosh`, between 1 and 2. Larger values resist outliers more.
    #[param(default = 1.0, min = 1.0, max = 2.0)]
    pub alpha: f64,
    /// Whitening before the search, and the variance of the sources: 1, 1/n, or rows that are white already (`none`).
    #[param(default = Prepare::UnitVariance)]
    pub whitening: Prepare,
    /// Convergence tolerance: how far from 1 the cosine between a source's directions before and after an iteration may be. Smaller values
    /// are more exact and slower; usually 1e-3 to 1e-6. With 0 all iterations are done.
    #[param(default = 1e-4, min = 0.0, below = 1.0)]
    pub tolerance: f64,
    /// Maximum number of iterations, with `deflation` for each source; raise it after a warning that the fit did not converge.
    #[param(default = 200, min = 1)]
    pub max_iterations: usize,
    /// Seed of the random initialization.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for Ica {
    const INFO: Info = Info {
        name: "ica",
        title: "Independent component analysis",
        summary: "ICA (FastICA): statistically independent, non-Gaussian sources from their mixtures",
        family: Family::Linear,
        reference: "Hyvärinen 1999",
        takes: &[Input::Sparse, Input::InitialComponents],
        offers: &[Capability::Inverse, Capability::Axes, Capability::Loadings],
        ..Info::DEFAULT
    };

    type Model = IcaModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<IcaModel> {
        let features = data.features(Self::INFO.name)?;
        let model = if self.whitening == Prepare::None {
            self.fit_white(run, data, features)?
        } else {
            self.fit_whitened(run, data, features)?
        };
        run.stage("projection")?;
        model.embed(run, data)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let k = self.n_components.min(d);
        let jobs = (32_usize).min(n.div_ceil(256));
        let plan = if self.whitening == Prepare::None {
            Plan::new("fixed-point iteration on the rows as they are").needs(
                "covariance, to see whether they are white",
                (d, d),
                4 * 8,
            )
        } else {
            let solver = Solver::Auto.resolve(n, d, Some(k));
            let plan = Plan::new(format!("whitening by `{solver}`, fixed-point iteration"));
            let plan = match solver {
                Solver::Dual => plan
                    .needs("inner products and eigenvectors", (n, n), 5 * 8)
                    .needs("columns in blocks", (n, 1024.min(d)), 8),
                Solver::Randomized => plan.needs("Krylov basis", (n.min(d), k + 8), 14 * 8),
                _ => plan.needs("scatter and eigenvectors", (d, d), 5 * 8),
            };
            plan.needs("white rows", (n, k), shape.precision.bytes())
        };
        Ok(plan
            .needs("rows in blocks", (1024.min(n), d), 2 * 8)
            .needs("partial sums", (jobs, k.saturating_mul(k)), 2 * 8)
            .needs("mean, unmixing and mixing", (4 * k + 2, d), 2 * 8)
            .needs("sources", (n, k), 8)
            .advice(message!("use fewer components or {:columns}")))
    }
}

/// The rotation with the distributions of its sources.
struct Found {
    rotation: Rotation,
    sources: Distributions,
}

impl Ica {
    fn search<T: Exponential>(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        white: &ArrayView2<'_, T>,
        count: usize,
    ) -> Result<Found> {
        // The unmixing matrix of the white rows.
        let initial = data.initial_components_of(count, white.ncols())?;
        run.stage("fixed point")?;
        let search = Search {
            algorithm: self.algorithm,
            contrast: self.contrast,
            alpha: self.alpha,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            seed: self.seed,
        };
        let rotation = search.rotation(run, white, count, initial)?;
        if rotation.change >= self.tolerance {
            run.warn(Warning::NotConverged {
                what: message!("the fixed-point iteration"),
                reached: message!(
                    "the last of {} iterations changed a direction by {:.1e}, above the tolerance of {:.1e}; \
                     {:data} may have fewer clear sources than {count}",
                    rotation.n_iterations,
                    rotation.change,
                    self.tolerance
                ),
            })?;
        }
        Ok(Found {
            sources: Distributions::of(run, white, &rotation.rows)?,
            rotation,
        })
    }

    /// Whitens the rows and rotates them.
    fn fit_whitened(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
    ) -> Result<IcaModel> {
        let whitening = Whitening::fit(run, data, Self::INFO.name, self.n_components)?;
        let rank = whitening.forward.nrows();
        if rank < self.n_components {
            run.warn(Warning::RankDeficient {
                requested: self.n_components,
                rank,
            })?;
        }
        run.stage("whitening")?;
        let found = match whitening.apply(run, features)? {
            OwnedFeatures::F32(white) => self.search(run, data, &white.view(), rank)?,
            OwnedFeatures::F64(white) => self.search(run, data, &white.view(), rank)?,
            _ => return Err(sparse_is_not_white()),
        };
        self.model(found, Some(whitening), features)
    }

    /// Rows that are taken to be white: they are read where they are.
    fn fit_white(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
    ) -> Result<IcaModel> {
        let n_columns = features.n_columns();
        if self.n_components > n_columns {
            return Err(Error::at_most(
                "n_components",
                n_columns,
                Because::Columns(n_columns),
                self.n_components,
            ));
        }
        if features.is_sparse() {
            return Err(sparse_is_not_white());
        }
        let moments = Moments::of(run, features)?;
        if !moments.is_finite() {
            return Err(data.bad_values(None));
        }
        warn_not_white(run, &moments)?;
        let found = match features {
            Features::F32(x) => self.search(run, data, x, self.n_components)?,
            Features::F64(x) => self.search(run, data, x, self.n_components)?,
            _ => return Err(sparse_is_not_white()),
        };
        self.model(found, None, features)
    }

    fn model(
        &self,
        found: Found,
        whitening: Option<Whitening>,
        features: &Features<'_>,
    ) -> Result<IcaModel> {
        let Found { rotation, sources } = found;
        let root = (features.n_rows() as f64).sqrt();
        let (mut components, mut patterns) = match &whitening {
            Some(white) => (
                rotation.rows.dot(&white.forward),
                rotation.rows.dot(&white.back),
            ),
            None => (rotation.rows.clone(), rotation.rows.clone()),
        };
        // What one is divided by multiplies the other, so that they stay each other's pseudo-inverse.
        let factors = match self.whitening {
            Prepare::UnitVariance => sources.deviations.mapv(positive),
            Prepare::ArbitraryVariance => Array1::from_elem(sources.deviations.len(), root),
            Prepare::None => Array1::ones(sources.deviations.len()),
        };
        let deviations = &sources.deviations / &factors;
        let factors = (&factors * &signs(&patterns)).insert_axis(Axis(1));
        components /= &factors;
        patterns *= &factors;
        let sign = factors.column(0).mapv(f64::signum);
        let order = Order::by_negentropy(&sources.negentropy, self.n_components);
        let mut report = IcaReport {
            patterns: order.matrix(&patterns),
            deviations: order.vector(&deviations),
            skewness: order.vector(&(&sources.skewness * &sign)),
            kurtosis: order.vector(&sources.kurtosis),
            negentropy: order.vector(&sources.negentropy),
            whitening: None,
            n_rows: features.n_rows(),
            total_variance: None,
            n_iterations: rotation.n_iterations,
            change: rotation.change,
            tolerance: self.tolerance,
            solver: "none".into(),
        };
        let mut mean = Array1::zeros(features.n_columns());
        if let Some(white) = whitening {
            report.total_variance = Some(white.total_variance);
            report.solver = white.solver.to_string();
            report.whitening = Some(if self.whitening == Prepare::ArbitraryVariance {
                &white.forward / root
            } else {
                white.forward
            });
            mean = white.mean;
        }
        IcaModel::new(mean, order.matrix(&components), report)
    }
}

/// Warns if rows given as white are not.
fn warn_not_white(run: &Run<'_>, moments: &Moments) -> Result<()> {
    let covariance = moments.scatter() / moments.count() as f64;
    let mean = moments
        .mean()
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let apart = covariance
        .indexed_iter()
        .fold(0.0_f64, |most, ((i, j), value)| {
            most.max((value - f64::from(u8::from(i == j))).abs())
        });
    if mean <= WHITE && apart <= WHITE {
        return Ok(());
    }
    run.warn(Warning::doubtful(
        message!("sources of {:rows} that are not white"),
        message!(
            "means are up to {mean:.1e} from 0 and covariances up to {apart:.1e} from the \
             identity, where {WHITE} is allowed: whiten the {:rows}, or use another \
             {whitening:parameter}"
        ),
    ))
}

fn positive(deviation: f64) -> f64 {
    if deviation > 0.0 { deviation } else { 1.0 }
}

/// −1 for each row whose entry of largest size is negative, 1 for the others.
fn signs(patterns: &Array2<f64>) -> Array1<f64> {
    let sign =
        |pattern: ndarray::ArrayView1<'_, f64>| if largest(pattern) < 0.0 { -1.0 } else { 1.0 };
    patterns.rows().into_iter().map(sign).collect()
}

/// The order of the sources, the least Gaussian first; components beyond the rank are zero.
struct Order {
    indices: Vec<usize>,
    count: usize,
}

impl Order {
    fn by_negentropy(negentropy: &Array1<f64>, count: usize) -> Self {
        let mut indices: Vec<usize> = (0..negentropy.len()).collect();
        indices.sort_by(|&a, &b| negentropy[b].total_cmp(&negentropy[a]));
        Self { indices, count }
    }

    fn vector(&self, values: &Array1<f64>) -> Array1<f64> {
        let mut result = Array1::zeros(self.count);
        for (target, &index) in result.iter_mut().zip(&self.indices) {
            *target = values[index];
        }
        result
    }

    fn matrix(&self, rows: &Array2<f64>) -> Array2<f64> {
        let mut result = Array2::zeros((self.count, rows.ncols()));
        result
            .slice_mut(s![..self.indices.len(), ..])
            .assign(&rows.select(Axis(0), &self.indices));
        result
    }
}

fn sparse_is_not_white() -> Error {
    Error::unsupported(
        message!("{'ica':method} with {whitening=none}"),
        message!(
            "takes dense features only: sparse {:rows} are not centred, so they cannot be white"
        ),
    )
}
