//! Principal axes of centred (and scaled) rows, by four solvers.
//!
//! | solver | matrix | cost | when |
//! |---|---|---|---|
//! | covariance | scatter of the columns, d × d | n d² + d³ | d ≤ n |
//! | dual | inner products of the rows, n × n | d n² + n³ | n < d |
//! | svd | triangular factor of the rows, read in blocks | 2 n d² + d³ | smallest variances matter |
//! | randomized | a block Krylov space | passes × n d k | few components of large data |

use ndarray::{Array1, Array2, Axis, s};

use crate::error::{Error, Result, Warning, message};
use crate::linalg::block_krylov::{self, Effort, Symmetric};
use crate::linalg::eigen::{Eigen, fix_signs};
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::linalg::orthogonal::TallFactor;
use crate::linalg::partial_eigen::leading;
use crate::linalg::svd;
use crate::parallel::blocks;
use crate::params::Choice;
use crate::run::Run;

/// The solver of the eigenproblem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Solver {
    /// Chosen by shape: covariance if there are at least as many rows as columns, dual otherwise;
    /// randomized if the smaller side is above 2,500 and at most a tenth of the components is computed.
    Auto,
    /// Eigenvectors of the columns' covariance matrix.
    Covariance,
    /// Eigenvectors of the rows' inner products.
    Dual,
    /// Singular value decomposition: does not square the condition number.
    Svd,
    /// Block Krylov iteration from a random initialization, to a tolerance.
    Randomized,
}

/// Size of the smaller side up to which a dense eigenproblem is always solved.
const DENSE: usize = 2500;

impl Solver {
    /// The solver for this shape, where `wanted` is the number of components if it is known.
    pub(crate) fn resolve(self, n_rows: usize, n_columns: usize, wanted: Option<usize>) -> Self {
        if self != Self::Auto {
            return self;
        }
        let smaller = n_rows.min(n_columns);
        let few = wanted.is_some_and(|wanted| wanted.saturating_mul(10) <= smaller);
        if smaller > DENSE && few {
            Self::Randomized
        } else if n_columns <= n_rows {
            Self::Covariance
        } else {
            Self::Dual
        }
    }
}

/// Axes with the scatter along them, largest first.
#[derive(Clone, Debug)]
pub struct Axes {
    /// Sums of squares along the axes.
    pub scatters: Array1<f64>,
    /// Orthonormal axes, one a row.
    pub vectors: Array2<f64>,
    /// Sums of squares along all axes, where the route finds them.
    pub spectrum: Option<Array1<f64>>,
    /// Sum of squares in all directions.
    pub total: f64,
    /// How far the worst axis is from an exact one, for the iterative route.
    pub residual: Option<f64>,
    /// The fraction of the total below which a scatter is no more than rounding.
    pub rounding: f64,
}

/// From the columns' moments. `count` of them; all if `None`.
pub(crate) fn from_moments(moments: &Moments, count: Option<usize>) -> Result<Axes> {
    let scatter = moments.scatter();
    let (kept, all) = leading(&scatter.view(), count.unwrap_or(scatter.nrows()))?;
    Ok(Axes {
        scatters: kept.values.mapv(|value| value.max(0.0)),
        vectors: kept.vectors,
        spectrum: Some(all.mapv(|value| value.max(0.0))),
        total: scatter.diag().sum(),
        residual: None,
        rounding: moments.rounding(),
    })
}

/// From the scatter XᵀX of rows, about whatever they are measured from.
pub(crate) fn from_scatter(rows: &Rows<'_>, scatter: &Array2<f64>) -> Result<Axes> {
    let total = finite(scatter.diag().sum())?;
    let (kept, all) = leading(&scatter.view(), scatter.nrows())?;
    Ok(Axes {
        scatters: kept.values.mapv(|value| value.max(0.0)),
        vectors: kept.vectors,
        spectrum: Some(all.mapv(|value| value.max(0.0))),
        total,
        residual: None,
        rounding: rounding(rows),
    })
}

/// A sum of squares, unless it overflowed.
fn finite(total: f64) -> Result<f64> {
    if total.is_finite() {
        Ok(total)
    } else {
        Err(Error::too_large())
    }
}

/// Rounding of sums over rows that were computed in double precision.
fn rounding(rows: &Rows<'_>) -> f64 {
    rows.n_rows().max(rows.n_columns()) as f64 * f64::EPSILON
}

/// From the rows' inner products.
pub(crate) fn dual(run: &Run<'_>, rows: &Rows<'_>, count: Option<usize>) -> Result<Axes> {
    let products = rows.inner_products(run)?;
    let total = finite(products.diag().sum())?;
    run.stage("eigenvectors")?;
    let (left, all) = leading(&products.view(), count.unwrap_or(rows.n_rows()))?;
    Ok(Axes {
        vectors: axes_of_left(run, rows, &left)?,
        scatters: left.values.mapv(|value| value.max(0.0)),
        spectrum: Some(all.mapv(|value| value.max(0.0))),
        total,
        residual: None,
        rounding: rounding(rows),
    })
}

