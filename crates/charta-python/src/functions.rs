//! What is not a method: data sets, measures of maps, neighbours, dimensions.

use charta::alignment::{Alignment, Relation};
use std::path::PathBuf;

use charta::Labels;
use charta::advice;
use charta::data::OwnedFeatures;
use charta::dimension::{Intrinsic, IntrinsicOptions, Report, Scree, ScreeOptions};
use charta::method::Shape;
use charta::methods::umap::{FuzzyGraph, Umap};
use charta::neighbors::Search;
use charta::params::Parameters;
use charta::quality::{self, Options, Sample};
use charta_io::{Content, ReadOptions};
use ndarray::{Array1, Array2};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::{EngineMessage, exception};
use crate::input::Input;
use crate::model::method;
use crate::output;
use crate::session::Session;
use crate::words::Words;

/// A data set by its name: (rows or distances, labels or else the rows' names if there are any, names of the columns).
#[pyfunction]
pub(crate) fn data_set(py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
    let table = charta_io::read(name, &ReadOptions::default())
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let rows = match table.content {
        Content::Features(OwnedFeatures::F32(rows)) => rows.into_pyarray(py).into_any(),
        Content::Features(OwnedFeatures::F64(rows)) => rows.into_pyarray(py).into_any(),
        Content::Distances(matrix) | Content::Kernel(matrix) => matrix.into_pyarray(py).into_any(),
        Content::Features(other) => {
            let view = other.view();
            view.dense_rows(0, view.n_rows())
                .into_pyarray(py)
                .into_any()
        }
    };
    let row_names = table.row_names;
    let labels = table.labels.map(|(_, labels)| match labels {
        Labels::Numbers(numbers) => numbers
            .into_owned()
            .into_pyarray(py)
            .into_any()
            .unbind()
            .into_py_any(py),
        classes => (0..classes.len())
            .map(|row| classes.text(row))
            .collect::<Vec<_>>()
            .into_py_any(py),
    });
    let labels = match (labels.transpose()?, row_names) {
        (None, Some(names)) => Some(names.into_py_any(py)?),
        (labels, _) => labels,
    };
    (rows, labels, table.column_names).into_py_any(py)
}

/// Name, title, rows, columns, whether it is generated, and its own parameters.
type DataSetSummary = (
    &'static str,
    &'static str,
    usize,
    usize,
    bool,
    Vec<&'static str>,
);

/// What there is to know of the data sets.
#[pyfunction]
pub(crate) fn data_sets() -> Vec<DataSetSummary> {
    let summary = |set: &charta_io::DataSet| {
        let parameters = set.parameters().to_vec();
        (
            set.name,
            set.title,
            set.rows,
            set.columns,
            set.generated,
            parameters,
        )
    };
    charta_io::data_sets().iter().map(summary).collect()
}

fn search(options: &str) -> PyResult<Search> {
    let json =
        serde_json::from_str(options).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Search::from_json(&json).map_err(|error| exception(&error))
}

/// All measures of a map, by name.
#[pyfunction]
pub(crate) fn quality_figures<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyDict>,
    embedding: PyReadonlyArray2<'py, f64>,
    n_neighbors: Vec<usize>,
    sample: Option<usize>,
    seed: u64,
    options: &str,
    session: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let (input, session, search) = (Input::of(input)?, Session::of(session)?, search(options)?);
    let view = embedding.as_array();
    let report = input.with_data(|data| {
        let options = Options {
            n_neighbors,
            sample: sample.map_or(Sample::Auto, Sample::Count),
            seed,
            search,
            labels: data.labels().cloned(),
            known: None,
        };
        session.run(py, |run| quality::measure(run, &data, &view, &options))
    })?;
    let figures = output::figures(py, &report.diagnostics())?;
    let of_rows = PyDict::new(py);
    for (name, values) in report.point_columns() {
        of_rows.set_item(name, values.into_pyarray(py))?;
    }
    figures.set_item("of_rows", of_rows)?;
    Ok(figures)
}

/// Trustworthiness and continuity.
#[pyfunction]
pub(crate) fn trustworthiness<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyDict>,
    embedding: PyReadonlyArray2<'py, f64>,
    n_neighbors: usize,
    session: &Bound<'py, PyDict>,
) -> PyResult<(f64, f64)> {
    let (input, session) = (Input::of(input)?, Session::of(session)?);
    let view = embedding.as_array();
    input.with_data(|data| {
        session.run(py, |run| {
            quality::trustworthiness_and_continuity(run, &data, &view, n_neighbors)
        })
    })
}

