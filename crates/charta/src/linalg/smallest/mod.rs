//! The few smallest eigenpairs of a large sparse positive semidefinite matrix: A x = λ x, or A x = λ D x with a
//! diagonal D.
//!
//! The smallest eigenvalues are clustered at the end of the spectrum, where products with the matrix separate eigenvectors
//! only slowly. So the matrix is factored, shifted a little to be regular, and a block Krylov space of its inverse
//! is built, where the same eigenvalues lie far apart. Whole blocks find eigenvalues of any multiplicity, as of
//! graphs in several parts. Where the factor would be too large, a Chebyshev polynomial of the matrix takes the
//! inverse's place. Residuals of the matrix itself, not of its approximation, decide when to stop.
//!
//! Grimes, Lewis and Simon, "A shifted block Lanczos algorithm for solving sparse symmetric generalized
//! eigenproblems", 1994; Zhou and Saad, "A Chebyshev–Davidson algorithm for large symmetric eigenproblems", 2007.

mod problem;
mod search;

use std::fmt;

use ndarray::{Array1, Array2, ArrayView1, s};

pub(super) use problem::Problem;
use search::search;

use super::eigen::{self, Eigen, fix_signs};
use super::partial_eigen::leading;
use super::shift_invert::{Engine, Filter, Inverse};
use super::sparse_cholesky::Pattern;
use super::symmetric_sparse::SparseSymmetric;
use crate::error::{Error, Message, Result, Warning, message};
use crate::run::Run;

/// Up to this size all eigenpairs are found at once.
const DENSE: usize = 200;
/// Up to this size they are, if the factor would be too large.
const DENSE_AT_MOST: usize = 5000;
/// Numbers that a factor may hold: 1.2 GiB.
const MOST_IN_FACTOR: usize = 160_000_000;
/// The first shift, as a fraction of the mean of the diagonal.
const FIRST_SHIFT: f64 = 1e-10;
/// The largest shift.
const LARGEST_SHIFT: f64 = 1e-2;

/// What to find and how hard to try.
#[derive(Clone, Debug)]
pub(crate) struct SmallestOptions<'a> {
    /// D, the diagonal of the right side; 1 everywhere if `None`. Entries of 0 are allowed where A is regular: such
    /// rows follow the others.
    pub right: Option<&'a [f64]>,
    /// Vectors, one a row, known to have the eigenvalue 0: they are left out of the result.
    pub known_null: Option<&'a Array2<f64>>,
    /// Residuals must fall to this fraction of their eigenvalue, or to what rounding leaves.
    pub tolerance: f64,
    /// Rounds of the block Krylov method, at most.
    pub max_rounds: usize,
    /// Seed of the random initialization.
    pub seed: u64,
    /// Numbers that a factor may hold; above that, products alone must do.
    pub max_in_factor: usize,
}

impl Default for SmallestOptions<'_> {
    fn default() -> Self {
        Self {
            right: None,
            known_null: None,
            tolerance: 1e-9,
            max_rounds: 80,
            seed: 0,
            max_in_factor: MOST_IN_FACTOR,
        }
    }
}

/// How eigenpairs were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// All at once.
    Dense,
    /// By the inverse of the shifted matrix.
    Inverse,
    /// By polynomials of the matrix.
    Filter,
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dense => "all eigenvectors of the dense matrix",
            Self::Inverse => "block Lanczos on the inverse by sparse Cholesky",
            Self::Filter => "block Lanczos on Chebyshev polynomials",
        })
    }
}

/// The smallest eigenpairs, and how good they are.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The pairs, smallest first; vectors one a row, xᵀ D x = 1, signs fixed.
    pub eigen: Eigen,
    /// ‖A x − λ D x‖ of each, as a fraction of a bound of the size of A.
    pub residuals: Array1<f64>,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// How they were found.
    pub route: Route,
    /// Rounds it took.
    pub n_rounds: usize,
}

impl Found {
    /// The largest residual.
    pub(crate) fn residual(&self) -> f64 {
        self.residuals.iter().copied().fold(0.0, f64::max)
    }

