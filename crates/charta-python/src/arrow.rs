//! Tables that speak Arrow's interface for C, from whatever library they come.

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType};
use ndarray::Array2;
use num_traits::AsPrimitive;
use numpy::IntoPyArray;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// The name that Arrow gives to capsules of streams.
const STREAM: &std::ffi::CStr = c"arrow_array_stream";

/// The names and the numbers of a table: (names, rows). Missing values become NaN.
#[pyfunction]
pub(crate) fn arrow_table<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
) -> PyResult<(Vec<String>, Bound<'py, PyAny>)> {
    let capsule = source.call_method0("__arrow_c_stream__")?;
    let capsule = capsule
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("`__arrow_c_stream__` gave no capsule"))?;
    let stream = capsule
        .pointer_checked(Some(STREAM))?
        .cast::<FFI_ArrowArrayStream>();
    // SAFETY: the capsule's name says that it points to a stream, which the reader takes over and leaves empty behind.
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr()) }.map_err(failed)?;
    let schema = reader.schema();
    let names = schema
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    let single = schema
        .fields()
        .iter()
        .all(|field| field.data_type() == &DataType::Float32);
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().map_err(failed)?;
    let rows = if single {
        filled::<f32>(&batches, schema.fields().len())?
            .into_pyarray(py)
            .into_any()
    } else {
        filled::<f64>(&batches, schema.fields().len())?
            .into_pyarray(py)
            .into_any()
    };
    Ok((names, rows))
}

fn failed(error: ArrowError) -> PyErr {
    PyValueError::new_err(format!("the Arrow table cannot be read: {error}"))
}

/// A number that rows are made of.
trait Number: Copy + 'static {
    const MISSING: Self;
}

impl Number for f32 {
    const MISSING: Self = f32::NAN;
}

impl Number for f64 {
    const MISSING: Self = f64::NAN;
}

fn filled<T: Number>(batches: &[RecordBatch], n_columns: usize) -> PyResult<Array2<T>>
where
    f32: AsPrimitive<T>,
    f64: AsPrimitive<T>,
    i8: AsPrimitive<T>,
    i16: AsPrimitive<T>,
    i32: AsPrimitive<T>,
    i64: AsPrimitive<T>,
    u8: AsPrimitive<T>,
    u16: AsPrimitive<T>,
    u32: AsPrimitive<T>,
    u64: AsPrimitive<T>,
{
    let n_rows = batches.iter().map(RecordBatch::num_rows).sum();
    let mut rows = Array2::from_elem((n_rows, n_columns), T::MISSING);
    let mut first = 0;
    for batch in batches {
        for (place, column) in batch.columns().iter().enumerate() {
            let mut put = |row: usize, value: T| rows[[first + row, place]] = value;
            match column.data_type() {
                DataType::Float64 => each::<Float64Type, T>(column, &mut put),
                DataType::Float32 => each::<Float32Type, T>(column, &mut put),
                DataType::Int8 => each::<Int8Type, T>(column, &mut put),
                DataType::Int16 => each::<Int16Type, T>(column, &mut put),
                DataType::Int32 => each::<Int32Type, T>(column, &mut put),
                DataType::Int64 => each::<Int64Type, T>(column, &mut put),
                DataType::UInt8 => each::<UInt8Type, T>(column, &mut put),
                DataType::UInt16 => each::<UInt16Type, T>(column, &mut put),
                DataType::UInt32 => each::<UInt32Type, T>(column, &mut put),
                DataType::UInt64 => each::<UInt64Type, T>(column, &mut put),
                DataType::Float16 => {
                    let values = column.as_primitive::<Float16Type>();
                    for (row, value) in values.iter().enumerate() {
                        put(row, value.map_or(T::MISSING, |value| value.to_f32().as_()));
                    }
                }
                DataType::Boolean => {
                    for (row, value) in column.as_boolean().iter().enumerate() {
                        put(row, value.map_or(T::MISSING, |value| u8::from(value).as_()));
                    }
                }
                other => {
                    let schema = batch.schema();
                    let name = schema.field(place).name();
                    return Err(PyValueError::new_err(format!(
                        "could not convert column {place} ({name:?}) to numbers: it holds {other}"
                    )));
                }
            }
        }
        first += batch.num_rows();
    }
    Ok(rows)
}

fn each<A: ArrowPrimitiveType, T: Number>(column: &dyn Array, put: &mut impl FnMut(usize, T))
where
    A::Native: AsPrimitive<T>,
{
    for (row, value) in column.as_primitive::<A>().iter().enumerate() {
        put(row, value.map_or(T::MISSING, AsPrimitive::as_));
    }
}
