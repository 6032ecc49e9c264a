//! Linear discriminant analysis: the axes along which classes lie far apart, measured by how far
//! their own rows scatter.
//!
//! # Idea
//! Rows of several classes are to be seen in few coordinates in which rows of the same class lie close
//! together and the classes far apart. Fisher's axes make the variance between the classes' means as
//! large as possible against the variance within the classes. If the classes are normal with the same
//! covariance, the coordinates keep everything that tells the classes apart, and the nearest mean
//! (with the priors) is the best guess of a row's class.
//!
//! # Steps
//! 1. [`data::Priors`](crate::data::Priors): how probable each class is.
//! 2. [`linalg::shrinkage`](crate::linalg::shrinkage): if asked for, how much each covariance is shrunk.
//! 3. [`spectral::class_scatter`](crate::spectral::class_scatter): means and scatter within classes.
//! 4. [`methods::lda::solver`](crate::methods::lda::solver): whitening, and axes.
//! 5. [`methods::lda::LdaModel`](crate::methods::lda::LdaModel): places rows, tells their class.
//!
//! # Objective
//! J(w) = wᵀ B w / wᵀ W w, where W = Σ p S averages the covariances S of the classes (divisor n, or
//! n − 1 without `population`) and B = Σ p (m − c)(m − c)ᵀ. Its stationary points solve
//! B w = λ W w; there are at most K − 1 with λ > 0 for K classes. Axes have wᵀ W w = 1 and are
//! uncorrelated within classes. With `orthogonal`, every axis has length 1 and is the best among those
//! orthogonal to all before it. c is the mean Σ p m, or with `centre = classes` the plain mean of
//! the classes' means.
//!
//! # Cost
//! With n rows, d columns, K classes: n d² for the scatter, d³ / 3 for its Cholesky factor and d² K for
//! the axes; memory 4 d². Only where the scatter turns out to be singular are all its eigenvectors
//! found. `svd` 2 n d² and 20 d³. For n < d everything happens in the span of the rows: d n² + n³, and
//! nothing of size d × d is formed.
//!
//! # Choosing parameters
//! `shrinkage = auto` where classes have fewer rows than there are columns. `singular` says what
//! happens without it where W cannot be inverted. `priors` where the classes' shares among new rows are
//! not those of the training rows. `solver = svd` for nearly collinear columns, whose difference
//! squares would lose.
//!
//! # New points
//! z = A (x − c). [`Predict`](crate::model::Predict) gives each class's decision value
//! zᵀμ − ½ ‖μ‖² + log p, where z and the class's mean μ are along all discriminant axes, not only the
//! `n_components` kept; the probabilities are their softmax. There is a decision value for each class
//! also where there are two.
//!
//! # Differences
//! From scikit-learn 1.9: its `decision_function` of two classes is one number, the difference of
//! ours; that of its `eigen` and `lsqr` differs from ours by a number common to all classes of a row.
//! With shrinkage its `eigen` takes for B the difference of two matrices shrunk on their own, which is
//! no longer the scatter of the means; ours is, so axes and ratios differ there while decisions
//! and probabilities do not. `transform` always subtracts the centre, as its `svd` does. `pooling`
//! unites its two answers to given priors. The sign of an axis makes its largest entry positive.
//! Constant columns get the weight 0. Where W is singular its `svd` is our `pseudo_inverse`.
//!
//! # References
//! Fisher, "The use of multiple measurements in taxonomic problems", 1936. Rao, "The utilization of
//! multiple measurements in problems of biological classification", 1948. Okada and Tomita, "An
//! optimal orthonormal system for discriminant analysis", 1985. Belhumeur, Hespanha and Kriegman,
//! "Eigenfaces vs. Fisherfaces", 1997. Ledoit and Wolf, "A well-conditioned estimator for
//! large-dimensional covariance matrices", 2004.
//!
//! # Example
//! ```
//! use charta::{Data, Fit, Labels, Model, methods::lda::Lda};
//! use ndarray::array;
//! let x = array![[1.0, 2.0], [2.0, 3.1], [3.0, 3.9], [1.0, 0.1], [2.0, 1.0], [3.0, 2.2]];
//! let labels = Labels::from_words(&["up", "up", "up", "down", "down", "down"]);
//! let model = Lda::default().fit(Data::from(&x).with_labels(labels)?)?;
//! assert_eq!(model.embedding().unwrap().dim(), (6, 1));
//! assert_eq!(model.training_accuracy(), Some(1.0));
//! # Ok::<(), charta::Error>(())
//! ```

