//! Arrow arrays to numbers and words.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use charta::data::Precision;

use crate::columns::ColumnKind;

/// Runs `$body` with `$ty` as the array type of a plain number type; `$otherwise` for the others.
macro_rules! for_numbers {
    ($data_type:expr, $ty:ident => $body:expr, _ => $otherwise:expr) => {{
        macro_rules! with {
            ($primitive:ty) => {{
                type $ty = $primitive;
                $body
            }};
        }
        match $data_type {
            DataType::Int8 => with!(Int8Type),
            DataType::Int16 => with!(Int16Type),
            DataType::Int32 => with!(Int32Type),
            DataType::Int64 => with!(Int64Type),
            DataType::UInt8 => with!(UInt8Type),
            DataType::UInt16 => with!(UInt16Type),
            DataType::UInt32 => with!(UInt32Type),
            DataType::UInt64 => with!(UInt64Type),
            DataType::Float32 => with!(Float32Type),
            DataType::Float64 => with!(Float64Type),
            _ => $otherwise,
        }
    }};
}

/// What a column of this type holds. Lists of unknown length are `Vector(0)` until a row is seen.
pub(super) fn kind_of(data_type: &DataType) -> ColumnKind {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => ColumnKind::Text,
        DataType::Dictionary(_, values) if kind_of(values) == ColumnKind::Text => ColumnKind::Text,
        DataType::FixedSizeList(item, width) if is_number(item.data_type()) => {
            ColumnKind::Vector(usize::try_from(*width).unwrap_or(0))
        }
        DataType::List(item) | DataType::LargeList(item) if is_number(item.data_type()) => {
            ColumnKind::Vector(0)
        }
        number if is_number(number) => ColumnKind::Number,
        DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 => {
            ColumnKind::Other("dates".into())
        }
        DataType::Null => ColumnKind::Other("nothing".into()),
        other => {
            let name = other.to_string();
            let name = name.split(['(', '<', ' ']).next().unwrap_or("values");
            ColumnKind::Other(format!("values of type {name}"))
        }
    }
}

fn is_number(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Boolean | DataType::Float16 | DataType::Decimal128(..)
    ) || for_numbers!(data_type, _T => true, _ => false)
}

/// The precision that holds the values of a column of this type.
pub(super) fn precision_of(data_type: &DataType) -> Precision {
    match data_type {
        DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) => {
            precision_of(item.data_type())
        }
        DataType::Boolean
        | DataType::Float16
        | DataType::Float32
        | DataType::Int8
        | DataType::Int16
        | DataType::UInt8
        | DataType::UInt16 => Precision::Single,
        _ => Precision::Double,
    }
}

/// The numbers of an array; NaN where they are null.
pub(super) fn numbers(array: &dyn Array) -> Vec<f64> {
    for_numbers!(array.data_type(),
        T => {
            let values = array.as_primitive::<T>();
            if values.null_count() == 0 {
                values.values().iter().map(|&value| value as f64).collect()
            } else {
                values.iter().map(|value| value.map_or(f64::NAN, |value| value as f64)).collect()
            }
        },
        _ => other_numbers(array)
    )
}

fn other_numbers(array: &dyn Array) -> Vec<f64> {
    match array.data_type() {
        DataType::Boolean => array
            .as_boolean()
            .iter()
            .map(|value| value.map_or(f64::NAN, |value| f64::from(u8::from(value))))
            .collect(),
        DataType::Float16 => array
            .as_primitive::<Float16Type>()
            .iter()
            .map(|value| value.map_or(f64::NAN, f64::from))
            .collect(),
        DataType::Decimal128(_, scale) => {
            let unit = 10f64.powi(-i32::from(*scale));
            let values = array.as_primitive::<Decimal128Type>().iter();
            values
                .map(|value| value.map_or(f64::NAN, |value| value as f64 * unit))
                .collect()
        }
        // Columns of other types are never chosen as numbers.
        _ => vec![f64::NAN; array.len()],
    }
}

/// The rows of a column of lists: the numbers of all rows together, and where those of each row begin
/// and end. A null row has `None`.
pub(super) struct Lists {
    pub(super) values: Vec<f64>,
    pub(super) bounds: Vec<Option<(usize, usize)>>,
}

/// The lists of an array; `None` if it holds no lists.
pub(super) fn lists(array: &dyn Array) -> Option<Lists> {
    let (items, bounds): (ArrayRef, Vec<(usize, usize)>) = match array.data_type() {
        DataType::FixedSizeList(_, width) => {
            let width = usize::try_from(*width).ok()?;
            let list = array.as_fixed_size_list();
            let bounds = (0..list.len()).map(|row| (row * width, (row + 1) * width));
            (list.values().clone(), bounds.collect())
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let offsets = list.value_offsets().windows(2);
            (
                list.values().clone(),
                offsets.map(|o| (o[0] as usize, o[1] as usize)).collect(),
            )
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            let offsets = list.value_offsets().windows(2);
            (
                list.values().clone(),
                offsets.map(|o| (o[0] as usize, o[1] as usize)).collect(),
            )
        }
        _ => return None,
    };
    // Rows cut from a longer column share its numbers: only their own are decoded.
    let first = bounds.first().map_or(0, |bound| bound.0);
    let last = bounds.last().map_or(0, |bound| bound.1);
    let own = |(row, (start, end)): (usize, (usize, usize))| {
        array.is_valid(row).then_some((start - first, end - first))
    };
    Some(Lists {
        values: numbers(items.slice(first, last - first).as_ref()),
        bounds: bounds.into_iter().enumerate().map(own).collect(),
    })
}

/// The cells of an array as words; empty where they are null.
pub(super) fn words(array: &dyn Array) -> Vec<String> {
    let word = |value: Option<&str>| value.unwrap_or_default().to_string();
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(word).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(word).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(word).collect(),
        DataType::Dictionary(..) => match array.as_any_dictionary_opt() {
            Some(dictionary) if !dictionary.values().is_empty() => {
                let values = words(dictionary.values().as_ref());
                let keys = dictionary.normalized_keys().into_iter().enumerate();
                keys.map(|(row, key)| {
                    if array.is_valid(row) {
                        values[key].clone()
                    } else {
                        String::new()
                    }
                })
                .collect()
            }
            _ => vec![String::new(); array.len()],
        },
        // Whole numbers keep all their digits, which doubles might not hold.
        data_type => for_numbers!(data_type,
            T => array
                .as_primitive::<T>()
                .iter()
                .map(|value| value.map_or_else(String::new, |value| value.to_string()))
                .collect(),
            _ => numbers(array)
                .into_iter()
                .map(|value| if value.is_nan() { String::new() } else { value.to_string() })
                .collect()
        ),
    }
}
