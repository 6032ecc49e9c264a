//! A command for every method of the registry, a flag for every parameter.

use charta::method::{Capability, Input, LabelUse};
use charta::params::{Alternative, Form, Json, Kind, Range, Spec, show};
use charta::registry::Entry;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};

use super::options;
use crate::error_wording::Typed;
use crate::views;

const HEADING: &str = "Parameters";
/// Letters of all values side by side up to which they are shown in place of a value: more would leave no room for help.
const MOST_LETTERS: usize = 22;
/// Parameters that many methods have, with a letter each.
const LETTERS: [(&str, char); 2] = [("n_components", 'n'), ("n_neighbors", 'k')];

/// A registry name as it is typed: `incremental-pca`.
pub(crate) fn command_name(name: &str) -> String {
    name.replace('_', "-")
}

/// A parameter's flag: `--n-components`.
pub(crate) fn flag(name: &str) -> String {
    format!("--{}", command_name(name))
}

/// Names within clap: parameters must not be mistaken for the options that all methods share.
fn id(spec: &Spec) -> String {
    format!("parameter {}", spec.name)
}

/// The command of a method.
pub(crate) fn command(entry: &Entry, values: bool) -> Command {
    let info = &entry.info;
    let name = command_name(info.name);
    let mut command = Command::new(name.clone())
        .about(format!("{}. {}", info.title, info.summary))
        .long_about(about(entry))
        .disable_help_flag(true)
        .args(entry.specs().iter().map(|spec| parameter(spec, values)))
        .arg(if views::takes(info) {
            options::data_of_views()
        } else {
            options::data()
        })
        .args(options::input())
        .args(options::output())
        .args(options::fit_output(info))
        .args(options::run())
        .args(options::fit_run(
            (entry.specs().iter()).any(|spec| spec.name == "standardize"),
        ));
    if name != info.name {
        command = command.alias(info.name);
    }
    // A parameter of this name goes before the flag, which its method has no use for then.
    if !entry.specs().iter().any(|spec| spec.name == "steps") {
        command = command.arg(options::steps(info));
    }
    if info.takes(Input::Distances) {
        command = command.arg(options::distances()).arg(options::edges());
    }
    if info.takes(Input::PairWeights) {
        command = command.arg(options::weights());
    }
    if info.takes(Input::Neighbors) {
        command = command.arg(options::neighbors());
    }
    if info.takes(Input::Anchors) {
        command = command.args(options::aligned());
    }
    if info.takes(Input::Kernel) {
        command = command.arg(options::kernel());
    }
    if views::takes(info) {
        command = command.arg(options::view());
    }
    if info.offers(Capability::Streams) {
        command = command.args(options::streaming());
    }
    if info.offers(Capability::Interruptible) {
        command = command.arg(options::keep_partial());
    }
    command
}

fn about(entry: &Entry) -> String {
    let info = &entry.info;
    let mut text = format!("{}.\n{}.", info.title, info.summary.trim_end_matches('.'));
    let mut facts = Vec::new();
    match info.labels {
        LabelUse::Required => facts.push("is supervised and needs labels (`--label`)"),
        LabelUse::Optional => facts.push("uses labels if there are any (`--label`)"),
        LabelUse::Target => {
            facts.push("learns to predict labels (`--label`) or a second view (`--view`)");
        }
        LabelUse::Ignored => {}
    }
    if info.takes(Input::Views) {
        facts.push("analyses several views of the same rows (`--view`, or several files)");
    }
    if info.takes(Input::Nonnegative) {
        facts.push("takes no negative values");
    }
    if info.takes(Input::Sparse) {
        facts.push("takes sparse rows");
    }
    if info.takes(Input::Distances) {
        facts.push(if info.takes(Input::MissingDistances) {
            "takes distances, also if some are missing"
        } else {
            "takes distances"
        });
    }
    if info.takes(Input::Neighbors) {
        facts.push("takes neighbours found elsewhere (`--neighbors`)");
    }
    if info.takes(Input::Anchors) {
        facts.push("keeps rows near their places in earlier maps (`--align-to`)");
    }
    if takes_coordinates(entry) {
        facts.push("starts from coordinates of a file (`--init FILE`)");
    }
    if info.takes(Input::Kernel) {
        facts.push("takes a kernel matrix");
    }
    if info.offers(Capability::Streams) {
        facts.push("can be fitted in batches (`--streaming`)");
    }
    if info.offers(Capability::Inverse) {
        facts.push("has an inverse transform");
    }
    if let Some((last, first)) = facts.split_last() {
        let joint = if first.is_empty() { "" } else { " and " };
        text.push_str(&format!("\n\nIt {}{joint}{last}.", first.join(", ")));
    }
    if !info.reference.is_empty() {
        text.push_str(&format!("\nReference: {}", info.reference));
    }
    text
}

