//! `charta sample`: rows drawn from the distribution that a saved model assumes.

use std::path::{Path, PathBuf};

use charta::method::Capability;
use clap::ArgMatches;
use serde_json::json;

use crate::error_wording::Typed;
use crate::failure::{Failure, Outcome};
use crate::format::counted;
use crate::input::text;
use crate::output::{check_table, detail};
use crate::result::feature_names;
use crate::session::{Session, seed, whole};
use crate::{cli, console, model_file, summary};

/// Rows drawn unless another number is given.
const ROWS: usize = 1000;

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let source = text(given, "model").unwrap_or_default();
    let n_rows = match text(given, "rows") {
        Some(word) => whole("rows", &word)?,
        None => ROWS,
    };
    let seed = seed(given)?;
    let output = text(given, "output").map_or_else(|| PathBuf::from("-"), PathBuf::from);
    let to_standard_output = output == Path::new("-");
    check_table(&output, &[source.as_str()])?;
    if detail(given).is_some() && to_standard_output {
        return Err(Failure::usage(
            "`--json` and the rows both use standard output: write the rows to a file with `-o`",
        ));
    }
    let session = Session::new(given)?;
    let fitted = model_file::read(&source)?.fitted;
    let entry = fitted.entry();
    if !entry.info.offers(Capability::Samples) {
        return Err(Failure::Usage(format!(
            "{source}: `{}` assumes no distribution from which rows could be drawn; {} do",
            cli::command_name(entry.info.name),
            those_that_do().join(" and ")
        )));
    }
    session.progress.stage("drawing rows");
    let rows = fitted
        .sample(&session.run(), n_rows, seed)
        .map_err(|error| Failure::of_data(error, &source).typed(Vec::<Typed>::new()))?;
    let names = feature_names(&fitted);
    crate::signals::check()?;
    charta_io::write(
        &output,
        &charta_io::Output {
            names: names.clone(),
            values: rows.view(),
            single: false,
            row_names: None,
            id_title: None,
            predicted: None,
            labels: None,
        },
    )?;
    session.progress.finish();
    if detail(given).is_some() {
        return console::print_json(&json!({
            "model": source,
            "method": entry.info.name,
            "n_rows": n_rows,
            "n_columns": names.len(),
            "seed": seed,
            "warnings": session.progress.warnings(),
            "seconds": session.progress.seconds(),
            "files": [output.display().to_string()],
        }));
    }
    if session.quiet || to_standard_output {
        return Ok(());
    }
    let files = std::iter::once(("rows", output.as_path()));
    console::print(&format!(
        "{} drawn from the distribution of {}\n{}",
        counted(n_rows, "row"),
        entry.info.title,
        summary::wrote(files)
    ))
}

/// The commands of the methods that assume a distribution.
fn those_that_do() -> Vec<String> {
    let entries = charta::methods::METHODS.iter();
    entries
        .filter(|entry| entry.info.offers(Capability::Samples))
        .map(|entry| format!("`{}`", cli::command_name(entry.info.name)))
        .collect()
}
