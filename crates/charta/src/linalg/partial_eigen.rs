//! All eigenvalues, but only the leading eigenvectors, of a dense symmetric matrix.
//!
//! The matrix is made tridiagonal, the tridiagonal's eigenvalues are found, and inverse iteration finds
//! the few vectors requested, each kept orthogonal to those before. Turning them back costs 2 n² each
//! instead of n³ for all. For 50 of 784 this takes about half the time of all vectors. What does not
//! pass its own check (clusters that inverse iteration cannot take apart) is left to the full solver.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::evd::tridiag::{tridiag_in_place, tridiag_in_place_scratch};
use faer::linalg::evd::{
    ComputeEigenvectors, self_adjoint_evd_scratch, tridiagonal_self_adjoint_evd,
};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Auto, Conj, Mat, Par, Spec};
use ndarray::{Array1, Array2, ArrayView2};

use super::bridge::{matrix, parallelism};
use super::eigen::{self, Eigen, fix_signs};
use crate::error::Result;
use crate::random::{normal, stream};

/// Below this size all vectors are as quick.
const SMALL: usize = 128;
/// Vectors requested must be at most one in this many.
const SHARE: usize = 6;
/// Rounds of inverse iteration; two or three are usual.
const MAX_ROUNDS: usize = 8;

/// The `count` largest eigenpairs, and all eigenvalues, largest first. The lower triangle is read.
pub(crate) fn leading(matrix_: &ArrayView2<'_, f64>, count: usize) -> Result<(Eigen, Array1<f64>)> {
    let size = matrix_.nrows();
    let finite = matrix_.iter().all(|value| value.is_finite());
    if finite
        && size >= SMALL
        && count * SHARE <= size
        && let Some(found) = by_inverse_iteration(matrix_, count)
    {
        return Ok(found);
    }
    let all = eigen::symmetric(matrix_)?;
    let kept = Eigen {
        values: all.values.slice(ndarray::s![..count.min(size)]).to_owned(),
        vectors: all
            .vectors
            .slice(ndarray::s![..count.min(size), ..])
            .to_owned(),
    };
    Ok((kept, all.values))
}

fn by_inverse_iteration(
    matrix_: &ArrayView2<'_, f64>,
    count: usize,
) -> Option<(Eigen, Array1<f64>)> {
    let size = matrix_.nrows();
    let reduced = Reduced::of(matrix_);
    let values = reduced.tridiagonal.eigenvalues()?;
    let vectors = reduced.tridiagonal.vectors(&values[..count])?;
    let back = reduced.turn_back(&vectors);
    let mut vectors = Array2::from_shape_fn((count, size), |(i, j)| back[(j, i)]);
    fix_signs(vectors.view_mut());
    let all = Array1::from_vec(values);
    let kept = Eigen {
        values: all.slice(ndarray::s![..count]).to_owned(),
        vectors,
    };
    Some((kept, all))
}

/// A matrix turned into tridiagonal form, with the turn.
struct Reduced {
    factors: Mat<f64>,
    householder: Mat<f64>,
    tridiagonal: Tridiagonal,
}

impl Reduced {
    fn of(matrix_: &ArrayView2<'_, f64>) -> Self {
        let size = matrix_.nrows();
        // Bound by memory, not by arithmetic: more threads were slower (784: 25 against 28 ms).
        let par = Par::Seq;
        let mut factors = matrix(matrix_);
        let block = recommended_block_size::<f64>(size, size);
        let mut householder = Mat::zeros(block, size - 1);
        let params: Spec<_, f64> = Spec::new(<_ as Auto<f64>>::auto());
        let request = tridiag_in_place_scratch::<f64>(size, par, params);
        let mut memory = MemBuffer::new(request);
        tridiag_in_place(
            factors.as_mut(),
            householder.as_mut(),
            par,
            MemStack::new(&mut memory),
            params,
        );
        let tridiagonal = Tridiagonal {
            diagonal: (0..size).map(|i| factors[(i, i)]).collect(),
            beside: (1..size).map(|i| factors[(i, i - 1)]).collect(),
        };
        Self {
            factors,
            householder,
            tridiagonal,
        }
    }

    /// Vectors of the tridiagonal turned back into vectors of the matrix, in columns.
    fn turn_back(&self, vectors: &[Vec<f64>]) -> Mat<f64> {
        let size = self.factors.nrows();
        let par = parallelism(size);
        let mut turned = Mat::from_fn(size, vectors.len(), |i, j| vectors[j][i]);
        let request = apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(
            size - 1,
            self.householder.nrows(),
            vectors.len(),
        );
        let mut memory = MemBuffer::new(request);
        apply_block_householder_sequence_on_the_left_in_place_with_conj(
            self.factors.submatrix(1, 0, size - 1, size - 1),
            self.householder.as_ref(),
            Conj::No,
            turned.as_mut().subrows_mut(1, size - 1),
            par,
            MemStack::new(&mut memory),
        );
        turned
    }
}

