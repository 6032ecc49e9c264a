//! Large symmetric matrices of which few entries are not zero.

use ndarray::{Array2, Axis};

use super::block_krylov::Symmetric;
use crate::error::{Error, Result, message};
use crate::parallel::{map_blocks, try_for_each};
use crate::run::Run;

/// Rows that one job handles.
const BLOCK: usize = 512;
/// Jobs that build a matrix, at most.
const JOBS: usize = 64;

/// A symmetric matrix of which the entries that are not zero are stored, both halves, row after row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SparseSymmetric {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl SparseSymmetric {
    /// A matrix whose row i is what `fill` puts into the list: columns with values, in any order. Values of the
    /// same column are added in the order in which they were put in. Both halves must come out alike.
    pub(crate) fn from_rows(
        run: &Run<'_>,
        n: usize,
        fill: impl Fn(usize, &mut Vec<(u32, f64)>) + Sync,
    ) -> Result<Self> {
        check_size(n)?;
        // Each job has a table as long as the matrix, so that there are not too many of them.
        let parts = map_blocks(run, n, BLOCK.max(n.div_ceil(JOBS)), |rows| {
            let mut part = Part::new(n);
            let mut list = Vec::new();
            for row in rows {
                list.clear();
                fill(row, &mut list);
                part.push(&list);
            }
            part
        })?;
        let stored = parts.iter().map(|part| part.columns.len()).sum();
        let mut matrix = Self {
            starts: Vec::with_capacity(n + 1),
            columns: Vec::with_capacity(stored),
            values: Vec::with_capacity(stored),
        };
        matrix.starts.push(0);
        for part in parts {
            let before = matrix.columns.len();
            matrix
                .starts
                .extend(part.ends.iter().map(|end| before + end));
            matrix.columns.extend(part.columns);
            matrix.values.extend(part.values);
        }
        Ok(matrix)
    }

    /// A matrix from its parts: row i has the columns, rising, and values from `starts[i]` to `starts[i + 1]`.
    pub(crate) fn from_parts(
        starts: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Self> {
        let n = starts.len().saturating_sub(1);
        check_size(n)?;
        let whole = starts.first() == Some(&0)
            && starts.last() == Some(&columns.len())
            && columns.len() == values.len()
            && starts.windows(2).all(|pair| pair[0] <= pair[1]);
        let sorted = whole
            && starts.windows(2).all(|pair| {
                let row = &columns[pair[0]..pair[1]];
                row.windows(2).all(|two| two[0] < two[1])
                    && row.last().is_none_or(|&last| (last as usize) < n)
            });
        if !sorted {
            return Err(Error::shape(
                message!("parts of a symmetric matrix"),
                message!("{:rows} one after the other, {:columns} rising"),
                "other lists",
            ));
        }
        Ok(Self {
            starts,
            columns,
            values,
        })
    }

    /// Rows, and columns.
    pub(crate) fn n(&self) -> usize {
        self.starts.len() - 1
    }

    /// Entries stored.
    pub(crate) fn n_stored(&self) -> usize {
        self.values.len()
    }

    /// Columns, rising, and values of a row.
    pub(crate) fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// Where each row begins among the entries, and where the last ends.
    pub(crate) fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Columns of all entries.
    pub(crate) fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Values of all entries.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// Values of all entries, to be changed.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The diagonal.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        (0..self.n())
            .map(|row| {
                let (columns, values) = self.row(row);
                columns
                    .binary_search(&(row as u32))
                    .map_or(0.0, |index| values[index])
            })
            .collect()
    }

    /// A bound of the size of all eigenvalues: the largest sum of the sizes of a row's entries.
    pub(crate) fn bound(&self) -> f64 {
        (0..self.n())
            .map(|row| self.row(row).1.iter().map(|value| value.abs()).sum())
            .fold(0.0, f64::max)
    }

    /// Fails if a value is not finite.
    pub(super) fn check_finite(&self) -> Result<()> {
        if self.values.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        Err(Error::NotConverged {
            what: message!("the eigenvalue computation"),
            reached: message!("its matrix holds values that are not finite"),
        })
    }

    /// The matrix with all its entries.
    pub(crate) fn dense(&self) -> Array2<f64> {
        let mut dense = Array2::zeros((self.n(), self.n()));
        for row in 0..self.n() {
            let (columns, values) = self.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                dense[[row, column as usize]] = value;
            }
        }
        dense
    }

    /// The matrix with `added` on its diagonal, all of which is stored then.
    pub(super) fn with_diagonal(&self, added: impl Fn(usize) -> f64) -> Self {
        let n = self.n();
        let mut matrix = Self {
            starts: Vec::with_capacity(n + 1),
            columns: Vec::with_capacity(self.columns.len() + n),
            values: Vec::with_capacity(self.columns.len() + n),
        };
        matrix.starts.push(0);
        for row in 0..n {
            let (columns, values) = self.row(row);
            let index = columns.partition_point(|&column| (column as usize) < row);
            let stored = columns.get(index) == Some(&(row as u32));
            let own = if stored { values[index] } else { 0.0 };
            let rest = index + usize::from(stored);
            matrix.columns.extend_from_slice(&columns[..index]);
            matrix.values.extend_from_slice(&values[..index]);
            matrix.columns.push(row as u32);
            matrix.values.push(own + added(row));
            matrix.columns.extend_from_slice(&columns[rest..]);
            matrix.values.extend_from_slice(&values[rest..]);
            matrix.starts.push(matrix.columns.len());
        }
        matrix
    }
}

