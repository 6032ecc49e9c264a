//! The weighted graph that eigenmaps are made of: of nearest neighbours, of all pairs of rows, or given as affinities.

use std::borrow::Cow;

use ndarray::Array2;

use super::eigenmaps::{Eigenmaps, Normalization, eigenmaps, eigenmaps_unlifted, lift};
use crate::data::{Data, Neighbors, Source, SparseView};
use crate::error::{Error, Result, Warning, counted, message};
use crate::graph::{Disconnected, Kernel, Neighborhood, Sets, Weighting, Weights};
use crate::model::{GraphReport, TrainingRows};
use crate::run::Run;

/// A weighted graph, and how it came about.
pub(crate) struct WeightedGraph {
    /// The weights of its edges.
    pub weights: Weights,
    /// How it came about.
    pub report: GraphReport,
    /// Training rows that a new one has as neighbours, at most.
    pub n_neighbors: usize,
    /// Its connected components, before bridges joined them if they did.
    pub n_parts: usize,
    /// The rows that are in it, if not all are.
    pub rows: Option<Vec<u32>>,
    /// True if its weights are taken as they are, however small: those that are given, those of all pairs of rows, of which no
    /// neighbour graph says that they belong together, and those of a graph whose connected components stay apart.
    as_given: bool,
}

impl WeightedGraph {
    /// The graph of this data.
    pub(crate) fn of(
        run: &Run<'_>,
        data: &Data<'_>,
        neighborhood: &Neighborhood,
        weighting: &Weighting,
    ) -> Result<Self> {
        if let Source::Affinities(affinities) = data.source() {
            return Self::given(run, affinities);
        }
        if let Some(length) = weighting.given_length()
            && neighborhood.is_everything()
            && data.neighbors().is_none()
            && data.n_rows() > 1
        {
            return Self::of_all_pairs(run, data, neighborhood, length);
        }
        // The mean of both directions has nothing for an edge that no row has among its own: connected components stay apart.
        let in_parts =
            weighting.is_of_directions() && neighborhood.disconnected == Disconnected::Join;
        let connected = if in_parts {
            neighborhood.graph_in_parts(run, data)?
        } else {
            neighborhood.graph(run, data)?
        };
        connected.check_lengths(data)?;
        Ok(Self {
            weights: weighting.of(&connected.graph)?,
            report: GraphReport::of(&connected, data.n_rows()),
            n_neighbors: neighborhood.of_new_rows(&connected),
            n_parts: if in_parts || !connected.bridges.is_empty() {
                connected.n_parts
            } else {
                1
            },
            rows: connected.rows,
            as_given: in_parts,
        })
    }

    fn given(run: &Run<'_>, affinities: &SparseView<'_, f64>) -> Result<Self> {
        let weights = Weights::given(affinities)?;
        if weights.degrees.iter().all(|&sum| sum <= 0.0) {
            return Err(Error::degenerate(message!(
                "no two {:rows} have an affinity above 0"
            )));
        }
        let n_rows = weights.n_rows();
        let mut sets = Sets::new(n_rows);
        let mut n_parts = n_rows;
        for row in 0..n_rows {
            for &other in weights.matrix.row(row).0 {
                n_parts -= usize::from(sets.unite(row as u32, other));
            }
        }
        if n_parts > 1 {
            run.warn(Warning::doubtful(
                message!("the graph of the affinities"),
                message!(
                    "it has {}: the coordinates only tell them apart, and say nothing of the {:rows} within them; use affinities that \
                     connect all {:rows}",
                    counted(n_parts, "connected component")
                ),
            ))?;
        }
        Ok(Self {
            report: GraphReport {
                search: "given".into(),
                recall: 1.0,
                n_edges: weights.matrix.n_stored() / 2,
                n_parts,
                n_bridges: 0,
                n_left_out: 0,
            },
            n_neighbors: n_rows,
            n_parts,
            weights,
            rows: None,
            as_given: true,
        })
    }

    fn of_all_pairs(
        run: &Run<'_>,
        data: &Data<'_>,
        neighborhood: &Neighborhood,
        length: f64,
    ) -> Result<Self> {
        let n_rows = data.n_rows();
        let found = neighborhood.find(run, data)?;
        found.neighbors.check_lengths()?;
        if found.neighbors.distances().iter().all(|&d| d <= 0.0) {
            return Err(Error::degenerate(message!(
                "every {:row} is at distance 0 from all others: the {:rows} are all the same, or so close together that their squared \
                 differences underflow"
            )));
        }
        Ok(Self {
            weights: Weights::between_all(&found.neighbors, length)?,
            report: GraphReport {
                search: found.algorithm,
                recall: found.recall,
                n_edges: n_rows * (n_rows - 1) / 2,
                n_parts: 1,
                n_bridges: 0,
                n_left_out: 0,
            },
            n_neighbors: n_rows,
            n_parts: 1,
            rows: None,
            as_given: true,
        })
    }

    /// Number of rows in the graph.
    pub(crate) fn n_rows(&self) -> usize {
        self.weights.n_rows()
    }

    /// The smallest eigenvectors of its Laplacian.
    pub(crate) fn eigenmaps(
        &self,
        run: &Run<'_>,
        count: usize,
        normalization: Normalization,
        seed: u64,
    ) -> Result<Eigenmaps> {
        if self.as_given {
            eigenmaps_unlifted(run, &self.weights, count, normalization, seed)
        } else {
            eigenmaps(run, &self.weights, count, normalization, seed)
        }
    }

    /// The weights with which the eigenvectors are found.
    pub(crate) fn lifted(&self, run: &Run<'_>) -> Result<Cow<'_, Weights>> {
        if self.as_given {
            return Ok(Cow::Borrowed(&self.weights));
        }
        Ok(match lift(run, &self.weights)? {
            Some(lifted) => Cow::Owned(lifted),
            None => Cow::Borrowed(&self.weights),
        })
    }

    /// Fails if rows were left out and the others are too few for this many components.
    pub(crate) fn check_components(&self, count: usize) -> Result<()> {
        let n_rows = self.n_rows();
        if self.rows.is_none() || count < n_rows {
            return Ok(());
        }
        Err(Error::degenerate(message!(
            "the largest connected component of the neighbour graph has only {n_rows:rows}, too \
             few for {}: increase the radius or the number of neighbours",
            counted(count, "component")
        )))
    }

    /// Coordinates of the rows in the graph as those of all `n_rows` rows: NaN for the others.
    pub(crate) fn in_place(&self, coordinates: Array2<f64>, n_rows: usize) -> Array2<f64> {
        let Some(rows) = &self.rows else {
            return coordinates;
        };
        let mut whole = Array2::from_elem((n_rows, coordinates.ncols()), f64::NAN);
        for (&row, values) in rows.iter().zip(coordinates.rows()) {
            whole.row_mut(row as usize).assign(&values);
        }
        whole
    }

    /// The rows of the graph, for new rows to find their neighbours among; nothing but their number, if affinities are given.
    pub(crate) fn training_rows(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        neighborhood: &Neighborhood,
    ) -> Result<TrainingRows> {
        let search = &neighborhood.search;
        if self.weights.kernel == Kernel::Given {
            let starts = vec![0; self.n_rows() + 1];
            let number = Neighbors::from_lists(self.n_rows(), starts, Vec::new(), Vec::new());
            return TrainingRows::new(run, &Data::from_neighbors(&number)?, search, None);
        }
        TrainingRows::new(run, data, search, self.rows.as_deref())
    }
}
