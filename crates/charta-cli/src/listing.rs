//! `charta methods`: the registry as a table or as JSON.

use charta::method::{Capability, Input, LabelUse};
use charta::methods::METHODS;
use charta::params::Json;
use charta::registry::Entry;
use clap::ArgMatches;

use crate::failure::Outcome;
use crate::format::{Side, table};
use crate::input::switch;
use crate::{cli, console};

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    if switch(given, "json") {
        let entries: Vec<Json> = METHODS.iter().map(Entry::to_json).collect();
        return console::print_json(&Json::Array(entries));
    }
    console::print(&in_words())
}

fn in_words() -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut family = None;
    for entry in METHODS {
        if family != Some(entry.info.family) {
            if family.is_some() {
                rows.push(Vec::new());
            }
            family = Some(entry.info.family);
            rows.push(vec![entry.info.family.title().to_string()]);
        }
        let name = cli::flag(entry.info.name)
            .trim_start_matches('-')
            .to_string();
        rows.push(vec![
            format!("  {name}"),
            abilities(entry),
            entry.info.summary.to_string(),
        ]);
    }
    let sides = [Side::Left; 3];
    format!(
        "{}\n\
         l uses labels             L needs labels (--label)   T needs labels or a second view\n\
         V needs several views     N takes no negative values\n\
         s takes sparse rows       d takes distances          b can be fitted in batches\n\
         i has an inverse transform\n\
         `charta METHOD --help` lists the parameters\n",
        table(0, &sides, &rows)
    )
}

fn abilities(entry: &Entry) -> String {
    let info = &entry.info;
    let labels = match info.labels {
        LabelUse::Ignored => '·',
        LabelUse::Optional => 'l',
        LabelUse::Required => 'L',
        LabelUse::Target => 'T',
    };
    let mark = |has: bool, letter: char| if has { letter } else { '·' };
    [
        labels,
        mark(info.takes(Input::Views), 'V'),
        mark(info.takes(Input::Nonnegative), 'N'),
        mark(info.takes(Input::Sparse), 's'),
        mark(info.takes(Input::Distances), 'd'),
        mark(info.offers(Capability::Streams), 'b'),
        mark(info.offers(Capability::Inverse), 'i'),
    ]
    .iter()
    .collect()
}
