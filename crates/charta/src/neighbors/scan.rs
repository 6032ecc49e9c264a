//! Brute force: all distances in blocks, for any metric.

use std::ops::Range;

use super::lists::{Collector, Lists, NeighborQuery};
use super::task::Task;
use crate::data::features::for_features;
use crate::data::{Features, Neighbors};
use crate::error::Result;
use crate::linalg::Real;
use crate::metric::{Comparison, Measure, Pairs, Visit, measured};
use crate::parallel::{blocks, map_blocks};
use crate::run::Run;

/// Reference rows compared at once.
const KNOWN: usize = 64;
/// Most rows whose neighbours one job finds.
const ROWS: usize = 64;
/// Jobs between two reports of progress.
const JOBS: usize = 32;

/// Compares all rows.
pub(super) fn find(run: &Run<'_>, task: &Task<'_>) -> Result<Neighbors> {
    let comparison = Comparison {
        metric: task.metric,
        power: task.power,
        image_width: task.image_width,
    };
    let nearest = Nearest { run, task };
    measured(&task.rows(), &task.known, &comparison, nearest)
}

struct Nearest<'a, 'b> {
    run: &'a Run<'a>,
    task: &'a Task<'b>,
}

impl Visit for Nearest<'_, '_> {
    type Output = Neighbors;

    fn visit<M: Measure>(self, measure: &M) -> Result<Neighbors> {
        compare(self.run, self.task, measure)
    }
}

/// Compares all rows by a function that takes them in double precision.
pub(super) fn by_function(
    run: &Run<'_>,
    task: &Task<'_>,
    between: impl Fn(&[f64], &[f64]) -> Result<f64> + Sync,
) -> Result<Neighbors> {
    let measure = Pairs {
        rows: task.rows(),
        known: task.known.reborrow(),
        between,
    };
    compare(run, task, &measure)
}

/// How many rows have no direction: all zero, or constant if `centred`.
pub(super) fn count_flat(run: &Run<'_>, features: &Features<'_>, centred: bool) -> Result<usize> {
    let parts = map_blocks(run, features.n_rows(), ROWS, |rows| {
        rows.filter(|&row| {
            for_features!(features, dense x => {
                let first = if centred { x[[row, 0]].wide() } else { 0.0 };
                x.row(row).iter().all(|value| value.wide() == first)
            }, sparse stored => {
                let none = stored.row_parts(row).1.iter().all(|value| value.wide() == 0.0);
                let full = stored.row_parts(row).0.len() >= features.n_columns();
                none || (centred && full && {
                    let own = features.dense_rows(row, row + 1);
                    own.iter().all(|value| *value == own[[0, 0]])
                })
            })
        })
        .count()
    })?;
    Ok(parts.into_iter().sum())
}

/// Finds neighbours block by block.
fn compare<M: Measure>(run: &Run<'_>, task: &Task<'_>, measure: &M) -> Result<Neighbors> {
    let (n_rows, n_known) = (task.n_rows(), task.known.n_rows());
    // Few rows are spread over the threads too.
    let size = (n_rows / 32).clamp(4, ROWS);
    let mut parts: Vec<Lists> = Vec::new();
    for group in blocks(n_rows, size * JOBS) {
        let found = map_blocks(run, group.len(), size, |rows| {
            let rows = group.start + rows.start..group.start + rows.end;
            neighbors_of(run, task, measure, rows)
        })?;
        parts.extend(found.into_iter().collect::<Result<Vec<_>>>()?);
        run.progress(group.end as u64, n_rows as u64)?;
    }
    Ok(Lists::join(n_known, parts))
}

fn neighbors_of<M: Measure>(
    run: &Run<'_>,
    task: &Task<'_>,
    measure: &M,
    rows: Range<usize>,
) -> Result<Lists> {
    let empty = Collector::new(task.wanted, |radius| measure.bound(radius));
    let mut collectors = vec![empty; rows.len()];
    let queries = measure.queries(rows.clone());
    let mut numbers = Vec::new();
    for indices in blocks(task.known.n_rows(), KNOWN) {
        run.check()?;
        numbers.resize(rows.len() * indices.len(), 0.0);
        measure.fill(&queries, &measure.known(indices.clone()), &mut numbers)?;
        let lines = numbers.chunks_exact_mut(indices.len());
        for ((row, collector), line) in rows.clone().zip(&mut collectors).zip(lines) {
            if task.is_itself() && indices.contains(&row) {
                line[row - indices.start] = f64::NAN;
            }
            for (&number, index) in line.iter().zip(indices.start as u32..) {
                collector.offer(number, index);
            }
        }
    }
    let mut lists = Lists::new(task.wanted);
    for mut collector in collectors {
        lists.push(collector.finish(|number| measure.distance(number))?);
    }
    Ok(lists)
}

/// Finds neighbours by a matrix of distances: a row for each row looked up, a column for each reference row.
pub(super) fn in_matrix(
    run: &Run<'_>,
    n_rows: usize,
    n_known: usize,
    wanted: NeighborQuery,
    itself: bool,
    distance: impl Fn(usize, usize) -> f64 + Sync,
) -> Result<Neighbors> {
    let parts = map_blocks(run, n_rows, ROWS, |rows| {
        let mut lists = Lists::new(wanted);
        for row in rows {
            let mut collector = Collector::new(wanted, |radius| radius);
            for known in (0..n_known).filter(|known| !itself || *known != row) {
                collector.offer(distance(row, known), known as u32);
            }
            lists.push(collector.finish(|number| number)?);
        }
        Ok(lists)
    })?;
    let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(Lists::join(n_known, parts))
}
