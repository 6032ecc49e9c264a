//! Sparse axes: X ≈ U V with a penalty on the entries of V, from products alone.
//!
//! The alternation is that of dictionary learning (Mairal and others 2009) with the columns of X as its
//! signals: V by the lasso, one small problem for each column of X, then U one column at a time. All that
//! the lasso needs are UᵀU and UᵀX. U starts in the span of X's columns and stays there, so that it can
//! be kept as U = X M: then these are MᵀSM and MᵀS, and after the scatter S = XᵀX no step looks at rows
//! any more. Where there are fewer rows than columns, U itself is kept and X is multiplied instead.

use ndarray::{Array1, Array2, ArrayView1, ArrayViewMut1, Axis};
use rayon::prelude::*;

use crate::error::Result;
use crate::linalg::operator::Rows;
use crate::linalg::product::product;
use crate::run::Run;

/// Columns of X whose lasso one job solves.
const BLOCK: usize = 32;
/// Sweeps over the coordinates of one lasso, at most.
const MAX_SWEEPS: usize = 1000;
/// The lasso ends when no coordinate changes by more than this fraction of the largest.
const SWEEP_TOLERANCE: f64 = 1e-11;
/// A component whose square is this fraction of the largest one's is gone.
const GONE: f64 = 1e-24;

/// What the rows are known by.
#[derive(Debug)]
pub(super) enum Source<'a> {
    /// Their scatter.
    Scatter(Array2<f64>),
    /// Themselves.
    Rows(Rows<'a>),
}

impl Source<'_> {
    /// Sums of squares of the columns.
    pub(super) fn spreads(&self, run: &Run<'_>) -> Result<Array1<f64>> {
        match self {
            Self::Scatter(scatter) => Ok(scatter.diag().to_owned()),
            Self::Rows(rows) => {
                let mut spreads = Array1::zeros(rows.n_columns());
                for block in crate::parallel::blocks(rows.n_rows(), 512) {
                    run.check()?;
                    spreads += &rows
                        .block(block)
                        .mapv(|value| value * value)
                        .sum_axis(Axis(0));
                }
                Ok(spreads)
            }
        }
    }

    /// V XᵀX Vᵀ, for axes in the rows of V.
    pub(super) fn scatter_along(&self, run: &Run<'_>, axes: &Array2<f64>) -> Result<Array2<f64>> {
        match self {
            Self::Scatter(scatter) => Ok(axes.dot(&product(&scatter.view(), &axes.t()))),
            Self::Rows(rows) => {
                let scores = rows.times_wide(run, &axes.t())?;
                Ok(scores.t().dot(&scores))
            }
        }
    }

    fn n_columns(&self) -> usize {
        match self {
            Self::Scatter(scatter) => scatter.ncols(),
            Self::Rows(rows) => rows.n_columns(),
        }
    }
}

/// Settings of the solver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// The penalty on the sum of the entries' sizes.
    pub penalty: f64,
    /// It stops when the objective falls by less than this fraction of itself.
    pub tolerance: f64,
    /// Rounds at most.
    pub max_iterations: usize,
}

/// Axes found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// V, an axis in each row.
    pub axes: Array2<f64>,
    /// The objective ½‖X − U V‖² + α‖V‖₁ after every round. It never rises.
    pub trace: Vec<f64>,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// Alternates from the given axes, one in each row.
pub(super) fn alternate(
    run: &Run<'_>,
    source: &Source<'_>,
    start: &Array2<f64>,
    goal: &Goal,
) -> Result<Found> {
    let spreads = source.spreads(run)?;
    let mut left = Left::start(run, source, start)?;
    // A row of V for every column of X: these are what the lasso works on.
    let mut codes = Array2::zeros((source.n_columns(), start.nrows()));
    let mut trace: Vec<f64> = Vec::new();
    let mut converged = false;
    for round in 1..=goal.max_iterations {
        encode(run, &mut codes, &left, goal.penalty)?;
        left.revive(run, source, &mut codes, &spreads, goal.penalty)?;
        left.improve(run, source, &codes)?;
        let objective = left.objective(&codes, spreads.sum(), goal.penalty);
        run.iterate(round as u64, Some(objective), None)?;
        run.progress(round as u64, goal.max_iterations as u64)?;
        let before = trace.last().copied();
        trace.push(objective);
        if before.is_some_and(|before| before - objective <= goal.tolerance * objective) {
            converged = true;
            break;
        }
    }
    // The axes that belong to the last U.
    encode(run, &mut codes, &left, goal.penalty)?;
    trace.push(left.objective(&codes, spreads.sum(), goal.penalty));
    Ok(Found {
        axes: codes.t().as_standard_layout().into_owned(),
        trace,
        converged,
    })
}

