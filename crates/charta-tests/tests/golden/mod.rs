//! Every method against numbers of packages we did not write: see `golden/README.md` of this package.

mod cca;
mod classical_mds;
mod cluster;
mod dimension;
mod eigenmaps;
mod factor_analysis;
mod ica;
mod isomap;
mod kernel_lda;
mod kernel_pca;
mod lda;
mod lle;
mod nearest;
mod nmf;
mod pca;
mod pls;
mod preserving;
mod quality;
mod sammon;
mod scaling;
mod sparse_pca;
mod truncated_svd;
