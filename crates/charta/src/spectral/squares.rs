//! Squared distances from some rows to all, as a matrix that can be centred and mixed without being copied.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, CowArray, Ix2, s};
use serde::{Deserialize, Serialize};

use crate::data::arrays;
use crate::data::loaded::{check_dim, check_finite, check_indices, check_length};
use crate::error::Result;
use crate::graph::Paths;
use crate::linalg::block_krylov::Symmetric;
use crate::linalg::centred::{centred_product, row_sums};
use crate::linalg::product::add_product;
use crate::parallel::{blocks, map_blocks, stack_rows};
use crate::run::Run;

/// Rows that one job handles.
const BLOCK: usize = 64;
/// Columns that are widened at once.
const TILE: usize = 1024;

/// The numbers themselves, in the precision of what they were computed from.
#[derive(Clone, Debug)]
pub(crate) enum Stored {
    /// Single precision.
    Single(Array2<f32>),
    /// Double precision.
    Double(Array2<f64>),
}

/// How distances are mixed with those between classes: d becomes (1 − α) d + α c.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClassMix {
    /// The weight α of the distances between classes.
    pub alpha: f64,
    /// Distances between classes, 0 within.
    #[serde(with = "arrays::matrix")]
    pub between: Array2<f64>,
    /// The class of each row; a row without one keeps its distances.
    pub of_row: Vec<Option<u32>>,
}

impl ClassMix {
    /// Fails if what was loaded does not fit together, or to this many rows.
    pub(crate) fn validate(&self, n_rows: usize) -> Result<()> {
        let Self {
            alpha,
            between,
            of_row,
        } = self;
        let n_classes = between.nrows();
        check_finite("the weight of the classes", [alpha])?;
        check_dim(
            "the distances between classes",
            between.dim(),
            (n_classes, n_classes),
        )?;
        check_finite("the distances between classes", between)?;
        check_length("the rows' classes", of_row.len(), n_rows)?;
        check_indices("the rows' classes", of_row.iter().flatten(), n_classes)
    }

    /// The distance between rows of two classes, mixed.
    pub(crate) fn mixed(&self, distance: f64, own: Option<u32>, other: Option<u32>) -> f64 {
        match (own, other) {
            (Some(a), Some(b)) => {
                let between = self.between[[a as usize, b as usize]];
                (1.0 - self.alpha) * distance + self.alpha * between
            }
            _ => distance,
        }
    }
}

/// Squared distances from `sources` (a row each) to all rows (a column each).
#[derive(Clone, Debug)]
pub(crate) struct Squares {
    /// The squares of the distances as they are.
    pub stored: Stored,
    /// The rows that the distances are from, in ascending order.
    pub sources: Vec<u32>,
    /// How the distances are mixed with those between classes, if they are.
    pub mix: Option<ClassMix>,
}

impl Squares {
    /// Squared distances between the rows of a square matrix.
    pub(crate) fn between(squares: Array2<f64>) -> Self {
        Self {
            sources: (0..squares.nrows() as u32).collect(),
            stored: Stored::Double(squares),
            mix: None,
        }
    }

    /// Squared distances along a graph, kept in single or double precision.
    pub(crate) fn along(
        run: &Run<'_>,
        paths: &Paths,
        sources: Vec<u32>,
        single: bool,
    ) -> Result<Self> {
        let all = sources.len() == paths.n_rows();
        let stored = match (single, all) {
            (true, true) => Stored::Single(paths.between_all(run, |d| (d * d) as f32)?),
            (true, false) => Stored::Single(paths.from_rows(run, &sources, |d| (d * d) as f32)?),
            (false, true) => Stored::Double(paths.between_all(run, |d| d * d)?),
            (false, false) => Stored::Double(paths.from_rows(run, &sources, |d| d * d)?),
        };
        Ok(Self {
            stored,
            sources,
            mix: None,
        })
    }

    /// Mixes the distances with those between the classes of the rows.
    pub(crate) fn mix_classes(
        &mut self,
        run: &Run<'_>,
        of_row: Vec<Option<u32>>,
        alpha: f64,
    ) -> Result<()> {
        self.mix = None;
        let largest = of_row.iter().flatten().max();
        let n_classes = largest.map_or(0, |&class| class as usize + 1);
        let between = distances_between_classes(run, self, &of_row, n_classes)?;
        self.mix = Some(ClassMix {
            alpha,
            between,
            of_row,
        });
        Ok(())
    }

    /// Number of rows that distances are from.
    pub(crate) fn n_sources(&self) -> usize {
        self.sources.len()
    }

