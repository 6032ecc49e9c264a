//! Distances between rows in every form that is read, and what is said when they make no sense.

use std::fs;

use charta_io::{Content, Kind, ReadOptions, Table, describe, read, read_weights};
use ndarray::{Array2, array};
use tempfile::TempDir;

fn options() -> ReadOptions {
    ReadOptions {
        kind: Kind::Distances,
        ..ReadOptions::default()
    }
}

fn saved(name: &str, bytes: &[u8]) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let path = path.to_str().unwrap().to_string();
    (folder, path)
}

fn taken(text: &str) -> Table {
    let (_folder, path) = saved("d.csv", text.as_bytes());
    read(&path, &options()).unwrap()
}

fn matrix(table: &Table) -> &Array2<f64> {
    match &table.content {
        Content::Distances(matrix) => matrix,
        other => panic!("distances were expected: {other:?}"),
    }
}

/// What is said about a table: when it is read, or when it is believed.
fn complaint(text: &str) -> String {
    let (_folder, path) = saved("d.csv", text.as_bytes());
    match read(&path, &options()) {
        Err(error) => error.to_string(),
        Ok(table) => table.data().unwrap_err().to_string(),
    }
}

/// A vector as NumPy saves it.
fn npy(values: &[f64]) -> Vec<u8> {
    let mut header = format!(
        "{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}",
        values.len()
    );
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[test]
fn pairs_in_one_line_are_those_above_the_diagonal() {
    let want = array![[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]];
    for text in ["1\n2\n3\n", "1,2,3\n", "distance\n1\n2\n3\n"] {
        assert_eq!(matrix(&taken(text)), want, "{text:?}");
    }
    let (_folder, path) = saved("d.npy", &npy(&[1.0, 2.0, 3.0]));
    let table = read(&path, &options()).unwrap();
    assert_eq!(matrix(&table), want);
    let message = describe(&path, &options()).unwrap();
    assert_eq!((message.rows, message.columns, message.exact), (3, 3, true));
    let error = complaint("1\n2\n3\n4\n");
    assert!(
        error.contains("4 numbers") && error.contains("3 rows have 3 pairs"),
        "{error}"
    );
}

#[test]
fn lists_of_pairs_are_known_by_their_columns() {
    let table = taken("from,to,distance\nParis,Rome,1420\nRome,Oslo,2500\nRome,Paris,1420\n");
    assert_eq!(
        table.row_names.as_deref().unwrap(),
        ["Paris", "Rome", "Oslo"]
    );
    let found = matrix(&table);
    assert_eq!(
        (found[[0, 1]], found[[2, 1]], found[[1, 1]]),
        (1420.0, 2500.0, 0.0)
    );
    assert!(found[[0, 2]].is_nan());
    assert_eq!(table.n_missing, 1);
    assert_eq!(table.data().unwrap().n_missing_distances(), 1);
    assert!(table.notes[0].contains("first named"), "{:?}", table.notes);

    let table = taken("Source;Target;Length;W\n10;2;1.5;3\n2;1;2;0\n");
    assert_eq!(table.row_names.as_deref().unwrap(), ["1", "2", "10"]);
    assert!(table.notes[0].contains("numbers"), "{:?}", table.notes);
    let weights = table.pair_weights.as_ref().unwrap();
    assert_eq!(
        (weights[[2, 1]], weights[[0, 1]], weights[[0, 2]]),
        (3.0, 0.0, 0.0)
    );
    assert!(table.data().unwrap().pair_weights().is_some());

    let (_folder, path) = saved("roads.csv", b"km,x,y,z\n5,a,b,1\n7,b,c,1\n");
    let chosen = ReadOptions {
        edges: vec!["x".into(), "y".into(), "0".into()],
        ..options()
    };
    let table = read(&path, &chosen).unwrap();
    assert_eq!(matrix(&table)[[1, 2]], 7.0);
    let message = describe(&path, &chosen).unwrap();
    assert_eq!((message.rows, message.columns), (3, 3));
}

#[test]
fn a_small_square_is_no_list() {
    let table = taken("a,b,d\n0,1,2\n1,0,3\n2,3,0\n");
    assert_eq!(table.row_names.as_deref().unwrap(), ["a", "b", "d"]);
}

#[test]
fn missing_cells_are_taken_from_the_other_side_or_stay_missing() {
    let table = taken("city,a,b,c\na,,,\nb,1,0,\nc,,2,0\n");
    let found = matrix(&table);
    assert_eq!(
        (found[[0, 1]], found[[1, 2]], found[[0, 0]]),
        (1.0, 2.0, 0.0)
    );
    assert!(found[[0, 2]].is_nan() && found[[2, 0]].is_nan());
    assert_eq!(table.data().unwrap().n_missing_distances(), 1);
}

#[test]
fn wrong_distances_are_named() {
    for (text, words) in [
        ("from,to,distance\na,b,-1\n", ["\"a\" and \"b\"", "-1"]),
        (
            "from,to,distance\na,b,1\nb,a,2\n",
            ["given twice", "1 and 2"],
        ),
        ("from,to,distance\na,a,3\n", ["from \"a\" to itself", "3"]),
        ("from,to,distance\na,,3\n", ["pair 0", "one row only"]),
        ("from,to,distance,weight\na,b,3,-2\n", ["weight", "-2"]),
        (
            "c,a,b\na,0,1\nb,2,0\n",
            ["row 0 (\"a\") and row 1 (\"b\")", "1 and 2"],
        ),
        (
            "c,a,b\na,0,-1\nb,-1,0\n",
            ["row 0 (\"a\") to row 1 (\"b\")", "-1"],
        ),
        ("c,a,b\na,0,1\nb,1,4\n", ["row 1 (\"b\") to itself", "4"]),
        (
            "0,1,1\n1,0,1\n1,1,0\n1,1,1\n",
            ["4 rows and 3 columns", "--edges"],
        ),
    ] {
        let message = complaint(text);
        assert!(
            words.iter().all(|word| message.contains(word)),
            "{text:?}: {message}"
        );
    }
    let (_folder, path) = saved("d.csv", b"from,to,distance\na,b,1\n");
    let unknown = ReadOptions {
        edges: vec!["from".into(), "too".into(), "distance".into()],
        ..options()
    };
    let message = read(&path, &unknown).unwrap_err().to_string();
    assert!(message.contains("did you mean \"to\""), "{message}");
}

#[test]
fn weights_are_a_square_or_pairs_in_one_line() {
    let want = array![[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]];
    for text in ["1\n2\n3\n", "0,1,2\n1,0,3\n2,3,0\n"] {
        let (_folder, path) = saved("w.csv", text.as_bytes());
        assert_eq!(
            read_weights(&path, 3, &ReadOptions::default()).unwrap(),
            want
        );
        let message = read_weights(&path, 4, &ReadOptions::default()).unwrap_err();
        assert!(message.to_string().contains("4 rows"), "{message}");
    }
}
