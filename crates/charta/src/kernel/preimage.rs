//! Pre-images: rows of features for points of the feature space.
//!
//! The projection of a row with coordinates y is μ + Σ yₖ vₖ = Σᵢ cᵢ φ(Dᵢ), where D are the basis rows of a
//! [`KernelMap`](crate::model::KernelMap) and c = A y + w the expansion weights (A its coefficients, w the weights of
//! the mean). A pre-image is a row whose image is as near as possible to that point.
//!
//! | way | what it does |
//! |---|---|
//! | fixed point | iterates from a start until the row is the weighted mean of the basis rows, with weights that depend on it (Mika et al. 1999) |
//! | ridge | learns features from coordinates by ridge regression with the same kernel between coordinates (Bakır et al. 2004) |

mod fixed_point;
mod ridge;

use ndarray::{Array2, ArrayView2, s};
use serde::{Deserialize, Serialize};

pub(crate) use fixed_point::{FixedPoint, PreimageProblem};
pub(crate) use ridge::ridge;

use super::{KernelKind, KernelRows};
use crate::data::Features;
use crate::data::loaded::{check_parameter, unfit};
use crate::error::{Error, Message, Result, message};
use crate::linalg::product::add_product;
use crate::parallel::blocks;
use crate::params::{Choice, Parameters};

/// Basis rows that are widened at a time, and the bytes that they may take.
const PANEL: usize = 512;
const PANEL_BYTES: usize = 32 << 20;

/// Basis rows with so many columns that are widened at a time.
fn panel(n_columns: usize) -> usize {
    (PANEL_BYTES / n_columns.saturating_mul(8).max(1)).clamp(1, PANEL)
}

/// Computation of pre-images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum PreimageRule {
    /// `fixed_point` for rbf, polynomial, sigmoid and linear kernels, `ridge` for others; `none` for a given kernel matrix
    /// or function.
    Auto,
    /// The row whose image is nearest, found by a fixed-point iteration.
    FixedPoint,
    /// Ridge regression of the features on the coordinates, with the same kernel between coordinates.
    Ridge,
    /// No inverse transform.
    None,
}

/// The inverse transform from the feature space of a kernel.
#[derive(Clone, Debug, PartialEq, Parameters)]
#[param(title = "Pre-images")]
pub struct PreimageOptions {
    /// How the inverse transform finds pre-images: rows whose images in the feature space are nearest to the projections.
    #[param(default = PreimageRule::Auto)]
    pub pre_image: PreimageRule,
    /// Ridge penalty of the pre-image `ridge`. Larger values give smoother, less exact pre-images; usually 0.001 to 10.
    #[param(default = 1.0, above = 0.0)]
    pub alpha: f64,
}

/// How a model finds pre-images.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Preimage {
    /// By a fixed-point iteration.
    FixedPoint,
    /// By ridge regression.
    Ridge {
        /// What is added to the diagonal.
        alpha: f64,
    },
}

impl Preimage {
    /// Fails if what was loaded does not fit to these basis rows.
    pub(crate) fn validate(&self, rows: &KernelRows) -> Result<()> {
        let plain = rows.features().is_some() && !rows.by_function();
        match self {
            _ if !plain => Err(unfit(
                "the pre-images",
                "none without features",
                self.name(),
            )),
            Self::FixedPoint if !climbs(rows.spec().kind) => Err(unfit(
                "the pre-images",
                "ridge for this kernel",
                self.name(),
            )),
            Self::FixedPoint => Ok(()),
            Self::Ridge { alpha } => check_parameter::<PreimageOptions>("alpha", alpha),
        }
    }

    /// The way's name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::FixedPoint => "fixed_point",
            Self::Ridge { .. } => "ridge",
        }
    }
}

impl PreimageOptions {
    /// How pre-images are found with these basis rows, if there is a way.
    pub(crate) fn choose(&self, rows: &KernelRows) -> Result<Option<Preimage>> {
        let alpha = self.alpha;
        let climbs = climbs(rows.spec().kind);
        let plain = rows.features().is_some() && !rows.by_function();
        let refuse = |values: &[&'static str], because: Message| {
            Err(Error::one_of("pre_image", values, because, self.pre_image))
        };
        match self.pre_image {
            PreimageRule::None => Ok(None),
            PreimageRule::Auto if !plain => Ok(None),
            PreimageRule::Auto if climbs => Ok(Some(Preimage::FixedPoint)),
            PreimageRule::Auto => Ok(Some(Preimage::Ridge { alpha })),
            _ if !plain => refuse(
                &["none", "auto"],
                message!(
                    "the model was fitted to a kernel matrix or a kernel function, not to features"
                ),
            ),
            PreimageRule::FixedPoint if !climbs => refuse(
                &["ridge", "auto", "none"],
                message!("the laplacian and cosine kernels have no fixed-point equation"),
            ),
            PreimageRule::FixedPoint => Ok(Some(Preimage::FixedPoint)),
            PreimageRule::Ridge => Ok(Some(Preimage::Ridge { alpha })),
        }
    }
}

/// True if the kernel has a fixed-point equation.
fn climbs(kind: KernelKind) -> bool {
    !matches!(kind, KernelKind::Laplacian | KernelKind::Cosine)
}

/// `weights` · `rows`, panel by panel, in one thread.
fn mixed(weights: &ArrayView2<'_, f64>, rows: &Features<'_>) -> Array2<f64> {
    let mut result = Array2::zeros((weights.nrows(), rows.n_columns()));
    for panel in blocks(rows.n_rows(), panel(rows.n_columns())) {
        let part = rows.dense_rows(panel.start, panel.end);
        add_product(
            result.view_mut(),
            &weights.slice(s![.., panel]),
            &part.view(),
        );
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_are_bounded_by_bytes() {
        assert_eq!(panel(784), 512);
        assert_eq!(panel(100_000), 41);
        assert_eq!(panel(usize::MAX), 1);
        assert_eq!(panel(0), 512);
    }
}
