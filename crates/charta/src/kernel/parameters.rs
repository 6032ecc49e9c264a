//! The parameters of a kernel.

use super::{KernelSpec, median_gamma};
use crate::data::{Data, Source};
use crate::error::{Error, Result, message};
use crate::params::{Choice, Parameters};
use crate::run::Run;

/// A kernel of two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum KernelKind {
    /// The inner product a·b.
    Linear,
    /// The polynomial kernel, (γ a·b + coef0)^degree.
    Polynomial,
    /// The Gaussian (radial basis function) kernel, exp(−γ ‖a − b‖²).
    Rbf,
    /// The Laplacian kernel, exp(−γ Σ |a − b|).
    Laplacian,
    /// The sigmoid kernel, tanh(γ a·b + coef0): not positive semidefinite in general.
    Sigmoid,
    /// The cosine similarity.
    Cosine,
}

impl KernelKind {
    /// True if it has a parameter γ.
    pub(crate) fn has_gamma(self) -> bool {
        !matches!(self, Self::Linear | Self::Cosine)
    }

    /// True if it falls with the distance of the rows, so that γ is a width.
    pub(crate) fn has_width(self) -> bool {
        matches!(self, Self::Rbf | Self::Laplacian)
    }
}

/// The coefficient γ of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Gamma {
    /// The median heuristic: 1 / median squared distance of pairs of rows for `rbf`, 1 / median Manhattan distance for
    /// `laplacian`; 1 / columns for the others.
    Auto,
    /// 1 / columns.
    Columns,
    /// The best of nine values around `auto` by cross-validation.
    Validated,
    /// This value.
    #[choice(above = 0.0)]
    Value(f64),
}

/// Kernel function and its parameters.
#[derive(Clone, Debug, PartialEq, Parameters)]
#[param(title = "Kernel")]
pub struct Kernel {
    /// Kernel function of two rows: `rbf` suits most data, `linear` gives the linear method, `cosine` suits word counts.
    #[param(default = KernelKind::Rbf)]
    pub kernel: KernelKind,
    /// Coefficient γ of the kernels that have one. Larger values make the kernel narrower: more local detail and more overfitting; usually within a factor of 16 of `auto`.
    #[param(default = Gamma::Auto)]
    pub gamma: Gamma,
    /// Standard deviation σ of the Gaussian kernel `rbf`, in place of γ: γ = 1/(2σ²). Larger values make the kernel wider; usually near the distance of
    /// neighbouring rows.
    #[param(default = None, above = 0.0)]
    pub sigma: Option<f64>,
    /// Degree of the polynomial kernel. Larger values describe more complex structure; usually 2 to 5.
    #[param(default = 3, min = 1, max = 100)]
    pub degree: usize,
    /// Constant added to the inner product in the polynomial and sigmoid kernels. Larger values give more weight to the lower powers; usually 0 or 1.
    #[param(default = 1.0)]
    pub coef0: f64,
}

impl Kernel {
    /// The kernel with its γ found. `Validated` is taken for `Auto`: the method validates.
    pub(crate) fn resolve(&self, run: &Run<'_>, data: &Data<'_>) -> Result<KernelSpec> {
        if let Some(gamma) = self.gamma_of_sigma()? {
            return Ok(self.with_gamma(gamma));
        }
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

    /// γ as σ gives it, if σ is given; fails if it has no meaning beside the other parameters.
    fn gamma_of_sigma(&self) -> Result<Option<f64>> {
        let Some(sigma) = self.sigma else {
            return Ok(None);
        };
        if self.kernel != KernelKind::Rbf {
            return Err(Error::not(
                "sigma",
                message!("only the kernel {'rbf'} has a standard deviation"),
                sigma,
            ));
        }
        // The two defaults of the fronts give way.
        if !matches!(self.gamma, Gamma::Auto | Gamma::Columns) {
            return Err(Error::not(
                "sigma",
                message!("{gamma:parameter} is given too, and both are the width of the kernel"),
                sigma,
            ));
        }
        let gamma = 0.5 / (sigma * sigma);
        if gamma.is_normal() {
            Ok(Some(gamma))
        } else {
            Err(Error::not(
                "sigma",
                message!("1/(2σ²) is not a number that can be computed with"),
                sigma,
            ))
        }
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
