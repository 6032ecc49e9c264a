//! Gradients of UMAP's cross-entropy for sixteen edges at once: attraction along an edge, repulsion from a negative sample.
//!
//! With q = 1 / (1 + a d^2b) the similarity in the embedding, −ln q has the gradient 2ab d^(2b−2) / (1 + a d^2b) times the difference of the
//! coordinates, and −ln (1 − q) the gradient −2b / (d² (1 + a d^2b)) times it.

use super::curve::Curve;
use super::optimize::LANES;
use crate::linalg::wide::step;

/// One number for each of the edges that are handled together.
pub(super) type Lane = [f32; LANES];

/// Squared distances below this count as this.
const LEAST: f32 = 1e-20;
/// Added to squared distances in the repulsion, which would be infinite at distance 0.
const REPULSION_OFFSET: f32 = 1e-3;
/// Gradients are clipped to this, as in umap-learn.
pub(super) const GRADIENT_CLIP: f32 = 4.0;

/// The parameters of the gradients.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forces {
    pub(super) a: f32,
    pub(super) b: f32,
    pub(super) repulsion: f32,
}

impl Forces {
    pub(super) fn new(curve: &Curve, repulsion: f64) -> Self {
        Self {
            a: curve.a as f32,
            b: curve.b as f32,
            repulsion: repulsion as f32,
        }
    }

    /// The gradient of −ln q, as a factor of the difference.
    #[inline(always)]
    pub(super) fn attraction<const FUSED: bool>(&self, squared: &Lane) -> Lane {
        let mut slopes = power::<FUSED>(squared, self.b);
        let factor = 2.0 * self.a * self.b;
        for l in 0..LANES {
            let below = larger(squared[l], LEAST) * step::<f32, FUSED>(self.a, slopes[l], 1.0);
            slopes[l] = factor * slopes[l] / below;
        }
        slopes
    }

    /// The similarity q.
    #[inline(always)]
    pub(super) fn similarity<const FUSED: bool>(&self, squared: &Lane) -> Lane {
        let mut similarities = power::<FUSED>(squared, self.b);
        for similarity in &mut similarities {
            *similarity = 1.0 / step::<f32, FUSED>(self.a, *similarity, 1.0);
        }
        similarities
    }

    /// Minus the gradient of −ln (1 − q), as a factor of the difference.
    #[inline(always)]
    pub(super) fn repulsion_factor<const FUSED: bool>(&self, squared: &Lane) -> Lane {
        let mut slopes = power::<FUSED>(squared, self.b);
        let factor = 2.0 * self.b * self.repulsion;
        for l in 0..LANES {
            let below =
                (squared[l] + REPULSION_OFFSET) * step::<f32, FUSED>(self.a, slopes[l], 1.0);
            slopes[l] = factor / below;
        }
        slopes
    }
}

#[inline(always)]
pub(super) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
pub(super) fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// A number, clipped to the range from −`most` to `most`.
#[inline(always)]
pub(super) fn clipped(value: f32, most: f32) -> f32 {
    smaller(larger(value, -most), most)
}

/// x^e for x > 0, to a few parts in 100,000: 2^(e log₂ x), both by polynomials fitted at Chebyshev nodes.
#[inline(always)]
fn power<const FUSED: bool>(x: &Lane, exponent: f32) -> Lane {
    // A plain loop: a closure would be compiled separately, without the SIMD features of the caller.
    let mut powers = *x;
    for power in &mut powers {
        *power = exp2::<FUSED>(exponent * log2::<FUSED>(larger(*power, LEAST)));
    }
    powers
}

#[inline(always)]
fn log2<const FUSED: bool>(x: f32) -> f32 {
    const P: [f32; 6] = [
        1.442_683_2,
        -0.720_442_4,
        0.469_301_7,
        -0.303_389_67,
        0.146_433_6,
        -0.034_595_21,
    ];
    let bits = x.to_bits();
    let whole = ((bits >> 23) as i32 - 127) as f32;
    let rest = f32::from_bits((bits & 0x007f_ffff) | 0x3f80_0000) - 1.0;
    let sum = step::<f32, FUSED>(P[5], rest, P[4]);
    let sum = step::<f32, FUSED>(sum, rest, P[3]);
    let sum = step::<f32, FUSED>(sum, rest, P[2]);
    let sum = step::<f32, FUSED>(sum, rest, P[1]);
    let sum = step::<f32, FUSED>(sum, rest, P[0]);
    step::<f32, FUSED>(sum, rest, whole)
}

#[inline(always)]
fn exp2<const FUSED: bool>(x: f32) -> f32 {
    const P: [f32; 5] = [
        1.000_000_1,
        0.693_121,
        0.240_221_07,
        0.055_922_04,
        0.009_676_04,
    ];
    /// Added, it leaves the nearest whole number in the last bits.
    const ROUNDS: f32 = 12_582_912.0;
    let x = clipped(x, 126.0);
    let shifted = x + ROUNDS;
    let rest = x - (shifted - ROUNDS);
    let sum = step::<f32, FUSED>(P[4], rest, P[3]);
    let sum = step::<f32, FUSED>(sum, rest, P[2]);
    let sum = step::<f32, FUSED>(sum, rest, P[1]);
    let sum = step::<f32, FUSED>(sum, rest, P[0]);
    sum * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_right_to_a_few_parts_in_a_hundred_thousand() {
        for exponent in [0.5f32, 0.895, 1.0, 1.9] {
            for i in -60..40 {
                let x = 1.37f32.powi(i) * 1.1;
                let got = f64::from(power::<true>(&[x; LANES], exponent)[0]);
                let want = f64::from(x).powf(f64::from(exponent));
                assert!(
                    (got / want - 1.0).abs() < 1e-4,
                    "{x} {exponent} {got} {want}"
                );
            }
        }
    }

    /// The slopes against differences of the two parts of the cross-entropy.
    #[test]
    fn forces_are_the_slopes_of_the_cross_entropy() {
        for (min_dist, spread) in [(0.1, 1.0), (0.5, 1.0), (0.0, 2.0)] {
            let curve = Curve::fitted(min_dist, spread).unwrap();
            let forces = Forces::new(&curve, 1.0);
            for x in [0.3, 0.8, 1.7, 4.0] {
                let squared = [(x * x) as f32; LANES];
                let h = 1e-5;
                let slope = |f: &dyn Fn(f64) -> f64| (f(x + h) - f(x - h)) / (2.0 * h);
                let pulled = slope(&|x: f64| -curve.at(x * x).ln());
                let got = f64::from(forces.attraction::<false>(&squared)[0]) * x;
                assert!((got / pulled - 1.0).abs() < 1e-3, "{got} {pulled}");
                let pushed = -slope(&|x: f64| -(1.0 - curve.at(x * x)).ln());
                // The reference softens the singularity; without that it is the slope.
                let soft = (x * x + f64::from(REPULSION_OFFSET)) / (x * x);
                let got = f64::from(forces.repulsion_factor::<false>(&squared)[0]) * x * soft;
                assert!((got / pushed - 1.0).abs() < 1e-3, "{got} {pushed}");
            }
        }
    }
}
