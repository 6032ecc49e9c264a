//! What Python gives: arrays that stay where they are, with labels and names beside them.

use charta::data::{Neighbors, SparseView};
use charta::{Data, Features, Labels};
use ndarray::ArrayView2;
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::failure::exception;

/// A table of numbers that Python owns.
pub(crate) enum Table<'py> {
    F32(PyReadonlyArray2<'py, f32>),
    F64(PyReadonlyArray2<'py, f64>),
    SparseF32(Sparse<'py, f32>),
    SparseF64(Sparse<'py, f64>),
}

/// Sparse rows: only where rows begin is copied.
pub(crate) struct Sparse<'py, T: Element> {
    n_columns: usize,
    starts: Vec<usize>,
    columns: PyReadonlyArray1<'py, u32>,
    values: PyReadonlyArray1<'py, T>,
}

impl<'py> Table<'py> {
    /// An array of two dimensions, or (starts, columns, values, number of columns) of sparse rows.
    pub(crate) fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.extract::<PyReadonlyArray2<'py, f64>>() {
            return Ok(Self::F64(array));
        }
        if let Ok(array) = object.extract::<PyReadonlyArray2<'py, f32>>() {
            return Ok(Self::F32(array));
        }
        let Ok(parts) = object.cast::<PyTuple>() else {
            return Err(PyTypeError::new_err(
                "a table of float32 or float64 with two dimensions was expected",
            ));
        };
        if parts
            .get_item(2)?
            .extract::<PyReadonlyArray1<'py, f64>>()
            .is_ok()
        {
            Ok(Self::SparseF64(Sparse::of(parts)?))
        } else {
            Ok(Self::SparseF32(Sparse::of(parts)?))
        }
    }

    /// The table as the library sees it.
    pub(crate) fn features(&self) -> PyResult<Features<'_>> {
        Ok(match self {
            Self::F32(array) => Features::F32(array.as_array()),
            Self::F64(array) => Features::F64(array.as_array()),
            Self::SparseF32(rows) => Features::SparseF32(rows.view()?),
            Self::SparseF64(rows) => Features::SparseF64(rows.view()?),
        })
    }

    /// True for single precision.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self, Self::F32(_) | Self::SparseF32(_))
    }

    fn square(&self) -> PyResult<ArrayView2<'_, f64>> {
        match self {
            Self::F64(array) => Ok(array.as_array()),
            _ => Err(PyTypeError::new_err(
                "distances and kernels must be dense float64",
            )),
        }
    }
}

impl<'py, T: Element + Copy> Sparse<'py, T> {
    fn of(parts: &Bound<'py, PyTuple>) -> PyResult<Self> {
        let starts: PyReadonlyArray1<'py, u64> = parts.get_item(0)?.extract()?;
        Ok(Self {
            starts: starts
                .as_array()
                .iter()
                .map(|&start| start as usize)
                .collect(),
            columns: parts.get_item(1)?.extract()?,
            values: parts.get_item(2)?.extract()?,
            n_columns: parts.get_item(3)?.extract()?,
        })
    }
}

impl<T: Element + Copy> Sparse<'_, T> {
    fn view(&self) -> PyResult<SparseView<'_, T>>
    where
        T: num_traits::Float,
    {
        SparseView::new(
            self.n_columns,
            self.starts.as_slice(),
            self.columns.as_slice()?,
            self.values.as_slice()?,
        )
        .map_err(|error| exception(&error))
    }
}

/// Everything that Python gives with a table.
pub(crate) struct Input<'py> {
    pub(crate) table: Table<'py>,
    kind: String,
    classes: Option<(Vec<String>, Vec<Option<u32>>)>,
    numbers: Option<PyReadonlyArray1<'py, f64>>,
    label_name: Option<String>,
    views: Vec<Table<'py>>,
    names: Option<Vec<String>>,
    own_kernel: Option<PyReadonlyArray1<'py, f64>>,
    row_weights: Option<PyReadonlyArray1<'py, f64>>,
    initial_embedding: Option<PyReadonlyArray2<'py, f64>>,
    initial_components: Option<PyReadonlyArray2<'py, f64>>,
    anchors: Option<Anchors<'py>>,
    covariance: Option<PyReadonlyArray2<'py, f64>>,
    function: Option<CompiledFunction>,
    neighbors: Option<Neighbors>,
    score: Option<Score>,
    splits: Vec<(Vec<usize>, Vec<usize>)>,
}

