//! The end of a run in words.

use charta::model::{Diagnostics, Figure};
use charta::pipeline::Fitted;

use crate::output::Outputs;
use crate::result::Finished;
use crate::session::Session;
use crate::wording::{Side, component_heading, counted, number, percent, seconds, table, wrap};

/// Components shown one by one.
const MOST_COMPONENTS: usize = 10;
/// Seconds above which a stage is named.
const WORTH_NAMING: f64 = 0.005;
/// Figures that the rest of the summary tells already.
const TOLD_ELSEWHERE: [&str; 5] = ["n_components", "n_rows", "n_columns", "rule", "solver"];

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
    text.push_str(&scalars(&figures));
    text.push_str(&ending(outputs, session));
    if outputs.is_empty() {
        text.push_str(
            "\nThe coordinates are not kept: write them with `-o FILE`, a picture with `--plot FILE`,\n\
             the model with `--save FILE`.\n",
        );
    }
    text
}

/// The summary of new rows placed.
pub(crate) fn placed(finished: &Finished, outputs: &Outputs, session: &Session) -> String {
    let fitted = &finished.fitted;
    let mut text = format!(
        "{}\nplaced by {}, {}\n",
        finished.facts.sentence(),
        fitted.entry().info.title,
        counted(fitted.model().n_components(), "coordinate")
    );
    text.push_str(&ending(outputs, session));
    if outputs.is_empty() {
        text.push_str("\nThe coordinates are not kept: write them with `-o FILE`, a picture with `--plot FILE`.\n");
    }
    text
}

fn headline(fitted: &Fitted, figures: &Diagnostics) -> String {
    let count = fitted.model().n_components();
    let mut text = format!(
        "{}: {}",
        fitted.entry().info.title,
        counted(count, "coordinate")
    );
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
        text.push_str(&format!(", scaled by `{}`", scaler.kind()));
    }
    text
}

/// Variance and share of each component, where the method knows them.
pub(crate) fn components(fitted: &Fitted, figures: &Diagnostics) -> String {
    let (Some(variances), Some(shares)) = (
        figures.values("explained_variance"),
        figures.values("explained_variance_ratio"),
    ) else {
        return String::new();
    };
    let mut rows = vec![component_heading()];
    let mut so_far = 0.0;
    let names = fitted.component_names();
    for ((name, variance), share) in names.iter().zip(variances).zip(shares) {
        so_far += share;
        if rows.len() <= MOST_COMPONENTS {
            rows.push(vec![
                name.clone(),
                number(*variance),
                percent(*share),
                percent(so_far),
            ]);
        }
    }
    let hidden = names.len().saturating_sub(MOST_COMPONENTS);
    if hidden > 0 {
        rows.push(vec![
            format!("… {hidden} more"),
            String::new(),
            String::new(),
            percent(so_far),
        ]);
    }
    table(
        2,
        &[Side::Left, Side::Right, Side::Right, Side::Right],
        &rows,
    ) + "\n"
}

/// Counts, numbers and words, one a line.
pub(crate) fn scalars(figures: &Diagnostics) -> String {
    let rows: Vec<Vec<String>> = figures
        .iter()
        .filter(|(name, _)| !TOLD_ELSEWHERE.contains(name))
        .filter_map(|(name, figure)| {
            let value = match figure {
                Figure::Count(count) => crate::wording::count(*count),
                Figure::Number(value) => number(*value),
                Figure::Text(text) => text.clone(),
                _ => return None,
            };
            Some(vec![name.replace('_', " "), value])
        })
        .collect();
    if rows.is_empty() {
        String::new()
    } else {
        table(2, &[Side::Left, Side::Left], &rows) + "\n"
    }
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
    let rows: Vec<Vec<String>> = outputs
        .files()
        .iter()
        .map(|(what, path)| vec![format!("wrote {what}"), path.display().to_string()])
        .collect();
    text.push_str(&table(0, &[Side::Left, Side::Left], &rows));
    text
}
