//! Pre-images by a fixed-point iteration.
//!
//! The squared distance of φ(z) from Σ cᵢ φ(Dᵢ) is k(z, z) − 2 Σ cᵢ k(z, Dᵢ) and a constant. Where its derivative is zero
//!
//! - z = Σ cᵢ k(z, Dᵢ) Dᵢ / Σ cᵢ k(z, Dᵢ) for the rbf kernel,
//! - z = Σ cᵢ f′(z·Dᵢ) Dᵢ / f′(z·z) for a kernel f(a·b).
//!
//! The step from z to the right side is one along the gradient, so it is halved while it does not lead nearer. Where the
//! denominator vanishes or is negative, the sum of the sizes of its terms takes its place.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::panel;
use crate::data::Features;
use crate::error::{Error, Result, Warning, message};
use crate::kernel::{KernelKind, KernelRows, KernelSpec};
use crate::linalg::Exponential;
use crate::linalg::product::{add_product, product_into};
use crate::parallel::{blocks, map_blocks, stack_rows};
use crate::run::Run;

/// Rows that one job seeks.
const LINES: usize = 64;
/// Steps, halved ones included.
const MOST_STEPS: usize = 300;
/// A step this short, as a fraction of the spread of the basis rows, is the last.
const SETTLED: f64 = 1e-6;
/// A denominator below this fraction of the sizes of its terms has cancelled.
const CANCELLED: f64 = 1e-2;
/// Sizes of terms below this are none: the point is far from all basis rows.
const NOTHING: f64 = 1e-100;
/// Basis rows next to the coordinates whose mean is a start.
const NEAREST: usize = 8;

/// Coordinates whose pre-images are to be found.
pub(crate) struct PreimageProblem<'a> {
    /// The coordinates.
    pub coordinates: ArrayView2<'a, f64>,
    /// The coordinates of the basis rows.
    pub basis: ArrayView2<'a, f64>,
    /// The weights of the basis rows for some of the pre-images.
    pub weights: &'a (dyn Fn(Range<usize>) -> Array2<f64> + Sync),
    /// Where to start: at rows like these, or near the basis rows next to the coordinates.
    pub starts: Option<Features<'a>>,
}

/// Basis rows, ready to be climbed among.
pub(crate) struct FixedPoint<'a> {
    rows: Features<'a>,
    spec: KernelSpec,
    /// Subtracted from all rows, where the kernel allows it.
    centre: Array1<f64>,
    /// How far basis rows are from their mean.
    spread: f64,
}

impl<'a> FixedPoint<'a> {
    /// Gets ready.
    pub(crate) fn new(run: &Run<'_>, rows: &'a KernelRows) -> Result<Self> {
        let Some(features) = rows.features() else {
            return Err(Error::unsupported(
                message!("the model"),
                message!("keeps no features, which the inverse transform needs"),
            ));
        };
        let (mean, spread) = middle(run, &features)?;
        let spec = *rows.spec();
        Ok(Self {
            centre: match spec.kind {
                KernelKind::Rbf => mean,
                _ => Array1::zeros(mean.len()),
            },
            spread: if spread > 0.0 { spread } else { 1.0 },
            rows: features,
            spec,
        })
    }

    /// The pre-images. Warns of those that had not converged at the limit of iterations, and of those that no start leads to.
    pub(crate) fn find(&self, run: &Run<'_>, problem: &PreimageProblem<'_>) -> Result<Array2<f64>> {
        run.stage("pre-images")?;
        let count = problem.coordinates.nrows();
        let parts = map_blocks(run, count, LINES, |lines| self.block(run, problem, lines))?;
        let parts: Vec<Climbed> = parts.into_iter().collect::<Result<_>>()?;
        let unsettled: usize = parts.iter().map(Climbed::n_unsettled).sum();
        if unsettled > 0 {
            run.warn(Warning::NotConverged {
                what: message!("the search for pre-images of {unsettled:rows}"),
                reached: message!("the points after {MOST_STEPS} steps are given"),
            })?;
        }
        let lost: usize = parts.iter().map(Climbed::n_lost).sum();
        if lost > 0 {
            run.warn(Warning::doubtful(
                message!("the pre-images of {lost:rows}"),
                message!(
                    "the coordinates are so large, or the kernel values so small, that no \
                     iteration moves: the initial points are given"
                ),
            ))?;
        }
        let points = parts.iter().map(|part| &part.points);
        let found = stack_rows(points, self.centre.len());
        if found.iter().all(|value| value.is_finite()) {
            Ok(found)
        } else {
            Err(Error::too_large())
        }
    }

