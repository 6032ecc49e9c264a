//! Distances in place of features or beside them: a matrix, a function, a covariance, neighbours found beforehand.

use std::fmt;

use ndarray::{ArrayView2, Axis, s};
use rayon::prelude::*;

use super::{Data, Features, Neighbors, Source};
use crate::error::{Error, Message, Result, message};
use crate::parallel::blocks;

/// Rows of a distance matrix that one job checks.
const BLOCK: usize = 64;

/// How far a distance may differ from the one the other way, and one of a row to itself from 0, as a fraction of the
/// largest distance: what products in single precision leave.
const TOLERANCE: f64 = 1e-5;

/// A distance between two rows, given by the caller.
#[derive(Clone, Copy)]
pub struct Distance<'a>(&'a (dyn Fn(&[f64], &[f64]) -> f64 + Sync));

impl Distance<'_> {
    /// The distance between two rows.
    pub(crate) fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        (self.0)(a, b)
    }
}

impl fmt::Debug for Distance<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Distance(a function)")
    }
}

impl<'a> Data<'a> {
    /// Data from a square matrix of distances: finite, at least 0, symmetric, with 0 on the diagonal.
    pub fn distances(distances: ArrayView2<'a, f64>) -> Result<Self> {
        square("the distance matrix", &distances)?;
        let data = Self::from_source(Source::Distances(distances));
        data.check_finite()?;
        check_distances(&distances)?;
        Ok(data)
    }

    /// New rows by their distances to the rows that a model was fitted on: a row for each, a column for each training
    /// row, in the order of the fit.
    ///
    /// ```
    /// use charta::Data;
    /// use ndarray::array;
    /// let to_known = array![[0.5, 2.0, 1.0]];
    /// let data = Data::distances_to(to_known.view())?;
    /// assert_eq!((data.n_rows(), data.n_columns()), (1, 3));
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn distances_to(distances: ArrayView2<'a, f64>) -> Result<Self> {
        let data = Self::from_source(Source::DistancesTo(distances));
        data.check_finite()?;
        let negative = distances.indexed_iter().find(|(_, value)| **value < 0.0);
        match negative {
            Some(((row, known), &value)) => Err(no_distance(row, known, value)),
            None => Ok(data),
        }
    }

