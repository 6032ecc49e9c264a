//! The rows that facts are measured on.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2, s};

use crate::data::columns::Columns;
use crate::data::{Data, Features, Labels, OwnedFeatures, Scaling};
use crate::error::Result;
use crate::random::{permutation, stream};

/// Rows that are looked at closely, at most.
pub const MOST_SAMPLED: usize = 1_000;
/// Values of these rows, at most.
const MOST_VALUES: usize = 1 << 24;
/// Fewest rows, however wide they are.
const FEWEST: usize = 100;

/// Some rows with their labels. Missing values are filled by the means of their columns, and columns scaled as recommended.
pub(super) struct Sampled {
    features: OwnedFeatures,
    pub(super) labels: Option<Labels<'static>>,
    pub(super) n_rows: usize,
}

impl Sampled {
    pub(super) fn of(
        data: &Data<'_>,
        features: &Features<'_>,
        columns: &Columns,
        scaling: Scaling,
    ) -> Result<Self> {
        let rows = indices(features.n_rows(), features.n_columns());
        let mut chosen = features.select_rows(&rows)?;
        if !features.is_sparse() {
            let view = chosen.view();
            let mut dense = view.dense_rows(0, view.n_rows());
            let deviations = columns.deviations(0.0);
            for (place, mut column) in dense.columns_mut().into_iter().enumerate() {
                let mean = columns.means[place];
                let factor = match (scaling, deviations[place]) {
                    (Scaling::ZScore, deviation) if deviation > 0.0 => deviation,
                    _ => 1.0,
                };
                column.mapv_inplace(|value| if value.is_nan() { mean } else { value });
                if scaling == Scaling::ZScore {
                    column.mapv_inplace(|value| (value - mean) / factor);
                }
            }
            chosen = OwnedFeatures::F64(dense);
        }
        let labels = data.labels().map(|labels| chosen_labels(labels, &rows));
        Ok(Self {
            features: chosen,
            labels,
            n_rows: rows.len(),
        })
    }

    pub(super) fn data(&self) -> Data<'_> {
        let data = Data::new(self.features.view());
        match &self.labels {
            Some(labels) => data
                .with_labels(labels.reborrow())
                .expect("there is a label for each row of the sample"),
            None => data,
        }
    }

    /// The rows as a matrix; none if they are sparse.
    pub(super) fn dense(&self) -> Option<ArrayView2<'_, f64>> {
        match &self.features {
            OwnedFeatures::F64(rows) => Some(rows.view()),
            _ => None,
        }
    }
}

/// Every second row, from the first or the second on.
pub(super) fn half(rows: &ArrayView2<'_, f64>, first: usize) -> Array2<f64> {
    rows.slice(s![first..;2, ..]).to_owned()
}

/// The same of a list.
pub(super) fn half_of<T: Clone>(values: &[T], first: usize) -> Vec<T> {
    values.iter().skip(first).step_by(2).cloned().collect()
}

fn indices(n_rows: usize, n_columns: usize) -> Vec<usize> {
    let most = (MOST_VALUES / n_columns.max(1)).clamp(FEWEST, MOST_SAMPLED);
    if n_rows <= most {
        return (0..n_rows).collect();
    }
    let mut rows = permutation(&mut stream(0, 0), n_rows);
    rows.truncate(most);
    rows.sort_unstable();
    rows
}

fn chosen_labels(labels: &Labels<'_>, rows: &[usize]) -> Labels<'static> {
    match labels {
        Labels::Classes { names, of_row } => Labels::Classes {
            names: Cow::Owned(names.to_vec()),
            of_row: rows.iter().map(|&row| of_row[row]).collect(),
        },
        Labels::Numbers(values) => Labels::Numbers(rows.iter().map(|&row| values[row]).collect()),
    }
}
