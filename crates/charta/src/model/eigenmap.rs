//! The model of eigenvectors of a graph: the training rows' coordinates, and new rows by the equation that
//! every training row satisfies (the Nyström extension).
//!
//! A row that equals a training row gets that row's coordinates. Rows that were left out of the graph have none, and
//! place no new rows.
//!
//! Bengio et al., "Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral clustering", 2003.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1};
use serde::{Deserialize, Serialize};

use super::{Diagnostics, GraphReport, Known, Model, Transform, arrays};
use crate::data::Data;
use crate::error::Result;
use crate::graph::Kernel;
use crate::parallel::map_rows;
use crate::run::Run;

/// New rows that one job places.
const BLOCK: usize = 256;
/// A distance that is this share of the furthest neighbour's is none.
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

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EigenmapParts {
    /// The training rows that have a place.
    pub known: Known,
    /// Number of columns the model was fitted on.
    pub n_columns: usize,
    /// Known rows that a new one has as neighbours, at most.
    pub n_neighbors: usize,
    /// And how far they may be.
    pub radius: Option<f64>,
    /// Their weights, by their places among the rows known.
    pub kernel: Kernel,
    /// What the weight to each known row is multiplied by, where that is not 1.
    pub factors: Option<Vec<f64>>,
    /// How a new row follows from its neighbours.
    pub extension: Extension,
    /// An eigenvalue for each coordinate.
    #[serde(with = "arrays::vector")]
    pub eigenvalues: Array1<f64>,
    /// Coordinates of the training rows; NaN for rows left out.
    #[serde(with = "arrays::matrix")]
    pub embedding: Array2<f64>,
    /// How the graph came about.
    pub graph: GraphReport,
    /// The largest residual of the eigenvectors.
    pub residual: f64,
    /// How they were found.
    pub route: String,
}

/// A fitted map by the eigenvectors of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EigenmapModel {
    parts: EigenmapParts,
}

impl EigenmapModel {
    /// A model from its parts.
    pub fn new(parts: EigenmapParts) -> Self {
        Self { parts }
    }

    /// What the model is made of.
    pub fn parts(&self) -> &EigenmapParts {
        &self.parts
    }

    /// An eigenvalue for each coordinate.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.parts.eigenvalues
    }

    fn place(&self, (places, distances): (&[u32], &[f64]), mut target: ArrayViewMut1<'_, f64>) {
        let parts = &self.parts;
        let (Some(&first), Some(&furthest)) = (places.first(), distances.last()) else {
            target.fill(f64::NAN);
            return;
        };
        target.assign(&parts.embedding.row(parts.known.row_of(first)));
        if distances[0] <= SAME * furthest {
            return;
        }
        let (ties, sum) = self.ties(places, distances);
        if sum <= 0.0 {
            return;
        }
        for (k, coordinate) in target.iter_mut().enumerate() {
            let mean: f64 = (ties.iter())
                .map(|&(row, weight)| weight / sum * parts.embedding[[row, k]])
                .sum();
            *coordinate = mean / parts.extension.divisor(parts.eigenvalues[k], sum);
        }
    }

    /// The rows of the neighbours that count, with their weights, and the sum of these.
    fn ties(&self, places: &[u32], distances: &[f64]) -> (Vec<(usize, f64)>, f64) {
        let parts = &self.parts;
        let reach = parts.radius.unwrap_or(f64::INFINITY);
        let within = distances.iter().take_while(|&&d| d <= reach).count().max(1);
        let weights = parts.kernel.to_new(&places[..within], &distances[..within]);
        let ties: Vec<(usize, f64)> = places
            .iter()
            .zip(weights)
            .map(|(&place, weight)| {
                let factor =
                    (parts.factors.as_ref()).map_or(1.0, |factors| factors[place as usize]);
                (parts.known.row_of(place), weight * factor)
            })
            .collect();
        let sum = ties.iter().map(|tie| tie.1).sum();
        (ties, sum)
    }
}

impl Transform for EigenmapModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let parts = &self.parts;
        let found = parts.known.nearest(run, data, parts.n_neighbors)?;
        let width = parts.embedding.ncols();
        map_rows(run, (found.n_rows(), width), BLOCK, |row, target| {
            self.place(found.row(row), target);
        })
    }
}

impl Model for EigenmapModel {
    fn n_components(&self) -> usize {
        self.parts.embedding.ncols()
    }

    fn n_columns(&self) -> usize {
        self.parts.n_columns
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        Some(self.parts.embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let parts = &self.parts;
        let report = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", parts.embedding.nrows())
            .count("n_columns", self.n_columns())
            .per_component("eigenvalues", &parts.eigenvalues)
            .number("residual", parts.residual)
            .text("solver", parts.route.clone())
            .text("weights", parts.kernel.name());
        let report = match parts.kernel.bandwidth() {
            Some(bandwidth) => report.number("bandwidth", bandwidth),
            None => report,
        };
        parts.graph.add(report)
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some(match self.parts.extension {
            Extension::Diffusion => "diffusion",
            _ => "eigenmap",
        })
    }
}
