//! Plans: algorithm and memory of a fit, predicted from the shape of the data.

use crate::data::{Data, Features, Precision, Source};
use crate::error::{Error, Message, Result, check_count, check_rows, message};
use crate::graph::Neighborhood;
use crate::linalg::smallest::SmallestOptions;
use crate::local::check_components;
use crate::neighbors;
use crate::spectral::principal::Solver;

/// Size and kind of some data, for predictions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Rows.
    pub n_rows: usize,
    /// Columns.
    pub n_columns: usize,
    /// Values stored: rows × columns unless sparse.
    pub n_stored: usize,
    /// Precision of the values.
    pub precision: Precision,
    /// Sparse rows.
    pub sparse: bool,
    /// Rows of features, not distances or neighbours.
    pub features: bool,
    /// The neighbours of the rows are known.
    pub neighbors: bool,
}

impl Shape {
    /// The shape of dense features.
    pub fn dense(n_rows: usize, n_columns: usize, precision: Precision) -> Self {
        Self {
            n_rows,
            n_columns,
            n_stored: n_rows.saturating_mul(n_columns),
            precision,
            sparse: false,
            features: true,
            neighbors: false,
        }
    }

    /// The shape of some data.
    pub fn of(data: &Data<'_>) -> Self {
        let shape = match data.source() {
            Source::Features(features) => Self::of_features(features),
            Source::Distances(x)
            | Source::Kernel(x)
            | Source::DistancesTo(x)
            | Source::KernelTo(x) => Self {
                features: false,
                ..Self::dense(x.nrows(), x.ncols(), Precision::Double)
            },
            Source::Neighbors(table) => Self {
                n_stored: table.len(),
                sparse: true,
                features: false,
                ..Self::dense(table.n_rows(), table.n_known(), Precision::Double)
            },
            Source::Affinities(x) | Source::AffinitiesTo(x) => Self {
                n_stored: x.values().len(),
                sparse: true,
                features: false,
                neighbors: true,
                ..Self::dense(x.n_rows(), x.n_columns(), Precision::Double)
            },
        };
        Self {
            neighbors: shape.neighbors || data.neighbors().is_some(),
            ..shape
        }
    }

    /// The shape of some features.
    pub fn of_features(features: &Features<'_>) -> Self {
        Self {
            n_stored: features.n_stored(),
            sparse: features.is_sparse(),
            ..Self::dense(
                features.n_rows(),
                features.n_columns(),
                features.precision(),
            )
        }
    }

    /// Fails if the rows cannot have such neighbourhoods, of at least `least` neighbours: as a fit would.
    pub(crate) fn check_neighborhood(
        &self,
        neighborhood: &Neighborhood,
        least: usize,
    ) -> Result<()> {
        if self.neighbors {
            return Ok(());
        }
        neighborhood.check_rows(self.n_rows, least)
    }

    /// Edges of a row in the graph of its neighbours, or of its affinities: so many on average.
    pub(crate) fn n_edges_per_row(&self, neighborhood: &Neighborhood) -> usize {
        if self.sparse && !self.features {
            return self.n_stored.div_ceil(self.n_rows.max(1));
        }
        if neighborhood.is_everything() {
            return self.n_rows;
        }
        neighborhood.n_neighbors.min(self.n_rows)
    }

    /// Bytes that the data itself takes.
    pub fn bytes(&self) -> u64 {
        let place = if self.sparse { 4 } else { 0 };
        (self.n_stored as u64).saturating_mul(self.precision.bytes() + place)
    }
}

/// Algorithm and memory of a fit, predicted before it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The algorithm chosen, in words.
    pub algorithm: String,
    /// What takes memory at the peak besides the data, with the bytes of each.
    pub memory: Vec<(String, u64)>,
    /// What to do if that is too much.
    pub advice: Message,
    /// True if the method can be fitted from batches instead.
    pub or_batches: bool,
}

impl Plan {
    /// A plan without memory yet.
    pub fn new(algorithm: impl Into<String>) -> Self {
        Self {
            algorithm: algorithm.into(),
            memory: Vec::new(),
            advice: message!("use fewer {:rows} or {:columns}, or single precision"),
            or_batches: false,
        }
    }

    /// Adds a table of `rows` × `columns` numbers of `bytes` bytes each.
    pub fn needs(mut self, what: &str, (rows, columns): (usize, usize), bytes: u64) -> Self {
        let count = (rows as u64).saturating_mul(columns as u64);
        self.memory.push((what.into(), count.saturating_mul(bytes)));
        self
    }

    /// The plan of methods that sum small matrices of neighbourhoods of at least `least` neighbours and take the smallest
    /// eigenvectors.
    pub(crate) fn of_neighborhoods(
        shape: &Shape,
        neighborhood: &Neighborhood,
        least: usize,
        n_components: usize,
    ) -> Result<Self> {
        let n = shape.n_rows;
        check_components(n_components, n, shape.features.then_some(shape.n_columns))?;
        shape.check_neighborhood(neighborhood, least)?;
        let each = neighborhood.n_neighbors.saturating_add(1).min(n);
        let pairs = each.saturating_mul(each.saturating_add(1)) / 2;
        let width = n_components.saturating_add(6).saturating_mul(16);
        let plan = Self::new("smallest eigenvectors of the sum over neighbourhoods")
            .needs_search(shape, neighborhood)
            .needs("neighbours", (n, each), 4 * 16)
            .needs("small matrices", (n, pairs), 8)
            .needs("their sum", (n, each.saturating_mul(8).min(n)), 2 * 16)
            .needs_factor("factor of the sum", n)
            .needs("vectors", (n, width), 3 * 8)
            .needs_rows("training rows", shape)
            .advice(message!("use fewer {:rows}, or fewer neighbours"));
        Ok(plan)
    }

