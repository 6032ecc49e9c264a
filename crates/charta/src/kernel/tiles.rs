//! Kernels between blocks of rows, in the precision of the features.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, CowArray, Ix2, s};

use super::spec::Apart;
use super::{KernelKind, KernelSpec};
use crate::data::SparseView;
use crate::error::{Error, Result, message};
use crate::linalg::Exponential;
use crate::linalg::product::product_into;
use crate::linalg::wide;
use crate::metric::{Dense, Form, Measure, Metric, Scale, Sizes, Table};
use crate::parallel::{blocks, for_each, map, try_for_each};

/// Why a line of the target is one slice.
const ROW_ORDER: &str = "the matrix and its tiles are in row order";
/// Reference rows that one product takes in at a time.
const PANEL: usize = 512;
/// Reference rows whose differences are summed at a time.
const SUMMED: usize = 64;
/// Rows whose mean is the point in the middle.
const MIDDLE: usize = 256;

/// A squared distance below this fraction of the squared lengths is computed anew: the rest keeps four digits in single
/// precision, ten in double.
fn cancelled<T: Exponential>() -> T {
    T::of(if size_of::<T>() == 4 { 1e-3 } else { 1e-6 })
}

/// Rows of one kind and precision, compared with reference rows of the same.
pub(super) struct Tiles<'a, T> {
    rows: Table<'a, T>,
    known: Table<'a, T>,
    /// What is subtracted from all rows.
    centre: Option<Vec<T>>,
    /// Squared lengths of the rows and the reference rows, less the centre; lengths for the cosine.
    lengths: (Vec<T>, Vec<T>),
    scale: Scale,
    /// Rows are multiplied with this power of two, so that their squares do not vanish.
    factor: f64,
    /// The kernel of the rows so multiplied.
    spec: KernelSpec,
}

impl<'a, T: Exponential> Tiles<'a, T> {
    /// Gets ready to compare rows. `largest` is the largest size of a value of either.
    pub(super) fn new(
        rows: Table<'a, T>,
        known: Table<'a, T>,
        spec: KernelSpec,
        largest: f64,
    ) -> Result<Self> {
        let centre = match (&known, spec.kind) {
            (Table::Dense(x), KernelKind::Rbf) => Some(middle(x)),
            _ => None,
        };
        let factor = match spec.kind {
            KernelKind::Rbf | KernelKind::Cosine => Scale::of::<T>(largest, 2).factor().max(1.0),
            _ => 1.0,
        };
        let spec = match spec.kind {
            KernelKind::Rbf => KernelSpec {
                gamma: spec.gamma / factor / factor,
                ..spec
            },
            _ => spec,
        };
        let mut tiles = Self {
            rows,
            known,
            centre,
            lengths: (Vec::new(), Vec::new()),
            scale: Scale::of::<T>(largest, 1),
            factor,
            spec,
        };
        let known = tiles.measured(&tiles.known)?;
        tiles.lengths = if same(&tiles.rows, &tiles.known) {
            (known.clone(), known)
        } else {
            (tiles.measured(&tiles.rows)?, known)
        };
        Ok(tiles)
    }

