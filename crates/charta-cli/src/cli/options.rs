//! Options that commands share: what to read, what to write, how to run.

use charta::alignment::Alignment;
use charta::data::Scaling;
use charta::method::{Capability, Info, Input};
use charta::neighbors::Search;
use charta::params::{Form, Kind, Parameters, Value, show};
use charta_plot::Palette;
use clap::builder::PossibleValue;
use clap::builder::StyledStr;
use clap::{Arg, ArgAction, ValueHint};

const INPUT: &str = "Input";
const OUTPUT: &str = "Output";
const PLOT: &str = "Plot";
const RUN: &str = "Run";

fn value(name: &'static str, value_name: &'static str, help: impl Into<StyledStr>) -> Arg {
    Arg::new(name).long(name).value_name(value_name).help(help)
}

pub(super) fn switch(name: &'static str, help: &'static str) -> Arg {
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
            "color",
            "Keep the colours of images instead of converting them to greyscale",
        )
        .alias("colour"),
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

/// Neighbours found elsewhere.
pub(super) fn neighbors() -> Arg {
    let help = "The nearest rows of every row, found elsewhere: an NPZ file with the arrays indices and distances, or two files";
    file("neighbors", help)
        .help_heading(INPUT)
        .long_help(format!(
            "{help} with a comma between their names, such as indices.npy,distances.npy.\n\nBoth arrays have a row for each row of the data and a column for \
             each neighbour. Indices count from 0; a negative one is empty, and a row is not its own neighbour."
        ))
}

/// Maps of earlier slices, and how strongly rows are pulled towards them.
pub(super) fn aligned() -> [Arg; 3] {
    let help = "Map of an earlier slice of the data: rows of the same name stay near their places";
    let defaults = Alignment::default();
    [
        file("align-to", help)
            .help_heading(INPUT)
            .long_help(format!(
                "{help}.\n\nSeveral files with commas between their names are the maps of several slices, the oldest first. The layout starts at the places of the rows \
                 that the last one has, and earlier maps stay as they are."
            )),
        value(
            "alignment-regularization",
            "NUMBER",
            format!(
                "Strength of the pull towards earlier maps, relative to the attraction by neighbours; usually 0.001 to 0.1 [default: {}]",
                defaults.alignment_regularization
            ),
        )
        .requires("align-to")
        .value_parser(clap::value_parser!(f64))
        .help_heading(INPUT),
        value(
            "alignment-window-size",
            "NUMBER",
            format!(
                "Number of earlier maps that count [default: {}]",
                defaults.alignment_window_size
            ),
        )
        .requires("align-to")
        .value_parser(clap::value_parser!(usize))
        .help_heading(INPUT),
    ]
}

/// Whether the file holds a kernel.
pub(super) fn kernel() -> Arg {
    switch(
        "kernel-matrix",
        "The file holds the kernel matrix of all rows",
    )
    .help_heading(INPUT)
}

/// Where coordinates go: for fits and for new rows.
pub(super) fn output() -> Vec<Arg> {
    let mut options = vec![
        file("output", "Write the coordinates: .csv, .tsv, .parquet, .arrow, .npy, .npz, or - for CSV on standard output")
            .short('o'),
        file("plot", "Draw the first two coordinates: .png, .svg or .html"),
    ];
    options.push(axes());
    options.push(pairs());
    options.extend(points());
    options.extend(style());
    options.push(json());
    options
        .into_iter()
        .map(|arg| arg.help_heading(OUTPUT))
        .collect()
}

/// Colours and names of the points of a plot.
pub(super) fn points() -> Vec<Arg> {
    let options = [
        color_by(),
        switch(
            "label-points",
            "Write the rows' names into the plot; those of 60 rows at most are written anyway",
        ),
    ];
    options
        .into_iter()
        .map(|arg| arg.help_heading(OUTPUT))
        .collect()
}

/// How a scatter plot looks.
pub(super) fn style() -> Vec<Arg> {
    let options = [
        value(
            "size",
            "WxH",
            "Width and height of the plot: pixels such as 1600x1200, or 16x12cm, 160x120mm, 6x4in [default: 1200x900]",
        ),
        value(
            "dpi",
            "N",
            "Resolution of the plot in pixels per inch: usually 72 to 600, 300 for print [default: 150 for lengths]",
        ),
        value("title", "TEXT", "Title of the plot [default: the method and the data]"),
        value(
            "point-size",
            "FACTOR",
            "Factor of the markers' size: above 1 for larger markers, below 1 for smaller ones [default: 1]",
        )
        .allow_negative_numbers(true),
        value(
            "palette",
            "NAME",
            "Colours of the classes: safe (for colour-blind readers), tab10, dark2 or grey [default: safe]",
        )
        .value_parser(Palette::ALL.map(Palette::name))
        .hide_possible_values(true),
        switch(
            "class-names",
            "Write the classes' names into the plot; done anyway where the legend has no room for all",
        ),
    ];
    options
        .into_iter()
        .map(|arg| arg.help_heading(PLOT))
        .collect()
}