    /// Adds what finding `count` principal axes needs.
    pub(crate) fn needs_principal_axes(self, shape: &Shape, solver: Solver, count: usize) -> Self {
        let (n, d) = (shape.n_rows, shape.n_columns);
        let smaller = n.min(d);
        let plan = match solver {
            Solver::Dual => self
                .needs("inner products and eigenvectors", (n, n), 5 * 8)
                .needs("columns in blocks", (n, 1024.min(d)), 8),
            Solver::Randomized => {
                self.needs("Krylov basis", (smaller, count.saturating_add(8)), 14 * 8)
            }
            Solver::Svd => self
                .needs(
                    "rows in blocks",
                    (smaller.saturating_mul(5).max(512), smaller),
                    3 * 8,
                )
                .needs("triangular factor and vectors", (smaller, smaller), 5 * 8),
            Solver::Auto | Solver::Covariance => self
                .needs("scatter and eigenvectors", (d, d), 5 * 8)
                .needs("rows in blocks", (256, d), shape.precision.bytes()),
        };
        if solver == Solver::Covariance || shape.sparse {
            return plan;
        }
        plan.needs("rows in double precision", (1024.min(n), d), 2 * 8)
    }

    /// The plan of linear versions of a graph's eigenproblem, without the graph itself.
    pub(crate) fn of_linearized(
        shape: &Shape,
        neighborhood: &Neighborhood,
        n_components: usize,
    ) -> Result<Self> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        check_rows(message!("a neighbour graph"), 2, n)?;
        check_count(n_components, n, d)?;
        shape.check_neighborhood(neighborhood, 1)?;
        let smaller = n.min(d);
        let plan = if n <= d {
            Self::new("eigenvectors among the principal components").needs(
                "principal components",
                (n, d),
                4 * 8,
            )
        } else {
            Self::new("eigenvectors of both forms")
        };
        Ok(plan
            .needs_search(shape, neighborhood)
            .needs("forms and eigenvectors", (smaller, smaller), 26 * 8)
            .needs("rows in double precision", (16 * 512.min(n), d), 2 * 8)
            .needs(
                "embedding and axes",
                (n.saturating_add(d), n_components.min(smaller)),
                2 * 8,
            )
            .advice(message!("use fewer {:columns}, or keep fewer {:rows}")))
    }

    /// Adds what the search for neighbours needs. Distances and neighbours that are given are only looked up.
    pub(crate) fn needs_search(mut self, shape: &Shape, neighborhood: &Neighborhood) -> Self {
        if !shape.features {
            return self;
        }
        let n_stored = shape.sparse.then_some(shape.n_stored);
        let bytes = neighbors::memory(
            shape.n_rows,
            shape.n_columns,
            shape.precision,
            n_stored,
            &neighborhood.search,
            neighborhood.n_neighbors,
        );
        self.memory.push(("search for neighbours".into(), bytes));
        self
    }

    /// Adds the factor of a sparse matrix of `n` rows: all its lower half, but no more than is allowed before
    /// products take the factor's place.
    pub(crate) fn needs_factor(self, what: &str, n: usize) -> Self {
        let half = n.saturating_mul(n.saturating_add(1)) / 2;
        let most = SmallestOptions::default().max_in_factor;
        self.needs(what, (half.min(most), 1), 8)
    }

    /// Adds the rows, kept as they are; of distances and neighbours nothing is kept.
    pub(crate) fn needs_rows(mut self, what: &str, shape: &Shape) -> Self {
        if shape.features {
            self.memory.push((what.into(), shape.bytes()));
        }
        self
    }

    /// Sets the advice if it is too much.
    pub fn advice(mut self, advice: Message) -> Self {
        self.advice = advice;
        self
    }

    /// Marks that the method can be fitted from batches instead.
    pub(crate) fn or_batches(mut self) -> Self {
        self.or_batches = true;
        self
    }

    /// All that can be done if it is too much.
    pub fn all_advice(&self) -> Message {
        let advice = self.advice.clone();
        if self.or_batches {
            message!("{advice}, or fit from batches ({Batches:input})")
        } else {
            advice
        }
    }

    /// Bytes needed besides the data.
    pub fn bytes(&self) -> u64 {
        self.memory
            .iter()
            .fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// Fails if the data and the run together would not fit.
    pub fn check(&self, shape: &Shape, limit: Option<u64>) -> Result<()> {
        let needed = self.bytes().saturating_add(shape.bytes());
        match limit {
            Some(limit) if needed > limit => Err(Error::Memory {
                needed,
                limit,
                advice: self.all_advice(),
            }),
            _ => Ok(()),
        }
    }
}
