//! `charta inverse`: coordinates led back to features by a saved model.

use charta::data::OwnedFeatures;
use charta::pipeline::Fitted;
use charta_io::{Content, Table};
use clap::ArgMatches;
use ndarray::Array2;
use serde_json::json;

use crate::failure::{Failure, Outcome};
use crate::input::{Input, text};
use crate::output::{self, Outputs};
use crate::result::{Facts, feature_names};
use crate::session::Session;
use crate::wording::{counted, in_short};
use crate::{console, model_file, summary};

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let model_path = text(given, "model").unwrap_or_default();
    let input = Input::new(given)?;
    let outputs = Outputs {
        content: "features",
        ..Outputs::new(given)
    };
    outputs.check(&input.files(Some(&model_path)))?;
    let session = Session::new(given)?;
    let fitted = model_file::read(&model_path)?.fitted;
    if fitted.model().as_inverse().is_none() {
        return Err(Failure::Usage(format!(
            "{model_path}: `{}` has no way back to features",
            fitted.entry().info.name
        )));
    }
    let table = read_coordinates(&input, &fitted, &session)?;
    let facts = Facts::of(&input.source, &table);
    let coordinates = coordinates(&table)?;
    session.progress.stage("leading back");
    let features = fitted
        .inverse_transform(&session.run(), &coordinates.view())
        .map_err(|error| Failure::of_data(error, &facts.name))?;
    if let Some(path) = &outputs.table {
        session.progress.stage("writing");
        let names = feature_names(&fitted);
        output::write_table(path, &table, names, features.view())?;
    }
    session.progress.finish();
    show(&fitted, &facts, &outputs, &session)
}

/// Takes the columns that are named as the model's coordinates, where there are any: a table written
/// by this program has names and labels beside them.
fn read_coordinates(input: &Input, fitted: &Fitted, session: &Session) -> Outcome<Table> {
    if input.options.columns.is_empty() && !input.is_standard_input() {
        let mut named = input.clone();
        named.options.columns = fitted.component_names();
        if charta_io::describe(&named.source, &named.options).is_ok() {
            return named.read(&session.progress);
        }
    }
    let table = input.read(&session.progress)?;
    let n_components = fitted.model().n_components();
    if table.n_columns() == n_components || !input.options.columns.is_empty() {
        return Ok(table);
    }
    Err(Failure::Run(format!(
        "{}: the model's {}, {}, were looked for, and {} of numbers found; choose others with `--columns`",
        table.name,
        counted(n_components, "coordinate"),
        in_short(&fitted.component_names()),
        counted(table.n_columns(), "column")
    )))
}

fn coordinates(table: &Table) -> Outcome<Array2<f64>> {
    match &table.content {
        Content::Features(OwnedFeatures::F64(values)) => Ok(values.clone()),
        Content::Features(features) => Ok(features.view().dense_rows(0, table.n_rows())),
        _ => Err(Failure::Usage(format!(
            "{}: coordinates were expected, not distances",
            table.name
        ))),
    }
}

fn show(fitted: &Fitted, facts: &Facts, outputs: &Outputs, session: &Session) -> Outcome {
    if outputs.json.is_some() {
        let files: Vec<String> = outputs
            .files()
            .iter()
            .map(|(_, path)| path.display().to_string())
            .collect();
        return console::print_json(&json!({
            "method": fitted.entry().info.name,
            "data": facts.to_json(),
            "n_features": fitted.model().n_columns(),
            "warnings": session.progress.warnings(),
            "seconds": session.progress.seconds(),
            "files": files,
        }));
    }
    if session.quiet || outputs.to_standard_output() {
        return Ok(());
    }
    let mut text = format!(
        "{}\nled back to {} by {}\n{}",
        facts.sentence(),
        counted(fitted.model().n_columns(), "feature"),
        fitted.entry().info.title,
        summary::ending(outputs, session)
    );
    if outputs.is_empty() {
        text.push_str("\nThe features are not kept: write them with `-o FILE`.\n");
    }
    console::print(&text)
}
