//! Near, mid-near and further pairs.
//!
//! Wang, Huang, Rudin and Shaposhnik, "Understanding how dimension reduction tools work", 2021.

use crate::data::Neighbors;
use crate::error::Result;
use crate::graph::Sets;
use crate::parallel::map_blocks;
use crate::random::{Stream, below, stream};
use crate::run::Run;

/// Rows that one job draws pairs for.
const BLOCK: usize = 256;
/// Rows among which a mid-near one is the second nearest.
pub(crate) const CANDIDATES: usize = 6;
/// The neighbours whose mean distance is a row's scale: the fourth to the sixth.
const SCALE: std::ops::Range<usize> = 3..6;
/// Scales are at least this fraction of the largest.
const LEAST_SCALE: f64 = 1e-10;
/// What the seed is moved by for mid-near and for further pairs, so that their streams are no others.
const MID_NEAR: u64 = 0x6d69_645f_6e65_6172;
const FURTHER: u64 = 0x0066_7572_7468_6572;

/// How many pairs of each kind a row chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    /// To rows near it.
    pub near: usize,
    /// To rows that are nearer than most.
    pub mid_near: usize,
    /// To any others.
    pub further: usize,
}

impl Counts {
    /// The pairs of each of `n_rows` rows, where `near` and the others' ratios to it are requested; fewer where all kinds together
    /// would take more rows than there are.
    pub(crate) fn of(n_rows: usize, near: usize, mid_near: f64, further: f64) -> Self {
        let others = n_rows.saturating_sub(1);
        let kept = near.min(others);
        let times = |count: f64, ratio: f64| (count * ratio).round_ties_even() as usize;
        let counts = Self {
            near: kept,
            mid_near: times(near as f64, mid_near).min(others),
            further: times(near as f64, further).min(others - kept),
        };
        let sum = counts.near + counts.mid_near + counts.further;
        if sum < n_rows {
            return counts;
        }
        let share = n_rows as f64 / (1.0 + mid_near + further);
        let kept = (share as usize).clamp(1, kept.max(1));
        Self {
            near: kept.min(others),
            mid_near: ((share * mid_near) as usize).min(others),
            further: ((share * further).max(1.0) as usize)
                .min(others.saturating_sub(kept))
                .min(counts.further),
        }
    }
}

/// Rows that rows are paired with: those of row i from `starts[i]` to `starts[i + 1]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    starts: Vec<usize>,
    neighbors: Vec<u32>,
}

impl Pairs {
    /// Lists one after the other.
    pub fn from_lists(lists: impl IntoIterator<Item = Vec<u32>>) -> Self {
        let mut pairs = Self {
            starts: vec![0],
            neighbors: Vec::new(),
        };
        for list in lists {
            pairs.neighbors.extend_from_slice(&list);
            pairs.starts.push(pairs.neighbors.len());
        }
        pairs
    }

    /// Rows that begin pairs.
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Pairs in all.
    pub fn len(&self) -> usize {
        self.neighbors.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.neighbors.is_empty()
    }

    /// The rows that a row is paired with.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.neighbors[self.starts[row]..self.starts[row + 1]]
    }

    /// The number of connected components of the graph of these pairs.
    pub fn n_parts(&self) -> usize {
        let mut sets = Sets::new(self.n_rows());
        let mut parts = self.n_rows();
        for row in 0..self.n_rows() {
            for &neighbor in self.row(row) {
                parts -= usize::from(sets.unite(row as u32, neighbor));
            }
        }
        parts
    }

    fn of_blocks(blocks: Vec<Vec<Vec<u32>>>) -> Self {
        Self::from_lists(blocks.into_iter().flatten())
    }
}

