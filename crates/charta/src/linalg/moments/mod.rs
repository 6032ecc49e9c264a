//! Count, mean and scatter of rows: one pass, mergeable, and safe in single precision.
//!
//! Rows are shifted by an estimate of their mean before they are multiplied, so that no digits are
//! lost where the mean is large against the spread. Products of a few hundred rows are summed in the
//! input's precision and then added up in double precision.

mod groups;
mod views;

use ndarray::{Array1, Array2, ArrayView2, Axis};

pub(crate) use groups::{GroupMoments, rows_at_once};

use super::real::Real;
use super::scatter;
use super::scatter_kernel::Kernel;
use crate::data::features::for_features;
use crate::data::{Batches, Features, SparseView};
use crate::error::Result;
use crate::parallel::try_for_each;
use crate::run::Run;

/// Columns of the scatter that one job sums for sparse rows.
const BAND: usize = 64;

/// Count, mean, and scatter about the mean, of the rows seen so far.
#[derive(Clone, Debug)]
pub struct Moments {
    count: usize,
    mean: Array1<f64>,
    /// Sum of (x − mean)(x − mean)ᵀ; both triangles are filled.
    scatter: Array2<f64>,
    /// Some of it was summed in single precision.
    single: bool,
    /// The fraction of the scatter that is rounding, where it is not that of sums about the mean.
    share: Option<f64>,
}

impl Moments {
    /// No rows yet.
    pub fn new(n_columns: usize) -> Self {
        Self {
            count: 0,
            mean: Array1::zeros(n_columns),
            scatter: Array2::zeros((n_columns, n_columns)),
            single: false,
            share: None,
        }
    }

    /// The moments of all rows.
    pub fn of(run: &Run<'_>, features: &Features<'_>) -> Result<Self> {
        let mut moments = Self::new(features.n_columns());
        moments.add(run, features)?;
        Ok(moments)
    }

    /// The moments of all batches, read on the calling thread.
    pub fn of_batches(run: &Run<'_>, batches: &mut dyn Batches, method: &str) -> Result<Self> {
        let mut moments = Self::new(batches.n_columns());
        let total = batches.n_rows().unwrap_or(0) as u64;
        while let Some(batch) = batches.next_batch()? {
            let features = batch.features(method)?;
            // Progress is reported over all batches, not within each.
            let part = run.install(|| Self::of(&Run::new(), features))?;
            if !part.is_finite() {
                return Err(batch.bad_values(None).further_on(moments.count));
            }
            moments.merge(&part);
            run.progress(moments.count as u64, total.max(moments.count as u64))?;
        }
        Ok(moments)
    }

    /// Number of rows seen.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Mean of the rows.
    pub fn mean(&self) -> &Array1<f64> {
        &self.mean
    }

    /// Sum of the outer products of the centred rows.
    pub fn scatter(&self) -> &Array2<f64> {
        &self.scatter
    }

    /// The columns' sums of squared deviations.
    pub fn spreads(&self) -> Array1<f64> {
        self.scatter.diag().to_owned()
    }

    /// The fraction of the total scatter below which a direction's own is no more than rounding.
    pub fn rounding(&self) -> f64 {
        if let Some(share) = self.share {
            share
        } else if self.single {
            4.0 * f64::from(f32::EPSILON)
        } else {
            self.count.max(self.mean.len()) as f64 * f64::EPSILON
        }
    }

    /// The moments of (x − offset) · factor, column by column.
    pub fn rescaled(&self, offset: &Array1<f64>, factors: &Array1<f64>) -> Self {
        let mut rescaled = self.clone();
        rescaled.mean = (&self.mean - offset) * factors;
        rescaled.scale_scatter(factors);
        rescaled
    }

    /// Multiplies every row and column of the scatter by its factor.
    pub fn scale_scatter(&mut self, factors: &Array1<f64>) {
        for ((i, j), entry) in self.scatter.indexed_iter_mut() {
            *entry *= factors[i] * factors[j];
        }
    }

    /// True if no value seen was infinite or NaN, nor a square too large.
    pub fn is_finite(&self) -> bool {
        self.mean.iter().all(|value| value.is_finite())
            && self.scatter.iter().all(|value| value.is_finite())
    }

    /// Takes in further rows.
    pub fn add(&mut self, run: &Run<'_>, features: &Features<'_>) -> Result<()> {
        if features.n_rows() == 0 {
            return Ok(());
        }
        let rows = for_features!(features, dense x => dense(run, x)?, sparse s => sparse(run, s)?);
        self.merge(&rows);
        Ok(())
    }

