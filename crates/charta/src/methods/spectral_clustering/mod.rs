//! Spectral clustering: k-means on the smallest eigenvectors of the normalized Laplacian of a neighbour graph.
//!
//! # Idea
//! Two rows belong together if a chain of neighbours leads from one to the other. On the slowest functions of the weighted neighbour graph (the eigenvectors of its Laplacian with the smallest eigenvalues) rows
//! of the same group have nearly the same values, whatever the shape of the group: there k-means finds them. The number of eigenvalues that are nearly 0 shows how many groups there are.
//!
//! # Steps
//! 1. [`graph`](crate::graph): the connected neighbour graph.
//! 2. [`graph::Weighting`](crate::graph::Weighting): the weights W of its edges; or affinities, the weights of a graph, are given.
//! 3. `spectral::eigenmaps`: the smallest eigenvectors of L y = λ D y.
//! 4. `cluster::eigengap`: the number of clusters that the eigenvalues propose.
//! 5. `cluster::KMeansOptions`: k-means on the coordinates; or [`Assignment`], the rotation of the eigenvectors nearest to an indicator of clusters.
//! 6. [`methods::spectral_clustering::SpectralClusteringModel`](crate::methods::spectral_clustering::SpectralClusteringModel): the coordinates, and the clusters of new rows.
//!
//! # Objective
//! The normalized cut Σ_c cut(c) / vol(c) of the graph into k parts, relaxed: the k smallest eigenvectors of L y = λ D y with yᵀ D y = 1 minimize it among real vectors (Shi and Malik). The constant one is
//! the same for all rows, so the coordinates are the k − 1 others. With `unit_rows` they are all k with every row brought to length 1 (Ng, Jordan and Weiss). The eigengap
//! proposes the k for which (λ_k+1 − λ_k) / λ_k+1^0.85 is largest, λ₁ = 0, among the first 15 at least; connected components that bridges joined count as clusters. It is reported as `eigengap_advice` also where `n_clusters` is given.
//!
//! # Cost
//! That of [`laplacian_eigenmaps`](crate::methods::laplacian_eigenmaps) with 15 components or `n_clusters`, whichever are more: the search for neighbours, a sparse Cholesky factor of the Laplacian and about ten
//! solutions with it. k-means on so few columns adds little.
//!
//! # Choosing parameters
//! `n_clusters = auto` takes the proposal of the eigengap; look at the reported `laplacian_eigenvalues`: where several gaps are similar, several numbers are reasonable. `n_neighbors` from 5 to 20: fewer separate
//! groups that nearly touch, more keep a group from falling apart. `assignment = cluster_qr` needs no random numbers. `unit_rows` helps where clusters differ much in size or density. Heat weights with `bandwidth = self_tuned` help where the density varies.
//!
//! # New points
//! A new row gets coordinates by the equation that training rows satisfy, (1 − λ) y = Σ p y over its nearest training rows (the Nyström extension of eigenmaps); its cluster is that of the nearest centre.
//!
//! # Differences
//! scikit-learn's `SpectralClustering` uses the same eigenvectors and has no `predict`. Its affinity is an RBF kernel of all pairs by default, `heat` weights between all pairs of rows here; with `affinity="nearest_neighbors"` it counts a row among its own
//! neighbours and has the weights `average`. A disconnected graph is joined by its shortest bridges here, with a warning, unless affinities are given.
//!
//! # References
//! Shi and Malik, "Normalized cuts and image segmentation", 2000. Ng, Jordan and Weiss, "On spectral clustering: analysis and an algorithm", 2002. von Luxburg, "A tutorial on spectral clustering", 2007. Bengio et
//! al., "Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral clustering", 2003. Yu and Shi, "Multiclass spectral clustering", 2003. Damle, Minden and Ying, "Simple, direct and efficient multi-way spectral clustering", 2019.
//!
//! # Example
//! ```
//! use charta::cluster::adjusted_rand;
//! use charta::{Fit, methods::spectral_clustering::SpectralClustering};
//! let moons = charta::data::synthetic::moons(200, 0.03, 0)?;
//! let model = SpectralClustering::default().fit(&moons)?;      // the number of clusters by the eigengap
//! let truth: Vec<u32> = (0..200).map(|row| u32::from(row >= 100)).collect();
//! assert_eq!(adjusted_rand(model.labels(), &truth)?, 1.0);
//! # Ok::<(), charta::Error>(())
//! ```