mod model;
pub mod solver;

pub use model::{LdaModel, LdaParts};

use ndarray::{Array1, Array2, Axis, s};

use self::solver::{Policy, Separation, Singular, Whitening, orthogonal, uncorrelated};
use crate::data::{Classes, Data, Features, Priors};
use crate::dimension::Wanted;
use crate::error::{Because, Error, Result, Warning};
use crate::linalg::moments::rows_at_once;
use crate::linalg::shrinkage::{Shrinkage, Shrunk};
use crate::message;
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape};
use crate::model::DECIDED_AT_ONCE;
use crate::params::{Choice, Parameters};
use crate::run::Run;
use crate::spectral::class_scatter::{Average, ClassScatter};

/// Columns up to which the covariance within classes is reported.
const REPORTED: usize = 64;

/// The route to the axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Solver {
    /// `eigen`.
    Auto,
    /// From the scatter within classes, by its Cholesky factor: the fastest.
    Eigen,
    /// From the rows' triangular factor and singular values: does not square the condition number.
    Svd,
}

/// What stands in the middle of the classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Centre {
    /// The mean of the classes' means, weighted with their priors: with those of the data, the mean
    /// of all rows.
    Grand,
    /// The plain mean of the classes' means.
    Classes,
}

/// How the classes' covariances are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Pooling {
    /// `rows`, or `priors` where covariances are shrunk.
    Auto,
    /// By the number of rows: every row counts alike.
    Rows,
    /// By the priors.
    Priors,
}

/// Parameters of linear discriminant analysis.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Lda {
    /// How many axes to keep: at most the number of classes less one.
    #[param(default = Wanted::Auto)]
    pub n_components: Wanted,
    /// The route to the axes.
    #[param(default = Solver::Auto)]
    pub solver: Solver,
    /// How much the classes' covariances are shrunk towards a diagonal.
    #[param(default = Shrinkage::None)]
    pub shrinkage: Shrinkage,
    /// What to do where the scatter within classes is singular.
    #[param(default = Singular::Pca)]
    pub singular: Singular,
    /// The prior probabilities of the classes.
    #[param(default = Priors::Data)]
    pub priors: Priors,
    /// How the classes' covariances are averaged where priors are given.
    #[param(default = Pooling::Auto)]
    pub pooling: Pooling,
    /// What the classes' deviations are measured from.
    #[param(default = Centre::Grand)]
    pub centre: Centre,
    /// Orthogonal axes of length 1, instead of axes that are uncorrelated and of variance 1 within
    /// classes.
    #[param(default = false)]
    pub orthogonal: bool,
    /// Divide by n instead of n − 1 in the covariance of each class.
    #[param(default = true)]
    pub population: bool,
    /// Deviations within classes below this, in units of the columns' own, count as none; so do
    /// separations below this share of the largest.
    #[param(default = 1e-4, above = 0.0, below = 1.0)]
    pub tolerance: f64,
}

impl Method for Lda {
    const INFO: Info = Info {
        name: "lda",
        title: "Linear discriminant analysis",
        summary: "The axes along which classes lie far apart against their own scatter",
        family: Family::Linear,
        reference: "Fisher 1936; Rao 1948",
        takes: &[Input::Sparse],
        offers: &[
            Capability::Axes,
            Capability::Loadings,
            Capability::Spectrum,
            Capability::Predicts,
        ],
        labels: LabelUse::Required,
        ..Info::DEFAULT
    };