    /// Data from a square matrix of distances of which some may be missing: NaN, both ways. For methods that
    /// take them (`Input::MissingDistances`).
    ///
    /// ```
    /// use charta::Data;
    /// use ndarray::array;
    /// let unknown = f64::NAN;
    /// let matrix = array![[0.0, 1.0, unknown], [1.0, 0.0, 2.0], [unknown, 2.0, 0.0]];
    /// assert!(Data::distances(matrix.view()).is_err());
    /// assert_eq!(Data::some_distances(matrix.view())?.n_missing_distances(), 1);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn some_distances(distances: ArrayView2<'a, f64>) -> Result<Self> {
        square("the distance matrix", &distances)?;
        let mut data = Self::from_source(Source::Distances(distances));
        let missing = distances.iter().filter(|value| value.is_nan()).count();
        check_not_infinite(&data, &distances)?;
        check_distances(&distances)?;
        data.n_missing_distances = missing / 2;
        Ok(data)
    }

    /// How many of the distances between two rows, or from new rows to training rows, are missing.
    pub fn n_missing_distances(&self) -> usize {
        self.n_missing_distances
    }

    /// New rows by their distances to the rows that a model was fitted on, of which some may be missing: NaN.
    pub fn some_distances_to(distances: ArrayView2<'a, f64>) -> Result<Self> {
        let mut data = Self::from_source(Source::DistancesTo(distances));
        data.n_missing_distances = distances.iter().filter(|value| value.is_nan()).count();
        check_not_infinite(&data, &distances)?;
        let negative = distances.indexed_iter().find(|(_, value)| **value < 0.0);
        match negative {
            Some(((row, known), &value)) => Err(no_distance(row, known, value)),
            None => Ok(data),
        }
    }

    /// Gives every distance a weight, for methods that take them (`Input::PairWeights`): how much it counts that
    /// it is kept. As many as there are distances: between all rows, symmetric, or from new rows to those
    /// that a model was fitted on. At least 0; those of missing distances and of a row with itself do not count.
    pub fn with_pair_weights(mut self, weights: ArrayView2<'a, f64>) -> Result<Self> {
        let known = match self.source {
            Source::DistancesTo(matrix) => matrix.ncols(),
            Source::Features(_) if weights.nrows() != weights.ncols() => weights.ncols(),
            _ => self.n_rows(),
        };
        if weights.dim() != (self.n_rows(), known) {
            return Err(Error::shape(
                message!("weights of the distances"),
                message!("{} × {known}", self.n_rows()),
                message!("{} × {}", weights.nrows(), weights.ncols()),
            ));
        }
        let bad = weights
            .indexed_iter()
            .find(|(_, weight)| !(**weight >= 0.0 && weight.is_finite()));
        if let Some(((row, other), weight)) = bad {
            return Err(Error::shape(
                message!("the weight of the distance from {row:row} to {other:row}"),
                "a finite number of at least 0",
                weight,
            ));
        }
        self.pair_weights = Some(weights);
        Ok(self)
    }

    /// The weights of the distances, if they were given.
    pub fn pair_weights(&self) -> Option<&ArrayView2<'a, f64>> {
        self.pair_weights.as_ref()
    }

    /// Data from nothing but the neighbours of every row, for methods that need no more.
    ///
    /// ```
    /// use charta::{Data, data::Neighbors};
    /// use ndarray::array;
    /// let table = Neighbors::from_table(&array![[1], [0], [1]].view(), &array![[1.0], [1.0], [2.0]].view())?;
    /// assert_eq!(Data::from_neighbors(&table)?.n_rows(), 3);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn from_neighbors(neighbors: &'a Neighbors) -> Result<Self> {
        if neighbors.n_rows() != neighbors.n_known() {
            return Err(Error::shape(
                message!("{:rows} of the table of neighbours"),
                message!("{}, as many as it refers to", neighbors.n_known()),
                neighbors.n_rows(),
            ));
        }
        Ok(Self::from_source(Source::Neighbors(neighbors)))
    }

    /// Gives the neighbours of every row, found beforehand: methods that need neighbours take these.
    pub fn with_neighbors(mut self, neighbors: &'a Neighbors) -> Result<Self> {
        if (neighbors.n_rows(), neighbors.n_known()) != (self.n_rows(), self.n_rows()) {
            return Err(Error::shape(
                message!("{:rows} of the table of neighbours"),
                self.n_rows(),
                neighbors.n_rows(),
            ));
        }
        self.neighbors = Some(neighbors);
        Ok(self)
    }

    /// The neighbours found beforehand, if they were given.
    pub fn neighbors(&self) -> Option<&'a Neighbors> {
        match self.source {
            Source::Neighbors(table) => Some(table),
            _ => self.neighbors,
        }
    }

    /// Measures rows by a function of the caller, whatever the metric parameter. It must be at least 0 and
    /// symmetric. A model fitted so needs the function again with the new rows.
    ///
    /// ```
    /// use charta::{Data, Run, neighbors::{self, Search}};
    /// use ndarray::array;
    /// let hours = array![[1.0], [23.0], [12.0]];
    /// let around_the_clock = |a: &[f64], b: &[f64]| {
    ///     let apart = (a[0] - b[0]).abs();
    ///     apart.min(24.0 - apart)
    /// };
    /// let data = Data::from(&hours).with_distance(&around_the_clock);
    /// let found = neighbors::nearest(&Run::new(), &data, &Search::default(), 1)?;
    /// assert_eq!(found.neighbors.row(0), ([1].as_slice(), [2.0].as_slice()));
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn with_distance(mut self, distance: &'a (dyn Fn(&[f64], &[f64]) -> f64 + Sync)) -> Self {
        self.distance = Some(Distance(distance));
        self
    }

    /// The function that measures the rows, if one was given.
    pub(crate) fn distance(&self) -> Option<Distance<'a>> {
        self.distance
    }

    /// Gives the covariance of the Mahalanobis distance, or that within classes for discriminant analysis; without it, that of the data is taken.
    pub fn with_covariance(mut self, covariance: ArrayView2<'a, f64>) -> Result<Self> {
        let n_columns = self.n_columns();
        if covariance.dim() != (n_columns, n_columns) {
            return Err(Error::shape(
                message!("the covariance"),
                message!("{n_columns} × {n_columns}"),
                message!("{} × {}", covariance.nrows(), covariance.ncols()),
            ));
        }
        Data::new(covariance).check_finite()?;
        let largest = covariance
            .iter()
            .fold(0.0, |most: f64, v| most.max(v.abs()));
        let uneven = covariance
            .indexed_iter()
            .find(|((i, j), value)| (**value - covariance[[*j, *i]]).abs() > 1e-8 * largest);
        if let Some(((i, j), value)) = uneven {
            return Err(Error::shape(
                message!("the covariance of {i:column} and {j:column}"),
                "the same in both directions",
                message!("{value} and {}", covariance[[j, i]]),
            ));
        }
        self.covariance = Some(covariance);
        Ok(self)
    }

    /// The covariance that was given, if one was.
    pub(crate) fn covariance(&self) -> Option<&ArrayView2<'a, f64>> {
        self.covariance.as_ref()
    }

    /// These features, measured as the rows of `data` are.
    pub(crate) fn measured_as(features: Features<'a>, data: &'a Data<'_>) -> Self {
        Self {
            distance: data.distance,
            kernel_function: data.kernel_function,
            pair_weights: data.pair_weights.as_ref().map(|matrix| matrix.view()),
            covariance: data.covariance.as_ref().map(|matrix| matrix.view()),
            ..Self::new(features)
        }
    }
}

