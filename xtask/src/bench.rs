//! `cargo xtask bench <topic>`: measures charta beside its peers with `bench/<topic>.py`.

use crate::workspace::Workspace;
use crate::{Outcome, step, venv};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A benchmark and the program of charta that it runs.
struct Topic {
    name: &'static str,
    /// Cargo's arguments that build the program.
    build: &'static [&'static str],
    /// Where the program then is, below `release`.
    program: &'static str,
}

/// What times any method of the registry.
const METHOD: &[&str] = &["-p", "charta-bench", "--bin", "bench_method"];

const TOPICS: &[Topic] = &[
    Topic {
        name: "pca",
        build: METHOD,
        program: "bench_method",
    },
    Topic {
        name: "linear",
        build: METHOD,
        program: "bench_method",
    },
    Topic {
        name: "neighbors",
        build: &["-p", "charta-bench", "--bin", "bench_neighbors"],
        program: "bench_neighbors",
    },
    Topic {
        name: "manifold",
        build: METHOD,
        program: "bench_method",
    },
    Topic {
        name: "layouts",
        build: METHOD,
        program: "bench_method",
    },
    Topic {
        name: "kernel",
        build: METHOD,
        program: "bench_method",
    },
    Topic {
        name: "scaling",
        build: METHOD,
        program: "bench_method",
    },
    Topic {
        name: "som",
        build: METHOD,
        program: "bench_method",
    },
    Topic {
        name: "selection",
        build: METHOD,
        program: "bench_method",
    },
    Topic {
        name: "learned",
        build: METHOD,
        program: "bench_method",
    },
    Topic {
        name: "python",
        build: &[
            "-p",
            "charta-bench",
            "--bin",
            "bench_method",
            "-p",
            "charta-python",
            "--lib",
        ],
        program: "bench_method",
    },
    Topic {
        name: "streaming",
        build: &["-p", "charta-cli", "--bin", "charta"],
        program: "charta",
    },
];

/// Builds charta and runs the benchmark that the arguments name.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Outcome {
    let topic = topic(arguments)?;
    let program = build(workspace, topic)?;
    let folder = workspace.root().join("bench");
    let python = venv::python(workspace, "bench-venv", &folder.join("requirements.txt"))?;
    let scratch = workspace.target().join("bench-data");
    fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let mut command = Command::new(python);
    command
        .arg(folder.join(format!("{}.py", topic.name)))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
        .arg("--charta")
        .arg(program)
        .arg("--scratch")
        .arg(scratch)
        .arg("--results")
        .arg(folder.join("results"));
    if let Some(shared) = workspace.shared_data() {
        command.arg("--shared-data").arg(shared);
    }
    step::status(&mut command)
}

fn topic(arguments: &[String]) -> Outcome<&'static Topic> {
    let known = || {
        TOPICS
            .iter()
            .map(|topic| topic.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let [name] = arguments else {
        return Err(format!("name one benchmark: {}", known()));
    };
    let found = TOPICS.iter().find(|topic| topic.name == name);
    found.ok_or_else(|| format!("there is no benchmark `{name}`; there are {}", known()))
}

fn build(workspace: &Workspace, topic: &Topic) -> Outcome<PathBuf> {
    let mut command = Command::new("cargo");
    command
        .args(["build", "--release", "--locked"])
        .args(topic.build)
        .current_dir(workspace.root());
    step::status(&mut command)?;
    let program = workspace.target().join("release").join(topic.program);
    Ok(program.with_extension(std::env::consts::EXE_EXTENSION))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_known_benchmark_must_be_named() {
        assert_eq!(topic(&["pca".into()]).map(|topic| topic.name), Ok("pca"));
        assert_eq!(
            topic(&[]).map(|topic| topic.name),
            Err(
                "name one benchmark: pca, linear, neighbors, manifold, layouts, kernel, scaling, som, selection, learned, python, streaming"
                    .into()
            )
        );
        assert!(topic(&["other".into()]).is_err());
    }

    #[test]
    fn every_benchmark_has_its_script() {
        let folder = Workspace::find().root().join("bench");
        assert!(
            TOPICS
                .iter()
                .all(|topic| folder.join(format!("{}.py", topic.name)).is_file())
        );
    }
}
