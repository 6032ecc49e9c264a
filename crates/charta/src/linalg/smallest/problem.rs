//! The eigenproblem A x = λ D x of a sparse matrix and a diagonal one, and how good estimates of its pairs are.

use ndarray::{Array1, Array2, Axis, s};

use super::{SmallestOptions, signed};
use crate::error::{Error, Result, counted, message};
use crate::linalg::block_krylov::{Symmetric, beside};
use crate::linalg::cholesky::Cholesky;
use crate::linalg::eigen::{self, Eigen};
use crate::linalg::product::product;
use crate::linalg::symmetric_sparse::SparseSymmetric;
use crate::run::Run;

/// Residuals of this many roundings of the matrix's size are as good as none, if they do not fall any more.
const ROUNDINGS: f64 = 4.0;

/// A x = λ D x, turned into a standard problem by y = √D x.
pub(in crate::linalg) struct Problem<'a> {
    pub(in crate::linalg) matrix: &'a SparseSymmetric,
    pub(in crate::linalg) options: &'a SmallestOptions<'a>,
    pub(in crate::linalg) count: usize,
    /// What is known to be null, as orthonormal columns, times √D.
    pub(in crate::linalg) null: Array2<f64>,
    /// The same before that.
    null_vectors: Array2<f64>,
    /// √D.
    pub(in crate::linalg) root: Option<Array1<f64>>,
    pub(super) bound: f64,
}

impl<'a> Problem<'a> {
    pub(in crate::linalg) fn new(
        matrix: &'a SparseSymmetric,
        count: usize,
        options: &'a SmallestOptions<'a>,
    ) -> Result<Self> {
        matrix.check_finite()?;
        let n = matrix.n();
        let root = options.right.map(|right| root_of(right, n)).transpose()?;
        let mut problem = Self {
            matrix,
            options,
            count,
            null: Array2::zeros((n, 0)),
            null_vectors: Array2::zeros((n, 0)),
            root,
            bound: matrix.bound(),
        };
        if let Some(known) = options.known_null {
            if known.ncols() != n {
                return Err(Error::shape(
                    message!("numbers in a known eigenvector"),
                    n,
                    known.ncols(),
                ));
            }
            problem.take_null(known);
        }
        let room = problem.n_positive() - problem.null.ncols();
        if count == 0 || count > room {
            return Err(Error::shape(
                message!("number of eigenpairs"),
                message!("from 1 to {room}"),
                counted(count, "pair"),
            ));
        }
        Ok(problem)
    }

    /// Orthonormal combinations of the known vectors, one after the other.
    fn take_null(&mut self, known: &Array2<f64>) {
        for vector in known.rows() {
            let mut x = vector.to_owned().insert_axis(Axis(1));
            let before = norm(&self.rooted(&x));
            for _ in 0..2 {
                self.clear_null(&mut x);
            }
            let length = norm(&self.rooted(&x));
            if length > 1e-8 * before {
                x /= length;
                let y = self.rooted(&x);
                self.null = beside(&self.null.view(), &y);
                self.null_vectors = beside(&self.null_vectors.view(), &x);
            }
        }
    }

    /// Takes what is known to be null out of vectors x.
    fn clear_null(&self, x: &mut Array2<f64>) {
        if self.null.ncols() > 0 {
            let shares = product(&self.null.t(), &self.rooted(x).view());
            *x -= &product(&self.null_vectors.view(), &shares.view());
        }
    }

    /// Eigenpairs to make room for, known ones included.
    pub(in crate::linalg) fn n_wanted(&self) -> usize {
        self.count + self.null.ncols()
    }

    pub(super) fn n_positive(&self) -> usize {
        let n = self.matrix.n();
        self.root
            .as_ref()
            .map_or(n, |root| root.iter().filter(|&&r| r > 0.0).count())
    }

    /// Whether the right side has entries of 0.
    pub(in crate::linalg) fn has_empty(&self) -> bool {
        self.n_positive() < self.matrix.n()
    }

    /// A bound of the eigenvalues of [`Self::scaled`], and of A if there is no right side.
    pub(in crate::linalg) fn bound(&self) -> f64 {
        match &self.root {
            Some(_) if !self.has_empty() => self.scaled().bound(),
            _ => self.bound,
        }
    }

    /// D^(−1/2) A D^(−1/2), for a right side without zeros.
    pub(in crate::linalg) fn scaled(&self) -> SparseSymmetric {
        let mut scaled = self.matrix.clone();
        if let Some(root) = &self.root {
            let starts = scaled.starts().to_vec();
            let columns = scaled.columns().to_vec();
            for (row, pair) in starts.windows(2).enumerate() {
                for index in pair[0]..pair[1] {
                    let factor = root[row] * root[columns[index] as usize];
                    scaled.values_mut()[index] /= factor;
                }
            }
        }
        scaled
    }

