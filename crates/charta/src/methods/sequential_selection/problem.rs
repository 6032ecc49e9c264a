//! The columns to choose among, what they are to predict, and how that is judged.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::data::{Features, SparseView};
use crate::error::{Error, Result};
use crate::linalg::Real;
use crate::message;
use crate::parallel::blocks;

use super::Measure;
use super::Split;
use super::Target;
use super::measure::{Truth, add_difference, add_scores, add_votes};

/// Rows that are turned round at a time.
const BLOCK: usize = 64;

/// The features with a column on each line, in their own precision, all multiplied with one power of two.
#[derive(Clone, Debug)]
pub enum Columns {
    /// Single precision.
    F32(Array2<f32>),
    /// Double precision.
    F64(Array2<f64>),
}

impl Columns {
    /// The columns of some rows.
    pub fn of(features: &Features<'_>, rows: &[usize]) -> (Self, f64) {
        match features {
            Features::F32(x) => scaled(turned(x, rows), Self::F32),
            Features::F64(x) => scaled(turned(x, rows), Self::F64),
            Features::SparseF32(x) => scaled(filled(x, rows), Self::F32),
            Features::SparseF64(x) => scaled(filled(x, rows), Self::F64),
        }
    }

    /// Columns and rows.
    pub fn dim(&self) -> (usize, usize) {
        match self {
            Self::F32(x) => x.dim(),
            Self::F64(x) => x.dim(),
        }
    }

    /// Values of a column at some rows, in double precision.
    pub fn values(&self, column: usize, rows: &[usize]) -> Vec<f64> {
        match self {
            Self::F32(x) => rows
                .iter()
                .map(|&row| f64::from(x[[column, row]]))
                .collect(),
            Self::F64(x) => rows.iter().map(|&row| x[[column, row]]).collect(),
        }
    }
}

/// Features at which one chooses, with all that their choice is judged by.
#[derive(Clone, Debug)]
pub struct Problem {
    columns: Columns,
    scale: f64,
    units: Vec<Vec<usize>>,
    target: Target,
    splits: Vec<Split>,
    measure: Measure,
    truths: Vec<Truth>,
}

impl Problem {
    /// The problem of choosing among `units`, each one or more columns of `features`; `rows` are those with a target.
    pub fn new(
        features: &Features<'_>,
        rows: &[usize],
        units: Vec<Vec<usize>>,
        (target, measure): (Target, Measure),
        splits: Vec<Split>,
    ) -> Result<Self> {
        let measure = measure.resolve(&target)?;
        super::splits::check(&splits, target.len())?;
        let (columns, scale) = Columns::of(features, rows);
        let truths = splits
            .iter()
            .map(|split| Truth::of(&target, &split.test))
            .collect();
        let problem = Self {
            columns,
            scale,
            units,
            target,
            splits,
            measure,
            truths,
        };
        problem.check_classes()?;
        Ok(problem)
    }

    /// Fails if a split leaves a single class to learn from.
    fn check_classes(&self) -> Result<()> {
        if self.target.n_classes() == 0 {
            return Ok(());
        }
        for (number, split) in self.splits.iter().enumerate() {
            let first = self.target.class(split.train[0]);
            if split
                .train
                .iter()
                .all(|&row| self.target.class(row) == first)
            {
                return Err(Error::degenerate(message!(
                    "split {number} leaves {:rows} of a single class to learn from: hold out fewer \
                     {:rows}, at random and by class"
                )));
            }
        }
        Ok(())
    }

    /// Number of features to choose among.
    pub fn n_units(&self) -> usize {
        self.units.len()
    }

    /// The columns of a feature.
    pub fn unit(&self, unit: usize) -> &[usize] {
        &self.units[unit]
    }

    /// The columns, one a line.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// What the columns' values were multiplied with.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// What is to be predicted.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Rows to learn from and rows held out.
    pub fn splits(&self) -> &[Split] {
        &self.splits
    }

    /// How predictions are judged.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// True if `value` is better than `other`. What is no number is never better.
    pub fn is_better(&self, value: f64, other: f64) -> bool {
        if self.measure.is_gain() {
            value > other || (!value.is_nan() && other.is_nan())
        } else {
            value < other || (!value.is_nan() && other.is_nan())
        }
    }

    /// Numbers that are summed over held-out rows.
    pub(super) fn width(&self) -> usize {
        self.truths[0].width(self.measure)
    }

    /// The measure of a split from what was summed over its held-out rows.
    pub(super) fn value(&self, split: usize, sums: &[f64]) -> f64 {
        self.truths[split].value(self.measure, sums)
    }

    /// Adds the worth of a guess by scores of the classes.
    pub(super) fn add_scores(&self, row: usize, scores: &[f64], sums: &mut [f64]) {
        add_scores(self.measure, self.target.class(row), scores, sums);
    }

    /// Adds the worth of votes for the classes.
    pub(super) fn add_votes(&self, row: usize, votes: (&[u32], usize), sums: &mut [f64]) {
        add_votes(self.measure, self.target.class(row), votes, sums);
    }

