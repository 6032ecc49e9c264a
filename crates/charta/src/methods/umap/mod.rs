//! UMAP, uniform manifold approximation and projection: preserves the fuzzy topological structure of the k-nearest-neighbour graph.
//!
//! # Idea
//! How strongly two rows are neighbours is measured by each of them on its own scale: the nearest row has membership 1, the others less, and the scale is
//! chosen so that all rows have about as many neighbours. The fuzzy union of the two directed memberships of each pair is a fuzzy graph. The embedding is
//! optimized
//! until its own graph, made of distances by a fixed curve, is as similar as possible to it.
//!
//! # Steps
//! 1. [`neighbors`](crate::neighbors): the nearest rows of every row.
//! 2. `methods::umap::fuzzy_graph`: memberships, and their fuzzy union.
//! 3. `methods::umap::initialization`: Laplacian eigenmaps of the graph, for each connected component separately.
//! 4. `methods::umap::optimize`: stochastic gradient descent with negative sampling.
//!    `methods::umap::supervision` adds labels, `methods::umap::density` preserves densities (densMAP). Or, with
//!    `parametric`, `methods::umap::parametric`: a network is trained on the same loss.
//! 5. [`methods::umap::UmapModel`](crate::methods::umap::UmapModel): the embedding, out-of-sample placement and the inverse transform.
//!
//! # Objective
//! With w the weights of the graph and q = 1 / (1 + a d^2b) the similarity at distance d in the map, the cross-entropy
//! Σ w ln (w / q) + (1 − w) ln ((1 − w) / (1 − q)) over pairs. The second sum is sampled, `negative_sample_rate` rows for every step along
//! an edge, and not in proportion to all pairs: `loss` reports what negative sampling minimizes in expectation.
//!
//! With `parametric` the coordinates are the outputs of a network, and its weights are trained on the same loss.
//!
//! # Initial coordinates
//! Coordinates that are given with the data ([`Data::with_initial_embedding`]) are moved and stretched to the range from 0 to 10 along every axis, as umap-learn
//! does, since the steps have that scale; a little noise separates rows that would coincide.
//!
//! # Cost
//! The search for neighbours; then about `n_epochs` · n · 6 steps for 15 neighbours, each with 5 more. 70,000 rows take some seconds on
//! two cores. About 50 n k bytes for k neighbours.
//!
//! # Choosing parameters
//! `n_neighbors` sets the scale: few show local detail, many the global structure. `min_dist` sets how densely points may be packed: 0 for clustering, 0.5 for
//! an even spread. The other defaults suit most data.
//!
//! # New points
//! A new row starts at the weighted mean of its nearest training rows, and is optimized for a third of the epochs while the training embedding is fixed. Its coordinates
//! do not depend on other new rows. A row that equals a training row gets its coordinates.
//!
//! With `parametric`, the network maps a new row to its coordinates at once, without a neighbour search.
//!
//! The inverse transform is the mean of the training rows that are nearest in the embedding, weighted by their memberships:
//! for data with features.
//!
//! # Differences
//! Aligned maps are made one after the other, each pulled towards those before, which stay in place: umap-learn moves all of them at once.
//! umap-learn moves both ends of an edge, one edge after the other; here edges go in jobs that share no row with each other, and negative samples
//! are read from slightly older coordinates, which allows the same bits for any number of threads. Edges have random phases. `n_neighbors`
//! counts the row itself, as there. The transform draws the same negative samples for every new row. The network of a parametric map is
//! first fitted to the initial coordinates, where the reference starts from random weights, and its inputs are corrupted by `input_noise`; negative samples
//! are ends of other edges of the batch, as there.
//!
//! # References
//! McInnes, Healy and Melville, "UMAP: uniform manifold approximation and projection for dimension reduction", 2018. Damrich and
//! Hamprecht, "On UMAP's true loss function", 2021. Sainburg, McInnes and Gentner, "Parametric UMAP embeddings for representation and
//! semisupervised learning", 2021.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, Transform, methods::umap::Umap};
//! let roll = charta::data::synthetic::swiss_roll(300, 0.0, 0)?;
//! let model = Umap { n_epochs: Some(100), ..Umap::default() }.fit(&roll)?;
//! assert_eq!(model.embedding().unwrap().dim(), (300, 2));
//! let coordinates = model.transform(&charta::data::synthetic::swiss_roll(10, 0.1, 1)?)?;
//! assert_eq!(coordinates.dim(), (10, 2));
//! # Ok::<(), charta::Error>(())
//! ```

