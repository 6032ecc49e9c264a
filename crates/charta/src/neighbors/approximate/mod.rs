//! Approximate nearest neighbours: a projected cell join that sets its own
//! effort and measures what it found.
//!
//! # Steps
//! 1. *Projection.* Rows less their mean are turned on p − 1 leading axes of a sample; the last column is
//!    √α times the length r of what the axes miss, α = 0.4. With y the p numbers of a row and
//!    e = (1 − α) r² / 2, the squared distance of two rows is guessed as |y_a − y_b|² + 2 e_a + 2 e_b: what the
//!    axes miss is taken to point the same way by the fraction α. Up to 160 columns stay as they are, and the guess
//!    is the distance.
//! 2. *Cells.* k-means on y puts the rows into about 2 √n cells, whose rows are packed together.
//! 3. *Calibration.* The true neighbours of 256 rows are found among all. How many candidates score better than
//!    a true neighbour, and how many cells are nearer than its cell, says what any effort would find; the cheapest
//!    effort that finds the required recall and 0.007 more is taken. If none does, p is doubled, up to all columns.
//! 4. *Join.* A row is scored with the rows of the cells nearest to it, by the scores ⟨y_q, y_c⟩ − |y_c|²/2 − e_c,
//!    and keeps its best candidates. Where rows lie far from the mean compared with their neighbours (tight
//!    clusters far apart), scores are formed about the centre of each cell, which keeps the digits.
//! 5. *Distances.* Candidates are measured exactly in the data's precision, and the nearest stay.
//! 6. *Validation.* 256 other rows whose true neighbours are known give the recall, which is
//!    reported. If it is less than requested by more than chance explains, the effort is raised; in the end all
//!    distances are computed instead. Rows that are farther by no more than the rounding of single precision count as found.
//!
//! Directions (cosine, correlation) are rows of length 1, whose squared distances are twice theirs. The result
//! is the same for any number of threads: a row belongs to one job, a score is one chain of sums, jobs and
//! cells come in a fixed order.
//!
//! # Many rows
//! Beyond 131,072 rows y is rounded to bytes, unless step 4 needs centres: four columns are multiplied at a time, at a third of the price,
//! and the calibration sees how many candidates more that takes. Where these cost more than is saved, numbers are real again. The rows of
//! a cell rank the cells around it only, so that the ranking does not grow with √n. Products of bytes are exact on every processor.
//!
//! # When it is used
//! `search = auto` takes this search for dense rows by the Euclidean distance, cosine or correlation if
//! The condition is [`pays`]: the rows are more than 5,000 and than 3,000 + 40 k + 3·10⁶ / d, and a fraction of at most
//! 0.995 is requested.
//!
//! # Cost
//! Projection n d p, cells about 2 n √n p, join n · (cells looked into) · √n / 2 · p, distances
//! n · candidates · d; [`bytes`] for memory. Where neighbours are spread through whole clusters of many columns, as in round clusters, a row
//! is scored with most of its cluster, and the join grows with the cluster's size.
//!
//! # Measured
//! Processor seconds on two cores with AVX-512, recall 0.98, by `cargo xtask bench neighbors`; pynndescent 0.7
//! (its second call) and hnswlib 0.8 (M 16) on the same rows. Recall on 2,000 rows, by distances in double precision:
//!
//! | rows | k | this | recall | peer | its recall | ratio |
//! |---|---|---|---|---|---|---|
//! | Fashion-MNIST, 70,000 × 784 | 15 | 2.4 | 0.982 | pynndescent 5.4 | 0.988 | 0.45 |
//! | | 15 | 2.4 | 0.982 | hnswlib 49 | 0.997 | 0.05 |
//! | | 90 | 4.1 | 0.983 | pynndescent 53 | 1.000 | 0.08 |
//! | mixture with a flat spectrum, 100,000 × 128 | 15 | 3.0 | 0.989 | pynndescent 7.2 | 0.797 | 0.41 |
//! | blood cells with noise, 50,000 × 2,000 | 15 | 3.0 | 0.975 | pynndescent 6.3 | 0.985 | 0.48 |
//!
//! The blood cells' distances nearly tie: sums in single precision change their order, and the validation rows, which allow for
//! that, find more than the table does.

mod bytes;
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

use super::{Algorithm, Found, Search};
use crate::data::{Features, Neighbors};
use crate::error::Result;
use crate::linalg::inner_product_join::distance::Measure;
use crate::metric::Metric;
use crate::parallel::map_blocks;
use crate::run::Run;
use calibration::Calibration;
use cells::{Cells, Packing};
use join::Effort;
use points::Points;
use projection::{Frame, Projected, strided};
use truth::Truth;

