//! Every method against numbers of packages we did not write: see the README beside this file.

mod lda;
mod cca;
mod pca;
mod pls;
mod support;
mod truncated_svd;
