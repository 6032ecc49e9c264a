//! Factors that are not negative with the least squared error: coordinate descent on each in turn.
//!
//! Cichocki and Phan, "Fast local algorithms for large scale nonnegative matrix and tensor factorizations", 2009;
//! Gillis and Glineur, "Accelerated multiplicative updates and hierarchical ALS algorithms", 2012.

use ndarray::{Array2, Axis};
use rayon::prelude::*;

use super::quadratic::{Penalty, Quadratic};
use super::scaled::{Scaled, Sums, Tally, gram};
use crate::error::Result;
use crate::run::Run;

/// Sweeps over the weights of a block of rows while it is in the cache.
const ROW_SWEEPS: usize = 3;
/// Sweeps over the parts, which are few: their products cost far more than the sweeps.
const COLUMN_SWEEPS: usize = 10;
/// Iterations over which the error is compared.
pub(super) const SPAN: usize = 10;

/// When to stop, and what is added to the loss.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// When iterations stop; see [`Stop`].
    pub tolerance: f64,
    /// Iterations at most.
    pub max_iterations: usize,
    /// Penalty of the weights.
    pub on_weights: Penalty,
    /// Penalty of the parts.
    pub on_parts: Penalty,
}

/// X ≈ weights · columnsᵀ, and the way there.
#[derive(Clone, Debug)]
pub struct Factors {
    /// A row for each row of X.
    pub weights: Array2<f64>,
    /// A row for each column of X.
    pub columns: Array2<f64>,
    /// What was minimised, after each update of the weights.
    pub losses: Vec<f64>,
    /// How the iterations ended.
    pub stop: Stop,
}

/// How the iterations ended: they stop when the error has fallen by less than the tolerance, as a share of the
/// error at the start, in ten iterations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Iterations done.
    pub n_iterations: usize,
    /// The share by which the error fell in the last ten.
    pub last_fall: f64,
    /// Whether that is below the tolerance.
    pub converged: bool,
}

impl Stop {
    /// Looks at the losses so far; errors are roots of losses.
    pub(super) fn look(losses: &[f64], every: usize, tolerance: f64) -> Self {
        let n_iterations = (losses.len() - 1) * every;
        let back = SPAN / every;
        let root = |place: usize| losses[place].max(0.0).sqrt();
        let last = losses.len() - 1;
        let first = root(0);
        let (last_fall, whole) = if first == 0.0 {
            (0.0, true)
        } else {
            let before = last.saturating_sub(back);
            ((root(before) - root(last)) / first, last >= back)
        };
        Self {
            n_iterations,
            last_fall,
            converged: whole && last_fall <= tolerance,
        }
    }
}

/// Alternates from a start (weights, columns) until the settings say stop.
pub fn alternate(
    run: &Run<'_>,
    rows: &Scaled<'_>,
    (mut weights, mut columns): (Array2<f64>, Array2<f64>),
    settings: &Settings,
) -> Result<Factors> {
    let squares = rows.sum_of_squares();
    let mut losses = Vec::new();
    loop {
        let square = gram(&columns.view());
        let problem = Quadratic::new(square.clone(), settings.on_weights);
        let sums = rows.pass(run, &columns.view(), &mut weights, |products, part| {
            problem.sweep(products, part, ROW_SWEEPS)
        })?;
        let fit = 0.5 * squares - sums.tally.aligned + 0.5 * (&sums.gram * &square).sum();
        let loss = fit.max(0.0)
            + settings.on_weights.of(&weights.view())
            + settings.on_parts.of(&columns.view());
        losses.push(loss);
        let stop = Stop::look(&losses, 1, settings.tolerance);
        run.progress(stop.n_iterations as u64, settings.max_iterations as u64)?;
        run.iterate(losses.len() as u64, Some(loss), Some(weights.view()))?;
        if stop.converged || stop.n_iterations >= settings.max_iterations {
            return Ok(Factors {
                weights,
                columns,
                losses,
                stop,
            });
        }
        update_columns(sums, &mut columns, settings.on_parts);
    }
}

fn update_columns(sums: Sums, columns: &mut Array2<f64>, penalty: Penalty) -> Tally {
    let problem = Quadratic::new(sums.gram, penalty);
    let parts: Vec<Tally> = columns
        .axis_chunks_iter_mut(Axis(0), 64)
        .into_par_iter()
        .zip(sums.products.axis_chunks_iter(Axis(0), 64).into_par_iter())
        .map(|(part, products)| problem.sweep(&products, part, COLUMN_SWEEPS))
        .collect();
    let mut tally = Tally::default();
    parts.into_iter().for_each(|part| tally.add(part));
    tally
}
