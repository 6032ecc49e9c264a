//! `cargo xtask test`: everything a change must pass, in one command.

use crate::Outcome;
use crate::python;
use crate::step::{self, Step};
use crate::tidy;
use crate::workspace::Workspace;
use std::process::Command;

/// Runs all steps; the first failure ends the run.
pub(crate) fn run(workspace: &Workspace) -> Outcome {
    step::run_all(steps(workspace))
}

/// The steps in their order: cheap ones first. A step for another language or a browser is one more entry here.
fn steps(workspace: &Workspace) -> Vec<Step<'_>> {
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(workspace.root());
        command
    };
    let mut documentation = cargo(&["doc", "--workspace", "--no-deps", "--locked"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    vec![
        Step::program("format", cargo(&["fmt", "--all", "--check"])),
        Step::program(
            "lints",
            cargo(&[
                "clippy",
                "--workspace",
                "--all-targets",
                "--locked",
                "--",
                "-D",
                "warnings",
            ]),
        ),
        Step::call("tidy", || tidy::run(workspace)),
        // Without `--all-targets`: that flag would leave out the doc tests.
        Step::program("tests", cargo(&["test", "--workspace", "--locked"])),
        Step::program("documentation", documentation),
        Step::call("Python package", || python::test(workspace)),
    ]
}
