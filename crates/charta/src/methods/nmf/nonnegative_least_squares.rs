//! Non-negative least squares: ½ wᵀGw − pᵀw + lasso · Σw, one small problem a row.
//!
//! Coordinate steps improve a guess cheaply; block pivoting finds the optimum exactly.
//!
//! Kim and Park, "Fast nonnegative matrix factorization: an active-set-like method and comparisons", 2011;
//! Gillis and Glineur, "Accelerated multiplicative updates and hierarchical ALS algorithms", 2012.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use crate::linalg::wide;

/// What is added to the loss of one factor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Penalty {
    /// Times the sum of the entries.
    pub lasso: f64,
    /// Times half the sum of their squares.
    pub ridge: f64,
}

impl Penalty {
    /// What it adds for these entries.
    pub(super) fn of(&self, entries: &ArrayView2<'_, f64>) -> f64 {
        let squares: f64 = entries.iter().map(|value| value * value).sum();
        self.lasso * entries.sum() + 0.5 * self.ridge * squares
    }
}

/// A further sweep must move at least this fraction of the first one's squared length.
const WORTHWHILE: f64 = 0.01;
/// Rows that are updated side by side: enough that sums need not wait for each other.
const LANES: usize = 32;
/// Coordinate sweeps before the first guess of which coordinates are zero.
const GUESS: usize = 10;
/// The fraction of the largest diagonal entry that is added to all: without it parallel components would have no
/// unique weights.
const FIRMNESS: f64 = 1e-13;

/// The quadratic that all rows share.
#[derive(Clone, Debug)]
pub(super) struct Quadratic {
    gram: Vec<f64>,
    inverse: Vec<f64>,
    lasso: f64,
}

impl Quadratic {
    /// The problem with this Gram matrix.
    pub(super) fn new(mut gram: Array2<f64>, penalty: Penalty) -> Self {
        gram.diag_mut().mapv_inplace(|entry| entry + penalty.ridge);
        let inverse = gram
            .diag()
            .iter()
            .map(|&entry| if entry > 0.0 { entry.recip() } else { 0.0 })
            .collect();
        Self {
            gram: gram.iter().copied().collect(),
            inverse,
            lasso: penalty.lasso,
        }
    }

    fn size(&self) -> usize {
        self.inverse.len()
    }

    /// Up to `n_sweeps` rounds over the coordinates of every row of `weights`; the inner product of the
    /// result with `products`.
    pub(super) fn sweep(
        &self,
        products: &ArrayView2<'_, f64>,
        mut weights: ArrayViewMut2<'_, f64>,
        n_sweeps: usize,
    ) -> f64 {
        let mut tile = Tile::new(self.size());
        let mut aligned = 0.0;
        for first in (0..weights.nrows()).step_by(LANES) {
            let rows = first..(first + LANES).min(weights.nrows());
            tile.load(products, &weights.view(), rows.clone());
            self.sweep_tile(&mut tile, n_sweeps, WORTHWHILE);
            aligned += tile.aligned();
            for (lane, row) in rows.enumerate() {
                for (weight, from) in weights.row_mut(row).iter_mut().zip(&tile.weights) {
                    *weight = from[lane];
                }
            }
        }
        aligned
    }

    /// A multiplicative step of every row: each weight times what pulls it up, divided by what pushes it down. Returns what `sweep` does.
    pub(super) fn multiply(
        &self,
        products: &ArrayView2<'_, f64>,
        mut weights: ArrayViewMut2<'_, f64>,
    ) -> f64 {
        let size = self.size();
        let mut pushes = vec![0.0; size];
        let mut aligned = 0.0;
        for (mut weight, product) in weights.rows_mut().into_iter().zip(products.rows()) {
            for (push, row) in pushes.iter_mut().zip(self.gram.chunks_exact(size)) {
                let inner: f64 = row.iter().zip(&weight).map(|(a, b)| a * b).sum();
                *push = self.lasso + inner;
            }
            for ((weight, &pull), &push) in weight.iter_mut().zip(product).zip(&pushes) {
                if push > 0.0 {
                    *weight *= pull / push;
                }
                aligned += pull * *weight;
            }
        }
        aligned
    }

    /// Rounds over the coordinates of a tile's rows, until one moves less than the fraction `worthwhile` of the
    /// first.
    fn sweep_tile(&self, tile: &mut Tile, n_sweeps: usize, worthwhile: f64) {
        let mut first = 0.0;
        for round in 0..n_sweeps {
            let moved = wide::run(Round {
                problem: self,
                tile,
            });
            if round == 0 {
                first = moved;
            }
            if moved <= worthwhile * first {
                break;
            }
        }
    }

    /// The optimum of every row, exactly, from nothing but the products.
    pub(super) fn solve(&self, products: &ArrayView2<'_, f64>) -> Array2<f64> {
        let mut weights = Array2::zeros(products.dim());
        let mut space = Space::new(self);
        let mut tile = Tile::new(self.size());
        for first in (0..weights.nrows()).step_by(LANES) {
            let rows = first..(first + LANES).min(weights.nrows());
            tile.load(products, &weights.view(), rows.clone());
            // A fixed number of rounds: what comes out for a row must not depend on the rows beside it.
            self.sweep_tile(&mut tile, GUESS, -1.0);
            for (lane, row) in rows.enumerate() {
                space.take(&tile, lane, self.lasso);
                space.solve(self);
                for (to, &from) in weights.row_mut(row).iter_mut().zip(&space.weight) {
                    *to = from;
                }
            }
        }
        weights
    }
}