impl Symmetric for SparseSymmetric {
    fn size(&self) -> usize {
        self.n()
    }

    fn times(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        let width = right.ncols();
        let right = right.as_standard_layout();
        let mut result = Array2::zeros((self.n(), width));
        let Some(entries) = right.as_slice().filter(|_| width > 0) else {
            return Ok(result);
        };
        try_for_each(
            run,
            result.axis_chunks_iter_mut(Axis(0), BLOCK),
            |block, mut targets| {
                for (i, mut target) in targets.rows_mut().into_iter().enumerate() {
                    let (columns, values) = self.row(block * BLOCK + i);
                    for (&column, &value) in columns.iter().zip(values) {
                        let from = column as usize * width;
                        let row = &entries[from..from + width];
                        for (sum, &entry) in target.iter_mut().zip(row) {
                            *sum += value * entry;
                        }
                    }
                }
                Ok(())
            },
        )?;
        Ok(result)
    }
}

/// Rows one after the other, from a block.
struct Part {
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Where a column of the row at hand is in `sums`, plus one; 0 if it is not.
    slots: Vec<u32>,
    sums: Vec<(u32, f64)>,
}

impl Part {
    fn new(n: usize) -> Self {
        Self {
            ends: Vec::new(),
            columns: Vec::new(),
            values: Vec::new(),
            slots: vec![0; n],
            sums: Vec::new(),
        }
    }

    fn push(&mut self, list: &[(u32, f64)]) {
        self.sums.clear();
        for &(column, value) in list {
            match &mut self.slots[column as usize] {
                0 => {
                    self.sums.push((column, value));
                    self.slots[column as usize] = self.sums.len() as u32;
                }
                slot => self.sums[*slot as usize - 1].1 += value,
            }
        }
        self.sums.sort_unstable_by_key(|entry| entry.0);
        for &(column, value) in &self.sums {
            self.slots[column as usize] = 0;
            self.columns.push(column);
            self.values.push(value);
        }
        self.ends.push(self.columns.len());
    }
}

fn check_size(n: usize) -> Result<()> {
    if n <= u32::MAX as usize {
        return Ok(());
    }
    Err(Error::shape(
        message!("{:rows} of a symmetric matrix"),
        message!("at most {}", u32::MAX),
        n,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_and_those_of_a_place_added() {
        let lists = [vec![(1, 1.0), (0, 4.0), (1, 1.0)], vec![(0, 2.0)], vec![]];
        let fill = |row: usize, list: &mut Vec<(u32, f64)>| list.extend(&lists[row]);
        let matrix = SparseSymmetric::from_rows(&Run::new(), 3, fill).unwrap();
        assert_eq!(matrix.row(0), ([0, 1].as_slice(), [4.0, 2.0].as_slice()));
        assert_eq!(matrix.row(1), ([0].as_slice(), [2.0].as_slice()));
        assert!(matrix.row(2).0.is_empty());
        assert_eq!(matrix.diagonal(), [4.0, 0.0, 0.0]);
        let shifted = matrix.with_diagonal(|_| 1.0);
        let want = matrix.dense() + Array2::<f64>::eye(3);
        assert_eq!(shifted.dense(), want);
        assert!(SparseSymmetric::from_parts(vec![0, 2], vec![1, 0], vec![0.0; 2]).is_err());
    }

    #[test]
    fn products_agree_with_the_dense_matrix() {
        let n = 1300;
        let matrix = SparseSymmetric::from_rows(&Run::new(), n, |row, list| {
            for step in [0, 1, 7] {
                let value = 1.0 / (1.0 + step as f64);
                list.push((((row + step) % n) as u32, value));
                list.push((((row + n - step) % n) as u32, value));
            }
        })
        .unwrap();
        let right = Array2::from_shape_fn((n, 3), |(i, j)| ((i * 3 + j) as f64).sin());
        let want = matrix.dense().dot(&right);
        let got = matrix.times(&Run::new(), &right).unwrap();
        assert!((got - want).iter().all(|d| d.abs() < 1e-12));
    }
}
