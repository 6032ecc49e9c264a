//! The model of maps that are linear in the feature space of a kernel: kernel principal components, exact or by a dictionary, and
//! kernel discriminants.
//!
//! With basis rows D, coefficients A and offsets b a row x has the coordinates y = k(x, D) A − b. The mean of the feature
//! space is μ = Σ wⱼ φ(Dⱼ). Where the coordinates are lengths along directions of length 1 that are orthogonal, the squared
//! distance of φ(x) from its projection is k(x, x) − 2 k(x, D) w + ‖μ‖² − ‖y‖².

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, CowArray, Ix2, s};
use serde::{Deserialize, Serialize};

use super::{Diagnostics, InverseTransform, Model, RowErrors, Transform, arrays, check_embedding};
use crate::data::loaded::{check_at_least, check_dim, check_finite, check_length};
use crate::data::{Data, Features, Source};
use crate::error::{Error, Result, message};
use crate::kernel::components::Components;
use crate::kernel::{FixedPoint, KernelRows, KernelSpec, Preimage, PreimageProblem, ridge};
use crate::linalg::product::product_into;
use crate::parallel::stack_rows;
use crate::run::Run;

/// How a fit went. Figures that a method does not have are left out of the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelReport {
    /// How the eigenpairs were found.
    pub route: String,
    /// Each component's fraction of the sizes of all eigenvalues of the centred kernel matrix: of its trace, if none is negative.
    #[serde(with = "arrays::optional_vector")]
    pub explained_share: Option<Array1<f64>>,
    /// Components that carry anything.
    pub rank: Option<usize>,
    /// The negative eigenvalues' fraction of the sum of all sizes.
    pub negative_share: Option<f64>,
    /// The largest residual of the eigenvectors, as a fraction of the largest eigenvalue.
    pub residual: Option<f64>,
    /// The mean of the training rows' errors in the feature space.
    pub mean_error: Option<f64>,
    /// The mean over pairs of training rows of the squared distance in the feature space less that between coordinates; with a
    /// dictionary an upper bound of it.
    pub distance_loss: Option<f64>,
    /// The fraction of the training rows' squared lengths in the feature space that lies outside the span of the landmarks.
    pub dictionary_error: Option<f64>,
    /// The criterion of the validation of γ.
    pub criterion: Option<String>,
    /// Values of γ that were tried, and their scores.
    pub tried: Vec<(f64, f64)>,
}

impl KernelReport {
    /// Notes what is known of components of this many rows.
    pub(crate) fn note(&mut self, found: &Components, n_rows: usize) {
        let left = (found.trace - found.values.sum()).max(0.0);
        self.route.clone_from(&found.route);
        self.explained_share = found
            .sizes
            .map(|sizes| &found.values / sizes.max(found.values.sum()));
        self.rank = Some(found.rank);
        self.negative_share = Some(found.negative_share);
        self.residual = found.residual;
        self.mean_error = Some(found.mean_error);
        self.distance_loss = Some(2.0 * left / (n_rows as f64 - 1.0));
        self.dictionary_error = found.dictionary_error;
    }
}

/// A fitted map that is linear in the feature space of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelMap {
    /// The basis rows D.
    pub(crate) rows: KernelRows,
    /// The coefficients A: a row for each basis row, a column for each coordinate.
    #[serde(with = "arrays::matrix")]
    pub(crate) coefficients: Array2<f64>,
    /// The offsets b.
    #[serde(with = "arrays::vector")]
    pub(crate) offsets: Array1<f64>,
    /// The weights w of the basis rows in the mean of the feature space.
    #[serde(with = "arrays::vector")]
    pub(crate) mean_weights: Array1<f64>,
    /// The squared norm of the mean.
    pub(crate) mean_square: f64,
    /// Whether the coordinates are along orthonormal directions, so that reconstruction errors are known.
    pub(crate) orthonormal: bool,
    /// An eigenvalue for each coordinate.
    #[serde(with = "arrays::vector")]
    pub(crate) values: Array1<f64>,
    /// Coordinates of the training rows.
    #[serde(with = "arrays::matrix")]
    pub(crate) embedding: Array2<f64>,
    /// How pre-images are found, if the model has an inverse transform.
    pub(crate) preimage: Option<Preimage>,
    /// How the fit went.
    pub(crate) report: KernelReport,
}

