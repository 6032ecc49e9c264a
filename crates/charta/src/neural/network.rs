//! A feed-forward network: dense layers, and optionally a linear shortcut past them.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

use super::activation::Activation;
use super::standardization::Standardization;
use crate::data::loaded::{check_at_least, unfit};
use crate::data::{Features, OwnedFeatures};
use crate::error::{Error, Result, message};
use crate::linalg::Exponential;
use crate::linalg::product::{add_product, product_into};
use crate::parallel::map_blocks;
use crate::random::{normal, stream};
use crate::run::Run;

/// Rows that are processed at once.
const BLOCK: usize = 256;

/// A layer: every output is the function of a weighted sum of all inputs and a bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// Numbers that come in.
    pub n_inputs: usize,
    /// Numbers that go out.
    pub n_outputs: usize,
    /// The function.
    pub activation: Activation,
}

/// What a network is to look like.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// Widths from the inputs to the outputs.
    pub widths: Vec<usize>,
    /// The function of all layers but the last.
    pub activation: Activation,
    /// The function of the last layer.
    pub last: Activation,
}

impl Design {
    /// The layers.
    pub fn layers(&self) -> Vec<Layer> {
        let count = self.widths.len().saturating_sub(1);
        let pairs = self.widths.windows(2).enumerate();
        let layers = pairs.map(|(index, widths)| Layer {
            n_inputs: widths[0],
            n_outputs: widths[1],
            activation: if index + 1 == count {
                self.last
            } else {
                self.activation
            },
        });
        layers.collect()
    }

    /// Numbers that such a network learns, without a shortcut.
    pub fn n_weights(&self) -> usize {
        let sizes = self.widths.windows(2).map(|widths| {
            let inputs = widths[0].saturating_add(1);
            inputs.saturating_mul(widths[1])
        });
        sizes.fold(0, usize::saturating_add)
    }
}

/// Layers with their weights, and the standardization of what enters them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Exponential", into = "Stored", try_from = "Stored")]
pub struct Network<T: Exponential> {
    input: Standardization,
    layers: Vec<Layer>,
    /// Of each layer its weights, a row for each input, and its biases, a single row; then the weights of the shortcut, if
    /// there is one.
    parameters: Vec<Array2<T>>,
}

impl<T: Exponential> Network<T> {
    /// A network with random first weights and biases of 0.
    pub fn new(input: Standardization, design: &Design, seed: u64) -> Result<Self> {
        let layers = design.layers();
        let first = layers.first().map_or(0, |layer| layer.n_inputs);
        if layers.is_empty() || first != input.n_columns() {
            return Err(Error::shape(
                message!("inputs of the network"),
                input.n_columns(),
                first,
            ));
        }
        let mut parameters = Vec::new();
        for (index, layer) in layers.iter().enumerate() {
            let mut draw = stream(seed, index as u64);
            let shape = (layer.n_inputs, layer.n_outputs);
            let size = layer.activation.first_deviation(shape.0, shape.1);
            let weight = || T::of(size * normal(&mut draw));
            parameters.push(Array2::from_shape_simple_fn(shape, weight));
            parameters.push(Array2::from_elem((1, shape.1), T::of(0.0)));
        }
        Ok(Self {
            input,
            layers,
            parameters,
        })
    }

    /// Fails if a number that was loaded is not finite, or the network has no layer.
    pub(crate) fn validate(&self) -> Result<()> {
        let Self {
            input,
            layers,
            parameters,
        } = self;
        check_at_least("the network's layers", layers.len(), 1)?;
        for layer in layers {
            let least = layer.n_inputs.min(layer.n_outputs);
            check_at_least("the width of a layer", least, 1)?;
        }
        input.validate()?;
        if parameters
            .iter()
            .flatten()
            .all(|value| value.wide().is_finite())
        {
            return Ok(());
        }
        Err(unfit("the network's weights", "finite numbers", "others"))
    }

    /// Adds a linear shortcut from the inputs to the outputs, which are summed: `weights` has a row for each input and a column
    /// for each output.
    pub fn with_shortcut(mut self, weights: Array2<T>) -> Result<Self> {
        let wanted = (self.n_inputs(), self.n_outputs());
        if weights.dim() != wanted {
            let given = format!("{:?}", weights.dim());
            return Err(Error::shape(
                message!("weights of the shortcut"),
                message!("{wanted:?}"),
                given,
            ));
        }
        self.parameters.truncate(2 * self.layers.len());
        self.parameters.push(weights);
        Ok(self)
    }

