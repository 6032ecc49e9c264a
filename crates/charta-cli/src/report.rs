//! The end of a run: a JSON report, or a summary for people.

use charta::model::{Diagnostics, Figure};
use serde_json::{Map, Value as Json, json};

use crate::failure::Outcome;
use crate::output::{Detail, Outputs};
use crate::result::Finished;
use crate::session::Session;
use crate::{console, summary};

/// Vectors with more numbers than this are left out of a brief report.
const LONGEST_VECTOR: usize = 1000;
/// Tables with more numbers than this are left out of a brief report.
const LARGEST_TABLE: usize = 20;

/// Reports a fit in the requested form.
pub(crate) fn show_fit(finished: &Finished, outputs: &Outputs, session: &Session) -> Outcome {
    match outputs.json {
        Some(detail) => console::print_json(&fit_json(finished, outputs, session, detail)),
        None if session.quiet || outputs.to_standard_output() => Ok(()),
        None => console::print(&summary::fit(finished, outputs, session)),
    }
}

/// Ends a run: reports what was made of it, and fails for what was not.
pub(crate) fn conclude(
    finished: Finished,
    wanted: &Outputs,
    session: &Session,
    show: impl FnOnce(&Finished, &Outputs, &Session) -> Outcome,
) -> Outcome {
    session.progress.finish();
    show(&finished, &finished.written(wanted), session)?;
    finished.check(session)
}

/// Reports new rows that a model transformed.
pub(crate) fn show_transformed(
    finished: &Finished,
    outputs: &Outputs,
    session: &Session,
) -> Outcome {
    match outputs.json {
        Some(_) => console::print_json(&run_json(finished, outputs, session)),
        None if session.quiet || outputs.to_standard_output() => Ok(()),
        None => console::print(&summary::transformed(finished, outputs, session)),
    }
}

fn fit_json(finished: &Finished, outputs: &Outputs, session: &Session, detail: Detail) -> Json {
    let mut report = run_json(finished, outputs, session);
    report["diagnostics"] = diagnostics(&finished.fitted.diagnostics(), detail);
    if let Some(quality) = &finished.quality {
        report["quality"] = diagnostics(&quality.report.diagnostics(), detail);
    }
    report
}

fn run_json(finished: &Finished, outputs: &Outputs, session: &Session) -> Json {
    let mut report = facts_json(finished, outputs, session);
    if let Some(errors) = finished.errors {
        report["reconstruction_error"] = errors.to_json();
    }
    if let Some(path) = &finished.path {
        report["path"] = path.to_json();
    }
    report
}

fn facts_json(finished: &Finished, outputs: &Outputs, session: &Session) -> Json {
    let progress = &session.progress;
    let stages: Vec<Json> = progress
        .stages()
        .iter()
        .map(|stage| json!({"name": stage.name, "seconds": stage.seconds}))
        .collect();
    let files: Vec<Json> = outputs
        .all()
        .iter()
        .map(|(what, path)| json!({"what": what, "path": path.display().to_string()}))
        .collect();
    json!({
        "charta_version": env!("CARGO_PKG_VERSION"),
        "method": finished.fitted.entry().info.name,
        "parameters": finished.fitted.parameters(),
        "scaling": finished.fitted.scaler().map(|scaler| scaler.kind().to_string()),
        "data": finished.facts.to_json(),
        "coordinates": finished.fitted.component_names(),
        "n_without_coordinates": finished.n_without_coordinates,
        "streaming": finished.streaming,
        "interrupted": progress.ended_early(),
        "warnings": progress.warnings(),
        "notes": progress.notes(),
        "seconds": progress.seconds(),
        "stages": stages,
        "threads": rayon::current_num_threads(),
        "files": files,
    })
}

/// The figures as JSON; a brief report names the large ones it leaves out.
pub(crate) fn diagnostics(figures: &Diagnostics, detail: Detail) -> Json {
    let mut report = Map::new();
    let mut left_out = Vec::new();
    for (name, figure) in figures.iter() {
        let is_large = match figure {
            Figure::Vector(values) => values.len() > LONGEST_VECTOR,
            Figure::Words(words) => words.len() > LONGEST_VECTOR,
            Figure::Matrix(values) => values.len() > LARGEST_TABLE,
            _ => false,
        };
        if detail == Detail::Brief && is_large {
            left_out.push(Json::from(name));
        } else {
            report.insert(name.into(), figure.to_json());
        }
    }
    if !left_out.is_empty() {
        report.insert("left_out".into(), Json::Array(left_out));
    }
    Json::Object(report)
}
