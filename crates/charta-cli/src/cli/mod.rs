//! From the words of a call to the command that carries it out.

mod help;
mod method;
mod options;
mod tools;

use std::ffi::OsString;
use std::path::Path;

use charta::methods::METHODS;
use charta::params::nearest;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};

pub(crate) use method::{flag, in_flags, parameters};

use crate::failure::{Failure, Outcome};
use crate::{completions, data_sets, fit, inspect, inverse, listing, scree, transform};

/// Carries out a call.
pub(crate) fn call(words: impl IntoIterator<Item = OsString>) -> Outcome {
    let matches = match root(false).try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => return answer(error),
    };
    match matches.subcommand() {
        Some((tools::TRANSFORM, given)) => transform::run(given),
        Some((tools::INVERSE, given)) => inverse::run(given),
        Some((tools::INSPECT, given)) => inspect::run(given),
        Some((tools::METHODS, given)) => listing::run(given),
        Some((tools::DATA, given)) => data_sets::run(given),
        Some((tools::SCREE, given)) => scree::run(given),
        Some((tools::COMPLETIONS, given)) => completions::run(given),
        Some((name, given)) => run_method(name, given),
        None => Err(Failure::usage(
            "a method or a tool is needed: see `charta --help`",
        )),
    }
}

fn run_method(name: &str, given: &ArgMatches) -> Outcome {
    let entry = charta::methods::find(name)?;
    fit::run(entry, given).map_err(|failure| failure.map(|text| in_flags(&text, &entry.specs())))
}

/// The whole command line. With `values`, flags know the words they take, for completions; else the
/// library judges all values.
pub(crate) fn root(values: bool) -> Command {
    let methods = METHODS.iter().map(|entry| method::command(entry, values));
    Command::new("charta")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Many numbers per row turned into a few: see, compress and trust your data")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .infer_subcommands(false)
        .max_term_width(110)
        .subcommands(methods)
        .subcommands(tools::commands())
        .help_template(help::template())
}

/// Shows what clap has to say. A wrong call fails; help and version do not.
fn answer(error: clap::Error) -> Outcome {
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
    {
        return Err(Failure::Usage(no_such_command(word)));
    }
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(()),
        _ => Err(Failure::Shown),
    }
}

fn no_such_command(word: &str) -> String {
    let is_data_set = charta_io::data_sets().iter().any(|set| set.name == word);
    if is_data_set || Path::new(word).exists() {
        let example = help::example_method();
        return format!("`{word}` is data, and the method comes first: `charta {example} {word}`");
    }
    let root = root(false);
    let names: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
    let meant = match nearest(&word.replace('_', "-"), names.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "`charta --help` lists them".into(),
    };
    format!("there is no method or tool `{word}`; {meant}")
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
