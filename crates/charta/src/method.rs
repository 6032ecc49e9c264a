//! The contract of a method: what it is called, what it takes, how it is fitted.

mod explanation;
mod plan;
pub(crate) mod steps;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use explanation::{Explanation, Section};
pub use plan::{Plan, Shape};
pub use steps::{Step, Steps};

use crate::data::{Batches, Data, Source};
use crate::error::{Error, Result, Row, message};
use crate::graph::EmbeddedGraph;
use crate::model::{ErasedModel, Model};
use crate::params::Parameters;
use crate::run::Run;

/// What kind of map a method makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Family {
    /// Chooses among the features.
    Selection,
    /// Linear maps.
    Linear,
    /// Linear maps in the space of a kernel.
    Kernel,
    /// Keeps distances.
    Distance,
    /// Unrolls manifolds.
    Manifold,
    /// Keeps neighbours together.
    Neighbor,
    /// Trained maps.
    Learned,
    /// Finds groups of rows.
    Clustering,
}

impl Family {
    /// The family's title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Selection => "Selecting features",
            Self::Linear => "Linear maps",
            Self::Kernel => "Kernels",
            Self::Distance => "Distances",
            Self::Manifold => "Manifolds",
            Self::Neighbor => "Neighbour embeddings",
            Self::Learned => "Learned maps",
            Self::Clustering => "Clustering",
        }
    }
}

/// What a method takes besides dense features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Input {
    /// Sparse rows.
    Sparse,
    /// A matrix of distances instead of features.
    Distances,
    /// Distances of which some are missing.
    MissingDistances,
    /// Weights of the distances.
    PairWeights,
    /// Weights of the rows.
    RowWeights,
    /// Coordinates from which the optimization starts.
    InitialEmbedding,
    /// Components from which the optimization starts.
    InitialComponents,
    /// Coordinates that rows are pulled towards.
    Anchors,
    /// A kernel matrix instead of features.
    Kernel,
    /// A table of neighbours instead of features.
    Neighbors,
    /// Several views of the same rows, which it cannot do without.
    Views,
    /// Features of at least 0, and no others.
    Nonnegative,
}

impl Input {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Sparse,
        Self::Distances,
        Self::MissingDistances,
        Self::PairWeights,
        Self::RowWeights,
        Self::InitialEmbedding,
        Self::InitialComponents,
        Self::Anchors,
        Self::Kernel,
        Self::Neighbors,
        Self::Views,
        Self::Nonnegative,
    ];
}

/// What a method or its models can do besides giving coordinates to rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Capability {
    /// Fits from [batches](Method::fit_batches_in), in memory that does not grow with the rows.
    Streams,
    /// Fits [incrementally](Method::partial).
    Partial,
    /// An [inverse transform](Model::as_inverse) to features.
    Inverse,
    /// The [reconstruction error](Model::as_row_errors) of every row.
    RowErrors,
    /// The [log-likelihood](Model::as_log_likelihood) of every row.
    Likelihood,
    /// [Rows drawn](Model::as_sample) from the model's distribution.
    Samples,
    /// [Axes](Model::axes) in the space of the features.
    Axes,
    /// [Loadings](Model::feature_loadings) of the features.
    Loadings,
    /// Variances, proportions or correlations of components, or residual variances by their number, which a scree plot shows.
    Spectrum,
    /// [Predictions](Model::as_predict) of labels or clusters.
    Predicts,
    /// A [cluster](Model::clusters) for every row of the fit, and predictions of it for new rows.
    Clusters,
    /// A layout that [further iterations](Model::as_continue) improve.
    Continues,
    /// A fit that ends [on request](crate::Observer::wants_end) with what it has reached.
    Interruptible,
    /// A [neighbour graph](Method::embedded_graph) of the training rows, which the method embeds.
    Graph,
    /// The [matrices](Fit::steps) that a fit goes through.
    Steps,
}

impl Capability {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Streams,
        Self::Partial,
        Self::Inverse,
        Self::RowErrors,
        Self::Likelihood,
        Self::Samples,
        Self::Axes,
        Self::Loadings,
        Self::Spectrum,
        Self::Predicts,
        Self::Clusters,
        Self::Continues,
        Self::Interruptible,
        Self::Graph,
        Self::Steps,
    ];
}

/// Whether a method uses labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelUse {
    /// Not at all.
    Ignored,
    /// If there are any.
    Optional,
    /// It cannot do without.
    Required,
    /// It cannot do without them or a second view: what is to be predicted.
    Target,
}

