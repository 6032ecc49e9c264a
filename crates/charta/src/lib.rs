//! Dimensionality reduction: PCA, UMAP, t-SNE and 30 more methods, with measures of the quality of an embedding.
//!
//! A method is a struct of parameters; fitting it to data gives a model.
//!
//! ```
//! use charta::{Fit, Model, Transform, methods::pca::Pca};
//!
//! let data = charta::data::synthetic::swiss_roll(500, 0.1, 0)?;
//! let model = Pca::default().fit(&data)?;
//! let map = model.embedding().unwrap();       // 500 rows, 2 columns
//! let new = model.transform(&data)?;          // out-of-sample: any rows with the same features
//! assert_eq!(map.dim(), new.dim());
//! println!("{:.3}", model.explained_variance_ratio().sum());
//! # Ok::<(), charta::Error>(())
//! ```
//!
//! Methods can be chosen at run time by the registry, [`methods::METHODS`], where
//! parameters are JSON and models are [`pipeline::Fitted`].
//!
//! The same data, parameters and seed give the same bits, for any number of threads. The library does
//! no input or output: progress, warnings and cancelling go through the [`Observer`] of a [`Run`].

// The derives name the crate by its outside name, also within it.
#[allow(unused_extern_crates)]
extern crate self as charta;

pub mod advice;
pub mod alignment;
pub mod cluster;
pub mod data;
pub mod dimension;
pub mod error;
pub mod graph;
pub mod kernel;
mod linalg;
pub mod linear;
mod local;
pub mod method;
pub mod methods;
pub mod metric;
pub mod model;
mod morton;
pub mod neighbors;
mod neural;
mod optimize;
mod parallel;
pub mod params;
pub mod pipeline;
pub mod quality;
pub mod random;
pub mod registry;
pub mod run;
mod special;
mod spectral;
mod stress;

pub use data::{Batches, Data, Features, Labels};
pub use error::{Error, Result, Warning};
pub use method::{Fit, Method};
pub use model::{InverseTransform, Model, Predict, Prediction, RowErrors, Transform, Views};
pub use run::{Event, Observer, Run};

/// Steps of methods which the tests compare one by one with other packages: no part of the interface.
#[doc(hidden)]
pub mod internals {
    pub use crate::graph::shortest_paths::Paths;
    pub use crate::methods::mds::smacof::{Kept, Scaling, Smacof};
    pub use crate::methods::nmf::initialization::InitialFactors;
    pub use crate::methods::nmf::rows::Scaled;
    pub use crate::methods::pacmap::pairs::near;
    pub use crate::methods::umap::curve::Curve;
    pub use crate::methods::umap::fuzzy_graph::{FuzzyGraph, Membership};
    pub use crate::methods::umap::supervision::Target;
    pub use crate::optimize::isotonic::{regress, regress_by};
    pub use crate::stress::dissimilarities::Dissimilarities;
}

/// The README's example, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
