//! Lists of neighbours while they are found, and the table they become.

use crate::data::Neighbors;
use crate::error::{Error, Result};

/// Which rows are requested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NeighborQuery {
    /// This many of the nearest.
    Nearest(usize),
    /// All within a distance.
    Within(f64),
    /// Of those closer than each of two distances, the smaller first, their number alone, in a distance's place.
    Closer([f64; 2]),
}

impl NeighborQuery {
    /// The distance up to which rows are looked at.
    pub(super) fn radius(self) -> Option<f64> {
        match self {
            Self::Nearest(_) => None,
            Self::Within(radius) | Self::Closer([_, radius]) => Some(radius),
        }
    }
}

/// Order by distance, then index.
pub(super) fn order(a: &(f64, u32), b: &(f64, u32)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// The nearest rows seen so far, by numbers that rise with the distance.
#[derive(Clone, Debug)]
pub(super) struct Collector {
    wanted: NeighborQuery,
    /// No number above this can be requested.
    limit: f64,
    entries: Vec<(f64, u32)>,
}

impl Collector {
    /// Nothing seen yet; `bound` is what [`Measure::bound`](crate::metric::Measure::bound) says of the radius.
    pub(super) fn new(wanted: NeighborQuery, bound: impl Fn(f64) -> f64) -> Self {
        let limit = wanted.radius().map_or(f64::INFINITY, bound);
        Self {
            wanted,
            limit,
            entries: Vec::new(),
        }
    }

    /// Looks at a row. NaN is never taken.
    #[inline(always)]
    pub(super) fn offer(&mut self, number: f64, index: u32) {
        if number <= self.limit {
            self.keep(number, index);
        }
    }

    fn keep(&mut self, number: f64, index: u32) {
        self.entries.push((number, index));
        if let NeighborQuery::Nearest(count) = self.wanted
            && self.entries.len() >= 2 * count + 32
        {
            self.shrink(count);
        }
    }

    fn shrink(&mut self, count: usize) {
        if count > 0 && count < self.entries.len() {
            self.entries.select_nth_unstable_by(count - 1, order);
            self.entries.truncate(count);
            self.limit = self.entries[count - 1].0;
        }
    }

    /// The rows requested, nearest first, with their distances; nothing is kept.
    pub(super) fn finish(&mut self, distance: impl Fn(f64) -> f64) -> Result<&[(f64, u32)]> {
        if let NeighborQuery::Nearest(count) = self.wanted {
            self.shrink(count);
        }
        for entry in &mut self.entries {
            entry.0 = distance(entry.0);
        }
        if let Some(radius) = self.wanted.radius() {
            self.entries.retain(|entry| entry.0 <= radius);
        }
        if self.entries.iter().any(|entry| !entry.0.is_finite()) {
            return Err(Error::too_large());
        }
        self.entries.sort_unstable_by(order);
        Ok(&self.entries)
    }
}

/// The neighbours of some rows, one row after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    lengths: Vec<u32>,
    indices: Vec<u32>,
    distances: Vec<f64>,
    counted: Option<[f64; 2]>,
}

impl Lists {
    /// No rows yet, of lists of what is requested.
    pub(super) fn new(wanted: NeighborQuery) -> Self {
        let counted = match wanted {
            NeighborQuery::Closer(radii) => Some(radii),
            _ => None,
        };
        Self {
            counted,
            ..Self::default()
        }
    }

    /// Adds the next row.
    pub(super) fn push(&mut self, list: &[(f64, u32)]) {
        if let Some(radii) = self.counted {
            let counts = radii.map(|radius| list.iter().filter(|entry| entry.0 < radius).count());
            self.lengths.push(2);
            self.indices.extend([0, 1]);
            self.distances.extend(counts.map(|count| count as f64));
            return;
        }
        self.lengths.push(list.len() as u32);
        self.indices.extend(list.iter().map(|entry| entry.1));
        self.distances.extend(list.iter().map(|entry| entry.0));
    }

    /// All parts as one table.
    pub(super) fn join(n_known: usize, parts: Vec<Self>) -> Neighbors {
        let total = parts.iter().map(|part| part.indices.len()).sum();
        let mut indices = Vec::with_capacity(total);
        let mut distances = Vec::with_capacity(total);
        let mut starts = vec![0];
        for part in parts {
            let mut end = indices.len();
            for length in part.lengths {
                end += length as usize;
                starts.push(end);
            }
            indices.extend(part.indices);
            distances.extend(part.distances);
        }
        Neighbors::from_lists(n_known, starts, indices, distances)
    }

    /// The same with the rows in another order: the next row of the parts is row `order[…]` of the table.
    pub(super) fn join_in_order(n_known: usize, parts: &[Self], order: &[u32]) -> Neighbors {
        let mut starts = vec![0; order.len() + 1];
        let lengths = parts.iter().flat_map(|part| &part.lengths);
        for (&row, &length) in order.iter().zip(lengths) {
            starts[row as usize + 1] = length as usize;
        }
        for row in 0..order.len() {
            starts[row + 1] += starts[row];
        }
        let total = starts[order.len()];
        let (mut indices, mut distances) = (vec![0; total], vec![0.0; total]);
        let mut rows = order.iter();
        for part in parts {
            let mut taken = 0;
            for (&length, &row) in part.lengths.iter().zip(&mut rows) {
                let (start, end) = (starts[row as usize], taken + length as usize);
                let target = start..start + length as usize;
                indices[target.clone()].copy_from_slice(&part.indices[taken..end]);
                distances[target].copy_from_slice(&part.distances[taken..end]);
                taken = end;
            }
        }
        Neighbors::from_lists(n_known, starts, indices, distances)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_stay_and_ties_go_to_the_earlier_place() {
        let mut collector = Collector::new(NeighborQuery::Nearest(3), |radius| radius);
        for index in (0..200).rev() {
            collector.offer(f64::from(index / 4), index);
        }
        collector.offer(f64::NAN, 500);
        let list = collector.finish(f64::sqrt).unwrap();
        assert_eq!(list, [(0.0, 0), (0.0, 1), (0.0, 2)]);
        let mut collector = Collector::new(NeighborQuery::Within(2.0), |radius| radius * radius);
        [9.0, 4.0, 1.0]
            .iter()
            .zip(0..)
            .for_each(|(&n, index)| collector.offer(n, index));
        assert_eq!(collector.finish(f64::sqrt).unwrap(), [(1.0, 2), (2.0, 1)]);
        let mut collector = Collector::new(NeighborQuery::Nearest(1), |radius| radius);
        collector.offer(f64::INFINITY, 0);
        assert!(collector.finish(f64::sqrt).is_err());
    }

    #[test]
    fn rows_found_in_another_order_come_back_to_their_places() {
        let mut first = Lists::default();
        first.push(&[(1.0, 7)]);
        first.push(&[]);
        let mut second = Lists::default();
        second.push(&[(2.0, 5), (3.0, 6)]);
        let table = Lists::join_in_order(9, &[first.clone(), second.clone()], &[2, 0, 1]);
        assert_eq!(table.row(0).0, [] as [u32; 0]);
        assert_eq!(table.row(1), ([5, 6].as_slice(), [2.0, 3.0].as_slice()));
        assert_eq!(table.row(2).0, [7]);
        assert_eq!(Lists::join(9, vec![first, second]).row(2).0, [5, 6]);
    }
}
