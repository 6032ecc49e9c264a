//! The matrices that a fit goes through, to be looked at or computed with.

use ndarray::Array2;

use crate::error::{Error, Result, bytes, message};
use crate::run::Run;

/// Rows up to which matrices of all pairs of rows are given: one of them then takes 800 MB.
const MOST_ROWS: usize = 10_000;
/// Bytes of a number.
const NUMBER: u64 = 8;

/// A matrix with what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its name: that of the formulas, such as `W`.
    pub name: &'static str,
    /// How it follows from what comes before it.
    pub formula: &'static str,
    /// The matrix.
    pub matrix: Array2<f64>,
}

impl Step {
    /// A matrix with its name and formula.
    pub(crate) fn new(name: &'static str, formula: &'static str, matrix: Array2<f64>) -> Self {
        Self {
            name,
            formula,
            matrix,
        }
    }
}

/// The matrices of a fit, in the order in which it computes them.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// The matrices.
    pub matrices: Vec<Step>,
    /// The rows of the data that matrices between rows are about, where the fit left out others: row i of a matrix is row `rows[i]`.
    pub rows: Option<Vec<u32>>,
}

impl Steps {
    /// The matrices of a fit to all rows.
    pub(crate) fn of_all(matrices: Vec<Step>) -> Self {
        Self {
            matrices,
            rows: None,
        }
    }

    /// The matrix of this name.
    pub fn get(&self, name: &str) -> Option<&Array2<f64>> {
        let found = self.matrices.iter().find(|step| step.name == name);
        found.map(|step| &step.matrix)
    }
}

/// Fails unless there is room for `count` matrices between all of `n_rows` rows.
pub(crate) fn check_room(run: &Run<'_>, n_rows: usize, count: u64) -> Result<()> {
    let one = (n_rows as u64)
        .saturating_mul(n_rows as u64)
        .saturating_mul(NUMBER);
    if n_rows > MOST_ROWS {
        return Err(Error::unsupported(
            message!("a fit to {n_rows:rows}"),
            message!(
                "does not give its matrices: they would be {n_rows} × {n_rows}, {} each, and are given for at most {MOST_ROWS:rows}; fit some \
                 of the {:rows}",
                bytes(one)
            ),
        ));
    }
    check_bytes(run, one.saturating_mul(count))
}

/// Fails unless there is room for `count` matrices between all of `n_columns` columns.
pub(crate) fn check_column_room(run: &Run<'_>, n_columns: usize, count: u64) -> Result<()> {
    let size = n_columns as u64;
    check_bytes(
        run,
        size.saturating_mul(size).saturating_mul(NUMBER * count),
    )
}

fn check_bytes(run: &Run<'_>, needed: u64) -> Result<()> {
    match run.memory() {
        Some(limit) if needed > limit => Err(Error::Memory {
            needed,
            limit,
            advice: message!("fit some of the {:rows} or {:columns}"),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rows_or_bytes_than_there_is_room_for_are_refused() {
        assert!(check_room(&Run::new(), MOST_ROWS, 4).is_ok());
        let error = check_room(&Run::new(), MOST_ROWS + 1, 4).unwrap_err();
        assert!(error.to_string().contains("10001 × 10001"), "{error}");
        let small = Run::new().memory_limit(1 << 20);
        assert!(check_room(&small, 100, 10).is_ok());
        assert!(matches!(
            check_room(&small, 200, 10),
            Err(Error::Memory { .. })
        ));
        assert!(matches!(
            check_column_room(&small, 1000, 1),
            Err(Error::Memory { .. })
        ));
        // A number that overflows is still too much.
        assert!(check_column_room(&small, usize::MAX, 3).is_err());
    }
}
