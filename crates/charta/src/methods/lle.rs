//! Locally linear embedding (LLE): preserves the weights that reconstruct each row from its neighbours.
//!
//! # Idea
//! A small neighbourhood of a manifold is almost flat. There a row is almost a linear combination of its neighbours, and its weights do not change under
//! translation, rotation and scaling. So the weights found in the features must also reconstruct the coordinates.
//!
//! # Steps
//! 1. [`graph::Neighborhood`](crate::graph::Neighborhood): the connected neighbour graph.
//! 2. `local::barycenters`: the weights of each row's neighbours.
//! 3. `local::alignment`: M = (I − W)ᵀ(I − W).
//! 4. `spectral::bottom`: its smallest eigenvectors besides the constant.
//! 5. [`model::LleModel`](crate::model::LleModel): new rows.
//!
//! # Objective
//! Weights minimize ‖x − Σ w x_j‖² + r tr(G) ‖w‖² under Σ w = 1, with G the inner products of the differences x_j − x.
//! Coordinates minimize Σ ‖y − Σ w y_j‖² = tr(Yᵀ M Y) under YᵀY = I and 1ᵀY = 0; with `unit_covariance` under YᵀY/n = I.
//!
//! # Cost
//! With n rows, d columns and k neighbours: the search, then n k² (d + k) for the weights. M has up to n k² entries; its
//! factor, which decides the time for the eigenvectors, has about 150 numbers a row on a surface, more in more dimensions.
//!
//! # Choosing parameters
//! `n_neighbors` from 8 to 20: too few disconnect the graph, too many connect folds of the manifold.
//! `regularization` matters when there are more neighbours than columns: larger values make embeddings smoother. A `reconstruction_error` near 0 only shows
//! that the eigenproblem was solved. [`modified_lle`](super::modified_lle) is more stable with the same neighbours.
//!
//! # New points
//! By the same weights on the `n_neighbors` nearest training rows; a training row gets its own coordinates. A model fitted to distances has no out-of-sample
//! placement.
//!
//! # Differences
//! As in scikit-learn, coordinates have length 1 as columns: multiply with √n for the paper's unit covariance. The ridge is
//! added always, also with fewer neighbours than columns. scikit-learn drops the first eigenvector, whichever it is; here
//! the constant is projected out, which is the same for a connected graph and better for others. Connected components are joined, with a warning. Weights are
//! those of Euclidean space, whatever the metric of the search.
//! Duplicate rows are left out of the fit and get the coordinates of the row they repeat, with a warning; a given table of neighbours is used unchanged.
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

use ndarray::Array2;

use crate::data::Data;
use crate::error::Result;
use crate::graph::{EmbeddedGraph, Neighborhood};
use crate::linalg::solve::inverse_beside_constant;
use crate::linalg::symmetric_sparse::SparseSymmetric;
use crate::local::Points;
use crate::local::alignment::Alignment;
use crate::method::steps::check_room;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape, Step, Steps};
use crate::model::{LleModel, Mixing};
use crate::params::Parameters;
use crate::run::Run;
use crate::spectral::bottom::bottom;

/// Parameters of locally linear embedding.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Lle {
    /// Number of dimensions of the embedding: 2 or 3 for pictures, the intrinsic dimension of the data or more as input for other methods.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Regularization of the local weights, as a fraction of the trace of the neighbours' Gram matrix. Larger values give smoother weights; usually 1e-4 to 1e-2.
    #[param(default = 1e-3, above = 0.0)]
    pub regularization: f64,
    /// Scale the embedding to covariance I, with divisor n, as in the constraint of the paper; else its columns have length 1.
    #[param(default = false)]
    pub unit_covariance: bool,
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
        offers: &[Capability::Graph, Capability::Steps],
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
        let matrix = self.alignment_matrix(run, &alignment)?;
        run.stage("eigenvectors")?;
        let seed = self.neighborhood.search.seed;
        let mut found = bottom(run, &matrix, self.n_components, seed)?;
        if self.unit_covariance {
            found.coordinates *= (found.coordinates.nrows() as f64).sqrt();
        }
        let placement = Mixing::Barycenter {
            regularization: self.regularization,
        };
        LleModel::of_eigenvectors(run, data, &self.neighborhood, placement, lists, found)
    }

    fn steps_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Steps> {
        check_room(run, data.n_rows(), 5)?;
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
        let found = alignment.map(run, |_, patch| {
            patch.barycenter(self.regularization).to_vec()
        })?;
        let n_rows = lists.neighbors.n_rows();
        let mut weights = Array2::zeros((n_rows, n_rows));
        for (row, own) in found.iter().enumerate() {
            for (&index, &weight) in lists.neighbors.row(row).0.iter().zip(own) {
                weights[[row, index as usize]] = weight;
            }
        }
        let matrix = self.alignment_matrix(run, &alignment)?.dense();
        let kernel = inverse_beside_constant(&matrix.view());
        let mut matrices = vec![
            Step::new(
                "W",
                "row i: the weights that reconstruct row i from its neighbours, with sum 1",
                weights,
            ),
            Step::new(
                "M",
                "(I − W)ᵀ(I − W), whose smallest eigenvectors are the map",
                matrix,
            ),
        ];
        if let Some(kernel) = kernel {
            matrices.push(Step::new(
                "kernel",
                "the pseudo-inverse of M: kernel PCA of it has the axes of the map, each up to sign and scale",
                kernel,
            ));
        }
        Ok(Steps {
            matrices,
            rows: lists.rows,
        })
    }

    fn embedded_graph(&self, _n_rows: usize) -> Option<EmbeddedGraph> {
        Some(EmbeddedGraph::connected(&self.neighborhood))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let least = self.n_components.saturating_add(1);
        Plan::of_neighborhoods(shape, &self.neighborhood, least, self.n_components)
    }
}

impl Lle {
    /// M = (I − W)ᵀ(I − W).
    fn alignment_matrix(
        &self,
        run: &Run<'_>,
        alignment: &Alignment<'_>,
    ) -> Result<SparseSymmetric> {
        alignment.sum(run, |_, patch, block| {
            patch.weights_block(self.regularization, block);
        })
    }
}
