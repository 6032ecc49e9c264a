//! What is written is read back, in every format, in the same order, with its names and labels.

use std::fs;
use std::path::Path;

use charta::Labels;
use charta_io::{
    Content, LabelKind, LabelType, Output, OutputFormat, ReadOptions, Rows, Schema,
    check_not_input, check_output, create, read, write,
};
use ndarray::{Array2, array, s};

/// The formats of this build.
fn formats() -> Vec<&'static str> {
    let mut formats = vec!["csv", "tsv", "npy", "npz"];
    if cfg!(feature = "parquet") {
        formats.extend(["parquet", "arrow"]);
    }
    formats
}

fn values(path: &Path, options: &ReadOptions) -> Array2<f64> {
    let table = read(path.to_str().unwrap(), options).unwrap();
    match &table.content {
        Content::Features(features) => features.view().dense_rows(0, table.n_rows()),
        other => panic!("features expected, got {other:?}"),
    }
}

fn coordinates(rows: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, 2), |(row, column)| {
        (row as f64 + 0.1).sqrt() * 10f64.powi(column as i32 * 7 - 3)
    })
}

fn names() -> Vec<String> {
    vec!["pca1".into(), "pca2".into()]
}

fn listing(folder: &Path) -> Vec<String> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into())
        .collect()
}

#[test]
fn every_format_keeps_values_names_and_labels() {
    let folder = tempfile::tempdir().unwrap();
    let x = coordinates(5);
    let ids: Vec<String> = ["a", "b,c", "d\"e", "f\ng", "ü"].map(String::from).to_vec();
    let labels = Labels::from_words(&["yes", "no", "", "no", "maybe, not"]);
    for format in formats() {
        let path = folder.path().join(format!("out.{format}"));
        let output = Output {
            names: names(),
            values: x.view(),
            single: false,
            row_names: Some(&ids),
            id_title: Some("name"),
            predicted: None,
            labels: Some(("answer", &labels)),
        };
        write(&path, &output).unwrap();
        let carries = OutputFormat::of_path(&path).unwrap().carries_names();
        let named = |name: &str| Some(name.to_string()).filter(|_| carries);
        let (id, label) = if format == "npz" {
            ("ids", "labels")
        } else {
            ("name", "answer")
        };
        let options = ReadOptions {
            id: named(id),
            label: named(label),
            ..ReadOptions::default()
        };
        let table = read(path.to_str().unwrap(), &options).unwrap();
        assert_eq!(values(&path, &options), x, "{format}");
        if carries {
            assert_eq!(table.row_names.as_ref().unwrap(), &ids, "{format}");
            assert_eq!(table.column_names.as_ref().unwrap(), &names(), "{format}");
            assert_eq!(table.labels.as_ref().unwrap().1, labels, "{format}");
        }
    }
    assert_eq!(listing(folder.path()).len(), formats().len());
}

#[test]
fn predicted_labels_stand_beside_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let x = array![[1e-40, 1.0], [0.25, -3.5e300], [1.0, 0.0]];
    let labels = Labels::from_words(&["yes", "no", "no"]);
    let predicted = Labels::from_words(&["no", "no", "yes"]);
    for format in formats() {
        let path = folder.path().join(format!("out.{format}"));
        let output = Output {
            names: names(),
            values: x.view(),
            single: false,
            row_names: None,
            id_title: None,
            predicted: Some(("guess", &predicted)),
            labels: Some(("answer", &labels)),
        };
        write(&path, &output).unwrap();
        if !OutputFormat::of_path(&path).unwrap().carries_names() {
            continue;
        }
        let npz = format == "npz";
        let options = ReadOptions {
            label: Some(if npz { "predicted" } else { "guess" }.into()),
            columns: if npz { vec![] } else { names() },
            ..ReadOptions::default()
        };
        let table = read(path.to_str().unwrap(), &options).unwrap();
        assert_eq!(values(&path, &options), x, "{format}");
        assert_eq!(table.labels.as_ref().unwrap().1, predicted, "{format}");
    }
    let text = fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert!(
        text.starts_with("guess,pca1,pca2,answer\nno,1e-40,1,yes\n"),
        "{text}"
    );
}

