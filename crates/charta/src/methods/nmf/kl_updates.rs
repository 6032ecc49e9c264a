//! NMF with the Kullback–Leibler divergence Σ x log(x/y) − x + y: multiplicative
//! updates of each in turn.
//!
//! Lee and Seung, "Algorithms for non-negative matrix factorization", 2001.

use ndarray::{Array2, ArrayViewMut2, Axis};
use rayon::prelude::*;

use super::coordinate_descent::{Factorization, Pair, SPAN, Settings, Stop};
use super::kl_weights::{Entries, LEAST, RowProblem, add_scaled, dot, multiplied};
use super::nonnegative_least_squares::Penalty;
use super::rows::{Scaled, WAVE};
use crate::error::Result;
use crate::parallel::blocks;
use crate::run::Run;

/// Rows that one job reads.
const JOB: usize = 512;

/// The result of a pass over the rows: the update of the components, and the sum of x log(x/y) − x if requested.
struct Pass {
    pull: Array2<f64>,
    known: f64,
}

/// Alternates multiplicative updates from an initialization (weights, columns) until convergence or the maximum number of iterations.
pub(super) fn alternate(
    run: &Run<'_>,
    rows: &Scaled<'_>,
    (mut weights, mut columns): Pair,
    settings: &Settings,
) -> Result<Factorization> {
    let mut losses = Vec::new();
    let mut n_iterations = 0;
    loop {
        let last = n_iterations >= settings.max_iterations;
        let look = last || n_iterations % SPAN == 0;
        let pass = pass(run, rows, &mut weights, &columns, settings.on_weights, look)?;
        if look {
            let images = weights.sum_axis(Axis(0)).dot(&columns.sum_axis(Axis(0)));
            let loss = (pass.known + images).max(0.0)
                + settings.on_weights.of(&weights.view())
                + settings.on_parts.of(&columns.view());
            losses.push(loss);
            let mut stop = Stop::look(&losses, SPAN, settings.tolerance);
            stop.n_iterations = n_iterations;
            // The last look may come early, and then says too little.
            if n_iterations % SPAN != 0 {
                stop.n_compared = n_iterations % SPAN;
                stop.converged = false;
            }
            run.progress(n_iterations as u64, settings.max_iterations as u64)?;
            run.iterate(n_iterations as u64 + 1, Some(loss), Some(weights.view()))?;
            if last || stop.converged {
                return Ok(Factorization {
                    weights,
                    columns,
                    losses,
                    stop,
                });
            }
        }
        let sums = weights.sum_axis(Axis(0));
        for (mut row, pull) in columns.rows_mut().into_iter().zip(pass.pull.rows()) {
            for ((entry, &pull), &sum) in row.iter_mut().zip(pull).zip(&sums) {
                *entry = multiplied(*entry, pull, sum, settings.on_parts);
            }
        }
        n_iterations += 1;
    }
}

fn pass(
    run: &Run<'_>,
    rows: &Scaled<'_>,
    weights: &mut Array2<f64>,
    columns: &Array2<f64>,
    penalty: Penalty,
    look: bool,
) -> Result<Pass> {
    let view = columns.view();
    let problem = RowProblem::new(&view, penalty);
    let mut whole = Pass {
        pull: Array2::zeros(columns.dim()),
        known: 0.0,
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
            .map(|(job, part)| problem.job(rows, (wave * WAVE + job) * JOB, part, look))
            .collect();
        for part in parts {
            whole.pull += &part.pull;
            whole.known += part.known;
        }
    }
    Ok(whole)
}

impl RowProblem<'_> {
    fn job(
        &self,
        rows: &Scaled<'_>,
        first: usize,
        mut weights: ArrayViewMut2<'_, f64>,
        look: bool,
    ) -> Pass {
        let size = self.size();
        let n_columns = rows.n_columns();
        let mut on_parts = vec![0.0; n_columns * size];
        let mut known = 0.0;
        let mut entries = Entries::new();
        let (mut weight, mut pull) = (vec![0.0; size], vec![0.0; size]);
        for (i, mut row) in weights.rows_mut().into_iter().enumerate() {
            entries.read(rows, first + i);
            weight
                .iter_mut()
                .zip(&row)
                .for_each(|(to, &from)| *to = from);
            self.step(&entries, &mut weight, &mut pull);
            row.iter_mut()
                .zip(&weight)
                .for_each(|(to, &from)| *to = from);
            for (j, value) in entries.iter() {
                let image = dot(self.column(j), &weight).max(LEAST);
                add_scaled(
                    &mut on_parts[j * size..(j + 1) * size],
                    value / image,
                    &weight,
                );
                if look {
                    known += value * (value / image).ln() - value;
                }
            }
        }
        let mut pull = Array2::zeros((n_columns, size));
        pull.iter_mut()
            .zip(on_parts)
            .for_each(|(to, from)| *to = from);
        Pass { pull, known }
    }
}

/// The divergence of the rows from their mean value: that of the trivial factorization.
pub(super) fn divergence_from_mean(rows: &Scaled<'_>) -> f64 {
    let parts: Vec<(f64, f64)> = blocks(rows.n_rows(), JOB)
        .into_par_iter()
        .map(|block| {
            let mut entries = Entries::new();
            let (mut sum, mut entropy) = (0.0, 0.0);
            for row in block {
                entries.read(rows, row);
                sum += entries.values.iter().sum::<f64>();
                entropy += entries.values.iter().map(|x| x * x.ln()).sum::<f64>();
            }
            (sum, entropy)
        })
        .collect();
    let sum: f64 = parts.iter().map(|part| part.0).sum();
    let entropy: f64 = parts.iter().map(|part| part.1).sum();
    let count = rows.n_rows() as f64 * rows.n_columns() as f64;
    if sum > 0.0 {
        (entropy - sum * (sum / count).ln()).max(0.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::coordinate_descent::Update;
    use super::*;
    use crate::data::Features;
    use crate::random::{stream, uniform};

    #[test]
    fn the_loss_never_rises() {
        let x = Array2::from_shape_fn((40, 12), |(i, j)| ((i * j) % 7) as f64);
        let features = Features::from(&x);
        let rows = Scaled::new(&features, 4.0);
        let mut stream = stream(3, 0);
        let mut draw = |n| Array2::from_shape_fn((n, 3), |_| uniform(&mut stream) + 0.1);
        let start = (draw(40), draw(12));
        let settings = Settings {
            tolerance: 0.0,
            max_iterations: 100,
            update: Update::Multiplicative,
            on_weights: Penalty::default(),
            on_parts: Penalty::default(),
        };
        let found = alternate(&Run::new(), &rows, start, &settings).unwrap();
        assert!(found.losses.windows(2).all(|pair| pair[1] <= pair[0]));
        let view = found.columns.view();
        let problem = RowProblem::new(&view, Penalty::default());
        let exact = problem
            .divergence(&Run::new(), &rows, &found.weights.view())
            .unwrap();
        assert!((exact - found.losses[found.losses.len() - 1]).abs() < 1e-9 * exact);
    }
}
