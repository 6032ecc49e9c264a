//! `charta linear covariance`, `scatter` and `correlation`.

use charta::linear::Covariances;
use charta_plot::Loadings;
use clap::ArgMatches;
use ndarray::Array2;
use serde_json::json;

use super::matrix::{nested, shown};
use super::{Files, Written, column_names};
use crate::cli::linear::{CORRELATION, SCATTER};
use crate::failure::{Failure, Outcome};
use crate::format::{count, number};
use crate::input::{Input, data_of, switch, text};
use crate::result::Facts;
use crate::session::Session;

/// The matrix that a command is about, of a scatter matrix.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Covariance { population: bool },
    Scatter,
    Correlation,
}

impl Kind {
    fn of(name: &str, given: &ArgMatches) -> Self {
        match name {
            SCATTER => Self::Scatter,
            CORRELATION => Self::Correlation,
            _ => Self::Covariance {
                population: switch(given, "population"),
            },
        }
    }

    fn matrix(self, found: &Covariances, scatter: &Array2<f64>) -> Array2<f64> {
        match self {
            Self::Covariance { population } => found.covariance(scatter, population),
            Self::Scatter => scatter.clone(),
            Self::Correlation => Covariances::correlation(scatter),
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Covariance { population: false } => "covariance (divisor n − 1)",
            Self::Covariance { population: true } => "covariance of the population (divisor n)",
            Self::Scatter => "scatter",
            Self::Correlation => "correlation",
        }
    }
}

/// Carries out the command.
pub(super) fn run(name: &str, given: &ArgMatches) -> Outcome {
    let (kind, part) = (
        Kind::of(name, given),
        text(given, "part").unwrap_or_else(|| "total".into()),
    );
    let input = Input::new(given)?;
    let files = Files {
        given,
        inputs: input.files(None).into_iter().map(String::from).collect(),
        tables: vec![("output", "matrix")],
        html: false,
    };
    files.check()?;
    let session = Session::new(given)?;
    let mut table = input.read(&session.progress)?;
    // Labels that are numbers are no classes, and only the parts need classes.
    let is_number = matches!(table.labels, Some((_, charta::Labels::Numbers(_))));
    if part == "total" && is_number && text(given, "label-kind").is_none() {
        table.labels = None;
    }
    let facts = Facts::of(&input.source, &table);
    let found = Covariances::of(&session.run(), &data_of(&table)?)
        .map_err(|error| Failure::of_data(error, &table))?;
    let of_parts = found.classes.as_ref();
    let scatter = match (part.as_str(), of_parts) {
        ("total", _) => &found.scatter,
        ("within", Some(classes)) => &classes.within,
        ("between", Some(classes)) => &classes.between,
        _ => {
            return Err(Failure::Usage(format!(
                "`--part {part}` needs classes: name their column with `--label COLUMN`"
            )));
        }
    };
    let matrix = kind.matrix(&found, scatter);
    let columns = column_names(&table);
    files.draw(|format| {
        let values: Vec<Vec<f64>> = matrix.rows().into_iter().map(|row| row.to_vec()).collect();
        let picture = Loadings {
            component_names: &columns,
            title: format!("{}: {}", facts.name, title(kind, &part)),
            subtitle: facts.size(),
            ..Loadings::new(&values, &columns)
        };
        Ok(picture.draw(format)?)
    })?;
    files.write("output", || {
        Written::named(columns.clone(), matrix.clone(), "column", columns.clone())
    })?;
    let parts = of_parts.map(|classes| {
        json!({
            "names": classes.names,
            "counts": classes.counts,
            "means": nested(given, &classes.means),
            "within": nested(given, &kind.matrix(&found, &classes.within)),
            "between": nested(given, &kind.matrix(&found, &classes.between)),
        })
    });
    let json = json!({
        "data": facts.to_json(),
        "kind": name,
        "part": part,
        "population": kind == Kind::Covariance { population: true },
        "columns": columns,
        "mean": found.mean.to_vec(),
        "matrix": nested(given, &matrix),
        "classes": parts,
    });
    let words = || {
        let mut text = format!(
            "{}\n\n{}\n{}",
            facts.sentence(),
            title(kind, &part),
            shown(&matrix, &columns, &columns)
        );
        if kind != Kind::Correlation {
            text.push_str(&format!("\ntrace {}", number(matrix.diag().sum())));
            if let Some(classes) = of_parts {
                let share = classes.between.diag().sum() / found.scatter.diag().sum();
                text.push_str(&format!(
                    "; between the {} classes {} of the whole",
                    count(classes.names.len()),
                    crate::format::percent(share)
                ));
            }
            text.push('\n');
        }
        text
    };
    files.conclude(&session, words, json)
}

fn title(kind: Kind, part: &str) -> String {
    match part {
        "within" => format!("{} within classes", kind.title()),
        "between" => format!("{} between classes", kind.title()),
        _ => kind.title().into(),
    }
}
