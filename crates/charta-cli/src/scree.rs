//! `charta scree`: how many components, by all rules side by side.

use std::path::PathBuf;

use charta::data::Scaling;
use charta::dimension::{Scree, ScreeOptions, Suggestion};
use clap::ArgMatches;
use serde_json::{Value as Json, json};

use crate::console;
use crate::error_wording::Words;
use crate::failure::{Failure, Outcome};
use crate::fit::{scale_features, scaling};
use crate::format::{Side, component_heading, count, number, percent, seconds, table, wrap};
use crate::input::{Input, text};
use crate::output::{check_file, check_picture, detail};
use crate::plan::Size;
use crate::result::Facts;
use crate::session::{Session, seed, whole};

/// Variances shown one by one.
const MOST_VARIANCES: usize = 10;

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let input = Input::new(given)?;
    let plot = text(given, "plot").map(PathBuf::from);
    if let Some(path) = &plot {
        check_picture(path, false)?;
        check_file(path, &input.files(None))?;
    }
    let options = options(given)?;
    let session = Session::new(given)?;
    guard(&input, &session)?;
    let mut read = input.read(&session.progress)?;
    let facts = Facts::of(&input.source, &read);
    if !options.standardize {
        scale_features(scaling(given), &session, &mut read)?;
    }
    let scree = Scree::of(&session.run(), &read.data()?, &options)
        .map_err(|error| Failure::of_data(error, &facts.source))?;
    if let Some(path) = &plot {
        session.progress.stage("drawing");
        charta_io::write_atomically(path, &draw(&scree, path, &facts)?)?;
    }
    session.progress.finish();
    match detail(given) {
        Some(_) => console::print_json(&to_json(&scree, &facts, plot.as_ref(), &session)),
        None if session.quiet => Ok(()),
        None => console::print(&in_words(&scree, &facts, plot.as_ref(), &session)),
    }
}

/// How the variances are analysed. Columns scaled to unit variance are compared with random correlation matrices.
pub(crate) fn options(given: &ArgMatches) -> Outcome<ScreeOptions> {
    let repetitions = text(given, "repetitions");
    Ok(ScreeOptions {
        standardize: scaling(given) == Scaling::ZScore,
        repetitions: repetitions
            .map(|number| whole("repetitions", &number))
            .transpose()?,
        seed: seed(given)?,
    })
}

/// Stops before reading what would not fit: the data and the covariance of its smaller side.
fn guard(input: &Input, session: &Session) -> Outcome {
    let (Some(size), Some(limit)) = (Size::of(input, &session.progress)?, session.limit.bytes)
    else {
        return Ok(());
    };
    let smaller = size.shape.n_rows.min(size.shape.n_columns) as u64;
    let needed = size
        .shape
        .bytes()
        .saturating_add(smaller.saturating_mul(smaller).saturating_mul(40));
    if needed <= limit {
        return Ok(());
    }
    Err(Failure::Run(format!(
        "all variances would need about {} of memory and may use {} ({}): use fewer rows or columns",
        charta::error::bytes(needed),
        charta::error::bytes(limit),
        session.limit.reason
    )))
}

fn draw(scree: &Scree, path: &std::path::Path, facts: &Facts) -> Outcome<Vec<u8>> {
    let variances = scree.variances.to_vec();
    let suggestions: Vec<(String, usize)> = scree
        .suggestions
        .iter()
        .filter_map(|suggestion| Some((suggestion.rule.clone(), suggestion.n_components?)))
        .collect();
    let picture = charta_plot::Scree {
        suggestions: &suggestions,
        shown: Some(scree.n_shown()),
        chosen: scree.recommendation.n_components,
        chosen_name: "recommended",
        title: format!("Variance of the components: {}", facts.name),
        ..charta_plot::Scree::new(&variances, scree.total)
    };
    Ok(picture.draw(charta_plot::Format::from_path(path)?)?)
}

