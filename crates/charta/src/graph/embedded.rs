//! The neighbour graph that a method embeds, over all rows: for pictures of it, and for paths along it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Disconnected, Graph, Neighborhood};
use crate::data::{Data, Source};
use crate::error::{Error, Result, message};
use crate::metric::Between;
use crate::run::{Quiet, Run};

/// The neighbourhoods whose graph a method embeds.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedGraph {
    /// Neighbours, metric, and what becomes of a disconnected graph.
    pub neighborhood: Neighborhood,
    /// Connected components stay apart, whatever the neighbourhood says.
    pub loose: bool,
}

/// A shortest path along a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct ShortestPath {
    /// The rows that it visits, both ends included.
    pub rows: Vec<usize>,
    /// Its length, the geodesic distance of its ends.
    pub length: f64,
}

impl EmbeddedGraph {
    /// The graph of neighbourhoods, in one piece where they say so.
    pub(crate) fn connected(neighborhood: &Neighborhood) -> Self {
        Self {
            neighborhood: neighborhood.clone(),
            loose: false,
        }
    }

    /// The graph of neighbourhoods, with its connected components as they are.
    pub(crate) fn loose(neighborhood: Neighborhood) -> Self {
        Self {
            neighborhood,
            loose: true,
        }
    }

    /// The graph of neighbourhoods of a linear map, which joins no connected components.
    pub(crate) fn for_linear(neighborhood: &Neighborhood) -> Self {
        Self {
            neighborhood: neighborhood.clone(),
            loose: neighborhood.disconnected == Disconnected::Join,
        }
    }

    /// The graph of all rows of `data`, bridges between connected components included; rows that a fit leaves out have no edges.
    /// Warnings are not repeated: a fit has given them.
    pub fn graph(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Graph> {
        let quiet = Quiet(run);
        run.install(|| {
            let run = &Run::new().observer(&quiet);
            let connected = if self.loose {
                self.neighborhood.loose_graph(run, data)?
            } else {
                self.neighborhood.graph(run, data)?
            };
            let Some(rows) = &connected.rows else {
                return Ok(connected.graph);
            };
            let number = |row: u32| rows[row as usize];
            let edges: Vec<(u32, u32, f64)> = (connected.graph.edges())
                .map(|(low, high, length)| (number(low), number(high), length))
                .collect();
            Ok(Graph::from_edges(data.n_rows(), &edges))
        })
    }

    /// The distance of two rows of `data` by which the graph's edges are measured.
    pub fn distance(&self, run: &Run<'_>, data: &Data<'_>, a: usize, b: usize) -> Result<f64> {
        match data.source() {
            Source::Features(features) => {
                let search = &self.neighborhood.search;
                let (metric, power) = (search.metric, search.power);
                let between = Between::of(run, data, metric, power, search.image_width)?;
                let [a, b] = [a, b].map(|row| {
                    let mut values = vec![0.0; features.n_columns()];
                    features.copy_row(row, &mut values);
                    between.ready(values)
                });
                between.checked(&a, &b)
            }
            Source::Distances(matrix) => Ok(matrix[[a, b]]),
            _ => Err(Error::unsupported(
                message!("the distance of two {:rows}"),
                message!("needs features or distances"),
            )),
        }
    }
}

impl Graph {
    /// The shortest path from one row to another, if there is one: Dijkstra's algorithm.
    ///
    /// ```
    /// use charta::{Data, Run, graph::Neighborhood};
    /// let line = ndarray::array![[0.0], [1.0], [2.5], [4.0]];
    /// let graph = Neighborhood::nearest(1).graph(&Run::new(), &Data::from(&line))?.graph;
    /// let path = graph.shortest_path(0, 3).unwrap();
    /// assert_eq!((path.rows, path.length), (vec![0, 1, 2, 3], 4.0));
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn shortest_path(&self, from: usize, to: usize) -> Option<ShortestPath> {
        let mut lengths = vec![f64::INFINITY; self.n_rows()];
        let mut before: Vec<u32> = vec![u32::MAX; self.n_rows()];
        // Bits of numbers of at least 0 are in the order of the numbers.
        let mut queue = BinaryHeap::from([Reverse((0.0f64.to_bits(), from))]);
        lengths[from] = 0.0;
        while let Some(Reverse((bits, row))) = queue.pop() {
            let length = f64::from_bits(bits);
            if row == to {
                break;
            }
            if length > lengths[row] {
                continue;
            }
            let (targets, steps) = self.row(row);
            for (&target, &step) in targets.iter().zip(steps) {
                let (target, longer) = (target as usize, length + step);
                if longer < lengths[target] {
                    (lengths[target], before[target]) = (longer, row as u32);
                    queue.push(Reverse((longer.to_bits(), target)));
                }
            }
        }
        let length = lengths[to];
        if !length.is_finite() {
            return None;
        }
        let mut rows = vec![to];
        while rows[rows.len() - 1] != from {
            rows.push(before[rows[rows.len() - 1]] as usize);
        }
        rows.reverse();
        Some(ShortestPath { rows, length })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn a_path_has_the_length_that_the_search_of_all_paths_finds() {
        let mut stream = crate::random::stream(5, 0);
        let x = Array2::from_shape_fn((60, 3), |_| crate::random::normal(&mut stream));
        let (run, data) = (Run::new(), Data::from(&x));
        let options = EmbeddedGraph::connected(&Neighborhood::nearest(4));
        let graph = options.graph(&run, &data).unwrap();
        let all = crate::graph::Paths::of(&graph);
        let all = all.between_all(&run, |length| length).unwrap();
        for (from, to) in [(0, 59), (7, 7), (31, 2)] {
            let path = graph.shortest_path(from, to).unwrap();
            assert!((path.length - all[[from, to]]).abs() < 1e-12);
            assert_eq!((path.rows[0], path.rows[path.rows.len() - 1]), (from, to));
            let steps = path.rows.windows(2).map(|pair| {
                let (targets, lengths) = graph.row(pair[0]);
                let place = targets.binary_search(&(pair[1] as u32)).unwrap();
                let distance = options.distance(&run, &data, pair[0], pair[1]).unwrap();
                assert!((lengths[place] - distance).abs() < 1e-9);
                lengths[place]
            });
            assert!((steps.sum::<f64>() - path.length).abs() < 1e-12);
        }
    }

    #[test]
    fn rows_of_different_components_have_no_path_unless_bridges_join_them() {
        let x = ndarray::array![[0.0], [1.0], [2.0], [50.0], [51.0]];
        let (run, data) = (Run::new(), Data::from(&x));
        let nearest = Neighborhood::nearest(1);
        let loose = EmbeddedGraph::loose(nearest.clone());
        assert_eq!(loose.graph(&run, &data).unwrap().shortest_path(0, 4), None);
        let joined = EmbeddedGraph::connected(&nearest).graph(&run, &data);
        let path = joined.unwrap().shortest_path(0, 4).unwrap();
        assert_eq!((path.rows.len(), path.length), (5, 51.0));
        let largest = EmbeddedGraph::connected(&Neighborhood {
            disconnected: Disconnected::Largest,
            ..nearest
        });
        let graph = largest.graph(&run, &data).unwrap();
        assert_eq!((graph.n_rows(), graph.n_edges()), (5, 2));
        assert!(graph.row(4).0.is_empty());
    }
}
