//! Matrices of distances, filled block by block.
//!
//! Euclidean distances of many columns are computed by products in the precision of the rows. Between rows and themselves only
//! one half is computed, and mirrored.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};

use super::comparison::{Visit, measured};
use super::products::{FEW_COLUMNS, PANEL, Panel, largest_square, row_in_the_middle};
use super::{Comparison, Measure, Metric, Pairs, Whitening, no_distance};
use crate::data::{Distance, Features, Precision};
use crate::error::{Error, Result, message};
use crate::linalg::Real;
use crate::parallel::{blocks, map_blocks, try_for_each};
use crate::run::Run;

/// Rows that one job compares with all reference rows.
const ROWS: usize = 32;
/// Reference rows compared at once.
const KNOWN: usize = 64;
/// Sides up to which a square is mirrored by one thread.
const MIRRORED: usize = 64;
/// Squared lengths below which products would lose digits to underflow.
const TINY: f64 = 1e-20;
/// Squared lengths above which they leave the range of single precision.
const HUGE: f64 = 1e30;

/// How rows are compared.
pub(super) struct Compared<'a> {
    pub(super) comparison: &'a Comparison,
    pub(super) whitening: Option<&'a Whitening>,
    pub(super) function: Option<Distance<'a>>,
}

impl Compared<'_> {
    /// The distances of `rows`, a row each, to `known`, a column each: both of the same kind, and finite.
    pub(super) fn between(
        &self,
        run: &Run<'_>,
        rows: &Features<'_>,
        known: &Features<'_>,
    ) -> Result<Array2<f64>> {
        self.filled(run, rows, known, Half::Both)
    }

    /// The distances between all rows: symmetric, and 0 from a row to itself.
    pub(super) fn among(&self, run: &Run<'_>, rows: &Features<'_>) -> Result<Array2<f64>> {
        let mut matrix = self.filled(run, rows, rows, Half::Lower)?;
        mirror(matrix.view_mut());
        matrix.diag_mut().fill(0.0);
        Ok(matrix)
    }

    fn filled(
        &self,
        run: &Run<'_>,
        rows: &Features<'_>,
        known: &Features<'_>,
        half: Half,
    ) -> Result<Array2<f64>> {
        if self.function.is_none() && self.comparison.metric == Metric::InnerProduct {
            return Err(Error::not(
                "metric",
                message!("distances are needed, and inner products may be negative"),
                self.comparison.metric,
            ));
        }
        let size = (rows.n_rows(), known.n_rows());
        let fill = Fill { run, size, half };
        let filled = match (self.function, self.whitening) {
            (Some(function), _) => fill.visit(&Pairs {
                rows: rows.reborrow(),
                known: known.reborrow(),
                between: |a: &[f64], b: &[f64]| checked(function.between(a, b)),
            })?,
            (None, Some(whitening)) => {
                let known = whitening.apply(run, known)?;
                match half {
                    Half::Lower => fill.by_metric(&known.view(), &known.view(), self.comparison)?,
                    Half::Both => {
                        let rows = whitening.apply(run, rows)?;
                        fill.by_metric(&rows.view(), &known.view(), self.comparison)?
                    }
                }
            }
            (None, None) => fill.by_metric(rows, known, self.comparison)?,
        };
        let bad = map_blocks(run, filled.nrows(), ROWS, |rows| {
            let lines = filled.slice(s![rows, ..]);
            lines.iter().any(|distance| !distance.is_finite())
        })?;
        if bad.contains(&true) {
            return Err(Error::too_large());
        }
        Ok(filled)
    }
}

fn checked(distance: f64) -> Result<f64> {
    let proper = distance >= 0.0 && distance.is_finite();
    proper
        .then_some(distance)
        .ok_or_else(|| no_distance(distance))
}

/// Which part of a matrix is requested.
#[derive(Clone, Copy, PartialEq)]
enum Half {
    /// All of it.
    Both,
    /// What is below the diagonal; some more may be filled.
    Lower,
}

impl Half {
    /// The columns requested in some rows.
    fn width(self, rows: &Range<usize>, n_columns: usize) -> usize {
        match self {
            Self::Both => n_columns,
            Self::Lower => rows.end,
        }
    }
}

/// Fills a matrix by any measure.
#[derive(Clone, Copy)]
struct Fill<'a, 'b> {
    run: &'a Run<'b>,
    size: (usize, usize),
    half: Half,
}

impl Fill<'_, '_> {
    fn by_metric(
        self,
        rows: &Features<'_>,
        known: &Features<'_>,
        comparison: &Comparison,
    ) -> Result<Array2<f64>> {
        let metric = comparison.metric.named(comparison.power);
        let straight = metric == Metric::Euclidean || metric.is_whitened();
        if straight
            && known.n_columns() > FEW_COLUMNS
            && !known.is_sparse()
            && let Some(centre) = self.centre(rows, known)?
        {
            return match known.precision() {
                Precision::Single => self.by_products::<f32>(rows, known, &centre),
                Precision::Double => self.by_products::<f64>(rows, known, &centre),
            };
        }
        measured(rows, known, comparison, self)
    }

    /// What is subtracted from all rows before products; `None` if these would overflow.
    fn centre(&self, rows: &Features<'_>, known: &Features<'_>) -> Result<Option<Vec<f64>>> {
        let centre = row_in_the_middle(known, 0..known.n_rows());
        let all = |features: &Features<'_>| (0..features.n_rows()).collect::<Vec<_>>();
        let most = largest_square(self.run, known, &centre, &all(known))?;
        let others = match self.half {
            Half::Lower => most,
            Half::Both => largest_square(self.run, rows, &centre, &all(rows))?,
        };
        let fits = |square: f64| square > TINY && square < HUGE;
        Ok((fits(most) && fits(others)).then_some(centre))
    }

