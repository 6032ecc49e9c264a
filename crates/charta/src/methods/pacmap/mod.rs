//! PaCMAP, pairwise controlled manifold approximation: preserves local and global structure by near, mid-near and further pairs.
//!
//! # Idea
//! Only some pairs of rows count. Neighbours attract each other, and so do mid-near rows, which are merely nearer than most: these shape the global structure.
//! Further pairs repel. At first the mid-near pairs dominate and arrange the global structure; later their weight falls to 0, and the local structure is
//! refined.
//!
//! # Steps
//! 1. `methods::pacmap::rows`: rows of many columns reduced by PCA, and the initialization.
//! 2. [`neighbors`](crate::neighbors): 50 neighbours more than are kept.
//! 3. `methods::pacmap::pairs`: near pairs by scaled distances, mid-near and further ones at random.
//! 4. `methods::pacmap::optimize`: Adam, in three phases.
//! 5. [`methods::pacmap::PacmapModel`](crate::methods::pacmap::PacmapModel): the embedding, and out-of-sample placement.
//!
//! # Objective
//! With e = 1 + |yᵢ − yⱼ|² the loss is w₁ Σ e / (10 + e) over near pairs, plus w₂ Σ e / (10000 + e) over mid-near ones, plus
//! w₃ Σ 1 / (1 + e) over further ones. The weights are 2, 1000 falling to 3, and 1 in the first 100 steps; 3, 3, 1 in the next 100;
//! 1, 0, 1 in the last 250. Near pairs are those with the smallest d² / (σᵢ σⱼ), σ the mean distance to the fourth to sixth neighbour. A mid-near row is the
//! second nearest of six random rows.
//!
//! # Initial coordinates
//! Coordinates that are given with the data ([`Data::with_initial_embedding`]) are centred and scaled to a standard deviation of 0.0001 along every axis, as
//! pacmap does.
//!
//! # Cost
//! The search for neighbours, and 450 steps over 70 pairs of every row: linear in the rows. About 300 bytes a row for the pairs.
//!
//! # Choosing parameters
//! The defaults suit most data. More neighbours make clusters rounder and preserve more of the global structure; `n_neighbors = auto` takes more
//! for more than 10,000 rows. A higher `mid_near_ratio` preserves more of the global structure, a higher `further_ratio` separates clusters more.
//! `reduced_columns = 0` compares rows by all their columns.
//!
//! # New points
//! A new row is initialized at the mean of its nearest training rows, and Adam minimizes the loss of its near pairs with them while the training embedding is
//! fixed.
//! A row that equals a training row gets its coordinates. New rows do not depend on each other.
//!
//! # Differences
//! pacmap 0.9 finds near pairs among approximate neighbours (HNSW), here the search decides. It reduces rows of more than 100 columns to
//! 100 principal axes for every metric, here for Euclidean distances only. Its initialization is 0.01 times the principal coordinates of rows that were
//! scaled to values from 0 to 1, but of rows as they are where they have more than 100 columns, so that the scale of the data matters; here
//! the first coordinate always has the standard deviation 0.01. Rows without features are initialized by the principal axes of their distances to 100 random
//! rows, geodesic ones if only neighbours are given; then mid-near rows are compared by these distances too. New rows are initialized at 0.01 times their
//! principal coordinates there, far from their neighbours. Each row's forces are summed in the order of
//! its list, there in that of all pairs. With fewer rows than pairs pacmap fails; here the numbers of pairs are reduced.
//!
//! # References
//! Wang, Huang, Rudin and Shaposhnik, "Understanding how dimension reduction tools work: an empirical approach to deciphering t-SNE, UMAP,
//! TriMap, and PaCMAP for data visualization", 2021.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, Transform, methods::pacmap::Pacmap};
//! let roll = charta::data::synthetic::swiss_roll(400, 0.0, 0)?;
//! let model = Pacmap::default().fit(&roll)?;
//! assert_eq!(model.embedding().unwrap().dim(), (400, 2));
//! let coordinates = model.transform(&charta::data::synthetic::swiss_roll(10, 0.1, 1)?)?;
//! assert_eq!(coordinates.dim(), (10, 2));
//! # Ok::<(), charta::Error>(())
//! ```

mod gradient;
mod model;
mod optimize;
pub(crate) mod pairs;
mod rows;

use self::model::PacmapFit;
pub use model::{PacmapModel, PacmapReport};

use self::gradient::{Coordinates, PairLists};
use self::optimize::{Optimizer, Phases};
use self::pairs::{Counts, Pairs, further, mid_near, near};
use self::rows::{Measure, PreparedRows, RowOptions};
use crate::data::{Data, Source};
use crate::error::{Because, Error, Result, Warning, check_rows, message};
use crate::graph::Neighborhood;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::model::{GraphReport, TrainingRows};
use crate::neighbors::Search;
use crate::optimize::anchored::Anchored;
use crate::params::{Choice, Parameters};
use crate::run::Run;
pub use rows::Initialization;

/// Neighbours that are found beyond those kept, from which scaled distances choose.
const MORE: usize = 50;
/// Rows up to which `auto` takes the fewest neighbours.
const FEW_ROWS: f64 = 10_000.0;