/// A symmetric tridiagonal matrix.
struct Tridiagonal {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
}

impl Tridiagonal {
    /// All eigenvalues, largest first.
    fn eigenvalues(&self) -> Option<Vec<f64>> {
        let size = self.diagonal.len();
        let par = parallelism(size);
        let mut diagonal = Diag::<f64>::zeros(size);
        let mut beside = Diag::<f64>::zeros(size);
        for i in 0..size {
            diagonal[i] = self.diagonal[i];
            beside[i] = self.beside.get(i).copied().unwrap_or(0.0);
        }
        let params: Spec<_, f64> = Spec::new(<_ as Auto<f64>>::auto());
        // The full solver's workspace is more than enough for the values of a tridiagonal matrix.
        let request = self_adjoint_evd_scratch::<f64>(size, ComputeEigenvectors::No, par, params);
        let mut memory = MemBuffer::new(StackReq::all_of(&[request]));
        let mut values = Diag::<f64>::zeros(size);
        tridiagonal_self_adjoint_evd(
            diagonal.as_ref(),
            beside.as_ref(),
            values.as_mut(),
            None,
            par,
            MemStack::new(&mut memory),
            params,
        )
        .ok()?;
        Some((0..size).rev().map(|i| values[i]).collect())
    }

    /// The largest row sum: no eigenvalue is larger.
    fn norm(&self) -> f64 {
        let size = self.diagonal.len();
        (0..size)
            .map(|i| {
                let left = if i > 0 { self.beside[i - 1].abs() } else { 0.0 };
                let right = self.beside.get(i).map_or(0.0, |value| value.abs());
                left + self.diagonal[i].abs() + right
            })
            .fold(0.0, f64::max)
    }

    /// Eigenvectors of the given eigenvalues, orthonormal. `None` if one does not pass its check.
    fn vectors(&self, values: &[f64]) -> Option<Vec<Vec<f64>>> {
        let size = self.diagonal.len();
        let norm = self.norm();
        let tolerance = 4.0 * size as f64 * f64::EPSILON * norm;
        let mut found: Vec<Vec<f64>> = Vec::with_capacity(values.len());
        let mut previous = f64::INFINITY;
        for (index, &value) in values.iter().enumerate() {
            // Equal eigenvalues are set apart by a little, so that their solves differ.
            let shifted = value.min(previous - 4.0 * f64::EPSILON * norm);
            previous = shifted;
            let factors = ShiftedFactors::of(self, shifted, f64::EPSILON * norm);
            let mut stream = stream(0, index as u64);
            let mut vector: Vec<f64> = (0..size).map(|_| normal(&mut stream)).collect();
            let mut passed = false;
            for _ in 0..MAX_ROUNDS {
                normalize(&mut vector);
                factors.solve(&mut vector);
                for _ in 0..2 {
                    remove(&mut vector, &found);
                }
                normalize(&mut vector);
                if passed {
                    break;
                }
                // One round more after the first that is good enough.
                passed = self.residual(&vector, value) <= tolerance;
            }
            if !passed || self.residual(&vector, value) > tolerance {
                return None;
            }
            found.push(vector);
        }
        Some(found)
    }

    fn residual(&self, vector: &[f64], value: f64) -> f64 {
        let size = vector.len();
        let mut sum = 0.0;
        for i in 0..size {
            let mut rest = (self.diagonal[i] - value) * vector[i];
            if i > 0 {
                rest += self.beside[i - 1] * vector[i - 1];
            }
            if i + 1 < size {
                rest += self.beside[i] * vector[i + 1];
            }
            sum += rest * rest;
        }
        sum.sqrt()
    }
}

