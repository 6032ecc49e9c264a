//! The tracked text files that the rules look at, and the problems that they report.

use super::mask;
use crate::Outcome;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

/// One text file, with its path from the workspace's root, written with slashes.
pub(crate) struct File {
    /// Path from the workspace's root.
    pub(crate) path: String,
    /// All of it.
    pub(crate) text: String,
}

impl File {
    /// The same text with comments and the insides of literals blanked: what the compiler reads. Lines keep their numbers.
    pub(crate) fn code(&self) -> String {
        mask::code(&self.text)
    }

    /// The same as [`File::code`] with the test sections blanked too.
    pub(crate) fn code_outside_tests(&self) -> String {
        if self.is_test() {
            String::new()
        } else {
            mask::without_tests(&self.code())
        }
    }

    /// Whether it is Rust source.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether the whole file is tests.
    pub(crate) fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }

    /// Where in the file something is, and what is wrong with it.
    pub(crate) fn problem(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem {
            path: self.path.clone(),
            line,
            message: message.into(),
        }
    }
}

/// The files of the workspace.
pub(crate) struct Tree {
    files: Vec<File>,
}

impl Tree {
    /// All text files that git tracks or would track.
    pub(crate) fn tracked(root: &Path) -> Outcome<Self> {
        let mut command = Command::new("git");
        command
            .args(["ls-files", "-co", "--exclude-standard", "-z"])
            .current_dir(root);
        let output = command
            .output()
            .map_err(|error| format!("git did not start: {error}"))?;
        if !output.status.success() {
            return Err(format!(
                "git ls-files failed: {}",
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        let listed = String::from_utf8_lossy(&output.stdout);
        let mut paths: Vec<&str> = listed.split('\0').filter(|path| !path.is_empty()).collect();
        paths.sort_unstable();
        paths.dedup();
        // A file that is listed but gone was deleted and not yet committed; one that is not UTF-8 is no text.
        let read = |path: &str| {
            let text = String::from_utf8(fs::read(root.join(path)).ok()?).ok()?;
            Some(File {
                path: path.to_owned(),
                text,
            })
        };
        Ok(Self {
            files: paths.into_iter().filter_map(read).collect(),
        })
    }

    /// A made-up workspace for tests.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let file = |&(path, text): &(&str, &str)| File {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        Self {
            files: files.iter().map(file).collect(),
        }
    }

    /// All files.
    pub(crate) fn files(&self) -> &[File] {
        &self.files
    }

    /// The Rust files of the folder.
    pub(crate) fn rust_in<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a File> {
        self.files
            .iter()
            .filter(move |file| file.is_rust() && file.path.starts_with(folder))
    }

    /// The file at that path.
    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }
}

/// A broken rule: where, and what to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    path: String,
    line: usize,
    message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Problems as text, for tests.
#[cfg(test)]
pub(crate) fn shown(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(Problem::to_string).collect()
}
