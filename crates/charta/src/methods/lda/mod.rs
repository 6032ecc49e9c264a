//! Linear discriminant analysis (LDA): axes of largest between-class relative to within-class variance, and a classifier.
//!
//! # Idea
//! Find coordinates in which rows of the same class are close together and the classes far apart. Fisher's axes maximize the variance between the class means
//! relative to the variance within the classes. If the classes are normal with the same
//! covariance, the coordinates preserve all information about the classes, and the nearest mean (with the priors) is the optimal classifier.
//!
//! # Steps
//! 1. [`data::Priors`](crate::data::Priors): prior probabilities of the classes.
//! 2. `linalg::shrinkage`: shrinkage of the covariances, if requested.
//! 3. `spectral::class_scatter`: means and scatter within classes.
//! 4. `methods::lda::solver`: whitening by the within-class covariance, and axes.
//! 5. [`methods::lda::LdaModel`](crate::methods::lda::LdaModel): transforms rows, predicts their class.
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
//! A covariance within classes can be given (`Data::with_covariance`), such as that of a robust estimator. `shrinkage = auto` where classes have fewer rows than there are columns; without it training accuracy means little
//! below two rows for each column, and a warning says so. `singular` sets what happens without it where W cannot be inverted. `priors` where the class
//! frequencies among new rows are not those of the training rows. `solver = svd` for nearly collinear columns, whose difference
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
//! and probabilities do not. `transform` always subtracts the centre, as its `svd` does. `pooling` offers both of its treatments of given priors. The sign of
//! an axis makes its largest entry positive.
//! Constant columns get the weight 0. Where W is singular its `svd` is our `pseudo_inverse`.
//!
//! # References
//! Fisher, "The use of multiple measurements in taxonomic problems", 1936. Rao, "The utilization of
//! multiple measurements in problems of biological classification", 1948. Okada and Tomita, "An
//! optimal orthonormal system for discriminant analysis", 1985. Cover, "Geometrical and statistical properties of systems
//! of linear inequalities with applications in pattern recognition", 1965. Belhumeur, Hespanha and Kriegman,
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
mod solver;

pub use model::{LdaModel, LdaReport};
pub use solver::Singular;

use ndarray::{Array1, Array2, Axis};

use self::solver::{Policy, Separation, Whitening, orthogonal, uncorrelated};
use crate::data::{Classes, Data, Features, Priors};
use crate::dimension::ComponentCount;
use crate::error::{Because, Error, Result, Warning, message};
use crate::linalg::moments::rows_at_once;
pub use crate::linalg::shrinkage::Shrinkage;
use crate::linear::Covariances;
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape, Step, Steps};
use crate::model::DECIDED_AT_ONCE;
use crate::params::{Choice, Parameters};
use crate::run::Run;
use crate::spectral::class_scatter::{Average, ClassScatter};

/// Columns up to which the covariance within classes is reported.
const REPORTED: usize = 64;
/// Rows for each column from which training accuracy means something: two classes of fewer rows can be separated by a
/// plane more often than not, however the classes are drawn (Cover 1965).
const ROWS_PER_COLUMN: usize = 2;
/// Classes that a plan counts with; a run that finds more checks the memory again.
const PLANNED_CLASSES: usize = 10;

/// The solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Solver {
    /// `eigen`.
    Auto,
    /// Cholesky factor of the within-class scatter: the fastest.
    Eigen,
    /// QR and singular value decompositions of the rows: do not square the condition number.
    Svd,
}

/// What stands in the middle of the classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Centre {
    /// The mean of the class means weighted by their priors: with those of the data, the mean
    /// of all rows.
    Grand,
    /// The unweighted mean of the class means.
    Classes,
}

/// How the classes' covariances are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Pooling {
    /// `rows`, or `priors` where covariances are shrunk.
    Auto,
    /// By the number of rows: all rows have equal weight.
    Rows,
    /// By the priors.
    Priors,
}