    /// Number of rows that distances lead to.
    pub(crate) fn n_rows(&self) -> usize {
        match &self.stored {
            Stored::Single(x) => x.ncols(),
            Stored::Double(x) => x.ncols(),
        }
    }

    /// The columns cut so that a block of them fits the cache.
    pub(crate) fn tiles(&self) -> Vec<Range<usize>> {
        match (&self.stored, &self.mix) {
            (Stored::Double(_), None) => blocks(self.n_rows(), self.n_rows()),
            _ => blocks(self.n_rows(), TILE),
        }
    }

    /// A part of the squares in double precision, mixed.
    pub(crate) fn block(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
    ) -> CowArray<'_, f64, Ix2> {
        let index = s![rows.clone(), columns.clone()];
        let plain: CowArray<'_, f64, Ix2> = match &self.stored {
            Stored::Single(x) => x.slice(index).mapv(f64::from).into(),
            Stored::Double(x) => x.slice(index).into(),
        };
        let Some(mix) = &self.mix else {
            return plain;
        };
        let mut mixed = plain.into_owned();
        for (row, mut line) in rows.zip(mixed.rows_mut()) {
            let own = mix.of_row[self.sources[row] as usize];
            for (column, square) in columns.clone().zip(&mut line) {
                let distance = mix.mixed(square.sqrt(), own, mix.of_row[column]);
                *square = distance * distance;
            }
        }
        mixed.into()
    }

    /// The squares between the sources alone.
    pub(crate) fn among_sources(&self) -> Array2<f64> {
        self.among(&(0..self.n_sources()).collect::<Vec<_>>())
    }

    /// The squares between some of the sources, by their indices among them.
    pub(crate) fn among(&self, indices: &[usize]) -> Array2<f64> {
        let mut squares = Array2::zeros((indices.len(), indices.len()));
        for (&index, mut line) in indices.iter().zip(squares.rows_mut()) {
            let row = self.block(index..index + 1, 0..self.n_rows());
            for (&other, to) in indices.iter().zip(&mut line) {
                *to = row[[0, self.sources[other] as usize]];
            }
        }
        squares
    }

    /// The mean of each row.
    pub(crate) fn row_means(&self, run: &Run<'_>) -> Result<Array1<f64>> {
        let parts = map_blocks(run, self.n_sources(), BLOCK, |rows| {
            row_sums(rows, &self.tiles(), |rows, columns| {
                self.block(rows, columns)
            })
        })?;
        let sums: Array1<f64> = parts.into_iter().flatten().collect();
        Ok(sums / self.n_rows() as f64)
    }

    /// The sum of the squares of the entries of the centred matrix −½ J S J.
    pub(crate) fn centred_square_sum(&self, run: &Run<'_>) -> Result<f64> {
        let means = self.row_means(run)?;
        let mean = means.mean().unwrap_or(0.0);
        let parts = map_blocks(run, self.n_sources(), BLOCK, |rows| {
            let mut sum = 0.0;
            for columns in self.tiles() {
                let block = self.block(rows.clone(), columns.clone());
                let across = means.slice(s![columns]);
                for (row, line) in rows.clone().zip(block.rows()) {
                    let shift = mean - means[row];
                    let entries = line.iter().zip(&across);
                    sum += entries.fold(0.0, |sum, (square, across)| {
                        let entry = square - across + shift;
                        sum + entry * entry
                    });
                }
            }
            sum
        })?;
        Ok(parts.into_iter().sum::<f64>() / 4.0)
    }

    /// Coordinates of all rows by their squared distances to the sources: ½ (means − squares) · weights.
    pub(crate) fn coordinates(
        &self,
        run: &Run<'_>,
        means: &Array1<f64>,
        weights: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        let shift = means.dot(weights);
        let parts = map_blocks(run, self.n_rows(), TILE, |columns| {
            let mut index = Array2::zeros((columns.len(), weights.ncols()));
            for rows in blocks(self.n_sources(), BLOCK) {
                let block = self.block(rows.clone(), columns.clone());
                add_product(index.view_mut(), &block.t(), &weights.slice(s![rows, ..]));
            }
            (&shift - &index) * 0.5
        })?;
        Ok(stack_rows(&parts, weights.ncols()))
    }
}

/// The matrix −½ J S J with S the squared distances and J = I − 1/n, which is never formed.
impl Symmetric for Squares {
    fn size(&self) -> usize {
        self.n_sources()
    }

    fn times(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        let tiles = self.tiles();
        let product = centred_product(run, self.n_sources(), &tiles, right, |rows, columns| {
            self.block(rows, columns)
        })?;
        Ok(product * -0.5)
    }
}

