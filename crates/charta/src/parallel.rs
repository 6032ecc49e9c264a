//! Fixed blocks: work is cut by the size of the data, never by the number of threads, and partial
//! results come back in order. That is what makes the bits the same for any number of threads.

use std::ops::Range;
use std::sync::Mutex;

use ndarray::{Array2, ArrayViewMut1, Axis, concatenate};
use rayon::prelude::*;

use crate::error::Result;
use crate::run::Run;

/// The ranges `0..size`, `size..2 size`, … that cover `0..count`.
pub(crate) fn blocks(count: usize, size: usize) -> Vec<Range<usize>> {
    let size = size.max(1);
    (0..count)
        .step_by(size)
        .map(|start| start..(start + size).min(count))
        .collect()
}

/// Does `work` on each block of `0..count` in parallel; the results keep the blocks' order. Stops
/// early when the run is cancelled.
pub(crate) fn map_blocks<R: Send>(
    run: &Run<'_>,
    count: usize,
    size: usize,
    work: impl Fn(Range<usize>) -> R + Sync,
) -> Result<Vec<R>> {
    let size = size.max(1);
    try_filled(count.div_ceil(size), &|index| {
        run.check()?;
        let start = index * size;
        Ok(work(start..(start + size).min(count)))
    })
}

/// Hands each item and its number to `work`, in parallel.
pub(crate) fn for_each<I: Send>(
    items: impl IntoIterator<Item = I>,
    work: impl Fn(usize, I) + Sync,
) {
    let items = waiting(items);
    for_each_index(items.len(), &|index| work(index, taken(&items[index])));
}

/// The same for work that can fail; stops early when it does, or when the run is cancelled.
pub(crate) fn try_for_each<I: Send>(
    run: &Run<'_>,
    items: impl IntoIterator<Item = I>,
    work: impl Fn(usize, I) -> Result<()> + Sync,
) -> Result<()> {
    let items = waiting(items);
    try_for_each_index(items.len(), &|index| {
        run.check()?;
        work(index, taken(&items[index]))
    })
}

/// What `work` makes of each number below `count`, in order.
pub(crate) fn map<R: Send>(count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    filled(count, &work)
}

/// The same for work that can fail; stops early when it does, or when the run is cancelled.
pub(crate) fn try_map<R: Send>(
    run: &Run<'_>,
    count: usize,
    work: impl Fn(usize) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    try_filled(count, &|index| {
        run.check()?;
        work(index)
    })
}

// Every parallel loop that is written out with rayon's iterators compiles to thousands of lines. The
// two below are compiled once; what goes through them is called through a pointer, once an item.

fn for_each_index(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

fn try_for_each_index(count: usize, work: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
    (0..count).into_par_iter().try_for_each(work)
}

fn filled<R: Send>(count: usize, work: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let places = empty(count);
    for_each_index(count, &|index| put(&places[index], work(index)));
    places.into_iter().map(inner).collect()
}

fn try_filled<R: Send>(count: usize, work: &(dyn Fn(usize) -> Result<R> + Sync)) -> Result<Vec<R>> {
    let places = empty(count);
    try_for_each_index(count, &|index| {
        put(&places[index], work(index)?);
        Ok(())
    })?;
    Ok(places.into_iter().map(inner).collect())
}

/// Room for one value that one job writes or takes. Its lock is never waited for.
type Place<V> = Mutex<Option<V>>;

fn empty<V>(count: usize) -> Vec<Place<V>> {
    (0..count).map(|_| Mutex::new(None)).collect()
}

fn waiting<V>(items: impl IntoIterator<Item = V>) -> Vec<Place<V>> {
    let items = items.into_iter();
    items.map(|item| Mutex::new(Some(item))).collect()
}

fn put<V>(place: &Place<V>, value: V) {
    *place.lock().expect(NOT_HELD) = Some(value);
}

fn taken<V>(place: &Place<V>) -> V {
    place.lock().expect(NOT_HELD).take().expect(ONCE)
}

fn inner<V>(place: Place<V>) -> V {
    place.into_inner().expect(NOT_HELD).expect(ONCE)
}

const NOT_HELD: &str = "no job runs user code while it holds the lock";
const ONCE: &str = "each place belongs to one job, which ran";

/// A table of this shape, of which `write` writes one row after the other, blocks of `size` rows in parallel.
pub(crate) fn map_rows(
    run: &Run<'_>,
    shape: (usize, usize),
    size: usize,
    write: impl Fn(usize, ArrayViewMut1<'_, f64>) + Sync,
) -> Result<Array2<f64>> {
    let (n_rows, width) = shape;
    let written = map_blocks(run, n_rows, size, |rows| {
        let mut block = Array2::zeros((rows.len(), width));
        for (row, target) in rows.zip(block.rows_mut()) {
            write(row, target);
        }
        block
    })?;
    Ok(stack_rows(&written, width))
}

/// The rows of all blocks, one block below the other. `n_columns` is needed where there is no block.
pub(crate) fn stack_rows<'a>(
    blocks: impl IntoIterator<Item = &'a Array2<f64>>,
    n_columns: usize,
) -> Array2<f64> {
    let views: Vec<_> = blocks.into_iter().map(|block| block.view()).collect();
    if views.is_empty() {
        return Array2::zeros((0, n_columns));
    }
    concatenate(Axis(0), &views).expect("all blocks have the same columns")
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