/// Where a picture goes.
pub(super) fn picture_output() -> Arg {
    file("output", "The picture: .png, .svg or .html")
        .short('o')
        .help_heading(OUTPUT)
}

/// The coordinates of a plot.
fn axes() -> Arg {
    let help = "Coordinates that the plot shows, counted from 1: two for a plane, three for space, up to eight with --pairs \
                [default: 1,2; with --pairs the first four]";
    value("axes", "A,B,…", help)
        .allow_negative_numbers(true)
        .long_help(format!(
            "{help}.\n\nThree coordinates are drawn as a projection; in HTML it is turned by hand, and points are filtered and \
             coloured by the further coordinates."
        ))
}

/// Whether a plot is a matrix.
pub(super) fn pairs() -> Arg {
    let help = "Draw all pairs of coordinates as a matrix of scatter plots, with histograms on the diagonal: .png or .svg";
    switch("pairs", help)
}

/// The column that colours stand for.
pub(super) fn color_by() -> Arg {
    let help = "Colour the plot by this column instead of the label";
    value("color-by", "COLUMN", help)
        .alias("colour-by")
        .allow_negative_numbers(true)
        .help_heading(OUTPUT)
}

/// Letters in place of markers.
pub(super) fn glyphs() -> Arg {
    let help = "Draw the names of classes in place of markers, where they have one or two letters, such as digits";
    switch("glyphs", help).help_heading(OUTPUT)
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
    let help = "Also write the decision value of each class, as column d_CLASS";
    switch("decisions", help).help_heading(OUTPUT)
}

/// The reconstruction error of every row.
pub(super) fn errors() -> Arg {
    let help = "Also write the reconstruction error of every row, as column reconstruction_error";
    switch("errors", help).help_heading(OUTPUT)
}

/// Rows before and after, as images.
pub(super) fn rows_plot() -> Vec<Arg> {
    let options = [
        file(
            "images-plot",
            "Draw the first rows, original above and denoised below on the scale of the latter, when they are images: .png or .svg",
        ),
        image_ink(),
        image_order(),
    ];
    options
        .into_iter()
        .map(|arg| arg.help_heading(OUTPUT))
        .collect()
}

