//! The sum of small matrices, one for each neighbourhood, as one large sparse matrix.

use super::{Patch, Points};
use crate::error::{Error, Result};
use crate::graph::Lists;
use crate::linalg::symmetric_sparse::SparseSymmetric;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Neighbourhoods that one job looks at.
const BLOCK: usize = 256;

/// Neighbourhoods, and whether a row belongs to its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alignment<'a> {
    /// The rows.
    pub points: &'a Points<'a>,
    /// Their neighbours.
    pub lists: &'a Lists,
    /// Whether a row comes after its neighbours in its own small matrix.
    pub with_row: bool,
}

impl Alignment<'_> {
    /// Looks at every neighbourhood; the results keep the rows' order.
    pub(crate) fn map<R: Send>(
        &self,
        run: &Run<'_>,
        work: impl Fn(usize, &mut Patch) -> R + Sync,
    ) -> Result<Vec<R>> {
        let parts = map_blocks(run, self.lists.neighbors.n_rows(), BLOCK, |rows| {
            let mut patch = Patch::default();
            rows.map(|row| {
                self.look(row, &mut patch)?;
                Ok(work(row, &mut patch))
            })
            .collect::<Result<Vec<R>>>()
        })?;
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(parts.into_iter().flatten().collect())
    }

    fn look(&self, row: usize, patch: &mut Patch) -> Result<()> {
        let places = self.lists.neighbors.row(row).0;
        let places = places
            .iter()
            .map(|&index| self.lists.row_of(index as usize));
        patch.look(self.points, self.lists.row_of(row), places)
    }

    /// The sum of the small matrices, of which `fill` writes the lower triangle row after row.
    pub(crate) fn sum(
        &self,
        run: &Run<'_>,
        fill: impl Fn(usize, &mut Patch, &mut [f64]) + Sync,
    ) -> Result<SparseSymmetric> {
        let neighbors = &self.lists.neighbors;
        let n = neighbors.n_rows();
        let own = usize::from(self.with_row);
        let mut starts = Vec::with_capacity(n + 1);
        starts.push(0);
        for row in 0..n {
            let size = neighbors.row(row).0.len() + own;
            starts.push(starts[row] + size * (size + 1) / 2);
        }
        let parts = map_blocks(run, n, BLOCK, |rows| {
            let mut patch = Patch::default();
            let first = starts[rows.start];
            let mut blocks = vec![0.0; starts[rows.end] - first];
            for row in rows {
                self.look(row, &mut patch)?;
                fill(
                    row,
                    &mut patch,
                    &mut blocks[starts[row] - first..starts[row + 1] - first],
                );
            }
            Ok(blocks)
        })?;
        let parts = parts.into_iter().collect::<Result<Vec<Vec<f64>>>>()?;
        if parts.iter().flatten().any(|value| !value.is_finite()) {
            return Err(Error::too_large());
        }
        let members = Members::of(self);
        SparseSymmetric::from_rows(run, n, |row, list| {
            for &(patch, index) in members.of_row(row) {
                let (patch, index) = (patch as usize, index as usize);
                let offset = starts[patch] - starts[patch / BLOCK * BLOCK];
                let block = &parts[patch / BLOCK][offset..];
                let places = neighbors.row(patch).0;
                let others = places
                    .iter()
                    .copied()
                    .chain(self.with_row.then_some(patch as u32));
                for (other, column) in others.enumerate() {
                    let (below, left) = (index.max(other), index.min(other));
                    list.push((column, block[below * (below + 1) / 2 + left]));
                }
            }
        })
    }
}

/// For every row, the neighbourhoods it belongs to, in order, and its index there.
struct Members {
    starts: Vec<usize>,
    entries: Vec<(u32, u32)>,
}

impl Members {
    fn of(alignment: &Alignment<'_>) -> Self {
        let neighbors = &alignment.lists.neighbors;
        let n = neighbors.n_rows();
        let own = usize::from(alignment.with_row);
        let mut starts = vec![own; n + 1];
        starts[0] = 0;
        for &index in neighbors.indices() {
            starts[index as usize + 1] += 1;
        }
        for row in 0..n {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0); starts[n]];
        for patch in 0..n {
            let places = neighbors.row(patch).0;
            let own = alignment.with_row.then_some(patch as u32);
            for (index, row) in places.iter().copied().chain(own).enumerate() {
                let target = &mut next[row as usize];
                entries[*target] = (patch as u32, index as u32);
                *target += 1;
            }
        }
        Self { starts, entries }
    }

    fn of_row(&self, row: usize) -> &[(u32, u32)] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }
}
