//! The tables of a split that regressions start from: the scatter of the rows to learn from, and the held-out rows.

use ndarray::{Array2, Axis, s};
use rayon::prelude::*;

use crate::error::Result;
use crate::linalg::product::product;
use crate::parallel::blocks;
use crate::run::Run;

use super::Problem;
use super::Split;

/// Rows whose products are summed at a time.
const BLOCK: usize = 1024;

/// What is learned about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// One mean of all rows; the target's numbers are a further column, the last.
    All,
    /// A mean of each class.
    Classes,
}

/// The tables of one split. Columns are measured from a mean and multiplied with powers of two.
pub(super) struct Tables {
    /// Inner products of the rows to learn from, about their mean or the means of their classes.
    pub(super) scatter: Array2<f64>,
    /// The held-out rows, a column on each line.
    pub(super) held: Array2<f64>,
    /// The means of the classes in the same way; nothing but zeros for a single mean.
    pub(super) means: Array2<f64>,
    /// What each column was multiplied with.
    pub(super) factors: Vec<f64>,
}

/// One column, before it takes its place in the tables.
struct Line {
    /// From where it is measured.
    origin: f64,
    factor: f64,
    means: Vec<f64>,
    mean: f64,
}

impl Tables {
    pub(super) fn of(
        run: &Run<'_>,
        problem: &Problem,
        split: &Split,
        about: About,
    ) -> Result<Self> {
        let n_columns = problem.columns().dim().0;
        let (width, n_groups) = match about {
            About::All => (n_columns + 1, 1),
            About::Classes => (n_columns, problem.target().n_classes()),
        };
        let values = |column: usize, rows: &[usize]| {
            if column < n_columns {
                problem.columns().values(column, rows)
            } else {
                rows.iter()
                    .map(|&row| problem.target().number(row))
                    .collect()
            }
        };
        let group = |row: usize| match about {
            About::All => 0,
            About::Classes => problem.target().class(row),
        };
        let lines: Vec<Line> = (0..width)
            .into_par_iter()
            .map(|column| Line::of(&values(column, &split.train), &split.train, n_groups, group))
            .collect();
        let mut scatter = Array2::zeros((width, width));
        for rows in blocks(split.train.len(), BLOCK) {
            run.check()?;
            let rows = &split.train[rows];
            let block = table(&lines, rows.len(), |column, line| {
                let numbers = values(column, rows).into_iter().zip(rows);
                let centred = numbers.map(|(value, &row)| line.of_group(value, group(row)));
                centred.collect()
            });
            scatter += &product(&block.view(), &block.t());
        }
        let held = table(&lines, split.test.len(), |column, line| {
            let numbers = values(column, &split.test).into_iter();
            numbers.map(|value| line.centred(value)).collect()
        });
        let means = table(&lines, n_groups, |_, line| {
            line.means.iter().map(|mean| mean - line.mean).collect()
        });
        Ok(Self {
            scatter,
            held,
            means,
            factors: lines.iter().map(|line| line.factor).collect(),
        })
    }

    /// Held-out rows and means of the classes side by side.
    pub(super) fn held_and_means(&self) -> Array2<f64> {
        let (width, n_held) = self.held.dim();
        let mut both = Array2::zeros((width, n_held + self.means.ncols()));
        both.slice_mut(s![.., ..n_held]).assign(&self.held);
        both.slice_mut(s![.., n_held..]).assign(&self.means);
        both
    }
}

impl Line {
    fn of(values: &[f64], rows: &[usize], n_groups: usize, group: impl Fn(usize) -> usize) -> Self {
        let origin = values[0];
        let widest = values
            .iter()
            .fold(0.0_f64, |most, v| most.max((v - origin).abs()));
        let factor = if widest > 0.0 {
            (-widest.log2().round()).clamp(-1000.0, 1000.0).exp2()
        } else {
            1.0
        };
        let mut sums = vec![(0.0, 0.0_f64); n_groups];
        for (value, &row) in values.iter().zip(rows) {
            let (sum, count) = &mut sums[group(row)];
            *sum += (value - origin) * factor;
            *count += 1.0;
        }
        let total: f64 = sums.iter().map(|(sum, _)| sum).sum();
        Self {
            origin,
            factor,
            mean: total / values.len() as f64,
            means: sums
                .iter()
                .map(|(sum, count)| sum / count.max(1.0))
                .collect(),
        }
    }

    fn of_group(&self, value: f64, group: usize) -> f64 {
        (value - self.origin) * self.factor - self.means[group]
    }

    fn centred(&self, value: f64) -> f64 {
        (value - self.origin) * self.factor - self.mean
    }
}

fn table(
    lines: &[Line],
    width: usize,
    numbers: impl Fn(usize, &Line) -> Vec<f64> + Sync,
) -> Array2<f64> {
    let mut table = Array2::zeros((lines.len(), width));
    table
        .axis_iter_mut(Axis(0))
        .into_par_iter()
        .enumerate()
        .for_each(|(column, mut target)| {
            let numbers = numbers(column, &lines[column]);
            target
                .iter_mut()
                .zip(numbers)
                .for_each(|(to, from)| *to = from);
        });
    table
}