    /// A + shift · D, regular: the shift is a fraction of the mean of the diagonal.
    pub(in crate::linalg) fn shifted(&self, share: f64) -> SparseSymmetric {
        let n = self.matrix.n() as f64;
        let trace: f64 = self.matrix.diagonal().iter().sum();
        let right = self.root.as_ref().map_or(n, |root| root.dot(root));
        let size = if trace > 0.0 { trace / right } else { 1.0 };
        self.matrix.with_diagonal(|row| match &self.root {
            None => share * size,
            // Such a row is not determined: it gets 0.
            Some(root) if root[row] == 0.0 && self.is_blank(row) => 1.0,
            Some(root) => share * size * root[row] * root[row],
        })
    }

    fn is_blank(&self, row: usize) -> bool {
        self.matrix.row(row).1.iter().all(|&value| value == 0.0)
    }

    /// √D x.
    pub(super) fn rooted(&self, x: &Array2<f64>) -> Array2<f64> {
        match &self.root {
            Some(root) => x * &root.view().insert_axis(Axis(1)),
            None => x.clone(),
        }
    }

    /// x of y, for a right side without zeros.
    pub(in crate::linalg) fn unscaled(&self, y: Array2<f64>) -> Array2<f64> {
        match &self.root {
            Some(root) => y / root.view().insert_axis(Axis(1)),
            None => y,
        }
    }

    /// The best eigenpairs in the span of some vectors x, and their residuals.
    pub(in crate::linalg) fn finish(&self, x: &Array2<f64>) -> Result<(Eigen, Array1<f64>)> {
        let pairs = self.refine(x)?;
        let residuals = pairs.residuals / self.bound.max(f64::MIN_POSITIVE);
        Ok((signed(pairs.values, &pairs.vectors), residuals))
    }

    /// Rayleigh–Ritz with the matrix itself.
    pub(super) fn refine(&self, x: &Array2<f64>) -> Result<Pairs> {
        let mut x = x.clone();
        self.clear_null(&mut x);
        for mut column in x.columns_mut() {
            let length = column.dot(&column).sqrt();
            column /= length.max(f64::MIN_POSITIVE);
        }
        let rooted = self.rooted(&x);
        let gram = product(&rooted.t(), &rooted.view());
        let factor = Cholesky::of(&gram.view()).ok_or_else(|| Error::NotConverged {
            what: message!("the eigenvalue computation"),
            reached: message!("its vectors do not differ from each other"),
        })?;
        // x L⁻ᵀ is orthonormal with respect to D.
        let x = factor.solve_lower(&x.t()).reversed_axes();
        let images = self.matrix.times(&Run::new(), &x)?;
        let small = product(&x.t(), &images.view());
        let pairs = eigen::symmetric(&((&small + &small.t()) * 0.5).view())?;
        let order = pairs.vectors.slice(s![..;-1, ..]);
        let values = pairs.values.slice(s![..;-1]).to_owned();
        let vectors = product(&x.view(), &order.t());
        let images = product(&images.view(), &order.t());
        let weighted = match &self.root {
            Some(root) => &vectors * &root.mapv(|r| r * r).insert_axis(Axis(1)),
            None => vectors.clone(),
        };
        let rest = images - weighted * &values;
        let residuals = rest
            .columns()
            .into_iter()
            .map(|c| c.dot(&c).sqrt())
            .collect();
        Ok(Pairs {
            values,
            vectors,
            residuals,
        })
    }
}

fn root_of(right: &[f64], n: usize) -> Result<Array1<f64>> {
    if right.len() != n {
        return Err(Error::shape(
            message!("the diagonal of the right side"),
            n,
            right.len(),
        ));
    }
    if let Some(bad) = right.iter().find(|&&d| !(d.is_finite() && d >= 0.0)) {
        return Err(Error::shape(
            message!("the diagonal of the right side"),
            "numbers of at least 0",
            bad,
        ));
    }
    Ok(right.iter().map(|d| d.sqrt()).collect())
}

/// Estimates of eigenpairs, smallest first; vectors x in columns.
pub(super) struct Pairs {
    pub(super) values: Array1<f64>,
    pub(super) vectors: Array2<f64>,
    pub(super) residuals: Array1<f64>,
}

impl Pairs {
    /// The largest residual, as a multiple of what is allowed.
    pub(super) fn excess(&self, problem: &Problem<'_>) -> f64 {
        let pairs = self.residuals.iter().zip(&self.values);
        let (tolerance, least) = (
            problem.options.tolerance,
            f64::EPSILON * problem.bound / 16.0,
        );
        pairs
            .map(|(residual, value)| {
                residual / (tolerance * value.abs()).max(least).max(f64::MIN_POSITIVE)
            })
            .fold(0.0, f64::max)
    }

    /// Whether no residual is more than some roundings of the matrix's size.
    pub(super) fn is_rounding(&self, problem: &Problem<'_>) -> bool {
        let least = ROUNDINGS * f64::EPSILON * problem.bound;
        self.residuals.iter().all(|&residual| residual <= least)
    }
}

fn norm(column: &Array2<f64>) -> f64 {
    column.iter().map(|v| v * v).sum::<f64>().sqrt()
}
