//! Checks of what a model file holds: sizes that must agree, indices that must lead somewhere, numbers that must be in their range.
//!
//! Every model has a `validate` made of these, which is called before a loaded model is used. What does not pass names the field.

use std::fmt::Display;

use super::OwnedFeatures;
use crate::error::{Error, Result, message};
use crate::params::{Parameters, Value};

/// An error about a field.
pub(crate) fn unfit(what: &str, expected: impl Display, given: impl Display) -> Error {
    Error::shape(message!("{what}"), expected.to_string(), given.to_string())
}

/// Fails unless a list has as many entries as the rest of the model implies.
pub(crate) fn check_length(what: &str, given: usize, expected: usize) -> Result<()> {
    if given == expected {
        return Ok(());
    }
    Err(unfit(what, expected, given))
}

/// Fails unless a matrix has the shape that the rest of the model implies.
pub(crate) fn check_dim(what: &str, given: (usize, usize), expected: (usize, usize)) -> Result<()> {
    if given == expected {
        return Ok(());
    }
    let text = |(rows, columns): (usize, usize)| format!("{rows} × {columns}");
    Err(unfit(what, text(expected), text(given)))
}

/// Fails if a count is below a limit.
pub(crate) fn check_at_least(what: &str, given: usize, least: usize) -> Result<()> {
    if given >= least {
        return Ok(());
    }
    Err(unfit(what, format_args!("at least {least}"), given))
}

/// Fails if a count is above a limit.
pub(crate) fn check_at_most(what: &str, given: usize, most: usize) -> Result<()> {
    if given <= most {
        return Ok(());
    }
    Err(unfit(what, format_args!("at most {most}"), given))
}

/// Fails if counts do not add up to a number.
pub(crate) fn check_counts(what: &str, counts: &[usize]) -> Result<()> {
    let sum = counts
        .iter()
        .try_fold(0_usize, |sum, &count| sum.checked_add(count));
    match sum {
        Some(_) => Ok(()),
        None => Err(unfit(what, "counts that add up", "others")),
    }
}

/// Fails if an index is not below `end`.
pub(crate) fn check_indices<'a, I: Copy + Display + TryInto<usize> + 'a>(
    what: &str,
    indices: impl IntoIterator<Item = &'a I>,
    end: usize,
) -> Result<()> {
    let inside = |index: &I| (*index).try_into().is_ok_and(|index| index < end);
    match indices.into_iter().find(|index| !inside(index)) {
        None => Ok(()),
        Some(index) => Err(unfit(what, format_args!("numbers below {end}"), index)),
    }
}

/// Fails unless starts of lists rise from 0 to the number of entries.
pub(crate) fn check_starts(what: &str, starts: &[usize], n_entries: usize) -> Result<()> {
    if starts.first() == Some(&0) && starts.last() == Some(&n_entries) && starts.is_sorted() {
        return Ok(());
    }
    Err(unfit(
        what,
        format_args!("numbers that rise from 0 to {n_entries}"),
        "others",
    ))
}

/// Fails if a number is not finite.
pub(crate) fn check_finite<'a>(
    what: &str,
    values: impl IntoIterator<Item = &'a f64>,
) -> Result<()> {
    match values.into_iter().find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(value) => Err(unfit(what, "finite numbers", value)),
    }
}

/// Fails if a number is negative or not finite.
pub(crate) fn check_not_negative<'a>(
    what: &str,
    values: impl IntoIterator<Item = &'a f64>,
) -> Result<()> {
    let fits = |value: &f64| value.is_finite() && *value >= 0.0;
    match values.into_iter().find(|value| !fits(value)) {
        None => Ok(()),
        Some(value) => Err(unfit(what, "finite numbers of at least 0", value)),
    }
}

/// Fails if a number is not above 0 or not finite.
pub(crate) fn check_positive<'a>(
    what: &str,
    values: impl IntoIterator<Item = &'a f64>,
) -> Result<()> {
    let fits = |value: &f64| value.is_finite() && *value > 0.0;
    match values.into_iter().find(|value| !fits(value)) {
        None => Ok(()),
        Some(value) => Err(unfit(what, "finite numbers above 0", value)),
    }
}

/// Fails unless features have rows and columns, and all their values are finite.
pub(crate) fn check_features(what: &str, features: &OwnedFeatures) -> Result<()> {
    let view = features.view();
    check_at_least(what, view.n_rows().min(view.n_columns()), 1)?;
    // Columns of sparse rows are numbered in 32 bits.
    check_at_most(what, view.n_columns(), 1 << 32)?;
    // One after the other: threads are started after a model is read.
    let finite = match features {
        OwnedFeatures::F32(x) => x.iter().all(|value| value.is_finite()),
        OwnedFeatures::F64(x) => x.iter().all(|value| value.is_finite()),
        OwnedFeatures::SparseF32(rows) => rows.parts().2.iter().all(|value| value.is_finite()),
        OwnedFeatures::SparseF64(rows) => rows.parts().2.iter().all(|value| value.is_finite()),
    };
    if finite {
        return Ok(());
    }
    Err(unfit(what, "finite numbers", "one that is not finite"))
}

/// Fails unless a number that a model keeps of its parameters is in the range of that parameter.
pub(crate) fn check_parameter<P: Parameters>(name: &str, value: &impl Value) -> Result<()> {
    P::check_value(name, &value.to_json())
}
