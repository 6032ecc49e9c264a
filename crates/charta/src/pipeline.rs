//! A fitted method with all that new rows need: its scaling, its columns, its parameters.

mod input_space;
mod spectrum;

use std::collections::{HashMap, VecDeque};

use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde_json::{Value as Json, json};

use crate::data::loaded::check_length;
use crate::data::{Batches, Data, Scaler, Source};
use crate::error::{Error, Result, message};
use crate::graph::EmbeddedGraph;
use crate::method::{Method, PartialFit, Steps};
use crate::methods;
use crate::model::file::{damaged, decode, pack, problem, unpack};
use crate::model::{Diagnostics, ErasedModel, Model, More, Prediction};
use crate::registry::{AnyMethod, AnyModel, Entry};
use crate::run::Run;

pub use input_space::{FeatureLine, FeatureLines, OverPlane};
pub use spectrum::Spectrum;

/// The default source of rows.
const FEATURES: &str = "features";

/// A fitted method of any kind: what is saved, loaded, and used by the fronts.
#[derive(Debug)]
pub struct Fitted {
    entry: &'static Entry,
    parameters: Json,
    scaler: Option<Scaler>,
    column_names: Option<Vec<String>>,
    /// The source of the rows, by [`Source::title`].
    source: String,
    model: AnyModel,
}

impl Fitted {
    /// Fits a method to data that has been scaled already, by `scaler` if any: see [`Scaler::scaled`] and [`Data::with_features`].
    pub fn fit(
        method: &dyn AnyMethod,
        run: &Run<'_>,
        data: &Data<'_>,
        scaler: Option<Scaler>,
    ) -> Result<Self> {
        let entry = methods::find(method.info().name)?;
        let model = method.fit(run, data)?;
        // A model that predicts a second view embeds rows by the first alone.
        let n_columns = model.n_columns();
        // Distances and kernels of new rows have a column for each row of the fit.
        let names = match data.source() {
            Source::Features(_) => data.column_names(),
            _ => data.row_names().or(data.column_names()),
        };
        Ok(Self {
            entry,
            parameters: method.to_json(),
            scaler: scaler.map(|scaler| scaler.first_columns(n_columns)),
            column_names: names.map(|names| names[..n_columns.min(names.len())].to_vec()),
            source: data.source().title().into(),
            model,
        })
    }

    /// Fits a method from batches.
    pub fn fit_batches(
        method: &dyn AnyMethod,
        run: &Run<'_>,
        batches: &mut dyn Batches,
    ) -> Result<Self> {
        let column_names = batches.column_names().map(<[String]>::to_vec);
        Ok(Self {
            entry: methods::find(method.info().name)?,
            parameters: method.to_json(),
            scaler: None,
            column_names,
            source: FEATURES.into(),
            model: method.fit_batches(run, batches)?,
        })
    }

    /// The model of all rows that a fit under way has seen.
    pub fn partial(
        method: &dyn AnyMethod,
        run: &Run<'_>,
        partial: &dyn PartialFit,
    ) -> Result<Self> {
        Ok(Self {
            entry: methods::find(method.info().name)?,
            parameters: method.to_json(),
            scaler: None,
            column_names: None,
            source: FEATURES.into(),
            model: partial.model(run)?,
        })
    }

    /// The method.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The parameters it was fitted with, defaults included.
    pub fn parameters(&self) -> &Json {
        &self.parameters
    }

    /// The scaling applied before.
    pub fn scaler(&self) -> Option<&Scaler> {
        self.scaler.as_ref()
    }

    /// Names of the columns it was fitted on, if they had any.
    pub fn column_names(&self) -> Option<&[String]> {
        self.column_names.as_deref()
    }

    /// What the rows of the fit were given as: `features`, `distances`, `a kernel`.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The model.
    pub fn model(&self) -> &dyn ErasedModel {
        self.model.as_ref()
    }

    /// Every number the method can report.
    pub fn diagnostics(&self) -> Diagnostics {
        self.model.diagnostics()
    }

    /// The neighbourhoods whose graph was embedded by a fit to `n_rows` rows. Data from which it is made must be as they were for the fit: scaled.
    pub fn embedded_graph(&self, n_rows: usize) -> Result<EmbeddedGraph> {
        let method = self.entry.parse(&self.parameters)?;
        method.embedded_graph(n_rows).ok_or_else(|| {
            Error::unsupported(
                message!("{name:method}", name = self.entry.info.name),
                message!("has no neighbour graph with these parameters"),
            )
        })
    }

