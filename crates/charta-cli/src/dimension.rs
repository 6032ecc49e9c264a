//! `charta dimension`: the intrinsic dimension, by all estimators side by side.

use std::path::{Path, PathBuf};

use charta::dimension::{IntrinsicOptions, Report, Verdict};
use charta::neighbors::Search;
use charta_io::Table;
use charta_plot::{Bars, Format};
use clap::ArgMatches;
use ndarray::{Array2, Axis};
use serde_json::{Value as Json, json};

use crate::error_wording::Words;
use crate::failure::{Failure, Outcome};
use crate::fit::{scale_features, scaling};
use crate::format::{Side, count, number, seconds, table, wrap};
use crate::input::{Input, data_of, text};
use crate::output::{check_file, check_picture, check_table, detail, write_table};
use crate::quality::search;
use crate::result::Facts;
use crate::session::{Session, whole};
use crate::{console, scree, signals, summary};

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let input = Input::new(given)?;
    let (output, plot) = (
        text(given, "output").map(PathBuf::from),
        text(given, "plot").map(PathBuf::from),
    );
    if let Some(path) = &output {
        check_table(path, &input.files(None))?;
    }
    if let Some(path) = &plot {
        check_picture(path, false)?;
        check_file(path, &input.files(None))?;
    }
    let (options, scree_options) = (options(given)?, scree::options(given)?);
    let session = Session::new(given)?;
    let mut read = input.read(&session.progress)?;
    let facts = Facts::of(&input.source, &read);
    scale_features(scaling(given), &session, &mut read)?;
    let failed = |error| Failure::of_data(error, &facts.name);
    let (run, data) = (session.run(), data_of(&read)?);
    let found = Report::of(&run, &data, &options, &scree_options).map_err(failed)?;
    session.progress.stage("writing");
    signals::check()?;
    if let Some(path) = &plot {
        charta_io::write_atomically(path, &draw(&found, &facts, path)?)?;
    }
    if let Some(path) = &output {
        write_rows(path, &read, &found)?;
    }
    session.progress.finish();
    let files = [("dimension of the rows", &output), ("plot", &plot)];
    match detail(given) {
        Some(_) => console::print_json(&to_json(&found, &facts, &session, &files)),
        None if session.quiet || output.as_deref() == Some(Path::new("-")) => Ok(()),
        None => console::print(&in_words(&found, &facts, &session, &files)),
    }
}

fn options(given: &ArgMatches) -> Outcome<IntrinsicOptions> {
    let mut options = IntrinsicOptions {
        search: search(given, Search::default())?,
        ..IntrinsicOptions::default()
    };
    if let Some(text) = text(given, "n-neighbors") {
        let wrong = || {
            Failure::Usage(format!(
                "`--n-neighbors` must be a number of at least 2 or a range such as 10-20, got {text}"
            ))
        };
        let (first, last) = text.split_once('-').unwrap_or((&text, &text));
        match (first.trim().parse::<usize>(), last.trim().parse::<usize>()) {
            (Ok(first), Ok(last)) if first >= 2 && first <= last => {
                (options.first, options.last) = (first, last);
            }
            _ => return Err(wrong()),
        }
    }
    if let Some(text) = text(given, "local-neighbors") {
        options.local = whole("local-neighbors", &text)?;
    }
    if let Some(text) = text(given, "discard") {
        options.discard = match text.parse::<f64>() {
            Ok(share) if (0.0..1.0).contains(&share) => share,
            _ => {
                return Err(Failure::Usage(format!(
                    "`--discard` must be at least 0 and below 1, got {text}"
                )));
            }
        };
    }
    Ok(options)
}

fn in_words(
    found: &Report,
    facts: &Facts,
    session: &Session,
    files: &[(&'static str, &Option<PathBuf>)],
) -> String {
    let mut rows = vec![
        ["estimator", "dimension", "median of the rows", ""]
            .map(String::from)
            .to_vec(),
    ];
    for estimate in found.estimates() {
        let shown = |value: Option<f64>| value.map_or_else(|| "–".into(), number);
        rows.push(vec![
            estimate.name,
            shown(estimate.dimension),
            estimate.of_rows.map_or_else(String::new, number),
            (estimate.note)
                .map_or_else(String::new, |note| Words::plain(|words| note.render(words))),
        ]);
    }
    let sides = [Side::Left, Side::Right, Side::Right, Side::Left];
    let mut text = format!(
        "{}\n\n{}\n{}",
        facts.sentence(),
        verdict(&found.verdict),
        table(2, &sides, &rows)
    );
    let rules = found.rules();
    if !rules.is_empty() {
        let mut rows = vec![
            ["rule for the number of components", "components"]
                .map(String::from)
                .to_vec(),
        ];
        rows.extend(
            rules
                .into_iter()
                .map(|(rule, kept)| vec![rule, kept.map_or_else(|| "–".into(), count)]),
        );
        text.push_str(&format!(
            "\n{}",
            table(2, &[Side::Left, Side::Right], &rows)
        ));
        text.extend(found.scree.as_ref().map(scree::parallel));
        let recommended = found.scree.as_ref().map(scree::recommendation);
        text.extend(recommended.map(|text| format!("\n{}\n", wrap(&text, 78, 0))));
    }
    text.push_str(&format!("\n{}\n", seconds(session.progress.seconds())));
    let written = files
        .iter()
        .filter_map(|(what, path)| Some((*what, path.as_deref()?)));
    text + &summary::wrote(written)
}

/// The dimension and its reasons.
fn verdict(verdict: &Verdict) -> String {
    let mut text = format!("Intrinsic dimension: {}\n", verdict.dimension);
    for reason in &verdict.reasons {
        let reason = Words::plain(|words| reason.render(words));
        text.push_str(&format!("  - {}\n", wrap(&reason, 76, 4)));
    }
    text
}

fn to_json(
    found: &Report,
    facts: &Facts,
    session: &Session,
    files: &[(&str, &Option<PathBuf>)],
) -> Json {
    let files: Vec<String> = files
        .iter()
        .filter_map(|(_, path)| Some(path.as_ref()?.display().to_string()))
        .collect();
    let mut json = Words::plain(|words| found.to_json(words));
    json["data"] = facts.to_json();
    json["warnings"] = json!(session.progress.warnings());
    json["seconds"] = json!(session.progress.seconds());
    json["files"] = json!(files);
    json
}

fn draw(found: &Report, facts: &Facts, path: &Path) -> Outcome<Vec<u8>> {
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for estimate in found.estimates() {
        if let Some(dimension) = estimate.dimension {
            names.push(estimate.name);
            values.push(dimension);
        }
    }
    let picture = Bars {
        names: &names,
        title: format!(
            "Intrinsic dimension of {}: {}",
            facts.name, found.verdict.dimension
        ),
        subtitle: format!("{} · estimates of each estimator", facts.size()),
        axis: "dimension".into(),
        horizontal: true,
        ..Bars::new(&values)
    };
    Ok(picture.draw(Format::from_path(path)?)?)
}

/// A column for each estimator that estimates the dimension at every row.
fn write_rows(path: &Path, read: &Table, found: &Report) -> Outcome {
    let local: Vec<_> = found
        .intrinsic
        .estimates
        .iter()
        .filter_map(|estimate| Some((estimate.name, estimate.of_rows.as_ref()?)))
        .collect();
    let mut values = Array2::zeros((read.n_rows(), local.len()));
    for (mut target, (_, column)) in values.axis_iter_mut(Axis(1)).zip(&local) {
        target.assign(column);
    }
    let names = local.iter().map(|(name, _)| name.to_string()).collect();
    write_table(path, read, names, values.view())
}
