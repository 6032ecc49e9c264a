//! Manifold methods on surfaces whose true coordinates are known, on rows held out, and at the edges of what they can do.

mod isomap;
mod laplacian;
mod lle;
mod repeated;
mod told;
