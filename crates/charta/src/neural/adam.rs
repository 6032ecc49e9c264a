//! The steps of Adam, for part of the numbers learned.
//!
//! Kingma and Ba, "Adam: a method for stochastic optimization", 2015; the decay apart from the gradient, Loshchilov and Hutter,
//! "Decoupled weight decay regularization", 2019.

use crate::linalg::Real;
use crate::linalg::wide::{self, Loop};

/// Adam's averages forget by these factors a step; the last keeps divisors away from 0.
const FORGET: (f64, f64) = (0.9, 0.999);
const SMALL: f64 = 1e-8;

/// The factors of one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stride<T> {
    rate: T,
    /// What the average of squares is multiplied with.
    root: T,
    /// What is left of a number after its decay.
    kept: T,
    /// How much of a number is added to its gradient.
    pull: T,
}

impl<T: Real> Stride<T> {
    /// Step number `n_steps`, counted from 1, of length `rate`.
    pub(super) fn new(rate: f64, n_steps: i32) -> Self {
        let unbiased = |forget: f64| 1.0 / (1.0 - forget.powi(n_steps));
        Self {
            rate: T::of(rate * unbiased(FORGET.0)),
            root: T::of(unbiased(FORGET.1)),
            kept: T::of(1.0),
            pull: T::of(0.0),
        }
    }

    /// The same, for numbers of which a share is taken away.
    pub(super) fn decaying(self, share: f64) -> Self {
        let kept = T::of(1.0 - share);
        Self { kept, ..self }
    }

    /// The same, for numbers whose squares are part of the loss: so much of each is added to its gradient.
    pub(super) fn pulling(self, share: f64) -> Self {
        let pull = T::of(share);
        Self { pull, ..self }
    }
}

/// Some of the numbers learned, with their averages and their gradient.
#[derive(Debug)]
pub(super) struct Portion<'a, T> {
    pub(super) numbers: &'a mut [T],
    /// Averages of the gradient and of its squares.
    pub(super) mean: &'a mut [T],
    pub(super) square: &'a mut [T],
    pub(super) gradient: &'a mut [T],
}

impl<T: Real> Portion<'_, T> {
    /// Moves the numbers against their gradient.
    pub(super) fn go(self, stride: Stride<T>) {
        wide::run(Move {
            portion: self,
            stride,
        });
    }
}

struct Move<'a, T> {
    portion: Portion<'a, T>,
    stride: Stride<T>,
}

impl<T: Real> Loop for Move<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let stride = self.stride;
        let Portion {
            numbers,
            mean,
            square,
            gradient,
        } = self.portion;
        let (fast, slow) = (T::of(FORGET.0), T::of(FORGET.1));
        let (new_fast, new_slow) = (T::of(1.0 - FORGET.0), T::of(1.0 - FORGET.1));
        let small = T::of(SMALL);
        // Slices of one length are walked through without a check at every number.
        let length = numbers.len();
        let (mean, square, gradient) = (
            &mut mean[..length],
            &mut square[..length],
            &mut gradient[..length],
        );
        for place in 0..length {
            let number = numbers[place];
            let g = gradient[place] + stride.pull * number;
            gradient[place] = g;
            let m = fast * mean[place] + new_fast * g;
            let s = slow * square[place] + new_slow * g * g;
            mean[place] = m;
            square[place] = s;
            let size = num_traits::Float::sqrt(s * stride.root) + small;
            numbers[place] = number * stride.kept - stride.rate * m / size;
        }
    }
}
