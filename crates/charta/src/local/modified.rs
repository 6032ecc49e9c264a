//! Several weight vectors a row: modified locally linear embedding.
//!
//! Zhang and Wang give each row the s weight vectors W = V H + (1 − α) w 1ᵀ, where V is a basis of the s directions in
//! which its neighbours hardly vary, H turns Vᵀ1 into α 1, and w are the ridge weights. The matrix needs only W Wᵀ and
//! W 1, and these depend on the projection P = V Vᵀ alone, because V H 1 = P 1 / α:
//! W Wᵀ = P + (1 − α)/α (P 1 wᵀ + w 1ᵀ P) + (1 − α)² s w wᵀ and W 1 = P 1 / α + (1 − α) s w.

use super::Patch;

/// How spread the neighbours of a row are beyond its first directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spread {
    /// Variances along all directions, largest first.
    values: Vec<f64>,
}

impl Spread {
    /// The variance beyond the first `n_components` directions over that within: 0 where there is none.
    pub(crate) fn ratio(&self, n_components: usize) -> f64 {
        let inside: f64 = self.values.iter().take(n_components).sum();
        let beyond: f64 = self.values.iter().skip(n_components).sum();
        if inside > 0.0 { beyond / inside } else { 0.0 }
    }

    /// How many of `size` directions, counted from the last, hold together less than the fraction `eta` of the rest.
    fn n_flat(&self, size: usize, eta: f64) -> usize {
        if self.values.iter().sum::<f64>() <= 0.0 {
            return size;
        }
        let beside = size - self.values.len().min(size);
        // By the same sums as `ratio`, because the median is a row's own ratio, and that is not less than itself.
        let inside = 1..self.values.len();
        let flat = beside + inside.filter(|&count| self.ratio(count) < eta).count();
        flat.max(1)
    }
}

impl Patch {
    /// The variances of the neighbours about the row.
    pub(crate) fn spread(&mut self) -> Spread {
        self.directions(0, false);
        Spread {
            values: self.values.clone(),
        }
    }

    /// Writes the lower triangle of (W, −1)(W, −1)ᵀ: W for the neighbours, −1 s times for the row itself. An α below
    /// `tolerance` counts as 0.
    pub(crate) fn modified_block(
        &mut self,
        spread: &Spread,
        eta: f64,
        rule: Rule,
        block: &mut [f64],
    ) {
        let size = self.size;
        self.barycenter(rule.regularization);
        let flat = spread.n_flat(size, eta);
        self.directions(size - flat, false);
        let s = flat as f64;
        // P 1, with P the identity less the directions in which the neighbours vary.
        self.further.clear();
        self.further.resize(size, 1.0);
        for vector in self.vectors.chunks_exact(size) {
            let sum: f64 = vector.iter().sum();
            for (entry, u) in self.further.iter_mut().zip(vector) {
                *entry -= sum * u;
            }
        }
        let alpha = (self.further.iter().sum::<f64>().max(0.0) / s).sqrt();
        let inverse = if alpha > rule.tolerance {
            1.0 / alpha
        } else {
            0.0
        };
        let (w, p) = (&self.weights, &self.further);
        let mixed = (1.0 - alpha) * inverse;
        let twice = (1.0 - alpha).powi(2) * s;
        let mut index = 0;
        for a in 0..size {
            for b in 0..=a {
                let varied: f64 = self.vectors.chunks_exact(size).map(|u| u[a] * u[b]).sum();
                block[index] = f64::from(u8::from(a == b)) - varied
                    + mixed * (p[a] * w[b] + w[a] * p[b])
                    + twice * w[a] * w[b];
                index += 1;
            }
        }
        for a in 0..size {
            block[index + a] = -(p[a] * inverse + (1.0 - alpha) * s * w[a]);
        }
        block[index + size] = s;
    }
}

/// How weights are found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// The ridge of the weights w.
    pub regularization: f64,
    /// Below this α counts as 0.
    pub tolerance: f64,
}

/// The middle one of some values, or the mean of the middle two.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => 0.0,
        count if count % 2 == 1 => values[half],
        _ => 0.5 * (values[half - 1] + values[half]),
    }
}
