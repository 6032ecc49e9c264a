//! Groups of rows, which stay together when some are held out, and of columns, which are taken together.

use std::borrow::Cow;

use super::Data;
use crate::error::{Error, Result, message};

impl<'a> Data<'a> {
    /// Sets which rows belong together, by a number for every row: rows of the same group are never on both sides
    /// of a split.
    pub fn with_row_groups(mut self, groups: impl Into<Cow<'a, [u32]>>) -> Result<Self> {
        let groups = groups.into();
        if groups.len() != self.n_rows() {
            return Err(Error::shape(
                message!("number of groups of {:rows}"),
                self.n_rows(),
                groups.len(),
            ));
        }
        self.row_groups = Some(groups);
        Ok(self)
    }

    /// Sets which columns belong together, by a number for every column: those of the same group are selected all or
    /// none, such as the one-hot columns of a categorical one.
    pub fn with_column_groups(mut self, groups: impl Into<Cow<'a, [u32]>>) -> Result<Self> {
        let groups = groups.into();
        if groups.len() != self.n_columns() {
            return Err(Error::shape(
                message!("number of groups of {:columns}"),
                self.n_columns(),
                groups.len(),
            ));
        }
        self.column_groups = Some(groups);
        Ok(self)
    }

    /// The group of each row, if that is known.
    pub(crate) fn row_groups(&self) -> Option<&[u32]> {
        self.row_groups.as_deref()
    }

    /// The group of each column, if that is known.
    pub(crate) fn column_groups(&self) -> Option<&[u32]> {
        self.column_groups.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn groups_must_have_the_right_length() {
        let x = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let rows = Data::from(&x).with_row_groups(vec![0, 0]).unwrap_err();
        assert_eq!(
            rows.to_string(),
            "number of groups of rows: expected 3, got 2"
        );
        assert!(Data::from(&x).with_column_groups(vec![0, 1, 1]).is_err());
        let data = Data::from(&x).with_column_groups(vec![7, 7]).unwrap();
        assert_eq!(data.column_groups(), Some([7, 7].as_slice()));
        assert_eq!(data.row_groups(), None);
    }
}
