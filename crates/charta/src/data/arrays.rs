//! Arrays in model files: shape, and the numbers as little-endian bytes.
//!
//! Use as `#[serde(with = "arrays::matrix")]`, `arrays::vector` or `arrays::optional_vector`; whole features are
//! stored by themselves.

use ndarray::Array2;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{OwnedFeatures, SparseRows};

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

/// A number that is stored as its bytes.
trait Number: Copy {
    const BYTES: usize;

    fn write(self, target: &mut Vec<u8>);

    /// The number of exactly this many bytes.
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($($number:ty),*) => {$(
        impl Number for $number {
            const BYTES: usize = size_of::<$number>();

            fn write(self, target: &mut Vec<u8>) {
                target.extend_from_slice(&self.to_le_bytes());
            }

            fn read(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$number>()];
                own.copy_from_slice(bytes);
                Self::from_le_bytes(own)
            }
        }
    )*};
}
number!(f32, f64, u32, u64);

fn store<'a, N: Number + 'a>(shape: &[usize], values: impl Iterator<Item = &'a N>) -> Stored {
    let mut bytes = Vec::with_capacity(shape.iter().product::<usize>() * N::BYTES);
    values.for_each(|value| value.write(&mut bytes));
    Stored {
        shape: shape.iter().map(|&n| n as u64).collect(),
        values: Bytes(bytes),
    }
}

fn restore<N: Number, E: Error>(stored: &Stored, n_axes: usize) -> Result<(Vec<usize>, Vec<N>), E> {
    let chunks = stored.values.0.chunks_exact(N::BYTES);
    let rest = chunks.remainder();
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
    Ok((shape, chunks.map(N::read).collect()))
}

/// For `Array2<f64>`.
pub(crate) mod matrix {
    use ndarray::Array2;

    use super::{Deserialize, Deserializer, Error, Serialize, Serializer, Stored, restore, store};

    /// Stores a matrix.
    pub(crate) fn serialize<S: Serializer>(
        x: &Array2<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        store(x.shape(), x.iter()).serialize(serializer)
    }

    /// Reads a matrix back.
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Array2<f64>, D::Error> {
        let (shape, values) = restore(&Stored::deserialize(d)?, 2)?;
        Array2::from_shape_vec((shape[0], shape[1]), values).map_err(Error::custom)
    }
}

/// For `Array1<f64>`.
pub(crate) mod vector {
    use ndarray::Array1;

    use super::{Deserialize, Deserializer, Serialize, Serializer, Stored, restore, store};

    /// Stores a vector.
    pub(crate) fn serialize<S: Serializer>(
        x: &Array1<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        store(x.shape(), x.iter()).serialize(serializer)
    }

    /// Reads a vector back.
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Array1<f64>, D::Error> {
        let (_, values) = restore(&Stored::deserialize(d)?, 1)?;
        Ok(Array1::from_vec(values))
    }
}

/// For `Option<Array1<f64>>`.
pub(crate) mod optional_vector {
    use ndarray::Array1;

    use super::{Deserialize, Deserializer, Serialize, Serializer, Stored, restore, store};

    /// Stores a vector that may be absent.
    pub(crate) fn serialize<S: Serializer>(
        x: &Option<Array1<f64>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        x.as_ref()
            .map(|x| store(x.shape(), x.iter()))
            .serialize(serializer)
    }

    /// Reads it back.
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        d: D,
    ) -> Result<Option<Array1<f64>>, D::Error> {
        match Option::<Stored>::deserialize(d)? {
            Some(stored) => Ok(Some(Array1::from_vec(restore(&stored, 1)?.1))),
            None => Ok(None),
        }
    }
}

/// For `Option<Array2<f64>>`.
pub(crate) mod optional_matrix {
    use ndarray::Array2;

    use super::{Deserialize, Deserializer, Error, Serialize, Serializer, Stored, restore, store};

