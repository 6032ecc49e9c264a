//! Eigenvectors and solutions of small symmetric matrices, thousands of them one after the other, in memory that is
//! taken once.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Auto, Mat, MatRef, Par, Spec};

/// Up to this size rotations are quicker than reducing to three diagonals.
const ROTATIONS: usize = 4;
/// Sweeps of rotations at most; five are usual.
const MAX_SWEEPS: usize = 40;

/// Finds all eigenpairs of small symmetric matrices.
#[derive(Default)]
pub(crate) struct SmallEigen {
    values: Vec<f64>,
    /// One vector a row.
    vectors: Vec<f64>,
    memory: Option<(usize, MemBuffer)>,
}

impl std::fmt::Debug for SmallEigen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SmallEigen").finish_non_exhaustive()
    }
}

impl SmallEigen {
    /// The eigenvalues, largest first, and vectors, one a row, of the symmetric `matrix` of that size, which is used
    /// up. Not a number anywhere gives not a number everywhere.
    pub(crate) fn decompose(&mut self, matrix: &mut [f64], size: usize) -> (&[f64], &[f64]) {
        self.values.clear();
        self.values.resize(size, f64::NAN);
        self.vectors.clear();
        self.vectors.resize(size * size, f64::NAN);
        if matrix.iter().all(|value| value.is_finite()) {
            if size <= ROTATIONS {
                self.rotate(matrix, size);
            } else {
                self.reduce(matrix, size);
            }
        }
        (&self.values, &self.vectors)
    }

    /// Jacobi's method: every entry beside the diagonal is turned to 0 in its turn.
    fn rotate(&mut self, matrix: &mut [f64], size: usize) {
        let mut turn = [0.0; ROTATIONS * ROTATIONS];
        for i in 0..size {
            turn[i * size + i] = 1.0;
        }
        let whole: f64 = matrix.iter().map(|value| value * value).sum();
        for _ in 0..MAX_SWEEPS {
            let mut beside = 0.0;
            for p in 0..size {
                for q in p + 1..size {
                    beside += matrix[p * size + q].powi(2);
                    rotate_pair(matrix, &mut turn, size, p, q);
                }
            }
            if beside <= 1e-40 * whole {
                break;
            }
        }
        let mut order = [0, 1, 2, 3];
        let own = |i: usize| matrix[i * size + i];
        order[..size].sort_by(|&a, &b| own(b).total_cmp(&own(a)));
        for (index, &from) in order[..size].iter().enumerate() {
            self.values[index] = own(from);
            for j in 0..size {
                self.vectors[index * size + j] = turn[from * size + j];
            }
        }
    }

    fn reduce(&mut self, matrix: &[f64], size: usize) {
        let params: Spec<_, f64> = Spec::new(<_ as Auto<f64>>::auto());
        let wanted = ComputeEigenvectors::Yes;
        if self.memory.as_ref().is_none_or(|(known, _)| *known != size) {
            let request = self_adjoint_evd_scratch::<f64>(size, wanted, Par::Seq, params);
            self.memory = Some((size, MemBuffer::new(request)));
        }
        let Some((_, memory)) = &mut self.memory else {
            return;
        };
        let mut values = Diag::<f64>::zeros(size);
        let mut basis = Mat::zeros(size, size);
        let done = self_adjoint_evd(
            MatRef::from_row_major_slice(matrix, size, size),
            values.as_mut(),
            Some(basis.as_mut()),
            Par::Seq,
            MemStack::new(memory),
            params,
        );
        if done.is_err() {
            return;
        }
        for index in 0..size {
            let from = size - 1 - index;
            self.values[index] = values.column_vector()[from];
            for j in 0..size {
                self.vectors[index * size + j] = basis[(j, from)];
            }
        }
    }
}