/// How many near pairs each row chooses.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum NeighborCount {
    /// Exactly this number.
    #[choice(min = 1)]
    Count(usize),
    /// 10 up to 10,000 rows, and 15 more for each factor of 10 beyond.
    Auto,
}

impl NeighborCount {
    fn count(self, n_rows: usize) -> usize {
        match self {
            Self::Count(count) => count,
            Self::Auto => {
                let tenfold = (n_rows as f64 / FEW_ROWS).log10().max(0.0);
                (10.0 + 15.0 * tenfold).round_ties_even() as usize
            }
        }
    }
}

/// Parameters of PaCMAP.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Pacmap {
    /// Number of dimensions of the embedding: 2 or 3 for pictures, more as input for clustering.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Number of neighbours (near pairs) of each row, or `auto` for more with more rows. Larger values preserve more of the global structure, smaller values more local detail; usually 5 to 50.
    #[param(default = NeighborCount::Count(10))]
    pub n_neighbors: NeighborCount,
    /// Mid-near pairs per near pair. Larger values preserve more of the global structure; usually 0.1 to 2.
    #[param(default = 0.5, min = 0.0, max = 1000.0)]
    pub mid_near_ratio: f64,
    /// Further (repelling) pairs per near pair. Larger values separate clusters more; usually 0.5 to 5.
    #[param(default = 2.0, min = 0.0, max = 1000.0)]
    pub further_ratio: f64,
    /// Data with more columns than this are first reduced to this number of principal components, for Euclidean distances. Smaller values are faster and lose detail; 0 turns it off.
    #[param(default = 100, min = 0)]
    pub reduced_columns: usize,
    /// Iterations of the first phase, in which mid-near pairs shape the global structure. Too few leave it to the initialization; usually
    /// 100.
    #[param(default = 100, max = 100_000)]
    pub first_phase: usize,
    /// Iterations of the second phase, in which all kinds of pairs count and neighbourhoods form; usually 100.
    #[param(default = 100, max = 100_000)]
    pub second_phase: usize,
    /// Iterations of the third phase, without mid-near pairs, which refines local structure. More take longer and separate clusters
    /// further; usually 250 to 1000.
    #[param(default = 250, max = 100_000)]
    pub third_phase: usize,
    /// Learning rate of Adam: about the largest distance that a row moves in one iteration. Larger values converge faster and less closely;
    /// usually 0.1 to 2.
    #[param(default = 1.0, above = 0.0)]
    pub learning_rate: f64,
    /// Initialization of the embedding: `pca` preserves the global structure, `random` leaves it to the mid-near pairs. Initial coordinates given with the data take its place.
    #[param(default = Initialization::Pca)]
    pub init: Initialization,
    /// Nearest-neighbour search.
    #[param(flatten)]
    pub search: Search,
}

impl Method for Pacmap {
    const INFO: Info = Info {
        name: "pacmap",
        title: "PaCMAP",
        summary: "Preserves local and global structure, by near, mid-near and further pairs of rows",
        family: Family::Neighbor,
        reference: "Wang, Huang, Rudin and Shaposhnik 2021",
        takes: &[
            Input::Sparse,
            Input::Distances,
            Input::Neighbors,
            Input::InitialEmbedding,
            Input::Anchors,
        ],
        offers: &[Capability::Interruptible],
        many_minima: true,
        ..Info::DEFAULT
    };

    type Model = PacmapModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<PacmapModel> {
        let counts = self.counts(data.n_rows())?;
        let given = data.initial_embedding_of(self.n_components)?;
        self.warn(run, data, counts)?;
        if matches!(data.source(), Source::Features(_)) {
            data.check_finite()?;
        }
        run.stage("axes")?;
        let mut rows = PreparedRows::of(run, data, self.row_options())?;
        if let Some(given) = given {
            rows.start_from(given);
        } else if self.init == Initialization::Random {
            rows.start_at_random(self.search.seed);
        }
        let Some(prepared) = &rows.prepared else {
            return self.fit_rows(run, data, data, &rows, counts);
        };
        let prepared = match data.neighbors() {
            Some(table) => Data::from(prepared).with_neighbors(table)?,
            None => Data::from(prepared),
        };
        self.fit_rows(run, data, &prepared, &rows, counts)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let counts = self.counts(n)?;
        let each = counts.near + counts.mid_near + counts.further;
        let found = counts.near.saturating_add(MORE).min(n);
        let reduced = shape.features && self.reduced_columns > 0 && d > self.reduced_columns;
        let kept = if reduced { self.reduced_columns } else { d };
        let searched = Shape {
            n_columns: kept,
            n_stored: if reduced {
                n.saturating_mul(kept)
            } else {
                shape.n_stored
            },
            sparse: shape.sparse && !reduced,
            ..*shape
        };
        let smaller = n.min(d);
        let plan = Plan::new("near, mid-near and further pairs, and Adam")
            .needs(
                "scatter and axes",
                (smaller, smaller.min(4 * kept.max(64))),
                5 * 8,
            )
            .needs("rows in blocks", (1024.min(n), d), 2 * 8)
            .needs_search(&searched, &self.neighborhood(found))
            .needs("neighbours", (n, found), 2 * 12)
            .needs("pairs", (n, each.saturating_add(16)), 4 * 4)
            .needs("map", (n, self.n_components), 4 * 4 + 3 * 8)
            .needs_rows("training rows", &searched);
        let plan = if reduced {
            plan.needs("reduced rows", (n, kept), 8)
        } else {
            plan
        };
        Ok(plan.advice(message!("use fewer {:rows}, or fewer neighbours")))
    }
}

