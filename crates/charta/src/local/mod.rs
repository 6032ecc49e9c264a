//! Local models of the neighbourhoods of rows: weights, tangents, second derivatives, and the matrix that
//! sums them up.
//!
//! Everything follows from the inner products of the differences between a row and its neighbours. They come from
//! features or, by the law of cosines, from distances. A neighbourhood is brought to the size 1 first: none of its
//! results depends on its size, and squares stay in range.

pub(crate) mod alignment;
pub(crate) mod barycenters;
pub(crate) mod hessians;
pub(crate) mod modified;
pub(crate) mod tangents;

use ndarray::ArrayView2;

use crate::data::{Data, Features, Source};
use crate::error::{Because, Error, Result, check_rows, message};
use crate::linalg::small::SmallEigen;

/// Rows, or what is known of them.
#[derive(Clone, Debug)]
pub(crate) enum Points<'a> {
    /// Their features.
    Features(Features<'a>),
    /// Their distances from each other.
    Distances(ArrayView2<'a, f64>),
}

impl<'a> Points<'a> {
    /// The rows of some data, all of whose values are finite.
    pub(crate) fn of(data: &'a Data<'_>) -> Result<Self> {
        // A neighbour search would report it too, but neighbours may be given.
        data.check_finite()?;
        match data.source() {
            Source::Features(features) => Ok(Self::Features(features.reborrow())),
            Source::Distances(distances) => Ok(Self::Distances(distances.view())),
            _ => Err(Error::unsupported(
                message!("a method of local neighbourhoods"),
                message!("needs features or distances"),
            )),
        }
    }

    /// Fails if there are fewer directions, or other rows, than components requested.
    pub(crate) fn check_components(&self, count: usize, n_rows: usize) -> Result<()> {
        let n_columns = match self {
            Self::Features(features) => Some(features.n_columns()),
            Self::Distances(_) => None,
        };
        check_components(count, n_rows, n_columns)
    }
}

/// Fails if there are fewer columns, or other rows, than components requested. Distances have no columns.
pub(crate) fn check_components(
    count: usize,
    n_rows: usize,
    n_columns: Option<usize>,
) -> Result<()> {
    check_rows(message!("a neighbour graph"), 2, n_rows)?;
    let others = n_rows.saturating_sub(1);
    let most = n_columns.map_or(others, |columns| columns.min(others));
    if count <= most {
        return Ok(());
    }
    let because = match n_columns {
        Some(columns) => Because::Size {
            rows: n_rows,
            columns,
        },
        None => Because::Rows(n_rows),
    };
    Err(Error::at_most("n_components", most, because, count))
}

/// A row with its neighbours. One is used for many rows, so that memory is taken once.
#[derive(Debug, Default)]
pub(crate) struct Patch {
    /// Neighbours.
    size: usize,
    /// Columns of `rows`; 0 if there are only inner products.
    width: usize,
    /// The row itself.
    own: Vec<f64>,
    /// Differences of the neighbours from the row, one a row.
    rows: Vec<f64>,
    /// Their inner products, if `has_gram`.
    gram: Vec<f64>,
    has_gram: bool,
    eigen: SmallEigen,
    small: Vec<f64>,
    weights: Vec<f64>,
    values: Vec<f64>,
    /// Directions, one a row, a number for each neighbour.
    vectors: Vec<f64>,
    further: Vec<f64>,
}

impl Patch {
    /// Looks at a row and some of the others. Fails if differences overflow. Rows and indices are those of `points`.
    pub(crate) fn look(
        &mut self,
        points: &Points<'_>,
        row: usize,
        indices: impl Iterator<Item = usize> + Clone,
    ) -> Result<()> {
        match points {
            Points::Features(features) => {
                self.own.resize(features.n_columns(), 0.0);
                let mut own = std::mem::take(&mut self.own);
                features.copy_row(row, &mut own);
                let looked = self.look_from(features, &own, indices);
                self.own = own;
                looked
            }
            Points::Distances(distances) => self.measure(distances, row, indices),
        }
    }

    /// Looks at a row that is not among the reference rows, from among which its neighbours are. Fails if differences
    /// overflows.
    pub(crate) fn look_from(
        &mut self,
        features: &Features<'_>,
        own: &[f64],
        indices: impl Iterator<Item = usize> + Clone,
    ) -> Result<()> {
        self.width = own.len();
        self.size = indices.clone().count();
        self.has_gram = false;
        self.rows.resize(self.size * self.width, 0.0);
        let mut largest = 0.0_f64;
        for (index, target) in indices.zip(self.rows.chunks_exact_mut(own.len().max(1))) {
            features.copy_row(index, target);
            for (entry, centre) in target.iter_mut().zip(own) {
                *entry -= centre;
                largest = largest.max(entry.abs());
            }
        }
        if !largest.is_finite() {
            return Err(Error::too_large());
        }
        if largest > 0.0 {
            self.rows.iter_mut().for_each(|entry| *entry /= largest);
        }
        Ok(())
    }

    /// Inner products by the law of cosines.
    fn measure(
        &mut self,
        distances: &ArrayView2<'_, f64>,
        row: usize,
        indices: impl Iterator<Item = usize> + Clone,
    ) -> Result<()> {
        self.width = 0;
        self.size = indices.clone().count();
        self.has_gram = true;
        self.gram.clear();
        let largest = indices
            .clone()
            .fold(0.0, |most: f64, index| most.max(distances[[row, index]]));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let square = |a: usize, b: usize| (distances[[a, b]] / unit).powi(2);
        for a in indices.clone() {
            for b in indices.clone() {
                // Both ways, so that a matrix that is not quite symmetric gives products that are.
                let between = 0.5 * (square(a, b) + square(b, a));
                self.gram
                    .push(0.5 * (square(row, a) + square(row, b) - between));
            }
        }
        if self.gram.iter().all(|value| value.is_finite()) {
            Ok(())
        } else {
            Err(Error::too_large())
        }
    }

    /// The inner products of the differences.
    fn gram(&mut self) -> &[f64] {
        if !self.has_gram {
            let (size, width) = (self.size, self.width);
            self.gram.resize(size * size, 0.0);
            for a in 0..size {
                let left = &self.rows[a * width..(a + 1) * width];
                for b in 0..=a {
                    let right = &self.rows[b * width..(b + 1) * width];
                    let sum = dot(left, right);
                    self.gram[a * size + b] = sum;
                    self.gram[b * size + a] = sum;
                }
            }
            self.has_gram = true;
        }
        &self.gram
    }
}

/// Four sums side by side, which the compiler can keep in one register.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (left, right) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = left
        .remainder()
        .iter()
        .zip(right.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in left.zip(right) {
        for i in 0..4 {
            sums[i] += x[i] * y[i];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