pub(crate) mod curve;
mod density;
mod edge_forces;
pub(crate) mod fuzzy_graph;
mod initialization;
mod loss;
mod model;
mod negative_sampling;
mod optimize;
mod out_of_sample;
mod parametric;
mod schedule;
mod spectral_initialization;
pub(crate) mod supervision;

pub use density::LocalRadii;
pub use fuzzy_graph::FuzzyGraph;
pub use initialization::Initialization;
pub use model::UmapModel;
pub use parametric::ParametricMap;
pub use supervision::TargetMetric;

use ndarray::{Array2, ArrayView2};

use self::curve::Curve;
use self::density::{Density, DensityOptions};
use self::fuzzy_graph::Membership;
use self::loss::loss;
use self::model::{MapNetwork, UmapFit};
use self::optimize::{Extra, Optimized, Optimizer};
use self::out_of_sample::OutOfSample;
use self::parametric::{EdgeForces, TrainingSet};
use self::supervision::Target;
use crate::data::{Data, Neighbors};
use crate::error::{Because, Error, Result, Rule, Warning, check_rows, message};
use crate::graph::{EmbeddedGraph, Neighborhood};
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape};
use crate::model::{GraphReport, TrainingRows};
use crate::neighbors::{Found, Search};
use crate::optimize::anchored::Anchored;
use crate::params::Parameters;
use crate::run::Run;

/// Up to this many rows there are more epochs.
const FEW_ROWS: usize = 10_000;
/// Epochs for few rows.
const EPOCHS_SMALL: usize = 500;
/// Epochs for many rows.
const EPOCHS_LARGE: usize = 200;
/// Additional epochs for densMAP.
const EPOCHS_DENSITY: usize = 200;

/// The error of a curve of which one parameter was given alone.
fn both_of_the_curve(missing: &'static str) -> Error {
    Error::parameter(
        missing,
        Rule::Above {
            limit: 0.0.into(),
            because: Some(Because::Reason(message!(
                "{a:parameter} and {b:parameter} are given together or not at all"
            ))),
        },
        "none",
    )
}

