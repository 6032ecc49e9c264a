//! Local tangent space alignment (LTSA): aligns the local tangent spaces of all neighbourhoods into global coordinates.
//!
//! # Idea
//! Around every row the neighbours lie close to a plane, the tangent. Within one neighbourhood, global coordinates differ from coordinates on the tangent
//! space by a linear map only. The residual of the best linear map is the error, and the coordinates minimize it.
//!
//! # Steps
//! 1. [`graph::Neighborhood`](crate::graph::Neighborhood): the connected neighbour graph.
//! 2. `local::tangents`: the directions in which they vary most about their mean.
//! 3. `local::alignment`: the sum of the residuals of linear functions on them.
//! 4. `spectral::bottom`: its smallest eigenvectors besides the constant.
//! 5. [`model::LleModel`](crate::model::LleModel): new rows.
//!
//! # Objective
//! With U the `n_components` leading left singular vectors of a row's k centred neighbours and G = [1/√k, U], coordinates
//! minimize Σ ‖(I − G Gᵀ) Y_i‖² under YᵀY = I and 1ᵀY = 0, where Y_i are the coordinates of the neighbours of row i.
//!
//! # Cost
//! With n rows, d columns and k neighbours: the search, then n k min(k, d)² + n k² d for the tangents, and the eigenvectors of a
//! matrix with up to n k² entries, whose factor has about 150 numbers a row on a surface.
//!
//! # Choosing parameters
//! `n_components` should be the intrinsic dimension, because the tangents have that many directions. `n_neighbors` must be
//! at least two more, or everything is linear along them; two to six times is usual. Noise requires more neighbours, curvature fewer.
//!
//! # New points
//! The `n_neighbors` nearest training rows have a tangent; the new row's projection on it gives its coordinates by the linear map that fits theirs best. A
//! training row gets its own coordinates. A model fitted to distances has no out-of-sample placement.
//!
//! # Differences
//! As in scikit-learn and unlike the paper, a row is not among its own neighbours, unless it is in no other neighbourhood: otherwise its row of the matrix
//! would be zero, as in scikit-learn. Coordinates have length 1 as columns. New rows
//! follow the tangent; scikit-learn embeds them by weights as in LLE. A neighbourhood that varies in fewer than `n_components` directions has a tangent space
//! of lower dimension, with a warning.
//! Duplicate rows are left out of the fit and get the coordinates of the row they repeat, with a warning; a given table of neighbours is used unchanged.
//!
//! # References
//! Zhang and Zha, "Principal manifolds and nonlinear dimensionality reduction via tangent space alignment", 2004.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::ltsa::Ltsa};
//! let data = charta::data::synthetic::swiss_roll(500, 0.0, 0)?;
//! let model = Ltsa::default().fit(&data.features)?;
//! assert_eq!(model.embedding().unwrap().dim(), (500, 2));
//! # Ok::<(), charta::Error>(())
//! ```

use crate::data::Data;
use crate::error::Result;
use crate::graph::{EmbeddedGraph, Neighborhood};
use crate::local::Points;
use crate::local::alignment::Alignment;
use crate::local::tangents::Flat;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::model::{LleModel, Mixing};
use crate::params::Parameters;
use crate::run::Run;
use crate::spectral::bottom::bottom;

/// Parameters of local tangent space alignment.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Ltsa {
    /// Number of dimensions of the embedding: the intrinsic dimension of the data. More need more neighbours, at least two more than this.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Neighbourhood graph.
    #[param(flatten, default = Neighborhood::nearest(12))]
    pub neighborhood: Neighborhood,
}

impl Method for Ltsa {
    const INFO: Info = Info {
        name: "ltsa",
        title: "Local tangent space alignment",
        summary: "Aligns the local tangent spaces of all neighbourhoods into global coordinates",
        family: Family::Manifold,
        reference: "Zhang and Zha 2004",
        takes: &[Input::Sparse, Input::Distances],
        offers: &[Capability::Graph],
        ..Info::DEFAULT
    };

    type Model = LleModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<LleModel> {
        let points = Points::of(data)?;
        points.check_components(self.n_components, data.n_rows())?;
        run.stage("nearest neighbours")?;
        // With one less, every function on the neighbours is linear along the tangent, and nothing is left over.
        let least = self.n_components + 2;
        let lists = self
            .neighborhood
            .distinct_lists(run, data, least)?
            .covering();
        run.stage("tangents")?;
        let alignment = Alignment {
            points: &points,
            lists: &lists,
            with_row: false,
        };
        let flat = Flat::new(self.n_components);
        let matrix = alignment.sum(run, |_, patch, block| {
            flat.count(patch.tangent_block(self.n_components, block));
        })?;
        flat.warn(run)?;
        run.stage("eigenvectors")?;
        let seed = self.neighborhood.search.seed;
        let found = bottom(run, &matrix, self.n_components, seed)?;
        let placement = Mixing::Tangent;
        LleModel::of_eigenvectors(run, data, &self.neighborhood, placement, lists, found)
    }

    fn embedded_graph(&self, _n_rows: usize) -> Option<EmbeddedGraph> {
        Some(EmbeddedGraph::connected(&self.neighborhood))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let least = self.n_components.saturating_add(2);
        Plan::of_neighborhoods(shape, &self.neighborhood, least, self.n_components)
    }
}
