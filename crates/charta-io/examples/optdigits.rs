//! How well a few coordinates keep ten kinds of handwritten digits apart: a Markdown table.
//!
//! Usage: cargo run --release -p charta-io --example optdigits -- optdigits.npz
//!
//! The file holds `X`, 5,620 × 64, and `y`: the 3,823 training rows of the UCI optical digits, then the 1,797
//! test rows. Each method is fitted on the training rows; test rows get the class of their nearest training
//! row among the coordinates.

use std::io::Write;

use charta::data::OwnedFeatures;
use charta::methods::find;
use charta::pipeline::Fitted;
use charta::quality::nearest_accuracy;
use charta::{Data, Error, Features, Labels, Run};
use charta_io::{Content, ReadOptions, read};
use ndarray::Array2;
use serde_json::json;

type Failure = Box<dyn std::error::Error>;

const N_TRAINING: usize = 3823;
const COUNTS: [usize; 3] = [2, 9, 20];
const METHODS: [&str; 6] = [
    "pca",
    "karhunen_loeve",
    "lda",
    "factor_analysis",
    "ica",
    "nmf",
];

/// Rows with their classes.
struct Digits {
    rows: Array2<f64>,
    classes: Vec<u32>,
}

impl Digits {
    fn accuracy(&self, test: &Self) -> Result<f64, Error> {
        nearest_accuracy(
            &Run::new(),
            &self.rows.view(),
            &self.classes,
            &test.rows.view(),
            &test.classes,
            1,
        )
    }

    fn labels(&self) -> Labels<'static> {
        Labels::numbers(
            self.classes
                .iter()
                .map(|&class| f64::from(class))
                .collect::<Vec<_>>(),
        )
    }
}

fn main() -> Result<(), Failure> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: optdigits optdigits.npz")?;
    let (training, test) = load(&path)?;
    let mut out = std::io::stdout();
    writeln!(
        out,
        "| 1-NN accuracy, % | {} |",
        COUNTS.map(|k| format!("k = {k}")).join(" | ")
    )?;
    writeln!(out, "|---|{}", "---|".repeat(COUNTS.len()))?;
    for method in METHODS {
        let mut cells = Vec::new();
        for count in COUNTS {
            cells.push(cell(method, count, &training, &test)?);
        }
        writeln!(out, "| `{method}` | {} |", cells.join(" | "))?;
    }
    let raw = 100.0 * training.accuracy(&test)?;
    writeln!(
        out,
        "| all 64 columns | {} |",
        vec![format!("{raw:.2}"); COUNTS.len()].join(" | ")
    )?;
    Ok(())
}

/// The accuracy in percent; a dash where the method has fewer coordinates.
fn cell(method: &str, count: usize, training: &Digits, test: &Digits) -> Result<String, Failure> {
    let run = Run::new();
    let data = Data::from(&training.rows).with_labels(training.labels())?;
    let parameters = json!({ "n_components": count });
    let fitted = match find(method)?
        .parse(&parameters)
        .and_then(|method| Fitted::fit(method.as_ref(), &run, &data, None))
    {
        Ok(fitted) => fitted,
        Err(Error::Parameter { name, .. }) if name == "n_components" => return Ok("–".into()),
        Err(error) => return Err(error.into()),
    };
    let place = |digits: &Digits| {
        Ok::<_, Error>(Digits {
            rows: fitted.transform(&run, &Data::from(&digits.rows))?,
            classes: digits.classes.clone(),
        })
    };
    let accuracy = place(training)?.accuracy(&place(test)?)?;
    Ok(format!("{:.2}", 100.0 * accuracy))
}

fn load(path: &str) -> Result<(Digits, Digits), Failure> {
    let table = |array: &str| {
        let options = ReadOptions {
            array: Some(array.into()),
            ..ReadOptions::default()
        };
        match read(path, &options)?.content {
            Content::Features(features) => Ok::<_, Failure>(features),
            _ => Err("features were expected".into()),
        }
    };
    let (rows, classes) = (table("X")?, table("y")?);
    let part = |start, end| Digits {
        rows: rows.view().dense_rows(start, end),
        classes: column(&classes.view().rows(start, end)),
    };
    let n_rows = OwnedFeatures::view(&rows).n_rows();
    Ok((part(0, N_TRAINING), part(N_TRAINING, n_rows)))
}

fn column(features: &Features<'_>) -> Vec<u32> {
    (0..features.n_rows())
        .map(|row| features.value(row, 0) as u32)
        .collect()
}
