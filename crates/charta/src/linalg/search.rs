//! The search behind [`super::smallest`]: a block Krylov space of the inverse, or of a polynomial, of a sparse
//! matrix.

use ndarray::{Array1, Array2, Axis, concatenate, s};

use super::cholesky::Cholesky;
use super::eigen::{self, Eigen};
use super::engine::{Engine, Filter};
use super::krylov::Symmetric;
use super::orthogonal::{orthonormal_columns, remove_span};
use super::product::product;
use super::smallest::{Found, Route, SmallestOptions, signed};
use super::symmetric_sparse::SparseSymmetric;
use crate::error::{Error, Result, counted};
use crate::message;
use crate::random::{normal, stream};
use crate::run::Run;

/// Vectors beyond those wanted in each block, at least; blocks are multiples of `MULTIPLE`, for the solver.
const EXTRA: usize = 2;
const MULTIPLE: usize = 4;
/// The basis restarts at so many blocks.
const MAX_BLOCKS: usize = 8;
/// Residuals of so many roundings of the matrix's size are as good as none, if they do not fall any more.
const ROUNDINGS: f64 = 4.0;

/// A x = λ D x, turned into a standard problem by y = √D x.
pub(super) struct Problem<'a> {
    pub(super) matrix: &'a SparseSymmetric,
    pub(super) options: &'a SmallestOptions<'a>,
    pub(super) count: usize,
    /// What is known to be null, as orthonormal columns, times √D.
    pub(super) null: Array2<f64>,
    /// The same before that.
    null_vectors: Array2<f64>,
    /// √D.
    pub(super) root: Option<Array1<f64>>,
    bound: f64,
}

