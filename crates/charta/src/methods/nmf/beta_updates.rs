//! NMF with a β-divergence other than the squared error and that of Kullback and Leibler: multiplicative updates of each factor in turn.
//!
//! d(x, y) = (x^β + (β − 1) y^β − β x y^(β − 1)) / (β (β − 1)), and x/y − log(x/y) − 1 for β = 0 (Itakura and Saito). It is convex in y for
//! 1 ≤ β ≤ 2 only; for others a step is shortened by an exponent, so that the loss never rises.
//!
//! Févotte and Idier, "Algorithms for nonnegative matrix factorization with the β-divergence", 2011.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1, Axis, Zip, s};
use rayon::prelude::*;

use super::coordinate_descent::{Factorization, Pair, SPAN, Settings, Stop};
use super::nonnegative_least_squares::Penalty;
use super::rows::{Scaled, WAVE};
use crate::error::Result;
use crate::linalg::product::product;
use crate::parallel::{blocks, map_blocks};
use crate::run::Run;

/// Rows that one job reads.
const JOB: usize = 256;
/// No power is taken of less, as a fraction of the largest value.
const LEAST: f64 = f64::EPSILON;
/// Steps at most to the weights of a row for components that are fixed.
const STEPS: usize = 1000;
/// A step that changes no weight by more than this fraction of the largest is the last.
const STILL: f64 = 1e-8;

/// The divergence of one β.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divergence {
    beta: f64,
    /// The exponent of a multiplicative step.
    exponent: f64,
}

impl Divergence {
    pub(super) fn new(beta: f64) -> Self {
        let exponent = if beta < 1.0 {
            (2.0 - beta).recip()
        } else if beta > 2.0 {
            (beta - 1.0).recip()
        } else {
            1.0
        };
        Self { beta, exponent }
    }

    fn of(self, x: f64, y: f64) -> f64 {
        let beta = self.beta;
        if beta == 0.0 {
            let ratio = x / y;
            return ratio - ratio.ln() - 1.0;
        }
        if beta == 1.0 {
            let known = if x > 0.0 { x * (x / y).ln() } else { 0.0 };
            return known - x + y;
        }
        (x.powf(beta) + (beta - 1.0) * y.powf(beta) - beta * x * y.powf(beta - 1.0))
            / (beta * (beta - 1.0))
    }

    /// What pulls entries up and what pushes them down: x y^(β − 2) and y^(β − 1).
    fn forces(self, x: &Array2<f64>, y: &Array2<f64>) -> (Array2<f64>, Array2<f64>) {
        let mut pull = y.mapv(|image| image.powf(self.beta - 2.0));
        let push = &pull * y;
        pull *= x;
        (pull, push)
    }

    fn step(self, entry: &mut f64, pull: f64, push: f64, penalty: Penalty) {
        let push = push + penalty.lasso + penalty.ridge * *entry;
        if push > 0.0 {
            let ratio = pull / push;
            *entry *= if self.exponent == 1.0 {
                ratio
            } else {
                ratio.powf(self.exponent)
            };
        }
    }

    /// Alternates multiplicative updates from an initialization (weights, columns) until convergence or the maximum number of iterations.
    pub(super) fn alternate(
        self,
        run: &Run<'_>,
        rows: &Scaled<'_>,
        (mut weights, mut columns): Pair,
        settings: &Settings,
    ) -> Result<Factorization> {
        let mut losses = Vec::new();
        let mut n_iterations = 0;
        loop {
            let pass = self.pass(run, rows, &mut weights, &columns, settings.on_weights)?;
            let loss = pass.divergence
                + settings.on_weights.of(&weights.view())
                + settings.on_parts.of(&columns.view());
            losses.push(loss);
            let stop = Stop::look(&losses, 1, settings.tolerance);
            run.progress(n_iterations as u64, settings.max_iterations as u64)?;
            run.iterate(n_iterations as u64 + 1, Some(loss), Some(weights.view()))?;
            // Looked at every ten iterations, as by the other multiplicative updates.
            let looks = n_iterations % SPAN == 0;
            if n_iterations >= settings.max_iterations || (looks && stop.converged) {
                return Ok(Factorization {
                    weights,
                    columns,
                    losses,
                    stop,
                });
            }
            Zip::from(&mut columns)
                .and(&pass.pull)
                .and(&pass.push)
                .for_each(|entry, &pull, &push| self.step(entry, pull, push, settings.on_parts));
            n_iterations += 1;
        }
    }