/// Parameters of UMAP.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Umap {
    /// Number of dimensions of the embedding: 2 or 3 for pictures, 5 to 50 as input for clustering.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Number of nearest neighbours, including the row itself. Larger values preserve more of the global structure, smaller values more local detail; usually 5 to 50.
    #[param(default = 15, min = 2)]
    pub n_neighbors: usize,
    /// Minimum distance between points in the embedding. Smaller values give tighter clusters (0 for clustering), larger values spread points out; usually 0 to 0.5.
    #[param(default = 0.1, min = 0.0)]
    pub min_dist: f64,
    /// Scale of the embedding: together with `min_dist` it sets how clumped the points are. Larger values spread clusters out; at least `min_dist`, usually 1.
    #[param(default = 1.0, above = 0.0)]
    pub spread: f64,
    /// Factor a of the similarity 1 / (1 + a d^2b) at distance d in the embedding, in place of the fit to `min_dist` and `spread`. Larger values
    /// pull neighbours closer together; usually 0.5 to 2, together with `b`.
    #[param(above = 0.0)]
    pub a: Option<f64>,
    /// Power b of that similarity, given together with `a`. Larger values give it a steeper edge; usually 0.5 to 1.2.
    #[param(above = 0.0)]
    pub b: Option<f64>,
    /// Rows at this distance or more from each other are no neighbours. Smaller values cut the graph into more components; for distances with a
    /// largest value, such as 1, that value leaves out rows that have nothing in common.
    #[param(above = 0.0)]
    pub disconnection_distance: Option<f64>,
    /// Number of epochs of stochastic gradient descent. More epochs give a better converged embedding and take longer; if not given, 500 up to 10,000 rows and 200 beyond, and 200 more with `densmap`.
    #[param(min = 1, max = 100_000)]
    pub n_epochs: Option<usize>,
    /// Number of nearest neighbours that are assumed to be connected with membership 1. Larger values connect the graph more locally; usually 1, at most the intrinsic dimension.
    #[param(default = 1.0, min = 0.0)]
    pub local_connectivity: f64,
    /// Balance between fuzzy set union (1) and intersection (0) when the two directed neighbour graphs are combined. Smaller values weaken
    /// edges that only one of the two rows has; usually 1.
    #[param(default = 1.0, min = 0.0, max = 1.0)]
    pub set_op_mix_ratio: f64,
    /// Number of negative samples per positive edge. More samples strengthen repulsion and cost time; usually 2 to 20.
    #[param(default = 5, max = 1000)]
    pub negative_sample_rate: usize,
    /// Weight of the negative samples. Larger values push clusters further apart; usually 0.5 to 2.
    #[param(default = 1.0, min = 0.0)]
    pub repulsion_strength: f64,
    /// Initial learning rate of stochastic gradient descent; it falls linearly to 0. Larger values move points further from their
    /// initialization; usually 0.1 to 10.
    #[param(default = 1.0, above = 0.0)]
    pub learning_rate: f64,
    /// Initialization of the embedding: `spectral` (Laplacian eigenmaps of the graph) keeps most of the global structure, `pca` is faster for many rows, `random` is for comparison. Initial coordinates given with the data take its place.
    #[param(default = Initialization::Spectral)]
    pub init: Initialization,
    /// Supervised UMAP: use the labels, so that rows with the same label come together. Rows without a label are embedded by their neighbours alone.
    #[param(default = false)]
    pub supervised: bool,
    /// How labels are compared: as classes, or as numbers for regression targets.
    #[param(default = TargetMetric::Auto)]
    pub target_metric: TargetMetric,
    /// Number of nearest neighbours among labels that are numbers, including the row itself; as `n_neighbors` if not given. Larger values
    /// connect labels that differ more; usually 5 to 50.
    #[param(min = 2)]
    pub target_n_neighbors: Option<usize>,
    /// Weight of the labels: 0 ignores them, 1 ignores the features. Larger values separate the classes more; usually 0.2 to 0.8.
    #[param(default = 0.5, min = 0.0, max = 1.0)]
    pub target_weight: f64,
    /// densMAP: preserve local densities, so that dense clusters stay dense and sparse ones sparse.
    #[param(default = false)]
    pub densmap: bool,
    /// Weight of the density term of densMAP. Larger values preserve densities better and neighbourhoods worse; usually 0.5 to 5.
    #[param(default = 2.0, min = 0.0)]
    pub dens_lambda: f64,
    /// Fraction of the epochs, at the end, in which the density term of densMAP counts. Larger values preserve densities better and leave
    /// less time for the layout alone; usually 0.2 to 0.5.
    #[param(default = 0.3, min = 0.0, max = 1.0)]
    pub dens_frac: f64,
    /// Constant added to the variance of the log radii in the embedding, for numerical stability of densMAP. Larger values weaken the
    /// density term; rarely changed.
    #[param(default = 0.1, min = 0.0)]
    pub dens_var_shift: f64,
    /// Parametric UMAP.
    #[param(flatten)]
    pub network: ParametricMap,
    /// Nearest-neighbour search.
    #[param(flatten)]
    pub search: Search,
}

impl Method for Umap {
    const INFO: Info = Info {
        name: "umap",
        title: "UMAP",
        summary: "Preserves the fuzzy topological structure of the k-nearest-neighbour graph",
        family: Family::Neighbor,
        reference: "McInnes, Healy and Melville 2018",
        takes: &[
            Input::Sparse,
            Input::Distances,
            Input::Neighbors,
            Input::InitialEmbedding,
            Input::Anchors,
        ],
        offers: &[
            Capability::Inverse,
            Capability::Interruptible,
            Capability::Graph,
        ],
        many_minima: true,
        labels: LabelUse::Optional,
        ..Info::DEFAULT
    };

