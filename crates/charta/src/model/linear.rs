//! The linear model, written once: z = encoder · (x − mean), and for some methods x ≈ mean + decoderᵀ · z.
//!
//! A method contributes its [`Report`]: its own quantities beyond mean and components, how encoder and decoder follow from
//! these, and what it offers besides coordinates. A model file stores mean, components and report; encoder and decoder
//! are derived, so nothing is stored twice. Only reports that implement [`Decode`] have an inverse transform:
//!
//! ```
//! use charta::InverseTransform;
//! fn needs_inverse<M: InverseTransform>() {}
//! needs_inverse::<charta::methods::pca::PcaModel>();
//! ```
//! ```compile_fail
//! use charta::InverseTransform;
//! fn needs_inverse<M: InverseTransform>() {}
//! needs_inverse::<charta::methods::lda::LdaModel>();
//! ```

use std::borrow::Cow;
use std::fmt::Debug;

use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{
    Diagnostics, InverseTransform, LogLikelihood, Mark, Model, Predict, RowErrors, Sample,
    Transform, Views, arrays, check_embedding,
};
use crate::data::Data;
use crate::data::loaded::{check_at_least, check_finite, check_length};
use crate::error::{Error, Message, Result};
use crate::linalg::operator::Rows;
use crate::linalg::product::product;
use crate::run::Run;

/// What a linear method stores and offers beyond mean and components.
///
/// Functions that take the whole model are its answers to those of [`Model`] of the same name.
pub trait Report:
    Clone + Debug + PartialEq + Send + Sync + Serialize + DeserializeOwned + 'static
{
    /// Prefix of the coordinates' names, to which a number is added; the method's own name if `None`.
    const PREFIX: Option<&'static str> = None;

    /// Fails if a size or index in a report that was read from a file does not fit the components.
    fn validate(&self, components: &Array2<f64>) -> Result<()>;

    /// Computes fields that a file does not store.
    fn derive(&mut self, _mean: &Array1<f64>, _components: &Array2<f64>) -> Result<()> {
        Ok(())
    }

    /// The matrix that rows, less the mean, are multiplied by; `None` if that is the components.
    fn encoder(&self, _components: &Array2<f64>) -> Result<Option<Array2<f64>>> {
        Ok(None)
    }

    /// Coordinates of rows.
    fn transform_in(model: &Linear<Self>, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        model.encode(run, data, None)
    }

    /// Every number the method can report.
    fn diagnostics(model: &Linear<Self>) -> Diagnostics;

    /// Directions in feature space, one a row.
    fn axes(model: &Linear<Self>) -> Array2<f64> {
        model.components.clone()
    }

    /// Loadings: the weight of each feature in each coordinate, a row for each coordinate.
    fn feature_loadings(model: &Linear<Self>) -> Array2<f64>;

    /// Named points among the coordinates.
    fn marks(_model: &Linear<Self>) -> Vec<Mark> {
        Vec::new()
    }

    /// Full names of the coordinates, where a prefix and a number would not do.
    fn component_names(_model: &Linear<Self>) -> Option<Vec<String>> {
        None
    }

    /// The inverse transform: `Some(model)` for reports that implement [`Decode`].
    fn as_inverse(_model: &Linear<Self>) -> Option<&dyn InverseTransform> {
        None
    }

    /// Reconstruction errors of rows.
    fn as_row_errors(_model: &Linear<Self>) -> Option<&dyn RowErrors> {
        None
    }

    /// Log-likelihoods of rows.
    fn as_log_likelihood(_model: &Linear<Self>) -> Option<&dyn LogLikelihood> {
        None
    }

    /// Rows of the model's distribution.
    fn as_sample(_model: &Linear<Self>) -> Option<&dyn Sample> {
        None
    }

    /// Predictions of labels.
    fn as_predict(_model: &Linear<Self>) -> Option<&dyn Predict> {
        None
    }

    /// The views by themselves.
    fn as_views(_model: &Linear<Self>) -> Option<&dyn Views> {
        None
    }
}

/// A report of a method with an inverse transform.
pub trait Decode: Report {
    /// What each coordinate adds to the features, a row for each coordinate.
    fn decoder(model: &Linear<Self>) -> Cow<'_, Array2<f64>> {
        Cow::Borrowed(&model.components)
    }
}

/// A fitted linear method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored<R>", bound = "R: Report")]
pub struct Linear<R: Report> {
    #[serde(with = "arrays::vector")]
    mean: Array1<f64>,
    #[serde(with = "arrays::matrix")]
    components: Array2<f64>,
    report: R,
    #[serde(skip)]
    encoder: Option<Array2<f64>>,
    #[serde(skip)]
    embedding: Option<Array2<f64>>,
}

/// The model as a file holds it, before its sizes are checked.
#[derive(Deserialize)]
#[serde(bound = "R: Report")]
struct Stored<R: Report> {
    #[serde(with = "arrays::vector")]
    mean: Array1<f64>,
    #[serde(with = "arrays::matrix")]
    components: Array2<f64>,
    report: R,
}

