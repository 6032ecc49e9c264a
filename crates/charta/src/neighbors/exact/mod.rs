//! Exact nearest neighbours of dense rows (brute force by matrix products).
//!
//! The nearest of c to q has the highest score ⟨q, c⟩ − |c|²/2, a product that runs at the speed of a matrix
//! product; rows are compared less the columns' means, which keeps digits. The rows with the highest scores,
//! some more than are requested, are then measured directly, summed in double precision. Scores are rounded, so
//! it is checked for every row, with a bound of the rounding, that no row that was left out can be nearer;
//! the few rows where one could be, or could be as near with a lower index, are searched again with more candidates.
//! The result is therefore that of measuring all pairs. Of many rows that are the same only the first are
//! candidates then, so that they are no burden.
//!
//! Directions (cosine, correlation) are compared as rows of length 1; for the inner product the score is the
//! product. Whole numbers that fit into bytes are multiplied as such, exactly.

mod buffers;
mod duplicates;
mod join;
mod rows;
mod wholes;

#[cfg(test)]
mod tests;

use ndarray::ArrayView2;

use crate::data::Precision;
use crate::data::{Features, Neighbors};
use crate::error::Result;
use crate::linalg::inner_product_join::distance::Measure;
use crate::linalg::inner_product_join::{Panels, Score, Sum};
use crate::metric::Metric;
use crate::parallel::map_blocks;
use crate::run::Run;
use buffers::Buffers;
use duplicates::Duplicates;
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

/// The `count` nearest reference rows of each of `rows`, or without them of the reference rows, each without itself.
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

/// Bytes that an exact search for the neighbours of dense rows among themselves needs beside the rows and the table
/// that it leaves: candidates of all rows, and for every thread some packed rows.
pub(crate) fn memory(
    n_rows: usize,
    n_columns: usize,
    precision: Precision,
    count: usize,
    threads: usize,
) -> u64 {
    let (block, keep) = (block_rows(n_rows), candidates(count.min(n_rows)));
    let (candidates, packed) = match precision {
        Precision::Single => (
            Buffers::<f32>::bytes(keep),
            Panels::<f32>::bytes(block, n_columns.saturating_add(1)),
        ),
        Precision::Double => (
            Buffers::<f64>::bytes(keep),
            Panels::<f64>::bytes(block, n_columns.saturating_add(1)),
        ),
    };
    let of_rows = (n_rows as u64).saturating_mul(candidates as u64 + 64);
    of_rows.saturating_add((threads as u64).saturating_mul(packed as u64))
}

/// Candidates kept for this many neighbours.
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
        query: own,
        form,
        itself: rows.is_none(),
        count,
    };
    let lists = match form {
        Form::Euclidean => match Wholes::new(run, &its.table, &own.table)? {
            Some(wholes) => search.lists(&wholes)?,
            None => search.lists(&Reals::new(run, &its, own, form)?)?,
        },
        _ => search.lists(&Reals::new(run, &its, own, form)?)?,
    };
    let mut starts = vec![0];
    let total = lists.iter().map(Vec::len).sum();
    let (mut indices, mut distances) = (Vec::with_capacity(total), Vec::with_capacity(total));
    for list in lists {
        indices.extend(list.iter().map(|entry| entry.1));
        distances.extend(list.iter().map(|entry| entry.0));
        starts.push(indices.len());
    }
    let n_known = known.nrows();
    Ok(Some(Neighbors::from_lists(
        n_known, starts, indices, distances,
    )))
}

/// One search.
struct Exact<'a, 'r, T> {
    run: &'a Run<'r>,
    known: &'a Side<'a, T>,
    query: &'a Side<'a, T>,
    form: Form,
    itself: bool,
    count: usize,
}

/// Distances and indices, nearest first.
type List = Vec<(f64, u32)>;

impl<T: Measure> Exact<'_, '_, T> {
    /// The neighbours of every row.
    fn lists<R: Rows>(&self, rows: &R) -> Result<Vec<List>> {
        let (n_known, n_queries) = (self.known.table.nrows(), self.query.table.nrows());
        let mut keep = candidates(self.count).min(n_known);
        let all: Vec<u32> = (0..n_queries as u32).collect();
        let known: Vec<u32> = (0..n_known as u32).collect();
        if n_queries <= FEW {
            return self.measure_all(&all, &known);
        }
        let first = if self.itself {
            let buffers = join(self.run, rows, n_known, keep)?;
            self.settle(rows, &all, &buffers, block_rows(n_known), false)?
        } else {
            let buffers = look_up(self.run, rows, &known, &all, false, keep)?;
            self.settle(rows, &all, &buffers, look_up_rows(n_queries), true)?
        };
        let mut lists: Vec<List> = Vec::with_capacity(n_queries);
        let mut open = Vec::new();
        for (row, list) in first.into_iter().enumerate() {
            if list.is_none() {
                open.push(row as u32);
            }
            lists.push(list.unwrap_or_default());
        }
        if open.is_empty() {
            return Ok(lists);
        }
        let duplicates = Duplicates::of(self.run, self.known)?;
        let known = duplicates.possible(self.count);
        let mut open = self.settle_twins(&duplicates, open, &mut lists);
        drop(duplicates);
        while !open.is_empty() {
            keep = keep.saturating_mul(MORE);
            open = self.search_again(rows, &known, open, keep, &mut lists)?;
        }
        Ok(lists)
    }

