//! One epoch of online training: row after row, its best unit and those around it move towards it.

use ndarray::Array2;

use super::Space;
use super::Training;
use crate::data::Features;
use crate::error::Result;
use crate::linalg::inner_product_join::distance::Measure;
use crate::linalg::wide::{self, Loop, step};
use crate::random::{permutation, stream};
use crate::run::Run;

/// Steps between two looks at whether the run is to stop.
const LOOKED: usize = 256;
/// A unit that would move by less than this fraction of its way stays.
const LEAST: f64 = 1e-16;
/// Streams of orders come after the one that draws the start.
const ORDERS: u64 = 1 << 32;

/// Goes through all rows once, in an order of the epoch's own.
pub(super) fn epoch<T: Measure>(
    run: &Run<'_>,
    space: &Space,
    features: &Features<'_>,
    training: &Training,
    epoch: usize,
    units: &mut Array2<f64>,
) -> Result<()> {
    let n_rows = features.n_rows();
    let n_steps = training.n_epochs.saturating_mul(n_rows);
    let order = permutation(&mut stream(training.seed, ORDERS + epoch as u64), n_rows);
    let mut moving: Vec<T> = units.iter().map(|&value| T::of(value)).collect();
    let mut values = vec![T::of(0.0); features.n_columns()];
    for (place, &row) in order.iter().enumerate() {
        if place % LOOKED == 0 {
            run.check()?;
        }
        space.row(features, row, &mut values);
        let best = nearest(&moving, &values);
        let at = epoch * n_rows + place;
        let rate = training.rate(at, n_steps);
        let weights = training.weights(at, n_steps);
        weights.each(best, |unit, weight| {
            let share = rate * weight;
            if share > LEAST {
                let unit = &mut moving[unit * values.len()..][..values.len()];
                wide::run(Towards {
                    unit,
                    row: &values,
                    share: T::of(share),
                });
            }
        });
    }
    for (to, from) in units.iter_mut().zip(&moving) {
        *to = from.wide();
    }
    Ok(())
}

/// The nearest unit, the first of equal ones.
fn nearest<T: Measure>(units: &[T], row: &[T]) -> usize {
    let mut best = (0, T::infinity());
    for (place, unit) in units.chunks(row.len()).enumerate() {
        let apart = T::squared_distance(unit, row);
        if apart < best.1 {
            best = (place, apart);
        }
    }
    best.0
}

/// w + share · (x − w).
struct Towards<'a, T> {
    unit: &'a mut [T],
    row: &'a [T],
    share: T,
}

impl<T: Measure> Loop for Towards<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for (unit, &row) in self.unit.iter_mut().zip(self.row) {
            *unit = step::<T, FUSED>(self.share, row - *unit, *unit);
        }
    }
}
