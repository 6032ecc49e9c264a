//! Whole numbers that fit into bytes: their scores are exact, and four columns go at a time.

use std::ops::Range;

use super::rows::{BLOCK, Rows, Table, line};
use crate::error::Result;
use crate::linalg::Real;
use crate::linalg::inner_product_join::{Own, Quad};
use crate::linalg::wide::{self, Loop};
use crate::parallel::map_blocks;
use crate::run::Run;

/// Columns up to which scores of bytes stay below 2²⁹.
const MOST_COLUMNS: usize = 8192;

/// Rows of whole numbers, all of them from some lowest one to at most 255 more.
#[derive(Debug)]
pub(super) struct Wholes<'a, T> {
    known: Table<'a, T>,
    query: Table<'a, T>,
    lowest: T,
    /// Query rows are multiplied with it: with 2 if they still fit into bytes, so that halves of squares
    /// are whole.
    factor: i32,
}

impl<'a, T: Real> Wholes<'a, T> {
    /// `None` if there are other numbers, or the processor does not multiply bytes.
    pub(super) fn new(
        run: &Run<'_>,
        known: &Table<'a, T>,
        query: &Table<'a, T>,
    ) -> Result<Option<Self>> {
        if !Quad::is_fast() || known.ncols() > MOST_COLUMNS {
            return Ok(None);
        }
        let (Some(its), Some(own)) = (range(run, known)?, range(run, query)?) else {
            return Ok(None);
        };
        let (lowest, highest) = (its.0.min(own.0), its.1.max(own.1));
        Ok((highest - lowest <= 255.0).then_some(Self {
            known: *known,
            query: *query,
            lowest: T::of(lowest),
            factor: if highest - lowest <= 127.0 { 2 } else { 1 },
        }))
    }

    /// Writes a row as bytes, filled up with zeros to whole quads, and what it adds to its scores.
    fn bytes(&self, table: &Table<'_, T>, row: usize) -> (Vec<u8>, Own<i32>) {
        let mut space = Vec::new();
        let values = line(table, row, &mut space);
        let mut bytes = vec![0; 4 * self.n_columns()];
        let (sum, squares) = wide::run(Bytes {
            values,
            lowest: self.lowest,
            target: &mut bytes,
        });
        let start = -(self.factor * squares + 1).div_euclid(2);
        let turn = 128 * self.factor * sum + start;
        (bytes, Own { start, turn })
    }
}

/// Writes numbers as bytes, and adds up them and their squares.
struct Bytes<'a, T> {
    values: &'a [T],
    lowest: T,
    target: &'a mut [u8],
}

impl<T: Real> Loop for Bytes<'_, T> {
    type Output = (i32, i32);

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> (i32, i32) {
        for (to, &value) in self.target.iter_mut().zip(self.values) {
            *to = (value - self.lowest).wide() as i32 as u8;
        }
        let (mut sum, mut squares) = (0, 0);
        for &byte in self.target.iter() {
            sum += i32::from(byte);
            squares += i32::from(byte) * i32::from(byte);
        }
        (sum, squares)
    }
}

/// The lowest and highest number; `None` if one is not whole or is too large for one.
fn range<T: Real>(run: &Run<'_>, table: &Table<'_, T>) -> Result<Option<(f64, f64)>> {
    let look = |rows: Range<usize>| {
        let (mut low, mut high, mut whole) = (f64::INFINITY, f64::NEG_INFINITY, true);
        for row in rows {
            for value in table.row(row) {
                let value = value.wide();
                whole &= value == f64::from(value as i32);
                (low, high) = (low.min(value), high.max(value));
            }
        }
        whole.then_some((low, high))
    };
    if look(0..table.nrows().min(1)).is_none() {
        return Ok(None);
    }
    let parts = map_blocks(run, table.nrows(), BLOCK, look)?;
    let join = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
    let parts: Option<Vec<(f64, f64)>> = parts.into_iter().collect();
    Ok(parts.and_then(|parts| parts.into_iter().reduce(join)))
}

impl<T: Real> Rows for Wholes<'_, T> {
    type Number = Quad;

    fn n_columns(&self) -> usize {
        self.known.ncols().div_ceil(4)
    }

    fn known(&self, row: usize, target: &mut [Quad]) -> Own<i32> {
        let (bytes, own) = self.bytes(&self.known, row);
        for (to, &quad) in target.iter_mut().zip(bytes.as_chunks().0) {
            *to = Quad::known(quad);
        }
        own
    }

    fn query(&self, row: usize, target: &mut [Quad]) -> i32 {
        let (bytes, own) = self.bytes(&self.query, row);
        let factor = self.factor as u8;
        for (to, &quad) in target.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *to = Quad::query(quad.map(|byte| byte * factor));
        }
        own.turn
    }

    fn score(&self, row: usize, distance: f64) -> (f64, f64) {
        let (bytes, _) = self.bytes(&self.query, row);
        let sum: f64 = bytes.iter().copied().map(f64::from).sum();
        let squares: f64 = bytes.iter().map(|&byte| f64::from(byte).powi(2)).sum();
        let factor = f64::from(self.factor);
        let score = 0.5 * factor * (squares - (distance * distance).round());
        let doubt = if self.factor == 2 { 0.0 } else { 0.5 };
        (score - 128.0 * factor * sum, doubt)
    }
}