mod assignment;

pub use assignment::Assignment;

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};
use serde::{Deserialize, Serialize};

use crate::cluster::{Clusters, KMeansOptions, eigengap};
use crate::data::loaded::{
    check_at_least, check_finite, check_indices, check_length, check_positive,
};
use crate::data::{Data, arrays};
use crate::error::{Because, Error, Result, message};
use crate::graph::{Neighborhood, Weighting};
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::model::{
    Diagnostics, EigenmapFit, EigenmapModel, Extension, Mark, Model, Predict, Prediction, Transform,
};
use crate::params::{Choice, Parameters};
use crate::run::Run;
use crate::spectral::eigenmaps::{Normalization, check_count};
use crate::spectral::weighted_graph::WeightedGraph;

/// Eigenvectors that are computed at least, so that the eigengap is seen.
const CONSIDERED: usize = 15;

/// Number of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum ClusterCount {
    /// The number before the largest relative gap of the eigenvalues.
    Auto,
    /// Exactly this number.
    #[choice(min = 2)]
    Count(usize),
}

/// Parameters of spectral clustering.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct SpectralClustering {
    /// Number of clusters, or `auto` for the number before the largest relative gap of the eigenvalues (eigengap). More clusters are smaller.
    #[param(default = ClusterCount::Auto)]
    pub n_clusters: ClusterCount,
    /// Number of eigenvectors that k-means compares, the constant one included, which says nothing; as many as clusters if it is not given. More let clusters be told apart that the
    /// first ones leave together; usually as many as clusters. The other assignments always take as many as clusters.
    #[param(min = 2)]
    pub n_eigenvectors: Option<usize>,
    /// How rows are assigned to clusters: by `k_means`, by the rotation of the eigenvectors nearest to an indicator of clusters (`discretize`), or by a pivoted QR factorization of them
    /// (`cluster_qr`), which needs neither iterations nor random numbers.
    #[param(default = Assignment::KMeans)]
    pub assignment: Assignment,
    /// Normalize the rows of the eigenvectors to length 1 before k-means (Ng, Jordan and Weiss 2002), which helps with clusters of different sizes.
    #[param(default = false)]
    pub unit_rows: bool,
    /// Number of initializations of k-means; the result with the lowest inertia is kept. More avoid poor local minima; usually 1 to 20.
    #[param(default = 10, min = 1)]
    pub n_init: usize,
    /// Weights of the edges.
    #[param(flatten)]
    pub weighting: Weighting,
    /// Neighbourhood graph.
    #[param(flatten, default = Neighborhood::nearest(10))]
    pub neighborhood: Neighborhood,
}

impl Method for SpectralClustering {
    const INFO: Info = Info {
        name: "spectral_clustering",
        title: "Spectral clustering",
        summary: "Clusters of any shape: k-means on the smallest eigenvectors of the Laplacian of the neighbour graph",
        family: Family::Clustering,
        reference: "Ng, Jordan and Weiss 2002",
        takes: &[Input::Sparse, Input::Distances, Input::Affinities],
        offers: &[Capability::Predicts, Capability::Clusters],
        ..Info::DEFAULT
    };

