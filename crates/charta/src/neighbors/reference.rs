//! Known rows, kept so that the nearest of them can be found for new rows.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::Search;
use crate::data::{Data, Features, Neighbors, Source, arrays};
use crate::error::{Error, Result};
use crate::parallel::map_blocks;
use crate::run::Run;

/// The rows a model was fitted on, as far as placing new rows needs them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    #[serde(with = "arrays::matrix")]
    rows: Array2<f64>,
    search: Search,
}

impl Reference {
    /// Keeps the rows of `data`, or nothing but their number if they are known by distances only.
    pub fn new(data: &Data<'_>, search: &Search) -> Result<Self> {
        let rows = match data.source() {
            Source::Features(features) => features.dense_rows(0, features.n_rows()),
            _ => Array2::zeros((data.n_rows(), 0)),
        };
        Ok(Self {
            rows,
            search: search.clone(),
        })
    }

    /// Number of rows known.
    pub fn n_rows(&self) -> usize {
        self.rows.nrows()
    }

    /// The known rows; `None` if they are known by distances only.
    pub fn features(&self) -> Option<Features<'_>> {
        (self.rows.ncols() > 0).then(|| Features::F64(self.rows.view()))
    }

    /// The `count` known rows nearest to each row of `data`: to its features, or by its distances to all
    /// known rows.
    pub fn nearest(&self, run: &Run<'_>, data: &Data<'_>, count: usize) -> Result<Neighbors> {
        let features = data.new_rows("neighbours", self.rows.ncols())?;
        data.check_finite()?;
        let count = count.min(self.n_rows());
        let parts = map_blocks(run, features.n_rows(), 64, |rows| {
            let mut own = vec![0.0; features.n_columns()];
            let mut lists = Vec::new();
            for row in rows {
                features.copy_row(row, &mut own);
                let mut list: Vec<(f64, u32)> = (self.rows.rows().into_iter().enumerate())
                    .map(|(place, known)| {
                        let known = known.to_vec();
                        let metric = self.search.metric;
                        (
                            metric.between(&own, &known, self.search.power),
                            place as u32,
                        )
                    })
                    .collect();
                list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                list.truncate(count);
                lists.push(list);
            }
            lists
        })?;
        let (mut starts, mut places, mut distances) = (vec![0], Vec::new(), Vec::new());
        for list in parts.into_iter().flatten() {
            places.extend(list.iter().map(|entry| entry.1));
            distances.extend(list.iter().map(|entry| entry.0));
            starts.push(places.len());
        }
        if places.is_empty() {
            return Err(Error::Empty {
                rows: 0,
                columns: 0,
            });
        }
        Ok(Neighbors::from_lists(
            self.n_rows(),
            starts,
            places,
            distances,
        ))
    }
}
