//! Rows as bytes, four columns of which are multiplied at a time: approximate scores at a third of the cost.
//!
//! Every number becomes one of 256 steps, of the same size in all columns. What that changes in the order of candidates, the calibration
//! sees: a few more of them are measured exactly.

use ndarray::{ArrayView2, s};

use super::projection::{Projected, strided};
use crate::error::Result;
use crate::linalg::inner_product_join::{GROUP, Group, Own, Panels, Quad, Sum, scan};
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows from which the steps are found.
const SAMPLE: usize = 4096;
/// Rows whose cells one job finds.
const BLOCK: usize = 256;
/// Of this many rows of the sample, one may lie below all steps, and one above.
const BEYOND: usize = 2048;
/// Columns up to which scores stay below 2²⁴, and so are whole in single precision.
pub(super) const MOST_COLUMNS: usize = 480;
/// What a row adds to its scores at most: the same for these.
const MOST_ADDED: f64 = (1 << 22) as f64;
/// The middle of all bytes.
const MIDDLE: u8 = 128;

/// Which byte a number becomes.
#[derive(Debug)]
pub(super) struct Steps {
    /// What becomes the middle byte, for each column.
    middles: Vec<f32>,
    /// Bytes for a unit.
    scale: f32,
}

impl Steps {
    /// Steps that hold nearly all of a sample.
    pub(super) fn of(rows: &ArrayView2<'_, f32>) -> Self {
        let sample = strided(rows.nrows(), SAMPLE);
        let beyond = sample.len() / BEYOND;
        let (mut middles, mut widest) = (Vec::new(), 0.0_f32);
        for column in rows.columns() {
            let mut values: Vec<f32> = sample.iter().map(|&row| column[row]).collect();
            values.sort_unstable_by(f32::total_cmp);
            let (low, high) = (values[beyond], values[values.len() - 1 - beyond]);
            middles.push(low + (high - low) / 2.0);
            widest = widest.max(high - low);
        }
        let scale = if widest > 0.0 { 254.0 / widest } else { 1.0 };
        Self { middles, scale }
    }

    /// Quads of a row.
    pub(super) fn n_quads(&self) -> usize {
        self.middles.len().div_ceil(4)
    }

    /// The bytes of a row, filled up with the middle to whole quads.
    fn bytes(&self, row: &[f32]) -> Vec<u8> {
        let mut bytes = vec![MIDDLE; 4 * self.n_quads()];
        for ((to, value), middle) in bytes.iter_mut().zip(row).zip(&self.middles) {
            // Numbers beyond the steps become the last byte.
            *to = ((value - middle) * self.scale + (f32::from(MIDDLE) + 0.5)) as u8;
        }
        bytes
    }

    /// Writes a reference row, which adds `addition` to half its guessed squared distances. With the bytes q of the query
    /// and c of this row, both less 128, the score is ⟨q, c⟩ − |c|²/2 − addition.
    pub(super) fn known(&self, row: &[f32], addition: f32, target: &mut [Quad]) -> Own<i32> {
        let bytes = self.bytes(row);
        for (to, &quad) in target.iter_mut().zip(bytes.as_chunks().0) {
            *to = Quad::known(quad);
        }
        let own = bytes
            .iter()
            .map(|&byte| i32::from(byte) - i32::from(MIDDLE));
        let (mut sum, mut squares) = (0, 0);
        for number in own {
            sum += number;
            squares += number * number;
        }
        let added = f64::from(addition) * f64::from(self.scale).powi(2);
        // Bytes of queries are multiplied as they are, 128 more than meant.
        Own::even(-(i32::from(MIDDLE) * sum + squares / 2 + added.min(MOST_ADDED) as i32))
    }

    /// Query rows, one after the other.
    pub(super) fn query(&self, rows: &[f32]) -> Vec<Quad> {
        let rows = rows.chunks(self.middles.len().max(1));
        let quads = rows.map(|row| self.bytes(row).as_chunks().0.to_vec());
        quads.flatten().map(Quad::query).collect()
    }
}

