//! Calls of the binary in a folder of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use charta::method::Input;
use charta::methods::METHODS;
use charta::registry::Entry;
use serde_json::Value as Json;
use tempfile::TempDir;

/// The binary in a folder that vanishes.
pub(crate) struct Folder {
    folder: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn put(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The names in the folder, hidden ones too.
    pub(crate) fn names(&self) -> Vec<String> {
        names(self.folder.path())
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_charta"));
        command
            .args(words)
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    /// Calls, whatever comes of it.
    pub(crate) fn call(&self, words: &[&str]) -> Answer {
        Answer::from(self.command(words).output().unwrap())
    }

    /// Calls, and expects it to go well.
    pub(crate) fn done(&self, words: &[&str]) -> Answer {
        let answer = self.call(words);
        assert_eq!(answer.code, 0, "{words:?}: {}", answer.errors);
        answer
    }

    /// Calls, and expects this exit code; gives what was said about it.
    pub(crate) fn fails(&self, code: i32, words: &[&str]) -> String {
        let answer = self.call(words);
        assert_eq!(answer.code, code, "{words:?}: {}", answer.errors);
        assert!(!answer.errors.contains("panicked"), "{}", answer.errors);
        answer.errors
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// What a call gave.
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) text: String,
    pub(crate) errors: String,
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            text: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Answer {
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.text).unwrap()
    }
}

/// The commands of all methods.
pub(crate) fn method_names() -> Vec<String> {
    METHODS
        .iter()
        .map(|entry| entry.info.name.replace('_', "-"))
        .collect()
}

/// The words that divide the columns of a data set into two views, for methods that need views.
pub(crate) fn views(entry: &Entry, data_set: &str) -> Vec<&'static str> {
    if !entry.info.takes(Input::Views) {
        return Vec::new();
    }
    match data_set {
        "iris" => vec!["--view", "0,1", "--view", "2,3"],
        "wine" => vec!["--view", "0-5", "--view", "6-12"],
        "digits" => vec!["--view", "0-31", "--view", "32-63"],
        "swiss-roll" => vec!["--view", "0", "--view", "1,2"],
        _ => panic!("no views are known of {data_set}"),
    }
}

/// The numbers of a table with a header, as far as cells are numbers.
pub(crate) fn numbers(text: &str) -> Vec<Vec<f64>> {
    text.lines()
        .skip(1)
        .map(|line| {
            line.split(',')
                .filter_map(|cell| cell.parse().ok())
                .collect()
        })
        .collect()
}

/// The largest number of a table, without its sign.
pub(crate) fn largest(text: &str) -> f64 {
    let all = numbers(text).concat();
    all.iter()
        .fold(0.0, |largest, value| value.abs().max(largest))
}

/// The largest difference between two tables of one shape.
pub(crate) fn difference(one: &str, other: &str) -> f64 {
    let (one, other) = (numbers(one), numbers(other));
    assert_eq!(one.len(), other.len());
    let mut largest = 0.0_f64;
    for (a, b) in one.iter().zip(&other) {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b) {
            largest = largest.max((a - b).abs());
        }
    }
    largest
}
