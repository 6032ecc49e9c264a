//! Morton order (Z-order curve) of coordinates, in which rows near each other in the plane are mostly near each other in memory.

use rayon::prelude::*;

/// Points that one job gives their codes.
const BLOCK: usize = 4096;

/// Bits of a code for each axis.
pub(super) const fn bits<const D: usize>() -> u32 {
    (62 / D) as u32
}

/// The Morton order of rows by their coordinates, and their codes in that order; rows that share a code keep their order.
pub(super) fn spatial_order<const D: usize>(places: &[[f32; D]]) -> (Vec<u32>, Vec<u64>) {
    let (mut low, mut high) = ([f32::INFINITY; D], [f32::NEG_INFINITY; D]);
    for place in places {
        for axis in 0..D {
            low[axis] = low[axis].min(place[axis]);
            high[axis] = high[axis].max(place[axis]);
        }
    }
    let span = (0..D).map(|axis| f64::from(high[axis]) - f64::from(low[axis]));
    let span = span.fold(0.0, f64::max);
    let steps = (1u64 << bits::<D>()) as f64;
    let scale = if span > 0.0 {
        steps * (1.0 - 1e-9) / span
    } else {
        0.0
    };
    let mut keys: Vec<(u64, u32)> = places
        .par_iter()
        .enumerate()
        .with_min_len(BLOCK)
        .map(|(row, place)| {
            let mut code = 0u64;
            let cells: [u64; D] = std::array::from_fn(|axis| {
                ((f64::from(place[axis]) - f64::from(low[axis])) * scale) as u64
            });
            for bit in (0..bits::<D>()).rev() {
                for cell in cells {
                    code = (code << 1) | ((cell >> bit) & 1);
                }
            }
            (code, row as u32)
        })
        .collect();
    keys.par_sort_unstable();
    keys.into_iter().map(|(code, row)| (row, code)).unzip()
}
