//! A step of Adam for one batch after the other.
//!
//! A batch goes forward and back in fixed blocks of rows. Then every part of the weights finishes its own gradient over all rows of
//! the batch and moves: no two parts share a sum, so that nothing is added up between threads, and the gradient is still near when
//! it is used.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};
use rayon::prelude::*;

use super::contraction::Contraction;
use super::network::Network;
use super::pass::{Pass, Rows};
use crate::data::Features;
use crate::error::{Error, Result, message};
use crate::linalg::Exponential;
use crate::linalg::product::product_into;
use crate::optimize::adam::{Adam, Portion};

/// Numbers learned that one job moves, about.
const MOVED: usize = 1 << 15;

/// A network that learns, with the buffers for a batch.
#[derive(Clone, Debug)]
pub(crate) struct Trainer<T: Exponential> {
    network: Network<T>,
    /// Averages of the gradient and of its squares.
    averages: Vec<(Array2<T>, Array2<T>)>,
    /// The loss's gradient by every number learned, in the order of the network's own.
    gradient: Vec<Array2<T>>,
    n_steps: i32,
    weight_decay: f64,
    contraction: Option<Contraction>,
    rows: Rows,
    inputs: Array2<T>,
    pass: Pass<T>,
    /// The gradient by the outputs, kept for a shortcut past a last layer that bends it.
    by_outputs: Option<Array2<T>>,
}

impl<T: Exponential> Trainer<T> {
    /// Buffers for batches of at most this many rows. The decay is taken from weights, not from biases or a shortcut, and is
    /// not part of the gradient (Loshchilov and Hutter 2019).
    pub(crate) fn new(network: Network<T>, most_rows: usize, weight_decay: f64) -> Self {
        let zeros = |shape| Array2::from_elem(shape, T::of(0.0));
        let all = || network.parameters().iter().map(|p| zeros(p.dim()));
        let rows = Rows {
            n_whole: most_rows,
            ..Rows::default()
        };
        Self {
            averages: all().zip(all()).collect(),
            gradient: all().collect(),
            n_steps: 0,
            weight_decay,
            contraction: None,
            rows: Rows::default(),
            inputs: zeros((most_rows, network.n_inputs())),
            pass: Pass::new(&network, rows),
            by_outputs: None,
            network,
        }
    }

    /// The same, with a penalty on how fast the outputs of the first layers change, some but not all. It becomes part of the loss of every
    /// step.
    pub(crate) fn contracting(mut self, contraction: Contraction) -> Result<Self> {
        let n_layers = self.network.layers().len();
        if !(1..n_layers).contains(&contraction.n_layers) {
            return Err(Error::shape(
                message!("layers whose outputs change little"),
                message!("1 to {}", n_layers.saturating_sub(1)),
                contraction.n_layers,
            ));
        }
        if !contraction.is_exact(&self.network) {
            let most = self.inputs.nrows();
            let rows = Rows {
                n_whole: most,
                n_doubles: most,
                n_layers: contraction.n_layers,
            };
            let shape = (rows.through(0), self.network.n_inputs());
            self.inputs = Array2::from_elem(shape, T::of(0.0));
            self.pass = Pass::new(&self.network, rows);
        }
        self.contraction = Some(contraction);
        Ok(self)
    }

    /// The network as it stands.
    pub(crate) fn network(&self) -> &Network<T> {
        &self.network
    }

    /// The network, no longer to be trained.
    pub(crate) fn into_network(self) -> Network<T> {
        self.network
    }

    /// Makes some rows the batch, standardized.
    pub(crate) fn load(&mut self, features: &Features<'_>, rows: &[usize]) -> Result<()> {
        let doubled = self.contraction.filter(|c| !c.is_exact(&self.network));
        let parts = if doubled.is_some() { 2 } else { 1 };
        let most = self.inputs.nrows() / parts;
        if rows.len() > most || features.n_columns() != self.inputs.ncols() {
            return Err(Error::shape(
                message!("{:rows} and {:columns} of a batch"),
                message!("at most {:?}", (most, self.inputs.ncols())),
                message!("{:?}", (rows.len(), features.n_columns())),
            ));
        }
        self.rows = Rows {
            n_whole: rows.len(),
            n_doubles: (parts - 1) * rows.len(),
            n_layers: doubled.map_or(0, |c| c.n_layers),
        };
        let target = self.inputs.slice_mut(s![..rows.len(), ..]);
        self.network.input().fill(features, rows, target);
        Ok(())
    }

