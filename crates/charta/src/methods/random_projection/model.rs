//! The model of a random projection: a matrix, dense or sparse, and how well it kept distances.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use crate::data::Data;
use crate::data::loaded::{check_at_least, check_at_most, check_finite};
use crate::error::Result;
use crate::linalg::eigen::symmetric;
use crate::linalg::operator::Rows;
use crate::linalg::product::product;
use crate::linalg::signs::SignMatrix;
use crate::model::{Diagnostics, InverseTransform, Model, Transform, arrays, check_embedding};
use crate::run::Run;

/// The matrix of a projection, a row for each coordinate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ProjectionMatrix {
    /// Every entry is stored.
    Dense {
        /// The entries.
        #[serde(with = "arrays::matrix")]
        entries: Array2<f64>,
    },
    /// Entries are 0 or plus or minus one number.
    Signs(SignMatrix),
}

impl ProjectionMatrix {
    /// Rows and columns.
    pub fn dim(&self) -> (usize, usize) {
        match self {
            Self::Dense { entries } => entries.dim(),
            Self::Signs(signs) => (signs.n_rows(), signs.n_columns()),
        }
    }

    /// The matrix times itself, transposed.
    fn gram(&self) -> Array2<f64> {
        match self {
            Self::Dense { entries } => product(&entries.view(), &entries.t()),
            Self::Signs(signs) => signs.gram(),
        }
    }

    fn combine(&self, coefficients: &ArrayView2<'_, f64>) -> Array2<f64> {
        match self {
            Self::Dense { entries } => product(coefficients, &entries.view()),
            Self::Signs(signs) => signs.combine(coefficients),
        }
    }
}

/// Directions beyond which nearly all have no entry: such a matrix is of no use, and a file could announce any number of them.
pub(super) fn most_directions(signs: &SignMatrix) -> usize {
    let filled = signs.n_stored().saturating_add(signs.n_columns());
    filled.saturating_mul(16).saturating_add(1024)
}

/// Squared distances after over squared distances before, for pairs of training rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Pairs compared.
    pub n_pairs: usize,
    /// The smallest ratio.
    pub smallest: f64,
    /// The mean ratio.
    pub mean: f64,
    /// The largest ratio.
    pub largest: f64,
}

/// A fitted random projection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomProjectionModel {
    /// The matrix.
    pub matrix: ProjectionMatrix,
    /// The rule that gave the number of coordinates.
    pub rule: String,
    /// The fraction of entries expected not to be 0.
    pub density: f64,
    /// The distortion promised for all pairs of the training rows, where there is a promise.
    pub promised: Option<f64>,
    /// The distortion found.
    pub measured: Option<Measured>,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl RandomProjectionModel {
    /// A projection without the coordinates of training rows.
    pub(super) fn new(matrix: ProjectionMatrix, rule: String, density: f64) -> Self {
        Self {
            matrix,
            rule,
            density,
            promised: None,
            measured: None,
            embedding: None,
        }
    }

    /// Adds the coordinates of the training rows.
    pub(super) fn embed(mut self, run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        self.embedding = Some(self.transform_in(run, data)?);
        Ok(self)
    }

    /// The matrix with all its entries, a row for each coordinate.
    pub fn components(&self) -> Array2<f64> {
        match &self.matrix {
            ProjectionMatrix::Dense { entries } => entries.clone(),
            ProjectionMatrix::Signs(signs) => signs.dense(),
        }
    }
}

impl Transform for RandomProjectionModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        let coordinates = match &self.matrix {
            ProjectionMatrix::Dense { entries } => {
                let nothing = Array1::zeros(self.n_columns());
                Rows::new(features, &nothing).times(run, &entries.t())?
            }
            ProjectionMatrix::Signs(signs) => {
                // A column may have no entries at all, so a bad value need not show in the coordinates.
                data.check_finite()?;
                signs.project(run, features)?
            }
        };
        if coordinates.iter().all(|value| value.is_finite()) {
            return Ok(coordinates);
        }
        Err(data.bad_values(None))
    }
}

impl InverseTransform for RandomProjectionModel {
    /// By the pseudo-inverse: the shortest rows that have these coordinates, Rᵀ (R Rᵀ)⁺ z.
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        check_embedding(run, embedding, self)?;
        run.check()?;
        let eigen = symmetric(&self.matrix.gram().view())?;
        let least = eigen.values[0] * eigen.values.len() as f64 * f64::EPSILON;
        let inverse = eigen
            .values
            .mapv(|value| if value > least { value.recip() } else { 0.0 });
        let mut shares = product(embedding, &eigen.vectors.t());
        shares *= &inverse.insert_axis(Axis(0));
        let coefficients = product(&shares.view(), &eigen.vectors.view());
        Ok(self.matrix.combine(&coefficients.view()))
    }
}

impl Model for RandomProjectionModel {
    fn n_components(&self) -> usize {
        self.matrix.dim().0
    }

    fn n_columns(&self) -> usize {
        self.matrix.dim().1
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let stored = match &self.matrix {
            ProjectionMatrix::Dense { entries } => entries.len(),
            ProjectionMatrix::Signs(signs) => signs.n_stored(),
        };
        let mut report = Diagnostics::new()
            .count("n_components", self.n_components())
            .text("rule", self.rule.clone())
            .count("n_columns", self.n_columns())
            .number("density", self.density)
            .count("n_nonzero_weights", stored);
        if let Some(promised) = self.promised {
            report = report.number("distortion_bound", promised);
        }
        if let Some(measured) = &self.measured {
            report = report
                .count("n_pairs_measured", measured.n_pairs)
                .number("smallest_distance_ratio", measured.smallest)
                .number("mean_distance_ratio", measured.mean)
                .number("largest_distance_ratio", measured.largest);
        }
        report
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn validate(&self) -> Result<()> {
        let (count, n_columns) = self.matrix.dim();
        check_at_least("the random directions", count, 1)?;
        // Without columns a matrix of any number of directions would take no room in a file.
        check_at_least("the columns", n_columns, 1)?;
        match &self.matrix {
            ProjectionMatrix::Dense { entries } => check_finite("the matrix", entries),
            ProjectionMatrix::Signs(signs) => check_at_most(
                "the random directions",
                signs.n_rows(),
                most_directions(signs),
            ),
        }
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("rp")
    }
}
