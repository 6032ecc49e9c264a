//! Fixed blocks: work is cut by the size of the data, never by the number of threads, and partial
//! results come back in order. That is what makes the bits the same for any number of threads.

use std::ops::Range;

use ndarray::{Array2, ArrayViewMut1, Axis, concatenate};
use rayon::prelude::*;

use crate::error::Result;
use crate::run::Run;

/// The ranges `0..size`, `size..2 size`, … that cover `0..count`.
pub fn blocks(count: usize, size: usize) -> Vec<Range<usize>> {
    let size = size.max(1);
    (0..count)
        .step_by(size)
        .map(|start| start..(start + size).min(count))
        .collect()
}

/// Does `work` on each block of `0..count` in parallel; the results keep the blocks' order. Stops
/// early when the run is cancelled.
pub fn map_blocks<R: Send>(
    run: &Run<'_>,
    count: usize,
    size: usize,
    work: impl Fn(Range<usize>) -> R + Sync,
) -> Result<Vec<R>> {
    blocks(count, size)
        .into_par_iter()
        .map(|block| {
            run.check()?;
            Ok(work(block))
        })
        .collect()
}

/// A table of so many rows and columns, of which `write` writes one row after the other, blocks of `size` rows in parallel.
pub fn map_rows(
    run: &Run<'_>,
    (n_rows, width): (usize, usize),
    size: usize,
    write: impl Fn(usize, ArrayViewMut1<'_, f64>) + Sync,
) -> Result<Array2<f64>> {
    let written = map_blocks(run, n_rows, size, |rows| {
        let mut block = Array2::zeros((rows.len(), width));
        for (row, target) in rows.zip(block.rows_mut()) {
            write(row, target);
        }
        block
    })?;
    let views: Vec<_> = written.iter().map(|block| block.view()).collect();
    let joined = concatenate(Axis(0), &views);
    Ok(joined.unwrap_or_else(|_| Array2::zeros((0, width))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_everything_once_in_order() {
        assert_eq!(blocks(5, 2), vec![0..2, 2..4, 4..5]);
        assert!(blocks(0, 2).is_empty());
        let run = Run::new();
        let sums = map_blocks(&run, 10, 3, Iterator::sum::<usize>).unwrap();
        assert_eq!(sums, vec![3, 12, 21, 9]);
    }

    #[test]
    fn rows_are_written_where_they_belong() {
        let run = Run::new();
        let squares = map_rows(&run, (7, 2), 3, |row, mut target| {
            target[0] = row as f64;
            target[1] = (row * row) as f64;
        });
        let squares = squares.unwrap();
        assert_eq!(squares.dim(), (7, 2));
        assert_eq!(squares[[5, 1]], 25.0);
        assert_eq!(map_rows(&run, (0, 2), 3, |_, _| ()).unwrap().dim(), (0, 2));
    }
}
