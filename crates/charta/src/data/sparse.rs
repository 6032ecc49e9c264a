//! Sparse rows (compressed sparse row format).

use std::borrow::Cow;

use num_traits::Float;

use crate::error::{Error, Result, message};

/// Sparse rows that somebody else owns.
///
/// Row `i` holds `values[starts[i]..starts[i + 1]]` in the columns `columns[…]` of the same range.
#[derive(Clone, Debug)]
pub struct SparseView<'a, T> {
    n_columns: usize,
    starts: Cow<'a, [usize]>,
    columns: &'a [u32],
    values: &'a [T],
}

impl<'a, T: Float> SparseView<'a, T> {
    /// Takes the three arrays of the format, after checking that they fit together.
    pub fn new(
        n_columns: usize,
        starts: impl Into<Cow<'a, [usize]>>,
        columns: &'a [u32],
        values: &'a [T],
    ) -> Result<Self> {
        let starts = starts.into();
        check(n_columns, &starts, columns, values.len())?;
        Ok(Self {
            n_columns,
            starts,
            columns,
            values,
        })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// The stored values of all rows.
    pub(crate) fn values(&self) -> &'a [T] {
        let last = self.starts.len() - 1;
        &self.values[self.starts[0]..self.starts[last]]
    }

    /// The stored (column, value) pairs of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, T)> + use<'a, T> {
        let range = self.starts[row]..self.starts[row + 1];
        let columns = &self.columns[range.clone()];
        let values = &self.values[range];
        columns
            .iter()
            .zip(values)
            .map(|(&column, &value)| (column as usize, value))
    }

    /// The columns and values stored of a row.
    pub(crate) fn row_parts(&self, row: usize) -> (&'a [u32], &'a [T]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// True if the columns of every row rise, so that each stands there once.
    pub(crate) fn is_sorted(&self) -> bool {
        (0..self.n_rows()).all(|row| self.row_parts(row).0.is_sorted_by(|a, b| a < b))
    }

    /// A copy whose rows are sorted by column, repeated positions added up and zeros left out.
    pub(crate) fn sorted(&self) -> SparseRows<T> {
        let mut result = SparseRows {
            n_columns: self.n_columns,
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
        };
        let mut entries: Vec<(usize, T)> = Vec::new();
        for row in 0..self.n_rows() {
            entries.clear();
            entries.extend(self.row(row));
            entries.sort_by_key(|entry| entry.0);
            for group in entries.chunk_by(|a, b| a.0 == b.0) {
                let value = group.iter().fold(T::zero(), |sum, entry| sum + entry.1);
                if value != T::zero() {
                    result.columns.push(group[0].0 as u32);
                    result.values.push(value);
                }
            }
            result.starts.push(result.columns.len());
        }
        result
    }

    /// The value at a row and column: the sum of what is stored there.
    pub fn value(&self, row: usize, column: usize) -> T {
        self.row(row)
            .filter(|&(at, _)| at == column)
            .fold(T::zero(), |sum, (_, value)| sum + value)
    }

    /// A copy of some columns, in the order given.
    pub fn select_columns(&self, columns: &[usize]) -> Result<SparseRows<T>> {
        let mut indices = vec![Vec::new(); self.n_columns];
        for (index, &column) in columns.iter().enumerate() {
            indices[column].push(index);
        }
        let mut entries = Vec::new();
        for row in 0..self.n_rows() {
            for (column, value) in self.row(row) {
                entries.extend(indices[column].iter().map(|&index| (row, index, value)));
            }
        }
        SparseRows::from_entries(self.n_rows(), columns.len(), entries)
    }

    /// A copy of some rows, in the order given.
    pub fn select_rows(&self, rows: &[usize]) -> Result<SparseRows<T>> {
        let mut entries = Vec::new();
        for (index, &row) in rows.iter().enumerate() {
            entries.extend(self.row(row).map(|(column, value)| (index, column, value)));
        }
        SparseRows::from_entries(rows.len(), self.n_columns(), entries)
    }

    /// A copy with its own storage.
    pub fn to_rows(&self) -> SparseRows<T> {
        let first = self.starts[0];
        let last = self.starts[self.n_rows()];
        SparseRows {
            n_columns: self.n_columns,
            starts: self.starts.iter().map(|start| start - first).collect(),
            columns: self.columns[first..last].to_vec(),
            values: self.values[first..last].to_vec(),
        }
    }

    /// Rows `start` to `end` − 1, without copying the values.
    pub fn rows(&self, start: usize, end: usize) -> SparseView<'a, T> {
        SparseView {
            n_columns: self.n_columns,
            starts: Cow::Owned(self.starts[start..=end].to_vec()),
            columns: self.columns,
            values: self.values,
        }
    }
}