/// Parameters of linear discriminant analysis.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Lda {
    /// Number of discriminant axes to keep, at most the number of classes less one. It does not change predictions, which
    /// use all axes.
    #[param(default = ComponentCount::Auto)]
    pub n_components: ComponentCount,
    /// Solver: `eigen` is the fastest, `svd` is more accurate for nearly collinear columns.
    #[param(default = Solver::Auto)]
    pub solver: Solver,
    /// Shrinkage of the classes' covariances towards a diagonal matrix: none, `auto` (Ledoit–Wolf), or a number from 0 to 1.
    /// More shrinkage regularizes more; use it where there are nearly as many columns as rows.
    #[param(default = Shrinkage::None)]
    pub shrinkage: Shrinkage,
    /// What to do where the within-class scatter is singular: PCA first, the pseudo-inverse, or an error.
    #[param(default = Singular::Pca)]
    pub singular: Singular,
    /// Prior probabilities of the classes: their frequencies in the data, equal, or given. A larger prior moves the decision boundary away
    /// from its class, so that more rows are assigned to it.
    #[param(default = Priors::Data)]
    pub priors: Priors,
    /// How the classes' covariances are averaged where priors are given: by numbers of rows or by priors.
    #[param(default = Pooling::Auto)]
    pub pooling: Pooling,
    /// Centre from which the between-class scatter is measured. The two differ only where the priors are unequal.
    #[param(default = Centre::Grand)]
    pub centre: Centre,
    /// Use orthogonal axes of length 1 instead of axes that are uncorrelated and of variance 1 within classes.
    #[param(default = false)]
    pub orthogonal: bool,
    /// Divide by n instead of n − 1 in the covariance of each class: maximum likelihood instead of unbiased estimates.
    #[param(default = true)]
    pub population: bool,
    /// Rank tolerance: directions whose within-class standard deviation is below this, for standardized columns, count as singular, and
    /// separations below this proportion of the largest as 0. Larger values leave out more directions; usually 1e-8 to 1e-3.
    #[param(default = 1e-4, above = 0.0, below = 1.0)]
    pub tolerance: f64,
    /// Report the covariance within classes however many columns there are: memory of columns × columns. Without, it is reported up to 64 columns.
    #[param(default = false)]
    pub store_covariance: bool,
}

impl Method for Lda {
    const INFO: Info = Info {
        name: "lda",
        title: "Linear discriminant analysis",
        summary: "LDA: axes of largest between-class relative to within-class variance, and a classifier",
        family: Family::Linear,
        reference: "Fisher 1936; Rao 1948",
        takes: &[Input::Sparse],
        offers: &[
            Capability::Axes,
            Capability::Loadings,
            Capability::Spectrum,
            Capability::Predicts,
            Capability::Steps,
        ],
        labels: LabelUse::Required,
        ..Info::DEFAULT
    };

    type Model = LdaModel;

    fn steps_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Steps> {
        let found = Covariances::of(run, data)?;
        let classes = found.classes.ok_or_else(|| Error::LabelsMissing {
            method: Self::INFO.name.into(),
        })?;
        Ok(Steps::of_all(vec![
            Step::new(
                "S_within",
                "Σ over classes of Σ (x − m_c)(x − m_c)ᵀ, before shrinkage and priors",
                classes.within,
            ),
            Step::new(
                "S_between",
                "Σ over classes of n_c (m_c − m)(m_c − m)ᵀ: the axes are the largest solutions of S_between a = λ S_within a",
                classes.between,
            ),
        ]))
    }

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<LdaModel> {
        let features = data.features(Self::INFO.name)?;
        let classes = data.classes(Self::INFO.name)?;
        self.check_size(run, data, &classes)?;
        let priors = self.priors.of(&classes)?;
        classes.warn(run)?;
        let (scatter, shrinkage) = match data.covariance() {
            Some(covariance) => {
                self.check_not_shrunk()?;
                let scatter = ClassScatter::of_given(run, data, features, &classes, covariance)?;
                (scatter, None)
            }
            None => {
                let (average, shrinkage) = self.average(run, features, &classes, &priors)?;
                let scatter = ClassScatter::of(run, data, features, &classes, &average)?;
                self.warn_separable(run, &classes, scatter.coordinates.n_varying())?;
                (scatter, shrinkage)
            }
        };
        let centre = self.centre.of(&scatter.means, &priors);
        let between = weighted_deviations(&scatter, &centre, &priors);
        let policy = Policy {
            singular: self.singular,
            tolerance: self.tolerance,
        };
        let whitening = Whitening::of(run, &scatter, &between, policy)?;
        let discriminants = uncorrelated(
            &scatter.coordinates,
            &whitening,
            &between,
            policy,
            rounding(&scatter, &centre),
        )?;
        let count = self.count(&classes, &discriminants)?;
        let (kept, further) = if self.orthogonal {
            let kept = orthogonal(&scatter.coordinates, &whitening, &between, count)?;
            (kept, discriminants.axes)
        } else {
            discriminants.split(count)
        };
        run.stage("projection")?;
        let report = LdaReport {
            n_left_out: classes.n_missing(),
            counts: classes.counts.clone(),
            classes: classes.names.clone(),
            priors,
            further_discriminants: further,
            eigenvalues: discriminants.ratios,
            orthogonal: self.orthogonal,
            ratios: kept.ratios,
            covariance: (self.store_covariance || features.n_columns() <= REPORTED)
                .then(|| scatter.covariance())
                .flatten(),
            variances: scatter.variances,
            shrinkage,
            rank: whitening.rank,
            solver: scatter.route.into(),
            means: scatter.means,
            accuracy: None,
            discriminants: Array2::zeros((0, 0)),
            class_coordinates: Array2::zeros((0, 0)),
        };
        LdaModel::new(centre, kept.axes, report)?.embed_classes(run, data, &classes)
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
            .needs("means and axes", (smaller.min(PLANNED_CLASSES), d), 8 * 8)
            .needs(
                "embedding and decisions",
                (n, smaller.min(PLANNED_CLASSES)),
                3 * 8,
            )
            .advice(message!(
                "use fewer {:columns}, or principal components first"
            )))
    }
}

