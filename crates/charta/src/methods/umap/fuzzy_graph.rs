//! The fuzzy simplicial set: smooth k-nearest-neighbour distances, membership strengths, their fuzzy union, and pruning.
//!
//! Each row has its own scale of distances: the nearest neighbour belongs with certainty (distance ρ), the others by
//! exp(−(d − ρ) / σ), and σ is such that the memberships sum to log₂ of the number of neighbours, the row itself counted. The two directed
//! memberships a and b of a pair are combined: by fuzzy union a + b − ab, by intersection ab, or by a mixture of both.
//!
//! McInnes, Healy and Melville, "UMAP", 2018, algorithms 2 and 3.

use crate::data::Neighbors;
use crate::error::Result;
use crate::graph::{Components, Sets};
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows that one job handles.
const BLOCK: usize = 1024;
/// Bisection steps for σ at most.
const MAX_BISECTIONS: usize = 64;
/// How near the sum of memberships comes to what it should be.
const TOLERANCE: f64 = 1e-5;
/// σ is at least this fraction of the mean distance.
const LEAST_SCALE: f64 = 1e-3;
/// Mean distances for which σ is searched from 1; beyond, from the mean.
const USUAL: std::ops::Range<f64> = 1e-6..1e6;

/// How distances become memberships.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Membership {
    /// How many nearest neighbours belong with certainty; between whole numbers, interpolated.
    pub local_connectivity: f64,
    /// 1 for the fuzzy union of the two directed memberships of a pair, 0 for their intersection.
    pub union_share: f64,
}

/// The scale of a row's distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    /// Distance up to which rows belong with certainty.
    pub nearest: f64,
    /// By how much memberships fall beyond.
    pub width: f64,
}

impl Scale {
    /// The scale of a row by the distances of its neighbours, rising, of which `mean` is the mean over all rows.
    pub(crate) fn of(distances: &[f64], local_connectivity: f64, mean: f64) -> Self {
        let nearest = certain(distances, local_connectivity);
        let count = (distances.len() + 1) as f64;
        let own_mean = distances.iter().sum::<f64>() / count;
        let least = LEAST_SCALE * if nearest > 0.0 { own_mean } else { mean };
        let start = if USUAL.contains(&own_mean) || own_mean <= 0.0 {
            1.0
        } else {
            own_mean
        };
        let width = width(distances, nearest, count.log2(), start);
        Self {
            nearest,
            width: width.max(least),
        }
    }

    /// The scale of a new row by the distances of the training rows nearest to it. One neighbour less belongs with certainty, and the
    /// nearest takes the place that a training row has among its own neighbours.
    pub(crate) fn of_new(distances: &[f64], local_connectivity: f64) -> Self {
        let nearest = certain(distances, (local_connectivity - 1.0).max(0.0));
        let count = distances.len().max(1) as f64;
        let mean = distances.iter().sum::<f64>() / count;
        let start = if USUAL.contains(&mean) { 1.0 } else { mean };
        let others = distances.get(1..).unwrap_or(&[]);
        let width = width(others, nearest, count.log2(), start);
        Self {
            nearest,
            width: width.max(LEAST_SCALE * mean),
        }
    }

    /// How strongly a row at this distance belongs.
    pub(crate) fn membership(&self, distance: f64) -> f64 {
        let beyond = distance - self.nearest;
        if beyond <= 0.0 || self.width <= 0.0 {
            return 1.0;
        }
        (-beyond / self.width).exp()
    }
}

/// The distance of the neighbour up to which all belong with certainty.
fn certain(distances: &[f64], local_connectivity: f64) -> f64 {
    let first = distances.partition_point(|&distance| distance <= 0.0);
    let apart = &distances[first..];
    let Some(&last) = apart.last() else {
        return 0.0;
    };
    if (apart.len() as f64) < local_connectivity {
        return last;
    }
    let index = local_connectivity.floor() as usize;
    let share = local_connectivity - index as f64;
    match index {
        0 => share * apart[0],
        _ if share > 1e-5 => apart[index - 1] + share * (apart[index] - apart[index - 1]),
        _ => apart[index - 1],
    }
}

