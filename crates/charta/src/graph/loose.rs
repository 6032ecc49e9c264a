//! Graphs that may be disconnected: a linear map is the same for all connected components, so that no bridges are needed.

use super::{Components, Connected, Disconnected, Graph, Lists, Neighborhood};
use crate::data::Data;
use crate::error::{Result, Warning, counted, message};
use crate::run::Run;

impl Neighborhood {
    /// The graph of the neighbours, connected or not.
    pub(crate) fn loose_graph(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Connected> {
        let found = self.find(run, data)?;
        found.neighbors.check_lengths()?;
        let graph = if self.mutual {
            Graph::mutual(&found.neighbors)
        } else {
            Graph::union(&found.neighbors)
        };
        Ok(Connected {
            n_parts: self.loose_parts(run, &graph)?,
            graph,
            algorithm: found.algorithm,
            recall: found.recall,
            bridges: Vec::new(),
            rows: None,
        })
    }

    /// The graph with its connected components left as they are, for eigenvectors of which the first tell these apart.
    pub(crate) fn graph_in_parts(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Connected> {
        let found = self.find(run, data)?;
        found.neighbors.check_lengths()?;
        let graph = if self.mutual {
            Graph::mutual(&found.neighbors)
        } else {
            Graph::union(&found.neighbors)
        };
        let n_parts = Components::of(&graph).len();
        if n_parts > 1 {
            run.warn(Warning::doubtful(
                message!("the neighbour graph"),
                message!(
                    "it has {}: the first coordinates only tell them apart; {} may connect them",
                    counted(n_parts, "connected component"),
                    self.remedy()
                ),
            ))?;
        }
        Ok(Connected {
            n_parts,
            graph,
            algorithm: found.algorithm,
            recall: found.recall,
            bridges: Vec::new(),
            rows: None,
        })
    }

    /// The graph for a linear map: where connected components would be joined, they are left as they are.
    pub(crate) fn graph_for_linear(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Connected> {
        match self.disconnected {
            Disconnected::Join => self.loose_graph(run, data),
            _ => self.graph(run, data),
        }
    }

    /// The neighbours of every row, at least one, for a linear map: where connected components would be joined, they are left as
    /// they are.
    pub(crate) fn lists_for_linear(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Lists> {
        if self.disconnected != Disconnected::Join || self.mutual {
            return self.lists(run, data, 1);
        }
        let found = self.find(run, data)?;
        found.neighbors.check_lengths()?;
        let nothing = found
            .neighbors
            .distances()
            .iter()
            .all(|&length| length <= 0.0);
        if found.neighbors.fewest() == 0 || nothing {
            return self.lists(run, data, 1);
        }
        Ok(Lists {
            n_parts: self.loose_parts(run, &Graph::union(&found.neighbors))?,
            neighbors: found.neighbors,
            algorithm: found.algorithm,
            recall: found.recall,
            n_bridges: 0,
            least: 1,
            rows: None,
            distinct: None,
        })
    }

    /// Number of connected components, with a warning if there are several.
    fn loose_parts(&self, run: &Run<'_>, graph: &Graph) -> Result<usize> {
        let n_parts = Components::of(graph).len();
        if n_parts > 1 {
            run.warn(Warning::doubtful(
                message!("the neighbour graph"),
                message!(
                    "it has {}; a linear map needs no edges between them, so none are added; {} may connect them",
                    counted(n_parts, "connected component"),
                    self.remedy()
                ),
            ))?;
        }
        Ok(n_parts)
    }
}
