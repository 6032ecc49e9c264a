//! `charta advise`: which methods suit the data, why, and the commands to run.

use charta::advice::{self, Advice, Facts, LabelFacts, Recommendation, SourceKind};
use charta::data::Scaling;
use charta::error::Message;
use charta::method::Capability;
use charta::params::{Json, show};
use clap::ArgMatches;

use crate::error_wording::{Origin, Words};
use crate::failure::{Failure, Outcome};
use crate::fit::scaling_name;
use crate::format::{Side, count, counted, number, percent, seconds, table, wrap};
use crate::input::{Input, data_of, switch, texts};
use crate::output::detail;
use crate::session::Session;
use crate::{cli, console, result};

/// Width of the lines of text.
const WIDTH: usize = 100;
/// Options of the input that a recommended command repeats.
const REPEATED: [&str; 11] = [
    "label",
    "label-kind",
    "id",
    "columns",
    "view",
    "array",
    "delimiter",
    "missing-words",
    "image-size",
    "precision",
    "edges",
];
/// Switches that it repeats.
const REPEATED_SWITCHES: [&str; 5] = ["header", "no-header", "color", "distances", "kernel-matrix"];

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let input = Input::new(given)?;
    let session = Session::new(given)?;
    let read = input.read(&session.progress)?;
    let facts = result::Facts::of(&input.source, &read);
    let options = advice::Options {
        images: read.image.is_some(),
    };
    let advice = advice::advise(&session.run(), &data_of(&read)?, &options)
        .map_err(|error| Failure::of_data(error, Origin::from(&read)))?;
    session.progress.finish();
    let commands: Vec<String> = advice
        .recommendations
        .iter()
        .map(|advised| command(given, &input, advised, options.images))
        .collect();
    match detail(given) {
        Some(_) => console::print_json(&to_json(&advice, &commands, &facts, &session)),
        None if session.quiet => Ok(()),
        None => console::print(&in_words(&advice, &commands, &facts, &session)),
    }
}

/// The command that follows a recommendation.
fn command(given: &ArgMatches, input: &Input, advised: &Recommendation, images: bool) -> String {
    let info = advised.method.info();
    let mut words = vec!["charta".to_owned(), cli::command_name(info.name)];
    words.extend(input.sources.iter().map(|source| quoted(source)));
    for name in REPEATED {
        for value in texts(given, name) {
            words.extend([format!("--{name}"), quoted(&value)]);
        }
    }
    for name in REPEATED_SWITCHES {
        if switch(given, name) {
            words.push(format!("--{name}"));
        }
    }
    if advised.scaling != Scaling::None {
        words.extend(["--scale".into(), scaling_name(advised.scaling)]);
    }
    for (name, value) in advised.parameters() {
        words.push(cli::flag(&name));
        if value != Json::Bool(true) {
            words.push(quoted(&show(&value)));
        }
    }
    let name = cli::command_name(info.name);
    let shows_axes = images && info.offers(Capability::Axes);
    let picture = if shows_axes {
        "--components-plot"
    } else {
        "--plot"
    };
    words.extend([picture.to_owned(), format!("{name}.png")]);
    words.join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:,=+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn rendered(message: &Message) -> String {
    Words::plain(|words| message.render(words))
}

fn to_json(advice: &Advice, commands: &[String], facts: &result::Facts, session: &Session) -> Json {
    let mut json = Words::plain(|words| advice.to_json(words));
    for (place, command) in commands.iter().enumerate() {
        json["recommendations"][place]["command"] = command.clone().into();
    }
    json["data"] = facts.to_json();
    json["warnings"] = session.progress.warnings().into();
    json["seconds"] = session.progress.seconds().into();
    json
}

fn in_words(
    advice: &Advice,
    commands: &[String],
    facts: &result::Facts,
    session: &Session,
) -> String {
    let mut text = format!("{}\n\n{}", facts.sentence(), found(&advice.facts));
    if advice.recommendations.is_empty() {
        text.push_str("\nNo method is recommended.\n");
    }
    for (place, (advised, command)) in advice.recommendations.iter().zip(commands).enumerate() {
        let info = advised.method.info();
        text.push_str(&format!(
            "\n{}. {}, for {}\n",
            place + 1,
            info.title,
            advised.purpose.title()
        ));
        for reason in &advised.reasons {
            text.push_str(&item(&rendered(&reason.message())));
        }
        text.push_str(&format!("   {command}\n"));
    }
    if !advice.cautions.is_empty() {
        text.push_str("\nLook out\n");
    }
    for caution in &advice.cautions {
        text.push_str(&item(&rendered(&caution.message())));
    }
    text.push_str(&format!(
        "\n`--quality` measures the map of each command, `charta compare` draws several side by side.\n{}\n",
        seconds(session.progress.seconds())
    ));
    text
}

fn item(sentence: &str) -> String {
    format!("   - {}\n", wrap(sentence, WIDTH - 5, 5))
}

/// What was found, as a table.
fn found(facts: &Facts) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |what: &str, value: String| rows.push(vec![what.into(), value]);
    if facts.source != SourceKind::Features {
        let kind = match facts.source {
            SourceKind::Distances => "distances between all rows",
            SourceKind::Kernel => "a kernel matrix",
            _ => "neighbours",
        };
        row("input", kind.into());
    }
    if let Some(labels) = facts.labels {
        row("labels", label_text(&labels));
    }
    if let Some(columns) = facts.columns {
        let mut parts = vec![
            if columns.nonnegative {
                "no negative values"
            } else {
                "values of both signs"
            }
            .to_owned(),
        ];
        if columns.zeros >= 0.1 {
            parts.push(format!("{} zeros", percent(columns.zeros)));
        }
        parts.push(format!(
            "standard deviations differ by a factor of {}",
            number(columns.scale_ratio)
        ));
        row("columns", parts.join(", "));
    }
    if let Some(plane) = facts.plane {
        row(
            "principal components",
            format!(
                "two carry {} of the variance; 90 % need {}",
                percent(plane.proportion),
                count(plane.n_components)
            ),
        );
    }
    if let Some(dimension) = facts.intrinsic_dimension {
        row("intrinsic dimension", format!("{dimension:.1}"));
    }
    if let Some(graph) = facts.graph {
        row(
            "neighbour graph",
            format!(
                "{} for {} neighbours",
                match graph.n_components {
                    1 => "connected".to_owned(),
                    n => format!("{n} parts"),
                },
                graph.n_neighbors
            ),
        );
    }
    if !facts.trials.is_empty() {
        let trials = facts.trials.iter().map(|trial| {
            let name = cli::command_name(trial.method);
            format!("{name} {:.3}", trial.trustworthiness)
        });
        row("trustworthiness", trials.collect::<Vec<_>>().join(", "));
    }
    if facts.n_sampled > 0 && facts.n_sampled < facts.n_rows {
        row("measured on", counted(facts.n_sampled, "row"));
    }
    table(0, &[Side::Left, Side::Left], &rows)
}

fn label_text(labels: &LabelFacts) -> String {
    match labels {
        LabelFacts::Classes { n_classes, .. } => format!("{} classes", count(*n_classes)),
        LabelFacts::Numbers { .. } => "numbers".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("iris.csv"), "iris.csv");
        assert_eq!(quoted("my file.csv"), "'my file.csv'");
        assert_eq!(quoted("a'b"), r"'a'\''b'");
        assert_eq!(quoted("gene_*"), "'gene_*'");
    }
}
