//! Reasons and cautions: as data, with the sentence that a front words.

use serde::Serialize;

use crate::error::{Message, bytes, message};

/// Why a method is recommended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The plane of the principal components keeps neighbourhoods about as well as any candidate.
    PlaneKeeps {
        /// Trustworthiness of the plane.
        trustworthiness: f64,
        /// The best trustworthiness among the candidates.
        best: f64,
    },
    /// The plane of the principal components loses neighbourhoods.
    PlaneLoses {
        /// Trustworthiness of the plane.
        trustworthiness: f64,
    },
    /// Proportion of the variance in the plane of the principal components.
    PlaneShare {
        /// The proportion.
        proportion: f64,
    },
    /// The data has two features.
    Plane,
    /// Trustworthiness of the method's map in a trial.
    Trial {
        /// The trustworthiness.
        trustworthiness: f64,
        /// Neighbours compared.
        n_neighbors: usize,
        /// Rows of the trial.
        n_rows: usize,
    },
    /// The data lies near a manifold of few dimensions.
    Manifold {
        /// Estimated dimension.
        dimension: f64,
        /// Features.
        n_columns: usize,
    },
    /// The method keeps geodesic distances.
    Geodesics,
    /// The method keeps local linear structure.
    LocalGeometry,
    /// The method keeps neighbourhoods, not distances between groups.
    Neighborhoods,
    /// A linear rule predicts the classes about as well as neighbours do.
    LinearClasses {
        /// Accuracy of the linear rule on held-out rows.
        linear: f64,
        /// Accuracy of the neighbours.
        nearest: f64,
    },
    /// There are classes, too few rows to measure how they separate.
    Classes {
        /// Number of classes.
        n_classes: usize,
    },
    /// Neighbours predict the groups better than a linear rule.
    CurvedGroups {
        /// Accuracy of the linear rule on held-out rows.
        linear: f64,
        /// Accuracy of the neighbours.
        nearest: f64,
        /// The groups are parts of the neighbour graph, not classes.
        of_graph: bool,
    },
    /// With this width of the kernel a linear rule separates the groups.
    KernelWidth {
        /// The width's coefficient.
        gamma: f64,
        /// Accuracy of a linear rule in the map.
        accuracy: f64,
    },
    /// The neighbour graph has several parts, which the first eigenvectors separate.
    GraphParts {
        /// Number of parts.
        n_components: usize,
    },
    /// A few components carry most of the variance.
    FewComponents {
        /// How many.
        n_components: usize,
        /// Of how many features.
        n_columns: usize,
        /// Proportion of the variance that they carry.
        proportion: f64,
    },
    /// A linear model predicts the label about as well as neighbours do.
    LinearLabel {
        /// Explained variance of the linear model on held-out rows.
        linear: f64,
        /// That of the neighbours.
        nearest: f64,
    },
    /// Only distances are known.
    DistancesOnly,
    /// It keeps distances as well as the plane allows.
    KeepsDistances,
    /// Some distances are missing.
    MissingDistances,
    /// Distances with few different values are ranks.
    RankedDistances {
        /// Different values.
        n_values: usize,
    },
    /// An eigendecomposition, without iterations.
    Eigendecomposition,
    /// The data is a kernel matrix.
    KernelMatrix,
    /// The data is a table of neighbours.
    NeighborTable,
    /// The data is in several views.
    Views {
        /// Number of views.
        n_views: usize,
    },
    /// Most values are zero, and centring would fill them.
    Sparse {
        /// Proportion of zeros.
        zeros: f64,
    },
    /// No value is negative: rows can be sums of parts.
    Nonnegative,
    /// Rows follow each other smoothly, as measurements in time do.
    Serial {
        /// Smallest correlation of successive values of a feature.
        correlation: f64,
    },
    /// The method estimates missing values.
    TakesMissing,
    /// Few rows: a linear method has few parameters to fit.
    FewRows,
    /// The features have different scales.
    Scaled,
    /// New rows get coordinates by a matrix product.
    LinearMap,
}

