//! A step of Adam for one batch after the other.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use super::network::Network;
use super::space::Space;
use crate::data::Features;
use crate::error::{Error, Result};
use crate::linalg::Exponential;
use crate::linalg::wide::{self, Loop};

/// Rows of a block: what a batch is cut into, whatever the number of threads.
const BLOCK: usize = 64;
/// Numbers learned that one job moves.
const MOVED: usize = 1 << 14;
/// Numbers of them at a time, so that their gradient stays near.
const PIECE: usize = 256;
/// Adam's averages forget by these factors a step; the last keeps divisors away from 0 (Kingma and Ba 2015).
const FORGET: (f64, f64) = (0.9, 0.999);
const SMALL: f64 = 1e-8;

/// A network that learns, with the buffers for a batch.
///
/// ```
/// use charta::Features;
/// use charta::neural::{Activation, Design, Network, Standardization, Trainer};
/// use ndarray::array;
/// let x = array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
/// let wanted = array![[0.0], [1.0], [1.0], [0.0]];
/// let features = Features::from(&x);
/// let design = Design { widths: vec![2, 8, 1], activation: Activation::Tanh, last: Activation::Linear };
/// let network = Network::<f64>::new(Standardization::by_column(&features), &design, 0)?;
/// let mut trainer = Trainer::new(network, 4, 0.0);
/// let mut loss = 1.0;
/// for _ in 0..500 {
///     trainer.load(&features, &[0, 1, 2, 3])?;
///     loss = trainer.step(0.03, |outputs, mut gradient| {
///         gradient.assign(&(outputs - &wanted));
///         Ok(0.5 * gradient.iter().map(|apart| apart * apart).sum::<f64>())
///     })?;
/// }
/// assert!(loss < 1e-3);
/// # Ok::<(), charta::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trainer<T: Exponential> {
    network: Network<T>,
    /// Averages of the gradient and of its squares.
    averages: Vec<(Array2<T>, Array2<T>)>,
    n_steps: i32,
    weight_decay: f64,
    n_rows: usize,
    inputs: Array2<T>,
    outputs: Array2<T>,
    gradient: Array2<T>,
    spaces: Vec<Space<T>>,
}

impl<T: Exponential> Trainer<T> {
    /// Buffers for batches of at most so many rows. The decay is taken from weights, not from biases or a shortcut, and is
    /// not part of the gradient (Loshchilov and Hutter 2019).
    pub fn new(network: Network<T>, most_rows: usize, weight_decay: f64) -> Self {
        let zeros = |shape| Array2::from_elem(shape, T::of(0.0));
        let n_blocks = most_rows.div_ceil(BLOCK);
        let space = Space::new(&network, BLOCK.min(most_rows));
        Self {
            averages: network
                .parameters()
                .iter()
                .map(|p| (zeros(p.dim()), zeros(p.dim())))
                .collect(),
            n_steps: 0,
            weight_decay,
            n_rows: 0,
            inputs: zeros((most_rows, network.n_inputs())),
            outputs: zeros((most_rows, network.n_outputs())),
            gradient: zeros((most_rows, network.n_outputs())),
            spaces: vec![space; n_blocks],
            network,
        }
    }

    /// The network as it stands.
    pub fn network(&self) -> &Network<T> {
        &self.network
    }

    /// The network, no longer to be trained.
    pub fn into_network(self) -> Network<T> {
        self.network
    }

    /// Makes some rows the batch, standardized.
    pub fn load(&mut self, features: &Features<'_>, rows: &[usize]) -> Result<()> {
        if rows.len() > self.inputs.nrows() || features.n_columns() != self.inputs.ncols() {
            return Err(Error::shape(
                "rows and columns of a batch",
                format!("at most {:?}", self.inputs.dim()),
                format!("{:?}", (rows.len(), features.n_columns())),
            ));
        }
        self.n_rows = rows.len();
        let target = self.inputs.slice_mut(s![..rows.len(), ..]);
        self.network.input().fill(features, rows, target);
        Ok(())
    }

