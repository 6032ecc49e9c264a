//! Options that commands share: what to read, what to write, how to run.

use charta::data::Scaling;
use charta::method::{Capability, Info, Input};
use charta::params::{Form, Kind, Value};
use clap::builder::PossibleValue;
use clap::builder::StyledStr;
use clap::{Arg, ArgAction, ValueHint};

const INPUT: &str = "Input";
const OUTPUT: &str = "Output";
const RUN: &str = "Run";

fn value(name: &'static str, value_name: &'static str, help: impl Into<StyledStr>) -> Arg {
    Arg::new(name).long(name).value_name(value_name).help(help)
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn file(name: &'static str, help: &'static str) -> Arg {
    value(name, "FILE", help).value_hint(ValueHint::FilePath)
}

/// The data, as a positional argument.
pub(super) fn data() -> Arg {
    Arg::new("data")
        .value_name("DATA")
        .required(true)
        .value_hint(ValueHint::AnyPath)
        .help("A file, a folder or a list of images, `-` for standard input, or a data set of `charta data`")
}

/// The data of methods and models that may have several views.
pub(super) fn data_of_views() -> Arg {
    data()
        .num_args(1..)
        .help(
            "A file, a folder or a list of images, `-` for standard input, or a data set of `charta data`; several \
             are views of the same rows",
        )
}

/// The columns of a view.
pub(super) fn view() -> Arg {
    let help = "The columns of one view of the rows, given once for each: written like the LIST of --columns";
    value("view", "LIST", help)
        .action(ArgAction::Append)
        .conflicts_with("columns")
        .help_heading(INPUT)
        .long_help(format!(
            "{help}.\n\nThe columns are used in the order of the views; columns of no view are left out. \
             Instead, several files can be given: each is a view, and row for row they belong together.\n\n\
             Example: --view 'gene_*' --view '!gene_*'"
        ))
}

/// How to read.
pub(super) fn input() -> Vec<Arg> {
    let mut options = columns();
    options.extend(text_table());
    options.extend(images());
    options.push(precision());
    options
        .into_iter()
        .map(|arg| arg.help_heading(INPUT))
        .collect()
}

/// What the columns are.
fn columns() -> Vec<Arg> {
    vec![
        value(
            "label",
            "COLUMN",
            "The column that holds labels: a name, or a number counted from 0 (-1 is the last)",
        )
        .allow_negative_numbers(true),
        value(
            "label-kind",
            "KIND",
            "Take labels as classes or as numbers, whatever they look like",
        )
        .value_parser(["classes", "numbers"]),
        value("id", "COLUMN", "The column that names the rows").allow_negative_numbers(true),
        value(
            "columns",
            "LIST",
            "The columns to use: names, numbers from 0, ranges 3-10, patterns a_*; ! leaves out",
        )
        .action(ArgAction::Append),
        value("array", "NAME", "The array of an NPZ file"),
    ]
}

/// How a text file is written.
fn text_table() -> Vec<Arg> {
    vec![
        value(
            "delimiter",
            "CHAR",
            "What separates the fields of a text file: a character, or tab [default: detected]",
        ),
        switch(
            "header",
            "The first line of a text file names the columns [default: detected]",
        )
        .conflicts_with("no-header"),
        switch("no-header", "The first line of a text file is data"),
        value(
            "missing-words",
            "WORDS",
            "Words that stand for a missing value, between commas [default: NA, NaN, null, ? …]",
        ),
    ]
}

/// What becomes of images.
fn images() -> Vec<Arg> {
    vec![
        value(
            "image-size",
            "WxH",
            "Resize images to this width and height; of a table: its rows are images of this size",
        ),
        switch(
            "colour",
            "Keep the colours of images instead of their grey values",
        )
        .alias("color"),
    ]
}

/// The number type.
pub(super) fn precision() -> Arg {
    let help = "Number type to compute in and to write [default: the file's]";
    value("precision", "TYPE", help)
        .value_parser(["f32", "f64"])
        .help_heading(INPUT)
}

/// Whether the file holds distances.
pub(super) fn distances() -> Arg {
    let help = "The file holds distances between all rows: a square, the pairs above its diagonal in one line, or a list \
                of pairs";
    switch("distances", help)
        .long_help(format!(
            "{help}.\n\nPairs in one line are those of SciPy's pdist. A list of pairs has a line for each, with columns \
             such as from, to and distance, and perhaps weight. Cells of a square that are empty, and \
             pairs that are not listed, are missing distances, which some methods take."
        ))
        .help_heading(INPUT)
}

/// The columns of a list of pairs.
pub(super) fn edges() -> Arg {
    let help = "The file is a list of pairs: the columns of both rows, of their distance and, as a fourth, of its weight";
    value("edges", "A,B,DISTANCE", help)
        .help_heading(INPUT)
        .long_help(format!(
            "{help}.\n\nWithout it, a list of pairs is known by its columns' names: from and to, source and target, i and \
             j, or a and b; distance, dist, d or length; weight or w. Rows are named by text or by whole numbers."
        ))
}

/// How much the distances count.
pub(super) fn weights() -> Arg {
    let help = "Weights of the distances: a square, or the pairs above its diagonal in one line";
    file("weights", help).help_heading(INPUT)
}

/// Whether the file holds a kernel.
pub(super) fn kernel() -> Arg {
    switch("kernel-matrix", "The file holds a kernel between all rows").help_heading(INPUT)
}

/// Where coordinates go: for fits and for new rows.
pub(super) fn output() -> Vec<Arg> {
    let options = [
        file("output", "Write the coordinates: .csv, .tsv, .parquet, .arrow, .npy, .npz, or - for CSV on standard output")
            .short('o'),
        file("plot", "Draw the first two coordinates: .png, .svg or .html"),
        value("color-by", "COLUMN", "Colour the plot by this column instead of the label")
            .alias("colour-by")
            .allow_negative_numbers(true),
        switch("label-points", "Write the rows' names into the plot; those of 60 rows at most are written anyway"),
        json(),
    ];
    options
        .into_iter()
        .map(|arg| arg.help_heading(OUTPUT))
        .collect()
}

/// Where a table goes.
pub(super) fn table_output() -> Arg {
    file("output", "Write the table: .csv, .tsv, .parquet, .arrow, .npy, .npz, or - for CSV on standard output")
        .short('o')
        .help_heading(OUTPUT)
}

/// The view that is known and the one that is not.
pub(super) fn views_to_predict() -> Vec<Arg> {
    let options = [
        value(
            "from",
            "VIEW",
            "Predict from this view of the model, counted from 1",
        ),
        value(
            "to",
            "VIEW",
            "Predict this view of the model, counted from 1",
        ),
    ];
    options
        .into_iter()
        .map(|arg| arg.allow_negative_numbers(true).help_heading(INPUT))
        .collect()
}

/// Where predictions go.
pub(super) fn predictions() -> Arg {
    table_output().help(
        "Write the predictions: .csv, .tsv, .parquet, .arrow, .npy, .npz, or - for CSV on standard output",
    )
}

/// What was compared to choose a class.
pub(super) fn decisions() -> Arg {
    let help = "Write the value of each class that was compared too, as d_CLASS";
    switch("decisions", help).help_heading(OUTPUT)
}

/// How much of every row is lost.
pub(super) fn errors() -> Arg {
    let help = "Write how much of every row the coordinates lose too, as reconstruction_error";
    switch("errors", help).help_heading(OUTPUT)
}

/// Rows before and after, as images.
pub(super) fn rows_plot() -> Vec<Arg> {
    let options = [
        file(
            "images-plot",
            "Draw the first rows above what became of them, when they are images: .png or .svg",
        ),
        image_order(),
    ];
    options
        .into_iter()
        .map(|arg| arg.help_heading(OUTPUT))
        .collect()
}

/// How pixels are stored.
fn image_order() -> Arg {
    value(
        "image-order",
        "rows|columns",
        "Pixels of an image are stored row by row, or column by column as in MATLAB [default: rows]",
    )
    .value_parser(["rows", "columns"])
    .hide_possible_values(true)
}

/// Where the model goes.
pub(super) fn save() -> Arg {
    file(
        "save",
        "Save the model, for `charta transform`, `predict`, `inverse`, `denoise`, `continue` and `inspect`",
    )
    .help_heading(OUTPUT)
}

/// What only a fit has to give. Pictures that the method cannot have are not shown, but known, so that a call for one is
/// told why.
pub(super) fn fit_output(info: &Info) -> Vec<Arg> {
    let options = [
        save(),
        file(
            "biplot",
            "Draw the first two coordinates with an arrow for each feature: .png, .svg or .html",
        )
        .hide(!info.offers(Capability::Loadings)),
        file(
            "loadings-plot",
            "Draw how much each feature weighs in each component: .png or .svg",
        )
        .hide(!info.offers(Capability::Loadings)),
        file(
            "scree-plot",
            "Draw how much each component carries: .png or .svg",
        )
        .hide(!info.offers(Capability::Spectrum)),
        file(
            "components-plot",
            "Draw the components as images, when the rows are images: .png or .svg",
        )
        .hide(!info.offers(Capability::Axes)),
        file(
            "images-plot",
            "Draw the first two coordinates with the rows as images, when they are images: .png or .svg",
        ),
        picture(info),
        value(
            "image-ink",
            "auto|dark|light",
            "High numbers of an image are dark, as ink is, or light [default: dark if most are lowest]",
        )
        .value_parser(["auto", "dark", "light"])
        .hide_possible_values(true),
        image_order(),
        errors().hide(!info.offers(Capability::RowErrors)),
        switch(
            "quality",
            "Measure how far the map can be trusted: see `charta quality --help`",
        )
        .hide(info.takes(Input::Views)),
    ];
    options
        .into_iter()
        .map(|arg| arg.help_heading(OUTPUT))
        .collect()
}

/// Pictures that a model has of itself.
fn picture(info: &Info) -> Arg {
    let names = info.pictures.join(", ");
    let help = format!("Draw a picture of the model, as often as wanted: {names}; .png or .svg");
    value("picture", "NAME=FILE", help)
        .action(ArgAction::Append)
        .hide(info.pictures.is_empty())
}

/// Everything as JSON.
pub(super) fn json() -> Arg {
    value(
        "json",
        "full",
        "Report as JSON on standard output; with =full, large tables too",
    )
    .num_args(0..=1)
    .require_equals(true)
    .default_missing_value("brief")
    .value_parser([
        PossibleValue::new("full"),
        PossibleValue::new("brief").hide(true),
    ])
    .hide_possible_values(true)
    .help_heading(OUTPUT)
}

/// Everything as JSON, where there is nothing large.
pub(super) fn json_switch() -> Arg {
    switch("json", "Report as JSON on standard output").help_heading(OUTPUT)
}

/// No words, where there is no progress to show.
pub(super) fn quiet() -> Arg {
    switch("quiet", "Print no summary")
        .short('q')
        .help_heading(OUTPUT)
}

/// A seed.
pub(super) fn seed(help: &'static str) -> Arg {
    value("seed", "N", help)
        .default_value("0")
        .allow_negative_numbers(true)
}

/// An option of one command.
pub(super) fn local(name: &'static str, value_name: &'static str, help: &'static str) -> Arg {
    value(name, value_name, help).allow_negative_numbers(true)
}

/// How distances are measured.
pub(super) fn metric() -> Vec<Arg> {
    vec![
        local(
            "metric",
            "METRIC",
            "How distances in the data are measured: euclidean, manhattan, cosine … [default: euclidean]",
        ),
        local(
            "power",
            "X",
            "The power of the Minkowski distance [default: 2]",
        ),
    ]
}

/// Distances before and after.
pub(super) fn shepard_plot() -> Arg {
    file(
        "shepard-plot",
        "Draw distances in the embedding over those in the data: .png or .svg",
    )
    .help_heading(OUTPUT)
}

/// A picture of the command's own kind.
pub(super) fn plot(help: &'static str) -> Arg {
    file("plot", help).help_heading(OUTPUT)
}

/// How to run.
pub(super) fn run() -> Vec<Arg> {
    let options = [
        value(
            "threads",
            "N",
            "Threads to use; the result does not depend on it [default: all cores]",
        )
        .allow_negative_numbers(true),
        value(
            "max-memory",
            "SIZE",
            "Refuse to start what needs more memory, such as 4GiB [default: what is free]",
        )
        .allow_negative_numbers(true),
        switch("quiet", "Print no progress and no summary").short('q'),
        help(),
    ];
    options
        .into_iter()
        .map(|arg| arg.help_heading(RUN))
        .collect()
}

/// Help, with the options and not before them. Its command must disable clap's own.
pub(super) fn help() -> Arg {
    Arg::new("help")
        .long("help")
        .short('h')
        .action(ArgAction::Help)
        .help("Print help: -h in short, --help in full")
        .display_order(1000)
}

/// How to run a fit.
pub(super) fn fit_run() -> Vec<Arg> {
    vec![
        scale("Scale the features first; the model keeps it for new rows [default: none]"),
        switch(
            "plan",
            "Tell the algorithm and the memory needed, without running",
        )
        .help_heading(RUN),
    ]
}

/// How to run from batches.
pub(super) fn streaming() -> Vec<Arg> {
    let options = [
        switch(
            "streaming",
            "Work in batches of rows, in memory that does not grow with the file",
        ),
        value(
            "batch-rows",
            "N",
            "Rows in a batch [default: about 32 MiB of them]",
        )
        .allow_negative_numbers(true),
    ];
    options
        .into_iter()
        .map(|arg| arg.help_heading(RUN))
        .collect()
}

/// The library's scalings, with its words for them.
pub(super) fn scale(help: &'static str) -> Arg {
    let arg = value("scale", "SCALING", help).help_heading(INPUT);
    let Kind::Choice(alternatives) = Scaling::kind() else {
        return arg;
    };
    let words = alternatives
        .iter()
        .filter_map(|alternative| match alternative.form {
            Form::Word(word) => Some(
                PossibleValue::new(word)
                    .alias(word.replace('_', "-"))
                    .help(alternative.doc.trim_end_matches('.')),
            ),
            _ => None,
        });
    arg.value_parser(words.collect::<Vec<_>>())
}
