//! Where an optimization starts, and how much rows count, where the caller says so.

use ndarray::{ArrayView1, ArrayView2};

use super::{Data, Features};
use crate::error::{Error, Result, Row, message};

impl<'a> Data<'a> {
    /// Sets the coordinates from which an optimization starts, a row of them for every row, for methods that take them
    /// (`Input::InitialEmbedding`): they take the place of the method's own initialization.
    ///
    /// ```
    /// use charta::Data;
    /// use ndarray::array;
    /// let x = array![[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]];
    /// let initial = array![[0.0], [1.0], [2.0]];
    /// assert!(Data::from(&x).with_initial_embedding(initial.view()).is_ok());
    /// assert!(Data::from(&x).with_initial_embedding(initial.slice(ndarray::s![..2, ..])).is_err());
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn with_initial_embedding(mut self, embedding: ArrayView2<'a, f64>) -> Result<Self> {
        if embedding.nrows() != self.n_rows() {
            return Err(Error::shape(
                message!("number of {:rows} of the initial coordinates"),
                self.n_rows(),
                embedding.nrows(),
            ));
        }
        Self::from(Features::F64(embedding)).check_finite()?;
        self.initial_embedding = Some(embedding);
        Ok(self)
    }

    /// The coordinates from which an optimization starts, if they were given.
    pub fn initial_embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.initial_embedding.as_ref().map(|given| given.view())
    }

    /// The given initial coordinates, if there are any, which must have as many columns as components are requested.
    pub(crate) fn initial_embedding_of(
        &self,
        n_components: usize,
    ) -> Result<Option<ArrayView2<'_, f64>>> {
        match self.initial_embedding() {
            Some(given) if given.ncols() != n_components => Err(Error::shape(
                message!("number of initial coordinates of each {:row}"),
                n_components,
                given.ncols(),
            )),
            given => Ok(given),
        }
    }

    /// Sets the components from which an optimization starts, one in each row, for methods that take them
    /// (`Input::InitialComponents`): the second factor of a factorization, the axes of a rotation, the centres of clusters.
    pub fn with_initial_components(mut self, components: ArrayView2<'a, f64>) -> Result<Self> {
        Self::from(Features::F64(components)).check_finite()?;
        self.initial_components = Some(components);
        Ok(self)
    }

    /// The components from which an optimization starts, if they were given.
    pub fn initial_components(&self) -> Option<ArrayView2<'_, f64>> {
        self.initial_components.as_ref().map(|given| given.view())
    }

    /// The given initial components, if there are any, which must have this shape.
    pub(crate) fn initial_components_of(
        &self,
        n_components: usize,
        n_columns: usize,
    ) -> Result<Option<ArrayView2<'_, f64>>> {
        match self.initial_components() {
            Some(given) if given.dim() != (n_components, n_columns) => Err(Error::shape(
                message!("initial components"),
                message!("{n_components} × {n_columns}"),
                message!("{} × {}", given.nrows(), given.ncols()),
            )),
            given => Ok(given),
        }
    }

    /// Gives every row a weight, for methods that take them (`Input::RowWeights`): a row of weight 2 counts as two rows. At least
    /// 0, and not all of them 0.
    pub fn with_row_weights(mut self, weights: ArrayView1<'a, f64>) -> Result<Self> {
        if weights.len() != self.n_rows() {
            return Err(Error::shape(
                message!("number of weights of {:rows}"),
                self.n_rows(),
                weights.len(),
            ));
        }
        let is_bad = |weight: &f64| !(*weight >= 0.0 && weight.is_finite());
        if let Some(row) = weights.iter().position(is_bad) {
            return Err(Error::shape(
                message!(
                    "the weight of {row:row}",
                    row = Row::new(row, self.row_names())
                ),
                "a finite number of at least 0",
                weights[row],
            ));
        }
        if weights.iter().all(|&weight| weight == 0.0) {
            return Err(Error::degenerate(message!(
                "the weights of all {:rows} are zero: give at least one {:row} a weight above 0"
            )));
        }
        self.row_weights = Some(weights);
        Ok(self)
    }

    /// The weights of the rows, if they were given.
    pub fn row_weights(&self) -> Option<ArrayView1<'_, f64>> {
        self.row_weights.as_ref().map(|given| given.view())
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;

    #[test]
    fn initial_coordinates_and_components_must_fit() {
        let x = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let two = array![[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]];
        let data = Data::from(&x).with_initial_embedding(two.view()).unwrap();
        assert_eq!(data.initial_embedding_of(2).unwrap(), Some(two.view()));
        let error = data.initial_embedding_of(3).unwrap_err();
        assert_eq!(
            error.to_string(),
            "number of initial coordinates of each row: expected 3, got 2"
        );
        let nan = Array2::from_elem((3, 2), f64::NAN);
        assert!(Data::from(&x).with_initial_embedding(nan.view()).is_err());
        let data = Data::from(&x).with_initial_components(two.view()).unwrap();
        assert!(data.initial_components_of(3, 2).is_ok());
        assert!(data.initial_components_of(2, 2).is_err());
    }

    #[test]
    fn weights_must_be_numbers_of_at_least_zero() {
        let x = array![[1.0], [2.0]];
        for bad in [
            array![1.0],
            array![-1.0, 1.0],
            array![f64::NAN, 1.0],
            array![0.0, 0.0],
        ] {
            assert!(Data::from(&x).with_row_weights(bad.view()).is_err());
        }
        let weights = array![0.0, 2.0];
        let data = Data::from(&x).with_row_weights(weights.view()).unwrap();
        assert_eq!(data.row_weights(), Some(weights.view()));
    }
}
