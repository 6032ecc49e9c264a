//! Models: the result of a fit, with its embedding, out-of-sample transform and diagnostics.

mod barycentric;
mod diagnostics;
mod eigenmap;
pub mod file;
mod graph_report;
mod kernel_map;
pub(crate) mod layout;
pub(crate) mod linear;
mod linearized;
pub(crate) mod message_pack;
pub mod picture;
pub(crate) mod predict;
pub(crate) mod sampling;
mod training_rows;

use std::any::Any;
use std::fmt::Debug;

use ndarray::{Array1, Array2, ArrayView2};
use serde::Serialize;

pub use barycentric::LleModel;
pub(crate) use barycentric::Mixing;
pub use diagnostics::{Diagnostics, Figure};
pub use eigenmap::EigenmapModel;
pub(crate) use eigenmap::{EigenmapFit, Extension};
pub use graph_report::GraphReport;
pub use kernel_map::{KernelMap, KernelReport};
pub use layout::{Layout, LayoutFit};
pub use linear::{Decode, Linear, Report};
pub use linearized::{LinearizedModel, LinearizedReport};
pub use picture::Picture;
pub(crate) use predict::DECIDED_AT_ONCE;
pub use predict::{Mark, Predict, Prediction, Views};
pub use sampling::Sample;
pub(crate) use training_rows::TrainingRows;

use crate::data::Data;
pub(crate) use crate::data::arrays;
use crate::error::{Error, Result, message};
use crate::run::Run;

/// Embeds new rows (out-of-sample).
pub trait Transform: Send + Sync {
    /// Coordinates of the rows of `data`.
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>>;

    /// Coordinates of the rows of `data`, on all cores.
    fn transform<'a>(&self, data: impl Into<Data<'a>>) -> Result<Array2<f64>>
    where
        Self: Sized,
    {
        self.transform_in(&Run::new(), &data.into())
    }
}

/// Leads from coordinates back to features.
pub trait InverseTransform: Send + Sync {
    /// Features of the rows whose coordinates are given.
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>>;

    /// Features of the rows whose coordinates are given, on all cores.
    fn inverse_transform(&self, embedding: &ArrayView2<'_, f64>) -> Result<Array2<f64>>
    where
        Self: Sized,
    {
        self.inverse_transform_in(&Run::new(), embedding)
    }
}

/// Reconstruction errors of rows: novelty scores.
pub trait RowErrors: Send + Sync {
    /// The squared distance of every row from what the coordinates keep of it, in the space where the method is linear.
    fn row_errors_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>>;

    /// The squared distance of every row from what the coordinates keep of it, on all cores.
    fn row_errors<'a>(&self, data: impl Into<Data<'a>>) -> Result<Array1<f64>>
    where
        Self: Sized,
    {
        self.row_errors_in(&Run::new(), &data.into())
    }
}

/// Log-likelihood of rows under the model's distribution.
pub trait LogLikelihood: Send + Sync {
    /// The logarithm of the density at every row.
    fn log_likelihoods_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>>;
}

/// What a layout that is taken up again is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct More {
    /// Further steps.
    pub iterations: usize,
    /// What affinities are multiplied by; as in the last steps of the fit if none is given.
    pub exaggeration: Option<f64>,
}

impl More {
    /// This many further steps, as the last ones.
    pub fn iterations(iterations: usize) -> Self {
        Self {
            iterations,
            exaggeration: None,
        }
    }
}

/// Improves a layout further than its fit did.
pub trait Continue: Send + Sync {
    /// The model after further steps from where this one ended.
    fn continue_in(&self, run: &Run<'_>, more: &More) -> Result<Box<dyn ErasedModel>>;
}

/// A fitted method.
pub trait Model: Transform + Debug + Send + Sync {
    /// Number of coordinates.
    fn n_components(&self) -> usize;

    /// Number of columns it was fitted on.
    fn n_columns(&self) -> usize;

    /// Coordinates of the training rows. `None` for a model fitted from batches, and for a loaded
    /// one that does not need them to embed new rows.
    fn embedding(&self) -> Option<ArrayView2<'_, f64>>;

