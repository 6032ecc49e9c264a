//! Wrong calls and bad files: one clear line, and the right exit code.

use crate::call::Folder;

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
}

#[test]
fn a_wrong_word_gets_one_line() {
    let folder = Folder::new();
    for (words, line) in [
        (
            "pca digits --n-component 3",
            "`charta pca` has no flag `--n-component`; did you mean `--n-components`?",
        ),
        (
            "pca iris --bogus",
            "`charta pca` has no flag `--bogus`; `charta pca --help` lists them",
        ),
        (
            "pca iris -plot p.png",
            "`charta pca` has no flag `-plot`; did you mean `--plot`?",
        ),
        (
            "pca iris -qx",
            "`charta pca` has no flag `-x`; `charta pca --help` lists them",
        ),
        (
            "pca iris -- --plan",
            "`--plan` is one argument too many: `charta pca DATA [OPTIONS]`; a name with spaces needs quotes",
        ),
        (
            "--verson",
            "`charta` has no flag `--verson`; did you mean `--version`?",
        ),
        (
            "--threads 2 pca iris",
            "`charta` has no flag `--threads`; flags come after the method or tool",
        ),
        (
            "pca",
            "DATA is missing: `charta pca DATA [OPTIONS]`; see `charta pca --help`",
        ),
        (
            "completions",
            "SHELL is missing: `charta completions SHELL`; see `charta completions --help`",
        ),
        (
            "pca iris --scale zscore",
            "`--scale` must be `none`, `center`, `z-score`, `min-max` or `unit-norm`, got zscore; \
             did you mean `z-score`?",
        ),
        (
            "pca iris --precision f16",
            "`--precision` must be `f32` or `f64`, got f16; did you mean `f32`?",
        ),
        (
            "pca iris --precision",
            "`--precision` needs a value: `f32` or `f64`",
        ),
        ("pca iris --plot", "`--plot` needs a value: `--plot FILE`"),
        (
            "completions cmd",
            "SHELL must be `bash`, `elvish`, `fish`, `powershell` or `zsh`, got cmd",
        ),
        (
            "pca iris wine",
            "`wine` is one argument too many: `charta pca DATA [OPTIONS]`; a name with spaces needs quotes",
        ),
        (
            "pca iris --json full",
            "a value of `--json` comes after `=`: `--json=full`",
        ),
        (
            "pca iris --streaming=yes",
            "`--streaming` takes no value, got yes",
        ),
        (
            "pca iris -n 2 -n 3",
            "`--n-components` can be given only once",
        ),
        (
            "pca iris --header --no-header",
            "`--header` cannot go with `--no-header`",
        ),
        (
            "pca iris --color-by class",
            "`--color-by` needs a plot: add `--plot FILE`",
        ),
        (
            "scree iris --seed x",
            "`--seed` must be a whole number of at least 0, got x",
        ),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        assert_eq!(folder.fails(2, &words), format!("error: {line}\n"));
    }
}