impl KernelMap {
    /// The kernel function, with its width as it was chosen.
    pub fn kernel(&self) -> &KernelSpec {
        self.rows.spec()
    }

    /// Number of basis rows: all training rows, or landmarks.
    pub fn n_basis_rows(&self) -> usize {
        self.rows.n_rows()
    }

    /// An eigenvalue for each coordinate.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.values
    }

    /// Coordinates of rows by their kernels with the basis rows: k A − b.
    pub(crate) fn coordinates_of(&self, kernels: &ArrayView2<'_, f64>) -> Array2<f64> {
        let mut place = Array2::zeros((kernels.nrows(), self.offsets.len()));
        product_into(place.view_mut(), kernels, &self.coefficients.view());
        place - &self.offsets
    }

    /// The weights of the basis rows in the projections of rows with these coordinates: A y + w, a row each.
    pub fn expansions(&self, embedding: &ArrayView2<'_, f64>) -> Array2<f64> {
        let mut weights = Array2::zeros((embedding.nrows(), self.coefficients.nrows()));
        product_into(weights.view_mut(), embedding, &self.coefficients.t());
        weights + &self.mean_weights
    }
}

impl KernelMap {
    /// The coordinates of the basis rows: those of the training rows, unless the basis is a dictionary.
    fn basis_coordinates(&self, run: &Run<'_>) -> Result<CowArray<'_, f64, Ix2>> {
        let all = self.report.dictionary_error.is_none();
        if all && self.embedding.nrows() == self.rows.n_rows() {
            return Ok(self.embedding.view().into());
        }
        match self.rows.features() {
            Some(features) => Ok(self.transform_in(run, &Data::new(features))?.into()),
            None => Err(no_inverse_transform()),
        }
    }

    /// Pre-images of coordinates; the iteration starts from rows where they are given.
    fn preimages(
        &self,
        run: &Run<'_>,
        coordinates: &ArrayView2<'_, f64>,
        starts: Option<Features<'_>>,
    ) -> Result<Array2<f64>> {
        let basis = self.basis_coordinates(run)?;
        match self.preimage {
            None => Err(no_inverse_transform()),
            Some(Preimage::Ridge { alpha }) => {
                ridge(run, &self.rows, &basis.view(), coordinates, alpha)
            }
            Some(Preimage::FixedPoint) => {
                let weights =
                    |lines: Range<usize>| self.expansions(&coordinates.slice(s![lines, ..]));
                let problem = PreimageProblem {
                    coordinates: coordinates.view(),
                    basis: basis.view(),
                    weights: &weights,
                    starts: starts.as_ref().map(Features::reborrow),
                };
                FixedPoint::new(run, &self.rows)?.find(run, &problem)
            }
        }
    }
}

fn no_inverse_transform() -> Error {
    Error::unsupported(message!("the model"), message!("has no inverse transform"))
}

impl InverseTransform for KernelMap {
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        check_embedding(run, embedding, self)?;
        self.preimages(run, embedding, None)
    }
}

impl Transform for KernelMap {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let transformed = self
            .rows
            .map(run, data, |_, kernels| self.coordinates_of(&kernels.view()))?;
        Ok(stack_rows(&transformed, self.offsets.len()))
    }
}

impl RowErrors for KernelMap {
    fn row_errors_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        if !self.orthonormal {
            return Err(Error::unsupported(
                message!("the model"),
                message!(
                    "has directions that are not orthonormal, so it has no reconstruction errors of {:rows}"
                ),
            ));
        }
        self.rows.check(data)?;
        let own = self.rows.own(run, data)?;
        let errors = self.rows.map(run, data, |rows, kernels| {
            let transformed = self.coordinates_of(&kernels.view());
            let means = kernels.dot(&self.mean_weights);
            let lines = rows.zip(transformed.rows()).zip(&means);
            let error = |((row, place), mean): ((usize, ndarray::ArrayView1<'_, f64>), &f64)| {
                (own[row] - 2.0 * mean + self.mean_square - place.dot(&place)).max(0.0)
            };
            lines.map(error).collect::<Vec<f64>>()
        })?;
        Ok(errors.into_iter().flatten().collect())
    }
}

