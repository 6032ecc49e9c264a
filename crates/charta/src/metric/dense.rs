//! Distances between blocks of dense rows that are sums over the columns, in the rows' precision.
//!
//! Reference rows stand side by side: a step of the loop takes one column of a query and that column of 32 reference rows, so
//! that registers are full for any number of columns and every sum runs in the order of the columns. After 256
//! columns sums are carried over into double precision.

use std::ops::Range;

use ndarray::{ArrayView2, s};

use super::scale::{Scale, to_unit};
use super::{Measure, Metric, Numbers};
use crate::data::SparseView;
use crate::error::Result;
use crate::linalg::Real;
use crate::linalg::wide::{self, Loop};

/// Reference rows side by side.
const LANES: usize = 32;
/// Columns whose sums stay in the rows' precision.
const TILE: usize = 256;

/// What is summed over the columns.
pub(crate) trait Op: Copy + Sync {
    /// The power of a difference that it takes: what [`Scale`] needs to know.
    const POWER: i32;

    /// The sum, with one more column.
    fn add<T: Real, const FUSED: bool>(self, sum: T, a: T, b: T) -> T;

    /// The sums of two parts of the columns, together.
    fn merge(self, total: f64, part: f64) -> f64 {
        total + part
    }

    /// The whole sum as a number that rises with the distance.
    fn settle(self, total: f64) -> f64 {
        total
    }
}

macro_rules! op {
    ($(#[$doc:meta])* $name:ident, $power:literal, |$sum:ident, $a:ident, $b:ident| $body:expr $(, $more:item)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;

        impl Op for $name {
            const POWER: i32 = $power;

            #[inline(always)]
            fn add<T: Real, const FUSED: bool>(self, $sum: T, $a: T, $b: T) -> T {
                $body
            }

            $($more)*
        }
    };
}

op!(
    /// Squared differences.
    Squares, 2, |sum, a, b| wide::step::<T, FUSED>(a - b, a - b, sum)
);
op!(
    /// Absolute differences.
    Sizes, 1, |sum, a, b| sum + num_traits::Float::abs(a - b)
);
op!(
    /// Absolute differences to the power 3.
    Cubes, 3, |sum, a, b| {
        let size = num_traits::Float::abs(a - b);
        wide::step::<T, FUSED>(size * size, size, sum)
    }
);
op!(
    /// The largest absolute difference.
    Largest, 1, |sum, a, b| {
        let size = num_traits::Float::abs(a - b);
        if size > sum { size } else { sum }
    },
    #[inline(always)]
    fn merge(self, total: f64, part: f64) -> f64 { total.max(part) }
);
op!(
    /// The number of columns that differ.
    Differing, 1, |sum, a, b| sum + if a == b { T::of(0.0) } else { T::of(1.0) }
);
op!(
    /// Less the inner product.
    Products, 2, |sum, a, b| wide::step::<T, FUSED>(-a, b, sum)
);

/// Columns that are not zero in one row only, and those that are not in either: two counts in one number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overlap;

/// Apart by more than a tile has columns.
const PART: f64 = 512.0;
/// Apart by more than a table has columns.
const WHOLE: f64 = 67_108_864.0;

impl Op for Overlap {
    const POWER: i32 = 1;

    #[inline(always)]
    fn add<T: Real, const FUSED: bool>(self, sum: T, a: T, b: T) -> T {
        let zero = T::of(0.0);
        let has = |value: T| if value == zero { 0.0 } else { 1.0 };
        let (one, both) = (has(a) + has(b), has(a) * has(b));
        sum + T::of(one * (PART + 1.0) - both * (PART + 2.0))
    }

    #[inline(always)]
    fn merge(self, total: f64, part: f64) -> f64 {
        let any = (part / PART).floor();
        total + any * WHOLE + (part - any * PART)
    }

    fn settle(self, total: f64) -> f64 {
        let any = (total / WHOLE).floor();
        (total - any * WHOLE) / any.max(1.0)
    }
}

/// How rows are changed before they are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// Not at all, but for the scale.
    Plain(Scale),
    /// Length 1.
    Unit,
    /// Less the row's mean, length 1.
    Centred,
}

/// Rows that are made dense block by block, if they are not.
#[derive(Clone, Debug)]
pub(crate) enum Table<'a, T> {
    Dense(ArrayView2<'a, T>),
    Sparse(SparseView<'a, T>),
}

impl<T: Real> Table<'_, T> {
    fn n_columns(&self) -> usize {
        match self {
            Self::Dense(x) => x.ncols(),
            Self::Sparse(rows) => rows.n_columns(),
        }
    }

    /// Some rows, one after the other.
    fn values(&self, range: Range<usize>) -> Vec<T> {
        let n_columns = self.n_columns();
        match self {
            Self::Dense(x) => x.slice(s![range, ..]).iter().copied().collect(),
            Self::Sparse(rows) => {
                let mut values = vec![T::of(0.0); range.len() * n_columns];
                for (row, line) in range.zip(values.chunks_exact_mut(n_columns)) {
                    for (column, value) in rows.row(row) {
                        line[column] += value;
                    }
                }
                values
            }
        }
    }
}

