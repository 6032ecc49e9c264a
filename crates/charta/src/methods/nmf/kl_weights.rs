//! The weights of rows for given components, by the Kullback–Leibler divergence: multiplicative steps, and projected
//! Newton steps to the optimum.
//!
//! Only entries above zero are visited, in dense rows too: what the others add depends on the sums of the
//! factors alone.
//!
//! Bertsekas, "Projected Newton methods for optimization problems with simple constraints", 1982.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::nonnegative_least_squares::{Penalty, solve_definite};
use super::rows::{Scaled, WAVE};
use crate::data::Features;
use crate::error::Result;
use crate::run::Run;

/// Rows that one job reads.
const JOB: usize = 512;
/// Rows whose weights one job finds.
const CHUNK: usize = 64;
/// No quotient divides by less, as a fraction of the largest value.
pub(super) const LEAST: f64 = f64::EPSILON;
/// Multiplicative steps before the first Newton step, which converges only near the solution.
const WARM_UP: usize = 10;
/// Newton steps at most; they end by themselves after about eight.
const NEWTON_STEPS: usize = 100;

/// The entries above zero of one row, divided by the scale.
pub(super) struct Entries {
    columns: Vec<usize>,
    pub(super) values: Vec<f64>,
}

impl Entries {
    pub(super) fn new() -> Self {
        Self {
            columns: Vec::new(),
            values: Vec::new(),
        }
    }

