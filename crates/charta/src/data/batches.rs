//! Data that arrives in batches of rows, for what is larger than memory.

use super::{Data, Features};
use crate::error::Result;

/// A source of batches. Each batch is a [`Data`] with the same columns.
pub trait Batches {
    /// Columns of every batch.
    fn n_columns(&self) -> usize;

    /// Rows in all, where known beforehand.
    fn n_rows(&self) -> Option<usize> {
        None
    }

    /// The columns' names, where known.
    fn column_names(&self) -> Option<&[String]> {
        None
    }

    /// The next batch; `None` at the end.
    fn next_batch(&mut self) -> Result<Option<Data<'_>>>;
}

/// Batches of this many rows cut from features in memory.
#[derive(Debug)]
pub struct RowBatches<'a> {
    features: Features<'a>,
    rows_per_batch: usize,
    next: usize,
}

impl<'a> RowBatches<'a> {
    /// Cuts `features` into batches of `rows_per_batch` rows; the last may be shorter.
    pub fn new(features: impl Into<Features<'a>>, rows_per_batch: usize) -> Self {
        Self {
            features: features.into(),
            rows_per_batch: rows_per_batch.max(1),
            next: 0,
        }
    }
}

impl Batches for RowBatches<'_> {
    fn n_columns(&self) -> usize {
        self.features.n_columns()
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.features.n_rows())
    }

    fn next_batch(&mut self) -> Result<Option<Data<'_>>> {
        let start = self.next;
        let end = (start + self.rows_per_batch).min(self.features.n_rows());
        if start >= end {
            return Ok(None);
        }
        self.next = end;
        Ok(Some(Data::new(self.features.rows(start, end))))
    }
}
