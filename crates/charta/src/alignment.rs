//! Aligned maps: slices of data, such as the days of a series, embedded one after the other so that rows which slices share stay near
//! their places.
//!
//! # Idea
//! Slices are in order, and a [`Relation`] says which rows of one are rows of the one before. The first slice is embedded alone. Each later one
//! is pulled towards the coordinates that its rows have in the slices before: these are its [anchors](crate::Data::with_anchors), from which
//! its optimization starts too. Earlier maps stay as they are, so a slice can be added at any time, and maps that were shown remain true.
//!
//! # Choosing parameters
//! `alignment_regularization` is how strong the pull is: large values keep rows in place, small ones let every slice have the map that
//! suits it best. `alignment_window_size` is how many slices before count; each further one counts 1/e of the one after it.
//!
//! # References
//! The idea of relations and of a pull between slices is that of AlignedUMAP in umap-learn, which moves all slices at once.
//!
//! # Example
//! ```
//! use charta::alignment::{Alignment, Relation};
//! use charta::{Data, Fit, Model, methods::umap::Umap};
//! let x = ndarray::Array2::from_shape_fn((90, 3), |(row, column)| ((row * (column + 2)) as f64 / 9.0).sin());
//! let [first, second] = [x.slice(ndarray::s![..60, ..]), x.slice(ndarray::s![30.., ..])];
//! let umap = Umap { n_epochs: Some(50), ..Umap::default() };
//! let earlier = umap.fit(first)?;
//! // The first 30 rows of the second slice are the last 30 of the first.
//! let relation = Relation::of_pairs(60, 60, (0..30).map(|row| (row + 30, row)))?;
//! let anchors = Alignment::default().anchors(&[earlier.embedding().unwrap()], &[relation])?;
//! let later = umap.fit(anchors.of(Data::from(second))?)?;
//! assert_eq!(later.embedding().unwrap().dim(), (60, 2));
//! # Ok::<(), charta::Error>(())
//! ```

use std::collections::HashMap;

use ndarray::{Array1, Array2, ArrayView2};

use crate::Data;
use crate::error::{Error, Result, message};
use crate::params::Parameters;

/// Earlier slices alone pull, and as much as slices on both sides would.
const SIDES: f64 = 2.0;

/// How strongly maps of slices are aligned.
#[derive(Clone, Debug, PartialEq, Parameters)]
#[param(title = "Alignment")]
pub struct Alignment {
    /// Strength of the pull towards the coordinates in earlier slices, relative to the attraction by neighbours. Larger values keep rows in place, smaller ones let each slice have the map that suits it best; usually 0.001 to 0.1.
    #[param(default = 0.01, min = 0.0)]
    pub alignment_regularization: f64,
    /// Number of earlier slices that count. More make slow changes smoother; usually 1 to 5.
    #[param(default = 3, min = 1)]
    pub alignment_window_size: usize,
}

/// Which rows of a slice are rows of the slice before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// For each row, the row of the slice before.
    earlier: Vec<Option<u32>>,
}

