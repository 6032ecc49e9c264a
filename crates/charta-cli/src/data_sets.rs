//! `charta data`: the built-in data sets, listed or written to a file.

use std::path::{Path, PathBuf};

use charta_io::{Content, DataSet, Table};
use clap::ArgMatches;
use ndarray::Array2;
use serde_json::{Value as Json, json};

use crate::console;
use crate::failure::{Failure, Outcome};
use crate::format::{Side, count, table, wrap};
use crate::input::{Input, switch, text};
use crate::output;
use crate::progress::Progress;
use crate::result::Facts;

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let input = Input::new(given)?;
    let path = text(given, "output").map(PathBuf::from);
    match (input.source.is_empty(), path) {
        (true, None) => list(switch(given, "json")),
        (true, Some(_)) => Err(Failure::usage(
            "which data set is to be written? `charta data` lists them",
        )),
        (false, None) => describe(&input, switch(given, "json")),
        (false, Some(path)) => write(&input, &path, given),
    }
}

fn to_json(set: &DataSet) -> Json {
    json!({
        "name": set.name,
        "n_rows": set.rows,
        "n_columns": set.columns,
        "title": set.title,
        "source": set.source,
        "licence": set.licence,
        "generated": set.generated,
    })
}

fn list(as_json: bool) -> Outcome {
    let sets = charta_io::data_sets();
    if as_json {
        return console::print_json(&Json::Array(sets.iter().map(to_json).collect()));
    }
    let block = |title: &str, generated: bool| {
        let rows: Vec<Vec<String>> = sets
            .iter()
            .filter(|set| set.generated == generated)
            .flat_map(rows)
            .collect();
        format!(
            "{title}\n{}\n",
            table(2, &[Side::Left, Side::Right, Side::Left], &rows)
        )
    };
    console::print(&format!(
        "{}{}{}",
        block(
            "Stored: also with noise or a class alone, as in digits:class=2,noise=4",
            false
        ),
        block(
            "Generated: any number of rows, as in swiss-roll:5000,noise=0.1,seed=3",
            true
        ),
        "`charta data NAME` describes one, `charta data NAME -o FILE` writes it.\n"
    ))
}

/// What it is, and below a stored one where it comes from and on what terms.
fn rows(set: &DataSet) -> Vec<Vec<String>> {
    let size = format!("{} × {}", count(set.rows), set.columns);
    let mut rows = vec![vec![set.name.into(), size, set.title.into()]];
    if !set.generated {
        let origin = wrap(&format!("{}; {}", set.source, set.licence), 48, 0);
        let line = |text: &str| vec![String::new(), String::new(), format!("  {text}")];
        rows.extend(origin.lines().map(line));
    }
    rows
}

fn describe(input: &Input, as_json: bool) -> Outcome {
    let shape = charta_io::describe(&input.source, &input.options)?;
    let name = input
        .source
        .split(':')
        .next()
        .unwrap_or_default()
        .replace('_', "-");
    let set = charta_io::data_sets().iter().find(|set| set.name == name);
    if as_json {
        let mut report = set.map_or(json!({"name": input.source}), to_json);
        report["n_rows"] = json!(shape.rows);
        report["n_columns"] = json!(shape.columns);
        return console::print_json(&report);
    }
    let mut rows = vec![
        vec!["name".to_string(), input.source.clone()],
        vec![
            "size".into(),
            format!("{} × {}", count(shape.rows), count(shape.columns)),
        ],
    ];
    if let Some(set) = set {
        for (title, value) in [
            ("what", set.title),
            ("source", set.source),
            ("licence", set.licence),
        ] {
            rows.push(vec![title.into(), wrap(value, 70, 9)]);
        }
    }
    let mut page = table(0, &[Side::Left, Side::Left], &rows);
    page.push_str(&format!(
        "\nWrite it with `charta data {} -o FILE`.\n",
        input.source
    ));
    console::print(&page)
}

fn write(input: &Input, path: &Path, given: &ArgMatches) -> Outcome {
    output::check_table(path, &input.files(None))?;
    let progress = Progress::new(true);
    let read = input.read(&progress)?;
    let facts = Facts::of(&input.source, &read);
    let values = dense(&read);
    output::write_table(path, &read, names(&read), values.view())?;
    if switch(given, "json") {
        let file = path.display().to_string();
        return console::print_json(&json!({"data": facts.to_json(), "files": [file]}));
    }
    if switch(given, "quiet") || path.as_os_str() == "-" {
        return Ok(());
    }
    console::print(&format!("{}\nwrote {}\n", facts.sentence(), path.display()))
}

fn names(table: &Table) -> Vec<String> {
    match (&table.content, &table.column_names, &table.row_names) {
        (_, Some(names), _) => names.clone(),
        // Distances are between the rows, which the columns are too.
        (Content::Distances(_) | Content::Kernel(_), None, Some(names)) => names.clone(),
        _ => (0..table.n_columns())
            .map(|place| format!("x{place}"))
            .collect(),
    }
}

fn dense(table: &Table) -> Array2<f64> {
    match &table.content {
        Content::Features(features) => features.view().dense_rows(0, table.n_rows()),
        Content::Distances(matrix) | Content::Kernel(matrix) => matrix.clone(),
    }
}
