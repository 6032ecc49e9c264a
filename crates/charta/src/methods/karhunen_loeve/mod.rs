//! The Karhunen–Loève expansion of several classes: the orthogonal directions in which rows vary
//! within their class.
//!
//! # Idea
//! PCA treats all rows as one group, so that its first axes may only show the differences between class means. Here every class has a covariance of its own;
//! their average, weighted with the classes'
//! priors, describes the variance about the class means, and its eigenvectors are the axes.
//!
//! # Steps
//! 1. [`data::Priors`](crate::data::Priors): the weight of each class.
//! 2. `linalg::moments`: the averaged covariance within classes, in one pass.
//! 3. `linalg::partial_eigen`: its leading eigenvectors.
//! 4. [`methods::karhunen_loeve::KarhunenLoeveModel`](crate::methods::karhunen_loeve::KarhunenLoeveModel): transform, inverse transform.
//!
//! # Objective
//! With the classes' priors p, means m and covariances S (divisor n − 1, or n with `population`),
//! W maximizes tr(Wᵀ (Σ p S) W) under Wᵀ W = I: its columns are the eigenvectors of Σ p S with the
//! largest eigenvalues. z = Wᵀ(x − c) and x ≈ c + W z, where c = Σ p m is the mean of all rows if the
//! priors are those of the data. Along each axis the mean squared distance of a row from its class's
//! mean is the eigenvalue.
//!
//! # Cost
//! With n rows and d columns: n d² + d³ time and about 4 d² numbers besides the data. For n < d
//! everything happens in the span of the rows: d n² + n³ and 4 n² + 2 n d.
//!
//! # Choosing parameters
//! `n_components` can be a number, a proportion of the averaged variance, or `elbow`. `priors = equal`
//! keeps a large class from dominating. The diagnostic `between_variance` shows which axes also separate the classes: those where it is large relative to
//! their own variance are more useful to a classifier.
//!
//! # New points
//! z = Wᵀ(x − c), divided by √λ with `whiten`; no class is needed. The inverse transform is c + W z.
//!
//! # Differences
//! scikit-learn has no such method. With a single class it would be PCA; with classes of equal means
//! it is PCA but for the divisor. Kittler and Young go on to rank the axes by how well they separate
//! the classes; here they are ranked by variance, and `between_variance` is reported beside it. A class
//! with a single row has no covariance: it counts as zero.
//!
//! # References
//! Kittler and Young, "A new approach to feature selection based on the Karhunen–Loève expansion",
//! 1973. Webb, "Statistical pattern recognition", 2002, chapter 9.
//!
//! # Example
//! ```
//! use charta::{Data, Fit, Labels, Model, methods::karhunen_loeve::KarhunenLoeve};
//! use ndarray::array;
//! let x = array![[0.0, 0.0], [2.0, 0.1], [0.0, 9.0], [2.0, 9.1]];
//! let data = Data::from(&x).with_labels(Labels::from_words(&["a", "a", "b", "b"]))?;
//! let model = KarhunenLoeve { n_components: 1.into(), ..KarhunenLoeve::default() }.fit(data)?;
//! // PCA's first axis would lead from one class to the other.
//! assert!(model.components()[[0, 0]] > 0.99);
//! # Ok::<(), charta::Error>(())
//! ```

mod model;

pub use model::{KarhunenLoeveModel, KarhunenLoeveReport};

use ndarray::{Array1, Array2, s};

use crate::data::{Classes, Data, Features, Priors};
use crate::dimension::{ComponentCount, elbow, proportion};
use crate::error::{Error, Result, Warning, message};
use crate::linalg::eigen::{Eigen, fix_signs};
use crate::linalg::moments::{GroupMoments, rows_at_once};
use crate::linalg::partial_eigen::leading;
use crate::linalg::product::product;
use crate::linalg::shrinkage::ClassColumns;
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape};

use crate::params::{Choice, Parameters};
use crate::run::Run;
use crate::spectral::class_scatter::{Span, weighted_about_means};

/// How many components to keep.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Kept {
    /// Exactly this number.
    #[choice(min = 1)]
    Count(usize),
    /// The fewest that explain more than this proportion of the averaged variance.
    #[choice(above = 0.0, below = 1.0)]
    Proportion(f64),
    /// Those before the elbow of the scree plot.
    Elbow,
}

