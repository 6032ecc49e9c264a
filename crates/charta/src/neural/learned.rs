//! A trained network in the precision of the features that it was trained on.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use super::network::{Layer, Network};
use super::reconstruction::row_errors;
use super::standardization::Standardization;
use crate::data::Features;
use crate::error::Result;
use crate::linalg::{Exponential, Real};
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows that are decoded at once.
const BLOCK: usize = 256;

/// A network in either precision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Learned {
    /// In single precision.
    Single(Network<f32>),
    /// In double precision.
    Double(Network<f64>),
}

/// Runs `$body` with `$network` bound to the network, whatever its precision.
macro_rules! for_network {
    ($learned:expr, $network:ident => $body:expr) => {
        match $learned {
            Learned::Single($network) => $body,
            Learned::Double($network) => $body,
        }
    };
}

impl From<Network<f32>> for Learned {
    fn from(network: Network<f32>) -> Self {
        Self::Single(network)
    }
}

impl From<Network<f64>> for Learned {
    fn from(network: Network<f64>) -> Self {
        Self::Double(network)
    }
}

impl Learned {
    /// Fails if a number that was loaded is not finite, or the network has no layer.
    pub(crate) fn validate(&self) -> Result<()> {
        for_network!(self, network => network.validate())
    }

    /// Numbers that come in.
    pub fn n_inputs(&self) -> usize {
        for_network!(self, network => network.n_inputs())
    }

    /// Numbers that go out.
    pub fn n_outputs(&self) -> usize {
        for_network!(self, network => network.n_outputs())
    }

    /// The layers.
    pub fn layers(&self) -> &[Layer] {
        for_network!(self, network => network.layers())
    }

    /// The standardization of what enters.
    pub fn input(&self) -> &Standardization {
        for_network!(self, network => network.input())
    }

    /// Numbers learned.
    pub(crate) fn n_weights(&self) -> usize {
        for_network!(self, network => network.n_weights())
    }

    /// The weights of a layer, a row for each input.
    pub fn weights(&self, layer: usize) -> Array2<f64> {
        for_network!(self, network => network.weights(layer).mapv(Real::wide))
    }

    /// Widths from the inputs to the outputs, as people write them: 784-32-2.
    pub fn widths(&self) -> String {
        let first = self.layers().iter().take(1).map(|layer| layer.n_inputs);
        let widths = first.chain(self.layers().iter().map(|layer| layer.n_outputs));
        let widths: Vec<String> = widths.map(|width| width.to_string()).collect();
        widths.join("-")
    }

    /// What comes out of the first layers, for rows of any kind.
    pub(crate) fn apply_first(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        n_layers: usize,
    ) -> Result<Array2<f64>> {
        for_network!(self, network => network.apply_first(run, features, n_layers))
    }

    /// The features that the last layers make of what enters the first of them.
    pub(crate) fn lead_back(
        &self,
        run: &Run<'_>,
        inputs: &ArrayView2<'_, f64>,
        layers: Range<usize>,
    ) -> Result<Array2<f64>> {
        for_network!(self, network => led_back(network, run, inputs, layers))
    }

    /// The squared distance of every row from what comes out for it, in the unit of the features: for networks with as many outputs as
    /// inputs.
    pub(crate) fn row_errors(&self, run: &Run<'_>, features: &Features<'_>) -> Result<Array1<f64>> {
        for_network!(self, network => row_errors(run, network, features))
    }
}

fn led_back<T: Exponential>(
    network: &Network<T>,
    run: &Run<'_>,
    inputs: &ArrayView2<'_, f64>,
    layers: Range<usize>,
) -> Result<Array2<f64>> {
    let parts = map_blocks(run, inputs.nrows(), BLOCK, |rows| {
        let block = inputs.slice_axis(Axis(0), rows.into()).mapv(T::of);
        let mut outputs = network
            .through(layers.clone(), &block.view())
            .mapv(Real::wide);
        network.input().lead_back(&mut outputs);
        outputs
    })?;
    let mut features = Array2::zeros((inputs.nrows(), network.n_inputs()));
    let targets = features.axis_chunks_iter_mut(Axis(0), BLOCK);
    for (mut target, part) in targets.zip(&parts) {
        target.assign(part);
    }
    Ok(features)
}