    pub(super) fn read(&mut self, rows: &Scaled<'_>, row: usize) {
        self.columns.clear();
        self.values.clear();
        let shrink = rows.scale().recip();
        let mut push = |column: usize, value: f64| {
            if value > 0.0 {
                self.columns.push(column);
                self.values.push(value * shrink);
            }
        };
        match rows.features() {
            Features::F32(x) => {
                for (j, &value) in x.row(row).iter().enumerate() {
                    push(j, f64::from(value));
                }
            }
            Features::F64(x) => {
                for (j, &value) in x.row(row).iter().enumerate() {
                    push(j, value);
                }
            }
            Features::SparseF32(s) => s.row(row).for_each(|(j, v)| push(j, f64::from(v))),
            Features::SparseF64(s) => s.row(row).for_each(|(j, v)| push(j, v)),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        self.columns
            .iter()
            .copied()
            .zip(self.values.iter().copied())
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn add_scaled(target: &mut [f64], factor: f64, source: &[f64]) {
    for (to, from) in target.iter_mut().zip(source) {
        *to += factor * from;
    }
}

/// Weights after a step.
struct Step {
    weight: Vec<f64>,
    loss: f64,
    /// Whether there is nothing more to gain.
    last: bool,
}

/// The problem of one row's weights, with given components.
pub(super) struct RowProblem<'a> {
    /// A row for each column of X, one after another.
    columns: &'a [f64],
    sums: Vec<f64>,
    penalty: Penalty,
}

impl<'a> RowProblem<'a> {
    /// The problem for these components, in standard layout.
    pub(super) fn new(columns: &'a ArrayView2<'_, f64>, penalty: Penalty) -> Self {
        Self {
            columns: columns
                .as_slice()
                .expect("components are in standard layout"),
            sums: columns.sum_axis(Axis(0)).to_vec(),
            penalty,
        }
    }

    pub(super) fn size(&self) -> usize {
        self.sums.len()
    }

    pub(super) fn column(&self, j: usize) -> &'a [f64] {
        &self.columns[j * self.size()..(j + 1) * self.size()]
    }

    /// Σ (x / y) · h over the row's entries.
    fn pull(&self, entries: &Entries, weight: &[f64], pull: &mut [f64]) {
        pull.fill(0.0);
        for (j, value) in entries.iter() {
            let column = self.column(j);
            add_scaled(pull, value / dot(column, weight).max(LEAST), column);
        }
    }

    /// One multiplicative step.
    pub(super) fn step(&self, entries: &Entries, weight: &mut [f64], pull: &mut [f64]) {
        self.pull(entries, weight, pull);
        for ((weight, &pull), &sum) in weight.iter_mut().zip(&*pull).zip(&self.sums) {
            *weight = multiplied(*weight, pull, sum, self.penalty);
        }
    }

    /// What is minimized, up to what does not depend on the weights.
    fn loss(&self, entries: &Entries, weight: &[f64]) -> f64 {
        let linear = dot(&self.sums, weight)
            + self.penalty.lasso * weight.iter().sum::<f64>()
            + 0.5 * self.penalty.ridge * dot(weight, weight);
        entries.iter().fold(linear, |loss, (j, value)| {
            loss - value * dot(self.column(j), weight).max(LEAST).ln()
        })
    }

    /// The sizes of the terms that the loss adds up, which its rounding is a fraction of.
    fn terms(&self, entries: &Entries, weight: &[f64]) -> f64 {
        let known = entries.iter().map(|(j, value)| {
            let image = dot(self.column(j), weight).max(LEAST);
            value * image.ln().abs()
        });
        dot(&self.sums, weight) + known.sum::<f64>()
    }

    /// The optimal weights of all rows, from nothing but the rows.
    pub(super) fn solve(&self, run: &Run<'_>, rows: &Scaled<'_>) -> Result<Array2<f64>> {
        let n_rows = rows.n_rows();
        let mut weights = Array2::zeros((n_rows, self.size()));
        for (wave, mut part) in weights
            .axis_chunks_iter_mut(Axis(0), CHUNK * WAVE)
            .enumerate()
        {
            let first = wave * CHUNK * WAVE;
            run.progress(first as u64, n_rows as u64)?;
            part.axis_chunks_iter_mut(Axis(0), CHUNK)
                .into_par_iter()
                .enumerate()
                .try_for_each(|(chunk, mut part)| {
                    run.check()?;
                    let mut entries = Entries::new();
                    for (i, mut target) in part.rows_mut().into_iter().enumerate() {
                        entries.read(rows, first + chunk * CHUNK + i);
                        let weight = self.solve_row(&entries);
                        target.assign(&Array1::from_vec(weight));
                    }
                    Ok(())
                })?;
        }
        Ok(weights)
    }

    fn solve_row(&self, entries: &Entries) -> Vec<f64> {
        let size = self.size();
        let total: f64 = entries.values.iter().sum();
        let whole: f64 = self.sums.iter().sum();
        if total == 0.0 || whole == 0.0 {
            return vec![0.0; size];
        }
        let mut weight = vec![total / whole; size];
        let mut pull = vec![0.0; size];
        for _ in 0..WARM_UP {
            self.step(entries, &mut weight, &mut pull);
        }
        let mut loss = self.loss(entries, &weight);
        let rounding = f64::EPSILON * self.terms(entries, &weight);
        for _ in 0..NEWTON_STEPS {
            let Some(step) = self.newton_step(entries, &weight, loss, rounding) else {
                break;
            };
            weight = step.weight;
            loss = step.loss;
            if step.last {
                break;
            }
        }
        weight
    }

    /// A Newton step in the coordinates that are not held at zero, shortened until the loss falls; `None` at
    /// the optimum. Where the gain promised is below the rounding of the loss, the loss cannot decide any more:
    /// the whole step is the last.
    fn newton_step(
        &self,
        entries: &Entries,
        weight: &[f64],
        loss: f64,
        rounding: f64,
    ) -> Option<Step> {
        let size = self.size();
        let (slope, mut curvature) = self.derivatives(entries, weight);
        let near = |t: usize| weight[t] * self.sums[t] <= 1e-12 * dot(weight, &self.sums);
        let free: Vec<usize> = (0..size)
            .filter(|&t| self.sums[t] > 0.0 && !(near(t) && slope[t] > 0.0))
            .collect();
        let worst = free
            .iter()
            .fold(0.0_f64, |most, &t| most.max(slope[t].abs() / self.sums[t]));
        if worst <= 1e-13 {
            return None;
        }
        let largest = (0..size).fold(0.0_f64, |most, t| most.max(curvature[t * size + t]));
        for (i, &row) in free.iter().enumerate() {
            for (j, &column) in free[..=i].iter().enumerate() {
                let entry = curvature[row * size + column];
                curvature[i * size + j] = entry + if i == j { 1e-12 * largest } else { 0.0 };
            }
        }
        let mut direction: Vec<f64> = free.iter().map(|&t| -slope[t]).collect();
        if !solve_definite(&mut curvature, size, &mut direction) {
            return None;
        }
        // The bounds left aside, for they may make the whole step one upwards.
        let along = free.iter().zip(&direction).map(|(&t, by)| -slope[t] * by);
        let held = (0..size).filter(|&t| near(t) && slope[t] > 0.0);
        let whole = along.sum::<f64>() + held.map(|t| slope[t] * weight[t]).sum::<f64>();
        let last = whole <= rounding;
        let mut length = 1.0;
        for _ in 0..40 {
            let mut next = weight.to_vec();
            for t in (0..size).filter(|&t| near(t) && slope[t] > 0.0) {
                next[t] = 0.0;
            }
            for (&t, &by) in free.iter().zip(&direction) {
                next[t] = (weight[t] + length * by).max(0.0);
            }
            let promised: f64 = (0..size).map(|t| slope[t] * (weight[t] - next[t])).sum();
            let reached = self.loss(entries, &next);
            let falls = reached <= loss - 1e-4 * promised && reached < loss;
            if falls || (last && reached <= loss + rounding) {
                return Some(Step {
                    weight: next,
                    loss: reached,
                    last,
                });
            }
            if last {
                return None;
            }
            length *= 0.5;
        }
        None
    }

    /// The gradient and the lower half of the matrix of second derivatives.
    fn derivatives(&self, entries: &Entries, weight: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let size = self.size();
        let mut slope: Vec<f64> = (self.sums.iter().zip(weight))
            .map(|(sum, weight)| sum + self.penalty.lasso + self.penalty.ridge * weight)
            .collect();
        let mut curvature = vec![0.0; size * size];
        for t in 0..size {
            curvature[t * size + t] = self.penalty.ridge;
        }
        for (j, value) in entries.iter() {
            let column = self.column(j);
            let image = dot(column, weight).max(LEAST);
            let ratio = value / image;
            add_scaled(&mut slope, -ratio, column);
            for (t, &entry) in column.iter().enumerate().filter(|(_, entry)| **entry > 0.0) {
                let row = &mut curvature[t * size..=t * size + t];
                add_scaled(row, entry * ratio / image, &column[..=t]);
            }
        }
        (slope, curvature)
    }

    /// The divergence of the rows from the weights' images.
    pub(super) fn divergence(
        &self,
        run: &Run<'_>,
        rows: &Scaled<'_>,
        weights: &ArrayView2<'_, f64>,
    ) -> Result<f64> {
        let parts: Vec<f64> = weights
            .axis_chunks_iter(Axis(0), JOB)
            .into_par_iter()
            .enumerate()
            .map(|(job, part)| {
                run.check()?;
                let mut entries = Entries::new();
                let mut known = 0.0;
                for (i, weight) in part.rows().into_iter().enumerate() {
                    entries.read(rows, job * JOB + i);
                    let weight = weight.to_vec();
                    known += dot(&self.sums, &weight);
                    for (j, value) in entries.iter() {
                        let image = dot(self.column(j), &weight).max(LEAST);
                        known += value * (value / image).ln() - value;
                    }
                }
                Ok(known)
            })
            .collect::<Result<_>>()?;
        Ok(parts.iter().sum::<f64>().max(0.0))
    }
}

/// An entry after a multiplicative step: times what pulls it up, divided by what pushes it down.
pub(super) fn multiplied(entry: f64, pull: f64, sum: f64, penalty: Penalty) -> f64 {
    let push = sum + penalty.lasso + penalty.ridge * entry;
    if push > 0.0 {
        entry * pull / push
    } else {
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{stream, uniform};

    #[test]
    fn placed_rows_meet_the_conditions_of_optimality() {
        let mut stream = stream(9, 0);
        let columns = Array2::from_shape_fn((30, 6), |(_, t)| {
            (uniform(&mut stream) - 0.1 * t as f64).max(0.0)
        });
        let x = Array2::from_shape_fn((50, 30), |_| (4.0 * uniform(&mut stream) - 1.0).max(0.0));
        let features = Features::from(&x);
        let rows = Scaled::new(&features, 1.0);
        let view = columns.view();
        for lasso in [0.0, 0.5] {
            let problem = RowProblem::new(&view, Penalty { lasso, ridge: 0.0 });
            let weights = problem.solve(&Run::new(), &rows).unwrap();
            let ratios = &x / &weights.dot(&columns.t()).mapv(|y| y.max(LEAST));
            let slopes = columns.sum_axis(Axis(0)) + lasso - ratios.dot(&columns);
            let mut n_zero = 0;
            for (&weight, &slope) in weights.iter().zip(&slopes) {
                assert!(slope > -1e-6, "{weight} {slope}");
                assert!(weight == 0.0 || slope < 1e-6, "{weight} {slope}");
                n_zero += usize::from(weight == 0.0);
            }
            assert!(n_zero > 20 && n_zero < 250, "{n_zero}");
        }
    }
}