    type Model = LdaModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<LdaModel> {
        let features = data.features(Self::INFO.name)?;
        let classes = data.classes(Self::INFO.name)?;
        let most = (classes.len() - 1).min(features.n_columns());
        self.n_components.of(most, because(&classes, features))?;
        self.check_memory(run, data, classes.len())?;
        let priors = self.priors.of(&classes)?;
        classes.warn(run)?;
        if self.shrinkage == Shrinkage::None && classes.n_labelled() <= features.n_columns() {
            run.warn(Warning::doubtful(message!("separation and training accuracy"), message!(
"{n:rows} in {m:columns} can be separated whatever their classes are, so this says \
 nothing about new {:rows}; use {shrinkage=auto}, or fewer {:columns}", n = classes.n_labelled(), m = features.n_columns())))?;
        }
        let (average, shrunk) = self.average(run, features, &classes, &priors)?;
        let scatter = ClassScatter::of(run, data, features, &classes, &average)?;
        let model = self.model(run, &classes, priors, &scatter)?;
        let parts = LdaParts {
            shrinkage: shrunk.map(|shrunk| shrunk.intensities),
            ..model
        };
        run.stage("projection")?;
        LdaModel::new(parts).embed(run, data, &classes)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let smaller = n.min(d);
        let plan = if n < d {
            Plan::new("discriminant axes in the span of the rows")
                .needs("inner products and eigenvectors", (n, n), 8 * 8)
                .needs("basis of the span", (n, d), 3 * 8)
                .needs("columns in blocks", (n, 1024.min(d)), 8)
        } else if self.solver == Solver::Svd {
            Plan::new("discriminant axes from singular values")
                .needs("rows in blocks", (5 * d.max(103), d), 4 * 8)
                .needs("triangular factor and vectors", (d, d), 6 * 8)
        } else {
            Plan::new("discriminant axes from the scatter within classes").needs(
                "scatter and its factor",
                (d, d),
                7 * 8,
            )
        };
        // A class may have nearly all rows; where its rows are gathered as a whole, they are copied.
        let gathered = if n >= d && self.solver != Solver::Svd && self.shrinkage == Shrinkage::None
        {
            rows_at_once(d, shape.precision.bytes()).min(n)
        } else {
            n
        };
        let stored = (shape.n_stored as f64 * gathered as f64 / n.max(1) as f64).ceil();
        Ok(plan
            .needs(
                "rows of a class",
                (stored as usize, 1),
                shape.precision.bytes() + 4,
            )
            .needs("rows in double precision", (1024.min(n), d), 2 * 8)
            .needs("means and axes", (smaller.min(64), d), 8 * 8)
            .needs("embedding and decisions", (n, smaller.min(64)), 3 * 8)
            .advice(message!(
                "use fewer {:columns}, or principal components first"
            )))
    }
}

impl Lda {
    /// Fails if the classes, whose number the plan does not know, need more memory than there is.
    fn check_memory(&self, run: &Run<'_>, data: &Data<'_>, n_classes: usize) -> Result<()> {
        let shape = Shape::of(data);
        let (n, d) = (shape.n_rows, shape.n_columns);
        let planned = n.min(d).min(64);
        let n_axes = (n_classes - 1).min(d);
        self.plan(&shape)?
            .needs(
                "means of further classes",
                (n_classes.saturating_sub(planned), d),
                8 * 8,
            )
            .needs(
                "decisions of some rows",
                (DECIDED_AT_ONCE.min(n), n_classes.saturating_sub(planned)),
                2 * 8,
            )
            .needs(
                "coordinates along further axes",
                (n, n_axes.saturating_sub(planned)),
                2 * 8,
            )
            .advice(message!("use fewer classes or {:columns}"))
            .check(&shape, run.memory())
    }

