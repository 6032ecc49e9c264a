//! Random projection: random directions that nearly preserve distances.
//!
//! # Idea
//! Projected on enough random directions, all pairwise distances are nearly preserved: Johnson and Lindenstrauss proved that the number of directions needed
//! grows with the logarithm of the number of rows and does not
//! depend on the number of columns at all. Nothing is learned from the data, so that the fit costs next to nothing.
//!
//! # Steps
//! 1. [`dimension`](crate::dimension): how many directions, where a distortion is given instead.
//! 2. The matrix: normal entries, or a sparse one (`linalg::signs`).
//! 3. [`methods::random_projection::RandomProjectionModel`](crate::methods::random_projection::RandomProjectionModel): transform, inverse transform by the pseudo-inverse.
//! 4. Squared distances before and after, for a sample of pairs.
//!
//! # Objective
//! z = R x with (1 − ε)‖x − y‖² ≤ ‖R x − R y‖² ≤ (1 + ε)‖x − y‖² for all pairs of rows. Entries of R are normal with
//! variance 1/k; or √(s/k) times 1, 0, −1 with probabilities 1/2s, 1 − 1/s, 1/2s, where 1/s is the density.
//!
//! # Cost
//! n d k time, or n d k / s with a sparse matrix (n k d / s² for rows as sparse as the matrix); k d numbers, or 4 bytes for
//! each entry that is not 0. A fit from batches reads none of them.
//!
//! # Choosing parameters
//! `n_components = johnson_lindenstrauss` with a `distortion` of 0.1 to 0.5 where distances must be preserved for a following method; the bound is
//! conservative, and fewer directions often suffice: see the measured ratios.
//! `kind = sparse` is as good for data without a few dominating columns, and 1/density times faster. Two
//! directions, the default, make a picture and preserve little. More directions than columns reduce nothing, and a warning says so.
//!
//! # New points
//! z = R x, without centring. The inverse transform is the shortest row with these coordinates, Rᵀ(R Rᵀ)⁺ z.
//!
//! # Differences
//! From scikit-learn 1.9: one method with a `kind` instead of two classes; the rule for the number of directions has a name and is not the default; random
//! numbers differ, so matrices agree in distribution only.
//!
//! # References
//! Johnson and Lindenstrauss, "Extensions of Lipschitz mappings into a Hilbert space", 1984. Dasgupta and Gupta, "An elementary
//! proof of a theorem of Johnson and Lindenstrauss", 2003. Achlioptas, "Database-friendly random projections", 2003.
//! Li, Hastie and Church, "Very sparse random projections", 2006.
//!
//! # Example
//! ```
//! use charta::{Fit, Model};
//! use charta::methods::random_projection::{Count, RandomProjection};
//! let images = charta::data::synthetic::bars(200, 0.0, 0)?;
//! let method = RandomProjection { n_components: Count::Exactly(100), ..RandomProjection::default() };
//! let model = method.fit(&images)?;
//! assert_eq!(model.embedding().unwrap().dim(), (200, 100));
//! assert!((model.measured.unwrap().mean - 1.0).abs() < 0.1);
//! # Ok::<(), charta::Error>(())
//! ```

mod model;

pub use model::{Measured, ProjectionMatrix, RandomProjectionModel};

use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use crate::data::{Batches, Data, Features};
use crate::dimension::{johnson_lindenstrauss_dimension, johnson_lindenstrauss_distortion};
use crate::error::{Because, Error, Result, Warning, message};
use crate::linalg::signs::SignMatrix;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::model::Model;
use crate::parallel::map_blocks;
use crate::params::{Choice, Parameters};
use crate::random::{below, normal, stream};
use crate::run::Run;

/// Pairs of rows whose distances are compared.
const PAIRS: usize = 1000;

/// How the random directions are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Kind {
    /// Normally distributed entries.
    Gaussian,
    /// Mostly zeros; the other entries are ± a constant.
    Sparse,
}

