//! Eigenvectors of the random walk on a density-normalized kernel.
//!
//! With the kernel K (weights and 1 on the diagonal), q its row sums, K^α = K / (q^α q^α) and d the row sums of that, the
//! walk is P = D⁻¹ K^α. P ψ = μ ψ is (D − K^α) ψ = (1 − μ) D ψ, so that the largest μ of a sparse kernel are the smallest
//! eigenvalues of a Laplacian; those of a full kernel, which fall quickly, come from products with D^−½ K^α D^−½.
//!
//! Coifman and Lafon, "Diffusion maps", 2006.

use ndarray::{Array1, Array2, Axis};

use crate::error::{Result, message};
use crate::graph::Weights;
use crate::linalg::block_krylov::{Effort, Symmetric, largest};
use crate::linalg::partial_eigen::leading;
use crate::linalg::smallest::{SmallestOptions, smallest};
use crate::linalg::symmetric_sparse::SparseSymmetric;
use crate::run::Run;
use crate::spectral::eigenmaps::{check_count, lift};

/// A kernel with at least one entry in this many is a full one.
const FULL: usize = 4;
/// Full kernels up to this size are decomposed as a whole.
const WHOLE: usize = 1200;

/// The eigenvectors, and how good they are.
#[derive(Clone, Debug)]
pub(super) struct Diffusion {
    /// Eigenvalues μ of the walk, largest first, without the 1 of the constant vector.
    pub values: Array1<f64>,
    /// Right eigenvectors, a row for each row of the graph, of mean square 1 in the stationary distribution d / Σ d.
    pub vectors: Array2<f64>,
    /// q^−α of every row: what new rows' weights to it are multiplied by.
    pub factors: Vec<f64>,
    /// The largest residual ‖P ψ − μ ψ‖ in the symmetric form.
    pub residual: f64,
    /// How they were found, in words.
    pub route: String,
}

/// The `count` largest eigenpairs of the walk, without the constant one.
pub(super) fn diffusion(
    run: &Run<'_>,
    weights: &Weights,
    alpha: f64,
    count: usize,
    seed: u64,
) -> Result<Diffusion> {
    check_count(count, weights.n_rows())?;
    let lifted = lift(run, weights)?;
    let weights = lifted.as_ref().unwrap_or(weights);
    let factors: Vec<f64> = (weights.degrees.iter())
        .map(|degree| (degree + 1.0).powf(-alpha))
        .collect();
    let kernel = SparseSymmetric::from_rows(run, weights.n_rows(), |row, list| {
        list.push((row as u32, factors[row] * factors[row]));
        let (places, values) = weights.matrix.row(row);
        for (&place, &value) in places.iter().zip(values) {
            list.push((place, value * factors[row] * factors[place as usize]));
        }
    })?;
    let degrees: Vec<f64> = (0..kernel.n())
        .map(|row| kernel.row(row).1.iter().sum())
        .collect();
    let walk = Walk { kernel, degrees };
    let full = walk.kernel.n_stored() > walk.kernel.n() * walk.kernel.n() / FULL;
    let found = if full {
        walk.of_full(run, count, seed)?
    } else {
        None
    };
    let (values, vectors, residual, route) = match found {
        Some(found) => found,
        None => walk.of_sparse(run, count, seed)?,
    };
    Ok(Diffusion {
        values,
        vectors,
        factors,
        residual,
        route,
    })
}

/// Eigenvalues, eigenvectors, residual, route.
type Pairs = (Array1<f64>, Array2<f64>, f64, String);

struct Walk {
    kernel: SparseSymmetric,
    degrees: Vec<f64>,
}

impl Walk {
    /// √(Σ d): what turns yᵀ D y = 1 into mean square 1.
    fn scale(&self) -> f64 {
        self.degrees.iter().sum::<f64>().sqrt()
    }

    fn of_sparse(&self, run: &Run<'_>, count: usize, seed: u64) -> Result<Pairs> {
        let n = self.kernel.n();
        let laplacian = SparseSymmetric::from_rows(run, n, |row, list| {
            list.push((row as u32, self.degrees[row]));
            let (places, values) = self.kernel.row(row);
            list.extend(
                places
                    .iter()
                    .zip(values)
                    .map(|(&place, &value)| (place, -value)),
            );
        })?;
        let constant = Array2::ones((1, n));
        let options = SmallestOptions {
            right: Some(&self.degrees),
            known_null: Some(&constant),
            seed,
            ..SmallestOptions::default()
        };
        let found = smallest(run, &laplacian, count, &options)?;
        let found = found.checked(run, message!("the eigenvectors of the random walk"))?;
        let (residual, route) = (found.residual(), found.route.to_string());
        let vectors = found.eigen.vectors.t().to_owned() * self.scale();
        Ok((1.0 - found.eigen.values, vectors, residual, route))
    }