/// An estimator, its dimension, or why it has none.
type Estimate = (&'static str, Option<f64>, Option<String>);

/// The dimension by every estimator: a number, or why there is none; and numbers of the rows.
#[pyfunction]
pub(crate) fn intrinsic_dimension<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyDict>,
    first: usize,
    last: usize,
    options: &str,
    session: &Bound<'py, PyDict>,
) -> PyResult<Vec<Estimate>> {
    let (input, session) = (Input::of(input)?, Session::of(session)?);
    let options = IntrinsicOptions {
        first,
        last,
        search: search(options)?,
        ..IntrinsicOptions::default()
    };
    let found =
        input.with_data(|data| session.run(py, |run| Intrinsic::of(run, &data, &options)))?;
    let estimates = found.estimates.into_iter();
    Ok(estimates
        .map(|of| {
            let problem = of.problem.map(|problem| problem.render(&Words::default()));
            (of.name, of.dimension, problem)
        })
        .collect())
}

/// All variances, the rules for the number of components, and one recommended, as JSON.
#[pyfunction]
pub(crate) fn scree(
    py: Python<'_>,
    input: &Bound<'_, PyDict>,
    standardize: bool,
    repetitions: Option<usize>,
    seed: u64,
    session: &Bound<'_, PyDict>,
) -> PyResult<String> {
    let (input, session) = (Input::of(input)?, Session::of(session)?);
    let options = ScreeOptions {
        standardize,
        repetitions,
        seed,
    };
    let found = input.with_data(|data| {
        session.run(py, |run| {
            let scree = Scree::of(run, &data, &options)?;
            let mut json = scree.to_json(&Words::default());
            json["n_shown"] = scree.n_shown().into();
            Ok(json)
        })
    })?;
    Ok(found.to_string())
}

/// One dimension of the data, its reasons, and all estimates, as JSON; and estimates for each row by name.
#[pyfunction]
pub(crate) fn dimension<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyDict>,
    neighborhoods: (usize, usize, usize),
    discard: f64,
    options: &str,
    seed: u64,
    session: &Bound<'py, PyDict>,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let (input, session) = (Input::of(input)?, Session::of(session)?);
    let (first, last, local) = neighborhoods;
    let options = IntrinsicOptions {
        first,
        last,
        local,
        discard,
        search: search(options)?,
    };
    let scree = ScreeOptions {
        seed,
        ..ScreeOptions::default()
    };
    let report =
        input.with_data(|data| session.run(py, |run| Report::of(run, &data, &options, &scree)))?;
    let of_rows = PyDict::new(py);
    for estimate in &report.intrinsic.estimates {
        if let Some(values) = &estimate.of_rows {
            of_rows.set_item(estimate.name, values.clone().into_pyarray(py))?;
        }
    }
    Ok((report.to_json(&Words::default()).to_string(), of_rows))
}

/// The number of dimensions after which residual variances hardly fall.
#[pyfunction]
pub(crate) fn residual_elbow(residuals: Vec<f64>) -> Option<usize> {
    charta::dimension::residual_elbow(&residuals)
}

/// The nearest rows of every row: (indices, distances, recall).
#[pyfunction]
pub(crate) fn nearest_neighbors<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyDict>,
    n_neighbors: usize,
    options: &str,
    session: &Bound<'py, PyDict>,
) -> PyResult<Py<PyAny>> {
    let (input, session, search) = (Input::of(input)?, Session::of(session)?, search(options)?);
    let single = input.table.is_single();
    let found = input.with_data(|data| {
        session.run(py, |run| {
            run.install(|| charta::neighbors::nearest(run, &data, &search, n_neighbors))
        })
    })?;
    let table = &found.neighbors;
    let shape = (table.n_rows(), n_neighbors);
    let wrong = |error: ndarray::ShapeError| PyValueError::new_err(error.to_string());
    let places = table
        .indices()
        .iter()
        .map(|&place| i64::from(place))
        .collect::<Array1<_>>();
    let places = places.into_shape_with_order(shape).map_err(wrong)?;
    let distances = Array2::from_shape_vec(shape, table.distances().to_vec()).map_err(wrong)?;
    (
        places.into_pyarray(py),
        output::table(py, distances, single),
        found.recall,
    )
        .into_py_any(py)
}

/// An algorithm, bytes by purpose, and advice.
type PlanSummary = (String, Vec<(String, u64)>, EngineMessage);

/// What a fit to this many rows and columns would do and need: (algorithm, parts of the memory, advice).
#[pyfunction]
pub(crate) fn plan(
    name: &str,
    parameters: &str,
    input: &Bound<'_, PyDict>,
) -> PyResult<PlanSummary> {
    let method = method(name, parameters)?;
    let input = Input::of(input)?;
    input.with_data(|data| {
        let plan = method
            .plan(&Shape::of(&data))
            .map_err(|error| exception(&error))?;
        let advice = plan.all_advice();
        Ok((plan.algorithm, plan.memory, advice.into()))
    })
}

