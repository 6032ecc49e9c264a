//! Canonical correlations from joint covariances: every view is whitened, and one decomposition finds
//! what the whitened views share.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use crate::error::{Error, Result, message};
use crate::linalg::eigen::{self, largest};
use crate::linalg::partial_eigen::leading;
use crate::linalg::product::product;
use crate::linalg::svd;

/// The directions in which a view varies, each divided by its size.
#[derive(Clone, Debug)]
pub(super) struct Whitening {
    /// Directions w in the columns' own units, one a row: wᵀ(C + ridge·I)w = 1.
    pub directions: Array2<f64>,
    /// wᵀ C w of each: 1 without ridge.
    pub variances: Array1<f64>,
}

/// How a view is whitened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whiten {
    /// Added to every variance.
    pub ridge: f64,
    /// Give every column the variance 1 first.
    pub standardize: bool,
    /// Directions with less than this fraction of the view's variance are rounding.
    pub rounding: f64,
    /// Directions with less than this fraction of the largest variance are left out.
    pub tolerance: f64,
}

impl Whiten {
    /// Whitens a view. Without ridge the units of the columns do not matter, so they are always made
    /// alike: that keeps the eigenvalues apart from rounding.
    pub(super) fn apply(&self, covariance: &ArrayView2<'_, f64>) -> Result<Whitening> {
        let alike = self.standardize || self.ridge == 0.0;
        let factors = covariance.diag().mapv(|variance| match variance {
            v if v <= 0.0 => 0.0,
            v if alike => v.sqrt().recip(),
            _ => 1.0,
        });
        let mut scaled = covariance * &factors;
        scaled *= &factors.view().insert_axis(Axis(1));
        let eigen = eigen::symmetric(&scaled.view())?;
        let largest = eigen.values.first().copied().unwrap_or(0.0).max(0.0);
        let least = (self.rounding * scaled.diag().sum()).max(self.tolerance * largest);
        let rank = eigen
            .values
            .iter()
            .take_while(|&&value| value > least)
            .count();
        let values = eigen.values.slice(s![..rank]);
        let sizes = values.mapv(|value| (value + self.ridge).sqrt());
        let directions =
            &eigen.vectors.slice(s![..rank, ..]) * &factors / &sizes.insert_axis(Axis(1));
        Ok(Whitening {
            directions,
            variances: values.mapv(|value| value / (value + self.ridge)),
        })
    }
}

/// Columns that a view takes among those of all views side by side.
pub(super) fn ranges(widths: &[usize]) -> Vec<Range<usize>> {
    let mut start = 0;
    widths
        .iter()
        .map(|&width| {
            start += width;
            start - width..start
        })
        .collect()
}

/// Directions in every view, paired by component.
#[derive(Clone, Debug)]
pub(super) struct Directions {
    /// A matrix a view: a row for each component, a column for each feature.
    pub weights: Vec<Array2<f64>>,
    /// All eigenvalues of the block problem, largest first.
    pub spectrum: Array1<f64>,
}

/// Two views: singular vectors of the whitened cross-covariance. Eigenvalues are 1 + singular values.
pub(super) fn of_two(
    covariance: &ArrayView2<'_, f64>,
    views: &[Whitening],
    count: usize,
) -> Result<Directions> {
    let [first, second] = views else {
        return Err(Error::shape(message!("views of a pair"), 2, views.len()));
    };
    let width = first.directions.ncols();
    let across = covariance.slice(s![..width, width..]);
    let half = product(&first.directions.view(), &across);
    let parts = svd::thin(&product(&half.view(), &second.directions.t()).view())?;
    let weights = vec![
        product(&parts.left.slice(s![..count, ..]), &first.directions.view()),
        product(
            &parts.right.slice(s![..count, ..]),
            &second.directions.view(),
        ),
    ];
    Ok(signed(
        covariance,
        Directions {
            weights,
            spectrum: parts.values.mapv(|value| 1.0 + value),
        },
    ))
}

/// Any number of views: eigenvectors of the whitened covariance of all. Scaled so that
/// Σ wᵢᵀ(Cᵢᵢ + ridge·I)wᵢ is the number of views: for two views each term is 1.
pub(super) fn of_several(
    covariance: &ArrayView2<'_, f64>,
    views: &[Whitening],
    count: usize,
) -> Result<Directions> {
    let whitened = whitened(covariance, views);
    let (found, spectrum) = leading(&whitened.view(), count)?;
    let ranks: Vec<usize> = views.iter().map(|view| view.variances.len()).collect();
    let size = (views.len() as f64).sqrt();
    let weights = views
        .iter()
        .zip(ranges(&ranks))
        .map(|(view, place)| {
            let share = found.vectors.slice(s![.., place]);
            product(&share, &view.directions.view()) * size
        })
        .collect();
    Ok(signed(covariance, Directions { weights, spectrum }))
}

