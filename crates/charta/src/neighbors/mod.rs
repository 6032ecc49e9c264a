//! The rows nearest to every row, and to new ones.

mod exact;
mod reference;
mod scan;

use crate::data::{Data, Neighbors, Source};
use crate::error::{Error, Result, counted};
use crate::metric::Metric;
use crate::params::{Choice, Parameters};
use crate::run::Run;

pub use exact::memory as exact_memory;
pub use reference::Reference;

/// How neighbours are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Algorithm {
    /// Whatever is fastest for the size and the metric, and finds the share `recall`.
    Auto,
    /// All distances, in blocks.
    Exact,
    /// A tree, for few columns.
    Tree,
    /// Most of the true neighbours: the share `recall`.
    Approximate,
}

/// How rows near each other are searched for.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Search {
    /// How the distance between rows is measured.
    #[param(default = Metric::Euclidean)]
    pub metric: Metric,
    /// The power of the Minkowski distance.
    #[param(default = 3.0, min = 1.0)]
    pub power: f64,
    /// For the tangent distance: how many columns make up a line of the images that the rows are.
    #[param(min = 2)]
    pub image_width: Option<usize>,
    /// How neighbours are found.
    #[param(default = Algorithm::Auto)]
    pub search: Algorithm,
    /// The share of the true neighbours that an approximate search must find.
    #[param(default = 0.98, above = 0.0, max = 1.0)]
    pub recall: f64,
    /// Seed of everything that is drawn at random.
    #[param(default = 0)]
    pub seed: u64,
}

/// Neighbours, and how they were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The neighbours.
    pub neighbors: Neighbors,
    /// The algorithm, in words.
    pub algorithm: String,
    /// The share of true neighbours among those found, measured on a sample; 1 for an exact search.
    pub recall: f64,
}

/// The `count` nearest other rows of every row.
pub fn nearest(run: &Run<'_>, data: &Data<'_>, search: &Search, count: usize) -> Result<Found> {
    check_neighbors(count, data.n_rows())?;
    if let Source::Features(features) = data.source()
        && exact::takes(features, search.metric)
    {
        data.check_finite()?;
        if let Some(neighbors) = exact::find(run, features, None, search.metric, count)? {
            return Ok(Found {
                neighbors,
                algorithm: "all distances, by products".into(),
                recall: 1.0,
            });
        }
    }
    scan::nearest(run, data, search, count)
}

/// The other rows within `radius` of every row.
pub fn within(run: &Run<'_>, data: &Data<'_>, search: &Search, radius: f64) -> Result<Found> {
    scan::within(run, data, search, radius)
}

/// Fails unless every row has so many others.
pub fn check_neighbors(count: usize, n_rows: usize) -> Result<()> {
    if count < n_rows {
        return Ok(());
    }
    Err(Error::parameter(
        "n_neighbors",
        format!(
            "must be at most {}, because the data has {}",
            n_rows.saturating_sub(1),
            counted(n_rows, "row")
        ),
        count,
    ))
}
