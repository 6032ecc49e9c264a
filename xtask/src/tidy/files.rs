//! Files: how named, and whether a crate says what it is for.

use super::tree::{File, Problem, Tree};

/// Names that say nothing of what a module holds.
const EMPTY_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "misc"];

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