    /// Takes in what another pass has seen: the result is that of one pass over both.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            self.clone_from(other);
            return;
        }
        let (ours, theirs) = (self.count as f64, other.count as f64);
        let total = ours + theirs;
        let apart = &other.mean - &self.mean;
        let weight = ours * theirs / total;
        for ((mut row, added), &a) in self
            .scatter
            .rows_mut()
            .into_iter()
            .zip(other.scatter.rows())
            .zip(&apart)
        {
            for ((entry, &extra), &b) in row.iter_mut().zip(added).zip(&apart) {
                *entry += extra + weight * (a * b);
            }
        }
        self.mean.scaled_add(theirs / total, &apart);
        self.count += other.count;
        self.single |= other.single;
    }

    /// The same rows, with their scatter about zero instead of their mean: Σ x xᵀ.
    pub fn about_zero(mut self) -> Self {
        let n = self.count as f64;
        // What the mean adds is exact to double precision, however the scatter was summed.
        let centred = self.scatter.diag().sum();
        let total = centred + n * self.mean.dot(&self.mean);
        let wide = self.count.max(self.mean.len()) as f64 * f64::EPSILON;
        if total > 0.0 {
            self.share = Some(wide + self.rounding() * centred / total);
        }
        for (mut row, &a) in self.scatter.rows_mut().into_iter().zip(&self.mean) {
            row.scaled_add(n * a, &self.mean);
        }
        self.mean.fill(0.0);
        self
    }

    /// Adds to the scatter: for expected values of what was not observed.
    pub fn add_scatter(&mut self, extra: &ArrayView2<'_, f64>) {
        self.scatter += extra;
    }

    /// Clears columns whose spread is no more than the rounding of their squares: constant ones.
    fn clear_rounding(&mut self, squares: &Array1<f64>) {
        let share = self.count as f64 * f64::EPSILON;
        for (j, &square) in squares.iter().enumerate() {
            if self.scatter[[j, j]] <= share * square {
                self.scatter.row_mut(j).fill(0.0);
                self.scatter.column_mut(j).fill(0.0);
            }
        }
    }

    /// Moments from raw sums about `shift`: what the passes below collect.
    fn about(count: usize, shift: Array1<f64>, sums: &Array1<f64>, mut raw: Array2<f64>) -> Self {
        let n = count as f64;
        for (i, mut row) in raw.rows_mut().into_iter().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry -= sums[i] / n * sums[j];
            }
        }
        for entry in raw.diag_mut() {
            *entry = entry.max(0.0);
        }
        Self {
            count,
            mean: shift + sums / n,
            scatter: raw,
            single: false,
            share: None,
        }
    }
}

fn dense<T: Kernel>(run: &Run<'_>, x: &ArrayView2<'_, T>) -> Result<Moments> {
    let sums = scatter::about_first_mean(run, x)?;
    let moments = Moments::about(x.nrows(), sums.shift, &sums.columns, sums.products);
    Ok(Moments {
        single: sums.single,
        ..moments
    })
}