fn parameter(spec: &Spec, values: bool) -> Arg {
    let mut arg = Arg::new(id(spec))
        .long(command_name(spec.name))
        .help_heading(spec.group.unwrap_or(HEADING))
        .value_name(value_name(spec))
        .help(short_help(spec))
        .long_help(long_help(spec))
        .allow_negative_numbers(true);
    if spec.name.contains('_') {
        arg = arg.alias(spec.name);
    }
    if let Some((_, letter)) = LETTERS.iter().find(|(name, _)| *name == spec.name) {
        arg = arg.short(*letter);
    }
    if spec.kind == Kind::Boolean {
        arg = arg
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true");
    }
    match (values, words(&spec.kind)) {
        (true, Some(words)) => arg.value_parser(PossibleValuesParser::new(words)),
        _ => arg,
    }
}

/// The words that a parameter takes, if it takes nothing else.
fn words(kind: &Kind) -> Option<Vec<&'static str>> {
    match kind {
        Kind::Boolean => Some(vec!["true", "false"]),
        Kind::Choice(alternatives) => alternatives
            .iter()
            .map(|alternative| match alternative.form {
                Form::Word(word) => Some(word),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}

/// All values of a parameter, or its name where they are too long.
fn value_name(spec: &Spec) -> String {
    let values = values(&spec.kind);
    if values.chars().count() > MOST_LETTERS {
        command_name(spec.name).to_uppercase()
    } else {
        values
    }
}

/// The values between bars.
fn values(kind: &Kind) -> String {
    match kind {
        Kind::Boolean => "true|false".into(),
        Kind::Text => "TEXT".into(),
        Kind::Whole(_) => "N".into(),
        Kind::Number(_) => "X".into(),
        Kind::Choice(alternatives) => alternatives
            .iter()
            .map(form_name)
            .collect::<Vec<_>>()
            .join("|"),
        Kind::Optional(inner) => format!("{}|none", values(inner)),
        Kind::List(inner) => format!("{},…", values(inner)),
    }
}

fn form_name(alternative: &Alternative) -> String {
    match alternative.form {
        Form::Word(word) => word.into(),
        Form::Whole(_) => "N".into(),
        Form::Number(_) => "X".into(),
        Form::Numbers(_) => "X,…".into(),
    }
}

fn short_help(spec: &Spec) -> String {
    let summary = paragraph(spec.summary());
    let values = values(&spec.kind);
    let listed = if values.chars().count() > MOST_LETTERS {
        format!(" [values: {}]", values.replace('|', ", "))
    } else {
        String::new()
    };
    format!(
        "{}{listed} [default: {}]",
        summary.trim_end_matches('.'),
        show(&spec.default)
    )
}

fn long_help(spec: &Spec) -> String {
    let paragraphs: Vec<String> = spec.doc.split("\n\n").map(paragraph).collect();
    let mut text = paragraphs.join("\n\n");
    if let Some(values) = describe_values(&spec.kind) {
        text.push_str(&values);
    }
    format!("{text}\n\n[default: {}]", show(&spec.default))
}

fn describe_values(kind: &Kind) -> Option<String> {
    match kind {
        Kind::Choice(alternatives) => {
            let lines: Vec<String> = alternatives.iter().map(describe_alternative).collect();
            Some(format!("\n\nValues:\n{}", lines.join("\n")))
        }
        Kind::Optional(inner) if matches!(**inner, Kind::Choice(_)) => describe_values(inner),
        Kind::Boolean | Kind::Text => None,
        Kind::Whole(range) | Kind::Number(range) if *range == Range::default() => None,
        other => Some(format!("\n\nTakes {}.", other.describe())),
    }
}

fn describe_alternative(alternative: &Alternative) -> String {
    let meaning = paragraph(alternative.doc);
    let bounds = match &alternative.form {
        Form::Word(_) => String::new(),
        form => format!(
            " ({})",
            Kind::Choice(vec![Alternative {
                form: form.clone(),
                doc: ""
            }])
            .describe()
        ),
    };
    format!(
        "  - {}: {}{bounds}",
        form_name(alternative),
        meaning.trim_end_matches('.')
    )
}

/// A paragraph of a doc comment on one line, for clap to wrap.
fn paragraph(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The parameters that the call gives, by name.
pub(crate) fn parameters(entry: &Entry, given: &ArgMatches) -> Json {
    let values = entry
        .specs()
        .iter()
        .filter_map(|spec| {
            let text = given.get_one::<String>(&id(spec))?;
            Some((spec.name.to_string(), spec.kind.parse(text)))
        })
        .collect();
    Json::Object(values)
}

/// The parameter whose words name an initialization.
const INITIALIZATION: &str = "init";

/// True if a file of coordinates can take the place of an initialization.
fn takes_coordinates(entry: &Entry) -> bool {
    entry.info.takes(Input::InitialEmbedding)
        && entry.specs().iter().any(|spec| spec.name == INITIALIZATION)
}

/// Takes a file of initial coordinates out of the parameters: what is given in place of an initialization and is none of its words, but the name of a file.
pub(crate) fn take_coordinates(entry: &Entry, parameters: &mut Json) -> Option<String> {
    let specs = entry.specs();
    let spec = specs.iter().find(|spec| spec.name == INITIALIZATION)?;
    let Json::Object(values) = parameters else {
        return None;
    };
    let given = values.get(INITIALIZATION)?.as_str()?;
    let is_word = words(&spec.kind).is_some_and(|words| words.contains(&given));
    // A misspelt word stays one, so that the right ones are named.
    let is_file = given.contains(['.', '/', '\\', ':']) || std::path::Path::new(given).exists();
    if !takes_coordinates(entry) || is_word || !is_file {
        return None;
    }
    let given = given.to_string();
    values.remove(INITIALIZATION);
    Some(given)
}

/// The parameters that the call gives, as the user typed them: -1 and not -1.0.
pub(super) fn typed(entry: &Entry, given: &ArgMatches) -> Vec<Typed> {
    let typed = |spec: &Spec| {
        let text = given.get_one::<String>(&id(spec))?;
        Some(Typed {
            name: spec.name.into(),
            text: text.clone(),
            value: spec.kind.parse(text),
        })
    };
    entry.specs().iter().filter_map(typed).collect()
}

#[cfg(test)]
mod tests {
    use charta::methods::METHODS;

    use super::*;

    #[test]
    fn long_lists_of_values_leave_room_for_the_help() {
        for entry in METHODS {
            for spec in entry.specs() {
                let shown = value_name(&spec).chars().count();
                assert!(shown <= MOST_LETTERS, "{} {}", entry.info.name, spec.name);
            }
        }
    }

    #[test]
    fn every_parameter_can_be_given_by_its_flag_in_both_spellings() {
        for entry in METHODS {
            for spec in entry.specs() {
                for name in [command_name(spec.name), spec.name.to_string()] {
                    let word = format!("--{name}={}", show(&spec.default));
                    let command = command(entry, false);
                    let given = command.get_matches_from(["charta", "data.csv", &word]);
                    let values = parameters(entry, &given);
                    assert_eq!(values[spec.name], spec.default, "{word}");
                }
            }
        }
    }
}