/// What there is to know about a method before it runs. The contract tests check all of it against the models.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Info {
    /// Name in the registry, on the command line, and of the file.
    pub name: &'static str,
    /// Name in sentences.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Its family.
    pub family: Family,
    /// Where it was published.
    pub reference: &'static str,
    /// What it takes besides dense features.
    pub takes: &'static [Input],
    /// What it and its models can do.
    pub offers: &'static [Capability],
    /// What it does with labels.
    pub labels: LabelUse,
    /// Names of the [pictures](Model::pictures) that its models have besides their map.
    pub pictures: &'static [&'static str],
    /// A scatter plot of the rows shows little of it: the first of its pictures is drawn instead.
    pub first_picture: bool,
    /// Descends to one of several minima of a `stress`, `loss`, `quantization_error`, `inertia` or `kl_divergence` that it reports: the last digits of the input may
    /// lead to another map, about as good.
    pub many_minima: bool,
    /// Largest difference between the embedding and the transform of the training rows, as a fraction
    /// of the embedding's size.
    pub transform_error: f64,
}

impl Info {
    /// Dense features in, coordinates out, and nothing else: for `..Info::DEFAULT`.
    pub const DEFAULT: Self = Self {
        name: "",
        title: "",
        summary: "",
        family: Family::Linear,
        reference: "",
        takes: &[],
        offers: &[],
        labels: LabelUse::Ignored,
        pictures: &[],
        first_picture: false,
        many_minima: false,
        transform_error: 1e-9,
    };

    /// Whether it takes such input.
    pub fn takes(&self, input: Input) -> bool {
        self.takes.contains(&input)
    }

    /// Whether it has this capability.
    pub fn offers(&self, capability: Capability) -> bool {
        self.offers.contains(&capability)
    }
}

/// A method: its parameters, and how to fit them to data.
pub trait Method: Parameters {
    /// What there is to know before it runs.
    const INFO: Info;

    /// What a fit leaves behind.
    type Model: Model + Serialize + DeserializeOwned + 'static;

    /// Fits. Parameters are checked and the run's threads are in place: call through [`Fit`].
    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Self::Model>;

    /// What a fit to data of this shape would do and need.
    fn plan(&self, shape: &Shape) -> Result<Plan>;

    /// What a fit from batches of this shape would do and need, besides one batch.
    fn plan_batches(&self, _batch: &Shape) -> Result<Plan> {
        Err(needs_all_rows::<Self>())
    }

    /// Fits from batches, for methods that [stream](Capability::Streams). Batches are read on the calling
    /// thread; what is computed from them belongs on the run's threads, by [`Run::install`].
    fn fit_batches_in(&self, _run: &Run<'_>, _batches: &mut dyn Batches) -> Result<Self::Model> {
        Err(needs_all_rows::<Self>())
    }

    /// A fit that takes in rows bit by bit, for methods that [can](Capability::Partial).
    fn partial(&self, _n_columns: usize) -> Result<Box<dyn PartialFit>> {
        Err(needs_all_rows::<Self>())
    }

    /// The matrices that a fit goes through, for methods that [give them](Capability::Steps). Parameters are checked and the run's
    /// threads are in place: call through [`Fit::steps`].
    fn steps_in(&self, _run: &Run<'_>, _data: &Data<'_>) -> Result<Steps> {
        Err(Error::unsupported(
            message!("{name:method}", name = Self::INFO.name),
            message!("does not give the matrices of its fit"),
        ))
    }

    /// The neighbourhoods whose graph a fit to `n_rows` rows embeds, for methods that [have one](Capability::Graph).
    fn embedded_graph(&self, _n_rows: usize) -> Option<EmbeddedGraph> {
        None
    }
}

/// A fit under way, of a method whose type is erased.
pub trait PartialFit: Send {
    /// Takes in further rows.
    fn add(&mut self, run: &Run<'_>, data: &Data<'_>) -> Result<()>;

    /// The model of all rows seen so far; more may follow.
    fn model(&self, run: &Run<'_>) -> Result<Box<dyn ErasedModel>>;

    /// The same once more, to go back to.
    fn copy(&self) -> Box<dyn PartialFit>;
}

fn needs_all_rows<M: Method>() -> Error {
    Error::unsupported(
        message!("{name:method}", name = M::INFO.name),
        message!("needs all {:rows} at once: it cannot be fitted from batches"),
    )
}

/// Fitting, for every [`Method`].
pub trait Fit: Method {
    /// Fits on all cores.
    fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<Self::Model> {
        self.fit_with(&Run::new(), data)
    }

    /// Fits with a run's threads, memory limit and observer.
    fn fit_with<'a>(&self, run: &Run<'_>, data: impl Into<Data<'a>>) -> Result<Self::Model> {
        let data = data.into();
        self.check()?;
        check_input(&Self::INFO, &data)?;
        let shape = Shape::of(&data);
        self.plan(&shape)?.check(&shape, run.memory())?;
        run.install(|| self.fit_in(run, &data))
    }