    /// Stores a matrix that may be absent.
    pub(crate) fn serialize<S: Serializer>(
        x: &Option<Array2<f64>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        x.as_ref()
            .map(|x| store(x.shape(), x.iter()))
            .serialize(serializer)
    }

    /// Reads it back.
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        d: D,
    ) -> Result<Option<Array2<f64>>, D::Error> {
        let Some(stored) = Option::<Stored>::deserialize(d)? else {
            return Ok(None);
        };
        let (shape, values) = restore(&stored, 2)?;
        Array2::from_shape_vec((shape[0], shape[1]), values)
            .map(Some)
            .map_err(Error::custom)
    }
}

/// Features as they are stored.
#[derive(Serialize, Deserialize)]
enum StoredFeatures {
    F32(Stored),
    F64(Stored),
    SparseF32(StoredRows),
    SparseF64(StoredRows),
}

#[derive(Serialize, Deserialize)]
struct StoredRows {
    n_columns: u64,
    starts: Stored,
    columns: Stored,
    values: Stored,
}

fn store_rows<T: Number + num_traits::Float>(rows: &SparseRows<T>) -> StoredRows {
    let (starts, columns, values) = rows.parts();
    let starts: Vec<u64> = starts.iter().map(|&start| start as u64).collect();
    StoredRows {
        n_columns: rows.n_columns() as u64,
        starts: store(&[starts.len()], starts.iter()),
        columns: store(&[columns.len()], columns.iter()),
        values: store(&[values.len()], values.iter()),
    }
}

fn restore_rows<T, E>(stored: &StoredRows) -> Result<SparseRows<T>, E>
where
    T: Number + num_traits::Float,
    E: Error,
{
    let starts = restore::<u64, E>(&stored.starts, 1)?.1;
    let starts = starts.iter().map(|&start| start as usize).collect();
    let columns = restore(&stored.columns, 1)?.1;
    let values = restore(&stored.values, 1)?.1;
    SparseRows::new(stored.n_columns as usize, starts, columns, values).map_err(E::custom)
}

fn restore_table<T: Number, E: Error>(stored: &Stored) -> Result<Array2<T>, E> {
    let (shape, values) = restore(stored, 2)?;
    Array2::from_shape_vec((shape[0], shape[1]), values).map_err(E::custom)
}

impl Serialize for OwnedFeatures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::F32(x) => StoredFeatures::F32(store(x.shape(), x.iter())),
            Self::F64(x) => StoredFeatures::F64(store(x.shape(), x.iter())),
            Self::SparseF32(rows) => StoredFeatures::SparseF32(store_rows(rows)),
            Self::SparseF64(rows) => StoredFeatures::SparseF64(store_rows(rows)),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OwnedFeatures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match StoredFeatures::deserialize(deserializer)? {
            StoredFeatures::F32(stored) => Self::F32(restore_table(&stored)?),
            StoredFeatures::F64(stored) => Self::F64(restore_table(&stored)?),
            StoredFeatures::SparseF32(stored) => Self::SparseF32(restore_rows(&stored)?),
            StoredFeatures::SparseF64(stored) => Self::SparseF64(restore_rows(&stored)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, array};

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
        assert!(restore::<f64, rmp_serde::decode::Error>(&stored, 2).is_err());
    }

    #[test]
    fn features_keep_their_precision_and_their_zeros() {
        let rows = SparseRows::new(9, vec![0, 2, 2], vec![3, 8], vec![0.1_f32, -7.0]).unwrap();
        for features in [
            OwnedFeatures::F32(array![[0.1, f32::MAX], [-0.0, 1.0]]),
            OwnedFeatures::F64(array![[0.1], [f64::MIN_POSITIVE]]),
            OwnedFeatures::SparseF32(rows),
        ] {
            let bytes = rmp_serde::to_vec_named(&features).unwrap();
            let back: OwnedFeatures = rmp_serde::from_slice(&bytes).unwrap();
            assert_eq!(back, features);
        }
    }
}