/// The covariance of all views after each is whitened.
fn whitened(covariance: &ArrayView2<'_, f64>, views: &[Whitening]) -> Array2<f64> {
    let ranks: Vec<usize> = views.iter().map(|view| view.variances.len()).collect();
    let widths: Vec<usize> = views.iter().map(|view| view.directions.ncols()).collect();
    let (places, columns) = (ranges(&ranks), ranges(&widths));
    let total = ranks.iter().sum();
    let mut whitened = Array2::zeros((total, total));
    for (i, one) in views.iter().enumerate() {
        whitened
            .slice_mut(s![places[i].clone(), places[i].clone()])
            .diag_mut()
            .assign(&one.variances);
        for (j, other) in views.iter().enumerate().take(i) {
            let across = covariance.slice(s![columns[i].clone(), columns[j].clone()]);
            let half = product(&one.directions.view(), &across);
            let block = product(&half.view(), &other.directions.t());
            let (rows, columns) = (places[i].clone(), places[j].clone());
            whitened
                .slice_mut(s![columns.clone(), rows.clone()])
                .assign(&block.t());
            whitened.slice_mut(s![rows, columns]).assign(&block);
        }
    }
    whitened
}

/// Fixes signs: the largest standardized weight of the first view is positive.
fn signed(covariance: &ArrayView2<'_, f64>, mut found: Directions) -> Directions {
    let deviations = covariance.diag().mapv(|v| v.max(0.0).sqrt());
    let count = found.weights.first().map_or(0, Array2::nrows);
    for component in 0..count {
        let rows: Vec<_> = found.weights.iter().map(|w| w.row(component)).collect();
        let whole =
            concatenate(Axis(0), &rows).expect("every view has as many weights") * &deviations;
        let width = rows[0].len();
        let first = largest(whole.slice(s![..width]));
        let decisive = if first == 0.0 {
            largest(whole.view())
        } else {
            first
        };
        if decisive < 0.0 {
            for weights in &mut found.weights {
                weights.row_mut(component).mapv_inplace(|entry| -entry);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::random::{normal, stream};

    const PLAIN: Whiten = Whiten {
        ridge: 0.0,
        standardize: true,
        rounding: 1e-12,
        tolerance: 0.0,
    };

    fn covariance(n_rows: usize, n_columns: usize) -> Array2<f64> {
        let mut stream = stream(3, 0);
        let hidden = Array2::from_shape_fn((n_rows, 2), |_| normal(&mut stream));
        let mut x = Array2::from_shape_fn((n_rows, n_columns), |_| normal(&mut stream));
        for j in 0..n_columns {
            x.column_mut(j)
                .scaled_add(1.0 + j as f64, &hidden.column(j % 2));
        }
        let centred = &x - &x.mean_axis(Axis(0)).unwrap();
        centred.t().dot(&centred) / (n_rows - 1) as f64
    }

    fn whitenings(c: &Array2<f64>, widths: &[usize], how: Whiten) -> Vec<Whitening> {
        ranges(widths)
            .into_iter()
            .map(|columns| {
                how.apply(&c.slice(s![columns.clone(), columns.clone()]))
                    .unwrap()
            })
            .collect()
    }

    #[test]
    fn whitened_directions_have_variance_one_and_know_the_rank() {
        let c = array![[4.0, 8.0, 0.0], [8.0, 16.0, 0.0], [0.0, 0.0, 0.0]];
        let view = PLAIN.apply(&c.view()).unwrap();
        assert_eq!(view.directions.dim(), (1, 3));
        assert!((view.directions.dot(&c).dot(&view.directions.t())[[0, 0]] - 1.0).abs() < 1e-14);
        let ridge = Whiten {
            ridge: 0.5,
            ..PLAIN
        };
        let view = ridge.apply(&c.view()).unwrap();
        assert!((view.variances[0] - 2.0 / 2.5).abs() < 1e-14);
    }

    #[test]
    fn two_views_give_the_same_by_both_roads() {
        let c = covariance(80, 7);
        let views = whitenings(&c, &[3, 4], PLAIN);
        let two = of_two(&c.view(), &views, 3).unwrap();
        let several = of_several(&c.view(), &views, 3).unwrap();
        for k in 0..3 {
            assert!((two.spectrum[k] - several.spectrum[k]).abs() < 1e-12);
        }
        for (a, b) in two.weights.iter().zip(&several.weights) {
            assert!((a - b).iter().all(|d| d.abs() < 1e-9), "{a} against {b}");
        }
    }

    #[test]
    fn several_views_satisfy_the_block_equation() {
        let c = covariance(90, 8);
        let widths = [2, 3, 3];
        let how = Whiten {
            ridge: 0.2,
            standardize: false,
            ..PLAIN
        };
        let found = of_several(&c.view(), &whitenings(&c, &widths, how), 2).unwrap();
        let mut b = Array2::<f64>::eye(8) * 0.2;
        for columns in ranges(&widths) {
            let block = c.slice(s![columns.clone(), columns.clone()]).to_owned();
            let mut place = b.slice_mut(s![columns.clone(), columns]);
            place += &block;
        }
        for k in 0..2 {
            let parts: Vec<_> = found.weights.iter().map(|w| w.row(k)).collect();
            let w = concatenate(Axis(0), &parts).unwrap();
            let residual = c.dot(&w) - b.dot(&w) * found.spectrum[k];
            assert!(residual.iter().all(|d| d.abs() < 1e-11), "{residual}");
            assert!((w.dot(&b.dot(&w)) - 3.0).abs() < 1e-11);
        }
    }
}
