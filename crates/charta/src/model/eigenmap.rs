//! The model of graph eigenmaps: the training rows' coordinates, and new rows by the equation that
//! every training row satisfies (the Nyström extension).
//!
//! A row that equals a training row gets that row's coordinates. Rows that were left out of the graph have none, and
//! embed no new rows.
//!
//! Bengio et al., "Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral clustering", 2003.

use ndarray::{Array1, Array2, ArrayViewMut1};
use serde::{Deserialize, Serialize};

use super::{Diagnostics, GraphReport, Layout, LayoutFit, arrays};
use crate::data::loaded::{check_at_least, check_finite, check_length, check_not_negative};
use crate::data::{Data, Source, SparseView};
use crate::error::{Error, Result, message};
use crate::graph::Kernel;
use crate::run::Run;

/// A distance that is this fraction of the furthest neighbour's is none.
const SAME: f64 = 1e-9;
/// An extension that would stretch the mean of the neighbours more than tenfold is not used.
const LEAST_DIVISOR: f64 = 0.1;

/// The equation that holds for training rows, with p the weights of a row's neighbours divided by their sum s.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Extension {
    /// (1 − λ) y = Σ p y.
    Normalized,
    /// (1 − λ / s) y = Σ p y.
    Unnormalized,
    /// λ y = Σ p y.
    Diffusion,
}

impl Extension {
    /// What the neighbours' mean is divided by.
    fn divisor(self, value: f64, sum: f64) -> f64 {
        let divisor = match self {
            Self::Normalized => 1.0 - value,
            Self::Unnormalized => 1.0 - value / sum,
            Self::Diffusion => value,
        };
        // Eigenvectors this rough are not known between the rows: their neighbours' mean is all there is.
        if divisor < LEAST_DIVISOR {
            1.0
        } else {
            divisor
        }
    }
}

/// Report of an eigenmap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EigenmapFit {
    /// Training rows that a new one has as neighbours, at most.
    pub n_neighbors: usize,
    /// And how far they may be.
    pub radius: Option<f64>,
    /// Their weights, by their number among the training rows kept.
    pub kernel: Kernel,
    /// What the weight to each training row is multiplied by, where that is not 1.
    pub factors: Option<Vec<f64>>,
    /// How a new row follows from its neighbours.
    pub extension: Extension,
    /// An eigenvalue for each coordinate.
    #[serde(with = "arrays::vector")]
    pub eigenvalues: Array1<f64>,
    /// How the graph came about.
    pub graph: GraphReport,
    /// The largest residual of the eigenvectors.
    pub residual: f64,
    /// The solver that found them.
    pub route: String,
}

/// A fitted eigenmap: coordinates by eigenvectors of a graph.
pub type EigenmapModel = Layout<EigenmapFit>;

impl EigenmapModel {
    /// An eigenvalue for each coordinate.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.fit.eigenvalues
    }

    fn embed_row(&self, neighbors: &[u32], distances: &[f64], mut target: ArrayViewMut1<'_, f64>) {
        let (Some(&first), Some(&furthest)) = (neighbors.first(), distances.last()) else {
            target.fill(f64::NAN);
            return;
        };
        target.assign(&self.embedding.row(self.training.row_of(first)));
        if distances[0] <= SAME * furthest {
            return;
        }
        let (weights, sum) = self.weights(neighbors, distances);
        if sum <= 0.0 {
            return;
        }
        for (k, coordinate) in target.iter_mut().enumerate() {
            let mean: f64 = (weights.iter())
                .map(|&(row, weight)| weight / sum * self.embedding[[row, k]])
                .sum();
            let eigenvalue = self.fit.eigenvalues[k];
            *coordinate = mean / self.fit.extension.divisor(eigenvalue, sum);
        }
    }

    /// The rows of the neighbours that count, with their weights, and the sum of these.
    fn weights(&self, neighbors: &[u32], distances: &[f64]) -> (Vec<(usize, f64)>, f64) {
        let fit = &self.fit;
        let reach = fit.radius.unwrap_or(f64::INFINITY);
        let within = distances.iter().take_while(|&&d| d <= reach).count().max(1);
        let kernel = (fit.kernel).to_new(&neighbors[..within], &distances[..within]);
        let weights: Vec<(usize, f64)> = neighbors
            .iter()
            .zip(kernel)
            .map(|(&neighbor, weight)| {
                let factors = fit.factors.as_ref();
                let factor = factors.map_or(1.0, |factors| factors[neighbor as usize]);
                (self.training.row_of(neighbor), weight * factor)
            })
            .collect();
        let sum = weights.iter().map(|pair| pair.1).sum();
        (weights, sum)
    }
}

