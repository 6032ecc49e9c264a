//! Supervised UMAP: labels weaken the edges between rows whose labels differ.
//!
//! Classes: an edge between two classes is multiplied by exp(−`far`), one to a row without a class by exp(−1). Numbers: the labels have a fuzzy graph
//! of their own, and the two graphs are multiplied, each to a power. Afterwards every row's strongest edge is certain again.
//!
//! The rules are those of umap-learn.

use ndarray::{Array2, Axis};

use super::fuzzy_graph::{FuzzyGraph, Membership};
use crate::data::{Classes, Data, Labels};
use crate::error::{Error, Result, counted, message};
use crate::neighbors::{Search, nearest};
use crate::params::Choice;
use crate::run::Run;

/// How far a row without a label is from all others.
const UNKNOWN: f64 = 1.0;
/// How far classes are apart where labels and features count the same, times two.
const APART: f64 = 2.5;
/// The weight of an edge that a graph does not have, at least and at most.
const MIN_MISSING_WEIGHT: f32 = 1e-8;
const MAX_MISSING_WEIGHT: f32 = 1e-4;

/// Type of the labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum TargetMetric {
    /// Classes if they are text or few distinct whole numbers, otherwise numbers.
    Auto,
    /// Classes: categorical.
    Classes,
    /// Numbers: regression targets.
    Numbers,
}

/// How labels take part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// What they mean.
    pub metric: TargetMetric,
    /// Weight of the labels: 0 ignores them, 1 ignores the features.
    pub weight: f64,
    /// Neighbours among numbers, the row itself counted.
    pub n_neighbors: usize,
}

impl Target {
    /// The intersection of the graph with the labels.
    pub fn intersect(
        &self,
        run: &Run<'_>,
        graph: &FuzzyGraph,
        labels: &Labels<'_>,
    ) -> Result<FuzzyGraph> {
        let classes = match (self.metric, labels) {
            (TargetMetric::Numbers, _) => None,
            (TargetMetric::Auto, Labels::Numbers(_)) => Classes::of(labels, "umap").ok(),
            _ => Some(Classes::of(labels, "umap")?),
        };
        let met = match (classes, labels) {
            (Some(classes), _) => self.by_classes(run, graph, &classes)?,
            (None, Labels::Numbers(values)) => self.by_numbers(run, graph, values)?,
            (None, Labels::Classes { .. }) => {
                return Err(Error::Labels {
                    problem: message!("{target_metric=numbers} was set, but they are text"),
                });
            }
        };
        met.with_certain_edges(run)
    }

    fn by_classes(
        &self,
        run: &Run<'_>,
        graph: &FuzzyGraph,
        classes: &Classes,
    ) -> Result<FuzzyGraph> {
        let far = if self.weight < 1.0 {
            APART / (1.0 - self.weight)
        } else {
            f64::INFINITY
        };
        let (other, unknown) = ((-far).exp() as f32, (-UNKNOWN).exp() as f32);
        // Among whole numbers −1 is the usual word for none.
        let none = classes.names.iter().position(|name| name == "-1");
        let class = |row: usize| classes.of_row[row].filter(|&class| Some(class as usize) != none);
        graph.map(run, |a, b, weight| match (class(a), class(b)) {
            (Some(a), Some(b)) if a == b => weight,
            (Some(_), Some(_)) => weight * other,
            _ => weight * unknown,
        })
    }

    fn by_numbers(&self, run: &Run<'_>, graph: &FuzzyGraph, values: &[f64]) -> Result<FuzzyGraph> {
        let labels = self.graph_of(run, values)?;
        let own_least = (graph.smallest() / 2.0).max(MIN_MISSING_WEIGHT);
        let label_least = (labels.smallest() / 2.0).clamp(MIN_MISSING_WEIGHT, MAX_MISSING_WEIGHT);
        let unknown = (-UNKNOWN).exp() as f32;
        graph.combined(run, &labels, |a, b, [own, label]| {
            if values[a].is_nan() || values[b].is_nan() {
                return own * unknown;
            }
            let (own, label) = (own.max(own_least), label.max(label_least));
            self.mixed(f64::from(own), f64::from(label)) as f32
        })
    }

    fn mixed(&self, own: f64, label: f64) -> f64 {
        let weight = self.weight;
        if weight < 0.5 {
            own * label.powf(weight / (1.0 - weight))
        } else {
            own.powf((1.0 - weight) / weight) * label
        }
    }

    /// The fuzzy graph of numbers, among the rows that have one.
    fn graph_of(&self, run: &Run<'_>, values: &[f64]) -> Result<FuzzyGraph> {
        let labelled: Vec<usize> = (0..values.len())
            .filter(|&row| !values[row].is_nan())
            .collect();
        if labelled.len() < 2 {
            return Err(Error::Labels {
                problem: message!(
                    "{'umap':method} needs at least 2 numbers to learn from, but there is {}",
                    counted(labelled.len(), "number")
                ),
            });
        }
        let column: Vec<f64> = labelled.iter().map(|&row| values[row]).collect();
        let column = ndarray::Array1::from(column).insert_axis(Axis(1));
        let column: Array2<f64> = column.into_owned();
        let count = (self.n_neighbors.min(labelled.len()) - 1).max(1);
        let found = nearest(run, &Data::from(&column), &Search::default(), count)?;
        let membership = Membership {
            local_connectivity: 1.0,
            union_share: 1.0,
        };
        let graph = FuzzyGraph::of(run, &found.neighbors, &membership)?;
        let mut rows = vec![Vec::new(); values.len()];
        for (index, &row) in labelled.iter().enumerate() {
            let (neighbors, weights) = graph.row(index);
            let named = neighbors
                .iter()
                .map(|&other| labelled[other as usize] as u32);
            rows[row] = named.zip(weights.iter().copied()).collect();
        }
        Ok(FuzzyGraph::from_rows(rows))
    }
}
