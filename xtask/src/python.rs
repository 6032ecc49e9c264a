//! The Python package: its wheel, built in the profile of the tests so that the library is compiled once, and its tests.

use crate::workspace::Workspace;
use crate::{Outcome, step, venv};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Builds the wheel, installs it into an environment of its own, and runs the tests there.
pub(crate) fn test(workspace: &Workspace) -> Outcome {
    let python = python(workspace)?;
    let wheel = wheel(workspace, &python)?;
    step::status(
        Command::new(&python)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--force-reinstall",
                "--no-deps",
            ])
            .arg(wheel),
    )?;
    let pytest = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command
            .args(["-m", "pytest", "-p", "no:cacheprovider"])
            .args(arguments)
            .env(
                "CHARTA_BINARY",
                workspace.target().join("debug").join(program("charta")),
            )
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .current_dir(workspace.target());
        command
    };
    let own = workspace.root().join("python/tests");
    step::status(pytest(&["--durations=5"]).arg(own))?;
    // The tests of scikit-learn that are installed with it, with our classes in the place of its own.
    step::status(
        pytest(&[
            "-p",
            "in_place",
            "--peer",
            "scikit_learn",
            "-q",
            "-W",
            "ignore",
        ])
        .env("PYTHONPATH", workspace.root().join("python/peers")),
    )
}

/// The Python of the environment in which the package is tested.
fn python(workspace: &Workspace) -> Outcome<PathBuf> {
    venv::python(
        workspace,
        "python-venv",
        &workspace.root().join("python/requirements.txt"),
    )
}

fn wheel(workspace: &Workspace, python: &Path) -> Outcome<PathBuf> {
    let folder = workspace.target().join("wheels");
    // Wheels of earlier versions would be found too.
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    step::status(
        Command::new(python)
            .args([
                "-m",
                "maturin",
                "build",
                "--locked",
                "--profile",
                "dev",
                "--out",
            ])
            .arg(&folder)
            .arg("--interpreter")
            .arg(python)
            .env("CARGO_TARGET_DIR", workspace.target())
            .current_dir(workspace.root()),
    )?;
    let built = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    built
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|ending| ending == "whl"))
        .ok_or_else(|| format!("no wheel in {}", folder.display()))
}

fn program(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}
