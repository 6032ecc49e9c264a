//! t-SNE, t-distributed stochastic neighbour embedding: preserves local neighbourhoods and separates clusters.
//!
//! # Idea
//! Every row has affinities to its nearest rows, which fall with the distance and add up to one. In the map, affinities fall with
//! the distance by Student's t distribution, whose heavy tail leaves room for dissimilar rows. The embedding is optimized until its affinities are as similar
//! as possible to those of the data: neighbours attract each other, all rows repel each other. Clusters come out as separate groups; the distances between
//! them and their sizes mean little.
//!
//! # Steps
//! 1. [`neighbors`]: three times as many neighbours as the perplexity.
//! 2. [`methods::tsne`](crate::methods::tsne): symmetric affinities of the perplexity; initialization by principal
//!    components; gradient descent with momentum, first with early exaggeration, so that clusters form.
//! 3. [`methods::tsne::TsneModel`](crate::methods::tsne::TsneModel): the embedding, out-of-sample placement, and further steps.
//!
//! # Objective
//! KL = Σ p_ij ln(p_ij / q_ij) with q_ij = k_ij / Z, k_ij = (1 + |y_i − y_j|²/α)^−α and Z = Σ k_ij over all pairs; α is
//! `dof`. p_ij = (p_j|i + p_i|j) / 2n, where p_j|i ∝ exp(−β_i |x_i − x_j|²) has the given perplexity. The gradient is
//! Σ p_ij k_ij^(1/α) (y_i − y_j) − ½ Σ ∇k_ij / Z, with gains and momentum. `kl_divergence` is that of the map returned, without
//! exaggeration; `kl_divergence_estimate` reports whether Z is exact, as it is up to 20,000 rows.
//!
//! # Initial coordinates
//! Coordinates that are given with the data ([`Data::with_initial_embedding`]) are used as they are, as scikit-learn and openTSNE do: standard deviations of
//! about 0.0001 let clusters pass each other, large ones keep the arrangement.
//!
//! # Cost
//! The search for neighbours; then, in the plane, steps that take time in proportion to rows × perplexity and to the area of the map,
//! which grows with the rows. About 150 bytes a row for each ten of perplexity while affinities are made, and half of that later.
//! In three dimensions the tree takes rows × log rows, more slowly.
//!
//! # Choosing parameters
//! `perplexity` is about the number of neighbours that count: 30 suits most data, and much larger ones show coarser structure; several,
//! as `perplexities = [30, 300]`, show both. `exaggeration` of 2 to 4 makes compact clusters, as UMAP does, and helps with a million
//! rows. `dof` below 1 splits clusters further. Give the first 50 principal components instead of thousands
//! of columns: it is faster and loses little.
//!
//! # New points
//! A new row has affinities of perplexity 5 to its 25 nearest training rows, starts at the median of their coordinates, and takes 250 steps of gradient descent while the training
//! embedding is fixed; new rows do not depend on each other. A row that equals a training row gets its coordinates. A saved model can take further
//! steps from where it ended ([`Fitted::continued`](crate::pipeline::Fitted::continued)).
//!
//! # Differences
//! Defaults are openTSNE's: momentum 0.8 throughout, learning rate rows / exaggeration in each phase, steps of at most 5. The
//! same seed gives the same map for any number of threads, which openTSNE and scikit-learn do not promise. On the grid, the forces are
//! slopes of one potential with cubic splines, where FIt-SNE interpolates four. scikit-learn's learning rate is a quarter of ours
//! because its gradient has the paper's factor 4, and its momentum is 0.5 at first.
//!
//! # References
//! van der Maaten and Hinton, "Visualizing data using t-SNE", 2008. van der Maaten, "Accelerating t-SNE using tree-based algorithms",
//! 2014. Linderman et al., "Fast interpolation-based t-SNE", 2019. Kobak and Berens, "The art of using t-SNE for single-cell
//! transcriptomics", 2019. Kobak et al., "Heavy-tailed kernels reveal a finer cluster structure in t-SNE visualisations", 2019. Poličar et
//! al., "openTSNE: a modular Python library for t-SNE", 2024.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, Transform, methods::tsne::Tsne};
//! let roll = charta::data::synthetic::swiss_roll(300, 0.0, 0)?;
//! let model = Tsne { perplexity: 20.0, ..Tsne::default() }.fit(&roll)?;
//! assert_eq!(model.embedding().unwrap().dim(), (300, 2));
//! assert!(model.kl_divergence() < 1.0);
//! let coordinates = model.transform(&charta::data::synthetic::swiss_roll(10, 0.1, 1)?)?;
//! assert_eq!(coordinates.dim(), (10, 2));
//! # Ok::<(), charta::Error>(())
//! ```

mod affinities;
mod affinity_options;
mod divergence;
mod gradient_step;
mod initialization;
mod model;
mod optimize;
mod out_of_sample;
mod perplexity;
mod repulsion;

