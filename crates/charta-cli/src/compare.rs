//! `charta compare`: several methods, or maps made elsewhere, on the same rows: one table, one picture.

use std::path::{Path, PathBuf};
use std::time::Instant;

use charta::Data;
use charta::neighbors::Search;
use charta::params::{Json, show};
use charta::quality::{self, Agreement, Options};
use charta::registry::AnyMethod;
use charta_io::Table;
use charta_plot::{Format, Panel, Panels, strips};
use clap::ArgMatches;
use ndarray::{Array2, ArrayView2};
use serde_json::{Map, json};

use crate::color;
use crate::error_wording::{Origin, Words};
use crate::failure::{Failure, Outcome};
use crate::fit::{scale_features, scaling};
use crate::format::{Side, seconds, table};
use crate::input::{Input, data_of, switch, text, texts};
use crate::output::{check_file, check_picture, check_table, detail};
use crate::picture::{classes, color_of};
use crate::quality::{coordinates, search};
use crate::result::{Facts, short_name};
use crate::session::{Session, whole};
use crate::{cli, console, quality_report, summary};

/// Columns of the table of figures.
const COLUMNS: [&str; 4] = [
    "seconds",
    "trustworthiness",
    "continuity",
    "nearest_accuracy",
];

/// What the call requests.
struct Request {
    input: Input,
    methods: Vec<(String, Box<dyn AnyMethod>)>,
    maps: Vec<String>,
    n_neighbors: Option<usize>,
    table: Option<PathBuf>,
    plot: Option<PathBuf>,
    glyphs: bool,
}

/// A map of the rows, where it came about, and its quality.
struct Compared {
    name: String,
    /// Time of the fit; none of a map that was read.
    seconds: Option<f64>,
    parameters: Option<Json>,
    map: Option<Array2<f64>>,
    agreement: Option<Agreement>,
    /// Why there is no map, or no figure.
    problem: Option<String>,
}

impl Request {
    fn new(given: &ArgMatches) -> Outcome<Self> {
        let path = |name: &str| text(given, name).map(PathBuf::from);
        let n_neighbors = text(given, "n-neighbors");
        let request = Self {
            input: Input::new(given)?,
            methods: methods(&texts(given, "methods"))?,
            maps: texts(given, "maps"),
            n_neighbors: n_neighbors
                .map(|word| whole("n-neighbors", &word))
                .transpose()?,
            table: path("output"),
            plot: path("plot"),
            glyphs: switch(given, "glyphs"),
        };
        request.check()?;
        Ok(request)
    }

    fn check(&self) -> Outcome {
        if self.methods.is_empty() && self.maps.is_empty() {
            return Err(Failure::usage(
                "nothing to compare: name methods by `--methods`, or files of coordinates after the data",
            ));
        }
        if self.glyphs && self.plot.is_none() {
            return Err(Failure::usage("`--glyphs` needs a plot: add `--plot FILE`"));
        }
        let mut inputs = self.input.files(None);
        inputs.extend(self.maps.iter().map(String::as_str));
        if inputs.iter().filter(|source| **source == "-").count() > 1 {
            return Err(Failure::usage("standard input can be read only once"));
        }
        if let Some(path) = &self.table {
            check_table(path, &inputs)?;
        }
        if let Some(path) = &self.plot {
            check_picture(path, false)?;
            check_file(path, &inputs)?;
        }
        Ok(())
    }

    fn files(&self) -> Vec<(&'static str, &Path)> {
        let table = self.table.as_deref().filter(|path| *path != Path::new("-"));
        let wanted = [("figures", table), ("plot", self.plot.as_deref())];
        let files = wanted.into_iter();
        files
            .filter_map(|(what, path)| Some((what, path?)))
            .collect()
    }
}