    /// Gives a layer other weights, a row for each input.
    pub fn with_weights(mut self, layer: usize, weights: Array2<T>) -> Result<Self> {
        let wanted = self.layers.get(layer).map(|l| (l.n_inputs, l.n_outputs));
        if Some(weights.dim()) != wanted {
            let given = format!("{:?}", weights.dim());
            return Err(Error::shape(
                message!("weights of the layer"),
                message!("{wanted:?}"),
                given,
            ));
        }
        self.parameters[2 * layer] = weights;
        Ok(self)
    }

    /// Gives a layer another function. Its weights stay as they are.
    pub fn with_activation(mut self, layer: usize, activation: Activation) -> Self {
        if let Some(layer) = self.layers.get_mut(layer) {
            layer.activation = activation;
        }
        self
    }

    /// The standardization of what enters.
    pub fn input(&self) -> &Standardization {
        &self.input
    }

    /// The layers.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Numbers that come in.
    pub fn n_inputs(&self) -> usize {
        self.layers.first().map_or(0, |layer| layer.n_inputs)
    }

    /// Numbers that go out.
    pub fn n_outputs(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.n_outputs)
    }

    /// Numbers learned.
    pub fn n_weights(&self) -> usize {
        self.parameters.iter().map(Array2::len).sum()
    }

    /// The weights of a layer, a row for each input.
    pub fn weights(&self, layer: usize) -> ArrayView2<'_, T> {
        self.parameters[2 * layer].view()
    }

    /// The biases of a layer, a single row.
    pub fn biases(&self, layer: usize) -> ArrayView2<'_, T> {
        self.parameters[2 * layer + 1].view()
    }

    /// The weights of the shortcut.
    pub fn shortcut(&self) -> Option<ArrayView2<'_, T>> {
        self.parameters
            .get(2 * self.layers.len())
            .map(|weights| weights.view())
    }

    /// Every number learned, matrix by matrix.
    pub(super) fn parameters(&self) -> &[Array2<T>] {
        &self.parameters
    }

    /// The same, to be changed.
    pub(super) fn parameters_mut(&mut self) -> &mut [Array2<T>] {
        &mut self.parameters
    }

    /// Some of the layers as a network of its own, such as the half of an autoencoder that encodes. What enters the first
    /// layer of all is standardized, what enters another is not; a shortcut stays behind.
    pub fn part(&self, layers: Range<usize>) -> Result<Self> {
        let Some(kept) = self.layers.get(layers.clone()).filter(|l| !l.is_empty()) else {
            return Err(Error::shape(
                message!("layers of a part"),
                message!("some of {}", self.layers.len()),
                message!("{layers:?}"),
            ));
        };
        Ok(Self {
            input: match layers.start {
                0 => self.input.clone(),
                _ => Standardization::none(kept[0].n_inputs),
            },
            layers: kept.to_vec(),
            parameters: self.parameters[2 * layers.start..2 * layers.end].to_vec(),
        })
    }

    /// The outputs for rows that are standardized already.
    pub fn forward(&self, inputs: &ArrayView2<'_, T>) -> Array2<T> {
        let mut outputs = self.through(0..self.layers.len(), inputs);
        if let Some(shortcut) = self.shortcut() {
            add_product(outputs.view_mut(), inputs, &shortcut);
        }
        outputs
    }

    /// What comes out of some layers one after the other for what enters the first of them.
    pub fn through(&self, layers: Range<usize>, inputs: &ArrayView2<'_, T>) -> Array2<T> {
        let mut values: Option<Array2<T>> = None;
        for index in layers {
            let layer = self.layers[index];
            let mut sums = Array2::from_elem((inputs.nrows(), layer.n_outputs), T::of(0.0));
            let from = values
                .as_ref()
                .map_or(inputs.view(), |values| values.view());
            product_into(sums.view_mut(), &from, &self.weights(index));
            let biases = self.biases(index);
            layer
                .activation
                .finish(sums.view_mut(), &biases.row(0), None);
            values = Some(sums);
        }
        values.unwrap_or_else(|| inputs.to_owned())
    }

    /// The outputs for rows of any kind, in blocks; sparse ones get their zeros block by block.
    pub fn apply(&self, run: &Run<'_>, features: &Features<'_>) -> Result<Array2<f64>> {
        self.apply_by(run, features, self.n_outputs(), |inputs| {
            self.forward(inputs)
        })
    }

    /// What comes out of the first layers, for rows of any kind.
    pub fn apply_first(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        n_layers: usize,
    ) -> Result<Array2<f64>> {
        let width = self.layers[..n_layers]
            .last()
            .map_or(self.n_inputs(), |l| l.n_outputs);
        self.apply_by(run, features, width, |inputs| {
            self.through(0..n_layers, inputs)
        })
    }

    fn apply_by(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        width: usize,
        apply: impl Fn(&ArrayView2<'_, T>) -> Array2<T> + Sync,
    ) -> Result<Array2<f64>> {
        let parts = map_blocks(run, features.n_rows(), BLOCK, |rows| {
            let rows: Vec<usize> = rows.collect();
            apply(&self.ready(features, &rows).view())
        })?;
        let mut outputs = Array2::zeros((features.n_rows(), width));
        let targets = outputs.axis_chunks_iter_mut(Axis(0), BLOCK);
        for (mut target, part) in targets.zip(&parts) {
            target.zip_mut_with(part, |target, value| *target = value.wide());
        }
        Ok(outputs)
    }

    /// Some rows, standardized.
    pub fn ready(&self, features: &Features<'_>, rows: &[usize]) -> Array2<T> {
        let mut inputs = Array2::from_elem((rows.len(), features.n_columns()), T::of(0.0));
        self.input.fill(features, rows, inputs.view_mut());
        inputs
    }
}

