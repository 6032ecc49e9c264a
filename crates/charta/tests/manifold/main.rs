//! Manifold methods on surfaces whose true coordinates are known, and at the edges of what they can do.

mod isomap;
