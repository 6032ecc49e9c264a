//! Preparation of the rows: reduction by PCA, initialization, and distances of any two rows.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

use crate::data::columns::Columns;
use crate::data::loaded::{check_at_least, check_dim, check_finite};
use crate::data::{Data, Features, Neighbors, OwnedFeatures, Source, arrays};
use crate::error::{Error, Result, Warning, message};
use crate::graph::{Graph, LandmarkChoice, Landmarks, Paths};
use crate::linalg::Real;
use crate::linalg::block_krylov::Effort;
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::metric::{Among, Comparison, Metric, largest};
use crate::neighbors::Search;
use crate::params::Choice;
use crate::random::{normal, stream};
use crate::run::Run;
use crate::spectral::principal::{self, Axes, Solver};

/// Standard deviation of the first coordinate initially.
const INITIAL_DEVIATION: f64 = 0.01;
/// That of coordinates along which the rows do not vary: random noise.
const NOISE_DEVIATION: f64 = 1e-4;
/// Rows to which the distances are all that is known of rows without features.
const LANDMARKS: usize = 100;
/// How exact axes are that only an iteration can find.
const EFFORT: f64 = 1e-3;
/// What the seed is moved by for the initialization, which has its own stream.
const RANDOM: u64 = 0x7374_6172_745f_6174;

/// The first principal axes of the rows, which replace their columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reduction {
    #[serde(with = "arrays::vector")]
    mean: Array1<f64>,
    /// One a row.
    #[serde(with = "arrays::matrix")]
    axes: Array2<f64>,
}

impl Reduction {
    /// Columns of rows that can be reduced.
    pub fn n_columns(&self) -> usize {
        self.mean.len()
    }

    /// Columns of reduced rows.
    pub fn n_axes(&self) -> usize {
        self.axes.nrows()
    }

    /// Fails if what was loaded does not fit together, or to rows reduced to this many columns.
    pub(super) fn validate(&self, n_axes: usize) -> Result<()> {
        let Self { mean, axes } = self;
        check_dim("the axes", axes.dim(), (n_axes, mean.len()))?;
        check_at_least("the axes", axes.len(), 1)?;
        check_finite("the mean", mean)?;
        check_finite("the axes", axes)
    }

    /// The coordinates of rows along the axes, in the rows' precision.
    pub fn apply(&self, run: &Run<'_>, features: &Features<'_>) -> Result<OwnedFeatures> {
        Rows::new(features, &self.mean).times_kept(run, &self.axes.t())
    }
}

/// How rows are prepared.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowOptions<'a> {
    /// Number of initial coordinates.
    pub n_components: usize,
    /// Columns beyond which rows are reduced to this many; 0 for never.
    pub most_columns: usize,
    /// How rows are compared.
    pub search: &'a Search,
}

/// Prepared rows.
#[derive(Clone, Debug)]
pub(super) struct PreparedRows {
    /// How rows were reduced, if they were.
    pub reduction: Option<Reduction>,
    /// The rows in fewer columns, or of a table of neighbours, their distances to landmarks along the graph.
    pub prepared: Option<OwnedFeatures>,
    /// The initial coordinates.
    pub start: Array2<f64>,
    /// How these were found, in words.
    pub origin: &'static str,
}

impl PreparedRows {
    /// The rows of `data`, which must be finite.
    pub(super) fn of(run: &Run<'_>, data: &Data<'_>, options: RowOptions<'_>) -> Result<Self> {
        match data.source() {
            Source::Features(features) => of_features(run, data, features, options),
            Source::Neighbors(table) => {
                let profiles = along_graph(run, table, options.search.seed)?;
                let mut rows = of_profiles(run, profiles.view(), options)?;
                rows.prepared = Some(profiles.into());
                Ok(rows)
            }
            Source::Distances(matrix) => {
                let count = LANDMARKS.min(matrix.ncols());
                let chosen = Landmarks::Count(count).choose_by(
                    run,
                    matrix.ncols(),
                    LandmarkChoice::Random,
                    options.search.seed,
                    |_, _| Ok(()),
                )?;
                let chosen: Vec<usize> = chosen.into_iter().map(|row| row as usize).collect();
                of_profiles(run, matrix.select(Axis(1), &chosen).view(), options)
            }
            _ => Err(Error::unsupported(
                message!("PaCMAP"),
                message!("needs features, distances or a table of neighbours"),
            )),
        }
    }

