//! The sweep operator: regression on a set of columns that changes by one column at a time.
//!
//! Sweeping a symmetric matrix at a column solves for that column: with the columns F swept, the matrix holds −G⁻¹ of
//! their scatter G, the coefficients of every other column's regression on them, and the scatter of the residuals.
//! Sweeping again takes the column out. Held-out rows beside the matrix follow the same steps: in the place of a column
//! outside F they hold its residuals. So a change of F costs one pass over the matrix, and the effect of a single change
//! on one column follows from a few entries (Beaton 1964; Goodnight 1979).

use ndarray::{Array1, Array2};

use crate::linalg::wide::{self, Loop, step};
use crate::parallel;

use super::scorer::Change;

/// A column of which the others of the set leave less than this fraction is a combination of them, up to rounding.
const ALIASED: f64 = 1e-10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Outside,
    Swept,
    /// In the set, but a combination of the others: it has no weight until one of those leaves.
    Aliased,
}

/// What the sweeps make of the held-out rows.
#[derive(Clone, Debug)]
pub(super) enum HeldOut {
    /// The inner products of the columns over the rows.
    Products(Array2<f64>),
    /// The rows themselves, a column on each line; for LDA also the class means, after the rows, and the squared
    /// Mahalanobis distance of each row from each mean.
    Rows {
        rows: Array2<f64>,
        distances: Array2<f64>,
    },
}

/// What a change of the set amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Update {
    /// No sweep.
    None,
    /// One sweep.
    Sweep(usize),
    /// Several sweeps.
    Several,
}

/// A set of columns and the regression on them.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    scatter: Array2<f64>,
    pub(super) held_out: HeldOut,
    /// The scatter's diagonal before any sweep.
    diagonal: Vec<f64>,
    states: Vec<State>,
}

impl Sweep {
    /// The empty set.
    pub(super) fn new(scatter: Array2<f64>, held_out: HeldOut) -> Self {
        let diagonal = scatter.diag().to_vec();
        Self {
            states: vec![State::Outside; diagonal.len()],
            scatter,
            held_out,
            diagonal,
        }
    }

    /// The diagonal entry at which a column would be swept.
    pub(super) fn pivot(&self, column: usize) -> f64 {
        self.scatter[[column, column]]
    }

    /// The coefficient of `column` for `target` if it were swept next.
    pub(super) fn coefficient(&self, column: usize, target: usize) -> f64 {
        self.scatter[[column, target]] / self.pivot(column)
    }

    /// The sweeps that a change of the set takes.
    pub(super) fn update(&self, change: Change<'_>) -> Update {
        let column = match change.columns {
            [] => return Update::None,
            [column] => *column,
            _ => return Update::Several,
        };
        let has_no_weight = if change.add {
            self.is_aliased(column)
        } else {
            self.states[column] == State::Aliased
        };
        let frees = |other: usize| {
            let gained = self.scatter[[other, column]].powi(2) / -self.scatter[[column, column]];
            gained > ALIASED * self.diagonal[other]
        };
        if has_no_weight {
            Update::None
        } else if !change.add && self.aliased().any(frees) {
            Update::Several
        } else {
            Update::Sweep(column)
        }
    }

    /// The part that a change of these columns depends on: these first, then the aliased ones, then `further`.
    pub(super) fn restricted_to(&self, columns: &[usize], further: Option<usize>) -> Self {
        let mut kept = columns.to_vec();
        kept.extend(self.aliased().filter(|column| !columns.contains(column)));
        kept.extend(further);
        // Lines must be contiguous, which a selection of columns does not promise.
        let square = |x: &Array2<f64>| {
            Array2::from_shape_fn((kept.len(), kept.len()), |(i, j)| x[[kept[i], kept[j]]])
        };
        let lines = |x: &Array2<f64>| {
            Array2::from_shape_fn((kept.len(), x.ncols()), |(i, j)| x[[kept[i], j]])
        };
        Self {
            scatter: square(&self.scatter),
            held_out: match &self.held_out {
                HeldOut::Products(products) => HeldOut::Products(square(products)),
                HeldOut::Rows { rows, distances } => HeldOut::Rows {
                    rows: lines(rows),
                    distances: distances.clone(),
                },
            },
            diagonal: kept.iter().map(|&column| self.diagonal[column]).collect(),
            states: kept.iter().map(|&column| self.states[column]).collect(),
        }
    }

    /// Adds columns to the set or removes them.
    pub(super) fn change(&mut self, columns: &[usize], add: bool) {
        for &column in columns {
            if add {
                self.states[column] = State::Aliased;
                self.sweep_unless_aliased(column);
            } else {
                let before = std::mem::replace(&mut self.states[column], State::Outside);
                if before == State::Swept {
                    self.sweep(column, false);
                }
            }
        }
        if !add {
            let waiting: Vec<usize> = self.aliased().collect();
            for column in waiting {
                self.sweep_unless_aliased(column);
            }
        }
    }

    fn sweep_unless_aliased(&mut self, column: usize) {
        if !self.is_aliased(column) {
            self.states[column] = State::Swept;
            self.sweep(column, true);
        }
    }

    /// True if the set leaves nothing of a column.
    fn is_aliased(&self, column: usize) -> bool {
        self.scatter[[column, column]] <= ALIASED * self.diagonal[column]
    }

