//! One view of the rows predicted from another.

use charta::data::OwnedFeatures;
use charta::model::{Prediction, Views};
use charta::pipeline::Fitted;
use charta::{Data, Run};
use charta_io::{Content, Table};

use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::progress::Progress;
use crate::views::{among_all, name_like, of_all, range};

/// Two views of a model, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Pair {
    /// Fails if the model has no such views.
    pub(crate) fn check(self, n_views: usize) -> Outcome {
        for (flag, view) in [("--from", self.from), ("--to", self.to)] {
            if view >= n_views {
                return Err(Failure::Usage(format!(
                    "`{flag}` must be a view of the model, from 1 to {n_views}, got {}",
                    view + 1
                )));
            }
        }
        Ok(())
    }
}

/// Reads new rows, of which only the view to predict from need be there.
pub(crate) fn read(
    fitted: &Fitted,
    pair: Pair,
    input: &Input,
    progress: &Progress,
) -> Outcome<Table> {
    let names = view_names(fitted, pair.from);
    input.read_with(progress, |tables| {
        for table in tables {
            name_like(table, &names);
        }
    })
}

/// Predicts the view, in the units of the features.
pub(crate) fn predict(
    fitted: &Fitted,
    pair: Pair,
    run: &Run<'_>,
    table: &Table,
) -> Outcome<Prediction> {
    let views = views(fitted)?;
    let widths = views.widths();
    let from = scaled(
        fitted,
        widths,
        pair.from,
        columns(fitted, pair.from, table)?,
    )?;
    let data = Data::from(&from);
    let found = run
        .install(|| views.predict_view_in(run, pair.from, pair.to, &data))
        .map_err(|error| Failure::of_data(error, &table.name))?;
    let values = match fitted.scaler() {
        Some(scaler) if scaler.n_columns() == widths.iter().sum::<usize>() => of_all(
            &scaler.undo(among_all(&found, widths, pair.to)),
            widths,
            pair.to,
        ),
        _ => found,
    };
    Ok(Prediction::Numbers {
        names: view_names(fitted, pair.to),
        values,
    })
}

fn views(fitted: &Fitted) -> Outcome<&dyn Views> {
    let views = fitted.model().as_views();
    views.ok_or_else(|| Failure::usage("this model has no views"))
}

/// Names of the columns of a view; numbers where the model has none.
fn view_names(fitted: &Fitted, view: usize) -> Vec<String> {
    let Some(widths) = fitted.model().as_views().map(Views::widths) else {
        return Vec::new();
    };
    let range = range(widths, view);
    match fitted
        .column_names()
        .and_then(|names| names.get(range.clone()))
    {
        Some(names) => names.to_vec(),
        None => (0..range.len()).map(|place| format!("x{place}")).collect(),
    }
}

/// The columns of the view: by name if both sides have names, else by position, of this view alone or of all.
fn columns(fitted: &Fitted, view: usize, table: &Table) -> Outcome<OwnedFeatures> {
    let Content::Features(features) = &table.content else {
        return Err(Failure::Usage(format!(
            "{}: features were expected, not distances",
            table.name
        )));
    };
    let widths = views(fitted)?.widths();
    let place = range(widths, view);
    let places: Vec<usize> = match (fitted.column_names(), &table.column_names) {
        (Some(_), Some(theirs)) => {
            let place_of = |name: &String| {
                theirs
                    .iter()
                    .position(|other| other == name)
                    .ok_or_else(|| {
                        Failure::Run(format!(
                            "{}: there is no column {name:?}, which view {} needs",
                            table.name,
                            view + 1
                        ))
                    })
            };
            view_names(fitted, view)
                .iter()
                .map(place_of)
                .collect::<Outcome<_>>()?
        }
        _ if table.n_columns() == widths.iter().sum::<usize>() => place.collect(),
        _ if table.n_columns() == place.len() => (0..place.len()).collect(),
        _ => {
            return Err(Failure::Run(format!(
                "{}: {} columns, where view {} has {}",
                table.name,
                table.n_columns(),
                view + 1,
                place.len()
            )));
        }
    };
    Ok(features.view().select_columns(&places)?)
}

/// The view scaled as the model's rows were. Only a row's length needs the other views.
fn scaled(
    fitted: &Fitted,
    widths: &[usize],
    view: usize,
    features: OwnedFeatures,
) -> Outcome<OwnedFeatures> {
    let Some(scaler) = fitted.scaler() else {
        return Ok(features);
    };
    if scaler.kind() == charta::data::Scaling::UnitNorm {
        return Err(Failure::Usage(format!(
            "the model was fitted with `--scale {}`, which needs all views of a row: one alone cannot be scaled so",
            scaler.kind()
        )));
    }
    if scaler.n_columns() != widths.iter().sum::<usize>() {
        return Ok(match view {
            0 => scaler.scaled(&features.view())?,
            _ => features,
        });
    }
    let own = features.view();
    let all = among_all(&own.dense_rows(0, own.n_rows()), widths, view);
    let scaled = scaler.scaled(&charta::Features::F64(all.view()))?;
    match scaled {
        OwnedFeatures::F64(all) => Ok(of_all(&all, widths, view).into()),
        other => Ok(other),
    }
}
