//! The commands that are not methods.

use clap::{Arg, ArgAction, Command, ValueHint, value_parser};
use clap_complete::Shell;

use super::options;

pub(super) const TRANSFORM: &str = "transform";
pub(super) const PREDICT: &str = "predict";
pub(super) const INVERSE: &str = "inverse";
pub(super) const INSPECT: &str = "inspect";
pub(super) const METHODS: &str = "methods";
pub(super) const DATA: &str = "data";
pub(super) const SCREE: &str = "scree";
pub(super) const COMPLETIONS: &str = "completions";

/// All tools, in the order of the help page.
pub(super) fn commands() -> Vec<Command> {
    vec![
        transform(),
        predict(),
        inverse(),
        inspect(),
        methods(),
        data(),
        scree(),
        completions(),
    ]
}

fn model() -> Arg {
    Arg::new("model")
        .value_name("MODEL")
        .required(true)
        .value_hint(ValueHint::FilePath)
        .help("A model that `--save` wrote")
}

fn transform() -> Command {
    Command::new(TRANSFORM)
        .disable_help_flag(true)
        .about("Place new rows with a saved model")
        .long_about(
            "Place new rows with a saved model.\nColumns are found by name if both sides have names, \
             else by position; the model's scaling is applied. Several files are views of the same rows.",
        )
        .arg(model())
        .arg(options::data_of_views())
        .args(options::input())
        .args(options::output())
        .args(options::run())
        .args(options::streaming())
}

fn predict() -> Command {
    Command::new(PREDICT)
        .disable_help_flag(true)
        .about("Predict labels of new rows, or one view from another, with a saved model")
        .long_about(
            "Predict labels of new rows, or one view from another, with a saved model.\nOf classes the \
             predicted one and the probability of each are written, of numbers the numbers. If the rows have \
             labels, it is told how good the predictions are.\nWith `--from` and `--to`, one view of a model of \
             several is predicted from another; the rows need no columns of other views.",
        )
        .arg(model())
        .arg(options::data_of_views())
        .args(options::input())
        .args(options::views_to_predict())
        .arg(options::predictions())
        .arg(options::decisions())
        .arg(options::json())
        .args(options::run())
}

fn inverse() -> Command {
    Command::new(INVERSE)
        .disable_help_flag(true)
        .about("Lead coordinates back to features with a saved model")
        .long_about(
            "Lead coordinates back to features with a saved model.\nOf a table with names, the columns \
             named as the model's coordinates are taken unless `--columns` says otherwise.",
        )
        .arg(model())
        .arg(options::data().help("The coordinates: a file, or `-` for standard input"))
        .args(options::input())
        .arg(options::table_output())
        .arg(options::json())
        .args(options::run())
}

fn inspect() -> Command {
    Command::new(INSPECT)
        .about("Tell what a saved model is and what it reports")
        .arg(model())
        .arg(options::json())
}

fn methods() -> Command {
    Command::new(METHODS)
        .about("List the methods; as JSON with all their parameters")
        .arg(options::json_switch())
}

fn data() -> Command {
    Command::new(DATA)
        .about("List the built-in data sets, or write one to a file")
        .after_help(
            "Examples:\n  charta data\n  charta data iris -o iris.csv\n  \
             charta data swiss-roll:2000,noise=0.1,seed=3 -o roll.parquet",
        )
        .arg(
            Arg::new("data").value_name("NAME").help(
                "A data set; generated ones take a size and options: swiss-roll:2000,noise=0.1",
            ),
        )
        .arg(options::precision())
        .arg(options::table_output())
        .arg(options::json_switch())
        .arg(options::quiet())
}

fn scree() -> Command {
    Command::new(SCREE)
        .disable_help_flag(true)
        .about("Tell how many components to keep, by several rules")
        .arg(options::data())
        .arg(
            Arg::new("standardize")
                .long("standardize")
                .action(ArgAction::SetTrue)
                .help("Divide each column by its standard deviation first"),
        )
        .arg(
            Arg::new("seed")
                .long("seed")
                .value_name("N")
                .default_value("0")
                .allow_negative_numbers(true)
                .help("Seed of the random data that the rule `parallel` compares with"),
        )
        .args(options::input())
        .arg(options::plot(
            "Draw the variances and what the rules say: .png or .svg",
        ))
        .arg(options::json())
        .args(options::run())
}

fn completions() -> Command {
    Command::new(COMPLETIONS)
        .about("Print the completions of a shell")
        .after_help(
            "Examples:\n  charta completions bash > ~/.local/share/bash-completion/completions/charta\n  \
             charta completions fish > ~/.config/fish/completions/charta.fish",
        )
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(value_parser!(Shell)),
        )
}
