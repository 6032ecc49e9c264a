//! All tests of the library from outside, in one program: `cargo test -p charta-tests umap::`.

mod advice;
mod autoencoder;
mod contract;
mod discriminant;
mod golden;
mod kernel;
mod linear_algebra;
mod manifold;
mod multiview;
mod neighbors;
mod pacmap;
mod parametric_sammon;
mod pca;
mod random_projection;
mod scaling;
mod sequential_selection;
mod som;
mod support;
mod tsne;
mod umap;
