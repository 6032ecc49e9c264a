//! The model of maps that are linear in the space of a kernel: kernel principal components, exact or by a dictionary, and
//! kernel discriminants.
//!
//! With basis rows D, coefficients A and offsets b a row x has the coordinates y = k(x, D) A − b. The mean of the feature
//! space is μ = Σ wⱼ φ(Dⱼ). Where the coordinates are lengths along directions of length 1 that are orthogonal, the squared
//! distance of φ(x) from its projection is k(x, x) − 2 k(x, D) w + ‖μ‖² − ‖y‖².

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, CowArray, Ix2, concatenate, s};
use serde::{Deserialize, Serialize};

use super::{Diagnostics, InverseTransform, Model, RowErrors, Transform, arrays, check_embedding};
use crate::data::{Data, Features, Source};
use crate::error::{Error, Result};
use crate::kernel::components::Components;
use crate::kernel::{FixedPoint, KernelRows, Preimage, Sought, ridge};
use crate::linalg::product::product_into;
use crate::message;
use crate::run::Run;

/// How a fit went. What a method cannot tell is left out of its figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelReport {
    /// How the eigenpairs were found.
    pub route: String,
    /// Each component's share of the sizes of all eigenvalues of the centred kernel matrix: of its trace, if none is negative.
    #[serde(with = "arrays::optional_vector")]
    pub explained_share: Option<Array1<f64>>,
    /// Components that carry anything.
    pub rank: Option<usize>,
    /// The negative eigenvalues' share of the sum of all sizes.
    pub negative_share: Option<f64>,
    /// The largest residual of the eigenvectors, as a share of the largest eigenvalue.
    pub residual: Option<f64>,
    /// The mean of the training rows' errors in the feature space.
    pub mean_error: Option<f64>,
    /// The mean over pairs of training rows of the squared distance in the feature space less that between coordinates; with a
    /// dictionary an upper bound of it.
    pub distance_loss: Option<f64>,
    /// The share of the training rows' squared lengths in the feature space that lies outside the span of the dictionary.
    pub dictionary_error: Option<f64>,
    /// What validation judged by.
    pub criterion: Option<String>,
    /// Values of γ that were tried, and their scores.
    pub tried: Vec<(f64, f64)>,
}

impl KernelReport {
    /// Notes what is known of components of so many rows.
    pub fn note(&mut self, found: &Components, n_rows: usize) {
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

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelMapParts {
    /// The basis rows D.
    pub rows: KernelRows,
    /// The coefficients A: a row for each basis row, a column for each coordinate.
    #[serde(with = "arrays::matrix")]
    pub coefficients: Array2<f64>,
    /// The offsets b.
    #[serde(with = "arrays::vector")]
    pub offsets: Array1<f64>,
    /// The weights w of the basis rows in the mean of the feature space.
    #[serde(with = "arrays::vector")]
    pub mean_weights: Array1<f64>,
    /// The squared length of the mean.
    pub mean_square: f64,
    /// Whether the coordinates are lengths along orthonormal directions, so that errors are known.
    pub orthonormal: bool,
    /// An eigenvalue for each coordinate.
    #[serde(with = "arrays::vector")]
    pub values: Array1<f64>,
    /// Coordinates of the training rows.
    #[serde(with = "arrays::matrix")]
    pub embedding: Array2<f64>,
    /// The way back to features, if there is one.
    pub preimage: Option<Preimage>,
    /// How the fit went.
    pub report: KernelReport,
}

/// A fitted map that is linear in the space of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelMap {
    parts: KernelMapParts,
}

impl KernelMap {
    /// A model from its parts.
    pub fn new(parts: KernelMapParts) -> Self {
        Self { parts }
    }

    /// What the model is made of.
    pub fn parts(&self) -> &KernelMapParts {
        &self.parts
    }

    /// What the model is made of, moved out of it.
    pub fn into_parts(self) -> KernelMapParts {
        self.parts
    }

    /// An eigenvalue for each coordinate.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.parts.values
    }

    /// Coordinates of rows by their kernels with the basis rows: k A − b.
    pub fn placed(&self, kernels: &ArrayView2<'_, f64>) -> Array2<f64> {
        let mut place = Array2::zeros((kernels.nrows(), self.parts.offsets.len()));
        product_into(place.view_mut(), kernels, &self.parts.coefficients.view());
        place - &self.parts.offsets
    }

    /// The weights of the basis rows in the projections of rows with these coordinates: A y + w, a row each.
    pub fn expansions(&self, embedding: &ArrayView2<'_, f64>) -> Array2<f64> {
        let parts = &self.parts;
        let mut weights = Array2::zeros((embedding.nrows(), parts.coefficients.nrows()));
        product_into(weights.view_mut(), embedding, &parts.coefficients.t());
        weights + &parts.mean_weights
    }
}

