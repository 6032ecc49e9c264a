//! Adam: gradient descent with running averages of the gradient and of its square.
//!
//! Kingma and Ba, "Adam: a method for stochastic optimization", 2015; decoupled weight decay (AdamW) as in Loshchilov and Hutter, "Decoupled weight decay
//! regularization", 2019. [`Adam::new`] corrects the bias of each average (algorithm 1 of the paper); [`Adam::efficient`] folds both
//! corrections into the learning rate, the order of computation that the paper gives at the end of its section 2. The two round differently, and each is kept where
//! results were made with it.

use crate::linalg::Real;
use crate::linalg::wide::{self, Loop};

/// Decay of the average of the gradient.
const BETA1: f64 = 0.9;
/// Decay of the average of the squared gradient.
const BETA2: f64 = 0.999;
/// Keeps the division finite.
const EPSILON: f64 = 1e-8;
/// The same where the corrections are part of the learning rate.
const EFFICIENT_EPSILON: f64 = 1e-7;

/// One step of Adam, for any number of parameters. `EFFICIENT` selects one of two orders of computation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adam<T, const EFFICIENT: bool> {
    rate: T,
    /// Bias correction of the average of squares.
    square_correction: T,
    epsilon: T,
    /// What is left of a parameter after decoupled weight decay.
    kept: T,
    /// Factor of the parameter that is added to its gradient: an L2 penalty.
    penalty: T,
}

impl<T: Real> Adam<T, false> {
    /// Step number `step`, counted from 1, with a learning rate.
    pub(crate) fn new(learning_rate: f64, step: i32) -> Self {
        let correction = |beta: f64| 1.0 / (1.0 - beta.powi(step));
        Self {
            rate: T::of(learning_rate * correction(BETA1)),
            square_correction: T::of(correction(BETA2)),
            epsilon: T::of(EPSILON),
            kept: T::of(1.0),
            penalty: T::of(0.0),
        }
    }

    /// The same with decoupled weight decay: this fraction of each parameter is taken away.
    pub(crate) fn with_decay(self, share: f64) -> Self {
        let kept = T::of(1.0 - share);
        Self { kept, ..self }
    }

    /// The same with an L2 penalty: this factor of each parameter is added to its gradient.
    pub(crate) fn with_penalty(self, factor: f64) -> Self {
        let penalty = T::of(factor);
        Self { penalty, ..self }
    }
}

impl<T: Real> Adam<T, true> {
    /// Step number `step`, counted from 1, with a learning rate into which the bias corrections are folded.
    pub(crate) fn efficient(learning_rate: f64, step: usize) -> Self {
        let bias = [BETA1, BETA2].map(|beta| 1.0 - beta.powf(step as f64));
        Self {
            rate: T::of(learning_rate * bias[1].sqrt() / bias[0]),
            square_correction: T::of(1.0),
            epsilon: T::of(EFFICIENT_EPSILON),
            kept: T::of(1.0),
            penalty: T::of(0.0),
        }
    }
}

impl<T: Real, const EFFICIENT: bool> Adam<T, EFFICIENT> {
    /// Where a parameter goes by its gradient; the two averages are brought up to date.
    #[inline(always)]
    pub(crate) fn moved(&self, parameter: T, gradient: T, mean: &mut T, square: &mut T) -> T {
        let (new1, new2) = (T::of(1.0 - BETA1), T::of(1.0 - BETA2));
        if EFFICIENT {
            *mean += new1 * (gradient - *mean);
            *square += new2 * (gradient * gradient - *square);
        } else {
            *mean = T::of(BETA1) * *mean + new1 * gradient;
            *square = T::of(BETA2) * *square + new2 * gradient * gradient;
        }
        let size = num_traits::Float::sqrt(*square * self.square_correction) + self.epsilon;
        parameter * self.kept - self.rate * *mean / size
    }
}

/// Some of the parameters of a model, with their averages and their gradient.
#[derive(Debug)]
pub(crate) struct Portion<'a, T> {
    pub(crate) parameters: &'a mut [T],
    /// Running average of the gradient.
    pub(crate) mean: &'a mut [T],
    /// Running average of its square.
    pub(crate) square: &'a mut [T],
    pub(crate) gradient: &'a mut [T],
}

impl<T: Real> Portion<'_, T> {
    /// Moves the parameters against their gradient.
    pub(crate) fn step(self, adam: Adam<T, false>) {
        wide::run(Move {
            portion: self,
            adam,
        });
    }
}

struct Move<'a, T> {
    portion: Portion<'a, T>,
    adam: Adam<T, false>,
}

impl<T: Real> Loop for Move<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Portion {
            parameters,
            mean,
            square,
            gradient,
        } = self.portion;
        // Slices of one length are traversed without a check at every number.
        let length = parameters.len();
        let (mean, square, gradient) = (
            &mut mean[..length],
            &mut square[..length],
            &mut gradient[..length],
        );
        for i in 0..length {
            let parameter = parameters[i];
            gradient[i] += self.adam.penalty * parameter;
            let moved = (self.adam).moved(parameter, gradient[i], &mut mean[i], &mut square[i]);
            parameters[i] = moved;
        }
    }
}

/// Coordinates whose new values are written to the buffer that held their gradient.
pub(crate) struct Update<'a> {
    /// Where they are.
    pub(crate) from: &'a [f32],
    /// Their gradient, and then where they go.
    pub(crate) gradient_to_next: &'a mut [f32],
    /// Running average of the gradient.
    pub(crate) mean: &'a mut [f32],
    /// Running average of its square.
    pub(crate) square: &'a mut [f32],
}

impl Update<'_> {
    /// Moves the coordinates against their gradient.
    pub(crate) fn step(self, adam: Adam<f32, true>) {
        wide::run(MoveTo { update: self, adam });
    }
}

struct MoveTo<'a> {
    update: Update<'a>,
    adam: Adam<f32, true>,
}

impl Loop for MoveTo<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Update {
            from,
            gradient_to_next,
            mean,
            square,
        } = self.update;
        let averages = mean.iter_mut().zip(square.iter_mut());
        for ((next, &from), (mean, square)) in gradient_to_next.iter_mut().zip(from).zip(averages) {
            *next = self.adam.moved(from, *next, mean, square);
        }
    }
}
