//! Coordinates that rows of a map are pulled towards, so that it stays comparable with an earlier one.

use ndarray::{ArrayView1, ArrayView2};

use super::Data;
use crate::error::{Error, Result, Row, message};

/// Where rows are pulled to, and how strongly.
#[derive(Clone, Debug)]
pub(crate) struct Anchors<'a> {
    /// Coordinates, of which those of rows with weight 0 mean nothing.
    pub(crate) coordinates: ArrayView2<'a, f64>,
    /// How strongly each row is pulled.
    pub(crate) weights: ArrayView1<'a, f64>,
}

impl Anchors<'_> {
    pub(super) fn reborrow(&self) -> Anchors<'_> {
        Anchors {
            coordinates: self.coordinates.view(),
            weights: self.weights.view(),
        }
    }
}

impl<'a> Data<'a> {
    /// Sets coordinates that rows of the embedding are pulled towards, for methods that take them (`Input::Anchors`), and how strongly
    /// each row is: the weight is relative to the attraction by its neighbours. Rows of weight 0 move freely, whatever their coordinates
    /// here. The optimization starts at the anchors.
    ///
    /// ```
    /// use charta::Data;
    /// use ndarray::array;
    /// let x = array![[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]];
    /// let (anchors, weights) = (array![[0.0], [1.0], [f64::NAN]], array![0.1, 0.1, 0.0]);
    /// assert!(Data::from(&x).with_anchors(anchors.view(), weights.view()).is_ok());
    /// assert!(Data::from(&x).with_anchors(anchors.view(), array![1.0, 1.0, 1.0].view()).is_err());
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn with_anchors(
        mut self,
        coordinates: ArrayView2<'a, f64>,
        weights: ArrayView1<'a, f64>,
    ) -> Result<Self> {
        for (what, count) in [
            (
                message!("number of {:rows} of the anchors"),
                coordinates.nrows(),
            ),
            (message!("number of weights of the anchors"), weights.len()),
        ] {
            if count != self.n_rows() {
                return Err(Error::shape(what, self.n_rows(), count));
            }
        }
        for (index, (&weight, point)) in weights.iter().zip(coordinates.rows()).enumerate() {
            let row = || Row::new(index, self.row_names());
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(Error::shape(
                    message!("the weight of the anchor of {row:row}", row = row()),
                    "a finite number of at least 0",
                    weight,
                ));
            }
            let bad = point.iter().find(|value| !value.is_finite());
            if let (true, Some(&value)) = (weight > 0.0, bad) {
                return Err(Error::shape(
                    message!("the anchor of {row:row}", row = row()),
                    "finite coordinates",
                    value,
                ));
            }
        }
        self.anchors = Some(Anchors {
            coordinates,
            weights,
        });
        Ok(self)
    }

    /// Whether rows are pulled towards given coordinates.
    pub fn has_anchors(&self) -> bool {
        self.anchors.is_some()
    }

    /// What rows are pulled towards, which must have as many columns as components are requested.
    pub(crate) fn anchors_of(&self, n_components: usize) -> Result<Option<Anchors<'_>>> {
        match &self.anchors {
            Some(given) if given.coordinates.ncols() != n_components => Err(Error::shape(
                message!("number of coordinates of each anchor"),
                n_components,
                given.coordinates.ncols(),
            )),
            given => Ok(given.as_ref().map(Anchors::reborrow)),
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn anchors_must_fit_and_be_numbers_where_they_count() {
        let x = array![[1.0], [2.0]];
        let given = array![[0.0, 1.0], [f64::NAN, 0.0]];
        let fails = |weights: ndarray::Array1<f64>| {
            Data::from(&x)
                .with_anchors(given.view(), weights.view())
                .is_err()
        };
        assert!(fails(array![1.0]) && fails(array![1.0, 1.0]) && fails(array![-1.0, 0.0]));
        let weights = array![0.5, 0.0];
        let data = Data::from(&x)
            .with_anchors(given.view(), weights.view())
            .unwrap();
        assert!(data.has_anchors() && data.anchors_of(2).unwrap().is_some());
        assert!(data.anchors_of(3).is_err());
    }
}