    /// Warns if the tolerance was not met; fails if the vectors are not even near eigenvectors.
    pub(crate) fn checked(self, run: &Run<'_>, what: Message) -> Result<Self> {
        if self.converged {
            return Ok(self);
        }
        let residual = self.residual();
        let reached = message!(
            "after {} rounds by {} the largest residual is {residual:.1e} of the norm of the \
             matrix",
            self.n_rounds,
            self.route.to_string()
        );
        if residual > 1e-7 {
            return Err(Error::NotConverged { what, reached });
        }
        run.warn(Warning::NotConverged { what, reached })?;
        Ok(self)
    }
}

/// The `count` smallest eigenpairs of a positive semidefinite matrix.
pub(crate) fn smallest(
    run: &Run<'_>,
    matrix: &SparseSymmetric,
    count: usize,
    options: &SmallestOptions<'_>,
) -> Result<Found> {
    let problem = Problem::new(matrix, count, options)?;
    let n = matrix.n();
    if !problem.has_empty() && (n <= DENSE || 3 * problem.n_wanted() >= n) {
        return dense(&problem);
    }
    if let Some(found) = by_inverse(run, &problem)? {
        return Ok(found);
    }
    if !problem.has_empty() && n <= DENSE_AT_MOST {
        return dense(&problem);
    }
    if problem.has_empty() {
        return Err(Error::degenerate(message!(
            "the eigenproblem has a right side with zeros, and its left side cannot be factored"
        )));
    }
    let mut engine = Engine::Filter(Filter::new(problem.scaled(), problem.bound()));
    search(run, &problem, &mut engine)
}

/// `None` if the factor would be too large, or if there is none.
fn by_inverse(run: &Run<'_>, problem: &Problem<'_>) -> Result<Option<Found>> {
    let matrix = problem.matrix;
    let Some(pattern) = Pattern::of(&matrix.with_diagonal(|_| 0.0))? else {
        return Ok(None);
    };
    run.check()?;
    if pattern.n_values() > problem.options.max_in_factor {
        return Ok(None);
    }
    let mut share = FIRST_SHIFT;
    while share <= LARGEST_SHIFT {
        let shifted = problem.shifted(share);
        if let Some(factor) = pattern.factor(&shifted) {
            let mut engine = Engine::Inverse(Inverse::new(factor, problem));
            let found = search(run, problem, &mut engine)?;
            // A shift below the rounding errors makes the solutions inaccurate.
            if found.converged || share * 100.0 > LARGEST_SHIFT {
                return Ok(Some(found));
            }
        }
        run.check()?;
        share *= 100.0;
    }
    Ok(None)
}

fn dense(problem: &Problem<'_>) -> Result<Found> {
    let (n, count) = (problem.matrix.n(), problem.count);
    let bound = problem.bound();
    // The largest of 2 bound − A, where what is known to be null moves out of the way, to 0.
    let mut turned = -problem.scaled().dense();
    for i in 0..n {
        turned[[i, i]] += 2.0 * bound;
    }
    for vector in problem.null.columns() {
        turned -= &outer(vector, 2.0 * bound);
    }
    let found = if n <= DENSE {
        eigen::symmetric_largest(&turned.view(), count)?
    } else {
        leading(&turned.view(), count)?.0
    };
    let vectors = found.vectors.slice(s![..count, ..]).t().to_owned();
    let (eigen, residuals) = problem.finish(&problem.unscaled(vectors))?;
    Ok(Found {
        eigen,
        residuals,
        converged: true,
        route: Route::Dense,
        n_rounds: 1,
    })
}

fn outer(vector: ArrayView1<'_, f64>, factor: f64) -> Array2<f64> {
    let n = vector.len();
    Array2::from_shape_fn((n, n), |(i, j)| factor * vector[i] * vector[j])
}

