//! The model of a map that was trained on the stress of pairs.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::pair_stress::Weighting;
use crate::data::Data;
use crate::error::Result;
use crate::model::picture::Curve;
use crate::model::{Diagnostics, Model, Picture, Transform, arrays};
use crate::neural::Network;
use crate::run::Run;

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParametricSammonParts {
    /// The map, up to its unit.
    pub network: Network<f64>,
    /// What its outputs are multiplied with.
    pub unit: f64,
    /// What the map is, in a word.
    pub map: String,
    /// How pairs were weighted.
    pub weighting: Weighting,
    /// The stress of the map.
    pub stress: f64,
    /// The stress of the map that the training began with.
    pub first_stress: f64,
    /// Rows between which the stress was measured.
    pub n_rows_measured: usize,
    /// Pairs of them that are not at the same place.
    pub n_pairs_measured: u64,
    /// Rows of the fit.
    pub n_rows: usize,
    /// The mean stress of the batches, epoch by epoch.
    #[serde(with = "arrays::vector")]
    pub losses: Array1<f64>,
}

/// A map z = g(x), linear or a network, trained on the stress of pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParametricSammonModel {
    parts: ParametricSammonParts,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl ParametricSammonModel {
    /// A model from its parts and the places of the training rows.
    pub fn new(parts: ParametricSammonParts, embedding: Array2<f64>) -> Self {
        Self {
            parts,
            embedding: Some(embedding),
        }
    }

    /// What it is made of.
    pub fn parts(&self) -> &ParametricSammonParts {
        &self.parts
    }

    /// The stress of the map, between all rows of the fit or those it was measured on.
    pub fn stress(&self) -> f64 {
        self.parts.stress
    }
}

impl Transform for ParametricSammonModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        // Functions that saturate would hide a value that is not finite.
        data.check_finite()?;
        let placed = self.parts.network.apply(run, features)? * self.parts.unit;
        match placed.iter().all(|value| value.is_finite()) {
            true => Ok(placed),
            false => Err(data.bad_values(None)),
        }
    }
}

impl Model for ParametricSammonModel {
    fn n_components(&self) -> usize {
        self.parts.network.n_outputs()
    }

    fn n_columns(&self) -> usize {
        self.parts.network.n_inputs()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let parts = &self.parts;
        let measured = match parts.n_rows_measured == parts.n_rows {
            true => "all pairs of rows".to_string(),
            false => format!("all pairs of {} rows drawn evenly", parts.n_rows_measured),
        };
        Diagnostics::new()
            .count("n_components", self.n_components())
            .number("stress", parts.stress)
            .number("first_stress", parts.first_stress)
            .text("stress_measured_on", measured)
            .count("n_pairs_measured", parts.n_pairs_measured as usize)
            .text("map", parts.map.clone())
            .text("weighting", parts.weighting.to_string())
            .count("n_weights", parts.network.n_weights())
            .count("n_epochs", parts.losses.len())
            .vector("loss", &parts.losses)
    }

    fn pictures(&self) -> Vec<Picture> {
        vec![Picture::losses(vec![Curve {
            name: "stress of the batches".into(),
            values: self.parts.losses.to_vec(),
            spread: Vec::new(),
        }])]
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("sammon")
    }
}
