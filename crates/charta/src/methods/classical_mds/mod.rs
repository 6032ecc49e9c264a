//! Classical multidimensional scaling (principal coordinate analysis): coordinates from the eigendecomposition of doubly centred squared distances.
//!
//! # Idea
//! Inner products of points about their mean follow from the distances between them, and coordinates follow from inner
//! products. Road distances give a map of the cities; Euclidean distances between rows of features give the same coordinates as PCA.
//!
//! # Steps
//! 1. `metric::ReferenceRows`: the distances between all rows, or between landmarks.
//! 2. `spectral::classical_scaling`: the leading eigenvectors of the centred
//!    squares, and what they leave out.
//! 3. [`methods::classical_mds::ClassicalMdsModel`](crate::methods::classical_mds::ClassicalMdsModel): rows that are not landmarks, and new ones, by their
//!    distances to the landmarks.
//!
//! # Objective
//! With S the squared distances, J = I − 1/n and B = −½ J S J, minimize the strain ‖B − Z Zᵀ‖² over n × k matrices Z:
//! Z = V √Λ of the k largest eigenvalues. `strain` reports it as a fraction of ‖B‖². For distances that are not Euclidean B has negative eigenvalues:
//! `negative_fraction` is the sum of their sizes as a fraction of all, which no embedding can preserve.
//!
//! # Cost
//! With n rows of d columns: n² d time for the distances, n² numbers, and about 20 products with that matrix; up to 256
//! rows it is decomposed whole. With m landmarks: m² numbers, n m d time, and the rows are embedded in blocks. Above 12,000 rows landmarks are the default,
//! one for every 50 rows and at least 1,000.
//!
//! # Choosing parameters
//! `residual_variance` and the eigenvalues show how many dimensions are needed. `goodness_of_fit` is the sum of the kept eigenvalues as a fraction of the
//! sizes of all, `goodness_of_fit_positive` that of the positive ones. If
//! `negative_fraction` is large, `additive` adds the smallest constant to all distances that makes them Euclidean; that distorts small distances, and a method
//! that fits the distances themselves (`mds`) may be better. `landmark_choice =
//! maxmin` spreads landmarks evenly, and finds outliers first.
//!
//! # New points
//! A row with squared distances s to the training rows, or to the landmarks, gets ½ Vᵀ (m − s) / √Λ with the means m of S.
//! For a training row these are its coordinates. Models of distances need the distances of new rows to all rows of the fit.
//!
//! # Differences
//! The same as R's `cmdscale` and scikit-learn's `ClassicalMDS` up to the signs of the coordinates: an embedding may be a mirror image. R's `add` is
//! `additive`, its `GOF` the two goodnesses of fit; for more
//! than 512 rows the sizes of all eigenvalues are estimated from a sample of 512. Euclidean distances of features are computed too, and the result agrees with
//! PCA's scores; for many rows of few columns PCA is faster. The landmark embedding is not rotated to its principal axes afterwards.
//!
//! # References
//! Torgerson, "Multidimensional scaling: I. Theory and method", 1952. Gower, "Some distance properties of latent root and
//! vector methods used in multivariate analysis", 1966, and "Adding a point to vector diagrams in multivariate analysis",
//! 1968. De Silva and Tenenbaum, "Sparse multidimensional scaling using landmark points", 2004. Cailliez, "The analytical
//! solution of the additive constant problem", 1983.
//!
//! # Example
//! ```
//! use charta::{Data, Fit, Model, methods::classical_mds::ClassicalMds};
//! use ndarray::array;
//! // Kilometres by road between Athens, Barcelona, Brussels and Calais.
//! let roads = array![
//!     [0.0, 3313.0, 2963.0, 3175.0],
//!     [3313.0, 0.0, 1318.0, 1326.0],
//!     [2963.0, 1318.0, 0.0, 204.0],
//!     [3175.0, 1326.0, 204.0, 0.0],
//! ];
//! let model = ClassicalMds::default().fit(Data::distances(roads.view())?)?;
//! let map = model.embedding().unwrap();
//! let apart = &map.row(0) - &map.row(1);
//! assert!((apart.dot(&apart).sqrt() - 3313.0).abs() < 50.0);
//! # Ok::<(), charta::Error>(())
//! ```

mod model;

pub use model::ClassicalMdsModel;

use ndarray::Array2;
use rayon::prelude::*;

use crate::data::{Data, Source};
use crate::error::{Error, Result, Warning, check_rows, counted, message};
use crate::graph::{LandmarkChoice, Landmarks};
use crate::linalg::centred::doubly_centred;
use crate::method::steps::check_room;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape, Step, Steps};
use crate::metric::{Between, Comparison, ReferenceRows};

