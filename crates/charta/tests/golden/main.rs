//! Every method against numbers of packages we did not write: see the README beside this file.

mod cca;
mod dimension;
mod factor_analysis;
mod ica;
mod lda;
mod nearest;
mod nmf;
mod pca;
mod pls;
mod quality;
mod sparse_pca;
mod support;
mod truncated_svd;
