//! t-SNE: a map in which rows have the same neighbours as in the data.
//!
//! # Idea
//! Every row has affinities to its nearest rows, which fall with the distance and add up to one. In the map, affinities fall with
//! the distance by Student's t distribution, whose long tail leaves room for rows that are not alike. The map is moved until its
//! affinities are as much like those of the data as they can be: neighbours attract each other, all rows push each other away.
//! Groups come out as islands; how far islands are apart, and how large they are, means little.
//!
//! # Steps
//! 1. [`neighbors`]: three times as many neighbours as the perplexity.
//! 2. [`methods::tsne`](crate::methods::tsne): affinities of the perplexity, made the same both ways; a small start from principal
//!    components; the descent, first with affinities multiplied by `early_exaggeration`, so that groups find together.
//! 3. [`methods::tsne::TsneModel`](crate::methods::tsne::TsneModel): the map, new rows, and further steps.
//!
//! # Objective
//! KL = Σ p_ij ln(p_ij / q_ij) with q_ij = k_ij / Z, k_ij = (1 + |y_i − y_j|²/α)^−α and Z = Σ k_ij over all pairs; α is
//! `degrees_of_freedom`. p_ij = (p_j|i + p_i|j) / 2n, where p_j|i ∝ exp(−β_i |x_i − x_j|²) has the perplexity asked for. The gradient is
//! Σ p_ij k_ij^(1/α) (y_i − y_j) − ½ Σ ∇k_ij / Z, with gains and momentum. `kl_divergence` is that of the map returned, without
//! exaggeration; `kl_divergence_is` says whether Z is exact, as it is up to 20,000 rows.
//!
//! # Cost
//! The search for neighbours; then, in the plane, steps that take time in proportion to rows × perplexity and to the area of the map,
//! which grows with the rows. About 150 bytes a row for each ten of perplexity while affinities are made, and half of that later.
//! In three dimensions the tree takes rows × log rows, more slowly.
//!
//! # Choosing parameters
//! `perplexity` is about the number of neighbours that count: 30 suits most data, and much larger ones show coarser structure; several,
//! as `perplexities = [30, 300]`, show both. `exaggeration` of 2 to 4 makes compact islands, as UMAP does, and helps with a million
//! rows. `degrees_of_freedom` below 1 splits islands further. Give the first 50 principal components instead of thousands
//! of columns: it is faster and loses little.
//!
//! # New points
//! A new row has affinities of perplexity 5 to its 25 nearest known rows, starts at the median of their places, and takes 250 steps in the
//! map, which stands still; new rows do not see each other. A row that equals a known one gets its place. A saved model can take further
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
//! let placed = model.transform(&charta::data::synthetic::swiss_roll(10, 0.1, 1)?)?;
//! assert_eq!(placed.dim(), (10, 2));
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

pub use affinities::{Affinities, Affinity};
pub use affinity_options::{Tied, Ties};
pub use divergence::Divergence;
pub use initialization::Start;
pub use model::{TsneModel, TsneReport, TsneRule};
pub use optimize::{Descended, Descent, MOST_COMPONENTS, Phase};
pub use out_of_sample::{N_NEIGHBORS, PERPLEXITY, Still};
pub use repulsion::Gradient;

use crate::data::Data;
use crate::error::Result;
use crate::message;

use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};

use crate::neighbors::{self, Search};
use crate::params::Parameters;
use crate::run::Run;

