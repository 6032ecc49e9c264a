//! Rows in batches give what all rows at once give.

use charta::methods::METHODS;

use crate::call::{Folder, difference, method_names};

#[test]
fn batches_give_the_same_coordinates() {
    let folder = Folder::new();
    folder.done(&["data", "blobs:3000,columns=12", "-o", "b.csv", "-q"]);
    for (entry, name) in METHODS.iter().zip(method_names()) {
        if !entry.info.streams {
            folder.fails(2, &[&name, "b.csv", "--streaming"]);
            continue;
        }
        let common = [name.as_str(), "b.csv", "--label", "blob", "-n", "3", "-q"];
        folder.done(&[&common[..], &["-o", "whole.csv"]].concat());
        let batches = [
            "--streaming",
            "--batch-rows",
            "700",
            "-o",
            "batches.csv",
            "--plot",
            "p.png",
        ];
        folder.done(&[&common[..], &batches, &["--save", "m.charta"]].concat());
        let (whole, batches) = (folder.text("whole.csv"), folder.text("batches.csv"));
        assert_eq!(whole.lines().next(), batches.lines().next());
        assert!(difference(&whole, &batches) < 1e-9, "{name}");
        folder.done(&[
            "transform",
            "m.charta",
            "b.csv",
            "--label",
            "blob",
            "--streaming",
            "--batch-rows",
            "999",
            "-o",
            "placed.csv",
            "-q",
        ]);
        assert!(
            difference(&folder.text("placed.csv"), &batches) < 1e-12,
            "{name}"
        );
    }
}

#[test]
fn a_bad_row_in_a_late_batch_leaves_no_output() {
    let folder = Folder::new();
    let mut text = String::from("a,b,c\n");
    for row in 0..5000 {
        text.push_str(&format!("{row},{},{}\n", row % 7, row % 11));
    }
    text.push_str("1,2\n");
    folder.put("t.csv", &text);
    let errors = folder.fails(
        1,
        &[
            "pca",
            "t.csv",
            "--streaming",
            "--batch-rows",
            "100",
            "-o",
            "out.csv",
        ],
    );
    assert!(errors.contains("t.csv, line 5002"), "{errors}");
    assert_eq!(folder.names(), ["t.csv"]);
}
