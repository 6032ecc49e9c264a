//! Isomap: an embedding that preserves geodesic distances, the lengths of shortest paths along the neighbour graph.
//!
//! # Idea
//! On a curved manifold the Euclidean distance between distant rows is shorter than the path along the manifold; between neighbours both are nearly equal.
//! Isomap therefore approximates geodesic distances by shortest paths along the neighbour graph, and finds the embedding whose Euclidean distances match them
//! best (classical MDS).
//!
//! # Steps
//! 1. [`graph::Neighborhood`](crate::graph::Neighborhood): the connected neighbour graph.
//! 2. [`graph::Paths`](crate::graph::Paths): shortest paths from all rows, or from landmarks to all rows.
//! 3. `spectral::classical_scaling`: the leading eigenvectors of the
//!    centred squared distances.
//! 4. [`methods::isomap::IsomapModel`](crate::methods::isomap::IsomapModel): out-of-sample placement by geodesic distances.
//!
//! # Objective
//! With S the squared geodesic distances and J = I − 1/n, minimize ‖−½ J S J − Z Zᵀ‖ over n × k matrices Z:
//! Z = V √Λ of the k largest eigenvalues. `reconstruction_error` is that norm divided by n. With `alpha`, the
//! distance d of two rows becomes (1 − α) d + α c, where c is the mean geodesic distance between the rows of
//! their classes, and 0 within a class.
//!
//! # Cost
//! With n rows and k neighbours: the search for neighbours, then n Dijkstra searches of n log n + n k each,
//! and about 20 products with the n × n matrix of squares: n² numbers in the precision of the features. The
//! centred matrix is never formed. With m landmarks: m searches, m n numbers. Above 12,000 rows landmarks are the default, one for every 50 rows and at least
//! 1,000: 100,000 rows need less than 4 GiB.
//!
//! # Choosing parameters
//! Too few neighbours (`n_neighbors`) disconnect the graph, too many short-circuit folds of the manifold. The connected components of a disconnected graph are
//! joined by their shortest bridges, with a warning: distances across them are unreliable. `residual_variance` shows how many dimensions are needed: it stops
//! decreasing at the right number. `negative_fraction` is the sum of the sizes of negative eigenvalues as a fraction of all: what no Euclidean embedding can
//! preserve. `alpha = auto` tries 0 to 0.9 and takes the value with the best k-NN accuracy of held-out rows, in five folds.
//!
//! # New points
//! A new row enters the graph by its nearest rows, and its squared distances s to the landmarks (all rows
//! without them) give its coordinates: ½ Vᵀ (m − s) / √Λ with the means m of S. With classes it is assigned to the majority class of its neighbours. With
//! `placement = interpolation` the weights that reconstruct its features from those of its neighbours are applied to their coordinates instead.
//!
//! # Differences
//! scikit-learn joins every pair of connected components by a bridge; here the bridges form a minimum spanning tree.
//! It stores all distances for new rows; here they are computed when they are needed, with the same result.
//! scikit-learn has no landmarks and no classes. The landmark embedding is not rotated to its principal axes afterwards. Rows at distance 0 are neighbours
//! like others.
//!
//! # References
//! Tenenbaum, de Silva and Langford, "A global geometric framework for nonlinear dimensionality reduction",
//! 2000. De Silva and Tenenbaum, "Sparse multidimensional scaling using landmark points", 2004. Bengio et al.,
//! "Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral clustering", 2004.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, methods::isomap::Isomap};
//! let roll = charta::data::synthetic::swiss_roll(500, 0.0, 0)?;
//! let model = Isomap::default().fit(&roll.features)?;
//! let figures = model.diagnostics();
//! let residual = figures.values("residual_variance").unwrap();
//! assert!(residual[1] < 0.5 * residual[0]);
//! # Ok::<(), charta::Error>(())
//! ```

mod model;

pub use model::{IsomapModel, IsomapReport, Placement};

use ndarray::{Array2, s};