    /// The matrices that a fit to this data goes through, on all cores.
    ///
    /// ```
    /// use charta::{Fit, methods::pca::Pca};
    /// let rows = ndarray::array![[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]];
    /// let steps = Pca::default().steps(&rows)?;
    /// assert_eq!(steps.get("covariance").unwrap()[[0, 0]], 4.0);
    /// # Ok::<(), charta::Error>(())
    /// ```
    fn steps<'a>(&self, data: impl Into<Data<'a>>) -> Result<Steps> {
        self.steps_with(&Run::new(), data)
    }

    /// The matrices that a fit to this data goes through, with a run's threads and memory limit.
    fn steps_with<'a>(&self, run: &Run<'_>, data: impl Into<Data<'a>>) -> Result<Steps> {
        let data = data.into();
        self.check()?;
        check_input(&Self::INFO, &data)?;
        run.install(|| self.steps_in(run, &data))
    }

    /// Fits from batches, in memory that does not grow with the number of rows.
    fn fit_batches(&self, run: &Run<'_>, batches: &mut dyn Batches) -> Result<Self::Model> {
        self.check()?;
        self.fit_batches_in(run, batches)
    }
}

impl<M: Method> Fit for M {}

/// Checks that apply to every method alike.
fn check_input(info: &Info, data: &Data<'_>) -> Result<()> {
    if data.n_rows() == 0 || data.n_columns() == 0 {
        return Err(Error::Empty {
            rows: data.n_rows(),
            columns: data.n_columns(),
        });
    }
    let refused = match data.source() {
        Source::Features(features) if features.is_sparse() && !info.takes(Input::Sparse) => {
            Some(message!(
                "takes dense features only: make the sparse {:rows} dense first, or choose a method \
             that takes sparse ones"
            ))
        }
        Source::Distances(_) if !info.takes(Input::Distances) => {
            Some(message!("needs features, but was given distances"))
        }
        Source::Kernel(_) if !info.takes(Input::Kernel) => {
            Some(message!("needs features, but was given a kernel matrix"))
        }
        Source::DistancesTo(_) => Some(message!(
            "cannot be fitted to distances to the {:rows} of another fit, which only serve to \
             transform new {:rows}: give the distances between all {:rows}"
        )),
        Source::KernelTo(_) => Some(message!(
            "cannot be fitted to a kernel with the {:rows} of another fit, which only serves to \
             transform new {:rows}: give the kernel between all {:rows}"
        )),
        _ if data.pair_weights().is_some() && !info.takes(Input::PairWeights) => Some(message!(
            "takes no weights of distances: choose a method that does"
        )),
        _ if data.row_weights().is_some() && !info.takes(Input::RowWeights) => Some(message!(
            "takes no weights of {:rows}: choose a method that does"
        )),
        _ if data.initial_embedding().is_some() && !info.takes(Input::InitialEmbedding) => Some(
            message!("takes no initial coordinates: choose a method that optimizes a layout"),
        ),
        _ if data.initial_components().is_some() && !info.takes(Input::InitialComponents) => Some(
            message!("takes no initial components: choose a method that optimizes them"),
        ),
        _ if data.has_anchors() && !info.takes(Input::Anchors) => Some(message!(
            "takes no coordinates to pull {:rows} towards: choose a neighbour embedding that does"
        )),
        Source::Neighbors(_) if !info.takes(Input::Neighbors) => Some(message!(
            "needs more than a table of neighbours: give the features as well"
        )),
        _ => None,
    };
    if let Some(problem) = refused {
        return Err(Error::unsupported(
            message!("{name:method}", name = info.name),
            problem,
        ));
    }
    if let Source::Distances(matrix) = data.source()
        && !info.takes(Input::MissingDistances)
        && let Some(((row, other), _)) = matrix.indexed_iter().find(|(_, value)| value.is_nan())
    {
        let n_missing = data.n_missing_distances();
        let (of, are) = match n_missing {
            1 => ("distance", "is"),
            _ => ("distances", "are"),
        };
        let named = |row| Row::new(row, data.row_names());
        let problem = message!(
            "needs all distances, but {n_missing} {of} {are} missing, the first between \
             {row:row} and {other:row}: choose a method that takes missing distances",
            row = named(row),
            other = named(other)
        );
        return Err(Error::unsupported(
            message!("{name:method}", name = info.name),
            problem,
        ));
    }
    let n_views = data.view_widths().len();
    if info.takes(Input::Views) && n_views < 2 {
        return Err(Error::ViewsMissing {
            method: info.name.into(),
        });
    }
    match info.labels {
        LabelUse::Required => data.required_labels(info.name).map(|_| ()),
        LabelUse::Target if n_views < 2 => data.required_labels(info.name).map(|_| ()),
        _ => Ok(()),
    }
}
