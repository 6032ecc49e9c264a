//! Random numbers that do not depend on threads: a stream for every (seed, index).

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// A stream of random numbers.
pub type Stream = ChaCha8Rng;

/// The stream number `index` of `seed`. Streams are independent of each other, so rows or blocks
/// can be drawn in any order, by any thread, and come out the same.
pub fn stream(seed: u64, index: u64) -> Stream {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(index);
    generator
}

/// A number drawn evenly from [0, 1).
pub fn uniform(stream: &mut Stream) -> f64 {
    (stream.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A number drawn from the normal distribution with mean 0 and variance 1.
pub fn normal(stream: &mut Stream) -> f64 {
    StandardNormal.sample(stream)
}

/// A whole number drawn evenly from 0 to `bound` − 1.
pub fn below(stream: &mut Stream, bound: usize) -> usize {
    ((u128::from(stream.next_u64()) * bound as u128) >> 64) as usize
}

/// A random order of 0 to `count` − 1.
pub fn permutation(stream: &mut Stream, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        order.swap(i, below(stream, i + 1));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ() {
        let draw = |seed, index| uniform(&mut stream(seed, index));
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
    }

    #[test]
    fn normal_has_mean_zero_and_variance_one() {
        let mut stream = stream(7, 0);
        let draws: Vec<f64> = (0..100_000).map(|_| normal(&mut stream)).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|x| x * x).sum::<f64>() / draws.len() as f64;
        assert!(mean.abs() < 0.01, "{mean}");
        assert!((variance - 1.0).abs() < 0.02, "{variance}");
    }

    #[test]
    fn permutation_holds_every_index_once() {
        let mut order = permutation(&mut stream(3, 0), 50);
        assert_ne!(order, (0..50).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    }
}
