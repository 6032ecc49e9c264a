//! densMAP: local densities are preserved, so that rows in sparse regions of the data lie in sparse regions of the embedding.
//!
//! The local radius of a row is the mean squared distance of its neighbours, weighted by the graph in the data and by the similarity q in
//! the map. What is added to the objective is the correlation of the logarithms of both. Narayan, Berger and Cho, "Assessing single-cell
//! transcriptomic variability through density-preserving data visualization", 2021 (densMAP).

use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::fuzzy_graph::FuzzyGraph;
use crate::error::Result;
use crate::model::arrays;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows that one job handles.
const BLOCK: usize = 1024;
/// Added to radii before their logarithm is taken.
const LEAST: f64 = 1e-8;

/// Weight and schedule of the density term.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct DensityOptions {
    /// Weight of the correlation.
    pub weight: f64,
    /// The fraction of epochs, at the end, in which the term counts.
    pub share: f64,
    /// Added to the variance of the log radii in the embedding, for stability.
    pub shift: f64,
}

/// How well local densities are preserved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocalRadii {
    /// The correlation of the logarithms of the radii.
    pub correlation: f64,
    /// Logarithms of the radii in the data.
    #[serde(with = "arrays::vector")]
    pub data: Array1<f64>,
    /// Logarithms of the radii in the embedding.
    #[serde(with = "arrays::vector")]
    pub embedding: Array1<f64>,
}

/// Local densities of the data, to be preserved.
#[derive(Clone, Debug)]
pub(super) struct Density {
    options: DensityOptions,
    /// Logarithms of the radii in the data.
    radii: Vec<f64>,
    /// The same with mean 0 and variance 1.
    standard: Vec<f64>,
    /// The sum of all weights, each edge in both directions.
    total: f64,
}

/// The density term of an epoch, for its edges.
pub(super) struct Terms {
    /// Two numbers for each row.
    pub(super) rows: Vec<[f32; 2]>,
    pub(super) factor: f32,
}

impl Density {
    /// The densities of a graph, by the squared distances along its edges.
    pub(super) fn of(
        run: &Run<'_>,
        graph: &FuzzyGraph,
        lengths: &FuzzyGraph,
        options: DensityOptions,
    ) -> Result<Self> {
        let radii = map_blocks(run, graph.n_rows(), BLOCK, |rows| {
            let mut radii = Vec::with_capacity(rows.len());
            for row in rows {
                let (neighbors, weights) = graph.row(row);
                let (listed, distances) = lengths.row(row);
                let (mut sum, mut total) = (0.0, 0.0);
                for (neighbor, &weight) in neighbors.iter().zip(weights) {
                    let distance = listed
                        .binary_search(neighbor)
                        .map_or(0.0, |at| distances[at]);
                    sum += f64::from(weight) * f64::from(distance).powi(2);
                    total += f64::from(weight);
                }
                radii.push((LEAST + sum / total.max(f64::MIN_POSITIVE)).ln());
            }
            radii
        })?
        .concat();
        let (mean, variance) = moments(&radii);
        let deviation = variance.sqrt().max(f64::MIN_POSITIVE);
        Ok(Self {
            options,
            standard: radii
                .iter()
                .map(|radius| (radius - mean) / deviation)
                .collect(),
            radii,
            total: graph.degrees().iter().sum(),
        })
    }

    /// Whether densities count in an epoch.
    pub(super) fn counts(&self, epoch: usize, n_epochs: usize) -> bool {
        self.options.weight > 0.0
            && (epoch + 1) as f64 > (1.0 - self.options.share) * n_epochs as f64
    }

    /// The density term of an epoch, from the squared distances in the embedding.
    pub(super) fn terms(
        &self,
        run: &Run<'_>,
        graph: &FuzzyGraph,
        curve: &Curve,
        squared: impl Fn(usize, usize) -> f64 + Sync,
    ) -> Result<Terms> {
        let radii = in_map(run, graph, curve, squared)?;
        let logarithms: Vec<f64> = radii.iter().map(|radius| radius.0).collect();
        let (mean, variance) = moments(&logarithms);
        let deviation = (variance + self.options.shift).sqrt();
        let n = radii.len() as f64;
        let products = self.standard.iter().zip(&logarithms).map(|(a, b)| a * b);
        let covariance = products.sum::<f64>() / (n - 1.0).max(1.0);
        let rows = (radii.iter().zip(&self.standard))
            .map(|(&(radius, total), standard)| {
                let pull = standard - covariance * (radius - mean) / (deviation * deviation);
                let share = pull / (2.0 * total).max(f64::MIN_POSITIVE);
                [share as f32, (share / radius.exp()) as f32]
            })
            .collect();
        Ok(Terms {
            rows,
            factor: (2.0 * self.options.weight * self.total / (deviation * n)) as f32,
        })
    }

    /// The logarithms of the radii in the data and in an embedding, and their correlation.
    pub(super) fn compared_with(
        &self,
        run: &Run<'_>,
        graph: &FuzzyGraph,
        curve: &Curve,
        embedding: &Array2<f64>,
    ) -> Result<LocalRadii> {
        let squared = |a: usize, b: usize| -> f64 {
            let pairs = embedding.row(a).into_iter().zip(embedding.row(b));
            pairs.map(|(x, y)| (x - y) * (x - y)).sum()
        };
        let map: Vec<f64> = in_map(run, graph, curve, squared)?
            .iter()
            .map(|radius| radius.0)
            .collect();
        let ((mean, variance), (own_mean, own_variance)) = (moments(&map), moments(&self.radii));
        let products = map
            .iter()
            .zip(&self.radii)
            .map(|(a, b)| (a - mean) * (b - own_mean));
        let covariance = products.sum::<f64>() / map.len() as f64;
        let size = (variance * own_variance).sqrt();
        Ok(LocalRadii {
            correlation: if size > 0.0 { covariance / size } else { 0.0 },
            data: self.radii.clone().into(),
            embedding: map.into(),
        })
    }
}

/// The logarithm of every row's radius in a map, and the sum of its similarities.
fn in_map(
    run: &Run<'_>,
    graph: &FuzzyGraph,
    curve: &Curve,
    squared: impl Fn(usize, usize) -> f64 + Sync,
) -> Result<Vec<(f64, f64)>> {
    Ok(map_blocks(run, graph.n_rows(), BLOCK, |rows| {
        let mut radii = Vec::with_capacity(rows.len());
        for row in rows {
            let (mut sum, mut total) = (0.0, 0.0);
            for &neighbor in graph.row(row).0 {
                let squared = squared(row, neighbor as usize);
                let similarity = curve.at(squared);
                sum += similarity * squared;
                total += similarity;
            }
            radii.push(((LEAST + sum / total.max(f64::MIN_POSITIVE)).ln(), total));
        }
        radii
    })?
    .concat())
}

/// Mean and variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    (mean, variance)
}
