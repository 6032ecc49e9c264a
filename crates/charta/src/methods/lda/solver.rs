//! Discriminant axes: largest between-class relative to within-class variance.
//!
//! With W the covariance within classes and B = Σ p (m − c)(m − c)ᵀ between them, coordinates are
//! found in which W is the identity. There the best axes are the singular vectors of the classes'
//! deviations √p (m − c), of which there are only as many as classes.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use crate::error::{Error, Result, Warning, counted, message};
use crate::linalg::cholesky::Cholesky;
use crate::linalg::eigen::{fix_signs, symmetric, symmetric_largest};
use crate::linalg::orthogonal::remove_span;
use crate::linalg::product::product;
use crate::linalg::svd;
use crate::params::Choice;
use crate::run::Run;
use crate::spectral::class_scatter::{ClassScatter, Coordinates, Within};

/// What to do where the scatter within classes is singular.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Singular {
    /// PCA first, to as many components as the rank of the scatter.
    Pca,
    /// Pseudo-inverse: directions without within-class variance are left out.
    PseudoInverse,
    /// Report an error.
    Error,
}

/// The tolerance for singularity, and its treatment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    /// What to do.
    pub singular: Singular,
    /// Deviations within classes below this, in units of the columns' own, count as none; so do
    /// separations below this fraction of the largest.
    pub tolerance: f64,
}

/// Coordinates in which the covariance within classes is the identity.
#[derive(Debug)]
pub(super) struct Whitening {
    form: Form,
    /// The rank of the covariance within classes.
    pub rank: usize,
}

#[derive(Debug)]
enum Form {
    /// L with L Lᵀ = W.
    Factor(Cholesky),
    /// T with Tᵀ W T = I, one vector a row.
    Basis(Array2<f64>),
}

impl Whitening {
    /// Of a scatter within classes; `deviations` are those of the classes' means, in its coordinates.
    pub(super) fn of(
        run: &Run<'_>,
        scatter: &ClassScatter,
        deviations: &Array2<f64>,
        policy: Policy,
    ) -> Result<Self> {
        run.stage("axes")?;
        match &scatter.within {
            Within::Covariance(within) => {
                Self::of_covariance(run, scatter, within, deviations, policy)
            }
            Within::Root(root) => Self::of_root(run, scatter, root, deviations, policy),
        }
    }

    fn of_covariance(
        run: &Run<'_>,
        scatter: &ClassScatter,
        within: &Array2<f64>,
        deviations: &Array2<f64>,
        policy: Policy,
    ) -> Result<Self> {
        let trace = within.diag().sum();
        let least = policy.tolerance.powi(2).max(scatter.rounding * trace);
        if let Some(factor) = Cholesky::of(&within.view())
            && (scatter.regular || factor.smallest_eigenvalue() > 2.0 * least)
        {
            return Ok(Self {
                form: Form::Factor(factor),
                rank: within.nrows(),
            });
        }
        let eigen = symmetric(&within.view())?;
        let rank = count_above(&eigen.values, least);
        let first = match warn_singular(run, scatter, rank, policy.singular)? {
            Some(Singular::Pca) => {
                let total = within + &product(&deviations.t(), &deviations.view());
                symmetric_largest(&total.view(), rank)?.vectors
            }
            _ => return Ok(Self::basis(&eigen.vectors, &eigen.values.mapv(root), rank)),
        };
        let inside = product(&product(&first.view(), &within.view()).view(), &first.t());
        let eigen = symmetric(&inside.view())?;
        let kept = count_above(&eigen.values, least);
        let vectors = product(&eigen.vectors.view(), &first.view());
        Ok(Self {
            rank,
            ..Self::basis(&vectors, &eigen.values.mapv(root), kept)
        })
    }

    fn of_root(
        run: &Run<'_>,
        scatter: &ClassScatter,
        factor: &Array2<f64>,
        deviations: &Array2<f64>,
        policy: Policy,
    ) -> Result<Self> {
        let parts = svd::thin(&factor.view())?;
        let largest = parts.values.first().copied().unwrap_or(0.0);
        let least = if scatter.regular {
            0.0
        } else {
            policy.tolerance.max(scatter.rounding * largest)
        };
        let rank = count_above(&parts.values, least);
        let first = match warn_singular(run, scatter, rank, policy.singular)? {
            Some(Singular::Pca) => {
                let both = concatenate![Axis(0), factor.view(), deviations.view()];
                let all = svd::thin(&both.view())?.right;
                all.slice(s![..rank, ..]).to_owned()
            }
            _ => return Ok(Self::basis(&parts.right, &parts.values, rank)),
        };
        let parts = svd::thin(&product(&factor.view(), &first.t()).view())?;
        let kept = count_above(&parts.values, least);
        let vectors = product(&parts.right.view(), &first.view());
        Ok(Self {
            rank,
            ..Self::basis(&vectors, &parts.values, kept)
        })
    }

    /// The first `rank` orthonormal vectors, each divided by the deviation along it.
    fn basis(vectors: &Array2<f64>, deviations: &Array1<f64>, rank: usize) -> Self {
        let kept = deviations.slice(s![..rank]).insert_axis(Axis(1));
        Self {
            form: Form::Basis(&vectors.slice(s![..rank, ..]) / &kept),
            rank,
        }
    }

