//! Fixed blocks: work is cut by the size of the data, never by the number of threads, and partial
//! results come back in order. That is what makes the bits the same for any number of threads.

use std::ops::Range;

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
}