/// Sparse rows are not shifted, so that zeros stay out of the sums.
fn sparse<T: Real>(run: &Run<'_>, rows: &SparseView<'_, T>) -> Result<Moments> {
    let n_columns = rows.n_columns();
    let mut sums = Array1::<f64>::zeros(n_columns);
    for row in 0..rows.n_rows() {
        for (column, value) in rows.row(row) {
            sums[column] += value.wide();
        }
    }
    let mut raw = Array2::<f64>::zeros((n_columns, n_columns));
    try_for_each(
        run,
        raw.axis_chunks_iter_mut(Axis(0), BAND),
        |band, mut target| {
            let start = band * BAND;
            let end = start + target.nrows();
            for row in 0..rows.n_rows() {
                if row % 1024 == 0 {
                    run.check()?;
                }
                for (i, a) in rows.row(row).filter(|(i, _)| (start..end).contains(i)) {
                    for (j, b) in rows.row(row) {
                        target[[i - start, j]] += a.wide() * b.wide();
                    }
                }
            }
            Ok(())
        },
    )?;
    let squares = raw.diag().to_owned();
    let mut moments = Moments::about(rows.n_rows(), Array1::zeros(n_columns), &sums, raw);
    moments.clear_rounding(&squares);
    Ok(moments)
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::data::SparseRows;
    use crate::random::{normal, stream};

    fn sample(n_rows: usize, n_columns: usize, offset: f64) -> Array2<f64> {
        let mut stream = stream(5, 0);
        Array2::from_shape_fn((n_rows, n_columns), |(_, j)| {
            offset + (j + 1) as f64 * normal(&mut stream)
        })
    }

    fn naive(x: &Array2<f64>) -> (Array1<f64>, Array2<f64>) {
        let mean = x.mean_axis(Axis(0)).unwrap();
        let centred = x - &mean;
        (mean, centred.t().dot(&centred))
    }

    #[test]
    fn one_pass_gives_mean_and_scatter() {
        let x = sample(2500, 150, 3.0);
        let moments = Moments::of(&Run::new(), &Features::from(&x)).unwrap();
        let (mean, scatter) = naive(&x);
        assert!((moments.mean() - &mean).iter().all(|d| d.abs() < 1e-12));
        let scale = scatter[[149, 149]];
        assert!(
            (moments.scatter() - &scatter)
                .iter()
                .all(|d| d.abs() < 1e-12 * scale)
        );
    }

    #[test]
    fn merging_equals_one_pass() {
        let x = sample(1000, 6, -2.0);
        let run = Run::new();
        let whole = Moments::of(&run, &Features::from(&x)).unwrap();
        let features = Features::from(&x);
        let mut merged = Moments::new(6);
        for (start, end) in [(0, 1), (1, 400), (400, 400), (400, 1000)] {
            merged.merge(&Moments::of(&run, &features.rows(start, end)).unwrap());
        }
        assert_eq!(merged.count(), 1000);
        assert!(
            (merged.mean() - whole.mean())
                .iter()
                .all(|d| d.abs() < 1e-13)
        );
        assert!(
            (merged.scatter() - whole.scatter())
                .iter()
                .all(|d| d.abs() < 1e-9)
        );
    }

    #[test]
    fn the_scatter_about_zero_is_the_gram_matrix() {
        let x = sample(700, 5, 4.0);
        let moments = Moments::of(&Run::new(), &Features::from(&x)).unwrap();
        let raw = moments.about_zero();
        assert!(raw.mean().iter().all(|&mean| mean == 0.0));
        assert!(
            (raw.scatter() - &x.t().dot(&x))
                .iter()
                .all(|d| d.abs() < 1e-8)
        );
    }

    #[test]
    fn single_precision_with_a_large_mean_keeps_its_digits() {
        let x = sample(20_000, 3, 1000.0);
        let single = x.mapv(|v| v as f32);
        let moments = Moments::of(&Run::new(), &Features::from(&single)).unwrap();
        let (mean, scatter) = naive(&single.mapv(f64::from));
        for j in 0..3 {
            assert!((moments.mean()[j] - mean[j]).abs() < 1e-6);
            assert!((moments.scatter()[[j, j]] / scatter[[j, j]] - 1.0).abs() < 2e-6);
        }
    }

    #[test]
    fn sparse_rows_give_the_same_moments() {
        let mut x = sample(300, 70, 0.0);
        x.mapv_inplace(|v| if v.abs() < 20.0 { 0.0 } else { v });
        let entries = x
            .indexed_iter()
            .filter(|(_, v)| **v != 0.0)
            .map(|((i, j), v)| (i, j, *v))
            .collect();
        let rows = SparseRows::from_entries(300, 70, entries).unwrap();
        let run = Run::new();
        let sparse = Moments::of(&run, &Features::from(rows.view())).unwrap();
        let dense = Moments::of(&run, &Features::from(&x)).unwrap();
        assert!(
            (sparse.scatter() - dense.scatter())
                .iter()
                .all(|d| d.abs() < 1e-7)
        );
    }

    #[test]
    fn values_that_are_not_finite_show() {
        let mut x = sample(2000, 4, 0.0);
        x[[1500, 2]] = f64::NAN;
        let moments = Moments::of(&Run::new(), &Features::from(&x)).unwrap();
        assert!(!moments.is_finite());
    }

    #[test]
    fn the_bits_do_not_depend_on_threads() {
        let x = sample(3000, 200, 1.0).mapv(|v| v as f32);
        let bits = |threads| {
            let run = Run::new().threads(threads).unwrap();
            let moments = run.install(|| Moments::of(&run, &Features::from(&x)).unwrap());
            moments.scatter().mapv(f64::to_bits)
        };
        assert_eq!(bits(1), bits(2));
        assert_eq!(bits(1), bits(7));
    }
}
