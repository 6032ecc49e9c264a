//! Fitted models as Python holds them.

use std::sync::Mutex;

use charta::data::Source;
use charta::method::PartialFit;
use charta::model::picture::Content;
use charta::model::{More, Picture};
use charta::params::Json;
use charta::pipeline::{FeatureLines, Fitted, Spectrum};
use charta::registry::AnyMethod;
use charta::{Data, Prediction, Run};
use ndarray::Array2;
use numpy::{IntoPyArray, PyReadonlyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::failure::exception;
use crate::input::Input;
use crate::output;
use crate::peers;
use crate::session::Session;

/// A fitted method.
#[pyclass(frozen, module = "charta._charta")]
pub(crate) struct Model {
    fitted: Fitted,
    /// The rows of the fit were in single precision.
    single: bool,
}

/// The method of that name, with the parameters of the JSON.
pub(crate) fn method(name: &str, parameters: &str) -> PyResult<Box<dyn AnyMethod>> {
    let entry = charta::methods::find(name).map_err(|error| exception(&error))?;
    let parameters: Json = serde_json::from_str(parameters)
        .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
    entry.parse(&parameters).map_err(|error| exception(&error))
}

#[pymethods]
impl Model {
    /// Fits a method.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        name: &str,
        parameters: &str,
        input: &Bound<'_, PyDict>,
        session: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let method = method(name, parameters)?;
        let input = Input::of(input)?;
        let single = input.table.is_single();
        let fitted = on_rows(py, &input, session, |run, data| {
            Fitted::fit(method.as_ref(), run, data, None)
        })?;
        Ok(Self { fitted, single })
    }

    /// Embeds new rows (out-of-sample).
    fn transform<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyDict>,
        session: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let input = Input::of(input)?;
        let placed = on_rows(py, &input, session, |run, data| {
            self.fitted.transform(run, data)
        })?;
        Ok(output::table(py, placed, input.table.is_single()))
    }

    /// Transforms rows of which one view is given.
    fn transform_view<'py>(
        &self,
        py: Python<'py>,
        view: usize,
        input: &Bound<'py, PyDict>,
        session: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let input = Input::of(input)?;
        let views = self.fitted.model().as_views().ok_or_else(no_views)?;
        let placed = on_rows(py, &input, session, |run, data| {
            run.install(|| views.transform_view_in(run, view, data))
        })?;
        Ok(output::table(py, placed, input.table.is_single()))
    }

    /// The features of one view that those of another let expect.
    fn predict_view<'py>(
        &self,
        py: Python<'py>,
        from: usize,
        to: usize,
        input: &Bound<'py, PyDict>,
        session: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let input = Input::of(input)?;
        let views = self.fitted.model().as_views().ok_or_else(no_views)?;
        let expected = on_rows(py, &input, session, |run, data| {
            run.install(|| views.predict_view_in(run, from, to, data))
        })?;
        Ok(output::table(py, expected, input.table.is_single()))
    }

    /// Leads coordinates back to features.
    fn inverse_transform<'py>(
        &self,
        py: Python<'py>,
        embedding: PyReadonlyArray2<'py, f64>,
        single: bool,
        session: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let session = Session::of(session)?;
        let view = embedding.as_array();
        let features = session.run(py, |run| self.fitted.inverse_transform(run, &view))?;
        Ok(output::table(py, features, single))
    }

    /// Predicts labels: (names, class of each row, probabilities, decisions), or (names, values), or the cluster of each row.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyDict>,
        session: &Bound<'py, PyDict>,
    ) -> PyResult<Py<PyAny>> {
        let input = Input::of(input)?;
        let single = input.table.is_single();
        let prediction = on_rows(py, &input, session, |run, data| {
            self.fitted.predict(run, data)
        })?;
        match prediction {
            Prediction::Classes {
                names,
                of_row,
                probabilities,
                decisions,
            } => {
                let of_row = ndarray::Array1::from(of_row).into_pyarray(py);
                let probabilities = output::table(py, probabilities, single);
                let decisions = output::table(py, decisions, single);
                (names, of_row, probabilities, decisions).into_py_any(py)
            }
            Prediction::Numbers { names, values } => {
                (names, output::table(py, values, single)).into_py_any(py)
            }
            Prediction::Clusters { of_row, .. } => {
                let of_row: Vec<i64> = of_row.into_iter().map(i64::from).collect();
                of_row.into_pyarray(py).into_py_any(py)
            }
            _ => Err(PyRuntimeError::new_err(
                "a kind of prediction that Python does not know",
            )),
        }
    }

    /// How much of every row the coordinates lose.
    fn row_errors<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyDict>,
        session: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let errors = on_rows(py, &Input::of(input)?, session, |run, data| {
            self.fitted.row_errors(run, data)
        })?;
        Ok(errors.into_pyarray(py).into_any())
    }

    /// The logarithm of the density at every row.
    fn log_likelihoods<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyDict>,
        session: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let values = on_rows(py, &Input::of(input)?, session, |run, data| {
            self.fitted.log_likelihoods(run, data)
        })?;
        Ok(values.into_pyarray(py).into_any())
    }

    /// Rows drawn from the distribution that the method assumes.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        n_rows: usize,
        seed: u64,
        session: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let session = Session::of(session)?;
        let rows = session.run(py, |run| self.fitted.sample(run, n_rows, seed))?;
        Ok(output::table(py, rows, self.single))
    }

    /// The same model with a layout improved by further steps.
    fn continued(
        &self,
        py: Python<'_>,
        iterations: usize,
        exaggeration: Option<f64>,
        session: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let session = Session::of(session)?;
        let more = More {
            iterations,
            exaggeration,
        };
        let fitted = session.run(py, |run| self.fitted.continued(run, &more))?;
        Ok(Self {
            fitted,
            single: self.single,
        })
    }

    /// Coordinates of the training rows, if they are kept.
    fn embedding<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let embedding = self.fitted.model().embedding()?;
        Some(if self.single {
            embedding
                .mapv(|value| value as f32)
                .into_pyarray(py)
                .into_any()
        } else {
            embedding.to_owned().into_pyarray(py).into_any()
        })
    }

    /// The cluster of every training row, counted from 0, or −1 for a row that was left out.
    fn clusters<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let clusters = self.fitted.model().clusters()?;
        let number = |cluster: Option<u32>| cluster.map_or(-1, i64::from);
        let numbers: Vec<i64> = clusters.into_iter().map(number).collect();
        Some(numbers.into_pyarray(py).into_any())
    }

    /// Named points among the coordinates: (name, coordinates) of each.
    fn marks(&self) -> Vec<(String, Vec<f64>)> {
        let marks = self.fitted.model().marks().into_iter();
        marks.map(|mark| (mark.name, mark.place)).collect()
    }

    /// Directions in the space of the features.
    fn axes<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let axes = self.fitted.model().axes()?;
        Some(output::table(py, axes, self.single))
    }

    /// The matrix of a random projection: an array, or (starts, columns, values) of sparse rows; nothing for other methods.
    fn projection_matrix(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        peers::projection_matrix(py, self.fitted.model().as_any(), self.single)
    }

    /// The weight of each feature in each coordinate, a row for each coordinate.
    fn feature_loadings<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let loadings = self.fitted.model().feature_loadings()?;
        Some(loadings.into_pyarray(py).into_any())
    }

    /// What a scree plot shows: (kind, numbers) with what belongs to them; nothing if the method reports no such numbers.
    fn spectrum(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let found = match self.fitted.spectrum() {
            None => return Ok(None),
            Some(Spectrum::Variances {
                values,
                total,
                n_kept,
            }) => ("variances", values, total, n_kept).into_py_any(py),
            Some(Spectrum::Residuals(values)) => ("residuals", values).into_py_any(py),
            Some(Spectrum::Shares {
                values,
                names,
                title,
                axis,
            }) => ("shares", values, names, title, axis).into_py_any(py),
        };
        found.map(Some)
    }

    /// The mean of the rows of the fit, if the method reports one.
    fn mean_of_rows(&self) -> Option<Vec<f64>> {
        self.fitted.mean_of_rows()
    }

    /// Pictures of the model besides its map, as JSON.
    fn pictures(&self) -> String {
        let pictures = self.fitted.model().pictures();
        pictures
            .iter()
            .map(picture_json)
            .collect::<Json>()
            .to_string()
    }

    /// The edges of the neighbour graph that was embedded, and their lengths. `input` is that of the fit.
    fn graph<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyDict>,
        session: &Bound<'py, PyDict>,
    ) -> PyResult<Py<PyAny>> {
        let edges = self.on_fitted_rows(py, input, session, |run, data| {
            let graph = self
                .fitted
                .embedded_graph(data.n_rows())?
                .graph(run, data)?;
            Ok(graph.edges().collect::<Vec<_>>())
        })?;
        let pairs = Array2::from_shape_fn((edges.len(), 2), |(edge, end)| {
            let (from, to, _) = edges[edge];
            i64::from([from, to][end])
        });
        let lengths: Vec<f64> = edges.into_iter().map(|(.., length)| length).collect();
        (pairs.into_pyarray(py), lengths.into_pyarray(py)).into_py_any(py)
    }

    /// The shortest path between two rows along that graph: rows, length, distance of both ends in the input; nothing if none leads there.
    fn shortest_path(
        &self,
        py: Python<'_>,
        input: &Bound<'_, PyDict>,
        from: usize,
        to: usize,
        session: &Bound<'_, PyDict>,
    ) -> PyResult<Option<(Vec<usize>, f64, f64)>> {
        self.on_fitted_rows(py, input, session, |run, data| {
            let embedded = self.fitted.embedded_graph(data.n_rows())?;
            let Some(path) = embedded.graph(run, data)?.shortest_path(from, to) else {
                return Ok(None);
            };
            let straight = embedded.distance(run, data, from, to)?;
            Ok(Some((path.rows, path.length, straight)))
        })
    }

    /// The model's axes through the rows of its fit: (name, places, whether it is a perpendicular) of each line, and a note.
    fn feature_lines<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyDict>,
        session: &Bound<'py, PyDict>,
    ) -> PyResult<Py<PyAny>> {
        let found = self.on_fitted_rows(py, input, session, |_, data| match data.source() {
            Source::Features(features) => Ok(self.fitted.feature_lines(features)),
            _ => Ok(FeatureLines::default()),
        })?;
        let lines: Vec<_> = (found.lines.into_iter())
            .map(|line| {
                (
                    line.name,
                    line.places.into_pyarray(py),
                    line.is_perpendicular,
                )
            })
            .collect();
        (lines, found.note).into_py_any(py)
    }

    /// A coordinate over the plane of the two features of the fit: ranges, places across, values.
    fn over_plane(
        &self,
        py: Python<'_>,
        ranges: [[f64; 2]; 2],
        plane: [usize; 2],
        component: usize,
        session: &Bound<'_, PyDict>,
    ) -> PyResult<([[f64; 2]; 2], usize, Vec<f64>)> {
        let session = Session::of(session)?;
        let over = session.run(py, |run| {
            self.fitted.over_plane(run, ranges, plane, component)
        })?;
        Ok((over.ranges, over.n_columns, over.values))
    }

    /// Every number that the method reports.
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        output::figures(py, &self.fitted.diagnostics())
    }

    /// The number of the name given.
    fn figure(&self, py: Python<'_>, name: &str) -> PyResult<Option<Py<PyAny>>> {
        let report = self.fitted.diagnostics();
        report
            .get(name)
            .map(|figure| output::figure(py, figure))
            .transpose()
    }

    /// Names of all numbers that the method reports.
    fn figure_names(&self) -> Vec<&'static str> {
        self.fitted
            .diagnostics()
            .iter()
            .map(|(name, _)| name)
            .collect()
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.fitted.to_bytes().map_err(|error| exception(&error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads a model file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8], single: bool) -> PyResult<Self> {
        let fitted = Fitted::from_bytes(bytes).map_err(|error| exception(&error))?;
        Ok(Self { fitted, single })
    }

    /// How copies are made and models sent to other processes: by their file.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Py<PyAny>> {
        let make = py.get_type::<Self>().getattr("from_bytes")?;
        (make, (self.to_bytes(py)?, self.single)).into_py_any(py)
    }

    /// The method's name.
    #[getter]
    fn method(&self) -> &'static str {
        self.fitted.entry().info.name
    }

    /// The parameters, as JSON.
    #[getter]
    fn parameters(&self) -> String {
        self.fitted.parameters().to_string()
    }

    /// The rows of the fit were in single precision.
    #[getter]
    fn single(&self) -> bool {
        self.single
    }

    /// Columns that the model takes.
    #[getter]
    fn n_columns(&self) -> usize {
        self.fitted.model().n_columns()
    }

    /// Columns of each view.
    #[getter]
    fn widths(&self) -> Option<Vec<usize>> {
        self.fitted
            .model()
            .as_views()
            .map(|views| views.widths().to_vec())
    }

    /// Coordinates.
    #[getter]
    fn n_components(&self) -> usize {
        self.fitted.model().n_components()
    }

    /// Names of the coordinates.
    #[getter]
    fn component_names(&self) -> Vec<String> {
        self.fitted.component_names()
    }

    /// What the rows of the fit were given as.
    #[getter]
    fn source(&self) -> String {
        self.fitted.source().into()
    }

    /// Names of the columns of the fit.
    #[getter]
    fn column_names(&self) -> Option<Vec<String>> {
        self.fitted.column_names().map(<[String]>::to_vec)
    }
}

