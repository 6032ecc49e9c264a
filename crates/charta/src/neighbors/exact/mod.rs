//! The exact neighbours of dense rows, by products.
//!
//! The nearest of c to q has the highest score ⟨q, c⟩ − |c|²/2, a product that runs at the speed of a matrix
//! product; rows are compared less the columns' means, which keeps digits. The rows with the highest scores,
//! some more than are wanted, are then measured directly, summed in double precision. Scores are rounded, so
//! it is checked for every row, with a bound of the rounding, that no row that was left out can be nearer;
//! the few rows where one could be are searched again with more candidates. The result is therefore that of
//! measuring all pairs, but for the choice among rows at the same distance.
//!
//! Directions (cosine, correlation) are compared as rows of length 1; for the inner product the score is the
//! product. Whole numbers that fit into bytes are multiplied as such, exactly.

mod buffers;
mod join;
mod rows;
mod wholes;

#[cfg(test)]
mod tests;

use ndarray::ArrayView2;

use crate::data::Precision;
use crate::data::{Features, Neighbors};
use crate::error::Result;
use crate::linalg::scores::distance::Measure;
use crate::linalg::scores::{Panels, Score, Sum};
use crate::metric::Metric;
use crate::parallel::map_blocks;
use crate::run::Run;
use buffers::Buffers;
use join::{block_rows, join, look_up, look_up_rows};
use rows::{Form, Reals, Rows, Ruler, Side, Sums};
use wholes::Wholes;

/// Rows up to which all are measured directly: packing would take longer.
const FEW: usize = 16;

/// Rows whose neighbours one job measures directly.
const BLOCK: usize = 64;

/// How many times as many candidates are kept when there were too few.
const MORE: usize = 8;

/// Bytes of candidates kept at once when rows are searched again.
const AGAIN: usize = 1 << 28;

/// True for features and metrics whose neighbours are found here.
pub(crate) fn takes(known: &Features<'_>, metric: Metric) -> bool {
    !known.is_sparse() && Form::of(metric).is_some()
}

/// The `count` nearest known rows of each of `rows`, or without them of the known rows, each without itself.
/// All are finite. `None` for another metric, for sparse rows or two precisions, and for numbers whose squares
/// leave the range of their precision.
pub(crate) fn find(
    run: &Run<'_>,
    known: &Features<'_>,
    rows: Option<&Features<'_>>,
    metric: Metric,
    count: usize,
) -> Result<Option<Neighbors>> {
    let Some(form) = Form::of(metric) else {
        return Ok(None);
    };
    match (known, rows) {
        (Features::F32(known), None) => nearest(run, known, None, form, count),
        (Features::F64(known), None) => nearest(run, known, None, form, count),
        (Features::F32(known), Some(Features::F32(rows))) => {
            nearest(run, known, Some(rows), form, count)
        }
        (Features::F64(known), Some(Features::F64(rows))) => {
            nearest(run, known, Some(rows), form, count)
        }
        _ => Ok(None),
    }
}

/// Bytes that an exact search for the neighbours of `n_rows` rows among dense `known` ones needs beside the rows
/// and the table that it leaves: candidates of all rows, and for every thread some packed rows.
pub fn memory(known: &Features<'_>, n_rows: usize, count: usize, threads: usize) -> u64 {
    let block = block_rows(usize::MAX);
    let keep = candidates(count);
    let (candidates, packed) = match known.precision() {
        Precision::Single => (
            Buffers::<f32>::bytes(keep),
            Panels::<f32>::bytes(block, known.n_columns() + 1),
        ),
        Precision::Double => (
            Buffers::<f64>::bytes(keep),
            Panels::<f64>::bytes(block, known.n_columns() + 1),
        ),
    };
    (n_rows * candidates + threads * packed + 32 * (n_rows + known.n_rows())) as u64
}

/// Candidates kept for so many neighbours.
fn candidates(count: usize) -> usize {
    count + count / 8 + 8
}

fn nearest<T: Measure + Score<Sum = T> + Sum>(
    run: &Run<'_>,
    known: &ArrayView2<'_, T>,
    rows: Option<&ArrayView2<'_, T>>,
    form: Form,
    count: usize,
) -> Result<Option<Neighbors>> {
    let Some(its) = Side::new(run, known.view(), form)? else {
        return Ok(None);
    };
    let other = match rows {
        Some(rows) => Some(Side::new(run, rows.view(), form)?),
        None => None,
    };
    let own = match &other {
        Some(Some(own)) => own,
        Some(None) => return Ok(None),
        None => &its,
    };
    let search = Exact {
        run,
        known: &its,
        asking: own,
        form,
        itself: rows.is_none(),
        count,
    };
    let lists = match form {
        Form::Straight => match Wholes::new(run, &its.table, &own.table)? {
            Some(wholes) => search.lists(&wholes)?,
            None => search.lists(&Reals::new(run, &its, own, form)?)?,
        },
        _ => search.lists(&Reals::new(run, &its, own, form)?)?,
    };
    let mut starts = vec![0];
    let total = lists.iter().map(Vec::len).sum();
    let (mut places, mut distances) = (Vec::with_capacity(total), Vec::with_capacity(total));
    for list in lists {
        places.extend(list.iter().map(|entry| entry.1));
        distances.extend(list.iter().map(|entry| entry.0));
        starts.push(places.len());
    }
    let n_known = known.nrows();
    Ok(Some(Neighbors::from_lists(
        n_known, starts, places, distances,
    )))
}

