//! Batches hold the same rows as the whole table, for every format and every size of batch.

use std::path::{Path, PathBuf};

use charta::Labels;
use charta_io::{Content, Output, ReadOptions, TableBatches, describe, open_batches, read, write};
use ndarray::{Array2, s};

fn whole(source: &str, options: &ReadOptions) -> Array2<f64> {
    let table = read(source, options).unwrap();
    let Content::Features(features) = &table.content else {
        panic!("features expected")
    };
    features.view().dense_rows(0, table.n_rows())
}

/// All rows of all batches, their labels and their names.
fn gathered(
    batches: &mut dyn TableBatches,
    columns: usize,
    size: usize,
) -> (Vec<f64>, Vec<String>, Vec<String>) {
    let (mut values, mut labels, mut names) = (Vec::new(), Vec::new(), Vec::new());
    let mut last = size;
    loop {
        let rows = match batches.next_batch().unwrap() {
            None => return (values, labels, names),
            Some(data) => {
                assert_eq!(data.n_columns(), columns);
                let features = data.features("test").unwrap();
                values.extend(features.dense_rows(0, data.n_rows()));
                data.n_rows()
            }
        };
        assert!(
            last == size && rows <= size,
            "only the last batch may be shorter"
        );
        last = rows;
        if let Some(found) = batches.labels() {
            labels.extend((0..rows).map(|row| found.text(row)));
        }
        names.extend_from_slice(batches.row_names().unwrap_or_default());
    }
}

fn sample(folder: &Path, format: &str, rows: usize) -> (PathBuf, ReadOptions) {
    let path = folder.join(format!("x.{format}"));
    let values = Array2::from_shape_fn((rows, 3), |(row, column)| (row * 3 + column) as f64 / 7.0);
    let ids: Vec<String> = (0..rows).map(|row| format!("r{row}")).collect();
    let words: Vec<String> = (0..rows)
        .map(|row| ["u", "v", ""][row % 3].to_string())
        .collect();
    let labels = Labels::from_words(&words);
    let output = Output {
        names: vec!["a".into(), "b".into(), "c".into()],
        values: values.view(),
        single: false,
        row_names: Some(&ids),
        id_title: None,
        labels: Some(("kind", &labels)),
    };
    write(&path, &output).unwrap();
    let chosen = |name: &str| Some(name.to_string()).filter(|_| format != "npy");
    (
        path,
        ReadOptions {
            id: chosen("id"),
            label: chosen("kind"),
            ..ReadOptions::default()
        },
    )
}

fn formats() -> Vec<&'static str> {
    let mut formats = vec!["csv", "tsv", "npy"];
    if cfg!(feature = "parquet") {
        formats.extend(["parquet", "arrow"]);
    }
    formats
}

#[test]
fn batches_of_any_size_join_to_the_table() {
    let folder = tempfile::tempdir().unwrap();
    for format in formats() {
        let (path, options) = sample(folder.path(), format, 1001);
        let source = path.to_str().unwrap();
        let expected = whole(source, &options);
        for size in [1, 7, 1001, 5000] {
            let mut batches = open_batches(source, &options, size).unwrap();
            // Twice, to see that rewinding starts anew, also in the middle.
            for _ in 0..2 {
                let (values, labels, names) = gathered(&mut *batches, 3, size);
                assert_eq!(
                    values,
                    expected.iter().copied().collect::<Vec<_>>(),
                    "{format} {size}"
                );
                if format != "npy" {
                    assert_eq!(
                        (labels.len(), labels[1].as_str(), labels[2].as_str()),
                        (1001, "v", "")
                    );
                    assert_eq!(names[1000], "r1000");
                    assert_eq!(batches.column_names().unwrap(), ["a", "b", "c"]);
                }
                batches.rewind().unwrap();
                batches.next_batch().unwrap();
                batches.rewind().unwrap();
            }
        }
        let shape = describe(source, &options).unwrap();
        assert_eq!(
            (shape.rows, shape.columns, shape.exact),
            (1001, 3, true),
            "{format}"
        );
        assert_eq!(shape.bytes(), 1001 * 3 * 8, "{format}");
    }
}

#[test]
fn chosen_columns_arrive_in_the_chosen_order() {
    let folder = tempfile::tempdir().unwrap();
    for format in formats() {
        let (path, options) = sample(folder.path(), format, 50);
        let columns = if format == "npy" {
            vec!["2".into(), "0".into()]
        } else {
            vec!["c".into(), "a".into()]
        };
        let options = ReadOptions { columns, ..options };
        let all = whole(
            path.to_str().unwrap(),
            &ReadOptions {
                columns: Vec::new(),
                ..options.clone()
            },
        );
        let mut batches = open_batches(path.to_str().unwrap(), &options, 16).unwrap();
        let (values, _, _) = gathered(&mut *batches, 2, 16);
        let expected: Vec<f64> = all.slice(s![.., ..;-2]).iter().copied().collect();
        assert_eq!(values, expected, "{format}");
    }
}

#[test]
fn data_sets_come_in_batches_too() {
    let mut batches = open_batches("digits", &ReadOptions::default(), 500).unwrap();
    assert_eq!(batches.n_rows(), Some(1797));
    let (values, labels, _) = gathered(&mut *batches, 64, 500);
    assert_eq!(
        values,
        whole("digits", &ReadOptions::default())
            .iter()
            .copied()
            .collect::<Vec<_>>()
    );
    assert_eq!((labels[0].as_str(), labels.len()), ("0", 1797));
}

#[test]
fn errors_reach_the_library_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    let mut text: String = (0..3000).map(|row| format!("{row},{row}\n")).collect();
    text.push_str("1,oops\n");
    std::fs::write(&path, text).unwrap();
    let mut batches = open_batches(path.to_str().unwrap(), &ReadOptions::default(), 100).unwrap();
    let error = loop {
        match batches.next_batch() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("an error was expected"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(
        error.ends_with("x.csv, line 3001, column 1: \"oops\" is not a number"),
        "{error}"
    );
}

#[test]
fn what_cannot_come_in_batches_says_so() {
    let options = ReadOptions::default();
    let message = |source: &str| match open_batches(source, &options, 10) {
        Ok(_) => panic!("{source} should fail"),
        Err(error) => error.to_string(),
    };
    assert!(message("-").contains("it can be read only once"));
    assert!(message("eurodist").contains("cannot be read in batches"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.mtx");
    std::fs::write(
        &path,
        "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
    )
    .unwrap();
    assert!(message(path.to_str().unwrap()).contains("CSV, Parquet, Arrow, NPY and IDX can"));
    assert!(open_batches("iris", &options, 0).is_err());
}