impl From<usize> for Kept {
    fn from(count: usize) -> Self {
        Self::Count(count)
    }
}

/// Parameters of the Karhunen–Loève expansion.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct KarhunenLoeve {
    /// Number of components to keep: a count, a proportion of the averaged variance between 0 and 1, or `elbow`. More
    /// components keep more of the within-class variance.
    #[param(default = Kept::Count(2))]
    pub n_components: Kept,
    /// Weights of the classes' covariances: their frequencies in the data, equal, or given.
    #[param(default = Priors::Data)]
    pub priors: Priors,
    /// Divide by n instead of n − 1 in the covariance of each class: maximum likelihood instead of unbiased estimates.
    #[param(default = false)]
    pub population: bool,
    /// Divide each coordinate by its standard deviation within classes, so that all have within-class variance 1.
    #[param(default = false)]
    pub whiten: bool,
}

impl Method for KarhunenLoeve {
    const INFO: Info = Info {
        name: "karhunen_loeve",
        title: "Karhunen–Loève expansion of classes",
        summary: "Karhunen–Loève expansion: the orthogonal directions of largest within-class variance",
        family: Family::Linear,
        reference: "Kittler and Young 1973",
        takes: &[Input::Sparse],
        offers: &[
            Capability::Inverse,
            Capability::Axes,
            Capability::Loadings,
            Capability::Spectrum,
        ],
        labels: LabelUse::Required,
        ..Info::DEFAULT
    };

    type Model = KarhunenLoeveModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<KarhunenLoeveModel> {
        let features = data.features(Self::INFO.name)?;
        let classes = data.classes(Self::INFO.name)?;
        self.check_count(classes.n_labelled(), features.n_columns())?;
        let priors = self.priors.of(&classes)?;
        classes.warn(run)?;
        let weights = self.weights(&classes, &priors);
        run.stage("scatter within classes")?;
        let averaged = if classes.n_labelled() < features.n_columns() {
            Averaged::in_span(run, data, features, &classes, &weights)?
        } else {
            Averaged::in_columns(run, data, features, &classes, &weights)?
        };
        run.stage("eigenvectors")?;
        let model = self.model(run, &classes, priors, averaged)?;
        run.stage("projection")?;
        model.embed(run, data)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let smaller = n.min(d);
        let k = match self.n_components {
            Kept::Count(count) => count.min(smaller),
            _ => smaller,
        };
        let plan = if n < d {
            Plan::new("eigenvectors of the averaged covariance, in the span of the rows")
                .needs("inner products and eigenvectors", (n, n), 8 * 8)
                .needs("basis of the span", (n, d), 3 * 8)
                .needs("columns in blocks", (n, 1024.min(d)), 8)
                .needs(
                    "rows of a class",
                    (shape.n_stored, 1),
                    shape.precision.bytes() + 4,
                )
        } else {
            Plan::new("eigenvectors of the averaged covariance")
                .needs("scatter and eigenvectors", (d, d), 6 * 8)
                .needs(
                    "rows of a class",
                    (rows_at_once(d, shape.precision.bytes()).min(n), d),
                    shape.precision.bytes() + 4,
                )
        };
        Ok(plan
            .needs("rows in double precision", (1024.min(n), d), 2 * 8)
            .needs(
                "means and axes",
                (k.saturating_add(smaller.min(64)), d),
                3 * 8,
            )
            .needs("embedding", (n, k), 8)
            .advice(message!("use fewer {:columns}, or fewer components")))
    }
}

impl KarhunenLoeve {
    fn check_count(&self, n_rows: usize, n_columns: usize) -> Result<()> {
        if let Kept::Count(count) = self.n_components {
            let because =
                message!("{:data} has {n_rows:rows} with a class and {n_columns:columns}");
            ComponentCount::Count(count).of(n_rows.min(n_columns), because)?;
        }
        Ok(())
    }

    /// What each class's sum of squares is multiplied by.
    fn weights(&self, classes: &Classes, priors: &Array1<f64>) -> Array1<f64> {
        let lost = if self.population { 0 } else { 1 };
        let divisors = classes
            .counts
            .iter()
            .map(|&count| (count - lost).max(1) as f64);
        priors.iter().zip(divisors).map(|(p, n)| p / n).collect()
    }