    /// `None` if products alone do not get there.
    fn of_full(&self, run: &Run<'_>, count: usize, seed: u64) -> Result<Option<Pairs>> {
        let roots: Vec<f64> = self.degrees.iter().map(|degree| degree.sqrt()).collect();
        let mut conjugate = self.kernel.clone();
        let starts = conjugate.starts().to_vec();
        let columns = conjugate.columns().to_vec();
        for (row, ends) in starts.windows(2).enumerate() {
            let values = &mut conjugate.values_mut()[ends[0]..ends[1]];
            for (value, &place) in values.iter_mut().zip(&columns[ends[0]..ends[1]]) {
                *value /= roots[row] * roots[place as usize];
            }
        }
        let mut known = Array2::from_shape_fn((roots.len(), 1), |(row, _)| roots[row]);
        known /= self.scale();
        let conjugate = Deflated { conjugate, known };
        let (eigen, residual, route) = if conjugate.size() <= WHOLE {
            let found = leading(&conjugate.dense().view(), count)?.0;
            (found, 0.0, "all eigenvalues of the dense random walk")
        } else {
            let effort = Effort {
                tolerance: 1e-10,
                max_products: 200,
                seed,
            };
            let found = largest(run, &conjugate, count, &effort)?;
            if !found.converged {
                return Ok(None);
            }
            (
                found.eigen,
                found.residual,
                "block Krylov on the random walk",
            )
        };
        let roots = Array1::from(roots).insert_axis(Axis(1));
        let vectors = eigen.vectors.t().to_owned() / &roots;
        Ok(Some((
            eigen.values,
            vectors * self.scale(),
            residual,
            route.into(),
        )))
    }
}

/// The symmetric form of a walk without its constant vector, whose eigenvalue moves from 1 to −2, below all others.
/// The vector is known: where the eigenvalue 1 comes more than once, it could not be told from the others.
struct Deflated {
    conjugate: SparseSymmetric,
    /// √d, of length 1.
    known: Array2<f64>,
}

impl Deflated {
    fn dense(&self) -> Array2<f64> {
        self.conjugate.dense() - self.known.dot(&self.known.t()) * 3.0
    }
}

impl Symmetric for Deflated {
    fn size(&self) -> usize {
        self.conjugate.n()
    }

    fn times(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        let along = self.known.t().dot(right) * 3.0;
        Ok(self.conjugate.times(run, right)? - self.known.dot(&along))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Bandwidth, Graph, Weighting};

    fn line(n: u32, reach: u32) -> Weights {
        let place = |i: u32| f64::from(i) + 0.3 * (f64::from(i)).sin();
        let edges: Vec<_> = (0..n)
            .flat_map(|i| (i + 1..(i + reach + 1).min(n)).map(move |j| (i, j, place(j) - place(i))))
            .collect();
        let graph = Graph::from_edges(n as usize, &edges);
        Weighting::heat(Bandwidth::Given(30.0)).of(&graph).unwrap()
    }

    #[test]
    fn pairs_satisfy_the_walk_whether_sparse_or_full() {
        for (n, reach) in [(300, 8), (300, 300), (1300, 1300)] {
            let weights = line(n, reach);
            let alphas: &[f64] = if n > 1000 { &[1.0] } else { &[0.0, 0.5, 1.0] };
            for &alpha in alphas {
                let found = diffusion(&Run::new(), &weights, alpha, 3, 0).unwrap();
                let mut kernel = weights.matrix.dense();
                kernel.diag_mut().fill(1.0);
                let q = kernel.sum_axis(Axis(1)).mapv(|sum| sum.powf(alpha));
                let kernel = kernel / q.view().insert_axis(Axis(1)) / &q;
                let d = kernel.sum_axis(Axis(1));
                for (k, psi) in found.vectors.columns().into_iter().enumerate() {
                    let image = kernel.dot(&psi) / &d;
                    let rest = &image - &(&psi * found.values[k]);
                    assert!(
                        rest.iter().all(|r| r.abs() < 1e-8),
                        "{n} {alpha} {k} {}",
                        found.route
                    );
                    let size = (&psi * &psi * &d).sum() / d.sum();
                    assert!((size - 1.0).abs() < 1e-9);
                }
                assert!(found.values[0] < 1.0 && found.values[0] > found.values[1]);
            }
        }
    }

    #[test]
    fn far_apart_rows_are_told_apart_beside_the_constant() {
        // Two full clouds, of different sizes, between which weights vanish, decomposed whole and by products.
        for (n, first) in [(60_u32, 20_u32), (1300, 500)] {
            let place = |i: u32| f64::from(i).sin() + if i < first { 0.0 } else { 1e4 };
            let edges: Vec<_> = (0..n)
                .flat_map(|i| (i + 1..n).map(move |j| (i, j, (place(j) - place(i)).abs())))
                .collect();
            let graph = Graph::from_edges(n as usize, &edges);
            let weights = Weighting::heat(Bandwidth::Given(1.0)).of(&graph).unwrap();
            let found = diffusion(&Run::new(), &weights, 0.0, 2, 0).unwrap();
            let degrees = Array1::from(weights.degrees.clone()) + 1.0;
            let y = found.vectors.column(0);
            let mean = (&y * &degrees).sum() / degrees.sum();
            assert!(mean.abs() < 1e-4, "{n}: {mean:e} by {}", found.route);
            let split = first as usize;
            assert!(y.iter().take(split).all(|v| v.signum() == y[0].signum()));
            assert!(y.iter().skip(split).all(|v| v.signum() != y[0].signum()));
            assert!(found.values[0] > 1.0 - 1e-5 && found.values[1] < 1.0 - 1e-5);
        }
    }
}
