//! Errors of the library as exceptions of Python.

use charta::Error;
use pyo3::PyErr;
use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyRuntimeError, PyTypeError, PyValueError,
};

/// The exception that Python's users expect for an error, with our message.
pub(crate) fn exception(error: &Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::UnknownParameter { .. } => PyTypeError::new_err(message),
        Error::Memory { .. } => PyMemoryError::new_err(message),
        Error::Cancelled => PyKeyboardInterrupt::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// A mistake in the library itself, which should have been an error.
pub(crate) fn panicked(cause: &(dyn std::any::Any + Send)) -> PyErr {
    let said = cause
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| cause.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    PyRuntimeError::new_err(format!(
        "charta met a mistake of its own, please report it: {said}"
    ))
}
