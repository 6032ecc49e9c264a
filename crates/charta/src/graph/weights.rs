//! Edge weights: binary, by who lists whom, or the heat kernel of the distance; or those of a graph that is given.
//!
//! The heat kernel ties rows at distance d by exp(−d² / t). Its bandwidth t, in units of squared distance, is
//! given; or the square of the median length of all edges; or of every pair's own: t = σ_i σ_j, where σ_i is
//! the length of the 7th shortest edge of row i, or of the longest if it has fewer. Rows at distance 0 are
//! tied by 1. A median or σ of 0, where rows are repeated, becomes the shortest length above 0.
//!
//! Belkin and Niyogi, "Laplacian eigenmaps for dimensionality reduction and data representation", 2003;
//! Zelnik-Manor and Perona, "Self-tuning spectral clustering", 2004.

use serde::{Deserialize, Serialize};

use super::Graph;
use crate::data::affinities::stored;
use crate::data::loaded::{check_length, check_positive};
use crate::data::{Neighbors, SparseView};
use crate::error::Result;
use crate::linalg::symmetric_sparse::SparseSymmetric;
use crate::params::{Choice, Parameters};

/// The edge whose length is a row's own scale, counted from the shortest.
const LOCAL: usize = 7;

/// Weights of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum EdgeWeights {
    /// 1 for every edge.
    Binary,
    /// 1 for edges between rows that are each other's neighbours, ½ where only one is a neighbour of the other: the mean of both directions. Eigenmaps then leave connected components apart, as the edges
    /// that join them have no direction.
    Average,
    /// Heat kernel exp(−d²/t), which decreases with the distance d.
    Heat,
}

/// The bandwidth of the heat kernel.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Bandwidth {
    /// The value of t in exp(−d²/t).
    #[choice(above = 0.0)]
    Given(f64),
    /// The squared median distance between neighbours.
    Median,
    /// Self-tuning: σ_i σ_j for each pair of rows, with σ the distance to the 7th neighbour (Zelnik-Manor and Perona 2004).
    SelfTuned,
}

/// Weights of the edges.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Weighting {
    /// Weights of the edges between neighbours: 1 (`binary`), the mean of both directions (`average`: ½ where only one row is a neighbour of the other), or the heat kernel (`heat`), which decreases with distance.
    #[param(default = EdgeWeights::Binary)]
    pub weights: EdgeWeights,
    /// Bandwidth t of the heat kernel exp(−d²/t), in units of squared distance, or the rule that chooses it. Larger values weight near and far neighbours more equally.
    #[param(default = Bandwidth::Median)]
    pub bandwidth: Bandwidth,
}

/// A weight for every distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kernel {
    /// 1.
    Binary,
    /// 1, or ½ for edges that only one end lists. New rows weight all their neighbours alike.
    Average,
    /// Given, with new rows too.
    Given,
    /// exp(−(d / length)²).
    Heat {
        /// √t.
        length: f64,
    },
    /// exp(−d² / (σ_i σ_j)).
    SelfTuned {
        /// σ of every row.
        scales: Vec<f64>,
    },
}

/// Weights of a graph's edges.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// W: symmetric, an entry for every edge from both ends, nothing on the diagonal.
    pub matrix: SparseSymmetric,
    /// The sum of the weights of every row.
    pub degrees: Vec<f64>,
    /// What made them of the lengths.
    pub kernel: Kernel,
}

impl Weighting {
    /// Heat weights of this bandwidth.
    pub(crate) fn heat(bandwidth: Bandwidth) -> Self {
        Self {
            weights: EdgeWeights::Heat,
            bandwidth,
        }
    }

    /// True if a weight says how many of both rows have the other among their neighbours.
    pub(crate) fn is_of_directions(&self) -> bool {
        self.weights == EdgeWeights::Average
    }

    /// √t of the heat kernel, if its bandwidth is given.
    pub(crate) fn given_length(&self) -> Option<f64> {
        match (self.weights, self.bandwidth) {
            (EdgeWeights::Heat, Bandwidth::Given(t)) => Some(t.sqrt()),
            _ => None,
        }
    }

    /// The weights of a graph's edges.
    pub(crate) fn of(&self, graph: &Graph) -> Result<Weights> {
        Weights::new(graph, self.kernel(graph))
    }