    /// What enters the network for the batch.
    pub(crate) fn inputs(&self) -> ArrayView2<'_, T> {
        self.inputs.slice(s![..self.rows.n_whole, ..])
    }

    /// The same, to be changed: by noise, for example.
    pub(crate) fn inputs_mut(&mut self) -> ArrayViewMut2<'_, T> {
        self.inputs.slice_mut(s![..self.rows.n_whole, ..])
    }

    /// A step of length `rate` against the gradient of a loss, which is computed from the outputs of the batch: its value, and
    /// into the second argument its gradient by the outputs. Returns the value; nothing is moved if it is not finite.
    pub(crate) fn step<L>(&mut self, rate: f64, loss: L) -> Result<f64>
    where
        L: FnOnce(&ArrayView2<'_, T>, ArrayViewMut2<'_, T>) -> Result<f64>,
    {
        self.step_from_inputs(rate, |_, outputs, gradient| loss(outputs, gradient))
    }

    /// The same for a loss that needs the inputs too, before the outputs.
    pub(crate) fn step_from_inputs<L>(&mut self, rate: f64, loss: L) -> Result<f64>
    where
        L: FnOnce(&ArrayView2<'_, T>, &ArrayView2<'_, T>, ArrayViewMut2<'_, T>) -> Result<f64>,
    {
        let value = self.evaluate(loss)?;
        if value.is_finite() {
            self.advance(rate);
        }
        Ok(value)
    }

    /// Forward, the loss, and backward as far as the sums of all layers.
    fn evaluate<L>(&mut self, loss: L) -> Result<f64>
    where
        L: FnOnce(&ArrayView2<'_, T>, &ArrayView2<'_, T>, ArrayViewMut2<'_, T>) -> Result<f64>,
    {
        let (rows, network) = (self.rows, &self.network);
        let n = rows.n_whole;
        if let Some(contraction) = self.contraction.filter(|_| rows.n_doubles > 0) {
            contraction.double(&mut self.inputs, rows, self.n_steps);
        }
        self.pass.forward(network, &self.inputs, rows);
        let (Some(outputs), Some(gradient)) =
            (self.pass.values.last(), self.pass.deltas.last_mut())
        else {
            return Ok(f64::NAN);
        };
        let (outputs, gradient) = (outputs.slice(s![..n, ..]), gradient.slice_mut(s![..n, ..]));
        let mut value = loss(&self.inputs.slice(s![..n, ..]), &outputs, gradient)?;
        let mut entering = None;
        match self.contraction {
            Some(contraction) if rows.n_doubles == 0 => value += contraction.exact(network),
            Some(contraction) => {
                let layer = rows.n_layers - 1;
                let values = self.pass.values[layer].slice(s![..2 * n, ..]);
                let (penalty, gradient) = contraction.estimate(&values, rows);
                value += penalty;
                entering = Some((layer, gradient));
            }
            None => {}
        }
        if value.is_finite() {
            self.keep_outer();
            let entering = entering.as_ref().map(|(layer, g)| (*layer, g.view()));
            self.pass.backward(&self.network, rows, &entering);
        }
        Ok(value)
    }

    /// Keeps the gradient by the outputs where the last layer is about to bend it and a shortcut needs it as it is.
    fn keep_outer(&mut self) {
        let is_nonlinear = self
            .network
            .layers()
            .last()
            .is_some_and(|l| l.activation.is_nonlinear());
        let shortcut = self.network.shortcut().is_some();
        self.by_outputs = if is_nonlinear && shortcut {
            self.pass.deltas.last().cloned()
        } else {
            None
        };
    }

    /// Finishes the gradient and moves the numbers learned, part by part: no part needs another.
    fn advance(&mut self, rate: f64) {
        self.n_steps = self.n_steps.saturating_add(1);
        let indices = 0..self.gradient.len();
        let steps: Vec<_> = indices.map(|index| self.adam(index, rate)).collect();
        let seen = Seen {
            pass: &self.pass,
            inputs: &self.inputs,
            by_outputs: self.by_outputs.as_ref(),
            rows: self.rows,
        };
        let all = self.network.parameters_mut().iter_mut();
        let all = all.zip(&mut self.averages).zip(&mut self.gradient);
        let mut parts = Vec::new();
        for (index, ((numbers, (mean, square)), gradient)) in all.enumerate() {
            let (from, delta) = seen.source(index);
            let n_columns = numbers.ncols().max(1);
            let n_rows = (MOVED / n_columns).max(1).next_multiple_of(16);
            let cut = |table| cut(table, n_rows * n_columns);
            let tables = (cut(numbers).zip(cut(mean))).zip(cut(square).zip(cut(gradient)));
            parts.extend(tables.enumerate().map(|(number, tables)| {
                let ((numbers, mean), (square, gradient)) = tables;
                Part {
                    portion: Portion {
                        parameters: numbers,
                        mean,
                        square,
                        gradient,
                    },
                    adam: steps[index],
                    from,
                    delta,
                    start: number * n_rows,
                }
            }));
        }
        parts.into_par_iter().with_max_len(1).for_each(Part::go);
    }

    /// The step of Adam for one of the network's tables: weights decay, biases and a shortcut do not.
    fn adam(&self, index: usize, rate: f64) -> Adam<T, false> {
        let mut adam = Adam::new(rate, self.n_steps);
        if index.is_multiple_of(2) && index < 2 * self.network.layers().len() {
            adam = adam.with_decay(rate * self.weight_decay);
        }
        match self.contraction {
            Some(contraction) if index == 0 && self.rows.n_doubles == 0 => {
                adam.with_penalty(2.0 * contraction.weight)
            }
            _ => adam,
        }
    }
}

/// What a batch left on its way.
struct Seen<'a, T> {
    pass: &'a Pass<T>,
    inputs: &'a Array2<T>,
    by_outputs: Option<&'a Array2<T>>,
    rows: Rows,
}

