//! The Cholesky factor of a large sparse positive definite matrix, and solving with it.

use std::fmt;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{FaerError, SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Auto, Conj, MatMut, Par, Side, Spec};
use ndarray::Array2;

use super::bridge::parallelism;
use super::symmetric_sparse::SparseSymmetric;
use crate::error::{Error, Result, message};
use crate::parallel::try_for_each;
use crate::run::Run;

/// Columns that one job solves for. A job reads the whole factor, whatever their number.
const COLUMNS_PER_JOB: usize = 4;
/// Entries that a matrix may have: their indices are counted with a sign.
const MOST_PLACES: usize = i32::MAX as usize;

/// The order of elimination of a sparse matrix and what its factor will hold, before any number is computed.
pub(super) struct Pattern {
    symbolic: SymbolicCholesky<u32>,
    starts: Vec<u32>,
}

impl Pattern {
    /// Of a matrix whose diagonal is stored; by approximate minimum degree. `None` if the matrix or its factor holds
    /// more entries than indices can count.
    pub(super) fn of(matrix: &SparseSymmetric) -> Result<Option<Self>> {
        if matrix.n_stored() > MOST_PLACES {
            return Ok(None);
        }
        let starts: Vec<u32> = matrix.starts().iter().map(|&start| start as u32).collect();
        let symbolic = unless_too_large(factorize_symbolic_cholesky(
            pattern(matrix, &starts),
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        ))?;
        Ok(symbolic.map(|symbolic| Self { symbolic, starts }))
    }

    /// Numbers in the factor.
    pub(super) fn n_values(&self) -> usize {
        self.symbolic.len_val()
    }

    /// The factor; `None` if the matrix is not positive definite.
    pub(super) fn factor(&self, matrix: &SparseSymmetric) -> Option<Factor<'_>> {
        let par = parallelism(matrix.n());
        let params: Spec<_, f64> = Spec::new(<_ as Auto<f64>>::auto());
        let mut values = vec![0.0; self.n_values()];
        let request = self
            .symbolic
            .factorize_numeric_llt_scratch::<f64>(par, params);
        let mut memory = MemBuffer::new(request);
        let sparse = SparseColMatRef::new(pattern(matrix, &self.starts), matrix.values());
        self.symbolic
            .factorize_numeric_llt(
                &mut values,
                sparse,
                Side::Lower,
                faer::linalg::cholesky::llt::factor::LltRegularization::default(),
                par,
                MemStack::new(&mut memory),
                params,
            )
            .ok()?;
        let finite = values.iter().all(|value| value.is_finite());
        finite.then_some(Factor {
            pattern: self,
            values,
        })
    }
}

fn pattern<'a>(matrix: &'a SparseSymmetric, starts: &'a [u32]) -> SymbolicSparseColMatRef<'a, u32> {
    let n = matrix.n();
    // Columns and rows are the same, as both halves are stored.
    SymbolicSparseColMatRef::new_checked(n, n, starts, None, matrix.columns())
}

/// `None` if indices ran out.
fn unless_too_large<T>(outcome: std::result::Result<T, FaerError>) -> Result<Option<T>> {
    match outcome {
        Ok(found) => Ok(Some(found)),
        Err(FaerError::IndexOverflow) => Ok(None),
        Err(error) => Err(Error::NotConverged {
            what: message!("the factorization of a sparse matrix"),
            reached: message!("{error:?}"),
        }),
    }
}

/// The factor of a matrix.
pub(super) struct Factor<'a> {
    pattern: &'a Pattern,
    values: Vec<f64>,
}

impl fmt::Debug for Factor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Factor")
            .field("n_values", &self.values.len())
            .finish_non_exhaustive()
    }
}

impl Factor<'_> {
    /// The inverse of the matrix times `right`. Columns are solved for in fixed groups, side by side.
    pub(super) fn solve(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        let n = right.nrows();
        let mut columns = right.t().as_standard_layout().into_owned();
        let Some(entries) = columns.as_slice_mut().filter(|entries| !entries.is_empty()) else {
            return Ok(right.clone());
        };
        let factor = LltRef::new(&self.pattern.symbolic, &self.values);
        try_for_each(run, entries.chunks_mut(COLUMNS_PER_JOB * n), |_, group| {
            let width = group.len() / n;
            let scratch = factor.solve_in_place_scratch::<f64>(width, Par::Seq);
            let mut memory = MemBuffer::new(scratch);
            factor.solve_in_place_with_conj(
                Conj::No,
                MatMut::from_column_major_slice_mut(group, n, width),
                Par::Seq,
                MemStack::new(&mut memory),
            );
            Ok(())
        })?;
        Ok(columns.t().as_standard_layout().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solving_inverts_the_matrix() {
        let n = 700;
        let matrix = SparseSymmetric::from_rows(&Run::new(), n, |row, list| {
            list.push((row as u32, 5.0 + (row as f64).sin()));
            for step in [1, 9, 40] {
                list.push((((row + step) % n) as u32, -0.7));
                list.push((((row + n - step) % n) as u32, -0.7));
            }
        })
        .unwrap();
        let right = Array2::from_shape_fn((n, 7), |(i, j)| ((i * 7 + j) as f64).cos());
        let pattern = Pattern::of(&matrix).unwrap().unwrap();
        let factor = pattern.factor(&matrix).unwrap();
        let solution = factor.solve(&Run::new(), &right).unwrap();
        let back = matrix.dense().dot(&solution);
        assert!((back - right).iter().all(|d| d.abs() < 1e-12));
        let negative = matrix.with_diagonal(|row| if row == 300 { -50.0 } else { 0.0 });
        assert!(pattern.factor(&negative).is_none());
    }

    #[test]
    fn a_factor_too_large_for_places_is_none_and_no_error() {
        assert_eq!(unless_too_large(Ok(3)).unwrap(), Some(3));
        let overflow: std::result::Result<u8, _> = Err(FaerError::IndexOverflow);
        assert_eq!(unless_too_large(overflow).unwrap(), None);
        let memory: std::result::Result<u8, _> = Err(FaerError::OutOfMemory);
        assert!(unless_too_large(memory).is_err());
    }
}