    /// The matrices that the fit to this data went through. The data must be as it was for the fit: scaled.
    pub fn steps(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Steps> {
        self.entry.parse(&self.parameters)?.steps(run, data)
    }

    /// Names for the columns of the embedding: the model's own, or a stem and a number.
    pub fn component_names(&self) -> Vec<String> {
        if let Some(names) = self.model.component_names() {
            return names;
        }
        let stem = self.model.component_stem().unwrap_or(self.entry.info.name);
        (1..=self.model.n_components())
            .map(|number| format!("{stem}{number}"))
            .collect()
    }

    /// Embeds new rows (out-of-sample). Columns are found by name if both sides have names, else by position.
    pub fn transform(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        self.prepared(data, |data| {
            run.install(|| self.model.transform_in(run, data))
        })
    }

    /// Predicts the labels of new rows, where the method learned them.
    pub fn predict(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Prediction> {
        let Some(predict) = self.model.as_predict() else {
            return Err(Error::unsupported(
                message!("{name:method}", name = self.entry.info.name),
                message!("does not predict"),
            ));
        };
        self.prepared(data, |data| run.install(|| predict.predict_in(run, data)))
    }

    /// Reconstruction error of every row, if the method has one: a novelty score.
    pub fn row_errors(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let Some(errors) = self.model.as_row_errors() else {
            return Err(Error::unsupported(
                message!("{name:method}", name = self.entry.info.name),
                message!("has no reconstruction errors"),
            ));
        };
        self.prepared(data, |data| run.install(|| errors.row_errors_in(run, data)))
    }

    /// The logarithm of the density at every row, where the method assumes a distribution.
    pub fn log_likelihoods(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array1<f64>> {
        let Some(likelihood) = self.model.as_log_likelihood() else {
            return Err(Error::unsupported(
                message!("{name:method}", name = self.entry.info.name),
                message!("has no likelihood"),
            ));
        };
        self.prepared(data, |data| {
            run.install(|| likelihood.log_likelihoods_in(run, data))
        })
    }

    /// Rows drawn from the distribution that the method assumes, with the scaling undone.
    ///
    /// ```
    /// use charta::{Data, Run, methods::find, pipeline::Fitted};
    /// let pca = find("pca")?.parse(&serde_json::json!({"n_components": 1}))?;
    /// let rows = ndarray::array![[1.0, 2.0], [3.0, 4.5], [5.0, 7.0]];
    /// let fitted = Fitted::fit(pca.as_ref(), &Run::new(), &Data::from(&rows), None)?;
    /// assert_eq!(fitted.sample(&Run::new(), 100, 0)?.dim(), (100, 2));
    /// # Ok::<(), charta::Error>(())
    /// ```
    pub fn sample(&self, run: &Run<'_>, n_rows: usize, seed: u64) -> Result<Array2<f64>> {
        let Some(sample) = self.model.as_sample() else {
            return Err(Error::unsupported(
                message!("{name:method}", name = self.entry.info.name),
                message!("assumes no distribution from which {:rows} could be drawn"),
            ));
        };
        if n_rows == 0 {
            return Err(Error::at_least("n_rows", 1, n_rows));
        }
        let drawn = run.install(|| sample.sample_in(run, n_rows, seed))?;
        Ok(match &self.scaler {
            Some(scaler) => scaler.undo(drawn),
            None => drawn,
        })
    }

    /// Reconstructed rows: transform and inverse transform, with the scaling undone.
    pub fn denoise(&self, run: &Run<'_>, data: &Data<'_>) -> Result<Array2<f64>> {
        let features = self.prepared(data, |data| {
            run.install(|| self.model.denoise_in(run, data))
        })?;
        Ok(match &self.scaler {
            Some(scaler) => scaler.undo(features),
            None => features,
        })
    }

    /// The same with a layout that was improved by further steps.
    pub fn continued(&self, run: &Run<'_>, more: &More) -> Result<Self> {
        let Some(layout) = self.model.as_continue() else {
            return Err(Error::unsupported(
                message!("{name:method}", name = self.entry.info.name),
                message!(
                    "cannot be continued: it has no layout that further iterations would improve"
                ),
            ));
        };
        Ok(Self {
            entry: self.entry,
            parameters: self.parameters.clone(),
            scaler: self.scaler.clone(),
            column_names: self.column_names.clone(),
            source: self.source.clone(),
            model: run.install(|| layout.continue_in(run, more))?,
        })
    }

    /// New rows as the model expects them: columns in its order, scaled.
    fn prepared<T>(&self, data: &Data<'_>, then: impl FnOnce(&Data<'_>) -> Result<T>) -> Result<T> {
        let Some(order) = self.order(data)? else {
            return self.scaled(data, then);
        };
        match data.source() {
            Source::Features(features) => {
                let ordered = features.select_columns(&order)?;
                self.scaled(&Data::measured_as(ordered.view(), data), then)
            }
            Source::DistancesTo(matrix) => {
                let ordered = matrix.select(Axis(1), &order);
                then(&Data::some_distances_to(ordered.view())?)
            }
            Source::KernelTo(matrix) => {
                let ordered = matrix.select(Axis(1), &order);
                let ordered = Data::kernel_to(ordered.view())?;
                match data.own_kernel() {
                    Some(own) => then(&ordered.with_own_kernel(own.view())?),
                    None => then(&ordered),
                }
            }
            _ => then(data),
        }
    }

    fn scaled<T>(&self, data: &Data<'_>, then: impl FnOnce(&Data<'_>) -> Result<T>) -> Result<T> {
        let Some(scaler) = &self.scaler else {
            return then(data);
        };
        let features = data.new_rows(self.entry.info.name, scaler.n_columns())?;
        let scaled = scaler.scaled(features)?;
        then(&data.with_features(scaled.view())?)
    }

    /// Leads coordinates back to features, scaling undone.
    pub fn inverse_transform(
        &self,
        run: &Run<'_>,
        embedding: &ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        let Some(inverse) = self.model.as_inverse() else {
            return Err(Error::unsupported(
                message!("{name:method}", name = self.entry.info.name),
                message!("has no inverse transform"),
            ));
        };
        let features = run.install(|| inverse.inverse_transform_in(run, embedding))?;
        Ok(match &self.scaler {
            Some(scaler) => scaler.undo(features),
            None => features,
        })
    }

    /// The positions of the model's columns, if the new rows have names in another order.
    fn order(&self, data: &Data<'_>) -> Result<Option<Vec<usize>>> {
        let (Some(ours), Some(theirs)) = (self.column_names(), data.column_names()) else {
            return Ok(None);
        };
        if ours == theirs {
            return Ok(None);
        }
        let mut places: HashMap<&str, VecDeque<usize>> = HashMap::new();
        for (place, name) in theirs.iter().enumerate() {
            places.entry(name).or_default().push_back(place);
        }
        // Without a common name, columns are matched by their order.
        if ours.len() == theirs.len() && !ours.iter().any(|name| places.contains_key(name.as_str()))
        {
            return Ok(None);
        }
        let mut order = Vec::with_capacity(ours.len());
        for name in ours {
            // Columns of the same name are taken in their order.
            match places.get_mut(name.as_str()).and_then(VecDeque::pop_front) {
                Some(place) => order.push(place),
                None => {
                    return Err(Error::degenerate(message!(
                        "the new {:rows} have no {:column} {name:?}, which the model needs: give it all \
                         {:columns} of the fit"
                    )));
                }
            }
        }
        Ok(Some(order))
    }

    /// The bytes of a model file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        Ok(pack(&self.header(), &self.model.body()?))
    }