    /// What the covariance within classes is an average of.
    fn average(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        classes: &Classes,
        priors: &Array1<f64>,
    ) -> Result<(Average, Option<Shrunk>)> {
        let shrinks = self.shrinkage != Shrinkage::None;
        let by_priors = match self.pooling {
            Pooling::Auto => shrinks,
            Pooling::Rows => false,
            Pooling::Priors => true,
        };
        let mut weights = if by_priors {
            priors.clone()
        } else {
            Array1::from_vec(classes.shares())
        };
        if !self.population {
            for (weight, &count) in weights.iter_mut().zip(&classes.counts) {
                *weight *= count as f64 / (count as f64 - 1.0).max(1.0);
            }
        }
        let shrunk = self.shrinkage.of(run, features, classes, &weights)?;
        for (class, &count) in classes.counts.iter().enumerate() {
            weights[class] *= (1.0 - shrunk.intensities[class]) / count as f64;
        }
        let average = Average {
            weights,
            added: shrunk.added.clone(),
            triangle: self.solver == Solver::Svd,
        };
        Ok((average, shrinks.then_some(shrunk)))
    }

    fn model(
        &self,
        run: &Run<'_>,
        classes: &Classes,
        priors: Array1<f64>,
        scatter: &ClassScatter,
    ) -> Result<LdaParts> {
        let means = &scatter.means;
        let equal = Array1::from_elem(classes.len(), 1.0 / classes.len() as f64);
        let centre = match self.centre {
            Centre::Grand => priors.dot(means),
            Centre::Classes => equal.dot(means),
        };
        let weights = priors.mapv(f64::sqrt).insert_axis(Axis(1));
        let deviations = scatter
            .coordinates
            .place(&((means - &centre) * weights).view());
        let policy = Policy {
            singular: self.singular,
            tolerance: self.tolerance,
        };
        let whitening = Whitening::of(run, scatter, &deviations, policy)?;
        let middle = centre.clone().insert_axis(Axis(0));
        let floor = rounding(&scatter.coordinates.place(&middle.view()));
        let all = uncorrelated(&scatter.coordinates, &whitening, &deviations, policy, floor)?;
        let count = self.count(classes, &all)?;
        let kept = if self.orthogonal {
            orthogonal(&scatter.coordinates, &whitening, &deviations, count)?
        } else {
            Separation {
                ratios: all.ratios.slice(s![..count]).to_owned(),
                axes: all.axes.slice(s![..count, ..]).to_owned(),
            }
        };
        let small = means.ncols() <= REPORTED;
        Ok(LdaParts {
            classes: classes.names.clone(),
            counts: classes.counts.clone(),
            means: means.clone(),
            centre,
            priors,
            discriminants: all.axes,
            eigenvalues: all.ratios,
            axes: kept.axes,
            ratios: kept.ratios,
            orthogonal: self.orthogonal,
            variances: scatter.variances.clone(),
            covariance: if small { scatter.covariance() } else { None },
            shrinkage: None,
            rank: whitening.rank,
            solver: scatter.route.into(),
            n_left_out: classes.n_missing(),
        })
    }

    fn count(&self, classes: &Classes, all: &Separation) -> Result<usize> {
        let most = all.ratios.len();
        if most == 0 {
            return Err(Error::degenerate(message!(
                "the classes have the same mean, so no axis separates them"
            )));
        }
        let because = message!(
            "the means of the {} classes span no more directions",
            classes.len()
        );
        self.n_components.of(most, because)
    }
}

fn because(classes: &Classes, features: &Features<'_>) -> Because {
    let n_columns = features.n_columns();
    if n_columns < classes.len() - 1 {
        message!(
            "there are {} classes and {:data} has {n_columns:columns}",
            classes.len()
        )
        .into()
    } else {
        Because::Classes(classes.len())
    }
}

/// Separations that rounding of means so large can make.
fn rounding(centre: &Array2<f64>) -> f64 {
    let largest = centre
        .iter()
        .fold(1.0_f64, |size, value| size.max(value.abs()));
    64.0 * f64::EPSILON * largest
}
