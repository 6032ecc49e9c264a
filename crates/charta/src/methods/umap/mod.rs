//! Uniform manifold approximation and projection: a map in which fuzzy neighbourhoods are kept.
//!
//! # Idea
//! How strongly two rows are neighbours is measured by each of them on its own scale: the nearest row belongs with certainty, the others
//! less, and the scale is such that all rows have about as many neighbours. Both views together are a fuzzy graph. The map is one
//! whose own graph, made of distances by a fixed curve, is as near as possible to it.
//!
//! # Steps
//! 1. [`neighbors`](crate::neighbors): the nearest rows of every row.
//! 2. [`methods::umap::fuzzy_graph`](crate::methods::umap::fuzzy_graph): memberships, and their union.
//! 3. [`methods::umap::initialization`](crate::methods::umap::initialization): the smoothest vectors of the graph, each part of it by itself.
//! 4. [`methods::umap::optimize`](crate::methods::umap::optimize): steps along edges drawn by their weight, and away from rows drawn at random.
//!    [`methods::umap::supervision`](crate::methods::umap::supervision) takes labels in, [`methods::umap::density`](crate::methods::umap::density) keeps densities. Or, with
//!    `parametric`, [`methods::umap::parametric`](crate::methods::umap::parametric): a network learns the start, and then the same by edges.
//! 5. [`methods::umap::UmapModel`](crate::methods::umap::UmapModel): the map, and new rows with the map held still.
//!
//! # Objective
//! With w the weights of the graph and q = 1 / (1 + a d^2b) the similarity at distance d in the map, the cross-entropy
//! Σ w ln (w / q) + (1 − w) ln ((1 − w) / (1 − q)) over pairs. The second sum is sampled, `negative_sample_rate` rows for every step along
//! an edge, and not in proportion to all pairs: `loss` reports what the steps lower in truth.
//!
//! With `parametric` the places are the outputs of a network, and the same loss is lowered by its weights.
//!
//! # Cost
//! The search for neighbours; then about `n_epochs` · n · 6 steps for 15 neighbours, each with 5 more. 70,000 rows take some seconds on
//! two cores. About 50 n k bytes for k neighbours.
//!
//! # Choosing parameters
//! `n_neighbors` sets the scale: few show detail, many the whole. `min_dist` sets how densely rows may be packed: 0 for clustering, 0.5
//! for a soft picture. The rest can stay.
//!
//! # New points
//! A new row starts at the weighted mean of its nearest training rows, and takes a third of the epochs' steps with the map held still. Its place
//! does not depend on other new rows. A row that equals a training row gets its place.
//!
//! With `parametric`, a new row's place is what the network makes of it: at once, without a search.
//!
//! The way back, `inverse_transform`, is the mean of the training rows that are nearest in the map, weighted by how strongly they belong to the
//! place: for data with features.
//!
//! # Differences
//! umap-learn moves both ends of an edge, one edge after the other; here edges go in jobs that share no row with each other, and the rows drawn
//! at random are seen where they were a little earlier, which allows the same bits for any number of threads. Edges have random phases. `n_neighbors`
//! counts the row itself, as there. The transform draws the same rows for every new row. A parametric map begins
//! at the start of the layout, where the reference's begins at random, and shakes the rows that enter by `input_noise`; rows are driven away from ends of other edges of the batch, as there.
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
//! let placed = model.transform(&charta::data::synthetic::swiss_roll(10, 0.1, 1)?)?;
//! assert_eq!(placed.dim(), (10, 2));
//! # Ok::<(), charta::Error>(())
//! ```

pub mod curve;
pub mod density;
mod edge_forces;
pub mod fuzzy_graph;
pub mod initialization;
pub mod loss;
mod model;
mod negative_window;
pub mod optimize;
pub mod out_of_sample;
pub mod parametric;
mod schedule;
mod spectral_initialization;
pub mod supervision;

pub use model::{MapNetwork, UmapModel, UmapParts};

use ndarray::Array2;

use self::curve::Curve;
use self::density::{Density, DensityWish};
use self::fuzzy_graph::{FuzzyGraph, Membership};
use self::initialization::Start;
use self::loss::loss;
use self::optimize::Sampled;
use self::out_of_sample::Still;
use self::parametric::{EdgeForces, Lesson, ParametricMap};
use self::supervision::{Meaning, Target};
use crate::data::{Data, Neighbors};
use crate::error::{Because, Error, Result, Warning, check_rows};
use crate::graph::Neighborhood;
use crate::message;
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape};
use crate::model::{GraphReport, Known};
use crate::neighbors::{Found, Search};
use crate::params::Parameters;
use crate::run::Run;

/// Up to so many rows there are more epochs.
const FEW_ROWS: usize = 10_000;
/// Epochs for few rows, and for many.
const EPOCHS: (usize, usize) = (500, 200);

