//! Symmetric neighbour graphs from tables of neighbours.

use serde::{Deserialize, Serialize};

use crate::data::Neighbors;
use crate::data::loaded::{check_indices, check_length, check_not_negative, check_starts};
use crate::error::Result;
use crate::parallel::{blocks, map};

/// Rows whose edges one job gathers.
const BLOCK: usize = 1024;

/// An undirected graph with a length for every edge: each edge is there from both ends, and the edges of a
/// row are in the order of their targets. Edges of length 0, between rows that are the same, are edges like
/// any other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// Where the edges of each row begin, and where the last end.
    pub starts: Vec<usize>,
    /// The rows at the other end, row after row.
    pub targets: Vec<u32>,
    /// How long the edges are.
    pub lengths: Vec<f64>,
    /// True for edges of which only one end has the other among its neighbours; empty if there are none. Not saved.
    #[serde(skip)]
    pub(crate) one_sided: Vec<bool>,
}

/// An edge as seen from one of its ends.
#[derive(Clone, Copy)]
struct End {
    target: u32,
    /// True if the other row listed this one.
    reverse: bool,
    length: f64,
}

impl Graph {
    /// Rows are joined if either is a neighbour of the other. Of two lengths the shorter counts.
    pub(crate) fn union(neighbors: &Neighbors) -> Self {
        Self::of(neighbors, |_, _| true)
    }

    /// Rows are joined if each is a neighbour of the other.
    pub(crate) fn mutual(neighbors: &Neighbors) -> Self {
        Self::of(neighbors, |first, second| first != second)
    }

    /// A graph from edges given once each, in any order; of an edge given again the shorter counts.
    pub(crate) fn from_edges(n_rows: usize, edges: &[(u32, u32, f64)]) -> Self {
        let mut ends: Vec<Vec<End>> = vec![Vec::new(); n_rows];
        for &(a, b, length) in edges.iter().filter(|edge| edge.0 != edge.1) {
            for (row, target) in [(a, b), (b, a)] {
                ends[row as usize].push(End {
                    target,
                    reverse: false,
                    length,
                });
            }
        }
        let lists = ends
            .into_iter()
            .map(|mut list| merged(&mut list, |_, _| true));
        // Edges given once each say nothing of who lists whom.
        let lists = lists.map(|list| list.into_iter().map(|end| (end.0, end.1, false)).collect());
        Self::from_lists(lists)
    }

    /// `keep` gets the first and the last end of an edge, which are the same if it was listed once,
    /// whether the edge stays.
    fn of(neighbors: &Neighbors, keep: impl Fn(bool, bool) -> bool + Sync) -> Self {
        let reversed = Reversed::of(neighbors);
        let blocks = blocks(neighbors.n_rows(), BLOCK);
        let parts: Vec<Vec<Vec<(u32, f64, bool)>>> = map(blocks.len(), |block| {
            blocks[block]
                .clone()
                .map(|row| {
                    let (places, distances) = neighbors.row(row);
                    let own = places.iter().copied().zip(distances.iter().copied());
                    let mut ends: Vec<End> = own
                        .map(|(target, length)| End {
                            target,
                            reverse: false,
                            length,
                        })
                        .chain(reversed.row(row))
                        .filter(|end| end.target as usize != row)
                        .collect();
                    merged(&mut ends, &keep)
                })
                .collect()
        });
        Self::from_lists(parts.into_iter().flatten())
    }

