//! Wrong calls and bad files: one clear line, and the right exit code.

use crate::call::{Folder, method_names};

#[test]
fn unknown_names_get_the_nearest() {
    let folder = Folder::new();
    assert!(
        folder
            .fails(2, &["pac", "digits"])
            .contains("did you mean `pca`?")
    );
    assert!(
        folder
            .fails(2, &["pca", "digit"])
            .contains("did you mean \"digits\"?")
    );
    let errors = folder.fails(2, &["pca", "digits", "--n-component", "3"]);
    assert!(errors.contains("'--n-components'"), "{errors}");
    assert!(
        folder
            .fails(2, &["digits"])
            .contains("the method comes first")
    );
    assert!(
        folder
            .fails(2, &["quite-another"])
            .contains("there is no method or tool")
    );
    assert!(folder.fails(2, &["pca"]).contains("<DATA>"));
}

#[test]
fn wrong_values_are_named_with_what_was_expected() {
    let folder = Folder::new();
    for (words, message) in [
        (["pca", "iris", "-n", "0"], "`n_components` must be"),
        (["pca", "iris", "-n", "-3"], "`n_components` must be"),
        (
            ["pca", "iris", "--trim", "0.9"],
            "`trim` must be at least 0 and at most 0.5, got 0.9",
        ),
        (
            ["pca", "iris", "--solver", "magic"],
            "`solver` must be `auto`",
        ),
        (
            ["pca", "iris", "--whiten=maybe", "-q"],
            "`whiten` must be true or false, got maybe",
        ),
        (
            ["pca", "iris", "-n", "9"],
            "`n_components` must be at most 4",
        ),
        (["pca", "iris", "--threads", "0"], "`--threads` must be"),
        (
            ["pca", "iris", "--max-memory", "lots"],
            "`--max-memory` must be a size",
        ),
        (["pca", "iris", "--label", "specie"], "specie"),
        (["pca", "iris", "--plot", "x.pdf"], ".png, .svg or .html"),
        (["pca", "iris", "-o", "x.doc"], ".csv, .tsv, .parquet"),
        (["pca", "iris", "-o", "no/x.csv"], "no such file or folder"),
        (
            ["pca", "iris", "--components-plot", "x.png"],
            "not known to be images",
        ),
        (["pca", "iris", "--scree-plot", "x.html"], ".png or .svg"),
    ] {
        let errors = folder.fails(2, &words);
        assert!(errors.contains(message), "{words:?}: {errors}");
    }
    assert!(folder.names().is_empty());
}

#[test]
fn both_spellings_of_a_flag_work() {
    let folder = Folder::new();
    let one = folder
        .done(&["pca", "iris", "--n-components", "3", "-o", "-"])
        .text;
    let other = folder
        .done(&["pca", "iris", "--n_components", "3", "-o", "-"])
        .text;
    assert_eq!(one, other);
    assert!(one.starts_with("pc1,pc2,pc3,"));
}

#[test]
fn an_input_is_never_overwritten() {
    let folder = Folder::new();
    folder.put("x.csv", "a,b\n1,2\n3,5\n4,4\n");
    let name = &method_names()[0];
    for flag in ["-o", "--save"] {
        let errors = folder.fails(2, &[name, "x.csv", flag, "x.csv"]);
        assert!(errors.contains("never overwritten"), "{errors}");
    }
    assert_eq!(folder.text("x.csv"), "a,b\n1,2\n3,5\n4,4\n");
    let errors = folder.fails(2, &[name, "x.csv", "-o", "z.csv", "--save", "z.csv"]);
    assert!(errors.contains("two outputs have this name"), "{errors}");
}

#[test]
fn bad_tables_are_named_by_file_line_and_column() {
    let folder = Folder::new();
    folder.put("short.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n");
    let errors = folder.fails(1, &["pca", "short.csv"]);
    assert!(
        errors.contains("short.csv, line 3: 2 fields where the header has 3"),
        "{errors}"
    );
    folder.put("word.csv", "a,b\n1,2\n4,5\n6,seven\n7,1\n");
    let errors = folder.fails(1, &["pca", "word.csv"]);
    assert!(
        errors.contains("word.csv, line 4, column 1 (\"b\"): \"seven\" is not a number"),
        "{errors}"
    );
}

#[test]
fn a_missing_value_is_named_and_the_parameter_suggested() {
    let folder = Folder::new();
    folder.put("missing.csv", "a,b,c\n1,2,3\n3,,4\n5,7,1\n2,NA,9\n8,1,1\n");
    let errors = folder.fails(1, &["pca", "missing.csv"]);
    assert!(
        errors.contains("missing.csv: row 1 (counted from 0), column 1 (\"b\")"),
        "{errors}"
    );
    assert!(errors.contains("`--missing em`"), "{errors}");
    let answer = folder.done(&["pca", "missing.csv", "--missing", "em", "-q", "-o", "-"]);
    let warning = "warning: 2 missing values in 2 rows were filled in\n";
    assert!(answer.errors.contains(warning), "{}", answer.errors);
    assert_eq!(answer.text.lines().count(), 6);
}

#[test]
fn a_method_is_not_given_what_it_cannot_take() {
    let folder = Folder::new();
    assert!(
        folder
            .fails(2, &["pca", "eurodist"])
            .contains("was given distances")
    );
    let errors = folder.fails(2, &["pca", "iris", "--streaming", "--scale", "z_score"]);
    assert!(errors.contains("cannot go with `--streaming`"), "{errors}");
    let errors = folder.fails(2, &["pca", "iris", "--streaming", "--trim", "0.1"]);
    assert!(errors.contains("cannot be fitted from batches"), "{errors}");
    assert!(
        folder
            .fails(2, &["pca", "iris", "--json", "-o", "-"])
            .contains("standard output")
    );
}
