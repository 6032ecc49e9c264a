//! Activation functions: bias, function and derivative in one pass.

use ndarray::{ArrayView1, ArrayViewMut2};

use crate::linalg::Exponential;
use crate::linalg::wide::{self, Loop};
use crate::params::Choice;

/// Why sums, slopes and biases are slices.
const ROW_ORDER: &str = "values and biases of layers are in row order";

/// Activation function of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Activation {
    /// Hyperbolic tangent.
    Tanh,
    /// Rectified linear unit, max(0, x).
    Relu,
    /// Gaussian error linear unit x Φ(x), Φ the normal distribution function, in the approximation by tanh: a smooth ReLU.
    Gelu,
    /// Identity.
    Linear,
}

impl Activation {
    /// The standard deviation of first weights that keeps the size of signals: Glorot and Bengio 2010 for functions that are
    /// straight at 0, He et al. 2015 for those that lose half of what enters.
    pub(super) fn first_deviation(self, n_inputs: usize, n_outputs: usize) -> f64 {
        match self {
            Self::Tanh | Self::Linear => (2.0 / (n_inputs + n_outputs) as f64).sqrt(),
            Self::Relu | Self::Gelu => (2.0 / n_inputs as f64).sqrt(),
        }
    }

    /// Adds the biases to every row of sums and takes the function; stores its derivatives, if requested.
    pub(super) fn finish<T: Exponential>(
        self,
        mut sums: ArrayViewMut2<'_, T>,
        biases: &ArrayView1<'_, T>,
        slopes: Option<ArrayViewMut2<'_, T>>,
    ) {
        let mut slopes = slopes;
        let slopes = slopes
            .as_mut()
            .map(|slopes| slopes.as_slice_mut().expect(ROW_ORDER));
        let sums = sums.as_slice_mut().expect(ROW_ORDER);
        let biases = biases.as_slice().expect(ROW_ORDER);
        match self {
            Self::Tanh => finish_by::<T, Tangent>(sums, biases, slopes),
            Self::Relu => finish_by::<T, Rectifier>(sums, biases, slopes),
            Self::Gelu => finish_by::<T, SmoothRectifier>(sums, biases, slopes),
            Self::Linear => finish_by::<T, Identity>(sums, biases, None),
        }
    }

    /// True if derivatives are needed for backpropagation.
    pub(super) fn is_nonlinear(self) -> bool {
        self != Self::Linear
    }
}

/// A function and its slope. Methods are inlined, so that the loop around them is compiled for its processor.
trait Nonlinearity {
    fn both<T: Exponential>(sum: T) -> (T, T);
}

struct Tangent;
struct Rectifier;
struct SmoothRectifier;
struct Identity;

impl Nonlinearity for Tangent {
    #[inline(always)]
    fn both<T: Exponential>(sum: T) -> (T, T) {
        let value = sum.smooth_tanh();
        (value, T::of(1.0) - value * value)
    }
}

impl Nonlinearity for Rectifier {
    #[inline(always)]
    fn both<T: Exponential>(sum: T) -> (T, T) {
        let zero = T::of(0.0);
        if sum > zero {
            (sum, T::of(1.0))
        } else {
            (zero, zero)
        }
    }
}

impl Nonlinearity for SmoothRectifier {
    /// Hendrycks and Gimpel 2016: ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))).
    #[inline(always)]
    fn both<T: Exponential>(sum: T) -> (T, T) {
        let (half, one) = (T::of(0.5), T::of(1.0));
        let (root, cubic) = (T::of(0.797_884_560_802_865_4), T::of(0.044_715));
        let square = sum * sum;
        let bent = (root * sum * (one + cubic * square)).smooth_tanh();
        let inner = root * (one + T::of(3.0) * cubic * square);
        let slope = half * (one + bent) + half * sum * (one - bent * bent) * inner;
        (half * sum * (one + bent), slope)
    }
}

impl Nonlinearity for Identity {
    #[inline(always)]
    fn both<T: Exponential>(sum: T) -> (T, T) {
        (sum, T::of(1.0))
    }
}

fn finish_by<T: Exponential, B: Nonlinearity>(
    sums: &mut [T],
    biases: &[T],
    slopes: Option<&mut [T]>,
) {
    wide::run(Finish::<'_, T, B> {
        sums,
        biases,
        slopes,
        bend: std::marker::PhantomData,
    });
}

struct Finish<'a, T, B> {
    sums: &'a mut [T],
    biases: &'a [T],
    slopes: Option<&'a mut [T]>,
    bend: std::marker::PhantomData<B>,
}

impl<T: Exponential, B: Nonlinearity> Loop for Finish<'_, T, B> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let width = self.biases.len().max(1);
        let Some(slopes) = self.slopes else {
            for row in self.sums.chunks_exact_mut(width) {
                for (value, &bias) in row.iter_mut().zip(self.biases) {
                    *value = B::both(*value + bias).0;
                }
            }
            return;
        };
        let rows = self.sums.chunks_exact_mut(width);
        for (row, slopes) in rows.zip(slopes.chunks_exact_mut(width)) {
            for ((value, slope), &bias) in row.iter_mut().zip(slopes).zip(self.biases) {
                (*value, *slope) = B::both(*value + bias);
            }
        }
    }
}

/// Multiplies a gradient by slopes, number by number.
pub(super) fn times_slopes<T: Exponential>(gradient: &mut [T], slopes: &[T]) {
    for (value, &slope) in gradient.iter_mut().zip(slopes) {
        *value *= slope;
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, array};

    use super::*;

    const ALL: [Activation; 4] = [
        Activation::Tanh,
        Activation::Relu,
        Activation::Gelu,
        Activation::Linear,
    ];

    fn value(activation: Activation, x: f64) -> f64 {
        let mut sums = array![[x]];
        activation.finish(sums.view_mut(), &array![0.0].view(), None);
        sums[[0, 0]]
    }

    #[test]
    fn values_are_those_of_the_definitions() {
        for x in [-3.0, -0.5, 0.0, 0.25, 2.0] {
            assert!((value(Activation::Tanh, x) - x.tanh()).abs() < 1e-14);
            assert_eq!(value(Activation::Relu, x), x.max(0.0));
            assert_eq!(value(Activation::Linear, x), x);
        }
        // PyTorch's gelu(approximate="tanh") of 1 and −0.5.
        assert!((value(Activation::Gelu, 1.0) - 0.841_191_990_608_827_2).abs() < 1e-12);
        assert!((value(Activation::Gelu, -0.5) + 0.154_285_990_174_856_64).abs() < 1e-12);
    }

    #[test]
    fn slopes_are_those_of_finite_differences() {
        for activation in ALL {
            for x in [-2.0, -0.3, 0.4, 1.7] {
                let mut sums = array![[x - 1.0]];
                let mut slopes = Array2::ones((1, 1));
                activation.finish(
                    sums.view_mut(),
                    &Array1::ones(1).view(),
                    Some(slopes.view_mut()),
                );
                let step = 1e-5;
                let rise = value(activation, x + step) - value(activation, x - step);
                let apart = slopes[[0, 0]] - rise / (2.0 * step);
                assert!(apart.abs() < 1e-8, "{activation:?} at {x}: {apart}");
            }
        }
    }
}
