//! Rows in batches give what all rows at once give.

use charta::method::Capability;
use charta::methods::METHODS;

use crate::call::{Folder, difference, method_names};

#[test]
fn batches_give_the_same_coordinates() {
    let folder = Folder::new();
    folder.done(&["data", "blobs:3000,columns=12", "-o", "b.csv", "-q"]);
    for (entry, name) in METHODS.iter().zip(method_names()) {
        if !entry.info.offers(Capability::Streams) {
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
fn rows_are_counted_over_all_batches() {
    let folder = Folder::new();
    let mut text = String::from("a,b,c\n");
    for row in 0..100 {
        text.push_str(&format!("{row},{},{}\n", row % 7, row % 11));
    }
    folder.put("good.csv", &text);
    folder.put("bad.csv", &(text + "1,,2\n3,4,5\n"));
    let batches = ["--streaming", "--batch-rows", "30"];
    folder.done(&["pca", "good.csv", "--save", "m.charta", "-q"]);
    for words in [
        &["pca", "bad.csv"][..],
        &["transform", "m.charta", "bad.csv"],
    ] {
        let errors = folder.fails(1, &[words, &batches, &["-o", "out.csv"]].concat());
        assert!(
            errors.contains("bad.csv: row 100 (counted from 0), column \"b\""),
            "{errors}"
        );
        // A fit from batches would refuse it.
        assert!(
            words[0] != "pca" || !errors.contains("--missing"),
            "{errors}"
        );
    }
}

#[test]
fn components_of_images_are_drawn_from_batches_too() {
    let folder = Folder::new();
    let words = ["pca", "digits", "--streaming", "--batch-rows", "500", "-q"];
    folder.done(&[&words[..], &["--components-plot", "c.png"]].concat());
    assert!(folder.bytes("c.png").starts_with(b"\x89PNG"));
    let words = ["pca", "iris", "--streaming", "--components-plot", "i.png"];
    let errors = folder.fails(2, &words);
    assert!(errors.contains("not known to be images"), "{errors}");
}

#[test]
fn a_plot_is_colored_as_it_is_with_all_rows_at_once() {
    let folder = Folder::new();
    folder.done(&["data", "wine", "-o", "wine.csv", "-q"]);
    folder.done(&["data", "digits", "-o", "digits.csv", "-q"]);
    let batches = ["batches.svg", "--streaming", "--batch-rows", "50"];
    for (table, flag, column) in [
        ("wine.csv", "--label", "class"),
        ("wine.csv", "--color-by", "class"),
        ("digits.csv", "--label", "pixel_0_2"),
        ("wine.csv", "--color-by", "ash"),
        ("digits.csv", "--label", "digit"),
    ] {
        let words = ["pca", table, flag, column, "-q", "--plot"];
        folder.done(&[&words[..], &["whole.svg"]].concat());
        folder.done(&[&words[..], &batches].concat());
        let same = folder.text("whole.svg") == folder.text("batches.svg");
        assert!(same, "{table} {flag} {column}");
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