impl Reason {
    /// The sentence.
    pub fn message(&self) -> Message {
        match self {
            Self::PlaneKeeps {
                trustworthiness,
                best,
            } => message!(
                "the plane of the principal components keeps the neighbourhoods: trustworthiness {trustworthiness:.3}, at best {best:.3} among the methods tried"
            ),
            Self::PlaneLoses { trustworthiness } => message!(
                "the plane of the principal components loses neighbourhoods: trustworthiness {trustworthiness:.3}"
            ),
            Self::PlaneShare { proportion } => {
                let percent = percent(*proportion);
                message!("two principal components carry {percent} of the variance")
            }
            Self::Plane => message!(
                "there are two {:columns}: the plane is the data itself, centred and rotated"
            ),
            Self::Trial {
                trustworthiness,
                n_neighbors,
                n_rows,
            } => {
                let (k, n) = (*n_neighbors, *n_rows);
                message!(
                    "in a trial on {n:rows} its map has trustworthiness {trustworthiness:.3} for {k} neighbours"
                )
            }
            Self::Manifold {
                dimension,
                n_columns,
            } => {
                let n = *n_columns;
                message!(
                    "the data lies near a surface of dimension {dimension:.1} among {n:columns} (maximum likelihood estimate)"
                )
            }
            Self::Geodesics => {
                message!("it preserves distances along the surface (geodesics), which unrolls it")
            }
            Self::LocalGeometry => {
                message!("it preserves how each {:row} lies among its neighbours")
            }
            Self::Neighborhoods => message!(
                "it preserves neighbourhoods; distances between far groups and their sizes mean little"
            ),
            Self::LinearClasses { linear, nearest } => {
                let (linear, nearest) = (percent(*linear), percent(*nearest));
                message!(
                    "the classes are separated linearly: a linear rule predicts {linear} of held-out {:rows}, nearest neighbours {nearest}"
                )
            }
            Self::Classes { n_classes } => {
                let n = *n_classes;
                message!("there are {n} classes, which a supervised linear map separates")
            }
            Self::CurvedGroups {
                linear,
                nearest,
                of_graph,
            } => {
                let (linear, nearest) = (percent(*linear), percent(*nearest));
                if *of_graph {
                    message!(
                        "no line separates the parts of the neighbour graph: a linear rule assigns {linear} of held-out {:rows}, nearest neighbours {nearest}"
                    )
                } else {
                    message!(
                        "no line separates the classes: a linear rule predicts {linear} of held-out {:rows}, nearest neighbours {nearest}"
                    )
                }
            }
            Self::KernelWidth { gamma, accuracy } => {
                let (gamma, accuracy) = (*gamma, percent(*accuracy));
                message!(
                    "with {gamma:setting} a line separates {accuracy} of the {:rows} in the map"
                )
            }
            Self::GraphParts { n_components } => {
                let n = *n_components;
                message!(
                    "the neighbour graph has {n} separate parts, which its first eigenvectors tell apart"
                )
            }
            Self::FewComponents {
                n_components,
                n_columns,
                proportion,
            } => {
                let (n, d, share) = (*n_components, *n_columns, percent(*proportion));
                message!("{n} of {d} principal components carry {share} of the variance")
            }
            Self::LinearLabel { linear, nearest } => {
                let (linear, nearest) = (percent(*linear), percent(*nearest));
                message!(
                    "a linear model explains {linear} of the variance of the label on held-out {:rows}, nearest neighbours {nearest}"
                )
            }
            Self::DistancesOnly => message!("only distances are known, and it preserves them"),
            Self::KeepsDistances => message!(
                "it preserves all distances as far as a plane can, which few {:rows} allow to see one by one"
            ),
            Self::MissingDistances => message!("some distances are missing, and it takes that"),
            Self::RankedDistances { n_values } => {
                let n = *n_values;
                message!(
                    "the distances have only {n} different values: their order counts more than their size"
                )
            }
            Self::Eigendecomposition => message!(
                "an eigendecomposition: fast, without iterations, and exact for Euclidean distances"
            ),
            Self::KernelMatrix => {
                message!("the data is a kernel matrix, whose principal components it finds")
            }
            Self::NeighborTable => {
                message!("the data is a table of neighbours, which is all that it needs")
            }
            Self::Views { n_views } => {
                let n = *n_views;
                message!("there are {n} views, and it finds the directions in which they agree")
            }
            Self::Sparse { zeros } => {
                let zeros = percent(*zeros);
                message!(
                    "{zeros} of the values are zero, and it does not centre, so that they stay zero"
                )
            }
            Self::Nonnegative => message!(
                "no value is negative: each {:row} becomes a sum of parts with weights of 0 or more"
            ),
            Self::Serial { correlation } => message!(
                "successive {:rows} are alike (correlation {correlation:.2} or more in every {:column}), as in recorded signals: if the {:columns} are mixtures of sources, it separates them"
            ),
            Self::TakesMissing => {
                message!("it estimates missing values while it is fitted ({missing=em})")
            }
            Self::FewRows => message!("few {:rows}: a linear map has little to learn"),
            Self::Scaled => message!(
                "the {:columns} have different scales: each is divided by its standard deviation first"
            ),
            Self::LinearMap => {
                message!("a linear map: new {:rows} cost a product, and loadings show what counts")
            }
        }
    }
}

