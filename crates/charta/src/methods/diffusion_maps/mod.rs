//! Diffusion maps: distances approximate the diffusion distance of a random walk on the neighbour graph.
//!
//! # Idea
//! A random walk steps from row to row, with higher probability to near ones. The diffusion distance of two rows is the difference of its distributions after
//! t steps from each of them; it sums over all paths and so is robust to a single short cut. The eigenvectors of the walk, scaled with powers of their
//! eigenvalues, are coordinates with these distances.
//!
//! # Steps
//! 1. [`graph`](crate::graph): the neighbours of every row; all rows with `full`.
//! 2. [`graph::Weighting`](crate::graph::Weighting): the kernel k = exp(−d²/t) of its edges.
//! 3. `methods::diffusion_maps::solver`: density normalization, and the eigenvectors of the random walk.
//! 4. [`model::EigenmapModel`](crate::model::EigenmapModel): the embedding, and out-of-sample placement by neighbours.
//!
//! # Objective
//! With k_ii = 1, q_i = Σ k_ij, k^α_ij = k_ij / (q_i q_j)^α and d_i = Σ k^α_ij, the walk is P = D⁻¹ K^α. Its right
//! eigenvectors P ψ = μ ψ have mean square 1 under the stationary distribution d / Σ d; coordinate k of a row is
//! μ_k^time ψ_k, without the constant ψ_0. α = 0 is the plain random walk, which depends on the sampling density; α = ½ gives
//! the Fokker–Planck diffusion; α = 1 the geometry of the manifold whatever the density (Laplace–Beltrami).
//!
//! # Cost
//! With n rows and k neighbours as Laplacian eigenmaps: the search, a sparse Cholesky factor, about ten solutions. With
//! `full` n² kernel entries, 80 bytes each at the peak, and n² time for every product, some dozens of them.
//!
//! # Choosing parameters
//! The bandwidth decides: so small that a step stays on the manifold, so large that every row reaches several. The
//! median fits most data; `self_tuned` where densities vary. `time` above 1 suppresses fine structure, 0 gives all coordinates the same scale. Weights cut to
//! neighbours and the full kernel hardly differ once neighbours reach as far as the kernel.
//!
//! # New points
//! μ ψ(x) = Σ p(x, x_j) ψ(x_j): the walk's own equation (Nyström), with the kernel of the new row to its neighbours,
//! or to all rows with `full`, where training rows get exactly their coordinates. Below μ = 0.1 an eigenvector is too rough to be interpolated, and the
//! neighbours' mean is taken.
//!
//! # Differences
//! scikit-learn has no such method. Authors write the kernel as exp(−d²/ε), exp(−d²/2ε) or exp(−d²/4ε): here the
//! first, with `bandwidth` = ε.
//!
//! # References
//! Coifman and Lafon, "Diffusion maps", 2006. Zelnik-Manor and Perona, "Self-tuning spectral clustering", 2004.
//! Bengio et al., "Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral clustering", 2003.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::diffusion_maps::DiffusionMaps};
//! let roll = charta::data::synthetic::swiss_roll(400, 0.0, 0)?;
//! let model = DiffusionMaps { alpha: 0.5, time: 2.0, ..DiffusionMaps::default() }.fit(&roll)?;
//! assert_eq!(model.embedding().unwrap().dim(), (400, 2));
//! assert!(model.eigenvalues()[0] > model.eigenvalues()[1]);
//! # Ok::<(), charta::Error>(())
//! ```

mod solver;

use ndarray::Array1;

use self::solver::diffusion;
use crate::data::Data;
use crate::error::{Error, Result, Warning, message};
use crate::graph::{Bandwidth, EmbeddedGraph, Neighborhood, Weighting};
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::model::{EigenmapFit, EigenmapModel, Extension, GraphReport, TrainingRows};
use crate::params::Parameters;
use crate::run::Run;
use crate::spectral::eigenmaps::check_count;

/// Parameters of diffusion maps.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct DiffusionMaps {
    /// Number of dimensions of the embedding: 2 or 3 for pictures, the intrinsic dimension of the data or more as input for other methods.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Density normalization α: 0 for the graph Laplacian, ½ for Fokker–Planck diffusion, 1 for the Laplace–Beltrami operator, which does not depend on the sampling density.
    #[param(default = 1.0, min = 0.0, max = 1.0)]
    pub alpha: f64,
    /// Diffusion time: number of steps of the random walk; the eigenvalues to this power scale the coordinates. Larger values suppress fine structure; usually 1 to 10.
    #[param(default = 1.0, min = 0.0)]
    pub time: f64,
    /// Bandwidth t of the Gaussian kernel exp(−d²/t), in units of squared distance, or the rule that chooses it. Larger values smooth over
    /// more of the data, smaller ones follow local detail and may disconnect it.
    #[param(default = Bandwidth::Median)]
    pub bandwidth: Bandwidth,
    /// Use the full kernel matrix in place of a neighbour graph: exact, with n² entries, for up to some thousands of rows.
    #[param(default = false)]
    pub full: bool,
    /// Neighbourhood graph.
    #[param(flatten, default = Neighborhood::nearest(20))]
    pub neighborhood: Neighborhood,
}

