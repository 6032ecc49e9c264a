//! The contract of a method: what it is called, what it takes, how it is fitted.

mod plan;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use plan::{Plan, Shape};

use crate::class::Class;
use crate::data::{Batches, Data, Source};
use crate::error::{Error, Result};
use crate::message;
use crate::model::{ErasedModel, Model};
use crate::params::Parameters;
use crate::run::Run;

/// What kind of map a method makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        }
    }
}

/// Whether a method uses labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// What there is to know about a method before it runs. The contract tests read their exceptions
/// here too.
#[derive(Clone, Copy, Debug)]
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
    /// Takes sparse rows.
    pub sparse: bool,
    /// Takes a matrix of distances instead of features.
    pub distances: bool,
    /// Takes distances of which some are missing.
    pub missing_distances: bool,
    /// Takes weights of the distances.
    pub pair_weights: bool,
    /// Takes a kernel matrix instead of features.
    pub kernel: bool,
    /// Takes a table of neighbours instead of features.
    pub neighbors: bool,
    /// Can be fitted from batches, in memory that does not grow with the rows.
    pub streams: bool,
    /// Has a way back to features.
    pub inverse: bool,
    /// Its models tell [how much of a row is lost](Model::as_row_errors).
    pub row_errors: bool,
    /// Its models tell [how likely rows are](Model::as_log_likelihood).
    pub likelihood: bool,
    /// Its models have [axes](Model::axes).
    pub axes: bool,
    /// Its models have [loadings](Model::feature_loadings).
    pub loadings: bool,
    /// Its models report variances, shares or correlations of components, which a scree graph shows.
    pub spectrum: bool,
    /// Names of the [pictures](Model::pictures) that its models have besides their map.
    pub pictures: &'static [&'static str],
    /// The rows as points tell little of it: the first of its pictures is drawn instead.
    pub first_picture: bool,
    /// Its models [predict](Model::as_predict) what the labels were.
    pub predicts: bool,
    /// Its models have a layout that [further steps improve](Model::as_continue).
    pub continues: bool,
    /// Can be fitted [bit by bit](Method::partial).
    pub partial: bool,
    /// What it does with labels.
    pub labels: LabelUse,
    /// Needs several views of the same rows.
    pub views: bool,
    /// Takes features that are not negative only.
    pub nonnegative: bool,
    /// Descends to one of several minima of a `stress`, `loss`, `quantization_error` or `kl_divergence` that it reports: the last digits of the input may
    /// lead to another map, about as good.
    pub many_minima: bool,
    /// What it is called where methods are classes.
    pub classes: &'static [Class],
    /// Largest difference between the embedding and the transform of the training rows, as a share
    /// of the embedding's size.
    pub transform_error: f64,
}

impl Info {
    /// Everything off: for `..Info::DEFAULT`.
    pub const DEFAULT: Self = Self {
        name: "",
        title: "",
        summary: "",
        family: Family::Linear,
        reference: "",
        sparse: false,
        distances: false,
        missing_distances: false,
        pair_weights: false,
        kernel: false,
        neighbors: false,
        streams: false,
        inverse: false,
        row_errors: false,
        likelihood: false,
        axes: false,
        loadings: false,
        spectrum: false,
        pictures: &[],
        first_picture: false,
        predicts: false,
        continues: false,
        partial: false,
        labels: LabelUse::Ignored,
        views: false,
        nonnegative: false,
        many_minima: false,
        classes: &[],
        transform_error: 1e-9,
    };
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

    /// Fits from batches, for methods that [stream](Info::streams). Batches are read on the calling
    /// thread; what is computed from them belongs on the run's threads, by [`Run::install`].
    fn fit_batches_in(&self, _run: &Run<'_>, _batches: &mut dyn Batches) -> Result<Self::Model> {
        Err(needs_all_rows::<Self>())
    }

    /// A fit that takes in rows bit by bit, for methods that [can](Info::partial).
    fn partial(&self, _n_columns: usize) -> Result<Box<dyn PartialFit>> {
        Err(needs_all_rows::<Self>())
    }
}

/// A fit under way, of a method whose type has been forgotten.
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
        Source::Features(features) if features.is_sparse() && !info.sparse => Some(message!(
            "takes dense features only: make the sparse {:rows} dense first, or choose a method \
             that takes sparse ones"
        )),
        Source::Distances(_) if !info.distances => {
            Some(message!("needs features, but was given distances"))
        }
        Source::Kernel(_) if !info.kernel => {
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
        _ if data.pair_weights().is_some() && !info.pair_weights => Some(message!(
            "takes no weights of distances: {'mds':method} does"
        )),
        Source::Neighbors(_) if !info.neighbors => Some(message!(
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
        && !info.missing_distances
        && let Some(((row, other), _)) = matrix.indexed_iter().find(|(_, value)| value.is_nan())
    {
        let n_missing = data.n_missing_distances();
        let (of, are) = match n_missing {
            1 => ("distance", "is"),
            _ => ("distances", "are"),
        };
        let problem = message!(
            "needs all distances, but {n_missing} {of} {are} missing, the first between \
             {row:row} and {other:row}: {'mds':method} does without"
        );
        return Err(Error::unsupported(
            message!("{name:method}", name = info.name),
            problem,
        ));
    }
    let n_views = data.view_widths().len();
    if info.views && n_views < 2 {
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