/// A network as it is saved: all numbers in a single row, in their precision.
#[derive(Clone, Serialize, Deserialize)]
struct Stored {
    input: Standardization,
    layers: Vec<Layer>,
    shortcut: bool,
    parameters: OwnedFeatures,
}

impl<T: Exponential> From<Network<T>> for Stored {
    fn from(network: Network<T>) -> Self {
        let numbers = || network.parameters.iter().flatten();
        let single = size_of::<T>() == size_of::<f32>();
        let parameters = if single {
            let row: Vec<f32> = numbers().map(|value| value.wide() as f32).collect();
            OwnedFeatures::F32(ndarray::Array1::from(row).insert_axis(Axis(0)))
        } else {
            let row: Vec<f64> = numbers().map(|value| value.wide()).collect();
            OwnedFeatures::F64(ndarray::Array1::from(row).insert_axis(Axis(0)))
        };
        Self {
            shortcut: network.shortcut().is_some(),
            input: network.input,
            layers: network.layers,
            parameters,
        }
    }
}

impl<T: Exponential> TryFrom<Stored> for Network<T> {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let mut shapes = Vec::new();
        for layer in &stored.layers {
            shapes.push((layer.n_inputs, layer.n_outputs));
            shapes.push((1, layer.n_outputs));
        }
        let inputs = stored.layers.first().map_or(0, |layer| layer.n_inputs);
        let outputs = stored.layers.last().map_or(0, |layer| layer.n_outputs);
        if stored.shortcut {
            shapes.push((inputs, outputs));
        }
        let joined = stored.layers.windows(2);
        let fits = joined.into_iter().all(|l| l[0].n_outputs == l[1].n_inputs);
        let row = match &stored.parameters {
            OwnedFeatures::F32(numbers) => numbers.mapv(|value| T::of(f64::from(value))),
            OwnedFeatures::F64(numbers) => numbers.mapv(T::of),
            _ => return Err("a network's weights are not dense".into()),
        };
        let wanted = shapes.iter().try_fold(0_usize, |sum, (rows, columns)| {
            sum.checked_add(rows.checked_mul(*columns)?)
        });
        let whole = row.nrows() == 1 && wanted == Some(row.ncols());
        if !fits || !whole || inputs != stored.input.n_columns() {
            return Err("a network's layers and its weights do not agree".into());
        }
        let mut start = 0;
        let mut parameters = Vec::new();
        for shape in shapes {
            let end = start + shape.0 * shape.1;
            let part = row.slice(s![0, start..end]).to_vec();
            parameters.push(Array2::from_shape_vec(shape, part).map_err(|e| e.to_string())?);
            start = end;
        }
        Ok(Self {
            input: stored.input,
            layers: stored.layers,
            parameters,
        })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    fn example<T: Exponential>() -> Network<T> {
        let design = Design {
            widths: vec![5, 7, 4, 2],
            activation: Activation::Gelu,
            last: Activation::Linear,
        };
        let x = Array2::from_shape_fn((9, 5), |(i, j)| ((i * 5 + j) as f64).sin());
        let input = Standardization::by_column(&Features::from(&x));
        let shortcut = Array2::from_shape_fn((5, 2), |(i, j)| T::of((i + j) as f64));
        let network = Network::new(input, &design, 3).unwrap();
        assert_eq!(network.n_weights(), design.n_weights());
        network.with_shortcut(shortcut).unwrap()
    }

