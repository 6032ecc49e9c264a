//! Duplicate rows: of many equal ones, only the first can be neighbours of others.

use super::List;
use super::rows::{BLOCK, Side};
use crate::error::Result;
use crate::linalg::inner_product_join::distance::Measure;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Reference rows in groups of the same, as they are compared.
pub(super) struct Duplicates<'a, T> {
    known: &'a Side<'a, T>,
    /// A number that the same rows share, and the row; sorted.
    marks: Vec<(u64, u32)>,
}

impl<'a, T: Measure> Duplicates<'a, T> {
    pub(super) fn of(run: &Run<'_>, known: &'a Side<'a, T>) -> Result<Self> {
        let parts = map_blocks(run, known.table.nrows(), BLOCK, |rows| {
            let mut space = Vec::new();
            rows.map(|row| (mark(known, row, &mut space), row as u32))
                .collect::<Vec<_>>()
        })?;
        let mut marks = parts.concat();
        marks.sort_unstable();
        Ok(Self { known, marks })
    }

    /// The reference rows that can be among the `count` nearest of any row: of the same ones the first, one more than
    /// are requested for those that do not count themselves.
    pub(super) fn possible(&self, count: usize) -> Vec<u32> {
        let (mut first, mut own, mut other) = (Vec::new(), Vec::new(), Vec::new());
        for group in self.marks.chunk_by(|a, b| a.0 == b.0) {
            if group.len() <= count + 1 {
                first.extend(group.iter().map(|mark| mark.1));
                continue;
            }
            self.known.compared(group[0].1 as usize, &mut own);
            let mut same = 0;
            for &(_, row) in group {
                self.known.compared(row as usize, &mut other);
                let is_same = own == other;
                same += usize::from(is_same);
                if !is_same || same <= count + 1 {
                    first.push(row);
                }
            }
        }
        first.sort_unstable();
        first
    }

    /// The first `count` reference rows that are the same as a row, which is a reference row itself if `itself`; `None` if
    /// there are fewer.
    pub(super) fn nearest(
        &self,
        query: &Side<'_, T>,
        row: usize,
        itself: bool,
        count: usize,
    ) -> Option<List> {
        let (mut own, mut other) = (Vec::new(), Vec::new());
        let mark = mark(query, row, &mut own);
        let start = self.marks.partition_point(|known| known.0 < mark);
        let mut list = List::new();
        for &(its, index) in &self.marks[start..] {
            if its != mark || list.len() == count {
                break;
            }
            self.known.compared(index as usize, &mut other);
            if own == other && !(itself && index as usize == row) {
                list.push((0.0, index));
            }
        }
        (list.len() == count).then_some(list)
    }
}

/// A number that the same rows share; `space` is then the row as it is compared.
fn mark<T: Measure>(side: &Side<'_, T>, row: usize, space: &mut Vec<f64>) -> u64 {
    side.compared(row, space);
    space.iter().fold(0, |mark: u64, value| {
        // Adding zero makes one of the two zeros. An odd factor and a turn spread the bits.
        let bits = (value + 0.0).to_bits();
        (mark ^ bits)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29)
    })
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::super::rows::Form;
    use super::*;

    #[test]
    fn of_many_rows_that_are_the_same_the_first_can_be_neighbours() {
        let x = Array2::from_shape_fn((20, 2), |(i, j)| match (i % 4, j) {
            (3, _) => i as f64,
            (1, 0) => -0.0,
            _ => 0.0,
        });
        let run = Run::new();
        let side = Side::new(&run, x.view(), Form::Euclidean).unwrap().unwrap();
        let duplicates = Duplicates::of(&run, &side).unwrap();
        assert_eq!(duplicates.possible(2), [0, 1, 2, 3, 7, 11, 15, 19]);
        let nearest = |row, count| duplicates.nearest(&side, row, true, count);
        assert_eq!(nearest(1, 2), Some(vec![(0.0, 0), (0.0, 2)]));
        assert_eq!(nearest(16, 2), Some(vec![(0.0, 0), (0.0, 1)]));
        assert_eq!(nearest(3, 1), None);
        assert_eq!(nearest(0, 15), None);
    }
}