impl Method for DiffusionMaps {
    const INFO: Info = Info {
        name: "diffusion_maps",
        title: "Diffusion maps",
        summary: "Distances approximate the diffusion distance of a random walk on the neighbour graph",
        family: Family::Manifold,
        reference: "Coifman and Lafon 2006",
        takes: &[Input::Sparse, Input::Distances],
        offers: &[Capability::Graph],
        ..Info::DEFAULT
    };

    type Model = EigenmapModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<EigenmapModel> {
        check_count(self.n_components, data.n_rows())?;
        self.check_given(data)?;
        run.stage("nearest neighbours")?;
        let neighborhood = self.reach(data.n_rows());
        let connected = neighborhood.graph(run, data)?;
        connected.check_components(self.n_components)?;
        connected.check_lengths(data)?;
        run.stage("eigenvectors")?;
        let weights = Weighting::heat(self.bandwidth).of(&connected.graph)?;
        let seed = neighborhood.search.seed;
        let found = diffusion(run, &weights, self.alpha, self.n_components, seed)?;
        let powers = self.powers(run, &found.values)?;
        let n_neighbors = if self.full {
            data.n_rows()
        } else {
            neighborhood.of_new_rows(&connected)
        };
        let rows = connected.rows.as_deref();
        Ok(EigenmapModel {
            training: TrainingRows::new(run, data, &neighborhood.search, rows)?,
            embedding: connected.in_place(found.vectors * &powers, data.n_rows()),
            fit: EigenmapFit {
                n_neighbors,
                radius: neighborhood.radius,
                kernel: weights.kernel,
                factors: Some(found.factors),
                extension: Extension::Diffusion,
                eigenvalues: found.values,
                graph: GraphReport::of(&connected, data.n_rows()),
                residual: found.residual,
                route: found.route,
            },
        })
    }

    fn embedded_graph(&self, _n_rows: usize) -> Option<EmbeddedGraph> {
        // The full kernel compares all rows with each other.
        (!self.full).then(|| EmbeddedGraph::connected(&self.neighborhood))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let n = shape.n_rows;
        check_count(self.n_components, n)?;
        shape.check_neighborhood(&self.reach(n), 1)?;
        let plan = if self.full {
            Plan::new("largest eigenvectors of the random walk on the full kernel").needs(
                "kernel",
                (n, n),
                80,
            )
        } else {
            Plan::new("largest eigenvectors of the random walk")
                .needs(
                    "neighbours and graph",
                    (n, self.neighborhood.n_neighbors.min(n)),
                    2 * 70,
                )
                .needs_factor("factor of the Laplacian", n)
        };
        let width = self.n_components.saturating_add(8).saturating_mul(6);
        Ok(plan
            .needs_search(shape, &self.reach(n))
            .needs("vectors", (n, width), 2 * 8)
            .needs_rows("training rows", shape)
            .advice(message!(
                "use fewer {:rows} or neighbours, and no full kernel"
            )))
    }
}

impl DiffusionMaps {
    fn check_given(&self, data: &Data<'_>) -> Result<()> {
        if self.full && data.neighbors().is_some() {
            return Err(Error::unsupported(
                message!("{full=true}"),
                message!(
                    "uses all {:rows} as neighbours, but neighbours were given: leave out one of the two"
                ),
            ));
        }
        Ok(())
    }

    fn reach(&self, n_rows: usize) -> Neighborhood {
        if !self.full {
            return self.neighborhood.clone();
        }
        Neighborhood {
            n_neighbors: n_rows.saturating_sub(1).max(1),
            radius: None,
            mutual: false,
            ..self.neighborhood.clone()
        }
    }

    /// μ^time; 0 for an eigenvalue that is not above 0, where no power but 0 makes sense.
    fn powers(&self, run: &Run<'_>, values: &Array1<f64>) -> Result<Array1<f64>> {
        let n_bad = values.iter().filter(|&&value| value <= 0.0).count();
        if n_bad > 0 {
            run.warn(Warning::doubtful(
                message!("diffusion coordinates"),
                message!(
                    "{n_bad} of them have an eigenvalue that is not positive and are set to 0; use \
                     fewer components"
                ),
            ))?;
        }
        Ok(values.mapv(|value| {
            if value > 0.0 {
                value.powf(self.time)
            } else {
                0.0
            }
        }))
    }
}
