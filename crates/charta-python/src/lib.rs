//! The extension module of the Python package: what needs Rust, and nothing else. Classes, names and manners of Python are in `python/`.

mod arrow;
mod failure;
mod functions;
mod input;
mod model;
mod output;
mod session;

use pyo3::prelude::*;

/// The methods with their parameters and classes, as JSON.
#[pyfunction]
fn registry() -> String {
    let methods = charta::methods::METHODS.iter();
    let entries = methods.map(charta::registry::Entry::to_json).collect();
    serde_json::Value::Array(entries).to_string()
}

#[pymodule]
fn _charta(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<model::Partial>()?;
    module.add_function(wrap_pyfunction!(registry, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::arrow_table, module)?)?;
    module.add_function(wrap_pyfunction!(functions::data_set, module)?)?;
    module.add_function(wrap_pyfunction!(functions::data_sets, module)?)?;
    module.add_function(wrap_pyfunction!(functions::quality_figures, module)?)?;
    module.add_function(wrap_pyfunction!(functions::trustworthiness, module)?)?;
    module.add_function(wrap_pyfunction!(functions::intrinsic_dimension, module)?)?;
    module.add_function(wrap_pyfunction!(functions::nearest_neighbors, module)?)?;
    module.add_function(wrap_pyfunction!(functions::plan, module)?)?;
    module.add_function(wrap_pyfunction!(functions::write_file, module)?)?;
    Ok(())
}
