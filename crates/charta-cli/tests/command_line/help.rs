//! Help that names everything.

use charta::methods::METHODS;

use crate::call::{Folder, method_names};

#[test]
fn the_first_page_names_every_method_and_tool() {
    let page = Folder::new().done(&["--help"]).text;
    assert!(
        page.starts_with("Dimensionality reduction: PCA, UMAP, t-SNE and "),
        "{page}"
    );
    for name in method_names() {
        assert!(page.contains(&format!("  {name} ")), "{name}");
    }
    for tool in [
        "transform",
        "predict",
        "inverse",
        "denoise",
        "inspect",
        "methods",
        "explain",
        "data",
        "scree",
        "completions",
    ] {
        assert!(page.contains(&format!("  {tool} ")), "{tool}");
    }
    for format in ["CSV", "Parquet", "MatrixMarket .mtx", "lists images"] {
        assert!(page.contains(format), "{format}");
    }
    assert!(page.contains("Examples"));
    assert!(!page.contains('\x1b'), "colours in a pipe");
    assert!(
        page.lines().all(|line| line.chars().count() <= 80),
        "{page}"
    );
}

#[test]
fn every_method_tells_its_parameters_with_defaults() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        let page = folder.done(&[&name, "--help"]).text;
        assert!(page.contains("Parameters:") && page.contains("Input:") && page.contains("Run:"));
        for spec in entry.specs() {
            assert!(
                page.contains(&format!("--{}", spec.name.replace('_', "-"))),
                "{}",
                spec.name
            );
        }
        assert!(page.contains("[default: "));
        let words = |page: &str| page.split_whitespace().count();
        assert!(words(&folder.done(&[&name, "-h"]).text) < words(&page));
    }
}

#[test]
fn a_call_without_words_shows_help_and_fails() {
    let errors = Folder::new().fails(2, &[]);
    assert!(errors.contains("Usage:"));
}

#[test]
fn every_shell_gets_completions() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.done(&["completions", shell]).text;
        for name in method_names() {
            assert!(script.contains(&name), "{shell}: {name}");
        }
    }
    folder.fails(2, &["completions", "cmd"]);
}

#[test]
fn the_version_is_told() {
    let text = Folder::new().done(&["--version"]).text;
    assert_eq!(text, format!("charta {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn families_are_named_once_and_short_help_has_room() {
    let folder = Folder::new();
    let page = folder.done(&["--help"]).text;
    let mut headings: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("Methods: "))
        .collect();
    let n_headings = headings.len();
    headings.sort_unstable();
    headings.dedup();
    assert_eq!(headings.len(), n_headings, "{page}");
    for name in method_names() {
        let page = folder.done(&[&name, "-h"]).text;
        // Every flag leaves its help at least a third of the line.
        let widest = page.lines().filter_map(|line| line.find('>')).max();
        assert!(widest < Some(60), "{page}");
    }
    let page = folder.done(&["isomap", "-h"]).text;
    assert!(
        page.contains("Neighbours:\n  -k, --n-neighbors <N>"),
        "{page}"
    );
    assert!(page.contains("--metric <METRIC>"), "{page}");
    assert!(page.contains("cosine"), "{page}");
}

#[test]
fn methods_are_explained_whole_by_section_and_in_a_table() {
    let folder = Folder::new();
    for name in method_names() {
        let page = folder.done(&["explain", &name]).text;
        for title in ["Idea", "Objective", "Cost", "New points", "References"] {
            assert!(page.contains(&format!("\n{title}\n")), "{name}: {title}");
        }
        assert!(
            !page.contains("](") && !page.contains("```"),
            "{name}: {page}"
        );
        assert!(
            page.lines().all(|line| line.chars().count() <= 100),
            "{page}"
        );
    }
    let whole = folder.done(&["explain", "--table"]).text;
    let objective = folder.done(&["explain", "pca", "--section", "objective"]);
    let first = objective.text.split_whitespace().next().unwrap();
    assert!(whole.contains(first));
    assert_eq!(
        whole.lines().filter(|line| is_title(line)).count(),
        METHODS.len()
    );
    let all = folder.done(&["explain", "--table", "--json"]).json();
    assert_eq!(all.as_array().unwrap().len(), METHODS.len());
    let wrong = folder.fails(2, &["explain", "pca", "--section", "price"]);
    assert!(wrong.contains("the sections are Idea, "), "{wrong}");
    assert!(folder.fails(2, &["explain", "pcaa"]).contains("pca"));
    assert!(folder.fails(2, &["explain"]).contains("--table"));
}

/// True for the line that names a method in a table of explanations.
fn is_title(line: &str) -> bool {
    line.starts_with("  ") && !line.starts_with("   ")
}
