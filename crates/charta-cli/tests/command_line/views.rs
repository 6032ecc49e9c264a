//! Several views of the same rows, from one file or several.

use charta::method::{Input, LabelUse};
use charta::methods::METHODS;
use charta::registry::Entry;

use crate::call::{Folder, difference, method_names};

const TWO_VIEWS: [&str; 4] = ["--view", "0-2", "--view", "weight,waist,pulse"];

/// The methods that compare views, as they are typed.
fn comparing() -> Vec<(&'static Entry, String)> {
    let names = method_names().into_iter();
    let all = METHODS.iter().zip(names);
    all.filter(|(entry, _)| entry.info.takes(Input::Views))
        .collect()
}

/// The methods that may be given views.
fn taking() -> Vec<(&'static Entry, String)> {
    let names = method_names().into_iter();
    let all = METHODS.iter().zip(names);
    all.filter(|(entry, _)| entry.info.takes(Input::Views) || entry.info.labels == LabelUse::Target)
        .collect()
}

/// The two views of linnerud as files, the second with names of rows.
fn two_files(folder: &Folder) {
    folder.done(&["data", "linnerud", "-o", "both.csv", "-q"]);
    let both = folder.text("both.csv");
    let parts = both.lines().enumerate().map(|(row, line)| {
        let cells: Vec<&str> = line.split(',').collect();
        let id = match row {
            0 => "man".into(),
            row => format!("m{row}"),
        };
        (
            cells[..3].join(","),
            format!("{id},{}", cells[3..].join(",")),
        )
    });
    let (exercise, body): (Vec<String>, Vec<String>) = parts.unzip();
    folder.put("exercise.csv", &(exercise.join("\n") + "\n"));
    folder.put("body.csv", &(body.join("\n") + "\n"));
}

#[test]
fn views_of_one_file_and_of_several_are_the_same() {
    let folder = Folder::new();
    two_files(&folder);
    for (_, name) in taking() {
        let one = [
            &[&*name, "linnerud"],
            &TWO_VIEWS[..],
            &["-o", "one.csv", "-q"],
        ]
        .concat();
        folder.done(&one);
        folder.done(&[
            &name,
            "exercise.csv",
            "body.csv",
            "--id",
            "man",
            "-o",
            "two.csv",
            "--save",
            "m.charta",
            "-q",
        ]);
        let two = folder.text("two.csv");
        assert!(two.starts_with("man,") && two.contains("\nm20,"), "{two}");
        assert!(difference(&folder.text("one.csv"), &two) < 1e-12, "{name}");
        folder.done(&["transform", "m.charta", "both.csv", "-o", "new.csv", "-q"]);
        assert!(difference(&folder.text("new.csv"), &two) < 1e-9, "{name}");
    }
}

#[test]
fn the_order_of_the_views_and_scaling_are_kept_for_new_rows() {
    let folder = Folder::new();
    folder.done(&["data", "linnerud", "-o", "both.csv", "-q"]);
    for (_, name) in taking() {
        let words = [
            &*name,
            "both.csv",
            "--view",
            "pulse,weight",
            "--view",
            "chins,jumps",
            "--scale",
            "min_max",
            "-o",
            "f.csv",
            "--save",
            "m.charta",
        ];
        let answer = folder.done(&words);
        let note = "columns 1 (\"situps\"), 4 (\"waist\") are in no view and are left out";
        assert!(answer.errors.contains(note), "{}", answer.errors);
        folder.done(&["transform", "m.charta", "both.csv", "-o", "new.csv", "-q"]);
        let (fit, new) = (folder.text("f.csv"), folder.text("new.csv"));
        assert!(difference(&fit, &new) < 1e-9, "{name}");
    }
}

#[test]
fn columns_of_the_same_name_get_that_of_their_file() {
    let folder = Folder::new();
    two_files(&folder);
    for (file, old) in [("exercise.csv", "chins"), ("body.csv", "weight")] {
        folder.put(file, &folder.text(file).replacen(old, "first", 1));
    }
    for (_, name) in comparing() {
        let words = [&*name, "exercise.csv", "body.csv", "--id", "man"];
        folder.done(&[&words[..], &["-o", "f.csv", "--save", "m.charta", "-q"]].concat());
        let text = folder.done(&["inspect", "m.charta"]).text;
        assert!(
            text.contains("exercise_first") && text.contains("body_first"),
            "{text}"
        );
        // Files of other names belong to the views by their order.
        for (from, to) in [("exercise.csv", "a.csv"), ("body.csv", "b.csv")] {
            folder.put(to, &folder.text(from));
        }
        folder.done(&[
            "transform",
            "m.charta",
            "a.csv",
            "b.csv",
            "--id",
            "man",
            "-o",
            "new.csv",
            "-q",
        ]);
        assert!(difference(&folder.text("f.csv"), &folder.text("new.csv")) < 1e-9);
    }
}

