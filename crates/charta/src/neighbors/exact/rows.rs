//! Rows as the scores take them, and how they are measured in the end.

use ndarray::ArrayView2;

use crate::error::Result;
use crate::linalg::Real;
use crate::linalg::inner_product_join::distance::Measure;
use crate::linalg::inner_product_join::{Own, Score, Sum};
use crate::metric::Metric;
use crate::parallel::map_blocks;
use crate::run::Run;

/// Rows that one job looks at.
pub(super) const BLOCK: usize = 256;

/// A table of numbers whose rows are compared.
pub(super) type Table<'a, T> = ArrayView2<'a, T>;

/// What a score stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The distance between rows.
    Euclidean,
    /// Half the squared distance between rows of length 1, less their means first if `centred`.
    Direction { centred: bool },
    /// Less the product.
    Product,
}

impl Form {
    pub(super) fn of(metric: Metric) -> Option<Self> {
        Some(match metric {
            Metric::Euclidean => Self::Euclidean,
            Metric::Cosine => Self::Direction { centred: false },
            Metric::Correlation => Self::Direction { centred: true },
            Metric::InnerProduct => Self::Product,
            _ => return None,
        })
    }
}

/// One side of a search: rows, and what makes them directions.
#[derive(Debug)]
pub(super) struct Side<'a, T> {
    pub(super) table: Table<'a, T>,
    /// What is subtracted from a row and what it is multiplied with then; empty unless directions are
    /// compared. A row without direction is multiplied with 0.
    scales: Vec<(f64, f64)>,
}

impl<'a, T: Measure> Side<'a, T> {
    /// `None` if squares of the numbers would leave the range.
    pub(super) fn new(run: &Run<'_>, table: Table<'a, T>, form: Form) -> Result<Option<Self>> {
        let most = T::max_value().wide().powf(0.45);
        let parts = map_blocks(run, table.nrows(), BLOCK, |rows| {
            let (mut space, mut largest) = (Vec::new(), 0.0_f64);
            let mut scales = Vec::new();
            for row in rows {
                let row = line(&table, row, &mut space);
                largest = row.iter().fold(largest, |most, v| most.max(v.wide().abs()));
                if let Form::Direction { centred } = form {
                    scales.push(scale(row, centred));
                }
            }
            (largest, scales)
        })?;
        let largest = parts.iter().fold(0.0_f64, |most, part| most.max(part.0));
        let scales: Vec<_> = parts.into_iter().flat_map(|part| part.1).collect();
        let fits = largest == 0.0 || (largest < most && largest > 1.0 / most);
        let proper = scales.iter().all(|scale| scale.1.is_finite());
        Ok((fits && proper).then_some(Self { table, scales }))
    }

    /// A row in double precision, as it is compared.
    fn direction(&self, row: usize, target: &mut Vec<f64>) {
        let (mean, factor) = self.scales[row];
        target.clear();
        target.extend((self.table.row(row).iter()).map(|value| (value.wide() - mean) * factor));
        // Rows without direction are at right angles to all others.
        target.push(if factor == 0.0 { 1.0 } else { 0.0 });
    }

    /// Writes a row in double precision as it is compared: a direction, or as it is.
    pub(super) fn compared(&self, row: usize, target: &mut Vec<f64>) {
        if !self.scales.is_empty() {
            return self.direction(row, target);
        }
        target.clear();
        target.extend(self.table.row(row).iter().map(|value| value.wide()));
    }
}

/// A row in one piece.
pub(super) fn line<'a, T: Copy>(
    table: &'a Table<'_, T>,
    row: usize,
    space: &'a mut Vec<T>,
) -> &'a [T] {
    match table.row(row).to_slice() {
        Some(row) => row,
        None => {
            space.clear();
            space.extend(table.row(row).iter());
            space
        }
    }
}

