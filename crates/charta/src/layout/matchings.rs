//! Edges in rounds: in a round no two edges share a row, so that all of its edges can move both of their ends at once.
//!
//! Edges take, one after the other, the first round in which both of their rows are still free. What finds no place in the first rounds, at
//! rows with very many neighbours, is left for the end, one edge after the other.
//!
//! An edge of weight w is due with the frequency w / w_max: a mark that begins at random moves on by the weight in every epoch, and
//! the edge is due when the mark passes a whole number.

use super::fuzzy::FuzzyGraph;
use crate::random::{permutation, stream};

/// Rounds, at most: as many as there are bits to remember a row's.
const ROUNDS: usize = 128;
/// The weight of an edge that is due in every epoch.
pub(super) const WHOLE: f32 = 65_536.0;

/// An edge, with what says when it is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    /// Its two rows.
    pub(super) rows: [u32; 2],
    /// Its weight, of 65,536.
    pub(super) weight: u32,
    /// Where its mark begins.
    mark: u32,
}

impl Edge {
    /// Whether it is due.
    #[inline(always)]
    pub(super) fn is_due(&self, epoch: u32) -> bool {
        let mark = self.mark.wrapping_add(epoch.wrapping_mul(self.weight)) & 0xffff;
        mark + self.weight >= 0x1_0000
    }
}

/// The edges of a graph, each once, by rounds.
pub(super) struct Matchings {
    edges: Vec<Edge>,
    /// Where each round begins, and the last ends.
    starts: Vec<usize>,
}

impl Matchings {
    pub(super) fn of(graph: &FuzzyGraph, seed: u64) -> Self {
        let unit = WHOLE / graph.largest().max(f32::MIN_POSITIVE);
        let mut edges = Vec::with_capacity(graph.n_edges());
        for row in 0..graph.n_rows() {
            let (places, weights) = graph.row(row);
            let first = places.partition_point(|&place| place as usize <= row);
            for (&place, &weight) in places[first..].iter().zip(&weights[first..]) {
                let drawn = mix(seed ^ mix(((row as u64) << 32) | u64::from(place)));
                // Which end comes first is chance too.
                let rows = match drawn >> 63 {
                    0 => [row as u32, place],
                    _ => [place, row as u32],
                };
                edges.push(Edge {
                    rows,
                    weight: (weight * unit).round().clamp(0.0, WHOLE) as u32,
                    mark: (drawn & 0xffff) as u32,
                });
            }
        }
        Self::in_rounds(&edges, graph.n_rows(), seed)
    }

    fn in_rounds(edges: &[Edge], n_rows: usize, seed: u64) -> Self {
        let mut taken = vec![0u128; n_rows];
        let mut round_of = vec![0u8; edges.len()];
        let mut starts = vec![0; ROUNDS + 2];
        for place in permutation(&mut stream(seed, 1), edges.len()) {
            let [a, b] = edges[place].rows.map(|row| row as usize);
            let round = (taken[a] | taken[b]).trailing_ones();
            if (round as usize) < ROUNDS {
                taken[a] |= 1 << round;
                taken[b] |= 1 << round;
            }
            round_of[place] = round as u8;
            starts[round as usize + 1] += 1;
        }
        for round in 0..=ROUNDS {
            starts[round + 1] += starts[round];
        }
        let mut next = starts.clone();
        let mut sorted = edges.to_vec();
        for (edge, &round) in edges.iter().zip(&round_of) {
            sorted[next[round as usize]] = *edge;
            next[round as usize] += 1;
        }
        Self {
            edges: sorted,
            starts,
        }
    }

    /// The rounds that have edges, in order.
    pub(super) fn rounds(&self) -> impl Iterator<Item = &[Edge]> {
        let rounds = self.starts[..=ROUNDS].windows(2);
        rounds
            .map(|pair| &self.edges[pair[0]..pair[1]])
            .filter(|round| !round.is_empty())
    }

    /// The edges that are left for the end.
    pub(super) fn rest(&self) -> &[Edge] {
        &self.edges[self.starts[ROUNDS]..]
    }
}

/// A number that looks random, from any number: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
#[inline(always)]
pub(crate) fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring with chords of many weights, and row 0 tied to all.
    fn example() -> FuzzyGraph {
        let n = 301u32;
        let mut rows = vec![Vec::new(); n as usize];
        for i in 0..n {
            for j in 0..i {
                let apart = (i - j).min(n - i + j);
                if apart == 1 || apart == 7 || j == 0 {
                    let weight = 0.01 + 0.99 * ((i * 7 + j) % 50) as f32 / 49.0;
                    rows[i as usize].push((j, weight));
                    rows[j as usize].push((i, weight));
                }
            }
        }
        for row in &mut rows {
            row.sort_by_key(|entry| entry.0);
        }
        FuzzyGraph::from_rows(rows)
    }

    #[test]
    fn no_two_edges_of_a_round_share_a_row_and_none_is_lost() {
        let graph = example();
        let matchings = Matchings::of(&graph, 1);
        let mut count = 0;
        for round in matchings.rounds() {
            let mut seen = std::collections::HashSet::new();
            assert!(
                round
                    .iter()
                    .flat_map(|edge| edge.rows)
                    .all(|row| seen.insert(row))
            );
            count += round.len();
        }
        assert_eq!(count + matchings.rest().len(), graph.n_edges());
        assert_eq!(matchings.rest().len(), 300 - ROUNDS);
    }

    #[test]
    fn every_edge_is_due_as_often_as_its_weight_says() {
        let graph = example();
        let matchings = Matchings::of(&graph, 1);
        for edge in matchings.rounds().flatten() {
            let times = (0..1000).filter(|&epoch| edge.is_due(epoch)).count() as f64;
            let want = 1000.0 * f64::from(edge.weight) / f64::from(WHOLE);
            assert!((times - want).abs() <= 1.0, "{times} {want}");
        }
    }
}