    fn by_products<T: Real>(
        &self,
        rows: &Features<'_>,
        known: &Features<'_>,
        centre: &[f64],
    ) -> Result<Array2<f64>> {
        self.each_block(PANEL, |range, mut target| {
            let own = Panel::<T>::of(rows, centre, range.clone());
            let width = self.half.width(&range, self.size.1);
            for panel in blocks(width, PANEL) {
                let others = Panel::of(known, centre, panel.clone());
                own.squares(&others, target.slice_mut(s![.., panel]));
            }
            target.slice_mut(s![.., ..width]).mapv_inplace(f64::sqrt);
            Ok(())
        })
    }

    fn each_block(
        &self,
        size: usize,
        work: impl Fn(Range<usize>, ArrayViewMut2<'_, f64>) -> Result<()> + Sync,
    ) -> Result<Array2<f64>> {
        let mut matrix = Array2::zeros(self.size);
        let parts = blocks(self.size.0, size)
            .into_iter()
            .zip(matrix.axis_chunks_iter_mut(Axis(0), size));
        try_for_each(self.run, parts, |_, (rows, target)| work(rows, target))?;
        Ok(matrix)
    }
}

impl Visit for Fill<'_, '_> {
    type Output = Array2<f64>;

    fn visit<M: Measure>(self, measure: &M) -> Result<Array2<f64>> {
        self.each_block(ROWS, |rows, mut target| {
            let width = self.half.width(&rows, self.size.1);
            fill_rows(measure, rows, target.slice_mut(s![.., ..width]))
        })
    }
}

fn fill_rows<M: Measure>(
    measure: &M,
    rows: Range<usize>,
    mut target: ArrayViewMut2<'_, f64>,
) -> Result<()> {
    let queries = measure.queries(rows.clone());
    let mut numbers = Vec::new();
    for indices in blocks(target.ncols(), KNOWN) {
        numbers.resize(rows.len() * indices.len(), 0.0);
        measure.fill(&queries, &measure.known(indices.clone()), &mut numbers)?;
        let lines = numbers.chunks_exact(indices.len());
        for (mut target, line) in target.rows_mut().into_iter().zip(lines) {
            for (place, &number) in indices.clone().zip(line) {
                target[place] = measure.distance(number);
            }
        }
    }
    Ok(())
}

/// Copies what is below the diagonal to what is above it.
fn mirror(mut square: ArrayViewMut2<'_, f64>) {
    let size = square.nrows();
    if size <= MIRRORED {
        for row in 0..size {
            for other in 0..row {
                square[[other, row]] = square[[row, other]];
            }
        }
        return;
    }
    let half = size / 2;
    let (upper, lower) = square.split_at(Axis(0), half);
    let (first, above) = upper.split_at(Axis(1), half);
    let (below, second) = lower.split_at(Axis(1), half);
    rayon::join(
        || rayon::join(|| mirror(first), || mirror(second)),
        || transpose(above, below.view()),
    );
}

/// Copies a matrix the other way, square by square, so that both are read while they are near.
fn transpose(target: ArrayViewMut2<'_, f64>, source: ArrayView2<'_, f64>) {
    let (rows, columns) = target.dim();
    if rows.max(columns) <= MIRRORED {
        let mut target = target;
        target.assign(&source.t());
        return;
    }
    let axis = if rows >= columns { Axis(0) } else { Axis(1) };
    let other = Axis(1 - axis.index());
    let half = rows.max(columns) / 2;
    let (first, second) = target.split_at(axis, half);
    let (from, to) = source.split_at(other, half);
    rayon::join(|| transpose(first, from), || transpose(second, to));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{normal, stream};

    #[test]
    fn halves_are_mirrored_for_any_size() {
        for size in [1, 2, 64, 65, 131, 300] {
            let mut matrix = Array2::from_shape_fn((size, size), |(i, j)| (i * size + j) as f64);
            mirror(matrix.view_mut());
            for ((i, j), value) in matrix.indexed_iter() {
                assert_eq!(*value, (i.max(j) * size + i.min(j)) as f64);
            }
        }
    }

    #[test]
    fn products_and_differences_agree_and_extreme_values_are_measured() {
        let mut draw = stream(6, 0);
        let x = Array2::from_shape_simple_fn((600, 20), || 50.0 + normal(&mut draw));
        let comparison = Comparison::default();
        let compared = Compared {
            comparison: &comparison,
            whitening: None,
            function: None,
        };
        let run = Run::new();
        for factor in [1.0, 1e-140, 1e150] {
            let x = &x * factor;
            let all = compared.among(&run, &Features::from(&x)).unwrap();
            let part = x.slice(s![500..510, ..]);
            let some = compared
                .between(&run, &Features::from(part), &Features::from(&x))
                .unwrap();
            for (row, other) in [(0, 7), (3, 599), (9, 509), (5, 0)] {
                let a = x.row(500 + row).to_vec();
                let want = Metric::Euclidean.between(&a, &x.row(other).to_vec(), 2.0);
                for got in [some[[row, other]], all[[500 + row, other]]] {
                    assert!((got - want).abs() <= 1e-9 * want, "{got} {want}");
                }
                assert_eq!(all[[500 + row, other]], all[[other, 500 + row]]);
            }
        }
    }
}