impl KernelMap {
    /// The coordinates of the basis rows: those of the training rows, unless the basis is a dictionary.
    fn basis_coordinates(&self, run: &Run<'_>) -> Result<CowArray<'_, f64, Ix2>> {
        let parts = &self.parts;
        let all = parts.report.dictionary_error.is_none();
        if all && parts.embedding.nrows() == parts.rows.n_rows() {
            return Ok(parts.embedding.view().into());
        }
        match parts.rows.features() {
            Some(features) => Ok(self.transform_in(run, &Data::new(features))?.into()),
            None => Err(no_way_back()),
        }
    }

    /// Features of coordinates, sought from rows where they are given.
    fn led_back(
        &self,
        run: &Run<'_>,
        coordinates: &ArrayView2<'_, f64>,
        starts: Option<Features<'_>>,
    ) -> Result<Array2<f64>> {
        let parts = &self.parts;
        let basis = self.basis_coordinates(run)?;
        match parts.preimage {
            None => Err(no_way_back()),
            Some(Preimage::Ridge { alpha }) => {
                ridge(run, &parts.rows, &basis.view(), coordinates, alpha)
            }
            Some(Preimage::FixedPoint) => {
                let weights =
                    |lines: Range<usize>| self.expansions(&coordinates.slice(s![lines, ..]));
                let sought = Sought {
                    coordinates: coordinates.view(),
                    basis: basis.view(),
                    weights: &weights,
                    starts: starts.as_ref().map(Features::reborrow),
                };
                FixedPoint::new(run, &parts.rows)?.find(run, &sought)
            }
        }
    }
}

fn no_way_back() -> Error {
    Error::unsupported(message!("the model"), message!("has no inverse transform"))
}

impl InverseTransform for KernelMap {
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        check_embedding(embedding, self.n_components())?;
        self.led_back(run, embedding, None)
    }
}

impl Transform for KernelMap {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let parts = &self.parts;
        let placed = parts
            .rows
            .map(run, data, |_, kernels| self.placed(&kernels.view()))?;
        let views: Vec<_> = placed.iter().map(|block| block.view()).collect();
        let empty = (0, parts.offsets.len());
        Ok(concatenate(Axis(0), &views).unwrap_or_else(|_| Array2::zeros(empty)))
    }
}

impl RowErrors for KernelMap {
    fn row_errors_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let parts = &self.parts;
        if !parts.orthonormal {
            return Err(Error::unsupported(
                message!("the model"),
                message!(
                    "has directions that are not orthonormal, so the reconstruction errors of {:rows} \
                     are not known"
                ),
            ));
        }
        parts.rows.check(data)?;
        let own = parts.rows.own(run, data)?;
        let errors = parts.rows.map(run, data, |rows, kernels| {
            let placed = self.placed(&kernels.view());
            let means = kernels.dot(&parts.mean_weights);
            let lines = rows.zip(placed.rows()).zip(&means);
            let error = |((row, place), mean): ((usize, ndarray::ArrayView1<'_, f64>), &f64)| {
                (own[row] - 2.0 * mean + parts.mean_square - place.dot(&place)).max(0.0)
            };
            lines.map(error).collect::<Vec<f64>>()
        })?;
        Ok(errors.into_iter().flatten().collect())
    }
}

impl Model for KernelMap {
    fn n_components(&self) -> usize {
        self.parts.offsets.len()
    }

    fn n_columns(&self) -> usize {
        self.parts.rows.n_columns()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        Some(self.parts.embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let (parts, report) = (&self.parts, &self.parts.report);
        let spec = parts.rows.spec();
        let plain = parts.rows.features().is_some() && !parts.rows.by_function();
        let mut told = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", parts.embedding.nrows())
            .count("n_columns", self.n_columns())
            .text("kernel", parts.rows.title());
        if plain && spec.kind.has_gamma() {
            told = told.number("gamma", spec.gamma);
        }
        told = told
            .count("n_basis_rows", parts.rows.n_rows())
            .text("solver", report.route.clone())
            .per_component("eigenvalues", &parts.values);
        if let Some(share) = &report.explained_share {
            told = told.per_component("explained_variance_ratio", share);
        }
        if let Some(rank) = report.rank {
            told = told.count("rank", rank);
        }
        let numbers = [
            ("negative_share", report.negative_share),
            ("residual", report.residual),
            ("mean_error", report.mean_error),
            ("distance_loss", report.distance_loss),
            ("dictionary_error", report.dictionary_error),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                told = told.number(name, number);
            }
        }
        if let Some(preimage) = &parts.preimage {
            told = told.text("pre_image", preimage.name());
        }
        if let Some(criterion) = &report.criterion {
            let column = |of: fn(&(f64, f64)) -> f64| report.tried.iter().map(of).collect();
            told = told
                .text("criterion", criterion.clone())
                .vector("gammas_tried", &column(|tried| tried.0))
                .vector("scores", &column(|tried| tried.1));
        }
        told
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        let known = self.parts.preimage.is_some();
        known.then_some(self as &dyn InverseTransform)
    }

    /// The pre-images of the projections, sought from the rows themselves.
    fn denoise_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let placed = self.transform_in(run, data)?;
        let starts = match data.source() {
            Source::Features(features) => Some(features.reborrow()),
            _ => None,
        };
        self.led_back(run, &placed.view(), starts)
    }

    fn as_row_errors(&self) -> Option<&dyn RowErrors> {
        self.parts.orthonormal.then_some(self as &dyn RowErrors)
    }
}
