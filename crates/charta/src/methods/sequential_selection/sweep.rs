//! Regression on a set of columns that changes one by one: the scatter of the rows to learn from, swept, and what the
//! sweeping makes of the held-out rows.
//!
//! Sweeping a symmetric matrix at a column solves for that column: with the columns F swept, the matrix holds −G⁻¹ of
//! their scatter G, the coefficients of every other column's regression on them, and the scatter that those leave. Doing
//! it again takes the column out. A row beside the matrix follows the same steps: in the place of a column outside F it
//! holds what the regression leaves of it. So a change of F costs one pass over the matrix, and what a single change
//! would do to one column can be told from a few numbers (Beaton 1964; Goodnight 1979).

use ndarray::{Array1, Array2, ArrayView1};
use rayon::prelude::*;

use crate::linalg::wide::{self, Loop, step};

/// A column of which the others of the set leave less than this share adds nothing that could be told from rounding.
const ALIASED: f64 = 1e-10;

/// Where a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Outside,
    Swept,
    /// In the set, but a combination of the others: it has no say until one of those leaves.
    Aliased,
}

/// What is known of the held-out rows.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// The inner products of the swept columns over the rows.
    Moments(Array2<f64>),
    /// The rows themselves, a swept column on each line.
    Rows(Array2<f64>),
}

/// A set of columns and the regression on them.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    scatter: Array2<f64>,
    held: Held,
    /// The scatter's diagonal before any sweep.
    diagonal: Vec<f64>,
    places: Vec<Place>,
}

/// One sweep: what is left of the column before it, and its scatter, negative if the column leaves.
pub(super) struct Pivot<'a> {
    /// The column's line of [`Held::Rows`].
    pub(super) line: Option<ArrayView1<'a, f64>>,
    /// The scatter.
    pub(super) scatter: f64,
}

impl Sweep {
    /// The empty set.
    pub(super) fn new(scatter: Array2<f64>, held: Held) -> Self {
        let diagonal = scatter.diag().to_vec();
        Self {
            places: vec![Place::Outside; diagonal.len()],
            scatter,
            held,
            diagonal,
        }
    }

    pub(super) fn held(&self) -> &Held {
        &self.held
    }

    /// The scatter of two columns as it is now.
    pub(super) fn between(&self, a: usize, b: usize) -> f64 {
        self.scatter[[a, b]]
    }

    /// Number of columns.
    pub(super) fn n_columns(&self) -> usize {
        self.diagonal.len()
    }

    /// A single sweep that a change amounts to; none if it changes nothing. `Err` if it takes several.
    pub(super) fn single(&self, columns: &[usize], adding: bool) -> Result<Option<usize>, ()> {
        let &[column] = columns else { return Err(()) };
        if adding {
            return Ok((!self.is_aliased(column)).then_some(column));
        }
        if self.places[column] == Place::Aliased {
            return Ok(None);
        }
        let frees = |other: usize| {
            let gained = self.scatter[[other, column]].powi(2) / -self.scatter[[column, column]];
            gained > ALIASED * self.diagonal[other]
        };
        if self.aliased().any(frees) {
            return Err(());
        }
        Ok(Some(column))
    }

    /// The part of the problem that a change of these columns and one further column depend on, with the places of the
    /// columns in it.
    pub(super) fn part(&self, columns: &[usize], further: Option<usize>) -> (Self, Vec<usize>) {
        let mut kept = columns.to_vec();
        kept.extend(self.aliased().filter(|column| !columns.contains(column)));
        kept.extend(further);
        // Lines must be contiguous, which a selection of columns does not promise.
        let square = |x: &Array2<f64>| {
            Array2::from_shape_fn((kept.len(), kept.len()), |(i, j)| x[[kept[i], kept[j]]])
        };
        let part = Self {
            scatter: square(&self.scatter),
            held: match &self.held {
                Held::Moments(x) => Held::Moments(square(x)),
                Held::Rows(x) => {
                    let size = (kept.len(), x.ncols());
                    Held::Rows(Array2::from_shape_fn(size, |(i, j)| x[[kept[i], j]]))
                }
            },
            diagonal: kept.iter().map(|&column| self.diagonal[column]).collect(),
            places: kept.iter().map(|&column| self.places[column]).collect(),
        };
        (part, (0..columns.len()).collect())
    }

