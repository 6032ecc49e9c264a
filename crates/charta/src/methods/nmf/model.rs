//! The model of parts: rows as sums of parts, neither negative.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::kl_updates::divergence_from_mean;
use super::kl_weights::RowProblem;
use super::nonnegative_least_squares::{Penalty, Quadratic};
use super::rows::{Scaled, gram};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::product::product;
use crate::message;
use crate::model::{Diagnostics, InverseTransform, Model, Transform, arrays, check_embedding};
use crate::parallel::map_blocks;
use crate::params::Choice;
use crate::run::Run;

/// What the parts come close in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Loss {
    /// Half the squared error, ½ Σ (x − y)².
    Frobenius,
    /// The divergence Σ x log(x/y) − x + y: right for counts.
    KullbackLeibler,
}

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NmfParts {
    /// A part a row, divided by `root`.
    #[serde(with = "arrays::matrix")]
    pub scaled_parts: Array2<f64>,
    /// The root of what the training rows were divided by.
    pub root: f64,
    /// What was minimised.
    pub loss: Loss,
    /// Times the sum of the scaled weights, in the scaled loss.
    pub lasso: f64,
    /// Times half the sum of their squares.
    pub ridge: f64,
    /// Rows it was fitted on.
    pub n_rows: usize,
    /// The solver used.
    pub solver: String,
    /// The start used.
    pub start: String,
    /// What was minimised, as the iterations went on.
    #[serde(with = "arrays::vector")]
    pub losses: Array1<f64>,
    /// Iterations done.
    pub n_iterations: usize,
    /// The share by which the error fell in the last ten, or in all where there are fewer.
    pub last_fall: f64,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// How well the training rows are described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Quality {
    error: f64,
    relative: f64,
    weight_sparsity: f64,
    #[serde(with = "arrays::vector")]
    sizes: Array1<f64>,
}

/// A fitted non-negative factorisation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NmfModel {
    parts: NmfParts,
    #[serde(with = "arrays::matrix")]
    components: Array2<f64>,
    quality: Option<Quality>,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl NmfModel {
    /// A model from its parts. The embedding is not there until [`NmfModel::embed`].
    pub fn new(parts: NmfParts) -> Self {
        Self {
            components: &parts.scaled_parts * parts.root,
            parts,
            quality: None,
            embedding: None,
        }
    }

    /// Adds the weights of the training rows, and how well they describe them. The parts are put in the order of
    /// their sizes, largest first.
    pub fn embed(mut self, run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        let features = data.features("this model")?;
        let rows = Scaled::new(features, self.scale());
        let weights = self.place(run, &rows)?;
        let weights = self.sort(weights);
        if !weights.iter().all(|weight| weight.is_finite()) {
            return Err(data.bad_values(None));
        }
        let columns = self.columns();
        let view = columns.view();
        let (loss, whole) = match self.parts.loss {
            Loss::Frobenius => (
                rows.squared_error(run, &weights.view(), &view)?,
                rows.sum_of_squares(),
            ),
            Loss::KullbackLeibler => {
                let problem = RowProblem::new(&view, Penalty::default());
                let nothing = divergence_from_mean(&rows);
                (
                    2.0 * problem.divergence(run, &rows, &weights.view())?,
                    2.0 * nothing,
                )
            }
        };
        let unit = match self.parts.loss {
            Loss::Frobenius => self.scale(),
            Loss::KullbackLeibler => self.parts.root,
        };
        let relative = if whole > 0.0 {
            (loss / whole).sqrt()
        } else {
            0.0
        };
        self.quality = Some(Quality {
            error: loss.sqrt() * unit,
            relative,
            weight_sparsity: sparsity(&weights.view()),
            sizes: lengths(&weights) * lengths(&columns) * self.scale(),
        });
        self.embedding = Some(weights * self.parts.root);
        Ok(self)
    }

    /// Puts the parts in the order of their sizes for these weights; the weights in that order.
    fn sort(&mut self, weights: Array2<f64>) -> Array2<f64> {
        let sizes = lengths(&weights) * lengths(&self.columns());
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));
        self.parts.scaled_parts = self.parts.scaled_parts.select(Axis(0), &order);
        self.components = self.components.select(Axis(0), &order);
        weights.select(Axis(1), &order)
    }

    /// The number of parts that are zero or that no training row uses; 0 before [`NmfModel::embed`].
    pub fn n_unused(&self) -> usize {
        let quality = self.quality.as_ref();
        quality.map_or(0, |quality| {
            quality.sizes.iter().filter(|size| **size == 0.0).count()
        })
    }

    /// What the model is made of.
    pub fn parts(&self) -> &NmfParts {
        &self.parts
    }

    /// The parts, one a row.
    pub fn components(&self) -> &Array2<f64> {
        &self.components
    }

    /// The distance of the training rows from their images: the Frobenius norm, or √(2 · divergence).
    pub fn reconstruction_error(&self) -> Option<f64> {
        self.quality.as_ref().map(|quality| quality.error)
    }

    fn scale(&self) -> f64 {
        self.parts.root * self.parts.root
    }

    /// The scaled parts, a row for each feature.
    fn columns(&self) -> Array2<f64> {
        self.parts
            .scaled_parts
            .t()
            .as_standard_layout()
            .into_owned()
    }

    /// The optimal scaled weights of rows.
    fn place(&self, run: &Run<'_>, rows: &Scaled<'_>) -> Result<Array2<f64>> {
        let penalty = Penalty {
            lasso: self.parts.lasso,
            ridge: self.parts.ridge,
        };
        let columns = self.columns();
        let view = columns.view();
        if self.parts.loss == Loss::KullbackLeibler {
            return RowProblem::new(&view, penalty).solve(run, rows);
        }
        let problem = Quadratic::new(gram(&view), penalty);
        let solved = map_blocks(run, rows.n_rows(), 512, |block| {
            problem.solve(&rows.times(block, &view).view())
        })?;
        let mut weights = Array2::zeros((rows.n_rows(), self.n_components()));
        weights
            .axis_chunks_iter_mut(Axis(0), 512)
            .into_par_iter()
            .zip(solved)
            .for_each(|(mut target, part)| target.assign(&part));
        Ok(weights)
    }
}

