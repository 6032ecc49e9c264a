//! Laplacian eigenmaps: coordinates that differ as little as possible between neighbours.
//!
//! # Idea
//! Rows that are neighbours should stay neighbours. The coordinates are the functions that vary most slowly over the weighted neighbour graph, apart from the
//! constant, which would map all rows to one point. They follow the shape of a manifold, and separate clusters.
//!
//! # Steps
//! 1. [`graph`](crate::graph): the connected neighbour graph.
//! 2. [`graph::Weighting`](crate::graph::Weighting): the weights W of its edges; or affinities, the weights of a graph, are given.
//! 3. `spectral::eigenmaps`: the smallest eigenvectors of the Laplacian D − W.
//! 4. [`model::EigenmapModel`](crate::model::EigenmapModel): the embedding, and out-of-sample placement by neighbours.
//!
//! # Objective
//! The columns y minimize ½ Σ w_ij (y_i − y_j)² = yᵀ L y with L = D − W, D the diagonal of the sums of W, without
//! the constant vector, under yᵀ y = 1 (`unnormalized`: L y = λ y) or yᵀ D y = 1 (`normalized`: L y = λ D y). The transition matrix of the random walk is P =
//! D⁻¹ W, and L y = λ D y means P y = (1 − λ) y: `random_walk` has the
//! eigenvalues and eigenvectors of `normalized`, each vector at length yᵀ y = 1. Heat weights are exp(−d²/t).
//!
//! # Cost
//! The search for neighbours; then a sparse Cholesky factor of the Laplacian and about ten solutions with it. With
//! n rows and k neighbours about 24 n k bytes for the graph, and a factor whose size depends on the structure of the graph: about 100 n numbers on a surface,
//! more in higher dimensions.
//!
//! # Choosing parameters
//! `n_neighbors` from 5 to 20: few avoid short cuts, many keep the graph connected. Heat weights matter if the
//! density varies; `self_tuned` gives every row its own scale. `normalized` keeps small dense groups from
//! dominating. Eigenvalues close to 0 show clusters that are hardly connected.
//!
//! # New points
//! A training row satisfies (1 − λ) y = Σ p y over its neighbours, p their weights divided by the sum s (for
//! `unnormalized` (1 − λ/s) y = Σ p y). A new row gets its coordinates by the same equation with its nearest training rows; a row that equals a training row
//! gets its coordinates. A model of given affinities takes those of new rows to the training rows for p. Where the divisor is below 0.1 the eigenvector is too rough to be interpolated, and the neighbours' mean is taken.
//!
//! # Differences
//! scikit-learn's `SpectralEmbedding` counts a row among its own neighbours and averages the graph of nearest neighbours with its transpose,
//! which are the weights `average` here; the coordinates are those of `normalized` (there `random_walk` has no name), with the same scale. Its
//! affinity `rbf` is `heat` with bandwidth 1/γ between all pairs of rows. It has no out-of-sample placement, and a disconnected graph only gives a
//! warning. Given affinities are not joined by bridges here either.
//! tapkee weights by exp(−d²/t) as here.
//!
//! # References
//! Belkin and Niyogi, "Laplacian eigenmaps for dimensionality reduction and data representation", 2003. Bengio et
//! al., "Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral clustering", 2003. Zelnik-Manor and
//! Perona, "Self-tuning spectral clustering", 2004.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, Transform, methods::laplacian_eigenmaps::LaplacianEigenmaps};
//! let roll = charta::data::synthetic::swiss_roll(400, 0.0, 0)?;
//! let model = LaplacianEigenmaps::default().fit(&roll)?;
//! assert_eq!(model.embedding().unwrap().dim(), (400, 2));
//! assert!(model.eigenvalues()[0] < model.eigenvalues()[1]);
//! let coordinates = model.transform(&charta::data::synthetic::swiss_roll(10, 0.1, 1)?)?;
//! assert_eq!(coordinates.dim(), (10, 2));
//! # Ok::<(), charta::Error>(())
//! ```

use ndarray::{Array1, Array2};

use crate::data::Data;
use crate::error::{Result, message};
use crate::graph::{EmbeddedGraph, Neighborhood, Weighting};
use crate::linalg::solve::inverse_beside_constant;
use crate::method::steps::check_room;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape, Step, Steps};
use crate::model::{EigenmapFit, EigenmapModel, Extension};
use crate::params::Parameters;
use crate::run::Run;
use crate::spectral::eigenmaps::check_count;
use crate::spectral::weighted_graph::WeightedGraph;

pub use crate::spectral::eigenmaps::Normalization;

