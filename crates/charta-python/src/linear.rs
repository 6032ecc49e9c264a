//! Matrices, and what linear algebra says of data.

use charta::dimension::{AngleOptions, AngleSums, Curvature, Triangle};
use charta::linear::{
    self, Covariances, Eigen, LeastSquares, Line, LineFit, Mardia, Normality, Svd,
};
use charta::params::Parameters;
use numpy::{IntoPyArray, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::exception;
use crate::input::Input;
use crate::session::Session;

/// Values by name.
macro_rules! dict {
    ($py:expr, $($name:literal: $value:expr),* $(,)?) => {{
        let dict = PyDict::new($py);
        $(dict.set_item($name, $value)?;)*
        dict
    }};
}

/// Eigenvalues and eigenvectors of a square matrix, with real and imaginary parts.
#[pyfunction]
pub(crate) fn eigen<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArray2<'py, f64>,
    session: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let (session, view) = (Session::of(session)?, matrix.as_array());
    let found = session.run(py, |run| run.install(|| Eigen::of(&view)))?;
    let is_real = found.is_real();
    Ok(dict!(py,
        "real": found.real.into_pyarray(py),
        "imaginary": found.imaginary.into_pyarray(py),
        "vectors_real": found.vectors_real.into_pyarray(py),
        "vectors_imaginary": found.vectors_imaginary.into_pyarray(py),
        "is_real": is_real,
        "symmetric": found.symmetric,
        "residual": found.residual,
        "vectors_condition": found.vectors_condition,
    ))
}

/// The singular value decomposition, and an approximation of a lower rank if one is requested.
#[pyfunction]
pub(crate) fn svd<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArray2<'py, f64>,
    rank: Option<usize>,
    session: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let (session, view) = (Session::of(session)?, matrix.as_array());
    let (found, sum) = session.run(py, |run| {
        run.install(|| {
            let found = Svd::of(&view)?;
            let sum = rank.map(|rank| found.approximation(rank)).transpose()?;
            Ok((found, sum))
        })
    })?;
    let (rank, condition_number) = (found.rank(), found.condition_number());
    Ok(dict!(py,
        "left": found.left.into_pyarray(py),
        "values": found.values.into_pyarray(py),
        "right": found.right.into_pyarray(py),
        "rank": rank,
        "condition_number": condition_number,
        "approximation": sum.map(|sum| sum.into_pyarray(py)),
    ))
}

/// The Moore–Penrose inverse.
#[pyfunction]
pub(crate) fn pseudo_inverse<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArray2<'py, f64>,
    session: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let (session, view) = (Session::of(session)?, matrix.as_array());
    let found = session.run(py, |run| run.install(|| linear::pseudo_inverse(&view)))?;
    Ok(found.into_pyarray(py).into_any())
}

/// Least squares by the pseudo-inverse.
#[pyfunction]
pub(crate) fn least_squares<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArray2<'py, f64>,
    targets: PyReadonlyArray2<'py, f64>,
    intercept: bool,
    session: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let session = Session::of(session)?;
    let (x, y) = (matrix.as_array(), targets.as_array());
    let found = session.run(py, |run| {
        run.install(|| LeastSquares::of(&x, &y, intercept))
    })?;
    Ok(dict!(py,
        "weights": found.weights.into_pyarray(py),
        "intercepts": found.intercepts.map(|values| values.into_pyarray(py)),
        "residuals": found.residuals.into_pyarray(py),
        "residual_squares": found.residual_squares.into_pyarray(py),
        "r_squared": found.r_squared.into_pyarray(py),
        "rank": found.rank,
        "condition_number": found.condition_number,
    ))
}

