//! The model of an autoencoder: a network whose first half encodes and whose second half decodes.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use crate::data::Data;
use crate::error::{Error, Result};
use crate::model::picture::{Content, Curve};
use crate::model::{
    Diagnostics, InverseTransform, Model, Picture, RowErrors, Transform, arrays, check_embedding,
};
use crate::neural::{Activation, Learned, Noise};
use crate::run::Run;

/// What the model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutoencoderParts {
    /// All layers, in the precision of the features.
    pub network: Learned,
    /// Layers that encode; the others decode.
    pub n_encoding: usize,
    /// The function of hidden units.
    pub activation: Activation,
    /// How rows were spoiled in the training.
    pub noise: Noise,
    /// Rows of the fit.
    pub n_rows: usize,
    /// Rows that the training did not see.
    pub n_validation: usize,
    /// The loss of the batches, epoch by epoch.
    #[serde(with = "arrays::vector")]
    pub training_loss: Array1<f64>,
    /// The loss of the rows that the training did not see, at the end of each epoch; empty without such rows.
    #[serde(with = "arrays::vector")]
    pub validation_loss: Array1<f64>,
    /// The epoch whose weights were kept, counted from 1.
    pub best_epoch: usize,
    /// The mean squared distance of the rows from what is decoded for them.
    pub reconstruction_error: f64,
    /// The same as a share of the rows' variance.
    pub loss: f64,
}

/// A network that leads rows through few numbers and back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutoencoderModel {
    parts: AutoencoderParts,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

impl AutoencoderModel {
    /// A model from its parts and the places of the training rows.
    pub fn new(parts: AutoencoderParts, embedding: Array2<f64>) -> Self {
        Self {
            parts,
            embedding: Some(embedding),
        }
    }

    /// What it is made of.
    pub fn parts(&self) -> &AutoencoderParts {
        &self.parts
    }

    /// The share of the rows' variance that is lost: 0 if they come back as they were, 1 if the mean of all rows would do as well.
    pub fn loss(&self) -> f64 {
        self.parts.loss
    }
}

impl Transform for AutoencoderModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        // Functions that saturate would hide a value that is not finite.
        data.check_finite()?;
        let parts = &self.parts;
        let placed = parts.network.apply_first(run, features, parts.n_encoding)?;
        match placed.iter().all(|value| value.is_finite()) {
            true => Ok(placed),
            false => Err(data.bad_values(None)),
        }
    }
}

impl InverseTransform for AutoencoderModel {
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        check_embedding(embedding, self.n_components())?;
        let parts = &self.parts;
        let decoding = parts.n_encoding..parts.network.layers().len();
        let features = parts.network.lead_back(run, embedding, decoding)?;
        match features.iter().all(|value| value.is_finite()) {
            true => Ok(features),
            false => Err(Error::too_large()),
        }
    }
}

impl RowErrors for AutoencoderModel {
    /// The squared distance of every row from what is decoded for it, in the unit of the features. Columns that were constant in the
    /// training do not count.
    fn row_errors_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        data.check_finite()?;
        let errors = self.parts.network.row_errors(run, features)?;
        match errors.iter().all(|error| error.is_finite()) {
            true => Ok(errors),
            false => Err(data.bad_values(None)),
        }
    }
}

impl Model for AutoencoderModel {
    fn n_components(&self) -> usize {
        let encoding = &self.parts.network.layers()[..self.parts.n_encoding];
        encoding.last().map_or(0, |layer| layer.n_outputs)
    }

    fn n_columns(&self) -> usize {
        let first = self.parts.network.layers().first();
        first.map_or(0, |layer| layer.n_inputs)
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let parts = &self.parts;
        let precision = match &parts.network {
            Learned::Single(_) => "single",
            Learned::Double(_) => "double",
        };
        Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", parts.n_rows)
            .count("n_columns", self.n_columns())
            .number("loss", parts.loss)
            .number("reconstruction_error", parts.reconstruction_error)
            .text("layers", parts.network.widths())
            .text("activation", parts.activation.to_string())
            .text("noise", parts.noise.to_string())
            .text("precision", precision)
            .count("n_weights", parts.network.n_weights())
            .count("n_validation", parts.n_validation)
            .count("n_epochs", parts.training_loss.len())
            .count("best_epoch", parts.best_epoch)
            .vector("training_loss", &parts.training_loss)
            .vector("validation_loss", &parts.validation_loss)
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn as_row_errors(&self) -> Option<&dyn RowErrors> {
        Some(self)
    }

    fn pictures(&self) -> Vec<Picture> {
        let parts = &self.parts;
        let curve = |name: &str, values: &Array1<f64>| Curve {
            name: name.into(),
            values: values.to_vec(),
            spread: Vec::new(),
        };
        let mut lines = vec![curve("training", &parts.training_loss)];
        if parts.n_validation > 0 {
            lines.push(curve("validation", &parts.validation_loss));
        }
        let mut picture = Picture::losses(lines);
        if let Content::Curves(curves) = &mut picture.content {
            curves.axes[1] = "share of the variance lost".into();
            curves.chosen = (parts.n_validation > 0).then_some(parts.best_epoch);
        }
        vec![picture]
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("code")
    }
}