impl<'a> Problem<'a> {
    pub(super) fn new(
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
                message!("eigenpairs wanted"),
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
                self.null = beside(&self.null, &y);
                self.null_vectors = beside(&self.null_vectors, &x);
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
    pub(super) fn n_wanted(&self) -> usize {
        self.count + self.null.ncols()
    }

    fn n_positive(&self) -> usize {
        let n = self.matrix.n();
        self.root
            .as_ref()
            .map_or(n, |root| root.iter().filter(|&&r| r > 0.0).count())
    }

    /// Whether the right side has entries of 0.
    pub(super) fn has_empty(&self) -> bool {
        self.n_positive() < self.matrix.n()
    }

    /// A bound of the eigenvalues of [`Self::scaled`], and of A if there is no right side.
    pub(super) fn bound(&self) -> f64 {
        match &self.root {
            Some(_) if !self.has_empty() => self.scaled().bound(),
            _ => self.bound,
        }
    }

    /// D^(−1/2) A D^(−1/2), for a right side without zeros.
    pub(super) fn scaled(&self) -> SparseSymmetric {
        let mut scaled = self.matrix.clone();
        if let Some(root) = &self.root {
            let starts = scaled.starts().to_vec();
            let columns = scaled.columns().to_vec();
            for (row, pair) in starts.windows(2).enumerate() {
                for place in pair[0]..pair[1] {
                    let factor = root[row] * root[columns[place] as usize];
                    scaled.values_mut()[place] /= factor;
                }
            }
        }
        scaled
    }

    /// A + shift · D, regular: the shift is a share of the mean of the diagonal.
    pub(super) fn shifted(&self, share: f64) -> SparseSymmetric {
        let n = self.matrix.n() as f64;
        let trace: f64 = self.matrix.diagonal().iter().sum();
        let right = self.root.as_ref().map_or(n, |root| root.dot(root));
        let size = if trace > 0.0 { trace / right } else { 1.0 };
        self.matrix.with_diagonal(|row| match &self.root {
            None => share * size,
            // Nothing at all is said about such a row: it gets 0.
            Some(root) if root[row] == 0.0 && self.is_blank(row) => 1.0,
            Some(root) => share * size * root[row] * root[row],
        })
    }

    fn is_blank(&self, row: usize) -> bool {
        self.matrix.row(row).1.iter().all(|&value| value == 0.0)
    }

    /// √D x.
    fn rooted(&self, x: &Array2<f64>) -> Array2<f64> {
        match &self.root {
            Some(root) => x * &root.view().insert_axis(Axis(1)),
            None => x.clone(),
        }
    }

    /// x of y, for a right side without zeros.
    pub(super) fn unscaled(&self, y: Array2<f64>) -> Array2<f64> {
        match &self.root {
            Some(root) => y / root.view().insert_axis(Axis(1)),
            None => y,
        }
    }

    /// The best eigenpairs in the span of some vectors x, and their residuals.
    pub(super) fn finish(&self, x: &Array2<f64>) -> Result<(Eigen, Array1<f64>)> {
        let pairs = self.refine(x)?;
        let residuals = pairs.residuals / self.bound.max(f64::MIN_POSITIVE);
        Ok((signed(pairs.values, &pairs.vectors), residuals))
    }

    /// Rayleigh–Ritz with the matrix itself.
    fn refine(&self, x: &Array2<f64>) -> Result<Pairs> {
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
struct Pairs {
    values: Array1<f64>,
    vectors: Array2<f64>,
    residuals: Array1<f64>,
}

impl Pairs {
    /// The largest residual, as a multiple of what is allowed.
    fn excess(&self, problem: &Problem<'_>) -> f64 {
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
    fn is_rounding(&self, problem: &Problem<'_>) -> bool {
        let least = ROUNDINGS * f64::EPSILON * problem.bound;
        self.residuals.iter().all(|&residual| residual <= least)
    }
}

/// Builds the space until the pairs are good enough.
pub(super) fn search(
    run: &Run<'_>,
    problem: &Problem<'_>,
    engine: &mut Engine<'_>,
) -> Result<Found> {
    let width = (problem.count + EXTRA).next_multiple_of(MULTIPLE);
    let room = problem.n_positive() - problem.null.ncols();
    let width = width.min(room);
    let mut block = random_block(problem, width);
    let mut space = Space::default();
    let mut last = f64::INFINITY;
    let total = problem.options.max_rounds;
    for round in 1..=total {
        let (images, from) = engine.apply(run, &block)?;
        run.progress(round as u64, total as u64)?;
        space.grow(&block, images.clone(), from);
        let pairs = space.pairs(problem)?;
        let excess = pairs.excess(problem);
        let stuck = excess > 0.5 * last && pairs.is_rounding(problem);
        let complete = space.width() >= room;
        if excess <= 1.0 || stuck || complete || round == total {
            let converged = excess <= 1.0 || complete || pairs.is_rounding(problem);
            return Ok(found(problem, pairs, (converged, round), engine.route()));
        }
        last = excess;
        block = space.next_block(problem, images, room);
        if space.width() + width > MAX_BLOCKS * width {
            if let Engine::Filter(filter) = engine {
                block = space.refilter(problem, filter, width)?;
            } else {
                space.restart(width)?;
            }
        }
    }
    Err(Error::at_least("max_rounds", 1, total))
}

fn found(
    problem: &Problem<'_>,
    pairs: Pairs,
    (converged, n_rounds): (bool, usize),
    route: Route,
) -> Found {
    Found {
        eigen: signed(pairs.values, &pairs.vectors),
        residuals: pairs.residuals / problem.bound.max(f64::MIN_POSITIVE),
        converged,
        route,
        n_rounds,
    }
}

fn random_block(problem: &Problem<'_>, width: usize) -> Array2<f64> {
    let mut stream = stream(problem.options.seed, 0);
    let x = Array2::from_shape_fn((problem.matrix.n(), width), |_| normal(&mut stream));
    let mut y = problem.rooted(&x);
    remove_span(&mut y, &problem.null.view());
    orthonormal_columns(&y.view())
}

/// An orthonormal basis with its images under the engine.
#[derive(Default)]
struct Space {
    basis: Option<Array2<f64>>,
    images: Array2<f64>,
    /// Vectors x from which the images come, where they are not the images themselves.
    from: Option<Array2<f64>>,
    /// The operator within the basis.
    small: Array2<f64>,
}

impl Space {
    fn width(&self) -> usize {
        self.small.nrows()
    }

    fn grow(&mut self, block: &Array2<f64>, images: Array2<f64>, from: Option<Array2<f64>>) {
        let Some(basis) = &self.basis else {
            self.small = symmetrized(&product(&block.t(), &images.view()));
            self.basis = Some(block.clone());
            self.images = images;
            self.from = from;
            return;
        };
        let basis = beside(basis, block);
        let (old, new) = (self.width(), block.ncols());
        let shares = product(&basis.t(), &images.view());
        let mut small = Array2::zeros((old + new, old + new));
        small.slice_mut(s![..old, ..old]).assign(&self.small);
        small.slice_mut(s![.., old..]).assign(&shares);
        small
            .slice_mut(s![old.., ..old])
            .assign(&shares.slice(s![..old, ..]).t());
        self.small = symmetrized(&small);
        self.images = beside(&self.images, &images);
        self.from = match (self.from.take(), from) {
            (Some(before), Some(new)) => Some(beside(&before, &new)),
            _ => None,
        };
        self.basis = Some(basis);
    }

    /// The best pairs in the space: the images of its leading vectors, a step of the operator further on.
    fn pairs(&self, problem: &Problem<'_>) -> Result<Pairs> {
        let leading = eigen::symmetric_largest(&self.small.view(), problem.count)?;
        let images = product(&self.images.view(), &leading.vectors.t());
        let x = match &self.from {
            Some(from) => product(&from.view(), &leading.vectors.t()),
            None => problem.unscaled(images),
        };
        problem.refine(&x)
    }

    fn basis(&self) -> &Array2<f64> {
        self.basis.as_ref().unwrap_or(&self.images)
    }

    /// Keeps the `width` best vectors only. Their images need no new product.
    fn restart(&mut self, width: usize) -> Result<()> {
        let kept = eigen::symmetric_largest(&self.small.view(), width)?;
        let turn = kept.vectors.t();
        self.basis = Some(product(&self.basis().view(), &turn));
        self.images = product(&self.images.view(), &turn);
        self.from = self.from.as_ref().map(|from| product(&from.view(), &turn));
        self.small = Array2::from_diag(&kept.values);
        Ok(())
    }

    /// Starts anew from the best vectors, with a polynomial cut where their eigenvalues end.
    fn refilter(
        &mut self,
        problem: &Problem<'_>,
        filter: &mut Filter,
        width: usize,
    ) -> Result<Array2<f64>> {
        self.restart(width)?;
        let images = filter.matrix.times(&Run::new(), self.basis())?;
        let small = symmetrized(&product(&self.basis().t(), &images.view()));
        let values = eigen::symmetric_values(&small.view())?;
        // Not below what can be told from 0, nor so high that the polynomial has nothing left to press down.
        filter.cut = values[0].clamp(1e-10 * filter.bound, filter.bound / 2.0);
        let mut block = self.basis().clone();
        remove_span(&mut block, &problem.null.view());
        *self = Self::default();
        Ok(orthonormal_columns(&block.view()))
    }

    /// The next directions: the newest images, less what the basis already holds.
    fn next_block(
        &self,
        problem: &Problem<'_>,
        mut images: Array2<f64>,
        room: usize,
    ) -> Array2<f64> {
        let kept = images.ncols().min(room - self.width());
        if kept < images.ncols() {
            images = images.slice(s![.., ..kept]).to_owned();
        }
        for _ in 0..2 {
            remove_span(&mut images, &problem.null.view());
            remove_span(&mut images, &self.basis().view());
            images = orthonormal_columns(&images.view());
        }
        images
    }
}

fn symmetrized(small: &Array2<f64>) -> Array2<f64> {
    (small + &small.t()) * 0.5
}

fn norm(column: &Array2<f64>) -> f64 {
    column.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn beside(left: &Array2<f64>, right: &Array2<f64>) -> Array2<f64> {
    // Both have as many rows as the matrix, so that joining them cannot fail.
    concatenate(Axis(1), &[left.view(), right.view()]).unwrap_or_else(|_| left.clone())
}