impl Model {
    /// Does some work on the rows of the fit, scaled as they were for it.
    fn on_fitted_rows<T: Send>(
        &self,
        py: Python<'_>,
        input: &Bound<'_, PyDict>,
        session: &Bound<'_, PyDict>,
        work: impl FnOnce(&Run<'_>, &Data<'_>) -> charta::Result<T> + Send,
    ) -> PyResult<T> {
        on_rows(py, &Input::of(input)?, session, |run, data| {
            match (self.fitted.scaler(), data.source()) {
                (Some(scaler), Source::Features(features)) => {
                    let scaled = scaler.scaled(features)?;
                    work(run, &data.with_features(scaled.view())?)
                }
                _ => work(run, data),
            }
        })
    }
}

/// A picture of a model as JSON. Numbers that are not finite are missing there.
fn picture_json(picture: &Picture) -> Json {
    let mut json = match &picture.content {
        Content::Curves(curves) => serde_json::json!({
            "kind": "curves",
            "axes": curves.axes,
            "first": curves.first,
            "chosen": curves.chosen,
            "logarithmic": curves.logarithmic,
            "lines": curves.lines.iter().map(|line| serde_json::json!({
                "name": line.name, "values": line.values, "spread": line.spread,
            })).collect::<Vec<_>>(),
        }),
        Content::Cells(cells) => serde_json::json!({
            "kind": "cells",
            "centers": cells.centers,
            "hexagonal": cells.hexagonal,
            "panels": cells.panels.iter().map(|panel| serde_json::json!({
                "title": panel.title, "values": panel.values, "words": panel.words,
            })).collect::<Vec<_>>(),
        }),
    };
    json["name"] = picture.name.into();
    json["title"] = picture.title.clone().into();
    json["note"] = picture.note.clone().into();
    json
}