#[test]
fn wrong_values_are_named_with_what_was_expected() {
    let folder = Folder::new();
    for (words, message) in [
        (["pca", "iris", "-n", "0"], "`--n-components` must be"),
        (["pca", "iris", "-n", "-3"], "`mle`, got -3\n"),
        (["pca", "iris", "-n", "-3.50"], "`mle`, got -3.50\n"),
        (["pca", "iris", "-n", ""], "`mle`, got nothing\n"),
        (
            ["pca", "iris", "--trim", "0.9"],
            "`--trim` must be at least 0 and at most 0.5, got 0.9",
        ),
        (
            ["pca", "iris", "--solver", "magic"],
            "`--solver` must be `auto`",
        ),
        (
            ["pca", "iris", "--whiten=maybe", "-q"],
            "`--whiten` must be true or false, got maybe",
        ),
        (
            ["pca", "iris", "-n", "9"],
            "`--n-components` must be at most 4",
        ),
        (["pca", "iris", "--threads", "0"], "`--threads` must be"),
        (
            ["pca", "iris", "--max-memory", "lots"],
            "`--max-memory` must be a size",
        ),
        (["pca", "iris", "--label", "specie"], "specie"),
        (["pca", "iris", "--plot", "x.pdf"], ".png, .svg or .html"),
        (["pca", "iris", "-o", "x.doc"], ".csv, .tsv, .parquet"),
        (
            ["pca", "iris", "-o", "no/x.csv"],
            "no/x.csv: the folder no does not exist\n",
        ),
        (
            ["pca", "iris", "--plot", "no/sub/x.png"],
            "the folder no/sub does not exist\n",
        ),
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
    let name = "pca";
    for flag in ["-o", "--save"] {
        let errors = folder.fails(2, &[name, "x.csv", flag, "x.csv"]);
        assert!(errors.contains("never overwritten"), "{errors}");
    }
    assert_eq!(folder.text("x.csv"), "a,b\n1,2\n3,5\n4,4\n");
}

#[test]
fn two_outputs_cannot_have_one_file() {
    let folder = Folder::new();
    let name = "pca";
    std::fs::create_dir(folder.path("in")).unwrap();
    for (one, other) in [
        (["-o", "z.csv"], ["--save", "z.csv"]),
        (["-o", "./z.csv"], ["--save", "z.csv"]),
        (["-o", "in/../z.csv"], ["--save", "z.csv"]),
        (["--plot", "z.png"], ["--scree-plot", "./z.png"]),
    ] {
        let errors = folder.fails(2, &[&[name, "iris"], &one[..], &other[..]].concat());
        assert!(errors.contains("two outputs have this name"), "{errors}");
    }
    assert_eq!(folder.names(), ["in"]);
    folder.done(&[name, "iris", "-o", "z.csv", "--save", "in/z.csv", "-q"]);
}

#[cfg(unix)]
#[test]
fn a_link_is_the_file_it_leads_to() {
    let folder = Folder::new();
    folder.put("z.csv", "");
    std::os::unix::fs::symlink("z.csv", folder.path("link.csv")).unwrap();
    let errors = folder.fails(2, &["pca", "iris", "-o", "link.csv", "--save", "z.csv"]);
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
        errors.contains("missing.csv: line 3, column \"b\""),
        "{errors}"
    );
    assert!(errors.contains("`--missing em`"), "{errors}");
    let answer = folder.done(&["pca", "missing.csv", "--missing", "em", "-q", "-o", "-"]);
    let warning = "warning: 2 missing values in 2 rows were filled in with estimates\n";
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

#[test]
fn a_method_is_found_by_its_initials_or_one_of_its_words() {
    let folder = Folder::new();
    for (word, meant) in [
        ("fa", "factor-analysis"),
        ("svd", "truncated-svd"),
        ("random", "random-projection"),
        ("PCA", "pca"),
        ("pcaa", "pca"),
    ] {
        let errors = folder.fails(2, &[word, "wine"]);
        assert!(
            errors.contains(&format!("did you mean `{meant}`?")),
            "{errors}"
        );
    }
}

#[test]
fn values_that_a_method_cannot_take_come_with_advice() {
    let folder = Folder::new();
    folder.put("gap.csv", "a,b\n1,2\n3,\n4,5\n6,9\n");
    folder.put("minus.csv", "a,b\n1,2\n3,-4\n4,5\n6,9\n");
    let errors = folder.fails(1, &["nmf", "gap.csv", "-n", "1"]);
    assert!(errors.contains("gap.csv: line 3, column \"b\""), "{errors}");
    assert!(errors.contains("leave out their rows") && errors.contains("`pca` with `--missing`"));
    let errors = folder.fails(1, &["nmf", "minus.csv", "-n", "1"]);
    assert!(
        errors.contains("minus.csv: line 3, column \"b\": found -4"),
        "{errors}"
    );
}

#[test]
fn wrong_files_of_later_commands_are_told_what_was_looked_for() {
    let folder = Folder::new();
    folder.done(&["pca", "iris", "--save", "p.charta", "-q"]);
    let errors = folder.fails(1, &["inverse", "p.charta", "wine"]);
    assert!(
        errors.contains("pc1, pc2") && errors.contains("13 columns of numbers found"),
        "{errors}"
    );
    folder.done(&["lda", "iris", "--save", "l.charta", "-q"]);
    let errors = folder.fails(2, &["predict", "l.charta", "iris", "-o", "x.npy"]);
    assert!(
        errors.contains("numbers only") && errors.contains(".npz"),
        "{errors}"
    );
    folder.done(&["predict", "l.charta", "iris", "-o", "x.npz", "-q"]);
}

#[test]
fn names_that_are_wanted_and_not_there_are_asked_for() {
    let folder = Folder::new();
    let words = ["pca", "iris", "--plot", "p.png", "--label-points"];
    let note = "`--id COLUMN`";
    assert!(folder.done(&words).errors.contains(note));
    let batches = folder.done(&[&words[..], &["--streaming"]].concat());
    assert!(batches.errors.contains(note), "{}", batches.errors);
    folder.put("named.csv", "who,a,b\nx,1,2\ny,3,4\nz,5,7\n");
    let named = [
        "pca",
        "named.csv",
        "--id",
        "who",
        "--plot",
        "p.png",
        "--label-points",
    ];
    assert!(!folder.done(&named).errors.contains(note));
}

#[test]
fn formats_that_are_not_read_are_named_with_a_way_to_convert_them() {
    let folder = Folder::new();
    for (name, bytes, words) in [
        (
            "cells.h5ad",
            &b"\x89HDF\r\n\x1a\n\0\0"[..],
            ["AnnData", "to_parquet"],
        ),
        (
            "t.csv.bz2",
            b"BZh91AY&SY\x12",
            ["bzip2", "bzip2 -dc t.csv.bz2 | "],
        ),
        ("t.csv.xz", b"\xfd7zXZ\0\x04", ["xz", "xz -dc t.csv.xz | "]),
        ("t.pkl", b"\x80\x04\x95\x10", ["pickle", "numpy.save"]),
        ("t.json", b"[{\"a\": 1}]", ["JSON", "read_json"]),
    ] {
        std::fs::write(folder.path(name), bytes).unwrap();
        let errors = folder.fails(2, &["pca", name]);
        assert!(words.iter().all(|word| errors.contains(word)), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
    folder.put("comment.csv", "# measured in 2024\na,b,c\n1,2,3\n4,5,7\n");
    let errors = folder.fails(1, &["pca", "comment.csv"]);
    assert!(errors.contains("comment lines are not skipped"), "{errors}");
}

#[test]
fn a_damaged_arrow_file_is_one_line_without_the_words_of_its_reader() {
    let folder = Folder::new();
    folder.done(&["data", "iris", "-o", "iris.arrow", "-q"]);
    let whole = folder.bytes("iris.arrow");
    let mut refused = 0;
    // Among these are offsets of buffers, over which the reader panics.
    for place in 690..715 {
        let mut bytes = whole.clone();
        bytes[place] ^= 0xe0;
        std::fs::write(folder.path("bad.arrow"), bytes).unwrap();
        let answer = folder.call(&["pca", "bad.arrow", "-q"]);
        assert!(!answer.errors.contains("panicked"), "{}", answer.errors);
        assert!(answer.errors.lines().count() <= 1, "{}", answer.errors);
        refused += usize::from(answer.code == 1);
    }
    assert!(refused > 0);
}

#[test]
fn a_value_that_a_scaling_made_negative_is_blamed_on_it() {
    let folder = Folder::new();
    let errors = folder.fails(1, &["nmf", "iris", "--scale", "z-score"]);
    for part in [
        "row 0 (counted from 0)",
        "`--scale z-score` makes values negative",
        "`--scale min-max` does not",
    ] {
        assert!(errors.contains(part), "{errors}");
    }
    folder.put("t.csv", "a,b\n1,2\n3,-4\n5,6\n");
    let errors = folder.fails(1, &["nmf", "t.csv"]);
    assert!(errors.contains("line 3"), "{errors}");
    assert!(!errors.contains("--scale"), "{errors}");
}

#[test]
fn a_negative_seed_is_told_its_limit() {
    let errors = Folder::new().fails(2, &["pca", "iris", "--seed", "-1"]);
    assert!(
        errors.contains("`--seed` must be a whole number of at least 0, got -1"),
        "{errors}"
    );
}

#[test]
fn names_of_other_packages_lead_to_ours_and_far_names_to_none() {
    let folder = Folder::new();
    for (words, part) in [
        (
            &["isomap", "iris", "--metric", "precomputed"][..],
            "`--distances` reads",
        ),
        (
            &["kernel-pca", "iris", "--kernel", "precomputed"],
            "`--kernel-matrix` reads",
        ),
        (
            &["isomap", "iris", "--metric", "l2"],
            "did you mean `euclidean`?",
        ),
        (
            &["isomap", "iris", "--metric", "cityblock"],
            "did you mean `manhattan`?",
        ),
        (
            &["kernel-pca", "iris", "--kernel", "gauss"],
            "did you mean `rbf`?",
        ),
        (
            &["pca", "iris", "--scale", "standard"],
            "did you mean `z-score`?",
        ),
        (&["foo", "iris"], "`charta --help` lists them"),
        (&["pac", "iris"], "did you mean `pca`?"),
    ] {
        let errors = folder.fails(2, words);
        assert!(errors.contains(part), "{errors}");
    }
    let errors = folder.fails(2, &["completions", "tcsh"]);
    assert!(!errors.contains("did you mean"), "{errors}");
}

#[test]
fn inner_products_are_offered_only_where_they_are_taken() {
    let folder = Folder::new();
    let errors = folder.fails(2, &["isomap", "iris", "--metric", "inner-product"]);
    assert!(
        errors.contains("or `tangent`, got inner-product"),
        "{errors}"
    );
    for (method, offered) in [("isomap", false), ("mds", false), ("umap", true)] {
        let help = folder.done(&[method, "--help"]).text;
        assert_eq!(help.contains("inner_product"), offered, "{method}");
    }
}

#[test]
fn data_that_cannot_be_fitted_is_refused_before_anything_is_adjusted() {
    let folder = Folder::new();
    folder.put("holes.csv", "a,b\n1,2\n3,\n5,6\n2,2\n7,1\n");
    for method in ["umap", "tsne", "pacmap"] {
        let errors = folder.fails(1, &[method, "holes.csv"]);
        assert!(errors.contains("line 3"), "{errors}");
        assert!(!errors.contains("warning:"), "{errors}");
    }
}

#[test]
fn numbers_as_labels_can_be_named_classes() {
    let errors = Folder::new().fails(1, &["lda", "swiss-roll:50"]);
    assert!(errors.contains("`--label-kind classes`"), "{errors}");
}

#[test]
fn tables_of_different_length_are_both_named() {
    let folder = Folder::new();
    folder.done(&["pca", "iris", "-o", "u.csv", "-q"]);
    let errors = folder.fails(1, &["quality", "wine", "u.csv"]);
    for part in ["wine has 178 rows", "u.csv has 150 rows"] {
        assert!(errors.contains(part), "{errors}");
    }
}

#[test]
fn very_large_values_are_short_in_messages_and_the_scaling_that_helps_is_named() {
    let folder = Folder::new();
    folder.put("large.csv", "a,b\n1e300,2e300\n3e300,-4e300\n5e300,6e299\n");
    let errors = folder.fails(1, &["nmf", "large.csv"]);
    assert!(errors.contains("-4e300"), "{errors}");
    let errors = folder.fails(1, &["pca", "large.csv"]);
    assert!(errors.contains("`--scale min-max`"), "{errors}");
    folder.done(&["pca", "large.csv", "--scale", "min-max", "-q"]);
}

/// Neighbour embeddings weigh their neighbours, so that all rows will do; the others would lose what they are made for.
#[test]
fn more_neighbours_than_rows_are_cut_by_neighbour_embeddings_and_refused_by_others() {
    let folder = Folder::new();
    for (method, cut) in [
        ("umap", true),
        ("pacmap", true),
        ("isomap", false),
        ("lle", false),
        ("laplacian-eigenmaps", false),
    ] {
        let words = [method, "iris", "-k", "500", "-q"];
        if cut {
            let answer = folder.done(&words);
            assert!(
                answer.errors.contains("changed from 500"),
                "{}",
                answer.errors
            );
        } else {
            let errors = folder.fails(2, &words);
            assert!(errors.contains("must be at most 149"), "{errors}");
        }
    }
}
