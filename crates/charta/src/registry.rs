//! Entries of the registry: methods with erased types, so that fronts can be built from
//! data alone.

use std::fmt::Debug;

use crate::data::{Batches, Data};
use crate::error::{Error, Result};
use crate::graph::EmbeddedGraph;
use crate::method::{Explanation, Fit, Info, Method, PartialFit, Plan, Shape, Steps};
use crate::model::ErasedModel;
use crate::model::file::decode;
use crate::params::{Json, Parameters, Spec};
use crate::run::Run;

/// A fitted model of any method.
pub type AnyModel = Box<dyn ErasedModel>;

/// A method with its parameters and an erased type: carried from the parsing of a call to its fit.
pub trait AnyMethod: Debug + Send + Sync {
    /// What there is to know about the method.
    fn info(&self) -> &'static Info;

    /// The parameters, those not given by their defaults.
    fn to_json(&self) -> Json;

    /// What a fit to data of this shape would do and need.
    fn plan(&self, shape: &Shape) -> Result<Plan>;

    /// What a fit from batches of this shape would do and need, besides one batch.
    fn plan_batches(&self, batch: &Shape) -> Result<Plan>;

    /// Fits.
    fn fit(&self, run: &Run<'_>, data: &Data<'_>) -> Result<AnyModel>;

    /// Fits from batches.
    fn fit_batches(&self, run: &Run<'_>, batches: &mut dyn Batches) -> Result<AnyModel>;

    /// The matrices that a fit goes through.
    fn steps(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Steps>;

    /// A fit that takes in rows of this many columns bit by bit.
    fn partial(&self, n_columns: usize) -> Result<Box<dyn PartialFit>>;

    /// The neighbourhoods whose graph a fit to `n_rows` rows embeds, if the method has one.
    fn embedded_graph(&self, n_rows: usize) -> Option<EmbeddedGraph>;
}

impl<M: Method> AnyMethod for M {
    fn info(&self) -> &'static Info {
        const { &M::INFO }
    }

    fn to_json(&self) -> Json {
        Parameters::to_json(self)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        Method::plan(self, shape)
    }

    fn plan_batches(&self, batch: &Shape) -> Result<Plan> {
        Method::plan_batches(self, batch)
    }

    fn fit(&self, run: &Run<'_>, data: &Data<'_>) -> Result<AnyModel> {
        Ok(Box::new(self.fit_with(run, data)?))
    }

    fn fit_batches(&self, run: &Run<'_>, batches: &mut dyn Batches) -> Result<AnyModel> {
        Ok(Box::new(Fit::fit_batches(self, run, batches)?))
    }

    fn steps(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Steps> {
        self.steps_with(run, data)
    }

    fn partial(&self, n_columns: usize) -> Result<Box<dyn PartialFit>> {
        Method::partial(self, n_columns)
    }

    fn embedded_graph(&self, n_rows: usize) -> Option<EmbeddedGraph> {
        Method::embedded_graph(self, n_rows)
    }
}

/// A method as the fronts see it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What there is to know before it runs.
    pub info: Info,
    specs: fn() -> Vec<Spec>,
    module_doc: fn() -> &'static str,
    parse: fn(&Json) -> Result<Box<dyn AnyMethod>>,
    load: fn(&[u8]) -> Result<AnyModel>,
}

impl Debug for Entry {
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
            module_doc: M::module_doc,
            parse: |json| Ok(Box::new(parameters::<M>(json)?)),
            load: |body| Ok(Box::new(decode::<M::Model>(body)?)),
        }
    }

    /// The method's parameters.
    pub fn specs(&self) -> Vec<Spec> {
        (self.specs)()
    }

    /// The method's documentation: idea, steps, objective, cost, choosing parameters, new points, differences, references.
    ///
    /// ```
    /// let pca = charta::methods::find("pca")?.explanation();
    /// assert!(pca.section("Objective").is_some_and(|text| text.contains("eigenvectors")));
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn explanation(&self) -> Explanation {
        Explanation::read((self.module_doc)())
    }

    /// The method with these parameters, checked; those not given keep their defaults.
    ///
    /// ```
    /// use charta::{Data, Run, methods::find, pipeline::Fitted};
    /// let pca = find("pca")?.parse(&serde_json::json!({"n_components": 1}))?;
    /// let rows = ndarray::array![[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]];
    /// let fitted = Fitted::fit(pca.as_ref(), &Run::new(), &Data::from(&rows), None)?;
    /// assert_eq!(fitted.component_names(), ["pc1"]);
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn parse(&self, parameters: &Json) -> Result<Box<dyn AnyMethod>> {
        (self.parse)(parameters)
    }

    /// Reads a model back from the body of a model file.
    pub fn load(&self, body: &[u8]) -> Result<AnyModel> {
        (self.load)(body)
    }

    /// The entry as JSON, for fronts in other languages: all of its [`Info`], and its parameters.
    pub fn to_json(&self) -> Json {
        let mut json = serde_json::to_value(self.info).expect("an Info is plain data");
        json["family_title"] = self.info.family.title().into();
        json["explanation"] = self.explanation().to_json();
        json["parameters"] = self.specs().iter().map(Spec::to_json).collect();
        json
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
