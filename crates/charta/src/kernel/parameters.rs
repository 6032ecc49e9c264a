//! Which kernel compares the rows: the parameters.

use super::{KernelSpec, median_gamma};
use crate::data::{Data, Source};
use crate::error::Result;
use crate::params::{Choice, Parameters};
use crate::run::Run;

/// A kernel of two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum KernelKind {
    /// The inner product.
    Linear,
    /// A power of the inner product: (γ a·b + coef0)^degree.
    Polynomial,
    /// The Gaussian, exp(−γ ‖a − b‖²).
    Rbf,
    /// The exponential of the sum of the differences, exp(−γ Σ |a − b|).
    Laplacian,
    /// The hyperbolic tangent, tanh(γ a·b + coef0): not positive semidefinite in general.
    Sigmoid,
    /// The cosine of the angle between the rows.
    Cosine,
}

impl KernelKind {
    /// True if γ means something to it.
    pub fn has_gamma(self) -> bool {
        !matches!(self, Self::Linear | Self::Cosine)
    }

    /// True if it falls with the distance of the rows, so that γ is a width.
    pub fn has_width(self) -> bool {
        matches!(self, Self::Rbf | Self::Laplacian)
    }
}

/// How γ is found.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Gamma {
    /// For `rbf` 1 / median of the squared distances, for `laplacian` 1 / median of the sums of differences, over pairs
    /// of rows; 1 / columns for the others.
    Auto,
    /// 1 / columns.
    Columns,
    /// The best of several around `auto`, judged by rows held out.
    Validated,
    /// This number.
    #[choice(above = 0.0)]
    Value(f64),
}

/// How rows are compared by a kernel.
#[derive(Clone, Debug, PartialEq, Parameters)]
#[param(title = "Kernel")]
pub struct Kernel {
    /// The kernel of two rows.
    #[param(default = KernelKind::Rbf)]
    pub kernel: KernelKind,
    /// The factor γ of the kernels that have one: the larger, the narrower the kernel.
    #[param(default = Gamma::Auto)]
    pub gamma: Gamma,
    /// The power of the polynomial kernel.
    #[param(default = 3, min = 1, max = 100)]
    pub degree: usize,
    /// What the polynomial and sigmoid kernels add to the inner product.
    #[param(default = 1.0)]
    pub coef0: f64,
}

impl Kernel {
    /// The kernel with its γ found. `Validated` is taken for `Auto`: the method validates.
    pub fn resolve(&self, run: &Run<'_>, data: &Data<'_>) -> Result<KernelSpec> {
        let columns = 1.0 / data.n_columns().max(1) as f64;
        let by_features = matches!(data.source(), Source::Features(_));
        let gamma = match self.gamma {
            Gamma::Value(gamma) => gamma,
            Gamma::Columns => columns,
            _ if !by_features || data.kernel_function().is_some() => columns,
            Gamma::Auto | Gamma::Validated if self.kernel.has_width() => {
                median_gamma(run, data, self.kernel)?
            }
            Gamma::Auto | Gamma::Validated => columns,
        };
        Ok(self.with_gamma(gamma))
    }

    /// The kernel with this γ.
    pub fn with_gamma(&self, gamma: f64) -> KernelSpec {
        KernelSpec {
            kind: self.kernel,
            gamma,
            degree: self.degree,
            coef0: self.coef0,
        }
    }
}
