//! Arrays in model files: shape, and the numbers as little-endian bytes.
//!
//! Use as `#[serde(with = "arrays::matrix")]`, `arrays::vector` or `arrays::optional_vector`.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct Stored {
    shape: Vec<u64>,
    values: Bytes,
}

/// Bytes that are stored as such, not number by number.
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BytesVisitor;
        impl<'de> Visitor<'de> for BytesVisitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = sequence.next_element()? {
                    bytes.push(byte);
                }
                Ok(Bytes(bytes))
            }
        }
        deserializer.deserialize_byte_buf(BytesVisitor)
    }
}

fn store<'a>(shape: &[usize], values: impl Iterator<Item = &'a f64>) -> Stored {
    Stored {
        shape: shape.iter().map(|&n| n as u64).collect(),
        values: Bytes(values.flat_map(|value| value.to_le_bytes()).collect()),
    }
}

fn restore<E: Error>(stored: &Stored, n_axes: usize) -> Result<(Vec<usize>, Vec<f64>), E> {
    let (chunks, rest) = stored.values.0.as_chunks::<8>();
    let expected = stored
        .shape
        .iter()
        .try_fold(1_u64, |product, &n| product.checked_mul(n));
    let fits =
        stored.shape.len() == n_axes && rest.is_empty() && expected == Some(chunks.len() as u64);
    if !fits {
        return Err(E::custom("an array's shape and its numbers do not agree"));
    }
    let shape = stored.shape.iter().map(|&n| n as usize).collect();
    let values = chunks
        .iter()
        .map(|bytes| f64::from_le_bytes(*bytes))
        .collect();
    Ok((shape, values))
}

/// For `Array2<f64>`.
pub mod matrix {
    use ndarray::Array2;

    use super::{Deserialize, Deserializer, Error, Serialize, Serializer, Stored, restore, store};

    /// Stores a matrix.
    pub fn serialize<S: Serializer>(x: &Array2<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        store(x.shape(), x.iter()).serialize(serializer)
    }

    /// Reads a matrix back.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Array2<f64>, D::Error> {
        let (shape, values) = restore(&Stored::deserialize(d)?, 2)?;
        Array2::from_shape_vec((shape[0], shape[1]), values).map_err(Error::custom)
    }
}

/// For `Array1<f64>`.
pub mod vector {
    use ndarray::Array1;

    use super::{Deserialize, Deserializer, Serialize, Serializer, Stored, restore, store};

    /// Stores a vector.
    pub fn serialize<S: Serializer>(x: &Array1<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        store(x.shape(), x.iter()).serialize(serializer)
    }

    /// Reads a vector back.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Array1<f64>, D::Error> {
        let (_, values) = restore(&Stored::deserialize(d)?, 1)?;
        Ok(Array1::from_vec(values))
    }
}

/// For `Option<Array1<f64>>`.
pub mod optional_vector {
    use ndarray::Array1;

    use super::{Deserialize, Deserializer, Serialize, Serializer, Stored, restore, store};

    /// Stores a vector that may be absent.
    pub fn serialize<S: Serializer>(
        x: &Option<Array1<f64>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        x.as_ref()
            .map(|x| store(x.shape(), x.iter()))
            .serialize(serializer)
    }

    /// Reads it back.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Array1<f64>>, D::Error> {
        match Option::<Stored>::deserialize(d)? {
            Some(stored) => Ok(Some(Array1::from_vec(restore(&stored, 1)?.1))),
            None => Ok(None),
        }
    }
}

/// For `Option<Array2<f64>>`.
pub mod optional_matrix {
    use ndarray::Array2;

    use super::{Deserialize, Deserializer, Error, Serialize, Serializer, Stored, restore, store};

    /// Stores a matrix that may be absent.
    pub fn serialize<S: Serializer>(
        x: &Option<Array2<f64>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        x.as_ref()
            .map(|x| store(x.shape(), x.iter()))
            .serialize(serializer)
    }

    /// Reads it back.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Array2<f64>>, D::Error> {
        let Some(stored) = Option::<Stored>::deserialize(d)? else {
            return Ok(None);
        };
        let (shape, values) = restore(&stored, 2)?;
        Array2::from_shape_vec((shape[0], shape[1]), values)
            .map(Some)
            .map_err(Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, array};

    use super::*;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Both {
        #[serde(with = "matrix")]
        matrix: Array2<f64>,
        #[serde(with = "optional_vector")]
        vector: Option<Array1<f64>>,
        #[serde(with = "optional_matrix")]
        none: Option<Array2<f64>>,
    }

    #[test]
    fn arrays_come_back_bit_for_bit_and_damage_is_seen() {
        let both = Both {
            matrix: array![[1.0, -0.0], [f64::MIN_POSITIVE, 1e300], [0.1, 0.2]],
            vector: Some(array![3.0]),
            none: None,
        };
        let bytes = rmp_serde::to_vec_named(&both).unwrap();
        assert_eq!(rmp_serde::from_slice::<Both>(&bytes).unwrap(), both);
        let stored = Stored {
            shape: vec![2, 2],
            values: Bytes(vec![0; 24]),
        };
        assert!(restore::<rmp_serde::decode::Error>(&stored, 2).is_err());
    }
}
