//! Methods do not use each other, are in the registry, and are documented in the agreed form.

use super::layers::LIBRARY;
use super::mask::is_word;
use super::paths::{self, Path};
use super::tree::{File, Problem, Tree};

/// The headings of a method's module doc, in the order a reader wants them.
const HEADINGS: &[&str] = &[
    "Idea",
    "Steps",
    "Objective",
    "Cost",
    "Choosing parameters",
    "New points",
    "Differences",
    "References",
];

/// The files that define a method, `methods/pca.rs` or `methods/pca/mod.rs`, each with the method's name.
pub(crate) fn defined(tree: &Tree) -> Vec<(&str, &File)> {
    let file = |file| {
        method_of(file)
            .filter(|(_, is_root)| *is_root)
            .map(|(name, _)| (name, file))
    };
    tree.files().iter().filter_map(file).collect()
}

/// The method that a file belongs to, and whether the file is the method's root.
fn method_of(file: &File) -> Option<(&str, bool)> {
    let inside = file
        .path
        .strip_prefix(LIBRARY)?
        .strip_prefix("methods/")?
        .strip_suffix(".rs")?;
    match inside.split_once('/') {
        None if inside == "mod" => None,
        None => Some((inside, true)),
        Some((name, rest)) => Some((name, rest == "mod")),
    }
}

/// Reports methods that use another method.
pub(crate) fn stand_alone(tree: &Tree) -> Vec<Problem> {
    let names: Vec<&str> = defined(tree).into_iter().map(|(name, _)| name).collect();
    let mut problems = Vec::new();
    for file in tree.rust_in(LIBRARY) {
        let Some((own, _)) = method_of(file) else {
            continue;
        };
        for path in paths::all(&file.code_outside_tests()) {
            let other =
                used_method(file, &path).filter(|used| *used != own && names.contains(used));
            problems.extend(other.map(|used| {
                file.problem(path.line, format!("method `{own}` uses method `{used}`: move what they share down into a stage"))
            }));
        }
    }
    problems
}

/// The word that stands where a method's name would: after `crate::methods`, or after as many `super` as lead out of the method.
fn used_method<'a>(file: &File, path: &'a Path) -> Option<&'a str> {
    if path.starts_with(&["crate", "methods"]) || path.starts_with(&["charta", "methods"]) {
        return path.segments.get(2).map(String::as_str);
    }
    let supers = path
        .segments
        .iter()
        .take_while(|segment| *segment == "super")
        .count();
    (supers >= depth(file)).then(|| path.segments.get(supers).map(String::as_str))?
}

/// How many `super` lead from a method's file to `methods`: 1 for `methods/pca.rs` and `methods/lda/mod.rs`, 2 for `methods/lda/model.rs`.
fn depth(file: &File) -> usize {
    let inside = file.path.strip_prefix(LIBRARY).unwrap_or(&file.path);
    inside.split('/').count() - 1 - usize::from(inside.ends_with("/mod.rs"))
}

/// Reports methods that `methods/mod.rs` does not declare or does not list.
pub(crate) fn are_registered(tree: &Tree) -> Vec<Problem> {
    let registry = tree
        .file(&format!("{LIBRARY}methods/mod.rs"))
        .map(File::code_outside_tests)
        .unwrap_or_default();
    let compact: String = registry
        .chars()
        .filter(|character| !character.is_whitespace())
        .collect();
    let mut problems = Vec::new();
    for (name, file) in defined(tree) {
        if !has_declaration(&compact, name) {
            problems.push(file.problem(
                1,
                format!("method `{name}` is not declared: add `pub mod {name};` to methods/mod.rs"),
            ));
        }
        if !compact.contains(&format!("Entry::of::<{name}::")) {
            problems.push(file.problem(1, format!("method `{name}` is not registered: add `Entry::of::<{name}::…>()` to METHODS in methods/mod.rs")));
        }
    }
    problems
}