use crate::data::{Classes, Data, Fold, Precision, Source};
use crate::error::{Error, Result, check_rows, counted, message};
use crate::graph::{Connected, EmbeddedGraph, LandmarkChoice, Landmarks, Neighborhood, Paths};
use crate::linalg::centred::doubly_centred;
use crate::method::steps::check_room;
use crate::method::{Capability, Family, Info, Input, LabelUse, Method, Plan, Shape, Step, Steps};
use crate::model::Model;
use crate::neighbors::Reference;
use crate::params::{Choice, Parameters};
use crate::quality::n_right;
use crate::random::{permutation, stream};
use crate::run::{Quiet, Run};
use crate::spectral::classical_scaling::{
    MEASURED, Scaled, ScalingOptions, WHOLE_SPECTRUM, fidelity, scale,
};
use crate::spectral::squares::Squares;

/// Folds in which the weight of the classes is chosen.
const FOLDS: usize = 5;
/// Neighbours that vote on the class of a held-out row.
const VOTERS: usize = 5;

/// How much classes count.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum ClassWeight {
    /// Unsupervised.
    None,
    /// The weight with the best k-NN accuracy of held-out rows.
    Auto,
    /// This weight for the distances between classes, and the rest for geodesic distances.
    #[choice(min = 0.0, below = 1.0)]
    Weight(f64),
}

/// Parameters of Isomap.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Isomap {
    /// Number of dimensions of the embedding; the residual variance shows how many are needed.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Neighbourhood graph.
    #[param(flatten, default = Neighborhood::nearest(10))]
    pub neighborhood: Neighborhood,
    /// Number of landmarks, the rows from which geodesic distances are computed: all rows, a number, or `auto`. Fewer are faster and less exact (landmark Isomap).
    #[param(default = Landmarks::Auto)]
    pub landmarks: Landmarks,
    /// Choice of the landmarks: `random`, or farthest-point sampling (`maxmin`), which covers sparse regions better, outliers included.
    #[param(default = LandmarkChoice::Random)]
    pub landmark_choice: LandmarkChoice,
    /// Supervised Isomap: weight of the distances between classes, from 0 to below 1, or `auto` to choose it by cross-validation. Larger
    /// values separate the classes more and preserve geodesic distances less.
    #[param(default = ClassWeight::None)]
    pub alpha: ClassWeight,
    /// Out-of-sample placement of new rows: by `geodesic` distances to the landmarks, or by `interpolation` of their neighbours, which is faster.
    #[param(default = Placement::Geodesic)]
    pub placement: Placement,
    /// Tolerance of the eigensolver: residual relative to the largest eigenvalue. Larger values are faster and less exact; usually 1e-12 to
    /// 1e-4.
    #[param(default = 1e-10, above = 0.0, max = 0.01)]
    pub tolerance: f64,
}

impl Method for Isomap {
    const INFO: Info = Info {
        name: "isomap",
        title: "Isomap",
        summary: "Preserves geodesic distances: shortest paths along the neighbour graph",
        family: Family::Manifold,
        reference: "Tenenbaum, de Silva and Langford 2000",
        takes: &[Input::Sparse, Input::Distances, Input::Neighbors],
        offers: &[Capability::Graph, Capability::Spectrum, Capability::Steps],
        labels: LabelUse::Optional,
        transform_error: 1e-6,
        ..Info::DEFAULT
    };

    type Model = IsomapModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<IsomapModel> {
        data.check_finite()?;
        self.check_sizes(data.n_rows())?;
        let (geodesics, tried) = self.mixed_geodesics(run, data)?;
        self.model(run, data, geodesics, tried)
    }