    fn pass(
        self,
        run: &Run<'_>,
        rows: &Scaled<'_>,
        weights: &mut Array2<f64>,
        columns: &Array2<f64>,
        penalty: Penalty,
    ) -> Result<Pass> {
        let mut whole = Pass {
            pull: Array2::zeros(columns.dim()),
            push: Array2::zeros(columns.dim()),
            divergence: 0.0,
        };
        for (wave, mut part) in weights
            .axis_chunks_iter_mut(Axis(0), JOB * WAVE)
            .enumerate()
        {
            run.check()?;
            let parts: Vec<Pass> = part
                .axis_chunks_iter_mut(Axis(0), JOB)
                .into_par_iter()
                .enumerate()
                .map(|(job, mut part)| {
                    let first = (wave * WAVE + job) * JOB;
                    let x = values(rows, first..first + part.nrows());
                    let (pull, push) = self.forces(&x, &images(&part.view(), columns));
                    let pull = product(&pull.view(), &columns.view());
                    let push = product(&push.view(), &columns.view());
                    Zip::from(&mut part)
                        .and(&pull)
                        .and(&push)
                        .for_each(|entry, &pull, &push| self.step(entry, pull, push, penalty));
                    let y = images(&part.view(), columns);
                    let (pull, push) = self.forces(&x, &y);
                    Pass {
                        pull: product(&pull.t(), &part.view()),
                        push: product(&push.t(), &part.view()),
                        divergence: self.sum(&x, &y),
                    }
                })
                .collect();
            for part in parts {
                whole.pull += &part.pull;
                whole.push += &part.push;
                whole.divergence += part.divergence;
            }
        }
        Ok(whole)
    }

    fn sum(self, x: &Array2<f64>, y: &Array2<f64>) -> f64 {
        x.iter().zip(y).map(|(&x, &y)| self.of(x, y)).sum()
    }

    /// The weights of rows for components that are fixed, each row by itself.
    pub(super) fn weights(
        self,
        run: &Run<'_>,
        rows: &Scaled<'_>,
        columns: &Array2<f64>,
        penalty: Penalty,
    ) -> Result<Array2<f64>> {
        let solved = map_blocks(run, rows.n_rows(), 32, |block| {
            let x = values(rows, block);
            let mut weights = Array2::zeros((x.nrows(), columns.ncols()));
            for (x, weight) in x.rows().into_iter().zip(weights.rows_mut()) {
                self.solve_row(&x.to_owned(), weight, columns, penalty);
            }
            weights
        })?;
        let mut weights = Array2::zeros((rows.n_rows(), columns.ncols()));
        for (mut target, part) in weights.axis_chunks_iter_mut(Axis(0), 32).zip(&solved) {
            target.assign(part);
        }
        Ok(weights)
    }

    fn solve_row(
        self,
        x: &Array1<f64>,
        mut weight: ArrayViewMut1<'_, f64>,
        columns: &Array2<f64>,
        penalty: Penalty,
    ) {
        let (total, whole) = (x.sum(), columns.sum());
        if total == 0.0 || whole == 0.0 {
            return;
        }
        weight.fill(total / whole);
        for _ in 0..STEPS {
            let y = columns.dot(&weight).mapv(|image| image.max(LEAST));
            let mut pull = y.mapv(|image| image.powf(self.beta - 2.0));
            let push = (&pull * &y).dot(columns);
            pull *= x;
            let pull = pull.dot(columns);
            let mut moved = 0.0_f64;
            let mut largest = 0.0_f64;
            for ((entry, &pull), &push) in weight.iter_mut().zip(&pull).zip(&push) {
                let before = *entry;
                self.step(entry, pull, push, penalty);
                moved = moved.max((*entry - before).abs());
                largest = largest.max(*entry);
            }
            if moved <= STILL * largest {
                return;
            }
        }
    }

    /// The divergence of the rows from W Hᵀ.
    pub(super) fn between(
        self,
        run: &Run<'_>,
        rows: &Scaled<'_>,
        weights: &ArrayView2<'_, f64>,
        columns: &Array2<f64>,
    ) -> Result<f64> {
        let parts = map_blocks(run, rows.n_rows(), JOB, |block| {
            let x = values(rows, block.clone());
            self.sum(&x, &images(&weights.slice(s![block, ..]), columns))
        })?;
        Ok(parts.iter().sum::<f64>().max(0.0))
    }

    /// The divergence of the rows from their mean value: that of the trivial factorization.
    pub(super) fn of_mean(self, run: &Run<'_>, rows: &Scaled<'_>) -> Result<f64> {
        let n_values = rows.n_rows() as f64 * rows.n_columns() as f64;
        let sums = map_blocks(run, rows.n_rows(), JOB, |block| values(rows, block).sum())?;
        let mean = (sums.iter().sum::<f64>() / n_values).max(LEAST);
        let parts = map_blocks(run, rows.n_rows(), JOB, |block| {
            let x = values(rows, block);
            x.iter().map(|&x| self.of(x, mean)).sum::<f64>()
        })?;
        Ok(parts.iter().sum::<f64>().max(0.0))
    }
}

