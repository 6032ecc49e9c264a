//! Distances by a function of two rows, one pair after the other.

use std::ops::Range;

use ndarray::Array2;

use super::Measure;
use crate::data::Features;
use crate::error::Result;

/// Rows of any kind, compared by a function that takes them in double precision.
pub(crate) struct Pairs<'a, F> {
    pub(crate) rows: Features<'a>,
    pub(crate) known: Features<'a>,
    /// The distance between two rows, or what is wrong with it.
    pub(crate) between: F,
}

impl<F: Fn(&[f64], &[f64]) -> Result<f64> + Sync> Measure for Pairs<'_, F> {
    type Queries = Array2<f64>;
    type Known = Array2<f64>;

    fn queries(&self, rows: Range<usize>) -> Array2<f64> {
        self.rows.dense_rows(rows.start, rows.end)
    }

    fn known(&self, rows: Range<usize>) -> Array2<f64> {
        self.known.dense_rows(rows.start, rows.end)
    }

    fn fill(&self, queries: &Array2<f64>, known: &Array2<f64>, target: &mut [f64]) -> Result<()> {
        let lines = target.chunks_exact_mut(known.nrows());
        for (query, line) in queries.rows().into_iter().zip(lines) {
            for (other, number) in known.rows().into_iter().zip(line) {
                if let (Some(query), Some(other)) = (query.as_slice(), other.as_slice()) {
                    *number = (self.between)(query, other)?;
                }
            }
        }
        Ok(())
    }

    fn distance(&self, number: f64) -> f64 {
        number
    }

    fn bound(&self, distance: f64) -> f64 {
        distance
    }
}
