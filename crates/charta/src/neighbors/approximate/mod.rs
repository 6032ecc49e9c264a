//! Most of the true neighbours, several times faster than all distances.

mod calibration;
mod cells;
mod join;
mod points;
mod projection;
mod rerank;
#[cfg(test)]
mod tests;
mod truth;

use ndarray::ArrayView2;

use super::{Found, Search, scan};
use crate::data::{Data, Features, Neighbors, Source};
use crate::error::Result;
use crate::linalg::scores::distance::Measure;
use crate::parallel::map_blocks;
use crate::run::Run;
use calibration::Calibration;
use cells::Cells;
use join::Effort;
use points::Points;
use projection::{Frame, Projected, strided};
use truth::Truth;

/// Rows that set the effort, and as many others that judge the result.
const JUDGES: usize = 256;
/// What is aimed at above the wanted share, because judges are a sample.
const ABOVE: f64 = 0.005;
/// How far below the wanted share the judges may find the result: what chance explains.
const CHANCE: f64 = 0.004;
/// Times the effort is raised.
const ATTEMPTS: usize = 3;
/// Rows that one job serves.
const JOB: usize = 256;
/// Jobs between two reports of progress.
const WAVE: usize = 128;

/// The `count` nearest other rows of every row, most of them.
pub(super) fn nearest(
    run: &Run<'_>,
    data: &Data<'_>,
    search: &Search,
    count: usize,
) -> Result<Found> {
    data.check_finite()?;
    let found = match data.source() {
        Source::Features(Features::F32(x)) => dense(run, x.view(), search, count)?,
        Source::Features(Features::F64(x)) => dense(run, x.view(), search, count)?,
        _ => None,
    };
    match found {
        Some(found) => Ok(found),
        None => scan::nearest(run, data, search, count),
    }
}

/// Columns to which rows are projected first.
fn first_width(n_columns: usize) -> usize {
    if n_columns <= 160 { n_columns } else { 96 }
}

fn dense<T: Measure>(
    run: &Run<'_>,
    x: ArrayView2<'_, T>,
    search: &Search,
    count: usize,
) -> Result<Option<Found>> {
    let Some(points) = Points::new(run, x, search.metric)? else {
        return Ok(None);
    };
    run.stage("true neighbours of a sample")?;
    let frame = Frame::of(&points);
    let sample: Vec<u32> = strided(points.n_rows(), 2 * JUDGES)
        .into_iter()
        .map(|row| row as u32)
        .collect();
    let truth = Truth::of(run, &points, &frame, sample, count)?;
    let (setting, judging) = truth.split();
    let mut width = first_width(points.n_columns());
    loop {
        let attempt = Attempt {
            points: &points,
            frame: &frame,
            width,
            search,
            count,
        };
        if let Some(found) = attempt.run(run, &setting, &judging)? {
            return Ok(Some(found));
        }
        if width >= points.n_columns() {
            return Ok(None);
        }
        width *= 2;
        if 3 * width >= 2 * points.n_columns() {
            width = points.n_columns();
        }
    }
}

/// The search with one width of the projection.
struct Attempt<'a, 'x, T> {
    points: &'a Points<'x, T>,
    frame: &'a Frame,
    width: usize,
    search: &'a Search,
    count: usize,
}

impl<T: Measure> Attempt<'_, '_, T> {
    fn run(
        &self,
        run: &Run<'_>,
        setting: &Truth<T>,
        judging: &Truth<T>,
    ) -> Result<Option<Found>> {
        let n_rows = self.points.n_rows();
        run.stage("projection")?;
        let seed = self.search.seed;
        let Some(projected) = Projected::of(run, self.points, self.frame, self.width, seed)? else {
            return Ok(None);
        };
        run.stage("cells")?;
        let n_cells = (2.0 * (n_rows as f64).sqrt()) as usize;
        let cells = Cells::of(run, &projected, n_cells.max(1), seed)?;
        run.stage("calibration")?;
        let rows = projected.rows.view();
        let most = (16 * self.count).min(n_rows - 1);
        let calibration = Calibration::of(run, self.points, (&cells, &rows), setting, most)?;
        let mut target = self.search.recall + ABOVE;
        for _ in 0..ATTEMPTS {
            let Some(effort) = calibration.effort(target.min(1.0)) else {
                return Ok(None);
            };
            run.stage("candidates")?;
            let neighbors = self.join(run, (&cells, &rows), effort)?;
            let recall = self.recall(judging, &neighbors);
            if recall >= self.search.recall - CHANCE {
                return Ok(Some(Found {
                    neighbors,
                    algorithm: self.words(&cells, effort),
                    recall,
                }));
            }
            target += (self.search.recall - recall).max(ABOVE);
        }
        Ok(None)
    }

    fn words(&self, cells: &Cells, effort: Effort) -> String {
        format!(
            "projected cell join: {} columns, {} cells, margin {} of at most {} cells, {} candidates",
            self.width,
            cells.centres.count(),
            effort.margin,
            effort.n_cells.min(cells.centres.count()),
            effort.n_candidates
        )
    }

    fn join(
        &self,
        run: &Run<'_>,
        (cells, rows): (&Cells, &ArrayView2<'_, f32>),
        effort: Effort,
    ) -> Result<Neighbors> {
        let (n_rows, count) = (self.points.n_rows(), self.count);
        let jobs = cells.jobs(JOB);
        let mut places = vec![0; n_rows * count];
        let mut distances = vec![0.0; n_rows * count];
        for (wave, jobs_now) in jobs.chunks(WAVE).enumerate() {
            run.progress((wave * WAVE) as u64, jobs.len() as u64)?;
            let parts = map_blocks(run, jobs_now.len(), 1, |job| {
                let own = jobs_now[job.start];
                let lists = join::candidates(cells, rows, own, effort);
                rerank::nearest(self.points, own, &lists, count)
            })?;
            for (own, lists) in jobs_now.iter().zip(parts) {
                for (&row, list) in own.iter().zip(lists) {
                    let range = row as usize * count..;
                    for (at, (squared, other)) in range.zip(list) {
                        places[at] = other;
                        distances[at] = self.points.distance(squared);
                    }
                }
            }
        }
        let starts = (0..=n_rows).map(|row| row * count).collect();
        Ok(Neighbors::from_lists(n_rows, starts, places, distances))
    }

    /// The share of true neighbours that were found: rows as near as the farthest true one count.
    fn recall(&self, truth: &Truth<T>, neighbors: &Neighbors) -> f64 {
        let (mut good, mut all) = (0, 0);
        for (&row, list) in truth.rows.iter().zip(&truth.lists) {
            let Some(&(farthest, _)) = list.last() else {
                continue;
            };
            let farthest = self.points.distance(farthest);
            let (_, distances) = neighbors.row(row as usize);
            good += distances.iter().filter(|&&found| found <= farthest).count();
            all += list.len();
        }
        good as f64 / all.max(1) as f64
    }
}