/// Turns the entry (p, q) of a symmetric matrix to 0; `turn` holds the vectors, one a row.
fn rotate_pair(matrix: &mut [f64], turn: &mut [f64], size: usize, p: usize, q: usize) {
    let across = matrix[p * size + q];
    if across == 0.0 {
        return;
    }
    let theta = (matrix[q * size + q] - matrix[p * size + p]) / (2.0 * across);
    let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let cosine = tangent.hypot(1.0).recip();
    let sine = tangent * cosine;
    for j in 0..size {
        let (a, b) = (matrix[p * size + j], matrix[q * size + j]);
        matrix[p * size + j] = cosine * a - sine * b;
        matrix[q * size + j] = sine * a + cosine * b;
        let (a, b) = (turn[p * size + j], turn[q * size + j]);
        turn[p * size + j] = cosine * a - sine * b;
        turn[q * size + j] = sine * a + cosine * b;
    }
    for i in 0..size {
        let (a, b) = (matrix[i * size + p], matrix[i * size + q]);
        matrix[i * size + p] = cosine * a - sine * b;
        matrix[i * size + q] = sine * a + cosine * b;
    }
    matrix[p * size + q] = 0.0;
    matrix[q * size + p] = 0.0;
}

/// Solves `matrix` · x = `right` in place for a symmetric positive definite matrix, whose lower triangle is used up;
/// false if it is not.
pub(crate) fn solve_in_place(matrix: &mut [f64], right: &mut [f64]) -> bool {
    let size = right.len();
    for i in 0..size {
        for j in 0..=i {
            let (before, row) = matrix.split_at_mut(i * size);
            let mut sum = row[j];
            if j < i {
                let other = &before[j * size..j * size + j];
                for (a, b) in row[..j].iter().zip(other) {
                    sum -= a * b;
                }
                row[j] = sum / before[j * size + j];
            } else {
                for a in &row[..j] {
                    sum -= a * a;
                }
                if sum.is_nan() || sum <= 0.0 {
                    return false;
                }
                row[j] = sum.sqrt();
            }
        }
    }
    for i in 0..size {
        let mut sum = right[i];
        for j in 0..i {
            sum -= matrix[i * size + j] * right[j];
        }
        right[i] = sum / matrix[i * size + i];
    }
    for i in (0..size).rev() {
        let mut sum = right[i];
        for j in i + 1..size {
            sum -= matrix[j * size + i] * right[j];
        }
        right[i] = sum / matrix[i * size + i];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gram(size: usize, rank: usize) -> Vec<f64> {
        let x = |i: usize, j: usize| (((i + 1) * (j + 2)) as f64 * 0.7).sin();
        let mut matrix = vec![0.0; size * size];
        for i in 0..size {
            for j in 0..size {
                matrix[i * size + j] = (0..rank).map(|r| x(r, i) * x(r, j)).sum();
            }
        }
        matrix
    }

    #[test]
    fn every_size_gives_falling_values_and_orthonormal_vectors() {
        let mut eigen = SmallEigen::default();
        for size in 1..12 {
            for rank in [1, size] {
                let matrix = gram(size, rank);
                let (values, vectors) = eigen.decompose(&mut matrix.clone(), size);
                assert!(values.windows(2).all(|w| w[0] >= w[1]));
                for a in 0..size {
                    let va = &vectors[a * size..(a + 1) * size];
                    for i in 0..size {
                        let image: f64 = (0..size).map(|j| matrix[i * size + j] * va[j]).sum();
                        assert!((image - values[a] * va[i]).abs() < 1e-13, "{size} {rank}");
                    }
                    for b in 0..size {
                        let vb = &vectors[b * size..(b + 1) * size];
                        let same: f64 = va.iter().zip(vb).map(|(x, y)| x * y).sum();
                        assert!((same - f64::from(u8::from(a == b))).abs() < 1e-13);
                    }
                }
            }
        }
        let (values, _) = eigen.decompose(&mut [f64::NAN; 4], 2);
        assert!(values[0].is_nan());
    }

    #[test]
    fn solutions_satisfy_the_equation() {
        let size = 7;
        let mut matrix = gram(size, size + 3);
        for i in 0..size {
            matrix[i * size + i] += 0.5;
        }
        let mut x: Vec<f64> = (0..size).map(|i| 1.0 + i as f64).collect();
        assert!(solve_in_place(&mut matrix.clone(), &mut x));
        for i in 0..size {
            let sum: f64 = (0..size).map(|j| matrix[i * size + j] * x[j]).sum();
            assert!((sum - 1.0 - i as f64).abs() < 1e-12);
        }
        assert!(!solve_in_place(&mut gram(3, 1), &mut [1.0; 3]));
    }
}
