//! The commands that are not methods.

use clap::{Arg, ArgAction, Command, ValueHint, value_parser};
use clap_complete::Shell;

use super::{help, options};

pub(super) const ADVISE: &str = "advise";
pub(super) const COMPARE: &str = "compare";
pub(super) const TRANSFORM: &str = "transform";
pub(super) const PREDICT: &str = "predict";
pub(super) const INVERSE: &str = "inverse";
pub(super) const DENOISE: &str = "denoise";
pub(super) const SAMPLE: &str = "sample";
pub(super) const CONTINUE: &str = "continue";
pub(super) const INSPECT: &str = "inspect";
pub(super) const METHODS: &str = "methods";
pub(super) const EXPLAIN: &str = "explain";
pub(super) const LECTURE: &str = "lecture";
pub(super) const DATA: &str = "data";
pub(super) const SCREE: &str = "scree";
pub(super) const DIMENSION: &str = "dimension";
pub(super) const QUALITY: &str = "quality";
pub(super) const LINEAR: &str = "linear";
pub(super) const PLOT: &str = "plot";
pub(super) const COMPLETIONS: &str = "completions";

/// All tools, in the order of the help page.
pub(super) fn commands() -> Vec<Command> {
    vec![
        advise(),
        compare(),
        transform(),
        predict(),
        inverse(),
        denoise(),
        sample(),
        further(),
        inspect(),
        methods(),
        explain(),
        lecture(),
        data(),
        scree(),
        dimension(),
        quality(),
        super::linear::command(),
        plot(),
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

fn advise() -> Command {
    Command::new(ADVISE)
        .disable_help_flag(true)
        .about("Recommend methods for the data: two or three, with reasons, parameters and commands")
        .long_about(
            "Recommend methods for the data: two or three, with reasons, parameters and commands.\nLooks at rows, columns, labels, zeros, missing \
             values and the scale of the columns; and, on at most 1,000 rows, at the principal components, the intrinsic \
             dimension, the neighbour graph, how classes are separated, and the trustworthiness of maps by a few methods. \
             Methods that would need more memory than there is are left out.",
        )
        .after_help(
            "Examples:\n  charta advise iris\n  charta advise table.csv --label species\n  \
             charta advise distances.csv --distances\n  charta advise genes.csv proteins.csv",
        )
        .arg(options::data_of_views())
        .args(options::input())
        .arg(options::view())
        .arg(options::distances())
        .arg(options::edges())
        .arg(options::kernel())
        .arg(options::json())
        .args(options::run())
}

fn compare() -> Command {
    let (method, methods) = (help::example_method(), help::example_methods());
    Command::new(COMPARE)
        .disable_help_flag(true)
        .about("Compare methods, or maps made elsewhere, on the same rows: time, quality, one picture")
        .long_about(
            "Compare methods, or maps made elsewhere, on the same rows: time, quality, one picture.\nEach method is fitted to all rows, and \
             every map is measured by the same distances: trustworthiness, continuity and, with labels, k-NN accuracy. Files of \
             coordinates after the data are compared like the maps of methods. A method that cannot be fitted is reported with \
             the reason, and the others go on.",
        )
        .after_help(format!(
            "Examples:\n  charta compare digits --methods {methods} --plot panels.png\n  \
             charta compare table.csv --label species --methods {method}:n_components=3,{methods} -o table.csv\n  \
             charta compare digits --methods {methods} --glyphs --plot digits.svg\n  charta compare table.csv map1.csv map2.csv",
        ))
        .arg(options::data())
        .arg(
            Arg::new("maps")
                .value_name("MAP")
                .num_args(0..)
                .value_hint(ValueHint::FilePath)
                .help("Coordinates of the same rows, files such as `-o` writes"),
        )
        .arg(
            options::local(
                "methods",
                "LIST",
                "Methods between commas, each perhaps with parameters: NAME:parameter=value,parameter=value",
            )
            .action(ArgAction::Append),
        )
        .arg(options::local(
            "n-neighbors",
            "K",
            "Size of the neighbourhoods compared [default: 15]",
        ))
        .args(options::metric("euclidean"))
        .args(options::input())
        .arg(options::scale("Scale the features first, as a fit with `--scale` does [default: none]"))
        .arg(options::distances())
        .arg(options::table_output().help(
            "Write the figures of every map: .csv, .tsv, .parquet, .arrow, .npy, .npz, or - for CSV on standard output",
        ))
        .arg(options::plot("Draw all maps side by side: .png or .svg"))
        .arg(options::color_by())
        .arg(options::glyphs())
        .arg(options::json())
        .args(options::run())
}

fn transform() -> Command {
    Command::new(TRANSFORM)
        .disable_help_flag(true)
        .about("Transform new rows with a saved model (out-of-sample embedding)")
        .long_about(
            "Transform new rows with a saved model (out-of-sample embedding).\nColumns are found by name if both sides have names, \
             else by position; the model's scaling is applied. Several files are views of the same rows.\nA model that \
             was fitted to distances takes, with `--distances`, the distances of each new row to all rows it was fitted \
             to, in their order; one that was fitted to a kernel takes kernels with `--kernel-matrix`.",
        )
        .arg(model())
        .arg(options::data_of_views())
        .args(options::input())
        .arg(
            options::distances()
                .conflicts_with("streaming")
                .help("The file holds distances of new rows to those that the model was fitted to")
                .long_help(
                    "The file holds distances of new rows to those that the model was fitted to: a line for each new row, a \
                     column for each row of the fit, found by name if both sides have names, else by position.",
                ),
        )
        .arg(
            options::kernel()
                .conflicts_with_all(["streaming", "distances"])
                .help("The file holds kernels of new rows with those that the model was fitted to"),
        )
        .args(options::output())
        .arg(options::errors())
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
             labels, the accuracy of the predictions is reported.\nWith `--from` and `--to`, one view of a model of \
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
        .about("Inverse transform: reconstruct features from coordinates with a saved model")
        .long_about(
            "Inverse transform: reconstruct features from coordinates with a saved model.\nOf a table with names, the columns \
             named as the model's coordinates are taken unless `--columns` says otherwise.",
        )
        .arg(model())
        .arg(options::data().help("The coordinates: a file, or `-` for standard input"))
        .args(options::input())
        .arg(options::table_output())
        .arg(options::json())
        .args(options::run())
}

fn denoise() -> Command {
    Command::new(DENOISE)
        .disable_help_flag(true)
        .about("Denoise rows: transform and inverse transform with a saved model")
        .long_about(
            "Denoise rows: transform and inverse transform with a saved model.\nThe reconstruction keeps what the coordinates \
             represent; the rest, such as noise, is lost. Columns are found by name if both sides have names, else by \
             position; scaling is applied and undone.",
        )
        .after_help(
            "Examples:\n  charta denoise model.charta noisy.csv -o clean.csv\n  \
             charta denoise model.charta digits -o clean.npy --images-plot rows.png",
        )
        .arg(model())
        .arg(options::data_of_views())
        .args(options::input())
        .arg(options::table_output())
        .arg(options::switch(
            "residual",
            "Write what the reconstruction leaves: each row minus its reconstruction",
        ))
        .args(options::rows_plot())
        .arg(options::json())
        .args(options::run())
}

fn sample() -> Command {
    Command::new(SAMPLE)
        .disable_help_flag(true)
        .about("Draw new rows from the distribution that a saved model assumes")
        .long_about(
            "Draw new rows from the distribution that a saved model assumes.\nProbabilistic PCA and factor analysis: factors are \
             drawn, stretched and rotated by the loadings, and noise is added to each column. Scaling is undone. Methods that assume \
             no distribution are refused.",
        )
        .after_help(
            "Examples:\n  charta factor-analysis table.csv --save model.charta\n  charta sample model.charta --rows 1000 --seed 1 -o rows.csv",
        )
        .arg(model())
        .arg(options::local("rows", "N", "Number of rows [default: 1000]"))
        .arg(options::seed("Seed of the random numbers"))
        .arg(options::table_output().help(
            "Write the rows: .csv, .tsv, .parquet, .arrow, .npy, .npz, or - for CSV on standard output [default: -]",
        ))
        .arg(options::json())
        .args(options::run())
}

fn further() -> Command {
    Command::new(CONTINUE)
        .disable_help_flag(true)
        .about("Continue optimizing the layout of a saved model")
        .long_about(
            "Continue optimizing the layout of a saved model.\nThe model stores its rows; the data of the fit is given for \
             the names and labels that go beside the coordinates.",
        )
        .after_help(
            "Examples:\n  charta continue map.charta digits --iterations 500 --save further.charta --plot map.png",
        )
        .arg(model())
        .arg(options::data())
        .args(options::input())
        .arg(
            Arg::new("iterations")
                .long("iterations")
                .value_name("N")
                .help("Further iterations [default: 250]"),
        )
        .arg(
            Arg::new("exaggeration")
                .long("exaggeration")
                .value_name("FACTOR")
                .help("Factor of the attractive forces (exaggeration) [default: that of the last iterations of the fit]"),
        )
        .args(options::output())
        .arg(options::save())
        .args(options::run())
        .arg(options::keep_partial())
}

fn inspect() -> Command {
    Command::new(INSPECT)
        .about("Show the method, parameters and diagnostics of a saved model")
        .arg(model())
        .arg(options::json())
}

fn methods() -> Command {
    Command::new(METHODS)
        .about("List the methods; as JSON with all their parameters")
        .arg(options::json_switch())
}

fn explain() -> Command {
    let method = help::example_method();
    Command::new(EXPLAIN)
        .about("Explain a method: idea, objective, cost, parameters, new points, references")
        .after_help(format!(
            "Examples:\n  charta explain {method}\n  charta explain {method} --section objective\n  \
             charta explain --table\n  charta explain --table --section cost"
        ))
        .arg(
            Arg::new("method")
                .value_name("METHOD")
                .help("The method: one of `charta methods`"),
        )
        .arg(options::local(
            "section",
            "TITLE",
            "Show one section: idea, steps, objective, cost, choosing parameters, new points, differences or references",
        ))
        .arg(
            options::switch(
                "table",
                "Show one section of all methods below each other [default section: objective]",
            )
            .conflicts_with("method"),
        )
        .arg(options::json_switch())
}

fn lecture() -> Command {
    Command::new(LECTURE)
        .about("Rebuild the figures and numbers of five lectures on dimensionality reduction")
        .long_about(
            "Rebuild the figures and numbers of five lectures on dimensionality reduction.\nWithout a number the lectures are listed; with \
             one, its items and their commands. With `-o` the commands run, and a page shows each figure, the commands and the \
             Python lines that made it, and the slides' numbers beside those found here.",
        )
        .after_help(
            "Examples:\n  charta lecture\n  charta lecture 3\n  charta lecture 3 -o pages\n  charta lecture all -o pages\n  \
             charta lecture 1 --item 4 -o pages",
        )
        .arg(
            Arg::new("lecture")
                .value_name("NUMBER")
                .help("The lecture: 1 to 5, or `all`"),
        )
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .help("Write the page into this folder: lecture-1.html, with all files of its commands in lecture-1"),
        )
        .arg(options::local("item", "N", "Only this item of the lecture, counted from 1"))
        .arg(options::json_switch())
        .arg(options::quiet())
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
        .about("Number of components by several rules: scree plot, parallel analysis, Minka's MLE")
        .arg(options::data())
        .args(options::parallel_analysis())
        .arg(options::scale(
            "Scale the features first; z-score analyses the correlation matrix [default: none]",
        ))
        .args(options::input())
        .arg(options::plot(
            "Draw the scree plot with the number of components of each rule: .png or .svg",
        ))
        .arg(options::json())
        .args(options::run())
}

fn dimension() -> Command {
    Command::new(DIMENSION)
        .disable_help_flag(true)
        .about("Find the intrinsic dimension: one number with its reasons, and several estimators")
        .long_about(
            "Find the intrinsic dimension: one number with its reasons, and the results of several estimators.\nThe number is that of the scale, from \
             few to many neighbours, at which neither noise nor curvature adds directions. Local estimators use each row's neighbours, where a curved \
             manifold is nearly flat: local PCA, maximum likelihood (Levina–Bickel), TwoNN (the ratio of the first two \
             distances) and the correlation dimension. Beside them stand estimates and rules from the eigenvalues of all rows.",
        )
        .after_help(
            "Examples:\n  charta dimension swiss-roll:5000\n  charta dimension table.csv --label species -o rows.csv \
             --plot dimension.png\n  charta dimension table.csv --n-neighbors 5-15",
        )
        .arg(options::data())
        .arg(options::local(
            "n-neighbors",
            "K-K",
            "Neighbourhood sizes over which the maximum likelihood estimate is averaged [default: 10-20]",
        ))
        .arg(options::local(
            "local-neighbors",
            "N",
            "Number of neighbours of local PCA [default: 50]",
        ))
        .arg(options::local(
            "discard",
            "X",
            "Fraction of the largest distance ratios that TwoNN discards [default: 0.1]",
        ))
        .args(options::metric("euclidean"))
        .args(options::parallel_analysis())
        .args(options::input())
        .arg(options::scale("Scale the features first, as a fit with `--scale` does [default: none]"))
        .arg(options::distances())
        .arg(options::table_output().help(
            "Write the local dimension at every row: .csv, .tsv, .parquet, .arrow, .npy, .npz, or - for CSV on standard output",
        ))
        .arg(options::plot("Draw all estimates: .png or .svg"))
        .arg(options::json())
        .args(options::run())
}

fn quality() -> Command {
    Command::new(QUALITY)
        .disable_help_flag(true)
        .about("Measure the quality of an embedding: trustworthiness, continuity, R_NX, stress")
        .long_about(
            "Measure the quality of an embedding: trustworthiness, continuity, R_NX, stress.\nNeighbourhoods: trustworthiness, \
             continuity, the proportion of shared neighbours for every size (Q_NX, R_NX and its area). Distances: correlation, \
             residual variance, stress. With labels: neighbourhood hit and k-NN accuracy. With known coordinates: Procrustes \
             disparity.\nRow for row both files belong together; rows that have names on both sides are matched by name. A saved \
             model in place of the embedding provides the coordinates of its fit; its metric and scaling are used. Rows \
             without coordinates are left out. Of more than 10,000 rows a sample is measured against all others.",
        )
        .after_help(
            "Examples:\n  charta quality iris coordinates.csv\n  charta quality table.csv model.charta\n  charta quality table.csv map.parquet --label species \
             --n-neighbors 5,15,50 --plot quality.png\n  charta quality big.npy map.npy --sample 1000 --json\n  \
             charta quality roll.csv map.csv --known sheet.csv -o rows.csv",
        )
        .arg(options::data())
        .arg(
            Arg::new("embedding")
                .value_name("EMBEDDING")
                .required(true)
                .value_hint(ValueHint::FilePath)
                .help("The coordinates of the same rows, a file such as `-o` writes, or a saved model"),
        )
        .arg(options::local(
            "n-neighbors",
            "K,…",
            "Sizes of the neighbourhoods [default: 15]",
        ))
        .arg(options::local(
            "sample",
            "auto|all|N",
            "Rows measured: auto takes all of 10,000 and 2,000 of more [default: auto]",
        ))
        .arg(options::seed("Seed of the sample"))
        .args(options::metric("euclidean, or that of the model"))
        .arg(options::local(
            "embedding-columns",
            "LIST",
            "The embedding's coordinates, as names, numbers and ranges [default: all columns of numbers]",
        ))
        .arg(options::local(
            "known",
            "FILE",
            "Known coordinates of the rows, compared with the embedding up to translation, rotation and scale",
        ))
        .arg(
            options::local("known-columns", "LIST", "The known coordinates in that file").requires("known"),
        )
        .args(options::input())
        .arg(options::scale("Scale the features first, as a fit with `--scale` does [default: none]"))
        .arg(options::distances())
        .arg(options::table_output().help(
            "Write the figures of every row: .csv, .tsv, .parquet, .arrow, .npy, .npz, or - for CSV on standard output",
        ))
        .arg(options::plot("Draw R_NX against the neighbourhood size: .png or .svg"))
        .arg(options::shepard_plot())
        .arg(options::json())
        .args(options::run())
}

fn plot() -> Command {
    Command::new(PLOT)
        .disable_help_flag(true)
        .about("Draw coordinates that are there already: other colours, axes or sizes without a refit")
        .long_about(
            "Draw coordinates that are there already: other colours, axes or sizes without a refit.\nThe first two columns of \
             numbers are drawn, or those of `--axes`: a single one as strips of points, three in space, and with `--pairs` \
             all pairs of up to eight. The colours are the label of the table, \
             a column of it (`--color-by`), or those of another table of the same rows (`--table`).",
        )
        .after_help(
            "Examples:\n  charta plot map.csv -o map.png --color-by age\n  charta plot map.csv --table data.csv --color-by species -o map.html\n  \
             charta plot map.csv --axes 2,3 --size 16x12cm --dpi 300 --palette tab10 -o print.png\n  \
             charta plot map.csv --axes 1,2,3 -o space.html\n  charta plot map.csv --pairs --axes 1,2,3,4,5 -o pairs.png",
        )
        .arg(options::data().help("The coordinates: a file such as `-o` writes, or any table; `-` for standard input"))
        .args(options::input())
        .arg(options::local(
            "axes",
            "A,B,…",
            "The columns to draw, across and up, and in space with a third: names, or numbers among the columns of numbers, \
             counted from 1 [default: 1,2; with --pairs the first four]",
        ))
        .arg(options::pairs())
        .arg(options::local(
            "table",
            "FILE",
            "Another table of the same rows, in the same order, for the colours",
        ))
        .arg(options::picture_output())
        .args(options::points())
        .args(options::style())
        .arg(options::switch(
            "free-axes",
            "Let each axis fill the picture: one unit is not equally long on both",
        ))
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