    /// Replaces the initial coordinates by given ones, centred and of one small standard deviation along every axis.
    pub(super) fn start_from(&mut self, given: ArrayView2<'_, f64>) {
        self.start = given.to_owned();
        for mut column in self.start.columns_mut() {
            let most = column
                .iter()
                .fold(0.0, |most: f64, value| most.max(value.abs()));
            column.mapv_inplace(|value| value / most.max(f64::MIN_POSITIVE));
            let mean = column.mean().unwrap_or(0.0);
            column.mapv_inplace(|value| value - mean);
            let deviation = column.std(0.0);
            // A constant column stays 0, whatever rounding has left of it.
            let factor = if deviation > f64::EPSILON {
                NOISE_DEVIATION / deviation
            } else {
                0.0
            };
            column.mapv_inplace(|value| factor * value);
        }
        self.origin = "given";
    }

    /// Replaces the initial coordinates by random ones.
    pub(super) fn start_at_random(&mut self, seed: u64) {
        self.start = noise(self.start.dim(), seed);
        self.origin = "random";
    }
}

/// Initialization of the embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Initialization {
    /// Principal components of the rows.
    Pca,
    /// Random coordinates.
    Random,
}

/// The initialization of rows that are given by their distances to landmarks.
fn of_profiles(
    run: &Run<'_>,
    profiles: ArrayView2<'_, f64>,
    options: RowOptions<'_>,
) -> Result<PreparedRows> {
    let data = Data::from(profiles);
    let Source::Features(features) = data.source() else {
        return Err(Error::too_large());
    };
    let options = RowOptions {
        most_columns: 0,
        ..options
    };
    let mut rows = of_features(run, &data, features, options)?;
    if rows.origin == PRINCIPAL {
        rows.origin = "principal axes of the distances to landmarks";
    }
    Ok(rows)
}

const PRINCIPAL: &str = "principal axes";

fn of_features(
    run: &Run<'_>,
    data: &Data<'_>,
    features: &Features<'_>,
    options: RowOptions<'_>,
) -> Result<PreparedRows> {
    let straight = options.search.metric == Metric::Euclidean && data.distance().is_none();
    let reduced =
        straight && options.most_columns > 0 && features.n_columns() > options.most_columns;
    let count = if reduced {
        options.most_columns.max(options.n_components)
    } else {
        options.n_components
    };
    let seed = options.search.seed;
    let (n_rows, n_components) = (features.n_rows(), options.n_components);
    let count = count.min(features.n_columns()).min(n_rows);
    let Some((reduction, rank)) = principal_axes(run, features, count, seed)? else {
        run.warn(Warning::doubtful(
            message!("the initialization"),
            message!(
                "it is random, because the squares of the values overflow: rescale them \
                 (features with {Scaled:input})"
            ),
        ))?;
        return Ok(PreparedRows {
            reduction: None,
            prepared: None,
            start: noise((n_rows, n_components), seed),
            origin: "random",
        });
    };
    let scores = reduction.apply(run, features)?;
    let start = start_at(&scores.view(), rank.min(n_components), n_components, seed);
    Ok(PreparedRows {
        reduction: reduced.then_some(reduction),
        prepared: reduced.then_some(scores),
        start,
        origin: if rank == 0 { "random" } else { PRINCIPAL },
    })
}