/// More rows than these are scored as bytes, and not all cells are ranked for each.
const MANY: usize = 131_072;
/// Rows that calibrate the effort, and as many others that validate the result.
const CALIBRATION_ROWS: usize = 256;
/// Margin above the required recall, because the calibration rows are a sample.
const ABOVE: f64 = 0.007;
/// Tolerance below the required recall on the validation rows, for sampling error.
const CHANCE: f64 = 0.001;
/// Times a search is done, with more effort each.
const ATTEMPTS: usize = 3;
/// Candidates at most, for each neighbour requested.
const CANDIDATES: usize = 16;
/// Rows that one job serves.
const JOB: usize = 256;
/// Jobs between two reports of progress.
const WAVE: usize = 128;
/// Rows up to this width are not projected.
const NARROW: usize = 160;
/// Columns of the first projection.
const WIDTH: usize = 96;
/// Squared lengths over squared distances to neighbours, above which scores lose digits.
const FAR: f64 = 1e4;
/// The largest fraction of neighbours that is searched for in this way.
const MOST_RECALL: f64 = 0.995;

/// True if this search is allowed and worth while; see the module's words.
pub(crate) fn takes(features: &Features<'_>, search: &Search, count: usize) -> bool {
    match search.search {
        Algorithm::Auto => {
            !features.is_sparse() && pays(features.n_rows(), features.n_columns(), search, count)
        }
        Algorithm::Approximate => !features.is_sparse() && knows(search.metric) && count > 0,
        _ => false,
    }
}

/// True if dense rows of this shape are searched faster than by all distances.
pub(crate) fn pays(n_rows: usize, n_columns: usize, search: &Search, count: usize) -> bool {
    let enough = 3000 + 40 * count + 3_000_000 / n_columns.max(1);
    knows(search.metric) && search.recall <= MOST_RECALL && count > 0 && n_rows >= enough.max(5000)
}

fn knows(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::Euclidean | Metric::Cosine | Metric::Correlation
    )
}

/// Bytes that the search needs beside the rows and the table that it leaves, unless the projection has to be
/// widened more than once.
pub(crate) fn bytes(n_rows: usize, n_columns: usize, count: usize) -> u64 {
    let width = if n_columns <= NARROW {
        n_columns
    } else {
        (2 * WIDTH).min(n_columns)
    };
    // Projected rows twice, as they are and packed; what belongs to a row; lists of the jobs of a wave.
    let row = (9 * width + 48) as u64;
    let lists = ((WAVE * JOB).min(n_rows) as u64 * 16).saturating_mul(count.min(n_rows) as u64);
    let sample = (4096 * 4_u64).saturating_mul(n_columns.max(width) as u64);
    (n_rows as u64)
        .saturating_mul(row)
        .saturating_add(lists)
        .saturating_add(sample)
}

/// The `count` nearest other rows of every row, most of them; all are finite. `None` if only a search among all
/// finds the required recall.
pub(crate) fn nearest(
    run: &Run<'_>,
    features: &Features<'_>,
    search: &Search,
    count: usize,
) -> Result<Option<Found>> {
    run.stage("true neighbours of a sample")?;
    let sample = strided(features.n_rows(), 2 * CALIBRATION_ROWS);
    let Some(truth) = Truth::of(run, features, search.metric, &sample, count)? else {
        return Ok(None);
    };
    let (setting, judging) = truth.split();
    match features {
        Features::F32(x) => dense(run, x.view(), search, &setting, &judging),
        Features::F64(x) => dense(run, x.view(), search, &setting, &judging),
        _ => Ok(None),
    }
}

