//! Every method against numbers of packages we did not write: see the README beside this file.

mod pca;
mod support;
mod truncated_svd;