    /// Lists of (target, length, whether only one end lists the other).
    fn from_lists(lists: impl Iterator<Item = Vec<(u32, f64, bool)>>) -> Self {
        let mut graph = Self {
            starts: vec![0],
            ..Self::default()
        };
        for list in lists {
            graph.targets.extend(list.iter().map(|edge| edge.0));
            graph.lengths.extend(list.iter().map(|edge| edge.1));
            graph.one_sided.extend(list.iter().map(|edge| edge.2));
            graph.starts.push(graph.targets.len());
        }
        graph
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Fails if edges that were loaded lead nowhere, or have a length that none can have.
    pub(crate) fn validate(&self) -> Result<()> {
        let Self {
            starts,
            targets,
            lengths,
            one_sided: _,
        } = self;
        check_starts("the starts of the graph's edges", starts, targets.len())?;
        check_length(
            "the lengths of the graph's edges",
            lengths.len(),
            targets.len(),
        )?;
        check_indices("the targets of the graph's edges", targets, self.n_rows())?;
        check_not_negative("the lengths of the graph's edges", lengths)
    }

    /// Number of edges, each counted once.
    pub fn n_edges(&self) -> usize {
        self.targets.len() / 2
    }

    /// The rows that a row has edges to, and the lengths of these.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.targets[range.clone()], &self.lengths[range])
    }

    /// All edges, each once, from the lower row to the higher.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        (0..self.n_rows()).flat_map(move |row| {
            let (targets, lengths) = self.row(row);
            let ends = targets.iter().zip(lengths);
            ends.filter(move |end| *end.0 as usize > row)
                .map(move |(&target, &length)| (row as u32, target, length))
        })
    }

    /// The same with more edges.
    pub(crate) fn with_edges(&self, more: &[(u32, u32, f64)]) -> Self {
        let edges: Vec<_> = self.edges().chain(more.iter().copied()).collect();
        let mut graph = Self::from_edges(self.n_rows(), &edges);
        for row in 0..self.n_rows() {
            let start = graph.starts[row];
            for edge in
                (self.starts[row]..self.starts[row + 1]).filter(|&edge| self.is_one_sided(edge))
            {
                let targets = &graph.targets[start..graph.starts[row + 1]];
                if let Ok(place) = targets.binary_search(&self.targets[edge]) {
                    graph.one_sided[start + place] = true;
                }
            }
        }
        graph
    }

    /// True if only one end of an edge has the other among its neighbours.
    pub(crate) fn is_one_sided(&self, edge: usize) -> bool {
        self.one_sided.get(edge).copied().unwrap_or(false)
    }

    /// The same without what is only known of a graph while it is made.
    pub(crate) fn into_kept(self) -> Self {
        Self {
            one_sided: Vec::new(),
            ..self
        }
    }

    /// The graph among some of the rows, in ascending order, which get the numbers 0, 1, ….
    pub(crate) fn among(&self, rows: &[u32]) -> Self {
        let mut number = vec![u32::MAX; self.n_rows()];
        for (index, &row) in rows.iter().enumerate() {
            number[row as usize] = index as u32;
        }
        Self::from_lists(rows.iter().map(|&row| {
            (self.starts[row as usize]..self.starts[row as usize + 1])
                .map(|edge| {
                    let target = number[self.targets[edge] as usize];
                    (target, self.lengths[edge], self.is_one_sided(edge))
                })
                .filter(|end| end.0 != u32::MAX)
                .collect()
        }))
    }
}

/// Who lists each row, with the distances.
struct Reversed {
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl Reversed {
    fn of(neighbors: &Neighbors) -> Self {
        let mut starts = vec![0; neighbors.n_known().max(neighbors.n_rows()) + 1];
        for &index in neighbors.indices() {
            starts[index as usize + 1] += 1;
        }
        for row in 1..starts.len() {
            starts[row] += starts[row - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); neighbors.len()];
        for row in 0..neighbors.n_rows() {
            let (places, distances) = neighbors.row(row);
            for (&index, &distance) in places.iter().zip(distances) {
                let slot = &mut next[index as usize];
                entries[*slot] = (row as u32, distance);
                *slot += 1;
            }
        }
        Self { starts, entries }
    }

    fn row(&self, row: usize) -> impl Iterator<Item = End> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.entries[range].iter().map(|&(target, length)| End {
            target,
            reverse: true,
            length,
        })
    }
}