/// Methods with parameters from lists such as `pca,umap:n_neighbors=30,min_dist=0.2`.
fn methods(lists: &[String]) -> Outcome<Vec<(String, Box<dyn AnyMethod>)>> {
    let mut calls: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for word in lists.iter().flat_map(|list| list.split(',')) {
        let word = word.trim();
        let (name, setting) = match (word.split_once(':'), word.contains('=')) {
            (Some((name, setting)), _) => (Some(name), Some(setting)),
            (None, true) => (None, Some(word)),
            (None, false) => (Some(word), None),
        };
        if let Some(name) = name {
            calls.push((name.to_owned(), Vec::new()));
        }
        let Some(setting) = setting else { continue };
        let (Some((parameter, value)), Some((_, settings))) =
            (setting.split_once('='), calls.last_mut())
        else {
            return Err(Failure::Usage(format!(
                "`--methods` takes methods, each perhaps with parameters as in {}:n_components=3, got {word:?}",
                cli::example_method()
            )));
        };
        settings.push((parameter.trim().replace('-', "_"), value.trim().to_owned()));
    }
    calls.into_iter().map(method).collect()
}

/// A method with its parameters, and what it is called in table and picture.
fn method(
    (name, settings): (String, Vec<(String, String)>),
) -> Outcome<(String, Box<dyn AnyMethod>)> {
    let entry = charta::methods::find(&name)?;
    let specs = entry.specs();
    let mut parameters = Map::new();
    let mut shown = cli::command_name(entry.info.name);
    for (parameter, word) in settings {
        let spec = specs.iter().find(|spec| spec.name == parameter);
        let value = spec.map_or_else(|| Json::from(word.clone()), |spec| spec.kind.parse(&word));
        shown.push_str(&format!(" {parameter}={}", show(&value)));
        parameters.insert(parameter, value);
    }
    Ok((shown, entry.parse(&Json::Object(parameters))?))
}

/// Carries out the command.
pub(crate) fn run(given: &ArgMatches) -> Outcome {
    let request = Request::new(given)?;
    let session = Session::new(given)?;
    let search = search(given, Search::default())?;
    let mut read = request.input.read(&session.progress)?;
    let facts = Facts::of(&request.input.source, &read);
    let colors = color::find(text(given, "color-by").as_deref(), &read, &request.input)?;
    scale_features(scaling(given), &session, &mut read)?;
    let options = Options {
        n_neighbors: request.n_neighbors.into_iter().collect(),
        search,
        labels: quality_report::classes(&read, &session),
        ..Options::default()
    };
    let data = data_of(&read)?;
    let mut all = Vec::new();
    for (name, method) in &request.methods {
        session.progress.stage(name);
        let fitted = fit(&session, &data, name, method.as_ref(), &read)?;
        all.push(measured(fitted, &session, &data, &options, &read)?);
    }
    for source in &request.maps {
        let (map, _) = coordinates(source, None, &read, "the map")?;
        let given = Compared {
            name: short_name(source),
            seconds: None,
            parameters: None,
            map: Some(map),
            agreement: None,
            problem: None,
        };
        all.push(measured(given, &session, &data, &options, &read)?);
    }
    if let (true, Some(problem)) = (
        all.iter().all(|one| one.map.is_none()),
        all.iter().find_map(|one| one.problem.as_ref()),
    ) {
        return Err(Failure::Run(format!("{}: {problem}", facts.name)));
    }
    if let Some(path) = &request.plot {
        session.progress.stage("drawing");
        let bytes = draw(&request, &all, &facts, &colors, Format::from_path(path)?)?;
        charta_io::write_atomically(path, &bytes)?;
    }
    if let Some(path) = &request.table {
        write(path, &all)?;
    }
    session.progress.finish();
    report(given, &request, &session, &all, &facts)
}

fn fit(
    session: &Session,
    data: &Data<'_>,
    name: &str,
    method: &dyn AnyMethod,
    read: &Table,
) -> Outcome<Compared> {
    let run = session.run();
    let began = Instant::now();
    let fitted = method
        .fit(&run, data)
        .and_then(|model| match model.embedding() {
            Some(embedding) => Ok(embedding.to_owned()),
            None => model.transform_in(&run, data),
        });
    let seconds = began.elapsed().as_secs_f64();
    let (map, problem) = possible(fitted, read)?;
    Ok(Compared {
        name: name.to_owned(),
        seconds: map.as_ref().map(|_| seconds),
        parameters: Some(method.to_json()),
        map,
        agreement: None,
        problem,
    })
}