    fn block(
        &self,
        run: &Run<'_>,
        problem: &PreimageProblem<'_>,
        lines: Range<usize>,
    ) -> Result<Climbed> {
        let weights = (problem.weights)(lines.clone());
        if let Some(rows) = &problem.starts {
            let starts = rows.dense_rows(lines.start, lines.end) - &self.centre;
            let mut climbed = self.climb(run, &weights.view(), starts)?;
            let lost: Vec<usize> = (0..climbed.lost.len())
                .filter(|&i| climbed.lost[i])
                .collect();
            if !lost.is_empty() {
                let indices: Vec<usize> = lost.iter().map(|i| lines.start + i).collect();
                let weights = weights.select(Axis(0), &lost);
                let again = self.near_coordinates(run, problem, &indices, &weights)?;
                climbed.replace(&lost, &again);
            }
            return Ok(climbed.moved(&self.centre));
        }
        let indices: Vec<usize> = lines.collect();
        let climbed = self.near_coordinates(run, problem, &indices, &weights)?;
        Ok(climbed.moved(&self.centre))
    }

    /// The nearest of what several initializations lead to: the mean of the basis rows next to the coordinates, weighted by nearness, and
    /// the first two of them.
    fn near_coordinates(
        &self,
        run: &Run<'_>,
        problem: &PreimageProblem<'_>,
        indices: &[usize],
        weights: &Array2<f64>,
    ) -> Result<Climbed> {
        let mut starts = [(); 3].map(|()| Array2::zeros((indices.len(), self.centre.len())));
        let mut row = vec![0.0; self.centre.len()];
        for (line, &index) in indices.iter().enumerate() {
            let near = nearest(problem.coordinates.row(index), &problem.basis);
            let least = near.iter().map(|(square, _)| square).sum::<f64>() * 1e-6;
            let nearness = |square: f64| (square + least.max(f64::MIN_POSITIVE)).recip();
            let total: f64 = near.iter().map(|(square, _)| nearness(*square)).sum();
            for (order, &(square, basis)) in near.iter().enumerate() {
                self.rows.copy_row(basis, &mut row);
                let known = Array1::from_vec(row.clone()) - &self.centre;
                starts[0]
                    .row_mut(line)
                    .scaled_add(nearness(square) / total, &known);
                if order < 2 {
                    starts[order + 1].row_mut(line).assign(&known);
                }
            }
            if near.len() < 2 {
                let first = starts[1].row(line).to_owned();
                starts[2].row_mut(line).assign(&first);
            }
        }
        let [mean, first, second] = starts;
        let mut best = self.climb(run, &weights.view(), first)?;
        for start in [mean, second] {
            best.improve(&self.climb(run, &weights.view(), start)?);
        }
        Ok(best)
    }