    /// Takes columns into the set or out of it, and tells of every sweep before it is done.
    pub(super) fn change(
        &mut self,
        columns: &[usize],
        adding: bool,
        tell: &mut dyn FnMut(Pivot<'_>),
    ) {
        for &column in columns {
            if adding {
                self.places[column] = Place::Aliased;
                self.enter(column, tell);
            } else {
                let was = std::mem::replace(&mut self.places[column], Place::Outside);
                if was == Place::Swept {
                    self.sweep(column, false, tell);
                }
            }
        }
        if !adding {
            let waiting: Vec<usize> = self.aliased().collect();
            for column in waiting {
                self.enter(column, tell);
            }
        }
    }

    fn enter(&mut self, column: usize, tell: &mut dyn FnMut(Pivot<'_>)) {
        if !self.is_aliased(column) {
            self.places[column] = Place::Swept;
            self.sweep(column, true, tell);
        }
    }

    /// True if the set leaves nothing of a column.
    fn is_aliased(&self, column: usize) -> bool {
        self.scatter[[column, column]] <= ALIASED * self.diagonal[column]
    }

    fn aliased(&self) -> impl Iterator<Item = usize> {
        let places = self.places.iter().enumerate();
        places
            .filter(|(_, place)| **place == Place::Aliased)
            .map(|(column, _)| column)
    }

    fn sweep(&mut self, column: usize, adding: bool, tell: &mut dyn FnMut(Pivot<'_>)) {
        let pivot = self.scatter[[column, column]];
        let line = match &self.held {
            Held::Rows(rows) => Some(rows.row(column)),
            Held::Moments(_) => None,
        };
        tell(Pivot {
            line,
            scatter: pivot,
        });
        let before = self.scatter.row(column).to_owned();
        let mut shares = &before / pivot;
        // The column itself is no multiple of itself here: its line is set apart.
        shares[column] = 0.0;
        let own = if adding { 1.0 / pivot } else { -1.0 / pivot };
        match &mut self.held {
            Held::Rows(rows) => {
                let old = rows.row(column).to_owned();
                subtract_multiples(rows, &shares, &old);
                rows.row_mut(column).mapv_inplace(|value| value * own);
            }
            Held::Moments(moments) => sweep_moments(moments, column, &shares, own),
        }
        subtract_multiples(&mut self.scatter, &shares, &before);
        let turned = &before * own;
        self.scatter.row_mut(column).assign(&turned);
        self.scatter.column_mut(column).assign(&turned);
        self.scatter[[column, column]] = -1.0 / pivot;
    }
}

/// The inner products after each column x became x − share · pivot column, and that itself times `own`.
fn sweep_moments(moments: &mut Array2<f64>, column: usize, shares: &Array1<f64>, own: f64) {
    let old = moments.row(column).to_owned();
    let half = old[column] / 2.0;
    let halved = &old - &(shares * half);
    subtract_multiples(moments, shares, &halved);
    subtract_multiples(moments, &halved, shares);
    let mut line = &old - &(shares * old[column]);
    line *= own;
    line[column] = old[column] * own * own;
    moments.row_mut(column).assign(&line);
    moments.column_mut(column).assign(&line);
}

/// Takes a multiple of one line from every line.
fn subtract_multiples(table: &mut Array2<f64>, factors: &Array1<f64>, line: &Array1<f64>) {
    let width = table.ncols().max(1);
    let (Some(numbers), Some(line)) = (table.as_slice_mut(), line.as_slice()) else {
        return;
    };
    // Enough for a job to be worth its start.
    let lines = (16_384 / width).max(1);
    numbers
        .par_chunks_mut(lines * width)
        .enumerate()
        .for_each(|(block, part)| {
            for (offset, target) in part.chunks_mut(width).enumerate() {
                let factor = factors[block * lines + offset];
                if factor != 0.0 {
                    wide::run(Subtract {
                        target,
                        factor: -factor,
                        line,
                    });
                }
            }
        });
}

struct Subtract<'a> {
    target: &'a mut [f64],
    factor: f64,
    line: &'a [f64],
}

impl Loop for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for (target, &value) in self.target.iter_mut().zip(self.line) {
            *target = step::<f64, FUSED>(self.factor, value, *target);
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Axis;

    use super::*;
    use crate::random::{normal, stream};

    fn sample(n_rows: usize, n_columns: usize) -> Array2<f64> {
        let mut numbers = stream(5, 0);
        Array2::from_shape_fn((n_rows, n_columns), |_| normal(&mut numbers))
    }

    /// What the regression on `chosen` leaves of the last column at the rows of `new`.
    fn left(x: &Array2<f64>, new: &Array2<f64>, chosen: &[usize]) -> Array1<f64> {
        let (of, last) = (x.select(Axis(1), chosen), x.column(x.ncols() - 1));
        let gram = of.t().dot(&of);
        let right = of.t().dot(&last).insert_axis(Axis(1));
        let factor = crate::linalg::cholesky::Cholesky::of(&gram.view()).unwrap();
        let found = factor.solve_upper(&factor.solve_lower(&right.view()).view());
        let last = new.column(new.ncols() - 1);
        &last - &new.select(Axis(1), chosen).dot(&found.column(0))
    }

    #[test]
    fn sweeps_in_and_out_leave_the_residuals_of_the_regression() {
        let (x, new) = (sample(40, 6), sample(7, 6));
        let scatter = x.t().dot(&x);
        let rows = Held::Rows(new.t().as_standard_layout().to_owned());
        let mut by_rows = Sweep::new(scatter.clone(), rows);
        let mut by_moments = Sweep::new(scatter, Held::Moments(new.t().dot(&new)));
        let steps = [
            (vec![0, 2], true, vec![0, 2]),
            (vec![4], true, vec![0, 2, 4]),
            (vec![2], false, vec![0, 4]),
            (vec![1, 3], true, vec![0, 1, 3, 4]),
            (vec![0, 4], false, vec![1, 3]),
        ];
        for (columns, adding, chosen) in steps {
            by_rows.change(&columns, adding, &mut |_| ());
            by_moments.change(&columns, adding, &mut |_| ());
            let want = left(&x, &new, &chosen);
            let Held::Rows(rows) = by_rows.held() else {
                panic!("rows expected");
            };
            for (a, b) in rows.row(5).iter().zip(&want) {
                assert!((a - b).abs() < 1e-12, "{a} for {b}");
            }
            let Held::Moments(moments) = by_moments.held() else {
                panic!("moments expected");
            };
            let want = want.dot(&want);
            assert!((moments[[5, 5]] - want).abs() < 1e-12 * want.max(1.0));
        }
    }

    #[test]
    fn a_combination_of_others_waits_until_one_leaves() {
        let mut x = sample(40, 5);
        let sum = &x.column(0) + &x.column(1);
        x.column_mut(2).assign(&sum);
        let held = Held::Moments(x.t().dot(&x));
        let mut sweep = Sweep::new(x.t().dot(&x), held);
        sweep.change(&[0, 1, 2], true, &mut |_| ());
        assert_eq!(sweep.places[2], Place::Aliased);
        assert_eq!(sweep.single(&[2], false), Ok(None));
        assert_eq!(sweep.single(&[0], false), Err(()));
        assert_eq!(sweep.single(&[3], true), Ok(Some(3)));
        let (mut part, columns) = sweep.part(&[0], Some(4));
        part.change(&columns, false, &mut |_| ());
        sweep.change(&[0], false, &mut |_| ());
        assert_eq!(sweep.places[2], Place::Swept);
        let want = left(&x, &x, &[1, 2]);
        for (sweep, last) in [(&sweep, 4), (&part, 2)] {
            let Held::Moments(moments) = sweep.held() else {
                panic!("moments expected");
            };
            assert!((moments[[last, last]] - want.dot(&want)).abs() < 1e-10);
        }
    }
}
