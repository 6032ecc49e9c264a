//! The factor model x = m + Λᵀ z + e, e ~ N(0, diag ψ): its likelihood with the best loadings put in.
//!
//! All is in units in which every column has variance 1, because the model does not care for units.
//! For noise variances ψ, let t and v be the largest eigenvalues and vectors of Ψ^-½ R Ψ^-½, where R
//! holds the correlations. The best loadings are Ψ^½ v √(t − 1) (Jöreskog 1967; Barber 2012, 21.1),
//! and what is left to find are the d numbers log ψ. The likelihood needs the k largest pairs only:
//! the other eigenvalues enter by their sum, which is that of 1/ψ less the k.

mod ascent;
mod curvature;

use std::f64::consts::PI;

use ndarray::{Array1, Array2, Axis, s};

pub(super) use ascent::{Solution, Stop, maximize};

use crate::data::Features;
use crate::error::Result;
use crate::linalg::block_krylov::{self, Effort, Symmetric};
use crate::linalg::eigen::{self, Eigen};
use crate::linalg::operator::Rows;
use crate::linalg::partial_eigen::leading;
use crate::linalg::product::product;
use crate::linalg::solve;
use crate::params::Choice;
use crate::run::Run;

/// Below this many columns all eigenvalues are found anew in every step.
const DENSE: usize = 192;
/// The eigenvectors requested must be at most one in this many for the iteration that follows them.
const SHARE: usize = 8;
/// Residuals of followed eigenvectors, as a fraction of the largest eigenvalue. What the likelihood loses
/// by them is of the order of their square.
const RESIDUAL: f64 = 1e-8;
/// Products with a block of vectors that one step may take.
const MAX_PRODUCTS: usize = 60;
/// A factor whose eigenvalue is no more than this above 1 explains nothing.
const LEAST_EXCESS: f64 = 1e-9;

/// Columns up to which the initialization may be computed by regression, which inverts the correlations.
const MOST_INVERTED: usize = 1024;
/// The least noise variance, as a fraction of its column's, that the initialization by regression gives.
const LEAST_START: f64 = 0.005;
/// The initial noise variance where regression cannot be computed, as a fraction of its column's.
const PLAIN_START: f64 = 1.0;

/// Initialization of the noise variances.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum NoiseStart {
    /// Residual variance of the regression of each column on all others (Jöreskog 1967); all of its variance where columns
    /// are linearly dependent, are more than 1,024, or with the solver `randomized`.
    Regression,
    /// This proportion of each column's variance.
    #[choice(above = 0.0, max = 1.0)]
    Share(f64),
}

/// What the correlations are known by.
#[derive(Debug)]
pub(super) enum Source<'a> {
    /// The matrix. Columns without variance are zero.
    Matrix(Array2<f64>),
    /// The rows themselves, which are never multiplied with each other.
    Rows {
        /// The rows.
        features: Features<'a>,
        /// Their mean.
        mean: &'a Array1<f64>,
        /// What makes the centred columns have length 1; 0 for columns without variance.
        units: Array1<f64>,
    },
}

/// The likelihood as a function of the noise variances alone.
#[derive(Debug)]
pub(super) struct Likelihood<'a> {
    source: Source<'a>,
    /// Which columns vary: the others are left out.
    varies: Vec<bool>,
    n_factors: usize,
    floor: f64,
    /// Vectors near those requested, from the step before.
    start: Array2<f64>,
}

/// What there is at given noise variances.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Logarithms of the noise variances, as fractions of the columns' variances; 0 for columns left out.
    pub log_noise: Array1<f64>,
    /// Mean log-likelihood of a row.
    pub value: f64,
    /// Differences of the value below this are rounding.
    rounding: f64,
    /// The slope of minus the value, by the logarithms.
    pub slope: Array1<f64>,
    /// Loadings, a row for each factor.
    pub loadings: Array2<f64>,
    /// Largest eigenvalues, at least 1.
    pub eigenvalues: Array1<f64>,
    /// All eigenpairs, where they were found.
    all: Option<Eigen>,
}

impl Point {
    /// The number of factors that explain anything.
    pub(super) fn rank(&self) -> usize {
        let real = |value: &&f64| **value > 1.0 + LEAST_EXCESS;
        self.eigenvalues.iter().filter(real).count()
    }

    fn explained(&self, column: usize) -> f64 {
        let loadings = self.loadings.column(column);
        loadings.dot(&loadings)
    }
}

impl<'a> Likelihood<'a> {
    /// For columns of which some vary. No noise variance gets below `floor` times its column's own.
    pub(super) fn new(
        source: Source<'a>,
        varies: Vec<bool>,
        n_factors: usize,
        floor: f64,
        seed: u64,
    ) -> Self {
        Self {
            start: block_krylov::random_start(varies.len(), n_factors, seed),
            source,
            varies,
            n_factors,
            floor,
        }
    }

    /// Logarithms of the initial noise variances.
    fn first(&self, start: NoiseStart) -> Array1<f64> {
        let shares = match start {
            NoiseStart::Share(share) => Array1::from_elem(self.varies.len(), share),
            NoiseStart::Regression => self
                .left_by_regression()
                .unwrap_or_else(|| Array1::from_elem(self.varies.len(), PLAIN_START)),
        };
        let logarithm = |j: usize| shares[j].max(self.floor).ln();
        let of_column = |j| if self.varies[j] { logarithm(j) } else { 0.0 };
        Array1::from_shape_fn(shares.len(), of_column)
    }