pub use affinities::Affinity;
pub use affinity_options::AffinityOptions;
pub use initialization::Initialization;
pub use model::{TsneModel, TsneReport};
pub use repulsion::Gradient;

use self::affinities::Affinities;
use self::affinity_options::FoundAffinities;
use self::divergence::Divergence;
use self::model::TsneOptions;
use self::optimize::{MAX_COMPONENTS, Optimized, Optimizer, Phase};
use self::out_of_sample::{N_NEIGHBORS, OutOfSample};
use crate::data::Data;
use crate::error::{Result, Warning, message};

use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};

use crate::neighbors::{self, Search};
use crate::optimize::anchored::Anchored;
use crate::params::Parameters;
use crate::run::Run;

/// Parameters of t-SNE.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Tsne {
    /// Number of dimensions of the embedding: 2 or 3 for pictures. More than 3 need all pairs of rows, and are slow.
    #[param(default = 2, min = 1, max = 32)]
    pub n_components: usize,
    /// Perplexity: about the number of neighbours that count for each row. Larger values show coarser structure and take longer; usually 5 to 100, and less than a third of the rows.
    #[param(default = 30.0, min = 1.0)]
    pub perplexity: f64,
    /// Several perplexities, whose affinities are averaged, in place of one: a small one for local and a large one for global structure, such as 30 and 300.
    #[param(default = Vec::new(), min = 1.0)]
    pub perplexities: Vec<f64>,
    /// How affinities are computed: `perplexity` (Gaussian kernel), `uniform` (k-nearest-neighbour graph with equal weights), or `precomputed`.
    #[param(default = Affinity::Perplexity)]
    pub affinity: Affinity,
    /// Early exaggeration: factor of the affinities in the first phase, in which clusters form. Larger values give tighter, better separated clusters; usually 4 to 32.
    #[param(default = 12.0, above = 0.0)]
    pub early_exaggeration: f64,
    /// Number of iterations with early exaggeration. Too few leave clusters in several pieces; usually 100 to 500.
    #[param(default = 250)]
    pub early_iterations: usize,
    /// Exaggeration after the first phase: factor of the affinities. Values of 2 to 4 give compact clusters, as UMAP does; 1 is plain t-SNE.
    #[param(default = 1.0, above = 0.0)]
    pub exaggeration: f64,
    /// Number of iterations in all, those of the early exaggeration included. More iterations converge further; usually 750 to 2500.
    #[param(default = 750)]
    pub iterations: usize,
    /// Learning rate; if not given, the number of rows divided by the exaggeration, which is usual. Too small a rate leaves a dense ball,
    /// too large a rate scatters the points.
    #[param(above = 0.0)]
    pub learning_rate: Option<f64>,
    /// Momentum of gradient descent: fraction of a step that is added to the next. Larger values converge faster and may overshoot; usually
    /// 0.5 to 0.9.
    #[param(default = 0.8, min = 0.0, below = 1.0)]
    pub momentum: f64,
    /// Step clipping: the largest distance that a point moves in one iteration. Smaller values are more stable and slower; usually 1 to 10.
    #[param(default = 5.0, above = 0.0)]
    pub max_step: f64,
    /// How the repulsion is computed: `exact` (all pairs), `tree` (Barnes–Hut) or `grid` (FIt-SNE interpolation); `auto` chooses by rows and dimensions.
    #[param(default = Gradient::Auto)]
    pub gradient: Gradient,
    /// θ of Barnes–Hut (`gradient = tree`): cells whose size is below this fraction of their distance count as one point. Smaller values are more exact and slower, 0 is exact; usually 0.2 to 0.8.
    #[param(default = 0.5, min = 0.0, max = 2.0)]
    pub theta: f64,
    /// Degrees of freedom of the Student t kernel. Values below 1 have heavier tails and split clusters further; usually 0.5 to 1.
    #[param(default = 1.0, min = 0.05, max = 100.0)]
    pub dof: f64,
    /// Initialization of the embedding: `pca` and `spectral` preserve the global structure, `random` does not. Initial coordinates given with the data take its place.
    #[param(default = Initialization::Pca)]
    pub init: Initialization,
    /// Nearest-neighbour search.
    #[param(flatten)]
    pub search: Search,
}

impl Method for Tsne {
    const INFO: Info = Info {
        name: "tsne",
        title: "t-SNE",
        summary: "Preserves local neighbourhoods and separates clusters, by matching affinities under a Student t kernel",
        family: Family::Neighbor,
        reference: "van der Maaten and Hinton 2008",
        takes: &[
            Input::Sparse,
            Input::Distances,
            Input::Neighbors,
            Input::InitialEmbedding,
            Input::Anchors,
        ],
        offers: &[Capability::Continues, Capability::Interruptible],
        many_minima: true,
        ..Info::DEFAULT
    };