impl EigenmapModel {
    /// The coordinates of new rows by their affinities to the training rows; NaN where all are 0.
    fn by_affinities(&self, affinities: &SparseView<'_, f64>) -> Result<Array2<f64>> {
        if affinities.n_columns() != self.embedding.nrows() {
            return Err(Error::shape(
                message!("affinities of a new {:row} to the training {:rows}"),
                self.embedding.nrows(),
                affinities.n_columns(),
            ));
        }
        let shape = (affinities.n_rows(), self.embedding.ncols());
        let mut placed = Array2::from_elem(shape, f64::NAN);
        for (row, mut target) in placed.rows_mut().into_iter().enumerate() {
            let sum: f64 = affinities.row(row).map(|entry| entry.1).sum();
            if sum <= 0.0 {
                continue;
            }
            for (k, coordinate) in target.iter_mut().enumerate() {
                let mean: f64 = (affinities.row(row))
                    .map(|(other, weight)| weight / sum * self.embedding[[other, k]])
                    .sum();
                *coordinate = mean / self.fit.extension.divisor(self.fit.eigenvalues[k], sum);
            }
        }
        Ok(placed)
    }
}

impl LayoutFit for EigenmapFit {
    fn transform(layout: &Layout<Self>, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        if layout.fit.kernel == Kernel::Given {
            let Source::AffinitiesTo(affinities) = data.source() else {
                return Err(Error::unsupported(
                    message!("the model"),
                    message!(
                        "was fitted to affinities: give those of the new {:rows} to all {:rows} of the fit ({AffinitiesTo:input})"
                    ),
                ));
            };
            return layout.by_affinities(affinities);
        }
        layout.by_neighbors(
            run,
            data,
            layout.fit.n_neighbors,
            |neighbors, distances, target| layout.embed_row(neighbors, distances, target),
        )
    }

    fn diagnostics(layout: &Layout<Self>) -> Diagnostics {
        let fit = &layout.fit;
        let report = (layout.sizes())
            .per_component("eigenvalues", &fit.eigenvalues)
            .number("residual", fit.residual)
            .text("solver", fit.route.clone())
            .text("weights", fit.kernel.name());
        let report = match fit.kernel.bandwidth() {
            Some(bandwidth) => report.number("bandwidth", bandwidth),
            None => report,
        };
        fit.graph.add(report)
    }

    fn validate(layout: &Layout<Self>) -> Result<()> {
        let EigenmapFit {
            n_neighbors,
            radius,
            kernel,
            factors,
            extension: _,
            eigenvalues,
            graph: _,
            residual: _,
            route: _,
        } = &layout.fit;
        let (n_kept, n_components) = (layout.training.n_kept(), layout.embedding.ncols());
        check_at_least("the number of neighbours", *n_neighbors, 1)?;
        check_not_negative("the radius", radius)?;
        kernel.validate(n_kept)?;
        if let Some(factors) = factors {
            check_length("the factors", factors.len(), n_kept)?;
            check_finite("the factors", factors)?;
        }
        check_length("the eigenvalues", eigenvalues.len(), n_components)?;
        check_finite("the eigenvalues", eigenvalues)
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some(match self.extension {
            Extension::Diffusion => "diffusion",
            _ => "eigenmap",
        })
    }
}
