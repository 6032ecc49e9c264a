//! The end of a run in words.

use std::path::Path;

use charta::dimension::residual_elbow;
use charta::model::{Diagnostics, ErasedModel, Figure};
use charta::pipeline::Fitted;
use ndarray::Array1;

use crate::fit::scaling_name;
use crate::format::{Side, counted, number, percent, seconds, table, wrap};
use crate::output::Outputs;
use crate::quality_report;
use crate::result::Finished;
use crate::session::Session;

/// Components shown one by one.
const MOST_COMPONENTS: usize = 10;
/// Figures of components shown side by side.
const MOST_VECTORS: usize = 5;
/// Numbers of a vector shown in one line.
const MOST_IN_LINE: usize = 6;
/// Lists of more words are in JSON only.
const MOST_WORDS: usize = 40;
/// Residual variance with one, two … coordinates: shown even where it is longer.
const RESIDUAL: &str = "residual_variance";
/// Numbers of it that are shown.
const MOST_RESIDUALS: usize = 12;
/// Rows without coordinates.
const LEFT_OUT: &str = "n_left_out";
/// Rows that have coordinates, but took no part in the fit.
const NOT_FITTED: &str = "rows_left_out";
/// Rows of those that are named.
const MOST_NAMED: usize = 20;
/// Counts that are not shown while they have these values.
const UNREMARKABLE: [(&str, usize); 3] = [
    ("n_connected_components", 1),
    ("n_bridges", 0),
    (LEFT_OUT, 0),
];
/// Names of figures in the summary, where the key alone is not clear.
const CLEAR_NAMES: [(&str, &str); 19] = [
    (RESIDUAL, "residual variance by coordinates"),
    ("n_connected_components", "connected components"),
    ("n_bridges", "edges added to connect them"),
    (LEFT_OUT, "rows left out"),
    ("n_rows_left_out", "rows left out of the fit"),
    (NOT_FITTED, "which rows"),
    ("n_rows_measured", "rows measured"),
    (
        "negative_fraction",
        "negative eigenvalues (fraction of all)",
    ),
    ("n_negative", "number of negative eigenvalues"),
    ("last_decrease", "last relative decrease of the error"),
    ("n_validation", "validation rows"),
    ("n_mid_near", "mid-near pairs per row"),
    ("n_further", "further pairs per row"),
    ("n_duplicates", "duplicate rows"),
    ("pre_image", "pre-image"),
    ("search", "neighbour search"),
    ("n_landmarks", "landmarks"),
    ("nystrom_error", "error of the Nyström approximation"),
    ("stress_of_initializations", "stress of each initialization"),
];
/// The fraction of each component, which is added up too.
const SHARES: &str = "explained_variance_ratio";
/// Figures of components that come first.
const FIRST: [&str; 3] = ["explained_variance", SHARES, "correlations"];
/// Figures with a number for each feature, whatever the number of components.
const OF_FEATURES: [&str; 4] = ["mean", "communalities", "standard_deviation", "intercept"];
/// Seconds above which a stage is named.
const WORTH_NAMING: f64 = 0.005;
/// Figures that the rest of the summary has already.
const SHOWN_ELSEWHERE: [&str; 6] = [
    "n_components",
    "n_rows",
    "n_columns",
    "rule",
    "solver",
    "n_rows_of_negative_fraction",
];

/// The summary of a fit.
pub(crate) fn fit(finished: &Finished, outputs: &Outputs, session: &Session) -> String {
    let fitted = &finished.fitted;
    let figures = fitted.diagnostics();
    let mut text = format!(
        "{}\n{}\n\n",
        finished.facts.sentence(),
        headline(fitted, &figures)
    );
    text.push_str(&components(fitted, &figures));
    text.push_str(&scalars(fitted, &figures, finished.row_names.as_deref()));
    if let Some(quality) = &finished.quality {
        text.push_str(&format!(
            "Quality, {}:\n  {}\n",
            quality_report::measured(&quality.report),
            quality.in_words()
        ));
    }
    if let Some(errors) = &finished.errors {
        text.push_str(&errors.in_words());
    }
    if let Some(path) = &finished.path {
        text.push_str(&path.in_words());
    }
    // Shown among the figures already, if the model left them out.
    if figures.value(LEFT_OUT) != Some(finished.n_without_coordinates as f64) {
        text.push_str(&without_coordinates(finished.n_without_coordinates));
    }
    if session.progress.ended_early() {
        text.push_str("Interrupted: the embedding is unfinished.\n");
    }
    text.push_str(&ending(outputs, session));
    if outputs.is_empty() {
        text.push_str(
            "\nThe coordinates are not kept: write them with `-o FILE`, a picture with `--plot FILE`,\n\
             the model with `--save FILE`.\n",
        );
    }
    text
}