fn dense<T: Measure>(
    run: &Run<'_>,
    x: ArrayView2<'_, T>,
    search: &Search,
    setting: &Truth,
    judging: &Truth,
) -> Result<Option<Found>> {
    let Some(points) = Points::new(run, x, search.metric)? else {
        return Ok(None);
    };
    let frame = Frame::of(&points);
    let n_columns = points.n_columns();
    let mut width = if n_columns <= NARROW {
        n_columns
    } else {
        WIDTH
    };
    loop {
        let attempt = Attempt {
            points: &points,
            frame: &frame,
            width,
            search,
            count: setting.count,
        };
        if let Some(found) = attempt.run(run, setting, judging)? {
            return Ok(Some(found));
        }
        if width >= n_columns {
            return Ok(None);
        }
        width *= 2;
        if 3 * width >= 2 * n_columns {
            width = n_columns;
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
    fn run(&self, run: &Run<'_>, setting: &Truth, judging: &Truth) -> Result<Option<Found>> {
        let Some((projected, mut cells)) = self.prepare(run, setting)? else {
            return Ok(None);
        };
        run.stage("nearest neighbours, calibration")?;
        let rows = projected.rows.view();
        let most = (CANDIDATES * self.count).min(self.points.n_rows() - 1);
        let mut calibration = Calibration::of(run, self.points, &cells, &rows, setting, most)?;
        let mut target = self.search.recall + ABOVE;
        for _ in 0..ATTEMPTS {
            let effort = calibration.effort(target.min(1.0));
            let pays = effort.is_some_and(|effort| calibration.pays(effort));
            if cells.packing == Packing::Bytes && !pays {
                cells.pack(&projected, Packing::Reals);
                calibration = Calibration::of(run, self.points, &cells, &rows, setting, most)?;
            }
            let Some(effort) = calibration.effort(target.min(1.0)) else {
                return Ok(None);
            };
            run.stage("nearest neighbours, candidates")?;
            let neighbors = self.join(run, &cells, &rows, effort)?;
            let recall = recall(judging, &neighbors);
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

    /// Projected rows in cells; `None` if they do not fit into single precision.
    fn prepare(&self, run: &Run<'_>, setting: &Truth) -> Result<Option<(Projected, Cells)>> {
        run.stage("projection")?;
        let (n_rows, seed) = (self.points.n_rows(), self.search.seed);
        let Some(projected) = Projected::of(run, self.points, self.frame, self.width, seed)? else {
            return Ok(None);
        };
        run.stage("nearest neighbours")?;
        let n_cells = (2.0 * (n_rows as f64).sqrt()) as usize;
        let packing = if self.is_far(&projected, setting) {
            Packing::Centred
        } else if n_rows > MANY && projected.rows.ncols() <= bytes::MOST_COLUMNS {
            Packing::Bytes
        } else {
            Packing::Reals
        };
        let cells = Cells::of(run, &projected, n_cells.max(1), packing, seed)?;
        Ok(Some((projected, cells)))
    }

    /// True if more than a few rows lie far from the mean, compared with their neighbours.
    fn is_far(&self, projected: &Projected, truth: &Truth) -> bool {
        let far = truth
            .rows
            .iter()
            .zip(&truth.farthest)
            .filter(|&(&row, &farthest)| {
                let near = self.frame.squared(self.points.squared_of(farthest));
                near > 0.0 && projected.squared_length(row as usize) > FAR * near
            });
        100 * far.count() > truth.rows.len()
    }

    fn words(&self, cells: &Cells, effort: Effort) -> String {
        let within = if effort.n_cells == usize::MAX {
            "cells within a margin".into()
        } else {
            format!("{} cells", effort.n_cells)
        };
        let packed = match cells.packing {
            Packing::Bytes => " as bytes",
            _ => "",
        };
        format!(
            "approximate, projected cell join: {} of {} columns{packed}, {within} of {}, {} candidates",
            self.width,
            self.points.n_columns(),
            cells.centres.count(),
            effort.n_candidates
        )
    }

    fn join(
        &self,
        run: &Run<'_>,
        cells: &Cells,
        rows: &ArrayView2<'_, f32>,
        effort: Effort,
    ) -> Result<Neighbors> {
        let (n_rows, count) = (self.points.n_rows(), self.count);
        let jobs = cells.jobs(JOB);
        let mut indices = vec![0; n_rows * count];
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
                    debug_assert_eq!(list.len(), count);
                    let range = row as usize * count..;
                    for (at, (squared, other)) in range.zip(list) {
                        indices[at] = other;
                        distances[at] = self.points.distance(squared);
                    }
                }
            }
        }
        let starts = (0..=n_rows).map(|row| row * count).collect();
        Ok(Neighbors::from_lists(n_rows, starts, indices, distances))
    }
}

/// The fraction of true neighbours that were found: rows as near as the farthest true one count.
fn recall(truth: &Truth, neighbors: &Neighbors) -> f64 {
    let found = truth.rows.iter().enumerate().map(|(index, &row)| {
        let (_, distances) = neighbors.row(row as usize);
        let good = distances
            .iter()
            .filter(|&&distance| truth.holds(index, distance));
        good.count()
    });
    found.sum::<usize>() as f64 / (truth.rows.len() * truth.count).max(1) as f64
}
