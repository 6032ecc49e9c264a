//! Initialization: small coordinates, from principal components, eigenvectors of the affinities, or random.

use ndarray::{Array2, Axis};
use rayon::prelude::*;

use super::Affinities;
use crate::data::columns::Columns;
use crate::data::{Data, Features, Source};
use crate::error::{Result, Warning, message};
use crate::linalg::block_krylov::{self, Effort, Symmetric};
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::params::Choice;
use crate::random::{normal, stream};
use crate::run::{Quiet, Run};
use crate::spectral::principal::{self, Axes, Solver};

/// Standard deviation of the first coordinate initially: small, so that rows can pass each other.
const INITIAL_DEVIATION: f64 = 1e-4;
/// Standard deviation of the noise added, as a fraction of that: it separates equal rows.
const JITTER: f64 = 0.01;
/// Rows that are drawn from one stream.
const BLOCK: usize = 1024;
/// Relative accuracy of the initial axes.
const TOLERANCE: f64 = 1e-4;
/// Products that they may take.
const PRODUCTS: usize = 60;

/// Initialization of the embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Initialization {
    /// Principal components of the features; eigenvectors of the affinities where there are no features.
    Pca,
    /// Eigenvectors of the affinities (Laplacian eigenmaps).
    Spectral,
    /// Random coordinates.
    Random,
}

impl Initialization {
    /// The initial coordinates of all rows.
    pub(crate) fn coordinates(
        self,
        run: &Run<'_>,
        data: &Data<'_>,
        affinities: &Affinities,
        n_components: usize,
        seed: u64,
    ) -> Result<Array2<f64>> {
        let mut coordinates = Array2::zeros((data.n_rows(), n_components));
        let found = match (self, data.source()) {
            (Self::Random, _) => None,
            (Self::Pca, Source::Features(features)) => pca(run, features, n_components, seed)?,
            _ => spectral(run, affinities, n_components, seed)?,
        };
        match found {
            Some(found) => rescale_to(&mut coordinates, &found),
            None if self != Self::Random => run.warn(Warning::adjusted(
                "init",
                self,
                Self::Random,
                message!("the squares of the values overflow"),
            ))?,
            None => {}
        }
        let whole = self == Self::Random || coordinates.iter().all(|value| *value == 0.0);
        add_noise(
            &mut coordinates,
            if whole {
                INITIAL_DEVIATION
            } else {
                JITTER * INITIAL_DEVIATION
            },
            seed,
        );
        Ok(coordinates)
    }
}

/// Coordinates scaled to the initial standard deviation.
fn rescale_to(coordinates: &mut Array2<f64>, found: &Array2<f64>) {
    let most = found.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    if !(most > 0.0 && most.is_finite()) {
        return;
    }
    let first = found.column(0);
    let n = first.len() as f64;
    let mean = first.iter().map(|value| value / most).sum::<f64>() / n;
    let squares = first.iter().map(|value| (value / most - mean).powi(2));
    let deviation = (squares.sum::<f64>() / n).sqrt();
    if deviation > 0.0 {
        for (mut target, column) in coordinates.columns_mut().into_iter().zip(found.columns()) {
            target.zip_mut_with(&column, |target, value| {
                *target = value / most / deviation * INITIAL_DEVIATION;
            });
        }
    }
}

fn add_noise(coordinates: &mut Array2<f64>, size: f64, seed: u64) {
    for (block, mut rows) in coordinates.axis_chunks_iter_mut(Axis(0), BLOCK).enumerate() {
        let mut draw = stream(seed, block as u64);
        rows.mapv_inplace(|value| value + size * normal(&mut draw));
    }
}

/// Principal components, if their squares are numbers.
fn pca(
    run: &Run<'_>,
    features: &Features<'_>,
    n_components: usize,
    seed: u64,
) -> Result<Option<Array2<f64>>> {
    let (n, d) = (features.n_rows(), features.n_columns());
    let count = n_components.min(n).min(d);
    let solver = Solver::Auto.resolve(n, d, Some(count));
    let watched = Quiet(run);
    let quiet = Run::new().observer(&watched);
    let (axes, mean): (Axes, _) = if solver == Solver::Covariance {
        let moments = Moments::of(&quiet, features)?;
        if !moments.is_finite() {
            return Ok(None);
        }
        let axes = principal::from_moments(&moments, Some(count))?;
        (axes, moments.mean().clone())
    } else {
        let mean = Columns::of(features).means;
        let rows = Rows::new(features, &mean);
        let effort = Effort {
            tolerance: TOLERANCE,
            max_products: PRODUCTS,
            seed,
        };
        let axes = match solver {
            Solver::Dual => principal::dual(&quiet, &rows, Some(count)),
            _ => principal::randomized(&quiet, &rows, count, &effort),
        };
        match axes {
            Ok(axes) => (axes, mean),
            Err(crate::error::Error::Cancelled) => return Err(crate::error::Error::Cancelled),
            Err(_) => return Ok(None),
        }
    };
    let rows = Rows::new(features, &mean);
    let found = rows.times(run, &axes.vectors.t())?;
    Ok(found.iter().all(|v| v.is_finite()).then_some(found))
}

/// The first eigenvectors of the random walk over the affinities, without the constant one.
fn spectral(
    run: &Run<'_>,
    affinities: &Affinities,
    n_components: usize,
    seed: u64,
) -> Result<Option<Array2<f64>>> {
    let n = affinities.n_rows();
    let count = n_components.saturating_add(1).min(n);
    let sum = |row: usize| -> f64 {
        let values = affinities.row(row).1;
        values.iter().map(|&value| f64::from(value)).sum()
    };
    let roots: Vec<f64> = (0..n)
        .map(|row| match sum(row) {
            positive if positive > 0.0 => positive.sqrt().recip(),
            _ => 0.0,
        })
        .collect();
    let walk = Walk {
        affinities,
        roots: &roots,
    };
    let effort = Effort {
        tolerance: TOLERANCE,
        max_products: PRODUCTS,
        seed,
    };
    let watched = Quiet(run);
    let found = block_krylov::largest(&Run::new().observer(&watched), &walk, count, &effort)?;
    let vectors = found.eigen.vectors;
    let mut coordinates = Array2::zeros((n, n_components));
    for (mut column, vector) in coordinates
        .columns_mut()
        .into_iter()
        .zip(vectors.rows().into_iter().skip(1))
    {
        for (row, target) in column.iter_mut().enumerate() {
            *target = vector[row] * roots[row];
        }
    }
    Ok(Some(coordinates))
}

/// I + D^−½ P D^−½, whose eigenvalues are not negative.
struct Walk<'a> {
    affinities: &'a Affinities,
    roots: &'a [f64],
}

impl Symmetric for Walk<'_> {
    fn size(&self) -> usize {
        self.roots.len()
    }

    fn times(&self, run: &Run<'_>, right: &Array2<f64>) -> Result<Array2<f64>> {
        run.check()?;
        let mut product = right.clone();
        product
            .axis_iter_mut(Axis(0))
            .into_par_iter()
            .enumerate()
            .with_min_len(BLOCK)
            .for_each(|(row, mut target)| {
                let (columns, values) = self.affinities.row(row);
                for (&column, &value) in columns.iter().zip(values) {
                    let column = column as usize;
                    let weight = f64::from(value) * self.roots[row] * self.roots[column];
                    target.scaled_add(weight, &right.row(column));
                }
            });
        Ok(product)
    }
}