fn normalize(vector: &mut [f64]) {
    // Solves may be as large as numbers go: divide by the largest entry before squaring.
    let largest = vector
        .iter()
        .fold(0.0_f64, |most, entry| most.max(entry.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return;
    }
    vector.iter_mut().for_each(|entry| *entry /= largest);
    let length = vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    vector.iter_mut().for_each(|entry| *entry /= length);
}

fn remove(vector: &mut [f64], found: &[Vec<f64>]) {
    normalize(vector);
    for other in found {
        let share: f64 = vector.iter().zip(other).map(|(a, b)| a * b).sum();
        for (entry, b) in vector.iter_mut().zip(other) {
            *entry -= share * b;
        }
    }
}

/// L and U of a shifted tridiagonal matrix, with row swaps.
struct ShiftedFactors {
    pivots: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    multipliers: Vec<f64>,
    swapped: Vec<bool>,
}

impl ShiftedFactors {
    /// Factors T − value I; pivots smaller than `least` are replaced by it.
    fn of(matrix: &Tridiagonal, value: f64, least: f64) -> Self {
        let size = matrix.diagonal.len();
        let beside = |i: usize| matrix.beside.get(i).copied().unwrap_or(0.0);
        let mut factors = Self {
            pivots: vec![0.0; size],
            first: vec![0.0; size],
            second: vec![0.0; size],
            multipliers: vec![0.0; size],
            swapped: vec![false; size],
        };
        let (mut pivot, mut next) = (matrix.diagonal[0] - value, beside(0));
        for i in 0..size - 1 {
            let below = matrix.beside[i];
            let diagonal = matrix.diagonal[i + 1] - value;
            if pivot.abs() >= below.abs() {
                let pivot_used = if pivot.abs() < least { least } else { pivot };
                let multiplier = below / pivot_used;
                factors.pivots[i] = pivot_used;
                factors.first[i] = next;
                factors.multipliers[i] = multiplier;
                pivot = diagonal - multiplier * next;
                next = beside(i + 1);
            } else {
                let multiplier = pivot / below;
                factors.pivots[i] = below;
                factors.first[i] = diagonal;
                factors.second[i] = beside(i + 1);
                factors.multipliers[i] = multiplier;
                factors.swapped[i] = true;
                pivot = next - multiplier * diagonal;
                next = -multiplier * beside(i + 1);
            }
        }
        factors.pivots[size - 1] = if pivot.abs() < least { least } else { pivot };
        factors
    }

    /// Solves in place.
    fn solve(&self, vector: &mut [f64]) {
        let size = vector.len();
        for i in 0..size - 1 {
            if self.swapped[i] {
                vector.swap(i, i + 1);
            }
            vector[i + 1] -= self.multipliers[i] * vector[i];
        }
        for i in (0..size).rev() {
            let mut value = vector[i];
            if i + 1 < size {
                value -= self.first[i] * vector[i + 1];
            }
            if i + 2 < size {
                value -= self.second[i] * vector[i + 2];
            }
            vector[i] = value / self.pivots[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    fn check(matrix_: &Array2<f64>, count: usize) {
        let size = matrix_.nrows();
        let (kept, all) = leading(&matrix_.view(), count).unwrap();
        let dense = eigen::symmetric(&matrix_.view()).unwrap();
        let scale = dense.values[0].abs().max(1e-300);
        assert_eq!(all.len(), size);
        for (a, b) in all.iter().zip(&dense.values) {
            assert!((a - b).abs() < 1e-12 * scale, "{a} {b}");
        }
        let unit = kept.vectors.dot(&kept.vectors.t());
        assert!(
            (unit - Array2::<f64>::eye(count))
                .iter()
                .all(|d| d.abs() < 1e-12)
        );
        let images = kept.vectors.dot(matrix_);
        for i in 0..count {
            for j in 0..size {
                let want = kept.values[i] * kept.vectors[[i, j]];
                assert!((images[[i, j]] - want).abs() < 1e-11 * scale);
            }
        }
    }

    fn smooth(size: usize) -> Array2<f64> {
        Array2::from_shape_fn((size, size), |(i, j)| {
            (-(i as f64 - j as f64).powi(2) / 300.0).exp()
        })
    }

    #[test]
    fn leading_pairs_equal_those_of_the_full_solver() {
        check(&smooth(200), 20);
        check(&smooth(300), 1);
    }

    #[test]
    fn equal_eigenvalues_get_orthonormal_vectors() {
        // Three copies of one matrix beside each other: every eigenvalue comes three times.
        let part = smooth(60);
        let mut blocks = Array2::zeros((180, 180));
        for k in 0..3 {
            let range = k * 60..(k + 1) * 60;
            blocks
                .slice_mut(ndarray::s![range.clone(), range])
                .assign(&part);
        }
        check(&blocks, 12);
        check(&Array2::eye(150), 5);
        check(&Array2::zeros((150, 150)), 3);
    }

    #[test]
    fn rows_of_zeros_do_no_harm() {
        let mut x = smooth(200);
        for k in [0, 17, 199] {
            x.row_mut(k).fill(0.0);
            x.column_mut(k).fill(0.0);
        }
        check(&x, 15);
    }
}