/// Coordinates that rows are pulled towards, and how strongly each is.
type Anchors<'py> = (PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, f64>);

/// A compiled distance between two rows, `double f(const double *a, const double *b, int64_t n)`, called without Python.
#[derive(Clone, Copy)]
struct CompiledFunction(extern "C" fn(*const f64, *const f64, i64) -> f64);

impl CompiledFunction {
    /// The function at an address.
    fn at(address: usize) -> PyResult<Self> {
        if address == 0 {
            return Err(PyValueError::new_err(
                "the compiled function is at address 0: it was not compiled",
            ));
        }
        let pointer = std::ptr::with_exposed_provenance::<()>(address);
        // SAFETY: the caller says that there is a function of this signature, which Python has checked as far as it can: as with every function
        // pointer that is handed over, nothing else can.
        let function = unsafe {
            std::mem::transmute::<*const (), extern "C" fn(*const f64, *const f64, i64) -> f64>(
                pointer,
            )
        };
        Ok(Self(function))
    }

    fn between(self, a: &[f64], b: &[f64]) -> f64 {
        (self.0)(a.as_ptr(), b.as_ptr(), a.len() as i64)
    }
}

/// A Python function that scores columns.
struct Score(Py<PyAny>);

impl Score {
    fn of(&self, columns: &[usize], split: usize) -> charta::Result<f64> {
        let score = Python::attach(|py| {
            self.0
                .call1(py, (columns.to_vec(), split))?
                .extract::<f64>(py)
        });
        score.map_err(|error| charta::Error::Function {
            problem: error.to_string(),
        })
    }
}

impl<'py> Input<'py> {
    /// Reads what Python put together.
    pub(crate) fn of(given: &Bound<'py, PyDict>) -> PyResult<Self> {
        let item = |name: &str| given.get_item(name);
        let required =
            |name: &str| item(name)?.ok_or_else(|| PyValueError::new_err(format!("no {name}")));
        let views = match item("views")? {
            Some(views) => views
                .try_iter()?
                .map(|view| Table::of(&view?))
                .collect::<PyResult<_>>()?,
            None => Vec::new(),
        };
        let kind: String = match item("kind")? {
            Some(kind) => kind.extract()?,
            None => "features".into(),
        };
        Ok(Self {
            table: Table::of(&required("table")?)?,
            kind,
            classes: item("classes")?.map(|given| classes(&given)).transpose()?,
            numbers: item("numbers")?.map(|given| given.extract()).transpose()?,
            label_name: item("label_name")?
                .map(|given| given.extract())
                .transpose()?,
            views,
            names: item("names")?.map(|given| given.extract()).transpose()?,
            own_kernel: item("own_kernel")?
                .map(|given| given.extract())
                .transpose()?,
            row_weights: item("row_weights")?
                .map(|given| given.extract())
                .transpose()?,
            initial_embedding: item("initial_embedding")?
                .map(|given| given.extract())
                .transpose()?,
            initial_components: item("initial_components")?
                .map(|given| given.extract())
                .transpose()?,
            anchors: item("anchors")?.map(|given| given.extract()).transpose()?,
            covariance: item("covariance")?
                .map(|given| given.extract())
                .transpose()?,
            function: item("function")?
                .map(|given| CompiledFunction::at(given.extract()?))
                .transpose()?,
            neighbors: item("neighbors")?
                .map(|given| neighbors(&given))
                .transpose()?,
            score: item("score")?.map(|given| Score(given.unbind())),
            splits: match item("splits")? {
                Some(splits) => splits.extract()?,
                None => Vec::new(),
            },
        })
    }