#[test]
fn wrong_views_are_named() {
    let folder = Folder::new();
    two_files(&folder);
    folder.put("short.csv", "a,b\n1,2\n3,4\n5,5\n");
    folder.put("moved.csv", &folder.text("body.csv").replace("m1,", "m21,"));
    for (_, name) in comparing() {
        for (words, message) in [
            ("linnerud", "compares views of the same rows"),
            ("linnerud --view chins", "is given only one"),
            (
                "linnerud --view chins --view ch*",
                "column 0 (\"chins\") is in view 1 and in view 2",
            ),
            (
                "linnerud --view chins --view wieght*",
                "matches \"wieght*\"; did you mean \"weight\"?",
            ),
            (
                "linnerud --view chins --view waist --columns pulse",
                "`--view` cannot go with `--columns`",
            ),
            (
                "body.csv --view man,weight --view waist",
                "column 0 (\"man\") of view 1 holds text",
            ),
            (
                "exercise.csv body.csv --view chins",
                "`--view` chooses from one file only",
            ),
            ("- -", "standard input can be read only once"),
        ] {
            let words: Vec<&str> = std::iter::once(&*name).chain(words.split(' ')).collect();
            let errors = folder.fails(2, &words);
            assert!(errors.contains(message), "{words:?}: {errors}");
        }
        let errors = folder.fails(1, &[&name, "exercise.csv", "short.csv"]);
        assert!(
            errors.contains("3 rows, where exercise.csv has 20"),
            "{errors}"
        );
        let errors = folder.fails(1, &[&name, "body.csv", "moved.csv", "--id", "man"]);
        assert!(
            errors.contains("row 0 (counted from 0) is \"m21\""),
            "{errors}"
        );
        let errors = folder.fails(2, &[&name, "exercise.csv", "body.csv", "-o", "body.csv"]);
        assert!(errors.contains("never overwritten"), "{errors}");
    }
}

#[test]
fn views_are_not_for_everyone() {
    let folder = Folder::new();
    assert!(
        folder
            .fails(2, &["pca", "linnerud", "--view", "chins"])
            .contains("no flag `--view`")
    );
    folder.done(&["pca", "linnerud", "--save", "m.charta", "-q"]);
    two_files(&folder);
    let words = [
        "transform",
        "m.charta",
        "exercise.csv",
        "body.csv",
        "--streaming",
    ];
    let errors = folder.fails(2, &words);
    assert!(errors.contains("cannot go with `--streaming`"), "{errors}");
    // The columns of both files together are those of the model.
    folder.done(&[
        "transform",
        "m.charta",
        "exercise.csv",
        "body.csv",
        "--id",
        "man",
        "-q",
    ]);
}

#[test]
fn a_target_is_a_label_or_a_second_view() {
    let folder = Folder::new();
    for (entry, name) in taking() {
        if entry.info.labels != LabelUse::Target {
            continue;
        }
        let errors = folder.fails(2, &[&name, "linnerud"]);
        assert!(
            errors.contains("`--label COLUMN`") && errors.contains("`--view LIST`"),
            "{errors}"
        );
        folder.done(&[&name, "linnerud", "--label", "pulse", "-q"]);
    }
}

#[test]
fn the_label_is_in_no_view_that_leaves_out_others() {
    let folder = Folder::new();
    folder.done(&["data", "wine", "-o", "wine.csv", "-q"]);
    for (_, name) in comparing() {
        let words = [
            &*name, "wine.csv", "--view", "0-4", "--view", "!0-4", "--json",
        ];
        let report = folder.done(&words).json();
        assert_eq!(report["data"]["label"], "class", "{name}");
        assert_eq!(report["data"]["n_columns"], 13, "{name}");
    }
}