/// Fails at an infinite distance: a missing one is NaN.
fn check_not_infinite(data: &Data<'_>, distances: &ArrayView2<'_, f64>) -> Result<()> {
    let infinite = distances
        .indexed_iter()
        .find(|(_, value)| value.is_infinite());
    match infinite {
        None => Ok(()),
        Some(((row, column), value)) => Err(Error::NotFinite {
            row,
            column: data.column(column),
            value: format!("{value}"),
            count: distances.iter().filter(|value| value.is_infinite()).count(),
            hint: None,
        }),
    }
}

pub(super) fn square(what: &str, matrix: &ArrayView2<'_, f64>) -> Result<()> {
    if matrix.nrows() == matrix.ncols() {
        return Ok(());
    }
    Err(Error::shape(
        Message::new().owned_text(what),
        message!("as many {:rows} as {:columns}"),
        message!("{} × {}", matrix.nrows(), matrix.ncols()),
    ))
}

fn no_distance(row: usize, other: usize, value: f64) -> Error {
    Error::shape(
        message!("the distance from {row:row} to {other:row}"),
        "a number of at least 0",
        value,
    )
}

/// Fails at the first entry that cannot be a distance.
fn check_distances(matrix: &ArrayView2<'_, f64>) -> Result<()> {
    let ranges = blocks(matrix.nrows(), BLOCK);
    let largest = ranges
        .par_iter()
        .map(|rows| {
            let rows = matrix.slice(s![rows.clone(), ..]);
            rows.iter().fold(0.0, |most: f64, v| most.max(*v))
        })
        .reduce(|| 0.0, f64::max);
    let allowed = TOLERANCE * largest;
    // Square by square, so that the entries across the diagonal are read while they are near.
    let first = ranges.par_iter().find_map_first(|rows| {
        let across = matrix.slice(s![rows.clone(), ..]);
        let down = matrix.slice(s![.., rows.clone()]);
        let bad = |row: usize, other: usize| {
            let (value, back) = (across[[row, other]], down[[other, row]]);
            let start = rows.start;
            let itself = start + row == other;
            let wrong = value < 0.0
                || (value - back).abs() > allowed
                || (itself && (value > allowed || value.is_nan()))
                || value.is_nan() != back.is_nan();
            wrong.then_some((start + row, other, value, back))
        };
        let squares = blocks(matrix.ncols(), BLOCK);
        squares.into_iter().find_map(|columns| {
            (0..across.len_of(Axis(0)))
                .find_map(|row| columns.clone().find_map(|other| bad(row, other)))
        })
    });
    match first {
        None => Ok(()),
        Some((row, other, value, _)) if value < 0.0 => Err(no_distance(row, other, value)),
        Some((row, other, value, _)) if row == other => Err(Error::shape(
            message!("the distance from {row:row} to itself"),
            0,
            value,
        )),
        Some((row, other, value, back)) => Err(Error::shape(
            message!("the distance between {row:row} and {other:row}"),
            "the same in both directions",
            message!("{value} and {back}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;

    fn complaint(matrix: Array2<f64>) -> String {
        Data::distances(matrix.view()).unwrap_err().to_string()
    }

    #[test]
    fn a_distance_matrix_is_looked_at_before_it_is_believed() {
        assert!(complaint(array![[0.0, 1.0, 2.0], [1.0, 0.0, 1.0]]).contains("2 × 3"));
        let good = array![[0.0, 1.0], [1.0 + 1e-9, 0.0]];
        assert!(Data::distances(good.view()).is_ok());
        assert_eq!(
            complaint(array![[0.0, 1.0], [2.0, 0.0]]),
            "the distance between row 0 and row 1: expected the same in both directions, got 1 and 2"
        );
        assert!(complaint(array![[0.0, -1.0], [-1.0, 0.0]]).contains("from row 0 to row 1"));
        assert!(complaint(array![[0.0, 1.0], [1.0, 0.5]]).contains("from row 1 to itself"));
        assert!(complaint(array![[0.0, f64::NAN], [1.0, 0.0]]).contains("row 0, column 1"));
        let mut big = Array2::from_shape_fn((150, 150), |(i, j)| i.abs_diff(j) as f64);
        big[[140, 20]] = 7.0;
        assert!(complaint(big).contains("between row 20 and row 140"));
    }

    #[test]
    fn what_does_not_fit_the_rows_is_refused() {
        let x = array![[1.0, 2.0], [3.0, 4.0]];
        let wide = Array2::eye(3);
        assert!(Data::from(&x).with_covariance(wide.view()).is_err());
        let uneven = array![[1.0, 0.5], [0.0, 1.0]];
        let error = Data::from(&x).with_covariance(uneven.view()).unwrap_err();
        assert!(error.to_string().contains("of column 0 and column 1"));
        assert!(Data::distances_to(array![[1.0, -2.0]].view()).is_err());
    }
}
