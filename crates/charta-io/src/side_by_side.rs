//! Several sources of the same rows, each with columns of its own: views side by side.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use charta::Labels;
use charta::data::{Features, OwnedFeatures, Precision};
use ndarray::Array2;

use crate::error::{Error, Result};
use crate::open::read;
use crate::options::ReadOptions;
use crate::table::{Content, Table};
use crate::wording::{count, quoted};

/// Reads several sources of the same rows. The label and the id requested are taken where they are: one source at
/// least must have them.
pub fn read_each(sources: &[String], options: &ReadOptions) -> Result<Vec<Table>> {
    let mut tables = Vec::with_capacity(sources.len());
    let (mut label, mut id) = (options.label.is_none(), options.id.is_none());
    let mut first_refusal = None;
    for source in sources {
        let (table, refusal, found) = read_one(source, options)?;
        label |= found[0];
        id |= found[1];
        first_refusal = first_refusal.or(refusal);
        tables.push(table);
    }
    match first_refusal {
        Some(refusal) if !(label && id) => Err(refusal),
        _ => Ok(tables),
    }
}

/// Reads a source with label and id, or without those it does not have; why it was not read with them, and whether it
/// has the label and the id.
fn read_one(source: &str, options: &ReadOptions) -> Result<(Table, Option<Error>, [bool; 2])> {
    let mut refusal = None;
    for found in [[true, true], [true, false], [false, true], [false, false]] {
        let own = ReadOptions {
            label: options.label.clone().filter(|_| found[0]),
            id: options.id.clone().filter(|_| found[1]),
            ..options.clone()
        };
        match read(source, &own) {
            Ok(table) => return Ok((table, refusal, found)),
            Err(error @ Error::Column { .. })
                if options.label.is_some() || options.id.is_some() =>
            {
                refusal = refusal.or(Some(error));
            }
            Err(error) => return Err(error),
        }
    }
    Err(refusal.unwrap_or_else(|| Error::content(source, "cannot be read")))
}

/// One table of several that were read from `sources`: their columns side by side, a view each. Rows must be the same in
/// number and, where they have names, in name. A column's name that occurs in several tables gets that of its source
/// before it.
pub fn side_by_side(sources: &[String], tables: Vec<Table>) -> Result<Table> {
    let names: Vec<String> = sources.iter().map(|source| file_name(source)).collect();
    check_rows(&names, &tables)?;
    let mut joined = Table::new(names.join(" + "), values(&names, &tables)?);
    joined.column_names = column_names(&stems(sources), &tables);
    joined.view_widths = tables.iter().map(Table::n_columns).collect();
    joined.labels = labels(&names, &tables)?;
    joined.n_missing = tables.iter().map(|table| table.n_missing).sum();
    if let Some(named) = tables.into_iter().find(|table| table.row_names.is_some()) {
        joined.row_names = named.row_names;
        joined.id_title = named.id_title;
    }
    Ok(joined)
}

fn file_name(source: &str) -> String {
    let name = Path::new(source).file_name();
    name.map_or(source.into(), |name| name.to_string_lossy().into_owned())
}

fn check_rows(names: &[String], tables: &[Table]) -> Result<()> {
    let Some(first) = tables.first() else {
        return Ok(());
    };
    for (name, table) in names.iter().zip(tables).skip(1) {
        if table.n_rows() != first.n_rows() {
            return Err(Error::content(
                name,
                format!(
                    "{}, where {} has {}: views are of the same rows",
                    count(table.n_rows(), "row"),
                    names[0],
                    first.n_rows()
                ),
            ));
        }
    }
    let mut known: Option<(&str, &[String])> = None;
    for (name, table) in names.iter().zip(tables) {
        let Some(ids) = table.row_names.as_deref() else {
            continue;
        };
        match known {
            Some((other, others)) => check_ids(other, others, name, ids)?,
            None => known = Some((name, ids)),
        }
    }
    Ok(())
}

fn check_ids(one: &str, expected: &[String], other: &str, found: &[String]) -> Result<()> {
    let Some(row) = (0..expected.len()).find(|&row| expected[row] != found[row]) else {
        return Ok(());
    };
    let all: HashSet<&String> = expected.iter().collect();
    let advice = if found.iter().all(|id| all.contains(id)) {
        ": the rows are the same in another order, sort one of the files"
    } else {
        ": views are of the same rows"
    };
    Err(Error::content(
        other,
        format!(
            "row {row} (counted from 0) is {}, and in {one} it is {}{advice}",
            quoted(&found[row]),
            quoted(&expected[row])
        ),
    ))
}

fn values(names: &[String], tables: &[Table]) -> Result<OwnedFeatures> {
    let mut views = Vec::with_capacity(tables.len());
    for (name, table) in names.iter().zip(tables) {
        views.push(match &table.content {
            Content::Features(OwnedFeatures::F32(x)) => Features::F32(x.view()),
            Content::Features(OwnedFeatures::F64(x)) => Features::F64(x.view()),
            _ => {
                return Err(Error::unsupported(
                    name,
                    "views are tables of numbers, not sparse rows, distances or a kernel",
                ));
            }
        });
    }
    let single = views
        .iter()
        .all(|view| view.precision() == Precision::Single);
    Ok(if single {
        joined(&views, |value| value as f32).into()
    } else {
        joined(&views, |value| value).into()
    })
}

