//! charta's chores, in Rust so that they run wherever the project builds: `cargo xtask <chore>`.
#![allow(
    clippy::print_stdout,
    reason = "a chore's job is to tell a person at a terminal what it does"
)]

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

/// What a chore gives back: nothing, or a sentence that says what stopped it.
type Outcome<T = ()> = Result<T, String>;

const USAGE: &str = "\
Usage: cargo xtask <chore>

  test                formatting, lints, tidy, all tests, documentation, the Python package; stops at the first failure
  python              the Python package alone: its wheel and its tests
  tidy                the project's own rules, such as `layers point down`
  golden [topic…]     makes the reference numbers in crates/charta-tests/golden anew from pinned peers
  bench <topic>       measures charta beside its peers, say pca; results are kept in bench/results
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
    let (chore, rest) = arguments.split_first().ok_or(USAGE)?;
    match chore.as_str() {
        "test" => test::run(&workspace),
        "python" => python::test(&workspace),
        "tidy" => tidy::run(&workspace),
        "golden" => golden::run(&workspace, rest),
        "bench" => bench::run(&workspace, rest),
        "help" | "-h" | "--help" => {
            print!("{USAGE}");
            Ok(())
        }
        unknown => Err(format!("there is no chore `{unknown}`\n\n{USAGE}")),
    }
}
