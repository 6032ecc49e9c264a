//! Weights with which a row is closest to the weighted mean of its neighbours.

use super::Patch;
use crate::linalg::small::solve_in_place;

impl Patch {
    /// The weights w, which add up to 1, that minimize ‖x − Σ w x_j‖² + r tr(G) ‖w‖², with G the inner products of
    /// the differences: (G + r tr(G) I) w = 1, up to a factor. Neighbours that all equal the row count alike.
    ///
    /// Without the ridge the weights are not determined where there are more neighbours than dimensions.
    pub(crate) fn barycenter(&mut self, regularization: f64) -> &[f64] {
        let size = self.size;
        self.gram();
        let trace: f64 = (0..size).map(|i| self.gram[i * size + i]).sum();
        let mut ridge = regularization * if trace > 0.0 { trace } else { 1.0 };
        loop {
            self.small.clear();
            self.small.extend_from_slice(&self.gram);
            for i in 0..size {
                self.small[i * size + i] += ridge;
            }
            self.weights.clear();
            self.weights.resize(size, 1.0);
            // Distances that are not those of points in space may need a larger ridge.
            if solve_in_place(&mut self.small, &mut self.weights)
                || ridge > trace
                || !trace.is_finite()
            {
                break;
            }
            ridge *= 10.0;
        }
        let sum: f64 = self.weights.iter().sum();
        let even = 1.0 / size as f64;
        let proper = sum.is_finite() && sum != 0.0;
        for weight in &mut self.weights {
            *weight = if proper { *weight / sum } else { even };
        }
        &self.weights
    }

    /// Writes the lower triangle of (w, −1)(w, −1)ᵀ: its sum over all rows is (I − W)ᵀ(I − W).
    pub(crate) fn weights_block(&mut self, regularization: f64, block: &mut [f64]) {
        self.barycenter(regularization);
        self.weights.push(-1.0);
        let mut index = 0;
        for (a, left) in self.weights.iter().enumerate() {
            for right in &self.weights[..=a] {
                block[index] = left * right;
                index += 1;
            }
        }
    }
}
