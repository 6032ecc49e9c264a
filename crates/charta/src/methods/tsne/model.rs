//! The model of t-SNE: the embedding, out-of-sample placement, and further optimization of a saved model.

use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

use super::{
    Affinity, AffinityOptions, FoundAffinities, Gradient, N_NEIGHBORS, Optimized, Optimizer,
    OutOfSample, Phase, Tsne,
};
use crate::data::Data;
use crate::data::loaded::{check_at_least, check_at_most, check_parameter};
use crate::error::{Error, Result, Rule, message};
use crate::model::{Continue, Diagnostics, ErasedModel, Layout, LayoutFit, More, TrainingRows};
use crate::run::Run;

/// Iterations that a model can have behind it: no run lasts longer, and further ones can be added.
const MOST_ITERATIONS: usize = u32::MAX as usize;

/// The parameters of the optimization that a model keeps, so that it can be continued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TsneOptions {
    /// How affinities are made.
    pub affinities: AffinityOptions,
    /// How repulsion is computed.
    pub gradient: Gradient,
    /// θ of Barnes–Hut.
    pub theta: f64,
    /// Degrees of freedom of the Student t kernel.
    pub degrees_of_freedom: f64,
    /// Exaggeration of the last phase.
    pub exaggeration: f64,
    /// The learning rate, unless it follows from the number of rows.
    pub learning_rate: Option<f64>,
    /// Momentum: the fraction of a step that is repeated in the next.
    pub momentum: f64,
    /// Steps are clipped to this length.
    pub max_step: f64,
}

impl TsneOptions {
    /// Fails if a number that was loaded is not one that the parameters of a fit with this many components allow.
    fn validate(&self, n_components: usize) -> Result<()> {
        let Self {
            affinities,
            gradient,
            theta,
            degrees_of_freedom,
            exaggeration,
            learning_rate,
            momentum,
            max_step,
        } = self;
        let AffinityOptions {
            affinity: _,
            perplexities,
            search: _,
        } = affinities;
        check_at_least("the perplexities", perplexities.len(), 1)?;
        check_parameter::<Tsne>("perplexities", perplexities)?;
        gradient.check(n_components)?;
        check_parameter::<Tsne>("theta", theta)?;
        check_parameter::<Tsne>("dof", degrees_of_freedom)?;
        check_parameter::<Tsne>("exaggeration", exaggeration)?;
        check_parameter::<Tsne>("learning_rate", learning_rate)?;
        check_parameter::<Tsne>("momentum", momentum)?;
        check_parameter::<Tsne>("max_step", max_step)
    }

    /// The optimizer for these phases.
    pub fn optimizer(&self, phases: Vec<Phase>) -> Optimizer {
        Optimizer {
            phases,
            gradient: self.gradient,
            theta: self.theta,
            degrees_of_freedom: self.degrees_of_freedom,
            max_step: self.max_step,
        }
    }

    /// A phase with the last phase's parameters.
    pub fn phase(&self, iterations: usize, exaggeration: f64) -> Phase {
        Phase {
            iterations,
            exaggeration,
            learning_rate: self.learning_rate,
            momentum: self.momentum,
        }
    }
}

/// How a fit went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TsneReport {
    /// Kullback–Leibler divergence of the embedding's affinities from those of the data.
    pub kl_divergence: f64,
    /// How its sum over all pairs was computed: exactly, or as in the optimization.
    pub kl_divergence_by: Gradient,
    /// How repulsion was computed.
    pub gradient: Gradient,
    /// Steps taken, with those of continued fits.
    pub n_iterations: usize,
    /// Whether the optimization was ended on request before its last step.
    #[serde(default)]
    pub interrupted: bool,
    /// The perplexities used.
    pub perplexities: Vec<f64>,
    /// Neighbours of each row.
    pub n_neighbors: usize,
    /// How they were found, in words.
    pub search: String,
    /// Recall: the fraction of true neighbours among those found.
    pub recall: f64,
    /// Affinities stored, each pair counted once.
    pub n_edges: usize,
    /// Connected components of the affinities.
    pub n_parts: usize,
}

impl TsneReport {
    /// The report before the optimization.
    pub(crate) fn before(found: &FoundAffinities) -> Self {
        Self {
            kl_divergence: f64::NAN,
            kl_divergence_by: Gradient::Exact,
            gradient: Gradient::Exact,
            n_iterations: 0,
            interrupted: false,
            perplexities: found.perplexities.clone(),
            n_neighbors: found.n_neighbors,
            search: found.algorithm.clone(),
            recall: found.recall,
            n_edges: found.affinities.n_stored() / 2,
            n_parts: found.affinities.n_parts(),
        }
    }

    /// The report after an optimization that followed `before` earlier steps.
    pub(crate) fn after(mut self, map: &Optimized, before: usize) -> Self {
        self.kl_divergence = map.divergence.value;
        self.kl_divergence_by = map.divergence.by;
        self.gradient = map.gradient;
        self.n_iterations = before + map.n_iterations;
        self.interrupted = map.interrupted;
        self
    }
}

/// What t-SNE keeps beside the coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TsneFit {
    /// The parameters of the optimization.
    pub options: TsneOptions,
    /// Why the affinities cannot be computed again from the rows kept, if so.
    pub not_continuable: Option<String>,
    /// How the fit went.
    pub report: TsneReport,
}