use crate::params::Parameters;
use crate::run::Run;
use crate::spectral::classical_scaling::{
    MEASURED, ScalingOptions, WHOLE_SPECTRUM, additive_constant, fidelity, scale, squared_with,
};
use crate::spectral::squares::Squares;

/// The fraction of negative eigenvalues from which distances are far from those of points.
const FAR_FROM_STRAIGHT: f64 = 0.2;
/// Rows that one job measures.
const BLOCK: usize = 256;

/// Parameters of classical scaling.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct ClassicalMds {
    /// Number of dimensions of the embedding: 2 or 3 for pictures. More preserve the distances better; the eigenvalues show how many are
    /// needed.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Distances between rows of features.
    #[param(flatten)]
    pub comparison: Comparison,
    /// Number of landmarks, the rows to which distances are computed: all rows, a number, or `auto`. Fewer are faster and less exact (landmark MDS).
    #[param(default = Landmarks::Auto)]
    pub landmarks: Landmarks,
    /// Choice of the landmarks: `random`, or farthest-point sampling (`maxmin`), which covers sparse regions better, outliers included.
    #[param(default = LandmarkChoice::Random)]
    pub landmark_choice: LandmarkChoice,
    /// Additive constant: add to all distances the smallest constant that makes them Euclidean (Cailliez), so that no eigenvalue is negative.
    #[param(default = false)]
    pub additive: bool,
    /// Tolerance of the eigensolver: residual relative to the largest eigenvalue. Larger values are faster and less exact; usually 1e-12 to
    /// 1e-4.
    #[param(default = 1e-10, above = 0.0, max = 0.01)]
    pub tolerance: f64,
    /// Seed of the choice of landmarks and of the eigensolver.
    #[param(default = 0)]
    pub seed: u64,
}

impl Method for ClassicalMds {
    const INFO: Info = Info {
        name: "classical_mds",
        title: "Classical MDS",
        summary: "Preserves distances as inner products, by an eigendecomposition (principal coordinates)",
        family: Family::Distance,
        reference: "Torgerson 1952, Gower 1966",
        takes: &[Input::Sparse, Input::Distances],
        offers: &[Capability::Spectrum, Capability::Steps],
        transform_error: 1e-6,
        ..Info::DEFAULT
    };

    type Model = ClassicalMdsModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<ClassicalMdsModel> {
        data.check_finite()?;
        self.check_sizes(data.n_rows())?;
        let indices = self.landmark_rows(run, data)?;
        run.stage("distances")?;
        let known = match &indices {
            None => ReferenceRows::new(run, data, &self.comparison)?,
            Some(indices) => ReferenceRows::of_rows(run, data, indices, &self.comparison)?,
        };
        let mut distances = known.among(run, data)?;
        let constant = if self.additive {
            self.constant(run, &distances)?
        } else {
            0.0
        };
        square(&mut distances, constant);
        let squares = Squares::between(distances);
        run.stage("eigenvectors")?;
        let scaled = scale(run, &squares, self.options())?;
        run.stage("residual variance")?;
        let fidelity = fidelity(run, &squares, &scaled, self.options())?;
        drop(squares);
        if fidelity.negative_share > FAR_FROM_STRAIGHT {
            run.warn(far_from_straight(fidelity.negative_share))?;
        }
        ClassicalMdsModel::new(run, data, known, constant, fidelity, scaled)
    }

    fn steps_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Steps> {
        data.check_finite()?;
        self.check_sizes(data.n_rows())?;
        check_room(run, data.n_rows(), if self.additive { 8 } else { 5 })?;
        run.stage("distances")?;
        let known = ReferenceRows::new(run, data, &self.comparison)?;
        let distances = known.among(run, data)?;
        let constant = if self.additive {
            self.constant(run, &distances)?
        } else {
            0.0
        };
        let mut squares = distances;
        square(&mut squares, constant);
        let lengths = squares.mapv(f64::sqrt);
        let inner = doubly_centred(squares * -0.5);
        Ok(Steps::of_all(vec![
            Step::new(
                "D",
                "the distances between the rows, with the additive constant if there is one",
                lengths,
            ),
            Step::new(
                "B",
                "−½ J D² J with D² entry by entry and J = I − 1/n: inner products, whose largest eigenvectors are the map",
                inner.clone(),
            ),
            Step::new(
                "kernel",
                "B: kernel PCA of it has the axes of the map, up to sign",
                inner,
            ),
        ]))
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let n = shape.n_rows;
        self.check_sizes(n)?;
        let m = self.landmarks.count(n);
        let plan = if m == n {
            Plan::new("eigenvectors of the distances between all rows")
                .needs_rows("training rows", shape)
        } else {
            let chosen = Plan::new(format!("distances to {}", counted(m, "landmark")));
            let held = ((1 << 23) / m).max(64).min(n);
            if shape.features {
                chosen
                    .needs(
                        "landmarks kept for new rows",
                        (m, shape.n_columns),
                        shape.precision.bytes(),
                    )
                    .needs("distances of some rows", (held, m), 2 * 8)
            } else {
                chosen.needs("distances of all rows", (n, m), 8)
            }
        };
        let copies = if self.additive { 5 } else { 1 };
        let width = self.n_components.max(10).saturating_add(8).min(m);
        Ok(plan
            .needs("squared distances", (m, m), copies * 8)
            .needs(
                "rows whose residuals are measured",
                (m.min(MEASURED), m.min(MEASURED)),
                8,
            )
            .needs(
                "rows whose whole spectrum is computed",
                (m.min(WHOLE_SPECTRUM), m.min(WHOLE_SPECTRUM)),
                4 * 8,
            )
            .needs("vectors of the iteration", (m, width.saturating_mul(16)), 8)
            .needs("embedding", (n, self.n_components), 2 * 8)
            .advice(message!(
                "set {landmarks:parameter} to a number of {:rows} to measure from, such as 1000"
            )))
    }
}