/// U, in one of its two forms, and its products.
struct Left {
    /// U, or M where U = X M.
    basis: Array2<f64>,
    /// S M, for the second form.
    images: Option<Array2<f64>>,
    /// UᵀX.
    cross: Array2<f64>,
    /// UᵀU.
    gram: Array2<f64>,
}

impl Left {
    /// Left singular vectors of length 1, from right ones in rows; zero where there is no variance.
    fn start(run: &Run<'_>, source: &Source<'_>, axes: &Array2<f64>) -> Result<Self> {
        let mut left = Self {
            basis: Array2::zeros((0, 0)),
            images: None,
            cross: Array2::zeros((0, 0)),
            gram: Array2::zeros((0, 0)),
        };
        let (basis, images) = steps(run, source, &axes.t().to_owned())?;
        left.basis = basis;
        left.images = images;
        for component in 0..axes.nrows() {
            left.normalize(component);
        }
        left.multiply(run, source)?;
        Ok(left)
    }

    /// The squared length of a column of U.
    fn square(&self, component: usize) -> f64 {
        let column = self.basis.column(component);
        match &self.images {
            Some(images) => column.dot(&images.column(component)),
            None => column.dot(&column),
        }
    }

    fn scale(&mut self, component: usize, factor: f64) {
        let scale = |mut column: ArrayViewMut1<'_, f64>| column *= factor;
        scale(self.basis.column_mut(component));
        if let Some(images) = &mut self.images {
            scale(images.column_mut(component));
        }
    }

    /// Finds the products of U anew.
    fn multiply(&mut self, run: &Run<'_>, source: &Source<'_>) -> Result<()> {
        match (source, &self.images) {
            (Source::Rows(rows), _) => {
                let cross = rows.transposed_times(run, &self.basis.view())?;
                self.cross = cross.reversed_axes();
                self.gram = self.basis.t().dot(&self.basis);
            }
            (Source::Scatter(_), Some(images)) => {
                self.cross = images.t().to_owned();
                self.gram = self.basis.t().dot(images);
            }
            (Source::Scatter(_), None) => {}
        }
        Ok(())
    }

    /// The best U for given axes, one column at a time, each no longer than 1.
    fn improve(&mut self, run: &Run<'_>, source: &Source<'_>, codes: &Array2<f64>) -> Result<()> {
        let (towards, towards_images) = steps(run, source, codes)?;
        let products = codes.t().dot(codes);
        for component in (0..codes.ncols()).filter(|&t| products[[t, t]] > 0.0) {
            let weights = products.column(component);
            move_column(&mut self.basis, &towards, component, weights);
            if let (Some(images), Some(towards)) = (&mut self.images, &towards_images) {
                move_column(images, towards, component, weights);
            }
            let length = self.square(component).max(0.0).sqrt();
            if length > 1.0 {
                self.scale(component, length.recip());
            }
        }
        self.multiply(run, source)
    }

    /// What is not explained of each column of X.
    fn rest(&self, codes: &Array2<f64>, spreads: &Array1<f64>) -> Array1<f64> {
        let fitted = codes.dot(&self.gram);
        Array1::from_shape_fn(spreads.len(), |j| {
            let code = codes.row(j);
            spreads[j] - 2.0 * code.dot(&self.cross.column(j)) + code.dot(&fitted.row(j))
        })
    }

