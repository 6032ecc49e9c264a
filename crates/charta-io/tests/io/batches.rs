//! Batches hold the same rows as the whole table, for every format and every size of batch.

use std::path::{Path, PathBuf};

use charta::Labels;
use charta_io::{
    Content, ImageShape, LabelKind, LabelType, Output, ReadOptions, TableBatches, describe,
    open_batches, read, write,
};
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
        predicted: None,
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
    assert!(
        message(path.to_str().unwrap())
            .contains("CSV, Parquet, Arrow, NPY, IDX and images can, NPZ and MatrixMarket cannot")
    );
    assert!(open_batches("iris", &options, 0).is_err());
}

/// Titles, label type and the texts of labels and names, read whole and in batches.
type Beside = (
    Option<String>,
    Option<String>,
    Option<LabelType>,
    Vec<String>,
    Vec<String>,
);

fn beside_whole(source: &str, options: &ReadOptions) -> (Beside, Vec<String>) {
    let table = read(source, options).unwrap();
    let rows = table.n_rows();
    let (title, labels) = table.labels.unzip();
    let texts = labels
        .as_ref()
        .map(|labels| (0..rows).map(|row| labels.text(row)).collect());
    let beside = (
        title,
        table.id_title,
        labels.as_ref().map(LabelType::of),
        texts.unwrap_or_default(),
        table.row_names.unwrap_or_default(),
    );
    (beside, table.notes)
}

fn beside_batches(source: &str, options: &ReadOptions, size: usize) -> (Beside, Vec<String>) {
    let mut batches = open_batches(source, options, size).unwrap();
    let columns = batches.n_columns();
    let (_, labels, names) = gathered(&mut *batches, columns, size);
    let beside = (
        batches.label_title().map(String::from),
        batches.id_title().map(String::from),
        batches.label_type(),
        labels,
        names,
    );
    (beside, batches.notes().to_vec())
}

#[test]
fn both_routes_agree_on_names_labels_and_their_type() {
    let folder = tempfile::tempdir().unwrap();
    let label = |name: &str| ReadOptions {
        label: Some(name.into()),
        ..ReadOptions::default()
    };
    type Cell = fn(usize) -> String;
    let cases: [(Cell, ReadOptions, Option<LabelType>); 6] = [
        // All different: names. Different at first, and a few thousand rows on no more: labels.
        (|row| format!("city {row}"), ReadOptions::default(), None),
        (
            |row| format!("city {}", row % 2500),
            ReadOptions::default(),
            Some(LabelType::Text),
        ),
        // Whole numbers that repeat are classes, also where a batch sees only one of them.
        (
            |row| (row / 1000).to_string(),
            label("y"),
            Some(LabelType::Whole),
        ),
        (
            |row| format!("{}.5", row % 7),
            label("y"),
            Some(LabelType::Number),
        ),
        (
            |row| (1900 + row).to_string(),
            label("y"),
            Some(LabelType::Number),
        ),
        // A word behind the rows that tell the layout.
        (
            |row| {
                if row == 601 {
                    "w".into()
                } else {
                    format!("{}.5", row % 7)
                }
            },
            label("y"),
            Some(LabelType::Text),
        ),
    ];
    for (place, (cell, options, expected)) in cases.into_iter().enumerate() {
        let path = folder.path().join(format!("{place}.csv"));
        let rows = (0..3000).map(|row| format!("{row}.25,{}\n", cell(row)));
        std::fs::write(&path, format!("x,y\n{}", rows.collect::<String>())).unwrap();
        let source = path.to_str().unwrap();
        let whole = beside_whole(source, &options);
        assert_eq!(whole.0.2, expected, "{place}");
        for size in [13, 3000] {
            assert_eq!(
                beside_batches(source, &options, size),
                whole,
                "{place} {size}"
            );
        }
    }
    for source in ["iris", "digits", "swiss-roll:300"] {
        let options = ReadOptions::default();
        assert_eq!(
            beside_batches(source, &options, 100),
            beside_whole(source, &options),
            "{source}"
        );
    }
}

#[cfg(feature = "parquet")]
#[test]
fn both_routes_agree_for_parquet_and_arrow() {
    let folder = tempfile::tempdir().unwrap();
    let values = Array2::from_shape_fn((40, 2), |(row, column)| (row + column) as f64);
    let cities: Vec<String> = (0..40).map(|row| format!("city {row}")).collect();
    let digits: Vec<String> = (0..40).map(|row| (row / 10).to_string()).collect();
    for format in ["parquet", "arrow"] {
        for (title, words) in [("city", &cities), ("digit", &digits)] {
            let path = folder.path().join(format!("{title}.{format}"));
            let labels = Labels::from_words(words);
            let output = Output {
                names: vec!["a".into(), "b".into()],
                values: values.view(),
                single: false,
                row_names: None,
                id_title: None,
                predicted: None,
                labels: Some((title, &labels)),
            };
            write(&path, &output).unwrap();
            let options = ReadOptions {
                label: (title == "digit").then(|| title.into()),
                ..ReadOptions::default()
            };
            let source = path.to_str().unwrap();
            let whole = beside_whole(source, &options);
            assert_eq!(whole.0.1.as_deref(), (title == "city").then_some("city"));
            assert_eq!(
                beside_batches(source, &options, 7),
                whole,
                "{format} {title}"
            );
        }
    }
}

#[test]
fn a_word_behind_many_numbers_makes_classes_of_the_whole_and_stops_batches_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    let mut text: String = (0..12_000).map(|row| format!("{row},{row}.5\n")).collect();
    text.push_str("1,w\n");
    std::fs::write(&path, format!("x,lab\n{text}")).unwrap();
    let source = path.to_str().unwrap();
    let options = ReadOptions {
        label: Some("lab".into()),
        ..ReadOptions::default()
    };
    let (_, labels) = read(source, &options).unwrap().labels.unwrap();
    assert!(matches!(labels, Labels::Classes { .. }));
    assert_eq!(
        (labels.text(0), labels.text(12_000)),
        ("0.5".into(), "w".into())
    );
    let mut batches = open_batches(source, &options, 5000).unwrap();
    let error = loop {
        match batches.next_batch() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("an error was expected"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(
        error.ends_with(
            "x.csv, line 12002, column 1 (\"lab\"): \"w\" is not a number: \
             use --label-kind classes to read the labels as classes"
        ),
        "{error}"
    );
    let classes = ReadOptions {
        label_kind: LabelKind::Classes,
        ..options.clone()
    };
    let (whole, _) = beside_whole(source, &classes);
    assert_eq!(beside_batches(source, &classes, 5000).0, whole);
    let numbers = ReadOptions {
        label_kind: LabelKind::Numbers,
        ..options
    };
    assert!(read(source, &numbers).is_err());
}

#[test]
fn batches_of_images_know_their_shape() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.idx");
    std::fs::write(
        &path,
        [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 7, 8],
    )
    .unwrap();
    let shape = |source: &str| {
        open_batches(source, &ReadOptions::default(), 1)
            .unwrap()
            .image()
    };
    let expected = ImageShape {
        height: 2,
        width: 1,
        channels: 1,
    };
    assert_eq!(shape(path.to_str().unwrap()), Some(expected));
    assert_eq!(shape("digits").unwrap().len(), 64);
    assert_eq!(shape("iris"), None);
}