/// The summary of new rows that a model transformed.
pub(crate) fn transformed(finished: &Finished, outputs: &Outputs, session: &Session) -> String {
    let fitted = &finished.fitted;
    let mut text = format!(
        "{}\ntransformed by {}, {}\n",
        finished.facts.sentence(),
        fitted.entry().info.title,
        extent(fitted)
    );
    text.push_str(&without_coordinates(finished.n_without_coordinates));
    if let Some(errors) = &finished.errors {
        text.push_str(&errors.in_words());
    }
    text.push_str(&ending(outputs, session));
    if outputs.is_empty() {
        text.push_str("\nThe coordinates are not kept: write them with `-o FILE`, a picture with `--plot FILE`.\n");
    }
    text
}

/// Rows that the map leaves out.
fn without_coordinates(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "1 row has no coordinates: they are empty in the output.\n".into(),
        _ => format!(
            "{} have no coordinates: they are empty in the output.\n",
            counted(count, "row")
        ),
    }
}

fn headline(fitted: &Fitted, figures: &Diagnostics) -> String {
    let count = fitted.model().n_components() / n_views(fitted.model());
    let mut text = format!("{}: {}", fitted.entry().info.title, extent(fitted));
    if let Some(Figure::Text(solver)) = figures.get("solver") {
        text.push_str(&format!(", solver `{solver}`"));
    }
    match figures.get("rule") {
        Some(Figure::Text(rule)) if rule.parse() != Ok(count) => {
            text.push_str(&format!(", chosen by `{rule}`"));
        }
        _ => {}
    }
    if let Some(scaler) = fitted.scaler() {
        text.push_str(&format!(", scaled by `{}`", scaling_name(scaler.kind())));
    }
    text
}

/// How many coordinates rows have, in words.
fn extent(fitted: &Fitted) -> String {
    let (count, n_views) = (fitted.model().n_components(), n_views(fitted.model()));
    match n_views {
        1 => counted(count, "coordinate"),
        _ => format!(
            "{} in each of {n_views} views",
            counted(count / n_views, "component")
        ),
    }
}

/// Views of a model; 1 for a model without.
pub(crate) fn n_views(model: &dyn ErasedModel) -> usize {
    let views = model.as_views().map(|views| views.widths().len());
    views.unwrap_or(1).max(1)
}

/// Names of figures in a table of components that are shorter than the figures' own.
const SHORT_NAMES: [(&str, &str); 3] = [
    ("explained_variance", "variance"),
    (SHARES, "proportion"),
    ("correlations", "correlation"),
];

/// What is known of each component: its variance, its proportion, whatever has a number for each.
pub(crate) fn components(fitted: &Fitted, figures: &Diagnostics) -> String {
    let vectors = of_components(figures);
    if vectors.is_empty() {
        return String::new();
    }
    let mut heading = vec!["component".to_string()];
    for (name, _) in &vectors {
        heading.push(short_name(name));
        if *name == SHARES {
            heading.push("cumulative".into());
        }
    }
    let sides: Vec<Side> = (0..heading.len())
        .map(|column| if column == 0 { Side::Left } else { Side::Right })
        .collect();
    let names = component_names(fitted);
    let mut rows = vec![heading];
    for (place, name) in names.iter().enumerate().take(MOST_COMPONENTS) {
        let mut row = vec![name.clone()];
        for (title, values) in &vectors {
            row.extend(cells(title, values, place));
        }
        rows.push(row);
    }
    let hidden = names.len().saturating_sub(MOST_COMPONENTS);
    if hidden > 0 {
        let mut row = vec![format!("… {hidden} more")];
        for (title, values) in &vectors {
            row.push(String::new());
            if *title == SHARES {
                row.push(percent(values.sum()));
            }
        }
        rows.push(row);
    }
    table(2, &sides, &rows) + "\n"
}

