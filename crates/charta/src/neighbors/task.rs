//! One search among features, as the algorithms take it.

use super::lists::NeighborQuery;
use super::{Algorithm, Search};
use crate::data::Features;
use crate::error::{Error, message};
use crate::metric::Metric;

/// Rows looked up among reference rows of the same kind and precision, finite all of them.
#[derive(Clone, Debug)]
pub(crate) struct Task<'a> {
    /// The rows among which neighbours are found.
    pub(crate) known: Features<'a>,
    /// The rows whose neighbours are found; without them those of the reference rows, each without itself.
    pub(crate) rows: Option<Features<'a>>,
    /// The metric: never Mahalanobis, which is Euclidean among whitened rows, nor a Minkowski distance with a name.
    pub(crate) metric: Metric,
    /// The power of a Minkowski distance.
    pub(crate) power: f64,
    /// The width of images.
    pub(crate) image_width: Option<usize>,
    /// What is requested.
    pub(crate) wanted: NeighborQuery,
    /// The user's options: algorithm, recall, seed.
    pub(crate) search: &'a Search,
}

impl<'a> Task<'a> {
    pub(super) fn new(known: Features<'a>, search: &'a Search, wanted: NeighborQuery) -> Self {
        Self {
            known,
            rows: None,
            metric: search.metric.named(search.power),
            power: search.power,
            image_width: search.image_width,
            wanted,
            search,
        }
    }

    /// The rows whose neighbours are found.
    pub(crate) fn rows(&self) -> Features<'_> {
        self.rows.as_ref().unwrap_or(&self.known).reborrow()
    }

    /// Number of rows whose neighbours are found.
    pub(crate) fn n_rows(&self) -> usize {
        self.rows.as_ref().unwrap_or(&self.known).n_rows()
    }

    /// True if the reference rows are looked up among themselves, where a row is not its own neighbour.
    pub(crate) fn is_itself(&self) -> bool {
        self.rows.is_none()
    }

    /// The user's options, with the metric that the rows are compared by here.
    pub(crate) fn search_options(&self) -> Search {
        Search {
            metric: self.metric,
            ..self.search.clone()
        }
    }

    /// True if the user leaves the algorithm open or requests this one. An exact search reaches any recall.
    pub(crate) fn allows(&self, algorithm: Algorithm) -> bool {
        match self.search.search {
            Algorithm::Auto => true,
            Algorithm::Approximate => algorithm != Algorithm::Tree,
            search_options => search_options == algorithm,
        }
    }

    /// The error for rows that are not of the reference rows' kind.
    pub(crate) fn of_two_kinds(&self) -> Error {
        Error::unsupported(
            message!("the search for neighbours"),
            message!("compares {:rows} of the same kind and precision"),
        )
    }
}
