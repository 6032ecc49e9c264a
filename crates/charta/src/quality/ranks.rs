//! Ranks of rows around a row, by distance; equal distances rank by the rows' order.

/// The indices of the `count` smallest values, nearest first. Of equal values the earlier index is nearer.
pub(super) fn nearest(values: &[f64], count: usize) -> Vec<u32> {
    let mut kept: Vec<(f64, u32)> = Vec::with_capacity(count + 1);
    let mut worst = f64::INFINITY;
    for (index, &value) in values.iter().enumerate() {
        if value < worst || kept.len() < count {
            let at = kept.partition_point(|entry| entry.0 <= value);
            kept.insert(at, (value, index as u32));
            kept.truncate(count);
            if kept.len() == count {
                worst = kept[count - 1].0;
            }
        }
    }
    kept.into_iter().map(|entry| entry.1).collect()
}

/// The rank of an index among the values, from 1.
pub(super) fn rank(values: &[f64], index: usize) -> usize {
    let value = values[index];
    let nearer = values.iter().filter(|&&other| other < value).count();
    let equal = values[..index]
        .iter()
        .filter(|&&other| other == value)
        .count();
    1 + nearer + equal
}

/// The indices in the order of their values, and the rank of each index, from 1.
pub(super) struct Order {
    /// Indices, nearest first.
    pub(super) indices: Vec<u32>,
    /// Ranks by index.
    pub(super) ranks: Vec<u32>,
}

impl Order {
    pub(super) fn of(values: &[f64]) -> Self {
        let mut keys: Vec<(u64, u32)> = values
            .iter()
            .enumerate()
            .map(|(index, &value)| (key(value), index as u32))
            .collect();
        keys.sort_unstable();
        let mut ranks = vec![0; values.len()];
        for (before, entry) in keys.iter().enumerate() {
            ranks[entry.1 as usize] = before as u32 + 1;
        }
        Self {
            indices: keys.into_iter().map(|entry| entry.1).collect(),
            ranks,
        }
    }
}

/// A whole number that sorts as the value does.
fn key(value: f64) -> u64 {
    // Adding zero makes one of the two zeros.
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
}

/// How far the `count` rows nearest in `seen` are beyond the nearest in `truth`: the sum of their ranks there,
/// less `count`, over those that are not among them (Venna and Kaski 2001).
pub(super) fn intrusion(truth: &[f64], seen: &[f64], count: usize) -> u64 {
    let mut right = nearest(truth, count);
    right.sort_unstable();
    nearest(seen, count)
        .into_iter()
        .filter(|index| right.binary_search(index).is_err())
        .map(|index| (rank(truth, index as usize) - count) as u64)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_distances_rank_by_place() {
        let values = [2.0, f64::INFINITY, 1.0, 2.0, 0.5, 2.0];
        assert_eq!(nearest(&values, 4), [4, 2, 0, 3]);
        let ranks: Vec<usize> = (0..6).map(|index| rank(&values, index)).collect();
        assert_eq!(ranks, [3, 6, 2, 4, 1, 5]);
        let order = Order::of(&values);
        assert_eq!(order.indices, [4, 2, 0, 3, 5, 1]);
        assert_eq!(order.ranks, [3, 6, 2, 4, 1, 5]);
        assert_eq!(Order::of(&[0.0, -1.0, -0.0, -2.0]).indices, [3, 1, 0, 2]);
    }

    #[test]
    fn intrusions_count_by_how_far_they_come() {
        let truth = [1.0, 2.0, 3.0, 4.0, 5.0];
        let seen = [9.0, 1.0, 8.0, 7.0, 2.0];
        // Of the two seen nearest, the second is right and the fifth is at rank 5.
        assert_eq!(intrusion(&truth, &seen, 2), 3);
        assert_eq!(intrusion(&truth, &truth, 3), 0);
    }
}
