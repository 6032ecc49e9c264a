//! Files: how long, how named, whether a crate says what it is for.

use super::layers::LIBRARY;
use super::tree::{File, Problem, Tree};

/// The most lines a Rust file may have, and a method's file.
const LONGEST: usize = 500;
const LONGEST_METHOD: usize = 470;

/// Names that say nothing of what a module holds.
const EMPTY_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "misc"];

/// Reports Rust files that have grown too long to read.
pub(crate) fn stay_short(tree: &Tree) -> Vec<Problem> {
    let long = |file: &File| {
        let is_method = file.path.starts_with(&format!("{LIBRARY}methods/"));
        let (lines, limit) = (
            file.text.lines().count(),
            if is_method { LONGEST_METHOD } else { LONGEST },
        );
        (lines > limit).then(|| {
            file.problem(
                limit + 1,
                format!("{lines} lines, the limit is {limit}: split it where its subject splits"),
            )
        })
    };
    tree.rust_in("").filter_map(long).collect()
}

/// Reports crates whose root does not begin with a module doc.
pub(crate) fn crates_are_documented(tree: &Tree) -> Vec<Problem> {
    let is_root =
        |file: &&File| file.path.ends_with("src/lib.rs") || file.path.ends_with("src/main.rs");
    let bare = |file: &&File| !file.text.trim_start().starts_with("//!");
    let files = tree.rust_in("").filter(is_root).filter(bare);
    files
        .map(|file| {
            file.problem(
                1,
                "the crate's first line must be `//!` and say what the crate is for",
            )
        })
        .collect()
}

/// Reports modules called utils and the like.
pub(crate) fn telling_names(tree: &Tree) -> Vec<Problem> {
    let code = tree
        .files()
        .iter()
        .filter(|file| file.is_rust() || file.path.ends_with(".py"));
    let empty = |file: &File| {
        let words = file
            .path
            .split('/')
            .map(|word| word.split('.').next().unwrap_or(word));
        let name = words.into_iter().find(|word| EMPTY_NAMES.contains(word))?;
        Some(file.problem(
            1,
            format!("`{name}` says nothing: name the module after what it holds"),
        ))
    };
    code.filter_map(empty).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::shown;

    #[test]
    fn long_files_are_reported() {
        let lines = |count: usize| "x\n".repeat(count);
        let (most, method) = (lines(LONGEST), lines(LONGEST_METHOD));
        let path = "crates/charta/src/methods/pca.rs";
        assert!(
            stay_short(&Tree::of(&[
                ("a.rs", &most),
                (path, &method),
                ("a.md", &lines(9000))
            ]))
            .is_empty()
        );
        let found = shown(&stay_short(&Tree::of(&[
            ("a.rs", &lines(LONGEST + 1)),
            (path, &lines(LONGEST_METHOD + 1)),
        ])));
        assert_eq!(found.len(), 2);
        assert!(
            found[0].starts_with("a.rs:501: 501 lines, the limit is 500"),
            "{found:?}"
        );
    }

    #[test]
    fn a_crate_without_a_doc_is_reported() {
        let good = ("crates/a/src/lib.rs", "//! A.\n");
        assert!(crates_are_documented(&Tree::of(&[good, ("crates/a/src/b.rs", "")])).is_empty());
        assert_eq!(
            crates_are_documented(&Tree::of(&[
                ("crates/a/src/lib.rs", "fn a() {}"),
                ("xtask/src/main.rs", "")
            ]))
            .len(),
            2
        );
    }

    #[test]
    fn empty_names_are_reported() {
        for bad in [
            "crates/a/src/utils.rs",
            "crates/a/src/common/mod.rs",
            "python/charta/helpers.py",
            "crates/a/src/misc.rs",
        ] {
            assert_eq!(telling_names(&Tree::of(&[(bad, "")])).len(), 1, "{bad}");
        }
        assert!(
            telling_names(&Tree::of(&[
                ("crates/a/src/commonality.rs", ""),
                ("docs/common.md", "")
            ]))
            .is_empty()
        );
    }
}