/// The first axes, and how many of them the rows vary along; `None` if their squares overflow.
fn principal_axes(
    run: &Run<'_>,
    features: &Features<'_>,
    count: usize,
    seed: u64,
) -> Result<Option<(Reduction, usize)>> {
    let shape = (features.n_rows(), features.n_columns());
    let solver = Solver::Auto.resolve(shape.0, shape.1, Some(count));
    let found: Result<(Array1<f64>, Axes)> = if solver == Solver::Covariance {
        let moments = Moments::of(run, features)?;
        if !moments.is_finite() {
            return Ok(None);
        }
        principal::from_moments(&moments, Some(count)).map(|axes| (moments.mean().clone(), axes))
    } else {
        let mean = Columns::of(features).means;
        if mean.iter().any(|value| !value.is_finite()) {
            return Ok(None);
        }
        let rows = Rows::new(features, &mean);
        let axes = match solver {
            Solver::Dual => principal::dual(run, &rows, Some(count)),
            _ => {
                let effort = Effort {
                    tolerance: EFFORT,
                    max_products: 100,
                    seed,
                };
                principal::randomized(run, &rows, count, &effort)
            }
        };
        axes.map(|axes| (mean, axes))
    };
    let (mean, axes) = match found {
        Ok(found) => found,
        Err(Error::Degenerate { .. }) => return Ok(None),
        Err(other) => return Err(other),
    };
    let rank = if axes.total > 0.0 { axes.rank() } else { 0 };
    let axes = axes.vectors;
    Ok(Some((Reduction { mean, axes }, rank)))
}

/// The first coordinates at the scale of the initialization; random ones beyond the rank.
fn start_at(scores: &Features<'_>, rank: usize, width: usize, seed: u64) -> Array2<f64> {
    let n_rows = scores.n_rows();
    let mut start = noise((n_rows, width), seed);
    let mut initial = Array2::from_shape_fn((n_rows, rank), |(row, axis)| scores.value(row, axis));
    let most = initial
        .iter()
        .fold(0.0, |most: f64, value| most.max(value.abs()));
    if rank == 0 || !(most > 0.0 && most.is_finite()) {
        return start;
    }
    initial /= most;
    let squares: f64 = initial.column(0).iter().map(|value| value * value).sum();
    let deviation = (squares / n_rows as f64).sqrt();
    if deviation > 0.0 {
        let coordinates = initial * (INITIAL_DEVIATION / deviation);
        start.slice_mut(s![.., ..rank]).assign(&coordinates);
    }
    start
}

/// Random coordinates close to the origin.
fn noise(shape: (usize, usize), seed: u64) -> Array2<f64> {
    let mut draw = stream(seed ^ RANDOM, 0);
    Array2::from_shape_simple_fn(shape, || NOISE_DEVIATION * normal(&mut draw))
}

/// The lengths of the shortest paths from every row to some landmarks. Rows that no path joins are twice as far as any that one
/// does.
fn along_graph(run: &Run<'_>, table: &Neighbors, seed: u64) -> Result<Array2<f64>> {
    let paths = Paths::of(&Graph::union(table));
    let chosen = Landmarks::Count(LANDMARKS.min(table.n_rows())).choose(
        run,
        &paths,
        LandmarkChoice::Random,
        seed,
    )?;
    let mut lengths: Array2<f64> = paths.from_rows(run, &chosen, |length| length)?;
    let finite = lengths.iter().filter(|length| length.is_finite());
    let longest = finite.fold(0.0_f64, |most, length| most.max(*length));
    let beyond = if longest > 0.0 { 2.0 * longest } else { 1.0 };
    lengths.mapv_inplace(|length| if length.is_finite() { length } else { beyond });
    Ok(lengths.reversed_axes().as_standard_layout().into_owned())
}

