//! Rows of features for points of the feature space.
//!
//! The projection of a row with coordinates y is μ + Σ yₖ vₖ = Σᵢ cᵢ φ(Dᵢ), where D are the basis rows of a
//! [`KernelMap`](crate::model::KernelMap) and c = A y + w the expansion weights (A its coefficients, w the weights of
//! the mean). A pre-image is a row whose image is as near as possible to that point.

use serde::{Deserialize, Serialize};

/// How a model leads back from coordinates to features. None is known yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Preimage {}