    type Model = UmapModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<UmapModel> {
        let curve = self.checked(data.n_rows())?;
        let given = data.initial_embedding_of(self.n_components)?;
        if self.network.parametric && data.has_anchors() {
            return Err(Error::one_of(
                "parametric",
                &["false"],
                message!("the network's output cannot be pulled towards given coordinates"),
                true,
            ));
        }
        run.stage("nearest neighbours")?;
        let found = self.neighbors(run, data)?;
        run.stage("graph")?;
        let n_epochs = self.epochs(data.n_rows());
        let graph = self.fuzzy_graph(run, data, &found.neighbors)?;
        let graph = graph.pruned(run, n_epochs)?;
        run.stage("initialization")?;
        let seed = self.search.seed;
        let anchored = Anchored::of(data, self.n_components)?;
        let initial = match (given, &anchored) {
            (Some(given), _) => initialization::of_given(given, seed),
            (None, Some(anchored)) => anchored.initial(run, seed, |row| graph.row(row).0)?,
            (None, None) => (self.init).coordinates(run, data, &graph, self.n_components, seed)?,
        };
        let density = self.density(run, &graph, &found.neighbors)?;
        let (optimized, network) = if self.network.parametric {
            let (optimized, network) = self.train(run, data, &graph, curve, &initial)?;
            (optimized, Some(network))
        } else {
            run.stage("layout")?;
            let optimizer = self.optimizer(curve, n_epochs);
            let extra = Extra {
                density: density.as_ref(),
                anchored: anchored.as_ref(),
            };
            let optimized = optimizer.optimize(run, &graph, extra, &initial)?;
            (optimized, None)
        };
        let Optimized {
            embedding,
            n_epochs: n_done,
            interrupted,
        } = optimized;
        let radii = match &density {
            Some(density) => Some(density.compared_with(run, &graph, &curve, &embedding)?),
            None => None,
        };
        let n_negative = self.negative_sample_rate as f64;
        let fit = UmapFit {
            n_neighbors: self.n_neighbors.min(data.n_rows()),
            local_connectivity: self.local_connectivity,
            out_of_sample: self.out_of_sample(curve, n_epochs),
            graph: GraphReport {
                search: found.algorithm,
                recall: found.recall,
                n_edges: graph.n_edges(),
                n_parts: graph.components().len(),
                n_bridges: 0,
                n_left_out: 0,
            },
            n_epochs: n_done,
            interrupted,
            loss: loss(run, &graph, &embedding, &curve, n_negative)?,
            density_correlation: radii.as_ref().map(|radii| radii.correlation),
            radii,
            network,
        };
        Ok(UmapModel {
            training: TrainingRows::new(run, data, &self.search, None)?,
            embedding,
            fit,
        })
    }

    fn embedded_graph(&self, n_rows: usize) -> Option<EmbeddedGraph> {
        let count = self.n_neighbors.min(n_rows).saturating_sub(1);
        Some(EmbeddedGraph::loose(self.neighborhood(count.max(1))))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let n = shape.n_rows;
        self.checked(n)?;
        let k = self.n_neighbors.min(n);
        let plan = if self.network.parametric {
            let (weights, units) = self.network.sizes(shape.n_columns, self.n_components);
            let batch = self.network.batch_edges.saturating_mul(2);
            let bytes = shape.precision.bytes();
            Plan::new("a network trained on sampled edges of the fuzzy graph of neighbours")
                .needs("weights, averages and gradient", (weights, 5), bytes)
                .needs("layers of a batch", (batch, units.saturating_mul(3)), bytes)
                .needs("edges of an epoch", (n, k), 2 * 32)
        } else {
            Plan::new("sampled edges of the fuzzy graph of neighbours")
        };
        Ok(plan
            .needs_search(shape, &self.neighborhood(k.saturating_sub(1).max(1)))
            .needs("neighbours and graph", (n, k), 64)
            .needs(
                "initialization",
                (n, self.n_components.saturating_add(22)),
                3 * 4,
            )
            .needs("layout", (n, self.n_components.saturating_add(4)), 32)
            .needs_rows("training rows", shape)
            .advice(message!("use fewer {:rows}, or fewer neighbours")))
    }
}

