//! Graphs of neighbouring rows.

mod bridges;
mod build;
mod components;
mod landmarks;
mod laplacian;
mod left_out;
mod lists;
mod loose;
mod shortest_paths;
mod together;
mod weights;

pub use bridges::bridges;
pub use build::Graph;
pub use components::{Components, Sets};
pub use landmarks::{LandmarkChoice, Landmarks};
pub use lists::Lists;
pub use shortest_paths::{Paths, Shortest};
pub use weights::{Bandwidth, Kernel, Strength, Weighting, Weights};

use crate::data::{Data, Neighbors};
use crate::error::{Error, Result, Warning, counted};
use crate::neighbors::{self, Found, Search};
use crate::params::{Choice, Parameters};
use crate::run::Run;

/// What to do with a graph that falls apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Parts {
    /// Connect the parts by their shortest bridges, and warn.
    Join,
    /// Keep the largest part; the other rows get no place.
    Largest,
    /// Fail.
    Error,
}

/// Which rows are neighbours, and what happens if not all hang together.
#[derive(Clone, Debug, PartialEq, Parameters)]
#[param(title = "Neighbours")]
pub struct Neighborhood {
    /// How many nearest rows are a row's neighbours.
    #[param(default = 15, min = 1)]
    pub n_neighbors: usize,
    /// Instead of a number: all rows within this distance are neighbours.
    #[param(above = 0.0)]
    pub radius: Option<f64>,
    /// Join rows only if each is a neighbour of the other, instead of either.
    #[param(default = false)]
    pub mutual: bool,
    /// What to do if the graph of neighbours falls apart.
    #[param(default = Parts::Join)]
    pub disconnected: Parts,
    /// How neighbours are searched for.
    #[param(flatten)]
    pub search: Search,
}

/// A graph in one piece, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Connected {
    /// The graph; among `rows` only if there are any.
    pub graph: Graph,
    /// How the neighbours were found, in words.
    pub algorithm: String,
    /// The share of true neighbours among those found.
    pub recall: f64,
    /// Parts that the graph had before it was made one.
    pub n_parts: usize,
    /// Edges that were added to join the parts.
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
        if let Some(given) = data.neighbors() {
            let neighbors = match self.radius {
                Some(_) => given.clone(),
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

    /// The graph of the neighbours, in one piece.
    pub fn graph(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Connected> {
        let found = self.find(run, data)?;
        self.connect(run, data, &found)
    }

    /// The graph of neighbours that were found, in one piece.
    fn connect(&self, run: &Run<'_>, data: &Data<'_>, found: &Found) -> Result<Connected> {
        check_lengths(&found.neighbors)?;
        let graph = if self.mutual {
            Graph::mutual(&found.neighbors)
        } else {
            Graph::union(&found.neighbors)
        };
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
            Parts::Join => self.joined(run, data, connected, &parts),
            Parts::Largest => largest(run, connected, &parts),
            Parts::Error => Err(Error::Disconnected {
                n_parts: parts.len(),
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
        run.stage("bridges between parts")?;
        let bridges = bridges(run, data, &self.search, parts)?;
        run.warn(Warning::Joined {
            n_parts: parts.len(),
            n_bridges: bridges.len(),
            longest: bridges.iter().fold(0.0, |most, edge| edge.2.max(most)),
        })?;
        Ok(Connected {
            graph: connected.graph.with_edges(&bridges),
            bridges,
            ..connected
        })
    }
}

/// Fails unless distances are lengths: a graph cannot be walked otherwise.
fn check_lengths(neighbors: &Neighbors) -> Result<()> {
    let bad = |length: &&f64| !(length.is_finite() && **length >= 0.0);
    match neighbors.distances().iter().find(bad) {
        None => Ok(()),
        Some(length) if length.is_finite() => Err(Error::Degenerate {
            problem: format!(
                "the distance between two neighbours is {length}: distances must be at least 0"
            ),
        }),
        Some(_) => Err(Error::too_large()),
    }
}

fn largest(run: &Run<'_>, connected: Connected, parts: &Components) -> Result<Connected> {
    let rows = parts.rows(0);
    let left_out: Vec<u32> = (0..parts.of_row.len() as u32)
        .filter(|&row| parts.of_row[row as usize] != 0)
        .collect();
    let named: Vec<String> = left_out.iter().take(5).map(u32::to_string).collect();
    let more = if left_out.len() > named.len() {
        ", …"
    } else {
        ""
    };
    run.warn(Warning::RowsLeftOut {
        count: left_out.len(),
        reason: format!(
            "the graph of neighbours falls into {}, and they are not in the largest: rows {}{more}",
            counted(parts.len(), "part"),
            named.join(", ")
        ),
    })?;
    Ok(Connected {
        graph: connected.graph.among(&rows),
        rows: Some(rows),
        ..connected
    })
}