    fn kernel(&self, graph: &Graph) -> Kernel {
        match (self.weights, self.bandwidth) {
            (EdgeWeights::Binary, _) => Kernel::Binary,
            (EdgeWeights::Average, _) => Kernel::Average,
            (EdgeWeights::Heat, Bandwidth::Given(t)) => Kernel::Heat { length: t.sqrt() },
            (EdgeWeights::Heat, Bandwidth::Median) => Kernel::Heat {
                length: median(graph),
            },
            (EdgeWeights::Heat, Bandwidth::SelfTuned) => Kernel::SelfTuned {
                scales: (0..graph.n_rows())
                    .map(|row| scale(graph.row(row).1))
                    .collect(),
            },
        }
    }
}

impl Weights {
    /// Weights by a kernel.
    pub(crate) fn new(graph: &Graph, kernel: Kernel) -> Result<Self> {
        let mut values = Vec::with_capacity(graph.targets.len());
        for row in 0..graph.n_rows() {
            let edges = graph.starts[row]..graph.starts[row + 1];
            values.extend(edges.map(|edge| {
                let weight = kernel.between(row, graph.targets[edge] as usize, graph.lengths[edge]);
                if kernel == Kernel::Average && graph.is_one_sided(edge) {
                    0.5 * weight
                } else {
                    weight
                }
            }));
        }
        let matrix =
            SparseSymmetric::from_parts(graph.starts.clone(), graph.targets.clone(), values)?;
        Ok(Self::of_matrix(matrix, kernel))
    }

    fn of_matrix(matrix: SparseSymmetric, kernel: Kernel) -> Self {
        Self {
            degrees: degrees(&matrix),
            matrix,
            kernel,
        }
    }

    /// Affinities that are given: what is on the diagonal, and what is 0, is left out; of two that differ a little the mean counts.
    pub(crate) fn given(affinities: &SparseView<'_, f64>) -> Result<Self> {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..affinities.n_rows() {
            for (other, value) in affinities.row(row) {
                let mean = f64::midpoint(value, stored(affinities, other, row));
                if other != row && mean > 0.0 {
                    columns.push(other as u32);
                    values.push(mean);
                }
            }
            starts.push(columns.len());
        }
        let matrix = SparseSymmetric::from_parts(starts, columns, values)?;
        Ok(Self::of_matrix(matrix, Kernel::Given))
    }

    /// Heat weights between all pairs of rows, from lists in which every row has all others.
    pub(crate) fn between_all(lists: &Neighbors, length: f64) -> Result<Self> {
        let kernel = Kernel::Heat { length };
        let n_rows = lists.n_rows();
        let mut values = Vec::with_capacity(lists.len());
        let mut columns = Vec::with_capacity(lists.len());
        let mut line = vec![0.0; n_rows];
        for row in 0..n_rows {
            let (indices, distances) = lists.row(row);
            for (&index, &d) in indices.iter().zip(distances) {
                line[index as usize] = kernel.between(row, index as usize, d);
            }
            for (other, &weight) in line.iter().enumerate().filter(|entry| entry.0 != row) {
                columns.push(other as u32);
                values.push(weight);
            }
        }
        let starts = (0..=n_rows).map(|row| row * (n_rows - 1)).collect();
        let matrix = SparseSymmetric::from_parts(starts, columns, values)?;
        Ok(Self::of_matrix(matrix, kernel))
    }

    /// The same with no weight below `least`, so that no edge is lost to underflow.
    pub(crate) fn at_least(&self, least: f64) -> Self {
        let mut matrix = self.matrix.clone();
        for value in matrix.values_mut() {
            *value = value.max(least);
        }
        Self {
            degrees: degrees(&matrix),
            matrix,
            kernel: self.kernel.clone(),
        }
    }

    /// The same with only the edges that `keep` accepts, of (row, target).
    pub(crate) fn only(&self, keep: impl Fn(usize, usize) -> bool) -> Result<Self> {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..self.n_rows() {
            let (targets, weights) = self.matrix.row(row);
            for (&target, &weight) in targets.iter().zip(weights) {
                if keep(row, target as usize) {
                    columns.push(target);
                    values.push(weight);
                }
            }
            starts.push(columns.len());
        }
        let matrix = SparseSymmetric::from_parts(starts, columns, values)?;
        Ok(Self {
            degrees: degrees(&matrix),
            matrix,
            kernel: self.kernel.clone(),
        })
    }

    /// Number of rows.
    pub(crate) fn n_rows(&self) -> usize {
        self.degrees.len()
    }
}