    /// Components that the penalty has removed start again, each from another of the columns least explained.
    /// Their axes are zero, so that the objective stays. A column whose rest is no longer than the penalty
    /// pulls none back, and neither do those with less.
    fn revive(
        &mut self,
        run: &Run<'_>,
        source: &Source<'_>,
        codes: &mut Array2<f64>,
        spreads: &Array1<f64>,
        penalty: f64,
    ) -> Result<()> {
        let squares: Vec<f64> = codes.columns().into_iter().map(|c| c.dot(&c)).collect();
        let largest = squares
            .iter()
            .fold(0.0_f64, |most, &square| most.max(square));
        let gone: Vec<usize> = (0..squares.len())
            .filter(|&component| squares[component] <= GONE * largest)
            .collect();
        if gone.is_empty() {
            return Ok(());
        }
        for &component in &gone {
            codes.column_mut(component).fill(0.0);
        }
        let rest = self.rest(codes, spreads);
        let mut worst: Vec<usize> = (0..rest.len())
            .filter(|&j| rest[j] > penalty * penalty)
            .collect();
        worst.sort_by(|&a, &b| rest[b].total_cmp(&rest[a]).then(a.cmp(&b)));
        worst.truncate(gone.len());
        let mut units = Array2::zeros((rest.len(), worst.len()));
        for (index, &column) in worst.iter().enumerate() {
            units[[column, index]] = 1.0;
        }
        let (basis, images) = steps(run, source, &units)?;
        for (index, &component) in gone.iter().enumerate().take(worst.len()) {
            self.basis
                .column_mut(component)
                .assign(&basis.column(index));
            if let (Some(images), Some(new)) = (&mut self.images, &images) {
                images.column_mut(component).assign(&new.column(index));
            }
            self.normalize(component);
        }
        Ok(())
    }

    /// Divides a column of U by its length; zero stays zero.
    fn normalize(&mut self, component: usize) {
        let square = self.square(component);
        let positive = square > 0.0;
        self.scale(
            component,
            if positive { square.sqrt().recip() } else { 0.0 },
        );
    }

    fn objective(&self, codes: &Array2<f64>, total: f64, penalty: f64) -> f64 {
        let cross: f64 = (codes * &self.cross.t()).sum();
        let fitted = (codes.t().dot(codes) * &self.gram).sum();
        let sizes: f64 = codes.iter().map(|entry| entry.abs()).sum();
        (0.5 * (total - 2.0 * cross + fitted)).max(0.0) + penalty * sizes
    }
}

/// X · axes in the form that U is kept in: X times them, or they themselves with S times them.
fn steps(
    run: &Run<'_>,
    source: &Source<'_>,
    axes: &Array2<f64>,
) -> Result<(Array2<f64>, Option<Array2<f64>>)> {
    match source {
        Source::Rows(rows) => Ok((rows.times_wide(run, &axes.view())?, None)),
        Source::Scatter(scatter) => {
            let images = product(&scatter.view(), &axes.view());
            Ok((axes.clone(), Some(images)))
        }
    }
}

/// Sets a column to the best for the others as they are: itself plus (step − all · weights) / weight.
fn move_column(
    columns: &mut Array2<f64>,
    towards: &Array2<f64>,
    component: usize,
    weights: ArrayView1<'_, f64>,
) {
    let apart = &towards.column(component) - &columns.dot(&weights);
    columns
        .column_mut(component)
        .scaled_add(weights[component].recip(), &apart);
}

/// V for given U: the lasso of every column of X.
fn encode(run: &Run<'_>, codes: &mut Array2<f64>, left: &Left, penalty: f64) -> Result<()> {
    codes
        .axis_chunks_iter_mut(Axis(0), BLOCK)
        .into_par_iter()
        .enumerate()
        .try_for_each(|(block, mut codes)| {
            run.check()?;
            for (index, code) in codes.rows_mut().into_iter().enumerate() {
                let cross = left.cross.column(block * BLOCK + index);
                lasso(code, cross, &left.gram, penalty);
            }
            Ok(())
        })
}

