//! Which columns are features, which one is the label, which one names the rows.

use crate::error::{Error, Result};
use crate::glob::glob;
use crate::options::{Kind, ReadOptions};
use crate::suggest::nearest;
use crate::wording::{can_be_typed, quoted};

/// What a column holds, as far as is known before the rows are read.
#[derive(Clone, Debug, PartialEq)]
// Text tables have no columns of lists or of dates.
#[cfg_attr(
    not(feature = "parquet"),
    expect(dead_code, reason = "only Arrow and Parquet have such columns")
)]
pub(crate) enum ColumnKind {
    Number,
    Text,
    /// Lists of this many numbers, which become as many columns.
    Vector(usize),
    /// Nothing at all, without a name: what a delimiter at the end of each line leaves.
    Empty,
    /// Something that is neither number nor text.
    Other(String),
}

/// A column of a table.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: Option<String>,
    pub(crate) kind: ColumnKind,
}

/// The part that each column plays.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) features: Vec<usize>,
    pub(crate) label: Option<usize>,
    pub(crate) id: Option<usize>,
    /// True if the label was not requested.
    pub(crate) label_guessed: bool,
    /// How many of the features belong to each view; empty if no views were requested.
    pub(crate) views: Vec<usize>,
    /// The rows are pairs: id and label name two rows, the features are their distance and perhaps its weight.
    pub(crate) pairs: bool,
    pub(crate) notes: Vec<String>,
}

impl Plan {
    /// Columns of each view after lists have been spread out.
    pub(crate) fn view_widths(&self, columns: &[Column]) -> Vec<usize> {
        let mut features = self.features.iter();
        let mut widths = Vec::with_capacity(self.views.len());
        for &count in &self.views {
            let view = features.by_ref().take(count);
            widths.push(view.map(|&index| width(&columns[index])).sum());
        }
        widths
    }

    /// Number of columns after lists have been spread out.
    pub(crate) fn n_columns(&self, columns: &[Column]) -> usize {
        self.features
            .iter()
            .map(|&index| width(&columns[index]))
            .sum()
    }

    /// Names of the feature columns, if any column has a name.
    pub(crate) fn names(&self, columns: &[Column]) -> Option<Vec<String>> {
        columns.iter().any(|column| column.name.is_some()).then(|| {
            let mut names = Vec::with_capacity(self.features.len());
            for &index in &self.features {
                let name = columns[index]
                    .name
                    .clone()
                    .unwrap_or_else(|| index.to_string());
                match columns[index].kind {
                    ColumnKind::Vector(width) => {
                        names.extend((0..width).map(|part| format!("{name}_{part}")));
                    }
                    _ => names.push(name),
                }
            }
            names
        })
    }
}

/// Names that a column of the rows' names often has.
const ROW_NAMES: [&str; 10] = [
    "id", "ids", "name", "names", "row", "sample", "key", "index", "file", "barcode",
];

/// True for the title of a column that names rows: `id`, `name`, `sample_id`.
fn names_rows(title: &str) -> bool {
    let title = title.trim().to_lowercase();
    ROW_NAMES.contains(&title.as_str())
        || ["_id", " id", "_name", " name"]
            .iter()
            .any(|end| title.ends_with(end))
}

fn width(column: &Column) -> usize {
    match column.kind {
        ColumnKind::Vector(width) => width,
        _ => 1,
    }
}

/// How messages call a column: its number, with its name where it has one.
pub(crate) fn title(columns: &[Column], index: usize) -> String {
    match columns.get(index).and_then(|column| column.name.as_ref()) {
        Some(name) => format!("{index} ({})", quoted(name)),
        None => index.to_string(),
    }
}

/// The name under which a column's contents are carried along.
pub(crate) fn carried_title(columns: &[Column], index: usize, otherwise: &str) -> String {
    match columns[index].name.as_deref() {
        None | Some("") => otherwise.into(),
        Some(name) => name.into(),
    }
}

/// How the user can name a column on the command line: by its name, or where that is hard to type,
/// by its number.
fn typed(columns: &[Column], index: usize) -> String {
    match columns[index]
        .name
        .as_deref()
        .filter(|name| can_be_typed(name))
    {
        Some(name) => name.into(),
        None => index.to_string(),
    }
}

