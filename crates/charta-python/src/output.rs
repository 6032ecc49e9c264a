//! What Python gets back: numpy arrays in the precision of what it gave.

use charta::model::{Diagnostics, Figure};
use ndarray::Array2;
use numpy::IntoPyArray;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A table, in single precision if that is requested.
pub(crate) fn table(py: Python<'_>, values: Array2<f64>, single: bool) -> Bound<'_, PyAny> {
    if single {
        values
            .mapv(|value| value as f32)
            .into_pyarray(py)
            .into_any()
    } else {
        values.into_pyarray(py).into_any()
    }
}

/// A figure as Python knows it.
pub(crate) fn figure(py: Python<'_>, figure: &Figure) -> PyResult<Py<PyAny>> {
    match figure {
        Figure::Count(value) => value.into_py_any(py),
        Figure::Number(value) => value.into_py_any(py),
        Figure::Text(value) => value.into_py_any(py),
        Figure::Flag(value) => value.into_py_any(py),
        Figure::Words(values) => values.into_py_any(py),
        Figure::Vector(values) => Ok(values.clone().into_pyarray(py).into_any().unbind()),
        Figure::Matrix(values) => Ok(values.clone().into_pyarray(py).into_any().unbind()),
    }
}

/// All figures by name.
pub(crate) fn figures<'py>(py: Python<'py>, report: &Diagnostics) -> PyResult<Bound<'py, PyDict>> {
    let figures = PyDict::new(py);
    for (name, value) in report.iter() {
        figures.set_item(name, figure(py, value)?)?;
    }
    Ok(figures)
}
