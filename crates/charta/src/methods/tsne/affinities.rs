//! Affinities p_ij: symmetric, sparse, with sum 1.
//!
//! Every row has conditional affinities p_j|i to its neighbours with sum 1; the two of a pair are added, and all are divided by their sum.

use rayon::prelude::*;

use super::perplexity::Scratch;
use crate::data::{Data, Neighbors, Source};
use crate::error::{Error, Result, message};
use crate::graph::Sets;
use crate::parallel::blocks;
use crate::params::Choice;
use crate::run::Run;

/// Rows that one job handles.
const BLOCK: usize = 512;

/// How affinities are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Affinity {
    /// Gaussian kernel over three times as many neighbours as the perplexity; the bandwidth of each row gives the perplexity.
    Perplexity,
    /// Equal affinities for all pairs of the k-nearest-neighbour graph, with k the perplexity.
    Uniform,
    /// The given distances, or those of a given table of neighbours, are the affinities themselves.
    Precomputed,
}

/// A symmetric matrix of affinities whose sum is 1, of which the entries that are not zero are stored, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Affinities {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

/// Conditional affinities p_j|i, row after row: not symmetric yet.
struct Conditional {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Affinities {
    /// Gaussian affinities of the neighbours found, as the mean over all perplexities.
    pub fn of_perplexities(
        run: &Run<'_>,
        neighbors: Neighbors,
        perplexities: &[f64],
    ) -> Result<Self> {
        neighbors.check_lengths()?;
        let mut values = vec![0.0; neighbors.len()];
        let lists = cut(&mut values, neighbors.starts());
        lists
            .into_par_iter()
            .zip(blocks(neighbors.n_rows(), BLOCK))
            .try_for_each(|(values, rows)| {
                run.check()?;
                let mut scratch = Scratch::default();
                let mut rest = values;
                for row in rows {
                    let (_, distances) = neighbors.row(row);
                    let (list, others) = rest.split_at_mut(distances.len());
                    let conditional = scratch.conditional_affinities(distances, perplexities);
                    for (value, share) in list.iter_mut().zip(conditional) {
                        *value = *share as f32;
                    }
                    rest = others;
                }
                Ok(())
            })?;
        Self::symmetric(run, Conditional::of(neighbors, values))
    }

    /// The same affinity for all pairs of which one is a neighbour of the other.
    pub fn uniform(run: &Run<'_>, neighbors: Neighbors) -> Result<Self> {
        let values = vec![1.0; neighbors.len()];
        let mut affinities = Self::symmetric(run, Conditional::of(neighbors, values))?;
        let share = 1.0 / affinities.values.len() as f64;
        affinities.values.fill(share as f32);
        Ok(affinities)
    }

    /// The numbers given with the data, which are affinities and no distances.
    pub fn given(run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        let table = match data.source() {
            Source::Neighbors(table) => Some(*table),
            _ => data.neighbors(),
        };
        let conditional = match (data.source(), table) {
            (_, Some(table)) => {
                let values = relative_to_largest(table.distances())?;
                Conditional::of(table.clone(), values)
            }
            (Source::Distances(matrix), None) => {
                let mut conditional = Conditional {
                    starts: vec![0],
                    columns: Vec::new(),
                    values: Vec::new(),
                };
                let mut stored = Vec::new();
                for (row, line) in matrix.rows().into_iter().enumerate() {
                    for (column, &value) in line.iter().enumerate() {
                        if value != 0.0 && row != column {
                            conditional.columns.push(column as u32);
                            stored.push(value);
                        }
                    }
                    conditional.starts.push(stored.len());
                }
                conditional.values = relative_to_largest(&stored)?;
                conditional
            }
            _ => {
                return Err(Error::one_of(
                    "affinity",
                    &["perplexity", "uniform"],
                    message!(
                        "features were given; precomputed affinities are given as a matrix or a table of \
                         neighbours"
                    ),
                    "precomputed",
                ));
            }
        };
        Self::symmetric(run, conditional)
    }

