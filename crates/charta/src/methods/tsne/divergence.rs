//! The Kullback–Leibler divergence between the affinities of the data and those of the embedding: the loss of t-SNE.
//!
//! KL = Σ p ln p + α Σ p ln(1 + s/α) + ln Z over the pairs that have an affinity, whose sum is 1. Only Z needs all pairs.

use std::ops::Range;

use rayon::prelude::*;

use super::Affinities;
use super::Gradient;
use super::repulsion::{Kernel, Repulsion};
use crate::error::Result;
use crate::parallel::blocks;
use crate::run::Run;

/// Rows that one job handles.
const BLOCK: usize = 1024;
/// Numbers side by side.
const LANES: usize = 8;
/// Rows up to which Z is the sum over all pairs, whatever the descent used.
const ALL_PAIRS: usize = 20_000;

/// The divergence of an embedding, and how it was computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Divergence {
    /// The divergence.
    pub value: f64,
    /// Where Z came from.
    pub by: Gradient,
}

/// The divergence of a map. Beyond [`ALL_PAIRS`] rows Z is that of the grid or the tree.
pub(super) fn divergence<const D: usize>(
    run: &Run<'_>,
    affinities: &Affinities,
    coordinates: &[[f32; D]],
    gradient: Gradient,
    kernel: Kernel,
) -> Result<Divergence> {
    let by = if coordinates.len() <= ALL_PAIRS {
        Gradient::Exact
    } else {
        gradient
    };
    let mut pushes = vec![[0.0; D]; coordinates.len()];
    let sum = Repulsion::new(by, kernel).forces(run, coordinates, &mut pushes)?;
    Ok(Divergence {
        value: of_affinities(affinities)
            + of_pairs(affinities, coordinates, kernel.degrees_of_freedom)
            + sum.max(f64::MIN_POSITIVE).ln(),
        by,
    })
}

/// Σ p ln p, which does not change while the map moves.
pub(super) fn of_affinities(affinities: &Affinities) -> f64 {
    let parts: Vec<f64> = blocks(affinities.n_rows(), BLOCK)
        .into_par_iter()
        .map(|rows| {
            let values = rows.flat_map(|row| affinities.row(row).1.iter());
            let terms = values.filter(|value| **value > 0.0).map(|&value| {
                let value = f64::from(value);
                value * value.ln()
            });
            terms.sum::<f64>()
        })
        .collect();
    parts.iter().sum()
}

/// α Σ p ln(1 + s/α).
pub(super) fn of_pairs<const D: usize>(
    affinities: &Affinities,
    coordinates: &[[f32; D]],
    degrees_of_freedom: f64,
) -> f64 {
    let parts: Vec<f64> = blocks(coordinates.len(), BLOCK)
        .into_par_iter()
        .map(|rows| {
            Pairs {
                affinities,
                coordinates,
                rows,
                inverse: degrees_of_freedom.recip(),
            }
            .sum()
        })
        .collect();
    degrees_of_freedom * parts.iter().sum::<f64>()
}

struct Pairs<'a, const D: usize> {
    affinities: &'a Affinities,
    coordinates: &'a [[f32; D]],
    rows: Range<usize>,
    inverse: f64,
}

impl<const D: usize> Pairs<'_, D> {
    /// Σ p ln(1 + s/α). Once in fifty steps, so that it needs no SIMD forms of its own.
    fn sum(self) -> f64 {
        let mut sums = [0.0; LANES];
        for row in self.rows {
            let point = &self.coordinates[row];
            let (columns, values) = self.affinities.row(row);
            let entries = columns.chunks(LANES).zip(values.chunks(LANES));
            for (columns, values) in entries {
                let mut squares = [0.0; LANES];
                let mut weights = [0.0; LANES];
                for (lane, (&column, &value)) in columns.iter().zip(values).enumerate() {
                    let other = &self.coordinates[column as usize];
                    weights[lane] = f64::from(value);
                    for axis in 0..D {
                        let side = f64::from(point[axis]) - f64::from(other[axis]);
                        squares[lane] += side * side;
                    }
                }
                for lane in 0..LANES {
                    sums[lane] += weights[lane] * logarithm(1.0 + squares[lane] * self.inverse);
                }
            }
        }
        sums.iter().sum()
    }
}

/// The natural logarithm of a number of at least 1, to 1e-10: 2 artanh((m − 1) / (m + 1)) of its mantissa, without branches.
#[inline(always)]
fn logarithm(value: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    // Adding a number of 2⁵² to an integer's bits makes a number of it.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    let bits = value.to_bits();
    let power = f64::from_bits((bits >> 52) | WHOLE.to_bits()) - WHOLE - 1023.0;
    let mantissa = f64::from_bits((bits & MANTISSA) | 1.0f64.to_bits());
    let high = mantissa > std::f64::consts::SQRT_2;
    let mantissa = if high { 0.5 * mantissa } else { mantissa };
    let power = if high { power + 1.0 } else { power };
    let share = (mantissa - 1.0) / (mantissa + 1.0);
    let square = share * share;
    let mut series = 1.0 / 13.0;
    for term in [11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = series * square + 1.0 / term;
    }
    power * std::f64::consts::LN_2 + 2.0 * share * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_right() {
        let mut value = 1.0;
        while value < 1e300 {
            let apart = (logarithm(value) - f64::ln(value)).abs();
            assert!(apart < 1e-10 * (1.0 + f64::ln(value)), "{value}: {apart}");
            value *= 1.000_37 + value.fract() * 0.01;
        }
    }
}
