//! Neighbour graphs.

mod bridges;
mod build;
mod components;
mod distinct;
mod embedded;
mod landmarks;
mod laplacian;
mod left_out;
mod lists;
mod loose;
pub(crate) mod shortest_paths;
mod together;
mod weights;

pub(crate) use bridges::bridges;
pub use build::Graph;
pub(crate) use components::{Components, Sets};
pub use embedded::{EmbeddedGraph, ShortestPath};
pub use landmarks::{LandmarkChoice, Landmarks};
pub(crate) use lists::Lists;
pub(crate) use shortest_paths::Paths;
pub(crate) use weights::Weights;
pub use weights::{Bandwidth, Kernel, Weighting};

use crate::data::{Data, Source};
use crate::error::{Error, Message, Result, Warning, counted, message};
use crate::metric::Metric;
use crate::neighbors::{self, Found, Search};
use crate::params::{Choice, Parameters};
use crate::run::Run;

/// Treatment of a disconnected neighbour graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Disconnected {
    /// Connect the connected components by the shortest edges between them, with a warning.
    Join,
    /// Keep the largest connected component; rows outside it get NaN.
    Largest,
    /// Report an error.
    Error,
}

/// The neighbourhood graph, and the treatment of one that is disconnected.
#[derive(Clone, Debug, PartialEq, Parameters)]
#[param(title = "Neighbours")]
pub struct Neighborhood {
    /// Number of nearest neighbours of each row, itself not counted. Larger values show more global structure, smaller values more local detail; usually 5 to 50.
    #[param(default = 15, min = 1)]
    pub n_neighbors: usize,
    /// Radius of the neighbourhoods: all rows within this distance are neighbours, in place of `n_neighbors`. Larger values connect more rows and cost time.
    #[param(above = 0.0)]
    pub radius: Option<f64>,
    /// Mutual k-nearest-neighbour graph: connect two rows only if each is a neighbour of the other, instead of either. It has fewer edges between clusters.
    #[param(default = false)]
    pub mutual: bool,
    /// What to do if the neighbour graph is disconnected: connect its components (`join`), keep the `largest`, or report an `error`.
    #[param(default = Disconnected::Join)]
    pub disconnected: Disconnected,
    /// Nearest-neighbour search, by a metric that measures distances.
    #[param(flatten, without = "inner_product")]
    pub search: Search,
}

/// A graph in one piece, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Connected {
    /// The graph; among `rows` only if there are any.
    pub graph: Graph,
    /// How the neighbours were found, in words.
    pub algorithm: String,
    /// Recall: the fraction of true neighbours among those found.
    pub recall: f64,
    /// Connected components before bridges were added.
    pub n_parts: usize,
    /// Edges that were added to join the connected components.
    pub bridges: Vec<(u32, u32, f64)>,
    /// The rows that were kept, if some were left out: row i of the graph is row `rows[i]` of the data.
    pub rows: Option<Vec<u32>>,
}

impl Neighborhood {
    /// The `count` nearest rows.
    pub fn nearest(count: usize) -> Self {
        Self {
            n_neighbors: count,
            ..Self::default()
        }
    }

    /// The neighbours of every row: those given with the data, or found.
    pub fn find(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Found> {
        self.check_metric(data)?;
        if let Some(given) = data.neighbors() {
            let neighbors = match self.radius {
                Some(radius) => given.within(radius),
                None => given.nearest(self.n_neighbors),
            };
            return Ok(Found {
                neighbors,
                algorithm: "given".into(),
                recall: 1.0,
            });
        }
        match self.radius {
            Some(radius) => neighbors::within(run, data, &self.search, radius),
            None => neighbors::nearest(run, data, &self.search, self.n_neighbors),
        }
    }

    /// Fails for a metric that measures no distances, where rows are compared by it.
    fn check_metric(&self, data: &Data<'_>) -> Result<()> {
        let compared = matches!(data.source(), Source::Features(_))
            && data.neighbors().is_none()
            && data.distance().is_none();
        if compared && self.search.metric == Metric::InnerProduct {
            return Err(Error::not(
                "metric",
                message!("a neighbour graph needs a distance"),
                "inner_product",
            ));
        }
        Ok(())
    }

    /// True if the radius is the largest that there is: then all pairs of rows are neighbours.
    pub(crate) fn is_everything(&self) -> bool {
        self.radius == Some(f64::MAX) && !self.mutual
    }

    /// What may connect a disconnected graph.
    pub(crate) fn remedy(&self) -> Message {
        match (self.radius, self.mutual) {
            (Some(_), true) => message!("a larger {radius:parameter} or {mutual=false}"),
            (Some(_), false) => message!("a larger {radius:parameter}"),
            (None, true) => message!("{mutual=false}"),
            (None, false) => message!("more neighbours"),
        }
    }

    /// The graph of the neighbours, in one piece.
    pub fn graph(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Connected> {
        let found = self.find(run, data)?;
        let graph = if self.mutual {
            Graph::mutual(&found.neighbors)
        } else {
            Graph::union(&found.neighbors)
        };
        self.connect(run, data, &found, graph, None)
    }

    /// The graph of neighbours that were found, in one piece. Rows are called by `originals`, if those are given.
    fn connect(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        found: &Found,
        graph: Graph,
        originals: Option<&[u32]>,
    ) -> Result<Connected> {
        found.neighbors.check_lengths()?;
        let parts = Components::of(&graph);
        let connected = Connected {
            graph,
            algorithm: found.algorithm.clone(),
            recall: found.recall,
            n_parts: parts.len(),
            bridges: Vec::new(),
            rows: None,
        };
        if parts.len() <= 1 {
            return Ok(connected);
        }
        match self.disconnected {
            Disconnected::Join => self.joined(run, data, connected, &parts),
            Disconnected::Largest => largest(run, connected, &parts, originals),
            Disconnected::Error => Err(Error::Disconnected {
                n_connected_components: parts.len(),
                sizes: parts.sizes,
            }),
        }
    }

    fn joined(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        connected: Connected,
        parts: &Components,
    ) -> Result<Connected> {
        run.stage("connecting components")?;
        let bridges = bridges(run, data, &self.search, parts)?;
        run.warn(Warning::Joined {
            n_connected_components: parts.len(),
            n_bridges: bridges.len(),
            longest: bridges.iter().fold(0.0, |most, edge| edge.2.max(most)),
            remedy: self.remedy(),
        })?;
        Ok(Connected {
            graph: connected.graph.with_edges(&bridges),
            bridges,
            ..connected
        })
    }
}

fn largest(
    run: &Run<'_>,
    connected: Connected,
    parts: &Components,
    originals: Option<&[u32]>,
) -> Result<Connected> {
    let rows = parts.rows(0);
    let left_out: Vec<u32> = (0..parts.of_row.len() as u32)
        .filter(|&row| parts.of_row[row as usize] != 0)
        .collect();
    let called = |row: &u32| originals.map_or(*row, |rows| rows[*row as usize]);
    const NAMED: usize = 5;
    let named =
        Message::new().row_list(left_out.iter().take(NAMED).map(|row| called(row) as usize));
    let more = if left_out.len() > NAMED { ", …" } else { "" };
    run.warn(Warning::RowsLeftOut {
        count: left_out.len(),
        reason: message!(
            "the neighbour graph has {}, and they are not in the largest ({named}{more})",
            counted(parts.len(), "connected component")
        ),
    })?;
    Ok(Connected {
        graph: connected.graph.among(&rows),
        rows: Some(rows),
        ..connected
    })
}