impl Relation {
    /// From pairs of rows, the first of the slice before and the second of this slice. A row is in one pair at most.
    pub fn of_pairs(
        n_earlier: usize,
        n_rows: usize,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self> {
        let mut earlier = vec![None; n_rows];
        for (before, row) in pairs {
            if before >= n_earlier || row >= n_rows {
                let (index, most, which) = if before >= n_earlier {
                    (before, n_earlier, "the slice before")
                } else {
                    (row, n_rows, "the slice")
                };
                return Err(Error::shape(
                    message!("an index of a relation"),
                    message!("one of the {most} {:rows} of {which}, counted from 0"),
                    index,
                ));
            }
            if earlier[row].replace(before as u32).is_some() {
                return Err(Error::shape(
                    message!("a relation"),
                    message!("one {:row} of the slice before for each {:row}"),
                    message!("several for the {:row} at index {row}"),
                ));
            }
        }
        Ok(Self { earlier })
    }

    /// Rows of the same name are the same. A name may not occur twice in a slice.
    pub fn by_names(earlier: &[String], names: &[String]) -> Result<Self> {
        let indexed = |names: &[String]| {
            let mut index_of = HashMap::with_capacity(names.len());
            for (index, name) in names.iter().enumerate() {
                if index_of.insert(name.clone(), index).is_some() {
                    return Err(Error::shape(
                        message!("the names of {:rows}"),
                        "names that differ",
                        message!("\"{name}\" twice"),
                    ));
                }
            }
            Ok(index_of)
        };
        let before = indexed(earlier)?;
        indexed(names)?;
        let pairs = names.iter().enumerate();
        let pairs = pairs.filter_map(|(row, name)| Some((*before.get(name)?, row)));
        Self::of_pairs(earlier.len(), names.len(), pairs)
    }

    /// Number of rows of the slice.
    pub fn n_rows(&self) -> usize {
        self.earlier.len()
    }

    /// Number of rows that the slice before has too.
    pub fn n_shared(&self) -> usize {
        self.earlier.iter().flatten().count()
    }
}

/// What the rows of a slice are pulled towards.
#[derive(Clone, Debug, PartialEq)]
pub struct SliceAnchors {
    /// Coordinates; 0 for rows that no slice before has.
    pub coordinates: Array2<f64>,
    /// Weights; 0 for those rows.
    pub weights: Array1<f64>,
}

impl SliceAnchors {
    /// The data of the slice, with its anchors.
    pub fn of<'a>(&'a self, data: Data<'a>) -> Result<Data<'a>> {
        data.with_anchors(self.coordinates.view(), self.weights.view())
    }
}

impl Alignment {
    /// The anchors of a slice, from the embeddings of all slices before it in their order, and the relation of each slice to the one before:
    /// that of the second slice first, that of this slice last.
    pub fn anchors(
        &self,
        embeddings: &[ArrayView2<'_, f64>],
        relations: &[Relation],
    ) -> Result<SliceAnchors> {
        self.check()?;
        let (Some(last), Some(embedding)) = (relations.last(), embeddings.last()) else {
            return Err(Error::shape(
                message!("slices before this one"),
                "at least 1",
                0,
            ));
        };
        if relations.len() != embeddings.len() {
            return Err(Error::shape(
                message!("number of relations"),
                embeddings.len(),
                relations.len(),
            ));
        }
        let (n_rows, width) = (last.n_rows(), embedding.ncols());
        let mut coordinates = Array2::zeros((n_rows, width));
        let mut totals = Array1::<f64>::zeros(n_rows);
        // The row of the slice looked at for each row of this one.
        let mut rows: Vec<Option<u32>> = (0..n_rows as u32).map(Some).collect();
        let before = embeddings.iter().zip(relations).rev();
        for (apart, (embedding, relation)) in before.take(self.alignment_window_size).enumerate() {
            let weight = (-(apart as f64)).exp();
            for (row, at) in rows.iter_mut().enumerate() {
                *at = at.and_then(|at| relation.earlier.get(at as usize).copied().flatten());
                let Some(at) = *at else { continue };
                let Some(point) = embedding.rows().into_iter().nth(at as usize) else {
                    return Err(Error::shape(
                        message!("number of {:rows} of a slice before"),
                        message!("more than {at}"),
                        embedding.nrows(),
                    ));
                };
                if point.len() != width {
                    return Err(Error::shape(
                        message!("number of coordinates in each slice"),
                        width,
                        point.len(),
                    ));
                }
                totals[row] += weight;
                coordinates.row_mut(row).scaled_add(weight, &point);
            }
        }
        if totals.iter().all(|&total| total == 0.0) {
            return Err(Error::degenerate(message!(
                "the slice shares no {:row} with those before it, so that nothing says where it belongs: relate at least one {:row}"
            )));
        }
        for (mut point, &total) in coordinates.rows_mut().into_iter().zip(&totals) {
            if total > 0.0 {
                point /= total;
            }
        }
        let weights = totals * SIDES * self.alignment_regularization.max(f64::MIN_POSITIVE);
        Ok(SliceAnchors {
            coordinates,
            weights,
        })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn anchors_are_means_over_the_window() {
        let first = array![[0.0], [10.0], [20.0]];
        let second = array![[12.0], [22.0], [30.0]];
        let relations = [
            Relation::by_names(&names(&["a", "b", "c"]), &names(&["b", "c", "d"])).unwrap(),
            Relation::of_pairs(3, 4, [(2, 0), (1, 1), (0, 3)]).unwrap(),
        ];
        assert_eq!(relations[0].n_shared(), 2);
        let alignment = Alignment {
            alignment_regularization: 0.5,
            alignment_window_size: 2,
        };
        let anchors = alignment
            .anchors(&[first.view(), second.view()], &relations)
            .unwrap();
        let e = (-1.0f64).exp();
        let expected = [
            30.0,
            (22.0 + 20.0 * e) / (1.0 + e),
            0.0,
            (12.0 + 10.0 * e) / (1.0 + e),
        ];
        for (row, expected) in expected.into_iter().enumerate() {
            assert!((anchors.coordinates[[row, 0]] - expected).abs() < 1e-12);
        }
        let weights = [1.0, 1.0 + e, 0.0, 1.0 + e];
        for (row, expected) in weights.into_iter().enumerate() {
            assert!((anchors.weights[row] - expected).abs() < 1e-12);
        }
        let near = Alignment {
            alignment_window_size: 1,
            ..alignment
        };
        let anchors = near
            .anchors(&[first.view(), second.view()], &relations)
            .unwrap();
        assert_eq!(anchors.coordinates, array![[30.0], [22.0], [0.0], [12.0]]);
    }

    #[test]
    fn relations_must_fit() {
        assert!(Relation::of_pairs(3, 2, [(3, 0)]).is_err());
        assert!(Relation::of_pairs(3, 2, [(0, 2)]).is_err());
        assert!(Relation::of_pairs(3, 2, [(0, 1), (1, 1)]).is_err());
        assert!(Relation::by_names(&names(&["a", "a"]), &names(&["b"])).is_err());
        let none = Relation::by_names(&names(&["a"]), &names(&["b"])).unwrap();
        let map = array![[0.0]];
        let alignment = Alignment::default();
        assert!(
            alignment
                .anchors(&[map.view()], std::slice::from_ref(&none))
                .is_err()
        );
        assert!(
            alignment
                .anchors(&[map.view()], &[none.clone(), none])
                .is_err()
        );
    }
}