/// How many random directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Count {
    /// 2, or 1 where there is only one column.
    Auto,
    /// As many as guarantee the `distortion` for all pairs of rows (Johnson–Lindenstrauss lemma).
    JohnsonLindenstrauss,
    /// Exactly this number.
    #[choice(min = 1)]
    Exactly(usize),
}

/// The fraction of entries of a sparse matrix that are not 0.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Density {
    /// 1/√d for d columns (Li, Hastie and Church 2006).
    Auto,
    /// 1/3 (Achlioptas 2003): for data with a few dominating columns.
    Achlioptas,
    /// This fraction.
    #[choice(above = 0.0, max = 1.0)]
    Share(f64),
}

impl Density {
    /// The fraction for this many columns.
    pub fn of(self, n_columns: usize) -> f64 {
        match self {
            Self::Auto => (n_columns.max(1) as f64).sqrt().recip(),
            Self::Achlioptas => 1.0 / 3.0,
            Self::Share(share) => share,
        }
    }
}

/// Parameters of random projection.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct RandomProjection {
    /// Number of random directions, or `johnson_lindenstrauss` for as many as guarantee the `distortion`. More directions keep
    /// distances better.
    #[param(default = Count::Auto)]
    pub n_components: Count,
    /// Maximum relative change of squared distances, for `n_components = johnson_lindenstrauss`. Smaller values need more
    /// directions; usually 0.1 to 0.5.
    #[param(default = 0.1, above = 0.0, below = 1.0)]
    pub distortion: f64,
    /// Distribution of the entries: `gaussian`, or `sparse`, which is faster.
    #[param(default = Kind::Gaussian)]
    pub kind: Kind,
    /// Proportion of nonzero entries, for `kind = sparse`. Larger values suit data with a few dominating columns and cost time.
    #[param(default = Density::Auto)]
    pub density: Density,
    /// Seed of the random numbers. The same seed gives the same result; another shows how much depends on chance.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for RandomProjection {
    const INFO: Info = Info {
        name: "random_projection",
        title: "Random projection",
        summary: "Random projection: random directions that nearly preserve distances (Johnson–Lindenstrauss)",
        family: Family::Linear,
        reference: "Johnson and Lindenstrauss 1984; Achlioptas 2003",
        takes: &[Input::Sparse],
        offers: &[Capability::Streams, Capability::Inverse],
        ..Info::DEFAULT
    };

    type Model = RandomProjectionModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<RandomProjectionModel> {
        let features = data.features(Self::INFO.name)?;
        let n_rows = features.n_rows();
        let count = self.count(Some(n_rows), features.n_columns())?;
        warn_of_excess(run, count, features.n_columns())?;
        let mut model = self.draw(run, count, features.n_columns())?;
        run.stage("projection")?;
        model = model.embed(run, data)?;
        run.stage("distances")?;
        model.promised = johnson_lindenstrauss_distortion(n_rows, count);
        if let Some(embedding) = model.embedding() {
            model.measured = self.measure(run, features, &embedding)?;
        }
        Ok(model)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let count = self.count(Some(shape.n_rows), shape.n_columns)?;
        Ok(self
            .plan_matrix(count, shape)
            .needs("embedding", (shape.n_rows, count), 8)
            .advice(message!("use fewer directions or {kind=sparse}"))
            .or_batches())
    }

    fn plan_batches(&self, batch: &Shape) -> Result<Plan> {
        let count = match self.n_components {
            // The rows of all batches are not known here: at worst there is a direction a column.
            Count::JohnsonLindenstrauss => batch.n_columns,
            _ => self.count(None, batch.n_columns)?,
        };
        Ok(self.plan_matrix(count, batch))
    }

    fn fit_batches_in(
        &self,
        run: &Run<'_>,
        batches: &mut dyn Batches,
    ) -> Result<RandomProjectionModel> {
        let n_columns = batches.n_columns();
        if n_columns == 0 {
            return Err(Error::Empty {
                rows: batches.n_rows().unwrap_or(0),
                columns: 0,
            });
        }
        let count = self.count(batches.n_rows(), n_columns)?;
        warn_of_excess(run, count, n_columns)?;
        let mut model = run.install(|| self.draw(run, count, n_columns))?;
        model.promised = batches
            .n_rows()
            .and_then(|n_rows| johnson_lindenstrauss_distortion(n_rows, count));
        Ok(model)
    }
}