/// The scatter matrix of the rows, within and between classes too.
#[pyfunction]
pub(crate) fn scatter_matrices<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyDict>,
    session: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let (input, session) = (Input::of(input)?, Session::of(session)?);
    let found = input.with_data(|data| session.run(py, |run| Covariances::of(run, &data)))?;
    let parts = match found.classes {
        None => None,
        Some(classes) => Some(dict!(py,
            "classes": classes.names,
            "counts": classes.counts,
            "means": classes.means.into_pyarray(py),
            "within": classes.within.into_pyarray(py),
            "between": classes.between.into_pyarray(py),
        )),
    };
    Ok(dict!(py,
        "n_samples": found.n_rows,
        "mean": found.mean.into_pyarray(py),
        "scatter": found.scatter.into_pyarray(py),
        "parts": parts,
    ))
}

/// A line of one's choice beside the best.
#[pyfunction]
pub(crate) fn line<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyDict>,
    direction: Vec<f64>,
    through: Option<Vec<f64>>,
    session: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let (input, session) = (Input::of(input)?, Session::of(session)?);
    let found = input.with_data(|data| {
        session.run(py, |run| {
            LineFit::of(run, &data, &direction, through.as_deref())
        })
    })?;
    let angle = found.angle();
    Ok(dict!(py,
        "chosen": of_line(py, found.chosen)?,
        "best": of_line(py, found.best)?,
        "total": found.total,
        "angle": angle,
    ))
}

fn of_line(py: Python<'_>, line: Line) -> PyResult<Bound<'_, PyDict>> {
    let feet = line.feet();
    Ok(dict!(py,
        "through": line.through.into_pyarray(py),
        "direction": line.direction.into_pyarray(py),
        "positions": line.positions.into_pyarray(py),
        "squared_distances": line.squared_distances.into_pyarray(py),
        "error": line.error,
        "feet": feet.into_pyarray(py),
    ))
}

/// Angle sums of geodesic triangles.
#[pyfunction]
pub(crate) fn angles<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyDict>,
    options: &str,
    session: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let (input, session) = (Input::of(input)?, Session::of(session)?);
    let json =
        serde_json::from_str(options).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let options = AngleOptions::from_json(&json).map_err(|error| exception(&error))?;
    let found =
        input.with_data(|data| session.run(py, |run| AngleSums::of(run, &data, &options)))?;
    let sums: Vec<f64> = found.triangles.iter().map(Triangle::angle_sum).collect();
    let verdict = match found.verdict() {
        Curvature::Positive => "positive",
        Curvature::Negative => "negative",
        _ => "flat",
    };
    Ok(dict!(py,
        "mean": found.mean,
        "standard_deviation": found.deviation,
        "standard_error": found.standard_error,
        "quartiles": found.quartiles.to_vec(),
        "curvature": found.curvature,
        "verdict": verdict,
        "n_failed": found.n_failed,
        "sums": ndarray::Array1::from(sums).into_pyarray(py),
        "corners": found.triangles.iter().map(|triangle| triangle.corners.to_vec()).collect::<Vec<_>>(),
    ))
}

/// Mardia's tests of all rows and of each class.
#[pyfunction]
pub(crate) fn normality<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyDict>,
    session: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let (input, session) = (Input::of(input)?, Session::of(session)?);
    let found = input.with_data(|data| session.run(py, |run| Normality::of(run, &data)))?;
    let rejected: Vec<String> = found.rejected().into_iter().map(String::from).collect();
    let classes = PyDict::new(py);
    for (name, test) in &found.classes {
        classes.set_item(name, of_test(py, test.as_ref())?)?;
    }
    Ok(dict!(py,
        "all": of_test(py, found.all.as_ref())?,
        "classes": classes,
        "level": found.level,
        "not_normal": rejected,
    ))
}

fn of_test<'py>(py: Python<'py>, test: Option<&Mardia>) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(test) = test else { return Ok(None) };
    Ok(Some(dict!(py,
        "n_samples": test.n_rows,
        "rank": test.rank,
        "skewness": test.skewness,
        "skewness_statistic": test.skewness_statistic,
        "skewness_degrees": test.skewness_degrees,
        "skewness_p": test.skewness_p,
        "kurtosis": test.kurtosis,
        "kurtosis_statistic": test.kurtosis_statistic,
        "kurtosis_p": test.kurtosis_p,
        "p": test.p_value(),
    )))
}
