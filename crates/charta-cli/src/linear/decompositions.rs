//! `charta linear eigen`, `svd` and `pseudo-inverse`.

use charta::linear::{self, Eigen, Svd};
use charta::random::{normal, stream};
use charta_plot::LinearMap;
use clap::ArgMatches;
use ndarray::Array2;
use serde_json::{Value as Json, json};

use super::matrix::{Matrix, nested, shown};
use super::{Files, Written, numbered};
use crate::failure::{Failure, Outcome};
use crate::format::{Side, number, percent, table};
use crate::input::text;
use crate::session::{Session, seed, whole};

/// Points of the cloud that a matrix is drawn with.
const CLOUD: usize = 400;
/// Eigenvalues or singular values shown.
const MOST_SHOWN: usize = 12;
/// A condition of the eigenvectors above which the matrix is said to have too few.
const DEFECTIVE: f64 = 1e8;

/// `charta linear eigen`.
pub(super) fn eigen(given: &ArgMatches) -> Outcome {
    let session = Session::new(given)?;
    let matrix = Matrix::read(given, &session)?;
    let files = Files {
        given,
        inputs: matrix.files.clone(),
        tables: vec![("output", "eigenvectors")],
        html: true,
    };
    files.check()?;
    if text(given, "plot").is_some() && matrix.values.dim() != (2, 2) {
        let (rows, columns) = matrix.values.dim();
        return Err(Failure::Usage(format!(
            "`--plot` draws what a matrix of 2 rows and 2 columns does to the plane; this one is {rows} × {columns}"
        )));
    }
    session.progress.stage("eigenvectors");
    let found = session
        .run()
        .install(|| Eigen::of(&matrix.values.view()))
        .map_err(|error| matrix.failed(error))?;
    let seed = seed(given)?;
    files.draw(|format| Ok(picture(&matrix, &found, seed).draw(&found, format)?))?;
    files.write("output", || vectors(&matrix, &found))?;
    let json = json!({
        "matrix": matrix.to_json(),
        "symmetric": found.symmetric,
        "eigenvalues": values_json(&found),
        "vectors": nested(given, &found.vectors_real),
        "vectors_imaginary": if found.is_real() { Json::Null } else { nested(given, &found.vectors_imaginary) },
        "trace": found.real.sum(),
        "determinant": found.determinant(),
        "residual": found.residual,
        "condition_of_vectors": found.vectors_condition,
    });
    files.conclude(&session, || eigen_in_words(&matrix, &found), json)
}

fn values_json(found: &Eigen) -> Vec<Json> {
    let values = found.real.iter().zip(&found.imaginary);
    values
        .map(|(re, im)| json!({"real": re, "imaginary": im}))
        .collect()
}

fn complex(re: f64, im: f64) -> String {
    if im == 0.0 {
        return number(re);
    }
    let sign = if im < 0.0 { '−' } else { '+' };
    format!("{} {sign} {}i", number(re), number(im.abs()))
}

fn eigen_in_words(matrix: &Matrix, found: &Eigen) -> String {
    let kind = match (found.symmetric, found.is_real()) {
        (true, _) => "symmetric: real eigenvalues, orthogonal eigenvectors",
        (false, true) => "not symmetric, all eigenvalues real",
        (false, false) => "not symmetric, some eigenvalues complex",
    };
    let mut text = format!("{}, {kind}\n\n", matrix.sentence());
    let count = found.len();
    let some = count.min(MOST_SHOWN);
    let mut rows = vec![vec![
        "eigenvalue".to_owned(),
        String::new(),
        "eigenvector".to_owned(),
    ]];
    for j in 0..some {
        let entries = found.vectors_real.column(j);
        let entries: Vec<String> = entries
            .iter()
            .zip(found.vectors_imaginary.column(j))
            .take(8)
            .map(|(&re, &im)| complex(re, im))
            .collect();
        let more = if count > 8 { ", …" } else { "" };
        rows.push(vec![
            format!("λ{}", j + 1),
            complex(found.real[j], found.imaginary[j]),
            format!("({}{more})", entries.join(", ")),
        ]);
    }
    text.push_str(&table(2, &[Side::Left, Side::Right, Side::Left], &rows));
    if some < count {
        text.push_str(&format!("  … and {} more\n", count - some));
    }
    text.push_str(&format!(
        "\ntrace {}, determinant {}, largest ‖A v − λ v‖ {}\n",
        number(found.real.sum()),
        number(found.determinant()),
        number(found.residual)
    ));
    if found.vectors_condition > DEFECTIVE {
        text.push_str(
            "The matrix has fewer independent eigenvectors than rows, or nearly so (it is defective).\n",
        );
    }
    text
}