fn degrees(matrix: &SparseSymmetric) -> Vec<f64> {
    let rows = 0..matrix.n();
    rows.map(|row| matrix.row(row).1.iter().sum()).collect()
}

impl Kernel {
    /// Fails if a number that was loaded is not one that a graph of this many rows could have.
    pub(crate) fn validate(&self, n_rows: usize) -> Result<()> {
        match self {
            Self::Binary | Self::Average | Self::Given => Ok(()),
            Self::Heat { length } => check_positive("the bandwidth", [length]),
            Self::SelfTuned { scales } => {
                check_length("the rows' scales", scales.len(), n_rows)?;
                check_positive("the rows' scales", scales)
            }
        }
    }

    /// The weight of two training rows at distance `d`.
    pub(crate) fn between(&self, row: usize, other: usize, d: f64) -> f64 {
        match self {
            Self::SelfTuned { scales } => tuned(d, scales[row], scales[other]),
            Self::Heat { length } => tuned(d, *length, *length),
            Self::Binary | Self::Average | Self::Given => 1.0,
        }
    }

    /// The weights of a new row to training rows, nearest first.
    pub(crate) fn to_new(&self, indices: &[u32], distances: &[f64]) -> Vec<f64> {
        let own = scale(distances);
        let ends = indices.iter().zip(distances);
        ends.map(|(&index, &d)| match self {
            Self::SelfTuned { scales } => tuned(d, own, scales[index as usize]),
            _ => self.between(0, 0, d),
        })
        .collect()
    }

    /// The bandwidth t, where all pairs have the same.
    pub(crate) fn bandwidth(&self) -> Option<f64> {
        match self {
            Self::Heat { length } => Some(length * length),
            _ => None,
        }
    }

    /// In words.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Average => "average",
            Self::Given => "given",
            Self::Heat { .. } => "heat",
            Self::SelfTuned { .. } => "heat, self-tuned",
        }
    }
}

/// exp(−d² / (a b)), without overflow on the way.
fn tuned(d: f64, a: f64, b: f64) -> f64 {
    if d > 0.0 {
        (-(d / a) * (d / b)).exp()
    } else {
        1.0
    }
}

/// The median length of the edges, each counted once.
fn median(graph: &Graph) -> f64 {
    let mut lengths: Vec<f64> = graph.edges().map(|edge| edge.2).collect();
    lengths.sort_unstable_by(f64::total_cmp);
    let (lower, upper) = (lengths.len().saturating_sub(1) / 2, lengths.len() / 2);
    match (lengths.get(lower), lengths.get(upper)) {
        (Some(&a), Some(&b)) if b > 0.0 => f64::midpoint(a, b),
        _ => shortest_above_zero(&lengths),
    }
}

/// The 7th shortest length, or the longest of fewer.
fn scale(lengths: &[f64]) -> f64 {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.get(LOCAL.min(sorted.len()).saturating_sub(1)) {
        Some(&length) if length > 0.0 => length,
        _ => shortest_above_zero(&sorted),
    }
}

