//! What single classes share with the package that made their method known, and the registry does not have: the counterpart of `python/charta/_peers`.

use std::any::Any;

use charta::methods::random_projection::{ProjectionMatrix, RandomProjectionModel};
use charta::methods::umap::{FuzzyGraph, Umap};
use charta::params::Parameters;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::exception;
use crate::input::Input;
use crate::output;
use crate::session::Session;

/// The matrix of a random projection: an array, or (starts, columns, values) of sparse rows; nothing for other models.
pub(crate) fn projection_matrix(
    py: Python<'_>,
    model: &dyn Any,
    single: bool,
) -> PyResult<Option<Py<PyAny>>> {
    let Some(model) = model.downcast_ref::<RandomProjectionModel>() else {
        return Ok(None);
    };
    match &model.matrix {
        ProjectionMatrix::Dense { entries } => {
            output::table(py, entries.clone(), single).into_py_any(py)
        }
        ProjectionMatrix::Signs(signs) => {
            let rows = signs.sparse().map_err(|error| exception(&error))?;
            let (starts, columns, values) = rows.parts();
            let starts: Vec<i64> = starts.iter().map(|&start| start as i64).collect();
            let columns: Vec<i64> = columns.iter().map(|&column| i64::from(column)).collect();
            let values = values.to_vec();
            (
                starts.into_pyarray(py),
                columns.into_pyarray(py),
                values.into_pyarray(py),
            )
                .into_py_any(py)
        }
    }
    .map(Some)
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