/// The eigenpairs as they are returned: signs fixed.
pub(super) fn signed(values: Array1<f64>, columns: &Array2<f64>) -> Eigen {
    let mut vectors = columns.t().as_standard_layout().into_owned();
    fix_signs(vectors.view_mut());
    Eigen { values, vectors }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Laplacian of paths, one for each length.
    fn paths(lengths: &[usize]) -> SparseSymmetric {
        let mut lists = Vec::new();
        for &length in lengths {
            let start = lists.len();
            for i in start..start + length {
                let ends = [i.checked_sub(1), Some(i + 1)].into_iter().flatten();
                let ends: Vec<usize> = ends
                    .filter(|j| (start..start + length).contains(j))
                    .collect();
                let mut list = vec![(i as u32, ends.len() as f64)];
                list.extend(ends.iter().map(|&j| (j as u32, -1.0)));
                lists.push(list);
            }
        }
        SparseSymmetric::from_rows(&Run::new(), lists.len(), |row, list| {
            list.extend(&lists[row]);
        })
        .unwrap()
    }

    /// 2 − 2 cos(π k / n): the eigenvalues of a path.
    fn path_value(k: usize, n: usize) -> f64 {
        2.0 - 2.0 * (std::f64::consts::PI * k as f64 / n as f64).cos()
    }

    fn check(matrix: &SparseSymmetric, found: &Found, right: Option<&[f64]>) {
        let a = matrix.dense();
        for (x, &value) in found
            .eigen
            .vectors
            .rows()
            .into_iter()
            .zip(&found.eigen.values)
        {
            let weight = |i: usize| right.map_or(1.0, |right| right[i]);
            let length: f64 = x.iter().enumerate().map(|(i, v)| weight(i) * v * v).sum();
            assert!((length - 1.0).abs() < 1e-10, "{length}");
            let image = a.dot(&x);
            let rest: f64 = (0..x.len())
                .map(|i| (image[i] - value * weight(i) * x[i]).powi(2))
                .sum();
            assert!(rest.sqrt() < 1e-11 * matrix.bound(), "{:e}", rest.sqrt());
        }
    }

    #[test]
    fn every_route_finds_the_eigenvalues_of_a_path() {
        for (n, max_in_factor, route) in [
            (150, usize::MAX, Route::Dense),
            (6000, usize::MAX, Route::Inverse),
            (500, 0, Route::Dense),
        ] {
            let options = SmallestOptions {
                max_in_factor,
                ..SmallestOptions::default()
            };
            let matrix = paths(&[n]);
            let found = smallest(&Run::new(), &matrix, 5, &options).unwrap();
            assert_eq!(found.route, route);
            assert!(found.converged, "{:?}", found.residuals);
            for k in 0..5 {
                let want = path_value(k, n);
                assert!((found.eigen.values[k] - want).abs() < 1e-13, "{n} {k}");
            }
            if n < 1000 {
                check(&matrix, &found, None);
            }
        }
    }

    #[test]
    fn polynomials_serve_where_the_factor_is_too_large() {
        let n = 5200;
        // A ring in which every row has eighty neighbours.
        let matrix = SparseSymmetric::from_rows(&Run::new(), n, |row, list| {
            list.push((row as u32, 80.0));
            for step in 1..=40 {
                list.push((((row + step) % n) as u32, -1.0));
                list.push((((row + n - step) % n) as u32, -1.0));
            }
        })
        .unwrap();
        let options = SmallestOptions {
            max_in_factor: 0,
            tolerance: 1e-7,
            ..SmallestOptions::default()
        };
        let found = smallest(&Run::new(), &matrix, 5, &options).unwrap();
        assert_eq!(found.route, Route::Filter);
        assert!(found.converged, "{:?} {}", found.residuals, found.n_rounds);
        for (k, value) in [0, 1, 1, 2, 2].iter().zip(&found.eigen.values) {
            let angle = std::f64::consts::TAU * f64::from(*k) / n as f64;
            let want: f64 = (1..=40)
                .map(|s| 2.0 - 2.0 * (angle * f64::from(s)).cos())
                .sum();
            assert!(
                (value - want).abs() < 1e-9 * want.max(1e-3),
                "{value:e} {want:e}"
            );
        }
    }

    #[test]
    fn eigenvalues_of_any_multiplicity_are_found() {
        let matrix = paths(&[100; 12]);
        let found = smallest(&Run::new(), &matrix, 14, &SmallestOptions::default()).unwrap();
        assert_eq!(found.route, Route::Inverse);
        assert!(found.eigen.values.iter().take(12).all(|v| v.abs() < 1e-14));
        let next = path_value(1, 100);
        assert!((found.eigen.values[12] - next).abs() < 1e-13);
        assert!((found.eigen.values[13] - next).abs() < 1e-13);
        check(&matrix, &found, None);
    }

    #[test]
    fn what_is_known_to_be_null_is_left_out() {
        for n in [100, 900] {
            let ones = Array2::from_elem((1, n), 3.0);
            let options = SmallestOptions {
                known_null: Some(&ones),
                ..SmallestOptions::default()
            };
            let matrix = paths(&[n]);
            let found = smallest(&Run::new(), &matrix, 3, &options).unwrap();
            for k in 0..3 {
                let want = path_value(k + 1, n);
                assert!((found.eigen.values[k] - want).abs() < 1e-13);
                assert!(found.eigen.vectors.row(k).sum().abs() < 1e-9);
            }
            check(&matrix, &found, None);
        }
    }

    #[test]
    fn a_right_side_may_have_any_weights_and_zeros() {
        for n in [120, 1000] {
            let matrix = paths(&[n]);
            let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 5) as f64).collect();
            let holes: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 3 > 0))).collect();
            for right in [&weights, &holes] {
                let ones = Array2::ones((1, n));
                for known_null in [None, Some(&ones)] {
                    let options = SmallestOptions {
                        right: Some(right),
                        known_null,
                        ..SmallestOptions::default()
                    };
                    let found = smallest(&Run::new(), &matrix, 4, &options).unwrap();
                    assert!(found.converged);
                    check(&matrix, &found, Some(right));
                    let zero = found.eigen.values[0].abs() < 1e-12;
                    assert_eq!(zero, known_null.is_none());
                }
            }
        }
        let bad = vec![-1.0; 50];
        let options = SmallestOptions {
            right: Some(&bad),
            ..SmallestOptions::default()
        };
        assert!(smallest(&Run::new(), &paths(&[50]), 2, &options).is_err());
    }

    #[test]
    fn threads_do_not_change_the_bits() {
        let side = 60;
        let matrix = SparseSymmetric::from_rows(&Run::new(), side * side, |row, list| {
            let (x, y) = (row / side, row % side);
            let near = [(1, 0), (0, 1), (1, 1), (2, 1)];
            for (dx, dy) in near.iter().flat_map(|&(a, b)| [(a, b), (-a, -b)]) {
                let (u, v) = (x as i64 + dx, y as i64 + dy);
                if (0..side as i64).contains(&u) && (0..side as i64).contains(&v) {
                    list.push(((u * side as i64 + v) as u32, -1.0));
                    list.push((row as u32, 1.0));
                }
            }
        })
        .unwrap();
        let bits = |threads| {
            let run = Run::new().threads(threads).unwrap();
            let options = SmallestOptions::default();
            let found = run
                .install(|| smallest(&run, &matrix, 4, &options))
                .unwrap();
            assert_eq!(found.route, Route::Inverse);
            let bits: Vec<u64> = found.eigen.vectors.iter().map(|v| v.to_bits()).collect();
            bits
        };
        let one = bits(1);
        assert!(one == bits(2) && one == bits(7));
    }

    #[test]
    fn more_pairs_than_there_are_is_an_error() {
        let error = smallest(&Run::new(), &paths(&[5]), 6, &SmallestOptions::default());
        assert!(error.unwrap_err().to_string().contains("from 1 to 5"));
        let all = smallest(&Run::new(), &paths(&[5]), 5, &SmallestOptions::default()).unwrap();
        assert!((all.eigen.values[4] - path_value(4, 5)).abs() < 1e-14);
    }
}
