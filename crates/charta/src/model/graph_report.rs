//! Diagnostics of a neighbour graph.

use serde::{Deserialize, Serialize};

use super::Diagnostics;
use crate::graph::{Connected, Lists};

/// How a graph of neighbours came about, for a model's report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphReport {
    /// How the neighbours were found, in words.
    pub search: String,
    /// Recall: the fraction of true neighbours among those found.
    pub recall: f64,
    /// Edges, each counted once, with the bridges.
    pub n_edges: usize,
    /// Connected components of the graph before bridges were added.
    pub n_parts: usize,
    /// Edges added to join them.
    pub n_bridges: usize,
    /// Rows that were left out.
    pub n_left_out: usize,
}

impl GraphReport {
    /// The report of a graph that was made of `n_rows` rows.
    pub(crate) fn of(connected: &Connected, n_rows: usize) -> Self {
        Self {
            search: connected.algorithm.clone(),
            recall: connected.recall,
            n_edges: connected.graph.n_edges(),
            n_parts: connected.n_parts,
            n_bridges: connected.bridges.len(),
            n_left_out: n_rows.saturating_sub(connected.graph.n_rows()),
        }
    }

    /// The report of neighbours that were found for `n_rows` rows; every neighbour of a row counts as an edge.
    pub(crate) fn of_lists(lists: &Lists, n_rows: usize) -> Self {
        Self {
            search: lists.algorithm.clone(),
            recall: lists.recall,
            n_edges: lists.neighbors.len(),
            n_parts: lists.n_parts,
            n_bridges: lists.n_bridges,
            n_left_out: n_rows.saturating_sub(lists.neighbors.n_rows()),
        }
    }

    /// Adds its figures.
    pub(crate) fn add(&self, report: Diagnostics) -> Diagnostics {
        report
            .text("search", self.search.clone())
            .number("recall", self.recall)
            .count("n_edges", self.n_edges)
            .count("n_connected_components", self.n_parts)
            .count("n_bridges", self.n_bridges)
            .count("n_left_out", self.n_left_out)
    }
}