/// What to look out for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "caution", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Caution {
    /// One row.
    OneRow,
    /// One feature: there is nothing to reduce.
    OneColumn,
    /// All rows are the same.
    Constant,
    /// Fewer rows than a map can be trusted with.
    FewRows {
        /// Rows.
        n_rows: usize,
        /// Rows that would be enough.
        enough: usize,
    },
    /// Neighbourhoods of the usual size are larger than the data allows.
    FewNeighbors {
        /// The usual size.
        usual: usize,
        /// The size taken instead.
        taken: usize,
    },
    /// Missing values among the features.
    Missing {
        /// How many.
        n_missing: usize,
        /// Rows that have them.
        n_rows: usize,
    },
    /// Missing distances.
    MissingDistances {
        /// How many.
        n_missing: usize,
    },
    /// Features of very different scale.
    Scales {
        /// How many times the standard deviation of a large one is that of a small one.
        ratio: f64,
    },
    /// Features whose values do not differ.
    ConstantColumns {
        /// How many.
        count: usize,
    },
    /// Rows that equal others.
    Duplicates {
        /// Proportion of the rows.
        proportion: f64,
    },
    /// The neighbour graph is disconnected.
    Disconnected {
        /// Neighbours of each row.
        n_neighbors: usize,
        /// Connected components.
        n_components: usize,
        /// Proportion of the rows in the largest.
        largest: f64,
    },
    /// The scatter within classes is singular.
    SingularScatter {
        /// Features.
        n_columns: usize,
        /// Rows that have a class, less the classes.
        rank: usize,
    },
    /// Classes with fewer than three rows.
    SmallClasses {
        /// How many.
        count: usize,
    },
    /// Rows without a label.
    Unlabelled {
        /// How many.
        count: usize,
    },
    /// The facts come from some of the rows.
    Sampled {
        /// Rows taken.
        n_sampled: usize,
        /// Rows of the data.
        n_rows: usize,
    },
    /// A method that would need too much memory was left out.
    TooLarge {
        /// The method.
        method: &'static str,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// A method that cannot be fitted to data of this shape was left out.
    NotFor {
        /// The method.
        method: &'static str,
    },
}

impl Caution {
    /// The sentence.
    pub fn message(&self) -> Message {
        match self {
            Self::OneRow => message!("there is one {:row}: nothing can be compared"),
            Self::OneColumn => message!("there is one {:column}: there is nothing to reduce"),
            Self::Constant => message!("all {:rows} are the same: there is nothing to show"),
            Self::FewRows { n_rows, enough } => {
                let (n, enough) = (*n_rows, *enough);
                message!(
                    "{n:rows} are few: structure may be chance below about {enough}; get more data if you can"
                )
            }
            Self::FewNeighbors { usual, taken } => {
                let (usual, taken) = (*usual, *taken);
                message!(
                    "neighbourhoods of {usual} are too large for this data: {taken} are compared instead"
                )
            }
            Self::Missing { n_missing, n_rows } => {
                let (count, n) = (*n_missing, *n_rows);
                message!(
                    "{count} values in {n:rows} are missing: most methods refuse them; estimate them, fill them in, or leave out those {:rows} or {:columns}"
                )
            }
            Self::MissingDistances { n_missing } => {
                let count = *n_missing;
                message!("{count} distances are missing: most methods refuse them")
            }
            Self::Scales { ratio } => message!(
                "the {:columns} have very different scales (standard deviations differ by a factor of {ratio:.0}): unscaled, the largest decide alone"
            ),
            Self::ConstantColumns { count } => {
                let count = *count;
                message!("{count:columns} without variation: they carry nothing")
            }
            Self::Duplicates { proportion } => {
                let share = percent(*proportion);
                message!(
                    "{share} of the {:rows} are duplicates of others: neighbourhoods of duplicates say little; remove them if they are no observations of their own"
                )
            }
            Self::Disconnected {
                n_neighbors,
                n_components,
                largest,
            } => {
                let (k, n, share) = (*n_neighbors, *n_components, percent(*largest));
                message!(
                    "the graph of {k} nearest neighbours is disconnected: {n} parts, the largest with {share} of the {:rows}; distances between parts in a map of neighbourhoods mean little"
                )
            }
            Self::SingularScatter { n_columns, rank } => {
                let (d, rank) = (*n_columns, *rank);
                message!(
                    "{d:columns} are at least as many as {:rows} less classes ({rank}): the scatter within classes is singular, and {'lda':method} reduces to principal components first; check its accuracy on held-out {:rows}"
                )
            }
            Self::SmallClasses { count } => {
                let count = *count;
                message!(
                    "{count} classes have fewer than three {:rows}: their scatter is not known"
                )
            }
            Self::Unlabelled { count } => {
                let n = *count;
                message!("{n:rows} have no label: supervised methods leave them out")
            }
            Self::Sampled { n_sampled, n_rows } => {
                let (m, n) = (*n_sampled, *n_rows);
                message!("spectrum, dimension, graph and trials come from {m} of {n:rows}")
            }
            Self::TooLarge {
                method,
                needed,
                limit,
            } => {
                let (needed, limit) = (bytes(*needed), bytes(*limit));
                message!(
                    "{method:method} was left out: it would need {needed} of memory and may use {limit}",
                    method = *method
                )
            }
            Self::NotFor { method } => {
                message!(
                    "{method:method} was left out: it cannot be fitted to data of this size",
                    method = *method
                )
            }
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