/// A result, or why there is none. A cancelled run ends.
fn possible<T>(outcome: charta::Result<T>, read: &Table) -> Outcome<(Option<T>, Option<String>)> {
    match outcome {
        Ok(found) => Ok((Some(found), None)),
        Err(error @ charta::Error::Cancelled) => Err(error.into()),
        Err(error) => {
            let words = Words {
                origin: &Origin::from(read),
                typed: &[],
            };
            Ok((None, Some(error.render(&words))))
        }
    }
}

fn measured(
    mut one: Compared,
    session: &Session,
    data: &Data<'_>,
    options: &Options<'_>,
    read: &Table,
) -> Outcome<Compared> {
    let Some(map) = &one.map else {
        return Ok(one);
    };
    session.progress.stage("quality");
    let found = quality::measure(&session.run(), data, &map.view(), options);
    let (report, problem) = possible(found, read)?;
    one.agreement = report.and_then(|report| report.agreements.into_iter().next());
    one.problem = problem;
    Ok(one)
}

/// The figures of a map, in the order of the columns.
fn figures(one: &Compared) -> [Option<f64>; 4] {
    let agreement = one.agreement.as_ref();
    let accuracy = agreement
        .and_then(|of| of.classes.as_ref())
        .map(|of| of.accuracy.value);
    [
        one.seconds,
        agreement.map(|of| of.trustworthiness.value),
        agreement.map(|of| of.continuity.value),
        accuracy,
    ]
}

fn write(path: &Path, all: &[Compared]) -> Outcome {
    let names: Vec<String> = all.iter().map(|one| one.name.clone()).collect();
    let values: Vec<f64> = (all.iter().flat_map(figures))
        .map(|figure| figure.unwrap_or(f64::NAN))
        .collect();
    let values = ArrayView2::from_shape((all.len(), COLUMNS.len()), &values)
        .expect("there are as many figures as columns for each map");
    let output = charta_io::Output {
        names: COLUMNS.map(String::from).to_vec(),
        values,
        single: false,
        row_names: Some(&names),
        id_title: Some("map"),
        predicted: None,
        labels: None,
    };
    Ok(charta_io::write(path, &output)?)
}

/// The first two coordinates; of a single one, strips of points for each class.
enum Shown {
    Plane(Vec<[f64; 2]>),
    Line(Vec<f64>),
}

fn draw(
    request: &Request,
    all: &[Compared],
    facts: &Facts,
    colors: &color::Colors,
    format: Format,
) -> Outcome<Vec<u8>> {
    let of_row = classes(colors.as_ref());
    let color = color_of(colors.as_ref(), &of_row);
    let drawn: Vec<(&Compared, Shown)> = all
        .iter()
        .filter_map(|one| {
            let map = one.map.as_ref()?;
            let shown = if map.ncols() > 1 {
                Shown::Plane(map.rows().into_iter().map(|row| [row[0], row[1]]).collect())
            } else {
                Shown::Line(map.iter().copied().collect())
            };
            Some((one, shown))
        })
        .collect();
    let points: Vec<(Vec<[f64; 2]>, bool)> = drawn
        .iter()
        .map(|(_, shown)| match shown {
            Shown::Plane(points) => (points.clone(), true),
            Shown::Line(values) => (strips(values, &color).points, false),
        })
        .collect();
    let panels: Vec<Panel<'_>> = drawn
        .iter()
        .zip(&points)
        .map(|((one, _), (points, in_plane))| Panel {
            points,
            title: one.name.clone(),
            notes: notes(one, *in_plane),
            equal_axes: *in_plane,
        })
        .collect();
    let picture = Panels {
        title: facts.name.clone(),
        subtitle: facts.size(),
        color,
        glyphs: request.glyphs,
        ..Panels::new(&panels)
    };
    Ok(picture.draw(format)?)
}

