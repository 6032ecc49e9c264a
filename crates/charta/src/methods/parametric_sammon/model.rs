//! The model of parametric Sammon mapping: a function that embeds training rows and new rows alike.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::pair_stress::Weighting;
use crate::data::Data;
use crate::data::loaded::check_positive;
use crate::error::Result;
use crate::model::picture::Curve;
use crate::model::{Diagnostics, Model, Picture, Transform, arrays};
use crate::neural::Network;
use crate::run::Run;

/// A fitted parametric Sammon mapping z = g(x), linear or a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParametricSammonModel {
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
    /// The stress of the initial map.
    pub first_stress: f64,
    /// Rows between which the stress was measured.
    pub n_rows_measured: usize,
    /// Pairs of them that are not at the same point.
    pub n_pairs_measured: u64,
    /// Rows of the fit.
    pub n_rows: usize,
    /// The mean stress of the batches, epoch by epoch.
    #[serde(with = "arrays::vector")]
    pub losses: Array1<f64>,
    /// Whether the training was ended on request before its last epoch.
    #[serde(default)]
    pub interrupted: bool,
    /// Coordinates of the training rows; not saved.
    #[serde(skip)]
    pub(super) embedding: Option<Array2<f64>>,
}

impl ParametricSammonModel {
    /// The stress of the map, between all rows of the fit or those it was measured on.
    pub fn stress(&self) -> f64 {
        self.stress
    }
}

impl Transform for ParametricSammonModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        // Functions that saturate would hide a value that is not finite.
        data.check_finite()?;
        let coordinates = self.network.apply(run, features)? * self.unit;
        if coordinates.iter().all(|value| value.is_finite()) {
            Ok(coordinates)
        } else {
            Err(data.bad_values(None))
        }
    }
}

impl Model for ParametricSammonModel {
    fn n_components(&self) -> usize {
        self.network.n_outputs()
    }

    fn n_columns(&self) -> usize {
        self.network.n_inputs()
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let measured = if self.n_rows_measured == self.n_rows {
            "all pairs of rows".to_string()
        } else {
            format!("all pairs of {} rows drawn evenly", self.n_rows_measured)
        };
        Diagnostics::new()
            .count("n_components", self.n_components())
            .number("stress", self.stress)
            .number("initial_stress", self.first_stress)
            .text("stress_measured_on", measured)
            .count("n_pairs_measured", self.n_pairs_measured as usize)
            .text("map", self.map.clone())
            .text("weighting", self.weighting.to_string())
            .count("n_weights", self.network.n_weights())
            .count("n_epochs", self.losses.len())
            .interrupted(self.interrupted)
            .vector("loss", &self.losses)
    }

    fn validate(&self) -> Result<()> {
        let Self {
            network,
            unit,
            map: _,
            weighting: _,
            stress: _,
            first_stress: _,
            n_rows_measured: _,
            n_pairs_measured: _,
            n_rows: _,
            losses: _,
            interrupted: _,
            embedding: _,
        } = self;
        network.validate()?;
        check_positive("the unit of the map", [unit])
    }

    fn pictures(&self) -> Vec<Picture> {
        vec![Picture::losses(vec![Curve {
            name: "stress of the batches".into(),
            values: self.losses.to_vec(),
            spread: Vec::new(),
        }])]
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("sammon")
    }
}