    /// (1 − k/2d) / diag R⁻¹: the residual variance of each column, reduced by Jöreskog's factor.
    fn left_by_regression(&self) -> Option<Array1<f64>> {
        let size = self.varies.len();
        let Source::Matrix(matrix) = &self.source else {
            return None;
        };
        if size > MOST_INVERTED {
            return None;
        }
        let mut matrix = matrix.clone();
        for j in (0..size).filter(|&j| !self.varies[j]) {
            matrix[[j, j]] = 1.0;
        }
        let inverse = solve::positive_definite(&matrix.view(), &Array2::eye(size).view()).ok()?;
        let factor = 1.0 - self.n_factors as f64 / (2.0 * size as f64);
        let share = |entry: &f64| (factor / entry).clamp(LEAST_START, 1.0);
        let shares: Array1<f64> = inverse.diag().iter().map(share).collect();
        shares
            .iter()
            .all(|share| share.is_finite())
            .then_some(shares)
    }

    /// The likelihood, its slope and the best loadings at the given noise variances.
    fn at(&mut self, run: &Run<'_>, log_noise: Array1<f64>) -> Result<Point> {
        let size = log_noise.len();
        let scale = Array1::from_shape_fn(size, |j| {
            if self.varies[j] {
                (-0.5 * log_noise[j]).exp()
            } else {
                0.0
            }
        });
        let (pairs, all) = self.largest(run, &scale)?;
        let eigenvalues = pairs.values.mapv(|value| value.max(1.0));
        // Ψ^½ v √(t − 1), and nothing for columns left out.
        let roots = scale.mapv(|scale| if scale > 0.0 { scale.recip() } else { 0.0 });
        let sizes = eigenvalues.mapv(|value| (value - 1.0).sqrt());
        let loadings = pairs.vectors * &sizes.insert_axis(Axis(1)) * &roots;
        let mut double = scale.dot(&scale) - pairs.values.sum();
        for (value, above_one) in pairs.values.iter().zip(&eigenvalues) {
            double += value / above_one + above_one.ln();
        }
        let n_varying = self.varies.iter().filter(|&&varies| varies).count();
        double += log_noise.sum() + n_varying as f64 * (2.0 * PI).ln();
        let mut point = Point {
            slope: Array1::zeros(size),
            value: -0.5 * double,
            // The sum of all eigenvalues is large where noise is small, and most of it cancels.
            rounding: f64::EPSILON * (20.0 * double.abs() + 4.0 * scale.dot(&scale)),
            log_noise,
            loadings,
            eigenvalues,
            all,
        };
        for j in (0..size).filter(|&j| self.varies[j]) {
            let noise = point.log_noise[j].exp();
            point.slope[j] = 0.5 * (point.explained(j) + noise - 1.0) / noise;
        }
        Ok(point)
    }

    /// The largest eigenpairs of the correlations with rows and columns multiplied by `scale`; and all of
    /// them, for few columns.
    fn largest(&mut self, run: &Run<'_>, scale: &Array1<f64>) -> Result<(Eigen, Option<Eigen>)> {
        let (size, count) = (scale.len(), self.n_factors);
        match &self.source {
            Source::Matrix(matrix) if size < DENSE => {
                let all = eigen::symmetric(&scaled(matrix, scale).view())?;
                let kept = Eigen {
                    values: all.values.slice(s![..count]).to_owned(),
                    vectors: all.vectors.slice(s![..count, ..]).to_owned(),
                };
                Ok((kept, Some(all)))
            }
            Source::Matrix(matrix) if count * SHARE > size => {
                Ok((leading(&scaled(matrix, scale).view(), count)?.0, None))
            }
            Source::Matrix(matrix) => {
                let pairs = follow(&mut self.start, count, &Scaled { matrix, scale })?;
                Ok((pairs, None))
            }
            Source::Rows {
                features,
                mean,
                units,
            } => {
                let factors = units * scale;
                let rows = Rows::new(features, mean).scaled(Some(&factors));
                let pairs = follow(&mut self.start, count, &Cross { rows, run })?;
                Ok((pairs, None))
            }
        }
    }
}

/// A matrix with rows and columns multiplied by factors.
fn scaled(matrix: &Array2<f64>, scale: &Array1<f64>) -> Array2<f64> {
    Array2::from_shape_fn(matrix.dim(), |(i, j)| matrix[[i, j]] * scale[i] * scale[j])
}

/// The largest eigenpairs, from those of the step before.
fn follow(start: &mut Array2<f64>, count: usize, operator: &dyn Symmetric) -> Result<Eigen> {
    let effort = Effort {
        tolerance: RESIDUAL,
        max_products: MAX_PRODUCTS,
        seed: 0,
    };
    // Progress is reported for iterations, not within each.
    let quiet = Run::new();
    let (found, next) =
        block_krylov::largest_from(&quiet, operator, count, start.clone(), &effort)?;
    *start = next;
    Ok(found.eigen)
}

/// The same, by its products.
struct Scaled<'a> {
    matrix: &'a Array2<f64>,
    scale: &'a Array1<f64>,
}

impl Symmetric for Scaled<'_> {
    fn size(&self) -> usize {
        self.scale.len()
    }

    fn times(&self, _: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        let scale = self.scale.view().insert_axis(Axis(1));
        let scaled = right * &scale;
        Ok(product(&self.matrix.view(), &scaled.view()) * scale)
    }
}

/// XᵀX of scaled rows, which asks the real run whether to stop.
struct Cross<'a, 'b, 'c> {
    rows: Rows<'a>,
    run: &'b Run<'c>,
}

impl Symmetric for Cross<'_, '_, '_> {
    fn size(&self) -> usize {
        self.rows.n_columns()
    }

    fn times(&self, _: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        self.rows.gram_times(self.run, &right.view())
    }
}