/// A fitted t-SNE.
pub type TsneModel = Layout<TsneFit>;

impl TsneModel {
    /// A model of an optimized embedding of the rows of `data`.
    pub(crate) fn new(
        run: &Run<'_>,
        data: &Data<'_>,
        options: TsneOptions,
        optimized: Optimized,
        report: TsneReport,
    ) -> Result<Self> {
        Ok(Self {
            training: TrainingRows::new(run, data, &options.affinities.search, None)?,
            fit: TsneFit {
                options,
                not_continuable: not_continuable(data),
                report: report.after(&optimized, 0),
            },
            embedding: optimized.embedding,
        })
    }

    /// How the fit went.
    pub fn report(&self) -> &TsneReport {
        &self.fit.report
    }

    /// The Kullback–Leibler divergence of the embedding's affinities from those of the data.
    pub fn kl_divergence(&self) -> f64 {
        self.fit.report.kl_divergence
    }

    /// The model after further steps, with affinities computed again from the rows kept.
    pub fn continued(&self, run: &Run<'_>, more: &More) -> Result<Self> {
        let (Some(features), None) = (self.training.features(), &self.fit.not_continuable) else {
            let why = match &self.fit.not_continuable {
                Some(why) => message!("{why}"),
                None => message!("keeps no {:rows}"),
            };
            return Err(Error::unsupported(
                message!("the model"),
                message!("cannot be continued: it {why}"),
            ));
        };
        let options = &self.fit.options;
        let exaggeration = more.exaggeration.unwrap_or(options.exaggeration);
        if !(exaggeration > 0.0 && exaggeration.is_finite()) {
            return Err(Error::parameter(
                "exaggeration",
                Rule::Above {
                    limit: 0.0.into(),
                    because: None,
                },
                exaggeration,
            ));
        }
        let found = options.affinities.of(run, &Data::new(features))?;
        let report = TsneReport::before(&found);
        run.stage("layout")?;
        let phases = vec![options.phase(more.iterations, exaggeration)];
        let optimizer = options.optimizer(phases);
        let optimized = optimizer.optimize(run, found.affinities, &self.embedding.view(), None)?;
        Ok(Self {
            training: self.training.clone(),
            fit: TsneFit {
                options: TsneOptions {
                    exaggeration,
                    ..options.clone()
                },
                not_continuable: None,
                report: report.after(&optimized, self.fit.report.n_iterations),
            },
            embedding: optimized.embedding,
        })
    }
}

/// Why affinities cannot be computed again, if they were not made of the rows alone.
fn not_continuable(data: &Data<'_>) -> Option<String> {
    let given = [
        (data.distance().is_some(), "a distance function"),
        (data.covariance().is_some(), "a covariance"),
        (data.neighbors().is_some(), "a table of neighbours"),
    ];
    let found = given.into_iter().find(|(is_given, _)| *is_given)?.1;
    Some(format!("was fitted with {found}, which it does not keep"))
}

impl Continue for TsneModel {
    fn continue_in(&self, run: &Run<'_>, more: &More) -> Result<Box<dyn ErasedModel>> {
        Ok(Box::new(self.continued(run, more)?))
    }
}

impl LayoutFit for TsneFit {
    fn transform(layout: &Layout<Self>, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let found = layout.nearest(run, data, N_NEIGHBORS)?;
        let placement = OutOfSample {
            embedding: layout.embedding.view(),
            gradient: layout.fit.report.gradient,
            theta: layout.fit.options.theta,
            degrees_of_freedom: layout.fit.options.degrees_of_freedom,
        };
        placement.embed(run, &found)
    }

    fn diagnostics(layout: &Layout<Self>) -> Diagnostics {
        let report = &layout.fit.report;
        let exact = match report.kl_divergence_by {
            Gradient::Exact => "exact",
            _ => "approximate: its sum over all pairs is the grid's or the tree's",
        };
        let figures = (layout.sizes())
            .number("kl_divergence", report.kl_divergence)
            .text("kl_divergence_estimate", exact)
            .count("n_iterations", report.n_iterations)
            .interrupted(report.interrupted)
            .text("gradient", report.gradient.title());
        let figures = match layout.fit.options.affinities.affinity {
            Affinity::Precomputed => figures,
            _ => figures.vector("perplexity", &Array1::from(report.perplexities.clone())),
        };
        figures
            .count("n_neighbors", report.n_neighbors)
            .text("search", report.search.clone())
            .number("recall", report.recall)
            .count("n_edges", report.n_edges)
            .count("n_connected_components", report.n_parts)
    }

    fn validate(layout: &Layout<Self>) -> Result<()> {
        let TsneFit {
            options,
            not_continuable: _,
            report,
        } = &layout.fit;
        let n_components = layout.embedding.ncols();
        check_parameter::<Tsne>("n_components", &n_components)?;
        options.validate(n_components)?;
        check_at_most("the iterations done", report.n_iterations, MOST_ITERATIONS)?;
        report.gradient.check(n_components)
    }

    fn as_continue(layout: &Layout<Self>) -> Option<&dyn Continue> {
        Some(layout)
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("tsne")
    }
}
