//! Locally linear embedding: coordinates in which every row is the same mixture of its neighbours as in the features.
//!
//! # Idea
//! A small piece of a curved surface is almost flat. There a row is almost a mixture of its neighbours, and the mixture
//! does not change when the piece is moved, turned or stretched. So the weights found in the features must do for the
//! coordinates as well, wherever the pieces end up.
//!
//! # Steps
//! 1. [`graph::Neighborhood`](crate::graph::Neighborhood): the neighbours of every row, in one piece.
//! 2. [`local::barycenters`](crate::local::barycenters): the weights of each row's neighbours.
//! 3. [`local::alignment`](crate::local::alignment): M = (I − W)ᵀ(I − W).
//! 4. [`spectral::bottom`](crate::spectral::bottom): its smallest eigenvectors beside the constant.
//! 5. [`model::LleModel`](crate::model::LleModel): new rows.
//!
//! # Objective
//! Weights minimise ‖x − Σ w x_j‖² + r tr(G) ‖w‖² under Σ w = 1, with G the inner products of the differences x_j − x.
//! Coordinates minimise Σ ‖y − Σ w y_j‖² = tr(Yᵀ M Y) under YᵀY = I and 1ᵀY = 0.
//!
//! # Cost
//! With n rows, d columns and k neighbours: the search, then n k² (d + k) for the weights. M has up to n k² entries; its
//! factor, which decides the time for the eigenvectors, has about 150 numbers a row on a surface, more in more dimensions.
//!
//! # Choosing parameters
//! `n_neighbors` from 8 to 20: too few and the rows fall apart or are torn, too many and folds are joined.
//! `regularization` matters when there are more neighbours than columns: larger values make maps smoother. A
//! `reconstruction_error` near 0 only says that the problem was solved. [`modified_lle`](super::modified_lle) needs less
//! luck with the same neighbours.
//!
//! # New points
//! By the same weights on the `n_neighbors` nearest training rows; a training row gets its own coordinates. A model fitted
//! to distances cannot place new rows.
//!
//! # Differences
//! As in scikit-learn, coordinates have length 1 as columns: multiply with √n for the paper's unit covariance. The ridge is
//! added always, also with fewer neighbours than columns. scikit-learn drops the first eigenvector, whichever it is; here
//! the constant is taken out, which is the same for rows in one piece and better for others. Rows in several parts are
//! joined, and said. Weights are those of straight lines, whatever the metric of the search.
//! Rows that repeat others take no part: they get the place of the row they repeat, and this is said; a table of neighbours
//! given with the data is taken as it is.
//!
//! # References
//! Roweis and Saul, "Nonlinear dimensionality reduction by locally linear embedding", 2000. Saul and Roweis, "Think
//! globally, fit locally", 2003.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::lle::Lle};
//! let data = charta::data::synthetic::swiss_roll(500, 0.0, 0)?;
//! let model = Lle::default().fit(&data.features)?;
//! assert_eq!(model.embedding().unwrap().dim(), (500, 2));
//! assert!(model.reconstruction_error() < 1e-3);
//! # Ok::<(), charta::Error>(())
//! ```

use crate::data::Data;
use crate::error::Result;
use crate::graph::Neighborhood;
use crate::local::Points;
use crate::local::alignment::Alignment;
use crate::method::{Family, Info, Input, Method, Plan, Shape};
use crate::model::{LleModel, Mixing};
use crate::params::Parameters;
use crate::run::Run;
use crate::spectral::bottom::bottom;

/// Parameters of locally linear embedding.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Lle {
    /// Number of dimensions of the embedding.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Regularization of the local weights, as a fraction of the trace of the neighbours' Gram matrix. Larger values give smoother weights; usually 1e-4 to 1e-2.
    #[param(default = 1e-3, above = 0.0)]
    pub regularization: f64,
    /// Neighbourhood graph.
    #[param(flatten, default = Neighborhood::nearest(12))]
    pub neighborhood: Neighborhood,
}

impl Method for Lle {
    const INFO: Info = Info {
        name: "lle",
        title: "Locally linear embedding",
        summary: "Preserves the weights that reconstruct each row from its neighbours",
        family: Family::Manifold,
        reference: "Roweis and Saul 2000",
        takes: &[Input::Sparse, Input::Distances],
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
        let matrix = alignment.sum(run, |_, patch, block| {
            patch.weights_block(self.regularization, block);
        })?;
        run.stage("eigenvectors")?;
        let seed = self.neighborhood.search.seed;
        let found = bottom(run, &matrix, self.n_components, seed)?;
        let placement = Mixing::Barycenter {
            regularization: self.regularization,
        };
        LleModel::of_eigenvectors(run, data, &self.neighborhood, placement, lists, found)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let least = self.n_components.saturating_add(1);
        Plan::of_neighborhoods(shape, &self.neighborhood, least, self.n_components)
    }
}
