//! The model of UMAP: out-of-sample placement with the training embedding fixed, and the inverse transform.
//!
//! A new row is initialized at the mean of its nearest training rows, weighted by its memberships, and takes steps of stochastic gradient descent with negative
//! samples that are the same for every new row. So its coordinates do not depend on the other rows that come with it. A row that equals a training row gets that row's
//! coordinates. In parametric UMAP the network embeds old and new rows alike.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1};
use serde::{Deserialize, Serialize};

use super::Umap;
use super::curve::Curve;
use super::density::LocalRadii;
use super::fuzzy_graph::Scale;
use super::out_of_sample::OutOfSample;
use crate::data::loaded::{check_at_least, check_length, check_parameter};
use crate::data::{Data, Features};
use crate::error::{Error, Result, message};
use crate::model::{
    Diagnostics, GraphReport, InverseTransform, Layout, LayoutFit, Model, arrays, check_embedding,
};
use crate::neighbors::{Reference, Search};
use crate::neural::Learned;
use crate::parallel::map_rows;
use crate::run::Run;

/// New rows that one job embeds.
const BLOCK: usize = 64;
/// A new row equals a training row if its distance is at most this fraction of that of its furthest neighbour.
const SAME: f64 = 1e-12;

/// What UMAP keeps beside the coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UmapFit {
    /// Training rows that a new one has as neighbours, at most.
    pub n_neighbors: usize,
    /// Neighbours that are connected with membership 1.
    pub local_connectivity: f64,
    /// Out-of-sample placement.
    pub out_of_sample: OutOfSample,
    /// How the graph came about.
    pub graph: GraphReport,
    /// Epochs done.
    pub n_epochs: usize,
    /// Whether the optimization was ended on request before its last epoch.
    #[serde(default)]
    pub interrupted: bool,
    /// The loss that negative sampling minimizes, per row.
    pub loss: f64,
    /// The correlation of the log local radii in the data and in the embedding, for densMAP.
    pub density_correlation: Option<f64>,
    /// The local radii in the data and in the embedding, for densMAP.
    #[serde(default)]
    pub radii: Option<LocalRadii>,
    /// The network whose outputs are the coordinates, for parametric UMAP.
    #[serde(default)]
    pub network: Option<MapNetwork>,
}

/// The network of parametric UMAP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapNetwork {
    /// The network.
    pub network: Learned,
    /// The mean loss of an edge, epoch by epoch.
    #[serde(with = "arrays::vector")]
    pub losses: Array1<f64>,
}

impl MapNetwork {
    /// Its outputs: the coordinates of rows.
    pub(crate) fn embed(&self, run: &Run<'_>, features: &Features<'_>) -> Result<Array2<f64>> {
        let n_layers = self.network.layers().len();
        self.network.apply_first(run, features, n_layers)
    }
}

/// A fitted UMAP.
pub type UmapModel = Layout<UmapFit>;

impl UmapModel {
    /// The curve that turns distances in the embedding into similarities.
    pub fn curve(&self) -> Curve {
        self.fit.out_of_sample.curve
    }

    /// Writes the coordinates of a new row by its nearest training rows.
    fn embed_row(&self, neighbors: &[u32], distances: &[f64], mut target: ArrayViewMut1<'_, f64>) {
        let (Some(&first), Some(&furthest)) = (neighbors.first(), distances.last()) else {
            target.fill(f64::NAN);
            return;
        };
        if distances[0] <= SAME * furthest {
            target.assign(&self.embedding.row(self.training.row_of(first)));
            return;
        }
        let scale = Scale::of_new(distances, self.fit.local_connectivity);
        let memberships: Vec<(usize, f64)> = (neighbors.iter().zip(distances))
            .map(|(&neighbor, &distance)| {
                let row = self.training.row_of(neighbor);
                (row, scale.membership(distance))
            })
            .collect();
        (self.fit.out_of_sample).embed(&self.embedding, &memberships, target.view_mut());
    }
}

impl LayoutFit for UmapFit {
    fn transform(layout: &Layout<Self>, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        if let Some(network) = &layout.fit.network {
            let features = data.new_rows("this model", layout.n_columns())?;
            data.check_finite()?;
            return network.embed(run, features);
        }
        layout.by_neighbors(
            run,
            data,
            layout.fit.n_neighbors,
            |neighbors, distances, target| layout.embed_row(neighbors, distances, target),
        )
    }

    fn diagnostics(layout: &Layout<Self>) -> Diagnostics {
        let fit = &layout.fit;
        let mut report = (layout.sizes())
            .count("n_epochs", fit.n_epochs)
            .interrupted(fit.interrupted)
            .number("a", fit.out_of_sample.curve.a)
            .number("b", fit.out_of_sample.curve.b)
            .number("loss", fit.loss);
        if let Some(correlation) = fit.density_correlation {
            report = report.number("density_correlation", correlation);
        }
        if let Some(radii) = &fit.radii {
            report = report
                .vector("log_radii", &radii.data)
                .vector("embedded_log_radii", &radii.embedding);
        }
        if let Some(network) = &fit.network {
            report = report
                .text("layers", network.network.widths())
                .count("n_weights", network.network.n_weights())
                .vector("training_loss", &network.losses);
        }
        fit.graph.add(report)
    }

    fn validate(layout: &Layout<Self>) -> Result<()> {
        let UmapFit {
            n_neighbors,
            local_connectivity,
            out_of_sample,
            graph: _,
            n_epochs: _,
            interrupted: _,
            loss: _,
            density_correlation: _,
            radii,
            network,
        } = &layout.fit;
        check_at_least("the number of neighbours", *n_neighbors, 1)?;
        check_parameter::<Umap>("local_connectivity", local_connectivity)?;
        out_of_sample.validate()?;
        if let Some(radii) = radii {
            let n_rows = layout.embedding.nrows();
            check_length("the radii", radii.data.len(), n_rows)?;
            check_length("the embedded radii", radii.embedding.len(), n_rows)?;
        }
        let Some(MapNetwork { network, losses: _ }) = network else {
            return Ok(());
        };
        network.validate()?;
        let (n_columns, n_components) = (layout.n_columns(), layout.embedding.ncols());
        check_length("the network's inputs", network.n_inputs(), n_columns)?;
        check_length("the network's outputs", network.n_outputs(), n_components)
    }

    fn as_inverse(layout: &Layout<Self>) -> Option<&dyn InverseTransform> {
        (layout.training.features()).map(|_| layout as &dyn InverseTransform)
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("umap")
    }
}

impl InverseTransform for UmapModel {
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        check_embedding(run, embedding, self)?;
        let Some(features) = self.training.features() else {
            return Err(Error::unsupported(
                message!("the model"),
                message!("keeps no features, which the inverse transform needs"),
            ));
        };
        let map = Reference::new(&Data::from(&self.embedding), &Search::default())?;
        let found = map.nearest(run, &Data::new(embedding.view()), self.fit.n_neighbors)?;
        let width = features.n_columns();
        map_rows(run, (found.n_rows(), width), BLOCK, |row, mut target| {
            let mut values = vec![0.0; width];
            let (neighbors, distances) = found.row(row);
            let scale = Scale::of_new(distances, 1.0);
            let weights: Vec<f64> = distances.iter().map(|&d| scale.membership(d)).collect();
            let total: f64 = weights.iter().sum();
            for (&neighbor, weight) in neighbors.iter().zip(&weights) {
                features.copy_row(neighbor as usize, &mut values);
                for (sum, value) in target.iter_mut().zip(&values) {
                    *sum += weight / total * value;
                }
            }
        })
    }
}
