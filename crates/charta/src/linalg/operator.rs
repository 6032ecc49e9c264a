//! Centred and scaled rows as a matrix that is never formed.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, CowArray, Ix2, s};

use super::product::{add_product, product_into};
use super::real::Real;
use super::sparse;
use crate::data::features::for_features;
use crate::data::{Features, OwnedFeatures, SparseView};
use crate::error::Result;
use crate::parallel::{blocks, for_each, map, map_blocks, try_for_each};
use crate::run::Run;

/// Rows that one job handles.
const BLOCK: usize = 512;
/// Rows that one job projects: so few that their shifted copy stays in the cache.
const PROJECTED: usize = 128;
/// Partial sums that wait for their turn at once.
const WAVE: usize = 16;

/// The matrix with entries (x − offset) · factor, row by row, for features of any kind. Rows may have factors of their own too.
#[derive(Clone, Debug)]
pub(crate) struct Rows<'a> {
    features: Features<'a>,
    offset: &'a Array1<f64>,
    factors: Option<&'a Array1<f64>>,
    row_factors: Option<&'a Array1<f64>>,
}

impl<'a> Rows<'a> {
    /// Features less `offset`, column by column.
    pub(crate) fn new(features: &'a Features<'_>, offset: &'a Array1<f64>) -> Self {
        Self {
            features: features.reborrow(),
            offset,
            factors: None,
            row_factors: None,
        }
    }

    /// The same, each column multiplied by a factor, if there are any.
    pub(crate) fn scaled(mut self, factors: Option<&'a Array1<f64>>) -> Self {
        self.factors = factors;
        self
    }

    /// The same, each row multiplied by a factor, if there are any: the root of its weight.
    pub(crate) fn weighted(mut self, row_factors: Option<&'a Array1<f64>>) -> Self {
        self.row_factors = row_factors;
        self
    }

    /// Number of rows.
    pub(crate) fn n_rows(&self) -> usize {
        self.features.n_rows()
    }

    /// Number of columns.
    pub(crate) fn n_columns(&self) -> usize {
        self.features.n_columns()
    }

    /// The rows of a range, in double precision.
    pub(crate) fn block(&self, rows: Range<usize>) -> Array2<f64> {
        let mut block = self.features.dense_rows(rows.start, rows.end);
        for (index, mut row) in rows.zip(block.rows_mut()) {
            row -= self.offset;
            if let Some(factors) = self.factors {
                row *= factors;
            }
            if let Some(row_factors) = self.row_factors {
                row *= row_factors[index];
            }
        }
        block
    }

    /// This matrix times `right`, computed in the features' precision.
    pub(crate) fn times(&self, run: &Run<'_>, right: &ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let right = self.with_factors(right);
        let mut product: Array2<f64> = for_features!(
            &self.features,
            dense x => dense_times(run, x, self.offset, &right)?,
            sparse s => sparse::times(run, s, self.offset, &right)?
        );
        if let Some(row_factors) = self.row_factors {
            product *= &row_factors.view().insert_axis(Axis(1));
        }
        Ok(product)
    }

    /// This matrix times `right`, computed and kept in the features' precision; of sparse rows in double
    /// precision.
    pub(crate) fn times_kept(
        &self,
        run: &Run<'_>,
        right: &ArrayView2<'_, f64>,
    ) -> Result<OwnedFeatures> {
        if let (Features::F32(x), None) = (&self.features, self.row_factors) {
            let right = self.with_factors(right);
            return Ok(dense_times::<f32, f32>(run, x, self.offset, &right)?.into());
        }
        Ok(self.times(run, right)?.into())
    }

    /// The other matrix, which is smaller, with the factors moved to it.
    fn with_factors(&self, right: &ArrayView2<'_, f64>) -> Array2<f64> {
        match self.factors {
            Some(factors) => right * &factors.view().insert_axis(Axis(1)),
            None => right.to_owned(),
        }
    }

