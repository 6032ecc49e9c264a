//! The commands of `charta linear`: matrices, and what linear algebra says of data.

use clap::{Arg, Command};

use super::{options, tools};

pub(crate) const EIGEN: &str = "eigen";
pub(crate) const SVD: &str = "svd";
pub(crate) const PSEUDO_INVERSE: &str = "pseudo-inverse";
pub(crate) const LEAST_SQUARES: &str = "least-squares";
pub(crate) const COVARIANCE: &str = "covariance";
pub(crate) const SCATTER: &str = "scatter";
pub(crate) const CORRELATION: &str = "correlation";
pub(crate) const LINE: &str = "line";
pub(crate) const ANGLES: &str = "angles";
pub(crate) const NORMALITY: &str = "normality";

/// `charta linear` with its commands.
pub(super) fn command() -> Command {
    Command::new(tools::LINEAR)
        .about("Eigenvectors, SVD, least squares, covariance, lines, angle sums, normality")
        .long_about(
            "The linear algebra around the methods: eigenvectors, singular values, the pseudo-inverse and least squares of a \
             matrix; covariance, scatter and correlation matrices of data, a line through them, angle sums of triangles, tests \
             of normality.\nA MATRIX is a file, or is written in the call: rows between semicolons, such as \"3 5; 2 1\".",
        )
        .after_help(
            "Examples:\n  charta linear eigen \"3 5; 2 1\" --plot eigen.png\n  charta linear svd table.csv --rank 2 \
             --approximation rank2.csv\n  charta linear least-squares table.csv --target price\n  \
             charta linear covariance iris --part within\n  charta linear line table.csv --direction 1,0.3 --plot line.png",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(eigen())
        .subcommand(svd())
        .subcommand(pseudo_inverse())
        .subcommand(least_squares())
        .subcommand(second_moments(COVARIANCE))
        .subcommand(second_moments(SCATTER))
        .subcommand(second_moments(CORRELATION))
        .subcommand(line())
        .subcommand(angles())
        .subcommand(normality())
}

/// A command whose results are a matrix.
fn with(command: Command, positional: Arg, own: Vec<Arg>, output: &'static str) -> Command {
    command
        .disable_help_flag(true)
        .arg(positional)
        .args(own)
        .args(options::input())
        .arg(options::table_output().help(format!(
            "{output}: .csv, .tsv, .parquet, .arrow, .npy, .npz, or - for CSV on standard output"
        )))
        .arg(options::json())
        .args(options::run())
}

fn matrix() -> Arg {
    Arg::new("data")
        .value_name("MATRIX")
        .required(true)
        .allow_hyphen_values(true)
        .value_hint(clap::ValueHint::AnyPath)
        .help("A file, `-` for standard input, a data set, or the matrix itself: \"3 5; 2 1\"")
}

fn eigen() -> Command {
    let command = Command::new(EIGEN)
        .about("Eigenvalues and eigenvectors of a square matrix, complex ones too")
        .after_help("Examples:\n  charta linear eigen \"3 5; 2 1\"\n  charta linear eigen \"3 4; 4 3\" --plot eigen.png -o vectors.csv");
    let plot = options::plot(
        "Draw what a 2 × 2 matrix does: a cloud and its image, the eigenvectors and theirs: .png, .svg or .html",
    );
    let seed = options::seed("Seed of the cloud");
    with(
        command,
        matrix(),
        vec![seed, plot],
        "Write the eigenvectors, one a column",
    )
}

fn svd() -> Command {
    let command = Command::new(SVD)
        .about("Singular value decomposition X = U diag(σ) Vᵀ, and the closest matrix of a lower rank")
        .after_help("Examples:\n  charta linear svd \"1 2; 3 4; 5 6\"\n  charta linear svd table.csv --rank 2 --approximation rank2.csv --left u.csv -o v.csv");
    let own = vec![
        options::local(
            "rank",
            "K",
            "Number of terms σ u vᵀ that the approximation adds up [default: the rank]",
        ),
        options::result_file(
            "approximation",
            "Write the sum of the first terms, of all matrices of its rank the closest to X",
        ),
        options::result_file("left", "Write the left singular vectors, one a column"),
    ];
    with(
        command,
        matrix(),
        own,
        "Write the right singular vectors, one a column",
    )
}

fn pseudo_inverse() -> Command {
    let command = Command::new(PSEUDO_INVERSE)
        .about("The Moore–Penrose inverse X⁺, which gives the shortest least-squares solution")
        .after_help("Examples:\n  charta linear pseudo-inverse \"1 0; 0 2; 0 0\" -o inverse.csv");
    with(command, matrix(), Vec::new(), "Write the pseudo-inverse")
}

fn least_squares() -> Command {
    let command = Command::new(LEAST_SQUARES)
        .about("Weights w = X⁺ y that minimize ‖X w − y‖², with residual, rank and condition number")
        .after_help("Examples:\n  charta linear least-squares table.csv --target price --intercept\n  charta linear least-squares \"1 0; 1 1; 1 2\" --target \"1; 3; 5\"");
    let own = vec![
        options::local(
            "target",
            "FILE|COLUMN",
            "What is to be explained: a column of the table, a file with a column for each target, or a matrix as it is written",
        )
        .required(true),
        options::switch("intercept", "Add a constant to the weighted columns"),
        options::result_file("residuals", "Write the residuals y − X w, one a row"),
    ];
    with(
        command,
        matrix(),
        own,
        "Write the weights, a row for each column",
    )
}

fn second_moments(name: &'static str) -> Command {
    let (about, example) = match name {
        COVARIANCE => (
            "Covariance matrix of the columns, also within and between classes",
            "covariance iris --part within -o within.csv",
        ),
        SCATTER => (
            "Scatter matrix Σ (x − m)(x − m)ᵀ of the columns, also within and between classes",
            "scatter iris --part between",
        ),
        _ => (
            "Correlation matrix of the columns, also within and between classes",
            "correlation iris --plot correlation.png",
        ),
    };
    let command = Command::new(name)
        .about(about)
        .after_help(format!("Examples:\n  charta linear {example}"));
    let mut own = vec![
        options::local(
            "part",
            "PART",
            "Which matrix is shown and written: of all rows (total), within the classes, or between them [default: total]",
        )
        .value_parser(["total", "within", "between"])
        .hide_possible_values(true),
        options::plot("Draw the matrix as a heat map: .png or .svg"),
    ];
    if name == COVARIANCE {
        own.push(options::switch(
            "population",
            "Divide by n, the covariance of a whole population, instead of n − 1, that estimated from a sample",
        ));
    }
    with(command, options::data(), own, "Write the matrix")
}

fn line() -> Command {
    let command = Command::new(LINE)
        .about("Squared error of a line of your choice, beside that of the best line")
        .long_about(
            "Squared error of a line of your choice, beside that of the best line.\nThe line is b + α v; each row is replaced by the \
             foot of its perpendicular, b + v vᵀ(x − b). The best line goes through the mean in the direction of the first principal \
             component.",
        )
        .after_help("Examples:\n  charta linear line table.csv --direction 1,0.3 --plot line.png\n  charta linear line table.csv --direction 1,0.3 --through 0,0 -o feet.csv");
    let own = vec![
        options::local(
            "direction",
            "V,V,…",
            "Direction v of the line, a number for each column; its length does not matter",
        )
        .required(true),
        options::local(
            "through",
            "B,B,…",
            "Point b of the line [default: the mean]",
        ),
        options::plot(
            "Draw the rows of two columns with both lines and the feet of the perpendiculars: .png, .svg or .html",
        ),
    ];
    with(
        command,
        options::data(),
        own,
        "Write the feet of the perpendiculars",
    )
}

fn angles() -> Command {
    let command = Command::new(ANGLES)
        .about("Curvature by the angle sums of geodesic triangles: above 180° on a sphere, below on a saddle")
        .long_about(
            "Curvature by the angle sums of geodesic triangles: above 180° on a sphere, below on a saddle, 180° in a plane or a rolled \
             sheet.\nTriangles of shortest paths along the neighbour graph are drawn at random; their angles are measured in the tangent \
             spaces of their corners.",
        )
        .after_help("Examples:\n  charta linear angles swiss-roll:2000\n  charta linear angles table.csv --n-neighbors 20 --n-triangles 1000");
    let own = vec![
        options::local(
            "n-triangles",
            "N",
            "Number of triangles; more give a smaller standard error [default: 200]",
        ),
        options::local(
            "triangle-size",
            "X",
            "Longest side, as a fraction of the distance from a corner to the farthest row [default: 0.5]",
        ),
        options::local(
            "dimension",
            "D",
            "Dimension of the manifold, to which tangent spaces are fitted [default: 2]",
        ),
        options::local(
            "n-neighbors",
            "K",
            "Number of neighbours of each row in the graph [default: 15]",
        ),
        options::scale("Scale the features first [default: none]"),
        options::seed("Seed of the triangles"),
    ];
    with(
        command,
        options::data(),
        own,
        "Write corners, sides and angles of every triangle",
    )
}

fn normality() -> Command {
    let command = Command::new(NORMALITY)
        .about("Mardia's tests of multivariate normality, of all rows and of each class")
        .long_about(
            "Mardia's tests of multivariate normality, of all rows and of each class.\nSkewness and kurtosis with their p-values. Neither \
             changes under an invertible linear map. Discriminant analysis assumes that each class is normal: a warning names those \
             that are not.",
        )
        .after_help("Examples:\n  charta linear normality iris\n  charta linear normality table.csv --label species --json");
    with(
        command,
        options::data(),
        Vec::new(),
        "Write the tests, one a row",
    )
}