    /// Adds both conditional affinities of every pair, and divides by the sum of all.
    fn symmetric(run: &Run<'_>, conditional: Conditional) -> Result<Self> {
        let n = conditional.starts.len() - 1;
        let total: f64 = (conditional.values.chunks(1 << 16))
            .map(|part| part.iter().map(|&value| f64::from(value)).sum::<f64>())
            .sum();
        if !(total > 0.0 && total.is_finite()) {
            return Err(Error::degenerate(message!(
                "no {:row} has an affinity to another above 0"
            )));
        }
        let back = conditional.transposed();
        run.check()?;
        let merged =
            |row: usize, scratch: &mut Vec<(u32, f32)>| merge(&conditional, &back, row, scratch);
        let counts: Vec<usize> = (0..n)
            .into_par_iter()
            .with_min_len(BLOCK)
            .map_init(Vec::new, |scratch, row| {
                merged(row, scratch);
                scratch.len()
            })
            .collect();
        let mut starts = Vec::with_capacity(n + 1);
        starts.push(0);
        let mut end = 0;
        starts.extend(counts.iter().map(|count| {
            end += count;
            end
        }));
        let (mut columns, mut values) = (vec![0u32; end], vec![0f32; end]);
        let factor = 0.5 / total;
        let lists = cut(&mut columns, &starts).into_par_iter();
        lists
            .zip(cut(&mut values, &starts))
            .zip(blocks(n, BLOCK))
            .for_each(|((columns, values), rows)| {
                let mut scratch = Vec::new();
                let mut targets = columns.iter_mut().zip(values);
                for row in rows {
                    merged(row, &mut scratch);
                    for (&(index, share), target) in scratch.iter().zip(&mut targets) {
                        *target.0 = index;
                        *target.1 = (f64::from(share) * factor) as f32;
                    }
                }
            });
        Ok(Self {
            starts,
            columns,
            values,
        })
    }

    /// Rows, and columns.
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Entries stored.
    pub fn n_stored(&self) -> usize {
        self.values.len()
    }

    /// Columns and values of a row.
    pub fn row(&self, row: usize) -> (&[u32], &[f32]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The number of connected components.
    pub fn n_parts(&self) -> usize {
        let mut sets = Sets::new(self.n_rows());
        let mut parts = self.n_rows();
        for row in 0..self.n_rows() {
            let (columns, values) = self.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                if (column as usize) < row && value > 0.0 && sets.unite(row as u32, column) {
                    parts -= 1;
                }
            }
        }
        parts
    }

    /// The same of rows in another order: row i is row `order[i]` of these.
    pub(super) fn reordered(self, order: &[u32]) -> Self {
        let n = self.n_rows();
        let mut ranks = vec![0u32; n];
        for (rank, &row) in order.iter().enumerate() {
            ranks[row as usize] = rank as u32;
        }
        let mut starts = Vec::with_capacity(n + 1);
        starts.push(0);
        let mut end = 0;
        for &row in order {
            end += self.row(row as usize).0.len();
            starts.push(end);
        }
        let (mut columns, mut values) = (vec![0u32; end], vec![0f32; end]);
        let lists = cut(&mut columns, &starts).into_par_iter();
        lists
            .zip(cut(&mut values, &starts))
            .zip(order.par_chunks(BLOCK))
            .for_each(|((columns, values), rows)| {
                let mut targets = columns.iter_mut().zip(values);
                for &row in rows {
                    let (old, weights) = self.row(row as usize);
                    for ((&column, &value), target) in old.iter().zip(weights).zip(&mut targets) {
                        *target.0 = ranks[column as usize];
                        *target.1 = value;
                    }
                }
            });
        Self {
            starts,
            columns,
            values,
        }
    }
}

impl Conditional {
    fn of(neighbors: Neighbors, values: Vec<f32>) -> Self {
        let (starts, columns) = neighbors.into_places();
        Self {
            starts,
            columns,
            values,
        }
    }

