//! The training rows that a model keeps, among which new rows find their neighbours.
//!
//! Rows that were left out of a graph have no coordinates and are not kept: a new row that is nearest to them is embedded by the nearest of the
//! others, so that every new row gets coordinates.

use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};

use crate::data::loaded::{check_finite, check_indices, check_length};
use crate::data::{Data, Features, Neighbors, Source};
use crate::error::{Error, Result, message};
use crate::linalg::moments::Moments;
use crate::neighbors::{Reference, Search};
use crate::run::Run;

/// The rows of a fit that were not left out, kept for new rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TrainingRows {
    reference: Reference,
    /// Which rows of the data are kept, if not all.
    rows: Option<Vec<u32>>,
}

impl TrainingRows {
    /// The rows of `data`, or some of them, compared as all were.
    pub(crate) fn new(
        run: &Run<'_>,
        data: &Data<'_>,
        search: &Search,
        rows: Option<&[u32]>,
    ) -> Result<Self> {
        Ok(Self {
            reference: match rows {
                None => Reference::new(data, search)?,
                Some(rows) => among(run, data, search, rows)?,
            },
            rows: rows.map(<[u32]>::to_vec),
        })
    }

    /// Number of rows kept.
    pub(crate) fn n_kept(&self) -> usize {
        self.reference.n_rows()
    }

    /// The row of the data that is number `number` of the rows kept.
    pub(crate) fn row_of(&self, number: u32) -> usize {
        let rows = self.rows.as_ref();
        rows.map_or(number, |rows| rows[number as usize]) as usize
    }

    /// Fails if what was loaded does not fit together, or to a layout of this many rows.
    pub(crate) fn validate(&self, n_rows: usize) -> Result<()> {
        let Self { reference, rows } = self;
        reference.validate()?;
        match rows {
            None => check_length("the training rows", self.n_kept(), n_rows),
            Some(rows) => {
                check_length("the training rows", self.n_kept(), rows.len())?;
                check_indices("the indices of the training rows", rows, n_rows)
            }
        }
    }

    /// Fails unless every row kept has finite coordinates.
    pub(crate) fn check_coordinates(&self, embedding: &Array2<f64>) -> Result<()> {
        match &self.rows {
            None => check_finite("the embedding", embedding),
            Some(rows) => {
                let kept = rows.iter().map(|&row| embedding.row(row as usize));
                kept.into_iter()
                    .try_for_each(|row| check_finite("the embedding", row))
            }
        }
    }

    /// Columns of the features of the rows kept; `None` if they are known by distances or neighbours only.
    pub(crate) fn n_columns(&self) -> Option<usize> {
        self.features().map(|features| features.n_columns())
    }

    /// The rows kept; `None` if they are known by distances or neighbours only.
    pub(crate) fn features(&self) -> Option<Features<'_>> {
        self.reference.features()
    }

    /// The `count` rows kept that are nearest to each row of `data`: to its features, or by its distances to all `n_rows`
    /// that the model was fitted on.
    pub(crate) fn nearest(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        n_rows: usize,
        count: usize,
    ) -> Result<Neighbors> {
        let (Source::DistancesTo(distances), Some(rows)) = (data.source(), &self.rows) else {
            return self.reference.nearest(run, data, count);
        };
        if distances.ncols() != n_rows {
            return Err(Error::shape(
                message!("distances of a new {:row} to the training {:rows}"),
                n_rows,
                distances.ncols(),
            ));
        }
        let places: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        let kept = distances.select(Axis(1), &places);
        self.reference
            .nearest(run, &Data::distances_to(kept.view())?, count)
    }
}

/// Some of the rows, measured as all of them are.
fn among(run: &Run<'_>, data: &Data<'_>, search: &Search, rows: &[u32]) -> Result<Reference> {
    let places: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
    let Source::Features(features) = data.source() else {
        // Of rows known by their distances nothing but the number is kept.
        let starts = vec![0; rows.len() + 1];
        let number = Neighbors::from_lists(rows.len(), starts, Vec::new(), Vec::new());
        return Reference::new(&Data::from_neighbors(&number)?, search);
    };
    let kept = features.select_rows(&places)?;
    let known = Data::measured_as(kept.view(), data);
    let own =
        search.metric.is_whitened() && data.distance().is_none() && data.covariance().is_none();
    if !own {
        return Reference::new(&known, search);
    }
    let moments = Moments::of(run, features)?;
    let covariance = moments.scatter() / features.n_rows().saturating_sub(1).max(1) as f64;
    Reference::new(&known.with_covariance(covariance.view())?, search)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;

    #[test]
    fn some_rows_are_found_as_they_are_among_all() {
        let x = Array2::from_shape_fn((50, 3), |(i, j)| {
            ((i * 3 + j) as f64 * 1.3).sin() * (j + 1) as f64
        });
        let new = Array2::from_shape_fn((9, 3), |(i, j)| ((i * 3 + j) as f64 * 0.7).cos());
        let kept: Vec<u32> = (0..50).filter(|row| row % 3 != 0).collect();
        let run = Run::new();
        let twice = |a: &[f64], b: &[f64]| 2.0 * (a[1] - b[1]).abs();
        for (metric, by_function) in [
            (Metric::Euclidean, false),
            (Metric::Mahalanobis, false),
            (Metric::Euclidean, true),
        ] {
            let search = Search {
                metric,
                ..Search::default()
            };
            let measured = |x| {
                let data = Data::from(x);
                if by_function {
                    data.with_distance(&twice)
                } else {
                    data
                }
            };
            let known = TrainingRows::new(&run, &measured(&x), &search, Some(&kept)).unwrap();
            let all = Reference::new(&measured(&x), &search).unwrap();
            let got = known.nearest(&run, &measured(&new), 50, 5).unwrap();
            let want = all.nearest(&run, &measured(&new), 50).unwrap();
            for row in 0..9 {
                let (places, distances) = got.row(row);
                let (rows, lengths) = want.row(row);
                let expected = rows
                    .iter()
                    .zip(lengths)
                    .filter(|(row, _)| kept.contains(row));
                let found = places.iter().zip(distances);
                for ((&place, distance), (&row, length)) in found.zip(expected) {
                    assert_eq!(known.row_of(place), row as usize, "{metric:?}");
                    assert!((distance - length).abs() < 1e-9, "{metric:?}");
                }
            }
        }
    }
}