/// From the triangular factor of the rows (or of the columns, if there are fewer rows).
pub(crate) fn by_svd(run: &Run<'_>, rows: &Rows<'_>, count: Option<usize>) -> Result<Axes> {
    let (n_rows, n_columns) = (rows.n_rows(), rows.n_columns());
    let tall = n_rows >= n_columns;
    let triangle = if tall {
        let mut factor = TallFactor::new(n_columns);
        for block in blocks(n_rows, (4 * n_columns).max(512)) {
            let end = block.end;
            factor.add(&rows.block(block).view());
            run.progress(end as u64, n_rows as u64)?;
        }
        factor.triangle()
    } else {
        let mut factor = TallFactor::new(n_rows);
        for block in blocks(n_columns, (4 * n_rows).max(512)) {
            let end = block.end;
            factor.add(&rows.panel(&block).t());
            run.progress(end as u64, n_columns as u64)?;
        }
        factor.triangle()
    };
    run.stage("singular vectors")?;
    finite(triangle.iter().map(|value| value * value).sum())?;
    let parts = svd::thin(&triangle.view())?;
    let spectrum = parts.values.mapv(|value| value * value);
    let kept = count.unwrap_or(spectrum.len()).min(spectrum.len());
    let scatters = spectrum.slice(s![..kept]).to_owned();
    let vectors = parts.right.slice(s![..kept, ..]).to_owned();
    let vectors = if tall {
        vectors
    } else {
        let left = Eigen {
            values: scatters.clone(),
            vectors,
        };
        axes_of_left(run, rows, &left)?
    };
    Ok(Axes {
        scatters,
        vectors,
        total: spectrum.sum(),
        spectrum: Some(spectrum),
        residual: None,
        rounding: rounding(rows),
    })
}

/// By block Krylov iteration on the smaller side.
pub(crate) fn randomized(
    run: &Run<'_>,
    rows: &Rows<'_>,
    count: usize,
    effort: &Effort,
) -> Result<Axes> {
    let total = finite(rows.squared_lengths(run)?.sum())?;
    let columns_side = rows.n_columns() <= rows.n_rows();
    let found = if columns_side {
        block_krylov::largest(run, &ColumnSide(rows), count, effort)?
    } else {
        block_krylov::largest(run, &RowSide(rows), count, effort)?
    };
    if !found.converged {
        run.warn(Warning::NotConverged {
            what: message!("the randomized solver"),
            reached: message!(
                "after {} iterations the largest residual is {:.1e} of the largest eigenvalue, above the tolerance of {:.1e}",
                found.n_products,
                found.residual,
                effort.tolerance
            ),
        })?;
    }
    let scatters = found.eigen.values.mapv(|value| value.max(0.0));
    let vectors = if columns_side {
        found.eigen.vectors
    } else {
        axes_of_left(run, rows, &found.eigen)?
    };
    Ok(Axes {
        scatters,
        vectors,
        spectrum: None,
        total,
        residual: Some(found.residual),
        rounding: rounding(rows),
    })
}

/// Axes v = Xᵀ u / σ of left singular vectors; zero where σ is rounding.
fn axes_of_left(run: &Run<'_>, rows: &Rows<'_>, left: &Eigen) -> Result<Array2<f64>> {
    let products = rows.transposed_times(run, &left.vectors.t())?;
    let mut axes = products.t().as_standard_layout().into_owned();
    let largest = left.values.first().copied().unwrap_or(0.0);
    for (mut axis, &value) in axes.axis_iter_mut(Axis(0)).zip(&left.values) {
        let length = axis.dot(&axis).sqrt();
        let real = value > largest * rows.n_columns() as f64 * f64::EPSILON;
        axis.mapv_inplace(|entry| {
            if real && length > 0.0 {
                entry / length
            } else {
                0.0
            }
        });
    }
    fix_signs(axes.view_mut());
    Ok(axes)
}

/// XᵀX, known by its products.
struct ColumnSide<'a, 'b>(&'a Rows<'b>);

impl Symmetric for ColumnSide<'_, '_> {
    fn size(&self) -> usize {
        self.0.n_columns()
    }

    fn times(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        self.0.gram_times(run, &right.view())
    }
}

/// XXᵀ, known by its products.
struct RowSide<'a, 'b>(&'a Rows<'b>);

impl Symmetric for RowSide<'_, '_> {
    fn size(&self) -> usize {
        self.0.n_rows()
    }

    fn times(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        let across = self.0.transposed_times(run, &right.view())?;
        self.0.times_wide(run, &across.view())
    }
}

impl Axes {
    /// The number of axes along which the data varies beyond rounding.
    pub fn rank(&self) -> usize {
        let least = self.total * self.rounding;
        self.scatters
            .iter()
            .filter(|&&scatter| scatter > least)
            .count()
    }
}

/// The error for data without any variance.
pub(crate) fn constant_data() -> Error {
    Error::degenerate(message!(
        "no variance can be found: all {:rows} are the same, or so close together that \
         their squared differences underflow"
    ))
}
