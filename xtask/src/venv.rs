//! Python environments under the build folder, made from a file of pinned requirements and made anew when that file changes.

use crate::Outcome;
use crate::step;
use crate::workspace::Workspace;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python of the environment `name`, which holds exactly what `requirements` pins.
pub(crate) fn python(workspace: &Workspace, name: &str, requirements: &Path) -> Outcome<PathBuf> {
    let folder = workspace.target().join(name);
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let wanted = fs::read_to_string(requirements)
        .map_err(|error| format!("{}: {error}", requirements.display()))?;
    let stamp = folder.join("requirements.installed");
    if !is_current(&python, &stamp, &wanted) {
        install(&folder, &python, requirements)?;
        // The stamp comes last: an installation cut short is made anew.
        fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    }
    Ok(python)
}

fn is_current(python: &Path, stamp: &Path, wanted: &str) -> bool {
    python.exists() && fs::read_to_string(stamp).is_ok_and(|installed| installed == wanted)
}

fn install(folder: &Path, python: &Path, requirements: &Path) -> Outcome {
    println!(
        "making the Python environment {} from {}",
        folder.display(),
        requirements.display()
    );
    step::status(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(folder),
    )?;
    step::status(
        Command::new(python)
            .args(["-m", "pip", "install", "--quiet", "--requirement"])
            .arg(requirements),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_is_current_only_with_the_same_pins() {
        let folder = std::env::temp_dir().join(format!("charta-xtask-venv-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (python, stamp) = (folder.join("python"), folder.join("stamp"));
        assert!(
            !is_current(&python, &stamp, "a==1"),
            "nothing is installed yet"
        );
        fs::write(&stamp, "a==1").unwrap();
        assert!(
            !is_current(&python, &stamp, "a==1"),
            "a stamp without Python does not count"
        );
        fs::write(&python, "").unwrap();
        assert!(is_current(&python, &stamp, "a==1"));
        assert!(
            !is_current(&python, &stamp, "a==2"),
            "a changed pin asks for a new environment"
        );
        fs::remove_dir_all(&folder).unwrap();
    }
}
