//! PaCMAP: a map from near, mid-near and further pairs of rows, which keeps clusters and how they lie to each other.
//!
//! # Idea
//! Only some pairs of rows count. Neighbours attract each other, and so do mid-near rows, which are merely nearer than most: these
//! arrange the map at large. Any other rows repel. In the beginning the mid-near pairs rule and put everything roughly in its place;
//! later their weight falls to nothing, and neighbourhoods become right.
//!
//! # Steps
//! 1. [`methods::pacmap::rows`](crate::methods::pacmap::rows): rows of many columns reduced to principal axes, and the start.
//! 2. [`neighbors`](crate::neighbors): 50 neighbours more than are kept.
//! 3. [`methods::pacmap::pairs`](crate::methods::pacmap::pairs): near pairs by scaled distances, mid-near and further ones by lot.
//! 4. [`methods::pacmap::optimize`](crate::methods::pacmap::optimize): Adam, in three phases.
//! 5. [`methods::pacmap::PacmapModel`](crate::methods::pacmap::PacmapModel): the map, and new rows by their neighbours.
//!
//! # Objective
//! With e = 1 + |yᵢ − yⱼ|² the loss is w₁ Σ e / (10 + e) over near pairs, plus w₂ Σ e / (10000 + e) over mid-near ones, plus
//! w₃ Σ 1 / (1 + e) over further ones. The weights are 2, 1000 falling to 3, and 1 in the first 100 steps; 3, 3, 1 in the next 100;
//! 1, 0, 1 in the last 250. Near pairs are those with the smallest d² / (σᵢ σⱼ), σ the mean distance to the fourth to sixth neighbour. A
//! mid-near row is the second nearest of six drawn.
//!
//! # Cost
//! The search for neighbours, and 450 steps over 70 mates of every row: linear in the rows. About 300 bytes a row for the mates.
//!
//! # Choosing parameters
//! The defaults suit most data. More neighbours make clusters rounder and bring out what is large; `n_neighbors = auto` takes more
//! for more than 10,000 rows. A higher `mid_near_ratio` holds the map together at large, a higher `further_ratio` keeps clusters apart.
//! `reduced_columns = 0` compares rows by all their columns.
//!
//! # New points
//! A new row begins in the middle of its nearest known rows, and goes down the loss of its pairs with them; the map stands still.
//! An equal training row gives its own place. New rows do not know of each other.
//!
//! # Differences
//! pacmap 0.9 finds near pairs among approximate neighbours (HNSW), here the search decides. It reduces rows of more than 100 columns to
//! 100 principal axes for every metric, here for the straight line only. Its start is 0.01 times the principal coordinates of rows that were
//! scaled to values from 0 to 1, but of rows as they are where they have more than 100 columns, so that the scale of the data matters; here
//! the first coordinate always has the standard deviation 0.01. Rows without features start from the principal axes of their distances
//! to 100 rows drawn, along the graph if neighbours are all that is known; then mid-near rows are compared by these distances too. New rows
//! start at 0.01 times their principal coordinates there, far from their neighbours. Each row's forces are summed in the order of
//! its list, there in that of all pairs. Fewer rows than pairs end the program there, here the numbers of pairs shrink.
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
//! let placed = model.transform(&charta::data::synthetic::swiss_roll(10, 0.1, 1)?)?;
//! assert_eq!(placed.dim(), (10, 2));
//! # Ok::<(), charta::Error>(())
//! ```

pub mod gradient;
mod model;
pub mod optimize;
pub mod pairs;
pub mod rows;

pub use model::{PacmapModel, PacmapParts, PacmapReport};

use self::gradient::{Map, Mates};
use self::optimize::{Descent, Phases};
use self::pairs::{Counts, Pairs, further, mid_near, near};
use self::rows::{Measure, PairRows, Wish};
use crate::data::{Data, Source};
use crate::error::{Because, Error, Result, Warning, check_rows};
use crate::graph::Neighborhood;
use crate::message;
use crate::method::{Family, Info, Input, Method, Plan, Shape};
use crate::model::{GraphReport, Known};
use crate::neighbors::Search;
use crate::params::{Choice, Parameters};
use crate::run::Run;

/// Neighbours that are found beyond those kept, from which scaled distances choose.
const MORE: usize = 50;
/// Rows up to which `auto` takes the fewest neighbours.
const FEW_ROWS: f64 = 10_000.0;

/// How many near pairs a row begins.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Near {
    /// Exactly so many.
    #[choice(min = 1)]
    Count(usize),
    /// 10 up to 10,000 rows, and 15 more for every tenfold number of rows.
    Auto,
}