/// What stands below a panel.
fn notes(one: &Compared, in_plane: bool) -> Vec<String> {
    let [time, trustworthiness, continuity, accuracy] = figures(one);
    let mut first: Vec<String> = Vec::new();
    first.extend(trustworthiness.map(|figure| format!("trustworthiness {figure:.3}")));
    first.extend(continuity.map(|figure| format!("continuity {figure:.3}")));
    let mut second: Vec<String> = Vec::new();
    second.extend(accuracy.map(|figure| format!("k-NN accuracy {figure:.3}")));
    second.extend(time.map(seconds));
    if !in_plane {
        second.push("one coordinate, spread by class".into());
    }
    let lines = [first.join(" · "), second.join(" · ")];
    lines.into_iter().filter(|line| !line.is_empty()).collect()
}

fn report(
    given: &ArgMatches,
    request: &Request,
    session: &Session,
    all: &[Compared],
    facts: &Facts,
) -> Outcome {
    if detail(given).is_some() {
        let maps: Vec<Json> = all.iter().map(to_json).collect();
        let files: Vec<String> = (request.files().iter())
            .map(|(_, path)| path.display().to_string())
            .collect();
        return console::print_json(&json!({
            "data": facts.to_json(),
            "maps": maps,
            "warnings": session.progress.warnings(),
            "notes": session.progress.notes(),
            "seconds": session.progress.seconds(),
            "files": files,
        }));
    }
    if session.quiet || request.table.as_deref() == Some(Path::new("-")) {
        return Ok(());
    }
    console::print(&format!(
        "{}\n\n{}\n{}\n{}",
        facts.sentence(),
        in_words(all),
        seconds(session.progress.seconds()),
        summary::wrote(request.files())
    ))
}

fn to_json(one: &Compared) -> Json {
    let [time, trustworthiness, continuity, accuracy] = figures(one);
    json!({
        "name": one.name,
        "parameters": one.parameters,
        "n_coordinates": one.map.as_ref().map(Array2::ncols),
        "n_neighbors": one.agreement.as_ref().map(|of| of.n_neighbors),
        "seconds": time,
        "trustworthiness": trustworthiness,
        "continuity": continuity,
        "nearest_accuracy": accuracy,
        "problem": one.problem,
    })
}

fn in_words(all: &[Compared]) -> String {
    let k = all.iter().find_map(|one| one.agreement.as_ref());
    let k = k.map_or(String::new(), |of| {
        format!(" ({} neighbours)", of.n_neighbors)
    });
    let with_classes = all.iter().any(|one| figures(one)[3].is_some());
    let mut heading = vec![
        "map".to_owned(),
        "time".into(),
        format!("trustworthiness{k}"),
        "continuity".into(),
    ];
    let mut sides = vec![Side::Left, Side::Right, Side::Right, Side::Right];
    if with_classes {
        heading.push("k-NN accuracy".into());
        sides.push(Side::Right);
    }
    let mut rows = vec![heading];
    for one in all {
        let [time, others @ ..] = figures(one);
        let shown =
            |figure: Option<f64>| figure.map_or("–".into(), |figure| format!("{figure:.4}"));
        let mut row = vec![one.name.clone(), time.map_or("–".into(), seconds)];
        row.extend(others.into_iter().take(sides.len() - 2).map(shown));
        rows.push(row);
    }
    let mut text = table(2, &sides, &rows);
    for one in all {
        if let Some(problem) = &one.problem {
            text.push_str(&format!("  {}: {problem}\n", one.name));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_methods_with_parameters() {
        let lists = [
            "pca,umap:n-neighbors=30,min_dist=0.2".to_owned(),
            "isomap".to_owned(),
        ];
        let found = methods(&lists).unwrap();
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["pca", "umap n_neighbors=30 min_dist=0.2", "isomap"]);
        assert_eq!(found[1].1.to_json()["n_neighbors"], 30);
        for wrong in ["n_neighbors=3", "umap:5", "nothing", "umap:no_such=3"] {
            assert!(methods(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