/// Decides the part of each column.
pub(crate) fn plan(file: &str, columns: &[Column], options: &ReadOptions) -> Result<Plan> {
    let table = Columns { file, columns };
    if options.kind == Kind::Distances
        && let Some(plan) = table.pairs(options)?
    {
        return Ok(plan);
    }
    let find = |name: &Option<String>| name.as_deref().map(|name| table.find(name)).transpose();
    let mut plan = Plan {
        features: Vec::new(),
        label: find(&options.label)?,
        id: find(&options.id)?,
        label_guessed: false,
        views: Vec::new(),
        pairs: false,
        notes: table.repeated_names(),
    };
    if options.views.is_empty() {
        let chosen = table.choose(&options.columns)?;
        let (text, others): (Vec<usize>, Vec<usize>) = table
            .without_label_and_id(chosen, &plan)
            .into_iter()
            .partition(|&index| columns[index].kind == ColumnKind::Text);
        plan.features = others;
        table.place_text(&text, options.kind, &mut plan)?;
    } else {
        table.place_views(&options.views, &mut plan)?;
    }
    table.check(&plan)?;
    table.note_row_numbers(&mut plan);
    Ok(plan)
}

struct Columns<'a> {
    file: &'a str,
    columns: &'a [Column],
}

impl Columns<'_> {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.columns
            .iter()
            .filter_map(|column| column.name.as_deref())
    }

    /// The column that a name or a number means.
    fn find(&self, reference: &str) -> Result<usize> {
        let mut named = self.positions(reference);
        match (named.next(), named.next()) {
            (Some(index), None) => return Ok(index),
            (Some(first), Some(second)) => {
                return Err(self.wrong(
                    format!(
                        "two columns are named {reference:?}, {first} and {second}: choose one by its number"
                    ),
                    reference,
                ));
            }
            _ => {}
        }
        self.by_number(reference)?
            .ok_or_else(|| self.unknown(reference))
    }

    /// What is left for features.
    fn without_label_and_id(&self, mut chosen: Vec<usize>, plan: &Plan) -> Vec<usize> {
        chosen.retain(|&index| {
            Some(index) != plan.label
                && Some(index) != plan.id
                && self.columns[index].kind != ColumnKind::Empty
        });
        chosen
    }

    fn positions(&self, name: &str) -> impl Iterator<Item = usize> {
        (0..self.columns.len())
            .filter(move |&index| self.columns[index].name.as_deref() == Some(name))
    }

    /// `3` is the fourth column, `-1` the last.
    fn by_number(&self, reference: &str) -> Result<Option<usize>> {
        let Ok(number) = reference.parse::<i64>() else {
            return Ok(None);
        };
        let count = self.columns.len() as i64;
        let index = if number < 0 { number + count } else { number };
        if (0..count).contains(&index) {
            return Ok(Some(index as usize));
        }
        Err(self.wrong(
            format!("column {number}, where columns go from 0 to {}", count - 1),
            reference,
        ))
    }

    fn unknown(&self, reference: &str) -> Error {
        let problem = if self.names().next().is_none() {
            format!("no column {reference:?}: the columns have no names, choose by number from 0")
        } else {
            let near = !nearest(reference, self.names(), 1).is_empty();
            let known = if near {
                String::new()
            } else {
                format!(": the columns are {}", quoted_in_short(self.names()))
            };
            format!("no column is named {reference:?}{known}")
        };
        self.wrong(problem, reference)
    }

    fn wrong(&self, problem: String, reference: &str) -> Error {
        Error::Column {
            file: self.file.into(),
            problem,
            suggestions: nearest(reference, self.names(), 3)
                .into_iter()
                .map(String::from)
                .collect(),
        }
    }

    /// The columns chosen, in the table's order for patterns and in the given order for names.
    fn choose(&self, requests: &[String]) -> Result<Vec<usize>> {
        let mut chosen: Vec<usize> = Vec::new();
        let requests = self.split(requests);
        if requests.iter().all(|request| request.starts_with('!')) {
            chosen.extend(0..self.columns.len());
        }
        for request in &requests {
            match request.strip_prefix('!') {
                Some(excluded) => {
                    let excluded = self.matching(excluded)?;
                    chosen.retain(|index| !excluded.contains(index));
                }
                None => {
                    for index in self.matching(request)? {
                        if !chosen.contains(&index) {
                            chosen.push(index);
                        }
                    }
                }
            }
        }
        Ok(chosen)
    }

    /// Requests may be written together, `a,b,!c`, unless a column has that very name.
    fn split(&self, requests: &[String]) -> Vec<String> {
        let whole = |request: &str| {
            let name = request.strip_prefix('!').unwrap_or(request);
            self.positions(name).next().is_some()
        };
        requests
            .iter()
            .flat_map(|request| {
                if whole(request) {
                    vec![request.clone()]
                } else {
                    request
                        .split(',')
                        .map(|part| part.trim().to_string())
                        .collect()
                }
            })
            .filter(|request| !request.is_empty())
            .collect()
    }

    /// The columns that one request means.
    fn matching(&self, request: &str) -> Result<Vec<usize>> {
        if self.positions(request).next().is_some() {
            return self.find(request).map(|index| vec![index]);
        }
        if let Some((first, last)) = request.split_once('-')
            && first.parse::<usize>().is_ok()
            && last.parse::<usize>().is_ok()
        {
            let (first, last) = (self.find(first)?, self.find(last)?);
            return Ok((first..=last).collect());
        }
        if request.contains(['*', '?']) {
            let matches: Vec<usize> = (0..self.columns.len())
                .filter(|&index| {
                    self.columns[index]
                        .name
                        .as_ref()
                        .is_some_and(|name| glob(request, name))
                })
                .collect();
            return if matches.is_empty() {
                Err(self.wrong(
                    format!("no column's name matches {request:?}"),
                    &request.replace(['*', '?'], ""),
                ))
            } else {
                Ok(matches)
            };
        }
        self.find(request).map(|index| vec![index])
    }

    /// One column of text is the label of features, and names the rows of distances. Beside a label a column whose name says
    /// so names the rows.
    fn place_text(&self, text: &[usize], kind: Kind, plan: &mut Plan) -> Result<()> {
        let mut text = text.to_vec();
        let beside_label = text.len() + usize::from(plan.label.is_some()) == 2;
        if kind == Kind::Features && plan.id.is_none() && beside_label {
            let named = |index: &&usize| {
                let name = self.columns[**index].name.as_deref();
                name.is_some_and(names_rows)
            };
            let mut ids = text.iter().filter(named);
            if let (Some(&id), None) = (ids.next(), ids.next()) {
                plan.id = Some(id);
                plan.notes.push(format!(
                    "column {} is taken as the names of the rows",
                    title(self.columns, id)
                ));
                text.retain(|index| *index != id);
            }
        }
        match *text {
            [] => {}
            [only] if kind != Kind::Features && plan.id.is_none() => plan.id = Some(only),
            [only] if kind == Kind::Features && plan.label.is_none() => {
                plan.label = Some(only);
                plan.label_guessed = true;
                plan.notes.push(format!(
                    "column {} holds text and is taken as the label",
                    title(self.columns, only)
                ));
            }
            _ => return Err(self.text_columns(&text)),
        }
        Ok(())
    }

    fn text_columns(&self, several: &[usize]) -> Error {
        let titles: Vec<String> = several
            .iter()
            .take(4)
            .map(|&index| title(self.columns, index))
            .collect();
        let (noun, verb) = if several.len() == 1 {
            ("column", "holds")
        } else {
            ("columns", "hold")
        };
        let more = if several.len() > 4 { ", …" } else { "" };
        let first = typed(self.columns, several[0]);
        Error::content(
            self.file,
            format!(
                "{noun} {}{more} {verb} text, not numbers: use one as --label {first:?} or --id {first:?}, \
                 or leave it out with --columns '!{first}'",
                titles.join(", ")
            ),
        )
    }

    /// Every feature must be numbers, and there must be one.
    fn check(&self, plan: &Plan) -> Result<()> {
        for &index in &plan.features {
            if let ColumnKind::Other(what) = &self.columns[index].kind {
                let name = typed(self.columns, index);
                return Err(Error::content(
                    self.file,
                    format!(
                        "column {} holds {what}, not numbers: leave it out with --columns '!{name}'",
                        title(self.columns, index)
                    ),
                ));
            }
        }
        if plan.features.is_empty() {
            return Err(Error::content(
                self.file,
                "no column of numbers is left to work on",
            ));
        }
        Ok(())
    }

    fn repeated_names(&self) -> Vec<String> {
        let mut first_of = std::collections::HashMap::new();
        let mut notes = Vec::new();
        for (index, column) in self.columns.iter().enumerate() {
            let Some(name) = column.name.as_deref().filter(|name| !name.is_empty()) else {
                continue;
            };
            if let Some(first) = first_of.insert(name, index) {
                notes.push(format!(
                    "columns {first} and {index} are both named {}",
                    quoted(name)
                ));
            }
        }
        notes.truncate(3);
        notes
    }

    /// A column of row numbers that slips in as a feature ruins most results without a word.
    fn note_row_numbers(&self, plan: &mut Plan) {
        const NAMES: [&str; 7] = ["", "id", "index", "row", "rowid", "rownames", "unnamed: 0"];
        let suspect = plan.features.iter().copied().find(|&index| {
            let name = self.columns[index].name.as_deref();
            name.is_some_and(|name| NAMES.contains(&name.to_lowercase().as_str()))
        });
        if let Some(index) = suspect
            && plan.id.is_none()
        {
            plan.notes.push(format!(
                "column {} is used as a feature; if it only numbers the rows, use --id {index}",
                title(self.columns, index)
            ));
        }
    }
}

mod pairs;
mod views;

/// The first names, each in quotes.
fn quoted_in_short<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 8;
    let names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
    let more = if names.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", names[..names.len().min(SHOWN)].join(", "))
}

#[cfg(test)]
mod tests;
