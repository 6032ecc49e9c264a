//! NMF with squared error by coordinate descent, or multiplicative updates, of each factor in turn.
//!
//! Lee and Seung, "Algorithms for non-negative matrix factorization", 2001;
//! Cichocki and Phan, "Fast local algorithms for large scale nonnegative matrix and tensor factorizations", 2009;
//! Gillis and Glineur, "Accelerated multiplicative updates and hierarchical ALS algorithms", 2012.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};
use rayon::prelude::*;

use super::nonnegative_least_squares::{Penalty, Quadratic};
use super::rows::{Scaled, Sums, gram};
use crate::error::Result;
use crate::run::Run;

/// Iterations over which the error is compared.
pub(super) const SPAN: usize = 10;

/// When to stop, and what is added to the loss.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// When iterations stop: coordinate descent when the error falls by less than this fraction of the initial error in an iteration, on average over ten;
    /// multiplicative updates when it does in ten iterations.
    pub tolerance: f64,
    /// Iterations at most.
    pub max_iterations: usize,
    /// How a factor is improved.
    pub update: Update,
    /// Penalty of the weights.
    pub on_weights: Penalty,
    /// Penalty of the components.
    pub on_parts: Penalty,
}

/// How a factor is improved, once its products with the rows are known.
#[derive(Clone, Copy, Debug)]
pub(super) enum Update {
    /// Rounds over the coordinates, at most: they cost little beside the products they share.
    Sweeps(usize),
    /// Each entry times what pulls it up, divided by what pushes it down.
    Multiplicative,
}

impl Update {
    fn improve(
        self,
        problem: &Quadratic,
        products: &ArrayView2<'_, f64>,
        factor: ArrayViewMut2<'_, f64>,
    ) -> f64 {
        match self {
            Self::Sweeps(count) => problem.sweep(products, factor, count),
            Self::Multiplicative => problem.multiply(products, factor),
        }
    }

    /// The fall of the error in ten iterations that is small enough.
    fn least_fall(self, tolerance: f64) -> f64 {
        match self {
            Self::Sweeps(_) => SPAN as f64 * tolerance,
            Self::Multiplicative => tolerance,
        }
    }
}

/// Weights, a row for each row of X, and components, a row for each column of X.
pub(super) type Pair = (Array2<f64>, Array2<f64>);

/// X ≈ weights · columnsᵀ, and the course of the iteration.
#[derive(Clone, Debug)]
pub(super) struct Factorization {
    /// A row for each row of X.
    pub weights: Array2<f64>,
    /// A row for each column of X.
    pub columns: Array2<f64>,
    /// What was minimized, after each update of the weights.
    pub losses: Vec<f64>,
    /// How the iterations ended.
    pub stop: Stop,
}

/// How the iterations ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stop {
    /// Iterations done.
    pub n_iterations: usize,
    /// The decrease of the error in the last iterations, ten at most, as a fraction of the initial error.
    pub last_fall: f64,
    /// How many they are.
    pub n_compared: usize,
    /// The fall in ten iterations that is small enough.
    pub least_fall: f64,
    /// Whether ten were compared and the fall was small enough.
    pub converged: bool,
}

impl Stop {
    /// Looks at the losses of every `stride`-th iteration so far; errors are roots of losses.
    pub(super) fn look(losses: &[f64], stride: usize, least_fall: f64) -> Self {
        let last = losses.len() - 1;
        let back = SPAN / stride;
        let error = |index: usize| losses[index].max(0.0).sqrt();
        let fall = (error(last.saturating_sub(back)) - error(last)) / error(0);
        // A first error of 0 leaves nothing to do.
        let last_fall = if error(0) > 0.0 { fall } else { 0.0 };
        let seen = last >= back || error(0) == 0.0;
        Self {
            n_iterations: last * stride,
            last_fall,
            n_compared: last.min(back) * stride,
            least_fall,
            converged: seen && last_fall <= least_fall,
        }
    }
}

/// Alternates from an initialization (weights, columns) until convergence or the maximum number of iterations.
pub(super) fn alternate(
    run: &Run<'_>,
    rows: &Scaled<'_>,
    (mut weights, mut columns): Pair,
    settings: &Settings,
) -> Result<Factorization> {
    let squares = rows.sum_of_squares();
    let mut losses = Vec::new();
    loop {
        let square = gram(&columns.view());
        let problem = Quadratic::new(square.clone(), settings.on_weights);
        let sums = rows.pass(run, &columns.view(), &mut weights, |products, part| {
            settings.update.improve(&problem, products, part)
        })?;
        let fit = 0.5 * squares - sums.update_total + 0.5 * (&sums.gram * &square).sum();
        let loss = fit.max(0.0)
            + settings.on_weights.of(&weights.view())
            + settings.on_parts.of(&columns.view());
        losses.push(loss);
        let least_fall = settings.update.least_fall(settings.tolerance);
        let stop = Stop::look(&losses, 1, least_fall);
        run.progress(stop.n_iterations as u64, settings.max_iterations as u64)?;
        run.iterate(losses.len() as u64, Some(loss), Some(weights.view()))?;
        if stop.converged || stop.n_iterations >= settings.max_iterations {
            return Ok(Factorization {
                weights,
                columns,
                losses,
                stop,
            });
        }
        update_columns(sums, &mut columns, settings);
    }
}

fn update_columns(sums: Sums, columns: &mut Array2<f64>, settings: &Settings) {
    let problem = Quadratic::new(sums.gram, settings.on_parts);
    columns
        .axis_chunks_iter_mut(Axis(0), 64)
        .into_par_iter()
        .zip(sums.products.axis_chunks_iter(Axis(0), 64).into_par_iter())
        .for_each(|(part, products)| {
            settings.update.improve(&problem, &products, part);
        });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Features;
    use crate::random::{stream, uniform};

    #[test]
    fn multiplicative_updates_never_raise_the_loss_and_reach_that_of_coordinate_descent() {
        let x = Array2::from_shape_fn((40, 12), |(i, j)| ((i * j) % 7) as f64);
        let features = Features::from(&x);
        let rows = Scaled::new(&features, 4.0);
        let penalty = Penalty {
            lasso: 0.01,
            ridge: 0.02,
        };
        let run = |update| {
            let mut stream = stream(3, 0);
            let mut draw = |n| Array2::from_shape_fn((n, 3), |_| uniform(&mut stream) + 0.1);
            let start = (draw(40), draw(12));
            let settings = Settings {
                tolerance: 0.0,
                max_iterations: 2000,
                update,
                on_weights: penalty,
                on_parts: penalty,
            };
            alternate(&Run::new(), &rows, start, &settings).unwrap()
        };
        let found = run(Update::Multiplicative);
        assert!(
            found
                .losses
                .windows(2)
                .all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12))
        );
        let expected = run(Update::Sweeps(2)).losses.pop().unwrap();
        assert!((found.losses.last().unwrap() / expected - 1.0).abs() < 1e-3);
    }
}
