//! Scaling: maps from distances.

mod classical;
mod europe;