/// Whether high pixel values are dark.
fn image_ink() -> Arg {
    value(
        "image-ink",
        "auto|dark|light",
        "Draw high pixel values dark or light [default: dark if most pixels have the lowest value]",
    )
    .value_parser(["auto", "dark", "light"])
    .hide_possible_values(true)
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

/// Outputs of a fit. Pictures that the method cannot have are hidden, but accepted, so that a call for one gets an error
/// with the reason.
pub(super) fn fit_output(info: &Info) -> Vec<Arg> {
    let options = [
        save(),
        file(
            "biplot",
            "Draw a biplot: the first two coordinates with the loadings as arrows: .png, .svg or .html",
        )
        .hide(!info.offers(Capability::Loadings)),
        file(
            "loadings-plot",
            "Draw the loadings of the features on each component as a heat map: .png or .svg",
        )
        .hide(!info.offers(Capability::Loadings)),
        file(
            "scree-plot",
            "Draw the explained variance of each component, or the residual variance by their number (scree plot): .png or .svg",
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
        file(
            "input-plot",
            "Draw the input: its two or three columns, with the axes of a linear model: .png, .svg or .html",
        ),
        value(
            "input-axes",
            "NAME,NAME",
            "Columns that the input plot shows, two or three: names, or numbers from 0",
        ),
        value(
            "contours",
            "N",
            "Draw contour lines of a coordinate over the input plot of two columns [default: 1, the first]",
        )
        .num_args(0..=1)
        .default_missing_value("1")
        .allow_negative_numbers(true),
        switch(
            "graph",
            "Draw the edges of the neighbour graph into the plot and the input plot",
        )
        .hide(!info.offers(Capability::Graph)),
        value(
            "path",
            "ROW,ROW",
            "Find the shortest path between two rows along the neighbour graph, by names or numbers from 0, and draw it",
        )
        .hide(!info.offers(Capability::Graph)),
        value(
            "components-color",
            "diverging|grey",
            "Colours of the components plot: blue and red about zero, or grey [default: grey if no value is negative]",
        )
        .alias("components-colour")
        .value_parser([
            PossibleValue::new("diverging"),
            PossibleValue::new("grey").alias("gray"),
        ])
        .hide_possible_values(true)
        .hide(!info.offers(Capability::Axes)),
        picture(info),
        image_ink(),
        image_order(),
        errors().hide(!info.offers(Capability::RowErrors)),
        switch(
            "quality",
            "Measure the quality of the embedding by the metric of the fit: see `charta quality --help`",
        )
        .hide(info.takes(Input::Views)),
    ];
    options
        .into_iter()
        .map(|arg| arg.help_heading(OUTPUT))
        .collect()
}

/// The matrices of a fit.
pub(super) fn steps(info: &Info) -> Arg {
    value(
        "steps",
        "FOLDER",
        "Write the matrices that the fit goes through, each as .npy, with a list of them in steps.json",
    )
    .value_hint(ValueHint::DirPath)
    .help_heading(OUTPUT)
    .hide(!info.offers(Capability::Steps))
}

/// Pictures that a model has of itself.
fn picture(info: &Info) -> Arg {
    let names = info.pictures.join(", ");
    let help = format!("Draw a picture of the model (repeatable): {names}; .png or .svg");
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

/// How the rule `parallel` is computed.
pub(super) fn parallel_analysis() -> Vec<Arg> {
    vec![
        local(
            "repetitions",
            "N",
            "Random data sets for parallel analysis [default: 200, fewer above 400 rows and columns]",
        ),
        seed("Seed of the random data of parallel analysis"),
    ]
}

/// An option of one command.
pub(super) fn local(
    name: &'static str,
    value_name: &'static str,
    help: impl Into<StyledStr>,
) -> Arg {
    value(name, value_name, help).allow_negative_numbers(true)
}

/// How distances are measured.
pub(super) fn metric(default: &str) -> Vec<Arg> {
    let specs = Search::specs();
    let power = specs.iter().find(|spec| spec.name == "power");
    let power = power.map_or_else(String::new, |spec| show(&spec.default));
    vec![
        local(
            "metric",
            "METRIC",
            format!(
                "Metric of the distances in the data: euclidean, manhattan, cosine … [default: {default}]"
            ),
        ),
        local(
            "power",
            "X",
            format!("Exponent p of the Minkowski distance [default: {power}]"),
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

/// A further table of results.
pub(super) fn result_file(name: &'static str, help: &'static str) -> Arg {
    file(name, help).help_heading(OUTPUT)
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
            "Number of threads; the result does not depend on it [default: all cores]",
        )
        .allow_negative_numbers(true),
        value(
            "max-memory",
            "SIZE",
            "Refuse to start what needs more memory than this, such as 4GiB [default: the free memory]",
        )
        .allow_negative_numbers(true),
        switch("quiet", "Print warnings and errors only: no progress, notes or summary").short('q'),
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

/// How to run a fit. `standardizes` if the method has a parameter of that name.
pub(super) fn fit_run(standardizes: bool) -> Vec<Arg> {
    const SCALE: &str = "Scale the features first; the model keeps it for new rows [default: none]";
    let scale = if standardizes {
        scale(SCALE).long_help(format!(
            "{SCALE}\n\n`z-score` divides by the standard deviation with divisor n; `--standardize` divides by it within the method, and \
             its help names the divisor."
        ))
    } else {
        scale(SCALE)
    };
    vec![
        scale,
        switch(
            "plan",
            "Report the algorithm and the memory needed, without running",
        )
        .help_heading(RUN),
    ]
}

/// What becomes of a fit that is interrupted.
pub(super) fn keep_partial() -> Arg {
    let help = "Write the unfinished embedding of an interrupted fit, instead of nothing";
    switch("keep-partial", help)
        .long_help(format!(
            "{help}.\n\nCtrl-C, SIGTERM or SIGHUP while the embedding is being optimized or a network trained ends it there; the report and the model say \
             that it was interrupted, and the quality is not measured. The exit code is that of the signal either way: 130, \
             143 or 129. A second signal stops without writing."
        ))
        .help_heading(RUN)
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
                PossibleValue::new(word.replace('_', "-"))
                    .alias(word)
                    .help(alternative.doc.trim_end_matches('.')),
            ),
            _ => None,
        });
    arg.value_parser(words.collect::<Vec<_>>())
}
