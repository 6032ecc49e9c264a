//! The model of classical MDS: out-of-sample placement by the distances to all training rows, or to landmarks among them.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

use crate::data::loaded::{check_at_least, check_dim, check_finite, check_length};
use crate::data::{Data, Source};
use crate::error::Result;
use crate::linalg::product::product;
use crate::metric::ReferenceRows;
use crate::model::{Diagnostics, Model, Transform, arrays};
use crate::parallel::blocks;
use crate::run::Run;
use crate::spectral::classical_scaling::{Fidelity, Scaled, squared_with};

/// Distances held at once while rows are embedded.
const HELD: usize = 1 << 23;

/// A fitted classical MDS.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassicalMdsModel {
    /// The landmarks, or all rows.
    known: ReferenceRows,
    /// What was added to every distance.
    constant: f64,
    /// How well the coordinates keep the distances.
    fidelity: Fidelity,
    rank: usize,
    #[serde(with = "arrays::vector")]
    values: Array1<f64>,
    #[serde(with = "arrays::matrix")]
    weights: Array2<f64>,
    #[serde(with = "arrays::vector")]
    means: Array1<f64>,
    #[serde(with = "arrays::matrix")]
    embedding: Array2<f64>,
}

impl ClassicalMdsModel {
    /// The model of a scaling of all rows, or of landmarks among them, by which the other rows are embedded.
    pub(crate) fn new(
        run: &Run<'_>,
        data: &Data<'_>,
        known: ReferenceRows,
        constant: f64,
        fidelity: Fidelity,
        scaled: Scaled,
    ) -> Result<Self> {
        let n_components = scaled.weights.ncols();
        let mut model = Self {
            known,
            constant,
            fidelity,
            rank: scaled.rank,
            values: scaled.values,
            weights: scaled.weights,
            means: scaled.means,
            embedding: Array2::zeros((0, n_components)),
        };
        model.embedding = if scaled.coordinates.nrows() == data.n_rows() {
            let kept = scaled.coordinates.slice(s![.., ..n_components]);
            kept.to_owned()
        } else {
            run.stage("out-of-sample placement")?;
            model.embed(run, data)?
        };
        Ok(model)
    }

    /// What was added to every distance.
    pub fn constant(&self) -> f64 {
        self.constant
    }

    /// How well the coordinates keep the distances.
    pub fn fidelity(&self) -> &Fidelity {
        &self.fidelity
    }

    /// The largest eigenvalues of the centred matrix: those of the coordinates, and some more.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.values
    }

    /// The fraction of the distances that is kept: the eigenvalues of the coordinates as a fraction of the sizes of all, and
    /// of the positive ones.
    pub fn goodness_of_fit(&self) -> [f64; 2] {
        let kept = self.kept().sum();
        self.fidelity.goodness_of_fit(kept, self.means.sum() / 2.0)
    }

    /// An eigenvalue for each coordinate; 0 beyond the rank.
    fn kept(&self) -> Array1<f64> {
        let value = |index: usize| {
            if index < self.rank {
                self.values.get(index).copied().unwrap_or(0.0)
            } else {
                0.0
            }
        };
        (0..self.n_components()).map(value).collect()
    }

    /// ½ (means − squares) · weights, for some rows at a time.
    fn embed(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        data.check_finite()?;
        let Source::Features(features) = data.source() else {
            return Ok(self.embed_distances(self.known.distances(run, data)?));
        };
        let mut transformed = Array2::zeros((data.n_rows(), self.n_components()));
        let at_once = (HELD / self.means.len().max(1)).max(64);
        for rows in blocks(data.n_rows(), at_once) {
            let part = Data::measured_as(features.rows(rows.start, rows.end), data);
            let part = self.embed_distances(self.known.distances(run, &part)?);
            run.progress(rows.end as u64, data.n_rows() as u64)?;
            transformed.slice_mut(s![rows, ..]).assign(&part);
        }
        Ok(transformed)
    }

    fn embed_distances(&self, mut distances: Array2<f64>) -> Array2<f64> {
        for mut line in distances.axis_iter_mut(Axis(0)) {
            let mut itself = true;
            for (value, mean) in line.iter_mut().zip(&self.means) {
                // A row is at distance 0 from itself, whatever is added to all others.
                let own = itself && *value == 0.0;
                itself &= !own;
                let square = squared_with(*value, if own { 0.0 } else { self.constant });
                *value = (mean - square) / 2.0;
            }
        }
        product(&distances.view(), &self.weights.view())
    }
}

impl Transform for ClassicalMdsModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        run.install(|| self.embed(run, data))
    }
}

impl Model for ClassicalMdsModel {
    fn n_components(&self) -> usize {
        self.weights.ncols()
    }

    fn n_columns(&self) -> usize {
        self.known.n_columns()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        Some(self.embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let fidelity = &self.fidelity;
        let n_known = self.means.len();
        let [of_sizes, of_positive] = self.goodness_of_fit();
        let kept = self.kept();
        let degrees = (n_known.max(2) - 1) as f64;
        let sizes = self.means.sum() / 2.0 / (1.0 - 2.0 * fidelity.negative_share);
        let mut figures = Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", self.embedding.nrows())
            .count("n_columns", self.n_columns())
            .count("n_landmarks", n_known)
            .per_component("eigenvalues", &kept)
            .per_component("explained_variance", &(&kept / degrees))
            .per_component("explained_variance_ratio", &(&kept / sizes))
            .number("total_variance", sizes / degrees)
            .number("goodness_of_fit", of_sizes)
            .number("goodness_of_fit_positive", of_positive)
            .number("negative_fraction", fidelity.negative_share)
            .count("n_negative", fidelity.n_negative)
            .count("n_rows_of_negative_fraction", fidelity.n_spectrum)
            .number("strain", fidelity.strain())
            .number("reconstruction_error", fidelity.reconstruction_error)
            .vector("residual_variance", &fidelity.residual_variance)
            .count("n_rows_measured", fidelity.n_measured);
        if self.constant > 0.0 {
            figures = figures.number("additive_constant", self.constant);
        }
        let positive = self.values.iter().take(self.rank);
        figures.vector("spectrum", &positive.map(|value| value / degrees).collect())
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("mds")
    }

    fn validate(&self) -> Result<()> {
        let Self {
            known,
            constant,
            fidelity: _,
            rank: _,
            values,
            weights,
            means,
            embedding,
        } = self;
        known.validate(embedding.nrows())?;
        let n_known = known.n_rows();
        let n_components = embedding.ncols();
        check_at_least("the columns of the embedding", n_components, 1)?;
        check_dim("the weights", weights.dim(), (n_known, n_components))?;
        check_length("the means", means.len(), n_known)?;
        check_finite("the additive constant", [constant])?;
        check_finite("the eigenvalues", values)?;
        check_finite("the weights", weights)?;
        check_finite("the means", means)?;
        check_finite("the embedding", embedding)
    }
}
