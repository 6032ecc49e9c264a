//! Nearest-neighbour search, exact and approximate, among the data and for new rows.
//!
//! ```
//! use charta::{Data, Run, neighbors::{self, Search}};
//! let roll = charta::data::synthetic::swiss_roll(300, 0.0, 0)?;
//! let data = Data::new(&roll.features);
//! let found = neighbors::nearest(&Run::new(), &data, &Search::default(), 15)?;
//! let (indices, distances) = found.neighbors.row(0);
//! assert_eq!((indices.len(), found.recall), (15, 1.0));
//! assert!(distances.is_sorted());
//! # Ok::<(), charta::Error>(())
//! ```
//!
//! A row is not its own neighbour, but its duplicate is, at distance 0. Neighbours at the same distance stand in the order of
//! the rows. All searches but the approximate one are exact; the same data gives the same bits for any number of threads.
//!
//! # Which algorithm
//!
//! The first line that fits, among those that `search` allows:
//!
//! | what there is | metric | algorithm |
//! |---|---|---|
//! | a table of neighbours | – | the table |
//! | distances, a kernel | – | a look at every entry; of a kernel the distance is √(k(a,a) + k(b,b) − 2 k(a,b)) |
//! | a function of the user | – | all pairs, in double precision |
//! | any features, Mahalanobis | | whitened, then as Euclidean |
//! | dense, up to 12 columns, at least 256 rows | Euclidean, Manhattan, Chebyshev, Minkowski | k-d tree |
//! | dense, many rows: see `approximate` | Euclidean, cosine, correlation | projected cell join, which finds the fraction `recall` |
//! | dense | Euclidean, cosine, correlation, inner product | brute force, blocked products |
//! | sparse, less than a tenth stored | Euclidean, cosine, inner product, Manhattan, Hamming, Jaccard | inverted index: lists of the rows with a value in each column |
//! | everything else | any | brute force, in blocks |
//!
//! The lines from the tree on are `ALGORITHMS`, in the same order.

mod approximate;
mod exact;
mod lists;
mod postings;
mod reference;
mod scan;
mod task;
mod tree;

use crate::data::{Data, Neighbors, Precision, Source};
use crate::error::{Because, Error, Result, message};
use crate::metric::{Metric, Whitening, no_distance};
use crate::params::{Choice, Parameters};
use crate::run::Run;

pub(crate) use lists::NeighborQuery;
pub use reference::Reference;
pub(crate) use task::Task;

/// Algorithm of the nearest-neighbour search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Algorithm {
    /// The fastest for the data and the metric that reaches `recall`.
    Auto,
    /// Brute force: all distances.
    Exact,
    /// Space-partitioning tree, for few columns: exact.
    Tree,
    /// Approximate nearest neighbours with the given `recall`.
    Approximate,
}

/// Nearest-neighbour search.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Search {
    /// Distance metric between rows.
    #[param(default = Metric::Euclidean)]
    pub metric: Metric,
    /// Exponent p of the Minkowski distance: 1 is Manhattan, 2 Euclidean, larger values weight the largest differences more.
    #[param(default = 2.0, min = 1.0)]
    pub power: f64,
    /// Width of the images in pixels, for the tangent distance, whose rows are images.
    #[param(min = 2)]
    pub image_width: Option<usize>,
    /// Algorithm of the nearest-neighbour search. `exact` and `tree` find all true neighbours, `approximate` is faster for many rows.
    #[param(default = Algorithm::Auto)]
    pub search: Algorithm,
    /// Recall of an approximate search: fraction of the true nearest neighbours to find. Larger values are more exact and slower; usually 0.9 to 1.
    #[param(default = 0.98, above = 0.0, max = 1.0)]
    pub recall: f64,
    /// Seed of the random numbers. The same seed gives the same result; another shows how much depends on chance.
    #[param(default = 0)]
    pub seed: u64,
}

/// Neighbours, and how they were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The neighbours.
    pub neighbors: Neighbors,
    /// The algorithm, in words.
    pub algorithm: String,
    /// Recall: the fraction of true neighbours among those found, measured on a sample; 1 for an exact search.
    pub recall: f64,
}

impl Found {
    /// Exact neighbours.
    pub(crate) fn exact(neighbors: Neighbors, algorithm: &str) -> Self {
        Self {
            neighbors,
            algorithm: algorithm.into(),
            recall: 1.0,
        }
    }

    fn exactly(neighbors: Neighbors, algorithm: &str) -> Result<Option<Self>> {
        Ok(Some(Self::exact(neighbors, algorithm)))
    }
}