/// The sums of a pass over the rows: what pulls the components up, what pushes them down, and the divergence.
struct Pass {
    pull: Array2<f64>,
    push: Array2<f64>,
    divergence: f64,
}

/// Rows of a range, divided by the scale.
fn values(rows: &Scaled<'_>, range: Range<usize>) -> Array2<f64> {
    rows.features().dense_rows(range.start, range.end) * rows.scale().recip()
}

/// W Hᵀ, kept away from zero.
fn images(weights: &ArrayView2<'_, f64>, columns: &Array2<f64>) -> Array2<f64> {
    let mut images = product(weights, &columns.t());
    images.mapv_inplace(|image| image.max(LEAST));
    images
}

/// True if a value is zero.
pub(super) fn has_zeros(rows: &Scaled<'_>) -> bool {
    blocks(rows.n_rows(), JOB).into_par_iter().any(|block| {
        let part = rows.features().dense_rows(block.start, block.end);
        part.iter().any(|&value| value <= 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::super::coordinate_descent::Update;
    use super::super::kl_updates;
    use super::*;
    use crate::data::Features;
    use crate::random::{stream, uniform};

    fn example() -> (Array2<f64>, Pair) {
        let mut stream = stream(8, 0);
        let mut draw = |n, m| Array2::from_shape_fn((n, m), |_| uniform(&mut stream) + 0.1);
        (draw(60, 12), (draw(60, 3), draw(12, 3)))
    }

    fn settings(max_iterations: usize) -> Settings {
        Settings {
            tolerance: 0.0,
            max_iterations,
            update: Update::Multiplicative,
            on_weights: Penalty {
                lasso: 0.01,
                ridge: 0.02,
            },
            on_parts: Penalty::default(),
        }
    }

    #[test]
    fn the_loss_never_rises() {
        let (x, start) = example();
        let features = Features::from(&x);
        let rows = Scaled::new(&features, 1.0);
        for beta in [-0.5, 0.0, 0.5, 1.5, 2.5, 3.0] {
            let found = Divergence::new(beta)
                .alternate(&Run::new(), &rows, start.clone(), &settings(100))
                .unwrap();
            let falls = found
                .losses
                .windows(2)
                .all(|pair| pair[1] <= pair[0] + 1e-9 * pair[0].abs());
            assert!(falls, "{beta}: {:?}", found.losses);
            assert!(found.losses[100] < 0.9 * found.losses[0], "{beta}");
        }
    }

    #[test]
    fn at_one_it_is_the_divergence_of_kullback_and_leibler() {
        let (x, start) = example();
        let features = Features::from(&x);
        let rows = Scaled::new(&features, 1.0);
        let run = Run::new();
        let found = Divergence::new(1.0)
            .alternate(&run, &rows, start.clone(), &settings(30))
            .unwrap();
        let expected = kl_updates::alternate(&run, &rows, start, &settings(30)).unwrap();
        assert!(
            (&found.columns - &expected.columns)
                .iter()
                .all(|d| d.abs() < 1e-9)
        );
        assert!((found.losses[30] - expected.losses[3]).abs() < 1e-9);
        let near = Divergence::new(1.0 + 1e-7)
            .between(&run, &rows, &found.weights.view(), &found.columns)
            .unwrap();
        let exact = Divergence::new(1.0)
            .between(&run, &rows, &found.weights.view(), &found.columns)
            .unwrap();
        assert!((near - exact).abs() < 1e-4);
    }

    #[test]
    fn rows_get_weights_that_no_small_change_improves() {
        let (x, (_, columns)) = example();
        let features = Features::from(&x);
        let rows = Scaled::new(&features, 1.0);
        for beta in [0.0, 0.5, 1.5, 2.5] {
            let divergence = Divergence::new(beta);
            let weights = divergence
                .weights(&Run::new(), &rows, &columns, Penalty::default())
                .unwrap();
            let y = weights.dot(&columns.t());
            let (pull, push) = divergence.forces(&x, &y);
            let slopes = (push - pull).dot(&columns);
            for (&weight, &slope) in weights.iter().zip(&slopes) {
                // A weight that falls to zero does so as 1 over the number of steps: what is left after `STEPS` is of this size.
                assert!(
                    slope > -3e-2 && weight * slope < 3.0 / STEPS as f64,
                    "{beta}: {weight} {slope}"
                );
            }
        }
    }
}
