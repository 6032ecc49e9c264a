//! Number of components by rules on the eigenvalues, intrinsic dimension, and curvature.

mod angles;
mod component_count;
mod intrinsic;
mod johnson_lindenstrauss;
mod parallel;
mod report;
mod residual;
mod scree;
mod spectrum;
mod verdict;

pub use angles::{AngleOptions, AngleSums, Curvature, Triangle};
pub use component_count::ComponentCount;
pub use intrinsic::{
    Intrinsic, IntrinsicDimension, IntrinsicOptions, Likelihood, correlation_dimension,
    fukunaga_olsen, local_principal, maximum_likelihood, participation_ratio, two_nn,
};
pub use johnson_lindenstrauss::{
    johnson_lindenstrauss_dimension, johnson_lindenstrauss_distortion,
};
pub use parallel::{Comparison, ParallelAnalysis, Thresholds};
pub use report::{Estimate, Report};
pub use residual::residual_elbow;
pub use scree::{Recommendation, Rejected, Scree, ScreeOptions, Suggestion};
pub use spectrum::{elbow, minka, minka_evidence, proportion};
pub use verdict::{Scale, Verdict};

use crate::params::Choice;

/// How many components to keep.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Components {
    /// Exactly this number.
    #[choice(min = 1)]
    Count(usize),
    /// The fewest that explain more than this proportion of the variance.
    #[choice(above = 0.0, below = 1.0)]
    Proportion(f64),
    /// Those before the elbow of the scree plot.
    Elbow,
    /// Those whose variance exceeds that of random data (Horn's parallel analysis).
    Parallel,
    /// The number with the largest Bayesian evidence (Minka's MLE).
    Mle,
}
