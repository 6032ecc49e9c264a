//! Rows transformed so that Euclidean distances rank neighbours as the metric does.

use ndarray::ArrayView2;

use crate::error::Result;
use crate::linalg::inner_product_join::distance::Measure;
use crate::linalg::wide::prefetch;
use crate::metric::Metric;
use crate::parallel::try_for_each;
use crate::run::Run;

/// Rows that one job measures.
const BLOCK: usize = 256;
/// Bytes of a line of the cache, and lines of a row that are prefetched: the processor prefetches the others.
const LINE: usize = 64;
const LINES: usize = 8;

/// Dense rows, and what makes them of length 1 if the metric compares directions.
#[derive(Debug)]
pub(super) struct Points<'a, T> {
    x: ArrayView2<'a, T>,
    directions: Option<Directions<T>>,
}

/// A row becomes (x − mean) · factor. The factor of a row without direction is 0.
#[derive(Debug)]
struct Directions<T> {
    means: Vec<T>,
    factors: Vec<T>,
}

impl<'a, T: Measure> Points<'a, T> {
    /// Rows for a metric; `None` if the metric cannot be reduced to Euclidean distances.
    pub(super) fn new(run: &Run<'_>, x: ArrayView2<'a, T>, metric: Metric) -> Result<Option<Self>> {
        let directions = match metric {
            Metric::Euclidean => None,
            Metric::Cosine => Some(Directions::of(run, &x, false)?),
            Metric::Correlation => Some(Directions::of(run, &x, true)?),
            _ => return Ok(None),
        };
        Ok(Some(Self { x, directions }))
    }

    pub(super) fn n_rows(&self) -> usize {
        self.x.nrows()
    }

    pub(super) fn n_columns(&self) -> usize {
        self.x.ncols()
    }

    /// True for a row that has no direction although the metric compares them.
    pub(super) fn is_null(&self, row: usize) -> bool {
        let directions = self.directions.as_ref();
        directions.is_some_and(|directions| directions.factors[row] == T::of(0.0))
    }

    /// Writes a row.
    pub(super) fn write(&self, row: usize, target: &mut [T]) {
        let from = self.x.row(row);
        match from.as_slice() {
            Some(from) => target.copy_from_slice(from),
            None => (target.iter_mut().zip(from)).for_each(|(to, &from)| *to = from),
        }
        if let Some(directions) = &self.directions {
            let (mean, factor) = (directions.means[row], directions.factors[row]);
            for value in target {
                *value = (*value - mean) * factor;
            }
        }
    }

    /// A row, written only if it cannot be lent.
    pub(super) fn read<'b>(&'b self, row: usize, space: &'b mut [T]) -> &'b [T] {
        if self.directions.is_none()
            && let Some(slice) = self.x.row(row).to_slice()
        {
            return slice;
        }
        self.write(row, space);
        space
    }

    /// Prefetches a row that will be read soon.
    #[inline]
    pub(super) fn prefetch(&self, row: usize) {
        let line = LINE / size_of::<T>();
        if let Some(values) = self.x.row(row).as_slice() {
            values.iter().step_by(line).take(LINES).for_each(prefetch);
        }
    }

    /// What the squared distance of two rows counts as: rows without direction are at a right angle to those
    /// that have one.
    pub(super) fn squared(&self, a: u32, b: u32, squared: T) -> T {
        if self.is_null(a as usize) == self.is_null(b as usize) {
            squared
        } else {
            T::of(2.0)
        }
    }

    /// The distance by the metric, from the squared Euclidean distance.
    pub(super) fn distance(&self, squared: T) -> f64 {
        match self.directions {
            None => squared.wide().sqrt(),
            Some(_) => squared.wide() / 2.0,
        }
    }

    /// The squared Euclidean distance, from that by the metric.
    pub(super) fn squared_of(&self, distance: f64) -> f64 {
        match self.directions {
            None => distance * distance,
            Some(_) => 2.0 * distance,
        }
    }
}

impl<T: Measure> Directions<T> {
    fn of(run: &Run<'_>, x: &ArrayView2<'_, T>, centred: bool) -> Result<Self> {
        let n_rows = x.nrows();
        let mut means = vec![T::of(0.0); n_rows];
        let mut factors = means.clone();
        let parts = means.chunks_mut(BLOCK).zip(factors.chunks_mut(BLOCK));
        try_for_each(run, parts, |block, (means, factors)| {
            let mut space = vec![T::of(0.0); x.ncols()];
            let ones = vec![T::of(1.0); x.ncols()];
            for (index, (mean, factor)) in means.iter_mut().zip(factors).enumerate() {
                let row = x.row(block * BLOCK + index);
                (space.iter_mut().zip(row)).for_each(|(to, &from)| *to = from);
                // The mean of equal numbers may be rounded, and what it leaves would look like a direction.
                let flat = if centred { space[0] } else { T::of(0.0) };
                if space.iter().all(|&value| value == flat) {
                    *mean = flat;
                    continue;
                }
                if centred {
                    *mean = T::of(T::product_wide(&space, &ones) / x.ncols() as f64);
                    space.iter_mut().for_each(|value| *value -= *mean);
                }
                let length = T::product_wide(&space, &space).sqrt();
                *factor = T::of(if length > 0.0 { length.recip() } else { 0.0 });
            }
            Ok(())
        })?;
        Ok(Self { means, factors })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn constant_rows_have_no_direction_however_their_mean_is_rounded() {
        let mut x = Array2::from_shape_fn((9, 7), |(i, _)| 0.1 * (i + 1) as f64);
        x[[4, 2]] = 3.0;
        let points = Points::new(&Run::new(), x.view(), Metric::Correlation);
        let points = points.unwrap().unwrap();
        for row in 0..9 {
            assert_eq!(points.is_null(row), row != 4, "{row}");
        }
        x.fill(0.0);
        let points = Points::new(&Run::new(), x.view(), Metric::Cosine);
        assert!(points.unwrap().unwrap().is_null(0));
    }
}
