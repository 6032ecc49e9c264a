//! `charta lecture`: decks of slides on dimensionality reduction, listed or rebuilt as pages.

mod deck;
mod deck1;
mod deck2;
mod deck3;
mod deck4;
mod deck5;
mod page;
mod rebuild;

use std::fs;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde_json::{Value as Json, json};

use crate::console;
use crate::failure::{Failure, Outcome};
use crate::format::{Side, counted, seconds, table, wrap};
use crate::input::{switch, text};
use crate::progress::Progress;
use deck::{DECKS, Deck};
use rebuild::{Compared, Rebuilt, rebuild};

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let as_json = switch(given, "json");
    let item = item_number(given)?;
    let Some(wanted) = text(given, "lecture") else {
        let output = text(given, "output");
        if output.is_some() || item.is_some() {
            return Err(Failure::usage(
                "which lecture? `charta lecture` lists them; `all` means all of them",
            ));
        }
        return list(as_json);
    };
    let decks = chosen(&wanted)?;
    match text(given, "output") {
        None => describe(&decks, item, as_json),
        Some(folder) => rebuild_all(&decks, item, &PathBuf::from(folder), given),
    }
}

fn chosen(wanted: &str) -> Outcome<Vec<&'static Deck>> {
    if wanted == "all" {
        return Ok(DECKS.to_vec());
    }
    let number = wanted.parse::<usize>().ok();
    match DECKS.iter().find(|deck| Some(deck.number) == number) {
        Some(deck) => Ok(vec![deck]),
        None => Err(Failure::usage(format!(
            "there is no lecture `{wanted}`: they are numbered from 1 to {}; `all` means all of them",
            DECKS.len()
        ))),
    }
}

fn item_number(given: &ArgMatches) -> Outcome<Option<usize>> {
    let Some(wanted) = text(given, "item") else {
        return Ok(None);
    };
    match wanted.parse::<usize>() {
        Ok(number) if number > 0 => Ok(Some(number)),
        _ => Err(Failure::usage(format!(
            "`--item` must be a number from 1 on, got `{wanted}`"
        ))),
    }
}

/// The items of a deck that are requested, with their numbers.
fn items(deck: &'static Deck, item: Option<usize>) -> Outcome<Vec<(usize, &'static deck::Item)>> {
    let all = (1..).zip(deck.items);
    match item {
        None => Ok(all.collect()),
        Some(number) if number <= deck.items.len() => {
            Ok(all.filter(|(place, _)| *place == number).collect())
        }
        Some(number) => Err(Failure::usage(format!(
            "lecture {} has {}, got `--item {number}`",
            deck.number,
            counted(deck.items.len(), "item")
        ))),
    }
}

fn list(as_json: bool) -> Outcome {
    if as_json {
        let decks = DECKS.iter().map(|deck| {
            json!({
                "lecture": deck.number,
                "title": deck.title,
                "author": deck.author,
                "n_items": deck.items.len(),
            })
        });
        return console::print_json(&decks.collect());
    }
    let rows: Vec<Vec<String>> = DECKS
        .iter()
        .map(|deck| {
            vec![
                deck.number.to_string(),
                deck.title.into(),
                deck.author.into(),
                counted(deck.items.len(), "item"),
            ]
        })
        .collect();
    let sides = [Side::Right, Side::Left, Side::Left, Side::Right];
    console::print(&format!(
        "{}\n`charta lecture 1` lists the items of one, `charta lecture 1 -o FOLDER` rebuilds its figures and numbers as a page.\n",
        table(0, &sides, &rows)
    ))
}

fn describe(decks: &[&'static Deck], item: Option<usize>, as_json: bool) -> Outcome {
    let mut page = String::new();
    let mut reports = Vec::new();
    for deck in decks {
        page.push_str(&format!(
            "{}. {} ({})\n",
            deck.number, deck.title, deck.author
        ));
        let mut listed = Vec::new();
        for (number, item) in items(deck, item)? {
            page.push_str(&format!("\n{number:>4}  {}\n", item.title));
            if !item.text.is_empty() {
                page.push_str(&format!("      {}\n", wrap(item.text, 100, 6)));
            }
            for command in item.commands {
                page.push_str(&format!("        charta {command}\n"));
            }
            listed.push(item.to_json());
        }
        page.push('\n');
        reports.push(report(deck, listed));
    }
    if as_json {
        return console::print_json(&Json::Array(reports));
    }
    page.push_str("`-o FOLDER` runs the commands and writes a page with the figures and the numbers beside the slides'.\n");
    console::print(&page)
}

fn report(deck: &Deck, items: Vec<Json>) -> Json {
    json!({
        "lecture": deck.number,
        "title": deck.title,
        "author": deck.author,
        "items": items,
    })
}

fn rebuild_all(
    decks: &[&'static Deck],
    item: Option<usize>,
    folder: &Path,
    given: &ArgMatches,
) -> Outcome {
    let (as_json, quiet) = (switch(given, "json"), switch(given, "quiet"));
    fs::create_dir_all(folder)
        .map_err(|error| Failure::Run(format!("cannot create {}: {error}", folder.display())))?;
    let progress = Progress::new(quiet || as_json);
    let mut reports = Vec::new();
    let mut failures = Vec::new();
    for deck in decks {
        progress.stage(&format!("lecture {}", deck.number));
        let wanted = items(deck, item)?;
        let total = wanted.len() as u64;
        let mut rebuilt = Vec::new();
        for (number, item) in wanted {
            progress.advance(rebuilt.len() as u64, total);
            let place = folder.join(format!("lecture-{}/{number:02}", deck.number));
            rebuilt.push(rebuild(item, place)?);
        }
        let path = folder.join(format!("lecture-{}.html", deck.number));
        charta_io::write_atomically(&path, page::page(deck, &rebuilt)?.as_bytes())?;
        let mut report = report(deck, rebuilt.iter().map(Rebuilt::to_json).collect());
        report["page"] = json!(path.display().to_string());
        reports.push(report);
        if !as_json && !quiet {
            progress.finish();
            console::print(&summary(deck, &rebuilt, &path))?;
        }
        failures.extend(rebuilt.iter().filter_map(|item| item.failure.clone()));
    }
    progress.finish();
    if as_json {
        console::print_json(&Json::Array(reports))?;
    }
    match failures.first() {
        None => Ok(()),
        Some(first) => Err(Failure::Run(format!(
            "{} failed; the first is {first}",
            counted(failures.len(), "command")
        ))),
    }
}

fn summary(deck: &Deck, items: &[Rebuilt], path: &Path) -> String {
    let numbers: Vec<&Compared> = items.iter().flat_map(|item| &item.numbers).collect();
    let agreeing = numbers.iter().filter(|number| number.agrees).count();
    let figures = items.iter().map(|item| item.item.figures.len()).sum();
    let took = items.iter().map(|item| item.seconds).sum();
    let mut text = format!(
        "{}: {}, {}, {agreeing} of {} agree, {} → {}\n",
        deck.title,
        counted(items.len(), "item"),
        counted(figures, "figure"),
        counted(numbers.len(), "number"),
        seconds(took),
        path.display()
    );
    for item in items {
        for compared in item.numbers.iter().filter(|number| !number.agrees) {
            text.push_str(&format!(
                "  ✗ {}: {}: slide {}, charta {}\n",
                item.item.title,
                compared.number.what,
                compared.number.slide,
                compared.text()
            ));
        }
    }
    text
}

impl Rebuilt {
    /// Whether all commands ran and all numbers agree.
    fn is_whole(&self) -> bool {
        self.failure.is_none() && self.numbers.iter().all(|number| number.agrees)
    }
}