    /// Hands on what the library learns from. The function must let go of Python before long work.
    pub(crate) fn with_data<T>(&self, then: impl FnOnce(Data<'_>) -> PyResult<T>) -> PyResult<T> {
        let failed = |error: charta::Error| exception(&error);
        let asked = self.score.as_ref();
        let score = move |columns: &[usize], split: usize| match asked {
            Some(score) => score.of(columns, split),
            None => Ok(0.0),
        };
        let function = self.function;
        let compiled =
            move |a: &[f64], b: &[f64]| function.map_or(0.0, |function| function.between(a, b));
        let mut data = match self.kind.as_str() {
            "features" => Data::new(self.table.features()?),
            "distances" => {
                let square = self.table.square()?;
                let missing = square.iter().any(|value| value.is_nan());
                let data = if missing {
                    Data::some_distances(square)
                } else {
                    Data::distances(square)
                };
                data.map_err(failed)?
            }
            "neighbors" => match &self.neighbors {
                Some(table) => Data::from_neighbors(table).map_err(failed)?,
                None => return Err(PyValueError::new_err("no neighbors")),
            },
            "distances_to" => Data::distances_to(self.table.square()?).map_err(failed)?,
            "kernel" => Data::kernel(self.table.square()?).map_err(failed)?,
            "kernel_to" => {
                let data = Data::kernel_to(self.table.square()?).map_err(failed)?;
                match &self.own_kernel {
                    Some(own) => data.with_own_kernel(own.as_array()).map_err(failed)?,
                    None => data,
                }
            }
            other => return Err(PyValueError::new_err(format!("no kind of input `{other}`"))),
        };
        if let Some((names, of_row)) = &self.classes {
            let labels = Labels::Classes {
                names: names.into(),
                of_row: of_row.into(),
            };
            data = data.with_labels(labels).map_err(failed)?;
        } else if let Some(numbers) = &self.numbers {
            let labels = Labels::numbers(numbers.as_array().to_vec());
            data = data.with_labels(labels).map_err(failed)?;
        }
        if let Some(name) = &self.label_name {
            data = data.with_label_name(name.as_str());
        }
        for view in &self.views {
            data = data.with_view(view.features()?).map_err(failed)?;
        }
        if let Some(names) = &self.names {
            data = data.with_column_names(names.as_slice()).map_err(failed)?;
        }
        if let Some(weights) = &self.row_weights {
            data = data.with_row_weights(weights.as_array()).map_err(failed)?;
        }
        if let Some(initial) = &self.initial_embedding {
            data = data
                .with_initial_embedding(initial.as_array())
                .map_err(failed)?;
        }
        if let Some(initial) = &self.initial_components {
            data = data
                .with_initial_components(initial.as_array())
                .map_err(failed)?;
        }
        if let Some((coordinates, weights)) = &self.anchors {
            data = data
                .with_anchors(coordinates.as_array(), weights.as_array())
                .map_err(failed)?;
        }
        if let Some(covariance) = &self.covariance {
            data = data
                .with_covariance(covariance.as_array())
                .map_err(failed)?;
        }
        if self.function.is_some() {
            data = data.with_distance(&compiled);
        }
        if let Some(table) = &self.neighbors
            && self.kind != "neighbors"
        {
            data = data.with_neighbors(table).map_err(failed)?;
        }
        if asked.is_some() {
            data = data.with_score(&score);
        }
        then(data.with_splits(self.splits.clone()).map_err(failed)?)
    }
}

/// Names of classes, and the class of each row: a negative number where it is missing.
fn classes(given: &Bound<'_, PyAny>) -> PyResult<(Vec<String>, Vec<Option<u32>>)> {
    let (names, of_row): (Vec<String>, PyReadonlyArray1<'_, i64>) = given.extract()?;
    let of_row = of_row
        .as_array()
        .iter()
        .map(|&class| u32::try_from(class).ok())
        .collect();
    Ok((names, of_row))
}

/// A table of neighbours found elsewhere: indices and distances.
fn neighbors(given: &Bound<'_, PyAny>) -> PyResult<Neighbors> {
    let (indices, distances): (PyReadonlyArray2<'_, i64>, PyReadonlyArray2<'_, f64>) =
        given.extract()?;
    Neighbors::from_table(&indices.as_array(), &distances.as_array())
        .map_err(|error| exception(&error))
}
