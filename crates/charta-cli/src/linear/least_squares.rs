//! `charta linear least-squares`.

use std::path::Path;

use charta::Labels;
use charta::linear::LeastSquares;
use charta_io::LabelKind;
use clap::ArgMatches;
use ndarray::{Array2, Axis};
use serde_json::json;

use super::matrix::{Matrix, nested, shown};
use super::{Files, Written};
use crate::failure::{Failure, Outcome};
use crate::format::{Side, number, table};
use crate::input::{Input, switch, text};
use crate::session::Session;

/// What is explained, by what.
struct Problem {
    matrix: Matrix,
    targets: Array2<f64>,
    names: Vec<String>,
    files: Vec<String>,
}

impl Problem {
    /// The target is a column of the table unless it is written as a matrix or a file has its name.
    fn read(given: &ArgMatches, session: &Session) -> Outcome<Self> {
        let target = text(given, "target").unwrap_or_default();
        if target.contains(';') {
            let matrix = Matrix::read(given, session)?;
            let Some(written) = Matrix::written(&target)? else {
                return Err(Failure::Usage(format!(
                    "`--target`: {target:?} is not a matrix"
                )));
            };
            return Ok(Self::of(matrix, written));
        }
        let mut input = Input::new(given)?;
        if Path::new(&target).exists() {
            let matrix = Matrix::read(given, session)?;
            input.source.clone_from(&target);
            input.sources = vec![target];
            input.options.columns.clear();
            input.options.label = None;
            input.options.id = None;
            let targets = Matrix::of(&input, session)?;
            return Ok(Self::of(matrix, targets));
        }
        if Matrix::written(&input.source)?.is_some() {
            return Err(Failure::Usage(format!(
                "`--target {target}`: there is no such file, and a matrix that is written in the call has no column of this name; write the \
                 target too, such as \"1; 3; 5\""
            )));
        }
        input.options.label = Some(target);
        input.options.label_kind = LabelKind::Numbers;
        let matrix = Matrix::of(&input, session)?;
        let Some((name, Labels::Numbers(values))) = &matrix.label else {
            return Err(Failure::usage("the column of `--target` must hold numbers"));
        };
        let targets: Vec<f64> = values.to_vec();
        Ok(Self {
            names: vec![name.clone()],
            targets: ndarray::Array1::from(targets).insert_axis(Axis(1)),
            files: matrix.files.clone(),
            matrix,
        })
    }

    fn of(matrix: Matrix, targets: Matrix) -> Self {
        let files = matrix.files.iter().chain(&targets.files).cloned().collect();
        let is_line = targets.values.nrows() == 1 && matrix.values.nrows() > 1;
        let values = if is_line {
            targets.values.reversed_axes()
        } else {
            targets.values
        };
        Self {
            names: match values.ncols() {
                1 => vec!["y".into()],
                count => targets.columns.into_iter().take(count).collect(),
            },
            targets: values,
            files,
            matrix,
        }
    }
}

/// Carries out the command.
pub(super) fn run(given: &ArgMatches) -> Outcome {
    let session = Session::new(given)?;
    let problem = Problem::read(given, &session)?;
    let matrix = &problem.matrix;
    let files = Files {
        given,
        inputs: problem.files.clone(),
        tables: vec![("output", "weights"), ("residuals", "residuals")],
        html: false,
    };
    files.check()?;
    let intercept = switch(given, "intercept");
    session.progress.stage("least squares");
    let (x, y) = (matrix.values.view(), problem.targets.view());
    let found = session
        .run()
        .install(|| LeastSquares::of(&x, &y, intercept))
        .map_err(|error| matrix.failed(error))?;
    let (weights, rows) = with_intercept(&found, &matrix.columns);
    files.write("output", || {
        Written::named(
            problem.names.clone(),
            weights.clone(),
            "column",
            rows.clone(),
        )
    })?;
    files.write("residuals", || {
        let (names, values) = (problem.names.clone(), found.residuals.clone());
        Written::named(names, values, "row", matrix.rows.clone())
    })?;
    let json = json!({
        "matrix": matrix.to_json(),
        "targets": problem.names,
        "columns": matrix.columns,
        "weights": nested(given, &found.weights),
        "intercepts": found.intercepts.as_ref().map(|values| values.to_vec()),
        "residual_sum_of_squares": found.residual_squares.to_vec(),
        "r_squared": found.r_squared.to_vec(),
        "rank": found.rank,
        "condition_number": found.condition_number,
        "singular_values": found.singular_values.to_vec(),
    });
    let words = || {
        let mut rows_of = vec![["target", "‖y − X w‖²", "R²"].map(String::from).to_vec()];
        for (index, name) in problem.names.iter().enumerate() {
            let squares = found.residual_squares[index];
            rows_of.push(vec![
                name.clone(),
                number(squares),
                number(found.r_squared[index]),
            ]);
        }
        let deficient = if found.rank < x.nrows().min(x.ncols()) || found.rank < x.ncols() {
            "Several weights fit equally well; these are the shortest.\n"
        } else {
            ""
        };
        format!(
            "{}, rank {}, condition number {}\n{deficient}\nweights\n{}\n{}",
            matrix.sentence(),
            found.rank,
            number(found.condition_number),
            shown(&weights, &rows, &problem.names),
            table(2, &[Side::Left, Side::Right, Side::Right], &rows_of)
        )
    };
    files.conclude(&session, words, json)
}

/// The weights with a last row for the intercept, if there is one.
fn with_intercept(found: &LeastSquares, columns: &[String]) -> (Array2<f64>, Vec<String>) {
    let mut names = columns.to_vec();
    let Some(intercepts) = &found.intercepts else {
        return (found.weights.clone(), names);
    };
    names.push("intercept".into());
    let (n_columns, n_targets) = found.weights.dim();
    let weights = Array2::from_shape_fn((n_columns + 1, n_targets), |(row, target)| {
        if row < n_columns {
            found.weights[[row, target]]
        } else {
            intercepts[target]
        }
    });
    (weights, names)
}