/// Rows compared by sums over their columns.
pub(crate) struct Dense<'a, T, O> {
    pub(crate) rows: Table<'a, T>,
    pub(crate) known: Table<'a, T>,
    pub(crate) metric: Metric,
    pub(crate) form: Form,
    pub(crate) op: O,
}

/// Queries one after the other.
pub(crate) struct Queries<T> {
    values: Vec<T>,
    directed: Vec<bool>,
}

/// Reference rows in groups of [`LANES`], side by side.
pub(crate) struct Known<T> {
    values: Vec<T>,
    directed: Vec<bool>,
}

impl<T: Real, O: Op> Dense<'_, T, O> {
    fn numbers(&self) -> Numbers {
        Numbers {
            metric: self.metric,
            scale: match self.form {
                Form::Plain(scale) => scale,
                Form::Unit | Form::Centred => Scale::ONE,
            },
            n_columns: self.known.n_columns(),
        }
    }

    /// The rows as they are compared, one after the other; which of them have a direction.
    fn ready(&self, table: &Table<'_, T>, range: Range<usize>) -> (Vec<T>, Vec<bool>) {
        let mut values = table.values(range);
        let mut directed = Vec::new();
        match self.form {
            Form::Plain(scale) if scale == Scale::ONE => {}
            Form::Plain(scale) => {
                for value in &mut values {
                    *value = T::of(value.wide() * scale.factor());
                }
            }
            Form::Unit | Form::Centred => {
                let mut own = vec![0.0; table.n_columns()];
                for line in values.chunks_exact_mut(own.len()) {
                    for (own, value) in own.iter_mut().zip(&*line) {
                        *own = value.wide();
                    }
                    directed.push(to_unit(&mut own, self.form == Form::Centred));
                    for (value, own) in line.iter_mut().zip(&own) {
                        *value = T::of(*own);
                    }
                }
            }
        }
        (values, directed)
    }
}

impl<T: Real, O: Op> Measure for Dense<'_, T, O> {
    type Queries = Queries<T>;
    type Known = Known<T>;

    fn queries(&self, rows: Range<usize>) -> Queries<T> {
        let (values, directed) = self.ready(&self.rows, rows);
        Queries { values, directed }
    }

    fn known(&self, rows: Range<usize>) -> Known<T> {
        let (count, n_columns) = (rows.len(), self.known.n_columns());
        let (ready, directed) = self.ready(&self.known, rows);
        let mut values = vec![T::of(0.0); count.div_ceil(LANES) * LANES * n_columns];
        for (row, line) in ready.chunks_exact(n_columns).enumerate() {
            let start = row / LANES * LANES * n_columns + row % LANES;
            for (target, value) in values[start..].iter_mut().step_by(LANES).zip(line) {
                *target = *value;
            }
        }
        Known { values, directed }
    }

    fn fill(&self, queries: &Queries<T>, known: &Known<T>, target: &mut [f64]) -> Result<()> {
        let n_columns = self.known.n_columns();
        let n_queries = queries.values.len() / n_columns;
        wide::run(Sums {
            queries: &queries.values,
            known: &known.values,
            n_columns,
            width: target.len() / n_queries,
            target,
            op: self.op,
        });
        let lines = target.chunks_exact_mut(target.len() / n_queries);
        for (line, directed) in lines.zip(&queries.directed) {
            for (number, other) in line.iter_mut().zip(&known.directed) {
                // Twice the distance, as for two rows of length 1.
                match (directed, other) {
                    (true, true) => {}
                    (false, false) => *number = 0.0,
                    _ => *number = 2.0,
                }
            }
        }
        Ok(())
    }

    fn distance(&self, number: f64) -> f64 {
        self.numbers().distance(number)
    }

    fn bound(&self, distance: f64) -> f64 {
        self.numbers().bound(distance)
    }
}

/// Sums over the columns for every query and reference row.
struct Sums<'a, T, O> {
    queries: &'a [T],
    known: &'a [T],
    n_columns: usize,
    width: usize,
    target: &'a mut [f64],
    op: O,
}

impl<T: Real, O: Op> Loop for Sums<'_, T, O> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let (n_columns, op) = (self.n_columns, self.op);
        self.target.fill(0.0);
        for start in (0..n_columns).step_by(TILE) {
            let tile = start..(start + TILE).min(n_columns);
            for (group, lanes) in self.known.chunks_exact(LANES * n_columns).enumerate() {
                let lanes = &lanes[tile.start * LANES..tile.end * LANES];
                let queries = self.queries.chunks_exact(n_columns);
                for (query, line) in queries.zip(self.target.chunks_exact_mut(self.width)) {
                    let mut sums = [T::of(0.0); LANES];
                    let columns = lanes.as_chunks::<LANES>().0;
                    for (&a, lane) in query[tile.clone()].iter().zip(columns) {
                        for (sum, &b) in sums.iter_mut().zip(lane) {
                            *sum = op.add::<T, FUSED>(*sum, a, b);
                        }
                    }
                    for (total, part) in line[group * LANES..].iter_mut().zip(sums) {
                        *total = op.merge(*total, part.wide());
                    }
                }
            }
        }
        for total in self.target.iter_mut() {
            *total = op.settle(*total);
        }
    }
}
