//! The model of methods that look at neighbourhoods: the training rows with their coordinates, and new rows as weighted
//! sums of their neighbours' coordinates.
//!
//! A row that equals a training row gets that row's coordinates. A new row whose nearest known row was left out gets
//! none: they are NaN.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::{Diagnostics, Model, Transform, arrays};
use crate::data::{Data, Features};
use crate::error::{Error, Result};
use crate::graph::{Lists, Neighborhood};
use crate::local::Patch;
use crate::neighbors::Reference;
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
pub struct BarycentricParts {
    /// The training rows.
    pub reference: Reference,
    /// Number of columns the model was fitted on.
    pub n_columns: usize,
    /// Known rows that a new one has as neighbours.
    pub n_neighbors: usize,
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

impl BarycentricParts {
    /// The parts that follow from the neighbours and the eigenvectors.
    pub fn new(
        data: &Data<'_>,
        neighborhood: &Neighborhood,
        lists: Lists,
        found: Bottom,
        placement: Mixing,
    ) -> Result<Self> {
        let n_rows = data.n_rows();
        // Within a radius, as many as a training row has on average.
        let usual = lists
            .neighbors
            .len()
            .div_ceil(lists.neighbors.n_rows().max(1));
        Ok(Self {
            reference: Reference::new(data, &neighborhood.search)?,
            n_columns: data.n_columns(),
            n_neighbors: match neighborhood.radius {
                Some(_) => usual,
                None => neighborhood.n_neighbors,
            },
            placement,
            n_left_out: n_rows - lists.neighbors.n_rows(),
            embedding: lists.in_place(found.coordinates, n_rows),
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
pub struct Barycentric {
    parts: BarycentricParts,
}

impl Barycentric {
    /// A model from its parts.
    pub fn new(parts: BarycentricParts) -> Self {
        Self { parts }
    }

    /// What the model is made of.
    pub fn parts(&self) -> &BarycentricParts {
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

    fn place(
        &self,
        known: &Features<'_>,
        own: &[f64],
        patch: &mut Patch,
        near: (&[u32], &[f64]),
        target: &mut [f64],
    ) {
        let embedding = &self.parts.embedding;
        let (places, distances) = near;
        let missing = |place: u32| embedding[[place as usize, 0]].is_nan();
        let (Some(&first), Some(&nearest)) = (places.first(), distances.first()) else {
            target.fill(f64::NAN);
            return;
        };
        if nearest <= 0.0 || missing(first) {
            for (coordinate, its) in target.iter_mut().zip(embedding.row(first as usize)) {
                *coordinate = *its;
            }
            return;
        }
        let kept = places
            .iter()
            .filter(|&&place| !missing(place))
            .map(|&place| place as usize);
        patch.look_from(known, own, kept.clone());
        let weights = match self.parts.placement {
            Mixing::Barycenter { regularization } => patch.barycenter(regularization),
            Mixing::Tangent => patch.tangent_weights(embedding.ncols()),
        };
        target.fill(0.0);
        for (place, weight) in kept.zip(weights) {
            for (coordinate, its) in target.iter_mut().zip(embedding.row(place)) {
                *coordinate += weight * its;
            }
        }
    }
}

impl Transform for Barycentric {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let parts = &self.parts;
        let Some(known) = parts.reference.features() else {
            return Err(Error::unsupported(
                "this model",
                "was fitted to distances, and new rows are placed by features: fit it to features, or place the rows \
                 together with the others",
            ));
        };
        let near = parts.reference.nearest(run, data, parts.n_neighbors)?;
        let features = data.new_rows("this model", parts.n_columns)?;
        let width = self.n_components();
        let placed = run.install(|| {
            map_blocks(run, features.n_rows(), BLOCK, |rows| {
                let mut patch = Patch::default();
                let mut own = vec![0.0; features.n_columns()];
                let mut block = vec![0.0; rows.len() * width];
                for (row, target) in rows.zip(block.chunks_exact_mut(width)) {
                    features.copy_row(row, &mut own);
                    self.place(&known, &own, &mut patch, near.row(row), target);
                }
                block
            })
        })?;
        Array2::from_shape_vec((features.n_rows(), width), placed.concat())
            .map_err(|error| Error::shape("placed rows", features.n_rows(), error))
    }
}

impl Model for Barycentric {
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
    }
}