    type Model = TsneModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<TsneModel> {
        self.gradient.check(self.n_components)?;
        let given = data.initial_embedding_of(self.n_components)?;
        let options = self.options();
        let found = options.affinities.of(run, data)?;
        let report = TsneReport::before(&found);
        run.stage("initialization")?;
        let seed = self.search.seed;
        let anchored = Anchored::of(data, self.n_components)?;
        let affinities = &found.affinities;
        let initial = match (given, &anchored) {
            (Some(given), _) => given.to_owned(),
            (None, Some(anchored)) => anchored.initial(run, seed, |row| affinities.row(row).0)?,
            (None, None) => {
                (self.init).coordinates(run, data, affinities, self.n_components, seed)?
            }
        };
        run.stage("layout")?;
        // Clusters have formed where a layout starts at anchors: it is not exaggerated.
        let early = match &anchored {
            Some(_) => 0,
            None => {
                self.warn_exaggerated(run)?;
                self.early_iterations.min(self.iterations)
            }
        };
        let phases = vec![
            Phase {
                exaggeration: self.early_exaggeration,
                ..options.phase(early, self.exaggeration)
            },
            options.phase(self.iterations - early, self.exaggeration),
        ];
        let optimizer = options.optimizer(phases);
        let optimized =
            optimizer.optimize(run, found.affinities, &initial.view(), anchored.as_ref())?;
        TsneModel::new(run, data, options, optimized, report)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        self.gradient.check(self.n_components)?;
        let n = shape.n_rows;
        let k = self.options().affinities.n_neighbors(n);
        let gradient = self.gradient.resolve(n, self.n_components);
        let plan = Plan::new(format!(
            "descent by momentum, repulsion by {}",
            gradient.title()
        ));
        let stages = self.stages(shape, k);
        let most = stages.into_iter().max_by_key(|stage| stage.1);
        let plan = match most {
            Some((what, bytes)) => plan.needs(what, (1, 1), bytes),
            None => plan,
        };
        Ok(plan
            .needs("map", (n, self.n_components), 2 * 8)
            .needs_rows("training rows", shape)
            .advice(message!("use fewer {:rows}, or a smaller perplexity")))
    }
}

impl Tsne {
    /// Warns of a layout all of whose iterations are of the early exaggeration.
    fn warn_exaggerated(&self, run: &Run<'_>) -> Result<()> {
        let ends_early = self.iterations > 0 && self.iterations <= self.early_iterations;
        if !ends_early || self.early_exaggeration == self.exaggeration {
            return Ok(());
        }
        run.warn(Warning::doubtful(
            message!("the layout ends in the early exaggeration"),
            message!(
                "{iterations:setting} are no more than {early_iterations:setting}, so clusters are still contracted; use more \
                 {iterations:parameter} or fewer {early_iterations:parameter}",
                iterations = self.iterations,
                early_iterations = self.early_iterations
            ),
        ))
    }

    /// The parameters that a model keeps.
    fn options(&self) -> TsneOptions {
        TsneOptions {
            affinities: AffinityOptions {
                affinity: self.affinity,
                perplexities: if self.perplexities.is_empty() {
                    vec![self.perplexity]
                } else {
                    self.perplexities.clone()
                },
                search: self.search.clone(),
            },
            gradient: self.gradient,
            theta: self.theta,
            degrees_of_freedom: self.dof,
            exaggeration: self.exaggeration,
            learning_rate: self.learning_rate,
            momentum: self.momentum,
            max_step: self.max_step,
        }
    }

    /// The stages, of which one is the peak, with the bytes of each.
    fn stages(&self, shape: &Shape, k: usize) -> [(&'static str, u64); 3] {
        let n = shape.n_rows as u64;
        let entries = n.saturating_mul(k as u64);
        let search = if shape.features {
            let stored = shape.sparse.then_some(shape.n_stored);
            neighbors::memory(
                shape.n_rows,
                shape.n_columns,
                shape.precision,
                stored,
                &self.search,
                k,
            )
        } else {
            0
        };
        let width = self.n_components as u64;
        // Nodes are 0.35 apart in a map whose area grows with the rows; transforms take twice each side.
        let nodes = (n as f64).sqrt().mul_add(2.2, 100.0).min(4096.0);
        let grid = (nodes * nodes * 4.0 * 4.0 * 3.0) as u64 + (1 << 20);
        [
            (
                "search for neighbours",
                search.saturating_add(entries.saturating_mul(12)),
            ),
            // Conditional affinities, the same by the other row, and twice as many affinities as both could be.
            (
                "affinities",
                entries.saturating_mul(12 + 8 + 16).saturating_add(n * 64),
            ),
            // Two orders of the affinities while rows are sorted.
            (
                "layout",
                entries
                    .saturating_mul(2 * 14)
                    .saturating_add(n * (40 * width + 64) + grid),
            ),
        ]
    }
}

// The limit of the parameter above is that of the stage.
const _: () = assert!(MAX_COMPONENTS == 32);