/// The edges of a row in the order of their targets, each once with its shortest length, and whether only one end listed it.
fn merged(ends: &mut [End], keep: impl Fn(bool, bool) -> bool) -> Vec<(u32, f64, bool)> {
    ends.sort_unstable_by(|a, b| {
        let order = a.target.cmp(&b.target).then(a.reverse.cmp(&b.reverse));
        order.then(a.length.total_cmp(&b.length))
    });
    ends.chunk_by(|a, b| a.target == b.target)
        .filter(|same| keep(same[0].reverse, same[same.len() - 1].reverse))
        .map(|same| {
            let shortest = same.iter().map(|end| end.length);
            let listed_once = same[0].reverse == same[same.len() - 1].reverse;
            (
                same[0].target,
                shortest.fold(f64::INFINITY, f64::min),
                listed_once,
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn one_listing_joins_rows_in_the_union_and_two_in_the_mutual_graph() {
        let (indices, distances) = (array![[1], [0], [1]], array![[1.0], [1.0], [2.0]]);
        let table = Neighbors::from_table(&indices.view(), &distances.view()).unwrap();
        assert_eq!(Graph::union(&table).row(1).0, [0, 2]);
        assert_eq!(Graph::mutual(&table).row(1).0, [0]);
    }

    /// 0 – 1 duplicates, 2 lists both, 1 lists 3 and 3 lists 1 at another distance.
    fn table() -> Neighbors {
        Neighbors::from_table(
            &array![[1, -1], [0, 3], [0, 1], [1, 2]].view(),
            &array![[0.0, 0.0], [0.0, 5.0], [2.0, 2.0], [4.0, 1.0]].view(),
        )
        .unwrap()
    }

    #[test]
    fn a_union_has_every_listed_edge_from_both_ends_with_twins_at_length_zero() {
        let graph = Graph::union(&table());
        assert_eq!(graph.starts, [0, 2, 5, 8, 10]);
        assert_eq!(
            graph.row(0),
            ([1, 2].as_slice(), [0.0, 2.0].as_slice()),
            "the duplicate at distance 0 is an edge"
        );
        assert_eq!(
            graph.row(1),
            ([0, 2, 3].as_slice(), [0.0, 2.0, 4.0].as_slice()),
            "of two lengths the shorter"
        );
        assert_eq!(graph.n_edges(), 5);
    }

    #[test]
    fn edges_that_one_end_lists_are_known_also_beside_bridges_and_among_some_rows() {
        let graph = Graph::union(&table());
        let sides = |graph: &Graph| -> Vec<(u32, u32)> {
            let rows = (0..graph.n_rows()).flat_map(|row| {
                (graph.starts[row]..graph.starts[row + 1]).map(move |edge| (row, edge))
            });
            rows.filter(|&(row, edge)| {
                graph.is_one_sided(edge) && (row as u32) < graph.targets[edge]
            })
            .map(|(row, edge)| (row as u32, graph.targets[edge]))
            .collect()
        };
        assert_eq!(sides(&graph), [(0, 2), (1, 2), (2, 3)]);
        assert_eq!(sides(&graph.with_edges(&[(0, 3, 1.0)])), sides(&graph));
        assert_eq!(sides(&graph.among(&[1, 2, 3])), [(0, 1), (1, 2)]);
        assert!(sides(&Graph::mutual(&table())).is_empty());
        assert!(sides(&graph.into_kept()).is_empty());
    }

    #[test]
    fn a_mutual_graph_has_the_edges_listed_by_both() {
        let graph = Graph::mutual(&table());
        let edges: Vec<_> = graph.edges().collect();
        assert_eq!(edges, [(0, 1, 0.0), (1, 3, 4.0)]);
    }

    #[test]
    fn edges_can_be_added_and_rows_left_out() {
        let graph = Graph::mutual(&table()).with_edges(&[(3, 2, 7.0)]);
        assert_eq!(graph.row(2), ([3].as_slice(), [7.0].as_slice()));
        let part = graph.among(&[0, 1, 3]);
        assert_eq!(part.edges().collect::<Vec<_>>(), [(0, 1, 0.0), (1, 2, 4.0)]);
    }
}
