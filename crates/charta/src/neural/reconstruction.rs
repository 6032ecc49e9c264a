//! Reconstruction loss of an autoencoder: the squared difference between inputs and outputs.

use ndarray::{Array1, ArrayView2, ArrayViewMut2, Axis};
use rayon::prelude::*;

use super::network::Network;
use crate::data::Features;
use crate::error::Result;
use crate::linalg::Exponential;
use crate::linalg::Real;
use crate::linalg::wide::{self, Loop};
use crate::parallel::blocks;
use crate::run::Run;

/// Rows that one job compares.
const BLOCK: usize = 64;
/// Rows that are processed at once.
const ROWS: usize = 256;
/// Sums that are kept side by side.
const LANES: usize = 16;

/// The mean over rows of the squared difference between outputs and targets, divided by `unit`; and its gradient.
pub(crate) fn reconstruction<T: Real>(
    wanted: &ArrayView2<'_, T>,
    outputs: &ArrayView2<'_, T>,
    unit: f64,
    mut gradient: ArrayViewMut2<'_, T>,
) -> f64 {
    let scale = 1.0 / (unit * outputs.nrows().max(1) as f64);
    let wanted = wanted.axis_chunks_iter(Axis(0), BLOCK).into_par_iter();
    let outputs = outputs.axis_chunks_iter(Axis(0), BLOCK).into_par_iter();
    let gradient = gradient
        .axis_chunks_iter_mut(Axis(0), BLOCK)
        .into_par_iter();
    let sums: Vec<f64> = gradient
        .zip(outputs.zip(wanted))
        .map(|(mut gradient, (outputs, wanted))| {
            let slices = (
                gradient.as_slice_mut(),
                outputs.as_slice(),
                wanted.as_slice(),
            );
            let (Some(gradient), Some(outputs), Some(wanted)) = slices else {
                return f64::NAN;
            };
            wide::run(Compare {
                wanted,
                outputs,
                gradient,
                factor: T::of(2.0 * scale),
            })
        })
        .collect();
    scale * sums.iter().sum::<f64>()
}

struct Compare<'a, T> {
    wanted: &'a [T],
    outputs: &'a [T],
    gradient: &'a mut [T],
    factor: T,
}

impl<T: Real> Loop for Compare<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> f64 {
        let mut total = 0.0;
        let mut sums = [T::of(0.0); LANES];
        let pairs = self.outputs.chunks(LANES).zip(self.wanted.chunks(LANES));
        for (count, ((outputs, wanted), gradient)) in
            pairs.zip(self.gradient.chunks_mut(LANES)).enumerate()
        {
            for (((output, want), slot), sum) in
                outputs.iter().zip(wanted).zip(gradient).zip(&mut sums)
            {
                let apart = *output - *want;
                *slot = self.factor * apart;
                *sum = wide::step::<T, FUSED>(apart, apart, *sum);
            }
            // Short sums lose nothing in single precision.
            if count % 64 == 63 {
                for sum in &mut sums {
                    total += sum.wide();
                    *sum = T::of(0.0);
                }
            }
        }
        for sum in sums {
            total += sum.wide();
        }
        total
    }
}

/// The mean of the same over some rows, by a network that stays as it is.
pub(crate) fn mean_loss<T: Exponential>(
    run: &Run<'_>,
    network: &Network<T>,
    features: &Features<'_>,
    rows: &[usize],
    unit: f64,
) -> Result<f64> {
    let parts: Vec<Result<f64>> = rows
        .par_chunks(ROWS)
        .map(|rows| {
            run.check()?;
            let inputs = network.ready(features, rows);
            let outputs = network.forward(&inputs.view());
            let pairs = outputs.iter().zip(&inputs);
            Ok(pairs.map(|(a, b)| squared(a.wide() - b.wide())).sum())
        })
        .collect();
    let mut sum = 0.0;
    for part in parts {
        sum += part?;
    }
    Ok(sum / (unit * rows.len().max(1) as f64))
}

/// The squared distance of every row from what comes out for it, in the unit of the features. Columns that were constant do not count.
pub(super) fn row_errors<T: Exponential>(
    run: &Run<'_>,
    network: &Network<T>,
    features: &Features<'_>,
) -> Result<Array1<f64>> {
    let factors = network.input().factors();
    let units = factors.mapv(|factor| if factor > 0.0 { 1.0 / factor } else { 0.0 });
    let parts: Vec<Result<Vec<f64>>> = blocks(features.n_rows(), ROWS)
        .into_par_iter()
        .map(|rows| {
            run.check()?;
            let rows: Vec<usize> = rows.collect();
            let inputs = network.ready(features, &rows);
            let outputs = network.forward(&inputs.view());
            let pairs = outputs.rows().into_iter().zip(inputs.rows());
            let errors = pairs.map(|(output, input)| {
                let values = output.into_iter().zip(input).zip(&units);
                values
                    .map(|((a, b), unit)| squared((a.wide() - b.wide()) * unit))
                    .sum()
            });
            Ok(errors.collect())
        })
        .collect();
    let mut errors = Vec::with_capacity(features.n_rows());
    for part in parts {
        errors.extend(part?);
    }
    Ok(errors.into())
}

fn squared(value: f64) -> f64 {
    value * value
}