    /// Settles rows that are the same as many others; the rows that are left.
    fn settle_twins(
        &self,
        duplicates: &Duplicates<'_, T>,
        mut open: Vec<u32>,
        lists: &mut [List],
    ) -> Vec<u32> {
        // The highest product of a row need not be with itself.
        if self.form != Form::Product {
            open.retain(|&row| {
                match duplicates.nearest(self.query, row as usize, self.itself, self.count) {
                    Some(list) => {
                        lists[row as usize] = list;
                        false
                    }
                    None => true,
                }
            });
        }
        open
    }

    /// Searches for the neighbours of some rows with `keep` candidates; the rows that are left.
    fn search_again<R: Rows>(
        &self,
        rows: &R,
        known: &[u32],
        open: Vec<u32>,
        keep: usize,
        lists: &mut [List],
    ) -> Result<Vec<u32>> {
        let mut still = Vec::new();
        // Where most rows are candidates, measuring them all is as fast.
        let direct = keep >= known.len() / 4;
        let part = (AGAIN / Buffers::<Sums<R>>::bytes(keep)).max(FEW);
        for part in open.chunks(part) {
            let found: Vec<Option<List>> = if direct {
                let all = self.measure_all(part, known)?;
                all.into_iter().map(Some).collect()
            } else {
                let buffers = look_up(self.run, rows, known, part, self.itself, keep)?;
                self.settle(rows, part, &buffers, look_up_rows(part.len()), true)?
            };
            for (&row, list) in part.iter().zip(found) {
                match list {
                    Some(list) => lists[row as usize] = list,
                    None => still.push(row),
                }
            }
        }
        Ok(still)
    }

    /// Measures the candidates of some rows; `None` for rows that could have others. Each buffer but the last has
    /// `size` rows. `in_order` if reference rows were looked at in the order of their indices.
    fn settle<R: Rows>(
        &self,
        rows: &R,
        query: &[u32],
        buffers: &[Buffers<Sums<R>>],
        size: usize,
        in_order: bool,
    ) -> Result<Vec<Option<List>>> {
        let parts = map_blocks(self.run, query.len(), BLOCK, |block| {
            let mut ruler = Ruler::new(self.known, self.query, self.form);
            let (mut lists, mut candidates) = (Vec::with_capacity(block.len()), Vec::new());
            for index in block {
                let (row, buffer) = (query[index] as usize, &buffers[index / size]);
                ruler.stand_at(row);
                let threshold = buffer.best(index % size, &mut candidates);
                let mut list: List = (candidates.iter())
                    .map(|&(_, place)| (ruler.distance(place as usize), place))
                    .collect();
                self.keep_nearest(&mut list);
                let complete = self.is_complete(rows, row, &list, threshold, in_order);
                lists.push(complete.then_some(list));
            }
            lists
        })?;
        Ok(parts.concat())
    }

    /// True if no row with a score of at most `threshold` can be nearer than those of the list, nor as near with a
    /// lower index.
    fn is_complete<R: Rows>(
        &self,
        rows: &R,
        row: usize,
        list: &List,
        threshold: Sums<R>,
        in_order: bool,
    ) -> bool {
        let enough = self
            .count
            .min(self.known.table.nrows() - usize::from(self.itself));
        let Some(&(last, _)) = list.last().filter(|_| list.len() == enough) else {
            return enough == 0;
        };
        if threshold == Sums::<R>::LEAST {
            return true;
        }
        let (score, doubt) = rows.score(row, last);
        let most = threshold.double() + doubt;
        // Of rows with the same score the first stay, if they come in order. Without doubt they are as near.
        most < score || (in_order && doubt == 0.0 && most == score)
    }

    /// Measures reference rows from each of some rows.
    fn measure_all(&self, query: &[u32], known: &[u32]) -> Result<Vec<List>> {
        let parts = map_blocks(self.run, query.len(), 1, |block| {
            let mut ruler = Ruler::new(self.known, self.query, self.form);
            let mut list = List::new();
            for &row in &query[block] {
                ruler.stand_at(row as usize);
                let others = known.iter().filter(|&&place| !self.itself || place != row);
                list = others
                    .map(|&place| (ruler.distance(place as usize), place))
                    .collect();
                self.keep_nearest(&mut list);
            }
            list
        })?;
        Ok(parts)
    }

    /// Cuts a list to those requested, in order.
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