/// The vectors, one a column; of complex ones both parts.
fn vectors(matrix: &Matrix, found: &Eigen) -> Written {
    let size = found.len();
    let named = |names: Vec<String>, values: Array2<f64>| {
        Written::named(names, values, "entry", matrix.columns.clone())
    };
    if found.is_real() {
        return named(numbered("v", size), found.vectors_real.clone());
    }
    let names =
        (1..=size).flat_map(|number| [format!("v{number}_real"), format!("v{number}_imaginary")]);
    let values = Array2::from_shape_fn((size, 2 * size), |(i, j)| {
        let part = [&found.vectors_real, &found.vectors_imaginary][j % 2];
        part[[i, j / 2]]
    });
    named(names.collect(), values)
}

/// What the picture shows.
struct Shown {
    matrix: [[f64; 2]; 2],
    cloud: Vec<[f64; 2]>,
    vectors: Vec<[f64; 2]>,
}

fn picture(matrix: &Matrix, found: &Eigen, seed: u64) -> Shown {
    let at = |i, j| matrix.values[[i, j]];
    let mut stream = stream(seed, 0);
    let vectors = (0..2).filter(|&j| found.imaginary[j] == 0.0);
    Shown {
        matrix: [[at(0, 0), at(0, 1)], [at(1, 0), at(1, 1)]],
        cloud: (0..CLOUD)
            .map(|_| [normal(&mut stream), normal(&mut stream)])
            .collect(),
        vectors: vectors
            .map(|j| [found.vectors_real[[0, j]], found.vectors_real[[1, j]]])
            .collect(),
    }
}

impl Shown {
    fn draw(&self, found: &Eigen, format: charta_plot::Format) -> charta_plot::Result<Vec<u8>> {
        let [[a, b], [c, d]] = self.matrix.map(|row| row.map(number));
        let subtitle = if self.vectors.is_empty() {
            "complex eigenvalues: no direction is kept".to_owned()
        } else {
            let values: Vec<String> = (0..2)
                .map(|j| {
                    format!(
                        "λ{} = {}",
                        j + 1,
                        complex(found.real[j], found.imaginary[j])
                    )
                })
                .collect();
            format!(
                "{} · A v = λ v: vectors blue, their images magenta",
                values.join(", ")
            )
        };
        let map = LinearMap {
            points: &self.cloud,
            vectors: &self.vectors,
            title: format!("A = [{a} {b}; {c} {d}]"),
            subtitle,
            ..LinearMap::new(self.matrix)
        };
        map.draw(format)
    }
}