    /// Rows of differences, whitened.
    fn whiten(&self, rows: &ArrayView2<'_, f64>) -> Array2<f64> {
        match &self.form {
            Form::Factor(factor) => factor.solve_lower(&rows.t()).reversed_axes(),
            Form::Basis(basis) => product(rows, &basis.t()),
        }
    }

    /// Axes of the whitened space, one a row, as axes of the coordinates.
    fn axes(&self, axes: &ArrayView2<'_, f64>) -> Array2<f64> {
        match &self.form {
            Form::Factor(factor) => factor.solve_upper(&axes.t()).reversed_axes(),
            Form::Basis(basis) => product(axes, &basis.view()),
        }
    }
}

/// Axes, and how well they separate the classes.
#[derive(Clone, Debug)]
pub(super) struct Separation {
    /// Fisher's ratio of the variance between classes to that within, along each axis.
    pub ratios: Array1<f64>,
    /// Axes in columns, one a row.
    pub axes: Array2<f64>,
}

impl Separation {
    /// The first `count` axes, and the others.
    pub(super) fn split(&self, count: usize) -> (Self, Array2<f64>) {
        let first = Self {
            ratios: self.ratios.slice(s![..count]).to_owned(),
            axes: self.axes.slice(s![..count, ..]).to_owned(),
        };
        (first, self.axes.slice(s![count.., ..]).to_owned())
    }
}

/// The axes that separate best, uncorrelated within classes, with variance 1 within classes. There
/// are at most as many as classes less one; those whose separation is no more than `floor` are left
/// out.
pub(super) fn uncorrelated(
    coordinates: &Coordinates,
    whitening: &Whitening,
    deviations: &Array2<f64>,
    policy: Policy,
    floor: f64,
) -> Result<Separation> {
    let white = whitening.whiten(&deviations.view());
    let parts = svd::thin(&white.view())?;
    let largest = parts.values.first().copied().unwrap_or(0.0);
    let least = floor.max(policy.tolerance * largest);
    let count = count_above(&parts.values, least).min(deviations.nrows() - 1);
    let kept = parts.right.slice(s![..count, ..]);
    let mut axes = coordinates.axes(&whitening.axes(&kept).view());
    fix_signs(axes.view_mut());
    Ok(Separation {
        ratios: parts.values.slice(s![..count]).mapv(|value| value * value),
        axes,
    })
}

/// `count` axes of length 1, each of which separates best among those orthogonal to the ones before.
pub(super) fn orthogonal(
    coordinates: &Coordinates,
    whitening: &Whitening,
    deviations: &Array2<f64>,
    count: usize,
) -> Result<Separation> {
    let white = whitening.whiten(&deviations.view());
    let mut axes = Array2::<f64>::zeros((0, 0));
    let mut ratios = Vec::with_capacity(count);
    let mut barred = Array2::<f64>::zeros((white.ncols(), 0));
    for found in 0..count {
        let mut rest = white.t().to_owned();
        if found > 0 {
            remove_span(&mut rest, &barred.view());
        }
        let parts = svd::thin(&rest.t())?;
        ratios.push(parts.values[0] * parts.values[0]);
        let best = parts.right.slice(s![..1, ..]);
        let mut axis = coordinates.axes(&whitening.axes(&best).view());
        let length = axis.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        axis /= length;
        fix_signs(axis.view_mut());
        // w · (E v) = (Eᵀ w) · v: in the whitened space, what is orthogonal to this.
        let mut bar = whitening
            .whiten(&coordinates.project(&axis.view()).view())
            .reversed_axes();
        if found > 0 {
            remove_span(&mut bar, &barred.view());
        }
        bar /= bar.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        barred = concatenate![Axis(1), barred, bar];
        axes = if found == 0 {
            axis
        } else {
            concatenate![Axis(0), axes, axis]
        };
    }
    Ok(Separation {
        ratios: Array1::from_vec(ratios),
        axes,
    })
}

fn root(value: f64) -> f64 {
    value.max(0.0).sqrt()
}

fn count_above(values: &Array1<f64>, least: f64) -> usize {
    values.iter().filter(|&&value| value > least).count()
}

/// Warns if the scatter is singular; the treatment chosen.
fn warn_singular(
    run: &Run<'_>,
    scatter: &ClassScatter,
    rank: usize,
    singular: Singular,
) -> Result<Option<Singular>> {
    let size = scatter.coordinates.n_varying();
    if rank == 0 {
        return Err(Error::degenerate(message!(
            "the {:rows} of each class are all the same, or so close together that their \
             squared differences underflow: there is no scatter within classes"
        )));
    }
    if rank == size || scatter.regular {
        return Ok(None);
    }
    let remedy = match singular {
        Singular::Pca => message!(
            "{:data} is first projected to {}",
            counted(rank, "principal component")
        ),
        Singular::PseudoInverse => message!(
            "its pseudo-inverse is used, in {}",
            counted(rank, "direction")
        ),
        Singular::Error => {
            return Err(Error::degenerate(message!(
                "the scatter within classes is singular: its rank is {rank}, and {size:columns} \
                 vary; use {shrinkage:parameter}, or another value of {singular:parameter}"
            )));
        }
    };
    run.warn(Warning::Singular {
        what: message!("the scatter within classes"),
        size,
        rank,
        remedy,
    })?;
    Ok(Some(singular))
}