/// Minimizes ½ vᵀ G v − cᵀ v + α ‖v‖₁ by coordinate descent, from the v given.
fn lasso(
    mut code: ArrayViewMut1<'_, f64>,
    cross: ArrayView1<'_, f64>,
    gram: &Array2<f64>,
    penalty: f64,
) {
    let mut rest = cross.to_owned() - gram.dot(&code);
    for _ in 0..MAX_SWEEPS {
        let (mut moved, mut largest) = (0.0_f64, 0.0_f64);
        for index in 0..code.len() {
            let square = gram[[index, index]];
            let before = code[index];
            let pull = rest[index] + square * before;
            let after = if square > 0.0 && pull.abs() > penalty {
                (pull - penalty * pull.signum()) / square
            } else {
                0.0
            };
            if after != before {
                rest.scaled_add(before - after, &gram.column(index));
                code[index] = after;
            }
            moved = moved.max((after - before).abs());
            largest = largest.max(after.abs());
        }
        if moved <= SWEEP_TOLERANCE * largest {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::data::Features;
    use crate::linalg::eigen;
    use crate::random::{normal, stream};

    const GOAL: Goal = Goal {
        penalty: 2.0,
        tolerance: 1e-12,
        max_iterations: 3000,
    };

    fn sample(n_rows: usize, n_columns: usize) -> Array2<f64> {
        let mut stream = stream(4, 0);
        let shared = Array2::from_shape_fn((n_rows, 2), |_| normal(&mut stream));
        let x = Array2::from_shape_fn((n_rows, n_columns), |(i, j)| {
            2.0 * shared[[i, j % 2]] + normal(&mut stream)
        });
        &x - &x.mean_axis(Axis(0)).unwrap()
    }

    fn start(x: &Array2<f64>, count: usize) -> Array2<f64> {
        let scatter = x.t().dot(x);
        eigen::symmetric_largest(&scatter.view(), count)
            .unwrap()
            .vectors
    }

    #[test]
    fn the_lasso_meets_its_conditions() {
        let gram = array![[1.0, 0.3, 0.1], [0.3, 0.8, -0.2], [0.1, -0.2, 0.5]];
        let cross = array![2.0, -0.9, 0.2];
        let mut code = Array1::zeros(3);
        lasso(code.view_mut(), cross.view(), &gram, 0.4);
        let slope = &cross - &gram.dot(&code);
        for (entry, slope) in code.iter().zip(&slope) {
            if *entry == 0.0 {
                assert!(slope.abs() <= 0.4);
            } else {
                assert!((slope - 0.4 * entry.signum()).abs() < 1e-9);
            }
        }
        assert!(code.iter().any(|&entry| entry == 0.0));
    }

    #[test]
    fn scatter_and_rows_lead_to_the_same_axes_and_the_objective_never_rises() {
        let x = sample(60, 12);
        let axes = start(&x, 3);
        let run = Run::new();
        let by_scatter = Source::Scatter(x.t().dot(&x));
        let one = alternate(&run, &by_scatter, &axes, &GOAL).unwrap();
        let zeros = Array1::zeros(12);
        let features = Features::from(&x);
        let by_rows = Source::Rows(Rows::new(&features, &zeros));
        let other = alternate(&run, &by_rows, &axes, &GOAL).unwrap();
        assert!(one.converged && other.converged);
        assert!((&one.axes - &other.axes).iter().all(|d| d.abs() < 1e-4));
        for found in [&one, &other] {
            let falls = |pair: &[f64]| pair[1] <= pair[0] * (1.0 + 1e-12);
            assert!(found.trace.windows(2).all(falls));
        }
        assert!(one.axes.iter().any(|&entry| entry == 0.0));
        let along = by_scatter.scatter_along(&run, &axes).unwrap();
        let again = by_rows.scatter_along(&run, &axes).unwrap();
        assert!((along - again).iter().all(|d| d.abs() < 1e-9));
    }

    #[test]
    fn without_a_penalty_it_is_the_best_approximation_of_that_rank() {
        let x = sample(50, 8);
        let scatter = x.t().dot(&x);
        let values = eigen::symmetric_values(&scatter.view()).unwrap();
        let goal = Goal {
            penalty: 0.0,
            ..GOAL
        };
        let found = alternate(&Run::new(), &Source::Scatter(scatter), &start(&x, 2), &goal);
        let objective = *found.unwrap().trace.last().unwrap();
        let want = 0.5 * values.iter().skip(2).sum::<f64>();
        assert!((objective - want).abs() < 1e-9 * want);
    }

    #[test]
    fn components_that_vanish_begin_again() {
        let x = sample(40, 6);
        let mut axes = start(&x, 2);
        axes.row_mut(1).fill(0.0);
        let source = Source::Scatter(x.t().dot(&x));
        let found = alternate(&Run::new(), &source, &axes, &GOAL).unwrap();
        assert!(found.axes.row(1).iter().any(|&entry| entry != 0.0));
    }
}
