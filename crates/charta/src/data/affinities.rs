//! Affinities in place of features: a weighted graph between the rows.

use super::{Data, Source, SparseView};
use crate::error::{Error, Result, message};

/// How far an affinity may differ from the one the other way, as a fraction of the largest: what products in single
/// precision leave.
const TOLERANCE: f64 = 1e-5;

impl<'a> Data<'a> {
    /// Data from a square matrix of affinities, the weights of a graph's edges: finite, at least 0, symmetric. What is not stored
    /// is 0, no edge; those of a row with itself do not count. For methods that take them (`Input::Affinities`).
    ///
    /// ```
    /// use charta::Data;
    /// use charta::data::SparseRows;
    /// let edges = SparseRows::from_entries(3, 3, vec![(0, 1, 2.0), (1, 0, 2.0), (1, 2, 0.5), (2, 1, 0.5)])?;
    /// assert_eq!(Data::affinities(edges.view())?.n_rows(), 3);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn affinities(affinities: SparseView<'a, f64>) -> Result<Self> {
        if affinities.n_rows() != affinities.n_columns() {
            return Err(Error::shape(
                message!("the affinity matrix"),
                message!("as many {:rows} as {:columns}"),
                message!("{} × {}", affinities.n_rows(), affinities.n_columns()),
            ));
        }
        if !affinities.is_sorted() {
            return Err(Error::shape(
                message!("the affinity matrix"),
                "columns that rise within every row",
                "others",
            ));
        }
        check_values(&affinities)?;
        let values = affinities.values().iter();
        let allowed = TOLERANCE * values.fold(0.0, |most: f64, &value| most.max(value));
        for row in 0..affinities.n_rows() {
            let uneven = affinities
                .row(row)
                .find(|&(other, value)| (value - stored(&affinities, other, row)).abs() > allowed);
            if let Some((other, value)) = uneven {
                return Err(Error::shape(
                    message!("the affinity of {row:row} and {other:row}"),
                    "the same in both directions",
                    message!("{value} and {}", stored(&affinities, other, row)),
                ));
            }
        }
        Ok(Self::from_source(Source::Affinities(affinities)))
    }

    /// New rows by their affinities to the rows that a model was fitted on: a row for each, a column for each training row, in the
    /// order of the fit.
    pub fn affinities_to(affinities: SparseView<'a, f64>) -> Result<Self> {
        check_values(&affinities)?;
        Ok(Self::from_source(Source::AffinitiesTo(affinities)))
    }
}

/// The value stored at a row and column, 0 if there is none; columns rise within every row.
pub(crate) fn stored(matrix: &SparseView<'_, f64>, row: usize, column: usize) -> f64 {
    let (columns, values) = matrix.row_parts(row);
    match columns.binary_search(&(column as u32)) {
        Ok(place) => values[place],
        Err(_) => 0.0,
    }
}

/// Fails at the first value that cannot be an affinity.
fn check_values(affinities: &SparseView<'_, f64>) -> Result<()> {
    for row in 0..affinities.n_rows() {
        let bad = affinities
            .row(row)
            .find(|(_, value)| !(*value >= 0.0 && value.is_finite()));
        if let Some((other, value)) = bad {
            return Err(Error::shape(
                message!("the affinity of {row:row} and {other:row}"),
                "a finite number of at least 0",
                value,
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::SparseRows;

    fn complaint(n_columns: usize, entries: Vec<(usize, usize, f64)>) -> String {
        let matrix = SparseRows::from_entries(2, n_columns, entries).unwrap();
        Data::affinities(matrix.view()).unwrap_err().to_string()
    }

    #[test]
    fn an_affinity_matrix_is_looked_at_before_it_is_believed() {
        assert!(complaint(3, vec![(0, 1, 1.0)]).contains("2 × 3"));
        assert_eq!(
            complaint(2, vec![(0, 1, 1.0), (1, 0, 2.0)]),
            "the affinity of row 0 and row 1: expected the same in both directions, got 1 and 2"
        );
        assert!(complaint(2, vec![(0, 1, 1.0)]).contains("1 and 0"));
        assert!(complaint(2, vec![(0, 1, -1.0), (1, 0, -1.0)]).contains("at least 0"));
        assert!(complaint(2, vec![(0, 0, f64::NAN)]).contains("row 0 and row 0"));
        let one = SparseRows::from_entries(1, 2, vec![(0, 1, -1.0)]).unwrap();
        assert!(Data::affinities_to(one.view()).is_err());
    }
}
