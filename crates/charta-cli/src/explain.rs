//! `charta explain`: what a method does, what it optimizes, what it costs and how its parameters are chosen.

use charta::methods::{METHODS, find};
use charta::params::Json;
use charta::registry::Entry;
use clap::ArgMatches;

use crate::failure::{Failure, Outcome};
use crate::format::wrap;
use crate::input::switch;
use crate::{cli, console};

/// Columns of text.
const WIDTH: usize = 100;

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let method = given.get_one::<String>("method");
    let section = given.get_one::<String>("section").map(String::as_str);
    let entries: Vec<&Entry> = match method {
        Some(name) => vec![find(name)?],
        None if switch(given, "table") => METHODS.iter().collect(),
        None => {
            return Err(Failure::usage(
                "a method is needed, or `--table` for the objectives of all: see `charta explain --help`",
            ));
        }
    };
    if switch(given, "json") {
        let explained = |entry: &&Entry| {
            let mut json = entry.explanation().to_json();
            json["name"] = entry.info.name.into();
            json["title"] = entry.info.title.into();
            json
        };
        return console::print_json(&entries.iter().map(explained).collect::<Json>());
    }
    if switch(given, "table") {
        let section = section.unwrap_or("Objective");
        return console::print(&table(&entries, section)?);
    }
    let pages: Result<Vec<String>, Failure> =
        entries.iter().map(|entry| page(entry, section)).collect();
    console::print(&pages?.join("\n\n"))
}

/// The whole explanation of a method, or one section of it.
fn page(entry: &Entry, section: Option<&str>) -> Result<String, Failure> {
    let explanation = entry.explanation();
    if let Some(wanted) = section {
        let text = section_of(entry, wanted)?;
        return Ok(paragraphs(&text, 0) + "\n");
    }
    let mut lines = vec![
        format!("{} ({})", entry.info.title, command(entry)),
        String::new(),
        paragraphs(&explanation.summary, 0),
    ];
    for section in &explanation.sections {
        lines.push(String::new());
        lines.push(section.title.clone());
        lines.push(paragraphs(&section.text, 2));
    }
    lines.push(String::new());
    lines.push(format!(
        "`charta {} --help` lists the parameters.\n",
        command(entry)
    ));
    Ok(lines.join("\n"))
}

/// One section of several methods, one below the other under the titles of their families.
fn table(entries: &[&Entry], section: &str) -> Result<String, Failure> {
    let mut lines = Vec::new();
    let mut family = None;
    for entry in entries {
        if family != Some(entry.info.family) {
            family = Some(entry.info.family);
            lines.push(format!("{}: {section}", entry.info.family.title()));
        }
        lines.push(format!("  {} ({})", entry.info.title, command(entry)));
        lines.push(paragraphs(&section_of(entry, section)?, 4));
        lines.push(String::new());
    }
    Ok(lines.join("\n"))
}

/// A section of a method's explanation by the beginning of its title, in any case.
fn section_of(entry: &Entry, wanted: &str) -> Result<String, Failure> {
    let explanation = entry.explanation();
    let starts = |title: &str| title.to_lowercase().starts_with(&wanted.to_lowercase());
    let found = explanation
        .sections
        .iter()
        .find(|section| starts(&section.title));
    found.map(|section| section.text.clone()).ok_or_else(|| {
        let titles: Vec<&str> = explanation
            .sections
            .iter()
            .map(|s| s.title.as_str())
            .collect();
        Failure::usage(format!(
            "there is no section {wanted:?}; the sections are {}",
            titles.join(", ")
        ))
    })
}

fn command(entry: &Entry) -> String {
    cli::command_name(entry.info.name)
}

/// Paragraphs wrapped and indented; the further lines of a list's item are indented below its text.
fn paragraphs(text: &str, indent: usize) -> String {
    let wrapped = |line: &str| {
        let hanging = match line.split_once(' ') {
            Some((mark, _)) if mark == "-" || (mark.ends_with('.') && mark.len() < 4) => {
                mark.len() + 1
            }
            _ => 0,
        };
        let further = indent + hanging;
        " ".repeat(indent) + &wrap(line, WIDTH - further, further)
    };
    text.lines().map(wrapped).collect::<Vec<_>>().join("\n")
}
