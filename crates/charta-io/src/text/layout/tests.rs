use super::*;

fn layout(text: &str) -> Layout {
    detect("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn names(layout: &Layout) -> Vec<String> {
    layout
        .columns
        .iter()
        .map(|column| column.name.clone().unwrap_or("?".into()))
        .collect()
}

#[test]
fn delimiters_are_told_apart() {
    assert_eq!(layout("a,b\n1,2\n3,4\n").delimiter, b',');
    assert_eq!(layout("a\tb\n1\t2\n").delimiter, b'\t');
    assert_eq!(layout("a|b|c\n1|2|x\n").delimiter, b'|');
    assert_eq!(layout("1.5 2.5\n3.5 4.5\n").delimiter, b' ');
    assert_eq!(layout("name,x\n\"a;b\",1\n\"c;d\",2\n").delimiter, b',');
    assert_eq!(layout("red wine,3,4\nold beer,5,6\n").delimiter, b',');
    let continental = layout("x;y\n1,5;2,5\n3,25;4\n");
    assert_eq!(
        (continental.delimiter, continental.decimal_comma),
        (b';', true)
    );
    assert!(!layout("x;y\n1.5;2\n").decimal_comma);
}

#[test]
fn headers_are_told_from_rows() {
    assert!(layout("a,b\n1,2\n").header);
    assert!(!layout("1,2\n3,4\n").header);
    assert!(layout("a,b\n1,x\n2,y\n").header);
    assert!(!layout("1,x\n2,y\n").header);
    assert!(!layout("NA,2\n3,4\n").header);
    assert!(layout("0,1,2,3\n5,5,5,5\n6,6,6,6\n").header);
    assert!(!layout("0,1,2,3\n1,2,3,4\n").header);
    assert!(layout("x\n1\n2\n").header);
}

#[test]
fn one_wrong_cell_does_not_make_a_column_text() {
    let found = layout("a,b\n1,2\n3,oops\n5,6\n");
    assert!(
        found
            .columns
            .iter()
            .all(|column| column.kind == ColumnKind::Number)
    );
    let found = layout("a,b\n1,x\n3,\n5,y\n");
    assert_eq!(found.columns[1].kind, ColumnKind::Text);
}

#[test]
fn row_names_of_r_and_last_delimiters_are_understood() {
    let found = layout("\"a\" \"b\"\n\"one\" 1 2\n\"two\" 3 4\n");
    assert!(found.row_names);
    assert_eq!(names(&found), ["", "a", "b"]);
    let found = layout("a,b\n1,2,\n3,4,\n");
    assert!(!found.row_names);
    assert_eq!(found.columns[2].kind, ColumnKind::Empty);
    assert_eq!(layout("a,b,\n1,2,\n").columns[2].kind, ColumnKind::Empty);
}

#[test]
fn files_that_are_no_tables_are_refused() {
    let message = |bytes: &[u8]| {
        detect("t.csv", bytes, &ReadOptions::default())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(message(b""), "t.csv: the file is empty");
    assert_eq!(
        message(b"a,b\n"),
        "t.csv: there is a header, and no row below it"
    );
    assert!(message(b"ab\x00\x03").contains("a control character (0x00) at offset 2"));
    assert!(message(b"a,\x1b[31mb\n1,2\n").contains("a control character (0x1b) at offset 2"));
    assert!(message(b"a,b\x7f\n1,2\n").contains("a control character (0x7f) at offset 3"));
    assert!(message(b"\xff\xfea\x00").contains("UTF-16"));
    let separated = ReadOptions {
        delimiter: Some(1),
        ..ReadOptions::default()
    };
    let found = detect("t.csv", b"a\x01b\n1\x012\n\x0c3\x014\n", &separated).unwrap();
    assert_eq!(names(&found), ["a", "b"]);
}