#[test]
fn single_precision_is_written_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let x = coordinates(3);
    for format in formats() {
        let path = folder.path().join(format!("out.{format}"));
        let output = Output {
            names: names(),
            values: x.view(),
            single: true,
            row_names: None,
            id_title: None,
            predicted: None,
            labels: None,
        };
        write(&path, &output).unwrap();
        let found = values(&path, &ReadOptions::default());
        for (found, x) in found.iter().zip(&x) {
            assert_eq!(*found as f32, *x as f32, "{format}");
        }
    }
    let text = fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert_eq!(
        text.lines().nth(1).unwrap().split(',').next().unwrap(),
        format!("{}", x[[0, 0]] as f32)
    );
}

#[test]
fn whole_and_real_labels_keep_their_type() {
    let folder = tempfile::tempdir().unwrap();
    let x = coordinates(4);
    let whole = Labels::from_words(&["3", "7", "3", ""]);
    let real = Labels::numbers(vec![0.5, f64::NAN, 1.5, 2.0]);
    assert_eq!(LabelType::of(&whole), LabelType::Whole);
    assert_eq!(
        LabelType::of(&Labels::from_words(&["007", "7"])),
        LabelType::Text
    );
    for format in formats().into_iter().filter(|&format| format != "npy") {
        for labels in [&whole, &real] {
            let path = folder.path().join(format!("out.{format}"));
            let output = Output {
                names: names(),
                values: x.view(),
                single: false,
                row_names: None,
                id_title: None,
                predicted: None,
                labels: Some(("y", labels)),
            };
            write(&path, &output).unwrap();
            let label = if format == "npz" { "labels" } else { "y" };
            let options = ReadOptions {
                label: Some(label.into()),
                ..ReadOptions::default()
            };
            let found = read(path.to_str().unwrap(), &options)
                .unwrap()
                .labels
                .unwrap()
                .1;
            let texts =
                |labels: &Labels<'_>| (0..4).map(|row| labels.text(row)).collect::<Vec<_>>();
            assert_eq!(texts(&found), texts(labels), "{format}");
            let classes = |labels: &Labels<'_>| matches!(labels, Labels::Classes { .. });
            assert_eq!(classes(&found), classes(labels), "{format}");
        }
    }
}

#[test]
fn blocks_pushed_one_by_one_make_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let x = coordinates(100);
    let labels: Vec<f64> = (0..100).map(f64::from).collect();
    for format in formats() {
        let path = folder.path().join(format!("out.{format}"));
        let schema = Schema {
            names: names(),
            single: false,
            id_title: None,
            predicted: None,
            label: Some(("y".into(), LabelType::Number)),
        };
        let mut writer = create(&path, schema).unwrap();
        for start in (0..100).step_by(30) {
            let end = (start + 30).min(100);
            let part = Labels::numbers(&labels[start..end]);
            writer
                .push(&Rows {
                    values: x.slice(s![start..end, ..]),
                    row_names: None,
                    predicted: None,
                    labels: Some(&part),
                })
                .unwrap();
            assert!(!path.exists(), "{format}");
        }
        writer.finish().unwrap();
        let has_label = format != "npy";
        let label = if format == "npz" { "labels" } else { "y" };
        let options = ReadOptions {
            label: Some(label.into()).filter(|_| has_label),
            label_kind: LabelKind::Numbers,
            ..ReadOptions::default()
        };
        assert_eq!(values(&path, &options), x, "{format}");
        if has_label {
            let found = read(path.to_str().unwrap(), &options)
                .unwrap()
                .labels
                .unwrap()
                .1;
            assert_eq!(found, Labels::numbers(labels.as_slice()), "{format}");
        }
    }
}

#[test]
fn a_writer_that_is_dropped_or_refused_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for format in formats() {
        let path = folder.path().join(format!("out.{format}"));
        let schema = Schema {
            names: names(),
            single: false,
            id_title: None,
            predicted: None,
            label: None,
        };
        let mut writer = create(&path, schema).unwrap();
        let x = coordinates(3);
        writer
            .push(&Rows {
                values: x.view(),
                row_names: None,
                predicted: None,
                labels: None,
            })
            .unwrap();
        let narrow = array![[1.0]];
        let error = writer.push(&Rows {
            values: narrow.view(),
            row_names: None,
            predicted: None,
            labels: None,
        });
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("columns to write: expected 2, got 1")
        );
        drop(writer);
    }
    assert!(listing(folder.path()).is_empty());
}

