//! The candidate features of a selection: one or more columns each.

use std::collections::BTreeMap;

use ndarray::{Array2, ArrayView1, ArrayView2};
use rayon::prelude::*;

use crate::data::{Data, Features, SparseView};
use crate::error::{Error, Result, message};
use crate::linalg::Real;
use crate::parallel::blocks;

/// Rows that are transposed at a time.
const BLOCK: usize = 64;

/// The columns in their own precision, one on each line.
#[derive(Clone, Debug)]
pub(super) enum Columns {
    F32(Array2<f32>),
    F64(Array2<f64>),
}

/// Candidate features, with the values of their columns at the rows that have a label.
#[derive(Clone, Debug)]
pub(super) struct Candidates {
    columns: Columns,
    scale: f64,
    features: Vec<Vec<usize>>,
}

impl Candidates {
    /// Features made of columns of `data` at some rows.
    pub(super) fn new(data: &Features<'_>, rows: &[usize], features: Vec<Vec<usize>>) -> Self {
        let (columns, scale) = match data {
            Features::F32(x) => scaled(transposed(x, rows), Columns::F32),
            Features::F64(x) => scaled(transposed(x, rows), Columns::F64),
            Features::SparseF32(x) => scaled(dense(x, rows), Columns::F32),
            Features::SparseF64(x) => scaled(dense(x, rows), Columns::F64),
        };
        Self {
            columns,
            scale,
            features,
        }
    }

    /// The columns' values, all multiplied with [`scale`](Self::scale).
    pub(super) fn columns(&self) -> &Columns {
        &self.columns
    }

    /// A power of two that all values were multiplied with.
    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    pub(super) fn n_features(&self) -> usize {
        self.features.len()
    }

    /// The columns of a feature.
    pub(super) fn columns_of(&self, feature: usize) -> &[usize] {
        &self.features[feature]
    }

    pub(super) fn n_columns(&self) -> usize {
        match &self.columns {
            Columns::F32(x) => x.nrows(),
            Columns::F64(x) => x.nrows(),
        }
    }

    /// Values of a column at some rows, in double precision.
    pub(super) fn values(&self, column: usize, rows: &[usize]) -> Vec<f64> {
        match &self.columns {
            Columns::F32(x) => rows
                .iter()
                .map(|&row| f64::from(x[[column, row]]))
                .collect(),
            Columns::F64(x) => rows.iter().map(|&row| x[[column, row]]).collect(),
        }
    }
}

/// A copy of some rows with a column on each line.
fn transposed<T: Real>(x: &ArrayView2<'_, T>, rows: &[usize]) -> Array2<T> {
    let mut columns = Array2::from_elem((x.ncols(), rows.len()), T::of(0.0));
    let n_rows = rows.len().max(1);
    columns
        .as_slice_mut()
        .expect("a new array is in standard layout")
        .par_chunks_mut(BLOCK * n_rows)
        .enumerate()
        .for_each(|(block, lines)| {
            for part in blocks(rows.len(), BLOCK) {
                for index in part {
                    for (line, target) in lines.chunks_mut(n_rows).enumerate() {
                        target[index] = x[[rows[index], block * BLOCK + line]];
                    }
                }
            }
        });
    columns
}

/// A dense copy of some sparse rows, a column on each line.
fn dense<T: Real>(x: &SparseView<'_, T>, rows: &[usize]) -> Array2<T> {
    let mut columns = Array2::from_elem((x.n_columns(), rows.len()), T::of(0.0));
    for (index, &row) in rows.iter().enumerate() {
        for (column, value) in x.row(row) {
            let target = &mut columns[[column, index]];
            *target += value;
        }
    }
    columns
}

/// Multiplies with the power of two that brings the widest column to a range of about 1, if it is extreme: squares then
/// neither underflow nor overflow, and no digit changes.
fn scaled<T: Real>(mut columns: Array2<T>, wrap: fn(Array2<T>) -> Columns) -> (Columns, f64) {
    let width = |line: ArrayView1<'_, T>| {
        let values = || line.iter().map(|v| v.wide());
        let greatest = values().fold(f64::NEG_INFINITY, f64::max);
        let least = values().fold(f64::INFINITY, f64::min);
        // Half of the range, which does not overflow.
        greatest / 2.0 - least / 2.0
    };
    let widest = columns.rows().into_iter().map(width).fold(0.0, f64::max);
    let usual = (1e-9..=1e9).contains(&widest);
    if usual || widest <= 0.0 || !widest.is_finite() {
        return (wrap(columns), 1.0);
    }
    let exponent = -(widest.log2().round().clamp(-1000.0, 1000.0));
    let scale = exponent.exp2();
    columns.mapv_inplace(|value| T::of(value.wide() * scale));
    (wrap(columns), scale)
}

