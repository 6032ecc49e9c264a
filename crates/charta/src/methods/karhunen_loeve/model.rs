//! The model of the axes along which classes vary: encode and decode.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use crate::data::Data;
use crate::error::Result;
use crate::linalg::product::product;
use crate::model::linear::LinearMap;
use crate::model::predict::Mark;
use crate::model::{Diagnostics, InverseTransform, Mapped, Model, Transform, arrays};
use crate::run::Run;

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KarhunenLoeveParts {
    /// The classes' names.
    pub classes: Vec<String>,
    /// Training rows of each class.
    pub counts: Vec<usize>,
    /// What the covariance of each class is weighted with.
    #[serde(with = "arrays::vector")]
    pub priors: Array1<f64>,
    /// Mean of each class, one a row.
    #[serde(with = "arrays::matrix")]
    pub means: Array2<f64>,
    /// The classes' means, averaged with the priors: what is subtracted from every row.
    #[serde(with = "arrays::vector")]
    pub centre: Array1<f64>,
    /// Orthonormal axes, one a row.
    #[serde(with = "arrays::matrix")]
    pub axes: Array2<f64>,
    /// Averaged variance within classes along each axis; 0 beyond the rank.
    #[serde(with = "arrays::vector")]
    pub variances: Array1<f64>,
    /// The same along all axes.
    #[serde(with = "arrays::vector")]
    pub spectrum: Array1<f64>,
    /// Averaged variance within classes in all directions.
    pub total_variance: f64,
    /// Divide coordinates by their standard deviation within classes.
    pub whiten: bool,
    /// The rule that chose the number of components.
    pub rule: String,
    /// Rows without a class.
    pub n_left_out: usize,
}

/// A fitted Karhunen–Loève expansion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KarhunenLoeveModel {
    parts: KarhunenLoeveParts,
    map: LinearMap,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl KarhunenLoeveModel {
    /// A model from its parts. The embedding is not there until [`KarhunenLoeveModel::embed`].
    pub fn new(parts: KarhunenLoeveParts) -> Self {
        let (mut encoder, mut decoder) = (parts.axes.clone(), parts.axes.clone());
        for (i, &variance) in parts.variances.iter().enumerate() {
            // Beyond the rank an axis is arbitrary: its coordinate is 0, not rounding.
            let (to, from) = match (variance > 0.0, parts.whiten) {
                (false, _) => (0.0, 0.0),
                (true, false) => (1.0, 1.0),
                (true, true) => (variance.sqrt().recip(), variance.sqrt()),
            };
            encoder.row_mut(i).mapv_inplace(|entry| entry * to);
            decoder.row_mut(i).mapv_inplace(|entry| entry * from);
        }
        let map = LinearMap {
            offset: parts.centre.clone(),
            encoder,
            decoder: Some(decoder),
        };
        Self {
            parts,
            map,
            embedding: None,
        }
    }

    /// Adds the coordinates of the training rows.
    pub fn embed(mut self, run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        self.embedding = Some(self.transform_in(run, data)?);
        Ok(self)
    }

    /// What the model is made of.
    pub fn parts(&self) -> &KarhunenLoeveParts {
        &self.parts
    }

    /// The axes, one a row: orthonormal.
    pub fn components(&self) -> &Array2<f64> {
        &self.parts.axes
    }

    /// Averaged variance within classes along each axis.
    pub fn explained_variance(&self) -> &Array1<f64> {
        &self.parts.variances
    }

    /// Its share of the averaged variance in all directions.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        self.parts
            .variances
            .mapv(|variance| variance / self.parts.total_variance)
    }

    /// Variance of the classes' means along each axis, weighted with the priors.
    pub fn between_variance(&self) -> Array1<f64> {
        let apart = &self.parts.means - &self.parts.centre;
        let places = product(&apart.view(), &self.parts.axes.t());
        self.parts.priors.dot(&places.mapv(|place| place * place))
    }

    /// Axes times standard deviations within classes.
    pub fn loadings(&self) -> Array2<f64> {
        let deviations = self.parts.variances.mapv(f64::sqrt);
        &self.parts.axes * &deviations.insert_axis(Axis(1))
    }
}

impl Mapped for KarhunenLoeveModel {
    fn map(&self) -> &LinearMap {
        &self.map
    }
}

impl Model for KarhunenLoeveModel {
    fn n_components(&self) -> usize {
        self.map.n_components()
    }

    fn n_columns(&self) -> usize {
        self.map.n_columns()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let parts = &self.parts;
        let counts = parts.counts.iter().map(|&count| count as f64).collect();
        let mut report = Diagnostics::new()
            .count("n_components", self.n_components())
            .text("rule", parts.rule.clone())
            .count("n_rows", parts.counts.iter().sum())
            .count("n_columns", self.n_columns())
            .count("n_classes", parts.classes.len())
            .per_component("explained_variance", &parts.variances)
            .per_component("explained_variance_ratio", &self.explained_variance_ratio())
            .number("total_variance", parts.total_variance)
            .per_component("between_variance", &self.between_variance());
        if parts.n_left_out > 0 {
            report = report.count("n_left_out", parts.n_left_out);
        }
        report
            .words("classes", &parts.classes)
            .vector("counts", &counts)
            .vector("priors", &parts.priors)
            .vector("spectrum", &parts.spectrum)
            .vector("mean", &parts.centre)
            .matrix("class_means", &parts.means)
            .matrix("components", &parts.axes)
            .matrix("loadings", &self.loadings())
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn axes(&self) -> Option<Array2<f64>> {
        Some(self.parts.axes.clone())
    }

    fn feature_loadings(&self) -> Option<Array2<f64>> {
        Some(self.loadings())
    }

    fn marks(&self) -> Vec<Mark> {
        let apart = &self.parts.means - &self.parts.centre;
        let places = product(&apart.view(), &self.map.encoder.t());
        self.parts
            .classes
            .iter()
            .zip(places.rows())
            .map(|(name, place)| Mark {
                name: name.clone(),
                place: place.to_vec(),
            })
            .collect()
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("kl")
    }
}
