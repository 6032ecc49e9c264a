//! The model of methods that look at neighbourhoods: the training rows with their coordinates, and new rows as weighted
//! sums of their neighbours' coordinates.
//!
//! A row that equals a training row gets that row's coordinates. Rows that were left out have none, and place no new
//! rows; of training rows that are the same, one alone is a neighbour of new rows.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::{Diagnostics, Known, Model, Transform, arrays};
use crate::data::{Data, Features};
use crate::error::{Error, Result};
use crate::graph::{Lists, Neighborhood};
use crate::local::Patch;
use crate::message;
use crate::parallel::map_blocks;
use crate::run::Run;
use crate::spectral::bottom::Bottom;

/// New rows that one job places.
const BLOCK: usize = 128;

/// How the weights of a new row's neighbours are found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Mixing {
    /// Those with which the neighbours' weighted mean comes closest to the row.
    Barycenter {
        /// The ridge, as a share of the neighbours' squared distances.
        regularization: f64,
    },
    /// Those of a map that is linear along the neighbours' tangent.
    Tangent,
}

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LleParts {
    /// The training rows that have a place.
    pub known: Known,
    /// Number of columns the model was fitted on.
    pub n_columns: usize,
    /// Known rows that a new one has as neighbours, at most.
    pub n_neighbors: usize,
    /// How far they may be, if that matters.
    pub radius: Option<f64>,
    /// How many of the nearest count however far they are.
    pub least: usize,
    /// How they are weighed.
    pub placement: Mixing,
    /// Coordinates of the training rows; NaN for rows left out.
    #[serde(with = "arrays::matrix")]
    pub embedding: Array2<f64>,
    /// An eigenvalue for each coordinate.
    #[serde(with = "arrays::vector")]
    pub eigenvalues: Array1<f64>,
    /// The largest residual of the eigenvectors, as a share of the matrix's size.
    pub residual: f64,
    /// How the eigenvectors were found.
    pub route: String,
    /// How neighbours were found.
    pub algorithm: String,
    /// The share of true neighbours among those found.
    pub recall: f64,
    /// Parts that the rows fell into.
    pub n_parts: usize,
    /// Pairs of neighbours that were added to join the parts.
    pub n_bridges: usize,
    /// Rows left out.
    pub n_left_out: usize,
}

impl LleParts {
    /// The parts that follow from the neighbours and the eigenvectors.
    pub fn new(
        run: &Run<'_>,
        data: &Data<'_>,
        (neighborhood, placement): (&Neighborhood, Mixing),
        lists: Lists,
        found: Bottom,
    ) -> Result<Self> {
        let n_rows = data.n_rows();
        let embedding = lists.in_place(found.coordinates, n_rows);
        let counts = (0..lists.neighbors.n_rows()).map(|row| lists.neighbors.row(row).0.len());
        Ok(Self {
            known: Known::new(run, data, &neighborhood.search, lists.rows.as_deref())?,
            n_columns: data.n_columns(),
            // Within a radius, as many as the training row that has most.
            n_neighbors: match neighborhood.radius {
                Some(_) => counts.max().unwrap_or(1).max(lists.least),
                None => neighborhood.n_neighbors,
            },
            radius: neighborhood.radius,
            least: lists.least,
            placement,
            n_left_out: embedding.column(0).iter().filter(|v| v.is_nan()).count(),
            embedding,
            eigenvalues: found.eigenvalues,
            residual: found.residual,
            route: found.route,
            algorithm: lists.algorithm,
            recall: lists.recall,
            n_parts: lists.n_parts,
            n_bridges: lists.n_bridges,
        })
    }
}

/// A fitted map by neighbourhoods.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LleModel {
    parts: LleParts,
}

impl LleModel {
    /// A model from its parts.
    pub fn new(parts: LleParts) -> Self {
        Self { parts }
    }

    /// What the model is made of.
    pub fn parts(&self) -> &LleParts {
        &self.parts
    }

