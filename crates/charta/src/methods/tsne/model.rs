//! The model of t-SNE: the map, new rows in it while it stands still, and the descent taken up again.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::{Affinity, Descended, Descent, Gradient, N_NEIGHBORS, Phase, Still, Tied, Ties};
use crate::data::Data;
use crate::error::{Error, Result, Rule};
use crate::message;
use crate::model::{Continue, Diagnostics, ErasedModel, Known, Model, More, Transform, arrays};
use crate::run::Run;

/// What the descent was told, beside the affinities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TsneRule {
    /// What ties rows to each other.
    pub ties: Ties,
    /// How repulsion is computed.
    pub gradient: Gradient,
    /// How coarse a tree is.
    pub theta: f64,
    /// Degrees of freedom of the map's kernel.
    pub freedom: f64,
    /// What affinities were multiplied by in the last phase.
    pub exaggeration: f64,
    /// The learning rate, unless it follows from the number of rows.
    pub learning_rate: Option<f64>,
    /// The share of a step that is repeated in the next.
    pub momentum: f64,
    /// The furthest that a row moves in a step.
    pub longest_step: f64,
}

impl TsneRule {
    /// The descent through these phases.
    pub fn descent(&self, phases: Vec<Phase>) -> Descent {
        Descent {
            phases,
            gradient: self.gradient,
            theta: self.theta,
            freedom: self.freedom,
            longest_step: self.longest_step,
        }
    }

    /// Steps with the last phase's numbers.
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
    /// The divergence of the map's affinities from the rows'.
    pub kl_divergence: f64,
    /// Where its sum over all pairs came from: all pairs, or what the descent used.
    pub kl_divergence_by: Gradient,
    /// How repulsion was computed.
    pub gradient: Gradient,
    /// Steps taken, with those of descents that were taken up again.
    pub n_iterations: usize,
    /// The perplexities used.
    pub perplexities: Vec<f64>,
    /// Neighbours of each row.
    pub n_neighbors: usize,
    /// How they were found, in words.
    pub search: String,
    /// The share of true neighbours among those found.
    pub recall: f64,
    /// Affinities stored, each pair counted once.
    pub n_edges: usize,
    /// Parts into which the rows fall that have an affinity.
    pub n_parts: usize,
}

impl TsneReport {
    /// What there is to say before the descent.
    pub fn before(tied: &Tied) -> Self {
        Self {
            kl_divergence: f64::NAN,
            kl_divergence_by: Gradient::Exact,
            gradient: Gradient::Exact,
            n_iterations: 0,
            perplexities: tied.perplexities.clone(),
            n_neighbors: tied.n_neighbors,
            search: tied.algorithm.clone(),
            recall: tied.recall,
            n_edges: tied.affinities.n_stored() / 2,
            n_parts: tied.affinities.n_parts(),
        }
    }

    /// With how the descent went, after `before` steps.
    pub fn after(mut self, map: &Descended, before: usize) -> Self {
        self.kl_divergence = map.divergence.value;
        self.kl_divergence_by = map.divergence.by;
        self.gradient = map.gradient;
        self.n_iterations = before + map.n_iterations;
        self
    }
}

/// A fitted t-SNE.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TsneModel {
    known: Known,
    n_columns: usize,
    rule: TsneRule,
    /// Why the affinities cannot be found again from the rows kept, if so.
    not_again: Option<String>,
    report: TsneReport,
    #[serde(with = "arrays::matrix")]
    embedding: Array2<f64>,
}

impl TsneModel {
    /// A model of a map of the rows of `data`.
    pub fn new(
        run: &Run<'_>,
        data: &Data<'_>,
        rule: TsneRule,
        (map, report): (Descended, TsneReport),
    ) -> Result<Self> {
        Ok(Self {
            known: Known::new(run, data, &rule.ties.search, None)?,
            n_columns: data.n_columns(),
            not_again: not_again(data),
            report: report.after(&map, 0),
            embedding: map.embedding,
            rule,
        })
    }

    /// How the fit went.
    pub fn report(&self) -> &TsneReport {
        &self.report
    }

    /// The divergence of the map's affinities from the rows'.
    pub fn kl_divergence(&self) -> f64 {
        self.report.kl_divergence
    }

    /// The map after further steps, by affinities found again from the rows kept.
    pub fn continued(&self, run: &Run<'_>, more: &More) -> Result<Self> {
        let (Some(features), None) = (self.known.features(), &self.not_again) else {
            let why = self.not_again.as_deref().unwrap_or("keeps no rows");
            return Err(Error::unsupported(
                message!("the model"),
                message!("cannot be continued: it {why}"),
            ));
        };
        let exaggeration = more.exaggeration.unwrap_or(self.rule.exaggeration);
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
        let tied = self.rule.ties.of(run, &Data::new(features))?;
        let report = TsneReport::before(&tied);
        run.stage("layout")?;
        let phases = vec![self.rule.phase(more.iterations, exaggeration)];
        let descent = self.rule.descent(phases);
        let map = descent.from(run, tied.affinities, &self.embedding.view())?;
        Ok(Self {
            known: self.known.clone(),
            n_columns: self.n_columns,
            rule: TsneRule {
                exaggeration,
                ..self.rule.clone()
            },
            not_again: None,
            report: report.after(&map, self.report.n_iterations),
            embedding: map.embedding,
        })
    }
}

/// What affinities were made of, if not of the rows alone.
fn not_again(data: &Data<'_>) -> Option<String> {
    let given = [
        (data.distance().is_some(), "a distance function"),
        (data.covariance().is_some(), "a covariance"),
        (data.neighbors().is_some(), "a table of neighbours"),
    ];
    let found = given.into_iter().find(|(is_given, _)| *is_given)?.1;
    Some(format!("was fitted with {found}, which it does not keep"))
}

impl Transform for TsneModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let found = self.known.nearest(run, data, N_NEIGHBORS)?;
        let still = Still {
            embedding: self.embedding.view(),
            gradient: self.report.gradient,
            theta: self.rule.theta,
            freedom: self.rule.freedom,
        };
        still.place(run, &found)
    }
}

impl Continue for TsneModel {
    fn continue_in(&self, run: &Run<'_>, more: &More) -> Result<Box<dyn ErasedModel>> {
        Ok(Box::new(self.continued(run, more)?))
    }
}

impl Model for TsneModel {
    fn n_components(&self) -> usize {
        self.embedding.ncols()
    }

    fn n_columns(&self) -> usize {
        self.n_columns
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        Some(self.embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let report = &self.report;
        let exact = match report.kl_divergence_by {
            Gradient::Exact => "exact",
            _ => "approximate: its sum over all pairs is the grid's or the tree's",
        };
        let figures = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", self.embedding.nrows())
            .count("n_columns", self.n_columns())
            .number("kl_divergence", report.kl_divergence)
            .text("kl_divergence_is", exact)
            .count("n_iterations", report.n_iterations)
            .text("gradient", report.gradient.title());
        let figures = match self.rule.ties.affinity {
            Affinity::Precomputed => figures,
            _ => figures.vector("perplexity", &Array1::from(report.perplexities.clone())),
        };
        figures
            .count("n_neighbors", report.n_neighbors)
            .text("search", report.search.clone())
            .number("recall", report.recall)
            .count("n_edges", report.n_edges)
            .count("n_parts", report.n_parts)
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("tsne")
    }

    fn as_continue(&self) -> Option<&dyn Continue> {
        Some(self)
    }
}
