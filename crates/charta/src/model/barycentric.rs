//! The model of the LLE family: the training rows with their coordinates, and new rows as weighted
//! sums of their neighbours' coordinates.
//!
//! A row that equals a training row gets that row's coordinates. Rows that were left out have none, and embed no new
//! rows; of training rows that are the same, one alone is a neighbour of new rows.

use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

use super::{Diagnostics, Layout, LayoutFit, Model, TrainingRows, arrays};
use crate::data::loaded::{
    check_at_least, check_finite, check_length, check_not_negative, check_positive,
};
use crate::data::{Data, Features};
use crate::error::{Error, Result, message};
use crate::graph::{Lists, Neighborhood};
use crate::local::Patch;
use crate::parallel::map_blocks;
use crate::run::Run;
use crate::spectral::bottom::Bottom;

/// New rows that one job embeds.
const BLOCK: usize = 128;

/// How the weights of a new row's neighbours are found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Mixing {
    /// Those with which the neighbours' weighted mean comes closest to the row.
    Barycenter {
        /// The ridge, as a fraction of the neighbours' squared distances.
        regularization: f64,
    },
    /// Those of a map that is linear along the neighbours' tangent.
    Tangent,
}

/// Report of a locally linear embedding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LleFit {
    /// Training rows that a new one has as neighbours, at most.
    pub n_neighbors: usize,
    /// How far they may be, if that matters.
    pub radius: Option<f64>,
    /// How many of the nearest count however far they are.
    pub least: usize,
    /// How they are weighed.
    pub placement: Mixing,
    /// An eigenvalue for each coordinate.
    #[serde(with = "arrays::vector")]
    pub eigenvalues: Array1<f64>,
    /// The largest residual of the eigenvectors, as a fraction of the matrix's size.
    pub residual: f64,
    /// How the eigenvectors were found.
    pub route: String,
    /// How neighbours were found.
    pub algorithm: String,
    /// Recall: the fraction of true neighbours among those found.
    pub recall: f64,
    /// Connected components before bridges were added.
    pub n_parts: usize,
    /// Pairs of neighbours that were added to join the connected components.
    pub n_bridges: usize,
    /// Rows left out.
    pub n_left_out: usize,
}

/// A fitted locally linear embedding.
pub type LleModel = Layout<LleFit>;

impl LleModel {
    /// The model that follows from the neighbours and the eigenvectors.
    pub(crate) fn of_eigenvectors(
        run: &Run<'_>,
        data: &Data<'_>,
        neighborhood: &Neighborhood,
        placement: Mixing,
        lists: Lists,
        found: Bottom,
    ) -> Result<Self> {
        let embedding = lists.in_place(found.coordinates, data.n_rows());
        let counts = (0..lists.neighbors.n_rows()).map(|row| lists.neighbors.row(row).0.len());
        Ok(Self {
            training: TrainingRows::new(run, data, &neighborhood.search, lists.rows.as_deref())?,
            fit: LleFit {
                // Within a radius, as many as the training row that has most.
                n_neighbors: match neighborhood.radius {
                    Some(_) => counts.max().unwrap_or(1).max(lists.least),
                    None => neighborhood.n_neighbors,
                },
                radius: neighborhood.radius,
                least: lists.least,
                placement,
                n_left_out: embedding.column(0).iter().filter(|v| v.is_nan()).count(),
                eigenvalues: found.eigenvalues,
                residual: found.residual,
                route: found.route,
                algorithm: lists.algorithm,
                recall: lists.recall,
                n_parts: lists.n_parts,
                n_bridges: lists.n_bridges,
            },
            embedding,
        })
    }

