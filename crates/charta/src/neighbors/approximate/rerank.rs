//! The nearest among the candidates, by exact distances.

use super::join::{Lists, row_of};
use super::points::Points;
use crate::linalg::inner_product_join::distance::Measure;

/// Bytes of rows that stay in the cache while candidates pass.
const CACHE: usize = 512 << 10;

/// Candidates that are prefetched.
const AHEAD: usize = 8;

/// The `count` nearest candidates of each row and their squared distances, nearest first.
pub(super) fn nearest<T: Measure>(
    points: &Points<'_, T>,
    rows: &[u32],
    candidates: &Lists,
    count: usize,
) -> Vec<Vec<(T, u32)>> {
    let width = points.n_columns();
    let at_once = (CACHE / (width * size_of::<T>()).max(1)).clamp(16, 256);
    let mut lists = Vec::with_capacity(rows.len());
    for (rows, candidates) in rows.chunks(at_once).zip(candidates.chunks(at_once)) {
        lists.extend(part(points, rows, candidates, count));
    }
    lists
}

/// Candidates in order, so that each is read once for all rows that have it.
fn part<T: Measure>(
    points: &Points<'_, T>,
    rows: &[u32],
    candidates: &[Vec<u64>],
    count: usize,
) -> Vec<Vec<(T, u32)>> {
    let width = points.n_columns();
    let mut own = vec![T::of(0.0); rows.len() * width];
    for (target, &row) in own.chunks_mut(width).zip(rows) {
        points.write(row as usize, target);
    }
    let mut pairs: Vec<u64> = Vec::with_capacity(candidates.iter().map(Vec::len).sum());
    for (local, list) in candidates.iter().enumerate() {
        pairs.extend(
            list.iter()
                .map(|&key| u64::from(row_of(key)) << 32 | local as u64),
        );
    }
    pairs.sort_unstable();
    let mut lists: Vec<Vec<(T, u32)>> = (candidates.iter())
        .map(|list| Vec::with_capacity(list.len()))
        .collect();
    let mut space = vec![T::of(0.0); width];
    let mut passed = 0;
    for group in pairs.chunk_by(|a, b| a >> 32 == b >> 32) {
        let candidate = (group[0] >> 32) as u32;
        let last = passed + AHEAD + group.len();
        for &pair in pairs.get(passed + AHEAD..last).unwrap_or(&[]) {
            points.prefetch((pair >> 32) as usize);
        }
        passed += group.len();
        let values = points.read(candidate as usize, &mut space);
        for &pair in group {
            let local = pair as u32 as usize;
            let squared = T::squared_distance(&own[local * width..][..width], values);
            let squared = points.squared(rows[local], candidate, squared);
            lists[local].push((squared, candidate));
        }
    }
    for list in &mut lists {
        keep(list, count);
    }
    lists
}

/// Keeps the `count` nearest, in order.
fn keep<T: Measure>(list: &mut Vec<(T, u32)>, count: usize) {
    let order = |a: &(T, u32), b: &(T, u32)| a.0.wide().total_cmp(&b.0.wide()).then(a.1.cmp(&b.1));
    if list.len() > count {
        list.select_nth_unstable_by(count - 1, order);
        list.truncate(count);
    }
    list.sort_unstable_by(order);
}
