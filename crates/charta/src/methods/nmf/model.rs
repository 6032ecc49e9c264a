//! The model of a non-negative matrix factorization.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::beta_updates::Divergence;
use super::kl_updates::divergence_from_mean;
use super::kl_weights::RowProblem;
use super::nonnegative_least_squares::{Penalty, Quadratic};
use super::rows::{Scaled, gram};
use crate::data::Data;
use crate::data::loaded::{
    check_at_least, check_finite, check_length, check_not_negative, check_positive,
};
use crate::error::{Error, Result, message};
use crate::linalg::product::product;
use crate::model::{Diagnostics, InverseTransform, Model, Transform, arrays, check_embedding};
use crate::parallel::map_blocks;
use crate::params::Choice;
use crate::run::Run;

/// The loss between rows and their reconstruction.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Loss {
    /// Half of the squared error, ½ Σ (x − y)².
    Frobenius,
    /// The generalized Kullback–Leibler divergence, Σ x log(x/y) − x + y: for counts.
    KullbackLeibler,
    /// The divergence of Itakura and Saito, Σ x/y − log(x/y) − 1: for values without zeros, compared by their ratios.
    ItakuraSaito,
    /// The β-divergence of this β: of 2, 1 and 0 it is those above.
    #[choice(min = -10.0, max = 10.0)]
    Beta(f64),
}

impl Loss {
    /// The β of the β-divergence that it is.
    pub fn beta(self) -> f64 {
        match self {
            Self::Frobenius => 2.0,
            Self::KullbackLeibler => 1.0,
            Self::ItakuraSaito => 0.0,
            Self::Beta(beta) => beta,
        }
    }
}

/// How well the training rows are described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Quality {
    error: f64,
    relative: f64,
    weight_sparsity: f64,
    #[serde(with = "arrays::vector")]
    sizes: Array1<f64>,
}

/// A fitted non-negative matrix factorization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NmfModel {
    /// The components, one a row, divided by `root`.
    #[serde(with = "arrays::matrix")]
    pub(super) scaled_components: Array2<f64>,
    /// The square root of what the training rows were divided by.
    pub(super) root: f64,
    /// The loss that was minimized.
    pub(super) loss: Loss,
    /// L1 penalty on the scaled weights, in the scaled loss.
    pub(super) lasso: f64,
    /// L2 penalty on them.
    pub(super) ridge: f64,
    /// Training rows.
    pub(super) n_rows: usize,
    pub(super) solver: String,
    /// The initialization used.
    pub(super) start: String,
    /// The loss as the iterations went on.
    #[serde(with = "arrays::vector")]
    pub(super) losses: Array1<f64>,
    pub(super) n_iterations: usize,
    /// The relative decrease of the error in the last ten iterations, or in all where there are fewer.
    pub(super) last_fall: f64,
    /// Whether the tolerance was met.
    pub(super) converged: bool,
    /// Whether components are sorted by their sizes.
    #[serde(default = "sorted")]
    pub(super) ordered: bool,
    pub(super) quality: Option<Quality>,
    #[serde(skip)]
    pub(super) embedding: Option<Array2<f64>>,
}

fn sorted() -> bool {
    true
}

