//! Forward and backward through a network for one block of rows, with buffers that are kept.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};

use super::activation::times_slopes;
use super::network::Network;
use crate::linalg::Exponential;
use crate::linalg::product::{add_product, product_into};

/// The buffers of one block of rows.
#[derive(Clone, Debug)]
pub(super) struct Space<T> {
    /// What comes out of each layer.
    values: Vec<Array2<T>>,
    /// The slope of each layer's function.
    slopes: Vec<Array2<T>>,
    /// The loss's gradient by the sums of each layer.
    deltas: Vec<Array2<T>>,
    /// The loss's gradient by every number learned, in the order of the network's own.
    pub(super) gradient: Vec<Array2<T>>,
}

impl<T: Exponential> Space<T> {
    /// Buffers for at most so many rows.
    pub(super) fn new(network: &Network<T>, most_rows: usize) -> Self {
        let zeros = |shape| Array2::from_elem(shape, T::of(0.0));
        let buffers = |keep: &dyn Fn(usize) -> bool| {
            let layers = network.layers().iter().enumerate();
            let sizes = layers.map(|(place, layer)| match keep(place) {
                true => zeros((most_rows, layer.n_outputs)),
                false => zeros((0, 0)),
            });
            sizes.collect()
        };
        Self {
            values: buffers(&|_| true),
            slopes: buffers(&|place| network.layers()[place].activation.bends()),
            deltas: buffers(&|_| true),
            gradient: network
                .parameters()
                .iter()
                .map(|p| zeros(p.dim()))
                .collect(),
        }
    }

    /// The outputs of a block, with everything kept that the way back needs.
    pub(super) fn forward(
        &mut self,
        network: &Network<T>,
        inputs: &ArrayView2<'_, T>,
        mut outputs: ArrayViewMut2<'_, T>,
    ) {
        let n_rows = inputs.nrows();
        for (place, layer) in network.layers().iter().enumerate() {
            let (before, rest) = self.values.split_at_mut(place);
            let from = match before.last() {
                Some(values) => values.slice(s![..n_rows, ..]),
                None => inputs.view(),
            };
            let mut sums = rest[0].slice_mut(s![..n_rows, ..]);
            product_into(sums.view_mut(), &from, &network.weights(place));
            let slopes = layer
                .activation
                .bends()
                .then(|| self.slopes[place].slice_mut(s![..n_rows, ..]));
            let biases = network.biases(place);
            layer.activation.finish(sums, &biases.row(0), slopes);
        }
        if let Some(values) = self.values.last() {
            outputs.assign(&values.slice(s![..n_rows, ..]));
        }
        if let Some(shortcut) = network.shortcut() {
            add_product(outputs, inputs, &shortcut);
        }
    }

    /// From the gradient by the outputs of the block that went forward last to the gradient by every number learned.
    pub(super) fn backward(
        &mut self,
        network: &Network<T>,
        inputs: &ArrayView2<'_, T>,
        by_outputs: &ArrayView2<'_, T>,
    ) {
        let n_rows = inputs.nrows();
        let n_layers = network.layers().len();
        if network.shortcut().is_some() {
            let target = self.gradient[2 * n_layers].view_mut();
            product_into(target, &inputs.t(), by_outputs);
        }
        for place in (0..n_layers).rev() {
            let (below, above) = self.deltas.split_at_mut(place + 1);
            let mut delta = below[place].slice_mut(s![..n_rows, ..]);
            match above.first() {
                Some(next) => product_into(
                    delta.view_mut(),
                    &next.slice(s![..n_rows, ..]),
                    &network.weights(place + 1).t(),
                ),
                None => delta.assign(by_outputs),
            }
            if network.layers()[place].activation.bends() {
                let slopes = self.slopes[place].slice(s![..n_rows, ..]);
                if let (Some(delta), Some(slopes)) = (delta.as_slice_mut(), slopes.as_slice()) {
                    times_slopes(delta, slopes);
                }
            }
            let delta = delta.view();
            let from = match place {
                0 => inputs.view(),
                _ => self.values[place - 1].slice(s![..n_rows, ..]),
            };
            product_into(self.gradient[2 * place].view_mut(), &from.t(), &delta);
            sum_rows(&delta, self.gradient[2 * place + 1].view_mut());
        }
    }
}

/// The sum of the rows, in their order.
fn sum_rows<T: Exponential>(rows: &ArrayView2<'_, T>, mut target: ArrayViewMut2<'_, T>) {
    target.fill(T::of(0.0));
    let mut target = target.row_mut(0);
    for row in rows.rows() {
        target.zip_mut_with(&row, |sum, &value| *sum += value);
    }
}
