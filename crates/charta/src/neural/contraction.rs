//! Contractive penalty: the squared Frobenius norm of the encoder's Jacobian.
//!
//! One linear layer has its weights as Jacobian, everywhere: the penalty is exact. Through several layers the norm is the mean of
//! ‖J u‖² over directions u from the normal distribution, and J u is how far a row moves when its inputs move a little along u. Every
//! row of a batch draws one u in every step. The gradient is that of this very estimate. Rifai et al., "Contractive auto-encoders",
//! 2011; Hutchinson, "A stochastic estimator of the trace of the influence matrix", 1990.

use ndarray::{Array2, ArrayView2, Axis, s};
use rayon::prelude::*;

use super::network::Network;
use super::pass::Rows;
use crate::linalg::Exponential;
use crate::random::{normal, stream};

/// How far inputs move along a direction: a hundredth of their usual deviation.
const STEP: f64 = 0.01;
/// Rows that one job moves.
const BLOCK: usize = 64;
/// Streams of directions come after those of rows that are drawn.
const DIRECTIONS: u64 = 1 << 52;

/// How much changes of the first layers' outputs count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contraction {
    /// Layers whose outputs are to change little.
    pub n_layers: usize,
    /// What the squared norm is multiplied with.
    pub weight: f64,
    /// Seed of the directions.
    pub seed: u64,
}

impl Contraction {
    /// True if the Jacobian is the same for all rows, and known: that of one linear layer.
    pub(super) fn is_exact<T: Exponential>(&self, network: &Network<T>) -> bool {
        self.n_layers == 1 && !network.layers()[0].activation.is_nonlinear()
    }

    /// The penalty of one linear layer.
    pub(super) fn exact<T: Exponential>(&self, network: &Network<T>) -> f64 {
        let squares = network.weights(0).fold(0.0, |sum, weight| {
            let weight = weight.wide();
            sum + weight * weight
        });
        self.weight * squares
    }

    /// Writes the doubles of a batch below it: the same inputs, moved along random directions.
    pub(super) fn double<T: Exponential>(&self, inputs: &mut Array2<T>, rows: Rows, step: i32) {
        let (whole, rest) = inputs.view_mut().split_at(Axis(0), rows.n_whole);
        let (mut doubles, _) = rest.split_at(Axis(0), rows.n_doubles);
        let whole = whole.axis_chunks_iter(Axis(0), BLOCK).into_par_iter();
        let doubles = doubles.axis_chunks_iter_mut(Axis(0), BLOCK).into_par_iter();
        let first = DIRECTIONS + ((step as u64) << 20);
        doubles
            .zip(whole)
            .enumerate()
            .for_each(|(block, (mut doubles, whole))| {
                let mut draw = stream(self.seed, first + block as u64);
                doubles.zip_mut_with(&whole, |double, &value| {
                    *double = value + T::of(STEP * normal(&mut draw));
                });
            });
    }

    /// The penalty of a batch from what comes out of the layers, and its gradient by that, for rows and then for their doubles.
    pub(super) fn estimate<T: Exponential>(
        &self,
        values: &ArrayView2<'_, T>,
        rows: Rows,
    ) -> (f64, Array2<T>) {
        let n = rows.n_whole;
        let whole = values.slice(s![..n, ..]);
        let doubles = values.slice(s![n..2 * n, ..]);
        let factor = self.weight / (STEP * STEP * n.max(1) as f64);
        let mut gradient = Array2::from_elem(values.dim(), T::of(0.0));
        let (mut towards, mut away) = gradient.view_mut().split_at(Axis(0), n);
        let mut sum = 0.0;
        let targets = towards.iter_mut().zip(away.iter_mut());
        for ((&value, &double), (towards, away)) in whole.iter().zip(&doubles).zip(targets) {
            let apart = value.wide() - double.wide();
            sum += apart * apart;
            *towards = T::of(2.0 * factor * apart);
            *away = T::of(-2.0 * factor * apart);
        }
        (factor * sum, gradient)
    }
}