/// Whether the code, without its white space, has the item `pub mod name;`.
fn has_declaration(compact: &str, name: &str) -> bool {
    let declaration = format!("pubmod{name};");
    compact
        .match_indices(&declaration)
        .any(|(at, _)| !compact[..at].ends_with(is_word))
}

/// Reports missing headings in the methods' module docs.
pub(crate) fn are_documented(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (_, file) in defined(tree) {
        let found: Vec<&str> = file
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("//! # "))
            .map(str::trim)
            .collect();
        let missing = HEADINGS.iter().filter(|heading| !found.contains(*heading));
        problems.extend(missing.map(|heading| {
            file.problem(1, format!("the module doc lacks the heading `# {heading}`"))
        }));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::shown;

    const MOD: &str = "crates/charta/src/methods/mod.rs";
    const PCA: &str = "crates/charta/src/methods/pca.rs";
    const LDA: &str = "crates/charta/src/methods/lda/mod.rs";

    #[test]
    fn methods_are_files_and_folders() {
        let tree = Tree::of(&[
            (MOD, ""),
            (PCA, ""),
            (LDA, ""),
            ("crates/charta/src/methods/lda/scatter.rs", ""),
        ]);
        assert_eq!(
            defined(&tree)
                .into_iter()
                .map(|(name, _)| name)
                .collect::<Vec<_>>(),
            ["pca", "lda"]
        );
    }

    #[test]
    fn a_method_that_uses_another_is_reported() {
        for bad in [
            "use crate::methods::lda::Lda;",
            "use super::lda;",
            "fn f() { crate::methods::lda::fit() }",
            "use crate::methods::{lda, Entry};",
        ] {
            let found = stand_alone(&Tree::of(&[(PCA, bad), (LDA, "")]));
            assert_eq!(
                shown(&found),
                [format!(
                    "{PCA}:1: method `pca` uses method `lda`: move what they share down into a stage"
                )],
                "{bad}"
            );
        }
        let deep = "crates/charta/src/methods/lda/model.rs";
        let found = stand_alone(&Tree::of(&[
            (PCA, ""),
            (LDA, ""),
            (deep, "use super::super::pca::Pca;"),
        ]));
        assert_eq!(found.len(), 1, "{found:?}");
        // A part of a method may have the name of another method.
        let part = stand_alone(&Tree::of(&[
            (PCA, ""),
            (LDA, "mod pca;\nuse self::pca::f;"),
            (deep, "use super::pca::f;"),
        ]));
        assert!(part.is_empty(), "{part:?}");
        let fine = "use crate::methods::pca::Pca;\nuse super::Entry;\n#[cfg(test)]\nmod tests { use crate::methods::lda; }";
        assert!(stand_alone(&Tree::of(&[(PCA, fine), (LDA, "")])).is_empty());
    }

    #[test]
    fn unregistered_methods_are_reported() {
        let good = "pub mod pca;\npub const METHODS: &[Entry] = &[Entry::of::<pca::Pca>()];";
        assert!(are_registered(&Tree::of(&[(MOD, good), (PCA, "")])).is_empty());
        assert_eq!(are_registered(&Tree::of(&[(PCA, "")])).len(), 2);
        assert_eq!(
            are_registered(&Tree::of(&[
                (MOD, "pub mod pca;\n// Entry::of::<pca::Pca>()"),
                (PCA, "")
            ]))
            .len(),
            1
        );
        assert_eq!(
            are_registered(&Tree::of(&[
                (MOD, "pub mod kernel_pca; Entry::of::<pca::Pca>()"),
                (PCA, "")
            ]))
            .len(),
            1
        );
    }

    #[test]
    fn missing_headings_are_reported() {
        let whole: String = HEADINGS
            .iter()
            .map(|heading| format!("//! # {heading}\n//! Text.\n"))
            .collect();
        assert!(are_documented(&Tree::of(&[(PCA, &whole)])).is_empty());
        let found = are_documented(&Tree::of(&[(PCA, &whole.replace("# Cost", "# Price"))]));
        assert_eq!(
            shown(&found),
            [format!(
                "{PCA}:1: the module doc lacks the heading `# Cost`"
            )]
        );
    }
}