impl NmfModel {
    /// Adds the weights of the training rows and the reconstruction error. The components are sorted by size, largest
    /// first.
    pub(super) fn embed(mut self, run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        let features = data.features("this model")?;
        let rows = Scaled::new(features, self.scale());
        let weights = self.weights_of(run, &rows)?;
        let weights = if self.ordered {
            self.sort(weights)
        } else {
            weights
        };
        if !weights.iter().all(|weight| weight.is_finite()) {
            return Err(data.bad_values(None));
        }
        let columns = self.columns();
        let view = columns.view();
        let beta = self.loss.beta();
        let (loss, whole) = match beta {
            2.0 => (
                rows.squared_error(run, &weights.view(), &view)?,
                rows.sum_of_squares(),
            ),
            1.0 => {
                let problem = RowProblem::new(&view, Penalty::default());
                let nothing = divergence_from_mean(&rows);
                (
                    2.0 * problem.divergence(run, &rows, &weights.view())?,
                    2.0 * nothing,
                )
            }
            _ => {
                let divergence = Divergence::new(beta);
                (
                    2.0 * divergence.between(run, &rows, &weights.view(), &columns)?,
                    2.0 * divergence.of_mean(run, &rows)?,
                )
            }
        };
        let unit = match beta {
            2.0 => self.scale(),
            1.0 => self.root,
            _ => self.root.powf(beta),
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
        self.embedding = Some(weights * self.root);
        Ok(self)
    }

    /// Sorts the components by their sizes with these weights; the weights in that order.
    fn sort(&mut self, weights: Array2<f64>) -> Array2<f64> {
        let sizes = lengths(&weights) * lengths(&self.columns());
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));
        self.scaled_components = self.scaled_components.select(Axis(0), &order);
        weights.select(Axis(1), &order)
    }

    /// The number of components that are zero or that no training row uses; 0 before the training rows are embedded.
    pub fn n_unused(&self) -> usize {
        let quality = self.quality.as_ref();
        quality.map_or(0, |quality| {
            quality.sizes.iter().filter(|size| **size == 0.0).count()
        })
    }

    /// The components, one a row.
    pub fn components(&self) -> Array2<f64> {
        &self.scaled_components * self.root
    }

    /// The reconstruction error of the training rows: the Frobenius norm, or √(2 · divergence).
    pub fn reconstruction_error(&self) -> Option<f64> {
        self.quality.as_ref().map(|quality| quality.error)
    }

    fn scale(&self) -> f64 {
        self.root * self.root
    }

    /// The scaled components, a row for each feature.
    fn columns(&self) -> Array2<f64> {
        self.scaled_components.t().as_standard_layout().into_owned()
    }

    /// The optimal scaled weights of rows.
    fn weights_of(&self, run: &Run<'_>, rows: &Scaled<'_>) -> Result<Array2<f64>> {
        let penalty = Penalty {
            lasso: self.lasso,
            ridge: self.ridge,
        };
        let columns = self.columns();
        let view = columns.view();
        match self.loss.beta() {
            1.0 => return RowProblem::new(&view, penalty).solve(run, rows),
            2.0 => {}
            beta => return Divergence::new(beta).weights(run, rows, &columns, penalty),
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

/// The fraction of entries that are zero.
fn sparsity(table: &ArrayView2<'_, f64>) -> f64 {
    let zeros = table.iter().filter(|entry| **entry == 0.0).count();
    zeros as f64 / table.len().max(1) as f64
}

impl Transform for NmfModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        data.extent_without_negatives("this model")?;
        let weights = self.weights_of(run, &Scaled::new(features, self.scale()))? * self.root;
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
        check_embedding(run, embedding, self)?;
        run.check()?;
        Ok(product(embedding, &self.components().view()))
    }
}

impl Model for NmfModel {
    fn n_components(&self) -> usize {
        self.scaled_components.nrows()
    }

    fn n_columns(&self) -> usize {
        self.scaled_components.ncols()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut report = Diagnostics::new()
            .count("n_components", self.n_components())
            .text("loss", self.loss.to_string())
            .text("solver", self.solver.clone())
            .text("initialization", self.start.clone())
            .count("n_rows", self.n_rows)
            .count("n_columns", self.n_columns())
            .count("n_iterations", self.n_iterations)
            .text("converged", if self.converged { "yes" } else { "no" })
            .number("last_decrease", self.last_fall);
        if let Some(quality) = &self.quality {
            report = report
                .number("reconstruction_error", quality.error)
                .number("relative_error", quality.relative)
                .number("weight_sparsity", quality.weight_sparsity)
                .per_component("component_sizes", &quality.sizes);
        }
        let components = self.components();
        report
            .number("component_sparsity", sparsity(&components.view()))
            .vector("loss_trace", &self.losses)
            .matrix("components", &components)
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn validate(&self) -> Result<()> {
        let Self {
            scaled_components,
            root,
            loss,
            lasso,
            ridge,
            n_rows: _,
            solver: _,
            start: _,
            losses: _,
            n_iterations: _,
            last_fall: _,
            converged: _,
            ordered: _,
            quality,
            embedding: _,
        } = self;
        check_at_least("the components", scaled_components.len(), 1)?;
        check_not_negative("the components", scaled_components)?;
        check_positive("the scale of the components", [root])?;
        check_finite("the loss", &[loss.beta()])?;
        check_not_negative("the penalties", [lasso, ridge])?;
        match quality {
            Some(quality) => {
                let n_components = scaled_components.nrows();
                check_length("the sizes of components", quality.sizes.len(), n_components)
            }
            None => Ok(()),
        }
    }

    fn axes(&self) -> Option<Array2<f64>> {
        Some(self.components())
    }

    fn feature_loadings(&self) -> Option<Array2<f64>> {
        Some(self.components())
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("part")
    }
}