/// The matrices of a fit, by name: (matrices, formulas, rows if some were left out).
#[pyfunction]
pub(crate) fn steps<'py>(
    py: Python<'py>,
    name: &str,
    parameters: &str,
    input: &Bound<'py, PyDict>,
    session: &Bound<'py, PyDict>,
) -> PyResult<Py<PyAny>> {
    let method = method(name, parameters)?;
    let (input, session) = (Input::of(input)?, Session::of(session)?);
    let found = input.with_data(|data| session.run(py, |run| method.steps(run, &data)))?;
    let (matrices, formulas) = (PyDict::new(py), PyDict::new(py));
    for step in found.matrices {
        matrices.set_item(step.name, step.matrix.into_pyarray(py))?;
        formulas.set_item(step.name, step.formula)?;
    }
    let rows = found.rows.map(|rows| {
        let rows: Array1<i64> = rows.into_iter().map(i64::from).collect();
        rows.into_pyarray(py)
    });
    (matrices, formulas, rows).into_py_any(py)
}

fn umap(parameters: &str) -> PyResult<Umap> {
    let parameters = serde_json::from_str(parameters)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Umap::from_json(&parameters).map_err(|error| exception(&error))
}

/// The coordinates by UMAP of a symmetric graph in sparse rows with sorted columns, from initial ones.
#[pyfunction]
pub(crate) fn embed_fuzzy_graph<'py>(
    py: Python<'py>,
    parameters: &str,
    graph: (
        PyReadonlyArray1<'py, i64>,
        PyReadonlyArray1<'py, i64>,
        PyReadonlyArray1<'py, f32>,
    ),
    initial: PyReadonlyArray2<'py, f64>,
    session: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (umap, session) = (umap(parameters)?, Session::of(session)?);
    let (starts, columns, weights) = (graph.0.as_array(), graph.1.as_array(), graph.2.as_array());
    let rows = (1..starts.len()).map(|row| {
        let entries = starts[row - 1] as usize..starts[row] as usize;
        entries
            .map(|entry| (columns[entry] as u32, weights[entry]))
            .collect()
    });
    let graph = FuzzyGraph::from_rows(rows.collect());
    let initial = initial.as_array();
    let found = session.run(py, |run| umap.embed_graph(run, &graph, initial))?;
    Ok(found.into_pyarray(py))
}

/// The fuzzy graph that UMAP embeds, as sparse rows: (where rows begin, columns, weights).
#[pyfunction]
pub(crate) fn fuzzy_graph<'py>(
    py: Python<'py>,
    parameters: &str,
    input: &Bound<'py, PyDict>,
    session: &Bound<'py, PyDict>,
) -> PyResult<Py<PyAny>> {
    let umap = umap(parameters)?;
    let (input, session) = (Input::of(input)?, Session::of(session)?);
    let graph = input.with_data(|data| session.run(py, |run| umap.graph(run, &data)))?;
    let (mut starts, mut columns, mut weights) = (vec![0i64], Vec::new(), Vec::new());
    for row in 0..graph.n_rows() {
        let (neighbors, own) = graph.row(row);
        columns.extend(neighbors.iter().map(|&neighbor| i64::from(neighbor)));
        weights.extend_from_slice(own);
        starts.push(columns.len() as i64);
    }
    let arrays = (
        starts.into_pyarray(py),
        columns.into_pyarray(py),
        weights.into_pyarray(py),
    );
    arrays.into_py_any(py)
}

/// Advice on data, as JSON.
#[pyfunction]
pub(crate) fn advise<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyDict>,
    images: bool,
    session: &Bound<'py, PyDict>,
) -> PyResult<String> {
    let (input, session) = (Input::of(input)?, Session::of(session)?);
    let options = advice::Options { images };
    let found = input.with_data(|data| {
        session.run(py, |run| {
            let advice = advice::advise(run, &data, &options)?;
            Ok(advice.to_json(&Words::default()))
        })
    })?;
    Ok(found.to_string())
}

/// Writes a file under another name and renames it once it is whole.
#[pyfunction]
pub(crate) fn write_file(path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    charta_io::write_atomically(&path, bytes).map_err(|error| PyOSError::new_err(error.to_string()))
}

/// Coordinates that the rows of a slice are pulled towards, and weights: from the embeddings of the slices before it, and for each but the first,
/// this one included, the pairs of rows that it shares with the slice before, and its number of rows.
#[pyfunction]
pub(crate) fn slice_anchors<'py>(
    py: Python<'py>,
    embeddings: Vec<PyReadonlyArray2<'py, f64>>,
    relations: Vec<(Vec<(usize, usize)>, usize)>,
    parameters: &str,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let parameters = serde_json::from_str(parameters)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let failed = |error: charta::Error| exception(&error);
    let alignment = Alignment::from_json(&parameters).map_err(failed)?;
    let views: Vec<_> = embeddings.iter().map(PyReadonlyArray2::as_array).collect();
    let relations = relations
        .into_iter()
        .zip(&views)
        .map(|((pairs, n_rows), earlier)| Relation::of_pairs(earlier.nrows(), n_rows, pairs))
        .collect::<charta::Result<Vec<_>>>()
        .map_err(failed)?;
    let anchors = alignment.anchors(&views, &relations).map_err(failed)?;
    Ok((
        anchors.coordinates.into_pyarray(py).into_any(),
        anchors.weights.into_pyarray(py).into_any(),
    ))
}