/// Parameters of t-SNE.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Tsne {
    /// Number of coordinates.
    #[param(default = 2, min = 1, max = 32)]
    pub n_components: usize,
    /// About how many neighbours count for each row.
    #[param(default = 30.0, min = 1.0)]
    pub perplexity: f64,
    /// Several perplexities, whose affinities are averaged, instead of one.
    #[param(default = Vec::new(), min = 1.0)]
    pub perplexities: Vec<f64>,
    /// What affinities are made of.
    #[param(default = Affinity::Perplexity)]
    pub affinity: Affinity,
    /// What affinities are multiplied by in the first steps.
    #[param(default = 12.0, above = 0.0)]
    pub early_exaggeration: f64,
    /// How many first steps there are.
    #[param(default = 250)]
    pub early_iterations: usize,
    /// What affinities are multiplied by afterwards: above 1, islands become compact.
    #[param(default = 1.0, above = 0.0)]
    pub exaggeration: f64,
    /// Number of iterations in all, those of the early exaggeration included.
    #[param(default = 750)]
    pub iterations: usize,
    /// The learning rate; the number of rows divided by the exaggeration if none is given.
    #[param(above = 0.0)]
    pub learning_rate: Option<f64>,
    /// The share of a step that is repeated in the next.
    #[param(default = 0.8, min = 0.0, below = 1.0)]
    pub momentum: f64,
    /// The furthest that a row moves in a step.
    #[param(default = 5.0, above = 0.0)]
    pub max_step: f64,
    /// How repulsion is computed.
    #[param(default = Gradient::Auto)]
    pub gradient: Gradient,
    /// For the tree: cells smaller than this share of their distance count as one row.
    #[param(default = 0.5, above = 0.0, max = 2.0)]
    pub theta: f64,
    /// Degrees of freedom of the map's kernel: less than 1 gives it a heavier tail.
    #[param(default = 1.0, min = 0.05, max = 100.0)]
    pub degrees_of_freedom: f64,
    /// Where the descent begins.
    #[param(default = Start::Pca)]
    pub start: Start,
    /// How neighbours are searched for.
    #[param(flatten)]
    pub search: Search,
}

impl Method for Tsne {
    const INFO: Info = Info {
        name: "tsne",
        title: "t-SNE",
        summary: "A map in which rows have the same neighbours as in the data",
        family: Family::Neighbor,
        reference: "van der Maaten and Hinton 2008",
        takes: &[Input::Sparse, Input::Distances, Input::Neighbors],
        offers: &[Capability::Continues],
        many_minima: true,
        ..Info::DEFAULT
    };

    type Model = TsneModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<TsneModel> {
        self.gradient.check(self.n_components)?;
        let rule = self.rule();
        let tied = rule.ties.of(run, data)?;
        let report = TsneReport::before(&tied);
        run.stage("start")?;
        let wanted = (self.n_components, self.search.seed);
        let start = self.start.places(run, data, &tied.affinities, wanted)?;
        run.stage("layout")?;
        let early = self.early_iterations.min(self.iterations);
        let phases = vec![
            Phase {
                exaggeration: self.early_exaggeration,
                ..rule.phase(early, self.exaggeration)
            },
            rule.phase(self.iterations - early, self.exaggeration),
        ];
        let map = rule
            .descent(phases)
            .from(run, tied.affinities, &start.view())?;
        TsneModel::new(run, data, rule, (map, report))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        self.gradient.check(self.n_components)?;
        let n = shape.n_rows;
        let k = self.rule().ties.n_neighbors(n);
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
    /// What the descent is told.
    fn rule(&self) -> TsneRule {
        TsneRule {
            ties: Ties {
                affinity: self.affinity,
                perplexities: match self.perplexities.is_empty() {
                    true => vec![self.perplexity],
                    false => self.perplexities.clone(),
                },
                search: self.search.clone(),
            },
            gradient: self.gradient,
            theta: self.theta,
            freedom: self.degrees_of_freedom,
            exaggeration: self.exaggeration,
            learning_rate: self.learning_rate,
            momentum: self.momentum,
            longest_step: self.max_step,
        }
    }

    /// The stages, of which one is the peak, with the bytes of each.
    fn stages(&self, shape: &Shape, k: usize) -> [(&'static str, u64); 3] {
        let n = shape.n_rows as u64;
        let entries = n.saturating_mul(k as u64);
        let search = if shape.features {
            let size = (shape.n_rows, shape.n_columns);
            let stored = shape.sparse.then_some(shape.n_stored);
            neighbors::memory(size, shape.precision, stored, &self.search, k)
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
            // Shares, the same by the other row, and twice as many affinities as both could be.
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
const _: () = assert!(MOST_COMPONENTS == 32);
