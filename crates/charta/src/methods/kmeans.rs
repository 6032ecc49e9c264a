//! k-means: rows are assigned to the nearest of k centres, each the mean of its rows.
//!
//! # Idea
//! A table is summarized by k centres. Every row belongs to the centre nearest to it, every centre is the mean of the rows that belong to it. The clusters are
//! the cells around the centres, bounded by flat faces; the coordinates of a row are its distances to all centres.
//!
//! # Steps
//! 1. `cluster::seeding`: centres far from each other by k-means++, or rows drawn at random.
//! 2. `cluster::KMeansOptions`: Lloyd's algorithm assigns rows and moves centres until nothing moves.
//! 3. 1 and 2 again, `n_init` times; the result with the lowest inertia is kept.
//! 4. [`methods::kmeans::KMeansModel`](crate::methods::kmeans::KMeansModel): distances to the centres, and the nearest centre of new rows.
//!
//! # Objective
//! The inertia Σ_x w(x) ‖x − c(x)‖², with c(x) the centre nearest to the row x and w(x) its weight, 1 unless weights are given. Each step of Lloyd's algorithm lowers it; it ends in a local minimum. k-means++ draws each further
//! centre with a probability proportional to the squared distance from the nearest centre so far, which is within a factor 8 (ln k + 2) of the
//! optimum in expectation. Reported besides: the simplified silhouette, the mean of (b − a) / max(a, b), where a and b are the distances of a row to its own and to the nearest
//! other centre: 1 for compact clusters far apart, 0 for rows between two.
//!
//! # Cost
//! With n rows, d columns and k clusters an iteration takes n k d time, of which there are some tens, `n_init` times. Memory: the coordinates, n k numbers, and about 100 bytes a row.
//!
//! # Choosing parameters
//! `n_clusters` is the question itself: compare the silhouette of several numbers, or let [`spectral_clustering`](crate::methods::spectral_clustering) propose one. Columns with large
//! variances dominate the distances: scale columns of different units first. Clusters that are long, curved or of very different sizes are cut: use `spectral_clustering` for them.
//! More initializations (`n_init`) help where the reported `inertias` differ. Initial centres can be given (`Data::with_initial_components`): Lloyd's algorithm then runs once, from them.
//!
//! # New points
//! A new row gets its distances to the centres as coordinates, and the cluster of the nearest centre as prediction; of equally near centres the first.
//!
//! # Differences
//! scikit-learn's `KMeans` has the same start, steps, tolerance and treatment of empty clusters, and from the same initial centres ends at the same ones; its random numbers differ, and with k-means++ its
//! `n_init` is 1 unless told otherwise. Here the default is 10. Mini-batches are not offered.
//!
//! # References
//! Lloyd, "Least squares quantization in PCM", 1982. Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", 2007. Hruschka, de Castro and Campello, "Evolutionary
//! algorithms for clustering gene-expression data", 2004 (the simplified silhouette).
//!
//! # Example
//! ```
//! use charta::data::synthetic::{Blobs, blobs};
//! use charta::{Fit, Model, Transform, methods::kmeans::KMeans};
//! let data = blobs(Blobs { n: 300, centers: 3, ..Blobs::default() })?;
//! let model = KMeans { n_clusters: 3, ..KMeans::default() }.fit(&data)?;
//! assert_eq!(model.clusters().unwrap().len(), 300);
//! assert_eq!(model.centers().nrows(), 3);
//! assert_eq!(model.transform(&data)?.dim(), (300, 3));   // distances to the centres
//! # Ok::<(), charta::Error>(())
//! ```

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

pub use crate::cluster::Initialization;
use crate::cluster::{Clusters, KMeansOptions};
use crate::data::Data;
use crate::data::loaded::{check_at_least, check_indices};
use crate::error::{Because, Error, Result, message};
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::model::{Diagnostics, Figure, Model, Predict, Prediction, Transform};
use crate::params::Parameters;
use crate::run::Run;