    #[test]
    fn outputs_follow_the_formula() {
        let design = Design {
            widths: vec![2, 2, 1],
            activation: Activation::Relu,
            last: Activation::Linear,
        };
        let network = Network::<f64>::new(Standardization::none(2), &design, 0)
            .and_then(|network| network.with_weights(0, array![[1.0, 0.0], [1.0, -1.0]]))
            .and_then(|network| network.with_weights(1, array![[2.0], [3.0]]))
            .and_then(|network| network.with_shortcut(array![[10.0], [0.0]]))
            .unwrap();
        let outputs = network.forward(&array![[1.0, 2.0], [1.0, -4.0]].view());
        // relu(1 + 2), relu(−2) and relu(1 − 4), relu(4).
        assert_eq!(outputs, array![[6.0 + 10.0], [12.0 + 10.0]]);
        assert!(network.with_weights(2, array![[1.0]]).is_err());
    }

    #[test]
    fn networks_are_saved_bit_for_bit_in_both_precisions() {
        let double = example::<f64>();
        let bytes = rmp_serde::to_vec_named(&double).unwrap();
        assert_eq!(
            rmp_serde::from_slice::<Network<f64>>(&bytes).unwrap(),
            double
        );
        let single = example::<f32>();
        let short = rmp_serde::to_vec_named(&single).unwrap();
        assert_eq!(
            rmp_serde::from_slice::<Network<f32>>(&short).unwrap(),
            single
        );
        assert!(bytes.len() > short.len() + 4 * single.n_weights() - 100);
        let mut stored = Stored::from(double);
        stored.layers[1].n_outputs = 5;
        assert!(Network::<f64>::try_from(stored).is_err());
    }

    #[test]
    fn rows_are_placed_in_blocks_and_parts_follow_each_other() {
        let network = example::<f64>();
        let x = Array2::from_shape_fn((600, 5), |(i, j)| ((i * 5 + j) as f64).sin());
        let run = Run::new();
        let transformed = network.apply(&run, &Features::from(&x)).unwrap();
        let last = network
            .apply(&run, &Features::from(x.slice(s![599.., ..])))
            .unwrap();
        assert!((transformed[[599, 1]] - last[[0, 1]]).abs() < 1e-12);
        let mut plain = network.clone();
        plain.parameters.truncate(6);
        let whole = plain.apply(&run, &Features::from(&x)).unwrap();
        let half = plain.part(0..2).unwrap();
        let half = half.apply(&run, &Features::from(&x)).unwrap();
        let rest = plain.part(2..3).unwrap();
        let rest = rest.apply(&run, &Features::from(&half)).unwrap();
        assert!((whole - rest).iter().all(|apart| apart.abs() < 1e-12));
        assert!(plain.part(2..4).is_err() && plain.part(1..1).is_err());
    }

    #[test]
    fn first_weights_have_the_size_that_keeps_signals() {
        for (activation, want) in [(Activation::Tanh, 2.0 / 500.0), (Activation::Relu, 0.01)] {
            let design = Design {
                widths: vec![200, 300],
                activation,
                last: activation,
            };
            let network = Network::<f32>::new(Standardization::none(200), &design, 1).unwrap();
            let square = network
                .weights(0)
                .mapv(|w| f64::from(w * w))
                .mean()
                .unwrap();
            assert!((square / want - 1.0).abs() < 0.05, "{square} for {want}");
            assert!(network.biases(0).iter().all(|&bias| bias == 0.0));
        }
    }
}
