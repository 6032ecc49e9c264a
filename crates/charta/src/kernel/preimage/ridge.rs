//! Pre-images by kernel ridge regression of features on coordinates.
//!
//! With coordinates Z of the basis rows X and the kernel between coordinates, new coordinates z have the features
//! k(z, Z) (k(Z, Z) + α I)⁻¹ X, as in scikit-learn's `fit_inverse_transform`. The system is solved when it is needed, for
//! the new rows, so that neither a fit nor a model file pays for it.

use ndarray::{Array2, ArrayView2, s};

use super::mixed;
use crate::data::Data;
use crate::error::{Error, Result, message};
use crate::kernel::{KernelMatrix, KernelRows};
use crate::linalg::cholesky::Cholesky;
use crate::parallel::{map_blocks, stack_rows};
use crate::run::Run;

/// New rows that one job solves for.
const LINES: usize = 64;

/// Features of rows with these coordinates. `basis` are the coordinates of the basis rows.
pub(crate) fn ridge(
    run: &Run<'_>,
    rows: &KernelRows,
    basis: &ArrayView2<'_, f64>,
    coordinates: &ArrayView2<'_, f64>,
    alpha: f64,
) -> Result<Array2<f64>> {
    let Some(features) = rows.features() else {
        return Err(Error::unsupported(
            message!("the model"),
            message!("keeps no features, which the inverse transform needs"),
        ));
    };
    let factor = factor(run, rows, basis, alpha)?;
    let known = Data::new(basis.view());
    let coordinate_rows = KernelRows::new(&known, *rows.spec());
    run.stage("pre-images")?;
    let parts = map_blocks(run, coordinates.nrows(), LINES, |lines| {
        let part = coordinates.slice(s![lines, ..]);
        let kernels = coordinate_rows.between(run, &Data::new(part))?;
        let weights = factor.solve_upper(&factor.solve_lower(&kernels.t()).view());
        Ok(mixed(&weights.t(), &features))
    })?;
    let parts: Vec<Array2<f64>> = parts.into_iter().collect::<Result<_>>()?;
    Ok(stack_rows(&parts, features.n_columns()))
}

/// The factor of k(Z, Z) + α I.
fn factor(
    run: &Run<'_>,
    rows: &KernelRows,
    basis: &ArrayView2<'_, f64>,
    alpha: f64,
) -> Result<Cholesky> {
    run.stage("ridge regression of the features")?;
    check_memory(run, basis.nrows())?;
    let known = Data::new(basis.view());
    let coordinate_rows = KernelRows::new(&known, *rows.spec());
    let mut matrix = KernelMatrix::of(run, &coordinate_rows, &known)?.wide();
    matrix.diag_mut().mapv_inplace(|entry| entry + alpha);
    Cholesky::of(&matrix.view()).ok_or_else(|| {
        Error::degenerate(message!(
            "the kernel between coordinates has negative eigenvalues that {alpha:setting} does \
             not outweigh, so there are no pre-images; use a larger {alpha:parameter}, or \
             {pre_image=fixed_point}"
        ))
    })
}

/// The matrix, its copy and its factor must find room.
fn check_memory(run: &Run<'_>, size: usize) -> Result<()> {
    let needed = (size as u64).saturating_mul(size as u64).saturating_mul(24);
    match run.memory() {
        Some(limit) if needed > limit => Err(Error::Memory {
            needed,
            limit,
            advice: message!("use {pre_image=fixed_point}, or landmarks ({dictionary:parameter})"),
        }),
        _ => Ok(()),
    }
}