    /// An eigenvalue for each coordinate.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.parts.eigenvalues
    }

    /// The sum of the eigenvalues: how far neighbourhoods are from being kept.
    pub fn reconstruction_error(&self) -> f64 {
        self.parts.eigenvalues.sum()
    }

    /// The neighbours of a new row that count: those within the radius, and so many of the nearest at least.
    fn near<'a>(&self, (places, distances): (&'a [u32], &[f64])) -> &'a [u32] {
        let reach = self.parts.radius.unwrap_or(f64::INFINITY);
        let within = distances.iter().take_while(|&&d| d <= reach).count();
        &places[..within.max(self.parts.least).min(places.len())]
    }

    fn place(
        &self,
        features: &Features<'_>,
        own: &[f64],
        patch: &mut Patch,
        near: (&[u32], &[f64]),
        target: &mut [f64],
    ) -> Result<()> {
        let (embedding, known) = (&self.parts.embedding, &self.parts.known);
        let places = self.near(near);
        let (Some(&first), Some(&nearest)) = (places.first(), near.1.first()) else {
            target.fill(f64::NAN);
            return Ok(());
        };
        if nearest <= 0.0 {
            for (coordinate, its) in target.iter_mut().zip(embedding.row(known.row_of(first))) {
                *coordinate = *its;
            }
            return Ok(());
        }
        patch.look_from(features, own, places.iter().map(|&place| place as usize))?;
        let weights = match self.parts.placement {
            Mixing::Barycenter { regularization } => patch.barycenter(regularization),
            Mixing::Tangent => patch.tangent_weights(embedding.ncols()),
        };
        target.fill(0.0);
        for (&place, weight) in places.iter().zip(weights) {
            for (coordinate, its) in target.iter_mut().zip(embedding.row(known.row_of(place))) {
                *coordinate += weight * its;
            }
        }
        Ok(())
    }
}

impl Transform for LleModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let parts = &self.parts;
        let Some(known) = parts.known.features() else {
            return Err(Error::unsupported(
                message!("this model"),
                message!(
                    "was fitted to distances, and transforms new {:rows} by their features only: fit it \
                     to features, or fit all {:rows} together"
                ),
            ));
        };
        let near = parts.known.nearest(run, data, parts.n_neighbors)?;
        let features = data.new_rows("this model", parts.n_columns)?;
        let width = self.n_components();
        let placed = run.install(|| {
            map_blocks(run, features.n_rows(), BLOCK, |rows| {
                let mut patch = Patch::default();
                let mut own = vec![0.0; features.n_columns()];
                let mut block = vec![0.0; rows.len() * width];
                for (row, target) in rows.zip(block.chunks_exact_mut(width)) {
                    features.copy_row(row, &mut own);
                    self.place(&known, &own, &mut patch, near.row(row), target)?;
                }
                Ok(block)
            })
        })?;
        let placed = placed.into_iter().collect::<Result<Vec<Vec<f64>>>>()?;
        Array2::from_shape_vec((features.n_rows(), width), placed.concat()).map_err(|error| {
            Error::shape(
                message!("number of transformed {:rows}"),
                features.n_rows(),
                error,
            )
        })
    }
}

impl Model for LleModel {
    fn n_components(&self) -> usize {
        self.parts.embedding.ncols()
    }

    fn n_columns(&self) -> usize {
        self.parts.n_columns
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        Some(self.parts.embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let parts = &self.parts;
        Diagnostics::new()
            .count("n_components", self.n_components())
            .number("reconstruction_error", self.reconstruction_error())
            .per_component("eigenvalues", &parts.eigenvalues)
            .number("residual", parts.residual)
            .text("eigenvectors", parts.route.clone())
            .text("search", parts.algorithm.clone())
            .number("recall", parts.recall)
            .count("n_parts", parts.n_parts)
            .count("n_bridges", parts.n_bridges)
            .count("n_left_out", parts.n_left_out)
            .count(
                "n_repeated",
                (parts.embedding.nrows() - parts.n_left_out).saturating_sub(parts.known.n_known()),
            )
    }
}