impl<'a, T: Exponential> Seen<'a, T> {
    /// What weights are multiplied with, nothing for biases, and the gradient by the sums that they are part of.
    fn source(&self, index: usize) -> (Option<ArrayView2<'a, T>>, ArrayView2<'a, T>) {
        let pass = self.pass;
        let layer = index / 2;
        let (n, from, delta) = match pass.deltas.get(layer) {
            Some(delta) if layer > 0 => (self.rows.through(layer), &pass.values[layer - 1], delta),
            Some(delta) => (self.rows.through(layer), self.inputs, delta),
            // The shortcut comes after all layers.
            None => {
                let delta = self.by_outputs.unwrap_or(&pass.deltas[layer - 1]);
                (self.rows.n_whole, self.inputs, delta)
            }
        };
        let from = index.is_multiple_of(2).then(|| from.slice(s![..n, ..]));
        (from, delta.slice(s![..n, ..]))
    }
}

/// Pieces of a table, all of one size but the last.
fn cut<T>(table: &mut Array2<T>, size: usize) -> impl Iterator<Item = &mut [T]> {
    let table = table.as_slice_mut();
    table
        .expect("weights have the standard layout")
        .chunks_mut(size)
}

/// Some rows of weights, or all biases of a layer: what their gradient is made of, and how they move.
struct Part<'a, T> {
    portion: Portion<'a, T>,
    adam: Adam<T, false>,
    /// What the weights are multiplied with; nothing for biases.
    from: Option<ArrayView2<'a, T>>,
    /// The gradient by the sums of the layer.
    delta: ArrayView2<'a, T>,
    /// The first row of weights.
    start: usize,
}

impl<T: Exponential> Part<'_, T> {
    fn go(self) {
        let n_columns = self.delta.ncols();
        match &self.from {
            Some(from) => {
                let n_rows = self.portion.gradient.len() / n_columns.max(1);
                let columns = from.slice(s![.., self.start..self.start + n_rows]);
                let shape = (n_rows, n_columns);
                if let Ok(target) = ArrayViewMut2::from_shape(shape, self.portion.gradient) {
                    product_into(target, &columns.t(), &self.delta);
                }
            }
            None => sum_rows(&self.delta, self.portion.gradient),
        }
        self.portion.step(self.adam);
    }
}

/// The sum of the rows, in their order.
fn sum_rows<T: Exponential>(rows: &ArrayView2<'_, T>, target: &mut [T]) {
    target.fill(T::of(0.0));
    for row in rows.rows() {
        if let Some(row) = row.as_slice() {
            target
                .iter_mut()
                .zip(row)
                .for_each(|(sum, &value)| *sum += value);
        }
    }
}

#[cfg(test)]
mod tests;