    /// A matrix of as many rows, with the factors of the rows moved to it.
    fn with_row_factors<'b>(&self, right: &ArrayView2<'b, f64>) -> CowArray<'b, f64, Ix2> {
        match self.row_factors {
            Some(factors) => (right * &factors.view().insert_axis(Axis(1))).into(),
            None => (*right).into(),
        }
    }

    /// This matrix times `right`, in double precision throughout: for iterations that must converge.
    pub(crate) fn times_wide(
        &self,
        run: &Run<'_>,
        right: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        if self.features.is_sparse() {
            return self.times(run, right);
        }
        let parts = map_blocks(run, self.n_rows(), BLOCK, |rows| {
            let block = self.block(rows);
            let mut image = Array2::zeros((block.nrows(), right.ncols()));
            product_into(image.view_mut(), &block.view(), right);
            image
        })?;
        let mut result = Array2::zeros((self.n_rows(), right.ncols()));
        for (mut target, part) in result.axis_chunks_iter_mut(Axis(0), BLOCK).zip(&parts) {
            target.assign(part);
        }
        Ok(result)
    }

    /// This matrix, transposed, times itself, times `right`.
    pub(crate) fn gram_times(
        &self,
        run: &Run<'_>,
        right: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        if self.features.is_sparse() {
            let image = self.times_wide(run, right)?;
            return self.transposed_times(run, &image.view());
        }
        self.sum_blocks(run, right.dim(), |rows| {
            let block = self.block(rows);
            let mut image = Array2::zeros((block.nrows(), right.ncols()));
            product_into(image.view_mut(), &block.view(), right);
            (block, image)
        })
    }

    /// This matrix, transposed, times `right`.
    pub(crate) fn transposed_times(
        &self,
        run: &Run<'_>,
        right: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        match &self.features {
            Features::SparseF32(s) => {
                let right = self.with_row_factors(right);
                return sparse::transposed_times(run, s, self.scale(), &right.view());
            }
            Features::SparseF64(s) => {
                let right = self.with_row_factors(right);
                return sparse::transposed_times(run, s, self.scale(), &right.view());
            }
            _ => {}
        }
        self.sum_blocks(run, (self.n_columns(), right.ncols()), |rows| {
            let part = right.slice(s![rows.clone(), ..]).to_owned();
            (self.block(rows), part)
        })
    }

    /// This matrix, transposed, times another of the same rows, neither of them formed.
    pub(crate) fn transposed_times_rows(
        &self,
        run: &Run<'_>,
        other: &Rows<'_>,
    ) -> Result<Array2<f64>> {
        if other.features.is_sparse() {
            return self.transposed_times_sparse(run, other);
        }
        self.sum_blocks(run, (self.n_columns(), other.n_columns()), |rows| {
            (self.block(rows.clone()), other.block(rows))
        })
    }

    /// The same where the other is sparse: its rows, which may be much wider, are never formed.
    fn transposed_times_sparse(&self, run: &Run<'_>, other: &Rows<'_>) -> Result<Array2<f64>> {
        let mut sum = Array2::zeros((other.n_columns(), self.n_columns()));
        for rows in blocks(self.n_rows(), BLOCK * WAVE) {
            let part = Rows {
                features: other.features.rows(rows.start, rows.end),
                offset: other.offset,
                factors: other.factors,
                row_factors: None,
            };
            let mut block = self.block(rows.clone());
            if let Some(factors) = other.row_factors {
                block *= &factors.slice(s![rows]).insert_axis(Axis(1));
            }
            sum += &part.transposed_times(run, &block.view())?;
        }
        Ok(sum.t().as_standard_layout().into_owned())
    }

    /// A sum of rows with weights, into `target`.
    pub(crate) fn combination(&self, indices: &[u32], weights: &[f64], target: &mut [f64]) {
        target.fill(0.0);
        let mut row = vec![0.0; target.len()];
        for (&index, &weight) in indices.iter().zip(weights) {
            self.features.copy_row(index as usize, &mut row);
            let weight = weight
                * self
                    .row_factors
                    .map_or(1.0, |factors| factors[index as usize]);
            for ((sum, value), middle) in target.iter_mut().zip(&row).zip(self.offset) {
                *sum += weight * (value - middle);
            }
        }
        if let Some(factors) = self.factors {
            for (sum, factor) in target.iter_mut().zip(factors) {
                *sum *= factor;
            }
        }
    }

    /// The sum over blocks of (first of the pair)ᵀ · (second of the pair), in the blocks' order.
    pub(crate) fn sum_blocks(
        &self,
        run: &Run<'_>,
        shape: (usize, usize),
        pair: impl Fn(Range<usize>) -> (Array2<f64>, Array2<f64>) + Sync,
    ) -> Result<Array2<f64>> {
        let mut sum = Array2::zeros(shape);
        for wave in blocks(self.n_rows(), BLOCK).chunks(WAVE) {
            run.check()?;
            let parts = map(wave.len(), |index| {
                let (left, right) = pair(wave[index].clone());
                let mut part = Array2::zeros(shape);
                product_into(part.view_mut(), &left.t(), &right.view());
                part
            });
            for part in parts {
                sum += &part;
            }
        }
        Ok(sum)
    }

    /// Inner products between every two rows: this matrix times itself transposed.
    pub(crate) fn inner_products(&self, run: &Run<'_>) -> Result<Array2<f64>> {
        let of_sparse = match &self.features {
            Features::SparseF32(s) => Some(sparse::inner_products(run, s, self.scale())?),
            Features::SparseF64(s) => Some(sparse::inner_products(run, s, self.scale())?),
            _ => None,
        };
        if let Some(mut products) = of_sparse {
            if let Some(factors) = self.row_factors {
                products *= &factors.view().insert_axis(Axis(1));
                products *= factors;
            }
            return Ok(products);
        }
        let n_rows = self.n_rows();
        let bands = blocks(n_rows, 128);
        let mut strips: Vec<Array2<f64>> = bands
            .iter()
            .map(|band| Array2::zeros((band.len(), n_rows)))
            .collect();
        for columns in blocks(self.n_columns(), BLOCK) {
            run.check()?;
            let panel = self.panel(&columns);
            for_each(strips.iter_mut().zip(&bands), |_, (strip, band)| {
                let left = panel.slice(s![band.clone(), ..]);
                add_product(strip.view_mut(), &left, &panel.t());
            });
            run.progress(columns.end as u64, self.n_columns() as u64)?;
        }
        let mut whole = Array2::zeros((n_rows, n_rows));
        for (strip, band) in strips.into_iter().zip(bands) {
            whole.slice_mut(s![band, ..]).assign(&strip);
        }
        Ok(whole)
    }

    fn scale(&self) -> sparse::Scale<'a> {
        sparse::Scale {
            offset: self.offset,
            factors: self.factors,
        }
    }

    /// Some columns of all rows.
    pub(crate) fn panel(&self, columns: &Range<usize>) -> Array2<f64> {
        let mut panel = Array2::zeros((self.n_rows(), columns.len()));
        for (row, mut target) in panel.rows_mut().into_iter().enumerate() {
            match &self.features {
                Features::F32(x) => {
                    for (to, from) in target.iter_mut().zip(x.slice(s![row, columns.clone()])) {
                        *to = f64::from(*from);
                    }
                }
                Features::F64(x) => target.assign(&x.slice(s![row, columns.clone()])),
                Features::SparseF32(s) => copy_columns(s, row, columns, &mut target),
                Features::SparseF64(s) => copy_columns(s, row, columns, &mut target),
            }
            target -= &self.offset.slice(s![columns.clone()]);
            if let Some(factors) = self.factors {
                target *= &factors.slice(s![columns.clone()]);
            }
            if let Some(row_factors) = self.row_factors {
                target *= row_factors[row];
            }
        }
        panel
    }

    /// The squared length of every row.
    pub(crate) fn squared_lengths(&self, run: &Run<'_>) -> Result<Array1<f64>> {
        let of_sparse = match &self.features {
            Features::SparseF32(s) => Some(sparse::squared_lengths(s, self.scale())),
            Features::SparseF64(s) => Some(sparse::squared_lengths(s, self.scale())),
            _ => None,
        };
        if let Some(mut lengths) = of_sparse {
            if let Some(factors) = self.row_factors {
                lengths *= &(factors * factors);
            }
            return Ok(lengths);
        }
        let parts = map_blocks(run, self.n_rows(), BLOCK, |rows| {
            let block = self.block(rows);
            block
                .rows()
                .into_iter()
                .map(|row| row.dot(&row))
                .collect::<Vec<f64>>()
        })?;
        Ok(parts.into_iter().flatten().collect())
    }
}