/// The `count` neighbours of every row that are nearest by d² / (σᵢ σⱼ), in that order; σ is the mean distance to the fourth
/// to sixth neighbour, so that rows in dense regions reach no farther than those in sparse ones.
pub fn near(run: &Run<'_>, neighbors: &Neighbors, count: usize) -> Result<Pairs> {
    let mut scales: Vec<f64> = (0..neighbors.n_rows())
        .map(|row| scale_of(neighbors.row(row).1))
        .collect();
    let largest = scales.iter().copied().fold(0.0, f64::max);
    let least = (largest * LEAST_SCALE).max(f64::MIN_POSITIVE);
    for scale in &mut scales {
        *scale = scale.max(least);
    }
    let blocks = map_blocks(run, neighbors.n_rows(), BLOCK, |rows| {
        rows.map(|row| {
            let (neighbors, distances) = neighbors.row(row);
            let mut scaled: Vec<(f64, u32)> = (neighbors.iter().zip(distances))
                .map(|(&neighbor, &d)| {
                    (d / scales[row] * (d / scales[neighbor as usize]), neighbor)
                })
                .collect();
            // Stable: where the scaled distances are equal, the nearer row stays first.
            scaled.sort_by(|a, b| a.0.total_cmp(&b.0));
            scaled.truncate(count);
            scaled.into_iter().map(|pair| pair.1).collect()
        })
        .collect()
    })?;
    Ok(Pairs::of_blocks(blocks))
}

/// The mean distance to the fourth to sixth neighbour, or to the last where there are fewer.
fn scale_of(distances: &[f64]) -> f64 {
    let end = SCALE.end.min(distances.len());
    let start = SCALE.start.min(end.saturating_sub(1));
    let some = &distances[start..end];
    let share = some.len().max(1) as f64;
    some.iter().map(|distance| distance / share).sum()
}

/// For every row `count` others, each the second nearest of six drawn evenly. `measure` writes the distances of a row to some
/// others.
pub(crate) fn mid_near(
    run: &Run<'_>,
    n_rows: usize,
    count: usize,
    seed: u64,
    measure: impl Fn(usize, &[u32], &mut Vec<f64>) -> Result<()> + Sync,
) -> Result<Pairs> {
    let blocks = map_blocks(run, n_rows, BLOCK, |rows| {
        let mut distances = Vec::new();
        rows.map(|row| {
            let mut draw = stream(seed ^ MID_NEAR, row as u64);
            let mut picked: Vec<u32> = Vec::with_capacity(count + 1);
            // A row has no pair with itself; it leaves the list at the end.
            picked.push(row as u32);
            for _ in 0..count {
                let drawn = others(&mut draw, n_rows, CANDIDATES, &picked);
                measure(row, &drawn, &mut distances)?;
                let mut order: Vec<usize> = (0..drawn.len()).collect();
                order.sort_by(|&a, &b| distances[a].total_cmp(&distances[b]));
                if let Some(&second) = order.get(1).or(order.first()) {
                    picked.push(drawn[second]);
                }
            }
            picked.remove(0);
            Ok(picked)
        })
        .collect::<Result<Vec<_>>>()
    })?;
    Ok(Pairs::of_blocks(
        blocks.into_iter().collect::<Result<Vec<_>>>()?,
    ))
}

/// For every row `count` others, drawn evenly from those that it has no near pair with.
pub(crate) fn further(run: &Run<'_>, near: &Pairs, count: usize, seed: u64) -> Result<Pairs> {
    let n_rows = near.n_rows();
    let blocks = map_blocks(run, n_rows, BLOCK, |rows| {
        rows.map(|row| {
            let mut draw = stream(seed ^ FURTHER, row as u64);
            let mut taken = near.row(row).to_vec();
            taken.push(row as u32);
            others(&mut draw, n_rows, count, &taken)
        })
        .collect()
    })?;
    Ok(Pairs::of_blocks(blocks))
}