/// What makes a row a direction; a factor that is not finite if its squares leave the range.
fn scale<T: Real>(row: &[T], centred: bool) -> (f64, f64) {
    let first = row.first().map_or(0.0, |value| value.wide());
    let flat = if centred { first } else { 0.0 };
    if row.iter().all(|value| value.wide() == flat) {
        return (flat, 0.0);
    }
    let count = row.len() as f64;
    let sum: f64 = row.iter().map(|value| value.wide() - flat).sum();
    let mean = if centred { flat + sum / count } else { 0.0 };
    let squares: f64 = row.iter().map(|value| (value.wide() - mean).powi(2)).sum();
    (mean, 1.0 / squares.sqrt())
}

/// Rows packed for scores.
pub(super) trait Rows: Sync {
    /// What is packed.
    type Number: Score;

    /// Columns that are packed.
    fn n_columns(&self) -> usize;

    /// Writes a reference row.
    fn known(&self, row: usize, target: &mut [Self::Number]) -> Own<Sums<Self>>;

    /// Writes a query row. The answer is what it adds to its products when reference rows are joined with
    /// themselves.
    fn query(&self, row: usize, target: &mut [Self::Number]) -> Sums<Self>;

    /// The score that a distance stands for, and by how much scores near it may be wrong.
    fn score(&self, row: usize, distance: f64) -> (f64, f64);
}

/// What the scores of rows are counted in.
pub(super) type Sums<R> = <<R as Rows>::Number as Score>::Sum;

/// Rows in their own precision, less the columns' means.
#[derive(Debug)]
pub(super) struct Reals<'a, T> {
    known: &'a Side<'a, T>,
    query: &'a Side<'a, T>,
    form: Form,
    means: Vec<T>,
    /// What the reference rows' scores start at.
    starts: Vec<T>,
    longest: f64,
}

impl<'a, T: Measure + Score<Sum = T> + Sum> Reals<'a, T> {
    pub(super) fn new(
        run: &Run<'_>,
        known: &'a Side<'a, T>,
        query: &'a Side<'a, T>,
        form: Form,
    ) -> Result<Self> {
        let means = if form == Form::Product {
            vec![0.0; known.table.ncols()]
        } else {
            means(run, known)?
        };
        let means = means.into_iter().map(T::of).collect();
        let (starts, longest) = (Vec::new(), 0.0);
        let mut rows = Self {
            known,
            query,
            form,
            means,
            starts,
            longest,
        };
        let n_rows = known.table.nrows();
        let squares = map_blocks(run, n_rows, BLOCK, |block| {
            block
                .map(|row| rows.square(known, row))
                .collect::<Vec<f64>>()
        })?
        .concat();
        rows.longest = squares
            .iter()
            .fold(0.0_f64, |most, &square| most.max(square))
            .sqrt();
        let start = |&square: &f64| {
            T::of(if form == Form::Product {
                0.0
            } else {
                -0.5 * square
            })
        };
        rows.starts = squares.iter().map(start).collect();
        Ok(rows)
    }

    fn square(&self, side: &Side<'_, T>, row: usize) -> f64 {
        let mut own = vec![T::of(0.0); self.means.len()];
        self.write(side, row, &mut own);
        T::product_wide(&own, &own)
    }

    fn write(&self, side: &Side<'_, T>, row: usize, target: &mut [T]) {
        let Some(&(mean, factor)) = side.scales.get(row) else {
            let mut space = Vec::new();
            let values = line(&side.table, row, &mut space);
            for (to, (&value, &mean)) in target.iter_mut().zip(values.iter().zip(&self.means)) {
                *to = value - mean;
            }
            return;
        };
        let apart = if factor == 0.0 {
            T::of(1.0)
        } else {
            T::of(0.0)
        };
        let values = side.table.row(row);
        let directions = values
            .iter()
            .map(|value| T::of((value.wide() - mean) * factor));
        let directions = directions.chain([apart]);
        for (to, (value, &mean)) in target.iter_mut().zip(directions.zip(&self.means)) {
            *to = value - mean;
        }
    }
}

