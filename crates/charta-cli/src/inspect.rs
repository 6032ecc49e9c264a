//! `charta inspect`: what a saved model is and reports.

use charta::error::bytes;
use charta::params::show;
use charta::pipeline::Fitted;
use clap::ArgMatches;
use serde_json::{Value as Json, json};

use crate::failure::Outcome;
use crate::fit::scaling_name;
use crate::format::{Side, count, in_short, table, wrap};
use crate::input::text;
use crate::model_file::{self, Saved};
use crate::output::{Detail, detail};
use crate::{console, report, summary};

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let path = text(given, "model").unwrap_or_default();
    let saved = model_file::read(&path)?;
    match detail(given) {
        Some(detail) => console::print_json(&to_json(&path, &saved, detail)),
        None => console::print(&in_words(&path, &saved)),
    }
}

fn to_json(path: &str, saved: &Saved, detail: Detail) -> Json {
    let fitted = &saved.fitted;
    json!({
        "path": path,
        "bytes": saved.n_bytes,
        "method": fitted.entry().info.name,
        "title": fitted.entry().info.title,
        "charta_version": saved.header["charta_version"],
        "parameters": fitted.parameters(),
        "scaling": saved.header["scaler"],
        "n_columns": fitted.model().n_columns(),
        "column_names": fitted.column_names(),
        "n_components": fitted.model().n_components(),
        "coordinates": fitted.component_names(),
        "inverse": fitted.model().as_inverse().is_some(),
        "predicts": fitted.model().as_predict().is_some(),
        "views": fitted.model().as_views().map(|views| views.widths().to_vec()),
        "diagnostics": report::diagnostics(&fitted.diagnostics(), detail),
    })
}

fn in_words(path: &str, saved: &Saved) -> String {
    let fitted = &saved.fitted;
    let info = &fitted.entry().info;
    let scaling = fitted
        .scaler()
        .map_or("none".to_string(), |scaler| scaling_name(scaler.kind()));
    let back = if fitted.model().as_inverse().is_some() {
        "yes"
    } else {
        "no"
    };
    let version = saved.header["charta_version"].as_str().unwrap_or("unknown");
    let line = |title: &str, value: String| vec![title.to_string(), wrap(&value, 60, 19)];
    let rows = [
        line("model", format!("{path} ({})", bytes(saved.n_bytes as u64))),
        line("method", format!("{}, `{}`", info.title, info.name)),
        line("version", version.into()),
        line("parameters", parameters(fitted)),
        line("scaling", scaling),
        line("columns", columns(saved)),
        line("coordinates", in_short(&fitted.component_names())),
        line("inverse transform", back.into()),
        line("predicts", predicts(fitted)),
    ];
    let figures = fitted.diagnostics();
    format!(
        "{}\n{}{}",
        table(0, &[Side::Left, Side::Left], &rows),
        summary::components(fitted, &figures),
        summary::scalars(fitted, &figures, None)
    )
}

/// What `charta predict` can make of new rows.
fn predicts(fitted: &Fitted) -> String {
    let model = fitted.model();
    let labels = model.as_predict().map(|_| "labels".to_string());
    let views = model.as_views().map(|views| {
        let widths: Vec<String> = views.widths().iter().map(ToString::to_string).collect();
        format!("one view from another, of {} columns", widths.join(" + "))
    });
    let all: Vec<String> = labels.into_iter().chain(views).collect();
    if all.is_empty() {
        "nothing".into()
    } else {
        all.join(", or ")
    }
}

/// The parameters in the order of the method's own list.
fn parameters(fitted: &Fitted) -> String {
    let values = fitted.parameters();
    let specs = fitted.entry().specs();
    let pairs: Vec<String> = specs
        .iter()
        .filter_map(|spec| Some(format!("{}={}", spec.name, show(values.get(spec.name)?))))
        .collect();
    if pairs.is_empty() {
        "none".into()
    } else {
        pairs.join(" ")
    }
}

fn columns(saved: &Saved) -> String {
    let number = count(saved.fitted.model().n_columns());
    match saved.fitted.column_names() {
        Some(names) => format!("{number}: {}", in_short(names)),
        None => format!("{number}, without names"),
    }
}
