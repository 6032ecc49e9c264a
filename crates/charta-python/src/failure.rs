//! Errors and warnings of the library as exceptions and warnings of Python.

use std::collections::HashMap;

use charta::error::Message;
use charta::{Error, Warning};
use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;

use crate::words::Words;

/// The message of the library, to be worded with the names that a class has.
#[pyclass(frozen)]
pub(crate) struct EngineMessage(What);

enum What {
    Error(Error),
    Warning(Warning),
    Message(Message),
}

#[pymethods]
impl EngineMessage {
    /// The sentence with the class's names for parameters, and values that the class takes besides.
    fn worded(&self, names: HashMap<String, String>, further: Vec<(String, String)>) -> String {
        self.render(&Words { names, further })
    }
}

impl EngineMessage {
    fn render(&self, words: &Words) -> String {
        match &self.0 {
            What::Error(error) => error.render(words),
            What::Warning(warning) => warning.render(words),
            What::Message(message) => message.render(words),
        }
    }
}

impl From<Warning> for EngineMessage {
    fn from(warning: Warning) -> Self {
        Self(What::Warning(warning))
    }
}

impl From<Message> for EngineMessage {
    fn from(message: Message) -> Self {
        Self(What::Message(message))
    }
}

/// The exception that Python's users expect for an error. Its attribute `message` words it for a class.
pub(crate) fn exception(error: &Error) -> PyErr {
    let message = error.render(&Words::default());
    let raised = match error {
        Error::UnknownParameter { .. } => PyTypeError::new_err(message),
        Error::Memory { .. } => PyMemoryError::new_err(message),
        Error::Cancelled => PyKeyboardInterrupt::new_err(message),
        Error::Disconnected { .. } => disconnected(message),
        _ => PyValueError::new_err(message),
    };
    Python::attach(|py| {
        let message = EngineMessage(What::Error(error.clone()));
        // Without the attribute the message has the names of the library.
        let _ = raised
            .value(py)
            .setattr("message", message.into_pyobject(py)?);
        Ok::<(), PyErr>(())
    })
    .ok();
    raised
}

/// The exception for a disconnected graph, which is a `ValueError` as all mistakes, and a `RuntimeError` as in scikit-learn.
fn disconnected(message: String) -> PyErr {
    Python::attach(|py| {
        let of_class = || {
            py.import("charta._errors")?
                .getattr("DisconnectedError")?
                .call1((&message,))
        };
        match of_class() {
            Ok(raised) => PyErr::from_value(raised),
            Err(_) => PyValueError::new_err(message.clone()),
        }
    })
}

/// A mistake in the library itself, which should have been an error.
pub(crate) fn panicked(cause: &(dyn std::any::Any + Send)) -> PyErr {
    let message = cause
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| cause.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    PyRuntimeError::new_err(format!(
        "internal error in charta, please report it: {message}"
    ))
}