    /// Climbs from the starts, a row each, all less the centre.
    fn climb(
        &self,
        run: &Run<'_>,
        weights: &ArrayView2<'_, f64>,
        starts: Array2<f64>,
    ) -> Result<Climbed> {
        let count = starts.nrows();
        let first = self.pulls(weights, &starts.view());
        let mut state = Climbed {
            gains: first.gains,
            settled: vec![false; count],
            lost: first.lost,
            points: starts,
        };
        let mut steps = first.steps;
        let last = SETTLED * self.spread;
        let is_last = |step: ArrayView1<'_, f64>| step.dot(&step) <= last * last;
        for line in 0..count {
            state.settled[line] = state.lost[line] || is_last(steps.row(line));
        }
        for _ in 0..MOST_STEPS {
            run.check()?;
            let active: Vec<usize> = (0..count).filter(|&line| !state.settled[line]).collect();
            if active.is_empty() {
                break;
            }
            let trial = state.points.select(Axis(0), &active) + steps.select(Axis(0), &active);
            let pulls = self.pulls(&weights.select(Axis(0), &active).view(), &trial.view());
            for (index, &line) in active.iter().enumerate() {
                if pulls.gains[index] > state.gains[line] && !pulls.lost[index] {
                    state.gains[line] = pulls.gains[index];
                    state.points.row_mut(line).assign(&trial.row(index));
                    steps.row_mut(line).assign(&pulls.steps.row(index));
                } else {
                    steps.row_mut(line).mapv_inplace(|part| part * 0.5);
                }
                state.settled[line] = is_last(steps.row(line));
            }
        }
        Ok(state)
    }

    /// How near the points are, and where they are pulled.
    fn pulls(&self, weights: &ArrayView2<'_, f64>, points: &ArrayView2<'_, f64>) -> Pulls {
        let count = points.nrows();
        let squares = points.map_axis(Axis(1), |point| point.dot(&point));
        let mut sums = Sums::zeros(points.dim());
        for panel in blocks(self.rows.n_rows(), panel(self.rows.n_columns())) {
            let rows = self.rows.dense_rows(panel.start, panel.end) - &self.centre;
            let mut terms = Array2::zeros((count, panel.len()));
            product_into(terms.view_mut(), points, &rows.t());
            let lengths = rows.map_axis(Axis(1), |row| row.dot(&row));
            for line in 0..count {
                let weights = weights.slice(s![line, panel.clone()]);
                let pairs = terms.row_mut(line).into_iter().zip(weights).zip(&lengths);
                for ((term, &weight), &length) in pairs {
                    let (value, slope) = self.kernel(*term, squares[line] + length);
                    sums.values[line] += weight * value;
                    *term = weight * slope;
                    sums.slopes[line] += *term;
                    sums.sizes[line] += term.abs();
                }
            }
            add_product(sums.pulled.view_mut(), &terms.view(), &rows.view());
        }
        self.finish(points, &squares, sums)
    }

    /// The kernel, and its derivative but for a factor, of rows with this inner product and these squared lengths together.
    #[inline]
    fn kernel(&self, product: f64, squares: f64) -> (f64, f64) {
        let spec = &self.spec;
        let base = spec.gamma * product + spec.coef0;
        match spec.kind {
            KernelKind::Rbf => {
                let value = (spec.gamma * (squares - 2.0 * product).max(0.0)).decay();
                (value, value)
            }
            KernelKind::Polynomial => {
                let below = base.powi(spec.degree as i32 - 1);
                (below * base, spec.gamma * spec.degree as f64 * below)
            }
            KernelKind::Sigmoid => {
                let value = base.tanh();
                (value, spec.gamma * (1.0 - value * value))
            }
            _ => (product, 1.0),
        }
    }

    fn finish(&self, points: &ArrayView2<'_, f64>, squares: &Array1<f64>, sums: Sums) -> Pulls {
        let count = points.nrows();
        let mut pulls = Pulls {
            gains: Array1::zeros(count),
            steps: sums.pulled,
            lost: vec![false; count],
        };
        for line in 0..count {
            let (own, slope) = match self.spec.kind {
                KernelKind::Rbf => (1.0, sums.slopes[line]),
                _ => self.kernel(squares[line], 0.0),
            };
            pulls.gains[line] = 2.0 * sums.values[line] - own;
            let size = sums.sizes[line];
            // A linear kernel's answer is exact, whatever cancels in its sum.
            let linear = self.spec.kind == KernelKind::Linear;
            let below = if linear || slope > CANCELLED * size {
                slope
            } else {
                size
            };
            pulls.lost[line] = !(below > NOTHING && below.is_finite());
            let mut step = pulls.steps.row_mut(line);
            step.scaled_add(-slope, &points.row(line));
            step.mapv_inplace(|part| part / below);
        }
        pulls
    }
}

