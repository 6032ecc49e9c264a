//! From the words of a call to the command that carries it out.

mod complaint;
mod help;
pub(crate) mod linear;
mod method;
mod options;
mod tools;

use std::ffi::OsString;

use charta::methods::METHODS;
use clap::error::ErrorKind;
use clap::{ArgMatches, Command};

pub(crate) use help::example_method;
use method::typed;
pub(crate) use method::{command_name, flag, parameters, take_coordinates};

use complaint::Complaint;

use crate::failure::{Failure, Outcome};
use crate::{
    advise, compare, completions, continued, data_sets, dimension, explain, fit, inspect, inverse,
    lecture, linear as linear_tools, listing, predict, quality, redraw, sample, scree, transform,
};

/// Carries out a call.
pub(crate) fn call(words: impl IntoIterator<Item = OsString>) -> Outcome {
    let words: Vec<OsString> = words.into_iter().collect();
    let matches = match root(false).try_get_matches_from(&words) {
        Ok(matches) => matches,
        Err(error) => return answer(&error, &words),
    };
    match matches.subcommand() {
        Some((tools::ADVISE, given)) => advise::run(given),
        Some((tools::COMPARE, given)) => compare::run(given),
        Some((tools::TRANSFORM, given)) => transform::run(given),
        Some((tools::PREDICT, given)) => predict::run(given),
        Some((tools::INVERSE, given)) => inverse::run(given),
        Some((tools::DENOISE, given)) => inverse::denoise(given),
        Some((tools::SAMPLE, given)) => sample::run(given),
        Some((tools::CONTINUE, given)) => continued::run(given),
        Some((tools::INSPECT, given)) => inspect::run(given),
        Some((tools::METHODS, given)) => listing::run(given),
        Some((tools::EXPLAIN, given)) => explain::run(given),
        Some((tools::LECTURE, given)) => lecture::run(given),
        Some((tools::DATA, given)) => data_sets::run(given),
        Some((tools::SCREE, given)) => scree::run(given),
        Some((tools::DIMENSION, given)) => dimension::run(given),
        Some((tools::QUALITY, given)) => quality::run(given),
        Some((tools::LINEAR, given)) => linear_tools::run(given),
        Some((tools::PLOT, given)) => redraw::run(given),
        Some((tools::COMPLETIONS, given)) => completions::run(given),
        Some((name, given)) => run_method(name, given),
        None => Err(Failure::usage(
            "a method or a tool is needed: see `charta --help`",
        )),
    }
}

fn run_method(name: &str, given: &ArgMatches) -> Outcome {
    let entry = charta::methods::find(name)?;
    fit::run(entry, given).map_err(|failure| failure.typed(typed(entry, given)))
}

/// The whole command line. With `values`, flags know the words they take, for completions; else the
/// library checks all values.
pub(crate) fn root(values: bool) -> Command {
    let methods = METHODS.iter().map(|entry| method::command(entry, values));
    Command::new("charta")
        .version(env!("CARGO_PKG_VERSION"))
        .about(format!(
            "Dimensionality reduction: PCA, UMAP, t-SNE and {} more",
            METHODS.len() - 3
        ))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .infer_subcommands(false)
        .max_term_width(110)
        .subcommands(methods)
        .subcommands(tools::commands())
        .help_template(help::template())
}

/// Shows help and version. A wrong call fails.
fn answer(error: &clap::Error, words: &[OsString]) -> Outcome {
    let shown = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Err(Failure::Shown),
        _ => {
            let complaint = Complaint::new(error, root(false), words);
            return Err(Failure::Usage(complaint.line()));
        }
    };
    // A closed stream is no reason to fail.
    let _ = error.print();
    shown
}

#[cfg(test)]
mod tests {
    /// Finds flags of a method that clash with those that all methods share, among other things.
    #[test]
    fn every_command_is_well_formed() {
        super::root(false).debug_assert();
        super::root(true).debug_assert();
    }
}