    /// What enters the network for the batch.
    pub fn inputs(&self) -> ArrayView2<'_, T> {
        self.inputs.slice(s![..self.n_rows, ..])
    }

    /// The same, to be changed: by noise, for example.
    pub fn inputs_mut(&mut self) -> ArrayViewMut2<'_, T> {
        self.inputs.slice_mut(s![..self.n_rows, ..])
    }

    /// A step of length `rate` against the gradient of a loss, which is told from the outputs of the batch: its value, and
    /// into the second argument its gradient by the outputs. Returns the value; nothing is moved if it is not finite.
    pub fn step<L>(&mut self, rate: f64, loss: L) -> Result<f64>
    where
        L: FnOnce(&ArrayView2<'_, T>, ArrayViewMut2<'_, T>) -> Result<f64>,
    {
        let n_rows = self.n_rows;
        self.forward();
        let outputs = self.outputs.slice(s![..n_rows, ..]);
        let value = loss(&outputs, self.gradient.slice_mut(s![..n_rows, ..]))?;
        if value.is_finite() {
            self.backward();
            self.advance(rate);
        }
        Ok(value)
    }

    fn forward(&mut self) {
        let network = &self.network;
        let inputs = self.inputs.slice(s![..self.n_rows, ..]);
        let mut outputs = self.outputs.slice_mut(s![..self.n_rows, ..]);
        let outputs = outputs.axis_chunks_iter_mut(Axis(0), BLOCK).into_par_iter();
        let inputs = inputs.axis_chunks_iter(Axis(0), BLOCK).into_par_iter();
        let spaces = self.spaces.par_iter_mut();
        spaces
            .zip(inputs.zip(outputs))
            .for_each(|(space, (inputs, outputs))| space.forward(network, &inputs, outputs));
    }

    fn backward(&mut self) {
        let network = &self.network;
        let inputs = self.inputs.slice(s![..self.n_rows, ..]);
        let gradient = self.gradient.slice(s![..self.n_rows, ..]);
        let gradient = gradient.axis_chunks_iter(Axis(0), BLOCK).into_par_iter();
        let inputs = inputs.axis_chunks_iter(Axis(0), BLOCK).into_par_iter();
        let spaces = self.spaces.par_iter_mut();
        spaces
            .zip(inputs.zip(gradient))
            .for_each(|(space, (inputs, gradient))| space.backward(network, &inputs, &gradient));
    }

    /// Sums what the blocks add to the gradient, in their order, and moves the numbers learned.
    fn advance(&mut self, rate: f64) {
        self.n_steps = self.n_steps.saturating_add(1);
        let unbiased = |forget: f64| 1.0 / (1.0 - forget.powi(self.n_steps));
        let (first, second) = (unbiased(FORGET.0), unbiased(FORGET.1));
        let used = &self.spaces[..self.n_rows.div_ceil(BLOCK)];
        let n_weights = 2 * self.network.layers().len();
        let all = self.network.parameters_mut().iter_mut();
        for (place, (numbers, (mean, square))) in all.zip(&mut self.averages).enumerate() {
            let decays = place % 2 == 0 && place < n_weights;
            let way = Way {
                rate: T::of(rate * first),
                root: T::of(second),
                kept: T::of(match decays {
                    true => 1.0 - rate * self.weight_decay,
                    false => 1.0,
                }),
            };
            let gradients = || used.iter().filter_map(|s| s.gradient[place].as_slice());
            let targets = (
                numbers.as_slice_mut(),
                mean.as_slice_mut(),
                square.as_slice_mut(),
            );
            let (Some(numbers), Some(mean), Some(square)) = targets else {
                continue;
            };
            numbers
                .par_chunks_mut(MOVED)
                .zip(mean.par_chunks_mut(MOVED))
                .zip(square.par_chunks_mut(MOVED))
                .enumerate()
                .for_each(|(chunk, ((numbers, mean), square))| {
                    let start = chunk * MOVED;
                    let range = start..start + numbers.len();
                    way.go(
                        numbers,
                        mean,
                        square,
                        gradients().map(|g| &g[range.clone()]),
                    );
                });
        }
    }
}

/// The factors of one step.
#[derive(Clone, Copy)]
struct Way<T> {
    rate: T,
    /// What the average of squares is multiplied with.
    root: T,
    /// What is left of a number after its decay.
    kept: T,
}

impl<T: Exponential> Way<T> {
    fn go<'a>(
        self,
        numbers: &mut [T],
        mean: &mut [T],
        square: &mut [T],
        gradients: impl Iterator<Item = &'a [T]> + Clone,
    ) {
        let mut sum = [T::of(0.0); PIECE];
        let pieces = numbers.chunks_mut(PIECE).zip(mean.chunks_mut(PIECE));
        for (piece, ((numbers, mean), square)) in pieces.zip(square.chunks_mut(PIECE)).enumerate() {
            let sum = &mut sum[..numbers.len()];
            sum.fill(T::of(0.0));
            for part in gradients.clone() {
                let part = &part[piece * PIECE..][..sum.len()];
                sum.iter_mut().zip(part).for_each(|(sum, &g)| *sum += g);
            }
            wide::run(Move {
                way: self,
                numbers,
                mean,
                square,
                sum,
            });
        }
    }
}

struct Move<'a, T> {
    way: Way<T>,
    numbers: &'a mut [T],
    mean: &'a mut [T],
    square: &'a mut [T],
    sum: &'a [T],
}

impl<T: Exponential> Loop for Move<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let (fast, slow) = (T::of(FORGET.0), T::of(FORGET.1));
        let (new_fast, new_slow) = (T::of(1.0 - FORGET.0), T::of(1.0 - FORGET.1));
        let small = T::of(SMALL);
        let averages = self.mean.iter_mut().zip(self.square);
        for ((number, (mean, square)), &g) in self.numbers.iter_mut().zip(averages).zip(self.sum) {
            *mean = fast * *mean + new_fast * g;
            *square = slow * *square + new_slow * g * g;
            let size = num_traits::Float::sqrt(*square * self.way.root) + small;
            *number = *number * self.way.kept - self.way.rate * *mean / size;
        }
    }
}

#[cfg(test)]
mod tests;
