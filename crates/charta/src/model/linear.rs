//! The linear map: what ten methods share.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::{InverseTransform, Transform, arrays, check_embedding};
use crate::data::Data;
use crate::error::{Error, Message, Result};
use crate::linalg::operator::Rows;
use crate::linalg::product::product;
use crate::message;
use crate::run::Run;

/// z = encoder · (x − offset), and where there is a way back x ≈ offset + decoderᵀ · z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearMap {
    /// Subtracted from every row.
    #[serde(with = "arrays::vector")]
    pub offset: Array1<f64>,
    /// A row for each coordinate, a column for each feature.
    #[serde(with = "arrays::matrix")]
    pub encoder: Array2<f64>,
    /// The same shape: what each coordinate adds to the features.
    #[serde(with = "arrays::optional_matrix")]
    pub decoder: Option<Array2<f64>>,
}

impl LinearMap {
    /// Number of coordinates.
    pub fn n_components(&self) -> usize {
        self.encoder.nrows()
    }

    /// Number of features.
    pub fn n_columns(&self) -> usize {
        self.encoder.ncols()
    }

    /// Coordinates of rows; `hint` tells what to do about values that are not finite.
    pub fn encode(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        hint: Option<Message>,
    ) -> Result<Array2<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        let coordinates = Rows::new(features, &self.offset).times(run, &self.encoder.t())?;
        // A value that is not finite shows in the coordinates, so good data is read only once.
        if coordinates.iter().all(|value| value.is_finite()) {
            return Ok(coordinates);
        }
        Err(data.bad_values(hint))
    }

    /// Features of coordinates.
    pub fn decode(&self, run: &Run<'_>, embedding: &ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        check_embedding(embedding, self.n_components())?;
        run.check()?;
        let Some(decoder) = &self.decoder else {
            return Err(Error::unsupported(
                message!("this model"),
                message!("has no inverse transform"),
            ));
        };
        Ok(product(embedding, &decoder.view()) + &self.offset)
    }
}

/// A model whose coordinates are a linear map of the features, and nothing else.
pub trait Mapped: Send + Sync {
    /// The map.
    fn map(&self) -> &LinearMap;
}

impl<M: Mapped> Transform for M {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        self.map().encode(run, data, None)
    }
}

impl<M: Mapped> InverseTransform for M {
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        self.map().decode(run, embedding)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn encoding_and_decoding_follow_the_formula() {
        let map = LinearMap {
            offset: array![1.0, 2.0],
            encoder: array![[0.0, 2.0]],
            decoder: Some(array![[0.0, 0.5]]),
        };
        let run = Run::new();
        let x = array![[5.0, 7.0], [1.0, 2.0]];
        let z = map.encode(&run, &Data::from(&x), None).unwrap();
        assert_eq!(z, array![[10.0], [0.0]]);
        let back = map.decode(&run, &z.view()).unwrap();
        assert_eq!(back, array![[1.0, 7.0], [1.0, 2.0]]);
        assert!(map.decode(&run, &x.view()).is_err());
        assert!(map.encode(&run, &Data::from(&z), None).is_err());
    }
}