/// Parameters of Laplacian eigenmaps.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct LaplacianEigenmaps {
    /// Number of dimensions of the embedding: 2 or 3 for pictures, the intrinsic dimension of the data or more as input for other methods.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Normalization of the graph Laplacian whose eigenvectors are the coordinates. `normalized` is usual; `unnormalized` gives rows with
    /// few neighbours more weight.
    #[param(default = Normalization::Normalized)]
    pub normalization: Normalization,
    /// Weights of the edges.
    #[param(flatten)]
    pub weighting: Weighting,
    /// Neighbourhood graph.
    #[param(flatten, default = Neighborhood::nearest(10))]
    pub neighborhood: Neighborhood,
}

impl Method for LaplacianEigenmaps {
    const INFO: Info = Info {
        name: "laplacian_eigenmaps",
        title: "Laplacian eigenmaps",
        summary: "Smallest eigenvectors of the Laplacian of the neighbour graph (spectral embedding)",
        family: Family::Manifold,
        reference: "Belkin and Niyogi 2003",
        takes: &[Input::Sparse, Input::Distances, Input::Affinities],
        offers: &[Capability::Graph, Capability::Steps],
        ..Info::DEFAULT
    };

    type Model = EigenmapModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<EigenmapModel> {
        check_count(self.n_components, data.n_rows())?;
        run.stage("nearest neighbours")?;
        let graph = WeightedGraph::of(run, data, &self.neighborhood, &self.weighting)?;
        graph.check_components(self.n_components)?;
        run.stage("eigenvectors")?;
        let seed = self.neighborhood.search.seed;
        let found = graph.eigenmaps(run, self.n_components, self.normalization, seed)?;
        Ok(EigenmapModel {
            training: graph.training_rows(run, data, &self.neighborhood)?,
            embedding: graph.in_place(found.coordinates, data.n_rows()),
            fit: EigenmapFit {
                n_neighbors: graph.n_neighbors,
                radius: self.neighborhood.radius,
                kernel: graph.weights.kernel,
                factors: None,
                extension: match self.normalization {
                    Normalization::Unnormalized => Extension::Unnormalized,
                    _ => Extension::Normalized,
                },
                eigenvalues: found.values,
                graph: graph.report,
                residual: found.residual,
                route: found.route,
            },
        })
    }

    fn steps_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Steps> {
        check_room(run, data.n_rows(), 6)?;
        check_count(self.n_components, data.n_rows())?;
        run.stage("nearest neighbours")?;
        let graph = WeightedGraph::of(run, data, &self.neighborhood, &self.weighting)?;
        let weights = graph.lifted(run)?;
        let laplacian = weights.laplacian(run)?.dense();
        // Coordinates that are orthogonal by D are those of no kernel, whose axes are orthogonal.
        let kernel = match self.normalization {
            Normalization::Unnormalized => inverse_beside_constant(&laplacian.view()),
            _ => None,
        };
        let degrees = Array2::from_diag(&Array1::from(weights.degrees.clone()));
        let mut matrices = vec![
            Step::new(
                "W",
                "the weights of the edges of the neighbour graph",
                weights.matrix.dense(),
            ),
            Step::new("D", "diagonal: the sum of the weights of each row", degrees),
            Step::new(
                "L",
                match self.normalization {
                    Normalization::Unnormalized => {
                        "D − W: the map is its smallest eigenvectors, L y = λ y"
                    }
                    _ => "D − W: the map is the smallest solutions of L y = λ D y",
                },
                laplacian,
            ),
        ];
        if let Some(kernel) = kernel {
            matrices.push(Step::new(
                "kernel",
                "the pseudo-inverse of L: kernel PCA of it has the axes of the map, each up to sign and scale",
                kernel,
            ));
        }
        Ok(Steps {
            matrices,
            rows: graph.rows.clone(),
        })
    }

    fn embedded_graph(&self, _n_rows: usize) -> Option<EmbeddedGraph> {
        Some(EmbeddedGraph::connected(&self.neighborhood))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let n = shape.n_rows;
        check_count(self.n_components, n)?;
        shape.check_neighborhood(&self.neighborhood, 1)?;
        let k = shape.n_edges_per_row(&self.neighborhood);
        let width = self.n_components.saturating_add(8).saturating_mul(6);
        Ok(Plan::new("smallest eigenvectors of the graph's Laplacian")
            .needs_search(shape, &self.neighborhood)
            .needs("neighbours and graph", (n, k), 2 * 60)
            .needs_factor("factor of the Laplacian", n)
            .needs("vectors", (n, width), 2 * 8)
            .needs_rows("training rows", shape)
            .advice(message!("use fewer {:rows}, or fewer neighbours")))
    }
}