impl RandomProjection {
    /// The number of directions for data of this shape.
    fn count(&self, n_rows: Option<usize>, n_columns: usize) -> Result<usize> {
        let refused = |because: Because| {
            Err(Error::at_most(
                "n_components",
                n_columns,
                because,
                self.n_components,
            ))
        };
        match (self.n_components, n_rows) {
            (Count::Auto, _) => Ok(n_columns.min(2)),
            (Count::Exactly(count), _) => Ok(count),
            (Count::JohnsonLindenstrauss, Some(n_rows)) if n_rows < 2 => Err(Error::parameter(
                "n_components",
                message!("be a number for a single {:row}, which has no distances to preserve"),
                self.n_components,
            )),
            (Count::JohnsonLindenstrauss, Some(n_rows)) => {
                let count = johnson_lindenstrauss_dimension(n_rows, self.distortion)?.max(1);
                if count <= n_columns {
                    return Ok(count);
                }
                let distortion = self.distortion;
                refused(
                    message!(
                        "{:data} has {n_columns:columns}, but {n_rows:rows} with \
                         {distortion:setting} need {count}: allow a larger {distortion:parameter}, \
                         or give a number"
                    )
                    .into(),
                )
            }
            (Count::JohnsonLindenstrauss, None) => Err(Error::parameter(
                "n_components",
                message!("be a number where the number of {:rows} is unknown"),
                self.n_components,
            )),
        }
    }

    fn draw(&self, run: &Run<'_>, count: usize, n_columns: usize) -> Result<RandomProjectionModel> {
        run.stage("random directions")?;
        let matrix = match self.kind {
            Kind::Gaussian => ProjectionMatrix::Dense {
                entries: normal_matrix(count, n_columns, self.seed),
            },
            Kind::Sparse => {
                let density = self.share(n_columns);
                let scale = (density * count as f64).sqrt().recip();
                let signs = SignMatrix::random(run, count, n_columns, density, scale, self.seed)?;
                if count > model::most_directions(&signs) {
                    return Err(Error::degenerate(message!(
                        "of {count} random directions in {n_columns:columns} nearly all have no entry at a density of {density}: set a larger {density:parameter}, or fewer directions"
                    )));
                }
                ProjectionMatrix::Signs(signs)
            }
        };
        let rule = self.n_components.to_string();
        Ok(RandomProjectionModel::new(
            matrix,
            rule,
            self.share(n_columns),
        ))
    }

    /// The fraction of entries that are not 0.
    fn share(&self, n_columns: usize) -> f64 {
        match self.kind {
            Kind::Gaussian => 1.0,
            Kind::Sparse => self.density.of(n_columns),
        }
    }

    fn plan_matrix(&self, count: usize, shape: &Shape) -> Plan {
        let d = shape.n_columns;
        let blocks = Plan::new(format!("{} random directions, `{}`", count, self.kind))
            .needs("rows in blocks", (128.min(shape.n_rows), d), 2 * 8)
            .needs("their coordinates", (128.min(shape.n_rows), count), 2 * 8);
        match self.kind {
            Kind::Gaussian => blocks.needs("matrix", (count, d), 8 + shape.precision.bytes()),
            Kind::Sparse => {
                let stored = (count as f64 * d as f64 * self.share(d) * 1.1) as usize;
                blocks
                    .needs("entries of the matrix", (stored, 1), 2 * 4)
                    .needs("column offsets", (d, 1), 2 * 8)
            }
        }
    }

