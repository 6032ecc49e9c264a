//! The divergence of Kullback and Leibler between the affinities and those of the map: what the descent makes small.
//!
//! KL = Σ p ln p + α Σ p ln(1 + s/α) + ln Z over the pairs that have an affinity, whose sum is 1. Only Z needs all pairs.

use rayon::prelude::*;

use super::affinities::Affinities;
use super::repulsion::{Gradient, Kernel, Repulsion};
use crate::error::Result;
use crate::run::Run;

/// Rows that one job handles.
const BLOCK: usize = 1024;
/// Rows up to which Z is the sum over all pairs, whatever the descent used.
const ALL_PAIRS: usize = 20_000;

/// The divergence of a map, and how it was computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divergence {
    /// The divergence.
    pub value: f64,
    /// Where Z came from.
    pub by: Gradient,
}

/// The divergence of a map. Beyond [`ALL_PAIRS`] rows Z is that of the grid or the tree.
pub(super) fn divergence<const D: usize>(
    run: &Run<'_>,
    affinities: &Affinities,
    places: &[[f32; D]],
    (gradient, kernel): (Gradient, Kernel),
) -> Result<Divergence> {
    let by = if places.len() <= ALL_PAIRS {
        Gradient::Exact
    } else {
        gradient
    };
    let mut pushes = vec![[0.0; D]; places.len()];
    let sum = Repulsion::new(by, kernel).forces(run, places, &mut pushes)?;
    Ok(Divergence {
        value: of_pairs(affinities, places, kernel.freedom) + sum.max(f64::MIN_POSITIVE).ln(),
        by,
    })
}

/// Σ p ln p + α Σ p ln(1 + s/α).
pub(super) fn of_pairs<const D: usize>(
    affinities: &Affinities,
    places: &[[f32; D]],
    freedom: f64,
) -> f64 {
    let parts: Vec<f64> = places
        .par_chunks(BLOCK)
        .enumerate()
        .map(|(block, rows)| {
            let mut sum = 0.0;
            for (offset, place) in rows.iter().enumerate() {
                let (columns, values) = affinities.row(block * BLOCK + offset);
                for (&column, &value) in columns.iter().zip(values) {
                    let other = &places[column as usize];
                    let mut squares = 0.0;
                    for axis in 0..D {
                        squares += (f64::from(place[axis]) - f64::from(other[axis])).powi(2);
                    }
                    let value = f64::from(value);
                    if value > 0.0 {
                        // One logarithm where α is 1: ln p + ln(1 + s).
                        sum += value
                            * if freedom == 1.0 {
                                (value * (1.0 + squares)).ln()
                            } else {
                                value.ln() + freedom * (1.0 + squares / freedom).ln()
                            };
                    }
                }
            }
            sum
        })
        .collect();
    parts.iter().sum()
}
