//! Sparse random matrices whose entries are 0 or plus or minus one number: kept and multiplied as such.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};
use serde::{Deserialize, Serialize};

use super::real::Real;
use crate::data::features::for_features;
use crate::data::{Features, SparseRows, SparseView};
use crate::error::Result;
use crate::parallel::{for_each, map_blocks, try_for_each};
use crate::random::{stream, uniform};
use crate::run::Run;

/// Rows that are multiplied at a time.
const BLOCK: usize = 64;
/// Matrix rows that one job draws.
const DRAWN: usize = 16;

/// A matrix of `n_rows` × `n_columns`, of which each entry is `scale`, −`scale` or, mostly, 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct SignMatrix {
    n_rows: usize,
    scale: f64,
    /// Where each column's entries begin among `indices`, and where the last one's end.
    starts: Vec<usize>,
    /// The row of each entry, times two, plus one if it is negative.
    #[serde(rename = "places")]
    indices: Vec<u32>,
}

/// The matrix as it stands in a file, before it is known to be sound.
#[derive(Deserialize)]
struct Stored {
    n_rows: usize,
    scale: f64,
    starts: Vec<usize>,
    #[serde(rename = "places")]
    indices: Vec<u32>,
}

impl TryFrom<Stored> for SignMatrix {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let Stored {
            n_rows,
            scale,
            starts,
            indices,
        } = stored;
        let sound = starts.first() == Some(&0)
            && starts.last() == Some(&indices.len())
            && starts.windows(2).all(|pair| pair[0] <= pair[1])
            && indices.iter().all(|&index| ((index / 2) as usize) < n_rows)
            && scale.is_finite();
        if !sound {
            return Err("a sparse matrix's entries and its shape do not agree".into());
        }
        Ok(Self {
            n_rows,
            scale,
            starts,
            indices,
        })
    }
}