/// One search.
struct Exact<'a, 'r, T> {
    run: &'a Run<'r>,
    known: &'a Side<'a, T>,
    asking: &'a Side<'a, T>,
    form: Form,
    itself: bool,
    count: usize,
}

/// Distances and places, nearest first.
type List = Vec<(f64, u32)>;

impl<T: Measure> Exact<'_, '_, T> {
    /// The neighbours of every row.
    fn lists<R: Rows>(&self, rows: &R) -> Result<Vec<List>> {
        let (n_known, n_asking) = (self.known.table.nrows(), self.asking.table.nrows());
        let mut keep = candidates(self.count).min(n_known);
        let all: Vec<u32> = (0..n_asking as u32).collect();
        if n_asking <= FEW {
            return self.measure_all(&all);
        }
        let first = if self.itself {
            let buffers = join(self.run, rows, n_known, keep)?;
            self.settle(rows, &all, &buffers, block_rows(n_known))?
        } else {
            let buffers = look_up(self.run, rows, n_known, (&all, false), keep)?;
            self.settle(rows, &all, &buffers, look_up_rows(n_asking))?
        };
        let mut lists: Vec<List> = Vec::with_capacity(n_asking);
        let mut open = Vec::new();
        for (row, list) in first.into_iter().enumerate() {
            if list.is_none() {
                open.push(row as u32);
            }
            lists.push(list.unwrap_or_default());
        }
        while !open.is_empty() {
            keep = keep.saturating_mul(MORE);
            let mut still = Vec::new();
            // Where most rows are candidates, measuring them all is as fast.
            let direct = keep >= n_known / 4;
            let part = (AGAIN / Buffers::<Sums<R>>::bytes(keep)).max(FEW);
            for part in open.chunks(part) {
                let found: Vec<Option<List>> = if direct {
                    self.measure_all(part)?.into_iter().map(Some).collect()
                } else {
                    let buffers = look_up(self.run, rows, n_known, (part, self.itself), keep)?;
                    self.settle(rows, part, &buffers, look_up_rows(part.len()))?
                };
                for (&row, list) in part.iter().zip(found) {
                    match list {
                        Some(list) => lists[row as usize] = list,
                        None => still.push(row),
                    }
                }
            }
            open = still;
        }
        Ok(lists)
    }

    /// Measures the candidates of some rows; `None` for rows that could have nearer ones. Each buffer but the
    /// last has `size` rows.
    fn settle<R: Rows>(
        &self,
        rows: &R,
        asking: &[u32],
        buffers: &[Buffers<Sums<R>>],
        size: usize,
    ) -> Result<Vec<Option<List>>> {
        let parts = map_blocks(self.run, asking.len(), BLOCK, |block| {
            let mut ruler = Ruler::new(self.known, self.asking, self.form);
            let (mut lists, mut candidates) = (Vec::with_capacity(block.len()), Vec::new());
            for index in block {
                let (row, buffer) = (asking[index] as usize, &buffers[index / size]);
                ruler.stand_at(row);
                let threshold = buffer.best(index % size, &mut candidates);
                let mut list: List = (candidates.iter())
                    .map(|&(_, place)| (ruler.distance(place as usize), place))
                    .collect();
                self.keep_nearest(&mut list);
                lists.push(
                    self.is_complete(rows, row, &list, threshold)
                        .then_some(list),
                );
            }
            lists
        })?;
        Ok(parts.concat())
    }

    /// True if no row with a score of at most `threshold` can be nearer than those of the list.
    fn is_complete<R: Rows>(&self, rows: &R, row: usize, list: &List, threshold: Sums<R>) -> bool {
        let enough = self
            .count
            .min(self.known.table.nrows() - usize::from(self.itself));
        let Some(&(last, _)) = list.last().filter(|_| list.len() == enough) else {
            return enough == 0;
        };
        let nothing_nearer = last == 0.0 && self.form != Form::Product;
        let nothing_left = threshold == Sums::<R>::LEAST;
        if nothing_nearer || nothing_left {
            return true;
        }
        let (score, doubt) = rows.score(row, last);
        threshold.double() + doubt <= score
    }

    /// Measures all known rows from each of some rows.
    fn measure_all(&self, asking: &[u32]) -> Result<Vec<List>> {
        let parts = map_blocks(self.run, asking.len(), 1, |block| {
            let mut ruler = Ruler::new(self.known, self.asking, self.form);
            let mut list = List::new();
            for &row in &asking[block] {
                ruler.stand_at(row as usize);
                let others = (0..self.known.table.nrows())
                    .filter(|&place| !self.itself || place != row as usize);
                list = others
                    .map(|place| (ruler.distance(place), place as u32))
                    .collect();
                self.keep_nearest(&mut list);
            }
            list
        })?;
        Ok(parts)
    }

    /// Cuts a list to those wanted, in order.
    fn keep_nearest(&self, list: &mut List) {
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if self.count > 0 && self.count < list.len() {
            list.select_nth_unstable_by(self.count - 1, order);
        }
        list.truncate(self.count);
        list.shrink_to_fit();
        list.sort_unstable_by(order);
    }
}
