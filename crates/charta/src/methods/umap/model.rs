//! The model of a layout by a fuzzy graph: the training rows' places, and new rows by the same forces with the map held still.
//!
//! A new row begins at the mean of its nearest training rows, weighted by how strongly it belongs to them, and takes steps towards them
//! and away from training rows drawn at random, which are the same for every new row. So a row's place does not depend on the others
//! that come with it. A row that equals a training row gets that row's place. In a parametric map a network places old and new rows alike.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1};
use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::fuzzy_graph::Scale;
use super::out_of_sample::Still;
use crate::data::{Data, Features};
use crate::error::{Error, Result};
use crate::message;
use crate::model::{
    Diagnostics, GraphReport, InverseTransform, Known, Model, Transform, arrays, check_embedding,
};
use crate::neighbors::{Reference, Search};
use crate::neural::Learned;
use crate::parallel::map_rows;
use crate::run::Run;

/// New rows that one job places.
const BLOCK: usize = 64;
/// A distance that is this share of the furthest neighbour's is none.
const SAME: f64 = 1e-12;

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UmapParts {
    /// The training rows.
    pub known: Known,
    /// Number of columns the model was fitted on.
    pub n_columns: usize,
    /// Known rows that a new one has as neighbours, at most.
    pub n_neighbors: usize,
    /// How many of a row's neighbours belong to it with certainty.
    pub local_connectivity: f64,
    /// How new rows are moved.
    pub still: Still,
    /// Coordinates of the training rows.
    #[serde(with = "arrays::matrix")]
    pub embedding: Array2<f64>,
    /// How the graph came about.
    pub graph: GraphReport,
    /// Epochs done.
    pub n_epochs: usize,
    /// What the steps lower, per row.
    pub loss: f64,
    /// The correlation of the logarithms of local radii in the data and in the map, where densities are kept.
    pub density_correlation: Option<f64>,
    /// The network whose outputs the places are, in a parametric map.
    #[serde(default)]
    pub network: Option<MapNetwork>,
}

/// A network that makes the places of a map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapNetwork {
    /// The network.
    pub network: Learned,
    /// The mean loss of an edge, epoch by epoch.
    #[serde(with = "arrays::vector")]
    pub losses: Array1<f64>,
}

impl MapNetwork {
    /// Its outputs.
    pub fn places(&self, run: &Run<'_>, features: &Features<'_>) -> Result<Array2<f64>> {
        let n_layers = self.network.layers().len();
        self.network.apply_first(run, features, n_layers)
    }
}

/// A fitted layout by a fuzzy graph of neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UmapModel {
    parts: UmapParts,
}

impl UmapModel {
    /// A model from its parts.
    pub fn new(parts: UmapParts) -> Self {
        Self { parts }
    }

    /// What the model is made of.
    pub fn parts(&self) -> &UmapParts {
        &self.parts
    }

    /// The curve that turns distances in the map into similarities.
    pub fn curve(&self) -> Curve {
        self.parts.still.curve
    }

    fn place(&self, (places, distances): (&[u32], &[f64]), mut target: ArrayViewMut1<'_, f64>) {
        let parts = &self.parts;
        let (Some(&first), Some(&furthest)) = (places.first(), distances.last()) else {
            target.fill(f64::NAN);
            return;
        };
        if distances[0] <= SAME * furthest {
            target.assign(&parts.embedding.row(parts.known.row_of(first)));
            return;
        }
        let scale = Scale::of_new(distances, parts.local_connectivity);
        let ties: Vec<(usize, f64)> = (places.iter().zip(distances))
            .map(|(&place, &distance)| (parts.known.row_of(place), scale.membership(distance)))
            .collect();
        parts
            .still
            .place(&parts.embedding, &ties, target.view_mut());
    }
}

impl Transform for UmapModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let parts = &self.parts;
        if let Some(network) = &parts.network {
            let features = data.new_rows("this model", parts.n_columns)?;
            data.check_finite()?;
            return network.places(run, features);
        }
        let found = parts.known.nearest(run, data, parts.n_neighbors)?;
        let width = parts.embedding.ncols();
        map_rows(run, (found.n_rows(), width), BLOCK, |row, target| {
            self.place(found.row(row), target);
        })
    }
}

impl InverseTransform for UmapModel {
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        let parts = &self.parts;
        check_embedding(embedding, parts.embedding.ncols())?;
        let Some(features) = parts.known.features() else {
            return Err(Error::unsupported(
                message!("the model"),
                message!("keeps no features, which the inverse transform needs"),
            ));
        };
        let map = Reference::new(&Data::from(&parts.embedding), &Search::default())?;
        let found = map.nearest(run, &Data::new(embedding.view()), parts.n_neighbors)?;
        let width = features.n_columns();
        map_rows(run, (found.n_rows(), width), BLOCK, |row, mut target| {
            let mut values = vec![0.0; width];
            let (places, distances) = found.row(row);
            let scale = Scale::of_new(distances, 1.0);
            let weights: Vec<f64> = distances.iter().map(|&d| scale.membership(d)).collect();
            let total: f64 = weights.iter().sum();
            for (&place, weight) in places.iter().zip(&weights) {
                features.copy_row(place as usize, &mut values);
                for (sum, value) in target.iter_mut().zip(&values) {
                    *sum += weight / total * value;
                }
            }
        })
    }
}

impl Model for UmapModel {
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
        let report = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", parts.embedding.nrows())
            .count("n_columns", self.n_columns())
            .count("n_epochs", parts.n_epochs)
            .number("a", parts.still.curve.a)
            .number("b", parts.still.curve.b)
            .number("loss", parts.loss);
        let report = match parts.density_correlation {
            Some(correlation) => report.number("density_correlation", correlation),
            None => report,
        };
        let report = match &parts.network {
            Some(network) => report
                .text("layers", network.network.widths())
                .count("n_weights", network.network.n_weights())
                .vector("training_loss", &network.losses),
            None => report,
        };
        parts.graph.add(report)
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        self.parts
            .known
            .features()
            .map(|_| self as &dyn InverseTransform)
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("umap")
    }
}