impl Model for KernelMap {
    fn n_components(&self) -> usize {
        self.offsets.len()
    }

    fn n_columns(&self) -> usize {
        self.rows.n_columns()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        Some(self.embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let report = &self.report;
        let spec = self.rows.spec();
        let plain = self.rows.features().is_some() && !self.rows.by_function();
        let mut diagnostics = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", self.embedding.nrows())
            .count("n_columns", self.n_columns())
            .text("kernel", self.rows.title());
        if plain && spec.kind.has_gamma() {
            diagnostics = diagnostics.number("gamma", spec.gamma);
        }
        diagnostics = diagnostics
            .count("n_landmarks", self.rows.n_rows())
            .text("solver", report.route.clone())
            .per_component("eigenvalues", &self.values);
        if let Some(share) = &report.explained_share {
            diagnostics = diagnostics.per_component("explained_variance_ratio", share);
        }
        if let Some(rank) = report.rank {
            diagnostics = diagnostics.count("rank", rank);
        }
        let numbers = [
            ("negative_fraction", report.negative_share),
            ("residual", report.residual),
            ("mean_reconstruction_error", report.mean_error),
            ("distance_loss", report.distance_loss),
            ("nystrom_error", report.dictionary_error),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                diagnostics = diagnostics.number(name, number);
            }
        }
        if let Some(preimage) = &self.preimage {
            diagnostics = diagnostics.text("pre_image", preimage.name());
        }
        if let Some(criterion) = &report.criterion {
            let column = |of: fn(&(f64, f64)) -> f64| report.tried.iter().map(of).collect();
            diagnostics = diagnostics
                .text("criterion", criterion.clone())
                .vector("gammas_tried", &column(|tried| tried.0))
                .vector("scores", &column(|tried| tried.1));
        }
        diagnostics
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        let known = self.preimage.is_some();
        known.then_some(self as &dyn InverseTransform)
    }

    /// The pre-images of the projections; the iteration starts from the rows themselves.
    fn denoise_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let transformed = self.transform_in(run, data)?;
        let starts = match data.source() {
            Source::Features(features) => Some(features.reborrow()),
            _ => None,
        };
        self.preimages(run, &transformed.view(), starts)
    }

    fn validate(&self) -> Result<()> {
        let Self {
            rows,
            coefficients,
            offsets,
            mean_weights,
            mean_square,
            orthonormal: _,
            values,
            embedding,
            preimage,
            report,
        } = self;
        rows.validate()?;
        let (n_rows, n_components) = (rows.n_rows(), offsets.len());
        check_at_least("the offsets", n_components, 1)?;
        check_dim(
            "the coefficients",
            coefficients.dim(),
            (n_rows, n_components),
        )?;
        check_length("the mean's weights", mean_weights.len(), n_rows)?;
        check_length("the eigenvalues", values.len(), n_components)?;
        check_length(
            "the columns of the embedding",
            embedding.ncols(),
            n_components,
        )?;
        check_finite("the coefficients", coefficients)?;
        check_finite("the offsets", offsets)?;
        check_finite("the mean's weights", mean_weights)?;
        check_finite("the square of the mean", [mean_square])?;
        check_finite("the eigenvalues", values)?;
        check_finite("the embedding", embedding)?;
        if let Some(share) = &report.explained_share {
            check_length("the explained shares", share.len(), n_components)?;
        }
        match preimage {
            Some(preimage) => preimage.validate(rows),
            None => Ok(()),
        }
    }

    fn as_row_errors(&self) -> Option<&dyn RowErrors> {
        self.orthonormal.then_some(self as &dyn RowErrors)
    }
}