    /// What every row gets from the others, in their order.
    fn transposed(&self) -> Self {
        let n = self.starts.len() - 1;
        let mut starts = vec![0usize; n + 1];
        for &column in &self.columns {
            starts[column as usize + 1] += 1;
        }
        for row in 0..n {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut columns = vec![0u32; self.columns.len()];
        let mut values = vec![0f32; self.values.len()];
        for row in 0..n {
            for entry in self.starts[row]..self.starts[row + 1] {
                let index = &mut next[self.columns[entry] as usize];
                columns[*index] = row as u32;
                values[*index] = self.values[entry];
                *index += 1;
            }
        }
        Self {
            starts,
            columns,
            values,
        }
    }
}

/// The conditional affinities of a row in both directions, by the other row, into `scratch`.
fn merge(given: &Conditional, got: &Conditional, row: usize, scratch: &mut Vec<(u32, f32)>) {
    scratch.clear();
    for conditional in [given, got] {
        let range = conditional.starts[row]..conditional.starts[row + 1];
        let columns = conditional.columns[range.clone()].iter().copied();
        scratch.extend(columns.zip(conditional.values[range].iter().copied()));
    }
    // Of a pair there are two conditional affinities at most, and their sum does not depend on their order.
    scratch.sort_unstable_by_key(|entry| entry.0);
    scratch.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 += later.1;
        }
        same
    });
}

/// Cuts lists that stand one after the other into those of fixed blocks of rows.
fn cut<'a, T>(lists: &'a mut [T], starts: &[usize]) -> Vec<&'a mut [T]> {
    let mut rest = lists;
    blocks(starts.len() - 1, BLOCK)
        .into_iter()
        .map(|rows| {
            let length = starts[rows.end] - starts[rows.start];
            let (part, others) = std::mem::take(&mut rest).split_at_mut(length);
            rest = others;
            part
        })
        .collect()
}

/// Numbers that must not be negative, as fractions of the largest.
fn relative_to_largest(values: &[f64]) -> Result<Vec<f32>> {
    if let Some(bad) = values.iter().find(|v| !(v.is_finite() && **v >= 0.0)) {
        return Err(Error::degenerate(message!(
            "affinities must be numbers of at least 0, and one is {bad}"
        )));
    }
    let most = values.iter().fold(0.0, |most: f64, &value| most.max(value));
    let most = if most > 0.0 { most } else { 1.0 };
    Ok(values.iter().map(|value| (value / most) as f32).collect())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    fn dense(affinities: &Affinities) -> Vec<Vec<f64>> {
        let n = affinities.n_rows();
        let mut matrix = vec![vec![0.0; n]; n];
        for (row, line) in matrix.iter_mut().enumerate() {
            let (columns, values) = affinities.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                line[column as usize] += f64::from(value);
            }
        }
        matrix
    }

    #[test]
    fn both_shares_of_a_pair_are_added_and_the_sum_is_one() {
        let coordinates = array![[1, 2], [0, 2], [3, 1], [2, 0]];
        let lengths = array![[1.0, 2.0], [1.0, 3.0], [1.5, 3.0], [1.5, 9.0]];
        let table = Neighbors::from_table(&coordinates.view(), &lengths.view()).unwrap();
        let run = Run::new();
        let conditional = Conditional::of(table.clone(), vec![0.5; 8]);
        let even = Affinities::symmetric(&run, conditional).unwrap();
        let matrix = dense(&even);
        let want = [
            [0.0, 0.125, 0.0625, 0.0625],
            [0.125, 0.0, 0.125, 0.0],
            [0.0625, 0.125, 0.0, 0.125],
            [0.0625, 0.0, 0.125, 0.0],
        ];
        for (line, wanted) in matrix.iter().zip(want) {
            assert_eq!(line.as_slice(), wanted);
        }
        assert_eq!(even.n_parts(), 1);
        let order = [2, 0, 3, 1];
        let moved = dense(&even.clone().reordered(&order));
        for (i, &a) in order.iter().enumerate() {
            for (j, &b) in order.iter().enumerate() {
                assert_eq!(moved[i][j], matrix[a as usize][b as usize]);
            }
        }
        let alike = dense(&Affinities::uniform(&run, table.clone()).unwrap());
        for (line, wanted) in alike.iter().zip(want) {
            for (value, wanted) in line.iter().zip(wanted) {
                assert_eq!(*value, if wanted > 0.0 { f64::from(0.1f32) } else { 0.0 });
            }
        }
        let narrow = Affinities::of_perplexities(&run, table, &[1.2]).unwrap();
        let sum: f64 = dense(&narrow).iter().flatten().sum();
        assert!((sum - 1.0).abs() < 1e-6);
    }
}
