//! t-SNE: affinities among neighbours, and a map whose own affinities are as much like them as can be.

mod affinities;
mod attraction;
mod descent;
mod divergence;
mod perplexity;
mod repulsion;
mod start;
mod still;
mod ties;

pub use affinities::{Affinities, Affinity};
pub use descent::{Descended, Descent, MOST_COMPONENTS, Phase};
pub use divergence::Divergence;
pub use repulsion::Gradient;
pub use start::Start;
pub use still::{N_NEIGHBORS, PERPLEXITY, Still};
pub use ties::{Tied, Ties};
