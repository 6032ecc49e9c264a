//! Several files as one table: folders and patterns.

use std::fs;
use std::path::Path;

use charta_io::{Error, ReadOptions, Table, describe, open_batches, read};
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let name = folder.path().to_str().unwrap().to_string();
    (folder, name)
}

fn table(source: &str) -> Table {
    read(source, &ReadOptions::default()).unwrap()
}

fn column(table: &Table, column: usize) -> Vec<f64> {
    let data = table.data().unwrap();
    let features = data.features("a test").unwrap();
    let rows = 0..table.n_rows();
    rows.map(|row| features.value(row, column)).collect()
}

fn complaint(source: &str) -> String {
    match read(source, &ReadOptions::default()) {
        Err(error @ Error::Content { .. }) => error.to_string(),
        other => panic!("an error of content was expected: {other:?}"),
    }
}

const PARTS: [(&str, &str); 3] = [
    ("part-10.csv", "a,b,kind\n5,6,u\n"),
    ("part-2.csv", "a,b,kind\n3,4,v\n4,5,u\n"),
    ("part-1.csv", "a,b,kind\n1,2,u\n2,3,v\n"),
];

#[test]
fn parts_follow_each_other_in_natural_order() {
    let (_folder, name) = folder(&PARTS);
    for source in [name.clone(), format!("{name}/part-*.csv")] {
        let table = table(&source);
        assert_eq!(column(&table, 0), [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(table.column_names.as_deref().unwrap(), ["a", "b"]);
        assert_eq!(table.labels.as_ref().unwrap().0, "kind");
        assert!(
            table.notes[0].contains("3 files as one table"),
            "{:?}",
            table.notes
        );
        let shape = describe(&source, &ReadOptions::default()).unwrap();
        assert_eq!((shape.rows, shape.columns, shape.exact), (5, 2, true));
    }
    let two = table(&format!("{name}/part-?.csv"));
    assert_eq!(two.n_rows(), 4);
}

#[test]
fn batches_go_on_across_parts_and_can_be_read_again() {
    let (_folder, name) = folder(&PARTS);
    let mut batches = open_batches(&name, &ReadOptions::default(), 2).unwrap();
    for _ in 0..2 {
        let mut firsts = Vec::new();
        while let Some(data) = batches.next_batch().unwrap() {
            assert!(data.labels().is_some());
            firsts.push(data.features("a test").unwrap().value(0, 0));
        }
        assert_eq!(firsts, [1.0, 3.0, 5.0]);
        batches.rewind().unwrap();
    }
}

#[test]
fn what_stands_beside_parts_is_left_alone() {
    let (_folder, name) = folder(&[
        ("part-0.csv", "a,b\n1,2\n"),
        ("part-1.csv", "a,b\n"),
        ("part-2.csv", ""),
        ("part-3.csv", "a,b\n3,4\n"),
        ("_SUCCESS", ""),
        (".part-0.csv.crc", "x"),
        ("notes.md", "# x"),
    ]);
    assert_eq!(column(&table(&name), 0), [1.0, 3.0]);
}

#[test]
fn a_text_column_is_the_same_in_all_parts() {
    // Alone, the words of the second part would name the rows: they are all different.
    let (_folder, name) = folder(&[
        ("1.csv", "a,b,kind\n1,2,u\n2,3,v\n3,4,u\n4,4,v\n"),
        ("2.csv", "a,b,kind\n5,2,w\n6,3,x\n7,4,u\n8,9,v\n"),
    ]);
    let table = table(&name);
    assert_eq!((table.n_rows(), table.n_columns()), (8, 2));
    assert_eq!(table.labels.as_ref().unwrap().0, "kind");
    assert!(table.row_names.is_none());
}

#[test]
fn a_part_that_disagrees_is_named() {
    for (second, said) in [
        ("a,c\n1,2\n", "it has no column \"b\""),
        ("a,b,c\n1,2,3\n", "its column \"c\" is not among"),
        ("b,a\n1,2\n", "in another order"),
    ] {
        let (_folder, name) = folder(&[("1.csv", "a,b\n1,2\n3,4\n"), ("2.csv", second)]);
        let message = complaint(&name);
        let file = Path::new(&name).join("2.csv");
        assert!(
            message.starts_with(file.to_str().unwrap()) && message.contains(said),
            "{message}"
        );
    }
    let (_folder, name) = folder(&[("1.csv", "1,2\n3,4\n"), ("2.csv", "1,2,3\n")]);
    assert!(complaint(&name).contains("3 columns of numbers, where the parts before it have 2"));
    let (folder, name) = folder(&[("1.csv", "1,2\n3,4\n")]);
    let header = format!(
        "{:<117}\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }"
    );
    let mut array = [b"\x93NUMPY\x01\x00\x76\x00", header.as_bytes()].concat();
    array.extend([0; 16]);
    fs::write(folder.path().join("2.npy"), array).unwrap();
    let message = complaint(&name);
    assert!(
        message.contains("a NumPy array, where the parts before it are each a text table"),
        "{message}"
    );
}

#[test]
fn a_folder_without_tables_says_so() {
    let (_folder, name) = folder(&[("notes.md", "# x")]);
    assert!(complaint(&name).contains("neither tables"));
}

#[test]
fn parts_may_be_compressed() {
    let (folder, name) = folder(&[("1.csv", "a,b\n1,2\n3,4\n")]);
    let zstd = zstd::encode_all(&b"a,b\n5,6\n"[..], 3).unwrap();
    fs::write(folder.path().join("2.csv.zst"), &zstd).unwrap();
    assert_eq!(column(&table(&name), 0), [1.0, 3.0, 5.0]);
    fs::write(folder.path().join("2.csv.zst"), &zstd[..zstd.len() - 4]).unwrap();
    let message = read(&name, &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("2.csv.zst") && message.contains("compressed data"),
        "{message}"
    );
}
