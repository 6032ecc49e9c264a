//! Entries of the registry: methods whose types have been forgotten, so that fronts can be built from
//! data alone.

use serde::de::DeserializeOwned;

use crate::data::{Batches, Data};
use crate::error::{Error, Result};
use crate::method::{Fit, Info, Method, PartialFit, Plan, Shape};
use crate::model::ErasedModel;
use crate::model::file::problem;
use crate::params::{Json, Spec};
use crate::run::Run;

/// A fitted model of any method.
pub type AnyModel = Box<dyn ErasedModel>;

/// A method as the fronts see it: functions over JSON parameters.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What there is to know before it runs.
    pub info: Info,
    specs: fn() -> Vec<Spec>,
    resolve: fn(&Json) -> Result<Json>,
    plan: fn(&Json, &Shape) -> Result<Plan>,
    plan_batches: fn(&Json, &Shape) -> Result<Plan>,
    fit: fn(&Json, &Run<'_>, &Data<'_>) -> Result<AnyModel>,
    fit_batches: fn(&Json, &Run<'_>, &mut dyn Batches) -> Result<AnyModel>,
    partial: fn(&Json, usize) -> Result<Box<dyn PartialFit>>,
    load: fn(&[u8]) -> Result<AnyModel>,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.info.name)
            .finish_non_exhaustive()
    }
}

impl Entry {
    /// The entry of a method.
    pub const fn of<M: Method>() -> Self {
        Self {
            info: M::INFO,
            specs: M::specs,
            resolve: |json| parameters::<M>(json).map(|method| method.to_json()),
            plan: |json, shape| parameters::<M>(json)?.plan(shape),
            plan_batches: |json, shape| parameters::<M>(json)?.plan_batches(shape),
            fit: |json, run, data| {
                let model = parameters::<M>(json)?.fit_with(run, data)?;
                Ok(Box::new(model) as AnyModel)
            },
            fit_batches: |json, run, batches| {
                let model = parameters::<M>(json)?.fit_batches(run, batches)?;
                Ok(Box::new(model) as AnyModel)
            },
            partial: |json, n_columns| parameters::<M>(json)?.partial(n_columns),
            load: |body| Ok(Box::new(decode::<M::Model>(body)?) as AnyModel),
        }
    }

    /// The method's parameters.
    pub fn specs(&self) -> Vec<Spec> {
        (self.specs)()
    }

    /// Checks parameters and adds the defaults of those not given.
    pub fn resolve(&self, parameters: &Json) -> Result<Json> {
        (self.resolve)(parameters)
    }

    /// What a fit to data of this shape would do and need.
    pub fn plan(&self, parameters: &Json, shape: &Shape) -> Result<Plan> {
        (self.plan)(parameters, shape)
    }

    /// What a fit from batches of this shape would do and need, besides one batch.
    pub fn plan_batches(&self, parameters: &Json, batch: &Shape) -> Result<Plan> {
        (self.plan_batches)(parameters, batch)
    }

    /// Fits.
    pub fn fit(&self, parameters: &Json, run: &Run<'_>, data: &Data<'_>) -> Result<AnyModel> {
        (self.fit)(parameters, run, data)
    }

    /// Fits from batches.
    pub fn fit_batches(
        &self,
        parameters: &Json,
        run: &Run<'_>,
        batches: &mut dyn Batches,
    ) -> Result<AnyModel> {
        (self.fit_batches)(parameters, run, batches)
    }

    /// A fit that takes in rows of so many columns bit by bit.
    pub fn partial(&self, parameters: &Json, n_columns: usize) -> Result<Box<dyn PartialFit>> {
        (self.partial)(parameters, n_columns)
    }

    /// Reads a model back from the body of a model file.
    pub fn load(&self, body: &[u8]) -> Result<AnyModel> {
        (self.load)(body)
    }

    /// The entry as JSON, for fronts in other languages.
    pub fn to_json(&self) -> Json {
        let specs: Vec<Json> = self.specs().iter().map(Spec::to_json).collect();
        serde_json::json!({
            "name": self.info.name,
            "title": self.info.title,
            "summary": self.info.summary,
            "family": self.info.family.title(),
            "reference": self.info.reference,
            "sparse": self.info.sparse,
            "distances": self.info.distances,
            "kernel": self.info.kernel,
            "neighbors": self.info.neighbors,
            "streams": self.info.streams,
            "inverse": self.info.inverse,
            "axes": self.info.axes,
            "loadings": self.info.loadings,
            "spectrum": self.info.spectrum,
            "labels": format!("{:?}", self.info.labels).to_lowercase(),
            "views": self.info.views,
            "nonnegative": self.info.nonnegative,
            "classes": self.info.classes.iter().map(|class| class.to_json(&self.specs())).collect::<Vec<_>>(),
            "predicts": self.info.predicts,
            "partial": self.info.partial,
            "continues": self.info.continues,
            "likelihood": self.info.likelihood,
            "row_errors": self.info.row_errors,
            "missing_distances": self.info.missing_distances,
            "parameters": specs,
        })
    }
}

fn parameters<M: Method>(json: &Json) -> Result<M> {
    M::from_json(json).map_err(|error| match error {
        Error::UnknownParameter { name, nearest, .. } => Error::UnknownParameter {
            method: Some(M::INFO.name.into()),
            name,
            nearest,
        },
        other => other,
    })
}

fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    rmp_serde::from_slice(body).map_err(|error| problem(&format!("its body is damaged: {error}")))
}
