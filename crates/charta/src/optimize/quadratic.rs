//! Least squares with coordinates that are not negative: ½ wᵀGw − pᵀw + lasso · Σw, one small problem a row.
//!
//! Coordinate steps improve a guess cheaply; block pivoting finds the optimum exactly.
//!
//! Kim and Park, "Fast nonnegative matrix factorization: an active-set-like method and comparisons", 2011;
//! Gillis and Glineur, "Accelerated multiplicative updates and hierarchical ALS algorithms", 2012.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::scaled::Tally;
use crate::linalg::product::product_into;

/// What is added to the loss of one factor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Penalty {
    /// Times the sum of the entries.
    pub lasso: f64,
    /// Times half the sum of their squares.
    pub ridge: f64,
}

impl Penalty {
    /// What it adds for these entries.
    pub fn of(&self, entries: &ArrayView2<'_, f64>) -> f64 {
        let squares: f64 = entries.iter().map(|value| value * value).sum();
        self.lasso * entries.sum() + 0.5 * self.ridge * squares
    }
}

/// A further sweep must move at least this share of the first one's squared length.
const WORTHWHILE: f64 = 0.01;
/// Coordinate sweeps before the first guess of which coordinates are zero.
const GUESS: usize = 10;
/// The share of the largest diagonal entry that is added to all: without it parallel parts would have no
/// unique weights.
const FIRMNESS: f64 = 1e-13;

/// The quadratic that all rows share.
#[derive(Clone, Debug)]
pub struct Quadratic {
    gram: Array2<f64>,
    inverse: Vec<f64>,
    lasso: f64,
}

impl Quadratic {
    /// The problem with this Gram matrix.
    pub fn new(mut gram: Array2<f64>, penalty: Penalty) -> Self {
        gram.diag_mut().mapv_inplace(|entry| entry + penalty.ridge);
        let inverse = gram
            .diag()
            .iter()
            .map(|&entry| if entry > 0.0 { entry.recip() } else { 0.0 })
            .collect();
        Self {
            gram,
            inverse,
            lasso: penalty.lasso,
        }
    }

    fn size(&self) -> usize {
        self.inverse.len()
    }

    /// Up to `n_sweeps` rounds over the coordinates of every row of `weights`. The violation is the sum of
    /// the projected gradients met in the first round.
    pub fn sweep(
        &self,
        products: &ArrayView2<'_, f64>,
        mut weights: ArrayViewMut2<'_, f64>,
        n_sweeps: usize,
    ) -> Tally {
        let mut slopes = Array2::zeros(weights.dim());
        product_into(slopes.view_mut(), &weights.view(), &self.gram.view());
        slopes -= products;
        let mut tally = Tally::default();
        let mut slope = vec![0.0; self.size()];
        let mut weight = vec![0.0; self.size()];
        for (i, mut row) in weights.rows_mut().into_iter().enumerate() {
            for (t, (slope, weight)) in slope.iter_mut().zip(&mut weight).enumerate() {
                *slope = slopes[[i, t]] + self.lasso;
                *weight = row[t];
            }
            tally.violation += self.sweep_row(&mut slope, &mut weight, n_sweeps);
            for (t, (to, from)) in row.iter_mut().zip(&weight).enumerate() {
                *to = *from;
                tally.aligned += from * products[[i, t]];
            }
        }
        tally
    }

    fn sweep_row(&self, slope: &mut [f64], weight: &mut [f64], n_sweeps: usize) -> f64 {
        let mut violation = 0.0;
        let mut first = 0.0;
        for round in 0..n_sweeps {
            let mut moved = 0.0;
            for t in 0..self.size() {
                let (before, downhill) = (weight[t], slope[t]);
                if round == 0 && (before > 0.0 || downhill < 0.0) {
                    violation += downhill.abs();
                }
                let after = (before - downhill * self.inverse[t]).max(0.0);
                let step = after - before;
                if step != 0.0 {
                    weight[t] = after;
                    moved += step * step;
                    for (slope, &entry) in slope.iter_mut().zip(self.gram.row(t)) {
                        *slope += step * entry;
                    }
                }
            }
            if round == 0 {
                first = moved;
            }
            if moved <= WORTHWHILE * first {
                break;
            }
        }
        violation
    }

