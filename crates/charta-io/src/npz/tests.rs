use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;

use charta::data::Precision;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::npy::header::header_bytes;
use crate::{Content, LabelKind, ReadOptions, Table, describe, read};

fn array(description: &str, shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    [header_bytes(description, shape), bytes.to_vec()].concat()
}

fn archive(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (place, (name, bytes)) in arrays.iter().enumerate() {
        let method = if place % 2 == 0 {
            CompressionMethod::Stored
        } else {
            CompressionMethod::Deflated
        };
        zip.start_file(
            format!("{name}.npy"),
            SimpleFileOptions::default().compression_method(method),
        )
        .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn saved(bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn unicode(words: &[&str]) -> Vec<u8> {
    words
        .iter()
        .flat_map(|word| word.chars().chain(std::iter::repeat('\0')).take(3))
        .flat_map(|letter| u32::from(letter).to_le_bytes())
        .collect()
}

fn value(table: &Table, row: usize, column: usize) -> f64 {
    let Content::Features(features) = &table.content else {
        panic!("features expected")
    };
    features.view().value(row, column)
}

fn usual() -> Vec<u8> {
    archive(&[
        ("X", array("|u1", &[2, 3], &[1, 2, 3, 4, 5, 6])),
        ("y", array("<U3", &[2], &unicode(&["cat", "ox"]))),
        ("columns", array("<U3", &[3], &unicode(&["a", "b", "c"]))),
        ("other", array("|u1", &[2, 2], &[7, 8, 9, 10])),
    ])
}

#[test]
fn rows_labels_and_column_names_are_found_by_their_usual_names() {
    let (_folder, path) = saved(&usual());
    let table = read(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
    assert_eq!(
        (table.n_rows(), table.n_columns(), value(&table, 1, 0)),
        (2, 3, 4.0)
    );
    assert_eq!(table.labels.as_ref().unwrap().1.text(1), "ox");
    assert_eq!(table.column_names.as_deref().unwrap(), ["a", "b", "c"]);
    let shape = describe(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
    assert_eq!(
        (shape.rows, shape.columns, shape.exact, shape.bytes()),
        (2, 3, true, 24)
    );
}

#[test]
fn an_array_is_chosen_behind_a_colon_and_unknown_ones_are_named() {
    let (_folder, path) = saved(&usual());
    let source = format!("{}:other", path.display());
    assert_eq!(
        value(&read(&source, &ReadOptions::default()).unwrap(), 1, 1),
        10.0
    );
    let source = format!("{}:othr", path.display());
    let error = read(&source, &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no array is named \"othr\", there are X (2 × 3)"),
        "{error}"
    );
    assert!(error.ends_with("did you mean \"other\"?"), "{error}");
}

#[test]
fn labels_of_the_wrong_length_are_an_error_only_when_asked_for() {
    let (_folder, path) = saved(&archive(&[
        ("points", array("|u1", &[2, 1], &[1, 2])),
        ("y", array("|u1", &[3], &[1, 2, 3])),
    ]));
    let path = path.to_str().unwrap();
    assert!(
        read(path, &ReadOptions::default())
            .unwrap()
            .labels
            .is_none()
    );
    let options = ReadOptions {
        label: Some("y".into()),
        ..ReadOptions::default()
    };
    let error = read(path, &options).unwrap_err().to_string();
    assert!(
        error.ends_with("a.npz:y: 3 elements, where the rows are 2"),
        "{error}"
    );
}

#[test]
fn two_tables_without_usual_names_must_be_chosen_from() {
    let (_folder, path) = saved(&archive(&[
        ("p", array("|u1", &[1, 2], &[1, 2])),
        ("q", array("|u1", &[2, 1], &[1, 2])),
    ]));
    let error = read(path.to_str().unwrap(), &ReadOptions::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("choose one of the arrays p (1 × 2), q (2 × 1)"),
        "{error}"
    );
    assert!(error.is_usage());
}

fn numbers(values: &[i64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn sparse(format: &str, shape: [i64; 2], indptr: &[i64], indices: &[i64]) -> Vec<u8> {
    let values: Vec<i64> = (5..5 + indices.len() as i64).collect();
    archive(&[
        ("indices", array("<i8", &[indices.len()], &numbers(indices))),
        ("indptr", array("<i8", &[indptr.len()], &numbers(indptr))),
        ("data", array("<i8", &[values.len()], &numbers(&values))),
        ("shape", array("<i8", &[2], &numbers(&shape))),
        ("format", array("|S3", &[], format.as_bytes())),
    ])
}

#[test]
fn sparse_matrices_whose_arrays_do_not_fit_are_one_clear_line() {
    let large = 1 << 60;
    for (format, shape, indptr, indices, expected) in [
        (
            "csr",
            [2, 2],
            vec![0, 1, 2],
            vec![-1, 0],
            "a.npz:indices: element 0 is -1",
        ),
        (
            "csr",
            [2, 2],
            vec![0, 1, 2],
            vec![2, 0],
            "`indices` holds 2, where the shape allows only numbers below 2",
        ),
        (
            "csr",
            [3, 2],
            vec![0, 1, 2],
            vec![1, 0],
            "`indptr` has 3 elements, where the shape needs 4",
        ),
        (
            "csc",
            [3, 2],
            vec![0, 2],
            vec![1, 0],
            "`indptr` has 2 elements, where the shape needs 3",
        ),
        (
            "csr",
            [2, 2],
            vec![0, 2, 1],
            vec![1, 0],
            "`indptr` does not rise from 0 to at most 2",
        ),
        (
            "csr",
            [2, 2],
            vec![0, 1, 3],
            vec![1, 0],
            "`indptr` does not rise from 0 to at most 2",
        ),
        (
            "csr",
            [2, 2],
            vec![1, 1, 2],
            vec![1, 0],
            "`indptr` does not rise from 0 to at most 2",
        ),
        (
            "csr",
            [large, 2],
            vec![0, 1, 2],
            vec![1, 0],
            "a.npz: 1152921504606846976 rows, where a sparse",
        ),
        (
            "csc",
            [1 << 50, 2],
            vec![0, 1, 2],
            vec![1, 0],
            "rows, where a sparse matrix has at most",
        ),
        (
            "csr",
            [2, 1 << 32],
            vec![0, 1, 2],
            vec![1, 0],
            "4294967296 columns, where",
        ),
        (
            "csr",
            [2, -2],
            vec![0, 1, 2],
            vec![1, 0],
            "a.npz:shape: element 1 is -2",
        ),
    ] {
        let (_folder, path) = saved(&sparse(format, shape, &indptr, &indices));
        let error = read(path.to_str().unwrap(), &ReadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn options_are_obeyed_or_refused_for_sparse_matrices() {
    let (_folder, path) = saved(&sparse("csr", [2, 2], &[0, 1, 2], &[1, 0]));
    let path = path.to_str().unwrap();
    let single = ReadOptions {
        precision: Some(Precision::Single),
        ..ReadOptions::default()
    };
    assert_eq!(read(path, &single).unwrap().precision(), Precision::Single);
    assert_eq!(
        describe(path, &single).unwrap().precision,
        Precision::Single
    );
    let asked = || Some("0".to_string());
    for options in [
        ReadOptions {
            label: asked(),
            ..ReadOptions::default()
        },
        ReadOptions {
            id: asked(),
            ..ReadOptions::default()
        },
        ReadOptions {
            columns: vec!["0".into()],
            ..ReadOptions::default()
        },
    ] {
        let error = read(path, &options).unwrap_err();
        assert!(error.is_usage());
        assert!(
            error.to_string().ends_with(
                "a.npz: columns, views, label and id cannot be chosen from a sparse matrix"
            ),
            "{error}"
        );
    }
}

#[test]
fn labels_without_letters_are_missing() {
    for description in ["<U0", "|S0"] {
        let (_folder, path) = saved(&archive(&[
            ("X", array("|u1", &[2, 3], &[1, 2, 3, 4, 5, 6])),
            ("y", array(description, &[2], &[])),
        ]));
        let table = read(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
        assert_eq!(table.labels.unwrap().1.n_missing(), 2);
        let (_folder, path) = saved(&archive(&[
            ("X", array("|u1", &[2, 3], &[1, 2, 3, 4, 5, 6])),
            ("y", array(description, &[1 << 60], &[])),
        ]));
        let asked = ReadOptions {
            label: Some("y".into()),
            ..ReadOptions::default()
        };
        let error = read(path.to_str().unwrap(), &asked).unwrap_err();
        assert!(
            error.to_string().contains("words without a letter"),
            "{error}"
        );
    }
}

#[test]
fn sparse_matrices_of_scipy_are_read_in_both_orders() {
    for (format, expected) in [
        ("csr", [[0.0, 5.0], [6.0, 0.0]]),
        ("csc", [[0.0, 6.0], [5.0, 0.0]]),
    ] {
        let (_folder, path) = saved(&sparse(format, [2, 2], &[0, 1, 2], &[1, 0]));
        let table = read(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
        for (row, values) in expected.iter().enumerate() {
            assert_eq!(
                [value(&table, row, 0), value(&table, row, 1)],
                *values,
                "{format}"
            );
        }
    }
}

#[test]
fn damaged_archives_are_one_clear_line() {
    let whole = usual();
    let (_folder, path) = saved(&whole);
    for keep in (4..whole.len() - 1).step_by(11) {
        fs::write(&path, &whole[..keep]).unwrap();
        let error = read(path.to_str().unwrap(), &ReadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("the archive is damaged or ends too early"),
            "{error}"
        );
    }
}

#[test]
fn labels_that_are_numbers_take_the_names_of_their_classes() {
    let bytes = archive(&[
        ("X", array("|u1", &[4, 2], &[1, 2, 3, 4, 5, 6, 7, 8])),
        ("y", array("|u1", &[4], &[1, 0, 2, 1])),
        ("labels", array("<U3", &[3], &unicode(&["b", "dc", "nk"]))),
    ]);
    let (_folder, path) = saved(&bytes);
    let read_with = |label_kind| {
        let options = ReadOptions {
            label_kind,
            ..ReadOptions::default()
        };
        read(path.to_str().unwrap(), &options)
            .unwrap()
            .labels
            .unwrap()
    };
    let (title, labels) = read_with(LabelKind::Detect);
    assert_eq!(title, "y");
    let words: Vec<_> = (0..4).map(|row| labels.text(row).to_string()).collect();
    assert_eq!(words, ["dc", "b", "nk", "dc"]);
    assert!(matches!(
        read_with(LabelKind::Numbers).1,
        charta::Labels::Numbers(_)
    ));
    // A class without a name keeps the numbers.
    let bytes = archive(&[
        ("X", array("|u1", &[4, 2], &[1, 2, 3, 4, 5, 6, 7, 8])),
        ("y", array("|u1", &[4], &[1, 0, 3, 1])),
        ("labels", array("<U3", &[3], &unicode(&["b", "dc", "nk"]))),
    ]);
    let (_folder, path) = saved(&bytes);
    let table = read(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
    assert_eq!(table.labels.unwrap().1.text(2), "3");
}