/// σ such that the memberships sum to `target`.
fn width(distances: &[f64], nearest: f64, target: f64, start: f64) -> f64 {
    let (mut low, mut high, mut middle) = (0.0, f64::INFINITY, start);
    for _ in 0..MAX_BISECTIONS {
        let scale = Scale {
            nearest,
            width: middle,
        };
        let sum: f64 = distances.iter().map(|&d| scale.membership(d)).sum();
        if (sum - target).abs() < TOLERANCE {
            break;
        }
        if sum > target {
            high = middle;
            middle = f64::midpoint(low, high);
        } else {
            low = middle;
            middle = if high == f64::INFINITY {
                middle * 2.0
            } else {
                f64::midpoint(low, high)
            };
        }
    }
    middle
}

/// A symmetric graph whose edges have weights from 0 to 1: row after row, the neighbours rising.
#[derive(Clone, Debug, PartialEq)]
pub struct FuzzyGraph {
    starts: Vec<usize>,
    neighbors: Vec<u32>,
    weights: Vec<f32>,
}

impl FuzzyGraph {
    /// The fuzzy graph of neighbours.
    pub fn of(run: &Run<'_>, neighbors: &Neighbors, membership: &Membership) -> Result<Self> {
        neighbors.check_lengths()?;
        let count = (neighbors.len() + neighbors.n_rows()).max(1) as f64;
        let mean = neighbors.distances().iter().sum::<f64>() / count;
        let directed: Vec<f32> = map_blocks(run, neighbors.n_rows(), BLOCK, |rows| {
            let mut memberships = Vec::new();
            for row in rows {
                let distances = neighbors.row(row).1;
                let scale = Scale::of(distances, membership.local_connectivity, mean);
                let belong = distances.iter().map(|&d| scale.membership(d) as f32);
                memberships.extend(belong);
            }
            memberships
        })?
        .concat();
        let lists = Directed {
            starts: neighbors.starts(),
            neighbors: neighbors.indices(),
            weights: &directed,
        };
        lists.united(run, union(membership.union_share))
    }

    /// The graph of neighbours whose weights are their distances. Rows at distance 0 have no edge.
    pub fn of_lengths(run: &Run<'_>, neighbors: &Neighbors) -> Result<Self> {
        let lengths: Vec<f32> = neighbors.distances().iter().map(|&d| d as f32).collect();
        let lists = Directed {
            starts: neighbors.starts(),
            neighbors: neighbors.indices(),
            weights: &lengths,
        };
        lists.united(run, f32::max)
    }

    /// A graph from rows of neighbours with weights, which must be symmetric; neighbours rising.
    pub fn from_rows(rows: Vec<Vec<(u32, f32)>>) -> Self {
        let mut graph = Self {
            starts: vec![0],
            neighbors: Vec::new(),
            weights: Vec::new(),
        };
        for row in rows {
            graph.push(row.into_iter());
        }
        graph
    }

    fn push(&mut self, row: impl Iterator<Item = (u32, f32)>) {
        for (neighbor, weight) in row {
            self.neighbors.push(neighbor);
            self.weights.push(weight);
        }
        self.starts.push(self.neighbors.len());
    }

    /// Rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Edges, each counted once.
    pub fn n_edges(&self) -> usize {
        self.neighbors.len() / 2
    }