/// The columns of all views in one table.
fn joined<T: Clone + Default>(views: &[Features<'_>], number: impl Fn(f64) -> T) -> Array2<T> {
    let n_rows = views.first().map_or(0, Features::n_rows);
    let n_columns = views.iter().map(Features::n_columns).sum();
    let mut all = Array2::from_elem((n_rows, n_columns), T::default());
    for (row, mut target) in all.rows_mut().into_iter().enumerate() {
        let places = views
            .iter()
            .flat_map(|view| (0..view.n_columns()).map(move |column| view.value(row, column)));
        for (target, value) in target.iter_mut().zip(places) {
            *target = number(value);
        }
    }
    all
}

/// What stands before names that are not unique: the array's or the file's name, or else the number of the view.
fn stems(sources: &[String]) -> Vec<String> {
    let stem = |source: &String| {
        let name = file_name(source);
        match name.rsplit_once(':') {
            Some((_, array)) if !array.is_empty() => array.to_string(),
            _ => match name.split_once('.') {
                Some((stem, _)) if !stem.is_empty() => stem.to_string(),
                _ => name,
            },
        }
    };
    let stems: Vec<String> = sources.iter().map(stem).collect();
    let different: HashSet<&String> = stems.iter().collect();
    if different.len() == stems.len() {
        return stems;
    }
    (1..=sources.len())
        .map(|view| format!("view{view}"))
        .collect()
}

fn column_names(stems: &[String], tables: &[Table]) -> Option<Vec<String>> {
    let known = |table: &Table| table.column_names.clone();
    if tables.iter().all(|table| table.column_names.is_none()) {
        return None;
    }
    let mut tables_with: HashMap<String, usize> = HashMap::new();
    for names in tables.iter().filter_map(known) {
        for name in names.into_iter().collect::<HashSet<_>>() {
            *tables_with.entry(name).or_default() += 1;
        }
    }
    let mut all = Vec::new();
    for (stem, table) in stems.iter().zip(tables) {
        match &table.column_names {
            Some(names) => all.extend(names.iter().map(|name| match tables_with[name] {
                1 => name.clone(),
                _ => format!("{stem}_{name}"),
            })),
            None => all.extend((0..table.n_columns()).map(|place| format!("{stem}_{place}"))),
        }
    }
    Some(all)
}

fn labels(names: &[String], tables: &[Table]) -> Result<Option<(String, Labels<'static>)>> {
    let mut known: Option<(&String, &(String, Labels<'static>))> = None;
    for (name, table) in names.iter().zip(tables) {
        match (known, &table.labels) {
            (None, Some(labels)) => known = Some((name, labels)),
            (Some((other, labels)), Some(further)) if labels.1 != further.1 => {
                return Err(Error::Column {
                    file: names.join(" + "),
                    problem: format!(
                        "{other} has the labels {} and {name} has {}, which differ: name the column of one \
                         with --label",
                        quoted(&labels.0),
                        quoted(&further.0)
                    ),
                    suggestions: Vec::new(),
                });
            }
            _ => {}
        }
    }
    Ok(known.map(|(_, labels)| labels.clone()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    struct Files(TempDir);

    impl Files {
        fn new(files: &[(&str, &str)]) -> Self {
            let folder = TempDir::new().unwrap();
            for (name, text) in files {
                fs::write(folder.path().join(name), text).unwrap();
            }
            Self(folder)
        }

        fn join(&self, names: &[&str], options: &ReadOptions) -> Result<Table> {
            let path = |name: &&str| self.0.path().join(name).display().to_string();
            let sources: Vec<String> = names.iter().map(path).collect();
            side_by_side(&sources, read_each(&sources, options)?)
        }
    }

    fn with_label(label: &str) -> ReadOptions {
        ReadOptions {
            label: Some(label.into()),
            ..ReadOptions::default()
        }
    }

    #[test]
    fn columns_stand_side_by_side_under_names_of_their_own() {
        let files = Files::new(&[("a.csv", "x,y\n1,2\n3,4\n"), ("b.csv", "x,z\n5,6\n7,8\n")]);
        let table = files
            .join(&["a.csv", "b.csv"], &ReadOptions::default())
            .unwrap();
        assert_eq!(
            table.column_names.as_ref().unwrap(),
            &["a_x", "y", "b_x", "z"]
        );
        assert_eq!(
            (table.view_widths.as_slice(), table.name.as_str()),
            (&[2, 2][..], "a.csv + b.csv")
        );
        let data = table.data().unwrap();
        assert_eq!(data.views("test").unwrap()[1].value(1, 0), 7.0);
    }

    #[test]
    fn the_label_comes_from_the_file_that_has_it() {
        let files = Files::new(&[
            ("a.csv", "x,y\n1,2\n3,4\n5,5\n"),
            ("b.csv", "u,kind\n5,0\n7,1\n8,1\n"),
        ]);
        let table = files
            .join(&["a.csv", "b.csv"], &with_label("kind"))
            .unwrap();
        assert_eq!(table.view_widths, [2, 1]);
        assert_eq!(table.labels.unwrap().0, "kind");
        let error = files
            .join(&["a.csv", "b.csv"], &with_label("kidn"))
            .unwrap_err();
        assert!(error.to_string().contains("\"kidn\""), "{error}");
    }

    #[test]
    fn rows_must_be_the_same() {
        let files = Files::new(&[
            ("a.csv", "id,x\na,1\nb,2\n"),
            ("b.csv", "id,y\nb,1\na,2\n"),
            ("c.csv", "y\n1\n2\n3\n"),
            ("d.csv", "id,y\na,1\nq,2\n"),
        ]);
        let options = ReadOptions {
            id: Some("id".into()),
            ..ReadOptions::default()
        };
        let message = |other| {
            files
                .join(&["a.csv", other], &options)
                .unwrap_err()
                .to_string()
        };
        assert!(message("b.csv").contains("in another order"));
        assert!(message("c.csv").contains("3 rows, where a.csv has 2"));
        assert!(
            message("d.csv").contains("row 1 (counted from 0) is \"q\", and in a.csv it is \"b\"")
        );
    }
}
