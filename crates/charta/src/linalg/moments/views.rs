//! Joint moments of several views: the scatter within each and across them, in one pass.

use ndarray::{Array2, s};

use super::Moments;
use crate::data::{Features, Precision};
use crate::error::Result;
use crate::run::Run;

/// Rows that are put side by side at once.
const BLOCK: usize = 2048;

impl Moments {
    /// The moments of the columns of all views, side by side: the blocks of the scatter off the diagonal
    /// are the cross-scatters. Views of different precision meet in the wider one, block by block.
    pub fn of_views(run: &Run<'_>, views: &[Features<'_>]) -> Result<Self> {
        if let [only] = views {
            return Self::of(run, only);
        }
        let n_rows = views.first().map_or(0, Features::n_rows);
        let n_columns = views.iter().map(Features::n_columns).sum();
        let single = views
            .iter()
            .all(|view| view.precision() == Precision::Single);
        let mut moments = Self::new(n_columns);
        // Progress is reported over all blocks, not within each.
        let quiet = Run::new();
        for rows in crate::parallel::blocks(n_rows, BLOCK) {
            let end = rows.end;
            let parts: Vec<Features<'_>> = views
                .iter()
                .map(|view| view.rows(rows.start, rows.end))
                .collect();
            let block = side_by_side(&parts);
            if single {
                let block = block.mapv(|value| value as f32);
                moments.add(&quiet, &Features::from(&block))?;
            } else {
                moments.add(&quiet, &Features::from(&block))?;
            }
            run.progress(end as u64, n_rows as u64)?;
        }
        Ok(moments)
    }
}

fn side_by_side(views: &[Features<'_>]) -> Array2<f64> {
    let n_rows = views.first().map_or(0, Features::n_rows);
    let n_columns = views.iter().map(Features::n_columns).sum();
    let mut block = Array2::zeros((n_rows, n_columns));
    let mut start = 0;
    for view in views {
        let end = start + view.n_columns();
        block
            .slice_mut(s![.., start..end])
            .assign(&view.dense_rows(0, n_rows));
        start = end;
    }
    block
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn views_side_by_side_have_the_moments_of_one_table() {
        let x = Array2::from_shape_fn((5000, 5), |(i, j)| {
            ((i * 5 + j * j) as f64).sin() + j as f64
        });
        let run = Run::new();
        let whole = Moments::of(&run, &Features::from(&x)).unwrap();
        let (left, right) = (x.slice(s![.., ..2]), x.slice(s![.., 2..]));
        let views = [Features::from(left), Features::from(right)];
        let joint = Moments::of_views(&run, &views).unwrap();
        assert_eq!(joint.count(), 5000);
        assert!(
            (joint.mean() - whole.mean())
                .iter()
                .all(|d| d.abs() < 1e-13)
        );
        assert!(
            (joint.scatter() - whole.scatter())
                .iter()
                .all(|d| d.abs() < 1e-9)
        );
    }
}
