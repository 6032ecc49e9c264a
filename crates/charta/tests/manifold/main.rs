//! Manifold methods: maps that are known, data that is nasty, rows held out.

mod laplacian;
mod lle;