/// `count` different rows out of `n_rows` that are not among those taken; fewer if there are not enough.
fn others(draw: &mut Stream, n_rows: usize, count: usize, taken: &[u32]) -> Vec<u32> {
    let mut drawn = Vec::with_capacity(count);
    if n_rows > 2 * (taken.len() + count) {
        while drawn.len() < count {
            let row = below(draw, n_rows) as u32;
            if !taken.contains(&row) && !drawn.contains(&row) {
                drawn.push(row);
            }
        }
        return drawn;
    }
    let mut left: Vec<u32> = (0..n_rows as u32)
        .filter(|row| !taken.contains(row))
        .collect();
    while drawn.len() < count && !left.is_empty() {
        drawn.push(left.swap_remove(below(draw, left.len())));
    }
    drawn
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn counts_follow_the_ratios_and_shrink_with_the_rows() {
        let of = |n_rows| {
            let counts = Counts::of(n_rows, 10, 0.5, 2.0);
            (counts.near, counts.mid_near, counts.further)
        };
        assert_eq!(of(1000), (10, 5, 20));
        assert_eq!(of(36), (10, 5, 20));
        // 10 + 5 + 20 rows and the row itself are more than 35: 35 / 3.5 each.
        assert_eq!(of(35), (10, 5, 20));
        assert_eq!(of(20), (5, 2, 11 - 2));
        for n_rows in 2..40 {
            let (near, mid_near, further) = of(n_rows);
            assert!(near >= 1 && near + further < n_rows, "{n_rows}");
            assert!(mid_near < n_rows);
        }
    }

    #[test]
    fn scaled_distances_reorder_neighbours() {
        // Row 0 is as far from 1 as from 2, but 2 lies in a sparse region, where distances count less.
        let neighbors = array![[1, 2, 3], [0, 3, 2], [0, 1, 3], [1, 0, 2]];
        let distances = array![
            [1.0, 1.0, 4.0],
            [1.0, 1.0, 1.0],
            [1.0, 9.0, 9.0],
            [1.0, 4.0, 9.0]
        ];
        let table = Neighbors::from_table(&neighbors.view(), &distances.view()).unwrap();
        let pairs = near(&Run::new(), &table, 2).unwrap();
        assert_eq!(pairs.row(0), [2, 1]);
    }

    #[test]
    fn rows_at_distance_zero_have_near_pairs() {
        let neighbors = array![[1, 2], [0, 2], [0, 1]];
        let table =
            Neighbors::from_table(&neighbors.view(), &ndarray::Array2::zeros((3, 2)).view())
                .unwrap();
        let pairs = near(&Run::new(), &table, 1).unwrap();
        assert_eq!(
            (pairs.row(0), pairs.row(2)),
            ([1].as_slice(), [0].as_slice())
        );
        assert_eq!(pairs.n_parts(), 1);
    }

    #[test]
    fn the_second_nearest_of_all_is_mid_near_where_all_are_drawn() {
        let measure = |row: usize, others: &[u32], target: &mut Vec<f64>| {
            target.clear();
            target.extend(
                others
                    .iter()
                    .map(|&other| (other as f64 - row as f64).abs()),
            );
            Ok(())
        };
        let pairs = mid_near(&Run::new(), 7, 2, 3, measure).unwrap();
        // From row 0 all six others are drawn: 2 is second, and of those without it 3 is.
        assert_eq!(pairs.row(0), [2, 3]);
        let alone = mid_near(&Run::new(), 2, 1, 3, measure).unwrap();
        assert_eq!(
            (alone.row(0), alone.row(1)),
            ([1].as_slice(), [0].as_slice())
        );
    }

    #[test]
    fn further_pairs_are_others_each_once() {
        for n_rows in [5, 9, 300] {
            let next = |row: usize, step: usize| ((row + step) % n_rows) as u32;
            let near = Pairs::from_lists((0..n_rows).map(|row| vec![next(row, 1), next(row, 2)]));
            let pairs = further(&Run::new(), &near, 6, 0).unwrap();
            for row in 0..n_rows {
                let mut found = pairs.row(row).to_vec();
                assert_eq!(found.len(), 6.min(n_rows - 3));
                assert!(!found.contains(&(row as u32)));
                assert!(found.iter().all(|other| !near.row(row).contains(other)));
                found.sort_unstable();
                found.dedup();
                assert_eq!(found.len(), 6.min(n_rows - 3));
            }
        }
    }
}