/// Epochs more where densities are kept.
const MORE_EPOCHS: usize = 200;

/// Parameters of UMAP.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Umap {
    /// Number of coordinates.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// How many nearest rows make a neighbourhood, the row itself counted.
    #[param(default = 15, min = 2)]
    pub n_neighbors: usize,
    /// How near to each other rows may come in the map.
    #[param(default = 0.1, min = 0.0)]
    pub min_dist: f64,
    /// The scale of the map.
    #[param(default = 1.0, above = 0.0)]
    pub spread: f64,
    /// Epochs; if not given, 500 up to 10,000 rows and 200 beyond, and 200 more where densities are kept.
    #[param(min = 1)]
    pub n_epochs: Option<usize>,
    /// How many nearest neighbours belong to a row with certainty.
    #[param(default = 1.0, min = 0.0)]
    pub local_connectivity: f64,
    /// 1 for the union of what two rows say of each other, 0 for the intersection.
    #[param(default = 1.0, min = 0.0, max = 1.0)]
    pub set_operation_mix_ratio: f64,
    /// Rows drawn at random for every step to a neighbour.
    #[param(default = 5, max = 1000)]
    pub negative_sample_rate: usize,
    /// Weight of the repulsion.
    #[param(default = 1.0, min = 0.0)]
    pub repulsion_strength: f64,
    /// The size of the first steps.
    #[param(default = 1.0, above = 0.0)]
    pub learning_rate: f64,
    /// Where the layout begins.
    #[param(default = Start::Spectral)]
    pub start: Start,
    /// Let the labels of the rows take part: rows with the same label come together. Rows without one are placed by their neighbours.
    #[param(default = false)]
    pub supervised: bool,
    /// What the labels mean.
    #[param(default = Meaning::Auto)]
    pub target: Meaning,
    /// How much labels count: 0 for not at all, 1 for nothing else.
    #[param(default = 0.5, min = 0.0, max = 1.0)]
    pub target_weight: f64,
    /// Keep densities: rows in sparse places of the data lie in sparse places of the map (densMAP).
    #[param(default = false)]
    pub keep_density: bool,
    /// How much densities count.
    #[param(default = 2.0, min = 0.0)]
    pub density_weight: f64,
    /// The share of epochs, at the end, in which densities count.
    #[param(default = 0.3, min = 0.0, max = 1.0)]
    pub density_share: f64,
    /// Added to the variance of the map's logarithmic radii, to steady it.
    #[param(default = 0.1, min = 0.0)]
    pub density_shift: f64,
    /// A network in the place of the layout.
    #[param(flatten)]
    pub network: ParametricMap,
    /// How neighbours are searched for.
    #[param(flatten)]
    pub search: Search,
}

impl Method for Umap {
    const INFO: Info = Info {
        name: "umap",
        title: "UMAP",
        summary: "A map in which fuzzy neighbourhoods are kept",
        family: Family::Neighbor,
        reference: "McInnes, Healy and Melville 2018",
        takes: &[Input::Sparse, Input::Distances, Input::Neighbors],
        offers: &[Capability::Inverse],
        many_minima: true,
        labels: LabelUse::Optional,
        ..Info::DEFAULT
    };

