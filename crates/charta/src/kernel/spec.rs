//! A kernel with all its numbers, and the loops that make kernels of products and distances.

use serde::{Deserialize, Serialize};

use super::{Kernel, KernelKind};
use crate::data::loaded::{check_parameter, check_positive};
use crate::error::Result;
use crate::linalg::wide::{self, Loop};
use crate::linalg::{Exponential, Real};
use crate::metric::Metric;

/// A kernel with all its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelSpec {
    /// Which kernel.
    pub kind: KernelKind,
    /// Its factor γ.
    pub gamma: f64,
    /// Its power.
    pub degree: usize,
    /// What is added to the inner product.
    pub coef0: f64,
}

impl KernelSpec {
    /// Fails if a number that was loaded is not one that a fit could have.
    pub(crate) fn validate(&self) -> Result<()> {
        let Self {
            kind: _,
            gamma,
            degree,
            coef0,
        } = self;
        check_positive("the kernel's gamma", [gamma])?;
        check_parameter::<Kernel>("degree", degree)?;
        check_parameter::<Kernel>("coef0", coef0)
    }

    /// The kernel of two rows, by its formula.
    ///
    /// ```
    /// use charta::kernel::{Kernel, KernelKind};
    /// let kernel = Kernel { kernel: KernelKind::Polynomial, degree: 2, ..Kernel::default() };
    /// assert_eq!(kernel.with_gamma(0.5).between(&[1.0, 2.0], &[3.0, 4.0]), 42.25);
    /// ```
    pub fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let product = || a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        match self.kind {
            KernelKind::Rbf => {
                let square: f64 = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum();
                (-self.gamma * square).exp()
            }
            KernelKind::Laplacian => (-self.gamma * Metric::Manhattan.between(a, b, 1.0)).exp(),
            KernelKind::Cosine => {
                let length = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
                let (own, other) = (length(a), length(b));
                if own > 0.0 && other > 0.0 {
                    product() / own / other
                } else {
                    0.0
                }
            }
            _ => self.of_product(product()),
        }
    }

    /// True if no rows can give its matrix a negative eigenvalue.
    pub(crate) fn is_semidefinite(&self) -> bool {
        match self.kind {
            KernelKind::Sigmoid => false,
            KernelKind::Polynomial => self.coef0 >= 0.0,
            _ => true,
        }
    }

    /// The kernel of a row with itself, by its squared length.
    pub fn own(&self, square: f64) -> f64 {
        match self.kind {
            KernelKind::Rbf | KernelKind::Laplacian => 1.0,
            KernelKind::Cosine => f64::from(u8::from(square > 0.0)),
            _ => self.of_product(square),
        }
    }

    fn of_product(&self, product: f64) -> f64 {
        match self.kind {
            KernelKind::Polynomial => (self.gamma * product + self.coef0).powi(self.degree as i32),
            KernelKind::Sigmoid => (self.gamma * product + self.coef0).tanh(),
            _ => product,
        }
    }

    /// Makes kernels of a line of inner products of a row with others; of squared distances for `rbf`, of sums of
    /// differences for `laplacian`. `own` and `others` are the lengths of the row and the others, for the cosine.
    pub(super) fn finish<T: Exponential>(&self, line: &mut [T], own: T, others: &[T]) {
        wide::run(Finish {
            spec: self,
            line,
            own,
            others,
        });
    }
}

struct Finish<'a, T> {
    spec: &'a KernelSpec,
    line: &'a mut [T],
    own: T,
    others: &'a [T],
}

impl<T: Exponential> Loop for Finish<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let (gamma, added) = (T::of(self.spec.gamma), T::of(self.spec.coef0));
        let one = T::of(1.0);
        match self.spec.kind {
            KernelKind::Linear => {}
            KernelKind::Rbf | KernelKind::Laplacian => {
                for value in self.line {
                    *value = (gamma * *value).decay();
                }
            }
            KernelKind::Sigmoid => {
                for value in self.line {
                    *value = wide::step::<T, FUSED>(gamma, *value, added).smooth_tanh();
                }
            }
            KernelKind::Polynomial => {
                let degree = self.spec.degree as i32;
                for value in self.line {
                    let base = wide::step::<T, FUSED>(gamma, *value, added);
                    *value = num_traits::Float::powi(base, degree);
                }
            }
            KernelKind::Cosine => {
                let (own, others) = (self.own, self.others);
                for (value, &other) in self.line.iter_mut().zip(others) {
                    // The product of two short lengths may vanish.
                    let cosine = *value / own / other;
                    let cosine = if cosine > one { one } else { cosine };
                    let cosine = if cosine < -one { -one } else { cosine };
                    *value = if own > T::of(0.0) && other > T::of(0.0) {
                        cosine
                    } else {
                        T::of(0.0)
                    };
                }
            }
        }
    }
}

/// Squared distances from inner products; true if terms cancelled anywhere in the line.
pub(super) struct Apart<'a, T> {
    /// Inner products, which become squared distances.
    pub(super) line: &'a mut [T],
    /// The squared length of the row.
    pub(super) own: T,
    /// The squared lengths of the others.
    pub(super) others: &'a [T],
    /// A squared distance below this fraction of the squared lengths has cancelled.
    pub(super) cancelled: T,
}

impl<T: Real> Loop for Apart<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> bool {
        let (zero, two) = (T::of(0.0), T::of(-2.0));
        let mut least = T::of(1.0);
        for (value, &other) in self.line.iter_mut().zip(self.others) {
            let both = self.own + other;
            let square = wide::step::<T, FUSED>(two, *value, both);
            let margin = square - self.cancelled * both;
            least = if margin < least { margin } else { least };
            *value = if square > zero { square } else { zero };
        }
        least <= zero
    }
}