/// Parameters of k-means.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct KMeans {
    /// Number of clusters. More clusters are smaller and more homogeneous.
    #[param(default = 8, min = 1)]
    pub n_clusters: usize,
    /// Initialization of the centres: `k_means_plus_plus` draws rows far from each other and needs fewer iterations, `random` draws any rows.
    #[param(default = Initialization::KMeansPlusPlus)]
    pub init: Initialization,
    /// Number of initializations; the result with the lowest inertia is kept. More avoid poor local minima and cost time; usually 1 to 20.
    #[param(default = 10, min = 1)]
    pub n_init: usize,
    /// Maximum number of iterations of each initialization.
    #[param(default = 300, min = 1)]
    pub max_iterations: usize,
    /// Convergence tolerance: stop when the squared shifts of all centres together are no more than this proportion of the mean variance of
    /// the columns. Larger values stop earlier; usually 1e-6 to 1e-3.
    #[param(default = 1e-4, min = 0.0)]
    pub tolerance: f64,
    /// Seed of the initializations.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for KMeans {
    const INFO: Info = Info {
        name: "kmeans",
        title: "k-means",
        summary: "Assigns rows to the nearest of k centres, each the mean of its rows; coordinates are the distances to the centres",
        family: Family::Clustering,
        reference: "Lloyd 1982; Arthur and Vassilvitskii 2007",
        takes: &[Input::Sparse, Input::RowWeights, Input::InitialComponents],
        offers: &[Capability::Predicts, Capability::Clusters],
        many_minima: true,
        ..Info::DEFAULT
    };

    type Model = KMeansModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<KMeansModel> {
        run.stage("k-means")?;
        let options = KMeansOptions {
            n_clusters: self.n_clusters,
            init: self.init,
            n_init: self.n_init,
            max_iterations: self.max_iterations,
            tolerance: self.tolerance,
            seed: self.seed,
        };
        let clusters = options.fit(run, data)?;
        run.stage("distances to the centres")?;
        let distances = clusters.distances(run, data)?;
        Ok(KMeansModel {
            simplified_silhouette: simplified_silhouette(&distances, &clusters.labels),
            clusters,
            embedding: Some(distances),
        })
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d, k) = (shape.n_rows, shape.n_columns, self.n_clusters);
        if k > n {
            return Err(Error::at_most("n_clusters", n, Because::Rows(n), k));
        }
        let n_trials = 2 + (k as f64).ln() as usize;
        Ok(Plan::new("Lloyd's algorithm")
            .needs("distances to the centres", (n, k), 2 * 8)
            .needs("distances to candidates", (n, 2 * n_trials + 2), 8)
            .needs("clusters of the rows", (n, 1), 5 * 8)
            .needs("rows in blocks", (n.min(16 * 512), d.saturating_add(k)), 8)
            .needs("centres and sums", (k, d), 20 * 8)
            .advice(message!("use fewer {:rows}, or fewer clusters")))
    }
}

/// A fitted k-means clustering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KMeansModel {
    clusters: Clusters,
    /// The mean over the rows of (b − a) / max(a, b), with a and b the distances to the own and the nearest other centre; none for a single cluster.
    simplified_silhouette: Option<f64>,
    /// Distances of the training rows to the centres; not saved.
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl KMeansModel {
    /// The centres, one a row.
    pub fn centers(&self) -> &Array2<f64> {
        &self.clusters.centers
    }

    /// The cluster of every training row.
    pub fn labels(&self) -> &[u32] {
        &self.clusters.labels
    }

    /// The sum of squared distances of the training rows to their centres.
    pub fn inertia(&self) -> f64 {
        self.clusters.inertia
    }
}

fn simplified_silhouette(distances: &Array2<f64>, labels: &[u32]) -> Option<f64> {
    if distances.ncols() < 2 || labels.is_empty() {
        return None;
    }
    let mut sum = 0.0;
    for (row, &label) in distances.rows().into_iter().zip(labels) {
        let own = row[label as usize];
        let others = row.iter().enumerate();
        let nearest = others
            .filter(|(center, _)| *center != label as usize)
            .fold(f64::INFINITY, |least, (_, apart)| least.min(*apart));
        let larger = own.max(nearest);
        if larger > 0.0 {
            sum += (nearest - own) / larger;
        }
    }
    Some(sum / labels.len() as f64)
}

impl Transform for KMeansModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        self.clusters.distances(run, data)
    }
}

impl Predict for KMeansModel {
    fn predict_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Prediction> {
        Ok(Prediction::Clusters {
            n_clusters: self.clusters.n_clusters(),
            of_row: self.clusters.predict(run, data)?,
        })
    }
}

impl Model for KMeansModel {
    fn n_components(&self) -> usize {
        self.clusters.n_clusters()
    }

    fn n_columns(&self) -> usize {
        self.clusters.centers.ncols()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let clusters = &self.clusters;
        let sizes: Array1<f64> = clusters.counts.iter().map(|&count| count as f64).collect();
        let report = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", clusters.labels.len())
            .count("n_clusters", clusters.n_clusters())
            .number("inertia", clusters.inertia)
            .count("n_iterations", clusters.n_iter)
            .with("converged", Figure::Flag(clusters.converged));
        let report = match self.simplified_silhouette {
            Some(value) => report.number("simplified_silhouette", value),
            None => report,
        };
        report
            .vector("cluster_sizes", &sizes)
            .vector("inertias", &Array1::from(clusters.inertias.clone()))
            .matrix("cluster_centers", &clusters.centers)
    }

    fn clusters(&self) -> Option<Vec<Option<u32>>> {
        Some(self.clusters.labels.iter().copied().map(Some).collect())
    }

    fn as_predict(&self) -> Option<&dyn Predict> {
        Some(self)
    }

    /// Clusters count from 0, and so do the distances to their centres.
    fn component_names(&self) -> Option<Vec<String>> {
        let numbers = 0..self.n_components();
        Some(numbers.map(|number| format!("distance{number}")).collect())
    }

    fn validate(&self) -> Result<()> {
        let Self {
            clusters,
            simplified_silhouette: _,
            embedding: _,
        } = self;
        check_at_least("the columns of the centres", clusters.centers.ncols(), 1)?;
        clusters.validate(clusters.centers.ncols())?;
        check_indices(
            "the clusters of the rows",
            &clusters.labels,
            clusters.n_clusters(),
        )
    }
}