/// Sums over the basis rows, for every point.
struct Sums {
    /// Of weight × kernel.
    values: Array1<f64>,
    /// Of weight × derivative.
    slopes: Array1<f64>,
    /// The same without signs.
    sizes: Array1<f64>,
    /// Of weight × derivative × row.
    pulled: Array2<f64>,
}

impl Sums {
    fn zeros(shape: (usize, usize)) -> Self {
        Self {
            values: Array1::zeros(shape.0),
            slopes: Array1::zeros(shape.0),
            sizes: Array1::zeros(shape.0),
            pulled: Array2::zeros(shape),
        }
    }
}

/// What is known at some points.
struct Pulls {
    /// How near the point's image is: minus the squared distance, but for a constant.
    gains: Array1<f64>,
    /// The step to where the derivative would be zero.
    steps: Array2<f64>,
    /// Points that nothing pulls.
    lost: Vec<bool>,
}

/// Where climbing has led.
struct Climbed {
    points: Array2<f64>,
    gains: Array1<f64>,
    settled: Vec<bool>,
    lost: Vec<bool>,
}

impl Climbed {
    fn n_unsettled(&self) -> usize {
        self.settled.iter().filter(|settled| !**settled).count()
    }

    fn n_lost(&self) -> usize {
        self.lost.iter().filter(|lost| **lost).count()
    }

    /// Takes the points of another climb to the same rows that are nearer.
    fn improve(&mut self, other: &Self) {
        for line in 0..self.gains.len() {
            if !other.lost[line] && (self.lost[line] || other.gains[line] > self.gains[line]) {
                self.take(line, other, line);
            }
        }
    }

    /// Takes all points of another climb in the place of these.
    fn replace(&mut self, lines: &[usize], other: &Self) {
        for (from, &line) in lines.iter().enumerate() {
            self.take(line, other, from);
        }
    }

    fn take(&mut self, line: usize, other: &Self, from: usize) {
        self.points.row_mut(line).assign(&other.points.row(from));
        self.gains[line] = other.gains[from];
        self.settled[line] = other.settled[from];
        self.lost[line] = other.lost[from];
    }

    fn moved(mut self, by: &Array1<f64>) -> Self {
        self.points += by;
        self
    }
}

/// The squared distances and numbers of the basis rows next to a point, the nearest first.
fn nearest(point: ArrayView1<'_, f64>, basis: &ArrayView2<'_, f64>) -> Vec<(f64, usize)> {
    let square = |row: ArrayView1<'_, f64>| -> f64 {
        row.iter().zip(point).map(|(x, y)| (x - y) * (x - y)).sum()
    };
    let mut near: Vec<(f64, usize)> = basis.rows().into_iter().map(square).zip(0..).collect();
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if near.len() > NEAREST {
        near.select_nth_unstable_by(NEAREST, order);
        near.truncate(NEAREST);
    }
    near.sort_unstable_by(order);
    near
}

/// The mean of rows, and the root of their mean squared distance from it.
fn middle(run: &Run<'_>, rows: &Features<'_>) -> Result<(Array1<f64>, f64)> {
    let count = rows.n_rows().max(1) as f64;
    let lines = panel(rows.n_columns());
    let means = map_blocks(run, rows.n_rows(), lines, |panel| {
        rows.dense_rows(panel.start, panel.end).sum_axis(Axis(0))
    })?;
    let zero = Array1::zeros(rows.n_columns());
    let mean = means.iter().fold(zero, |sum, part| sum + part) / count;
    let squares = map_blocks(run, rows.n_rows(), lines, |panel| {
        let apart = rows.dense_rows(panel.start, panel.end) - &mean;
        apart.iter().map(|value| value * value).sum::<f64>()
    })?;
    let spread = (squares.iter().sum::<f64>() / count).sqrt();
    Ok((mean, spread))
}
