//! The extension module of the Python package: what needs Rust, and nothing else. Classes, names and manners of Python are in `python/`.

mod arrow;
mod failure;
mod functions;
mod input;
mod model;
mod output;
mod session;

use pyo3::prelude::*;

/// Names of all classes, with the name of the method and that of the class whose other name it is.
#[pyfunction]
fn classes() -> Vec<(&'static str, &'static str, &'static str)> {
    let of_entry = |entry: &'static charta::registry::Entry| {
        let method = entry.info.name;
        let of_class = move |class: &'static charta::class::Class| {
            let names = std::iter::once(&class.name).chain(class.aliases);
            names.map(move |name| (*name, method, class.name))
        };
        entry.info.classes.iter().flat_map(of_class)
    };
    charta::methods::METHODS.iter().flat_map(of_entry).collect()
}

/// A method with its parameters and classes, as JSON.
#[pyfunction]
fn describe(method: &str) -> PyResult<String> {
    let entry = charta::methods::find(method).map_err(|error| failure::exception(&error))?;
    Ok(entry.to_json().to_string())
}

#[pymodule]
fn _charta(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<model::Partial>()?;
    module.add_function(wrap_pyfunction!(classes, module)?)?;
    module.add_function(wrap_pyfunction!(describe, module)?)?;
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
