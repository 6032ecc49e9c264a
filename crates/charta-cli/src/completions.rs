//! `charta completions`: scripts that complete commands, flags and their words.

use clap::ArgMatches;
use clap_complete::Shell;

use crate::failure::Outcome;
use crate::{cli, console};

/// Prints the completions of a shell.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let Some(&shell) = given.get_one::<Shell>("shell") else {
        return Ok(());
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::root(true), "charta", &mut script);
    console::print(&String::from_utf8_lossy(&script))
}