/// The nearest centre of every row, by distances in bytes.
pub(super) fn homes(
    run: &Run<'_>,
    rows: &ArrayView2<'_, f32>,
    centres: &ArrayView2<'_, f32>,
) -> Result<Vec<u32>> {
    let steps = Steps::of(rows);
    let mut panels = Panels::new();
    panels.pack(centres.nrows(), steps.n_quads(), |cell, target| {
        steps.known(&centres.row(cell).to_vec(), 0.0, target)
    });
    let parts = map_blocks(run, rows.nrows(), BLOCK, |range| {
        let own = rows.slice(s![range.clone(), ..]);
        let own = steps.query(own.as_slice().expect("projected rows are in row order"));
        let mut homes = vec![0; range.len()];
        let mut group = Group::new();
        let query = own.chunks(GROUP * steps.n_quads());
        for (own, homes) in query.zip(homes.chunks_mut(GROUP)) {
            group.gather(steps.n_quads(), own.chunks(steps.n_quads()));
            let mut thresholds = [i32::LEAST; GROUP];
            let sink = |lane: usize, cell: usize, score: i32| {
                homes[lane] = cell as u32;
                score
            };
            let all = 0..panels.n_panels();
            scan(&panels, all, &group, &mut thresholds, sink);
        }
        homes
    })?;
    Ok(parts.into_iter().flatten().collect())
}

/// The addition and the row of an index, for [`Steps::known`].
pub(super) fn written(
    steps: &Steps,
    projected: &Projected,
    row: usize,
    to: &mut [Quad],
) -> Own<i32> {
    let values = projected.rows.row(row);
    let addition = projected.additions[row];
    match values.to_slice() {
        Some(values) => steps.known(values, addition, to),
        None => steps.known(&values.to_vec(), addition, to),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::random::{normal, stream};

    /// The scores of one row with all.
    fn scores(steps: &Steps, rows: &Array2<f32>, additions: &[f32]) -> Vec<i32> {
        let mut panels = Panels::new();
        panels.pack(rows.nrows(), steps.n_quads(), |row, target| {
            steps.known(&rows.row(row).to_vec(), additions[row], target)
        });
        let query = steps.query(&rows.row(0).to_vec());
        let mut group = Group::new();
        group.gather(steps.n_quads(), std::iter::once(query.as_slice()));
        let mut scores = vec![0; rows.nrows()];
        let mut thresholds = [i32::LEAST; GROUP];
        let sink = |_: usize, row: usize, score: i32| {
            scores[row] = score;
            i32::LEAST
        };
        let all = 0..panels.n_panels();
        scan(&panels, all, &group, &mut thresholds, sink);
        scores
    }

    #[test]
    fn scores_tell_distances_up_to_the_steps() {
        let mut draw = stream(1, 0);
        let rows = Array2::from_shape_fn((500, 9), |(_, j)| {
            (normal(&mut draw) + 10.0 * j as f64) as f32
        });
        let additions: Vec<f32> = (0..500).map(|row| (row % 7) as f32 / 3.0).collect();
        let steps = Steps::of(&rows.view());
        let scores = scores(&steps, &rows, &additions);
        let unit = f64::from(steps.scale).powi(2);
        for row in 1..500 {
            let pairs = rows.row(0).into_iter().zip(rows.row(row));
            let squared: f64 = pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum();
            let less = f64::from(scores[0] - scores[row]) / unit;
            let want = squared / 2.0 + f64::from(additions[row]) - f64::from(additions[0]);
            // Half a step for each row and column, across the distance, and rounded halves.
            let rounding = squared.sqrt() * 3.0 / f64::from(steps.scale) + 8.0 / unit;
            assert!((less - want).abs() < rounding, "{less} {want}");
        }
    }

    #[test]
    fn far_numbers_and_equal_ones_stay_within_bytes() {
        let mut rows = Array2::from_shape_fn((5000, 3), |(i, j)| (i % 50 + j) as f32);
        rows[[7, 1]] = 1e30;
        rows[[9, 1]] = -1e30;
        let steps = Steps::of(&rows.view());
        assert!(steps.scale > 4.0, "one row does not widen the steps");
        assert_eq!(steps.bytes(&[25.0, 1e30, -1e30])[1..], [255, 0, MIDDLE]);
        let equal = Steps::of(&Array2::from_elem((10, 3), 4.0).view());
        assert_eq!(equal.bytes(&[4.0; 3]), [MIDDLE; 4]);
    }
}
