//! The rows that are compared, and the loop over them.

use ndarray::{Array2, ArrayView2};

use super::space::Space;
use crate::data::{Data, Features, Source};
use crate::error::{Error, Result, Rule, message};
use crate::neighbors::Search;
use crate::parallel::{blocks, try_map};
use crate::run::Run;

/// Distances that one job holds in one space, at most, unless a single row has more.
const HELD: usize = 1 << 24;
/// Rows of one job, at most.
const ROWS_PER_JOB: usize = 128;
/// Jobs between two reports of progress: also the most that run at once, which bounds the memory.
const WAVE: usize = 16;
/// Why a row is one slice.
const ROW_ORDER: &str = "new blocks are in row order";

/// An embedding and which of its rows have coordinates.
pub(super) struct Compared {
    /// The rows with coordinates.
    pub(super) rows: Vec<usize>,
    /// Their coordinates; rows without coordinates are as they were.
    pub(super) embedding: Array2<f64>,
}

impl Compared {
    /// Checks that the embedding belongs to the data.
    pub(super) fn new(data: &Data<'_>, embedding: &ArrayView2<'_, f64>) -> Result<Self> {
        if embedding.nrows() != data.n_rows() {
            return Err(Error::shape(
                message!("{:rows} of the embedding"),
                message!("{}, as {:data} has", data.n_rows()),
                embedding.nrows(),
            ));
        }
        if embedding.is_empty() {
            return Err(Error::Empty {
                rows: embedding.nrows(),
                columns: embedding.ncols(),
            });
        }
        if let Source::Features(features) = data.source()
            && features.n_columns() == 0
        {
            return Err(Error::Empty {
                rows: data.n_rows(),
                columns: 0,
            });
        }
        data.check_finite()?;
        let mut rows = Vec::with_capacity(embedding.nrows());
        for (row, point) in embedding.rows().into_iter().enumerate() {
            if point.iter().any(|value| value.is_infinite()) {
                return Err(Error::degenerate(message!(
                    "the coordinates of {row:row} in the embedding are infinite"
                )));
            }
            if point.iter().all(|value| value.is_finite()) {
                rows.push(row);
            }
        }
        Ok(Self {
            rows,
            embedding: embedding.as_standard_layout().into_owned(),
        })
    }

    /// The two spaces.
    pub(super) fn spaces<'a>(
        &'a self,
        run: &Run<'_>,
        data: &'a Data<'_>,
        search: &Search,
    ) -> Result<Spaces<'a>> {
        let map = Features::F64(self.embedding.view());
        Ok(Spaces {
            data: Space::new(run, data, search, &self.rows)?,
            embedding: Space::straight(run, map, &self.rows)?,
        })
    }
}

/// Fails unless trustworthiness is defined for this many neighbours.
pub(super) fn check_neighborhood(n_neighbors: usize, n_rows: usize) -> Result<()> {
    let most = n_rows.saturating_sub(1) / 2;
    if most == 0 {
        return Err(Error::too_few_rows(
            message!("comparing neighbourhoods"),
            3,
            n_rows,
        ));
    }
    if (1..=most).contains(&n_neighbors) {
        return Ok(());
    }
    Err(Error::parameter(
        "n_neighbors",
        Rule::Between {
            least: 1.into(),
            most: most.into(),
            because: Some(message!("it must be less than half of {n_rows:rows}").into()),
        },
        n_neighbors,
    ))
}

/// The data and its map.
pub(super) struct Spaces<'a> {
    pub(super) data: Space<'a>,
    pub(super) embedding: Space<'a>,
}

/// One row seen from both sides: how far all rows are from it, itself infinitely far.
pub(super) struct Row<'a> {
    /// Its index among the rows compared.
    pub(super) index: usize,
    /// Proximities in the data.
    pub(super) data: &'a [f64],
    /// Proximities in the embedding.
    pub(super) embedding: &'a [f64],
}

impl Spaces<'_> {
    /// Does `work` for each of the rows at `indices`, in parallel; the results keep their order.
    pub(super) fn each<R: Send>(
        &self,
        run: &Run<'_>,
        indices: &[usize],
        work: impl Fn(&Row<'_>) -> R + Sync,
    ) -> Result<Vec<R>> {
        self.each_with_counts(run, indices, &mut [], |row, _| work(row))
    }

    /// The same, where each row may also count in a list of its job; the lists are added to `counts`.
    pub(super) fn each_with_counts<R: Send>(
        &self,
        run: &Run<'_>,
        indices: &[usize],
        counts: &mut [u64],
        work: impl Fn(&Row<'_>, &mut [u32]) -> R + Sync,
    ) -> Result<Vec<R>> {
        let size = (HELD / self.data.len().max(1)).clamp(1, ROWS_PER_JOB);
        let jobs = blocks(indices.len(), size);
        let n_counts = counts.len();
        let mut results = Vec::with_capacity(indices.len());
        for wave in jobs.chunks(WAVE) {
            let parts: Vec<(Vec<R>, Vec<u32>)> = try_map(run, wave.len(), |job| {
                let mut counted = vec![0; n_counts];
                let indices = &indices[wave[job].clone()];
                let found = self.job(indices, |row| work(row, &mut counted))?;
                Ok((found, counted))
            })?;
            for (found, counted) in parts {
                results.extend(found);
                for (sum, count) in counts.iter_mut().zip(counted) {
                    *sum += u64::from(count);
                }
            }
            run.progress(results.len() as u64, indices.len() as u64)?;
        }
        Ok(results)
    }

    fn job<R>(&self, indices: &[usize], mut work: impl FnMut(&Row<'_>) -> R) -> Result<Vec<R>> {
        let data = self.data.proximities(indices)?;
        let embedding = self.embedding.proximities(indices)?;
        let lines = data.rows().into_iter().zip(embedding.rows());
        let found = indices
            .iter()
            .zip(lines)
            .map(|(&index, (data, embedding))| {
                work(&Row {
                    index,
                    data: data.to_slice().expect(ROW_ORDER),
                    embedding: embedding.to_slice().expect(ROW_ORDER),
                })
            })
            .collect();
        Ok(found)
    }
}
