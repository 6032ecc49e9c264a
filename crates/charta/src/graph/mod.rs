//! Graphs of neighbouring rows.

use crate::data::Data;
use crate::error::Result;
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
pub struct Neighborhood {
    /// How many nearest rows are a row's neighbours.
    #[param(default = 15, min = 1)]
    pub n_neighbors: usize,
    /// Instead of a number: all rows within this distance are neighbours.
    #[param(above = 0.0)]
    pub radius: Option<f64>,
    /// What to do if the graph of neighbours falls apart.
    #[param(default = Parts::Join)]
    pub disconnected: Parts,
    /// How neighbours are searched for.
    #[param(flatten)]
    pub search: Search,
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
}