/// Does some work on the rows of a call, without the interpreter's lock.
fn on_rows<T: Send>(
    py: Python<'_>,
    input: &Input<'_>,
    session: &Bound<'_, PyDict>,
    work: impl FnOnce(&Run<'_>, &Data<'_>) -> charta::Result<T> + Send,
) -> PyResult<T> {
    let session = Session::of(session)?;
    input.with_data(|data| session.run(py, |run| work(run, &data)))
}

fn no_views() -> PyErr {
    pyo3::exceptions::PyValueError::new_err("the model has one view only")
}

/// A fit under way.
#[pyclass(frozen, module = "charta._charta")]
pub(crate) struct Partial {
    method: Box<dyn AnyMethod>,
    state: Mutex<Box<dyn PartialFit>>,
}

#[pymethods]
impl Partial {
    /// A fit to rows of this many columns.
    #[new]
    fn new(name: &str, parameters: &str, n_columns: usize) -> PyResult<Self> {
        let method = method(name, parameters)?;
        let state = method
            .partial(n_columns)
            .map_err(|error| exception(&error))?;
        Ok(Self {
            method,
            state: Mutex::new(state),
        })
    }

    /// Takes in further rows, and gives the model of all so far. Rows that fail are not taken in.
    fn add(
        &self,
        py: Python<'_>,
        input: &Bound<'_, PyDict>,
        session: &Bound<'_, PyDict>,
    ) -> PyResult<Model> {
        let (input, session) = (Input::of(input)?, Session::of(session)?);
        let single = input.table.is_single();
        let fitted = input.with_data(|data| {
            session.run(py, |run| {
                let mut state = self
                    .state
                    .lock()
                    .map_err(|_| charta::Error::Source("an earlier batch failed".into()))?;
                let before = state.copy();
                let added = state
                    .add(run, &data)
                    .and_then(|()| Fitted::partial(self.method.as_ref(), run, state.as_ref()));
                if added.is_err() {
                    *state = before;
                }
                added
            })
        })?;
        Ok(Model { fitted, single })
    }
}