    /// The same rows, compared with themselves, already less the centre and multiplied with the factor.
    fn of_moved<'b>(&self, rows: ArrayView2<'b, T>) -> Tiles<'b, T> {
        Tiles {
            rows: Table::Dense(rows),
            known: Table::Dense(rows),
            centre: None,
            lengths: self.lengths.clone(),
            scale: self.scale,
            factor: 1.0,
            spec: self.spec,
        }
    }

    fn measured(&self, table: &Table<'a, T>) -> Result<Vec<T>> {
        if self.spec.kind == KernelKind::Laplacian {
            return Ok(Vec::new());
        }
        let centre = |column: usize| {
            let centre = self.centre.as_ref();
            centre.map_or(0.0, |centre| centre[column].wide())
        };
        let squares: Vec<f64> = match table {
            Table::Dense(x) => {
                let square = |row: usize| -> f64 {
                    let less = |(column, value): (usize, &T)| {
                        (value.wide() - centre(column)) * self.factor
                    };
                    let row = x.row(row);
                    row.iter().enumerate().map(less).map(|v| v * v).sum()
                };
                let parts = map(x.nrows().div_ceil(HALF_BLOCK), |tile| {
                    let rows = tile * HALF_BLOCK..((tile + 1) * HALF_BLOCK).min(x.nrows());
                    rows.map(square).collect::<Vec<f64>>()
                });
                parts.concat()
            }
            Table::Sparse(rows) => {
                let mut dense = vec![0.0; rows.n_columns()];
                (0..rows.n_rows())
                    .map(|row| {
                        // A position may be stored twice.
                        spread(rows, row, &mut dense, self.factor);
                        let square = |(c, v): (usize, T)| dense[c] * (v.wide() * self.factor);
                        let square = rows.row(row).map(square).sum();
                        clear(rows, row, &mut dense);
                        square
                    })
                    .collect()
            }
        };
        // Products of lengths must stay in the range of the precision.
        let most = T::max_value().wide() / 8.0;
        if squares
            .iter()
            .any(|square| square.is_nan() || *square >= most)
        {
            return Err(Error::too_large());
        }
        let root = self.spec.kind == KernelKind::Cosine;
        let ready = |square: f64| T::of(if root { square.sqrt() } else { square });
        Ok(squares.into_iter().map(ready).collect())
    }

    /// Writes the kernels of some rows, a line each, with some reference rows.
    pub(super) fn fill(
        &self,
        rows: Range<usize>,
        known: Range<usize>,
        mut target: ArrayViewMut2<'_, T>,
    ) -> Result<()> {
        match (&self.rows, &self.known) {
            (Table::Dense(a), Table::Dense(b)) if self.spec.kind == KernelKind::Laplacian => {
                self.differences(a, b, rows, known, &mut target)?;
            }
            (Table::Dense(a), Table::Dense(b)) => {
                self.products(a, b, rows, known, &mut target);
            }
            (Table::Sparse(a), Table::Sparse(b)) => {
                self.gathered(a, b, rows, known, &mut target);
            }
            _ => {
                return Err(Error::unsupported(
                    message!("the comparison of {:rows}"),
                    message!("needs {:rows} of the same kind"),
                ));
            }
        }
        if target
            .iter()
            .all(|value| num_traits::Float::is_finite(*value))
        {
            Ok(())
        } else {
            Err(Error::too_large())
        }
    }

    fn shifted<'b>(&self, x: &'b ArrayView2<'_, T>, rows: Range<usize>) -> CowArray<'b, T, Ix2> {
        let part = x.slice(s![rows, ..]);
        match &self.centre {
            None if self.factor == 1.0 => CowArray::from(part),
            None => CowArray::from(part.mapv(|value| T::of(value.wide() * self.factor))),
            Some(centre) => {
                let mut own = part.as_standard_layout().into_owned();
                for mut line in own.rows_mut() {
                    for (value, &centre) in line.iter_mut().zip(centre) {
                        *value -= centre;
                    }
                }
                if self.factor != 1.0 {
                    own.mapv_inplace(|value| T::of(value.wide() * self.factor));
                }
                CowArray::from(own)
            }
        }
    }

    fn products(
        &self,
        a: &ArrayView2<'_, T>,
        b: &ArrayView2<'_, T>,
        rows: Range<usize>,
        known: Range<usize>,
        target: &mut ArrayViewMut2<'_, T>,
    ) {
        let left = self.shifted(a, rows.clone());
        let first = known.start;
        for start in known.clone().step_by(PANEL) {
            let panel = start..(start + PANEL).min(known.end);
            let right = self.shifted(b, panel.clone());
            let mut part = target.slice_mut(s![.., panel.start - first..panel.end - first]);
            product_into(part.view_mut(), &left.view(), &right.t());
            for (index, mut line) in part.rows_mut().into_iter().enumerate() {
                let row = rows.start + index;
                let anew = |column: usize| {
                    let (x, y) = (a.row(row), b.row(panel.start + column));
                    let apart = |(x, y): (&T, &T)| ((*x - *y).wide() * self.factor).powi(2);
                    x.iter().zip(y).map(apart).sum()
                };
                let line = line.as_slice_mut().expect(ROW_ORDER);
                self.settle(line, row, panel.clone(), anew);
            }
        }
    }

    /// Makes kernels of a line of products; `anew` computes a squared distance from differences.
    fn settle(
        &self,
        line: &mut [T],
        row: usize,
        panel: Range<usize>,
        mut anew: impl FnMut(usize) -> f64,
    ) {
        let (own, others) = (self.lengths.0[row], &self.lengths.1[panel]);
        if self.spec.kind == KernelKind::Rbf {
            let share = cancelled::<T>();
            let any = wide::run(Apart {
                line: &mut *line,
                own,
                others,
                cancelled: share,
            });
            if any {
                for (column, value) in line.iter_mut().enumerate() {
                    if *value <= share * (own + others[column]) {
                        *value = T::of(anew(column));
                    }
                }
            }
        }
        self.spec.finish(line, own, others);
    }

    fn differences(
        &self,
        a: &ArrayView2<'_, T>,
        b: &ArrayView2<'_, T>,
        rows: Range<usize>,
        known: Range<usize>,
        target: &mut ArrayViewMut2<'_, T>,
    ) -> Result<()> {
        let measure = Dense {
            rows: Table::Dense(a.view()),
            known: Table::Dense(b.view()),
            metric: Metric::Manhattan,
            form: Form::Plain(self.scale),
            op: Sizes,
        };
        let queries = measure.queries(rows.clone());
        let mut numbers = Vec::new();
        for panel in blocks(known.len(), SUMMED) {
            numbers.resize(rows.len() * panel.len(), 0.0);
            let indices = known.start + panel.start..known.start + panel.end;
            measure.fill(&queries, &measure.known(indices), &mut numbers)?;
            let lines = numbers.chunks_exact(panel.len());
            for (mut line, numbers) in target.rows_mut().into_iter().zip(lines) {
                let part = line.slice_mut(s![panel.clone()]);
                for (value, &number) in part.into_iter().zip(numbers) {
                    *value = T::of(measure.distance(number));
                }
            }
        }
        for mut line in target.rows_mut() {
            let line = line.as_slice_mut().expect(ROW_ORDER);
            self.spec.finish(line, T::of(0.0), &[]);
        }
        Ok(())
    }

    /// Sparse rows: one is spread out, and the values of the others are looked up in it.
    fn gathered(
        &self,
        a: &SparseView<'_, T>,
        b: &SparseView<'_, T>,
        rows: Range<usize>,
        known: Range<usize>,
        target: &mut ArrayViewMut2<'_, T>,
    ) {
        let mut dense = vec![0.0; a.n_columns()];
        let by_differences = self.spec.kind == KernelKind::Laplacian;
        for (row, mut line) in rows.zip(target.axis_iter_mut(Axis(0))) {
            spread(a, row, &mut dense, self.factor);
            let size: f64 = dense.iter().map(|value| value.abs()).sum();
            for (other, value) in known.clone().zip(&mut line) {
                let sum: f64 = if by_differences {
                    // What the columns of the other row change in the sum of absolute values of this one.
                    let change = |(c, v): (usize, T)| (dense[c] - v.wide()).abs() - dense[c].abs();
                    (size + b.row(other).map(change).sum::<f64>()).max(0.0)
                } else {
                    let product = |(c, v): (usize, T)| dense[c] * (v.wide() * self.factor);
                    b.row(other).map(product).sum()
                };
                *value = T::of(sum);
            }
            let line = line.as_slice_mut().expect(ROW_ORDER);
            if by_differences {
                self.spec.finish(line, T::of(0.0), &[]);
            } else {
                let mut own = dense.clone();
                self.settle(line, row, known.clone(), |column| {
                    let other = known.start + column;
                    b.row(other)
                        .for_each(|(c, v)| own[c] -= v.wide() * self.factor);
                    let square = own.iter().map(|v| v * v).sum();
                    b.row(other).for_each(|(c, _)| own[c] = dense[c]);
                    square
                });
            }
            clear(a, row, &mut dense);
        }
    }
}