impl Centre {
    fn of(self, means: &Array2<f64>, priors: &Array1<f64>) -> Array1<f64> {
        match self {
            Self::Grand => priors.dot(means),
            Self::Classes => {
                Array1::from_elem(means.nrows(), 1.0 / means.nrows() as f64).dot(means)
            }
        }
    }
}

impl Lda {
    /// Fails if there are fewer axes than components, or if the classes, whose number the plan does not know, need more
    /// memory than there is.
    fn check_size(&self, run: &Run<'_>, data: &Data<'_>, classes: &Classes) -> Result<()> {
        let shape = Shape::of(data);
        let (n, d) = (shape.n_rows, shape.n_columns);
        let n_classes = classes.len();
        let planned = n.min(d).min(PLANNED_CLASSES);
        let n_axes = (n_classes - 1).min(d);
        self.n_components.of(n_axes, because(n_classes, d))?;
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

    /// Warns where this many columns separate the training rows whatever their classes are.
    fn warn_separable(&self, run: &Run<'_>, classes: &Classes, n_columns: usize) -> Result<()> {
        let few = n_columns.saturating_mul(ROWS_PER_COLUMN) >= classes.n_labelled();
        if self.shrinkage != Shrinkage::None || !few {
            return Ok(());
        }
        run.warn(Warning::Separable {
            rows: classes.n_labelled(),
            columns: n_columns,
            classes: classes.len(),
        })
    }

    /// Fails if a covariance that is given would have to be shrunk.
    fn check_not_shrunk(&self) -> Result<()> {
        if self.shrinkage == Shrinkage::None {
            return Ok(());
        }
        Err(Error::unsupported(
            message!("{shrinkage:parameter}"),
            message!(
                "shrinks the covariance of the {:rows}, and a covariance was given: set it to {'none'}"
            ),
        ))
    }

    /// What the covariance within classes is an average of, and how much each class is shrunk.
    fn average(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        classes: &Classes,
        priors: &Array1<f64>,
    ) -> Result<(Average, Option<Array1<f64>>)> {
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
            added: shrunk.added,
            triangle: self.solver == Solver::Svd,
        };
        Ok((average, shrinks.then_some(shrunk.intensities)))
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

fn because(n_classes: usize, n_columns: usize) -> Because {
    if n_columns < n_classes - 1 {
        message!("there are {n_classes} classes and {:data} has {n_columns:columns}").into()
    } else {
        Because::Classes(n_classes)
    }
}

/// √p (m − c) for the mean m of each class, in the coordinates of the scatter: the square root of the scatter between
/// classes.
fn weighted_deviations(
    scatter: &ClassScatter,
    centre: &Array1<f64>,
    priors: &Array1<f64>,
) -> Array2<f64> {
    let weights = priors.mapv(f64::sqrt).insert_axis(Axis(1));
    let deviations = (&scatter.means - centre) * weights;
    scatter.coordinates.project(&deviations.view())
}

/// Separations that rounding can make where the centre is so far from the origin.
fn rounding(scatter: &ClassScatter, centre: &Array1<f64>) -> f64 {
    let centre = centre.view().insert_axis(Axis(0));
    let largest = scatter
        .coordinates
        .project(&centre)
        .iter()
        .fold(1.0_f64, |size, value| size.max(value.abs()));
    64.0 * f64::EPSILON * largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;
    use crate::data::synthetic::{Blobs, blobs};
    use crate::method::Fit;

    #[test]
    fn a_given_covariance_within_classes_takes_the_place_of_the_estimate() {
        let sample = blobs(Blobs {
            n: 90,
            centers: 3,
            columns: 4,
            ..Blobs::default()
        })
        .unwrap();
        let words: Vec<String> = (0..90).map(|row| (row * 3 / 90).to_string()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let data = Data::from(&sample.features)
            .with_labels(Labels::from_words(&words))
            .unwrap();
        let own = Lda::default().fit(&data).unwrap();
        let covariance = own.report().covariance.clone().unwrap();
        let given = data.with_covariance(covariance.view()).unwrap();
        let found = Lda::default().fit(&given).unwrap();
        assert!(
            (found.components() - own.components())
                .iter()
                .all(|d| d.abs() < 1e-9)
        );
        let apart = &found.report().means - &own.report().means;
        assert!(apart.iter().all(|d| d.abs() < 1e-12));
        // Twice the covariance: the same axes, of variance 1 in its units.
        let twice = &covariance * 2.0;
        let given = given.with_covariance(twice.view()).unwrap();
        let found = Lda::default().fit(&given).unwrap();
        let want = own.components() / 2.0_f64.sqrt();
        assert!((found.components() - &want).iter().all(|d| d.abs() < 1e-9));
        let shrunk = Lda {
            shrinkage: Shrinkage::Auto,
            ..Lda::default()
        };
        assert!(shrunk.fit(&given).is_err());
    }
}