impl Umap {
    /// Fails if the data or the parameters do not allow a map.
    fn checked(&self, n_rows: usize) -> Result<Curve> {
        check_rows(message!("UMAP"), 2, n_rows)?;
        if self.n_components >= n_rows {
            return Err(Error::at_most(
                "n_components",
                n_rows - 1,
                Because::Rows(n_rows),
                self.n_components,
            ));
        }
        if self.network.parametric && self.densmap {
            return Err(Error::one_of(
                "densmap",
                &["false"],
                message!("{parametric=true} does not preserve densities"),
                true,
            ));
        }
        self.curve()
    }

    /// The curve of similarities: the one given, or the one that fits `min_dist` and `spread`.
    fn curve(&self) -> Result<Curve> {
        let fitted = Curve::fitted(self.min_dist, self.spread)?;
        match (self.a, self.b) {
            (Some(a), Some(b)) => Ok(Curve { a, b }),
            (None, None) => Ok(fitted),
            (Some(_), None) => Err(both_of_the_curve("b")),
            (None, Some(_)) => Err(both_of_the_curve("a")),
        }
    }

    fn optimizer(&self, curve: Curve, n_epochs: usize) -> Optimizer {
        Optimizer {
            curve,
            n_epochs,
            n_negative: self.negative_sample_rate,
            repulsion: self.repulsion_strength,
            learning_rate: self.learning_rate,
            seed: self.search.seed,
        }
    }

    /// New rows are optimized for a third of the epochs.
    fn out_of_sample(&self, curve: Curve, n_epochs: usize) -> OutOfSample {
        OutOfSample {
            curve,
            n_epochs: n_epochs.div_ceil(3),
            n_negative: self.negative_sample_rate,
            repulsion: self.repulsion_strength,
            learning_rate: self.learning_rate,
            seed: self.search.seed,
        }
    }

    /// Trains the network of parametric UMAP; the embedding is its output.
    fn train(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        graph: &FuzzyGraph,
        curve: Curve,
        initial: &Array2<f64>,
    ) -> Result<(Optimized, MapNetwork)> {
        let features = data.features("umap with parametric")?;
        data.check_finite()?;
        run.stage("training")?;
        let training_set = TrainingSet {
            features: features.reborrow(),
            graph,
            initial,
            forces: EdgeForces {
                curve,
                n_negative: self.negative_sample_rate,
                repulsion: self.repulsion_strength,
            },
            seed: self.search.seed,
        };
        let trained = self.network.train(run, &training_set)?;
        let n_epochs = trained.losses.len();
        let network = MapNetwork {
            network: trained.network,
            losses: trained.losses.into(),
        };
        let embedding = network.embed(run, features)?;
        if embedding.iter().any(|value| !value.is_finite()) {
            return Err(data.bad_values(None));
        }
        let optimized = Optimized {
            embedding,
            n_epochs,
            interrupted: trained.interrupted,
        };
        Ok((optimized, network))
    }

    fn neighborhood(&self, count: usize) -> Neighborhood {
        Neighborhood {
            n_neighbors: count,
            search: self.search.clone(),
            ..Neighborhood::default()
        }
    }