fn spread<T: Exponential>(rows: &SparseView<'_, T>, row: usize, dense: &mut [f64], factor: f64) {
    rows.row(row)
        .for_each(|(c, v)| dense[c] += v.wide() * factor);
}

fn clear<T: Exponential>(rows: &SparseView<'_, T>, row: usize, dense: &mut [f64]) {
    rows.row(row).for_each(|(c, _)| dense[c] = 0.0);
}

/// Whether both are the same numbers in memory.
fn same<T>(a: &Table<'_, T>, b: &Table<'_, T>) -> bool {
    match (a, b) {
        (Table::Dense(a), Table::Dense(b)) => {
            (a.as_ptr(), a.dim(), a.strides()) == (b.as_ptr(), b.dim(), b.strides())
        }
        _ => false,
    }
}

/// The mean of some rows spread over the table.
fn middle<T: Exponential>(x: &ArrayView2<'_, T>) -> Vec<T> {
    let step = x.nrows().div_ceil(MIDDLE).max(1);
    let chosen: Vec<usize> = (0..x.nrows()).step_by(step).collect();
    let mut sums = vec![0.0; x.ncols()];
    for &row in &chosen {
        for (sum, value) in sums.iter_mut().zip(x.row(row)) {
            *sum += value.wide() / chosen.len() as f64;
        }
    }
    sums.into_iter().map(T::of).collect()
}

