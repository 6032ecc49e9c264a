//! Forward and backward through a network for one batch, in fixed blocks of rows, with buffers that are kept.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use super::activation::times_slopes;
use super::network::Network;
use crate::linalg::Exponential;
use crate::linalg::product::{add_product, product_into};

/// Rows of a block: what a batch is cut into, whatever the number of threads.
const BLOCK: usize = 64;
/// Outputs whose weights are turned round together: they share lines of memory.
const TURNED: usize = 16;

/// A gradient that enters at a layer during backpropagation, besides the one of the outputs: the layer, and a row for each row.
pub(super) type Entering<'a, T> = Option<(usize, ArrayView2<'a, T>)>;

/// Rows of a batch: those that go through all layers, then doubles that go through the first few only.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows {
    pub(super) n_whole: usize,
    pub(super) n_doubles: usize,
    /// Layers that doubles go through.
    pub(super) n_layers: usize,
}

impl Rows {
    /// Rows that go through a layer.
    pub(super) fn through(&self, layer: usize) -> usize {
        if layer < self.n_layers {
            self.n_whole + self.n_doubles
        } else {
            self.n_whole
        }
    }
}

/// The buffers of a batch, a table for each layer.
#[derive(Clone, Debug)]
pub(super) struct Pass<T> {
    /// What comes out of each layer.
    pub(super) values: Vec<Array2<T>>,
    /// The slope of each layer's function; without columns where there is none.
    slopes: Vec<Array2<T>>,
    /// The loss's gradient by the sums of each layer. In the last, the loss's gradient by the outputs comes in.
    pub(super) deltas: Vec<Array2<T>>,
    /// The weights of all layers but the first, a row for each output: so that no block has to turn them round by itself.
    turned: Vec<Array2<T>>,
}

impl<T: Exponential> Pass<T> {
    /// Buffers for at most this many rows.
    pub(super) fn new(network: &Network<T>, most: Rows) -> Self {
        let zeros = |shape| Array2::from_elem(shape, T::of(0.0));
        let layers = || network.layers().iter().enumerate();
        let wide = || layers().map(|(index, layer)| zeros((most.through(index), layer.n_outputs)));
        let slopes = layers().map(|(index, layer)| {
            let width = if layer.activation.is_nonlinear() {
                layer.n_outputs
            } else {
                0
            };
            zeros((most.through(index), width))
        });
        Self {
            values: wide().collect(),
            slopes: slopes.collect(),
            deltas: wide().collect(),
            turned: (layers().skip(1))
                .map(|(_, layer)| zeros((layer.n_outputs, layer.n_inputs)))
                .collect(),
        }
    }

    /// The outputs of a batch, with everything kept that backpropagation needs.
    pub(super) fn forward(&mut self, network: &Network<T>, inputs: &Array2<T>, rows: Rows) {
        let (blocks, _) = self.blocks_and_turned(rows);
        blocks.into_par_iter().with_max_len(1).for_each(|block| {
            let inputs = inputs.slice(s![block.rows.clone(), ..]);
            block.forward(network, &inputs);
        });
    }

    /// From the gradient by the outputs to the gradients by the sums of all layers.
    pub(super) fn backward(
        &mut self,
        network: &Network<T>,
        rows: Rows,
        entering: &Entering<'_, T>,
    ) {
        self.turn(network);
        let (blocks, turned) = self.blocks_and_turned(rows);
        blocks.into_par_iter().with_max_len(1).for_each(|block| {
            let own = entering.as_ref().map(|(layer, gradient)| {
                let gradient = gradient.slice(s![block.rows.clone(), ..]);
                (*layer, gradient)
            });
            block.backward(network, turned, own);
        });
    }

    /// Turns the weights of all layers but the first round.
    fn turn(&mut self, network: &Network<T>) {
        for (index, turned) in self.turned.iter_mut().enumerate() {
            let weights = network.weights(index + 1);
            let length = weights.nrows();
            let numbers = turned.as_slice_mut().expect("a new array is in row order");
            let parts = numbers.par_chunks_mut((TURNED * length).max(1));
            parts.enumerate().for_each(|(part, lines)| {
                for (at, row) in weights.rows().into_iter().enumerate() {
                    let values = row.iter().skip(part * TURNED);
                    for (line, &value) in lines.chunks_exact_mut(length).zip(values) {
                        line[at] = value;
                    }
                }
            });
        }
    }