    /// Neighbours of a row, rising, and the weights of the edges.
    pub fn row(&self, row: usize) -> (&[u32], &[f32]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.neighbors[range.clone()], &self.weights[range])
    }

    /// The largest weight.
    pub fn largest(&self) -> f32 {
        self.weights.iter().copied().fold(0.0, f32::max)
    }

    /// The same with weights changed by a function of the two rows and the weight; edges of weight 0 are left out.
    pub fn map(
        &self,
        run: &Run<'_>,
        change: impl Fn(usize, usize, f32) -> f32 + Sync,
    ) -> Result<Self> {
        let parts = map_blocks(run, self.n_rows(), BLOCK, |rows| {
            let mut part = Self::from_rows(Vec::new());
            for row in rows {
                let (neighbors, weights) = self.row(row);
                let changed = neighbors.iter().zip(weights).map(|(&neighbor, &weight)| {
                    let (low, high) = (row.min(neighbor as usize), row.max(neighbor as usize));
                    (neighbor, change(low, high, weight))
                });
                part.push(changed.filter(|&(_, weight)| weight > 0.0));
            }
            part
        })?;
        Ok(Self::joined(parts))
    }

    /// The same without edges that would not be drawn once in this many epochs.
    pub fn pruned(&self, run: &Run<'_>, n_epochs: usize) -> Result<Self> {
        let least = self.largest() / n_epochs.max(1) as f32;
        self.map(
            run,
            |_, _, weight| if weight < least { 0.0 } else { weight },
        )
    }

    /// The same after every row's weights are raised so that its strongest edge has weight 1; the two directions are then combined by fuzzy union.
    pub fn with_certain_edges(&self, run: &Run<'_>) -> Result<Self> {
        let mut weights = self.weights.clone();
        for row in self.starts.windows(2) {
            let own = &mut weights[row[0]..row[1]];
            let most = own.iter().copied().fold(0.0, f32::max);
            if most > 0.0 {
                own.iter_mut().for_each(|weight| *weight /= most);
            }
        }
        let lists = Directed {
            starts: &self.starts,
            neighbors: &self.neighbors,
            weights: &weights,
        };
        lists.united(run, union(1.0))
    }

    /// The edges of two graphs of the same rows, with the weight that each gives an edge, 0 if it has none, made one.
    pub fn combined(
        &self,
        run: &Run<'_>,
        other: &Self,
        combine: impl Fn(usize, usize, [f32; 2]) -> f32 + Sync,
    ) -> Result<Self> {
        let parts = map_blocks(run, self.n_rows(), BLOCK, |rows| {
            let mut part = Self::from_rows(Vec::new());
            for row in rows {
                let list = |graph: &Self| -> Vec<(u32, f32)> {
                    let (neighbors, weights) = graph.row(row);
                    neighbors
                        .iter()
                        .copied()
                        .zip(weights.iter().copied())
                        .collect()
                };
                let own = list(self);
                let merged = merge(&own, list(other).into_iter()).map(|(neighbor, a, b)| {
                    let (low, high) = (row.min(neighbor as usize), row.max(neighbor as usize));
                    (neighbor, combine(low, high, [a, b]))
                });
                part.push(merged.filter(|&(_, weight)| weight > 0.0));
            }
            part
        })?;
        Ok(Self::joined(parts))
    }

    /// The smallest weight.
    pub fn smallest(&self) -> f32 {
        self.weights.iter().copied().fold(f32::INFINITY, f32::min)
    }

    /// The connected components.
    pub fn components(&self) -> Components {
        let mut sets = Sets::new(self.n_rows());
        for row in 0..self.n_rows() {
            for &neighbor in self.row(row).0 {
                sets.unite(row as u32, neighbor);
            }
        }
        Components::of_sets(&mut sets)
    }

    /// The sum of the weights of every row.
    pub fn degrees(&self) -> Vec<f64> {
        (0..self.n_rows())
            .map(|row| {
                self.row(row)
                    .1
                    .iter()
                    .map(|&weight| f64::from(weight))
                    .sum()
            })
            .collect()
    }

    fn joined(parts: Vec<Self>) -> Self {
        let stored = parts.iter().map(|part| part.neighbors.len()).sum();
        let mut graph = Self {
            starts: vec![0],
            neighbors: Vec::with_capacity(stored),
            weights: Vec::with_capacity(stored),
        };
        for part in parts {
            let before = graph.neighbors.len();
            let ends = part.starts[1..].iter().map(|end| before + end);
            graph.starts.extend(ends);
            graph.neighbors.extend(part.neighbors);
            graph.weights.extend(part.weights);
        }
        graph
    }
}

