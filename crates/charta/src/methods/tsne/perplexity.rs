//! Conditional affinities of a row: a Gaussian kernel whose bandwidth gives the required perplexity, found by Newton's method and bisection.
//!
//! p_j ∝ exp(−β d_j²), with β such that the entropy H of p is the logarithm of the perplexity. H falls as β grows, and its derivative
//! by ln β is −β² Var(d²): Newton's steps in ln β, within a bracket that halves where they lead out of it.
//!
//! van der Maaten and Hinton, "Visualizing data using t-SNE", 2008.

use crate::linalg::Exponential;
use crate::linalg::wide::{self, Loop};

/// Numbers summed side by side.
const LANES: usize = 8;
/// How close the entropy comes to the requested one.
const TOLERANCE: f64 = 1e-10;
/// Steps at most: only rows with as many neighbours at their smallest distance as the perplexity take them all.
const MAX_STEPS: usize = 100;
/// The longest step of ln β.
const MAX_LOG_STEP: f64 = 3.0;

/// What the search for a width writes into, kept from row to row.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    gaps: Vec<f64>,
    weights: Vec<f64>,
    sums: Vec<f64>,
}

impl Scratch {
    /// The conditional affinities of the neighbours at these distances, which rise: the mean over all perplexities.
    pub(super) fn conditional_affinities(
        &mut self,
        distances: &[f64],
        perplexities: &[f64],
    ) -> &[f64] {
        self.sums.clear();
        self.sums.resize(distances.len(), 0.0);
        // As fractions of the largest distance they cannot overflow.
        let most = distances.last().copied().unwrap_or(0.0);
        let share = |distance: f64| {
            if most > 0.0 {
                (distance / most).powi(2)
            } else {
                0.0
            }
        };
        let least = distances.first().map_or(0.0, |&first| share(first));
        self.gaps.clear();
        self.gaps
            .extend(distances.iter().map(|&d| share(d) - least));
        self.weights.resize(distances.len(), 0.0);
        for &perplexity in perplexities {
            let total = self.weigh(perplexity) * perplexities.len() as f64;
            for (sum, weight) in self.sums.iter_mut().zip(&self.weights) {
                *sum += weight / total;
            }
        }
        &self.sums
    }

    /// Leaves the weights of a perplexity, and returns their sum.
    fn weigh(&mut self, perplexity: f64) -> f64 {
        let wanted = perplexity.min(self.gaps.len() as f64).max(1.0).ln();
        let mean = self.gaps.iter().sum::<f64>() / self.gaps.len().max(1) as f64;
        let mut log = if mean > 0.0 { -mean.ln() } else { 0.0 };
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut total = 0.0;
        for _ in 0..MAX_STEPS {
            let beta = log.exp();
            let [sum, first, second] = wide::run(Weigh {
                gaps: &self.gaps,
                weights: &mut self.weights,
                beta,
            });
            total = sum;
            let mean = first / sum;
            let excess = sum.ln() + beta * mean - wanted;
            if excess.abs() < TOLERANCE {
                break;
            }
            if excess > 0.0 {
                low = log;
            } else {
                high = log;
            }
            let slope = beta * beta * (second / sum - mean * mean);
            let step = (excess / slope).clamp(-MAX_LOG_STEP, MAX_LOG_STEP);
            let step = if step.is_finite() {
                step
            } else {
                MAX_LOG_STEP.copysign(excess)
            };
            log = match log + step {
                next if next > low && next < high => next,
                _ => 0.5 * (low + high),
            };
        }
        total
    }
}

/// Weights exp(−β gap), and their sum, with the sums of the gaps and their squares weighted by them.
struct Weigh<'a> {
    gaps: &'a [f64],
    weights: &'a mut [f64],
    beta: f64,
}

impl Loop for Weigh<'_> {
    type Output = [f64; 3];

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> [f64; 3] {
        let mut sums = [[0.0; LANES]; 3];
        let (gaps, last_gaps) = self.gaps.as_chunks::<LANES>();
        let (weights, last_weights) = self.weights.as_chunks_mut::<LANES>();
        for (gaps, weights) in gaps.iter().zip(weights) {
            for lane in 0..LANES {
                let weight = (self.beta * gaps[lane]).decay();
                weights[lane] = weight;
                sums[0][lane] += weight;
                sums[1][lane] += weight * gaps[lane];
                sums[2][lane] += weight * gaps[lane] * gaps[lane];
            }
        }
        for (lane, (gap, weight)) in last_gaps.iter().zip(last_weights).enumerate() {
            *weight = (self.beta * gap).decay();
            sums[0][lane] += *weight;
            sums[1][lane] += *weight * gap;
            sums[2][lane] += *weight * gap * gap;
        }
        sums.map(|lanes| lanes.iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn perplexity(shares: &[f64]) -> f64 {
        let entropy: f64 = (shares.iter().filter(|p| **p > 0.0))
            .map(|p| -p * p.ln())
            .sum();
        entropy.exp()
    }

    #[test]
    fn shares_have_the_perplexity_asked_for_at_any_scale() {
        let distances: Vec<f64> = (1..=90).map(|j| (j as f64).sqrt() + 3.0).collect();
        let mut scratch = Scratch::default();
        let plain = scratch.conditional_affinities(&distances, &[30.0]).to_vec();
        assert!((perplexity(&plain) - 30.0).abs() < 1e-7);
        assert!((plain.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        for scale in [1e300, 1e-300] {
            let scaled: Vec<f64> = distances.iter().map(|d| d * scale).collect();
            let shares = scratch.conditional_affinities(&scaled, &[30.0]).to_vec();
            for (a, b) in shares.iter().zip(&plain) {
                assert!((a - b).abs() < 1e-9 * b, "{a} {b}");
            }
        }
    }

    #[test]
    fn several_perplexities_are_averaged() {
        let distances: Vec<f64> = (1..=60).map(|j| (j as f64).ln() + 1.0).collect();
        let mut scratch = Scratch::default();
        let five = scratch.conditional_affinities(&distances, &[5.0]).to_vec();
        let twenty = scratch.conditional_affinities(&distances, &[20.0]).to_vec();
        let both = scratch.conditional_affinities(&distances, &[5.0, 20.0]);
        for ((a, b), c) in five.iter().zip(&twenty).zip(both) {
            assert!((0.5 * (a + b) - c).abs() < 1e-15);
        }
    }

    #[test]
    fn ties_and_twins_share_evenly() {
        let mut scratch = Scratch::default();
        let all = scratch.conditional_affinities(&[0.0; 12], &[4.0]).to_vec();
        assert!(all.iter().all(|p| (p - 1.0 / 12.0).abs() < 1e-12));
        let mut distances = vec![0.0; 8];
        distances.extend([1.0; 4]);
        let some = scratch.conditional_affinities(&distances, &[4.0]);
        assert!(some[..8].iter().all(|p| (p - 0.125).abs() < 1e-6));
        assert!(some[8..].iter().all(|p| *p < 1e-6));
    }
}