    fn steps_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Steps> {
        data.check_finite()?;
        self.check_sizes(data.n_rows())?;
        check_room(run, data.n_rows(), 6)?;
        let all = Self {
            landmarks: Landmarks::All,
            ..self.clone()
        };
        let (geodesics, _) = all.mixed_geodesics(run, data)?;
        let graph = &geodesics.connected.graph;
        let mut lengths = Array2::zeros((graph.n_rows(), graph.n_rows()));
        for (row, other, length) in graph.edges() {
            lengths[[row as usize, other as usize]] = length;
            lengths[[other as usize, row as usize]] = length;
        }
        let squares = geodesics.squares.among_sources();
        let inner = doubly_centred(&squares * -0.5);
        let matrices = vec![
            Step::new(
                "graph",
                "the lengths of the edges of the neighbour graph; 0 where there is none",
                lengths,
            ),
            Step::new(
                "D",
                "geodesic distances: the lengths of the shortest paths along the graph (with alpha, mixed with those between classes)",
                squares.mapv(f64::sqrt),
            ),
            Step::new(
                "B",
                "−½ J D² J with D² entry by entry and J = I − 1/n: inner products, whose largest eigenvectors are the map",
                inner.clone(),
            ),
            Step::new(
                "kernel",
                "B: kernel PCA of it has the axes of the map, up to sign",
                inner,
            ),
        ];
        Ok(Steps {
            matrices,
            rows: geodesics.connected.rows,
        })
    }

    fn embedded_graph(&self, _n_rows: usize) -> Option<EmbeddedGraph> {
        Some(EmbeddedGraph::connected(&self.neighborhood))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let n = shape.n_rows;
        self.check_sizes(n)?;
        shape.check_neighborhood(&self.neighborhood, 1)?;
        let k = self.neighborhood.n_neighbors.min(n);
        let m = self.landmarks.count(n);
        let bytes = shape.precision.bytes();
        let plan = if m == n {
            Plan::new("shortest paths between all rows")
        } else {
            Plan::new(format!("shortest paths from {}", counted(m, "landmark"))).needs(
                "squared distances between landmarks",
                (m, m),
                8,
            )
        };
        let width = self.n_components.max(10).saturating_add(8).min(m);
        Ok(plan
            .needs("squared distances along the graph", (m, n), bytes)
            .needs("neighbours and graph", (n, k), 6 * 16)
            .needs_search(shape, &self.neighborhood)
            .needs_rows("training rows", shape)
            .needs("vectors of the iteration", (m, width.saturating_mul(16)), 8)
            .needs("distances in double precision", (64, n), 8)
            .needs(
                "rows whose residuals are measured",
                (m.min(MEASURED), m.min(MEASURED)),
                8,
            )
            .needs(
                "rows whose whole spectrum is computed",
                (m.min(WHOLE_SPECTRUM), m.min(WHOLE_SPECTRUM)),
                4 * 8,
            )
            .needs("embedding", (n, self.n_components), 3 * 8)
            .advice(message!(
                "set {landmarks:parameter} to a number of {:rows} to measure from, such as 1000"
            )))
    }
}

/// A graph, and the geodesic distances along it.
struct Geodesics {
    connected: Connected,
    squares: Squares,
}

impl Geodesics {
    /// Mixes the distances with those between the classes of the data's rows.
    fn mix(&mut self, run: &Run<'_>, of_row: &[Option<u32>], alpha: f64) -> Result<()> {
        let of_row: Vec<Option<u32>> = match &self.connected.rows {
            None => of_row.to_vec(),
            Some(rows) => rows.iter().map(|&row| of_row[row as usize]).collect(),
        };
        self.squares.mix_classes(run, of_row, alpha)
    }
}

impl Isomap {
    fn check_sizes(&self, n_rows: usize) -> Result<()> {
        check_rows(message!("Isomap"), 2, n_rows)?;
        self.landmarks.check_components(self.n_components, n_rows)
    }

    /// The geodesic distances, mixed with those between classes if that is requested, and the weights of the classes that were tried.
    fn mixed_geodesics(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
    ) -> Result<(Geodesics, Vec<(f64, f64)>)> {
        let classes = match self.alpha {
            ClassWeight::None => None,
            _ => Some(data.classes(Self::INFO.name)?),
        };
        let (alpha, tried) = match (self.alpha, &classes) {
            (ClassWeight::Auto, Some(classes)) => self.chosen_weight(run, data, classes)?,
            (ClassWeight::Weight(alpha), _) => (alpha, Vec::new()),
            _ => (0.0, Vec::new()),
        };
        let mut geodesics = self.geodesics(run, data)?;
        if let Some(classes) = &classes {
            geodesics.mix(run, &classes.of_row, alpha)?;
        }
        Ok((geodesics, tried))
    }

