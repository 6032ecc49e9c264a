//! Runs the commands of an item and compares what they print with the slide.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::deck::{Item, Number};
use crate::failure::{Failure, Outcome};
use crate::format;
use crate::signals;

/// How long a wait for a command lasts before it looks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// An item after its commands ran.
pub(super) struct Rebuilt {
    pub(super) item: &'static Item,
    /// Where its files are.
    pub(super) folder: PathBuf,
    /// The first command that failed, and what it said.
    pub(super) failure: Option<String>,
    pub(super) numbers: Vec<Compared>,
    pub(super) seconds: f64,
}

/// A number beside the slide's.
pub(super) struct Compared {
    pub(super) number: &'static Number,
    /// As charta prints it; nothing if it was not found.
    pub(super) found: Option<Json>,
    pub(super) agrees: bool,
}

impl Compared {
    /// The value in a few digits.
    pub(super) fn text(&self) -> String {
        match &self.found {
            None => "not found".into(),
            Some(Json::Number(number)) if number.is_f64() => {
                number.as_f64().map(format::number).unwrap_or_default()
            }
            Some(Json::String(_)) if self.number.from.ends_with(":text") => {
                let says = if self.agrees { "says" } else { "does not say" };
                format!("{says} {}", self.number.expect.text())
            }
            Some(Json::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }
    }
}

impl Rebuilt {
    pub(super) fn to_json(&self) -> Json {
        let mut report = self.item.to_json();
        report["folder"] = json!(self.folder.display().to_string());
        report["seconds"] = json!(self.seconds);
        report["failure"] = json!(self.failure);
        let numbers = self.numbers.iter().map(|compared| {
            let found = match &compared.found {
                Some(Json::String(text)) if text.len() > 200 => Json::Null,
                found => json!(found),
            };
            json!({
                "what": compared.number.what,
                "slide": compared.number.slide,
                "expected": compared.number.expect.text(),
                "found": found,
                "agrees": compared.agrees,
            })
        });
        report["numbers"] = numbers.collect();
        report
    }
}

/// Runs the commands of an item in a folder of its own.
pub(super) fn rebuild(item: &'static Item, folder: PathBuf) -> Outcome<Rebuilt> {
    let began = Instant::now();
    fs::create_dir_all(&folder)
        .map_err(|error| Failure::Run(format!("cannot create {}: {error}", folder.display())))?;
    for (name, content) in item.files {
        charta_io::write_atomically(&folder.join(name), content.as_bytes())?;
    }
    let mut failure = None;
    for (place, command) in item.commands.iter().enumerate() {
        failure = run(&folder, place + 1, command)?;
        if failure.is_some() {
            break;
        }
    }
    let numbers = item.numbers.iter().map(|number| {
        let found = find(&folder, number.from);
        Compared {
            number,
            agrees: found
                .as_ref()
                .is_some_and(|found| number.expect.agrees(found)),
            found,
        }
    });
    Ok(Rebuilt {
        item,
        numbers: numbers.collect(),
        folder,
        failure,
        seconds: began.elapsed().as_secs_f64(),
    })
}

/// The file with what a command printed.
fn printed(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("command-{number}.txt"))
}

/// Runs one command. Gives what it complained of if it failed.
fn run(folder: &Path, number: usize, command: &str) -> Outcome<Option<String>> {
    let mut words = split(command);
    let stored = match words.iter().position(|word| word == ">") {
        Some(place) => words.split_off(place).pop(),
        None => None,
    };
    let cannot = |what: &Path, error: std::io::Error| {
        Failure::Run(format!("cannot write {}: {error}", what.display()))
    };
    let output_path = stored.map_or_else(|| printed(folder, number), |name| folder.join(name));
    let messages_path = folder.join(format!("command-{number}-messages.txt"));
    let output = File::create(&output_path).map_err(|error| cannot(&output_path, error))?;
    let messages = File::create(&messages_path).map_err(|error| cannot(&messages_path, error))?;
    let program = std::env::current_exe()
        .map_err(|error| Failure::Run(format!("cannot find this program: {error}")))?;
    let mut child = Command::new(program)
        .args(&words)
        .current_dir(folder)
        .stdin(std::process::Stdio::null())
        .stdout(output)
        .stderr(messages)
        .spawn()
        .map_err(|error| Failure::Run(format!("cannot start `charta {command}`: {error}")))?;
    let status: ExitStatus = loop {
        if signals::interrupted() {
            // It may have ended by itself: the same signal reaches all programs of a terminal.
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failure::Cancelled);
        }
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => thread::sleep(POLL_INTERVAL),
            Err(error) => {
                let text = format!("cannot wait for `charta {command}`: {error}");
                return Err(Failure::Run(text));
            }
        }
    };
    if status.success() {
        return Ok(None);
    }
    let said = fs::read_to_string(&messages_path).unwrap_or_default();
    Ok(Some(format!("`charta {command}`: {}", said.trim())))
}

/// The words of a command: blanks part them except between quotation marks.
pub(super) fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in command.chars() {
        match quote {
            Some(mark) if letter == mark => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '\'' || letter == '"' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// The value at a place: see [`Number::from`].
fn find(folder: &Path, from: &str) -> Option<Json> {
    let (source, place) = from.split_once(':')?;
    if let Ok(number) = source.parse::<usize>() {
        let text = fs::read_to_string(printed(folder, number)).ok()?;
        if place == "text" {
            return Some(Json::String(text));
        }
        let report: Json = serde_json::from_str(&text).ok()?;
        return report.pointer(place).cloned();
    }
    let text = fs::read_to_string(folder.join(source)).ok()?;
    if source.ends_with(".json") {
        let report: Json = serde_json::from_str(&text).ok()?;
        return report.pointer(place).cloned();
    }
    let (row, column) = place.split_once(':')?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next()?.split(',').collect();
    let column = match column.parse::<usize>() {
        Ok(column) => column,
        Err(_) => header.iter().position(|name| *name == column)?,
    };
    let cell = lines.nth(row.parse().ok()?)?.split(',').nth(column)?;
    Some(match cell.trim().parse::<f64>() {
        Ok(value) => json!(value),
        Err(_) => json!(cell),
    })
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn quotation_marks_keep_blanks() {
        assert_eq!(
            split("linear eigen \"3 5; 2 1\" --title 'a b' -o x.csv"),
            [
                "linear", "eigen", "3 5; 2 1", "--title", "a b", "-o", "x.csv"
            ]
        );
    }
}
