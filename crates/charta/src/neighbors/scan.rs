//! All distances in blocks, for any metric.

use std::ops::Range;

use super::lists::{Collector, Lists, Wanted};
use super::task::Task;
use crate::data::features::for_features;
use crate::data::{Features, Neighbors};
use crate::error::Result;
use crate::linalg::Real;
use crate::metric::{
    Cubes, Dense, Differing, Form, Largest, Measure, Metric, Op, Overlap, Pairs, Products, Scale,
    Sizes, Squares, Table, Tangents, largest, minkowski,
};
use crate::parallel::{blocks, map_blocks};
use crate::run::Run;

/// Known rows compared at once.
const KNOWN: usize = 64;
/// Most rows whose neighbours one job finds.
const ROWS: usize = 64;
/// Jobs between two reports of progress.
const JOBS: usize = 32;

/// Compares all rows.
pub(super) fn find(run: &Run<'_>, task: &Task<'_>) -> Result<Neighbors> {
    match (task.rows(), task.known.reborrow()) {
        (Features::F32(rows), Features::F32(known)) => {
            dense(run, task, Table::Dense(rows), Table::Dense(known))
        }
        (Features::F64(rows), Features::F64(known)) => {
            dense(run, task, Table::Dense(rows), Table::Dense(known))
        }
        (Features::SparseF32(rows), Features::SparseF32(known)) => {
            dense(run, task, Table::Sparse(rows), Table::Sparse(known))
        }
        (Features::SparseF64(rows), Features::SparseF64(known)) => {
            dense(run, task, Table::Sparse(rows), Table::Sparse(known))
        }
        _ => Err(task.of_two_kinds()),
    }
}

fn dense<'a, T: Real>(
    run: &'a Run<'a>,
    task: &'a Task<'_>,
    rows: Table<'a, T>,
    known: Table<'a, T>,
) -> Result<Neighbors> {
    let scan = Scan {
        run,
        task,
        rows,
        known,
    };
    match task.metric {
        Metric::Euclidean | Metric::Mahalanobis => scan.sums(Squares),
        Metric::Cosine => scan.units(Form::Unit),
        Metric::Correlation => scan.units(Form::Centred),
        Metric::Manhattan => scan.sums(Sizes),
        Metric::Chebyshev => scan.sums(Largest),
        Metric::Hamming => scan.sums(Differing),
        Metric::Jaccard => scan.sums(Overlap),
        Metric::InnerProduct => scan.sums(Products),
        Metric::Minkowski if task.power == 3.0 => scan.sums(Cubes),
        Metric::Minkowski => by_function(run, task, |a, b| Ok(minkowski(a, b, task.power))),
        Metric::Tangent => {
            let known = task.known.reborrow();
            compare(
                run,
                task,
                &Tangents::new(task.rows(), known, task.image_width)?,
            )
        }
    }
}

struct Scan<'a, 'b, T> {
    run: &'a Run<'a>,
    task: &'a Task<'b>,
    rows: Table<'a, T>,
    known: Table<'a, T>,
}

impl<T: Real> Scan<'_, '_, T> {
    fn sums<O: Op>(self, op: O) -> Result<Neighbors> {
        let most = largest(&self.task.rows()).max(largest(&self.task.known));
        self.measured(Form::Plain(Scale::of::<T>(most, O::POWER)), op)
    }

    fn units(self, form: Form) -> Result<Neighbors> {
        self.measured(form, Squares)
    }

    fn measured<O: Op>(self, form: Form, op: O) -> Result<Neighbors> {
        let measure = Dense {
            rows: self.rows,
            known: self.known,
            metric: self.task.metric,
            form,
            op,
        };
        compare(self.run, self.task, &measure)
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
    for places in blocks(task.known.n_rows(), KNOWN) {
        run.check()?;
        numbers.resize(rows.len() * places.len(), 0.0);
        measure.fill(&queries, &measure.known(places.clone()), &mut numbers)?;
        let lines = numbers.chunks_exact_mut(places.len());
        for ((row, collector), line) in rows.clone().zip(&mut collectors).zip(lines) {
            if task.is_itself() && places.contains(&row) {
                line[row - places.start] = f64::NAN;
            }
            for (&number, place) in line.iter().zip(places.start as u32..) {
                collector.offer(number, place);
            }
        }
    }
    let mut lists = Lists::new(task.wanted);
    for mut collector in collectors {
        lists.push(collector.finish(|number| measure.distance(number))?);
    }
    Ok(lists)
}

/// Finds neighbours by a matrix of distances: a row for each row looked up, a column for each known one.
pub(super) fn in_matrix(
    run: &Run<'_>,
    (n_rows, n_known): (usize, usize),
    (wanted, itself): (Wanted, bool),
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
