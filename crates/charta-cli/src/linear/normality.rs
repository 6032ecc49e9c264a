//! `charta linear normality`: Mardia's tests.

use charta::linear::{Mardia, Normality};
use clap::ArgMatches;
use ndarray::Array2;
use serde_json::{Value as Json, json};

use super::{Files, Written};
use crate::failure::{Failure, Outcome};
use crate::format::{Side, count, number, table};
use crate::input::{Input, data_of, text};
use crate::result::Facts;
use crate::session::Session;

/// Carries out the command.
pub(super) fn run(given: &ArgMatches) -> Outcome {
    let input = Input::new(given)?;
    let files = Files {
        given,
        inputs: input.files(None).into_iter().map(String::from).collect(),
        tables: vec![("output", "tests")],
        html: false,
    };
    files.check()?;
    let session = Session::new(given)?;
    let mut read = input.read(&session.progress)?;
    // A label that was only guessed, and holds numbers, is no classes.
    let is_number = matches!(read.labels, Some((_, charta::Labels::Numbers(_))));
    if is_number && text(given, "label").is_none() {
        read.labels = None;
    }
    let facts = Facts::of(&input.source, &read);
    let found = Normality::of(&session.run(), &data_of(&read)?)
        .map_err(|error| Failure::of_data(error, &read))?;
    files.write("output", || written(&found))?;
    let classes: Vec<Json> = found
        .classes
        .iter()
        .map(|(name, test)| json!({"class": name, "test": test.as_ref().map(test_json)}))
        .collect();
    let json = json!({
        "data": facts.to_json(),
        "all": found.all.as_ref().map(test_json),
        "classes": classes,
        "level": found.level,
        "not_normal": found.rejected(),
    });
    files.conclude(&session, || in_words(&found, &facts), json)
}

fn test_json(test: &Mardia) -> Json {
    json!({
        "n_rows": test.n_rows,
        "rank": test.rank,
        "skewness": test.skewness,
        "skewness_statistic": test.skewness_statistic,
        "skewness_degrees": test.skewness_degrees,
        "skewness_p": test.skewness_p,
        "kurtosis": test.kurtosis,
        "kurtosis_statistic": test.kurtosis_statistic,
        "kurtosis_p": test.kurtosis_p,
        "p": test.p_value(),
    })
}

/// All rows first, then each class.
fn tests(found: &Normality) -> Vec<(String, Option<&Mardia>)> {
    let classes = found.classes.iter();
    std::iter::once(("all rows".into(), found.all.as_ref()))
        .chain(classes.map(|(name, test)| (name.clone(), test.as_ref())))
        .collect()
}

fn in_words(found: &Normality, facts: &Facts) -> String {
    let heading = [
        "", "rows", "skewness", "χ²", "df", "p", "kurtosis", "z", "p", "",
    ];
    let mut rows = vec![heading.map(String::from).to_vec()];
    for (name, test) in tests(found) {
        let Some(test) = test else {
            let mut row = vec![name, "too few rows".into()];
            row.resize(heading.len(), String::new());
            rows.push(row);
            continue;
        };
        let rejected = test.p_value() < found.level;
        rows.push(vec![
            name,
            count(test.n_rows),
            number(test.skewness),
            number(test.skewness_statistic),
            count(test.skewness_degrees),
            number(test.skewness_p),
            number(test.kurtosis),
            number(test.kurtosis_statistic),
            number(test.kurtosis_p),
            if rejected { "not normal" } else { "" }.into(),
        ]);
    }
    let mut sides = vec![Side::Right; heading.len()];
    (sides[0], sides[9]) = (Side::Left, Side::Left);
    format!(
        "{}\n\n{}\n\"Not normal\" means that one of the two p-values, doubled, is below {}. A large p-value does not prove normality.\n",
        facts.sentence(),
        table(2, &sides, &rows),
        number(found.level)
    )
}

fn written(found: &Normality) -> Written {
    let tests = tests(found);
    let names = [
        "n_rows",
        "rank",
        "skewness",
        "skewness_statistic",
        "skewness_degrees",
        "skewness_p",
        "kurtosis",
        "kurtosis_statistic",
        "kurtosis_p",
    ];
    let mut values = Array2::from_elem((tests.len(), names.len()), f64::NAN);
    for ((_, test), mut row) in tests.iter().zip(values.rows_mut()) {
        let Some(test) = test else { continue };
        let numbers = [
            test.n_rows as f64,
            test.rank as f64,
            test.skewness,
            test.skewness_statistic,
            test.skewness_degrees as f64,
            test.skewness_p,
            test.kurtosis,
            test.kurtosis_statistic,
            test.kurtosis_p,
        ];
        row.assign(&ndarray::arr1(&numbers));
    }
    let rows = tests.into_iter().map(|(name, _)| name).collect();
    Written::named(names.map(String::from).to_vec(), values, "rows", rows)
}