    fn aliased(&self) -> impl Iterator<Item = usize> {
        let states = self.states.iter().enumerate();
        states
            .filter(|(_, state)| **state == State::Aliased)
            .map(|(column, _)| column)
    }

    fn sweep(&mut self, column: usize, add: bool) {
        let pivot = self.scatter[[column, column]];
        let before = self.scatter.row(column).to_owned();
        let mut coefficients = &before / pivot;
        // The column's own line is set apart.
        coefficients[column] = 0.0;
        let own = if add { 1.0 / pivot } else { -1.0 / pivot };
        match &mut self.held_out {
            HeldOut::Products(products) => sweep_products(products, column, &coefficients, own),
            HeldOut::Rows { rows, distances } => {
                let (line, n_rows) = (rows.row(column), distances.nrows());
                for ((row, class), distance) in distances.indexed_iter_mut() {
                    let difference = line[row] - line[n_rows + class];
                    *distance += difference * difference / pivot;
                }
                sweep_rows(rows, column, &coefficients, own);
            }
        }
        subtract_multiples(&mut self.scatter, &coefficients, &before);
        let line = &before * own;
        self.scatter.row_mut(column).assign(&line);
        self.scatter.column_mut(column).assign(&line);
        self.scatter[[column, column]] = -1.0 / pivot;
    }
}

/// The rows after each column x became x − coefficient · pivot column, and that itself times `own`.
fn sweep_rows(rows: &mut Array2<f64>, column: usize, coefficients: &Array1<f64>, own: f64) {
    let before = rows.row(column).to_owned();
    subtract_multiples(rows, coefficients, &before);
    rows.row_mut(column).mapv_inplace(|value| value * own);
}

/// The inner products of the rows after the same step.
fn sweep_products(products: &mut Array2<f64>, column: usize, coefficients: &Array1<f64>, own: f64) {
    let before = products.row(column).to_owned();
    let half = before[column] / 2.0;
    let halved = &before - &(coefficients * half);
    subtract_multiples(products, coefficients, &halved);
    subtract_multiples(products, &halved, coefficients);
    let mut line = &before - &(coefficients * before[column]);
    line *= own;
    line[column] = before[column] * own * own;
    products.row_mut(column).assign(&line);
    products.column_mut(column).assign(&line);
}

/// Subtracts a multiple of one line from every line.
fn subtract_multiples(table: &mut Array2<f64>, factors: &Array1<f64>, line: &Array1<f64>) {
    let width = table.ncols().max(1);
    let numbers = table.as_slice_mut().expect("tables are in standard layout");
    let line = line.as_slice().expect("lines are contiguous");
    // Enough for a job to be worth its start.
    let lines = (16_384 / width).max(1);
    parallel::for_each(numbers.chunks_mut(lines * width), |block, part| {
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
        let rows = HeldOut::Rows {
            rows: new.t().as_standard_layout().to_owned(),
            distances: Array2::zeros((7, 0)),
        };
        let mut by_rows = Sweep::new(scatter.clone(), rows);
        let mut by_products = Sweep::new(scatter, HeldOut::Products(new.t().dot(&new)));
        let steps = [
            (vec![0, 2], true, vec![0, 2]),
            (vec![4], true, vec![0, 2, 4]),
            (vec![2], false, vec![0, 4]),
            (vec![1, 3], true, vec![0, 1, 3, 4]),
            (vec![0, 4], false, vec![1, 3]),
        ];
        for (columns, adding, chosen) in steps {
            by_rows.change(&columns, adding);
            by_products.change(&columns, adding);
            let want = left(&x, &new, &chosen);
            let HeldOut::Rows { rows, .. } = &by_rows.held_out else {
                panic!("rows expected");
            };
            for (a, b) in rows.row(5).iter().zip(&want) {
                assert!((a - b).abs() < 1e-12, "{a} for {b}");
            }
            let want = want.dot(&want);
            assert!((last_product(&by_products) - want).abs() < 1e-12 * want.max(1.0));
        }
    }

    fn last_product(sweep: &Sweep) -> f64 {
        let HeldOut::Products(products) = &sweep.held_out else {
            panic!("products expected");
        };
        products.diag().to_vec().pop().unwrap()
    }

    #[test]
    fn a_combination_of_others_waits_until_one_leaves() {
        let mut x = sample(40, 5);
        let sum = &x.column(0) + &x.column(1);
        x.column_mut(2).assign(&sum);
        let held_out = HeldOut::Products(x.t().dot(&x));
        let mut sweep = Sweep::new(x.t().dot(&x), held_out);
        sweep.change(&[0, 1, 2], true);
        assert_eq!(sweep.states[2], State::Aliased);
        let update = |columns: &[usize], add| sweep.update(Change { columns, add });
        assert_eq!(update(&[2], false), Update::None);
        assert_eq!(update(&[0], false), Update::Several);
        assert_eq!(update(&[3], true), Update::Sweep(3));
        let mut part = sweep.restricted_to(&[0], Some(4));
        part.change(&[0], false);
        sweep.change(&[0], false);
        assert_eq!(sweep.states[2], State::Swept);
        let want = left(&x, &x, &[1, 2]);
        for sweep in [&sweep, &part] {
            assert!((last_product(sweep) - want.dot(&want)).abs() < 1e-10);
        }
    }
}