/// The union of two memberships, or their intersection, or a mixture.
fn union(share: f64) -> impl Fn(f32, f32) -> f32 + Sync {
    move |a: f32, b: f32| {
        let (a, b) = (f64::from(a), f64::from(b));
        let both = a * b;
        (share * (a + b - both) + (1.0 - share) * both) as f32
    }
}

/// Directed memberships: those of each row to its neighbours.
struct Directed<'a> {
    starts: &'a [usize],
    neighbors: &'a [u32],
    weights: &'a [f32],
}

impl Directed<'_> {
    /// Both directions combined.
    fn united(&self, run: &Run<'_>, unite: impl Fn(f32, f32) -> f32 + Sync) -> Result<FuzzyGraph> {
        let (ends, others, seen) = self.transposed();
        let parts = map_blocks(run, self.starts.len() - 1, BLOCK, |rows| {
            let mut part = FuzzyGraph::from_rows(Vec::new());
            let mut own: Vec<(u32, f32)> = Vec::new();
            for row in rows {
                let range = self.starts[row]..self.starts[row + 1];
                own.clear();
                own.extend(range.map(|entry| (self.neighbors[entry], self.weights[entry])));
                own.sort_unstable_by_key(|entry| entry.0);
                let back = ends[row]..ends[row + 1];
                let back = others[back.clone()].iter().zip(&seen[back]);
                let merged = merge(&own, back.map(|(&other, &weight)| (other, weight)));
                let united = merged.map(|(neighbor, a, b)| (neighbor, unite(a, b)));
                part.push(united.filter(|&(_, weight)| weight > 0.0));
            }
            part
        })?;
        Ok(FuzzyGraph::joined(parts))
    }

    /// The transposed lists: who has each row as a neighbour, rising, and with what membership.
    fn transposed(&self) -> (Vec<usize>, Vec<u32>, Vec<f32>) {
        let n = self.starts.len() - 1;
        let mut ends = vec![0usize; n + 1];
        for &neighbor in self.neighbors {
            ends[neighbor as usize + 1] += 1;
        }
        for row in 0..n {
            ends[row + 1] += ends[row];
        }
        let mut next = ends.clone();
        let mut others = vec![0; self.neighbors.len()];
        let mut seen = vec![0.0; self.neighbors.len()];
        for row in 0..n {
            for entry in self.starts[row]..self.starts[row + 1] {
                let slot = &mut next[self.neighbors[entry] as usize];
                others[*slot] = row as u32;
                seen[*slot] = self.weights[entry];
                *slot += 1;
            }
        }
        (ends, others, seen)
    }
}

/// Two rising lists of neighbours with weights as one; 0 where a list does not have the neighbour.
fn merge<'a>(
    own: &'a [(u32, f32)],
    back: impl Iterator<Item = (u32, f32)> + 'a,
) -> impl Iterator<Item = (u32, f32, f32)> + 'a {
    let mut own = own.iter().copied().peekable();
    let mut back = back.peekable();
    std::iter::from_fn(move || match (own.peek().copied(), back.peek().copied()) {
        (None, None) => None,
        (Some((neighbor, a)), other) if other.is_none_or(|other| neighbor < other.0) => {
            own.next();
            Some((neighbor, a, 0.0))
        }
        (Some((neighbor, a)), Some((other, b))) if neighbor == other => {
            own.next();
            back.next();
            Some((neighbor, a, b))
        }
        (_, Some((neighbor, b))) => {
            back.next();
            Some((neighbor, 0.0, b))
        }
        (Some(_), None) => None,
    })
}