/// `charta linear svd`.
pub(super) fn svd(given: &ArgMatches) -> Outcome {
    let session = Session::new(given)?;
    let matrix = Matrix::read(given, &session)?;
    let files = Files {
        given,
        inputs: matrix.files.clone(),
        tables: vec![
            ("output", "right singular vectors"),
            ("left", "left singular vectors"),
            ("approximation", "approximation"),
        ],
        html: false,
    };
    files.check()?;
    let wanted = text(given, "rank")
        .map(|word| whole("rank", &word))
        .transpose()?;
    session.progress.stage("singular values");
    let found = session
        .run()
        .install(|| Svd::of(&matrix.values.view()))
        .map_err(|error| matrix.failed(error))?;
    let rank = wanted.unwrap_or(found.rank().max(1));
    let sum = found
        .approximation(rank)
        .map_err(|error| matrix.failed(error))?;
    let names = || numbered("v", found.values.len());
    files.write("output", || {
        Written::named(
            names(),
            found.right.clone(),
            "column",
            matrix.columns.clone(),
        )
    })?;
    files.write("left", || {
        let names = numbered("u", found.values.len());
        Written::named(names, found.left.clone(), "row", matrix.rows.clone())
    })?;
    files.write("approximation", || {
        Written::named(
            matrix.columns.clone(),
            sum.clone(),
            "row",
            matrix.rows.clone(),
        )
    })?;
    let error = (&sum - &matrix.values)
        .mapv(|value| value * value)
        .sum()
        .sqrt();
    let json = json!({
        "matrix": matrix.to_json(),
        "singular_values": found.values.to_vec(),
        "proportions": found.proportions().to_vec(),
        "rank": found.rank(),
        "condition_number": found.condition_number(),
        "left": nested(given, &found.left),
        "right": nested(given, &found.right),
        "approximation": {"rank": rank, "error": error, "matrix": wanted.map(|_| nested(given, &sum))},
    });
    let words = || {
        let mut rows = vec![vec!["".to_owned(), "σ".into(), "proportion of Σ σ²".into()]];
        let listed = found.values.iter().zip(found.proportions()).enumerate();
        for (index, (value, share)) in listed.take(MOST_SHOWN) {
            rows.push(vec![
                (index + 1).to_string(),
                number(*value),
                percent(share),
            ]);
        }
        let sides = [Side::Right, Side::Right, Side::Right];
        let mut text = format!("{}\n\n{}", matrix.sentence(), table(2, &sides, &rows));
        let left_out = found.values.len().saturating_sub(MOST_SHOWN);
        if left_out > 0 {
            text.push_str(&format!("  … and {left_out} more\n"));
        }
        text.push_str(&format!(
            "\nrank {}, condition number {}\n\nright singular vectors V\n{}\nleft singular vectors U\n{}",
            found.rank(),
            number(found.condition_number()),
            shown(&found.right, &matrix.columns, &names()),
            shown(&found.left, &matrix.rows, &numbered("u", found.values.len()))
        ));
        if wanted.is_some() {
            text.push_str(&format!(
                "\nsum of the first {rank}: ‖X − X̂‖ {}\n{}",
                number(error),
                shown(&sum, &matrix.rows, &matrix.columns)
            ));
        }
        text
    };
    files.conclude(&session, words, json)
}

/// `charta linear pseudo-inverse`.
pub(super) fn pseudo_inverse(given: &ArgMatches) -> Outcome {
    let session = Session::new(given)?;
    let matrix = Matrix::read(given, &session)?;
    let files = Files {
        given,
        inputs: matrix.files.clone(),
        tables: vec![("output", "pseudo-inverse")],
        html: false,
    };
    files.check()?;
    session.progress.stage("singular values");
    let view = matrix.values.view();
    let (svd, inverse) = session
        .run()
        .install(|| Ok((Svd::of(&view)?, linear::pseudo_inverse(&view)?)))
        .map_err(|error| matrix.failed(error))?;
    files.write("output", || {
        let (rows, names) = (matrix.columns.clone(), matrix.rows.clone());
        Written::named(names, inverse.clone(), "column", rows)
    })?;
    let json = json!({
        "matrix": matrix.to_json(),
        "rank": svd.rank(),
        "condition_number": svd.condition_number(),
        "pseudo_inverse": nested(given, &inverse),
    });
    let words = || {
        format!(
            "{}, rank {}, condition number {}\n\n{}",
            matrix.sentence(),
            svd.rank(),
            number(svd.condition_number()),
            shown(&inverse, &matrix.columns, &matrix.rows)
        )
    };
    files.conclude(&session, words, json)
}
