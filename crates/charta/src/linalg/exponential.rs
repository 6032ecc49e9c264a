//! Exponential and hyperbolic tangent of many numbers at once.
//!
//! Polynomials without branches, tables or calls, so that the compiler makes vector instructions of a loop
//! over a slice, also of one that [`super::wide`] compiles for wider registers. Arguments are cut to where the result no longer changes.

use super::real::Real;

/// Precisions that have the functions of this module.
pub trait Exponential: Real {
    /// The hyperbolic tangent, to a few units in the last place.
    fn smooth_tanh(self) -> Self;

    /// e to the power of minus a number that is not negative, to a few units in the last place.
    fn decay(self) -> Self;
}

/// e^y − 1 = scale · (e^r − 1) + (scale − 1), where y = n ln 2 + r, scale = 2ⁿ and |r| ≤ ln 2 / 2: adding
/// a number with no bits below the point rounds y / ln 2 to n, and leaves n in the lowest bits.
macro_rules! exponential {
    ($real:ty, rounder $rounder:expr, mantissa $mantissa:expr, bias $bias:expr,
     ln_2 ($high:expr, $low:expr), limits ($tanh:expr, $decay:expr), series [$($term:expr),*]) => {
        impl Exponential for $real {
            #[inline(always)]
            fn smooth_tanh(self) -> Self {
                let size = self.abs();
                let size = if size < $tanh { size } else { $tanh };
                let (scale, rest) = reduced(2.0 * size);
                let grown = scale * rest + (scale - 1.0);
                (grown / (grown + 2.0)).copysign(self)
            }

            #[inline(always)]
            fn decay(self) -> Self {
                let size = if self < $decay { self } else { $decay };
                let (scale, rest) = reduced(-size);
                scale * rest + scale
            }
        }

        #[inline(always)]
        fn reduced(y: $real) -> ($real, $real) {
            const ROUNDER: $real = $rounder;
            let shifted = y * std::f64::consts::LOG2_E as $real + ROUNDER;
            let n = shifted - ROUNDER;
            let r = (y - n * $high) - n * $low;
            let mut series: $real = 0.0;
            $(series = series * r + 1.0 / $term;)*
            let power = (shifted.to_bits() << $mantissa).wrapping_add($bias << $mantissa);
            (<$real>::from_bits(power), series * r)
        }
    };
}

mod single {
    use super::Exponential;

    exponential!(
        f32, rounder 12_582_912.0, mantissa 23, bias 127,
        ln_2 (0.693_359_4, -2.121_944_4e-4), limits (10.0, 87.0),
        series [5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0]
    );
}

mod double {
    use super::Exponential;

    exponential!(
        f64, rounder 6_755_399_441_055_744.0, mantissa 52, bias 1023,
        ln_2 (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10), limits (20.0, 708.0),
        series [
            6_227_020_800.0, 479_001_600.0, 39_916_800.0, 3_628_800.0, 362_880.0, 40_320.0, 5040.0,
            720.0, 120.0, 24.0, 6.0, 2.0, 1.0
        ]
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of every size from 1e-30 on, of both signs.
    fn arguments(most: f64) -> impl Iterator<Item = f64> {
        let small = (0..4000).map(|i| 10_f64.powf(-30.0 + f64::from(i) / 4000.0 * 30.0));
        let even = (0..40_000).map(move |i| f64::from(i) / 40_000.0 * most);
        small.chain(even).flat_map(|x| [x, -x])
    }

    #[test]
    fn tanh_agrees_with_the_standard_library() {
        for x in arguments(25.0) {
            let (ours, theirs) = (x.smooth_tanh(), x.tanh());
            assert!(
                (ours - theirs).abs() <= 1e-15 * theirs.abs(),
                "{x}: {ours} {theirs}"
            );
            let single = x as f32;
            let theirs = f64::from(single).tanh();
            let ours = f64::from(single.smooth_tanh());
            assert!(
                (ours - theirs).abs() <= 3e-7 * theirs.abs(),
                "{x}: {ours} {theirs}"
            );
        }
        assert_eq!(f64::INFINITY.smooth_tanh(), 1.0);
        assert_eq!((-1e30_f32).smooth_tanh(), -1.0);
    }

    #[test]
    fn decay_agrees_with_the_standard_library() {
        for x in arguments(80.0).filter(|&x| x >= 0.0) {
            let theirs = (-x).exp();
            assert!((x.decay() - theirs).abs() <= 1e-15 * theirs, "{x}");
            let single = x as f32;
            let theirs = (-f64::from(single)).exp();
            let ours = f64::from(single.decay());
            assert!((ours - theirs).abs() <= 3e-7 * theirs, "{x}");
        }
        assert!(f64::INFINITY.decay() < 1e-300 && f32::INFINITY.decay() < 1e-37);
    }
}
