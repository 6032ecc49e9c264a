//! The model of an autoencoder: a network whose first half encodes and whose second half decodes.

use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use crate::data::Data;
use crate::data::loaded::{check_at_least, check_length};
use crate::error::{Error, Result};
use crate::model::picture::{Content, Curve};
use crate::model::{
    Diagnostics, InverseTransform, Model, Picture, RowErrors, Transform, arrays, check_embedding,
};
use crate::neural::{Activation, Learned, Noise};
use crate::run::Run;

/// A fitted autoencoder: a network whose first layers encode and whose last layers decode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutoencoderModel {
    /// All layers, in the precision of the features.
    pub network: Learned,
    /// Layers that encode; the others decode.
    pub n_encoding: usize,
    /// The function of hidden units.
    pub activation: Activation,
    /// Noise with which the inputs were corrupted in the training.
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
    /// Whether the training was ended on request before its last epoch.
    #[serde(default)]
    pub interrupted: bool,
    /// The mean squared distance of the rows from what is decoded for them.
    pub reconstruction_error: f64,
    /// The same as a fraction of the rows' variance.
    pub loss: f64,
    /// Coordinates of the training rows; not saved.
    #[serde(skip)]
    pub(super) embedding: Option<Array2<f64>>,
}

impl AutoencoderModel {
    /// The fraction of the rows' variance that is lost: 0 if they come back as they were, 1 if the mean of all rows would do as well.
    pub fn loss(&self) -> f64 {
        self.loss
    }
}

impl Transform for AutoencoderModel {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        // Functions that saturate would hide a value that is not finite.
        data.check_finite()?;
        let coordinates = self.network.apply_first(run, features, self.n_encoding)?;
        if coordinates.iter().all(|value| value.is_finite()) {
            Ok(coordinates)
        } else {
            Err(data.bad_values(None))
        }
    }
}

impl InverseTransform for AutoencoderModel {
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        check_embedding(run, embedding, self)?;
        let decoding = self.n_encoding..self.network.layers().len();
        let features = self.network.lead_back(run, embedding, decoding)?;
        if features.iter().all(|value| value.is_finite()) {
            Ok(features)
        } else {
            Err(Error::too_large())
        }
    }
}

impl RowErrors for AutoencoderModel {
    /// The squared distance of every row from what is decoded for it, in the unit of the features. Columns that were constant in the
    /// training do not count.
    fn row_errors_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let features = data.new_rows("this model", self.n_columns())?;
        data.check_finite()?;
        let errors = self.network.row_errors(run, features)?;
        if errors.iter().all(|error| error.is_finite()) {
            Ok(errors)
        } else {
            Err(data.bad_values(None))
        }
    }
}

impl Model for AutoencoderModel {
    fn n_components(&self) -> usize {
        let encoding = &self.network.layers()[..self.n_encoding];
        encoding.last().map_or(0, |layer| layer.n_outputs)
    }

    fn n_columns(&self) -> usize {
        let first = self.network.layers().first();
        first.map_or(0, |layer| layer.n_inputs)
    }

    fn embedding(&self) -> Option<ArrayView2<'_, f64>> {
        self.embedding.as_ref().map(|embedding| embedding.view())
    }

    fn diagnostics(&self) -> Diagnostics {
        let precision = match &self.network {
            Learned::Single(_) => "single",
            Learned::Double(_) => "double",
        };
        Diagnostics::new()
            .count("n_components", self.n_components())
            .count("n_rows", self.n_rows)
            .count("n_columns", self.n_columns())
            .number("loss", self.loss)
            .number("reconstruction_error", self.reconstruction_error)
            .text("layers", self.network.widths())
            .text("activation", self.activation.to_string())
            .text("noise", self.noise.to_string())
            .text("precision", precision)
            .count("n_weights", self.network.n_weights())
            .count("n_validation", self.n_validation)
            .count("n_epochs", self.training_loss.len())
            .count("best_epoch", self.best_epoch)
            .interrupted(self.interrupted)
            .vector("training_loss", &self.training_loss)
            .vector("validation_loss", &self.validation_loss)
    }

    fn validate(&self) -> Result<()> {
        let Self {
            network,
            n_encoding,
            activation: _,
            noise: _,
            n_rows: _,
            n_validation: _,
            training_loss: _,
            validation_loss: _,
            best_epoch: _,
            interrupted: _,
            reconstruction_error: _,
            loss: _,
            embedding: _,
        } = self;
        network.validate()?;
        check_at_least("the layers that encode", *n_encoding, 1)?;
        let n_decoding = network.layers().len().saturating_sub(*n_encoding);
        check_at_least("the layers that decode", n_decoding, 1)?;
        let (n_inputs, n_outputs) = (network.n_inputs(), network.n_outputs());
        check_length("the network's outputs", n_outputs, n_inputs)
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        Some(self)
    }

    fn as_row_errors(&self) -> Option<&dyn RowErrors> {
        Some(self)
    }

    fn pictures(&self) -> Vec<Picture> {
        let curve = |name: &str, values: &Array1<f64>| Curve {
            name: name.into(),
            values: values.to_vec(),
            spread: Vec::new(),
        };
        let mut lines = vec![curve("training", &self.training_loss)];
        if self.n_validation > 0 {
            lines.push(curve("validation", &self.validation_loss));
        }
        let mut picture = Picture::losses(lines);
        if let Content::Curves(curves) = &mut picture.content {
            curves.axes[1] = "reconstruction error, as a fraction of the variance".into();
            curves.chosen = (self.n_validation > 0).then_some(self.best_epoch);
        }
        vec![picture]
    }

    fn component_stem(&self) -> Option<&'static str> {
        Some("code")
    }
}
