//! Manifold methods on surfaces whose true coordinates are known, on held-out rows, and at the edges of what they can do.

mod edges;
mod isomap;
mod laplacian;
mod lle;
mod measured;
mod repeated;
mod warnings;
