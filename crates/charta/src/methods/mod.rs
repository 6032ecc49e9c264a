//! The registry: every method, one file each. A new one adds its file and two lines here.

pub mod autoencoder;
pub mod cca;
pub mod classical_mds;
pub mod diffusion_maps;
pub mod factor_analysis;
pub mod hessian_lle;
pub mod ica;
pub mod isomap;
pub mod karhunen_loeve;
pub mod kernel_lda;
pub mod kernel_pca;
pub mod kmeans;
pub mod laplacian_eigenmaps;
pub mod lda;
pub mod lle;
pub mod lpp;
pub mod ltsa;
pub mod mds;
pub mod modified_lle;
pub mod nmf;
pub mod npe;
pub mod pacmap;
pub mod parametric_sammon;
pub mod pca;
pub mod pls;
pub mod random_projection;
pub mod sammon;
pub mod sequential_selection;
pub mod som;
pub mod sparse_pca;
pub mod spectral_clustering;
pub mod truncated_svd;
pub mod tsne;
pub mod umap;

use crate::error::{Error, Result};
use crate::params::nearest;
use crate::registry::Entry;

/// Every method, by family.
pub static METHODS: &[Entry] = &[
    Entry::of::<sequential_selection::SequentialSelection>(),
    Entry::of::<pca::Pca>(),
    Entry::of::<pca::incremental::IncrementalPca>(),
    Entry::of::<sparse_pca::SparsePca>(),
    Entry::of::<truncated_svd::TruncatedSvd>(),
    Entry::of::<factor_analysis::FactorAnalysis>(),
    Entry::of::<ica::Ica>(),
    Entry::of::<nmf::Nmf>(),
    Entry::of::<random_projection::RandomProjection>(),
    Entry::of::<karhunen_loeve::KarhunenLoeve>(),
    Entry::of::<lda::Lda>(),
    Entry::of::<pls::Pls>(),
    Entry::of::<cca::Cca>(),
    Entry::of::<lpp::Lpp>(),
    Entry::of::<npe::Npe>(),
    Entry::of::<kernel_pca::KernelPca>(),
    Entry::of::<kernel_lda::KernelLda>(),
    Entry::of::<classical_mds::ClassicalMds>(),
    Entry::of::<mds::Mds>(),
    Entry::of::<sammon::Sammon>(),
    Entry::of::<parametric_sammon::ParametricSammon>(),
    Entry::of::<isomap::Isomap>(),
    Entry::of::<laplacian_eigenmaps::LaplacianEigenmaps>(),
    Entry::of::<diffusion_maps::DiffusionMaps>(),
    Entry::of::<lle::Lle>(),
    Entry::of::<modified_lle::ModifiedLle>(),
    Entry::of::<hessian_lle::HessianLle>(),
    Entry::of::<ltsa::Ltsa>(),
    Entry::of::<pacmap::Pacmap>(),
    Entry::of::<umap::Umap>(),
    Entry::of::<tsne::Tsne>(),
    Entry::of::<som::Som>(),
    Entry::of::<autoencoder::Autoencoder>(),
    Entry::of::<kmeans::KMeans>(),
    Entry::of::<spectral_clustering::SpectralClustering>(),
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