    type Model = UmapModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<UmapModel> {
        let curve = self.checked(data.n_rows())?;
        run.stage("neighbours")?;
        let found = self.neighbors(run, data)?;
        run.stage("graph")?;
        let n_epochs = self.epochs(data.n_rows());
        let graph = self.graph(run, data, &found.neighbors)?;
        let graph = graph.pruned(run, n_epochs)?;
        run.stage("start")?;
        let seed = self.search.seed;
        let start = (self.start).places(run, (data, &graph), self.n_components, seed)?;
        let density = self.density(run, &graph, &found.neighbors)?;
        let (embedding, done, network) = match self.network.parametric {
            true => self.learned(run, data, (&graph, &curve), &start)?,
            false => {
                run.stage("layout")?;
                let sampled = self.sampled(curve, n_epochs);
                let (layout, done) = sampled.lay_out(run, (&graph, density.as_ref()), &start)?;
                (layout, done, None)
            }
        };
        let n_negative = self.negative_sample_rate as f64;
        let apart = |a: usize, b: usize| -> f64 {
            let pairs = embedding.row(a).into_iter().zip(embedding.row(b));
            pairs.map(|(x, y)| (x - y) * (x - y)).sum()
        };
        let density_correlation = match &density {
            Some(density) => Some(density.correlation(run, &graph, &curve, apart)?),
            None => None,
        };
        Ok(UmapModel::new(UmapParts {
            density_correlation,
            known: Known::new(run, data, &self.search, None)?,
            n_columns: data.n_columns(),
            n_neighbors: self.n_neighbors.min(data.n_rows()),
            local_connectivity: self.local_connectivity,
            still: Still {
                curve,
                n_epochs: n_epochs.div_ceil(3),
                n_negative: self.negative_sample_rate,
                repulsion: self.repulsion_strength,
                learning_rate: self.learning_rate,
                seed,
            },
            loss: loss(run, &graph, &embedding, (&curve, n_negative))?,
            embedding,
            graph: GraphReport {
                search: found.algorithm,
                recall: found.recall,
                n_edges: graph.n_edges(),
                n_parts: graph.components().len(),
                n_bridges: 0,
                n_left_out: 0,
            },
            n_epochs: done,
            network,
        }))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let n = shape.n_rows;
        self.checked(n)?;
        let k = self.n_neighbors.min(n);
        let plan = match self.network.parametric {
            true => {
                let (weights, units) = self.network.sizes(shape.n_columns, self.n_components);
                let batch = self.network.batch_edges.saturating_mul(2);
                let bytes = shape.precision.bytes();
                Plan::new("a network trained on sampled edges of the fuzzy graph of neighbours")
                    .needs("weights, averages and gradient", (weights, 5), bytes)
                    .needs("layers of a batch", (batch, units.saturating_mul(3)), bytes)
                    .needs("edges of an epoch", (n, k), 2 * 32)
            }
            false => Plan::new("sampled edges of the fuzzy graph of neighbours"),
        };
        Ok(plan
            .needs_search(shape, &self.neighborhood(k.saturating_sub(1).max(1)))
            .needs("neighbours and graph", (n, k), 64)
            .needs("start", (n, self.n_components.saturating_add(22)), 3 * 4)
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
        if self.network.parametric && self.keep_density {
            return Err(Error::one_of(
                "keep_density",
                &["false"],
                message!("{parametric=true} does not preserve densities"),
                true,
            ));
        }
        Curve::fitted(self.min_dist, self.spread)
    }

    fn sampled(&self, curve: Curve, n_epochs: usize) -> Sampled {
        Sampled {
            curve,
            n_epochs,
            n_negative: self.negative_sample_rate,
            repulsion: self.repulsion_strength,
            learning_rate: self.learning_rate,
            seed: self.search.seed,
        }
    }

    /// The outputs of a trained network, its epochs, and itself.
    fn learned(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        (graph, curve): (&FuzzyGraph, &Curve),
        start: &Array2<f64>,
    ) -> Result<(Array2<f64>, usize, Option<MapNetwork>)> {
        let features = data.features("umap with parametric")?;
        data.check_finite()?;
        run.stage("training")?;
        let lesson = Lesson {
            features: features.reborrow(),
            graph,
            start,
            forces: EdgeForces {
                curve: *curve,
                n_negative: self.negative_sample_rate,
                repulsion: self.repulsion_strength,
            },
            seed: self.search.seed,
        };
        let (network, losses) = self.network.train(run, &lesson)?;
        let n_epochs = losses.len();
        let network = MapNetwork {
            network,
            losses: losses.into(),
        };
        let embedding = network.places(run, features)?;
        match embedding.iter().all(|value| value.is_finite()) {
            true => Ok((embedding, n_epochs, Some(network))),
            false => Err(data.bad_values(None)),
        }
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
            run.warn(Warning::adjusted(
                "n_neighbors",
                self.n_neighbors,
                n,
                message!("{:data} has {n:rows}"),
            ))?;
        }
        self.neighborhood(self.n_neighbors.min(n) - 1)
            .find(run, data)
    }

    fn graph(&self, run: &Run<'_>, data: &Data<'_>, neighbors: &Neighbors) -> Result<FuzzyGraph> {
        let membership = Membership {
            local_connectivity: self.local_connectivity,
            union_share: self.set_operation_mix_ratio,
        };
        let graph = FuzzyGraph::of(run, neighbors, &membership)?;
        if !self.supervised {
            return Ok(graph);
        }
        let target = Target {
            meaning: self.target,
            weight: self.target_weight,
            n_neighbors: self.n_neighbors,
        };
        target.taken_in(run, &graph, data.required_labels("umap")?)
    }

    fn density(
        &self,
        run: &Run<'_>,
        graph: &FuzzyGraph,
        neighbors: &Neighbors,
    ) -> Result<Option<Density>> {
        if !self.keep_density {
            return Ok(None);
        }
        let wish = DensityWish {
            weight: self.density_weight,
            share: self.density_share,
            shift: self.density_shift,
        };
        let lengths = FuzzyGraph::of_lengths(run, neighbors)?;
        Density::of(run, graph, &lengths, wish).map(Some)
    }

    fn epochs(&self, n_rows: usize) -> usize {
        let usual = match n_rows <= FEW_ROWS {
            true => EPOCHS.0,
            false => EPOCHS.1,
        };
        let more = if self.keep_density { MORE_EPOCHS } else { 0 };
        self.n_epochs.unwrap_or(usual + more)
    }
}