/// How any two rows are compared.
pub(super) enum Measure<'a, 'd> {
    /// Dense rows for Euclidean distances, each value times a factor that keeps squares in range.
    Single(ArrayView2<'a, f32>, f64),
    /// The same in double precision.
    Double(ArrayView2<'a, f64>, f64),
    /// Distances that are given.
    Given(ArrayView2<'a, f64>),
    /// Anything else.
    Any(Among<'a, 'd>),
}

impl<'a, 'd> Measure<'a, 'd> {
    /// For the rows of `data`.
    pub(super) fn of(run: &Run<'_>, data: &'a Data<'d>, search: &Search) -> Result<Self> {
        let straight = search.metric == Metric::Euclidean && data.distance().is_none();
        let factor = |features: &Features<'_>| largest(features).max(f64::MIN_POSITIVE).recip();
        Ok(match data.source() {
            Source::Distances(matrix) => Self::Given(matrix.view()),
            Source::Features(features @ Features::F32(x)) if straight => {
                Self::Single(x.view(), factor(features))
            }
            Source::Features(features @ Features::F64(x)) if straight => {
                Self::Double(x.view(), factor(features))
            }
            _ => {
                let comparison = Comparison {
                    metric: search.metric,
                    power: search.power,
                    image_width: search.image_width,
                };
                Self::Any(Among::new(run, data, &comparison)?)
            }
        })
    }

    /// Numbers that rise with the distances of a row to some others.
    pub(super) fn measure(
        &self,
        run: &Run<'_>,
        row: usize,
        others: &[u32],
        target: &mut Vec<f64>,
    ) -> Result<()> {
        target.clear();
        match self {
            Self::Single(x, factor) => target.extend(squares(x, row, others, *factor)),
            Self::Double(x, factor) => target.extend(squares(x, row, others, *factor)),
            Self::Given(x) => target.extend(others.iter().map(|&other| x[[row, other as usize]])),
            Self::Any(among) => {
                let others: Vec<usize> = others.iter().map(|&other| other as usize).collect();
                target.extend(among.distances(run, &[row], &others)?);
            }
        }
        Ok(())
    }
}

fn squares<'a, T: Real>(
    x: &'a ArrayView2<'_, T>,
    row: usize,
    others: &'a [u32],
    factor: f64,
) -> impl Iterator<Item = f64> + 'a {
    others.iter().map(move |&other| {
        let pairs = x.row(row).into_iter().zip(x.row(other as usize));
        pairs
            .map(|(a, b)| (factor * (a.wide() - b.wide())).powi(2))
            .sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(n_rows: usize, n_columns: usize) -> Array2<f64> {
        let mut draw = stream(3, 0);
        Array2::from_shape_fn((n_rows, n_columns), |(_, j)| {
            normal(&mut draw) / (j + 1) as f64
        })
    }

    fn options(search: &Search) -> RowOptions<'_> {
        RowOptions {
            n_components: 2,
            most_columns: 10,
            search,
        }
    }

    #[test]
    fn many_columns_are_reduced_and_the_start_has_its_size() {
        let x = sample(200, 30);
        let (run, search) = (Run::new(), Search::default());
        let rows = PreparedRows::of(&run, &Data::from(&x), options(&search)).unwrap();
        let prepared = rows.prepared.unwrap();
        assert_eq!(prepared.view().n_columns(), 10);
        let deviation = rows.start.column(0).std(0.0);
        assert!((deviation - INITIAL_DEVIATION).abs() < 1e-9, "{deviation}");
        assert!(rows.start.column(1).std(0.0) < deviation);
        let again = rows.reduction.unwrap().apply(&run, &Features::from(&x));
        assert_eq!(again.unwrap(), prepared);
    }

    #[test]
    fn other_metrics_and_few_columns_leave_rows_as_they_are() {
        let x = sample(50, 30);
        let run = Run::new();
        let cosine = Search {
            metric: Metric::Cosine,
            ..Search::default()
        };
        let rows = PreparedRows::of(&run, &Data::from(&x), options(&cosine)).unwrap();
        assert!(rows.prepared.is_none() && rows.reduction.is_none());
        let few = x.slice(s![.., ..10]);
        let search = Search::default();
        let rows = PreparedRows::of(&run, &Data::from(few), options(&search)).unwrap();
        assert!(rows.prepared.is_none());
    }

    #[test]
    fn the_start_does_not_depend_on_the_scale() {
        let x = sample(60, 5);
        let (run, search) = (Run::new(), Search::default());
        let start = |x: &Array2<f64>| {
            let rows = PreparedRows::of(&run, &Data::from(x), options(&search)).unwrap();
            (rows.start, rows.origin)
        };
        let (want, _) = start(&x);
        for factor in [1e-30, 1e30] {
            let (got, origin) = start(&(&x * factor));
            assert_eq!(origin, PRINCIPAL);
            assert!((got - &want).iter().all(|off| off.abs() < 1e-9));
        }
        assert_eq!(start(&(&x * 1e300)).1, "random");
        assert_eq!(start(&Array2::ones((20, 3))).1, "random");
    }

    #[test]
    fn rows_without_features_start_by_landmarks() {
        let line = Array2::from_shape_fn((40, 40), |(i, j)| (i as f64 - j as f64).abs());
        let (run, search) = (Run::new(), Search::default());
        let from_distances = PreparedRows::of(
            &run,
            &Data::distances(line.view()).unwrap(),
            options(&search),
        )
        .unwrap();
        let indices = Array2::from_shape_fn((40, 2), |(i, j)| {
            if j == 0 {
                i as i64 - 1
            } else {
                (i as i64 + 1) % 40
            }
        });
        let steps =
            Array2::from_shape_fn((40, 2), |(i, j)| if i == 39 && j == 1 { 39.0 } else { 1.0 });
        let table = Neighbors::from_table(&indices.view(), &steps.view()).unwrap();
        let data = Data::from_neighbors(&table).unwrap();
        let from_table = PreparedRows::of(&run, &data, options(&search)).unwrap();
        for rows in [from_distances, from_table] {
            let first = rows.start.column(0).to_vec();
            let rising = first.windows(2).all(|pair| pair[0] < pair[1]);
            let falling = first.windows(2).all(|pair| pair[0] > pair[1]);
            assert!(rising || falling, "{first:?}");
        }
    }

    #[test]
    fn measures_order_rows_alike() {
        let x = sample(9, 4);
        let single = x.mapv(|value| value as f32);
        let run = Run::new();
        let search = Search::default();
        let manhattan = Search {
            metric: Metric::Manhattan,
            ..Search::default()
        };
        let mut found = Vec::new();
        for (data, search) in [
            (Data::from(&x), &search),
            (Data::from(&single), &search),
            (Data::from(&x), &manhattan),
        ] {
            let measure = Measure::of(&run, &data, search).unwrap();
            let mut target = Vec::new();
            measure.measure(&run, 0, &[1, 5], &mut target).unwrap();
            found.push(target);
        }
        let sum: f64 = (x.row(0).iter().zip(x.row(5)))
            .map(|(a, b)| (a - b).abs())
            .sum();
        assert!((found[2][1] - sum).abs() < 1e-12);
        assert_eq!(found[0][0] < found[0][1], found[1][0] < found[1][1]);
    }

    #[test]
    fn given_coordinates_become_small_and_centred() {
        let x = sample(40, 5);
        let (run, search) = (Run::new(), Search::default());
        let mut rows = PreparedRows::of(&run, &Data::from(&x), options(&search)).unwrap();
        let mut given = sample(40, 2) * 1e200;
        given.column_mut(1).fill(3.0);
        rows.start_from(given.view());
        assert!((rows.start.column(0).std(0.0) - NOISE_DEVIATION).abs() < 1e-12);
        assert!(rows.start.column(0).sum().abs() < 1e-12);
        assert!(rows.start.column(1).iter().all(|value| value.abs() < 1e-12));
        assert!(rows.start[[3, 0]] * given[[3, 0]] > 0.0 || rows.start[[3, 0]].abs() < 1e-4);
        rows.start_at_random(1);
        assert_eq!(rows.origin, "random");
    }
}