fn copy_columns<T: Real>(
    rows: &SparseView<'_, T>,
    row: usize,
    columns: &Range<usize>,
    target: &mut ndarray::ArrayViewMut1<'_, f64>,
) {
    for (column, value) in rows.row(row).filter(|(c, _)| columns.contains(c)) {
        target[column - columns.start] += value.wide();
    }
}

/// Rows less an offset, in their own precision. Always in row order, so that the bits of products do not depend on the layout of the
/// features.
pub(crate) fn shifted<T: Real>(rows: &ArrayView2<'_, T>, offset: &Array1<T>) -> Array2<T> {
    let mut shifted = Array2::from_elem(rows.dim(), T::of(0.0));
    ndarray::Zip::from(&mut shifted)
        .and(rows)
        .and_broadcast(offset)
        .for_each(|to, &from, &middle| *to = from - middle);
    shifted
}

fn dense_times<T: Real, U: Real>(
    run: &Run<'_>,
    x: &ArrayView2<'_, T>,
    offset: &Array1<f64>,
    right: &Array2<f64>,
) -> Result<Array2<U>> {
    let middle = offset.mapv(T::of);
    // What rounding the offset to the features' precision moved every row by.
    let moved = (middle.mapv(T::wide) - offset).dot(right);
    let (right, offset) = (right.mapv(T::of), middle);
    let mut result = Array2::from_elem((x.nrows(), right.ncols()), U::of(0.0));
    let targets = result.axis_chunks_iter_mut(Axis(0), PROJECTED);
    let parts = targets.zip(x.axis_chunks_iter(Axis(0), PROJECTED));
    try_for_each(run, parts, |_, (mut target, rows)| {
        let shifted = shifted(&rows, &offset);
        let mut image = Array2::from_elem(target.dim(), T::of(0.0));
        product_into(image.view_mut(), &shifted.view(), &right.view());
        ndarray::Zip::from(&mut target)
            .and(&image)
            .and_broadcast(&moved)
            .for_each(|to, &from, &moved| *to = U::of(from.wide() + moved));
        Ok(())
    })?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};

    use super::*;
    use crate::data::SparseRows;

    fn example() -> (Array2<f64>, Array1<f64>, Array1<f64>) {
        let x = Array2::from_shape_fn((1100, 9), |(i, j)| {
            if (i + j) % 3 == 0 {
                0.0
            } else {
                ((i * 9 + j) as f64).sin()
            }
        });
        let offset = Array1::from_shape_fn(9, |j| j as f64 / 10.0);
        let factors = Array1::from_shape_fn(9, |j| 1.0 + j as f64);
        (x, offset, factors)
    }

    #[test]
    fn every_product_agrees_with_the_matrix_formed() {
        let (x, offset, factors) = example();
        let right = Array2::from_shape_fn((9, 4), |(i, j)| (i as f64 - j as f64) / 3.0);
        let left = Array2::from_shape_fn((1100, 3), |(i, j)| ((i + j) as f64).cos());
        let run = Run::new();
        let entries = x.indexed_iter().map(|((i, j), v)| (i, j, *v)).collect();
        let sparse = SparseRows::from_entries(1100, 9, entries).unwrap();
        let roots = Array1::from_shape_fn(1100, |i| (i % 4) as f64 / 2.0);
        let close = |a: Array2<f64>, b: Array2<f64>| {
            assert!((a - b).iter().all(|d| d.abs() < 1e-9));
        };
        for features in [Features::from(&x), Features::from(sparse.view())] {
            for row_factors in [None, Some(&roots)] {
                let mut formed = (&x - &offset) * &factors;
                if let Some(roots) = row_factors {
                    formed *= &roots.view().insert_axis(Axis(1));
                }
                let rows = Rows::new(&features, &offset)
                    .scaled(Some(&factors))
                    .weighted(row_factors);
                close(rows.times(&run, &right.view()).unwrap(), formed.dot(&right));
                close(
                    rows.times_wide(&run, &right.view()).unwrap(),
                    formed.dot(&right),
                );
                close(
                    rows.gram_times(&run, &right.view()).unwrap(),
                    formed.t().dot(&formed.dot(&right)),
                );
                close(
                    rows.transposed_times(&run, &left.view()).unwrap(),
                    formed.t().dot(&left),
                );
                close(
                    rows.transposed_times_rows(&run, &rows).unwrap(),
                    formed.t().dot(&formed),
                );
                close(rows.inner_products(&run).unwrap(), formed.dot(&formed.t()));
                close(rows.panel(&(2..5)), formed.slice(s![.., 2..5]).to_owned());
                let lengths = rows.squared_lengths(&run).unwrap();
                assert!((lengths[701] - formed.row(701).dot(&formed.row(701))).abs() < 1e-9);
                let mut sum = vec![0.0; 9];
                rows.combination(&[3, 701], &[2.0, -1.0], &mut sum);
                let expected = &formed.row(3) * 2.0 - formed.row(701);
                assert!(
                    sum.iter()
                        .zip(&expected)
                        .all(|(a, b): (&f64, &f64)| (a - b).abs() < 1e-9)
                );
            }
        }
    }
}
