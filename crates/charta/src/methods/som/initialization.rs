//! Initialization of the units: on the plane of the first two principal components, or at random rows.

use ndarray::{Array1, Array2};

use super::Grid;
use super::Space;
use crate::data::Features;
use crate::error::Result;
use crate::linalg::block_krylov::Effort;
use crate::linalg::operator::Rows;
use crate::params::Choice;
use crate::random::{permutation, stream};
use crate::run::{Quiet, Run};
use crate::spectral::principal;

/// Relative accuracy of the principal axes.
const PCA_TOLERANCE: f64 = 1e-3;
/// Products with the data that they may take.
const PCA_PRODUCTS: usize = 20;
/// How many standard deviations the plane reaches to each side: so its units have the variance of the rows.
const REACH: f64 = 1.732_050_807_568_877_2;

/// Initialization of the units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Initialization {
    /// On the plane of the first two principal components, the first along the longer side of the grid.
    Pca,
    /// Random rows of the data.
    Random,
}

/// The first two principal axes of rows, in their space.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    /// The mean of the rows.
    middle: Array1<f64>,
    /// The axes, each as long as the standard deviation along it; 0 where rows do not vary.
    axes: [Array1<f64>; 2],
}

impl Plane {
    /// The plane of some rows.
    pub(super) fn of(
        run: &Run<'_>,
        space: &Space,
        features: &Features<'_>,
        seed: u64,
    ) -> Result<Self> {
        let n_columns = features.n_columns();
        let means = crate::data::columns::Columns::of(features).means;
        let factors = Array1::from_elem(n_columns, space.factor());
        let rows = Rows::new(features, &means).scaled(Some(&factors));
        let mut plane = Self {
            middle: (&means - space.middle()) * space.factor(),
            axes: [Array1::zeros(n_columns), Array1::zeros(n_columns)],
        };
        let count = n_columns.min(features.n_rows()).min(2);
        if rows.squared_lengths(run)?.sum() <= 0.0 {
            return Ok(plane);
        }
        let effort = Effort {
            tolerance: PCA_TOLERANCE,
            max_products: PCA_PRODUCTS,
            seed,
        };
        // A start that is a little off does no harm: no word of it.
        let quiet = Quiet(run);
        let found = principal::randomized(&Run::new().observer(&quiet), &rows, count, &effort)?;
        let rank = found.rank();
        let lengths = found.scatters.iter().zip(found.vectors.rows());
        for (axis, (scatter, vector)) in plane.axes.iter_mut().zip(lengths.take(rank)) {
            *axis = &vector * (scatter / features.n_rows() as f64).sqrt();
        }
        Ok(plane)
    }

    /// How many times as far rows spread along the first axis as along the second.
    pub(super) fn stretch(&self) -> f64 {
        let length = |axis: &Array1<f64>| axis.dot(axis).sqrt();
        let (first, second) = (length(&self.axes[0]), length(&self.axes[1]));
        if first > 0.0 { first / second } else { 1.0 }
    }

    /// Units of a grid laid on the plane.
    pub(super) fn units(&self, grid: &Grid) -> Array2<f64> {
        let (wide, high) = grid.extent();
        let turned = high > wide;
        let share = |place: f64, side: f64| {
            if side > 0.0 {
                (2.0 * place / side - 1.0) * REACH
            } else {
                0.0
            }
        };
        let mut units = Array2::zeros((grid.n_units(), self.middle.len()));
        for (unit, mut target) in units.rows_mut().into_iter().enumerate() {
            let (x, y) = grid.coordinates(unit);
            let (x, y) = (share(x, wide), share(y, high));
            let (first, second) = if turned { (y, x) } else { (x, y) };
            target.assign(&self.middle);
            target.scaled_add(first, &self.axes[0]);
            target.scaled_add(second, &self.axes[1]);
        }
        units
    }
}

/// Rows drawn at random, none twice as long as there are enough.
pub(super) fn drawn(
    space: &Space,
    features: &Features<'_>,
    n_units: usize,
    seed: u64,
) -> Array2<f64> {
    let order = permutation(&mut stream(seed, 0), features.n_rows());
    let mut units = Array2::zeros((n_units, features.n_columns()));
    for (mut target, &row) in units.rows_mut().into_iter().zip(order.iter().cycle()) {
        let target = target.as_slice_mut().expect("a new array is in row order");
        space.row(features, row, target);
    }
    units
}
