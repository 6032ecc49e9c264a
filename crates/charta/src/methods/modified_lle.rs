//! Modified locally linear embedding (MLLE): LLE with several weight vectors per neighbourhood, which is more stable.
//!
//! # Idea
//! With more neighbours than dimensions many weight vectors reconstruct a row equally well, and LLE chooses one by a ridge penalty. Here each row has as many
//! independent weight vectors as its neighbours have directions of small variance, and coordinates must satisfy all of them. That determines the local linear
//! structure, and with it the embedding.
//!
//! # Steps
//! 1. [`graph::Neighborhood`](crate::graph::Neighborhood): the connected neighbour graph.
//! 2. `local::modified`: how they vary about the row, and its weight vectors.
//! 3. `local::alignment`: the sum over all rows.
//! 4. `spectral::bottom`: its smallest eigenvectors besides the constant.
//! 5. [`model::LleModel`](crate::model::LleModel): new rows.
//!
//! # Objective
//! A row with s flat directions has the weight vectors W = V H + (1 − α) w 1ᵀ, each adding up to 1. Coordinates minimize
//! Σ ‖y_i 1ᵀ − Y_iᵀ W_i‖² under YᵀY = I and 1ᵀY = 0. The number s is the largest for which the last s variances together are
//! less than η times the others; η is the median over the rows of the variance beyond `n_components` over that within.
//!
//! # Cost
//! With n rows, d columns and k neighbours: the search, then twice n k min(k, d)² + n k² d for the variances and n k³ for the
//! weights, and the eigenvectors of a matrix with up to n k² entries, whose factor has about 150 numbers a row on a surface.
//!
//! # Choosing parameters
//! `n_components` should be the intrinsic dimension: it decides which directions count as flat. `n_neighbors` must be
//! more than that. The result depends little on `regularization`.
//!
//! # New points
//! By the weights of locally linear embedding on the `n_neighbors` nearest training rows; a training row gets its own
//! coordinates. A model fitted to distances has no out-of-sample placement.
//!
//! # Differences
//! As scikit-learn's `method="modified"`, with the same columns of length 1, but computed from the projection on the flat
//! directions: a basis of them is never needed. scikit-learn's ridge is fixed at 10⁻³; here it is `regularization`.
//! Duplicate rows are left out of the fit and get the coordinates of the row they repeat, with a warning; a given table of neighbours is used unchanged.
//!
//! # References
//! Zhang and Wang, "MLLE: modified locally linear embedding using multiple weights", 2006.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::modified_lle::ModifiedLle};
//! let data = charta::data::synthetic::swiss_roll(500, 0.0, 0)?;
//! let model = ModifiedLle::default().fit(&data.features)?;
//! assert_eq!(model.embedding().unwrap().dim(), (500, 2));
//! # Ok::<(), charta::Error>(())
//! ```

use crate::data::Data;
use crate::error::Result;
use crate::graph::{EmbeddedGraph, Neighborhood};
use crate::local::Points;
use crate::local::alignment::Alignment;
use crate::local::modified::{Rule, median};
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::model::{LleModel, Mixing};
use crate::params::Parameters;
use crate::run::Run;
use crate::spectral::bottom::bottom;

/// Parameters of modified locally linear embedding.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct ModifiedLle {
    /// Number of dimensions of the embedding: 2 or 3 for pictures, the intrinsic dimension of the data or more as input for other methods.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Regularization of the local weights, as a fraction of the trace of the neighbours' Gram matrix. Larger values give smoother weights; usually 1e-4 to 1e-2.
    #[param(default = 1e-3, above = 0.0)]
    pub regularization: f64,
    /// Tolerance below which the projection of the constant vector on the local null space counts as 0. Rarely changed.
    #[param(default = 1e-12, min = 0.0)]
    pub modified_tol: f64,
    /// Neighbourhood graph.
    #[param(flatten, default = Neighborhood::nearest(12))]
    pub neighborhood: Neighborhood,
}

impl Method for ModifiedLle {
    const INFO: Info = Info {
        name: "modified_lle",
        title: "Modified locally linear embedding",
        summary: "LLE with several weight vectors per neighbourhood, which is more stable",
        family: Family::Manifold,
        reference: "Zhang and Wang 2006",
        takes: &[Input::Sparse, Input::Distances],
        offers: &[Capability::Graph],
        ..Info::DEFAULT
    };

    type Model = LleModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<LleModel> {
        let points = Points::of(data)?;
        points.check_components(self.n_components, data.n_rows())?;
        run.stage("nearest neighbours")?;
        let least = self.n_components + 1;
        let lists = self.neighborhood.distinct_lists(run, data, least)?;
        run.stage("weights")?;
        let alignment = Alignment {
            points: &points,
            lists: &lists,
            with_row: true,
        };
        let spreads = alignment.map(run, |_, patch| patch.spread())?;
        let ratios = spreads.iter().map(|spread| spread.ratio(self.n_components));
        let eta = median(ratios.collect());
        let rule = Rule {
            regularization: self.regularization,
            tolerance: self.modified_tol,
        };
        let matrix = alignment.sum(run, |row, patch, block| {
            patch.modified_block(&spreads[row], eta, rule, block);
        })?;
        run.stage("eigenvectors")?;
        let seed = self.neighborhood.search.seed;
        let found = bottom(run, &matrix, self.n_components, seed)?;
        let placement = Mixing::Barycenter {
            regularization: self.regularization,
        };
        LleModel::of_eigenvectors(run, data, &self.neighborhood, placement, lists, found)
    }

    fn embedded_graph(&self, _n_rows: usize) -> Option<EmbeddedGraph> {
        Some(EmbeddedGraph::connected(&self.neighborhood))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let least = self.n_components.saturating_add(1);
        Plan::of_neighborhoods(shape, &self.neighborhood, least, self.n_components)
    }
}