/// One search algorithm.
struct SearchAlgorithm {
    /// The parameter value that selects it.
    algorithm: Algorithm,
    /// Whether it can do this, and, unless the user requests it, whether it is the best choice.
    takes: fn(&Task<'_>) -> bool,
    /// Finds; `None` if it turns out that it cannot, and the next algorithm must.
    find: fn(&Run<'_>, &Task<'_>) -> Result<Option<Found>>,
}

/// All algorithms, in the order of preference. The last takes everything.
const ALGORITHMS: &[SearchAlgorithm] = &[
    SearchAlgorithm {
        algorithm: Algorithm::Tree,
        takes: tree::takes,
        find: |run, task| Found::exactly(tree::find(run, task)?, "k-d tree"),
    },
    SearchAlgorithm {
        algorithm: Algorithm::Approximate,
        takes: approximately_takes,
        find: approximately,
    },
    SearchAlgorithm {
        algorithm: Algorithm::Exact,
        takes: by_products_takes,
        find: by_products,
    },
    SearchAlgorithm {
        algorithm: Algorithm::Exact,
        takes: postings::takes,
        find: |run, task| Found::exactly(postings::find(run, task)?, "inverted index"),
    },
    SearchAlgorithm {
        algorithm: Algorithm::Exact,
        takes: |_| true,
        find: |run, task| Found::exactly(scan::find(run, task)?, "brute force"),
    },
];

fn approximately_takes(task: &Task<'_>) -> bool {
    let NeighborQuery::Nearest(count) = task.wanted else {
        return false;
    };
    task.is_itself() && approximate::takes(&task.known, &task.search_options(), count)
}

fn approximately(run: &Run<'_>, task: &Task<'_>) -> Result<Option<Found>> {
    match task.wanted {
        NeighborQuery::Nearest(count) => {
            approximate::nearest(run, &task.known, &task.search_options(), count)
        }
        NeighborQuery::Within(_) | NeighborQuery::Closer(_) => Ok(None),
    }
}

fn by_products_takes(task: &Task<'_>) -> bool {
    matches!(task.wanted, NeighborQuery::Nearest(_)) && exact::takes(&task.known, task.metric)
}

fn by_products(run: &Run<'_>, task: &Task<'_>) -> Result<Option<Found>> {
    let NeighborQuery::Nearest(count) = task.wanted else {
        return Ok(None);
    };
    let found = exact::find(run, &task.known, task.rows.as_ref(), task.metric, count)?;
    Ok(found.map(|neighbors| Found::exact(neighbors, "brute force, blocked products")))
}

/// The `count` nearest other rows of every row.
pub fn nearest(run: &Run<'_>, data: &Data<'_>, search: &Search, count: usize) -> Result<Found> {
    if count == 0 {
        return Err(Error::at_least("n_neighbors", 1, 0_usize));
    }
    check_neighbors(count, data.n_rows())?;
    find(run, data, search, NeighborQuery::Nearest(count))
}

/// The other rows within `radius` of every row. A row may have none.
pub fn within(run: &Run<'_>, data: &Data<'_>, search: &Search, radius: f64) -> Result<Found> {
    check_radius(radius)?;
    find(run, data, search, NeighborQuery::Within(radius))
}

/// How many other rows are closer than each of two distances, the smaller first, to each row. Takes no more memory
/// for many than for few.
pub(crate) fn n_closer(
    run: &Run<'_>,
    data: &Data<'_>,
    search: &Search,
    radii: [f64; 2],
) -> Result<Vec<[f64; 2]>> {
    radii
        .map(check_radius)
        .into_iter()
        .collect::<Result<()>>()?;
    let found = find(run, data, search, NeighborQuery::Closer(radii))?.neighbors;
    let counts = found.distances().as_chunks::<2>().0;
    Ok(counts.to_vec())
}

/// The counts of a table that was given.
fn closer_in(table: &Neighbors, radii: [f64; 2]) -> Neighbors {
    let mut lists = lists::Lists::new(NeighborQuery::Closer(radii));
    for row in 0..table.n_rows() {
        let (indices, distances) = table.row(row);
        let pairs = distances.iter().copied().zip(indices.iter().copied());
        lists.push(&pairs.collect::<Vec<_>>());
    }
    lists::Lists::join(table.n_known(), vec![lists])
}

fn check_radius(radius: f64) -> Result<()> {
    if radius.is_nan() {
        return Err(Error::parameter("radius", message!("be a number"), radius));
    }
    Ok(())
}

/// Threads for which the memory of a search is predicted.
const THREADS: usize = 8;

/// Bytes that a search for the `count` nearest of rows among themselves needs at most, beside the rows and the table
/// that it leaves. `n_stored` is how many values sparse rows store.
pub(crate) fn memory(
    n_rows: usize,
    n_columns: usize,
    precision: Precision,
    n_stored: Option<usize>,
    search: &Search,
    count: usize,
) -> u64 {
    let copy = precision.bytes().saturating_mul(n_rows as u64);
    let copy = copy.saturating_mul(n_columns as u64);
    let whitened = search.metric.is_whitened();
    let needed = match n_stored {
        // The rows once more, column by column.
        Some(n_stored) if !whitened => {
            let stored = (n_stored as u64).saturating_mul(precision.bytes() + 4);
            stored.saturating_add(8 * (THREADS * n_rows + n_columns) as u64)
        }
        // Which way it will be depends on the numbers too: the one that needs most counts.
        _ => {
            let exact = exact::memory(n_rows, n_columns, precision, count, THREADS);
            let tree = if n_columns <= tree::MOST_COLUMNS {
                copy.saturating_mul(3).saturating_add(8 * n_rows as u64)
            } else {
                0
            };
            exact
                .max(approximate::bytes(n_rows, n_columns, count))
                .max(tree)
        }
    };
    if whitened {
        needed.saturating_add(copy)
    } else {
        needed
    }
}

/// Fails unless every row has this many others.
pub(crate) fn check_neighbors(count: usize, n_rows: usize) -> Result<()> {
    if count < n_rows {
        return Ok(());
    }
    Err(Error::at_most(
        "n_neighbors",
        n_rows.saturating_sub(1),
        Because::Rows(n_rows),
        count,
    ))
}

/// Finds neighbours in whatever is known of the rows.
fn find(run: &Run<'_>, data: &Data<'_>, search: &Search, wanted: NeighborQuery) -> Result<Found> {
    search.check()?;
    let in_matrix = |distance: &(dyn Fn(usize, usize) -> f64 + Sync)| {
        let neighbors = scan::in_matrix(run, data.n_rows(), data.n_rows(), wanted, true, distance)?;
        Ok(Found::exact(neighbors, "all distances, given"))
    };
    match data.source() {
        Source::Neighbors(table) => {
            let neighbors = match wanted {
                NeighborQuery::Nearest(count) => table.nearest(count),
                NeighborQuery::Within(radius) => table.within(radius),
                NeighborQuery::Closer(radii) => closer_in(table, radii),
            };
            Ok(Found::exact(neighbors, "given"))
        }
        Source::Distances(matrix) => in_matrix(&|a, b| matrix[[a, b]]),
        Source::Kernel(matrix) => {
            data.check_finite()?;
            in_matrix(&|a, b| {
                (matrix[[a, a]] + matrix[[b, b]] - 2.0 * matrix[[a, b]])
                    .max(0.0)
                    .sqrt()
            })
        }
        Source::DistancesTo(_) | Source::KernelTo(_) => Err(Error::unsupported(
            message!("the search for neighbours"),
            message!(
                "needs all {:rows} compared with each other, but was given numbers that compare \
                 them with the {:rows} of another fit"
            ),
        )),
        Source::Features(_) => {
            let features = data.features("the search for neighbours")?;
            data.check_finite()?;
            let whitening = match search.metric {
                metric if metric.is_whitened() && data.distance().is_none() => {
                    Some(Whitening::of(run, data, metric)?)
                }
                _ => None,
            };
            let task = Task::new(features.reborrow(), search, wanted);
            among_features(run, task, data, whitening.as_ref())
        }
    }
}

/// Finds neighbours by the user's function, after whitening, or as the rows are.
fn among_features(
    run: &Run<'_>,
    mut task: Task<'_>,
    data: &Data<'_>,
    whitening: Option<&Whitening>,
) -> Result<Found> {
    if let Some(function) = data.distance() {
        let neighbors = scan::by_function(run, &task, |a, b| {
            let distance = function.between(a, b);
            let proper = distance >= 0.0 && distance.is_finite();
            if proper {
                Ok(distance)
            } else {
                Err(no_distance(distance))
            }
        })?;
        return Ok(Found::exact(neighbors, "brute force, distance function"));
    }
    let Some(whitening) = whitening else {
        return search_features(run, &task);
    };
    let known = whitening.apply(run, &task.known)?;
    let rows = match &task.rows {
        Some(rows) => Some(whitening.apply(run, rows)?),
        None => None,
    };
    task.metric = Metric::Euclidean;
    search_features(
        run,
        &Task {
            known: known.view(),
            rows: rows.as_ref().map(crate::data::OwnedFeatures::view),
            ..task
        },
    )
}

/// Finds neighbours by the first way that may and can.
fn search_features(run: &Run<'_>, task: &Task<'_>) -> Result<Found> {
    warn_directions(run, task)?;
    for algorithm in ALGORITHMS {
        if task.allows(algorithm.algorithm)
            && (algorithm.takes)(task)
            && let Some(found) = (algorithm.find)(run, task)?
        {
            return Ok(found);
        }
    }
    Err(Error::one_of(
        "search",
        &["auto", "exact"],
        message!("there is no approximate search for this metric and kind of features"),
        task.search.search,
    ))
}

/// Warns of rows without a direction, for metrics that compare directions.
fn warn_directions(run: &Run<'_>, task: &Task<'_>) -> Result<()> {
    let count = match task.metric {
        _ if !task.is_itself() => 0,
        Metric::Cosine => scan::count_flat(run, &task.known, false)?,
        Metric::Correlation => scan::count_flat(run, &task.known, true)?,
        _ => 0,
    };
    if count == 0 {
        return Ok(());
    }
    let flat = if task.metric == Metric::Cosine {
        "all zero"
    } else {
        "constant"
    };
    run.warn(crate::error::Warning::doubtful(
        message!("the distance to {count:rows}"),
        message!(
            "they are {flat} and have no direction, so their distance to all other {:rows} is \
             taken as 1"
        ),
    ))
}