/// All kernels between rows, of which the lower half is computed, in lines that are filled up with zeros to a width.
pub(super) fn symmetric<T: Exponential>(
    run: &crate::run::Run<'_>,
    tiles: &Tiles<'_, T>,
    shape: (usize, usize),
) -> Result<Array2<T>> {
    // Moved once, the rows cost less than the matrix does; block by block they would be moved again and again.
    if let (Table::Dense(rows), Some(_)) = (&tiles.rows, &tiles.centre)
        && rows.ncols() <= shape.0
    {
        let moved = tiles.shifted(rows, 0..shape.0);
        return symmetric(run, &tiles.of_moved(moved.view()), shape);
    }
    let mut matrix = Array2::from_elem(shape, T::of(0.0));
    try_for_each(
        run,
        matrix.axis_chunks_iter_mut(Axis(0), HALF_BLOCK),
        |block, mut lines| {
            let rows = block * HALF_BLOCK..block * HALF_BLOCK + lines.nrows();
            let lower = lines.slice_mut(s![.., ..rows.end]);
            tiles.fill(rows.clone(), 0..rows.end, lower)
        },
    )?;
    mirror(matrix.slice_mut(s![.., ..shape.0]));
    Ok(matrix)
}

/// Rows that one job computes.
pub(super) const BLOCK: usize = 128;
/// The same for half a matrix: sparse rows are spread out anew for every block.
const HALF_BLOCK: usize = 256;

/// Copies the lower half to the upper one: a quarter by square tiles, then the two triangles left.
fn mirror<T: Copy + Send + Sync>(matrix: ArrayViewMut2<'_, T>) {
    const TILE: usize = 64;
    let size = matrix.nrows();
    if size < 2 {
        return;
    }
    let half = size.div_ceil(2).next_multiple_of(TILE).min(size - 1);
    let (above, below) = matrix.split_at(Axis(0), half);
    let (known, lower) = below.split_at(Axis(1), half);
    let (upper, mut missing) = above.split_at(Axis(1), half);
    for_each(
        missing.axis_chunks_iter_mut(Axis(0), TILE),
        |index, mut lines| {
            let columns = index * TILE..index * TILE + lines.nrows();
            for rows in blocks(known.nrows(), TILE) {
                let from = known.slice(s![rows.clone(), columns.clone()]);
                lines.slice_mut(s![.., rows]).assign(&from.t());
            }
        },
    );
    rayon::join(|| mirror(upper), || mirror(lower));
}