/// The columns of each feature, in the order of their first columns: by groups of the data, or by names.
pub(super) fn column_groups(
    data: &Data<'_>,
    n_columns: usize,
    separator: Option<&str>,
) -> Result<Vec<Vec<usize>>> {
    let keys: Vec<String> = match (data.column_groups(), separator, data.column_names()) {
        (Some(groups), _, _) => groups.iter().map(ToString::to_string).collect(),
        (None, None, _) => return Ok((0..n_columns).map(|column| vec![column]).collect()),
        (None, Some(separator), Some(names)) if !separator.is_empty() => {
            let indices = names.iter().enumerate();
            let key = |(index, name): (usize, &String)| match name.split_once(separator) {
                Some((stem, _)) => stem.to_string(),
                None => format!("{index}{separator}"),
            };
            indices.map(key).collect()
        }
        (None, Some(separator), names) => {
            let requirement = match names {
                None => message!("be none, because the {:columns} have no names"),
                Some(_) => message!("have at least one letter"),
            };
            return Err(Error::parameter("separator", requirement, separator));
        }
    };
    let mut indices: BTreeMap<String, usize> = BTreeMap::new();
    let mut features: Vec<Vec<usize>> = Vec::new();
    for (column, key) in keys.into_iter().enumerate() {
        let index = *indices.entry(key).or_insert(features.len());
        if index == features.len() {
            features.push(Vec::new());
        }
        features[index].push(column);
    }
    Ok(features)
}

/// The name of a feature: of its column, or of several columns their common prefix or all of them.
pub(super) fn feature_name(names: Option<&[String]>, columns: &[usize]) -> String {
    let name = |column: usize| match names {
        Some(names) => names[column].clone(),
        None => format!("column_{column}"),
    };
    let all: Vec<String> = columns.iter().map(|&column| name(column)).collect();
    match all.as_slice() {
        [one] => one.clone(),
        _ => match common_prefix(&all) {
            "" => all.join("+"),
            _ if names.is_none() => all.join("+"),
            stem => stem.into(),
        },
    }
}

/// The longest common prefix of all words, up to its last letter or digit.
fn common_prefix(words: &[String]) -> &str {
    let Some(first) = words.first() else {
        return "";
    };
    let mut end = first.len();
    for word in words {
        let same = first.char_indices().zip(word.chars());
        let same = same.take_while(|((_, a), b)| a == b);
        let last = same
            .last()
            .map_or(0, |((index, letter), _)| index + letter.len_utf8());
        end = end.min(last);
    }
    first[..end].trim_end_matches(|letter: char| !letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn columns_are_transposed_and_scaled_by_a_power_of_two() {
        let x = Array2::from_shape_fn((150, 70), |(i, j)| (i * 70 + j) as f64);
        let rows: Vec<usize> = (0..150).filter(|row| row % 7 != 3).collect();
        let candidates = Candidates::new(&Features::from(&x), &rows, Vec::new());
        let Columns::F64(columns) = candidates.columns() else {
            panic!("double precision expected");
        };
        assert_eq!(candidates.scale(), 1.0);
        assert_eq!(columns.dim(), (70, rows.len()));
        assert_eq!(columns[[69, 100]], x[[rows[100], 69]]);
        let huge = array![[1e200, 2.0], [3e200, 5.0]];
        let candidates = Candidates::new(&Features::from(&huge), &[0, 1], Vec::new());
        let values = candidates.values(0, &[0, 1]);
        assert!(values[1].abs() < 10.0 && values[0] / candidates.scale() == 1e200);
        let single = array![[1e-30_f32, 0.0], [3e-30, 5e-31]];
        let candidates = Candidates::new(&Features::from(&single), &[0, 1], Vec::new());
        assert!((candidates.values(0, &[1])[0].powi(2) as f32) > 1e-3);
    }

    #[test]
    fn sparse_rows_become_dense_columns() {
        let rows =
            crate::data::SparseRows::from_entries(2, 3, vec![(0, 1, 2.0), (1, 2, 3.0)]).unwrap();
        let candidates = Candidates::new(&Features::from(rows.view()), &[1, 0], Vec::new());
        assert_eq!(candidates.values(2, &[0, 1]), [3.0, 0.0]);
        assert_eq!(candidates.values(1, &[0, 1]), [0.0, 2.0]);
    }

    #[test]
    fn features_are_named_by_their_columns() {
        let names: Vec<String> = ["size", "colour=red", "colour=blue", "x"]
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(feature_name(Some(&names), &[0]), "size");
        assert_eq!(feature_name(Some(&names), &[1]), "colour=red");
        assert_eq!(feature_name(Some(&names), &[1, 2]), "colour");
        assert_eq!(feature_name(Some(&names), &[0, 3]), "size+x");
        assert_eq!(feature_name(None, &[3]), "column_3");
        assert_eq!(feature_name(None, &[3, 5]), "column_3+column_5");
    }
}