    fn neighbors(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Found> {
        let n = data.n_rows();
        if self.n_neighbors > n {
            // Data that cannot be fitted at all is refused first.
            data.check_finite()?;
            run.warn(Warning::adjusted(
                "n_neighbors",
                self.n_neighbors,
                n,
                message!("{:data} has {n:rows}"),
            ))?;
        }
        let mut found = self
            .neighborhood(self.n_neighbors.min(n) - 1)
            .find(run, data)?;
        if let Some(distance) = self.disconnection_distance {
            found.neighbors = found.neighbors.within(distance.next_down());
        }
        Ok(found)
    }

    /// The fuzzy graph whose edges the embedding preserves, with the labels if they take part: symmetric, with weights from 0 to 1.
    pub fn graph(&self, run: &Run<'_>, data: &Data<'_>) -> Result<FuzzyGraph> {
        self.checked(data.n_rows())?;
        let found = self.neighbors(run, data)?;
        self.fuzzy_graph(run, data, &found.neighbors)
    }

    /// The embedding of a graph that was made elsewhere, combined of those of several fits for example, from initial coordinates.
    pub fn embed_graph(
        &self,
        run: &Run<'_>,
        graph: &FuzzyGraph,
        initial: ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        let curve = self.checked(graph.n_rows())?;
        if initial.dim() != (graph.n_rows(), self.n_components) {
            return Err(Error::shape(
                message!("initial coordinates"),
                message!("{} × {}", graph.n_rows(), self.n_components),
                message!("{} × {}", initial.nrows(), initial.ncols()),
            ));
        }
        let n_epochs = self.epochs(graph.n_rows());
        let graph = graph.pruned(run, n_epochs)?;
        run.stage("layout")?;
        let start = initialization::of_given(initial, self.search.seed);
        let optimizer = self.optimizer(curve, n_epochs);
        Ok(optimizer
            .optimize(run, &graph, Extra::default(), &start)?
            .embedding)
    }

    fn fuzzy_graph(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        neighbors: &Neighbors,
    ) -> Result<FuzzyGraph> {
        let membership = Membership {
            local_connectivity: self.local_connectivity,
            union_share: self.set_op_mix_ratio,
        };
        let graph = FuzzyGraph::of(run, neighbors, &membership)?;
        if !self.supervised {
            return Ok(graph);
        }
        let target = Target {
            metric: self.target_metric,
            weight: self.target_weight,
            n_neighbors: self.target_n_neighbors.unwrap_or(self.n_neighbors),
        };
        target.intersect(run, &graph, data.required_labels("umap")?)
    }

    fn density(
        &self,
        run: &Run<'_>,
        graph: &FuzzyGraph,
        neighbors: &Neighbors,
    ) -> Result<Option<Density>> {
        if !self.densmap {
            return Ok(None);
        }
        let options = DensityOptions {
            weight: self.dens_lambda,
            share: self.dens_frac,
            shift: self.dens_var_shift,
        };
        let lengths = FuzzyGraph::of_lengths(run, neighbors)?;
        Density::of(run, graph, &lengths, options).map(Some)
    }

    fn epochs(&self, n_rows: usize) -> usize {
        let usual = if n_rows <= FEW_ROWS {
            EPOCHS_SMALL
        } else {
            EPOCHS_LARGE
        };
        let more = if self.densmap { EPOCHS_DENSITY } else { 0 };
        self.n_epochs.unwrap_or(usual + more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::swiss_roll;
    use crate::method::Fit;

    fn quick() -> Umap {
        Umap {
            n_epochs: Some(20),
            ..Umap::default()
        }
    }

    #[test]
    fn the_curve_is_given_whole_or_not_at_all() {
        let roll = swiss_roll(80, 0.0, 0).unwrap();
        let given = Umap {
            a: Some(1.2),
            b: Some(0.7),
            ..quick()
        };
        let model = given.fit(&roll).unwrap();
        assert_eq!((model.curve().a, model.curve().b), (1.2, 0.7));
        for (a, b) in [(Some(1.2), None), (None, Some(0.7))] {
            assert!(Umap { a, b, ..quick() }.fit(&roll).is_err());
        }
    }

    #[test]
    fn rows_at_the_disconnection_distance_are_no_neighbours() {
        let line = Array2::from_shape_fn((30, 1), |(row, _)| row as f64 + (row / 15) as f64 * 2.0);
        let cut = |distance| Umap {
            disconnection_distance: distance,
            n_neighbors: 3,
            ..quick()
        };
        let run = Run::new();
        let data = Data::from(&line);
        let parts = |method: Umap| method.graph(&run, &data).unwrap().components().len();
        assert_eq!(parts(cut(Some(1.5))), 2);
        let whole = cut(None).graph(&run, &data).unwrap();
        let start = Array2::from_shape_fn((30, 2), |(row, axis)| (row * (axis + 1)) as f64);
        let map = quick().embed_graph(&run, &whole, start.view()).unwrap();
        assert!(map.iter().all(|value| value.is_finite()));
        let short = start.slice(ndarray::s![1.., ..]);
        assert!(quick().embed_graph(&run, &whole, short).is_err());
        // Neighbours at exactly this distance are none.
        assert_eq!(parts(cut(Some(1.0))), 30);
        assert!(cut(Some(1.0)).fit(&line).is_ok());
    }
}