/// Of sorted lengths the first above 0; 1, which then divides nothing but zeros, if there is none.
fn shortest_above_zero(sorted: &[f64]) -> f64 {
    let found = sorted.iter().copied().find(|&length| length > 0.0);
    found.unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::data::SparseRows;

    fn path() -> Graph {
        Graph::from_edges(5, &[(0, 1, 1.0), (1, 2, 2.0), (2, 3, 3.0), (3, 4, 0.0)])
    }

    #[test]
    fn weights_follow_their_formulas_and_are_symmetric() {
        let graph = path();
        let binary = Weighting::default().of(&graph).unwrap();
        assert_eq!(binary.degrees, [1.0, 2.0, 2.0, 2.0, 1.0]);
        let given = Weighting::heat(Bandwidth::Given(4.0)).of(&graph).unwrap();
        let dense = given.matrix.dense();
        assert_eq!(dense, dense.t());
        assert!((dense[[1, 2]] - (-1.0_f64).exp()).abs() < 1e-15);
        assert_eq!(dense[[3, 4]], 1.0);
        let median = Weighting::heat(Bandwidth::Median).of(&graph).unwrap();
        assert_eq!(median.kernel.bandwidth(), Some(1.5 * 1.5));
    }

    #[test]
    fn an_edge_that_one_row_lists_has_half_the_weight() {
        let (indices, distances) = (array![[1], [0], [1]], array![[1.0], [1.0], [2.0]]);
        let table = Neighbors::from_table(&indices.view(), &distances.view()).unwrap();
        let weighting = Weighting {
            weights: EdgeWeights::Average,
            ..Weighting::default()
        };
        let weights = weighting.of(&Graph::union(&table)).unwrap();
        assert_eq!(
            weights.matrix.dense(),
            array![[0.0, 1.0, 0.0], [1.0, 0.0, 0.5], [0.0, 0.5, 0.0]]
        );
    }

    #[test]
    fn weights_are_given_or_those_of_all_pairs() {
        let entries = vec![(0, 0, 9.0), (0, 1, 2.0), (1, 0, 2.0), (1, 2, 0.0)];
        let given = SparseRows::from_entries(3, 3, entries).unwrap();
        let weights = Weights::given(&given.view()).unwrap();
        assert_eq!(weights.degrees, [2.0, 2.0, 0.0]);
        let (indices, distances) = (
            array![[2, 1], [0, 2], [0, 1]],
            array![[1.0, 2.0], [2.0, 3.0], [1.0, 3.0]],
        );
        let table = Neighbors::from_table(&indices.view(), &distances.view()).unwrap();
        let dense = Weights::between_all(&table, 2.0).unwrap().matrix.dense();
        assert_eq!(dense, dense.t());
        assert_eq!(dense[[1, 2]], (-2.25_f64).exp());
    }

    #[test]
    fn self_tuned_scales_are_of_the_seventh_edge_or_the_last() {
        let mut edges: Vec<(u32, u32, f64)> = (1..10).map(|i| (0, i, f64::from(i))).collect();
        edges.push((1, 2, 0.5));
        let graph = Graph::from_edges(10, &edges);
        let weights = Weighting::heat(Bandwidth::SelfTuned).of(&graph).unwrap();
        let Kernel::SelfTuned { scales } = &weights.kernel else {
            panic!("not self-tuned");
        };
        assert_eq!(
            (scales[0], scales[1], scales[2], scales[9]),
            (7.0, 1.0, 2.0, 9.0)
        );
        let dense = weights.matrix.dense();
        assert!((dense[[0, 9]] - (-81.0_f64 / 63.0).exp()).abs() < 1e-15);
        assert!((dense[[1, 2]] - (-0.25_f64 / 2.0).exp()).abs() < 1e-15);
        // A new row at 3 from row 0 and at 5 from row 2: its own scale is 5.
        let new = weights.kernel.to_new(&[0, 2], &[3.0, 5.0]);
        assert!((new[0] - (-9.0_f64 / 35.0).exp()).abs() < 1e-15);
        assert!((new[1] - (-2.5_f64).exp()).abs() < 1e-15);
    }

    #[test]
    fn repeated_rows_and_extreme_lengths_give_weights_all_the_same() {
        let edges = [(0, 1, 0.0), (1, 2, 0.0), (0, 2, 0.0), (2, 3, 5.0)];
        let graph = Graph::from_edges(4, &edges);
        for bandwidth in [Bandwidth::Median, Bandwidth::SelfTuned] {
            let weights = Weighting::heat(bandwidth).of(&graph).unwrap();
            let dense = weights.matrix.dense();
            assert_eq!(dense[[0, 1]], 1.0);
            assert!(
                (dense[[2, 3]] - (-1.0_f64).exp()).abs() < 1e-15,
                "{bandwidth:?}"
            );
        }
        let zeros = Graph::from_edges(2, &[(0, 1, 0.0)]);
        assert_eq!(
            Weighting::heat(Bandwidth::Median)
                .of(&zeros)
                .unwrap()
                .degrees,
            [1.0; 2]
        );
        let huge = Graph::from_edges(2, &[(0, 1, 1e200)]);
        for bandwidth in [Bandwidth::Median, Bandwidth::SelfTuned] {
            let weights = Weighting::heat(bandwidth).of(&huge).unwrap();
            assert!((weights.degrees[0] - (-1.0_f64).exp()).abs() < 1e-15);
        }
    }

    #[test]
    fn edges_can_be_left_out_and_lifted() {
        let weights = Weighting::heat(Bandwidth::Given(0.001))
            .of(&path())
            .unwrap();
        assert_eq!(weights.degrees[2], 0.0);
        assert_eq!(weights.at_least(1e-6).degrees[2], 2e-6);
        let some = weights.only(|a, b| a.max(b) == 4).unwrap();
        assert_eq!(some.degrees, [0.0, 0.0, 0.0, 1.0, 1.0]);
    }
}