/// The columns' means, with that of the last column of directions.
fn means<T: Measure>(run: &Run<'_>, side: &Side<'_, T>) -> Result<Vec<f64>> {
    let n_columns = side.table.ncols() + usize::from(!side.scales.is_empty());
    let parts = map_blocks(run, side.table.nrows(), BLOCK, |rows| {
        let (mut sums, mut space) = (vec![0.0; n_columns], Vec::new());
        for row in rows {
            if side.scales.is_empty() {
                for (sum, value) in sums.iter_mut().zip(side.table.row(row)) {
                    *sum += value.wide();
                }
            } else {
                side.direction(row, &mut space);
                for (sum, value) in sums.iter_mut().zip(&space) {
                    *sum += value;
                }
            }
        }
        sums
    })?;
    let mut means = vec![0.0; n_columns];
    for part in parts {
        for (mean, sum) in means.iter_mut().zip(part) {
            *mean += sum / side.table.nrows() as f64;
        }
    }
    Ok(means)
}

impl<T: Measure + Score<Sum = T> + Sum> Rows for Reals<'_, T> {
    type Number = T;

    fn n_columns(&self) -> usize {
        self.means.len()
    }

    fn known(&self, row: usize, target: &mut [T]) -> Own<T> {
        self.write(self.known, row, target);
        Own::even(self.starts[row])
    }

    fn query(&self, row: usize, target: &mut [T]) -> T {
        self.write(self.query, row, target);
        self.starts.get(row).copied().unwrap_or(T::LEAST)
    }

    fn score(&self, row: usize, distance: f64) -> (f64, f64) {
        let square = self.square(self.query, row);
        let own = square.sqrt();
        let (score, other) = match self.form {
            Form::Product => (-distance, self.longest),
            Form::Euclidean => (0.5 * (square - distance * distance), own + distance),
            Form::Direction { .. } => {
                let apart = (2.0 * distance).max(0.0).sqrt();
                (0.5 * square - distance, own + apart)
            }
        };
        // Rows longer than `other` are farther away than the distance. Each of the others has a chain of
        // products, each rounded once, of numbers that were rounded once or twice.
        let rounding = 0.5 * Real::wide(T::epsilon()) * (self.n_columns() + 12) as f64;
        let tiny = Real::wide(T::min_positive_value()) * self.n_columns() as f64;
        let doubt = rounding * (own * other + 0.5 * other * other + 0.5 * square) + tiny;
        (score, doubt)
    }
}

/// Measures reference rows from a query row.
#[derive(Debug)]
pub(super) struct Ruler<'a, T> {
    known: &'a Side<'a, T>,
    query: &'a Side<'a, T>,
    form: Form,
    own: Vec<T>,
    direction: Vec<f64>,
    its: Vec<f64>,
    space: Vec<T>,
}

impl<'a, T: Measure> Ruler<'a, T> {
    pub(super) fn new(known: &'a Side<'a, T>, query: &'a Side<'a, T>, form: Form) -> Self {
        Self {
            known,
            query,
            form,
            own: Vec::new(),
            direction: Vec::new(),
            its: Vec::new(),
            space: Vec::new(),
        }
    }

    /// Goes to a row.
    pub(super) fn stand_at(&mut self, row: usize) {
        let query = self.query;
        self.own.clear();
        self.own.extend(query.table.row(row).iter());
        if let Form::Direction { .. } = self.form {
            query.direction(row, &mut self.direction);
        }
    }

    /// The distance to a reference row.
    pub(super) fn distance(&mut self, row: usize) -> f64 {
        let known = self.known;
        match self.form {
            Form::Euclidean => {
                let its = line(&known.table, row, &mut self.space);
                T::squared_distance_wide(&self.own, its).sqrt()
            }
            Form::Direction { .. } => {
                known.direction(row, &mut self.its);
                0.5 * f64::squared_distance(&self.direction, &self.its)
            }
            Form::Product => {
                let its = line(&known.table, row, &mut self.space);
                -T::product_wide(&self.own, its)
            }
        }
    }
}
