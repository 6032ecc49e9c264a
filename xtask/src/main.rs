//! Development tasks, in Rust so that they run wherever the project builds: `cargo xtask <task>`.
#![allow(clippy::print_stdout, reason = "tasks report to a terminal")]

mod bench;
mod golden;
mod python;
mod step;
mod test;
mod tidy;
mod venv;
mod workspace;

use std::process::ExitCode;
use workspace::Workspace;

/// The result of a task: nothing, or a sentence that says what stopped it.
type Outcome<T = ()> = Result<T, String>;

const USAGE: &str = "\
Usage: cargo xtask <task>

  test                formatting, lints, tidy, all tests, documentation, the Python package; stops at the first failure
  python              the Python package alone: its wheel and its tests
  tidy                checks of the project's own rules: layers, file names, unfinished work
  golden [topic…]     recomputes the reference numbers in crates/charta-tests/golden with pinned versions of other packages
  bench <topic>       compares speed and quality with other packages, for instance `bench pca`; results go to bench/results
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Outcome {
    let workspace = Workspace::find();
    let (task, rest) = arguments.split_first().ok_or(USAGE)?;
    match task.as_str() {
        "test" => test::run(&workspace),
        "python" => python::test(&workspace),
        "tidy" => tidy::run(&workspace),
        "golden" => golden::run(&workspace, rest),
        "bench" => bench::run(&workspace, rest),
        "help" | "-h" | "--help" => {
            print!("{USAGE}");
            Ok(())
        }
        unknown => Err(format!("there is no task `{unknown}`\n\n{USAGE}")),
    }
}