    /// The optimum of every row, exactly, from nothing but the products.
    pub fn solve(&self, products: &ArrayView2<'_, f64>) -> Array2<f64> {
        let mut weights = Array2::zeros(products.dim());
        let mut space = Space::new(self);
        for (row, mut target) in products.rows().into_iter().zip(weights.rows_mut()) {
            for (place, &product) in space.aim.iter_mut().zip(&row) {
                *place = product - self.lasso;
            }
            space.solve(self);
            for (to, &from) in target.iter_mut().zip(&space.weight) {
                *to = from;
            }
        }
        weights
    }
}

/// Room for one row's solution.
struct Space {
    firmness: f64,
    aim: Vec<f64>,
    slope: Vec<f64>,
    weight: Vec<f64>,
    free: Vec<bool>,
    chosen: Vec<usize>,
    factor: Vec<f64>,
    part: Vec<f64>,
}

impl Space {
    fn new(problem: &Quadratic) -> Self {
        let size = problem.size();
        let largest = problem.gram.diag().fold(0.0_f64, |most, &v| most.max(v));
        Self {
            firmness: largest * FIRMNESS,
            aim: vec![0.0; size],
            slope: vec![0.0; size],
            weight: vec![0.0; size],
            free: vec![false; size],
            chosen: Vec::with_capacity(size),
            factor: vec![0.0; size * size],
            part: vec![0.0; size],
        }
    }

    /// Exchanges all coordinates on the wrong side at once; one at a time if that does not lessen them, which
    /// always ends.
    fn solve(&mut self, problem: &Quadratic) {
        let size = problem.size();
        self.weight.fill(0.0);
        for (slope, aim) in self.slope.iter_mut().zip(&self.aim) {
            *slope = -aim;
        }
        let largest = self.aim.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        if largest == 0.0 || self.firmness == 0.0 {
            return;
        }
        problem.sweep_row(&mut self.slope, &mut self.weight, GUESS);
        for (free, &weight) in self.free.iter_mut().zip(&self.weight) {
            *free = weight > 0.0;
        }
        let (mut fewest, mut patience) = (size + 1, 3);
        for _ in 0..20 + 5 * size {
            if !self.solve_free(problem) {
                break;
            }
            let wrong = |t: usize| {
                if self.free[t] {
                    self.weight[t] < 0.0
                } else {
                    self.slope[t] < -1e-13 * largest
                }
            };
            let mistakes: Vec<usize> = (0..size).filter(|&t| wrong(t)).collect();
            let Some(&last) = mistakes.last() else {
                return;
            };
            if mistakes.len() < fewest {
                (fewest, patience) = (mistakes.len(), 3);
            } else {
                patience -= 1_i32;
            }
            if patience > 0 {
                mistakes.iter().for_each(|&t| self.free[t] = !self.free[t]);
            } else {
                self.free[last] = !self.free[last];
            }
        }
        self.descend(problem);
    }

    /// The fallback where rounding keeps the exchange from ending: coordinate steps until they stand still.
    fn descend(&mut self, problem: &Quadratic) {
        for t in 0..self.weight.len() {
            let weight = self.weight[t];
            self.weight[t] = if weight.is_finite() {
                weight.max(0.0)
            } else {
                0.0
            };
        }
        for (t, slope) in self.slope.iter_mut().enumerate() {
            let image: f64 = problem
                .gram
                .row(t)
                .iter()
                .zip(&self.weight)
                .map(|(g, w)| g * w)
                .sum();
            *slope = image - self.aim[t];
        }
        for _ in 0..200 {
            problem.sweep_row(&mut self.slope, &mut self.weight, GUESS);
        }
    }

    /// The optimum with the coordinates that are not free at zero, and the slopes of those; false if the
    /// matrix is not positive definite.
    fn solve_free(&mut self, problem: &Quadratic) -> bool {
        let size = problem.size();
        self.chosen.clear();
        self.chosen.extend((0..size).filter(|&t| self.free[t]));
        let count = self.chosen.len();
        for (i, &row) in self.chosen.iter().enumerate() {
            for (j, &column) in self.chosen[..=i].iter().enumerate() {
                let mut entry = problem.gram[[row, column]];
                if i == j {
                    entry += self.firmness;
                }
                self.factor[i * size + j] = entry;
            }
            self.part[i] = self.aim[row];
        }
        if !solve_definite(&mut self.factor, size, &mut self.part[..count]) {
            return false;
        }
        self.weight.fill(0.0);
        for (&t, &value) in self.chosen.iter().zip(&self.part) {
            self.weight[t] = value;
        }
        for t in (0..size).filter(|&t| !self.free[t]) {
            let row = problem.gram.row(t);
            let image: f64 = self.chosen.iter().map(|&u| row[u] * self.weight[u]).sum();
            self.slope[t] = image - self.aim[t];
        }
        true
    }
}