    type Model = SpectralClusteringModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<SpectralClusteringModel> {
        self.check_clusters(data.n_rows())?;
        run.stage("nearest neighbours")?;
        let graph = WeightedGraph::of(run, data, &self.neighborhood, &self.weighting)?;
        let n_nodes = graph.n_rows();
        self.check_clusters(n_nodes)?;
        run.stage("eigenvectors")?;
        let seed = self.neighborhood.search.seed;
        let considered = self.n_found(n_nodes);
        let found = graph.eigenmaps(run, considered, Normalization::Normalized, seed)?;
        let advice = eigengap(&found.values.to_vec(), graph.n_parts).unwrap_or(2);
        let n_clusters = match self.n_clusters {
            ClusterCount::Auto => advice,
            ClusterCount::Count(count) => count,
        };
        let n_used = self.n_compared(n_clusters) - 1;
        let eigenvectors = found.coordinates.slice(s![.., ..n_used]).to_owned();
        let constant_value = graph.weights.degrees.iter().sum::<f64>().sqrt().recip();
        let constant = self.unit_rows.then_some(constant_value);
        let compared = coordinates(constant, &eigenvectors);
        let clusters = if self.assignment == Assignment::KMeans {
            run.stage("k-means")?;
            KMeansOptions {
                n_clusters,
                n_init: self.n_init,
                seed,
                ..KMeansOptions::default()
            }
            .fit(run, &Data::from(&compared))?
        } else {
            run.stage("rotation")?;
            let all = with_constant(constant_value, &eigenvectors);
            let (labels, rounds) = match self.assignment {
                Assignment::Discretize => assignment::discretize(&all, seed)?,
                _ => (assignment::cluster_qr(&all)?, 1),
            };
            Clusters::of_labels(&compared.view(), labels, n_clusters, rounds)
        };
        let map = EigenmapModel {
            training: graph.training_rows(run, data, &self.neighborhood)?,
            embedding: graph.in_place(eigenvectors, data.n_rows()),
            fit: EigenmapFit {
                n_neighbors: graph.n_neighbors,
                radius: self.neighborhood.radius,
                kernel: graph.weights.kernel.clone(),
                factors: None,
                extension: Extension::Normalized,
                eigenvalues: found.values.slice(s![..n_used]).to_owned(),
                graph: graph.report.clone(),
                residual: found.residual,
                route: found.route,
            },
        };
        Ok(SpectralClusteringModel {
            unit: constant.map(|_| graph.in_place(compared, data.n_rows())),
            constant,
            clusters,
            eigenvalues: found.values,
            advice,
            map,
        })
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let n = shape.n_rows;
        self.check_clusters(n)?;
        shape.check_neighborhood(&self.neighborhood, 1)?;
        let k = shape.n_edges_per_row(&self.neighborhood);
        let width = self.n_found(n).saturating_add(8).saturating_mul(6);
        Ok(
            Plan::new("k-means on the smallest eigenvectors of the graph's Laplacian")
                .needs_search(shape, &self.neighborhood)
                .needs("neighbours and graph", (n, k), 2 * 60)
                .needs_factor("factor of the Laplacian", n)
                .needs("vectors", (n, width), 2 * 8)
                .needs_rows("training rows", shape)
                .advice(message!("use fewer {:rows}, or fewer neighbours")),
        )
    }
}

impl SpectralClustering {
    /// Fails unless a graph of this many rows has as many clusters.
    fn check_clusters(&self, n_rows: usize) -> Result<()> {
        check_count(1, n_rows)?;
        match self.n_clusters {
            ClusterCount::Count(count) if count > n_rows => Err(Error::at_most(
                "n_clusters",
                n_rows,
                Because::Rows(n_rows),
                count,
            )),
            _ => match self.n_eigenvectors {
                Some(count) if count > n_rows => Err(Error::at_most(
                    "n_eigenvectors",
                    n_rows,
                    Because::Rows(n_rows),
                    count,
                )),
                _ => Ok(()),
            },
        }
    }

    /// Eigenvectors besides the constant one: those used, and enough to see a gap after them.
    fn n_found(&self, n_rows: usize) -> usize {
        let used = match self.n_clusters {
            ClusterCount::Auto => self.n_compared(2),
            ClusterCount::Count(count) => self.n_compared(count),
        };
        used.max(CONSIDERED).min(n_rows - 1)
    }

    /// Eigenvectors in which the clusters are found, with the constant one.
    fn n_compared(&self, n_clusters: usize) -> usize {
        match self.assignment {
            Assignment::KMeans => self.n_eigenvectors.unwrap_or(n_clusters),
            _ => n_clusters,
        }
    }
}

/// What k-means compares: the eigenvectors, or with the constant one beside them and every row at length 1.
fn coordinates(constant: Option<f64>, eigenvectors: &Array2<f64>) -> Array2<f64> {
    let Some(constant) = constant else {
        return eigenvectors.clone();
    };
    let mut rows = with_constant(constant, eigenvectors);
    // A factor common to a row, as the root of its degree, does not change its direction.
    for mut row in rows.rows_mut() {
        let length = row.dot(&row).sqrt();
        row /= length;
    }
    rows
}

/// The eigenvectors with the constant one before them.
fn with_constant(constant: f64, eigenvectors: &Array2<f64>) -> Array2<f64> {
    let column = Array2::from_elem((eigenvectors.nrows(), 1), constant);
    concatenate(Axis(1), &[column.view(), eigenvectors.view()])
        .expect("both have a row for each node")
}