impl ClassicalMds {
    fn check_sizes(&self, n_rows: usize) -> Result<()> {
        check_rows(message!("classical scaling"), 2, n_rows)?;
        self.landmarks.check_components(self.n_components, n_rows)
    }

    fn options(&self) -> ScalingOptions {
        ScalingOptions {
            n_components: self.n_components,
            tolerance: self.tolerance,
            report: true,
            seed: self.seed,
        }
    }

    /// The landmarks; `None` if they are all rows.
    fn landmark_rows(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Option<Vec<u32>>> {
        let n_rows = data.n_rows();
        if self.landmarks.count(n_rows) == n_rows {
            return Ok(None);
        }
        let chosen = match data.source() {
            Source::Distances(matrix) => (self.landmarks).choose_by(
                run,
                n_rows,
                self.landmark_choice,
                self.seed,
                |row, nearest| {
                    for (nearest, &length) in nearest.iter_mut().zip(matrix.row(row as usize)) {
                        *nearest = nearest.min(length);
                    }
                    Ok(())
                },
            )?,
            _ if self.landmark_choice == LandmarkChoice::Random => (self.landmarks).choose_by(
                run,
                n_rows,
                self.landmark_choice,
                self.seed,
                |_, _| Ok(()),
            )?,
            _ => self.farthest_features(run, data)?,
        };
        Ok(Some(chosen))
    }

    fn farthest_features(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Vec<u32>> {
        let features = data.features(Self::INFO.name)?;
        let Comparison {
            metric,
            power,
            image_width,
            ..
        } = self.comparison;
        let between = Between::of(run, data, metric, power, image_width)?;
        let ready = |row: usize| {
            let mut values = vec![0.0; features.n_columns()];
            features.copy_row(row, &mut values);
            between.ready(values)
        };
        (self.landmarks).choose_by(
            run,
            data.n_rows(),
            self.landmark_choice,
            self.seed,
            |row, nearest| {
                let own = ready(row as usize);
                let parts = nearest.par_chunks_mut(BLOCK).enumerate();
                parts.into_par_iter().try_for_each(|(block, nearest)| {
                    for (index, nearest) in nearest.iter_mut().enumerate() {
                        let other = ready(block * BLOCK + index);
                        *nearest = nearest.min(between.checked(&own, &other)?);
                    }
                    Ok(())
                })
            },
        )
    }

    fn constant(&self, run: &Run<'_>, distances: &Array2<f64>) -> Result<f64> {
        run.stage("additive constant")?;
        let largest = distances.iter().copied().fold(0.0, f64::max);
        if !squared_with(largest, largest).is_finite() {
            return Err(Error::too_large());
        }
        additive_constant(run, distances)
    }
}

/// Squares the distances after a constant is added to all but those of rows to themselves.
fn square(distances: &mut Array2<f64>, constant: f64) {
    let rows = distances.outer_iter_mut().into_par_iter().enumerate();
    rows.for_each(|(row, mut line)| {
        line.mapv_inplace(|distance| squared_with(distance, constant));
        line[row] = 0.0;
    });
}

fn far_from_straight(share: f64) -> Warning {
    Warning::doubtful(
        message!("the map"),
        message!(
            "the distances are not Euclidean: negative eigenvalues make up {:.0} % of the \
             spectrum; set {additive=true} to add a constant that makes them Euclidean, or use \
             {'mds':method}, which fits the distances themselves",
            100.0 * share
        ),
    )
}