    /// Adds the worth of a guessed number that is off by so much.
    pub(super) fn add_difference(&self, difference: f64, sums: &mut [f64]) {
        add_difference(self.measure, difference, sums);
    }

    /// The measure without any feature: the classes' shares, or the mean of the numbers learned from.
    pub fn knowing_nothing(&self, split: usize) -> f64 {
        let Split { train, test } = &self.splits[split];
        let mut sums = vec![0.0; self.width()];
        match &self.target {
            Target::Classes { names, .. } => {
                let mut counts = vec![0.0_f64; names.len()];
                for &row in train {
                    counts[self.target.class(row)] += 1.0;
                }
                let scores: Vec<f64> = counts.iter().map(|count| count.ln()).collect();
                for &row in test {
                    self.add_scores(row, &scores, &mut sums);
                }
            }
            Target::Numbers(values) => {
                let mean = train.iter().map(|&row| values[row]).sum::<f64>() / train.len() as f64;
                for &row in test {
                    self.add_difference(values[row] - mean, &mut sums);
                }
            }
        }
        self.value(split, &sums)
    }
}

/// A copy of some rows with a column on each line.
fn turned<T: Real>(x: &ArrayView2<'_, T>, rows: &[usize]) -> Array2<T> {
    let mut columns = Array2::from_elem((x.ncols(), rows.len()), T::of(0.0));
    let n_rows = rows.len().max(1);
    if let Some(numbers) = columns.as_slice_mut() {
        numbers
            .par_chunks_mut(BLOCK * n_rows)
            .enumerate()
            .for_each(|(block, lines)| {
                for part in blocks(rows.len(), BLOCK) {
                    for place in part {
                        for (line, target) in lines.chunks_mut(n_rows).enumerate() {
                            target[place] = x[[rows[place], block * BLOCK + line]];
                        }
                    }
                }
            });
    }
    columns
}

/// A copy of some sparse rows with all zeros, a column on each line.
fn filled<T: Real>(x: &SparseView<'_, T>, rows: &[usize]) -> Array2<T> {
    let mut columns = Array2::from_elem((x.n_columns(), rows.len()), T::of(0.0));
    for (place, &row) in rows.iter().enumerate() {
        for (column, value) in x.row(row) {
            let target = &mut columns[[column, place]];
            *target += value;
        }
    }
    columns
}

/// Multiplies with the power of two that makes the widest column about 1 wide, so that squares neither vanish nor
/// overflow. Other digits do not change.
fn scaled<T: Real>(mut columns: Array2<T>, wrap: fn(Array2<T>) -> Columns) -> (Columns, f64) {
    let width = |line: ndarray::ArrayView1<'_, T>| {
        let ends = line
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| {
                (a.min(v.wide()), b.max(v.wide()))
            });
        // Halves, so that the difference of the largest numbers is still one.
        ends.1 / 2.0 - ends.0 / 2.0
    };
    let widest = columns.rows().into_iter().map(width).fold(0.0, f64::max);
    let usual = (1e-9..=1e9).contains(&widest);
    if usual || widest <= 0.0 || !widest.is_finite() {
        return (wrap(columns), 1.0);
    }
    let exponent = -(widest.log2().round().clamp(-1000.0, 1000.0));
    let scale = exponent.exp2();
    columns.mapv_inplace(|value| T::of(value.wide() * scale));
    (wrap(columns), scale)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn columns_are_turned_and_scaled_by_a_power_of_two() {
        let x = Array2::from_shape_fn((150, 70), |(i, j)| (i * 70 + j) as f64);
        let rows: Vec<usize> = (0..150).filter(|row| row % 7 != 3).collect();
        let (Columns::F64(columns), scale) = Columns::of(&Features::from(&x), &rows) else {
            panic!("double precision expected");
        };
        assert_eq!(scale, 1.0);
        assert_eq!(columns.dim(), (70, rows.len()));
        assert_eq!(columns[[69, 100]], x[[rows[100], 69]]);
        let huge = array![[1e200, 2.0], [3e200, 5.0]];
        let (columns, scale) = Columns::of(&Features::from(&huge), &[0, 1]);
        let back = columns.values(0, &[0, 1]);
        assert!(back[1].abs() < 10.0 && back[0] / scale == 1e200);
        let single = array![[1e-30_f32, 0.0], [3e-30, 5e-31]];
        let (columns, _) = Columns::of(&Features::from(&single), &[0, 1]);
        assert!((columns.values(0, &[1])[0].powi(2) as f32) > 1e-3);
    }

    #[test]
    fn sparse_rows_are_filled_up() {
        let rows =
            crate::data::SparseRows::from_entries(2, 3, vec![(0, 1, 2.0), (1, 2, 3.0)]).unwrap();
        let (columns, _) = Columns::of(&Features::from(rows.view()), &[1, 0]);
        assert_eq!(columns.values(2, &[0, 1]), [3.0, 0.0]);
        assert_eq!(columns.values(1, &[0, 1]), [0.0, 2.0]);
    }
}