/// Solves a small positive definite system in place by Cholesky's factorisation; the matrix's lower half has
/// rows of length `stride`. False if it is not positive definite.
pub(super) fn solve_definite(matrix: &mut [f64], stride: usize, right: &mut [f64]) -> bool {
    let size = right.len();
    for i in 0..size {
        for j in 0..=i {
            let (above, below) = matrix.split_at_mut(i * stride);
            let row = &mut below[..=i];
            let known: f64 = if j < i {
                let other = &above[j * stride..j * stride + j];
                other.iter().zip(&row[..j]).map(|(a, b)| a * b).sum()
            } else {
                row[..j].iter().map(|a| a * a).sum()
            };
            let rest = row[j] - known;
            if j < i {
                row[j] = rest / above[j * stride + j];
            } else if rest > 0.0 {
                row[j] = rest.sqrt();
            } else {
                return false;
            }
        }
        let row = &matrix[i * stride..i * stride + i];
        let known: f64 = row.iter().zip(&right[..i]).map(|(a, b)| a * b).sum();
        right[i] = (right[i] - known) / matrix[i * stride + i];
    }
    for i in (0..size).rev() {
        let known: f64 = (i + 1..size)
            .map(|j| matrix[j * stride + i] * right[j])
            .sum();
        right[i] = (right[i] - known) / matrix[i * stride + i];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::scaled::gram;
    use super::*;
    use crate::random::{normal, stream, uniform};

    fn example() -> (Quadratic, Array2<f64>) {
        let mut stream = stream(5, 0);
        let parts = Array2::from_shape_fn((30, 8), |_| uniform(&mut stream));
        let rows = Array2::from_shape_fn((40, 30), |_| normal(&mut stream) + 0.5);
        let penalty = Penalty {
            lasso: 0.1,
            ridge: 0.01,
        };
        (
            Quadratic::new(gram(&parts.view()), penalty),
            rows.dot(&parts),
        )
    }

    #[test]
    fn the_exact_solution_meets_the_conditions_of_optimality() {
        let (problem, products) = example();
        let weights = problem.solve(&products.view());
        let slopes = weights.dot(&problem.gram) - &products + problem.lasso;
        let mut n_zero = 0;
        for (&weight, &slope) in weights.iter().zip(&slopes) {
            assert!(weight >= 0.0);
            if weight > 0.0 {
                assert!(slope.abs() < 1e-9, "{slope}");
            } else {
                n_zero += 1;
                assert!(slope > -1e-9, "{slope}");
            }
        }
        assert!(n_zero > 20 && n_zero < 300, "{n_zero}");
    }

    #[test]
    fn sweeps_lead_to_the_exact_solution() {
        let (problem, products) = example();
        let exact = problem.solve(&products.view());
        let mut weights = Array2::ones(exact.dim());
        let first = problem.sweep(&products.view(), weights.view_mut(), 1);
        for _ in 0..3000 {
            problem.sweep(&products.view(), weights.view_mut(), 1);
        }
        let last = problem.sweep(&products.view(), weights.view_mut(), 1);
        assert!(last.violation < 1e-6 * first.violation);
        assert!((weights - exact).iter().all(|d| d.abs() < 1e-6));
    }

    #[test]
    fn parts_that_are_zero_or_parallel_give_finite_weights() {
        let mut matrix = Array2::zeros((3, 3));
        matrix.slice_mut(ndarray::s![..2, ..2]).fill(2.0);
        let problem = Quadratic::new(matrix, Penalty::default());
        let weights = problem.solve(&ndarray::array![[4.0, 4.0, 0.0]].view());
        assert!(weights.iter().all(|w| w.is_finite()));
        assert!((weights.sum() - 2.0).abs() < 1e-6, "{weights}");
    }
}
