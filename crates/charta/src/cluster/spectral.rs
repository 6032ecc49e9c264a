//! Spectral clustering: k-means on the smallest eigenvectors of the Laplacian of a neighbour graph.
//!
//! Groups of any shape, as long as neighbours mostly share one, collapse to points among the eigenvectors
//! L y = λ D y with the smallest eigenvalues, where k-means finds them. By default the coordinates are those eigenvectors
//! with yᵀ D y = 1, one fewer than clusters, since the constant one is the same for all rows: what scikit-learn's
//! `SpectralClustering` uses. With `unit_rows` they are the vectors D^½ y with every row brought to length 1, the
//! constant's among them (Ng, Jordan and Weiss).
//!
//! Shi and Malik, "Normalized cuts and image segmentation", 2000; Ng, Jordan and Weiss, "On spectral clustering: analysis and
//! an algorithm", 2002; von Luxburg, "A tutorial on spectral clustering", 2007.

use ndarray::{Array1, Array2, Axis, concatenate};

use super::k_means::{Clusters, KMeans};
use crate::data::Data;
use crate::error::{Because, Error, Result};
use crate::graph::{Neighborhood, Weighting, Weights};
use crate::params::Parameters;
use crate::run::Run;
use crate::spectral::eigenmaps::{Normalization, eigenmaps};

/// Parameters of spectral clustering.
///
/// ```
/// use charta::cluster::{SpectralClustering, adjusted_rand};
/// use charta::{Data, Run};
/// let moons = charta::data::synthetic::moons(200, 0.03, 0)?;
/// let found = SpectralClustering { n_clusters: 2, ..SpectralClustering::default() }
///     .fit(&Run::new(), &Data::from(&moons))?;
/// let labels: Vec<u32> = found.labels.iter().map(|label| label.unwrap()).collect();
/// let truth: Vec<u32> = (0..200).map(|row| u32::from(row >= 100)).collect();
/// assert_eq!(adjusted_rand(&labels, &truth)?, 1.0);
/// # Ok::<(), charta::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct SpectralClustering {
    /// Number of clusters, which is also the number of eigenvectors.
    #[param(default = 8, min = 2)]
    pub n_clusters: usize,
    /// Normalize the rows of the eigenvectors to length 1 before k-means (Ng, Jordan and Weiss 2002).
    #[param(default = false)]
    pub unit_rows: bool,
    /// Number of initializations of k-means; the result with the lowest inertia is kept. Usually 1 to 20.
    #[param(default = 10, min = 1)]
    pub n_init: usize,
    /// Weights of the edges.
    #[param(flatten)]
    pub weighting: Weighting,
    /// Neighbourhood graph.
    #[param(flatten, default = Neighborhood::nearest(10))]
    pub neighborhood: Neighborhood,
}

/// Clusters of a graph.
#[derive(Clone, Debug)]
pub struct SpectralClusters {
    /// The cluster of every row; `None` for rows left out of the graph.
    pub labels: Vec<Option<u32>>,
    /// The clusters among the eigenvectors.
    pub clusters: Clusters,
    /// The smallest eigenvalues, without the 0 of the constant vector: a gap after the last means that the number of
    /// clusters fits.
    pub eigenvalues: Array1<f64>,
    /// The largest residual of the eigenvectors.
    pub residual: f64,
    /// Connected components before bridges were added.
    pub n_parts: usize,
}

impl SpectralClustering {
    /// Finds the clusters of the rows of `data`.
    pub fn fit(&self, run: &Run<'_>, data: &Data<'_>) -> Result<SpectralClusters> {
        self.check()?;
        if self.n_clusters > data.n_rows() {
            return Err(Error::at_most(
                "n_clusters",
                data.n_rows(),
                Because::Rows(data.n_rows()),
                self.n_clusters,
            ));
        }
        run.install(|| self.found(run, data))
    }

    fn found(&self, run: &Run<'_>, data: &Data<'_>) -> Result<SpectralClusters> {
        run.stage("nearest neighbours")?;
        let connected = self.neighborhood.graph(run, data)?;
        connected.check_lengths(data)?;
        run.stage("eigenvectors")?;
        let weights = self.weighting.of(&connected.graph)?;
        let seed = self.neighborhood.search.seed;
        let found = eigenmaps(
            run,
            &weights,
            self.n_clusters - 1,
            Normalization::Normalized,
            seed,
        )?;
        let coordinates = if self.unit_rows {
            unit_rows(&weights, &found.coordinates)
        } else {
            found.coordinates
        };
        run.stage("k-means")?;
        let clusters = KMeans {
            n_clusters: self.n_clusters,
            n_init: self.n_init,
            seed,
            ..KMeans::default()
        }
        .fit(run, &Data::from(&coordinates))?;
        let mut labels = vec![None; data.n_rows()];
        for (row, &label) in clusters.labels.iter().enumerate() {
            let index = connected
                .rows
                .as_ref()
                .map_or(row, |rows| rows[row] as usize);
            labels[index] = Some(label);
        }
        Ok(SpectralClusters {
            labels,
            clusters,
            eigenvalues: found.values,
            residual: found.residual,
            n_parts: connected.n_parts,
        })
    }
}

/// The rows of D^½ (1/√Σd, y) at length 1.
fn unit_rows(weights: &Weights, coordinates: &Array2<f64>) -> Array2<f64> {
    let total: f64 = weights.degrees.iter().sum();
    let constant = Array2::from_elem((weights.n_rows(), 1), total.sqrt().recip());
    let mut rows = concatenate(Axis(1), &[constant.view(), coordinates.view()])
        .expect("both have a row for each node");
    // A factor common to a row, as the root of its degree, does not change its direction.
    for mut row in rows.rows_mut() {
        let length = row.dot(&row).sqrt();
        row /= length;
    }
    rows
}