/// A fitted spectral clustering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpectralClusteringModel {
    /// The eigenvectors at the training rows, and how new rows get theirs.
    map: EigenmapModel,
    /// The constant eigenvector's value, where rows are brought to length 1.
    constant: Option<f64>,
    /// The clusters of the coordinates of the training rows that are in the graph.
    clusters: Clusters,
    /// The smallest eigenvalues, without the 0 of the constant vector.
    #[serde(with = "arrays::vector")]
    eigenvalues: Array1<f64>,
    /// The number of clusters before the largest relative gap of the eigenvalues.
    advice: usize,
    /// Coordinates of the training rows at length 1; not saved.
    #[serde(skip)]
    unit: Option<Array2<f64>>,
}

impl SpectralClusteringModel {
    /// The cluster of every training row in the graph.
    pub fn labels(&self) -> &[u32] {
        &self.clusters.labels
    }

    /// Number of clusters.
    pub fn n_clusters(&self) -> usize {
        self.clusters.n_clusters()
    }

    /// The number of clusters that the eigengap proposes.
    pub fn eigengap_advice(&self) -> usize {
        self.advice
    }

    /// The smallest eigenvalues of the normalized Laplacian, without the 0 of the constant vector.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.eigenvalues
    }
}

impl Transform for SpectralClusteringModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        Ok(coordinates(
            self.constant,
            &self.map.transform_in(run, data)?,
        ))
    }
}

impl Predict for SpectralClusteringModel {
    fn predict_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Prediction> {
        let coordinates = self.transform_in(run, data)?;
        Ok(Prediction::Clusters {
            n_clusters: self.n_clusters(),
            of_row: self.clusters.predict(run, &Data::from(&coordinates))?,
        })
    }
}

impl Model for SpectralClusteringModel {
    fn n_components(&self) -> usize {
        self.map.embedding.ncols() + usize::from(self.constant.is_some())
    }

    fn n_columns(&self) -> usize {
        self.map.n_columns()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        match self.constant {
            Some(_) => self.unit.as_ref().map(|unit| unit.view()),
            None => self.map.embedding(),
        }
    }

    fn diagnostics(&self) -> Diagnostics {
        let (clusters, fit) = (&self.clusters, &self.map.fit);
        let sizes: Array1<f64> = clusters.counts.iter().map(|&count| count as f64).collect();
        let report = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", self.map.embedding.nrows())
            .count("n_columns", self.n_columns())
            .count("n_clusters", self.n_clusters())
            .count("eigengap_advice", self.advice)
            .number("inertia", clusters.inertia)
            .count("n_iterations", clusters.n_iter)
            .vector("cluster_sizes", &sizes)
            .vector("laplacian_eigenvalues", &self.eigenvalues)
            .matrix("cluster_centers", &clusters.centers)
            .number("residual", fit.residual)
            .text("solver", fit.route.clone())
            .text("weights", fit.kernel.name());
        let report = match fit.kernel.bandwidth() {
            Some(bandwidth) => report.number("bandwidth", bandwidth),
            None => report,
        };
        fit.graph.add(report)
    }

    fn clusters(&self) -> Option<Vec<Option<u32>>> {
        let mut of_row = vec![None; self.map.embedding.nrows()];
        for (number, &label) in self.clusters.labels.iter().enumerate() {
            of_row[self.map.training.row_of(number as u32)] = Some(label);
        }
        Some(of_row)
    }

    fn as_predict(&self) -> Option<&dyn Predict> {
        Some(self)
    }

    /// The centres of the clusters.
    fn marks(&self) -> Vec<Mark> {
        let centers = self.clusters.centers.rows().into_iter();
        centers
            .enumerate()
            .map(|(number, place)| Mark {
                name: format!("cluster {number}"),
                place: place.to_vec(),
            })
            .collect()
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("spectral")
    }

    fn validate(&self) -> Result<()> {
        let Self {
            map,
            constant,
            clusters,
            eigenvalues,
            advice,
            unit: _,
        } = self;
        map.validate()?;
        check_positive("the constant coordinate", constant)?;
        clusters.validate(self.n_components())?;
        check_length(
            "the clusters of the rows",
            clusters.labels.len(),
            map.training.n_kept(),
        )?;
        check_indices(
            "the clusters of the rows",
            &clusters.labels,
            clusters.n_clusters(),
        )?;
        check_finite("the eigenvalues", eigenvalues)?;
        check_at_least("the number of clusters advised", *advice, 2)
    }
}