/// The lengths of the columns of a table.
fn lengths(table: &Array2<f64>) -> Array1<f64> {
    let columns = table.axis_iter(Axis(1));
    columns.map(|column| column.dot(&column).sqrt()).collect()
}

/// The share of entries that are zero.
fn sparsity(table: &ArrayView2<'_, f64>) -> f64 {
    let zeros = table.iter().filter(|entry| **entry == 0.0).count();
    zeros as f64 / table.len().max(1) as f64
}

impl Transform for NmfModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        data.extent_without_negatives("this model")?;
        let weights = self.place(run, &Scaled::new(features, self.scale()))? * self.parts.root;
        if weights.iter().all(|weight| weight.is_finite()) {
            return Ok(weights);
        }
        Err(Error::degenerate(message!(
            "the values of the new {:rows} are too large for this model: scale them as those of \
             the fit"
        )))
    }
}

impl InverseTransform for NmfModel {
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        check_embedding(embedding, self.n_components())?;
        run.check()?;
        Ok(product(embedding, &self.components.view()))
    }
}

impl Model for NmfModel {
    fn n_components(&self) -> usize {
        self.components.nrows()
    }

    fn n_columns(&self) -> usize {
        self.components.ncols()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let parts = &self.parts;
        let mut report = Diagnostics::new()
            .count("n_components", self.n_components())
            .text("loss", parts.loss.to_string())
            .text("solver", parts.solver.clone())
            .text("start", parts.start.clone())
            .count("n_rows", parts.n_rows)
            .count("n_columns", self.n_columns())
            .count("n_iterations", parts.n_iterations)
            .text("converged", if parts.converged { "yes" } else { "no" })
            .number("last_fall", parts.last_fall);
        if let Some(quality) = &self.quality {
            report = report
                .number("reconstruction_error", quality.error)
                .number("relative_error", quality.relative)
                .number("weight_sparsity", quality.weight_sparsity)
                .per_component("component_sizes", &quality.sizes);
        }
        report
            .number("component_sparsity", sparsity(&self.components.view()))
            .vector("loss_trace", &parts.losses)
            .matrix("components", &self.components)
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn axes(&self) -> Option<Array2<f64>> {
        Some(self.components.clone())
    }

    fn feature_loadings(&self) -> Option<Array2<f64>> {
        Some(self.components.clone())
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("part")
    }
}