impl Near {
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
    /// Number of coordinates.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// How many near pairs a row begins: a number, or more for more rows.
    #[param(default = Near::Count(10))]
    pub n_neighbors: Near,
    /// Mid-near pairs for every near pair.
    #[param(default = 0.5, min = 0.0, max = 1000.0)]
    pub mid_near_ratio: f64,
    /// Further pairs for every near pair.
    #[param(default = 2.0, min = 0.0, max = 1000.0)]
    pub further_ratio: f64,
    /// Rows with more columns are first reduced to so many principal axes, where distances are Euclidean; 0 leaves them as they are.
    #[param(default = 100, min = 0)]
    pub reduced_columns: usize,
    /// Steps of the first phase, in which mid-near pairs arrange the map at large.
    #[param(default = 100, min = 0)]
    pub first_phase: usize,
    /// Steps of the second phase, in which all pairs count.
    #[param(default = 100, min = 0)]
    pub second_phase: usize,
    /// Steps of the third phase, in which mid-near pairs do not count.
    #[param(default = 250, min = 0)]
    pub third_phase: usize,
    /// How far rows go in a step at most, about.
    #[param(default = 1.0, above = 0.0)]
    pub learning_rate: f64,
    /// How neighbours are searched for.
    #[param(flatten)]
    pub search: Search,
}

impl Method for Pacmap {
    const INFO: Info = Info {
        name: "pacmap",
        title: "PaCMAP",
        summary: "A map from near, mid-near and further pairs of rows, for clusters and how they lie to each other",
        family: Family::Neighbor,
        reference: "Wang, Huang, Rudin and Shaposhnik 2021",
        takes: &[Input::Sparse, Input::Distances, Input::Neighbors],
        many_minima: true,
        ..Info::DEFAULT
    };

    type Model = PacmapModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<PacmapModel> {
        let counts = self.counts(data.n_rows())?;
        self.warn(run, data.n_rows(), counts)?;
        if matches!(data.source(), Source::Features(_)) {
            data.check_finite()?;
        }
        run.stage("axes")?;
        let rows = PairRows::of(run, data, self.wish())?;
        let Some(standing) = &rows.standing else {
            return self.fit_rows(run, (data, data), &rows, counts);
        };
        let standing = match data.neighbors() {
            Some(table) => Data::from(standing).with_neighbors(table)?,
            None => Data::from(standing),
        };
        self.fit_rows(run, (data, &standing), &rows, counts)
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
        let plan = Plan::new("neighbours, pairs drawn by lot, and Adam")
            .needs(
                "scatter and axes",
                (smaller, smaller.min(4 * kept.max(64))),
                5 * 8,
            )
            .needs("rows in blocks", (1024.min(n), d), 2 * 8)
            .needs_search(&searched, &self.neighborhood(found))
            .needs("neighbours", (n, found), 2 * 12)
            .needs("pairs and mates", (n, each.saturating_add(16)), 4 * 4)
            .needs("map", (n, self.n_components), 4 * 4 + 3 * 8)
            .needs_rows("training rows", &searched);
        let plan = match reduced {
            true => plan.needs("reduced rows", (n, kept), 8),
            false => plan,
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
        let ratios = (self.mid_near_ratio, self.further_ratio);
        Ok(Counts::of(n_rows, self.n_neighbors.count(n_rows), ratios))
    }

    /// Fits, where rows may stand for those of the data.
    fn fit_rows(
        &self,
        run: &Run<'_>,
        (data, standing): (&Data<'_>, &Data<'_>),
        rows: &PairRows,
        counts: Counts,
    ) -> Result<PacmapModel> {
        let (mates, report) = self.mates(run, standing, counts, rows.origin)?;
        run.stage("layout")?;
        let start = Map::new(&rows.start.view());
        let descent = Descent::new(&mates, start, self.phases(), self.learning_rate);
        let reached = descent.run(run)?;
        let known = match rows.reduction {
            Some(_) => Known::new(run, standing, &self.search, None)?,
            None => Known::new(run, data, &self.search, None)?,
        };
        Ok(PacmapModel::new(PacmapParts {
            known,
            reduction: rows.reduction.clone(),
            n_columns: data.n_columns(),
            phases: self.phases(),
            learning_rate: self.learning_rate,
            embedding: reached.places,
            report: PacmapReport {
                loss: reached.loss,
                n_iterations: reached.n_steps,
                ..report
            },
        }))
    }

    fn warn(&self, run: &Run<'_>, n_rows: usize, counts: Counts) -> Result<()> {
        let asked = self.n_neighbors.count(n_rows);
        if counts.near == asked {
            return Ok(());
        }
        run.warn(Warning::adjusted(
            "n_neighbors",
            asked,
            counts.near,
            message!("{:data} has {n_rows:rows}, too few for so many pairs per {:row}"),
        ))
    }

    fn wish(&self) -> Wish<'_> {
        Wish {
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

    /// All pairs, and what there is to say of them so far.
    fn mates(
        &self,
        run: &Run<'_>,
        standing: &Data<'_>,
        counts: Counts,
        origin: &str,
    ) -> Result<(Mates, PacmapReport)> {
        let n_rows = standing.n_rows();
        run.stage("neighbours")?;
        let wanted = counts.near.saturating_add(MORE).min(n_rows - 1);
        let found = self.neighborhood(wanted).find(run, standing)?;
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
        let measure = Measure::of(run, standing, &self.search)?;
        let seed = self.search.seed;
        let mid_near = mid_near(
            run,
            n_rows,
            (counts.mid_near, seed),
            |row, others, target| measure.measure(run, row, others, target),
        )?;
        let further = further(run, &near, (counts.further, seed))?;
        let mates = Mates::of(&near, &mid_near, &further);
        Ok((mates, PacmapReport::new(graph, counts, origin)))
    }
}