impl<R: Report> TryFrom<Stored<R>> for Linear<R> {
    type Error = Error;

    fn try_from(stored: Stored<R>) -> Result<Self> {
        let Stored {
            mean,
            components,
            report,
        } = stored;
        validate(&mean, &components, &report)?;
        Self::new(mean, components, report)
    }
}

fn validate<R: Report>(mean: &Array1<f64>, components: &Array2<f64>, report: &R) -> Result<()> {
    check_at_least("the components", components.len(), 1)?;
    check_length("the mean", mean.len(), components.ncols())?;
    check_finite("the mean", mean)?;
    check_finite("the components", components)?;
    report.validate(components)
}

impl<R: Report> Linear<R> {
    /// A model without the coordinates of its training rows, which [`Linear::embed`] adds.
    pub(crate) fn new(mean: Array1<f64>, components: Array2<f64>, mut report: R) -> Result<Self> {
        report.derive(&mean, &components)?;
        Ok(Self {
            encoder: report.encoder(&components)?,
            mean,
            components,
            report,
            embedding: None,
        })
    }

    /// Adds the coordinates of the training rows.
    pub(crate) fn embed(self, run: &Run<'_>, data: &Data<'_>) -> Result<Self> {
        let embedding = self.transform_in(run, data)?;
        Ok(self.with_embedding(embedding))
    }

    /// Adds coordinates of the training rows that are known already.
    pub(crate) fn with_embedding(mut self, embedding: Array2<f64>) -> Self {
        self.embedding = Some(embedding);
        self
    }

    /// What the method reports, to add what is known only after the components.
    pub(crate) fn report_mut(&mut self) -> &mut R {
        &mut self.report
    }

    /// What the method reports beyond mean and components.
    pub fn report(&self) -> &R {
        &self.report
    }

    /// What is subtracted from every row: for most methods the mean of the training rows.
    pub fn mean(&self) -> &Array1<f64> {
        &self.mean
    }

    /// The components, one a row.
    pub fn components(&self) -> &Array2<f64> {
        &self.components
    }

    /// The matrix that rows, less the mean, are multiplied by: a row for each coordinate.
    pub fn encoder(&self) -> &Array2<f64> {
        self.encoder.as_ref().unwrap_or(&self.components)
    }

    /// Coordinates of rows; `hint` is the advice about values that are not finite.
    pub(crate) fn encode(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        hint: Option<Message>,
    ) -> Result<Array2<f64>> {
        encode(run, data, &self.mean, self.encoder(), hint)
    }

    /// Marks at points in feature space, such as the means of classes.
    pub(crate) fn marks_at(&self, names: &[String], points: &Array2<f64>) -> Vec<Mark> {
        let coordinates = product(&(points - &self.mean).view(), &self.encoder().t());
        names
            .iter()
            .zip(coordinates.rows())
            .map(|(name, place)| Mark {
                name: name.clone(),
                place: place.to_vec(),
            })
            .collect()
    }
}

/// encoder · (x − mean) for every row x.
pub(crate) fn encode(
    run: &Run<'_>,
    data: &Data<'_>,
    mean: &Array1<f64>,
    encoder: &Array2<f64>,
    hint: Option<Message>,
) -> Result<Array2<f64>> {
    let features = data.new_rows("this model", encoder.ncols())?;
    let coordinates = Rows::new(features, mean).times(run, &encoder.t())?;
    // A value that is not finite shows in the coordinates, so good data is read only once.
    if coordinates.iter().all(|value| value.is_finite()) {
        return Ok(coordinates);
    }
    Err(data.bad_values(hint))
}

/// Orthonormal axes as encoder and decoder: with `whiten` coordinates are divided by their standard deviation. Along
/// an axis without variance the coordinate is 0 rather than rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisScaling<'a> {
    /// Variance along each axis.
    pub variances: &'a Array1<f64>,
    /// Divide each coordinate by its standard deviation.
    pub whiten: bool,
}

impl AxisScaling<'_> {
    /// True if encoder and decoder are the axes themselves.
    pub(crate) fn is_identity(&self) -> bool {
        !self.whiten && self.variances.iter().all(|&variance| variance > 0.0)
    }

    /// The axes as encoder.
    pub(crate) fn encoder(&self, axes: &Array2<f64>) -> Array2<f64> {
        self.scaled(axes, f64::recip)
    }

    /// The axes as decoder.
    pub(crate) fn decoder(&self, axes: &Array2<f64>) -> Array2<f64> {
        self.scaled(axes, |deviation| deviation)
    }

    fn scaled(&self, axes: &Array2<f64>, whitening: impl Fn(f64) -> f64) -> Array2<f64> {
        let factors = self.variances.mapv(|variance| {
            if variance <= 0.0 {
                0.0
            } else if self.whiten {
                whitening(variance.sqrt())
            } else {
                1.0
            }
        });
        axes * &factors.insert_axis(Axis(1))
    }
}