impl SignMatrix {
    /// A random matrix: each entry is not 0 with probability `density`, and then of either sign. Every row
    /// draws from its own stream.
    pub fn random(
        run: &Run<'_>,
        n_rows: usize,
        n_columns: usize,
        density: f64,
        scale: f64,
        seed: u64,
    ) -> Result<Self> {
        let drawn: Vec<Vec<u32>> = map_blocks(run, n_rows, DRAWN, |rows| {
            rows.map(|row| draw_row(row, n_columns, density, seed))
                .collect::<Vec<_>>()
        })?
        .into_iter()
        .flatten()
        .collect();
        let mut starts = vec![0_usize; n_columns + 1];
        for &entry in drawn.iter().flatten() {
            starts[(entry / 2) as usize + 1] += 1;
        }
        for column in 0..n_columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut indices = vec![0_u32; starts[n_columns]];
        for (row, entries) in drawn.iter().enumerate() {
            for &entry in entries {
                let free = &mut next[(entry / 2) as usize];
                indices[*free] = 2 * row as u32 + entry % 2;
                *free += 1;
            }
        }
        Ok(Self {
            n_rows,
            scale,
            starts,
            indices,
        })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of entries that are not 0.
    pub fn n_stored(&self) -> usize {
        self.indices.len()
    }

    /// A column's rows and signs.
    fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> {
        self.indices[self.starts[column]..self.starts[column + 1]]
            .iter()
            .map(|&index| {
                let sign = if index % 2 == 0 { 1.0 } else { -1.0 };
                ((index / 2) as usize, sign)
            })
    }

    /// Features times this matrix, transposed: a row for each row of the features, in double precision.
    pub fn project(&self, run: &Run<'_>, features: &Features<'_>) -> Result<Array2<f64>> {
        let mut result = Array2::zeros((features.n_rows(), self.n_rows));
        try_for_each(
            run,
            result.axis_chunks_iter_mut(Axis(0), BLOCK),
            |block, target| {
                let start = block * BLOCK;
                let part = features.rows(start, start + target.nrows());
                for_features!(
                    &part,
                    dense x => self.project_dense(x, target),
                    sparse s => self.project_sparse(s, target)
                );
                Ok(())
            },
        )?;
        Ok(result)
    }

    /// Column by column of the features, so that the innermost loop runs over neighbours in memory.
    fn project_dense<T: Real>(&self, x: &ArrayView2<'_, T>, mut target: ArrayViewMut2<'_, f64>) {
        let n = x.nrows();
        let mut sums = vec![0.0; self.n_rows * n];
        let mut values = vec![0.0; n];
        for column in 0..self.n_columns() {
            if self.starts[column] == self.starts[column + 1] {
                continue;
            }
            for (value, entry) in values.iter_mut().zip(x.column(column)) {
                *value = entry.wide();
            }
            for (row, sign) in self.column(column) {
                for (sum, value) in sums[row * n..(row + 1) * n].iter_mut().zip(&values) {
                    *sum += sign * value;
                }
            }
        }
        for ((row, component), value) in target.indexed_iter_mut() {
            *value = self.scale * sums[component * n + row];
        }
    }

    fn project_sparse<T: Real>(
        &self,
        rows: &SparseView<'_, T>,
        mut target: ArrayViewMut2<'_, f64>,
    ) {
        for (row, mut sums) in target.rows_mut().into_iter().enumerate() {
            for (column, value) in rows.row(row) {
                for (component, sign) in self.column(column) {
                    sums[component] += sign * value.wide();
                }
            }
            sums *= self.scale;
        }
    }

    /// Coefficients of this matrix's rows, times the matrix.
    pub fn combine(&self, coefficients: &ArrayView2<'_, f64>) -> Array2<f64> {
        let mut result = Array2::zeros((coefficients.nrows(), self.n_columns()));
        let pairs = result.rows_mut().into_iter().zip(coefficients.rows());
        for_each(pairs, |_, (mut target, shares)| {
            for (column, value) in target.iter_mut().enumerate() {
                let entries = self.column(column);
                let sum: f64 = entries.map(|(row, sign)| sign * shares[row]).sum();
                *value = self.scale * sum;
            }
        });
        result
    }

    /// This matrix times itself, transposed.
    pub fn gram(&self) -> Array2<f64> {
        let mut gram = Array2::zeros((self.n_rows, self.n_rows));
        for column in 0..self.n_columns() {
            for (a, first) in self.column(column) {
                for (b, second) in self.column(column) {
                    gram[[a, b]] += first * second;
                }
            }
        }
        gram * self.scale.powi(2)
    }

    /// The matrix as sparse rows.
    pub fn sparse(&self) -> Result<SparseRows<f64>> {
        let entries = (0..self.n_columns()).flat_map(|column| {
            let entries = self.column(column);
            entries.map(move |(row, sign)| (row, column, sign * self.scale))
        });
        SparseRows::from_entries(self.n_rows, self.n_columns(), entries.collect())
    }

    /// The matrix with its zeros.
    pub fn dense(&self) -> Array2<f64> {
        let mut matrix = Array2::zeros((self.n_rows, self.n_columns()));
        for column in 0..self.n_columns() {
            for (row, sign) in self.column(column) {
                matrix[[row, column]] = sign * self.scale;
            }
        }
        matrix
    }
}

/// The columns of a row's entries, times two, plus one for the negative ones. The gaps between entries are drawn,
/// not the entries one by one.
fn draw_row(row: usize, n_columns: usize, density: f64, seed: u64) -> Vec<u32> {
    let mut draw = stream(seed, row as u64);
    let mut entries = Vec::with_capacity((n_columns as f64 * density * 1.1) as usize + 4);
    let mut column = 0_usize;
    loop {
        if density < 1.0 {
            let gap = (1.0 - uniform(&mut draw)).ln() / (-density).ln_1p();
            column = column.saturating_add(gap as usize);
        }
        if column >= n_columns {
            return entries;
        }
        entries.push(2 * column as u32 + u32::from(uniform(&mut draw) < 0.5));
        column += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_the_matrix_formed() {
        let run = Run::new();
        let matrix = SignMatrix::random(&run, 5, 40, 0.3, 0.7, 3).unwrap();
        let formed = matrix.dense();
        let x = Array2::from_shape_fn((150, 40), |(i, j)| ((i * 3 + j * 5) as f64).sin());
        let near = |a: &Array2<f64>, b: &Array2<f64>| {
            assert!((a - b).iter().all(|d| d.abs() < 1e-12));
        };
        let want = x.dot(&formed.t());
        near(&matrix.project(&run, &Features::from(&x)).unwrap(), &want);
        let entries = x.indexed_iter().map(|((i, j), v)| (i, j, *v)).collect();
        let rows = SparseRows::from_entries(150, 40, entries).unwrap();
        near(
            &matrix.project(&run, &Features::from(rows.view())).unwrap(),
            &want,
        );
        near(&matrix.gram(), &formed.dot(&formed.t()));
        near(&matrix.combine(&want.view()), &want.dot(&formed));
        let sparse = matrix.sparse().unwrap();
        near(&Features::from(sparse.view()).dense_rows(0, 5), &formed);
    }

    #[test]
    fn entries_have_the_density_and_both_signs() {
        let run = Run::new();
        let matrix = SignMatrix::random(&run, 200, 1000, 0.1, 1.0, 0).unwrap();
        let share = matrix.n_stored() as f64 / 200_000.0;
        assert!((share - 0.1).abs() < 0.003, "{share}");
        let balance = matrix.dense().sum() / matrix.n_stored() as f64;
        assert!(balance.abs() < 0.03, "{balance}");
        let full = SignMatrix::random(&run, 3, 50, 1.0, 1.0, 0).unwrap();
        assert_eq!(full.n_stored(), 150);
    }

    #[test]
    fn a_damaged_matrix_is_refused() {
        let matrix = SignMatrix::random(&Run::new(), 4, 9, 0.5, 1.0, 0).unwrap();
        let mut json = serde_json::to_value(&matrix).unwrap();
        let back: SignMatrix = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(back, matrix);
        json["places"][0] = 99.into();
        assert!(serde_json::from_value::<SignMatrix>(json).is_err());
    }
}