    fn header(&self) -> Json {
        json!({
            "method": self.entry.info.name,
            "charta_version": env!("CARGO_PKG_VERSION"),
            "parameters": self.parameters,
            "n_columns": self.model.n_columns(),
            "n_components": self.model.n_components(),
            "column_names": self.column_names,
            "source": self.source,
            "scaler": self.scaler,
        })
    }

    /// Reads a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (header, body) = unpack(bytes)?;
        let name = header["method"]
            .as_str()
            .ok_or_else(|| problem("its header names no method"))?;
        let entry = methods::find(name)
            .map_err(|_| problem(&format!("its method `{name}` is not known to this version")))?;
        let field = |name: &str| header.get(name).cloned().unwrap_or(Json::Null);
        let scaler: Option<Scaler> = serde_json::from_value(field("scaler"))
            .map_err(|error| damaged(&format!("the scaling: {error}")))?;
        let column_names: Option<Vec<String>> = serde_json::from_value(field("column_names"))
            .map_err(|error| damaged(&format!("the names of columns: {error}")))?;
        let source: Option<String> = serde_json::from_value(field("source"))
            .map_err(|error| damaged(&format!("the source: {error}")))?;
        let parameters = field("parameters");
        entry.parse(&parameters).map_err(|error| damaged(&error))?;
        let model = entry.load(body)?;
        let n_columns = model.n_columns();
        if let Some(scaler) = &scaler
            && !scaler.fits(n_columns)
        {
            return Err(damaged(&"the scaling and the columns do not agree"));
        }
        if let Some(names) = &column_names {
            check_length("the names of columns", names.len(), n_columns)
                .map_err(|error| damaged(&error))?;
        }
        Ok(Self {
            entry,
            parameters,
            scaler,
            column_names,
            // A model saved by itself has none.
            source: source.unwrap_or_else(|| FEATURES.into()),
            model,
        })
    }
}

/// The bytes of a model file, for a method and model whose types are known.
pub fn save<M: Method>(method: &M, model: &M::Model) -> Result<Vec<u8>> {
    let header = json!({
        "method": M::INFO.name,
        "charta_version": env!("CARGO_PKG_VERSION"),
        "parameters": method.to_json(),
        "n_columns": model.n_columns(),
        "n_components": model.n_components(),
    });
    Ok(pack(&header, &model.body()?))
}

/// Reads a model file of a known method back: its parameters and its model.
pub fn load<M: Method>(bytes: &[u8]) -> Result<(M, M::Model)> {
    let (header, body) = unpack(bytes)?;
    if header["method"] != M::INFO.name {
        return Err(problem(&format!(
            "it holds a model of `{}`, not of `{}`",
            header["method"].as_str().unwrap_or("?"),
            M::INFO.name
        )));
    }
    let method = M::from_json(&header["parameters"])?;
    Ok((method, decode(body)?))
}