    /// Ratios of squared distances, for random pairs of rows that are not at the same point.
    fn measure(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Option<Measured>> {
        let n_rows = features.n_rows();
        if n_rows < 2 {
            return Ok(None);
        }
        // The directions have the first streams.
        let mut draw = stream(self.seed, u64::MAX);
        let pairs: Vec<(usize, usize)> = (0..PAIRS)
            .map(|_| {
                let first = below(&mut draw, n_rows);
                let second = below(&mut draw, n_rows - 1);
                (first, second + usize::from(second >= first))
            })
            .collect();
        let ratios: Vec<f64> = map_blocks(run, PAIRS, 50, |block| {
            let mut rows = [
                vec![0.0; features.n_columns()],
                vec![0.0; features.n_columns()],
            ];
            pairs[block]
                .iter()
                .map(|&(first, second)| {
                    features.copy_row(first, &mut rows[0]);
                    features.copy_row(second, &mut rows[1]);
                    let before = squared_distance(rows[0].iter().zip(&rows[1]));
                    let coordinates = embedding.row(first);
                    squared_distance(coordinates.iter().zip(embedding.row(second))) / before
                })
                .collect::<Vec<f64>>()
        })?
        .into_iter()
        .flatten()
        .filter(|ratio| ratio.is_finite())
        .collect();
        Ok((!ratios.is_empty()).then(|| Measured {
            n_pairs: ratios.len(),
            smallest: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            mean: ratios.iter().sum::<f64>() / ratios.len() as f64,
            largest: ratios.iter().copied().fold(0.0, f64::max),
        }))
    }
}

/// Warns of more directions than columns.
fn warn_of_excess(run: &Run<'_>, count: usize, n_columns: usize) -> Result<()> {
    if count <= n_columns {
        return Ok(());
    }
    run.warn(Warning::MoreComponents { count, n_columns })
}

/// Normal entries with variance 1 over the number of rows; each row draws from its own stream.
fn normal_matrix(n_rows: usize, n_columns: usize, seed: u64) -> Array2<f64> {
    let deviation = (n_rows as f64).sqrt().recip();
    let mut matrix = Array2::zeros((n_rows, n_columns));
    matrix
        .axis_iter_mut(Axis(0))
        .into_par_iter()
        .enumerate()
        .for_each(|(row, mut entries)| {
            let mut draw = stream(seed, row as u64);
            entries.mapv_inplace(|_| deviation * normal(&mut draw));
        });
    matrix
}

fn squared_distance<'a>(pairs: impl Iterator<Item = (&'a f64, &'a f64)>) -> f64 {
    pairs.map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Mutex;

    use super::*;
    use crate::model::InverseTransform;
    use crate::run::Event;

    #[test]
    fn more_directions_than_columns_are_a_warning() {
        let x = Array2::from_shape_fn((12, 5), |(i, j)| ((i * 5 + j) as f64).sin());
        for kind in [Kind::Gaussian, Kind::Sparse] {
            let warnings = Mutex::new(Vec::new());
            let listen = |event: Event<'_>| {
                if let Event::Warning(warning) = event {
                    warnings.lock().unwrap().push(warning.to_string());
                }
                ControlFlow::Continue(())
            };
            let run = Run::new().observer(&listen);
            let method = RandomProjection {
                n_components: Count::Exactly(9),
                kind,
                ..RandomProjection::default()
            };
            let model = method.fit_in(&run, &Data::from(&x)).unwrap();
            assert_eq!(model.embedding().unwrap().dim(), (12, 9));
            assert!(model.validate().is_ok());
            let warned = warnings.lock().unwrap();
            assert!(
                warned[0].starts_with("9 components of 5 columns"),
                "{warned:?}"
            );
            if kind == Kind::Gaussian {
                let back = model
                    .inverse_transform(&model.embedding().unwrap())
                    .unwrap();
                assert!((back - &x).iter().all(|d| d.abs() < 1e-9));
            }
        }
    }

    #[test]
    fn a_single_row_has_no_distances_to_count_directions_for() {
        let x = ndarray::array![[1.0, 2.0, 3.0]];
        let method = RandomProjection {
            n_components: Count::JohnsonLindenstrauss,
            ..RandomProjection::default()
        };
        assert!(method.fit_in(&Run::new(), &Data::from(&x)).is_err());
    }
}
