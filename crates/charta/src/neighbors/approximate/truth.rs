//! The true neighbours of a few rows, by which the search is set and judged.

use rayon::prelude::*;

use super::join::{key, row_of, score_of};
use super::points::Points;
use super::projection::{Frame, strided};
use super::rerank::keep;
use crate::error::Result;
use crate::linalg::scores::distance::Measure;
use crate::linalg::scores::{GROUP, Group, Own, Panels, scan};
use crate::parallel::{blocks, map_blocks};
use crate::run::Run;

/// Rows that one job scores.
const BLOCK: usize = 512;
/// Rows from which the first thresholds come.
const PILOT: usize = 4096;
/// How far a score in single precision may be off, as a share of the squared lengths.
const ROUNDING: f64 = 1e-6;
/// How much of a squared distance an error may be.
const NEGLIGIBLE: f64 = 0.01;

/// True neighbours of some rows: squared distances and rows, nearest first.
#[derive(Debug)]
pub(super) struct Truth<T> {
    pub(super) rows: Vec<u32>,
    pub(super) lists: Vec<Vec<(T, u32)>>,
}

/// Rows that ask.
struct Asking<'a, 'x, T> {
    points: &'a Points<'x, T>,
    frame: &'a Frame,
    rows: &'a [u32],
    groups: Vec<Group<f32>>,
    halves: Vec<f64>,
}

impl<T: Measure> Truth<T> {
    /// The `count` nearest rows of each of `rows`.
    pub(super) fn of(
        run: &Run<'_>,
        points: &Points<'_, T>,
        frame: &Frame,
        rows: Vec<u32>,
        count: usize,
    ) -> Result<Self> {
        let asking = Asking::new(points, frame, &rows);
        let kept = count + (count / 2).max(8);
        let pilot: Vec<u32> = strided(points.n_rows(), PILOT)
            .into_iter()
            .map(|row| row as u32)
            .collect();
        let none = vec![f32::NEG_INFINITY; rows.len()];
        let first = asking.best(run, &pilot, &none, kept)?;
        let thresholds: Vec<f32> = (first.iter())
            .map(|keys| below(keys.get(kept - 1).map_or(f32::NEG_INFINITY, |&k| score_of(k))))
            .collect();
        let all: Vec<u32> = (0..points.n_rows() as u32).collect();
        let best = asking.best(run, &all, &thresholds, kept)?;
        let lists = (best.par_iter().enumerate())
            .map(|(place, keys)| {
                run.check()?;
                Ok(asking.exact(place, keys, count))
            })
            .collect::<Result<_>>()?;
        Ok(Self { rows, lists })
    }

    /// Every other row, and those between.
    pub(super) fn split(self) -> (Self, Self) {
        let mut parts = [(); 2].map(|()| Self {
            rows: Vec::new(),
            lists: Vec::new(),
        });
        for (place, (row, list)) in self.rows.into_iter().zip(self.lists).enumerate() {
            parts[place % 2].rows.push(row);
            parts[place % 2].lists.push(list);
        }
        let [first, second] = parts;
        (first, second)
    }
}

/// A little less, so that rows as good as the threshold come through.
fn below(score: f32) -> f32 {
    score - score.abs() * 1e-6 - f32::MIN_POSITIVE
}

impl<'a, 'x, T: Measure> Asking<'a, 'x, T> {
    fn new(points: &'a Points<'x, T>, frame: &'a Frame, rows: &'a [u32]) -> Self {
        let width = points.n_columns();
        let mut space = vec![T::of(0.0); width];
        let mut framed = vec![0.0; GROUP * width];
        let (mut groups, mut halves) = (Vec::new(), Vec::new());
        for rows in rows.chunks(GROUP) {
            for (target, &row) in framed.chunks_mut(width).zip(rows) {
                frame.write(points, row as usize, &mut space, target);
                halves.push(f32::product_wide(target, target) / 2.0);
            }
            let mut group = Group::new();
            group.gather(width, framed.chunks(width).take(rows.len()));
            groups.push(group);
        }
        Self {
            points,
            frame,
            rows,
            groups,
            halves,
        }
    }