    /// The buffers, cut into blocks, and the weights turned round.
    fn blocks_and_turned(&mut self, rows: Rows) -> (Vec<Block<'_, T>>, &[Array2<T>]) {
        let cut = |count: usize, start: usize| {
            let starts = (0..count).step_by(BLOCK);
            starts.map(move |at| start + at..start + (at + BLOCK).min(count))
        };
        let ranges = cut(rows.n_whole, 0).chain(cut(rows.n_doubles, rows.n_whole));
        let mut blocks: Vec<Block<'_, T>> = ranges
            .map(|rows| Block {
                rows,
                values: Vec::new(),
                slopes: Vec::new(),
                deltas: Vec::new(),
            })
            .collect();
        let tables = self.values.iter_mut().zip(&mut self.slopes);
        for (layer, ((values, slopes), deltas)) in tables.zip(&mut self.deltas).enumerate() {
            let doubled = layer < rows.n_layers;
            let parts = cut_rows(values, rows, doubled)
                .zip(cut_rows(slopes, rows, doubled))
                .zip(cut_rows(deltas, rows, doubled));
            for (block, ((values, slopes), deltas)) in blocks.iter_mut().zip(parts) {
                block.values.push(values);
                block.slopes.push(slopes);
                block.deltas.push(deltas);
            }
        }
        (blocks, &self.turned)
    }
}

/// The blocks of a table; those of doubles follow, where the table has them.
fn cut_rows<T>(
    table: &mut Array2<T>,
    rows: Rows,
    doubled: bool,
) -> impl Iterator<Item = ArrayViewMut2<'_, T>> {
    let (whole, rest) = table.view_mut().split_at(Axis(0), rows.n_whole);
    let n_doubles = if doubled { rows.n_doubles } else { 0 };
    let (doubles, _) = rest.split_at(Axis(0), n_doubles);
    chunks(whole).chain(chunks(doubles))
}

fn chunks<T>(table: ArrayViewMut2<'_, T>) -> impl Iterator<Item = ArrayViewMut2<'_, T>> {
    let mut rest = Some(table);
    std::iter::from_fn(move || {
        let table = rest.take().filter(|table| table.nrows() > 0)?;
        let at = BLOCK.min(table.nrows());
        let (block, further) = table.split_at(Axis(0), at);
        rest = Some(further);
        Some(block)
    })
}

/// The buffers of one block of rows, for the layers that it goes through.
struct Block<'a, T> {
    rows: Range<usize>,
    values: Vec<ArrayViewMut2<'a, T>>,
    slopes: Vec<ArrayViewMut2<'a, T>>,
    deltas: Vec<ArrayViewMut2<'a, T>>,
}

impl<T: Exponential> Block<'_, T> {
    fn forward(mut self, network: &Network<T>, inputs: &ArrayView2<'_, T>) {
        for index in 0..self.values.len() {
            let activation = network.layers()[index].activation;
            let (before, rest) = self.values.split_at_mut(index);
            let from = before.last().map_or(inputs.view(), |values| values.view());
            let sums = &mut rest[0];
            product_into(sums.view_mut(), &from, &network.weights(index));
            let slopes = activation
                .is_nonlinear()
                .then(|| self.slopes[index].view_mut());
            let biases = network.biases(index);
            activation.finish(sums.view_mut(), &biases.row(0), slopes);
        }
        let whole = self.values.len() == network.layers().len();
        if let (Some(shortcut), true, Some(outputs)) =
            (network.shortcut(), whole, self.values.last_mut())
        {
            add_product(outputs.view_mut(), inputs, &shortcut);
        }
    }

    fn backward(mut self, network: &Network<T>, turned: &[Array2<T>], entering: Entering<'_, T>) {
        let whole = self.deltas.len() == network.layers().len();
        for index in (0..self.deltas.len()).rev() {
            let (below, above) = self.deltas.split_at_mut(index + 1);
            let delta = &mut below[index];
            match above.first() {
                Some(next) => {
                    product_into(delta.view_mut(), &next.view(), &turned[index].view());
                }
                None if whole => {}
                None => delta.fill(T::of(0.0)),
            }
            if let Some((_, gradient)) = entering.as_ref().filter(|(layer, _)| *layer == index) {
                delta.zip_mut_with(gradient, |sum, &value| *sum += value);
            }
            if network.layers()[index].activation.is_nonlinear()
                && let (Some(delta), Some(slopes)) =
                    (delta.as_slice_mut(), self.slopes[index].as_slice())
            {
                times_slopes(delta, slopes);
            }
        }
    }
}