/// Sparse rows with their owner.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseRows<T> {
    n_columns: usize,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<T>,
}

impl<T: Float> SparseRows<T> {
    /// Takes the three arrays of the format, after checking that they fit together.
    pub fn new(
        n_columns: usize,
        starts: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<T>,
    ) -> Result<Self> {
        check(n_columns, &starts, &columns, values.len())?;
        Ok(Self {
            n_columns,
            starts,
            columns,
            values,
        })
    }

    /// Makes sparse rows from (row, column, value) entries in any order; repeated positions add up.
    pub fn from_entries(
        n_rows: usize,
        n_columns: usize,
        mut entries: Vec<(usize, usize, T)>,
    ) -> Result<Self> {
        entries.sort_by_key(|&(row, column, _)| (row, column));
        let mut starts = vec![0; n_rows + 1];
        let mut columns: Vec<u32> = Vec::with_capacity(entries.len());
        let mut values: Vec<T> = Vec::with_capacity(entries.len());
        let mut previous = None;
        for (row, column, value) in entries {
            if row >= n_rows || column >= n_columns {
                return Err(Error::shape(
                    message!("position of a sparse entry"),
                    message!("within {n_rows} × {n_columns}"),
                    message!("({row}, {column})"),
                ));
            }
            if previous == Some((row, column)) {
                let last = values.len() - 1;
                values[last] = values[last] + value;
                continue;
            }
            previous = Some((row, column));
            starts[row + 1] += 1;
            columns.push(column as u32);
            values.push(value);
        }
        for row in 0..n_rows {
            starts[row + 1] += starts[row];
        }
        Self::new(n_columns, starts, columns, values)
    }

    /// Lends the rows.
    pub fn view(&self) -> SparseView<'_, T> {
        SparseView {
            n_columns: self.n_columns,
            starts: Cow::Borrowed(&self.starts),
            columns: &self.columns,
            values: &self.values,
        }
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// The three arrays of the format: row starts, columns, values.
    pub fn parts(&self) -> (&[usize], &[u32], &[T]) {
        (&self.starts, &self.columns, &self.values)
    }

    /// Changes the stored values of each row.
    pub(crate) fn map_rows(&mut self, change: impl Fn(&mut [T])) {
        for bounds in self.starts.windows(2) {
            change(&mut self.values[bounds[0]..bounds[1]]);
        }
    }

    /// Multiplies each row by a factor of its own.
    pub(crate) fn scale_rows(&mut self, factor: impl Fn(&[T]) -> T) {
        for bounds in self.starts.windows(2) {
            let row = &mut self.values[bounds[0]..bounds[1]];
            let by = factor(row);
            row.iter_mut().for_each(|value| *value = *value * by);
        }
    }
}

fn check(n_columns: usize, starts: &[usize], columns: &[u32], n_values: usize) -> Result<()> {
    let wrong = |what: &str, expected: String, given: String| {
        Err(Error::shape(
            message!("sparse {:rows}, {what}"),
            expected,
            given,
        ))
    };
    let (Some(&first), Some(&last)) = (starts.first(), starts.last()) else {
        return wrong(
            "row starts",
            "one more than rows".into(),
            "none at all".into(),
        );
    };
    if columns.len() != n_values {
        return wrong(
            "column numbers",
            n_values.to_string(),
            columns.len().to_string(),
        );
    }
    if first > last || last > n_values || starts.windows(2).any(|pair| pair[0] > pair[1]) {
        return wrong(
            "row starts",
            format!("never falling, up to {n_values}"),
            format!("{first} to {last}"),
        );
    }
    if let Some(&column) = columns.iter().find(|&&column| column as usize >= n_columns) {
        return wrong(
            "column numbers",
            format!("below {n_columns}"),
            column.to_string(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_and_repeated_places_add_up() {
        let entries = vec![(1, 2, 4.0), (0, 1, 1.0), (1, 2, 0.5), (1, 0, 3.0)];
        let rows = SparseRows::from_entries(3, 3, entries).unwrap();
        let view = rows.view();
        assert_eq!(view.value(1, 2), 4.5);
        assert_eq!(view.row(1).collect::<Vec<_>>(), vec![(0, 3.0), (2, 4.5)]);
        assert_eq!(view.row(2).count(), 0);
        assert_eq!(view.rows(1, 3).values().len(), 2);
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        assert!(SparseRows::new(2, vec![0, 1], vec![5], vec![1.0]).is_err());
        assert!(SparseRows::new(2, vec![0, 2], vec![1], vec![1.0]).is_err());
        assert!(SparseRows::new(2, vec![1, 0, 1], vec![1], vec![1.0]).is_err());
        assert!(SparseRows::<f64>::new(2, vec![], vec![], vec![]).is_err());
    }
}
