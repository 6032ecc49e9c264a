//! Second derivatives along the tangent.

use super::Patch;
use super::dot;
use super::tangents::make_orthonormal;

impl Patch {
    /// Writes the lower triangle of HᵀH, where the rows of H are what is left of the products of every two tangent
    /// coordinates when everything linear is taken out, made orthonormal one after the other. Products that are
    /// linear but for the fraction `tolerance` are left out. Returns how many directions the tangent had.
    pub(crate) fn hessian_block(
        &mut self,
        n_components: usize,
        tolerance: f64,
        block: &mut [f64],
    ) -> usize {
        let size = self.size;
        let found = self.directions(n_components, true);
        // The constant, the tangent, then the products.
        self.further.clear();
        self.further.resize(size, (size as f64).sqrt().recip());
        self.further.extend_from_slice(&self.vectors);
        let linear = self.further.len();
        for a in 0..found {
            for b in a..found {
                let start = self.further.len();
                let (one, other) = (&self.vectors[a * size..], &self.vectors[b * size..]);
                self.further
                    .extend(one.iter().zip(other).take(size).map(|(x, y)| x * y));
                let (before, vector) = self.further.split_at_mut(start);
                let whole = dot(vector, vector).sqrt();
                remove(vector, before, size);
                let rest = dot(vector, vector).sqrt();
                if rest > tolerance * whole {
                    // Once more, for what rounding left.
                    make_orthonormal(vector, before, size);
                } else {
                    self.further.truncate(start);
                }
            }
        }
        let mut index = 0;
        for a in 0..size {
            for b in 0..=a {
                let rows = self.further[linear..].chunks_exact(size);
                block[index] = rows.map(|h| h[a] * h[b]).sum();
                index += 1;
            }
        }
        found
    }
}

fn remove(vector: &mut [f64], before: &[f64], size: usize) {
    for other in before.chunks_exact(size) {
        let share = dot(vector, other);
        for (entry, its) in vector.iter_mut().zip(other) {
            *entry -= share * its;
        }
    }
}