/// The mean distance between the rows of every two classes, 0 within a class.
pub(crate) fn distances_between_classes(
    run: &Run<'_>,
    squares: &Squares,
    of_row: &[Option<u32>],
    n_classes: usize,
) -> Result<Array2<f64>> {
    let parts = map_blocks(run, squares.n_sources(), BLOCK, |rows| {
        let mut sums = Array2::<f64>::zeros((n_classes, n_classes));
        let mut counts = sums.clone();
        for columns in squares.tiles() {
            let block = squares.block(rows.clone(), columns.clone());
            for (row, line) in rows.clone().zip(block.rows()) {
                let Some(own) = of_row[squares.sources[row] as usize] else {
                    continue;
                };
                for (column, square) in columns.clone().zip(line) {
                    if let Some(other) = of_row[column] {
                        sums[[own as usize, other as usize]] += square.sqrt();
                        counts[[own as usize, other as usize]] += 1.0;
                    }
                }
            }
        }
        (sums, counts)
    })?;
    let mut sums = Array2::<f64>::zeros((n_classes, n_classes));
    let mut counts = sums.clone();
    for (sum, count) in parts {
        sums += &sum;
        counts += &count;
    }
    let (sums, counts) = (&sums + &sums.t(), &counts + &counts.t());
    let mut between = sums / counts.mapv(|count| count.max(1.0));
    between.diag_mut().fill(0.0);
    Ok(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(n: usize) -> Array2<f64> {
        Array2::from_shape_fn((n, n), |(i, j)| {
            ((i as f64).sin() - (j as f64).sin()).powi(2) + ((i + j) % 3) as f64
        })
    }

    /// −½ J S J, formed.
    fn formed(squares: &Array2<f64>) -> Array2<f64> {
        let n = squares.nrows();
        let centre = Array2::eye(n) - Array2::from_elem((n, n), 1.0 / n as f64);
        centre.dot(squares).dot(&centre) * -0.5
    }

    #[test]
    fn products_and_sums_are_those_of_the_centred_matrix_in_both_precisions_and_mixed() {
        let x = example(1100);
        let mix = ClassMix {
            alpha: 0.3,
            between: ndarray::array![[0.0, 2.0], [2.0, 0.0]],
            of_row: (0..1100)
                .map(|i| (i % 5 > 0).then_some((i % 2) as u32))
                .collect(),
        };
        let right = Array2::from_shape_fn((1100, 3), |(i, j)| ((i * 3 + j) as f64).cos());
        let run = Run::new();
        for mix in [None, Some(mix)] {
            for stored in [
                Stored::Double(x.clone()),
                Stored::Single(x.mapv(|v| v as f32)),
            ] {
                let squares = Squares {
                    stored,
                    sources: (0..1100).collect(),
                    mix: mix.clone(),
                };
                let plain = squares.block(0..1100, 0..1100).into_owned();
                let want = formed(&plain);
                let ours = squares.times(&run, &right).unwrap();
                let apart = (&ours - &want.dot(&right)).mapv(f64::abs);
                assert!(apart.iter().all(|&d| d < 1e-9));
                let sum = squares.centred_square_sum(&run).unwrap();
                let wanted: f64 = want.iter().map(|v| v * v).sum();
                assert!((sum - wanted).abs() < 1e-9 * wanted);
            }
        }
    }

    #[test]
    fn mixing_follows_the_formula_and_leaves_rows_without_a_class_alone() {
        let mix = ClassMix {
            alpha: 0.25,
            between: ndarray::array![[0.0, 8.0], [8.0, 0.0]],
            of_row: vec![Some(0), Some(1), None],
        };
        assert_eq!(mix.mixed(4.0, Some(0), Some(1)), 0.75 * 4.0 + 0.25 * 8.0);
        assert_eq!(mix.mixed(4.0, Some(0), Some(0)), 3.0);
        assert_eq!(mix.mixed(4.0, Some(0), None), 4.0);
    }

    #[test]
    fn classes_are_as_far_apart_as_their_rows_on_average() {
        let indices: [f64; 4] = [0.0, 1.0, 5.0, 9.0];
        let squares = Array2::from_shape_fn((4, 4), |(i, j)| (indices[i] - indices[j]).powi(2));
        let classes = [Some(0), Some(0), Some(1), None];
        let squares = Squares::between(squares);
        let between = distances_between_classes(&Run::new(), &squares, &classes, 2).unwrap();
        assert_eq!(between, ndarray::array![[0.0, 4.5], [4.5, 0.0]]);
    }
}