    /// For each row that asks the best of the known rows, as sorted keys.
    fn best(
        &self,
        run: &Run<'_>,
        known: &[u32],
        thresholds: &[f32],
        kept: usize,
    ) -> Result<Vec<Vec<u64>>> {
        let mut best: Vec<Vec<u64>> = vec![Vec::new(); self.rows.len()];
        for wave in blocks(known.len(), 64 * BLOCK) {
            let part = &known[wave];
            let parts = map_blocks(run, part.len(), BLOCK, |range| {
                self.best_of_block(&part[range], thresholds, kept)
            })?;
            (best.par_iter_mut().enumerate()).for_each(|(place, best)| {
                parts.iter().for_each(|part| best.extend_from_slice(&part[place]));
                best.sort_unstable();
                best.truncate(kept);
            });
        }
        Ok(best)
    }

    fn best_of_block(&self, known: &[u32], thresholds: &[f32], kept: usize) -> Vec<Vec<u64>> {
        let width = self.points.n_columns();
        let mut panels = Panels::new();
        panels.pack(known.len(), width, |place, target| {
            let mut space = vec![T::of(0.0); width];
            let row = known[place] as usize;
            self.frame.write(self.points, row, &mut space, target);
            let half = f32::product_wide(target, target) / 2.0;
            let null = f64::from(u8::from(self.points.is_null(row)));
            Own::even(-(half + self.frame.squared(0.5 * null)) as f32)
        });
        let mut best: Vec<Vec<u64>> = vec![Vec::new(); self.rows.len()];
        for (number, group) in self.groups.iter().enumerate() {
            let first = number * GROUP;
            let mut least = [f32::INFINITY; GROUP];
            for (to, from) in least.iter_mut().zip(&thresholds[first..]) {
                *to = *from;
            }
            let all = 0..panels.n_panels();
            scan(&panels, all, group, &mut least.clone(), |lane, place, score| {
                let best = &mut best[first + lane];
                if known[place] != self.rows[first + lane] {
                    best.push(key(score, known[place]));
                }
                if best.len() >= 4 * kept {
                    best.select_nth_unstable(kept - 1);
                    best.truncate(kept);
                    least[lane] = score_of(best[kept - 1]);
                }
                least[lane]
            });
        }
        best
    }

    /// The nearest of the best by exact distances; of all rows if rounding may have hidden some.
    fn exact(&self, place: usize, keys: &[u64], count: usize) -> Vec<(T, u32)> {
        let row = self.rows[place];
        let mut list = self.measured(row, keys.iter().map(|&key| row_of(key)), count);
        let (Some(&last), Some(&(farthest, _))) = (keys.last(), list.last()) else {
            return list;
        };
        let farthest = self.frame.squared(farthest.wide());
        let others = 2.0 * (self.halves[place] - f64::from(score_of(last)));
        let error = ROUNDING * (4.0 * self.halves[place] + others.abs());
        if error > NEGLIGIBLE * farthest && farthest > 0.0 && farthest > others - error {
            let all = 0..self.points.n_rows() as u32;
            list = self.measured(row, all.filter(|&other| other != row), count);
        }
        list
    }

    fn measured(&self, row: u32, others: impl Iterator<Item = u32>, count: usize) -> Vec<(T, u32)> {
        let width = self.points.n_columns();
        let (mut own, mut space) = (vec![T::of(0.0); width], vec![T::of(0.0); width]);
        self.points.write(row as usize, &mut own);
        let mut list: Vec<(T, u32)> = others
            .map(|other| {
                let values = self.points.read(other as usize, &mut space);
                let squared = T::squared_distance(&own, values);
                (self.points.squared((row, other), squared), other)
            })
            .collect();
        keep(&mut list, count);
        list
    }
}