impl Pacmap {
    fn counts(&self, n_rows: usize) -> Result<Counts> {
        check_rows(message!("PaCMAP"), 2, n_rows)?;
        if self.n_components > n_rows {
            return Err(Error::at_most(
                "n_components",
                n_rows,
                Because::Rows(n_rows),
                self.n_components,
            ));
        }
        Ok(Counts::of(
            n_rows,
            self.n_neighbors.count(n_rows),
            self.mid_near_ratio,
            self.further_ratio,
        ))
    }

    /// Fits to prepared rows, which may be those of the data.
    fn fit_rows(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        prepared: &Data<'_>,
        rows: &PreparedRows,
        counts: Counts,
    ) -> Result<PacmapModel> {
        let anchored = Anchored::of(data, self.n_components)?;
        let origin = anchored.as_ref().map_or(rows.origin, |_| "anchors");
        let (pair_lists, report) = self.pair_lists(run, prepared, counts, origin)?;
        run.stage("layout")?;
        let mut phases = self.phases();
        if anchored.is_some() {
            // Mid-near pairs have arranged the map where rows have anchors.
            phases.first = 0;
        }
        let start = match (&anchored, data.initial_embedding()) {
            (Some(anchored), None) => {
                anchored.initial(run, self.search.seed, |row| pair_lists.near(row))?
            }
            _ => rows.start.to_owned(),
        };
        let initial = Coordinates::new(&start.view());
        let optimizer = Optimizer::new(&pair_lists, initial, phases, self.learning_rate);
        let optimizer = optimizer.anchored(anchored.as_ref());
        let optimized = optimizer.run(run)?;
        let training = match rows.reduction {
            Some(_) => TrainingRows::new(run, prepared, &self.search, None)?,
            None => TrainingRows::new(run, data, &self.search, None)?,
        };
        Ok(PacmapModel {
            training,
            fit: PacmapFit {
                reduction: rows.reduction.clone(),
                phases: self.phases(),
                learning_rate: self.learning_rate,
                report: PacmapReport {
                    loss: optimized.loss,
                    n_iterations: optimized.n_steps,
                    interrupted: optimized.interrupted,
                    ..report
                },
            },
            embedding: optimized.embedding,
        })
    }

    fn warn(&self, run: &Run<'_>, data: &Data<'_>, counts: Counts) -> Result<()> {
        let n_rows = data.n_rows();
        let requested = self.n_neighbors.count(n_rows);
        if counts.near == requested {
            return Ok(());
        }
        // Data that cannot be fitted at all is refused first.
        data.check_finite()?;
        run.warn(Warning::adjusted(
            "n_neighbors",
            requested,
            counts.near,
            message!("{:data} has {n_rows:rows}, too few for this number of pairs per {:row}"),
        ))
    }

    fn row_options(&self) -> RowOptions<'_> {
        RowOptions {
            n_components: self.n_components,
            most_columns: self.reduced_columns,
            search: &self.search,
        }
    }

    fn phases(&self) -> Phases {
        Phases {
            first: self.first_phase,
            second: self.second_phase,
            third: self.third_phase,
        }
    }

    fn neighborhood(&self, count: usize) -> Neighborhood {
        Neighborhood {
            search: self.search.clone(),
            ..Neighborhood::nearest(count)
        }
    }

    /// All pairs, and the report so far.
    fn pair_lists(
        &self,
        run: &Run<'_>,
        prepared: &Data<'_>,
        counts: Counts,
        origin: &str,
    ) -> Result<(PairLists, PacmapReport)> {
        let n_rows = prepared.n_rows();
        run.stage("nearest neighbours")?;
        let wanted = counts.near.saturating_add(MORE).min(n_rows - 1);
        let found = self.neighborhood(wanted).find(run, prepared)?;
        run.stage("pairs")?;
        let near: Pairs = near(run, &found.neighbors, counts.near)?;
        let graph = GraphReport {
            search: found.algorithm,
            recall: found.recall,
            n_edges: near.len(),
            n_parts: near.n_parts(),
            n_bridges: 0,
            n_left_out: 0,
        };
        drop(found.neighbors);
        let measure = Measure::of(run, prepared, &self.search)?;
        let seed = self.search.seed;
        let mid_near = mid_near(run, n_rows, counts.mid_near, seed, |row, others, target| {
            measure.measure(run, row, others, target)
        })?;
        let further = further(run, &near, counts.further, seed)?;
        let pair_lists = PairLists::of(&near, &mid_near, &further);
        Ok((pair_lists, PacmapReport::new(graph, counts, origin)))
    }
}