/// The components' names; of a model with views their numbers, since each view has a coordinate for each.
fn component_names(fitted: &Fitted) -> Vec<String> {
    let names = fitted.component_names();
    match n_views(fitted.model()) {
        1 => names,
        n_views => (1..=names.len() / n_views)
            .map(|number| number.to_string())
            .collect(),
    }
}

/// The vectors with a number for each component, those of variance first.
fn of_components(figures: &Diagnostics) -> Vec<(&'static str, &Array1<f64>)> {
    let has_variances = figures.values("explained_variance").is_some();
    let mut vectors: Vec<(&'static str, &Array1<f64>)> = figures
        .iter()
        .filter(|(name, _)| figures.is_per_component(name))
        // Their squares are the variances.
        .filter(|(name, _)| !has_variances || *name != "singular_values")
        .filter_map(|(name, figure)| match figure {
            Figure::Vector(values) => Some((name, values)),
            _ => None,
        })
        .collect();
    vectors.sort_by_key(|(name, _)| !FIRST.contains(name));
    vectors.truncate(MOST_VECTORS);
    vectors
}

fn is_trace(name: &str) -> bool {
    name.ends_with("_trace")
}

fn short_name(name: &str) -> String {
    let known = SHORT_NAMES.iter().find(|(long, _)| *long == name);
    let plain = || name.strip_prefix("n_").unwrap_or(name).replace('_', " ");
    known.map_or_else(plain, |(_, short)| short.to_string())
}

fn in_words(name: &str) -> String {
    if let Some((_, words)) = CLEAR_NAMES.iter().find(|(known, _)| *known == name) {
        return words.to_string();
    }
    let (counted, name) = match name.strip_prefix("n_") {
        Some(name) => ("number of ", name),
        None => ("", name),
    };
    format!("{counted}{}", name.replace('_', " "))
}

fn cells(title: &str, values: &Array1<f64>, place: usize) -> Vec<String> {
    let Some(&value) = values.get(place) else {
        return vec![String::new(); 1 + usize::from(title == SHARES)];
    };
    if title == SHARES {
        let cumulative = values.iter().take(place + 1).sum();
        return vec![percent(value), percent(cumulative)];
    }
    vec![if title.ends_with("_ratio") {
        percent(value)
    } else if all_whole(values) {
        format!("{value:.0}")
    } else {
        number(value)
    }]
}

/// Counts, numbers, words and short vectors, one a line; rows by their names, where these are known.
pub(crate) fn scalars(
    fitted: &Fitted,
    figures: &Diagnostics,
    row_names: Option<&[String]>,
) -> String {
    let model = fitted.model();
    let rows: Vec<Vec<String>> = figures
        .iter()
        .filter(|(name, _)| !SHOWN_ELSEWHERE.contains(name) && !figures.is_per_component(name))
        .filter_map(|(name, figure)| {
            let value = match figure {
                Figure::Count(count) if UNREMARKABLE.contains(&(name, *count)) => return None,
                Figure::Count(count) if name == LEFT_OUT => {
                    format!("{}: they have no coordinates", crate::format::count(*count))
                }
                Figure::Count(count) => crate::format::count(*count),
                Figure::Number(value) => number(*value),
                Figure::Text(text) => text.clone(),
                Figure::Flag(flag) => if *flag { "yes" } else { "no" }.into(),
                Figure::Words(words) if words.len() > MOST_WORDS => return None,
                Figure::Words(words) => words.join(", "),
                Figure::Vector(values) if name == RESIDUAL => {
                    format!("{}{}", residuals(values), elbow(values))
                }
                Figure::Vector(values) if name == NOT_FITTED => named_rows(values, row_names),
                Figure::Vector(values) if is_short(name, values, model) => in_line(values),
                _ => return None,
            };
            Some(vec![in_words(name), wrap(&value, 60, 4)])
        })
        .collect();
    if rows.is_empty() {
        String::new()
    } else {
        table(2, &[Side::Left, Side::Left], &rows) + "\n"
    }
}

/// True for counts.
fn all_whole(values: &Array1<f64>) -> bool {
    let is_whole = |value: &f64| value.fract() == 0.0 && value.abs() < 1e15;
    values.iter().all(is_whole)
}

/// Numbers between commas; whole ones without a point if all are whole.
fn in_line(values: &Array1<f64>) -> String {
    let all_whole = all_whole(values);
    let numbers: Vec<String> = values
        .iter()
        .map(|value| {
            if all_whole {
                format!("{value:.0}")
            } else {
                number(*value)
            }
        })
        .collect();
    numbers.join(", ")
}

/// The first numbers between commas.
fn residuals(values: &Array1<f64>) -> String {
    let shown = values.iter().take(MOST_RESIDUALS).copied();
    let more = if values.len() > MOST_RESIDUALS {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", in_line(&shown.collect()))
}

/// Where the residual variance stops falling, in brackets.
fn elbow(values: &Array1<f64>) -> String {
    let found = residual_elbow(&values.to_vec()).filter(|_| values.len() > 1);
    found.map_or_else(String::new, |k| format!(" (elbow at {k})"))
}

/// Rows by their names, or by their numbers counted from 0.
fn named_rows(rows: &Array1<f64>, names: Option<&[String]>) -> String {
    let name = |row: &f64| match names.and_then(|names| names.get(*row as usize)) {
        Some(name) => name.clone(),
        None => format!("{row:.0}"),
    };
    let shown: Vec<String> = rows.iter().take(MOST_NAMED).map(name).collect();
    let more = if rows.len() > MOST_NAMED { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// True for a vector worth a line: short, and neither the features' nor the course of an iteration.
fn is_short(name: &str, values: &Array1<f64>, model: &dyn ErasedModel) -> bool {
    let of_features = values.len() == model.n_columns() || OF_FEATURES.contains(&name);
    !of_features
        && !is_trace(name)
        && (1..=MOST_IN_LINE).contains(&values.len())
        && name != "spectrum"
        && name != "singular_values"
}

/// The time, and the files written.
pub(crate) fn ending(outputs: &Outputs, session: &Session) -> String {
    let stages: Vec<String> = session
        .progress
        .stages()
        .iter()
        .filter(|stage| stage.seconds >= WORTH_NAMING)
        .map(|stage| format!("{} {:.2}", stage.name, stage.seconds))
        .collect();
    let mut text = seconds(session.progress.seconds());
    if !stages.is_empty() {
        text = wrap(&format!("{text} ({})", stages.join(", ")), 80, 2);
    }
    text.push('\n');
    text + &wrote(outputs.all())
}

/// The files written, one a line.
pub(crate) fn wrote<'a>(files: impl IntoIterator<Item = (&'static str, &'a Path)>) -> String {
    let rows: Vec<Vec<String>> = files
        .into_iter()
        .map(|(what, path)| vec![format!("wrote {what}"), path.display().to_string()])
        .collect();
    table(0, &[Side::Left, Side::Left], &rows)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn figures_are_named_and_listed_in_plain_words() {
        assert_eq!(in_words("n_classes"), "number of classes");
        assert_eq!(in_words("n_left_out"), "rows left out");
        assert!(residuals(&Array1::ones(13)).ends_with("1, …"));
        assert_eq!(short_name("explained_variance_ratio"), "proportion");
        assert_eq!(short_name("score_variance"), "score variance");
        assert_eq!(in_line(&array![3.0, 3.0]), "3, 3");
        assert_eq!(in_line(&array![0.5, 3.0]), "0.5000, 3.000");
        let shares = array![0.5, 0.25];
        assert_eq!(cells(SHARES, &shares, 1), ["25.0 %", "75.0 %"]);
        assert_eq!(
            cells("target_explained_variance_ratio", &shares, 1),
            ["25.0 %"]
        );
        assert_eq!(cells("eigenvalues", &shares, 0), ["0.5000"]);
        assert_eq!(cells("n_nonzero", &array![9.0, 5.0], 0), ["9"]);
        assert_eq!(short_name("n_nonzero"), "nonzero");
        assert!(is_trace("objective_trace") && !is_trace("traces_left"));
    }
}
