//! The extension module of the Python package: what needs Rust, and nothing else. Classes, names and manners of Python are in `python/`.

mod arrow;
mod failure;
mod figures;
mod functions;
mod input;
mod linear;
mod model;
mod output;
mod pictures;
mod session;
mod words;

use pyo3::prelude::*;

/// Names of all methods.
#[pyfunction]
fn methods() -> Vec<&'static str> {
    let entries = charta::methods::METHODS.iter();
    entries.map(|entry| entry.info.name).collect()
}

/// A method with its parameters, as JSON.
#[pyfunction]
fn describe(method: &str) -> PyResult<String> {
    let entry = charta::methods::find(method).map_err(|error| failure::exception(&error))?;
    Ok(entry.to_json().to_string())
}

/// Parameters of a method as JSON, checked, those not given by their defaults.
#[pyfunction]
fn resolve(name: &str, parameters: &str) -> PyResult<String> {
    Ok(model::method(name, parameters)?.to_json().to_string())
}

#[pymodule]
fn _charta(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<model::Partial>()?;
    module.add_class::<failure::EngineMessage>()?;
    module.add_function(wrap_pyfunction!(methods, module)?)?;
    module.add_function(wrap_pyfunction!(describe, module)?)?;
    module.add_function(wrap_pyfunction!(resolve, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::arrow_table, module)?)?;
    module.add_function(wrap_pyfunction!(functions::data_set, module)?)?;
    module.add_function(wrap_pyfunction!(functions::data_sets, module)?)?;
    module.add_function(wrap_pyfunction!(functions::quality_figures, module)?)?;
    module.add_function(wrap_pyfunction!(functions::trustworthiness, module)?)?;
    module.add_function(wrap_pyfunction!(functions::intrinsic_dimension, module)?)?;
    module.add_function(wrap_pyfunction!(functions::nearest_neighbors, module)?)?;
    module.add_function(wrap_pyfunction!(functions::slice_anchors, module)?)?;
    module.add_function(wrap_pyfunction!(functions::plan, module)?)?;
    module.add_function(wrap_pyfunction!(functions::advise, module)?)?;
    module.add_function(wrap_pyfunction!(functions::write_file, module)?)?;
    module.add_function(wrap_pyfunction!(functions::scree, module)?)?;
    module.add_function(wrap_pyfunction!(functions::dimension, module)?)?;
    module.add_function(wrap_pyfunction!(functions::residual_elbow, module)?)?;
    module.add_function(wrap_pyfunction!(linear::eigen, module)?)?;
    module.add_function(wrap_pyfunction!(linear::svd, module)?)?;
    module.add_function(wrap_pyfunction!(linear::pseudo_inverse, module)?)?;
    module.add_function(wrap_pyfunction!(linear::least_squares, module)?)?;
    module.add_function(wrap_pyfunction!(linear::line, module)?)?;
    module.add_function(wrap_pyfunction!(linear::angles, module)?)?;
    module.add_function(wrap_pyfunction!(linear::normality, module)?)?;
    module.add_function(wrap_pyfunction!(linear::scatter_matrices, module)?)?;
    module.add_function(wrap_pyfunction!(functions::steps, module)?)?;
    module.add_function(wrap_pyfunction!(functions::fuzzy_graph, module)?)?;
    module.add_function(wrap_pyfunction!(functions::embed_fuzzy_graph, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::scatter, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::shown, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::pairs, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::missing_characters, module)?)?;
    module.add_function(wrap_pyfunction!(figures::scree_picture, module)?)?;
    module.add_function(wrap_pyfunction!(figures::curve, module)?)?;
    module.add_function(wrap_pyfunction!(figures::bars, module)?)?;
    module.add_function(wrap_pyfunction!(figures::loadings, module)?)?;
    module.add_function(wrap_pyfunction!(figures::cells, module)?)?;
    module.add_function(wrap_pyfunction!(figures::panels, module)?)?;
    module.add_function(wrap_pyfunction!(figures::image_grid, module)?)?;
    module.add_function(wrap_pyfunction!(figures::image_rows, module)?)?;
    Ok(())
}