    fn geodesics(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Geodesics> {
        run.stage("nearest neighbours")?;
        let connected = self.neighborhood.graph(run, data)?;
        connected.check_components(self.n_components)?;
        self.check_sizes(connected.graph.n_rows())?;
        let paths = Paths::of(&connected.graph);
        let seed = self.neighborhood.search.seed;
        let sources = (self.landmarks).choose(run, &paths, self.landmark_choice, seed)?;
        run.stage("shortest paths")?;
        let single = match data.source() {
            Source::Features(features) => features.precision() == Precision::Single,
            _ => false,
        };
        let squares = Squares::along(run, &paths, sources, single)?;
        Ok(Geodesics { connected, squares })
    }

    fn options(&self, report: bool) -> ScalingOptions {
        ScalingOptions {
            n_components: self.n_components,
            tolerance: self.tolerance,
            report,
            seed: self.neighborhood.search.seed,
        }
    }

    /// The scaling of the landmarks, what it scaled, and the coordinates of all rows.
    fn scaled(&self, run: &Run<'_>, squares: &Squares, report: bool) -> Result<Scaling> {
        run.stage("eigenvectors")?;
        if squares.n_sources() == squares.n_rows() {
            let scaled = scale(run, squares, self.options(report))?;
            let coordinates = scaled.coordinates.slice(s![.., ..self.n_components]);
            let coordinates = coordinates.to_owned();
            return Ok(Scaling {
                scaled,
                coordinates,
                among: None,
            });
        }
        let among = Squares::between(squares.among_sources());
        let scaled = scale(run, &among, self.options(report))?;
        let coordinates = squares.coordinates(run, &scaled.means, &scaled.weights.view())?;
        Ok(Scaling {
            scaled,
            coordinates,
            among: Some(among),
        })
    }

    fn model(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        geodesics: Geodesics,
        tried: Vec<(f64, f64)>,
    ) -> Result<IsomapModel> {
        let Scaling {
            scaled,
            coordinates,
            among,
        } = self.scaled(run, &geodesics.squares, true)?;
        run.stage("residual variance")?;
        let measured = among.as_ref().unwrap_or(&geodesics.squares);
        let fidelity = fidelity(run, measured, &scaled, self.options(true))?;
        let Connected {
            graph,
            algorithm,
            recall,
            n_parts,
            bridges,
            rows,
        } = geodesics.connected;
        let degrees = graph.starts.windows(2).map(|pair| pair[1] - pair[0]);
        let n_neighbors = match self.neighborhood.radius {
            Some(_) => degrees.max().unwrap_or(1).max(1),
            None => self.neighborhood.n_neighbors,
        };
        Ok(IsomapModel {
            embedding: model::in_data_order(&coordinates.view(), rows.as_deref(), data.n_rows()),
            reference: self.reference(data, rows.as_deref())?,
            graph: graph.into_kept(),
            rows,
            n_neighbors,
            radius: self.neighborhood.radius,
            landmarks: geodesics.squares.sources,
            placement: self.placement,
            report: IsomapReport {
                algorithm,
                recall,
                n_parts,
                n_bridges: bridges.len(),
                fidelity,
                tried,
            },
            mix: geodesics.squares.mix,
            values: scaled.values,
            weights: scaled.weights,
            means: scaled.means,
        })
    }

    /// The rows of the graph, for new rows to find their neighbours among.
    fn reference(&self, data: &Data<'_>, rows: Option<&[u32]>) -> Result<Option<Reference>> {
        let Source::Features(_) = data.source() else {
            return Ok(None);
        };
        let search = &self.neighborhood.search;
        Ok(Some(match rows {
            None => Reference::new(data, search)?,
            Some(rows) => Reference::of_rows(data, rows, search)?,
        }))
    }

    /// The weight of the classes with the best k-NN accuracy of held-out rows,
    /// of equal ones the smallest; and how often, for every weight tried.
    fn chosen_weight(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        classes: &Classes,
    ) -> Result<(f64, Vec<(f64, f64)>)> {
        if data.neighbors().is_some() {
            return Err(Error::unsupported(
                message!("{alpha=auto}"),
                message!(
                    "holds out {:rows}, which needs a search for neighbours, but the neighbours were \
                     given: set it to a number"
                ),
            ));
        }
        self.check_folds(data.n_rows())?;
        run.stage("weight of the classes")?;
        let order = permutation(&mut stream(self.neighborhood.search.seed, 3), data.n_rows());
        let mut tried: Vec<(f64, f64)> = (0..10)
            .map(|tenth| (f64::from(tenth) / 10.0, 0.0))
            .collect();
        let quiet = Quiet(run);
        let within = Run::new().observer(&quiet);
        for number in 0..FOLDS {
            let fold = Fold::of(data, &order, number, FOLDS)?;
            self.try_weights(&within, &fold, classes, &mut tried)?;
            run.progress(number as u64 + 1, FOLDS as u64)?;
        }
        let best = tried.iter().map(|pair| pair.1).fold(0.0, f64::max);
        let alpha = tried
            .iter()
            .find(|pair| pair.1 >= best)
            .map_or(0.0, |pair| pair.0);
        Ok((alpha, tried))
    }

    /// Fails if the rows of a fold are too few for the coordinates.
    fn check_folds(&self, n_rows: usize) -> Result<()> {
        let left = |n_rows: usize| self.landmarks.count(n_rows - n_rows.div_ceil(FOLDS));
        if self.n_components < left(n_rows) {
            return Ok(());
        }
        Err(Error::too_few_rows(
            message!("{alpha=auto}, which holds out a fifth of the {:rows},"),
            (n_rows..)
                .find(|&n| self.n_components < left(n))
                .unwrap_or(n_rows),
            n_rows,
        ))
    }

    /// Adds to each weight the fraction of all rows that are classified correctly in a fold.
    fn try_weights(
        &self,
        run: &Run<'_>,
        fold: &Fold<'_, '_>,
        classes: &Classes,
        tried: &mut [(f64, f64)],
    ) -> Result<()> {
        let data = fold.kept()?;
        // A fold may have fewer rows than all have neighbours.
        let mut fitted = self.clone();
        let n_neighbors = &mut fitted.neighborhood.n_neighbors;
        *n_neighbors = (*n_neighbors).min(data.n_rows() - 1);
        let mut geodesics = fitted.geodesics(run, &data)?;
        let of = |rows: &[usize]| {
            rows.iter()
                .map(|&row| classes.of_row[row])
                .collect::<Vec<_>>()
        };
        let (known, new) = (of(&fold.inside), of(&fold.outside));
        geodesics.mix(run, &known, 0.0)?;
        let mut squares = geodesics.squares.clone();
        let mut model = fitted.model(run, &data, geodesics, Vec::new())?;
        let reached = model.distances_to_landmarks(run, &fold.held_out())?;
        for (alpha, share) in tried {
            if let Some(mix) = &mut squares.mix {
                mix.alpha = *alpha;
            }
            let Scaling {
                scaled,
                coordinates,
                ..
            } = fitted.scaled(run, &squares, false)?;
            model = model.rescaled(squares.mix.clone(), scaled, &coordinates.view());
            if let Some(embedding) = model.embedding() {
                let transformed = model.embed(&reached);
                let right = n_right(run, &embedding, &known, &transformed.view(), &new, VOTERS)?;
                *share += right / classes.n_labelled() as f64;
            }
        }
        Ok(())
    }
}

/// The scaling of landmarks and the coordinates of all rows.
struct Scaling {
    scaled: Scaled,
    coordinates: Array2<f64>,
    /// The distances between the landmarks, if these are not all rows.
    among: Option<Squares>,
}