impl<R: Report> Transform for Linear<R> {
    fn transform_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        R::transform_in(self, run, data)
    }
}

impl<R: Decode> InverseTransform for Linear<R> {
    fn inverse_transform_in(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        check_embedding(run, embedding, self)?;
        run.check()?;
        Ok(product(embedding, &R::decoder(self).view()) + &self.mean)
    }
}

impl<R: Report> Model for Linear<R> {
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
        R::diagnostics(self)
    }

    fn as_inverse(&self) -> Option<&dyn InverseTransform> {
        R::as_inverse(self)
    }

    fn as_row_errors(&self) -> Option<&dyn RowErrors> {
        R::as_row_errors(self)
    }

    fn as_log_likelihood(&self) -> Option<&dyn LogLikelihood> {
        R::as_log_likelihood(self)
    }

    fn as_sample(&self) -> Option<&dyn Sample> {
        R::as_sample(self)
    }

    fn axes(&self) -> Option<Array2<f64>> {
        Some(R::axes(self))
    }

    fn feature_loadings(&self) -> Option<Array2<f64>> {
        Some(R::feature_loadings(self))
    }

    fn marks(&self) -> Vec<Mark> {
        R::marks(self)
    }

    fn as_predict(&self) -> Option<&dyn Predict> {
        R::as_predict(self)
    }

    fn as_views(&self) -> Option<&dyn Views> {
        R::as_views(self)
    }

    fn validate(&self) -> Result<()> {
        validate(&self.mean, &self.components, &self.report)
    }

    fn component_stem(&self) -> Option<&'static str> {
        R::PREFIX
    }

    fn component_names(&self) -> Option<Vec<String>> {
        R::component_names(self)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// Doubles the second of two columns.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Doubled {
        factors: Vec<f64>,
    }

    impl Report for Doubled {
        fn validate(&self, components: &Array2<f64>) -> Result<()> {
            check_length("the factors", self.factors.len(), components.nrows())
        }

        fn encoder(&self, components: &Array2<f64>) -> Result<Option<Array2<f64>>> {
            Ok(Some(components * self.factors[0]))
        }

        fn diagnostics(_model: &Linear<Self>) -> Diagnostics {
            Diagnostics::new()
        }

        fn feature_loadings(model: &Linear<Self>) -> Array2<f64> {
            model.components.clone()
        }
    }

    impl Decode for Doubled {
        fn decoder(model: &Linear<Self>) -> Cow<'_, Array2<f64>> {
            Cow::Owned(&model.components / model.report.factors[0])
        }
    }

    fn doubled() -> Linear<Doubled> {
        let report = Doubled { factors: vec![2.0] };
        Linear::new(array![1.0, 2.0], array![[0.0, 1.0]], report).unwrap()
    }

    #[test]
    fn encoding_and_decoding_follow_the_formula() {
        let model = doubled();
        let x = array![[5.0, 7.0], [1.0, 2.0]];
        let z = model.transform(&x).unwrap();
        assert_eq!(z, array![[10.0], [0.0]]);
        let back = model.inverse_transform(&z.view()).unwrap();
        assert_eq!(back, array![[1.0, 7.0], [1.0, 2.0]]);
        assert!(model.inverse_transform(&x.view()).is_err());
        assert!(model.transform(&z).is_err());
    }

    #[test]
    fn a_file_holds_mean_components_and_report_only() {
        let model = doubled();
        let bytes = rmp_serde::to_vec_named(&model).unwrap();
        let read: Linear<Doubled> = rmp_serde::from_slice(&bytes).unwrap();
        assert_eq!(read, model);
        let fields: std::collections::BTreeMap<String, serde::de::IgnoredAny> =
            rmp_serde::from_slice(&bytes).unwrap();
        let names: Vec<&str> = fields.keys().map(String::as_str).collect();
        assert_eq!(names, ["components", "mean", "report"]);
    }

    #[test]
    fn sizes_that_do_not_agree_are_refused_when_read() {
        let read = |model: &Linear<Doubled>| {
            let bytes = rmp_serde::to_vec_named(model).unwrap();
            rmp_serde::from_slice::<Linear<Doubled>>(&bytes).map_err(|error| error.to_string())
        };
        let mut forged = doubled();
        forged.mean = array![1.0];
        assert!(
            read(&forged)
                .unwrap_err()
                .contains("the mean: expected 2, got 1")
        );
        let mut forged = doubled();
        forged.report.factors.clear();
        assert!(read(&forged).unwrap_err().contains("the factors"));
        let mut forged = doubled();
        forged.components[[0, 1]] = f64::NAN;
        assert!(
            read(&forged)
                .unwrap_err()
                .contains("the components: expected finite numbers, got NaN")
        );
        let mut forged = doubled();
        forged.components = Array2::zeros((1_000_000, 0));
        forged.mean = Array1::zeros(0);
        assert!(read(&forged).unwrap_err().contains("at least 1"));
    }
}