#[test]
fn a_class_that_does_not_fit_its_typed_column_is_refused_and_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let labels = Labels::from_words(&["1", "w", "2"]);
    for format in formats() {
        let schema = Schema {
            names: names(),
            single: false,
            id_title: None,
            predicted: None,
            label: Some(("kind".into(), LabelType::Whole)),
        };
        let path = folder.path().join(format!("out.{format}"));
        let mut writer = create(&path, schema).unwrap();
        let pushed = writer.push(&Rows {
            values: coordinates(3).view(),
            row_names: None,
            predicted: None,
            labels: Some(&labels),
        });
        match format {
            "csv" | "tsv" | "npy" => pushed.unwrap(),
            _ => assert!(
                pushed
                    .unwrap_err()
                    .to_string()
                    .contains("the labels \"kind\" were numbers so far, and \"w\" is not"),
            ),
        }
    }
}

#[test]
fn files_that_an_input_reads_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let images = at("imgs");
    fs::create_dir_all(images.join("cats")).unwrap();
    let labels = "t-labels-idx1-ubyte.csv";
    for name in [
        "imgs/a.png",
        "imgs/cats/b.png",
        "c.png",
        "t-images-idx3-ubyte.csv",
        labels,
    ] {
        fs::write(at(name), "here").unwrap();
    }
    fs::write(at("list.txt"), "# two\nimgs/a.png\tcat\nc.png\n").unwrap();
    let refused = |output: &str, input: &str| {
        let input = at(input);
        let inputs = [input.to_str().unwrap()];
        match check_not_input(&at(output), &inputs) {
            Ok(()) => false,
            Err(error) => {
                assert!(
                    error.is_usage() && error.to_string().contains("reads this file"),
                    "{error}"
                );
                true
            }
        }
    };
    assert!(refused("imgs/a.png", "imgs"));
    assert!(refused("imgs/../imgs/cats/b.png", "imgs"));
    assert!(!refused("imgs/new.png", "imgs") && !refused("c.png", "imgs"));
    #[cfg(unix)]
    {
        fs::write(at("far.png"), "here").unwrap();
        assert!(!refused("far.png", "imgs"));
        std::os::unix::fs::symlink(at("far.png"), at("imgs/cats/link.png")).unwrap();
        assert!(refused("far.png", "imgs") && refused("imgs/cats/link.png", "imgs"));
    }
    assert!(refused("imgs/a.png", "list.txt") && refused("c.png", "list.txt"));
    assert!(!refused("imgs/cats/b.png", "list.txt"));
    assert!(refused(labels, "t-images-idx3-ubyte.csv"));
    let input = at("t-images-idx3-ubyte.csv");
    let error = check_output(&at(labels), &[input.to_str().unwrap()]).unwrap_err();
    assert!(
        error.to_string().contains("which is never overwritten"),
        "{error}"
    );
}

#[test]
fn an_output_is_checked_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.csv");
    fs::write(&input, "a,b\n1,2\n").unwrap();
    let inputs = [input.to_str().unwrap()];
    check_output(&folder.path().join("out.csv"), &inputs).unwrap();
    let same = folder.path().join(".").join("in.csv");
    let error = check_output(&same, &inputs).unwrap_err();
    assert!(error.to_string().contains("this is the input") && error.is_usage());
    let error = check_output(&folder.path().join("out.xlsx"), &inputs)
        .unwrap_err()
        .to_string();
    assert!(error.contains("must end in .csv"), "{error}");
    let error = check_output(&folder.path().join("no/out.csv"), &inputs)
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("no does not exist"), "{error}");
    assert_eq!(listing(folder.path()), ["in.csv"]);
    assert_eq!(fs::read_to_string(&input).unwrap(), "a,b\n1,2\n");
}
