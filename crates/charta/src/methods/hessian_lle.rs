//! Hessian eigenmaps (Hessian LLE): coordinates whose Hessian on the manifold vanishes.
//!
//! # Idea
//! On a flat piece, linear functions are those without second derivatives. If rows come from a surface that can be unrolled
//! without stretching, the functions on it without second derivatives along it are the coordinates of the unrolled sheet, also
//! if the sheet has holes, where geodesic distances mislead.
//!
//! # Steps
//! 1. [`graph::Neighborhood`](crate::graph::Neighborhood): the connected neighbour graph.
//! 2. `local::hessians`: the tangent of each neighbourhood and estimates of second derivatives.
//! 3. `local::alignment`: the sum of their squares.
//! 4. `spectral::bottom`: its smallest eigenvectors besides the constant.
//! 5. [`model::LleModel`](crate::model::LleModel): new rows.
//!
//! # Objective
//! With U the tangent coordinates of a row's k neighbours, the columns [1, U, products of every two of U] are made orthonormal
//! from left to right; the last c (c + 1)/2, for c components, are H. Coordinates minimize Σ ‖H Y_i‖² under YᵀY = I and
//! 1ᵀY = 0, where Y_i are the coordinates of the neighbours of row i.
//!
//! # Cost
//! As [`ltsa`](super::ltsa), and k c⁴ for the products in each neighbourhood.
//!
//! # Choosing parameters
//! `n_components` should be the intrinsic dimension c. `n_neighbors` must be more than c (c + 3)/2, and twice that is
//! better, because second derivatives are sensitive to noise.
//!
//! # New points
//! The `n_neighbors` nearest training rows have a tangent; the new row's projection on it gives its coordinates by the linear map that fits theirs best. A
//! training row gets its own coordinates. A model fitted to distances has no out-of-sample placement.
//!
//! # Differences
//! scikit-learn's `method="hessian"` keeps all further columns of a full QR decomposition, not those of the products: its matrix
//! is that of tangent space alignment. Here it is the paper's, up to a factor. The paper's last step, which transforms the eigenvectors so that coordinates
//! are orthonormal over one neighbourhood, is left out: columns have length 1. A row
//! is not among its own neighbours, unless it is in no other row's neighbourhood. `hessian_tol` is the tolerance for linearly dependent products; in
//! scikit-learn it guards a division.
//! Duplicate rows are left out of the fit and get the coordinates of the row they repeat, with a warning; a given table of neighbours is used unchanged.
//!
//! # References
//! Donoho and Grimes, "Hessian eigenmaps: locally linear embedding techniques for high-dimensional data", 2003.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::hessian_lle::HessianLle};
//! let data = charta::data::synthetic::swiss_roll(500, 0.0, 0)?;
//! let model = HessianLle::default().fit(&data.features)?;
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

/// Parameters of Hessian eigenmaps.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct HessianLle {
    /// Number c of dimensions of the embedding: the intrinsic dimension of the data. More need more neighbours, over c (c + 3) / 2.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Tolerance below which a quadratic column of the local Hessian estimator counts as linearly dependent, and is left out. Rarely changed.
    #[param(default = 1e-7, min = 0.0, below = 1.0)]
    pub hessian_tol: f64,
    /// Neighbourhood graph.
    #[param(flatten, default = Neighborhood::nearest(12))]
    pub neighborhood: Neighborhood,
}

impl Method for HessianLle {
    const INFO: Info = Info {
        name: "hessian_lle",
        title: "Hessian eigenmaps",
        summary: "Coordinates with vanishing Hessian on the manifold (Hessian eigenmaps)",
        family: Family::Manifold,
        reference: "Donoho and Grimes 2003",
        takes: &[Input::Sparse, Input::Distances],
        offers: &[Capability::Graph],
        ..Info::DEFAULT
    };

    type Model = LleModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<LleModel> {
        let points = Points::of(data)?;
        points.check_components(self.n_components, data.n_rows())?;
        run.stage("nearest neighbours")?;
        let lists = self
            .neighborhood
            .distinct_lists(run, data, self.least())?
            .covering();
        run.stage("second derivatives")?;
        let alignment = Alignment {
            points: &points,
            lists: &lists,
            with_row: false,
        };
        let flat = Flat::new(self.n_components);
        let matrix = alignment.sum(run, |_, patch, block| {
            let tol = self.hessian_tol;
            flat.count(patch.hessian_block(self.n_components, tol, block));
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
        Plan::of_neighborhoods(shape, &self.neighborhood, self.least(), self.n_components)
    }
}

impl HessianLle {
    /// Neighbours that a quadratic form in the components needs.
    fn least(&self) -> usize {
        let k = self.n_components;
        (k.saturating_mul(k.saturating_add(3)) / 2).saturating_add(1)
    }
}