    /// An eigenvalue for each coordinate.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.fit.eigenvalues
    }

    /// The sum of the eigenvalues: how far neighbourhoods are from being kept.
    pub fn reconstruction_error(&self) -> f64 {
        self.fit.eigenvalues.sum()
    }

    /// The neighbours of a new row that count: those within the radius, and this many of the nearest at least.
    fn near<'a>(&self, indices: &'a [u32], distances: &[f64]) -> &'a [u32] {
        let reach = self.fit.radius.unwrap_or(f64::INFINITY);
        let within = distances.iter().take_while(|&&d| d <= reach).count();
        &indices[..within.max(self.fit.least).min(indices.len())]
    }

    fn embed_row(
        &self,
        features: &Features<'_>,
        own: &[f64],
        patch: &mut Patch,
        indices: &[u32],
        distances: &[f64],
        target: &mut [f64],
    ) -> Result<()> {
        let (embedding, training) = (&self.embedding, &self.training);
        let indices = self.near(indices, distances);
        let (Some(&first), Some(&nearest)) = (indices.first(), distances.first()) else {
            target.fill(f64::NAN);
            return Ok(());
        };
        if nearest <= 0.0 {
            for (coordinate, its) in target.iter_mut().zip(embedding.row(training.row_of(first))) {
                *coordinate = *its;
            }
            return Ok(());
        }
        patch.look_from(features, own, indices.iter().map(|&index| index as usize))?;
        let weights = match self.fit.placement {
            Mixing::Barycenter { regularization } => patch.barycenter(regularization),
            Mixing::Tangent => patch.tangent_weights(embedding.ncols()),
        };
        target.fill(0.0);
        for (&index, weight) in indices.iter().zip(weights) {
            for (coordinate, its) in target.iter_mut().zip(embedding.row(training.row_of(index))) {
                *coordinate += weight * its;
            }
        }
        Ok(())
    }
}

impl LayoutFit for LleFit {
    fn transform(layout: &Layout<Self>, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let Some(training) = layout.training.features() else {
            return Err(Error::unsupported(
                message!("this model"),
                message!(
                    "was fitted to distances, and transforms new {:rows} by their features only: fit it \
                     to features, or fit all {:rows} together"
                ),
            ));
        };
        let near = layout.nearest(run, data, layout.fit.n_neighbors)?;
        let features = data.new_rows("this model", layout.n_columns())?;
        let width = layout.embedding.ncols();
        let transformed = run.install(|| {
            map_blocks(run, features.n_rows(), BLOCK, |rows| {
                let mut patch = Patch::default();
                let mut own = vec![0.0; features.n_columns()];
                let mut block = vec![0.0; rows.len() * width];
                for (row, target) in rows.zip(block.chunks_exact_mut(width)) {
                    features.copy_row(row, &mut own);
                    let (indices, distances) = near.row(row);
                    layout.embed_row(&training, &own, &mut patch, indices, distances, target)?;
                }
                Ok(block)
            })
        })?;
        let transformed = transformed.into_iter().collect::<Result<Vec<Vec<f64>>>>()?;
        Array2::from_shape_vec((features.n_rows(), width), transformed.concat()).map_err(|error| {
            Error::shape(
                message!("number of transformed {:rows}"),
                features.n_rows(),
                error.to_string(),
            )
        })
    }

    fn diagnostics(layout: &Layout<Self>) -> Diagnostics {
        let fit = &layout.fit;
        let n_embedded = layout.embedding.nrows().saturating_sub(fit.n_left_out);
        Diagnostics::new()
            .count("n_components", layout.embedding.ncols())
            .number("reconstruction_error", layout.reconstruction_error())
            .per_component("eigenvalues", &fit.eigenvalues)
            .number("residual", fit.residual)
            .text("eigenvectors", fit.route.clone())
            .text("search", fit.algorithm.clone())
            .number("recall", fit.recall)
            .count("n_connected_components", fit.n_parts)
            .count("n_bridges", fit.n_bridges)
            .count("n_left_out", fit.n_left_out)
            .count(
                "n_duplicates",
                n_embedded.saturating_sub(layout.training.n_kept()),
            )
    }

    fn validate(layout: &Layout<Self>) -> Result<()> {
        let LleFit {
            n_neighbors,
            radius,
            least: _,
            placement,
            eigenvalues,
            residual: _,
            route: _,
            algorithm: _,
            recall: _,
            n_parts: _,
            n_bridges: _,
            n_left_out: _,
        } = &layout.fit;
        check_at_least("the number of neighbours", *n_neighbors, 1)?;
        check_not_negative("the radius", radius)?;
        let n_components = layout.embedding.ncols();
        check_length("the eigenvalues", eigenvalues.len(), n_components)?;
        check_finite("the eigenvalues", eigenvalues)?;
        match placement {
            Mixing::Barycenter { regularization } => {
                check_positive("the regularization", [regularization])
            }
            Mixing::Tangent => Ok(()),
        }
    }

    fn component_stem(&self) -> Option<&'static str> {
        None
    }
}