/// One round over the coordinates of a tile's rows; the squared length by which they moved.
struct Round<'a> {
    problem: &'a Quadratic,
    tile: &'a mut Tile,
}

impl wide::Loop for Round<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> f64 {
        let Self { problem, tile } = self;
        let size = problem.size();
        let mut moved = [0.0; LANES];
        for t in 0..size {
            let entries = &problem.gram[t * size..(t + 1) * size];
            let mut slope = [problem.lasso; LANES];
            for (weights, &entry) in tile.weights.iter().zip(entries) {
                for (slope, &weight) in slope.iter_mut().zip(weights) {
                    *slope = wide::step::<f64, FUSED>(entry, weight, *slope);
                }
            }
            let (weights, products) = (&mut tile.weights[t], &tile.products[t]);
            for lane in 0..LANES {
                let before = weights[lane];
                let after = before - (slope[lane] - products[lane]) * problem.inverse[t];
                weights[lane] = if after > 0.0 { after } else { 0.0 };
                moved[lane] += (weights[lane] - before) * (weights[lane] - before);
            }
        }
        moved.iter().sum()
    }
}

/// Rows side by side, so that the processor can do the same to all of them at once.
struct Tile {
    weights: Vec<[f64; LANES]>,
    products: Vec<[f64; LANES]>,
}

impl Tile {
    fn new(size: usize) -> Self {
        Self {
            weights: vec![[0.0; LANES]; size],
            products: vec![[0.0; LANES]; size],
        }
    }

    /// Takes some rows; what is left over holds zeros.
    fn load(
        &mut self,
        products: &ArrayView2<'_, f64>,
        weights: &ArrayView2<'_, f64>,
        rows: Range<usize>,
    ) {
        if rows.len() < LANES {
            self.weights.fill([0.0; LANES]);
            self.products.fill([0.0; LANES]);
        }
        for (lane, row) in rows.enumerate() {
            for (to, &from) in self.weights.iter_mut().zip(weights.row(row)) {
                to[lane] = from;
            }
            for (to, &from) in self.products.iter_mut().zip(products.row(row)) {
                to[lane] = from;
            }
        }
    }

    /// The inner product of weights and products.
    fn aligned(&self) -> f64 {
        let mut sums = [0.0; LANES];
        for (weights, products) in self.weights.iter().zip(&self.products) {
            for lane in 0..LANES {
                sums[lane] += weights[lane] * products[lane];
            }
        }
        sums.iter().sum()
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
        let diagonal = problem.gram.iter().step_by(size + 1);
        let largest = diagonal.fold(0.0_f64, |most, &entry| most.max(entry));
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

    /// Takes one row of a tile: its aim, and the guess of its weights.
    fn take(&mut self, tile: &Tile, lane: usize, lasso: f64) {
        for t in 0..self.aim.len() {
            self.aim[t] = tile.products[t][lane] - lasso;
            self.weight[t] = tile.weights[t][lane];
        }
    }

    /// Exchanges all coordinates on the wrong side at once; one at a time if that does not lessen them, which
    /// always ends.
    fn solve(&mut self, problem: &Quadratic) {
        let size = problem.size();
        let largest = self.aim.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        if largest == 0.0 || self.firmness == 0.0 {
            self.weight.fill(0.0);
            return;
        }
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

    /// The fallback where rounding keeps the exchange from ending: coordinate steps until they converge.
    fn descend(&mut self, problem: &Quadratic) {
        let mut tile = Tile::new(problem.size());
        for (t, &weight) in self.weight.iter().enumerate() {
            tile.weights[t][0] = if weight > 0.0 && weight.is_finite() {
                weight
            } else {
                0.0
            };
            tile.products[t][0] = self.aim[t] + problem.lasso;
        }
        problem.sweep_tile(&mut tile, 2000, 1e-20);
        for (to, from) in self.weight.iter_mut().zip(&tile.weights) {
            *to = from[0];
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
                let mut entry = problem.gram[row * size + column];
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
            let row = &problem.gram[t * size..(t + 1) * size];
            let image: f64 = self.chosen.iter().map(|&u| row[u] * self.weight[u]).sum();
            self.slope[t] = image - self.aim[t];
        }
        true
    }
}

/// Solves a small positive definite system in place by Cholesky's factorization; the matrix's lower half has
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
    use super::*;
    use crate::methods::nmf::rows::gram;
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
        let gram = Array2::from_shape_fn((8, 8), |(t, u)| problem.gram[8 * t + u]);
        let slopes = weights.dot(&gram) - &products + problem.lasso;
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
        for _ in 0..3000 {
            problem.sweep(&products.view(), weights.view_mut(), 1);
        }
        let aligned = problem.sweep(&products.view(), weights.view_mut(), 1);
        assert!((aligned - (&weights * &products).sum()).abs() < 1e-9 * aligned);
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
