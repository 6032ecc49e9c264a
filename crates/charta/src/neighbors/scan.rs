//! All distances in blocks, for any metric.

use std::ops::Range;

use super::{Found, Search};
use crate::data::{Data, Neighbors, Source};
use crate::error::Result;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows whose neighbours one job finds.
const BLOCK: usize = 64;

pub(super) fn nearest(
    run: &Run<'_>,
    data: &Data<'_>,
    search: &Search,
    count: usize,
) -> Result<Found> {
    scan(run, data, search, |list| {
        let count = count.min(list.len());
        if count > 0 && count < list.len() {
            list.select_nth_unstable_by(count - 1, order);
            list.truncate(count);
        }
    })
}

pub(super) fn within(
    run: &Run<'_>,
    data: &Data<'_>,
    search: &Search,
    radius: f64,
) -> Result<Found> {
    scan(run, data, search, |list| {
        list.retain(|entry| entry.0 <= radius);
    })
}

fn order(a: &(f64, u32), b: &(f64, u32)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

fn scan(
    run: &Run<'_>,
    data: &Data<'_>,
    search: &Search,
    keep: impl Fn(&mut Vec<(f64, u32)>) + Sync,
) -> Result<Found> {
    data.check_finite()?;
    let n_rows = data.n_rows();
    let parts = map_blocks(run, n_rows, BLOCK, |rows: Range<usize>| {
        let mut lists = Vec::with_capacity(rows.len());
        for row in rows {
            let mut list = distances_from(data, search, row);
            keep(&mut list);
            list.sort_unstable_by(order);
            lists.push(list);
        }
        lists
    })?;
    let (mut starts, mut places, mut distances) = (vec![0], Vec::new(), Vec::new());
    for list in parts.into_iter().flatten() {
        places.extend(list.iter().map(|entry| entry.1));
        distances.extend(list.iter().map(|entry| entry.0));
        starts.push(places.len());
    }
    Ok(Found {
        neighbors: Neighbors::from_lists(n_rows, starts, places, distances),
        algorithm: "all distances".into(),
        recall: 1.0,
    })
}

fn distances_from(data: &Data<'_>, search: &Search, row: usize) -> Vec<(f64, u32)> {
    let n_rows = data.n_rows();
    let others = (0..n_rows).filter(|&other| other != row);
    match data.source() {
        Source::Distances(matrix) | Source::Kernel(matrix) => others
            .map(|other| (matrix[[row, other]], other as u32))
            .collect(),
        Source::Features(features) => {
            let mut own = vec![0.0; features.n_columns()];
            let mut its = own.clone();
            features.copy_row(row, &mut own);
            others
                .map(|other| {
                    features.copy_row(other, &mut its);
                    (
                        search.metric.between(&own, &its, search.power),
                        other as u32,
                    )
                })
                .collect()
        }
    }
}
