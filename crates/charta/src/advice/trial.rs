//! Trials: candidate methods fitted to the sample, and the trustworthiness of their maps.

use ndarray::{Array2, s};
use serde::Serialize;

use crate::data::Data;
use crate::error::{Error, Result};
use crate::quality;
use crate::registry::AnyMethod;
use crate::run::Run;

/// Neighbours that a trial compares.
pub(super) const COMPARED: usize = 15;

/// How well a method's map of the sample keeps neighbourhoods.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// The method.
    pub method: &'static str,
    /// Trustworthiness of the first two coordinates.
    pub trustworthiness: f64,
}

/// The trial of each candidate; one that cannot be fitted has none.
pub(super) fn of_all(
    run: &Run<'_>,
    data: &Data<'_>,
    candidates: &[Box<dyn AnyMethod>],
) -> Result<Vec<Trial>> {
    let mut trials = Vec::new();
    for method in candidates {
        if let Some(trustworthiness) = possible(trustworthiness(run, data, method.as_ref()))? {
            trials.push(Trial {
                method: method.info().name,
                trustworthiness,
            });
        }
    }
    Ok(trials)
}

fn trustworthiness(run: &Run<'_>, data: &Data<'_>, method: &dyn AnyMethod) -> Result<f64> {
    let map = coordinates(run, data, method)?;
    let plane = map.slice(s![.., ..map.ncols().min(2)]);
    quality::trustworthiness(run, data, &plane, n_compared(data.n_rows()))
}

/// Neighbours compared among so many rows.
pub(super) fn n_compared(n_rows: usize) -> usize {
    COMPARED.min(n_rows.saturating_sub(1) / 2).max(1)
}

/// The coordinates that a method gives the rows it is fitted to.
pub(super) fn coordinates(
    run: &Run<'_>,
    data: &Data<'_>,
    method: &dyn AnyMethod,
) -> Result<Array2<f64>> {
    let model = method.fit(run, data)?;
    match model.embedding() {
        Some(embedding) => Ok(embedding.to_owned()),
        None => model.transform_in(run, data),
    }
}

/// The result of a step that some data does not allow. A cancelled run ends.
pub(super) fn possible<T>(outcome: Result<T>) -> Result<Option<T>> {
    match outcome {
        Ok(found) => Ok(Some(found)),
        Err(Error::Cancelled) => Err(Error::Cancelled),
        Err(_) => Ok(None),
    }
}
