//! The model of a layout: the coordinates of the training rows, the training rows themselves, among which new rows find their neighbours, and what
//! the method's fit adds. UMAP, t-SNE, PaCMAP, the eigenmaps and the LLE family are made of it.

use std::fmt::Debug;

use ndarray::{Array2, ArrayView2, ArrayViewMut1};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Continue, Diagnostics, InverseTransform, Model, TrainingRows, Transform, arrays};
use crate::data::loaded::check_at_least;
use crate::data::{Data, Neighbors};
use crate::error::Result;
use crate::parallel::map_rows;
use crate::run::Run;

/// New rows that one job places.
const BLOCK: usize = 32;

/// What a method adds to a layout: its report, and out-of-sample placement.
pub trait LayoutFit:
    Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync
{
    /// Coordinates of new rows.
    fn transform(layout: &Layout<Self>, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>>;

    /// Every number that the method reports.
    fn diagnostics(layout: &Layout<Self>) -> Diagnostics;

    /// Fails if what was loaded does not fit together. That training rows and coordinates do is known already.
    fn validate(layout: &Layout<Self>) -> Result<()>;

    /// Columns of the data, where these are not those of the training rows kept.
    fn n_columns(&self) -> Option<usize> {
        None
    }

    /// The inverse transform, where there is one.
    fn as_inverse(_layout: &Layout<Self>) -> Option<&dyn InverseTransform> {
        None
    }

    /// The layout, to be optimized further, where the method can.
    fn as_continue(_layout: &Layout<Self>) -> Option<&dyn Continue> {
        None
    }

    /// Names of the coordinates, before they get a number.
    fn component_stem(&self) -> Option<&'static str>;
}

/// A fitted layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "F: LayoutFit")]
pub struct Layout<F> {
    pub(crate) training: TrainingRows,
    /// Coordinates of the training rows; NaN for rows left out.
    #[serde(with = "arrays::matrix")]
    pub(crate) embedding: Array2<f64>,
    pub(crate) fit: F,
}

impl<F: LayoutFit> Layout<F> {
    /// The numbers of coordinates, rows and columns.
    pub(crate) fn sizes(&self) -> Diagnostics {
        Diagnostics::new()
            .count("n_components", self.embedding.ncols())
            .count("n_rows", self.embedding.nrows())
            .count("n_columns", self.n_columns())
    }

    /// The `count` training rows nearest to each row of `data`.
    pub(crate) fn nearest(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        count: usize,
    ) -> Result<Neighbors> {
        let n_rows = self.embedding.nrows();
        self.training.nearest(run, data, n_rows, count)
    }

    /// Coordinates of new rows, each of which `embed` writes by the row's nearest training rows and their distances.
    pub(crate) fn by_neighbors(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        n_neighbors: usize,
        embed: impl Fn(&[u32], &[f64], ArrayViewMut1<'_, f64>) + Sync,
    ) -> Result<Array2<f64>> {
        let found = self.nearest(run, data, n_neighbors)?;
        let shape = (found.n_rows(), self.embedding.ncols());
        map_rows(run, shape, BLOCK, |row, target| {
            let (neighbors, distances) = found.row(row);
            embed(neighbors, distances, target);
        })
    }
}

impl<F: LayoutFit> Transform for Layout<F> {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        F::transform(self, run, data)
    }
}

impl<F: LayoutFit> Model for Layout<F> {
    fn n_components(&self) -> usize {
        self.embedding.ncols()
    }

    /// Rows without features are known by their distances to all rows.
    fn n_columns(&self) -> usize {
        let kept = || self.training.n_columns();
        let columns = self.fit.n_columns().or_else(kept);
        columns.unwrap_or(self.embedding.nrows())
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        Some(self.embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        F::diagnostics(self)
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        F::as_inverse(self)
    }

    fn as_continue(&self) -> Option<&dyn Continue> {
        F::as_continue(self)
    }

    fn component_stem(&self) -> Option<&'static str> {
        self.fit.component_stem()
    }

    fn validate(&self) -> Result<()> {
        let Self {
            training,
            embedding,
            fit: _,
        } = self;
        check_at_least("the columns of the embedding", embedding.ncols(), 1)?;
        training.validate(embedding.nrows())?;
        training.check_coordinates(embedding)?;
        F::validate(self)
    }
}