fn to_json(scree: &Scree, facts: &Facts, plot: Option<&PathBuf>, session: &Session) -> Json {
    let files: Vec<String> = plot.iter().map(|path| path.display().to_string()).collect();
    let mut json = Words::plain(|words| scree.to_json(words));
    json["data"] = facts.to_json();
    json["warnings"] = json!(session.progress.warnings());
    json["seconds"] = json!(session.progress.seconds());
    json["files"] = json!(files);
    json
}

fn in_words(scree: &Scree, facts: &Facts, plot: Option<&PathBuf>, session: &Session) -> String {
    let mut text = format!(
        "{}\n\n{}{}\n{}\n",
        facts.sentence(),
        rules(scree),
        parallel(scree),
        variances(scree)
    );
    text.push_str(&verdict(scree));
    text.push_str(&format!("{}\n", seconds(session.progress.seconds())));
    if let Some(path) = plot {
        text.push_str(&format!("wrote scree plot  {}\n", path.display()));
    }
    text
}

/// The range that the rules give, as a fit would take it: a fit keeps at least one component.
fn agreement(scree: &Scree) -> Option<(usize, usize)> {
    let (least, most) = scree.agreement()?;
    Some((least.max(1), most.max(1)))
}

fn verdict(scree: &Scree) -> String {
    let mut text = recommendation(scree);
    match agreement(scree) {
        Some((least, most)) if least == most => text.push_str(" All rules agree."),
        Some((least, most)) => {
            text.push_str(&format!(
                " The rules answer different questions and range from {} to {}.",
                count(least),
                count(most)
            ));
        }
        None => {}
    }
    let none = |rule: &&Suggestion| rule.n_components == Some(0);
    if let Some(rule) = scree.suggestions.iter().find(none) {
        text.push_str(&format!(
            " Where a rule gives 0, as `{}` does, a fit keeps 1.",
            rule.rule
        ));
    }
    wrap(&text, 78, 0) + "\n"
}

/// The number of components recommended, and why.
pub(crate) fn recommendation(scree: &Scree) -> String {
    let found = &scree.recommendation;
    let noun = if found.n_components == 1 {
        "component"
    } else {
        "components"
    };
    format!(
        "Recommended: {} {noun} (rule `{}`): {}.",
        count(found.n_components),
        found.rule,
        Words::plain(|words| found.reason.render(words))
    )
}

fn rules(scree: &Scree) -> String {
    let mut rows = vec![vec![
        "rule".into(),
        "components".into(),
        "proportion of variance".into(),
    ]];
    for rule in &scree.suggestions {
        let (number, share) = match rule.n_components {
            Some(kept) => (count(kept), percent(share(scree, kept))),
            None => ("–".into(), rule.problem.clone().unwrap_or_default()),
        };
        rows.push(vec![rule.rule.clone(), number, share]);
    }
    table(2, &[Side::Left, Side::Right, Side::Left], &rows)
}

/// How far the answer of parallel analysis is certain.
pub(crate) fn parallel(scree: &Scree) -> String {
    let Some(rejected) = scree.rejected else {
        return String::new();
    };
    format!(
        "  parallel analysis: {} random data sets; component {} has variance {}, threshold {} ± {:.1e} (Monte Carlo\n  \
         standard error)\n",
        count(scree.repetitions),
        count(rejected.component),
        number(rejected.variance),
        number(rejected.threshold),
        rejected.threshold_error
    )
}

fn share(scree: &Scree, kept: usize) -> f64 {
    scree.variances.iter().take(kept).sum::<f64>() / scree.total
}

fn variances(scree: &Scree) -> String {
    let mut rows = vec![component_heading()];
    for (place, variance) in scree.variances.iter().take(MOST_VARIANCES).enumerate() {
        let so_far = percent(share(scree, place + 1));
        rows.push(vec![
            count(place + 1),
            number(*variance),
            percent(variance / scree.total),
            so_far,
        ]);
    }
    let hidden = scree.variances.len().saturating_sub(MOST_VARIANCES);
    if hidden > 0 {
        rows.push(vec![
            format!("… {hidden} more"),
            String::new(),
            String::new(),
            percent(1.0),
        ]);
    }
    table(
        2,
        &[Side::Left, Side::Right, Side::Right, Side::Right],
        &rows,
    )
}
