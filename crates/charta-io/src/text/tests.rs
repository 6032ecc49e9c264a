use charta::Labels;
use charta::data::OwnedFeatures;
use ndarray::{Array2, array};

use crate::collect::{as_kind, collect};
use crate::error::Result;
use crate::input::Input;
use crate::options::{Kind, ReadOptions};
use crate::table::{Content, Table};
use crate::text::TextTable;

fn read_with(text: &str, options: &ReadOptions) -> Result<Table> {
    let table = TextTable::open(Input::bytes("t.csv", text.as_bytes().to_vec()), options)?;
    as_kind(collect(Box::new(table), options)?, options.kind)
}

fn read(text: &str) -> Result<Table> {
    read_with(text, &ReadOptions::default())
}

fn values(table: &Table) -> Array2<f64> {
    match &table.content {
        Content::Features(OwnedFeatures::F64(values)) => values.clone(),
        other => panic!("dense double precision expected, got {other:?}"),
    }
}

fn message(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn a_table_with_text_becomes_features_and_labels() {
    let table = read("a,b,species\r\n1, 2.5 ,x\r\n+3,1e5,\"y, z\"\r\n4,inf,\r\n").unwrap();
    assert_eq!(
        values(&table),
        array![[1.0, 2.5], [3.0, 1e5], [4.0, f64::INFINITY]]
    );
    assert_eq!(table.column_names.unwrap(), ["a", "b"]);
    let (title, labels) = table.labels.unwrap();
    assert_eq!(title, "species");
    assert_eq!(
        (labels.text(1), labels.n_missing()),
        ("y, z".to_string(), 1)
    );
    assert_eq!(
        table.notes,
        ["column 2 (\"species\") holds text and is taken as the label"]
    );
}

#[test]
fn missing_values_are_named_and_counted() {
    let table = read("a,b\n1,NA\n?,2\nnull,N/A\n,4\n").unwrap();
    assert_eq!(table.n_missing, 5);
    assert!(values(&table)[[0, 1]].is_nan());
    let strict = ReadOptions {
        missing: vec!["-999".into()],
        ..ReadOptions::default()
    };
    let table = read_with("a,b\n1,-999\n,2\n", &strict).unwrap();
    // A number that stands for a missing value is one only if it was named as such.
    assert_eq!(table.n_missing, 2);
    assert!(read_with("a,b\n1,NA\n3,2\n4,5\n", &strict).is_err());
}

#[test]
fn wrong_rows_and_cells_are_named_by_line_and_column() {
    assert_eq!(
        message("a,b,c\n1,2,3\n4,5\n"),
        "t.csv, line 3: 2 fields where the header has 3"
    );
    assert_eq!(
        message("a,b\n1,2\n4\n"),
        "t.csv, line 3: 1 field where the header has 2"
    );
    assert_eq!(
        message("1,2\n1,2,3\n"),
        "t.csv, line 2: 3 fields where the first line has 2"
    );
    assert_eq!(
        message("name,age\n\"a\nb\",1\nc,2\nd,abc\n"),
        "t.csv, line 5, column 1 (\"age\"): \"abc\" is not a number"
    );
    assert_eq!(
        message("1,2\n3,4\n5,six\n"),
        "t.csv, line 3, column 1: \"six\" is not a number"
    );
}

#[test]
fn the_first_wrong_line_is_reported_however_many_threads_parse() {
    let mut text = String::from("a,b\n");
    for row in 0..400_000 {
        let cell = if row == 300_000 || row == 390_000 {
            "bad".into()
        } else {
            row.to_string()
        };
        text.push_str(&format!("{row},{cell}\n"));
    }
    assert_eq!(
        message(&text),
        "t.csv, line 300002, column 1 (\"b\"): \"bad\" is not a number"
    );
}

#[test]
fn long_tables_keep_their_row_order() {
    let text: String = (0..500_000)
        .map(|row| format!("{row};{}\n", -row))
        .collect();
    let found = values(&read(&text).unwrap());
    assert_eq!(found.nrows(), 500_000);
    assert!(
        found
            .rows()
            .into_iter()
            .enumerate()
            .all(|(row, x)| x[0] == row as f64 && x[1] == -x[0])
    );
}

#[test]
fn label_and_id_are_chosen_by_name_or_number() {
    let options = ReadOptions {
        label: Some("class".into()),
        id: Some("0".into()),
        ..ReadOptions::default()
    };
    let table = read_with("who,x,class\nann,1,2\nbob,2,1\ncid,3,2\n", &options).unwrap();
    assert_eq!(table.row_names.unwrap(), ["ann", "bob", "cid"]);
    assert_eq!(table.id_title.as_deref(), Some("who"));
    assert!(matches!(&table.labels.unwrap().1, Labels::Classes { names, .. } if names.len() == 2));
}

#[test]
fn a_continental_table_is_read_with_its_commas() {
    let table = read("x;y\n1,5;2\n-3,25;4,5\n").unwrap();
    assert_eq!(values(&table), array![[1.5, 2.0], [-3.25, 4.5]]);
}

#[test]
fn distances_take_their_names_from_the_text_column() {
    let options = ReadOptions {
        kind: Kind::Distances,
        ..ReadOptions::default()
    };
    let table = read_with("city,a,b\na,0,1\nb,1,0\n", &options).unwrap();
    assert_eq!(table.row_names.as_deref().unwrap(), ["a", "b"]);
    assert!(matches!(table.content, Content::Distances(_)));
    let error = read_with("1,2\n3,4\n5,6\n", &options)
        .unwrap_err()
        .to_string();
    assert!(error.contains("3 rows and 2 columns"), "{error}");
    let error = read_with("1,2\n", &options).unwrap_err().to_string();
    assert!(error.contains("2 numbers in one line"), "{error}");
}

#[test]
fn rows_are_counted_without_blank_lines_and_header() {
    let count = |text: &str| {
        let input = Input::bytes("t.csv", text.as_bytes().to_vec());
        TextTable::open(input, &ReadOptions::default())
            .unwrap()
            .count_rows()
            .unwrap()
    };
    assert_eq!(count("a,b\n1,2\n\n3,4\n  \n"), (2, true));
    assert_eq!(count("a,b\n\"x\ny\",2\n\"z\",4"), (2, true));
}

#[test]
fn a_text_column_without_repetitions_names_the_rows() {
    let text: String = (0..12).map(|row| format!("city {row},{row}\n")).collect();
    let table = read(&format!("city,x\n{text}")).unwrap();
    assert!(table.labels.is_none());
    assert_eq!(table.row_names.unwrap()[11], "city 11");
    assert_eq!(
        table.notes,
        ["column 0 (\"city\") holds text, all different, and names the rows"]
    );
    let asked = ReadOptions {
        label: Some("city".into()),
        ..ReadOptions::default()
    };
    assert!(
        read_with(&format!("city,x\n{text}"), &asked)
            .unwrap()
            .labels
            .is_some()
    );
}