    /// Every number the method can report.
    fn diagnostics(&self) -> Diagnostics;

    /// The inverse transform, if the model has one.
    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        None
    }

    /// Reconstructed rows: transform and inverse transform.
    fn denoise_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let Some(inverse) = self.as_inverse() else {
            return Err(Error::unsupported(
                message!("the model"),
                message!("has no inverse transform"),
            ));
        };
        let transformed = self.transform_in(run, data)?;
        inverse.inverse_transform_in(run, &transformed.view())
    }

    /// The layout, to be improved further, where the method can.
    fn as_continue(&self) -> Option<&dyn Continue> {
        None
    }

    /// Reconstruction errors of rows, if the model has them.
    fn as_row_errors(&self) -> Option<&dyn RowErrors> {
        None
    }

    /// How likely rows are, where the method assumes a distribution.
    fn as_log_likelihood(&self) -> Option<&dyn LogLikelihood> {
        None
    }

    /// Rows of the model's distribution, where the method assumes one.
    fn as_sample(&self) -> Option<&dyn Sample> {
        None
    }

    /// Directions in feature space, one a row, for methods that have them: drawn as
    /// images when the rows are images.
    fn axes(&self) -> Option<Array2<f64>> {
        None
    }

    /// Loadings: the weight of each feature in each coordinate, a row for each coordinate: drawn as arrows and as
    /// a table.
    fn feature_loadings(&self) -> Option<Array2<f64>> {
        None
    }

    /// Pictures of the model besides its map, in the order in which the method lists them.
    fn pictures(&self) -> Vec<Picture> {
        Vec::new()
    }

    /// Named points among the coordinates, such as the means of classes.
    fn marks(&self) -> Vec<Mark> {
        Vec::new()
    }

    /// Classes or numbers for new rows, where the method learned them.
    fn as_predict(&self) -> Option<&dyn Predict> {
        None
    }

    /// The cluster of every row of the fit, counted from 0, for methods that find clusters; `None` for a row that was left out.
    fn clusters(&self) -> Option<Vec<Option<u32>>> {
        None
    }

    /// The views by themselves, for a model of several.
    fn as_views(&self) -> Option<&dyn Views> {
        None
    }

    /// Fails if anything in a model that was read from a file is not what a fit could have stored: sizes that do not agree, an
    /// index that leads nowhere, a number out of its range. Called for every model that is loaded, before it is used.
    fn validate(&self) -> Result<()>;

    /// Names of the coordinates, before they get a number.
    fn component_stem(&self) -> Option<&'static str> {
        None
    }

    /// Full names of the coordinates, where a stem and a number would not do.
    fn component_names(&self) -> Option<Vec<String>> {
        None
    }
}

/// A model whose type is erased.
pub trait ErasedModel: Model {
    /// The model's part of a model file.
    fn body(&self) -> Result<Vec<u8>>;

    /// The model, to be downcast to its type.
    fn as_any(&self) -> &dyn Any;
}

impl<M: Model + Serialize + 'static> ErasedModel for M {
    fn body(&self) -> Result<Vec<u8>> {
        rmp_serde::to_vec_named(self).map_err(|error| Error::ModelFile {
            problem: format!("cannot be written: {error}"),
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Checks that an embedding given to the inverse transform has as many columns as the model has coordinates, and that there is
/// room for the features.
pub(crate) fn check_embedding(
    run: &Run<'_>,
    embedding: &ArrayView2<'_, f64>,
    model: &impl Model,
) -> Result<()> {
    if embedding.ncols() != model.n_components() {
        return Err(Error::shape(
            message!("number of coordinates of each {:row} to be inverse transformed"),
            model.n_components(),
            embedding.ncols(),
        ));
    }
    // Sparse rows may have far more columns than anything stored.
    let values = (embedding.nrows() as u64).saturating_mul(model.n_columns() as u64);
    let needed = values.saturating_mul(8);
    match run.memory() {
        Some(limit) if needed > limit => Err(Error::Memory {
            needed,
            limit,
            advice: message!("lead fewer {:rows} back at a time"),
        }),
        _ => Data::new(embedding.view()).check_finite(),
    }
}
