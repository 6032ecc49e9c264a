//! What spoils the inputs of a network that is to restore them.

use ndarray::{ArrayViewMut2, Axis};

use crate::linalg::Real;
use crate::parallel::for_each;
use crate::params::Choice;
use crate::random::{normal, stream, uniform};

/// Rows that share a stream.
const BLOCK: usize = 64;
/// Streams of noise come after those of directions.
const STREAMS: u64 = 1 << 56;

/// How rows are spoiled before they enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Noise {
    /// Not at all.
    None,
    /// Every value is moved by a number from the normal distribution.
    Gaussian,
    /// Some values are replaced by their column's mean.
    Masking,
}

impl Noise {
    /// Spoils standardized rows: by `level` usual deviations, or `level` of the values. `step` tells one batch from another.
    pub fn spoil<T: Real>(
        self,
        mut rows: ArrayViewMut2<'_, T>,
        level: f64,
        (seed, step): (u64, usize),
    ) {
        if self == Self::None {
            return;
        }
        let first = STREAMS + ((step as u64) << 20);
        for_each(
            rows.axis_chunks_iter_mut(Axis(0), BLOCK),
            |block, mut rows| {
                let mut draw = stream(seed, first + block as u64);
                for value in &mut rows {
                    match self {
                        Self::Gaussian => *value += T::of(level * normal(&mut draw)),
                        _ if uniform(&mut draw) < level => *value = T::of(0.0),
                        _ => {}
                    }
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn noise_has_the_level_asked_for_and_repeats() {
        let spoiled = |noise: Noise, step| {
            let mut x = Array2::<f32>::ones((300, 50));
            noise.spoil(x.view_mut(), 0.3, (4, step));
            x
        };
        let moved = spoiled(Noise::Gaussian, 1) - 1.0;
        let deviation = moved.mapv(|v| v * v).mean().unwrap().sqrt();
        assert!((deviation - 0.3).abs() < 0.01, "{deviation}");
        let left = spoiled(Noise::Masking, 1).mean().unwrap();
        assert!((left - 0.7).abs() < 0.02, "{left}");
        assert!(spoiled(Noise::None, 1).iter().all(|&v| v == 1.0));
        assert_eq!(spoiled(Noise::Gaussian, 7), spoiled(Noise::Gaussian, 7));
        assert_ne!(spoiled(Noise::Gaussian, 7), spoiled(Noise::Gaussian, 8));
    }
}
