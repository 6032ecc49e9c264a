//! `cargo xtask test`: everything a change must pass, in one command.

use crate::Outcome;
use crate::python;
use crate::step::{self, Step};
use crate::tidy;
use crate::workspace::Workspace;
use std::cell::Cell;
use std::process::Command;

/// Runs all steps; the first failure ends the run.
pub(crate) fn run(workspace: &Workspace) -> Outcome {
    let skipped = Cell::new(0);
    step::run_all(steps(workspace, &skipped))?;
    println!("{}", summary(skipped.get()));
    Ok(())
}

/// How many tests did not run, reported at the end.
fn summary(skipped: usize) -> String {
    match skipped {
        0 => "0 tests skipped".into(),
        1 => "1 test skipped: data not present".into(),
        count => format!("{count} tests skipped: data not present"),
    }
}

/// The steps in their order: cheap ones first. A step for another language or a browser is one more entry here.
fn steps<'a>(workspace: &'a Workspace, skipped: &'a Cell<usize>) -> Vec<Step<'a>> {
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(workspace.root());
        command
    };
    let mut documentation = cargo(&["doc", "--workspace", "--no-deps", "--locked"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    // Without `--all-targets`: that flag would leave out the doc tests.
    let mut tests = cargo(&["test", "--workspace", "--locked"]);
    // The tests that are ignored are those that need data which the project does not carry.
    if workspace.shared_data().is_some() {
        tests.args(["--", "--include-ignored"]);
    }
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
        Step::call("tests", move || {
            println!("{}", step::shown(&tests));
            skipped.set(step::count_lines(&mut tests, is_ignored)?);
            Ok(())
        }),
        Step::program("documentation", documentation),
        Step::call("Python package", || python::test(workspace)),
    ]
}

/// Whether a line of the test runner names a test that it left out.
fn is_ignored(line: &str) -> bool {
    line.starts_with("test ") && line.contains(" ... ignored")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_left_out_are_told_from_others() {
        assert!(is_ignored(
            "test golden::lda::held_out ... ignored, needs data outside the project: optdigits.npz"
        ));
        assert!(!is_ignored("test golden::lda::iris ... ok"));
        assert!(!is_ignored(
            "test result: ok. 3 passed; 0 failed; 1 ignored"
        ));
        assert_eq!(summary(0), "0 tests skipped");
        assert_eq!(summary(12), "12 tests skipped: data not present");
    }
}
