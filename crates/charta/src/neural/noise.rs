//! Noise that corrupts the inputs of a network, for denoising autoencoders and against overfitting.

use ndarray::{ArrayViewMut2, Axis};

use crate::linalg::Real;
use crate::parallel::for_each;
use crate::params::Choice;
use crate::random::{normal, stream, uniform};

/// Rows that share a stream.
const BLOCK: usize = 64;
/// Streams of noise come after those of directions.
const STREAMS: u64 = 1 << 56;

/// Corruption of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Noise {
    /// No noise.
    None,
    /// Gaussian noise is added to every value.
    Gaussian,
    /// Masking: a fraction of the values is replaced by the mean of their column.
    Masking,
}

impl Noise {
    /// Corrupts standardized rows: by noise of `level` standard deviations, or by masking the fraction `level` of the values. `step` is the number of the batch.
    pub(crate) fn corrupt<T: Real>(
        self,
        mut rows: ArrayViewMut2<'_, T>,
        level: f64,
        seed: u64,
        step: usize,
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
        let corrupted = |noise: Noise, step| {
            let mut x = Array2::<f32>::ones((300, 50));
            noise.corrupt(x.view_mut(), 0.3, 4, step);
            x
        };
        let moved = corrupted(Noise::Gaussian, 1) - 1.0;
        let deviation = moved.mapv(|v| v * v).mean().unwrap().sqrt();
        assert!((deviation - 0.3).abs() < 0.01, "{deviation}");
        let left = corrupted(Noise::Masking, 1).mean().unwrap();
        assert!((left - 0.7).abs() < 0.02, "{left}");
        assert!(corrupted(Noise::None, 1).iter().all(|&v| v == 1.0));
        assert_eq!(corrupted(Noise::Gaussian, 7), corrupted(Noise::Gaussian, 7));
        assert_ne!(corrupted(Noise::Gaussian, 7), corrupted(Noise::Gaussian, 8));
    }
}
