//! `cargo xtask golden`: makes the reference numbers of the golden tests anew.
//!
//! Every `xtask/golden/<topic>.py` is run in an environment of pinned peers with the output folder as its argument; a new topic is a
//! new file there and nothing else. Topics that need the optional shared data report when it is absent.

use crate::workspace::Workspace;
use crate::{Outcome, step, venv};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use std::{fs, io};

const OUTPUT: &str = "crates/charta-tests/golden";

/// Runs the scripts of the topics named, or of all.
pub(crate) fn run(workspace: &Workspace, topics: &[String]) -> Outcome {
    let folder = workspace.root().join("xtask/golden");
    let scripts = chosen(
        scripts(&folder).map_err(|error| format!("{}: {error}", folder.display()))?,
        topics,
    )?;
    let python = venv::python(workspace, "golden-venv", &folder.join("requirements.txt"))?;
    let shared = workspace.shared_data();
    if shared.is_none() {
        println!(
            "no ../shared/data beside the workspace: golden files that need it stay as they are"
        );
    }
    for script in scripts {
        let start = Instant::now();
        println!("==> {}", topic(&script));
        step::status(&mut command(
            &python,
            &script,
            &workspace.root().join(OUTPUT),
            shared.as_deref(),
        ))?;
        println!("    {:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}

fn command(python: &Path, script: &Path, output: &Path, shared: Option<&Path>) -> Command {
    let mut command = Command::new(python);
    command
        .arg(script)
        .arg(output)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    if let Some(shared) = shared {
        command.arg("--shared-data").arg(shared);
    }
    command
}

/// All scripts of the folder in the order of their names.
fn scripts(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    let mut scripts: Vec<PathBuf> = entries
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "py"))
        .collect();
    scripts.sort();
    Ok(scripts)
}

fn chosen(scripts: Vec<PathBuf>, topics: &[String]) -> Outcome<Vec<PathBuf>> {
    let known: Vec<String> = scripts.iter().map(|script| topic(script)).collect();
    if let Some(unknown) = topics.iter().find(|wanted| !known.contains(wanted)) {
        return Err(format!(
            "there is no golden topic `{unknown}`; there are {}",
            known.join(", ")
        ));
    }
    Ok(scripts
        .into_iter()
        .filter(|script| topics.is_empty() || topics.contains(&topic(script)))
        .collect())
}

fn topic(script: &Path) -> String {
    script
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_all_or_those_named() {
        let scripts = vec![
            PathBuf::from("golden/lda.py"),
            PathBuf::from("golden/pca.py"),
        ];
        assert_eq!(chosen(scripts.clone(), &[]), Ok(scripts.clone()));
        assert_eq!(
            chosen(scripts.clone(), &["pca".into()]),
            Ok(vec![scripts[1].clone()])
        );
        assert_eq!(
            chosen(scripts, &["umap".into()]),
            Err("there is no golden topic `umap`; there are lda, pca".into())
        );
    }

    #[test]
    fn this_project_has_scripts() {
        let found = scripts(&Workspace::find().root().join("xtask/golden")).unwrap();
        assert!(found.iter().any(|script| topic(script) == "pca"));
        assert!(
            found.iter().all(|script| script.is_file()),
            "support code is no topic"
        );
    }
}
