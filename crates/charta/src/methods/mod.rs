//! The registry: every method, one file each. A new one adds its file and two lines here.

pub mod ica;
pub mod incremental_pca;
pub mod nmf;
pub mod pca;
pub mod truncated_svd;
pub mod random_projection;

use crate::error::{Error, Result};
use crate::params::nearest;
use crate::registry::Entry;

/// Every method, by family.
pub static METHODS: &[Entry] = &[
    Entry::of::<pca::Pca>(),
    Entry::of::<incremental_pca::IncrementalPca>(),
    Entry::of::<truncated_svd::TruncatedSvd>(),
    Entry::of::<ica::Ica>(),
    Entry::of::<random_projection::RandomProjection>(),
    Entry::of::<nmf::Nmf>(),
];

/// The method of that name; hyphens and underscores are the same.
pub fn find(name: &str) -> Result<&'static Entry> {
    let wanted = name.replace('-', "_");
    METHODS
        .iter()
        .find(|entry| entry.info.name == wanted)
        .ok_or_else(|| Error::UnknownMethod {
            name: name.into(),
            nearest: nearest(&wanted, METHODS.iter().map(|entry| entry.info.name))
                .map(String::from),
        })
}
