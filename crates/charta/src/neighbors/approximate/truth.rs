//! The true neighbours of a few rows, by which the search is calibrated and validated.

use crate::data::Features;
use crate::error::Result;
use crate::metric::Metric;
use crate::neighbors::exact;
use crate::run::Run;

/// How far two ways of measuring the same distance may differ, as a fraction of it.
const ROUNDING: f64 = 1e-5;

/// How far the true neighbours of some rows are.
#[derive(Debug, Default)]
pub(super) struct Truth {
    pub(super) rows: Vec<u32>,
    /// The distance of the farthest of the true neighbours.
    pub(super) farthest: Vec<f64>,
    /// True neighbours of a row.
    pub(super) count: usize,
}

impl Truth {
    /// Measures some rows; `None` if no exact search takes them.
    pub(super) fn of(
        run: &Run<'_>,
        features: &Features<'_>,
        metric: Metric,
        rows: &[usize],
        count: usize,
    ) -> Result<Option<Self>> {
        let query = features.select_rows(rows)?;
        // Each finds itself as well, or one that is as near.
        let found = exact::find(run, features, Some(&query.view()), metric, count + 1)?;
        let Some(found) = found.filter(|found| found.fewest() > count) else {
            return Ok(None);
        };
        let mut truth = Self {
            count,
            ..Self::default()
        };
        for (index, &row) in rows.iter().enumerate() {
            let (indices, distances) = found.row(index);
            let itself = indices.iter().position(|&other| other as usize == row);
            let last = if itself == Some(count) {
                count - 1
            } else {
                count
            };
            truth.rows.push(row as u32);
            truth.farthest.push(distances[last]);
        }
        Ok(Some(truth))
    }

    /// Every other row, and those between.
    pub(super) fn split(self) -> (Self, Self) {
        let mut parts = [(); 2].map(|()| Self {
            count: self.count,
            ..Self::default()
        });
        for (index, (row, farthest)) in self.rows.into_iter().zip(self.farthest).enumerate() {
            parts[index % 2].rows.push(row);
            parts[index % 2].farthest.push(farthest);
        }
        let [first, second] = parts;
        (first, second)
    }

    /// True if a row at this distance is as near as the true neighbours of the row at an index.
    pub(super) fn holds(&self, index: usize, distance: f64) -> bool {
        distance <= self.farthest[index] * (1.0 + ROUNDING)
    }
}