    fn model(
        &self,
        run: &Run<'_>,
        classes: &Classes,
        priors: Array1<f64>,
        averaged: Averaged,
    ) -> Result<KarhunenLoeveModel> {
        let wanted = match self.n_components {
            Kept::Count(count) => count,
            _ => averaged.within.nrows(),
        };
        let total = averaged.within.diag().sum();
        if total <= 0.0 {
            return Err(Error::degenerate(message!(
                "the {:rows} of each class are all the same, or so close together that their \
                 squared differences underflow: there is no variance within classes"
            )));
        }
        let (found, all) = leading(&averaged.within.view(), wanted)?;
        let rank = all
            .iter()
            .filter(|&&variance| variance > averaged.rounding * total)
            .count();
        let real: Vec<f64> = all.iter().take(rank).copied().collect();
        let count = match self.n_components {
            Kept::Count(count) => count,
            Kept::Proportion(share) => proportion(&real, total, share),
            Kept::Elbow => elbow(&real),
        };
        if count > rank {
            run.warn(Warning::RankDeficient {
                requested: count,
                rank,
            })?;
        }
        let (variances, axes) = averaged.axes(&found, count, rank);
        let centre = priors.dot(&averaged.means);
        let report = KarhunenLoeveReport {
            classes: classes.names.clone(),
            counts: classes.counts.clone(),
            means: averaged.means,
            priors,
            variances,
            spectrum: all.mapv(|value| value.max(0.0)),
            total_variance: total,
            whiten: self.whiten,
            rule: self.n_components.to_string(),
            n_left_out: classes.n_missing(),
        };
        KarhunenLoeveModel::new(centre, axes, report)
    }
}

/// The averaged covariance within classes.
struct Averaged {
    means: Array2<f64>,
    within: Array2<f64>,
    /// What the covariance's coordinates are, one a row; the columns themselves if `None`.
    basis: Option<Array2<f64>>,
    /// The fraction of the trace below which an eigenvalue is no more than rounding.
    rounding: f64,
}

impl Averaged {
    fn in_columns(
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        classes: &Classes,
        weights: &Array1<f64>,
    ) -> Result<Self> {
        let mut moments = GroupMoments::weighted(weights.clone(), features.n_columns());
        moments.add(run, features, &classes.of_row)?;
        if !moments.is_finite() {
            return Err(data.bad_values(None));
        }
        Ok(Self {
            means: moments.means().clone(),
            within: moments.within().clone(),
            basis: None,
            rounding: moments.rounding(),
        })
    }

    fn in_span(
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        classes: &Classes,
        weights: &Array1<f64>,
    ) -> Result<Self> {
        if let Some(error) = data.not_finite(None) {
            return Err(error);
        }
        let columns = ClassColumns::of(run, features, classes)?;
        if !columns.spreads.iter().all(|spread| spread.is_finite()) {
            return Err(data.bad_values(None));
        }
        let span = Span::of(run, features, classes, None, false)?;
        let centred = weighted_about_means(&span.rows, &span.classes, weights);
        Ok(Self {
            means: columns.means,
            within: product(&centred.t(), &centred.view()),
            basis: Some(span.basis),
            rounding: features.n_columns() as f64 * f64::EPSILON,
        })
    }

    /// Variances and axes in columns; zero beyond the rank.
    fn axes(&self, found: &Eigen, count: usize, rank: usize) -> (Array1<f64>, Array2<f64>) {
        let real = count.min(rank);
        let kept = found.vectors.slice(s![..real, ..]);
        let mut vectors = match &self.basis {
            Some(basis) => product(&kept, &basis.view()),
            None => kept.to_owned(),
        };
        fix_signs(vectors.view_mut());
        let mut axes = Array2::zeros((count, self.means.ncols()));
        axes.slice_mut(s![..real, ..]).assign(&vectors);
        let mut variances = Array1::zeros(count);
        variances
            .slice_mut(s![..real])
            .assign(&found.values.slice(s![..real]));
        (variances, axes)
    }
}
