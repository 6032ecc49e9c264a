//! `charta continue`: further optimization steps for the layout of a saved model.

use charta::model::More;
use charta::pipeline::Fitted;
use clap::ArgMatches;

use crate::cli::command_name;
use crate::failure::{Failure, Outcome};
use crate::fit;
use crate::format::counted;
use crate::input::{Input, text};
use crate::output::Outputs;
use crate::picture::Points;
use crate::result::{Facts, Finished};
use crate::session::{Session, whole};
use crate::{model_file, report, views};

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let model_path = text(given, "model").unwrap_or_default();
    let input = Input::new(given)?;
    let outputs = Outputs::new(given)?;
    let more = more(given)?;
    let session = Session::new(given)?;
    let fitted = model_file::read(&model_path)?.fitted;
    if fitted.model().as_continue().is_none() {
        return Err(Failure::Usage(format!(
            "{model_path}: a model of `{}` cannot be continued: it has no layout that further iterations would improve",
            command_name(fitted.entry().info.name)
        )));
    }
    if outputs.is_empty() {
        return Err(Failure::usage(
            "nothing would be kept: add `--save MODEL`, `-o FILE` or `--plot FILE`",
        ));
    }
    outputs.check(&input.files(Some(&model_path)))?;
    let finished = improved(&fitted, &more, &input, &outputs, &session)?;
    report::conclude(finished, &outputs, &session, report::show_fit)
}

fn more(given: &ArgMatches) -> Outcome<More> {
    let iterations = text(given, "iterations").unwrap_or_else(|| "250".into());
    let exaggeration = match text(given, "exaggeration") {
        None => None,
        Some(word) => match word.parse::<f64>() {
            Ok(value) if value.is_finite() && value > 0.0 => Some(value),
            _ => {
                return Err(Failure::Usage(format!(
                    "`--exaggeration` must be a number above 0, got {word:?}"
                )));
            }
        },
    };
    Ok(More {
        iterations: whole("iterations", &iterations)?,
        exaggeration,
    })
}

fn improved(
    fitted: &Fitted,
    more: &More,
    input: &Input,
    outputs: &Outputs,
    session: &Session,
) -> Outcome<Finished> {
    let table = views::read_like(fitted, input, &session.progress)?;
    let facts = Facts::of(&input.source, &table);
    check_rows(fitted, &facts)?;
    let points = Points::of(&table, input, &fitted.entry().info, outputs, session)?;
    let fitted = fitted
        .continued(&session.run(), more)
        .map_err(|error| Failure::of_data(error, &table))?;
    let mut finished = Finished::new(fitted, facts);
    fit::write(&mut finished, &table, points, outputs, session)?;
    Ok(finished)
}

/// Fails unless the table has as many rows as the model was fitted to.
fn check_rows(fitted: &Fitted, facts: &Facts) -> Outcome {
    let known = fitted.model().embedding().map(|map| map.nrows());
    match known {
        Some(known) if known != facts.n_rows => Err(Failure::Run(format!(
            "{}: the model was fitted to {}, and this has {}: give the data of the fit, whose names and labels go beside \
             the coordinates",
            facts.name,
            counted(known, "row"),
            counted(facts.n_rows, "row")
        ))),
        _ => Ok(()),
    }
}
