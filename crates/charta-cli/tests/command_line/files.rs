//! Tables as people have them: text labels, quotes, names, picked columns, standard input.

use std::io::Write;
use std::process::Stdio;

use crate::call::Folder;

const TABLE: &str = "name,height,weight,kind\n\"Smith, J.\",1.5,60,\"tall, thin\"\n\
                     \"the \"\"best\"\"\",1.6,70,short\nthird,1.9,71,short\nfourth,1.2,50,\n";

#[test]
fn names_and_labels_are_carried_along() {
    let folder = Folder::new();
    folder.put("people.csv", TABLE);
    let text = folder
        .done(&[
            "pca",
            "people.csv",
            "--id",
            "name",
            "--label",
            "kind",
            "-o",
            "-",
            "-q",
        ])
        .text;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "name,pc1,pc2,kind");
    assert!(lines[1].starts_with("\"Smith, J.\",") && lines[1].ends_with(",\"tall, thin\""));
    assert!(lines[2].starts_with("\"the \"\"best\"\"\","));
    assert!(lines[4].starts_with("fourth,") && lines[4].ends_with(','));
}

#[test]
fn a_text_column_is_taken_as_the_label_and_that_is_said() {
    let folder = Folder::new();
    folder.put("t.csv", "a,b,kind\n1,2,x\n3,5,y\n4,4,x\n0,1,y\n");
    let answer = folder.done(&["pca", "t.csv", "-o", "out.csv"]);
    assert!(answer.errors.contains("note: "), "{}", answer.errors);
    assert!(folder.text("out.csv").starts_with("pc1,pc2,kind\n"));
}

#[test]
fn columns_are_picked_by_name_pattern_and_exclusion() {
    let folder = Folder::new();
    let report = folder
        .done(&["pca", "iris", "--columns", "petal*", "--json"])
        .json();
    assert_eq!(report["data"]["n_columns"], 2);
    let report = folder
        .done(&["pca", "iris", "--columns", "!petal_width", "--json"])
        .json();
    assert_eq!(report["data"]["n_columns"], 3);
}

#[test]
fn standard_input_is_read_and_standard_output_written() {
    let folder = Folder::new();
    let mut child = folder
        .command(&["pca", "-", "-o", "-", "-q"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"a,b\n1,2\n3,5\n4,4\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 4);
}

#[test]
fn every_format_can_be_written_and_read_again() {
    let folder = Folder::new();
    for end in ["csv", "tsv", "parquet", "arrow", "npy", "npz"] {
        let name = format!("iris.{end}");
        folder.done(&["data", "iris", "-o", &name, "-q"]);
        let mut words = vec!["pca", &name, "--json", "-o", "back.csv"];
        if end != "npy" && end != "npz" {
            words.extend(["--label", "class"]);
        }
        let report = folder.done(&words).json();
        assert_eq!(report["data"]["n_rows"], 150, "{end}");
        assert_eq!(report["data"]["n_columns"], 4, "{end}");
    }
}

#[test]
fn single_precision_goes_in_and_comes_out() {
    let folder = Folder::new();
    let report = folder
        .done(&[
            "pca",
            "iris",
            "--precision",
            "f32",
            "-o",
            "out.npy",
            "--json",
        ])
        .json();
    assert_eq!(report["data"]["precision"], "f32");
    assert!(String::from_utf8_lossy(&folder.bytes("out.npy")[..80]).contains("<f4"));
    folder.done(&["pca", "iris", "-o", "out.npy", "-q"]);
    assert!(String::from_utf8_lossy(&folder.bytes("out.npy")[..80]).contains("<f8"));
    folder.done(&[
        "data",
        "iris",
        "--precision",
        "f32",
        "-o",
        "single.npy",
        "-q",
    ]);
    folder.done(&["pca", "single.npy", "-o", "out.npy", "-q"]);
    assert!(String::from_utf8_lossy(&folder.bytes("out.npy")[..80]).contains("<f4"));
}
